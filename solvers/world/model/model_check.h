// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of a definition before it becomes a model.
#ifndef RL_MODEL_CHECK_H
#define RL_MODEL_CHECK_H

#include "definition.h"

// Relative to the rest length of an element: how far an inextensible element may start stretched,
// or inside a body, before the rope is refused. Larger than the effect of rounding coordinates to
// three digits, smaller than anything intended.
#define RL_START_TOLERANCE 1e-3

// Return false with `fault` filled in: for the first thing that is invalid; for the first body that
// turns and has no moments of inertia; and, of a valid definition, for the first thing that this
// version does not support, or has no room for (model_support.c).
bool rl_definition_check(const rl_definition *definition, rl_fault *fault);
bool rl_definition_check_inertia(const rl_definition *definition, rl_fault *fault);
bool rl_definition_check_support(const rl_definition *definition, rl_fault *fault);

// The first part of rl_definition_check: every value by itself, and every index (model_values.c).
bool rl_definition_check_values(const rl_definition *definition, rl_fault *fault);

// Fills in a fault (printf style); returns false.
bool rl_fault_set(rl_fault *fault, rl_fault_kind kind, uint32_t body, uint32_t rope,
                  const char *field, const char *format, ...);

// Sets the place of a fault in its field (printf style); returns false.
bool rl_fault_place(rl_fault *fault, const char *format, ...);

// Whether the length and points of a rope fit its ends; `at` of a joined end must be its position.
bool rl_definition_check_length(const rl_definition *definition, uint32_t rope, rl_fault *fault);

// Whether a rope can have this rest length [m]; the fault names the key that gave it.
bool rl_definition_check_rest(const rl_rope_definition *rope, uint32_t index, double length,
                              rl_fault *fault);

#endif
