// SPDX-License-Identifier: GPL-3.0-or-later
// Ropes that touch themselves and each other: which elements, and where. papers/tangle.md.
#ifndef RL_ROPE_CONTACT_H
#define RL_ROPE_CONTACT_H

#include "../rows_internal.h"

// Room for contacts: this many for each element that touches ropes, or as many as there are pairs.
#define RL_TANGLE_CONTACTS 12

// And this many pairs that are near each other, of which most are no contact.
#define RL_TANGLE_PAIRS 48

typedef struct rl_tangle rl_tangle;

// The most contacts of so many elements.
uint64_t rl_tangle_capacity(uint64_t elements);

rl_tangle *rl_tangle_carve(const rl_model *model, rl_carver *carver);

// Finds all pairs of elements that can touch within dt; false: there are more than there is room
// for, and some are left out. Those of the step before are kept as long as they hold.
bool rl_tangle_find(const rl_model *model, const rl_state *state, rl_tangle *tangle, double dt);

// Adds to the state's list the contacts of an element, the index-th of those that touch ropes, with
// those before it; false: there are more than there is room for.
bool rl_detect_ropes(const rl_model *model, rl_state *state, const rl_rows *rows,
                     uint64_t old_count, uint64_t *old, uint32_t index);

// Where the elements are now; then where a listed contact is.
void rl_tangle_move(const rl_model *model, const rl_state *state, rl_tangle *tangle);
void rl_detect_ropes_again(const rl_model *model, const rl_state *state, rl_rows *rows,
                           uint64_t contact);

// The friction coefficient of a contact of two elements.
double rl_rope_pair_friction(const rl_model *model, const rl_contact *contact);

void rl_add_rope_row(const rl_model *model, const rl_state *state, rl_rows *rows,
                     const rl_contact *contact, uint32_t i);

#endif
