// SPDX-License-Identifier: GPL-3.0-or-later
// The shortest rope between two points, straight or over one round thing, in closed form, with its
// first and second derivatives. papers/path.md, "One link".
#ifndef RL_PATH_LINK_H
#define RL_PATH_LINK_H

#include "../vector.h"

// Index 0 is the point that the link begins at, 1 the one that it ends at. Across the rope there
// are two directions: `normal` is that of the surface where the rope meets it (moving the point
// along it turns the plane of the rope), `cross` is in the surface.
typedef struct rl_path_link {
  double length;        // [m]
  rl_vec3 direction[2]; // unit, forward; the gradient of the length is -direction[0], direction[1]
  rl_vec3 normal[2], cross[2];
  // Second derivatives [1/m]: moving point i along its normal or cross, and the same direction of
  // both points, which counts negative.
  double normal_stiffness[2], cross_stiffness[2];
  double normal_coupling, cross_coupling;
} rl_path_link;

// A round thing: endless along `axis`, or a ball, of which `axis` is across the plane of the rope.
typedef struct rl_path_round {
  rl_vec3 centre, axis; // unit; the rope turns about it by the right hand
  double radius;        // [m]
  bool endless;
  bool continues; // a wrap below 0 counts as such: the length is smooth where the rope leaves
} rl_path_round;

// How a rope lies on it.
typedef struct rl_path_arc {
  rl_vec3 entry, exit; // [m]
  double wrap;         // in: within pi of what it will be; out [rad]
  double length;       // [m]
  double turn;         // angle that the direction of the rope turns along it [rad]
} rl_path_arc;

// Some unit vector across a unit vector.
rl_vec3 rl_any_across(rl_vec3 u);

void rl_path_straight(rl_vec3 p, rl_vec3 q, rl_path_link *link);

// Where the wrap would be negative the rope is straight: the length is that of the rope that has
// left, its gradient is continuous, and the wrap says by which angle it has left. Only between two
// points of the surface the rope lies on it either way. False if p or q is inside. Points that
// rounding puts beside the surface are on it.
bool rl_path_over(const rl_path_round *round, rl_vec3 p, rl_vec3 q, rl_path_arc *arc,
                  rl_path_link *link);

// The same over a ball on which friction holds the rope in the plane across `axis`, whatever way
// the ends leave it. Then the link is a way only as far as the ends are near that plane: beyond it
// goes on, but its gradient does not.
bool rl_path_over_held(const rl_path_round *round, rl_vec3 p, rl_vec3 q, rl_path_arc *arc,
                       rl_path_link *link);

// How the straight piece from p leaves a ball on which friction holds the rope like that.
typedef struct rl_path_departure {
  double bent; // angle of the arc on which the rope leaves its plane; INFINITY: nothing holds it
  double seen; // angle at the centre from p to where the rope leaves [rad]
} rl_path_departure;

rl_path_departure rl_path_depart(const rl_path_round *round, rl_vec3 p, double friction);

#endif
