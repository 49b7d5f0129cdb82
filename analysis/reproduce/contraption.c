// SPDX-License-Identifier: GPL-3.0-or-later
// The rope of Contraption Maker: passes and rest, integer coordinates, one node moved per link.
// papers/contraption.md.
#include "reproduce.h"

#include <math.h>

// Returns the last time at which the middle of the slack rope was faster than 1 cm/s [s].
static double time_of_rest(rl_trial *trial, int passes) {
  char solver[64];
  snprintf(solver, sizeof solver, "contraption,variant=intended,iterations=%d", passes);
  rl_setup rope = rl_setup_shipped(trial, solver, 1.0 / 60.0, "contraption-rope", NULL, 0);
  double time = 0.0;
  for (int n = 0; n < 1800; n++) {
    rl_setup_run(trial, &rope, 1);
    const double speed = rl_setup_probe(trial, &rope, "swag.node.10.speed");
    time = speed > 0.01 ? rope.driver->state->time : time;
    if (n < 600) {
      char curve[32];
      snprintf(curve, sizeof curve, "contraption, %d passes", passes);
      rl_trial_point(trial, curve, rope.driver->state->time, speed);
    }
  }
  rl_setup_close(&rope);
  return time;
}

static void rest(rl_trial *trial) {
  const double two = time_of_rest(trial, 2);
  const double seven = time_of_rest(trial, 7);
  const double many = time_of_rest(trial, 21);
  trial->ours[0] = two / many;
  trial->ours[1] = two / seven;
}

static const rl_claim rest_claims[] = {
    RL_CLAIM("time to rest of 2 passes over that of 21", "1", RL_AT_LEAST, 1, 0, "text", RL_READ,
             "the article says so in words"),
    RL_CLAIM("... over that of 7", "1", RL_AT_LEAST, 1, 0, "text", RL_READ,
             "the article says so in words"),
};

static const rl_plot rest_plot = {
    "a slack rope comes to rest",
    "time (s)",
    "speed of its middle (m/s)",
    false,
    true,
    "The fewer passes over the links a step has, the longer the rope swings."};

// Returns how many nodes one pass moves, of a rope of four links whose middle node alone is
// displaced.
static double moved_nodes(rl_trial *trial, const char *variant) {
  char solver[64];
  snprintf(solver, sizeof solver, "contraption,variant=%s,iterations=1", variant);
  rl_setup rope = rl_setup_scene(trial, solver, 1.0 / 60.0,
                                 "name: line\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\nropes:\n"
                                 "  line: {from: {point: [0, 0, 0]}, to: {point: [4, 0, 0]},"
                                 " length: 4, mass: 1, segments: 4}\n");
  rl_state *state = rope.driver->state;
  const rl_model *model = rope.scenario->model;
  // One of the two links at the middle node is too long, the other too short.
  const uint32_t middle = rl_rope_node(model, state, 0, 2);
  state->points[middle].x += 0.5;
  rl_driver_set_state(rope.driver, state);
  rl_setup_run(trial, &rope, 1);
  double moved = 0.0;
  for (uint32_t i = 0; i <= 4; i++) {
    const double at = i == 2 ? 2.5 : (double)i;
    moved += fabs(state->points[rl_rope_node(model, state, 0, i)].x - at) > 1e-3 ? 1.0 : 0.0;
  }
  rl_setup_close(&rope);
  return moved;
}

static void printed(rl_trial *trial) {
  trial->ours[0] = moved_nodes(trial, "printed");
  trial->ours[1] = moved_nodes(trial, "intended");
}

static const rl_claim printed_claims[] = {
    RL_CLAIM("nodes that a pass moves, middle of 4 links displaced: as printed", "1", RL_EQUALS, 2,
             0, "code", RL_DERIVED,
             "one node a link: the third branch of the printed code cannot be reached"),
    RL_CLAIM("... as evidently meant", "1", RL_EQUALS, 3, 0, "text", RL_DERIVED, NULL),
};

// Returns the largest excess of the rope between balloon and wrecking ball in 4 s [m].
static double drawn_out(rl_trial *trial, const char *solver, const char *curve) {
  rl_setup scene = rl_setup_shipped(trial, solver, 1.0 / 60.0, "balloon-with-stop", NULL, 0);
  const double rest = rl_setup_probe(trial, &scene, "rope.rest");
  double longest = 0.0;
  for (int n = 0; n < 240; n++) {
    rl_setup_run(trial, &scene, 1);
    const double excess = rl_setup_probe(trial, &scene, "rope.length") - rest;
    longest = fmax(longest, excess);
    rl_trial_point(trial, curve, scene.driver->state->time, excess);
  }
  rl_setup_close(&scene);
  return longest;
}

static void stop(rl_trial *trial) {
  trial->ours[0] = drawn_out(trial, "contraption,stops=false", "no stop") /
                   drawn_out(trial, "contraption", "stop");
}

static const rl_claim stop_claims[] = {
    RL_CLAIM("rope drawn out at a pulley without a stop over that with one", "1", RL_AT_LEAST, 1, 0,
             "text", RL_READ, "balloon and wrecking ball, 1 : 100; the article shows it"),
};

static const rl_plot stop_plot = {"a balloon and a wrecking ball",
                                  "time (s)",
                                  "rope longer by (m)",
                                  false,
                                  false,
                                  "Without a stop the balloon flies to and fro through its pulley, "
                                  "and the ball draws the rope out."};

static const rl_experiment experiments[] = {
    {"rest", rest, 2, rest_claims, &rest_plot, 1.0},
    {"branch", printed, 2, printed_claims, NULL, 0.01},
    {"stop", stop, 1, stop_claims, &stop_plot, 0.1},
};

const rl_paper rl_paper_contraption = {"contraption", "ryan2016", "contraption.md", 3, experiments};
