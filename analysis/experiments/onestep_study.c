// SPDX-License-Identifier: GPL-3.0-or-later
#include "onestep_study.h"

#include "onestep.h"
#include "order_tables.h"
#include "results/outcome.h"
#include "study_fault.h"
#include "study_file.h"
#include "study_numbers.h"
#include "world/driver.h"

#include <float.h>
#include <string.h>

enum {
  DEFAULT_ORIGINS = 8,
  DEFAULT_SUBSTEPS = 64, // of a reference that is not adaptive
  SUBSTEPS_MAX = 1000000000,
  DEFAULT_DOUBLINGS = 10, // iterations 1 ... 2^10
};

// Largest number of reference steps up to the last state, which take hours.
static const double walk_max = 1e9;

// Velocities that a method computes as differences of positions over the step have an error of this
// many units in the last place of the positions.
static const double place_roundings = 10.0;

typedef struct onestep {
  rl_study *study;
  const rl_scenario *scenario;
  rl_schedule *schedules; // [step_count] longest step first
  size_t step_count;
  rl_solver_spec reference;
  rl_solver_spec *solvers; // [step_count x solver_count] those of the study, labelled by their step
  uint64_t at[RL_LIST_MAX]; // of the current step size, like the origins
  size_t at_count;
  rl_origin origins[RL_LIST_MAX];
  const double *iterations;
  size_t iteration_count;
  rl_onestep_outcome *outcomes; // [step_count x solver_count]
  const char **lost;            // [step_count] why the reference has no states; NULL: it has
  size_t shared;                // number of step sizes whose states were in the run cache
  rl_distance_norms *floors;    // [step_count] errors below are round-off; rms members only
} onestep;

// Chooses the step sizes to compare: those asked for, or that of the scenario.
static bool choose_steps(onestep *o) {
  const rl_study_definition *d = &o->study->definition;
  const double *values = NULL;
  const size_t count = d->values.count > 0 ? rl_study_numbers(o->study, d->values, &values) : 1;
  o->schedules = rl_study_allocate(o->study, count, sizeof *o->schedules);
  if (count == 0 || !o->schedules) {
    return false;
  }
  for (; o->step_count < count; o->step_count++) {
    const rl_run_options options = {.step = values ? values[count - 1 - o->step_count] : d->step,
                                    .duration = d->duration,
                                    .every = NAN};
    if (!rl_study_schedule(d, o->scenario, &options, &o->schedules[o->step_count])) {
      return false;
    }
  }
  return true;
}

// Chooses the steps before which states are taken: those nearest to the given times, each once.
static bool choose_origins(onestep *o, const rl_schedule *schedule) {
  const rl_words asked = o->study->definition.at;
  const double *times = NULL;
  const uint64_t steps = schedule->steps;
  size_t count = DEFAULT_ORIGINS;
  if (asked.count > 0 && (count = rl_study_numbers(o->study, asked, &times)) == 0) {
    return false;
  }
  o->at_count = 0;
  for (size_t i = 0; i < count; i++) {
    const double share = (double)(i + 1) / (DEFAULT_ORIGINS + 1);
    const double step = times ? round(times[i] / schedule->dt) : floor((double)steps * share);
    if (!(step < (double)steps)) {
      return rl_study_refuse(&o->study->definition, "at", rl_study_number_item(asked, times[i]),
                             "%g: expected a time from 0 to %g s, a step before the end", times[i],
                             (double)(steps - 1) * schedule->dt);
    }
    if (o->at_count == 0 || (uint64_t)step > o->at[o->at_count - 1]) {
      o->at[o->at_count++] = (uint64_t)step;
    }
  }
  return true;
}

// Returns the number of reference substeps in a step.
static uint64_t substeps_of(const onestep *o, const rl_schedule *schedule) {
  const double asked = o->study->definition.reference.step;
  const double wanted = o->reference.type->is_adaptive ? 1.0 : DEFAULT_SUBSTEPS;
  const double substeps = isnan(asked) ? wanted : round(schedule->dt / asked);
  return (uint64_t)fmax(1.0, fmin(substeps, SUBSTEPS_MAX));
}

