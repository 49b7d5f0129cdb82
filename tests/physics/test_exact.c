// SPDX-License-Identifier: GPL-3.0-or-later
// The closed forms against published digits (references 4).
#include "check.h"

#include "exact/modes.h"
#include "world/wrap.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <gsl/gsl_sf_bessel.h>
#include <gsl/gsl_sf_laguerre.h>
#include <stdlib.h>
#include <string.h>

// The state of a scenario's closed form at time t; the caller frees it.
static rl_state *exact_state(const rl_scenario *s, double t) {
  char message[256];
  void *self = calloc(1, s->exact->size);
  rl_state *state = rl_state_create(s->model);
  assert_true(s->exact->init(self, s->model, s->exact_arguments, message, sizeof message));
  const bool known = s->exact->at(self, s->model, t, state);
  free(self);
  if (!known) {
    rl_state_free(state);
    return NULL;
  }
  return state;
}

static double value(const rl_scenario *s, const rl_state *state, const char *name) {
  rl_probe parsed;
  char message[256];
  assert_true(rl_probe_parse(s->model, name, &parsed, message, sizeof message) == RL_PROBE_OK);
  return rl_probe_value(s->model, state, parsed);
}

// The tension of the piece behind a wrap of the first rope.
static double behind(const rl_scenario *s, const rl_state *state, uint32_t wrap) {
  return state->wraps[s->model->ropes[0].first_wrap + wrap].tension;
}

static rl_scenario *pendulum(double degrees) {
  const double angle = degrees * 3.14159265358979323846 / 180.0;
  return scenario_from("name: p\nduration: 1\nstep: 0.01\n"
                       "bodies: {bob: {mass: 1, position: [%.17g, %.17g, 0]}}\n"
                       "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: bob}, length: 1,"
                       " compression: true}}\n"
                       "exact: {pendulum: {rope: line}}\n",
                       sin(angle), -cos(angle));
}

static void pendulum_periods(void **unused) {
  (void)unused;
  static const struct {
    double degrees, period;
  } known[] = {{10, 2.0098926272986},  {30, 2.04098988951913},  {60, 2.15287466688052},
               {90, 2.36784194757624}, {120, 2.75408982888783}, {150, 3.53509818638152},
               {170, 4.89352427410549}};
  for (size_t i = 0; i < 7; i++) {
    rl_scenario *s = pendulum(known[i].degrees);
    const double start = known[i].degrees * 3.14159265358979323846 / 180.0;
    rl_state *half = exact_state(s, 0.5 * known[i].period);
    rl_state *quarter = exact_state(s, 0.25 * known[i].period);
    check_near(value(s, half, "line.angle"), -start, 1e-11);
    check_near(value(s, quarter, "line.angle"), 0.0, 1e-11);
    // At the bottom: T = m g (3 - 2 cos theta0), v^2 = 2 g L (1 - cos theta0).
    check_relative(value(s, quarter, "line.tension"), 9.81 * (3.0 - 2.0 * cos(start)), 1e-11);
    check_relative(value(s, quarter, "bob.speed"), sqrt(2.0 * 9.81 * (1.0 - cos(start))), 1e-11);
    rl_state_free(half);
    rl_state_free(quarter);
    rl_scenario_free(s);
  }
}

static void pendulum_angles(void **unused) {
  (void)unused;
  static const double angles[] = {1.26518970340632, 0.401770849808083, -0.672439294985879,
                                  -1.4050273115248};
  rl_scenario *s = pendulum(90.0);
  for (int i = 0; i < 4; i++) {
    rl_state *state = exact_state(s, 0.25 * (i + 1));
    check_near(value(s, state, "line.angle"), angles[i], 1e-12);
    rl_state_free(state);
  }
  rl_scenario_free(s);
}

// The velocity a closed form gives is the derivative of its position.
static void velocities_are_derivatives(void **unused) {
  (void)unused;
  static const struct {
    const char *name, *item;
    double time;
  } cases[] = {{"pendulum", "bob", 0.4},
               {"atwood", "light", 0.4},
               {"double-atwood", "left", 0.4},
               {"atwood-wheel", "heavy", 0.4},
               {"capstan-slip", "light", 0.4},
               {"landing-slack", "heavy", 0.4},
               {"twofold-purchase", "block", 0.4},
               {"winding-post", "puck", 0.4},
               {"winding-polygon", "puck", 0.7},
               {"chain-from-heap", "chain.node.18", 0.04},
               {"interrupted-pendulum", "bob", 0.4},
               {"hanging-beads", "line.node.5", 0.4},
               {"hanging-mode-load", "load", 0.4},
               {"string-mode", "string.node.3", 0.4},
               {"spring-mode", "springs.node.5", 0.3},
               {"spinning-rope", "rope.tip", 0.4},
               {"spinning-loop", "loop.node.4", 0.4},
               {"skipping-rope", "rope.node.5", 0.4},
               {"folded-chain", "chain.tip", 0.3},
               {"chain-over-peg", "chain.tip", 0.4},
               {"chain-off-table", "chain.node.0", 0.6},
               {"catch", "second", 0.04}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    rl_diagnostic diagnostic;
    rl_scenario *s = rl_scenario_from_file(shipped(cases[i].name), NULL, 0, &diagnostic);
    assert_non_null(s);
    const double t = cases[i].time, h = 1e-5;
    rl_state *before = exact_state(s, t - h), *now = exact_state(s, t),
             *after = exact_state(s, t + h);
    for (int axis = 0; axis < 3; axis++) {
      char x[32], v[32];
      snprintf(x, sizeof x, "%s.%c", cases[i].item, 'x' + axis);
      snprintf(v, sizeof v, "%s.v%c", cases[i].item, 'x' + axis);
      check_near(value(s, now, v), (value(s, after, x) - value(s, before, x)) / (2.0 * h), 2e-8);
    }
    rl_state_free(before);
    rl_state_free(now);
    rl_state_free(after);
    rl_scenario_free(s);
  }
}

static rl_scenario *cable(const char *form, double height, int segments) {
  return scenario_from("name: c\nduration: 1\nstep: 0.01\n"
                       "ropes: {cable: {from: {point: [0, 0, 0]}, to: {point: [8, %g, 0]},"
                       " length: 10, mass: 1, segments: %d}}\n"
                       "exact: {%s: {rope: cable}}\n",
                       height, segments, form);
}

static void smooth_catenary(void **unused) {
  (void)unused;
  // s = 8, h = 0: sag 2.65437509139824; tension over w of the element at the support, half an
  // element below it, tends to 6.03639388225173.
  rl_scenario *s = cable("catenary", 0.0, 1000);
  rl_state *state = exact_state(s, 0.0);
  check_near(value(s, state, "cable.sag"), 2.65437509139824, 1e-12);
  check_near(value(s, state, "cable.tension.from") / (0.981), 6.03639388225173, 5e-3);
  rl_state_free(state);
  rl_scenario_free(s);
  // s = 8, h = 3: ends at the right heights, tensions 4.90962571546708 w and 7.90962571546708 w.
  s = cable("catenary", 3.0, 1000);
  state = exact_state(s, 0.0);
  check_near(value(s, state, "cable.node.-1.x"), 8.0, 1e-12);
  check_near(value(s, state, "cable.node.-1.y"), 3.0, 1e-12);
  check_near(value(s, state, "cable.tension.from") / 0.981, 4.90962571546708, 5e-3);
  check_near(value(s, state, "cable.tension.to") / 0.981, 7.90962571546708, 5e-3);
  rl_state_free(state);
  rl_scenario_free(s);
}

static void discrete_catenary(void **unused) {
  (void)unused;
  static const struct {
    int count;
    double horizontal, sag;
  } known[] = {{4, 3.26534794092598, 2.74860158814058},
               {8, 3.30397998495453, 2.67680155666143},
               {16, 3.31430144557852, 2.65991492134758},
               {32, 3.31689483679003, 2.65575606526847},
               {64, 3.31754398166404, 2.65472008844862}};
  for (size_t i = 0; i < 5; i++) {
    rl_scenario *s = cable("discrete-catenary", 0.0, known[i].count);
    rl_state *state = exact_state(s, 0.0);
    // The first element carries H and half the weight of the inner nodes.
    const double vertical = 0.5 * 9.81 * (known[i].count - 1) / known[i].count;
    check_near(value(s, state, "cable.sag"), known[i].sag, 1e-11);
    check_relative(value(s, state, "cable.tension.from"), hypot(known[i].horizontal, vertical),
                   1e-12);
    rl_state_free(state);
    rl_scenario_free(s);
  }
}

