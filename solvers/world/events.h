// SPDX-License-Identifier: GPL-3.0-or-later
// Events of a scene: cuts, releases, winches, forces, wind; and ropes that tear. Private to the
// driver.
#ifndef RL_EVENTS_H
#define RL_EVENTS_H

#include "driver.h"

// Applies the events that are due before the step that begins now: cuts and releases, and the
// forces, wind and winch rates of the step. Returns true if something came apart.
bool rl_events_act(rl_driver *driver);

// Winches on ropes with mass. Before a step: finds the elements that they feed, and removes the
// nodes that they take in. After a step: updates the masses, and inserts the nodes that they pay
// out. Both return true if elements have changed, so that rows and solver have to follow.
bool rl_events_begin_feeds(rl_driver *driver);
bool rl_events_end_feeds(rl_driver *driver);

// Whether an event that lasts is active in a step.
bool rl_events_is_on(const rl_driver *driver, const rl_event *event, double step);

// Whether a swipe that takes time is active in the step that begins now.
bool rl_events_is_swiping(const rl_driver *driver);

// Cuts what swipes have met in the step that has ended. Returns true if something came apart.
bool rl_events_cut_swiped(rl_driver *driver);

// Parts elements that the last step has loaded beyond their strength. Returns true if one parted.
bool rl_events_tear(rl_driver *driver);

// Returns the potential sum of F.x of the forces that act since the last rl_events_act [J]: its
// difference between two states is their work.
double rl_events_potential(const rl_driver *driver);

#endif
