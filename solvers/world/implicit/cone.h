// SPDX-License-Identifier: GPL-3.0-or-later
// Vectors (a0, a1) of the second-order cone |a1| <= a0, its Jordan algebra, and the scaling of
// Nesterov and Todd; (8) to (12), (18) to (23) of papers/convex.md.
#ifndef RL_CONE_H
#define RL_CONE_H

#include "../vector.h"

#include <float.h>
#include <math.h>

typedef struct rl_cone {
  double first;
  rl_vec3 rest;
} rl_cone;

static inline double rl_cone_dot(rl_cone a, rl_cone b) {
  return a.first * b.first + rl_dot(a.rest, b.rest);
}

static inline rl_cone rl_cone_add_scaled(rl_cone a, double s, rl_cone b) {
  return (rl_cone){a.first + s * b.first, rl_add_scaled(a.rest, s, b.rest)};
}

// Returns a0^2 - |a1|^2, kept positive in spite of rounding.
static inline double rl_cone_determinant(rl_cone a) {
  const double length = rl_length(a.rest);
  return fmax(a.first - length, DBL_EPSILON * a.first) * (a.first + length);
}

// Returns the Jordan product a o b = (a.b, a0 b1 + b0 a1).
static inline rl_cone rl_cone_product(rl_cone a, rl_cone b) {
  return (rl_cone){rl_cone_dot(a, b), rl_add_scaled(rl_scale(a.first, b.rest), b.first, a.rest)};
}

// Returns the x with a o x = b.
static inline rl_cone rl_cone_quotient(rl_cone a, rl_cone b) {
  const double first = (a.first * b.first - rl_dot(a.rest, b.rest)) / rl_cone_determinant(a);
  return (rl_cone){first, rl_scale(1.0 / a.first, rl_add_scaled(b.rest, -first, a.rest))};
}

// Returns W x of (10); with rl_cone_turned(w) and 1 / scale it returns W^-1 x.
static inline rl_cone rl_cone_scale(rl_cone w, double scale, rl_cone x) {
  const double along = rl_dot(w.rest, x.rest);
  const double turn = x.first + along / (1.0 + w.first);
  return (rl_cone){scale * (w.first * x.first + along),
                   rl_scale(scale, rl_add_scaled(x.rest, turn, w.rest))};
}

// Returns (a0, -a1).
static inline rl_cone rl_cone_turned(rl_cone a) {
  return (rl_cone){a.first, rl_scale(-1.0, a.rest)};
}

static inline rl_cone rl_cone_times(double s, rl_cone a) {
  return (rl_cone){s * a.first, rl_scale(s, a.rest)};
}

// Returns the largest s with a + s change in the cone, at most `reach`.
static inline double rl_cone_reach(rl_cone a, rl_cone change, double reach) {
  const double c = rl_cone_determinant(a), b = rl_cone_dot(rl_cone_turned(a), change);
  const double square = rl_cone_dot(rl_cone_turned(change), change);
  const double root = b * b - square * c;
  const double most = root >= 0.0 ? sqrt(root) - b : 0.0;
  return most * reach > c ? c / most : reach;
}

#endif
