// SPDX-License-Identifier: GPL-3.0-or-later
#include "direct.h"

#include "../ropes/elements.h"

// Returns the number of rows of a contact, with its tangents.
static size_t rows_per_contact(const rl_model *model) {
  return model->capabilities & RL_CAN_FRICTION ? 3 : 1;
}

static size_t entry_capacity(const rl_model *model) {
  return 2 * (size_t)model->link_count + rows_per_contact(model) * (size_t)model->entry_capacity;
}

// Whether ropes can slip with friction: then entries of general rows have forces beside gradients.
static bool can_slip(const rl_model *model) {
  return model->split_capacity > 0 || model->rings_rub;
}

static size_t vectors_per_entry(const rl_model *model) { return can_slip(model) ? 2 : 1; }

size_t rl_direct_unknown_capacity(const rl_model *model) {
  return (size_t)model->link_count + model->split_capacity +
         rows_per_contact(model) * (size_t)model->contact_capacity;
}

size_t rl_direct_gradient_capacity(const rl_model *model) {
  return vectors_per_entry(model) * entry_capacity(model);
}

void rl_direct_lay_out(rl_direct *d, const rl_model *model, rl_carver *carver) {
  const size_t unknowns = rl_direct_unknown_capacity(model), entries = entry_capacity(model);
  d->order = rl_carve(carver, unknowns, sizeof *d->order);
  d->place = rl_carve(carver, unknowns, sizeof *d->place);
  d->first = rl_carve(carver, unknowns, sizeof *d->first);
  d->start = rl_carve(carver, unknowns + 1, sizeof *d->start);
  d->entry_start = rl_carve(carver, unknowns + 1, sizeof *d->entry_start);
  d->entry_slot = rl_carve(carver, entries, sizeof *d->entry_slot);
  d->vectors = rl_carve(carver, unknowns + 1, sizeof *d->vectors);
  d->tangents = rl_carve(carver, model->contact_capacity, sizeof *d->tangents);
  d->diagonal = rl_carve(carver, unknowns, sizeof *d->diagonal);
  d->lower_is_empty = rl_carve(carver, unknowns, sizeof *d->lower_is_empty);
  d->permuted = rl_carve(carver, unknowns, sizeof *d->permuted);
  d->reels = rl_carve(carver, model->is_reeled ? unknowns : 0, sizeof *d->reels);
  d->is_reeled = model->is_reeled;
  d->slot_entry = rl_carve(carver, model->slot_count, sizeof *d->slot_entry);
  d->entry_before = rl_carve(carver, entries, sizeof *d->entry_before);
  d->entry_owner = rl_carve(carver, entries, sizeof *d->entry_owner);
}

void rl_direct_release(rl_direct *d) {
  free(d->coupling_room.array);
  free(d->profile_room.array);
}

// ---------------------------------------------------------------------------------------------
// Structure

static void put_in_order(rl_direct *d, uint32_t multiplier) {
  d->place[multiplier] = d->count;
  d->order[d->count++] = multiplier;
}

void rl_direct_number(rl_direct *d, const rl_model *model, const rl_state *state,
                      const rl_rows *rows) {
  const uint32_t row_count = (uint32_t)rl_unknown_count(model, state);
  d->link_count = model->link_count;
  d->first_split = (uint32_t)rl_first_split(model, state);
  d->row_count = row_count;
  d->tangents_count = 0;
  for (uint32_t k = rows->span_count; k < rows->row_count; k++) {
    if (rows->rows[k].friction > 0.0) {
      d->tangents[d->tangents_count] = (rl_tangents){
          .row = k, .normal = rows->rows[k].source, .first = row_count + 2 * d->tangents_count};
      d->tangents_count++;
    }
  }
}

// Puts a contact in order, before its tangents.
static void put_contact_in_order(rl_direct *d, const rl_model *model, uint32_t contact,
                                 uint32_t *tangent) {
  const uint32_t normal = model->link_count + contact;
  put_in_order(d, normal);
  if (*tangent < d->tangents_count && d->tangents[*tangent].normal == normal) {
    put_in_order(d, d->tangents[*tangent].first);
    put_in_order(d, d->tangents[(*tangent)++].first + 1);
  }
}

