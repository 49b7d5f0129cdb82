// SPDX-License-Identifier: GPL-3.0-or-later
// Ropes with mass through eyes.
#include "check.h"

#include "world/elements.h"
#include "world/eyes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const general[] = {
    "penalty",        "penalty-implicit", "pbd",    "xpbd",      "pbd-direct", "impulse",
    "impulse-direct", "impulse-soft",     "convex", "reference", "rattle"};
enum { GENERAL = sizeof general / sizeof general[0] };

// A chain that hangs on both sides of an eye, the ends `y0` lower and higher than the middle.
static rl_scenario *hanging_chain(double y0, int segments) {
  return scenario_from("name: x\nduration: 1\nstep: 0.001\n"
                       "ropes: {chain: {from: {free: [0, %.17g, 0]}, to: {free: [0, %.17g, 0]},\n"
                       "        over: [{eye: [0, 0, 0]}], mass: 1, segments: %d}}\n"
                       "exact: {eye-chain: {rope: chain}}\n",
                       -0.5 + y0, -0.5 - y0, segments);
}

// The closed form at a time.
static rl_state *exact_state(const rl_scenario *s, double t) {
  char message[256] = "";
  rl_state *state = rl_state_create(s->model);
  void *form = calloc(1, s->exact->size);
  assert_true(state && form);
  if (!s->exact->init(form, s->model, s->exact_arguments, message, sizeof message)) {
    print_error("refused: %s\n", message);
    fail();
  }
  assert_true(s->exact->at(form, s->model, t, state));
  free(form);
  return state;
}

static double tip_height(const rl_model *model, const rl_state *state) {
  return rl_rope_position(model, state, 0, rl_rope_nodes(model, state, 0) - 1).y;
}

// How far the end of the chain is from its closed form after half a second, and the energy error.
static double error_of(const char *solver, double step, double *energy) {
  rl_scenario *s = hanging_chain(0.06, 20);
  rl_driver *d = driver_for(s, solver, step);
  while (d->state->time < 0.5 - 0.5 * step) {
    step_checked(d);
  }
  rl_state *exact = exact_state(s, d->state->time);
  const double error = fabs(tip_height(s->model, d->state) - tip_height(s->model, exact));
  assert_int_equal(d->state->eye_elements[0], exact->eye_elements[0]);
  *energy = fabs(rl_driver_energy_error(d));
  rl_state_free(exact);
  rl_driver_free(d);
  rl_scenario_free(s);
  return error;
}

// In half a second six nodes go through: each method makes its own error, and passing makes little.
static void a_chain_runs_through_as_known(void **unused) {
  (void)unused;
  const struct {
    const char *solver;
    double way, energy; // [m], [J], twice what was measured
  } limits[GENERAL] = {{"penalty", 8e-5, 3e-4},
                       {"penalty-implicit", 2e-3, 4e-3},
                       {"pbd", 2e-3, 4e-3},
                       {"xpbd", 8e-5, 3e-4},
                       {"pbd-direct", 2e-3, 4e-3},
                       {"impulse", 2e-3, 4e-3},
                       {"impulse-direct", 2e-3, 4e-3},
                       {"impulse-soft", 2e-4, 7e-4},
                       {"convex", 2e-3, 4e-3},
                       {"reference", 1e-14, 1e-13},
                       {"rattle", 2e-5, 3e-5}};
  for (size_t k = 0; k < GENERAL; k++) {
    double energy;
    const double way = error_of(limits[k].solver, 0.001, &energy);
    check_below(way, limits[k].way);
    check_below(energy, limits[k].energy);
  }
}

// rattle is of order 2 between passes; a node passes within a step and takes up what it missed.
static void passing_is_of_second_order(void **unused) {
  (void)unused;
  double energies[4], errors[4];
  for (int k = 0; k < 4; k++) {
    errors[k] = error_of("rattle", 0.002 / (1 << k), &energies[k]);
  }
  check_below(errors[3], errors[0] / 32.0);
  check_below(energies[3], energies[0] / 32.0);
}

