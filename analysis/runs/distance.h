// SPDX-License-Identifier: GPL-3.0-or-later
// Distances between two states of one model.
#ifndef RL_DISTANCE_H
#define RL_DISTANCE_H

#include "world/state.h"

// Root-mean-square and largest distance: of positions and velocities over all nodes and centres of
// mass that can move, of tensions over all links. Rotations of bodies are not compared.
typedef struct rl_distance_norms {
  double position_rms, position_max; // [m]
  double velocity_rms, velocity_max; // [m/s]
  double tension_rms, tension_max;   // [N]
} rl_distance_norms;

rl_distance_norms rl_state_distance(const rl_model *model, const rl_state *a, const rl_state *b);

// Whether a place can move: a node or body that is neither fixed in space nor driven.
bool rl_place_moves(const rl_model *model, uint32_t place);

// Returns the mean distance [m] of the places that can move from `others` [place_count] [m].
double rl_mean_distance(const rl_model *model, const rl_state *state, const rl_vec3 *others);

#endif
