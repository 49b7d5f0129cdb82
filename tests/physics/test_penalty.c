// SPDX-License-Identifier: GPL-3.0-or-later
// Penalty springs: the limit of the step, and the shape of an elastic rope at rest.
#include "check.h"

#define PI 3.14159265358979323846

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

// Stable iff k < m / (dt^2 cos^2(pi / (2N + 1))) - 2 c / dt  (references 2.11).
static void limit_of_the_step(void **unused) {
  (void)unused;
  static const struct {
    int count;
    double damping;
  } cases[] = {{29, 0.0}, {29, 0.25}, {29, 0.5}, {7, 0.0}, {3, 0.25}, {1, 0.0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const double c = cos(PI / (2.0 * cases[i].count + 1.0));
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

// At rest spring i of a hanging elastic rope carries the weight below it (references 4.2).
static void elastic_rope_at_rest(void **unused) {
  (void)unused;
  const int count = 8;
  const double mass = 0.4, load = 0.3, ea = 60.0, g = 9.81, length = 1.2;
  rl_scenario *s = scenario_from("name: cord\nduration: 1\nstep: 0.005\n"
                                 "bodies: {load: {mass: %g, position: [0, %g, 0]}}\n"
                                 "ropes:\n"
                                 "  cord: {from: {point: [0, 0, 0]}, to: {body: load}, mass: %g,\n"
                                 "         segments: %d, stiffness: %g, damping: 3}\n",
                                 load, -length, mass, count, ea);
  rl_driver *d = driver_for(s, "penalty,substeps=10", 0.005);
  for (int n = 0; n < 8000; n++) {
    assert_true(rl_driver_step(d) > 0);
  }
  // Half an element's mass sits on the load's node, which counts only when it is released.
  double stretched = 0.0;
  for (int i = 0; i < count; i++) {
    const double below = g * (load + mass / count * (count - 1 - i));
    stretched += length / count * (1.0 + below / ea);
  }
  check_near(probe(d, "cord.length"), stretched, 1e-9);
  check_near(probe(d, "cord.tension.from"), g * (load + mass / count * (count - 1)), 1e-8);
  // What the damper took is what gravity gave less what the springs hold.
  check_near(rl_driver_energy_error(d), 0.0, 2e-3 * d->state->dissipated);
  rl_driver_free(d);
  rl_scenario_free(s);
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
               {"penalty,substeps=1,integrator=rk4", 4.0}};
  double truth[2];
  swing("penalty,substeps=1,integrator=rk4", 1e-4, truth);
  for (size_t i = 0; i < 3; i++) {
    double coarse[2], fine[2];
    swing(known[i].spec, 1.0 / 400.0, coarse);
    swing(known[i].spec, 1.0 / 800.0, fine);
    const double ratio = hypot(coarse[0] - truth[0], coarse[1] - truth[1]) /
                         hypot(fine[0] - truth[0], fine[1] - truth[1]);
    check_near(log(ratio) / log(2.0), known[i].order, 0.1);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(limit_of_the_step),
      cmocka_unit_test(elastic_rope_at_rest),
      cmocka_unit_test(integrators_have_their_orders),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
