// SPDX-License-Identifier: GPL-3.0-or-later
// Prints the state hash of every solver on every scenario named on the command line after some
// steps, more of them if the first word is `long`. Built with several compilers and optimisation
// levels by hash.sh, whose outputs have to be the same.
#include "scenario.h"
#include "world/driver.h"

#include <stdlib.h>
#include <string.h>

// How long a run is: steps, and evaluations of rows. A longer one repeats itself.
typedef struct length {
  int steps;
  uint64_t work;
} length;

static const length usual = {30, 10000}, thorough = {60, 20000};
enum { LEAST = 5, ADAPTIVE = 12 }; // steps

static bool goes_on(const rl_scenario *s, const rl_solver_type *type, const length *most, int steps,
                    uint64_t work) {
  // A method in whole numbers promises the same for longer: shown on its own scenario.
  if (strcmp(type->name, "contraption") == 0 && strcmp(s->name, "contraption-rope") == 0) {
    return steps < 10000;
  }
  if (type->is_adaptive) { // one step is many
    return steps < 1 || (steps < ADAPTIVE && work < most->work);
  }
  return steps < LEAST || (steps < most->steps && work < most->work);
}

static void print_hashes(const rl_scenario *s, const length *most) {
  for (size_t k = 0; rl_solvers[k]; k++) {
    if (rl_driver_missing(s->model, rl_solvers[k])) {
      continue;
    }
    rl_driver *d = rl_driver_create(s->model, rl_solvers[k], NULL, s->step);
    if (!d) {
      exit(1);
    }
    rl_reason reason = RL_RUNNING;
    uint64_t work = 0;
    for (int n = 0; goes_on(s, rl_solvers[k], most, n, work) && reason >= 0; n++) {
      reason = rl_driver_step(d);
      work += d->info.row_evaluations;
    }
    printf("%s %s %016llx %.17g\n", s->name, rl_solvers[k]->name,
           (unsigned long long)rl_state_hash(d->state), rl_driver_energy_error(d));
    rl_driver_free(d);
  }
}

int main(int argc, char **argv) {
  const bool is_long = argc > 1 && strcmp(argv[1], "long") == 0;
  for (int i = is_long ? 2 : 1; i < argc; i++) {
    rl_diagnostic diagnostic;
    rl_scenario *s = rl_scenario_from_file(argv[i], NULL, 0, &diagnostic);
    if (!s) {
      rl_diagnostic_print(stderr, argv[i], &diagnostic);
      return 1;
    }
    print_hashes(s, is_long ? &thorough : &usual);
    rl_scenario_free(s);
  }
  return 0;
}
