// SPDX-License-Identifier: GPL-3.0-or-later
// Initial shapes of a rope: straight, along a polyline, or hanging at rest.
#ifndef RL_POSE_H
#define RL_POSE_H

#include "../vector.h"

#include <stdbool.h>
#include <stddef.h>

// All write count + 1 positions [m] for `count` elements of rest lengths `rest` [m].

// Places nodes on a straight line, at the same fractions of its length as of the rest length.
void rl_pose_straight(size_t count, const double *rest, rl_vec3 from, rl_vec3 to, rl_vec3 *out);

// Places nodes along a polyline, at the same fractions of its arc length as of the rest length. A
// closed one goes on from its last point to the first, where the first and the last position are.
void rl_pose_polyline(size_t count, const double *rest, size_t point_count, const rl_vec3 *points,
                      bool closed, rl_vec3 *out);

// (12) to (14) of papers/world.md: places nodes hanging at rest between both ends: the exact
// equilibrium of `count` straight elements with node masses `masses` [count + 1, kg] (a discrete
// catenary), with stiffness EA [N] or inextensible (INFINITY). Returns false if there is no such
// shape: too short, or straight up and down.
bool rl_pose_hang(size_t count, const double *rest, const double *masses, double stiffness,
                  rl_vec3 gravity, rl_vec3 from, rl_vec3 to, rl_vec3 *out);

// Returns the length of a polyline [m].
double rl_polyline_length(size_t point_count, const rl_vec3 *points, bool closed);

#endif
