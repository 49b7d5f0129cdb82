// SPDX-License-Identifier: GPL-3.0-or-later
// Ropes with mass through eyes. Equation numbers are those of papers/eyes.md.
#include "check.h"

#include "world/ropes/elements.h"
#include "world/ropes/eyes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const general[] = {
    "penalty",        "penalty-implicit", "pbd",    "xpbd",      "pbd-direct", "impulse",
    "impulse-direct", "impulse-soft",     "convex", "reference", "rattle"};
enum { GENERAL = sizeof general / sizeof general[0] };

// A chain that hangs on both sides of an eye, the ends `y0` lower and higher than the middle.
static rl_scenario *rough_chain(double y0, int segments, double friction) {
  return scenario_from(
      "name: x\nduration: 1\nstep: 0.001\n"
      "ropes: {chain: {from: {free: [0, %.17g, 0]}, to: {free: [0, %.17g, 0]},\n"
      "        over: [{eye: [0, 0, 0], friction: %.17g}], mass: 1, segments: %d}}\n"
      "exact: {eye-chain: {rope: chain}}\n",
      -0.5 + y0, -0.5 - y0, friction, segments);
}

static rl_scenario *hanging_chain(double y0, int segments) {
  return rough_chain(y0, segments, 0.0);
}

// The whole chain of 1 m is through, or is so at the start: it falls, and nothing pulls.
static void a_chain_that_is_through_falls(void **unused) {
  (void)unused;
  rl_scenario *s = hanging_chain(0.5, 20); // its end is in the eye
  const double t = 0.3, fallen = 0.5 * 9.81 * t * t;
  rl_state *now = exact_state(s, t);
  check_near(rl_rope_position(s->model, now, 0, 0).y, -fallen, 1e-14);
  check_near(rl_rope_position(s->model, now, 0, 20).y, -1.0 - fallen, 1e-14);
  check_near(rl_rope_tension(s->model, now, 0, 10), 0.0, 1e-12);
  assert_int_equal(now->eye_elements[0], RL_NONE);
  rl_state_free(now);
  // The method sees the end in the eye for one step more: of first order.
  for (int k = 0; k < 2; k++) {
    const double step = k == 0 ? 0.001 : 0.0005;
    rl_driver *d = driver_for(s, "rattle", step);
    while (d->state->time < t - 0.5 * step) {
      step_checked(d);
    }
    rl_state *end = exact_state(s, d->state->time);
    check_below(fabs(rl_rope_position(s->model, d->state, 0, 0).y -
                     rl_rope_position(s->model, end, 0, 0).y),
                0.3 * step);
    rl_state_free(end);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
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

// A step takes up to some twenty elements through: no element gets longer, and the error of the
// method is what is left, 0.9 of the step in half a second.
static void a_step_takes_many_elements(void **unused) {
  (void)unused;
  static const char *const solvers[] = {"convex", "convex,integrator=bdf2", "impulse-direct"};
  static const int rates[] = {20, 60, 240};
  rl_scenario *s = hanging_chain(0.06, 300);
  rl_state *exact = exact_state(s, 0.5);
  for (size_t k = 0; k < sizeof solvers / sizeof solvers[0]; k++) {
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
      const double step = 1.0 / rates[i];
      rl_driver *d = driver_for(s, solvers[k], step);
      for (int n = 0; n < rates[i] / 2; n++) {
        step_checked(d);
        check_below(rl_metrics_of(d).length_error, 1e-12);
        check_below((double)d->info.iterations, 15.0);
      }
      check_below(fabs(tip_height(s->model, d->state) - tip_height(s->model, exact)), 1.2 * step);
      rl_driver_free(d);
    }
  }
  rl_state_free(exact);
  rl_scenario_free(s);
}

// What comes in round a bend cuts the corner by less than a tenth of its length.
static void a_bent_chain_follows(void **unused) {
  (void)unused;
  rl_scenario *s =
      scenario_from("name: b\nduration: 1\nstep: 0.01\n"
                    "ropes: {chain: {from: {free: [-0.6, 0.2, 0]}, to: {free: [0.05, -1.2, 0.1]},\n"
                    "        over: [{eye: [0, 0, 0]}], mass: 1, segments: 200}}\n");
  rl_driver *fine = driver_for(s, "convex,integrator=bdf2", 0.001);
  rl_driver *d = driver_for(s, "convex", 1.0 / 60.0);
  for (int n = 0; n < 300; n++) {
    step_checked(fine);
  }
  for (int n = 0; n < 18; n++) {
    step_checked(d);
    check_below(rl_metrics_of(d).length_error, 0.05); // measured: 0.043; 0.14 without (4a)
  }
  check_near(tip_height(s->model, d->state), tip_height(s->model, fine->state), 0.05);
  rl_driver_free(fine);
  rl_driver_free(d);
  rl_scenario_free(s);
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

// Of all that is in a world in which only bodies with a mass of their own and ropes move.
static rl_vec3 centre_of_mass(const rl_driver *d, double *sum_of_masses) {
  const rl_model *model = d->model;
  rl_vec3 sum = {0.0, 0.0, 0.0};
  double mass = 0.0;
  for (uint32_t i = 0; i < model->place_count; i++) {
    const double w = d->state->points[i].w;
    if (w > 0.0) {
      sum = rl_add_scaled(sum, 1.0 / w, rl_position(&d->state->points[i]));
      mass += 1.0 / w;
    }
  }
  *sum_of_masses = mass;
  return rl_scale(1.0 / mass, sum);
}

static void fly_free(const char *solver, double friction, double angular) {
  rl_scenario *s = scenario_from(
      "name: free\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.002\nbodies:\n"
      "  a: {mass: 0.3, position: [-0.9, 0, 0], velocity: [1.5, 0, 0]}\n"
      "  b: {mass: 0.5, position: [0.5, 0, 0], velocity: [1.5, 0, 0]}\n"
      "  r: {mass: 0.7, inertia: [0.02, 0.03, 0.04], position: [0.05, 0.1, 0], spin: [1, 2, 3],"
      " velocity: [0, 0.3, 0.1]}\n"
      "ropes: {chain: {from: {body: a}, to: {body: b}, mass: 0.4, segments: 20,\n"
      "  over: [{body: r, at: [-0.05, -0.1, 0], friction: %.17g}], velocity: [1.5, 0, 0]}}\n",
      friction);
  rl_driver *d = driver_for(s, solver, 0.002);
  const rl_metrics start = rl_metrics_of(d);
  double mass;
  const rl_vec3 centre = centre_of_mass(d, &mass);
  uint64_t seen = rl_eyes_hash(s->model, d->state), passes = 0;
  for (int n = 0; n < 200; n++) {
    free_step(d, &start, angular);
    check_elements(d);
    passes += has_passed(d, &seen) ? 1 : 0;
  }
  const bool knows_no_step = strcmp(solver, "reference") == 0; // and nothing comes in line
  assert_true(knows_no_step ? passes == 0 : passes >= (friction > 0.0 ? 1 : 4));
  const rl_vec3 way = rl_scale(d->state->time / mass, start.momentum.linear);
  check_below(rl_distance(centre_of_mass(d, &mass), rl_add(centre, way)), 1e-12);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// An eye beside the centre of a free body, a load at each end, nothing from outside. Methods that
// keep the angular momentum of a rope keep it here: those with forces along the directions at the
// start of a step to rounding, others but for what the rope turns while a node is guided.
static void free_things_keep_their_momentum(void **unused) {
  (void)unused;
  // Of the whole: kept to rounding, or twice what was measured.
  const double angular[GENERAL] = {2e-5,  0.012, 0.012, 7e-4,  1e-12, 1e-12,
                                   1e-12, 2e-8,  0.012, 1e-12, 1e-8};
  for (size_t k = 0; k < 2 * GENERAL; k++) {
    if (k % 2 == 0 || angular[k / 2] < 1e-11) {
      fly_free(general[k / 2], k % 2 == 0 ? 0.0 : 0.3, angular[k / 2]);
    }
  }
}

// Runs of reference to time t with three steps of the output: what they say of their error never
// falls, and they are no farther apart than that, and `apart` [m]; they keep their energy to
// `energy` [J].
static void check_steps_agree(const rl_scenario *s, double t, double apart, double energy) {
  enum { RUNS = 3 };
  static const double steps[RUNS] = {0.005, 0.001, 0.0002};
  rl_driver *runs[RUNS];
  for (int k = 0; k < RUNS; k++) {
    double claimed = 0.0;
    runs[k] = driver_for(s, "reference", steps[k]);
    while (runs[k]->state->time < t - 0.5 * steps[k]) {
      step_checked(runs[k]);
      assert_true(runs[k]->info.error_estimate >= claimed);
      claimed = runs[k]->info.error_estimate;
    }
    check_near(rl_driver_energy_error(runs[k]), 0.0, energy);
    const double distance = places_apart(runs[k], runs[0]);
    check_below(distance, apart);
    check_below(distance, claimed + runs[0]->info.error_estimate);
  }
  for (int k = 0; k < RUNS; k++) {
    rl_driver_free(runs[k]);
  }
}

// (2a) A rope that runs through a free ring: its nodes come askew, swing about the eye and do not
// pass. All steps of the output say the same, and rattle comes to it in small ones.
static void reference_knows_no_step(void **unused) {
  (void)unused;
  static const char *const rings[] = {"", "inertia: [0.002, 0.003, 0.004], "};
  static const char *const eyes[] = {"0, 0, 0", "0.03, 0.05, 0.01"};
  for (int k = 0; k < 2; k++) {
    rl_scenario *s = scenario_from(
        "name: ring\nduration: 1\nstep: 0.001\n"
        "bodies: {ring: {mass: 0.5, %sposition: [0.5, -0.5, 0], rope_collide: false}}\n"
        "ropes: {line: {from: {point: [0, 0, 0]}, to: {point: [1.2, 0.1, 0]}, mass: 0.3,\n"
        "  segments: 20, slack: 0.2, over: [{body: ring, at: [%s]}]}}\n",
        rings[k], eyes[k]);
    check_steps_agree(s, 1.0, k == 0 ? 1e-11 : 1e-8, 1e-11);
    if (k == 0) {
      rl_driver *limit = driver_for(s, "rattle", 2e-5), *d = driver_for(s, "reference", 0.001);
      take_steps(limit, 50000);
      take_steps(d, 1000);
      check_below(places_apart(limit, d), 1e-3);
      rl_driver_free(limit);
      rl_driver_free(d);
    }
    rl_scenario_free(s);
  }
}

// (2a) A chain through an eye beside the centre of a free block: its nodes come in all but in line,
// a few microns beside the eye, and pass. reference says so as rattle does, where a rope through a
// point would jerk by 83 N; and it is as far off as it says.
static void nodes_that_come_nearly_in_line_pass(void **unused) {
  (void)unused;
  static const int segments[] = {15, 60};
  for (int k = 0; k < 2; k++) {
    rl_scenario *s =
        scenario_from("name: block\nduration: 1\nstep: 0.001\nbodies:\n"
                      "  block: {mass: 2, inertia: [0.01, 0.01, 0.01], position: [0.3, -1.2, 0],"
                      " rope_collide: false}\n"
                      "ropes: {line: {from: {point: [-1, 0, 0]}, to: {point: [1, 0, 0]}, mass: 0.3,"
                      " segments: %d, over: [{body: block, at: [0, 0.2, 0]}]}}\n",
                      segments[k]);
    check_steps_agree(s, 0.6, 1e-4, 1e-7);
    rl_driver *rattle = driver_for(s, "rattle", 0.001), *d = driver_for(s, "reference", 0.001);
    uint64_t seen = rl_eyes_hash(s->model, d->state), passes = 0;
    for (int n = 0; n < 600; n++) {
      step_checked(d);
      passes += has_passed(d, &seen) ? 1 : 0;
    }
    take_steps(rattle, 600);
    assert_true(passes >= 1);
    print_message("%d elements: %.2g m from rattle, which says %.2g\n", segments[k],
                  places_apart(rattle, d), d->info.error_estimate);
    check_below(places_apart(rattle, d), 5e-4);
    check_below(d->info.error_estimate, 5e-4);
    check_below(d->state->dissipated, 1e-3);
    rl_driver_free(rattle);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// All on one line: nodes pass a free ring within the step, and the centre of mass goes as the force
// says.
static void nodes_pass_a_free_ring_in_line(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: line\ngravity: [0, 0, 0]\nduration: 0.5\nstep: 0.005\nbodies:\n"
      "  a: {mass: 0.3, position: [0, -0.7, 0], rope_collide: false}\n"
      "  b: {mass: 0.5, position: [0, -0.3, 0], rope_collide: false}\n"
      "  r: {mass: 0.7, inertia: [0.02, 0.03, 0.04], position: [0, 0, 0], rope_collide: false}\n"
      "ropes: {chain: {from: {body: a}, to: {body: b}, mass: 0.4, segments: 20,\n"
      "  over: [{body: r, at: [0, 0, 0]}]}}\n"
      "events: [{from: 0, until: 1, force: {body: b, value: [0, -4, 0]}}]\n");
  check_steps_agree(s, 0.5, 1e-12, 1e-11);
  rl_driver *d = driver_for(s, "reference", 0.005);
  double mass;
  const rl_vec3 start = centre_of_mass(d, &mass);
  uint64_t seen = rl_eyes_hash(s->model, d->state), passes = 0;
  for (int n = 0; n < 100; n++) {
    step_checked(d);
    passes += has_passed(d, &seen) ? 1 : 0;
  }
  assert_true(passes >= 3);
  const rl_vec3 way = {0.0, -4.0 * 0.5 * 0.5 * 0.5 / mass, 0.0};
  check_below(rl_distance(centre_of_mass(d, &mass), rl_add(start, way)), 1e-13);
  rl_driver_free(d);
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

// A rope that is let go where it was tied runs through a rough eye, drawn by a weight: no energy
// comes in, no element gets longer, and the weight is where it is with rattle, but for the 4 mm of
// backward Euler.
static void what_is_let_go_runs_through(void **unused) {
  (void)unused;
  static const char *const solvers[] = {"rattle", "convex", "convex,integrator=midpoint",
                                        "penalty-implicit"};
  static const double frictions[] = {0.01, 0.1, 0.5};
  for (size_t k = 0; k < 2 * sizeof frictions / sizeof frictions[0]; k++) {
    const bool turned = k % 2 == 1; // the other end
    rl_scenario *s = scenario_from(
        "name: x\nduration: 1\nstep: 0.001\n"
        "bodies: {weight: {mass: 0.5, position: [1.5, -1, 0]}}\nropes:\n"
        "  rope: {%s: {point: [-1, 0, 0]}, %s: {body: weight}, mass: 0.3, segments: 40,\n"
        "         over: [{eye: [1.5, 0, 0], friction: %.17g}]}\n"
        "events: [{at: 0.3, release: {rope: rope, end: %s}}]\n",
        turned ? "to" : "from", turned ? "from" : "to", frictions[k / 2], turned ? "to" : "from");
    double height = 0.0;
    for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; i++) {
      rl_driver *d = driver_for(s, solvers[i], 0.001);
      double most = 0.0, longest = 0.0;
      for (int n = 0; n < 700; n++) {
        step_checked(d);
        most = fmax(most, rl_driver_energy_error(d));
        longest = fmax(longest, rl_metrics_of(d).length_error);
      }
      height = i == 0 ? probe(d, "weight.y") : height;
      check_below(fabs(probe(d, "weight.y") - height), 5e-3);
      check_below(most, 1e-4);
      check_below(longest, 2e-7);
      rl_driver_free(d);
    }
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
// Friction

// A chain of 1 kg with a load at each end hangs on both sides of an eye, what hangs on the side of
// `to` heavier by the ratio times exp(mu pi), and runs there.
typedef struct rubbing {
  double friction, masses[2], speed;
} rubbing;

static const double node_mass = 0.2;

static rubbing rubbing_of(double friction, double ratio, double speed) {
  const double from = 0.9; // the load and two nodes
  return (rubbing){friction, {from, ratio * exp(RL_PI * friction) * from}, speed};
}

static rl_scenario *rubbing_chain(rubbing r) {
  return scenario_from(
      "name: x\nduration: 1\nstep: 0.001\nbodies:\n"
      "  a: {mass: %.17g, position: [0, -0.5, 0], velocity: [0, %.17g, 0]}\n"
      "  b: {mass: %.17g, position: [0, -0.5, 0], velocity: [0, -%.17g, 0]}\n"
      "ropes: {chain: {from: {body: a}, to: {body: b}, mass: 1, segments: 5,\n"
      "  over: [{eye: [0, 0, 0], friction: %.17g}], velocities: [[0, %.17g, 0], [0, %.17g, 0],\n"
      "  [0, %.17g, 0], [0, -%.17g, 0], [0, -%.17g, 0], [0, -%.17g, 0]]}}\n",
      r.masses[0] - 2.0 * node_mass, r.speed, r.masses[1] - 2.0 * node_mass, r.speed, r.friction,
      r.speed, r.speed, r.speed, r.speed, r.speed, r.speed);
}

// How far it has slipped after t, and what that has cost: constant acceleration from node to node,
// until it comes to rest.
static double way_of(rubbing r, double t, double *lost) {
  const double g = 9.81, pull = exp(RL_PI * r.friction);
  double way = 0.0, ahead = 0.1, v = r.speed;
  *lost = 0.0;
  for (bool comes = true; comes; ahead = 0.2) {
    const double a = g * (r.masses[1] - pull * r.masses[0]) / (r.masses[1] + pull * r.masses[0]);
    const double square = v * v + 2.0 * a * ahead;
    const double arrival = square > 0.0 ? (sqrt(square) - v) / a : INFINITY;
    const double rest = a < 0.0 ? -v / a : INFINITY;
    comes = arrival < fmin(t, rest);
    const double moves = fmin(fmin(arrival, rest), t);
    const double step = v * moves + 0.5 * a * moves * moves;
    *lost += r.masses[0] * (g + a) * (pull - 1.0) * step;
    way += step;
    v += a * moves;
    t -= moves;
    r.masses[0] -= node_mass;
    r.masses[1] += node_mass;
  }
  return way;
}

// How far it is from that after t.
static double slip_error(rubbing r, const char *solver, double t, double *lost, double *energy) {
  rl_scenario *s = rubbing_chain(r);
  rl_driver *d = driver_for(s, solver, 0.001);
  const uint32_t b = rl_body_slot(s->model, 1);
  const double start = d->state->points[b].y;
  while (d->state->time < t - 0.0005) {
    step_checked(d);
  }
  double loss;
  const double error = start - d->state->points[b].y - way_of(r, d->state->time, &loss);
  *lost = fabs(d->state->dissipated - loss);
  *energy = fabs(rl_driver_energy_error(d));
  rl_driver_free(d);
  rl_scenario_free(s);
  return fabs(error);
}

typedef struct slip_limits {
  const char *solver;
  double slips, holds, stops, slips_in_two, holds_in_two; // [m], twice what was measured
} slip_limits;

static const slip_limits slips[GENERAL] = {{"penalty", 4e-5, 3e-6, 3e-5, 5e-6, 2.5e-5},
                                           {"penalty-implicit", 7e-4, 4e-10, 6e-4, 5e-5, 2e-10},
                                           {"pbd", 7e-4, 2e-6, 6e-4, 5e-5, 6e-6},
                                           {"xpbd", 4e-5, 3e-7, 3e-5, 3e-6, 1e-6},
                                           {"pbd-direct", 7e-4, 3e-11, 6e-4, 5e-5, 1e-11},
                                           {"impulse", 7e-4, 2e-6, 6e-4, 5e-5, 6e-6},
                                           {"impulse-direct", 7e-4, 3e-11, 6e-4, 5e-5, 1e-11},
                                           {"impulse-soft", 2e-6, 1e-5, 5e-5, 5e-5, 2e-5},
                                           {"convex", 7e-4, 3e-11, 6e-4, 5e-5, 1e-11},
                                           {"reference", 1e-14, 5e-12, 5e-7, 1e-14, 1e-11},
                                           {"rattle", 8e-5, 5e-12, 5e-7, 1e-14, 1e-11}};

// While it slips nodes go through, and each makes the accelerations other ones. A hundredth below
// the threshold nothing moves, and what is too slow comes to rest and stays.
static void a_chain_slips_as_the_capstan_law_says(void **unused) {
  (void)unused;
  for (size_t k = 0; k < GENERAL; k++) {
    const slip_limits *limit = &slips[k];
    const bool exact = strcmp(limit->solver, "reference") == 0;
    double lost, energy;
    check_below(slip_error(rubbing_of(0.1, 1.3, 0.5), limit->solver, 0.3, &lost, &energy),
                limit->slips);
    check_below(lost, exact ? 1e-13 : 8e-4); // of 0.78 J
    check_below(energy, exact ? 1e-13 : 6e-3);
    check_below(slip_error(rubbing_of(0.1, 0.99, 0.0), limit->solver, 0.3, &lost, &energy),
                limit->holds);
    check_below(slip_error(rubbing_of(0.1, 0.6, 0.6), limit->solver, 0.4, &lost, &energy),
                limit->stops);
    check_below(lost, 4e-6); // of 0.18 J
  }
}

// Two eyes with a quarter turn in each, forces in place of weights, and three nodes everywhere.
static double two_eyes(const char *solver, double ratio, double t) {
  const double pull[2] = {exp(0.5 * RL_PI * 0.1), exp(0.5 * RL_PI * 0.25)}, all = pull[0] * pull[1];
  const double forces[2] = {3.0, ratio * all * 3.0};
  rl_scenario *s = scenario_from(
      "name: x\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.001\nbodies:\n"
      "  a: {mass: 0.5, position: [-0.3, -0.5, 0]}\n"
      "  b: {mass: 0.5, position: [0.3, -0.5, 0]}\n"
      "ropes: {chain: {from: {body: a}, to: {body: b}, mass: 1.6, segments: 8, over: [\n"
      "  {eye: [-0.3, 0, 0], friction: 0.1}, {eye: [0.3, 0, 0], friction: 0.25}]}}\n"
      "events: [{from: 0, until: 1, force: {body: a, value: [0, -%.17g, 0]}},\n"
      "  {from: 0, until: 1, force: {body: b, value: [0, -%.17g, 0]}}]\n",
      forces[0], forces[1]);
  rl_driver *d = driver_for(s, solver, 0.001);
  while (d->state->time < t - 0.0005) {
    step_checked(d);
  }
  const double ends = 0.9, middle = 0.6;
  const double a = fmax(ratio - 1.0, 0.0) * all * 3.0 / (ends + pull[1] * middle + all * ends);
  const double error = -0.5 - 0.5 * a * t * t - d->state->points[rl_body_slot(s->model, 1)].y;
  rl_driver_free(d);
  rl_scenario_free(s);
  return fabs(error);
}

// The closed form with friction: what runs through, and what stays, places and tensions.
static void rough_chains_are_as_known(void **unused) {
  (void)unused;
  for (int holds = 0; holds < 2; holds++) {
    rl_scenario *s = rough_chain(0.11, 20, holds ? 0.165 : 0.16); // 5/3 = exp(0.1626 pi)
    rl_driver *d = driver_for(s, "reference", 0.001);
    while (d->state->time < 0.4 - 0.0005) {
      step_checked(d);
    }
    rl_state *exact = exact_state(s, d->state->time);
    assert_int_equal(d->state->eye_elements[0], exact->eye_elements[0]);
    check_near(tip_height(s->model, d->state), tip_height(s->model, exact), holds ? 2e-11 : 1e-13);
    assert_int_equal(exact->grips[0] < 1.0, holds);
    // A slip of 1e-10 m/s is none: 1e-7 N in a step of the kilogram.
    check_near(d->state->grips[0], exact->grips[0], 1e-7);
    for (uint32_t i = 0; i < 20; i++) {
      check_near(d->state->multipliers[i], exact->multipliers[i], 1e-7);
    }
    rl_state_free(exact);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

static void eyes_multiply(void **unused) {
  (void)unused;
  for (size_t k = 0; k < GENERAL; k++) {
    check_below(two_eyes(slips[k].solver, 1.3, 0.1), slips[k].slips_in_two);
    check_below(two_eyes(slips[k].solver, 0.99, 0.1), slips[k].holds_in_two);
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
  check_near(probe(d, "chain.wrap.hook"), RL_PI, 1e-9);
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
  } cases[] = {{"over: [{eye: [0, 0, 0], friction: 0.1}], stiffness: 100", "rub in an eye"},
               {"over: [{eye: [0, 0, 0], friction: 0.1}], compression: true", "rub in an eye"},
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

// ---------------------------------------------------------------------------------------------
// What cannot pass

// Steps until the run stops, at most `most`.
static int steps_to_stop(rl_driver *d, int most) {
  int n = 0;
  while (n < most && rl_driver_step(d) != RL_STOPPED) {
    n++;
  }
  return n;
}

// 6 m at g/3: each method stops before the step that (13) of the closed form names, with the
// tension 4 m M g/(m + M) / 2 and the energy that it had, and stays there.
static void a_weight_that_is_drawn_in_stops_the_run(void **unused) {
  (void)unused;
  rl_scenario *s = shipped_with("atwood", NULL, 0);
  const double a = 9.81 / 3.0, h = 1.0 / 240.0;
  int expected = 0;
  while (6.0 - 0.5 * a * expected * expected * h * h - h * a * expected * h > 0.0) {
    expected++;
  }
  for (size_t k = 0; rl_solvers[k]; k++) {
    if (rl_driver_missing(s->model, rl_solvers[k]) || rl_solvers[k]->keeps_faults) {
      continue;
    }
    rl_driver *d = driver_for(s, rl_solvers[k]->name, h);
    assert_int_equal(steps_to_stop(d, 720), expected);
    assert_int_equal(d->change_count, 1);
    assert_int_equal(d->changes[0].kind, RL_CHANGE_DRAWN);
    assert_int_equal(d->changes[0].element, 1);
    check_relative(d->changes[0].tension, 4.0 * 9.81 / 3.0, 1e-5);
    check_near(probe(d, "light.y"), -6.0 + 0.5 * a * d->state->time * d->state->time, 0.02);
    check_near(rl_driver_energy_error(d), 0.0, 0.15);
    const uint64_t hash = rl_state_hash(d->state);
    assert_int_equal(rl_driver_step(d), RL_STOPPED);
    assert_true(rl_state_hash(d->state) == hash);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// A weight at the end of a rope with mass; a ring of mass on a rope that two strands draw up to the
// eye that is in the way; a weight that goes by its eye while the rope is slack.
static void what_is_drawn_together_has_a_name(void **unused) {
  (void)unused;
  const struct {
    const char *ropes;
    uint32_t end;
    bool passes;
  } cases[] = {
      {"ropes: {r: {from: {body: heavy}, to: {body: light}, mass: 0.1, segments: 8,"
       " over: [{eye: [0, 0, 0]}]}}\n",
       1, false},
      {"ropes: {r: {from: {body: heavy}, to: {point: [0, 3, 0]},"
       " over: [{eye: [0, 0, 0]}, {body: light, at: [0, 0, 0]}]}}\n",
       RL_NONE, false},
      {"ropes: {r: {from: {body: heavy}, to: {body: light}, length: 9,"
       " over: [{eye: [0, 0, 0]}]}}\n",
       0, true},
  };
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    const bool thrown = cases[k].passes;
    rl_scenario *s =
        scenario_from("name: x\nduration: 1\nstep: 0.001\nbodies:\n"
                      "  heavy: {mass: 20, position: [-1, -1, 0], %s}\n"
                      "  light: {mass: 1, position: [0, -1, 0], velocity: [0, %d, 0]}\n%s",
                      thrown ? "motion: fixed" : "motion: free", thrown ? 6 : 0, cases[k].ropes);
    static const char *const solvers[] = {"rattle", "convex", "pbd", "impulse-soft"};
    for (size_t i = 0; i < 4; i++) {
      rl_driver *d = driver_for(s, solvers[i], 0.001);
      const int steps = steps_to_stop(d, 1000);
      print_message("%zu, %s: %d steps, light at %.4f m\n", k, solvers[i], steps,
                    probe(d, "light.y"));
      assert_true((steps == 1000) == thrown);
      if (!thrown) {
        assert_int_equal(d->changes[0].element, cases[k].end);
        check_below(fabs(probe(d, "light.y")), 0.03);
      }
      rl_driver_free(d);
    }
    rl_scenario_free(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_chain_runs_through_as_known),
      cmocka_unit_test(passing_is_of_second_order),
      cmocka_unit_test(a_chain_that_is_through_falls),
      cmocka_unit_test(a_step_takes_many_elements),
      cmocka_unit_test(a_bent_chain_follows),
      cmocka_unit_test(more_elements_are_a_smooth_chain),
      cmocka_unit_test(free_things_keep_their_momentum),
      cmocka_unit_test(reference_knows_no_step),
      cmocka_unit_test(nodes_that_come_nearly_in_line_pass),
      cmocka_unit_test(nodes_pass_a_free_ring_in_line),
      cmocka_unit_test(a_chain_goes_to_and_fro),
      cmocka_unit_test(a_free_end_runs_out),
      cmocka_unit_test(what_is_let_go_runs_through),
      cmocka_unit_test(what_is_cut_leaves),
      cmocka_unit_test(a_chain_slips_as_the_capstan_law_says),
      cmocka_unit_test(rough_chains_are_as_known),
      cmocka_unit_test(eyes_multiply),
      cmocka_unit_test(rows_have_their_gradients),
      cmocka_unit_test(an_eye_bears_the_chain),
      cmocka_unit_test(what_is_refused),
      cmocka_unit_test(a_weight_that_is_drawn_in_stops_the_run),
      cmocka_unit_test(what_is_drawn_together_has_a_name),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
