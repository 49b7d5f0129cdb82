// SPDX-License-Identifier: GPL-3.0-or-later
// What a run records: series.csv, iterations.csv, snapshots.csv and the trajectory, and the numbers
// that sum it up. A closed form, if the scenario has one, is recorded beside.
#ifndef RL_RECORD_H
#define RL_RECORD_H

#include "metrics.h"
#include "scenario.h"

typedef struct rl_summary {
  uint64_t steps_done, iterations, row_evaluations;
  uint64_t slipped_off;      // how often a rope slipped off a body
  uint64_t parted, unparted; // what came apart, and what could not for want of a spare node
  uint64_t unsettled;        // steps that ended short of the tolerance
  double unsettled_residual; // the largest of theirs that is known [m]; 0: none
  double seconds;            // spent in steps, wall clock
  double energy_error, energy_error_max, energy_scale; // [J]
  double energy_gain_max, energy_loss_max;             // what the method had made, and lost [J]
  double stretch_max, stretch_end;
  double length_error_max, penetration_max; // [m]
  double tension_max;                       // [N]
  double momentum_scale;                    // largest sum m |v| so far [kg m/s]
  double momentum_drift;  // relative to that; nan unless nothing acts from outside
  double residual;        // of the last step [m]
  double exact_error_max; // nan without a closed form
  double error_estimate;  // of the positions at the end [m]; nan where the method has none
  double estimated_until; // the last time at which it had one [s]
} rl_summary;

// The fixed columns of series.csv, ended by a NULL name; probes follow them.
typedef struct rl_column {
  const char *name;
  const char *help;
} rl_column;

extern const rl_column rl_columns[];

typedef struct rl_recorder rl_recorder;

// Opens the files in a folder, whose name outlives the recorder, and writes their headers. NULL
// with errno set.
rl_recorder *rl_recorder_create(const char *folder, const rl_scenario *scenario,
                                const rl_driver *driver);

// A row of series.csv for the state now and, if wanted, a frame of the trajectory.
void rl_record_row(rl_recorder *recorder, const rl_driver *driver, bool with_frame);

// The residuals of the last step, as rows of iterations.csv.
void rl_record_trace(rl_recorder *recorder, const rl_driver *driver);

// The positions now, and the ropes as the solver draws them, as rows of snapshots.csv.
void rl_record_snapshot(rl_recorder *recorder, const rl_driver *driver);

// False once something could not be written.
bool rl_recorder_is_good(const rl_recorder *recorder);

// Closes the files and describes the trajectory for ParaView. False if anything could not be
// written, with errno set.
bool rl_recorder_close(rl_recorder *recorder, rl_summary *summary);

// The summary so far, for the numbers that the recorder watches.
rl_summary *rl_recorder_summary(rl_recorder *recorder);

#endif
