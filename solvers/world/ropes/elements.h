// SPDX-License-Identifier: GPL-3.0-or-later
// The elements of a rope, in order along it: pairs of nodes with a rest length. They alone define
// the topology; nodes are in memory in any order. A rope that was parted is still one list of
// elements: its pieces, one after the other.
//
// A rope parts between two elements: the node that they share becomes two, with the same position
// and velocity, and its mass is divided between them. Mass, momentum, angular momentum and energy
// are conserved. papers/parting.md.
#ifndef RL_ELEMENTS_H
#define RL_ELEMENTS_H

#include "../state.h"

// ---------------------------------------------------------------------------------------------
// Walking along a rope. Element i is links[first_link + i].

// Return the element that begins where element i ends; the one that ends where it begins; RL_NONE
// at the end of a piece. The last element of a loop leads to the first.
uint32_t rl_element_next(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i);
uint32_t rl_element_before(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i);

// Return the first and the last element of the piece that element i belongs to; of a whole loop
// element i itself and the one before it.
uint32_t rl_piece_first(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i);
uint32_t rl_piece_last(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i);

// Returns the number of pieces of a rope; 0 for a loop that is whole.
uint32_t rl_rope_ends(const rl_model *model, const rl_state *state, uint32_t rope);

// Finds the slots of the nodes before and after the i-th node along a rope, on the same piece;
// RL_NONE where the piece ends.
void rl_node_beside(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i,
                    uint32_t beside[2]);

// Returns the rest length from the beginning of element `from` to the end of element `to` [m]; nan
// if they belong to different pieces.
double rl_rest_length(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t from,
                      uint32_t to);

// Returns the index along a rope of the node where element i begins.
uint32_t rl_element_node(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i);

// Records a change of the topology in the state, where rl_detect notices it.
void rl_elements_note(rl_state *state, uint32_t what, uint32_t where);

// ---------------------------------------------------------------------------------------------
// Parting. The caller has to tell rows and solver afterwards, as rl_driver does (a program calls
// rl_driver_set_state). If the definition has nothing that parts ropes (no event, `break_tension`
// or `pool` > 0), states have no room for it, and these functions return RL_NO_SPARES.

typedef enum rl_parting {
  RL_PARTED,
  RL_NOT_TIED,  // already apart
  RL_NO_SPARES, // no spare node is left, or the state has no room for the change
} rl_parting;

// Parts a rope at element i: from the element before it, else from the one after it, else from what
// holds its end. A massless rope comes off both its ends, for which it needs no spare node.
rl_parting rl_element_part(const rl_model *model, rl_state *state, uint32_t rope, uint32_t i);

// Releases an end of a rope (0 `from`, 1 `to`), whose node then has its own mass.
rl_parting rl_end_release(const rl_model *model, rl_state *state, uint32_t rope, uint32_t end);

// Releases a fixed body. Returns RL_NOT_TIED if it is free already, RL_NO_SPARES if no event
// releases it, so that it has no mass.
rl_parting rl_body_release(const rl_model *model, rl_state *state, uint32_t body);

#endif
