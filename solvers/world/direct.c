// SPDX-License-Identifier: GPL-3.0-or-later
#include "direct.h"

// What the arrays have to hold at most.
typedef struct capacity {
  size_t unknowns, entries, couplings, profile;
} capacity;

static uint32_t parts_touched(const rl_model *model, uint32_t rope) {
  size_t parts = 0;
  for (uint32_t b = 0; b < model->body_count; b++) {
    if (model->touches[(size_t)rope * model->body_count + b]) {
      parts += model->bodies[b].part_count;
    }
  }
  return (uint32_t)parts;
}

size_t rl_direct_entry_capacity(const rl_model *model) {
  return 2 * (size_t)model->link_count + model->eye_count + model->contact_capacity;
}

// One more row at a slot that has `users` rows already, the first at position `first`.
typedef struct slot_use {
  size_t first;
  uint32_t users;
} slot_use;

static void use_slot(capacity *c, slot_use *uses, uint32_t slot, size_t position, size_t *first) {
  if (slot == RL_NONE) {
    return;
  }
  slot_use *use = &uses[slot];
  use->first = use->users == 0 ? position : use->first;
  *first = use->first < *first ? use->first : *first;
  c->couplings += use->users++;
}

static uint32_t moving_slot(const rl_model *model, uint32_t slot) {
  for (uint32_t i = 0; slot < model->node_count && i < model->hold_count; i++) {
    if (model->holds[i].slot == slot) {
      return rl_body_slot(model, model->holds[i].body);
    }
  }
  return slot;
}

// Walks along all ropes as rl_direct_build does, with every contact that can be.
static capacity count_capacity(const rl_model *model, slot_use *uses) {
  capacity c = {.unknowns = (size_t)model->link_count + model->contact_capacity,
                .entries = rl_direct_entry_capacity(model)};
  size_t position = 0;
  for (uint32_t r = 0; r < model->rope_count; r++) {
    const rl_rope *rope = &model->ropes[r];
    const uint32_t contacts = rope->massless ? 0 : parts_touched(model, r);
    for (uint32_t i = 0; i <= rope->link_count; i++) {
      const rl_link *link = &model->links[rope->first_link + (i < rope->link_count ? i : i - 1)];
      const uint32_t node = i < rope->link_count ? link->a : link->b;
      for (uint32_t k = 0; k < contacts; k++, position++) {
        size_t first = position;
        use_slot(&c, uses, node, position, &first);
        c.profile += position - first;
      }
      if (i < rope->link_count) {
        size_t first = position;
        use_slot(&c, uses, moving_slot(model, link->a), position, &first);
        use_slot(&c, uses, moving_slot(model, link->b), position, &first);
        for (uint32_t e = 0; e < rope->eye_count; e++) {
          use_slot(&c, uses, model->eyes[rope->first_eye + e].slot, position, &first);
        }
        c.profile += position++ - first;
      }
    }
  }
  return c;
}

void rl_direct_lay_out(rl_direct *d, const rl_model *model, rl_carver *carver) {
  slot_use *uses = calloc(model->slot_count + 1, sizeof *uses);
  // Without memory for the count there is none for the arrays: ask for what nobody has.
  const capacity c = uses ? count_capacity(model, uses) : (capacity){.profile = (size_t)1 << 60};
  free(uses);
  d->order = rl_carve(carver, c.unknowns, sizeof *d->order);
  d->place = rl_carve(carver, c.unknowns, sizeof *d->place);
  d->first = rl_carve(carver, c.unknowns, sizeof *d->first);
  d->start = rl_carve(carver, c.unknowns + 1, sizeof *d->start);
  d->entry_start = rl_carve(carver, c.unknowns + 1, sizeof *d->entry_start);
  d->entry_slot = rl_carve(carver, c.entries, sizeof *d->entry_slot);
  d->couplings = rl_carve(carver, c.couplings, sizeof *d->couplings);
  d->lower = rl_carve(carver, c.profile, sizeof *d->lower);
  d->upper = rl_carve(carver, c.profile, sizeof *d->upper);
  d->diagonal = rl_carve(carver, c.unknowns, sizeof *d->diagonal);
  d->permuted = rl_carve(carver, c.unknowns, sizeof *d->permuted);
  d->slot_entry = rl_carve(carver, model->slot_count, sizeof *d->slot_entry);
  d->entry_before = rl_carve(carver, c.entries, sizeof *d->entry_before);
  d->entry_owner = rl_carve(carver, c.entries, sizeof *d->entry_owner);
}

// ---------------------------------------------------------------------------------------------
// Structure

static void put_in_order(rl_direct *d, uint32_t multiplier) {
  d->place[multiplier] = d->count;
  d->order[d->count++] = multiplier;
}