// Returns the number of wraps behind which a strand of its own begins if they stick: behind the
// last wrap of a loop it is the first strand.
static uint32_t wrap_count(const rl_model *model, const rl_state *state, uint32_t rope) {
  const uint32_t count = model->ropes[rope].wrap_capacity > 0 ? state->wrap_counts[rope] : 0;
  return count - (count > 0 && model->ropes[rope].closed ? 1 : 0);
}

// Puts the contacts of a node, and of the element that begins there, in order.
static void put_contacts_of(rl_direct *d, const rl_model *model, const rl_state *state,
                            uint32_t rope, uint32_t node, uint32_t *contact, uint32_t *tangent) {
  while (*contact < state->contact_count && state->contacts[*contact].rope == rope &&
         state->contacts[*contact].node == node) {
    put_contact_in_order(d, model, (*contact)++, tangent);
  }
}

// Finds the order of the unknowns: along the ropes the contacts of a node, then the element that
// begins there; then the contacts of bodies with each other.
static void find_order(rl_direct *d, const rl_model *model, const rl_state *state) {
  uint32_t contact = 0;
  uint32_t tangent = 0;
  uint32_t split = d->first_split;
  d->count = 0;
  for (uint32_t r = 0; r < model->rope_count; r++) {
    const rl_rope *rope = &model->ropes[r];
    uint32_t node = 0; // index along the rope
    for (uint32_t i = 0; i < rl_rope_elements(model, state, r); i++) {
      put_contacts_of(d, model, state, r, node++, &contact, &tangent);
      put_in_order(d, rope->first_link + i);
      for (uint32_t k = 0; i == 0 && rope->rubs && k < wrap_count(model, state, r); k++) {
        if (state->wraps[rope->first_wrap + k].grip == RL_STICKS) {
          put_in_order(d, split++);
        }
      }
      if (rl_element_next(model, state, r, i) == RL_NONE) {
        put_contacts_of(d, model, state, r, node++, &contact, &tangent);
      }
    }
  }
  while (contact < state->contact_count) {
    put_contact_in_order(d, model, contact++, &tangent);
  }
  for (uint32_t r = 0; r < model->rope_count; r++) {
    const rl_rope *rope = &model->ropes[r];
    for (uint32_t i = rl_rope_elements(model, state, r); i < rope->link_capacity; i++) {
      put_in_order(d, rope->first_link + i); // no such element: an empty row
    }
  }
}

// Whether an element exists: a massless rope that was cut has none, and others may grow.
static bool is_there(const rl_model *model, const rl_state *state, uint32_t link) {
  const uint32_t rope = model->link_rope[link];
  return link - model->ropes[rope].first_link < rl_rope_elements(model, state, rope);
}

// Finds the slots of the entries of each row, in the order in which rl_row_evaluate writes them.
static void find_entries(rl_direct *d, const rl_model *model, const rl_state *state,
                         const rl_rows *rows) {
  uint32_t row = 0;
  uint32_t entry = 0;
  uint32_t vector = 0;
  for (uint32_t m = 0; m < d->row_count; m++) {
    d->entry_start[m] = entry;
    d->vectors[m] = vector;
    if (row < rows->row_count && rows->rows[row].source == m) {
      const rl_row *r = &rows->rows[row++];
      for (uint32_t e = 0; e < r->entry_count; e++) {
        d->entry_owner[entry] = m;
        d->entry_slot[entry++] = rl_row_slot(rows, r, e);
      }
      vector += (d->has_forces ? 2 : 1) * (entry - d->entry_start[m]);
    } else if (is_there(model, state, m)) {
      d->entry_owner[entry] = d->entry_owner[entry + 1] = m;
      d->entry_slot[entry++] = state->links[m].a;
      d->entry_slot[entry++] = state->links[m].b;
      vector++;
    }
  }
  for (uint32_t m = d->row_count; m < d->count; m++) { // tangents have those of the contact
    const uint32_t normal = d->tangents[(m - d->row_count) / 2].normal;
    d->entry_start[m] = entry;
    d->vectors[m] = vector;
    for (uint32_t e = d->entry_start[normal]; e < d->entry_start[normal + 1]; e++) {
      d->entry_owner[entry] = m;
      d->entry_slot[entry++] = d->entry_slot[e];
      vector++;
    }
  }
  d->entry_start[d->count] = entry;
  d->vectors[d->count] = vector;
}

