// SPDX-License-Identifier: GPL-3.0-or-later
// Consistency and drift as a kind of study: what is asked for, and its tables.
#ifndef RL_CONSISTENCY_STUDY_H
#define RL_CONSISTENCY_STUDY_H

#include "study.h"

extern const rl_study_kind rl_study_consistency;

#endif
