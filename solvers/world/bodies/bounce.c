// SPDX-License-Identifier: GPL-3.0-or-later
#include "bounce.h"

#include "../islands.h"
#include "../rotation.h"

#include <string.h>

// (4e) Sweeps end when the largest change is below this share of the first one or of the slowest
// hit, or after so many.
static const double settled = 1e-12;
static const int most_sweeps = 100;

typedef struct bounce {
  const rl_model *model;
  rl_state *state;
  rl_rows *rows;
  const rl_bounce_law *law;
  double *impulses;   // [unknowns] along the rows [N s]
  double *aims;       // [unknowns] largest C that a row of a rope may keep, (4d) [m]
  rl_vec3 *frictions; // [contacts] across the normals, on the first body [N s]
  uint32_t hit;       // represents the slots that rows connect with a hit; RL_NONE: no hit
  rl_bounce done;
  double largest; // change in this sweep, of a rate [m/s] or of C [m]
} bounce;

static bool is_of_bodies(const rl_state *state, const rl_row *row) {
  return row->kind == RL_ROW_CONTACT && rl_is_of_bodies(&state->contacts[row->item]);
}

// A rate below that which gravity gives a body at rest in two steps is no hit (Mueller et al.
// 2020).
static double slowest_hit(const rl_model *model, double h) {
  return 2.0 * h * rl_length(model->gravity);
}

// (4)
void rl_bounce_begin(const rl_model *model, const rl_state *state, rl_rows *rows, double h) {
  if (model->pair_count == 0) {
    return;
  }
  const double slowest = slowest_hit(model, h);
  for (uint32_t k = rows->span_count; k < rows->row_count; k++) {
    rl_row *row = &rows->rows[k];
    if (is_of_bodies(state, row)) {
      rl_row_evaluate(model, state, rows, row, state->points);
      const double e = model->pairs[state->contacts[row->item].node].restitution;
      const double rate = rl_row_rate(rows, row, state->velocities);
      // The rate at the hit, after the fall through the rest of the gap: it decides how high the
      // body rebounds.
      const double square =
          rate * rate + 2.0 * fmax(-row->value, 0.0) * rl_row_outward_pull(model, state, rows, row);
      rows->approaches[row->item] = rate > slowest ? e * sqrt(fmax(square, 0.0)) : -1.0;
    }
  }
}

// ---------------------------------------------------------------------------------------------
// What takes part

static bool pushes(const rl_state *state, const rl_row *row) {
  return is_of_bodies(state, row) && state->multipliers[row->source] > 0.0;
}

// Whether the bodies of a row have hit each other, and the bounce decides how they part.
static bool is_hit(const bounce *b, const rl_row *row) {
  const double parting = b->rows->approaches[row->item];
  return pushes(b->state, row) &&
         (b->law->which == RL_REBOUND_BOUNCING ? parting > 0.0 : parting >= 0.0);
}

static bool is_free(const bounce *b, uint32_t slot) { return b->state->points[slot].w > 0.0; }

static void join(bounce *b, uint32_t *first, uint32_t slot) {
  if (is_free(b, slot)) {
    if (*first == RL_NONE) {
      *first = slot;
    } else {
      rl_islands_join(b->rows, slot, *first);
    }
  }
}

static void join_row(bounce *b, const rl_row *row, uint32_t *first) {
  for (uint32_t i = 0; i < row->entry_count; i++) {
    join(b, first, rl_row_slot(b->rows, row, i));
  }
}

// (4b) Finds the islands of moving slots that rows connect, with all hits in one of them.
static void find_hit(bounce *b) {
  for (uint32_t i = 0; i < b->model->slot_count; i++) {
    b->rows->islands[i] = i;
  }
  for (uint32_t n = 0; n < b->rows->block_count; n++) {
    const rl_block *block = &b->rows->blocks[n];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      uint32_t first = RL_NONE;
      join(b, &first, b->state->links[k].a);
      join(b, &first, b->state->links[k].b);
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      uint32_t first = RL_NONE;
      join_row(b, &b->rows->rows[k], &first);
    }
  }
  b->hit = RL_NONE;
  for (uint32_t k = b->rows->span_count; k < b->rows->row_count; k++) {
    if (is_hit(b, &b->rows->rows[k])) {
      join_row(b, &b->rows->rows[k], &b->hit);
    }
  }
}