// Checks that the reference does not need too many steps to reach the last state.
static bool check_walk(const onestep *o, const rl_schedule *schedule) {
  const rl_study_definition *d = &o->study->definition;
  const double steps = (double)(o->at[o->at_count - 1] + 1) * (double)substeps_of(o, schedule);
  if (steps <= walk_max) {
    return true;
  }
  const bool of_values = d->values.count > 0;
  return rl_study_refuse(d, of_values ? "values" : "step",
                         of_values ? rl_study_number_item(d->values, schedule->dt) : 0,
                         "%g s: the reference would take %g steps to the last state; expected at "
                         "most %g: longer steps, or states nearer to the start ('at')",
                         schedule->dt, steps, walk_max);
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

// Describes the study for run.json; the times are those of the longest step.
static json_t *describe(const onestep *o) {
  json_t *times = json_array(), *iterations = json_array(), *steps = json_array();
  for (size_t i = 0; i < o->at_count; i++) {
    json_array_append_new(times, json_real((double)o->at[i] * o->schedules[0].dt));
  }
  for (size_t i = 0; i < o->iteration_count; i++) {
    json_array_append_new(iterations, json_integer((json_int_t)o->iterations[i]));
  }
  for (size_t i = 0; i < o->step_count; i++) {
    json_array_append_new(steps, json_real(o->schedules[i].dt));
  }
  return json_pack("{s:s, s:f, s:o, s:o, s:o}", "reference", o->reference.text, "reference_step_s",
                   o->schedules[0].dt / (double)substeps_of(o, &o->schedules[0]), "times_s", times,
                   "iterations", iterations, "steps_s", steps);
}

// Summarises a solver with one step size.
static void summarise(const onestep *o, size_t index, rl_outcome *outcome) {
  const rl_study_definition *d = &o->study->definition;
  const rl_onestep_outcome *found = &o->outcomes[index];
  const rl_solver_spec *solver = &o->solvers[index];
  const char *lost = o->lost[index / d->solver_count];
  const uint32_t missing = rl_driver_missing(o->scenario->model, solver->type);
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
                          .seconds = found->seconds,
                          .schedule = &o->schedules[index / d->solver_count]};
  for (size_t i = 0; i < outcome->entry_count; i++) {
    outcome->entries[i] =
        (rl_named_number){entries[i].name, found->reason ? entries[i].value : NAN};
  }
  if (missing) {
    rl_outcome_unsupported(outcome, missing);
  } else if (found->reason) {
    snprintf(outcome->reason, sizeof outcome->reason, "%s", found->reason);
  } else {
    rl_outcome_ended(outcome, strcmp(found->status, "timeout") == 0, d->time_limit);
    if (lost) {
      snprintf(outcome->reason, sizeof outcome->reason, "%s", lost);
    }
  }
}

static bool write_outcomes(onestep *o) {
  const size_t count = o->step_count * o->study->definition.solver_count;
  rl_outcome *outcomes = rl_study_allocate(o->study, count, sizeof *outcomes);
  if (!outcomes || !choose_origins(o, &o->schedules[0])) {
    return false;
  }
  json_t *described = describe(o);
  const rl_outcome_facts facts = {.folder = o->study->folder,
                                  .scenario = o->scenario,
                                  .command = o->study->command,
                                  .kind = "onestep",
                                  .described = described};
  for (size_t i = 0; i < count; i++) {
    summarise(o, i, &outcomes[i]);
  }
  const bool written = rl_outcomes_write(&facts, outcomes, count, o->study->timed);
  json_decref(described);
  return written;
}

