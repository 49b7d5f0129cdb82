// SPDX-License-Identifier: GPL-3.0-or-later
#include "onestep.h"

#include "options.h"
#include "results/csv.h"
#include "runs/pool.h"
#include "runs/timing.h"
#include "world/driver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

const double rl_onestep_settled_factor = 2.0;

static const char *const distance_columns[] = {"position_rms_m",   "position_max_m",
                                               "velocity_rms_m_s", "velocity_max_m_s",
                                               "tension_rms_N",    "tension_max_N"};

enum { DISTANCES = sizeof distance_columns / sizeof distance_columns[0] };

// Accumulates root mean squares and maxima over many steps.
typedef struct sums {
  size_t count;
  rl_distance_norms squares; // rms: sums of squares; max: maxima
  double residual, iterations, row_evaluations;
} sums;

static void add(sums *s, const rl_distance_norms *error, const rl_step_info *info) {
  rl_distance_norms *q = &s->squares;
  s->count++;
  q->position_rms += error->position_rms * error->position_rms;
  q->velocity_rms += error->velocity_rms * error->velocity_rms;
  q->tension_rms += error->tension_rms * error->tension_rms;
  q->position_max = rl_larger(q->position_max, error->position_max);
  q->velocity_max = rl_larger(q->velocity_max, error->velocity_max);
  q->tension_max = rl_larger(q->tension_max, error->tension_max);
  s->residual = rl_larger(s->residual, info->residual);
  s->iterations += (double)info->iterations;
  s->row_evaluations += (double)info->row_evaluations;
}

static rl_distance_norms total(const sums *s) {
  const double n = (double)s->count;
  rl_distance_norms e = s->squares;
  e.position_rms = sqrt(e.position_rms / n);
  e.velocity_rms = sqrt(e.velocity_rms / n);
  e.tension_rms = sqrt(e.tension_rms / n);
  return e;
}

void rl_onestep_write_header(rl_lines *table) {
  FILE *out = table->out;
  fputs("# ropelab single steps from equal states, format 1: distances from the reference a step "
        "later\nlabel,solver,time_s,asked,status,iterations,row_evals,residual_m",
        out);
  for (size_t i = 0; i < DISTANCES; i++) {
    fprintf(out, ",%s", distance_columns[i]);
  }
  fputs(",settled_rms_m,step_s", out);
  rl_lines_end(table);
}

// A row of the table, for one step.
typedef struct row {
  const char *label, *solver, *status;
  double time, asked; // start of the step [s]; number of iterations asked for
  double iterations, row_evaluations, residual;
  rl_distance_norms error;
  double settled; // rms distance from the same step with the most iterations [m]
  double step;    // [s]
} row;

static void write_row(rl_lines *table, const row *r) {
  FILE *out = table->out;
  rl_csv_text(out, r->label);
  fprintf(out, ",%s", r->solver);
  rl_csv_number(out, r->time);
  rl_csv_number(out, r->asked);
  fprintf(out, ",%s", r->status);
  rl_csv_number(out, r->iterations);
  rl_csv_number(out, r->row_evaluations);
  rl_csv_number(out, r->residual);
  const rl_distance_norms *e = &r->error;
  const double distances[DISTANCES] = {e->position_rms, e->position_max, e->velocity_rms,
                                       e->velocity_max, e->tension_rms,  e->tension_max};
  for (size_t i = 0; i < DISTANCES; i++) {
    rl_csv_number(out, distances[i]);
  }
  rl_csv_number(out, r->settled);
  rl_csv_number(out, r->step);
  rl_lines_end(table);
}

// The results of a solver, in memory that its process shares.
typedef struct result {
  rl_onestep_outcome outcome;
  size_t row_count;
} result;

// The steps of one solver; those with the most iterations come first and leave their ends.
typedef struct attempt {
  const rl_onestep *study;
  const rl_solver_spec *solver;
  rl_state **ends; // [from_count]
  row *rows;       // in the order of the steps
  result *result;
  bool is_first;
} attempt;