static bool hangs_on_hit(const bounce *b, uint32_t slot) {
  return is_free(b, slot) && rl_island_of(b->rows, slot) == rl_island_of(b->rows, b->hit);
}

static bool row_hangs_on_hit(const bounce *b, const rl_row *row) {
  bool hangs = false;
  for (uint32_t i = 0; i < row->entry_count && b->hit != RL_NONE; i++) {
    hangs = hangs || hangs_on_hit(b, rl_row_slot(b->rows, row, i));
  }
  return hangs;
}

// Whether a row of a rope, or of a contact of one, acts: it pulled in the step, or is taut.
static bool holds(const bounce *b, uint32_t source, double value) {
  return b->state->multipliers[source] != 0.0 || rl_is_taut(b->model, value);
}

static bool row_takes_part(const bounce *b, const rl_row *row) {
  return row->compliance == 0.0 && !rl_row_is_crossing(b->rows, row) && row_hangs_on_hit(b, row) &&
         holds(b, row->source, row->value);
}

static bool link_takes_part(const bounce *b, uint32_t index) {
  const rl_link *link = &b->state->links[index];
  return link->compliance == 0.0 && b->hit != RL_NONE &&
         (hangs_on_hit(b, link->a) || hangs_on_hit(b, link->b)) &&
         holds(b, index, rl_link_evaluate(link, b->state->points).value);
}

// ---------------------------------------------------------------------------------------------
// Impulses

// (4b) Applies the impulse along a general row that gives it the rate `target`, but keeps the
// impulse of the bounce at `least` or above.
static void push_row(bounce *b, const rl_row *row, double target, double least) {
  const rl_vec3 *v = b->state->velocities;
  double *impulse = &b->impulses[row->source];
  if (!(row->inverse_mass > 0.0)) {
    return;
  }
  const double rate = rl_row_rate(b->rows, row, v), power = rl_row_power(b->rows, row, v);
  const double now = fmax(*impulse + (rate - target) / row->inverse_mass, least);
  const double push = now - *impulse;
  double prescribed = 0.0 - row->reel_power;
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *e = &b->rows->entries[i];
    prescribed += is_free(b, e->slot) ? 0.0 : rl_dot(e->force, v[e->slot]);
  }
  rl_row_push(b->rows, row, push, b->state->points, b->state->velocities);
  b->done.lost += 0.5 * push * (power + rl_row_power(b->rows, row, v));
  b->done.work += push * prescribed;
  b->largest = rl_larger(b->largest, fabs(push) * row->inverse_mass);
  *impulse = now;
}

// (4b) The same along an element between two slots, for a rate of 0.
static void push_link(bounce *b, uint32_t index, double least) {
  const rl_link *link = &b->state->links[index];
  const rl_point *points = b->state->points;
  rl_vec3 *v = b->state->velocities;
  const rl_link_value now = rl_link_evaluate(link, points);
  if (!(now.inverse_mass > 0.0)) {
    return;
  }
  const double rate = rl_dot(now.d, rl_sub(v[link->b], v[link->a]));
  const double total = fmax(b->impulses[index] + rate / now.inverse_mass, least);
  const double push = total - b->impulses[index];
  const double fixed_a = is_free(b, link->a) ? 0.0 : rl_dot(now.d, v[link->a]);
  const double fixed_b = is_free(b, link->b) ? 0.0 : rl_dot(now.d, v[link->b]);
  v[link->a] = rl_add_scaled(v[link->a], push * points[link->a].w, now.d);
  v[link->b] = rl_add_scaled(v[link->b], -push * points[link->b].w, now.d);
  b->done.lost += push * (rate - 0.5 * push * now.inverse_mass);
  b->done.work += push * (fixed_b - fixed_a);
  b->largest = rl_larger(b->largest, fabs(push) * now.inverse_mass);
  b->impulses[index] = total;
}

