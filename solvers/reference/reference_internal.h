// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by reference.c and reference_*.c, private to them: the two runs of the solver, and what
// ends their internal steps. Equation numbers in these files are those of papers/reference.md,
// unless another note is named.
#ifndef RL_REFERENCE_INTERNAL_H
#define RL_REFERENCE_INTERNAL_H

#include "choice.h"

#include <gsl/gsl_odeiv2.h>

// What ends an internal step before its time.
typedef enum rl_happening { RL_NOTHING, RL_A_ROW, RL_A_GRIP, RL_A_WRAP, RL_A_RING } rl_happening;

// One of the two ways in which a scene is carried.
typedef struct rl_truth_run {
  rl_state *state;
  double tolerance;
  int substeps;         // equal internal steps in a step; 0: as the tolerance asks
  double lead;          // (11a)
  double bits;          // (11b)
  double lead_in;       // (11d) of the scene
  rl_decisions decides; // (11c), (11e), (11f), (11g)
  double shortest;      // internal step, of a step
  double h;             // what the next internal step tries [s]; 0: not known
  rl_choice choice;     // at the end of the last step
  bool is_behind_event; // something has happened at the end of the last internal step
} rl_truth_run;

typedef struct rl_truth {
  const rl_model *model;
  const double *parameters;
  gsl_odeiv2_step *stepper;
  gsl_odeiv2_control *control;
  rl_equations equations;
  double *y, *error, *y_start, *rates; // [dimension] of an internal step; the last at its start
  double *rates_end;                   // [dimension] and at its end
  rl_state *before;                    // the state at its start
  rl_state *listed;                    // that of which the list of contacts was made
  rl_state *judged;                    // the same, with the grips that its end asks for
  double *slips;                       // [2 wraps of a rope] over each of them [m/s]
  rl_truth_run truth, companion;
  bool has_companion;
  bool creeps;           // elastic ropes rub: marks move on between internal steps
  double since;          // from when on the impulses of the last rows count [s]
  double event_at_start; // of an internal step: rl_equations_event
  rl_truth_run *current; // the run that is integrated
  rl_gauge *gauges[2];   // [unknowns] at both ends of the time in which something happens
  rl_happening found;    // in the internal step last finished
  double settled;        // estimate when the companion last went on from the state [m]
  double apart;          // the largest distance of the two since then [m]
  uint64_t step;         // that was last begun
  rl_reason failure;     // why the last step could not be done; it is not tried again
} rl_truth;

// ---------------------------------------------------------------------------------------------
// reference_events.c: one internal step, and when something happens in it

// Returns the dimension of y in an internal step: impulses are those of the rows that there are.
size_t rl_truth_dimension(const rl_truth *self);

// Makes one step of rk8pd from the start of the internal step, without projection.
int rl_truth_apply(rl_truth *self, double h);

// Makes y, at the end of an internal step of h, the state, on the rows; computes the rates there.
// Not GSL_SUCCESS where there are none.
int rl_truth_finish(rl_truth *self, double h);

// Makes the forces at the end of an internal step the multipliers of the state.
void rl_truth_write_multipliers(const rl_truth *self);

// Keeps the gauges of the rows as those at the start (0) or the end (1) of an internal step.
void rl_truth_keep_gauges(rl_truth *self, int end);

// Returns how fast, over the largest speed, a wrap of any rope that slips would go back; what
// sticks then is marked in `judged`. Not above 0: none does.
double rl_truth_stop_event(rl_truth *self);

// Returns what has happened in an internal step of `h` that was finished, above 0 if something has
// (`found`); `h` becomes shorter where it is over by its end.
double rl_truth_find_event(rl_truth *self, double *h);

// (10) Goes back to where the first thing happened in an internal step of h at whose end `after`
// was found: by cubics and false position, and by halves where that creeps, within what rounding
// resolves. Returns the time from the start of the internal step [s].
double rl_truth_locate(rl_truth *self, double h, double after);

// ---------------------------------------------------------------------------------------------
// reference_change.c: what a run goes on with behind an event, at t within the step of dt [s]

// Chooses who acts. Where a blow needs more friction than there is, the wrap slips in it; where a
// wrap slips in it and would slip back behind it, it sticks.
void rl_truth_choose(rl_truth *self, double t, double dt, rl_step_info *info);

// Goes on from where something has happened, h after the start of the internal step: with the wraps
// and the rows that there are now.
void rl_truth_go_on(rl_truth *self, double t, double h, double dt, rl_step_info *info);

#endif
