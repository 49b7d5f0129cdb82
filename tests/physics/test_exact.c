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
  static const char *const names[] = {"pendulum",         "atwood",       "double-atwood",
                                      "atwood-wheel",     "capstan-slip", "landing-slack",
                                      "twofold-purchase", "winding-post", "interrupted-pendulum"};
  static const char *const bodies[] = {"bob",   "light", "left", "heavy", "light",
                                       "heavy", "block", "puck", "bob"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
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

static rl_scenario *shipped_with(const char *name, const rl_override *overrides, size_t count) {
  rl_diagnostic diagnostic;
  rl_scenario *s = rl_scenario_from_file(shipped(name), overrides, count, &diagnostic);
  if (!s) {
    rl_diagnostic_print(stderr, name, &diagnostic);
    fail();
  }
  return s;
}

// The tension of the piece behind a wrap of the first rope.
static double behind(const rl_scenario *s, const rl_state *state, uint32_t wrap) {
  return state->wraps[s->model->ropes[0].first_wrap + wrap].tension;
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
      cmocka_unit_test(atwood_ends_at_the_eye),
      cmocka_unit_test(slipping_ropes_have_the_ratio_of_the_capstan),
      cmocka_unit_test(friction_holds_up_to_the_ratio),
      cmocka_unit_test(wheels_and_drums_act_together),
      cmocka_unit_test(a_catch_has_its_impulse),
      cmocka_unit_test(tackles_share_the_load),
      cmocka_unit_test(winding_leaves_the_free_length),
      cmocka_unit_test(interrupted_pendulum_has_its_period),
      cmocka_unit_test(shipped_scenes_are_refused_when_changed),
      cmocka_unit_test(other_scenes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
