// SPDX-License-Identifier: GPL-3.0-or-later
// Obi's ropes: an ordered list of elements, each of which joins two particles. papers/obi.md.
#include "reproduce/reproduce.h"

// Elements of a rope of that many particles.
static double elements(rl_trial *trial, const char *shape) {
  rl_setup rope = rl_setup_scene(trial, "pbd", 0.0,
                                 "name: rope\nduration: 1\nstep: 0.01\nropes:\n"
                                 "  rope: {mass: 1, %s}\n",
                                 shape);
  rl_setup_run(trial, &rope, 1);
  const double count = (double)rope.scenario->model->ropes[0].link_count;
  rl_setup_close(&rope);
  return count;
}

static void count(rl_trial *trial) {
  trial->ours[0] = elements(trial, "from: {point: [0, 0, 0]}, to: {free: [1, 0, 0]}, segments: 29");
  trial->ours[1] = elements(trial, "closed: true, points: [[0, 0, 0], [1, 0, 0], [0.5, 1, 0],"
                                   " [0, 0.5, 0]], length: 3.5, segments: 30");
}

static const rl_claim claims[] = {
    RL_CLAIM("elements of an open rope of 30 particles: one less", "1", RL_EQUALS, 29, 0, "manual",
             RL_READ, NULL),
    RL_CLAIM("elements of a closed rope of 30 particles: as many", "1", RL_EQUALS, 30, 0, "manual",
             RL_READ, NULL),
};

static const rl_experiment experiments[] = {
    {"elements", count, 2, claims, NULL, 0.01},
};

const rl_paper rl_paper_obi = {"obi", "obi", "obi.md", 1, experiments};
