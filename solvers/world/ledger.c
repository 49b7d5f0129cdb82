// SPDX-License-Identifier: GPL-3.0-or-later
#include "ledger.h"

#include "memory.h"

// What is remembered of a row: the rate dC/dt that free bodies and nodes give it, and the rate
// that is prescribed by driven ones [m/s].
typedef struct row_rates {
  double free, prescribed;
} row_rates;

struct rl_ledger {
  row_rates *before;         // [links + contact capacity] at the start of the step
  double *last_prescribed;   // [links] at the end of the step before
  unsigned char *impact;     // [links + contact capacity] an impulse there is an impact
  void *allocation;
};

static size_t lay_out(const rl_model *m, rl_ledger *ledger, char *block) {
  rl_carver c = {.block = block};
  const size_t unknowns = (size_t)m->link_count + m->contact_capacity;
  ledger->before = rl_carve(&c, unknowns, sizeof *ledger->before);
  ledger->last_prescribed = rl_carve(&c, m->link_count, sizeof *ledger->last_prescribed);
  ledger->impact = rl_carve(&c, unknowns, sizeof *ledger->impact);
  return c.used;
}

rl_ledger *rl_ledger_create(const rl_model *model) {
  rl_ledger *ledger = calloc(1, sizeof *ledger);
  if (!ledger) {
    return NULL;
  }
  char *block = rl_block_create(lay_out(model, ledger, NULL), &ledger->allocation);
  if (!block) {
    free(ledger);
    return NULL;
  }
  lay_out(model, ledger, block);
  return ledger;
}

void rl_ledger_free(rl_ledger *ledger) {
  if (ledger) {
    free(ledger->allocation);
    free(ledger);
  }
}

static void add_rate(row_rates *rates, const rl_state *state, uint32_t slot, rl_vec3 gradient) {
  const double rate = rl_dot(gradient, state->velocities[slot]);
  if (state->points[slot].w > 0.0) {
    rates->free += rate;
  } else {
    rates->prescribed += rate;
  }
}

static row_rates link_rates(const rl_state *state, const rl_link *link) {
  const rl_vec3 d = rl_link_evaluate(link, state->points).d;
  row_rates rates = {0.0, 0.0};
  add_rate(&rates, state, link->a, rl_scale(-1.0, d));
  add_rate(&rates, state, link->b, d);
  return rates;
}

static row_rates general_rates(const rl_model *model, const rl_state *state, rl_rows *rows,
                               rl_row *row) {
  rl_row_evaluate(model, state, rows, row, state->points);
  row_rates rates = {0.0, 0.0};
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    add_rate(&rates, state, rows->entries[i].slot, rows->entries[i].gradient);
  }
  return rates;
}

// A difference above rounding between two rates that are the same number unless it was changed.
static bool differs(double a, double b) { return fabs(a - b) > 1e-9 * (fabs(a) + fabs(b)); }

// An impulse on the row is an impact if it was not active or if its prescribed rate jumps.
static void remember(rl_ledger *ledger, const rl_model *model, const rl_state *state,
                     uint32_t source, row_rates rates) {
  ledger->before[source] = rates;
  const bool jumps = source < model->link_count &&
                     differs(rates.prescribed, ledger->last_prescribed[source]);
  ledger->impact[source] = state->multipliers[source] == 0.0 || jumps;
}

void rl_ledger_begin(rl_ledger *ledger, const rl_model *model, const rl_state *state,
                     rl_rows *rows) {
  for (uint32_t i = 0; i < rows->block_count; i++) {
    const rl_block *block = &rows->blocks[i];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      remember(ledger, model, state, k, link_rates(state, &state->links[k]));
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      rl_row *row = &rows->rows[k];
      remember(ledger, model, state, row->source, general_rates(model, state, rows, row));
    }
  }
}

static void book(rl_ledger *ledger, const rl_model *model, rl_state *state, uint32_t source,
                 row_rates rates, double dt) {
  const row_rates before = ledger->before[source];
  const double impulse = dt * state->multipliers[source];
  state->work += impulse * 0.5 * (before.prescribed + rates.prescribed);
  if (ledger->impact[source]) {
    state->dissipated += 0.5 * fabs(impulse) * fabs(rates.free - before.free);
  }
  if (source < model->link_count) {
    ledger->last_prescribed[source] = rates.prescribed;
  }
}

void rl_ledger_end(rl_ledger *ledger, const rl_model *model, rl_state *state, rl_rows *rows,
                   double dt) {
  for (uint32_t i = 0; i < rows->block_count; i++) {
    const rl_block *block = &rows->blocks[i];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      book(ledger, model, state, k, link_rates(state, &state->links[k]), dt);
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      rl_row *row = &rows->rows[k];
      book(ledger, model, state, row->source, general_rates(model, state, rows, row), dt);
    }
  }
}

static double elastic_energy(const rl_model *model, const rl_state *state) {
  double energy = 0.0;
  for (uint32_t i = 0; i < model->link_count; i++) {
    const rl_link *link = &state->links[i];
    if (link->compliance > 0.0) {
      double excess = rl_element_length(model, state, i) - link->rest;
      if (!model->ropes[model->link_rope[i]].compression) {
        excess = fmax(excess, 0.0);
      }
      energy += 0.5 * excess * excess / link->compliance;
    }
  }
  return energy;
}

rl_energy rl_state_energy(const rl_model *model, const rl_state *state) {
  rl_energy energy = {0};
  for (uint32_t i = 0; i < model->slot_count; i++) {
    if (state->points[i].w > 0.0) {
      const rl_vec3 v = state->velocities[i];
      energy.kinetic += 0.5 * state->masses[i] * rl_dot(v, v);
      energy.gravity -= state->masses[i] * rl_dot(model->gravity, rl_position(state->points[i]));
    }
  }
  energy.elastic = elastic_energy(model, state);
  return energy;
}

rl_momentum rl_state_momentum(const rl_model *model, const rl_state *state) {
  rl_momentum momentum = {0};
  for (uint32_t i = 0; i < model->slot_count; i++) {
    if (state->points[i].w > 0.0) {
      const rl_vec3 p = rl_scale(state->masses[i], state->velocities[i]);
      momentum.linear = rl_add(momentum.linear, p);
      momentum.angular = rl_add(momentum.angular, rl_cross(rl_position(state->points[i]), p));
    }
  }
  return momentum;
}
