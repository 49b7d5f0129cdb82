// SPDX-License-Identifier: GPL-3.0-or-later
// Where a plane or a swipe meets ropes. A swipe is the way of a point that cuts what it crosses, as
// it is seen along a view: all of it at one moment, or a part of it in each step, while the ropes
// move. papers/parting.md (2).
#ifndef RL_CUT_H
#define RL_CUT_H

#include "../state.h"

typedef struct rl_cut {
  const rl_event *event;
  rl_vec3 from, to;      // of a swipe: the way of the point [m]
  const rl_state *start; // of the step in which it goes there; NULL: all at this moment
  bool goes_on;          // at `from` it was in the step before
} rl_cut;

// Where a cut meets an element, along the straight pieces into which eyes and bodies bend it and
// the arcs between them, as a fraction of their number; nan: nowhere. Of a massless rope, whose one
// element is all of it, after rl_cut_look.
double rl_cut_element(const rl_model *model, const rl_state *state, const rl_cut *cut,
                      uint32_t rope, uint32_t element);

// Finds how a rope lies on bodies, where it can.
void rl_cut_look(const rl_model *model, const rl_state *state, const rl_cut *cut, uint32_t rope);

#endif
