// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by driver.c and driver_solve.c, private to them.
#ifndef RL_DRIVER_INTERNAL_H
#define RL_DRIVER_INTERNAL_H

#include "driver.h"

// Whether the driver, and not the method, decides how ropes lie on bodies.
bool rl_driver_leads_wraps(const rl_driver *driver);

// Whether inextensible ropes are springs in substeps, which are as long as their pull asks for.
bool rl_driver_has_springs(const rl_driver *driver);

// Tells rows, ledger and solver that links or elements in eyes have changed.
void rl_driver_tell(rl_driver *driver);

// Makes a step of the solver from the present state to time t1 [s], with all its trials.
void rl_driver_solve(rl_driver *driver, double t1);

// (10a) of papers/world.md: finds the loads of the rows before the first step, by a step in which
// everything starts at rest and nothing is driven.
void rl_driver_weigh_start(rl_driver *driver, double t1);

#endif
