// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies that hit bodies: they land, bounce, collide and keep momentum.
#include "check.h"

#include <string.h>

// What every scenario needs: a rope, out of the way.
#define ROPE "ropes: {r: {from: {point: [0, 50, 0]}, to: {point: [0, 49, 0]}, slack: 0.1}}\n"

static const char *const landing[] = {"penalty",
                                      "penalty,integrator=verlet",
                                      "penalty,integrator=rk4",
                                      "penalty-implicit",
                                      "pbd",
                                      "xpbd",
                                      "pbd-direct",
                                      "impulse",
                                      "rattle"};

// A box falls half a metre, flat, and rests: nothing is left of its energy, and the ledger knows
// where it went.
static void a_load_lands(void **unused) {
  (void)unused;
  static const char *const grounds[] = {
      "{position: [0, 0, 0], shape: {plane: {normal: [0, 1, 0]}}",
      "{position: [0, -0.1, 0], shape: {box: {size: [3, 0.2, 3]}}"};
  for (size_t g = 0; g < 2; g++) {
    for (size_t i = 0; i < sizeof landing / sizeof landing[0]; i++) {
      rl_scenario *s =
          scenario_from("name: land\nduration: 1\nstep: 0.01\nbodies:\n"
                        "  ground: %s, motion: fixed, rope_collide: false, friction: 0.4}\n"
                        "  load: {mass: 2.385, position: [0, 0.6, 0], rope_collide: false,"
                        " shape: {box: {size: [0.4, 0.2, 0.3]}}}\n" ROPE,
                        grounds[g]);
      rl_driver *d = driver_for(s, landing[i], 1.0 / 240.0);
      double deepest = 0.0;
      for (int n = 0; n < 240; n++) {
        assert_true(rl_driver_step(d) > 0);
        deepest = rl_larger(deepest, rl_metrics_of(d).penetration_max);
      }
      const double lost = 2.385 * 9.81 * 0.5;
      print_message("%s: depth %.2g m, speed %.2g m/s, energy error %.2g of %.3g J\n", landing[i],
                    deepest, probe(d, "load.speed"), rl_driver_energy_error(d), lost);
      // Springs go as deep as they come within a substep, and lie on what they push with.
      const bool springs = strncmp(landing[i], "penalty,", 8) == 0 || i == 0;
      check_below(deepest, springs ? 2e-3 : 1e-5);
      check_near(probe(d, "load.y"), 0.1, springs ? 1e-4 : 1e-5);
      check_below(probe(d, "load.speed"), strcmp(landing[i], "xpbd") == 0 ? 2e-3 : 1e-5);
      check_relative(d->state->dissipated, lost, strcmp(landing[i], "xpbd") == 0 ? 0.05 : 0.02);
      double weight = 0.0;
      for (size_t c = 0; c < d->state->contact_count; c++) {
        weight += d->state->multipliers[d->model->link_count + c];
      }
      check_relative(weight, 2.385 * 9.81, 1e-4);
      rl_driver_free(d);
      rl_scenario_free(s);
    }
  }
}

