// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "command_line.h"
#include "files.h"
#include "manifest.h"
#include "options.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static const rl_usage usage = {
    .name = "compare",
    .positional = "SCENARIO...",
    .doc = "Runs every solver on every scenario, each in a process of its own, into "
           "DIR/SCENARIO/LABEL/, and writes DIR/summary.csv, figures and DIR/report.html. Cells "
           "that diverge or that a solver does not support are part of the result. Without "
           "--solver: all solvers."
           "\v"
           "Examples:\n"
           "  ropelab compare atwood --solver penalty --solver pbd --solver impulse\n"
           "  ropelab compare heavy-load --solver few=pbd,iterations=5 "
           "--solver many=pbd,iterations=100\n"
           "  ropelab compare pendulum hanging-chain --step 0.001 --out out/fine",
    .options = "shdetSpofj",
    .least = 1,
    .most = RL_LIST_MAX,
};

// A run of the comparison: a scenario, a solver and how it ended.
typedef struct run_cell {
  const rl_scenario *scenario; // NULL: not even the scenario is supported
  const char *name;            // of the scenario
  const rl_solver_spec *solver;
  char folder[RL_PATH_MAX];
  char *command;
  pid_t process;
} run_cell;

typedef struct comparison {
  rl_arguments *arguments;
  rl_scenario *scenarios[RL_LIST_MAX];
  char folder[RL_PATH_MAX];
  run_cell *cells;
  size_t cell_count, done_count;
} comparison;

// The command that repeats one cell alone.
static char *cell_command(const comparison *c, const char *scenario, const rl_solver_spec *solver,
                          const char *folder) {
  const rl_arguments *a = c->arguments;
  char *words[4 * RL_LIST_MAX];
  int count = 0;
  char numbers[3][32];
  static char overrides[RL_LIST_MAX][RL_PATH_MAX / 4];
  char name[RL_LABEL_MAX + 512];
  words[count++] = "run";
  words[count++] = (char *)(uintptr_t)scenario;
  words[count++] = "--solver";
  snprintf(name, sizeof name, "%s%s%s", solver->labelled ? "" : solver->label,
           solver->labelled ? "" : "=", solver->text);
  words[count++] = strcmp(solver->label, solver->text) == 0 ? (char *)(uintptr_t)solver->text
                                                             : name;
  const struct {
    const char *option;
    double value;
  } times[3] = {{"--step", a->run.step}, {"--duration", a->run.duration}, {"--every", a->run.every}};
  for (size_t i = 0; i < 3; i++) {
    if (!isnan(times[i].value)) {
      snprintf(numbers[i], sizeof numbers[i], "%.17g", times[i].value);
      words[count++] = (char *)(uintptr_t)times[i].option;
      words[count++] = numbers[i];
    }
  }
  for (size_t i = 0; i < a->override_count; i++) {
    snprintf(overrides[i], sizeof overrides[i], "%s=%s", a->overrides[i].path,
             a->overrides[i].value);
    words[count++] = "--set";
    words[count++] = overrides[i];
  }
  for (size_t i = 0; i < a->probe_count; i++) {
    words[count++] = "--probe";
    words[count++] = (char *)(uintptr_t)a->probes[i];
  }
  words[count++] = "--out";
  words[count++] = (char *)(uintptr_t)folder;
  return rl_command_line(count, words);
}

static bool add_cell(comparison *c, const char *argument, const rl_scenario *scenario,
                     const rl_solver_spec *solver) {
  run_cell *cell = &c->cells[c->cell_count++];
  const char *slash = strrchr(argument, '/');
  cell->scenario = scenario;
  cell->name = scenario ? scenario->name : slash ? slash + 1 : argument;
  cell->solver = solver;
  if (snprintf(cell->folder, sizeof cell->folder, "%s/%s/%s", c->folder, cell->name,
               solver->label) >= (int)sizeof cell->folder) {
    errno = ENAMETOOLONG;
    return false;
  }
  cell->command = cell_command(c, argument, solver, cell->folder);
  return cell->command != NULL;
}

static void start_cell(comparison *c, run_cell *cell) {
  fflush(NULL);
  rl_run_options options = c->arguments->run;
  options.quiet = true;
  cell->process = fork();
  if (cell->process == 0) {
    _exit(rl_run(cell->scenario, cell->solver, &options, cell->folder, cell->command));
  }
}

