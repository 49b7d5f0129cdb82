// SPDX-License-Identifier: GPL-3.0-or-later
// The list of features that a taut rope lies on: edges, rims, seams and round surfaces of convex
// parts. The list follows the bodies as they move: a feature is added where a straight piece would
// cut into a part, and removed where the rope does not press on it. papers/path.md, "What the rope
// lies on".
#ifndef RL_PATH_FEATURE_H
#define RL_PATH_FEATURE_H

#include "path_solid.h"

// A rope from items[0] to items[count-1], which are points, as are its eyes. Points have the part
// RL_NONE; all other items belong to solids[part].
typedef struct rl_path {
  rl_path_item *items; // the caller's, with room for `capacity`
  size_t count, capacity;
  // Statistics of the last rl_path_adapt, _wind or _lead.
  size_t changes;     // of the list
  size_t iterations;  // of Newton's method
  rl_path_item *kept; // for rl_path_adapt: the caller's, with as much room
} rl_path;

typedef enum rl_path_outcome {
  RL_PATH_FOUND,
  RL_PATH_ROUGH,     // found, a little off: features alternated, as where a rope lies along a seam
  RL_PATH_NONE,      // no path over these features: a point inside a part, or parts that overlap
  RL_PATH_FULL,      // no room for more features
  RL_PATH_UNSETTLED, // the list did not become stable
} rl_path_outcome;

static inline bool rl_path_is_found(rl_path_outcome outcome) {
  return outcome == RL_PATH_FOUND || outcome == RL_PATH_ROUGH;
}

// Pulls the rope tight on the solids, starting with the features in the list. Where it leaves the
// end of an edge it goes on over the other edges of that corner if they hold it, and slips off
// otherwise. Ignores planes, and parts that no piece cuts. `length` is that of the path found [m].
// If that is longer than the way with which it began although the rope has left something, it is
// sought again in short ways, and the shorter one is taken. If none is found the list is the one
// with which it began, and `length` nan.
rl_path_outcome rl_path_adapt(rl_path *path, const rl_path_solid *solids, size_t solid_count,
                              double *length);

// Returns the point a little above the surface of a solid that lies in the direction `side` (unit)
// from its middle; world frame [m].
rl_vec3 rl_path_beside(const rl_path_solid *solid, rl_vec3 side);

// Winds the rope round solids[part] between items[after] and the next, on the side that the world
// vector `side` points to, in the plane of the chord and `side`, with `turns` extra full turns.
// Pulls the whole rope tight.
rl_path_outcome rl_path_wind(rl_path *path, size_t after, const rl_path_solid *solids,
                             size_t solid_count, uint32_t part, rl_vec3 side, uint32_t turns,
                             double *length);

// Leads the rope, which is straight there, round solids[part] as a taut rope can lie: of a box or a
// hull over the edges of the route whose turning is nearest in direction to the world vector
// `turning`; of other parts over the ball or side, about `turning`, with `turns` full turns.
// Returns RL_PATH_NONE if there is no such way.
rl_path_outcome rl_path_lead(rl_path *path, size_t after, const rl_path_solid *solids,
                             size_t solid_count, uint32_t part, rl_vec3 turning, uint32_t turns,
                             double *length);

// Sets an item to the ball, or to the side of the drum or capsule, solids[part], for a rope that
// turns about the world vector `turning`. The path is not solved.
void rl_path_put_round(rl_path_item *item, const rl_path_solid *solids, uint32_t part,
                       rl_vec3 turning);

// (4a) of papers/path.md: guesses the wrap angle of a round item between items that are set, with
// `turns` full turns more: of all solutions the nearest will be found.
void rl_path_guess_wrap(rl_path_item *item, double turns);

// Returns the sum of the turning of the rope on solids[part]: of a round item its axis times the
// angle [rad], of an edge or rim the cross product of in and out.
rl_vec3 rl_path_turning(const rl_path *path, uint32_t part);

// (15) Whether the rope is nipped between solids[part] and an end of the piece behind items[i]: the
// piece begins or ends on the surface.
bool rl_path_is_nipped_by(const rl_path *path, size_t i, uint32_t part);

enum { RL_PATH_MOST_EDGES = 512 }; // in a row, or at a corner

// A taut rope over edges of a box or a hull.
typedef struct rl_path_route {
  uint32_t count, edges[RL_PATH_MOST_EDGES];
  double along[RL_PATH_MOST_EDGES]; // place of the rope on each edge [m]
  double length;                    // [m]
  rl_vec3 turning;                  // sum over the edges of in x out, world frame
} rl_path_route;

typedef void (*rl_path_visit)(const rl_path_route *route, void *data);

// (11) Visits all routes from one point to another over edges of a box or a hull that are locally
// shortest and cross no face twice.
void rl_path_find_routes(const rl_path_solid *solid, rl_vec3 from, rl_vec3 to, rl_path_visit visit,
                         void *data);

#endif
