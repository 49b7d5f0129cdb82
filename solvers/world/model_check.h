// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of a definition before it becomes a model.
#ifndef RL_MODEL_CHECK_H
#define RL_MODEL_CHECK_H

#include "model.h"

// Of the rest length of an element: how far it may start out of it, if it is inextensible, or
// inside a body, before the rope is refused. Larger than what rounding coordinates to three digits
// does, smaller than what anybody means.
#define RL_START_TOLERANCE 1e-3

// False with `fault` filled in: at the first thing that is invalid, or, in a definition that is
// valid throughout, at the first that this version cannot do.
bool rl_definition_check(const rl_definition *definition, rl_fault *fault);

// The first part of that: every value by itself, and what indices point at (model_values.c).
bool rl_definition_check_values(const rl_definition *definition, rl_fault *fault);

// Fills in a fault (printf style); returns false.
bool rl_fault_set(rl_fault *fault, rl_fault_kind kind, uint32_t body, uint32_t rope,
                  const char *field, const char *format, ...);

// Where a body is at the start [m]: a driven one at the beginning of its drive.
rl_vec3 rl_definition_position(const rl_body_definition *body);

// Where the ends and eyes of a rope are at the start [m].
rl_vec3 rl_definition_end(const rl_definition *definition, const rl_end *end);
rl_vec3 rl_definition_eye(const rl_definition *definition, const rl_way *way);

// Whether the rope's length and points fit its ends; `at` of a joined end must be its place.
bool rl_definition_check_length(const rl_definition *definition, uint32_t rope, rl_fault *fault);

// Length of the rope's way from end to end, over its eyes or along its points [m].
double rl_definition_way(const rl_definition *definition, const rl_rope_definition *rope);

// Rest length of a rope [m]: of its elements together, given, or its way and the slack.
double rl_definition_length(const rl_definition *definition, const rl_rope_definition *rope);

// Whether the nodes of the rope can touch the body: it has a surface, ropes touch it, and neither
// end of the rope that is tied to it lies inside.
bool rl_definition_touches(const rl_definition *definition, const rl_rope_definition *rope,
                           uint32_t body);

// Whether a body turns during a run: one on an axle, one that is driven with a spin, and a free one
// that spins or that a rope can turn.
bool rl_definition_turns(const rl_definition *definition, uint32_t body);

// Principal moments of inertia of a body [kg m^2]: as given, or those of its shape filled evenly.
// False with a message [256] where the frame of the shape is not that of its mass centre and
// principal axes, or the shape has no volume.
bool rl_definition_inertia(const rl_body_definition *body, rl_vec3 *inertia, char *message);

// The friction coefficient of a pair: sqrt(a b); a side without one (NAN) takes the other's.
double rl_pair_friction(double a, double b);

// A part of a shape as the model has it.
rl_part rl_part_from_definition(const rl_part_definition *definition);

#endif
