// SPDX-License-Identifier: GPL-3.0-or-later
#include "consistency_study.h"

#include "consistency.h"
#include "results/csv.h"
#include "results/outcome.h"
#include "runs/timing.h"
#include "study_fault.h"
#include "study_file.h"
#include "study_numbers.h"
#include "world/driver.h"

#include <string.h>

enum {
  DEFAULT_PIECES = 10,
  DEFAULT_DOUBLINGS = 11, // of the reference step
  REPEATS = 7,
  PIECE_MAX = 100000000, // reference steps
};

// As in the paper: a reference step of 1/64 ms, and with DEFAULT_DOUBLINGS steps up to 32 ms.
static const double default_reference_step = 0.001 / 64.0; // [s]

// A step divides a piece if the quotient is whole up to this relative rounding.
static const double rounding = 1e-9;

typedef struct consistency {
  rl_study *of;
  const rl_scenario *scenario;
  rl_solver_spec reference;
  double duration;
  uint64_t multiples[RL_LIST_MAX];
  rl_solver_spec solvers[RL_LIST_MAX]; // those that support the scenario
  size_t solver_count;
  rl_consistency study;
  rl_consistency_row *rows;
  rl_consistency_end ends[RL_LIST_MAX];
  double others; // share of the machine used by others during the timing
} consistency;

static bool is_whole(double x) { return fabs(x - round(x)) <= rounding * fabs(x) && x > 0.5; }

// Chooses the length of a piece in reference steps.
static bool choose_piece(consistency *c) {
  const rl_study_definition *d = &c->of->definition;
  rl_consistency *s = &c->study;
  s->reference_step = isnan(d->reference.step) ? default_reference_step : d->reference.step;
  s->pieces = d->pieces > 0 ? d->pieces : DEFAULT_PIECES;
  c->duration = isnan(d->duration) ? c->scenario->duration : d->duration;
  const double length = c->duration / (double)s->pieces;
  const double piece = length / s->reference_step;
  if (!is_whole(piece) || piece > PIECE_MAX) {
    return rl_study_refuse(
        d, "pieces", 0,
        "a piece of %g s has %.10g steps of the reference (%g s); expected a "
        "whole number, at most %d: see duration, pieces and the reference's step",
        length, piece, s->reference_step, PIECE_MAX);
  }
  s->piece = (uint64_t)round(piece);
  return true;
}

// Chooses the steps as multiples of the reference step; of the default steps, those that divide a
// piece.
static bool choose_steps(consistency *c) {
  const rl_words asked = c->of->definition.values;
  const double *values = NULL;
  rl_consistency *s = &c->study;
  size_t count = DEFAULT_DOUBLINGS;
  if (asked.count > 0 && (count = rl_study_numbers(c->of, asked, &values)) == 0) {
    return false;
  }
  s->multiples = c->multiples;
  for (size_t i = 0; i < count; i++) {
    const double multiple = values ? values[i] / s->reference_step : (double)(UINT64_C(2) << i);
    if (is_whole(multiple) && multiple > 1.5 && is_whole((double)s->piece / round(multiple))) {
      c->multiples[s->step_count++] = (uint64_t)round(multiple);
    } else if (values) {
      return rl_study_refuse(&c->of->definition, "values", rl_study_number_item(asked, values[i]),
                             "%g: expected whole multiples of the reference's step (%g s), above "
                             "it, that divide a piece of %g s",
                             values[i], s->reference_step, (double)s->piece * s->reference_step);
    }
  }
  return true;
}

static json_t *describe(const consistency *c) {
  const rl_consistency *s = &c->study;
  json_t *steps = json_array();
  for (size_t i = 0; i < s->step_count; i++) {
    json_array_append_new(steps, json_real((double)s->multiples[i] * s->reference_step));
  }
  json_t *others = isnan(c->others) ? json_null() : json_real(c->others);
  return json_pack("{s:s, s:f, s:I, s:f, s:o, s:i, s:o, s:b}", "reference",
                   s->reference ? s->reference->text : "self", "reference_step_s",
                   s->reference_step, "pieces", (json_int_t)s->pieces, "piece_s",
                   (double)s->piece * s->reference_step, "steps_s", steps, "repeats", REPEATS,
                   "others_load", others, "idle", c->others <= rl_idle_share);
}