// H = 2.9460213179959 N, V = 4.905 N, sag 2.95208221984895 m; the tension of the first element is
// that in its middle, at the support it is 5.72171885066772 N.
static void elastic_catenary(void **unused) {
  (void)unused;
  const double horizontal = 2.9460213179959, vertical = 4.905;
  check_relative(hypot(horizontal, vertical), 5.72171885066772, 1e-14);
  rl_scenario *s = scenario_from("name: c\nduration: 1\nstep: 0.01\n"
                                 "ropes: {cable: {from: {point: [0, 0, 0]}, to: {point: [8, 0, 0]},"
                                 " length: 10, mass: 1, segments: 64, stiffness: 100}}\n"
                                 "exact: {elastic-catenary: {rope: cable}}\n");
  rl_state *state = exact_state(s, 0.0);
  check_near(value(s, state, "cable.sag"), 2.95208221984895, 1e-13);
  check_near(value(s, state, "cable.tip.x"), 8.0, 1e-12);
  check_near(value(s, state, "cable.tip.y"), 0.0, 1e-12);
  const double first = hypot(horizontal, vertical - 0.981 * 10.0 / 128.0);
  check_relative(value(s, state, "cable.tension.from"), first, 1e-13);
  check_relative(value(s, state, "cable.tension.to"), first, 1e-13);
  rl_state_free(state);
  rl_scenario_free(s);
}

// The discrete form of an elastic rope, slack or stretched between its ends, is where the world's
// own equilibrium of a chain (another method) puts it.
static void discrete_elastic_catenary(void **unused) {
  (void)unused;
  static const struct {
    double x, y, stiffness;
  } cases[] = {{8.0, 0.0, 100.0}, {3.0, 5.0, 5.0}, {11.0, -7.0, 30.0}, {0.7, 0.0, 1e4}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    rl_scenario *s =
        scenario_from("name: c\nduration: 1\nstep: 0.01\n"
                      "ropes: {cable: {from: {point: [0, 0, 0]}, to: {point: [%g, %g, 0]},"
                      " length: 10, mass: 1, segments: 17, stiffness: %g, points: hang}}\n"
                      "exact: {discrete-catenary: {rope: cable}}\n",
                      cases[i].x, cases[i].y, cases[i].stiffness);
    rl_state *rest = rl_state_create(s->model), *state = exact_state(s, 0.0);
    for (uint32_t k = 0; k <= 17; k++) {
      check_near(rl_distance(rl_rope_position(s->model, state, 0, k),
                             rl_rope_position(s->model, rest, 0, k)),
                 0.0, 1e-9);
    }
    rl_state_free(rest);
    rl_state_free(state);
    rl_scenario_free(s);
  }
}

// A metre of hanging rope whose nodes 1 ... count are displaced so; `rest` is how its elements and
// masses are given, `load` the mass of a body at its end.
static rl_scenario *hanging(const char *form, int count, const double *aside, const char *masses,
                            double load) {
  char points[8192] = "[0, 0, 0]";
  const double rest = 1.0 / count;
  double y = 0.0;
  for (int i = 0; i < count; i++) {
    const double lean = aside[i] - (i > 0 ? aside[i - 1] : 0.0);
    y -= sqrt(rest * rest - lean * lean);
    const size_t used = strlen(points);
    snprintf(points + used, sizeof points - used, ", [%.17g, %.17g, 0]", aside[i], y);
  }
  return scenario_from(
      "name: h\nduration: 1\nstep: 0.01\nbodies: {load: {mass: %g, position: [%.17g, %.17g, 0]}}\n"
      "ropes: {line: {from: {point: [0, 0, 0]}, to: {%s [%.17g, %.17g, 0]}, length: 1,"
      " segments: %d, %s, points: [%s]}}\nexact: {%s: {rope: line}}\n",
      load > 0.0 ? load : 1.0, aside[count - 1], y,
      load > 0.0 ? "body: load, at:" : "free:", load > 0.0 ? 0.0 : aside[count - 1],
      load > 0.0 ? 0.0 : y, count, masses, points, form);
}

// After half a period of a mode the rope is as far on the other side; after a quarter, plumb.
static void check_mode(rl_scenario *s, double frequency, double tolerance) {
  rl_state *start = rl_state_create(s->model);
  rl_state *half = exact_state(s, 3.14159265358979323846 / frequency);
  rl_state *quarter = exact_state(s, 0.5 * 3.14159265358979323846 / frequency);
  double largest = 0.0, error = 0.0;
  for (uint32_t i = 1; i <= s->model->ropes[0].link_count; i++) {
    const double x = rl_rope_position(s->model, start, 0, i).x;
    largest = fmax(largest, fabs(x));
    error = fmax(error, fabs(rl_rope_position(s->model, half, 0, i).x + x));
    error = fmax(error, fabs(rl_rope_position(s->model, quarter, 0, i).x));
  }
  check_near(error, 0.0, tolerance * largest);
  rl_state_free(start);
  rl_state_free(half);
  rl_state_free(quarter);
  rl_scenario_free(s);
}

// N equal beads: mode k moves bead j from the end as L_j(x_k), at sqrt(g x_k / a).
static void hanging_beads_have_laguerre_frequencies(void **unused) {
  (void)unused;
  static const struct {
    int count, mode;
    double frequency;
  } known[] = {{2, 0, 3.39015190017201}, {2, 1, 8.18455069590018},  {4, 0, 3.55763563910991},
               {8, 0, 3.65561835307029}, {16, 0, 3.70910386330348}, {32, 0, 3.73712479352497},
               {64, 0, 3.75147736555493}};
  for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
    const int n = known[k].count;
    gsl_integration_fixed_workspace *nodes =
        gsl_integration_fixed_alloc(gsl_integration_fixed_laguerre, (size_t)n, 0.0, 1.0, 0.0, 0.0);
    const double zero = gsl_integration_fixed_nodes(nodes)[known[k].mode];
    check_relative(sqrt(9.81 * zero * n), known[k].frequency, 1e-13);
    double aside[64];
    for (int i = 0; i < n; i++) {
      aside[i] = 1e-4 * gsl_sf_laguerre_n(n - 1 - i, 0.0, zero);
    }
    check_mode(hanging("hanging-modes", n, aside, "mass: 1, lumping: equal", 0.0),
               known[k].frequency, 1e-11);
    gsl_integration_fixed_free(nodes);
  }
}

// The smooth rope's modes, j_{0,k}/2 sqrt(g/L); the chain with half the mass on its last bead has
// its lowest frequency within -0.46, -0.116, -0.0289, -0.0072 %.
static void hanging_rope_has_bessel_frequencies(void **unused) {
  (void)unused;
  static const double known[] = {3.76606738842084, 8.64469611367751, 13.5521357783259,
                                 18.4660850630525, 23.38250360039};
  double aside[64];
  for (int k = 0; k < 5; k++) {
    for (int i = 0; i < 64; i++) {
      aside[i] = 1e-4 * gsl_sf_bessel_J0(2.0 * known[k] * sqrt((63 - i) / 64.0 / 9.81));
    }
    check_mode(hanging("hanging-mode", 64, aside, "mass: 1", 0.0), known[k], 1e-11);
  }
  static const double defect[][2] = {
      {0.0046, 5e-5}, {0.00116, 5e-6}, {0.000289, 5e-7}, {0.000072, 5e-7}};
  static rl_exact_modes modes;
  const rl_vec3 none[64] = {{0.0, 0.0, 0.0}};
  for (int k = 0; k < 4; k++) {
    const int n = 8 << k;
    double masses[64], springs[65] = {0.0};
    char message[256];
    for (int i = 0; i < n; i++) {
      masses[i] = i + 1 < n ? 1.0 : 0.5;
      springs[i] = 9.81 * (n - i - 0.5) * n;
    }
    assert_true(
        rl_exact_modes_init(&modes, (uint32_t)n, masses, springs, none, none, message, 256));
    check_near(modes.frequencies[0] / known[0] - 1.0, -defect[k][0], defect[k][1]);
  }
}

// L = mu = M = 1.
static void loaded_rope_has_its_frequencies(void **unused) {
  (void)unused;
  static const double known[] = {3.30881234820856, 12.7842182661993, 24.2345713085705,
                                 35.9561039752735};
  const int n = 40;
  double aside[40];
  for (int k = 0; k < 4; k++) {
    const double w = known[k], top = 2.0 * w * sqrt(2.0 / 9.81);
    check_near(gsl_sf_bessel_J0(top) * gsl_sf_bessel_Yn(2, 2.0 * w / sqrt(9.81)),
               gsl_sf_bessel_Y0(top) * gsl_sf_bessel_Jn(2, 2.0 * w / sqrt(9.81)), 1e-13);
    for (int i = 0; i < n; i++) {
      const double u = 2.0 * w * sqrt(((double)(n - 1 - i) / n + 1.0) / 9.81);
      aside[i] = 1e-4 * (gsl_sf_bessel_J0(u) * gsl_sf_bessel_Y0(top) -
                         gsl_sf_bessel_Y0(u) * gsl_sf_bessel_J0(top));
    }
    check_mode(hanging("hanging-mode", n, aside, "mass: 1", 1.0), w, 1e-10);
  }
}