// Returns the floors of the errors with a step: round-off of the compared numbers, for velocities
// also of positions divided by the step, and the uncertainty of the reference.
static rl_distance_norms floors_of(const onestep *o, double step) {
  const rl_model *model = o->scenario->model;
  double place = 0.0, speed = 0.0, tension = 0.0, mass = 0.0;
  rl_distance_norms sure = {0}; // mean squares
  for (size_t i = 0; i < o->at_count; i++) {
    const rl_state *end = o->origins[i].end;
    for (uint32_t k = 0; k < model->place_count; k++) {
      if (rl_place_moves(model, k)) {
        place = rl_larger(place, rl_length(rl_position(&end->points[k])));
        speed = rl_larger(speed, rl_length(end->velocities[k]));
        mass = rl_larger(mass, end->masses[k]);
      }
    }
    for (uint32_t k = 0; k < model->link_count; k++) {
      tension = rl_larger(tension, fabs(end->multipliers[k]));
    }
    const rl_distance_norms *u = &o->origins[i].uncertainty;
    sure.position_rms += u->position_rms * u->position_rms / (double)o->at_count;
    sure.velocity_rms += u->velocity_rms * u->velocity_rms / (double)o->at_count;
    sure.tension_rms += u->tension_rms * u->tension_rms / (double)o->at_count;
  }
  const double way = place_roundings * DBL_EPSILON * place;
  return (rl_distance_norms){
      .position_rms = fmax(rl_rounding(place), sqrt(sure.position_rms)),
      .velocity_rms = fmax(fmax(rl_rounding(speed), way / step), sqrt(sure.velocity_rms)),
      .tension_rms =
          fmax(fmax(rl_rounding(tension), mass * way / (step * step)), sqrt(sure.tension_rms))};
}

// A quantity that is compared: offsets of its norms in rl_distance_norms.
typedef struct quantity {
  const char *name;
  size_t rms, max;
} quantity;

#define NORM(member) offsetof(rl_distance_norms, member)

static const quantity quantities[] = {{"positions", NORM(position_rms), NORM(position_max)},
                                      {"velocities", NORM(velocity_rms), NORM(velocity_max)},
                                      {"tensions", NORM(tension_rms), NORM(tension_max)}};

#undef NORM

static double norm_at(const rl_distance_norms *norms, size_t offset) {
  double value;
  memcpy(&value, (const char *)norms + offset, sizeof value);
  return value;
}

// Fits the order of a solver's error, with the most iterations, over the step size.
static void add_order(const onestep *o, size_t solver, const quantity *q, rl_fit_point *points,
                      rl_order_point *rows, rl_order_tables *tables) {
  const rl_study_definition *d = &o->study->definition;
  const rl_fit_rule rule = rl_fit_rule_of(RL_LAW_POWER);
  for (size_t i = 0; i < o->step_count; i++) {
    const size_t index = i * d->solver_count + solver;
    const rl_onestep_outcome *found = &o->outcomes[index];
    const bool good = found->status && strcmp(found->status, "done") == 0;
    const double step = o->schedules[i].dt, rms = norm_at(&found->error, q->rms);
    const double floor = norm_at(&o->floors[i], q->rms);
    points[i] = (rl_fit_point){step, good ? rms : NAN, floor, step};
    rows[i] = (rl_order_point){
        .run = o->solvers[index].label,
        .status = found->status ? found->status : "unsupported",
        .value = step,
        .norms = {good ? norm_at(&found->error, q->max) : NAN, good ? rms : NAN, NAN, o->at_count},
        .floor = floor};
  }
  const rl_order_fit fit = rl_fit_order(&rule, points, o->step_count);
  const rl_order_curve curve = {.scenario = o->scenario->name,
                                .solver = d->solvers[solver].type->name,
                                .label = d->solvers[solver].label,
                                .over = "step",
                                .quantity = q->name,
                                .norm = "l2",
                                .rule = &rule,
                                .points = rows,
                                .count = o->step_count,
                                .fit = &fit};
  rl_order_tables_add(tables, &curve);
  if (rows[0].status && strcmp(rows[0].status, "unsupported") != 0) {
    rl_order_print(&curve);
    putchar('\n');
  }
}

