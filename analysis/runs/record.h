// SPDX-License-Identifier: GPL-3.0-or-later
// What a run records: series.csv, iterations.csv, snapshots.csv, the trajectory, and a summary. The
// closed form of the scenario, if it has one, is recorded beside the run.
#ifndef RL_RECORD_H
#define RL_RECORD_H

#include "metrics.h"
#include "scenario.h"

// The summary of a run. "Largest" values are over the recorded rows.
typedef struct rl_summary {
  uint64_t steps_done, iterations, row_evaluations;
  uint64_t slipped_off;      // times a rope slipped off a body
  uint64_t parted, unparted; // elements parted and ends released; those without a spare node
  uint64_t halved;    // steps that gained energy and were made again in parts, (24a) of changes.md
  uint64_t unsettled; // steps that used all iterations before reaching the tolerance
  double unsettled_residual; // largest known residual of those [m]; 0: none
  double seconds;            // wall-clock time in steps
  double energy_error, energy_error_max, energy_scale; // [J]
  double energy_gain_max, energy_loss_max; // largest positive and negative energy error [J]
  double dissipated, given_back_max; // the last; the largest fall from one row to the next [J]
  double energy_left_max;            // most that work has left in what moves, without the error [J]
  double stretch_max, stretch_end;
  double length_error_max, penetration_max; // [m]
  rl_overlap overlap;                       // the largest, by share
  double tension_max;                       // [N]
  double momentum_scale;                    // largest sum of m |v| so far [kg m/s]
  double momentum_drift;  // largest change / momentum_scale; nan where something acts from outside
  double residual;        // of the last step [m]
  double exact_error_max; // nan without a closed form
  double error_estimate;  // of the positions at the end [m]; nan: the solver has none
  double estimated_until; // last time at which it had one [s]
} rl_summary;

// The fixed columns of series.csv, ended by a NULL name; the probes follow them in the file.
typedef struct rl_column {
  const char *name;
  const char *help;
} rl_column;

extern const rl_column rl_columns[];

typedef struct rl_recorder rl_recorder;

// Opens the files in `folder`, a string that has to outlive the recorder, and writes their headers.
// Returns NULL with errno set.
rl_recorder *rl_recorder_create(const char *folder, const rl_scenario *scenario,
                                const rl_driver *driver);

// Writes a row of series.csv for the current state and, if `with_frame`, a trajectory frame.
void rl_record_row(rl_recorder *recorder, const rl_driver *driver, bool with_frame);

// Writes the residuals of the last step to iterations.csv.
void rl_record_trace(rl_recorder *recorder, const rl_driver *driver);

// Writes the current positions, and the ropes as the solver draws them, to snapshots.csv.
void rl_record_snapshot(rl_recorder *recorder, const rl_driver *driver);

// Whether everything so far could be written.
bool rl_recorder_is_good(const rl_recorder *recorder);

// Closes the files, writes the trajectory's XDMF description and frees the recorder. Returns false
// with errno set if anything could not be written.
bool rl_recorder_close(rl_recorder *recorder, rl_summary *summary);

// The summary so far; the time loop adds its own counts to it.
rl_summary *rl_recorder_summary(rl_recorder *recorder);

#endif
