// SPDX-License-Identifier: GPL-3.0-or-later
#include "feed.h"

#include "elements.h"

#include <string.h>

// Of the spacing: an element that is longer gets a node, and has half of it then; one that is
// shorter than that loses one. What was just done is not undone without half a spacing of rope.
static const double longest = 1.5, shortest = 0.5;

// A taut rope that is bent more sharply than this where a node goes, chord over length, keeps its
// length and not its tension.
static const double sharpest = 0.9;

static rl_link *element(const rl_model *model, rl_state *state, uint32_t rope, uint32_t i) {
  return &state->links[model->ropes[rope].first_link + i];
}

static double rest_of(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i) {
  return state->links[model->ropes[rope].first_link + i].rest;
}

bool rl_feed_is_long(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i,
                     double growth) {
  return rest_of(model, state, rope, i) + growth > longest * rl_feed_spacing(&model->ropes[rope]);
}

bool rl_feed_is_short(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i,
                      double growth) {
  return rest_of(model, state, rope, i) + growth < shortest * rl_feed_spacing(&model->ropes[rope]);
}

double rl_feed_left(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i) {
  return rl_rest_length(model, state, rope, rl_piece_first(model, state, rope, i),
                        rl_piece_last(model, state, rope, i));
}

bool rl_feed_uses_up(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i,
                     double growth) {
  return rl_feed_left(model, state, rope, i) + growth <
         shortest * rl_feed_spacing(&model->ropes[rope]);
}

// ---------------------------------------------------------------------------------------------
// Mass

// Half of what `growth` of rope weighs, and half of its drag, come to one of its nodes. What is
// held has no mass, and a body keeps its own.
static void weigh_node(const rl_model *model, rl_state *state, uint32_t rope, uint32_t slot,
                       double growth) {
  if (slot < model->node_count && state->points[slot].w > 0.0) {
    state->masses[slot] += 0.5 * model->ropes[rope].density * growth;
    state->points[slot].w = 1.0 / state->masses[slot];
    state->drags[slot] += 0.5 * model->ropes[rope].drag_per_length * growth;
  }
}

void rl_feed_weigh(const rl_model *model, rl_state *state, uint32_t rope, uint32_t i,
                   double growth) {
  const rl_link *link = element(model, state, rope, i);
  weigh_node(model, state, rope, link->a, growth);
  weigh_node(model, state, rope, link->b, growth);
}

// ---------------------------------------------------------------------------------------------
// The list. Elements behind an insertion move on by one place, with what is known of them.

// Whether the other of two elements in contact is one of the rope.
static bool is_other(const rl_model *model, const rl_contact *contact, uint32_t rope) {
  return rl_is_of_ropes(contact) && model->link_rope[contact->other] == rope;
}

// Contacts are known by the places of their nodes, and the other of two elements by itself.
static void shift_contacts(const rl_model *model, rl_state *state, uint32_t rope, uint32_t behind,
                           uint32_t link, uint32_t by) {
  for (uint64_t i = 0; i < state->contact_count; i++) {
    rl_contact *c = &state->contacts[i];
    c->node += c->rope == rope && c->node > behind ? by : 0;
    c->other += is_other(model, c, rope) && c->other > link ? by : 0;
  }
}

// The element that begins at a node leads to another one.
static void turn_contacts(rl_state *state, uint32_t rope, uint32_t node, uint32_t next) {
  for (uint64_t i = 0; i < state->contact_count; i++) {
    rl_contact *c = &state->contacts[i];
    if (c->rope == rope && c->node == node && c->next != RL_NONE) {
      c->next = next;
    }
  }
}

// Those of a node, and of the element that begins there, are gone.
static void drop_contacts(const rl_model *model, rl_state *state, uint32_t rope, uint32_t node,
                          uint32_t link) {
  double *forces = &state->multipliers[model->link_count];
  uint64_t kept = 0;
  for (uint64_t i = 0; i < state->contact_count; i++) {
    const rl_contact *c = &state->contacts[i];
    if (!(c->rope == rope && c->node == node) && !(rl_is_of_ropes(c) && c->other == link)) {
      state->contacts[kept] = *c;
      if (state->sides) {
        state->sides[kept] = state->sides[i];
      }
      forces[kept++] = forces[i];
    }
  }
  state->contact_count = kept;
}

// One place more behind element i, or with `closes` one less.
static void shift_elements(const rl_model *model, rl_state *state, uint32_t rope, uint32_t i,
                           bool closes) {
  const uint32_t first = model->ropes[rope].first_link + i + 1;
  const uint32_t last = model->ropes[rope].first_link + state->element_counts[rope];
  const uint32_t from = closes ? first + 1 : first, to = closes ? first : first + 1;
  const size_t count = last - from;
  memmove(&state->links[to], &state->links[from], count * sizeof *state->links);
  memmove(&state->multipliers[to], &state->multipliers[from], count * sizeof *state->multipliers);
  memmove(&state->feeds[to], &state->feeds[from], count * sizeof *state->feeds);
  for (uint32_t k = 0; k < model->event_count; k++) {
    const uint32_t link = state->fed_links[k];
    const bool moves = link != RL_NONE && link >= from && link < last;
    state->fed_links[k] = !moves ? link : closes ? link - 1 : link + 1;
  }
  state->element_counts[rope] += closes ? UINT32_MAX : 1;
}

// ---------------------------------------------------------------------------------------------
// Nodes

