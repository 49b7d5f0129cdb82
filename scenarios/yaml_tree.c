// SPDX-License-Identifier: GPL-3.0-or-later
// Builds the tree from libyaml's events, which, other than its documents, have positions, anchors
// and tags, and allow the nesting to be limited while building.
#include "yaml_tree.h"

#include "available_memory.h"

#include <stdlib.h>
#include <string.h>
#include <yaml.h>

typedef struct builder {
  yaml_parser_t parser;
  rl_arena *arena;
  rl_source source;
  const char *origin;
  rl_diagnostic *diagnostic;
} builder;

static void fail_at(builder *b, size_t line, size_t column, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  rl_diagnose(b->diagnostic, b->source, b->origin ? 0 : line, b->origin ? 0 : column, format,
              arguments);
  va_end(arguments);
  if (b->origin) {
    char message[sizeof b->diagnostic->message];
    memcpy(message, b->diagnostic->message, sizeof message);
    rl_diagnose_text(b->diagnostic, "%s: %s", b->origin, message);
  }
}

static void *fail(builder *b, const yaml_event_t *event, const char *message) {
  fail_at(b, event->start_mark.line + 1, event->start_mark.column + 1, "%s", message);
  return NULL;
}

static void *fail_memory(builder *b) {
  rl_diagnose_text(b->diagnostic, "out of memory: there are %.3g GiB",
                   (double)rl_available_memory() / RL_GIB);
  b->diagnostic->out_of_memory = true;
  return NULL;
}

// Reports bytes that are no text, for which libyaml gives an offset instead of a line.
static void fail_text(builder *b) {
  const yaml_parser_t *p = &b->parser;
  char value[16] = "";
  if (p->problem_value >= 0) {
    snprintf(value, sizeof value, " (0x%02X)", (unsigned)p->problem_value);
  }
  // What does not go on as its first byte says begins there.
  const unsigned char *text = (const unsigned char *)b->source.text;
  size_t offset = p->problem_offset, line, column;
  for (size_t back = 1; back < 4 && strstr(p->problem, "trailing") && back <= offset; back++) {
    if (text[p->problem_offset - back] >= 0xC0) {
      offset = p->problem_offset - back;
      snprintf(value, sizeof value, " after 0x%02X", (unsigned)text[offset]);
      break;
    }
  }
  rl_position_of(b->source, offset, &line, &column);
  fail_at(b, line, column, "not a text file in UTF-8: %s%s", p->problem, value);
}

static void fail_syntax(builder *b) {
  const yaml_parser_t *p = &b->parser;
  if (p->error == YAML_MEMORY_ERROR || !p->problem) {
    fail_memory(b);
    return;
  }
  if (p->error == YAML_READER_ERROR) {
    fail_text(b);
    return;
  }
  const size_t line = p->problem_mark.line + 1, column = p->problem_mark.column + 1;
  char context[160] = "";
  if (p->context && p->context_mark.line + 1 != line) {
    snprintf(context, sizeof context, " %s that starts at line %zu", p->context,
             p->context_mark.line + 1);
  } else if (p->context) {
    snprintf(context, sizeof context, " %s", p->context);
  }
  const size_t offset = rl_offset_of(b->source, line, column);
  const bool tab = offset < b->source.length && b->source.text[offset] == '\t';
  fail_at(b, line, column, "YAML: %s%s%s", p->problem, context,
          tab ? " (a tab: indent with spaces)" : "");
}

static bool next_event(builder *b, yaml_event_t *event) {
  if (!yaml_parser_parse(&b->parser, event)) {
    fail_syntax(b);
    return false;
  }
  return true;
}

static rl_tree *new_node(builder *b, const yaml_event_t *event, rl_tree_kind kind) {
  rl_tree *node = rl_arena_allocate(b->arena, 1, sizeof *node);
  if (!node) {
    return fail_memory(b);
  }
  node->kind = kind;
  node->origin = b->origin;
  if (!b->origin) {
    node->line = event->start_mark.line + 1;
    node->column = event->start_mark.column + 1;
  }
  return node;
}

