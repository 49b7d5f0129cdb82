// SPDX-License-Identifier: GPL-3.0-or-later
// The saddle-point matrix of an implicit step, positions and multipliers together:
//
//     [ H   J^T ]     H  [3 x slots that move] positive definite: inertia and geometric stiffness
//     [ J   -D  ]     D  [multipliers] diagonal, >= 0
//
// It is quasi-definite, so that L D L^T exists in any order, without pivoting. Unknowns are in the
// order of the ropes, each multiplier behind the positions that it couples: a band of constant
// width. Whatever several ropes or bodies share, such as a body that carries several ropes, or that
// touches others, is behind them all, with long rows: the border. J^T J is never formed, because
// its condition number is the square.
//
// If rows and forces have different gradients, as with the midpoint rule, or if a rope slips, J
// above and below the diagonal differ, and the factorization is L D U.
#ifndef RL_KKT_H
#define RL_KKT_H

#include "../direct/direct.h"

typedef struct rl_kkt {
  uint64_t structure;   // of the rows for which it was built; 0: none
  bool is_short;        // no memory for the matrix, now or before
  uint32_t count;       // number of scalar unknowns; places below are indices of these
  uint32_t *slot_place; // [slots] place of the first of its three; RL_NONE: it does not move
  uint32_t *row_place;  // [unknowns] place of a multiplier, numbered as in rl_direct
  uint32_t *slot_first; // [slots] first place with which a slot is coupled
  uint32_t *row_first;  // [unknowns] first place with which a multiplier is coupled
  uint8_t *shared;      // [bodies] whether the body is in the border
  uint32_t *first;      // [count] first column of a row
  size_t *start;        // [count + 1] index of a row in `lower`
  double *lower;        // [profile] rows left of the diagonal
  double *upper;        // [profile] columns above it; `lower` itself for a symmetric matrix
  double *mirror;       // [profile] memory of `upper` if not symmetric; NULL: always symmetric
  double *diagonal;     // [count] of the matrix, then the inverse of that of D
  rl_growing room;      // of `lower` and `mirror`
} rl_kkt;

// Carves the memory for a model (see memory.h) but for the profile: rl_kkt_build makes room for the
// one that there is, and rl_kkt_release frees it.
void rl_kkt_lay_out(rl_kkt *kkt, const rl_model *model, rl_carver *carver);
void rl_kkt_release(rl_kkt *kkt);

// Returns the most scalar unknowns.
size_t rl_kkt_capacity(const rl_model *model);

// Finds order and profile for the rows of this step, after rl_detect; does nothing if the structure
// of the rows is that of the last call. A contact with friction has two more multipliers, as in
// rl_direct. Sets is_short: then there is no matrix.
void rl_kkt_build(rl_kkt *kkt, const rl_model *model, const rl_state *state, const rl_rows *rows);

// Sets all entries to 0, for a symmetric matrix or not.
void rl_kkt_clear(rl_kkt *kkt, bool symmetric);

// Adds to the entry at two places and to its mirror image.
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

// Adds the gradient of a row, `row` being the place of its multiplier, with respect to the slot at
// place `slot`.
static inline void rl_kkt_add_gradient(rl_kkt *k, uint32_t row, uint32_t slot, rl_vec3 gradient) {
  rl_kkt_add(k, row, slot, gradient.x);
  rl_kkt_add(k, row, slot + 1, gradient.y);
  rl_kkt_add(k, row, slot + 2, gradient.z);
}

// Add to the row of a multiplier (J below the diagonal) only, or to its force (above it) only. Do
// nothing for a symmetric matrix.
void rl_kkt_add_to_row(rl_kkt *kkt, uint32_t row, uint32_t slot, rl_vec3 gradient);
void rl_kkt_add_to_force(rl_kkt *kkt, uint32_t row, uint32_t slot, rl_vec3 force);

// Adds a I + b u u^T to the block of two slots.
void rl_kkt_add_block(rl_kkt *kkt, uint32_t row, uint32_t column, double a, double b, rl_vec3 u);

// Factors the matrix in place. Returns false if a pivot vanishes or is nan.
bool rl_kkt_factor(rl_kkt *kkt);

// Solves A x = b in place [count].
void rl_kkt_solve(const rl_kkt *kkt, double *x);

#endif
