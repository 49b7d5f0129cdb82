// SPDX-License-Identifier: GPL-3.0-or-later
// Single steps from equal states as a kind of study: what is asked for, and its tables.
#ifndef RL_ONESTEP_STUDY_H
#define RL_ONESTEP_STUDY_H

#include "study.h"

extern const rl_study_kind rl_study_onestep;

#endif
