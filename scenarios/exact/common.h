// SPDX-License-Identifier: GPL-3.0-or-later
// What several closed forms ask of a scenario.
#ifndef RL_EXACT_COMMON_H
#define RL_EXACT_COMMON_H

#include "exact.h"
#include "world/trigonometry.h"

#define RL_HALF_PI 1.57079632679489661923

// Writes a message; returns false.
bool rl_exact_refuse(char *message, size_t size, const char *format, ...);

// A slot that never moves: a fixed body or a point in space.
bool rl_exact_is_fixed(const rl_model *model, uint32_t slot);

// Where an eye is at the start.
rl_vec3 rl_exact_start(const rl_model *model, rl_vertex eye);

// A body that moves freely from rest, does not turn, and is tied at its centre.
bool rl_exact_is_load(const rl_model *model, uint32_t slot);

// The rope is massless, inextensible and exactly taut at the start.
bool rl_exact_is_taut_line(const rl_model *model, uint32_t rope, char *message, size_t size);

// Puts a body at `position` with `velocity`.
void rl_exact_set(rl_state *state, uint32_t slot, rl_vec3 position, rl_vec3 velocity);

#endif
