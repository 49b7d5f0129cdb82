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

// Which states of the reference's run others start from.
typedef struct rl_walk {
  const rl_scenario *scenario;
  const rl_solver_spec *reference;
  double step;        // [s]
  uint64_t substeps;  // the reference's: equal parts of a step
  const uint64_t *at; // [count] after so many steps, rising
  size_t count;
  double limit; // [s] of processor time to make it; nan: none
} rl_walk;

enum { RL_WHY_MAX = 512 };

// Says on stderr why there is no reference, unless it was interrupted; returns the status.
int rl_reference_tell(const rl_scenario *scenario, int status, const char *why);

// Runs the reference and keeps the states. Returns an exit status, with the reason in words unless
// it is RL_EXIT_DONE or interrupted. Free the origins in every case; they have to be zero before.
int rl_origins_make(const rl_walk *walk, rl_origin *origins, char why[RL_WHY_MAX]);

// The same of a run that studies share, in `cache` (run_cache.h). `*shared`: it was there.
int rl_origins_share(const char *cache, const rl_walk *walk, rl_origin *origins, bool *shared,
                     char why[RL_WHY_MAX]);
void rl_origins_free(rl_origin *origins, size_t count);

// A reference run in pieces: the state at the start of each, and the places [place_count] after
// every `stride` steps of it, the start included, one piece after the other.
typedef struct rl_track {
  const rl_scenario *scenario;
  const rl_solver_spec *reference;
  double step; // [s]
  uint64_t pieces, piece, stride;
  double limit; // [s] of processor time to make it; nan: none
} rl_track;

// One that studies share, to be read piece by piece; NULL: it is not there. And makes it: returns
// an exit status as rl_origins_make(), RL_EXIT_DONE also where there is no room to keep it.
FILE *rl_track_open(const char *cache, const rl_track *track);
int rl_track_keep(const char *cache, const rl_track *track, char why[RL_WHY_MAX]);
bool rl_track_read(FILE *file, const rl_track *track, rl_state *start, rl_vec3 *places);

#endif