// Writes the tables of orders if there are several step sizes.
static bool write_orders(const onestep *o) {
  rl_fit_point *points = rl_study_allocate(o->study, o->step_count, sizeof *points);
  rl_order_point *rows = rl_study_allocate(o->study, o->step_count, sizeof *rows);
  rl_order_tables tables = {0};
  if (o->step_count < 2) {
    return true;
  }
  const bool good = points && rows && rl_order_tables_open(&tables, o->study->folder);
  for (size_t q = 0; good && q < sizeof quantities / sizeof quantities[0]; q++) {
    for (size_t i = 0; i < o->study->definition.solver_count; i++) {
      add_order(o, i, &quantities[q], points, rows, &tables);
    }
  }
  return rl_order_tables_close(&tables, good);
}

// Makes the states for one step size, and the floors. If the reference does not get there, the
// solvers have outcomes that say so.
static int find_states(onestep *o, size_t index) {
  const rl_study_definition *d = &o->study->definition;
  const rl_schedule *schedule = &o->schedules[index];
  char why[RL_WHY_MAX] = "out of memory";
  bool shared = false;
  int status = RL_EXIT_FAILED;
  memset(o->origins, 0, sizeof o->origins);
  if (choose_origins(o, schedule)) {
    const rl_walk walk = {.scenario = o->scenario,
                          .reference = &o->reference,
                          .step = schedule->dt,
                          .substeps = substeps_of(o, schedule),
                          .at = o->at,
                          .count = o->at_count,
                          .limit = d->time_limit};
    status = rl_origins_share(o->study->cache, &walk, o->origins, &shared, why);
  }
  o->shared += shared ? 1 : 0;
  if (status == RL_EXIT_DONE) {
    o->floors[index] = floors_of(o, schedule->dt);
    return status;
  }
  o->lost[index] = rl_study_text(o->study, "%s", why);
  for (size_t i = 0; i < d->solver_count; i++) {
    const bool able = rl_driver_missing(o->scenario->model, d->solvers[i].type) == 0;
    o->outcomes[index * d->solver_count + i] =
        (rl_onestep_outcome){.status = able ? "failed" : NULL, .seconds = NAN};
  }
  return rl_reference_print_failure(o->scenario, status, why);
}

// Makes all steps of one size and writes them to onestep.csv.
static int take_steps(onestep *o, size_t index, rl_lines *table) {
  const rl_study_definition *d = &o->study->definition;
  const rl_onestep study = {.scenario = o->scenario,
                            .solvers = d->solvers,
                            .solver_count = d->solver_count,
                            .reference = &o->reference,
                            .step = o->schedules[index].dt,
                            .from = o->origins,
                            .from_count = o->at_count,
                            .iterations = o->iterations,
                            .iteration_count = o->iteration_count,
                            .jobs = o->study->jobs,
                            .limit = d->time_limit};
  const int status = rl_onestep_run(&study, table, &o->outcomes[index * d->solver_count]);
  return status == RL_EXIT_FAILED ? rl_study_print_unwritten(o->study) : status;
}

// Compares all step sizes. A size without reference states does not stop the others, but fails if
// there is no other.
static int compare_steps(onestep *o, rl_lines *table) {
  int status = RL_EXIT_DONE, loss = RL_EXIT_DONE;
  size_t lost = 0;
  for (size_t i = 0; i < o->step_count && status == RL_EXIT_DONE; i++) {
    const int found = find_states(o, i);
    if (found == RL_EXIT_DONE) {
      status = take_steps(o, i, table);
    } else if (found == RL_EXIT_INTERRUPTED) {
      status = found;
    } else {
      loss = found;
      lost++;
    }
    rl_origins_free(o->origins, o->at_count);
  }
  return lost == o->step_count ? loss : status;
}

static int gather(rl_study *study) {
  onestep *o = study->plan;
  char path[RL_PATH_MAX];
  rl_lines table;
  if (!rl_path_join(path, study->folder, "onestep.csv") || !rl_lines_open(&table, path)) {
    return rl_study_print_unwritten(study);
  }
  rl_onestep_write_header(&table);
  const int status = compare_steps(o, &table);
  if (!rl_lines_close(&table)) {
    return rl_study_print_unwritten(study);
  }
  if (o->shared > 0) {
    rl_study_print_shared(study, o->shared, o->step_count);
  }
  const bool good = status != RL_EXIT_DONE || (write_outcomes(o) && write_orders(o));
  return good ? status : rl_study_print_unwritten(study);
}

