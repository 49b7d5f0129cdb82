// SPDX-License-Identifier: GPL-3.0-or-later
#include "pose.h"

static double sum(size_t count, const double *values) {
  double total = 0.0;
  for (size_t i = 0; i < count; i++) {
    total += values[i];
  }
  return total;
}

void rl_pose_straight(size_t count, const double *rest, rl_vec3 from, rl_vec3 to, rl_vec3 *out) {
  const rl_vec3 ends[2] = {from, to};
  rl_pose_polyline(count, rest, 2, ends, false, out);
}

double rl_polyline_length(size_t point_count, const rl_vec3 *points, bool closed) {
  double length = 0.0;
  for (size_t i = 1; i < point_count; i++) {
    length += rl_distance(points[i - 1], points[i]);
  }
  return closed ? length + rl_distance(points[point_count - 1], points[0]) : length;
}

void rl_pose_polyline(size_t count, const double *rest, size_t point_count, const rl_vec3 *points,
                      bool closed, rl_vec3 *out) {
  const double scale = rl_polyline_length(point_count, points, closed) / sum(count, rest);
  const size_t last = closed ? point_count : point_count - 1; // the end of the last piece
  size_t piece = 0;    // the node lies on the piece from points[piece]
  double passed = 0.0; // arc length up to points[piece]
  double arc = 0.0;
  out[0] = points[0];
  for (size_t i = 1; i < count; i++) {
    arc += scale * rest[i - 1];
    rl_vec3 next = points[(piece + 1) % point_count];
    double length = rl_distance(points[piece], next);
    while (piece + 1 < last && arc > passed + length) {
      passed += length;
      piece++;
      next = points[(piece + 1) % point_count];
      length = rl_distance(points[piece], next);
    }
    const double fraction = length > 0.0 ? (arc - passed) / length : 0.0;
    out[i] = rl_add_scaled(points[piece], fraction, rl_sub(next, points[piece]));
  }
  out[count] = points[last % point_count];
}

// The hanging shape. Let F_i be the force with which element i pulls its far node towards `from`.
// A node of mass m_i between elements i and i + 1 rests when F_{i+1} = F_i + m_i g, so all of them
// follow from the first, f. Element i lies along F_i with length l_i (1 + |F_i|/EA), and the ends
// close when
//
//     sum_i l_i (1/|F_i| + 1/EA) F_i = from - to.
//
// The left side is the gradient of the convex function sum_i l_i (|F_i| + |F_i|^2 / (2 EA)), so
// Newton's method with step halving on its merit finds the one solution; no transcendental function
// is needed, so the start of a run is the same bits everywhere.

typedef struct hang {
  size_t count;
  const double *rest;
  const double *masses;
  double inverse_stiffness;
  rl_vec3 gravity;
  rl_vec3 closing; // from - to
  double rounding; // |F| is replaced by sqrt(|F|^2 + rounding^2) [N]
} hang;

// (14) Returns the merit function; computes its gradient, and the Hessian unless that is NULL.
static double hang_merit(const hang *h, rl_vec3 f, rl_vec3 *gradient, rl_symmetric3 *hessian) {
  rl_vec3 force = f;
  double merit = -rl_dot(f, h->closing);
  *gradient = rl_scale(-1.0, h->closing);
  if (hessian) {
    *hessian = (rl_symmetric3){0};
  }
  for (size_t i = 0; i < h->count; i++) {
    if (i > 0) {
      force = rl_add_scaled(force, h->masses[i], h->gravity);
    }
    const double size = sqrt(fmax(rl_dot(force, force) + h->rounding * h->rounding, 1e-300));
    merit += h->rest[i] * (size + 0.5 * size * size * h->inverse_stiffness);
    *gradient = rl_add_scaled(*gradient, h->rest[i] * (1.0 / size + h->inverse_stiffness), force);
    if (hessian) {
      const double transverse = h->rest[i] / size;
      const double diagonal = transverse + h->rest[i] * h->inverse_stiffness;
      const rl_vec3 u = rl_scale(1.0 / size, force);
      hessian->xx += diagonal - transverse * u.x * u.x;
      hessian->yy += diagonal - transverse * u.y * u.y;
      hessian->zz += diagonal - transverse * u.z * u.z;
      hessian->xy -= transverse * u.x * u.y;
      hessian->xz -= transverse * u.x * u.z;
      hessian->yz -= transverse * u.y * u.z;
    }
  }
  return merit;
}

// Returns the force of the parabola as a first guess: along the chord with the horizontal pull of a
// shallow sag, and half the weight upwards.
static rl_vec3 hang_guess(const hang *h, double weight) {
  const rl_vec3 down = rl_unit(h->gravity);
  const rl_vec3 across = rl_add_scaled(h->closing, -rl_dot(h->closing, down), down);
  const double chord = rl_length(h->closing);
  const double length = sum(h->count, h->rest);
  const double sag = sqrt(fmax(3.0 * chord * (length - chord), 1e-14 * length * length) / 8.0);
  const double pull = weight * rl_length(across) / (8.0 * sag);
  return rl_add_scaled(rl_scale(pull / rl_length(across), h->closing), -0.5 * weight, down);
}

