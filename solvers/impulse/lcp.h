// SPDX-License-Identifier: GPL-3.0-or-later
// The velocities of a step from one mixed linear complementarity problem: with u = J v + bias and
// v = v0 - M^-1 G^T P,
//
//     u <= 0,  P >= 0,  P u = 0    for every row (rods: u = 0),
//
// by block principal pivoting (Judice & Pires 1994) on direct solves of world/direct/direct.h, with
// Murty's rule where blocks cycle; dependent rows by the proximal point method (Rockafellar 1976).
// Friction of contacts goes with it (world/direct/friction.h). papers/impulse-direct.md numbers the
// equations.
#ifndef RL_LCP_H
#define RL_LCP_H

#include "sequential.h"
#include "world/direct/friction.h"

// Where an iteration is: impulses P [unknowns], friction [contacts] and velocities [slots].
typedef struct rl_lcp_iterate {
  double *impulses;
  rl_vec3 *frictions, *velocities;
} rl_lcp_iterate;

typedef struct rl_lcp {
  rl_direct direct;
  rl_friction *frictions; // [contacts] of those with friction
  double *values;         // [unknowns] C at the start of the step [m]
  double *inverse_masses; // [unknowns] W = J M^-1 J^T there [1/kg]
  double *lower;          // [unknowns] bounds of the impulses
  double *bias;           // [unknowns] of each row [m/s]: the caller fills it
  double *rates;          // [unknowns] u [m/s]
  double *impulses;       // [unknowns] P [N s]
  double *centre;         // [unknowns] of the proximal point method [N s]
  double *change;         // [unknowns] right side, and change of the impulses
  bool *active;           // [unknowns]
  rl_vec3 *gradients;     // [gradients] J
  rl_vec3 *start;         // [slots] v0
  rl_lcp_iterate last;    // before a step of Newton's method
  rl_lcp_iterate best;    // end of a stage
} rl_lcp;

typedef struct rl_lcp_options {
  int iterations;      // direct solves, at most
  double continuation; // where friction does not settle: factor of D from stage to stage; 0: none
  double tolerance;    // of the complementarity, times dt [m]; 0: never
  double dt;           // [s]
  rl_regularisation regularisation; // D, as a fraction of W
} rl_lcp_options;

// Carve the arrays for a model (memory.h), and free what the matrix has grown to.
void rl_lcp_lay_out(rl_lcp *lcp, const rl_model *model, rl_carver *carver);
void rl_lcp_release(rl_lcp *lcp);

// At the start of the step, after rl_detect: order, values, gradients, and the slides that the
// ledger compares with. Returns false when out of memory for the matrix.
bool rl_lcp_begin(rl_lcp *lcp, const rl_model *model, const rl_state *state, rl_rows *rows);

// Changes the state's velocities and leaves the impulses in its multipliers [N s]. Fills
// iterations, evaluations, residual and trace of `info`.
rl_reason rl_lcp_solve(rl_lcp *lcp, const rl_model *model, rl_state *state, rl_rows *rows,
                       const rl_lcp_options *options, rl_step_info *info);

#endif
