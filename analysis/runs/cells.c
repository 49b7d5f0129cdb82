// SPDX-License-Identifier: GPL-3.0-or-later
#include "cells.h"

#include "available_memory.h"
#include "pool.h"
#include "results/csv.h"
#include "results/manifest.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// A run checks its time limit between steps; one whose step lasts this much longer [s] is killed.
static const double limit_grace = 2.0;

static int run_cell(const rl_cell *cell) {
  rl_limit_time(cell->run.limit + limit_grace);
  rl_run_options own = cell->run;
  own.quiet = true;
  own.comparison = cell->comparison;
  return rl_run(cell->scenario, cell->solver, &own, cell->folder, cell->command);
}

// Completes the run.json of a process that ended without doing so.
static void record_crash(const rl_cell *cell, int status) {
  char path[RL_PATH_MAX];
  char reason[128];
  json_t *manifest =
      rl_path_join(path, cell->folder, "run.json") ? json_load_file(path, 0, NULL) : NULL;
  const bool late = rl_ended_by_limit(status);
  if (late) {
    rl_describe_limit(cell->run.limit, reason, sizeof reason);
  } else if (WIFSIGNALED(status)) {
    snprintf(reason, sizeof reason, "the run was ended by signal %d", WTERMSIG(status));
  } else {
    snprintf(reason, sizeof reason, "the run ended with status %d", WEXITSTATUS(status));
  }
  // A run that noticed its time limit between two steps has reported it itself.
  const bool is_open =
      manifest && strcmp(json_string_value(json_object_get(manifest, "status")), "running") == 0;
  if (!late && (is_open || !manifest)) {
    fprintf(stderr, "ropelab: %s, %s: %s\n", cell->name, cell->solver->label, reason);
  }
  if (is_open) {
    rl_manifest_finish(manifest, late ? "timeout" : "failed", reason, NULL, 0);
    rl_manifest_enter_files(manifest, cell->folder);
    rl_manifest_write(manifest, cell->folder);
  }
  json_decref(manifest);
}

// The cells in the order in which they start.
typedef struct queue {
  rl_cell **cells;
  size_t count;
  bool is_full; // the disk: no other run would fare better
} queue;

static int run_queued(void *context, size_t i) {
  const queue *q = context;
  return run_cell(q->cells[i]);
}

static void end_queued(void *context, size_t i, int status) {
  queue *q = context;
  rl_cell *cell = q->cells[i];
  cell->started = status != -1;
  if (status == -1) {
    return;
  }
  q->is_full = q->is_full || (WIFEXITED(status) && WEXITSTATUS(status) == RL_EXIT_DISK_FULL);
  if (!WIFEXITED(status) || WEXITSTATUS(status) == RL_EXIT_FAILED) {
    record_crash(cell, status);
  } else if (WEXITSTATUS(status) == RL_EXIT_USAGE) {
    cell->started = false; // another run holds the folder, and its files are not this cell's
  }
}

double rl_cell_cost(const rl_scenario *scenario, const rl_solver_spec *solver, uint64_t steps) {
  const rl_model *model = scenario->model;
  return (double)steps * (double)(model->node_count + model->body_count) *
         rl_solver_spec_effort(solver);
}

// For qsort: falling cost, so that an expensive run does not start last; ties in table order, which
// is the order of the addresses.
static int compare_costs(const void *a, const void *b) {
  const rl_cell *x = *(rl_cell *const *)a, *y = *(rl_cell *const *)b;
  return x->cost != y->cost ? (x->cost < y->cost) - (x->cost > y->cost) : (x > y) - (x < y);
}

// Limits the runs at a time to those that fit into memory together.
static long affordable_jobs(const rl_cell *cells, size_t count, long jobs) {
  double largest = 1.0;
  for (size_t i = 0; i < count; i++) {
    if (cells[i].scenario) {
      largest = fmax(largest, rl_run_bytes(cells[i].scenario, cells[i].solver));
    }
  }
  return (long)fmax(1.0, fmin((double)jobs, floor((double)rl_available_memory() / largest)));
}

