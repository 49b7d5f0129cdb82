// SPDX-License-Identifier: GPL-3.0-or-later
// The velocities of a step from one mixed linear complementarity problem: with u = J v + bias and
// v = v0 - M^-1 G^T P,
//
//     u <= 0,  P >= 0,  P u = 0    for every row (rods: u = 0),
//
// by block principal pivoting (Judice & Pires 1994) on direct solves of world/direct.h, with
// Murty's rule where blocks cycle; dependent rows by the proximal point method (Rockafellar 1976).
// Friction of contacts goes with it (world/friction.h). papers/impulse-direct.md numbers the
// equations.
#ifndef RL_LCP_H
#define RL_LCP_H

#include "sequential.h"
#include "world/friction.h"

// A contact: its row, and its place among direct->tangents (RL_NONE: no friction).
typedef struct rl_lcp_contact {
  uint32_t row, tangents;
} rl_lcp_contact;

// The contacts alone, the elements that act eliminated: three numbers for each, along its normal
// and its two tangents.
typedef struct rl_lcp_contacts {
  uint32_t count, capacity;
  rl_lcp_contact *contacts; // [capacity]
  double *matrix;           // [3 capacity][3 capacity] rates that an impulse makes, by impulses
  double *rates;            // [3 capacity] rates and slides [m/s]
  double *impulses;         // [3 capacity] along the normals, and friction [N s]
  double *last;             // [3 capacity] before the last sweep
  double *before_leaps;     // [3 capacity] before leaps that have not helped
} rl_lcp_contacts;

typedef struct rl_lcp {
  rl_direct direct;
  rl_sequential sequential;
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
  double *still;          // [unknowns] rates of what does not move [m/s]
  rl_vec3 *answer;        // [slots] velocities from one impulse
  rl_lcp_contacts contacts;
} rl_lcp;

typedef struct rl_lcp_options {
  int iterations;                   // direct solves, at most
  int sweeps;                       // where friction does not settle; 0: none
  double tolerance;                 // of the complementarity, times dt [m]; 0: never
  double dt;                        // [s]
  rl_regularisation regularisation; // D, as a fraction of W
} rl_lcp_options;

void rl_lcp_lay_out(rl_lcp *lcp, const rl_model *model, rl_carver *carver);

// At the start of the step, after rl_detect: order, values, gradients, and the slides that the
// ledger compares with.
void rl_lcp_begin(rl_lcp *lcp, const rl_model *model, const rl_state *state, rl_rows *rows);

// Changes the state's velocities and leaves the impulses in its multipliers [N s]. Fills
// iterations, evaluations, residual and trace of `info`.
rl_reason rl_lcp_solve(rl_lcp *lcp, const rl_model *model, rl_state *state, rl_rows *rows,
                       const rl_lcp_options *options, rl_step_info *info);

// Rates and slides of the state's velocities. The tangents have no rows of their own until friction
// chooses them: their rates are not read.
void rl_lcp_measure(rl_lcp *lcp, const rl_state *state, const rl_rows *rows);

// How far rates and impulses are from complementarity, max |min(-u, W P)|, and friction from its
// law [m/s]; `size` is the largest reaction W P.
double rl_lcp_error(const rl_lcp *lcp, const rl_rows *rows, double *size);

// (10) Sweeps over the contacts with the elements eliminated, so many for each set of elements that
// act, from the present impulses on. True: that is the solution.
void rl_lcp_contacts_lay_out(rl_lcp_contacts *contacts, const rl_model *model, rl_carver *carver);
bool rl_lcp_contacts_solve(rl_lcp *lcp, const rl_model *model, rl_state *state, const rl_rows *rows,
                           int sweeps, rl_regularisation regularisation,
                           const rl_lcp_options *options, rl_step_info *info);

#endif
