// SPDX-License-Identifier: GPL-3.0-or-later
// Giles, Diaz, Yuksel, "Augmented Vertex Block Descent", 2025, Fig. 7 and 8: a pendulum of fifty
// links with a mass of 50,000 links at its end, at twenty iterations or substeps. Their method is
// not implemented; the figures have curves without numbers. papers/avbd.md.
#include "reproduce.h"

#include <math.h>

// Releases the chain from horizontal and returns the largest distance of the mass from the support
// in eight seconds, relative to the length of the chain.
static double longest(rl_trial *trial, const char *solver, double rate, const char *curve) {
  enum { LINKS = 50, FRAMES = 480 };
  rl_setup chain = rl_setup_scene(trial, solver, 1.0 / rate,
                                  "name: chain\ngravity: [0, -10, 0]\nduration: 8\nstep: 0.01\n"
                                  "bodies: {end: {mass: 50000, position: [%d, 0, 0]}}\n"
                                  "ropes: {chain: {from: {point: [0, 0, 0]}, to: {body: end},"
                                  " mass: %d, segments: %d, compression: true}}\n",
                                  LINKS, LINKS, LINKS);
  double largest = 1.0;
  for (int n = 0; n < FRAMES; n++) {
    rl_setup_run(trial, &chain, (int)(rate / 60.0));
    const double ratio =
        hypot(rl_setup_probe(trial, &chain, "end.x"), rl_setup_probe(trial, &chain, "end.y")) /
        LINKS;
    largest = fmax(largest, ratio);
    rl_trial_point(trial, curve, chain.driver->state->time, ratio);
  }
  rl_setup_close(&chain);
  return largest;
}

static const struct {
  const char *solver;
  double rate; // steps per second
  const char *curve;
} methods[] = {
    {"xpbd,substeps=1,iterations=20", 60, "xpbd"},
    {"xpbd,substeps=20,iterations=1", 60, "xpbd, 20 substeps"},
    {"impulse,iterations=20", 60, "impulse"},
    {"impulse-soft,substeps=20,iterations=1", 60, "impulse-soft"},
    {"pbd-direct", 1920, "pbd-direct"},
    {"penalty-implicit", 60, "penalty-implicit"},
};
enum { METHODS = sizeof methods / sizeof methods[0] };

static void run(rl_trial *trial) {
  for (int i = 0; i < METHODS; i++) {
    trial->ours[i] = longest(trial, methods[i].solver, methods[i].rate, methods[i].curve);
  }
}

#define LENGTH(text, remark) RL_CLAIM(text, "1", RL_DRAWN, 1, 0, "Fig. 7, 8", RL_READ, remark)

static const rl_claim claims[] = {
    LENGTH("longest over true length, 50,000:1: XPBD, 20 iterations",
           "theirs hits the ground; AVBD, which is not built here, keeps its length"),
    LENGTH("... XPBD, 20 substeps", "theirs stretches as VBD does, and oscillates"),
    LENGTH("... sequential impulses, 20 iterations", "theirs hits the ground"),
    LENGTH("... soft impulses, 20 substeps", "not in the figure"),
    LENGTH("... direct solve, 1/1920 s",
           "not in the figure; at 1/60 s it is unstable across the chain"),
    LENGTH("... backward Euler by Newton's method, springs", "not in the figure"),
};

static const rl_plot plot = {
    "fifty links and an end of 50,000",
    "time (s)",
    "distance of the end / length",
    false,
    false,
    "How far the heavy end is from its support; 1 is right. Twenty sweeps do not carry the load "
    "along fifty links. The method of the paper is not among the curves."};

static const rl_experiment experiments[] = {
    {"pendulum", run, METHODS, claims, &plot, 1.0},
};

const rl_paper rl_paper_avbd = {"avbd", "giles2025", "avbd.md", 1, experiments};
