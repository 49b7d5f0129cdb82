// SPDX-License-Identifier: GPL-3.0-or-later
// Fits orders of convergence to measured errors: finds the asymptotic range and fits a line through
// its points by weighted least squares, with a confidence interval of the slope.
#ifndef RL_ORDER_FIT_H
#define RL_ORDER_FIT_H

#include <stdbool.h>
#include <stddef.h>

typedef enum rl_law {
  RL_LAW_POWER,      // error ~ value^p: a line of ln error over ln value
  RL_LAW_EXPONENTIAL // error ~ rho^value: a line of ln error over value
} rl_law;

// Value of an option instead of an rl_law: exponential over iterations, otherwise power.
enum { RL_LAW_BY_VARIATION = 2 };

extern const char *const rl_law_names[]; // ended by NULL

// A measured error.
typedef struct rl_fit_point {
  double value; // above 0
  double error; // nan: none
  double floor; // an error below is round-off
  double next;  // relative size of the next term of the error's expansion, in any unit
} rl_fit_point;

// The rule that finds the range: at least `least` neighbouring points, all above the floor, whose
// local slopes lie within `band` of each other (for an exponential, within `band` times their
// mean). The largest such range counts, of equal ones the finest. A flat range (no slope steeper
// than `band`) counts only if there is no other.
typedef struct rl_fit_rule {
  rl_law law;
  size_t least;
  double band;
  double confidence; // of the interval, such as 0.95
} rl_fit_rule;

rl_fit_rule rl_fit_rule_of(rl_law law);

// The line ln error = constant + slope u with u = ln value (power) or u = value (exponential).
typedef struct rl_order_fit {
  size_t first, count; // points in the range; count 0: no range, the other members mean nothing
  double constant, slope;
  double half;        // half width of the confidence interval of the slope
  double variance[3]; // of the constant, of constant and slope, of the slope
  double quantile;    // of Student's t for that confidence
  // The fit with the next term, ln error = curve[0] + curve[1] u + curve[2] next, where next =
  // next_scale value^next_power. If all points have the same weight, it is the line.
  double curve[3], next_scale, next_power;
} rl_order_fit;

// Fits an order to points from coarse to fine. A point has the weight 1 / next^2, since the line
// neglects the next term of the expansion. That term is no scatter: it bends all points to one
// side, and an interval from the residuals alone would miss the order nine times in ten. The
// interval is therefore Student's, widened by the change of the slope when the next term is fitted,
// too (with weights 1 / next^4).
rl_order_fit rl_fit_order(const rl_fit_rule *rule, const rl_fit_point *points, size_t count);

// Returns the error that the line has at a value, and its confidence band, widened likewise.
double rl_fit_at(const rl_order_fit *fit, rl_law law, double value, double *low, double *high);

#endif
