// SPDX-License-Identifier: GPL-3.0-or-later
#include "feed.h"

#include "../rotation.h"
#include "elements.h"
#include "eyes.h"

#include <string.h>

// Largest and smallest length of a fed element, relative to the spacing. An insertion leaves half a
// spacing, so that it is not undone before half a spacing of rope was taken in.
static const double longest = 1.5, shortest = 0.5;

// Least number of elements of a closed rope: with two it would go there and back on the same nodes.
static const uint32_t least_loop = 3;

// If a taut rope is bent more sharply than this at a node that is removed, chord over length, the
// joined element keeps the length and not the tension.
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

// Adds half of the mass and of the drag of `growth` of rope to a node. Nodes that are held have no
// mass, and bodies keep their own.
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
// The list of elements. Behind an insertion or removal elements move by one index, and with them
// all that refers to them.

// Whether the other of two elements in contact belongs to the rope.
static bool is_other(const rl_model *model, const rl_contact *contact, uint32_t rope) {
  return rl_is_of_ropes(contact) && model->link_rope[contact->other] == rope;
}

// Shifts the indices in contacts: of nodes behind `behind`, and of other elements behind `link`.
static void shift_contacts(const rl_model *model, rl_state *state, uint32_t rope, uint32_t behind,
                           uint32_t link, uint32_t by) {
  for (uint64_t i = 0; i < state->contact_count; i++) {
    rl_contact *c = &state->contacts[i];
    c->node += c->rope == rope && c->node > behind ? by : 0;
    c->other += is_other(model, c, rope) && c->other > link ? by : 0;
  }
}

// Changes the second node of the contacts of the element that begins at a node.
static void turn_contacts(rl_state *state, uint32_t rope, uint32_t node, uint32_t next) {
  for (uint64_t i = 0; i < state->contact_count; i++) {
    rl_contact *c = &state->contacts[i];
    if (c->rope == rope && c->node == node && c->next != RL_NONE) {
      c->next = next;
    }
  }
}

// Removes the contacts of a node, and of the element that begins there.
static void drop_contacts(const rl_model *model, rl_state *state, uint32_t rope, uint32_t node,
                          uint32_t link) {
  double *forces = &state->multipliers[model->link_count];
  uint64_t kept = 0;
  for (uint64_t i = 0; i < state->contact_count; i++) {
    const rl_contact *c = &state->contacts[i];
    if (!(c->rope == rope && c->node == node) && !(rl_is_of_ropes(c) && c->other == link)) {
      state->contacts[kept] = *c;
      state->frictions[kept] = state->frictions[i];
      if (state->slips) {
        state->slips[kept] = state->slips[i];
      }
      if (state->sides) {
        state->sides[kept] = state->sides[i];
      }
      forces[kept++] = forces[i];
    }
  }
  state->contact_count = kept;
}

// Shifts the elements of eyes behind element i.
static void shift_eyes(const rl_model *model, rl_state *state, uint32_t rope, uint32_t i,
                       uint32_t by) {
  const rl_rope *r = &model->ropes[rope];
  for (uint32_t k = r->first_eye; k < r->first_eye + r->ring_count; k++) {
    const uint32_t at = state->eye_elements[k];
    state->eye_elements[k] = at != RL_NONE && at > i ? at + by : at;
  }
}

// Inserts a place behind element i, or with `closes` removes it.
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
  shift_eyes(model, state, rope, i, closes ? UINT32_MAX : 1);
  state->element_counts[rope] += closes ? UINT32_MAX : 1;
}

// ---------------------------------------------------------------------------------------------
// Nodes

static void set_element(const rl_model *model, rl_state *state, uint32_t rope, uint32_t i,
                        uint32_t a, uint32_t b, double rest) {
  *element(model, state, rope, i) = (rl_link){a, b, rest, rest / model->ropes[rope].stiffness};
}

