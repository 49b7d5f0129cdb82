// SPDX-License-Identifier: GPL-3.0-or-later
// The folder of a command over several runs: chosen, protected, and kept to this process.
#ifndef RL_RESULTS_FOLDER_H
#define RL_RESULTS_FOLDER_H

#include "cells.h"
#include "files.h"
#include "options.h"

// Takes --out, or "out/COMMAND-SCENARIO" ("out/COMMAND" for several), makes it and locks it. False
// with a message where it holds a single run, or results or any file that rl_results_clear would
// remove and there is no --force, or another run writes there.
bool rl_claim_results(char folder[RL_PATH_MAX], const rl_arguments *arguments, const char *command,
                      const char *scenario);

// The same with what there is said to be already: "comparison".
bool rl_claim_folder(char folder[RL_PATH_MAX], const rl_arguments *arguments, const char *command,
                     const char *subject, const char *what);

// The same for a folder that is chosen already. With `patience` [s] it is waited for whoever writes
// there.
bool rl_claim_named(const char *folder, const char *what, bool replace, double patience);

// Whether a scenario may be called so: its folder stands beside these files. False with a message.
bool rl_results_allow(const char *scenario);

// Removes what the commands over several runs left in the folder: tables, figures and report speak
// of runs that are no longer there. With `runs` also those that the old summary.csv lists and that
// are none of the cells. False with a message.
bool rl_results_clear(const char *folder, bool runs, const rl_cell *cells, size_t count);

#endif