// Sets the largest number of iterations that was asked for, which the summary is about.
static void set_iterations(const onestep *o, rl_solver_spec *own) {
  const int index = rl_parameter_find(own->type, "iterations");
  for (size_t i = 0; index >= 0 && i < o->iteration_count; i++) {
    if (rl_parameter_takes(&own->type->parameters[index], o->iterations[i])) {
      own->parameters[index] = o->iterations[i];
    }
  }
}

// Labels the solvers for the summary: by their step size, if there are several.
static bool label_solvers(onestep *o) {
  const rl_study_definition *d = &o->study->definition;
  for (size_t i = 0; i < o->step_count * d->solver_count; i++) {
    rl_solver_spec *own = &o->solvers[i];
    *own = d->solvers[i % d->solver_count];
    set_iterations(o, own);
    if (o->step_count > 1 && snprintf(own->label, sizeof own->label, "%s-step=%.6g",
                                      d->solvers[i % d->solver_count].label,
                                      o->schedules[i / d->solver_count].dt) >= RL_LABEL_MAX) {
      return rl_study_refuse(d, "solvers", SIZE_MAX,
                             "the label %s-step=%.6g is too long; expected at most %d characters",
                             d->solvers[i % d->solver_count].label,
                             o->schedules[i / d->solver_count].dt, RL_LABEL_MAX - 1);
    }
  }
  return true;
}

static bool check(const rl_study_definition *d, rl_study_fault *fault) {
  return rl_study_check_alone(d, fault) &&
         rl_study_check_numbers("values", d->values, RL_NUMBER_POSITIVE, fault) &&
         (d->values.count == 0 || isnan(d->step) ||
          rl_study_set_fault(fault, "step", 0,
                             "has no effect: the steps are those of the values")) &&
         rl_study_check_numbers("at", d->at, RL_NUMBER_NOT_NEGATIVE, fault) &&
         rl_study_check_numbers("iterations", d->iterations, RL_NUMBER_WHOLE, fault) &&
         rl_study_check_iterated(d, fault);
}

// Plans the study and finds all mistakes before anything is run.
static int plan(rl_study *study) {
  const rl_study_definition *d = &study->definition;
  onestep *o = rl_study_allocate(study, 1, sizeof *o);
  int status = RL_EXIT_FAILED;
  if (!o) {
    return RL_EXIT_FAILED;
  }
  study->plan = o;
  o->study = study;
  o->scenario = rl_study_scenario(study, d->scenarios.words[0], (rl_changes){0}, &status);
  if (!o->scenario) {
    return status;
  }
  if (!choose_steps(o) || !choose_iterations(o)) {
    return RL_EXIT_USAGE;
  }
  const size_t count = o->step_count * d->solver_count;
  o->solvers = rl_study_allocate(study, count, sizeof *o->solvers);
  o->outcomes = rl_study_allocate(study, count, sizeof *o->outcomes);
  o->floors = rl_study_allocate(study, o->step_count, sizeof *o->floors);
  o->lost = rl_study_allocate(study, o->step_count, sizeof *o->lost);
  if (!o->solvers || !o->outcomes || !o->floors || !o->lost) {
    return RL_EXIT_FAILED;
  }
  if (!rl_reference_choose(o->scenario, d->reference.solver, &o->reference, &status)) {
    return status;
  }
  for (size_t i = 0; i < o->step_count; i++) {
    if (!choose_origins(o, &o->schedules[i]) || !check_walk(o, &o->schedules[i])) {
      return RL_EXIT_USAGE;
    }
  }
  return label_solvers(o) ? RL_EXIT_DONE : RL_EXIT_USAGE;
}

#define AT(member) offsetof(rl_study_definition, member)

static const rl_field fields[] = {
    {"values", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(values), NULL, rl_read_positives},
    {"at", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(at), NULL, rl_read_words},
    {"iterations", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(iterations), NULL, rl_read_words},
    {"reference", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(reference), NULL, rl_read_reference},
};

#undef AT

static const char *const without[] = {"every", "probes", NULL};

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
