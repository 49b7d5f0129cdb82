// SPDX-License-Identifier: GPL-3.0-or-later
// Macklin et al., "Small Steps in Physics Simulation", 2019: substeps with one sweep each against
// one step with many sweeps. papers/xpbd.md (9).
#include "reproduce.h"

#include <math.h>

static const double rest_tip = -0.19;   // y of the end at rest, for both chains [m]
static const double frame = 1.0 / 60.0; // [s]

// Returns how far the end of the chain of twenty is below its rest position after 1000 frames [m],
// and the tension at the top in `top` [N].
static double settled(rl_trial *trial, const char *solver, double *top) {
  rl_setup chain = rl_setup_shipped(trial, solver, frame, "small-steps-chain", NULL, 0);
  rl_setup_run(trial, &chain, 1000);
  *top = rl_setup_probe(trial, &chain, "chain.tension.from");
  const double error = rest_tip - rl_setup_probe(trial, &chain, "chain.tip.y");
  rl_setup_close(&chain);
  return error;
}

static void hanging(rl_trial *trial) {
  const double g = 10.0;
  double top = NAN;
  for (int i = 0; i < 4; i++) {
    static const int counts[] = {10, 20, 50, 100};
    const int n = counts[i];
    const double h = frame / n;
    char solver[64];
    snprintf(solver, sizeof solver, "xpbd,substeps=%d,iterations=1", n);
    const double stepped = settled(trial, solver, &top);
    rl_trial_point(trial, "xpbd, substeps", n, stepped);
    trial->ours[i] = stepped / (g * h * h);
    double unused = NAN;
    snprintf(solver, sizeof solver, "xpbd,substeps=1,iterations=%d", n);
    const double iterated = settled(trial, solver, &unused);
    rl_trial_point(trial, "xpbd, iterations", n, iterated);
    if (n == 100) {
      trial->ours[4] = top;
      trial->ours[5] = iterated / stepped;
    }
  }
}

static const char derived[] = "our derivation; the paper draws the curve";

static const rl_claim hanging_claims[] = {
    RL_CLAIM("stretch at rest over g h^2, 10 substeps", "1", RL_EQUALS, 171, 0.001, "Fig. 4",
             RL_DERIVED, derived),
    RL_CLAIM("... 20 substeps", "1", RL_EQUALS, 171, 0.001, "Fig. 4", RL_DERIVED, derived),
    RL_CLAIM("... 50 substeps", "1", RL_EQUALS, 171, 0.001, "Fig. 4", RL_DERIVED, derived),
    RL_CLAIM("... 100 substeps", "1", RL_EQUALS, 171, 0.001, "Fig. 4", RL_DERIVED, derived),
    RL_CLAIM("force of the top link, 100 substeps", "N", RL_EQUALS, 190, 0.001, "Fig. 4", RL_READ,
             NULL),
    RL_CLAIM("error of 100 sweeps over that of 100 substeps, frame 1000", "1", RL_EQUALS, 100, 0.1,
             "Fig. 4", RL_READ,
             "\"about two orders of magnitude\", read off a curve; n is not stated"),
};

static const rl_plot hanging_plot = {
    "hanging chain of twenty particles",
    "substeps or sweeps in a frame",
    "error of the end (m)",
    true,
    true,
    "Where the end of the chain is after 1000 frames, below its place. Substeps divide the error "
    "by the square of their number, sweeps by less than their number."};

// Returns the largest error of the chain with 1e5 kg at its end in 50 s [m].
static double largest(rl_trial *trial, const char *method, const char *solver) {
  rl_setup chain = rl_setup_shipped(trial, solver, frame, "small-steps-heavy", NULL, 0);
  double error = 0.0;
  for (int n = 0; n < 3000; n++) {
    rl_setup_run(trial, &chain, 1);
    const double now = rest_tip - rl_setup_probe(trial, &chain, "chain.tip.y");
    error = fmax(error, now);
    if (n % 10 == 0) {
      rl_trial_point(trial, method, chain.driver->state->time, now);
    }
  }
  rl_setup_close(&chain);
  return error;
}

static void heavy(rl_trial *trial) {
  trial->ours[1] = largest(trial, "xpbd, 100 sweeps", "xpbd,substeps=1,iterations=100");
  trial->ours[2] = largest(trial, "xpbd, 100 substeps", "xpbd,substeps=100,iterations=1");
  trial->ours[0] = trial->ours[1] / trial->ours[2];
}

static const char unstated[] =
    "frame time, sampling and variant are not stated; the error goes with the square of the frame "
    "(1/30 s: 398 m and 4.0 m; the paper's 322.1 m and 3.2 m would be those of 30 ms)";

static const rl_claim heavy_claims[] = {
    RL_CLAIM("1:100000, error of 100 sweeps over that of 100 substeps", "1", RL_EQUALS, 322.1 / 3.2,
             0.02, "text", RL_READ, NULL),
    RL_CLAIM("1:100000, largest error, 100 sweeps", "m", RL_EQUALS, 322.1, 0.02, "text", RL_READ,
             unstated),
    RL_CLAIM("1:100000, largest error, 100 substeps", "m", RL_EQUALS, 3.2, 0.02, "text", RL_READ,
             unstated),
};

static const rl_plot heavy_plot = {
    "a hundred tonnes on a chain of nineteen kilograms",
    "time (s)",
    "error of the end (m)",
    false,
    false,
    "How far the end of the chain is below its place, for the same number of sweeps over the "
    "links: "
    "a hundred in each frame, or one in each of a hundred substeps."};

static const rl_experiment experiments[] = {
    {"hanging", hanging, sizeof hanging_claims / sizeof hanging_claims[0], hanging_claims,
     &hanging_plot, 1.0},
    {"heavy", heavy, sizeof heavy_claims / sizeof heavy_claims[0], heavy_claims, &heavy_plot, 1.0},
};

const rl_paper rl_paper_small_steps = {"small-steps", "macklin2019", "xpbd.md", 2, experiments};
