// SPDX-License-Identifier: GPL-3.0-or-later
// The shipped scenarios that a solver supports but blows up on, at the scenario's step and with the
// solver's default parameters, and why.
#ifndef RL_DIVERGENCE_H
#define RL_DIVERGENCE_H

typedef struct rl_divergence {
  const char *scenario, *solver, *why;
  double rate; // steps per second at which it does not blow up [1/s]; 0: it always does
} rl_divergence;

// Returns the known divergence of a solver on a scenario; NULL: none.
const rl_divergence *rl_divergence_of(const char *scenario, const char *solver);

#endif
