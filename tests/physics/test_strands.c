// SPDX-License-Identifier: GPL-3.0-or-later
// Strands of massless ropes between wraps that stick, of methods that solve them together.
#include "check.h"
#include "world/paths/bend.h"

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

// A rope with a weight at each end.
typedef struct hung {
  double masses[2], heights[2], speeds[2], slack;
} hung;

// Four of these over wheels, of which the last is about `width` from the first.
static rl_scenario *hang_four(const hung *ropes, double width, const char *wheels,
                              const char *over) {
  char text[4096];
  size_t used = (size_t)snprintf(text, sizeof text,
                                 "name: four\nduration: 1\nstep: 0.001\nbodies:\n%s", wheels);
  for (int k = 0; k < 4; k++) {
    for (int i = 0; i < 2; i++) {
      used += (size_t)snprintf(
          text + used, sizeof text - used,
          "  %c%d: {mass: %g, position: [%g, %.9g, %g], velocity: [0, %.9g, 0]}\n", "lr"[i], k,
          ropes[k].masses[i], i == 0 ? -0.25 - 0.02 * k : width + 0.25 + 0.02 * k,
          ropes[k].heights[i], -0.3 + 0.2 * k, ropes[k].speeds[i]);
    }
  }
  used += (size_t)snprintf(text + used, sizeof text - used, "ropes:\n");
  for (int k = 0; k < 4; k++) {
    used += (size_t)snprintf(text + used, sizeof text - used,
                             "  s%d: {from: {body: l%d}, to: {body: r%d}, slack: %g, over: [%s]}\n",
                             k, k, k, ropes[k].slack, over);
  }
  return scenario_from("%s", text);
}

