// SPDX-License-Identifier: GPL-3.0-or-later
// Implicit steps where something hits, rubs or is hauled straight: `convex` with its integrators,
// and `penalty-implicit`.
#include "check.h"

static const struct {
  const char *spec;
  double order;
  double bounce; // measured, of the apex of 0.64 m [m]: what the fall before it loses
} integrators[] = {{"convex", 1.0, 4e-3},
                   {"convex,integrator=midpoint", 2.0, 1e-6},
                   {"convex,integrator=bdf2", 2.0, 3e-5},
                   {"penalty-implicit", 1.0, 4e-3},
                   {"penalty-implicit,integrator=midpoint", 2.0, 1e-6}};
enum { INTEGRATORS = sizeof integrators / sizeof integrators[0] };

static rl_driver *drive_shipped(rl_scenario **s, const char *name, const char *spec) {
  *s = shipped_with(name, NULL, 0);
  return driver_for(*s, spec, (*s)->step);
}

// A catch loses 80 of 160 J at once. Restitution of 0.8 brings a ball back to 0.64 of its height. A
// load that lands and a weight that is caught after it: what is booked is what is lost, to the
// first order of the step in which they hit.
static void impacts_lose_what_they_should(void **unused) {
  (void)unused;
  for (size_t i = 0; i < INTEGRATORS; i++) {
    rl_scenario *s;
    rl_driver *d = drive_shipped(&s, "catch", integrators[i].spec);
    const double before = rl_energy_total(rl_driver_energy(d));
    take_steps(d, 100);
    check_near(before - rl_energy_total(rl_driver_energy(d)), 80.0, 1e-6);
    check_near(rl_driver_energy_error(d), 0.0, 1e-9);
    rl_driver_free(d);
    rl_scenario_free(s);

    d = drive_shipped(&s, "bouncing-ball", integrators[i].spec);
    double apex = 0.0;
    for (int n = 0; n < 1100; n++) {
      assert_true(rl_driver_step(d) > 0);
      apex = n > 500 ? rl_larger(apex, probe(d, "ball.y") - 0.1) : 0.0;
    }
    check_near(apex, 0.64, integrators[i].bounce);
    rl_driver_free(d);
    rl_scenario_free(s);

    d = drive_shipped(&s, "landing", integrators[i].spec);
    for (int n = 0; n < 360; n++) {
      assert_true(rl_driver_step(d) > 0);
      check_near(rl_driver_energy_error(d), 0.0, 0.025);
    }
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// A chain of 20 elements whose end whips round, slack and caught all the time: elements take energy
// in a catch, and never give any.
static void midpoint_wins_nothing(void **unused) {
  (void)unused;
  rl_scenario *s;
  rl_driver *d = drive_shipped(&s, "hanging-chain", "convex,integrator=midpoint");
  const double start = rl_energy_total(rl_driver_energy(d));
  double last = start;
  for (int n = 0; n < 480; n++) {
    assert_true(rl_driver_step(d) > 0);
    const double now = rl_energy_total(rl_driver_energy(d));
    check_below(now - last, 1e-9);
    check_below(rl_metrics_of(d).stretch_max, 1e-9);
    last = now;
  }
  rl_driver_free(d);
  rl_scenario_free(s);
}

// A pendulum of one element that does not stretch, against the closed form at t = 1 s, and its pull
// of 3 m g at the bottom.
static void orders_hold_without_stretch(void **unused) {
  (void)unused;
  const double angle = -1.4050273115248; // released from 90 degrees (papers/exact.md)
  for (size_t i = 0; i < INTEGRATORS; i++) {
    double errors[2], pull = 0.0;
    for (int fine = 0; fine < 2; fine++) {
      const int steps = fine ? 1000 : 500;
      rl_scenario *s = scenario_from("name: p\nduration: 1\nstep: 0.01\n"
                                     "bodies: {bob: {mass: 1, position: [1, 0, 0]}}\n"
                                     "ropes: {r: {from: {point: [0, 0, 0]}, to: {body: bob}}}\n");
      rl_driver *d = driver_for(s, integrators[i].spec, 1.0 / steps);
      for (int n = 0; n < steps; n++) {
        assert_true(rl_driver_step(d) > 0);
        pull = rl_larger(pull, probe(d, "r.tension"));
      }
      errors[fine] = hypot(probe(d, "bob.x") - sin(angle), probe(d, "bob.y") + cos(angle));
      rl_driver_free(d);
      rl_scenario_free(s);
    }
    check_near(log(errors[0] / errors[1]) / log(2.0), integrators[i].order, 0.05);
    check_near(pull, 29.43, integrators[i].order == 1.0 ? 0.5 : 2e-3);
  }
}

// A box that slides to rest within v^2 / (2 mu g), and does not come back.
static void what_sticks_stays(void **unused) {
  (void)unused;
  for (size_t i = 0; i < INTEGRATORS; i++) {
    rl_scenario *s = scenario_from(
        "name: slide\nduration: 1\nstep: 0.01\nbodies:\n"
        "  floor: {motion: fixed, friction: 0.5, rope_collide: false,\n"
        "          shape: {plane: {normal: [0, 1, 0]}}}\n"
        "  box: {mass: 2, position: [0, 0.1, 0], velocity: [1, 0, 0], rope_collide: false,\n"
        "        shape: {box: {size: [0.4, 0.2, 0.4]}}}\n"
        "ropes: {leash: {from: {point: [0, 2, 0]}, to: {body: box}, length: 5}}\n");
    rl_driver *d = driver_for(s, integrators[i].spec, 0.003);
    for (int n = 0; n < 120; n++) {
      assert_true(rl_driver_step(d) > 0);
      check_below(-probe(d, "box.vx"), 1e-7);
    }
    check_near(probe(d, "box.x"), 1.0 / 9.81, 2e-3);
    check_near(probe(d, "box.vx"), 0.0, 1e-9);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// The law as a pair of cones and as a projection is one: motions that the interior point finds
// alone are those that Newton's method finds from the step before.
static void friction_is_one_law(void **unused) {
  (void)unused;
  static const char *const scenarios[] = {"box-on-slope", "tug-of-war", "turning-drum", "drape-box",
                                          "rolling-ball"};
  for (size_t i = 0; i < sizeof scenarios / sizeof scenarios[0]; i++) {
    rl_scenario *s, *again;
    rl_driver *d = drive_shipped(&s, scenarios[i], "convex");
    rl_driver *alone = drive_shipped(&again, scenarios[i], "convex,warm_start=0");
    double largest = 0.0;
    for (int n = 0; n < 100; n++) {
      assert_int_equal(rl_driver_step(d), RL_CONVERGED_TOLERANCE);
      assert_int_equal(rl_driver_step(alone), RL_CONVERGED_TOLERANCE);
      for (uint32_t k = 0; k < d->model->slot_count; k++) {
        largest = rl_larger(largest, rl_distance(rl_position(&d->state->points[k]),
                                                 rl_position(&alone->state->points[k])));
      }
    }
    print_message("%s: apart by %.1e m\n", scenarios[i], largest);
    check_below(largest, 2e-8);
    rl_driver_free(d);
    rl_driver_free(alone);
    rl_scenario_free(s);
    rl_scenario_free(again);
  }
}

// Steps come to the end of their stick and slip, in few iterations: of ropes on drums, across
// bodies and in a knot, of boxes that lie on more corners than they need. The few that are
// left are papers/convex.md's.
static void friction_settles(void **unused) {
  (void)unused;
  static const struct {
    const char *scenario, *spec;
    int steps, unsettled;
    double limit; // iterations a step
  } cases[] = {{"turning-drum", "convex", 250, 0, 3.0},
               {"turning-drum", "penalty-implicit", 250, 0, 3.0},
               {"rolling-drum", "convex", 250, 0, 9.0},
               {"rolling-drum", "convex,integrator=bdf2", 250, 0, 9.0},
               {"rolling-drum", "convex,integrator=midpoint", 250, 0, 9.0},
               {"rolling-drum", "penalty-implicit", 250, 0, 20.0},
               {"box-on-slope", "convex", 240, 0, 5.0},
               {"knot-pull", "convex", 250, 0, 13.0},
               {"drape-hull", "convex", 240, 0, 22.0},
               {"drape-hull", "penalty-implicit,iterations=200", 240, 0, 23.0},
               {"drape-capsule", "convex", 360, 10, 28.0},
               {"belt-drive", "convex", 100, 4, 18.0}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    rl_scenario *s;
    rl_driver *d = drive_shipped(&s, cases[i].scenario, cases[i].spec);
    int unsettled = 0;
    uint64_t iterations = 0;
    for (int n = 0; n < cases[i].steps; n++) {
      const rl_reason reason = rl_driver_step(d);
      assert_true(reason > 0);
      unsettled += reason != RL_CONVERGED_TOLERANCE;
      iterations += d->info.iterations;
    }
    const double mean = (double)iterations / cases[i].steps;
    print_message("%s, %s: %d of %d steps unsettled, %.1f iterations a step\n", cases[i].scenario,
                  cases[i].spec, unsettled, cases[i].steps, mean);
    check_below((double)unsettled, (double)cases[i].unsettled);
    check_below(mean, cases[i].limit);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// (6c) of penalty-implicit.md: two weights of 1 kg fall, and pull the light joint of their ropes,
// which run over a drum or a box each, up into the straight line between these. There the ropes
// have no component across, and what keeps the joint is their geometric stiffness alone. The
// weights come to rest where the line is straight, however light the joint is.
static void a_light_joint_is_hauled_straight(void **unused) {
  (void)unused;
  static const double joints[] = {1e-2, 1e-4, 1e-6};
  static const char *const specs[] = {"convex", "penalty-implicit"};
  const double r = 0.1, across = hypot(0.5, 0.3);
  const double tangent = sqrt(across * across - r * r);
  const double wrap = RL_PI - acos(r / across) + atan2(0.3, 0.5);
  const double lowest[] = {-(1.0 + r * wrap + tangent - 0.5 * RL_PI * r - 0.5),
                           -(1.0 + hypot(0.4, 0.4) - 0.4)};
  for (int i = 0; i < 12; i++) {
    rl_scenario *s = scenario_from(
        "name: joint\nduration: 1\nstep: 0.01\nbodies:\n"
        "  d1: {motion: fixed, shape: {%1$s}}\n"
        "  d2: {motion: fixed, position: [1, 0, 0], shape: {%1$s}}\n"
        "  a: {mass: 1, position: [-0.1, -1, 0]}\n  j: {mass: %2$.17g, position: [0.5, -0.3, 0]}\n"
        "  b: {mass: 1, position: [1.1, -1, 0]}\nropes:\n"
        "  r1: {from: {body: a}, to: {body: j}, over: [d1]}\n"
        "  r2: {from: {body: j}, to: {body: b}, over: [d2]}\n",
        i % 2 == 0 ? "cylinder: {radius: 0.1, length: 0.2}" : "box: {size: [0.2, 0.2, 0.2]}",
        joints[i / 2 % 3]);
    rl_driver *d = driver_for(s, specs[i / 6], 1.0 / 240.0);
    for (int n = 0; n < 240; n++) {
      assert_int_equal(rl_driver_step(d), RL_CONVERGED_TOLERANCE);
    }
    const double give = i < 6 ? 1e-5 : 3e-4; // springs are stretched
    check_near(probe(d, "a.y"), lowest[i % 2], give);
    check_near(probe(d, "b.y"), lowest[i % 2], give);
    const double m = joints[i / 2 % 3]; // by which the line sags, to first order: m l/2M
    check_near(probe(d, "j.y"), r - (i % 2 == 0 ? 0.25 : 0.2) * m, m * m + 1e-9);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// (6b) of papers/penalty-implicit.md: a stiff rope is caught over two light wheels, in steps that
// are long for it. If steps that do not settle end without its pull, so do those behind them: 258
// of 300.
static void stiff_ropes_keep_their_pull(void **unused) {
  (void)unused;
  static const char *const solvers[] = {"convex", "penalty-implicit"};
  rl_scenario *s = scenario_from(
      "name: stiff\nduration: 1.2\nstep: 0.004\nbodies:\n"
      "  w0: {motion: axle, mass: 0.0348, position: [1.0004, -0.0718, 0], friction: 0.3,"
      " shape: {capsule: {radius: 0.147, length: 0.5}}}\n"
      "  w2: {motion: axle, mass: 0.0012, position: [2.6681, -0.0506, 0], friction: 0.6,"
      " shape: {prism: {radius: 0.239, length: 0.5, sides: 8}}}\n"
      "  b: {mass: 5.47, position: [3.0468, -1.7484, 0]}\n"
      "  a: {mass: 5.50, position: [0.4205, -1.9653, 0]}\n"
      "ropes: {line: {from: {body: a}, to: {body: b}, over: [{body: w0, side: [0, 1, 0]},"
      " {body: w2, side: [0, 1, 0]}], stiffness: 12000, damping: 20, slack: 0.283}}\n");
  for (size_t k = 0; k < 2; k++) {
    rl_driver *d = driver_for(s, solvers[k], 0.004);
    int unsettled = 0;
    for (int n = 0; n < 300; n++) {
      take_steps(d, 1);
      unsettled += rl_driver_is_unsettled(d) ? 1 : 0;
    }
    print_message("%s: %d of 300 steps do not settle, expected at most 3\n", solvers[k], unsettled);
    check_below(unsettled, 3.0);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(impacts_lose_what_they_should),
      cmocka_unit_test(midpoint_wins_nothing),
      cmocka_unit_test(orders_hold_without_stretch),
      cmocka_unit_test(what_sticks_stays),
      cmocka_unit_test(friction_is_one_law),
      cmocka_unit_test(friction_settles),
      cmocka_unit_test(a_light_joint_is_hauled_straight),
      cmocka_unit_test(stiff_ropes_keep_their_pull),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
