// SPDX-License-Identifier: GPL-3.0-or-later
#include "reader.h"

#include <string.h>

#include "available_memory.h"
#include "words.h"

bool rl_fail(rl_reader *reader, const rl_tree *at, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  rl_diagnose(reader->diagnostic, reader->source, at->line, at->column, format, arguments);
  va_end(arguments);
  if (at->origin) {
    // A node from the command line has no position, so that the option is quoted instead.
    char message[sizeof reader->diagnostic->message];
    memcpy(message, reader->diagnostic->message, sizeof message);
    rl_diagnose_text(reader->diagnostic, "%s: %s", at->origin, message);
  }
  return false;
}

bool rl_fail_memory(rl_reader *reader) {
  rl_diagnose_text(reader->diagnostic, "out of memory: there are %.3g GiB",
                   (double)rl_available_memory() / RL_GIB);
  reader->diagnostic->out_of_memory = true;
  return false;
}

void rl_note_unsupported(rl_reader *reader, const rl_tree *at, const char *format, ...) {
  if (reader->has_unsupported) {
    return;
  }
  char message[sizeof reader->diagnostic->message];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  rl_diagnostic *const current = reader->diagnostic;
  reader->diagnostic = &reader->unsupported;
  rl_fail(reader, at, "%s", message);
  reader->diagnostic = current;
  reader->unsupported.unsupported = true;
  reader->has_unsupported = true;
}

void *rl_allocate(rl_reader *reader, size_t count, size_t size) {
  void *memory = rl_arena_allocate(reader->arena, count, size);
  if (!memory) {
    rl_fail_memory(reader);
  }
  return memory;
}

const char *rl_found(const rl_tree *node, char *buffer, size_t size) {
  if (node->kind != RL_TREE_SCALAR) {
    snprintf(buffer, size, "%s of %zu", node->kind == RL_TREE_LIST ? "a list" : "a map",
             node->count);
  } else if (rl_tree_is_nothing(node)) {
    snprintf(buffer, size, "nothing");
  } else {
    char word[48];
    const bool cut = rl_printable(word, sizeof word, node->text, node->length) < node->length;
    const char quote = node->quoted ? '"' : '\'';
    snprintf(buffer, size, "%c%s%s%c", quote, word, cut ? "..." : "", quote);
  }
  return buffer;
}

static bool find_word(const rl_tree *node, const char *const *words, size_t count,
                      uint32_t *index) {
  for (size_t i = 0; i < count; i++) {
    if (rl_tree_is(node, words[i])) {
      *index = (uint32_t)i;
      return true;
    }
  }
  return false;
}

bool rl_read_word(rl_reader *reader, const rl_tree *node, const char *what,
                  const char *const *words, size_t count, uint32_t *index) {
  if (find_word(node, words, count, index)) {
    return true;
  }
  char found[RL_FOUND_BYTES], suggestion[320] = "";
  rl_found(node, found, sizeof found);
  const char *word = node->kind == RL_TREE_SCALAR ? node->text : "";
  rl_suggest(suggestion, sizeof suggestion, word, words, count);
  return rl_fail(reader, node, "%s: found %s; %s", what, found, suggestion);
}

bool rl_read_name(rl_reader *reader, const rl_tree *node, const char *what,
                  const char *const *names, size_t count, uint32_t *index) {
  if (node->kind != RL_TREE_SCALAR || rl_tree_is_nothing(node)) {
    char name[64];
    snprintf(name, sizeof name, "name of a %s", what);
    return rl_read_word(reader, node, name, names, count, index);
  }
  if (find_word(node, names, count, index)) {
    return true;
  }
  char found[RL_FOUND_BYTES], suggestion[320] = "";
  rl_suggest(suggestion, sizeof suggestion, node->text, names, count);
  return rl_fail(reader, node, "unknown %s %s; %s", what, rl_found(node, found, sizeof found),
                 suggestion);
}

enum { NAME_BYTES = 200 }; // with the 0 at its end

