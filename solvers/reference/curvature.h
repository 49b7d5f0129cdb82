// SPDX-License-Identifier: GPL-3.0-or-later
// The curvature of rows along the motion, (dJ/dt) v: of straight pieces in closed form, of paths
// over bodies by differences. Equation numbers are those of papers/reference.md.
#ifndef RL_REFERENCE_CURVATURE_H
#define RL_REFERENCE_CURVATURE_H

#include "equations.h"

// Of the largest speed: what is slower has a curvature of the order of its square, which is below
// round-off.
static const double rl_no_speed = 1e-9;

// (7) Returns c_k of the central difference of order 8: the weight of the value at place k, -4 ...
// 4 without 0, in the derivative times the distance between two places.
static inline double rl_difference_share(int k) {
  static const double shares[4] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
  return k > 0 ? shares[k - 1] : k < 0 ? -shares[-k - 1] : 0.0;
}

// Computes the positions a time h [s] after `from`, by the rates of the slots (both [slots]).
void rl_displace(const rl_equations *equations, const rl_point *from, double h, rl_point *to);

// Returns V of (7): the sum of the speeds of what a row acts on, with the spins of all bodies times
// their radii; of a half-space, which has none, the scene's size [m/s].
double rl_row_speed(const rl_equations *equations, const rl_row *row);

// Computes (dJ/dt) v of all rows, with the rates just found: of links and spans here, of contacts
// in contacts.c.
void rl_curvatures_find(rl_equations *equations);

// Returns the rate at which the turning of the plane of a wrap that yields makes its rope longer,
// (19c) of balls.md [m/s], below 0 as long as it yields; `turning`: the rate of its normal in the
// body's frame.
double rl_equations_yielding(const rl_equations *e, uint32_t rope, uint32_t wrap, rl_vec3 *turning);

#endif
