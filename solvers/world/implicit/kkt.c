// SPDX-License-Identifier: GPL-3.0-or-later
#include "kkt.h"

#include "../ropes/elements.h"
#include "../ropes/rope_contact.h"

#include <string.h>

// A walk along the ropes that meets every row with the slots that it couples: first to assign
// places, then to find how far back rows reach.
typedef struct walk {
  const rl_model *model;
  const rl_state *state;
  uint32_t *slot_place, *slot_first, *row_place, *row_first;
  const uint8_t *shared;   // [bodies] whether the body is in the border
  uint32_t place;          // next free place
  uint64_t contact;        // next contact of the state
  uint32_t split, tangent; // next multipliers of these kinds
  bool couples;            // finds how far back rows reach; places are known
  bool border;             // meets only the rows of the border, else only the others
} walk;

// The slots that a row couples: of places (RL_NONE: none), and of everything that a massless rope
// can run over. Bending stiffness has no rows: an element of a rope with it also couples with the
// node before it.
typedef struct reach {
  uint32_t places[4];
  uint32_t rope;
} reach;

// Called for each slot that a row couples; `inside`: the slot is not in the border.
typedef void slot_action(walk *w, uint32_t slot, bool inside, uint32_t *value);

// Whether a slot can move.
static bool moves(const walk *w, uint32_t slot) { return w->state->points[slot].w > 0.0; }

// Calls the action for the slots of a place (a node, an eye, the centre of a body): for itself, or
// for the body that carries it and the spin of that body.
static void for_place(walk *w, uint32_t place, slot_action *action, uint32_t *value) {
  const rl_model *m = w->model;
  const rl_hold *hold = place < m->node_count ? rl_moving_hold(m, place) : NULL;
  const uint32_t slot = hold ? rl_body_slot(m, hold->body) : place;
  const rl_body *body = slot == RL_NONE ? NULL : rl_slot_body(m, slot);
  const bool inside = !body || !w->shared[slot - m->node_count];
  if (slot != RL_NONE && moves(w, slot)) {
    action(w, slot, inside, value);
  }
  if (body && body->spin_slot != RL_NONE && moves(w, body->spin_slot)) {
    action(w, body->spin_slot, inside, value);
  }
}

static void for_eyes(walk *w, uint32_t rope, slot_action *action, uint32_t *value) {
  const rl_rope *r = &w->model->ropes[rope];
  for (uint32_t i = 0; i < r->eye_count + r->ring_count; i++) {
    for_place(w, w->model->eyes[r->first_eye + i].slot, action, value);
  }
}

static void for_reach(walk *w, const reach *r, slot_action *action, uint32_t *value) {
  for (size_t i = 0; i < 4; i++) {
    for_place(w, r->places[i], action, value);
  }
  if (r->rope == RL_NONE) {
    return;
  }
  for_eyes(w, r->rope, action, value);
  const bool is_over = w->model->ropes[r->rope].wrap_capacity > 0;
  for (uint32_t b = 0; b < w->model->body_count && is_over; b++) {
    if (rl_rope_touches(w->model, r->rope, b)) {
      for_place(w, rl_body_slot(w->model, b), action, value);
    }
  }
}

static void note_inside(walk *w, uint32_t slot, bool inside, uint32_t *value) {
  (void)w;
  (void)slot;
  *value = inside ? 1 : *value;
}

static void note_lowest(walk *w, uint32_t slot, bool inside, uint32_t *value) {
  (void)inside;
  *value = w->slot_place[slot] < *value ? w->slot_place[slot] : *value;
}

static void lower_first(walk *w, uint32_t slot, bool inside, uint32_t *value) {
  (void)inside;
  w->slot_first[slot] = *value < w->slot_first[slot] ? *value : w->slot_first[slot];
}

