// SPDX-License-Identifier: GPL-3.0-or-later
// All solvers, in the order in which they are listed. A new one is one line here. It is compiled
// twice: the library that is installed needs nothing but libm, the testbed has GSL and with it the
// methods that stand beside the library.
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
  X(knyazyev)                                                                                      \
  /* the next one goes above this line */

#ifdef ROPELAB_GSL
#define BESIDE(X) X(reference)
#else
#define BESIDE(X)
#endif

#define DECLARE(name) extern const rl_solver_type rl_solver_##name;
#define ENTER(name) &rl_solver_##name,

SOLVERS(DECLARE)
BESIDE(DECLARE)

const rl_solver_type *const rl_solvers[] = {SOLVERS(ENTER) BESIDE(ENTER) NULL};
