// SPDX-License-Identifier: GPL-3.0-or-later
// The closed forms against published digits (references 4).
#include "check.h"

#include <gsl/gsl_errno.h>
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
  static const char *const names[] = {"pendulum", "atwood", "double-atwood"};
  static const char *const bodies[] = {"bob", "light", "left"};
  for (size_t i = 0; i < 3; i++) {
    rl_diagnostic diagnostic;
    rl_scenario *s = rl_scenario_from_file(shipped(names[i]), NULL, 0, &diagnostic);
    assert_non_null(s);
    const double t = 0.4, h = 1e-5;
    rl_state *before = exact_state(s, t - h), *now = exact_state(s, t),
             *after = exact_state(s, t + h);
    for (int axis = 0; axis < 2; axis++) {
      char x[32], v[32];
      snprintf(x, sizeof x, "%s.%c", bodies[i], 'x' + axis);
      snprintf(v, sizeof v, "%s.v%c", bodies[i], 'x' + axis);
      check_near(value(s, now, v), (value(s, after, x) - value(s, before, x)) / (2.0 * h), 1e-8);
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

int main(void) {
  gsl_set_error_handler_off();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(pendulum_periods),           cmocka_unit_test(pendulum_angles),
      cmocka_unit_test(velocities_are_derivatives), cmocka_unit_test(smooth_catenary),
      cmocka_unit_test(discrete_catenary),          cmocka_unit_test(atwood_ends_at_the_eye),
      cmocka_unit_test(other_scenes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
