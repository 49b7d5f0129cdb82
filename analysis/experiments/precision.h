// SPDX-License-Identifier: GPL-3.0-or-later
// The work-precision study: the runs of a convergence study over the step, for several numbers of
// iterations if asked for, and what each costs: evaluations of rows, which the recorded runs count,
// and time, which is taken afterwards with nothing recorded.
#ifndef RL_PRECISION_H
#define RL_PRECISION_H

#include "study.h"

extern const rl_study_kind rl_study_precision;

enum { RL_PRECISION_REPEATS = 7 };

// Marks the points that no other beats: none has both less error and less cost, or one of them less
// and the other equal. Of points with the same of both only the first is marked, and a point that
// is not finite never.
void rl_pareto_front(const double *errors, const double *costs, size_t count, bool *front);

#endif
