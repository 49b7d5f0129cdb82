// SPDX-License-Identifier: GPL-3.0-or-later
// The impulse solver against exact results.
#include "check.h"

#include <stdlib.h>

// Both weights plumb below one eye: one row, exact at any mass ratio and step (references: the
// constraint is linear, so every error is rounding).
static void atwood_is_exact(void **unused) {
  (void)unused;
  static const double ratios[] = {2.0, 100.0, 1e6};
  static const double rates[] = {30.0, 60.0, 240.0, 1000.0};
  const double g = 9.81;
  for (size_t i = 0; i < 3; i++) {
    for (size_t k = 0; k < 4; k++) {
      rl_scenario *s = scenario_from("name: atwood\nduration: 1\nstep: 0.01\n"
                                     "bodies:\n"
                                     "  heavy: {mass: %g, position: [0, -4.2, 0]}\n"
                                     "  light: {mass: 1, position: [0, -10.3, 0]}\n"
                                     "ropes:\n"
                                     "  line: {from: {body: heavy}, to: {body: light},"
                                     " over: [{eye: [0, 0, 0]}]}\n",
                                     ratios[i]);
      rl_driver *d = driver_for(s, "impulse", 1.0 / rates[k]);
      const double a = (ratios[i] - 1.0) / (ratios[i] + 1.0) * g;
      for (int n = 1; n <= (int)rates[k]; n++) {
        assert_true(rl_driver_step(d) > 0);
        check_relative(-probe(d, "heavy.vy") / d->state->time, a, 1e-9);
        check_relative(probe(d, "light.vy") / d->state->time, a, 1e-9);
        check_relative(probe(d, "line.tension"), 2.0 * ratios[i] / (ratios[i] + 1.0) * g, 1e-9);
      }
      rl_driver_free(d);
      rl_scenario_free(s);
    }
  }
}