static rl_tree *build_scalar(builder *b, const yaml_event_t *event) {
  rl_tree *node = new_node(b, event, RL_TREE_SCALAR);
  if (!node) {
    return NULL;
  }
  node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
  node->length = event->data.scalar.length;
  node->text = rl_arena_text(b->arena, (const char *)event->data.scalar.value, node->length);
  return node->text ? node : fail_memory(b);
}

// Makes room for one more item of a list or map; the capacity doubles.
static bool reserve_item(builder *b, rl_tree *node, size_t *capacity) {
  if (node->count < *capacity) {
    return true;
  }
  const size_t wanted = *capacity > 0 ? 2 * *capacity : 4;
  rl_tree **items = rl_arena_grow(b->arena, node->items, node->count, wanted, sizeof *items);
  rl_tree **keys = node->keys;
  if (node->kind == RL_TREE_MAP) {
    keys = rl_arena_grow(b->arena, node->keys, node->count, wanted, sizeof *keys);
  }
  if (!items || (node->kind == RL_TREE_MAP && !keys)) {
    fail_memory(b);
    return false;
  }
  node->items = items;
  node->keys = keys;
  *capacity = wanted;
  return true;
}

static rl_tree *build(builder *b, const yaml_event_t *event, size_t depth);

// Builds the next node into *node, NULL at the end of the list or map; false on a fault.
static bool build_next(builder *b, size_t depth, rl_tree **node) {
  yaml_event_t event;
  *node = NULL;
  if (!next_event(b, &event)) {
    return false;
  }
  const bool end = event.type == YAML_SEQUENCE_END_EVENT || event.type == YAML_MAPPING_END_EVENT;
  if (!end) {
    *node = build(b, &event, depth);
  }
  yaml_event_delete(&event);
  return end || *node;
}

static bool build_list(builder *b, rl_tree *list, size_t depth) {
  size_t capacity = 0;
  for (;;) {
    rl_tree *item;
    if (!build_next(b, depth + 1, &item)) {
      return false;
    }
    if (!item) {
      return true;
    }
    if (!reserve_item(b, list, &capacity)) {
      return false;
    }
    list->items[list->count++] = item;
  }
}

static bool is_key(builder *b, const rl_tree *key) {
  if (key->kind != RL_TREE_SCALAR) {
    fail_at(b, key->line, key->column, "a key has to be a word, found a %s",
            key->kind == RL_TREE_LIST ? "list" : "map");
    return false;
  }
  return true;
}

static int compare_keys(const void *a, const void *b) {
  const rl_tree *p = *(const rl_tree *const *)a, *q = *(const rl_tree *const *)b;
  const size_t shorter = p->length < q->length ? p->length : q->length;
  const int order = memcmp(p->text, q->text, shorter);
  if (order != 0 || p->length != q->length) {
    return order != 0 ? order : (p->length < q->length ? -1 : 1);
  }
  if (p->line != q->line) {
    return p->line < q->line ? -1 : 1;
  }
  return p->column < q->column ? -1 : p->column > q->column;
}

static bool is_same_key(const rl_tree *a, const rl_tree *b) {
  return a->length == b->length && memcmp(a->text, b->text, a->length) == 0;
}

// Checks that no key occurs twice, which libyaml allows, by sorting them.
static bool keys_are_unique(builder *b, const rl_tree *map) {
  rl_tree **sorted = calloc(map->count + 1, sizeof *sorted);
  if (!sorted) {
    fail_memory(b);
    return false;
  }
  if (map->count > 0) {
    memcpy(sorted, map->keys, map->count * sizeof *sorted);
    qsort(sorted, map->count, sizeof *sorted, compare_keys);
  }
  bool unique = true;
  for (size_t i = 1; i < map->count && unique; i++) {
    unique = !is_same_key(sorted[i - 1], sorted[i]);
    if (!unique) {
      char word[64];
      rl_printable(word, sizeof word, sorted[i]->text, sorted[i]->length);
      fail_at(b, sorted[i]->line, sorted[i]->column,
              "key '%s' comes twice; the first is at line %zu", word, sorted[i - 1]->line);
    }
  }
  free(sorted);
  return unique;
}

