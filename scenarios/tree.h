// SPDX-License-Identifier: GPL-3.0-or-later
// A scenario as a tree of scalars, lists and maps with positions: what the reader works on. The
// YAML reader makes one from text; a program without YAML can build one itself.
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
} rl_tree;

#endif
