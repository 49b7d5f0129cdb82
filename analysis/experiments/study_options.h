// SPDX-License-Identifier: GPL-3.0-or-later
// A study that is defined on the command line instead of in a file.
#ifndef RL_STUDY_OPTIONS_H
#define RL_STUDY_OPTIONS_H

#include "study.h"

// The whole command: defines a study of this kind and carries it out. Returns an exit status.
int rl_study_main(const rl_study_kind *kind, const rl_usage *usage, int argc, char **argv);

#endif
