// SPDX-License-Identifier: GPL-3.0-or-later
// The driver: one run of one solver on one model. It owns the state, moves driven bodies, applies
// events, calls the solver, keeps the energy ledger and detects divergence. Every run uses it.
#ifndef RL_DRIVER_H
#define RL_DRIVER_H

#include "ledger.h"
#include "ropes/elements.h"
#include "solver.h"

// A change of the scene that is reported to the user.
typedef enum rl_change_kind {
  RL_CHANGE_TORN,     // an element, by its tension
  RL_CHANGE_CUT,      // an element, by an event
  RL_CHANGE_RELEASED, // an end of a rope, or a body
  RL_CHANGE_UNMET,    // an element did not part for want of a spare node
  RL_CHANGE_UNGROWN,  // no spare node to pay out: the element at the winch gets longer
  RL_CHANGE_EMPTY,    // less rope was left than a winch takes in within a step: it stops
  RL_CHANGE_DRAWN,    // an end is drawn into its eye, or two eyes together: the run stops
} rl_change_kind;

typedef struct rl_change {
  rl_change_kind kind;
  double time;      // [s]
  uint32_t rope;    // RL_NONE: a body was released
  uint32_t element; // index in the rope; RELEASED, EMPTY, DRAWN: the end, 0 `from`, 1 `to`, or
                    // RL_NONE: a winch inside the rope, two eyes
  uint32_t body;    // the body released, or RL_NONE
  double tension;   // of the element in the last step [N]
  double length;    // EMPTY: rope that is left [m]
} rl_change;

typedef struct rl_driver {
  const rl_model *model;
  const rl_solver_type *type;
  double parameters[RL_PARAMETERS_MAX];
  void *memory;
  void *allocation;
  rl_state *state;
  bool is_halved;    // the last step gained, and was made again in parts, (24a) of changes.md
  uint32_t trials;   // number of trials of the last step, until all grips agreed
  bool stands_still; // the present trial holds driven bodies at rest

  // Copies of the state from which a step is repeated; each is NULL where it is not needed.
  rl_state *before;  // for ropes over bodies: its wraps carry the grips that are tried
  rl_state *gripped; // for eyes with friction on ropes with mass: its `grips` are those tried
  rl_state *reeled;  // for winches limited by a tension: its rates are those tried
  rl_state *first;   // for driven bodies: before the first step, which is tried at rest
  rl_state *undone;  // for steps that can be aborted: before the step and its events
  rl_state *whole;   // for ropes over bodies: before a step that may be too long
  rl_state *part;    // and before a part of it, but for the first
  rl_state *calmest; // the same, before that trial of a step that has gained least
  rl_state *caught;  // for ropes that rub on bodies: before a catch, with the grips that are tried
  rl_state *swept;   // for swipes that take time: before the step that is swept
  rl_rows *rows;
  rl_ledger *ledger;
  rl_ledger *whole_ledger; // of the state `whole`, or NULL
  rl_ledger *part_ledger;  // of the state `part`, or NULL
  rl_step_info info;       // of the last step; set want_residual, trace and watch before a step
  double stored;           // in the springs of the method at the start of the step [J]
  double dt;               // length of the step, or of the part of a step being made [s]
  rl_energy start;         // energies at the start
  double energy_scale; // the energy that the scene can hold, as far as is known at the start [J]
  double most_fall;    // most energy that gravity has given beyond its part of that [J]
  double gain_limit;   // a larger gain of energy, work aside, counts as divergence [J]
  double most_work;    // most work done from outside, or taken, up to the end of a step [J]
  // The changes before and after the last step, in that order.
  rl_change *changes;
  size_t change_count, change_capacity;
  bool *is_empty;  // [event_count] the winch stopped before the last step for want of rope
  bool *has_acted; // [event_count] the cut or release has parted something, or lacked a spare node
  bool is_stopped; // a rope that stops the run had no spare node left, or an end is drawn in
} rl_driver;

// Returns the capabilities that the model needs and the solver lacks; 0: the solver can run it.
uint32_t rl_driver_missing(const rl_model *model, const rl_solver_type *type);

// Returns the memory of a driver [bytes], without that of the model and of the matrices that direct
// methods make grow in their steps.
size_t rl_driver_bytes(const rl_model *model, const rl_solver_type *type);

// Creates a driver for steps of dt [s]. `parameters`: one value each, in the order of the type's
// table; NULL: the defaults. Returns NULL when out of memory, if model or type is NULL, if there
// is no rope, if the type cannot run the model (rl_driver_missing) or does not take a parameter,
// and if dt is not finite and positive. The model must outlive the driver.
rl_driver *rl_driver_create(const rl_model *model, const rl_solver_type *type,
                            const double *parameters, double dt);
void rl_driver_free(rl_driver *driver);

// Continues from another state of the same model, such as that of another solver.
void rl_driver_set_state(rl_driver *driver, const rl_state *state);

// Applies the events that are due, makes one step, and parts elements loaded beyond their strength.
// Returns the reason why the step ended. Negative: diverged; the state is as the method left it.
// RL_RUNNING: info.watch has aborted the step; the state is that before it. RL_STOPPED: a rope that
// stops the run has to part and has no spare node, or a taut rope would draw its end into an eye in
// this step; no more steps are made then.
rl_reason rl_driver_step(rl_driver *driver);

// Whether the last step ended before its tolerance was reached; false for methods without one, or
// with a tolerance of 0.
bool rl_driver_is_unsettled(const rl_driver *driver);

// Returns the present energies, with those in the method's own springs.
rl_energy rl_driver_energy(const rl_driver *driver);

// (9) of papers/world.md: returns energy(t) - energy(0) - work + dissipated [J]: the energy error
// of the method.
double rl_driver_energy_error(const rl_driver *driver);

#endif
