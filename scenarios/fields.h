// SPDX-License-Identifier: GPL-3.0-or-later
// The field machinery: a table says which keys a map may have, of which kind, in which range and
// where the value goes; the machinery reads, checks and reports.
#ifndef RL_FIELDS_H
#define RL_FIELDS_H

#include "reader.h"

typedef enum rl_field_kind {
  RL_FIELD_NUMBER,  // double
  RL_FIELD_COUNT,   // size_t, at most RL_COUNT_MAX
  RL_FIELD_INTEGER, // int32_t
  RL_FIELD_BOOLEAN, // bool
  RL_FIELD_VECTOR,  // rl_vec3
  RL_FIELD_CHOICE,  // unsigned int or an enum: the index of the word in `choices`
  RL_FIELD_TEXT,    // const char *
  RL_FIELD_OTHER    // whatever `read` makes of it; `offset` is added to the record as well
} rl_field_kind;

typedef enum rl_range { RL_ANY, RL_NOT_NEGATIVE, RL_POSITIVE, RL_AT_MOST_ONE } rl_range;

// The largest count (segments, spare nodes).
#define RL_COUNT_MAX 10000000

typedef struct rl_field {
  const char *name;
  rl_field_kind kind;
  bool required;
  rl_range range;             // numbers, and every component of a vector
  const char *unit;           // "1" where there is none
  size_t offset;              // of the target in the record
  const char *const *choices; // ended by NULL
  bool (*read)(rl_reader *reader, const rl_tree *node, void *target);
} rl_field;

// Reads a map into a record. `what` names it in messages ("body 'heavy'"); a missing key is
// reported at `owner` (its own key, or the map itself).
bool rl_read_fields(rl_reader *reader, const rl_tree *map, const rl_tree *owner, const char *what,
                    const rl_field *fields, size_t field_count, void *record);

// Refuses a map that has both keys; the fault is at the second of them.
bool rl_check_exclusive(rl_reader *reader, const rl_tree *map, const char *a, const char *b);

// Single values; `name` is for messages.
bool rl_read_number(rl_reader *reader, const rl_tree *node, const char *name, rl_range range,
                    const char *unit, double *value);
bool rl_read_integer(rl_reader *reader, const rl_tree *node, const char *name, double lower,
                     double upper, double *value);
bool rl_read_vector(rl_reader *reader, const rl_tree *node, const char *name, rl_range range,
                    const char *unit, rl_vec3 *value);
// Refuses a vector that points nowhere.
bool rl_check_direction(rl_reader *reader, const rl_tree *node, const char *name, rl_vec3 value);
bool rl_read_boolean(rl_reader *reader, const rl_tree *node, const char *name, bool *value);

// Lists of any length; the values live in the arena.
bool rl_read_numbers(rl_reader *reader, const rl_tree *node, const char *name, rl_range range,
                     const char *unit, const double **values, size_t *count);
bool rl_read_vectors(rl_reader *reader, const rl_tree *node, const char *name, const char *unit,
                     const rl_vec3 **values, size_t *count);

// False with a fault where the node is not a list.
bool rl_expect_list(rl_reader *reader, const rl_tree *node, const char *name, const char *of);

#endif