// Rows of equal masses and springs: all frequencies, for fixed-fixed and fixed-free ends.
static void rows_of_springs_have_their_frequencies(void **unused) {
  (void)unused;
  enum { COUNT = 12 };
  static rl_exact_modes modes;
  const double stiffness = 317.0, mass = 0.213, half_pi = 0.5 * 3.14159265358979323846;
  const rl_vec3 none[COUNT] = {{0.0, 0.0, 0.0}};
  double masses[COUNT], springs[COUNT + 1];
  char message[256];
  for (int i = 0; i <= COUNT; i++) {
    springs[i] = stiffness;
    masses[i < COUNT ? i : 0] = mass;
  }
  for (int loose = 0; loose < 2; loose++) {
    springs[COUNT] = loose ? 0.0 : stiffness;
    assert_true(
        rl_exact_modes_init(&modes, COUNT, masses, springs, none, none, message, sizeof message));
    for (int k = 1; k <= COUNT; k++) {
      const double angle =
          loose ? (2 * k - 1) * half_pi / (2 * COUNT + 1) : k * half_pi / (COUNT + 1);
      check_relative(modes.frequencies[k - 1], 2.0 * sqrt(stiffness / mass) * sin(angle), 1e-12);
    }
  }
}

// A spinning rope of equal masses swings out of its plane at omega sqrt(j (j + 1)/2), j = 1, 3, 5.
static void spinning_rope_has_legendre_frequencies(void **unused) {
  (void)unused;
  rl_diagnostic diagnostic;
  rl_scenario *s = rl_scenario_from_file(shipped("spinning-rope"), NULL, 0, &diagnostic);
  assert_non_null(s);
  rl_state *state = exact_state(s, 0.1);
  check_near(value(s, state, "rope.tension.from"), 21.7131, 5e-5);
  check_near(value(s, state, "rope.tension.to"), 3.94784, 5e-6);
  const double spin = 2.0 * 3.14159265358979323846, n = 10.0;
  static rl_exact_modes modes;
  const rl_vec3 none[10] = {{0.0, 0.0, 0.0}};
  double masses[10], springs[11] = {0.0};
  char message[256];
  for (int i = 1; i <= 10; i++) {
    masses[i - 1] = 1.0 / n;
    springs[i - 1] = spin * spin * (n * (n + 1.0) - i * (i - 1.0)) / (2.0 * n);
    check_relative(springs[i - 1], n * rl_rope_tension(s->model, state, 0, (uint32_t)i - 1), 1e-12);
  }
  assert_true(rl_exact_modes_init(&modes, 10, masses, springs, none, none, message, 256));
  for (int k = 0; k < 10; k++) {
    const double j = 2.0 * k + 1.0;
    check_relative(modes.frequencies[k], spin * sqrt(0.5 * j * (j + 1.0)), 1e-11);
  }
  rl_state_free(state);
  // The tip of its second mode is back after a period, and on the other side after half of it.
  const double period = 0.408248,
               swing = value(s, state = exact_state(s, 0.25 * period), "rope.tip.z");
  rl_state_free(state);
  check_near(swing, 0.307811959239 / (spin * sqrt(6.0)), 1e-9);
  check_near(value(s, state = exact_state(s, 0.75 * period), "rope.tip.z"), -swing, 1e-9);
  rl_state_free(state);
  rl_scenario_free(s);
}

static void spinning_loop_has_its_tension(void **unused) {
  (void)unused;
  rl_diagnostic diagnostic;
  rl_scenario *s = rl_scenario_from_file(shipped("spinning-loop"), NULL, 0, &diagnostic);
  assert_non_null(s);
  rl_state *state = exact_state(s, 1.0 / 12.0); // a twelfth of a turn
  check_near(value(s, state, "loop.tension"), 3.177769, 5e-7);
  check_near(value(s, state, "loop.node.0.x"), 0.433012701892, 1e-11);
  check_near(value(s, state, "loop.node.0.y"), 0.25, 1e-11);
  rl_state_free(state);
  rl_scenario_free(s);
}

// L/S = 1.5: k = 0.587800983561342, A/S = 0.515704709053842, H/(mu omega^2 S^2) =
// 0.125946065183137; L/S = 2: 0.723986828110424, 0.811413829810344, 0.149426368276191. T/H = 1 +
// 2k^2/(1 - k^2) at the ends.
static void skipping_ropes_have_their_curve(void **unused) {
  (void)unused;
  static const double known[2][4] = {
      {1.5, 0.587800983561342, 0.515704709053842, 0.125946065183137},
      {2.0, 0.723986828110424, 0.811413829810344, 0.149426368276191}};
  for (size_t k = 0; k < 2; k++) {
    for (int count = 1000; count <= 1001; count++) {
      rl_scenario *s = scenario_from(
          "name: t\nduration: 1\nstep: 0.01\ngravity: [0, 0, 0]\n"
          "ropes: {rope: {from: {point: [0, 0, 0]}, to: {point: [3, 0, 0]}, length: %g, mass: 0.7,"
          " segments: %d, points: [[0, 0, 0], [1.5, 0, 0.5], [3, 0, 0]], spin: [-4, 0, 0],"
          " pivot: [0, 0, 0]}}\nexact: {troposkein: {rope: rope}}\n",
          3.0 * known[k][0], count);
      rl_state *state = exact_state(s, 0.0);
      const double density = 0.7 / (3.0 * known[k][0]), pull = known[k][3] * density * 16.0 * 9.0;
      const double modulus = known[k][1] * known[k][1];
      if (count == 1000) {
        check_relative(value(s, state, "rope.node.500.z"), 3.0 * known[k][2], 1e-12);
        check_near(value(s, state, "rope.node.500.x"), 1.5, 1e-12);
        check_near(value(s, state, "rope.node.1000.x"), 3.0, 1e-12);
        check_relative(value(s, state, "rope.tension.from"),
                       pull * (1.0 + 2.0 * modulus / (1.0 - modulus)), 1e-5); // half an element off
      } else {
        check_relative(value(s, state, "rope.tension.500"), pull, 1e-12);
      }
      rl_state_free(state);
      rl_scenario_free(s);
    }
  }
}

// 80 kg each, 1 m/s each, 0.1 m of slack: taut at 0.05 s, 80 N s, 80 J.
static void catch_takes_what_is_along_the_rope(void **unused) {
  (void)unused;
  rl_diagnostic diagnostic;
  rl_scenario *s = rl_scenario_from_file(shipped("catch"), NULL, 0, &diagnostic);
  assert_non_null(s);
  rl_state *before = exact_state(s, 0.05 * (1.0 - 1e-12)),
           *after = exact_state(s, 0.05 * (1.0 + 1e-12));
  check_near(80.0 * (value(s, before, "second.vx") - value(s, after, "second.vx")), 80.0, 1e-9);
  check_near(rl_energy_total(rl_state_energy(s->model, before)) / 2.0 -
                 rl_energy_total(rl_state_energy(s->model, after)) / 2.0,
             40.0, 1e-9);
  rl_state_free(before);
  rl_state_free(after);
  rl_scenario_free(s);
  // Other masses, and a speed across the rope and of the whole, under gravity.
  const rl_override overrides[] = {{"gravity", "[0, 0, -3]"},
                                   {"bodies.first.mass", "50"},
                                   {"bodies.second.velocity", "[1, 0.5, 2]"}};
  assert_non_null(s = rl_scenario_from_file(shipped("catch"), overrides, 3, &diagnostic));
  double turns[2];
  for (int i = 0; i < 2; i++) {
    rl_state *state = exact_state(s, 0.3 + 0.7 * i);
    const rl_vec3 apart = rl_sub(rl_position(&state->points[s->model->ropes[0].ends[1]]),
                                 rl_position(&state->points[s->model->ropes[0].ends[0]]));
    const rl_vec3 rate = rl_sub(state->velocities[s->model->ropes[0].ends[1]],
                                state->velocities[s->model->ropes[0].ends[0]]);
    check_near(rl_length(apart), 1.1, 1e-14);
    check_near(rl_dot(apart, rate), 0.0, 1e-14);
    turns[i] = rl_length(rl_cross(apart, rate));
    const double speed = rl_length(rate);
    check_relative(value(s, state, "line.tension"), 50.0 * 80.0 / 130.0 * speed * speed / 1.1,
                   1e-13);
    // Mass centre: -0.5 * 50 + 0.5 * 80 over 130, at (-50 + 80)/130 m/s.
    const double t = 0.3 + 0.7 * i;
    check_near((50.0 * value(s, state, "first.x") + 80.0 * value(s, state, "second.x")) / 130.0,
               (15.0 + 30.0 * t) / 130.0, 1e-14);
    check_near((50.0 * value(s, state, "first.z") + 80.0 * value(s, state, "second.z")) / 130.0,
               80.0 * 2.0 / 130.0 * t - 1.5 * t * t, 1e-14);
    rl_state_free(state);
  }
  check_relative(turns[0], turns[1], 1e-14);
  rl_scenario_free(s);
}

