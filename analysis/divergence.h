// SPDX-License-Identifier: GPL-3.0-or-later
// Which shipped scenarios a solver can run and yet blows up on, with the scenario's step and its
// own parameters, and why.
#ifndef RL_DIVERGENCE_H
#define RL_DIVERGENCE_H

// NULL: it does not.
const char *rl_divergence_of(const char *scenario, const char *solver);

#endif
