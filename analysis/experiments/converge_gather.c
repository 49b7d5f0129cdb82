// SPDX-License-Identifier: GPL-3.0-or-later
// Measures a convergence study: the errors of its runs, and the orders fitted to them.
#include "converge.h"

#include "order_tables.h"
#include "series_error.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { STATUS_MAX = 32 };

// A curve: a quantity for a solver on a scenario.
typedef struct curve {
  const rl_study *study;
  const rl_convergence *c;
  const rl_quantity *quantity;
  size_t scenario, solver;
  rl_table *runs, *references; // [value_count] series; without rows: not complete
  rl_norms *norms;             // [value_count]
  const char **largest;        // [value_count] probe with the largest error; NULL: none
  rl_fit_point *points;        // [value_count]
  bool *capped;                // [value_count] iterations ended at the solver's maximum
  size_t *finer;               // [value_count] for RL_AGAINST_SELF: next finer run; SIZE_MAX: none
  rl_order_fit fit;
} curve;

static size_t index_of(const curve *k, size_t v) {
  return (k->scenario * k->study->definition.solver_count + k->solver) * k->c->value_count + v;
}

static const rl_cell *cell_of(const curve *k, size_t v) {
  return &k->study->cells[k->c->cells[index_of(k, v)]];
}

// Reads the series of a run; without rows if the run is not complete.
static void read_run(const rl_cell *cell, rl_table *table) {
  char status[32], path[RL_PATH_MAX];
  *table = (rl_table){0};
  if (strcmp(rl_cell_status(cell, status, sizeof status), "done") == 0 &&
      rl_path_join(path, cell->folder, "series.csv")) {
    rl_table_read(path, table);
  }
}

static void read_runs(curve *k) {
  for (size_t v = 0; v < k->c->value_count; v++) {
    const size_t reference = k->c->references[index_of(k, v)];
    read_run(cell_of(k, v), &k->runs[v]);
    k->references[v] = (rl_table){0};
    if (reference != SIZE_MAX) {
      read_run(&k->study->cells[reference], &k->references[v]);
    }
  }
}

static double chosen(const curve *k, rl_norms norms) {
  const rl_norm norm = k->study->definition.norm;
  return norm == RL_NORM_MAX ? norms.max : norm == RL_NORM_L2 ? norms.l2 : norms.end;
}

// ---------------------------------------------------------------------------------------------
// Errors

// Returns the names of the columns PROBE.error, which the caller frees.
static char **error_columns(rl_words probes) {
  char **names = calloc(probes.count, sizeof *names);
  for (size_t i = 0; names && i < probes.count; i++) {
    if (asprintf(&names[i], "%s.error", probes.words[i]) < 0) {
      names[i] = NULL;
    }
  }
  return names;
}

// Measures against the closed form; probes that it does not know have only gaps and are left out.
static rl_norms against_exact(const rl_table *run, rl_words probes) {
  char **names = error_columns(probes);
  size_t known = 0;
  for (size_t i = 0; names && i < probes.count; i++) {
    char *name = names[i];
    if (rl_series_size(run, (const char *const *)&name, 1).samples > 0) {
      names[i] = names[known];
      names[known++] = name;
    }
  }
  const rl_norms norms = known > 0 ? rl_series_size(run, (const char *const *)names, known)
                                   : (rl_norms){NAN, NAN, NAN, 0};
  for (size_t i = 0; names && i < probes.count; i++) {
    free(names[i]);
  }
  free(names);
  return norms;
}

// Measures the difference from the next finer run, which extrapolate() turns into an error.
static rl_norms against_finer(curve *k, size_t v, rl_words columns) {
  for (size_t i = v + 1; i < k->c->value_count; i++) {
    if (k->runs[i].row_count > 0) {
      k->finer[v] = i;
      return rl_series_distance(&k->runs[v], &k->runs[i], columns.words, columns.count);
    }
  }
  return (rl_norms){NAN, NAN, NAN, 0};
}

