// SPDX-License-Identifier: GPL-3.0-or-later
// Ropes that touch themselves and each other: where, that they carry, rub, pile up and keep
// momentum, and do not pass through each other.
#include "check.h"

#include "runs/timing.h"
#include "world/segment.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---------------------------------------------------------------------------------------------
// Where two segments are nearest

// The distance by a search over places of the first, with the nearest of the second to each: it is
// convex.
static double searched_distance(const rl_vec3 *a, const rl_vec3 *b) {
  const rl_vec3 u = rl_sub(a[1], a[0]), v = rl_sub(b[1], b[0]);
  const double vv = rl_dot(v, v);
  double low = 0.0, high = 1.0, least = INFINITY;
  for (int i = 0; i < 300; i++) {
    const double s[2] = {low + (high - low) / 3.0, high - (high - low) / 3.0};
    double distance[2];
    for (size_t k = 0; k < 2; k++) {
      const rl_vec3 p = rl_add_scaled(a[0], s[k], u);
      const double t = vv > 0.0 ? fmax(0.0, fmin(1.0, rl_dot(rl_sub(p, b[0]), v) / vv)) : 0.0;
      distance[k] = rl_distance(p, rl_add_scaled(b[0], t, v));
      least = fmin(least, distance[k]);
    }
    *(distance[0] <= distance[1] ? &high : &low) = s[distance[0] <= distance[1] ? 1 : 0];
  }
  return least;
}

static rl_nearest nearest_between(rl_vec3 a0, rl_vec3 a1, rl_vec3 b0, rl_vec3 b1) {
  const rl_segment a = rl_segment_between(a0, a1), b = rl_segment_between(b0, b1);
  return rl_segments_nearest(&a, &b);
}

static void check_nearest(const rl_vec3 *a, const rl_vec3 *b) {
  const rl_nearest n = nearest_between(a[0], a[1], b[0], b[1]);
  assert_true(n.first >= 0.0 && n.first <= 1.0 && n.second >= 0.0 && n.second <= 1.0);
  const rl_vec3 p = rl_add_scaled(a[0], n.first, rl_sub(a[1], a[0]));
  const rl_vec3 q = rl_add_scaled(b[0], n.second, rl_sub(b[1], b[0]));
  check_near(rl_distance(rl_sub(p, q), n.way), 0.0, 1e-14);
  check_near(rl_length(n.way), searched_distance(a, b), 1e-9);
  check_below(rl_length(n.way), searched_distance(a, b) + 1e-12);
  const rl_nearest back = nearest_between(b[0], b[1], a[0], a[1]);
  check_near(rl_length(back.way), rl_length(n.way), 1e-12);
}

static void segments_are_nearest_where_a_search_finds_it(void **unused) {
  (void)unused;
  uint64_t seed = 7;
  for (int i = 0; i < 4000; i++) {
    rl_vec3 a[2], b[2];
    for (size_t k = 0; k < 2; k++) {
      a[k] = random_in_cube(&seed, 1.0);
      b[k] = random_in_cube(&seed, 1.0);
    }
    if (i % 4 == 1) { // parallel, one way or the other, to rounding or nearly
      const rl_vec3 along = rl_scale(between(&seed, -1.5, 1.5), rl_sub(a[1], a[0]));
      const double tilt = i % 8 == 1 ? 0.0 : pow(10.0, between(&seed, -12.0, -2.0));
      b[1] = rl_add(rl_add(b[0], along), random_in_cube(&seed, tilt));
    } else if (i % 4 == 2) { // without a length, or hardly any
      b[1] = i % 8 == 2 ? b[0] : rl_add(b[0], random_in_cube(&seed, 1e-9));
      a[1] = i % 16 == 2 ? a[0] : a[1];
    } else if (i % 4 == 3) { // one crosses the other, or starts on it, or both lie on a line
      b[0] = rl_add_scaled(a[0], between(&seed, -0.5, 1.5), rl_sub(a[1], a[0]));
      b[1] = i % 8 == 3 ? b[1] : rl_add_scaled(a[0], between(&seed, -0.5, 1.5), rl_sub(a[1], a[0]));
    }
    check_nearest(a, b);
  }
}

