// SPDX-License-Identifier: GPL-3.0-or-later
// The motion with those who act, for equations_choose.c, which chooses them. papers/reference.md.
#ifndef RL_REFERENCE_EQUATIONS_INTERNAL_H
#define RL_REFERENCE_EQUATIONS_INTERNAL_H

#include "equations.h"

// Of the size of the scene: a row with less slack is taut.
static const double rl_taut_slack = 1e-12;

// Trials of where the friction of contacts that begin to slip points, at most.
enum { RL_TURNS = 6 };

// What the rows that act are asked for.
typedef enum rl_rows_of { RL_OF_POSITIONS, RL_OF_VELOCITIES, RL_OF_ACCELERATIONS } rl_rows_of;

// Whether a row acts by what it is asked for, not by its stretch.
bool rl_equations_is_stiff(const rl_equations *equations, uint32_t row);

// (3) The pull of an elastic row, with its damper, taut or not [N].
double rl_equations_elastic_pull(const rl_equations *equations, uint32_t row, double *damper);

// How fast winches run in a row: its rate is J v less this [m/s].
double rl_equations_reel_of(const rl_equations *equations, uint32_t row);

// Values, gradients and rates at the state's positions and velocities; where contacts were found,
// or with these looked for.
void rl_equations_evaluate_found(rl_equations *equations);
void rl_equations_evaluate(rl_equations *equations);
void rl_equations_find_rates(rl_equations *equations);

// (4a) What contacts give way.
rl_regularisation rl_equations_regularisation_of(const rl_equations *equations);

// The matrix of the rows that act; factored. False where it has no inverse.
void rl_equations_lay(rl_equations *equations, rl_rows_of what);
bool rl_equations_factor(rl_equations *equations, rl_rows_of what);

// (2) Without the rows that act: gravity, forces from outside, drag against the wind, what turns by
// itself, elastic rows.
void rl_equations_free_accelerations(rl_equations *equations);

// (4) What the rows that act have to do so that their accelerations vanish, beside (4a) what they
// did where they were chosen; and once more, which takes out the regularisation and the rounding of
// the first time. Its parts: what they did, and the accelerations that are left along the rows.
void rl_equations_solve(rl_equations *equations);
void rl_equations_add_shares(rl_equations *equations);
void rl_equations_find_residual(rl_equations *equations);

// Velocities on to rates of -bias [unknowns]; NULL: 0.
void rl_equations_project_velocities(rl_equations *equations, const double *bias);

// The power, or work, of driven bodies over multipliers, or impulses.
double rl_equations_prescribed_work(const rl_equations *equations, const double *multipliers);

#endif
