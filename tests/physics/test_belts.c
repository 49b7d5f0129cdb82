// SPDX-License-Identifier: GPL-3.0-or-later
// Massless loops: belts round wheels and through eyes. Equation numbers are those of
// papers/loops.md.
#include "check.h"

#include "world/paths/wrap.h"

#include <string.h>

static const char *const general[] = {
    "penalty", "penalty-implicit", "pbd",          "xpbd",   "pbd-direct",
    "impulse", "impulse-direct",   "impulse-soft", "convex", "rattle"};
enum { GENERAL = sizeof general / sizeof general[0] };

// Two wheels, the second on its axle, and more of the rope's keys and of the scene.
static rl_scenario *two_wheels(const char *over, const char *keys, const char *more) {
  return scenario_from(
      "name: x\nduration: 1\nstep: 0.001\nbodies:\n"
      "  a: {motion: axle, mass: 2, position: [-0.5, 0.1, 0], shape: {cylinder: {radius: 0.1, "
      "length: 0.1}}}\n"
      "  b: {motion: axle, mass: 4, position: [0.5, 0.1, 0], shape: {cylinder: {radius: 0.2, "
      "length: 0.1}}}\n%s"
      "ropes: {belt: {closed: true, over: %s%s}}\n",
      more, over, keys);
}

