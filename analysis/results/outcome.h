// SPDX-License-Identifier: GPL-3.0-or-later
// The results of a command that records no runs (onestep, consistency): for each solver a run.json
// and a row of summary.csv.
#ifndef RL_OUTCOME_H
#define RL_OUTCOME_H

#include <jansson.h>

#include "files.h"
#include "manifest.h"
#include "runs/run.h"

// A number with its name in both files; nan: no value.
typedef struct rl_named_number {
  const char *name;
  double value;
} rl_named_number;

enum { RL_ENTRIES_MAX = 16 };

// The outcome for one solver.
typedef struct rl_outcome {
  const rl_solver_spec *solver;
  const char *status; // as in run.json
  char reason[256];
  rl_named_number entries[RL_ENTRIES_MAX]; // the same names for all solvers
  size_t entry_count;
  double seconds;
  const rl_schedule *schedule; // its own steps; NULL: those of rl_outcome_facts
} rl_outcome;

// The facts that all outcomes share.
typedef struct rl_outcome_facts {
  const char *folder;
  const rl_scenario *scenario;
  const char *command;     // the command that repeats everything
  const char *kind;        // "onestep": key of `described` in run.json
  const json_t *described; // the settings of the command
  double step, duration;   // [s]
  uint64_t steps;
} rl_outcome_facts;

// Writes FOLDER/SCENARIO/LABEL/run.json for each solver, and FOLDER/summary.csv with the seconds if
// `timed`; otherwise these go to FOLDER/timing.csv. Returns false with errno set.
bool rl_outcomes_write(const rl_outcome_facts *facts, const rl_outcome *outcomes, size_t count,
                       bool timed);

// Fill in the outcome of a solver that lacks capabilities, and of one whose process ended early:
// `late`, at its limit of processor time [s], or otherwise.
void rl_outcome_unsupported(rl_outcome *outcome, uint32_t missing);
void rl_outcome_ended(rl_outcome *outcome, bool late, double limit);

#endif
