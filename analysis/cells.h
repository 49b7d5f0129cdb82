// SPDX-License-Identifier: GPL-3.0-or-later
// Cells: many runs, each in a process of its own, some at a time, and the table of how they ended.
#ifndef RL_CELLS_H
#define RL_CELLS_H

#include <sys/types.h>

#include "files.h"
#include "run.h"

// A run: a scenario, a solver, a folder, and how far it is.
typedef struct rl_cell {
  const rl_scenario *scenario; // NULL: not even the scenario is supported,
  const char *fault;           // for this reason
  const char *name;            // of the scenario
  const rl_solver_spec *solver;
  char folder[RL_PATH_MAX];
  char *command;    // that repeats this cell alone
  char *comparison; // and all cells of its scenario
  bool started;
  pid_t process; // while it runs
} rl_cell;

// Runs all cells, `jobs` at a time (0: as many as there are processors). A cell that fails does not
// stop the others; a signal stops all.
void rl_cells_run(rl_cell *cells, size_t count, const rl_run_options *options, long jobs);

// Writes FOLDER/summary.csv by way of summary.csv.new, a row for each cell. False with errno set.
bool rl_cells_summarise(const rl_cell *cells, size_t count, const char *folder);

#endif
