// SPDX-License-Identifier: GPL-3.0-or-later
// The kind `onestep` of study: single steps from equal states.
#ifndef RL_ONESTEP_STUDY_H
#define RL_ONESTEP_STUDY_H

#include "study.h"

extern const rl_study_kind rl_study_onestep;

#endif
