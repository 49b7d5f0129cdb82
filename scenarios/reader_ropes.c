// SPDX-License-Identifier: GPL-3.0-or-later
// Reads ropes.
#include "fields.h"

#include <string.h>

static const char *const lumpings[] = {"half", "equal", NULL};
static const char *const exhausted[] = {"stop", "continue", NULL};

static bool read_rest_lengths(rl_reader *reader, const rl_tree *node, void *target) {
  rl_rope_definition *rope = target;
  size_t count;
  if (!rl_read_numbers(reader, node, "rest_lengths", "m", &rope->rest_lengths, &count)) {
    return false;
  }
  if (count == 0 || count > RL_COUNT_MAX) {
    return rl_fail(reader, node, "rest_lengths: expected 1 to %d of them, found %zu", RL_COUNT_MAX,
                   count);
  }
  return true;
}

// Reads node masses; their number, as in the next two, is checked when the segments are known.
static bool read_node_masses(rl_reader *reader, const rl_tree *node, void *target) {
  rl_rope_definition *rope = target;
  size_t count;
  return rl_read_numbers(reader, node, "node_masses", "kg", &rope->node_masses, &count);
}

static bool read_velocities(rl_reader *reader, const rl_tree *node, void *target) {
  rl_rope_definition *rope = target;
  size_t count;
  return rl_read_vectors(reader, node, "velocities", "m/s", &rope->velocities, &count);
}

// Reads a list of points, or the word for the catenary at rest.
static bool read_points(rl_reader *reader, const rl_tree *node, void *target) {
  rl_rope_definition *rope = target;
  if (rl_tree_is(node, "hang")) {
    rope->pose = RL_POSE_HANG;
    return true;
  }
  rope->pose = RL_POSE_POINTS;
  if (!rl_read_vectors(reader, node, "points", "m", &rope->points, &rope->point_count)) {
    return false;
  }
  if (rope->point_count < 2) {
    return rl_fail(reader, node, "points: expected at least 2 of them, found %zu",
                   rope->point_count);
  }
  return true;
}

static bool read_hang(rl_reader *reader, const rl_tree *node, void *target) {
  rl_rope_definition *rope = target;
  bool hang;
  if (!rl_read_boolean(reader, node, "hang", &hang)) {
    return false;
  }
  rope->pose = hang ? RL_POSE_HANG : rope->pose;
  return true;
}

static bool read_break_tensions(rl_reader *reader, const rl_tree *node, void *target) {
  rl_rope_definition *rope = target;
  size_t count;
  return rl_read_numbers(reader, node, "break_tensions", "N", &rope->break_tensions, &count);
}

#define AT(member) offsetof(rl_rope_definition, member)

