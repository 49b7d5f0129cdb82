// SPDX-License-Identifier: GPL-3.0-or-later
// Measures where chains lift off a bend, for the claims of pegs.c and for tests.
#ifndef RL_REPRODUCE_PEGS_H
#define RL_REPRODUCE_PEGS_H

#include "reproduce.h"

// Place and time of the lift-off, each divided by that of a bend without a radius.
typedef struct rl_lift {
  double place, time;
} rl_lift;

// Let a chain of one metre and one kilogram, with `count` elements, run off a peg or a table whose
// bend has about that radius [m].
rl_lift rl_lift_off_peg(rl_trial *trial, const char *solver, int count, double radius);
rl_lift rl_lift_off_table(rl_trial *trial, const char *solver, int count, double radius);

#endif