static void set_element(const rl_model *model, rl_state *state, uint32_t rope, uint32_t i,
                        uint32_t a, uint32_t b, double rest) {
  *element(model, state, rope, i) = (rl_link){a, b, rest, rest / model->ropes[rope].stiffness};
}

// What feeds one element does so with another one.
static void move_feed(const rl_model *model, rl_state *state, uint32_t from, uint32_t to) {
  state->feeds[to] = state->feeds[from];
  state->feeds[from] = 0.0;
  for (uint32_t k = 0; k < model->event_count; k++) {
    state->fed_links[k] = state->fed_links[k] == from ? to : state->fed_links[k];
  }
}

// A node from the pool at the fraction f of an element, where the velocity is that of the rope.
static uint32_t add_node(const rl_model *model, rl_state *state, uint32_t rope, rl_link on,
                         double f, double slip) {
  const rl_rope *r = &model->ropes[rope];
  const uint32_t node = state->spares[r->first_in_pool + --state->spare_counts[rope]];
  const rl_vec3 way = rl_sub(rl_position(&state->points[on.b]), rl_position(&state->points[on.a]));
  const rl_vec3 stretching = rl_sub(state->velocities[on.b], state->velocities[on.a]);
  const rl_vec3 velocity = rl_add_scaled(state->velocities[on.a], f, stretching);
  state->velocities[node] = rl_add_scaled(velocity, slip, way);
  state->points[node] = state->points[on.a];
  rl_move(&state->points[node], rl_scale(f, way));
  state->masses[node] = 0.5 * r->density * on.rest;
  state->points[node].w = 1.0 / state->masses[node];
  state->drags[node] = r->drag > 0.0 ? r->drag : 0.5 * r->drag_per_length * on.rest;
  return node;
}

bool rl_feed_insert(const rl_model *model, rl_state *state, uint32_t rope, uint32_t i,
                    bool fed_at_end) {
  const rl_rope *r = &model->ropes[rope];
  if (state->spare_counts[rope] == 0 || state->element_counts[rope] == r->link_capacity) {
    return false;
  }
  const rl_link old = *element(model, state, rope, i);
  const uint32_t link = r->first_link + i, place = rl_element_node(model, state, rope, i);
  const double spacing = rl_feed_spacing(r);
  const double rest = fed_at_end ? spacing : old.rest - spacing, f = rest / old.rest;
  const double slip = (fed_at_end ? -f : 1.0 - f) * state->feeds[link] / old.rest;
  const uint32_t node = add_node(model, state, rope, old, f, slip);
  weigh_node(model, state, rope, old.a, rest - old.rest);
  weigh_node(model, state, rope, old.b, -rest);
  shift_elements(model, state, rope, i, false);
  set_element(model, state, rope, i, old.a, node, rest);
  set_element(model, state, rope, i + 1, node, old.b, old.rest - rest);
  state->multipliers[link + 1] = state->multipliers[link];
  state->feeds[link + 1] = 0.0;
  if (fed_at_end) {
    move_feed(model, state, link, link + 1);
  }
  shift_contacts(model, state, rope, place, link, 1);
  turn_contacts(state, rope, place, node);
  rl_elements_note(state, link, node);
  return true;
}

// The rest length of two elements as one: where they are taut, so much that the tension stays; the
// winch has what is left over.
static double joined_rest(const rl_model *model, const rl_state *state, uint32_t rope,
                          const rl_link *links, double tension) {
  const rl_rope *r = &model->ropes[rope];
  const double sum = links[0].rest + links[1].rest;
  const double distance =
      rl_distance(rl_position(&state->points[links[0].a]), rl_position(&state->points[links[1].b]));
  const bool taut = tension > 0.0 || r->compression;
  return taut && distance >= sharpest * sum ? fmin(sum, distance / (1.0 + tension / r->stiffness))
                                            : sum;
}

bool rl_feed_remove(const rl_model *model, rl_state *state, uint32_t rope, uint32_t i,
                    bool fed_at_end) {
  const rl_rope *r = &model->ropes[rope];
  const uint32_t k = fed_at_end ? i - 1 : i; // the first of the two
  if ((fed_at_end && i == 0) || rl_element_next(model, state, rope, k) != k + 1) {
    return false;
  }
  const rl_link old[2] = {*element(model, state, rope, k), *element(model, state, rope, k + 1)};
  const uint32_t node = old[0].b, place = rl_element_node(model, state, rope, k);
  const double tension = state->multipliers[r->first_link + i];
  const double rest = joined_rest(model, state, rope, old, tension);
  state->multipliers[r->first_link + k] = tension;
  if (fed_at_end) {
    move_feed(model, state, r->first_link + i, r->first_link + k);
  }
  weigh_node(model, state, rope, old[0].a, rest - old[0].rest);
  weigh_node(model, state, rope, old[1].b, rest - old[1].rest);
  state->masses[node] = state->points[node].w = state->drags[node] = 0.0;
  state->velocities[node] = (rl_vec3){0.0, 0.0, 0.0};
  state->spares[r->first_in_pool + state->spare_counts[rope]++] = node;
  shift_elements(model, state, rope, k, true);
  set_element(model, state, rope, k, old[0].a, old[1].b, rest);
  drop_contacts(model, state, rope, place + 1, r->first_link + k + 1);
  shift_contacts(model, state, rope, place + 1, r->first_link + k + 1, UINT32_MAX);
  turn_contacts(state, rope, place, old[1].b);
  rl_elements_note(state, r->first_link + k, node);
  return true;
}
