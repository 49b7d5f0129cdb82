// SPDX-License-Identifier: GPL-3.0-or-later
// Islands: all that rows join is one, found by union-find. Rows pull equally and oppositely on what
// they join, and none changes where an island is moved as it is: so its momentum is nobody else's
// affair. What stands still or is driven is one island, with all on which it pulls.
#ifndef RL_ISLANDS_H
#define RL_ISLANDS_H

#include "rows.h"

// Finds the islands, of rows that have been evaluated.
void rl_islands_find(const rl_model *model, const rl_state *state, rl_rows *rows);

// Makes one of two.
void rl_islands_join(rl_rows *rows, uint32_t slot, uint32_t other);

// The slot by which the island of a slot is known; of `slot_count`, what stands still.
uint32_t rl_island_of(rl_rows *rows, uint32_t slot);

#endif
