// SPDX-License-Identifier: GPL-3.0-or-later
// Orders fitted to errors whose order is known, and errors of series whose difference is known.
#include "check.h"

#include "experiments/order_fit.h"
#include "experiments/series_error.h"

#include <math.h>

enum { MOST = 12 };

// Errors C h^p (1 + a h) for steps h, h / 2 ...
static void make_power(rl_fit_point *points, size_t count, double p, double a) {
  for (size_t i = 0; i < count; i++) {
    const double h = 0.385 * pow(0.5, (double)i);
    points[i] = (rl_fit_point){.value = h, .error = 2.385 * pow(h, p) * (1.0 + a * h), .next = h};
  }
}

static void exact_orders_are_found(void **unused) {
  (void)unused;
  const double orders[] = {1.0, 2.0, 4.0, 7.3, -1.5};
  const rl_fit_rule rule = rl_fit_rule_of(RL_LAW_POWER);
  for (size_t i = 0; i < sizeof orders / sizeof orders[0]; i++) {
    rl_fit_point points[MOST];
    make_power(points, 6, orders[i], 0.0);
    const rl_order_fit fit = rl_fit_order(&rule, points, 6);
    assert_int_equal(fit.count, 6);
    check_near(fit.slope, orders[i], 1e-12);
    check_near(exp(fit.constant), 2.385, 1e-10);
    check_below(fit.half, 1e-9);
  }
}

// By hand: three points at x = 0, 1, 2 with weights 1, 4, 16 and y = 0, 1.1, 2. The slope is
// sum w (x - mean) y / sum w (x - mean)^2 with the weighted mean 36/21; its variance the mean
// square of what is left (one degree of freedom) over that sum. With the next term, 1, 1/2, 1/4,
// the curve goes through all three: from p - a/2 = 1.1 and p - a/4 = 0.9 the slope is 0.7.
static void intervals_are_students(void **unused) {
  (void)unused;
  const double x[] = {0.0, 1.0, 2.0}, y[] = {0.0, 1.1, 2.0}, w[] = {1.0, 4.0, 16.0};
  rl_fit_point points[3];
  double sxx = 0.0, sxy = 0.0, sw = 0.0, sx = 0.0, sy = 0.0, left = 0.0;
  for (size_t i = 0; i < 3; i++) {
    points[i] = (rl_fit_point){.value = exp(x[i]), .error = exp(y[i]), .next = 1.0 / sqrt(w[i])};
    sw += w[i];
    sx += w[i] * x[i];
    sy += w[i] * y[i];
  }
  for (size_t i = 0; i < 3; i++) {
    sxx += w[i] * (x[i] - sx / sw) * (x[i] - sx / sw);
    sxy += w[i] * (x[i] - sx / sw) * y[i];
  }
  const double slope = sxy / sxx;
  for (size_t i = 0; i < 3; i++) {
    const double r = y[i] - sy / sw - slope * (x[i] - sx / sw);
    left += w[i] * r * r;
  }
  rl_fit_rule rule = rl_fit_rule_of(RL_LAW_POWER);
  rule.band = 0.5;
  const rl_order_fit fit = rl_fit_order(&rule, points, 3);
  assert_int_equal(fit.count, 3);
  check_near(fit.slope, slope, 1e-12);
  const double scatter = tan(0.475 * acos(-1.0)) * sqrt(left / sxx); // t of one degree
  check_near(fit.curve[1], 0.7, 1e-12);
  check_near(fit.half, scatter + slope - 0.7, 1e-9);
  double low, high; // at the last point the curve is where it is, and the line at its mean + ...
  const double at = sy / sw + slope * (x[2] - sx / sw);
  const double spread =
      scatter * sqrt(sxx) * sqrt(1.0 / sw + (x[2] - sx / sw) * (x[2] - sx / sw) / sxx);
  check_near(log(rl_fit_at(&fit, RL_LAW_POWER, exp(2.0), &low, &high)), at, 1e-12);
  check_near(log(high) - at, spread + fabs(2.0 - at), 1e-9);
  check_near(at - log(low), spread + fabs(2.0 - at), 1e-9);
}