static const rl_field rope_fields[] = {
    {"from", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(from), NULL, rl_read_end},
    {"to", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(to), NULL, rl_read_end},
    {"over", RL_FIELD_OTHER, false, RL_ANY, NULL, 0, NULL, rl_read_waypoints},
    {"closed", RL_FIELD_BOOLEAN, false, RL_ANY, NULL, AT(closed), NULL, NULL},
    {"length", RL_FIELD_NUMBER, false, RL_POSITIVE, "m", AT(length), NULL, NULL},
    {"slack", RL_FIELD_NUMBER, false, RL_ANY, "m", AT(slack), NULL, NULL},
    {"mass", RL_FIELD_NUMBER, false, RL_NOT_NEGATIVE, "kg", AT(mass), NULL, NULL},
    {"segments", RL_FIELD_COUNT, false, RL_ANY, "1", AT(segments), NULL, NULL},
    {"rest_lengths", RL_FIELD_OTHER, false, RL_ANY, "m", 0, NULL, read_rest_lengths},
    {"lumping", RL_FIELD_CHOICE, false, RL_ANY, NULL, AT(lumping), lumpings, NULL},
    {"node_masses", RL_FIELD_OTHER, false, RL_ANY, "kg", 0, NULL, read_node_masses},
    {"stiffness", RL_FIELD_NUMBER, false, RL_POSITIVE, "N", AT(stiffness), NULL, NULL},
    {"damping", RL_FIELD_NUMBER, false, RL_NOT_NEGATIVE, "N s", AT(damping), NULL, NULL},
    {"damping_ratio", RL_FIELD_NUMBER, false, RL_NOT_NEGATIVE, "1", AT(damping_ratio), NULL, NULL},
    {"bending", RL_FIELD_NUMBER, false, RL_NOT_NEGATIVE, "N m^2", AT(bending), NULL, NULL},
    {"radius", RL_FIELD_NUMBER, false, RL_NOT_NEGATIVE, "m", AT(radius), NULL, NULL},
    {"friction", RL_FIELD_NUMBER, false, RL_NOT_NEGATIVE, "1", AT(friction), NULL, NULL},
    {"compression", RL_FIELD_BOOLEAN, false, RL_ANY, NULL, AT(compression), NULL, NULL},
    {"rope_collide", RL_FIELD_BOOLEAN, false, RL_ANY, NULL, AT(rope_collide), NULL, NULL},
    {"break_tension", RL_FIELD_NUMBER, false, RL_POSITIVE, "N", AT(break_tension), NULL, NULL},
    {"break_tensions", RL_FIELD_OTHER, false, RL_ANY, "N", 0, NULL, read_break_tensions},
    {"drag", RL_FIELD_NUMBER, false, RL_NOT_NEGATIVE, "N s/m", AT(drag), NULL, NULL},
    {"drag_per_length", RL_FIELD_NUMBER, false, RL_NOT_NEGATIVE, "N s/m^2", AT(drag_per_length),
     NULL, NULL},
    {"pool", RL_FIELD_COUNT, false, RL_ANY, "1", AT(pool), NULL, NULL},
    {"pool_exhausted", RL_FIELD_CHOICE, false, RL_ANY, NULL, AT(pool_exhausted), exhausted, NULL},
    {"points", RL_FIELD_OTHER, false, RL_ANY, "m", 0, NULL, read_points},
    {"hang", RL_FIELD_OTHER, false, RL_ANY, NULL, 0, NULL, read_hang},
    {"velocity", RL_FIELD_VECTOR, false, RL_ANY, "m/s", AT(velocity), NULL, NULL},
    {"spin", RL_FIELD_VECTOR, false, RL_ANY, "rad/s", AT(spin), NULL, NULL},
    {"pivot", RL_FIELD_VECTOR, false, RL_ANY, "m", AT(pivot), NULL, NULL},
    {"velocities", RL_FIELD_OTHER, false, RL_ANY, "m/s", 0, NULL, read_velocities},
};

#undef AT

static bool check_exclusive_keys(rl_reader *reader, const rl_tree *map) {
  static const char *const pairs[][2] = {
      {"length", "slack"},
      {"length", "rest_lengths"},
      {"slack", "rest_lengths"},
      {"mass", "node_masses"},
      {"lumping", "node_masses"},
      {"damping", "damping_ratio"},
      {"drag", "drag_per_length"},
      {"points", "hang"},
      {"velocity", "velocities"},
      {"spin", "velocities"},
      {"break_tension", "break_tensions"},
  };
  for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
    if (!rl_check_exclusive(reader, map, pairs[i][0], pairs[i][1])) {
      return false;
    }
  }
  if (rl_tree_value(map, "pivot") && !rl_tree_value(map, "spin")) {
    return rl_fail(reader, rl_tree_key(map, "pivot"), "'pivot' needs a 'spin' about it");
  }
  return true;
}

