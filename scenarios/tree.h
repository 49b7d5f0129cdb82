// SPDX-License-Identifier: GPL-3.0-or-later
// A scenario as a tree of scalars, lists and maps with positions, which the reader works on. The
// YAML reader builds it from text; a program without YAML can build one itself.
#ifndef RL_TREE_H
#define RL_TREE_H

#include <stdbool.h>
#include <stddef.h>

typedef enum rl_tree_kind { RL_TREE_SCALAR, RL_TREE_LIST, RL_TREE_MAP } rl_tree_kind;

typedef struct rl_tree {
  rl_tree_kind kind;
  bool quoted;            // scalar: written in quotes, so never a number or boolean
  const char *text;       // scalar: its text, ended by 0
  size_t length;          // scalar: bytes of text (it may hold a 0)
  size_t count;           // list and map: number of items
  struct rl_tree **items; // list: items; map: values
  struct rl_tree **keys;  // map: keys, scalars
  size_t line, column;    // 1-based; 0: not from a file
  const char *origin;     // the "--set path=value" that it came from; NULL: the file
} rl_tree;

// Return the value of a key of a map, and the key itself; NULL: none.
const rl_tree *rl_tree_value(const rl_tree *map, const char *key);
const rl_tree *rl_tree_key(const rl_tree *map, const char *key);

// Whether a node is a scalar with this text.
bool rl_tree_is(const rl_tree *node, const char *text);

// Whether a value is empty: an unquoted scalar without text.
bool rl_tree_is_nothing(const rl_tree *node);

#endif