// With more elements the chain moves as the smooth one.
static void more_elements_are_a_smooth_chain(void **unused) {
  (void)unused;
  const double y0 = 0.0625, t = 0.45;
  const double smooth = -0.5 - y0 * cosh(sqrt(2.0 * 9.81) * t);
  double last = INFINITY;
  for (int n = 8; n <= 216; n *= 3) {
    rl_scenario *s = hanging_chain(y0, n);
    rl_state *state = exact_state(s, t);
    const double error = fabs(tip_height(s->model, state) - smooth);
    check_below(error, last / 3.5); // order about 1.4
    last = error;
    rl_state_free(state);
    rl_scenario_free(s);
  }
}

// ---------------------------------------------------------------------------------------------
// Free and to and fro

// Which elements are in the eyes, summed up: changes when one passes.
static bool has_passed(const rl_driver *d, uint64_t *seen) {
  const uint64_t now = rl_eyes_hash(d->model, d->state);
  const bool passed = now != *seen;
  *seen = now;
  return passed;
}

// An eye beside the centre of a free body, a load at each end, nothing from outside.
static void free_things_keep_their_momentum(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: free\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.002\nbodies:\n"
      "  a: {mass: 0.3, position: [-0.9, 0, 0], velocity: [1.5, 0, 0]}\n"
      "  b: {mass: 0.5, position: [0.5, 0, 0], velocity: [1.5, 0, 0]}\n"
      "  r: {mass: 0.7, inertia: [0.02, 0.03, 0.04], position: [0.05, 0.1, 0], spin: [1, 2, 3],"
      " velocity: [0, 0.3, 0.1]}\n"
      "ropes: {chain: {from: {body: a}, to: {body: b}, over: [{body: r, at: [-0.05, -0.1, 0]}],"
      " mass: 0.4, segments: 20, velocity: [1.5, 0, 0]}}\n");
  for (size_t k = 0; k < GENERAL; k++) {
    rl_driver *d = driver_for(s, general[k], 0.002);
    const rl_metrics start = rl_metrics_of(d);
    uint64_t seen = rl_eyes_hash(s->model, d->state), passes = 0;
    char message[256] = "";
    for (int n = 0; n < 200; n++) {
      free_step(d, &start, INFINITY);
      assert_true(rl_elements_check(s->model, d->state, message, sizeof message));
      passes += has_passed(d, &seen) ? 1 : 0;
    }
    // Of a node that passes a step late the angular momentum is off by the way that it missed.
    const rl_metrics now = rl_metrics_of(d);
    assert_true(passes >= 4);
    check_below(rl_distance(now.momentum.angular, start.momentum.angular),
                0.01 * rl_length(start.momentum.angular));
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// Two loads are pushed and pulled at random, and the chain between them runs to and fro through
// three eyes, one of them on a body on its axle, with gravity and out of any plane.
static void a_chain_goes_to_and_fro(void **unused) {
  (void)unused;
  const struct {
    const char *solver;
    double energy, stretch; // [J], three times what was measured
  } limits[] = {{"penalty", 0.01, 5e-4},        {"penalty-implicit", 0.3, 5e-6},
                {"pbd", 0.3, 1.5e-3},           {"xpbd", 0.02, 1.2e-4},
                {"pbd-direct", 0.02, 1.2e-5},   {"impulse", 0.04, 2e-3},
                {"impulse-direct", 0.02, 8e-4}, {"impulse-soft", 0.08, 6e-3},
                {"convex", 0.3, 5e-6},          {"rattle", 1e-3, 2e-5}};
  char events[8192];
  size_t at = 0;
  uint64_t seed = 2385;
  for (int i = 0; i < 40; i++) {
    at += (size_t)snprintf(events + at, sizeof events - at,
                           "  - {from: %.17g, until: %.17g, force: {body: %s, value: [%.17g, "
                           "%.17g, %.17g]}}\n",
                           0.05 * i, 0.05 * i + 0.05, next_random(&seed) < 0.5 ? "a" : "b",
                           between(&seed, -1, 1), between(&seed, -9, 0), between(&seed, -1, 1));
  }
  rl_scenario *s = scenario_from(
      "name: fro\nduration: 2\nstep: 0.002\nbodies:\n"
      "  a: {mass: 0.45, position: [-0.3, -0.7, 0.05]}\n"
      "  b: {mass: 0.5, position: [0.35, -0.65, -0.05]}\n"
      "  wheel: {motion: axle, mass: 3, inertia: [0.1, 0.1, 0.1], position: [0, 0.1, 0]}\n"
      "ropes: {chain: {from: {body: a}, to: {body: b}, over: [{eye: [-0.3, 0, 0]},"
      " {body: wheel, at: [0, -0.1, 0]}, {eye: [0.3, 0, 0.1]}], mass: 0.4, segments: 40}}\n"
      "events:\n%s",
      events);
  for (size_t k = 0; k < sizeof limits / sizeof limits[0]; k++) {
    rl_driver *d = driver_for(s, limits[k].solver, 0.0005);
    uint64_t seen = rl_eyes_hash(s->model, d->state), passes = 0;
    double longest = 0.0;
    for (int n = 0; n < 4000; n++) {
      step_checked(d);
      passes += has_passed(d, &seen) ? 1 : 0;
      longest = fmax(longest, rl_metrics_of(d).stretch_max);
    }
    assert_true(passes >= 50);
    check_below(fabs(rl_driver_energy_error(d)), limits[k].energy);
    check_below(longest, limits[k].stretch);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// ---------------------------------------------------------------------------------------------
// Out of the eye

// The end of a chain that nothing holds comes to the eye, and the chain falls.
static void a_free_end_runs_out(void **unused) {
  (void)unused;
  for (size_t k = 0; k < GENERAL; k++) {
    rl_scenario *s = hanging_chain(0.4, 10);
    rl_driver *d = driver_for(s, general[k], 0.001);
    double speed = 0.0;
    while (d->state->time < 0.5) {
      if (d->state->eye_elements[0] == RL_NONE) {
        speed = -rl_metrics_of(d).momentum.linear.y; // of 1 kg
      }
      step_checked(d);
      if (speed > 0.0) {
        check_near(-rl_metrics_of(d).momentum.linear.y, speed + 9.81 * 0.001, 1e-9);
      }
    }
    assert_true(speed > 0.0);
    check_near(probe(d, "chain.length"), 1.0, 0.01);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// What is cut or torn in an eye leaves it; what is cut elsewhere runs on through it.
static void what_is_cut_leaves(void **unused) {
  (void)unused;
  for (size_t k = 0; k < GENERAL; k++) {
    rl_scenario *s = scenario_from(
        "name: x\nduration: 1\nstep: 0.002\nropes:\n"
        "  chain: {from: {point: [-0.5, 0, 0]}, to: {point: [0.5, 0, 0]}, mass: 1, segments: 11,\n"
        "          over: [{eye: [-0.1, 0.3, 0]}, {eye: [0.2, 0.3, 0]}], slack: 0.02}\n"
        "events: [{at: 0.1, cut: {plane: {point: [-0.1, 0.29, 0], normal: [1, 0, 0]}}},"
        " {at: 0.2, cut: {rope: chain, segment: 9}}]\n");
    rl_driver *d = driver_for(s, general[k], 0.0005);
    while (d->state->time < 0.15) {
      step_checked(d);
    }
    assert_int_equal(d->state->parted, 1);
    assert_int_equal(d->state->eye_elements[0], RL_NONE);
    assert_true(d->state->eye_elements[1] < 11);
    while (d->state->time < 0.6) {
      step_checked(d);
    }
    assert_int_equal(d->state->parted, 2);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// ---------------------------------------------------------------------------------------------
// Rows and probes

static void rows_have_their_gradients(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: x\nduration: 1\nstep: 0.001\nbodies:\n"
      "  r: {mass: 0.7, inertia: [0.02, 0.03, 0.04], position: [0.05, 0.1, 0], spin: [1, 2, 3]}\n"
      "ropes: {chain: {from: {free: [-0.5, 0.1, 0]}, to: {free: [0.4, -0.3, 0.2]}, mass: 0.4,"
      " over: [{body: r, at: [-0.05, -0.1, 0]}, {eye: [0.02, 0, 0]}], segments: 7}}\n");
  for (int k = 0; k < 2; k++) { // without guides, and in a step so long that both ends are guided
    rl_driver *d = driver_for(s, "rattle", 0.001);
    rl_detect(s->model, d->state, k == 0 ? 0.0 : 10.0, d->rows);
    assert_int_equal(d->rows->span_count, 1);
    assert_int_equal(rl_is_zero(d->rows->rows[0].guides[0]), k == 0);
    assert_int_equal(rl_is_zero(d->rows->rows[0].guides[1]), k == 0);
    check_row_gradient(d, &d->rows->rows[0], 2e-9);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// In balance an eye bears the chain, and its element has the weight of one side.
static void an_eye_bears_the_chain(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: x\nduration: 1\nstep: 0.001\nbodies: {hook: {motion: fixed, position: [0, 0.5, 0]}}\n"
      "ropes: {chain: {from: {free: [0, 0, 0]}, to: {free: [0, 0, 0]}, mass: 2, segments: 9,"
      " over: [{body: hook, at: [0, 0, 0]}]}}\n");
  rl_driver *d = driver_for(s, "rattle", 0.001);
  for (int n = 0; n < 100; n++) {
    step_checked(d);
  }
  assert_int_equal(d->state->eye_elements[0], 4);
  check_near(probe(d, "chain.force.hook"), 2.0 * 9.81, 1e-9);
  check_near(probe(d, "chain.wrap.hook"), 3.14159265358979323846, 1e-9);
  check_near(probe(d, "chain.slip.hook"), 0.0, 1e-9);
  check_near(probe(d, "chain.entry.hook.y"), 0.5, 1e-15);
  check_near(probe(d, "chain.tension.4"), 9.81, 1e-9);
  check_near(probe(d, "chain.length"), 1.0, 1e-12);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// What is not known is refused with a reason.
static void what_is_refused(void **unused) {
  (void)unused;
  const struct {
    const char *chain, *reason;
  } cases[] = {{"over: [{eye: [0, 0, 0], friction: 0.1}]", "rub in an eye"},
               {"over: [{eye: [0, 0, 0]}], length: 2, points: hang", "does not hang freely"},
               {"over: [{eye: [0, 0, 0]}], points: [[-1, 0, 0], [0, -1, 0], [1, 0, 0]]",
                "no element of the rope reaches through the eye"}};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    check_refused(cases[k].reason,
                  "name: x\nduration: 1\nstep: 0.01\nropes: {chain: {from: {free: [-1, 0, 0]},"
                  " to: {free: [1, 0, 0]}, mass: 1, segments: 9, %s}}\n",
                  cases[k].chain);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_chain_runs_through_as_known),
      cmocka_unit_test(passing_is_of_second_order),
      cmocka_unit_test(more_elements_are_a_smooth_chain),
      cmocka_unit_test(free_things_keep_their_momentum),
      cmocka_unit_test(a_chain_goes_to_and_fro),
      cmocka_unit_test(a_free_end_runs_out),
      cmocka_unit_test(what_is_cut_leaves),
      cmocka_unit_test(rows_have_their_gradients),
      cmocka_unit_test(an_eye_bears_the_chain),
      cmocka_unit_test(what_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