// The shortest loop: open and crossed belts, polygons of eyes, from whatever it begins with.
static void lengths_are_exact(void **unused) {
  (void)unused;
  const double open = 2.0 * sqrt(1.0 - 0.01) + RL_PI * 0.3 + 2.0 * 0.1 * asin(0.1);
  const double eye_and_wheel = 2.0 * sqrt(4.0 - 0.01) + 0.1 * (2.0 * RL_PI - 2.0 * acos(0.05));
  const char *const eyes = "  f: {motion: fixed, position: [0, 2, 1]}\n";
  const struct {
    const char *over, *more;
    double length;
  } cases[] = {
      {"[a, b]", "", open},
      {"[b, a]", "", open},
      {"[{body: a, turns: 1}, b]", "", open + 2.0 * RL_PI * 0.1},
      {"[{eye: [0, 0, 5]}, {eye: [3, 0, 5]}, {eye: [0, 4, 5]}]", "", 12.0},
      {"[{eye: [0, 0, 1]}, {body: f, at: [0, 0, 0]}]", eyes, 4.0},
      {"[a, {eye: [-0.5, 2.1, 0]}]", "", eye_and_wheel},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    rl_scenario *s = two_wheels(cases[k].over, "", cases[k].more);
    rl_driver *d = driver_for(s, "rattle", 0.001);
    check_relative(probe(d, "belt.length"), cases[k].length, 1e-13);
    check_relative(probe(d, "belt.rest"), probe(d, "belt.length"), 1e-15);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// Round two capsules of one radius, on their sides: two half turns and twice the distance. Askew,
// with the belt over a cap, there is none.
static void capsules_are_wheels(void **unused) {
  (void)unused;
  static const char capsules[] =
      "name: x\nduration: 1\nstep: 0.001\nbodies:\n"
      "  a: {motion: axle, mass: 2, position: [-0.5, 0.1, 0], rotation: [0, %g, 0],"
      " shape: {capsule: {radius: 0.1, length: 0.1}}}\n"
      "  b: {motion: axle, mass: 4, position: [0.5, 0.1, 0],"
      " shape: {capsule: {radius: 0.1, length: 0.1}}}\n"
      "ropes: {belt: {closed: true, over: [a, b]}}\n";
  rl_scenario *s = scenario_from(capsules, 0.0);
  rl_driver *d = driver_for(s, "rattle", 0.001);
  check_relative(probe(d, "belt.length"), 2.0 * RL_PI * 0.1 + 2.0, 1e-13);
  rl_driver_free(d);
  rl_scenario_free(s);
  check_refused("there is no way for the loop", capsules, 1.5);
}

// A driven wheel brings another one up to speed: belt.yaml derives the numbers.
static void a_belt_pulls_by_the_capstan_law(void **unused) {
  (void)unused;
  const double mu = sqrt(0.3 * 0.15), phi = asin(0.6) + 0.5 * RL_PI + asin(0.1);
  const double slack = 9.81 / 1.6, taut = slack * exp(mu * phi), rate = (taut - slack) * 0.2 / 0.08;
  for (size_t k = 0; k < GENERAL; k++) {
    rl_scenario *s = shipped_with("belt", NULL, 0);
    rl_driver *d = driver_for(s, general[k], 0.001);
    for (int n = 0; n < 800; n++) {
      step_checked(d);
      if (n + 1 == 500) {
        check_relative(probe(d, "wheel.spin"), rate * 0.5, 2e-5);
        check_relative(probe(d, "belt.tension"), taut, 2e-5);
        check_relative(probe(d, "belt.wrap.wheel"), phi, 1e-5);
        check_near(probe(d, "belt.slip.wheel"), 1.0 - 0.2 * rate * 0.5, 2e-3);
      }
    }
    check_near(probe(d, "wheel.spin"), 5.0, 1e-6);
    check_relative(probe(d, "belt.tension"), slack, 1e-4);
    check_near(probe(d, "wheel.angle"), 5.0 * (0.8 - 0.5 * 5.0 / rate), 5e-3);
    check_near(rl_driver_energy_error(d), 0.0, 1e-5);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// (8a) of papers/wraps.md: while it slips, methods that move positions know to rounding what
// friction takes, with the tensions that each of their sweeps has, wherever it has moved the
// weight.
static void what_friction_takes_is_known_sweep_by_sweep(void **unused) {
  (void)unused;
  static const char *const methods[] = {"pbd", "pbd,order=jacobi", "xpbd"};
  for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
    rl_scenario *s = shipped_with("belt", NULL, 0);
    rl_driver *d = driver_for(s, methods[k], 0.001);
    take_steps(d, 500);
    print_message("%s: %.12g J are lost, energy error %.2g J\n", methods[k], d->state->dissipated,
                  rl_driver_energy_error(d));
    check_near(rl_driver_energy_error(d), 0.0, 1e-11);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// Without friction the loop only holds together: what turns goes on turning, and what rests, rests.
static void without_friction_nothing_turns(void **unused) {
  (void)unused;
  for (size_t k = 0; k < GENERAL; k++) {
    rl_scenario *s =
        two_wheels("[a, {body: load, at: [0, 0, 0]}, b]", "",
                   "  load: {mass: 1, position: [0.0625, -0.8166666666, 0], velocity: [0.1, 0, "
                   "0]}\n  c: {motion: axle, mass: 1, position: [9, 9, 9], spin: [0, 0, 3], "
                   "shape: {sphere: {radius: 0.1}}}\n");
    rl_driver *d = driver_for(s, general[k], 0.001);
    for (int n = 0; n < 200; n++) {
      step_checked(d);
    }
    check_near(probe(d, "a.spin"), 0.0, 1e-12);
    check_near(probe(d, "b.spin"), 0.0, 1e-12);
    check_below(fabs(probe(d, "load.x") - 0.0625), 0.03);
    check_below(rl_metrics_of(d).stretch_max, 1e-5);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// Three free wheels and an eye of a free body in an elastic belt that rubs, without gravity:
// nothing acts from outside.
static void free_wheels_keep_their_momentum(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: x\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.001\nbodies:\n"
      "  a: {mass: 2, position: [-0.5, 0, 0], spin: [0, 0, 9], collide: false, shape: {cylinder: "
      "{radius: 0.1, length: 0.1}}}\n"
      "  b: {mass: 4, position: [0.5, 0, 0], velocity: [0.3, 0.1, 0], collide: false, shape: "
      "{cylinder: {radius: 0.2, length: 0.1}}}\n"
      "  c: {mass: 1, position: [0, 0.9, 0], spin: [0, 0, -3], collide: false, shape: {cylinder: "
      "{radius: 0.15, length: 0.1}}}\n"
      "  e: {mass: 0.5, inertia: [0.1, 0.1, 0.1], position: [-0.6, 0.6, 0], spin: [0, 0, 1]}\n"
      "ropes: {belt: {closed: true, friction: 0.2, stiffness: 300, slack: -0.2,"
      " over: [a, b, c, {body: e, at: [0.1, 0, 0], friction: 0}]}}\n");
  const char *const elastic[] = {"penalty", "penalty-implicit", "xpbd", "impulse-soft", "convex"};
  for (size_t k = 0; k < sizeof elastic / sizeof elastic[0]; k++) {
    rl_driver *d = driver_for(s, elastic[k], 0.001);
    const rl_metrics start = rl_metrics_of(d);
    const double spin = probe(d, "a.spin");
    const bool keeps_angular =
        strcmp(elastic[k], "penalty") == 0 || strcmp(elastic[k], "impulse-soft") == 0;
    for (int n = 0; n < 300; n++) {
      free_step(d, &start, keeps_angular ? 1e-11 : INFINITY);
    }
    assert_true(fabs(probe(d, "a.spin") - spin) > 0.1);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

static void rows_have_their_gradients(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: x\nduration: 1\nstep: 0.001\nbodies:\n"
      "  a: {mass: 2, position: [-0.5, 0, 0], shape: {cylinder: {radius: 0.1, length: 0.3}}}\n"
      "  b: {mass: 4, position: [0.5, 0.1, 0.02], shape: {cylinder: {radius: 0.2, length: 0.3}}}\n"
      "  e: {mass: 0.5, inertia: [0.1, 0.2, 0.3], position: [0, 0.9, 0.03]}\n"
      "ropes: {belt: {closed: true, friction: 0.3, over: [b, {body: e, at: [0.1, 0.1, 0], "
      "friction: 0}, a]}}\n");
  rl_driver *d = driver_for(s, "rattle", 0.001);
  rl_wrap *wraps = &d->state->wraps[s->model->ropes[0].first_wrap];
  const uint32_t grips[][3] = {{RL_STICKS, RL_SLIDES, RL_STICKS},
                               {RL_SLIDES, RL_SLIDES, RL_STICKS},
                               {RL_SLIDES, RL_SLIDES, RL_SLIDES}};
  const uint32_t rows[] = {2, 1, 1};
  for (size_t k = 0; k < 3; k++) {
    for (size_t i = 0; i < 3; i++) {
      wraps[i].grip = grips[k][i];
    }
    rl_detect(s->model, d->state, 0.001, d->rows);
    assert_int_equal(d->rows->row_count, rows[k]);
    for (uint32_t i = 0; i < d->rows->row_count; i++) {
      check_row_gradient(d, &d->rows->rows[i], 1e-8);
    }
  }
  rl_driver_free(d);
  rl_scenario_free(s);
}

// A drum is drawn out of a loop along its axis: once nothing of the arc is on it the loop slips
// off, and the weight in it falls until the rest of the loop is taut round what is left. Off one of
// two drums, the loop is off the other as well.
static void loops_run_off_ends(void **unused) {
  (void)unused;
  static const char drums[] = "name: x\nduration: 1\nstep: 0.001\nbodies:\n"
                              "  a: {motion: fixed, position: [-0.5, 0, 0], shape: {cylinder: "
                              "{radius: 0.1, length: 0.1}}}\n"
                              "  b: {motion: driven, position: [0.5, 0, 0], velocity: [0, 0, 0.5],"
                              " shape: {cylinder: {radius: 0.2, length: 0.1}}}\n"
                              "  c: {mass: 1, position: [0, -1, 0]}\n"
                              "ropes: {belt: {closed: true, over: [%s b, a], friction: %g}}\n";
  for (size_t k = 0; k < 2 * GENERAL; k++) {
    const bool has_weight = k < GENERAL;
    rl_scenario *s =
        scenario_from(drums, has_weight ? "{body: c, at: [0, 0, 0], friction: 0.1}," : "",
                      k % 2 == 0 ? 0.3 : 0.0);
    rl_driver *d = driver_for(s, general[k % GENERAL], 0.001);
    const double rest = probe(d, "belt.rest");
    for (int n = 1; n <= 1000; n++) {
      step_checked(d);
      const bool is_off = n > 100; // 0.05 m at 0.5 m/s
      if (n != 100) {              // or there, as rounding has it
        assert_int_equal(d->state->slipped_off, is_off ? 1 : 0);
        check_near(probe(d, "belt.contacts"), !is_off ? 2.0 : has_weight ? 1.0 : 0.0, 0.0);
      }
      check_near(probe(d, "belt.rest"), rest, 1e-12);
      if (n == 200 && has_weight) {
        check_near(probe(d, "belt.tension"), 0.0, 0.0);
        check_near(probe(d, "c.y"), -1.0 - 0.5 * 9.81 * 0.01, 2e-3); // two steps
      }
    }
    check_below(probe(d, "belt.length"), has_weight ? rest + 1e-3 : 0.0);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// The weight in a loop comes into one of its drums, or one drum into the other: there is no way any
// more round that, and the loop slips off it.
static void loops_slip_off_where_there_is_no_way(void **unused) {
  (void)unused;
  static const char drums[] =
      "name: x\nduration: 1.5\nstep: 0.001\nbodies:\n"
      "  a: {motion: fixed, position: [-0.5, 0, 0], shape: {cylinder: {radius: 0.1, length: "
      "0.4}}}\n"
      "  b: {motion: driven, position: [0.5, 0, 0], velocity: [%g, 0, 0],"
      " shape: {cylinder: {radius: 0.2, length: 0.4}}}\n"
      "  c: {mass: 1, position: [0, -1, 0], velocity: [%g, %g, 0]}\n"
      "ropes: {belt: {closed: true, over: [{body: c, at: [0, 0, 0], friction: 0.1}, b, a],"
      " friction: 0.3}}\n";
  const double speeds[][3] = {{0.0, 2.0, 6.0}, {-2.0, 0.0, 0.0}};
  for (size_t k = 0; k < 2 * GENERAL; k++) {
    const double *v = speeds[k / GENERAL];
    rl_scenario *s = scenario_from(drums, v[0], v[1], v[2]);
    rl_driver *d = driver_for(s, general[k % GENERAL], 0.001);
    for (int n = 0; n < 600; n++) {
      step_checked(d);
    }
    assert_int_equal(d->state->slipped_off, 1);
    check_near(probe(d, "belt.contacts"), 1.0, 0.0);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// Seen from the middle of a ball on the outer side, what the loop comes from and goes to is always
// more than half a turn apart: it slips off. On the inner side it lies.
static void balls_hold_loops_on_the_inner_side(void **unused) {
  (void)unused;
  static const char balls[] =
      "name: x\nduration: 1\nstep: 0.001\nbodies:\n"
      "  ball: {motion: fixed, position: [0, 1.1, 0], shape: {sphere: {radius: 0.2}}}\n"
      "ropes: {belt: {closed: true, friction: 0.3, over: [{eye: [-2, 0, 0]}, {eye: [2, 0, 0]},"
      " {eye: [2, 1, 0]}, {body: ball, side: [0, %g, 0]}, {eye: [-2, 1, 0]}]}}\n";
  rl_scenario *s = scenario_from(balls, -1.0);
  rl_driver *d = driver_for(s, "rattle", 0.001);
  const double arc = 2.0 * (0.5 * RL_PI - atan(0.05) - acos(0.2 / sqrt(4.01)));
  check_relative(probe(d, "belt.length"), 6.0 + 2.0 * sqrt(4.01 - 0.04) + 0.2 * arc, 1e-13);
  rl_driver_free(d);
  rl_scenario_free(s);
  check_refused("slips off: from its centre", balls, 1.0);
}

// A weight falls in a slack loop until that catches it: what an inelastic catch takes, m g times
// the fall, `impulse` books as lost; the springs of `penalty` take it by their dampers, which are
// of the method, so that all of it is missing once the weight hangs still.
static void catches_take_what_has_fallen(void **unused) {
  (void)unused;
  static const char *const springs[] = {"penalty", "penalty,integrator=verlet",
                                        "penalty,integrator=rk4"};
  const double slack = 0.6, length = 2.0 * sqrt(1.25) + 1.0 + slack;
  const double fall = sqrt(0.25 * (length - 1.0) * (length - 1.0) - 0.25) - 1.0;
  for (size_t k = 0; k < 4; k++) {
    rl_scenario *s = scenario_from(
        "name: x\nduration: 3\nstep: 0.001\nbodies:\n  w: {mass: 1, position: [0, -1, 0]}\n"
        "ropes: {loop: {closed: true, over: [{body: w, at: [0, 0, 0]}, {eye: [-0.5, 0, 0]}, "
        "{eye: [0.5, 0, 0]}], slack: %g}}\n",
        slack);
    rl_driver *d = driver_for(s, k < 3 ? springs[k] : "impulse", 0.001);
    for (int n = 0; n < 3000; n++) {
      step_checked(d);
    }
    const double missing = k < 3 ? -rl_driver_energy_error(d) : d->state->dissipated;
    check_relative(missing, 9.81 * fall, k < 3 ? 1e-5 : 1e-4);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// A belt with a weight in it runs over a driven wheel from the first step on, in which some strands
// do not pull yet. If all of it stuck there, one of them had 2600 N, and threw the weight: 9.7 J
// were lost.
static void belts_slip_from_the_first_step(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: belt\nduration: 1\nstep: 0.004\nbodies:\n"
      "  driver: {motion: driven, position: [-0.5, 0, 0], spin: [0, 0, -10], friction: 0.2,"
      " shape: {cylinder: {radius: 0.1, length: 0.1}}}\n"
      "  wheel: {motion: axle, mass: 0.6406, position: [0.5, -0.068, 0], friction: 0.9,"
      " shape: {cylinder: {radius: 0.119, length: 0.1}}}\n"
      "  weight: {mass: 5.72, position: [0.0625, -0.9167, 0]}\n"
      "  top: {motion: axle, mass: 0.478, position: [0, 0.5, 0], friction: 0.6,"
      " shape: {cylinder: {radius: 0.08, length: 0.1}}}\n"
      "ropes: {belt: {closed: true, friction: 0.6, over: [driver,"
      " {body: weight, at: [0, 0, 0], friction: 0.2}, wheel, top]}}\n");
  rl_driver *d = driver_for(s, "penalty", 0.004);
  for (int n = 0; n < 250; n++) {
    step_checked(d);
  }
  check_near(rl_driver_energy_error(d), 0.0, 0.01);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// (7m) A driven wheel that turns jerks a belt at rest, which slips on it from the first step on,
// and the torques of belt and load turn the other wheel. If the strand that has pulled most counts
// as slack, the belt sticks: 731.7 N to 25.9 N and 2.68 rad/s in the first step of `xpbd`.
static void a_jerk_makes_a_belt_slip(void **unused) {
  (void)unused;
  for (size_t k = 0; k < GENERAL; k++) {
    rl_scenario *s =
        scenario_from("name: belt\nduration: 1\nstep: 0.001\nbodies:\n"
                      "  driver: {motion: driven, position: [0, 0, 0], spin: [0, 0, 5],"
                      " shape: {cylinder: {radius: 0.1, length: 0.2}}}\n"
                      "  wheel: {motion: axle, mass: 2, position: [1, 0.2, 0],"
                      " shape: {cylinder: {radius: 0.2, length: 0.2}}}\n"
                      "  idler: {mass: 1, position: [0.5, -0.6, 0]}\n"
                      "  load: {mass: 0.3, position: [1.2, -1, 0]}\n"
                      "ropes:\n"
                      "  belt: {closed: true, friction: 0.5,"
                      " over: [{body: idler, at: [0, 0, 0], friction: 0}, wheel, driver]}\n"
                      "  lift: {from: {body: load}, to: {body: wheel, at: [0.2, 0, 0]}}\n");
    rl_driver *d = driver_for(s, general[k], 0.001);
    double spin = 0.0;
    for (int n = 0; n < 20; n++) {
      step_checked(d);
      const double slack = probe(d, "belt.tension.before.wheel");
      const double taut = probe(d, "belt.tension.after.wheel");
      const double ratio = exp(0.5 * probe(d, "belt.wrap.driver"));
      check_relative(taut / slack, ratio, 1e-4);
      spin += 0.001 * ((taut - slack) * 0.2 - 0.3 * 9.81 * 0.2) / (0.04 + 0.3 * 0.04);
    }
    check_relative(probe(d, "wheel.spin"), spin, 2e-3);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// (7m) The jerks of a load on a light wheel throw the belt slack, which friction has held until
// then. If a strand that is slack at the end of such a step counted as slack throughout, the belt
// would slip on the driven wheel, and 0.9 of 67 J come in.
static void a_belt_that_is_thrown_slack_sticks(void **unused) {
  (void)unused;
  rl_scenario *s =
      scenario_from("name: belt\nduration: 0.3\nstep: 0.001\nbodies:\n"
                    "  driver: {motion: driven, spin: [0, 0, -5], shape: {cylinder: {radius: 0.1, "
                    "length: 0.2}}}\n"
                    "  wheel: {motion: axle, mass: 0.1, spin: [0, 0, 4], position: [1, 0.2, 0],"
                    " shape: {cylinder: {radius: 0.15, length: 0.3}}}\n"
                    "  idler: {mass: 0.5, position: [0.5, -0.6, 0]}\n"
                    "  load: {mass: 1, position: [1.15, -1, 0]}\n"
                    "ropes:\n"
                    "  belt: {closed: true, friction: 0.6,"
                    " over: [{body: idler, at: [0, 0, 0], friction: 0}, wheel, driver]}\n"
                    "  lift: {from: {body: load}, to: {body: wheel, at: [0.15, 0, 0]}}\n");
  rl_driver *d = driver_for(s, "penalty", 0.001);
  for (int n = 0; n < 300; n++) {
    step_checked(d);
    check_near(rl_driver_energy_error(d), 0.0, 0.05);
  }
  rl_driver_free(d);
  rl_scenario_free(s);
}

static void what_is_refused(void **unused) {
  (void)unused;
  const struct {
    const char *over, *reason;
  } cases[] = {
      {"[w]", "at least two"},
      {"[w, box]", "anything but balls, cylinders and capsules"},
      {"[w, {eye: [0.05, 0, 0]}]", "an eye starts 0.05 m inside body 'w'"},
      {"[w, {eye: [5, 0, 0]}, {body: w, side: [1, 0, 0]}]", "there is no way for the loop"}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    check_refused(cases[k].reason,
                  "name: x\nduration: 1\nstep: 0.01\nbodies:\n"
                  "  w: {motion: fixed, shape: {cylinder: {radius: 0.1, length: 1}}}\n"
                  "  box: {motion: fixed, position: [1, 0, 0], shape: {box: {size: [1, 1, 1]}}}\n"
                  "ropes: {belt: {closed: true, over: %s}}\n",
                  cases[k].over);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(lengths_are_exact),
      cmocka_unit_test(capsules_are_wheels),
      cmocka_unit_test(a_belt_pulls_by_the_capstan_law),
      cmocka_unit_test(what_friction_takes_is_known_sweep_by_sweep),
      cmocka_unit_test(without_friction_nothing_turns),
      cmocka_unit_test(free_wheels_keep_their_momentum),
      cmocka_unit_test(rows_have_their_gradients),
      cmocka_unit_test(loops_run_off_ends),
      cmocka_unit_test(loops_slip_off_where_there_is_no_way),
      cmocka_unit_test(balls_hold_loops_on_the_inner_side),
      cmocka_unit_test(catches_take_what_has_fallen),
      cmocka_unit_test(belts_slip_from_the_first_step),
      cmocka_unit_test(a_jerk_makes_a_belt_slip),
      cmocka_unit_test(a_belt_that_is_thrown_slack_sticks),
      cmocka_unit_test(what_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
