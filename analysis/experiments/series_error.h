// SPDX-License-Identifier: GPL-3.0-or-later
// Norms over time of the distance between recorded series.
#ifndef RL_SERIES_ERROR_H
#define RL_SERIES_ERROR_H

#include "results/table.h"

// Norms of e(t), the largest |difference| of the compared columns, each in its own unit, over the
// times t > 0 at which none of them has a gap. nan: there is no such time.
typedef struct rl_norms {
  double max;
  double l2;      // square root of the mean of e^2 over time, by the trapezoidal rule
  double end;     // at the last time
  size_t samples; // number of times
} rl_norms;

// Computes the norms of the difference of two series at their common times.
rl_norms rl_series_distance(const rl_table *a, const rl_table *b, const char *const *columns,
                            size_t count);

// Computes the norms of the columns themselves; columns that the table lacks are gaps.
rl_norms rl_series_size(const rl_table *table, const char *const *columns, size_t count);

#endif
