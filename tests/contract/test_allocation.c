// SPDX-License-Identifier: GPL-3.0-or-later
// A step allocates nothing (test_contract.c), but room for a matrix that is larger than ever
// before.
#include "allocations.h"
#include "check.h"

#include "options.h"

#include <gsl/gsl_errno.h>
#include <stdlib.h>
#include <string.h>

// Makes steps in which the growth number `left` fails, if there are as many. Returns the reason of
// the last one.
static rl_reason step_without_memory(const rl_scenario *s, const rl_solver_type *type, int left) {
  rl_driver *d = rl_driver_create(s->model, type, NULL, s->step);
  growth_left = left;
  rl_reason reason = RL_CONVERGED_TOLERANCE;
  for (int n = 0; n < 100 && reason > 0; n++) {
    reason = rl_driver_step(d);
  }
  if (reason == RL_DIVERGED_MEMORY) { // once it was short there is no way on
    assert_int_equal(rl_driver_step(d), RL_DIVERGED_MEMORY);
  }
  rl_driver_free(d);
  return reason;
}

// A ball falls on a floor and rolls against another: the matrix grows at the start and at both.
static void a_matrix_without_memory_ends_the_run(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: grow\nduration: 1\nstep: 0.005\nbodies:\n"
      "  floor: {motion: fixed, friction: 0.3, shape: {plane: {normal: [0, 1, 0]}}}\n"
      "  ball: {mass: 1, position: [0, 0.2, 0], velocity: [1, 0, 0], shape: {sphere: {radius: "
      "0.1}}}"
      "\n  other: {mass: 2, position: [0.35, 0.1, 0], shape: {box: {size: [0.2, 0.2, 0.2]}}}\n"
      "ropes:\n  line: {from: {point: [0, 1, 0]}, to: {body: ball}, slack: 0.5}\n");
  static const char *const with_matrix[] = {"pbd-direct", "impulse-direct",   "rattle",
                                            "convex",     "penalty-implicit", "reference"};
  for (size_t k = 0; k < sizeof with_matrix / sizeof with_matrix[0]; k++) {
    const rl_solver_type *type = rl_solver_find(with_matrix[k]);
    growths = 0;
    assert_true(step_without_memory(s, type, -1) > 0);
    const int all = growths;
    assert_in_range(all, 2, 40);
    for (int left = 0; left < all; left++) {
      assert_int_equal(step_without_memory(s, type, left), RL_DIVERGED_MEMORY);
    }
  }
  rl_scenario_free(s);
}

// A hundred ropes, each over a drum and a box, with two loads: four hundred bodies that can touch.
static rl_scenario *hundred_ropes(void) {
  enum { ROPES = 100, SIZE = 1 << 17 };
  char *text = malloc(SIZE);
  int used = snprintf(text, SIZE, "name: many\nduration: 1\nstep: 0.002\nbodies:\n");
  for (int i = 0; i < ROPES; i++) {
    const double x = 3.0 * i;
    used += snprintf(
        text + used, (size_t)(SIZE - used),
        "  drum%d: {motion: axle, mass: 1, position: [%g, 0, 0], friction: 0.3, shape: {cylinder: "
        "{radius: 0.1, length: 0.4}}}\n"
        "  box%d: {motion: fixed, position: [%g, 0.1, 0], friction: 0.1, shape: {box: {size: [0.2, "
        "0.2, 0.4]}}}\n"
        "  a%d: {mass: 1, position: [%g, -1, 0]}\n  b%d: {mass: 1.3, position: [%g, -1, 0]}\n",
        i, x, i, x + 1.0, i, x - 0.1, i, x + 1.15);
  }
  used += snprintf(text + used, (size_t)(SIZE - used), "ropes:\n");
  for (int i = 0; i < ROPES; i++) {
    used += snprintf(text + used, (size_t)(SIZE - used),
                     "  r%d: {from: {body: a%d}, to: {body: b%d}, over: [drum%d, box%d]}\n", i, i,
                     i, i, i);
  }
  rl_scenario *s = scenario_from("%s", text);
  free(text);
  return s;
}

// Arrays are as long as the sum of all contacts that can be; a matrix has the rows that there are.
static void a_hundred_ropes_over_two_hundred_bodies_fit(void **unused) {
  (void)unused;
  rl_scenario *s = hundred_ropes();
  for (size_t k = 0; rl_solvers[k]; k++) {
    if (rl_driver_missing(s->model, rl_solvers[k])) {
      continue;
    }
    assert_in_range(rl_driver_bytes(s->model, rl_solvers[k]), 1, (size_t)1 << 30);
    rl_driver *d = rl_driver_create(s->model, rl_solvers[k], NULL, s->step);
    assert_true(rl_driver_step(d) > 0 && rl_driver_step(d) > 0);
    assert_in_range(room_held(), 0, (size_t)16 << 20);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

int main(void) {
  gsl_set_error_handler_off();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_matrix_without_memory_ends_the_run),
      cmocka_unit_test(a_hundred_ropes_over_two_hundred_bodies_fit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
