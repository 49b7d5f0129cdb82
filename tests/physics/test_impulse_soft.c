// SPDX-License-Identifier: GPL-3.0-or-later
// Soft impulses: what a soft row leaves at rest, order, energy, momentum, and mass ratios. Its
// elastic ropes are in test_xpbd.c.
#include "check.h"

#include <stdlib.h>

// At rest a row has the excess lambda W / omega^2, whatever step and damping: beads of mass m that
// hang in a row have W = 2/m but for the first, and N of them are longer by g N^2 / omega^2.
static void stretch_at_rest(void **unused) {
  (void)unused;
  static const struct {
    const char *spec;
    double hertz, step;
    int beads;
  } known[] = {
      {"impulse-soft,hertz=30,iterations=20,relax=20", 30.0, 1.0 / 60.0, 7},
      {"impulse-soft,hertz=30,substeps=3,iterations=20", 30.0, 1.0 / 240.0, 7},
      {"impulse-soft,hertz=47,damping_ratio=0.7,iterations=40,order=symmetric", 47.0, 1.0 / 240.0,
       19},
      {"impulse-soft,hertz=1000,substeps=10,iterations=20", 0.25 * 2400.0, 1.0 / 240.0, 7}};
  for (size_t i = 0; i < 4; i++) {
    const int n = known[i].beads;
    rl_scenario *s = scenario_from("name: c\nduration: 1\nstep: 0.01\n"
                                   "ropes: {c: {from: {point: [0, 0, 0]}, to: {free: [0, -2, 0]},\n"
                                   "  mass: %g, segments: %d, lumping: equal}}\n",
                                   2.385 * n, n);
    rl_driver *d = driver_for(s, known[i].spec, known[i].step);
    for (int k = 0; k * known[i].step < 5.0; k++) {
      assert_true(rl_driver_step(d) > 0);
    }
    const double omega = 2.0 * RL_PI * known[i].hertz;
    check_relative(-2.0 - probe(d, "c.tip.y"), 9.81 * n * n / (omega * omega), 1e-4);
    check_relative(probe(d, "c.tension.from"), 2.385 * n * 9.81, 1e-4);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// A row of its own: k = omega^2 / W and c = 2 zeta omega / W of the soft law are those of an
// elastic rope, so that with relax=0 a stiff rod moves as that rope does.
static void soft_row_is_a_damped_spring(void **unused) {
  (void)unused;
  const double m = 1.7, hertz = 3.0, zeta = 0.3, omega = 2.0 * RL_PI * hertz;
  const char *text = "name: s\nduration: 1\nstep: 0.01\n"
                     "bodies: {a: {mass: %g, position: [0, -1, 0], velocity: [0, -0.3, 0]}}\n"
                     "ropes: {r: {from: {point: [0, 0, 0]}, to: {body: a}, length: 1,\n"
                     "  compression: true%s}}\n";
  char elastic[128];
  snprintf(elastic, sizeof elastic, ", stiffness: %.17g, damping: %.17g", m * omega * omega,
           2.0 * zeta * omega * m);
  rl_scenario *stiff = scenario_from(text, m, "");
  rl_scenario *spring = scenario_from(text, m, elastic);
  rl_driver *a =
      driver_for(stiff, "impulse-soft,relax=0,substeps=4,hertz=3,damping_ratio=0.3", 0.01);
  rl_driver *b = driver_for(spring, "impulse-soft,relax=0,substeps=4", 0.01);
  for (int n = 0; n < 100; n++) {
    assert_true(rl_driver_step(a) > 0 && rl_driver_step(b) > 0);
    check_near(probe(a, "a.y"), probe(b, "a.y"), 1e-12);
    check_near(probe(a, "r.tension"), probe(b, "r.tension"), 1e-8);
  }
  rl_driver_free(a);
  rl_driver_free(b);
  rl_scenario_free(stiff);
  rl_scenario_free(spring);
}

static double angle_error(const rl_scenario *s, double dt) {
  rl_driver *d = driver_for(s, "impulse-soft,substeps=1", dt);
  rl_driver *exact = driver_for(s, "rattle", 1e-4);
  take_steps(d, (int)floor(1.0 / dt + 0.5));
  take_steps(exact, 10000);
  const double error = probe(d, "line.angle") - probe(exact, "line.angle");
  rl_driver_free(d);
  rl_driver_free(exact);
  return fabs(error);
}

static void order_is_one(void **unused) {
  (void)unused;
  rl_scenario *s = shipped_with("pendulum", NULL, 0);
  double error = angle_error(s, 1.0 / 500.0);
  for (double rate = 1000.0; rate <= 4000.0; rate *= 2.0) {
    const double finer = angle_error(s, 1.0 / rate);
    check_near(log(error / finer) / log(2.0), 1.0, 0.1);
    error = finer;
  }
  rl_scenario_free(s);
}

// The half step between position and velocity comes and goes; nothing is gained over 50 swings.
static void pendulum_gains_nothing(void **unused) {
  (void)unused;
  rl_scenario *s = shipped_with("pendulum", NULL, 0);
  rl_driver *d = driver_for(s, "impulse-soft", 1.0 / 240.0);
  double first = 0.0, last = -INFINITY;
  for (int n = 0; n < 24000; n++) {
    assert_true(rl_driver_step(d) > 0);
    const double error = rl_driver_energy_error(d);
    first = n < 6000 ? fmax(first, error) : first;
    last = n < 18000 ? last : fmax(last, error);
  }
  check_below(first, 0.01); // of 9.81 J: v h / 2 of one substep
  check_below(last, first);
  rl_driver_free(d);
  rl_scenario_free(s);
}

static void momentum_stays(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from("name: w\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.004\n"
                                 "bodies:\n"
                                 "  a: {mass: 3, position: [0, 0, 0], velocity: [1, 2, 0]}\n"
                                 "  b: {mass: 0.01, position: [1, 0, 0], velocity: [-2, 3, 1]}\n"
                                 "ropes:\n"
                                 "  r: {from: {body: a}, to: {body: b}, mass: 0.5, segments: 12,\n"
                                 "    slack: 0.2, velocity: [0.3, -1, 0.5]}\n"
                                 "  e: {from: {body: a}, to: {rope: r, node: 6}, mass: 0.5,\n"
                                 "    segments: 4, stiffness: 100, damping: 0.1}\n");
  rl_driver *d = driver_for(s, "impulse-soft", 0.004);
  const rl_metrics start = rl_metrics_of(d);
  for (int n = 0; n < 500; n++) {
    free_step(d, &start, INFINITY);
  }
  rl_driver_free(d);
  rl_scenario_free(s);
}

// A load of a thousand ropes that is swung: twenty sweeps of hard impulses in one step throw it
// about until it is stopped, twenty soft ones in substeps hold it, on elements that are longer by
// lambda W / omega^2 - for 1244 N at the bottom 0.7 of their length and what they overshoot - and
// gain nothing.
static void heavy_load_is_held(void **unused) {
  (void)unused;
  rl_scenario *hard = shipped_with("heavy-load", NULL, 0);
  rl_scenario *soft = shipped_with("heavy-load", NULL, 0);
  assert_false(survives_steps(hard, "impulse,iterations=20", 1.0 / 240.0, 480));
  rl_driver *d = driver_for(soft, "impulse-soft,substeps=10,iterations=1,relax=1", 1.0 / 240.0);
  const double energy = rl_energy_total(rl_driver_energy(d));
  for (int n = 0; n < 480; n++) {
    assert_true(rl_driver_step(d) > 0);
    check_below(rl_energy_total(rl_driver_energy(d)), energy + 1e-9);
    check_below(rl_metrics_of(d).stretch_max, 1.5);
  }
  rl_driver_free(d);
  rl_scenario_free(soft);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(stretch_at_rest), cmocka_unit_test(soft_row_is_a_damped_spring),
      cmocka_unit_test(order_is_one),    cmocka_unit_test(pendulum_gains_nothing),
      cmocka_unit_test(momentum_stays),  cmocka_unit_test(heavy_load_is_held),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