// The next term bends every point to the same side, and so does the one after it, of which the fit
// knows nothing: the interval has to hold the order all the same, in at least 92 of 100 series,
// with scatter as the weights have it on top. What is left over of the line alone would hold it in
// half of them.
static void intervals_hold_the_order(void **unused) {
  (void)unused;
  const rl_fit_rule rule = rl_fit_rule_of(RL_LAW_POWER);
  enum { SERIES = 1000 };
  for (size_t count = 4; count <= 9; count++) {
    uint64_t seed = 385 + count;
    int fitted = 0, held = 0, by_scatter = 0;
    for (int i = 0; i < SERIES; i++) {
      const double a = between(&seed, -0.5, 0.5), b = between(&seed, -0.3, 0.3);
      const double noise = i % 2 == 0 ? 0.0 : 0.1;
      rl_fit_point points[MOST];
      make_power(points, count, 2.0, 0.0);
      for (size_t k = 0; k < count; k++) {
        const double h = points[k].value;
        points[k].error *= 1.0 + a * h + b * h * h + h * between(&seed, -noise, noise);
      }
      const rl_order_fit fit = rl_fit_order(&rule, points, count);
      fitted += fit.count > 0;
      held += fit.count > 0 && fabs(fit.slope - 2.0) <= fit.half;
      by_scatter += fit.count > 0 && fabs(fit.slope - 2.0) <= fit.quantile * sqrt(fit.variance[2]);
    }
    print_message("%zu points: %d of %d intervals hold the order, by the scatter alone %d\n", count,
                  held, fitted, by_scatter);
    check_below(0.92 * fitted, held);
    check_below(0.99 * SERIES, fitted);
  }
}

// What is not asymptotic yet, or only round-off, is left out, and the fit is the better for it.
static void outliers_are_left_out(void **unused) {
  (void)unused;
  const rl_fit_rule rule = rl_fit_rule_of(RL_LAW_POWER);
  rl_fit_point points[MOST];
  make_power(points, 10, 2.0, 0.0);
  points[0].error *= 0.05; // saturated
  points[1].error *= 0.4;
  points[8].error = points[9].error = 3e-5; // round-off
  points[8].floor = points[9].floor = 1e-4;
  rl_order_fit fit = rl_fit_order(&rule, points, 10);
  assert_int_equal(fit.first, 2);
  assert_int_equal(fit.count, 6);
  check_near(fit.slope, 2.0, 1e-12);
  points[4].error = NAN; // a run that failed, in the middle: the finer three are as many
  fit = rl_fit_order(&rule, points, 10);
  assert_int_equal(fit.first, 5);
  assert_int_equal(fit.count, 3);
}

// Weights: with a next term the finest points decide, and come nearer to the order than equal ones.
static void fine_points_weigh_more(void **unused) {
  (void)unused;
  const rl_fit_rule rule = rl_fit_rule_of(RL_LAW_POWER);
  rl_fit_point points[MOST];
  make_power(points, 8, 1.0, 0.6);
  const rl_order_fit weighted = rl_fit_order(&rule, points, 8);
  for (size_t i = 0; i < 8; i++) {
    points[i].next = 1.0;
  }
  const rl_order_fit equal = rl_fit_order(&rule, points, 8);
  assert_int_equal(weighted.count, 8);
  check_below(fabs(weighted.slope - 1.0), 0.25 * fabs(equal.slope - 1.0));
}

static void noise_has_no_order(void **unused) {
  (void)unused;
  const rl_fit_rule rule = rl_fit_rule_of(RL_LAW_POWER);
  const double errors[] = {1.0, 0.2, 0.9, 0.1, 0.7, 0.12};
  rl_fit_point points[MOST];
  make_power(points, 6, 1.0, 0.0);
  for (size_t i = 0; i < 6; i++) {
    points[i].error = errors[i];
  }
  assert_int_equal(rl_fit_order(&rule, points, 6).count, 0);
  assert_int_equal(rl_fit_order(&rule, points, 2).count, 0);
  assert_int_equal(rl_fit_order(&rule, points, 0).count, 0);
}

