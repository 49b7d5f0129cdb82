// SPDX-License-Identifier: GPL-3.0-or-later
// Cells of a comparison or study: runs, each in a process of its own, and the table of outcomes.
#ifndef RL_CELLS_H
#define RL_CELLS_H

#include "results/files.h"
#include "run.h"

// One run: scenario, solver, folder, and whether it has been started.
typedef struct rl_cell {
  const rl_scenario *scenario; // NULL: the scenario is not supported,
  const char *fault;           // for this reason
  const char *name;            // of the scenario
  const rl_solver_spec *solver;
  rl_run_options run; // step, duration ...; rl_cells_run sets `quiet` and `comparison`
  double cost;        // estimated, in any unit: the most expensive start first, ties in order
  char folder[RL_PATH_MAX];
  char *command;          // the command that repeats this cell alone
  const char *comparison; // the command that repeats all cells
  bool started;
} rl_cell;

// Estimates the cost of a run, in the unit of rl_cell.cost.
double rl_cell_cost(const rl_scenario *scenario, const rl_solver_spec *solver, uint64_t steps);

// Runs all cells, `jobs` at a time (0: one a processor; fewer if memory is short). A failed cell
// does not stop the others; a signal stops all, and so does a full disk. Returns false with errno
// set when out of memory or of disk space.
bool rl_cells_run(rl_cell *cells, size_t count, long jobs);

// Writes the status of a cell to `buffer` and returns it: that of its run.json ("done", "diverged"
// ...), or "failed", "interrupted" or "unsupported" where there is no run.json.
const char *rl_cell_status(const rl_cell *cell, char *buffer, size_t size);

// Prints on stderr the cells that diverged or timed out, then the first note of the others.
void rl_cells_print_notes(const rl_cell *cells, size_t count);

// Counts the cells whose results were copied from the shared run cache; `earlier`: how many of them
// were in it before the file `begun` was written, so that no other cell has made them.
size_t rl_cells_shared(const rl_cell *cells, size_t count, const char *begun, size_t *earlier);

// Whether every cell can have its folder without replacing a result it must not replace. Otherwise
// prints a message, which mentions --resume if `resumable`.
bool rl_cells_are_free(const rl_cell *cells, size_t count, bool resumable);

// Writes FOLDER/summary.csv, one row per cell, through summary.csv.new. Wall-clock seconds differ
// between repetitions; without `timed` that column is nan. Returns false with errno set.
bool rl_cells_summarise(const rl_cell *cells, size_t count, const char *folder, bool timed);

// Writes FOLDER/timing.csv: the wall-clock seconds of each cell. Returns false with errno set.
bool rl_cells_write_timing(const rl_cell *cells, size_t count, const char *folder);

#endif
