// SPDX-License-Identifier: GPL-3.0-or-later
// Closed forms of weights on ropes over eyes, drums, wheels and posts (papers/exact.md),
// against published digits.
#include "check.h"

#include "world/paths/wrap.h"

#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The tension of the piece behind a wrap of the first rope.
static double behind(const rl_scenario *s, const rl_state *state, uint32_t wrap) {
  return state->wraps[s->model->ropes[0].first_wrap + wrap].tension;
}

// 80 kg each, 1 m/s each, 0.1 m of slack: taut at 0.05 s, 80 N s, 80 J.
static void catch_takes_what_is_along_the_rope(void **unused) {
  (void)unused;
  rl_scenario *s = shipped_with("catch", NULL, 0);
  rl_state *before = exact_state(s, 0.05 * (1.0 - 1e-12)),
           *after = exact_state(s, 0.05 * (1.0 + 1e-12));
  check_near(80.0 * (probe_of(s, before, "second.vx") - probe_of(s, after, "second.vx")), 80.0,
             1e-9);
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
  s = shipped_with("catch", overrides, 3);
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
    check_relative(probe_of(s, state, "line.tension"), 50.0 * 80.0 / 130.0 * speed * speed / 1.1,
                   1e-13);
    // Mass centre: -0.5 * 50 + 0.5 * 80 over 130, at (-50 + 80)/130 m/s.
    const double t = 0.3 + 0.7 * i;
    check_near((50.0 * probe_of(s, state, "first.x") + 80.0 * probe_of(s, state, "second.x")) /
                   130.0,
               (15.0 + 30.0 * t) / 130.0, 1e-14);
    check_near((50.0 * probe_of(s, state, "first.z") + 80.0 * probe_of(s, state, "second.z")) /
                   130.0,
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
  const rl_override low[] = {{"ropes.rope.from.free.1", "0.01"}, {"probes", "[rope.force.floor]"}};
  rl_scenario *s = shipped_with("rope-on-floor", low, 2);
  void *self = calloc(1, s->exact->size);
  char message[256];
  assert_true(s->exact->init(self, s->model, s->exact_arguments, message, sizeof message));
  const double fallen = 0.5 * 9.81 * 0.3 * 0.3;
  check_relative(s->exact->contact(self, s->model, 0.3, s->probes[0]), 3.0 * 9.81 * fallen / 0.98,
                 1e-12);
  check_relative(s->exact->contact(self, s->model, 0.45, s->probes[0]), 9.81, 1e-12);
  free(self);
  rl_state *state = exact_state(s, 0.446986);
  check_near(probe_of(s, state, "rope.tip.y"), 0.01, 5e-6);
  check_near(probe_of(s, state, "rope.node.15.vy"), 0.0, 0.0);
  rl_state_free(state);
  rl_scenario_free(s);

  const rl_override heavy = {"bodies.hand.mass", "3.8"};
  s = shipped_with("differential-pulley", &heavy, 1);
  state = exact_state(s, 1.0);
  check_near(probe_of(s, state, "hand.vy"), -1.373950, 5e-7);
  check_near(probe_of(s, state, "pulley.vy"), 0.1373950, 5e-8);
  rl_state_free(state);
  rl_scenario_free(s);
  s = shipped_with("differential-pulley", NULL, 0);
  state = exact_state(s, 1.0);
  check_near(probe_of(s, state, "hand.vy"), 0.0, 1e-12);
  check_relative(behind(s, state, 0), 98.1, 1e-12);
  // F = W (R - r)/(2 R), beside what the slack end needs.
  check_relative(probe_of(s, state, "rope.tension.from"), 20.0 * 9.81 * 0.1 + 9.81 * 0.8, 1e-12);
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
    check_relative(probe_of(s, state, "cord.length"), 1.0 + longer * 9.81 / 50.0, 1e-13);
    rl_state_free(state);
    rl_scenario_free(s);
  }
}

