// SPDX-License-Identifier: GPL-3.0-or-later
// The kind `precision` of study, work and precision: the runs of a convergence study over the step,
// if asked for with several numbers of iterations, and their cost: row evaluations, counted while
// recording, and time, measured afterwards without recording.
#ifndef RL_PRECISION_H
#define RL_PRECISION_H

#include "study.h"

extern const rl_study_kind rl_study_precision;

enum { RL_PRECISION_REPEATS = 7 };

// Marks the Pareto front: the points for which no other point is at least as good in error and cost
// and better in one of them. Of equal points the first is marked; points with a value that is not
// finite are not.
void rl_pareto_front(const double *errors, const double *costs, size_t count, bool *front);

#endif
