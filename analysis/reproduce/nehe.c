// SPDX-License-Identifier: GPL-3.0-or-later
// NeHe lesson 40: the parameters at which its rope blows up. papers/nehe.md.
#include "reproduce.h"

#include "runs/signals.h"

#include <gsl/gsl_math.h>

// Whether the lesson's rope of thirty particles, hanging vertically with a small disturbance, has
// not diverged after 40 s.
static bool survives(rl_trial *trial, double stiffness, double friction) {
  char solver[128];
  snprintf(solver, sizeof solver, "nehe,air_friction=0,stiffness=%.17g,spring_friction=%.17g",
           stiffness, friction);
  rl_setup rope =
      rl_setup_scene(trial, solver, 0.002,
                     "name: rope\ngravity: [0, -9.82, 0]\nduration: 1\nstep: 0.002\nropes:\n"
                     "  rope: {from: {point: [0, 0, 0]}, to: {free: [0, -1.45, 0]}, mass: 1.45,"
                     " segments: 29, lumping: equal, velocity: [0, -1e-6, 0]}\n");
  rl_reason reason = RL_RUNNING;
  for (int n = 0; n < 20000 && reason >= 0 && !rl_run_interrupted(); n++) {
    reason = rl_driver_step(rope.driver);
  }
  rl_setup_close(&rope);
  return reason > 0;
}

static double largest_stiffness(rl_trial *trial, double friction) {
  const double close = 1.0; // [N/m]
  double low = 6000.0, high = 18000.0;
  while (high - low > close) {
    const double middle = 0.5 * (low + high);
    *(survives(trial, middle, friction) ? &low : &high) = middle;
  }
  return low;
}

static void limit(rl_trial *trial) {
  static const double frictions[] = {0.0, 0.25, 0.5};
  for (int i = 0; i < 3; i++) {
    trial->ours[i] = largest_stiffness(trial, frictions[i]);
  }
  trial->ours[3] = 12000.0 / trial->ours[1];
}

static const char other[] = "another program's search; theory gives 12536, 12286, 12036";

static const rl_claim claims[] = {
    RL_CLAIM("largest spring constant that survives, friction 0", "N/m", RL_EQUALS, 12527, 0.005,
             "the lesson's step", RL_COMPUTED, other),
    RL_CLAIM("... friction 0.25", "N/m", RL_EQUALS, 12299, 0.005, "the lesson's step", RL_COMPUTED,
             other),
    RL_CLAIM("... friction 0.5", "N/m", RL_EQUALS, 12057, 0.005, "the lesson's step", RL_COMPUTED,
             other),
    RL_CLAIM("the demo's spring constant over the largest, friction 0.25", "1", RL_AT_MOST, 1, 0,
             "code", RL_READ, NULL),
};

static const rl_experiment experiments[] = {
    {"limit", limit, sizeof claims / sizeof claims[0], claims, NULL, 3.0},
};

const rl_paper rl_paper_nehe = {"nehe", "nehe40", "nehe.md", 1, experiments};
