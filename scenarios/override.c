// SPDX-License-Identifier: GPL-3.0-or-later
#include "override.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "words.h"
#include "yaml_tree.h"

#define STEPS_MAX 16 // no valid path has more steps

// A path through the tree.
typedef struct path {
  const char *origin; // "--set path=value", for messages
  char *steps[STEPS_MAX];
  size_t count;
} path;

static bool fail(rl_reader *reader, const path *p, const char *format, ...) {
  char message[400];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  rl_diagnose_text(reader->diagnostic, "%s: %s", p->origin, message);
  return false;
}

static bool make_origin(rl_reader *reader, const rl_override *override, path *p) {
  char text[96], joined[160];
  const size_t length = strlen(override->value);
  rl_printable(joined, sizeof joined, override->path, strlen(override->path));
  const bool cut = rl_printable(text, 48, override->value, length) < length;
  const size_t size = strlen(joined) + strlen(text) + 16;
  char *origin = rl_allocate(reader, size, 1);
  if (origin) {
    snprintf(origin, size, "--set %s=%s%s", joined, text, cut ? "..." : "");
  }
  p->origin = origin;
  return origin != NULL;
}

static bool split(rl_reader *reader, const rl_override *override, path *p) {
  char *rest = rl_arena_text(reader->arena, override->path, strlen(override->path));
  if (!rest) {
    return rl_fail_memory(reader);
  }
  while (rest) {
    if (p->count == STEPS_MAX) {
      return fail(reader, p, "the path has more than %d keys", STEPS_MAX);
    }
    char *dot = strchr(rest, '.');
    if (dot) {
      *dot = 0;
    }
    if (*rest == 0) {
      return fail(reader, p, "expected keys joined by dots, as in bodies.NAME.mass");
    }
    p->steps[p->count++] = rest;
    rest = dot ? dot + 1 : NULL;
  }
  return true;
}

// Returns where a list has the item of a step; NULL with a fault if there is none.
static rl_tree **find_item(rl_reader *reader, const path *p, rl_tree *list, const char *step) {
  const size_t digits = strspn(step, "0123456789");
  const unsigned long index = digits < 10 ? strtoul(step, NULL, 10) : ULONG_MAX;
  if (digits == 0 || step[digits] != 0 || index >= list->count) {
    fail(reader, p, "'%.40s': expected the index of an item, 0 to %ld", step,
         (long)list->count - 1);
    return NULL;
  }
  return &list->items[index];
}

static rl_tree *new_map(rl_reader *reader, const path *p) {
  rl_tree *map = rl_allocate(reader, 1, sizeof *map);
  if (map) {
    map->kind = RL_TREE_MAP;
    map->origin = p->origin;
  }
  return map;
}

// Adds a key to a map and returns where its value is, which is empty.
static rl_tree **add_key(rl_reader *reader, const path *p, rl_tree *map, const char *step) {
  const size_t wanted = map->count + 1;
  rl_tree **keys = rl_arena_grow(reader->arena, map->keys, map->count, wanted, sizeof *keys);
  rl_tree **items = rl_arena_grow(reader->arena, map->items, map->count, wanted, sizeof *items);
  rl_tree *key = rl_arena_allocate(reader->arena, 1, sizeof *key);
  rl_tree *value = rl_arena_allocate(reader->arena, 1, sizeof *value);
  if (!keys || !items || !key || !value) {
    rl_fail_memory(reader);
    return NULL;
  }
  *key = (rl_tree){.text = step, .length = strlen(step), .origin = p->origin};
  *value = (rl_tree){.text = "", .origin = p->origin};
  keys[map->count] = key;
  items[map->count] = value;
  map->keys = keys;
  map->items = items;
  return &items[map->count++];
}

// Whether a step may add a key: a misspelt name must not add a body or rope with only one key.
static bool may_add(rl_reader *reader, const path *p, const rl_tree *map, size_t step) {
  const bool body = step == 1 && strcmp(p->steps[0], "bodies") == 0;
  const bool rope = step == 1 && strcmp(p->steps[0], "ropes") == 0;
  if (step + 1 == p->count || !(body || rope)) {
    return true;
  }
  const char **names = rl_allocate(reader, map->count, sizeof *names);
  if (!names) {
    return false;
  }
  for (size_t i = 0; i < map->count; i++) {
    names[i] = map->keys[i]->text;
  }
  char suggestion[200];
  rl_suggest(suggestion, sizeof suggestion, p->steps[step], names, map->count);
  return fail(reader, p, "there is no %s '%.40s'; %s", body ? "body" : "rope", p->steps[step],
              suggestion);
}

static rl_tree **find_value(rl_reader *reader, const path *p, rl_tree *map, size_t step) {
  for (size_t i = 0; i < map->count; i++) {
    if (rl_tree_is(map->keys[i], p->steps[step])) {
      return &map->items[i];
    }
  }
  return may_add(reader, p, map, step) ? add_key(reader, p, map, p->steps[step]) : NULL;
}

// Returns where the tree has the value of the path, and adds what is missing on the way.
static rl_tree **find_place(rl_reader *reader, const path *p, rl_tree *root) {
  rl_tree *node = root;
  rl_tree **place = NULL;
  for (size_t i = 0; i < p->count; i++) {
    if (place && rl_tree_is_nothing(node) && strspn(p->steps[i], "-0123456789") > 0) {
      fail(reader, p, "there is no item %.40s: '%.40s' has none", p->steps[i], p->steps[i - 1]);
      return NULL;
    }
    if (place && rl_tree_is_nothing(node)) {
      node = *place = new_map(reader, p);
    }
    if (!node) {
      return NULL;
    }
    if (node->kind == RL_TREE_SCALAR) {
      fail(reader, p, "'%.40s' is neither a map nor a list", i > 0 ? p->steps[i - 1] : "the file");
      return NULL;
    }
    place = node->kind == RL_TREE_LIST ? find_item(reader, p, node, p->steps[i])
                                       : find_value(reader, p, node, i);
    if (!place) {
      return NULL;
    }
    node = *place;
  }
  return place;
}

bool rl_override_apply(rl_reader *reader, rl_tree *root, const rl_override *override) {
  path p = {0};
  if (!make_origin(reader, override, &p) || !split(reader, override, &p)) {
    return false;
  }
  rl_tree *value = rl_yaml_parse(reader->arena, override->value, strlen(override->value), p.origin,
                                 reader->diagnostic);
  if (!value) {
    return false;
  }
  rl_tree **place = find_place(reader, &p, root);
  if (!place) {
    return false;
  }
  *place = value;
  return true;
}
