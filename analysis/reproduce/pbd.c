// SPDX-License-Identifier: GPL-3.0-or-later
// Mueller, Heidelberger, Hennix, Ratcliff, "Position Based Dynamics", 2006: the stiffness of a
// constraint, and momentum. Its cloths (frame rates of 2006) have no counterpart here.
#include "reproduce.h"

#include "runs/metrics.h"

#include <math.h>

// Returns the share of a constraint's excess that n sweeps leave, each of which removes the share
// k.
static double residual_left(rl_trial *trial, int n, double k) {
  char solver[64];
  snprintf(solver, sizeof solver, "pbd,iterations=%d,omega=%.17g", n, k);
  rl_setup pair = rl_setup_scene(trial, solver, 0.0,
                                 "name: pair\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\n"
                                 "bodies:\n"
                                 "  left: {mass: 2.385, position: [-1, 0, 0]}\n"
                                 "  right: {mass: 0.7, position: [1, 0, 0]}\n"
                                 "ropes: {line: {from: {body: left}, to: {body: right}}}\n");
  rl_point *points = pair.driver->state->points;
  points[rl_body_slot(pair.scenario->model, 1)].x += 0.1;
  const double before = rl_setup_probe(trial, &pair, "line.length") - 2.0;
  rl_setup_run(trial, &pair, 1);
  const double after = rl_setup_probe(trial, &pair, "line.length") - 2.0;
  rl_setup_close(&pair);
  return after / before;
}

static void stiffness(rl_trial *trial) {
  const double k = 0.5;
  trial->ours[0] = residual_left(trial, 1, k);
  trial->ours[1] = residual_left(trial, 5, k);
  trial->ours[2] = residual_left(trial, 10, k);
  trial->ours[3] = residual_left(trial, 10, 1.0 - pow(1.0 - k, 0.1));
  trial->ours[4] = residual_left(trial, 50, 1.0 - pow(1.0 - k, 0.02));
}

static const rl_claim stiffness_claims[] = {
    RL_CLAIM("share of the excess left, k = 0.5, 1 sweep", "1", RL_EQUALS, 0.5, 1e-9, "sec. 3.3",
             RL_READ, NULL),
    RL_CLAIM("... (1-k)^n, 5 sweeps", "1", RL_EQUALS, 0.03125, 1e-9, "sec. 3.3", RL_READ, NULL),
    RL_CLAIM("... (1-k)^n, 10 sweeps", "1", RL_EQUALS, 0.0009765625, 1e-9, "sec. 3.3", RL_READ,
             NULL),
    RL_CLAIM("... with k' = 1-(1-k)^(1/n), 10 sweeps", "1", RL_EQUALS, 0.5, 1e-9, "sec. 3.3",
             RL_READ, NULL),
    RL_CLAIM("... with k' = 1-(1-k)^(1/n), 50 sweeps", "1", RL_EQUALS, 0.5, 1e-9, "sec. 3.3",
             RL_READ, NULL),
};

// Measures the change of momentum of a free rope in a thousand steps, relative to sum m |v|.
static void momentum(rl_trial *trial) {
  rl_setup rope = rl_setup_shipped(trial, "pbd", 0.0, "free-rope", NULL, 0);
  const rl_metrics before = rl_metrics_of(rope.driver);
  rl_setup_run(trial, &rope, 1000);
  const rl_metrics after = rl_metrics_of(rope.driver);
  trial->ours[0] =
      rl_distance(after.momentum.linear, before.momentum.linear) / after.momentum_scale;
  rl_setup_close(&rope);
}

static const rl_claim momentum_claims[] = {
    RL_CLAIM("change of the momentum of a free rope, of sum m v", "1", RL_EQUALS, 0, 1e-12,
             "sec. 3.3", RL_READ, NULL),
};

static const rl_experiment experiments[] = {
    {"stiffness", stiffness, sizeof stiffness_claims / sizeof stiffness_claims[0], stiffness_claims,
     NULL, 0.01},
    {"momentum", momentum, 1, momentum_claims, NULL, 0.1},
};

const rl_paper rl_paper_pbd = {"pbd", "mueller2006", "pbd.md", 2, experiments};
