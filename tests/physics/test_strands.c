// SPDX-License-Identifier: GPL-3.0-or-later
// Strands of massless ropes between wraps that stick, of methods that solve them together.
// Equation numbers are those of papers/strands.md unless another note is named.
#include "check.h"

#include <math.h>
#include <stdio.h>

static const char *const methods[] = {"pbd", "xpbd", "impulse", "impulse-soft"};
enum { METHODS = sizeof methods / sizeof methods[0] };

// A block hangs in four strands over sheaves that stick, and the hand holds the end: statics gives
// the sum of the tensions, friction holds what each has. Two seconds long they stay as they are.
static void tackle_at_rest_keeps_its_tensions(void **unused) {
  (void)unused;
  static const char *const strands[] = {"fall.tension.from", "fall.tension.1", "fall.tension.2",
                                        "fall.tension.3", "fall.tension.to"};
  rl_scenario *s = scenario_from(
      "name: tackle\nduration: 3\nstep: 0.004\nbodies:\n"
      "  top: {motion: fixed, friction: 0.1, shape: [\n"
      "    {name: a, cylinder: {radius: 0.1, length: 0.04}, at: [0.3, 0, 0]},\n"
      "    {name: b, cylinder: {radius: 0.1, length: 0.04}, at: [0.7, 0, 0]}]}\n"
      "  block: {mass: 4.5, inertia: [1e7, 1e7, 1e3], position: [0.3, -2, 0], friction: 0.1,\n"
      "    collide: false, shape: [\n"
      "    {name: a, cylinder: {radius: 0.1, length: 0.04}, at: [-0.2, 0, 0]},\n"
      "    {name: b, cylinder: {radius: 0.1, length: 0.04}, at: [0.2, 0, 0]}]}\n"
      "  hand: {mass: 1.2, position: [0.8, -1, 0]}\n"
      "ropes: {fall: {from: {point: [0, 0, 0]}, to: {body: hand}, over: [\n"
      "  {body: block, part: a, side: [0, -1, 0]}, {body: top, part: a},\n"
      "  {body: block, part: b, side: [0, -1, 0]}, {body: top, part: b}]}}\n");
  const double share = 4.5 * 9.81 / 4.0, largest = exp(0.1 * acos(-1.0));
  for (size_t m = 0; m < METHODS; m++) {
    rl_driver *d = driver_for(s, methods[m], 1.0 / 240.0);
    for (int n = 0; n < 480; n++) {
      take_steps(d, 1);
      double sum = 0.0;
      for (size_t k = 0; k < 4; k++) {
        const double tension = probe(d, strands[k]), next = probe(d, strands[k + 1]);
        sum += tension;
        check_near(tension, share, 0.01);
        check_below(fmax(tension / next, next / tension), largest);
      }
      check_near(sum, 4.0 * share, 1e-4);
      check_near(probe(d, strands[4]), 1.2 * 9.81, 1e-4);
    }
    check_below(fabs(probe(d, "block.vy")), 1e-9);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// A slack rope catches a load over a wheel of a fiftieth of its mass that sticks to it: what falls
// is lost, and nothing is thrown back, since both strands are caught together.
static void light_wheels_catch_without_a_throw(void **unused) {
  (void)unused;
  static const double masses[] = {2.0, 0.2, 0.002};
  for (size_t w = 0; w < 3; w++) {
    rl_scenario *s =
        scenario_from("name: catch\nduration: 1\nstep: 0.004\nbodies:\n"
                      "  wheel: {motion: axle, mass: %.17g, position: [0, 2, 0], friction: 0.7,"
                      " shape: {cylinder: {radius: 0.2, length: 0.3}}}\n"
                      "  load: {mass: 10, position: [0.2, 0, 0]}\n"
                      "ropes: {line: {from: {point: [-2, 0.5, 0]}, to: {body: load}, over: "
                      "[wheel], slack: 0.1}}\n",
                      masses[w]);
    for (size_t m = 0; m < METHODS; m++) {
      rl_driver *d = driver_for(s, methods[m], 1.0 / 240.0);
      const double start = probe(d, "load.y");
      bool caught = false;
      for (int n = 0; n < 120; n++) {
        take_steps(d, 1);
        caught = caught || probe(d, "line.tension.to") > 0.0;
        check_below(rl_driver_energy_error(d), 1e-3);
        if (caught) {
          check_below(probe(d, "load.vy"), 0.02);
          check_below(probe(d, "load.y"), start - 0.08);
        }
      }
      assert_true(caught);
      check_near(d->state->dissipated, 9.81, 0.3);
      rl_driver_free(d);
    }
    rl_scenario_free(s);
  }
}

// The same in a row of 25 wheels of 10 g, over and under: 26 strands are one system.
static void rows_of_light_wheels_are_one_system(void **unused) {
  (void)unused;
  char bodies[4000], over[2000];
  int used = 0, said = 0;
  for (int i = 0; i < 25; i++) {
    const bool above = i % 2 == 0;
    used += snprintf(bodies + used, sizeof bodies - (size_t)used,
                     "  w%d: {motion: axle, mass: 0.01, position: [%.2f, %.2f, 0], friction: 2,"
                     " shape: {cylinder: {radius: 0.1, length: 0.2}}}\n",
                     i, 0.5 * i - 0.5, above && i > 0 ? 0.15 : 0.0);
    said += snprintf(over + said, sizeof over - (size_t)said, "%s{body: w%d, side: [0, %d, 0]}",
                     i > 0 ? ", " : "", i, above ? 1 : -1);
  }
  rl_scenario *s = scenario_from(
      "name: row\nduration: 1\nstep: 0.004\nbodies:\n%s"
      "  a: {mass: 2, position: [-0.6, -1, 0]}\n  b: {mass: 1, position: [11.6, -1, 0]}\n"
      "ropes: {line: {from: {body: a}, to: {body: b}, slack: 0.1, over: [%s]}}\n",
      bodies, over);
  for (size_t m = 0; m < METHODS; m++) {
    rl_driver *d = driver_for(s, methods[m], 0.004);
    for (int n = 0; n < 200; n++) {
      take_steps(d, 1);
      check_below(rl_driver_energy_error(d), 0.05);
    }
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// Weights run over rough bodies on axles with some slack, and are caught once or twice. Until the
// whole rope is taut nothing pulls, though a piece that gets shorter is too long at the start of
// that step: drawn in within the first substep it brought in 11 J of 81 J, and 19 J of 240 J.
static void nothing_pulls_before_a_rope_is_taut(void **unused) {
  (void)unused;
  static const char *const scenes[] = {
      "name: boxes\nduration: 2\nstep: 0.004\nbodies:\n"
      "  w0: {motion: axle, mass: 1.28, position: [0.7306, -0.0320, 0], rotation: [0, 0, 1.128],"
      " shape: {box: {size: [0.435, 0.348, 0.5]}}, friction: 0.5}\n"
      "  w1: {motion: axle, mass: 1.33, position: [1.4447, -0.0886, 0], rotation: [0, 0, 1.338],"
      " shape: {box: {size: [0.380, 0.304, 0.5]}}, friction: 0.5}\n"
      "  b: {mass: 3.44, position: [1.9060, -2.4180, 0]}\n"
      "  a: {mass: 5.70, position: [0.2139, -0.8069, 0]}\n"
      "ropes: {line: {from: {body: a}, to: {body: b}, over: [{body: w0, side: [0, 1, 0]},"
      " {body: w1, side: [0, 1, 0]}]}}\n",
      "name: box\nduration: 2\nstep: 0.004\nbodies:\n"
      "  w0: {motion: axle, mass: 3.17, position: [0.7541, 0.0046, 0], rotation: [0, 0, 0.944],"
      " shape: {box: {size: [0.574, 0.459, 0.5]}}, friction: 0.8}\n"
      "  w1: {motion: axle, mass: 3.24, position: [1.6449, -0.1779, 0], friction: 0.8,"
      " shape: {cylinder: {radius: 0.250, length: 0.5}}}\n"
      "  b: {mass: 2.29, position: [1.9874, -0.9786, 0], shape: {sphere: {radius: 0.1}},"
      " rope_collide: false}\n"
      "  a: {mass: 5.14, position: [0.0862, -2.1139, 0]}\n"
      "ropes: {line: {from: {body: a}, to: {body: b}, slack: 0.131,"
      " over: [{body: w0, side: [0, 1, 0]}, {body: w1, side: [0, 1, 0]}]}}\n"};
  static const char *const substepped[] = {"xpbd", "impulse-soft"};
  for (size_t i = 0; i < 4; i++) {
    rl_scenario *s = scenario_from("%s", scenes[i / 2]);
    rl_driver *d = driver_for(s, substepped[i % 2], 1.0 / 240.0);
    for (int n = 0; n < 480; n++) {
      take_steps(d, 1);
      check_below(rl_driver_energy_error(d), 1e-3 * d->energy_scale);
    }
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// Two weights come to rest over two rough boxes and a light wheel between them, which nothing
// turns: the two strands beside it ask for the same, but for 1e-8 m, and keep the tension with
// which they stopped. Solved without (3b), `impulse-direct` has 0.005 N there, and the boxes hold
// 68 N.
static void strands_that_contradict_each_other_keep_their_tensions(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: between\nduration: 1\nstep: 0.001\nbodies:\n"
      "  a: {motion: fixed, position: [0, -0.002664, 0], friction: 0.989,"
      " shape: {box: {size: [0.2913, 0.2465, 0.3]}}}\n"
      "  b: {motion: axle, mass: 0.07397, spin: [0, 0, 1.75], position: [1.167, -0.03105, 0],"
      " friction: 0.594, shape: {prism: {radius: 0.2372, length: 0.3, sides: 7}}}\n"
      "  c: {motion: fixed, position: [2.049, 0.01674, 0], friction: 0.665,"
      " shape: {box: {size: [0.1995, 0.1688, 0.3]}}}\n"
      "  m: {mass: 2.308, position: [2.223, -0.6668, 0], velocity: [0, -1.85, 0]}\n"
      "  l: {mass: 7.017, position: [-0.2441, -0.7263, 0], velocity: [0, 0.87, 0]}\n"
      "ropes: {line: {from: {body: l}, to: {body: m}, over: [{body: a, side: [0, 1, 0]},"
      " {body: b, side: [0, 1, 0]}, {body: c, side: [0, 1, 0]}]}}\n");
  rl_driver *apart = driver_for(s, "impulse", 1e-3),
            *together = driver_for(s, "impulse-direct", 1e-3);
  for (int n = 0; n < 300; n++) {
    take_steps(apart, 1);
    take_steps(together, 1);
    check_near(probe(together, "line.tension.after.a"), probe(apart, "line.tension.after.a"), 1e-3);
    check_near(probe(together, "line.tension.before.c"), probe(apart, "line.tension.before.c"),
               1e-3);
  }
  check_relative(probe(together, "line.tension.from"), 7.017 * 9.81, 0.02);
  rl_driver_free(apart);
  rl_driver_free(together);
  rl_scenario_free(s);
}

// Two and three ropes over a wheel that grips, one of which is caught after it hung slack. One rope
// after the other, the wheel would be thrown to and fro: 15 to 47 J with `xpbd`.
static void ropes_over_one_wheel_are_one_system(void **unused) {
  (void)unused;
  static const char *const thirds[] = {"", "  b1: {mass: 9.56, position: [0.2852, -1.7699, 0]}\n"};
  static const char *const ropes[] = {
      "", "  r1: {from: {point: [-0.8610, -1.9510, 0]}, to: {body: b1}, over: [wheel]}\n"};
  for (size_t i = 0; i < 2; i++) {
    rl_scenario *s = scenario_from(
        "name: wheel\nduration: 1.2\nstep: 0.004\nbodies:\n"
        "  wheel: {motion: axle, mass: 1.4315, position: [0, 0, 0], friction: 0.5,"
        " shape: {cylinder: {radius: 0.285, length: 1}}}\n"
        "  b0: {mass: 1.60, position: [0.2852, -1.5562, -0.3]}\n"
        "  a0: {mass: 4.23, position: [-0.2852, -1.0491, -0.3]}\n%s"
        "  b2: {mass: 8.31, position: [0.2852, -1.0915, 0.3]}\n"
        "ropes:\n  r0: {from: {body: a0}, to: {body: b0}, over: [wheel]}\n%s"
        "  r2: {from: {point: [-0.5875, -1.2740, 0.3]}, to: {body: b2}, over: [wheel],"
        " slack: 0.183}\n",
        thirds[i], ropes[i]);
    for (size_t m = 0; m < METHODS; m++) {
      for (double step = 0.004; step > 0.0004; step *= 0.5) {
        rl_driver *d = driver_for(s, methods[m], step);
        for (double t = 0.0; t < 1.2; t += step) {
          take_steps(d, 1);
          check_below(fabs(rl_driver_energy_error(d)), 0.4 * step / 0.004);
        }
        rl_driver_free(d);
      }
    }
    rl_scenario_free(s);
  }
}

// A load hangs from a light wheel that a belt holds: the tensions beside the wheel differ by the
// weight of the load, as both pull at the same lever. Taken one after the other, 7.7 N of 29.4 N
// hang on the wheel in the first step, and 35 N at the end.
static void what_is_tied_to_a_wheel_is_solved_with_its_belt(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: hoist\nduration: 1\nstep: 0.001\nbodies:\n"
      "  drum: {motion: fixed, shape: {cylinder: {radius: 0.1, length: 0.2}}}\n"
      "  wheel: {motion: axle, mass: 0.1, position: [1, 0, 0], shape: {cylinder: {radius: 0.15,"
      " length: 0.3}}}\n"
      "  idler: {mass: 3, position: [0.5, -0.6, 0]}\n"
      "  load: {mass: 3, position: [1.15, -1, 0]}\n"
      "ropes:\n"
      "  belt: {closed: true, over: [{body: idler, at: [0, 0, 0], friction: 0}, wheel, drum],"
      " friction: 0.4}\n"
      "  lift: {from: {body: load}, to: {body: wheel, at: [0.15, 0, 0]}}\n");
  const double weight = 3.0 * 9.81;
  for (size_t m = 0; m < METHODS; m++) {
    rl_driver *d = driver_for(s, methods[m], 0.001);
    for (int n = 0; n < 300; n++) {
      take_steps(d, 1);
      const double before = probe(d, "belt.tension.before.wheel");
      check_near(probe(d, "belt.tension.after.wheel") - before, weight, 1e-3 * weight);
      check_near(probe(d, "lift.tension"), weight, 1e-3 * weight);
    }
    check_near(probe(d, "load.y"), -1.0, 1e-4);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// (21), (22) and (4d) of papers/penalty.md: springs of several ropes over a light rough wheel. What
// a rope that slips does to the wheel goes into the springs of the others and comes back within a
// step: without them up to 0.84 of all energy comes in, or a run diverges. A wheel of 6 g under
// four ropes is more than one substep can bear if each has the spring of a rope of its own.
static void springs_over_light_wheels_gain_nothing(void **unused) {
  (void)unused;
  static const char *const scenes[] = {
      "  wheel: {motion: axle, mass: 0.1505, friction: 0.5, shape: {cylinder: {radius: 0.2555,"
      " length: 2}}}\n"
      "  b0: {mass: 5.78, position: [0.2555, -0.6825, -0.15]}\n"
      "  a0: {mass: 5.49, position: [-0.2555, -1.5425, -0.15]}\n"
      "  b1: {mass: 8.28, position: [0.2555, -0.9026, 0.15]}\n"
      "  a1: {mass: 8.92, position: [-0.2555, -1.8416, 0.15]}\n"
      "ropes:\n"
      "  r0: {from: {body: a0}, to: {body: b0}, over: [wheel], slack: 0.14}\n"
      "  r1: {from: {body: a1}, to: {body: b1}, over: [wheel], slack: 0.137}\n",
      "  wheel: {motion: axle, mass: 1.4315, friction: 0.5, shape: {cylinder: {radius: 0.285,"
      " length: 1}}}\n"
      "  b0: {mass: 1.6, position: [0.2852, -1.5562, -0.3]}\n"
      "  a0: {mass: 4.23, position: [-0.2852, -1.0491, -0.3]}\n"
      "  b1: {mass: 9.56, position: [0.2852, -1.7699, 0]}\n"
      "  b2: {mass: 8.31, position: [0.2852, -1.0915, 0.3]}\n"
      "ropes:\n"
      "  r0: {from: {body: a0}, to: {body: b0}, over: [wheel]}\n"
      "  r1: {from: {point: [-0.861, -1.951, 0]}, to: {body: b1}, over: [wheel]}\n"
      "  r2: {from: {point: [-0.5875, -1.274, 0.3]}, to: {body: b2}, over: [wheel], slack: "
      "0.183}\n",
      "  wheel: {motion: axle, mass: 0.0046, friction: 1, shape: {cylinder: {radius: 0.239,"
      " length: 2}}}\n"
      "  b0: {mass: 5.78, position: [0.2392, -1.6397, -0.15]}\n"
      "  a0: {mass: 8.7, position: [-0.2392, -1.9554, -0.15]}\n"
      "  b1: {mass: 5.33, position: [0.2392, -1.1798, 0.15]}\n"
      "ropes:\n"
      "  r0: {from: {body: a0}, to: {body: b0}, over: [wheel], slack: 0.08}\n"
      "  r1: {from: {point: [-0.2876, -1.5477, 0.15]}, to: {body: b1}, over: [wheel]}\n",
      "  wheel: {motion: axle, mass: 0.0056, friction: 1, shape: {cylinder: {radius: 0.181,"
      " length: 2}}}\n"
      "  b0: {mass: 9.98, position: [0.1812, -1.2986, -0.45]}\n"
      "  b1: {mass: 6.17, position: [0.1812, -0.8663, -0.15]}\n"
      "  a1: {mass: 7.33, position: [-0.1812, -1.6867, -0.15]}\n"
      "  b2: {mass: 1.59, position: [0.1812, -1.4304, 0.15]}\n"
      "  a2: {mass: 5.35, position: [-0.1812, -1.4561, 0.15]}\n"
      "  b3: {mass: 8.34, position: [0.1812, -0.9513, 0.45]}\n"
      "  a3: {mass: 6.79, position: [-0.1812, -1.6779, 0.45]}\n"
      "ropes:\n"
      "  r0: {from: {point: [-0.5923, -0.7826, -0.45]}, to: {body: b0}, over: [wheel]}\n"
      "  r1: {from: {body: a1}, to: {body: b1}, over: [wheel], slack: 0.112}\n"
      "  r2: {from: {body: a2}, to: {body: b2}, over: [wheel]}\n"
      "  r3: {from: {body: a3}, to: {body: b3}, over: [wheel]}\n"};
  enum { SCENES = sizeof scenes / sizeof scenes[0] };
  for (size_t i = 0; i < 2 * SCENES; i++) {
    const double step = i % 2 == 0 ? 0.004 : 0.001;
    rl_scenario *s =
        scenario_from("name: wheel\nduration: 1.2\nstep: 0.004\nbodies:\n%s", scenes[i / 2]);
    rl_driver *d = driver_for(s, "penalty", step);
    const double start = rl_energy_total(d->start);
    double most = 0.0, error = 0.0;
    for (int n = 0; n < (int)(1.2 / step); n++) {
      if (!(rl_driver_step(d) > 0)) {
        print_error("scene %zu, %g s: diverges in step %d, expected none to\n", i / 2, step, n);
        fail();
      }
      most = fmax(most, rl_energy_total(rl_driver_energy(d)) - start);
      error = fmax(error, rl_driver_energy_error(d));
    }
    print_message("scene %zu, %g s: %.2g J more than at the start, error up to %.2g J, expected at "
                  "most %.2g J\n",
                  i / 2, step, most, error, 1e-3 * d->energy_scale);
    check_below(most, 1e-3 * d->energy_scale);
    check_below(error, 1e-3 * d->energy_scale);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// (4a) of papers/penalty.md: a weight is hauled into a wheel of 6 g, and the strand between them,
// as soft as the wheel is light, becomes one with the next, of a spring up to a thousand times as
// stiff. It begins with what it stored, and becomes as stiff no faster than it is drawn in.
static void a_strand_that_loses_a_light_wheel_is_drawn_in_slowly(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: wheels\nduration: 1.2\nstep: 0.004\nbodies:\n"
      "  w0: {motion: axle, mass: 0.0064, position: [0.8156, 0.2032, 0], friction: 0.889,"
      " shape: {cylinder: {radius: 0.0955, length: 0.5}}}\n"
      "  w1: {motion: axle, mass: 2.1672, position: [1.5585, -0.0774, 0], friction: 0.889,"
      " shape: {cylinder: {radius: 0.2373, length: 0.5}}}\n"
      "  b: {mass: 3.503, position: [1.8396, -1.3579, 0]}\n"
      "  a: {mass: 1.739, position: [0.7273, -1.4761, 0], velocity: [0, 1.751, 0]}\n"
      "ropes: {line: {from: {body: a}, to: {body: b}, slack: 0.1723, over: [\n"
      "  {body: w0, side: [0, 1, 0]}, {body: w1, side: [0, 1, 0]}]}}\n");
  rl_driver *d = driver_for(s, "penalty", 0.004);
  double most = 0.0;
  for (int n = 0; n < 300; n++) {
    assert_true(rl_driver_step(d) > 0);
    most = fmax(most, rl_driver_energy_error(d));
  }
  print_message("gains %.3g J, expected at most %.3g J\n", most, 0.1 * d->energy_scale);
  check_below(most, 0.1 * d->energy_scale);
  rl_driver_free(d);
  rl_scenario_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tackle_at_rest_keeps_its_tensions),
      cmocka_unit_test(light_wheels_catch_without_a_throw),
      cmocka_unit_test(rows_of_light_wheels_are_one_system),
      cmocka_unit_test(nothing_pulls_before_a_rope_is_taut),
      cmocka_unit_test(strands_that_contradict_each_other_keep_their_tensions),
      cmocka_unit_test(ropes_over_one_wheel_are_one_system),
      cmocka_unit_test(what_is_tied_to_a_wheel_is_solved_with_its_belt),
      cmocka_unit_test(springs_over_light_wheels_gain_nothing),
      cmocka_unit_test(a_strand_that_loses_a_light_wheel_is_drawn_in_slowly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
