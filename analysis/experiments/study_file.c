// SPDX-License-Identifier: GPL-3.0-or-later
#include "study_file.h"

#include "available_memory.h"
#include "study_fault.h"
#include "text_file.h"
#include "yaml_tree.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

enum { FIELDS_MAX = 64, KINDS_MAX = 16 };

// ---------------------------------------------------------------------------------------------
// Values

static bool read_word(rl_reader *reader, const rl_tree *node, const char *name, const char **word) {
  if (node->kind != RL_TREE_SCALAR || rl_tree_is_nothing(node) ||
      strlen(node->text) != node->length) {
    char found[RL_FOUND_BYTES];
    return rl_fail(reader, node, "%s: expected text, found %s", name,
                   rl_found(node, found, sizeof found));
  }
  *word = node->text;
  return true;
}

// Writes the name of an item for messages: "key[2]", or "key" for a single value.
static void item_name(char *name, size_t size, const char *key, const rl_tree *value, size_t item) {
  snprintf(name, size, value->kind == RL_TREE_LIST ? "%s[%zu]" : "%s", key, item);
}

bool rl_read_words(rl_reader *reader, const rl_tree *node, void *target) {
  rl_words *words = target;
  const bool is_list = node->kind == RL_TREE_LIST;
  words->count = is_list ? node->count : 1;
  words->words = rl_allocate(reader, words->count, sizeof *words->words);
  if (!words->words) {
    return false;
  }
  if (words->count == 0 || words->count > RL_LIST_MAX) {
    return rl_fail(reader, node, "%s: expected 1 to %d items, found %zu", reader->key, RL_LIST_MAX,
                   words->count);
  }
  for (size_t i = 0; i < words->count; i++) {
    char name[64];
    item_name(name, sizeof name, reader->key, node, i);
    if (!read_word(reader, is_list ? node->items[i] : node, name, &words->words[i])) {
      return false;
    }
  }
  return true;
}

// Reads words that are positive numbers; they stay words, since they become parts of names.
bool rl_read_positives(rl_reader *reader, const rl_tree *node, void *target) {
  if (!rl_read_words(reader, node, target)) {
    return false;
  }
  const bool is_list = node->kind == RL_TREE_LIST;
  for (size_t i = 0; i < (is_list ? node->count : 1); i++) {
    double value;
    char name[64];
    item_name(name, sizeof name, reader->key, node, i);
    if (!rl_read_number(reader, is_list ? node->items[i] : node, name, RL_POSITIVE, NULL, &value)) {
      return false;
    }
  }
  return true;
}

// Writes a tree as YAML on one line.
static void write_flow(FILE *out, const rl_tree *node) {
  const bool map = node->kind == RL_TREE_MAP;
  if (node->kind == RL_TREE_SCALAR) {
    fputs(node->quoted ? "\"" : "", out);
    for (const char *c = node->text; *c; c++) {
      fprintf(out, node->quoted && strchr("\"\\", *c) ? "\\%c" : "%c", *c);
    }
    fputs(node->quoted ? "\"" : "", out);
    return;
  }
  fputc(map ? '{' : '[', out);
  for (size_t i = 0; i < node->count; i++) {
    fputs(i > 0 ? ", " : "", out);
    if (map) {
      write_flow(out, node->keys[i]);
      fputs(": ", out);
    }
    write_flow(out, node->items[i]);
  }
  fputc(map ? '}' : ']', out);
}

static const char *flow_text(rl_reader *reader, const rl_tree *node) {
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (out) {
    write_flow(out, node);
  }
  const char *copy = out && fclose(out) == 0 ? rl_arena_text(reader->arena, text, size) : NULL;
  free(text);
  if (!copy) {
    rl_fail_memory(reader);
  }
  return copy;
}

static bool read_changes(rl_reader *reader, const rl_tree *node, void *target) {
  rl_changes *changes = target;
  char found[RL_FOUND_BYTES];
  if (node->kind != RL_TREE_MAP) {
    return rl_fail(reader, node, "expected a map from paths (ropes.line.mass) to values, found %s",
                   rl_found(node, found, sizeof found));
  }
  changes->list = rl_allocate(reader, node->count, sizeof *changes->list);
  for (size_t i = 0; changes->list && i < node->count; i++) {
    changes->list[i] = (rl_override){node->keys[i]->text, flow_text(reader, node->items[i])};
    if (!changes->list[i].value) {
      return false;
    }
  }
  changes->count = node->count;
  return changes->list != NULL;
}

static bool parse_solver(rl_reader *reader, const rl_tree *node, rl_solver_spec *spec) {
  const char *text = NULL;
  char message[400];
  return read_word(reader, node, "solver", &text) &&
         (rl_solver_spec_parse(text, spec, message, sizeof message) ||
          rl_fail(reader, node, "%s", message));
}

static bool read_solver(rl_reader *reader, const rl_tree *node, void *target) {
  rl_solver_spec spec;
  return parse_solver(reader, node, &spec) && read_word(reader, node, "solver", target);
}

