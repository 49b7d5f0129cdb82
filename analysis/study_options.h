// SPDX-License-Identifier: GPL-3.0-or-later
// A study that is defined on the command line instead of in a file.
#ifndef RL_STUDY_OPTIONS_H
#define RL_STUDY_OPTIONS_H

#include "study.h"

// Fills in a definition from the options of the command that is called like the kind. False with a
// message if it does not hold together. The definition points into the arguments.
bool rl_study_define(const rl_study_kind *kind, rl_arguments *arguments,
                     rl_study_definition *definition);

// The whole command: defines a study of this kind and carries it out. Returns an exit status.
int rl_study_main(const rl_study_kind *kind, const rl_usage *usage, int argc, char **argv);

#endif