// rope-on-floor: free fall, and three weights of what lies where it starts from the ground. The
// differential pulley: the acceleration of its comment, and its balance. A hanging cord: longer by
// W L/(2 EA), and by m g L/EA for a load.
static void ropes_land_drums_turn_and_cords_hang(void **unused) {
  (void)unused;
  rl_diagnostic diagnostic;
  const rl_override low[] = {{"ropes.rope.from.free.1", "0.01"}, {"probes", "[rope.force.floor]"}};
  rl_scenario *s = rl_scenario_from_file(shipped("rope-on-floor"), low, 2, &diagnostic);
  assert_non_null(s);
  void *self = calloc(1, s->exact->size);
  char message[256];
  assert_true(s->exact->init(self, s->model, s->exact_arguments, message, sizeof message));
  const double fallen = 0.5 * 9.81 * 0.3 * 0.3;
  check_relative(s->exact->contact(self, s->model, 0.3, s->probes[0]), 3.0 * 9.81 * fallen / 0.98,
                 1e-12);
  check_relative(s->exact->contact(self, s->model, 0.45, s->probes[0]), 9.81, 1e-12);
  free(self);
  rl_state *state = exact_state(s, 0.446986);
  check_near(value(s, state, "rope.tip.y"), 0.01, 5e-6);
  check_near(value(s, state, "rope.node.15.vy"), 0.0, 0.0);
  rl_state_free(state);
  rl_scenario_free(s);

  const rl_override heavy = {"bodies.hand.mass", "3.8"};
  assert_non_null(
      s = rl_scenario_from_file(shipped("differential-pulley"), &heavy, 1, &diagnostic));
  state = exact_state(s, 1.0);
  check_near(value(s, state, "hand.vy"), -1.373950, 5e-7);
  check_near(value(s, state, "pulley.vy"), 0.1373950, 5e-8);
  rl_state_free(state);
  rl_scenario_free(s);
  assert_non_null(s = rl_scenario_from_file(shipped("differential-pulley"), NULL, 0, &diagnostic));
  state = exact_state(s, 1.0);
  check_near(value(s, state, "hand.vy"), 0.0, 1e-12);
  check_relative(behind(s, state, 0), 98.1, 1e-12);
  // F = W (R - r)/(2 R), beside what the slack end needs.
  check_relative(value(s, state, "rope.tension.from"), 20.0 * 9.81 * 0.1 + 9.81 * 0.8, 1e-12);
  rl_state_free(state);
  rl_scenario_free(s);

  for (int load = 0; load < 2; load++) {
    s = scenario_from("name: c\nduration: 1\nstep: 0.01\n"
                      "bodies: {weight: {mass: 0.5, position: [0, -1, 0]}}\n"
                      "ropes: {cord: {from: {point: [0, 0, 0]}, to: {%s}, length: 1, mass: 0.1,"
                      " segments: 8, stiffness: 50, damping: 0.5}}\n"
                      "exact: {hanging-cord: {rope: cord}}\n",
                      load ? "body: weight" : "free: [0, -1, 0]");
    state = exact_state(s, 0.0);
    // The load takes the place of the last half of a bead.
    const double longer = load ? 0.5 * 0.1 + 0.5 - 0.1 / 16.0 : 0.5 * 0.1;
    check_relative(value(s, state, "cord.length"), 1.0 + longer * 9.81 / 50.0, 1e-13);
    rl_state_free(state);
    rl_scenario_free(s);
  }
}

// A chain of a metre, `level` of it on a table without a thickness, the rest over its edge.
static rl_scenario *table(const char *form, int count, double level, double friction) {
  return scenario_from("name: t\nduration: 1\nstep: 0.01\n"
                       "bodies: {table: {motion: fixed, position: [0, -9, 0], friction: %g, shape: "
                       "{box: {size: [1, 1,"
                       " 1]}}}}\n"
                       "ropes: {chain: {from: {free: [%.17g, 0, 0]}, to: {free: [0, %.17g, 0]}, "
                       "mass: 1, segments: %d,"
                       " points: [[%.17g, 0, 0], [0, 0, 0], [0, %.17g, 0]]}}\n"
                       "exact: {%s: {rope: chain, body: table}}\n",
                       friction, -level, level - 1.0, count, -level, level - 1.0, form);
}

// The last moment at which a closed form knows the state, by halves between two times.
static double end_of(const rl_scenario *s, double low, double high) {
  for (int i = 0; i < 60; i++) {
    const double t = 0.5 * (low + high);
    rl_state *state = exact_state(s, t);
    *(state ? &low : &high) = t;
    rl_state_free(state);
  }
  return low;
}

// L = 1 m, y0 = 0.1 m: off the table after 0.955662506514771 s at 3.11639214477254 m/s; with
// friction of 0.05 at 3.0519821428049 m/s. Without a guide the edge lets go at (L + sqrt(L^2 + 8
// y0^2))/4.
static void chains_slide_off_a_table(void **unused) {
  (void)unused;
  rl_scenario *s = table("guided-chain", 10, 0.9, 0.0);
  double end = end_of(s, 0.1, 1.5);
  check_relative(end, 0.955662506514771, 1e-13);
  rl_state *state = exact_state(s, end);
  check_relative(value(s, state, "chain.tip.speed"), 3.11639214477254, 1e-13);
  check_near(value(s, state, "chain.node.0.x"), 0.0, 1e-12);
  rl_state_free(state);
  rl_scenario_free(s);
  s = table("guided-chain", 10, 0.9, 0.05);
  state = exact_state(s, end_of(s, 0.1, 1.5));
  check_relative(value(s, state, "chain.tip.speed"), 3.0519821428049, 1e-13);
  rl_state_free(state);
  rl_scenario_free(s);
  // It starts where y0 > mu L/(1 + mu): for y0 = 0.1 m up to mu = 1/9.
  rl_scenario_free(table("guided-chain", 10, 0.9, 0.1111));
  static const int counts[] = {100, 1000};
  double errors[2];
  for (int k = 0; k < 2; k++) {
    s = table("sliding-chain", counts[k], 0.9, 0.0);
    state = exact_state(s, end_of(s, 0.1, 1.5));
    errors[k] = -value(s, state, "chain.tip.y") - 0.25 * (1.0 + sqrt(1.08));
    rl_state_free(state);
    rl_scenario_free(s);
  }
  check_near(errors[1], 0.0, 1e-3);
  check_near(errors[0] / errors[1], 10.0, 1.0); // an edge of one element has a radius of that size
}

// A chain of a metre over half a circle, on one side by 0.1 m longer.
static rl_scenario *peg(int count, double radius) {
  enum { PIECES = 400 };
  static char points[PIECES * 64];
  const double pi = 3.14159265358979323846,
               free = 1.0 - 2.0 * PIECES * radius * sin(0.5 * pi / PIECES);
  points[0] = '\0';
  for (int i = 0; i <= PIECES; i++) {
    const size_t used = strlen(points);
    snprintf(points + used, sizeof points - used, "[%.17g, %.17g, 0], ",
             -radius * cos(pi * i / PIECES), radius * sin(pi * i / PIECES));
  }
  return scenario_from(
      "name: p\nduration: 1\nstep: 0.01\n"
      "bodies: {peg: {motion: fixed, position: [0, 9, 0], shape: {sphere: {radius: 1}}}}\n"
      "ropes: {chain: {from: {free: [%.17g, %.17g, 0]}, to: {free: [%.17g, %.17g, 0]}, mass: 1,"
      " segments: %d, length: 1, points: [[%.17g, %.17g, 0], %s[%.17g, %.17g, 0]]}}\n"
      "exact: {sliding-chain: {rope: chain, body: peg}}\n",
      -radius, 0.05 - 0.5 * free, radius, -0.05 - 0.5 * free, count, -radius, 0.05 - 0.5 * free,
      points, radius, -0.05 - 0.5 * free);
}

// A peg of radius R: 4 y^2 + pi R y = L (L - pi R)/2 + 2 y0^2; for R = 0 0.355316760088797 m after
// 0.598076064981837 s at 1.55819607238627 m/s.
static void chains_lift_off_a_peg(void **unused) {
  (void)unused;
  const double y = sqrt(1.01 / 8.0), rate = sqrt(2.0 * 9.81);
  check_relative(y, 0.355316760088797, 1e-14);
  check_relative(acosh(y / 0.05) / rate, 0.598076064981837, 1e-14);
  check_relative(rate * sqrt(y * y - 0.0025), 1.55819607238627, 1e-14);
  static const double radii[] = {0.01, 0.02, 0.05};
  for (int k = 0; k < 3; k++) {
    const double arc = 3.14159265358979323846 * radii[k];
    const double off = (sqrt(arc * arc + 8.0 * (1.0 - arc) + 0.08) - arc) / 8.0;
    double errors[2];
    for (int i = 0; i < 2; i++) {
      rl_scenario *s = peg(i == 0 ? 1000 : 2000, radii[k]);
      rl_state *state = exact_state(s, end_of(s, 0.1, 1.5));
      errors[i] = 0.5 * (value(s, state, "chain.node.0.y") - value(s, state, "chain.tip.y")) - off;
      rl_state_free(state);
      rl_scenario_free(s);
    }
    check_near(errors[1], 0.0, 5e-4); // the bend is a polygon: first order in its elements
    check_near(errors[0], 0.0, 1e-3);
  }
}

