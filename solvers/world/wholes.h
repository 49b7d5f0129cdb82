// SPDX-License-Identifier: GPL-3.0-or-later
// What hangs together: all that rows join is a whole. Rows pull equally and oppositely on what they
// join, and none changes where a whole is moved as it is: so its momentum is nobody else's affair.
// What stands still or is driven is one whole, with all on which it pulls.
#ifndef RL_WHOLES_H
#define RL_WHOLES_H

#include "rows.h"

// Finds the wholes, of rows that have been evaluated.
void rl_wholes_find(const rl_model *model, const rl_state *state, rl_rows *rows);

// Makes one of two.
void rl_wholes_join(rl_rows *rows, uint32_t slot, uint32_t other);

// The slot by which a whole is known that a slot belongs to; of `slot_count`, what stands still.
uint32_t rl_whole_of(rl_rows *rows, uint32_t slot);

#endif
