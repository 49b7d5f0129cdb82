// SPDX-License-Identifier: GPL-3.0-or-later
#include "sequential.h"

#include "world/paths/strands.h"
#include "world/ropes/slips.h"

#include <string.h>

void rl_sequential_lay_out(rl_sequential *s, const rl_model *model, rl_carver *c) {
  const size_t unknowns = rl_unknown_capacity(model);
  s->rows = rl_carve(c, unknowns, sizeof *s->rows);
  s->values = rl_carve(c, unknowns, sizeof *s->values);
  s->inverse_masses = rl_carve(c, unknowns, sizeof *s->inverse_masses);
  s->frictions = rl_carve(c, model->contact_capacity, sizeof *s->frictions);
  s->held = rl_carve(c, model->split_capacity > 0 ? unknowns : 0, sizeof *s->held);
  s->slid = rl_carve(c, model->contact_capacity, sizeof *s->slid);
  s->before = rl_carve(c, model->slot_count, sizeof *s->before);
  s->bends = rl_carve(c, model->flexure_count, sizeof *s->bends);
}

void rl_sequential_evaluate(rl_sequential *s, const rl_model *model, const rl_state *state,
                            rl_rows *rows) {
  // With drag nodes weigh more in the step than at its start.
  const bool known = rows->is_evaluated && !model->has_drag;
  rl_rows_stand(rows);
  for (uint32_t n = 0; n < rows->block_count; n++) {
    const rl_block *block = &rows->blocks[n];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      const rl_link_value v = rl_link_evaluate(&state->links[k], state->points);
      s->rows[k].d = v.d;
      s->values[k] = v.value;
      s->inverse_masses[k] = v.inverse_mass;
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      rl_row *row = &rows->rows[k];
      if (rl_row_is_crossing(rows, row)) { // the sweeps need no entries
        const rl_crossing *c = &rows->crossings[row->item];
        row->value = rl_crossing_value(c, rl_crossing_way(c, state->points));
      } else if (!known) {
        rl_row_evaluate(model, state, rows, row, state->points);
      }
      s->values[row->source] = row->value;
      s->inverse_masses[row->source] = row->inverse_mass;
    }
  }
  rl_rows_move(rows);
  rows->is_evaluated = false;
}

void rl_sequential_prepare(rl_sequential *s, const rl_model *model, const rl_state *state,
                           const rl_rows *rows, rl_sequential_law *law, const void *solver,
                           double h) {
  s->h = h;
  for (uint32_t n = 0; n < rows->block_count; n++) {
    const rl_block *block = &rows->blocks[n];
    const rl_rope *rope = block->rope == RL_NONE ? NULL : &model->ropes[block->rope];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      const rl_link *link = &state->links[k];
      const rl_sequential_view view = {s->values[k],     s->inverse_masses[k], block->lower,
                                       link->compliance, link->rest,           rope};
      law(solver, &view, h, &s->rows[k]);
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      const rl_row *row = &rows->rows[k];
      const uint32_t m = row->source;
      const rl_sequential_view view = {
          s->values[m], s->inverse_masses[m], row->lower, row->compliance, row->rest, rope};
      law(solver, &view, h, &s->rows[m]);
    }
  }
}

static inline void push_link(const rl_link *link, rl_vec3 d, double impulse, const rl_point *points,
                             rl_vec3 *v) {
  v[link->a] = rl_add_scaled(v[link->a], points[link->a].w * impulse, d);
  v[link->b] = rl_add_scaled(v[link->b], -points[link->b].w * impulse, d);
}

// That of a contact across its normal; between two elements only where they press on each other
// from the start.
static void start_friction(const rl_sequential *s, rl_state *state, const rl_rows *rows,
                           const rl_row *row) {
  rl_vec3 *total = &s->frictions[row->item];
  *total = rl_add_scaled(*total, -rl_dot(*total, row->normal), row->normal);
  if (rl_row_is_crossing(rows, row)) {
    *total = state->multipliers[row->source] > 0.0 ? *total : rl_vec(0.0, 0.0, 0.0);
    rl_crossing_push(&rows->crossings[row->item], *total, state->points, state->velocities);
  } else {
    rl_friction_apply(rows, row, *total, state->points, state->velocities);
  }
}

// Applies the impulse that a row begins with, and that of its friction.
static void start_row(const rl_sequential *s, rl_state *state, const rl_rows *rows,
                      const rl_row *row) {
  const double total = state->multipliers[row->source];
  if (rl_row_is_crossing(rows, row)) {
    const rl_crossing *c = &rows->crossings[row->item];
    rl_crossing_push(c, rl_scale(total, c->normal), state->points, state->velocities);
  } else {
    rl_row_push(rows, row, total, state->points, state->velocities);
  }
  if (row->friction > 0.0) {
    start_friction(s, state, rows, row);
  }
}