// Returns the index of a solver among those measured; solver_count if it was not measured.
static size_t find_measured(const consistency *c, const rl_solver_spec *solver) {
  size_t i = 0;
  while (i < c->solver_count && strcmp(c->solvers[i].label, solver->label) != 0) {
    i++;
  }
  return i;
}

static const char *row_status(const rl_consistency_row *row) {
  return row->piece_diverged || row->run_diverged ? "diverged" : "done";
}

// Summarises a solver by its results with the largest step below which no step diverged, and by the
// error with the smallest step.
static void summarise(const consistency *c, size_t measured, rl_outcome *outcome) {
  const rl_consistency *s = &c->study;
  const rl_consistency_row *rows = &c->rows[measured * s->step_count];
  size_t last = s->step_count;
  outcome->status = "done";
  snprintf(outcome->reason, sizeof outcome->reason, "no step diverged");
  for (size_t i = s->step_count; i-- > 0;) {
    if (strcmp(row_status(&rows[i]), "diverged") == 0) {
      last = i;
      snprintf(outcome->reason, sizeof outcome->reason, "diverged with steps of %g s: %s",
               (double)s->multiples[i] * s->reference_step, rl_reason_name(rows[i].why));
    }
  }
  const rl_consistency_row *good = last > 0 ? &rows[last - 1] : NULL;
  outcome->status = good ? "done" : "diverged";
  const rl_named_number entries[] = {
      {"largest_step_s", good ? (double)s->multiples[last - 1] * s->reference_step : NAN},
      {"error_m", good ? good->error : NAN},
      {"error_least_m", good ? rows[0].error : NAN},
      {"energy_drift", good ? good->energy_drift : NAN},
      {"momentum_drift", good ? good->momentum_drift : NAN},
      {"angular_drift", good ? good->angular_drift : NAN},
      {"times_real_time", good && c->of->timed ? 1.0 / good->seconds : NAN}};
  outcome->entry_count = sizeof entries / sizeof entries[0];
  memcpy(outcome->entries, entries, sizeof entries);
}

static void describe_end(const consistency *c, rl_consistency_end end, rl_outcome *outcome) {
  rl_outcome_ended(outcome, end == RL_CONSISTENCY_LATE, c->study.limit);
  if (end == RL_CONSISTENCY_LOST) {
    snprintf(outcome->reason, sizeof outcome->reason, "the reference %s diverged",
             c->reference.label);
  }
}

static bool write_outcomes(const consistency *c) {
  const rl_study_definition *d = &c->of->definition;
  static rl_outcome outcomes[RL_LIST_MAX];
  json_t *described = describe(c);
  const rl_outcome_facts facts = {.folder = c->of->folder,
                                  .scenario = c->scenario,
                                  .command = c->of->command,
                                  .kind = "consistency",
                                  .described = described,
                                  .step = c->study.reference_step,
                                  .duration = c->duration,
                                  .steps = c->study.pieces * c->study.piece};
  for (size_t i = 0; i < d->solver_count; i++) {
    const size_t measured = find_measured(c, &d->solvers[i]);
    const bool known = measured < c->solver_count && c->ends[measured] == RL_CONSISTENCY_DONE;
    outcomes[i].solver = &d->solvers[i];
    outcomes[i].seconds = NAN; // speeds are in consistency.csv
    summarise(c, known ? measured : 0, &outcomes[i]);
    for (size_t k = 0; k < outcomes[i].entry_count && !known; k++) {
      outcomes[i].entries[k].value = NAN;
    }
    if (measured == c->solver_count) {
      rl_outcome_unsupported(&outcomes[i],
                             rl_driver_missing(c->scenario->model, d->solvers[i].type));
    } else if (!known) {
      describe_end(c, c->ends[measured], &outcomes[i]);
    }
  }
  const bool written = rl_outcomes_write(&facts, outcomes, d->solver_count, c->of->timed);
  json_decref(described);
  return written;
}

static void write_row(FILE *out, const consistency *c, size_t solver, size_t step) {
  const rl_consistency *s = &c->study;
  const rl_consistency_row *row = &c->rows[solver * s->step_count + step];
  rl_csv_text(out, c->solvers[solver].label);
  fprintf(out, ",%s", c->solvers[solver].type->name);
  rl_csv_number(out, (double)s->multiples[step] * s->reference_step);
  fprintf(out, ",%s,%zu", row_status(row), row->pieces_done);
  const double values[] = {row->piece_diverged ? NAN : row->error,
                           row->piece_diverged ? NAN : row->error_max,
                           row->row_evaluations,
                           1.0 / row->seconds,
                           row->energy_drift,
                           row->momentum_drift,
                           row->angular_drift};
  for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
    rl_csv_number(out, isfinite(values[i]) ? values[i] : NAN);
  }
  fputc('\n', out);
}