static void beside_each_other_they_touch_in_the_middle(void **unused) {
  (void)unused;
  const rl_nearest n = nearest_between(rl_vec(0.0, 0.0, 0.0), rl_vec(1.0, 0.0, 0.0),
                                       rl_vec(1.7, 0.3, 0.0), rl_vec(0.4, 0.3, 0.0));
  check_near(n.first, 0.7, 1e-15);
  check_near(n.second, 1.0 / 1.3, 1e-15);
}

// ---------------------------------------------------------------------------------------------
// Whether anything has passed through anything

// Six times the volume of the tetrahedron of two elements, t of the way from one state to another.
static double volume(const rl_vec3 *from, const rl_vec3 *to, double t) {
  rl_vec3 p[4];
  for (size_t i = 0; i < 4; i++) {
    p[i] = rl_add_scaled(from[i], t, rl_sub(to[i], from[i]));
  }
  return rl_dot(rl_cross(rl_sub(p[1], p[0]), rl_sub(p[3], p[2])), rl_sub(p[2], p[0]));
}

static bool cross_at(const rl_vec3 *from, const rl_vec3 *to, double t) {
  rl_vec3 p[4];
  for (size_t i = 0; i < 4; i++) {
    p[i] = rl_add_scaled(from[i], t, rl_sub(to[i], from[i]));
  }
  const rl_nearest n = nearest_between(p[0], p[1], p[2], p[3]);
  return rl_length(n.way) < 1e-9;
}

// How often two elements pass through each other on straight ways of their ends: they are in one
// plane at the roots of a cubic.
static int crossings(const rl_vec3 *from, const rl_vec3 *to) {
  enum { PARTS = 16 };
  int count = 0;
  for (int i = 0; i < PARTS; i++) {
    double low = (double)i / PARTS, high = (double)(i + 1) / PARTS;
    const double start = volume(from, to, low);
    if ((start > 0.0) == (volume(from, to, high) > 0.0)) {
      continue;
    }
    for (int k = 0; k < 60; k++) {
      const double middle = 0.5 * (low + high);
      *((volume(from, to, middle) > 0.0) == (start > 0.0) ? &low : &high) = middle;
    }
    count += cross_at(from, to, low) ? 1 : 0;
  }
  return count;
}

typedef struct watch {
  rl_driver *driver;
  rl_point *before;
  bool between_ropes; // not of one rope with itself
} watch;

static watch watch_over(rl_driver *driver) {
  const size_t slots = driver->model->slot_count;
  const watch w = {driver, calloc(slots, sizeof(rl_point)), false};
  assert_non_null(w.before);
  memcpy(w.before, driver->state->points, slots * sizeof *w.before);
  return w;
}

// Whether two elements are nearer along their rope than half a turn round its radius: these may.
static bool are_close(const rl_model *m, const rl_state *state, uint32_t later, uint32_t earlier) {
  double way = 0.0;
  for (uint32_t i = earlier + 1; i < later; i++) {
    way += state->links[i].rest;
  }
  const rl_rope *rope = &m->ropes[m->link_rope[later]];
  return m->link_rope[later] == m->link_rope[earlier] && way < RL_PI * rope->radius;
}

// A step; how many pairs of elements, neighbours apart, have passed through each other in it.
static int watched_step(watch *w) {
  const rl_model *m = w->driver->model;
  const rl_state *state = w->driver->state;
  int count = 0;
  assert_true(rl_driver_step(w->driver) > 0);
  for (uint32_t i = 0; i < m->link_count; i++) {
    for (uint32_t k = 0; k < i; k++) {
      if (w->between_ropes && m->link_rope[i] == m->link_rope[k]) {
        continue;
      }
      const rl_link *a = &state->links[i], *b = &state->links[k];
      const uint32_t slots[4] = {a->a, a->b, b->a, b->b};
      rl_vec3 from[4], to[4];
      for (size_t n = 0; n < 4; n++) {
        from[n] = rl_position(&w->before[slots[n]]);
        to[n] = rl_position(&state->points[slots[n]]);
      }
      const double reach =
          a->rest + b->rest + rl_distance(from[0], to[0]) + rl_distance(from[2], to[2]);
      if (!are_close(m, state, i, k) && rl_distance(to[0], to[2]) <= 1.5 * reach) {
        count += crossings(from, to);
      }
    }
  }
  memcpy(w->before, state->points, m->slot_count * sizeof *w->before);
  return count;
}

