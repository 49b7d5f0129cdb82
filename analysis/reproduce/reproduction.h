// SPDX-License-Identifier: GPL-3.0-or-later
// A reproduction: experiments of papers, what they have found, and the tables of it.
#ifndef RL_REPRODUCTION_H
#define RL_REPRODUCTION_H

#include "reproduce.h"
#include "results/files.h"

#include <jansson.h>
#include <math.h>

// An experiment of a reproduction, and where its process leaves what it found: in memory that is
// shared with it.
typedef struct rl_reproduction_task {
  const rl_paper *paper;
  const rl_experiment *experiment;
  double *ours;    // [claim_count]
  double *seconds; // it took; nan: it is not finished, or failed
  char *message;   // [RL_TRIAL_MESSAGE] empty: it did not fail
} rl_reproduction_task;

typedef struct rl_reproduction {
  char folder[RL_PATH_MAX];
  rl_reproduction_task *tasks; // in the order of the table
  size_t count;
  size_t *order; // of those that are to be made, longest first
  size_t left;   // how many these are
  char *shared;
  size_t shared_size;
} rl_reproduction;

static inline bool rl_task_is_finished(const rl_reproduction_task *t) {
  return !isnan(*t->seconds);
}

// The table that stands in the README, one row a claim.
void rl_reproduction_print(FILE *out, const rl_reproduction *r);
// All that is known, finished or not; the caller owns it.
json_t *rl_reproduction_json(const rl_reproduction *r);
// Writes reproduce.csv, reproduce.json into its folder. False with errno.
bool rl_reproduction_write_csv(const rl_reproduction *r);
bool rl_reproduction_write_json(const rl_reproduction *r);

#endif