// Along the ropes: the contacts of a node, then the element that begins there.
static void find_order(rl_direct *d, const rl_model *model, const rl_state *state) {
  uint32_t contact = 0;
  d->count = 0;
  for (uint32_t r = 0; r < model->rope_count; r++) {
    const rl_rope *rope = &model->ropes[r];
    for (uint32_t i = 0; i <= rope->link_count; i++) {
      while (contact < state->contact_count && state->contacts[contact].rope == r &&
             state->contacts[contact].node == i) {
        put_in_order(d, model->link_count + contact++);
      }
      if (i < rope->link_count) {
        put_in_order(d, rope->first_link + i);
      }
    }
  }
}

// The slots of each row's entries, in the order in which rl_row_evaluate writes them.
static void find_entries(rl_direct *d, const rl_state *state, const rl_rows *rows) {
  uint32_t row = 0;
  uint32_t entry = 0;
  for (uint32_t m = 0; m < d->count; m++) {
    d->entry_start[m] = entry;
    if (row < rows->row_count && rows->rows[row].source == m) {
      const rl_row *r = &rows->rows[row++];
      for (uint32_t v = r->first_vertex; v < r->first_vertex + r->vertex_count; v++) {
        if (rows->vertices[v].slot != RL_NONE) {
          d->entry_owner[entry] = m;
          d->entry_slot[entry++] = rows->vertices[v].slot;
        }
      }
    } else {
      d->entry_owner[entry] = d->entry_owner[entry + 1] = m;
      d->entry_slot[entry++] = state->links[m].a;
      d->entry_slot[entry++] = state->links[m].b;
    }
  }
  d->entry_start[d->count] = entry;
}

