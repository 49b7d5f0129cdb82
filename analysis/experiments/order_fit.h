// SPDX-License-Identifier: GPL-3.0-or-later
// The order of convergence from measured errors: which points are in the asymptotic range, a line
// through them by weighted least squares, and how sure its slope is.
#ifndef RL_ORDER_FIT_H
#define RL_ORDER_FIT_H

#include <stdbool.h>
#include <stddef.h>

typedef enum rl_law {
  RL_LAW_POWER,      // error ~ value^p: a line of ln error over ln value
  RL_LAW_EXPONENTIAL // error ~ rho^value: a line of ln error over value
} rl_law;

// Instead of one, where none is given: exponential over iterations, else power.
enum { RL_LAW_BY_VARIATION = 2 };

extern const char *const rl_law_names[]; // ended by NULL

typedef struct rl_fit_point {
  double value; // above 0
  double error; // nan: there is none
  double floor; // what is below is round-off
  double next;  // size of the next term of the expansion, in any unit: its share in the error
} rl_fit_point;

// Numbers of the rule. A range is a set of at least `least` neighbours, all above the floor, whose
// local slopes lie within `band` of each other (of an exponential: within `band` times their mean).
// The largest set counts, of equals the finest; one that is flat (no slope steeper than `band`)
// only where no other is.
typedef struct rl_fit_rule {
  rl_law law;
  size_t least;
  double band;
  double confidence; // of the interval, as 0.95
} rl_fit_rule;

rl_fit_rule rl_fit_rule_of(rl_law law);

// The line ln error = constant + slope u with u = ln value or value.
typedef struct rl_order_fit {
  size_t first, count; // the points in the range; count 0: there is none and nothing else holds
  double constant, slope;
  double half;        // the slope is within +-half with the confidence of the rule
  double variance[3]; // of the constant, of both together, of the slope
  double quantile;    // of Student's t: half the interval in standard deviations
  // The same with the next term, ln error = curve[0] + curve[1] u + curve[2] next, and what that
  // term is at a value: next_scale value^next_power. Where all points weigh the same, the line.
  double curve[3], next_scale, next_power;
} rl_order_fit;

// Points from coarse to fine. A point weighs 1 / next^2: what a line leaves over of it is the next
// term of its expansion. That is no scatter: it bends all points to one side, and an interval from
// what is left over alone misses the order nine times in ten. So the interval is Student's, longer
// by what the next term changes when it is fitted, too (weights 1 / next^4).
rl_order_fit rl_fit_order(const rl_fit_rule *rule, const rl_fit_point *points, size_t count);

// What the line says at a value, and its confidence band, made in the same way.
double rl_fit_at(const rl_order_fit *fit, rl_law law, double value, double *low, double *high);

#endif
