// SPDX-License-Identifier: GPL-3.0-or-later
// Events that are valid and hardly meant: said before a run, and by `ropelab check`.
#ifndef RL_EVENT_NOTES_H
#define RL_EVENT_NOTES_H

#include "run.h"

// On stderr, each at its place in the file: what comes after the end or lasts less than a step,
// times of winches that steps do not meet, and winches that are faster or farther off than their
// rope is long.
void rl_note_events(const rl_scenario *scenario, const rl_schedule *schedule);

#endif
