// SPDX-License-Identifier: GPL-3.0-or-later
// A reference run, and the states of it from which other solvers start.
#ifndef RL_REFERENCE_H
#define RL_REFERENCE_H

#include "distance.h"
#include "scenario.h"
#include "solver_spec.h"

#include <stdio.h>

// A state of the reference, numbered as in a run whose step is that of the comparison, and what
// becomes of it in one such step.
typedef struct rl_origin {
  rl_state *start;
  rl_state *end; // its tensions are the mean over the step
  // Of `end`: its distance from the same with half as many steps; of positions at least what the
  // reference says of its own step.
  rl_distance_norms uncertainty;
} rl_origin;

// The solver to compare with: the one asked for, or (NULL) the first of `reference`, `rattle` and,
// for elastic ropes, `penalty` by Runge-Kutta that can run the scenario. False with a message and
// the exit status where that cannot be.
bool rl_reference_choose(const rl_scenario *scenario, const char *asked, rl_solver_spec *reference,
                         int *status);

// Runs the reference in `substeps` equal parts of `step` and keeps the states after each `at` steps
// (rising). Returns an exit status, with a message unless it is RL_EXIT_DONE or interrupted. Free
// the origins in every case; they have to be zero before.
int rl_origins_make(const rl_scenario *scenario, const rl_solver_spec *reference, double step,
                    uint64_t substeps, const uint64_t *at, size_t count, rl_origin *origins);

// The same of a run that studies share, in `cache` (run_cache.h). `*shared`: it was there.
int rl_origins_share(const char *cache, const rl_scenario *scenario,
                     const rl_solver_spec *reference, double step, uint64_t substeps,
                     const uint64_t *at, size_t count, rl_origin *origins, bool *shared);
void rl_origins_free(rl_origin *origins, size_t count);

// A reference run in pieces: the state at the start of each, and the places [place_count] after
// every `stride` steps of it, the start included, one piece after the other.
typedef struct rl_track {
  const rl_scenario *scenario;
  const rl_solver_spec *reference;
  double step; // [s]
  uint64_t pieces, piece, stride;
} rl_track;

// One that studies share, to be read piece by piece; NULL: it is not there. And makes it, unless it
// diverges, is interrupted or cannot be kept.
FILE *rl_track_open(const char *cache, const rl_track *track);
void rl_track_keep(const char *cache, const rl_track *track);
bool rl_track_read(FILE *file, const rl_track *track, rl_state *start, rl_vec3 *places);

#endif
