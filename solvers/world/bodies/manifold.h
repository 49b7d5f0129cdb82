// SPDX-License-Identifier: GPL-3.0-or-later
// Where two convex parts of two bodies touch, or could touch soon: up to eight places, each a point
// of one part, which may be rounded, and a plane of the other. papers/bodies.md has the derivation.
#ifndef RL_MANIFOLD_H
#define RL_MANIFOLD_H

#include "shape.h"

#define RL_TOUCHES 8 // the most of one pair of parts

// A part and where its body is.
typedef struct rl_solid {
  const rl_part *part;
  rl_vec3 position; // of the body's centre [m]
  rl_quat rotation; // of the body
} rl_solid;

// One place. `first` is the part with the point, `second` the one with the plane; the nearest point
// of the first is core - radius * (normal across the axis). All in the world's frame.
typedef struct rl_touch {
  uint32_t feature; // what touches: the same from step to step while that does
  bool swapped;     // the first is the pair's b
  rl_vec3 core;     // point of the first, or the middle of its rounding [m]
  double radius;    // of the rounding [m]
  rl_vec3 axis;     // unit: the rounding is round this line through the core; 0: it is a ball
  rl_vec3 surface;  // point of the second [m]
  rl_vec3 normal;   // unit, out of the second
  double gap;       // [m], negative where they overlap
} rl_touch;

// The touches with a gap of at most `reach` [m]; the deepest is among them. Returns how many.
size_t rl_manifold_find(const rl_solid *a, const rl_solid *b, double reach,
                        rl_touch touches[RL_TOUCHES]);

// The most touches that a pair of these shapes can have.
uint32_t rl_manifold_capacity(rl_shape a, rl_shape b);

// A line that is tilted by less than this [rad] against a normal has no direction across it.
#define RL_UPRIGHT 1e-9

// The nearest point of a rounding to a plane with this normal, and its distance from the core along
// the normal. Of a disc that lies on the plane it is the middle.
static inline rl_vec3 rl_rounding_point(rl_vec3 core, double radius, rl_vec3 axis, rl_vec3 normal,
                                        double *below) {
  const rl_vec3 across = rl_add_scaled(normal, -rl_dot(normal, axis), axis);
  const double size = rl_length(across);
  *below = radius * size;
  return size > RL_UPRIGHT ? rl_add_scaled(core, -radius / size, across) : core;
}

#endif
