// SPDX-License-Identifier: GPL-3.0-or-later
// Mueller's pendulum challenge: a triple pendulum against the exact equations of motion.
// papers/xpbd.md, papers/rattle.md.
#include "reproduce.h"

#include <math.h>

// Positions of the tip after 0.2, 0.4 ... 1 s, integrated to 1e-13 [m].
static const double tip[5][2] = {{0.150001999, 0.104815963},
                                 {-0.073936857, -0.373676517},
                                 {-0.102387735, -0.038992030},
                                 {-0.258061765, 0.028919187},
                                 {0.137615071, -0.104483411}};

// Returns the largest distance from these positions [m].
static double distance(rl_trial *trial, const char *solver, double step) {
  rl_setup pendulum = rl_setup_shipped(trial, solver, step, "triple-pendulum", NULL, 0);
  const char *name = pendulum.scenario->model->ropes[0].name;
  const int part = (int)floor(0.2 / step + 0.5);
  double largest = 0.0;
  for (int i = 0; i < 5; i++) {
    rl_setup_run(trial, &pendulum, part);
    largest = fmax(largest, hypot(rl_setup_probe(trial, &pendulum, "%s.tip.x", name) - tip[i][0],
                                  rl_setup_probe(trial, &pendulum, "%s.tip.y", name) - tip[i][1]));
  }
  rl_setup_close(&pendulum);
  return largest;
}

static void run(rl_trial *trial) {
  static const int substeps[] = {10, 100, 1000, 10000};
  for (int i = 0; i < 4; i++) {
    char solver[64];
    snprintf(solver, sizeof solver, "xpbd,substeps=%d,iterations=1", substeps[i]);
    const double found = distance(trial, solver, 0.01);
    rl_trial_point(trial, "xpbd", substeps[i], found);
    rl_trial_point(trial, "rattle", substeps[i], distance(trial, "rattle", 0.01 / substeps[i]));
    trial->ours[1] = found;
  }
  trial->ours[0] = distance(trial, "rattle", 1e-5);
}

static const rl_claim claims[] = {
    RL_CLAIM("triple pendulum, largest distance in 1 s: rattle, 1e-5 s", "m", RL_EQUALS, 0, 1e-6,
             "first of the pendulums", RL_COMPUTED, NULL),
    RL_CLAIM("... XPBD, 10,000 substeps of 1e-6 s", "m", RL_DRAWN, 0, 0, "demonstration", RL_READ,
             "a comparison by eye"),
};

static const rl_plot plot = {
    "triple pendulum against its equations of motion",
    "substeps in 0.01 s",
    "largest distance in 1 s (m)",
    true,
    true,
    "XPBD comes to the exact motion with the first power of its substep, rattle with the second."};

static const rl_experiment experiments[] = {
    {"pendulum", run, 2, claims, &plot, 3.0},
};

const rl_paper rl_paper_challenge = {"challenge", "muellerchallenge", "xpbd.md", 1, experiments};
