// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies that turn: their free motion and the coordinates of their spin slots (model.h).
// papers/world.md, "Bodies that turn", has the derivation.
#ifndef RL_ROTATION_H
#define RL_ROTATION_H

#include "state.h"

// The orientation of a body at trial positions [slot_count]: the state's, and the small turn p that
// its spin slot has, as the rational map (p / (2 s), 1) made a unit quaternion.
rl_quat rl_body_rotation(const rl_model *model, const rl_state *state, const rl_point *points,
                         uint32_t body);

// Angular velocity of a body in the world's frame [rad/s]; 0 for one that does not turn.
rl_vec3 rl_body_spin(const rl_model *model, const rl_state *state, uint32_t body);

// The velocity of a point p that goes with what is at a slot [m/s]; RL_NONE: 0.
rl_vec3 rl_velocity_at(const rl_model *model, const rl_state *state, uint32_t slot, rl_vec3 p);

// What a force on a body at `arm` from its centre is for its spin slot: the torque in the body's
// frame, over the roots of its moments of inertia.
static inline rl_vec3 rl_spin_lever(const rl_body *body, rl_quat rotation, rl_vec3 arm,
                                    rl_vec3 force) {
  return rl_times(body->inverse_root_inertia, rl_rotate_inverse(rotation, rl_cross(arm, force)));
}

// Angular momentum about its centre in the world's frame [kg m^2/s].
rl_vec3 rl_body_angular_momentum(const rl_model *model, const rl_state *state, uint32_t body);

// Turns all bodies for h [s] without torques: free ones by Euler's equations, driven ones about
// their constant spin. Angular momentum in the world's frame is kept to rounding; the energy of a
// body with three different moments of inertia to the second order, without drift; that of others
// to rounding.
void rl_rotation_drift(const rl_model *model, rl_state *state, double h);

// The rates of a body's spin slot, for methods that integrate it as an equation: d(position)/dt at
// the small turn it has, and d(velocity)/dt without torques (Euler's equations).
rl_vec3 rl_rotation_rate(const rl_model *model, const rl_state *state, uint32_t body);
rl_vec3 rl_gyration(const rl_model *model, const rl_state *state, uint32_t body);

// Takes the small turns of all spin slots into the rotations of the state. `keep_momentum`: the
// velocities are those before the turn and go on with the same angular momentum in the world's
// frame; otherwise they are already in the turned frame.
void rl_rotation_settle(const rl_model *model, rl_state *state, bool keep_momentum);

#endif
