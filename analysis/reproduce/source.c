// SPDX-License-Identifier: GPL-3.0-or-later
// The rope of the Source engine: half of gravity, three one-sided passes. papers/source.md.
#include "reproduce.h"

// Measures the acceleration of a freely falling undamped rope, relative to the scenario's gravity.
static void gravity(rl_trial *trial) {
  rl_setup rope = rl_setup_scene(trial, "source,settle=0,damping=1", 0.0,
                                 "name: fall\nduration: 1\nstep: 0.02\nropes:\n"
                                 "  r: {from: {free: [0, 0, 0]}, to: {free: [1, 0, 0]}, mass: 1,"
                                 " segments: 9, slack: 0.1}\n");
  const int steps = 50;
  rl_setup_run(trial, &rope, steps);
  const double h = rope.driver->dt;
  const double fallen = -rl_setup_probe(trial, &rope, "r.node.4.y");
  trial->ours[0] = fallen / (0.5 * h * h * steps * (steps + 1)) / 9.81;
  rl_setup_close(&rope);

  rope = rl_setup_shipped(trial, "source", 0.0, "source-cable", NULL, 0);
  trial->ours[1] = (double)rl_rope_nodes(rope.scenario->model, rope.driver->state, 0);
  rl_setup_run(trial, &rope, 1);
  trial->ours[2] = (double)rope.driver->info.iterations;
  rl_setup_close(&rope);
}

static const rl_claim claims[] = {
    RL_CLAIM("acceleration of a falling rope over gravity", "1", RL_EQUALS, 0.5, 1e-9, "code",
             RL_READ, NULL),
    RL_CLAIM("nodes", "1", RL_EQUALS, 10, 0, "code", RL_READ, NULL),
    RL_CLAIM("passes over the springs in a step", "1", RL_EQUALS, 3, 0, "code", RL_READ, NULL),
};

static const rl_experiment experiments[] = {
    {"fall", gravity, sizeof claims / sizeof claims[0], claims, NULL, 0.1},
};

const rl_paper rl_paper_source = {"source", "birjj2018", "source.md", 1, experiments};
