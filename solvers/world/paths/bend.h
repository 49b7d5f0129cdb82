// SPDX-License-Identifier: GPL-3.0-or-later
// Bends: where a massless rope changes its direction, over bodies and in eyes, as it lies in a
// state. For whoever looks at a state: probes, records, pictures. Solvers read wraps and rows.
#ifndef RL_BEND_H
#define RL_BEND_H

#include "wrap.h"

typedef struct rl_bend {
  uint32_t body; // RL_NONE: an eye fixed in space
  bool is_eye;
  rl_grip grip;
  rl_vec3 entry, exit;  // where the rope comes on and leaves [m]; an eye: both are its place
  rl_vec3 in, out;      // unit direction of the straight piece before and after
  double turn;          // angle by which the rope's direction turns along it [rad]
  double before, after; // tension of the pieces beside it [N]; before the first step: 0
  double slip;          // speed of the rope over the body, towards `to` positive [m/s]
} rl_bend;

// Solves the path of a rope, which the functions below then read, until another one is solved
// (rl_wrap_path) in this state. Ropes that can lie on no body have nothing to solve. Where there is
// no path, as when an end has got into a body, what is in between comes out as nan.
void rl_rope_look(const rl_model *model, const rl_state *state, uint32_t rope);

// How many bends a massless rope has, in the order of the rope; a rope with mass has none.
uint32_t rl_bend_count(const rl_model *model, const rl_state *state, uint32_t rope);
rl_bend rl_rope_bend(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t index);

// The way of the rope over a bend: p(angle) = centre + u cos + v sin + angle/wrap advance, from
// angle 0 at its entry to `wrap` at its exit, a circle or a helix. On an edge, a rim or in an eye
// it is the one point `centre`, and `wrap` is 0.
typedef struct rl_arc {
  rl_vec3 centre, u, v, advance; // [m]
  double wrap;                   // [rad]
} rl_arc;

rl_arc rl_bend_arc(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t index);

// A point of it, and with `rate` not NULL its derivative by the angle. Beyond its ends it goes on.
rl_vec3 rl_arc_point(const rl_arc *arc, double angle, rl_vec3 *rate);

// The force that the rope exerts in a bend on what bends it [N].
rl_vec3 rl_bend_force(const rl_bend *bend);

// How far a massless rope reaches in a direction: the greatest p.direction of its points [m].
// Exact: on an arc the highest point has a closed form.
double rl_rope_reach(const rl_model *model, const rl_state *state, uint32_t rope,
                     rl_vec3 direction);

// The tension of straight piece i of a massless rope, which stands before bend i; behind the last
// bend comes the last piece [N].
double rl_piece_tension(const rl_model *model, const rl_state *state, uint32_t rope,
                        uint32_t piece);

// The largest tension of an element of a rope; of a massless one of its pieces [N].
double rl_largest_tension(const rl_model *model, const rl_state *state, uint32_t rope);

// A point of the path of a massless rope, and the tension from here to the next one; nan at the
// last. On an arc that slips it grows with the angle as the capstan has it, and where the rope
// sticks it is taken to do so too.
typedef struct rl_path_point {
  rl_vec3 at;     // [m]
  double tension; // [N]
  uint32_t bend;  // which bend it belongs to; RL_NONE: an end of the rope
} rl_path_point;

// Of an arc with more turns than this, whole turns are not drawn: they would not be told apart.
enum { RL_DRAWN_TURNS = 16, RL_ALL_TURNS = INT32_MAX };

// The points of a rope that can lie on bodies: its ends, its eyes, and arcs in equal parts of at
// most 0.1 rad. An arc has the turns that it has beyond whole ones and at most `turns` of these,
// over the same surface from the same entry to the same exit. Returns how many points there are;
// writes those for which there is room.
size_t rl_path_points(const rl_model *model, const rl_state *state, uint32_t rope, int32_t turns,
                      rl_path_point *points, size_t capacity);

#endif
