// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of a definition before it becomes a model.
#ifndef RL_MODEL_CHECK_H
#define RL_MODEL_CHECK_H

#include "definition.h"

// Of the rest length of an element: how far it may start out of it, if it is inextensible, or
// inside a body, before the rope is refused. Larger than what rounding coordinates to three digits
// does, smaller than what anybody means.
#define RL_START_TOLERANCE 1e-3

// False with `fault` filled in: at the first thing that is invalid, of what turns at the first that
// has no moments of inertia, and in a definition that is valid throughout at the first thing that
// this version cannot do.
bool rl_definition_check(const rl_definition *definition, rl_fault *fault);
bool rl_definition_check_inertia(const rl_definition *definition, rl_fault *fault);
bool rl_definition_check_support(const rl_definition *definition, rl_fault *fault);

// The first part of that: every value by itself, and what indices point at (model_values.c).
bool rl_definition_check_values(const rl_definition *definition, rl_fault *fault);

// Fills in a fault (printf style); returns false.
bool rl_fault_set(rl_fault *fault, rl_fault_kind kind, uint32_t body, uint32_t rope,
                  const char *field, const char *format, ...);

// Says where in its field a fault is (printf style); returns false.
bool rl_fault_place(rl_fault *fault, const char *format, ...);

// Whether the rope's length and points fit its ends; `at` of a joined end must be its place.
bool rl_definition_check_length(const rl_definition *definition, uint32_t rope, rl_fault *fault);

#endif
