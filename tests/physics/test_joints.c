// SPDX-License-Identifier: GPL-3.0-or-later
// Ropes joined in a node.
#include "check.h"

#include <string.h>

// A Y at rest: two arms at 60 degrees to each other's mirror carry a stem with a load. Each arm
// holds W / (2 cos 30) with W all that hangs from the joint; arms without weight worth naming.
static void y_of_ropes_is_in_balance(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: y\nduration: 1\nstep: 0.01\n"
      "bodies: {load: {mass: 2.385, position: [0, -2, 0]}}\n"
      "ropes:\n"
      // The stem is named first and waits for the arm that it is joined to.
      "  stem: {from: {rope: left, node: -1}, to: {body: load}, mass: 1e-6, segments: 2}\n"
      "  left: {from: {point: [-0.5773502691896258, 0, 0]}, to: {free: [0, -1, 0]}, mass: 1e-6,"
      " segments: 2}\n"
      "  right: {from: {point: [0.5773502691896258, 0, 0]}, to: {rope: left, node: 2}, mass: 1e-6,"
      " segments: 2}\n");
  static const char *const solvers[] = {"pbd-direct", "rattle"};
  for (size_t i = 0; i < 2; i++) {
    rl_driver *d = driver_for(s, solvers[i], 1e-5); // below sqrt(m l/T) of so light a rope
    take_steps(d, 100);
    const double weight = 2.385 * 9.81;
    const double arm = weight / (2.0 * cos(RL_PI / 6.0));
    check_relative(probe(d, "stem.tension.from"), weight, 1e-5);
    check_relative(probe(d, "left.tension.to"), arm, 1e-5);
    check_relative(probe(d, "right.tension.to"), arm, 1e-5);
    check_near(probe(d, "right.tip.y"), probe(d, "left.tip.y"), 0.0);
    check_near(probe(d, "stem.node.0.y"), -1.0, 1e-9);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// The joint has the mass of both ropes' shares, and a free net keeps its momentum.
static void joint_has_both_masses(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: net\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\n"
      "ropes:\n"
      "  one: {from: {free: [-1, 0, 0]}, to: {free: [1, 0, 0]}, mass: 0.8, segments: 4,"
      " velocity: [0.1, 0.2, 0.3]}\n"
      "  two: {from: {rope: one, node: 2}, to: {free: [0.2, 1.3, 0.4]}, mass: 0.6, segments: 3,"
      " spin: [1, 0, 2]}\n");
  rl_state *state = rl_state_create(s->model);
  const uint32_t joint = rl_rope_node(s->model, state, 0, 2);
  rl_state_free(state);
  check_near(s->model->masses[joint], 0.2 + 0.1, 1e-15);
  check_near(s->model->points[joint].w, 1.0 / 0.3, 1e-12);
  check_free_second(s, RL_CAN_JOINTS, NULL);
}

static void refused(const char *ropes, const char *says) {
  char text[1024];
  snprintf(text, sizeof text, "name: x\nduration: 1\nstep: 0.01\nropes:\n%s", ropes);
  rl_diagnostic diagnostic;
  rl_scenario *s = rl_scenario_from_text(text, strlen(text), "x", NULL, 0, &diagnostic);
  assert_null(s);
  assert_false(diagnostic.unsupported);
  if (!strstr(diagnostic.message, says)) {
    print_error("observed '%s', expected '%s'\n", diagnostic.message, says);
    fail();
  }
}

static void impossible_joints_are_refused(void **unused) {
  (void)unused;
  refused("  a: {from: {rope: b, node: 0}, to: {point: [1, 0, 0]}, mass: 1, segments: 2}\n"
          "  b: {from: {rope: a, node: 1}, to: {point: [0, 1, 0]}, mass: 1, segments: 2}\n",
          "circle");
  refused(
      "  a: {from: {point: [0, 0, 0]}, to: {point: [1, 0, 0]}, mass: 1, segments: 2}\n"
      "  b: {from: {rope: a, node: 1}, to: {point: [0, 1, 0]}, mass: 1, segments: 2, length: 1}\n",
      "shorter than its way");
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(y_of_ropes_is_in_balance),
      cmocka_unit_test(joint_has_both_masses),
      cmocka_unit_test(impossible_joints_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
