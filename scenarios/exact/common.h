// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by closed forms: checks of a scenario, its geometry, and writing of states.
#ifndef RL_EXACT_COMMON_H
#define RL_EXACT_COMMON_H

#include "exact.h"
#include "world/trigonometry.h"

#define RL_HALF_PI (0.5 * RL_PI)

// Writes a message, printf style; returns false.
bool rl_exact_refuse(char *message, size_t size, const char *format, ...);

// Whether `found` [count], properties of the scenario that the closed form does not cover, are all
// NULL; otherwise false with the message "EXPECTED; found WHAT, WHAT".
bool rl_exact_fits(const char *const *found, size_t count, char *message, size_t size,
                   const char *expected, ...);

// The `at` of a form that knows only an invariant; returns false.
bool rl_exact_at_unknown(const void *self, const rl_model *model, double t, rl_state *state);

#define RL_EXACT_COUNT(list) (sizeof(list) / sizeof *(list))

// Whether a slot never moves: a fixed body, or a point fixed in space.
bool rl_exact_is_fixed(const rl_model *model, uint32_t slot);

// Returns the position of an eye at the start.
rl_vec3 rl_exact_eye_position(const rl_model *model, rl_vertex eye);

// A bend of a massless rope at the start: around a body, or in an eye.
typedef struct rl_exact_bend {
  uint32_t slot;       // of the body that carries it; RL_NONE: fixed in space
  uint32_t body, part; // body RL_NONE: an eye
  rl_vec3 centre;      // of the part [m]
  rl_vec3 axis;        // about which the rope turns, right-handed; 0 for an eye
  rl_vec3 entry, exit; // tangent points [m]
  rl_vec3 in, out;     // unit directions of the rope before and after
  double radius;       // of the rope's path about the axis [m]; 0 for an eye
  double wrap;         // wrap angle about the axis [rad]
  double turn;         // angle by which the direction of the rope turns [rad]
  double friction;     // Coulomb coefficient
} rl_exact_bend;

#define RL_EXACT_BENDS_MAX 32

typedef struct rl_exact_path {
  uint32_t count;
  double length; // [m]
  rl_exact_bend bends[RL_EXACT_BENDS_MAX];
} rl_exact_path;

// Finds the path of a massless rope at the start; false with a message if it has too many bends.
bool rl_exact_read_path(const rl_model *model, uint32_t rope, rl_exact_path *path, char *message,
                        size_t size);

// Wraps a rope around one body in a state, by the angle `wrap` about `axis` [rad].
void rl_exact_set_wrap(rl_state *state, const rl_model *model, uint32_t rope, uint32_t body,
                       rl_vec3 axis, double wrap);

// Sets the tension of a massless rope along its whole length [N].
void rl_exact_set_tension(rl_state *state, const rl_model *model, uint32_t rope, double tension);

// Returns the mean tension from one time to another of a rope that is slack until `caught`, is
// caught with the impulse `blow` [N s], and has the tension `after` from then on [N].
double rl_exact_mean_tension(double from, double to, double caught, double blow, double after);

// Returns NULL if the slot is the centre of a free body that cannot turn, and with `rests` starts
// at rest; otherwise a description of what is there.
const char *rl_exact_load_mismatch(const rl_model *model, uint32_t slot, bool rests);

// The same for an end that is free or tied to such a body, which may move.
const char *rl_exact_free_end_mismatch(const rl_model *model, uint32_t slot);

// Whether the rope is massless and inextensible; false with a message.
bool rl_exact_is_line(const rl_model *model, uint32_t rope, char *message, size_t size);

// Whether it is also exactly taut at the start.
bool rl_exact_is_taut_line(const rl_model *model, uint32_t rope, char *message, size_t size);

// Whether a taut line leads from a fixed point to the centre of a free body that does not turn,
// over a fixed body without friction, a cylinder (`round`) or else a box or hull, without gravity.
bool rl_exact_is_winding(const rl_model *model, uint32_t rope, uint32_t post, bool round,
                         char *message, size_t size);

// A weight that hangs vertically below the first bend of its rope.
typedef struct rl_exact_weight {
  uint32_t slot;
  uint32_t carrier; // slot that carries the bend; RL_NONE: fixed
  double depth;     // below the bend at the start [m]
} rl_exact_weight;

// Reads the weight at a slot, which must hang vertically below `bend`; false with a message.
bool rl_exact_read_weight(rl_exact_weight *weight, const rl_model *model, uint32_t slot,
                          const rl_exact_bend *bend, rl_vec3 bend_at, const char *rope,
                          char *message, size_t size);

// An open rope with mass whose elements are equal, and whose inner nodes are.
typedef struct rl_exact_chain {
  uint32_t rope;
  uint32_t count;   // number of elements
  double rest;      // rest length of an element [m]
  double node_mass; // of an inner node [kg]
} rl_exact_chain;

bool rl_exact_read_chain(rl_exact_chain *chain, const rl_model *model, uint32_t rope, char *message,
                         size_t size);

// Returns the slot of node i of a rope at the start.
uint32_t rl_exact_node(const rl_model *model, uint32_t rope, uint32_t i);

// Whether both ends of the rope are nodes that nothing holds.
bool rl_exact_has_free_ends(const rl_model *model, uint32_t rope);

// Whether all nodes of the rope are at rest at the start.
bool rl_exact_is_still(const rl_model *model, uint32_t rope);

// Whether the rope has no damping and no drag.
bool rl_exact_is_lossless(const rl_model *model, uint32_t rope);

// Whether a rope can touch only level ground, one half-space with the normal `up`. Stores in
// `height` where nodes come to rest on it, along `up` [m].
bool rl_exact_falls_on(const rl_model *model, uint32_t rope, uint32_t ground, rl_vec3 up,
                       double *height);

// Sets position and velocity of a node or body.
void rl_exact_set_motion(rl_state *state, uint32_t slot, rl_vec3 position, rl_vec3 velocity);

// Sets the rotation of a body on its axle since the start [rad], and its spin [rad/s].
void rl_exact_set_rotation(rl_state *state, const rl_model *model, uint32_t body, double angle,
                           double spin);

// Computes angle [rad] and d(angle)/d(phase) of a pendulum with modulus k = sin(amplitude / 2). The
// phase, frequency times time, is 0 where it passes 0 upwards. False if GSL fails.
bool rl_exact_swing(double modulus, double phase, double *angle, double *rate);

#endif
