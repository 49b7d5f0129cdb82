// SPDX-License-Identifier: GPL-3.0-or-later
// The energy ledger: energies of a state, work done from outside, and what physics dissipates.
// What is left over is the error of the method.
#ifndef RL_LEDGER_H
#define RL_LEDGER_H

#include "solver.h"

struct rl_bounce; // bodies/bounce.h

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

// (8) of papers/world.md: returns the energies of all that moves; `elastic` is that of elastic
// ropes.
rl_energy rl_state_energy(const rl_model *model, const rl_state *state);

// Returns the momentum of all that moves.
rl_momentum rl_state_momentum(const rl_model *model, const rl_state *state);

// Returns the loss in the dampers of elastic ropes in h [s] at the state's velocities: the sum of
// (lambda - k C) (dC/dt) h over strained elements [J]. For methods that do not compute the force of
// a damper by itself.
double rl_damper_loss(const rl_model *model, const rl_state *state, rl_rows *rows, double h);

// What the ledger remembers of every row from the start of a step.
typedef struct rl_ledger rl_ledger;

// Returns the memory of a ledger [bytes].
size_t rl_ledger_bytes(const rl_model *model);

// Creates a ledger for a model; NULL when out of memory. Free it with rl_ledger_free.
rl_ledger *rl_ledger_create(const rl_model *model);
void rl_ledger_free(rl_ledger *ledger);

// Copies what is kept from step to step between ledgers of the same model.
void rl_ledger_copy(rl_ledger *to, const rl_ledger *from, const rl_model *model);

// Returns the work of what is prescribed, and of winches, on all rows in a step of dt that has been
// solved [J].
double rl_ledger_work(const rl_ledger *ledger, const rl_model *model, const rl_state *state,
                      rl_rows *rows, double dt);

// Call before the step (after rl_detect) and after it. `end` adds to state->work and, if `impacts`,
// to state->dissipated:
//   work        lambda dt (rate at which driven bodies lengthen the row), mean of both ends
//   dissipated  P (u0 + u1) / 2 with P = lambda dt and u the row's rate before and after, for rows
//               that were not active at the start of the step or whose prescribed rate jumps: an
//               inelastic catch, P |change of u| / 2 when it stops the row. If the rate of a row
//               jumps under a load, P is without that load, (10), (10a) of papers/world.md.
//               Friction of contacts, `rubbed`, is included: in a hit one may gain what the other
//               loses
// No `impacts` for a method whose stand-in springs store the energy of a catch. What friction takes
// where its ropes slip is in `rubbed` too.
void rl_ledger_begin(rl_ledger *ledger, const rl_model *model, const rl_state *state,
                     rl_rows *rows);
void rl_ledger_end(rl_ledger *ledger, const rl_model *model, rl_state *state, rl_rows *rows,
                   double dt, bool impacts, double rubbed);

// (10b) Between them: tells that the impulses of the step have acted along the rows as they were
// evaluated at its start, and still are.
void rl_ledger_hold(rl_ledger *ledger, const rl_state *state, const rl_rows *rows);

// (10a) of papers/world.md, before the first step, when there are no multipliers. `still`: the
// state after a step from the same places in which everything starts at rest and nothing is driven;
// its multipliers are the loads of rows whose prescribed rate jumps in the first step.
void rl_ledger_start(rl_ledger *ledger, const rl_model *model, const rl_state *still);

// What a method that knows in which directions its impulses acted tells of a row, in place of what
// is booked with the rates of the row where the step begins and ends, (8a) and (8b) of
// papers/wraps.md: the loss along its gradient, that by friction where a rope slips, and the work
// of what is prescribed [J].
typedef struct rl_told {
  double along, rubbed, work;
} rl_told;

// Adds that to what was told of the row in this step. If a strand of a rope is caught, `along` is
// booked for all strands of it.
void rl_ledger_tell(rl_ledger *ledger, uint32_t source, rl_told told);

// Returns of which rows the last step has only begun a catch: it has used up their slack
// [links + contact capacity]; of the strands of a massless rope at its link.
const bool *rl_ledger_begun_catches(const rl_ledger *ledger);

// Tells that an element has changed between two steps, and with it the rate of its row: the change
// of that rate in the next step is an impact.
void rl_ledger_jolt(rl_ledger *ledger, uint32_t link);

// Tells that contacts were found again between two steps: what is known of each follows it.
void rl_ledger_follow(rl_ledger *ledger, const rl_model *model, const rl_state *state,
                      const rl_rows *rows);

// Whether a push of a hard row in this step may be an impact: it is loose, or its rate jumps. Here
// and below, a ledger of NULL means that none is kept.
bool rl_ledger_expects_hit(const rl_ledger *ledger);

// Whether this step has an impact, with the state's multipliers, that `end` would book.
bool rl_ledger_is_hit(const rl_ledger *ledger, const rl_state *state, const rl_rows *rows);

// Adds the loss of the impulse [N s] on an element, for a method that knows the direction in which
// it acted, in place of what `end` would book. `rate` is the mean rate along it of what is not
// driven [m/s]; that of driven bodies and winches is added by `end`, the same as in their work. It
// counts if the element was caught, with `all` also if it only bears with others; not if its
// prescribed rate jumps.
void rl_ledger_catch(rl_ledger *ledger, uint32_t link, double impulse, double rate, bool all);

// Books a substep of h [s] of a method with several: the loss of a step is then the sum over its
// substeps. With the impulse of all substeps and the rate before the first it would be too high,
// since a row that is caught in one of them holds in the next ones at no rate. `impulse` times the
// multipliers is the impulse of the substep [N s].
void rl_ledger_substep(rl_ledger *ledger, const rl_model *model, const rl_state *state,
                       rl_rows *rows, double impulse, double h);

// Books the first of two impulses of a step, along the gradients of its start (the second is along
// those of its end), with `impulse` and h as above and the rates of all rows along both [count]: a
// hit is booked as these two, of all rows.
void rl_ledger_half(rl_ledger *ledger, const rl_state *state, const rl_rows *rows, double impulse,
                    double h, uint32_t count, const double *ended, const double *begun);

// Books what a bounce after a substep has lost: by friction, and along the rows if it is a hit, or
// if something was caught before in the step. The next substep begins with the present rates.
void rl_ledger_bounce(rl_ledger *ledger, const rl_model *model, const rl_state *state,
                      rl_rows *rows, const struct rl_bounce *bounce);

// (5c) of papers/world.md: adds to info->rubbed what Coulomb friction takes in a step, -T.u with u
// the mean of the slide at the velocities before the step and at the state's, and to info->work
// what driven bodies do through it. T is `scale` times the impulse of each contact across its
// normal [N s].
void rl_ledger_friction(const rl_rows *rows, const rl_state *state, const rl_vec3 *impulses,
                        double scale, const rl_vec3 *before, rl_step_info *info);

#endif
