// SPDX-License-Identifier: GPL-3.0-or-later
// Single steps from equal states: distances between states, what the reference leaves, and the
// local orders of methods, which have to be those of their derivation.
#include "check.h"

#include "experiments/onestep.h"
#include "runs/run.h"

#include <string.h>

// A chain of three elements that swings, and a load on it.
static rl_scenario *chain(void) {
  return scenario_from("name: c\nduration: 1\nstep: 0.01\n"
                       "bodies: {load: {mass: 2.385, position: [1.2, 0.3, 0]}}\n"
                       "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: load}, mass: 0.7,"
                       " segments: 3}}\n");
}

static void distances_are_what_was_moved(void **unused) {
  (void)unused;
  rl_scenario *s = chain();
  rl_state *a = rl_state_create(s->model);
  rl_state *b = rl_state_create(s->model);
  // The held end is no place that moves: two nodes and the load are.
  b->points[1].x += 0.03;
  b->points[rl_body_slot(s->model, 0)].z -= 0.04;
  b->velocities[2].y += 1.7;
  b->multipliers[0] = 3.1;
  b->multipliers[2] = -0.6;
  const rl_distance_norms d = rl_state_distance(s->model, a, b);
  check_near(d.position_rms, 0.05 / sqrt(3.0), 1e-15);
  check_near(d.position_max, 0.04, 1e-15);
  check_near(d.velocity_rms, 1.7 / sqrt(3.0), 1e-15);
  check_near(d.velocity_max, 1.7, 1e-15);
  check_near(d.tension_rms, sqrt((3.1 * 3.1 + 0.6 * 0.6) / 3.0), 1e-15);
  check_near(d.tension_max, 3.1, 1e-15);
  rl_vec3 others[8];
  for (uint32_t i = 0; i < s->model->place_count; i++) {
    others[i] = rl_position(&b->points[i]);
  }
  check_near(rl_mean_distance(s->model, a, others), 0.07 / 3.0, 1e-15);
  rl_state_free(a);
  rl_state_free(b);
  rl_scenario_free(s);
}

// What the reference goes on to from a stored state is what is stored as the end, and another
// driver that is started there comes to the same bits.
static void origins_are_states_of_one_run(void **unused) {
  (void)unused;
  rl_scenario *s = chain();
  const rl_solver_spec rattle = spec_of("rattle");
  const uint64_t at[] = {0, 7, 8, 20};
  const double step = 0.01;
  rl_origin origins[4] = {{0}};
  const rl_walk walk = {s, &rattle, step, 4, at, 4, NAN};
  char why[RL_WHY_MAX];
  assert_int_equal(rl_origins_make(&walk, origins, why), RL_EXIT_DONE);
  for (size_t i = 0; i < 4; i++) {
    check_near(origins[i].start->time, (double)at[i] * step, 0.0);
    assert_int_equal(origins[i].start->step, at[i]);
    rl_driver *d = rl_driver_create(s->model, rattle.type, rattle.parameters, step / 4.0);
    rl_driver_set_state(d, origins[i].start);
    d->state->step = 4 * at[i];
    double tension = 0.0;
    for (int n = 0; n < 4; n++) {
      rl_driver_step(d);
      tension += d->state->multipliers[1] / 4.0;
    }
    check_near(origins[i].end->multipliers[1], tension, 0.0);
    memcpy(d->state->multipliers, origins[i].end->multipliers, 3 * sizeof(double));
    const rl_distance_norms d0 = rl_state_distance(s->model, d->state, origins[i].end);
    check_near(d0.position_max, 0.0, 0.0);
    check_near(d0.velocity_max, 0.0, 0.0);
    // Second order: three times the error of four substeps is what two make worse.
    assert_true(origins[i].uncertainty.position_max > 0.0);
    check_below(origins[i].uncertainty.position_max, 1e-4);
    rl_driver_free(d);
  }
  const rl_distance_norms apart = rl_state_distance(s->model, origins[1].end, origins[2].start);
  check_near(apart.position_max, 0.0, 0.0);
  rl_origins_free(origins, 4);
  rl_scenario_free(s);
}