// A plateau of many points is no order while fewer points fall; alone it is one.
static void plateaus_come_last(void **unused) {
  (void)unused;
  const rl_fit_rule rule = rl_fit_rule_of(RL_LAW_POWER);
  rl_fit_point points[MOST];
  make_power(points, 10, 2.0, 0.0);
  for (size_t i = 4; i < 10; i++) {
    points[i].error = points[3].error * (1.0 + 0.001 * (double)i);
  }
  rl_order_fit fit = rl_fit_order(&rule, points, 10);
  assert_int_equal(fit.first, 0);
  assert_int_equal(fit.count, 4);
  check_near(fit.slope, 2.0, 1e-12);
  fit = rl_fit_order(&rule, &points[4], 6);
  assert_int_equal(fit.count, 6);
  check_near(fit.slope, 0.0, 0.01);
}

static void contraction_is_found(void **unused) {
  (void)unused;
  const rl_fit_rule rule = rl_fit_rule_of(RL_LAW_EXPONENTIAL);
  rl_fit_point points[MOST];
  for (size_t i = 0; i < 8; i++) {
    const double n = 7.0 * (double)(i + 1);
    points[i] = (rl_fit_point){.value = n, .error = 0.385 * pow(0.93, n), .next = 1.0};
  }
  points[0].error *= 3.0; // other modes die out first
  const rl_order_fit fit = rl_fit_order(&rule, points, 8);
  assert_int_equal(fit.first, 1);
  check_near(exp(fit.slope), 0.93, 1e-12);
  double low, high;
  check_relative(rl_fit_at(&fit, RL_LAW_EXPONENTIAL, 20.0, &low, &high), 0.385 * pow(0.93, 20.0),
                 1e-9);
  assert_true(low <= high);
}

// Two series with a known difference, sampled at different times of which some are common.
static void norms_of_a_difference(void **unused) {
  (void)unused;
  char *names[] = {(char[]){"time_s"}, (char[]){"x"}, (char[]){"y"}};
  double a[11][3], b[6][3];
  for (size_t i = 0; i <= 10; i++) {
    const double t = 0.1 * (double)i;
    a[i][0] = t;
    a[i][1] = t * t;
    a[i][2] = 1.0;
  }
  for (size_t i = 0; i <= 5; i++) {
    const double t = 0.2 * (double)i;
    b[i][0] = t;
    b[i][1] = t * t - 3.0 * t; // differs by 3 t
    b[i][2] = 0.5;
  }
  const rl_table left = {.column_count = 3, .row_count = 11, .names = names, .values = a[0]};
  const rl_table right = {.column_count = 3, .row_count = 6, .names = names, .values = b[0]};
  const char *const x[] = {"x"}, *const both[] = {"x", "y"}, *const missing[] = {"z"};
  rl_norms norms = rl_series_distance(&left, &right, x, 1);
  assert_int_equal(norms.samples, 5);
  check_near(norms.max, 3.0, 1e-12);
  check_near(norms.end, 3.0, 1e-12);
  // The mean of 9 t^2 over 0.2 ... 1 by trapezoids: 9 (t^3 / 3 + 0.2^2 / 6 t) / 0.8.
  check_near(norms.l2, sqrt(9.0 * (0.992 / 3.0 + 0.04 / 6.0 * 0.8) / 0.8), 1e-12);
  norms = rl_series_distance(&left, &right, both, 2);
  check_near(norms.max, 3.0, 1e-12);
  b[5][1] = NAN; // a closed form that has ended
  norms = rl_series_distance(&left, &right, x, 1);
  assert_int_equal(norms.samples, 4);
  check_near(norms.end, 2.4, 1e-12);
  assert_true(isnan(rl_series_distance(&left, &right, missing, 1).max));
  check_near(rl_series_size(&left, both, 2).max, 1.0, 1e-12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_orders_are_found),   cmocka_unit_test(intervals_are_students),
      cmocka_unit_test(intervals_hold_the_order), cmocka_unit_test(outliers_are_left_out),
      cmocka_unit_test(fine_points_weigh_more),   cmocka_unit_test(noise_has_no_order),
      cmocka_unit_test(plateaus_come_last),       cmocka_unit_test(contraction_is_found),
      cmocka_unit_test(norms_of_a_difference),
  };
  return cmocka_run_group_tests_name("order", tests, NULL, NULL);
}
