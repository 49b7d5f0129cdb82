// SPDX-License-Identifier: GPL-3.0-or-later
// The path of a rope over the surfaces of bodies: the locally shortest curve over a fixed sequence
// of items, near a given one. Pure geometry in the world frame; path_feature.h decides which bodies
// and edges the items are. papers/path.md has the derivation.
//
// A straight piece leads from the exit of each item to the entry of the next. On a round item the
// rope lies along a geodesic between its tangent points. On a line or a circle (the edge of a box,
// the rim of a cylinder, the seam where the side of a capsule meets its cap) it has one place,
// which slides until both directions make the same angle with the curve.
#ifndef RL_PATH_H
#define RL_PATH_H

#include <stddef.h>
#include <stdint.h>

#include "path_link.h"

typedef enum rl_path_kind {
  RL_PATH_POINT,    // an end of the rope or an eye, at `at`
  RL_PATH_SPHERE,   // a ball about `at`
  RL_PATH_CYLINDER, // the side of an endless cylinder about the line through `at` along `axis`
  RL_PATH_LINE,     // the edge from `at` along `axis`, 0 <= along <= length
  RL_PATH_CIRCLE,   // about `at`, across `axis`; `along` is the angle from `reference` about axis
} rl_path_kind;

// The least and largest cosine of the angle between a direction and a line.
typedef struct rl_path_range {
  double low, high;
} rl_path_range;

// What the solver has at a node, a point between two links: the place of an item that has only
// one, or the hinge after a round item.
typedef struct rl_path_node {
  rl_path_link link;    // to the next node
  rl_vec3 place, start; // now, and at the start of the Newton step [m]
  double start_along, start_wrap;
  rl_vec3 start_side;
  double turns; // number of full turns on a ball; -1: not yet counted
  rl_vec3 start_directions[2];
  bool cornered;         // the place stays at the end of its line (9a)
  bool nipped;           // the hinge stays where the items beside it touch (15)
  unsigned parted;       // how often it was put apart from there in the search
  rl_path_range range;   // (9a) of the directions in which the rope can leave it in a corner
  size_t before;         // index of the node before
  size_t freedom;        // number of directions in which the node can move
  rl_vec3 directions[2]; // unit; zero beyond freedom
  double gradient[2];    // of the length
  double inverse[2][2];  // of the eliminated diagonal block of the second derivatives [m]
  double coupling[2][2]; // with the next node that can move [1/m]
  double step[2];        // [m]
} rl_path_node;

typedef struct rl_path_item {
  rl_path_kind kind;
  uint32_t part, feature; // the solid and its feature, set by path_feature.h
  uint32_t holder;        // 1 + the body that holds it, if the path goes on where this and another
                          // collide (15); else 0
  bool moves;             // its holder can be moved by others
  rl_vec3 at;             // [m]
  rl_vec3 axis;           // unit
  rl_vec3 reference; // CIRCLE: unit, across the axis; SPHERE: `side` where that is undefined, or 0
  double radius;     // SPHERE, CYLINDER, CIRCLE [m]
  double length;     // LINE [m]
  bool continues;    // SPHERE, CYLINDER: as of rl_path_round
  bool held;         // SPHERE: friction holds the rope in the plane across `side`, which is given
  double sense;      // CYLINDER: +1 or -1, the sense in which the rope turns about the axis
  // In and out: the solution, and where the next solve starts.
  double wrap;   // SPHERE, CYLINDER: wrap angle, between the tangent points about the centre or the
                 // axis [rad]; in: within pi of the solution, which gives the number of full turns
  double along;  // LINE [m], CIRCLE [rad]: the place on it
  rl_vec3 hinge; // where this item and the next are round: a point of the straight piece between
                 // them; in: near it, or zero if unknown [m]
  rl_vec3 side;  // SPHERE: the axis about which the rope turns (right hand), unit; in: nearer to
                 // the solution than to its opposite, or zero for a wrap below half a turn
  // Out.
  rl_vec3 entry, exit; // where the rope comes on to the item and leaves it [m]; equal unless round
  rl_vec3 in, out;     // unit direction of the straight piece before and after; 0 at an end
  double arc;          // length of rope on the item, from entry to exit [m]
  double piece;        // length of the straight piece after it [m]
  double turn;         // angle by which the direction of the rope turns here [rad]
  double corner; // LINE that is the first or last of a corner that the rope goes through (9a):
                 // angle between the directions into the first and out of the last [rad]; else 0
  // Cache of wrap.c for round items: the middle of the arc, as its direction from the axis (unit)
  // and its height along the axis about which the rope turns [m].
  bool has_middle;
  rl_vec3 middle;
  double middle_height;
  rl_path_node node; // of the solver, which leaves its links for who needs their curvature
} rl_path_item;

