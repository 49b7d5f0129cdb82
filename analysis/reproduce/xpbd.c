// SPDX-License-Identifier: GPL-3.0-or-later
// Macklin, Mueller, Chentanez, "XPBD", 2016: a spring whose stiffness does not depend on the
// iterations (Fig. 2), forces compared with Newton's method (Fig. 4), and the cost of compliance
// (Table 1).
// papers/xpbd.md (8).
#include "reproduce.h"

#include "runs/timing.h"

#include <math.h>

enum { FRAMES = 100, POINTS = 8 }; // POINTS: of the exact curve in a frame

// Returns the largest distance from the recurrence of implicit Euler in a hundred frames [m].
static double distance_from_recurrence(rl_trial *trial, int iterations) {
  const double compliance = 0.001, mass = 1.0, rest = 1.0, start = 1.5, step = 1.0 / 60.0;
  char solver[64];
  snprintf(solver, sizeof solver, "xpbd,substeps=1,iterations=%d", iterations);
  rl_setup spring = rl_setup_scene(trial, solver, step,
                                   "name: spring\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\n"
                                   "bodies: {a: {mass: %g, position: [%g, 0, 0]}}\n"
                                   "ropes: {r: {from: {point: [0, 0, 0]}, to: {body: a},"
                                   " length: %g, stiffness: %.17g, compression: true}}\n",
                                   mass, start, rest, rest / compliance);
  const double w2 = step * step / (compliance * mass);
  double before = start, now = start, largest = 0.0;
  for (int n = 0; n < FRAMES; n++) {
    const double next = (2.0 * now - before + w2 * rest) / (1.0 + w2);
    before = now;
    now = next;
    rl_setup_run(trial, &spring, 1);
    const double x = rl_setup_probe(trial, &spring, "a.x");
    largest = fmax(largest, fabs(x - now));
    if (iterations == 1) {
      const double t = spring.driver->state->time;
      rl_trial_point(trial, "xpbd", t, x);
      for (int i = POINTS - 1; i >= 0; i--) {
        const double then = t - i * step / POINTS;
        rl_trial_point(trial, "theory: without damping", then,
                       rest + (start - rest) * cos(sqrt(1.0 / (compliance * mass)) * then));
      }
    }
  }
  rl_setup_close(&spring);
  return largest;
}

static void spring(rl_trial *trial) {
  trial->ours[0] = distance_from_recurrence(trial, 1);
  trial->ours[1] = distance_from_recurrence(trial, 5);
  trial->ours[2] = distance_from_recurrence(trial, 10);
}

static const char frame[] = "the step is not stated; 1/60 s here, and the same for any";

static const rl_claim spring_claims[] = {
    RL_CLAIM("spring, distance from implicit Euler in 100 frames, 1 iteration", "m", RL_EQUALS, 0,
             1e-12, "Fig. 2", RL_READ, frame),
    RL_CLAIM("... 5 iterations", "m", RL_EQUALS, 0, 1e-12, "Fig. 2", RL_READ, frame),
    RL_CLAIM("... 10 iterations", "m", RL_EQUALS, 0, 1e-12, "Fig. 2", RL_READ, frame),
};

static const rl_plot spring_plot = {
    "a mass on a spring of compliance 0.001 m/N",
    "time (s)",
    "position (m)",
    false,
    false,
    "Implicit Euler turns the period and takes the swing away; the number of iterations changes "
    "nothing."};

// ---------------------------------------------------------------------------------------------
// Fig. 3a, 4: a chain of twenty particles against Newton's method on the same implicit equations

enum { LINKS = 19, FIRST_FRAME = 75 };

static const double link_length = 0.1, frame_time = 0.008, chain_compliance = 1e-8; // SI units

// Simulates a chain released from horizontal and stores the force at its held particle in each
// frame [N].
static void chain_forces(rl_trial *trial, const char *solver, const char *curve,
                         double forces[FRAMES]) {
  rl_setup chain =
      rl_setup_scene(trial, solver, frame_time,
                     "name: chain\nduration: 1\nstep: 0.01\nropes:\n"
                     "  chain: {from: {point: [0, 0, 0]}, to: {free: [%.17g, 0, 0]},"
                     " mass: %d, segments: %d, lumping: equal, stiffness: %.17g,"
                     " compression: true}\n",
                     LINKS * link_length, LINKS, LINKS, link_length / chain_compliance);
  for (int n = 0; n < FRAMES; n++) {
    rl_setup_run(trial, &chain, 1);
    forces[n] = rl_setup_probe(trial, &chain, "chain.tension.from");
    if (n >= FIRST_FRAME) {
      rl_trial_point(trial, curve, n, forces[n]);
    }
  }
  rl_setup_close(&chain);
}