static rl_norms measure(curve *k, size_t v, rl_words columns) {
  if (k->runs[v].row_count == 0) {
    return (rl_norms){NAN, NAN, NAN, 0};
  }
  switch (k->quantity->measure) {
  case RL_AGAINST_EXACT:
    return against_exact(&k->runs[v], columns);
  case RL_AGAINST_SELF:
    return against_finer(k, v, columns);
  case RL_AGAINST_REFERENCE:
    return rl_series_distance(&k->runs[v], &k->references[v], columns.words, columns.count);
  case RL_SIZE:
    break;
  }
  return rl_series_size(&k->runs[v], columns.words, columns.count);
}

// Returns the columns that count: of several probes only lengths, as in `exact_error`, and all
// probes if no length has values.
static rl_words counted_columns(curve *k, size_t v) {
  const rl_words all = k->quantity->columns;
  const rl_words lengths = {all.words, k->quantity->lengths};
  return lengths.count > 0 && measure(k, v, lengths).samples > 0 ? lengths : all;
}

// Returns the column with the largest error, since columns can have different units; NULL: none.
static const char *find_largest(curve *k, size_t v) {
  const rl_words columns = counted_columns(k, v);
  const char *largest = NULL;
  double most = -1.0;
  for (size_t i = 0; i < columns.count; i++) {
    const double error = chosen(k, measure(k, v, (rl_words){&columns.words[i], 1}));
    if (error > most) {
      most = error;
      largest = columns.words[i];
    }
  }
  return largest;
}

// Returns the reference's own error estimate; 0 if it has none.
static double uncertainty_of(const rl_table *reference) {
  static const char *const columns[] = {"error_estimate_m"};
  const double doubt = reference->row_count > 0 ? rl_series_size(reference, columns, 1).max : NAN;
  return doubt > 0.0 ? doubt : 0.0;
}

// Returns the floor of an error: the rounding of the compared numbers (for the energy error, of the
// energies), or the error estimate of the reference.
static double floor_of(curve *k, size_t v) {
  static const char *const energies[] = {"kinetic_J", "gravity_J", "elastic_J",
                                         "bending_J", "work_J",    "dissipated_J"};
  const rl_words columns = counted_columns(k, v);
  if (k->runs[v].row_count == 0) {
    return 0.0;
  }
  if (k->quantity->measure == RL_SIZE) {
    const size_t count = sizeof energies / sizeof *energies;
    return strcmp(k->quantity->text, "energy_error_J") == 0
               ? rl_rounding(rl_series_size(&k->runs[v], energies, count).max)
               : 0.0;
  }
  const double size = rl_series_size(&k->runs[v], columns.words, columns.count).max;
  const double doubt =
      k->quantity->measure == RL_AGAINST_REFERENCE ? uncertainty_of(&k->references[v]) : 0.0;
  return fmax(rl_rounding(size), doubt);
}

// Whether the quantity is the number of iterations and the solver used the most that it may make,
// so that the number it needs is unknown.
static bool is_capped(const curve *k, size_t v) {
  const rl_solver_spec *solver = cell_of(k, v)->solver;
  const int most = rl_parameter_find(solver->type, "iterations");
  return most >= 0 && strcmp(k->quantity->text, "iterations") == 0 &&
         k->norms[v].max >= solver->parameters[most];
}

static void measure_all(curve *k) {
  const size_t count = k->c->value_count;
  const bool to_small = k->c->values[count - 1] < k->c->values[0]; // the last value is the finest
  for (size_t v = 0; v < count; v++) {
    const double value = k->c->values[v];
    k->finer[v] = SIZE_MAX;
    k->norms[v] = measure(k, v, counted_columns(k, v));
    k->capped[v] = is_capped(k, v);
    if (k->capped[v]) {
      k->norms[v] = (rl_norms){NAN, NAN, NAN, k->norms[v].samples};
    }
    k->largest[v] = find_largest(k, v);
    k->points[v] = (rl_fit_point){.value = value,
                                  .error = chosen(k, k->norms[v]),
                                  .floor = floor_of(k, v),
                                  .next = k->c->rule.law == RL_LAW_EXPONENTIAL ? 1.0
                                          : to_small                           ? value
                                                                               : 1.0 / value};
  }
}

