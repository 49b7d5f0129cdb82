// SPDX-License-Identifier: GPL-3.0-or-later
// Distances between recorded series, in norms over time.
#ifndef RL_SERIES_ERROR_H
#define RL_SERIES_ERROR_H

#include "results/table.h"

// Of e(t), the largest of |difference| over the columns that are compared, each in its own unit, at
// the times t > 0 where all are numbers. nan without any such time.
typedef struct rl_norms {
  double max;
  double l2;      // root of the mean of e^2 over time, by the trapezoidal rule
  double end;     // at the last time
  size_t samples; // how many times were compared
} rl_norms;

// Between two tables of series.csv, at the times that both have.
rl_norms rl_series_distance(const rl_table *a, const rl_table *b, const char *const *columns,
                            size_t count);

// Of the columns themselves, as their distance from zero. A table may lack some of them.
rl_norms rl_series_size(const rl_table *table, const char *const *columns, size_t count);

#endif
