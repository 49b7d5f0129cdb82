// SPDX-License-Identifier: GPL-3.0-or-later
// A scenario as JSON with all defaults filled in: printed by `check --json` and kept in run.json.
// It is itself a valid scenario file.
#ifndef RL_SCENARIO_JSON_H
#define RL_SCENARIO_JSON_H

#include <jansson.h>

#include "scenario.h"

// Returns a new reference, or NULL when out of memory.
json_t *rl_scenario_to_json(const rl_scenario *scenario);

#endif
