// SPDX-License-Identifier: GPL-3.0-or-later
// Probes: the values they have in a state, and what is said of those that there are not.
#include "check.h"

#include <string.h>

#define HEAD "name: test\nduration: 2.385\nstep: 0.0125\n"

#define WRAPPED                                                                                    \
  HEAD "gravity: [0, -10, 0]\n"                                                                    \
       "bodies:\n"                                                                                 \
       "  drum: {motion: driven, position: [0, 0, 0], spin: [0, 0, 2],\n"                          \
       "         shape: {cylinder: {radius: 1, length: 9}}}\n"                                     \
       "  heavy: {mass: 2, position: [-1.25, -3, 0], velocity: [0, 3, 0]}\n"                       \
       "  light: {mass: 1, position: [1.25, -3, 0], velocity: [0, -3, 0]}\n"                       \
       "  post: {motion: fixed, position: [7, 0, 0]}\n"                                            \
       "ropes:\n"                                                                                  \
       "  line: {from: {body: heavy}, to: {body: light}, over: [drum], radius: 0.25}\n"            \
       "  under: {from: {point: [-1.25, 1, 0.5]}, to: {point: [1.25, 2, 0.5]}, radius: 0.25, "     \
       "friction: 1,\n"                                                                            \
       "          over: [{body: drum, side: [0, -1, 0]}]}\n"                                       \
       "  eyed: {from: {point: [8, 3, 0]}, to: {point: [12, 0, 0]},\n"                             \
       "         over: [{body: post, at: [1, 0, 0]}]}\n"

// A rope with mass over a drum.
#define DRAPED                                                                                     \
  HEAD "bodies:\n"                                                                                 \
       "  drum: {motion: fixed, position: [0, 0, 0], shape: {cylinder: {radius: 1, length: 9}}}\n" \
       "ropes:\n"                                                                                  \
       "  rope: {from: {free: [-2, 1.5, 0]}, to: {free: [2, 1.5, 0]}, mass: 1, segments: 8}\n"

#define PROBED                                                                                     \
  HEAD "gravity: [0, -10, 0]\n"                                                                    \
       "bodies:\n"                                                                                 \
       "  ball: {mass: 2, position: [3, -4, 0], velocity: [3, 4, 12]}\n"                           \
       "  ceiling: {motion: fixed}\n"                                                              \
       "ropes:\n"                                                                                  \
       "  eyed: {from: {point: [-3, -4, 0]}, to: {body: ball}, over: [{body: ceiling, at: [0, 0, " \
       "0]}]}\n"                                                                                   \
       "  chain: {from: {point: [0, 0, 0]}, to: {free: [2, 0, 0]}, mass: 3, stiffness: 100,\n"     \
       "          rest_lengths: [1.5, 1.25], velocity: [0, 0, 0.5],\n"                             \
       "          points: [[0, 0, 0], [1, -1, 0], [2, 0, 0]]}\n"

static void check_probe(const rl_scenario *scenario, const rl_state *now, const char *name,
                        double expected) {
  check_near_at(probe_of(scenario, now, name), expected, 1e-14 * (1.0 + fabs(expected)), name,
                __FILE__, __LINE__);
}

