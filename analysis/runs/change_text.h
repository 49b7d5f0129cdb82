// SPDX-License-Identifier: GPL-3.0-or-later
// What has parted, was let go or has run out in a run: in words, and as an entry of run.json.
#ifndef RL_CHANGE_TEXT_H
#define RL_CHANGE_TEXT_H

#include "world/driver.h"

#include <jansson.h>

void rl_change_describe(const rl_change *change, const rl_model *model, char *text, size_t size);

json_t *rl_change_to_json(const rl_change *change, const rl_model *model);

#endif
