// SPDX-License-Identifier: GPL-3.0-or-later
// Where ropes over bodies start: on which sides, in which order, with how many turns.
#include "check.h"

#include "world/paths/bend.h"
#include "world/paths/wrap.h"
#include "world/rows_internal.h"

#include <string.h>

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

// Rounding can put an end that lies on a surface 2.78e-17 m inside.
static void an_end_may_lie_on_a_surface(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: t\nduration: 1\nstep: 0.01\nbodies:\n"
      "  floor: {motion: fixed, shape: {plane: {normal: [0, 1, 0]}}}\n"
      "  post: {motion: fixed, position: [0.3, 0.5, 0], shape: {cylinder: {radius: 0.1, length: "
      "1}}}\n"
      "  w: {mass: 0.5, position: [0.9, 0.1, 0]}\n"
      "ropes: {line: {from: {point: [0, -2.78e-17, 0]}, to: {body: w}, over: [post]}}\n");
  assert_int_equal(s->model->rope_count, 1);
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
    rl_wrap_solve_path(s->model, state, 0, state->points);
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
  check_near(probe(d, "r.wrap.a") + probe(d, "r.wrap.b") + probe(d, "r.wrap.c"), 2.0 * RL_PI,
             1e-12);
  check_near(probe(d, "r.length"), 4.0 + 2.0 * hypot(0.5, 0.8) + 0.2 * RL_PI, 1e-12);
  rl_driver_free(d);
  rl_scenario_free(s);
  s = scenario_from(scene, box, box, box, round);
  d = driver_for(s, "impulse", 0.01);
  check_near(probe(d, "r.wrap.a") + probe(d, "r.wrap.b") + probe(d, "r.wrap.c"), 2.0 * RL_PI,
             1e-12);
  check_near(probe(d, "r.length"), 4.8 + 2.0 * hypot(0.5, 0.8), 1e-12);
  rl_driver_free(d);
  rl_scenario_free(s);
  // Whatever the three are: once round, but for the angle between the two ends of the rope.
  static const char *const shapes[] = {drum, box, "capsule: {radius: 0.1, length: 1}",
                                       "prism: {radius: 0.12, length: 2, sides: 7}"};
  for (int i = 0; i < 64; i++) {
    s = scenario_from(scene, shapes[i % 4], shapes[i / 4 % 4], shapes[i / 16], round);
    d = driver_for(s, "impulse", 0.01);
    check_near(probe(d, "r.wrap.a") + probe(d, "r.wrap.b") + probe(d, "r.wrap.c"), 2.0 * RL_PI,
               0.1);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
  check_refused("round body 'b' twice, one after the other", scene, drum, drum, drum,
                "a, b, {body: b, side: [0, -1, 0]}, {body: a, side: [0, -1, 0]}");
  check_refused("before and behind body 'b' is in one place", scene, drum, drum, drum,
                "a, {body: b, side: [0, -1, 0]}, {body: a, side: [0, -1, 0]}");
}

// A body can only press on a rope that lies on it: a rod would have to be drawn to it. A rod
// through an eye, which holds it on all sides, can push.
static void rods_lie_on_nothing(void **unused) {
  (void)unused;
  static const char *const scene =
      "name: rod\nduration: 1\nstep: 0.01\nbodies:\n"
      "  drum: {motion: fixed, shape: {cylinder: {radius: 0.1, length: 0.4}}}\n"
      "  a: {mass: 2, position: [-0.1, -1, 0]}\n  b: {mass: 1, position: [0.1, -1, 0]}\n"
      "ropes: {r: {from: {body: a}, to: {body: b}, compression: true, over: [%s]}}\n";
  check_refused("massless rods that lie on bodies", scene, "drum");
  rl_scenario_free(scenario_from(scene, "{eye: [0, -0.5, 0]}"));
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
    check_near(probe(driver, "line.wrap.drum"), 2.0 * RL_PI + 2.0 * touch, 1e-12);
    check_near(probe(driver, "line.length"),
               2.0 * sqrt(d * d - 0.01) + 0.1 * (2.0 * RL_PI + 2.0 * touch), 1e-12);
    rl_driver_free(driver);
    rl_scenario_free(s);
  }
}

