// SPDX-License-Identifier: GPL-3.0-or-later
// The text of a file that somebody wrote: a scenario or a study.
#ifndef RL_TEXT_FILE_H
#define RL_TEXT_FILE_H

#include "scenario.h"

// All of a file, of at most RL_SCENARIO_BYTES_MAX and some; free it. NULL with a diagnostic.
char *rl_file_text(const char *path, size_t *length, rl_diagnostic *diagnostic);

// Leaves out the byte order mark of some editors. False with a diagnostic: the text is too long.
bool rl_text_begin(const char **text, size_t *length, rl_diagnostic *diagnostic);

#endif
