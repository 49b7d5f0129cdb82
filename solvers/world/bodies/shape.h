// SPDX-License-Identifier: GPL-3.0-or-later
// Shapes: signed distance from a point or a straight segment to a body's part, and the outward
// normal there. All parts are convex, so the signed distance is a convex function of the place.
#ifndef RL_SHAPE_H
#define RL_SHAPE_H

#include "../model.h"

typedef struct rl_surface {
  double distance; // [m], negative inside
  rl_vec3 normal;  // unit, outward, world frame
} rl_surface;

// Distance of point p [m, world frame] from a part of a body whose centre is at `position`. The
// nearest point of the surface is p - distance * normal. Where several are nearest (on the axis of
// a cylinder, in the middle of a box) it is always the same one of them.
rl_surface rl_shape_surface(const rl_part *part, rl_vec3 position, rl_quat rotation, rl_vec3 p);

// Where the straight segment from p0 to p1 [m, world frame] is nearest to the part or deepest in
// it: returns s in [0, 1], the place being p0 + s (p1 - p0). Where the distance stays the same for
// a while, as beside a face, s is the middle of that stretch.
//
// `surface` is that of rl_shape_surface at the place, except where the segment cuts through an
// edge: the faces that meet there tie for the nearest, and neither is the way out. Then it is the
// plane that touches the edge and is parallel to the segment, so that the segment clears the edge
// once it has gone the distance along the normal. That is a little deeper than the place is.
double rl_shape_segment(const rl_part *part, rl_vec3 position, rl_quat rotation, rl_vec3 p0,
                        rl_vec3 p1, rl_surface *surface);

// Radius [m] of the ball about the part's centre that holds the part; INFINITY for a plane.
double rl_shape_bound(const rl_part *part);

// A point well inside: the part's centre; of a hull, whatever its frame is about, the mean of its
// corners. In the part's frame [m].
rl_vec3 rl_shape_middle(const rl_part *part);

// Radius [m] of the ball about that point which is inside; INFINITY for a plane.
double rl_shape_inner(const rl_part *part);

#endif
