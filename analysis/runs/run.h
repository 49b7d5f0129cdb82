// SPDX-License-Identifier: GPL-3.0-or-later
// One run of one solver on one scenario, recorded in a folder.
#ifndef RL_RUN_H
#define RL_RUN_H

#include "scenario.h"
#include "signals.h"
#include "solver_spec.h"
#include "world/driver.h"

// Exit statuses of the program.
enum {
  RL_EXIT_DONE = 0,
  RL_EXIT_FAILED = 1,
  RL_EXIT_USAGE = 2,
  RL_EXIT_DIVERGED = 3,
  RL_EXIT_UNSUPPORTED = 4,
  RL_EXIT_DIFFERENT = 5,
  RL_EXIT_DISK_FULL = 6, // of a run; the program ends with RL_EXIT_FAILED
  RL_EXIT_INTERRUPTED = 130
};

typedef struct rl_run_options {
  double step;            // [s]; nan: the scenario's
  double duration;        // [s]; nan: the scenario's
  double every;           // [s] between rows of series.csv; nan: every step
  double frames_every;    // [s] between frames of trajectory.h5; 0: as many as a film needs
  uint64_t trace;         // residuals of every K-th step are recorded; 0: of the last step only
  const char *comparison; // the command of the comparison it belongs to; NULL: none
  double limit;           // processor time after which the run is given up [s]; nan: no limit
  bool force;             // replace an existing result
  bool resume;            // keep an existing result if it is complete and of the same run
  const char *cache;      // folder of the runs that studies share; NULL: not used
  bool quiet;             // no progress and no notes on stderr
} rl_run_options;

// The steps of a run and which of them are recorded.
typedef struct rl_schedule {
  uint64_t steps;
  uint64_t every;        // steps between rows of series.csv
  uint64_t frames_every; // steps between frames of trajectory.h5, a multiple of `every`
  double dt;             // [s]
} rl_schedule;

// Plans max(1, round(duration / step)) equal steps. Returns false with a message if there would be
// more than RL_STEPS_MAX.
bool rl_run_schedule(const rl_scenario *scenario, const rl_run_options *options,
                     rl_schedule *schedule, char *message, size_t size);

// The same with the message on stderr. Unless the options say quiet, it also notes a step that had
// to be adjusted, and odd events and ropes (event_notes.h).
bool rl_run_plan(const rl_scenario *scenario, const rl_run_options *options, rl_schedule *schedule);

// Creates a driver for a solver on a scenario; NULL when out of memory. A signal also interrupts a
// step that is being made, which then returns RL_RUNNING.
rl_driver *rl_run_driver(const rl_scenario *scenario, const rl_solver_spec *solver, double dt);

// Whether the folder holds any file of a run.
bool rl_run_has_result(const char *folder);

// Removes these files; false with errno set.
bool rl_run_remove_result(const char *folder);

// Writes the reason of a run that was given up at its time limit [s].
void rl_describe_limit(double limit, char *reason, size_t size);

// Returns the memory of a run [bytes], but for the matrix of a direct method, which grows with what
// touches.
double rl_run_bytes(const rl_scenario *scenario, const rl_solver_spec *solver);

// Whether there is as much; else says what asks for it.
bool rl_run_fits(const rl_scenario *scenario, const rl_solver_spec *solver, char *why, size_t size);

// Runs and records. Makes the folder; replaces an existing result only with `force`, and refuses a
// folder that another run is writing into. Returns an exit status, with a message on stderr unless
// it is RL_EXIT_DONE.
int rl_run(const rl_scenario *scenario, const rl_solver_spec *solver, const rl_run_options *options,
           const char *folder, const char *command);

#endif
