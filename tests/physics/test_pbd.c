// SPDX-License-Identifier: GPL-3.0-or-later
// Position based dynamics on a straight taut chain, where relaxation has an exact theory
// (pbd.md, "Theory"): the matrix is tridiag(-1, 2, -1) with a first entry of 1.
#include "check.h"

#include <stdlib.h>

enum { TRACE = 200000 };

// One step of a vertical chain of `count` equal beads at rest; returns the number of residuals.
static size_t trace_chain(int count, const char *spec, double *trace) {
  rl_scenario *s = scenario_from("name: chain\nduration: 1\nstep: 0.01\n"
                                 "ropes:\n"
                                 "  chain: {from: {point: [0, 0, 0]}, to: {free: [0, -1, 0]},\n"
                                 "          mass: %d, segments: %d, lumping: equal}\n",
                                 count, count);
  rl_driver *d = driver_for(s, spec, 0.01);
  d->info.trace = trace;
  d->info.trace_capacity = TRACE;
  assert_true(rl_driver_step(d) > 0);
  const size_t length = d->info.trace_count;
  assert_int_equal(length, d->info.iterations);
  rl_driver_free(d);
  rl_scenario_free(s);
  return length;
}

// The contraction per sweep over the last decades of the trace: a line through the logarithms of
// the residuals between 1e-10 and 1e-12 m, above the stagnation at ulp / (1 - rho); with `power` 1
// the model is n rho^n.
static double contraction(const double *trace, size_t count, double power) {
  double n = 0, sx = 0, sy = 0, sxx = 0, sxy = 0;
  for (size_t i = 0; i < count; i++) {
    if (trace[i] < 1e-10 && trace[i] > 1e-12) {
      const double x = (double)(i + 1);
      const double y = log(trace[i]) - power * log(x);
      n += 1, sx += x, sy += y, sxx += x * x, sxy += x * y;
    }
  }
  assert_true(n >= 2);
  return exp((n * sxy - sx * sy) / (n * sxx - sx * sx));
}

static const int counts[] = {5, 10, 20, 50};

static void check_rate(const char *order, double expected_root, int count, double *trace) {
  char spec[128];
  snprintf(spec, sizeof spec, "pbd,iterations=100000,tolerance=1e-12,order=%s", order);
  const size_t length = trace_chain(count, spec, trace);
  const double rho = contraction(trace, length, 0.0);
  check_relative(1.0 - rho, 1.0 - expected_root, 0.01);
}

// Gauss-Seidel, forward and backward: cos^2(pi / 2N); Jacobi: its root.
static void relaxation_contracts_as_theory_says(void **unused) {
  (void)unused;
  double *trace = malloc(TRACE * sizeof *trace);
  assert_non_null(trace);
  for (size_t i = 0; i < 4; i++) {
    const double c = cos(RL_PI / (2.0 * counts[i]));
    check_rate("forward", c * c, counts[i], trace);
    check_rate("backward", c * c, counts[i], trace);
    check_rate("jacobi", c, counts[i], trace);
  }
  free(trace);
}

// SOR at its optimum 2 / (1 + sin(pi / 2N)): n rho^n with rho = omega - 1.
static void sor_contracts_as_theory_says(void **unused) {
  (void)unused;
  double *trace = malloc(TRACE * sizeof *trace);
  assert_non_null(trace);
  for (size_t i = 0; i < 4; i++) {
    const double omega = 2.0 / (1.0 + sin(RL_PI / (2.0 * counts[i])));
    char spec[128];
    snprintf(spec, sizeof spec, "pbd,iterations=100000,tolerance=1e-12,omega=%.17g", omega);
    const size_t length = trace_chain(counts[i], spec, trace);
    check_relative(1.0 - contraction(trace, length, 1.0), 2.0 - omega, 0.01);
  }
  free(trace);
}