bool rl_cells_run(rl_cell *cells, size_t count, long jobs) {
  queue q = {.cells = calloc(count + 1, sizeof *q.cells)};
  for (size_t i = 0; q.cells && i < count; i++) {
    if (cells[i].scenario) {
      q.cells[q.count++] = &cells[i];
    }
  }
  if (q.count > 0) {
    qsort(q.cells, q.count, sizeof *q.cells, compare_costs);
  }
  jobs = affordable_jobs(cells, count, jobs > 0 ? jobs : sysconf(_SC_NPROCESSORS_ONLN));
  const rl_pool pool = {.count = q.count,
                        .jobs = jobs,
                        .noun = "runs",
                        .context = &q,
                        .work = run_queued,
                        .is_over = &q.is_full,
                        .ended = end_queued};
  const bool good = q.cells && rl_pool_run(&pool);
  free(q.cells);
  if (good && q.is_full) {
    errno = ENOSPC;
    return false;
  }
  return good;
}

// Looks for any result file, since a killed command leaves results without a summary.
bool rl_cells_are_free(const rl_cell *cells, size_t count, bool resumable) {
  for (size_t i = 0; i < count; i++) {
    if (!rl_has_room_for_folder(cells[i].folder)) {
      return false;
    }
    if (!cells[i].run.force && rl_run_has_result(cells[i].folder)) {
      fprintf(stderr, "ropelab: %s already holds a result; %s\n", cells[i].folder,
              resumable ? "--resume goes on with what was stopped, --force makes all of it again"
                        : "--force replaces it");
      return false;
    }
  }
  return true;
}

// ---------------------------------------------------------------------------------------------
// summary.csv

static const char *const summary_metrics[] = {
    "energy_error_J", "energy_error_max_J", "energy_error_relative", "stretch_max",
    "stretch_end",    "length_error_max_m", "penetration_max_m",     "tension_max_N",
    "momentum_drift", "residual_m",         "exact_error_max",       "error_estimate_m",
    "iterations",     "row_evals",
};

enum { SUMMARY_METRICS = sizeof summary_metrics / sizeof summary_metrics[0] };

// Writes a number of run.json; a gap where there is none.
static void write_number(FILE *out, const json_t *value) {
  rl_csv_number(out, json_is_number(value) ? json_number_value(value) : NAN);
}

// Finds status and reason of a cell without a run.json.
static void describe_missing(const rl_cell *cell, const char **status, const char **reason) {
  if (!cell->scenario) {
    *status = "unsupported";
    *reason = cell->fault;
  } else if (!cell->started && rl_run_interrupted()) {
    *status = "interrupted";
    *reason = "the run was not started";
  } else {
    *status = "failed";
    *reason = cell->started ? "the run left no run.json" : "the run could not be started";
  }
}

static json_t *load_manifest(const rl_cell *cell) {
  char path[RL_PATH_MAX];
  return cell->started && rl_path_join(path, cell->folder, "run.json")
             ? json_load_file(path, 0, NULL)
             : NULL;
}

const char *rl_cell_status(const rl_cell *cell, char *buffer, size_t size) {
  json_t *manifest = load_manifest(cell);
  const char *status = json_string_value(json_object_get(manifest, "status"));
  const char *reason;
  if (!status) {
    describe_missing(cell, &status, &reason);
  }
  snprintf(buffer, size, "%s", status);
  json_decref(manifest);
  return buffer;
}

enum { NOTHING, NOTED, STOPPED }; // what rl_cells_print_notes prints of a cell

static int describe_outcome(const rl_cell *cell, char *text, size_t size) {
  json_t *manifest = load_manifest(cell);
  const char *status = json_string_value(json_object_get(manifest, "status"));
  const char *reason = json_string_value(json_object_get(manifest, "reason"));
  const json_t *notes = json_object_get(manifest, "notes");
  const size_t count = json_array_size(notes);
  int found = NOTHING;
  size_t more = count; // notes that are not in the text
  int length = 0;
  if (status && reason && (strcmp(status, "diverged") == 0 || strcmp(status, "timeout") == 0)) {
    found = STOPPED;
    length = snprintf(text, size, "%s: %s", status, reason);
  } else if (count > 0) {
    found = NOTED;
    more--;
    length = snprintf(text, size, "%s", json_string_value(json_array_get(notes, 0)));
  }
  if (found != NOTHING && more > 0 && (size_t)length < size) {
    snprintf(text + length, size - (size_t)length, "; and %zu more, see %s/run.json", more,
             cell->folder);
  }
  json_decref(manifest);
  return found;
}

