// SPDX-License-Identifier: GPL-3.0-or-later
// How chains let go of a bend: measured for the claims of pegs.c, and for tests.
#ifndef RL_REPRODUCE_PEGS_H
#define RL_REPRODUCE_PEGS_H

#include "reproduce.h"

// When a chain lets go, over the same of a bend without a radius.
typedef struct rl_lift {
  double place, time;
} rl_lift;

// A chain of a metre and a kilogram, of `count` elements, runs off a peg or a table whose bend has
// nearly that radius [m].
rl_lift rl_lift_off_peg(rl_trial *trial, const char *solver, int count, double radius);
rl_lift rl_lift_off_table(rl_trial *trial, const char *solver, int count, double radius);

#endif