// (7n), (9b) Four ropes run and stick over a light prism and two wheels of 5 g. A strand that
// begins to stick has its own length, not a share of what others are too long: two of them would
// ask for what differs by 1e-8 m, and one would get all of the load. Rope would run the wrong way,
// and `impulse-direct` would gain 5 of 300 J.
static void strands_that_begin_to_stick_share_the_load(void **unused) {
  (void)unused;
  static const char *const by_rates[] = {"impulse", "impulse-direct"};
  static const hung ropes[4] = {
      {{1.108, 1.269}, {-1.213287, -1.172067}, {-1.137554, -1.180502}, 0.0},
      {{2.243, 0.469}, {-0.684099, -0.957302}, {0.201158, -0.270251}, 0.0},
      {{1.53, 0.84}, {-1.30058, -0.509208}, {1.181597, 1.564424}, 0.0},
      {{0.392, 0.355}, {-1.491008, -0.524314}, {-0.429866, 0.71496}, 0.0108}};
  rl_scenario *s = hang_four(
      ropes, 1.2,
      "  a: {motion: axle, mass: 0.05996, friction: 0.392, position: [0, -0.043922, 0],"
      " shape: {prism: {radius: 0.146, length: 1, sides: 4}}}\n"
      "  b: {motion: axle, mass: 0.0051, friction: 1.335, position: [0.6, 0.038825, 0],"
      " spin: [0, 0, -63.04], shape: {cylinder: {radius: 0.1606, length: 1}}}\n"
      "  c: {motion: axle, mass: 0.00481, friction: 1.842, position: [1.2, 0.068005, 0],"
      " spin: [0, 0, -53.61], shape: {cylinder: {radius: 0.1473, length: 1}}}\n",
      "{body: a, side: [0, 1, 0]}, {body: b, side: [0, 1, 0]}, {body: c, side: [0, 1, 0]}");
  for (size_t m = 0; m < sizeof by_rates / sizeof by_rates[0]; m++) {
    rl_driver *d = driver_for(s, by_rates[m], 1e-3);
    double gain = 0.0, least = 0.0;
    for (int n = 0; n < 250; n++) {
      take_steps(d, 1);
      gain = fmax(gain, rl_driver_energy_error(d));
      for (uint32_t r = 0; r < 4; r++) {
        for (uint32_t i = 0; i < rl_bend_count(d->model, d->state, r); i++) {
          const rl_bend bend = rl_rope_bend(d->model, d->state, r, i);
          least = fmin(least, d->dt * bend.slip * (bend.after - bend.before));
        }
      }
    }
    print_message("%s: %.3g J gained, friction takes %.3g J or more at a wrap in a step\n",
                  by_rates[m], gain, least);
    check_below(gain, 0.05);
    check_below(-least, 1e-9);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// (3e) Three ropes come to stick to two light wheels, a fourth hangs slack. Of their strands
// between the wheels two depend on the third, and each holds what it held. If one that is slack on
// the way to the solution stayed so, its wraps would slip and trials would come round: `pbd` would
// end with 0, 3.3 and 7.6 N in these strands.
static void strands_are_slack_only_if_others_push_them(void **unused) {
  (void)unused;
  static const char *const all[] = {"pbd", "xpbd", "impulse", "impulse-direct"};
  static const hung ropes[4] = {
      {{0.327, 0.286}, {-1.142694, -0.673159}, {0.373272, -0.869516}, 0.0},
      {{1.476, 2.176}, {-1.458945, -0.728167}, {1.478248, 1.700286}, 0.0},
      {{1.921, 0.858}, {-0.744151, -1.335457}, {-0.416163, -1.151925}, 0.0095},
      {{2.9, 0.294}, {-0.906017, -1.463879}, {-0.850768, -1.984075}, 0.0}};
  static const char *const between[] = {"s0.tension.after.a", "s2.tension.after.a",
                                        "s3.tension.after.a"};
  static const double expected[] = {2.715, 14.78, 6.25};
  rl_scenario *s =
      hang_four(ropes, 0.6,
                "  a: {motion: axle, mass: 0.00938, friction: 0.842, position: [0, 0.055562, 0],"
                " shape: {cylinder: {radius: 0.1051, length: 1}}}\n"
                "  b: {motion: axle, mass: 0.3593, friction: 0.573, position: [0.6, -0.085668, 0],"
                " shape: {cylinder: {radius: 0.0536, length: 1}}}\n",
                "{body: a, side: [0, 1, 0]}, {body: b, side: [0, 1, 0]}");
  for (size_t m = 0; m < sizeof all / sizeof all[0]; m++) {
    rl_driver *d = driver_for(s, all[m], 0.25 / 125.0);
    take_steps(d, 125);
    print_message("%s: %.4g, %.4g and %.4g N between the wheels\n", all[m], probe(d, between[0]),
                  probe(d, between[1]), probe(d, between[2]));
    for (size_t k = 0; k < 3; k++) {
      check_relative(probe(d, between[k]), expected[k], 0.02);
    }
    rl_driver_free(d);
  }
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

// Ropes over a light wheel and a box: which of their wraps stick is found by trials that
// repeat themselves, or are too many. The first in which no slip is wrong gains 0.67 of all energy.
static void trials_that_come_round_end_without_a_gain(void **unused) {
  (void)unused;
  static const char *const fourths[] = {"",
                                        "  m3: {mass: 9.37, position: [1.303, -1.017, 0.45]}\n"
                                        "  l3: {mass: 1.152, position: [-0.1712, -1.128, 0.45]}\n"};
  static const char *const ropes[] = {
      "", "  r3: {from: {body: l3}, to: {body: m3}, slack: 0.257,"
          " over: [{body: w0, side: [0, 1, 0]}, {body: w1, side: [0, 1, 0]}]}\n"};
  for (size_t i = 0; i < 2; i++) {
    rl_scenario *s =
        scenario_from("name: round\nduration: 1.2\nstep: 0.004\nbodies:\n"
                      "  w0: {motion: axle, mass: 0.3213, position: [0, 0, 0], friction: 0.744,"
                      " shape: {box: {size: [0.2096, 0.1773, 1.4]}}}\n"
                      "  w1: {motion: axle, mass: 0.2373, position: [1.004, 0, 0], friction: 0.913,"
                      " shape: {cylinder: {radius: 0.2889, length: 1.4}}}\n"
                      "  m0: {mass: 9.44, position: [1.303, -1.534, -0.45]}\n"
                      "  l0: {mass: 1.465, position: [-0.1712, -1.999, -0.45]}\n"
                      "  m1: {mass: 1.05, position: [1.303, -1.725, -0.15]}\n"
                      "  m2: {mass: 8.415, position: [1.303, -1.728, 0.15]}\n%s"
                      "ropes:\n"
                      "  r0: {from: {body: l0}, to: {body: m0},"
                      " over: [{body: w0, side: [0, 1, 0]}, {body: w1, side: [0, 1, 0]}]}\n"
                      "  r1: {from: {point: [0.4551, -1.445, -0.15]}, to: {body: m1}, slack: 0.118,"
                      " over: [{body: w1, side: [0, 1, 0]}]}\n"
                      "  r2: {from: {point: [0.4915, -0.7419, 0.15]}, to: {body: m2},"
                      " over: [{body: w1, side: [0, 1, 0]}]}\n%s",
                      fourths[i], ropes[i]);
    const double step = i == 0 ? 0.004 : 0.002;
    rl_driver *d = driver_for(s, "xpbd", step);
    for (double t = 0.0; t < 1.2; t += step) {
      take_steps(d, 1);
      check_below(rl_driver_energy_error(d), 1e-3 * d->energy_scale);
    }
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// Two ropes with weights at their ends slip over a light box; `more`: keys of the second one.
static rl_scenario *two_over_a_box(double mass, double friction, const char *more) {
  return scenario_from(
      "name: propped\nduration: 1\nstep: 0.001\nbodies:\n"
      "  box: {motion: axle, mass: %g, friction: %g, shape: {box: {size: [0.2, 0.1, 1]}}}\n"
      "  a0: {mass: 2, position: [-0.1, -1, -0.3], velocity: [0, 1.9, 0]}\n"
      "  b0: {mass: 2, position: [0.1, -1, -0.3], velocity: [0, -1.9, 0]}\n"
      "  a1: {mass: 8, position: [-0.1, -1, -0.1], velocity: [0, -0.3, 0]}\n"
      "  b1: {mass: 1, position: [0.1, -1, -0.1], velocity: [0, 0.3, 0]}\n"
      "ropes:\n"
      "  r0: {from: {body: a0}, to: {body: b0}, over: [{body: box, side: [0, 1, 0]}]}\n"
      "  r1: {from: {body: a1}, to: {body: b1}, over: [{body: box, side: [0, 1, 0]}]%s}\n",
      mass, friction, more);
}

// (7p) Two ropes slip over one light box, which each of them alone would turn the faster the more
// it is pulled, and which the other one holds: both keep to (6) on every edge in every step in
// which no edge comes or goes, to 1e-4, since tensions are means of steps in which the angles
// change. If each is taken for jammed, one sticks with 54 N to 32 N.
static void ropes_hold_a_light_box_for_each_other(void **unused) {
  (void)unused;
  static const char *const all[] = {"impulse",    "impulse-direct", "pbd",   "xpbd",
                                    "pbd-direct", "rattle",         "convex"};
  rl_scenario *s = two_over_a_box(0.01, 0.2, "");
  for (size_t m = 0; m < sizeof all / sizeof all[0]; m++) {
    rl_driver *d = driver_for(s, all[m], 0.001);
    uint32_t counts[2] = {0, 0};
    for (int n = 0; n < 300; n++) {
      take_steps(d, 1);
      for (uint32_t r = 0; r < 2; r++) {
        const uint32_t count = rl_bend_count(s->model, d->state, r);
        const bool stay = n > 2 && count == counts[r]; // no jerk, and the bends of the step
        counts[r] = count;
        rl_rope_solve_bends(s->model, d->state, r);
        for (uint32_t i = 0; i < count && stay; i++) {
          const rl_bend bend = rl_rope_bend(s->model, d->state, r, i);
          const double t = 0.2 * tan(0.5 * acos(fmin(rl_dot(bend.in, bend.out), 1.0)));
          const double before = rl_piece_tension(s->model, d->state, r, i);
          const double behind = rl_piece_tension(s->model, d->state, r, i + 1);
          check_below(fmax(before, behind) * (1.0 - t),
                      fmin(before, behind) * (1.0 + t) + 1e-4 * fmax(before, behind));
        }
      }
    }
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// (7p) An inextensible and an elastic rope slip over one light box. What the elastic one pulls
// follows from its length, so it does not hold the box for the other one, which jams and sticks.
// Taken for one that holds, 1.7 J come in with `xpbd`, 0.8 J with `penalty-implicit`, and `convex`
// diverges.
static void an_elastic_rope_does_not_hold_a_light_box(void **unused) {
  (void)unused;
  static const char *const all[] = {"xpbd", "convex", "penalty-implicit"};
  rl_scenario *s = two_over_a_box(0.003, 0.5, ", stiffness: 4000");
  for (size_t m = 0; m < sizeof all / sizeof all[0]; m++) {
    rl_driver *d = driver_for(s, all[m], 0.00025);
    for (int n = 0; n < 1200; n++) {
      take_steps(d, 1);
      check_below(rl_driver_energy_error(d), 1e-3 * d->energy_scale);
    }
    rl_driver_free(d);
  }
  rl_scenario_free(s);
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

// Three ropes run at different speeds over one light wheel, which can only follow one of them: the
// others slip, with the tensions of two weights over a post, and turn it. Trials that change all
// wraps at a time go round, and end with two ropes that stick, 1600 N to 0 N.
static void a_light_wheel_follows_one_of_its_ropes(void **unused) {
  (void)unused;
  static const char *const all[] = {"impulse",    "impulse-direct", "pbd",   "xpbd",
                                    "pbd-direct", "rattle",         "convex"};
  static const char *const tensions[3][2] = {
      {"r0.tension.before.wheel", "r0.tension.after.wheel"},
      {"r1.tension.before.wheel", "r1.tension.after.wheel"},
      {"r2.tension.before.wheel", "r2.tension.after.wheel"},
  };
  rl_scenario *s = scenario_from(
      "name: median\nduration: 1\nstep: 0.001\nbodies:\n"
      "  wheel: {motion: axle, mass: 0.01, friction: 0.4,"
      " shape: {cylinder: {radius: 0.1, length: 1}}}\n"
      "  a0: {mass: 2, position: [-0.1, -1, -0.3], velocity: [0, 1.7, 0]}\n"
      "  b0: {mass: 3, position: [0.1, -1, -0.3], velocity: [0, -1.7, 0]}\n"
      "  a1: {mass: 2, position: [-0.1, -1, -0.1], velocity: [0, 0.4, 0]}\n"
      "  b1: {mass: 3, position: [0.1, -1, -0.1], velocity: [0, -0.4, 0]}\n"
      "  a2: {mass: 2, position: [-0.1, -1, 0.1], velocity: [0, -0.7, 0]}\n"
      "  b2: {mass: 2, position: [0.1, -1, 0.1], velocity: [0, 0.7, 0]}\n"
      "ropes:\n"
      "  r0: {from: {body: a0}, to: {body: b0}, over: [{body: wheel, side: [0, 1, 0]}]}\n"
      "  r1: {from: {body: a1}, to: {body: b1}, over: [{body: wheel, side: [0, 1, 0]}]}\n"
      "  r2: {from: {body: a2}, to: {body: b2}, over: [{body: wheel, side: [0, 1, 0]}]}\n");
  const double g = 9.81, ratio = exp(0.4 * acos(-1.0)), wheel = 0.5 * 0.01; // I/R^2
  // (7) with both weights: m1 (g + a) before the wheel, m2 (g - a) behind it
  const double on = 2.0 * 2.0 * 3.0 * g / (3.0 + ratio * 2.0);
  const double back = 2.0 * 2.0 * 2.0 * g / (2.0 + ratio * 2.0);
  const double others = (ratio - 1.0) * (on - back);
  const double a = (g + others) / (5.0 + wheel);
  const double expected[3][2] = {
      {on, ratio * on}, {2.0 * (g + a), 3.0 * (g - a)}, {ratio * back, back}};
  for (size_t m = 0; m < sizeof all / sizeof all[0]; m++) {
    rl_driver *d = driver_for(s, all[m], 0.001);
    for (int n = 0; n < 300; n++) {
      take_steps(d, 1);
      for (size_t r = 0; r < 3; r++) {
        const double before = probe(d, tensions[r][0]), behind = probe(d, tensions[r][1]);
        check_below(fmax(before, behind), ratio * fmin(before, behind) * (1.0 + 1e-6));
        for (size_t k = 0; k < 2 && n == 40; k++) {
          check_near(probe(d, tensions[r][k]), expected[r][k], 1e-4 * expected[r][k]);
        }
      }
    }
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// A driven prism draws one strand off a light box, and another one holds the box: the rope has to
// slip on the prism. Sweeps leave the strand that holds short in turn; taken as
// slack, the rope would stick until the box is thrown round, with 84 of 182 J and `pbd`, 214 J and
// `xpbd`.
static void strands_drawn_apart_slip(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: apart\nduration: 1\nstep: 0.001\nbodies:\n"
      "  box: {motion: axle, mass: 0.2194, spin: [0, 0, 0.257], position: [0, -0.01121, 0],"
      " friction: 0.37, shape: {box: {size: [0.2984, 0.2525, 0.3]}}}\n"
      "  prism: {motion: driven, spin: [0, 0, -4.08], position: [0.8752, 0.01778, 0],"
      " friction: 0.865, shape: {prism: {radius: 0.119, length: 0.3, sides: 8}}}\n"
      "  m: {mass: 6.972, position: [1.014, -0.7109, 0], velocity: [0, -1.84, 0]}\n"
      "ropes: {line: {from: {point: [-0.3296, -0.4009, 0]}, to: {body: m},"
      " over: [{body: box, side: [0, 1, 0]}, {body: prism, side: [0, 1, 0]}]}}\n");
  for (size_t m = 0; m < METHODS; m++) {
    for (double step = 0.004; step > 0.0009; step *= 0.5) {
      rl_driver *d = driver_for(s, methods[m], step);
      for (double t = 0.0; t < 1.0; t += step) {
        take_steps(d, 1);
        check_below(fabs(rl_driver_energy_error(d)), 2e-3 * d->energy_scale);
      }
      rl_driver_free(d);
    }
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

// A rope that sticks to two light wheels is caught beside one that slips there and jams alone. As
// it falls slack nothing holds the other one.
static void what_nothing_holds_sticks(void **unused) {
  (void)unused;
  static const char *const five[] = {"impulse", "impulse-direct", "xpbd", "impulse-soft", "pbd"};
  rl_scenario *s = scenario_from(
      "name: caught\nduration: 1\nstep: 0.001\nbodies:\n"
      "  w0: {motion: axle, mass: 0.00071, friction: 1.545, position: [0, -0.082708, 0],\n"
      "       shape: {cylinder: {radius: 0.0539, length: 1}}}\n"
      "  w1: {motion: axle, mass: 0.0006, friction: 1.171, position: [0.6, 0.069836, 0],\n"
      "       shape: {prism: {radius: 0.0905, length: 1, sides: 5}}}\n"
      "  l0: {mass: 0.53, position: [-0.25, -1.170294, -0.3], velocity: [0, 0.808831, 0]}\n"
      "  r0: {mass: 4.85, position: [0.85, -0.709499, -0.3], velocity: [0, 1.56856, 0]}\n"
      "  l1: {mass: 1.225, position: [-0.27, -1.168996, -0.1], velocity: [0, 0.688524, 0]}\n"
      "  r1: {mass: 4.473, position: [0.87, -1.380989, -0.1], velocity: [0, -0.306756, 0]}\n"
      "  l2: {mass: 1.229, position: [-0.29, -0.594464, 0.1], velocity: [0, 1.166443, 0]}\n"
      "  r2: {mass: 2.258, position: [0.89, -0.443067, 0.1], velocity: [0, -1.575992, 0]}\n"
      "ropes:\n"
      "  s0: {from: {body: l0}, to: {body: r0}, slack: 0, over: [{body: w0, side: [0, 1, 0]},\n"
      "       {body: w1, side: [0, 1, 0]}]}\n"
      "  s1: {from: {body: l1}, to: {body: r1}, slack: 0.0285, over: [{body: w0, side: [0, 1, "
      "0]},\n"
      "       {body: w1, side: [0, 1, 0]}]}\n"
      "  s2: {from: {body: l2}, to: {body: r2}, slack: 0.0425, over: [{body: w0, side: [0, 1, "
      "0]},\n"
      "       {body: w1, side: [0, 1, 0]}]}\n");
  for (size_t m = 0; m < sizeof five / sizeof five[0]; m++) {
    rl_driver *d = driver_for(s, five[m], 0.001);
    double gained = -INFINITY;
    for (int n = 0; n < 125; n++) {
      assert_true(rl_driver_step(d) > 0);
      gained = fmax(gained, rl_driver_energy_error(d));
    }
    print_message("%s: gains %.3g J, expected at most 0.01 of %.3g J\n", five[m], gained,
                  d->energy_scale);
    check_below(gained, 0.01 * d->energy_scale);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

static const char prism_under_three[] =
    "name: prism\n"
    "duration: 0.25\n"
    "step: 0.002\n"
    "bodies:\n"
    "  w0: {motion: axle, mass: 0.00406, shape: {prism: {radius: 0.0538, length: 1, sides:"
    " 3}}, friction: 0.321, position: [0.0, -0.083328, 0]}\n"
    "  w1: {motion: axle, mass: 0.0005, shape: {cylinder: {radius: 0.158, length: 1}},"
    " friction: 0.205, position: [0.6, -0.078896, 0]}\n"
    "  w2: {motion: axle, mass: 0.03278, shape: {cylinder: {radius: 0.1457, length: 1}},"
    " friction: 1.171, position: [1.2, 0.01139, 0], spin: [0, 0, 67.01]}\n"
    "  l0: {mass: 1.88, position: [-0.25, -1.456032, -0.3], velocity: [0, -0.260185, 0]}\n"
    "  r0: {mass: 2.154, position: [1.45, -1.220579, -0.3], velocity: [0, -1.362478, 0]}\n"
    "  l1: {mass: 1.209, position: [-0.27, -1.252761, -0.1], velocity: [0, 1.416583, 0]}\n"
    "  r1: {mass: 2.639, position: [1.47, -0.728673, -0.1], velocity: [0, -1.272156, 0]}\n"
    "  l2: {mass: 1.049, position: [-0.29, -1.058105, 0.1], velocity: [0, -0.696254, 0]}\n"
    "  r2: {mass: 4.791, position: [1.49, -0.580697, 0.1], velocity: [0, 1.976362, 0]}\n"
    "ropes:\n"
    "  s0: {from: {body: l0}, to: {body: r0}, over: [{body: w0, side: [0, 1, 0]}, {body: w1,"
    " side: [0, 1, 0]}, {body: w2, side: [0, 1, 0]}], slack: 0}\n"
    "  s1: {from: {body: l1}, to: {body: r1}, over: [{body: w0, side: [0, 1, 0]}, {body: w1,"
    " side: [0, 1, 0]}, {body: w2, side: [0, 1, 0]}], slack: 0, stiffness: 4831.1}\n"
    "  s2: {from: {body: l2}, to: {body: r2}, over: [{body: w0, side: [0, 1, 0]}, {body: w1,"
    " side: [0, 1, 0]}, {body: w2, side: [0, 1, 0]}], slack: 0}\n";

static const char box_under_four[] =
    "name: box\n"
    "duration: 0.25\n"
    "step: 0.002\n"
    "bodies:\n"
    "  w0: {motion: axle, mass: 0.08393, shape: {box: {size: [0.260528, 0.208423, 1]}},"
    " friction: 1.132, position: [0.0, -0.022674, 0]}\n"
    "  w1: {motion: axle, mass: 0.00759, shape: {cylinder: {radius: 0.0934, length: 1}},"
    " friction: 0.771, position: [0.6, -0.070539, 0], spin: [0, 0, 15.34]}\n"
    "  l0: {mass: 0.447, position: [-0.25, -0.667946, -0.3], velocity: [0, 0.172891, 0]}\n"
    "  r0: {mass: 0.266, position: [0.85, -1.389488, -0.3], velocity: [0, 0.159415, 0]}\n"
    "  l1: {mass: 6.267, position: [-0.27, -1.062368, -0.1], velocity: [0, 1.600702, 0]}\n"
    "  r1: {mass: 0.368, position: [0.87, -0.637051, -0.1], velocity: [0, -0.517752, 0]}\n"
    "  l2: {mass: 3.357, position: [-0.29, -0.749163, 0.1], velocity: [0, -1.543255, 0]}\n"
    "  r2: {mass: 0.42, position: [0.89, -1.135653, 0.1], velocity: [0, -1.89149, 0]}\n"
    "  l3: {mass: 2.508, position: [-0.31, -1.387247, 0.3], velocity: [0, -1.486823, 0]}\n"
    "  r3: {mass: 0.657, position: [0.91, -1.070998, 0.3], velocity: [0, -0.992433, 0]}\n"
    "ropes:\n"
    "  s0: {from: {body: l0}, to: {body: r0}, over: [{body: w0, side: [0, 1, 0]}, {body: w1,"
    " side: [0, 1, 0]}], slack: 0.008}\n"
    "  s1: {from: {body: l1}, to: {body: r1}, over: [{body: w0, side: [0, 1, 0]}, {body: w1,"
    " side: [0, 1, 0]}], slack: 0.0156, stiffness: 9854.6}\n"
    "  s2: {from: {body: l2}, to: {body: r2}, over: [{body: w0, side: [0, 1, 0]}, {body: w1,"
    " side: [0, 1, 0]}], slack: 0.0461}\n"
    "  s3: {from: {body: l3}, to: {body: r3}, over: [{body: w0, side: [0, 1, 0]}, {body: w1,"
    " side: [0, 1, 0]}], slack: 0.0015}\n";

static const char pentagon_under_four[] =
    "name: pentagon\n"
    "duration: 0.25\n"
    "step: 0.002\n"
    "bodies:\n"
    "  w0: {motion: axle, mass: 0.0009, shape: {prism: {radius: 0.0641, length: 1, sides:"
    " 5}}, friction: 2.377, position: [0.0, -0.048539, 0], spin: [0, 0, 14.08]}\n"
    "  w1: {motion: axle, mass: 0.00139, shape: {cylinder: {radius: 0.0717, length: 1}},"
    " friction: 0.725, position: [0.6, 0.029678, 0]}\n"
    "  l0: {mass: 1.342, position: [-0.25, -0.607964, -0.3], velocity: [0, 1.179958, 0]}\n"
    "  r0: {mass: 0.401, position: [0.85, -1.333348, -0.3], velocity: [0, 1.656375, 0]}\n"
    "  l1: {mass: 2.868, position: [-0.27, -0.756055, -0.1], velocity: [0, 0.785343, 0]}\n"
    "  r1: {mass: 0.726, position: [0.87, -0.953933, -0.1], velocity: [0, 1.254902, 0]}\n"
    "  l2: {mass: 0.205, position: [-0.29, -0.411962, 0.1], velocity: [0, 1.510636, 0]}\n"
    "  r2: {mass: 0.667, position: [0.89, -0.788203, 0.1], velocity: [0, -0.802968, 0]}\n"
    "  l3: {mass: 0.418, position: [-0.31, -1.476896, 0.3], velocity: [0, -0.790669, 0]}\n"
    "  r3: {mass: 1.344, position: [0.91, -0.68431, 0.3], velocity: [0, 0.931896, 0]}\n"
    "ropes:\n"
    "  s0: {from: {body: l0}, to: {body: r0}, over: [{body: w0, side: [0, 1, 0]}, {body: w1,"
    " side: [0, 1, 0]}], slack: 0}\n"
    "  s1: {from: {body: l1}, to: {body: r1}, over: [{body: w0, side: [0, 1, 0]}, {body: w1,"
    " side: [0, 1, 0]}], slack: 0}\n"
    "  s2: {from: {body: l2}, to: {body: r2}, over: [{body: w0, side: [0, 1, 0]}, {body: w1,"
    " side: [0, 1, 0]}], slack: 0.0387}\n"
    "  s3: {from: {body: l3}, to: {body: r3}, over: [{body: w0, side: [0, 1, 0]}, {body: w1,"
    " side: [0, 1, 0]}], slack: 0}\n";

static const char four_that_come_round[] =
    "name: four\n"
    "duration: 0.25\n"
    "step: 0.0005\n"
    "bodies:\n"
    "  w0: {motion: axle, mass: 0.05996, shape: {prism: {radius: 0.146, length: 1, sides:"
    " 4}}, friction: 0.392, position: [0.0, -0.043922, 0]}\n"
    "  w1: {motion: axle, mass: 0.0051, shape: {cylinder: {radius: 0.1606, length: 1}},"
    " friction: 1.335, position: [0.6, 0.038825, 0], spin: [0, 0, -63.04]}\n"
    "  w2: {motion: axle, mass: 0.00481, shape: {cylinder: {radius: 0.1473, length: 1}},"
    " friction: 1.842, position: [1.2, 0.068005, 0], spin: [0, 0, -53.61]}\n"
    "  l0: {mass: 1.108, position: [-0.25, -1.213287, -0.3], velocity: [0, -1.137554, 0]}\n"
    "  r0: {mass: 1.269, position: [1.45, -1.172067, -0.3], velocity: [0, -1.180502, 0]}\n"
    "  l1: {mass: 2.243, position: [-0.27, -0.684099, -0.1], velocity: [0, 0.201158, 0]}\n"
    "  r1: {mass: 0.469, position: [1.47, -0.957302, -0.1], velocity: [0, -0.270251, 0]}\n"
    "  l2: {mass: 1.53, position: [-0.29, -1.30058, 0.1], velocity: [0, 1.181597, 0]}\n"
    "  r2: {mass: 0.84, position: [1.49, -0.509208, 0.1], velocity: [0, 1.564424, 0]}\n"
    "  l3: {mass: 0.392, position: [-0.31, -1.491008, 0.3], velocity: [0, -0.429866, 0]}\n"
    "  r3: {mass: 0.355, position: [1.51, -0.524314, 0.3], velocity: [0, 0.71496, 0]}\n"
    "ropes:\n"
    "  s0: {from: {body: l0}, to: {body: r0}, over: [{body: w0, side: [0, 1, 0]}, {body: w1,"
    " side: [0, 1, 0]}, {body: w2, side: [0, 1, 0]}], slack: 0}\n"
    "  s1: {from: {body: l1}, to: {body: r1}, over: [{body: w0, side: [0, 1, 0]}, {body: w1,"
    " side: [0, 1, 0]}, {body: w2, side: [0, 1, 0]}], slack: 0}\n"
    "  s2: {from: {body: l2}, to: {body: r2}, over: [{body: w0, side: [0, 1, 0]}, {body: w1,"
    " side: [0, 1, 0]}, {body: w2, side: [0, 1, 0]}], slack: 0}\n"
    "  s3: {from: {body: l3}, to: {body: r3}, over: [{body: w0, side: [0, 1, 0]}, {body: w1,"
    " side: [0, 1, 0]}, {body: w2, side: [0, 1, 0]}], slack: 0.0108}\n";

// The strand that is left too long does not slip itself.
static const char three_over_a_pentagon[] =
    "name: three\nduration: 0.25\nstep: 0.001\nbodies:\n"
    "  w: {motion: axle, mass: 0.00071, friction: 1.545, position: [0, -0.082708, 0],"
    " shape: {cylinder: {radius: 0.0539, length: 1}}}\n"
    "  p: {motion: axle, mass: 0.0006, friction: 1.171, position: [0.6, 0.069836, 0],"
    " shape: {prism: {radius: 0.0905, length: 1, sides: 5}}}\n"
    "  l0: {mass: 0.53, position: [-0.25, -1.170294, -0.3], velocity: [0, 0.808831, 0]}\n"
    "  r0: {mass: 4.85, position: [0.85, -0.709499, -0.3], velocity: [0, 1.56856, 0]}\n"
    "  l1: {mass: 1.225, position: [-0.27, -1.168996, -0.1], velocity: [0, 0.688524, 0]}\n"
    "  r1: {mass: 4.473, position: [0.87, -1.380989, -0.1], velocity: [0, -0.306756, 0]}\n"
    "  l2: {mass: 1.229, position: [-0.29, -0.594464, 0.1], velocity: [0, 1.166443, 0]}\n"
    "  r2: {mass: 2.258, position: [0.89, -0.443067, 0.1], velocity: [0, -1.575992, 0]}\n"
    "ropes:\n  a: {from: {body: l0}, to: {body: r0}, over: [{body: w, side: [0, 1, 0]},"
    " {body: p, side: [0, 1, 0]}]}\n"
    "  b: {from: {body: l1}, to: {body: r1}, over: [{body: w, side: [0, 1, 0]},"
    " {body: p, side: [0, 1, 0]}], slack: 0.0285}\n"
    "  c: {from: {body: l2}, to: {body: r2}, over: [{body: w, side: [0, 1, 0]},"
    " {body: p, side: [0, 1, 0]}], slack: 0.0425}\n";

// (3d), (7q) of papers/wraps.md: strands that slip on light bodies, for which (3a) has no solution
// if all begin as taut, or none at all. What was left too long was drawn in later, or threw the
// weights: `xpbd` gained 13 and 55 J, `impulse` lost 0.98 J. In the fourth scene trials come round
// that all gain, up to 0.35 J; in the last one 20 J came in.
static void strands_without_tensions_stick(void **unused) {
  (void)unused;
  static const struct {
    const char *method, *scene;
    double step, loss; // largest [J]
  } runs[] = {
      {"xpbd", prism_under_three, 0.00025, 0.2},
      {"xpbd", box_under_four, 0.25 / 63.0, 1.0},
      {"impulse", pentagon_under_four, 0.002, 0.2},
      {"impulse", four_that_come_round, 0.0005, 0.1},
      {"impulse", three_over_a_pentagon, 0.0005, 0.5},
  };
  for (size_t n = 0; n < sizeof runs / sizeof runs[0]; n++) {
    rl_scenario *s = scenario_from("%s", runs[n].scene);
    rl_driver *d = driver_for(s, runs[n].method, runs[n].step);
    double most = 0.0, least = 0.0;
    while (d->state->time < 0.2499) {
      assert_true(rl_driver_step(d) > 0);
      most = fmax(most, rl_driver_energy_error(d));
      least = fmin(least, rl_driver_energy_error(d));
    }
    print_message("%s: gains %.3g, loses %.3g of %.3g J\n", runs[n].method, most, -least,
                  d->energy_scale);
    check_below(most, 2e-4 * d->energy_scale);
    check_below(-least, runs[n].loss);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(tackle_at_rest_keeps_its_tensions),
      cmocka_unit_test(light_wheels_catch_without_a_throw),
      cmocka_unit_test(rows_of_light_wheels_are_one_system),
      cmocka_unit_test(nothing_pulls_before_a_rope_is_taut),
      cmocka_unit_test(strands_that_contradict_each_other_keep_their_tensions),
      cmocka_unit_test(strands_that_begin_to_stick_share_the_load),
      cmocka_unit_test(strands_are_slack_only_if_others_push_them),
      cmocka_unit_test(ropes_over_one_wheel_are_one_system),
      cmocka_unit_test(trials_that_come_round_end_without_a_gain),
      cmocka_unit_test(a_light_wheel_follows_one_of_its_ropes),
      cmocka_unit_test(ropes_hold_a_light_box_for_each_other),
      cmocka_unit_test(what_nothing_holds_sticks),
      cmocka_unit_test(strands_without_tensions_stick),
      cmocka_unit_test(an_elastic_rope_does_not_hold_a_light_box),
      cmocka_unit_test(what_is_tied_to_a_wheel_is_solved_with_its_belt),
      cmocka_unit_test(strands_drawn_apart_slip),
      cmocka_unit_test(springs_over_light_wheels_gain_nothing),
      cmocka_unit_test(a_strand_that_loses_a_light_wheel_is_drawn_in_slowly),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
