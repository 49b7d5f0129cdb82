// SPDX-License-Identifier: GPL-3.0-or-later
// run.json: what was run, how, where, and how it ended. Written with the status "running" at the
// start and replaced by renaming at the end, so that it is never incomplete.
#ifndef RL_MANIFEST_H
#define RL_MANIFEST_H

#include <jansson.h>

#include "runs/record.h"
#include "runs/solver_spec.h"

typedef struct rl_run_facts {
  const rl_scenario *scenario;
  const rl_solver_spec *solver;
  const char *command;    // the command that repeats this run
  const char *comparison; // the command of the comparison it belongs to; NULL: none
  double step, duration;  // [s]
  double limit;           // processor time [s]; nan: no limit
  uint64_t steps;
  uint64_t every, frames_every, trace; // steps between rows, between frames, between traced steps
} rl_run_facts;

// Creates a manifest with the status "running"; NULL when out of memory.
json_t *rl_manifest_create(const rl_run_facts *facts);

// The file of stored data of a run (run_cache.h), described under the key "kept" of its manifest.
#define RL_KEPT_NAME "kept.bin"

// Returns a new object with everything that determines the results of a run: scenario, solver,
// steps, program, and "kept".
json_t *rl_manifest_identity(const json_t *manifest);

// Enters the outcome; `summary` is NULL if nothing was run.
void rl_manifest_finish(json_t *manifest, const char *status, const char *reason,
                        const rl_summary *summary, uint64_t state_hash);

// Enters the sizes of the other files of the run in `folder`; checks that they are unchanged.
void rl_manifest_enter_files(json_t *manifest, const char *folder);
bool rl_manifest_is_whole(const json_t *manifest, const char *folder);

// Writes FOLDER/run.json through FOLDER/run.json.new; on a full disk the old run.json is removed
// first to make room. Returns false with errno set and leaves no incomplete file.
bool rl_manifest_write(const json_t *manifest, const char *folder);

#endif
