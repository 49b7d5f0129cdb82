// SPDX-License-Identifier: GPL-3.0-or-later
// The folder of a command over several runs: chosen, protected, and kept to this process.
#ifndef RL_RESULTS_FOLDER_H
#define RL_RESULTS_FOLDER_H

#include "files.h"
#include "options.h"
#include "runs/cells.h"

// --out, or "out/COMMAND-SUBJECT", "out/COMMAND" without one. False with a message: too long.
bool rl_choose_folder(char folder[RL_PATH_MAX], const rl_arguments *arguments, const char *command,
                      const char *subject);

// Makes the folder and locks it. False with a message where it holds a single run, or results or
// any file that rl_results_clear would remove and nothing is to be replaced, or another run writes
// there, though with `wait` until that may have ended. `what` there is said to be: "comparison".
bool rl_claim_named(const char *folder, const char *what, bool replace, bool wait);

// Whether a command over several runs left there what it writes first, or its summary.csv.
bool rl_folder_has_several(const char *folder);

// Whether a scenario may be called so: its folder stands beside these files. False with a message.
bool rl_results_allow(const char *scenario);

// Removes what the commands over several runs left in the folder: tables, figures and report speak
// of runs that are no longer there. With `runs` also those that the old summary.csv lists and that
// are none of the cells. All else stays, and a note says what of it is in figures/ and curves/.
// False with a message.
bool rl_results_clear(const char *folder, bool runs, const rl_cell *cells, size_t count);

#endif
