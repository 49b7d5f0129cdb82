// SPDX-License-Identifier: GPL-3.0-or-later
// Obi's ropes: an ordered list of elements, each between two particles; tears that take a particle
// from a pool, and cuts by a swipe. papers/parting.md.
#include "reproduce.h"

#include "world/ropes/elements.h"

static const char open_rope[] =
    "from: {point: [0, 0, 0]}, to: {free: [1, 0, 0]}, segments: 29, pool: 5";
static const char closed_rope[] = "closed: true, points: [[0, 0, 0], [1, 0, 0], [0.5, 1, 0],"
                                  " [0, 0.5, 0]], length: 3.5, segments: 30, pool: 5";

// Makes a rope of thirty particles that is cut at one of its elements after a step.
static rl_setup torn_rope(rl_trial *trial, const char *shape) {
  return rl_setup_scene(trial, "pbd", 0.01,
                        "name: rope\nduration: 1\nstep: 0.01\nropes: {rope: {mass: 1, %s}}\n"
                        "events: [{at: 0.01, cut: {rope: rope, segment: 10}}]\n",
                        shape);
}

static double elements_of(const rl_setup *rope) {
  return (double)rl_rope_elements(rope->scenario->model, rope->driver->state, 0);
}

static double particles_of(const rl_setup *rope) {
  return (double)rl_rope_nodes(rope->scenario->model, rope->driver->state, 0);
}

static void tears(rl_trial *trial) {
  rl_setup rope = torn_rope(trial, open_rope);
  trial->ours[0] = elements_of(&rope) - particles_of(&rope);
  const double before = particles_of(&rope);
  rl_setup_run(trial, &rope, 3);
  trial->ours[2] = particles_of(&rope) - before;
  trial->ours[3] = elements_of(&rope);
  rl_setup_close(&rope);
  rope = torn_rope(trial, closed_rope);
  trial->ours[1] = elements_of(&rope) - particles_of(&rope);
  rl_setup_close(&rope);
}

static const rl_claim tear_claims[] = {
    RL_CLAIM("elements less particles, open rope", "1", RL_EQUALS, -1, 0, "Elements", RL_READ,
             NULL),
    RL_CLAIM("... closed rope", "1", RL_EQUALS, 0, 0, "Elements", RL_READ, NULL),
    RL_CLAIM("particles that a tear takes from the pool", "1", RL_EQUALS, 1, 0, "Tearing", RL_READ,
             NULL),
    RL_CLAIM("elements of a rope of 30 particles after a tear", "1", RL_EQUALS, 29, 0, "Tearing",
             RL_DERIVED, NULL),
};

// Returns the element at which a rope was cut: the first of its last piece.
static double cut_of(const rl_setup *scene, uint32_t rope) {
  const rl_model *model = scene->scenario->model;
  const rl_state *state = scene->driver->state;
  return (double)rl_piece_first(model, state, rope, rl_rope_elements(model, state, rope) - 1);
}

static void swipe(rl_trial *trial) {
  rl_setup scene = rl_setup_shipped(trial, "pbd-direct", 0.0, "swipe-cut", NULL, 0);
  rl_setup_run(trial, &scene, 100);
  const rl_model *model = scene.scenario->model;
  double cut = 0.0;
  for (uint32_t rope = 0; rope < model->rope_count; rope++) {
    cut += (double)rl_rope_ends(model, scene.driver->state, rope) - 1.0;
  }
  trial->ours[0] = cut;
  trial->ours[1] = cut_of(&scene, 0);
  trial->ours[2] = cut_of(&scene, (uint32_t)model->rope_count - 1);
  rl_setup_close(&scene);
}

static const rl_claim swipe_claims[] = {
    RL_CLAIM("cuts of a swipe across five ropes of different depth", "1", RL_EQUALS, 5, 0,
             "Cutting", RL_DERIVED, NULL),
    RL_CLAIM("... element of the first rope", "1", RL_EQUALS, 13, 0, "Cutting", RL_DERIVED, NULL),
    RL_CLAIM("... of the last", "1", RL_EQUALS, 3, 0, "Cutting", RL_DERIVED, NULL),
};

static const rl_experiment experiments[] = {
    {"tears", tears, sizeof tear_claims / sizeof tear_claims[0], tear_claims, NULL, 0.01},
    {"swipe", swipe, sizeof swipe_claims / sizeof swipe_claims[0], swipe_claims, NULL, 0.1},
};

const rl_paper rl_paper_obi = {"obi", "obi2024", "parting.md", 2, experiments};
