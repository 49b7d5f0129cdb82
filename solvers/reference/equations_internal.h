// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by equations.c, which solves the equations for given active rows, and equations_choose.c,
// which chooses these rows. Equation numbers are those of papers/reference.md.
#ifndef RL_REFERENCE_EQUATIONS_INTERNAL_H
#define RL_REFERENCE_EQUATIONS_INTERNAL_H

#include "equations.h"

// Of the scene's size: a row with less slack is taut. That is thousands of times the round-off to
// which (6) brings positions back on to the rows.
static const double rl_taut_slack = 1e-12;

// Of the largest force: a smaller force is told from 0 no more, for the round-off of the direct
// solves. (11f) A row pushes, and a contact needs more friction than it has, beyond this.
static const double rl_least_force = 1e-11;

// Most trials of the direction of friction where contacts begin to slip, (19).
enum { RL_TURNS = 6 };

// Which equations the active rows and the contacts that stick are: those of friction stand for no
// positions, and where a contact slips its friction belongs to accelerations only.
typedef enum rl_rows_of { RL_OF_POSITIONS, RL_OF_VELOCITIES, RL_OF_ACCELERATIONS } rl_rows_of;

// Whether a row is an equation while it acts, and not a spring.
bool rl_equations_is_stiff(const rl_equations *equations, uint32_t row);

// (3) Returns the pull of an elastic row with its damper [N], negative if it would push; and the
// part of the damper.
double rl_equations_elastic_pull(const rl_equations *equations, uint32_t row, double *damper);

// Returns the rate at which winches pay out the rope of a row [m/s]: its rate is J v less this.
double rl_equations_reel_of(const rl_equations *equations, uint32_t row);

// Evaluate values, gradients and rates of all rows at the state's positions and velocities; the
// first with contacts as last found, the second finds them. _find_rates computes dx/dt.
void rl_equations_evaluate_found(rl_equations *equations);
void rl_equations_evaluate(rl_equations *equations);
void rl_equations_find_rates(rl_equations *equations);

// Returns the regularisation of elements and contacts, whose ratio is the norm of (4a).
rl_regularisation rl_equations_regularisation_of(const rl_equations *equations);

// Sets the active rows and the tangents of contacts for a solve; _factor also assembles and factors
// the matrix, and returns false if it is singular.
void rl_equations_lay(rl_equations *equations, rl_rows_of what);
bool rl_equations_factor(rl_equations *equations, rl_rows_of what);

// (2) Sets the accelerations to those without the active rows, elastic rows included.
void rl_equations_free_accelerations(rl_equations *equations);

// (4), (4a) Solves for the forces of the active rows, once from lambda* and once more for the
// residual, which removes regularisation and round-off, and adds what they do to the accelerations.
// Its parts: _add_shares applies lambda*, _find_residual computes J a + (dJ/dt) v.
void rl_equations_solve(rl_equations *equations);
void rl_equations_add_shares(rl_equations *equations);
void rl_equations_find_residual(rl_equations *equations);

// Changes velocities by impulses of the active rows so that their rates are -bias [unknowns]; NULL:
// 0, of contacts that stick too.
void rl_equations_project_velocities(rl_equations *equations, const double *bias);

// Returns the power of driven bodies and winches for multipliers [W], or their work for impulses.
double rl_equations_prescribed_work(const rl_equations *equations, const double *multipliers);

#endif
