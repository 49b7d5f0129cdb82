// SPDX-License-Identifier: GPL-3.0-or-later
#include "order_fit.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <math.h>
#include <stdlib.h>

const char *const rl_law_names[] = {"power", "exponential", NULL};

rl_fit_rule rl_fit_rule_of(rl_law law) {
  const double band = 0.25; // of an order; of an exponential, relative
  return (rl_fit_rule){.law = law, .least = 3, .band = band, .confidence = 0.95};
}

static double abscissa(rl_law law, double value) {
  return law == RL_LAW_POWER ? log(value) : value;
}

static bool is_usable(const rl_fit_point *p) { return isfinite(p->error) && p->error > p->floor; }

static double local_slope(rl_law law, const rl_fit_point *p) {
  return log(p[1].error / p[0].error) / (abscissa(law, p[1].value) - abscissa(law, p[0].value));
}

typedef struct range {
  size_t first, count;
  bool flat;
} range;

// Whether the slopes between `count` neighbours agree.
static bool agree(const rl_fit_rule *rule, const rl_fit_point *points, size_t count, bool *flat) {
  double least = INFINITY, most = -INFINITY, sum = 0.0;
  for (size_t i = 0; i + 1 < count; i++) {
    const double slope = local_slope(rule->law, &points[i]);
    least = fmin(least, slope);
    most = fmax(most, slope);
    sum += slope;
  }
  const double scale = rule->law == RL_LAW_POWER ? 1.0 : fabs(sum) / (double)(count - 1);
  *flat = rule->law == RL_LAW_POWER && fmax(fabs(least), fabs(most)) <= rule->band;
  return most - least <= rule->band * scale;
}

static bool is_better(range a, range b) {
  if (b.count == 0 || a.flat != b.flat) {
    return b.count == 0 || !a.flat;
  }
  return a.count > b.count || (a.count == b.count && a.first > b.first);
}

static range find_range(const rl_fit_rule *rule, const rl_fit_point *points, size_t count) {
  range best = {0};
  for (size_t first = 0; first < count; first++) {
    range r = {.first = first};
    while (first + r.count < count && is_usable(&points[first + r.count])) {
      r.count++;
      if (r.count >= rule->least && agree(rule, &points[first], r.count, &r.flat) &&
          is_better(r, best)) {
        best = r;
      }
    }
  }
  return best;
}

rl_order_fit rl_fit_order(const rl_fit_rule *rule, const rl_fit_point *points, size_t count) {
  rl_order_fit fit = {0};
  const range r = find_range(rule, points, count);
  double *x = malloc(3 * (r.count + 1) * sizeof *x);
  if (!x || r.count == 0) {
    free(x);
    return fit;
  }
  double *const y = x + r.count, *const weight = y + r.count;
  const double finest = fmin(points[r.first].next, points[r.first + r.count - 1].next);
  for (size_t i = 0; i < r.count; i++) {
    const rl_fit_point *p = &points[r.first + i];
    x[i] = abscissa(rule->law, p->value);
    y[i] = log(p->error);
    weight[i] = pow(finest / p->next, 2.0); // of a unit that no value can overflow
  }
  double square = 0.0;
  gsl_fit_wlinear(x, 1, weight, 1, y, 1, r.count, &fit.constant, &fit.slope, &fit.variance[0],
                  &fit.variance[1], &fit.variance[2], &square);
  // The weights say how large the remainders are beside each other; how large, the fit itself.
  const double freedom = (double)(r.count - 2);
  for (size_t i = 0; i < 3; i++) {
    fit.variance[i] *= square / freedom;
  }
  fit.quantile = gsl_cdf_tdist_Pinv(0.5 + 0.5 * rule->confidence, freedom);
  fit.half = fit.quantile * sqrt(fit.variance[2]);
  fit.first = r.first;
  fit.count = isfinite(fit.slope) && isfinite(fit.half) ? r.count : 0; // values too far apart
  free(x);
  return fit;
}

double rl_fit_at(const rl_order_fit *fit, rl_law law, double value, double *low, double *high) {
  double y = 0.0, deviation = 0.0;
  gsl_fit_linear_est(abscissa(law, value), fit->constant, fit->slope, fit->variance[0],
                     fit->variance[1], fit->variance[2], &y, &deviation);
  *low = exp(y - fit->quantile * deviation);
  *high = exp(y + fit->quantile * deviation);
  return exp(y);
}