static bool build_map(builder *b, rl_tree *map, size_t depth) {
  size_t capacity = 0;
  for (;;) {
    rl_tree *key, *value;
    if (!build_next(b, depth + 1, &key)) {
      return false;
    }
    if (!key) {
      return keys_are_unique(b, map);
    }
    if (!is_key(b, key) || !build_next(b, depth + 1, &value) || !reserve_item(b, map, &capacity)) {
      return false;
    }
    map->keys[map->count] = key;
    map->items[map->count++] = value;
  }
}

static rl_tree *build_container(builder *b, const yaml_event_t *event, size_t depth) {
  const bool list = event->type == YAML_SEQUENCE_START_EVENT;
  if (depth >= RL_YAML_DEPTH_MAX) {
    return fail(b, event, "nested too deeply (more than 64 lists and maps in each other)");
  }
  rl_tree *node = new_node(b, event, list ? RL_TREE_LIST : RL_TREE_MAP);
  if (!node || !(list ? build_list(b, node, depth) : build_map(b, node, depth))) {
    return NULL;
  }
  return node;
}

// Whether a node of any kind has no anchor or tag; otherwise reports it.
static bool is_plain_node(builder *b, const yaml_event_t *event) {
  const yaml_char_t *anchor = NULL, *tag = NULL;
  if (event->type == YAML_SCALAR_EVENT) {
    anchor = event->data.scalar.anchor;
    tag = event->data.scalar.tag;
  } else if (event->type == YAML_SEQUENCE_START_EVENT) {
    anchor = event->data.sequence_start.anchor;
    tag = event->data.sequence_start.tag;
  } else if (event->type == YAML_MAPPING_START_EVENT) {
    anchor = event->data.mapping_start.anchor;
    tag = event->data.mapping_start.tag;
  }
  if (anchor || event->type == YAML_ALIAS_EVENT) {
    fail(b, event, "anchors (&) and aliases (*) are not used here: write the value out");
    return false;
  }
  if (tag) {
    fail(b, event, "tags (!) are not used here: write the plain value");
    return false;
  }
  return true;
}

// Builds the node that starts with this event.
static rl_tree *build(builder *b, const yaml_event_t *event, size_t depth) {
  if (!is_plain_node(b, event)) {
    return NULL;
  }
  return event->type == YAML_SCALAR_EVENT ? build_scalar(b, event)
                                          : build_container(b, event, depth);
}

// Consumes one event; false with `message` if it is of another type.
static bool expect(builder *b, yaml_event_type_t type, const char *message) {
  yaml_event_t event;
  if (!next_event(b, &event)) {
    return false;
  }
  const bool found = event.type == type;
  if (!found) {
    fail(b, &event, message);
  }
  yaml_event_delete(&event);
  return found;
}

static rl_tree *build_document(builder *b) {
  rl_tree *root;
  if (!expect(b, YAML_STREAM_START_EVENT, "not YAML") ||
      !expect(b, YAML_DOCUMENT_START_EVENT, "empty: nothing is written here") ||
      !build_next(b, 0, &root) ||
      !expect(b, YAML_DOCUMENT_END_EVENT, "expected the end of the document") ||
      !expect(b, YAML_STREAM_END_EVENT, "a second document; a scenario file has one")) {
    return NULL;
  }
  return root;
}

rl_tree *rl_yaml_parse(rl_arena *arena, const char *text, size_t length, const char *origin,
                       rl_diagnostic *diagnostic) {
  builder b = {
      .arena = arena, .source = {text, length}, .origin = origin, .diagnostic = diagnostic};
  if (!yaml_parser_initialize(&b.parser)) {
    return fail_memory(&b);
  }
  yaml_parser_set_encoding(&b.parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&b.parser, (const unsigned char *)text, length);
  rl_tree *root = build_document(&b);
  yaml_parser_delete(&b.parser);
  return root;
}
