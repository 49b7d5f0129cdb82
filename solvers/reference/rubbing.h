// SPDX-License-Identifier: GPL-3.0-or-later
// Friction in the equations of motion: which of the contacts that rub stick or slip, and where its
// force points. papers/reference.md numbers the equations.
#ifndef RL_REFERENCE_RUBBING_H
#define RL_REFERENCE_RUBBING_H

#include "equations.h"

// The row of contact k of those that rub.
static inline rl_row *rl_rubbing_row(const rl_equations *equations, uint32_t k) {
  return &equations->rows->rows[equations->lcp.direct.tangents[k].row];
}

// Lays the tangents of the contacts for a solve: with friction those that stick act, and those that
// slip follow their normals; to bring positions back (`forces` false, `sticks` false) none does.
void rl_rubbing_lay(rl_equations *equations, bool sticks, bool forces);

// (4a) The forces along tangents, as they were laid, that belong to the share of each contact
// [unknowns].
void rl_rubbing_share(const rl_equations *equations, double *forces);

// (4c) Keeps the friction of what sticks, of the forces last found, as its share: false if nothing
// does. What of the diagonal is added to it, and drawn to the middle of what contacts can give, for
// the change of their shares; whether so much of that leaves each of them enough, and the largest
// change of what one has to spare; it is made; whether that is enough to stick on.
bool rl_rubbing_keep(rl_equations *equations);
void rl_rubbing_soften(const rl_equations *equations, double *softness);
void rl_rubbing_draw(const rl_equations *equations, double regularisation, double *rates);
bool rl_rubbing_spares(const rl_equations *equations, double share, double *change);
void rl_rubbing_mix(rl_equations *equations, double share);
bool rl_rubbing_has_spare(const rl_equations *equations);

// (14) How much more than its friction the contact with this normal needs that sticks, over the
// largest force; 0: there is none.
double rl_rubbing_excess(const rl_equations *equations, uint32_t normal);

// What friction takes from the motion and what driven bodies do through it, for the multipliers
// last found; or the work of the impulses of a catch.
void rl_rubbing_power(rl_equations *equations, double *loss, double *power);
double rl_rubbing_blow_work(const rl_equations *equations);

// (8b) Whether what sticks still slides, faster than this [m/s]. After impulses that stop it: what
// they have turned round of that which begins to slip from rest is to be stopped with it (true if
// there is any more); the work of driven bodies through them; and what was stopped so is let go.
bool rl_rubbing_stops(const rl_equations *equations, double slowest);
bool rl_rubbing_stop_turned(rl_equations *equations);
double rl_rubbing_stop_work(const rl_equations *equations);
void rl_rubbing_go_on(rl_equations *equations);

// (14) Raises the gauges of contacts that act above 0 once one that sticks would need more than
// there is, or one that slips has come to rest.
void rl_rubbing_gauge(rl_equations *equations);

// After an internal step in which nothing happened: which way those that slip go by now. True if
// one that had begun to is among them.
bool rl_rubbing_follow(rl_equations *equations);

// (19) Where a contact begins to slip, after a solve: turns its friction to where the forces ask
// for it; `first` time of that, or again. True if that makes a difference.
bool rl_rubbing_turn(rl_equations *equations, bool first);

// The largest speed of those, over that at which they slip.
double rl_rubbing_begun(const rl_equations *equations);

// (20) After a solve with a largest acceleration of `size`: contacts that stick by more than their
// friction begin to slip, and those at rest that slip by less than it stick. True if there were
// any.
bool rl_rubbing_yield(rl_equations *equations, double size);

// What begins to slip slips, where it is accelerated by so much that this makes nothing stiff, or
// has no direction of its own. True if there was any.
bool rl_rubbing_settle(rl_equations *equations);

// The complementarity problem for accelerations. Before all of them: which contacts slide; before
// each: (15) it is told how those do, and after it which of them stick.
void rl_rubbing_begin_choices(rl_equations *equations);
void rl_rubbing_begin_choice(rl_equations *equations, double size);
void rl_rubbing_end_choice(rl_equations *equations, double size);

// (9a) What is at rest and acts sticks, with the friction last found if it is one of the `chosen`,
// with none if not. True if that is another choice, and more than one could bear more or less.
bool rl_rubbing_hold(rl_equations *equations);

// (4b) Of those that stick after it: whether one needs nearly all of its friction, and others could
// bear more; this share of their friction for the next; and whether they stick with that too.
bool rl_rubbing_is_tight(rl_equations *equations, double size);
void rl_rubbing_scale(rl_equations *equations, double share);
bool rl_rubbing_holds(const rl_equations *equations, double size);

// (8b) What slid too slowly to count, and would go back, slides. True if there was any: then it is
// to be solved again.
bool rl_rubbing_reverses(rl_equations *equations, double size);

// (8c) What slides slowly, and stops at once because there are no forces with which it would slide
// on, does not slide; so again.
bool rl_rubbing_jams(rl_equations *equations, double size);

#endif
