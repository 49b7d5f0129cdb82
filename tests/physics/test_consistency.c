// SPDX-License-Identifier: GPL-3.0-or-later
// Consistency of methods with themselves: orders, conserved quantities, and what is conserved.
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include "experiments/consistency.h"
#include "runs/run.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { STEPS = 3, SOLVERS = 4 };

// Three rods on a pin at the origin, without gravity; the velocities are across them.
static rl_scenario *rods(const char *keys) {
  return scenario_from("name: r\nduration: 0.4\nstep: 0.01\ngravity: [0, 0, 0]\n"
                       "ropes: {rods: {from: {point: [0, 0, 0]}, to: {free: [0.9, 0, 0]},"
                       " rest_lengths: [0.3, 0.2, 0.4], node_masses: [1, 1.3, 0.7, 0.4],"
                       " compression: true, %s"
                       " velocities: [[0, 0, 0], [0, 1.1, 0], [0, 0.2, 0], [0, 2.3, 0]]}}\n",
                       keys);
}

// Positions of rattle and of pbd-direct come back to their own fine run by the square of the step,
// and to the same distance: from a state on the rows, both place the nodes by the same equations.
// pbd dissipates by the first power. Restarted with the reference's own step nothing differs.
static void orders_of_consistency(void **unused) {
  (void)unused;
  static const uint64_t multiples[STEPS] = {1, 16, 32};
  rl_scenario *s = rods("");
  const rl_solver_spec solvers[SOLVERS] = {spec_of("rattle"), spec_of("pbd-direct"),
                                           spec_of("impulse,iterations=200"), spec_of("pbd")};
  const rl_consistency study = {.scenario = s,
                                .solvers = solvers,
                                .solver_count = SOLVERS,
                                .reference_step = 6.25e-5,
                                .multiples = multiples,
                                .step_count = STEPS,
                                .pieces = 2,
                                .piece = 3200,
                                .repeats = 1,
                                .limit = NAN,
                                .jobs = 2};
  rl_consistency_row rows[SOLVERS * STEPS];
  rl_consistency_end ends[SOLVERS];
  double others = -1.0;
  assert_int_equal(rl_consistency_run(&study, rows, ends, &others), RL_EXIT_DONE);
  static const double orders[SOLVERS] = {2.0, 2.0, 2.0, 1.0};
  for (size_t i = 0; i < SOLVERS; i++) {
    const rl_consistency_row *row = &rows[i * STEPS];
    assert_int_equal(ends[i], RL_CONSISTENCY_DONE);
    assert_int_equal(row[2].pieces_done, 2);
    assert_false(row[2].piece_diverged || row[2].run_diverged);
    assert_true(row[2].seconds > 0.0);
    assert_true(row[2].error_max >= row[2].error);
    print_message("%s: %.3g %.3g m; energy %.3g %.3g; angular %.3g\n", solvers[i].label,
                  row[1].error, row[2].error, row[1].energy_drift, row[2].energy_drift,
                  row[2].angular_drift);
    check_near(log2(row[2].error / row[1].error), orders[i], 0.15);
  }
  check_near(rows[0].error, 0.0, 0.0);
  check_relative(rows[STEPS + 2].error, rows[2].error, 1e-6);
  // Rods on a pin at the origin: angular momentum stays with all that act along them at the start.
  for (size_t i = 0; i < 3; i++) {
    check_below(rows[i * STEPS + 2].angular_drift, 1e-12);
    assert_true(isnan(rows[i * STEPS + 2].momentum_drift));
  }
  check_near(log2(rows[2].energy_drift / rows[1].energy_drift), 2.0, 0.15);
  rl_scenario_free(s);
}

// A solver that blows up is a row that says so, and stops nobody else.
static void divergence_is_a_row(void **unused) {
  (void)unused;
  static const uint64_t multiples[] = {2, 64};
  rl_scenario *s = rods("");
  const rl_solver_spec solvers[] = {spec_of("penalty,substeps=1,stiffness=3e4"), spec_of("rattle")};
  const rl_consistency study = {.scenario = s,
                                .solvers = solvers,
                                .solver_count = 2,
                                .reference_step = 6.25e-4,
                                .multiples = multiples,
                                .step_count = 2,
                                .pieces = 2,
                                .piece = 320,
                                .repeats = 1,
                                .limit = NAN};
  rl_consistency_row rows[4];
  rl_consistency_end ends[2];
  double others;
  assert_int_equal(rl_consistency_run(&study, rows, ends, &others), RL_EXIT_DONE);
  assert_int_equal(ends[0], RL_CONSISTENCY_DONE);
  assert_int_equal(ends[1], RL_CONSISTENCY_DONE);
  assert_false(rows[0].piece_diverged || rows[0].run_diverged);
  assert_true(rows[1].piece_diverged && rows[1].run_diverged);
  assert_true(isnan(rows[1].energy_drift));
  assert_false(rows[3].piece_diverged || rows[3].run_diverged);
  rl_scenario_free(s);
}

static bool is_shared(const rl_consistency *study) {
  bool shared;
  char why[RL_WHY_MAX];
  assert_int_equal(rl_consistency_share(study, &shared, why), RL_EXIT_DONE);
  return shared;
}

