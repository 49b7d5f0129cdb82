// SPDX-License-Identifier: GPL-3.0-or-later
// The kinds of study. A new kind is a file with a rl_study_kind and a line here.
#include "consistency_study.h"
#include "converge.h"
#include "onestep_study.h"
#include "precision.h"

const rl_study_kind *const rl_study_kinds[] = {&rl_study_converge, &rl_study_precision,
                                               &rl_study_onestep, &rl_study_consistency, NULL};
