// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the ends of ropes and the bodies and eyes on the way: `from`, `to` and `over`.
#include "fields.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------
// Ends

static bool read_body_index(rl_reader *reader, const rl_tree *node, void *target) {
  return rl_read_body_name(reader, node, target);
}

static bool read_clamp(rl_reader *reader, const rl_tree *node, void *target) {
  rl_vec3 *clamp = target;
  return rl_read_vector(reader, node, "clamp", RL_ANY, "1", clamp) &&
         rl_check_direction(reader, node, "clamp", *clamp);
}

static bool read_rope_index(rl_reader *reader, const rl_tree *node, void *target) {
  return rl_read_rope_name(reader, node, target);
}

#define AT(member) offsetof(rl_end, member)

static const rl_field end_fields[] = {
    {"body", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(body), NULL, read_body_index},
    {"at", RL_FIELD_VECTOR, false, RL_ANY, "m", AT(at), NULL, NULL},
    {"point", RL_FIELD_VECTOR, false, RL_ANY, "m", AT(at), NULL, NULL},
    {"free", RL_FIELD_VECTOR, false, RL_ANY, "m", AT(at), NULL, NULL},
    {"rope", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(rope), NULL, read_rope_index},
    {"node", RL_FIELD_INTEGER, false, RL_ANY, NULL, AT(node), NULL, NULL},
    {"clamp", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(clamp), NULL, read_clamp},
};

#undef AT

// Checks that a key has the other key that it needs.
static bool check_needs(rl_reader *reader, const rl_tree *map, const char *key,
                        const char *needed) {
  if (rl_tree_value(map, key) && !rl_tree_value(map, needed)) {
    return rl_fail(reader, rl_tree_key(map, key), "'%s' needs '%s' beside it", key, needed);
  }
  return true;
}

bool rl_read_end(rl_reader *reader, const rl_tree *node, void *target) {
  static const struct {
    const char *key;
    rl_end_kind kind;
  } kinds[] = {
      {"body", RL_END_BODY}, {"point", RL_END_POINT}, {"free", RL_END_FREE}, {"rope", RL_END_NODE}};
  rl_end *end = target;
  *end = (rl_end){.body = RL_NONE, .rope = RL_NONE};
  if (node->kind != RL_TREE_MAP) {
    char found[RL_FOUND_BYTES];
    return rl_fail(reader, node,
                   "end of a rope: expected {body: NAME}, {point: [x, y, z]}, {free: [x, y, z]} or "
                   "{rope: NAME, node: i}, found %s",
                   rl_found(node, found, sizeof found));
  }
  if (!rl_read_fields(reader, node, node, "an end of a rope", end_fields,
                      sizeof end_fields / sizeof end_fields[0], end)) {
    return false;
  }
  const char *kind = NULL;
  for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (rl_tree_value(node, kinds[i].key)) {
      if (kind && !rl_check_exclusive(reader, node, kind, kinds[i].key)) {
        return false;
      }
      kind = kinds[i].key;
      end->kind = kinds[i].kind;
    }
  }
  if (!kind) {
    return rl_fail(reader, node, "an end of a rope needs one of 'body', 'point', 'free', 'rope'");
  }
  return check_needs(reader, node, "at", "body") && check_needs(reader, node, "node", "rope") &&
         check_needs(reader, node, "rope", "node");
}

bool rl_check_end(rl_reader *reader, const rl_tree *node, const rl_end *end, uint32_t rope) {
  if (end->kind != RL_END_NODE) {
    return true;
  }
  if (end->rope == rope) {
    return rl_fail(reader, rl_tree_value(node, "rope"),
                   "a rope cannot be joined to itself (closed: true makes a loop)");
  }
  const int64_t nodes = (int64_t)rl_definition_nodes(&reader->rope_definitions[end->rope]);
  if (end->node >= nodes || end->node < -nodes) {
    return rl_fail(reader, rl_tree_value(node, "node"),
                   "node: rope '%.40s' has nodes 0 to %lld (or -1, the last, to %lld), found %ld",
                   reader->rope_names[end->rope], (long long)nodes - 1, -(long long)nodes,
                   (long)end->node);
  }
  return true;
}

// ---------------------------------------------------------------------------------------------
// Waypoints

static bool read_side(rl_reader *reader, const rl_tree *node, void *target) {
  rl_vec3 *side = target;
  return rl_read_vector(reader, node, "side", RL_ANY, "1", side) &&
         rl_check_direction(reader, node, "side", *side);
}

static bool read_turns(rl_reader *reader, const rl_tree *node, void *target) {
  return rl_read_integer(reader, node, "turns", 0.0, 1000.0, target);
}

// Accepts the name of a part, which is looked up when the body is known; keys have any order.
static bool read_part_later(rl_reader *reader, const rl_tree *node, void *target) {
  (void)target;
  if (node->kind != RL_TREE_SCALAR) {
    char found[RL_FOUND_BYTES];
    return rl_fail(reader, node, "part: expected the name of a part, found %s",
                   rl_found(node, found, sizeof found));
  }
  return true;
}

#define AT(member) offsetof(rl_waypoint, member)

