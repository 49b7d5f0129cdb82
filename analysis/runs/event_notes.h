// SPDX-License-Identifier: GPL-3.0-or-later
// Events and keys of ropes that are valid and hardly meant: said before a run, and by `ropelab
// check`.
#ifndef RL_EVENT_NOTES_H
#define RL_EVENT_NOTES_H

#include "run.h"

// On stderr, each at its place in the file: what comes after the end or lasts less than a step,
// times of winches that steps do not meet, winches that are faster or farther off than their rope
// is long, and wind where no rope has drag.
void rl_note_events(const rl_scenario *scenario, const rl_schedule *schedule);

// The same of ropes: damping without stiffness, a pool without nodes.
void rl_note_ropes(const rl_scenario *scenario);

#endif