// The tension of element i of a hanging chain at rest is the weight below it.
static void tension_is_the_weight_below(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from("name: chain\nduration: 1\nstep: 0.01\n"
                                 "ropes:\n"
                                 "  chain: {from: {point: [0, 0, 0]}, to: {free: [0, -1, 0]},\n"
                                 "          mass: 0.7, segments: 7}\n");
  rl_driver *d = driver_for(s, "pbd,iterations=100000,tolerance=1e-15", 0.01);
  take_steps(d, 3);
  for (int i = 0; i < 7; i++) {
    char name[32];
    snprintf(name, sizeof name, "chain.tension.%d", i);
    check_near(probe(d, name), 9.81 * 0.1 * (6.5 - i), 1e-8);
  }
  rl_driver_free(d);
  rl_scenario_free(s);
}

// Every order ends at the same tensions, and none changes the momentum of a free rope.
static void orders_agree_and_keep_momentum(void **unused) {
  (void)unused;
  static const char *const orders[] = {"forward",   "backward", "symmetric",
                                       "red-black", "jacobi",   "averaged-jacobi"};
  for (size_t i = 0; i < 6; i++) {
    char spec[128];
    snprintf(spec, sizeof spec, "pbd,iterations=100000,tolerance=1e-14,order=%s", orders[i]);
    rl_scenario *s = scenario_from("name: chain\nduration: 1\nstep: 0.01\n"
                                   "ropes: {chain: {from: {point: [0, 0, 0]},"
                                   " to: {free: [0, -1, 0]}, mass: 1, segments: 10}}\n");
    rl_driver *d = driver_for(s, spec, 0.01);
    assert_true(rl_driver_step(d) > 0);
    check_near(probe(d, "chain.tension.from"), 9.81 * 0.95, 1e-6);
    rl_driver_free(d);
    rl_scenario_free(s);
    s = scenario_from("name: free\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\n"
                      "ropes: {r: {from: {free: [-0.5, 0, 0]}, to: {free: [0.5, 0, 0]},"
                      " node_masses: [1, 1, 1, 1, 5], segments: 4, spin: [0, 0, 3]}}\n");
    snprintf(spec, sizeof spec, "pbd,iterations=10,order=%s", orders[i]);
    d = driver_for(s, spec, 0.01);
    for (int n = 0; n < 100; n++) {
      assert_true(rl_driver_step(d) > 0);
      check_below(rl_length(rl_state_momentum(s->model, d->state).linear), 1e-12);
    }
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// A long-range attachment carries a heavy load at once, and its pull is in the tension. An end
// beside the centre of a free body is none to attach to.
static void long_range_attachments_pull(void **unused) {
  (void)unused;
  rl_scenario *s =
      scenario_from("name: load\nduration: 1\nstep: 0.01\n"
                    "bodies: {load: {mass: 100, position: [0, -1, 0]}}\n"
                    "ropes: {r: {from: {point: [0, 0, 0]}, to: {body: load}, mass: 0.1,"
                    " segments: 20}}\n");
  rl_driver *d = driver_for(s, "pbd,iterations=5,long_range=true", 1.0 / 240.0);
  take_steps(d, 100);
  check_below(probe(d, "r.stretch"), 1e-3);
  check_relative(probe(d, "r.tension.from"), 9.81 * 100.05, 1e-2);
  rl_driver_free(d);
  rl_scenario_free(s);
  s = scenario_from("name: pair\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\n"
                    "bodies: {a: {mass: 1, position: [0, 0, 0]},"
                    " b: {mass: 1, position: [1.1, 0, 0], velocity: [2, 0, 0]}}\n"
                    "ropes: {r: {from: {body: a, at: [0.1, 0, 0]}, to: {body: b}, mass: 0.1,"
                    " segments: 5}}\n");
  d = driver_for(s, "pbd,long_range=true", 0.01);
  for (int n = 0; n < 20; n++) {
    assert_true(rl_driver_step(d) > 0);
    check_near(rl_state_momentum(s->model, d->state).linear.x, 2.0, 1e-12);
  }
  rl_driver_free(d);
  rl_scenario_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(relaxation_contracts_as_theory_says),
      cmocka_unit_test(sor_contracts_as_theory_says),
      cmocka_unit_test(tension_is_the_weight_below),
      cmocka_unit_test(orders_agree_and_keep_momentum),
      cmocka_unit_test(long_range_attachments_pull),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