// Calkin and March: 1.125, 2.1 and 3.425 times the weight at half, 0.8 and 0.9 of the way, and down
// after 0.847213084793978 of the time of free fall.
static void folded_chain_falls_faster_than_freely(void **unused) {
  (void)unused;
  static const double known[][2] = {{0.5, 1.125}, {0.8, 2.1}, {0.9, 3.425}};
  const rl_override fine = {"ropes.chain.segments", "1000"};
  rl_diagnostic diagnostic;
  rl_scenario *s = rl_scenario_from_file(shipped("folded-chain"), &fine, 1, &diagnostic);
  assert_non_null(s);
  const double down = 0.847213084793978 * sqrt(2.0 / 9.81);
  for (size_t k = 0; k < 3; k++) {
    double low = 0.0, high = down;
    for (int i = 0; i < 60; i++) {
      const double t = 0.5 * (low + high);
      rl_state *state = exact_state(s, t);
      *(state && value(s, state, "chain.tip.y") > -known[k][0] ? &low : &high) = t;
      rl_state_free(state);
    }
    rl_state *state = exact_state(s, low);
    const double x = known[k][0], u = 1.0 - x;
    // The rest of the way: int_0^u sqrt(s/(1 - s^2)) ds, by its series.
    double rest = 0.0, term = 1.0;
    for (int i = 0; i < 40; i++) {
      rest += term * pow(u, 2 * i + 1.5) / (2 * i + 1.5);
      term *= (i + 0.5) / (i + 1.0);
    }
    check_near(low + rest / sqrt(9.81), down, 1e-13);
    const double support = value(s, state, "chain.tension.from") / 9.81 + 0.0005;
    check_relative(support, known[k][1], 1e-12);
    check_relative(value(s, state, "chain.tip.speed"), sqrt(9.81 * (2.0 * x - x * x) / (1.0 - x)),
                   1e-12);
    rl_state_free(state);
  }
  rl_scenario_free(s);
}

// When the tip of N links, their ends at the distance d, is lowest: as integrated to 1e-13, on a
// grid of 0.2 ms.
static void folded_chain_of_links_has_its_times(void **unused) {
  (void)unused;
  static const struct {
    const char *links, *distance;
    double time;
  } known[] = {{"20", "0.05", 0.4106}, {"20", "0.1", 0.4018}, {"20", "0.25", 0.3898},
               {"20", "0.5", 0.3786},  {"40", "0.1", 0.3894}, {"40", "0.25", 0.3820}};
  for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
    const rl_override overrides[] = {{"ropes.chain.segments", known[k].links},
                                     {"ropes.chain.to.free.0", known[k].distance},
                                     {"exact", "none"}};
    rl_diagnostic diagnostic;
    rl_scenario *s = rl_scenario_from_file(shipped("folded-chain"), overrides, 3, &diagnostic);
    assert_non_null(s);
    rl_driver *d = driver_for(s, "rattle", 1e-4);
    double lowest = 0.0, when = 0.0;
    while (d->state->time < 0.43) {
      assert_true(rl_driver_step(d) > 0);
      const double y = probe(d, "chain.tip.y");
      when = y < lowest ? d->state->time : when;
      lowest = fmin(y, lowest);
    }
    check_near(when, known[k].time, 3e-4);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// I = 3.46835876171 m^3/s^2 at the start, and rattle keeps it with the second order.
static void swinging_atwood_keeps_its_invariant(void **unused) {
  (void)unused;
  rl_diagnostic diagnostic;
  char message[256];
  rl_scenario *s = rl_scenario_from_file(shipped("swinging-atwood"), NULL, 0, &diagnostic);
  assert_non_null(s);
  void *self = calloc(1, s->exact->size);
  assert_true(s->exact->init(self, s->model, s->exact_arguments, message, sizeof message));
  double errors[2];
  for (int k = 0; k < 2; k++) {
    rl_driver *d = driver_for(s, "rattle", 1e-3 / (k + 1));
    check_near(s->exact->invariant(self, s->model, d->state), 3.46835876171, 2e-11);
    for (int i = 0; i < 1000 * (k + 1); i++) {
      assert_true(rl_driver_step(d) > 0);
    }
    errors[k] = s->exact->invariant(self, s->model, d->state) - 3.46835876171;
    rl_driver_free(d);
  }
  check_below(fabs(errors[0]), 2e-4);
  check_near(errors[0] / errors[1], 4.0, 0.1);
  free(self);
  rl_scenario_free(s);
}

// A closed form ends when a weight reaches its eye.
static void atwood_ends_at_the_eye(void **unused) {
  (void)unused;
  rl_diagnostic diagnostic;
  rl_scenario *s = rl_scenario_from_file(shipped("atwood"), NULL, 0, &diagnostic);
  assert_non_null(s);
  const double arrival = sqrt(2.0 * 6.0 / 3.27); // 6 m at g/3
  rl_state *state = exact_state(s, arrival - 1e-6);
  assert_non_null(state);
  check_near(value(s, state, "light.y"), 0.0, 1e-5);
  rl_state_free(state);
  assert_null(exact_state(s, arrival + 1e-6));
  rl_scenario_free(s);
}

static rl_scenario *shipped_with(const char *name, const rl_override *overrides, size_t count) {
  rl_diagnostic diagnostic;
  rl_scenario *s = rl_scenario_from_file(shipped(name), overrides, count, &diagnostic);
  if (!s) {
    rl_diagnostic_print(stderr, name, &diagnostic);
    fail();
  }
  return s;
}

// A rope that slips has tensions as exp(mu phi) on both sides of a drum; a half turn and a full
// one.
static void slipping_ropes_have_the_ratio_of_the_capstan(void **unused) {
  (void)unused;
  static const char *const masses[] = {"4", "10"};
  static const double known[] = {2.56633239520814, 6.58606196269472 * 2.56633239520814};
  for (size_t i = 0; i < 2; i++) {
    const rl_override overrides[] = {{"bodies.heavy.mass", i ? "100" : masses[i]},
                                     {"ropes.line.over.0", i ? "{body: drum, turns: 1}" : "drum"}};
    rl_scenario *s = shipped_with("capstan-slip", overrides, 2);
    rl_state *state = exact_state(s, 0.1);
    const double from = value(s, state, "line.tension");
    check_relative(from / behind(s, state, 0), known[i], 1e-14);
    // Newton's law on both sides.
    const double a = -value(s, state, "heavy.vy") / 0.1;
    check_relative(from, (i ? 100.0 : 4.0) * (9.81 - a), 1e-13);
    check_relative(behind(s, state, 0), 9.81 + a, 1e-13);
    rl_state_free(state);
    rl_scenario_free(s);
  }
}

// Friction holds up to that ratio, either way, and no further.
static void friction_holds_up_to_the_ratio(void **unused) {
  (void)unused;
  static const struct {
    const char *mass;
    bool holds;
  } cases[] = {{"2.566332", true}, {"2.566333", false}, {"0.389662", true}, {"0.389661", false}};
  for (size_t i = 0; i < 4; i++) {
    const rl_override override = {"bodies.heavy.mass", cases[i].mass};
    rl_scenario *s = shipped_with("capstan-hold", &override, 1);
    rl_state *state = exact_state(s, 1.0);
    assert_true((value(s, state, "heavy.vy") == 0.0) == cases[i].holds);
    rl_state_free(state);
    rl_scenario_free(s);
  }
}

// A wheel between two drums, on which the rope slips: three laws at once.
static void wheels_and_drums_act_together(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: w\nduration: 1\nstep: 0.01\n"
      "bodies:\n"
      "  one: {motion: fixed, friction: 0.1, shape: {cylinder: {radius: 0.2, length: 1}}}\n"
      "  wheel: {motion: axle, collide: false, mass: 3, inertia: [1, 1, 0.07], friction: 1, "
      "position: [2, 0, 0],"
      " shape: {cylinder: {radius: 0.2, length: 1}}, rotation: [3.14159265358979, 0, 0]}\n"
      "  a: {mass: 1.3, position: [-0.2, -5, 0]}\n"
      "  b: {mass: 7.1, position: [2.2, -6, 0]}\n"
      "ropes: {line: {from: {body: a}, to: {body: b}, over: [one, wheel]}}\n"
      "exact: {atwood: {rope: line}}\n");
  // Both bends are a quarter turn; the rope goes towards `to`.
  const double r = exp(0.1 * 0.5 * 3.14159265358979323846), root = 0.07 / 0.04;
  const double a = 9.81 * (7.1 - 1.3 * r) / (7.1 + 1.3 * r + root);
  rl_state *state = exact_state(s, 0.3);
  check_relative(value(s, state, "a.vy"), 0.3 * a, 1e-12);
  check_relative(behind(s, state, 0), 1.3 * (9.81 + a) * r, 1e-12);
  check_relative(behind(s, state, 1), 7.1 * (9.81 - a), 1e-12);
  // Seen along its own axis, which is turned round, it turns by the left hand: positive.
  check_relative(value(s, state, "wheel.angle"), 0.5 * a * 0.09 / 0.2, 1e-12);
  check_relative(value(s, state, "wheel.spin"), 0.3 * a / 0.2, 1e-12);
  rl_state_free(state);
  rl_scenario_free(s);
}

