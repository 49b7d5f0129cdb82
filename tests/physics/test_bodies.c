// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies against bodies: that they rest, slide and roll.
#include "check.h"

#include "world/trigonometry.h"

#include <string.h>

// What every scenario needs: a rope, out of the way.
#define ROPE "ropes: {r: {from: {point: [0, 50, 0]}, to: {point: [0, 49, 0]}, slack: 0.1}}\n"

// ---------------------------------------------------------------------------------------------
// Slopes

static const struct {
  const char *spec;
  double creep; // [m] in a second where it holds
} slope_solvers[] = {
    {"penalty", 5e-5},    {"pbd", 1e-6},     {"xpbd", 1e-6},   {"xpbd,iterations=20", 1e-6},
    {"pbd-direct", 1e-7}, {"impulse", 1e-6}, {"rattle", 1e-7}, {"impulse-soft", 1e-5}};
enum { SLOPE_SOLVERS = sizeof slope_solvers / sizeof slope_solvers[0] };

// A body on a slope of angle a; gravity is turned instead of the plane. Returns it after a second.
static rl_driver *run_slope(rl_scenario **out, const char *spec, double angle, double friction,
                            const char *shape, double height, double dt) {
  *out = scenario_from(
      "name: slope\ngravity: [%.17g, %.17g, 0]\nduration: 1\nstep: 0.01\nbodies:\n"
      "  slope: {motion: fixed, friction: %.17g, rope_collide: false,"
      " shape: {plane: {normal: [0, 1, 0]}}}\n"
      "  load: {mass: 2.385, position: [0, %.17g, 0], rope_collide: false, shape: {%s}}\n" ROPE,
      9.81 * sin(angle), -9.81 * cos(angle), friction, height, shape);
  rl_driver *d = driver_for(*out, spec, dt);
  take_steps(d, (int)(1.0 / dt + 0.5));
  return d;
}

static void run_for(rl_driver *d, double duration) { take_steps(d, (int)(duration / d->dt + 0.5)); }

// Half a degree above the angle of friction a box slides g (sin a - mu cos a) t^2 / 2, half a
// degree below it stays.
static void boxes_slide_or_hold(void **unused) {
  (void)unused;
  static const char *const boxes[] = {"box: {size: [0.4, 0.2, 0.3]}",
                                      "cylinder: {radius: 0.2, length: 0.2},"
                                      " rotation: [1.5707963267948966, 0, 0]"};
  const double limit = atan(0.3), half = 0.5 * RL_PI / 180.0;
  const double above = limit + half;
  const double expected = 0.5 * 9.81 * (sin(above) - 0.3 * cos(above));
  for (size_t k = 0; k < 2; k++) {
    for (size_t i = 0; i < SLOPE_SOLVERS; i++) {
      rl_scenario *s;
      rl_driver *d = run_slope(&s, slope_solvers[i].spec, above, 0.3, boxes[k], 0.1, 1.0 / 240.0);
      check_relative(probe(d, "load.x"), expected, 0.08);
      check_near(probe(d, "load.y"), 0.1, 1e-4);
      print_message("%s: slid %.6f of %.6f m", slope_solvers[i].spec, probe(d, "load.x"), expected);
      if (i == 0) { // what is beside comes from the start, before springs are pressed
        const double v = probe(d, "load.vx");
        run_for(d, 0.5);
        check_relative(probe(d, "load.vx") - v, expected, 1e-10);
      }
      rl_driver_free(d);
      rl_scenario_free(s);
      d = run_slope(&s, slope_solvers[i].spec, limit - half, 0.3, boxes[k], 0.1, 1.0 / 240.0);
      print_message(", held to %.2g m\n", fabs(probe(d, "load.x")));
      check_below(fabs(probe(d, "load.x")), slope_solvers[i].creep);
      rl_driver_free(d);
      rl_scenario_free(s);
    }
  }
}

static const char *const integrators[] = {"penalty", "penalty,integrator=verlet",
                                          "penalty,integrator=rk4"};

