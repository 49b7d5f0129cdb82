// SPDX-License-Identifier: GPL-3.0-or-later
#include "path_yield.h"

#include "../trigonometry.h"

#include <float.h>

// One end of the rope at the height z beside its plane, with l the length of the tangent in it: the
// arc of (18) and the length of the straight piece, and their derivatives to z and l^2.
typedef struct departing {
  rl_vec3 from; // from the centre to the end
  double z, bent, bent_z, bent_l2;
  double length_z, length_l2;
} departing;

static departing depart(const rl_path_round *round, rl_vec3 p, double friction) {
  departing d = {.from = rl_sub(p, round->centre)};
  const double r = round->radius, z = rl_dot(d.from, round->axis), rho = fabs(z) / friction;
  const double l2 = rl_dot(d.from, d.from) - z * z - r * r, l = sqrt(l2);
  const double wide = sqrt(fmax(l2 + rho * (2.0 * r - rho), 0.0)), far = l + wide;
  const double f = 2.0 / (far * far + rho * rho), sign = z < 0.0 ? -1.0 : 1.0;
  const double root = sqrt((l2 - 2.0 * r * z) * (l2 + 2.0 * r * z));
  const double length = sqrt(z * z + 0.5 * (l2 + root)); // (12), (13) of path.md
  d.z = z;
  d.bent = rl_path_depart(round, p, friction).bent;
  d.bent_z = f * (far - rho * (r - rho) / wide) * sign / friction;
  d.bent_l2 = -0.5 * f * rho * (1.0 / l + 1.0 / wide);
  d.length_z = (z - r * r * z / root) / length;
  d.length_l2 = 0.25 * (1.0 + l2 / root) / length;
  return d;
}

// What is missing at the limit of (19b), phi_A + phi_B + reserve - phi, with its gradients to p, q
// and the axis, and those of the length.
typedef struct shortage {
  double value;
  rl_vec3 to[2], to_axis;
  rl_vec3 length_to_axis;
} shortage;

static shortage find_shortage(const rl_path_round *round, rl_vec3 p, rl_vec3 q, double friction,
                              double reserve, double wrap) {
  rl_path_arc arc = {.wrap = wrap};
  rl_path_link link;
  shortage s = {.value = INFINITY};
  if (!rl_path_over_held(round, p, q, &arc, &link)) {
    return s;
  }
  const double r = round->radius;
  const departing ends[2] = {depart(round, p, friction), depart(round, q, friction)};
  rl_vec3 turned = {0.0, 0.0, 0.0};
  s.value = ends[0].bent + ends[1].bent + reserve - arc.wrap;
  for (int i = 0; i < 2; i++) { // r phi is the length without its straight pieces
    const departing *d = &ends[i];
    const rl_vec3 pull = i == 0 ? rl_scale(-1.0, link.direction[0]) : link.direction[1];
    const double by_z = d->bent_z + d->length_z / r, by_l2 = d->bent_l2 + d->length_l2 / r;
    const rl_vec3 along = rl_add_scaled(d->from, -d->z, round->axis);
    s.to[i] = rl_add_scaled(rl_scale(by_z, round->axis), 2.0 * by_l2, along);
    s.to[i] = rl_add_scaled(s.to[i], -1.0 / r, pull);
    s.to_axis = rl_add_scaled(s.to_axis, by_z - 2.0 * d->z * by_l2, d->from);
    turned = rl_add(turned, rl_cross(d->from, pull));
  }
  s.length_to_axis = rl_cross(round->axis, turned);
  s.to_axis = rl_add_scaled(s.to_axis, -1.0 / r, s.length_to_axis);
  return s;
}

// Returns the normal of the plane of the shortest path from p to q, that nearer to the axis.
static rl_vec3 shortest_axis(const rl_path_round *round, rl_vec3 p, rl_vec3 q) {
  const rl_vec3 across = rl_unit(rl_cross(rl_sub(p, round->centre), rl_sub(q, round->centre)));
  return rl_dot(across, round->axis) < 0.0 ? rl_scale(-1.0, across) : across;
}

// Returns a vector without its part along an axis.
static rl_vec3 across_axis(rl_vec3 axis, rl_vec3 v) {
  return rl_add_scaled(v, -rl_dot(axis, v), axis);
}

rl_vec3 rl_path_yields_to(const rl_path_round *round, rl_vec3 p, rl_vec3 q, double friction,
                          double reserve, double wrap) {
  enum { ITERATIONS = 60 };
  const rl_vec3 way = rl_sub(shortest_axis(round, p, q), round->axis);
  rl_path_round plane = *round;
  double share = 0.0, step = INFINITY;
  for (int k = 0; k < ITERATIONS && fabs(step) > 0.5 * DBL_EPSILON; k++) { // Newton's method
    const rl_vec3 sum = rl_add_scaled(round->axis, share, way);
    plane.axis = rl_unit(sum);
    const shortage s = find_shortage(&plane, p, q, friction, reserve, wrap);
    const double slope = rl_dot(s.to_axis, across_axis(plane.axis, way)) / rl_length(sum);
    step = -s.value / slope;
    const bool goes = slope < 0.0 && isfinite(step) && share + step < 1.0;
    step = goes ? step : 0.5 * (1.0 - share);
    share += step;
  }
  return plane.axis;
}

rl_path_yield rl_path_yield_of(const rl_path_round *round, rl_vec3 p, rl_vec3 q, double friction,
                               double wrap) {
  const rl_vec3 way = rl_sub(shortest_axis(round, p, q), round->axis);
  const shortage s = find_shortage(round, p, q, friction, 0.0, wrap);
  rl_path_yield y = {.on = across_axis(round->axis, way)};
  const double slope = rl_dot(s.to_axis, y.on);
  for (int i = 0; i < 2 && slope < 0.0; i++) {
    y.turn[i] = rl_scale(-1.0 / slope, s.to[i]);
  }
  y.length = rl_dot(s.length_to_axis, y.on);
  return y;
}
