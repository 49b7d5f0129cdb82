// SPDX-License-Identifier: GPL-3.0-or-later
// Friction of a rope round a post: the law of Euler and Eytelwein, and a measurement with a cord
// on a wooden roller. papers/capstan.md.
#include "reproduce/reproduce.h"

#include <gsl/gsl_math.h>

// Whether a kilogram holds `mass` over a fixed drum, half a turn and `turns` whole ones.
static bool holds(rl_trial *trial, double mass, double mu, int turns) {
  const double creep = 1e-9; // [m/s]
  rl_setup drum = rl_setup_scene(
      trial, "impulse", 0.01,
      "name: drum\nduration: 1\nstep: 0.01\nbodies:\n"
      "  drum: {motion: fixed, shape: {cylinder: {radius: 0.1, length: 0.4}}, friction: %.17g}\n"
      "  heavy: {mass: %.17g, position: [-0.1, -4, 0]}\n"
      "  light: {mass: 1, position: [0.1, -6, 0]}\n"
      "ropes: {line: {from: {body: heavy}, to: {body: light}, over: [{body: drum, turns: %d}]}}\n",
      mu, mass, turns);
  rl_setup_run(trial, &drum, 5);
  const bool still = fabs(rl_setup_probe(trial, &drum, "heavy.vy")) < creep;
  rl_setup_close(&drum);
  return still;
}

// The largest mass that a kilogram holds, by halving.
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

// The lever of the measurement stood at 14 to 1 and tipped at 19 to 1, one and a half turns: the
// coefficients between which that is possible.
static double coefficient(rl_trial *trial, double mass) {
  const double close = 1e-7;
  double low = 0.0, high = 1.0;
  while (high - low > close) {
    const double middle = 0.5 * (low + high);
    *(holds(trial, mass, middle, 1) ? &high : &low) = middle;
  }
  return high;
}

static void lever(rl_trial *trial) {
  trial->ours[0] = coefficient(trial, 14.0);
  trial->ours[1] = coefficient(trial, 19.0);
}

static const rl_claim lever_claims[] = {
    RL_CLAIM("cord on a pine roller, held at 14:1: mu at least", "1", RL_EQUALS, 0.280012679, 1e-6,
             "igkt.net, topic 6933", RL_READ, NULL),
    RL_CLAIM("... slipped at 19:1: mu at most", "1", RL_EQUALS, 0.312414679, 1e-6,
             "igkt.net, topic 6933", RL_READ, NULL),
};

static const rl_experiment experiments[] = {
    {"law", law, 2, law_claims, NULL, 0.1},
    {"lever", lever, 2, lever_claims, NULL, 0.1},
};

const rl_paper rl_paper_capstan = {"capstan", "struktor2021", "capstan.md", 2, experiments};
