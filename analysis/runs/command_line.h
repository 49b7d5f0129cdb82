// SPDX-License-Identifier: GPL-3.0-or-later
// Command lines as text that a shell can read back.
#ifndef RL_COMMAND_LINE_H
#define RL_COMMAND_LINE_H

#include "run.h"

// Returns "ropelab COMMAND WORD..." as given, quoted where necessary and without --resume: the
// command that repeats everything. The caller frees it; NULL: out of memory.
char *rl_command_line(int argc, char *const *argv);

// Returns the `ropelab run` command that repeats one run into `folder`: scenario, overrides,
// probes, labelled solver, times. The caller frees it; NULL: out of memory.
char *rl_run_command(const char *scenario, const rl_solver_spec *solver, const rl_run_options *run,
                     const rl_override *overrides, size_t override_count, const char *const *probes,
                     size_t probe_count, const char *folder);

#endif
