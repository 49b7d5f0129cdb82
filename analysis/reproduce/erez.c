// SPDX-License-Identifier: GPL-3.0-or-later
// Erez, Tassa, Todorov, "Simulation Tools for Model-Based Robotics", ICRA 2015: how consistent a
// method is with itself when its step grows, on a planar chain of five bodies that nothing acts on;
// drift of energy. papers/erez.md.
#include "reproduce/reproduce.h"

#include <math.h>
#include <string.h>

enum { PIECES = 10, LINKS = 5, STEPS_SIZES = 10 };

static const double finest = 1.0 / 64000.0; // [s], the step of the reference
static const double piece = 0.128;          // [s], four of the longest steps

// Five links of 1 m and 1 kg in a row from a pin, thrown with joint velocities of 1, -2, 3, -4,
// 5 rad/s. No gravity: kinetic energy stays, and angular momentum about the pin.
static rl_setup chain(rl_trial *trial, const char *solver, double step) {
  static const char elastic[] = ", stiffness: 1e4";
  char velocities[512] = "[0, 0, 0]";
  double spin = 0.0, across = 0.0;
  for (int i = 1; i <= LINKS; i++) {
    spin += i % 2 == 1 ? i : -i;
    across += spin;
    const size_t used = strlen(velocities);
    snprintf(velocities + used, sizeof velocities - used, ", [0, %g, 0]", across);
  }
  const bool springs = strncmp(solver, "penalty", 7) == 0;
  return rl_setup_scene(trial, solver, step,
                        "name: chain\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\nropes:\n"
                        "  chain: {from: {point: [0, 0, 0]}, to: {free: [%d, 0, 0]}, mass: %d,"
                        " segments: %d, lumping: equal, compression: true%s,"
                        " velocities: [%s]}\n",
                        LINKS, LINKS, LINKS, springs ? elastic : "", velocities);
}

// The mean distance of the nodes from those of another state.
static double distance(const rl_setup *setup, const rl_state *other) {
  const rl_state *state = setup->driver->state;
  double sum = 0.0;
  for (uint32_t i = 1; i <= LINKS; i++) {
    const uint32_t node = rl_rope_node(setup->scenario->model, state, 0, i);
    sum += rl_distance(rl_position(&state->points[node]), rl_position(&other->points[node]));
  }
  return sum / LINKS;
}

// Consistency violation at steps from finest to 512 times that: from states of the method's own
// reference, one piece with a longer step; mean distance over the longest steps of the piece.
static void violation(rl_trial *trial, const char *solver, const char *curve, double *found) {
  enum { MARKS = 4 };
  const double mark = piece / MARKS; // [s]
  const int marks = PIECES * MARKS, fine = (int)floor(mark / finest + 0.5);
  rl_setup reference = chain(trial, solver, finest);
  rl_state *states[PIECES * MARKS + 1];
  for (int i = 0; i <= marks; i++) {
    states[i] = rl_state_create(reference.scenario->model);
    if (!states[i]) {
      rl_trial_fail(trial, "out of memory");
    }
    rl_setup_run(trial, &reference, i > 0 ? fine : 0);
    rl_state_copy(states[i], reference.driver->state);
  }
  for (int k = 1; k < STEPS_SIZES; k++) {
    rl_setup coarse = chain(trial, solver, finest * (1 << k));
    double sum = 0.0;
    for (int i = 0; i < marks; i++) {
      if (i % MARKS == 0) {
        rl_driver_set_state(coarse.driver, states[i]);
      }
      rl_setup_run(trial, &coarse, fine >> k);
      sum += distance(&coarse, states[i + 1]);
    }
    found[k] = sum / marks;
    rl_trial_point(trial, curve, 1e3 * finest * (1 << k), found[k]);
    rl_setup_close(&coarse);
  }
  for (int i = 0; i <= marks; i++) {
    rl_state_free(states[i]);
  }
  rl_setup_close(&reference);
}

