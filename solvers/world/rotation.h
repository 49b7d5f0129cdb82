// SPDX-License-Identifier: GPL-3.0-or-later
// Rotation of bodies: their torque-free motion, and the coordinates of their spin slots (model.h).
// papers/world.md, "Bodies that turn", has the derivation.
#ifndef RL_ROTATION_H
#define RL_ROTATION_H

#include "state.h"

// (18) Returns the orientation of a body at trial positions [slot_count]: that in the state, turned
// by the position p of the spin slot as the quaternion (p / (2 s), 1), normalized.
rl_quat rl_body_rotation(const rl_model *model, const rl_state *state, const rl_point *points,
                         uint32_t body);

// Returns the angular velocity of a body in the world's frame [rad/s]; 0 if it does not turn.
rl_vec3 rl_body_spin(const rl_model *model, const rl_state *state, uint32_t body);

// Returns the velocity of the material point p of the body at a slot, or of the node there [m/s];
// 0 for RL_NONE.
rl_vec3 rl_velocity_at(const rl_model *model, const rl_state *state, uint32_t slot, rl_vec3 p);

// The same at trial positions [slot_count].
rl_vec3 rl_trial_spin(const rl_model *model, const rl_state *state, const rl_point *points,
                      uint32_t body);
rl_vec3 rl_trial_velocity(const rl_model *model, const rl_state *state, const rl_point *points,
                          uint32_t slot, rl_vec3 p);

// (16) Returns the generalized force on the spin slot of a body for a force at `arm` from its
// centre: the torque in the body's frame over the roots of the moments of inertia; 0 if it is only
// round-off, as of a force through the axis of a wheel.
rl_vec3 rl_spin_lever(const rl_body *body, rl_quat rotation, rl_vec3 arm, rl_vec3 force);

// Returns the angular momentum of a body about its centre in the world's frame [kg m^2/s]; 0 if it
// is driven.
rl_vec3 rl_body_angular_momentum(const rl_model *model, const rl_state *state, uint32_t body);

// (17) Turns all bodies for h [s] without torques: free ones by Euler's equations, driven ones at
// their constant spin. Keeps the angular momentum in the world's frame to rounding, and the energy
// to rounding too if two moments of inertia are equal; else with an error of order h^2 that does
// not drift.
void rl_rotation_drift(const rl_model *model, rl_state *state, double h);

// Return the rates of a spin slot, for methods that integrate them as differential equations:
// d(position)/dt at its present position, (18), and d(velocity)/dt without torques (Euler's
// equations).
rl_vec3 rl_rotation_rate(const rl_model *model, const rl_state *state, uint32_t body);
rl_vec3 rl_gyroscopic_rate(const rl_model *model, const rl_state *state, uint32_t body);

// What the velocities of spin slots are when their positions are moved into the rotations.
typedef enum rl_turn {
  RL_TURN_FRAME,    // already in the turned frame
  RL_TURN_MOMENTUM, // relative to the frame before the turn; keep L in the world's frame
  RL_TURN_ENERGY    // so, too, and keep the direction of L and the energy, (21d) of changes.md
} rl_turn;

// Moves the positions of all spin slots into the rotations of the state and sets them to 0.
void rl_rotation_settle(const rl_model *model, rl_state *state, rl_turn kept);

// Returns the difference of the levers with which a rope comes on to a body and leaves it; 0 if it
// is only round-off, as on a wheel that the rope runs over without friction.
rl_vec3 rl_spin_turn(rl_vec3 on, rl_vec3 off);

#endif
