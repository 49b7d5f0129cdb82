// SPDX-License-Identifier: GPL-3.0-or-later
// All solvers, in the order in which they are listed. A new one is a line in each of the two lists.
#include "world/solver.h"

extern const rl_solver_type rl_solver_penalty;
extern const rl_solver_type rl_solver_pbd;
extern const rl_solver_type rl_solver_impulse;

const rl_solver_type *const rl_solvers[] = {
    &rl_solver_penalty,
    &rl_solver_pbd,
    &rl_solver_impulse,
    NULL,
};
