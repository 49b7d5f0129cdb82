// SPDX-License-Identifier: GPL-3.0-or-later
// The rope of Contraption Maker: every bit of its visible nodes worked out again here from the
// words of the source, and the joint between its ends. Equation numbers are those of
// papers/contraption.md.
#include "check.h"

// FNV-1a over all numbers of 10000 steps.
#define CONTRAPTION_HASH UINT64_C(0xaee1734de8486d6a)

enum { MOST_NODES = 21 };
enum { PRINTED, INTENDED, WHOLE };

// The visible nodes of a rope in 16.16 fixed point.
typedef struct row {
  int64_t x[MOST_NODES], y[MOST_NODES], old_x[MOST_NODES], old_y[MOST_NODES], rest;
  int count;
} row;

static int64_t nearest(double value) { return (int64_t)floor(value + 0.5); }

static int64_t shifted(int64_t value) {
  int64_t quotient = value / 65536;
  return quotient - (value % 65536 < 0);
}

static int64_t root_of(int64_t value) {
  int64_t root = (int64_t)sqrt((double)value);
  while (root * root > value) {
    root--;
  }
  while ((root + 1) * (root + 1) <= value) {
    root++;
  }
  return root;
}

static void place_end(const rl_driver *d, uint32_t rope, row *r, int i, double scale) {
  const rl_point p = d->state->points[rl_rope_node(d->model, d->state, rope, (uint32_t)i)];
  r->x[i] = nearest(p.x * scale);
  r->y[i] = nearest(p.y * scale);
}

// Nodes at rest at the start of the driver.
static void row_start(const rl_driver *d, uint32_t rope, row *r, double scale, int64_t gravity) {
  r->count = (int)rl_rope_nodes(d->model, d->state, rope);
  r->rest = nearest(d->model->links[d->model->ropes[rope].first_link].rest * scale);
  for (int i = 0; i < r->count; i++) {
    place_end(d, rope, r, i, scale);
    r->old_x[i] = r->x[i];
    r->old_y[i] = r->y[i] - gravity;
  }
}

// One step of the published code between ends that are where the bodies are now.
static void row_step(const rl_driver *d, uint32_t rope, row *r, double scale, int64_t gravity,
                     int passes, int variant) {
  const int last = r->count - 1;
  place_end(d, rope, r, 0, scale);
  place_end(d, rope, r, last, scale);
  for (int i = 1; i < last; i++) {
    r->y[i] -= gravity;
    int64_t kept = r->x[i];
    r->x[i] += r->x[i] - r->old_x[i];
    r->old_x[i] = kept;
    kept = r->y[i];
    r->y[i] += r->y[i] - r->old_y[i];
    r->old_y[i] = kept;
  }
  for (int n = 0; n < passes; n++) {
    for (int i = 1; i <= last; i++) {
      const int64_t dx = r->x[i] - r->x[i - 1];
      const int64_t dy = r->y[i] - r->y[i - 1];
      int64_t distance = root_of(dx * dx + dy * dy);
      distance = distance < 128 ? 128 : distance;
      const int64_t percent = (r->rest - distance) * (int64_t)(0.7f * 65536) / distance;
      const int64_t ox = shifted(dx * percent);
      const int64_t oy = shifted(dy * percent);
      if (variant == PRINTED) {
        if (i == 1) {
          r->x[i] += ox;
          r->y[i] += oy;
        } else {
          r->x[i - 1] -= ox;
          r->y[i - 1] -= oy;
        }
        continue;
      }
      const int64_t part = variant == INTENDED && i > 1 && i < last ? 2 : 1;
      if (i > 1) {
        r->x[i - 1] -= ox / part;
        r->y[i - 1] -= oy / part;
      }
      if (i < last) {
        r->x[i] += ox / part;
        r->y[i] += oy / part;
      }
    }
  }
}

