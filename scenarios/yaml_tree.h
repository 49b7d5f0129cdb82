// SPDX-License-Identifier: GPL-3.0-or-later
// YAML text -> tree. A scenario uses the plain part of YAML: one document of maps, lists and
// scalars. Anchors, aliases, tags, keys that are not scalars and keys that come twice are faults.
#ifndef RL_YAML_TREE_H
#define RL_YAML_TREE_H

#include "arena.h"
#include "diagnostic.h"

// The deepest nesting of lists and maps.
#define RL_YAML_DEPTH_MAX 64

// The tree of a text, in the arena; NULL with a diagnostic on a fault. With `origin` (which the
// caller keeps, see rl_tree) the nodes get no position.
rl_tree *rl_yaml_parse(rl_arena *arena, const char *text, size_t length, const char *origin,
                       rl_diagnostic *diagnostic);

#endif
