// SPDX-License-Identifier: GPL-3.0-or-later
// Ropes with mass on winches: one element grows or shrinks there, and takes its mass from the winch
// or gives it back; nodes come in and go where it becomes too long or too short.
// papers/parting.md, "Winches on ropes with mass".
#ifndef RL_FEED_H
#define RL_FEED_H

#include "../state.h"

// The length of the elements of a rope at the start, which feeding keeps [m].
static inline double rl_feed_spacing(const rl_rope *rope) {
  return rope->length / rope->link_count;
}

// Whether an element is so long that it gets a node, or so short that it loses one, once it has
// grown by `growth` [m].
bool rl_feed_is_long(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i,
                     double growth);
bool rl_feed_is_short(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i,
                      double growth);

// The rest length of the piece of rope that element i belongs to [m], and whether less than the
// shortest element is left of it once it has grown by `growth` [m].
double rl_feed_left(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i);
bool rl_feed_uses_up(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i,
                     double growth);

// (6) The mass and the drag of `growth` [m] of rope come to the nodes of an element.
void rl_feed_weigh(const rl_model *model, rl_state *state, uint32_t rope, uint32_t i,
                   double growth);

// (7) A node comes in on an element, one spacing from where it is not fed: at its beginning, or at
// its end. False without a spare node. Who calls this and the next tells rows and solver.
bool rl_feed_insert(const rl_model *model, rl_state *state, uint32_t rope, uint32_t i,
                    bool fed_at_end);

// (8) The node between an element and the one behind it, or with `fed_at_end` the one before it,
// goes back to the pool. False where there is none.
bool rl_feed_remove(const rl_model *model, rl_state *state, uint32_t rope, uint32_t i,
                    bool fed_at_end);

#endif
