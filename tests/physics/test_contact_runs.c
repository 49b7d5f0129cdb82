// SPDX-License-Identifier: GPL-3.0-or-later
// Ropes with mass on bodies, run until they rest or slip away: what friction holds stays, what it
// does not hold slips as it should, and energy stays what it was.
#include "check.h"

#include <stdio.h>

static const char *const direct_solvers[] = {"pbd-direct", "pbd-direct,gradient=current", "rattle"};

// The corners of a rope over half a drum whose elements all touch it, with three elements hanging
// straight down at both ends.
static void write_half_turn(char *text, size_t size, double radius, int elements) {
  const double turn = RL_PI / elements, length = 2.0 * radius * tan(0.5 * turn);
  size_t used = 0;
  for (int i = -3; i <= elements + 4; i++) {
    const int corner = i < 0 ? 0 : i > elements + 1 ? elements + 1 : i;
    const double a = RL_PI - (corner - 0.5) * turn, r = radius / cos(0.5 * turn);
    used += (size_t)snprintf(text + used, size - used, "%s[%.17g, %.17g, 0]", i > -3 ? ", " : "",
                             r * cos(a), r * sin(a) - length * abs(i - corner));
  }
}

// Two weights on a light rope over half a drum (Euler, Eytelwein): the heavy one may weigh
// exp(pi mu) times the light one before the rope slips. It weighs exp(pi mu `share`) times.
typedef struct capstan {
  rl_scenario *scenario;
  double start; // height of the heavy one
  double slip;  // where it slips, its acceleration (M - m exp(pi mu)) g / (M + m exp(pi mu))
} capstan;

static capstan capstan_of(double share) {
  const double mu = 0.3, heavy = exp(mu * share * RL_PI), grip = exp(mu * RL_PI);
  const double start = -3.5 * 2.0 * 0.31 * tan(RL_PI / 40.0);
  char points[4096];
  write_half_turn(points, sizeof points, 0.31, 20);
  rl_scenario *s = scenario_from(
      "name: capstan\nduration: 1\nstep: 0.01\n"
      "bodies: {drum: {motion: fixed, position: [0, 0, 0], friction: %g, shape: {cylinder:"
      " {radius: 0.3, length: 1}}}, heavy: {mass: %.17g, position: [0.31, %.17g, 0]},"
      " light: {mass: 1, position: [-0.31, %.17g, 0]}}\n"
      "ropes: {rope: {from: {body: light}, to: {body: heavy}, mass: 0.05, segments: 27,"
      " radius: 0.01, points: [%s]}}\n",
      mu, heavy, start, start, points);
  return (capstan){s, start, 9.81 * (heavy - grip) / (heavy + grip)};
}

// Returns by how much the heavy one is lower than at the start, after `steps`.
static double fall_of(const capstan *c, rl_driver *d, int steps) {
  take_steps(d, steps);
  return c->start - probe(d, "heavy.y");
}

static void capstan_holds_and_slips(void **unused) {
  (void)unused;
  const capstan below = capstan_of(0.9), above = capstan_of(1.1);
  for (size_t i = 0; i < 3; i++) {
    rl_driver *d = driver_for(below.scenario, direct_solvers[i], 4e-4);
    check_near(fall_of(&below, d, 500), 0.0, 1e-4);
    rl_driver_free(d);
    d = driver_for(above.scenario, direct_solvers[i], 4e-4);
    check_relative(fall_of(&above, d, 500), 0.5 * above.slip * 0.2 * 0.2, 0.1);
    rl_driver_free(d);
  }
  rl_scenario_free(below.scenario);
  rl_scenario_free(above.scenario);
}