static uint64_t row_check(const rl_driver *d, uint32_t rope, const row *r, double scale,
                          uint64_t hash) {
  for (int i = 1; i < r->count - 1; i++) {
    const rl_point p = d->state->points[rl_rope_node(d->model, d->state, rope, (uint32_t)i)];
    assert_true(p.x == (double)r->x[i] / scale && p.y == (double)r->y[i] / scale);
    hash = rl_hash_word(hash, (uint64_t)r->x[i]);
    hash = rl_hash_word(hash, (uint64_t)r->y[i]);
  }
  return hash;
}

// Every whole number of both ropes, in every step.
static uint64_t check_rows(const char *spec, int steps, int passes, int variant, double units) {
  rl_scenario *s = shipped_with("contraption-rope", NULL, 0);
  const double dt = 1.0 / 60.0;
  const double scale = units * 65536.0;
  const int64_t gravity = nearest(9.81 * dt * dt * scale);
  rl_driver *d = driver_for(s, spec, dt);
  static row rows[2];
  row_start(d, 0, &rows[0], scale, gravity);
  row_start(d, 1, &rows[1], scale, gravity);
  uint64_t hash = RL_HASH_START;
  for (int n = 0; n < steps; n++) {
    assert_true(rl_driver_step(d) > 0);
    for (uint32_t rope = 0; rope < 2; rope++) {
      row_step(d, rope, &rows[rope], scale, gravity, passes, variant);
      hash = row_check(d, rope, &rows[rope], scale, hash);
    }
  }
  rl_driver_free(d);
  rl_scenario_free(s);
  return hash;
}

static void contraption_is_the_published_code(void **unused) {
  (void)unused;
  const uint64_t hash = check_rows("contraption", 10000, 7, PRINTED, 100.0);
  // The same from gcc and clang, with and without optimisation.
  if (hash != CONTRAPTION_HASH) {
    print_error("hash of 10000 steps: observed %016llx\n", (unsigned long long)hash);
    fail();
  }
  check_rows("contraption,iterations=21,units_per_metre=3000", 500, 21, PRINTED, 3000.0);
  check_rows("contraption,variant=intended", 1000, 7, INTENDED, 100.0);
  check_rows("contraption,variant=intended,iterations=2", 1000, 2, INTENDED, 100.0);
  check_rows("contraption,variant=whole,iterations=21", 1000, 21, WHOLE, 100.0);
}