// Whether a multiplier is of a plain link, with two entries and one gradient.
static inline bool is_link(const rl_direct *d, uint32_t m) {
  return d->vectors[m + 1] - d->vectors[m] < d->entry_start[m + 1] - d->entry_start[m];
}

static uint32_t entry_vector(const rl_direct *d, uint32_t entry) {
  const uint32_t m = d->entry_owner[entry];
  return d->vectors[m] + (is_link(d, m) ? 0 : entry - d->entry_start[m]);
}

// Returns how far behind the gradients of a row its forces are; 0 if it has none of its own.
static inline uint32_t force_offset(const rl_direct *d, uint32_t m) {
  return d->has_forces && m < d->row_count && !is_link(d, m)
             ? d->entry_start[m + 1] - d->entry_start[m]
             : 0;
}

static int entry_sign(const rl_direct *d, uint32_t entry) {
  const uint32_t m = d->entry_owner[entry];
  return is_link(d, m) && entry == d->entry_start[m] ? -1 : 1;
}

// Chains the entries at each slot that moves, from the last in the order to the first.
static void chain_entries(rl_direct *d, const rl_model *model, const rl_state *state) {
  for (uint32_t s = 0; s < model->slot_count; s++) {
    d->slot_entry[s] = RL_NONE;
  }
  for (uint32_t p = 0; p < d->coupled; p++) {
    const uint32_t m = d->order[p];
    for (uint32_t e = d->entry_start[m]; e < d->entry_start[m + 1]; e++) {
      const uint32_t slot = d->entry_slot[e];
      d->entry_before[e] = RL_NONE;
      if (state->points[slot].w > 0.0) {
        d->entry_before[e] = d->slot_entry[slot];
        d->slot_entry[slot] = e;
      }
    }
  }
}

// Returns the coupling of two entries at one slot, of a row and of one before it in the order; `at`
// is the position of the column.
static rl_coupling coupling_of(const rl_direct *d, uint32_t entry, uint32_t before) {
  const uint32_t row = d->entry_owner[entry], column = d->entry_owner[before];
  return (rl_coupling){.row = row,
                       .column = column,
                       .row_vector = entry_vector(d, entry),
                       .column_vector = entry_vector(d, before),
                       .row_force = entry_vector(d, entry) + force_offset(d, row),
                       .column_force = entry_vector(d, before) + force_offset(d, column),
                       .slot = d->entry_slot[entry],
                       .at = d->place[column],
                       .sign = (int8_t)(entry_sign(d, entry) * entry_sign(d, before))};
}

// Adds a coupling, unless memory is short.
static void add_coupling(rl_direct *d, const rl_model *model, rl_coupling coupling) {
  const size_t size = ((size_t)d->coupling_count + 1) * sizeof coupling;
  d->is_short = d->is_short || d->coupling_count == RL_NONE ||
                !rl_grow(&d->coupling_room, size, model->memory);
  if (!d->is_short) {
    d->couplings = d->coupling_room.array;
    d->couplings[d->coupling_count++] = coupling;
  }
}

// Adds the couplings of the row at position p with those before it; returns the first position of
// these.
static uint32_t couple_row(rl_direct *d, const rl_model *model, uint32_t p) {
  const uint32_t m = d->order[p];
  uint32_t first = p;
  for (uint32_t e = d->entry_start[m]; e < d->entry_start[m + 1]; e++) {
    for (uint32_t b = d->entry_before[e]; b != RL_NONE; b = d->entry_before[b]) {
      if (d->entry_owner[b] != m) { // that of a row with itself is on the diagonal
        const rl_coupling c = coupling_of(d, e, b);
        first = c.at < first ? c.at : first;
        add_coupling(d, model, c);
      }
    }
  }
  return first;
}

