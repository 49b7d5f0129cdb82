// SPDX-License-Identifier: GPL-3.0-or-later
// The tables of a convergence study: the errors of each run (convergence.csv), the orders fitted to
// them (orders.csv), and the fitted lines with confidence bands for the figures (fits.csv).
#ifndef RL_ORDER_TABLES_H
#define RL_ORDER_TABLES_H

#include "order_fit.h"
#include "results/files.h"
#include "series_error.h"

// Returns the error below which a comparison of numbers of that size is round-off: 1000 units in
// the last place.
double rl_rounding(double size);

// The measurement with one value.
typedef struct rl_order_point {
  const char *run, *status;
  double value;
  rl_norms norms;
  double floor;      // below it the error is round-off, or that of the reference
  const char *probe; // probe with the largest error; NULL: none
} rl_order_point;

// The measurements of a quantity for a solver on a scenario, from coarse to fine.
typedef struct rl_order_curve {
  const char *scenario, *solver, *label, *over, *quantity, *norm;
  const rl_fit_rule *rule;
  bool rises; // larger values are finer: the order is minus the slope
  const rl_order_point *points;
  size_t count;
  const rl_order_fit *fit;
} rl_order_curve;

typedef struct rl_order_tables {
  rl_new_file errors, orders, fits;
} rl_order_tables;

// Open and close the tables. Both return false with errno set. Closing with `good` false discards
// the files.
bool rl_order_tables_open(rl_order_tables *tables, const char *folder);
bool rl_order_tables_close(rl_order_tables *tables, bool good);
void rl_order_tables_add(rl_order_tables *tables, const rl_order_curve *curve);

// Prints the result of a fit on stdout, without the end of the line.
void rl_order_print(const rl_order_curve *curve);

#endif