// landing-slack: the numbers of its comment.
static void a_catch_has_its_impulse(void **unused) {
  (void)unused;
  rl_scenario *s = shipped_with("landing-slack", NULL, 0);
  const double caught = sqrt(0.2 / 9.81);
  check_near(caught, 0.142784, 5e-7);
  rl_state *before = exact_state(s, caught * (1.0 - 1e-12));
  rl_state *after = exact_state(s, caught * (1.0 + 1e-12));
  check_near(value(s, before, "heavy.vy"), -1.400714, 5e-7);
  check_near(value(s, after, "heavy.vy"), -0.466905, 5e-7);
  check_near(value(s, after, "light.vy"), 0.466905, 5e-7);
  check_near(2.0 * (value(s, after, "heavy.vy") - value(s, before, "heavy.vy")), 1.867619, 5e-7);
  check_near(value(s, after, "light.vy") - value(s, before, "light.vy"), 1.867619, 5e-7);
  check_near(1.867619 * 1.400714, 2.616, 5e-6); // P (v1 + v2) / 2
  const rl_energy lost[] = {rl_state_energy(s->model, before), rl_state_energy(s->model, after)};
  check_near(rl_energy_total(lost[0]) - rl_energy_total(lost[1]), 2.616, 1e-9);
  rl_state_free(before);
  rl_state_free(after);
  rl_scenario_free(s);
}

static void tackles_share_the_load(void **unused) {
  (void)unused;
  static const char *const names[] = {"gun-tackle", "twofold-purchase", "threefold-purchase"};
  static const double up[] = {1.256657, 0.464555, 0.428290}; // as in their comments
  for (int i = 0; i < 3; i++) {
    const int n = 2 * (i + 1);
    char mass[16];
    snprintf(mass, sizeof mass, "%d", n);
    const rl_override balance = {"bodies.block.mass", mass};
    rl_scenario *s = shipped_with(names[i], &balance, 1);
    rl_state *state = exact_state(s, 1.0);
    check_near(value(s, state, "block.vy"), 0.0, 1e-12);
    check_relative(value(s, state, "fall.tension"), n * 9.81 / n, 1e-12); // W / n
    rl_state_free(state);
    rl_scenario_free(s);
    // With friction: S = (1 - r^-n) / (r - 1).
    const double m = i == 2 ? 4.0 : 3.0, r = exp(0.1 * 3.14159265358979323846);
    const double sum = (1.0 - pow(r, -n)) / (r - 1.0), load = n + 0.5;
    const rl_override friction[] = {{"bodies.block.friction", "0.1"},
                                    {"bodies.top.friction", "0.1"},
                                    {"bodies.hand.mass", i == 2 ? "4" : "3"}};
    s = shipped_with(names[i], friction, 3);
    state = exact_state(s, 1.0);
    const double a = 9.81 * (m * sum - load) / (load + n * m * sum);
    check_relative(value(s, state, "block.vy"), a, 1e-12);
    check_relative(value(s, state, "hand.vy"), -n * a, 1e-12);
    check_near(a, up[i], 5e-7);
    // The load carried by the pieces that end on the block, from its own acceleration.
    check_relative(behind(s, state, (uint32_t)n - 1), m * (9.81 - n * a), 1e-12);
    check_relative(value(s, state, "fall.tension.from"), m * (9.81 - n * a) * pow(r, -n), 1e-12);
    rl_state_free(state);
    rl_scenario_free(s);
  }
}

// l0 = 1 m, R = 0.1 m, v = 2 m/s: l(1) = 0.774596669241483 m; the post is straight on from there.
static void winding_leaves_the_free_length(void **unused) {
  (void)unused;
  rl_scenario *s = shipped_with("winding-post", NULL, 0);
  rl_state *state = exact_state(s, 1.0);
  const double x = value(s, state, "puck.x"), y = value(s, state, "puck.y");
  check_near(sqrt(x * x + y * y - 0.01), 0.774596669241483, 1e-14);
  check_relative(value(s, state, "line.tension"), 4.0 / 0.774596669241483, 1e-14);
  check_near(value(s, state, "puck.speed"), 2.0, 1e-14);
  check_near(x * value(s, state, "puck.vx") + y * value(s, state, "puck.vy"), -2.0 * 0.1, 1e-13);
  rl_state_free(state);
  assert_non_null(state = exact_state(s, 2.4999));
  rl_state_free(state);
  assert_null(exact_state(s, 2.5001)); // l0^2 / (2 R v)
  rl_scenario_free(s);
}

// Round six edges, from the free length 0.95 m: each turn of 60 degrees takes pi/3 l/v, and each
// face 0.1 m. With many edges it is the round post: after a second, from the tangent of a 1 m rope.
static void winding_goes_from_edge_to_edge(void **unused) {
  (void)unused;
  const double pi = 3.14159265358979323846;
  rl_scenario *s = shipped_with("winding-polygon", NULL, 0);
  const double lean = atan2(0.35, 0.05 * sqrt(3.0) - 0.12); // of the rope at the start
  double t = 0.5 * 0.95 * (pi * 5.0 / 6.0 - lean), length = 0.95;
  for (int k = 1; k < 9; k++) {
    rl_state *state = exact_state(s, t - 1e-9);
    check_relative(value(s, state, "line.tension"), 4.0 / length, 1e-13);
    rl_state_free(state);
    state = exact_state(s, t);
    length -= 0.1;
    check_relative(rl_wrap_path(s->model, state, 0, state->points),
                   0.95 + hypot(0.35, 0.12 - 0.05 * sqrt(3.0)), 1e-13);
    check_relative(value(s, state, "puck.speed"), 2.0, 1e-14);
    rl_state_free(state);
    state = exact_state(s, t + 1e-9);
    check_relative(value(s, state, "line.tension"), 4.0 / length, 1e-13);
    rl_state_free(state);
    t += 0.5 * length * pi / 3.0;
  }
  rl_scenario_free(s);
}

static double polygon_length(int edges) {
  const double pi = 3.14159265358979323846;
  char points[16384] = "";
  for (int i = 0; i < edges; i++) { // about a circle of 0.1 m: a face is a tangent
    const double angle = 2.0 * pi * (i + 0.5) / edges, r = 0.1 / cos(pi / edges);
    const size_t used = strlen(points);
    snprintf(points + used, sizeof points - used, "%s[%.17g, %.17g, -1], [%.17g, %.17g, 1]",
             i > 0 ? ", " : "", r * cos(angle), r * sin(angle), r * cos(angle), r * sin(angle));
  }
  rl_scenario *s =
      scenario_from("name: w\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\nbodies:\n"
                    "  post: {motion: fixed, shape: {hull: {points: [%s]}}}\n"
                    "  puck: {mass: 1, position: [0.1, 1, 0], velocity: [-2, 0, 0]}\n"
                    "ropes: {line: {from: {point: [0.1, -0.3, 0]}, to: {body: puck}}}\n"
                    "exact: {winding-polygon: {rope: line, post: post}}\n",
                    points);
  rl_state *state = exact_state(s, 1.0);
  const double length = 4.0 / value(s, state, "line.tension"); // m v^2/T
  rl_state_free(state);
  rl_scenario_free(s);
  return length;
}

static void many_edges_are_a_round_post(void **unused) {
  (void)unused;
  check_near(polygon_length(128), 0.774596669241483, 0.1 * 3.14159265358979323846 / 64.0);
}

// The front of a wave: 2 (sqrt(z) - sqrt(z0)) / sqrt(g) up a hanging rope, 2 sqrt(L/g) in all; with
// a load of its own mass 2 sqrt(L/g) (sqrt(2) - 1); s sqrt(mu/T) along a string. When it has come
// to node i is when that counts as moved no more.
static double arrival(rl_scenario *s, uint32_t i) {
  void *self = calloc(1, s->exact->size);
  rl_state *state = rl_state_create(s->model);
  char message[256];
  assert_true(s->exact->init(self, s->model, s->exact_arguments, message, sizeof message));
  check_near(s->exact->invariant(self, s->model, state), 0.0, 0.0);
  state->points[rl_rope_node(s->model, state, 0, i)].z += 0.001;
  double low = 0.0, high = 10.0;
  for (int k = 0; k < 100; k++) {
    state->time = 0.5 * (low + high);
    *(s->exact->invariant(self, s->model, state) > 0.0 ? &low : &high) = state->time;
  }
  rl_state_free(state);
  free(self);
  rl_scenario_free(s);
  return low;
}

