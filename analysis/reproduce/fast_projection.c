// SPDX-License-Identifier: GPL-3.0-or-later
// Goldenthal et al., "Efficient Simulation of Inextensible Cloth", 2007: a projection of all
// lengths together, which stops when no strain is above 1 %. papers/pbd-direct.md.
#include "reproduce.h"

#include "runs/metrics.h"

#include <math.h>

static const double step = 1.0 / 120.0;

typedef struct outcome {
  double strain;      // largest after any step
  double evaluations; // row evaluations in all steps
} outcome;

// Releases the chain of twenty elements from horizontal.
static outcome fall(rl_trial *trial, const char *solver, const char *curve) {
  rl_setup chain = rl_setup_shipped(trial, solver, step, "hanging-chain", NULL, 0);
  outcome o = {0.0, 0.0};
  for (int n = 0; n < 240; n++) {
    rl_setup_run(trial, &chain, 1);
    const double strain = rl_metrics_of(chain.driver).stretch_max;
    o.strain = fmax(o.strain, strain);
    o.evaluations += (double)chain.driver->info.row_evaluations;
    rl_trial_point(trial, curve, chain.driver->state->time, strain);
  }
  rl_setup_close(&chain);
  return o;
}

static void strain(rl_trial *trial) {
  // A tolerance of 1 % of an element of 50 mm.
  const outcome projected =
      fall(trial, "pbd-direct,gradient=current,tolerance=0.0005", "pbd-direct");
  const outcome relaxed = fall(trial, "pbd,iterations=2", "pbd");
  trial->ours[0] = projected.strain;
  trial->ours[1] = relaxed.strain;
  trial->ours[2] = relaxed.evaluations / projected.evaluations;
}

static const rl_claim claims[] = {
    RL_CLAIM("largest strain, fast projection", "1", RL_AT_MOST, 0.01, 0, "introduction", RL_READ,
             NULL),
    RL_CLAIM("largest strain that one settles for otherwise: two sweeps of relaxation", "1",
             RL_AT_LEAST, 0.10, 0, "introduction", RL_READ, NULL),
    RL_CLAIM("... row evaluations of these sweeps over those of the projection", "1", RL_EQUALS, 1,
             0.05, "equal cost", RL_COMPUTED, NULL),
};

static const rl_plot plot = {"strain of a chain let go from horizontal, 1/120 s",
                             "time (s)",
                             "largest strain",
                             false,
                             true,
                             "The projection stops below 1 % after about one iteration; as many "
                             "row evaluations of relaxation "
                             "leave ten times as much and more."};

static const rl_experiment experiments[] = {
    {"strain", strain, sizeof claims / sizeof claims[0], claims, &plot, 0.1},
};

const rl_paper rl_paper_fast_projection = {"fast-projection", "goldenthal2007", "pbd-direct.md", 1,
                                           experiments};