// Makes room for a profile of `length` numbers in L and as many in U.
static void make_room(rl_direct *d, const rl_model *model, size_t length) {
  const size_t most = model->memory - d->coupling_room.size;
  d->is_short = d->is_short || length >= RL_NONE ||
                !rl_grow(&d->profile_room, 2 * (length + 1) * sizeof *d->lower, most);
  if (!d->is_short) {
    d->lower = d->profile_room.array;
    d->upper = d->lower + length;
  }
}

// Finds profile and couplings of the first `count` rows in the order; without memory, no row takes
// part.
static void couple(rl_direct *d, const rl_model *model, const rl_state *state, uint32_t count) {
  d->coupled = count;
  chain_entries(d, model, state);
  d->coupling_count = 0;
  size_t length = 0;
  for (uint32_t p = 0; p < count && !d->is_short; p++) {
    const uint32_t from = d->coupling_count, first = couple_row(d, model, p);
    d->first[p] = first;
    d->start[p] = (uint32_t)length;
    for (uint32_t k = from; k < d->coupling_count; k++) {
      rl_coupling *c = &d->couplings[k];
      for (uint32_t other = from; other < k; other++) {
        c->adds = c->adds || d->couplings[other].column == c->column;
      }
      c->at += d->start[p] - first;
    }
    length += p - first;
    d->is_short = d->is_short || length >= RL_NONE;
  }
  d->start[count] = (uint32_t)length;
  make_room(d, model, length);
  if (d->is_short) {
    d->coupled = d->coupling_count = 0;
  }
}

void rl_direct_build(rl_direct *d, const rl_model *model, const rl_state *state,
                     const rl_rows *rows) {
  if (d->structure == rows->structure) {
    return;
  }
  d->structure = rows->structure;
  d->has_forces = can_slip(model);
  rl_direct_number(d, model, state, rows);
  find_order(d, model, state);
  find_entries(d, model, state, rows);
  couple(d, model, state, d->count);
}

void rl_direct_restrict(rl_direct *d, const rl_model *model, const rl_state *state,
                        const bool *takes_part) {
  uint32_t *others = d->first;
  uint32_t count = 0, other_count = 0;
  find_order(d, model, state);
  for (uint32_t p = 0; p < d->count; p++) {
    const uint32_t m = d->order[p];
    const uint32_t of = m < d->row_count ? m : d->tangents[(m - d->row_count) / 2].normal;
    *(takes_part[of] ? &d->order[count++] : &others[other_count++]) = m;
  }
  for (uint32_t p = 0; p < other_count; p++) {
    d->order[count + p] = others[p];
  }
  for (uint32_t p = 0; p < d->count; p++) {
    d->place[d->order[p]] = p;
  }
  couple(d, model, state, count);
}

// ---------------------------------------------------------------------------------------------
// Numbers

void rl_direct_evaluate(const rl_direct *d, const rl_model *model, const rl_state *state,
                        rl_rows *rows, const rl_point *points, double *values,
                        double *inverse_masses, rl_vec3 *gradients) {
  for (uint32_t k = 0; k < model->link_count && state->element_counts; k++) {
    values[k] = inverse_masses[k] = 0.0; // of elements that no longer exist
    if (d->is_reeled) {
      d->reels[k] = 0.0;
    }
  }
  rl_rows_stand(rows);
  for (uint32_t n = 0; n < rows->block_count; n++) {
    const rl_block *block = &rows->blocks[n];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      const rl_link_value v = rl_link_evaluate(&state->links[k], points);
      values[k] = v.value;
      inverse_masses[k] = v.inverse_mass;
      gradients[d->vectors[k]] = v.d;
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      rl_row *row = &rows->rows[k];
      if (row->is_skipped) {
        continue;
      }
      rl_row_evaluate(model, state, rows, row, points);
      values[row->source] = row->value;
      inverse_masses[row->source] = row->inverse_mass;
      if (d->is_reeled) {
        d->reels[row->source] = row->reel;
      }
      for (uint32_t e = 0; e < row->entry_count; e++) {
        gradients[d->vectors[row->source] + e] = rows->entries[row->first_entry + e].gradient;
      }
      for (uint32_t e = 0; e < row->entry_count && d->has_forces; e++) {
        gradients[d->vectors[row->source] + row->entry_count + e] =
            rows->entries[row->first_entry + e].force;
      }
    }
  }
  rl_rows_move(rows);
}

