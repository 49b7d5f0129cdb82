// SPDX-License-Identifier: GPL-3.0-or-later
// A link: the shortest rope between two points, straight or over one round item, in closed form,
// with its first and second derivatives. papers/path.md, "One link".
#ifndef RL_PATH_LINK_H
#define RL_PATH_LINK_H

#include "../vector.h"

// Index 0 is the point at which the link begins, 1 the point at which it ends. Of the two
// directions across the rope `normal` is the normal of the surface at the tangent point, and
// `cross` is tangential to the surface.
typedef struct rl_path_link {
  double length;        // [m]
  rl_vec3 direction[2]; // unit, forward; the gradient of the length is -direction[0], direction[1]
  rl_vec3 normal[2], cross[2];
  // Second derivatives of the length [1/m]: of point i along its normal or cross, and the mixed
  // ones of both points, with the sign reversed.
  double normal_stiffness[2], cross_stiffness[2];
  double normal_coupling, cross_coupling;
} rl_path_link;

// An endless cylinder about `axis`, or a ball, whose `axis` is the normal of the plane of the rope.
typedef struct rl_path_round {
  rl_vec3 centre, axis; // axis: unit; the rope turns about it by the right hand
  double radius;        // [m]
  bool endless;
  bool continues; // arcs of negative wrap angle stay arcs: the length is smooth at wrap = 0
  bool nipped[2]; // an end of the link that is inside counts as on the surface (15)
} rl_path_round;

// The arc of a rope on a round item.
typedef struct rl_path_arc {
  rl_vec3 entry, exit; // tangent points [m]
  double wrap;         // wrap angle [rad]; in: within pi of the result
  double length;       // [m]
  double turn;         // angle by which the direction of the rope turns along the arc [rad]
} rl_path_arc;

// Returns some unit vector across a unit vector.
rl_vec3 rl_any_across(rl_vec3 u);

// Computes the straight link from p to q.
void rl_path_straight(rl_vec3 p, rl_vec3 q, rl_path_link *link);

// Computes the link from p to q over a round item, (3) to (8). If the wrap angle would be negative
// the link is straight: length and gradient are continuous there, and the angle says by how much
// the rope has left. Between two points on the surface the angle has either sign. Returns false if
// p or q is inside; points within rounding of the surface count as on it.
bool rl_path_over(const rl_path_round *round, rl_vec3 p, rl_vec3 q, rl_path_arc *arc,
                  rl_path_link *link);

// Computes the link over a ball on which friction holds the rope in the plane across `axis`, (12)
// to (14), in whatever direction the ends leave that plane. The direction is the gradient of the
// length only as far as (13) allows; beyond that the length still exists.
bool rl_path_over_held(const rl_path_round *round, rl_vec3 p, rl_vec3 q, rl_path_arc *arc,
                       rl_path_link *link);

// The departure of the straight piece to a point from a ball on which friction holds the rope.
typedef struct rl_path_departure {
  double bent; // angle of the arc on which the rope leaves its plane; INFINITY: nothing holds it
  double seen; // angle about the centre from the point to where the rope leaves the ball [rad]
} rl_path_departure;

// (18) of papers/balls.md. Returns the departure for the point p and a coefficient of friction.
rl_path_departure rl_path_depart(const rl_path_round *round, rl_vec3 p, double friction);

#endif
