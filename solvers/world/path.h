// SPDX-License-Identifier: GPL-3.0-or-later
// The path of a rope over the surfaces of bodies: the shortest way near the one given, over a fixed
// sequence of items. Pure geometry in the world frame; what the items are (which bodies, which
// edges) is decided elsewhere. papers/path.md has the derivation.
//
// A straight piece leads from the exit of each item to the entry of the next. On a round item the
// rope lies along a geodesic between its tangent points; on a line or a circle (the edge of a box,
// the rim of a cylinder, the seam where a capsule's side meets its cap) it has one place, which
// slides until both directions balance along the curve.
#ifndef RL_PATH_H
#define RL_PATH_H

#include <stddef.h>

#include "vector.h"

typedef enum rl_path_kind {
  RL_PATH_POINT,    // an anchor or an eye: at
  RL_PATH_SPHERE,   // a ball about `at`
  RL_PATH_CYLINDER, // the side of an endless cylinder about the line through `at` along `axis`
  RL_PATH_LINE,     // the edge from `at` along `axis`, 0 <= along <= length
  RL_PATH_CIRCLE,   // about `at`, across `axis`; `along` is the angle from `reference` about axis
} rl_path_kind;

typedef struct rl_path_item {
  rl_path_kind kind;
  rl_vec3 at;        // [m]
  rl_vec3 axis;      // unit
  rl_vec3 reference; // CIRCLE: unit, across the axis
  double radius;     // SPHERE, CYLINDER, CIRCLE [m]
  double length;     // LINE [m]
  double sense;      // CYLINDER: +1 or -1, the way round the axis (right hand) that the rope turns
  // Kept from one solve to the next, as where to start from.
  double wrap;   // SPHERE, CYLINDER: angle between the tangent points about the centre or the axis
                 // [rad]; in: within pi of what it will be, which tells turns apart; out
  double along;  // LINE [m], CIRCLE [rad]: the place on it; out
  rl_vec3 hinge; // where this item and the next are round: a point of the straight piece between
                 // them; in: zero, or near it; out
  rl_vec3 side;  // SPHERE: unit normal of the plane of its arc, entry x exit directions; out
  // What comes out.
  rl_vec3 entry, exit; // where the rope comes on and leaves [m]; one place unless it is round
  rl_vec3 in, out;     // unit direction of the straight piece before and after; 0 at an end
  double arc;          // length of rope on it [m]: entry to exit
  double piece;        // length of the straight piece after it [m]
  double turn;         // angle between `in` and `out` [rad]; of round items the angle that the
                       // rope's direction turns along its arc, for the capstan law
} rl_path_item;

// Finds the path over items[0 .. count-1], of which the first and the last are points, and returns
// its length [m]. `iterations`, if not NULL, is increased by Newton iterations. A wrap may come out
// below 0: the rope does not lie there any more, and the length goes on smoothly so that trial
// positions make sense. nan if there is no path: a point inside a round item.
double rl_path_solve(rl_path_item *items, size_t count, size_t *iterations);

#endif
