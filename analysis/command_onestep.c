// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "command_line.h"
#include "onestep.h"
#include "outcome.h"
#include "results_folder.h"
#include "world/driver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const rl_usage rl_onestep_usage = {
    .name = "onestep",
    .positional = "SCENARIO",
    .doc = "Starts every solver for one step from the same stored states of a reference run, with "
           "1, 2, 4, ... iterations, and writes how far the end of the step is from the "
           "reference's: positions, velocities and tensions. DIR/onestep.csv has a row a step, "
           "DIR/summary.csv one a solver. Without --solver: all solvers."
           "\v"
           "Examples:\n"
           "  ropelab onestep hanging-chain --solver pbd --solver impulse --solver pbd-direct\n"
           "  ropelab onestep heavy-load --iterations 1,10,100,1000 --at 0.5,1\n"
           "  ropelab onestep atwood --reference rattle --reference-step 1e-5",
    .options = "shdSofIaRx",
    .least = 1,
    .most = 1,
};

enum {
  DEFAULT_ORIGINS = 8,
  DEFAULT_SUBSTEPS = 64,
  SUBSTEPS_MAX = 1000000000,
  DEFAULT_DOUBLINGS = 10, // iterations 1 ... 2^10
};

typedef struct onestep {
  rl_arguments *arguments;
  rl_scenario *scenario;
  const char *command;
  char folder[RL_PATH_MAX];
  rl_schedule schedule;
  rl_solver_spec reference;
  uint64_t substeps; // of the reference in a step
  uint64_t at[RL_LIST_MAX];
  size_t at_count;
  rl_origin origins[RL_LIST_MAX];
  rl_onestep_outcome outcomes[RL_LIST_MAX];
} onestep;

// Which steps the states are taken before: those nearest to the times, each once.
static bool choose_origins(onestep *o) {
  const rl_arguments *a = o->arguments;
  const uint64_t steps = o->schedule.steps;
  const size_t count = a->at_count > 0 ? a->at_count : DEFAULT_ORIGINS;
  for (size_t i = 0; i < count; i++) {
    const double share = (double)(i + 1) / (DEFAULT_ORIGINS + 1);
    const double step =
        a->at_count > 0 ? round(a->at[i] / o->schedule.dt) : floor((double)steps * share);
    if (!(step < (double)steps)) {
      fprintf(stderr,
              "ropelab onestep: --at %g: expected a time from 0 to %g s, a step before %s\n",
              a->at[i], (double)(steps - 1) * o->schedule.dt, "the end");
      return false;
    }
    if (o->at_count == 0 || (uint64_t)step > o->at[o->at_count - 1]) {
      o->at[o->at_count++] = (uint64_t)step;
    }
  }
  return true;
}

static bool choose_reference(onestep *o, int *status) {
  const rl_arguments *a = o->arguments;
  const double asked = a->reference_step;
  const double substeps = isnan(asked) ? DEFAULT_SUBSTEPS : round(o->schedule.dt / asked);
  o->substeps = (uint64_t)fmax(1.0, fmin(substeps, SUBSTEPS_MAX));
  return rl_reference_choose(o->scenario, a->reference, &o->reference, status);
}

static void choose_iterations(rl_arguments *a) {
  for (int i = 0; a->iteration_count == 0 || (i > 0 && i <= DEFAULT_DOUBLINGS); i++) {
    a->iterations[a->iteration_count++] = (double)(1U << i);
  }
}

static json_t *describe(const onestep *o) {
  const rl_arguments *a = o->arguments;
  json_t *times = json_array(), *iterations = json_array();
  for (size_t i = 0; i < o->at_count; i++) {
    json_array_append_new(times, json_real((double)o->at[i] * o->schedule.dt));
  }
  for (size_t i = 0; i < a->iteration_count; i++) {
    json_array_append_new(iterations, json_integer((json_int_t)a->iterations[i]));
  }
  return json_pack("{s:s, s:f, s:o, s:o}", "reference", o->reference.text, "reference_step_s",
                   o->schedule.dt / (double)o->substeps, "times_s", times, "iterations",
                   iterations);
}

