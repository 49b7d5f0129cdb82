// SPDX-License-Identifier: GPL-3.0-or-later
// Properties that follow from a definition without a model: positions, lengths, which bodies can
// touch and turn.
#ifndef RL_DEFINITION_H
#define RL_DEFINITION_H

#include "../bodies/shape_hull.h"
#include "../model.h"

// Whether a body has neither parts nor inertia: then it cannot turn.
bool rl_definition_is_point_mass(const rl_body_definition *body);

// Returns the position of a body at the start [m]; of a driven one at the beginning of its drive.
rl_vec3 rl_definition_position(const rl_body_definition *body);

// Return the position of an end, and of an eye, of a rope at the start [m].
rl_vec3 rl_definition_end(const rl_definition *definition, const rl_end *end);
rl_vec3 rl_definition_eye(const rl_definition *definition, const rl_waypoint *waypoint);

// Returns the length of the path of a rope from end to end, over its eyes or along its points [m].
double rl_definition_path_length(const rl_definition *definition, const rl_rope_definition *rope);

// Returns the rest length of a rope [m]: the sum over its elements, the given length, or that of
// its path with the slack.
double rl_definition_length(const rl_definition *definition, const rl_rope_definition *rope);

// Whether a rope can touch a body: the body has parts, its `rope_collide` is set, and no end of the
// rope that is tied to it lies inside.
bool rl_definition_touches(const rl_definition *definition, const rl_rope_definition *rope,
                           uint32_t body);

// Whether two bodies can touch each other: both have parts and their `collide` set, and at least
// one of them can move.
bool rl_definition_collide(const rl_definition *definition, uint32_t a, uint32_t b);

// Returns the friction coefficient of a rope in an eye: that of the pair, for which an eye without
// one has that of its body.
double rl_definition_eye_friction(const rl_definition *definition, const rl_rope_definition *rope,
                                  const rl_waypoint *waypoint);

// Returns the number of eyes that a rope with mass runs through; 0 for a massless rope.
size_t rl_definition_rings(const rl_rope_definition *rope);

// Whether a massless rope has friction in an eye.
bool rl_definition_eyes_rub(const rl_definition *definition, const rl_rope_definition *rope);

// Whether a rope with mass has friction in an eye.
bool rl_definition_rings_rub(const rl_definition *definition, const rl_rope_definition *rope);

// Whether a rope has friction on a body that it can touch.
bool rl_definition_rubs_on_bodies(const rl_definition *definition, const rl_rope_definition *rope);

// The same, or a massless rope in an eye.
bool rl_definition_rubs(const rl_definition *definition, const rl_rope_definition *rope);

// Whether a body turns during a run: on an axle, driven with a spin, or free with a spin or with a
// rope or another body that can exert a torque on it.
bool rl_definition_turns(const rl_definition *definition, uint32_t body);

// Computes the principal moments of inertia of a body [kg m^2]: as given, or of its shape with
// uniform density. Returns false with a message if the frame of the shape is not that of its mass
// centre and principal axes, or if its volume is infinite.
bool rl_definition_inertia(const rl_body_definition *body, rl_vec3 *inertia, char *message,
                           size_t size);

// Whether an event releases a fixed body.
bool rl_definition_is_released(const rl_definition *definition, uint32_t body);

// Whether some rope can tear; whether anything tied can come apart, by an event, a tear or, if a
// rope was given spare nodes, by a program; whether there are forces or wind.
bool rl_definition_tears(const rl_definition *definition);
bool rl_definition_parts(const rl_definition *definition);
bool rl_definition_is_pushed(const rl_definition *definition);

// Whether a rope is on a winch; whether it has mass too, so that the winch feeds it with nodes.
bool rl_definition_is_reeled(const rl_definition *definition, uint32_t rope);
bool rl_definition_is_fed(const rl_definition *definition, uint32_t rope);

// Returns the most nodes that winches can feed into a rope.
double rl_definition_fed_nodes(const rl_definition *definition, uint32_t rope);

// Returns the most elements that a rope can have at a time.
size_t rl_definition_most_elements(const rl_definition *definition, uint32_t rope);

// Returns the number of spare nodes of a rope: as given, or as many as its events and tears can
// need.
size_t rl_definition_spares(const rl_definition *definition, uint32_t rope);

// Returns the friction coefficient of a pair: sqrt(a b); if one is absent (NAN) the other.
double rl_pair_friction(double a, double b);

// Returns the part of a model for a part of a definition; the faces of a hull are not filled in.
rl_part rl_part_from_definition(const rl_part_definition *definition);

// Makes that part, with the faces of a hull in `hull`. Returns false if there is no such hull.
bool rl_definition_part(const rl_part_definition *definition, rl_hull *hull, rl_part *part);

#endif