// Moves the feed of one element to another.
static void move_feed(const rl_model *model, rl_state *state, uint32_t from, uint32_t to) {
  state->feeds[to] = state->feeds[from];
  state->feeds[from] = 0.0;
  for (uint32_t k = 0; k < model->event_count; k++) {
    state->fed_links[k] = state->fed_links[k] == from ? to : state->fed_links[k];
  }
}

// A material point of the rope in an element.
typedef struct material {
  rl_vec3 at, velocity; // [m], [m/s]
  uint32_t eyes;        // number of eyes of the element before it
} material;

// (7) Returns the material point at a fraction f of a straight element, past which rope slips at
// `slip` [1/s].
static material straight_material(const rl_state *state, rl_link on, double f, double slip) {
  const rl_vec3 from = rl_position(&state->points[on.a]);
  const rl_vec3 way = rl_sub(rl_position(&state->points[on.b]), from);
  const rl_vec3 stretching = rl_sub(state->velocities[on.b], state->velocities[on.a]);
  const rl_vec3 velocity = rl_add_scaled(state->velocities[on.a], f, stretching);
  return (material){rl_add_scaled(from, f, way), rl_add_scaled(velocity, slip, way), 0};
}

static rl_vec3 corner_velocity(const rl_model *model, const rl_state *state, uint32_t rope,
                               uint32_t i, uint32_t corner, rl_vec3 at) {
  const rl_link *link = &state->links[model->ropes[rope].first_link + i];
  uint32_t first;
  const uint32_t eyes = rl_element_eyes(model, state, rope, i, &first);
  return corner > 0 && corner <= eyes
             ? rl_velocity_at(model, state, model->eyes[first + corner - 1].slot, at)
             : state->velocities[corner == 0 ? link->a : link->b];
}

// (10) Returns the material point at a fraction f of an element bent by eyes. Across a piece the
// rope moves with the ends of the piece; along it as it leaves the piece before, beginning at the
// end that is not fed, whose rope moves with its node.
static material bent_material(const rl_model *model, const rl_state *state, uint32_t rope,
                              uint32_t i, double f, bool fed_at_end) {
  const uint32_t last = rl_element_corners(model, state, rope, i) - 1;
  const double length = rl_element_length(model, state, model->ropes[rope].first_link + i);
  double left = (fed_at_end ? f : 1.0 - f) * length, flow = 0.0;
  for (uint32_t k = 0;; k++) {
    const uint32_t here = fed_at_end ? k : last - k, there = fed_at_end ? k + 1 : last - k - 1;
    const rl_vec3 from = rl_element_corner(model, state, rope, i, here);
    const rl_vec3 way = rl_sub(rl_element_corner(model, state, rope, i, there), from);
    const rl_vec3 v = corner_velocity(model, state, rope, i, here, from);
    const rl_vec3 w = corner_velocity(model, state, rope, i, there, rl_add(from, way));
    const rl_vec3 d = rl_unit(way);
    const double piece = rl_length(way), along = rl_dot(v, d) + flow;
    if (left <= piece || k + 1 == last) {
      const double share = piece > 0.0 ? fmin(left / piece, 1.0) : 0.0;
      const rl_vec3 mean = rl_add_scaled(v, share, rl_sub(w, v));
      return (material){rl_add_scaled(from, share, way),
                        rl_add_scaled(mean, along - rl_dot(mean, d), d),
                        fed_at_end ? k : last - 1 - k};
    }
    left -= piece;
    flow = along - rl_dot(w, d); // relative to the eye
  }
}

