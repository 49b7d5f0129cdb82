// SPDX-License-Identifier: GPL-3.0-or-later
// Bends: where a massless rope changes its direction, over bodies and in eyes. A read-only view of
// a state for probes, records and pictures; solvers read wraps and rows instead.
#ifndef RL_BEND_H
#define RL_BEND_H

#include "wrap.h"

typedef struct rl_bend {
  uint32_t body; // RL_NONE: an eye fixed in space
  bool is_eye;
  rl_grip grip;
  rl_vec3 entry, exit;  // where the rope comes on to the body and leaves it [m]; equal in an eye
  rl_vec3 in, out;      // unit direction of the straight piece before and after
  double turn;          // angle by which the direction of the rope turns [rad]
  double before, after; // tension of the piece before and after [N]; 0 before the first step
  double slip;          // speed of the rope over the body, towards `to` positive [m/s]
} rl_bend;

// Solves the path of a rope at the state's positions; the functions below read the solution, which
// is valid until the next rl_wrap_solve_path of the rope in this state. If there is no path, as
// when an end is inside a body, the bends are nan. Does nothing for ropes that can lie on no body.
void rl_rope_solve_bends(const rl_model *model, const rl_state *state, uint32_t rope);

// Returns the number of bends of a massless rope; 0 for a rope with mass.
uint32_t rl_bend_count(const rl_model *model, const rl_state *state, uint32_t rope);

// A way over the bends of a rope from its end `from`, which takes the same time for each.
typedef struct rl_bends {
  const rl_model *model;
  const rl_state *state;
  uint32_t rope, count, next;
  double whole, stretching; // length of the rope [m], and its rate [m/s]
  double before, rate;      // the same of what is before the bend that comes next
} rl_bends;

// Begins such a way; goes on to the next bend, and returns whether there is one.
rl_bends rl_rope_bends(const rl_model *model, const rl_state *state, uint32_t rope);
bool rl_next_bend(rl_bends *bends, rl_bend *bend);

// Returns bend `index` of a rope, counted from its end `from`, in a time that grows with all bends.
rl_bend rl_rope_bend(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t index);

// Finds entry and exit of bend `index` of a rope.
void rl_bend_places(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t index,
                    rl_vec3 places[2]);

// The arc of the rope over a bend, a circle or a helix: p(angle) = centre + u cos + v sin +
// angle/wrap advance, from angle 0 at its entry to `wrap` at its exit. On an edge, a rim or in an
// eye it is the point `centre`, and `wrap` is 0.
typedef struct rl_arc {
  rl_vec3 centre, u, v, advance; // [m]
  double wrap;                   // [rad]
} rl_arc;

// Returns the arc of bend `index` of a rope.
rl_arc rl_bend_arc(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t index);

// Returns the point of an arc at an angle [rad], also beyond its ends [m]; with `rate` not NULL
// also the derivative by the angle.
rl_vec3 rl_arc_point(const rl_arc *arc, double angle, rl_vec3 *rate);

// Returns the force that the rope exerts in a bend on the body or eye [N].
rl_vec3 rl_bend_force(const rl_bend *bend);

// Returns how far a massless rope reaches in a direction: the largest p.direction of its points
// [m], exact also on arcs.
double rl_rope_reach(const rl_model *model, const rl_state *state, uint32_t rope,
                     rl_vec3 direction);

// Returns the tension of a straight piece of a massless rope [N]. Piece i is before bend i; the
// last piece is behind the last bend.
double rl_piece_tension(const rl_model *model, const rl_state *state, uint32_t rope,
                        uint32_t piece);

// Returns the largest tension of the elements of a rope, of a massless rope of its pieces [N].
double rl_largest_tension(const rl_model *model, const rl_state *state, uint32_t rope);

// A point of the path of a massless rope. On arcs the tension grows exponentially with the angle,
// by the capstan law where the rope slips, and by assumption where it sticks.
typedef struct rl_path_point {
  rl_vec3 at;     // [m]
  double tension; // from this point to the next one [N]; nan at the last
  uint32_t bend;  // index of its bend; RL_NONE: an end of the rope
} rl_path_point;

// Values for `turns` below: as many full turns as can be told apart in a picture, or all.
enum { RL_DRAWN_TURNS = 16, RL_ALL_TURNS = INT32_MAX };

// Samples the path of a rope that can lie on bodies: its ends, its eyes, and arcs in equal parts of
// at most 0.1 rad. Of an arc with more than `turns` full turns the others are left out; entry and
// exit stay. Returns the number of points; writes at most `capacity`.
size_t rl_path_points(const rl_model *model, const rl_state *state, uint32_t rope, int32_t turns,
                      rl_path_point *points, size_t capacity);

#endif
