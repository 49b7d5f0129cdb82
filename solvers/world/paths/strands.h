// SPDX-License-Identifier: GPL-3.0-or-later
// Strands of massless ropes that pull on something in common, as on a wheel between them, solved
// together where rows are taken one after the other, by methods and in the sweeps of wrap_excess.c:
// (3a) to (3c) of papers/strands.md. And what draws them apart, (7l).
#ifndef RL_STRANDS_H
#define RL_STRANDS_H

#include "../rows.h"

// Most of them at a time; where there are more they are solved in groups.
#define RL_STRANDS_TOGETHER 64

typedef struct rl_strands {
  uint32_t count;
  rl_row *rows[RL_STRANDS_TOGETHER];
  bool moves_along_gradient; // in: they move things along J instead of G; rl_strands_next: false
  double rounding[RL_STRANDS_TOGETHER];    // in: of what they ask for, C or its rate
  double alone[RL_STRANDS_TOGETHER];       // in: the change of its multiplier by itself
  double softness[RL_STRANDS_TOGETHER];    // in: beside its inverse mass [1/kg]; INFINITY: only so
  double multipliers[RL_STRANDS_TOGETHER]; // in: so far
  double held[RL_STRANDS_TOGETHER];        // in: what they stay near to where nothing else tells
  double changes[RL_STRANDS_TOGETHER];     // out
} rl_strands;

// Finds which strands are solved together: those of ropes that run over the same bodies, and of
// ropes that are tied to these, if any two of them pull on something in common that can move.
void rl_strands_join(const rl_model *model, const rl_state *state, rl_rows *rows);

// Returns how many strands a rope over bodies has, and the row of the k-th along it. `own`: the
// block of the first.
uint32_t rl_strand_count(const rl_rows *rows, const rl_block *own);
rl_row *rl_strand_row(rl_rows *rows, const rl_block *own, uint32_t k);

// (16a) Tells the strands of an inextensible rope, of which a block is the first, which inert
// strands beside them take rest length from them.
void rl_strands_note_inert(const rl_model *model, const rl_state *state, rl_rows *rows,
                           const rl_block *first);

// (16a) Returns what the inert strands beside a strand take from it at trial positions; negative:
// give to it [m]. The path is solved there.
double rl_strand_taken(const rl_model *model, const rl_state *state, const rl_row *row,
                       const rl_point *points);

// Lists the rows of the next group of strands that are solved with a block, from strand `at` on in
// a sweep; `at` goes on behind them. Returns false if there are no more.
bool rl_strands_next(rl_strands *strands, rl_rows *rows, const rl_block *block, bool backward,
                     uint32_t *at);

// Returns what a strand that depends on others may be too long by [m].
double rl_strand_rounding(const rl_state *state, const rl_row *row);

// Finds the changes of the multipliers with which all of them hold, evaluated at the same place.
// Strands that jam alone, (7p), and are not held by others then, are not propped any more in
// `rows`.
void rl_strands_solve(rl_strands *strands, const rl_rows *rows, const rl_point *points);

// Whether impulses change the length of a strand.
bool rl_strand_can_change(const rl_model *model, const rl_state *state, const rl_row *row);

// (7g), (7h) Whether an evaluated strand jams: it slips the faster the more it pulls.
bool rl_strand_jams(const rl_model *model, const rl_state *state, const rl_row *row);

// (7p) Finds the strands of a step that jam alone but not beside the inextensible ones that are
// taut with them.
void rl_strands_find_propped(const rl_model *model, const rl_state *state, rl_rows *rows);

// (7l) Returns, a bit for each strand of a rope, those that what is prescribed draws apart though
// nothing that moves can follow: their tension rises until a wrap beside them slips. Evaluates them
// where the state is.
uint64_t rl_strands_drawn_apart(const rl_model *model, const rl_state *state, rl_rows *rows,
                                uint32_t rope);

#endif
