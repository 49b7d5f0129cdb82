// SPDX-License-Identifier: GPL-3.0-or-later
// The kinds of study: a kind is a file with a rl_study_kind, and a line here.
#include "converge.h"
#include "precision.h"

const rl_study_kind *const rl_study_kinds[] = {&rl_study_converge, &rl_study_precision, NULL};
