// SPDX-License-Identifier: GPL-3.0-or-later
// The kind `converge` of study: runs with several values of the step, the number of segments, a
// parameter or anything else of the scenario, their errors, and the orders fitted to them.
#ifndef RL_CONVERGE_H
#define RL_CONVERGE_H

#include "study.h"

typedef enum rl_variation {
  RL_VARY_STEP,
  RL_VARY_SEGMENTS,
  RL_VARY_PARAMETER,
  RL_VARY_PATH
} rl_variation;

// What the error of a quantity is measured against.
typedef enum rl_measure {
  RL_AGAINST_EXACT,     // the closed form: columns PROBE.error
  RL_AGAINST_SELF,      // finer runs of the same solver
  RL_AGAINST_REFERENCE, // a run of another solver, or of another scenario
  RL_SIZE               // zero: the column itself is the error
} rl_measure;

typedef struct rl_quantity {
  const char *text; // as written
  rl_measure measure;
  rl_words columns; // of series.csv, without ".error"; of several probes, lengths come first
  size_t lengths;   // number of columns that are lengths
} rl_quantity;

// The plan of a convergence study.
typedef struct rl_convergence {
  rl_variation variation;
  bool fine_is_small; // the smallest value is the finest; else the largest
  bool is_refinement; // errors fall towards the finest value; else values are in the given order
  rl_fit_rule rule;
  const char **texts; // [value_count] values as written, from coarse to fine
  double *values;     // [value_count]
  size_t value_count;
  rl_quantity *quantities; // [scenario_count x quantity_count]
  size_t quantity_count;
  size_t *cells;      // [scenario_count x solver_count x value_count] indices of the runs
  size_t *references; // the same of the reference runs; SIZE_MAX: none
} rl_convergence;

extern const rl_study_kind rl_study_converge;

// The name of what is varied for a solver: its own `over` or that of the study.
const char *rl_converge_over(const rl_study_definition *definition, size_t solver);

// Writes the tables of the study from its runs; returns an exit status.
int rl_converge_gather(rl_study *study);

#endif