// The same with sweeps: friction that takes slips back, (5d) of papers/world.md, holds what sinks
// in at the start, in any order, and where it slips it is no larger. With slips forgotten, the
// weight that is held falls by 1.7 mm in 0.2 s.
static void capstan_of_sweeps_holds_and_slips(void **unused) {
  (void)unused;
  static const char *const solvers[] = {"xpbd", "xpbd,order=backward"};
  const capstan below = capstan_of(0.9), above = capstan_of(1.1);
  for (size_t i = 0; i < 2; i++) {
    rl_driver *d = driver_for(below.scenario, solvers[i], 4e-4);
    const double sunk = fall_of(&below, d, 500);
    check_below(sunk, 5e-4);
    check_near(fall_of(&below, d, 500), sunk, 1e-5);
    rl_driver_free(d);
    d = driver_for(above.scenario, solvers[i], 4e-4);
    check_relative(fall_of(&above, d, 2000), 0.5 * above.slip * 0.8 * 0.8, 0.01);
    rl_driver_free(d);
  }
  rl_scenario_free(below.scenario);
  rl_scenario_free(above.scenario);
}

// A rope that friction holds does not creep, (5f) of papers/world.md, in whatever order and with
// however few sweeps: what is left, at most 0.9 um/s, is the end of the swing. If slips were
// forgotten, it would move by 1.5 to 4.8 mm/s, up or down.
static void unconverged_sweeps_hold_a_rope_on_a_drum(void **unused) {
  (void)unused;
  static const char *const solvers[] = {"pbd",
                                        "pbd,order=backward",
                                        "pbd,order=symmetric",
                                        "pbd,order=averaged-jacobi",
                                        "pbd,iterations=5",
                                        "xpbd",
                                        "xpbd,order=backward",
                                        "impulse",
                                        "impulse,order=backward",
                                        "impulse,order=symmetric",
                                        "impulse,iterations=5",
                                        "impulse,penalty_velocity=0.5"};
  rl_scenario *s = scenario_from(
      "name: drum\nduration: 6\nstep: 0.01\nbodies:\n"
      "  drum: {motion: fixed, friction: 0.2, shape: {cylinder: {radius: 0.3, length: 1}}}\n"
      "  heavy: {mass: 1.5, position: [-0.3, -0.8, 0]}\n"
      "  light: {mass: 1, position: [0.3, -1, 0]}\n"
      "ropes: {line: {from: {body: heavy}, to: {body: light}, over: [drum], mass: 1, segments: 24,"
      " drag_per_length: 3}}\n");
  for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; i++) {
    rl_driver *d = driver_for(s, solvers[i], 1.0 / 240.0);
    take_steps(d, 4 * 240);
    const double before = probe(d, "heavy.y");
    take_steps(d, 2 * 240);
    const double creep = fabs(probe(d, "heavy.y") - before) / 2.0;
    if (!(creep < 1e-5)) {
      print_error("%s creeps\n", solvers[i]);
    }
    check_below(creep, 1e-5);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// A chain of 40 links on a rough table, of which ten hang over its edge, comes to rest. Its first
// link beside the edge carries what hangs below it, nine and a half links, in each step.
static void chain_over_an_edge_comes_to_rest(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: held\nduration: 1\nstep: 0.004\n"
      "bodies: {table: {motion: fixed, position: [-2, -0.5, 0], shape: {box: {size: [4, 1, 1]}},"
      " friction: 0.5}}\n"
      "ropes: {chain: {from: {free: [-1.5, 0.0001, 0]}, to: {free: [0.0001, -0.5, 0]}, mass: 2,"
      " segments: 40, friction: 0.5,"
      " points: [[-1.5, 0.0001, 0], [0.0001, 0.0001, 0], [0.0001, -0.5, 0]]}}\n");
  for (size_t k = 0; rl_solvers[k]; k++) {
    if (rl_driver_missing(s->model, rl_solvers[k])) {
      continue;
    }
    const bool springs = rl_solvers[k]->stored_energy != NULL; // swing longer in long steps
    const double rest = springs ? 1.0 : 0.4;
    for (double dt = springs ? 0.001 : 0.004; dt > 0.0005; dt *= 0.25) {
      rl_driver *d = driver_for(s, rl_solvers[k]->name, dt);
      for (double t = 0.0; t < rest + 0.1; t += dt) {
        assert_true(rl_driver_step(d) > 0);
        if (t > rest) {
          check_near(probe(d, "chain.tension"), 9.5 * 0.05 * 9.81, 1e-6);
          check_near(probe(d, "chain.tip.vy"), 0.0, 1e-8);
        }
      }
      rl_driver_free(d);
    }
  }
  rl_scenario_free(s);
}

