// SPDX-License-Identifier: GPL-3.0-or-later
// The closed forms of papers/exact.md against digits computed elsewhere: pendulums,
// velocities, refusals.
#include "check.h"

#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <string.h>

static rl_scenario *pendulum(double degrees) {
  const double angle = degrees * RL_PI / 180.0;
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
    const double start = known[i].degrees * RL_PI / 180.0;
    rl_state *half = exact_state(s, 0.5 * known[i].period);
    rl_state *quarter = exact_state(s, 0.25 * known[i].period);
    check_near(probe_of(s, half, "line.angle"), -start, 1e-11);
    check_near(probe_of(s, quarter, "line.angle"), 0.0, 1e-11);
    // At the bottom: T = m g (3 - 2 cos theta0), v^2 = 2 g L (1 - cos theta0).
    check_relative(probe_of(s, quarter, "line.tension"), 9.81 * (3.0 - 2.0 * cos(start)), 1e-11);
    check_relative(probe_of(s, quarter, "bob.speed"), sqrt(2.0 * 9.81 * (1.0 - cos(start))), 1e-11);
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
    check_near(probe_of(s, state, "line.angle"), angles[i], 1e-12);
    rl_state_free(state);
  }
  rl_scenario_free(s);
}

static void interrupted_pendulum_has_its_period(void **unused) {
  (void)unused;
  const double period = 1.75547800767582, degree = RL_PI / 180.0;
  rl_scenario *s = shipped_with("interrupted-pendulum", NULL, 0);
  const double times[] = {0.0, period, 7.0 * period};
  for (size_t i = 0; i < 3; i++) {
    rl_state *state = exact_state(s, times[i]);
    check_near(probe_of(s, state, "bob.x"), 0.5, 1e-12);
    check_near(probe_of(s, state, "bob.speed"), 0.0, 1e-6); // the period has 15 digits
    rl_state_free(state);
  }
  // At half the period it stands as high on the other side, at phi0 below the peg.
  rl_state *state = exact_state(s, 0.5 * period);
  check_near(probe_of(s, state, "bob.x"), -0.5 * sin(42.9414028648799 * degree), 1e-12);
  check_near(probe_of(s, state, "bob.y"), -0.8660254037844386, 1e-12);
  rl_state_free(state);
  // A quarter of the swing of a metre: 30 degrees.
  const double quarter = 0.25 * 2.04098988951913;
  state = exact_state(s, quarter - 1e-9);
  check_near(probe_of(s, state, "line.tension") / 9.81, 1.26794919243, 1e-10);
  rl_state_free(state);
  state = exact_state(s, quarter + 1e-9);
  check_near(probe_of(s, state, "line.tension") / 9.81, 1.53589838486, 1e-10);
  rl_state_free(state);
  state = exact_state(s, period - quarter + 1e-9);
  check_near(probe_of(s, state, "line.tension") / 9.81, 1.26794919243, 1e-10);
  assert_true(probe_of(s, state, "bob.vx") > 0.0);
  rl_state_free(state);
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
               {"atwood-catch", "heavy", 0.4},
               {"block-and-tackle-4", "block", 0.4},
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
    rl_scenario *s = shipped_with(cases[i].name, NULL, 0);
    const double t = cases[i].time, h = 1e-5;
    rl_state *before = exact_state(s, t - h), *now = exact_state(s, t),
             *after = exact_state(s, t + h);
    for (int axis = 0; axis < 3; axis++) {
      char x[32], v[32];
      snprintf(x, sizeof x, "%s.%c", cases[i].item, 'x' + axis);
      snprintf(v, sizeof v, "%s.v%c", cases[i].item, 'x' + axis);
      check_near(probe_of(s, now, v), (probe_of(s, after, x) - probe_of(s, before, x)) / (2.0 * h),
                 2e-8);
    }
    rl_state_free(before);
    rl_state_free(now);
    rl_state_free(after);
    rl_scenario_free(s);
  }
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
      {"block-and-tackle-2", "bodies.block.friction", "0.5", "leaves open"},
      {"block-and-tackle-2", "bodies.block.inertia", "[0.1, 0.1, 0.1]", ""},
      {"block-and-tackle-2", "bodies.block.position", "[0.15, -2, 0]", "plumb"},
      {"block-and-tackle-2", "bodies.block.velocity", "[0, 1, 0]", "rest"},
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
      cmocka_unit_test(interrupted_pendulum_has_its_period),
      cmocka_unit_test(shipped_scenes_are_refused_when_changed),
      cmocka_unit_test(other_scenes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
