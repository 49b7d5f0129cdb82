// SPDX-License-Identifier: GPL-3.0-or-later
#include "tree.h"

#include <string.h>

bool rl_tree_is(const rl_tree *node, const char *text) {
  return node->kind == RL_TREE_SCALAR && node->length == strlen(text) &&
         memcmp(node->text, text, node->length) == 0;
}

bool rl_tree_is_nothing(const rl_tree *node) {
  return node->kind == RL_TREE_SCALAR && !node->quoted && node->length == 0;
}

static size_t find(const rl_tree *map, const char *key) {
  size_t i = 0;
  while (i < map->count && !rl_tree_is(map->keys[i], key)) {
    i++;
  }
  return i;
}

const rl_tree *rl_tree_value(const rl_tree *map, const char *key) {
  if (map->kind != RL_TREE_MAP) {
    return NULL;
  }
  const size_t i = find(map, key);
  return i < map->count ? map->items[i] : NULL;
}

const rl_tree *rl_tree_key(const rl_tree *map, const char *key) {
  if (map->kind != RL_TREE_MAP) {
    return NULL;
  }
  const size_t i = find(map, key);
  return i < map->count ? map->keys[i] : NULL;
}
