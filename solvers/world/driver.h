// SPDX-License-Identifier: GPL-3.0-or-later
// The driver: one run of one solver on one model. It owns the state, moves driven bodies, calls
// the solver, keeps the energy ledger and notices when a run has blown up. Every caller uses it.
#ifndef RL_DRIVER_H
#define RL_DRIVER_H

#include "ledger.h"
#include "ropes/elements.h"
#include "solver.h"

// What came apart, or could not for want of a spare node, and what winches ran out of, and when.
typedef enum rl_change_kind {
  RL_CHANGE_TORN,     // by its tension
  RL_CHANGE_CUT,      // by an event
  RL_CHANGE_RELEASED, // an end of a rope, or a body
  RL_CHANGE_UNMET,    // no spare node was left to part at
  RL_CHANGE_UNGROWN,  // nor one to pay out: the element at the winch gets longer
  RL_CHANGE_EMPTY,    // less rope was left than a winch takes in within a step: it stops
  RL_CHANGE_DRAWN,    // an end is drawn into its eye, or two eyes together: the run stops
} rl_change_kind;

typedef struct rl_change {
  rl_change_kind kind;
  double time;      // [s]
  uint32_t rope;    // RL_NONE: a body was let go
  uint32_t element; // of the rope; released, drawn in or out of rope: its end, 0 `from`, 1 `to`, or
                    // RL_NONE: a winch inside the rope, two eyes
  uint32_t body;    // let go, or RL_NONE
  double tension;   // of the element in the last step [N]
  double length;    // of rope that is left where a winch stops [m]
} rl_change;

typedef struct rl_driver {
  const rl_model *model;
  const rl_solver_type *type;
  double parameters[RL_PARAMETERS_MAX];
  void *memory;
  void *allocation;
  rl_state *state;
  uint32_t trials;   // how often the last step was made, until all wraps agreed
  bool stands_still; // a trial in which nothing is driven

  // Copies of the state from which a step is made again, each NULL where no step can be.
  rl_state *before;  // ropes lie on bodies: until all wraps agree; its wraps carry what is tried
  rl_state *gripped; // ropes with mass rub in eyes; its `grips` carry what is tried
  rl_state *reeled;  // winches are limited by a tension; its rates carry what is tried
  rl_state *first;   // something is driven: the first step, tried at rest
  rl_state *undone;  // the method's steps can be ended from outside: before them, and their events
  rl_state *whole;   // ropes run into bodies: before a step, or a part of one, that is too long
  rl_state *swept;   // swipes take time: where ropes were, for what a swipe has met meanwhile
  rl_rows *rows;
  rl_ledger *ledger;
  rl_ledger *whole_ledger; // of the state `whole`, or NULL
  rl_step_info info;       // of the last step; set want_residual, trace and watch before a step
  double dt;               // [s], of a part of a step while it is made
  rl_energy start;         // energies at the start
  double energy_scale;     // all energy the scene can hold [J]
  double gain_limit; // what a method cannot have made of it, work aside, but by blowing up [J]
  // What came apart before and after the last step, in that order.
  rl_change *changes;
  size_t change_count, change_capacity;
  bool *is_empty;  // [event_count] the winch was stopped before the last step, for want of rope
  bool *has_acted; // [event_count] the cut or release has parted something, or lacked a spare node
  bool is_stopped; // a rope that stops the run had no spare node left, or an end is drawn in
} rl_driver;

// Capabilities that the model needs and the solver lacks; 0 when it can run it.
uint32_t rl_driver_missing(const rl_model *model, const rl_solver_type *type);

// The memory of a driver, without that of the model [bytes].
size_t rl_driver_bytes(const rl_model *model, const rl_solver_type *type);

// `parameters`: one value each, in the order of the type's table; NULL: the defaults.
// NULL when out of memory, where there is no model or type, where the type cannot run the model
// (rl_driver_missing) or does not take a parameter, and for a step [s] that is not finite and above
// 0. The model must outlive the driver.
rl_driver *rl_driver_create(const rl_model *model, const rl_solver_type *type,
                            const double *parameters, double dt);
void rl_driver_free(rl_driver *driver);

// Goes on from another state of the same model, such as another solver's, and tells the solver.
void rl_driver_set_state(rl_driver *driver, const rl_state *state);

// One step, the events before it, and what tears after it. Negative: diverged; the state is as the
// method left it. RL_RUNNING: info.watch has ended it; the state is that before it. RL_STOPPED: a
// rope that stops the run shall part and has no spare node, or a taut one would draw its end into
// an eye in this step; from then on there are no more steps.
rl_reason rl_driver_step(rl_driver *driver);

// Whether the last step ended without what the tolerance asks for. Methods that have none, or one
// of 0, do not know.
bool rl_driver_is_unsettled(const rl_driver *driver);

// Energies now, those in the method's own springs included.
rl_energy rl_driver_energy(const rl_driver *driver);

// energy(t) - energy(0) - work + dissipated [J]: what the method added or lost.
double rl_driver_energy_error(const rl_driver *driver);

#endif
