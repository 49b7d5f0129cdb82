// SPDX-License-Identifier: GPL-3.0-or-later
// Reading of maps by tables of fields: a table lists the keys that a map may have, with kind, range
// and target of each value; rl_read_fields reads and checks them and reports faults.
#ifndef RL_FIELDS_H
#define RL_FIELDS_H

#include "reader.h"

typedef enum rl_field_kind {
  RL_FIELD_NUMBER,  // double
  RL_FIELD_COUNT,   // size_t, at most RL_COUNT_MAX
  RL_FIELD_INTEGER, // int32_t
  RL_FIELD_BOOLEAN, // bool
  RL_FIELD_VECTOR,  // rl_vec3
  RL_FIELD_CHOICE,  // unsigned int or enum: the index of the word in `choices`
  RL_FIELD_TEXT,    // const char *
  RL_FIELD_OTHER    // any type: `read` fills in the target
} rl_field_kind;

typedef enum rl_range { RL_ANY, RL_NOT_NEGATIVE, RL_POSITIVE, RL_AT_MOST_ONE } rl_range;

// The largest count, of segments or spare nodes.
#define RL_COUNT_MAX 10000000

typedef struct rl_field {
  const char *name;
  rl_field_kind kind;
  bool required;
  rl_range range;             // of a number, or of each component of a vector
  const char *unit;           // "1": none
  size_t offset;              // of the target in the record
  const char *const *choices; // ended by NULL
  bool (*read)(rl_reader *reader, const rl_tree *node, void *target);
} rl_field;

// Reads a map into a record. `what` names the map in messages ("body 'heavy'"); a missing key is
// reported at `owner` (the key of the map, or the map itself).
bool rl_read_fields(rl_reader *reader, const rl_tree *map, const rl_tree *owner, const char *what,
                    const rl_field *fields, size_t field_count, void *record);

// Refuses a map that has both keys; the fault is at the one that was set last.
bool rl_check_exclusive(rl_reader *reader, const rl_tree *map, const char *a, const char *b);

// Read single values; `name` is for messages.
bool rl_read_number(rl_reader *reader, const rl_tree *node, const char *name, rl_range range,
                    const char *unit, double *value);
bool rl_read_integer(rl_reader *reader, const rl_tree *node, const char *name, double lower,
                     double upper, double *value);
bool rl_read_vector(rl_reader *reader, const rl_tree *node, const char *name, rl_range range,
                    const char *unit, rl_vec3 *value);
// Refuses a zero vector.
bool rl_check_direction(rl_reader *reader, const rl_tree *node, const char *name, rl_vec3 value);
bool rl_read_boolean(rl_reader *reader, const rl_tree *node, const char *name, bool *value);

// Read lists of any length, of positive numbers and of any vectors; the values live in the arena.
bool rl_read_numbers(rl_reader *reader, const rl_tree *node, const char *name, const char *unit,
                     const double **values, size_t *count);
bool rl_read_vectors(rl_reader *reader, const rl_tree *node, const char *name, const char *unit,
                     const rl_vec3 **values, size_t *count);

// Whether a node is a list `of` such items; false with a fault.
bool rl_expect_list(rl_reader *reader, const rl_tree *node, const char *name, const char *of);

#endif
