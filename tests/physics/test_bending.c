// SPDX-License-Identifier: GPL-3.0-or-later
// Bending stiffness: its gradients, what it keeps, where it rests, how fast it swings, in every
// family. papers/bending.md has the equations.
#include "check.h"

#include "exact/exact.h"
#include "runs/metrics.h"
#include "world/ropes/flexure.h"

#include <stdlib.h>
#include <string.h>

static uint32_t count_flexures(const rl_model *model, const rl_state *state) {
  uint32_t count = 0;
  for (rl_flexure f = {0}; rl_flexure_next(model, state, state->points, &f);) {
    count++;
  }
  return count;
}

// A bent rope from a block, which it leaves by a clamp beside its centre, to a place on a ball;
// both fly freely.
static rl_scenario *tied_rope(void) {
  return scenario_from(
      "name: x\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.001\n"
      "bodies:\n"
      "  block: {mass: 0.5, shape: {box: {size: [0.2, 0.3, 0.4]}}, rope_collide: false,\n"
      "          collide: false, rotation: [0.3, -0.2, 0.7], spin: [1, 2, -0.5]}\n"
      "  ball: {mass: 0.3, position: [0.8, 0.5, 0.3], shape: {sphere: {radius: 0.1}},\n"
      "         rope_collide: false, collide: false, spin: [0, -1, 1], rotation: [0, 0.4, 0]}\n"
      "ropes:\n"
      "  r: {from: {body: block, at: [0.1, 0.05, -0.02], clamp: [1, 0.3, 0.2]},\n"
      "      to: {body: ball, at: [0, 0.03, 0.1]}, slack: 0.15, mass: 0.2, segments: 5,\n"
      "      bending: 0.03}\n");
}

