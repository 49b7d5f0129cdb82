// SPDX-License-Identifier: GPL-3.0-or-later
#include "elements.h"

#include "eyes.h"

#include <string.h>

static const rl_link *element(const rl_model *model, const rl_state *state, uint32_t rope,
                              uint32_t i) {
  return &state->links[model->ropes[rope].first_link + i];
}

// ---------------------------------------------------------------------------------------------
// Walking

uint32_t rl_element_next(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i) {
  const uint32_t count = rl_rope_elements(model, state, rope);
  const uint32_t next = i + 1 < count ? i + 1 : model->ropes[rope].closed ? 0 : RL_NONE;
  return next != RL_NONE &&
                 element(model, state, rope, i)->b == element(model, state, rope, next)->a
             ? next
             : RL_NONE;
}

uint32_t rl_element_before(const rl_model *model, const rl_state *state, uint32_t rope,
                           uint32_t i) {
  const uint32_t count = rl_rope_elements(model, state, rope);
  const uint32_t before = i > 0 ? i - 1 : model->ropes[rope].closed ? count - 1 : RL_NONE;
  return before != RL_NONE && rl_element_next(model, state, rope, before) == i ? before : RL_NONE;
}

uint32_t rl_piece_first(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i) {
  uint32_t first = i;
  for (uint32_t before = rl_element_before(model, state, rope, i); before != RL_NONE && before != i;
       before = rl_element_before(model, state, rope, first)) {
    first = before;
  }
  return rl_element_before(model, state, rope, first) == RL_NONE ? first : i;
}

uint32_t rl_piece_last(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i) {
  uint32_t last = rl_piece_first(model, state, rope, i);
  const uint32_t first = last;
  for (uint32_t next = rl_element_next(model, state, rope, last); next != RL_NONE && next != first;
       next = rl_element_next(model, state, rope, last)) {
    last = next;
  }
  return last;
}

uint32_t rl_rope_ends(const rl_model *model, const rl_state *state, uint32_t rope) {
  uint32_t ends = 0;
  for (uint32_t i = 0; i < rl_rope_elements(model, state, rope); i++) {
    ends += rl_element_next(model, state, rope, i) == RL_NONE ? 1 : 0;
  }
  return ends;
}

void rl_node_beside(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i,
                    uint32_t beside[2]) {
  const uint32_t count = rl_rope_elements(model, state, rope);
  beside[0] = beside[1] = RL_NONE;
  uint32_t node = 0;
  for (uint32_t k = 0; k < count; k++) {
    const bool ends = rl_element_next(model, state, rope, k) == RL_NONE;
    if (node == i) { // where element k begins
      const uint32_t before = rl_element_before(model, state, rope, k);
      beside[0] = before == RL_NONE ? RL_NONE : element(model, state, rope, before)->a;
      beside[1] = element(model, state, rope, k)->b;
    } else if (ends && node + 1 == i) { // where it ends
      beside[0] = element(model, state, rope, k)->a;
    }
    node += ends ? 2 : 1;
  }
}

double rl_rest_length(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t from,
                      uint32_t to) {
  double length = element(model, state, rope, from)->rest;
  uint32_t i = from;
  while (i != to) {
    i = rl_element_next(model, state, rope, i);
    if (i == RL_NONE || i == from) {
      return NAN;
    }
    length += element(model, state, rope, i)->rest;
  }
  return length;
}

// ---------------------------------------------------------------------------------------------
// Parting

// The topology is a hash of all changes so far.
void rl_elements_note(rl_state *state, uint32_t what, uint32_t where) {
  uint64_t hash = state->topology == 0 ? RL_HASH_START : state->topology;
  hash = rl_hash_word(hash, what);
  hash = rl_hash_word(hash, where);
  state->topology = hash == 0 ? 1 : hash;
}

static void note_change(rl_state *state, uint32_t what, uint32_t where) {
  rl_elements_note(state, what, where);
  state->parted++;
}

// Returns the sum of the rest lengths of all elements at a slot [m].
static double rest_at(const rl_model *model, const rl_state *state, uint32_t slot) {
  double sum = 0.0;
  for (uint32_t r = 0; r < model->rope_count; r++) {
    for (uint32_t i = 0; i < rl_rope_elements(model, state, r); i++) {
      const rl_link *link = element(model, state, r, i);
      sum += link->a == slot || link->b == slot ? link->rest : 0.0;
    }
  }
  return sum;
}

static void set_mass(rl_state *state, uint32_t slot, double mass) {
  state->masses[slot] = mass;
  state->points[slot].w = 1.0 / mass;
}

// Takes a spare node of a rope; it gets the position and velocity of another slot, and a mass.
// Returns its slot.
static uint32_t take_spare(const rl_model *model, rl_state *state, uint32_t rope, uint32_t slot,
                           double mass) {
  const uint32_t left = --state->spare_counts[rope];
  const uint32_t node = state->spares[model->ropes[rope].first_in_pool + left];
  state->points[node] = state->points[slot];
  state->velocities[node] = state->velocities[slot];
  set_mass(state, node, mass);
  return node;
}

// Renumbers contacts, which are identified by the indices of their nodes along the rope, after the
// new node at `slot` was inserted behind node `node`. If a loop `opens` at its first node, the new
// node takes its index, and the old one becomes the last.
static void shift_contacts(rl_state *state, uint32_t rope, uint32_t node, uint32_t slot,
                           bool opens) {
  for (uint64_t i = 0; i < state->contact_count; i++) {
    rl_contact *c = &state->contacts[i];
    const bool stays = c->node < node || (c->node == node && c->next == RL_NONE && !opens);
    if (c->rope != rope || stays) {
      continue;
    }
    c->slot = c->node == node ? slot : c->slot;
    c->node += opens ? 0 : 1;
  }
}

