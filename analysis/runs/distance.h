// SPDX-License-Identifier: GPL-3.0-or-later
// How far two states of one model are from each other.
#ifndef RL_DISTANCE_H
#define RL_DISTANCE_H

#include "world/state.h"

// L2 (root mean square) and largest distance over all nodes and mass centres that can move, and of
// the tensions over all elements and spans. Turns of bodies are left out.
typedef struct rl_distance_norms {
  double position_rms, position_max; // [m]
  double velocity_rms, velocity_max; // [m/s]
  double tension_rms, tension_max;   // [N]
} rl_distance_norms;

rl_distance_norms rl_state_distance(const rl_model *model, const rl_state *a, const rl_state *b);

// Whether what is at a place can move: neither held in space nor a body that is fixed or driven.
bool rl_place_moves(const rl_model *model, uint32_t place);

// Mean distance of the places that can move from other positions [place_count] [m].
double rl_mean_distance(const rl_model *model, const rl_state *state, const rl_vec3 *others);

#endif
