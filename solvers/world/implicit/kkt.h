// SPDX-License-Identifier: GPL-3.0-or-later
// The saddle-point matrix of an implicit step, positions and multipliers together:
//
//     [ H   J^T ]     H  [3 x slots that move] positive definite: inertia and geometric stiffness
//     [ J   -D  ]     D  [multipliers] diagonal, >= 0
//
// It is quasi-definite, so that L D L^T exists in any order, without pivoting. Unknowns stand in
// the order of the ropes, each multiplier behind the positions that it couples: a band of constant
// width. What a rope does not have for itself - a body that carries several ropes, that touches or
// is touched - stands behind them all, with a long row: the border. J^T J is never formed: its
// condition is the square of this one's.
//
// Where rows are of another place than their forces (the midpoint rule), or a rope slips and pulls
// more on one side than on the other, J above and below the diagonal are not the same: the matrix
// has a mirror image of its own, L D U.
#ifndef RL_KKT_H
#define RL_KKT_H

#include "../direct/direct.h"

typedef struct rl_kkt {
  uint64_t structure;   // of the rows it was built for; 0: none
  uint32_t count;       // scalar unknowns
  uint32_t *slot_place; // [slots] place of the first of its three; RL_NONE: it does not move
  uint32_t *row_place;  // [unknowns] of a multiplier, in the numbering of rl_direct
  uint32_t *slot_first; // [slots] the first place that it is coupled with
  uint32_t *row_first;  // [unknowns] and of a multiplier
  uint8_t *shared;      // [bodies] it stands in the border
  uint32_t *first;      // [count] first column of a row
  size_t *start;        // [count + 1] where the row lies in `lower`
  double *lower;        // [profile] rows left of the diagonal
  double *upper;        // [profile] columns above it: `lower` itself where it is symmetric
  double *mirror;       // [profile] where it is not; NULL: it always is
  double *diagonal;     // [count] of the matrix, then one over that of D
} rl_kkt;

void rl_kkt_lay_out(rl_kkt *kkt, const rl_model *model, rl_carver *carver);

// The most scalar unknowns.
size_t rl_kkt_capacity(const rl_model *model);

// Finds order and profile for the rows of this step, after rl_detect; does nothing if they are
// those of the last call. A contact with friction has two more multipliers, as in rl_direct.
void rl_kkt_build(rl_kkt *kkt, const rl_model *model, const rl_state *state, const rl_rows *rows);

// Sets all entries to 0.
void rl_kkt_clear(rl_kkt *kkt, bool symmetric);

// Adds to the entry of two places and to its mirror image.
static inline void rl_kkt_add(rl_kkt *k, uint32_t i, uint32_t j, double value) {
  if (i == j) {
    k->diagonal[i] += value;
    return;
  }
  const uint32_t row = i > j ? i : j, column = i > j ? j : i;
  const size_t place = k->start[row] + column - k->first[row];
  k->lower[place] += value;
  if (k->upper != k->lower) {
    k->upper[place] += value;
  }
}

// Adds a gradient of a multiplier with respect to a slot that moves.
static inline void rl_kkt_add_gradient(rl_kkt *k, uint32_t row, uint32_t slot, rl_vec3 gradient) {
  rl_kkt_add(k, row, slot, gradient.x);
  rl_kkt_add(k, row, slot + 1, gradient.y);
  rl_kkt_add(k, row, slot + 2, gradient.z);
}

// Adds to a multiplier's own row alone, or to what its force does alone; nothing where the matrix
// is symmetric.
void rl_kkt_add_to_row(rl_kkt *kkt, uint32_t row, uint32_t slot, rl_vec3 gradient);
void rl_kkt_add_to_force(rl_kkt *kkt, uint32_t row, uint32_t slot, rl_vec3 force);

// Adds a I + b u u^T to the block of two slots.
void rl_kkt_add_block(rl_kkt *kkt, uint32_t row, uint32_t column, double a, double b, rl_vec3 u);

// Factors in place; false where a pivot vanishes or is no number.
bool rl_kkt_factor(rl_kkt *kkt);

// x = A^-1 x [count].
void rl_kkt_solve(const rl_kkt *kkt, double *x);

#endif
