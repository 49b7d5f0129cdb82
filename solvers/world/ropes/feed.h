// SPDX-License-Identifier: GPL-3.0-or-later
// Winches on ropes with mass: one element grows or shrinks there, and takes its mass from the winch
// or gives it back; a node is inserted when it becomes too long, and removed when it becomes too
// short. papers/parting.md, "Winches on ropes with mass".
#ifndef RL_FEED_H
#define RL_FEED_H

#include "../state.h"

// Returns the mean rest length of the elements of a rope at the start, which feeding maintains [m].
static inline double rl_feed_spacing(const rl_rope *rope) {
  return rope->length / rope->link_count;
}

// Whether an element needs another node, or has to lose one, after it has grown by `growth` [m].
bool rl_feed_is_long(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i,
                     double growth);
bool rl_feed_is_short(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i,
                      double growth);

// Returns the rest length of the piece of rope that element i belongs to [m]; whether less than the
// shortest element is left of it after it has grown by `growth` [m].
double rl_feed_left(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i);
bool rl_feed_uses_up(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i,
                     double growth);

// (6) Adds the mass and the drag of `growth` [m] of rope to the nodes of an element.
void rl_feed_weigh(const rl_model *model, rl_state *state, uint32_t rope, uint32_t i,
                   double growth);

// (7) Inserts a node in an element, one spacing from the end at which it is not fed. Returns false
// if there is no spare node. After this and the next function the caller has to tell rows and
// solver.
bool rl_feed_insert(const rl_model *model, rl_state *state, uint32_t rope, uint32_t i,
                    bool fed_at_end);

// (8) Returns the node between an element and the one behind it, or with `fed_at_end` the one
// before it, to the pool, and joins both elements. Returns false if there is none to remove.
bool rl_feed_remove(const rl_model *model, rl_state *state, uint32_t rope, uint32_t i,
                    bool fed_at_end);

#endif