// Makes one step from every origin; returns the worst reason of the steps.
static rl_reason take_steps(attempt *t, double asked, rl_driver *driver, sums *s, double *seconds) {
  const rl_model *model = t->study->scenario->model;
  rl_reason worst = RL_CONVERGED_TOLERANCE;
  for (size_t i = 0; i < t->study->from_count && !rl_run_interrupted(); i++) {
    const rl_origin *from = &t->study->from[i];
    rl_driver_set_state(driver, from->start);
    driver->info.want_residual = true;
    const double start = rl_seconds_now();
    const rl_reason reason = rl_driver_step(driver);
    *seconds += rl_seconds_now() - start;
    if (reason == RL_RUNNING) { // by a signal
      break;
    }
    if (t->is_first) {
      rl_state_copy(t->ends[i], driver->state);
    }
    row *r = &t->rows[t->result->row_count++];
    *r = (row){.label = t->solver->label,
               .solver = t->solver->type->name,
               .status = reason < 0 ? "diverged" : "done",
               .time = from->start->time,
               .asked = asked,
               .iterations = (double)driver->info.iterations,
               .row_evaluations = (double)driver->info.row_evaluations,
               .residual = driver->info.residual,
               .error = rl_state_distance(model, driver->state, from->end),
               .settled = t->is_first
                              ? NAN
                              : rl_state_distance(model, driver->state, t->ends[i]).position_rms,
               .step = t->study->step};
    add(s, &r->error, &driver->info);
    const bool is_worse = reason < 0 ? reason < worst : worst > 0 && reason > worst;
    worst = is_worse ? reason : worst;
  }
  return worst;
}

// Runs a solver with a number of iterations; nan: it has no such parameter. Returns RL_RUNNING when
// out of memory.
static rl_reason try_iterations(attempt *t, double asked, rl_onestep_outcome *outcome) {
  rl_solver_spec changed = *t->solver;
  if (!isnan(asked)) {
    changed.parameters[rl_parameter_find(changed.type, "iterations")] = asked;
  }
  rl_driver *driver = rl_run_driver(t->study->scenario, &changed, t->study->step);
  if (!driver) {
    errno = ENOMEM;
    return RL_RUNNING;
  }
  sums s = {0};
  const rl_reason reason = take_steps(t, asked, driver, &s, &outcome->seconds);
  rl_driver_free(driver);
  const double n = (double)s.count;
  outcome->error = total(&s);
  outcome->residual = s.residual;
  outcome->iterations = s.iterations / n;
  outcome->row_evaluations = s.row_evaluations / n;
  return reason;
}

// Runs a solver with all numbers of iterations that it accepts, from the most to the fewest.
static int run_solver(attempt *t) {
  const rl_onestep *study = t->study;
  rl_onestep_outcome *outcome = &t->result->outcome;
  const int index = rl_parameter_find(t->solver->type, "iterations");
  const rl_parameter *p = index >= 0 ? &t->solver->type->parameters[index] : NULL;
  t->is_first = true;
  bool is_settled = true;
  for (size_t i = p ? study->iteration_count : 1; i-- > 0 && !rl_run_interrupted();) {
    const double asked = p ? study->iterations[i] : NAN;
    if (p && !rl_parameter_takes(p, asked)) {
      continue;
    }
    rl_onestep_outcome now = {.seconds = 0.0};
    const rl_reason reason = try_iterations(t, asked, &now);
    if (reason == RL_RUNNING) {
      return RL_EXIT_FAILED;
    }
    if (t->is_first) {
      *outcome = now;
      outcome->status = reason < 0 ? "diverged" : "done";
      outcome->reason = rl_reason_name(reason);
      t->is_first = false;
    } else {
      outcome->seconds += now.seconds;
    }
    is_settled = is_settled &&
                 now.error.position_rms <= rl_onestep_settled_factor * outcome->error.position_rms;
    outcome->iterations_settled = is_settled ? now.iterations : outcome->iterations_settled;
  }
  return RL_EXIT_DONE;
}

static void write_uncertainty(const rl_onestep *study, rl_lines *table) {
  for (size_t i = 0; i < study->from_count; i++) {
    const row r = {.label = "reference",
                   .solver = study->reference->type->name,
                   .status = "uncertainty",
                   .time = study->from[i].start->time,
                   .asked = NAN,
                   .iterations = NAN,
                   .row_evaluations = NAN,
                   .residual = NAN,
                   .error = study->from[i].uncertainty,
                   .settled = NAN,
                   .step = study->step};
    write_row(table, &r);
  }
}

// ---------------------------------------------------------------------------------------------
// All solvers, each in a process of its own

