// SPDX-License-Identifier: GPL-3.0-or-later
// The linear theory of relaxation (Young 1971) for a straight taut chain of N equal masses, with
// the matrix tridiag(-1, 2, -1) and a first entry of 1: the spectral radius is cos(pi / 2N) for
// Jacobi, its square for Gauss-Seidel, omega - 1 for optimal over-relaxation. papers/pbd.md
// (7)-(9).
#include "reproduce.h"

#include <gsl/gsl_math.h>
#include <stdlib.h>

enum { TRACE = 100000 };

// Measures the contraction per sweep in one step of a chain at rest: fits a line to the logarithms
// of the residuals between 1e-10 and 1e-12 m, with the model n^power rho^n.
static double contraction(rl_trial *trial, int count, const char *settings, double power,
                          const char *curve) {
  char solver[128];
  snprintf(solver, sizeof solver, "pbd,iterations=%d,tolerance=1e-12,%s", TRACE, settings);
  rl_setup chain = rl_setup_scene(trial, solver, 0.0,
                                  "name: chain\nduration: 1\nstep: 0.01\nropes:\n"
                                  "  chain: {from: {point: [0, 0, 0]}, to: {free: [0, -1, 0]},"
                                  " mass: %d, segments: %d, lumping: equal}\n",
                                  count, count);
  static double trace[TRACE], sweep[TRACE], logarithm[TRACE];
  chain.driver->info.trace = trace;
  chain.driver->info.trace_capacity = TRACE;
  rl_setup_run(trial, &chain, 1);
  size_t used = 0;
  for (size_t i = 0; i < chain.driver->info.trace_count; i++) {
    const double n = (double)(i + 1);
    if (curve) {
      rl_trial_point(trial, curve, n, trace[i]);
    }
    if (trace[i] < 1e-10 && trace[i] > 1e-12) {
      sweep[used] = n;
      logarithm[used++] = log(trace[i]) - power * log(n);
    }
  }
  rl_setup_close(&chain);
  return used > 1 ? exp(rl_slope(sweep, logarithm, used)) : NAN;
}

static void run(rl_trial *trial) {
  static const int counts[] = {5, 20, 50};
  for (int i = 0; i < 3; i++) {
    const bool drawn = counts[i] == 20;
    char sor[64];
    snprintf(sor, sizeof sor, "omega=%.17g", 2.0 / (1.0 + sin(M_PI / (2.0 * counts[i]))));
    trial->ours[i] =
        contraction(trial, counts[i], "order=jacobi", 0.0, drawn ? "pbd, Jacobi" : NULL);
    trial->ours[3 + i] =
        contraction(trial, counts[i], "order=forward", 0.0, drawn ? "pbd, Gauss-Seidel" : NULL);
    trial->ours[6 + i] =
        contraction(trial, counts[i], sor, 1.0, drawn ? "pbd, over-relaxed" : NULL);
  }
}

// The tolerance is 1 % of 1 - rho.
#define RATE(text, rho)                                                                            \
  RL_CLAIM(text, "1", RL_EQUALS, rho, 0.01 * (1.0 - (rho)) / (rho), "ch. 4, 6", RL_DERIVED, NULL)

static const rl_claim claims[] = {
    RATE("factor per sweep, Jacobi, N = 5", 0.95105651629515353),
    RATE("... N = 20", 0.99691733373312796),
    RATE("... N = 50", 0.99950656036573160),
    RATE("factor per sweep, Gauss-Seidel, N = 5", 0.90450849718747373),
    RATE("... N = 20", 0.99384417029756889),
    RATE("... N = 50", 0.99901336421413578),
    RATE("factor per sweep, best over-relaxation, N = 5", 0.52786404500042061),
    RATE("... N = 20", 0.85449778106809996),
    RATE("... N = 50", 0.93909165906664936),
};

static const rl_plot plot = {
    "one step of a chain of 20 elements",
    "sweeps",
    "residual (m)",
    false,
    true,
    "Residual after each sweep of one step. The slope of Gauss-Seidel is twice that of Jacobi; "
    "over-relaxation at its optimum needs a twentieth of the sweeps."};

static const rl_experiment experiments[] = {
    {"chain", run, sizeof claims / sizeof claims[0], claims, &plot, 0.5},
};

const rl_paper rl_paper_relaxation = {"relaxation", "young1971", "pbd.md", 1, experiments};
