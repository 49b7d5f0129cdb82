// SPDX-License-Identifier: GPL-3.0-or-later
// Catto, "Solver2D", 2024: the sample "Ball & Chain", forty links and a ball of 672 times their
// mass, with sixty steps per second and settings of equal cost. The source compares them in a
// video. papers/impulse-soft.md.
#include "reproduce.h"

#include <math.h>

// Masses are area times density: capsules of 1 m between their caps and 0.25 m wide, a ball of
// radius 8 m.
static const double density = 20.0, link_length = 1.0, link_radius = 0.125, ball_radius = 8.0;

static double link_mass(void) {
  return density * (2.0 * link_radius * link_length + M_PI * link_radius * link_radius);
}

static double ball_mass(void) { return density * M_PI * ball_radius * ball_radius; }

// Returns the largest length of the chain relative to its rest length, in eight seconds after it is
// released from horizontal.
static double longest(rl_trial *trial, const char *solver, const char *curve) {
  enum { LINKS = 40, STEPS = 480 };
  rl_setup chain = rl_setup_scene(trial, solver, 1.0 / 60.0,
                                  "name: chain\ngravity: [0, -10, 0]\nduration: 8\nstep: 0.01\n"
                                  "bodies: {ball: {mass: %.17g, position: [%d, 0, 0]}}\n"
                                  "ropes: {chain: {from: {point: [0, 0, 0]}, to: {body: ball},"
                                  " mass: %.17g, segments: %d, compression: true}}\n",
                                  ball_mass(), LINKS, LINKS * link_mass(), LINKS);
  double largest = 1.0;
  for (int n = 0; n < STEPS; n++) {
    rl_setup_run(trial, &chain, 1);
    const double ratio = rl_setup_probe(trial, &chain, "chain.length") / LINKS;
    largest = fmax(largest, ratio);
    rl_trial_point(trial, curve, chain.driver->state->time, ratio);
  }
  rl_setup_close(&chain);
  return largest;
}

static void run(rl_trial *trial) {
  trial->ours[0] = ball_mass() / link_mass();
  // Settings of equal cost: 8 iterations for sequential impulses with Baumgarte stabilisation, 6
  // for position projection, 4 where a step is divided into substeps.
  trial->ours[1] = longest(trial, "impulse,iterations=8,penalty_velocity=0.2", "impulse");
  trial->ours[2] = longest(trial, "pbd,iterations=6", "pbd");
  trial->ours[3] = longest(trial, "xpbd,substeps=4,iterations=1", "xpbd");
  trial->ours[4] = longest(trial, "impulse-soft,substeps=4,iterations=1,relax=1", "impulse-soft");
  trial->ours[5] = trial->ours[4] / trial->ours[1];
}

static const char video[] =
    "the comparison is a video; our links are straight pieces with point masses";

static const rl_claim claims[] = {
    RL_CLAIM("mass of the ball over that of a link", "1", RL_EQUALS, 672, 0.001, "code", RL_DERIVED,
             NULL),
    RL_CLAIM("longest over true length: sequential impulses, 8 iterations", "1", RL_DRAWN, 1, 0,
             "Ball & Chain", RL_READ, video),
    RL_CLAIM("... positions, 6 iterations", "1", RL_DRAWN, 1, 0, "Ball & Chain", RL_READ, video),
    RL_CLAIM("... XPBD, 4 substeps", "1", RL_DRAWN, 1, 0, "Ball & Chain", RL_READ, video),
    RL_CLAIM("... soft impulses, 4 substeps and relaxation", "1", RL_DRAWN, 1, 0, "Ball & Chain",
             RL_READ, video),
    RL_CLAIM("soft impulses with substeps over sequential impulses", "1", RL_AT_MOST, 1, 0,
             "Ball & Chain", RL_READ, NULL),
};

static const rl_plot plot = {"ball and chain, 672:1, settings of equal cost",
                             "time (s)",
                             "length / true length",
                             false,
                             false,
                             "How long the chain is over how long it should be. For the same "
                             "number of passes over the links, "
                             "substeps hold the ball and iterations do not."};

static const rl_experiment experiments[] = {
    {"ball-and-chain", run, sizeof claims / sizeof claims[0], claims, &plot, 0.5},
};

const rl_paper rl_paper_solver2d = {"solver2d", "catto2024", "impulse-soft.md", 1, experiments};
