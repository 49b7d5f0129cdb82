// SPDX-License-Identifier: GPL-3.0-or-later
// Massless ropes over bodies: the capstan law, wheels, momentum, and contacts that come and go.
#include "check.h"

#include "world/paths/bend.h"
#include "world/paths/wrap.h"
#include "world/rotation.h"
#include "world/rows_internal.h"

#include <gsl/gsl_sf_ellint.h>

#include <stdlib.h>
#include <string.h>

static const double pi = 3.14159265358979323846;
static const double g = 9.81;

// All general solvers, as exact as they get on one rope.
static const char *const solvers[] = {"impulse",    "impulse-direct", "pbd",   "xpbd",
                                      "pbd-direct", "rattle",         "convex"};
#define SOLVERS (sizeof solvers / sizeof solvers[0])

// Two weights plumb below a round body of radius 0.1 at the origin; `body`: its other keys.
static rl_scenario *two_weights(double heavy, double light, const char *body, int turns) {
  return scenario_from("name: weights\nduration: 1\nstep: 0.01\nbodies:\n"
                       "  drum: {%s, shape: {cylinder: {radius: 0.1, length: 0.4}}}\n"
                       "  heavy: {mass: %.17g, position: [-0.1, -4.2, 0]}\n"
                       "  light: {mass: %.17g, position: [0.1, -10.3, 0]}\n"
                       "ropes:\n"
                       "  line: {from: {body: heavy}, to: {body: light},"
                       " over: [{body: drum, turns: %d}]}\n",
                       body, heavy, light, turns);
}

static double last_tension(const rl_driver *d) {
  const rl_rope *rope = &d->model->ropes[0];
  return d->state->wraps[rope->first_wrap + d->state->wrap_counts[0] - 1].tension;
}

// ---------------------------------------------------------------------------------------------
// Starts

// A bar with an edge length of 2e-5 to 0.2 and a needle are passed as any other body: the two
// straight pieces are as long as the triangle says, up to the thickness.
static void thin_bodies_are_passed(void **unused) {
  (void)unused;
  static const double sizes[] = {2e-5, 1e-4, 2e-3, 0.2};
  for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
    const double h = 0.5 * sizes[i];
    for (int needle = 0; needle < 2; needle++) {
      char shape[256];
      snprintf(
          shape, sizeof shape,
          needle ? "hull: {points: [[%.17g, %.17g, -0.5], [%.17g, %.17g, -0.5], [0, %.17g, -0.5], "
                   "[0, 0, 0.5]]}"
                 : "box: {size: [%.17g, %.17g, 0.5]}",
          needle ? h : 2.0 * h, needle ? -h : 2.0 * h, -h, -h, h);
      rl_scenario *s =
          scenario_from("name: thin\nduration: 1\nstep: 0.01\nbodies:\n"
                        "  drum: {motion: fixed, shape: {%s}}\n"
                        "ropes:\n  line: {from: {point: [-0.4, -1, 0]}, to: {point: [0.4, -1, 0]},"
                        " over: [{body: drum, side: [0, 1, 0]}]}\n",
                        shape);
      rl_driver *d = driver_for(s, "impulse", 0.01);
      check_near(probe(d, "line.length"), 2.0 * hypot(0.4, 1.0), 4.0 * h);
      check_near(probe(d, "line.wrap.drum"), 2.0 * atan2(1.0, 0.4), 8.0 * h);
      rl_driver_free(d);
      rl_scenario_free(s);
    }
  }
}

// A ball that the rope would touch only if it also lay on what it passes clear of before it: it is
// clear of both, and straight.
static void what_is_clear_of_all_is_straight(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: clear\nduration: 1\nstep: 0.01\nbodies:\n"
      "  a: {motion: fixed, position: [0.1663, 0.3936, -0.0483], rotation: [0.023, 0, 2.908],\n"
      "      shape: {capsule: {radius: 0.177, length: 0.5864}}}\n"
      "  b: {motion: fixed, position: [0.8703, -0.4638, -0.0008], shape: {sphere: {radius: 0.3}}}\n"
      "ropes:\n"
      "  r: {from: {point: [-1.6237, -1.0868, 0]}, to: {point: [1.6117, -0.867, -0.1875]},\n"
      "      over: [{body: a, side: [0, -1, 0]}, {body: b, side: [0, -1, 0]}]}\n");
  rl_driver *d = driver_for(s, "impulse", 0.01);
  check_near(probe(d, "r.length"), sqrt(3.2354 * 3.2354 + 0.2198 * 0.2198 + 0.1875 * 0.1875),
             1e-14);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// Random rows of drums, bars and prisms that stand beside each other, their axes across the plane
// of the rope: above and below them as one likes there is one taut rope, whichever of them it
// touches.
static void rows_are_laid_on_their_sides(void **unused) {
  (void)unused;
  enum { MOST = 5 };
  static rl_path_point points[1000];
  uint64_t seed = 41;
  for (int row = 0; row < 300; row++) {
    const int count = 1 + (int)between(&seed, 0.0, MOST);
    double heights[MOST], sides[MOST];
    char bodies[MOST * 200] = "", ways[MOST * 40] = "";
    for (int i = 0; i < count; i++) {
      char shape[80];
      const double size = between(&seed, 0.1, 0.4), kind = between(&seed, 0.0, 3.0);
      heights[i] = between(&seed, -0.6, 0.6);
      sides[i] = between(&seed, -1.0, 1.0) < 0.0 ? -1.0 : 1.0;
      snprintf(shape, sizeof shape,
               kind < 1.0   ? "cylinder: {radius: %.6f, length: 1}"
               : kind < 2.0 ? "box: {size: [%.6f, 0.5, 1]}"
                            : "prism: {radius: %.6f, length: 1, sides: 5}",
               size);
      snprintf(bodies + strlen(bodies), sizeof bodies - strlen(bodies),
               "  b%d: {motion: fixed, position: [%d, %.6f, 0], rotation: [0, 0, %.6f], shape: "
               "{%s}}\n",
               i, i, heights[i], between(&seed, -3.0, 3.0), shape);
      snprintf(ways + strlen(ways), sizeof ways - strlen(ways), "{body: b%d, side: [0, %g, 0]}, ",
               i, sides[i]);
    }
    rl_scenario *s = scenario_from(
        "name: row\nduration: 1\nstep: 0.01\nbodies:\n%sropes:\n"
        "  r: {from: {point: [-1, %.6f, 0]}, to: {point: [%d, %.6f, 0]}, over: [%s]}\n",
        bodies, between(&seed, -1.0, 1.0), count, between(&seed, -1.0, 1.0), ways);
    rl_state *state = rl_state_create(s->model);
    rl_wrap_path(s->model, state, 0, state->points);
    const size_t many = rl_path_points(s->model, state, 0, RL_ALL_TURNS, points, 1000);
    assert_in_range(many, 2, 1000);
    for (int i = 0; i < count; i++) {
      int times = 0;
      for (size_t k = 1; k < many; k++) {
        const rl_vec3 a = points[k - 1].at, b = points[k].at;
        if ((a.x < i) != (b.x < i)) {
          times++;
          check_below(0.0, sides[i] * (a.y + (b.y - a.y) * (i - a.x) / (b.x - a.x) - heights[i]));
        }
      }
      assert_int_equal(times, 1);
    }
    rl_state_free(state);
    rl_scenario_free(s);
  }
}