static bool write_table(const consistency *c) {
  char path[RL_PATH_MAX];
  rl_new_file file;
  if (!rl_path_join(path, c->of->folder, "consistency.csv") || !rl_new_file_open(&file, path)) {
    return false;
  }
  fputs("# ropelab consistency, format 1: a row for each solver and step\n"
        "label,solver,step_s,status,pieces,error_m,error_max_m,row_evals_per_s,times_real_time,"
        "energy_drift,momentum_drift,angular_drift\n",
        file.out);
  for (size_t i = 0; i < c->solver_count; i++) {
    for (size_t k = 0; k < c->study.step_count && c->ends[i] == RL_CONSISTENCY_DONE; k++) {
      write_row(file.out, c, i, k);
    }
  }
  return rl_new_file_close(&file);
}

static int gather(rl_study *study) {
  consistency *c = study->plan;
  rl_consistency *s = &c->study;
  s->scenario = c->scenario;
  s->solvers = c->solvers;
  s->solver_count = c->solver_count;
  s->repeats = REPEATS;
  s->jobs = study->jobs;
  s->limit = study->definition.time_limit;
  s->cache = study->cache;
  c->rows =
      rl_study_allocate(study, study->definition.solver_count * s->step_count, sizeof *c->rows);
  if (!c->rows) {
    return RL_EXIT_FAILED;
  }
  bool shared = false;
  char why[RL_WHY_MAX];
  int status = rl_consistency_share(s, &shared, why);
  if (status != RL_EXIT_DONE) {
    return rl_reference_print_failure(c->scenario, status, why);
  }
  if (shared) {
    rl_study_print_shared(study, 1, 1);
  }
  status = rl_consistency_run(s, c->rows, c->ends, &c->others);
  const bool good = status != RL_EXIT_DONE || (write_table(c) && write_outcomes(c));
  return good ? status : rl_study_print_unwritten(study);
}

static bool check(const rl_study_definition *d, rl_study_fault *fault) {
  return rl_study_check_alone(d, fault) &&
         rl_study_check_numbers("values", d->values, RL_NUMBER_POSITIVE, fault);
}

// Plans the study and finds all mistakes before anything is run.
static int plan(rl_study *study) {
  const rl_study_definition *d = &study->definition;
  const char *reference = d->reference.solver;
  consistency *c = rl_study_allocate(study, 1, sizeof *c);
  int status = RL_EXIT_FAILED;
  if (!c) {
    return RL_EXIT_FAILED;
  }
  study->plan = c;
  c->of = study;
  c->scenario = rl_study_scenario(study, d->scenarios.words[0], (rl_changes){0}, &status);
  if (!c->scenario) {
    return status;
  }
  if (!choose_piece(c) || !choose_steps(c)) {
    return RL_EXIT_USAGE;
  }
  if (reference && strcmp(reference, "self") != 0) {
    if (!rl_reference_choose(c->scenario, reference, &c->reference, &status)) {
      return status;
    }
    c->study.reference = &c->reference;
  }
  for (size_t i = 0; i < d->solver_count; i++) {
    if (rl_driver_missing(c->scenario->model, d->solvers[i].type) == 0) {
      c->solvers[c->solver_count++] = d->solvers[i];
    }
  }
  return RL_EXIT_DONE;
}

#define AT(member) offsetof(rl_study_definition, member)

static const rl_field fields[] = {
    {"values", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(values), NULL, rl_read_positives},
    {"pieces", RL_FIELD_COUNT, false, RL_POSITIVE, NULL, AT(pieces), NULL, NULL},
    {"reference", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(reference), NULL, rl_read_reference},
};

#undef AT

static const char *const without[] = {"step", "every", "probes", NULL};

const rl_study_kind rl_study_consistency = {
    .name = "consistency",
    .summary = "how long a step each solver can take before it disagrees with itself, and drift",
    .fields = fields,
    .field_count = sizeof fields / sizeof fields[0],
    .without = without,
    .check = check,
    .plan = plan,
    .gather = gather,
};
