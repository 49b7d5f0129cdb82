// SPDX-License-Identifier: GPL-3.0-or-later
// The stand-ins of ropes over bodies while their strands change: one that gets another spring
// begins with what it stored, and those beside a wrap that sticks with pulls that friction holds.
// papers/penalty.md numbers the equations.
#ifndef RL_STRAND_SPRINGS_H
#define RL_STRAND_SPRINGS_H

#include "springs.h"
#include "world/memory.h"

typedef struct rl_strand_springs {
  double *softenings; // [ropes] (4a): what is left of s - 1 at the end of the step
  double *hardenings; // [ropes] by how much s falls in a substep
  double *given;      // [unknowns] (22): rest length that it gets in a substep [m]
  double left;        // number of substeps behind the present one
} rl_strand_springs;

// Carves the arrays for a model (memory.h).
void rl_strand_springs_lay_out(rl_strand_springs *springs, const rl_model *model,
                               rl_carver *carver);

// (4a) The spring of a row in the present substep, softer where the springs of its rope were.
rl_spring rl_strand_spring(const rl_strand_springs *springs, const rl_stand_in *law,
                           const rl_model *model, const rl_row *row);

// (4a) At the start of a step: where the rows of a rope have changed, its springs begin with what
// they stored at the end of the step before.
void rl_strand_springs_soften(rl_strand_springs *springs, const rl_stand_in *law,
                              const rl_model *model, const rl_state *state, rl_rows *rows,
                              int substeps);

// (4c), (22) Moves rest length over wraps that stick until friction holds the pulls on both sides,
// and keeps in `given` how much.
void rl_strand_springs_give_way(rl_strand_springs *springs, const rl_stand_in *law,
                                const rl_model *model, rl_state *state, rl_rows *rows);

// Keeps in the state what the springs of each rope store at the end of a step.
void rl_strand_springs_keep(const rl_strand_springs *springs, const rl_stand_in *law,
                            const rl_model *model, rl_state *state, rl_rows *rows);

// Energy in all stand-ins at the state's positions, those of ropes whose rows have changed since
// the end of a step softened, (4a) [J].
double rl_strand_springs_energy(const rl_stand_in *law, const rl_model *model,
                                const rl_state *state, rl_rows *rows);

#endif
