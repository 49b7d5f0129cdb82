// SPDX-License-Identifier: GPL-3.0-or-later
// How long a step a method can take before it disagrees with itself (Erez, Tassa, Todorov 2015):
// from states of its own run in very small steps it is started again with larger ones, and what is
// measured is how far it is from that run over a piece of it. Beside it what drifts over the whole
// run although it is conserved, and how fast the method is.
#ifndef RL_CONSISTENCY_H
#define RL_CONSISTENCY_H

#include "runs/reference.h"

// What is asked for.
typedef struct rl_consistency {
  const rl_scenario *scenario;
  const rl_solver_spec *solvers;
  size_t solver_count;
  const rl_solver_spec *reference; // NULL: each solver is its own
  double reference_step;           // [s]
  const char *cache;               // where the run of a reference is kept for all; NULL: nowhere
  const uint64_t *multiples;       // [step_count] steps as multiples of that, rising
  size_t step_count;
  size_t pieces;
  uint64_t piece;   // steps of the reference in a piece; a multiple of all multiples
  unsigned repeats; // of the timing
  long jobs;        // solvers at a time; the timing has the machine for itself
  double limit;     // [s] of processor time for a solver, whole ones; nan: none
} rl_consistency;

// A solver with one step.
typedef struct rl_consistency_row {
  bool piece_diverged, run_diverged;
  rl_reason why;           // the last of these; RL_RUNNING where neither did
  size_t pieces_done;      // those that did not diverge
  double error, error_max; // [m] mean distance over a piece: mean and largest of the pieces
  double row_evaluations;  // in a simulated second
  double energy_drift;     // largest |energy error| / energy the scene can hold, over the run;
                           // nan where it diverged
  double momentum_drift;   // largest change / largest sum of m |v|; nan where it is not conserved
  double angular_drift;    // about the origin: largest change / its size; nan likewise
  double seconds;          // least, for a simulated second
} rl_consistency_row;

typedef enum rl_consistency_end {
  RL_CONSISTENCY_FAILED, // or not even started
  RL_CONSISTENCY_LATE,   // past its time limit
  RL_CONSISTENCY_LOST,   // the reference diverged, of which there are no states then
  RL_CONSISTENCY_DONE
} rl_consistency_end;

// Makes the run of the reference for all solvers in the cache, unless it is too large: then each
// makes it on its way. `*shared`: an earlier study has. Returns an exit status, with the reason in
// words unless it is RL_EXIT_DONE or interrupted.
int rl_consistency_share(const rl_consistency *study, bool *shared, char why[RL_WHY_MAX]);

// Measures everything, each solver in a process of its own; rows of solver s from [s * step_count]
// on, and how it ended.
// Returns an exit status, with a message if it is RL_EXIT_FAILED.
// `others`: the share of the machine that others had during the timing.
int rl_consistency_run(const rl_consistency *study, rl_consistency_row *rows,
                       rl_consistency_end *ends, double *others);

#endif
