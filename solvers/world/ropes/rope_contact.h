// SPDX-License-Identifier: GPL-3.0-or-later
// Contacts of ropes with themselves and each other: which elements, and where. papers/tangle.md.
#ifndef RL_ROPE_CONTACT_H
#define RL_ROPE_CONTACT_H

#include "../rows_internal.h"

// Room for contacts, for each element that can touch ropes (at most one for each pair).
#define RL_TANGLE_CONTACTS 12

// Room for pairs that are near each other, of which most are no contact, for each element.
#define RL_TANGLE_PAIRS 48

typedef struct rl_tangle rl_tangle;

// Returns the most contacts of that many elements.
uint64_t rl_tangle_capacity(uint64_t elements);

// Carves the memory of a tangle.
rl_tangle *rl_tangle_carve(const rl_model *model, rl_carver *carver);

// Finds all pairs of elements that can touch within dt [s]. The list of an earlier step is kept as
// long as it is complete. Returns false if there is no room for all pairs.
bool rl_tangle_find(const rl_model *model, const rl_state *state, rl_tangle *tangle, double dt);

// Adds the contacts of an element, the index-th of those that can touch ropes, with the elements
// before it to the list of the state. Returns false if there is no room for all.
bool rl_detect_ropes(const rl_model *model, rl_state *state, rl_rows *rows, uint32_t index);

// Updates the positions of the elements from the state.
void rl_tangle_move(const rl_model *model, const rl_state *state, rl_tangle *tangle);

// Updates the foot of a listed contact, after rl_tangle_move.
void rl_detect_ropes_again(const rl_model *model, const rl_state *state, rl_rows *rows,
                           uint64_t contact);

// Returns the friction coefficient of a contact of two elements.
double rl_rope_pair_friction(const rl_model *model, const rl_contact *contact);

// Adds the row of a contact of two elements, the i-th of the list.
void rl_add_rope_row(const rl_model *model, const rl_state *state, rl_rows *rows,
                     const rl_contact *contact, uint32_t i);

#endif
