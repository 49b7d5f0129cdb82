// SPDX-License-Identifier: GPL-3.0-or-later
// The folder of a command over several runs: its name, its lock, and the removal of old results.
#ifndef RL_RESULTS_FOLDER_H
#define RL_RESULTS_FOLDER_H

#include "files.h"
#include "options.h"
#include "runs/cells.h"

// Writes --out, or "out/COMMAND-SUBJECT" ("out/COMMAND" without subject), to `folder`. Returns
// false with a message if it is too long.
bool rl_results_choose_folder(char folder[RL_PATH_MAX], const rl_arguments *arguments,
                              const char *command, const char *subject);

// Makes the folder and locks it. Returns false with a message if it holds a single run; if it holds
// results, or files that rl_results_clear would remove, and `replace` is false; or if another run
// is writing there, after waiting a while if `wait`. `what` names the results in messages:
// "comparison".
bool rl_results_claim(const char *folder, const char *what, bool replace, bool wait);

// Whether the folder holds results of a command over several runs, finished or not.
bool rl_folder_has_several_runs(const char *folder);

// Whether a scenario may have this name, since its folder stands beside the files of a results
// folder. Returns false with a message.
bool rl_results_allow_name(const char *scenario);

// Removes tables, figures and report of earlier commands over several runs; with `runs` also the
// runs listed in the old summary.csv that are none of the cells. All other files stay; a note names
// those in figures/ and curves/. Returns false with a message.
bool rl_results_clear(const char *folder, bool runs, const rl_cell *cells, size_t count);

#endif
