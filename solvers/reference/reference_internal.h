// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by reference.c and reference_*.c, private to them: the two runs of the solver, and what
// ends their internal steps. Equation numbers in these files are those of papers/reference.md,
// unless another note is named.
#ifndef RL_REFERENCE_INTERNAL_H
#define RL_REFERENCE_INTERNAL_H

#include "choice.h"

#include <gsl/gsl_odeiv2.h>

// The kinds of event: of a row or a contact, of a grip, of the list of wraps, of a node at an eye.
typedef enum rl_happening { RL_NOTHING, RL_A_ROW, RL_A_GRIP, RL_A_WRAP, RL_A_RING } rl_happening;

// One of the two runs, (11).
typedef struct rl_integration_run {
  rl_state *state;
  double tolerance;
  int substeps;         // equal internal steps in a step; 0: as the tolerance asks
  double lead;          // (11a) factor of the first internal step after an event
  double bits;          // (11b) q/x
  double lead_in;       // (11d) of the scene
  rl_decisions decides; // (11c), (11e), (11f), (11g)
  double shortest;      // internal step, of a step: taken whatever its error
  double h;             // length of the next internal step [s]; 0: not known
  rl_choice choice;     // at the end of the last step
  bool is_behind_event; // the last internal step ended with an event
} rl_integration_run;

// The memory of the solver: its two runs, and the internal step that one of them makes.
typedef struct rl_integration {
  const rl_model *model;
  const double *parameters;
  gsl_odeiv2_step *stepper;
  gsl_odeiv2_control *control;
  rl_equations equations;
  double *y, *error;  // [dimension] at the end of an internal step
  double *y_start;    // [dimension] and at its start
  double *rates;      // [dimension] dy/dt at its start
  double *rates_end;  // [dimension] and at its end
  rl_state *before;   // the state at its start
  rl_state *listed;   // the state for which the list of contacts was made
  rl_state *judged;   // `before` with the grips that the end of the step asks for
  rl_state *slipping; // `before` with the grips with which a strand jams
  double *slips;      // [2 wraps of a rope] over each of them [m/s]
  rl_integration_run run, companion;
  bool has_companion;
  bool creeps;                 // elastic ropes rub: marks move on between internal steps
  double since;                // time within the step from which the impulses of rows count [s]
  double event_at_start;       // rl_equations_event at the start of an internal step
  rl_integration_run *current; // the run that is integrated
  rl_gauge *gauges[2];         // [unknowns] at both ends of the time in which an event is located
  rl_happening found;          // event in the internal step last finished
  double stored;  // rl_integration_stored at the last trial end without an event, or its start [J]
  double settled; // estimate when the companion last began from the state [m]
  double apart;   // largest distance between the two runs since then [m]
  uint64_t step;  // number of the step last begun
  rl_reason failure; // why the last step failed; it is not tried again
} rl_integration;

// Returns the time of a step of dt in which the impulses of row m count [s].
static inline double rl_integration_counted_time(const rl_integration *self, uint32_t m,
                                                 double dt) {
  return dt - (m < self->model->link_count ? 0.0 : self->since);
}

// ---------------------------------------------------------------------------------------------
// reference_events.c: one internal step, and the events in it

// Returns the dimension of y for the present rows.
size_t rl_integration_dimension(const rl_integration *self);

// Makes one step of rk8pd from the start of the internal step, without projection.
int rl_integration_apply(rl_integration *self, double h);

// Ends an internal step of h [s]: makes y the state, projects it on to the rows, (6), and computes
// the rates there. Returns GSL_SUCCESS unless there are none.
int rl_integration_finish(rl_integration *self, double h);

// Writes the forces at the end of an internal step into the state's multipliers.
void rl_integration_write_multipliers(const rl_integration *self);

// Keeps the gauges of the rows as those at the start (0) or the end (1) of an internal step.
void rl_integration_keep_gauges(rl_integration *self, int end);

// Returns how far beyond 0, over the largest speed or force, the slip of a wrap has reversed after
// an internal step of `h` [s], of a strand that pulls; in `judged` that wrap then sticks. At most 0
// if none has. With an `h` of 0 the rest lengths of the state are those at its time.
double rl_integration_stop_event(rl_integration *self, const double *pulls, double h);

// Returns the largest gauge after an internal step of `h`, above 0 if there is an event (`found`).
// If a contact has begun and ended within it, (10a), `h` becomes shorter.
double rl_integration_find_event(rl_integration *self, double *h);

// (10) Goes back to the first event of an internal step of h with the gauge `after` at its end, by
// cubics and false position, and by bisection where these are slow. Returns its time from the start
// of the internal step [s].
double rl_integration_locate(rl_integration *self, double h, double after);

// Returns the strand within which rope runs over a wrap; NULL if there is none.
rl_row *rl_integration_strand_over(const rl_equations *equations, uint32_t rope, uint32_t wrap);

// Returns the strain energy of elastic ropes over bodies on which nothing rubs [J].
double rl_integration_stored(const rl_integration *self);

// ---------------------------------------------------------------------------------------------
// reference_change.c: rows, grips and wraps after an event, at t within the step of dt [s]

// Chooses the active rows. In a catch a wrap slips if it needs more friction than it has, and
// sticks if it would slip back afterwards ("Catches").
void rl_integration_choose(rl_integration *self, double t, double dt, rl_step_info *info);

// Goes on after an event, h after the start of the internal step, with the wraps and rows that
// there are now.
void rl_integration_go_on(rl_integration *self, double t, double h, double dt, rl_step_info *info);

#endif
