// SPDX-License-Identifier: GPL-3.0-or-later
#include "onestep_study.h"

#include "onestep.h"
#include "outcome.h"
#include "study_fault.h"
#include "study_file.h"
#include "study_numbers.h"
#include "world/driver.h"

#include <errno.h>
#include <string.h>

enum {
  DEFAULT_ORIGINS = 8,
  DEFAULT_SUBSTEPS = 64, // of a reference that is not adaptive
  SUBSTEPS_MAX = 1000000000,
  DEFAULT_DOUBLINGS = 10, // iterations 1 ... 2^10
};

typedef struct onestep {
  rl_study *study;
  const rl_scenario *scenario;
  rl_schedule schedule;
  rl_solver_spec reference;
  uint64_t substeps; // of the reference in a step
  uint64_t at[RL_LIST_MAX];
  size_t at_count;
  rl_origin origins[RL_LIST_MAX];
  const double *iterations;
  size_t iteration_count;
  rl_onestep_outcome outcomes[RL_LIST_MAX];
} onestep;

// Which steps the states are taken before: those nearest to the times, each once.
static bool choose_origins(onestep *o) {
  const rl_words asked = o->study->definition.at;
  const double *times = NULL;
  const uint64_t steps = o->schedule.steps;
  size_t count = DEFAULT_ORIGINS;
  if (asked.count > 0 && (count = rl_study_numbers(o->study, asked, &times)) == 0) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    const double share = (double)(i + 1) / (DEFAULT_ORIGINS + 1);
    const double step = times ? round(times[i] / o->schedule.dt) : floor((double)steps * share);
    if (!(step < (double)steps)) {
      return rl_study_refuse(&o->study->definition, "at", rl_study_number_item(asked, times[i]),
                             "%g: expected a time from 0 to %g s, a step before the end", times[i],
                             (double)(steps - 1) * o->schedule.dt);
    }
    if (o->at_count == 0 || (uint64_t)step > o->at[o->at_count - 1]) {
      o->at[o->at_count++] = (uint64_t)step;
    }
  }
  return true;
}

static bool choose_reference(onestep *o, int *status) {
  const rl_study_reference *asked = &o->study->definition.reference;
  if (!rl_reference_choose(o->scenario, asked->solver, &o->reference, status)) {
    return false;
  }
  const double wanted = o->reference.type->is_adaptive ? 1.0 : DEFAULT_SUBSTEPS;
  const double substeps = isnan(asked->step) ? wanted : round(o->schedule.dt / asked->step);
  o->substeps = (uint64_t)fmax(1.0, fmin(substeps, SUBSTEPS_MAX));
  return true;
}

static bool choose_iterations(onestep *o) {
  static double doublings[DEFAULT_DOUBLINGS + 1];
  const rl_words asked = o->study->definition.iterations;
  if (asked.count > 0) {
    o->iteration_count = rl_study_numbers(o->study, asked, &o->iterations);
    return o->iteration_count > 0;
  }
  for (int i = 0; i <= DEFAULT_DOUBLINGS; i++) {
    doublings[i] = (double)(1U << i);
  }
  o->iterations = doublings;
  o->iteration_count = DEFAULT_DOUBLINGS + 1;
  return true;
}