static rl_scenario *kicked_rope(const char *end) {
  return scenario_from("name: k\nduration: 1\nstep: 0.01\n"
                       "bodies: {load: {mass: 1, position: [0, -1, 0], velocity: [0.01, 0, 0]}}\n"
                       "ropes: {r: {from: {point: [0, 0, 0]}, to: {%s}, mass: 1, segments: 4,"
                       " velocities: [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0],"
                       " [0.01, 0, 0]]}}\nexact: {wave-front: {rope: r}}\n",
                       end);
}

static void waves_take_their_time(void **unused) {
  (void)unused;
  const double whole = 0.638550856814101; // 2 sqrt(L/g)
  check_relative(arrival(kicked_rope("free: [0, -1, 0]"), 1), (sqrt(0.75) - 0.5) * whole, 1e-13);
  check_relative(arrival(kicked_rope("free: [0, -1, 0]"), 2), (sqrt(0.5) - 0.5) * whole, 1e-13);
  // From the load to the top 0.264496425157361 s, of which neither the first nor the last quarter
  // is counted: what is held says nothing.
  check_relative(arrival(kicked_rope("body: load"), 1),
                 0.264496425157361 - whole * (sqrt(1.25) - 1.0 + sqrt(2.0) - sqrt(1.75)), 1e-13);
  rl_scenario *s =
      scenario_from("name: k\nduration: 1\nstep: 0.01\ngravity: [0, 0, 0]\n"
                    "ropes: {r: {from: {point: [0, 0, 0]}, to: {point: [1.1, 0, 0]}, length: 1,"
                    " mass: 1, stiffness: 100, segments: 4, velocities: [[0, 0, 0], [0, 0, 0.01],"
                    " [0, 0, 0], [0, 0, 0], [0, 0, 0]]}}\nexact: {wave-front: {rope: r}}\n");
  check_relative(arrival(s, 3), 0.275 * sqrt(1.0 / 1.1 / 10.0), 1e-13);
}

// A chain of many links thrown up out of its heap: x^2 v^2 + 2 g x^3/3 stays (a = -g/3 beside what
// the heap takes), to first order in the length of a link.
static double heap_constant(int count) {
  char points[32768] = "", velocities[32768] = "";
  const int up = count / 10;
  const double link = 1.0 / count;
  for (int i = 0; i <= count; i++) {
    const size_t p = strlen(points), v = strlen(velocities);
    const int over = i > count - up ? i - count + up : 0;
    snprintf(points + p, sizeof points - p, "%s[0, %.17g, 0]", i > 0 ? ", " : "", over * link);
    snprintf(velocities + v, sizeof velocities - v, "%s[0, %d, 0]", i > 0 ? ", " : "",
             over > 0 ? 4 : 0);
  }
  rl_scenario *s = scenario_from(
      "name: h\nduration: 1\nstep: 0.01\n"
      "bodies: {floor: {motion: fixed, shape: {plane: {normal: [0, 1, 0]}}}}\n"
      "ropes: {c: {from: {free: [0, 0, 0]}, to: {free: [0, 0.1, 0]}, length: 1, mass: 1,"
      " lumping: equal, segments: %d, points: [%s], velocities: [%s]}}\n"
      "exact: {heap-chain: {rope: c}}\n",
      count, points, velocities);
  rl_state *state = exact_state(s, 0.1);
  const double x = value(s, state, "c.tip.y"), v = value(s, state, "c.tip.vy");
  // What gravity has taken from x^2 v^2, over x^3 - x0^3.
  const double slope = (0.1 * 0.1 * 16.0 - x * x * v * v) / (2.0 * (x * x * x - 0.001));
  rl_state_free(state);
  rl_scenario_free(s);
  return slope;
}

static void heaps_give_their_links(void **unused) {
  (void)unused;
  const double coarse = heap_constant(100), fine = heap_constant(200), finest = heap_constant(400);
  check_below(fabs(finest - 9.81 / 3.0), fabs(fine - 9.81 / 3.0));
  check_relative(2.0 * finest - fine, 9.81 / 3.0, 3e-3);
  check_relative(2.0 * fine - coarse, 9.81 / 3.0, 3e-3);
  // A ball of 0.5 kg and a node of 50 g take another one on after 5.0206 ms.
  rl_scenario *s = shipped_with("chain-from-heap", NULL, 0);
  const double t = (6.0 - sqrt(36.0 - 2.0 * 9.81 * 0.03)) / 9.81;
  rl_state *state = exact_state(s, 0.0062);
  const double v = (6.0 - 9.81 * t) * 0.55 / 0.6;
  check_relative(value(s, state, "ball.vy"), v - 9.81 * (0.0062 - t), 1e-13);
  check_relative(value(s, state, "chain.node.18.y"),
                 0.005 + (v - 0.5 * 9.81 * (0.0062 - t)) * (0.0062 - t), 1e-13);
  check_near(value(s, state, "chain.node.17.y"), 0.005, 0.0);
  rl_state_free(state);
  state = exact_state(s, 0.3297578);
  check_near(value(s, state, "ball.vy"), 0.0, 1e-6);
  rl_state_free(state);
  assert_null(exact_state(s, 0.32976));
  rl_scenario_free(s);
  // Without gravity (M + mu x) v stays, at each catch.
  s = scenario_from(
      "name: h\nduration: 1\nstep: 0.01\ngravity: [0, 0, 0]\n"
      "bodies: {ball: {mass: 2, position: [0.1, 0, 0], velocity: [3, 0, 0]}}\n"
      "ropes: {c: {from: {free: [0, 0, 0]}, to: {body: ball}, length: 0.4, mass: 0.8,"
      " segments: 4, points: [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0.1, 0, 0]],"
      " velocities: [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [3, 0, 0]]}}\n"
      "exact: {heap-chain: {rope: c}}\n");
  state = exact_state(s, 0.5);
  check_relative(value(s, state, "ball.vx"), 2.0 * 3.0 / 2.7, 1e-14);
  check_relative(value(s, state, "ball.x") - value(s, state, "c.node.0.x"), 0.4, 1e-14);
  rl_state_free(state);
  rl_scenario_free(s);
}

static void interrupted_pendulum_has_its_period(void **unused) {
  (void)unused;
  const double period = 1.75547800767582, degree = 3.14159265358979323846 / 180.0;
  rl_scenario *s = shipped_with("interrupted-pendulum", NULL, 0);
  const double times[] = {0.0, period, 7.0 * period};
  for (size_t i = 0; i < 3; i++) {
    rl_state *state = exact_state(s, times[i]);
    check_near(value(s, state, "bob.x"), 0.5, 1e-12);
    check_near(value(s, state, "bob.speed"), 0.0, 1e-6); // the period has 15 digits
    rl_state_free(state);
  }
  // At half the period it stands as high on the other side, at phi0 below the peg.
  rl_state *state = exact_state(s, 0.5 * period);
  check_near(value(s, state, "bob.x"), -0.5 * sin(42.9414028648799 * degree), 1e-12);
  check_near(value(s, state, "bob.y"), -0.8660254037844386, 1e-12);
  rl_state_free(state);
  // A quarter of the swing of a metre: 30 degrees.
  const double quarter = 0.25 * 2.04098988951913;
  state = exact_state(s, quarter - 1e-9);
  check_near(value(s, state, "line.tension") / 9.81, 1.26794919243, 1e-10);
  rl_state_free(state);
  state = exact_state(s, quarter + 1e-9);
  check_near(value(s, state, "line.tension") / 9.81, 1.53589838486, 1e-10);
  rl_state_free(state);
  state = exact_state(s, period - quarter + 1e-9);
  check_near(value(s, state, "line.tension") / 9.81, 1.26794919243, 1e-10);
  assert_true(value(s, state, "bob.vx") > 0.0);
  rl_state_free(state);
  rl_scenario_free(s);
}

