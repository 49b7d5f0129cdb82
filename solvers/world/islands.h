// SPDX-License-Identifier: GPL-3.0-or-later
// Islands: sets of slots that rows connect, found by union-find. The internal forces of an island
// sum to zero, and no row changes if the island moves as a whole, so its momentum is independent of
// the others. Everything fixed or driven, and whatever it pulls on, is one island.
#ifndef RL_ISLANDS_H
#define RL_ISLANDS_H

#include "rows.h"

// Finds the islands; the rows have been evaluated.
void rl_islands_find(const rl_model *model, const rl_state *state, rl_rows *rows);

// Joins the islands of two slots.
void rl_islands_join(rl_rows *rows, uint32_t slot, uint32_t other);

// Returns the slot that represents the island of a slot; slot_count stands for what is fixed.
uint32_t rl_island_of(rl_rows *rows, uint32_t slot);

#endif
