// SPDX-License-Identifier: GPL-3.0-or-later
// A path of a rope against brute force: a polyline that begins on the path, of which each vertex
// may move in a plane across it, pulled tight by going through the vertices, each to the straight
// line between its neighbours and out of the bodies. Where the path is not the shortest it gets
// shorter.
#ifndef RL_POLYLINE_H
#define RL_POLYLINE_H

#include "world/bodies/shape.h"
#include "world/paths/path.h"

// Distance of a place from the nearest of the bodies.
typedef rl_surface (*polyline_surface)(const void *bodies, rl_vec3 p);

// The length of the tight polyline. Chords cut arcs short by a share that goes with the square of
// their length: the limit is extrapolated from two numbers of them.
double tight_length(const rl_path_item *items, size_t count, polyline_surface surface,
                    const void *bodies);

// How far the path goes into the bodies at most; below 0 it is clear of them.
double deepest_place(const rl_path_item *items, size_t count, polyline_surface surface,
                     const void *bodies);

// The place at a share of the arc of a round item.
rl_vec3 place_on_arc(const rl_path_item *item, double share);

#endif
