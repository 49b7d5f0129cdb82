// SPDX-License-Identifier: GPL-3.0-or-later
// What a taut rope lies on: which edges, rims and round pieces of convex parts it passes. The list
// follows the bodies as they move: features come where a straight piece would cut into a part, and
// go where the rope does not press. papers/path.md, "What the rope lies on".
#ifndef RL_PATH_FEATURE_H
#define RL_PATH_FEATURE_H

#include "path_solid.h"

// A rope between items[0] and items[count-1], which are points, as are its eyes. Points have the
// part RL_NONE; all others belong to solids[part].
typedef struct rl_path {
  rl_path_item *items; // the caller's, with room for `capacity`
  size_t count, capacity;
  // What the last rl_path_adapt did.
  size_t changes;    // of the list
  size_t iterations; // of Newton's method
} rl_path;

typedef enum rl_path_outcome {
  RL_PATH_FOUND,
  RL_PATH_ROUGH, // features came and went, as where a rope lies along a seam: it is off by a little
  RL_PATH_NONE,  // no path over these features: a point inside a part, or parts that overlap
  RL_PATH_FULL,  // no room for more features
  RL_PATH_UNSETTLED, // features came and went without end
} rl_path_outcome;

// Pulls the rope tight on the solids, starting with the features that the list has. Where it leaves
// the end of an edge it goes on over the other edges of that corner if they hold it, and slips off
// otherwise. Planes and parts with no piece of rope in them are passed over. `length` [m] is that
// of the path found.
rl_path_outcome rl_path_adapt(rl_path *path, const rl_path_solid *solids, size_t solid_count,
                              double *length);

// A point a little off the surface, from the middle of the part in a direction; world frame.
rl_vec3 rl_path_beside(const rl_path_solid *solid, rl_vec3 side);

// Leads the rope round solids[part] between items[after] and the next: on the side that the world
// vector `side` points to, with that many extra full turns, in the plane of the chord and `side`.
// The rest of the rope is pulled tight as well.
rl_path_outcome rl_path_wind(rl_path *path, size_t after, const rl_path_solid *solids,
                             size_t solid_count, uint32_t part, rl_vec3 side, uint32_t turns,
                             double *length);

// The same over what a taut rope would lie on there that turns about the world vector `turning`:
// the edges of the way of a box or a hull whose turning is nearest to that, or what is round, with
// so many full turns. RL_PATH_NONE if there is nothing like it. From where the rope is straight
// there.
rl_path_outcome rl_path_lead(rl_path *path, size_t after, const rl_path_solid *solids,
                             size_t solid_count, uint32_t part, rl_vec3 turning, uint32_t turns,
                             double *length);

// A ball or the side of a drum or capsule before it is solved, over which the rope turns about an
// axis of the world, with so many full turns.
void rl_path_put_round(rl_path_item *item, const rl_path_solid *solids, uint32_t part,
                       rl_vec3 turning, double turns);

// About which axis the rope turns on solids[part] in all, times by how much [rad]: round things
// with the sign that the rope has there, edges as if each by itself.
rl_vec3 rl_path_turning(const rl_path *path, uint32_t part);

enum { RL_PATH_MOST_EDGES = 512 }; // in a row, or at a corner

// A way of a taut rope over edges of a box or a hull.
typedef struct rl_path_route {
  uint32_t count, edges[RL_PATH_MOST_EDGES];
  double along[RL_PATH_MOST_EDGES]; // where on them it lies [m]
  double length;                    // [m]
  rl_vec3 turning;                  // sum of the cross products of in and out of its edges, world
} rl_path_route;

typedef void (*rl_path_visit)(const rl_path_route *route, void *data);

// Visits all ways from one point to another over edges of a box or a hull that are the shortest
// beside themselves and do not cross a face twice.
void rl_path_find_routes(const rl_path_solid *solid, rl_vec3 from, rl_vec3 to, rl_path_visit visit,
                         void *data);

#endif
