// SPDX-License-Identifier: GPL-3.0-or-later
// Which wraps stick, of ropes that share light bodies: found by trials, with the tensions of all
// their strands. Equation numbers are those of papers/grips.md.
#include "check.h"
#include "world/paths/bend.h"

#include <math.h>
#include <stdio.h>

// A rope with a weight at each end; `more`: further keys of it.
typedef struct hung {
  double masses[2], heights[2], speeds[2], slack;
  const char *more;
} hung;

// Ropes side by side over a row of bodies on axles, called a, b, c from 0 to `width`.
typedef struct scene {
  const char *axles, *over;
  double width;
  int count;
  hung ropes[4];
} scene;

#define OVER_TWO "{body: a, side: [0, 1, 0]}, {body: b, side: [0, 1, 0]}"
#define OVER_THREE OVER_TWO ", {body: c, side: [0, 1, 0]}"

static rl_scenario *hang(const scene *of) {
  char text[4096];
  size_t used = (size_t)snprintf(text, sizeof text,
                                 "name: hung\nduration: 1\nstep: 0.001\nbodies:\n%s", of->axles);
  for (int k = 0; k < of->count; k++) {
    for (int i = 0; i < 2; i++) {
      used += (size_t)snprintf(
          text + used, sizeof text - used,
          "  %c%d: {mass: %g, position: [%g, %.9g, %g], velocity: [0, %.9g, 0]}\n", "lr"[i], k,
          of -> ropes[k].masses[i], i == 0 ? -0.25 - 0.02 * k : of->width + 0.25 + 0.02 * k,
          of->ropes[k].heights[i], -0.3 + 0.2 * k, of->ropes[k].speeds[i]);
    }
  }
  used += (size_t)snprintf(text + used, sizeof text - used, "ropes:\n");
  for (int k = 0; k < of->count; k++) {
    const hung *rope = &of->ropes[k];
    used +=
        (size_t)snprintf(text + used, sizeof text - used,
                         "  s%d: {from: {body: l%d}, to: {body: r%d}, slack: %g, over: [%s]%s}\n",
                         k, k, k, rope->slack, of->over, rope->more);
  }
  return scenario_from("%s", text);
}

static const scene prism_and_two_wheels = {
    .axles = "  a: {motion: axle, mass: 0.05996, friction: 0.392, position: [0, -0.043922, 0],"
             " shape: {prism: {radius: 0.146, length: 1, sides: 4}}}\n"
             "  b: {motion: axle, mass: 0.0051, friction: 1.335, position: [0.6, 0.038825, 0],"
             " spin: [0, 0, -63.04], shape: {cylinder: {radius: 0.1606, length: 1}}}\n"
             "  c: {motion: axle, mass: 0.00481, friction: 1.842, position: [1.2, 0.068005, 0],"
             " spin: [0, 0, -53.61], shape: {cylinder: {radius: 0.1473, length: 1}}}\n",
    .over = OVER_THREE,
    .width = 1.2,
    .count = 4,
    .ropes = {{{1.108, 1.269}, {-1.213287, -1.172067}, {-1.137554, -1.180502}, 0.0, ""},
              {{2.243, 0.469}, {-0.684099, -0.957302}, {0.201158, -0.270251}, 0.0, ""},
              {{1.53, 0.84}, {-1.30058, -0.509208}, {1.181597, 1.564424}, 0.0, ""},
              {{0.392, 0.355}, {-1.491008, -0.524314}, {-0.429866, 0.71496}, 0.0108, ""}}};

