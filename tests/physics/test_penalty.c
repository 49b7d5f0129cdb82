// SPDX-License-Identifier: GPL-3.0-or-later
// Penalty springs, explicit and implicit: the limit of the step or that there is none, the shape of
// an elastic rope at rest, orders, and what a linear mode becomes.
#include "check.h"

#include <complex.h>
#include <string.h>

// A chain of `count` beads of 0.05 kg, 2 ms, hanging and nudged along itself; rods, so that it
// stays linear.
static bool survives(int count, double stiffness, double damping) {
  const double mass = 0.05;
  rl_scenario *s = scenario_from(
      "name: chain\nduration: 1\nstep: 0.002\ngravity: [0, -9.82, 0]\n"
      "ropes:\n"
      "  chain: {from: {point: [0, 0, 0]}, to: {free: [0, %.17g, 0]},\n"
      "          mass: %.17g, segments: %d, lumping: equal, velocity: [0, -1e-6, 0],\n"
      "          compression: true}\n",
      -0.05 * count, mass * count, count);
  char spec[128];
  snprintf(spec, sizeof spec, "penalty,substeps=1,stiffness=%.17g,damping=%.17g", stiffness,
           damping);
  return survives_steps(s, spec, 0.002, 20000);
}

// Stable iff k < m / (dt^2 cos^2(pi / (2N + 1))) - 2 c / dt  (penalty.md, (11)).
static void limit_of_the_step(void **unused) {
  (void)unused;
  static const struct {
    int count;
    double damping;
  } cases[] = {{29, 0.0}, {29, 0.25}, {29, 0.5}, {7, 0.0}, {3, 0.25}, {1, 0.0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const double c = cos(RL_PI / (2.0 * cases[i].count + 1.0));
    const double expected = 0.05 / (0.002 * 0.002 * c * c) - 2.0 * cases[i].damping / 0.002;
    double low = 0.8 * expected;
    double high = 1.2 * expected;
    assert_true(survives(cases[i].count, low, cases[i].damping));
    assert_false(survives(cases[i].count, high, cases[i].damping));
    while (high - low > 5e-4 * expected) {
      const double middle = 0.5 * (low + high);
      *(survives(cases[i].count, middle, cases[i].damping) ? &low : &high) = middle;
    }
    check_relative(low, expected, 0.002);
  }
}

// At rest spring i of a hanging elastic rope carries the weight below it.
static void check_elastic_rest(const char *spec) {
  const int count = 8;
  const double mass = 0.4, load = 0.3, ea = 60.0, g = 9.81, length = 1.2;
  rl_scenario *s = scenario_from("name: cord\nduration: 1\nstep: 0.005\n"
                                 "bodies: {load: {mass: %g, position: [0, %g, 0]}}\n"
                                 "ropes:\n"
                                 "  cord: {from: {point: [0, 0, 0]}, to: {body: load}, mass: %g,\n"
                                 "         segments: %d, stiffness: %g, damping: 3}\n",
                                 load, -length, mass, count, ea);
  rl_driver *d = driver_for(s, spec, 0.005);
  take_steps(d, 8000);
  // Half an element's mass sits on the load's node, which counts only when it is released.
  double stretched = 0.0;
  for (int i = 0; i < count; i++) {
    const double below = g * (load + mass / count * (count - 1 - i));
    stretched += length / count * (1.0 + below / ea);
  }
  check_near(probe(d, "cord.length"), stretched, 1e-9);
  check_near(probe(d, "cord.tension.from"), g * (load + mass / count * (count - 1)), 1e-8);
  // What the damper took is what gravity gave less what the springs hold; what a large step of
  // backward Euler takes besides is its error.
  const bool exact = strcmp(spec, "penalty-implicit") != 0;
  check_near(rl_driver_energy_error(d), 0.0, (exact ? 2e-3 : 0.5) * d->state->dissipated);
  rl_driver_free(d);
  rl_scenario_free(s);
}

static void elastic_rope_at_rest(void **unused) {
  (void)unused;
  check_elastic_rest("penalty,substeps=10");
  check_elastic_rest("penalty-implicit");
  check_elastic_rest("penalty-implicit,integrator=midpoint");
}

// A taut spring pendulum, smooth throughout: the error of each integrator falls with its order. The
// truth is the finest Runge-Kutta run.
static void swing(const char *spec, double dt, double out[2]) {
  rl_scenario *s = scenario_from("name: spring\nduration: 1\nstep: 0.01\n"
                                 "bodies: {bob: {mass: 1, position: [0.53, -0.92, 0]}}\n"
                                 "ropes: {r: {from: {point: [0, 0, 0]}, to: {body: bob}, length: 1,"
                                 " stiffness: 200}}\n");
  rl_driver *d = driver_for(s, spec, dt);
  const int steps = (int)floor(1.0 / dt + 0.5);
  for (int n = 0; n < steps; n++) {
    assert_true(rl_driver_step(d) > 0);
    assert_true(probe(d, "r.stretch") > 0.0);
  }
  out[0] = probe(d, "bob.x");
  out[1] = probe(d, "bob.y");
  rl_driver_free(d);
  rl_scenario_free(s);
}

static void integrators_have_their_orders(void **unused) {
  (void)unused;
  static const struct {
    const char *spec;
    double order;
  } known[] = {{"penalty,substeps=1", 1.0},
               {"penalty,substeps=1,integrator=verlet", 2.0},
               {"penalty,substeps=1,integrator=rk4", 4.0},
               {"penalty-implicit", 1.0},
               {"penalty-implicit,integrator=midpoint", 2.0},
               {"convex", 1.0},
               {"convex,integrator=midpoint", 2.0},
               {"convex,integrator=bdf2", 2.0}};
  double truth[2];
  swing("penalty,substeps=1,integrator=rk4", 1e-4, truth);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    double coarse[2], fine[2];
    swing(known[i].spec, 1.0 / 400.0, coarse);
    swing(known[i].spec, 1.0 / 800.0, fine);
    const double ratio = hypot(coarse[0] - truth[0], coarse[1] - truth[1]) /
                         hypot(fine[0] - truth[0], fine[1] - truth[1]);
    check_near(log(ratio) / log(2.0), known[i].order, 0.1);
  }
}

