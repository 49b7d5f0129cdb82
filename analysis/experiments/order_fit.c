// SPDX-License-Identifier: GPL-3.0-or-later
#include "order_fit.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_fit.h>
#include <gsl/gsl_multifit.h>
#include <math.h>
#include <stdlib.h>

const char *const rl_law_names[] = {"power", "exponential", NULL};

rl_fit_rule rl_fit_rule_of(rl_law law) {
  const double band = 0.25; // in orders; for an exponential, relative
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

// Whether the local slopes between `count` neighbours agree; `flat`: none of them is steep.
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

// Fits ln error = curve[0] + curve[1] u + curve[2] next. False when out of memory.
static bool fit_next_term(const rl_fit_rule *rule, const rl_fit_point *points, size_t count,
                          double finest, double curve[3]) {
  gsl_matrix *terms = gsl_matrix_alloc(count, 3), *covariance = gsl_matrix_alloc(3, 3);
  gsl_vector *weights = gsl_vector_alloc(count), *values = gsl_vector_alloc(count);
  gsl_multifit_linear_workspace *space = gsl_multifit_linear_alloc(count, 3);
  gsl_vector_view found = gsl_vector_view_array(curve, 3);
  const bool good = terms && covariance && weights && values && space;
  for (size_t i = 0; good && i < count; i++) {
    gsl_matrix_set(terms, i, 0, 1.0);
    gsl_matrix_set(terms, i, 1, abscissa(rule->law, points[i].value));
    gsl_matrix_set(terms, i, 2, points[i].next);
    gsl_vector_set(weights, i, pow(finest / points[i].next, 4.0));
    gsl_vector_set(values, i, log(points[i].error));
  }
  double square;
  if (good) {
    gsl_multifit_wlinear(terms, weights, values, &found.vector, covariance, &square, space);
  }
  gsl_multifit_linear_free(space);
  gsl_vector_free(values);
  gsl_vector_free(weights);
  gsl_matrix_free(covariance);
  gsl_matrix_free(terms);
  return good;
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
    weight[i] = pow(finest / p->next, 2.0); // relative to the finest, so that none overflows
  }
  double square = 0.0;
  gsl_fit_wlinear(x, 1, weight, 1, y, 1, r.count, &fit.constant, &fit.slope, &fit.variance[0],
                  &fit.variance[1], &fit.variance[2], &square);
  // The weights are relative variances; the scale of the variance comes from the residuals.
  const double freedom = (double)(r.count - 2);
  for (size_t i = 0; i < 3; i++) {
    fit.variance[i] *= square / freedom;
  }
  fit.quantile = gsl_cdf_tdist_Pinv(0.5 + 0.5 * rule->confidence, freedom);
  const rl_fit_point *from = &points[r.first], *to = &points[r.first + r.count - 1];
  fit.next_power = log(to->next / from->next) / log(to->value / from->value);
  fit.next_scale = from->next / pow(from->value, fit.next_power);
  fit.curve[0] = fit.constant;
  fit.curve[1] = fit.slope;
  if (fit.next_power != 0.0 && !fit_next_term(rule, from, r.count, finest, fit.curve)) {
    free(x);
    return (rl_order_fit){0};
  }
  fit.half = fit.quantile * sqrt(fit.variance[2]) + fabs(fit.curve[1] - fit.slope);
  fit.first = r.first;
  fit.count = isfinite(fit.slope) && isfinite(fit.half) ? r.count : 0; // values may overflow
  free(x);
  return fit;
}

double rl_fit_at(const rl_order_fit *fit, rl_law law, double value, double *low, double *high) {
  const double u = abscissa(law, value), next = fit->next_scale * pow(value, fit->next_power);
  double y = 0.0, deviation = 0.0;
  gsl_fit_linear_est(u, fit->constant, fit->slope, fit->variance[0], fit->variance[1],
                     fit->variance[2], &y, &deviation);
  const double curved = fit->curve[0] + fit->curve[1] * u + fit->curve[2] * next;
  const double half = fit->quantile * deviation + fabs(curved - y);
  *low = exp(y - half);
  *high = exp(y + half);
  return exp(y);
}