// (4c) Applies the friction that stops the slide, within the cone of the normal impulse.
static void rub(bounce *b, const rl_row *row) {
  rl_vec3 *v = b->state->velocities;
  const rl_vec3 slide = rl_contact_slide(b->rows, row, v);
  const double w = rl_contact_inverse_mass(b->rows, row, slide, b->state->points);
  const double pushed = b->law->rubbed ? b->law->unit * b->state->multipliers[row->source] : 0.0;
  const double normal = fmax(pushed + b->impulses[row->source], 0.0);
  const rl_vec3 change =
      rl_friction_change(&b->frictions[row->item], slide, w, row->friction * normal);
  b->done.rubbed_work += rl_friction_work(b->rows, row, change, b->state->points, v);
  rl_friction_apply(b->rows, row, change, b->state->points, v);
  b->done.rubbed -= 0.5 * rl_dot(change, rl_add(slide, rl_contact_slide(b->rows, row, v)));
  b->largest = rl_larger(b->largest, rl_length(change) * w);
}

// One sweep over all that takes part.
static void sweep(bounce *b) {
  b->largest = 0.0;
  for (uint32_t n = 0; n < b->rows->block_count; n++) {
    const rl_block *block = &b->rows->blocks[n];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      if (link_takes_part(b, k)) {
        push_link(b, k, block->lower);
      }
    }
  }
  for (uint32_t k = 0; k < b->rows->row_count; k++) {
    const rl_row *row = &b->rows->rows[k];
    if (is_of_bodies(b->state, row)) {
      if (pushes(b->state, row)) {
        const double parting = fmax(b->rows->approaches[row->item], 0.0);
        push_row(b, row, -parting, -b->law->unit * b->state->multipliers[row->source]);
        if (row->friction > 0.0 && (b->law->rubbed || row_hangs_on_hit(b, row))) {
          rub(b, row);
        }
      }
    } else if (row_takes_part(b, row)) {
      push_row(b, row, 0.0, row->lower);
    }
  }
}

// ---------------------------------------------------------------------------------------------
// What ropes have grown by in the hit

// (4d) Returns the largest C that a row of a rope may keep: its value before the substep, or 0.
static double aim_of(const bounce *b, double value, double rate) {
  return fmax(value - b->law->h * fmax(rate, 0.0), 0.0);
}

// Moves the slots of a row along its gradient until C is at most `aim`, to the first order.
static void move_row(bounce *b, rl_row *row, double aim) {
  rl_row_evaluate(b->model, b->state, b->rows, row, b->state->points);
  const double over = row->value - aim;
  const double w = rl_row_gradient_inverse_mass(b->rows, row, b->state->points);
  if (over > 0.0 && w > 0.0) {
    rl_row_move(b->rows, row, over / w, b->state->points);
    b->largest = rl_larger(b->largest, over);
  }
}

static void move_link(bounce *b, uint32_t index) {
  const rl_link *link = &b->state->links[index];
  const rl_link_value now = rl_link_evaluate(link, b->state->points);
  const double over = now.value - b->aims[index];
  if (over > 0.0 && now.inverse_mass > 0.0) {
    rl_link_move(link, now, over / now.inverse_mass, b->state->points);
    b->largest = rl_larger(b->largest, over);
  }
}