// The joint: once too long, its ends approach by a tenth of the excess in a step, and the impulse
// on both bodies is the same. The rope between them counts for nothing.
static void contraption_is_a_slide_joint(void **unused) {
  (void)unused;
  static const char *const between[] = {"", "mass: 7, segments: 5,"};
  for (size_t i = 0; i < 2; i++) {
    rl_scenario *s =
        scenario_from("name: joint\nduration: 1\nstep: 0.01\ngravity: [0, 0, 0]\n"
                      "bodies:\n"
                      "  left: {mass: 2.385, position: [-1, 0, 0], velocity: [-1, 0.5, 0]}\n"
                      "  right: {mass: 0.7, position: [1, 0, 0], velocity: [3, 0.5, 0]}\n"
                      "ropes: {line: {from: {body: left}, to: {body: right}, %s length: 2.07}}\n",
                      between[i]);
    rl_driver *d = driver_for(s, "contraption", 0.01);
    const double px = 2.385 * -1.0 + 0.7 * 3.0;
    for (int n = 1; n <= 2; n++) { // two steps of 0.04 m: too long by 0.01 m
      assert_true(rl_driver_step(d) > 0);
      check_near(probe(d, "line.tension"), 0.0, 0.0);
    }
    const double mass = 1.0 / (1.0 / 2.385 + 1.0 / 0.7);
    double excess = 0.01;
    for (int n = 0; n < 50; n++) {
      const double before = probe(d, "right.vx") - probe(d, "left.vx");
      assert_true(rl_driver_step(d) > 0);
      const double bias = 0.1 * excess / 0.01;
      const double expected = excess > 0.0 ? mass * fmax(before + bias, 0.0) / 0.01 : 0.0;
      check_near(probe(d, "line.tension"), expected, 1e-9);
      excess = probe(d, "right.x") - probe(d, "left.x") - 2.07;
      check_near(excess, 0.01 - 0.001 * (n + 1), 1e-13); // the speed of the first pull stays
      check_near(2.385 * probe(d, "left.vx") + 0.7 * probe(d, "right.vx"), px, 1e-14);
      check_near(probe(d, "left.vy"), 0.5, 0.0);
    }
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// A load at rest on the joint, with any rope in the picture: the same bits.
static void contraption_rope_pulls_on_nothing(void **unused) {
  (void)unused;
  double end[2] = {0.0, 0.0};
  for (int i = 0; i < 2; i++) {
    rl_scenario *s = scenario_from("name: load\nduration: 1\nstep: 0.01\n"
                                   "bodies: {load: {mass: 2.385, position: [0.3, -0.9, 0]}}\n"
                                   "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: load},"
                                   " length: 1, mass: %g, segments: 8}}\n",
                                   i == 0 ? 0.01 : 100.0);
    rl_driver *d = driver_for(s, i == 0 ? "contraption" : "contraption,variant=intended", 0.01);
    take_steps(d, 500);
    end[i] = probe(d, "load.x");
    rl_driver_free(d);
    rl_scenario_free(s);
  }
  check_near(end[0], end[1], 0.0);
}

// When the middle of the slack rope was last faster than 1 cm/s [s].
static double time_of_rest(const char *spec) {
  rl_scenario *s = shipped_with("contraption-rope", NULL, 0);
  rl_driver *d = driver_for(s, spec, 1.0 / 60.0);
  double time = 0.0;
  for (int n = 0; n < 1800; n++) {
    assert_true(rl_driver_step(d) > 0);
    time = probe(d, "swag.node.10.speed") > 0.01 ? d->state->time : time;
  }
  rl_driver_free(d);
  rl_scenario_free(s);
  return time;
}

static void contraption_rests_later_with_fewer_passes(void **unused) {
  (void)unused;
  const double two = time_of_rest("contraption,variant=intended,iterations=2");
  const double seven = time_of_rest("contraption,variant=intended,iterations=7");
  const double many = time_of_rest("contraption,variant=intended,iterations=21");
  assert_true(many > 1.0 && two < 25.0);
  assert_true(two > 1.1 * seven && seven > 1.1 * many);
}

// Over pulleys: the joint acts from the second step on, with the excess 2 g dt^2 of the first one's
// free fall, of which it takes back a tenth in a step:
//
//     T = M_eff g (2 - 0.02 0.9^(n - 3)) in step n > 2,    M_eff = 1/(1/m + 1/M)
static void contraption_runs_over_pulleys(void **unused) {
  (void)unused;
  rl_scenario *s = shipped_with("balloon-and-wrecking-ball", NULL, 0);
  const double dt = 1.0 / 60.0;
  const double mass = 1.0 / (1.0 / 10.0 + 1.0 / 1000.0);
  rl_driver *d = driver_for(s, "contraption", dt);
  double left = 2.0 * 9.81 * dt * dt; // of the excess
  for (int n = 1; n <= 50; n++) {
    assert_true(rl_driver_step(d) > 0);
    const double tension = n == 1   ? 0.0
                           : n == 2 ? 4.2 * mass * 9.81
                                    : mass * 9.81 * (2.0 - 0.02 * pow(0.9, n - 3));
    check_near(probe(d, "rope.tension"), tension, 1e-8);
    check_near(probe(d, "rope.length") - 7.0, left, 1e-12);
    left *= 0.9;
  }
  rl_driver_free(d);
  rl_scenario_free(s);
}

// The published trouble and its repair: a pulley without a stop makes the balloon fly to and fro
// through it while the ball draws the rope out; at a stop the ball hangs still. Too few sweeps
// at a stop stretch the rope as well.
static void contraption_stops_at_its_pulley(void **unused) {
  (void)unused;
  static const struct {
    const char *spec;
    double stretch[2]; // largest of the rope [m]: within these
  } cases[] = {{"contraption", {0.0, 0.006}},
               {"contraption,stops=false", {3.6, 3.7}},
               {"contraption,joint_iterations=10", {0.8, 0.9}}};
  rl_scenario *s = shipped_with("balloon-with-stop", NULL, 0);
  for (size_t i = 0; i < 3; i++) {
    rl_driver *d = driver_for(s, cases[i].spec, 1.0 / 60.0);
    double longest = 0.0, before = 0.0;
    int turns = 0;
    for (int n = 0; n < 240; n++) {
      assert_true(rl_driver_step(d) > 0);
      longest = fmax(longest, probe(d, "rope.length") - 7.0);
      turns += probe(d, "balloon.vy") * before < 0.0;
      before = probe(d, "balloon.vy");
    }
    if (longest < cases[i].stretch[0] || longest > cases[i].stretch[1]) {
      print_error("%s: observed a rope longer by %.4g m, expected %g to %g\n", cases[i].spec,
                  longest, cases[i].stretch[0], cases[i].stretch[1]);
      fail();
    }
    if (i == 0) {
      check_near(probe(d, "balloon.y"), -0.35, 1e-9);
      check_near(probe(d, "ball.vy"), 0.0, 1e-8);
      check_near(probe(d, "rope.tension"), 9810.0, 1e-3);
      assert_int_equal(turns, 2); // after the first step's free fall, and at the stop
    } else if (i == 1) {
      assert_true(turns > 100);
    }
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// What hangs on a rope beside its centre hangs on it by that point.
static void contraption_holds_beside_a_centre(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from("name: beside\nduration: 1\nstep: 0.01\n"
                                 "bodies: {load: {mass: 2.385, position: [0.3, -1.5, 0]}}\n"
                                 "ropes: {line: {from: {point: [0, 0, 0]}, length: 1, mass: 0.1,\n"
                                 " segments: 4, to: {body: load, at: [-0.3, 0.5, 0]}}}\n");
  rl_driver *d = driver_for(s, "contraption,variant=whole", 0.01);
  take_steps(d, 500);
  check_near(probe(d, "line.tension.to"), 2.385 * 9.81, 1e-6);
  check_near(probe(d, "load.y"), -1.5, 1e-8);
  check_near(probe(d, "line.tip.x"), 0.0, 1e-15);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// The picture of a massless rope is that of one with mass, number for number: one pulls on nothing,
// neither does the other.
static void contraption_draws_every_rope(void **unused) {
  (void)unused;
  enum { LINKS = 8 };
  rl_vec3 drawn[2][200][LINKS + 1];
  for (size_t i = 0; i < 2; i++) {
    rl_scenario *s =
        scenario_from("name: swing\nduration: 1\nstep: 0.01\n"
                      "bodies: {load: {mass: 2.385, position: [0.7, -0.2, 0]}}\n"
                      "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: load}, %s length: 1}}\n",
                      i == 0 ? "" : "mass: 7, segments: 8,");
    rl_driver *d = driver_for(s, "contraption,segments=8,variant=intended", 0.01);
    for (int n = 0; n < 200; n++) {
      assert_true(rl_driver_step(d) > 0);
      assert_int_equal(d->type->draw(d->memory, d->model, d->state, 0, 0.0, drawn[i][n], LINKS + 1),
                       LINKS + 1);
    }
    rl_driver_free(d);
    rl_scenario_free(s);
  }
  for (int n = 0; n < 200; n++) {
    for (int k = 1; k < LINKS; k++) {
      const rl_vec3 a = drawn[0][n][k], b = drawn[1][n][k];
      assert_true(a.x == b.x && a.y == b.y && a.z == b.z);
    }
  }
  assert_true(fabs(drawn[0][199][4].x - 0.5 * drawn[0][199][LINKS].x) > 1e-4); // it is no line
}

// Over eyes: two sides with the eyes between, and on each half of what the rope is longer.
static void contraption_draws_both_sides(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from("name: sides\nduration: 1\nstep: 0.01\n"
                                 "bodies: {load: {mass: 2.385, position: [2.4, -1.1, 0]}}\n"
                                 "ropes: {line: {from: {point: [-1, -0.5, 0]}, to: {body: load},\n"
                                 " over: [{eye: [0, 0, 0]}, {eye: [1, 0.3, 0]}, {eye: [2, 0, 0]}],"
                                 " slack: 0.5}}\n");
  rl_driver *d = driver_for(s, "contraption,variant=whole,iterations=1000,segments=6", 0.01);
  rl_vec3 points[15];
  assert_int_equal(d->type->draw(d->memory, d->model, d->state, 0, 0.0, points, 15), 15);
  check_near(points[3].x, -0.5, 1e-15); // straight before the first step
  for (int n = 0; n < 100; n++) {
    assert_true(rl_driver_step(d) > 0);
    d->type->draw(d->memory, d->model, d->state, 0, 0.0, points, 15);
    double lengths[2] = {0.0, 0.0};
    for (int k = 0; k < 6; k++) {
      lengths[0] += rl_distance(points[k], points[k + 1]);
      lengths[1] += rl_distance(points[k + 8], points[k + 9]);
    }
    const double side = hypot(probe(d, "load.x") - 2.0, probe(d, "load.y"));
    const double slack = fmax(probe(d, "line.rest") - probe(d, "line.length"), 0.0);
    check_near(lengths[0], sqrt(1.25) + 0.5 * slack, 1e-3); // 1000 passes over a grid of 1.5e-7 m
    check_near(lengths[1], side + 0.5 * slack, 1e-3);
    check_near(points[7].x, 1.0, 0.0);
    check_near(points[7].y, 0.3, 0.0);
    check_near(points[8].x, 2.0, 0.0);
    check_near(points[14].y, probe(d, "load.y"), 1e-6);
  }
  rl_driver_free(d);
  rl_scenario_free(s);
}

// What does not fit the fixed-point format ends the run, without overflow.
static void contraption_says_what_does_not_fit(void **unused) {
  (void)unused;
  rl_scenario *s = shipped_with("contraption-rope", NULL, 0);
  rl_driver *d = driver_for(s, "contraption,units_per_metre=1e6", 1.0 / 60.0);
  assert_int_equal(rl_driver_step(d), RL_DIVERGED_RANGE);
  rl_driver_free(d);
  // Within the range at first; the first node goes below -1.6384 m when the rope has fallen.
  d = driver_for(s, "contraption,units_per_metre=10000", 1.0 / 60.0);
  rl_reason reason = RL_RUNNING;
  for (int n = 0; n < 600 && reason >= 0; n++) {
    reason = rl_driver_step(d);
  }
  assert_int_equal(reason, RL_DIVERGED_RANGE);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// What its law cannot do is refused for the reason that it is.
static void limits_are_known(void **unused) {
  (void)unused;
  check_missing("contraption", "free-rope", RL_CAN_SPACE);
  check_missing("contraption", "nehe-rope", RL_CAN_GROUND);
  check_missing("contraption", "pendulum", 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(contraption_is_the_published_code),
      cmocka_unit_test(contraption_is_a_slide_joint),
      cmocka_unit_test(contraption_rope_pulls_on_nothing),
      cmocka_unit_test(contraption_rests_later_with_fewer_passes),
      cmocka_unit_test(contraption_runs_over_pulleys),
      cmocka_unit_test(contraption_stops_at_its_pulley),
      cmocka_unit_test(contraption_holds_beside_a_centre),
      cmocka_unit_test(contraption_draws_every_rope),
      cmocka_unit_test(contraption_draws_both_sides),
      cmocka_unit_test(contraption_says_what_does_not_fit),
      cmocka_unit_test(limits_are_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