// Two rows that share the pulley: a = g (m1 - mp - m4) / (m1 + mp + m4), m4 = 4 m2 m3 / (m2 + m3).
static void double_atwood_is_exact(void **unused) {
  (void)unused;
  static const double masses[][4] = {{4, 0.5, 2, 1}, {2.385, 0.1, 1.3, 0.7}, {10, 1e-3, 3, 1}};
  const double g = 9.81;
  for (size_t i = 0; i < 3; i++) {
    const double *m = masses[i];
    rl_scenario *s = scenario_from("name: d\nduration: 1\nstep: 0.01\n"
                                   "bodies:\n"
                                   "  weight: {mass: %g, position: [0, -3, 0]}\n"
                                   "  pulley: {mass: %g, position: [0, -2, 0]}\n"
                                   "  left: {mass: %g, position: [0, -4, 0]}\n"
                                   "  right: {mass: %g, position: [0, -5, 0]}\n"
                                   "ropes:\n"
                                   "  main: {from: {body: weight}, to: {body: pulley},"
                                   " over: [{eye: [0, 0, 0]}]}\n"
                                   "  sling: {from: {body: left}, to: {body: right},"
                                   " over: [{body: pulley, at: [0, 0, 0]}]}\n",
                                   m[0], m[1], m[2], m[3]);
    rl_driver *d = driver_for(s, "impulse,iterations=100000,tolerance=1e-12", 0.005);
    const double m4 = 4.0 * m[2] * m[3] / (m[2] + m[3]);
    const double a = g * (m[0] - m[1] - m4) / (m[0] + m[1] + m4);
    const double tension = 0.5 * m4 * (g + a);
    for (int n = 0; n < 60; n++) {
      assert_true(rl_driver_step(d) == RL_CONVERGED_TOLERANCE);
    }
    const double t = d->state->time;
    check_near(probe(d, "pulley.vy") / t, a, 1e-9 * g);
    check_near(probe(d, "weight.vy") / t, -a, 1e-9 * g);
    check_near(probe(d, "left.vy") / t, tension / m[2] - g, 1e-9 * g);
    check_near(probe(d, "right.vy") / t, tension / m[3] - g, 1e-9 * g);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// The swinging Atwood machine at M = 3 m, r0 = 1, 90 degrees: r(1), theta(1) from the equations of
// motion integrated to 1e-13; the error has to halve with the step.
static double swinging_error(double dt) {
  rl_scenario *s = shipped_with("swinging-atwood", NULL, 0);
  rl_driver *d = driver_for(s, "impulse", dt);
  const int steps = (int)floor(1.0 / dt + 0.5);
  take_steps(d, steps);
  // The light weight hangs at (r sin theta, -r cos theta) below the eye.
  const double r = 0.57082602;
  const double theta = 4.89160627; // its mirror image: it starts on the other side
  const double error =
      hypot(probe(d, "light.x") - r * sin(-theta), probe(d, "light.y") + r * cos(theta));
  rl_driver_free(d);
  rl_scenario_free(s);
  return error;
}

static void swinging_atwood_converges_at_first_order(void **unused) {
  (void)unused;
  double error = swinging_error(1.0 / 2000.0);
  for (double rate = 4000.0; rate <= 16000.0; rate *= 2.0) {
    const double finer = swinging_error(1.0 / rate);
    check_near(log(error / finer) / log(2.0), 1.0, 0.1);
    error = finer;
  }
  check_below(error, 2e-3);
}

// Catto's stack of two (GDC 2014): iterations until the first impulse is within 5 % of the exact
// one, cold start, from the support on: 3 R + 2 for a mass ratio R.
static void catto_needs_3r_plus_2_iterations(void **unused) {
  (void)unused;
  static const int ratios[] = {1, 2, 5, 10, 20, 40};
  for (size_t i = 0; i < 6; i++) {
    const int r = ratios[i];
    rl_scenario *s = scenario_from("name: stack\nduration: 1\nstep: 0.01\n"
                                   "bodies:\n"
                                   "  light: {mass: 1, position: [0, -1, 0]}\n"
                                   "  heavy: {mass: %d, position: [0, -2, 0]}\n"
                                   "ropes:\n"
                                   "  upper: {from: {point: [0, 0, 0]}, to: {body: light}}\n"
                                   "  lower: {from: {body: light}, to: {body: heavy}}\n",
                                   r);
    int needed = 0;
    for (int n = 1; n <= 3 * r + 10 && needed == 0; n++) {
      char spec[64];
      snprintf(spec, sizeof spec, "impulse,iterations=%d,warm_start=false", n);
      rl_driver *d = driver_for(s, spec, 1.0 / 60.0);
      assert_true(rl_driver_step(d) > 0);
      const double exact = (1.0 + r) * 9.81;
      if (fabs(probe(d, "upper.tension") - exact) < 0.05 * exact) {
        needed = n;
      }
      rl_driver_free(d);
    }
    rl_scenario_free(s);
    assert_int_equal(needed, 3 * r + 2);
  }
}

// Two bodies of 80 kg part at 1 m/s each with 0.1 m of slack: taut at 0.05 s, an impulse of 80 N s,
// 80 J lost.
static void catch_two_bodies(const char *solver) {
  rl_scenario *s = scenario_from("name: catch\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\n"
                                 "bodies:\n"
                                 "  left: {mass: 80, position: [-1, 0, 0], velocity: [-1, 0, 0]}\n"
                                 "  right: {mass: 80, position: [1, 0, 0], velocity: [1, 0, 0]}\n"
                                 "ropes:\n"
                                 "  line: {from: {body: left}, to: {body: right}, slack: 0.1}\n");
  rl_driver *d = driver_for(s, solver, 0.01);
  double impulse = 0.0;
  for (int n = 1; n <= 10; n++) {
    assert_true(rl_driver_step(d) > 0);
    const double tension = probe(d, "line.tension");
    impulse += tension * 0.01;
    if (n < 5) {
      check_near(tension, 0.0, 0.0);
    }
  }
  check_near(impulse, 80.0, 1e-9);
  check_near(d->state->dissipated, 80.0, 1e-9);
  check_near(rl_driver_energy_error(d), 0.0, 1e-9);
  check_near(probe(d, "line.length"), 2.1, 1e-12);
  rl_driver_free(d);
  rl_scenario_free(s);
}

static void slack_rope_catches_two_bodies(void **unused) {
  (void)unused;
  catch_two_bodies("impulse");
  catch_two_bodies("impulse-direct");
}

// A rod takes back what it is too long and what it is too short alike: the same pair of rods
// hanging and standing on its head has the same errors.
static double rod_error(double sign) {
  rl_scenario *s =
      scenario_from("name: rods\nduration: 1\nstep: 0.01\n"
                    "bodies: {light: {mass: 1, position: [0, %g, 0]},\n"
                    "         heavy: {mass: 50, position: [0, %g, 0]}}\n"
                    "ropes:\n"
                    "  a: {from: {point: [0, 0, 0]}, to: {body: light}, compression: true}\n"
                    "  b: {from: {body: light}, to: {body: heavy}, compression: true}\n",
                    -sign, -2.0 * sign);
  rl_driver *d = driver_for(s, "impulse,iterations=5,warm_start=false,penalty_velocity=0.2", 0.01);
  double largest = 0.0;
  for (int n = 0; n < 100; n++) {
    assert_true(rl_driver_step(d) > 0);
    largest = fmax(largest, fmax(probe(d, "a.stretch"), probe(d, "b.stretch")));
  }
  rl_driver_free(d);
  rl_scenario_free(s);
  return largest;
}

static void rods_push_as_they_pull(void **unused) {
  (void)unused;
  const double hanging = rod_error(1.0);
  check_below(1e-3, hanging); // five iterations are too few, so there is an error to compare
  check_relative(rod_error(-1.0), hanging, 1e-9);
}

// The gradients are those of the start of the step, so a loaded rope is stable across itself only
// for steps below sqrt(m l/T), whatever the number of iterations (impulse.md, (11)).
static bool stays_straight(double dt) {
  rl_scenario *s = scenario_from("name: c\nduration: 1\nstep: 0.01\n"
                                 "bodies: {load: {mass: 10, position: [0, -1, 0]}}\n"
                                 "ropes: {chain: {from: {point: [0, 0, 0]}, to: {body: load},\n"
                                 "  mass: 0.1, segments: 6}}\n");
  rl_driver *d = driver_for(s, "impulse,iterations=20000,tolerance=1e-12", dt);
  for (uint32_t i = 1; i < 6; i++) {
    d->state->velocities[rl_rope_node(s->model, d->state, 0, i)].x = 1e-7 * sin(1.7 * i * i);
  }
  double largest = 0.0;
  for (int n = 0; n < 400 && largest < 1e-6; n++) {
    largest = rl_driver_step(d) < 0 ? INFINITY : largest;
    for (uint32_t i = 1; i < 6; i++) {
      const uint32_t node = rl_rope_node(s->model, d->state, 0, i);
      largest = rl_larger(largest, fabs(d->state->points[node].x));
    }
  }
  rl_driver_free(d);
  rl_scenario_free(s);
  return largest < 1e-6;
}

static void step_is_limited_by_the_tension(void **unused) {
  (void)unused;
  const double limit = sqrt(0.1 / 6.0 * (1.0 / 6.0) / (10.0 * 9.81));
  assert_true(stays_straight(0.95 * limit));
  assert_false(stays_straight(1.1 * limit));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(atwood_is_exact),
      cmocka_unit_test(double_atwood_is_exact),
      cmocka_unit_test(swinging_atwood_converges_at_first_order),
      cmocka_unit_test(catto_needs_3r_plus_2_iterations),
      cmocka_unit_test(slack_rope_catches_two_bodies),
      cmocka_unit_test(rods_push_as_they_pull),
      cmocka_unit_test(step_is_limited_by_the_tension),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
