// SPDX-License-Identifier: GPL-3.0-or-later
#include "series_error.h"

#include <math.h>

// Times that differ by at most this, relative, are the same: k dt is rounded differently in runs
// with different dt.
static const double same_time = 1e-9;

static double value_at(const rl_table *table, size_t row, const char *column) {
  const size_t index = rl_table_column(table, column);
  return index < table->column_count ? table->values[row * table->column_count + index] : NAN;
}

static double time_at(const rl_table *table, size_t row) {
  return table->values[row * table->column_count];
}

// Returns the largest difference in a row from table b (NULL: from zero); nan if there is a gap.
static double row_error(const rl_table *a, size_t i, const rl_table *b, size_t k,
                        const char *const *columns, size_t count) {
  double largest = 0.0;
  for (size_t c = 0; c < count; c++) {
    const double other = b ? value_at(b, k, columns[c]) : 0.0;
    const double e = fabs(value_at(a, i, columns[c]) - other);
    if (isnan(e)) {
      return NAN;
    }
    largest = fmax(largest, e);
  }
  return largest;
}

// The norms while e(t) is gathered.
typedef struct gathering {
  rl_norms norms;
  double time, error; // of the last row
  double first, area;
} gathering;

static void gather(gathering *g, double time, double error) {
  if (isnan(error) || !(time > 0.0)) {
    return;
  }
  if (g->norms.samples++ == 0) {
    g->first = time;
    g->norms.max = error;
  } else {
    g->area += 0.5 * (time - g->time) * (error * error + g->error * g->error);
  }
  g->norms.max = fmax(g->norms.max, error);
  g->time = time;
  g->error = error;
}

static rl_norms finish(gathering *g) {
  if (g->norms.samples == 0) {
    return (rl_norms){NAN, NAN, NAN, 0};
  }
  g->norms.end = g->error;
  g->norms.l2 = g->time > g->first ? sqrt(g->area / (g->time - g->first)) : g->error;
  return g->norms;
}

rl_norms rl_series_distance(const rl_table *a, const rl_table *b, const char *const *columns,
                            size_t count) {
  gathering g = {0};
  for (size_t i = 0, k = 0; i < a->row_count && k < b->row_count;) {
    const double x = time_at(a, i), y = time_at(b, k);
    if (fabs(x - y) <= same_time * fmax(fabs(x), fabs(y))) {
      gather(&g, x, row_error(a, i, b, k, columns, count));
      i++;
      k++;
    } else if (x < y) {
      i++;
    } else {
      k++;
    }
  }
  return finish(&g);
}

rl_norms rl_series_size(const rl_table *table, const char *const *columns, size_t count) {
  gathering g = {0};
  for (size_t i = 0; i < table->row_count; i++) {
    gather(&g, time_at(table, i), row_error(table, i, NULL, 0, columns, count));
  }
  return finish(&g);
}
