// SPDX-License-Identifier: GPL-3.0-or-later
// Kim, Chentanez, Mueller, "Long Range Attachments", 2012: every node is kept within its rest
// distance along the rope from the attachment. papers/pbd.md (6).
#include "reproduce.h"

#include <math.h>

// Returns the largest length of the rope in two seconds relative to its rest length, with a load of
// a thousand elements on twenty elements.
static double longest(rl_trial *trial, const char *solver, const char *curve) {
  rl_setup rope = rl_setup_shipped(trial, solver, 0.0, "heavy-load", NULL, 0);
  const char *name = rope.scenario->model->ropes[0].name;
  const double rest = rl_setup_probe(trial, &rope, "%s.rest", name);
  double largest = 0.0;
  const int steps = (int)(2.0 / rope.driver->dt);
  for (int n = 0; n < steps; n++) {
    rl_setup_run(trial, &rope, 1);
    const double ratio = rl_setup_probe(trial, &rope, "%s.length", name) / rest;
    largest = fmax(largest, ratio);
    rl_trial_point(trial, curve, rope.driver->state->time, ratio);
  }
  rl_setup_close(&rope);
  return largest;
}

static void run(rl_trial *trial) {
  const double without = longest(trial, "pbd,iterations=20", "pbd, 20 sweeps");
  const double with_long =
      longest(trial, "pbd,iterations=20,long_range=true", "pbd, with attachments");
  trial->ours[0] = with_long - 1.0;
  trial->ours[1] = (with_long - 1.0) / (without - 1.0);
}

static const rl_claim claims[] = {
    RL_CLAIM("heavy load on a rope, 20 sweeps: stretch with attachments", "1", RL_AT_MOST, 0.01, 0,
             "\"inextensible\"", RL_QUOTED, "the paper was not read; its numbers are of cloth"),
    RL_CLAIM("... over that without", "1", RL_AT_MOST, 0.1, 0, "\"inextensible\"", RL_QUOTED,
             "the paper was not read; its numbers are of cloth"),
};

static const rl_plot plot = {
    "twenty elements under a thousand times their weight",
    "time (s)",
    "length / true length",
    false,
    false,
    "Relaxation hands the load on by an element a sweep; attachments carry it past them."};

static const rl_experiment experiments[] = {
    {"load", run, 2, claims, &plot, 0.2},
};

const rl_paper rl_paper_long_range = {"long-range", "kim2012", "pbd.md", 1, experiments};
