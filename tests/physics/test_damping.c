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

// A weight falls on a cord that is slack, is caught and thrown back, and the damper lets it go
// while the cord is still strained: x'' = g, then -2 zeta omega x' - omega^2 x + g while 0 < x and
// the cord pulls, and g again, x being downwards from where it becomes taut.
typedef struct rebound {
  double g, zeta, omega;
  double fall, speed;     // until it is taut [s], and how fast it is then [m/s]
  double pull;            // how long the cord pulls [s]
  double strain, recoils; // x and x' then
} rebound;

static double strained(const rebound *t, double time, double *rate) {
  const double rest = t->g / (t->omega * t->omega), decay = t->zeta * t->omega;
  const double turn = t->omega * sqrt(1.0 - t->zeta * t->zeta);
  const double b = (t->speed - decay * rest) / turn;
  const double c = cos(turn * time), s = sin(turn * time), left = exp(-decay * time);
  const double x = left * (b * s - rest * c);
  *rate = left * turn * (b * c + rest * s) - decay * x;
  return rest + x;
}

static rebound rebound_of(double slack, double speed, double g, double zeta, double omega) {
  rebound t = {.g = g, .zeta = zeta, .omega = omega};
  t.speed = sqrt(speed * speed + 2.0 * g * slack);
  t.fall = (t.speed - speed) / g;
  double low = 0.0, high = 4.0 / omega;
  for (int i = 0; i < 100; i++) {
    t.pull = 0.5 * (low + high);
    t.strain = strained(&t, t.pull, &t.recoils);
    *(omega * t.strain + 2.0 * zeta * t.recoils > 0.0 ? &low : &high) = t.pull;
  }
  return t;
}

// On a rope of one element, on a massless cord, round a corner that is an eye, and over a drum.
static const char *const cords[] = {
    "ropes:\n"
    "  r: {from: {point: [0, 0, 0]}, to: {free: [0, -0.28, 0]}, rest_lengths: [0.3],\n"
    "      node_masses: [0.2, 0.2], velocity: [0, -1.5, 0], stiffness: 10.5, damping_ratio: 0.3}\n",
    "bodies: {b: {mass: 0.2, position: [0, -0.28, 0], velocity: [0, -1.5, 0]}}\nropes:\n"
    "  r: {from: {point: [0, 0, 0]}, to: {body: b}, length: 0.3, stiffness: 10.5,\n"
    "      damping_ratio: 0.3}\n",
    "bodies: {b: {mass: 0.2, position: [0, -0.28, 0], velocity: [0, -1.5, 0]}}\nropes:\n"
    "  r: {from: {point: [-0.5, 0, 0]}, to: {body: b}, over: [{eye: [0, 0, 0]}], length: 0.8,\n"
    "      stiffness: 28, damping_ratio: 0.3}\n",
    "bodies:\n"
    "  b: {mass: 0.2, position: [0, -0.28, 0], velocity: [0, -1.5, 0]}\n"
    "  drum: {motion: fixed, position: [-0.1, 0, 0], shape: {cylinder: {radius: 0.1, length: 1}}}\n"
    "ropes:\n"
    "  r: {from: {point: [-0.5, 0.1, 0]}, to: {body: b}, over: [drum], length: "
    "0.85707963267948966,\n"
    "      stiffness: 29.997787143782138, damping_ratio: 0.3}\n",
};

// Where the weight is when the cord is slack again, and all that the damper took of it, with what
// was left in the spring when it let go. The order is 1, for none knows within its step when the
// cord becomes taut.
static void dampers_let_go(void **unused) {
  (void)unused;
  static const char *const solvers[] = {"reference",
                                        "penalty",
                                        "penalty,integrator=verlet",
                                        "penalty,integrator=rk4",
                                        "penalty-implicit",
                                        "penalty-implicit,integrator=midpoint",
                                        "convex",
                                        "convex,integrator=midpoint",
                                        "convex,integrator=bdf2",
                                        "xpbd",
                                        "impulse-soft"};
  const double m = 0.2, k = 35.0, g = 3.0, duration = 0.4;
  const rebound t = rebound_of(0.02, 1.5, g, 0.3, sqrt(k / m));
  const double flight = duration - t.fall - t.pull;
  const double x = t.strain + t.recoils * flight + 0.5 * g * flight * flight;
  const double loss = 0.5 * m * (t.speed * t.speed - t.recoils * t.recoils) + m * g * t.strain;
  assert_true(x < 0.0 && 0.5 * k * t.strain * t.strain > 0.01);
  for (size_t i = 0; i < sizeof cords / sizeof cords[0]; i++) {
    rl_scenario *s =
        scenario_from("name: x\ngravity: [0, -3, 0]\nduration: 1\nstep: 0.01\n%s", cords[i]);
    for (size_t n = 0; n < sizeof solvers / sizeof solvers[0]; n++) {
      for (double h = 1e-3; h > 2e-4; h *= 0.25) {
        rl_driver *d = driver_for(s, solvers[n], h);
        take_steps(d, (int)(duration / h + 0.5));
        const double y = probe(d, i == 0 ? "r.node.1.y" : "b.y");
        const double way = n == 0 ? 1e-12 : 2.5 * h, energy = n == 0 ? 1e-12 : 6.0 * h;
        check_near(y, -0.3 - x, way);
        check_near(d->state->dissipated, loss, energy);
        check_near(rl_driver_energy_error(d), 0.0, energy);
        rl_driver_free(d);
      }
    }
    rl_scenario_free(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(elements_are_damped_by_their_ratio),
      cmocka_unit_test(dampers_let_go),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
