// SPDX-License-Identifier: GPL-3.0-or-later
// Axial damping by its ratio, in every family that has elastic ropes: an element by itself is a
// damped spring, whose motion is known.
#include "check.h"

#include <string.h>

// The share of a displacement that is left of a spring let go from rest: omega = sqrt(k W), ratio
// zeta.
static double decay(double zeta, double phase) {
  const double root = sqrt(1.0 - zeta * zeta);
  return exp(-zeta * phase) * (cos(root * phase) + zeta / root * sin(root * phase));
}

// A rod of two nodes that fly freely, W = 1/m_a + 1/m_b; a rope with a node that hangs on it; and a
// massless one with a load, round a corner that is an eye. What hangs stays taut: k = 35 N/m, 0.2
// kg.
static const struct {
  const char *text;
  const char *length;                                         // the probe
  double zeta, centre, displacement, stiffness, inverse_mass; // of the length [m]
} scenes[] = {
    {"gravity: [0, 0, 0]\nropes:\n"
     "  r: {from: {free: [0, 0, 0]}, to: {free: [0.33, 0, 0]}, rest_lengths: [0.3],\n"
     "      node_masses: [0.2, 0.5], stiffness: 10.5, damping_ratio: 0.2, compression: true}\n",
     "r.length", 0.2, 0.3, 0.03, 35.0, 7.0},
    {"gravity: [0, -7, 0]\nropes:\n"
     "  r: {from: {point: [0, 0, 0]}, to: {free: [0, -0.35, 0]}, rest_lengths: [0.3],\n"
     "      node_masses: [0.2, 0.2], stiffness: 10.5, damping_ratio: 0.3}\n",
     "r.length", 0.3, 0.34, 0.01, 35.0, 5.0},
    {"gravity: [0, -7, 0]\nbodies: {b: {mass: 0.2, position: [0, -0.55, 0]}}\nropes:\n"
     "  r: {from: {point: [-0.5, 0, 0]}, to: {body: b}, over: [{eye: [0, 0, 0]}], length: 1,\n"
     "      stiffness: 35, damping_ratio: 0.3}\n",
     "r.length", 0.3, 1.04, 0.01, 35.0, 5.0},
};

// Steps of a hundredth of 1/omega. Backward Euler is off by some of that, xpbd and impulse-soft by
// as much of their substeps (1/20, 1/10), the others by their order; nehe without frictions of its
// own.
static void elements_are_damped_by_their_ratio(void **unused) {
  (void)unused;
  static const struct {
    const char *spec;
    double tolerance;
  } cases[] = {{"reference", 1e-12},
               {"penalty,integrator=rk4", 1e-11},
               {"penalty,integrator=verlet", 1e-4},
               {"penalty", 5e-4},
               {"penalty-implicit", 0.015},
               {"penalty-implicit,integrator=midpoint", 2e-5},
               {"convex", 0.015},
               {"convex,integrator=bdf2", 2e-4},
               {"xpbd", 1e-3},
               {"impulse-soft", 2e-3},
               {"nehe,spring_friction=0,air_friction=0,substep=1e-5", 2e-4}};
  for (size_t k = 0; k < sizeof scenes / sizeof scenes[0]; k++) {
    const double omega = sqrt(scenes[k].stiffness * scenes[k].inverse_mass);
    const double h = 0.01 / omega;
    rl_scenario *s = scenario_from("name: x\nduration: 1\nstep: 0.01\n%s", scenes[k].text);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      char name[32];
      snprintf(name, sizeof name, "%.*s", (int)strcspn(cases[i].spec, ","), cases[i].spec);
      const rl_solver_type *type = rl_solver_find(name);
      if (rl_driver_missing(s->model, type)) {
        continue;
      }
      rl_driver *d = driver_for(s, cases[i].spec, h);
      double worst = 0.0;
      for (int n = 1; n <= 300; n++) {
        assert_true(rl_driver_step(d) > 0);
        const double left =
            (probe(d, scenes[k].length) - scenes[k].centre) / scenes[k].displacement;
        worst = fmax(worst, fabs(left - decay(scenes[k].zeta, omega * n * h)));
      }
      check_below(worst, cases[i].tolerance);
      rl_driver_free(d);
    }
    rl_scenario_free(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elements_are_damped_by_their_ratio),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
