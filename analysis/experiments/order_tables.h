// SPDX-License-Identifier: GPL-3.0-or-later
// What studies of convergence write: the errors of each run (convergence.csv), the orders fitted to
// them (orders.csv), and the lines of the fits with their confidence bands, for figures (fits.csv).
#ifndef RL_ORDER_TABLES_H
#define RL_ORDER_TABLES_H

#include "order_fit.h"
#include "results/files.h"
#include "series_error.h"

// An error as large as 1000 units in the last place of the largest number that was compared: what
// is below is round-off.
double rl_rounding(double size);

// What was measured with one value.
typedef struct rl_order_point {
  const char *run, *status;
  double value;
  rl_norms norms;
  double floor;      // below it the error is round-off, or the reference's
  const char *probe; // of which the error is; NULL: of none
} rl_order_point;

// A solver on a scenario, and a quantity, with values from coarse to fine.
typedef struct rl_order_curve {
  const char *scenario, *solver, *label, *over, *quantity, *norm;
  const rl_fit_rule *rule;
  bool rises; // refinement is a larger value: the order counts against it
  const rl_order_point *points;
  size_t count;
  const rl_order_fit *fit;
} rl_order_curve;

typedef struct rl_order_tables {
  rl_new_file errors, orders, fits;
} rl_order_tables;

// Both return false with errno set; after a failure tables are closed with `good` false, and leave
// nothing.
bool rl_order_tables_open(rl_order_tables *tables, const char *folder);
bool rl_order_tables_close(rl_order_tables *tables, bool good);
void rl_order_tables_add(rl_order_tables *tables, const rl_order_curve *curve);

// What the study found, for whoever waits for it: on stdout, without the end of the line.
void rl_order_print(const rl_order_curve *curve);

#endif
