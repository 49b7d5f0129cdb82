// SPDX-License-Identifier: GPL-3.0-or-later
// run.json: what was run, with what, where, and how it ended. Written at the start with the status
// "running" and replaced by rename at the end, so that it is never half-written.
#ifndef RL_MANIFEST_H
#define RL_MANIFEST_H

#include <jansson.h>

#include "runs/record.h"
#include "runs/solver_spec.h"

typedef struct rl_run_facts {
  const rl_scenario *scenario;
  const rl_solver_spec *solver;
  const char *command;    // the command line that repeats this run
  const char *comparison; // and that of the comparison it belongs to; NULL: none
  double step, duration;  // [s]
  double limit;           // [s] of processor time; nan: none
  uint64_t steps;
  uint64_t every, frames_every, trace; // steps between rows of series.csv, frames, traced ones
} rl_run_facts;

// The facts with the status "running"; NULL when out of memory.
json_t *rl_manifest_create(const rl_run_facts *facts);

// What is kept of a run instead of its files (run_cache.h), under the key "kept" of its manifest.
#define RL_KEPT_NAME "kept.bin"

// All that decides about the results of a run: scenario, solver, steps, program, and what is kept.
// A new object.
json_t *rl_manifest_identity(const json_t *manifest);

// Enters the outcome. `summary` may be NULL (nothing was run).
void rl_manifest_finish(json_t *manifest, const char *status, const char *reason,
                        const rl_summary *summary, uint64_t state_hash);

// Enters the sizes of the other files in DIR; and whether they are still so.
void rl_manifest_enter_files(json_t *manifest, const char *folder);
bool rl_manifest_is_whole(const json_t *manifest, const char *folder);

// Writes DIR/run.json by way of DIR/run.json.new. Where there is no room for that, the run.json
// that is there goes first. False with errno set; nothing half-written is left then.
bool rl_manifest_write(const json_t *manifest, const char *folder);

#endif
