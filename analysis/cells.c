// SPDX-License-Identifier: GPL-3.0-or-later
#include "cells.h"

#include "manifest.h"
#include "memory_there.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void start_cell(rl_cell *cell, const rl_run_options *options) {
  fflush(NULL);
  const pid_t parent = getpid();
  cell->process = fork();
  cell->started = cell->process >= 0;
  if (cell->process == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM); // nobody would wait for it
    if (getppid() != parent) {
      _exit(RL_EXIT_INTERRUPTED);
    }
    rl_run_options own = *options;
    own.comparison = cell->comparison;
    _exit(rl_run(cell->scenario, cell->solver, &own, cell->folder, cell->command));
  }
}

// A run that ended without saying how: entered by its parent.
static void enter_crash(const rl_cell *cell, int status) {
  char path[RL_PATH_MAX];
  char reason[128];
  json_t *manifest =
      rl_path_join(path, cell->folder, "run.json") ? json_load_file(path, 0, NULL) : NULL;
  if (WIFSIGNALED(status)) {
    snprintf(reason, sizeof reason, "the run was ended by signal %d", WTERMSIG(status));
  } else {
    snprintf(reason, sizeof reason, "the run ended with status %d", WEXITSTATUS(status));
  }
  fprintf(stderr, "ropelab: %s, %s: %s\n", cell->name, cell->solver->label, reason);
  if (manifest && strcmp(json_string_value(json_object_get(manifest, "status")), "running") == 0) {
    rl_manifest_finish(manifest, "failed", reason, NULL, 0);
    rl_manifest_write(manifest, cell->folder);
  }
  json_decref(manifest);
}

// Waits a moment for a cell to end; true if one did. A wait without end could miss a signal that
// comes just before it, and then the cells would never hear of it.
static bool wait_for_one(rl_cell *cells, size_t count) {
  int status = 0;
  const pid_t process = waitpid(-1, &status, WNOHANG);
  if (process <= 0) {
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    if (cells[i].process == process) {
      cells[i].process = 0;
      if (!WIFEXITED(status) || WEXITSTATUS(status) == RL_EXIT_FAILED) {
        enter_crash(&cells[i], status);
      } else if (WEXITSTATUS(status) == RL_EXIT_USAGE) {
        cells[i].started = false; // the folder is another run's, and what is in it, too
      }
    }
  }
  return true;
}

static void stop_all(const rl_cell *cells, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (cells[i].process > 0) {
      kill(cells[i].process, SIGTERM);
    }
  }
}

static void show_progress(size_t done, size_t count) {
  if (isatty(STDERR_FILENO)) {
    fprintf(stderr, "\r%zu of %zu runs%s", done, count, done == count ? "\r\033[K" : "");
  }
}

// As many at a time as there is memory for.
static long affordable_jobs(const rl_cell *cells, size_t count, long jobs) {
  double largest = 1.0;
  for (size_t i = 0; i < count; i++) {
    if (cells[i].scenario) {
      largest = fmax(largest, rl_run_bytes(cells[i].scenario, cells[i].solver));
    }
  }
  return (long)fmax(1.0, fmin((double)jobs, floor((double)rl_memory_there() / largest)));
}

void rl_cells_run(rl_cell *cells, size_t count, const rl_run_options *options, long jobs) {
  rl_run_begin_writing();
  rl_run_options quiet = *options;
  quiet.quiet = true;
  jobs = jobs > 0 ? jobs : sysconf(_SC_NPROCESSORS_ONLN);
  jobs = affordable_jobs(cells, count, jobs);
  long running = 0;
  size_t next = 0;
  size_t done = 0;
  bool stopped = false;
  while (running > 0 || (next < count && !rl_run_interrupted())) {
    while (running < jobs && next < count && !rl_run_interrupted()) {
      rl_cell *cell = &cells[next++];
      if (cell->scenario) {
        start_cell(cell, &quiet);
      }
      running += cell->started ? 1 : 0;
      done += cell->started ? 0 : 1;
    }
    if (rl_run_interrupted() && !stopped) {
      stop_all(cells, count);
      stopped = true;
    }
    if (running > 0 && wait_for_one(cells, count)) {
      running--;
      show_progress(++done, count);
    }
  }
}