static void give_place(walk *w, uint32_t slot, bool inside, uint32_t *value) {
  (void)value;
  if (inside && w->slot_place[slot] == RL_NONE) {
    w->slot_place[slot] = w->slot_first[slot] = w->place;
    w->place += 3;
  }
}

static void place_inside(walk *w, uint32_t slot) { for_place(w, slot, give_place, NULL); }

// Meets a row: its place is behind the positions that it couples; in the border if none of these is
// inside.
static void meet_row(walk *w, const reach *r, uint32_t row) {
  uint32_t inside = 0;
  for_reach(w, r, note_inside, &inside);
  if (w->border == (inside != 0)) {
    return;
  }
  if (!w->couples) {
    w->row_place[row] = w->place++;
    return;
  }
  uint32_t lowest = w->row_place[row];
  for_reach(w, r, note_lowest, &lowest);
  for_reach(w, r, lower_first, &lowest);
  w->row_first[row] = lowest;
}

// Meets a contact, and with friction the rows of its two tangents.
static void meet_contact(walk *w, const reach *r, bool rubs) {
  meet_row(w, r, w->model->link_count + (uint32_t)w->contact);
  for (int i = 0; i < 2 && rubs; i++) {
    meet_row(w, r, w->tangent++);
  }
  w->contact++;
}

// Meets the contacts of a node, or with `next` of the element that leads there.
static void meet_contacts(walk *w, uint32_t rope, uint32_t index, uint32_t node, uint32_t next) {
  const rl_model *m = w->model;
  while (w->contact < w->state->contact_count) {
    const rl_contact *c = &w->state->contacts[w->contact];
    if (c->rope != rope || c->node != index || (c->next == RL_NONE) != (next == RL_NONE)) {
      break;
    }
    if (rl_is_of_ropes(c)) {
      const rl_link *other = &w->state->links[c->other];
      const reach r = {{node, next, other->a, other->b}, RL_NONE};
      meet_contact(w, &r, rl_rope_pair_friction(m, c) > 0.0);
    } else {
      const reach r = {{node, next, rl_body_slot(m, c->body), RL_NONE}, RL_NONE};
      meet_contact(w, &r, rl_rope_friction(m, rope, c->body) > 0.0);
    }
  }
}

static void meet_pairs(walk *w) {
  const rl_model *m = w->model;
  while (w->contact < w->state->contact_count) {
    const rl_contact *c = &w->state->contacts[w->contact];
    const reach r = {{c->slot, rl_body_slot(m, c->body), RL_NONE, RL_NONE}, RL_NONE};
    meet_contact(w, &r, m->pairs[c->node].friction > 0.0);
  }
}

// Returns the first node of the element before this one, if the rope has bending stiffness.
static uint32_t bent_place(const walk *w, uint32_t rope, uint32_t index) {
  const rl_rope *r = &w->model->ropes[rope];
  const uint32_t i = index - r->first_link;
  if (!(r->bending > 0.0)) {
    return RL_NONE;
  }
  const uint32_t before = rl_element_before(w->model, w->state, rope, i);
  return before == RL_NONE ? RL_NONE : w->state->links[r->first_link + before].a;
}

// Meets the element between two nodes; of a rope over bodies also the strands beyond the first.
static void meet_element(walk *w, uint32_t rope, const rl_link *link, uint32_t index) {
  const rl_rope *r = &w->model->ropes[rope];
  // Any element may come to run through an eye: each counts as if it did.
  const bool reaches = r->massless || r->ring_count > 0;
  const reach all = {{link->a, link->b, bent_place(w, rope, index), RL_NONE},
                     reaches ? rope : RL_NONE};
  for_eyes(w, rope, give_place, NULL);
  meet_row(w, &all, index);
  for (uint32_t k = 0; k < r->wrap_capacity && r->rubs; k++) {
    if (k + (r->closed ? 1 : 0) < w->state->wrap_counts[rope] &&
        w->state->wraps[r->first_wrap + k].grip == RL_STICKS) {
      meet_row(w, &all, w->split++);
    }
  }
}