static const scene two_wheels = {
    .axles = "  a: {motion: axle, mass: 0.00938, friction: 0.842, position: [0, 0.055562, 0],"
             " shape: {cylinder: {radius: 0.1051, length: 1}}}\n"
             "  b: {motion: axle, mass: 0.3593, friction: 0.573, position: [0.6, -0.085668, 0],"
             " shape: {cylinder: {radius: 0.0536, length: 1}}}\n",
    .over = OVER_TWO,
    .width = 0.6,
    .count = 4,
    .ropes = {{{0.327, 0.286}, {-1.142694, -0.673159}, {0.373272, -0.869516}, 0.0, ""},
              {{1.476, 2.176}, {-1.458945, -0.728167}, {1.478248, 1.700286}, 0.0, ""},
              {{1.921, 0.858}, {-0.744151, -1.335457}, {-0.416163, -1.151925}, 0.0095, ""},
              {{2.9, 0.294}, {-0.906017, -1.463879}, {-0.850768, -1.984075}, 0.0, ""}}};

static const scene wheel_and_pentagon = {
    .axles = "  a: {motion: axle, mass: 0.00071, friction: 1.545, position: [0, -0.082708, 0],"
             " shape: {cylinder: {radius: 0.0539, length: 1}}}\n"
             "  b: {motion: axle, mass: 0.0006, friction: 1.171, position: [0.6, 0.069836, 0],"
             " shape: {prism: {radius: 0.0905, length: 1, sides: 5}}}\n",
    .over = OVER_TWO,
    .width = 0.6,
    .count = 3,
    .ropes = {{{0.53, 4.85}, {-1.170294, -0.709499}, {0.808831, 1.56856}, 0.0, ""},
              {{1.225, 4.473}, {-1.168996, -1.380989}, {0.688524, -0.306756}, 0.0285, ""},
              {{1.229, 2.258}, {-0.594464, -0.443067}, {1.166443, -1.575992}, 0.0425, ""}}};

static const scene triangle_and_two_wheels = {
    .axles = "  a: {motion: axle, mass: 0.00406, friction: 0.321, position: [0, -0.083328, 0],"
             " shape: {prism: {radius: 0.0538, length: 1, sides: 3}}}\n"
             "  b: {motion: axle, mass: 0.0005, friction: 0.205, position: [0.6, -0.078896, 0],"
             " shape: {cylinder: {radius: 0.158, length: 1}}}\n"
             "  c: {motion: axle, mass: 0.03278, friction: 1.171, position: [1.2, 0.01139, 0],"
             " spin: [0, 0, 67.01], shape: {cylinder: {radius: 0.1457, length: 1}}}\n",
    .over = OVER_THREE,
    .width = 1.2,
    .count = 3,
    .ropes = {
        {{1.88, 2.154}, {-1.456032, -1.220579}, {-0.260185, -1.362478}, 0.0, ""},
        {{1.209, 2.639}, {-1.252761, -0.728673}, {1.416583, -1.272156}, 0.0, ", stiffness: 4831.1"},
        {{1.049, 4.791}, {-1.058105, -0.580697}, {-0.696254, 1.976362}, 0.0, ""}}};

static const scene box_and_wheel = {
    .axles = "  a: {motion: axle, mass: 0.08393, friction: 1.132, position: [0, -0.022674, 0],"
             " shape: {box: {size: [0.260528, 0.208423, 1]}}}\n"
             "  b: {motion: axle, mass: 0.00759, friction: 0.771, position: [0.6, -0.070539, 0],"
             " spin: [0, 0, 15.34], shape: {cylinder: {radius: 0.0934, length: 1}}}\n",
    .over = OVER_TWO,
    .width = 0.6,
    .count = 4,
    .ropes = {{{0.447, 0.266}, {-0.667946, -1.389488}, {0.172891, 0.159415}, 0.008, ""},
              {{6.267, 0.368},
               {-1.062368, -0.637051},
               {1.600702, -0.517752},
               0.0156,
               ", stiffness: 9854.6"},
              {{3.357, 0.42}, {-0.749163, -1.135653}, {-1.543255, -1.89149}, 0.0461, ""},
              {{2.508, 0.657}, {-1.387247, -1.070998}, {-1.486823, -0.992433}, 0.0015, ""}}};