// Returns the factor q of the fitted law by which the error falls from a run to the next finer one.
static double share_left(const curve *k, size_t v) {
  const double from = k->c->values[v], to = k->c->values[k->finer[v]];
  const double way = k->c->rule.law == RL_LAW_POWER ? log(to / from) : to - from;
  return exp(k->fit.slope * way);
}

// Turns differences into errors (Richardson): if the error falls by the factor q from a run to the
// next finer one, their difference is 1 - q of the error. Fit and q are iterated to a fixed point.
static void extrapolate(curve *k) {
  enum { ROUNDS = 50 };
  const double same_slope = 1e-13;
  double before = NAN;
  for (int i = 0; i < ROUNDS && k->fit.count > 0 && !(fabs(k->fit.slope - before) < same_slope);
       i++) {
    before = k->fit.slope;
    for (size_t v = 0; v < k->c->value_count; v++) {
      const double q = k->finer[v] == SIZE_MAX ? 0.0 : share_left(k, v);
      k->points[v].error = chosen(k, k->norms[v]) / (q < 1.0 ? 1.0 - q : 1.0);
    }
    k->fit = rl_fit_order(&k->c->rule, k->points, k->c->value_count);
  }
}

// Scales all norms by the factor of the fitted one.
static void scale_norms(curve *k) {
  for (size_t v = 0; v < k->c->value_count; v++) {
    const double before = chosen(k, k->norms[v]);
    if (before > 0.0) {
      const double factor = k->points[v].error / before;
      k->norms[v].max *= factor;
      k->norms[v].l2 *= factor;
      k->norms[v].end *= factor;
    }
  }
}

static void fit(curve *k) {
  k->fit = rl_fit_order(&k->c->rule, k->points, k->c->value_count);
  if (k->quantity->measure == RL_AGAINST_SELF) {
    extrapolate(k);
    scale_norms(k);
  }
}

// ---------------------------------------------------------------------------------------------
// Tables

// Prints the probe with the largest error where there are several, and where it changes.
static void print_largest(const curve *k) {
  const char *last = NULL;
  for (size_t v = 0; k->quantity->columns.count > 1 && v < k->c->value_count; v++) {
    const char *probe = k->largest[v];
    if (probe && (!last || strcmp(probe, last) != 0)) {
      printf("%s%s", last ? ", then " : "; the largest error is that of ", probe);
      last = probe;
    }
  }
}

// Prints the status of a reference run that is not complete.
static void print_reference(const curve *k) {
  for (size_t v = 0; k->quantity->measure == RL_AGAINST_REFERENCE && v < k->c->value_count; v++) {
    char buffer[STATUS_MAX];
    const rl_cell *cell = &k->study->cells[k->c->references[index_of(k, v)]];
    const char *status = rl_cell_status(cell, buffer, sizeof buffer);
    if (strcmp(status, "done") != 0) {
      printf("; its reference: %s", status);
      return;
    }
  }
}

// Prints how many errors are below the reference's own error estimate, if no order was found.
static void print_hidden(const curve *k) {
  size_t hidden = 0, count = k->c->value_count;
  double most = 0.0;
  for (size_t v = 0; v < count && k->quantity->measure == RL_AGAINST_REFERENCE; v++) {
    const double doubt = uncertainty_of(&k->references[v]);
    if (k->points[v].error <= doubt) {
      hidden++;
      most = fmax(most, doubt);
    }
  }
  if (hidden > 0 && k->fit.count == 0) {
    printf("; %zu of %zu errors are no larger than what the reference says of its own, %.2g m",
           hidden, count, most);
  }
}

