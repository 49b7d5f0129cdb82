// SPDX-License-Identifier: GPL-3.0-or-later
// XPBD against its own recurrence, which the elastic ropes of impulse-soft share, and the numbers
// of the small-steps paper.
#include "check.h"

#include <string.h>

static const char *const implicit[] = {"xpbd", "impulse-soft"};

// One spring: x_{n+1} = (2 x_n - x_{n-1} + w2 l) / (1 + w2), w2 = dt^2 k / m, whatever the number
// of iterations (xpbd.md, (8)).
static void one_spring_follows_its_recurrence(void **unused) {
  (void)unused;
  static const int iterations[] = {1, 2, 5, 50};
  const double alpha = 0.001, dt = 0.01, rest = 1.0, start = 1.5, m = 1.0;
  for (size_t i = 0; i < 8; i++) {
    rl_scenario *s = scenario_from("name: spring\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\n"
                                   "bodies: {a: {mass: %g, position: [%g, 0, 0]}}\n"
                                   "ropes: {r: {from: {point: [0, 0, 0]}, to: {body: a},"
                                   " length: %g, stiffness: %.17g, compression: true}}\n",
                                   m, start, rest, rest / alpha);
    char spec[64];
    snprintf(spec, sizeof spec, "%s,substeps=1,iterations=%d", implicit[i % 2], iterations[i / 2]);
    rl_driver *d = driver_for(s, spec, dt);
    const double w2 = dt * dt / (alpha * m);
    double before = start, now = start;
    for (int n = 0; n < 100; n++) {
      const double next = (2.0 * now - before + w2 * rest) / (1.0 + w2);
      before = now;
      now = next;
      assert_true(rl_driver_step(d) > 0);
      check_near(probe(d, "a.x"), now, 1e-12);
    }
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// A damped spring is implicit Euler: v' = v - dt/m (k C' + c v'), C' = C + dt v'.
static void check_damped_spring(const char *solver) {
  const double k = 80.0, c = 3.0, m = 0.7, dt = 0.01;
  rl_scenario *s = scenario_from("name: spring\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\n"
                                 "bodies: {a: {mass: %g, position: [1.5, 0, 0]}}\n"
                                 "ropes: {r: {from: {point: [0, 0, 0]}, to: {body: a}, length: 1,"
                                 " stiffness: %g, damping: %g, compression: true}}\n",
                                 m, k, c);
  char spec[64];
  snprintf(spec, sizeof spec, "%s,substeps=1", solver);
  rl_driver *d = driver_for(s, spec, dt);
  double x = 1.5, v = 0.0;
  for (int n = 0; n < 100; n++) {
    v = (v - dt / m * k * (x - 1.0)) / (1.0 + dt / m * (c + dt * k));
    x += dt * v;
    assert_true(rl_driver_step(d) > 0);
    check_near(probe(d, "a.x"), x, 1e-12);
    check_near(probe(d, "r.tension"), k * (x - 1.0) + c * v, 1e-9);
  }
  // The loss is that of the damper; implicit Euler loses the rest.
  check_below(rl_driver_energy_error(d), 0.0);
  rl_driver_free(d);
  rl_scenario_free(s);
}

static void damped_spring_is_implicit_euler(void **unused) {
  (void)unused;
  for (size_t i = 0; i < 2; i++) {
    check_damped_spring(implicit[i]);
  }
}

// Twenty particles of 1 kg, 0.01 m apart, the first held, g = 10 (small steps, figures 3 and 4).
static rl_scenario *small_steps_chain(double load) {
  char masses[512] = "[1";
  for (int i = 1; i < 19; i++) {
    strcat(masses, ", 1");
  }
  snprintf(masses + strlen(masses), 32, ", %g]", load);
  return scenario_from("name: chain\ngravity: [0, -10, 0]\nduration: 1\nstep: 0.01\n"
                       "ropes: {chain: {from: {point: [0, 0, 0]}, to: {free: [0, -0.19, 0]},"
                       " segments: 19, node_masses: %s}}\n",
                       masses);
}

// At rest the top link carries 190 N, and n substeps leave a stretch of exactly 171 g dt_s^2.
static void small_steps_at_rest(void **unused) {
  (void)unused;
  static const int substeps[] = {10, 20, 50, 100};
  rl_scenario *s = small_steps_chain(1.0);
  for (size_t i = 0; i < 4; i++) {
    char spec[64];
    snprintf(spec, sizeof spec, "xpbd,substeps=%d", substeps[i]);
    rl_driver *d = driver_for(s, spec, 1.0 / 60.0);
    take_steps(d, 1000);
    const double h = 1.0 / 60.0 / substeps[i];
    check_relative(probe(d, "chain.tension.from"), 190.0, 1e-3);
    check_relative(-0.19 - probe(d, "chain.tip.y"), 171.0 * 10.0 * h * h, 1e-3);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// A load of 1e5 on the last particle: the largest error of 100 iterations is about 100 times that
// of 100 substeps (the paper has 322.1 m to 3.2 m).
static double largest_error(const rl_scenario *s, const char *spec) {
  rl_driver *d = driver_for(s, spec, 1.0 / 60.0);
  double largest = 0.0;
  for (int n = 0; n < 3000; n++) {
    assert_true(rl_driver_step(d) > 0);
    largest = fmax(largest, -0.19 - probe(d, "chain.tip.y"));
  }
  rl_driver_free(d);
  return largest;
}

static void small_steps_beat_iterations(void **unused) {
  (void)unused;
  rl_scenario *s = small_steps_chain(1e5);
  const double iterated = largest_error(s, "xpbd,substeps=1,iterations=100");
  const double stepped = largest_error(s, "xpbd,substeps=100,iterations=1");
  check_near(iterated / stepped, 100.0, 5.0);
  const double averaged = largest_error(s, "xpbd,substeps=1,iterations=100,order=averaged-jacobi");
  const double small = largest_error(s, "xpbd,substeps=100,order=averaged-jacobi");
  check_near(averaged / small, 100.0, 5.0);
  rl_scenario_free(s);
}

// A slack rope does not pull, however strong its damper.
static void slack_damper_does_nothing(void **unused) {
  (void)unused;
  rl_scenario *s =
      scenario_from("name: cord\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\n"
                    "bodies: {a: {mass: 1, position: [0.5, 0, 0], velocity: [5, 0, 0]}}\n"
                    "ropes: {r: {from: {point: [0, 0, 0]}, to: {body: a}, length: 1,"
                    " stiffness: 50, damping: 10}}\n");
  rl_driver *d = driver_for(s, "xpbd,substeps=10", 0.01);
  for (int n = 0; n < 9; n++) { // taut after 0.1 s
    assert_true(rl_driver_step(d) > 0);
    check_near(probe(d, "r.tension"), 0.0, 0.0);
    check_near(d->state->dissipated, 0.0, 0.0);
  }
  rl_driver_free(d);
  rl_scenario_free(s);
}

// A damper that cancels the pull of its spring takes what the spring gives, no more.
static void damper_takes_no_more_than_there_is(void **unused) {
  (void)unused;
  rl_scenario *s =
      scenario_from("name: cord\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\n"
                    "bodies: {a: {mass: 1, position: [1.1, 0, 0], velocity: [-5, 0, 0]}}\n"
                    "ropes: {r: {from: {point: [0, 0, 0]}, to: {body: a}, length: 1,"
                    " stiffness: 50, damping: 50}}\n");
  rl_driver *d = driver_for(s, "xpbd,substeps=1000", 0.01);
  assert_true(rl_driver_step(d) > 0);
  // The damper outweighs the spring, so the body flies on and the spring's energy goes.
  const double now = probe(d, "a.x") - 1.0;
  check_near(probe(d, "a.vx"), -5.0, 1e-12);
  check_near(d->state->dissipated, 25.0 * (0.01 - now * now), 1e-3);
  rl_driver_free(d);
  rl_scenario_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(one_spring_follows_its_recurrence),
      cmocka_unit_test(damped_spring_is_implicit_euler),
      cmocka_unit_test(slack_damper_does_nothing),
      cmocka_unit_test(damper_takes_no_more_than_there_is),
      cmocka_unit_test(small_steps_at_rest),
      cmocka_unit_test(small_steps_beat_iterations),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
