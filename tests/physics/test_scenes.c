// SPDX-License-Identifier: GPL-3.0-or-later
// What the comments of shipped scenes of bodies and ropes with mass claim, on the files themselves.
#include "check.h"

static rl_scenario *load(const char *name) {
  rl_scenario *s = shipped_with(name, NULL, 0);
  return s;
}

// tug-of-war: both slide with 2 mu g M m/(M + m), the heavy team for 20.4 mm; then it stands, and
// the pull is mu m g.
static void tug_is_won_by_friction(void **unused) {
  (void)unused;
  static const char *const solvers[] = {"penalty-implicit", "pbd",    "pbd-direct", "impulse",
                                        "impulse-direct",   "convex", "rattle"};
  rl_scenario *s = load("tug-of-war");
  const double g = 9.81 * 0.4, sliding = 2.0 * g * 100.0 * 80.0 / 180.0;
  const double fast = 0.3 * 80.0 / 180.0;
  const double way = 0.5 * fast * fast / (g - sliding / 100.0);
  check_near(sliding, 348.80, 1e-9);
  check_near(way, 0.0204, 2e-5);
  for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; i++) {
    rl_driver *d = driver_for(s, solvers[i], s->step);
    run_until(d, 0.25);
    check_relative(probe(d, "rope.tension"), sliding, 1e-4);
    run_until(d, 1.5);
    check_near(probe(d, "rope.tension"), g * 80.0, 1e-3);
    check_near(probe(d, "heavy.x"), -2.0 + way, 1e-3); // the jerk lasts a step
    check_near(probe(d, "heavy.vx"), 0.0, 1e-6);
    check_near(probe(d, "light.vx"), -0.3, 1e-6);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// flag-line at rest: angle, pulls and the polygon of its comment.
static void lines_lie_in_the_wind(void **unused) {
  (void)unused;
  static const char *const solvers[] = {"convex", "pbd-direct", "impulse-direct"};
  rl_scenario *s = load("flag-line");
  const double load_x = 0.25 * 2.0, load_y = 0.05 * 9.81;
  const double angle = atan2(load_x, load_y), w = hypot(load_x, load_y);
  for (size_t i = 0; i < 3; i++) {
    rl_driver *d = driver_for(s, solvers[i], s->step);
    // The wind goes on as long as the scene does.
    run_until(d, 3.0);
    check_near(probe(d, "streamer.angle"), angle, 2e-3);
    check_near(probe(d, "streamer.tip.x"), 1.2 * sin(angle), 1e-3);
    check_near(probe(d, "streamer.tension.from"), w * 1.15, 1e-4);
    check_near(probe(d, "halyard.tension.from"), 1.765149, 1e-3);
    check_near(probe(d, "halyard.tension.to"), 0.577890, 1e-3);
    check_near(probe(d, "halyard.node.8.x"), 0.491242, 1e-3);
    check_near(probe(d, "halyard.node.8.y"), 1.695061, 1e-3);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// net-catch: in the middle, below the rim, and the ropes as long as they were.
static void net_catches_the_ball(void **unused) {
  (void)unused;
  static const struct {
    const char *solver;
    double aside; // [m]
  } cases[] = {{"convex", 1e-9}, {"penalty-implicit", 1e-9}, {"pbd,iterations=100", 0.02}};
  rl_scenario *s = load("net-catch");
  for (size_t i = 0; i < 3; i++) {
    rl_driver *d = driver_for(s, cases[i].solver, s->step);
    double deepest = 1.0;
    for (int n = 0; n < 750; n++) {
      assert_true(rl_driver_step(d) > 0);
      deepest = fmin(deepest, probe(d, "ball.y"));
      assert_true(probe(d, "b.stretch") < 2e-3 && probe(d, "q1.stretch") < 2e-3);
    }
    assert_true(deepest > -0.16);
    check_near(probe(d, "ball.y"), -0.117, 0.003);
    check_near(probe(d, "ball.x"), 0.0, cases[i].aside);
    check_near(probe(d, "ball.z"), 0.0, cases[i].aside);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// belt-drive: as many links come off one drum as come on to the other.
static void belt_drives_the_wheel(void **unused) {
  (void)unused;
  static const char *const solvers[] = {"convex", "penalty-implicit", "rattle", "pbd-direct",
                                        "pbd",    "impulse"};
  rl_scenario *s = load("belt-drive");
  const double turned = 10.0 * 0.5 * atan(0.06 / 0.2) / atan(0.06 / 0.1);
  check_near(turned, 2.697, 1e-3);
  for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; i++) {
    rl_driver *d = driver_for(s, solvers[i], s->step);
    assert_true(fabs(probe(d, "wheel.spin")) < 4.5);
    run_until(d, 0.5);
    check_near(-probe(d, "wheel.angle"), turned, i < 3 ? 0.01 : i < 4 ? 0.02 : 0.08);
    check_near(probe(d, "wheel.y"), -0.4518, 0.01);
    check_near(probe(d, "wheel.x"), 0.0, 0.01);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// chain-fountain: no method sees it rise by more than a few links, nor faster than momentum allows.
static void point_masses_make_no_fountain(void **unused) {
  (void)unused;
  static const char *const solvers[] = {"convex", "pbd",     "pbd-direct",
                                        "rattle", "impulse", "impulse-direct"};
  rl_scenario *s = load("chain-fountain");
  const double steady = sqrt(9.81 * 0.6);
  for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; i++) {
    rl_driver *d = driver_for(s, solvers[i], s->step);
    const double start = probe(d, "chain.node.50.y");
    double highest = 0.0, landed = 0.0;
    while (d->state->time < 0.3595) {
      assert_true(rl_driver_step(d) > 0);
      for (uint32_t k = 0; k < rl_rope_nodes(d->model, d->state, 0); k++) {
        highest = fmax(highest, rl_rope_position(d->model, d->state, 0, k).y);
      }
      if (landed == 0.0 && probe(d, "chain.node.50.y") < -0.65) {
        landed = d->state->time;
      }
    }
    assert_true(landed > 0.0);
    const double speed = (start + 0.65) / landed;
    if (!(speed > 0.87 * steady && speed < steady)) {
      print_error("%s: observed %.4g m/s, expected 0.87 to 1 of %.4g m/s\n", solvers[i], speed,
                  steady);
      fail();
    }
    assert_true(highest > 0.05 && highest < 0.05 + 2.0 * 0.025);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// skipping-rope: the polygon that its turning gives it stays, but for the order 2 of the method.
static void skipping_rope_keeps_its_shape(void **unused) {
  (void)unused;
  rl_scenario *s = load("skipping-rope");
  double errors[2];
  for (int i = 0; i < 2; i++) {
    rl_driver *d = driver_for(s, "rattle", i == 0 ? 0.002 : 0.001);
    const double x0 = probe(d, "rope.node.3.x");
    const double r0 = hypot(probe(d, "rope.node.3.y"), probe(d, "rope.node.3.z"));
    run_until(d, 0.7);
    const double y = r0 * cos(7.0), z = r0 * sin(7.0); // it began below the line
    errors[i] = hypot(probe(d, "rope.node.3.y") + y, probe(d, "rope.node.3.z") + z);
    check_near(probe(d, "rope.node.3.x"), x0, 1e-5);
    check_relative(probe(d, "rope.tension.from"), 17.2570, 2e-4);
    rl_driver_free(d);
  }
  check_near(errors[0] / errors[1], 4.0, 0.2);
  assert_true(errors[1] < 1e-4);
  rl_scenario_free(s);
}

// cut-tackle: both loads rest, and fall freely from the cut on; nothing pulls any more.
static void cut_tackle_lets_both_fall(void **unused) {
  (void)unused;
  rl_scenario *s = load("cut-tackle");
  size_t ran = 0;
  for (size_t i = 0; rl_solvers[i]; i++) {
    if (rl_driver_missing(s->model, rl_solvers[i]) != 0) {
      continue;
    }
    rl_driver *d = driver_for(s, rl_solvers[i]->name, s->step);
    run_until(d, 0.5);
    check_relative(probe(d, "fall.tension"), 9.81, 1e-6);
    check_near(probe(d, "block.vy"), 0.0, 1e-9);
    while (d->state->time < 1.0 - 1e-9) {
      assert_true(rl_driver_step(d) > 0);
      check_near(probe(d, "fall.tension"), 0.0, 0.0);
      check_near(probe(d, "block.vy"), -9.81 * (d->state->time - 0.5), 1e-9);
      check_near(probe(d, "hand.vy"), -9.81 * (d->state->time - 0.5), 1e-9);
    }
    rl_driver_free(d);
    ran++;
  }
  check_below(10.0, (double)ran);
  rl_scenario_free(s);
}

// swipe-cut: one element of each rope, in the step in which the pointer comes to it, 38 steps from
// the first to the last; what hangs below falls freely from the end of that step.
static void swipe_cuts_five_ropes(void **unused) {
  (void)unused;
  static const uint32_t elements[] = {13, 10, 8, 6, 3};
  static const uint64_t steps[] = {65, 72, 79, 87, 94}; // 60 + 38 (x + 1.6)/3.2 and on
  rl_scenario *s = load("swipe-cut");
  for (size_t i = 0; rl_solvers[i]; i++) {
    if (rl_driver_missing(s->model, rl_solvers[i]) != 0) {
      continue;
    }
    rl_driver *d = driver_for(s, rl_solvers[i]->name, s->step);
    for (uint32_t k = 0; k < 5; k++) {
      do {
        assert_true(rl_driver_step(d) > 0);
      } while (d->change_count == 0 && d->state->step < 180);
      assert_int_equal(d->state->step, steps[k]);
      assert_int_equal(d->change_count, 1);
      assert_int_equal(d->changes[0].kind, RL_CHANGE_CUT);
      assert_int_equal(d->changes[0].rope, k);
      assert_int_equal(d->changes[0].element, elements[k]);
      check_near(d->changes[0].time, (double)steps[k] * s->step, 1e-9);
    }
    run_until(d, 0.75);
    assert_int_equal(d->state->parted, 5);
    if (rl_solvers[i]->is_adaptive) {
      const double fallen[] = {0.75 - 65 * s->step, 0.75 - 94 * s->step};
      check_near(probe(d, "one.y"), -1.6 - 0.5 * 9.81 * fallen[0] * fallen[0], 1e-9);
      check_near(probe(d, "five.y"), -2.4 - 0.5 * 9.81 * fallen[1] * fallen[1], 1e-9);
    }
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// elevator: each winch carries half of the cabin and of its rope what hangs below the middle of the
// element at the winch, in the middle of the step; then the cabin tilts by the difference of the
// lengths over its width.
static void cabin_tilts_with_its_winches(void **unused) {
  (void)unused;
  static const char *const solvers[] = {"convex,tolerance=1e-12", "pbd-direct", "impulse-direct",
                                        "rattle"};
  rl_scenario *s = load("elevator");
  for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; i++) {
    rl_driver *d = driver_for(s, solvers[i], s->step);
    run_until(d, 0.25);
    const double hangs = 0.5 * 80.0 + 0.2 * (2.875 - 0.5 * 0.375 - 0.25 + 0.25 * s->step);
    check_relative(probe(d, "left.tension.from"), hangs * 9.81, 1e-8);
    check_relative(probe(d, "right.tension.from"), hangs * 9.81, 1e-8);
    check_near(probe(d, "cabin.angle"), 0.0, 1e-9);
    run_until(d, 1.0);
    check_near(probe(d, "cabin.angle"), asin(0.2 * 0.5), 2e-4);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// payout: the load comes down at the rate of the winch, which carries it and what hangs of the rope
// below the middle of the element at the winch, in the middle of the step; the ledger closes.
static void payout_is_the_weight(void **unused) {
  (void)unused;
  static const char *const solvers[] = {"convex", "pbd-direct", "impulse-direct", "rattle"};
  rl_scenario *s = load("payout");
  for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; i++) {
    rl_driver *d = driver_for(s, solvers[i], s->step);
    run_until(d, 1.0);
    const double below = 1.5 - 0.1 - 0.5 * s->step;
    check_near(probe(d, "load.y"), -1.5, 1e-9);
    check_relative(probe(d, "line.tension.from"), (1.0 + 0.5 * below) * 9.81, 1e-8);
    check_relative(probe(d, "line.tension.to"), 9.81, 1e-8);
    check_near(rl_driver_energy_error(d), 0.0, 1e-9);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cut_tackle_lets_both_fall),
      cmocka_unit_test(swipe_cuts_five_ropes),
      cmocka_unit_test(cabin_tilts_with_its_winches),
      cmocka_unit_test(payout_is_the_weight),
      cmocka_unit_test(tug_is_won_by_friction),
      cmocka_unit_test(lines_lie_in_the_wind),
      cmocka_unit_test(net_catches_the_ball),
      cmocka_unit_test(belt_drives_the_wheel),
      cmocka_unit_test(point_masses_make_no_fountain),
      cmocka_unit_test(skipping_rope_keeps_its_shape),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
