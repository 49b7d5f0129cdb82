// SPDX-License-Identifier: GPL-3.0-or-later
// Signals: they end the program, or a run after its step.
#ifndef RL_SIGNALS_H
#define RL_SIGNALS_H

#include <stdbool.h>

// Ignores SIGXFSZ and SIGPIPE and catches SIGINT, SIGTERM and SIGHUP. Before
// rl_run_begin_writing() they end the program at once; after it they only set
// rl_run_interrupted(), so that files can be completed, and a second SIGINT ends the program.
void rl_run_catch_signals(void);
void rl_run_begin_writing(void);
bool rl_run_interrupted(void);

#endif
