// SPDX-License-Identifier: GPL-3.0-or-later
// Notes on a run: texts in run.json and on stderr on what is easily overlooked, as it happens and
// at the end.
#ifndef RL_RUN_NOTES_H
#define RL_RUN_NOTES_H

#include "record.h"
#include "solver_spec.h"

#include <jansson.h>

typedef struct rl_run_notes {
  const rl_scenario *scenario;
  const rl_solver_spec *solver;
  const rl_driver *driver;                  // NULL before the first step
  bool quiet;                               // nothing on stderr
  json_t *texts;                            // the notes
  json_t *changes;                          // events that parted or released something
  size_t change_count;                      // number of notes on them
  uint64_t slipped_off;                     // times a rope has slipped off a body before this step
  uint32_t unparted_rope, unparted_element; // last element that lacked a spare node to part with
  uint32_t strict_rope;                     // rope that first needed shorter steps; RL_NONE: none
  double strict_time, step_limit;           // when, and the step that is needed [s]
  bool is_bent;                             // the limit is that of bending, not of tension
  bool is_jammed;                           // a body has been driven into one that cannot give way
} rl_run_notes;

// Starts without notes. `texts` and `changes` are NULL when out of memory, and of the caller.
rl_run_notes rl_run_notes_start(const rl_scenario *scenario, const rl_solver_spec *solver,
                                bool quiet);

// Notes what has happened in the step that has just been made.
void rl_run_notes_step(rl_run_notes *notes);

// Notes what can be said of the whole run only. Of one that is done it adds the faults that make
// its result worth little to the text of its outcome.
void rl_run_notes_end(rl_run_notes *notes, rl_reason reason, const rl_summary *summary, char *text,
                      size_t size);

// Writes which steps a rope asked for first; nothing if those of the run were short enough.
void rl_run_notes_step_limit(const rl_run_notes *notes, char *text, size_t size);

#endif