// Takes a node from the pool with the position and velocity of the rope there. Returns its slot.
static uint32_t add_node(const rl_model *model, rl_state *state, uint32_t rope, rl_link on,
                         material rope_there) {
  const rl_rope *r = &model->ropes[rope];
  const uint32_t node = state->spares[r->first_in_pool + --state->spare_counts[rope]];
  const rl_vec3 at = rope_there.at;
  state->velocities[node] = rope_there.velocity;
  state->points[node] = (rl_point){at.x, at.y, at.z, 0.0};
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
  uint32_t eye;
  const uint32_t eyes = r->ring_count > 0 ? rl_element_eyes(model, state, rope, i, &eye) : 0;
  const material there = eyes > 0 ? bent_material(model, state, rope, i, f, fed_at_end)
                                  : straight_material(state, old, f, slip);
  const uint32_t node = add_node(model, state, rope, old, there);
  weigh_node(model, state, rope, old.a, rest - old.rest);
  weigh_node(model, state, rope, old.b, -rest);
  shift_elements(model, state, rope, i, false);
  set_element(model, state, rope, i, old.a, node, rest);
  set_element(model, state, rope, i + 1, node, old.b, old.rest - rest);
  for (uint32_t k = there.eyes; k < eyes; k++) {
    state->eye_elements[eye + k] = i + 1;
  }
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

// Returns the length of elements k and k + 1 joined, through the eyes of both [m].
static double joined_length(const rl_model *model, const rl_state *state, uint32_t rope,
                            uint32_t k) {
  const uint32_t behind = rl_element_corners(model, state, rope, k) - 1; // without their node
  const uint32_t count = behind + rl_element_corners(model, state, rope, k + 1) - 1;
  rl_vec3 at = rl_element_corner(model, state, rope, k, 0);
  double length = 0.0;
  for (uint32_t i = 1; i < count; i++) {
    const rl_vec3 next = i < behind ? rl_element_corner(model, state, rope, k, i)
                                    : rl_element_corner(model, state, rope, k + 1, i - behind + 1);
    length += rl_distance(at, next);
    at = next;
  }
  return length;
}

// Returns the rest length of elements k and k + 1 joined [m]: if taut, that with which the tension
// stays; the winch takes the rest.
static double joined_rest(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t k,
                          double tension) {
  const rl_rope *r = &model->ropes[rope];
  const double sum = rest_of(model, state, rope, k) + rest_of(model, state, rope, k + 1);
  const double distance = joined_length(model, state, rope, k);
  const bool taut = tension > 0.0 || r->compression;
  return taut && distance >= sharpest * sum ? fmin(sum, distance / (1.0 + tension / r->stiffness))
                                            : sum;
}

bool rl_feed_remove(const rl_model *model, rl_state *state, uint32_t rope, uint32_t i,
                    bool fed_at_end) {
  const rl_rope *r = &model->ropes[rope];
  const uint32_t k = fed_at_end ? i - 1 : i;                              // the first of the two
  const bool is_least_loop = state->element_counts[rope] == least_loop && // and still closed
                             rl_rope_ends(model, state, rope) == 0;
  if ((fed_at_end && i == 0) || is_least_loop || rl_element_next(model, state, rope, k) != k + 1) {
    return false;
  }
  const rl_link old[2] = {*element(model, state, rope, k), *element(model, state, rope, k + 1)};
  const uint32_t node = old[0].b, place = rl_element_node(model, state, rope, k);
  const double tension = state->multipliers[r->first_link + i];
  const double rest = joined_rest(model, state, rope, k, tension);
  state->multipliers[r->first_link + k] = tension;
  if (fed_at_end) {
    move_feed(model, state, r->first_link + i, r->first_link + k);
  }
  weigh_node(model, state, rope, old[0].a, rest - old[0].rest);
  weigh_node(model, state, rope, old[1].b, rest - old[1].rest);
  state->masses[node] = state->points[node].w = state->drags[node] = 0.0;
  state->velocities[node] = (rl_vec3){0.0, 0.0, 0.0};
  state->spares[r->first_in_pool + state->spare_counts[rope]++] = node;
  shift_elements(model, state, rope, k, true); // moves the eyes of the second to the first
  set_element(model, state, rope, k, old[0].a, old[1].b, rest);
  drop_contacts(model, state, rope, place + 1, r->first_link + k + 1);
  shift_contacts(model, state, rope, place + 1, r->first_link + k + 1, UINT32_MAX);
  turn_contacts(state, rope, place, old[1].b);
  rl_elements_note(state, r->first_link + k, node);
  return true;
}