// The run of a reference is the same from the file that is kept for all solvers: every distance.
static void a_reference_is_shared(void **unused) {
  (void)unused;
  static const uint64_t multiples[] = {8, 20, 40};
  char cache[] = "/tmp/ropelab-test-XXXXXX", command[64];
  assert_non_null(mkdtemp(cache));
  rl_scenario *s = rods("");
  const rl_solver_spec solvers[] = {spec_of("impulse"), spec_of("pbd")};
  const rl_solver_spec reference = spec_of("rattle");
  rl_consistency study = {.scenario = s,
                          .solvers = solvers,
                          .solver_count = 2,
                          .reference = &reference,
                          .reference_step = 5e-4,
                          .multiples = multiples,
                          .step_count = 3,
                          .pieces = 4,
                          .piece = 200,
                          .repeats = 1,
                          .limit = NAN,
                          .jobs = 1};
  rl_consistency_row own[6], shared[6];
  rl_consistency_end ends[2];
  double others;
  assert_false(is_shared(&study)); // nowhere
  assert_int_equal(rl_consistency_run(&study, own, ends, &others), RL_EXIT_DONE);
  study.cache = cache;
  assert_false(is_shared(&study)); // made now
  assert_true(is_shared(&study));
  assert_int_equal(rl_consistency_run(&study, shared, ends, &others), RL_EXIT_DONE);
  for (size_t i = 0; i < 6; i++) {
    assert_int_equal(shared[i].pieces_done, 4);
    assert_true(own[i].error > 0.0);
    check_near(shared[i].error, own[i].error, 0.0);
    check_near(shared[i].error_max, own[i].error_max, 0.0);
  }
  study.piece = 400; // another run
  assert_false(is_shared(&study));
  snprintf(command, sizeof command, "rm -r %s", cache);
  assert_int_equal(system(command), 0);
  rl_scenario_free(s);
}

// What is compared with it did not diverge itself, and does not say so.
static void a_reference_that_diverges(void **unused) {
  (void)unused;
  static const uint64_t multiple = 10;
  rl_scenario *s = rods("");
  const rl_solver_spec pbd = spec_of("pbd");
  const rl_solver_spec reference = spec_of("penalty,substeps=1,stiffness=1e6");
  rl_consistency study = {.scenario = s,
                          .solvers = &pbd,
                          .solver_count = 1,
                          .reference = &reference,
                          .reference_step = 1e-3,
                          .multiples = &multiple,
                          .step_count = 1,
                          .pieces = 2,
                          .piece = 320,
                          .repeats = 1,
                          .limit = NAN};
  rl_consistency_row row;
  rl_consistency_end end;
  double others;
  assert_int_equal(rl_consistency_run(&study, &row, &end, &others), RL_EXIT_DONE);
  assert_int_equal(end, RL_CONSISTENCY_LOST);
  assert_false(row.piece_diverged);
  bool shared;
  char why[RL_WHY_MAX];
  study.cache = "/dev/null/x"; // where it cannot be kept it is not made
  assert_int_equal(rl_consistency_share(&study, &shared, why), RL_EXIT_DONE);
  char cache[] = "/tmp/ropelab-test-XXXXXX";
  assert_non_null(mkdtemp(cache));
  study.cache = cache;
  assert_int_equal(rl_consistency_share(&study, &shared, why), RL_EXIT_DIVERGED);
  assert_non_null(strstr(why, "the reference penalty diverged at t = "));
  assert_int_equal(rmdir(cache), 0); // and nothing is left of it
  rl_scenario_free(s);
}

static void check_kept(const char *keys, bool linear, bool angular) {
  rl_scenario *s = rods(keys);
  if (rl_model_keeps_momentum(s->model) != linear ||
      rl_model_keeps_angular_momentum(s->model) != angular) {
    fail_msg("%s: momentum kept %d, angular %d; expected %d, %d", keys,
             rl_model_keeps_momentum(s->model), rl_model_keeps_angular_momentum(s->model), linear,
             angular);
  }
  rl_scenario_free(s);
}

static void what_is_conserved(void **unused) {
  (void)unused;
  check_kept("", false, true);
  check_kept("drag: 0.1,", false, false);
  rl_scenario *beside =
      scenario_from("name: b\nduration: 1\nstep: 0.01\ngravity: [0, 0, 0]\n"
                    "ropes: {r: {from: {point: [0, 0.1, 0]}, to: {free: [1, 0, 0]},"
                    " mass: 1, segments: 2}}\n");
  assert_false(rl_model_keeps_angular_momentum(beside->model));
  rl_scenario *afloat = scenario_from("name: a\nduration: 1\nstep: 0.01\ngravity: [0, 0, 0]\n"
                                      "ropes: {r: {from: {free: [0, 0, 0]}, to: {free: [1, 0, 0]},"
                                      " mass: 1, segments: 2}}\n");
  assert_true(rl_model_keeps_momentum(afloat->model));
  assert_true(rl_model_keeps_angular_momentum(afloat->model));
  rl_scenario *heavy = scenario_from("name: h\nduration: 1\nstep: 0.01\n"
                                     "ropes: {r: {from: {point: [0, 0, 0]}, to: {free: [1, 0, 0]},"
                                     " mass: 1, segments: 2}}\n");
  assert_false(rl_model_keeps_angular_momentum(heavy->model));
  rl_scenario_free(beside);
  rl_scenario_free(afloat);
  rl_scenario_free(heavy);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orders_of_consistency),     cmocka_unit_test(a_reference_is_shared),
      cmocka_unit_test(a_reference_that_diverges), cmocka_unit_test(divergence_is_a_row),
      cmocka_unit_test(what_is_conserved),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