static void consistency(rl_trial *trial) {
  double euler[STEPS_SIZES], rk4[STEPS_SIZES], pbd[STEPS_SIZES], impulse[STEPS_SIZES];
  double rattle[STEPS_SIZES];
  violation(trial, "penalty,substeps=1", "penalty", euler);
  violation(trial, "penalty,substeps=1,integrator=rk4", "penalty, rk4", rk4);
  violation(trial, "pbd,iterations=100,tolerance=1e-12", "pbd", pbd);
  violation(trial, "impulse,iterations=100,tolerance=1e-12", "impulse", impulse);
  violation(trial, "rattle", "rattle", rattle);
  const int millisecond = 6;
  trial->ours[0] = euler[millisecond] / rk4[millisecond];
  trial->ours[1] = euler[millisecond];
  trial->ours[2] = pbd[millisecond];
  trial->ours[3] = impulse[millisecond];
  trial->ours[4] = rattle[millisecond];
}

static const char unknown[] = "sizes, masses, velocities and the length of a piece are not stated";

#define VIOLATION(text) RL_CLAIM(text, "m", RL_DRAWN, 0, 0, "figure of the chain", RL_READ, unknown)

static const rl_claim consistency_claims[] = {
    RL_CLAIM("violation of Euler over that of Runge-Kutta at 1 ms, smooth motion", "1", RL_AT_LEAST,
             100, 0, "text", RL_READ, "\"orders of magnitude\""),
    VIOLATION("consistency violation at 1 ms: springs, semi-implicit Euler"),
    VIOLATION("... positions"),
    VIOLATION("... impulses"),
    VIOLATION("... rattle"),
};

static const rl_plot consistency_plot = {
    "consistency on a chain of five links",
    "step, ms",
    "mean distance from itself, m",
    true,
    true,
    "How far a piece of 0.128 s made with a longer step is "
    "from the same piece made by the same method "
    "in steps of 1/64 ms. The slope is the order on this motion."};

// Energy gained or lost in ten seconds at 1 ms, over that at the start.
static void drift(rl_trial *trial) {
  static const struct {
    const char *solver, *curve;
  } methods[] = {{"pbd,iterations=100,tolerance=1e-12", "pbd"},
                 {"impulse,iterations=100,tolerance=1e-12", "impulse"},
                 {"rattle", "rattle"}};
  for (int i = 0; i < 3; i++) {
    rl_setup setup = chain(trial, methods[i].solver, 1e-3);
    const double start = rl_driver_energy(setup.driver).kinetic;
    double now = start;
    for (int n = 1; n <= 10000; n++) {
      rl_setup_run(trial, &setup, 1);
      now = rl_driver_energy(setup.driver).kinetic;
      if (n % 100 == 0) {
        rl_trial_point(trial, methods[i].curve, 1e-3 * n, fabs(now / start - 1.0));
      }
    }
    trial->ours[i] = now / start - 1.0;
    rl_setup_close(&setup);
  }
}

#define DRIFT(text) RL_CLAIM(text, "1", RL_DRAWN, 0, 0, "figure of the chain", RL_READ, unknown)

static const rl_claim drift_claims[] = {
    DRIFT("change of energy in 10 s at 1 ms: positions"),
    DRIFT("... impulses"),
    DRIFT("... rattle"),
};

static const rl_plot drift_plot = {
    "energy of a chain of five links, 1 ms",
    "time, s",
    "change of energy / energy",
    false,
    true,
    "Nothing acts on the chain, so its energy should stay. Positions lose it all the time, rattle "
    "only swings about it."};

static const rl_experiment experiments[] = {
    {"consistency", consistency, sizeof consistency_claims / sizeof consistency_claims[0],
     consistency_claims, &consistency_plot, 5.0},
    {"drift", drift, 3, drift_claims, &drift_plot, 0.5},
};

const rl_paper rl_paper_erez = {"erez", "erez2015", "erez.md", 2, experiments};