static const scene pentagon_and_wheel = {
    .axles = "  a: {motion: axle, mass: 0.0009, friction: 2.377, position: [0, -0.048539, 0],"
             " spin: [0, 0, 14.08], shape: {prism: {radius: 0.0641, length: 1, sides: 5}}}\n"
             "  b: {motion: axle, mass: 0.00139, friction: 0.725, position: [0.6, 0.029678, 0],"
             " shape: {cylinder: {radius: 0.0717, length: 1}}}\n",
    .over = OVER_TWO,
    .width = 0.6,
    .count = 4,
    .ropes = {{{1.342, 0.401}, {-0.607964, -1.333348}, {1.179958, 1.656375}, 0.0, ""},
              {{2.868, 0.726}, {-0.756055, -0.953933}, {0.785343, 1.254902}, 0.0, ""},
              {{0.205, 0.667}, {-0.411962, -0.788203}, {1.510636, -0.802968}, 0.0387, ""},
              {{0.418, 1.344}, {-1.476896, -0.68431}, {-0.790669, 0.931896}, 0.0, ""}}};

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

// A driven prism draws one strand off a light box, and another one holds the box: the rope has to
// slip on the prism. Sweeps leave the strand that holds short in turn; taken as
// slack, the rope would stick until the box is thrown round, with 84 of 182 J and `pbd`, 214 J and
// `xpbd`.
static void strands_drawn_apart_slip(void **unused) {
  (void)unused;
  static const char *const methods[] = {"pbd", "xpbd", "impulse", "impulse-soft"};
  rl_scenario *s = scenario_from(
      "name: apart\nduration: 1\nstep: 0.001\nbodies:\n"
      "  box: {motion: axle, mass: 0.2194, spin: [0, 0, 0.257], position: [0, -0.01121, 0],"
      " friction: 0.37, shape: {box: {size: [0.2984, 0.2525, 0.3]}}}\n"
      "  prism: {motion: driven, spin: [0, 0, -4.08], position: [0.8752, 0.01778, 0],"
      " friction: 0.865, shape: {prism: {radius: 0.119, length: 0.3, sides: 8}}}\n"
      "  m: {mass: 6.972, position: [1.014, -0.7109, 0], velocity: [0, -1.84, 0]}\n"
      "ropes: {line: {from: {point: [-0.3296, -0.4009, 0]}, to: {body: m},"
      " over: [{body: box, side: [0, 1, 0]}, {body: prism, side: [0, 1, 0]}]}}\n");
  for (size_t m = 0; m < 4; m++) {
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

// (7n), (9b) Four ropes run and stick over a light prism and two wheels of 5 g. A strand that
// begins to stick has its own length, not a share of what others are too long: two of them would
// ask for what differs by 1e-8 m, and one would get all of the load. Rope would run the wrong way,
// and `impulse-direct` would gain 5 of 300 J.
static void strands_that_begin_to_stick_share_the_load(void **unused) {
  (void)unused;
  static const char *const by_rates[] = {"impulse", "impulse-direct"};
  rl_scenario *s = hang(&prism_and_two_wheels);
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
  static const char *const between[] = {"s0.tension.after.a", "s2.tension.after.a",
                                        "s3.tension.after.a"};
  static const double expected[] = {2.715, 14.78, 6.25};
  rl_scenario *s = hang(&two_wheels);
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

// A rope that sticks to two light wheels is caught beside one that slips there and jams alone. As
// it falls slack nothing holds the other one.
static void what_nothing_holds_sticks(void **unused) {
  (void)unused;
  static const char *const five[] = {"impulse", "impulse-direct", "xpbd", "impulse-soft", "pbd"};
  rl_scenario *s = hang(&wheel_and_pentagon);
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

// (3d), (7q) Strands that slip on light bodies, for which (3a) has no solution if all begin as
// taut, or none at all. Left too long they would be drawn in later, or throw the weights: 13 and 55
// J would come in with `xpbd`. In the fourth scene trials come round that all gain, up to 0.35 J;
// in the last one the strand that is left too long is not the one that slips, and 20 J would come
// in.
static void strands_without_tensions_stick(void **unused) {
  (void)unused;
  static const struct {
    const char *method;
    const scene *scene;
    double step, loss; // largest [J]
  } runs[] = {
      {"xpbd", &triangle_and_two_wheels, 0.00025, 0.2},
      {"xpbd", &box_and_wheel, 0.25 / 63.0, 1.0},
      {"impulse", &pentagon_and_wheel, 0.002, 0.2},
      {"impulse", &prism_and_two_wheels, 0.0005, 0.1},
      {"impulse", &wheel_and_pentagon, 0.0005, 0.5},
  };
  for (size_t n = 0; n < sizeof runs / sizeof runs[0]; n++) {
    rl_scenario *s = hang(runs[n].scene);
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

// (7r) A body flies through a rope between two weights, which slips over it: when its pull has come
// to 0 it slips on. With soft rows it is still too long by what they have yielded.
static void what_goes_slack_slips_on(void **unused) {
  (void)unused;
  static const char *const scenes[] = {
      "name: ball\nduration: 1\nstep: 0.001\ngravity: [0, 0, 0]\nbodies:\n"
      "  a: {mass: 1, position: [-1, 0.1, 0], velocity: [0, -3, 0.3]}\n"
      "  c: {mass: 2, position: [0, -0.5, 0], velocity: [0.3, 3, 0], spin: [0.1, 0.2, 1],"
      " shape: {sphere: {radius: 0.2}}}\n"
      "  d: {mass: 0.5, position: [1, 0.2, 0.1], velocity: [0.2, -2, 0]}\n"
      "ropes: {r: {from: {body: a}, to: {body: d}, friction: 0.2}}\n",
      "name: cylinder\nduration: 1\nstep: 0.001\ngravity: [0, 0, 0]\nbodies:\n"
      "  a: {mass: 1.14301, position: [-1, 0.1, 0], velocity: [-1.8772, 0.69961, 1.21354]}\n"
      "  c: {mass: 2.04751, position: [0, -0.45, 0], velocity: [-0.073701, 3, 0.142471],"
      " spin: [-1.49727, -1.15147, -1.81024], rotation: [0.129881, -0.739218, 0.121435],"
      " shape: {cylinder: {radius: 0.2, length: 0.6}}}\n"
      "  d: {mass: 0.327308, position: [1, 0.2, 0.1], velocity: [-1.69422, 1.66867, -0.808481]}\n"
      "ropes: {r: {from: {body: a}, to: {body: d}, friction: 0.6, slack: 0}}\n"};
  for (size_t n = 0; n < 2; n++) {
    rl_scenario *s = scenario_from("%s", scenes[n]);
    for (int rate = 2000; rate <= 8000; rate += 1000) {
      rl_driver *d = driver_for(s, "impulse-soft", 1.0 / rate);
      double most = 0.0;
      for (int step = 0; step < 2 * rate / 5; step++) {
        take_steps(d, 1);
        most = fmax(most, fabs(rl_driver_energy_error(d)));
      }
      print_message("%zu, 1/%d s: energy off by %.2g of all\n", n, rate, most / d->energy_scale);
      check_below(most, 2e-5 * d->energy_scale);
      rl_driver_free(d);
    }
    rl_scenario_free(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(trials_that_come_round_end_without_a_gain),
      cmocka_unit_test(a_light_wheel_follows_one_of_its_ropes),
      cmocka_unit_test(ropes_hold_a_light_box_for_each_other),
      cmocka_unit_test(an_elastic_rope_does_not_hold_a_light_box),
      cmocka_unit_test(strands_drawn_apart_slip),
      cmocka_unit_test(strands_that_begin_to_stick_share_the_load),
      cmocka_unit_test(strands_are_slack_only_if_others_push_them),
      cmocka_unit_test(what_nothing_holds_sticks),
      cmocka_unit_test(strands_without_tensions_stick),
      cmocka_unit_test(what_goes_slack_slips_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