// What a closed form does not describe is refused with its reason.
static void other_scenes_are_refused(void **unused) {
  (void)unused;
  static const char *const texts[] = {
      // aside of the eye
      "bodies: {a: {mass: 1, position: [0.1, -1, 0]}, b: {mass: 2, position: [0, -1, 0]}}\n"
      "ropes: {line: {from: {body: a}, to: {body: b}, over: [{eye: [0, 0, 0]}]}}\n"
      "exact: {atwood: {rope: line}}\n",
      // slack
      "bodies: {bob: {mass: 1, position: [1, 0, 0]}}\n"
      "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: bob}, slack: 0.1}}\n"
      "exact: {pendulum: {rope: line}}\n",
      // moving
      "bodies: {bob: {mass: 1, position: [1, 0, 0], velocity: [0, 1, 0]}}\n"
      "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: bob}}}\n"
      "exact: {pendulum: {rope: line}}\n",
      // above 90 degrees a rope goes slack
      "bodies: {bob: {mass: 1, position: [1, 0.5, 0]}}\n"
      "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: bob}}}\n"
      "exact: {pendulum: {rope: line}}\n",
      // not uniform
      "ropes: {line: {from: {point: [0, 0, 0]}, to: {point: [1, 0, 0]}, rest_lengths: [1, 2],"
      " mass: 1}}\n"
      "exact: {catenary: {rope: line}}\n",
  };
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    char text[1024];
    snprintf(text, sizeof text, "name: x\nduration: 1\nstep: 0.01\n%s", texts[i]);
    rl_diagnostic diagnostic;
    rl_scenario *s = rl_scenario_from_text(text, strlen(text), "x", NULL, 0, &diagnostic);
    assert_null(s);
    assert_false(diagnostic.unsupported);
    assert_true(diagnostic.line > 0);
  }
}

// Shipped scenarios, changed to what their form does not describe, with a word of the reason.
static void shipped_scenes_are_refused_when_changed(void **unused) {
  (void)unused;
  static const struct {
    const char *name, *path, *value, *reason;
  } cases[] = {
      {"atwood-wheel", "bodies.wheel.friction", "0.05", "would slip"},
      {"atwood-wheel", "bodies.wheel.spin", "[0, 0, 1]", "start at rest"},
      {"atwood-wheel", "bodies.wheel.rotation", "[0, 0.1, 0]", "across the axis"},
      {"atwood-drum", "bodies.drum.motion", "driven", "fixed bodies"},
      {"atwood-drum", "bodies.heavy.position", "[-0.2, -4, 0]", "plumb"},
      {"capstan-slip", "ropes.line.slack", "0.1", "taut"},
      {"gun-tackle", "bodies.block.friction", "0.5", "leaves open"},
      {"gun-tackle", "bodies.block.inertia", "[0.1, 0.1, 0.1]", ""},
      {"gun-tackle", "bodies.block.position", "[0.15, -2, 0]", "plumb"},
      {"gun-tackle", "bodies.block.velocity", "[0, 1, 0]", "rest"},
      {"winding-post", "gravity", "[0, -1, 0]", "without gravity"},
      {"winding-post", "bodies.post.friction", "0.1", "without friction"},
      {"winding-post", "bodies.puck.velocity", "[-2, 1, 0]", "across"},
      {"winding-post", "bodies.post.position", "[-0.1, 0, 0]", "touch"},
      {"winding-polygon", "bodies.puck.velocity", "[2, 0.19, 0]", "winds up"},
      {"winding-polygon", "bodies.post.position", "[-0.1, 0, 0]", "touch one"},
      {"hanging-pulse", "ropes.rope.drag", "0.1", "no drag"},
      {"hanging-pulse", "ropes.rope.to.free", "[0.3, -0.953, 0]", "straight"},
      {"chain-from-heap", "ropes.chain.compression", "true", "compression"},
      {"chain-from-heap", "bodies.ball.velocity", "[1, 6, 0]", "at one speed"},
      {"chain-from-heap", "bodies.floor.position", "[0, -0.1, 0]", "level ground"},
      {"hanging-beads", "ropes.line.drag", "0.1", "no drag"},
      {"hanging-beads", "exact", "{hanging-mode: {rope: line}}", "mode 1, differs"},
      {"string-mode", "gravity", "[0, -1, 0]", "gravity"},
      {"string-mode", "ropes.string.damping", "1", "no damping"},
      {"string-mode", "exact", "{spring-modes: {rope: string}}", "along the line only"},
      {"spring-mode", "ropes.springs.compression", "false", "slack"},
      {"spinning-rope", "gravity", "[0, -1, 0]", "no gravity"},
      {"spinning-loop", "ropes.loop.spin", "[0, 1, 6]", "polygon"},
      {"skipping-rope", "ropes.rope.spin", "[9, 1, 0]", "turn about the line"},
      {"skipping-rope", "ropes.rope.pivot", "[0, 0.1, 0]", "turn about the line"},
      {"skipping-rope", "ropes.rope.lumping", "equal", ""},
      {"folded-chain", "ropes.chain.to.free", "[0.1, 0.1, 0]", "one height"},
      {"folded-chain", "ropes.chain.to.free", "[0.4, 0, 0]", "apart"},
      {"folded-chain", "ropes.chain.velocity", "[0, 1, 0]", "rest"},
      {"chain-over-peg", "bodies.peg.friction", "0.1", "level part only"},
      {"chain-off-table", "ropes.chain.drag", "0.1", "no drag"},
      {"chain-in-guide", "bodies.table.friction", "0.2", "does not start"},
      {"chain-in-guide", "bodies.edge.friction", "0.2", "only 'table'"},
      {"catch", "ropes.line.stiffness", "1000", "inextensible"},
      {"swinging-atwood", "bodies.heavy.mass", "2.5", "2.5 times"},
      {"swinging-atwood", "bodies.light.position", "[0, -1, 0]", "plumb"},
      {"rope-on-floor", "ropes.rope.compression", "true", "compression"},
      {"rope-on-floor", "ropes.rope.velocity", "[1, 0, 0]", "straight down"},
      {"differential-pulley", "bodies.axle.friction", "0.05", "slip"},
      {"differential-pulley", "bodies.pulley.velocity", "[0, 1, 0]", "rest"},
      {"interrupted-pendulum", "bodies.peg.position", "[0.001, -0.5, 0]", "behind"},
      {"interrupted-pendulum", "bodies.peg.shape.cylinder.radius", "0.01", "behind"},
      {"interrupted-pendulum", "bodies.peg.position", "[-0.001, -0.88, 0]", "degrees"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    rl_diagnostic diagnostic;
    const rl_override override = {cases[i].path, cases[i].value};
    rl_scenario *s = rl_scenario_from_file(shipped(cases[i].name), &override, 1, &diagnostic);
    const bool accepted = cases[i].reason[0] == '\0';
    if ((s != NULL) != accepted || (!s && !strstr(diagnostic.message, cases[i].reason))) {
      print_error("%s, %s=%s: observed '%s', expected '%s'\n", cases[i].name, cases[i].path,
                  cases[i].value, s ? "accepted" : diagnostic.message, cases[i].reason);
      fail();
    }
    rl_scenario_free(s);
  }
}

int main(void) {
  gsl_set_error_handler_off();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pendulum_periods),
      cmocka_unit_test(pendulum_angles),
      cmocka_unit_test(velocities_are_derivatives),
      cmocka_unit_test(smooth_catenary),
      cmocka_unit_test(discrete_catenary),
      cmocka_unit_test(elastic_catenary),
      cmocka_unit_test(discrete_elastic_catenary),
      cmocka_unit_test(hanging_beads_have_laguerre_frequencies),
      cmocka_unit_test(hanging_rope_has_bessel_frequencies),
      cmocka_unit_test(loaded_rope_has_its_frequencies),
      cmocka_unit_test(rows_of_springs_have_their_frequencies),
      cmocka_unit_test(spinning_rope_has_legendre_frequencies),
      cmocka_unit_test(spinning_loop_has_its_tension),
      cmocka_unit_test(skipping_ropes_have_their_curve),
      cmocka_unit_test(catch_takes_what_is_along_the_rope),
      cmocka_unit_test(ropes_land_drums_turn_and_cords_hang),
      cmocka_unit_test(chains_slide_off_a_table),
      cmocka_unit_test(chains_lift_off_a_peg),
      cmocka_unit_test(folded_chain_falls_faster_than_freely),
      cmocka_unit_test(folded_chain_of_links_has_its_times),
      cmocka_unit_test(swinging_atwood_keeps_its_invariant),
      cmocka_unit_test(atwood_ends_at_the_eye),
      cmocka_unit_test(slipping_ropes_have_the_ratio_of_the_capstan),
      cmocka_unit_test(friction_holds_up_to_the_ratio),
      cmocka_unit_test(wheels_and_drums_act_together),
      cmocka_unit_test(a_catch_has_its_impulse),
      cmocka_unit_test(tackles_share_the_load),
      cmocka_unit_test(winding_leaves_the_free_length),
      cmocka_unit_test(winding_goes_from_edge_to_edge),
      cmocka_unit_test(many_edges_are_a_round_post),
      cmocka_unit_test(waves_take_their_time),
      cmocka_unit_test(heaps_give_their_links),
      cmocka_unit_test(interrupted_pendulum_has_its_period),
      cmocka_unit_test(shipped_scenes_are_refused_when_changed),
      cmocka_unit_test(other_scenes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
