// SPDX-License-Identifier: GPL-3.0-or-later
#include "ties.h"

static rl_tie find_plain(const rl_model *model, const rl_state *state, uint32_t rope) {
  const uint32_t *ends = model->ropes[rope].ends;
  const rl_link span = {ends[0], ends[1], model->ropes[rope].length, 0.0};
  const rl_link_value v = rl_link_evaluate(&span, state->points);
  rl_tie tie = {.d = v.d, .value = v.value};
  for (size_t k = 0; k < 2; k++) { // an end beside a body's centre goes with the body
    const rl_hold *hold = rl_moving_hold(model, ends[k]);
    tie.ends[k] = hold ? rl_body_slot(model, hold->body) : ends[k];
    tie.inverse_mass += state->points[tie.ends[k]].w;
  }
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
      if (block->rope == RL_NONE && state->contacts[row->item].rope == RL_NONE) {
        ties[count++] = find_row(model, state, rows, row);
      } else if (block->rope != RL_NONE && model->ropes[block->rope].massless) {
        ties[block->rope] = find_row(model, state, rows, row);
      }
    }
  }
  return count;
}

double rl_tie_rate(const rl_tie *tie, const rl_state *state, const rl_rows *rows) {
  const rl_vec3 *v = state->velocities;
  return tie->row ? rl_row_rate(rows, tie->row, v)
                  : rl_dot(tie->d, rl_sub(v[tie->ends[1]], v[tie->ends[0]]));
}

// The impulse that makes the rate what is asked for, accumulated and never pushing. Returns by how
// much it has changed the rate [m/s].
static double pull(rl_tie *tie, rl_state *state, const rl_rows *rows) {
  const double rate = rl_tie_rate(tie, state, rows);
  const double total = fmax(tie->impulse + tie->mass * (rate + tie->bias), 0.0);
  const double change = total - tie->impulse;
  tie->impulse = total;
  if (tie->row) {
    rl_row_push(rows, tie->row, change, state->points, state->velocities);
  } else {
    rl_vec3 *a = &state->velocities[tie->ends[0]];
    rl_vec3 *b = &state->velocities[tie->ends[1]];
    *a = rl_add_scaled(*a, change * state->points[tie->ends[0]].w, tie->d);
    *b = rl_add_scaled(*b, -change * state->points[tie->ends[1]].w, tie->d);
  }
  return fabs(change) / tie->mass;
}

void rl_ties_pull(rl_tie *ties, uint32_t count, int iterations, double tolerance, rl_state *state,
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