void rl_sequential_start(rl_sequential *s, rl_state *state, const rl_rows *rows, double scale,
                         double begun, double remembered) {
  for (size_t i = 0; i < rl_unknown_count(state->model, state) && state->model->split_capacity > 0;
       i++) {
    s->held[i] = remembered * state->multipliers[i];
  }
  for (uint32_t n = 0; n < rows->block_count; n++) {
    const rl_block *block = &rows->blocks[n];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      state->multipliers[k] *= scale;
      push_link(&state->links[k], s->rows[k].d, state->multipliers[k], state->points,
                state->velocities);
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      const rl_row *row = &rows->rows[k];
      const bool has_begun = begun > 0.0 && row->kind == RL_ROW_CONTACT &&
                             rl_is_of_bodies(&state->contacts[row->item]);
      const double unit = has_begun ? begun : scale;
      state->multipliers[row->source] *= unit;
      if (row->kind == RL_ROW_CONTACT) {
        s->frictions[row->item] = rl_scale(unit, state->frictions[row->item]);
      }
      if (!has_begun) {
        start_row(s, state, rows, row);
      }
    }
  }
}

// (5), (6) of papers/impulse.md: adds the impulse with which the row holds, clamped so that the sum
// since the start of the step never pushes. Returns the change.
static inline double solve_row(double rate, const rl_sequential_row *row, double lower,
                               double *total) {
  const double old = *total;
  const double now = row->keep * old + row->mass * (rate + row->bias);
  *total = now < lower ? lower : now;
  return *total - old;
}

// Whether that has changed anything.
static inline bool solve_link(const rl_link *link, const rl_sequential_row *row, double lower,
                              const rl_point *points, rl_vec3 *v, double *total) {
  const double rate = rl_dot(row->d, rl_sub(v[link->b], v[link->a]));
  const double change = solve_row(rate, row, lower, total);
  push_link(link, row->d, change, points, v);
  return change != 0.0;
}

// (12) of papers/impulse.md: applies the tangential impulse that stops the slide, within the cone
// of the normal impulse.
static bool solve_friction(const rl_sequential *s, rl_state *state, const rl_rows *rows,
                           const rl_row *row) {
  const rl_vec3 slide = rl_add_scaled(rl_contact_slide(rows, row, state->velocities), s->slip_rate,
                                      rl_slip(state, row));
  const rl_vec3 change = rl_slip_change(
      &s->frictions[row->item], slide, rl_contact_inverse_mass(rows, row, slide, state->points),
      row->friction * state->multipliers[row->source], &s->slid[row->item]);
  rl_friction_apply(rows, row, change, state->points, state->velocities);
  return !rl_is_zero(change);
}

static bool solve_general(const rl_sequential *s, rl_state *state, const rl_rows *rows,
                          const rl_row *row) {
  const double rate = rl_row_rate(rows, row, state->velocities);
  const double change =
      solve_row(rate, &s->rows[row->source], row->lower, &state->multipliers[row->source]);
  rl_row_push(rows, row, change, state->points, state->velocities);
  const bool slides = row->friction > 0.0 && solve_friction(s, state, rows, row);
  return change != 0.0 || slides;
}

// Solves normal and friction of a contact of two elements by one push: the normal impulse does not
// change the slide.
static inline bool solve_crossing(const rl_sequential *s, rl_state *state, const rl_crossing *c,
                                  const rl_sequential_row *row, uint32_t contact, double *total) {
  const rl_vec3 velocity = rl_crossing_velocity(c, state->velocities);
  const double old = *total;
  const double change = solve_row(-rl_dot(c->normal, velocity), row, 0.0, total);
  if (old == 0.0 && *total == 0.0) { // apart
    return false;
  }
  rl_vec3 push = rl_scale(change, c->normal);
  if (c->friction > 0.0) {
    const rl_vec3 slide = rl_crossing_slide(c, velocity);
    push = rl_add(push, rl_friction_change(&s->frictions[contact], slide, c->inverse_mass,
                                           c->friction * *total));
  }
  rl_crossing_push(c, push, state->points, state->velocities);
  return !rl_is_zero(push);
}

// (3a) of papers/strands.md: strands together.
static bool solve_strands(const rl_sequential *s, rl_state *state, const rl_rows *rows,
                          rl_strands *strands) {
  for (uint32_t i = 0; i < strands->count; i++) {
    const rl_row *row = strands->rows[i];
    const rl_sequential_row *law = &s->rows[row->source];
    const double old = state->multipliers[row->source];
    const double rate = rl_row_rate(rows, row, state->velocities);
    strands->alone[i] = law->mass * (rate + law->bias) - (1.0 - law->keep) * old;
    strands->softness[i] = law->mass > 0.0 ? (1.0 - law->keep) / law->mass : INFINITY;
    strands->multipliers[i] = old;
    strands->held[i] = s->held[row->source];
    strands->rounding[i] = rl_strand_rounding(state, row) / s->h;
  }
  rl_strands_solve(strands, rows, state->points);
  bool changed = false;
  for (uint32_t i = 0; i < strands->count; i++) {
    const rl_row *row = strands->rows[i];
    double *total = &state->multipliers[row->source];
    const double old = *total;
    *total += strands->changes[i];
    s->held[row->source] = *total;
    rl_row_push(rows, row, *total - old, state->points, state->velocities);
    changed = changed || *total != old;
  }
  return changed;
}

