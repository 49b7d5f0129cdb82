// SPDX-License-Identifier: GPL-3.0-or-later
// Time on the clock, and what else the machine did meanwhile.
#ifndef RL_TIMING_H
#define RL_TIMING_H

#include <stddef.h>

// Seconds since some moment; never goes back.
double rl_seconds_now(void);

// Seconds of processor time that this process has used.
double rl_seconds_used(void);

// Processor time of all cores since some moment [s]: used by anybody, used by this process and by
// its children, and all there was.
typedef struct rl_load {
  double used, own, all;
} rl_load;

rl_load rl_load_now(void);

// The share of the machine, 0 to 1, that others used between two moments; nan: unknown.
double rl_load_of_others(rl_load before, rl_load after);

// Says on a terminal how many rounds of timing are done.
void rl_timing_show(size_t done, size_t count);

// Up to this share the machine counts as idle.
extern const double rl_idle_share;

#endif
