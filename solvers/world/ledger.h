// SPDX-License-Identifier: GPL-3.0-or-later
// The energy ledger: energies of a state, work done from outside, and what physics dissipates.
// What is left over is the error of the method.
#ifndef RL_LEDGER_H
#define RL_LEDGER_H

#include "solver.h"

typedef struct rl_energy {
  double kinetic, gravity, elastic, bending; // [J]
} rl_energy;

typedef struct rl_momentum {
  rl_vec3 linear;  // [kg m/s]
  rl_vec3 angular; // about the origin [kg m^2/s]
} rl_momentum;

static inline double rl_energy_total(rl_energy e) {
  return e.kinetic + e.gravity + e.elastic + e.bending;
}

// Energies of all that moves; elastic is that of elastic ropes.
rl_energy rl_state_energy(const rl_model *model, const rl_state *state);
rl_momentum rl_state_momentum(const rl_model *model, const rl_state *state);

// What the dampers of elastic ropes take in h [s] at the state's velocities: sum of c (dC/dt)^2 h
// over their taut elements [J]. For methods that do not see the force of a damper by itself.
double rl_damper_loss(const rl_model *model, const rl_state *state, rl_rows *rows, double h);

// What is remembered of every row from the start of a step.
typedef struct rl_ledger rl_ledger;

size_t rl_ledger_bytes(const rl_model *model); // the memory of a ledger
rl_ledger *rl_ledger_create(const rl_model *model);
void rl_ledger_free(rl_ledger *ledger);

// What goes on from step to step; both are of the same model.
void rl_ledger_copy(rl_ledger *to, const rl_ledger *from, const rl_model *model);

// Call before the step (after rl_detect) and after it. `end` adds to state->work and, if `impacts`,
// to state->dissipated:
//   work        lambda dt (rate at which driven bodies lengthen the row), mean of both ends
//   dissipated  P (u0 + u1) / 2 with P = lambda dt and u the row's rate before and after, for rows
//               that were not active at the start of the step or whose prescribed rate jumps: an
//               inelastic catch, P |change of u| / 2 when it stops the row. Of a row that jumps
//               under a load P is what comes to what it held already. With it what friction of
//               contacts takes, `rubbed`: in a hit one may gain what the other loses
// A method whose stand-in springs store the energy of a catch loses nothing in it: no `impacts`.
void rl_ledger_begin(rl_ledger *ledger, const rl_model *model, const rl_state *state,
                     rl_rows *rows);

// Before the first step there are no multipliers. `still`: the state after a step from the same
// places in which nothing moved at the start and nothing is driven; its multipliers are what a row
// holds whose prescribed rate jumps in the first step, (10a) in papers/world.md.
void rl_ledger_start(rl_ledger *ledger, const rl_model *model, const rl_state *still);
void rl_ledger_end(rl_ledger *ledger, const rl_model *model, rl_state *state, rl_rows *rows,
                   double dt, bool impacts, double rubbed);

// What an element of rope is has changed, and with it the rate of its row: what the next step takes
// to bring that to what it shall be is an impact.
void rl_ledger_jolt(rl_ledger *ledger, uint32_t link);

// Between two steps contacts were found again: what it knows of each goes with it.
void rl_ledger_follow(rl_ledger *ledger, const rl_model *model, const rl_state *state,
                      const rl_rows *rows);

// Whether something that is hard is loose, or its rate jumps: a push of it in this step is an
// impact. NULL: nobody keeps a ledger, and nothing is.
bool rl_ledger_expects_hit(const rl_ledger *ledger);

// Whether, with the state's multipliers, something is an impact in this step: what `end` would
// book.
bool rl_ledger_is_hit(const rl_ledger *ledger, const rl_state *state, const rl_rows *rows);

// What the impulse on an element takes, of a method that knows along which direction it acted: in
// place of what `end` would book from those of the start and the end, and added up. What is caught
// counts, and with `all` what only bears with it; nothing where a prescribed rate jumps. NULL:
// nobody keeps a ledger.
void rl_ledger_catch(rl_ledger *ledger, uint32_t link, double loss, bool all);

// A method of several substeps calls this after each of them, and what is dissipated is then the
// sum over the substeps: a row that is caught in one of them holds in the next at no rate, and
// with the impulse of all and the rate before all the loss would come out too high. `impulse` times
// the multipliers is the impulse of the substep of h [N s]. NULL: nobody keeps a ledger.
void rl_ledger_substep(rl_ledger *ledger, const rl_model *model, const rl_state *state,
                       rl_rows *rows, double impulse, double h);

// A method that gives two impulses in a step, along the gradients of its start and of its end,
// calls this between the two, with `impulse` and h as above and the rates of all rows along the
// ones and the others [count]: a hit is then booked as these two, of all rows. NULL: nobody keeps a
// ledger.
void rl_ledger_half(rl_ledger *ledger, const rl_state *state, const rl_rows *rows, double impulse,
                    double h, uint32_t count, const double *ended, const double *begun);

// Books what a bounce after a substep has lost [J], if it is a hit or something was caught before
// in the step; the next substep begins with the rates there are now. NULL: nobody keeps a ledger.
void rl_ledger_bounce(rl_ledger *ledger, const rl_model *model, const rl_state *state,
                      rl_rows *rows, double lost, bool is_hit);

// Adds to info->rubbed what Coulomb friction takes in a step, -T.u with u the mean of the slide at
// the velocities before the step and at the state's, and to info->work what driven bodies do
// through it. T is `scale` times the impulse of each contact across its normal [N s].
void rl_ledger_friction(const rl_rows *rows, const rl_state *state, const rl_vec3 *impulses,
                        double scale, const rl_vec3 *before, rl_step_info *info);

#endif
