// SPDX-License-Identifier: GPL-3.0-or-later
// A command line as text that a shell reads back.
#ifndef RL_COMMAND_LINE_H
#define RL_COMMAND_LINE_H

#include <stdio.h>

#include "run.h"

// A blank and the word, quoted where it has to be.
void rl_write_word(FILE *out, const char *word);

// "ropelab COMMAND WORD..." as it was given, with words quoted where they have to be, but without
// --resume: what makes all of it again; free it. NULL: out of memory.
char *rl_command_line(int argc, char *const *argv);

// The parts of a command that repeats a run, each with a space before it: an option and its value
// (printf style), the solver under its label, the times of the run, changes of the scenario,
// probes.
void rl_write_setting(FILE *out, const char *option, const char *format, ...);
void rl_write_solver(FILE *out, const rl_solver_spec *solver);
void rl_write_run_options(FILE *out, const rl_run_options *run);
void rl_write_overrides(FILE *out, const rl_override *overrides, size_t count);
void rl_write_probes(FILE *out, const char *const *probes, size_t count);

#endif
