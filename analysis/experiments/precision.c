// SPDX-License-Identifier: GPL-3.0-or-later
#include "precision.h"

#include "converge.h"
#include "results/csv.h"
#include "results/manifest.h"
#include "results/table.h"
#include "runs/run.h"
#include "runs/timing.h"
#include "study_fault.h"
#include "study_file.h"
#include "study_numbers.h"
#include "world/driver.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// ---------------------------------------------------------------------------------------------
// The plan: that of a convergence study over the step

static rl_study_definition over_step(const rl_study_definition *definition) {
  rl_study_definition d = *definition;
  d.over = "step";
  return d;
}

static bool check(const rl_study_definition *definition, rl_study_fault *fault) {
  const rl_study_definition d = over_step(definition);
  return rl_study_check_numbers("iterations", d.iterations, RL_NUMBER_WHOLE, fault) &&
         rl_study_check_iterated(&d, fault) && rl_study_converge.check(&d, fault);
}

// Appends a solver with each of the numbers of iterations; one without that parameter as it is.
static bool add_solvers(rl_study *study, const rl_solver_spec *solver, rl_solver_spec *all,
                        size_t *count) {
  const rl_words iterations = study->definition.iterations;
  if (rl_parameter_find(solver->type, "iterations") < 0 || iterations.count == 0) {
    all[(*count)++] = *solver;
    return true;
  }
  for (size_t i = 0; i < iterations.count; i++) {
    const rl_solver_spec *set =
        rl_study_set_parameter(study, solver, "iterations", iterations.words[i], "iterations", i);
    if (!set) {
      return false;
    }
    rl_solver_spec *own = &all[(*count)++];
    *own = *set;
    if (snprintf(own->label, sizeof own->label, "%s-iterations=%s", solver->label,
                 iterations.words[i]) >= RL_LABEL_MAX) {
      return rl_study_refuse(&study->definition, "solvers", SIZE_MAX,
                             "the label %s-iterations=%s is too long; expected at most %d "
                             "characters",
                             solver->label, iterations.words[i], RL_LABEL_MAX - 1);
    }
  }
  return true;
}

static int plan(rl_study *study) {
  rl_study_definition *d = &study->definition;
  const size_t most = d->solver_count * (d->iterations.count > 0 ? d->iterations.count : 1);
  rl_solver_spec *all = rl_study_allocate(study, most, sizeof *all);
  if (!all) {
    return RL_EXIT_FAILED;
  }
  size_t count = 0;
  for (size_t i = 0; i < d->solver_count; i++) {
    if (!add_solvers(study, &d->solvers[i], all, &count)) {
      return RL_EXIT_USAGE;
    }
  }
  *d = over_step(d);
  d->solvers = all;
  d->solver_count = count;
  d->overs = NULL; // the step is varied for all solvers
  return rl_study_converge.plan(study);
}

// ---------------------------------------------------------------------------------------------
// Costs

typedef struct cost {
  char status[32];
  double row_evaluations;
  double seconds;
} cost;

static double real_of(const json_t *object, const char *key) {
  const json_t *value = json_object_get(object, key);
  return json_is_number(value) ? json_number_value(value) : NAN;
}

// Returns the recorded cost of a run; of an unfinished run, extrapolated to all its steps.
static cost recorded_cost(const rl_cell *cell) {
  cost c = {.row_evaluations = NAN, .seconds = NAN};
  char path[RL_PATH_MAX];
  rl_cell_status(cell, c.status, sizeof c.status);
  json_t *manifest =
      rl_path_join(path, cell->folder, "run.json") ? json_load_file(path, 0, NULL) : NULL;
  const json_t *summary = json_object_get(manifest, "summary");
  const double share = real_of(summary, "steps_done") / real_of(manifest, "steps");
  if (share > 0.0) {
    c.row_evaluations = real_of(summary, "row_evals") / share;
    c.seconds = real_of(manifest, "seconds") / share;
  }
  json_decref(manifest);
  return c;
}

// Times one run without recording [s]; nan: it could not be made.
static double time_run(const rl_cell *cell) {
  rl_schedule schedule;
  rl_driver *driver = NULL;
  if (rl_run_plan(cell->scenario, &cell->run, &schedule)) {
    driver = rl_run_driver(cell->scenario, cell->solver, schedule.dt);
  }
  if (!driver) {
    return NAN;
  }
  rl_reason reason = RL_RUNNING;
  const double from = rl_seconds_now();
  for (uint64_t n = 0; n < schedule.steps && reason >= 0 && !rl_run_interrupted(); n++) {
    reason = rl_driver_step(driver);
  }
  const double seconds = rl_seconds_now() - from;
  rl_driver_free(driver);
  return reason >= 0 && !rl_run_interrupted() ? seconds : NAN;
}

