// SPDX-License-Identifier: GPL-3.0-or-later
// Shapes: the signed distance of a point or a straight segment from a part of a body, and the
// outward normal there. All parts are convex, so the signed distance is a convex function of the
// point.
#ifndef RL_SHAPE_H
#define RL_SHAPE_H

#include "../model.h"

// Normals of faces are products of two lengths and are squared: the fourth power of a size, and its
// inverse, is a number. Sizes that are not 0 lie between these [m].
#define RL_LEAST_SIZE 1e-75
#define RL_MOST_SIZE 1e75

static inline bool rl_is_size(double size) { return size > RL_LEAST_SIZE && size < RL_MOST_SIZE; }

typedef struct rl_surface {
  double distance; // [m], negative inside
  rl_vec3 normal;  // unit, outward, world frame
} rl_surface;

// Returns distance and normal for a point p [m, world frame] and a part of a body whose centre is
// at `position`. The nearest point of the surface is p - distance * normal. If several are nearest
// (on the axis of a cylinder, in the middle of a box) it is always the same one.
rl_surface rl_shape_surface(const rl_part *part, rl_vec3 position, rl_quat rotation, rl_vec3 p);

// Finds where the straight segment from p0 to p1 [m, world frame] is nearest to the part or deepest
// in it: returns s in [0, 1], for the point p0 + s (p1 - p0). If the distance is constant over a
// stretch, as beside a face, s is its middle.
//
// `surface` is that of rl_shape_surface at the point, except where the segment cuts through an edge
// between two faces that are equally near, neither of which is the way out. Then it is the plane
// that touches the edge and is parallel to the segment, so that the segment clears the edge after a
// move by the distance along the normal. That is a little more than the depth of the point.
double rl_shape_segment(const rl_part *part, rl_vec3 position, rl_quat rotation, rl_vec3 p0,
                        rl_vec3 p1, rl_surface *surface);

// Returns the radius of the ball about the centre of a part that contains it [m]; INFINITY for a
// plane.
double rl_shape_bound(const rl_part *part);

// Returns a point well inside a part, in its frame [m]: its centre; of a hull the mean of its
// points.
rl_vec3 rl_shape_middle(const rl_part *part);

// Returns the radius of the ball about rl_shape_middle that is inside the part [m]; INFINITY for a
// plane.
double rl_shape_inner(const rl_part *part);

#endif