// Walks along the elements of a rope: at the beginning of a piece its first node, then the node to
// which each element leads.
static void walk_rope(walk *w, uint32_t r) {
  const rl_model *m = w->model;
  const rl_rope *rope = &m->ropes[r];
  const rl_link *links = &w->state->links[rope->first_link];
  uint32_t node = 0; // index along the rope
  bool begins = true;
  for (uint32_t i = 0; i < rl_rope_elements(m, w->state, r); i++) {
    if (begins) {
      place_inside(w, links[i].a);
      meet_contacts(w, r, node, links[i].a, RL_NONE);
    }
    place_inside(w, links[i].b);
    meet_contacts(w, r, node++, links[i].a, links[i].b);
    meet_element(w, r, &links[i], rope->first_link + i);
    const uint32_t next = rl_element_next(m, w->state, r, i);
    begins = next != i + 1;
    if (next == RL_NONE || next == i + 1) {
      meet_contacts(w, r, node, links[i].b, RL_NONE);
    }
    node += next == RL_NONE ? 1 : 0;
  }
}

// Assigns places behind all others to the rows of elements that do not exist.
static void place_nothing(walk *w) {
  const rl_model *m = w->model;
  for (uint32_t r = 0; r < m->rope_count; r++) {
    const rl_rope *rope = &m->ropes[r];
    for (uint32_t i = rl_rope_elements(m, w->state, r); i < rope->link_capacity; i++) {
      w->row_place[rope->first_link + i] = w->row_first[rope->first_link + i] = w->place++;
    }
  }
}

static void walk_along(walk *w, bool border, bool couples) {
  const rl_model *m = w->model;
  w->border = border;
  w->couples = couples;
  w->contact = 0;
  w->split = m->link_count + (uint32_t)w->state->contact_count;
  w->tangent = w->split + (uint32_t)w->state->split_count;
  for (uint32_t r = 0; r < m->rope_count; r++) {
    walk_rope(w, r);
  }
  meet_pairs(w);
}

// Finds the bodies that are in the border: all but those with a single end or eye of a rope.
static void find_shared(const rl_model *m, uint8_t *shared) {
  memset(shared, 0, m->body_count * sizeof *shared);
  uint8_t *uses = shared;
  for (uint32_t r = 0; r < m->rope_count; r++) {
    const rl_rope *rope = &m->ropes[r];
    for (uint32_t i = 0; i < 2 + rope->eye_count; i++) {
      const uint32_t slot = i < 2 ? rope->ends[i] : m->eyes[rope->first_eye + i - 2].slot;
      const uint32_t body = slot == RL_NONE ? RL_NONE : rl_tied_body(m, slot);
      if (body != RL_NONE && uses[body] < 2) {
        uses[body]++;
      }
    }
    for (uint32_t i = rope->first_eye; i < rope->first_eye + rope->ring_count; i++) {
      const uint32_t slot = m->eyes[i].slot;
      if (slot != RL_NONE) {
        uses[rl_tied_body(m, slot)] = 2;
      }
    }
    for (uint32_t b = 0; b < m->body_count; b++) {
      uses[b] = rl_rope_touches(m, r, b) ? 2 : uses[b];
    }
  }
  for (uint32_t i = 0; i < m->pair_count; i++) {
    uses[m->pairs[i].bodies[0]] = uses[m->pairs[i].bodies[1]] = 2;
  }
  for (uint32_t b = 0; b < m->body_count; b++) {
    shared[b] = uses[b] != 1;
  }
}

