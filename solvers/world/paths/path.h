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
#include <stdint.h>

#include "path_link.h"

typedef enum rl_path_kind {
  RL_PATH_POINT,    // an anchor or an eye: at
  RL_PATH_SPHERE,   // a ball about `at`
  RL_PATH_CYLINDER, // the side of an endless cylinder about the line through `at` along `axis`
  RL_PATH_LINE,     // the edge from `at` along `axis`, 0 <= along <= length
  RL_PATH_CIRCLE,   // about `at`, across `axis`; `along` is the angle from `reference` about axis
} rl_path_kind;

// What the search for the shortest path writes down at a point between two links: the place of an
// item that has only one, or the hinge after a round one.
typedef struct rl_path_node {
  rl_path_link link;    // to the next node
  rl_vec3 place, start; // [m] now, and where the step began
  double start_along, start_wrap;
  rl_vec3 start_side;
  double turns; // full ones on a ball; -1: not yet counted
  rl_vec3 start_directions[2];
  bool cornered;         // it stays at the end of its line (9a)
  size_t before;         // index of the node before
  size_t freedom;        // directions in which it can move
  rl_vec3 directions[2]; // unit; zero beyond freedom
  double gradient[2];    // of the length
  double inverse[2][2];  // of the eliminated diagonal block of the second derivatives [m]
  double coupling[2][2]; // with the next node that can move [1/m]
  double step[2];        // [m]
} rl_path_node;

typedef struct rl_path_item {
  rl_path_kind kind;
  uint32_t part, feature; // what it belongs to, for who decides on it (path_feature.h)
  rl_vec3 at;             // [m]
  rl_vec3 axis;           // unit
  rl_vec3 reference; // CIRCLE: unit, across the axis; SPHERE: zero, or the side where any will do
  double radius;     // SPHERE, CYLINDER, CIRCLE [m]
  double length;     // LINE [m]
  bool continues;    // SPHERE, CYLINDER: past where the rope leaves (rl_path_round)
  bool held;         // SPHERE: by friction, in the plane across `side`, which stays as it comes in
  double sense;      // CYLINDER: +1 or -1, the way round the axis (right hand) that the rope turns
  // Kept from one solve to the next, as where to start from.
  double wrap;   // SPHERE, CYLINDER: angle between the tangent points about the centre or the axis
                 // [rad]; in: within pi of what it will be, which tells turns apart; out
  double along;  // LINE [m], CIRCLE [rad]: the place on it; out
  rl_vec3 hinge; // where this item and the next are round: a point of the straight piece between
                 // them; in: zero, or near it; out
  rl_vec3 side;  // SPHERE: the axis about which the rope turns by the right hand; in: zero (the
                 // way below half a turn), or nearer to it than to its opposite; out: unit
  // What comes out.
  rl_vec3 entry, exit; // where the rope comes on and leaves [m]; one place unless it is round
  rl_vec3 in, out;     // unit direction of the straight piece before and after; 0 at an end
  double arc;          // length of rope on it [m]: entry to exit
  double piece;        // length of the straight piece after it [m]
  double turn;         // angle between `in` and `out` [rad]; of round items the angle that the
                       // rope's direction turns along its arc, for the capstan law
  double corner; // LINE, in a corner with the one beside it: the angle between the direction in
                 // of the first and out of the second [rad]; else 0
  // Of round items, once it was asked for (wrap.c): the direction of the arc's middle from the
  // centre, and how far along the axis that the rope turns about it is from there [m].
  bool has_middle;
  rl_vec3 middle;
  double middle_height;
  rl_path_node node; // scratch
} rl_path_item;

// Finds the path over items[0 .. count-1], of which the first and the last are points, and returns
// its length [m]. `iterations`, if not NULL, is increased by Newton iterations. A wrap may come out
// below 0: the rope does not lie there any more and passes by straight; the gradient of the length
// is continuous there. Nor is a place kept between the ends of its line; but two that run together
// where their lines meet stay in that corner as long as that balances (9a). nan if there is no
// path: a point inside a round item, or two of them that overlap where the rope should pass
// between.
//
// The derivative of the length with respect to a displacement u(x) of what holds an item is
// in.u(entry) - out.u(exit); for the first and the last point -out.u and in.u.
double rl_path_solve(rl_path_item *items, size_t count, size_t *iterations);

// The same with each place between the ends of its line. Where the rope would go on past one it
// stops there, with the places that it has come to, and returns nan.
double rl_path_solve_within(rl_path_item *items, size_t count, size_t *iterations);

// How the places go as the items move, without another solve: dF/du u' + dF/dx x' = 0 of the pulls
// F that balance. First their change at the places of a path that was solved, with the items a
// little away: `share` of it in the sum that _begin_rates sets to 0. Then x', kept in `solved`;
// returns the fastest [m/s].
void rl_path_begin_rates(rl_path_item *solved, size_t count);
void rl_path_add_change(rl_path_item *solved, const rl_path_item *laid, size_t count, double share);
double rl_path_find_rates(rl_path_item *solved, size_t count);

// Whether the items beside a ball see it past half a turn: the rope would be shorter the other way
// round, and goes there.
static inline bool rl_path_is_past_half(const rl_path_item *item) {
  const rl_vec3 from = rl_sub(item[-1].exit, item->at), to = rl_sub(item[1].entry, item->at);
  return rl_dot(rl_cross(from, to), item->side) < 0.0;
}

// Lays the rope over items, wherever they are, with the places of a path that was solved, and
// `time` later if its rates are known. nan where it cannot be laid.
double rl_path_lay(rl_path_item *items, const rl_path_item *solved, size_t count, double time);

#endif
