// SPDX-License-Identifier: GPL-3.0-or-later
// Which shipped scenarios a solver can run and yet blows up on, with the scenario's step and its
// own parameters, and why.
#ifndef RL_DIVERGENCE_H
#define RL_DIVERGENCE_H

typedef struct rl_divergence {
  const char *scenario, *solver, *why;
  double rate; // so many steps a second, where it does not [1/s]; 0: it always does
} rl_divergence;

// NULL: it does not.
const rl_divergence *rl_divergence_of(const char *scenario, const char *solver);

#endif
