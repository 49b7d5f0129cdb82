// SPDX-License-Identifier: GPL-3.0-or-later
#include "onestep.h"

#include "csv.h"
#include "options.h"
#include "timing.h"
#include "world/driver.h"

#include <errno.h>
#include <stdlib.h>

const double rl_onestep_settled_factor = 2.0;

static const char *const distance_columns[] = {"position_rms_m",   "position_max_m",
                                               "velocity_rms_m_s", "velocity_max_m_s",
                                               "tension_rms_N",    "tension_max_N"};

enum { DISTANCES = sizeof distance_columns / sizeof distance_columns[0] };

// Root mean squares and maxima of many steps, as they come.
typedef struct sums {
  size_t count;
  rl_distance_norms squares; // of the means; maxima as they are
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

void rl_onestep_write_header(FILE *out) {
  fputs("# ropelab single steps from equal states, format 1: distances from the reference a step "
        "later\nlabel,solver,time_s,asked,status,iterations,row_evals,residual_m",
        out);
  for (size_t i = 0; i < DISTANCES; i++) {
    fprintf(out, ",%s", distance_columns[i]);
  }
  fputs(",settled_rms_m,step_s\n", out);
}

// A step as a row of the table.
typedef struct row {
  const char *label, *solver, *status;
  double time, asked; // iterations asked for
  const rl_step_info *info;
  rl_distance_norms error;
  double settled; // distance from the same step with the most iterations [m]
  double step;    // [s]
} row;

static void write_row(FILE *out, const row *r) {
  rl_csv_text(out, r->label);
  fprintf(out, ",%s", r->solver);
  rl_csv_number(out, r->time);
  rl_csv_number(out, r->asked);
  fprintf(out, ",%s", r->status);
  rl_csv_number(out, r->info ? (double)r->info->iterations : NAN);
  rl_csv_number(out, r->info ? (double)r->info->row_evaluations : NAN);
  rl_csv_number(out, r->info ? r->info->residual : NAN);
  const rl_distance_norms *e = &r->error;
  const double distances[DISTANCES] = {e->position_rms, e->position_max, e->velocity_rms,
                                       e->velocity_max, e->tension_rms,  e->tension_max};
  for (size_t i = 0; i < DISTANCES; i++) {
    rl_csv_number(out, distances[i]);
  }
  rl_csv_number(out, r->settled);
  rl_csv_number(out, r->step);
  fputc('\n', out);
}

// A solver at work: from every origin, with the most iterations first, which leaves its ends.
typedef struct attempt {
  const rl_onestep *study;
  const rl_solver_spec *solver;
  rl_state **ends; // [from_count]
  FILE *table;
  bool is_first;
} attempt;

// One step from every origin. The worst reason of the steps.
static rl_reason take_steps(const attempt *t, double asked, rl_driver *driver, sums *s,
                            double *seconds) {
  const rl_model *model = t->study->scenario->model;
  rl_reason worst = RL_CONVERGED_TOLERANCE;
  for (size_t i = 0; i < t->study->from_count && !rl_run_interrupted(); i++) {
    const rl_origin *from = &t->study->from[i];
    rl_driver_set_state(driver, from->start);
    driver->info.want_residual = true;
    const double start = rl_seconds_now();
    const rl_reason reason = rl_driver_step(driver);
    *seconds += rl_seconds_now() - start;
    if (reason == RL_RUNNING) { // interrupted
      break;
    }
    if (t->is_first) {
      rl_state_copy(t->ends[i], driver->state);
    }
    const row r = {
        .label = t->solver->label,
        .solver = t->solver->type->name,
        .status = reason < 0 ? "diverged" : "done",
        .time = from->start->time,
        .asked = asked,
        .info = &driver->info,
        .error = rl_state_distance(model, driver->state, from->end),
        .settled =
            t->is_first ? NAN : rl_state_distance(model, driver->state, t->ends[i]).position_rms,
        .step = t->study->step};
    write_row(t->table, &r);
    add(s, &r.error, &driver->info);
    const bool is_worse = reason < 0 ? reason < worst : worst > 0 && reason > worst;
    worst = is_worse ? reason : worst;
  }
  return worst;
}

// A solver with one of the numbers of iterations; nan: it has no such parameter. RL_RUNNING: out of
// memory.
static rl_reason try_iterations(const attempt *t, double asked, rl_onestep_outcome *outcome) {
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

// All numbers of iterations that the solver takes, from the most to the fewest, or the one step of
// a solver without.
static int run_solver(attempt *t, rl_onestep_outcome *outcome) {
  const rl_onestep *study = t->study;
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

static void write_uncertainty(const rl_onestep *study, FILE *table) {
  for (size_t i = 0; i < study->from_count; i++) {
    const row r = {.label = "reference",
                   .solver = study->reference->type->name,
                   .status = "uncertainty",
                   .time = study->from[i].start->time,
                   .asked = NAN,
                   .error = study->from[i].uncertainty,
                   .settled = NAN,
                   .step = study->step};
    write_row(table, &r);
  }
}

static int run_all(const rl_onestep *study, rl_state **ends, FILE *table,
                   rl_onestep_outcome *outcomes) {
  int status = RL_EXIT_DONE;
  for (size_t i = 0; i < study->solver_count && status == RL_EXIT_DONE; i++) {
    const rl_solver_spec *solver = &study->solvers[i];
    const uint32_t missing = rl_driver_missing(study->scenario->model, solver->type);
    outcomes[i] = (rl_onestep_outcome){.iterations_settled = NAN};
    attempt t = {.study = study, .solver = solver, .ends = ends, .table = table};
    if (missing == 0) {
      status = run_solver(&t, &outcomes[i]);
    }
    if (ferror(table)) {
      return RL_EXIT_FAILED;
    }
  }
  return rl_run_interrupted() ? RL_EXIT_INTERRUPTED : status;
}

int rl_onestep_run(const rl_onestep *study, FILE *table, rl_onestep_outcome *outcomes) {
  rl_state **ends = calloc(study->from_count + 1, sizeof *ends);
  bool good = ends != NULL;
  for (size_t i = 0; i < study->from_count && good; i++) {
    ends[i] = rl_state_create(study->scenario->model);
    good = ends[i] != NULL;
  }
  int status = RL_EXIT_FAILED;
  if (good) {
    write_uncertainty(study, table);
    status = run_all(study, ends, table, outcomes);
  } else {
    errno = ENOMEM;
  }
  for (size_t i = 0; ends && i < study->from_count; i++) {
    rl_state_free(ends[i]);
  }
  free(ends);
  return status;
}