// Chains the entries at each slot that moves, from the last in the order to the first.
static void chain_entries(rl_direct *d, const rl_model *model, const rl_state *state) {
  for (uint32_t s = 0; s < model->slot_count; s++) {
    d->slot_entry[s] = RL_NONE;
  }
  for (uint32_t p = 0; p < d->count; p++) {
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

void rl_direct_build(rl_direct *d, const rl_model *model, const rl_state *state,
                     const rl_rows *rows) {
  if (d->structure == rows->structure) {
    return;
  }
  d->structure = rows->structure;
  find_order(d, model, state);
  find_entries(d, state, rows);
  chain_entries(d, model, state);
  d->coupling_count = 0;
  d->start[0] = 0;
  for (uint32_t p = 0; p < d->count; p++) {
    const uint32_t m = d->order[p];
    const uint32_t from = d->coupling_count;
    uint32_t first = p;
    for (uint32_t e = d->entry_start[m]; e < d->entry_start[m + 1]; e++) {
      for (uint32_t b = d->entry_before[e]; b != RL_NONE; b = d->entry_before[b]) {
        const uint32_t column = d->entry_owner[b];
        if (column != m) { // a row with itself is the diagonal
          d->couplings[d->coupling_count++] =
              (rl_coupling){m, column, e, b, d->entry_slot[e], d->place[column]};
          first = d->place[column] < first ? d->place[column] : first;
        }
      }
    }
    d->first[p] = first;
    d->start[p + 1] = d->start[p] + (p - first);
    for (uint32_t k = from; k < d->coupling_count; k++) {
      d->couplings[k].at += d->start[p] - first;
    }
  }
}

// ---------------------------------------------------------------------------------------------
// Numbers

void rl_direct_evaluate(const rl_direct *d, const rl_model *model, const rl_state *state,
                        rl_rows *rows, const rl_point *points, double *values,
                        double *inverse_masses, rl_vec3 *gradients) {
  for (uint32_t n = 0; n < rows->block_count; n++) {
    const rl_block *block = &rows->blocks[n];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      const rl_link_value v = rl_link_evaluate(&state->links[k], points);
      rl_vec3 *g = &gradients[d->entry_start[k]];
      values[k] = v.value;
      inverse_masses[k] = v.inverse_mass;
      g[0] = rl_scale(-1.0, v.d);
      g[1] = v.d;
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      rl_row *row = &rows->rows[k];
      rl_row_evaluate(model, state, rows, row, points);
      values[row->source] = row->value;
      inverse_masses[row->source] = row->inverse_mass;
      for (uint32_t e = 0; e < row->entry_count; e++) {
        gradients[d->entry_start[row->source] + e] = rows->entries[row->first_entry + e].gradient;
      }
    }
  }
}

// The product of a row with itself: all pairs of its entries at one slot.
static double own_product(const rl_direct *d, uint32_t m, const rl_point *points,
                          const rl_vec3 *left, const rl_vec3 *right) {
  double sum = 0.0;
  const uint32_t first = d->entry_start[m];
  if (d->entry_start[m + 1] == first + 2 && d->entry_slot[first] != d->entry_slot[first + 1]) {
    return points[d->entry_slot[first]].w * rl_dot(left[first], right[first]) +
           points[d->entry_slot[first + 1]].w * rl_dot(left[first + 1], right[first + 1]);
  }
  for (uint32_t i = d->entry_start[m]; i < d->entry_start[m + 1]; i++) {
    for (uint32_t k = d->entry_start[m]; k < d->entry_start[m + 1]; k++) {
      if (d->entry_slot[i] == d->entry_slot[k]) {
        sum += points[d->entry_slot[i]].w * rl_dot(left[i], right[k]);
      }
    }
  }
  return sum;
}

static void assemble(rl_direct *d, const rl_point *points, const rl_vec3 *left,
                     const rl_vec3 *right, const double *diagonal, const bool *active) {
  for (size_t i = 0; i < d->start[d->count]; i++) {
    d->lower[i] = d->upper[i] = 0.0;
  }
  for (uint32_t i = 0; i < d->coupling_count; i++) {
    const rl_coupling *c = &d->couplings[i];
    const double w = points[c->slot].w;
    if (active[c->row]) {
      d->lower[c->at] += w * rl_dot(left[c->row_entry], right[c->column_entry]);
    }
    if (active[c->column]) {
      d->upper[c->at] += w * rl_dot(left[c->column_entry], right[c->row_entry]);
    }
  }
  for (uint32_t p = 0; p < d->count; p++) {
    const uint32_t m = d->order[p];
    const double add = diagonal ? diagonal[m] : 0.0;
    d->diagonal[p] = active[m] ? own_product(d, m, points, left, right) + add : 1.0;
  }
}

// Sum of x[k] y[k] over the last `count` numbers before both ends.
static double tail_product(const double *x_end, const double *y_end, uint32_t count) {
  double sum = 0.0;
  for (uint32_t k = 1; k <= count; k++) {
    sum += x_end[-(ptrdiff_t)k] * y_end[-(ptrdiff_t)k];
  }
  return sum;
}

// Doolittle's LU in the profile: row p of L and column p of U from the rows and columns before.
bool rl_direct_factor(rl_direct *d, const rl_point *points, const rl_vec3 *left,
                      const rl_vec3 *right, const double *diagonal, const bool *active) {
  assemble(d, points, left, right, diagonal, active);
  for (uint32_t p = 0; p < d->count; p++) {
    double *row = &d->lower[d->start[p]];
    double *column = &d->upper[d->start[p]];
    const uint32_t first = d->first[p];
    double pivot = d->diagonal[p];
    for (uint32_t q = first; q < p; q++) {
      const uint32_t both = q - (first > d->first[q] ? first : d->first[q]);
      const double *row_q = &d->lower[d->start[q + 1]];
      const double *column_q = &d->upper[d->start[q + 1]];
      double *l = &row[q - first];
      double *u = &column[q - first];
      *l = (*l - tail_product(l, column_q, both)) / d->diagonal[q];
      *u -= tail_product(u, row_q, both);
      pivot -= *l * *u;
    }
    d->diagonal[p] = pivot;
    if (!(fabs(pivot) > 0.0)) {
      return false;
    }
  }
  return true;
}

void rl_direct_solve(rl_direct *d, double *b) {
  double *x = d->permuted;
  for (uint32_t p = 0; p < d->count; p++) {
    const uint32_t length = p - d->first[p];
    x[p] = b[d->order[p]] - tail_product(&d->lower[d->start[p + 1]], &x[p], length);
  }
  for (uint32_t p = d->count; p-- > 0;) {
    x[p] /= d->diagonal[p];
    const double *column = &d->upper[d->start[p]];
    for (uint32_t q = d->first[p]; q < p; q++) {
      x[q] -= column[q - d->first[p]] * x[p];
    }
    b[d->order[p]] = x[p];
  }
}

void rl_direct_rates(const rl_direct *d, const rl_vec3 *gradients, const rl_vec3 *velocities,
                     double *rates) {
  for (uint32_t m = 0; m < d->count; m++) {
    rates[m] = 0.0;
    for (uint32_t e = d->entry_start[m]; e < d->entry_start[m + 1]; e++) {
      rates[m] += rl_dot(gradients[e], velocities[d->entry_slot[e]]);
    }
  }
}

void rl_direct_push(const rl_direct *d, const rl_point *points, const rl_vec3 *gradients,
                    const double *s, rl_vec3 *to) {
  for (uint32_t m = 0; m < d->count; m++) {
    for (uint32_t e = d->entry_start[m]; e < d->entry_start[m + 1]; e++) {
      const uint32_t slot = d->entry_slot[e];
      to[slot] = rl_add_scaled(to[slot], -s[m] * points[slot].w, gradients[e]);
    }
  }
}
