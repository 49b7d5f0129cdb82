// SPDX-License-Identifier: GPL-3.0-or-later
// One step of every solver from the same stored states of a reference run, and its distance from
// the reference at the end of the step.
#ifndef RL_ONESTEP_H
#define RL_ONESTEP_H

#include "results/files.h"
#include "runs/reference.h"

// The input of a comparison.
typedef struct rl_onestep {
  const rl_scenario *scenario;
  const rl_solver_spec *solvers;
  size_t solver_count;
  const rl_solver_spec *reference; // solver of the reference run
  double step;                     // [s]
  const rl_origin *from;           // [from_count]
  size_t from_count;
  const double *iterations; // [iteration_count] ascending
  size_t iteration_count;
  long jobs;    // solvers at a time; 0: as many as there are processors
  double limit; // processor time for a solver, rounded up to whole seconds [s]; nan: no limit
} rl_onestep;

// The outcome of a solver over all origins, with the largest number of iterations.
typedef struct rl_onestep_outcome {
  // NULL: the scenario is not supported. "timeout" (past the limit) and "failed" (the process ended
  // early) have no reason, numbers or rows.
  const char *status, *reason;
  rl_distance_norms error;   // rms: root mean square over the origins; max: largest
  double residual;           // largest [m]
  double iterations;         // mean of a step
  double row_evaluations;    // mean of a step
  double iterations_settled; // fewest with a position error within the settled factor of the last
  double seconds;            // wall-clock time in all steps
} rl_onestep_outcome;

// A solver has settled where its error is at most this factor above that with most iterations.
extern const double rl_onestep_settled_factor;

// Writes the header of the table.
void rl_onestep_write_header(rl_lines *table);

// Makes all steps, each solver in a process of its own, and writes a row of `table` for each: first
// the uncertainty of the reference, then of each solver those with most iterations first. Stores
// outcomes [solver_count]. Returns an exit status: done, interrupted, or failed with errno set.
int rl_onestep_run(const rl_onestep *study, rl_lines *table, rl_onestep_outcome *outcomes);

#endif
