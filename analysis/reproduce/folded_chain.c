// SPDX-License-Identifier: GPL-3.0-or-later
// Calkin and March, "The dynamics of a falling chain", 1989: one end of a folded chain is released
// and falls faster than a free body. papers/folded-chain.md.
#include "reproduce.h"

#include <math.h>

static const double gravity = 9.81, length = 1.0, mass = 1.0; // of the scenario; SI units
static const double step = 2e-5;                              // [s]

enum { HEIGHTS = 3 };
static const double heights[HEIGHTS] = {0.5, 0.8, 0.9}; // fallen, relative to the length

typedef struct fall {
  double time;        // when the tip is lowest, relative to free fall
  double tension;     // largest at the support, relative to the weight
  double at[HEIGHTS]; // the same when the tip has fallen by `heights`
} fall;

// Returns the lowest point of a parabola through three consecutive values, in steps from the
// second.
static double lowest(double before, double now, double after) {
  return 0.5 * (before - after) / (before - 2.0 * now + after);
}

// Makes a chain of n links whose ends are `apart` from each other [m].
static rl_setup chain_of(rl_trial *trial, const char *solver, double dt, int n, double apart) {
  char segments[16], free_end[32];
  snprintf(segments, sizeof segments, "%d", n);
  snprintf(free_end, sizeof free_end, "[%g, 0, 0]", apart);
  const rl_override overrides[] = {
      {"ropes.chain.segments", segments}, {"ropes.chain.to.free", free_end}, {"exact", "none"}};
  return rl_setup_shipped(trial, solver, dt, "folded-chain", overrides, 3);
}

// Releases one end of the chain.
static fall let_go(rl_trial *trial, int n, double apart, const char *curve) {
  rl_setup chain = chain_of(trial, "rattle", step, n, apart);
  fall found = {.time = NAN};
  double before = 0.0, now = 0.0;
  const double free_fall = sqrt(2.0 * length / gravity);
  const int steps = (int)(free_fall / step);
  for (int i = 1; i <= steps; i++) {
    rl_setup_run(trial, &chain, 1);
    const double after = rl_setup_probe(trial, &chain, "chain.tip.y");
    const double tension = rl_setup_probe(trial, &chain, "chain.tension.from") / (mass * gravity);
    found.tension = fmax(found.tension, tension);
    for (int k = 0; k < HEIGHTS; k++) {
      found.at[k] = found.at[k] == 0.0 && -after > heights[k] * length ? tension : found.at[k];
    }
    if (isnan(found.time) && after > now && i > 2) {
      found.time = (i - 1 + lowest(before, now, after)) * step / free_fall;
    }
    if (curve && i % 25 == 0 && isnan(found.time)) {
      const double x = -after / length;
      rl_trial_point(trial, "theory: energy is kept", x,
                     (2.0 + 2.0 * x - 3.0 * x * x) / (4.0 * (1.0 - x)));
      rl_trial_point(trial, "free fall", x, 0.5 * (1.0 + 3.0 * x));
      rl_trial_point(trial, curve, x, tension);
    }
    before = now;
    now = after;
  }
  rl_setup_close(&chain);
  return found;
}

static const double distances[] = {0.05, 0.10, 0.25, 0.50, 0.75, 0.90};
enum { DISTANCES = sizeof distances / sizeof distances[0], SIZES = 3 };

// Extrapolates a sequence whose differences shrink by a constant factor (Aitken).
static double limit_of(const double *s) {
  const double first = s[1] - s[0], second = s[2] - s[1];
  return s[2] - second * second / (second - first);
}

static void times(rl_trial *trial) {
  double time[DISTANCES][SIZES];
  for (int d = 0; d < DISTANCES; d++) {
    for (int k = 0; k < SIZES; k++) {
      const fall found = let_go(trial, 20 << k, distances[d], NULL);
      time[d][k] = found.time;
      trial->ours[SIZES * d + k] = found.time;
      char curve[32];
      snprintf(curve, sizeof curve, "rattle, %d links", 20 << k);
      rl_trial_point(trial, curve, distances[d], found.time);
    }
  }
  // Extrapolate to a chain without links, then along a straight line to coincident ends.
  const double near = limit_of(time[0]), far = limit_of(time[1]);
  trial->ours[SIZES * DISTANCES] =
      near - distances[0] * (far - near) / (distances[1] - distances[0]);
  rl_trial_point(trial, "limit of the links", distances[0], near);
  rl_trial_point(trial, "limit of the links", distances[1], far);
  rl_trial_point(trial, "limit of the links", 0.0, trial->ours[SIZES * DISTANCES]);
}

#define TIME(text, ratio)                                                                          \
  RL_CLAIM(text, "1", RL_EQUALS, ratio, 0.005, "integration to 1e-13", RL_COMPUTED, NULL)

static const rl_claim time_claims[] = {
    TIME("fall time over free fall, d/L = 0.05, 20 links", 0.9094),
    TIME("... 40 links", 0.8713),
    TIME("... 80 links", 0.8562),
    TIME("d/L = 0.10, 20 links", 0.8899),
    TIME("... 40 links", 0.8624),
    TIME("... 80 links", 0.8518),
    TIME("d/L = 0.25, 20 links", 0.8633),
    TIME("... 40 links", 0.8460),
    TIME("... 80 links", 0.8385),
    TIME("d/L = 0.50, 20 links", 0.8385),
    TIME("... 40 links", 0.8248),
    TIME("... 80 links", 0.8181),
    TIME("d/L = 0.75, 20 links", 0.8868),
    TIME("... 40 links", 0.8770),
    TIME("... 80 links", 0.8726),
    TIME("d/L = 0.90, 20 links", 0.9568),
    TIME("... 40 links", 0.9497),
    TIME("... 80 links", 0.9466),
    RL_CLAIM("limit of many links and ends beside each other", "1", RL_EQUALS, 0.847213084793978,
             0.01, "energy is kept", RL_QUOTED, NULL),
};

