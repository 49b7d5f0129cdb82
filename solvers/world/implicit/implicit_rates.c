// SPDX-License-Identifier: GPL-3.0-or-later
// What pushes in a step holds its row where it is, and that its velocity does so too is another
// condition: the midpoint rule does not have it, and turns a velocity across the row round.
#include "implicit.h"

#include "../ledger.h"

#include <string.h>

// On the diagonal, of the inverse mass: rows that say the same twice share what they push.
static const double regularisation = 1e-9;

// A rate below this part of the largest one before is none, and more solves are never made.
static const double settled = 1e-12;
enum { most_solves = 30 };

// A rate has to fall by this factor in a solve, unless fewer rows push.
static const double least_progress = 0.5;

// The matrix of an impulse: M alone, and the rows that push.
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

// The rates of the rows that push; returns the largest [m/s].
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

// The impulse that a row gets now: all that it pushed may be taken back, and no more.
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

// Returns whether fewer rows push than before.
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

// convex.md (24): what (17) takes, if something is caught; all that pulls does so together.
static void book_rest(const rl_implicit *p, const rl_state *state, const rl_rows *rows,
                      rl_ledger *ledger) {
  const double *before = p->slack, *after = p->right;
  if (!rl_ledger_is_hit(ledger, state, rows)) {
    return;
  }
  for (uint32_t n = 0; n < rows->block_count; n++) {
    const rl_block *block = &rows->blocks[n];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      rl_ledger_catch(ledger, k, -0.5 * p->change[k] * (before[k] + after[k]), true);
    }
  }
}

// convex.md (17)
void rl_implicit_rest(rl_implicit *p, const rl_model *model, rl_state *state, rl_rows *rows,
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