// The error of one step of a pendulum that swings, from its state at 0.32 s.
static rl_onestep_outcome one_step(const char *solver, double step, uint64_t substeps) {
  rl_scenario *s = scenario_from("name: p\nduration: 2\nstep: 0.01\n"
                                 "bodies: {bob: {mass: 1.3, position: [0.9, -0.4, 0]}}\n"
                                 "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: bob}}}\n");
  const rl_solver_spec rattle = spec_of("rattle"), spec = spec_of(solver);
  const uint64_t at = (uint64_t)round(0.32 / step);
  const double iterations[] = {1, 4, 200};
  rl_origin origin = {0};
  rl_onestep_outcome outcome = {0};
  rl_lines table;
  assert_true(rl_lines_open(&table, "/dev/null"));
  const rl_walk walk = {s, &rattle, step, substeps, &at, 1, NAN};
  char why[RL_WHY_MAX];
  assert_int_equal(rl_origins_make(&walk, &origin, why), RL_EXIT_DONE);
  const rl_onestep study = {.scenario = s,
                            .solvers = &spec,
                            .solver_count = 1,
                            .reference = &rattle,
                            .step = step,
                            .from = &origin,
                            .from_count = 1,
                            .iterations = iterations,
                            .iteration_count = 3};
  rl_onestep_write_header(&table);
  assert_int_equal(rl_onestep_run(&study, &table, &outcome), RL_EXIT_DONE);
  assert_true(rl_lines_close(&table));
  rl_origins_free(&origin, 1);
  rl_scenario_free(s);
  return outcome;
}

// Local errors of position and velocity grow with h^p and h^q. Velocity Verlet is wrong by h^3 in
// both; a method that takes the forces of one end of the step by h^2. The velocity of position
// based dynamics is the chord of the step: that of its middle, half a step of centripetal
// acceleration away; that of impulses satisfies the rows of the start, a whole step away.
static void local_orders(void **unused) {
  (void)unused;
  static const struct {
    const char *solver;
    double position, velocity;
  } known[] = {
      {"rattle", 3.0, 3.0}, {"pbd-direct", 2.0, 1.0}, {"pbd", 2.0, 1.0}, {"impulse", 2.0, 1.0}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    const rl_onestep_outcome coarse = one_step(known[i].solver, 0.004, 128);
    const rl_onestep_outcome fine = one_step(known[i].solver, 0.002, 64);
    assert_string_equal(fine.status, "done");
    print_message("%s: %.3g %.3g m, %.3g %.3g m/s\n", known[i].solver, coarse.error.position_rms,
                  fine.error.position_rms, coarse.error.velocity_rms, fine.error.velocity_rms);
    check_near(log2(coarse.error.position_rms / fine.error.position_rms), known[i].position, 0.1);
    check_near(log2(coarse.error.velocity_rms / fine.error.velocity_rms), known[i].velocity, 0.1);
  }
}

static void references_are_chosen_and_refused(void **unused) {
  (void)unused;
  rl_scenario *stiff = chain();
  rl_scenario *elastic = scenario_from(
      "name: e\nduration: 1\nstep: 0.01\n"
      "bodies: {load: {mass: 2, position: [0, -1, 0]}}\n"
      "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: load}, stiffness: 900}}\n");
  rl_solver_spec spec;
  int status = -1;
  assert_true(rl_reference_choose(stiff, NULL, &spec, &status));
  assert_true(strcmp(spec.type->family, "reference") == 0);
  assert_true(rl_reference_choose(elastic, NULL, &spec, &status));
  assert_true(rl_reference_choose(stiff, "pbd,iterations=500", &spec, &status));
  assert_string_equal(spec.type->name, "pbd");
  assert_false(rl_reference_choose(stiff, "pdb", &spec, &status));
  assert_int_equal(status, RL_EXIT_USAGE);
  assert_false(rl_reference_choose(elastic, "pbd", &spec, &status));
  assert_int_equal(status, RL_EXIT_UNSUPPORTED);
  rl_scenario_free(stiff);
  rl_scenario_free(elastic);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(distances_are_what_was_moved),
      cmocka_unit_test(origins_are_states_of_one_run),
      cmocka_unit_test(local_orders),
      cmocka_unit_test(references_are_chosen_and_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
