// SPDX-License-Identifier: GPL-3.0-or-later
// Time on the clock.
#ifndef RL_TIMING_H
#define RL_TIMING_H

// Seconds since some moment; never goes back.
double rl_seconds_now(void);

#endif
