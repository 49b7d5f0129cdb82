// SPDX-License-Identifier: GPL-3.0-or-later
// Cells: many runs, each in a process of its own, some at a time, and the table of how they ended.
#ifndef RL_CELLS_H
#define RL_CELLS_H

#include "results/files.h"
#include "run.h"

// A run: a scenario, a solver, a folder, and how far it is.
typedef struct rl_cell {
  const rl_scenario *scenario; // NULL: not even the scenario is supported,
  const char *fault;           // for this reason
  const char *name;            // of the scenario
  const rl_solver_spec *solver;
  rl_run_options run; // step, duration ...; how it is told is set by rl_cells_run
  double cost;        // an estimate in any unit: dear cells start first, of equals the first
  char folder[RL_PATH_MAX];
  char *command;          // that repeats this cell alone
  const char *comparison; // and all cells
  bool started;
} rl_cell;

// About how long a run takes, for the cost of a cell.
double rl_cell_cost(const rl_scenario *scenario, const rl_solver_spec *solver, uint64_t steps);

// Runs all cells, `jobs` at a time (0: as many as there are processors). A cell that fails does not
// stop the others; a signal stops all. False when out of memory.
bool rl_cells_run(rl_cell *cells, size_t count, long jobs);

// How a cell ended: the status of its run.json ("done", "diverged" ...), or "failed" and the like
// where it left none.
const char *rl_cell_status(const rl_cell *cell, char *buffer, size_t size);

// On stderr, briefly: the cells that diverged or ran out of time, and what is to be noted of the
// others.
void rl_cells_tell(const rl_cell *cells, size_t count);

// How many cells were not run but taken from what studies have in common.
size_t rl_cells_shared(const rl_cell *cells, size_t count);

// Whether each cell has room for its folder, and no result there that it may not replace; else
// false with a message, which speaks of --resume if that can go on with it.
bool rl_cells_are_free(const rl_cell *cells, size_t count, bool resumable);

// Writes FOLDER/summary.csv by way of summary.csv.new, a row for each cell. What takes its time has
// seconds that differ from one time to the next: without `timed` they are nan. False with errno
// set.
bool rl_cells_summarise(const rl_cell *cells, size_t count, const char *folder, bool timed);

// Writes FOLDER/timing.csv: the seconds of each cell. False with errno set.
bool rl_cells_write_timing(const rl_cell *cells, size_t count, const char *folder);

#endif