static json_t *describe(const onestep *o) {
  json_t *times = json_array(), *iterations = json_array();
  for (size_t i = 0; i < o->at_count; i++) {
    json_array_append_new(times, json_real((double)o->at[i] * o->schedule.dt));
  }
  for (size_t i = 0; i < o->iteration_count; i++) {
    json_array_append_new(iterations, json_integer((json_int_t)o->iterations[i]));
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
  const rl_study_definition *d = &o->study->definition;
  static rl_outcome outcomes[RL_LIST_MAX];
  json_t *described = describe(o);
  const rl_outcome_facts facts = {.folder = o->study->folder,
                                  .scenario = o->scenario,
                                  .command = o->study->command,
                                  .kind = "onestep",
                                  .described = described,
                                  .step = o->schedule.dt,
                                  .duration = o->schedule.dt * (double)o->schedule.steps,
                                  .steps = o->schedule.steps};
  for (size_t i = 0; i < d->solver_count; i++) {
    summarise(&o->outcomes[i], &d->solvers[i], o->scenario->model, &outcomes[i]);
  }
  const bool written = rl_outcomes_write(&facts, outcomes, d->solver_count, o->study->timed);
  json_decref(described);
  return written;
}

static int fail(const onestep *o) {
  fprintf(stderr, "ropelab: %s: cannot write: %s\n", o->study->folder, strerror(errno));
  return RL_EXIT_FAILED;
}

// All steps, each a line of onestep.csv as it is done.
static int take_steps(onestep *o) {
  const rl_study_definition *d = &o->study->definition;
  char path[RL_PATH_MAX];
  FILE *table =
      rl_path_join(path, o->study->folder, "onestep.csv") ? rl_lines_open(path, 1 << 12) : NULL;
  if (!table) {
    return fail(o);
  }
  const rl_onestep study = {.scenario = o->scenario,
                            .solvers = d->solvers,
                            .solver_count = d->solver_count,
                            .reference = &o->reference,
                            .step = o->schedule.dt,
                            .from = o->origins,
                            .from_count = o->at_count,
                            .iterations = o->iterations,
                            .iteration_count = o->iteration_count};
  int status = rl_onestep_run(&study, table, o->outcomes);
  status = status == RL_EXIT_FAILED ? fail(o) : status;
  return fclose(table) == 0 ? status : fail(o);
}

static int gather(rl_study *study) {
  onestep *o = study->plan;
  int status = rl_origins_make(o->scenario, &o->reference, o->schedule.dt, o->substeps, o->at,
                               o->at_count, o->origins);
  status = status == RL_EXIT_DONE ? take_steps(o) : status;
  rl_origins_free(o->origins, o->at_count);
  return status == RL_EXIT_DONE && !write_outcomes(o) ? fail(o) : status;
}

static bool check(const rl_study_definition *d, rl_study_fault *fault) {
  return rl_study_check_alone(d, fault) &&
         rl_study_check_numbers("at", d->at, RL_NUMBER_NOT_NEGATIVE, fault) &&
         rl_study_check_numbers("iterations", d->iterations, RL_NUMBER_WHOLE, fault) &&
         rl_study_check_iterated(d, fault);
}

// Everything that can be wrong is found before anything is run.
static int plan(rl_study *study) {
  const rl_study_definition *d = &study->definition;
  onestep *o = rl_arena_allocate(study->arena, 1, sizeof *o);
  int status = RL_EXIT_FAILED;
  if (!o) {
    fprintf(stderr, "ropelab: out of memory\n");
    return RL_EXIT_FAILED;
  }
  study->plan = o;
  o->study = study;
  o->scenario = rl_study_scenario(study, d->scenarios.words[0], (rl_changes){0}, &status);
  if (!o->scenario) {
    return status;
  }
  const rl_run_options options = {.step = d->step, .duration = d->duration, .every = NAN};
  if (!rl_run_plan(o->scenario, &options, &o->schedule) || !choose_origins(o) ||
      !choose_iterations(o)) {
    return RL_EXIT_USAGE;
  }
  return choose_reference(o, &status) ? RL_EXIT_DONE : status;
}

#define AT(member) offsetof(rl_study_definition, member)

static const rl_field fields[] = {
    {"at", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(at), NULL, rl_read_words},
    {"iterations", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(iterations), NULL, rl_read_words},
    {"reference", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(reference), NULL, rl_read_reference},
};

#undef AT

static const char *const without[] = {"every", "probes", "time_limit", NULL};

const rl_study_kind rl_study_onestep = {
    .name = "onestep",
    .summary = "single steps of all solvers from equal states, against a reference",
    .fields = fields,
    .field_count = sizeof fields / sizeof fields[0],
    .without = without,
    .check = check,
    .plan = plan,
    .gather = gather,
};