uint32_t rl_element_node(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i) {
  uint32_t node = i;
  for (uint32_t k = 0; k < i; k++) {
    node += rl_element_next(model, state, rope, k) == RL_NONE ? 1 : 0;
  }
  return node;
}

// Whether the elements of a state cannot change.
static bool is_lasting(const rl_state *state) { return !state->element_counts; }

static bool can_split(const rl_model *model, const rl_state *state, uint32_t slot) {
  return slot < model->node_count && state->points[slot].w > 0.0;
}

// (1) Gives element i a node of its own where it begins, with its share of the mass there.
static rl_parting split(const rl_model *model, rl_state *state, uint32_t rope, uint32_t i) {
  rl_link *link = &state->links[model->ropes[rope].first_link + i];
  const rl_rope *r = &model->ropes[rope];
  const uint32_t slot = link->a;
  if (state->spare_counts[rope] == 0) {
    return RL_NO_SPARES;
  }
  const double share = link->rest / rest_at(model, state, slot);
  const double mass = share * state->masses[slot];
  const uint32_t place = rl_element_node(model, state, rope, i);
  const uint32_t node = take_spare(model, state, rope, slot, mass);
  set_mass(state, slot, state->masses[slot] - mass);
  if (r->drag_per_length > 0.0) {
    state->drags[node] = 0.5 * r->drag_per_length * link->rest;
    state->drags[slot] -= state->drags[node];
  } else {
    state->drags[node] = state->drags[slot];
  }
  link->a = node;
  shift_contacts(state, rope, place, node, i == 0);
  note_change(state, model->ropes[rope].first_link + i, node);
  return RL_PARTED;
}

// Removes a massless rope, which has no node of its own to keep.
static rl_parting come_off(const rl_model *model, rl_state *state, uint32_t rope) {
  const rl_rope *r = &model->ropes[rope];
  if (state->element_counts[rope] == 0) {
    return RL_NOT_TIED;
  }
  state->element_counts[rope] = 0;
  state->multipliers[r->first_link] = 0.0;
  if (r->wrap_capacity > 0) {
    memset(&state->wraps[r->first_wrap], 0, state->wrap_counts[rope] * sizeof *state->wraps);
    state->wrap_counts[rope] = 0;
  }
  note_change(state, r->first_link, RL_NONE);
  return RL_PARTED;
}

// Whether the node at a slot belongs to the rope alone and moves with it.
static bool is_own_end(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t slot) {
  return can_split(model, state, slot) && model->node_rope[slot] == rope;
}

// (1)
rl_parting rl_end_release(const rl_model *model, rl_state *state, uint32_t rope, uint32_t end) {
  const rl_rope *r = &model->ropes[rope];
  if (is_lasting(state)) {
    return RL_NO_SPARES;
  }
  if (r->massless) {
    return come_off(model, state, rope);
  }
  const uint32_t i = end == 0 ? 0 : rl_rope_elements(model, state, rope) - 1;
  rl_link *link = &state->links[r->first_link + i];
  uint32_t *slot = end == 0 ? &link->a : &link->b;
  if (is_own_end(model, state, rope, *slot)) {
    return RL_NOT_TIED;
  }
  if (state->spare_counts[rope] == 0) {
    return RL_NO_SPARES;
  }
  const double mass = r->is_fed ? 0.5 * r->density * link->rest : r->end_masses[end];
  if (can_split(model, state, *slot)) { // the joint keeps the mass of the other ropes
    set_mass(state, *slot, state->masses[*slot] - mass);
  }
  *slot = take_spare(model, state, rope, *slot, mass);
  state->drags[*slot] = r->drag > 0.0 ? r->drag : 0.5 * r->drag_per_length * link->rest;
  note_change(state, r->first_link + i, *slot);
  return RL_PARTED;
}

static rl_parting part_element(const rl_model *model, rl_state *state, uint32_t rope, uint32_t i) {
  const rl_link *link = element(model, state, rope, i);
  const uint32_t next = rl_element_next(model, state, rope, i);
  if (rl_element_before(model, state, rope, i) != RL_NONE && can_split(model, state, link->a)) {
    return split(model, state, rope, i);
  }
  if (next != RL_NONE && can_split(model, state, link->b)) {
    return split(model, state, rope, next);
  }
  if (i == 0 && !is_own_end(model, state, rope, link->a)) {
    return rl_end_release(model, state, rope, 0);
  }
  if (i + 1 == rl_rope_elements(model, state, rope) && !is_own_end(model, state, rope, link->b)) {
    return rl_end_release(model, state, rope, 1);
  }
  return RL_NOT_TIED;
}

rl_parting rl_element_part(const rl_model *model, rl_state *state, uint32_t rope, uint32_t i) {
  if (is_lasting(state)) {
    return RL_NO_SPARES;
  }
  if (model->ropes[rope].massless) {
    return come_off(model, state, rope);
  }
  const rl_parting parting = part_element(model, state, rope, i);
  if (parting == RL_PARTED) {
    rl_eyes_leave(model, state, rope, i);
  }
  return parting;
}

// (1)
rl_parting rl_body_release(const rl_model *model, rl_state *state, uint32_t body) {
  const rl_body *b = &model->bodies[body];
  const uint32_t slot = rl_body_slot(model, body);
  if (state->points[slot].w > 0.0) {
    return RL_NOT_TIED;
  }
  if (!b->is_released) {
    return RL_NO_SPARES;
  }
  set_mass(state, slot, b->mass);
  if (b->spin_slot != RL_NONE) {
    set_mass(state, b->spin_slot, 1.0);
  }
  note_change(state, slot, RL_NONE);
  return RL_PARTED;
}