// Assigns all places, then finds how far back each row reaches.
static void walk_all(walk *w, uint8_t *shared) {
  const rl_model *m = w->model;
  find_shared(m, shared);
  w->shared = shared;
  w->place = 0;
  for (uint32_t i = 0; i < m->slot_count; i++) {
    w->slot_place[i] = w->slot_first[i] = RL_NONE;
  }
  walk_along(w, false, false);
  for (uint32_t b = 0; b < m->body_count; b++) {
    const uint32_t slots[2] = {rl_body_slot(m, b), m->bodies[b].spin_slot};
    for (size_t i = 0; i < 2; i++) {
      if (shared[b] && slots[i] != RL_NONE && moves(w, slots[i])) {
        give_place(w, slots[i], true, NULL);
      }
    }
  }
  for (uint32_t i = 0; i < m->slot_count && m->topology_changes; i++) {
    if (moves(w, i) && w->slot_place[i] == RL_NONE) { // a slot without links
      give_place(w, i, true, NULL);
    }
  }
  walk_along(w, true, false);
  place_nothing(w);
  walk_along(w, false, true);
  walk_along(w, true, true);
}

size_t rl_kkt_capacity(const rl_model *model) {
  return 3 * (size_t)model->slot_count + rl_direct_unknown_capacity(model);
}

void rl_kkt_lay_out(rl_kkt *k, const rl_model *model, rl_carver *c) {
  const size_t count = rl_kkt_capacity(model), rows = rl_direct_unknown_capacity(model);
  k->slot_place = rl_carve(c, model->slot_count, sizeof *k->slot_place);
  k->slot_first = rl_carve(c, model->slot_count, sizeof *k->slot_first);
  k->row_place = rl_carve(c, rows, sizeof *k->row_place);
  k->row_first = rl_carve(c, rows, sizeof *k->row_first);
  k->shared = rl_carve(c, model->body_count, sizeof *k->shared);
  k->first = rl_carve(c, count, sizeof *k->first);
  k->start = rl_carve(c, count + 1, sizeof *k->start);
  k->diagonal = rl_carve(c, count, sizeof *k->diagonal);
}

void rl_kkt_release(rl_kkt *k) { free(k->room.array); }

// Makes room for the profile: for two of them unless the matrix is always symmetric.
static void make_room(rl_kkt *k, const rl_model *model, size_t length) {
  const bool is_symmetric = model->tangle_capacity > 0;
  const size_t size = (is_symmetric ? 1 : 2) * (length + 1) * sizeof *k->lower;
  k->is_short = k->is_short || !rl_grow(&k->room, size, model->memory);
  if (!k->is_short) {
    k->lower = k->upper = k->room.array;
    k->mirror = is_symmetric ? NULL : k->lower + length;
  }
}

void rl_kkt_build(rl_kkt *k, const rl_model *model, const rl_state *state, const rl_rows *rows) {
  if (k->structure == rows->structure) {
    return;
  }
  k->structure = rows->structure;
  walk w = {.model = model,
            .state = state,
            .slot_place = k->slot_place,
            .slot_first = k->slot_first,
            .row_place = k->row_place,
            .row_first = k->row_first};
  walk_all(&w, k->shared);
  k->count = w.place;
  for (uint32_t i = 0; i < model->slot_count; i++) {
    for (uint32_t axis = 0; axis < 3 && k->slot_place[i] != RL_NONE; axis++) {
      k->first[k->slot_place[i] + axis] = k->slot_first[i];
    }
  }
  for (uint32_t m = 0; m < w.tangent; m++) {
    k->first[k->row_place[m]] = k->row_first[m];
  }
  k->start[0] = 0;
  for (uint32_t i = 0; i < k->count; i++) {
    k->start[i + 1] = k->start[i] + (i - k->first[i]);
  }
  make_room(k, model, k->start[k->count]);
}

void rl_kkt_clear(rl_kkt *k, bool symmetric) {
  const size_t size = k->start[k->count];
  k->upper = symmetric || !k->mirror ? k->lower : k->mirror;
  memset(k->lower, 0, size * sizeof *k->lower);
  memset(k->upper, 0, size * sizeof *k->upper);
  memset(k->diagonal, 0, k->count * sizeof *k->diagonal);
}