// Newton's method with step halving from f. Returns true if the ends close.
static bool hang_newton(const hang *h, double length, rl_vec3 *f) {
  rl_vec3 gradient;
  rl_symmetric3 hessian;
  for (int iteration = 0; iteration < 100; iteration++) {
    const double merit = hang_merit(h, *f, &gradient, &hessian);
    const rl_vec3 newton = rl_solve_symmetric(hessian, rl_scale(-1.0, gradient));
    const double descent = rl_dot(newton, gradient);
    if (!isfinite(descent) || rl_length(gradient) <= 1e-15 * length) {
      break;
    }
    double t = 1.0;
    rl_vec3 ignored;
    while (t > 1e-10 && !(hang_merit(h, rl_add_scaled(*f, t, newton), &ignored, NULL) <=
                          merit + 1e-4 * t * descent + 1e-15 * fabs(merit))) {
      t *= 0.5;
    }
    *f = rl_add_scaled(*f, t, newton);
  }
  hang_merit(h, *f, &gradient, NULL);
  return rl_length(gradient) <= 1e-10 * length;
}

// Returns the length of an element over its force F, along which it lies [m/N].
static double hang_stretch(const hang *h, size_t element, rl_vec3 force) {
  return h->rest[element] * (1.0 / rl_length(force) + h->inverse_stiffness);
}

// Solves the case that the minimum is at the kink: one element carries nothing, and the rope hangs
// straight down from both ends to it. Returns false if that element would have to be longer than it
// is.
static bool hang_two_strands(const hang *h, rl_vec3 f, rl_vec3 from, rl_vec3 to, rl_vec3 *out) {
  size_t slack = 0;
  double least = INFINITY;
  rl_vec3 force = f;
  for (size_t i = 0; i < h->count; i++) {
    force = i > 0 ? rl_add_scaled(force, h->masses[i], h->gravity) : force;
    slack = rl_length(force) < least ? i : slack;
    least = fmin(least, rl_length(force));
  }
  out[0] = from;
  out[h->count] = to;
  force = (rl_vec3){0.0, 0.0, 0.0};
  for (size_t i = slack; i > 0; i--) { // the weights below each element, from the slack one up
    force = rl_add_scaled(force, -h->masses[i], h->gravity);
    out[i] = rl_scale(-hang_stretch(h, i - 1, force), force);
  }
  for (size_t i = 1; i <= slack; i++) {
    out[i] = rl_add(out[i - 1], out[i]);
  }
  force = (rl_vec3){0.0, 0.0, 0.0};
  for (size_t i = slack + 1; i < h->count; i++) {
    force = rl_add_scaled(force, -h->masses[i], h->gravity);
    out[i] = rl_scale(-hang_stretch(h, i, force), force);
  }
  for (size_t i = h->count - 1; i > slack; i--) {
    out[i] = rl_add(out[i + 1], out[i]);
  }
  return rl_distance(out[slack], out[slack + 1]) <= h->rest[slack];
}

bool rl_pose_hang(size_t count, const double *rest, const double *masses, double stiffness,
                  rl_vec3 gravity, rl_vec3 from, rl_vec3 to, rl_vec3 *out) {
  hang h = {count, rest, masses, 1.0 / stiffness, gravity, rl_sub(from, to), 0.0};
  const double weight = rl_length(gravity) * sum(count + 1, masses);
  const double length = sum(count, rest);
  const rl_vec3 down = rl_unit(gravity);
  const double across = rl_length(rl_add_scaled(h.closing, -rl_dot(h.closing, down), down));
  if (!(weight > 0.0) || across < 1e-9 * length ||
      (isinf(stiffness) && rl_length(h.closing) >= length)) {
    return false;
  }
  // The merit function has a kink where an element carries nothing, as near the bottom of a steep
  // loop. The kink is smoothed, less and less.
  rl_vec3 f = hang_guess(&h, weight);
  bool closed = false;
  for (double rounding = 0.1; rounding > 1e-13 && !closed; rounding *= 0.03) {
    h.rounding = rounding * weight;
    hang_newton(&h, length, &f);
    h.rounding = 0.0;
    rl_vec3 sharp = f;
    closed = hang_newton(&h, length, &sharp);
    f = closed ? sharp : f;
  }
  if (!closed) {
    return hang_two_strands(&h, f, from, to, out);
  }
  rl_vec3 force = f;
  out[0] = from;
  for (size_t i = 0; i < count; i++) {
    force = i > 0 ? rl_add_scaled(force, masses[i], gravity) : force;
    out[i + 1] = rl_add_scaled(out[i], -hang_stretch(&h, i, force), force);
  }
  out[count] = to;
  return true;
}
