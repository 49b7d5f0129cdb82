// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by driver.c, driver_solve.c and driver_trials.c, private to them.
#ifndef RL_DRIVER_INTERNAL_H
#define RL_DRIVER_INTERNAL_H

#include "driver.h"

// Whether the driver, and not the method, decides how ropes lie on bodies.
bool rl_driver_leads_wraps(const rl_driver *driver);

// Whether inextensible ropes are springs in substeps, which are as long as their pull asks for.
bool rl_driver_has_springs(const rl_driver *driver);

// Tells rows, ledger and solver that links or elements in eyes have changed.
void rl_driver_tell(rl_driver *driver);

// Gives each driven body its mean velocity between the times t0 and t1 [s], so that every solver
// moves it by x += dt v, and its spin.
void rl_driver_drive(const rl_driver *driver, double t0, double t1);

// Makes a step of the solver from the present state to time t1 [s], once.
void rl_driver_try(rl_driver *driver, double t1);

// Makes it so often that the grips of wraps and the ways of ropes agree with it, papers/grips.md;
// `driver->before` is then the start of the last one.
void rl_driver_solve_grips(rl_driver *driver, double t1);

// Makes it with all other trials as well: friction in eyes, winches at their limit.
void rl_driver_solve(rl_driver *driver, double t1);

// (10a) of papers/world.md: finds the loads of the rows before the first step, by a step in which
// everything starts at rest and nothing is driven.
void rl_driver_weigh_start(rl_driver *driver, double t1);

#endif
