// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "options.h"
#include "results/files.h"
#include "results/results_folder.h"
#include "runs/cells.h"
#include "runs/command_line.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const rl_usage rl_compare_usage = {
    .name = "compare",
    .positional = "SCENARIO...",
    .doc = "Runs every solver on every scenario, each in a process of its own, into "
           "DIR/SCENARIO/LABEL/, and writes DIR/summary.csv, figures and DIR/report.html. Cells "
           "that diverge or that a solver does not support are part of the result. Without "
           "--solver: all solvers."
           "\v"
           "Examples:\n"
           "  ropelab compare atwood --solver penalty --solver pbd --solver impulse\n"
           "  ropelab compare heavy-load --solver few=pbd,iterations=5 \\\n"
           "      --solver many=pbd,iterations=100\n"
           "  ropelab compare pendulum hanging-chain --step 0.001 --out out/fine",
    .options = "shdemtSplofjF",
    .least = 1,
    .most = RL_LIST_MAX,
};

// A comparison in progress.
typedef struct comparison {
  rl_arguments *arguments;
  rl_scenario *scenarios[RL_LIST_MAX]; // NULL: not supported,
  rl_diagnostic faults[RL_LIST_MAX];   // for this reason
  char folder[RL_PATH_MAX];
  char *command; // the command that repeats the comparison
  rl_cell *cells;
  size_t cell_count;
} comparison;

static bool add_cell(comparison *c, size_t index, const rl_solver_spec *solver) {
  const rl_arguments *a = c->arguments;
  const char *argument = a->positional[index];
  const rl_scenario *scenario = c->scenarios[index];
  rl_cell *cell = &c->cells[c->cell_count++];
  const char *slash = strrchr(argument, '/');
  cell->scenario = scenario;
  cell->name = scenario ? scenario->name : slash ? slash + 1 : argument;
  cell->fault = c->faults[index].message;
  cell->solver = solver;
  cell->run = a->run;
  rl_schedule schedule;
  rl_run_options quiet = cell->run;
  quiet.quiet = true;
  if (scenario && rl_run_plan(scenario, &quiet, &schedule)) {
    cell->cost = rl_cell_cost(scenario, solver, schedule.steps);
  }
  if (snprintf(cell->folder, sizeof cell->folder, "%s/%s/%s", c->folder, cell->name,
               solver->label) >= (int)sizeof cell->folder) {
    errno = ENAMETOOLONG;
    return false;
  }
  cell->command = rl_run_command(argument, solver, &a->run, a->overrides, a->override_count,
                                 a->probes, a->probe_count, cell->folder);
  cell->comparison = c->command;
  return cell->command;
}

// Loads solvers and scenarios, so that all mistakes are found before anything is run.
static bool load_all(comparison *c, int *status) {
  rl_arguments *a = c->arguments;
  if (!rl_solvers_complete(a, "compare")) {
    *status = RL_EXIT_USAGE;
    return false;
  }
  for (size_t i = 0; i < a->positional_count; i++) {
    c->scenarios[i] = rl_load_scenario(a->positional[i], a, &c->faults[i], status);
    if (!c->scenarios[i] && *status != RL_EXIT_UNSUPPORTED) {
      return false;
    }
    rl_schedule schedule;
    if (c->scenarios[i] && (!rl_run_plan(c->scenarios[i], &a->run, &schedule) ||
                            !rl_results_allow_name(c->scenarios[i]->name))) {
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
      if (!add_cell(c, i, &a->solvers[k])) {
        fprintf(stderr, "ropelab: %s\n", strerror(errno));
        return RL_EXIT_FAILED;
      }
    }
  }
  if (!rl_cells_are_free(c->cells, c->cell_count, false)) {
    return RL_EXIT_USAGE;
  }
  if (!rl_results_clear(c->folder, a->force, c->cells, c->cell_count)) {
    return RL_EXIT_FAILED;
  }
  if (!rl_cells_run(c->cells, c->cell_count, a->jobs) ||
      !rl_cells_summarise(c->cells, c->cell_count, c->folder, true)) {
    fprintf(stderr, "ropelab: %s: cannot write summary.csv: %s\n", c->folder, strerror(errno));
    return RL_EXIT_FAILED;
  }
  if (rl_run_interrupted()) {
    rl_print_interrupted(c->folder, NAN);
    return RL_EXIT_INTERRUPTED;
  }
  rl_cells_print_notes(c->cells, c->cell_count);
  return rl_report_and_print(c->folder, a->jobs, a->figures);
}

int rl_command_compare(int argc, char **argv) {
  static rl_arguments arguments;
  static comparison c;
  int status = RL_EXIT_FAILED;
  c.command = rl_command_line(argc, argv);
  if (!c.command || !rl_arguments_parse(&rl_compare_usage, argc, argv, &arguments, &status)) {
    free(c.command);
    return status;
  }
  c.arguments = &arguments;
  if (load_all(&c, &status)) {
    const bool one = arguments.positional_count == 1 && c.scenarios[0];
    const bool claimed = rl_results_choose_folder(c.folder, &arguments, "compare",
                                                  one ? c.scenarios[0]->name : NULL) &&
                         rl_results_claim(c.folder, "comparison", arguments.force, false);
    status = claimed ? compare(&c) : RL_EXIT_USAGE;
  }
  for (size_t i = 0; i < c.cell_count; i++) {
    free(c.cells[i].command);
  }
  free(c.cells);
  free(c.command);
  for (size_t i = 0; i < arguments.positional_count; i++) {
    rl_scenario_free(c.scenarios[i]);
  }
  return status;
}
