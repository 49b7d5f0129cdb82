// SPDX-License-Identifier: GPL-3.0-or-later
// Erez, Tassa, Todorov, "Simulation Tools for Model-Based Robotics", ICRA 2015: the consistency of
// a method with itself for larger steps, and drifts, on a planar chain of five bodies without
// external forces. `ropelab consistency` measures the same and the speed. papers/erez.md.
#include "reproduce.h"

#include "experiments/consistency.h"
#include "runs/run.h"

#include <math.h>

enum { STEPS = 11, SOLVERS_MAX = 4, PIECES = 10, MILLISECOND = 5 };

static const double reference_step = 1.0 / 64000.0; // [s]; 1/64 ms as in the paper
static const uint64_t multiples[STEPS] = {2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048};

typedef struct method {
  const char *solver, *curve;
} method;

// Measures methods on the chain; rows [count][STEPS].
static void measure(rl_trial *trial, const method *methods, size_t count, const char *stiffness,
                    rl_consistency_row rows[][STEPS]) {
  const rl_override overrides[] = {{"duration", "1.28"}, {"ropes.chain.stiffness", stiffness}};
  rl_setup chain = rl_setup_shipped(trial, methods[0].solver, 0.0, "five-link-chain", overrides,
                                    stiffness ? 2 : 1);
  rl_solver_spec specs[SOLVERS_MAX];
  for (size_t i = 0; i < count; i++) {
    specs[i] = rl_trial_solver(trial, methods[i].solver);
  }
  const rl_consistency study = {
      .scenario = chain.scenario,
      .solvers = specs,
      .solver_count = count,
      .reference_step = reference_step,
      .multiples = multiples,
      .step_count = STEPS,
      .pieces = PIECES,
      .piece = (uint64_t)floor(chain.scenario->duration / PIECES / reference_step + 0.5),
      .repeats = 0,
      .jobs = 1,
      .limit = NAN};
  rl_consistency_end ends[SOLVERS_MAX] = {RL_CONSISTENCY_FAILED};
  double others = NAN;
  if (rl_consistency_run(&study, rows[0], ends, &others) != RL_EXIT_DONE) {
    rl_trial_fail(trial, "the study of consistency failed");
  }
  for (size_t i = 0; i < count; i++) {
    for (size_t k = 0; k < STEPS && ends[i] == RL_CONSISTENCY_DONE; k++) {
      if (!rows[i][k].piece_diverged) {
        rl_trial_point(trial, methods[i].curve, 1e3 * reference_step * (double)multiples[k],
                       rows[i][k].error);
      }
    }
  }
  rl_setup_close(&chain);
}

static void consistency(rl_trial *trial) {
  static const method rigid[] = {{"pbd,iterations=1000,tolerance=1e-13", "pbd"},
                                 {"impulse,iterations=1000,tolerance=1e-13", "impulse"},
                                 {"rattle", "rattle"}};
  static const method springs[] = {{"penalty,substeps=1", "penalty"},
                                   {"penalty,substeps=1,integrator=rk4", "penalty, rk4"}};
  rl_consistency_row rigid_rows[3][STEPS], spring_rows[2][STEPS];
  measure(trial, rigid, 3, NULL, rigid_rows);
  measure(trial, springs, 2, "2000", spring_rows);
  trial->ours[0] = spring_rows[0][MILLISECOND].error / spring_rows[1][MILLISECOND].error;
  trial->ours[1] = spring_rows[0][MILLISECOND].error;
  for (int i = 0; i < 3; i++) {
    trial->ours[2 + i] = rigid_rows[i][MILLISECOND].error;
    trial->ours[5 + i] = rigid_rows[i][MILLISECOND].energy_drift;
    trial->ours[8 + i] = rigid_rows[i][MILLISECOND].angular_drift;
  }
}

static const char unknown[] = "sizes, masses, velocities and the length of a piece are not stated";

#define CURVE(text, unit) RL_CLAIM(text, unit, RL_DRAWN, 0, 0, "figure", RL_READ, unknown)

static const rl_claim claims[] = {
    RL_CLAIM("inconsistency of Euler over that of Runge-Kutta at 1 ms, smooth motion", "1",
             RL_AT_LEAST, 100, 0, "text", RL_READ, "\"orders of magnitude\""),
    CURVE("inconsistency at 1 ms: springs, semi-implicit Euler", "m"),
    CURVE("... positions", "m"),
    CURVE("... impulses", "m"),
    CURVE("... rattle", "m"),
    CURVE("drift of energy in 1.28 s at 1 ms: positions", "1"),
    CURVE("... impulses", "1"),
    CURVE("... rattle", "1"),
    CURVE("drift of angular momentum in 1.28 s at 1 ms: positions", "1"),
    CURVE("... impulses", "1"),
    CURVE("... rattle", "1"),
};

static const rl_plot plot = {
    "consistency on a chain of five links",
    "step (ms)",
    "mean distance from itself (m)",
    true,
    true,
    "How far a piece of 0.128 s made with a longer step is from the same piece made by the same "
    "method in steps of 1/64 ms. The slope is the order on this motion."};

static const rl_experiment experiments[] = {
    {"consistency", consistency, sizeof claims / sizeof claims[0], claims, &plot, 5.0},
};

const rl_paper rl_paper_erez = {"erez", "erez2015", "erez.md", 1, experiments};
