// SPDX-License-Identifier: GPL-3.0-or-later
// Notes on events and rope keys that are valid but probably not intended, printed before a run and
// by `ropelab check`.
#ifndef RL_EVENT_NOTES_H
#define RL_EVENT_NOTES_H

#include "run.h"

// Prints on stderr, with the position in the file: events after the end of the run or shorter than
// a step, winch times between steps, winches that move or reach more than their rope has, and wind
// where no rope has drag.
void rl_note_events(const rl_scenario *scenario, const rl_schedule *schedule);

// Prints the like for ropes: damping without stiffness, a pool without nodes.
void rl_note_ropes(const rl_scenario *scenario);

#endif
