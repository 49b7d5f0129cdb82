// SPDX-License-Identifier: GPL-3.0-or-later
// The forces with which contacts of bodies begin a step of sweeps. papers/bodies.md, (12) and (13),
// has the derivation.
#ifndef RL_WARM_H
#define RL_WARM_H

#include "../rows.h"

// For methods whose forces have in them what pushes depth out: their last forces are no better than
// none unless they are nearly right.
#define RL_WARM_NEAR 0.1

// Adds to the velocities, those of a step of h [s] without contacts, what the contacts of bodies
// do with the share of their last forces and frictions [N] that comes nearest to holding, at most
// all of it: one share for all that hangs together, and 0 if it leaves more than `most` of what was
// asked of it to the sweeps. Forces and frictions become that share.
void rl_warm_contacts(const rl_model *model, rl_state *state, rl_rows *rows, double h, double most);

#endif
