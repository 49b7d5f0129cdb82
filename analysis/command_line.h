// SPDX-License-Identifier: GPL-3.0-or-later
// A command line as text that a shell reads back.
#ifndef RL_COMMAND_LINE_H
#define RL_COMMAND_LINE_H

#include <stdio.h>

// A blank and the word, quoted where it has to be.
void rl_write_word(FILE *out, const char *word);

// "ropelab WORD WORD..." with words quoted where they have to be, and `option` after the first, the
// command, unless it is among them; free it. NULL: out of memory.
char *rl_command_line(int argc, char *const *argv, const char *option);

#endif