// Checks that a closed rope has no ends and any other rope has two.
static bool check_ends(rl_reader *reader, size_t i) {
  static const char *const keys[2] = {"from", "to"};
  const rl_tree *map = reader->ropes->items[i];
  const bool closed = reader->rope_definitions[i].closed;
  for (size_t k = 0; k < 2; k++) {
    if (closed && !rl_check_exclusive(reader, map, "closed", keys[k])) {
      return false;
    }
    if (!closed && !rl_tree_value(map, keys[k])) {
      return rl_fail(reader, reader->ropes->keys[i], "rope '%.40s': missing key '%s'",
                     reader->rope_names[i], keys[k]);
    }
  }
  return true;
}

// Takes the number of segments from the rest lengths; if both are given they have to agree.
static bool check_segments(rl_reader *reader, const rl_tree *map, rl_rope_definition *rope) {
  const rl_tree *list = rl_tree_value(map, "rest_lengths");
  if (!list) {
    return true;
  }
  if (rl_tree_value(map, "segments") && rope->segments != list->count) {
    return rl_fail(reader, list,
                   "rest_lengths: expected %zu of them, as 'segments' says, found %zu",
                   rope->segments, list->count);
  }
  rope->segments = list->count;
  return true;
}

// Checks that there is a strength for each element.
static bool check_strengths(rl_reader *reader, const rl_tree *map, const rl_rope_definition *rope) {
  const rl_tree *list = rl_tree_value(map, "break_tensions");
  const size_t count = rl_definition_elements(rope);
  return !list || list->count == count ||
         rl_fail(reader, list, "break_tensions: expected %zu of them (segments), found %zu", count,
                 list->count);
}

// Checks that lists by node have an item for each node.
static bool check_node_lists(rl_reader *reader, const rl_tree *map,
                             const rl_rope_definition *rope) {
  static const char *const keys[2] = {"node_masses", "velocities"};
  for (size_t k = 0; k < 2; k++) {
    const rl_tree *list = rl_tree_value(map, keys[k]);
    if (list && rope->segments == 0) {
      return rl_fail(reader, rl_tree_key(map, keys[k]), "'%s' needs 'segments' beside it", keys[k]);
    }
    const size_t nodes = rl_definition_nodes(rope);
    if (list && list->count != nodes) {
      return rl_fail(reader, list, "%s: expected %zu of them (%s), found %zu", keys[k], nodes,
                     rope->closed ? "segments" : "segments + 1", list->count);
    }
  }
  return true;
}

static bool read_rope(rl_reader *reader, size_t i) {
  const rl_tree *map = reader->ropes->items[i];
  rl_rope_definition *rope = &reader->rope_definitions[i];
  *rope = rl_rope_defaults();
  rope->name = reader->rope_names[i];
  char what[64];
  snprintf(what, sizeof what, "rope '%.40s'", rope->name);
  return rl_read_fields(reader, map, reader->ropes->keys[i], what, rope_fields,
                        sizeof rope_fields / sizeof rope_fields[0], rope) &&
         check_ends(reader, i) && check_exclusive_keys(reader, map) &&
         check_segments(reader, map, rope) && check_strengths(reader, map, rope) &&
         check_node_lists(reader, map, rope);
}

bool rl_read_ropes(rl_reader *reader) {
  reader->rope_definitions =
      rl_allocate(reader, reader->rope_count, sizeof *reader->rope_definitions);
  if (!reader->rope_definitions) {
    return false;
  }
  for (size_t i = 0; i < reader->rope_count; i++) {
    if (!read_rope(reader, i)) {
      return false;
    }
  }
  for (size_t i = 0; i < reader->rope_count; i++) {
    const rl_tree *map = reader->ropes->items[i];
    const rl_rope_definition *rope = &reader->rope_definitions[i];
    if (!rope->closed &&
        (!rl_check_end(reader, rl_tree_value(map, "from"), &rope->from, (uint32_t)i) ||
         !rl_check_end(reader, rl_tree_value(map, "to"), &rope->to, (uint32_t)i))) {
      return false;
    }
  }
  return true;
}
