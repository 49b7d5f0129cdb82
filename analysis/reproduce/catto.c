// SPDX-License-Identifier: GPL-3.0-or-later
// Catto, "Understanding Constraints", GDC 2014: the sweeps that a pair of unequal masses needs.
// papers/impulse.md (8), (9).
#include "reproduce.h"

#include <math.h>

// Returns the sweeps until the impulse of the support is within 5 % of the exact one, from a cold
// start: 1 kg on a rope, and below it `ratio` kg on another. The sweeps begin at the support. The
// matrix is that of a stack of two circles.
static double sweeps_needed(rl_trial *trial, double ratio) {
  const double gravity = 9.81, close = 0.05;
  const int most = 1000;
  const double exact = (1.0 + ratio) * gravity;
  for (int n = 1; n < most; n++) {
    char solver[64];
    snprintf(solver, sizeof solver, "impulse,iterations=%d,warm_start=false", n);
    rl_setup stack = rl_setup_scene(trial, solver, 1.0 / 60.0,
                                    "name: stack\nduration: 1\nstep: 0.01\n"
                                    "bodies:\n"
                                    "  light: {mass: 1, position: [0, -1, 0]}\n"
                                    "  heavy: {mass: %g, position: [0, -2, 0]}\n"
                                    "ropes:\n"
                                    "  upper: {from: {point: [0, 0, 0]}, to: {body: light}}\n"
                                    "  lower: {from: {body: light}, to: {body: heavy}}\n",
                                    ratio);
    rl_setup_run(trial, &stack, 1);
    const double off = fabs(rl_setup_probe(trial, &stack, "upper.tension") - exact);
    rl_setup_close(&stack);
    if (off < close * exact) {
      return n;
    }
  }
  rl_trial_fail(trial, "more than %d sweeps at a ratio of %g", most, ratio);
}

static void run(rl_trial *trial) {
  static const double ratios[] = {1.0, 2.0, 5.0, 10.0, 20.0, 40.0, 80.0, 0.5};
  enum { RATIOS = sizeof ratios / sizeof ratios[0] };
  for (int i = 0; i < RATIOS; i++) {
    trial->ours[i] = sweeps_needed(trial, ratios[i]);
    if (ratios[i] >= 1.0) {
      rl_trial_point(trial, "impulse", ratios[i], trial->ours[i]);
      rl_trial_point(trial, "theory: 3R + 2", ratios[i], 3.0 * ratios[i] + 2.0);
    }
  }
  trial->ours[RATIOS] = trial->ours[3];
}

static const char beyond[] = "the regression is drawn to a ratio of 20; 3R + 2 is its formula";

static const rl_claim claims[] = {
    RL_CLAIM("sweeps to 95 % of the impulse, heavy on light 1:1", "1", RL_EQUALS, 5, 0, "p. 30",
             RL_READ, NULL),
    RL_CLAIM("... 2:1", "1", RL_EQUALS, 8, 0, "p. 30", RL_READ, NULL),
    RL_CLAIM("... 5:1", "1", RL_EQUALS, 17, 0, "p. 30", RL_READ, NULL),
    RL_CLAIM("... 10:1", "1", RL_EQUALS, 32, 0, "p. 30", RL_READ, NULL),
    RL_CLAIM("... 20:1", "1", RL_EQUALS, 62, 0, "p. 30", RL_READ, NULL),
    RL_CLAIM("... 40:1", "1", RL_EQUALS, 122, 0, "p. 30", RL_DERIVED, beyond),
    RL_CLAIM("... 80:1", "1", RL_EQUALS, 242, 0, "p. 30", RL_DERIVED, beyond),
    RL_CLAIM("sweeps, light on heavy 1:2", "1", RL_EQUALS, 3, 0, "p. 29", RL_READ, NULL),
    RL_CLAIM("sweeps at 10:1, in words", "1", RL_EQUALS, 50, 0, "p. 29", RL_READ,
             "\"around 50\" in the text; the regression of the next page gives 32"),
};

static const rl_plot plot = {
    "sweeps for a heavy body on a light one",
    "mass ratio",
    "sweeps",
    true,
    true,
    "Sweeps of sequential impulses until the support carries 95 % of what it should. Each sweep "
    "leaves R/(1 + R) of the error, so their number grows with the ratio."};

static const rl_experiment experiments[] = {
    {"stack", run, sizeof claims / sizeof claims[0], claims, &plot, 0.2},
};

const rl_paper rl_paper_catto = {"catto", "catto2014", "impulse.md", 1, experiments};
