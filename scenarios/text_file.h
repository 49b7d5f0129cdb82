// SPDX-License-Identifier: GPL-3.0-or-later
// The text of a file written by a user, a scenario or a study.
#ifndef RL_TEXT_FILE_H
#define RL_TEXT_FILE_H

#include "scenario.h"

// Reads a file up to a little more than RL_SCENARIO_BYTES_MAX; the caller frees the text. NULL with
// a diagnostic.
char *rl_file_text(const char *path, size_t *length, rl_diagnostic *diagnostic);

// Skips a byte order mark. False with a diagnostic if the text is too long.
bool rl_text_begin(const char **text, size_t *length, rl_diagnostic *diagnostic);

#endif