static const rl_field waypoint_fields[] = {
    {"body", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(body), NULL, read_body_index},
    {"at", RL_FIELD_VECTOR, false, RL_ANY, "m", AT(at), NULL, NULL},
    {"eye", RL_FIELD_VECTOR, false, RL_ANY, "m", AT(at), NULL, NULL},
    {"friction", RL_FIELD_NUMBER, false, RL_NOT_NEGATIVE, "1", AT(friction), NULL, NULL},
    {"part", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(part), NULL, read_part_later},
    {"side", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(side), NULL, read_side},
    {"turns", RL_FIELD_OTHER, false, RL_ANY, NULL, AT(turns), NULL, read_turns},
};

#undef AT

static bool read_part_name(rl_reader *reader, const rl_tree *node, rl_waypoint *waypoint) {
  const rl_body_definition *body = &reader->body_definitions[waypoint->body];
  const char **names = rl_allocate(reader, body->part_count, sizeof *names);
  uint32_t *parts = rl_allocate(reader, body->part_count, sizeof *parts);
  if (!names || !parts) {
    return false;
  }
  uint32_t count = 0, found;
  for (uint32_t i = 0; i < body->part_count; i++) {
    if (body->parts[i].name) {
      names[count] = body->parts[i].name;
      parts[count++] = i;
    }
  }
  if (count == 0) {
    return rl_fail(reader, node, "part: body '%.40s' has no part with a name",
                   reader->body_names[waypoint->body]);
  }
  if (!rl_read_name(reader, node, "part", names, count, &found)) {
    return false;
  }
  waypoint->part = parts[found];
  return true;
}

// Checks that only eyes have a friction, and only bodies that are passed a part, a side and turns.
static bool check_waypoint_keys(rl_reader *reader, const rl_tree *node, bool eye) {
  static const char *const round_only[] = {"part", "side", "turns"};
  const char *eye_key = rl_tree_value(node, "eye") ? "eye" : "at";
  for (size_t i = 0; i < sizeof round_only / sizeof round_only[0]; i++) {
    if (eye && !rl_check_exclusive(reader, node, eye_key, round_only[i])) {
      return false;
    }
  }
  if (!eye && rl_tree_value(node, "friction")) {
    return rl_fail(reader, rl_tree_key(node, "friction"),
                   "only an eye ('at' or 'eye') has its own friction; the body has a key for it");
  }
  return true;
}

static bool read_waypoint_map(rl_reader *reader, const rl_tree *node, rl_waypoint *waypoint) {
  if (!rl_read_fields(reader, node, node, "an entry of 'over'", waypoint_fields,
                      sizeof waypoint_fields / sizeof waypoint_fields[0], waypoint) ||
      !rl_check_exclusive(reader, node, "body", "eye") ||
      !rl_check_exclusive(reader, node, "at", "eye")) {
    return false;
  }
  const bool fixed_eye = rl_tree_value(node, "eye") != NULL;
  if (!fixed_eye && waypoint->body == RL_NONE) {
    return rl_fail(reader, node, "an entry of 'over' needs 'body' or 'eye'");
  }
  waypoint->is_eye = fixed_eye || rl_tree_value(node, "at");
  const rl_tree *part = rl_tree_value(node, "part");
  return check_waypoint_keys(reader, node, waypoint->is_eye) &&
         (!part || read_part_name(reader, part, waypoint));
}

// Checks that a body that is passed has a shape.
static bool check_surface(rl_reader *reader, const rl_tree *node, const rl_waypoint *waypoint) {
  if (!waypoint->is_eye && reader->body_definitions[waypoint->body].part_count == 0) {
    return rl_fail(reader, node,
                   "body '%.40s' has no shape that a rope could pass round; expected a shape, or "
                   "an eye on it: {body: %.40s, at: [x, y, z]}",
                   reader->body_names[waypoint->body], reader->body_names[waypoint->body]);
  }
  return true;
}

static bool read_waypoint(rl_reader *reader, const rl_tree *node, rl_waypoint *waypoint) {
  *waypoint = rl_waypoint_defaults();
  if (node->kind == RL_TREE_LIST) {
    return rl_fail(reader, node,
                   "over: expected the name of a body, {body: NAME, ...} or {eye: [x, y, z]}, "
                   "found a list");
  }
  const bool read = node->kind == RL_TREE_SCALAR ? rl_read_body_name(reader, node, &waypoint->body)
                                                 : read_waypoint_map(reader, node, waypoint);
  return read && check_surface(reader, node, waypoint);
}

bool rl_read_waypoints(rl_reader *reader, const rl_tree *node, void *rope_definition) {
  rl_rope_definition *rope = rope_definition;
  if (!rl_expect_list(reader, node, "over", "bodies and eyes")) {
    return false;
  }
  rl_waypoint *waypoints = rl_allocate(reader, node->count, sizeof *waypoints);
  if (!waypoints) {
    return false;
  }
  for (size_t i = 0; i < node->count; i++) {
    if (!read_waypoint(reader, node->items[i], &waypoints[i])) {
      return false;
    }
  }
  rope->waypoints = waypoints;
  rope->waypoint_count = node->count;
  return true;
}
