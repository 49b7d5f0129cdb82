// SPDX-License-Identifier: GPL-3.0-or-later
// Contacts in the equations of motion: where they touch at any position, how their rows bend along
// the motion, and which of those that rub stick or slip. papers/reference.md numbers the equations.
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

// Lays the tangents of the contacts for a solve: with friction those that stick act, and those that
// slip follow their normals; to bring positions back (`forces` false, `sticks` false) none does.
void rl_contacts_lay(rl_equations *equations, bool sticks, bool forces);

// What friction takes from the motion and what driven bodies do through it, for the multipliers
// last found; or the work of the impulses of a catch.
void rl_contacts_power(rl_equations *equations, double *loss, double *power);
double rl_contacts_blow_work(const rl_equations *equations);

// (14) Raises the gauges of contacts that act above 0 once one that sticks would need more than
// there is, one that slips has come to rest, or the place where an element touches has come to its
// end.
void rl_contacts_gauge(rl_equations *equations);

// After an internal step in which nothing happened: which way those that slip go by now. True if
// one that had begun to is among them.
bool rl_contacts_follow(rl_equations *equations);

// (19) Where a contact begins to slip, after a solve: turns its friction to where the forces ask
// for it; `first` time of that, or again. True if that makes a difference.
bool rl_contacts_turn(rl_equations *equations, bool first);

// The largest speed of those, over that at which they slip.
double rl_contacts_begun(const rl_equations *equations);

// (20) After a solve with a largest acceleration of `size`: contacts that stick by more than their
// friction begin to slip, and those at rest that slip by less than it stick. True if there were
// any.
bool rl_contacts_yield(rl_equations *equations, double size);

// What begins to slip slips, where it is accelerated by so much that this makes nothing stiff, or
// has no direction of its own. True if there was any.
bool rl_contacts_settle(rl_equations *equations);

// What bounces: the rates at which taut contacts of bodies shall part after a catch [unknowns].
void rl_contacts_bounce(rl_equations *equations, double slowest, double *bias);

// Before and after the complementarity problem for accelerations: (15) tells it how those contacts
// slide that do, and reads which of the others stick.
void rl_contacts_begin_choice(rl_equations *equations, double size);
void rl_contacts_end_choice(rl_equations *equations, double size);

#endif
