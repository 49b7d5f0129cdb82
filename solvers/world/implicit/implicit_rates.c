// SPDX-License-Identifier: GPL-3.0-or-later
// Removes the rates of rows that pushed in a step. The midpoint rule holds the row at the end of
// the step, but not its rate: it would reverse a velocity across the row.
#include "implicit.h"

#include "../ledger.h"

#include <string.h>

// Regularisation of the diagonal, relative to the inverse mass: dependent rows share the impulse.
static const double regularisation = 1e-9;

// Tolerance of the rates relative to the largest one at first, and the most solves.
static const double settled = 1e-12;
enum { most_solves = 30 };

// The largest rate has to fall by this factor in a solve, unless a row has left the active set.
static const double least_progress = 0.5;

// Sets inertia and active rows for a solve for impulses: M alone, and the rows that pushed.
static void choose_rows(rl_implicit *p, const rl_model *model, const rl_state *state) {
  for (uint32_t i = 0; i < model->slot_count; i++) {
    p->imbalance[i] = (rl_vec3){0.0, 0.0, 0.0};
    p->inertia[i] = i < model->place_count ? 1.0 / state->points[i].w : 1.0;
  }
  for (uint32_t m = 0; m < p->row_count; m++) {
    p->active[m] =
        p->hard[m] && p->weights[m] > 0.0 && (p->lower[m] < 0.0 || state->multipliers[m] > 0.0);
    p->diagonal[m] = regularisation * p->weights[m];
    p->forces[m] = 0.0;
    p->change[m] = 0.0; // impulses [N s]
  }
  for (uint32_t k = 0; k < 2 * p->tangents.tangents_count; k++) {
    p->active[p->tangents.tangents[k / 2].first + k % 2] = false;
  }
}

// Sets the right sides to the negative rates of the rows; returns the largest of active rows [m/s].
static double find_rates(rl_implicit *p, const rl_state *state, const rl_rows *rows) {
  const rl_vec3 *v = state->velocities;
  double largest = 0.0;
  for (uint32_t n = 0; n < rows->block_count; n++) {
    const rl_block *block = &rows->blocks[n];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      const rl_link *link = &state->links[k];
      p->right[k] = -rl_dot(p->links[k].gradient, rl_sub(v[link->b], v[link->a]));
      largest = p->active[k] ? rl_larger(largest, fabs(p->right[k])) : largest;
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      const rl_row *row = &rows->rows[k];
      const uint32_t m = row->source;
      p->right[m] = -rl_row_rate(rows, row, v);
      largest = p->active[m] ? rl_larger(largest, fabs(p->right[m])) : largest;
    }
  }
  return largest;
}

// Returns the impulse that a row gets [N s]; it may take back what the row pushed in the step, but
// no more: then the row leaves the active set.
static double allowed(rl_implicit *p, const rl_state *state, uint32_t m, bool *gives_up) {
  double change = rl_implicit_change(p, m);
  const double pushed = p->dt * state->multipliers[m] + p->change[m];
  if (p->lower[m] == 0.0 && pushed + change <= 0.0) {
    change = -pushed;
    p->active[m] = false;
    *gives_up = true;
  }
  p->change[m] += change;
  return change;
}

// Applies the impulses of the active rows. Returns whether a row has left the active set.
static bool push(rl_implicit *p, rl_state *state, const rl_rows *rows) {
  rl_vec3 *v = state->velocities;
  bool gives_up = false;
  for (uint32_t n = 0; n < rows->block_count; n++) {
    const rl_block *block = &rows->blocks[n];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      if (p->active[k]) {
        const rl_link *link = &state->links[k];
        const rl_vec3 impulse = rl_scale(allowed(p, state, k, &gives_up), p->links[k].gradient);
        v[link->a] = rl_add_scaled(v[link->a], state->points[link->a].w, impulse);
        v[link->b] = rl_add_scaled(v[link->b], -state->points[link->b].w, impulse);
      }
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      const rl_row *row = &rows->rows[k];
      if (p->active[row->source]) {
        rl_row_push(rows, row, allowed(p, state, row->source, &gives_up), state->points, v);
      }
    }
  }
  return gives_up;
}

// Returns the velocity of what is driven, 0 of anything else.
static rl_vec3 driven_velocity(const rl_state *state, uint32_t slot) {
  return state->points[slot].w == 0.0 ? state->velocities[slot] : (rl_vec3){0.0, 0.0, 0.0};
}

// Returns the part of a row's rate that driven bodies and winches have [m/s].
static double driven_rate(const rl_state *state, const rl_rows *rows, const rl_row *row) {
  double rate = 0.0 - row->reel;
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *e = &rows->entries[i];
    rate += rl_dot(e->gradient, driven_velocity(state, e->slot));
  }
  return rate;
}

// (24) of papers/convex.md: books the loss of (17) if something is caught, of all active elements
// and strands together.
static void book_rest(const rl_implicit *p, const rl_state *state, const rl_rows *rows,
                      rl_ledger *ledger) {
  const double *before = p->slack, *after = p->right;
  if (!rl_ledger_is_hit(ledger, state, rows)) {
    return;
  }
  for (uint32_t n = 0; n < rows->block_count; n++) {
    const rl_block *block = &rows->blocks[n];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      const rl_link *link = &state->links[k];
      const rl_vec3 v = rl_sub(driven_velocity(state, link->b), driven_velocity(state, link->a));
      const double driven = rl_dot(p->links[k].gradient, v);
      rl_ledger_catch(ledger, k, p->change[k], -0.5 * (before[k] + after[k]) - driven, true);
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      const rl_row *row = &rows->rows[k];
      const uint32_t m = row->source;
      if (row->kind == RL_ROW_SPAN) {
        const double driven = driven_rate(state, rows, row);
        rl_ledger_catch(ledger, m, p->change[m], -0.5 * (before[m] + after[m]) - driven, true);
      }
    }
  }
}

void rl_implicit_remove_rates(rl_implicit *p, const rl_model *model, rl_state *state, rl_rows *rows,
                              rl_ledger *ledger) {
  rl_implicit_evaluate(p, model, state, rows);
  choose_rows(p, model, state);
  double largest = find_rates(p, state, rows);
  memcpy(p->slack, p->right, p->row_count * sizeof *p->slack);
  const double enough = settled * largest;
  bool changed = true;
  for (int i = 0; i < most_solves && largest > enough; i++) {
    if (changed && !rl_implicit_factor(p, model, state, rows, false)) {
      break;
    }
    rl_implicit_solve(p, model, rows);
    changed = push(p, state, rows);
    const double now = find_rates(p, state, rows);
    if (!changed && !(now <= least_progress * largest)) {
      break;
    }
    largest = now;
  }
  book_rest(p, state, rows, ledger);
  for (uint32_t m = 0; m < p->row_count; m++) {
    state->multipliers[m] += p->change[m] / p->dt;
  }
}
