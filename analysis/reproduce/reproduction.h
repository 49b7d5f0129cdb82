// SPDX-License-Identifier: GPL-3.0-or-later
// A reproduction: experiments of papers, their results, and the tables of them.
#ifndef RL_REPRODUCTION_H
#define RL_REPRODUCTION_H

#include "reproduce.h"
#include "results/files.h"

#include <jansson.h>
#include <math.h>

// An experiment of a reproduction with its results, which its process leaves in shared memory.
typedef struct rl_reproduction_task {
  const rl_paper *paper;
  const rl_experiment *experiment;
  double *ours;    // [claim_count]
  double *seconds; // duration; nan: not finished, or failed
  char *message;   // [RL_TRIAL_MESSAGE] empty unless the experiment failed
} rl_reproduction_task;

typedef struct rl_reproduction {
  char folder[RL_PATH_MAX];
  rl_reproduction_task *tasks; // in the order of the table
  size_t count;
  size_t *order; // [left] indices of the experiments to run, longest first
  size_t left;
  char *shared;
  size_t shared_size;
} rl_reproduction;

static inline bool rl_task_is_finished(const rl_reproduction_task *t) {
  return !isnan(*t->seconds);
}

// Prints the table that the README has, one row per claim.
void rl_reproduction_print(FILE *out, const rl_reproduction *r);
// Returns all results so far as JSON, which the caller owns.
json_t *rl_reproduction_json(const rl_reproduction *r);
// Write reproduce.csv and reproduce.json. False with errno set.
bool rl_reproduction_write_csv(const rl_reproduction *r);
bool rl_reproduction_write_json(const rl_reproduction *r);

#endif
