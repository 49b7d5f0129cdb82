// SPDX-License-Identifier: GPL-3.0-or-later
#include "ties.h"

#include "world/rotation.h"

// What moves with an end of a rope: itself, the body that holds it, and the spin of that.
static void add_end(rl_tie *tie, const rl_model *model, const rl_state *state, uint32_t slot,
                    rl_vec3 gradient) {
  const rl_hold *hold = rl_moving_hold(model, slot);
  const rl_body *body = hold ? &model->bodies[hold->body] : NULL;
  tie->entries[tie->entry_count++] =
      (rl_tie_entry){hold ? rl_body_slot(model, hold->body) : slot, gradient};
  if (body && body->spin_slot != RL_NONE) {
    const rl_quat rotation = state->rotations[hold->body];
    const rl_vec3 arm = rl_rotate(rotation, hold->offset);
    tie->entries[tie->entry_count++] =
        (rl_tie_entry){body->spin_slot, rl_spin_lever(body, rotation, arm, gradient)};
  }
}

// J M^-1 J^T, where both ends may be on one body.
static double find_inverse_mass(const rl_tie *tie, const rl_state *state) {
  double sum = 0.0;
  for (uint32_t i = 0; i < tie->entry_count; i++) {
    for (uint32_t k = 0; k < tie->entry_count; k++) {
      const rl_tie_entry *a = &tie->entries[i], *b = &tie->entries[k];
      sum += a->slot == b->slot ? state->points[a->slot].w * rl_dot(a->gradient, b->gradient) : 0.0;
    }
  }
  return sum;
}

static rl_tie find_plain(const rl_model *model, const rl_state *state, uint32_t rope) {
  const uint32_t *ends = model->ropes[rope].ends;
  const rl_link span = {ends[0], ends[1], model->ropes[rope].length, 0.0};
  const rl_link_value v = rl_link_evaluate(&span, state->points);
  rl_tie tie = {.value = v.value};
  add_end(&tie, model, state, ends[0], rl_scale(-1.0, v.d));
  add_end(&tie, model, state, ends[1], v.d);
  tie.inverse_mass = find_inverse_mass(&tie, state);
  return tie;
}

static rl_tie find_row(const rl_model *model, const rl_state *state, rl_rows *rows, rl_row *row) {
  rl_row_evaluate(model, state, rows, row, state->points);
  return (rl_tie){.row = row, .value = row->value, .inverse_mass = row->inverse_mass};
}

uint32_t rl_ties_find(const rl_model *model, const rl_state *state, rl_rows *rows, rl_tie *ties) {
  uint32_t count = model->rope_count;
  for (uint32_t r = 0; r < model->rope_count; r++) {
    ties[r] = find_plain(model, state, r);
  }
  for (uint32_t n = 0; n < rows->block_count; n++) {
    const rl_block *block = &rows->blocks[n];
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      rl_row *row = &rows->rows[k];
      const bool is_rope = block->rope != RL_NONE && model->ropes[block->rope].massless;
      const bool is_first = is_rope && row->source < model->link_count; // others: behind a grip
      if (is_first) {
        ties[block->rope] = find_row(model, state, rows, row);
      } else if (is_rope ||
                 (block->rope == RL_NONE && state->contacts[row->item].rope == RL_NONE)) {
        ties[count++] = find_row(model, state, rows, row);
      }
    }
  }
  return count;
}

double rl_tie_rate(const rl_tie *tie, const rl_state *state, const rl_rows *rows) {
  if (tie->row) {
    return rl_row_rate(rows, tie->row, state->velocities);
  }
  double rate = 0.0;
  for (uint32_t i = 0; i < tie->entry_count; i++) {
    rate += rl_dot(tie->entries[i].gradient, state->velocities[tie->entries[i].slot]);
  }
  return rate;
}

static void push(const rl_tie *tie, double impulse, rl_state *state, const rl_rows *rows) {
  if (tie->row) {
    rl_row_push(rows, tie->row, impulse, state->points, state->velocities);
  }
  for (uint32_t i = 0; i < tie->entry_count; i++) {
    const rl_tie_entry *e = &tie->entries[i];
    rl_vec3 *v = &state->velocities[e->slot];
    *v = rl_add_scaled(*v, -impulse * state->points[e->slot].w, e->gradient);
  }
}

// The impulse that makes the rate what is asked for, accumulated and never pushing. Returns by how
// much it has changed the rate [m/s].
static double pull(rl_tie *tie, rl_state *state, const rl_rows *rows) {
  const double rate = rl_tie_rate(tie, state, rows);
  const double total = fmax(tie->impulse + tie->mass * (rate + tie->bias), 0.0);
  const double change = total - tie->impulse;
  tie->impulse = total;
  push(tie, change, state, rows);
  return fabs(change) / tie->mass;
}

bool rl_ties_pull(rl_tie *ties, uint32_t count, int iterations, double tolerance, rl_state *state,
                  const rl_rows *rows, rl_step_info *info) {
  double largest = INFINITY;
  for (int i = 0; i < iterations && largest > tolerance; i++) {
    largest = 0.0;
    for (uint32_t k = 0; k < count; k++) {
      if (ties[k].mass > 0.0) {
        largest = fmax(largest, pull(&ties[k], state, rows));
      }
    }
    info->row_evaluations += count;
  }
  return largest <= tolerance;
}

void rl_ties_report(const rl_tie *ties, uint32_t count, const rl_model *model, rl_state *state,
                    double h) {
  for (size_t i = 0; i < rl_unknown_count(model, state); i++) {
    state->multipliers[i] = i < model->link_count ? ties[model->link_rope[i]].impulse / h : 0.0;
  }
  for (uint32_t k = model->rope_count; k < count; k++) {
    state->multipliers[ties[k].row->source] = ties[k].impulse / h;
  }
}