typedef struct task {
  const rl_onestep *study;
  rl_state **ends;
  size_t *order;   // indices of the solvers, the most expensive first
  result *results; // [solver_count] in shared memory
  row *rows;       // [solver_count x rows_of] in shared memory
} task;

// Returns the largest number of rows of a solver.
static size_t rows_of(const rl_onestep *study) {
  return study->from_count * (study->iteration_count > 0 ? study->iteration_count : 1);
}

static int measure_solver(void *context, size_t turn) {
  const task *t = context;
  const size_t i = t->order[turn];
  const rl_solver_spec *solver = &t->study->solvers[i];
  attempt own = {.study = t->study,
                 .solver = solver,
                 .ends = t->ends,
                 .rows = &t->rows[i * rows_of(t->study)],
                 .result = &t->results[i]};
  if (rl_driver_missing(t->study->scenario->model, solver->type) != 0) {
    return RL_EXIT_DONE;
  }
  rl_limit_time(t->study->limit);
  return run_solver(&own);
}

static void note_end(void *context, size_t turn, int status) {
  const task *t = context;
  if (status != 0) {
    t->results[t->order[turn]] =
        (result){{.status = rl_ended_by_limit(status) ? "timeout" : "failed", .seconds = NAN}, 0};
  }
}

// Estimates the effort of a solver with its largest number of iterations.
static double effort_of(const rl_onestep *study, size_t i) {
  rl_solver_spec spec = study->solvers[i];
  const int index = rl_parameter_find(spec.type, "iterations");
  if (index >= 0 && study->iteration_count > 0) {
    spec.parameters[index] = study->iterations[study->iteration_count - 1];
  }
  return rl_solver_spec_effort(&spec);
}

static int run_all(task *t, rl_lines *table, rl_onestep_outcome *outcomes) {
  const rl_onestep *study = t->study;
  for (size_t i = 0; i < study->solver_count; i++) {
    const rl_solver_type *type = study->solvers[i].type;
    const bool able = rl_driver_missing(study->scenario->model, type) == 0;
    t->results[i].outcome = (rl_onestep_outcome){.status = able ? "failed" : NULL};
  }
  const rl_pool pool = {.count = study->solver_count,
                        .jobs = study->jobs,
                        .noun = "solvers",
                        .context = t,
                        .work = measure_solver,
                        .ended = note_end};
  if (!rl_pool_run(&pool)) {
    return RL_EXIT_FAILED;
  }
  write_uncertainty(study, table);
  for (size_t i = 0; i < study->solver_count; i++) {
    outcomes[i] = t->results[i].outcome;
    for (size_t k = 0; k < t->results[i].row_count; k++) {
      write_row(table, &t->rows[i * rows_of(study) + k]);
    }
  }
  if (table->error != 0) {
    errno = table->error;
    return RL_EXIT_FAILED;
  }
  return rl_run_interrupted() ? RL_EXIT_INTERRUPTED : RL_EXIT_DONE;
}

int rl_onestep_run(const rl_onestep *study, rl_lines *table, rl_onestep_outcome *outcomes) {
  const size_t count = study->solver_count;
  double *efforts = calloc(count + 1, sizeof *efforts);
  task t = {.study = study,
            .ends = calloc(study->from_count + 1, sizeof *t.ends),
            .order = calloc(count + 1, sizeof *t.order),
            .results = rl_shared_create(count, sizeof *t.results),
            .rows = rl_shared_create(count * rows_of(study), sizeof *t.rows)};
  bool good = efforts && t.ends && t.order && t.results && t.rows;
  for (size_t i = 0; i < study->from_count && good; i++) {
    t.ends[i] = rl_state_create(study->scenario->model);
    good = t.ends[i] != NULL;
  }
  int status = RL_EXIT_FAILED;
  if (good) {
    for (size_t i = 0; i < count; i++) {
      efforts[i] = effort_of(study, i);
    }
    rl_longest_first(efforts, count, t.order);
    status = run_all(&t, table, outcomes);
  } else {
    errno = ENOMEM;
  }
  for (size_t i = 0; t.ends && i < study->from_count; i++) {
    rl_state_free(t.ends[i]);
  }
  rl_shared_free(t.rows, count * rows_of(study), sizeof *t.rows);
  rl_shared_free(t.results, count, sizeof *t.results);
  free(t.order);
  free(t.ends);
  free(efforts);
  return status;
}