void rl_direct_bounds(const rl_direct *d, const rl_rows *rows, double *lower) {
  for (uint32_t k = 0; k < d->link_count; k++) {
    lower[k] = 0.0;
  }
  for (uint32_t n = 0; n < rows->block_count; n++) {
    const rl_block *block = &rows->blocks[n];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      lower[k] = block->lower;
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      lower[rows->rows[k].source] = rows->rows[k].lower;
    }
  }
}

// (11), (12)
void rl_direct_lay_tangents(const rl_direct *d, const rl_rows *rows, uint32_t k, rl_vec3 t,
                            rl_vec3 s, rl_vec3 *gradients) {
  const rl_row *row = &rows->rows[d->tangents[k].row];
  const uint32_t m = d->tangents[k].first;
  for (uint32_t i = 0; i < row->entry_count; i++) {
    const rl_entry *e = &rows->entries[row->first_entry + i];
    gradients[d->vectors[m] + i] = rl_scale(-1.0, rl_contact_share(row, e, t));
    gradients[d->vectors[m + 1] + i] = rl_scale(-1.0, rl_contact_share(row, e, s));
  }
}

// Returns the product of a row with itself; of a general row over all pairs of entries at one slot.
static double own_product(const rl_direct *d, uint32_t m, const rl_point *points,
                          const rl_vec3 *left, const rl_vec3 *right) {
  const uint32_t *slots = &d->entry_slot[d->entry_start[m]];
  const uint32_t vector = d->vectors[m], force = vector + force_offset(d, m);
  if (is_link(d, m)) {
    return (points[slots[0]].w + points[slots[1]].w) * rl_dot(left[vector], right[vector]);
  }
  const uint32_t count = d->entry_start[m + 1] - d->entry_start[m];
  double sum = 0.0;
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t k = 0; k < count; k++) {
      if (slots[i] == slots[k]) {
        sum += points[slots[i]].w * rl_dot(left[vector + i], right[force + k]);
      }
    }
  }
  return sum;
}

bool rl_direct_pulls_along(const rl_direct *d, uint32_t m, const rl_vec3 *gradients) {
  const rl_vec3 *g = &gradients[d->vectors[m]], *f = g + force_offset(d, m);
  bool same = true;
  for (uint32_t i = 0; f > g && i < d->entry_start[m + 1] - d->entry_start[m]; i++) {
    same = same && f[i].x == g[i].x && f[i].y == g[i].y && f[i].z == g[i].z;
  }
  return same;
}

// (4), (11), (12) Assembles A; zeroes the places of a long profile that no coupling writes.
static void assemble(rl_direct *d, const rl_point *points, const rl_vec3 *left,
                     const rl_vec3 *right, rl_regularisation regularisation,
                     const double *inverse_masses, const bool *active) {
  d->is_turned = false;
  for (uint32_t p = 0; p < d->coupled; p++) {
    const uint32_t m = d->order[p];
    const bool is_element = rl_direct_is_element(d, m);
    const double soft = is_element ? regularisation.elements : regularisation.contacts;
    const double own = active[m] ? own_product(d, m, points, left, right) : 1.0;
    d->diagonal[p] = active[m] ? own + soft * inverse_masses[m] : 1.0;
    d->is_turned =
        d->is_turned || (is_element && !(own > 0.0) && rl_direct_pulls_along(d, m, right));
    for (uint32_t i = d->start[p]; d->start[p + 1] - d->start[p] > 1 && i < d->start[p + 1]; i++) {
      d->lower[i] = d->upper[i] = 0.0;
    }
  }
  for (uint32_t i = 0; i < d->coupling_count; i++) {
    const rl_coupling *c = &d->couplings[i];
    const double w = c->sign * points[c->slot].w;
    const rl_vec3 *lr = &left[c->row_vector], *lc = &left[c->column_vector];
    const rl_vec3 *rr = &right[c->row_force], *rc = &right[c->column_force];
    const double l = active[c->row] ? w * rl_dot(*lr, *rc) : 0.0;
    const double u = active[c->column] ? w * rl_dot(*lc, *rr) : 0.0;
    d->lower[c->at] = c->adds ? d->lower[c->at] + l : l;
    d->upper[c->at] = c->adds ? d->upper[c->at] + u : u;
  }
  for (uint32_t k = 0; k < d->tangents_count; k++) { // each follows its normal in the order
    const uint32_t p = d->place[d->tangents[k].first];
    if (p < d->coupled) {
      d->lower[d->start[p + 1] - 1] -= d->tangents[k].coefficient;
      d->diagonal[p + 1] += d->tangents[k].softness;
    }
  }
}

