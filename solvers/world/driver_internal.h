// SPDX-License-Identifier: GPL-3.0-or-later
// What the files of the driver share: private to driver.c and driver_solve.c.
#ifndef RL_DRIVER_INTERNAL_H
#define RL_DRIVER_INTERNAL_H

#include "driver.h"

// Whether the driver finds how ropes lie on bodies, and not the method.
bool rl_driver_leads_wraps(const rl_driver *driver);

// Rows, ledger and solver are told that what is tied to what, or runs through what, has changed.
void rl_driver_tell(rl_driver *driver);

// A step of the solver from the present state to time t1 [s], as often as it takes.
void rl_driver_solve(rl_driver *driver, double t1);

// (10a) of papers/world.md: what rows hold before the first step is what they hold in a step in
// which everything starts at rest and stays there unless it falls.
void rl_driver_weigh_start(rl_driver *driver, double t1);

#endif
