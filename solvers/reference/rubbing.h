// SPDX-License-Identifier: GPL-3.0-or-later
// Friction of contacts in the equations of motion: which contacts stick, which slip and in which
// direction, and how those that stick share a load. Equation numbers are those of
// papers/reference.md.
#ifndef RL_REFERENCE_RUBBING_H
#define RL_REFERENCE_RUBBING_H

#include "equations.h"

// Returns the row of contact k, of those with friction.
static inline rl_row *rl_rubbing_row(const rl_equations *equations, uint32_t k) {
  return &equations->rows->rows[equations->lcp.direct.tangents[k].row];
}

// ---------------------------------------------------------------------------------------------
// Between two choices

// Sets the tangents of all contacts for a solve. `sticks`: those of contacts that stick are active.
// `forces`: the friction of those that slip follows their normal force.
void rl_rubbing_lay(rl_equations *equations, bool sticks, bool forces);

// (4a) Sets the forces of the tangents, as they were laid, to T* [unknowns].
void rl_rubbing_share(const rl_equations *equations, double *forces);

// Adds what friction dissipates at the multipliers last found to `loss`, and the power of driven
// bodies through it to `power` [W].
void rl_rubbing_power(rl_equations *equations, double *loss, double *power);

// (19) Turns the friction of contacts that begin to slip to where the forces ask for it, after a
// solve; `first`: for the first time, else by a secant. Returns true if a solve with the new
// directions is needed.
bool rl_rubbing_turn(rl_equations *equations, bool first);

// (19) Returns the largest speed of contacts that begin to slip, over that at which they slip.
double rl_rubbing_begun(const rl_equations *equations);

// After an internal step without an event: contacts that have begun to slip and are fast enough
// slip, those that have become slow begin to slip again, and friction turns with its slide. Returns
// true if any has changed between the two.
bool rl_rubbing_follow(rl_equations *equations);

// (14) Raises the gauges of contacts that act: above 0 if one that sticks needs more friction than
// it has, or one that slips has reversed its slide.
void rl_rubbing_gauge(rl_equations *equations);

// (14) Returns by how much the contact with this normal, if it sticks, needs more friction than it
// has, over the largest force; 0 if there is none.
double rl_rubbing_excess(const rl_equations *equations, uint32_t normal);

// ---------------------------------------------------------------------------------------------
// (9) Solves of the complementarity problem for accelerations, with a largest acceleration `size`

// Before all solves of a choice: notes which contacts slide, (8b).
void rl_rubbing_begin_choices(rl_equations *equations);

// (15) Before each solve: sets the slides of contacts that slide, as the problem is told of them.
void rl_rubbing_begin_choice(rl_equations *equations, double size);

// (8b) After a solve: contacts that slid too slowly to count, and whose friction would drive them
// on, slide. Returns true if there were any; then the problem is solved again.
bool rl_rubbing_reverses(rl_equations *equations, double size);

// (8c) After a solve: contacts that slide slowly, and stick all the same because no forces let them
// slide on, do not slide. Returns true if there were any; then the problem is solved again.
bool rl_rubbing_jams(rl_equations *equations, double size);

// (4b) After a solve: notes the contacts that stick. Returns true if one of several needs nearly
// all of its friction. _scale gives them this share of their friction for the next solve; _holds
// returns whether they stick with it.
bool rl_rubbing_is_tight(rl_equations *equations, double size);
void rl_rubbing_scale(rl_equations *equations, double share);
bool rl_rubbing_holds(const rl_equations *equations, double size);

// After all solves: which contacts stick, begin to slip or slip, and T* of (4a).
void rl_rubbing_end_choice(rl_equations *equations, double size);

// (20) After a solve of (4): contacts that stick with more than their friction begin to slip, and
// those at rest that slip by less than theirs stick. Returns true if there were any.
bool rl_rubbing_yield(rl_equations *equations, double size);

// (19) Contacts that begin to slip slip by (14) if they are accelerated too much for (19), or if
// forces give their friction no direction. Returns true if there were any.
bool rl_rubbing_settle(rl_equations *equations);

// ---------------------------------------------------------------------------------------------
// (4c), (9a) How contacts that stick share a load

// Makes the friction last found T* of the contacts that stick. Returns false if none does.
bool rl_rubbing_keep(rl_equations *equations);

// (4c) For a Newton step: multiplies the softness of the contacts by the diagonal of D, adds the
// gradients of ln s to the right sides, and _spares returns whether `share` of the step leaves each
// contact enough, with the largest relative change of an s in `change`. _mix takes that share of
// the step.
void rl_rubbing_soften(const rl_equations *equations, double *softness);
void rl_rubbing_draw(const rl_equations *equations, double regularisation, double *rates);
bool rl_rubbing_spares(const rl_equations *equations, double share, double *change);
void rl_rubbing_mix(rl_equations *equations, double share);

// (4c) Returns whether each contact that sticks has friction to spare.
bool rl_rubbing_has_spare(const rl_equations *equations);

// (9a) Lets all contacts at rest that act stick, with the friction last found if they were
// `chosen`, else with none. Returns true if that is another choice, and of more than one contact.
bool rl_rubbing_hold(rl_equations *equations);

// ---------------------------------------------------------------------------------------------
// (8), (8b) Impulses

// Returns the work of driven bodies through friction in a catch [J].
double rl_rubbing_blow_work(const rl_equations *equations);

// (8b) Returns whether a contact that sticks still slides faster than `slowest` [m/s].
bool rl_rubbing_stops(const rl_equations *equations, double slowest);

// (8b) After impulses that stop slides: contacts that begin to slip from rest, and whose slide
// these have reversed, are to be stopped as well. Returns true if there were more of them.
bool rl_rubbing_stop_turned(rl_equations *equations);

// (8b) Returns the work of driven bodies through these impulses [J]; _go_on ends the stop.
double rl_rubbing_stop_work(const rl_equations *equations);
void rl_rubbing_go_on(rl_equations *equations);

#endif
