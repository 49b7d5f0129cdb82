// SPDX-License-Identifier: GPL-3.0-or-later
// Eyes that ropes with mass run through. The element in an eye is one row over two pieces, from its
// first node to the eye and from there to its last, and one tension. When one of the pieces is used
// up the eye passes to the neighbour. papers/eyes.md.
#ifndef RL_EYES_H
#define RL_EYES_H

#include "../rows.h"

// The eyes that element i of a rope with mass runs through, from *first on among the model's, in
// the order of the rope; how many. Before there is a state (NULL), as it starts.
uint32_t rl_element_eyes(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i,
                         uint32_t *first);

static inline bool rl_element_is_in_eye(const rl_model *model, const rl_state *state, uint32_t rope,
                                        uint32_t i) {
  uint32_t first;
  return model->ropes[rope].ring_count > 0 && rl_element_eyes(model, state, rope, i, &first) > 0;
}

// The corners of an element: its first node, the eyes that it runs through, its last node.
uint32_t rl_element_corners(const rl_model *model, const rl_state *state, uint32_t rope,
                            uint32_t i);
rl_vec3 rl_element_corner(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i,
                          uint32_t corner);

// The first eye of a row, among the model's, if the row is that of an element of a rope with mass
// that can rub in it; else RL_NONE.
uint32_t rl_row_first_eye(const rl_model *model, const rl_state *state, const rl_row *row);

// The tension behind an eye over that before it, of a rope with mass that comes in one direction
// and leaves in another: exp(grip mu turn).
double rl_eye_pull(const rl_model *model, const rl_state *state, uint32_t eye, rl_vec3 in,
                   rl_vec3 out);

// How fast a rope with mass slipped through an eye in a step of dt [s], towards `to` [m/s]: half of
// the sum of the mean of the step and the rate at its end. 0: no rope rubs there.
double rl_eye_slip(const rl_model *model, const rl_state *before, const rl_state *state,
                   const rl_rows *rows, uint32_t eye, double dt);

// Which elements run through eyes, as a number.
uint64_t rl_eyes_hash(const rl_model *model, const rl_state *state);

// Writes the guides of the rows of such elements for a step of dt [s]. A node that can reach the
// eye within the step is guided: the length of its piece is then its distance from the eye along
// the rope before it, row->guides[0] of the first node and [1] of the last, which goes on below 0
// when the node is through.
void rl_eyes_guide(const rl_model *model, const rl_state *state, rl_rows *rows, double dt);

// After a step: nodes that are through their eye are turned into the direction of the rope behind
// it, and the eye passes to the element that they came with; a free end that is through leaves it.
// Nodes that the next step of dt [s] will guide come on to their lines. The lengths of the rows and
// the energy stay what they are, and of what moves freely momentum, centre of mass, and on bodies
// that turn the angular momentum.
// True if any passed: who keeps rows or positions of his own is to be told.
bool rl_eyes_pass(const rl_model *model, rl_state *state, const rl_rows *rows, double dt);

// How far the guided node that is furthest through its eye is through it [m]; below 0: none is.
double rl_eyes_through(const rl_model *model, const rl_state *state, const rl_rows *rows);

// Whether a taut rope would draw an end that cannot go through into its eye within the next step of
// dt [s], or two eyes together: behind that its piece has no direction. Which rope, and at which
// end; 0 `from`, 1 `to`, RL_NONE: between two eyes.
bool rl_eyes_draw_in(const rl_model *model, const rl_state *state, double dt, uint32_t *rope,
                     uint32_t *end);

// Element i leaves the eyes that it runs through, because it comes apart there.
void rl_eyes_leave(const rl_model *model, rl_state *state, uint32_t rope, uint32_t i);

#endif
