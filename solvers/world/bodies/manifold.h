// SPDX-License-Identifier: GPL-3.0-or-later
// Contact manifolds of two convex parts of two bodies that touch, or could touch soon: up to eight
// touches, each a point of one part, which may be rounded, and a plane of the other.
// papers/bodies.md has the derivation and the equation numbers.
#ifndef RL_MANIFOLD_H
#define RL_MANIFOLD_H

#include "shape.h"

#define RL_TOUCHES 8 // most touches of a pair of parts

// A part with the pose of its body.
typedef struct rl_solid {
  const rl_part *part;
  rl_vec3 position; // of the body's centre [m]
  rl_quat rotation; // of the body
} rl_solid;

// A touch. `first` is the part with the point, `second` the one with the plane; the nearest point
// of the first is core - radius * (normal across the axis). All in the world's frame.
typedef struct rl_touch {
  uint32_t feature; // identifies the touch from step to step
  bool swapped;     // the first is b of the pair
  rl_vec3 core;     // point of the first, or the centre of its rounding [m]
  double radius;    // of the rounding [m]
  rl_vec3 axis;     // unit: the rounding is a cylinder about this line through the core; 0: a ball
  rl_vec3 surface;  // point of the second [m]
  rl_vec3 normal;   // unit, out of the second
  double gap;       // [m], negative where they overlap
} rl_touch;

// Finds the touches with a gap of at most `reach` [m], with the deepest one among them. Returns
// their number.
size_t rl_manifold_find(const rl_solid *a, const rl_solid *b, double reach,
                        rl_touch touches[RL_TOUCHES]);

// Returns the most touches that a pair of these shapes can have.
uint32_t rl_manifold_capacity(rl_shape a, rl_shape b);

// An axis tilted by less than this against a normal counts as parallel to it [rad].
#define RL_UPRIGHT 1e-9

// (1) Returns the point of a rounding that is nearest to a plane with this normal, and its distance
// `below` the core along the normal [m]. For a disc that lies flat on the plane it is the core.
static inline rl_vec3 rl_rounding_point(rl_vec3 core, double radius, rl_vec3 axis, rl_vec3 normal,
                                        double *below) {
  const rl_vec3 across = rl_add_scaled(normal, -rl_dot(normal, axis), axis);
  const double size = rl_length(across);
  *below = radius * size;
  return size > RL_UPRIGHT ? rl_add_scaled(core, -radius / size, across) : core;
}

#endif
