// SPDX-License-Identifier: GPL-3.0-or-later
// What happens to a scene at its times: cuts, releases, forces; and ropes that tear. Private to the
// driver.
#ifndef RL_EVENTS_H
#define RL_EVENTS_H

#include "driver.h"

// What acts before the step that begins now. True where something came apart.
bool rl_events_act(rl_driver *driver);

// Ropes with mass on winches, before a step: which elements these feed, and the nodes that they
// take in. After it: the mass that has come or gone, and the nodes that come. True where rows and
// solver have to follow.
bool rl_events_feed(rl_driver *driver);
bool rl_events_fed(rl_driver *driver);

// Whether something that goes on does so in a step.
bool rl_events_is_on(const rl_driver *driver, const rl_event *event, double step);

// Whether a swipe goes on in the step that begins now.
bool rl_events_strike(const rl_driver *driver);

// What swipes have cut in the step that has ended. True where something came apart.
bool rl_events_swipe(rl_driver *driver);

// The ropes that the last step has strained too much. True where one came apart.
bool rl_events_tear(rl_driver *driver);

// The work of the forces that act since the last rl_events_act, up to a constant [J].
double rl_events_work(const rl_driver *driver);

#endif