static void probes_have_the_values_of_the_state(void **unused) {
  (void)unused;
  rl_scenario *scenario = scenario_from(PROBED);
  rl_state *now = rl_state_create(scenario->model);
  assert_non_null(now);
  now->multipliers[0] = 7.25; // the massless rope
  now->multipliers[1] = 2.5;  // the chain
  now->multipliers[2] = 3.5;
  const struct {
    const char *name;
    double expected;
  } cases[] = {
      {"ball.x", 3.0},
      {"ball.y", -4.0},
      {"ball.z", 0.0},
      {"ball.vx", 3.0},
      {"ball.vy", 4.0},
      {"ball.vz", 12.0},
      {"ball.speed", 13.0},
      {"ceiling.speed", 0.0},
      {"eyed.length", 10.0},
      {"eyed.rest", 10.0},
      {"eyed.stretch", 0.0},
      {"eyed.tension", 7.25},
      {"eyed.tension.from", 7.25},
      {"eyed.tension.to", 7.25},
      {"eyed.tension.0", 7.25},
      {"eyed.tension.-1", 7.25},
      {"eyed.tip.x", 3.0},
      {"eyed.tip.vz", 12.0},
      {"eyed.node.0.x", -3.0},
      {"eyed.node.-2.y", -4.0},
      {"eyed.angle", 0.64350110879328437}, // atan2(3, 4): from the eye to the ball
      {"eyed.sag", 0.0},
      {"eyed.contacts", 0.0},
      {"eyed.wrap.ceiling", 1.8545904360032244}, // 2 atan(4/3)
      {"eyed.force.ceiling", 11.6},
      {"eyed.slip.ceiling", -0.7}, // half of what the ball gives way
      {"eyed.exit.ceiling.x", 0.0},
      {"chain.length", 2.0 * 1.4142135623730951},
      {"chain.rest", 2.75},
      {"chain.stretch", 1.4142135623730951 / 1.25 - 1.0},
      {"chain.tension", 3.5},
      {"chain.tension.0", 2.5},
      {"chain.tension.from", 2.5},
      {"chain.tension.to", 3.5},
      {"chain.tension.-2", 2.5},
      {"chain.node.1.y", -1.0},
      {"chain.node.-2.x", 1.0},
      {"chain.node.+2.x", 2.0},
      {"chain.node.1.speed", 0.5},
      {"chain.tip.x", 2.0},
      {"chain.angle", 2.3561944901923449}, // 135 degrees: up and to the right
      {"chain.sag", 1.0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    check_probe(scenario, now, cases[i].name, cases[i].expected);
  }
  rl_state_free(now);
  rl_scenario_free(scenario);
}

// Angles are measured from gravity's own direction, positive towards x (or y, if it is along x).
static void angles_are_measured_from_gravity(void **unused) {
  (void)unused;
  static const struct {
    const char *gravity, *end;
    double expected;
  } cases[] = {
      {"[0, -9, 0]", "[0, -2, 0]", 0.0},
      {"[0, -9, 0]", "[2, 0, 0]", 1.5707963267948966},
      {"[0, -9, 0]", "[-2, 0, 0]", -1.5707963267948966},
      {"[0, 0, 0]", "[2, -2, 0]", 0.78539816339744831},
      {"[0, 0, -9]", "[2, 0, -2]", 0.78539816339744831},
      {"[0, 9, 0]", "[2, 2, 0]", 0.78539816339744831},
      {"[9, 0, 0]", "[2, 2, 0]", 0.78539816339744831},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    rl_scenario *scenario = scenario_from(HEAD "gravity: %s\nropes:\n  chain: {from: {point: [0, "
                                               "0, 0]}, to: {free: %s}, mass: 1, segments: 3}\n",
                                          cases[i].gravity, cases[i].end);
    rl_state *now = rl_state_create(scenario->model);
    assert_non_null(now);
    check_probe(scenario, now, "chain.angle", cases[i].expected);
    rl_state_free(now);
    rl_scenario_free(scenario);
  }
}

// Massless ropes over drums: over the top with the ends straight down, under the bottom, and
// through an eye on a body.
static void probes_of_wraps(void **unused) {
  (void)unused;
  rl_scenario *scenario = scenario_from(WRAPPED);
  rl_state *now = rl_state_create(scenario->model);
  assert_non_null(now);
  const double pi = 3.14159265358979312, r = 1.25; // radius of the drum and the rope's
  now->multipliers[0] = 7.25;
  now->multipliers[1] = now->multipliers[2] = 3.5;
  now->wraps[scenario->model->ropes[1].first_wrap].tension = 4.5; // friction
  const struct {
    const char *name;
    double expected;
  } cases[] = {
      {"line.wrap.drum", pi},
      {"line.force.drum", 14.5},
      {"line.slip.drum", 3.0 + 2.0 * r}, // against the turn of the drum
      {"line.entry.drum.x", -r},
      {"line.entry.drum.y", 0.0},
      {"line.exit.drum.x", r},
      {"line.contacts", 1.0},
      {"line.tension", 7.25},
      {"line.tension.to", 7.25},
      {"line.tension.0", 7.25},
      {"line.angle", 0.0},
      {"line.sag", 0.0},
      {"line.length", 3.0 + pi * r + 3.0},
      {"under.wrap.drum", pi},
      {"under.force.drum", 8.0},
      {"under.tension", 4.5},
      {"under.tension.from", 3.5},
      {"under.tension.to", 4.5},
      {"under.tension.0", 3.5},
      {"under.tension.1", 4.5},
      {"under.tension.-1", 4.5},
      {"under.tension.before.drum", 3.5},
      {"under.tension.after.drum", 4.5},
      {"eyed.tension.after.post", 3.5},
      {"under.angle", pi},
      {"under.sag", 1.0 + r}, // the lowest point is on the arc
      {"under.exit.drum.z", 0.5},
      {"eyed.wrap.post", 0.5 * pi},
      {"eyed.force.post", 3.5 * 1.4142135623730951},
      {"eyed.slip.post", 0.0},
      {"eyed.entry.post.x", 8.0},
      {"eyed.contacts", 0.0},
      {"eyed.sag", 0.0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    check_probe(scenario, now, cases[i].name, cases[i].expected);
  }
  // What is not touched has no place, no angle, no force.
  rl_state *off = rl_state_create(scenario->model);
  assert_non_null(off);
  off->wrap_counts[0] = 0;
  rl_probe probe;
  char message[400];
  rl_probe_parse(scenario->model, "line.entry.drum.x", &probe, message, sizeof message);
  assert_true(isnan(rl_probe_value(scenario->model, off, probe)));
  check_probe(scenario, off, "line.wrap.drum", 0.0);
  check_probe(scenario, off, "line.force.drum", 0.0);
  rl_state_free(off);
  rl_state_free(now);
  rl_scenario_free(scenario);
}

// The force of a rope with mass is the sum of its contacts' normal forces.
static void probes_of_contacts(void **unused) {
  (void)unused;
  rl_scenario *scenario = scenario_from(DRAPED);
  rl_state *now = rl_state_create(scenario->model);
  assert_non_null(now);
  now->contact_count = 3; // left, right, and one that does not push
  now->contacts[0] = (rl_contact){.node = 1, .slot = 1, .next = RL_NONE};
  now->contacts[1] = (rl_contact){.node = 7, .slot = 7, .next = RL_NONE};
  now->contacts[2] = (rl_contact){.node = 8, .slot = 8, .next = RL_NONE};
  const size_t links = scenario->model->link_count;
  now->multipliers[links] = now->multipliers[links + 1] = 5.0;
  check_probe(scenario, now, "rope.force.drum", 10.0 / 1.4142135623730951);
  check_probe(scenario, now, "rope.entry.drum.x", -1.5);
  check_probe(scenario, now, "rope.exit.drum.x", 1.5);
  check_probe(scenario, now, "rope.exit.drum.y", 1.5);
  check_probe(scenario, now, "rope.contacts", 2.0);
  check_probe(scenario, now, "rope.wrap.drum", 0.0); // it is straight
  now->velocities[7].x = -2.5;
  check_probe(scenario, now, "rope.slip.drum", -2.5);
  now->multipliers[0] = 2.25; // before node 1 and after node 7
  now->multipliers[7] = 3.75;
  check_probe(scenario, now, "rope.tension.before.drum", 2.25);
  check_probe(scenario, now, "rope.tension.after.drum", 3.75);
  // Bent down in its middle by a right angle, one element inside: the angles beside it count.
  now->points[3] = (rl_point){-0.5, 1.5, 0.0, 1.0};
  now->points[4] = (rl_point){0.0, 1.0, 0.0, 1.0};
  now->points[5] = (rl_point){0.0, 0.5, 0.0, 1.0};
  now->contacts[0] = (rl_contact){.node = 3, .slot = 3, .next = 4};
  now->contact_count = 1;
  check_probe(scenario, now, "rope.wrap.drum", 1.57079632679489662);
  now->multipliers[3] = 1.5; // the one in contact is before and after
  check_probe(scenario, now, "rope.tension.before.drum", 1.5);
  check_probe(scenario, now, "rope.tension.after.drum", 1.5);
  now->contact_count = 0;
  assert_true(isnan(probe_of(scenario, now, "rope.tension.after.drum")));
  rl_state_free(now);
  rl_scenario_free(scenario);
}

static void unknown_names_are_explained(void **unused) {
  (void)unused;
  static const struct {
    const char *name, *message;
  } cases[] = {
      {"", "no body or rope ''"},
      {".", "no body or rope ''"},
      {"bal.y", "did you mean 'ball'?"},
      {"chian.rest", "did you mean 'chain'?"},
      {"ball", "expected a quantity after the name, as in 'ball.y'"},
      {"chain", "expected a quantity after the name, as in 'chain.tension'"},
      {"ball.", "expected one of x, y, z"},
      {"ball.tension", "unknown quantity of a body 'tension'"},
      {"ball.y.x", "nothing can follow 'y', found 'x'"},
      {"ball.spin.x", "nothing can follow 'spin', found 'x'"},
      {"chain.tensoin", "did you mean 'tension'?"},
      {"chain.x", "expected one of length, rest, stretch"},
      {"chain.rest.0", "nothing can follow 'rest'"},
      {"chain.tension.2", "element 2: expected 0 to 1, or -1, the last, to -2"},
      {"chain.tension.-3", "element -3: expected 0 to 1"},
      {"chain.tension.x", "before, after or the number of an element, found 'x'"},
      {"chain.tension.1.x", "nothing can follow '1'"},
      {"chain.tension.before",
       "no body after 'before', as in 'chain.tension.before.BODY'; the rope can touch none"},
      {"chain.tension.after.ball", "the rope touches no body 'ball'; the rope can touch none"},
      {"chain.node", "expected the number of a node"},
      {"chain.node.1", "after '1': expected one of x, y, z, vx, vy, vz, speed"},
      {"chain.node.1.q", "unknown quantity 'q'"},
      {"chain.node.1.x.y", "nothing can follow 'x'"},
      {"chain.node.3.x", "node 3: expected 0 to 2, or -1, the last, to -3"},
      {"chain.node.99999999999999999999.x", "expected 0 to 2"},
      {"chain.node.1.5.x", "unknown quantity '5'"},
      {"chain.tip", "after 'tip': expected one of"},
      {"chain.wrap", "no body after 'wrap', as in 'chain.wrap.BODY'; the rope can touch none"},
      {"eyed.slip", "no body after 'slip', as in 'eyed.slip.BODY'; expected ceiling"},
      {"eyed.exit.", "no body after 'exit', as in 'eyed.exit.BODY'; expected ceiling"},
      {"chain.wrap.bal", "no body 'bal'; the rope can touch none"},
      {"chain.entry.ball.x", "the rope touches no body 'ball'"},
      {"eyed.force.ball", "the rope touches no body 'ball'; expected ceiling"},
      {"chain.node.1.x.y.z", "too many dots"},
      {"chain.\x1b[31m", "?[31m"},
  };
  rl_scenario *scenario = scenario_from(PROBED);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    rl_probe probe;
    char message[400] = "";
    const rl_probe_status status =
        rl_probe_parse(scenario->model, cases[i].name, &probe, message, sizeof message);
    char checked[400] = "";
    const rl_probe_status again =
        rl_probe_check(&scenario->definition, cases[i].name, checked, sizeof checked);
    if (status != RL_PROBE_UNKNOWN || !strstr(message, cases[i].message)) {
      fail_msg("'%s': observed %d \"%s\", expected %d \"...%s...\"", cases[i].name, status, message,
               RL_PROBE_UNKNOWN, cases[i].message);
    }
    assert_int_equal(again, status);
    assert_string_equal(checked, message);
  }
  rl_scenario_free(scenario);
}

static void probes_of_a_scenario(void **unused) {
  (void)unused;
  rl_scenario *scenario = scenario_from(PROBED "probes: [ball.y, chain.tip.x]\n");
  rl_diagnostic d = {0};
  assert_int_equal(scenario->probe_count, 2);
  assert_true(rl_scenario_add_probe(scenario, "chain.sag", &d));
  assert_true(rl_scenario_add_probe(scenario, "ball.y", &d)); // is there already
  assert_int_equal(scenario->probe_count, 3);
  assert_string_equal(scenario->probe_names[1], "chain.tip.x");
  assert_string_equal(scenario->probe_names[2], "chain.sag");
  assert_int_equal(scenario->probes[2].kind, RL_PROBE_ROPE_SAG);
  assert_false(rl_scenario_add_probe(scenario, "ball.q", &d));
  assert_false(d.unsupported);
  assert_int_equal(scenario->probe_count, 3);
  rl_scenario_free(scenario);
}

static void angles_go_on_past_a_turn(void **unused) {
  (void)unused;
  const double turn = 6.283185307179586;
  check_near(rl_unwrap(3.0, NAN), 3.0, 0.0);
  check_near(rl_unwrap(3.0, 2.5), 3.0, 0.0);
  check_near(rl_unwrap(-3.0, 3.0), -3.0 + turn, 4e-14);
  check_near(rl_unwrap(3.0, -3.0), 3.0 - turn, 4e-14);
  check_near(rl_unwrap(-3.0, 15.5), -3.0 + 3.0 * turn, 4e-14);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(probes_have_the_values_of_the_state),
      cmocka_unit_test(angles_are_measured_from_gravity),
      cmocka_unit_test(probes_of_wraps),
      cmocka_unit_test(probes_of_contacts),
      cmocka_unit_test(unknown_names_are_explained),
      cmocka_unit_test(probes_of_a_scenario),
      cmocka_unit_test(angles_go_on_past_a_turn),
  };
  return cmocka_run_group_tests_name("probes", tests, NULL, NULL);
}