// Returns the sum of x[k] y[k] over the last `count` numbers before both ends, as four independent
// sums in a fixed order.
static double tail_product(const double *x_end, const double *y_end, uint32_t count) {
  double sums[4] = {0.0, 0.0, 0.0, 0.0};
  const double *x = x_end - count, *y = y_end - count;
  const uint32_t whole = count - count % 4;
  for (uint32_t k = 0; k < whole; k += 4) {
    for (uint32_t i = 0; i < 4; i++) {
      sums[i] += x[k + i] * y[k + i];
    }
  }
  double sum = (sums[0] + sums[1]) + (sums[2] + sums[3]);
  for (uint32_t k = whole; k < count; k++) {
    sum += x[k] * y[k];
  }
  return sum;
}

static bool is_zero(const double *numbers, uint32_t count) {
  uint32_t i = 0;
  while (i < count && numbers[i] == 0.0) {
    i++;
  }
  return i == count;
}

// Computes row p of L and column p of U if they reach further back than one; returns the pivot. The
// row in L of a multiplier that is not active is zero, and is skipped.
static double eliminate(rl_direct *d, uint32_t p) {
  double *row = &d->lower[d->start[p]];
  double *column = &d->upper[d->start[p]];
  const uint32_t first = d->first[p];
  const bool is_empty = is_zero(row, p - first);
  double pivot = d->diagonal[p];
  d->lower_is_empty[p] = is_empty;
  for (uint32_t q = first; q < p; q++) {
    const uint32_t both = q - (first > d->first[q] ? first : d->first[q]);
    const double *row_q = &d->lower[d->start[q + 1]];
    const double *column_q = &d->upper[d->start[q + 1]];
    double *l = &row[q - first];
    double *u = &column[q - first];
    if (!d->lower_is_empty[q]) {
      *u -= tail_product(u, row_q, both);
    }
    if (!is_empty) {
      *l = (*l - tail_product(l, column_q, both)) * d->diagonal[q];
      pivot -= *l * *u;
    }
  }
  return pivot;
}

// (4) Doolittle's LU factorization in the profile. Nearly all rows of a rope couple only with the
// one before, for which the last pivot stays in a register.
bool rl_direct_factor(rl_direct *d, const rl_point *points, const rl_vec3 *left,
                      const rl_vec3 *right, rl_regularisation regularisation,
                      const double *inverse_masses, const bool *active) {
  assemble(d, points, left, right, regularisation, inverse_masses, active);
  double inverse = 0.0;
  for (uint32_t p = 0; p < d->coupled; p++) {
    const uint32_t at = d->start[p];
    double pivot;
    if (d->start[p + 1] - at == 1) {
      const double l = d->lower[at] * inverse;
      d->lower_is_empty[p] = false;
      d->lower[at] = l;
      pivot = d->diagonal[p] - l * d->upper[at];
    } else {
      pivot = eliminate(d, p);
    }
    if (!(fabs(pivot) > 0.0)) {
      return false;
    }
    inverse = 1.0 / pivot;
    d->diagonal[p] = inverse;
  }
  return true;
}

static void solve_lower(const rl_direct *d, const double *b, double *x) {
  double last = 0.0;
  for (uint32_t p = 0; p < d->coupled; p++) {
    const uint32_t at = d->start[p];
    const uint32_t length = d->start[p + 1] - at;
    const double sum =
        length == 1 ? d->lower[at] * last : tail_product(&d->lower[at + length], &x[p], length);
    last = b[d->order[p]] - sum;
    x[p] = last;
  }
}

