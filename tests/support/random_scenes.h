// SPDX-License-Identifier: GPL-3.0-or-later
// Random scenes of massless ropes and bodies.
#ifndef RL_RANDOM_SCENES_H
#define RL_RANDOM_SCENES_H

#include "scenario.h"

// Two weights over a body that is held, turns on an axle or falls freely. NULL where there is no
// way over the body.
rl_scenario *random_weights(uint64_t *seed, double friction);

// A bob that swings on a rope among bodies that are held, on all of which the rope can come to lie.
rl_scenario *random_maze(uint64_t *seed);

#endif