static const rl_plot time_plot = {
    "how long the end of a folded chain falls",
    "distance of the ends / length",
    "time of fall / time of free fall",
    false,
    false,
    "A chain of more links falls faster. Extrapolated to a chain without links, and from there to "
    "ends beside each other, the time is 0.847 of that of a stone."};

// Samples tension and speed every 0.2 ms, as the other program did. The peak of the whip is shorter
// than that, so the largest values depend on the times of sampling.
static void looks(rl_trial *trial) {
  const double moment = 2e-4;
  for (int d = 0; d < DISTANCES; d++) {
    for (int k = 0; k < SIZES; k++) {
      rl_setup chain =
          chain_of(trial, "reference,forces=end,estimate=false", moment, 20 << k, distances[d]);
      double pull = 0.0, speed = 0.0;
      for (int i = 1; i * moment < sqrt(2.0 * length / gravity); i++) {
        rl_setup_run(trial, &chain, 1);
        pull = fmax(pull, rl_setup_probe(trial, &chain, "chain.tension.from"));
        speed = fmax(speed, hypot(rl_setup_probe(trial, &chain, "chain.tip.vx"),
                                  rl_setup_probe(trial, &chain, "chain.tip.vy")));
      }
      rl_setup_close(&chain);
      trial->ours[SIZES * d + k] = pull / (mass * gravity);
      trial->ours[SIZES * DISTANCES + d] = speed; // keeps that with the most links
    }
  }
}

#define PULL(text, ratio)                                                                          \
  RL_CLAIM(text, "1", RL_EQUALS, ratio, 0.02, "integration to 1e-13", RL_COMPUTED, NULL)
#define SPEED(text, speed)                                                                         \
  RL_CLAIM(text, "m/s", RL_EQUALS, speed, 0.005, "integration to 1e-13", RL_COMPUTED, NULL)

static const rl_claim look_claims[] = {
    PULL("largest pull over the weight, looked at every 0.2 ms, d/L = 0.05, 20 links", 32),
    PULL("... 40 links", 151),
    PULL("... 80 links", 322),
    PULL("d/L = 0.10, 20 links", 35),
    PULL("... 40 links", 109),
    PULL("... 80 links", 115),
    PULL("d/L = 0.25, 20 links", 19.4),
    PULL("... 40 links", 21.4),
    PULL("... 80 links", 22.0),
    PULL("d/L = 0.50, 20 links", 5.43),
    PULL("... 40 links", 5.16),
    PULL("... 80 links", 5.02),
    PULL("d/L = 0.75, 20 links", 2.54),
    PULL("... 40 links", 2.47),
    PULL("... 80 links", 2.43),
    PULL("d/L = 0.90, 20 links", 2.34),
    PULL("... 40 links", 2.31),
    PULL("... 80 links", 2.29),
    SPEED("largest speed of the tip at these moments, 80 links, d/L = 0.05", 17.8),
    SPEED("... 0.10", 19.0),
    SPEED("... 0.25", 18.9),
    SPEED("... 0.50", 12.3),
    SPEED("... 0.75", 7.79),
    SPEED("... 0.90", 6.71),
};

static void support(rl_trial *trial) {
  const fall found = let_go(trial, 80, 0.25, "rattle");
  trial->ours[0] = found.tension;
  trial->ours[1] = found.tension;
  for (int k = 0; k < HEIGHTS; k++) {
    trial->ours[2 + k] = found.at[k];
  }
}

#define BY_ENERGY(text, ratio)                                                                     \
  RL_CLAIM(text, "1", RL_EQUALS, ratio, 0.05, "energy is kept", RL_QUOTED, NULL)

static const rl_claim support_claims[] = {
    RL_CLAIM("largest pull at the support over the weight, more than free fall has", "1",
             RL_AT_LEAST, 2, 0, "measurement", RL_QUOTED, NULL),
    RL_CLAIM("... as measured with a chain of about 80 links", "1", RL_EQUALS, 25, 0.02,
             "measurement", RL_QUOTED,
             "the distance of the ends is not known: 22 at 0.25 L, 5 at 0.5 L, over 100 at 0.1 L"),
    BY_ENERGY("pull over the weight when the end has fallen by 0.5 L, d/L = 0.25", 1.125),
    BY_ENERGY("... by 0.8 L", 2.1),
    BY_ENERGY("... by 0.9 L", 3.425),
};

static const rl_plot support_plot = {
    "pull at the support, 80 links, ends 0.25 L apart",
    "fallen height / length",
    "pull / weight",
    false,
    true,
    "The pull follows the law of a chain that keeps its energy until the fold gets small; then the "
    "end whips round. A chain that fell freely would never pull with more than twice its weight."};

static const rl_experiment experiments[] = {
    {"times", times, sizeof time_claims / sizeof time_claims[0], time_claims, &time_plot, 20.0},
    {"looks", looks, sizeof look_claims / sizeof look_claims[0], look_claims, NULL, 6.0},
    {"support", support, sizeof support_claims / sizeof support_claims[0], support_claims,
     &support_plot, 1.0},
};

const rl_paper rl_paper_folded_chain = {"folded-chain", "calkin1989", "folded-chain.md", 3,
                                        experiments};
