// SPDX-License-Identifier: GPL-3.0-or-later
// Where elements of ropes touch parts of bodies, and where they come to touch them within a step;
// private to detection.
#ifndef RL_ROWS_COMING_H
#define RL_ROWS_COMING_H

#include "rows_internal.h"

// Returns the place on a part that is nearest to a point p of a rope, as a place on its body.
rl_foot rl_foot_at(rl_surface surface, rl_vec3 p, rl_body_pose at, double fraction);

// Finds the place of a segment that is nearest to a part, and the surface there. Returns false if
// an end is as near.
bool rl_element_between(const rl_part *part, rl_body_pose at, const rl_vec3 ends[2], double *s,
                        rl_surface *surface);

// Finds where a segment, nearest to a part at an end, lies on a flat face or along the side of a
// cylinder and leaves it over an edge: the fraction of the segment, and the plane it lies on.
// Returns false if there is no such place, or if the segment is inclined towards the body there:
// then it goes down another face.
bool rl_element_leaves(const rl_part *part, rl_body_pose at, const rl_vec3 ends[2], double *s,
                       rl_surface *surface);

// (5g) Finds where an element can get into a part within dt although its nodes, and the place `now`
// where it touches the part unless it is idle, are kept out; `pushed`: there it pushed in the step
// before. Returns false if there is no such place.
bool rl_element_comes(const rl_model *model, const rl_state *state, const rl_contact *contact,
                      double dt, bool pushed, const rl_foot *now, rl_foot *coming);

#endif