// Times all runs alternately, so that a temporary load of the machine affects all of them, and
// keeps the least of the repeats. Returns the share of the machine that others used meanwhile.
static double time_all(const rl_study *study, cost *costs) {
  const rl_load before = rl_load_now();
  for (size_t r = 0; r < RL_PRECISION_REPEATS; r++) {
    for (size_t i = 0; i < study->cell_count && !rl_run_interrupted(); i++) {
      if (strcmp(costs[i].status, "done") == 0) {
        const double seconds = time_run(&study->cells[i]);
        costs[i].seconds = r == 0 ? seconds : fmin(costs[i].seconds, seconds);
      }
    }
    rl_show_done(r + 1, RL_PRECISION_REPEATS, "timings");
  }
  return rl_load_of_others(before, rl_load_now());
}

// ---------------------------------------------------------------------------------------------
// Tables

void rl_pareto_front(const double *errors, const double *costs, size_t count, bool *front) {
  for (size_t i = 0; i < count; i++) {
    front[i] = isfinite(errors[i]) && isfinite(costs[i]);
    for (size_t k = 0; k < count && front[i]; k++) {
      const bool no_worse = errors[k] <= errors[i] && costs[k] <= costs[i];
      const bool better = errors[k] < errors[i] || costs[k] < costs[i];
      front[i] = !(no_worse && (k < i || better));
    }
  }
}

// The points of a quantity on a scenario: one for each solver and step.
typedef struct field {
  const rl_study *study;
  const rl_convergence *c;
  size_t scenario, quantity, count;
  const size_t *cells; // [count] indices of the runs
  double *errors, *evaluations, *seconds;
  bool *cheap, *fast; // on the Pareto front by evaluations, by seconds
} field;

static const char *error_column(rl_norm norm) {
  return norm == RL_NORM_MAX ? "error_max" : norm == RL_NORM_L2 ? "error_l2" : "error_end";
}

// Collects the points of a field from convergence.csv, whose rows are sorted by scenario, solver,
// quantity and value; `row` is the first row of the scenario.
static bool make_field(rl_study *study, const rl_table *errors, size_t row, const cost *costs,
                       field *f) {
  const rl_study_definition *d = &study->definition;
  const size_t values = f->c->value_count;
  const size_t column = rl_table_column(errors, error_column(d->norm));
  f->count = d->solver_count * values;
  f->cells = &f->c->cells[f->scenario * f->count];
  f->errors = rl_study_allocate(study, f->count, sizeof *f->errors);
  f->evaluations = rl_study_allocate(study, f->count, sizeof *f->evaluations);
  f->seconds = rl_study_allocate(study, f->count, sizeof *f->seconds);
  f->cheap = rl_study_allocate(study, f->count, sizeof *f->cheap);
  f->fast = rl_study_allocate(study, f->count, sizeof *f->fast);
  const size_t last = row + d->solver_count * f->c->quantity_count * values;
  if (!f->errors || !f->evaluations || !f->seconds || !f->cheap || !f->fast ||
      column == errors->column_count || last > errors->row_count) {
    errno = EINVAL;
    return false;
  }
  for (size_t i = 0; i < f->count; i++) {
    const size_t solver = i / values, value = i % values;
    const size_t at = row + (solver * f->c->quantity_count + f->quantity) * values + value;
    const cost *c = &costs[f->cells[i]];
    f->errors[i] = errors->values[at * errors->column_count + column];
    f->evaluations[i] = c->row_evaluations;
    f->seconds[i] = c->seconds;
  }
  rl_pareto_front(f->errors, f->evaluations, f->count, f->cheap);
  rl_pareto_front(f->errors, f->seconds, f->count, f->fast);
  return true;
}

// Returns the length of the user's label, which is common to all numbers of iterations.
static int family_length(const rl_study_definition *d, const rl_solver_spec *solver) {
  const char *end = NULL;
  for (const char *at = solver->label; d->iterations.count > 0 && at; end = at ? at : end) {
    at = strstr(at == solver->label ? at : at + 1, "-iterations=");
  }
  return end ? (int)(end - solver->label) : (int)strlen(solver->label);
}

static void write_field(FILE *out, const field *f, const cost *costs) {
  const rl_study_definition *d = &f->study->definition;
  for (size_t i = 0; i < f->count; i++) {
    const rl_cell *cell = &f->study->cells[f->cells[i]];
    const rl_solver_spec *solver = &d->solvers[i / f->c->value_count];
    const int index = rl_parameter_find(solver->type, "iterations");
    rl_csv_text(out, cell->name);
    fprintf(out, ",%s,", solver->type->name);
    rl_csv_text(out, f->c->quantities[f->scenario * f->c->quantity_count + f->quantity].text);
    fprintf(out, ",%.*s,%s,%s", family_length(d, solver), solver->label, solver->label,
            cell->solver->label);
    rl_csv_number(out, f->c->values[i % f->c->value_count]);
    rl_csv_number(out, index >= 0 ? solver->parameters[index] : NAN);
    fprintf(out, ",%s,%s", costs[f->cells[i]].status, rl_norm_names[d->norm]);
    rl_csv_number(out, f->errors[i]);
    rl_csv_number(out, f->evaluations[i]);
    rl_csv_number(out, f->seconds[i]);
    fprintf(out, ",%d,%d\n", f->cheap[i], f->fast[i]);
  }
}