// (4) d kb/dx of every entry, also of bodies that turn, against central differences; 1e-6 of a step
// leaves some 1e-10 of rounding and of the third order.
static void jacobians_are_derivatives(void **unused) {
  (void)unused;
  const double step = 1e-6;
  rl_scenario *s = tied_rope();
  rl_driver *d = driver_for(s, "rattle", 0.001);
  uint64_t seed = 7;
  for (uint32_t i = 0; i < s->model->node_count; i++) { // those that are held go with their bodies
    rl_move(&d->state->points[i], random_in_cube(&seed, 0.05));
  }
  rl_point *points = d->state->points;
  uint32_t entries = 0;
  for (rl_flexure f = {.derives = true}; rl_flexure_next(s->model, d->state, points, &f);) {
    for (uint32_t i = 0; i < f.entry_count; i++, entries++) {
      for (int axis = 0; axis < 3; axis++) {
        double(*j)[3] = f.entries[i].jacobian;
        check_near((&f.entries[i].slope.x)[axis],
                   j[0][axis] * f.curvature.x + j[1][axis] * f.curvature.y +
                       j[2][axis] * f.curvature.z,
                   1e-12);
        rl_flexure moved[2];
        double *coordinate = &(&points[f.entries[i].slot].x)[axis];
        const double kept = *coordinate;
        for (int k = 0; k < 2; k++) {
          *coordinate = kept + (k == 0 ? -step : step);
          moved[k] = f;
          moved[k].place = f.place - 1; // this one once more
          assert_true(rl_flexure_next(s->model, d->state, points, &moved[k]));
        }
        *coordinate = kept;
        const rl_vec3 slope = rl_scale(0.5 / step, rl_sub(moved[1].curvature, moved[0].curvature));
        check_near(f.entries[i].jacobian[0][axis], slope.x, 2e-8);
        check_near(f.entries[i].jacobian[1][axis], slope.y, 2e-8);
        check_near(f.entries[i].jacobian[2][axis], slope.z, 2e-8);
      }
    }
  }
  // The clamp: block, its spin, node; the first bend one node more; two bends of three nodes; the
  // last one: two nodes, ball, its spin.
  assert_int_equal(entries, 3 + 4 + 3 + 3 + 4);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// Forces are those of the energy, and keep momentum and angular momentum, also with bodies: of the
// whole scene, with the equations of motion integrated to rounding.
static void forces_are_those_of_the_energy(void **unused) {
  (void)unused;
  rl_scenario *s = tied_rope();
  rl_driver *d = driver_for(s, "reference", 0.01);
  const rl_metrics start = rl_metrics_of(d);
  const double stored = rl_bending_energy(s->model, d->state);
  check_below(-stored, -0.01); // there is some
  for (int i = 0; i < 20; i++) {
    free_step(d, &start, 1e-12);
    check_near(rl_driver_energy_error(d), 0.0, 1e-12);
  }
  check_below(-fabs(rl_bending_energy(s->model, d->state) - stored), -0.003);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// A bent rope that flies freely, turning, in every family: forces sum to zero and so do their
// torques. Methods that take the positions at the end of the step for their forces, and the
// velocities from the moves, change the angular momentum of any rope (papers/pbd.md).
static void free_ropes_keep_momentum(void **unused) {
  (void)unused;
  static const char *const loose[] = {"penalty-implicit", "convex", "pbd", "xpbd"};
  rl_scenario *s = scenario_from(
      "name: x\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.002\nropes:\n"
      "  r: {from: {free: [0, 0, 0]}, to: {free: [0.5, 0.4, 0.1]}, length: 1.0, mass: 0.2,\n"
      "      segments: 6, bending: 0.02, velocity: [1, 0, 2], spin: [3, -2, 5],\n"
      "      points: [[0, 0, 0], [0.3, -0.05, 0], [0.5, 0.1, 0.2], [0.5, 0.4, 0.1]]}\n");
  for (const rl_solver_type *const *type = rl_solvers; *type; type++) {
    if (check_left_out(s->model, *type, RL_CAN_BENDING)) {
      continue;
    }
    double angular = 1e-12;
    for (size_t i = 0; i < 4; i++) {
      angular = strcmp((*type)->name, loose[i]) == 0 ? INFINITY : angular;
    }
    rl_driver *d = driver_for(s, (*type)->name, 0.002);
    const rl_metrics start = rl_metrics_of(d);
    for (int i = 0; i < 100; i++) {
      free_step(d, &start, angular);
    }
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// Three equal nodes l apart: their one mode across, (1, -2, 1), has omega^2 = 6 EI/(m l^3). The
// amplitude is 1e-5 l: what is not linear is of its square, and rounding 1e-9 of it. Tolerances:
// backward Euler loses omega h/2 of the amplitude in each radian, the others are off by their order
// in omega h = 1/40.
static void three_beads_swing(void **unused) {
  (void)unused;
  static const struct {
    const char *spec;
    double tolerance;
  } cases[] = {
      {"reference", 2e-8},
      {"rattle", 2e-4},
      {"penalty", 2e-3},
      {"penalty-implicit", 0.09},
      {"convex", 0.09},
      {"pbd", 0.015},
      {"pbd-direct", 0.015},
      {"impulse", 0.09},
      {"impulse-direct", 0.015},
      {"impulse-soft", 0.01},
      {"xpbd", 0.005},
      {"convex,integrator=bdf2", 3e-3},
      {"penalty,integrator=rk4", 1e-6},
      {"penalty-implicit,integrator=midpoint", 5e-4},
  };
  const double l = 0.3, m = 0.1, bending = 0.02, a = 1e-5 * 0.3;
  const double omega = sqrt(6.0 * bending / (m * l * l * l)), h = 0.025 / omega;
  rl_scenario *s = scenario_from(
      "name: x\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.001\nropes:\n"
      "  r: {from: {free: [0, %.17g, 0]}, to: {free: [%.17g, %.17g, 0]}, rest_lengths: [%.17g,\n"
      "      %.17g], node_masses: [0.1, 0.1, 0.1], bending: 0.02, compression: true,\n"
      "      points: [[0, %.17g, 0], [%.17g, %.17g, 0], [%.17g, %.17g, 0]]}\n",
      a, 2.0 * l, a, hypot(l, 3.0 * a), hypot(l, 3.0 * a), a, l, -2.0 * a, 2.0 * l, a);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    rl_driver *d = driver_for(s, cases[i].spec, h);
    double worst = 0.0;
    for (int n = 1; n <= 251; n++) { // a period
      assert_true(rl_driver_step(d) > 0);
      worst = fmax(worst, fabs(probe(d, "r.node.0.y") / a - cos(omega * n * h)));
    }
    check_below(worst, cases[i].tolerance);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// The tip of a closed form, of a rod of 1 m and EI = 1 N m^2 under w [N/m] and F [N].
static rl_vec3 exact_tip(const char *form, int segments, double weight, double load) {
  const double m = weight / segments; // g = 1
  rl_scenario *s = scenario_from(
      "name: x\ngravity: [0, -1, 0]\nduration: 1\nstep: 0.01\n"
      "bodies: {b: {mass: %.17g, position: [1, 0, 0]}}\n"
      "ropes: {r: {from: {point: [0, 0, 0], clamp: [1, 0, 0]}, to: {body: b}, mass: %.17g,\n"
      "            segments: %d, bending: 1}}\nexact: {%s: {rope: r}}\n",
      load + 0.5 * m, weight, segments, form);
  void *memory = calloc(1, s->exact->size);
  rl_driver *d = driver_for(s, "rattle", 0.01);
  char message[200];
  assert_true(s->exact->init(memory, s->model, s->exact_arguments, message, sizeof message));
  assert_true(s->exact->at(memory, s->model, 0.0, d->state));
  const rl_vec3 tip = {probe(d, "b.x"), probe(d, "b.y"), 0.0};
  rl_driver_free(d);
  free(memory);
  rl_scenario_free(s);
  return tip;
}

// Tips of the elastica by elliptic integrals (Mattiasson 1981), with a rope of next to no weight;
// small deflections w/8 and F/3 but for their squares; straight elements come to it at order 2.
static void closed_forms_agree_with_tables(void **unused) {
  (void)unused;
  static const double table[][3] = {
      {1.0, 0.05643, 0.30172}, {3.0, 0.25442, 0.60325}, {10.0, 0.55500, 0.81061}};
  for (size_t i = 0; i < 3; i++) {
    const rl_vec3 tip = exact_tip("elastica", 4, 1e-9, table[i][0]);
    check_near(1.0 - tip.x, table[i][1], 6e-6);
    check_near(-tip.y, table[i][2], 6e-6);
  }
  check_relative(-exact_tip("elastica", 3, 1e-3, 0.0).y, 1e-3 / 8.0, 1e-6);
  check_relative(-exact_tip("elastica", 3, 1e-9, 1e-3).y, 1e-3 / 3.0, 1e-6);
  const rl_vec3 smooth = exact_tip("elastica", 10, 1.0, 0.5);
  double errors[2];
  for (int k = 0; k < 2; k++) {
    const rl_vec3 tip = exact_tip("discrete-elastica", 80 << k, 1.0, 0.5);
    errors[k] = rl_distance(tip, smooth);
  }
  check_near(log2(errors[0] / errors[1]), 2.0, 0.01);
}

// elastica: the exact shape of rest, held for 0.1 s. Direct methods hold it to rounding; sweeps to
// what they leave of the load in the elements.
static void elastica_rests(void **unused) {
  (void)unused;
  static const struct {
    const char *spec;
    double tolerance; // [m]
  } cases[] = {
      {"reference", 1e-14},   {"rattle", 1e-14},
      {"pbd-direct", 1e-13},  {"impulse-direct", 1e-13},
      {"convex", 1e-10},      {"penalty-implicit", 1e-8},
      {"penalty", 2e-5},      {"pbd", 2e-4},
      {"impulse", 2e-4},      {"xpbd", 2e-5},
      {"impulse-soft", 2e-4},
  };
  rl_scenario *s = shipped_with("elastica", NULL, 0);
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    rl_driver *d = driver_for(s, cases[i].spec, 0.001);
    const double x = probe(d, "load.x"), y = probe(d, "load.y");
    double worst = 0.0;
    for (int n = 0; n < 100; n++) {
      assert_true(rl_driver_step(d) > 0);
      worst = fmax(worst, hypot(probe(d, "load.x") - x, probe(d, "load.y") - y));
    }
    check_below(worst, cases[i].tolerance);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// What the comments of cantilever and whip say: where the rod rests, the eight elements 0.77 mm
// below the smooth one; how fast the tip of the whip gets, and when.
static void rods_sag_and_whips_crack(void **unused) {
  (void)unused;
  rl_scenario *s = shipped_with("cantilever", NULL, 0);
  rl_driver *d = driver_for(s, "impulse-direct", 0.001);
  take_steps(d, 1500);
  check_near(probe(d, "rod.tip.y"), -0.0499004 - 0.00077, 1e-5);
  check_near(probe(d, "rod.tip.x"), 0.998576, 5e-5);
  rl_driver_free(d);
  rl_scenario_free(s);
  s = shipped_with("whip", NULL, 0);
  d = driver_for(s, "rattle", 0.0005);
  double fastest = 0.0, when = 0.0;
  for (int n = 0; n < 700; n++) {
    assert_true(rl_driver_step(d) > 0);
    const double speed = probe(d, "whip.tip.speed");
    when = speed > fastest ? d->state->time : when;
    fastest = fmax(fastest, speed);
  }
  check_near(fastest, 26.4, 0.05);
  check_near(when, 0.23, 1e-3);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// A rod that swings about its clamp: the energy of rattle is off by the square of the step.
static void rattle_keeps_energy_to_order_two(void **unused) {
  (void)unused;
  double worst[2] = {0.0, 0.0};
  rl_scenario *s = scenario_from(
      "name: x\nduration: 1\nstep: 0.001\nropes:\n"
      "  r: {from: {point: [0, 0, 0], clamp: [1, 0, 0]}, to: {free: [1, 0, 0]}, length: 1,\n"
      "      mass: 0.1, segments: 6, bending: 0.5, compression: true}\n");
  for (int k = 0; k < 2; k++) {
    const double h = k == 0 ? 1e-3 : 5e-4;
    rl_driver *d = driver_for(s, "rattle", h);
    for (int i = 0; i < 500 << k; i++) {
      assert_true(rl_driver_step(d) > 0);
      worst[k] = fmax(worst[k], fabs(rl_driver_energy_error(d)));
    }
    rl_driver_free(d);
  }
  check_near(worst[0] / worst[1], 4.0, 0.1);
  rl_scenario_free(s);
}

// (10) Explicit bending is stable up to (l^2/2) sqrt(mu/EI) of a long chain; the other methods do
// not mind ten times as much.
static void explicit_steps_have_a_limit(void **unused) {
  (void)unused;
  static const char *const explicit[] = {"rattle", "pbd-direct", "impulse-direct",
                                         "pbd,iterations=50", "penalty,substeps=1"};
  static const char *const implicit[] = {"penalty-implicit", "convex", "xpbd", "impulse-soft",
                                         "impulse"};
  const char *text =
      "name: x\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.001\nropes:\n"
      "  r: {from: {free: [0, 0, 0]}, to: {free: [2, 0, 0]}, length: 2, mass: 0.2, segments: 20,\n"
      "      bending: 0.1, compression: true, points: [[0, 0, 0], [1, 1e-6, 0], [2, 0, 0]]}\n";
  const double limit = 0.5 * 0.1 * 0.1 * sqrt(0.1 / 0.1);
  for (size_t i = 0; i < sizeof explicit / sizeof explicit[0]; i++) {
    // At the very limit the elements' stand-ins of penalty have their own.
    const double below = strncmp(explicit[i], "penalty", 7) == 0 ? 0.6 : 0.98;
    assert_true(survives_steps(scenario_from("%s", text), explicit[i], below * limit, 400));
    assert_false(survives_steps(scenario_from("%s", text), explicit[i], 1.05 * limit, 2000));
  }
  for (size_t i = 0; i < sizeof implicit / sizeof implicit[0]; i++) {
    assert_true(survives_steps(scenario_from("%s", text), implicit[i], 10.0 * limit, 400));
  }
}

// Implicit methods find the same motion as the equations of motion, at order 1, with bodies that
// feel the clamp, a loop, and a joint in it: each step solved to its tolerance, in few iterations.
static void implicit_methods_agree(void **unused) {
  (void)unused;
  static const char *const solvers[] = {"convex", "penalty-implicit"};
  rl_scenario *s = scenario_from(
      "name: x\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.001\n"
      "bodies:\n"
      "  block: {mass: 0.5, shape: {box: {size: [0.2, 0.3, 0.4]}}, rope_collide: false,\n"
      "          spin: [1, 2, -0.5]}\n"
      "ropes:\n"
      "  loop: {closed: true, mass: 0.3, bending: 0.02, compression: true,\n"
      "         rest_lengths: [%s],\n"
      "         points: [[1, 0, 0], [1.3, 0.1, 0.1], [1.2, 0.4, 0], [0.9, 0.5, 0.1],\n"
      "                  [0.8, 0.2, 0]]}\n"
      "  r: {from: {body: block, at: [0.1, 0.05, -0.02], clamp: [1, 0.3, 0.2]},\n"
      "      to: {rope: loop, node: 2}, mass: 0.2, bending: 0.03, compression: true,\n"
      "      rest_lengths: [%s],\n"
      "      points: [[0.1, 0.05, -0.02], [0.4, 0, 0.1], [0.8, 0.1, 0.2], [1.1, 0.2, 0.1],\n"
      "               [1.2, 0.4, 0]]}\n",
      "0.33166247903554003, 0.33166247903554008, 0.33166247903553991, 0.33166247903553997, "
      "0.28284271247461901",
      "0.32695565448543634, 0.42426406871192857, 0.33166247903554003, 0.24494897427831777");
  rl_driver *exact = driver_for(s, "reference", 0.05);
  assert_true(rl_driver_step(exact) > 0);
  for (size_t k = 0; k < 2; k++) {
    double errors[2];
    for (int i = 0; i < 2; i++) {
      const int steps = 50 << i;
      rl_driver *d = driver_for(s, solvers[k], 0.05 / steps);
      for (int n = 0; n < steps; n++) {
        assert_int_equal(rl_driver_step(d), RL_CONVERGED_TOLERANCE);
        check_below((double)d->info.iterations, n == 0 ? 20.0 : 6.0);
      }
      errors[i] = hypot(probe(d, "r.node.2.x") - probe(exact, "r.node.2.x"),
                        probe(d, "loop.node.4.z") - probe(exact, "loop.node.4.z"));
      rl_driver_free(d);
    }
    check_below(errors[0], 2e-3);
    check_near(errors[0] / errors[1], 2.0, 0.15);
  }
  rl_driver_free(exact);
  rl_scenario_free(s);
}

// What is bent along a rope follows its elements: round a loop, on each piece of what was cut, not
// at the end where it was clamped once that is let go. The energy of a cut place is dissipated.
static void bends_follow_the_elements(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: x\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.001\nropes:\n"
      "  loop: {closed: true, mass: 1, segments: 6, bending: 0.1,\n"
      "         points: [[1, 0, 0], [0.5, 0.8660254, 0], [-0.5, 0.8660254, 0], [-1, 0, 0],\n"
      "                  [-0.5, -0.8660254, 0], [0.5, -0.8660254, 0]]}\n"
      "  rod: {from: {point: [0, 0, 3], clamp: [1, 0, 0]}, to: {free: [0.4, 0.4, 3]}, length: "
      "0.8,\n"
      "        points: [[0, 0, 3], [0.4, 0, 3], [0.4, 0.4, 3]], mass: 0.2, segments: 4,\n"
      "        bending: 0.1}\n"
      "events:\n  - {at: 0.002, cut: {rope: rod, segment: 2}}\n"
      "  - {at: 0.004, release: {rope: rod, end: from}}\n"
      "  - {at: 0.006, cut: {rope: loop, segment: 0}}\n");
  rl_driver *d = driver_for(s, "reference", 0.001);
  assert_int_equal(count_flexures(s->model, d->state), 6 + 4);
  const double stored = rl_driver_energy(d).bending;
  // 6 places with tan(30) each and l = 1, one with tan(45) and l = 0.2: 4 t^2 EI/(2 l).
  check_near(stored, 0.1 * (6.0 * 4.0 / 3.0 / 2.0 + 4.0 / 0.4), 1e-7);
  static const uint32_t left[] = {10, 10, 9, 9, 8, 8, 7};
  for (int i = 0; i < 7; i++) {
    assert_true(rl_driver_step(d) > 0);
    assert_int_equal(count_flexures(s->model, d->state), left[i]);
    check_near(rl_driver_energy_error(d), 0.0, 1e-12 * stored);
  }
  check_below(-d->state->dissipated, -0.1 * stored);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// A regular polygon has the same energy at any size: it rests, without tension.
static void rings_rest(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: x\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.001\nropes:\n"
      "  loop: {closed: true, mass: 1, segments: 4, bending: 0.1, compression: true,\n"
      "         points: [[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]]}\n");
  for (const rl_solver_type *const *type = rl_solvers; *type; type++) {
    if (check_left_out(s->model, *type, RL_CAN_BENDING)) {
      continue;
    }
    rl_driver *d = driver_for(s, (*type)->name, 0.002);
    take_steps(d, 50);
    check_near(probe(d, "loop.node.1.y"), 1.0, 1e-12);
    check_near(probe(d, "loop.tension"), 0.0, 1e-10);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// A clamp that is driven does work: on a rod that a turning handle swings.
static void handles_do_work(void **unused) {
  (void)unused;
  static const struct {
    const char *spec;
    double tolerance; // of the work
  } cases[] = {{"reference", 2e-8}, {"rattle", 1e-3}, {"penalty", 1e-2}, {"xpbd", 1e-2}};
  rl_scenario *s = scenario_from(
      "name: x\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.001\n"
      "bodies:\n  handle: {motion: driven, shape: {box: {size: [0.1, 0.1, 0.1]}},\n"
      "                    spin: [0, 0, 4], velocity: [0, 0.3, 0], rope_collide: false}\n"
      "ropes:\n"
      "  r: {from: {body: handle, at: [0.05, 0.02, 0], clamp: [1, 0, 0]},\n"
      "      to: {free: [0.45, 0.02, 0]}, mass: 0.1, segments: 4, bending: 0.05}\n");
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    rl_driver *d = driver_for(s, cases[i].spec, 0.0005);
    take_steps(d, 400);
    check_below(-d->state->work, -0.01);
    check_near(rl_driver_energy_error(d), 0.0, cases[i].tolerance * d->state->work);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// What a clamp needs, and no rope folded back on itself.
static void clamps_are_checked(void **unused) {
  (void)unused;
  static const char *const cases[][3] = {
      {"{point: [0, 0, 0], clamp: [1, 0, 0]}", "", "without bending stiffness"},
      {"{free: [0, 0, 0], clamp: [1, 0, 0]}", ", bending: 1", "only a point in space and a body"},
      {"{body: p, clamp: [1, 0, 0]}", ", bending: 1", "holds no direction"},
      {"{point: [0, 0, 0], clamp: [0, 0, 0]}", ", bending: 1", "clamp"},
      {"{point: [0, 0, 0], clamp: [-1, 0, 0]}", ", bending: 1",
       "folded back on itself, 0 elements"},
      {"{point: [0, 0, 0]}",
       ", bending: 1, length: 3, points: [[0, 0, 0], [-0.4, 0, 0], [1, 0, 0]]",
       "folded back on itself, 1 elements"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    check_refused(cases[i][2],
                  "name: x\nduration: 1\nstep: 0.01\nbodies: {p: {mass: 1}}\n"
                  "ropes: {r: {from: %s, to: {free: [1, 0, 0]}, mass: 1, segments: 2%s}}\n",
                  cases[i][0], cases[i][1]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(jacobians_are_derivatives),
      cmocka_unit_test(forces_are_those_of_the_energy),
      cmocka_unit_test(free_ropes_keep_momentum),
      cmocka_unit_test(three_beads_swing),
      cmocka_unit_test(closed_forms_agree_with_tables),
      cmocka_unit_test(elastica_rests),
      cmocka_unit_test(rods_sag_and_whips_crack),
      cmocka_unit_test(rattle_keeps_energy_to_order_two),
      cmocka_unit_test(explicit_steps_have_a_limit),
      cmocka_unit_test(implicit_methods_agree),
      cmocka_unit_test(bends_follow_the_elements),
      cmocka_unit_test(rings_rest),
      cmocka_unit_test(handles_do_work),
      cmocka_unit_test(clamps_are_checked),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