static const char *const solvers[] = {
    "pbd",        "xpbd",   "impulse",        "impulse-soft", "penalty",
    "pbd-direct", "rattle", "impulse-direct", "convex",       "penalty-implicit"};
enum { SOLVERS = sizeof solvers / sizeof solvers[0] };

// ---------------------------------------------------------------------------------------------
// A rope falls on to the floor

#define PILE                                                                                       \
  "name: pile\nduration: 1\nstep: 0.004\nbodies:\n"                                                \
  "  floor: {motion: fixed, friction: 0.5, shape: {plane: {normal: [0, 1, 0]}}}\nropes:\n"         \
  "  r: {from: {free: [0, 0.1, 0]}, to: {free: [0.01, 0.7, 0.013]}, length: 0.60023,"              \
  " segments: 24, mass: 0.06, radius: 0.012, friction: 0.5, compression: true,"                    \
  " rope_collide: true}\n"

// Nothing passes through anything, and hardly any energy comes from nowhere. What a single sweep
// leaves of the impact of rods is pushed out in the next substep, and gains 0.23 with xpbd.
static void a_falling_rope_piles_up(void **unused) {
  (void)unused;
  static const double gains[SOLVERS] = {0.05, 1e-3, 0.05, 0.15, 0.05, 0.05, 0.05, 0.05, 0.05, 0.05};
  for (size_t i = 0; i < SOLVERS; i++) {
    rl_scenario *s = scenario_from(PILE);
    rl_driver *d = driver_for(s, strcmp(solvers[i], "xpbd") == 0 ? "xpbd,iterations=5" : solvers[i],
                              1.0 / 500.0);
    watch w = watch_over(d);
    const double start = rl_metrics_of(d).energy_total;
    int count = 0;
    double deepest = 0.0, gained = 0.0, last = start, touching = 0.0;
    for (int n = 0; n < 300; n++) {
      count += watched_step(&w);
      const rl_metrics now = rl_metrics_of(d);
      deepest = fmax(deepest, now.penetration_max);
      touching = fmax(touching, probe(d, "r.contacts"));
      gained += fmax(now.energy_total - last, 0.0);
      last = now.energy_total;
    }
    assert_int_equal(count, 0);
    assert_true(touching >= 3.0);
    check_below(deepest, 0.25 * 0.024);
    check_below(gained, gains[i] * start);
    free(w.before);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// ---------------------------------------------------------------------------------------------
// Two ropes

// The sum of the normal forces between the ropes, upwards on the one that comes later.
static double lift(const rl_driver *d) {
  double sum = 0.0;
  for (uint64_t i = 0; i < d->state->contact_count; i++) {
    const double force = d->state->multipliers[d->model->link_count + i];
    sum += rl_is_of_ropes(&d->state->contacts[i]) ? force * d->state->sides[i].y : 0.0;
  }
  return sum;
}

// One lies across the other and hangs down on both sides.
static void one_rope_carries_another(void **unused) {
  (void)unused;
  for (size_t i = 0; i < SOLVERS; i++) {
    rl_scenario *s = scenario_from(
        "name: across\nduration: 1\nstep: 0.004\nropes:\n"
        "  below: {from: {point: [-0.5, 0, 0]}, to: {point: [0.5, 0, 0]}, length: 1.02, hang: true,"
        " segments: 11, mass: 0.2, radius: 0.02, drag: 0.1, friction: 0.8, rope_collide: true}\n"
        "  above: {from: {free: [0, 0, -0.4]}, to: {free: [0, 0, 0.4]}, segments: 9, mass: 0.2385,"
        " radius: 0.015, drag: 0.1, friction: 0.8, rope_collide: true}\n");
    rl_driver *d = driver_for(s, solvers[i], 1.0 / 500.0);
    watch w = watch_over(d);
    int count = 0;
    double force = 0.0;
    for (int n = 0; n < 1250; n++) {
      count += n % 10 == 0 ? watched_step(&w) : (rl_driver_step(d), 0);
      force += n >= 750 ? lift(d) / 500.0 : 0.0;
    }
    assert_int_equal(count, 0);
    check_relative(force, 0.2385 * 9.81, 1e-2); // it still swings a little
    free(w.before);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// An element that lies across an inclined one slides down along it, or not.
static rl_scenario *inclined(double angle) {
  const double c = cos(angle), s = sin(angle);
  return scenario_from(
      "name: inclined\nduration: 1\nstep: 0.004\nropes:\n"
      "  below: {from: {point: [%.17g, %.17g, 0]}, to: {point: [%.17g, %.17g, 0]}, segments: 1,"
      " mass: 0.2, radius: 0.02, friction: 0.2, rope_collide: true}\n"
      "  above: {from: {free: [%.17g, %.17g, -0.1]}, to: {free: [%.17g, %.17g, 0.1]}, segments: 1,"
      " mass: 0.2385, radius: 0.02, friction: 0.45, rope_collide: true}\n",
      -2.0 * c, 2.0 * s, 2.0 * c, -2.0 * s, 0.04 * s, 0.04 * c, 0.04 * s, 0.04 * c);
}

static void crossed_ropes_slide_at_the_angle_of_friction(void **unused) {
  (void)unused;
  const double mu = 0.3, critical = atan(mu), off = RL_PI / 360.0, h = 1.0 / 1000.0;
  for (size_t i = 0; i < SOLVERS; i++) {
    for (int k = 0; k < 2; k++) {
      const double angle = critical + (k == 0 ? -off : off);
      rl_scenario *s = inclined(angle);
      rl_driver *d = driver_for(s, solvers[i], h);
      const double x = probe(d, "above.node.0.x"), y = probe(d, "above.node.0.y");
      take_steps(d, 500);
      const double way = hypot(probe(d, "above.node.0.x") - x, probe(d, "above.node.0.y") - y);
      const double expected = k == 0 ? 0.0 : 0.5 * 9.81 * (sin(angle) - mu * cos(angle)) * 0.25;
      // The springs of `penalty` swing at first, and what does not push does not rub.
      check_near(way, expected, k == 0 ? 1e-6 : strcmp(solvers[i], "penalty") == 0 ? 2e-4 : 5e-5);
      rl_driver_free(d);
      rl_scenario_free(s);
    }
  }
}

// ---------------------------------------------------------------------------------------------
// Momentum

// Friction acts on the axes: the couple of what acts on the surface is for the twist of the ropes,
// which is not modelled.
static void contacts_of_ropes_keep_momentum(void **unused) {
  (void)unused;
  // What is kept of the angular momentum and the energy. Semi-implicit Euler, of order 1, makes
  // energy of springs that touch and let go, which Verlet does not.
  static const struct {
    const char *solver;
    double angular, gain;
  } cases[] = {
      {"pbd", 1e-2, 1e-3},
      {"xpbd", 1e-3, 1e-3},
      {"impulse", 1e-12, 1e-3},
      {"impulse-soft", 1e-12, 1e-3},
      {"penalty", 1e-12, 6e-3},
      {"penalty,integrator=verlet", 1e-3, 1e-5},
      {"pbd-direct", 1e-12, 1e-3},
      {"rattle", 1e-2, 1e-3},
      {"impulse-direct", 1e-12, 1e-3},
      {"convex", 1e-2, 1e-3},
      {"penalty-implicit", 1e-2, 1e-3},
  };
  for (int k = 0; k < 2; k++) {
    rl_scenario *s =
        scenario_from("name: hits\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.004\nropes:\n"
                      "  a: {from: {free: [-0.4, 0, 0.03]}, to: {free: [0.4, 0.02, -0.05]}, slack: "
                      "0.01, segments: 7, mass:"
                      " 0.1, radius: 0.02, friction: %s, rope_collide: true, velocity: [0.2, 1.1, "
                      "0], spin: [0, 0.5, 0.3]}\n"
                      "  b: {from: {free: [0.1, 0.1, -0.4]}, to: {free: [0, 0.15, 0.4]}, slack: "
                      "0.01, segments: 9, mass: 0.2,"
                      " radius: 0.015, friction: %s, rope_collide: true, velocity: [0, -0.3, 0.1], "
                      "spin: [0.3, 0, 0.2]}\n",
                      k == 0 ? "0" : "0.4", k == 0 ? "0" : "0.5");
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
      rl_driver *d = driver_for(s, cases[i].solver, 1.0 / 500.0);
      watch w = watch_over(d);
      const rl_metrics start = rl_metrics_of(d);
      const double size = start.momentum_scale;
      int count = 0;
      double gained = 0.0, last = start.energy_total;
      for (int n = 0; n < 400; n++) {
        count += watched_step(&w);
        const rl_metrics now = rl_metrics_of(d);
        gained += fmax(now.energy_total - last, 0.0);
        last = now.energy_total;
      }
      const rl_metrics end = rl_metrics_of(d);
      const double turned = rl_distance(end.momentum.angular, start.momentum.angular);
      assert_int_equal(count, 0);
      assert_true(start.energy_total - end.energy_total > 0.01); // they have met
      check_below(rl_distance(end.momentum.linear, start.momentum.linear), 1e-12 * size);
      check_below(turned, (k == 0 ? cases[i].angular : 0.2) * rl_length(start.momentum.angular));
      check_below(gained, cases[i].gain * start.energy_total);
      rl_driver_free(d);
      free(w.before);
    }
    rl_scenario_free(s);
  }
}

// ---------------------------------------------------------------------------------------------
// Speed of approach

// A rope that hangs slack is hit by one that flies across it.
static rl_scenario *thrown(double height, double across, double speed) {
  return scenario_from("name: thrown\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.004\nropes:\n"
                       "  a: {from: {point: [-0.5, 0, 0]}, to: {point: [0.5, 0, 0]}, length: 1.02,"
                       " segments: 10, mass: 0.2, hang: false, radius: 0.02, rope_collide: true}\n"
                       "  b: {from: {free: [0.03, %.17g, -0.4]}, to: {free: [0.1, %.17g, 0.4]},"
                       " segments: 9, mass: 0.2, radius: 0.02, rope_collide: true,"
                       " velocity: [%.17g, -%.17g, 0]}\n",
                       height, height + 0.02, across, speed);
}

// Up to five times the contact distance in a step, straight and aslant. What takes the directions
// of the elements at the start of a step for the whole of it takes less, or shorter steps.
static void fast_ropes_do_not_pass_through(void **unused) {
  (void)unused;
  static const struct {
    const char *solver;
    double step, fastest;
  } cases[] = {
      {"pbd", 1.0 / 240.0, 20.0},
      {"pbd,iterations=200", 1.0 / 240.0, 50.0},
      {"xpbd", 1.0 / 240.0, 50.0},
      {"impulse-soft,substeps=40", 1.0 / 240.0, 50.0},
      {"penalty", 1.0 / 240.0, 20.0},
      {"convex", 1.0 / 240.0, 50.0},
      {"penalty-implicit", 1.0 / 240.0, 50.0},
      {"impulse", 1.0 / 240.0, 9.6},
      {"impulse", 1.0 / 960.0, 50.0},
      {"impulse-direct", 1.0 / 240.0, 9.6},
      {"impulse-direct", 1.0 / 960.0, 35.0},
      {"pbd-direct", 1.0 / 240.0, 2.4},
      {"pbd-direct", 1.0 / 960.0, 9.6},
      {"rattle", 1.0 / 240.0, 2.4},
      {"rattle", 1.0 / 960.0, 9.6},
  };
  static const double speeds[] = {2.4, 9.6, 20.0, 35.0, 50.0};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    for (int k = 0; k < 5; k++) {
      const double speed = speeds[k], across = 0.4 * speed * ((k + (int)i) % 3 - 1);
      if (speed > cases[i].fastest) {
        continue;
      }
      rl_scenario *s = thrown(0.51 + 0.013 * k, across, speed);
      rl_driver *d = driver_for(s, cases[i].solver, cases[i].step);
      watch w = watch_over(d);
      w.between_ropes = speed > 9.6; // ends of 50 m/s whip through each other
      int count = 0;
      for (int n = 0; n < (int)(0.25 / cases[i].step); n++) {
        count += watched_step(&w);
      }
      if (count > 0) {
        print_error("%s, step %.3g s: %g m/s, %g m/s across\n", cases[i].solver, cases[i].step,
                    speed, across);
      }
      assert_int_equal(count, 0);
      rl_driver_free(d);
      free(w.before);
      rl_scenario_free(s);
    }
  }
}

// A rope flies across another whose elements it meets far from where they were nearest at the start
// of the step: the row is where they meet.
static void the_row_is_where_ropes_meet(void **unused) {
  (void)unused;
  const double h = 1.0 / 240.0, v = 50.0, height = 0.19, start = -0.57, across = 40.0;
  rl_scenario *s = scenario_from(
      "name: meet\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.004\nropes:\n"
      "  a: {from: {point: [-0.5, 0, 0]}, to: {point: [0.5, 0, 0]}, segments: 8,"
      " mass: 0.2, radius: 0.02, rope_collide: true}\n"
      "  b: {from: {free: [%.17g, %.17g, -0.4]}, to: {free: [%.17g, %.17g, 0.3]}, segments: 1,"
      " mass: 0.2, radius: 0.015, rope_collide: true, velocity: [%.17g, %.17g, 0]}\n",
      start, height, start, height, across, -v);
  rl_driver *d = driver_for(s, "impulse", h);
  rl_detect(d->model, d->state, h, d->rows);
  const double meets = start + across * (height - 0.035) / v; // there they are 0.035 m apart
  const double place = (meets + 0.5) / 0.125;
  int count = 0;
  for (uint64_t i = 0; i < d->state->contact_count; i++) {
    const rl_foot *foot = &d->rows->feet[i];
    if (d->state->contacts[i].other == (uint32_t)floor(place)) {
      rl_row *row = &d->rows->rows[d->rows->span_count + i];
      rl_row_evaluate(d->model, d->state, d->rows, row, d->state->points);
      check_near(foot->other_fraction, place - floor(place), 1e-3);
      check_near(foot->fraction, 4.0 / 7.0, 1e-12);
      check_near(rl_distance(foot->normal, rl_vec(0.0, 1.0, 0.0)), 0.0, 1e-9);
      check_near(row->value, 0.035 - height, 1e-12);
      count++;
    }
  }
  assert_int_equal(count, 1);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// The knot holds the weight, shorter than the rope by what is in it, and is still a knot: with
// every third solver, or, which takes long, with all.
static size_t knot_stride = 3;

static void a_knot_holds(void **unused) {
  (void)unused;
  for (size_t i = 0; i < SOLVERS; i += knot_stride) {
    rl_scenario *s = shipped_with("knot-pull", NULL, 0);
    rl_driver *d = driver_for(s, solvers[i], 1.0 / 500.0);
    watch w = watch_over(d);
    int count = 0;
    double pull = 0.0;
    for (int n = 0; n < 300; n++) {
      count += watched_step(&w);
      pull += n >= 200 ? probe(d, "rope.tension.to") / 100.0 : 0.0;
    }
    assert_int_equal(count, 0);
    check_near(probe(d, "load.y"), -0.4075, 0.003); // of 0.653 m
    check_near(pull, 0.981, 0.1);
    assert_true(probe(d, "rope.contacts") >= 6.0);
    rl_driver_free(d);
    free(w.before);
    rl_scenario_free(s);
  }
}

// Which pairs are near each other is kept from step to step. What comes out of a step is that of a
// run that begins with its state, to the bit.
static void kept_pairs_are_those_that_are_found(void **unused) {
  (void)unused;
  static const char *const few[] = {"pbd", "xpbd"};
  for (size_t i = 0; i < 2; i++) {
    rl_scenario *s = scenario_from(PILE);
    rl_driver *d = driver_for(s, few[i], 1.0 / 500.0);
    for (int n = 0; n < 300; n++) {
      rl_driver *fresh = n % 5 == 0 ? driver_for(s, few[i], 1.0 / 500.0) : NULL;
      if (fresh) {
        rl_driver_set_state(fresh, d->state);
        assert_true(rl_driver_step(fresh) > 0);
      }
      assert_true(rl_driver_step(d) > 0);
      if (fresh) {
        assert_int_equal(rl_state_hash(fresh->state), rl_state_hash(d->state));
      }
      rl_driver_free(fresh);
    }
    assert_true(probe(d, "r.contacts") >= 3.0);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

static void too_many_contacts_stop_the_run(void **unused) {
  (void)unused;
  char text[16384];
  int used = snprintf(text, sizeof text,
                      "name: star\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\nropes:\n");
  for (int i = 0; i < 40; i++) {
    const double a = RL_PI * i / 40.0;
    used += snprintf(
        text + used, sizeof text - (size_t)used,
        "  r%d: {from: {free: [%.6f, %.6f, %.6f]}, to: {free: [%.6f, %.6f, %.6f]}, segments: 1,"
        " mass: 0.1, radius: 0.01, rope_collide: true, velocity: [0, %g, 0]}\n",
        i, cos(a), 0.03 * i, sin(a), -cos(a), 0.03 * i, -sin(a), 1000.0 * i);
  }
  rl_scenario *s = scenario_from("%s", text);
  rl_driver *d = driver_for(s, "pbd", 0.01);
  assert_int_equal(rl_driver_step(d), RL_DIVERGED_CONTACTS);
  assert_int_equal(d->state->contact_count, d->model->tangle_capacity);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// ---------------------------------------------------------------------------------------------
// Rows, and what is refused

// One rope is tied to a body that turns, and the contact is near there.
static void check_gradients_beside_a_body(const char *end) {
  rl_scenario *s = scenario_from(
      "name: rows\nduration: 1\nstep: 0.004\nbodies:\n"
      "  box: {mass: 1, spin: [0.3, 0.2, 0.1], shape: {box: {size: [0.1, 0.2, 0.3]}}}\nropes:\n"
      "  a: {from: {%s}, to: {free: [0.5, 0.1, 0.02]}, segments: 2,"
      " mass: 0.2, radius: 0.02, friction: 0.3, rope_collide: true}\n"
      "  b: {from: {free: [0.1, 0.07, -0.2]}, to: {free: [0.12, 0.08, 0.3]}, segments: 3,"
      " mass: 0.2385, radius: 0.015, rope_collide: true}\n",
      end);
  rl_driver *d = driver_for(s, "impulse", 1.0 / 240.0);
  rl_detect(d->model, d->state, d->dt, d->rows);
  int count = 0;
  for (uint32_t i = d->rows->span_count; i < d->rows->row_count; i++) {
    rl_row *row = &d->rows->rows[i];
    if (rl_is_of_ropes(&d->state->contacts[row->item])) {
      check_near(row->friction, 0.3, 0.0); // the other has none of its own
      check_row_gradient(d, row, 2e-9);
      count++;
    }
  }
  assert_int_equal(count, 1);
  rl_driver_free(d);
  rl_scenario_free(s);
}

static void rows_have_the_gradients_of_their_values(void **unused) {
  (void)unused;
  check_gradients_beside_a_body("body: box, at: [0.05, 0.02, 0]");
  check_gradients_beside_a_body("body: box"); // its centre
}

static void overlap_is_refused(void **unused) {
  (void)unused;
  check_refused(
      "element 1 starts 0.015 m inside element 1 of rope 'a' (radii 0.01 and 0.02 m)",
      "name: x\nduration: 1\nstep: 0.004\nropes:\n"
      "  a: {from: {free: [-0.5, 0, 0]}, to: {free: [0.5, 0, 0]}, segments: 3, mass: 1,"
      " radius: 0.02, rope_collide: true}\n"
      "  b: {from: {free: [0, 0.015, -0.5]}, to: {free: [0, 0.015, 0.5]}, segments: 3, mass: 1,"
      " radius: 0.01, rope_collide: true}\n");
}

// ---------------------------------------------------------------------------------------------
// Time

// Layers of twenty ropes of twenty elements, each across the one below, on the floor.
static rl_scenario *stack(int elements) {
  enum { PER_LAYER = 20, ELEMENTS = 20, LINE = 256 };
  const int ropes = elements / ELEMENTS;
  const double radius = 0.01, pitch = 0.025, width = PER_LAYER * pitch;
  char *text = malloc((size_t)(ropes + 4) * LINE);
  assert_non_null(text);
  int used = sprintf(text, "name: stack\nduration: 1\nstep: 0.004\nbodies:\n"
                           "  floor: {motion: fixed, friction: 0.5, position: [0, -0.0101, 0],"
                           " shape: {plane: {normal: [0, 1, 0]}}}\nropes:\n");
  for (int i = 0; i < ropes; i++) {
    const double y = 2.04 * radius * (i / PER_LAYER), at = (i % PER_LAYER + 0.5) * pitch;
    const bool across = i / PER_LAYER % 2 == 1;
    used += sprintf(text + used,
                    "  r%d: {from: {free: [%.4f, %.4f, %.4f]}, to: {free: [%.4f, %.4f, %.4f]},"
                    " segments: %d, mass: 0.05, radius: %g, friction: 0.3, rope_collide: true}\n",
                    i, across ? at : 0.0, y, across ? 0.0 : at, across ? at : width, y,
                    across ? width : at, ELEMENTS, radius);
  }
  rl_diagnostic diagnostic;
  rl_scenario *s = rl_scenario_from_text(text, (size_t)used, "stack", NULL, 0, &diagnostic);
  assert_non_null(s);
  free(text);
  return s;
}

// A rope that stands on the floor, a little aslant, and falls on itself.
static rl_scenario *upright(int elements) {
  return scenario_from(
      "name: upright\nduration: 1\nstep: 0.004\nbodies:\n"
      "  floor: {motion: fixed, friction: 0.5, shape: {plane: {normal: [0, 1, 0]}}}\nropes:\n"
      "  r: {from: {free: [0.02, 0.02, 0]}, to: {free: [0, %g, 0]}, segments: %d, mass: %g,"
      " radius: 0.01, friction: 0.3, rope_collide: true}\n",
      0.02 + 0.025 * elements, elements, 0.0025 * elements);
}

// The least time of a step [ms], of this process alone, and the contacts of ropes in it.
static double step_time(rl_scenario *s, const char *spec, uint64_t *contacts) {
  rl_driver *d = driver_for(s, spec, 1.0 / 240.0);
  double least = INFINITY;
  for (int n = 0; n < 60; n++) {
    const clock_t start = clock();
    assert_true(rl_driver_step(d) > 0);
    least = fmin(least, 1e3 * (double)(clock() - start) / CLOCKS_PER_SEC);
  }
  *contacts = 0;
  for (uint64_t i = 0; i < d->state->contact_count; i++) {
    *contacts += rl_is_of_ropes(&d->state->contacts[i]) ? 1 : 0;
  }
  rl_driver_free(d);
  rl_scenario_free(s);
  return least;
}

static void ten_thousand_elements_take_ten_times_as_long_as_a_thousand(void **unused) {
  (void)unused;
  const rl_load before = rl_load_now();
  uint64_t contacts[2];
  const double few = step_time(stack(1000), "pbd", &contacts[0]);
  const double many = step_time(stack(10000), "pbd", &contacts[1]);
  const double sweep = (many - step_time(stack(10000), "pbd,iterations=10", &contacts[1])) / 10.0;
  const double others = rl_load_of_others(before, rl_load_now());
  printf(
      "pbd: 1000 elements %.3g ms, 10000 %.3g ms, %d contacts, a sweep %.3g ms; others used %.0f "
      "%% of the machine\n",
      few, many, (int)contacts[1], sweep, 100.0 * others);
  check_below(many / few, 15.0);
  if (others < rl_idle_share) {
    check_below(many, 20.0);
  }
}

// Elements along a line are few to a cell, however many there are.
static void a_rope_that_falls_on_itself_does_too(void **unused) {
  (void)unused;
  uint64_t contacts;
  const double few = step_time(upright(1000), "pbd", &contacts);
  const double many = step_time(upright(10000), "pbd", &contacts);
  printf("pbd: 1000 elements %.3g ms, 10000 %.3g ms\n", few, many);
  check_below(many / few, 15.0);
}

int main(int argc, char **argv) {
  const struct CMUnitTest slow[] = {
      cmocka_unit_test(ten_thousand_elements_take_ten_times_as_long_as_a_thousand),
      cmocka_unit_test(a_rope_that_falls_on_itself_does_too),
      cmocka_unit_test(a_knot_holds),
  };
  if (argc > 1 && strcmp(argv[1], "long") == 0) {
    knot_stride = 1;
    return cmocka_run_group_tests(slow, NULL, NULL);
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(segments_are_nearest_where_a_search_finds_it),
      cmocka_unit_test(beside_each_other_they_touch_in_the_middle),
      cmocka_unit_test(rows_have_the_gradients_of_their_values),
      cmocka_unit_test(overlap_is_refused),
      cmocka_unit_test(a_falling_rope_piles_up),
      cmocka_unit_test(one_rope_carries_another),
      cmocka_unit_test(crossed_ropes_slide_at_the_angle_of_friction),
      cmocka_unit_test(contacts_of_ropes_keep_momentum),
      cmocka_unit_test(the_row_is_where_ropes_meet),
      cmocka_unit_test(fast_ropes_do_not_pass_through),
      cmocka_unit_test(a_knot_holds),
      cmocka_unit_test(kept_pairs_are_those_that_are_found),
      cmocka_unit_test(too_many_contacts_stop_the_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
