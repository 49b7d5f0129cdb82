// SPDX-License-Identifier: GPL-3.0-or-later
// The longest step with which a method is still consistent with itself (Erez, Tassa, Todorov 2015).
// From states of the method's own run with very small steps, a piece of that run is repeated with
// larger steps; measured is the mean distance between the two over the piece. Beside it: the drift
// of conserved quantities over the whole run, and the speed of the method.
#ifndef RL_CONSISTENCY_H
#define RL_CONSISTENCY_H

#include "runs/reference.h"

// The input of a study.
typedef struct rl_consistency {
  const rl_scenario *scenario;
  const rl_solver_spec *solvers;
  size_t solver_count;
  const rl_solver_spec *reference; // NULL: each solver is its own reference
  double reference_step;           // [s]
  const char *cache;               // run cache for the reference; NULL: none
  const uint64_t *multiples;       // [step_count] steps in units of reference_step, ascending
  size_t step_count;
  size_t pieces;
  uint64_t piece;   // reference steps in a piece; a multiple of all multiples
  unsigned repeats; // of the timing
  long jobs;        // solvers at a time; while timing nothing else runs
  double limit;     // processor time for a solver, rounded up to whole seconds [s]; nan: no limit
} rl_consistency;

// The results of a solver with one step.
typedef struct rl_consistency_row {
  bool piece_diverged, run_diverged;
  rl_reason why;           // reason of the last divergence; RL_RUNNING: none
  size_t pieces_done;      // number of pieces that did not diverge
  double error, error_max; // mean distance over a piece [m]: mean and maximum over the pieces
  double row_evaluations;  // per simulated second
  double energy_drift;     // largest |energy error| over the run / energy scale of the scene; nan:
                           // the run diverged
  double momentum_drift;   // largest change / largest sum of m |v|; nan: not conserved, or diverged
  double angular_drift;    // about the origin, largest change / initial value; nan: the same
  double seconds;          // per simulated second, least of the repeats
} rl_consistency_row;

typedef enum rl_consistency_end {
  RL_CONSISTENCY_FAILED, // the process failed or was not started
  RL_CONSISTENCY_LATE,   // exceeded its time limit
  RL_CONSISTENCY_LOST,   // another solver is the reference, and diverged
  RL_CONSISTENCY_DONE
} rl_consistency_end;

// Makes the run of the reference once for all solvers and stores it in the cache, unless it is too
// large; then each solver makes it for itself. `*shared`: it was stored by an earlier study.
// Returns an exit status, and the reason in `why` unless it is RL_EXIT_DONE or interrupted.
int rl_consistency_share(const rl_consistency *study, bool *shared, char why[RL_WHY_MAX]);

// Measures everything, each solver in a process of its own. Stores the rows of solver s from
// rows[s * step_count] on, how each solver ended in ends [solver_count], and in `others` the share
// of the machine that other processes used during the timing. Returns an exit status, with a
// message if it is RL_EXIT_FAILED.
int rl_consistency_run(const rl_consistency *study, rl_consistency_row *rows,
                       rl_consistency_end *ends, double *others);

#endif