void rl_cells_print_notes(const rl_cell *cells, size_t count) {
  enum { MOST = 20 };
  size_t told = 0;
  for (int kind = STOPPED; kind > NOTHING; kind--) {
    for (size_t i = 0; i < count; i++) {
      char text[1024 + RL_PATH_MAX];
      if (describe_outcome(&cells[i], text, sizeof text) == kind && told++ < MOST) {
        fprintf(stderr, "ropelab: note: %s, %s: %s\n", cells[i].name, cells[i].solver->label, text);
      }
    }
  }
  if (told > MOST) {
    fprintf(stderr, "ropelab: note: the report has those of %zu more runs\n", told - MOST);
  }
}

size_t rl_cells_shared(const rl_cell *cells, size_t count, const char *begun, size_t *earlier) {
  size_t shared = 0;
  *earlier = 0;
  for (size_t i = 0; i < count; i++) {
    json_t *manifest = cells[i].run.cache ? load_manifest(&cells[i]) : NULL;
    const char *from = json_string_value(json_object_get(manifest, "cached_from"));
    char path[RL_PATH_MAX];
    shared += from ? 1 : 0;
    *earlier +=
        from && rl_path_join(path, from, "run.json") && rl_file_is_older(path, begun) ? 1 : 0;
    json_decref(manifest);
  }
  return shared;
}

// Removes what depends on the speed of the computer: how far a run came within its time limit.
static void drop_numbers(json_t *manifest) {
  json_object_del(manifest, "summary");
  json_object_del(manifest, "state_hash");
}

static void write_cell(FILE *out, const rl_cell *cell, bool timed) {
  json_t *manifest = load_manifest(cell);
  const char *ended = json_string_value(json_object_get(manifest, "status"));
  if (ended && strcmp(ended, "timeout") == 0) {
    drop_numbers(manifest);
  }
  const char *status = json_string_value(json_object_get(manifest, "status"));
  const char *reason = json_string_value(json_object_get(manifest, "reason"));
  const char *hash = json_string_value(json_object_get(manifest, "state_hash"));
  const json_t *summary = json_object_get(manifest, "summary");
  if (!status || !reason) {
    describe_missing(cell, &status, &reason);
  }
  rl_csv_text(out, cell->name);
  fprintf(out, ",%s,%s,", cell->solver->label, cell->solver->type->name);
  rl_csv_parameters(out, cell->solver);
  write_number(out, json_object_get(manifest, "step_s"));
  fprintf(out, ",%s,", status);
  rl_csv_text(out, reason);
  for (size_t i = 0; i < SUMMARY_METRICS; i++) {
    write_number(out, json_object_get(summary, summary_metrics[i]));
  }
  write_number(out, timed ? json_object_get(manifest, "seconds") : NULL);
  fprintf(out, ",%s\n", hash ? hash : "nan");
  json_decref(manifest);
}

bool rl_cells_summarise(const rl_cell *cells, size_t count, const char *folder, bool timed) {
  char path[RL_PATH_MAX];
  rl_new_file file;
  if (!rl_path_join(path, folder, "summary.csv") || !rl_new_file_open(&file, path)) {
    return false;
  }
  fputs("# ropelab summary, format 1: one row a run\n", file.out);
  fputs(timed ? "" : "# seconds: timing.csv has them\n", file.out);
  fputs("scenario,label,solver,parameters,step,status,reason", file.out);
  for (size_t i = 0; i < SUMMARY_METRICS; i++) {
    fprintf(file.out, ",%s", summary_metrics[i]);
  }
  fputs(",seconds,state_hash\n", file.out);
  for (size_t i = 0; i < count; i++) {
    write_cell(file.out, &cells[i], timed);
  }
  return rl_new_file_close(&file);
}

bool rl_cells_write_timing(const rl_cell *cells, size_t count, const char *folder) {
  char path[RL_PATH_MAX];
  rl_new_file file;
  if (!rl_path_join(path, folder, "timing.csv") || !rl_new_file_open(&file, path)) {
    return false;
  }
  fputs("# ropelab timing, format 1: wall-clock time in the steps of each run\n"
        "scenario,label,seconds\n",
        file.out);
  for (size_t i = 0; i < count; i++) {
    json_t *manifest = load_manifest(&cells[i]);
    rl_csv_text(file.out, cells[i].name);
    fprintf(file.out, ",%s", cells[i].solver->label);
    write_number(file.out, json_object_get(manifest, "seconds"));
    fputc('\n', file.out);
    json_decref(manifest);
  }
  return rl_new_file_close(&file);
}
