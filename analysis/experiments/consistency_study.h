// SPDX-License-Identifier: GPL-3.0-or-later
// The kind `consistency` of study: consistency and drift.
#ifndef RL_CONSISTENCY_STUDY_H
#define RL_CONSISTENCY_STUDY_H

#include "study.h"

extern const rl_study_kind rl_study_consistency;

#endif