bool rl_read_folder_name(rl_reader *reader, const rl_tree *node, void *target) {
  const char **name = target;
  char found[RL_FOUND_BYTES], shown[NAME_BYTES] = "";
  if (node->kind == RL_TREE_SCALAR) {
    rl_printable(shown, sizeof shown, node->text, node->length);
  }
  if (node->kind == RL_TREE_SCALAR && node->length >= sizeof shown) {
    return rl_fail(reader, node, "name: expected at most %zu bytes, found %zu", sizeof shown - 1,
                   node->length);
  }
  for (size_t i = 0; node->kind == RL_TREE_SCALAR && i < node->length; i++) {
    const unsigned char byte = (unsigned char)node->text[i];
    if (byte < 0x20 || byte == 0x7f) {
      return rl_fail(reader, node, "name: expected no control character, found 0x%02X in %s", byte,
                     rl_found(node, found, sizeof found));
    }
  }
  // Characters that the printable copy replaces are not printable.
  if (shown[0] == 0 || !rl_tree_is(node, shown) || shown[0] == '.' || strchr(shown, '/')) {
    return rl_fail(reader, node,
                   "name: expected a short text without '/' that does not start with '.', found %s",
                   rl_found(node, found, sizeof found));
  }
  *name = node->text;
  return true;
}

bool rl_read_body_name(rl_reader *reader, const rl_tree *node, uint32_t *index) {
  if (reader->body_count == 0) {
    return rl_fail(reader, node, "the scenario has no body that could be named here");
  }
  return rl_read_name(reader, node, "body", reader->body_names, reader->body_count, index);
}

bool rl_read_rope_name(rl_reader *reader, const rl_tree *node, uint32_t *index) {
  return rl_read_name(reader, node, "rope", reader->rope_names, reader->rope_count, index);
}

// Checks that a name is a plain word, since probes and --set join names with dots.
static bool check_name(rl_reader *reader, const rl_tree *key, const char *what) {
  static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_";
  static const char inside[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789-";
  const bool word = key->length > 0 && strchr(letters, key->text[0]) && key->text[0] != 0 &&
                    strspn(key->text, inside) == key->length;
  if (!word) {
    char found[RL_FOUND_BYTES];
    return rl_fail(reader, key,
                   "name of a %s: expected a letter or _, then letters, digits, _ and -, found %s",
                   what, rl_found(key, found, sizeof found));
  }
  return key->length < NAME_BYTES ||
         rl_fail(reader, key, "name of a %s: expected at most %d characters, found %zu", what,
                 NAME_BYTES - 1, key->length);
}

// Reads the keys of the map of bodies or ropes; *node becomes NULL for an empty value.
static bool read_keys(rl_reader *reader, const rl_tree **node, const char *what,
                      const char ***names, size_t *count) {
  if (!*node || rl_tree_is_nothing(*node)) {
    *node = NULL;
    return true;
  }
  const rl_tree *map = *node;
  if (map->kind != RL_TREE_MAP) {
    char found[RL_FOUND_BYTES];
    return rl_fail(reader, map,
                   "expected a map from the name of each %s to its definition, found %s", what,
                   rl_found(map, found, sizeof found));
  }
  if (map->count > RL_NAMES_MAX) {
    return rl_fail(reader, map, "expected at most %d definitions of a %s, found %zu", RL_NAMES_MAX,
                   what, map->count);
  }
  *names = rl_allocate(reader, map->count, sizeof **names);
  if (!*names) {
    return false;
  }
  for (size_t i = 0; i < map->count; i++) {
    if (!check_name(reader, map->keys[i], what)) {
      return false;
    }
    (*names)[i] = map->keys[i]->text;
  }
  *count = map->count;
  return true;
}

// Checks that no rope has the name of a body: "x.y" in a probe has to be unique.
static bool check_shared_names(rl_reader *reader) {
  for (size_t i = 0; i < reader->rope_count; i++) {
    if (reader->bodies && rl_tree_value(reader->bodies, reader->rope_names[i])) {
      return rl_fail(reader, reader->ropes->keys[i],
                     "rope '%s' has the name of a body; probes could not tell them apart",
                     reader->rope_names[i]);
    }
  }
  return true;
}

bool rl_read_names(rl_reader *reader) {
  return read_keys(reader, &reader->bodies, "body", &reader->body_names, &reader->body_count) &&
         read_keys(reader, &reader->ropes, "rope", &reader->rope_names, &reader->rope_count) &&
         check_shared_names(reader);
}