// Round three drums once, and on: the ways are there in their order, or it is said which is not. In
// a plane the rope turns by 2 pi.
static void what_is_passed_again_is_passed_in_order(void **unused) {
  (void)unused;
  static const char scene[] =
      "name: round\nduration: 1\nstep: 0.01\nbodies:\n"
      "  a: {motion: fixed, position: [0, 0, 0], shape: {%s}}\n"
      "  b: {motion: fixed, position: [1, 0, 0], shape: {%s}}\n"
      "  c: {motion: fixed, position: [0.5, 0.8, 0], shape: {%s}}\n"
      "ropes:\n  r: {from: {point: [-1, -0.1, 0]}, to: {point: [2, -0.1, 0]}, over: [%s]}\n";
  static const char drum[] = "cylinder: {radius: 0.1, length: 3}",
                    box[] = "box: {size: [0.2, 0.2, 3]}";
  static const char round[] =
      "{body: a, side: [0, -1, 0]}, {body: b, side: [1, -1, 0]}, {body: c, side: [0, 1, 0]}, "
      "{body: a, side: [-1, 0, 0]}, {body: b, side: [0, -1, 0]}";
  rl_scenario *s = scenario_from(scene, drum, drum, drum, round);
  rl_driver *d = driver_for(s, "impulse", 0.01);
  check_near(probe(d, "r.wrap.a") + probe(d, "r.wrap.b") + probe(d, "r.wrap.c"), 2.0 * pi, 1e-12);
  check_near(probe(d, "r.length"), 4.0 + 2.0 * hypot(0.5, 0.8) + 0.2 * pi, 1e-12);
  rl_driver_free(d);
  rl_scenario_free(s);
  s = scenario_from(scene, box, box, box, round);
  d = driver_for(s, "impulse", 0.01);
  check_near(probe(d, "r.wrap.a") + probe(d, "r.wrap.b") + probe(d, "r.wrap.c"), 2.0 * pi, 1e-12);
  check_near(probe(d, "r.length"), 4.8 + 2.0 * hypot(0.5, 0.8), 1e-12);
  rl_driver_free(d);
  rl_scenario_free(s);
  // Whatever the three are: once round, but for the angle between the two ends of the rope.
  static const char *const shapes[] = {drum, box, "capsule: {radius: 0.1, length: 1}",
                                       "prism: {radius: 0.12, length: 2, sides: 7}"};
  for (int i = 0; i < 64; i++) {
    s = scenario_from(scene, shapes[i % 4], shapes[i / 4 % 4], shapes[i / 16], round);
    d = driver_for(s, "impulse", 0.01);
    check_near(probe(d, "r.wrap.a") + probe(d, "r.wrap.b") + probe(d, "r.wrap.c"), 2.0 * pi, 0.1);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
  check_refused("round body 'b' twice, one after the other", scene, drum, drum, drum,
                "a, b, {body: b, side: [0, -1, 0]}, {body: a, side: [0, -1, 0]}");
  check_refused("before and behind body 'b' is in one place", scene, drum, drum, drum,
                "a, {body: b, side: [0, -1, 0]}, {body: a, side: [0, -1, 0]}");
}

// A full turn is laid too round a drum that the straight rope would pass just above: the rope comes
// down to it and goes up again. The tangent from a point at the distance d from the axis touches
// acos(R/d) off the direction to the point.
static void turns_are_laid_beside_the_straight_way(void **unused) {
  (void)unused;
  static const double heights[] = {0.1001, 0.11, 0.15};
  for (size_t i = 0; i < sizeof heights / sizeof heights[0]; i++) {
    const double h = heights[i], d = hypot(1.0, h);
    const double touch = atan2(1.0, h) - acos(0.1 / d); // of the tangent point, from the top
    rl_scenario *s =
        scenario_from("name: turn\nduration: 1\nstep: 0.01\nbodies:\n"
                      "  drum: {motion: fixed, shape: {cylinder: {radius: 0.1, length: 1}}}\n"
                      "ropes:\n  line: {from: {point: [-1, %.17g, 0]}, to: {point: [1, %.17g, 0]},"
                      " over: [{body: drum, turns: 1}]}\n",
                      h, h);
    rl_driver *driver = driver_for(s, "impulse", 0.01);
    check_near(probe(driver, "line.wrap.drum"), 2.0 * pi + 2.0 * touch, 1e-12);
    check_near(probe(driver, "line.length"),
               2.0 * sqrt(d * d - 0.01) + 0.1 * (2.0 * pi + 2.0 * touch), 1e-12);
    rl_driver_free(driver);
    rl_scenario_free(s);
  }
}

// Full turns round a box: in the unrolled sides the rope is one straight line. From the ends, R out
// and D below the middle of a box of 2 R, it goes up to the two upper edges.
static void turns_on_a_box_are_straight_in_its_sides(void **unused) {
  (void)unused;
  for (int turns = 0; turns <= 10; turns++) {
    const double z = 0.01 * turns, flat = 2.0 * hypot(0.1, 1.2) + 0.4 + 1.6 * turns;
    rl_scenario *s = scenario_from(
        "name: turns\nduration: 1\nstep: 0.01\nbodies:\n"
        "  box: {motion: fixed, shape: {box: {size: [0.4, 0.4, 0.6]}}}\n"
        "ropes:\n  line: {from: {point: [-0.3, -1, 0]}, to: {point: [0.3, -1, %.17g]},"
        " over: [{body: box, turns: %d}]}\n",
        z, turns);
    rl_driver *driver = driver_for(s, "impulse", 0.01);
    check_near(probe(driver, "line.length"), hypot(flat, z), 1e-12 * flat);
    rl_driver_free(driver);
    rl_scenario_free(s);
  }
}

// Boxes and prisms whose axis is up to 0.35 rad off the plane's normal: the rope turns so often,
// and no piece is inside.
static void turns_hold_on_boxes_and_prisms(void **unused) {
  (void)unused;
  static rl_path_point points[200];
  uint64_t seed = 5;
  for (int i = 0; i < 200; i++) {
    const int turns = 1 + i % 3;
    const double size = between(&seed, 0.1, 0.4), z = between(&seed, -0.3, 0.3);
    const double tilt[2] = {between(&seed, -0.25, 0.25), between(&seed, -0.25, 0.25)};
    char shape[80];
    snprintf(shape, sizeof shape,
             i % 2 == 0 ? "box: {size: [%.6f, 0.3, 0.8]}"
                        : "prism: {radius: %.6f, length: 1, sides: 5}",
             size);
    rl_scenario *s = scenario_from(
        "name: turns\nduration: 1\nstep: 0.01\nbodies:\n"
        "  b: {motion: fixed, rotation: [%.6f, %.6f, %.6f], shape: {%s}}\n"
        "ropes:\n  r: {from: {point: [-1.2, -0.3, 0]}, to: {point: [1.2, -0.3, %.6f]},"
        " over: [{body: b, turns: %d}]}\n",
        tilt[0], tilt[1], between(&seed, -3.0, 3.0), shape, z, turns);
    rl_driver *d = driver_for(s, "impulse", 0.01);
    check_below(2.0 * pi * turns, probe(d, "r.wrap.b"));
    const size_t many = rl_path_points(s->model, d->state, 0, RL_ALL_TURNS, points, 200);
    const rl_body_pose at = rl_body_pose_at(s->model, d->state, d->state->points, 0);
    double length = 0.0;
    for (size_t k = 1; k < many; k++) {
      rl_surface surface;
      rl_shape_segment(&s->model->bodies[0].parts[0], at.centre, at.rotation, points[k - 1].at,
                       points[k].at, &surface);
      check_below(-surface.distance, 1e-9);
      length += rl_distance(points[k - 1].at, points[k].at);
    }
    check_near(probe(d, "r.length"), length, 1e-12);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// ---------------------------------------------------------------------------------------------
// Frictionless drum

// Of whatever radius.
static void drum_is_a_pulley(void **unused) {
  (void)unused;
  static const double ratios[] = {2.385, 1e3, 1e6}, radii[] = {1e-3, 0.1, 1.7};
  for (size_t i = 0; i < 9; i++) {
    const double m = ratios[i / 3], r = radii[i % 3], a = (m - 1.0) / (m + 1.0) * g;
    rl_scenario *s =
        scenario_from("name: pulley\nduration: 1\nstep: 0.01\nbodies:\n"
                      "  drum: {motion: fixed, shape: {cylinder: {radius: %.17g, length: 0.4}}}\n"
                      "  heavy: {mass: %.17g, position: [%.17g, -4.2, 0]}\n"
                      "  light: {mass: 1, position: [%.17g, -10.3, 0]}\n"
                      "ropes: {line: {from: {body: heavy}, to: {body: light}, over: [drum]}}\n",
                      r, m, -r, r);
    rl_driver *d = driver_for(s, "impulse", 1.0 / 240.0);
    for (int n = 0; n < 220; n++) {
      assert_true(rl_driver_step(d) > 0);
      check_relative(-probe(d, "heavy.vy") / d->state->time, a, 1e-9);
      check_relative(probe(d, "line.tension"), 2.0 * m / (m + 1.0) * g, 1e-9);
    }
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// ---------------------------------------------------------------------------------------------
// Friction

static void rope_slips_as_the_capstan_law_says(void **unused) {
  (void)unused;
  const double mu = 0.3, m1 = 3.0, m2 = 1.0, pull = exp(mu * pi);
  const double a = g * (m1 - m2 * pull) / (m1 + m2 * pull);
  for (size_t k = 0; k < SOLVERS; k++) {
    rl_scenario *s = two_weights(m1, m2, "motion: fixed, friction: 0.3", 0);
    rl_driver *d = driver_for(s, solvers[k], 1.0 / 240.0);
    for (int n = 0; n < 240; n++) {
      assert_true(rl_driver_step(d) > 0);
    }
    check_relative(-probe(d, "heavy.vy"), a, 1e-8);
    check_relative(d->state->multipliers[0], m1 * (g - a), 1e-8);
    check_relative(last_tension(d), m2 * (g + a), 1e-8);
    const rl_wrap *wrap = &d->state->wraps[0];
    check_near(wrap->slip, -a, 0.01); // back towards `from`; the mean over the step
    // What friction takes is (T1 - T2) times the way.
    const double loss = (m1 * (g - a) - m2 * (g + a)) * 0.5 * a;
    check_relative(d->state->dissipated, loss, 0.01);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

static void rope_holds_below_the_threshold(void **unused) {
  (void)unused;
  for (size_t k = 0; k < SOLVERS; k++) {
    for (int turns = 0; turns <= 3; turns += 3) {
      const double ratio = exp(0.3 * pi * (1 + 2 * turns)) * 0.999;
      rl_scenario *s = two_weights(ratio, 1.0, "motion: fixed, friction: 0.3", turns);
      rl_driver *d = driver_for(s, solvers[k], 1.0 / 60.0);
      for (int n = 0; n < 3600; n++) {
        assert_true(rl_driver_step(d) > 0);
      }
      check_near(probe(d, "heavy.y"), -4.2, 1e-9);
      check_near(probe(d, "light.y"), -10.3, 1e-9);
      check_relative(last_tension(d), g, 1e-9);
      rl_driver_free(d);
      rl_scenario_free(s);
    }
  }
}

// The same in two eyes, a quarter of a turn in each, of which one takes its friction from its body.
static rl_scenario *weights_in_eyes(double left, double right) {
  return scenario_from(
      "name: eyes\nduration: 1\nstep: 0.01\nbodies:\n"
      "  beam: {motion: fixed, position: [0.1, 0.2, 0], friction: 0.2}\n"
      "  heavy: {mass: %.17g, position: [-0.3, -4.2, 0]}\n"
      "  light: {mass: %.17g, position: [0.3, -10.3, 0]}\n"
      "ropes: {line: {from: {body: heavy}, to: {body: light}, over:\n"
      "  [{eye: [-0.3, 0, 0], friction: 0.4}, {body: beam, at: [0.2, -0.2, 0]}]}}\n",
      left, right);
}

static void eyes_rub_as_the_capstan_law_says(void **unused) {
  (void)unused;
  const double pull = exp(0.6 * 0.5 * pi), m1 = 3.0, m2 = 1.0;
  const double a = g * (m1 - m2 * pull) / (m1 + m2 * pull);
  for (size_t k = 0; k <= SOLVERS; k++) {
    rl_scenario *s = weights_in_eyes(m1, m2);
    rl_driver *d = driver_for(s, k < SOLVERS ? solvers[k] : "penalty", 1.0 / 240.0);
    for (int n = 0; n < 240; n++) {
      assert_true(rl_driver_step(d) > 0);
    }
    check_relative(-probe(d, "heavy.vy"), a, 1e-8);
    check_relative(d->state->multipliers[0], m1 * (g - a), 1e-8);
    check_relative(last_tension(d), m2 * (g + a), 1e-8);
    check_relative(d->state->dissipated, (m1 * (g - a) - m2 * (g + a)) * 0.5 * a, 0.01);
    rl_driver_free(d);
    rl_scenario_free(s);
    if (k == SOLVERS) { // springs give
      break;
    }
    s = weights_in_eyes(0.999 * pull, 1.0); // and holds
    d = driver_for(s, solvers[k], 1.0 / 60.0);
    for (int n = 0; n < 3600; n++) {
      assert_true(rl_driver_step(d) > 0);
    }
    check_near(probe(d, "heavy.y"), -4.2, 1e-9);
    check_near(probe(d, "light.y"), -10.3, 1e-9);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// A free body on a rope that rubs in its eye: momentum.
static void free_eyes_keep_momentum(void **unused) {
  (void)unused;
  check_free_second(
      scenario_from("name: free\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\nbodies:\n"
                    "  a: {mass: 1.3, position: [-1, 0.4, 0.1], velocity: [-1, 0.2, 0.3]}\n"
                    "  ring: {mass: 0.9, position: [0.1, 0, 0], velocity: [0, 0.7, 0],"
                    " inertia: [0.02, 0.03, 0.025], friction: 0.3}\n"
                    "  c: {mass: 2.385, position: [1.2, 0.5, -0.2], velocity: [0.6, 0.4, -0.5]}\n"
                    "ropes: {line: {from: {body: a}, to: {body: c},"
                    " over: [{body: ring, at: [0.1, -0.15, 0.05]}]}}\n"),
      RL_CAN_WRAPS | RL_CAN_FRICTION, NULL);
}

// (7a) A piece that nothing can move, where it had much, little and what friction allows, has the
// most, the least and that, for what its neighbours pull: tied behind or before a pin, between two
// pins, eyes or edges of a box, of which the last lock, and two in a row.
static void inert_pieces_have_what_friction_allows(void **unused) {
  (void)unused;
  static const char *const all[] = {
      "penalty",        "penalty-implicit", "pbd",    "xpbd",   "pbd-direct",          "impulse",
      "impulse-direct", "impulse-soft",     "convex", "rattle", "reference,estimate=0"};
  static const char *const pins = "  p: {motion: fixed, position: [-1, 0, 0], friction: 0.2,"
                                  " shape: {cylinder: {radius: 0.1, length: 1}}}\n"
                                  "  q: {motion: fixed, position: [1, 0, 0], friction: 0.2,"
                                  " shape: {cylinder: {radius: 0.1, length: 1}}}\n";
  static const char *const eyes = "{eye: [-1.1, 0, 0], friction: 0.2}, "
                                  "{eye: [1.1, 0, 0], friction: 0.2}";
  static const char *const box =
      "  r: {motion: fixed, position: [0, -0.4, 0], friction: 0.2, shape: {box: {size: [2.2, 1, "
      "1]}}}\n";
  static const char *const rough =
      "  r: {motion: fixed, position: [0, -0.4, 0], friction: 1.2, shape: {box: {size: [2.2, 1, "
      "1]}}}\n";
  const double turned = exp(0.2 * 0.5 * pi), edge = 1.2 / 0.8;
  const struct {
    const char *bodies, *from, *to, *over;
    double pull;           // at each wrap beside the piece
    uint32_t piece, inert; // of so many in a row the first
  } scenes[] = {
      {pins, "point: [-1.1, -1, 0]", "body: b", "{body: p, side: [0, 1, 0]}, q", turned, 0, 2},
      {pins, "point: [0, 0.1, 0]", "body: b", "q", turned, 0, 1},
      {pins, "body: a", "point: [0, 0.1, 0]", "p", turned, 1, 1},
      {pins, "body: a", "body: b", "p, q", turned, 1, 1},
      {"", "body: a", "body: b", eyes, turned, 1, 1},
      {box, "body: a", "body: b", "r", edge, 1, 1},
      {rough, "body: a", "body: b", "r", INFINITY, 1, 1},
  };
  static const double had[] = {1000.0, 1.0, 55.0};
  for (size_t n = 0; n < 3 * sizeof scenes / sizeof scenes[0]; n++) {
    for (size_t k = 0; k < sizeof all / sizeof all[0]; k++) {
      const double r = scenes[n / 3].pull;
      const uint32_t piece = scenes[n / 3].piece, behind = piece + scenes[n / 3].inert;
      rl_scenario *s = scenario_from(
          "name: inert\nduration: 1\nstep: 0.01\nbodies:\n"
          "  a: {mass: 5, position: [-1.1, -1.5, 0]}\n  b: {mass: 6, position: [1.1, -1.5, 0]}\n"
          "%sropes: {line: {from: {%s}, to: {%s}, over: [%s]}}\n",
          scenes[n / 3].bodies, scenes[n / 3].from, scenes[n / 3].to, scenes[n / 3].over);
      rl_driver *d = driver_for(s, all[k], 0.01);
      for (int step = 0; step < 3; step++) {
        assert_true(rl_driver_step(d) > 0);
      }
      double *had_by = piece > 0 ? &d->state->wraps[piece - 1].tension : d->state->multipliers;
      *had_by = had[n % 3];
      assert_true(rl_driver_step(d) > 0);
      const uint32_t count = d->state->wrap_counts[0];
      double most = INFINITY, least = 0.0;
      if (piece > 0) {
        const double back = rl_piece_tension(d->model, d->state, 0, piece - 1);
        most = back * r;
        least = back / r;
      }
      if (behind <= count) { // two in a row: what the second has was that of the strand behind
        const double on = rl_piece_tension(d->model, d->state, 0, piece + 1);
        most = fmin(most, on * r);
        least = fmax(least, on / r);
      }
      const double has = rl_piece_tension(d->model, d->state, 0, piece);
      check_relative(has, fmax(fmin(had[n % 3], most), least), 1e-9);
      if (n / 3 == 3) { // plumb, and level
        const double pulls = hypot(rl_piece_tension(d->model, d->state, 0, 0), has);
        check_relative(probe(d, "line.force.p"), pulls, 1e-4);
      }
      check_near(probe(d, piece > 0 ? "a.y" : "b.y"), -1.5, 1e-3);
      check_near(d->state->dissipated, 0.0, 1e-3);
      rl_driver_free(d);
      rl_scenario_free(s);
    }
  }
}

// Half a turn and three: exp(7 pi mu), 9 and 733, just above which the rope slips.
static void turns_multiply(void **unused) {
  (void)unused;
  static const double frictions[] = {0.1, 0.3};
  for (size_t k = 0; k < 2 * (SOLVERS + 1); k++) {
    const double mu = frictions[k % 2], pull = exp(mu * 7.0 * pi), m1 = 1.01 * pull;
    char drum[64];
    snprintf(drum, sizeof drum, "motion: fixed, friction: %.17g", mu);
    rl_scenario *s = two_weights(m1, 1.0, drum, 3);
    rl_driver *d =
        driver_for(s, k / 2 < SOLVERS ? solvers[k / 2] : "penalty-implicit", 1.0 / 240.0);
    for (int n = 0; n < 240; n++) {
      assert_true(rl_driver_step(d) > 0);
    }
    const double a = g * (m1 - pull) / (m1 + pull);
    check_relative(-probe(d, "heavy.vy"), a, 1e-8);
    check_relative(d->state->multipliers[0] / last_tension(d), pull, 1e-9);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// A rope pulled one way, then let go the other way: it slips on, sticks, slips back.
static void slip_turns_round(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: weights\nduration: 1\nstep: 0.01\nbodies:\n"
      "  post: {motion: fixed, friction: 0.1, shape: {cylinder: {radius: 0.1, length: 0.4}}}\n"
      "  left: {mass: 2, position: [-0.1, -4.2, 0], velocity: [0, 3, 0]}\n"
      "  right: {mass: 1, position: [0.1, -10.3, 0], velocity: [0, -3, 0]}\n"
      "ropes: {line: {from: {body: left}, to: {body: right}, over: [post]}}\n");
  rl_driver *d = driver_for(s, "rattle", 1.0 / 1000.0);
  const double pull = exp(0.1 * pi);
  const double up = g * (1.0 - 2.0 * pull) / (2.0 * pull + 1.0); // of `left`, while it rises
  const double down = g * (pull - 2.0) / (2.0 + pull);           // and falls
  const double top = -3.0 / up;
  for (int n = 0; n < 800; n++) {
    assert_true(rl_driver_step(d) > 0);
  }
  check_near(probe(d, "left.vy"), down * (0.8 - top), 0.02);
  check_near(probe(d, "left.y") + 4.2, 1.5 * top + 0.5 * down * (0.8 - top) * (0.8 - top), 0.01);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// A post of n edges, no face of which is plumb: the tensions beside it have the ratio of Knyazyev's
// law, the product of r(phi) = (1 + mu tan(phi/2)) / (1 - mu tan(phi/2)) over the edges, full turns
// included.
static double edge_ratio(double mu, double phi) {
  return (1.0 + mu * tan(0.5 * phi)) / (1.0 - mu * tan(0.5 * phi));
}

static double polygon_ratio(int n, int turns, double *measured) {
  const double mu = 0.3, r = 0.1, first = 0.3 * pi / n;
  const double m1 = 8.0 * pow(edge_ratio(mu, 2.0 * pi / n), n * turns);
  char points[16384];
  size_t used = 0;
  rl_vec3 corners[64];
  int left = 0, right = 0;
  for (int k = 0; k < n; k++) {
    corners[k] = rl_vec(r * cos(2.0 * pi * k / n + first), r * sin(2.0 * pi * k / n + first), 0.0);
    left = corners[k].x < corners[left].x ? k : left;
    right = corners[k].x > corners[right].x ? k : right;
    used += (size_t)snprintf(points + used, sizeof points - used,
                             "%s[%.17g, %.17g, -0.2], [%.17g, %.17g, 0.2]", k > 0 ? ", " : "",
                             corners[k].x, corners[k].y, corners[k].x, corners[k].y);
  }
  rl_scenario *s = scenario_from("name: polygon\nduration: 1\nstep: 0.01\nbodies:\n"
                                 "  post: {motion: fixed, friction: 0.3, shape: {hull: {points:"
                                 " [%s]}}}\n"
                                 "  heavy: {mass: %.17g, position: [%.17g, -4.2, 0]}\n"
                                 "  light: {mass: 1, position: [%.17g, -10.3, 0]}\n"
                                 "ropes: {line: {from: {body: heavy}, to: {body: light},"
                                 " over: [{body: post, turns: %d}]}}\n",
                                 points, m1, corners[left].x, corners[right].x, turns);
  rl_driver *d = driver_for(s, "impulse", 1.0 / 240.0);
  for (int i = 0; i < 120; i++) {
    assert_true(rl_driver_step(d) > 0);
  }
  *measured = d->state->multipliers[0] / last_tension(d);
  // Round from the rightmost corner to the leftmost, counterclockwise over the top.
  double ratio = pow(edge_ratio(mu, 2.0 * pi / n), n * turns);
  rl_vec3 in = {0.0, 1.0, 0.0};
  for (int k = right; k != (left + 1) % n; k = (k + 1) % n) {
    const rl_vec3 to = k == left ? rl_vec(corners[k].x, -1.0, 0.0) : corners[(k + 1) % n];
    const rl_vec3 out = rl_unit(rl_sub(to, corners[k]));
    const double phi = atan2(in.x * out.y - in.y * out.x, rl_dot(in, out));
    ratio *= edge_ratio(mu, phi);
    in = out;
  }
  check_relative(-probe(d, "heavy.vy"), 0.5 * g * (m1 - ratio) / (m1 + ratio), 1e-9);
  rl_driver_free(d);
  rl_scenario_free(s);
  return ratio;
}

static void polygons_have_knyazyevs_law(void **unused) {
  (void)unused;
  static const int corners[] = {4, 5, 8, 16, 32, 64};
  const double capstan = exp(0.3 * pi);
  double last = 0.0;
  for (size_t i = 0; i < sizeof corners / sizeof corners[0]; i++) {
    double measured;
    const double turned = polygon_ratio(corners[i], 2, &measured);
    check_relative(measured, turned, 1e-9);
    const double ratio = polygon_ratio(corners[i], 0, &measured);
    const double error = measured / capstan - 1.0;
    print_message("%d corners: %.10f to one, %.3g above the capstan\n", corners[i], measured,
                  error);
    check_relative(measured, ratio, 1e-9);
    if (corners[i] > 8) { // and with the square of the number of corners it becomes the capstan's
      check_near(log2(last / error), 2.0, 0.1);
    }
    last = error;
  }
}

// ---------------------------------------------------------------------------------------------
// Wheels

static double largest_excess(const rl_driver *d) {
  double excess = 0.0;
  for (uint32_t p = 0; p < rl_wraps_pieces(d->model, d->state, 0);) {
    const rl_strand strand = rl_wrap_strand(d->model, d->state, 0, p, d->state->points);
    excess = fmax(excess, strand.length - strand.rest);
    p += strand.piece_count;
  }
  return excess;
}

static void wheel_rolls_with_the_rope(void **unused) {
  (void)unused;
  const double m1 = 2.0, m2 = 1.0, a = g * (m1 - m2) / (m1 + m2 + 0.5 * 1.3);
  for (size_t k = 0; k < SOLVERS; k++) {
    rl_scenario *s = two_weights(m1, m2, "motion: axle, mass: 1.3, friction: 0.8", 0);
    char spec[64];
    snprintf(spec, sizeof spec, "%s%s", solvers[k],
             k == 0  ? ",iterations=1000,tolerance=1e-14"
             : k < 3 ? ",iterations=200"
                     : "");
    rl_driver *d = driver_for(s, spec, 1.0 / 240.0);
    for (int n = 0; n < 240; n++) {
      assert_true(rl_driver_step(d) > 0);
    }
    check_relative(-probe(d, "heavy.vy"), a, 1e-8);
    check_relative(probe(d, "drum.spin"), a / 0.1, 1e-8);
    check_near(d->state->dissipated, 0.0, 1e-9);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// A wheel that weighs all but nothing is a pulley without friction, whose strands have inverse
// masses of 10^12 times those of the weights.
static void lightest_wheel_is_a_pulley(void **unused) {
  (void)unused;
  static const char *const direct[] = {"impulse-direct", "pbd-direct", "rattle"};
  for (size_t k = 0; k < sizeof direct / sizeof direct[0]; k++) {
    rl_scenario *s = two_weights(2.0, 1.0, "motion: axle, mass: 1e-12, friction: 0.5", 0);
    rl_driver *d = driver_for(s, direct[k], 1.0 / 240.0);
    double longest = 0.0;
    for (int n = 0; n < 240; n++) {
      assert_true(rl_driver_step(d) > 0);
      longest = fmax(longest, largest_excess(d));
    }
    print_message("%s: a strand is too long by %.3g m at most\n", direct[k], longest);
    check_below(longest, 1e-5);
    check_relative(-probe(d, "heavy.vy"), g / 3.0, 1e-5);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// Too little friction: the rope slips over the wheel and drags it, with exp(mu pi) between its
// ends.
static void wheel_slips(void **unused) {
  (void)unused;
  const double m1 = 9.0, m2 = 1.0, pull = exp(0.1 * pi);
  const double a = g * (m1 - m2 * pull) / (m1 + m2 * pull);
  const double torque = 0.1 * (m1 * (g - a) - m2 * (g + a));
  rl_scenario *s = two_weights(m1, m2, "motion: axle, mass: 8, friction: 0.1", 0);
  rl_driver *d = driver_for(s, "impulse", 1.0 / 240.0);
  for (int n = 0; n < 120; n++) {
    assert_true(rl_driver_step(d) > 0);
  }
  check_relative(-probe(d, "heavy.vy"), 0.5 * a, 1e-8);
  check_relative(probe(d, "drum.spin"), 0.5 * torque / (0.5 * 8 * 0.01), 1e-8);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// A wrap that neither sticks nor slips in the step in which it begins to: a few trials tell.
static void trials_do_not_go_round(void **unused) {
  (void)unused;
  rl_diagnostic diagnostic;
  rl_scenario *s = rl_scenario_from_file(shipped("rope-over-rotating-box"), NULL, 0, &diagnostic);
  assert_non_null(s);
  rl_driver *d = driver_for(s, "penalty", s->step);
  uint32_t most = 0;
  for (int n = 0; n < 720; n++) {
    assert_true(rl_driver_step(d) > 0);
    most = d->trials > most ? d->trials : most;
  }
  print_message("trials of a step, at most: %u\n", most);
  assert_in_range(most, 3, 6); // some do go round
  rl_driver_free(d);
  rl_scenario_free(s);
}

// ---------------------------------------------------------------------------------------------
// Free bodies

// A rope between two bodies over a third, all free in space and turning.
static rl_scenario *free_bodies(const char *shape, const char *friction) {
  return scenario_from(
      "name: free\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\nbodies:\n"
      "  middle: {mass: 3, position: [0.05, -0.35, 0], spin: [0.2, 0.1, 1], velocity: [0.1, 1.5, "
      "0],"
      " %s shape: {%s}}\n"
      "  left: {mass: 1, position: [-1, -0.2, 0.1], velocity: [-0.4, -1, 0.3],"
      " inertia: [0.1, 0.12, 0.13], spin: [0, 0.3, 0]}\n"
      "  right: {mass: 2, position: [1.2, -0.3, -0.1], velocity: [0.5, -0.8, -0.2],"
      " shape: {sphere: {radius: 0.05}}}\n"
      "ropes: {line: {from: {body: left, at: [0.1, 0.2, 0]}, to: {body: right},"
      " over: [{body: middle, side: [0, 1, 0]}]}}\n",
      friction, shape);
}

static const char *const shapes[] = {"sphere: {radius: 0.3}", "cylinder: {radius: 0.25, length: 1}",
                                     "box: {size: [0.5, 0.52, 0.6]}",
                                     "capsule: {radius: 0.25, length: 0.3}"};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static void free_bodies_keep_momentum(void **unused) {
  (void)unused;
  static const char *const frictions[] = {"", "friction: 0.4,"};
  // It slips off over the cap of the capsule.
  for (size_t i = 0; i < 2 * SHAPES; i++) {
    check_free_second(free_bodies(shapes[i / 2], frictions[i % 2]), RL_CAN_WRAPS | RL_CAN_FRICTION,
                      NULL);
  }
  for (size_t i = 0; i < 2 * SHAPES; i++) { // and angular momentum, with those that keep it
    static const char *const keepers[] = {"penalty", "impulse", "pbd-direct", "rattle"};
    for (size_t k = 0; k < 4; k++) {
      rl_scenario *s = free_bodies(shapes[i / 2], frictions[i % 2]);
      rl_driver *d = driver_for(s, keepers[k], 1.0 / 240.0);
      const rl_metrics start = rl_metrics_of(d);
      for (int n = 0; n < 240; n++) {
        free_step(d, &start, 1e-9);
      }
      rl_driver_free(d);
      rl_scenario_free(s);
    }
  }
}

// As a light box turns in its rope, the strand that slips over it comes to be behind one that
// sticks: its force along G and not along J is in the matrix of an implicit step all the same.
static void implicit_steps_find_what_slips_behind(void **unused) {
  (void)unused;
  static const char *const implicit[] = {"penalty-implicit", "convex"};
  static const double rates[] = {200.0, 250.0, 300.0};
  for (size_t k = 0; k < 6; k++) {
    rl_scenario *s = free_bodies("box: {size: [0.5, 0.52, 0.6]}", "friction: 0.4,");
    rl_driver *d = driver_for(s, implicit[k % 2], 1.0 / rates[k / 2]);
    for (int n = 0; n < (int)rates[k / 2]; n++) {
      const rl_reason reason = rl_driver_step(d);
      if (reason != RL_CONVERGED_TOLERANCE) {
        fail_msg("%s at %g s, %g Hz: %s after %d iterations, expected its tolerance", d->type->name,
                 d->state->time, rates[k / 2], rl_reason_name(reason), (int)d->info.iterations);
      }
    }
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// The rows of ropes over bodies against differences of their length, spins included.
static void gradients_are_derivatives(void **unused) {
  (void)unused;
  static const char *const frictions[] = {"", "friction: 0.4,"};
  for (size_t n = 0; n < 2 * SHAPES; n++) {
    rl_scenario *s = free_bodies(shapes[n / 2], frictions[n % 2]);
    rl_driver *d = driver_for(s, "impulse", 1.0 / 240.0);
    rl_detect(d->model, d->state, d->dt, d->rows);
    assert_true(n % 2 == 0 ? d->rows->row_count == 1 : d->rows->row_count > 1);
    rl_point *points = malloc(d->model->slot_count * sizeof *points);
    assert_non_null(points);
    for (uint32_t r = 0; r < d->rows->row_count; r++) {
      rl_row *row = &d->rows->rows[r];
      for (uint32_t e = 0; e < row->entry_count; e++) {
        for (size_t axis = 0; axis < 3; axis++) {
          double value[2];
          for (int side = 0; side < 2; side++) {
            memcpy(points, d->state->points, d->model->slot_count * sizeof *points);
            const uint32_t slot = d->rows->entries[row->first_entry + e].slot;
            (&points[slot].x)[axis] += side == 0 ? -1e-5 : 1e-5;
            rl_row_evaluate(d->model, d->state, d->rows, row, points);
            value[side] = row->value;
          }
          rl_row_evaluate(d->model, d->state, d->rows, row, d->state->points);
          const rl_vec3 gradient = d->rows->entries[row->first_entry + e].gradient;
          check_near((&gradient.x)[axis], (value[1] - value[0]) / 2e-5, 1e-8);
        }
      }
    }
    free(points);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// A rope between free bodies at random places over a free box that turns.
static rl_scenario *over_a_box(uint64_t *seed, double friction) {
  rl_vec3 ends[2];
  for (int k = 0; k < 2; k++) {
    ends[k] = random_in_cube(seed, 1.5);
  }
  rl_diagnostic refused;
  char text[1024];
  const int length = snprintf(
      text, sizeof text,
      "name: corner\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\nbodies:\n"
      "  box: {mass: 3, spin: [0.2, 0.1, 1], shape: {box: {size: [0.8, 0.9, 1.1]}}}\n"
      "  a: {mass: 1, position: [%.17g, %.17g, %.17g]}\n"
      "  b: {mass: 2, position: [%.17g, %.17g, %.17g]}\n"
      "ropes: {line: {from: {body: a}, to: {body: b}, over: [{body: box, side: [0, 1, 0]}],"
      " friction: %g}}\n",
      ends[0].x, ends[0].y, ends[0].z, ends[1].x, ends[1].y, ends[1].z, friction);
  return rl_scenario_from_text(text, (size_t)length, "corner", NULL, 0, &refused);
}

// Moves one end on and on in random directions. True if the rope comes to run through a corner.
static bool slides_into_a_corner(rl_driver *d, uint64_t *seed) {
  rl_point *end = &d->state->points[rl_body_slot(d->model, 1)];
  const rl_point start = *end;
  bool is_cornered = false;
  for (int n = 0; n < 500 && !is_cornered && d->state->wrap_counts[0] == 2; n++) {
    *end = start;
    rl_move(end, rl_scale(between(seed, 0.0, 0.5), random_direction(seed)));
    assert_true(rl_wrap_path(d->model, d->state, 0, d->state->points) > 0.0);
    is_cornered = rl_path_items(d->state, 0)[1].corner > 0.0;
  }
  return is_cornered;
}

// (9a) of path.md: within a step a rope whose places on two edges have run together goes through
// their corner. Its rows are derivatives there too, and both edges together hold what (6) says of
// the one vertex.
static void corners_hold_as_one_vertex(void **unused) {
  (void)unused;
  const double friction = 0.835;
  uint64_t seed = 2385;
  int seen = 0, locked = 0;
  for (int n = 0; n < 1000; n++) {
    rl_scenario *s = over_a_box(&seed, n % 2 == 0 ? 0.0 : friction);
    if (!s) {
      continue;
    }
    rl_driver *d = driver_for(s, "impulse", 1.0 / 240.0);
    rl_wrap *wraps = d->state->wraps;
    const rl_path_item *items = rl_path_items(d->state, 0);
    if (!slides_into_a_corner(d, &seed)) {
      rl_driver_free(d);
      rl_scenario_free(s);
      continue;
    }
    seen++;
    if (n % 2 == 0) {
      rl_detect(d->model, d->state, d->dt, d->rows);
      assert_int_equal(d->rows->row_count, 1);
      rl_row_evaluate(d->model, d->state, d->rows, &d->rows->rows[0], d->state->points);
      check_row_gradient(d, &d->rows->rows[0], 2e-9);
    } else {
      const rl_vec3 in = rl_unit(rl_sub(items[1].entry, items[0].at));
      const rl_vec3 out = rl_unit(rl_sub(items[3].at, items[2].exit));
      const double tangent = tan(0.5 * acos(rl_dot(in, out)));
      wraps[0].grip = wraps[1].grip = RL_SLIPS_ON;
      const double both =
          rl_wrap_pull(d->model, d->state, 0, 0) * rl_wrap_pull(d->model, d->state, 0, 1);
      if (friction * tangent < 1.0) {
        check_relative(both, (1.0 + friction * tangent) / (1.0 - friction * tangent), 1e-9);
      } else {
        assert_true(both >= 1e12);
        locked++;
      }
    }
    rl_driver_free(d);
    rl_scenario_free(s);
  }
  print_message("%d ropes in corners, %d of them locked\n", seen, locked);
  assert_true(seen > 20);
}

// Two weights on both sides of a ball, the one on the left so much above the line through its
// centre: at 0.1 m that is at half a turn, where all ways round are equally long. The other one is
// hauled in.
static rl_scenario *hauled_over_a_ball(double height) {
  return scenario_from(
      "name: hauled\nduration: 1\nstep: 0.01\nbodies:\n"
      "  ball: {motion: fixed, shape: {sphere: {radius: 0.3}}}\n"
      "  a: {mass: 1, position: [-0.5, %.17g, 0]}\n  b: {mass: 1, position: [0.5, -0.1, 0]}\n"
      "ropes: {line: {from: {body: a}, to: {body: b}, over: [ball], friction: 0.5}}\n"
      "events: [{from: 0, until: 1, winch: {rope: line, end: to, rate: -2}}]\n",
      height);
}

// (4a) The lengths of both strands change by no more than an end moves as the rope slips off the
// ball, round to its other side, and it begins on the side that was asked for.
static void strands_go_on_round_a_ball(void **unused) {
  (void)unused;
  rl_scenario *s = hauled_over_a_ball(0.1);
  rl_driver *d = driver_for(s, "impulse", 0.01);
  rl_detect(d->model, d->state, d->dt, d->rows);
  assert_int_equal(d->rows->row_count, 2);
  rl_wrap_path(d->model, d->state, 0, d->state->points);
  const rl_path_item *item = &rl_path_items(d->state, 0)[1];
  rl_point *points = malloc(d->model->slot_count * sizeof *points);
  assert_non_null(points);
  check_near(item->side.z, -1.0, 1e-12);
  for (uint32_t r = 0; r < 2; r++) {
    static const double move = 1e-6;
    rl_row *row = &d->rows->rows[r];
    double values[2];
    for (int k = 0; k < 2; k++) {
      memcpy(points, d->state->points, d->model->slot_count * sizeof *points);
      points[rl_body_slot(d->model, 1)].y += k == 0 ? move : -move;
      rl_row_evaluate(d->model, d->state, d->rows, row, points);
      values[k] = row->value;
      check_near(item->side.z, k == 0 ? -1.0 : 1.0, 1e-12);
    }
    check_below(fabs(values[1] - values[0]), 2.0 * move * (1.0 + 1e-3));
  }
  free(points);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// Nothing throws the weights then: the error in energy is that of half a step of gravity and the
// winch, 0.06 J.
static void ball_throws_nothing(void **unused) {
  (void)unused;
  static const char *const methods[] = {"pbd-direct", "rattle", "pbd", "impulse", "impulse-direct"};
  static const double heights[] = {0.1, 0.1001, 0.1003, 0.101, 0.11};
  for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
    double most = 0.0;
    for (size_t k = 0; k < sizeof heights / sizeof heights[0]; k++) {
      rl_scenario *s = hauled_over_a_ball(heights[k]);
      rl_driver *d = driver_for(s, methods[m], 0.01);
      for (int n = 0; n < 5; n++) {
        assert_true(rl_driver_step(d) > 0);
        most = fmax(most, rl_driver_energy_error(d));
      }
      rl_driver_free(d);
      rl_scenario_free(s);
    }
    print_message("%s: at most %.3g J come in, expected below 0.1\n", methods[m], most);
    check_below(most, 0.1);
  }
}

// A rope with mass starts where a massless one would lie, a little outside, with the length of
// that.
static void chain_starts_over_a_drum(void **unused) {
  (void)unused;
  static const int segments[] = {12, 60, 240};
  for (size_t k = 0; k < 3; k++) {
    rl_scenario *s =
        scenario_from("name: chain\nduration: 1\nstep: 0.001\nbodies:\n"
                      "  drum: {motion: fixed, shape: {cylinder: {radius: 0.2, length: 0.4}}}\n"
                      "ropes: {chain: {from: {free: [-0.2, -1, 0]}, to: {free: [0.2, -0.7, 0]},"
                      " over: [{body: drum, turns: 1}], mass: 1, segments: %d}}\n",
                      segments[k]);
    rl_driver *d = driver_for(s, "impulse", 0.001);
    const double taut = 1.7 + 3.0 * pi * 0.2, element = taut / segments[k];
    const double length = d->model->ropes[0].length;
    check_below(taut, length);
    check_below(length, taut + 3.0 * pi * (0.13 * element * element / 0.2 + 0.0013 * 0.2) + 0.01);
    for (uint32_t i = 0; i <= (uint32_t)segments[k]; i++) {
      const rl_vec3 p = rl_rope_position(d->model, d->state, 0, i);
      check_below(0.2, sqrt(p.x * p.x + p.y * p.y) + 1e-12);
    }
    assert_true(rl_driver_step(d) > 0);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// Over an edge of 60 degrees with 0.835 a rope slips while it bends by less than 100 degrees; where
// it has come to bend by more, friction holds any pull, and it sticks.
static void slip_ends_where_an_edge_locks(void **unused) {
  (void)unused;
  static const char *const methods[] = {"impulse", "pbd", "pbd-direct", "rattle"};
  for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
    rl_scenario *s = scenario_from(
        "name: locks\nduration: 1\nstep: 0.008333\nbodies:\n"
        "  prism: {mass: 0.06316, shape: {prism: {radius: 0.3752, length: 0.5143, sides: 3}},"
        " rotation: [0.1332, -0.04413, 1.895]}\n"
        "  left: {mass: 0.4394, position: [-0.7563, -0.3799, -0.123], velocity: [0, -0.901, "
        "0.537]}\n"
        "  right: {mass: 0.9853, position: [0.7362, -1.435, 0.02871], velocity: [0, -1.83, "
        "0.922]}\n"
        "ropes: {line: {from: {body: left}, to: {body: right},"
        " over: [{body: prism, side: [0, 1, 0]}], friction: 0.835}}\n");
    rl_driver *d = driver_for(s, methods[k], 1.0 / 120.0);
    bool slipped = false, locked = false;
    for (int n = 0; n < 30; n++) {
      assert_true(rl_driver_step(d) > 0);
      const rl_path_item *items = rl_path_items(d->state, 0);
      for (uint32_t i = 0; i < d->state->wrap_counts[0]; i++) {
        const bool locks = 0.835 * tan(0.5 * items[i + 1].turn) > 1.0;
        const uint32_t grip = d->state->wraps[i].grip;
        slipped = slipped || grip == RL_SLIPS_ON || grip == RL_SLIPS_BACK;
        locked = locked || (locks && slipped && grip == RL_STICKS);
      }
    }
    assert_true(slipped && locked);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// ---------------------------------------------------------------------------------------------
// Contacts come and go

// A bob winds on a post: speed stays, and the free length is sqrt(l0^2 - 2 R v t).
static double winding_error(const char *spec, int steps) {
  rl_scenario *s =
      scenario_from("name: winding\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\nbodies:\n"
                    "  post: {motion: fixed, shape: {cylinder: {radius: 0.1, length: 0.4}}}\n"
                    "  bob: {mass: 1.3, position: [0.1, 1, 0], velocity: [-2, 0, 0]}\n"
                    "ropes: {line: {from: {body: post, at: [0.1, 0, 0]}, to: {body: bob}}}\n");
  rl_driver *d = driver_for(s, spec, 1.0 / steps);
  for (int n = 0; n < steps; n++) {
    assert_true(rl_driver_step(d) > 0);
  }
  const double x = probe(d, "bob.x"), y = probe(d, "bob.y");
  const double error = sqrt(x * x + y * y - 0.01) - sqrt(0.6);
  rl_driver_free(d);
  rl_scenario_free(s);
  return error;
}

static void winding_converges(void **unused) {
  (void)unused;
  static const struct {
    const char *spec;
    double order, tolerance, error; // the order, and the error at 1/800 s
  } cases[] = {{"rattle", 2.0, 0.15, 1e-6},
               {"impulse,penalty_velocity=0", 1.0, 0.3, 1e-2},
               {"pbd", 1.0, 0.3, 1e-2},
               {"pbd-direct", 2.0, 0.1, 1e-6}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    const double coarse = fabs(winding_error(cases[k].spec, 400));
    const double fine = fabs(winding_error(cases[k].spec, 800));
    print_message("winding, %s: %.3g m at 1/400 s, %.3g m at 1/800 s, order %.2f\n", cases[k].spec,
                  coarse, fine, log2(coarse / fine));
    check_below(fine, cases[k].error);
    check_near(log2(coarse / fine), cases[k].order, cases[k].tolerance);
  }
}

// Galileo's pendulum, its rope caught half way by a peg (references: period 1.75547800767582 s for
// a peg without radius).
static void interrupted_pendulum_has_its_period(void **unused) {
  (void)unused;
  const double period =
      2.0 * (sqrt(1.0 / g) * gsl_sf_ellint_Kcomp(sin(pi / 12.0), GSL_PREC_DOUBLE) +
             sqrt(0.5 / g) * gsl_sf_ellint_Kcomp(sqrt(2.0) * sin(pi / 12.0), GSL_PREC_DOUBLE));
  check_near(period, 1.75547800767582, 1e-13);
  rl_scenario *s = scenario_from("name: galileo\nduration: 1\nstep: 0.01\nbodies:\n"
                                 "  peg: {motion: fixed, position: [-1e-6, -0.5, 0],"
                                 " shape: {cylinder: {radius: 1e-6, length: 0.4}}}\n"
                                 "  bob: {mass: 1.3, position: [0.5, -0.86602540378443865, 0]}\n"
                                 "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: bob}}}\n");
  const int steps = 4000;
  rl_driver *d = driver_for(s, "rattle", period / steps);
  double least = INFINITY;
  for (int n = 0; n < steps; n++) {
    assert_true(rl_driver_step(d) > 0);
    least = fmin(least, probe(d, "bob.x"));
  }
  // Equal heights: 42.9414028648799 degrees about the peg.
  check_near(least, -0.5 * sin(42.9414028648799 * pi / 180.0), 1e-4);
  check_near(probe(d, "bob.x"), 0.5, 1e-5);
  check_near(probe(d, "bob.y"), -sqrt(0.75), 1e-5);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// A bob so fast that its rope is through the post within a step, which stands anywhere along it.
static void fast_rope_does_not_tunnel(void **unused) {
  (void)unused;
  static const double speeds[] = {40.0, 200.0, 1000.0};
  uint64_t seed = 2385;
  for (int n = 0; n < 60; n++) {
    const double speed = n % 2 == 0 ? speeds[n % 3] : -speeds[n % 3], dt = 1.0 / 240.0;
    const double begin = -speed * dt * between(&seed, 0.2, 0.8);
    rl_scenario *s =
        scenario_from("name: fast\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\nbodies:\n"
                      "  post: {motion: fixed, position: [0, %.6g, 0],"
                      " shape: {cylinder: {radius: 0.002, length: 1}}}\n"
                      "  bob: {mass: 1, position: [%.6g, -1, 0], velocity: [%.6g, 0, 0]}\n"
                      "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: bob}, slack: 10}}\n",
                      -between(&seed, 0.1, 0.95), begin, speed);
    rl_driver *d = driver_for(s, "impulse", dt);
    assert_true(rl_driver_step(d) > 0);
    assert_int_equal(d->state->wrap_counts[0], 1);
    check_near(d->state->wraps[0].sense, speed < 0.0 ? -1.0 : 1.0, 0.0);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// A thin rod across the plane of a rope, whose cross-section has its edges at any angle.
typedef enum rod { PLANK, PRISM, POST, ROUND_POST, RODS } rod;
static const char *const rod_names[] = {"box", "hull", "cylinder", "capsule"};

// Writes its shape; returns the radius of its cross-section.
static double write_rod(char *text, size_t size, rod which, int corners, uint64_t *seed) {
  const double thin = between(seed, 0.002, 0.01), wide = between(seed, 0.01, 0.06);
  if (which == PLANK) {
    snprintf(text, size, "box: {size: [%.9g, %.9g, 10]}", wide, thin);
    return 0.5 * hypot(wide, thin);
  }
  if (which != PRISM) {
    snprintf(text, size, "%s: {radius: %.9g, length: 10}", rod_names[which], thin);
    return thin;
  }
  int used = snprintf(text, size, "hull: {points: [");
  for (int k = 0; k < 2 * corners; k++) {
    const double angle = 2.0 * pi * (k / 2) / corners;
    used += snprintf(text + used, size - (size_t)used, "%s[%.6g, %.6g, %d]", k > 0 ? ", " : "",
                     0.5 * wide * cos(angle), 0.5 * (corners % 2 ? wide : thin) * sin(angle),
                     k % 2 == 0 ? -5 : 5);
  }
  snprintf(text + used, size - (size_t)used, "]}");
  return 0.5 * wide;
}

// One step, in which a rope goes over a rod that rests, or a rod over a rope that rests: the rope
// lies on it then. False if the rod is not all within what is swept.
static bool sweep_over(rod which, bool rod_moves, double speed, int n, uint64_t *seed, bool *on) {
  const double dt = 1.0 / 240.0, down = between(seed, 0.05, 0.95);
  const double begin = -speed * dt * between(seed, 0.2, 0.8), end = begin + speed * dt;
  char shape[1024];
  const double radius = write_rod(shape, sizeof shape, which, 3 + n % 4, seed);
  const rl_vec3 lean = {between(seed, -0.3, 0.3), between(seed, -0.3, 0.3), between(seed, -pi, pi)};
  const double most = 1.2 * radius; // the section that the plane cuts is longer by the lean
  const double before = fabs(begin) * (rod_moves ? 1.0 : down / hypot(begin, 1.0));
  const double after = fabs(end) * (rod_moves ? 1.0 : down / hypot(end, 1.0));
  if (fmin(fmin(before, after), fmin(down, 1.0 - down)) < most) {
    return false;
  }
  rl_scenario *s = scenario_from(
      "name: fast\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\nbodies:\n"
      "  rod: {mass: 1, motion: %s, position: [%.9g, %.9g, 0], velocity: [%.9g, 0, 0],"
      " rotation: [%.9g, %.9g, %.9g], shape: {%s}}\n"
      "  bob: {mass: 1, position: [%.9g, -1, 0], velocity: [%.9g, 0, 0]}\n"
      "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: bob}, slack: 100}}\n",
      rod_moves ? "free" : "fixed", rod_moves ? begin : 0.0, -down, rod_moves ? speed : 0.0, lean.x,
      lean.y, lean.z, shape, rod_moves ? 0.0 : begin, rod_moves ? 0.0 : speed);
  rl_driver *d = driver_for(s, "impulse", dt);
  assert_true(rl_driver_step(d) > 0);
  *on = d->state->wrap_counts[0] > 0;
  rl_driver_free(d);
  rl_scenario_free(s);
  return true;
}

static void nothing_thin_is_passed_through(void **unused) {
  (void)unused;
  static const double speeds[] = {40.0, 200.0, 1000.0};
  uint64_t seed = 2386;
  for (rod which = 0; which < RODS; which++) {
    for (int moves = 0; moves < 2; moves++) {
      for (int k = 0; k < 3; k++) {
        int swept = 0, met = 0;
        for (int n = 0; n < 40; n++) {
          bool on = false;
          const double speed = n % 2 == 0 ? speeds[k] : -speeds[k];
          const bool within = sweep_over(which, moves == 1, speed, n, &seed, &on);
          swept += within ? 1 : 0;
          met += within && on ? 1 : 0;
        }
        print_message("%s, %s at %g m/s: met %d, expected %d\n", rod_names[which],
                      moves ? "moves" : "rests, the rope", speeds[k], met, swept);
        assert_true(swept > 15);
        assert_int_equal(met, swept);
      }
    }
  }
}

// The path that a rope keeps from the end of a step is, to the bit, the one that is found where
// nothing is known yet.
static void check_kept_path(const rl_driver *d, rl_state *fresh) {
  const rl_state *state = d->state;
  const double kept = rl_wrap_path(d->model, state, 0, state->points);
  rl_state_copy(fresh, state);
  fresh->solved[0] = 0;
  check_near(rl_wrap_path(d->model, fresh, 0, fresh->points), kept, 0.0);
  for (uint32_t i = 0; i < state->wrap_counts[0] + 2; i++) {
    const rl_path_item *was = &rl_path_items(state, 0)[i], *is = &rl_path_items(fresh, 0)[i];
    check_near(rl_distance(is->entry, was->entry) + rl_distance(is->exit, was->exit), 0.0, 0.0);
    check_near(rl_distance(is->in, was->in) + rl_distance(is->out, was->out), 0.0, 0.0);
    check_near(is->arc, was->arc, 0.0);
    check_near(is->piece, was->piece, 0.0);
    check_near(is->turn, was->turn, 0.0);
  }
}

// Over a moving wheel, a ball, through an eye, over two drums with a hinge between and a box.
static void kept_paths_are_those_that_are_found(void **unused) {
  (void)unused;
  static const char *const bodies[] = {
      "  b: {motion: axle, mass: 0.8, friction: 0.2, position: [0, 0, 0],"
      " shape: {cylinder: {radius: 0.1, length: 0.4}}}",
      "  b: {motion: fixed, friction: 0.1, position: [0.12, -0.6, 0.01], shape: {sphere: {radius: "
      "0.1}}}",
      "  b: {motion: driven, velocity: [0.1, 0.05, 0.02], position: [0, 0, 0],"
      " shape: {capsule: {radius: 0.1, length: 0.2}}}\n"
      "  c: {motion: fixed, position: [-0.3, 0.3, 0], shape: {cylinder: {radius: 0.1, length: "
      "0.4}}}",
      "  b: {motion: fixed, friction: 0.1, position: [0.05, -0.6, 0], shape: {box: {size: [0.2, "
      "0.2, "
      "0.4]}}}"};
  for (size_t k = 0; k < sizeof bodies / sizeof bodies[0]; k++) {
    rl_scenario *s = scenario_from(
        "name: kept\nduration: 1\nstep: 0.01\nbodies:\n%s\n"
        "  heavy: {mass: 2.3, position: [-0.4, -2.1, 0.02], velocity: [0.3, 0, 0.1]}\n"
        "  light: {mass: 1.1, position: [0.35, -4.2, -0.03]}\n"
        "ropes:\n  line: {from: {body: heavy}, to: {body: light}, over: [%sb, {eye: [0.3, 0.1, "
        "0]}]}\n",
        bodies[k], k == 2 ? "c, " : "");
    rl_driver *d = driver_for(s, "impulse", 0.01);
    rl_state *fresh = rl_state_create(s->model);
    for (int step = 0; step < 60; step++) {
      assert_true(rl_driver_step(d) > 0);
      check_kept_path(d, fresh);
    }
    rl_state_free(fresh);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// A rope that swings against a row of pegs, beside others that it does not meet, wraps the same to
// the bit in whichever order they are listed.
static void pegs_are_found_in_any_order(void **unused) {
  (void)unused;
  uint64_t hashes[2];
  for (int back = 0; back < 2; back++) {
    char pegs[2048] = "";
    for (int i = 0; i < 12; i++) {
      const int k = back ? 11 - i : i;
      const size_t used = strlen(pegs);
      snprintf(pegs + used, sizeof pegs - used,
               "  peg%d: {motion: fixed, position: [%g, %g, %g],"
               " shape: {cylinder: {radius: 0.01, length: 0.2}}}\n",
               k, 0.05 * (k / 2), -0.3 - 0.12 * (k / 2), k % 2 == 0 ? 0.0 : 0.5);
    }
    rl_scenario *s = scenario_from(
        "name: pegs\nduration: 2\nstep: 0.01\nbodies:\n"
        "  bob: {mass: 1, position: [-1.2, 0, 0]}\n%s"
        "  floor: {motion: fixed, position: [0, -3, 0], shape: {plane: {normal: [0, 1, 0]}}}\n"
        "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: bob}}}\n",
        pegs);
    rl_driver *d = driver_for(s, "impulse", 0.01);
    uint32_t most = 0;
    for (int step = 0; step < 200; step++) {
      assert_true(rl_driver_step(d) > 0);
      most = d->state->wrap_counts[0] > most ? d->state->wrap_counts[0] : most;
    }
    assert_true(most >= 3);
    const rl_vec3 p = rl_position(&d->state->points[rl_body_slot(s->model, 0)]);
    memcpy(&hashes[back], &p.x, sizeof hashes[back]);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
  assert_int_equal(hashes[0], hashes[1]);
}

// Whether a wrap on a ball has changed sides, or gone, since the state before.
static bool slipped_off(const rl_state *before, const rl_state *now) {
  for (uint32_t i = 0; i < before->wrap_counts[0]; i++) {
    const rl_wrap *was = &before->wraps[i];
    bool kept = rl_is_zero(was->side);
    for (uint32_t k = 0; k < now->wrap_counts[0]; k++) {
      const rl_wrap *is = &now->wraps[k];
      kept = kept || (is->body == was->body && rl_dot(is->side, was->side) > 0.0);
    }
    if (!kept && was->angle > 0.5) {
      return true;
    }
  }
  return false;
}

// How many changes of wraps to look at; with an argument, ten thousand, which takes a minute.
static int most_changes = 500;

// An end of a rope moved about at random among posts and balls: the rope's length never changes by
// more than the end moves, also where wraps come and go, and it is never inside a body.
static void length_is_continuous(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: maze\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\nbodies:\n"
      "  a: {motion: fixed, position: [0.5, 0, 0], shape: {cylinder: {radius: 0.1, length: 20}}}\n"
      "  b: {motion: fixed, position: [-0.4, 0.5, 0], rotation: [1.2, 0.3, 0.1],"
      " shape: {cylinder: {radius: 0.15, length: 20}}}\n"
      "  c: {motion: fixed, position: [0.35, -0.6, -0.35], shape: {sphere: {radius: 0.2}}}\n"
      "  d: {motion: fixed, position: [-0.6, -0.3, -0.1], shape: {sphere: {radius: 0.25}}}\n"
      "  end: {mass: 1, position: [0.9, 0.9, 0.1]}\n"
      "ropes: {line: {from: {point: [0, 0, 0.05]}, to: {body: end}, length: 1000}}\n");
  rl_driver *d = driver_for(s, "impulse", 0.01);
  const rl_model *m = d->model;
  rl_state *before = rl_state_create(m), *start = rl_state_create(m);
  const uint32_t slot = rl_body_slot(m, 4);
  uint64_t seed = 2385;
  rl_vec3 aim = {0.0, 0.0, 0.0};
  double length = rl_wrap_path(m, d->state, 0, d->state->points);
  int changes = 0, slips = 0;
  int moves = 0;
  for (; changes < most_changes; moves++) {
    assert_true(moves < 3000000);
    const rl_vec3 at = rl_position(&d->state->points[slot]);
    if (rl_distance(at, aim) < 0.05) { // somewhere else, outside all bodies on the way: round them
      aim = rl_vec(1.4 * next_random(&seed) - 0.7, 1.8 * next_random(&seed) - 0.9,
                   1.2 * next_random(&seed) - 0.6);
    }
    rl_vec3 to = rl_add_scaled(at, 0.02, rl_unit(rl_sub(aim, at)));
    for (uint32_t b = 0; b < 4; b++) { // it slides round what it meets
      const rl_surface surface =
          rl_shape_surface(m->bodies[b].parts, m->bodies[b].position, m->bodies[b].rotation, to);
      if (surface.distance < 0.01) {
        to = rl_add_scaled(to, 0.01 - surface.distance, surface.normal);
        aim = rl_distance(to, at) < 0.005 ? rl_vec(0.0, 0.0, 0.9 * next_random(&seed)) : aim;
      }
    }
    rl_state_copy(before, d->state);
    rl_move(&d->state->points[slot], rl_sub(to, at));
    const uint32_t count = d->state->wrap_counts[0];
    rl_wraps_end(m, before, d->state, d->dt);
    changes += d->state->wrap_counts[0] != count;
    const double now = rl_wrap_path(m, d->state, 0, d->state->points);
    const double grown = now - length;
    check_below(grown, rl_distance(to, at) + 1e-9);
    if (slipped_off(before, d->state)) { // round a ball: the length may drop
      slips++;
    } else {
      check_below(-grown, rl_distance(to, at) + 1e-9);
    }
    for (uint32_t k = 0; k <= d->state->wrap_counts[0]; k++) {
      for (uint32_t b = 0; b < 4; b++) {
        rl_surface surface;
        rl_shape_segment(m->bodies[b].parts, m->bodies[b].position, m->bodies[b].rotation,
                         d->state->items[k].exit, d->state->items[k + 1].entry, &surface);
        check_below(-surface.distance, 1e-9);
      }
    }
    length = now;
    if (d->state->wrap_counts[0] > 8) { // wound up: from the beginning
      rl_state_copy(d->state, start);
      length = rl_wrap_path(m, d->state, 0, d->state->points);
    }
  }
  print_message("%d changes of wraps in %d moves, %d slips round a ball\n", changes, moves, slips);
  check_below(slips, 0.02 * changes);
  rl_state_free(before);
  rl_state_free(start);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// A slack rope goes on to another edge of a free box. Springs in the place of rows store nothing
// then, neither of the rows that are gone nor of those that have come.
static void springs_store_nothing_in_slack_ropes(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: m\nduration: 0.5\nstep: 0.004\ngravity: [0, 0, 0]\nbodies:\n"
      "  a: {mass: 2, position: [-0.7, -0.05, 0], velocity: [-0.3, -1, 0]}\n"
      "  b: {mass: 1, position: [0.7, -0.05, 0], velocity: [0.4, -0.6, 0]}\n"
      "  d: {mass: 1.5, position: [0, 0, 0], velocity: [0, 0.5, 0], shape: {box: {size: [0.6, 0.5, "
      "0.8]}}}\nropes:\n  line: {from: {body: a}, to: {body: b}, over: [{body: d, side: [0, 1, "
      "0]}], friction: 0.3}\n");
  rl_driver *d = driver_for(s, "penalty", 0.004);
  uint64_t most = 0, fewest = UINT64_MAX;
  double stored = 0.0;
  for (int n = 0; n < 125; n++) {
    assert_true(rl_driver_step(d) > 0);
    stored = fmax(stored, n > 0 ? rl_driver_energy(d).elastic : 0.0);
    most = d->state->wrap_counts[0] > most ? d->state->wrap_counts[0] : most;
    fewest = d->state->wrap_counts[0] < fewest ? d->state->wrap_counts[0] : fewest;
  }
  check_below(stored, 1e-12);
  assert_true(fewest < most);
  rl_driver_free(d);
  rl_scenario_free(s);
}

int main(int count, char **arguments) {
  (void)arguments;
  most_changes = count > 1 ? 10000 : most_changes;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(thin_bodies_are_passed),
      cmocka_unit_test(what_is_clear_of_all_is_straight),
      cmocka_unit_test(rows_are_laid_on_their_sides),
      cmocka_unit_test(what_is_passed_again_is_passed_in_order),
      cmocka_unit_test(turns_are_laid_beside_the_straight_way),
      cmocka_unit_test(turns_on_a_box_are_straight_in_its_sides),
      cmocka_unit_test(turns_hold_on_boxes_and_prisms),
      cmocka_unit_test(drum_is_a_pulley),
      cmocka_unit_test(rope_slips_as_the_capstan_law_says),
      cmocka_unit_test(rope_holds_below_the_threshold),
      cmocka_unit_test(eyes_rub_as_the_capstan_law_says),
      cmocka_unit_test(free_eyes_keep_momentum),
      cmocka_unit_test(inert_pieces_have_what_friction_allows),
      cmocka_unit_test(turns_multiply),
      cmocka_unit_test(slip_turns_round),
      cmocka_unit_test(polygons_have_knyazyevs_law),
      cmocka_unit_test(wheel_rolls_with_the_rope),
      cmocka_unit_test(lightest_wheel_is_a_pulley),
      cmocka_unit_test(wheel_slips),
      cmocka_unit_test(trials_do_not_go_round),
      cmocka_unit_test(slip_ends_where_an_edge_locks),
      cmocka_unit_test(free_bodies_keep_momentum),
      cmocka_unit_test(implicit_steps_find_what_slips_behind),
      cmocka_unit_test(gradients_are_derivatives),
      cmocka_unit_test(corners_hold_as_one_vertex),
      cmocka_unit_test(strands_go_on_round_a_ball),
      cmocka_unit_test(ball_throws_nothing),
      cmocka_unit_test(chain_starts_over_a_drum),
      cmocka_unit_test(winding_converges),
      cmocka_unit_test(interrupted_pendulum_has_its_period),
      cmocka_unit_test(fast_rope_does_not_tunnel),
      cmocka_unit_test(nothing_thin_is_passed_through),
      cmocka_unit_test(kept_paths_are_those_that_are_found),
      cmocka_unit_test(pegs_are_found_in_any_order),
      cmocka_unit_test(springs_store_nothing_in_slack_ropes),
      cmocka_unit_test(length_is_continuous),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