static inline bool rl_path_is_round(const rl_path_item *item) {
  return item->kind == RL_PATH_SPHERE || item->kind == RL_PATH_CYLINDER;
}

// Whether item i has a node: it has one place, or it and the next are round (the node is a hinge).
static inline bool rl_path_has_node(const rl_path_item *items, size_t count, size_t i) {
  return !rl_path_is_round(&items[i]) || (i + 1 < count && rl_path_is_round(&items[i + 1]));
}

// (15) Whether the rope can be nipped between two neighbouring items.
static inline bool rl_path_can_nip(const rl_path_item *a, const rl_path_item *b) {
  return a->holder != 0 && b->holder != 0 && a->holder != b->holder && (a->moves || b->moves);
}

// Whether the rope is nipped between an item of a solved path and the next: the piece between them
// has no length.
static inline bool rl_path_is_nipped(const rl_path_item *item) {
  return item->piece == 0.0 && rl_path_can_nip(item, item + 1);
}

// Lays the rope where a search would begin, at the places that the items have, and returns its
// length [m]; nan if there is none.
double rl_path_begin(rl_path_item *items, size_t count);

// Solves the path over items[0 .. count-1], of which the first and the last are points, and returns
// its length [m]. Adds the number of Newton iterations to `iterations` unless that is NULL. Returns
// nan if there is no path: a point lies inside a round item, or two round items overlap where the
// rope should pass between, and it cannot be nipped there.
//
// The wrap angle of a solution may be negative: the rope has left the item and passes it straight;
// the gradient of the length is continuous there. A place may lie beyond the ends of its line; but
// places that run together where their lines meet stay in that corner as long as they balance there
// (9a).
//
// (2) If the body that holds an item moves by the displacement field u(x), the length changes by
// in.u(entry) - out.u(exit) to first order; for the first and the last point by -out.u and in.u.
double rl_path_solve(rl_path_item *items, size_t count, size_t *iterations);

// Solves the path with each place kept between the ends of its line. A place that would go past an
// end stays there until all others balance; then it returns nan. If `stuck` is not NULL it also
// does so, and says so, where a full step near the solution fails: beyond the path may have ended,
// and to go on downhill would lead to another one. Called with `stuck` set it goes a short way
// downhill, and clears `stuck` when it has come to a path.
double rl_path_solve_within(rl_path_item *items, size_t count, bool *stuck, size_t *iterations);

// (10) The rates x' of the places x of a solved path while the items move with u': the balance
// F(x, u) = 0 gives dF/dx x' = -dF/du u'. _begin_rates sets the sum of changes dF/du u' to 0;
// _add_change adds `share` times the F of the same places with the items displaced (`laid`);
// _find_rates solves for x', keeps it in `solved` and returns the largest rate [m/s].
void rl_path_begin_rates(rl_path_item *solved, size_t count);
void rl_path_add_change(rl_path_item *solved, const rl_path_item *laid, size_t count, double share);
double rl_path_find_rates(rl_path_item *solved, size_t count);

// Whether the angle about the centre of a ball from the item before it to the item behind it is
// more than half a turn: then the rope would be shorter the other way round, and slips there.
static inline bool rl_path_is_past_half(const rl_path_item *item) {
  const rl_vec3 from = rl_sub(item[-1].exit, item->at), to = rl_sub(item[1].entry, item->at);
  return rl_dot(rl_cross(from, to), item->side) < 0.0;
}

// Sets the arcs past half a turn on balls that hold nothing, of which (1) is a saddle, so that the
// next solve leads them round the other side, where they are shorter. Returns whether there are
// any.
bool rl_path_leave_saddles(rl_path_item *items, size_t count);

// Lays the rope over items with the places of a solved path, moved on by `time` [s] times their
// rates, and returns the length [m]; nan if it cannot be laid.
double rl_path_lay(rl_path_item *items, const rl_path_item *solved, size_t count, double time);

#endif
