// SPDX-License-Identifier: GPL-3.0-or-later
// What follows from a definition, without a model: places, lengths, what can touch and turn.
#ifndef RL_DEFINITION_H
#define RL_DEFINITION_H

#include "../bodies/shape.h"
#include "../model.h"

// A body with neither shape nor inertia: it cannot turn.
bool rl_definition_is_point_mass(const rl_body_definition *body);

// Where a body is at the start [m]: a driven one at the beginning of its drive.
rl_vec3 rl_definition_position(const rl_body_definition *body);

// Where the ends and eyes of a rope are at the start [m].
rl_vec3 rl_definition_end(const rl_definition *definition, const rl_end *end);
rl_vec3 rl_definition_eye(const rl_definition *definition, const rl_waypoint *waypoint);

// Length of the rope's way from end to end, over its eyes or along its points [m].
double rl_definition_path_length(const rl_definition *definition, const rl_rope_definition *rope);

// Rest length of a rope [m]: of its elements together, given, or its way and the slack.
double rl_definition_length(const rl_definition *definition, const rl_rope_definition *rope);

// Whether the nodes of the rope can touch the body: it has a surface, ropes touch it, and neither
// end of the rope that is tied to it lies inside.
bool rl_definition_touches(const rl_definition *definition, const rl_rope_definition *rope,
                           uint32_t body);

// Whether two bodies can touch each other: both have a surface that is for other bodies, and one of
// them can move.
bool rl_definition_collide(const rl_definition *definition, uint32_t a, uint32_t b);

// The friction of a rope in an eye on its way: that of the pair, of which an eye without its own
// has that of its body; and whether a massless rope has some in any eye.
double rl_definition_eye_friction(const rl_definition *definition, const rl_rope_definition *rope,
                                  const rl_waypoint *waypoint);
// How many eyes a rope with mass runs through; 0 of a massless one.
size_t rl_definition_rings(const rl_rope_definition *rope);

bool rl_definition_eyes_rub(const rl_definition *definition, const rl_rope_definition *rope);

// The same of a rope with mass.
bool rl_definition_rings_rub(const rl_definition *definition, const rl_rope_definition *rope);

// Whether the rope has friction on some body that it can touch, or in an eye.
bool rl_definition_rubs(const rl_definition *definition, const rl_rope_definition *rope);

// Whether a body turns during a run: one on an axle, one that is driven with a spin, and a free one
// that spins or that a rope or another body can turn.
bool rl_definition_turns(const rl_definition *definition, uint32_t body);

// Principal moments of inertia of a body [kg m^2]: as given, or those of its shape filled evenly.
// False with a message [256] where the frame of the shape is not that of its mass centre and
// principal axes, or the shape has no volume.
bool rl_definition_inertia(const rl_body_definition *body, rl_vec3 *inertia, char *message);

// Whether an event lets a fixed body go.
bool rl_definition_is_released(const rl_definition *definition, uint32_t body);

// Whether some rope tears by itself; whether anything that is tied can come apart, by an event, a
// tear or, where a rope was given spare nodes, by a program; whether forces or wind push on the
// scene.
bool rl_definition_tears(const rl_definition *definition);
bool rl_definition_parts(const rl_definition *definition);
bool rl_definition_is_pushed(const rl_definition *definition);

// Whether a rope is on a winch, and whether that feeds it with nodes: it has mass.
bool rl_definition_is_reeled(const rl_definition *definition, uint32_t rope);
bool rl_definition_is_fed(const rl_definition *definition, uint32_t rope);

// The nodes that winches can feed a rope with, at most.
double rl_definition_fed_nodes(const rl_definition *definition, uint32_t rope);

// The most elements that a rope can have at a time.
size_t rl_definition_most_elements(const rl_definition *definition, uint32_t rope);

// The spare nodes of a rope: as given, or as many as what can happen to it can need.
size_t rl_definition_spares(const rl_definition *definition, uint32_t rope);

// The friction coefficient of a pair: sqrt(a b); a side without one (NAN) takes the other's.
double rl_pair_friction(double a, double b);

// A part of a shape as the model has it.
rl_part rl_part_from_definition(const rl_part_definition *definition);

#endif
