// SPDX-License-Identifier: GPL-3.0-or-later
#include "warm.h"

#include "../islands.h"

static bool pushes(const rl_state *state, const rl_row *row) {
  return rl_is_of_bodies(&state->contacts[row->item]) && state->multipliers[row->source] > 0.0;
}

// Returns the first slot of a row that can move; slot_count if none can.
static uint32_t moved_slot(const rl_model *model, const rl_state *state, const rl_rows *rows,
                           const rl_row *row) {
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    if (state->points[rows->entries[i].slot].w > 0.0) {
      return rows->entries[i].slot;
    }
  }
  return model->slot_count;
}

static rl_warmth *warmth_of(const rl_model *model, const rl_state *state, rl_rows *rows,
                            const rl_row *row) {
  return &rows->warmths[rl_island_of(rows, moved_slot(model, state, rows, row))];
}

// Joins what a contact pushes, and adds its impulse of a step of h to that of each slot.
static void join(const rl_model *model, rl_state *state, rl_rows *rows, rl_row *row, double h) {
  rl_row_evaluate(model, state, rows, row, state->points);
  rl_vec3 *friction = &state->frictions[row->item];
  *friction = rl_add_scaled(*friction, -rl_dot(*friction, row->normal), row->normal);
  const uint32_t first = moved_slot(model, state, rows, row);
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *e = &rows->entries[i];
    if (state->points[e->slot].w > 0.0) {
      const rl_vec3 force = rl_add_scaled(rl_contact_share(row, e, *friction),
                                          -state->multipliers[row->source], e->force);
      rows->starts[e->slot] = rl_add_scaled(rows->starts[e->slot], h, force);
      rl_islands_join(rows, e->slot, first);
    }
  }
}

// Adds what a contact asks of its last forces, and below what a share of them leaves.
static void ask(const rl_state *state, const rl_rows *rows, const rl_row *row, double h,
                rl_warmth *w) {
  const double push = h * state->multipliers[row->source];
  const rl_vec3 friction = rl_scale(h, state->frictions[row->item]);
  const double rate = rl_row_rate(rows, row, state->velocities) + row->value / h;
  w->asked += push * rate - rl_dot(friction, rl_contact_slide(rows, row, state->velocities));
}

static void leave(const rl_state *state, const rl_rows *rows, const rl_row *row, double h,
                  rl_warmth *w) {
  const double rate = rl_row_rate(rows, row, state->velocities) + row->value / h +
                      w->share * rl_row_rate(rows, row, rows->starts);
  const rl_vec3 slide = rl_add_scaled(rl_contact_slide(rows, row, state->velocities), w->share,
                                      rl_contact_slide(rows, row, rows->starts));
  w->left += h * (state->multipliers[row->source] * fabs(rate) +
                  rl_length(state->frictions[row->item]) * rl_length(slide));
}

// Finds the islands of what contacts push, and what their last forces do to the velocities.
static void find_answers(const rl_model *model, rl_state *state, rl_rows *rows, double h) {
  for (uint32_t i = 0; i <= model->slot_count; i++) {
    rows->islands[i] = i;
    rows->warmths[i] = (rl_warmth){0.0, 0.0, 0.0, 0.0};
  }
  for (uint32_t i = 0; i < model->slot_count; i++) {
    rows->starts[i] = rl_vec(0.0, 0.0, 0.0);
  }
  for (uint32_t k = 0; k < state->contact_count; k++) {
    rl_row *row = &rows->rows[rows->span_count + k];
    if (pushes(state, row)) {
      join(model, state, rows, row, h);
    }
  }
  for (uint32_t i = 0; i < model->slot_count; i++) { // from impulses to velocities
    const double w = state->points[i].w;
    rl_warmth *island = &rows->warmths[rl_island_of(rows, i)];
    island->answer += w * rl_dot(rows->starts[i], rows->starts[i]);
    rows->starts[i] = rl_scale(w, rows->starts[i]);
  }
}

// (12), (13) Finds the share of each island.
static void find_shares(const rl_model *model, const rl_state *state, rl_rows *rows, double h,
                        double most) {
  const rl_row *contacts = &rows->rows[rows->span_count];
  for (uint32_t k = 0; k < state->contact_count; k++) {
    if (pushes(state, &contacts[k])) {
      ask(state, rows, &contacts[k], h, warmth_of(model, state, rows, &contacts[k]));
    }
  }
  for (uint32_t i = 0; i < model->slot_count; i++) {
    rl_warmth *w = &rows->warmths[i];
    w->share = w->asked > 0.0 && w->answer > 0.0 ? fmin(w->asked / w->answer, 1.0) : 0.0;
  }
  for (uint32_t k = 0; k < state->contact_count; k++) {
    if (pushes(state, &contacts[k])) {
      leave(state, rows, &contacts[k], h, warmth_of(model, state, rows, &contacts[k]));
    }
  }
  for (uint32_t i = 0; i < model->slot_count; i++) {
    rl_warmth *w = &rows->warmths[i];
    w->share = w->left <= most * w->asked ? w->share : 0.0;
  }
}

// (12), (13)
void rl_warm_contacts(const rl_model *model, rl_state *state, rl_rows *rows, double h,
                      double most) {
  if (model->pair_count == 0) {
    return;
  }
  find_answers(model, state, rows, h);
  find_shares(model, state, rows, h, most);
  for (uint32_t k = 0; k < state->contact_count; k++) {
    if (rl_is_of_bodies(&state->contacts[k])) {
      const rl_row *row = &rows->rows[rows->span_count + k];
      const double share = pushes(state, row) ? warmth_of(model, state, rows, row)->share : 0.0;
      state->multipliers[model->link_count + k] *= share;
      state->frictions[k] = rl_scale(share, state->frictions[k]);
    }
  }
  for (uint32_t i = 0; i < model->slot_count; i++) {
    state->velocities[i] = rl_add_scaled(
        state->velocities[i], rows->warmths[rl_island_of(rows, i)].share, rows->starts[i]);
  }
}
