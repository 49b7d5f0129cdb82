// SPDX-License-Identifier: GPL-3.0-or-later
// All solvers, in the order in which they are listed. A new one is one line here.
#include "world/solver.h"

#define SOLVERS(X)                                                                                 \
  X(penalty)                                                                                       \
  X(penalty_implicit)                                                                              \
  X(pbd)                                                                                           \
  X(xpbd)                                                                                          \
  X(pbd_direct)                                                                                    \
  X(impulse)                                                                                       \
  X(impulse_direct)                                                                                \
  X(impulse_soft)                                                                                  \
  X(convex)                                                                                        \
  X(rattle)                                                                                        \
  X(nehe)                                                                                          \
  X(source)                                                                                        \
  X(contraption)                                                                                   \
  /* the next one goes above this line */

#define DECLARE(name) extern const rl_solver_type rl_solver_##name;
#define ENTER(name) &rl_solver_##name,

SOLVERS(DECLARE)

const rl_solver_type *const rl_solvers[] = {SOLVERS(ENTER) NULL};
