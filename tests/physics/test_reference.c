// SPDX-License-Identifier: GPL-3.0-or-later
// reference against closed forms, and against digits that other programs have found.
#include "check.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_sf_laguerre.h>
#include <stdlib.h>
#include <string.h>

static const double g = 9.81;

// (4.5) theta(1) of a pendulum of a metre from 90 degrees, by Jacobi's functions.
static const double pendulum_angle = -1.4050273115248;

static void pendulum_is_at_its_angle(void **unused) {
  (void)unused;
  rl_scenario *s = shipped_with("pendulum", NULL, 0);
  rl_driver *d = driver_for(s, "reference,forces=end", 0.01);
  take_steps(d, 100);
  const double error =
      hypot(probe(d, "bob.x") - sin(pendulum_angle), probe(d, "bob.y") + cos(pendulum_angle));
  check_below(error, 1e-12);
  check_below(error, d->info.error_estimate);
  check_below(d->info.error_estimate, 1e-9);
  check_relative(probe(d, "line.tension"), 3.0 * g * cos(pendulum_angle), 1e-11);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// The same result whatever the step of the output is.
static void output_step_does_not_matter(void **unused) {
  (void)unused;
  rl_scenario *s = shipped_with("hanging-chain", NULL, 0);
  rl_driver *fine = driver_for(s, "reference,estimate=false", 1.0 / 480.0);
  rl_driver *coarse = driver_for(s, "reference,estimate=false", 1.0 / 7.0);
  take_steps(fine, 480);
  take_steps(coarse, 7);
  check_below(places_apart(fine, coarse), 1e-9);
  rl_driver_free(fine);
  rl_driver_free(coarse);
  rl_scenario_free(s);
}

// (4.7) The swinging Atwood machine at a mass ratio of 3 has a second integral.
static double swinging_integral(const rl_driver *d, double *r, double *theta) {
  const double x = probe(d, "light.x"), y = probe(d, "light.y");
  const double vx = probe(d, "light.vx"), vy = probe(d, "light.vy");
  *r = hypot(x, y);
  const double now = atan2(x, -y);
  *theta = now - 2.0 * RL_PI * round((now - *theta) / (2.0 * RL_PI));
  const double rate = (x * vx + y * vy) / *r, turn = (x * vy - y * vx) / (*r * *r);
  const double s = sin(0.5 * *theta), c = cos(0.5 * *theta);
  return *r * *r * turn * (rate * c - 0.5 * *r * turn * s) + g * *r * *r * s * c * c;
}

static void swinging_atwood_keeps_its_integral(void **unused) {
  (void)unused;
  rl_scenario *s = shipped_with("swinging-atwood", NULL, 0);
  rl_driver *d = driver_for(s, "reference", 0.01);
  double r, theta = 0.5 * RL_PI;
  for (int n = 0; n < 100; n++) {
    take_steps(d, 1);
    check_near(swinging_integral(d, &r, &theta), 3.46835876171, 1e-10);
  }
  check_near(r, 0.57082602, 6e-9);
  check_near(theta, -4.89160627, 6e-9);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// (4.3b) A mode of N equal beads, small: bead j from the free end moves as L_j(x_k) cos(omega t),
// omega^2 = g x_k / a, with x_k a zero of Laguerre's L_N. What a mode of finite amplitude A is off
// by goes with A^3: 1.2e-12 m at 1e-5 m, in the worst of them.
static void check_modes(double amplitude, double tolerance) {
  enum { N = 4 };
  const double a = 1.0 / N;
  gsl_integration_fixed_workspace *nodes =
      gsl_integration_fixed_alloc(gsl_integration_fixed_laguerre, N, 0.0, 1.0, 0.0, 0.0);
  for (int k = 0; k < N; k++) {
    const double zero = gsl_integration_fixed_nodes(nodes)[k];
    char points[512] = "[0, 0, 0]";
    double y = 0.0, last = 0.0, scale = 0.0;
    for (int j = 0; j < N; j++) {
      scale = fmax(scale, fabs(gsl_sf_laguerre_n(j, 0.0, zero)));
    }
    for (int i = 1; i <= N; i++) {
      const double x = amplitude / scale * gsl_sf_laguerre_n(N - i, 0.0, zero);
      const size_t used = strlen(points);
      y -= sqrt(a * a - (x - last) * (x - last));
      last = x;
      snprintf(points + used, sizeof points - used, ", [%.17g, %.17g, 0]", x, y);
    }
    rl_scenario *s = scenario_from(
        "name: m\nduration: 1\nstep: 0.01\nropes: {r: {from: {point: [0, 0, 0]}, to: {free: "
        "[%.17g, %.17g, 0]}, length: 1, mass: 1, lumping: equal, segments: %d, points: [%s]}}\n",
        last, y, N, points);
    rl_driver *d = driver_for(s, "reference", 0.01);
    take_steps(d, 100);
    for (uint32_t i = 1; i <= N; i++) {
      const double start = s->model->points[rl_rope_node(s->model, d->state, 0, i)].x;
      const double now = d->state->points[rl_rope_node(s->model, d->state, 0, i)].x;
      check_near(now, start * cos(sqrt(g * zero / a)), tolerance);
    }
    rl_driver_free(d);
    rl_scenario_free(s);
  }
  gsl_integration_fixed_free(nodes);
}

static void beads_swing_in_their_modes(void **unused) {
  (void)unused;
  check_modes(1e-5, 2e-12);
  check_modes(1e-6, 1e-14);
}

// The pendulum challenge of Ten Minute Physics: tips of upright rods, integrated by another program
// in joint angles.
typedef struct challenge {
  const char *lengths, *masses;
  double l[5];
  int count;
  double tips[2][2]; // at 0.2 and 0.4 s
} challenge;

static const challenge challenges[] = {
    {"0.15, 0.15, 0.15",
     "1, 1, 1",
     {0.15, 0.15, 0.15},
     3,
     {{0.150001999, 0.104815963}, {-0.073936857, -0.373676517}}},
    {"0.06, 0.15, 0.2",
     "1, 0.5, 0.1",
     {0.06, 0.15, 0.2},
     3,
     {{0.059414186, 0.224693903}, {0.036080692, -0.109424991}}},
    {"0.15, 0.15, 0.15",
     "1, 0.01, 1",
     {0.15, 0.15, 0.15},
     3,
     {{0.149997185, 0.103409462}, {-0.053387655, -0.403585088}}},
    {"0.15, 0.15, 0.15",
     "0.01, 1, 0.01",
     {0.15, 0.15, 0.15},
     3,
     {{0.150000002, 0.100137580}, {0.007434419, -0.215735014}}},
    {"0.2, 0.133, 0.04",
     "0.3, 0.3, 0.3",
     {0.2, 0.133, 0.04},
     3,
     {{0.199999911, -0.025723528}, {-0.134994774, -0.214564178}}},
    {"0.1, 0.12, 0.1, 0.15, 0.05",
     "0.2, 0.6, 0.4, 0.3, 0.2",
     {0.1, 0.12, 0.1, 0.15, 0.05},
     5,
     {{0.100000000, 0.221580840}, {-0.111312824, -0.325564434}}},
};

static rl_scenario *rods_of(const challenge *c) {
  char points[256] = "[0, 0, 0]";
  double y = 0.0;
  for (int i = 0; i < c->count; i++) {
    const size_t used = strlen(points);
    y += i > 0 ? c->l[i] : 0.0;
    snprintf(points + used, sizeof points - used, ", [%.17g, %.17g, 0]", c->l[0], y);
  }
  return scenario_from("name: p\ngravity: [0, -10, 0]\nduration: 1\nstep: 0.01\nropes: {r: {from: "
                       "{point: [0, 0, 0]}, to: {free: [%.17g, %.17g, 0]}, rest_lengths: [%s], "
                       "node_masses: [1, %s], compression: true, points: [%s]}}\n",
                       c->l[0], y, c->lengths, c->masses, points);
}

static void rods_pass_their_points(void **unused) {
  (void)unused;
  for (size_t k = 0; k < sizeof challenges / sizeof challenges[0]; k++) {
    const challenge *c = &challenges[k];
    rl_scenario *s = rods_of(c);
    rl_driver *d = driver_for(s, "reference", 0.01);
    for (int i = 0; i < 2; i++) {
      take_steps(d, 20);
      check_near(probe(d, "r.tip.x"), c->tips[i][0], 6e-10);
      check_near(probe(d, "r.tip.y"), c->tips[i][1], 6e-10);
    }
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// With equal internal steps: the slope between two of them, while they are larger than rounding.
static double pendulum_error(const char *spec, double dt) {
  rl_scenario *s = shipped_with("pendulum", NULL, 0);
  rl_driver *d = driver_for(s, spec, dt);
  take_steps(d, (int)round(1.0 / dt));
  const double error =
      hypot(probe(d, "bob.x") - sin(pendulum_angle), probe(d, "bob.y") + cos(pendulum_angle));
  rl_driver_free(d);
  rl_scenario_free(s);
  return error;
}

static void order_is_at_least_seven(void **unused) {
  (void)unused;
  const double coarse = pendulum_error("reference,substeps=1", 0.25);
  const double middle = pendulum_error("reference,substeps=1", 0.125);
  const double fine = pendulum_error("reference,substeps=2", 0.125);
  check_below(7.0, log2(coarse / middle));
  check_below(7.0, log2(middle / fine));
}

// The folded chain: it hangs between two points that are `d` apart, and one of them lets go.
static rl_scenario *folded_chain(int segments, double d, const char *rods) {
  return scenario_from("name: f\nduration: 1\nstep: 0.001\nropes: {r: {from: {point: [0, 0, 0]}, "
                       "to: {free: [%g, 0, 0]}, length: 1, mass: 1, lumping: equal, segments: %d, "
                       "points: hang, compression: %s}}\n",
                       d, segments, rods);
}

// When its tip is lowest, by a parabola through the three lowest heights [s].
static double fall_time(const rl_scenario *s, double dt, double *energy_error) {
  rl_driver *d = driver_for(s, "reference,estimate=false", dt);
  double y[3] = {0.0, 0.0, 0.0};
  int n = 0;
  *energy_error = 0.0;
  for (; n < 3 || y[2] < y[1]; n++) {
    take_steps(d, 1);
    y[0] = y[1];
    y[1] = y[2];
    y[2] = probe(d, "r.tip.y");
    *energy_error = fmax(*energy_error, fabs(rl_driver_energy_error(d)));
  }
  rl_driver_free(d);
  return dt * (n - 1 + 0.5 * (y[0] - y[2]) / (y[0] - 2.0 * y[1] + y[2]));
}

// Table 3.1 of our references: fall times over those of free fall, another program's.
static void folded_chain_falls_in_its_time(void **unused) {
  (void)unused;
  static const double gaps[] = {0.05, 0.1, 0.25, 0.5, 0.75, 0.9};
  static const int segments[] = {20, 40, 80};
  static const double times[6][3] = {{0.4106, 0.3934, 0.3866}, {0.4018, 0.3894, 0.3846},
                                     {0.3898, 0.3820, 0.3786}, {0.3786, 0.3724, 0.3694},
                                     {0.4004, 0.3960, 0.3940}, {0.4320, 0.4288, 0.4274}};
  for (int i = 0; i < 6; i++) {
    for (int k = 0; k < 3; k++) {
      double energy_error;
      rl_scenario *s = folded_chain(segments[k], gaps[i], "true");
      check_relative(fall_time(s, 0.0005, &energy_error), times[i][k], 1e-3);
      check_below(energy_error, 1e-11);
      rl_scenario_free(s);
    }
  }
}

// The same as a rope, which cannot push: where its tension never was below 0 it falls in the same
// time, and where elements fall slack and are caught in turn it ends all the same.
static void folded_rope_falls_like_the_chain(void **unused) {
  (void)unused;
  double energy_error;
  rl_scenario *s = folded_chain(20, 0.25, "false");
  check_relative(fall_time(s, 0.0005, &energy_error), 0.3898, 1e-3);
  check_below(energy_error, 1e-11);
  rl_scenario_free(s);
  s = folded_chain(20, 0.1, "false");
  check_relative(fall_time(s, 0.0005, &energy_error), 0.402, 5e-3);
  check_below(energy_error, 1e-9);
  rl_scenario_free(s);
}

// Table 3.2: the largest tension at the support of a chain that is let go horizontally, over its
// weight, on a grid of half a millisecond.
static void horizontal_release_pulls_as_hard(void **unused) {
  (void)unused;
  static const int segments[] = {1, 2, 5, 10, 20, 40, 80};
  static const double pulls[] = {3.0, 3.17545, 3.62207, 3.81657, 4.24289, 4.80599, 5.53418};
  for (int k = 0; k < 7; k++) {
    rl_scenario *s = scenario_from(
        "name: h\nduration: 1\nstep: 0.001\nropes: {r: {from: {point: [0, 0, 0]}, to: {free: "
        "[1, 0, 0]}, mass: 1, lumping: equal, segments: %d}}\n",
        segments[k]);
    rl_driver *d = driver_for(s, "reference,estimate=false,forces=end", 0.0005);
    double largest = 0.0;
    for (int n = 0; n < 1200; n++) {
      take_steps(d, 1);
      largest = fmax(largest, probe(d, "r.tension.from") / g);
    }
    check_near(largest, pulls[k], 6e-6);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// (4.17) Two bodies of 80 kg that part at 1 m/s each until a rope with 0.1 m of slack stops them.
static void slack_rope_catches_two_bodies(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from("name: c\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\nbodies:\n"
                                 "  a: {mass: 80, position: [0, 0, 0], velocity: [-1, 0.5, 0]}\n"
                                 "  b: {mass: 80, position: [1, 0, 0], velocity: [1, 0.5, 0]}\n"
                                 "ropes: {r: {from: {body: a}, to: {body: b}, length: 1.1}}\n");
  rl_driver *d = driver_for(s, "reference", 0.04); // the catch, at 0.05 s, is inside a step
  take_steps(d, 2);
  check_near(d->state->dissipated, 80.0, 1e-10);
  check_near(probe(d, "a.vx"), 0.0, 1e-13);
  check_near(probe(d, "b.vy"), 0.5, 1e-13);
  check_near(probe(d, "a.x"), -0.05, 1e-13);
  check_near(probe(d, "b.x"), 1.05, 1e-13);
  check_near(rl_driver_energy_error(d), 0.0, 1e-11);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// A bob that is thrown up inside its circle flies on a parabola until the rope catches it: place
// and time by the quadratic equation's root, and what is left is the velocity along the circle.
static void thrown_bob_is_caught_on_its_circle(void **unused) {
  (void)unused;
  rl_scenario *s =
      scenario_from("name: t\nduration: 1\nstep: 0.01\nbodies:\n"
                    "  bob: {mass: 1, position: [0, -0.6, 0], velocity: [1.5, 1.25, 0]}\n"
                    "ropes: {r: {from: {point: [0, 0, 0]}, to: {body: bob}, length: 1}}\n");
  double low = 0.01, high = 1.0; // bisection for |x(t)| = 1
  for (int i = 0; i < 200; i++) {
    const double t = 0.5 * (low + high);
    const double r = hypot(1.5 * t, -0.6 + 1.25 * t - 0.5 * g * t * t);
    *(r < 1.0 ? &low : &high) = t;
  }
  const double vx = 1.5, vy = 1.25 - g * low;
  const double x = 1.5 * low, y = -0.6 + 1.25 * low - 0.5 * g * low * low;
  const double out = vx * x + vy * y, along = vx * -y + vy * x; // r = 1
  rl_driver *d = driver_for(s, "reference", 0.011);
  take_steps(d, 80);
  check_near(d->state->dissipated, 0.5 * out * out, 1e-11);
  // Energy on the circle since the catch.
  const double energy = 0.5 * along * along + g * y;
  const double now = 0.5 * pow(probe(d, "bob.speed"), 2) + g * probe(d, "bob.y");
  check_near(now, energy, 1e-11);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// A mass on a spring, and one on a damped spring that stays taut.
static void springs_swing_as_they_should(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: s\nduration: 1\nstep: 0.01\nbodies: {b: {mass: 0.5, position: [0, -1.2, 0]}}\n"
      "ropes: {r: {from: {point: [0, 0, 0]}, to: {body: b}, length: 1, stiffness: 40, damping: "
      "0.3}}\n");
  rl_driver *d = driver_for(s, "reference", 0.01);
  take_steps(d, 100);
  const double k = 40.0, c = 0.3, m = 0.5, rest = -1.0 - m * g / k;
  const double decay = 0.5 * c / m, omega = sqrt(k / m - decay * decay);
  const double from = -1.2 - rest, t = 1.0;
  const double y =
      rest + exp(-decay * t) * from * (cos(omega * t) + decay / omega * sin(omega * t));
  check_near(probe(d, "b.y"), y, 1e-12);
  check_near(rl_driver_energy_error(d), 0.0, 1e-12);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// A body that turns, tied beside its centre: energy, and angular momentum about the vertical
// through the point that it hangs from.
static void body_on_a_rope_keeps_what_it_has(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: b\nduration: 1\nstep: 0.01\nbodies:\n"
      "  box: {mass: 2, inertia: [0.03, 0.05, 0.07], position: [0.9, -0.2, 0.1], spin: [3, 2, "
      "-4],\n"
      "        velocity: [0, 0, 1.5]}\n"
      "ropes: {r: {from: {point: [0, 0, 0]}, to: {body: box, at: [-0.1, 0.2, 0.05]}}}\n");
  rl_driver *d = driver_for(s, "reference", 0.02);
  rl_driver *other = driver_for(s, "reference", 0.005);
  const double start = rl_metrics_of(d).momentum.angular.y;
  const double energy = rl_energy_total(rl_driver_energy(d));
  const double loss = d->state->dissipated;
  take_steps(d, 100);
  take_steps(other, 400);
  check_near(rl_metrics_of(d).momentum.angular.y, start, 1e-11);
  check_near(rl_energy_total(rl_driver_energy(d)) + d->state->dissipated, energy + loss, 1e-10);
  check_below(places_apart(d, other), 1e-9);
  rl_driver_free(other);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// A rope end is driven off: work is what comes out.
static void driven_end_does_work(void **unused) {
  (void)unused;
  rl_scenario *s =
      scenario_from("name: d\nduration: 1\nstep: 0.01\nbodies:\n"
                    "  hand: {motion: driven, position: [0, 0, 0], velocity: [0.5, 0.25, 0]}\n"
                    "  load: {mass: 2, position: [0, -1, 0]}\n"
                    "ropes: {r: {from: {body: hand}, to: {body: load}}}\n");
  rl_driver *d = driver_for(s, "reference", 0.04);
  take_steps(d, 25);
  check_near(rl_driver_energy_error(d), 0.0, 1e-11);
  // The jerk at the start: the load gets the upward part at once, P v - P v / 2 is lost.
  check_near(d->state->dissipated, 0.5 * 2.0 * 0.25 * 0.25, 1e-12);
  // In the frame of the hand it is a pendulum that starts with the rest of it.
  const double x = probe(d, "load.x") - probe(d, "hand.x"),
               y = probe(d, "load.y") - probe(d, "hand.y");
  const double u = probe(d, "load.vx") - 0.5, v = probe(d, "load.vy") - 0.25;
  check_near(hypot(x, y), 1.0, 1e-14);
  check_near(0.5 * (u * u + v * v) + g * y, 0.5 * 0.25 - g, 1e-11);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// The whole of a shipped scenario against its closed form: the largest error of any probe after the
// start.
static double error_to_closed_form(const char *name, double dt) {
  rl_scenario *s = shipped_with(name, NULL, 0);
  rl_driver *d = driver_for(s, "reference,forces=end", dt);
  void *exact = calloc(1, s->exact->size);
  rl_state *state = rl_state_create(s->model);
  char message[256];
  double largest = 0.0;
  assert_true(s->exact->init(exact, s->model, s->exact_arguments, message, sizeof message));
  while (d->state->time < s->duration - 0.5 * dt) {
    take_steps(d, 1);
    if (!s->exact->at(exact, s->model, d->state->time, state)) {
      break;
    }
    for (size_t i = 0; i < s->probe_count; i++) {
      if (rl_probe_is_contact(s->model, s->probes[i])) {
        continue; // the state of a closed form has none
      }
      const double value = rl_probe_value(s->model, d->state, s->probes[i]);
      const double expected = rl_probe_value(s->model, state, s->probes[i]);
      largest = rl_larger(largest, fabs(value - expected) / (1.0 + fabs(expected)));
    }
  }
  rl_state_free(state);
  free(exact);
  rl_driver_free(d);
  rl_scenario_free(s);
  return largest;
}

// Drums with and without friction, wheels, a post, tackles, a catch inside a step.
static void ropes_over_bodies_are_exact(void **unused) {
  (void)unused;
  static const char *const names[] = {"winding-post", "atwood-drum",        "atwood-wheel",
                                      "capstan-hold", "capstan-slip",       "capstan-turns",
                                      "atwood-catch", "block-and-tackle-2", "block-and-tackle-4"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    const double error = error_to_closed_form(names[i], 0.0125);
    if (error > 1e-11) {
      print_error("%s:\n", names[i]);
    }
    check_below(error, 1e-11);
  }
}

// A rope lands on a floor, and a chain is drawn from its heap on one, node by node.
static void ropes_land_and_lift_off(void **unused) {
  (void)unused;
  check_below(error_to_closed_form("rope-on-floor", 0.02), 1e-11);
  check_below(error_to_closed_form("chain-from-heap", 0.01), 1e-11);
}

// The companion, which touches other things at other times, changes nothing, not by a bit: a chain
// on a peg that an element comes on to, a rope that rubs on a box, one with a stop in an eye.
static void companion_changes_nothing(void **unused) {
  (void)unused;
  static const char *const names[] = {"chain-over-peg", "drape-box", "chain-through-rough-eye"};
  for (int i = 0; i < 3; i++) {
    rl_scenario *s = shipped_with(names[i], NULL, 0);
    rl_driver *with = driver_for(s, "reference", s->step);
    rl_driver *without = driver_for(s, "reference,estimate=false", s->step);
    take_steps(with, 11);
    take_steps(without, 11);
    print_message("%s: estimate %.1e m\n", names[i], with->info.error_estimate);
    assert_int_equal(rl_state_hash(with->state), rl_state_hash(without->state));
    check_below(0.0, with->info.error_estimate);
    rl_driver_free(with);
    rl_driver_free(without);
    rl_scenario_free(s);
  }
}

typedef struct patience {
  int left;     // how often it is asked before it ends the step
  double share; // that it was told last
} patience;

static bool is_over(void *self, double share) {
  patience *p = self;
  assert_true(share >= p->share && share < 1.0);
  p->share = share;
  return p->left-- == 0;
}

// A step that is ended from outside, in the companion or after it, is not made; what follows is as
// if it had never begun.
static void steps_can_be_ended(void **unused) {
  (void)unused;
  rl_scenario *s = shipped_with("hanging-chain", NULL, 0);
  rl_driver *whole = driver_for(s, "reference", 0.1), *d = driver_for(s, "reference", 0.1);
  const uint64_t start = rl_state_hash(d->state);
  patience p = {0, 0.0};
  const rl_watch watch = {is_over, &p};
  d->info.watch = &watch;
  double last = 0.0;
  for (int asked = 0; asked < 1000 && !(last > 0.5); asked += 5) {
    p = (patience){asked, 0.0};
    assert_true(rl_driver_step(d) == RL_RUNNING);
    assert_true(rl_state_hash(d->state) == start);
    assert_true(p.share > last || asked == 0);
    last = p.share;
  }
  check_near(last, 0.75, 0.25);
  d->info.watch = NULL;
  take_steps(d, 1);
  take_steps(whole, 1);
  assert_true(rl_state_hash(d->state) == rl_state_hash(whole->state));
  rl_driver_free(whole);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// A step that cannot be done ends the run, and says why.
static void steps_have_a_limit(void **unused) {
  (void)unused;
  rl_scenario *s = shipped_with("hanging-chain", NULL, 0);
  rl_driver *d = driver_for(s, "reference,step_limit=2", 0.1);
  rl_reason reason = RL_RUNNING;
  for (int n = 0; n < 10 && reason >= 0; n++) {
    reason = rl_driver_step(d);
  }
  assert_int_equal(reason, RL_DIVERGED_STEPS);
  rl_driver_free(d);
  rl_scenario_free(s);
}

int main(void) {
  gsl_set_error_handler_off();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pendulum_is_at_its_angle),
      cmocka_unit_test(output_step_does_not_matter),
      cmocka_unit_test(swinging_atwood_keeps_its_integral),
      cmocka_unit_test(beads_swing_in_their_modes),
      cmocka_unit_test(rods_pass_their_points),
      cmocka_unit_test(order_is_at_least_seven),
      cmocka_unit_test(folded_chain_falls_in_its_time),
      cmocka_unit_test(folded_rope_falls_like_the_chain),
      cmocka_unit_test(horizontal_release_pulls_as_hard),
      cmocka_unit_test(slack_rope_catches_two_bodies),
      cmocka_unit_test(thrown_bob_is_caught_on_its_circle),
      cmocka_unit_test(springs_swing_as_they_should),
      cmocka_unit_test(body_on_a_rope_keeps_what_it_has),
      cmocka_unit_test(driven_end_does_work),
      cmocka_unit_test(ropes_over_bodies_are_exact),
      cmocka_unit_test(ropes_land_and_lift_off),
      cmocka_unit_test(companion_changes_nothing),
      cmocka_unit_test(steps_can_be_ended),
      cmocka_unit_test(steps_have_a_limit),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