bool rl_read_reference(rl_reader *reader, const rl_tree *node, void *target) {
  static const rl_field fields[] = {
      {"solver", RL_FIELD_OTHER, false, RL_ANY, NULL, offsetof(rl_study_reference, solver), NULL,
       read_solver},
      {"step", RL_FIELD_NUMBER, false, RL_POSITIVE, "s", offsetof(rl_study_reference, step), NULL,
       NULL},
      {"set", RL_FIELD_OTHER, false, RL_ANY, NULL, offsetof(rl_study_reference, changes), NULL,
       read_changes},
  };
  return rl_read_fields(reader, node, node, "reference", fields, sizeof fields / sizeof fields[0],
                        target);
}

// An item of `solvers`: "pbd,iterations=5", or a map that also has an `over` of its own.
typedef struct solver_item {
  const char *solver, *over;
} solver_item;

static bool read_solver_item(rl_reader *reader, const rl_tree *node, rl_solver_spec *spec,
                             const char **over) {
  static const rl_field fields[] = {
      {"solver", RL_FIELD_OTHER, true, RL_ANY, NULL, offsetof(solver_item, solver), NULL,
       read_solver},
      {"over", RL_FIELD_TEXT, true, RL_ANY, NULL, offsetof(solver_item, over), NULL, NULL},
  };
  if (node->kind != RL_TREE_MAP) {
    return parse_solver(reader, node, spec);
  }
  solver_item item = {0};
  if (!rl_read_fields(reader, node, node, "solver", fields, sizeof fields / sizeof fields[0],
                      &item)) {
    return false;
  }
  *over = item.over;
  return parse_solver(reader, rl_tree_value(node, "solver"), spec);
}

// Reads "solvers: [pbd, ...]" or "solvers: all".
static bool read_solvers(rl_reader *reader, const rl_tree *node, void *target) {
  rl_study_definition *d = target;
  const bool is_list = node->kind == RL_TREE_LIST;
  const size_t count = is_list ? node->count : 1;
  char message[400];
  if (rl_tree_is(node, "all")) {
    return true; // filled in when the whole definition is known
  }
  if (count == 0 || count > RL_LIST_MAX) {
    return rl_fail(reader, node, "expected 1 to %d solvers, found %zu", RL_LIST_MAX, count);
  }
  d->solvers = rl_allocate(reader, count, sizeof *d->solvers);
  d->overs = rl_allocate(reader, count, sizeof *d->overs);
  if (!d->solvers || !d->overs) {
    return false;
  }
  for (; d->solver_count < count; d->solver_count++) {
    const size_t i = d->solver_count;
    if (!read_solver_item(reader, is_list ? node->items[i] : node, &d->solvers[i], &d->overs[i])) {
      return false;
    }
  }
  return rl_solver_spec_distinguish(d->solvers, d->solver_count, message, sizeof message) ||
         rl_fail(reader, node, "%s", message);
}

// Reads the scenarios and looks each up at once, so that a misspelt name is reported at its place.
static bool read_scenarios(rl_reader *reader, const rl_tree *node, void *target) {
  rl_words *words = target;
  if (!rl_read_words(reader, node, words)) {
    return false;
  }
  for (size_t i = 0; i < words->count; i++) {
    const rl_tree *at = node->kind == RL_TREE_LIST ? node->items[i] : node;
    char path[RL_PATH_MAX], message[RL_PATH_MAX + 640];
    if (!rl_shipped_find(&rl_shipped_scenarios, words->words[i], path, message, sizeof message)) {
      return rl_fail(reader, at, "%s", message);
    }
    if (rl_study_item(*words, words->words[i]) < i) {
      return rl_fail(reader, at, "scenario '%.100s' is given twice", words->words[i]);
    }
  }
  return true;
}

// ---------------------------------------------------------------------------------------------
// The file

static bool read_kind(rl_reader *reader, const rl_tree *node, void *target) {
  const char *names[KINDS_MAX];
  size_t count = 0;
  for (; rl_study_kinds[count]; count++) {
    names[count] = rl_study_kinds[count]->name;
  }
  uint32_t index;
  if (!rl_read_word(reader, node, "kind", names, count, &index)) {
    return false;
  }
  *(unsigned *)target = index;
  return true;
}

#define AT(member) offsetof(rl_study_definition, member)

