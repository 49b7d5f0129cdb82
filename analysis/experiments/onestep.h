// SPDX-License-Identifier: GPL-3.0-or-later
// One step of every solver from the same stored states of a reference run, and how far its end is
// from the reference's.
#ifndef RL_ONESTEP_H
#define RL_ONESTEP_H

#include "results/files.h"
#include "runs/reference.h"

// What is asked for.
typedef struct rl_onestep {
  const rl_scenario *scenario;
  const rl_solver_spec *solvers;
  size_t solver_count;
  const rl_solver_spec *reference; // where the origins come from
  double step;                     // [s]
  const rl_origin *from;           // [from_count]
  size_t from_count;
  const double *iterations; // [iteration_count] rising
  size_t iteration_count;
  long jobs;    // solvers at a time; 0: as many as there are processors
  double limit; // [s] of processor time for a solver, whole ones; nan: none
} rl_onestep;

// How a solver did: over all origins, with the most iterations that it was given.
typedef struct rl_onestep_outcome {
  // NULL where the solver cannot run the scenario. "timeout" (past the limit) and "failed" (its
  // process ended early) have no reason of the method's, no numbers and no rows.
  const char *status, *reason;
  rl_distance_norms error;   // the means: their root mean square; the maxima: the largest
  double residual;           // largest [m]
  double iterations;         // of a step, mean
  double row_evaluations;    // of a step, mean
  double iterations_settled; // fewest with a position error within settled_factor of the last
  double seconds;            // in all its steps
} rl_onestep_outcome;

// From this factor above its last error on, more iterations do not help a solver much.
extern const double rl_onestep_settled_factor;

// The head of the table.
void rl_onestep_write_header(rl_lines *table);

// Takes all steps, each solver's in a process of its own. A row of `table` for each, of each solver
// those with the most iterations first; an outcome for each solver. Returns an exit status: done,
// interrupted, or failed with errno set.
int rl_onestep_run(const rl_onestep *study, rl_lines *table, rl_onestep_outcome *outcomes);

#endif
