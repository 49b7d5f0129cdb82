// SPDX-License-Identifier: GPL-3.0-or-later
// Contacts in the equations of motion: where they touch at any position, and how their rows bend
// along the motion. papers/reference.md numbers the equations.
#ifndef RL_REFERENCE_CONTACTS_H
#define RL_REFERENCE_CONTACTS_H

#include "equations.h"

// Finds where all contacts touch at the state's positions, before their rows are evaluated.
void rl_contacts_find(rl_equations *equations);

// (17) The longest part of an internal step of h [s] in which no contact that does not act can pass
// through what it meets. With events just evaluated.
double rl_contacts_longest(const rl_equations *equations, double h);

// (13) dJ/dt v of the contacts that can act and of the tangents of those that stick.
void rl_contacts_curve(rl_equations *equations);

// Raises the gauges of contacts that act above 0 once the place where an element touches has come
// to its end.
void rl_contacts_gauge(rl_equations *equations);

// What bounces: the rates at which taut contacts of bodies shall part after a catch [unknowns].
void rl_contacts_bounce(rl_equations *equations, double slowest, double *bias);

#endif