// N turns are 2 pi N more than the direct way about the axis, (4a) of path.md, wherever the ends
// are: behind the body and beside it, where the direct way does not touch, close to the surface,
// where it goes nearly all the way round, and far along the axis, where the helix is steep.
static void turns_are_added_to_the_direct_way(void **unused) {
  (void)unused;
  static const char *const shapes[] = {"cylinder: {radius: 0.1, length: 9}",
                                       "capsule: {radius: 0.1, length: 9}",
                                       "sphere: {radius: 0.1}"};
  static const struct {
    double from[3], to[3], side; // x, y, z; side along x
  } cases[] = {
      {{1.0, -0.1, 0.0}, {1.0, 0.1, 0.0}, 1.0},
      {{3.0, -0.1, 0.0}, {1.0, 0.1, 0.0}, 1.0},
      {{0.5, -1.0, 0.0}, {0.5, 1.0, 0.0}, 1.0},
      {{-0.05, -1.0, 0.0}, {-0.05, 1.0, 0.0}, 1.0},
      {{0.1001, 0.01, 0.0}, {0.1001, -0.01, 0.0}, -1.0},
      {{0.2, 0.02, 0.0}, {0.3, -0.02, 0.0}, -1.0},
      {{1.0, -0.1, -2.0}, {3.0, 0.1, 2.0}, 1.0},
  };
  for (size_t i = 0; i < 3 * sizeof cases / sizeof cases[0]; i++) {
    const double *p = cases[i / 3].from, *q = cases[i / 3].to;
    if (i % 3 == 2 && p[2] != q[2]) {
      continue; // a great circle
    }
    const double a = hypot(p[0], p[1]), b = hypot(q[0], q[1]), sense = q[1] > p[1] ? 1.0 : -1.0;
    double theta = sense * cases[i / 3].side * (atan2(q[1], q[0]) - atan2(p[1], p[0]));
    theta += theta < 0.0 ? 2.0 * RL_PI : theta > 2.0 * RL_PI ? -2.0 * RL_PI : 0.0;
    for (int turns = 1; turns <= 3; turns++) {
      const double w = theta - acos(0.1 / a) - acos(0.1 / b) + 2.0 * RL_PI * turns;
      const double flat = sqrt(a * a - 0.01) + sqrt(b * b - 0.01) + 0.1 * w;
      rl_scenario *s = scenario_from(
          "name: turns\nduration: 1\nstep: 0.01\nbodies:\n"
          "  b: {motion: fixed, friction: 1, shape: {%s}}\n"
          "ropes:\n  r: {from: {point: [%.17g, %.17g, %.17g]}, to: {point: [%.17g, %.17g, %.17g]},"
          " over: [{body: b, side: [%g, 0, 0], turns: %d}]}\n",
          shapes[i % 3], p[0], p[1], p[2], q[0], q[1], q[2], cases[i / 3].side, turns);
      rl_driver *d = driver_for(s, "impulse", 0.01);
      check_near(probe(d, "r.length"), hypot(flat, q[2] - p[2]), 1e-12 * flat);
      rl_driver_free(d);
      rl_scenario_free(s);
    }
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

// So are a thousand, laid block by block.
static void a_thousand_turns_are_laid(void **unused) {
  (void)unused;
  const double z = 0.2, flat = 2.0 * hypot(0.1, 1.2) + 0.4 + 1.6 * 1000.0;
  rl_scenario *s =
      scenario_from("name: turns\nduration: 1\nstep: 0.01\nbodies:\n"
                    "  box: {motion: fixed, shape: {box: {size: [0.4, 0.4, 0.6]}}}\n"
                    "ropes:\n  line: {from: {point: [-0.3, -1, 0]}, to: {point: [0.3, -1, %.17g]},"
                    " over: [{body: box, turns: 1000}]}\n",
                    z);
  rl_driver *driver = driver_for(s, "impulse", 0.01);
  check_near(probe(driver, "line.length"), hypot(flat, z), 1e-12 * flat);
  rl_driver_free(driver);
  rl_scenario_free(s);
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
    check_below(2.0 * RL_PI * turns, probe(d, "r.wrap.b"));
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
    const double taut = 1.7 + 3.0 * RL_PI * 0.2, element = taut / segments[k];
    const double length = d->model->ropes[0].length;
    check_below(taut, length);
    check_below(length,
                taut + 3.0 * RL_PI * (0.13 * element * element / 0.2 + 0.0013 * 0.2) + 0.01);
    for (uint32_t i = 0; i <= (uint32_t)segments[k]; i++) {
      const rl_vec3 p = rl_rope_position(d->model, d->state, 0, i);
      check_below(0.2, sqrt(p.x * p.x + p.y * p.y) + 1e-12);
    }
    assert_true(rl_driver_step(d) > 0);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// Returns by how much a rope with mass turns about a place in the plane, from one end to the other,
// counterclockwise [rad].
static double turned_about(const rl_driver *d, double x, double y) {
  double sum = 0.0;
  for (uint32_t i = 0; i < d->model->ropes[0].link_count; i++) {
    const rl_vec3 p = rl_rope_position(d->model, d->state, 0, i);
    const rl_vec3 q = rl_rope_position(d->model, d->state, 0, i + 1);
    const double a[2] = {p.x - x, p.y - y}, b[2] = {q.x - x, q.y - y};
    sum += atan2(a[0] * b[1] - a[1] * b[0], a[0] * b[0] + a[1] * b[1]);
  }
  return sum;
}

// Checks that the elements of a rope are alike, and that none is in a part of a body: but the first
// `tied` of them.
static void check_laid(const rl_driver *d, uint32_t body, uint32_t tied) {
  const rl_rope *rope = &d->model->ropes[0];
  const rl_link *links = &d->state->links[rope->first_link];
  const rl_body_pose at = rl_body_pose_at(d->model, d->state, d->state->points, body);
  for (uint32_t i = 0; i < rope->link_count; i++) {
    const rl_vec3 p = rl_rope_position(d->model, d->state, 0, i);
    const rl_vec3 q = rl_rope_position(d->model, d->state, 0, i + 1);
    rl_surface surface;
    rl_shape_segment(&d->model->bodies[body].parts[0], at.centre, at.rotation, p, q, &surface);
    check_below(i < tied ? 0.0 : rope->radius - surface.distance, 1e-3 * links[0].rest);
    check_relative(links[i].rest, links[0].rest, 1e-14);
    check_below(rl_distance(p, q), (1.0 + 1e-12) * links[i].rest);
  }
}

// A rope is tied to a face, an edge and a corner of a crate, and a little beside it; it leads away
// over a drum, also from the far side over the crate itself. It touches the crate, and starts
// outside, whatever the number of its elements.
static void chain_starts_tied_to_a_crate(void **unused) {
  (void)unused;
  static const struct {
    const char *at, *over;
  } ties[] = {
      {"[0.3, 0.2, 0]", "pulley"},         {"[0.3, 0.25, 0]", "pulley"},
      {"[0.3, 0.25, 0.05]", "pulley"},     {"[0.31, 0.2, 0]", "pulley"},
      {"[0.35, 0.2, 0]", "pulley"},        {"[0.3, -0.2, 0]", "pulley"},
      {"[-0.3, 0.1, 0]", "crate, pulley"}, {"[-0.3, 0.25, 0]", "crate, pulley"},
  };
  static const int segments[] = {3, 5, 10, 30, 100};
  static const double turns[] = {0.0, 0.3, -0.3};
  for (size_t i = 0; i < sizeof ties / sizeof ties[0]; i++) {
    for (size_t k = 0; k < 15; k++) {
      rl_scenario *s = scenario_from(
          "name: tied\nduration: 1\nstep: 0.004\nbodies:\n"
          "  crate: {mass: 4, position: [0, 0.25, 0], rotation: [0, 0, %g],\n"
          "          shape: {box: {size: [0.6, 0.5, 0.1]}}}\n"
          "  pulley: {motion: axle, mass: 0.5, position: [3, 1, 0], shape: {cylinder: {radius: "
          "0.1, length: 0.2}}}\n"
          "  w: {mass: 3, position: [3.1, -0.7, 0], collide: false}\n"
          "ropes: {line: {from: {body: crate, at: %s}, to: {body: w}, over: [%s], mass: 0.3,"
          " segments: %d}}\n",
          turns[k % 3], ties[i].at, ties[i].over, segments[k / 3]);
      rl_driver *d = driver_for(s, "impulse", 0.004);
      assert_true(d->model->touches[0] && d->model->touches[1]);
      check_laid(d, 0, 1);
      check_laid(d, 1, 0);
      check_below(turned_about(d, 3.0, 1.0), 0.0);
      rl_driver_free(d);
      rl_scenario_free(s);
    }
  }
}

// Weights on both sides of a box, at any angle, and of a drum that is thin beside an element: all
// elements clear it, on the side on which the rope lies.
static void chain_starts_clear_of_a_box(void **unused) {
  (void)unused;
  static const int segments[] = {3, 4, 5, 7, 10, 13, 15, 20, 25, 30};
  for (size_t k = 0; k < 40; k++) {
    const double turn = 0.2 * (double)(k % 4);
    rl_scenario *s = scenario_from(
        "name: box\nduration: 1\nstep: 0.004\nbodies:\n"
        "  block: {motion: fixed, rotation: [0, 0, %g], shape: {%s}}\n"
        "  a: {mass: 1.5, position: [-0.5, -2, 0]}\n  b: {mass: 1, position: [0.6, -2.5, 0]}\n"
        "ropes: {line: {from: {body: a}, to: {body: b}, over: [block], mass: 1, segments: %d,"
        " radius: %g}}\n",
        turn, k % 4 == 3 ? "cylinder: {radius: 0.02, length: 1}" : "box: {size: [0.8, 0.5, 1]}",
        segments[k / 4], k % 2 == 1 ? 0.01 : 0.0);
    rl_driver *d = driver_for(s, "impulse", 0.004);
    check_laid(d, 0, 0);
    check_below(turned_about(d, 0.0, 0.0), 0.0);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(thin_bodies_are_passed),
      cmocka_unit_test(what_is_clear_of_all_is_straight),
      cmocka_unit_test(an_end_may_lie_on_a_surface),
      cmocka_unit_test(rows_are_laid_on_their_sides),
      cmocka_unit_test(what_is_passed_again_is_passed_in_order),
      cmocka_unit_test(rods_lie_on_nothing),
      cmocka_unit_test(turns_are_laid_beside_the_straight_way),
      cmocka_unit_test(turns_are_added_to_the_direct_way),
      cmocka_unit_test(turns_on_a_box_are_straight_in_its_sides),
      cmocka_unit_test(a_thousand_turns_are_laid),
      cmocka_unit_test(turns_hold_on_boxes_and_prisms),
      cmocka_unit_test(chain_starts_over_a_drum),
      cmocka_unit_test(chain_starts_tied_to_a_crate),
      cmocka_unit_test(chain_starts_clear_of_a_box),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
