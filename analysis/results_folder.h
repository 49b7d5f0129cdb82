// SPDX-License-Identifier: GPL-3.0-or-later
// The folder of a command over several runs: chosen, protected, and kept to this process.
#ifndef RL_RESULTS_FOLDER_H
#define RL_RESULTS_FOLDER_H

#include "files.h"
#include "options.h"

// Takes --out, or "out/COMMAND-SCENARIO" ("out/COMMAND" for several), makes it and locks it. False
// with a message where it holds a single run, or results and there is no --force, or another run
// writes there. The old summary.csv is gone then: it would speak of runs that are no longer there.
bool rl_claim_results(char folder[RL_PATH_MAX], const rl_arguments *arguments, const char *command,
                      const char *scenario);

// The same for another table than summary.csv, and what there is said to be already: "comparison".
bool rl_claim_folder(char folder[RL_PATH_MAX], const rl_arguments *arguments, const char *command,
                     const char *subject, const char *table, const char *what);

// The same for a folder that is chosen already. With `patience` [s] it is waited for whoever writes
// there.
bool rl_claim_named(const char *folder, const char *table, const char *what, bool replace,
                    double patience);

#endif
