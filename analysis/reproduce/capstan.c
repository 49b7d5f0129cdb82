// SPDX-License-Identifier: GPL-3.0-or-later
// Friction of a rope around a post: the law of Euler and Eytelwein, and a measurement with a cord
// on a wooden roller. papers/capstan.md.
#include "reproduce.h"

#include <gsl/gsl_math.h>

// Hangs 1 kg and `mass` over a fixed drum with half a turn and `turns` full ones.
static rl_setup drum(rl_trial *trial, double mass, double mu, int turns) {
  return rl_setup_scene(
      trial, "impulse", 0.01,
      "name: drum\nduration: 1\nstep: 0.01\nbodies:\n"
      "  drum: {motion: fixed, shape: {cylinder: {radius: 0.1, length: 0.4}}, friction: %.17g}\n"
      "  heavy: {mass: %.17g, position: [-0.1, -4, 0]}\n"
      "  light: {mass: 1, position: [0.1, -6, 0]}\n"
      "ropes: {line: {from: {body: heavy}, to: {body: light}, over: [{body: drum, turns: %d}]}}\n",
      mu, mass, turns);
}

// Whether 1 kg holds the mass.
static bool holds(rl_trial *trial, double mass, double mu, int turns) {
  const double creep = 1e-9; // [m/s]
  rl_setup setup = drum(trial, mass, mu, turns);
  rl_setup_run(trial, &setup, 5);
  const bool still = fabs(rl_setup_probe(trial, &setup, "heavy.vy")) < creep;
  rl_setup_close(&setup);
  return still;
}

// Finds the largest mass that 1 kg holds, by bisection.
static double held_mass(rl_trial *trial, double mu, int turns) {
  const double close = 1e-7;
  double low = 1.0, high = 1000.0;
  while (high > low * (1.0 + close)) {
    const double middle = sqrt(low * high);
    *(holds(trial, middle, mu, turns) ? &low : &high) = middle;
  }
  return low;
}

static void law(rl_trial *trial) {
  trial->ours[0] = held_mass(trial, 0.3, 0);
  trial->ours[1] = held_mass(trial, 0.3, 1);
}

static const rl_claim law_claims[] = {
    RL_CLAIM("weight held by a kilogram, half a turn, mu = 0.3", "kg", RL_EQUALS, 2.56633239520814,
             1e-6, "exp(mu phi)", RL_DERIVED, NULL),
    RL_CLAIM("... one and a half turns", "kg", RL_EQUALS, 16.902024171711545, 1e-6, "exp(mu phi)",
             RL_DERIVED, NULL),
};

// The lever of the measurement held at 28 : 2 and tipped at 28.5 : 1.5, with one and a half turns.
// The roller's coefficient of friction is unknown; by the law it is between 0.280 and 0.312.
static const double roughness = 0.296;

static void lever(rl_trial *trial) {
  const int second = 100; // steps
  rl_setup held = drum(trial, 14.0, roughness, 1);
  rl_setup_run(trial, &held, second);
  trial->ours[0] = fabs(rl_setup_probe(trial, &held, "heavy.vy"));
  rl_setup_close(&held);
  trial->ours[1] = trial->ours[2] = held_mass(trial, roughness, 1);
}

static const rl_claim lever_claims[] = {
    RL_CLAIM("cord on a pine roller, mu = 0.296: speed after 1 s at 14:1, which held", "m/s",
             RL_EQUALS, 0.0, 1e-9, "igkt.net, topic 6933", RL_READ, NULL),
    RL_CLAIM("... the largest ratio that holds: 14:1 did", "1", RL_AT_LEAST, 14.0, 0.0,
             "igkt.net, topic 6933", RL_READ, NULL),
    RL_CLAIM("... and 19:1 slipped", "1", RL_AT_MOST, 19.0, 0.0, "igkt.net, topic 6933", RL_READ,
             NULL),
};

static const rl_experiment experiments[] = {
    {"law", law, 2, law_claims, NULL, 0.1},
    {"lever", lever, 3, lever_claims, NULL, 0.1},
};

const rl_paper rl_paper_capstan = {"capstan", "struktor2021", "capstan.md", 2, experiments};
