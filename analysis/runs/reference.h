// SPDX-License-Identifier: GPL-3.0-or-later
// A reference run and the states in it from which other solvers start.
#ifndef RL_REFERENCE_H
#define RL_REFERENCE_H

#include "distance.h"
#include "scenario.h"
#include "solver_spec.h"

#include <stdio.h>

// A state of the reference run and the state one step later. Their step and time count as in a run
// with the step of the comparison.
typedef struct rl_origin {
  rl_state *start;
  rl_state *end; // its tensions are means over the step
  // Distance of `end` from the same step made with half as many substeps; for positions at least
  // the reference's own error estimate. nan: unknown.
  rl_distance_norms uncertainty;
} rl_origin;

// Parses the reference solver `asked`; NULL chooses the first of `reference`, `rattle` and, for
// elastic ropes, `penalty` with Runge-Kutta 4 that supports the scenario. Returns false with a
// message and the exit status if there is none.
bool rl_reference_choose(const rl_scenario *scenario, const char *asked, rl_solver_spec *reference,
                         int *status);

// The states of a reference run that are to be kept.
typedef struct rl_walk {
  const rl_scenario *scenario;
  const rl_solver_spec *reference;
  double step;        // [s]
  uint64_t substeps;  // substeps of the reference in a step
  const uint64_t *at; // [count] number of steps before each state, ascending
  size_t count;
  double limit; // processor time for the run [s]; nan: no limit
} rl_walk;

enum { RL_WHY_MAX = 512 };

// Prints on stderr why there is no reference, unless it was interrupted; returns `status`.
int rl_reference_print_failure(const rl_scenario *scenario, int status, const char *why);

// Runs the reference and keeps the states in `origins` [count], which have to be zero. Returns an
// exit status, and the reason in `why` unless it is RL_EXIT_DONE or RL_EXIT_INTERRUPTED. The
// caller frees the origins in every case.
int rl_origins_make(const rl_walk *walk, rl_origin *origins, char why[RL_WHY_MAX]);

// The same through the run cache of studies (run_cache.h). `*shared`: they were there already.
int rl_origins_share(const char *cache, const rl_walk *walk, rl_origin *origins, bool *shared,
                     char why[RL_WHY_MAX]);
void rl_origins_free(rl_origin *origins, size_t count);

// A reference run cut into pieces: the state at the start of each piece, and the positions of all
// places [place_count] every `stride` steps of it, from its start to its end.
typedef struct rl_reference_track {
  const rl_scenario *scenario;
  const rl_solver_spec *reference;
  double step;                    // [s]
  uint64_t pieces, piece, stride; // number of pieces, steps of a piece, steps between positions
  double limit;                   // processor time for the run [s]; nan: no limit
} rl_reference_track;

// Opens the stored track in the run cache for rl_reference_track_read(); NULL: there is none.
FILE *rl_reference_track_open(const char *cache, const rl_reference_track *track);

// Makes the run and stores its track. Returns an exit status as rl_origins_make(), RL_EXIT_DONE
// also where the track could not be stored.
int rl_reference_track_keep(const char *cache, const rl_reference_track *track,
                            char why[RL_WHY_MAX]);

// Reads the next piece: its start, and positions [(piece + 1) x place_count], of which the rows of
// multiples of `stride` are filled in. Returns false if the file is too short.
bool rl_reference_track_read(FILE *file, const rl_reference_track *track, rl_state *start,
                             rl_vec3 *places);

#endif
