// SPDX-License-Identifier: GPL-3.0-or-later
// What a command that does not record runs leaves of each solver: its run.json, and its line of
// summary.csv.
#ifndef RL_OUTCOME_H
#define RL_OUTCOME_H

#include <jansson.h>

#include "files.h"
#include "manifest.h"
#include "runs/run.h"

// A number under its name in both files; nan: none.
typedef struct rl_named_number {
  const char *name;
  double value;
} rl_named_number;

enum { RL_ENTRIES_MAX = 16 };

// How a solver did.
typedef struct rl_outcome {
  const rl_solver_spec *solver;
  const char *status; // as in run.json
  char reason[256];
  rl_named_number entries[RL_ENTRIES_MAX]; // the same names for all solvers
  size_t entry_count;
  double seconds;
  const rl_schedule *schedule; // its steps; NULL: those of all
} rl_outcome;

// What they have in common.
typedef struct rl_outcome_facts {
  const char *folder;
  const rl_scenario *scenario;
  const char *command;     // that makes all of it again
  const char *kind;        // "onestep": the key under which run.json describes it
  const json_t *described; // so
  double step, duration;   // [s]
  uint64_t steps;
} rl_outcome_facts;

// Writes FOLDER/SCENARIO/LABEL/run.json for each solver and FOLDER/summary.csv, with the seconds
// there if `timed`, else in FOLDER/timing.csv. False with errno set.
bool rl_outcomes_write(const rl_outcome_facts *facts, const rl_outcome *outcomes, size_t count,
                       bool timed);

// An unsupported solver, with the reason why; and one whose process ended early, past its limit [s]
// of processor time or otherwise.
void rl_outcome_unsupported(rl_outcome *outcome, uint32_t missing);
void rl_outcome_ended(rl_outcome *outcome, bool late, double limit);

#endif