static bool write(const curve *k, rl_order_tables *tables) {
  const rl_convergence *c = k->c;
  const rl_study_definition *d = &k->study->definition;
  rl_order_point *points = calloc(c->value_count, sizeof *points);
  char(*statuses)[STATUS_MAX] = calloc(c->value_count, sizeof *statuses);
  for (size_t v = 0; points && statuses && v < c->value_count; v++) {
    const rl_cell *cell = cell_of(k, v);
    const char *status = rl_cell_status(cell, statuses[v], sizeof statuses[v]);
    points[v] = (rl_order_point){.run = cell->solver->label,
                                 .status = k->capped[v] ? "capped" : status,
                                 .value = c->values[v],
                                 .norms = k->norms[v],
                                 .floor = k->points[v].floor,
                                 .probe = k->largest[v]};
  }
  const rl_order_curve found = {.scenario = cell_of(k, 0)->name,
                                .solver = d->solvers[k->solver].type->name,
                                .label = d->solvers[k->solver].label,
                                .over = rl_converge_over(d, k->solver),
                                .quantity = k->quantity->text,
                                .norm = rl_norm_names[d->norm],
                                .rule = &c->rule,
                                .rises = c->is_refinement && !c->fine_is_small,
                                .points = points,
                                .count = c->value_count,
                                .fit = &k->fit};
  const bool good = points && statuses;
  if (good) {
    rl_order_tables_add(tables, &found);
    rl_order_print(&found);
    print_reference(k);
    print_hidden(k);
    print_largest(k);
    putchar('\n');
  }
  free(points);
  free(statuses);
  return good;
}

// Notes that few times are common, because the steps do not divide each other.
static void note_samples(const curve *k) {
  if (k->study->definition.norm == RL_NORM_END || k->quantity->measure == RL_AGAINST_EXACT) {
    return;
  }
  for (size_t v = 0; v < k->c->value_count; v++) {
    const size_t rows = k->runs[v].row_count;
    if (k->norms[v].samples > 0 && 2 * k->norms[v].samples < rows) {
      fprintf(stderr,
              "ropelab: note: %s, %s: only %zu of %zu times are those of the run it is compared "
              "with; expected values that divide each other, or --every\n",
              cell_of(k, v)->name, cell_of(k, v)->solver->label, k->norms[v].samples, rows);
      return;
    }
  }
}

// ---------------------------------------------------------------------------------------------
// All curves

static void free_tables(rl_table *list, size_t count) {
  for (size_t i = 0; list && i < count; i++) {
    rl_table_free(&list[i]);
  }
  free(list);
}

// Measures all quantities of a solver on a scenario; each run is read once.
static bool gather_runs(const rl_study *study, size_t s, size_t i, rl_order_tables *tables) {
  const rl_convergence *c = study->plan;
  const size_t n = c->value_count;
  curve k = {.study = study,
             .c = c,
             .scenario = s,
             .solver = i,
             .runs = calloc(n, sizeof *k.runs),
             .references = calloc(n, sizeof *k.references),
             .norms = calloc(n, sizeof *k.norms),
             .largest = calloc(n, sizeof *k.largest),
             .points = calloc(n, sizeof *k.points),
             .capped = calloc(n, sizeof *k.capped),
             .finer = calloc(n, sizeof *k.finer)};
  bool good = k.runs && k.references && k.norms && k.largest && k.points && k.capped && k.finer;
  if (good) {
    read_runs(&k);
  }
  for (size_t q = 0; good && q < c->quantity_count; q++) {
    k.quantity = &c->quantities[s * c->quantity_count + q];
    measure_all(&k);
    note_samples(&k);
    fit(&k);
    good = write(&k, tables);
  }
  free_tables(k.runs, n);
  free_tables(k.references, n);
  free(k.norms);
  free(k.largest);
  free(k.points);
  free(k.capped);
  free(k.finer);
  return good;
}

int rl_converge_gather(rl_study *study) {
  const rl_study_definition *d = &study->definition;
  const rl_convergence *c = study->plan;
  rl_order_tables tables = {0};
  bool good = rl_order_tables_open(&tables, study->folder);
  for (size_t s = 0; good && s < d->scenarios.count; s++) {
    const bool supported = c->quantities[s * c->quantity_count].text != NULL;
    for (size_t i = 0; good && supported && i < d->solver_count; i++) {
      good = gather_runs(study, s, i, &tables);
    }
  }
  return rl_order_tables_close(&tables, good) ? RL_EXIT_DONE : rl_study_print_unwritten(study);
}
