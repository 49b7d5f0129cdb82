// SPDX-License-Identifier: GPL-3.0-or-later
// What pbd and xpbd have in common: predict, sweeps over the rows that move positions, velocities
// from the move. papers/pbd.md and papers/xpbd.md number the equations.
#ifndef RL_RELAXATION_H
#define RL_RELAXATION_H

#include "world/memory.h"
#include "world/solver.h"

// Orders of a sweep: those of rl_order, and three that are only for positions.
enum { RL_RED_BLACK = RL_SYMMETRIC + 1, RL_JACOBI, RL_AVERAGED_JACOBI };
#define RL_RELAXATION_ORDERS RL_ORDER_CHOICES "|red-black|jacobi|averaged-jacobi"
#define RL_RELAXATION_ORDER_HELP                                                                   \
  "order of a sweep: Gauss-Seidel from `from` to `to`, back, in turn, or every other element "     \
  "first; Jacobi: all rows from the same positions, their moves added, or each on its share of "   \
  "the masses"

// Of a contact of two elements the way between them at the start of the step or substep [m], and
// one over its inverse mass, times omega and alone [kg]; 0: nothing there moves.
typedef struct rl_touch {
  rl_vec3 way;
  double gain, mass;
} rl_touch;

typedef struct rl_relaxation {
  double omega;
  int order;
  bool violated_only;    // correct only rows with C > 0, and take nothing back
  bool elastic;          // use the compliance of the rows, alpha~ = compliance / h^2
  double h;              // step or substep [s]
  rl_point *previous;    // [slots] positions at its start
  rl_vec3 *before;       // [slots] velocities there
  rl_point *corrections; // [slots] sum of the corrections since the prediction; w: 0
  rl_vec3 *moves;        // [slots] Jacobi: corrections of one sweep
  rl_vec3 *frictions;    // [contact capacity] positional impulses across the normals [kg m]
  rl_vec3 *slid;         // [contact capacity] what friction has let go [m]
  rl_touch *touches;     // [contact capacity] of two elements
  rl_vec3 *bends;        // [flexures] elastic: positional multipliers, along kb [kg m^2]
  double *shares;        // [slots] Jacobi: rows that split the mass of a slot
  double *held;          // [unknowns] multipliers that strands stay near to; NULL: there are none
  rl_vec3 *pulled;       // [entries] positional impulses along the gradients of strands [kg m]
  double *rubbed;        // [vertices] those that friction adds to the pulls of their pieces [kg m]
  rl_flow *flows;        // [vertices] of these pieces at the start of the step, then with the end
} rl_relaxation;

// Carves the arrays for a model (memory.h).
void rl_relaxation_lay_out(rl_relaxation *relaxation, const rl_model *model, rl_carver *carver);

// (1)-(2) v += h g, p = x + h v, with the positions before kept. Multipliers start at 0, those of
// contacts of bodies at what is left of their last forces, `unit` times what they are [N]; those of
// the strands of massless ropes are remembered.
void rl_relaxation_begin(rl_relaxation *relaxation, const rl_model *model, rl_state *state,
                         rl_rows *rows, double h, double unit);

// Moves a slot; every correction goes through here, but those of two elements in contact, which are
// known from their impulses in the end. Its inverse mass stays, but takes part, so that
// two pairs of numbers are added.
static inline void rl_relaxation_correct(const rl_relaxation *relaxation, rl_state *state,
                                         uint32_t slot, rl_vec3 by) {
  rl_point *p = &state->points[slot], *sum = &relaxation->corrections[slot];
  *p = (rl_point){p->x + by.x, p->y + by.y, p->z + by.z, p->w + 0.0};
  *sum = (rl_point){sum->x + by.x, sum->y + by.y, sum->z + by.z, 0.0};
}

// (3)-(4) Sweeps over all rows, with positional multipliers lambda h^2 [kg m], until the residual
// is at or below the tolerance [m] (0: never), at most `iterations`. Fills iterations, evaluations,
// residual and trace of `info`.
rl_reason rl_relaxation_solve(rl_relaxation *relaxation, const rl_model *model, rl_state *state,
                              rl_rows *rows, int iterations, double tolerance, rl_step_info *info);

// (5) v = (p - x) / h, as v += (sum of the corrections) / h: the difference of two positions would
// lose the digits that they have in common. Books what friction and drag took, and fills in the
// residual if it is `wanted`.
void rl_relaxation_end(const rl_relaxation *relaxation, const rl_model *model, rl_state *state,
                       rl_rows *rows, bool wanted, rl_step_info *info);

#endif
