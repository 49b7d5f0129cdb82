// SPDX-License-Identifier: GPL-3.0-or-later
// Pareto fronts: what no other point beats.
#include "check.h"

#include "experiments/precision.h"

enum { POINTS = 7 };

static void front_of_points(void **unused) {
  (void)unused;
  // The third is beaten by the second in error and equal in cost, the fifth in both; two are the
  // same and the first stays; the last is no point.
  const double errors[POINTS] = {1.7, 0.4, 0.5, 0.09, 0.6, 0.09, NAN};
  const double costs[POINTS] = {2.0, 7.0, 7.0, 31.0, 9.0, 31.0, 0.1};
  static const bool expected[POINTS] = {true, true, false, true, false, false, false};
  bool front[POINTS];
  rl_pareto_front(errors, costs, POINTS, front);
  for (size_t i = 0; i < POINTS; i++) {
    if (front[i] != expected[i]) {
      fail_msg("point %zu: observed %d, expected %d", i, front[i], expected[i]);
    }
  }
}

static void no_cost_is_no_point(void **unused) {
  (void)unused;
  const double errors[] = {0.3, 0.2}, costs[] = {4.0, INFINITY};
  bool front[2];
  rl_pareto_front(errors, costs, 2, front);
  assert_true(front[0]);
  assert_false(front[1]);
  rl_pareto_front(errors, costs, 0, front); // and nothing of nothing
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(front_of_points),
      cmocka_unit_test(no_cost_is_no_point),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
