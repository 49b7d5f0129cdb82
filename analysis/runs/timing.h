// SPDX-License-Identifier: GPL-3.0-or-later
// Wall-clock and processor time, how busy the rest of the machine was, and how much is done.
#ifndef RL_TIMING_H
#define RL_TIMING_H

#include <stddef.h>

// Returns monotonic time since an arbitrary origin [s].
double rl_seconds_now(void);

// Returns the processor time that this process has used [s].
double rl_seconds_used(void);

// Processor time of all cores since an arbitrary origin [s]: used by all processes, used by this
// process and its children, and available.
typedef struct rl_load {
  double used, own, all;
} rl_load;

rl_load rl_load_now(void);

// Returns the share of the machine, 0 to 1, that other processes used between two calls of
// rl_load_now(); nan: unknown.
double rl_load_of_others(rl_load before, rl_load after);

// Shows how much is done: "3 of 8 runs", on a terminal all the time, elsewhere as a line about
// every half minute. Counts from 1 for each new piece of work.
void rl_show_done(size_t done, size_t count, const char *noun);

// Up to this share used by others the machine counts as idle.
extern const double rl_idle_share;

#endif