// ---------------------------------------------------------------------------------------------
// summary.csv

static const char *const summary_metrics[] = {
    "energy_error_J", "energy_error_max_J", "energy_error_relative", "stretch_max",
    "stretch_end",    "length_error_max_m", "penetration_max_m",     "tension_max_N",
    "momentum_drift", "residual_m",         "exact_error_max",       "iterations",
    "row_evals",
};

enum { SUMMARY_METRICS = sizeof summary_metrics / sizeof summary_metrics[0] };

static void write_number(FILE *out, const json_t *value) {
  if (json_is_number(value)) {
    fprintf(out, ",%.17g", json_number_value(value));
  } else {
    fputs(",nan", out);
  }
}

// A text as a CSV field, in quotes where it needs them.
static void write_text(FILE *out, const char *text) {
  if (*text && !strpbrk(text, " ,\"\r\n#")) {
    fputs(text, out);
    return;
  }
  fputc('"', out);
  for (; *text; text++) {
    fputs(*text == '"' ? "\"\"" : (char[]){*text, '\0'}, out);
  }
  fputc('"', out);
}

static void write_parameters(FILE *out, const rl_solver_spec *spec) {
  for (size_t i = 0; i < spec->type->parameter_count; i++) {
    char value[64];
    rl_parameter_format(&spec->type->parameters[i], spec->parameters[i], value, sizeof value);
    fprintf(out, "%s%s=%s", i > 0 ? ";" : "", spec->type->parameters[i].name, value);
  }
}

// How a cell ended that left nothing to read.
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

static void write_cell(FILE *out, const rl_cell *cell) {
  char path[RL_PATH_MAX];
  json_t *manifest = cell->started && rl_path_join(path, cell->folder, "run.json")
                         ? json_load_file(path, 0, NULL)
                         : NULL;
  const char *status = json_string_value(json_object_get(manifest, "status"));
  const char *reason = json_string_value(json_object_get(manifest, "reason"));
  const char *hash = json_string_value(json_object_get(manifest, "state_hash"));
  const json_t *summary = json_object_get(manifest, "summary");
  if (!status || !reason) {
    describe_missing(cell, &status, &reason);
  }
  write_text(out, cell->name);
  fprintf(out, ",%s,%s,", cell->solver->label, cell->solver->type->name);
  write_parameters(out, cell->solver);
  write_number(out, json_object_get(manifest, "step_s"));
  fprintf(out, ",%s,", status);
  write_text(out, reason);
  for (size_t i = 0; i < SUMMARY_METRICS; i++) {
    write_number(out, json_object_get(summary, summary_metrics[i]));
  }
  write_number(out, json_object_get(manifest, "seconds"));
  fprintf(out, ",%s\n", hash ? hash : "nan");
  json_decref(manifest);
}

bool rl_cells_summarise(const rl_cell *cells, size_t count, const char *folder) {
  char path[RL_PATH_MAX];
  char beside[RL_PATH_MAX];
  if (!rl_path_join(path, folder, "summary.csv") ||
      !rl_path_join(beside, folder, "summary.csv.new")) {
    return false;
  }
  FILE *out = fopen(beside, "w");
  if (!out) {
    return false;
  }
  fputs("# ropelab summary, format 1: one row a run\n"
        "scenario,label,solver,parameters,step,status,reason",
        out);
  for (size_t i = 0; i < SUMMARY_METRICS; i++) {
    fprintf(out, ",%s", summary_metrics[i]);
  }
  fputs(",seconds,state_hash\n", out);
  for (size_t i = 0; i < count; i++) {
    write_cell(out, &cells[i]);
  }
  const bool good = !ferror(out);
  if (fclose(out) != 0 || !good || rename(beside, path) != 0) {
    const int error = errno;
    unlink(beside);
    errno = error;
    return false;
  }
  return true;
}
