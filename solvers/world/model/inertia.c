// SPDX-License-Identifier: GPL-3.0-or-later
#include "inertia.h"

#include "../trigonometry.h"

static void add_outer(rl_vec3 sum[3], double factor, rl_vec3 a) {
  sum[0] = rl_add_scaled(sum[0], factor * a.x, a);
  sum[1] = rl_add_scaled(sum[1], factor * a.y, a);
  sum[2] = rl_add_scaled(sum[2], factor * a.z, a);
}

// Returns the moments of a volume that is symmetric in all three coordinate planes.
static rl_moments symmetric(double volume, rl_vec3 mean_squares) {
  const rl_vec3 s = rl_scale(volume, mean_squares);
  return (rl_moments){volume, {0.0, 0.0, 0.0}, {{s.x, 0.0, 0.0}, {0.0, s.y, 0.0}, {0.0, 0.0, s.z}}};
}

static rl_moments cylinder(double radius, double length) {
  const double across = 0.25 * radius * radius;
  return symmetric(RL_PI * radius * radius * length,
                   rl_vec(across, across, length * length / 12.0));
}

// Returns the moments of two half balls, with their flat sides `length` apart.
static rl_moments caps(double radius, double length) {
  const double across = 0.2 * radius * radius, half = 0.5 * length;
  return symmetric(4.0 / 3.0 * RL_PI * radius * radius * radius,
                   rl_vec(across, across, half * half + 0.75 * half * radius + across));
}

// Returns the moments of a hull: the sum over the signed tetrahedra between the origin and the
// triangles of its faces.
static rl_moments hull(const rl_part *part) {
  rl_moments sum = {0};
  for (uint32_t f = 0; f < part->face_count; f++) {
    const rl_face *face = &part->faces[f];
    const uint16_t *corners = &part->corners[face->first_corner];
    const rl_vec3 a = part->points[corners[0]];
    for (uint32_t k = 2; k < face->corner_count; k++) {
      const rl_vec3 b = part->points[corners[k - 1]], c = part->points[corners[k]];
      const rl_vec3 total = rl_add(a, rl_add(b, c));
      const double volume = rl_dot(a, rl_cross(b, c)) / 6.0;
      sum.volume += volume;
      sum.first = rl_add_scaled(sum.first, 0.25 * volume, total);
      add_outer(sum.second, 0.05 * volume, a);
      add_outer(sum.second, 0.05 * volume, b);
      add_outer(sum.second, 0.05 * volume, c);
      add_outer(sum.second, 0.05 * volume, total);
    }
  }
  return sum;
}

static rl_moments local_moments(const rl_part *part) {
  rl_moments sum = {0}, ends;
  switch (part->shape) {
  case RL_SPHERE:
    return caps(part->radius, 0.0);
  case RL_CAPSULE:
    sum = cylinder(part->radius, part->length);
    ends = caps(part->radius, part->length);
    rl_moments_add(&sum, &ends);
    return sum;
  case RL_CYLINDER:
    return cylinder(part->radius, part->length);
  case RL_BOX:
    return symmetric(8.0 * part->half.x * part->half.y * part->half.z,
                     rl_scale(1.0 / 3.0, rl_times(part->half, part->half)));
  case RL_HULL:
    return hull(part);
  case RL_PLANE:
    sum.volume = INFINITY;
    return sum;
  }
  return sum;
}

// x = R y + t: first R F + t V, second R S R^T + (R F) t^T + t (R F)^T + V t t^T.
rl_moments rl_part_moments(const rl_part *part) {
  const rl_moments local = local_moments(part);
  const rl_vec3 turned = rl_rotate(part->rotation, local.first), t = part->at;
  rl_moments moments = {.volume = local.volume, .first = rl_add_scaled(turned, local.volume, t)};
  static const rl_vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  for (size_t i = 0; i < 3; i++) { // row i of a symmetric tensor is what it makes of axis i
    const rl_vec3 inner = rl_rotate_inverse(part->rotation, axes[i]);
    const rl_vec3 made = {rl_dot(local.second[0], inner), rl_dot(local.second[1], inner),
                          rl_dot(local.second[2], inner)};
    rl_vec3 row = rl_rotate(part->rotation, made);
    row = rl_add_scaled(row, rl_dot(t, axes[i]), turned);
    row = rl_add_scaled(row, rl_dot(turned, axes[i]), t);
    moments.second[i] = rl_add_scaled(row, local.volume * rl_dot(t, axes[i]), t);
  }
  return moments;
}

void rl_moments_add(rl_moments *sum, const rl_moments *m) {
  sum->volume += m->volume;
  sum->first = rl_add(sum->first, m->first);
  for (size_t i = 0; i < 3; i++) {
    sum->second[i] = rl_add(sum->second[i], m->second[i]);
  }
}

void rl_moments_inertia(const rl_moments *m, double mass, rl_vec3 inertia[3]) {
  const double density = mass / m->volume;
  const double trace = m->second[0].x + m->second[1].y + m->second[2].z;
  for (size_t i = 0; i < 3; i++) {
    inertia[i] = rl_scale(-density, m->second[i]);
  }
  inertia[0].x += density * trace;
  inertia[1].y += density * trace;
  inertia[2].z += density * trace;
}