static void print_front(const field *f, const char *cost_name, const bool *front) {
  printf("%s, %s: best for their %s:", f->study->cells[f->cells[0]].name,
         f->c->quantities[f->scenario * f->c->quantity_count + f->quantity].text, cost_name);
  for (size_t i = 0; i < f->count; i++) {
    if (front[i]) {
      printf(" %s", f->study->cells[f->cells[i]].solver->label);
    }
  }
  putchar('\n');
}

static bool write_points(rl_study *study, const rl_table *errors, const cost *costs, FILE *out) {
  const rl_study_definition *d = &study->definition;
  const rl_convergence *c = study->plan;
  size_t row = 0;
  for (size_t s = 0; s < d->scenarios.count; s++) {
    const bool supported = c->quantities[s * c->quantity_count].text != NULL;
    for (size_t q = 0; supported && q < c->quantity_count; q++) {
      field f = {.study = study, .c = c, .scenario = s, .quantity = q};
      if (!make_field(study, errors, row, costs, &f)) {
        return false;
      }
      write_field(out, &f, costs);
      print_front(&f, "row evaluations", f.cheap);
      print_front(&f, "time", f.fast);
    }
    row += supported ? d->solver_count * c->quantity_count * c->value_count : 0;
  }
  return true;
}

static void write_comments(FILE *out, double others) {
  fprintf(out, "# ropelab work and precision, format 1: a row a run and quantity\n");
  fprintf(out, "# seconds: least of %d repeats in turn with nothing recorded, on %ld cores; ",
          RL_PRECISION_REPEATS, sysconf(_SC_NPROCESSORS_ONLN));
  if (isnan(others)) {
    fputs("what else they did is not known\n", out);
  } else {
    fprintf(out, "others used %.3g %% of them: %s\n", 100.0 * others,
            others <= rl_idle_share ? "idle" : "not idle");
  }
  fputs("scenario,solver,quantity,family,label,run,step,iterations,status,norm,error,row_evals,"
        "seconds,"
        "pareto_row_evals,pareto_seconds\n",
        out);
}

static bool write_table(rl_study *study, const cost *costs, double others) {
  char path[RL_PATH_MAX];
  rl_table errors;
  rl_new_file file;
  if (!rl_path_join(path, study->folder, "convergence.csv") || !rl_table_read(path, &errors)) {
    return false;
  }
  bool good = rl_path_join(path, study->folder, "precision.csv") && rl_new_file_open(&file, path);
  if (good) {
    write_comments(file.out, others);
    good = write_points(study, &errors, costs, file.out);
    if (good) {
      good = rl_new_file_close(&file);
    } else {
      rl_new_file_discard(&file);
    }
  }
  rl_table_free(&errors);
  return good;
}

static int gather(rl_study *study) {
  const int status = rl_study_converge.gather(study);
  cost *costs = rl_study_allocate(study, study->cell_count, sizeof *costs);
  if (status != RL_EXIT_DONE || !costs) {
    return status != RL_EXIT_DONE ? status : RL_EXIT_FAILED;
  }
  for (size_t i = 0; i < study->cell_count; i++) {
    costs[i] = recorded_cost(&study->cells[i]);
  }
  const double others = time_all(study, costs);
  if (rl_run_interrupted()) {
    return RL_EXIT_INTERRUPTED;
  }
  return write_table(study, costs, others) ? RL_EXIT_DONE : rl_study_print_unwritten(study);
}

#define AT(member) offsetof(rl_study_definition, member)

static const rl_field fields[] = {
    {"values", RL_FIELD_OTHER, true, RL_ANY, NULL, AT(values), NULL, rl_read_positives},
    {"iterations", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(iterations), NULL, rl_read_positives},
    {"quantity", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(quantities), NULL, rl_read_words},
    {"norm", RL_FIELD_CHOICE, false, RL_ANY, NULL, AT(norm), rl_norm_names, NULL},
    {"reference", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(reference), NULL, rl_read_reference},
};

#undef AT

static const char *const without[] = {"step", NULL};

const rl_study_kind rl_study_precision = {
    .name = "precision",
    .summary = "error against work, counted and on the clock, over a range of steps",
    .fields = fields,
    .field_count = sizeof fields / sizeof fields[0],
    .without = without,
    .check = check,
    .plan = plan,
    .gather = gather,
};