static void solve_upper(const rl_direct *d, double *x, double *b) {
  double take = 0.0; // what the row after this one subtracts from it
  for (uint32_t p = d->coupled; p-- > 0;) {
    const uint32_t at = d->start[p];
    const uint32_t length = d->start[p + 1] - at;
    const double value = (x[p] - take) * d->diagonal[p];
    take = 0.0;
    if (length == 1) {
      take = d->upper[at] * value;
    } else {
      for (uint32_t k = 0; k < length; k++) {
        x[p - length + k] -= d->upper[at + k] * value;
      }
    }
    b[d->order[p]] = value;
  }
}

void rl_direct_solve(rl_direct *d, double *b) {
  solve_lower(d, b, d->permuted);
  solve_upper(d, d->permuted, b);
}

// Returns dC/dt of a row.
static inline double rate_of(const rl_direct *d, uint32_t m, const rl_vec3 *gradients,
                             const rl_vec3 *velocities) {
  const uint32_t *slots = &d->entry_slot[d->entry_start[m]];
  const rl_vec3 *g = &gradients[d->vectors[m]];
  if (is_link(d, m)) {
    return rl_dot(g[0], rl_sub(velocities[slots[1]], velocities[slots[0]]));
  }
  const uint32_t count = d->entry_start[m + 1] - d->entry_start[m];
  double rate = 0.0;
  for (uint32_t i = 0; i < count; i++) {
    rate += rl_dot(g[i], velocities[slots[i]]);
  }
  return d->is_reeled && m < d->row_count ? rate - d->reels[m] : rate;
}

void rl_direct_rates(const rl_direct *d, const rl_vec3 *gradients, const rl_vec3 *velocities,
                     double *rates) {
  for (uint32_t m = 0; m < d->count; m++) {
    rates[m] = rate_of(d, m, gradients, velocities);
  }
}

void rl_direct_coupled_rates(const rl_direct *d, const rl_vec3 *gradients,
                             const rl_vec3 *velocities, double *rates) {
  for (uint32_t p = 0; p < d->coupled; p++) {
    rates[d->order[p]] = rate_of(d, d->order[p], gradients, velocities);
  }
}

// (2)
void rl_direct_move(const rl_direct *d, const rl_vec3 *gradients, const double *s,
                    rl_point *points) {
  for (uint32_t m = 0; m < d->count; m++) {
    const uint32_t *slots = &d->entry_slot[d->entry_start[m]];
    const rl_vec3 *g = &gradients[d->vectors[m] + force_offset(d, m)];
    if (is_link(d, m)) {
      rl_move(&points[slots[0]], rl_scale(s[m] * points[slots[0]].w, g[0]));
      rl_move(&points[slots[1]], rl_scale(-s[m] * points[slots[1]].w, g[0]));
      continue;
    }
    const uint32_t count = d->entry_start[m + 1] - d->entry_start[m];
    for (uint32_t i = 0; i < count; i++) {
      rl_move(&points[slots[i]], rl_scale(-s[m] * points[slots[i]].w, g[i]));
    }
  }
}

void rl_direct_push(const rl_direct *d, const rl_point *points, const rl_vec3 *gradients,
                    const double *s, rl_vec3 *to) {
  for (uint32_t m = 0; m < d->count; m++) {
    const uint32_t *slots = &d->entry_slot[d->entry_start[m]];
    const rl_vec3 *g = &gradients[d->vectors[m] + force_offset(d, m)];
    if (is_link(d, m)) {
      to[slots[0]] = rl_add_scaled(to[slots[0]], s[m] * points[slots[0]].w, g[0]);
      to[slots[1]] = rl_add_scaled(to[slots[1]], -s[m] * points[slots[1]].w, g[0]);
      continue;
    }
    const uint32_t count = s[m] != 0.0 ? d->entry_start[m + 1] - d->entry_start[m] : 0;
    for (uint32_t i = 0; i < count; i++) {
      to[slots[i]] = rl_add_scaled(to[slots[i]], -s[m] * points[slots[i]].w, g[i]);
    }
  }
}
