// SPDX-License-Identifier: GPL-3.0-or-later
// Convex hulls of a few points: their faces, found once, and the distance of a point from a hull.
#ifndef RL_SHAPE_HULL_H
#define RL_SHAPE_HULL_H

#include "shape.h"

#define RL_HULL_POINTS 256 // most points of a hull

// Room for the faces of a hull of n points. Closed surfaces with n corners have at most 2n - 4
// faces with 6n - 12 corners between them (Euler); the rest is for faces that rounding splits.
#define RL_HULL_FACES(n) (2 * (n))
#define RL_HULL_CORNERS(n) (6 * (n))

typedef struct rl_hull {
  uint32_t face_count, corner_count;
  rl_face faces[RL_HULL_FACES(RL_HULL_POINTS)];
  uint16_t corners[RL_HULL_CORNERS(RL_HULL_POINTS)];
  uint32_t twins[RL_HULL_CORNERS(RL_HULL_POINTS)]; // rl_part.twins
} rl_hull;

// Finds the faces of the convex hull of `count` points [m]; points on faces and inside are allowed.
// Returns false with a message (what was found, what was expected) if there are too few or too many
// points, or if they enclose no volume.
bool rl_hull_build(size_t count, const rl_vec3 *points, rl_hull *hull, char *message, size_t size);

// Returns rl_shape_surface for a point in the part's frame.
rl_surface rl_hull_surface(const rl_part *part, rl_vec3 p);

#endif