// The keys of every study.
static const rl_field common_fields[] = {
    {"name", RL_FIELD_OTHER, true, RL_ANY, NULL, AT(name), NULL, rl_read_folder_name},
    {"title", RL_FIELD_TEXT, false, RL_ANY, NULL, AT(title), NULL, NULL},
    {"about", RL_FIELD_TEXT, false, RL_ANY, NULL, AT(about), NULL, NULL},
    {"kind", RL_FIELD_OTHER, true, RL_ANY, NULL, AT(kind), NULL, read_kind},
    {"scenarios", RL_FIELD_OTHER, true, RL_ANY, NULL, AT(scenarios), NULL, read_scenarios},
    {"solvers", RL_FIELD_OTHER, true, RL_ANY, NULL, 0, NULL, read_solvers},
    {"step", RL_FIELD_NUMBER, false, RL_POSITIVE, "s", AT(step), NULL, NULL},
    {"duration", RL_FIELD_NUMBER, false, RL_POSITIVE, "s", AT(duration), NULL, NULL},
    {"every", RL_FIELD_NUMBER, false, RL_POSITIVE, "s", AT(every), NULL, NULL},
    {"time_limit", RL_FIELD_NUMBER, false, RL_POSITIVE, "s", AT(time_limit), NULL, NULL},
    {"set", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(changes), NULL, read_changes},
    {"probes", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(probes), NULL, rl_read_words},
};

#undef AT

enum { COMMON_FIELDS = sizeof common_fields / sizeof common_fields[0] };

static bool is_without(const rl_study_kind *kind, const char *key) {
  for (size_t i = 0; kind->without && kind->without[i]; i++) {
    if (strcmp(kind->without[i], key) == 0) {
      return true;
    }
  }
  return false;
}

// Collects the keys of a kind; returns their number.
static size_t fields_of(const rl_study_kind *kind, rl_field fields[FIELDS_MAX]) {
  size_t count = 0;
  for (size_t i = 0; i < COMMON_FIELDS; i++) {
    if (!is_without(kind, common_fields[i].name)) {
      fields[count++] = common_fields[i];
    }
  }
  memcpy(&fields[count], kind->fields, kind->field_count * sizeof *fields);
  return count + kind->field_count;
}

static bool has_field(const rl_study_kind *kind, const char *key) {
  rl_field fields[FIELDS_MAX];
  const size_t count = fields_of(kind, fields);
  for (size_t i = 0; i < count; i++) {
    if (strcmp(fields[i].name, key) == 0) {
      return true;
    }
  }
  return false;
}

// Checks that no key belongs only to other kinds.
static bool check_keys(rl_reader *reader, const rl_tree *root, const rl_study_kind *kind) {
  for (size_t i = 0; i < root->count; i++) {
    const char *key = root->keys[i]->text;
    char others[128] = "";
    for (size_t k = 0; rl_study_kinds[k] && !has_field(kind, key); k++) {
      const size_t used = strlen(others);
      if (has_field(rl_study_kinds[k], key)) {
        snprintf(others + used, sizeof others - used, "%s%s", used > 0 ? ", " : "",
                 rl_study_kinds[k]->name);
      }
    }
    if (*others) {
      return rl_fail(reader, root->keys[i], "'%s' is a key of kind: %s; this study is of kind: %s",
                     key, others, kind->name);
    }
  }
  return true;
}

// Reads the map; first its kind, which decides about the other keys.
static bool read_root(rl_reader *reader, const rl_tree *root, rl_study_definition *d) {
  const rl_tree *node = root->kind == RL_TREE_MAP ? rl_tree_value(root, "kind") : NULL;
  if (node && !read_kind(reader, node, &d->kind)) {
    return false;
  }
  const rl_study_kind *kind = rl_study_kinds[d->kind];
  rl_field fields[FIELDS_MAX];
  if (node && !check_keys(reader, root, kind)) {
    return false;
  }
  if (!rl_read_fields(reader, root, root, "the study", fields, fields_of(kind, fields), d)) {
    return false;
  }
  rl_study_fault fault = {0};
  if (!d->solvers) {
    d->solvers = rl_allocate(reader, RL_LIST_MAX, sizeof *d->solvers);
    if (!d->solvers) {
      return false;
    }
    rl_study_fill_solvers(d);
  }
  if (kind->check(d, &fault)) {
    return true;
  }
  const rl_tree *at = rl_tree_value(root, fault.key);
  if (at && at->kind == RL_TREE_LIST && fault.item < at->count) {
    at = at->items[fault.item];
  }
  return rl_fail(reader, at ? at : root, "%s: %s", fault.key, fault.message);
}

rl_arena *rl_study_read(const char *path, rl_study_definition *definition,
                        rl_diagnostic *diagnostic) {
  size_t length = 0;
  char *file = rl_file_text(path, &length, diagnostic);
  const char *text = file;
  rl_arena *arena = file ? rl_arena_create(rl_available_memory()) : NULL;
  *definition = rl_study_empty(rl_study_kinds[0]);
  bool good = arena && rl_text_begin(&text, &length, diagnostic);
  text = good ? rl_arena_text(arena, text, length) : NULL; // kept to show lines with faults
  const rl_tree *root = text ? rl_yaml_parse(arena, text, length, NULL, diagnostic) : NULL;
  rl_reader reader = {.arena = arena, .source = {text, length}, .diagnostic = diagnostic};
  good = root && read_root(&reader, root, definition);
  free(file);
  if (!good) {
    rl_arena_free(arena);
    return NULL;
  }
  definition->source = (rl_study_source){path, reader.source, root};
  return arena;
}