// A rope without a radius runs over a box, its legs along the sides. A node on an edge is on two
// faces, but an element that goes down the one is no rope on the other: that plane would hold its
// lower end where it is with 1e6 N. What is lost in bends over the edges is by chance, so the error
// is the mean of ten steps, from so long to half as long.
static void ropes_go_down_the_sides_of_a_box(void **unused) {
  (void)unused;
  static const char *const specs[] = {"pbd-direct", "impulse-direct", "rattle"};
  static const double steps[] = {0.001, 0.00025}, duration = 0.35;
  rl_scenario *s = scenario_from(
      "name: legs\nduration: 1\nstep: 0.01\nbodies:\n"
      "  box: {motion: fixed, shape: {box: {size: [1, 0.5, 0.6]}}}\n"
      "  a: {mass: 1, position: [-0.6, -1, 0], rope_collide: false}\n"
      "  b: {mass: 1.2, position: [0.6, -1.1, 0], rope_collide: false}\n"
      "ropes: {rope: {from: {body: a}, to: {body: b}, over: [box], mass: 0.5, segments: 40}}\n");
  for (size_t i = 0; i < 3; i++) {
    for (size_t k = 0; k < 2; k++) {
      double mean = 0.0;
      for (int n = 0; n < 10; n++) {
        rl_driver *d = driver_for(s, specs[i], (1.0 - 0.05 * n) * steps[k]);
        double error = 0.0;
        while (d->state->time < duration) {
          assert_true(rl_driver_step(d) > 0);
          error = fmax(error, fabs(rl_driver_energy_error(d)));
        }
        mean += 0.1 * error;
        rl_driver_free(d);
      }
      print_message("%s, %g s: energy error %.2g J\n", specs[i], steps[k], mean);
      check_near(mean, 0.0, 100.0 * steps[k]);
    }
  }
  rl_scenario_free(s);
}

// Ropes fall across the shapes of the shipped scenarios, with friction: the energy error stays that
// of the smooth ones (measured), and no element pulls harder than they do.
static void rough_shapes_are_as_sane_as_smooth_ones(void **unused) {
  (void)unused;
  static const struct {
    const char *scenario, *path, *friction;
  } cases[] = {{"drape-box", "bodies.table.friction", "0.3"},
               {"drape-cylinder", "bodies.bar.friction", "0.6"},
               {"drape-sphere", "bodies.ball.friction", "0.6"},
               {"drape-hull", "bodies.roof.friction", "0.6"},
               {"rope-on-floor", "bodies.floor.friction", "0.3"}};
  static const double largest_error[] = {0.06, 0.1, 0.01};
  for (size_t k = 0; k < sizeof cases / sizeof cases[0]; k++) {
    const rl_override friction = {cases[k].path, cases[k].friction};
    rl_scenario *s = shipped_with(cases[k].scenario, &friction, 1);
    for (size_t i = 0; i < 3; i++) {
      rl_driver *d = driver_for(s, direct_solvers[i], s->step);
      double tension = 0.0;
      for (double t = 0.0; t < s->duration; t += s->step) {
        assert_true(rl_driver_step(d) > 0);
        tension = fmax(tension, probe(d, "rope.tension"));
      }
      check_near(rl_driver_energy_error(d), 0.0, largest_error[i] * d->energy_scale);
      check_below(tension, 25.0);
      rl_driver_free(d);
    }
    rl_scenario_free(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(capstan_holds_and_slips),
      cmocka_unit_test(capstan_of_sweeps_holds_and_slips),
      cmocka_unit_test(unconverged_sweeps_hold_a_rope_on_a_drum),
      cmocka_unit_test(chain_over_an_edge_comes_to_rest),
      cmocka_unit_test(ropes_go_down_the_sides_of_a_box),
      cmocka_unit_test(rough_shapes_are_as_sane_as_smooth_ones),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
