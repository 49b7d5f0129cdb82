// SPDX-License-Identifier: GPL-3.0-or-later
#include "fields.h"

#include <string.h>

#include "words.h"

#define FIELDS_MAX 64 // no map has more keys

static size_t list_choices(const char *const *choices) {
  size_t count = 0;
  while (choices[count]) {
    count++;
  }
  return count;
}

static bool read_count(rl_reader *reader, const rl_tree *node, const rl_field *field,
                       size_t *target) {
  const double least = field->range == RL_POSITIVE ? 1.0 : 0.0;
  double value;
  if (!rl_read_integer(reader, node, field->name, least, RL_COUNT_MAX, &value)) {
    return false;
  }
  *target = (size_t)value;
  return true;
}

static bool read_int32(rl_reader *reader, const rl_tree *node, const char *name, int32_t *target) {
  double value;
  if (!rl_read_integer(reader, node, name, -RL_COUNT_MAX, RL_COUNT_MAX, &value)) {
    return false;
  }
  *target = (int32_t)value;
  return true;
}

// Reads a word as the value of an enum, whose members start at 0 in the order of the words.
static bool read_choice(rl_reader *reader, const rl_tree *node, const rl_field *field,
                        void *target) {
  uint32_t index;
  if (!rl_read_word(reader, node, field->name, field->choices, list_choices(field->choices),
                    &index)) {
    return false;
  }
  const unsigned value = index;
  memcpy(target, &value, sizeof value);
  return true;
}

static bool read_text(rl_reader *reader, const rl_tree *node, const char *name,
                      const char **target) {
  if (node->kind != RL_TREE_SCALAR || strlen(node->text) != node->length) {
    char found[RL_FOUND_BYTES];
    return rl_fail(reader, node, "%s: expected text, found %s", name,
                   rl_found(node, found, sizeof found));
  }
  *target = node->text;
  return true;
}

static bool read_field(rl_reader *reader, const rl_tree *node, const rl_field *field,
                       void *record) {
  void *target = (char *)record + field->offset;
  switch (field->kind) {
  case RL_FIELD_NUMBER:
    return rl_read_number(reader, node, field->name, field->range, field->unit, target);
  case RL_FIELD_COUNT:
    return read_count(reader, node, field, target);
  case RL_FIELD_INTEGER:
    return read_int32(reader, node, field->name, target);
  case RL_FIELD_BOOLEAN:
    return rl_read_boolean(reader, node, field->name, target);
  case RL_FIELD_VECTOR:
    return rl_read_vector(reader, node, field->name, field->range, field->unit, target);
  case RL_FIELD_CHOICE:
    return read_choice(reader, node, field, target);
  case RL_FIELD_TEXT:
    return read_text(reader, node, field->name, target);
  case RL_FIELD_OTHER:
    reader->key = field->name;
    return field->read(reader, node, target);
  }
  return false;
}

static bool fail_unknown_key(rl_reader *reader, const rl_tree *key, const char *what,
                             const rl_field *fields, size_t count) {
  const char *names[FIELDS_MAX];
  for (size_t i = 0; i < count; i++) {
    names[i] = fields[i].name;
  }
  char found[RL_FOUND_BYTES], suggestion[360];
  rl_suggest(suggestion, sizeof suggestion, key->text, names, count);
  return rl_fail(reader, key, "unknown key %s in %s; %s", rl_found(key, found, sizeof found), what,
                 suggestion);
}

static const rl_field *find_field(const rl_tree *key, const rl_field *fields, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (rl_tree_is(key, fields[i].name)) {
      return &fields[i];
    }
  }
  return NULL;
}

static bool check_required(rl_reader *reader, const rl_tree *map, const rl_tree *owner,
                           const char *what, const rl_field *fields, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (fields[i].required && !rl_tree_value(map, fields[i].name)) {
      return rl_fail(reader, owner, "%s: missing key '%s'", what, fields[i].name);
    }
  }
  return true;
}

// Whether `mass: 0,5` in braces, which is mass 0 and a key 5, was meant as a number.
static bool has_decimal_comma(const rl_tree *map, size_t i) {
  const rl_tree *next = i + 1 < map->count ? map->keys[i + 1] : NULL;
  return next && map->items[i]->kind == RL_TREE_SCALAR && rl_tree_is_nothing(map->items[i + 1]) &&
         next->length > 0 && strspn(next->text, "0123456789") == next->length;
}

bool rl_read_fields(rl_reader *reader, const rl_tree *map, const rl_tree *owner, const char *what,
                    const rl_field *fields, size_t field_count, void *record) {
  if (map->kind != RL_TREE_MAP) {
    char found[RL_FOUND_BYTES];
    return rl_fail(reader, map, "%s: expected a map of keys and values, found %s", what,
                   rl_found(map, found, sizeof found));
  }
  for (size_t i = 0; i < map->count; i++) {
    const rl_field *field = find_field(map->keys[i], fields, field_count);
    if (!field) {
      return fail_unknown_key(reader, map->keys[i], what, fields, field_count);
    }
    if (has_decimal_comma(map, i)) {
      return rl_fail(reader, map->items[i], "%s: found '%.20s,%.20s' (the decimal sign is a point)",
                     field->name, map->items[i]->text, map->keys[i + 1]->text);
    }
    if (!read_field(reader, map->items[i], field, record)) {
      return false;
    }
  }
  return check_required(reader, map, owner, what, fields, field_count);
}

bool rl_check_exclusive(rl_reader *reader, const rl_tree *map, const char *a, const char *b) {
  const rl_tree *first = rl_tree_key(map, a), *second = rl_tree_key(map, b);
  if (!first || !second) {
    return true;
  }
  // The fault is at the key that was set last: by the command line, or further down in the file.
  const bool swap = second->origin
                        ? false
                        : first->origin || first->line > second->line ||
                              (first->line == second->line && first->column > second->column);
  return rl_fail(reader, swap ? first : second,
                 "'%s' and '%s' exclude each other: give one of them", swap ? b : a, swap ? a : b);
}
