// SPDX-License-Identifier: GPL-3.0-or-later
// The shortest way between two points round a box, a hull or a cylinder, by trying places on all of
// its edges or rims: Dijkstra's method over a grid of them, and over ever finer grids about the
// places found. Knows of a rope only that between two such places it is straight, or a helix.
#ifndef RL_SHORTEST_H
#define RL_SHORTEST_H

#include "world/paths/path_feature.h"

// Of all ways that are no longer than `most` [m]; INFINITY if it finds none.
double shortest_of_all(const rl_path_solid *solid, rl_vec3 from, rl_vec3 to, double most);

// Of the ways beside a given one: each place at most `reach` [m] from where the path has one, round
// the side of a cylinder the same way. Not longer than the path, if that is clear of the part.
double shortest_beside(const rl_path_solid *solid, const rl_path *path, double reach);

// Whether one of the ways beside a path holds the rope: those that may go farther from it, found
// from there on, are not shorter. A place on a rim between two pieces over the side, or beside it,
// holds nothing. `near`, `far`: the lengths within 0.4 `reach` and within `reach` [m].
bool holds_beside(const rl_path_solid *solid, const rl_path *path, double reach, double *near,
                  double *far);

#endif