// How a solver did, as the files have it.
static void summarise(const rl_onestep_outcome *found, const rl_solver_spec *solver,
                      const rl_model *model, rl_outcome *outcome) {
  const uint32_t missing = rl_driver_missing(model, solver->type);
  const rl_distance_norms *e = &found->error;
  const rl_named_number entries[] = {{"position_rms_m", e->position_rms},
                                     {"position_max_m", e->position_max},
                                     {"velocity_rms_m_s", e->velocity_rms},
                                     {"velocity_max_m_s", e->velocity_max},
                                     {"tension_rms_N", e->tension_rms},
                                     {"tension_max_error_N", e->tension_max},
                                     {"residual_m", found->residual},
                                     {"iterations", found->iterations},
                                     {"iterations_settled", found->iterations_settled},
                                     {"row_evals", found->row_evaluations}};
  *outcome = (rl_outcome){.solver = solver,
                          .status = found->status,
                          .entry_count = sizeof entries / sizeof entries[0],
                          .seconds = found->seconds};
  for (size_t i = 0; i < outcome->entry_count; i++) {
    outcome->entries[i] = (rl_named_number){entries[i].name, missing ? NAN : entries[i].value};
  }
  if (missing) {
    rl_outcome_unsupported(outcome, missing);
  } else {
    snprintf(outcome->reason, sizeof outcome->reason, "%s", found->reason);
  }
}

static bool write_outcomes(const onestep *o) {
  const rl_arguments *a = o->arguments;
  static rl_outcome outcomes[RL_LIST_MAX];
  json_t *described = describe(o);
  const rl_outcome_facts facts = {.folder = o->folder,
                                  .scenario = o->scenario,
                                  .command = o->command,
                                  .kind = "onestep",
                                  .described = described,
                                  .step = o->schedule.dt,
                                  .duration = o->schedule.dt * (double)o->schedule.steps,
                                  .steps = o->schedule.steps};
  for (size_t i = 0; i < a->solver_count; i++) {
    summarise(&o->outcomes[i], &a->solvers[i], o->scenario->model, &outcomes[i]);
  }
  const bool written = rl_outcomes_write(&facts, outcomes, a->solver_count);
  json_decref(described);
  return written;
}

static int fail(const onestep *o) {
  fprintf(stderr, "ropelab: %s: cannot write: %s\n", o->folder, strerror(errno));
  return RL_EXIT_FAILED;
}

// All steps, each a line of onestep.csv as it is done.
static int take_steps(onestep *o) {
  const rl_arguments *a = o->arguments;
  char path[RL_PATH_MAX];
  FILE *table = rl_path_join(path, o->folder, "onestep.csv") ? rl_lines_open(path, 1 << 12) : NULL;
  if (!table) {
    return fail(o);
  }
  const rl_onestep study = {.scenario = o->scenario,
                            .solvers = a->solvers,
                            .solver_count = a->solver_count,
                            .reference = &o->reference,
                            .step = o->schedule.dt,
                            .from = o->origins,
                            .from_count = o->at_count,
                            .iterations = a->iterations,
                            .iteration_count = a->iteration_count};
  int status = rl_onestep_run(&study, table, o->outcomes);
  status = status == RL_EXIT_FAILED ? fail(o) : status;
  return fclose(table) == 0 ? status : fail(o);
}

static int onestep_all(onestep *o) {
  rl_run_begin_writing();
  int status = rl_origins_make(o->scenario, &o->reference, o->schedule.dt, o->substeps, o->at,
                               o->at_count, o->origins);
  status = status == RL_EXIT_DONE ? take_steps(o) : status;
  if (status == RL_EXIT_DONE) {
    status = write_outcomes(o) ? rl_report(o->folder) : fail(o);
  }
  return status;
}

// Everything that can be wrong is found before anything is run.
static bool prepare(onestep *o, int *status) {
  rl_arguments *a = o->arguments;
  rl_diagnostic diagnostic;
  *status = RL_EXIT_USAGE;
  if (!rl_solvers_complete(a, "onestep")) {
    return false;
  }
  o->scenario = rl_load_scenario(a->positional[0], a, &diagnostic, status);
  if (!o->scenario) {
    return false;
  }
  *status = RL_EXIT_USAGE;
  if (!rl_run_plan(o->scenario, &a->run, &o->schedule) || !choose_origins(o)) {
    return false;
  }
  choose_iterations(a);
  if (!choose_reference(o, status)) {
    return false;
  }
  *status = RL_EXIT_USAGE;
  return rl_claim_results(o->folder, a, "onestep", o->scenario->name);
}

int rl_command_onestep(int argc, char **argv) {
  static rl_arguments arguments;
  static onestep o;
  char *command = rl_command_line(argc, argv, "--force");
  int status = RL_EXIT_FAILED;
  if (!command || !rl_arguments_parse(&rl_onestep_usage, argc, argv, &arguments, &status)) {
    free(command);
    return status;
  }
  o.arguments = &arguments;
  o.command = command;
  if (prepare(&o, &status)) {
    status = onestep_all(&o);
  }
  rl_origins_free(o.origins, o.at_count);
  rl_scenario_free(o.scenario);
  free(command);
  return status;
}
