// SPDX-License-Identifier: GPL-3.0-or-later
// Direct solvers in position based dynamics: Deul et al. 2018 (rods of tens of thousands of
// segments, two orders of magnitude faster than relaxation) and Han and Harada 2013 (much smaller
// error than relaxation). papers/pbd-direct.md.
#include "reproduce.h"

#include "runs/metrics.h"
#include "runs/timing.h"

#include <math.h>

// Makes a chain of n elements and one metre, released from horizontal.
static rl_setup chain_of(rl_trial *trial, int n, const char *solver, double step) {
  return rl_setup_scene(trial, solver, step,
                        "name: chain\nduration: 1\nstep: 0.01\nropes:\n"
                        "  chain: {from: {point: [0, 0, 0]}, to: {free: [1, 0, 0]}, mass: 1,"
                        " segments: %d}\n",
                        n);
}

// Returns the processor time of a step, the least of several [s].
static double step_time(rl_trial *trial, rl_setup *chain, int steps) {
  double least = INFINITY;
  for (int k = 0; k < steps; k++) {
    const double begun = rl_seconds_used();
    rl_setup_run(trial, chain, 1);
    least = fmin(least, rl_seconds_used() - begun);
  }
  return least;
}

static void cost(rl_trial *trial) {
  enum { SIZES = 4, STEPS = 10 };
  static const int sizes[SIZES] = {1000, 3000, 10000, 30000};
  double size[SIZES], time[SIZES], worst = 0.0;
  for (int i = 0; i < SIZES; i++) {
    // Below the limit of the step, which is proportional to the length of an element.
    rl_setup chain = chain_of(trial, sizes[i], "pbd-direct", 1e-2 / sizes[i]);
    size[i] = log(sizes[i]);
    time[i] = log(step_time(trial, &chain, STEPS));
    worst = fmax(worst, rl_metrics_of(chain.driver).stretch_max);
    rl_trial_point(trial, "pbd-direct", sizes[i], exp(time[i]));
    rl_setup_close(&chain);
  }
  trial->ours[0] = sizes[SIZES - 1];
  trial->ours[1] = worst;
  trial->ours[2] = rl_slope(size, time, SIZES);
}

static const rl_claim cost_claims[] = {
    RL_CLAIM("elements of the longest rope: multiples of ten thousand", "1", RL_AT_LEAST, 20000, 0,
             "abstract", RL_READ, NULL),
    RL_CLAIM("... its largest strain", "1", RL_AT_MOST, 1e-6, 0, "\"inextensible\"", RL_DERIVED,
             NULL),
    RL_MACHINE_CLAIM("growth of the time of a step with the elements, power", "1", RL_EQUALS, 1,
                     0.15, "linear time", RL_DERIVED, "caches end within the range"),
};

static const rl_plot cost_plot = {
    "time of a step",
    "elements",
    "time (s)",
    true,
    true,
    "All rows at once, in a time that grows as the number of elements."};

// Measures processor time and row evaluations until the residual of one step is below a millionth
// of the chain's length, for both solvers from the same start.
static void speed(rl_trial *trial) {
  const int elements = 100;
  double time[2], evaluations[2];
  for (int i = 0; i < 2; i++) {
    rl_setup chain = rl_setup_scene(
        trial,
        i == 0 ? "xpbd,substeps=1,iterations=1000000,tolerance=1e-6" : "pbd-direct,tolerance=1e-6",
        1.0 / 60.0,
        "name: chain\nduration: 1\nstep: 0.01\nropes:\n"
        "  chain: {from: {point: [0, 0, 0]}, to: {free: [0, -1, 0]}, mass: 1, segments: %d}\n",
        elements);
    const double begun = rl_seconds_used();
    rl_setup_run(trial, &chain, 1);
    time[i] = rl_seconds_used() - begun;
    evaluations[i] = (double)chain.driver->info.row_evaluations;
    rl_setup_close(&chain);
  }
  trial->ours[0] = time[0] / time[1];
  trial->ours[1] = evaluations[0] / evaluations[1];
}

static const rl_claim speed_claims[] = {
    RL_MACHINE_CLAIM("time of relaxation over that of the direct solve, one step of 100 elements",
                     "1", RL_AT_LEAST, 100, 0, "abstract", RL_READ,
                     "to 1 um in 1 m; theirs are rods that bend and twist"),
    RL_CLAIM("... row evaluations", "1", RL_AT_LEAST, 100, 0, "abstract", RL_READ, NULL),
};

// Returns the largest strain in two seconds of the chain of twenty elements, in steps of 1/120 s.
static double strain(rl_trial *trial, const char *solver) {
  rl_setup chain = rl_setup_shipped(trial, solver, 1.0 / 120.0, "hanging-chain", NULL, 0);
  double largest = 0.0;
  for (int n = 0; n < 240; n++) {
    rl_setup_run(trial, &chain, 1);
    largest = fmax(largest, rl_metrics_of(chain.driver).stretch_max);
  }
  rl_setup_close(&chain);
  return largest;
}

static void error(rl_trial *trial) {
  static const int sweeps[] = {1, 2, 5, 10, 20, 50};
  enum { ALL = sizeof sweeps / sizeof sweeps[0] };
  double relaxed[ALL];
  for (int i = 0; i < ALL; i++) {
    char solver[64];
    snprintf(solver, sizeof solver, "pbd,iterations=%d", sweeps[i]);
    relaxed[i] = strain(trial, solver);
    rl_trial_point(trial, "pbd", sweeps[i], relaxed[i]);
    snprintf(solver, sizeof solver, "pbd-direct,gradient=current,iterations=%d", sweeps[i]);
    rl_trial_point(trial, "pbd-direct", sweeps[i], strain(trial, solver));
  }
  const double one = strain(trial, "pbd-direct,gradient=current,iterations=1");
  const double two = strain(trial, "pbd-direct,gradient=current,iterations=2");
  trial->ours[0] = one / relaxed[2];
  trial->ours[1] = one / relaxed[4];
  trial->ours[2] = two / relaxed[5];
}

static const rl_claim error_claims[] = {
    RL_CLAIM("strain of one direct solve over that of 5 sweeps", "1", RL_AT_MOST, 1, 0, "abstract",
             RL_READ, NULL),
    RL_CLAIM("... over that of 20 sweeps", "1", RL_AT_MOST, 1, 0, "abstract", RL_READ,
             "their motion and step are not stated; here the end whips by, in steps of 1/120 s"),
    RL_CLAIM("strain of two direct solves over that of 50 sweeps", "1", RL_AT_MOST, 1, 0,
             "abstract", RL_READ, NULL),
};

static const rl_plot error_plot = {"strain of a chain let go from horizontal, 1/120 s",
                                   "sweeps, or direct solves, in a step",
                                   "largest strain",
                                   true,
                                   true,
                                   "One direct solve leaves less than several sweeps do, two less "
                                   "than any number of them here; from "
                                   "there on the strain is that of the tolerance."};

static const rl_experiment deul_experiments[] = {
    {"cost", cost, sizeof cost_claims / sizeof cost_claims[0], cost_claims, &cost_plot, 1.0},
    {"speed", speed, 2, speed_claims, NULL, 0.3},
};

static const rl_experiment han_experiments[] = {
    {"error", error, 3, error_claims, &error_plot, 0.3},
};

const rl_paper rl_paper_direct_rods = {"direct-rods", "deul2018", "pbd-direct.md", 2,
                                       deul_experiments};
const rl_paper rl_paper_hair = {"hair", "han2013", "pbd-direct.md", 1, han_experiments};
