// SPDX-License-Identifier: GPL-3.0-or-later
// A command line as text that a shell reads back.
#ifndef RL_COMMAND_LINE_H
#define RL_COMMAND_LINE_H

#include "run.h"

// "ropelab COMMAND WORD..." as it was given, with words quoted where they have to be, but without
// --resume: what makes all of it again; free it. NULL: out of memory.
char *rl_command_line(int argc, char *const *argv);

// The command that makes a run again alone, into a folder: its scenario with changes and probes,
// its solver under its label, its times; free it. NULL: out of memory.
char *rl_run_command(const char *scenario, const rl_solver_spec *solver, const rl_run_options *run,
                     const rl_override *overrides, size_t override_count, const char *const *probes,
                     size_t probe_count, const char *folder);

#endif
