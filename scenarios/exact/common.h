// SPDX-License-Identifier: GPL-3.0-or-later
// What several closed forms ask of a scenario.
#ifndef RL_EXACT_COMMON_H
#define RL_EXACT_COMMON_H

#include "exact.h"
#include "world/trigonometry.h"

#define RL_HALF_PI 1.57079632679489661923

// Writes a message; returns false.
bool rl_exact_refuse(char *message, size_t size, const char *format, ...);

// False with "EXPECTED; found WHAT, WHAT" where any of `found` is not NULL: what the scenario has
// and the closed form does not know.
bool rl_exact_fits(const char *const *found, size_t count, char *message, size_t size,
                   const char *expected, ...);

// The `at` of a form that knows no places at later times, only an invariant: false.
bool rl_exact_not_known(const void *self, const rl_model *model, double t, rl_state *state);

#define RL_EXACT_COUNT(list) (sizeof(list) / sizeof *(list))

// A slot that never moves: a fixed body or a point in space.
bool rl_exact_is_fixed(const rl_model *model, uint32_t slot);

// Where an eye is at the start.
rl_vec3 rl_exact_start(const rl_model *model, rl_vertex eye);

// Where a massless rope bends at the start: over a round body, or in an eye.
typedef struct rl_exact_bend {
  uint32_t slot;       // what carries it; RL_NONE: fixed in space
  uint32_t body, part; // body RL_NONE: an eye
  rl_vec3 centre;      // of the part [m]
  rl_vec3 axis;        // about which the rope turns here by the right hand; of an eye 0
  rl_vec3 entry, exit; // where the rope comes on and leaves [m]
  rl_vec3 in, out;     // unit direction before and after
  double radius;       // of its path about the axis [m]; 0 of an eye
  double wrap;         // angle about the axis [rad]
  double turn;         // by which the rope's direction turns [rad]
  double friction;     // Coulomb coefficient
} rl_exact_bend;

#define RL_EXACT_BENDS_MAX 32

typedef struct rl_exact_path {
  uint32_t count;
  double length; // of the path [m]
  rl_exact_bend bends[RL_EXACT_BENDS_MAX];
} rl_exact_path;

// The path of a massless rope at the start; false with a message where it has too many bends.
bool rl_exact_look(const rl_model *model, uint32_t rope, rl_exact_path *path, char *message,
                   size_t size);

// Puts a rope that turned about one body, by `wrap` about `axis` [rad], into a state.
void rl_exact_wrap(rl_state *state, const rl_model *model, uint32_t rope, uint32_t body,
                   rl_vec3 axis, double wrap);

// Sets the tension of a whole massless rope [N].
void rl_exact_pull(rl_state *state, const rl_model *model, uint32_t rope, double tension);

// The mean tension from one time to another of a rope that is slack, catches with a blow [N s] and
// pulls evenly from then on [N].
double rl_exact_mean_pull(double from, double to, double caught, double blow, double after);

// What is at the slot instead of a free body that cannot turn, tied at its centre, and with `rests`
// starts at rest; NULL: that is there.
const char *rl_exact_no_load(const rl_model *model, uint32_t slot, bool rests);

// What is at the slot instead of an end that is free, or tied to such a body, moving or not.
const char *rl_exact_no_free_end(const rl_model *model, uint32_t slot);

// The rope is massless and inextensible.
bool rl_exact_is_line(const rl_model *model, uint32_t rope, char *message, size_t size);

// The rope is massless, inextensible and exactly taut at the start.
bool rl_exact_is_taut_line(const rl_model *model, uint32_t rope, char *message, size_t size);

// Such a rope leads from a point that never moves to the centre of a body that is free and does not
// turn, over a fixed body without friction, one cylinder (round), box or hull; and nothing weighs.
bool rl_exact_is_winding(const rl_model *model, uint32_t rope, uint32_t post, bool round,
                         char *message, size_t size);

// A weight that hangs plumb from where its rope bends first.
typedef struct rl_exact_weight {
  uint32_t slot;
  uint32_t carrier; // what carries the bend, RL_NONE if that is fixed
  double depth;     // how far below the bend it starts [m]
} rl_exact_weight;

// Whether the weight at a slot hangs plumb below `bend`, which carries it there.
bool rl_exact_hang(rl_exact_weight *weight, const rl_model *model, uint32_t slot,
                   const rl_exact_bend *bend, rl_vec3 bend_at, const char *rope, char *message,
                   size_t size);

// An open rope with mass whose elements are all alike, and so are its inner nodes.
typedef struct rl_exact_chain {
  uint32_t rope;
  uint32_t count;   // elements
  double rest;      // of an element [m]
  double node_mass; // of an inner node [kg]
} rl_exact_chain;

bool rl_exact_read_chain(rl_exact_chain *chain, const rl_model *model, uint32_t rope, char *message,
                         size_t size);

// The slot of node i of a rope at the start.
uint32_t rl_exact_node(const rl_model *model, uint32_t rope, uint32_t i);

// Both ends of the rope are nodes that nothing holds.
bool rl_exact_has_free_ends(const rl_model *model, uint32_t rope);

// No node of the rope moves at the start.
bool rl_exact_is_still(const rl_model *model, uint32_t rope);

// Nothing takes energy from the rope itself: no damping, no drag.
bool rl_exact_is_lossless(const rl_model *model, uint32_t rope);

// Whether level ground is all that a rope can touch: one half-space whose normal is `up`. Then
// `height` is where nodes come to rest on it, along `up` [m].
bool rl_exact_falls_on(const rl_model *model, uint32_t rope, uint32_t ground, rl_vec3 up,
                       double *height);

// Puts a body at `position` with `velocity`.
void rl_exact_set(rl_state *state, uint32_t slot, rl_vec3 position, rl_vec3 velocity);

// Turns a body on its axle by `angle` since the start [rad], and gives it a spin [rad/s].
void rl_exact_turn(rl_state *state, const rl_model *model, uint32_t body, double angle,
                   double spin);

// A pendulum of modulus k = sin(amplitude / 2) that swings about 0: its angle [rad] and d(angle) /
// d(phase) where its phase, frequency times time, is `phase` since it passed 0 on the way up.
bool rl_exact_swing(double modulus, double phase, double *angle, double *rate);

#endif