// Six beads between seven springs, pushed along the line in mode 2: with x + i v / omega a step of
// backward Euler is a division by 1 + i omega h, which is 1 / sqrt(1 + omega^2 h^2) of the
// amplitude and the frequency atan(omega h) / h; the midpoint rule turns it by 2 atan(omega h / 2)
// and keeps it (penalty-implicit.md, (10), (11)).
static void check_mode(const char *spec, double dt, bool midpoint) {
  enum { BEADS = 6, MODE = 2, STEPS = 60 };
  const double stiffness = 70.0, mass = 0.13, push = 1e-3;
  char velocities[512] = "[0, 0, 0]";
  double shape[BEADS + 2] = {0.0};
  for (int i = 1; i <= BEADS + 1; i++) {
    shape[i] = i <= BEADS ? sin(MODE * RL_PI * i / (BEADS + 1.0)) : 0.0;
    const size_t used = strlen(velocities);
    snprintf(velocities + used, sizeof velocities - used, ", [%.17g, 0, 0]", push * shape[i]);
  }
  rl_scenario *s = scenario_from(
      "name: mode\nduration: 1\nstep: 0.01\ngravity: [0, 0, 0]\n"
      "ropes: {r: {from: {point: [0, 0, 0]}, to: {point: [7, 0, 0]}, segments: 7, mass: %.17g,\n"
      "            stiffness: %.17g, compression: true, velocities: [%s]}}\n",
      7.0 * mass, stiffness, velocities);
  rl_driver *d = driver_for(s, spec, dt);
  const double omega = 2.0 * sqrt(stiffness / mass) * sin(MODE * RL_PI / (2.0 * (BEADS + 1)));
  double complex c = I * push / omega;
  for (int n = 0; n < STEPS; n++) {
    c *= midpoint ? (1.0 - 0.5 * I * omega * dt) / (1.0 + 0.5 * I * omega * dt)
                  : 1.0 / (1.0 + I * omega * dt);
    assert_true(rl_driver_step(d) > 0);
    for (uint32_t i = 1; i <= BEADS; i++) {
      const double x = rl_rope_position(s->model, d->state, 0, i).x;
      check_near(x, i + shape[i] * creal(c), 1e-12);
    }
  }
  rl_driver_free(d);
  rl_scenario_free(s);
}

static void modes_are_those_of_the_integrator(void **unused) {
  (void)unused;
  for (double dt = 0.003; dt < 1.0; dt *= 7.0) {
    check_mode("penalty-implicit,tolerance=1e-13", dt, false);
    check_mode("penalty-implicit,integrator=midpoint,tolerance=1e-13", dt, true);
  }
}

// A load of a thousand ropes under stand-ins of any hardness: the stretch is T W h^2 / (hardness
// L0), at a stiffness and step at which the explicit method is gone in a few steps.
static void no_step_is_too_large(void **unused) {
  (void)unused;
  static const struct {
    double dt, hardness;
  } cases[] = {{1.0 / 60.0, 1e7}, {0.1, 1e8}, {1.0 / 240.0, 3e6}};
  const int count = 10;
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    rl_scenario *s =
        scenario_from("name: load\nduration: 1\nstep: 0.01\n"
                      "bodies: {load: {mass: 100, position: [0, -2, 0]}}\n"
                      "ropes: {r: {from: {point: [0, 0, 0]}, to: {body: load}, mass: 0.1,"
                      " segments: %d, length: 2}}\n",
                      count);
    char spec[128];
    const double node = 0.1 / count, h = cases[i].dt;
    snprintf(spec, sizeof spec, "penalty-implicit,hardness=%.17g", cases[i].hardness);
    rl_driver *d = driver_for(s, spec, h);
    take_steps(d, 400);
    // Each element carries the load and the nodes below it; W is 1 / node at the support, 2 / node
    // between nodes, and all but 1 / node at the load.
    double stretch = 0.0;
    for (int e = 0; e < count; e++) {
      const double tension = 9.81 * (100.0 + node * (count - 1 - e));
      const double w = e == 0 ? 1.0 / node : 1.0 / node + (e + 1 < count ? 1.0 / node : 0.01);
      stretch += tension * w * h * h / cases[i].hardness;
    }
    check_relative(probe(d, "r.length") - 2.0, stretch, 1e-5);
    rl_driver_free(d);
    snprintf(spec, sizeof spec, "penalty,substeps=1,stiffness=%.17g",
             cases[i].hardness * node / (2.0 * h * h));
    assert_false(survives_steps(s, spec, h, 400));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(limit_of_the_step),
      cmocka_unit_test(elastic_rope_at_rest),
      cmocka_unit_test(integrators_have_their_orders),
      cmocka_unit_test(modes_are_those_of_the_integrator),
      cmocka_unit_test(no_step_is_too_large),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
