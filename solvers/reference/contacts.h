// SPDX-License-Identifier: GPL-3.0-or-later
// Contacts in the equations of motion: their places and normals at any position, and the curvature
// of their rows along the motion. Equation numbers are those of papers/reference.md.
#ifndef RL_REFERENCE_CONTACTS_H
#define RL_REFERENCE_CONTACTS_H

#include "equations.h"

// Finds places and normals of all contacts at the state's positions; before rows are evaluated.
void rl_contacts_find(rl_equations *equations);

// (17) Returns the longest internal step, at most h [s], in which no inactive contact can pass
// through what it meets. The gauges have just been evaluated.
double rl_contacts_longest(const rl_equations *equations, double h);

// (12), (13) Computes (dJ/dt) v of the contacts that can act and of the tangents of those that
// stick.
void rl_contacts_curve(rl_equations *equations);

// Raises the gauges of active contacts: above 0 if the place of an element has come to its end.
void rl_contacts_gauge(rl_equations *equations);

// Sets the rates e u with which taut contacts of bodies, faster than `slowest` [m/s], part after a
// catch [unknowns].
void rl_contacts_bounce(rl_equations *equations, double slowest, double *bias);

#endif