// Sweeps over the general rows of a block, forward or backward.
static bool sweep_rows(const rl_sequential *s, rl_state *state, rl_rows *rows,
                       const rl_block *block, bool backward) {
  const bool contacts = block == &rows->blocks[rows->contact_block];
  bool changed = false;
  if (block->strand_count > 0 && !s->in_turn) {
    rl_strands strands;
    for (uint32_t at = 0; rl_strands_next(&strands, rows, block, backward, &at);) {
      changed |= solve_strands(s, state, rows, &strands);
    }
    return changed;
  }
  if (block->row_count > 0 && rows->rows[block->first_row].is_with_others && !s->in_turn) {
    return false;
  }
  for (uint32_t k = 0; k < block->row_count; k++) {
    const uint32_t at = backward ? block->row_count - 1 - k : k;
    if (contacts && rl_is_crossing(rows, at)) {
      const uint32_t source = state->model->link_count + at;
      changed |= solve_crossing(s, state, &rows->crossings[at], &s->rows[source], at,
                                &state->multipliers[source]);
    } else {
      changed |= solve_general(s, state, rows, &rows->rows[block->first_row + at]);
    }
  }
  return changed;
}

bool rl_sequential_sweep(const rl_sequential *s, rl_state *state, rl_rows *rows, bool backward) {
  bool changed = false;
  for (uint32_t n = 0; n < rows->block_count; n++) {
    const rl_block *block = &rows->blocks[backward ? rows->block_count - 1 - n : n];
    const rl_link *links = &state->links[block->first_link];
    const rl_sequential_row *cache = &s->rows[block->first_link];
    double *totals = &state->multipliers[block->first_link];
    if (backward) {
      changed |= sweep_rows(s, state, rows, block, true);
    }
    for (uint32_t k = 0; k < block->link_count; k++) {
      const uint32_t at = backward ? block->link_count - 1 - k : k;
      changed |= solve_link(&links[at], &cache[at], block->lower, state->points, state->velocities,
                            &totals[at]);
    }
    if (!backward) {
      changed |= sweep_rows(s, state, rows, block, false);
    }
  }
  return changed;
}

// ---------------------------------------------------------------------------------------------
// Bending. papers/bending.md (12), (13)

static void push_bend(const rl_sequential_bend *bend, double impulse, rl_state *state) {
  for (uint32_t i = 0; i < bend->entry_count; i++) {
    const uint32_t slot = bend->slots[i];
    state->velocities[slot] =
        rl_add_scaled(state->velocities[slot], impulse * state->points[slot].w, bend->gradients[i]);
  }
}

static void start_bends(rl_sequential *s, const rl_model *model, rl_state *state, double h) {
  s->bend_count = 0;
  if (model->flexure_count == 0) {
    return;
  }
  for (rl_flexure f = {0}; rl_flexure_next(model, state, state->points, &f);) {
    if (!(f.value > 0.0)) {
      continue;
    }
    rl_sequential_bend *bend = &s->bends[s->bend_count++];
    *bend = (rl_sequential_bend){
        .entry_count = f.entry_count, .bias = f.value / h, .softness = f.compliance / (h * h)};
    for (uint32_t i = 0; i < f.entry_count; i++) {
      bend->slots[i] = f.entries[i].slot;
      bend->gradients[i] = rl_scale(1.0 / f.value, f.entries[i].slope);
    }
    const double inverse_mass = rl_flexure_inverse_mass(&f, state->points);
    bend->mass = 1.0 / (inverse_mass + bend->softness);
    bend->total = rl_flexure_start_impulse(&f, inverse_mass, h);
    push_bend(bend, bend->total, state);
  }
}

void rl_sequential_kick(rl_sequential *s, const rl_model *model, rl_state *state, double h) {
  memcpy(s->before, state->velocities, model->slot_count * sizeof *s->before);
  start_bends(s, model, state, h);
  rl_state_kick(model, state, h);
}

bool rl_sequential_sweep_bends(const rl_sequential *s, rl_state *state) {
  bool changed = false;
  for (uint32_t k = 0; k < s->bend_count; k++) {
    rl_sequential_bend *bend = &s->bends[k];
    double rate = bend->bias + bend->softness * bend->total;
    for (uint32_t i = 0; i < bend->entry_count; i++) {
      rate += rl_dot(bend->gradients[i], state->velocities[bend->slots[i]]);
    }
    bend->total -= bend->mass * rate;
    push_bend(bend, -bend->mass * rate, state);
    changed |= rate != 0.0;
  }
  return changed;
}
