// SPDX-License-Identifier: GPL-3.0-or-later
// Shapes: signed distance from a point to a body's part, and the outward normal there.
#ifndef RL_SHAPE_H
#define RL_SHAPE_H

#include "model.h"

typedef struct rl_surface {
  double distance; // [m], negative inside
  rl_vec3 normal;  // unit, outward, world frame
} rl_surface;

// Whether rl_shape_surface knows the shape: sphere, box and plane so far.
bool rl_shape_supported(rl_shape shape);

// Distance of point p [m, world frame] from a part of a body whose centre is at `position`.
rl_surface rl_shape_surface(const rl_part *part, rl_vec3 position, rl_quat rotation, rl_vec3 p);

#endif
