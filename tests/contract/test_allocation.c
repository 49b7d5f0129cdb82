// SPDX-License-Identifier: GPL-3.0-or-later
// A step allocates nothing. The linker sends every allocation of the library through the counters
// below (--wrap in tests/CMakeLists.txt).
#include "check.h"

#include "options.h"

#include <gsl/gsl_errno.h>
#include <stdlib.h>

static int allocations;

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);

void *__wrap_malloc(size_t size) {
  allocations++;
  return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
  allocations++;
  return __real_calloc(count, size);
}

void *__wrap_realloc(void *block, size_t size) {
  allocations++;
  return __real_realloc(block, size);
}

static void steps_allocate_nothing(void **unused) {
  (void)unused;
  size_t count = 0;
  char **names = rl_shipped_names(&rl_shipped_scenarios, &count);
  assert_true(allocations > 0); // they are counted
  for (size_t i = 0; i < count; i++) {
    rl_scenario *s = shipped_with(names[i], NULL, 0);
    for (size_t k = 0; rl_solvers[k]; k++) {
      if (rl_driver_missing(s->model, rl_solvers[k])) {
        continue;
      }
      rl_driver *d = rl_driver_create(s->model, rl_solvers[k], NULL, s->step);
      const int before = allocations;
      const int steps = rl_solvers[k]->is_adaptive ? 10 : 100; // one of theirs is many
      uint64_t work = 0; // of rows evaluated; a longer run repeats itself
      for (int n = 0; n < steps && d->info.reason >= 0 && (n < 10 || work < 20000); n++) {
        rl_driver_step(d);
        work += d->info.row_evaluations;
      }
      if (allocations != before) {
        print_error("%s on %s: observed %d allocations, expected none\n", rl_solvers[k]->name,
                    names[i], allocations - before);
        fail();
      }
      rl_driver_free(d);
    }
    rl_scenario_free(s);
  }
  rl_names_free(names, count);
}

int main(void) {
  gsl_set_error_handler_off();
  const struct CMUnitTest tests[] = {cmocka_unit_test(steps_allocate_nothing)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