// (4d) One sweep over the positions of all that takes part: of ropes, and if one of them has been
// moved, of contacts of bodies, whose rows are the last.
static void sweep_positions(bounce *b) {
  b->largest = 0.0;
  for (uint32_t n = 0; n < b->rows->block_count; n++) {
    const rl_block *block = &b->rows->blocks[n];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      if (link_takes_part(b, k)) {
        move_link(b, k);
      }
    }
  }
  for (uint32_t k = 0; k < b->rows->row_count; k++) {
    rl_row *row = &b->rows->rows[k];
    if (!is_of_bodies(b->state, row)) {
      if (row_takes_part(b, row)) {
        move_row(b, row, b->aims[row->source]);
      }
    } else if (pushes(b->state, row) && b->largest > 0.0) {
      move_row(b, row, 0.0);
    }
  }
}

// ---------------------------------------------------------------------------------------------
// The bounce of a step

// Evaluates the rows that take part at the present positions, and sets their impulses to 0.
static void prepare(bounce *b) {
  const rl_vec3 none = {0.0, 0.0, 0.0};
  const size_t unknowns = rl_unknown_count(b->model, b->state);
  memset(b->impulses, 0, unknowns * sizeof *b->impulses);
  for (uint32_t i = 0; i < b->state->contact_count; i++) {
    b->frictions[i] = b->law->rubbed ? rl_scale(b->law->unit, b->law->rubbed[i]) : none;
  }
  for (uint32_t i = 0; i < b->model->link_count; i++) {
    const rl_link *link = &b->state->links[i];
    const rl_link_value now = rl_link_evaluate(link, b->state->points);
    const rl_vec3 *v = b->state->velocities;
    b->aims[i] = aim_of(b, now.value, rl_dot(now.d, rl_sub(v[link->b], v[link->a])));
  }
  for (uint32_t k = 0; k < b->rows->row_count; k++) {
    rl_row *row = &b->rows->rows[k];
    if (is_of_bodies(b->state, row) || row_hangs_on_hit(b, row)) {
      rl_row_evaluate(b->model, b->state, b->rows, row, b->state->points);
      b->aims[row->source] = aim_of(b, row->value, rl_row_rate(b->rows, row, b->state->velocities));
    }
  }
}

// (4e) Sweeps until nothing changes any more, of what is counted in `unit`; returns whether
// anything has.
static bool settle(bounce *b, void (*once)(bounce *), double unit) {
  once(b);
  const double first = b->largest, enough = settled * rl_larger(first, unit);
  for (int i = 1; i < most_sweeps && b->largest > enough; i++) {
    once(b);
  }
  return first > 0.0;
}

rl_bounce rl_bounce_end(const rl_bounce_law *law, const rl_model *model, rl_state *state,
                        rl_rows *rows) {
  bounce b = {.model = model,
              .state = state,
              .rows = rows,
              .law = law,
              .impulses = rows->bounces,
              .aims = rows->bounces + rl_unknown_capacity(model),
              .frictions = rows->old.frictions, // scratch between two detections
              .hit = RL_NONE};
  bool acts = false, hits = false;
  for (uint32_t k = rows->span_count; k < rows->row_count && model->pair_count > 0; k++) {
    const rl_row *row = &rows->rows[k];
    acts = acts || (law->which == RL_REBOUND_PUSHED && pushes(state, row));
    hits = hits || is_hit(&b, row);
  }
  b.done.is_hit = hits;
  if (!acts && !hits) {
    return b.done;
  }
  if (hits) {
    find_hit(&b);
  }
  prepare(&b);
  const double slowest = slowest_hit(model, law->h);
  settle(&b, sweep, slowest);
  if (hits && law->draws_in && settle(&b, sweep_positions, law->h * slowest)) {
    rl_rotation_settle(model, state, RL_TURN_MOMENTUM);
    rl_state_place_holds(model, state);
  }
  for (uint32_t i = 0; i < rl_unknown_count(model, state); i++) {
    const double now = state->multipliers[i] + b.impulses[i] / law->unit;
    state->multipliers[i] = i < model->link_count ? now : fmax(now, 0.0); // but for rounding
  }
  return b.done;
}
