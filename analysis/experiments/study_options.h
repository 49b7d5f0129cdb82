// SPDX-License-Identifier: GPL-3.0-or-later
// A study that is defined by command-line options.
#ifndef RL_STUDY_OPTIONS_H
#define RL_STUDY_OPTIONS_H

#include "study.h"

// Runs the command of a kind: defines the study and carries it out. Returns an exit status.
int rl_study_main(const rl_study_kind *kind, const rl_usage *usage, int argc, char **argv);

#endif
