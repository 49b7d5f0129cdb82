// SPDX-License-Identifier: GPL-3.0-or-later
// What the parts of the reader share (tree -> definition). Each part reads one kind of thing; all
// return false at the first fault, which is then in the diagnostic.
#ifndef RL_READER_H
#define RL_READER_H

#include "arena.h"
#include "diagnostic.h"

// The most probes of a scenario (each is a column), and the most bodies and ropes: looking names
// up and finding what touches what takes time with the square of these.
#define RL_PROBES_MAX 1000
#define RL_NAMES_MAX 10000

typedef struct rl_reader {
  rl_arena *arena;
  rl_source source;
  rl_diagnostic *diagnostic;
  rl_diagnostic unsupported; // the first thing that is valid but cannot be run
  bool has_unsupported;
  const char *key; // whose value a field's own `read` was called for
  // Where bodies and ropes stand in the tree: maps, or NULL where there are none.
  const rl_tree *bodies, *ropes;
  size_t body_count, rope_count;
  const char **body_names, **rope_names; // keys of these maps
  rl_body_definition *body_definitions;
  rl_rope_definition *rope_definitions;
} rl_reader;

// Fills in the diagnostic (printf style) with the position of a node; returns false.
bool rl_fail(rl_reader *reader, const rl_tree *at, const char *format, ...);
bool rl_fail_memory(rl_reader *reader);

// Remembers that what stands at a node cannot be run; it is reported if nothing is invalid.
void rl_note_unsupported(rl_reader *reader, const rl_tree *at, const char *format, ...);

// `count` zeroed objects that live as long as the scenario; NULL after rl_fail_memory.
void *rl_allocate(rl_reader *reader, size_t count, size_t size);

// Describes what was found, for "..., found %s": 'abc', a list, a map, nothing.
const char *rl_found(const rl_tree *node, char *buffer, size_t size);
#define RL_FOUND_BYTES 72

// Looks up a word in a table (all of them in the message where it is not there).
bool rl_read_word(rl_reader *reader, const rl_tree *node, const char *what,
                  const char *const *words, size_t count, uint32_t *index);
// A name that results are written under: into a folder, so without '/'; target: const char *.
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
// What can only be checked once all ropes are known.
bool rl_check_end(rl_reader *reader, const rl_tree *node, const rl_end *end, uint32_t rope);
bool rl_read_events(rl_reader *reader, const rl_tree *events, rl_definition *definition);
// Names first, then, once there is a model, what they stand for.
bool rl_check_exact(rl_reader *reader, const rl_tree *exact, rl_scenario *scenario);
bool rl_try_exact(rl_reader *reader, const rl_tree *exact, const rl_scenario *scenario);
bool rl_check_probes(rl_reader *reader, const rl_tree *probes, const rl_definition *definition);
bool rl_read_probes(rl_reader *reader, const rl_tree *probes, rl_scenario *scenario);

#endif
