// SPDX-License-Identifier: GPL-3.0-or-later
// One run of one solver on one scenario, recorded into a folder.
#ifndef RL_RUN_H
#define RL_RUN_H

#include "scenario.h"
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
  RL_EXIT_INTERRUPTED = 130
};

typedef struct rl_run_options {
  double step;            // [s]; nan: the scenario's
  double duration;        // [s]; nan: the scenario's
  double every;           // [s] between rows of series.csv; nan: every step
  double frames_every;    // [s] between frames of trajectory.h5; 0: as many as a film needs
  uint64_t trace;         // residuals of every K-th step; 0: of the last
  const char *comparison; // the command of the comparison it belongs to; NULL: none
  double limit;           // [s] of processor time, after which the run is given up; nan: none
  bool force;             // replace results that are there
  bool resume;            // but keep one that is complete and of the very same run
  const char *cache;      // where runs are that studies have in common; NULL: not for this one
  bool quiet;             // no progress and no notes on stderr
} rl_run_options;

// How a run goes through time.
typedef struct rl_schedule {
  uint64_t steps;
  uint64_t every;        // steps between rows of series.csv
  uint64_t frames_every; // and between those that are frames of trajectory.h5, too
  double dt;             // [s]
} rl_schedule;

// Plans max(1, round(duration / step)) equal steps. False, with why, if nobody could count them.
bool rl_run_schedule(const rl_scenario *scenario, const rl_run_options *options,
                     rl_schedule *schedule, char *message, size_t size);

// The same, with that said on stderr; so are a step that had to be changed and what is odd about
// the events, unless the options say quiet.
bool rl_run_plan(const rl_scenario *scenario, const rl_run_options *options, rl_schedule *schedule);

// Ignores SIGXFSZ and SIGPIPE, and catches SIGINT and SIGTERM: they end the program at once, or,
// after rl_run_begin_writing, as soon as what is written is valid; a second SIGINT does not wait.
void rl_run_catch_signals(void);
void rl_run_begin_writing(void);
bool rl_run_interrupted(void);

// A driver for a solver on a scenario; a signal ends its step also within it, which is RL_RUNNING
// then. NULL when out of memory.
rl_driver *rl_run_driver(const rl_scenario *scenario, const rl_solver_spec *solver, double dt);

// Whether the folder holds a result already.
bool rl_run_has_result(const char *folder);

// Removes it; false with errno set.
bool rl_run_remove_result(const char *folder);

// Why a run was given up: the same words whenever that was.
void rl_describe_limit(double limit, char *reason, size_t size);

// The memory of a run [bytes].
double rl_run_bytes(const rl_scenario *scenario, const rl_solver_spec *solver);

// Runs and records. The folder is made; results that are there are replaced with `force`, and
// otherwise refused, as is a folder that another run writes into. Returns an exit status, with a
// message on stderr unless it is RL_EXIT_DONE.
int rl_run(const rl_scenario *scenario, const rl_solver_spec *solver, const rl_run_options *options,
           const char *folder, const char *command);

#endif
