// SPDX-License-Identifier: GPL-3.0-or-later
// YAML text -> tree. Scenarios use a part of YAML: one document of maps, lists and scalars.
// Anchors, aliases, tags, keys that are not scalars and duplicate keys are faults.
#ifndef RL_YAML_TREE_H
#define RL_YAML_TREE_H

#include "arena.h"
#include "diagnostic.h"

// The largest nesting depth of lists and maps.
#define RL_YAML_DEPTH_MAX 64

// Parses a text into a tree in the arena; NULL with a diagnostic on a fault. With `origin` (kept by
// the caller, see rl_tree) the nodes have no positions.
rl_tree *rl_yaml_parse(rl_arena *arena, const char *text, size_t length, const char *origin,
                       rl_diagnostic *diagnostic);

#endif
