// SPDX-License-Identifier: GPL-3.0-or-later
// The plane of a rope on a ball that yields: papers/balls.md, (19b) and (19c).
#ifndef RL_PATH_YIELD_H
#define RL_PATH_YIELD_H

#include "path_link.h"

// (19b) Returns the normal of the plane, from that across the axis of the ball towards that of the
// shortest path from p to q, in which friction just holds the rope and has `reserve` [rad] of its
// arc to spare. `wrap`: within pi of the angle of the arc.
rl_vec3 rl_path_yields_to(const rl_path_round *round, rl_vec3 p, rl_vec3 q, double friction,
                          double reserve, double wrap);

// (19c) How the plane across the axis of the ball, in which friction just holds the rope, turns as
// p and q move. With respect to what the ball does gradients are the opposite of both.
typedef struct rl_path_yield {
  rl_vec3 on;      // derivative of its normal with respect to the share of the turn towards that of
                   // the shortest path
  rl_vec3 turn[2]; // gradient of that share with respect to p and q [1/m]
  double length;   // derivative of the length of the rope with respect to it [m]
} rl_path_yield;

// (19c) Returns it; `wrap` as above.
rl_path_yield rl_path_yield_of(const rl_path_round *round, rl_vec3 p, rl_vec3 q, double friction,
                               double wrap);

#endif