// Compares the force with that of Newton's method: largest relative difference in frames 75 to 99.
static void chain(rl_trial *trial) {
  static const int iterations[] = {50, 100, 1000};
  double exact[FRAMES], forces[FRAMES];
  chain_forces(trial, "penalty-implicit", "penalty-implicit", exact);
  for (int i = 0; i < 3; i++) {
    char solver[64], curve[32];
    snprintf(solver, sizeof solver, "xpbd,substeps=1,iterations=%d", iterations[i]);
    snprintf(curve, sizeof curve, "xpbd, %d iterations", iterations[i]);
    chain_forces(trial, solver, curve, forces);
    double largest = 0.0;
    for (int n = FIRST_FRAME; n < FRAMES; n++) {
      largest = fmax(largest, fabs(forces[n] / exact[n] - 1.0));
    }
    trial->ours[i] = 100.0 * largest;
  }
}

static const char pose[] = "link, step and first pose are not stated; 0.1 m, 8 ms, horizontal here";

static const rl_claim chain_claims[] = {
    RL_CLAIM("chain of 20, largest error of the top force, 50 iterations", "%", RL_EQUALS, 6, 0.1,
             "Fig. 4", RL_READ, pose),
    RL_CLAIM("... 100 iterations", "%", RL_EQUALS, 2, 0.1, "Fig. 4", RL_READ, pose),
    RL_CLAIM("... 1000 iterations", "%", RL_EQUALS, 0.5, 0.1, "Fig. 4", RL_READ, pose),
};

static const rl_plot chain_plot = {"force at the held particle of a chain of twenty",
                                   "frame",
                                   "force (N)",
                                   false,
                                   false,
                                   "The chain swings through its lowest point. XPBD comes to "
                                   "Newton's solution of the same implicit "
                                   "equations as its iterations grow."};

// ---------------------------------------------------------------------------------------------
// Table 1

// Returns the time of a step of `xpbd`, with compliance, relative to that of `pbd`, on a chain with
// as many elements as the paper's cloth has constraints; least of alternating repeats.
static double overhead(rl_trial *trial, int iterations) {
  enum { ELEMENTS = 24000, REPEATS = 6 };
  rl_setup chain[2];
  double least[2] = {INFINITY, INFINITY};
  for (int i = 0; i < 2; i++) {
    char solver[64];
    snprintf(solver, sizeof solver, i == 0 ? "pbd,iterations=%d" : "xpbd,substeps=1,iterations=%d",
             iterations);
    chain[i] = rl_setup_scene(trial, solver, 1.0 / 60.0,
                              "name: chain\nduration: 1\nstep: 0.01\nropes:\n"
                              "  chain: {from: {point: [0, 0, 0]}, to: {free: [0, -240, 0]},"
                              " mass: 240, segments: %d%s}\n",
                              ELEMENTS, i == 0 ? "" : ", stiffness: 1e6");
  }
  for (int k = 0; k < 2 * REPEATS; k++) {
    const double begun = rl_seconds_used();
    rl_setup_run(trial, &chain[k % 2], 1);
    least[k % 2] = fmin(least[k % 2], rl_seconds_used() - begun);
  }
  rl_setup_close(&chain[0]);
  rl_setup_close(&chain[1]);
  return least[1] / least[0];
}

static void cost(rl_trial *trial) {
  static const int iterations[] = {20, 40, 80, 160};
  for (int i = 0; i < 4; i++) {
    trial->ours[i] = overhead(trial, iterations[i]);
  }
}

#define COST(text, ratio)                                                                          \
  RL_MACHINE_CLAIM(                                                                                \
      text, "1", RL_EQUALS, ratio, 0.05, "Table 1", RL_READ,                                       \
      "theirs on a GPU, a cloth of 24k constraints; ours a chain of as many elements")

static const rl_claim cost_claims[] = {
    COST("time of XPBD over PBD, 20 iterations", 0.97 / 0.95),
    COST("... 40 iterations", 1.78 / 1.75),
    COST("... 80 iterations", 3.34 / 3.25),
    COST("... 160 iterations", 5.65 / 5.61),
};

static const rl_experiment experiments[] = {
    {"spring", spring, 3, spring_claims, &spring_plot, 0.01},
    {"chain", chain, 3, chain_claims, &chain_plot, 1.0},
    {"cost", cost, 4, cost_claims, NULL, 2.0},
};

const rl_paper rl_paper_xpbd = {"xpbd", "macklin2016", "xpbd.md", 3, experiments};
