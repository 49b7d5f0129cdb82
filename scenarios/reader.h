// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by the parts of the reader (tree -> definition). Each part reads one kind of thing and
// returns false at the first fault, which is then in the diagnostic.
#ifndef RL_READER_H
#define RL_READER_H

#include "arena.h"
#include "diagnostic.h"

// The largest number of probes of a scenario, each of which is a column, and of its bodies and of
// its ropes: looking up names and pairs that can touch takes time with the square of these.
#define RL_PROBES_MAX 1000
#define RL_NAMES_MAX 10000

typedef struct rl_reader {
  rl_arena *arena;
  rl_source source;
  rl_diagnostic *diagnostic;
  rl_diagnostic unsupported; // the first valid thing that is not supported
  bool has_unsupported;
  const char *key; // the key whose value the field's own `read` is reading
  // Maps of bodies and ropes in the tree; NULL: none.
  const rl_tree *bodies, *ropes;
  size_t body_count, rope_count;
  const char **body_names, **rope_names; // the keys of these maps
  rl_body_definition *body_definitions;
  rl_rope_definition *rope_definitions;
} rl_reader;

// Fills in the diagnostic, printf style, with the position of a node; returns false.
bool rl_fail(rl_reader *reader, const rl_tree *at, const char *format, ...);
bool rl_fail_memory(rl_reader *reader);

// Remembers the first node that is valid but unsupported; it is reported if nothing is invalid.
void rl_note_unsupported(rl_reader *reader, const rl_tree *at, const char *format, ...);

// Allocates `count` zeroed objects that live as long as the scenario; NULL after rl_fail_memory.
void *rl_allocate(rl_reader *reader, size_t count, size_t size);

// Describes a node for "..., found %s": 'abc', a list, a map, nothing.
const char *rl_found(const rl_tree *node, char *buffer, size_t size);
#define RL_FOUND_BYTES 72

// Finds a word in a table; otherwise the message lists the table.
bool rl_read_word(rl_reader *reader, const rl_tree *node, const char *what,
                  const char *const *words, size_t count, uint32_t *index);

// The same for what the scenario itself gives names to: "unknown body 'x'; did you mean 'y'?".
bool rl_read_name(rl_reader *reader, const rl_tree *node, const char *what,
                  const char *const *names, size_t count, uint32_t *index);
// Reads a name that becomes part of a path, so without '/'; target: const char *.
bool rl_read_folder_name(rl_reader *reader, const rl_tree *node, void *target);
bool rl_read_body_name(rl_reader *reader, const rl_tree *node, uint32_t *index);
bool rl_read_rope_name(rl_reader *reader, const rl_tree *node, uint32_t *index);

// The parts.
bool rl_read_names(rl_reader *reader);
bool rl_read_bodies(rl_reader *reader);
bool rl_read_parts(rl_reader *reader, const rl_tree *node, void *body_definition);
bool rl_read_ropes(rl_reader *reader);
bool rl_read_end(rl_reader *reader, const rl_tree *node, void *end);
bool rl_read_waypoints(rl_reader *reader, const rl_tree *node, void *rope_definition);
// Checks what needs all ropes to be known.
bool rl_check_end(rl_reader *reader, const rl_tree *node, const rl_end *end, uint32_t rope);
bool rl_read_events(rl_reader *reader, const rl_tree *events, rl_definition *definition);
// Check names first; read what they stand for when there is a model.
bool rl_check_exact(rl_reader *reader, const rl_tree *exact, rl_scenario *scenario);
bool rl_try_exact(rl_reader *reader, const rl_tree *exact, const rl_scenario *scenario);
bool rl_check_probes(rl_reader *reader, const rl_tree *probes, const rl_definition *definition);
bool rl_read_probes(rl_reader *reader, const rl_tree *probes, rl_scenario *scenario);

#endif
