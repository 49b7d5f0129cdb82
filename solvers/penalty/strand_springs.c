// SPDX-License-Identifier: GPL-3.0-or-later
#include "strand_springs.h"

#include "world/paths/strands.h"
#include "world/paths/wrap_internal.h"

// (4c) Most sweeps over the wraps of a rope.
static const uint32_t give_sweeps = 20;

void rl_strand_springs_lay_out(rl_strand_springs *self, const rl_model *model, rl_carver *c) {
  self->softenings = rl_carve(c, model->rope_count, sizeof *self->softenings);
  self->hardenings = rl_carve(c, model->rope_count, sizeof *self->hardenings);
  self->given = rl_carve(c, rl_unknown_capacity(model), sizeof *self->given);
}

rl_spring rl_strand_spring(const rl_strand_springs *self, const rl_stand_in *law,
                           const rl_model *model, const rl_row *row) {
  rl_spring s = rl_row_spring(law, model, row);
  if (row->piece_count > 0 && !s.physical) {
    const uint32_t rope = model->link_rope[row->item];
    const double soft = 1.0 + self->softenings[rope] + self->left * self->hardenings[rope];
    s.stiffness /= soft * soft;
  }
  return s;
}

// Returns what the springs of a rope over bodies would store with (4) [J].
static double rope_energy(const rl_stand_in *law, const rl_model *model, const rl_state *state,
                          rl_rows *rows, uint32_t rope) {
  double energy = 0.0;
  rl_rows_stand(rows);
  for (uint32_t k = 0; k < rows->row_count; k++) {
    rl_row *row = &rows->rows[k];
    if (row->piece_count > 0 && model->link_rope[row->item] == rope) {
      rl_row_evaluate(model, state, rows, row, state->points);
      energy += rl_row_spring_energy(law, model, row);
    }
  }
  rl_rows_move(rows);
  return energy;
}

void rl_strand_springs_soften(rl_strand_springs *self, const rl_stand_in *law,
                              const rl_model *model, const rl_state *state, rl_rows *rows,
                              int substeps) {
  const double most = law->stiffness > 0.0 ? INFINITY : 0.5 * sqrt(law->hardness);
  for (uint32_t r = 0; r < model->rope_count && model->wrap_capacity > 0; r++) {
    const double was = state->stand_ins[r], now = rope_energy(law, model, state, rows, r);
    const double more = was > 0.0 && now > was ? sqrt(now / was) - 1.0 : 0.0;
    self->hardenings[r] = fmin(more / substeps, most);
    self->softenings[r] = fmax(more - substeps * self->hardenings[r], 0.0);
  }
}

void rl_strand_springs_keep(const rl_strand_springs *self, const rl_stand_in *law,
                            const rl_model *model, rl_state *state, rl_rows *rows) {
  for (uint32_t r = 0; r < model->rope_count && model->wrap_capacity > 0; r++) {
    const double s = 1.0 + self->softenings[r];
    state->stand_ins[r] = rope_energy(law, model, state, rows, r) / (s * s);
  }
}

// (4c) The rest length that the strand `on` takes from `from` until friction holds its pull [m].
static double given_way(rl_spring from, const rl_row *from_row, rl_spring on, const rl_row *on_row,
                        double ratio) {
  const double beyond = on.stiffness * on_row->value - ratio * from.stiffness * from_row->value;
  const double moved = beyond / (on.stiffness + ratio * from.stiffness);
  return fmax(fmin(moved, on_row->value), 0.0); // both slack: what is too long
}

// (4c) Moves rest length over the wrap between two strands, if it sticks. Returns how much [m].
static double give_way(rl_strand_springs *self, const rl_stand_in *law, const rl_model *model,
                       rl_state *state, rl_rows *rows, rl_row *back, rl_row *on) {
  const uint32_t rope = model->link_rope[back->item], i = on->first_piece - 1;
  rl_wrap *wraps = rl_wraps_of(model, state, rope);
  const double ratio = rl_wrap_holding_ratio(model, state, rope, i);
  if (wraps[i].grip != RL_STICKS || !isfinite(ratio)) {
    return 0.0;
  }
  rl_row_evaluate(model, state, rows, back, state->points);
  rl_row_evaluate(model, state, rows, on, state->points);
  rl_spring before = rl_strand_spring(self, law, model, back);
  const rl_spring behind = rl_strand_spring(self, law, model, on);
  for (uint32_t p = back->first_piece; p < i; p++) { // the pull of its last piece
    before.stiffness *= rl_wrap_tension_ratio_behind(model, state, rope, p);
  }
  if (before.stiffness == 0.0 || behind.stiffness == 0.0) { // no motion changes its length
    return 0.0;
  }
  const double moved =
      given_way(before, back, behind, on, ratio) - given_way(behind, on, before, back, ratio);
  wraps[i].rest += moved;
  if (i > 0) { // the rest length of piece 0 is what remains of the sum
    wraps[i - 1].rest -= moved;
  }
  self->given[back->source] -= moved;
  self->given[on->source] += moved;
  return fabs(moved);
}

void rl_strand_springs_give_way(rl_strand_springs *self, const rl_stand_in *law,
                                const rl_model *model, rl_state *state, rl_rows *rows) {
  for (size_t i = 0; i < rl_unknown_count(model, state); i++) {
    self->given[i] = 0.0;
  }
  rl_rows_stand(rows); // only rest lengths move
  for (uint32_t n = 0; n < rows->contact_block; n++) {
    const rl_block *own = &rows->blocks[n];
    const rl_rope *rope = &model->ropes[own->rope];
    const bool gives = rope->wrap_capacity > 0 && rope->rubs && isinf(rope->stiffness) &&
                       !rl_wraps_is_loop(model, own->rope);
    const uint32_t count = gives ? rl_strand_count(rows, own) : 0;
    double moved = INFINITY;
    for (uint32_t sweep = 0; sweep < give_sweeps && moved > 0.0; sweep++) {
      moved = 0.0;
      for (uint32_t k = 1; k < count; k++) {
        moved += give_way(self, law, model, state, rows, rl_strand_row(rows, own, k - 1),
                          rl_strand_row(rows, own, k));
      }
    }
  }
  rl_rows_move(rows);
}

double rl_strand_springs_energy(const rl_stand_in *law, const rl_model *model,
                                const rl_state *state, rl_rows *rows) {
  double energy = rl_springs_energy(law, model, state, rows);
  for (uint32_t r = 0; r < model->rope_count && model->wrap_capacity > 0 && energy > 0.0; r++) {
    const double was = state->stand_ins[r];
    energy -= was > 0.0 ? fmax(rope_energy(law, model, state, rows, r) - was, 0.0) : 0.0;
  }
  return energy;
}