// A box on springs is pushed up a slope that holds it: it stops after v^2 / (2 g (sin a + mu cos
// a)), friction takes mu m g cos a over that way, and where it stops it stays to the last digit.
// It stands a little askew as it slides, with the depth of the springs, of order h^2.
static void boxes_stay_where_they_stop(void **unused) {
  (void)unused;
  const double mu = 0.3, angle = atan(mu) - 0.5 * RL_PI / 180.0, g = 9.81, m = 2.385, v = 0.8;
  const double way = v * v / (2.0 * g * (sin(angle) + mu * cos(angle)));
  for (size_t i = 0; i < 3; i++) {
    rl_scenario *s;
    rl_driver *d =
        run_slope(&s, integrators[i], angle, mu, "box: {size: [0.4, 0.2, 0.3]}", 0.1, 1.0 / 240.0);
    const double start = probe(d, "load.x"), taken = d->state->dissipated;
    const double error = rl_driver_energy_error(d) + 0.5 * m * v * v;
    d->state->velocities[rl_body_slot(d->model, 1)].x = -v;
    run_for(d, 0.5);
    const double stop = probe(d, "load.x");
    check_relative(start - stop, way, 0.005);
    check_relative(d->state->dissipated - taken, mu * m * g * cos(angle) * way, 0.005);
    // Semi-implicit Euler is off by m g sin(a) v h / 2.
    check_near(rl_driver_energy_error(d), error, i == 0 ? 1e-3 : 1e-6);
    run_for(d, 1.0);
    check_near(probe(d, "load.x"), stop, 1e-14);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// A turntable takes a box along, held by springs that turn with it: after a turn and a half it
// stands where it stood on the table, but for what the springs give.
static void springs_turn_with_the_ground(void **unused) {
  (void)unused;
  const double spin = 2.0, r = 0.7;
  rl_scenario *s = scenario_from(
      "name: turntable\nduration: 1\nstep: 0.01\nbodies:\n"
      "  table: {motion: driven, spin: [0, %g, 0], friction: 0.5, rope_collide: false,"
      " shape: {cylinder: {radius: 1, length: 0.2}}, rotation: [1.5707963267948966, 0, 0]}\n"
      "  load: {mass: 2.385, position: [%g, 0.2, 0], velocity: [0, 0, %g], spin: [0, %g, 0],"
      " rope_collide: false, shape: {box: {size: [0.3, 0.2, 0.2]}}}\n" ROPE,
      spin, r, -spin * r, spin);
  for (size_t i = 0; i < 3; i++) {
    rl_driver *d = driver_for(s, integrators[i], 1.0 / 240.0);
    run_for(d, 1.5 * RL_PI);
    const double angle = spin * d->state->time, x = probe(d, "load.x"), z = probe(d, "load.z");
    check_near(x * cos(angle) - z * sin(angle), r, i == 1 ? 1e-4 : 2e-5);
    check_near(x * sin(angle) + z * cos(angle), 0.0, 1e-6);
    check_below(fabs(rl_driver_energy_error(d)), 5e-6);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

#define BOX "friction: 0.5, shape: {box: {size: [0.4, 0.2, 0.3]}}"

// What holds on a slope half a degree below the angle of friction comes to rest, and is no farther
// after three seconds more: also a cylinder whose weight is three quarters of its radius off its
// middle, and a box nearly as near to falling over.
static void what_holds_stays(void **unused) {
  (void)unused;
  static const struct {
    const char *shape;
    double height, friction;
  } bodies[] = {
      {"box: {size: [0.4, 0.2, 0.3]}", 0.1, 0.3},
      {"box: {size: [0.2, 0.4, 0.3]}", 0.2, 0.45},
      {"cylinder: {radius: 0.2, length: 0.2}, rotation: [1.5707963267948966, 0, 0]", 0.1, 0.3},
      {"cylinder: {radius: 0.04, length: 0.2}, rotation: [1.5707963267948966, 0, 0]", 0.1, 0.3},
      {"prism: {radius: 0.2, length: 0.2, sides: 7}, rotation: [1.5707963267948966, 0, 0]", 0.1,
       0.3}};
  static const char *const specs[] = {"pbd", "xpbd", "impulse", "impulse-soft"};
  for (size_t k = 0; k < sizeof bodies / sizeof bodies[0]; k++) {
    for (size_t i = 0; i < sizeof specs / sizeof specs[0]; i++) {
      rl_scenario *s;
      const double mu = bodies[k].friction, angle = atan(mu) - 0.5 * RL_PI / 180.0;
      rl_driver *d =
          run_slope(&s, specs[i], angle, mu, bodies[k].shape, bodies[k].height, 1.0 / 240.0);
      const double x = probe(d, "load.x");
      run_for(d, 1.5);
      print_message("%s: %.2g m, then %.2g m\n", specs[i], x, probe(d, "load.x") - x);
      check_below(fabs(probe(d, "load.x")), 1e-5);
      check_near(probe(d, "load.x"), x, 1e-10);
      rl_driver_free(d);
      rl_scenario_free(s);
    }
  }
}

// A box falls on a pile of four of 1 kg, by 0.3 m. Bounds for xpbd are those of papers/bodies.md,
// which has the heavier ones.
static void piles_gain_little_energy(void **unused) {
  (void)unused;
  static const struct {
    const char *spec;
    double mass, gain; // [kg]; share of m g h
    int rate;          // [Hz]
  } known[] = {
      {"pbd", 1.0, 0.0, 960},       {"pbd", 10.0, 0.0, 240},      {"impulse", 1.0, 0.0, 960},
      {"impulse", 10.0, 0.0, 240},  {"xpbd", 1.0, 0.01, 240},     {"xpbd", 10.0, 0.01, 960},
      {"xpbd", 100.0, 0.1, 240},    {"pbd", 100.0, 0.0, 240},     {"pbd", 1000.0, 0.0, 240},
      {"impulse", 100.0, 0.0, 240}, {"impulse", 1000.0, 0.0, 960}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    const int rate = known[i].rate;
    rl_scenario *s = scenario_from(
        "name: pile\nduration: 1\nstep: 0.01\nbodies:\n"
        "  ground: {motion: fixed, friction: 0.5, rope_collide: false,"
        " shape: {plane: {normal: [0, 1, 0]}}}\n"
        "  b0: {mass: 1, position: [0.02, 0.1, 0.01], rope_collide: false, " BOX "}\n"
        "  b1: {mass: 1, position: [-0.03, 0.31, 0.02], rope_collide: false, " BOX "}\n"
        "  b2: {mass: 1, position: [0.01, 0.52, -0.02], rope_collide: false, " BOX "}\n"
        "  b3: {mass: 1, position: [0, 0.73, 0.02], rope_collide: false, " BOX "}\n"
        "  load: {mass: %g, position: [-0.01, 1.2, -0.01], rope_collide: false, " BOX "}\n" ROPE,
        known[i].mass);
    rl_driver *d = driver_for(s, known[i].spec, 1.0 / rate);
    double most = 0.0;
    for (int n = 0; n < rate * 6 / 5; n++) {
      assert_true(rl_driver_step(d) > 0);
      most = fmax(most, rl_driver_energy_error(d));
    }
    const double share = most / (known[i].mass * 9.81 * 0.3);
    print_message("%s, %g kg, %d Hz: %.2g\n", known[i].spec, known[i].mass, rate, share);
    check_below(share, known[i].gain + 1e-12);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// (15) A box that is 30 mm deep comes out as if it were thrown up to the surface, to what it moves
// in half a step.
static void depth_is_pushed_out_up_to_the_surface(void **unused) {
  (void)unused;
  const double depth = 0.03, h = 1e-3, thrown = sqrt(2.0 * 9.81 * depth);
  rl_scenario *s = scenario_from("name: deep\nduration: 1\nstep: 0.001\nbodies:\n"
                                 "  ground: {motion: fixed, friction: 0.5, rope_collide: false,"
                                 " shape: {plane: {normal: [0, 1, 0]}}}\n"
                                 "  load: {mass: 2.3, position: [0, 0.1, 0], " BOX
                                 ", rope_collide: false}\n" ROPE);
  for (size_t k = 0; rl_solvers[k]; k++) {
    if (rl_driver_missing(s->model, rl_solvers[k]) || rl_solvers[k]->has_soft_contacts) {
      continue;
    }
    rl_driver *d = driver_for(s, rl_solvers[k]->name, h);
    d->state->points[rl_body_slot(d->model, 1)].y -= depth;
    double speed = 0.0, height = 0.0;
    for (int n = 0; n < 300; n++) {
      assert_true(rl_driver_step(d) > 0);
      speed = fmax(speed, probe(d, "load.vy"));
      height = fmax(height, probe(d, "load.y"));
    }
    print_message("%s: %.6g m/s, up to %.6g m\n", rl_solvers[k]->name, speed, height);
    check_below(speed, thrown + 1e-5);
    check_below(height, 0.1 + 0.5 * h * thrown + 1e-6);
    check_near(probe(d, "load.y"), 0.1, 1e-6);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// A ball rolls at 5/7 g sin(a), a cylinder at 2/3, as long as the friction that takes, 2/7 or 1/3
// tan(a), is there; with less it slides and spins up at its own rate.
static void round_things_roll(void **unused) {
  (void)unused;
  static const struct {
    const char *shape;
    double share; // k of the inertia k m r^2
  } known[] = {{"sphere: {radius: 0.1}", 0.4}, {"cylinder: {radius: 0.1, length: 0.3}", 0.5}};
  const double angle = 0.4, g = 9.81;
  for (size_t k = 0; k < 2; k++) {
    const double needed = known[k].share / (1.0 + known[k].share) * tan(angle);
    const double rolls = g * sin(angle) / (1.0 + known[k].share);
    for (size_t i = 0; i < SLOPE_SOLVERS; i++) {
      const bool exact = i == 0 || strcmp(slope_solvers[i].spec, "pbd-direct") == 0 ||
                         strcmp(slope_solvers[i].spec, "rattle") == 0;
      const double tolerance = exact ? 1e-9 : 1e-3;
      rl_scenario *s;
      rl_driver *d = run_slope(&s, slope_solvers[i].spec, angle, 1.2 * needed, known[k].shape, 0.1,
                               1.0 / 240.0);
      check_relative(probe(d, "load.vx"), rolls, tolerance);
      check_relative(probe(d, "load.spin"), -rolls / 0.1, tolerance);
      rl_driver_free(d);
      rl_scenario_free(s);
      const double mu = 0.6 * needed, slides = g * (sin(angle) - mu * cos(angle));
      d = run_slope(&s, slope_solvers[i].spec, angle, mu, known[k].shape, 0.1, 1.0 / 240.0);
      check_relative(probe(d, "load.vx"), slides, 5e-3);
      check_relative(probe(d, "load.spin"), -mu * g * cos(angle) / (known[k].share * 0.1), 5e-3);
      rl_driver_free(d);
      rl_scenario_free(s);
    }
  }
}

// A prescribed ball or box drives into a wheel, with its normal through the axis: that turns
// nothing, and nothing can give way, so that no force acts, whatever round-off leaves of levers.
static void nothing_turns_a_wheel_through_its_axis(void **unused) {
  (void)unused;
  static const struct {
    const char *driven, *wheel;
  } pairs[] = {
      {"position: [-0.23, 0.3238, 0.1], velocity: [1, 0, 0], shape: {sphere: {radius: 0.1}}",
       "sphere: {radius: 0.2}"},
      {"position: [-0.23, 0.3238, 0.1], velocity: [1, 0, 0], shape: {sphere: {radius: 0.1}}",
       "cylinder: {radius: 0.2, length: 0.5}"},
      {"position: [0.3, 0.71, 0.1], rotation: [0, 0, 0.1], velocity: [0.1, -1, 0],"
       " shape: {box: {size: [0.5, 0.2, 0.3]}}",
       "cylinder: {radius: 0.2, length: 0.5}"}};
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    rl_scenario *s =
        scenario_from("name: jam\nduration: 1\nstep: 0.01\nbodies:\n"
                      "  driven: {motion: driven, friction: 0.3, rope_collide: false, %s}\n"
                      "  wheel: {motion: axle, mass: 1, position: [0.3, 0.3, 0.1], spin: [0, 0, 2],"
                      " friction: 0.3, rope_collide: false, shape: {%s}}\n" ROPE,
                      pairs[i].driven, pairs[i].wheel);
    for (size_t k = 0; rl_solvers[k]; k++) {
      for (double h = 2e-3; h > 4e-4 && !rl_driver_missing(s->model, rl_solvers[k]); h *= 0.25) {
        rl_driver *d = driver_for(s, rl_solvers[k]->name, h);
        run_for(d, 0.4);
        assert_true(rl_metrics_of(d).penetration_max > 0.1);
        check_near(probe(d, "wheel.spin"), 2.0, 1e-12);
        check_near(d->state->work, 0.0, 1e-12);
        check_near(d->state->dissipated, 0.0, 1e-12);
        rl_driver_free(d);
      }
    }
    rl_scenario_free(s);
  }
}

// A prescribed ball turns a box on an axle with v/a if it meets a face at a beside the axis,
// however little that is.
static void short_levers_turn(void **unused) {
  (void)unused;
  static const char *const solvers[] = {"pbd",    "pbd-direct", "impulse",  "impulse-direct",
                                        "convex", "rattle",     "reference"};
  for (double a = 0.1; a > 5e-4; a *= 0.01) {
    rl_scenario *s =
        scenario_from("name: lever\nduration: 1\nstep: 0.01\nbodies:\n"
                      "  ball: {motion: driven, rope_collide: false, position: [%.17g, -0.2, 0],"
                      " velocity: [0, %.17g, 0], shape: {sphere: {radius: 0.1}}}\n"
                      "  box: {motion: axle, mass: 1, rope_collide: false,"
                      " shape: {box: {size: [0.4, 0.2, 0.4]}}}\n" ROPE,
                      a, 30.0 * a);
    for (size_t k = 0; k < sizeof solvers / sizeof solvers[0]; k++) {
      for (double h = 1e-3; h > 1e-4; h *= 0.25) {
        rl_driver *d = driver_for(s, solvers[k], h * a);
        run_for(d, 2.0 * d->dt);
        check_relative(probe(d, "box.spin"), 30.0, 15.0 * h); // it turns by 60 h a, 0.2 m above
        rl_driver_free(d);
      }
    }
    rl_scenario_free(s);
  }
}

// The side of a cylinder is as round as that of a capsule: a ball rolls over both in the same way.
static void sides_are_round(void **unused) {
  (void)unused;
  static const char *const shapes_below[] = {"cylinder", "capsule"};
  for (size_t k = 0; rl_solvers[k]; k++) {
    for (double h = 4e-3; h > 5e-4; h *= 0.25) {
      double end[2][2] = {{0.0}};
      bool runs = true;
      for (size_t i = 0; i < 2; i++) {
        rl_scenario *s = scenario_from(
            "name: side\nduration: 1\nstep: 0.01\nbodies:\n"
            "  log: {motion: fixed, rope_collide: false, friction: 0.4, shape: {%s: {radius: 0.3,"
            " length: 1}}}\n"
            "  ball: {mass: 2.385, rope_collide: false, position: [0.1, 0.38729833462074170, 0.1],"
            " shape: {sphere: {radius: 0.1}}}\n" ROPE,
            shapes_below[i]);
        runs = !rl_driver_missing(s->model, rl_solvers[k]);
        if (runs) {
          rl_driver *d = driver_for(s, rl_solvers[k]->name, h);
          run_for(d, 0.3);
          end[i][0] = probe(d, "ball.x");
          end[i][1] = probe(d, "ball.spin");
          rl_driver_free(d);
        }
        rl_scenario_free(s);
      }
      check_near(end[0][0], end[1][0], 1e-12);
      check_near(end[0][1], end[1][1], 1e-11);
      assert_true(!runs || end[0][0] > 0.11);
    }
  }
}

// A ball lies on a wheel, a capsule or a ball without friction that spins at 3000 rad/s under it, 6
// rad in a step: it lies there still, since the place where it touches does not turn with them.
static void what_spins_under_a_ball_does_not_throw_it(void **unused) {
  (void)unused;
  static const char *const shapes_below[] = {"cylinder: {radius: 0.1, length: 0.2}",
                                             "capsule: {radius: 0.1, length: 0.2}",
                                             "sphere: {radius: 0.1}"};
  for (size_t i = 0; i < 3; i++) {
    rl_scenario *s =
        scenario_from("name: spins\nduration: 1\nstep: 0.01\nbodies:\n"
                      "  wheel: {motion: axle, mass: 2, spin: [0, 0, 3000], friction: 0,"
                      " rope_collide: false, shape: {%s}}\n"
                      "  ball: {mass: 0.5, position: [0, 0.15, 0], friction: 0,"
                      " rope_collide: false, shape: {sphere: {radius: 0.05}}}\n" ROPE,
                      shapes_below[i]);
    for (size_t k = 0; rl_solvers[k]; k++) {
      if (rl_driver_missing(s->model, rl_solvers[k])) {
        continue;
      }
      rl_driver *d = driver_for(s, rl_solvers[k]->name, 0.002);
      take_steps(d, 20);
      check_near(probe(d, "ball.y"), 0.15, 1e-5);
      check_near(probe(d, "ball.speed"), 0.0, 1e-3);
      rl_driver_free(d);
    }
    rl_scenario_free(s);
  }
}

// A ball that hits the ground at a slant and begins to roll: friction takes m v^2 / 7 of it, the
// ground what it has fallen. Methods of the first order that have it on the ground at the end of
// the step of the hit are off by nothing else.
static void a_ball_that_begins_to_roll_loses_a_seventh(void **unused) {
  (void)unused;
  static const struct {
    const char *spec;
    double error; // [J]
  } known[] = {
      {"pbd", 1e-12}, {"impulse", 1e-12},     {"pbd-direct", 1e-10}, {"impulse-direct", 1e-10},
      {"xpbd", 4e-3}, {"impulse-soft", 0.02}, {"rattle", 0.04}};
  const double lost = 1.3 * 9.81 * 0.45 + 1.3 * 1.5 * 1.5 / 7.0;
  rl_scenario *s = scenario_from(
      "name: ball\ngravity: [0, -9.81, 0]\nduration: 1\nstep: 0.01\nbodies:\n"
      "  ground: {motion: fixed, friction: 0.3, rope_collide: false,"
      " shape: {plane: {normal: [0, 1, 0]}}}\n"
      "  load: {mass: 1.3, position: [0, 0.55, 0], velocity: [1.2, 0, -0.9], rope_collide: false,"
      " shape: {sphere: {radius: 0.1}}}\n" ROPE);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    rl_driver *d = driver_for(s, known[i].spec, 1.0 / 240.0);
    take_steps(d, 120);
    check_relative(probe(d, "load.vx"), 1.2 * 5.0 / 7.0, 1e-9);
    check_relative(probe(d, "load.vz"), -0.9 * 5.0 / 7.0, 1e-9);
    check_near(d->state->dissipated, lost, known[i].error);
    check_near(rl_driver_energy_error(d), 0.0, known[i].error);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// A capsule leans on ground that is drawn away under it, and tips as it slides: what friction takes
// and the ground does, 0.9 J and more, is all that changes its energy but for the error of a fall.
static void a_capsule_slides_and_tips(void **unused) {
  (void)unused;
  static const struct {
    const char *spec;
    double error; // measured, and of the first order [J]
  } known[] = {{"xpbd", 3e-3}, {"impulse-soft", 6e-3}, {"penalty", 3e-3}, {"pbd", 0.03}};
  rl_scenario *s = scenario_from(
      "name: capsule\nduration: 1\nstep: 0.01\nbodies:\n"
      "  ground: {motion: driven, velocity: [-0.5, 0, 0.2], friction: 0.2, rope_collide: false,\n"
      "    shape: {plane: {normal: [0, 1, 0]}}}\n"
      "  load: {mass: 5, position: [0, 0.379611725790, 0], rotation: [1.2, 0, 0],\n"
      "    velocity: [0.3, 0, 0], rope_collide: false, friction: 0.2,\n"
      "    shape: {capsule: {radius: 0.1, length: 0.6}}}\n" ROPE);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    for (double h = 1e-3; h > 2e-4; h /= 4.0) {
      rl_driver *d = driver_for(s, known[i].spec, h);
      take_steps(d, (int)(0.36 / h + 0.5));
      print_message("%s: ledger off by %g J of %g\n", known[i].spec, rl_driver_energy_error(d),
                    d->state->dissipated);
      check_near(rl_driver_energy_error(d), 0.0, known[i].error * h / 1e-3);
      rl_driver_free(d);
    }
  }
  rl_scenario_free(s);
}

// The way of a rolling ball has the order of the method.
static void rolling_has_the_order_of_the_method(void **unused) {
  (void)unused;
  static const struct {
    const char *spec;
    double order;
  } known[] = {{"pbd", 1.0}, {"impulse", 1.0}, {"pbd-direct", 1.0}, {"xpbd", 1.0}};
  const double exact = 0.5 * 5.0 / 7.0 * 9.81 * sin(0.4);
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    double errors[2];
    for (int k = 0; k < 2; k++) {
      rl_scenario *s;
      rl_driver *d =
          run_slope(&s, known[i].spec, 0.4, 0.5, "sphere: {radius: 0.2}", 0.2, 0.01 / (k + 1));
      errors[k] = fabs(probe(d, "load.x") - exact);
      rl_driver_free(d);
      rl_scenario_free(s);
    }
    check_near(log2(errors[0] / errors[1]), known[i].order, 0.05);
  }
  rl_scenario *s; // rattle: a constant force has no error
  rl_driver *d = run_slope(&s, "rattle", 0.4, 0.5, "sphere: {radius: 0.2}", 0.2, 0.01);
  check_relative(probe(d, "load.x"), exact, 1e-10);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// What rolls or slides keeps its contacts, and their multipliers with them: the rows are those of
// the step before. The corners of a box on the end of a cylinder are found with each of their
// edges.
static void multipliers_follow_their_contacts(void **unused) {
  (void)unused;
  static const struct {
    const char *shape;
    double height;
    size_t contacts;
    double turn; // about the vertical
  } known[] = {{"sphere: {radius: 0.1}", 0.1, 1, 0},
               {"capsule: {radius: 0.1, length: 0.3}", 0.1, 2, 0},
               {"cylinder: {radius: 0.1, length: 0.3}", 0.1, 2, 0},
               {"box: {size: [0.4, 0.2, 0.3]}", 0.1, 4, 0},
               {"box: {size: [0.4, 0.2, 0.3]}", 0.1, 4, 0.7}};
  static const char *const grounds[] = {"[0, 0, 0], shape: {plane: {normal: [0, 1, 0]}}",
                                        "[0, -1, 0], shape: {box: {size: [20, 2, 3]}}",
                                        "[0, -1, 0], rotation: [1.5707963267948966, 0, 0],"
                                        " shape: {cylinder: {radius: 10, length: 2}}"};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    for (size_t g = 0; g < (i >= 3 ? 3 : 2); g++) {
      rl_scenario *s = scenario_from(
          "name: follow\ngravity: [2, -9.6, 0]\nduration: 1\nstep: 0.01\nbodies:\n"
          "  ground: {motion: fixed, friction: 0.15, rope_collide: false, position: %s}\n"
          "  load: {mass: 1, position: [0, %.17g, 0], rotation: [0, %.17g, 0], rope_collide: false,"
          " shape: {%s}}\n" ROPE,
          grounds[g], known[i].height, known[i].turn, known[i].shape);
      rl_driver *d = driver_for(s, "rattle", 1.0 / 240.0);
      for (int n = 0; n < 120; n++) {
        assert_true(rl_driver_step(d) > 0);
        size_t pushing = 0;
        for (size_t c = 0; c < d->state->contact_count; c++) {
          const bool pushes = d->state->multipliers[d->model->link_count + c] > 0.0;
          pushing += pushes ? 1 : 0;
          assert_true(n == 0 || !pushes || d->rows->contact_before[c] != RL_NONE);
        }
        assert_int_equal(pushing, known[i].contacts);
      }
      assert_true(probe(d, "load.x") > 0.01);
      rl_driver_free(d);
      rl_scenario_free(s);
    }
  }
}

// What overlaps is refused, unless it is said that it may.
static void bodies_start_apart(void **unused) {
  (void)unused;
  static const char *const text =
      "name: in\nduration: 1\nstep: 0.01\nbodies:\n"
      "  a: {mass: 1, rope_collide: false, collide: %s, shape: {sphere: {radius: 0.1}}}\n"
      "  b: {motion: fixed, position: [0.15, 0, 0], rope_collide: false,"
      " shape: {box: {size: [0.2, 0.2, 0.2]}}}\n" ROPE;
  check_refused("starts 0.05 m inside body 'b'", text, "true");
  rl_scenario *s = scenario_from(text, "false");
  assert_int_equal(s->model->pair_count, 0);
  rl_scenario_free(s);
}

// ---------------------------------------------------------------------------------------------
// What the comments of the shipped scenarios claim

static rl_driver *run_shipped(rl_scenario **out, const char *name, const rl_override *override,
                              const char *spec, double time) {
  *out = shipped_with(name, override, override ? 1 : 0);
  rl_driver *d = driver_for(*out, spec, (*out)->step);
  run_until(d, time);
  return d;
}

static void end_shipped(rl_driver *d, rl_scenario *s) {
  rl_driver_free(d);
  rl_scenario_free(s);
}

static void shipped_ball_rolls(void **unused) {
  (void)unused;
  rl_scenario *s;
  rl_driver *d = run_shipped(&s, "rolling-ball", NULL, "rattle", 1.0);
  check_near(probe(d, "ball.vx"), 2.96135, 1e-5);
  check_near(probe(d, "ball.x"), 1.48067, 1e-5);
  check_near(probe(d, "ball.spin"), -29.6135, 1e-4);
  end_shipped(d, s);
  d = run_shipped(&s, "rolling-ball", NULL, "impulse", 1.0);
  check_relative(probe(d, "ball.x") - 1.48067, 0.0062, 0.02);
  end_shipped(d, s);
  d = run_shipped(&s, "rolling-ball", &(rl_override){"bodies.slope.friction", "0.08"}, "rattle",
                  1.0);
  check_near(probe(d, "ball.vx"), 3.43461, 1e-5);
  check_near(probe(d, "ball.spin"), -17.782, 1e-3);
  end_shipped(d, s);
}

static void shipped_boxes_hold(void **unused) {
  (void)unused;
  rl_scenario *s;
  rl_driver *d = run_shipped(&s, "box-on-slope", NULL, "rattle", 1.0);
  check_near(probe(d, "upper.x"), 0.0, 1e-9);
  check_near(probe(d, "line.tension"), 0.0538, 5e-5);
  end_shipped(d, s);
  d = run_shipped(&s, "box-on-slope", &(rl_override){"bodies.upper.friction", "0.3"}, "rattle",
                  1.0);
  check_relative(probe(d, "upper.x"), 0.5 * 0.0538, 0.01);
  check_relative(probe(d, "lower.x") - 1.0, 0.5 * 0.0538, 0.01);
  end_shipped(d, s);
}

static void shipped_load_lands(void **unused) {
  (void)unused;
  rl_scenario *s;
  rl_driver *d = run_shipped(&s, "landing", NULL, "rattle", 0.36);
  // It lands within a step, at whose end it would be faster.
  check_near(d->state->dissipated, 1.308, 2.0 * 9.81 * 1.14368 * s->step);
  check_near(probe(d, "line.tension"), 0.0, 1e-9);
  end_shipped(d, s);
  d = run_shipped(&s, "landing", NULL, "rattle", 0.6);
  check_relative(d->state->dissipated, 1.308 + 0.436, 0.02);
  assert_true(probe(d, "crate.vy") > 0.25);
  end_shipped(d, s);
}

static void shipped_ball_bounces(void **unused) {
  (void)unused;
  rl_scenario *s;
  rl_driver *d = run_shipped(&s, "bouncing-ball", NULL, "rattle", 0.6);
  check_relative(d->state->dissipated, 3.5316, 0.01);
  end_shipped(d, s);
  d = run_shipped(&s, "bouncing-ball", NULL, "rattle", 1.3);
  check_relative(d->state->dissipated, 3.5316 + 2.2602, 0.01);
  end_shipped(d, s);
}

// A ball stands 0.45 m beside a wheel that makes almost half a turn in a step, and they are not in
// each other: the place of a contact that turned with the wheel was 0.95 m in the ball.
static void what_turns_far_in_a_step_is_in_nothing(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: wheel\nduration: 1\nstep: 0.001\ngravity: [0, 0, 0]\nbodies:\n"
      "  wheel: {motion: axle, mass: 1, spin: [0, 0, 3000],"
      " shape: {cylinder: {radius: 0.15, length: 0.5}}}\n"
      "  ball: {mass: 1, position: [0.7, 0.05, 0], shape: {sphere: {radius: 0.1}}}\n" ROPE);
  rl_driver *d = driver_for(s, "impulse", 1e-3);
  for (int n = 0; n < 10; n++) {
    take_steps(d, 1);
    check_near(rl_metrics_of(d).overlap.depth, 0.0, 0.0);
  }
  rl_driver_free(d);
  rl_scenario_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(boxes_slide_or_hold),
      cmocka_unit_test(what_holds_stays),
      cmocka_unit_test(piles_gain_little_energy),
      cmocka_unit_test(depth_is_pushed_out_up_to_the_surface),
      cmocka_unit_test(boxes_stay_where_they_stop),
      cmocka_unit_test(springs_turn_with_the_ground),
      cmocka_unit_test(round_things_roll),
      cmocka_unit_test(nothing_turns_a_wheel_through_its_axis),
      cmocka_unit_test(short_levers_turn),
      cmocka_unit_test(sides_are_round),
      cmocka_unit_test(what_spins_under_a_ball_does_not_throw_it),
      cmocka_unit_test(a_ball_that_begins_to_roll_loses_a_seventh),
      cmocka_unit_test(a_capsule_slides_and_tips),
      cmocka_unit_test(rolling_has_the_order_of_the_method),
      cmocka_unit_test(multipliers_follow_their_contacts),
      cmocka_unit_test(bodies_start_apart),
      cmocka_unit_test(shipped_ball_rolls),
      cmocka_unit_test(shipped_boxes_hold),
      cmocka_unit_test(shipped_load_lands),
      cmocka_unit_test(shipped_ball_bounces),
      cmocka_unit_test(what_turns_far_in_a_step_is_in_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