// (12a) of pbd-direct.md: a ball that falls on to a rough slope in any way slides, or rolls at
// once, and every step settles. Friction acts through the point of contact: along the slope the
// momentum about it, v + 2/5 r w x n, knows nothing of it, and rolling has 5/7 of that.
static void random_landings_settle(void **unused) {
  (void)unused;
  static const char *const specs[] = {"pbd-direct", "rattle"};
  static const double steps[] = {1.0 / 240.0, 0.001};
  const double r = 0.1;
  uint64_t seed = 1;
  for (int n = 0; n < 240; n++) {
    const rl_vec3 v = random_in_cube(&seed, 2.0), spin = random_in_cube(&seed, 8.0);
    const double friction = between(&seed, 0.3, 0.8), slope = between(&seed, -0.4, 0.4);
    const double height = between(&seed, 0.01, 0.3), dt = steps[n % 2];
    rl_scenario *s = scenario_from(
        "name: land\ngravity: [%.17g, %.17g, 0]\nduration: 1\nstep: 0.01\nbodies:\n"
        "  slope: {motion: fixed, friction: %.17g, rope_collide: false,"
        " shape: {plane: {normal: [0, 1, 0]}}}\n"
        "  load: {mass: 1.3, position: [0, %.17g, 0], velocity: [%.17g, %.17g, %.17g],"
        " spin: [%.17g, %.17g, %.17g], rope_collide: false, shape: {sphere: {radius: "
        "%.17g}}}\n" ROPE,
        9.81 * sin(slope), -9.81 * cos(slope), friction, r + height, v.x, -fabs(v.y), v.z, spin.x,
        spin.y, spin.z, r);
    rl_driver *d = driver_for(s, specs[n / 2 % 2], dt);
    int unsettled = 0;
    while (d->state->time < 1.5) {
      assert_true(rl_driver_step(d) > 0);
      unsettled += rl_driver_is_unsettled(d);
    }
    assert_int_equal(unsettled, 0);
    const double along = v.x + 0.4 * r * -spin.z + 9.81 * sin(slope) * d->state->time;
    check_near(probe(d, "load.vx"), 5.0 / 7.0 * along, 1e-9);
    check_near(probe(d, "load.vz"), 5.0 / 7.0 * (v.z + 0.4 * r * spin.x), 1e-9);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

static const char *const bouncers[] = {"penalty",    "penalty-implicit", "pbd",   "xpbd",
                                       "pbd-direct", "impulse",          "rattle"};
enum { BOUNCERS = sizeof bouncers / sizeof bouncers[0] };

// A ball that falls from h bounces to e^2 h; the larger e of the two counts.
static void balls_bounce(void **unused) {
  (void)unused;
  for (size_t i = 0; i < BOUNCERS; i++) {
    rl_scenario *s = scenario_from(
        "name: bounce\nduration: 1\nstep: 0.01\nbodies:\n"
        "  ground: {motion: fixed, restitution: 0.7, rope_collide: false,"
        " shape: {plane: {normal: [0, 1, 0]}}}\n"
        "  ball: {mass: 2.385, position: [0, 1.1, 0], restitution: 0.3, rope_collide: false,"
        " shape: {sphere: {radius: 0.1}}}\n" ROPE);
    rl_driver *d = driver_for(s, bouncers[i], 0.001);
    double highest = 0.0;
    for (int n = 0; n < 800; n++) {
      assert_true(rl_driver_step(d) > 0);
      highest = probe(d, "ball.vy") > 0.0 ? fmax(highest, probe(d, "ball.y") - 0.1) : highest;
    }
    print_message("%s: bounces to %.6f of %.6f m\n", bouncers[i], highest, 0.49);
    check_relative(highest, 0.49, strcmp(bouncers[i], "rattle") == 0 ? 1e-5 : 0.01);
    check_relative(d->state->dissipated, 2.385 * 9.81 * (1.0 - 0.49), 0.01);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// Two spheres in free space meet head-on: exact velocities, momentum to rounding.
static void spheres_collide(void **unused) {
  (void)unused;
  const double m1 = 1.3, m2 = 2.385, v1 = 2.1, v2 = -0.7;
  static const double restitutions[] = {0.0, 0.6, 1.0};
  for (size_t r = 0; r < 3; r++) {
    const double e = restitutions[r];
    for (size_t i = 0; i < BOUNCERS; i++) {
      rl_scenario *s = scenario_from(
          "name: hit\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\nbodies:\n"
          "  a: {mass: %.17g, position: [-1, 0, 0], velocity: [%.17g, 0, 0], restitution: %.17g,"
          " rope_collide: false, shape: {sphere: {radius: 0.1}}}\n"
          "  b: {mass: %.17g, velocity: [%.17g, 0, 0], rope_collide: false,"
          " shape: {sphere: {radius: 0.2}}}\n" ROPE,
          m1, v1, e, m2, v2);
      rl_driver *d = driver_for(s, bouncers[i], 1.0 / 240.0);
      take_steps(d, 240);
      const double together = (m1 * v1 + m2 * v2) / (m1 + m2);
      const double parting = probe(d, "b.vx") - probe(d, "a.vx");
      if (i == 0 && e == 0.0) { // springs push out what the hit left them, (6) of bodies.md
        print_message("penalty: thrown back with %.3g of %.3g m/s\n", parting, v1 - v2);
        check_below(parting, 0.07 * (v1 - v2));
      } else {
        check_near(parting, e * (v1 - v2), i == 1 ? 1e-5 : 1e-8);
      }
      check_near(probe(d, "a.vx"), together - m2 / (m1 + m2) * parting, 1e-8);
      check_near(m1 * probe(d, "a.vx") + m2 * probe(d, "b.vx"), m1 * v1 + m2 * v2,
                 i == 1 ? 1e-11 : 1e-12); // that of penalty-implicit is what its tolerance leaves
      check_near(probe(d, "a.vy"), 0.0, 1e-12);
      rl_driver_free(d);
      rl_scenario_free(s);
    }
  }
}

// How deep bodies are in each other where the next step will find them, which can be elsewhere than
// where they touched in the last one [m].
static double depth_found(const rl_driver *d) {
  rl_detect(d->model, d->state, d->dt, d->rows);
  return rl_metrics_of(d).penetration_max;
}

// (8a), (8b) Things with ends or rims that coincide: what lands or slides there without friction
// keeps its energy or loses it.
static void coincident_things_gain_nothing(void **unused) {
  (void)unused;
  static const char *const specs[] = {"pbd", "xpbd", "pbd-direct", "impulse", "rattle"};
  static const struct {
    const char *below, *below_turn, *above, *above_turn;
    double height, fall, vx, vz; // of the middle of what lies above, touching [m], [m/s]
  } known[] = {
      {"cylinder: {radius: 0.22, length: 0.6}", "[0, 0, 0]", "box: {size: [0.3576, 0.2261, 0.6]}",
       "[0, 0, 0]", 0.33305, 4.19, 0.3, 0.0},
      {"cylinder: {radius: 0.22, length: 0.6}", "[0, 0, 0]", "box: {size: [0.3576, 0.2261, 0.6]}",
       "[0, 0, 0]", 0.33305, 4.19, 1.0, 0.0},
      {"cylinder: {radius: 0.2, length: 0.3}", "[1.5707963267948966, 0, 0]",
       "cylinder: {radius: 0.2, length: 0.3}", "[1.5707963267948966, 0, 0]", 0.3, 0.0, 0.0, 0.3},
      {"cylinder: {radius: 0.2, length: 0.4}", "[1.5707963267948966, 0, 0]",
       "cylinder: {radius: 0.1, length: 0.4}", "[0, 0, 0]", 0.3, 0.0, 1.0, 1.0},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    for (size_t n = 0; n < sizeof specs / sizeof specs[0]; n++) {
      rl_scenario *s = scenario_from(
          "name: land\nduration: 1\nstep: 0.01\nbodies:\n"
          "  below: {motion: fixed, friction: 0, rope_collide: false, rotation: %s, shape: {%s}}\n"
          "  above: {mass: 1.3, friction: 0, rope_collide: false, position: [0, %.17g, 0],"
          " velocity: [%.17g, %.17g, %.17g], rotation: %s, shape: {%s}}\n" ROPE,
          known[i].below_turn, known[i].below,
          known[i].height + (known[i].fall > 0.0 ? 0.067 : 0.0), known[i].vx, -known[i].fall,
          known[i].vz, known[i].above_turn, known[i].above);
      rl_driver *d = driver_for(s, specs[n], 0.002);
      double lowest = INFINITY, gained = 0.0;
      for (int step = 0; step < 150; step++) {
        assert_true(rl_driver_step(d) > 0);
        const double energy = rl_metrics_of(d).energy_total;
        lowest = fmin(lowest, energy);
        gained = fmax(gained, energy - lowest);
      }
      print_message("%zu %s: gained %.2g J\n", i, specs[n], gained);
      check_below(gained, 3e-3);
      rl_driver_free(d);
      rl_scenario_free(s);
    }
  }
}

// Turns of what rests on a rim or tips over it, between those of the places of the rim.
enum { TURNS = 4 };

static double turn_of(int i) { return 0.1 + 0.4 * i; }

// Checks that "above" stays where it is for 0.3 s, with methods that solve for all rows at once.
static void check_rest(const rl_scenario *s) {
  static const char *const specs[] = {"pbd-direct", "impulse-direct", "rattle", "convex",
                                      "reference"};
  for (size_t n = 0; n < sizeof specs / sizeof specs[0]; n++) {
    rl_driver *d = driver_for(s, specs[n], 0.002);
    const rl_vec3 start = rl_vec(probe(d, "above.x"), probe(d, "above.y"), probe(d, "above.z"));
    take_steps(d, 150);
    const double moved =
        rl_distance(rl_vec(probe(d, "above.x"), probe(d, "above.y"), probe(d, "above.z")), start);
    print_message("%s: moved by %.2g m\n", specs[n], moved);
    check_below(moved, 2e-8);
    rl_driver_free(d);
  }
}

// (8c) A weight acts nine tenths of the radius off the axis of an upright cylinder: that of a box
// that lies on it without friction, or that of the cylinder, on a slope. Nothing moves.
static void weights_rest_near_the_rim(void **unused) {
  (void)unused;
  for (int i = 0; i < TURNS; i++) {
    const double x = cos(turn_of(i)), z = sin(turn_of(i));
    rl_scenario *box = scenario_from(
        "name: rest\nduration: 1\nstep: 0.01\nbodies:\n"
        "  below: {motion: fixed, friction: 0, rope_collide: false,"
        " rotation: [1.5707963267948966, 0, 0], shape: {cylinder: {radius: 0.2, length: 0.3}}}\n"
        "  above: {mass: 1.3, friction: 0, rope_collide: false, position: [%.17g, 0.25, %.17g],"
        " shape: {box: {size: [0.8, 0.2, 0.8]}}}\n" ROPE,
        0.18 * x, 0.18 * z);
    check_rest(box);
    rl_scenario_free(box);
    const double slope = atan(0.45);
    const rl_vec3 n = rl_vec(sin(slope) * x, cos(slope), sin(slope) * z);
    const double turn = acos(n.z) / hypot(n.x, n.y);
    rl_scenario *cylinder =
        scenario_from("name: rest\nduration: 1\nstep: 0.01\nbodies:\n"
                      "  below: {motion: fixed, friction: 0.6, rope_collide: false,"
                      " shape: {plane: {normal: [%.17g, %.17g, %.17g]}}}\n"
                      "  above: {mass: 1.3, friction: 0.6, rope_collide: false,"
                      " position: [%.17g, %.17g, %.17g], rotation: [%.17g, %.17g, 0],"
                      " shape: {cylinder: {radius: 0.1, length: 0.4}}}\n" ROPE,
                      n.x, n.y, n.z, 0.2 * n.x, 0.2 * n.y, 0.2 * n.z, -turn * n.y, turn * n.x);
    check_rest(cylinder);
    rl_scenario_free(cylinder);
  }
}

// (8c) A box slides off an upright cylinder without friction, and tips over its rim.
static void what_tips_over_a_rim_gains_nothing(void **unused) {
  (void)unused;
  static const char *const specs[] = {"pbd",     "xpbd",           "pbd-direct",
                                      "impulse", "impulse-direct", "rattle"};
  for (int i = 0; i < TURNS; i++) {
    rl_scenario *s = scenario_from(
        "name: slide\nduration: 1\nstep: 0.01\nbodies:\n"
        "  below: {motion: fixed, friction: 0, rope_collide: false,"
        " rotation: [1.5707963267948966, 0, 0], shape: {cylinder: {radius: 0.2, length: 0.3}}}\n"
        "  above: {mass: 1.3, friction: 0, rope_collide: false, position: [0, 0.25, 0],"
        " velocity: [%.17g, 0, %.17g], shape: {box: {size: [0.4, 0.2, 0.4]}}}\n" ROPE,
        0.5 * cos(turn_of(i)), 0.5 * sin(turn_of(i)));
    for (size_t n = 0; n < sizeof specs / sizeof specs[0]; n++) {
      rl_driver *d = driver_for(s, specs[n], 0.002);
      double lowest = INFINITY, gained = 0.0;
      for (int step = 0; step < 400; step++) {
        assert_true(rl_driver_step(d) > 0);
        const double energy = rl_metrics_of(d).energy_total;
        lowest = fmin(lowest, energy);
        gained = fmax(gained, energy - lowest);
      }
      print_message("%.1f %s: gained %.2g J\n", turn_of(i), specs[n], gained);
      check_below(gained, 2e-4);
      rl_driver_free(d);
    }
    rl_scenario_free(s);
  }
}

// All kinds of bodies hit each other off their centres, with friction: momentum stays to rounding,
// energy does not grow (with xpbd by a little) but by the work P C/h with which an impulse P pushes
// out the depth C that a step has found, and angular momentum stays where the method keeps it.
static void collisions_keep_momentum(void **unused) {
  (void)unused;
  static const struct {
    const char *spec;
    double angular; // [kg m^2/s]
    double gain;    // of energy in a step [J]
  } known[] = {{"pbd", 1e-2, 1e-4},      {"xpbd", 2e-3, 0.05},    {"pbd-direct", 1e-12, 1e-4},
               {"impulse", 1e-12, 1e-4}, {"rattle", 1e-12, 1e-4}, {"penalty", 1e-12, INFINITY}};
  static const char *const shapes[] = {
      "sphere: {radius: 0.2}", "capsule: {radius: 0.1, length: 0.4}",
      "cylinder: {radius: 0.15, length: 0.3}", "box: {size: [0.3, 0.2, 0.4]}",
      "hull: {points: [[0.2, 0.2, 0.2], [-0.2, -0.2, 0.2], [-0.2, 0.2, -0.2], [0.2, -0.2, -0.2]]}"};
  enum { SHAPES = sizeof shapes / sizeof shapes[0] };
  for (size_t i = 0; i < SHAPES; i++) {
    for (size_t k = 0; k < SHAPES; k++) {
      rl_scenario *s = scenario_from(
          "name: hits\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\nbodies:\n"
          "  a: {mass: 1.3, position: [-1, 0.02, 0.01], velocity: [2, 0.1, 0], rotation: [0.2,"
          " 0.5, 0.1], friction: 0.3, rope_collide: false, shape: {%s}}\n"
          "  b: {mass: 2.385, velocity: [-0.3, 0, 0.1], spin: [0.1, 0.4, 0.3],"
          " rope_collide: false, shape: {%s}}\n" ROPE,
          shapes[i], shapes[k]);
      for (size_t n = 0; n < sizeof known / sizeof known[0]; n++) {
        rl_driver *d = driver_for(s, known[n].spec, 1.0 / 240.0);
        const rl_metrics start = rl_metrics_of(d);
        const double speed = probe(d, "b.vx");
        const uint32_t slot = rl_body_slot(d->model, 1);
        double energy = start.energy_total;
        for (int step = 0; step < 240; step++) {
          const double depth = depth_found(d);
          const rl_vec3 before = d->state->velocities[slot];
          assert_true(rl_driver_step(d) > 0);
          const rl_metrics now = rl_metrics_of(d);
          const double push = 2.385 * rl_distance(d->state->velocities[slot], before);
          if (n < 5) { // springs hold some for a while
            check_below(now.energy_total, energy + known[n].gain + push * depth / d->dt);
          }
          energy = now.energy_total;
        }
        const rl_metrics end = rl_metrics_of(d);
        if (n == 5) {
          check_near(rl_driver_energy_error(d), 0.0, 1e-3);
        }
        assert_true(fabs(probe(d, "b.vx") - speed) > 0.1); // they have met
        check_near(rl_distance(end.momentum.linear, start.momentum.linear), 0.0,
                   1e-12 * start.momentum_scale);
        check_near(rl_distance(end.momentum.angular, start.momentum.angular), 0.0,
                   known[n].angular);
        rl_driver_free(d);
      }
      rl_scenario_free(s);
    }
  }
}

// A load on a rope over an eye goes down until it stands on the ground: the rope goes slack, the
// counterweight rises on and falls back.
static void a_load_on_a_rope_lands(void **unused) {
  (void)unused;
  for (size_t i = 0; i < sizeof landing / sizeof landing[0]; i++) {
    rl_scenario *s = scenario_from(
        "name: land\nduration: 1\nstep: 0.01\nbodies:\n"
        "  ground: {motion: fixed, rope_collide: false, shape: {plane: {normal: [0, 1, 0]}}}\n"
        "  load: {mass: 2, position: [-0.5, 0.3, 0], rope_collide: false,"
        " shape: {box: {size: [0.2, 0.2, 0.2]}}}\n"
        "  other: {mass: 1, position: [0.5, 1, 0]}\n"
        "ropes: {line: {from: {body: load}, to: {body: other}, over: [{eye: [-0.5, 3, 0]},"
        " {eye: [0.5, 3, 0]}]}}\n");
    rl_driver *d = driver_for(s, landing[i], 1.0 / 480.0);
    const double a = 9.81 / 3.0, t = sqrt(2.0 * 0.2 / a), v = a * t; // until it lands
    double slack = -1.0;
    for (int n = 0; n < 480; n++) {
      assert_true(rl_driver_step(d) > 0);
      if (slack < 0.0 && d->state->time > t + 0.01) {
        slack = probe(d, "line.tension");
        check_near(slack, 0.0, 1e-9);
        check_relative(probe(d, "other.vy"), v - 9.81 * (d->state->time - t), 0.05);
      }
      check_below(rl_metrics_of(d).penetration_max, i < 3 ? 2e-4 : 1e-6);
    }
    check_near(probe(d, "load.y"), 0.1, 0.02); // it is pulled up a little when the rope catches
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_load_lands),
      cmocka_unit_test(random_landings_settle),
      cmocka_unit_test(balls_bounce),
      cmocka_unit_test(spheres_collide),
      cmocka_unit_test(collisions_keep_momentum),
      cmocka_unit_test(coincident_things_gain_nothing),
      cmocka_unit_test(weights_rest_near_the_rim),
      cmocka_unit_test(what_tips_over_a_rim_gains_nothing),
      cmocka_unit_test(a_load_on_a_rope_lands),
  };
  return cmocka_run_group_tests_name("landing", tests, NULL, NULL);
}
