// SPDX-License-Identifier: GPL-3.0-or-later
// Eyes that ropes with mass run through. The element in an eye is one row, with one tension, over
// two pieces: from its first node to the eye, and from there to its last node. When one of the
// pieces is used up the eye passes to the neighbouring element. papers/eyes.md.
#ifndef RL_EYES_H
#define RL_EYES_H

#include "../rows.h"

// Returns the number of eyes that element i of a rope with mass runs through, and the index of the
// first in model->eyes, in the order of the rope. `state` NULL: at the start of the run.
uint32_t rl_element_eyes(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i,
                         uint32_t *first);

// Whether element i of a rope runs through an eye.
static inline bool rl_element_is_in_eye(const rl_model *model, const rl_state *state, uint32_t rope,
                                        uint32_t i) {
  uint32_t first;
  return model->ropes[rope].ring_count > 0 && rl_element_eyes(model, state, rope, i, &first) > 0;
}

// Return the number of corners of an element, and the position of one [m]: its first node, the eyes
// that it runs through, its last node.
uint32_t rl_element_corners(const rl_model *model, const rl_state *state, uint32_t rope,
                            uint32_t i);
rl_vec3 rl_element_corner(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i,
                          uint32_t corner);

// Returns the first eye of a row, in model->eyes, if the row is that of an element in eyes and the
// model has friction in these; else RL_NONE.
uint32_t rl_row_first_eye(const rl_model *model, const rl_state *state, const rl_row *row);

// (8) Returns the tension of a rope with mass behind an eye over that before it, for its directions
// into the eye and out of it: exp(grip mu turn).
double rl_eye_tension_ratio(const rl_model *model, const rl_state *state, uint32_t eye, rl_vec3 in,
                            rl_vec3 out);

// (9) Returns the speed at which a rope with mass slipped through an eye in a step of dt [s],
// towards `to` [m/s]: the average of the mean over the step and the rate at its end; 0 if the eye
// has no friction.
double rl_eye_slip(const rl_model *model, const rl_state *before, const rl_state *state,
                   const rl_rows *rows, uint32_t eye, double dt);

// Returns a hash of the elements that run through eyes.
uint64_t rl_eyes_hash(const rl_model *model, const rl_state *state);

// Sets the guides of the rows of elements in eyes for a step of dt [s]. A node that can reach its
// eye within the step is guided: the length of its piece is then its distance from the eye along
// the direction of the rope before it, row->guides[0] for the first node and [1] for the last, and
// becomes negative when the node is through.
void rl_eyes_guide(const rl_model *model, const rl_state *state, rl_rows *rows, double dt);

// Of methods that say how near a node is guided (rows->lead_in): returns whether others are near
// now than those that are guided; and how long an internal step may be [s], by (2a) of
// papers/eyes.md and the accelerations [slots] there are.
bool rl_eyes_guide_others(const rl_model *model, const rl_state *state, const rl_rows *rows);
double rl_eyes_longest(const rl_model *model, const rl_state *state, const rl_rows *rows,
                       const rl_vec3 *accelerations);

// Lets nodes that are through their eye pass, after a step: their velocity turns into the direction
// of the rope behind the eye, and the eye passes to the element behind them; a free end leaves the
// eye. Moves nodes that the next step of dt [s] will guide on to their lines. Conserves the lengths
// of the rows and the energy, and where everything moves freely momentum, centre of mass and, on
// bodies that turn, angular momentum. Returns true if a node has passed: then copies of rows or
// positions are out of date.
bool rl_eyes_pass(const rl_model *model, rl_state *state, const rl_rows *rows, double dt);

// Returns how far the farthest guided node is past its eye [m]; negative if none is.
double rl_eyes_overshoot(const rl_model *model, const rl_state *state, const rl_rows *rows);

// Whether a taut rope would, within the next step of dt [s], draw an end that cannot pass into its
// eye, or two eyes together, so that its piece has no direction. `end`: 0 `from`, 1 `to`, RL_NONE:
// between two eyes.
bool rl_eyes_draw_in(const rl_model *model, const rl_state *state, double dt, uint32_t *rope,
                     uint32_t *end);

// Takes element i, which parts, out of its eyes.
void rl_eyes_leave(const rl_model *model, rl_state *state, uint32_t rope, uint32_t i);

#endif
