// SPDX-License-Identifier: GPL-3.0-or-later
// Cuts: where a plane or a swipe meets ropes. A swipe is a moving point that cuts everything it
// crosses as seen along a direction of view: all of it at one moment, or a stroke in each step
// while the ropes move. papers/parting.md (2).
#ifndef RL_CUT_H
#define RL_CUT_H

#include "../state.h"

typedef struct rl_cut {
  const rl_event *event;
  rl_vec3 from, to;      // of a swipe: start and end of the stroke [m]
  const rl_state *start; // state at the start of the step of the stroke; NULL: at one moment
  bool goes_on;          // the stroke continues that of the step before
} rl_cut;

// Returns where a cut meets an element, which consists of straight pieces and, for a massless rope,
// arcs between them: the index of the piece or arc plus the fraction along it, over their number;
// nan if it does not. For a massless rope call rl_cut_prepare first.
double rl_cut_element(const rl_model *model, const rl_state *state, const rl_cut *cut,
                      uint32_t rope, uint32_t element);

// Solves the bends of a rope that can lie on bodies, in all states of the cut.
void rl_cut_prepare(const rl_model *model, const rl_state *state, const rl_cut *cut, uint32_t rope);

#endif