// I = 3.46835876171 m^3/s^2 at the start, and rattle keeps it with the second order.
static void swinging_atwood_keeps_its_invariant(void **unused) {
  (void)unused;
  char message[256];
  rl_scenario *s = shipped_with("swinging-atwood", NULL, 0);
  void *self = calloc(1, s->exact->size);
  assert_true(s->exact->init(self, s->model, s->exact_arguments, message, sizeof message));
  double errors[2];
  for (int k = 0; k < 2; k++) {
    rl_driver *d = driver_for(s, "rattle", 1e-3 / (k + 1));
    check_near(s->exact->invariant(self, s->model, d->state), 3.46835876171, 2e-11);
    take_steps(d, 1000 * (k + 1));
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
  rl_scenario *s = shipped_with("atwood", NULL, 0);
  const double arrival = sqrt(2.0 * 6.0 / 3.27); // 6 m at g/3
  rl_state *state = exact_state(s, arrival - 1e-6);
  assert_non_null(state);
  check_near(probe_of(s, state, "light.y"), 0.0, 1e-5);
  rl_state_free(state);
  assert_null(exact_state(s, arrival + 1e-6));
  rl_scenario_free(s);
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
    const double from = probe_of(s, state, "line.tension");
    check_relative(from / behind(s, state, 0), known[i], 1e-14);
    // Newton's law on both sides.
    const double a = -probe_of(s, state, "heavy.vy") / 0.1;
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
    assert_true((probe_of(s, state, "heavy.vy") == 0.0) == cases[i].holds);
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
  const double r = exp(0.1 * 0.5 * RL_PI), root = 0.07 / 0.04;
  const double a = 9.81 * (7.1 - 1.3 * r) / (7.1 + 1.3 * r + root);
  rl_state *state = exact_state(s, 0.3);
  check_relative(probe_of(s, state, "a.vy"), 0.3 * a, 1e-12);
  check_relative(behind(s, state, 0), 1.3 * (9.81 + a) * r, 1e-12);
  check_relative(behind(s, state, 1), 7.1 * (9.81 - a), 1e-12);
  // Seen along its own axis, which is turned round, it turns by the left hand: positive.
  check_relative(probe_of(s, state, "wheel.angle"), 0.5 * a * 0.09 / 0.2, 1e-12);
  check_relative(probe_of(s, state, "wheel.spin"), 0.3 * a / 0.2, 1e-12);
  rl_state_free(state);
  rl_scenario_free(s);
}

// atwood-catch: the numbers of its comment.
static void a_catch_has_its_impulse(void **unused) {
  (void)unused;
  rl_scenario *s = shipped_with("atwood-catch", NULL, 0);
  const double caught = sqrt(0.2 / 9.81);
  check_near(caught, 0.142784, 5e-7);
  rl_state *before = exact_state(s, caught * (1.0 - 1e-12));
  rl_state *after = exact_state(s, caught * (1.0 + 1e-12));
  check_near(probe_of(s, before, "heavy.vy"), -1.400714, 5e-7);
  check_near(probe_of(s, after, "heavy.vy"), -0.466905, 5e-7);
  check_near(probe_of(s, after, "light.vy"), 0.466905, 5e-7);
  check_near(2.0 * (probe_of(s, after, "heavy.vy") - probe_of(s, before, "heavy.vy")), 1.867619,
             5e-7);
  check_near(probe_of(s, after, "light.vy") - probe_of(s, before, "light.vy"), 1.867619, 5e-7);
  check_near(1.867619 * 1.400714, 2.616, 5e-6); // P (v1 + v2) / 2
  const rl_energy lost[] = {rl_state_energy(s->model, before), rl_state_energy(s->model, after)};
  check_near(rl_energy_total(lost[0]) - rl_energy_total(lost[1]), 2.616, 1e-9);
  rl_state_free(before);
  rl_state_free(after);
  rl_scenario_free(s);
}

static void tackles_share_the_load(void **unused) {
  (void)unused;
  static const char *const names[] = {"block-and-tackle-2", "block-and-tackle-4",
                                      "block-and-tackle-6"};
  static const double up[] = {1.256657, 0.464555, 0.428290}; // as in their comments
  for (int i = 0; i < 3; i++) {
    const int n = 2 * (i + 1);
    char mass[16];
    snprintf(mass, sizeof mass, "%d", n);
    const rl_override balance = {"bodies.block.mass", mass};
    rl_scenario *s = shipped_with(names[i], &balance, 1);
    rl_state *state = exact_state(s, 1.0);
    check_near(probe_of(s, state, "block.vy"), 0.0, 1e-12);
    check_relative(probe_of(s, state, "fall.tension"), n * 9.81 / n, 1e-12); // W / n
    rl_state_free(state);
    rl_scenario_free(s);
    // With friction: S = (1 - r^-n) / (r - 1).
    const double m = i == 2 ? 4.0 : 3.0, r = exp(0.1 * RL_PI);
    const double sum = (1.0 - pow(r, -n)) / (r - 1.0), load = n + 0.5;
    const rl_override friction[] = {{"bodies.block.friction", "0.1"},
                                    {"bodies.top.friction", "0.1"},
                                    {"bodies.hand.mass", i == 2 ? "4" : "3"}};
    s = shipped_with(names[i], friction, 3);
    state = exact_state(s, 1.0);
    const double a = 9.81 * (m * sum - load) / (load + n * m * sum);
    check_relative(probe_of(s, state, "block.vy"), a, 1e-12);
    check_relative(probe_of(s, state, "hand.vy"), -n * a, 1e-12);
    check_near(a, up[i], 5e-7);
    // The load carried by the pieces that end on the block, from its own acceleration.
    check_relative(behind(s, state, (uint32_t)n - 1), m * (9.81 - n * a), 1e-12);
    check_relative(probe_of(s, state, "fall.tension.from"), m * (9.81 - n * a) * pow(r, -n), 1e-12);
    rl_state_free(state);
    rl_scenario_free(s);
  }
}

// l0 = 1 m, R = 0.1 m, v = 2 m/s: l(1) = 0.774596669241483 m; the post is straight on from there.
static void winding_leaves_the_free_length(void **unused) {
  (void)unused;
  rl_scenario *s = shipped_with("winding-post", NULL, 0);
  rl_state *state = exact_state(s, 1.0);
  const double x = probe_of(s, state, "puck.x"), y = probe_of(s, state, "puck.y");
  check_near(sqrt(x * x + y * y - 0.01), 0.774596669241483, 1e-14);
  check_relative(probe_of(s, state, "line.tension"), 4.0 / 0.774596669241483, 1e-14);
  check_near(probe_of(s, state, "puck.speed"), 2.0, 1e-14);
  check_near(x * probe_of(s, state, "puck.vx") + y * probe_of(s, state, "puck.vy"), -2.0 * 0.1,
             1e-13);
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
  rl_scenario *s = shipped_with("winding-polygon", NULL, 0);
  const double lean = atan2(0.35, 0.05 * sqrt(3.0) - 0.12); // of the rope at the start
  double t = 0.5 * 0.95 * (RL_PI * 5.0 / 6.0 - lean), length = 0.95;
  for (int k = 1; k < 9; k++) {
    rl_state *state = exact_state(s, t - 1e-9);
    check_relative(probe_of(s, state, "line.tension"), 4.0 / length, 1e-13);
    rl_state_free(state);
    state = exact_state(s, t);
    length -= 0.1;
    check_relative(rl_wrap_solve_path(s->model, state, 0, state->points),
                   0.95 + hypot(0.35, 0.12 - 0.05 * sqrt(3.0)), 1e-13);
    check_relative(probe_of(s, state, "puck.speed"), 2.0, 1e-14);
    rl_state_free(state);
    state = exact_state(s, t + 1e-9);
    check_relative(probe_of(s, state, "line.tension"), 4.0 / length, 1e-13);
    rl_state_free(state);
    t += 0.5 * length * RL_PI / 3.0;
  }
  rl_scenario_free(s);
}

static double polygon_length(int edges) {
  char points[16384] = "";
  for (int i = 0; i < edges; i++) { // about a circle of 0.1 m: a face is a tangent
    const double angle = 2.0 * RL_PI * (i + 0.5) / edges, r = 0.1 / cos(RL_PI / edges);
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
  const double length = 4.0 / probe_of(s, state, "line.tension"); // m v^2/T
  rl_state_free(state);
  rl_scenario_free(s);
  return length;
}

static void many_edges_are_a_round_post(void **unused) {
  (void)unused;
  check_near(polygon_length(128), 0.774596669241483, 0.1 * RL_PI / 64.0);
}

int main(void) {
  gsl_set_error_handler_off();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(catch_takes_what_is_along_the_rope),
      cmocka_unit_test(ropes_land_drums_turn_and_cords_hang),
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
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
