// SPDX-License-Identifier: GPL-3.0-or-later
// The elements of a rope, in order along it: pairs of nodes with a rest length. They alone say what
// is tied to what; nodes stand in memory in any order. A rope that was parted is still one list:
// its pieces, one after the other.
//
// A rope comes apart between two elements: the node that they share becomes two, at the same place
// with the same velocity, and the mass of it is shared. Mass, momentum, angular momentum and energy
// stay what they are. papers/parting.md.
#ifndef RL_ELEMENTS_H
#define RL_ELEMENTS_H

#include "../state.h"

// ---------------------------------------------------------------------------------------------
// Walking. Element i of a rope is links[first_link + i].

// The element that goes on where element i ends, or the one that leads to where it begins; RL_NONE
// at the end of a piece. The last of a loop leads to the first.
uint32_t rl_element_next(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i);
uint32_t rl_element_before(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i);

// The first and the last element of the piece that element i belongs to; of a loop in one piece
// element i itself and the one before it. The nodes at the ends of the piece are where these begin
// and end.
uint32_t rl_piece_first(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i);
uint32_t rl_piece_last(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i);

// How many places there are at which a piece ends: its pieces, or of a loop that is whole none.
uint32_t rl_rope_ends(const rl_model *model, const rl_state *state, uint32_t rope);

// The slots of the nodes before and after the i-th node along a rope, on the same piece; RL_NONE
// where it ends.
void rl_node_beside(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i,
                    uint32_t beside[2]);

// Rest length from where element `from` begins to where element `to` ends, along the rope [m]; nan
// where they belong to different pieces.
double rl_rest_length(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t from,
                      uint32_t to);

// The place along a rope of the node where element i begins.
uint32_t rl_element_node(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i);

// Notes that what is tied to what has changed, which rl_detect looks at.
void rl_elements_note(rl_state *state, uint32_t what, uint32_t where);

// Whether the elements of all ropes hold together: nodes that exist, none in two places of a rope
// or in use and in the pool at once, as many nodes as elements and ends, rest lengths above 0,
// masses and their inverses that agree. False with what is wrong. For tests: it takes memory.
bool rl_elements_check(const rl_model *model, const rl_state *state, char *message, size_t size);

// ---------------------------------------------------------------------------------------------
// Parting. Who calls these tells rows and solver (rl_driver does; rl_driver_set_state where a
// program does). What nothing in the definition can part, no event, `break_tension` or `pool` > 0,
// has no room for that: RL_NO_SPARES.

typedef enum rl_parting {
  RL_PARTED,
  RL_NOT_TIED,  // it is apart already
  RL_NO_SPARES, // no spare node is left, or there is no room for what would change
} rl_parting;

// Parts a rope at element i: from the element before it, or else from the one after it, or else
// from what holds it. A massless rope comes off both its ends, for which it needs no spare node.
rl_parting rl_element_part(const rl_model *model, rl_state *state, uint32_t rope, uint32_t i);

// Lets an end of a rope go (0 `from`, 1 `to`): from there on its node has its own mass.
rl_parting rl_end_release(const rl_model *model, rl_state *state, uint32_t rope, uint32_t end);

// Lets a body go that was held until now; RL_NOT_TIED: it is free; RL_NO_SPARES: no event lets it
// go, so it has no mass.
rl_parting rl_body_release(const rl_model *model, rl_state *state, uint32_t body);

#endif
