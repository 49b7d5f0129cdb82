// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "command_line.h"
#include "files.h"
#include "manifest.h"
#include "options.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
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
  bool started;
  pid_t process; // while it runs
} run_cell;

typedef struct comparison {
  rl_arguments *arguments;
  rl_scenario *scenarios[RL_LIST_MAX];
  char folder[RL_PATH_MAX];
  run_cell *cells;
  size_t cell_count, done_count;
} comparison;

static void write_setting(FILE *out, const char *option, const char *format, ...) {
  char *word = NULL;
  va_list arguments;
  va_start(arguments, format);
  if (vasprintf(&word, format, arguments) >= 0) {
    rl_write_word(out, option);
    rl_write_word(out, word);
    free(word);
  }
  va_end(arguments);
}

static void write_solver(FILE *out, const rl_solver_spec *solver) {
  // A label that a comparison made of the parameters has to be given to a run.
  if (solver->labelled || strcmp(solver->label, solver->type->name) == 0) {
    write_setting(out, "--solver", "%s", solver->text);
  } else {
    write_setting(out, "--solver", "%s=%s", solver->label, solver->text);
  }
}

// The command that repeats one cell alone; NULL: out of memory.
static char *cell_command(const comparison *c, const char *scenario, const rl_solver_spec *solver,
                          const char *folder) {
  const rl_arguments *a = c->arguments;
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out) {
    return NULL;
  }
  fputs("ropelab run", out);
  rl_write_word(out, scenario);
  write_solver(out, solver);
  const struct {
    const char *option;
    double value;
  } times[] = {{"--step", a->run.step}, {"--duration", a->run.duration}, {"--every", a->run.every}};
  for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
    if (!isnan(times[i].value)) {
      write_setting(out, times[i].option, "%.17g", times[i].value);
    }
  }
  for (size_t i = 0; i < a->override_count; i++) {
    write_setting(out, "--set", "%s=%s", a->overrides[i].path, a->overrides[i].value);
  }
  for (size_t i = 0; i < a->probe_count; i++) {
    write_setting(out, "--probe", "%s", a->probes[i]);
  }
  write_setting(out, "--out", "%s", folder);
  return fclose(out) == 0 ? text : NULL;
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
  cell->started = cell->process >= 0;
  if (cell->process == 0) {
    _exit(rl_run(cell->scenario, cell->solver, &options, cell->folder, cell->command));
  }
}

// A run that ended without saying how: entered by its parent.
static void enter_crash(const run_cell *cell, int status) {
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

// Waits a moment for a cell to end. A wait without end could miss a signal that comes just before
// it, and then the cells would never hear of it.
static void wait_for_one(comparison *c) {
  int status = 0;
  const pid_t process = waitpid(-1, &status, WNOHANG);
  if (process <= 0) {
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    return;
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
      running += cell->started ? 1 : 0;
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
static void describe_missing(const run_cell *cell, const char **status, const char **reason) {
  if (!cell->scenario) {
    *status = "unsupported";
    *reason = "this version does not support the scenario";
  } else if (!cell->started && rl_run_interrupted()) {
    *status = "interrupted";
    *reason = "the run was not started";
  } else {
    *status = "failed";
    *reason = cell->started ? "the run left no run.json" : "the run could not be started";
  }
}

static void write_cell(FILE *out, const run_cell *cell) {
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
  if (rl_run_has_result(c->folder)) { // which would be mistaken for the comparison
    fprintf(stderr, "ropelab: %s holds the result of a single run; expected another folder\n",
            c->folder);
    return false;
  }
  if (rl_file_exists(path) && !a->force) {
    fprintf(stderr, "ropelab: %s already holds a comparison; --force replaces it\n", c->folder);
    return false;
  }
  // Gone until the new one is complete: it would speak of runs that are no longer there.
  if (!rl_make_folders(c->folder) || !rl_remove_file(path)) {
    fprintf(stderr, "ropelab: cannot write into %s: %s\n", c->folder, strerror(errno));
    return false;
  }
  return true;
}

// A comparison that was killed has results and no summary.
static bool is_free(const comparison *c) {
  for (size_t i = 0; i < c->cell_count; i++) {
    if (rl_run_has_result(c->cells[i].folder)) {
      fprintf(stderr, "ropelab: %s already holds a result; --force replaces it\n",
              c->cells[i].folder);
      return false;
    }
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
    rl_schedule schedule;
    if (c->scenarios[i] && !rl_run_plan(c->scenarios[i], &a->run, &schedule)) {
      *status = RL_EXIT_USAGE;
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
  if (!a->force && !is_free(c)) {
    return RL_EXIT_USAGE;
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