// Adds to the entry at two places, not to its mirror image.
static void add_one_sided(rl_kkt *k, uint32_t i, uint32_t j, double value) {
  if (k->upper == k->lower) {
    return;
  }
  if (i > j) {
    k->lower[k->start[i] + j - k->first[i]] += value;
  } else {
    k->upper[k->start[j] + i - k->first[j]] += value;
  }
}

void rl_kkt_add_to_row(rl_kkt *k, uint32_t row, uint32_t slot, rl_vec3 gradient) {
  add_one_sided(k, row, slot, gradient.x);
  add_one_sided(k, row, slot + 1, gradient.y);
  add_one_sided(k, row, slot + 2, gradient.z);
}

void rl_kkt_add_to_force(rl_kkt *k, uint32_t row, uint32_t slot, rl_vec3 force) {
  add_one_sided(k, slot, row, force.x);
  add_one_sided(k, slot + 1, row, force.y);
  add_one_sided(k, slot + 2, row, force.z);
}

void rl_kkt_add_block(rl_kkt *k, uint32_t row, uint32_t column, double a, double b, rl_vec3 u) {
  const double v[3] = {u.x, u.y, u.z};
  for (uint32_t i = 0; i < 3; i++) {
    for (uint32_t j = 0; j < (row == column ? i + 1 : 3); j++) {
      rl_kkt_add(k, row + i, column + j, b * v[i] * v[j] + (i == j ? a : 0.0));
    }
  }
}

static double product(const double *x, const double *y, size_t count) {
  double sum = 0.0;
  for (size_t i = 0; i < count; i++) {
    sum += x[i] * y[i];
  }
  return sum;
}

// Reduces one side of row i by the `other` side of the rows before it. It leaves out the zeros at
// the end of what is known of the row: islands have nothing in common there.
static void reduce(const rl_kkt *k, uint32_t i, double *side, const double *other) {
  double *row = &side[k->start[i]];
  const uint32_t first = k->first[i];
  uint32_t end = first; // behind the last number that is not 0
  for (uint32_t j = first; j < i; j++) {
    const uint32_t from = first > k->first[j] ? first : k->first[j];
    if (from < end) {
      row[j - first] -=
          product(&row[from - first], &other[k->start[j] + (from - k->first[j])], end - from);
    }
    end = row[j - first] != 0.0 ? j + 1 : end;
  }
}

bool rl_kkt_factor(rl_kkt *k) {
  for (uint32_t i = 0; i < k->count; i++) {
    double *row = &k->lower[k->start[i]], *column = &k->upper[k->start[i]];
    const uint32_t length = i - k->first[i];
    reduce(k, i, k->lower, k->upper);
    if (column != row) {
      reduce(k, i, k->upper, k->lower);
    }
    double pivot = k->diagonal[i];
    for (uint32_t j = 0; j < length; j++) {
      const double one_over = k->diagonal[k->first[i] + j], l = row[j] * one_over;
      pivot -= l * column[j];
      column[j] *= one_over;
      row[j] = l;
    }
    if (!(fabs(pivot) > 0.0)) {
      return false;
    }
    k->diagonal[i] = 1.0 / pivot;
  }
  return true;
}

void rl_kkt_solve(const rl_kkt *k, double *x) {
  for (uint32_t i = 0; i < k->count; i++) {
    const uint32_t first = k->first[i];
    x[i] -= product(&k->lower[k->start[i]], &x[first], i - first);
  }
  for (uint32_t i = 0; i < k->count; i++) {
    x[i] *= k->diagonal[i];
  }
  for (uint32_t i = k->count; i-- > 0;) {
    const double *column = &k->upper[k->start[i]];
    const uint32_t first = k->first[i];
    for (uint32_t j = first; j < i; j++) {
      x[j] -= column[j - first] * x[i];
    }
  }
}