// A run that ended without saying how: entered by its parent.
static void enter_crash(const run_cell *cell, int status) {
  char path[RL_PATH_MAX];
  char reason[128];
  json_t *manifest = rl_path_join(path, cell->folder, "run.json")
                         ? json_load_file(path, 0, NULL)
                         : NULL;
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

static void wait_for_one(comparison *c) {
  int status = 0;
  const pid_t process = wait(&status);
  if (process < 0 && errno == EINTR) {
    return; // the children have had the signal as well, or get it from stop_all
  }
  for (size_t i = 0; i < c->cell_count; i++) {
    if (c->cells[i].process == process) {
      c->cells[i].process = 0;
      c->done_count++;
      if (!WIFEXITED(status) || WEXITSTATUS(status) == RL_EXIT_FAILED) {
        enter_crash(&c->cells[i], status);
      }
    }
  }
  if (isatty(STDERR_FILENO)) {
    fprintf(stderr, "\r%zu of %zu runs%s", c->done_count, c->cell_count,
            c->done_count == c->cell_count ? "\r\033[K" : "");
  }
}

static void stop_all(const comparison *c) {
  for (size_t i = 0; i < c->cell_count; i++) {
    if (c->cells[i].process > 0) {
      kill(c->cells[i].process, SIGTERM);
    }
  }
}

static void run_all(comparison *c) {
  long jobs = c->arguments->jobs > 0 ? c->arguments->jobs : sysconf(_SC_NPROCESSORS_ONLN);
  long running = 0;
  size_t next = 0;
  bool stopped = false;
  while (running > 0 || (next < c->cell_count && !rl_run_interrupted())) {
    while (running < jobs && next < c->cell_count && !rl_run_interrupted()) {
      run_cell *cell = &c->cells[next++];
      if (!cell->scenario) {
        c->done_count++;
        continue;
      }
      start_cell(c, cell);
      running += cell->process > 0 ? 1 : 0;
    }
    if (rl_run_interrupted() && !stopped) {
      stop_all(c);
      stopped = true;
    }
    const size_t before = c->done_count;
    if (running > 0) {
      wait_for_one(c);
      running -= c->done_count > before ? 1 : 0;
    }
  }
}

// ---------------------------------------------------------------------------------------------
// summary.csv

static const char *const summary_metrics[] = {
    "energy_error_J",     "energy_error_max_J", "energy_error_relative", "stretch_max",
    "stretch_end",        "length_error_max_m", "penetration_max_m",     "tension_max_N",
    "momentum_drift",     "residual_m",         "exact_error_max",       "iterations",
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

// A text as a CSV field.
static void write_text(FILE *out, const char *text) {
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

static void write_cell(FILE *out, const run_cell *cell) {
  char path[RL_PATH_MAX];
  json_t *manifest = cell->scenario && rl_path_join(path, cell->folder, "run.json")
                         ? json_load_file(path, 0, NULL)
                         : NULL;
  const char *status = json_string_value(json_object_get(manifest, "status"));
  const char *reason = json_string_value(json_object_get(manifest, "reason"));
  const char *hash = json_string_value(json_object_get(manifest, "state_hash"));
  const json_t *summary = json_object_get(manifest, "summary");
  fprintf(out, "%s,%s,%s,", cell->name, cell->solver->label, cell->solver->type->name);
  write_parameters(out, cell->solver);
  write_number(out, json_object_get(manifest, "step_s"));
  const char *fallback = cell->scenario ? "failed" : "unsupported";
  fprintf(out, ",%s,", status ? status : fallback);
  write_text(out, reason           ? reason
                  : cell->scenario ? "the run left no run.json"
                                   : "this version does not support the scenario");
  for (size_t i = 0; i < SUMMARY_METRICS; i++) {
    write_number(out, json_object_get(summary, summary_metrics[i]));
  }
  write_number(out, json_object_get(manifest, "seconds"));
  fprintf(out, ",%s\n", hash ? hash : "nan");
  json_decref(manifest);
}

static bool write_summary(const comparison *c) {
  char path[RL_PATH_MAX];
  char beside[RL_PATH_MAX];
  if (!rl_path_join(path, c->folder, "summary.csv") ||
      !rl_path_join(beside, c->folder, "summary.csv.new")) {
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
  for (size_t i = 0; i < c->cell_count; i++) {
    write_cell(out, &c->cells[i]);
  }
  const bool good = !ferror(out);
  return fclose(out) == 0 && good && rename(beside, path) == 0;
}

// ---------------------------------------------------------------------------------------------

static bool choose_folder(comparison *c) {
  const rl_arguments *a = c->arguments;
  char path[RL_PATH_MAX];
  int length = 0;
  if (a->out) {
    length = snprintf(c->folder, sizeof c->folder, "%s", a->out);
  } else if (a->positional_count == 1 && c->scenarios[0]) {
    length = snprintf(c->folder, sizeof c->folder, "out/compare-%s", c->scenarios[0]->name);
  } else {
    length = snprintf(c->folder, sizeof c->folder, "out/compare");
  }
  if (length >= (int)sizeof c->folder || !rl_path_join(path, c->folder, "summary.csv")) {
    fprintf(stderr, "ropelab: the name of the folder is too long\n");
    return false;
  }
  if (rl_file_exists(path) && !a->force) {
    fprintf(stderr, "ropelab: %s already holds a comparison; --force replaces it\n", c->folder);
    return false;
  }
  if (!rl_make_folders(c->folder)) {
    fprintf(stderr, "ropelab: cannot write into %s: %s\n", c->folder, strerror(errno));
    return false;
  }
  return true;
}

// Solvers and scenarios: everything that can be wrong is found before anything is run.
static bool load_all(comparison *c, int *status) {
  rl_arguments *a = c->arguments;
  char message[512];
  if (a->solver_count == 0) {
    for (size_t i = 0; rl_solvers[i]; i++) {
      rl_solver_spec_parse(rl_solvers[i]->name, &a->solvers[a->solver_count++], message,
                           sizeof message);
    }
  }
  if (!rl_solver_spec_distinguish(a->solvers, a->solver_count, message, sizeof message)) {
    fprintf(stderr, "ropelab compare: %s\n", message);
    *status = RL_EXIT_USAGE;
    return false;
  }
  for (size_t i = 0; i < a->positional_count; i++) {
    c->scenarios[i] = rl_load_scenario(a->positional[i], a, status);
    if (!c->scenarios[i] && *status != RL_EXIT_UNSUPPORTED) {
      return false;
    }
    for (size_t k = 0; c->scenarios[i] && k < i; k++) {
      if (c->scenarios[k] && strcmp(c->scenarios[k]->name, c->scenarios[i]->name) == 0) {
        fprintf(stderr, "ropelab compare: two scenarios are called '%s'\n", c->scenarios[i]->name);
        *status = RL_EXIT_USAGE;
        return false;
      }
    }
  }
  return true;
}

static int compare(comparison *c) {
  const rl_arguments *a = c->arguments;
  c->cells = calloc(a->positional_count * a->solver_count, sizeof *c->cells);
  if (!c->cells) {
    return RL_EXIT_FAILED;
  }
  for (size_t i = 0; i < a->positional_count; i++) {
    for (size_t k = 0; k < a->solver_count; k++) {
      if (!add_cell(c, a->positional[i], c->scenarios[i], &a->solvers[k])) {
        fprintf(stderr, "ropelab: %s\n", strerror(errno));
        return RL_EXIT_FAILED;
      }
    }
  }
  run_all(c);
  if (!write_summary(c)) {
    fprintf(stderr, "ropelab: %s: cannot write summary.csv: %s\n", c->folder, strerror(errno));
    return RL_EXIT_FAILED;
  }
  if (rl_run_interrupted()) {
    return RL_EXIT_INTERRUPTED;
  }
  return rl_report(c->folder);
}

int rl_command_compare(int argc, char **argv) {
  static rl_arguments arguments;
  static comparison c;
  int status = RL_EXIT_FAILED;
  if (!rl_arguments_parse(&usage, argc, argv, &arguments, &status)) {
    return status;
  }
  c.arguments = &arguments;
  if (load_all(&c, &status)) {
    status = choose_folder(&c) ? compare(&c) : RL_EXIT_USAGE;
  }
  for (size_t i = 0; i < c.cell_count; i++) {
    free(c.cells[i].command);
  }
  free(c.cells);
  for (size_t i = 0; i < arguments.positional_count; i++) {
    rl_scenario_free(c.scenarios[i]);
  }
  return status;
}
