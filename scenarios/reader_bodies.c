// SPDX-License-Identifier: GPL-3.0-or-later
// Reads bodies.
#include "fields.h"

#include <stdlib.h>

static const char *const motions[] = {"free", "fixed", "driven", "axle", NULL};

// Reads corners [time, x, y, z] with increasing times.
static bool read_drive(rl_reader *reader, const rl_tree *node, void *target) {
  rl_body_definition *body = target;
  if (!rl_expect_list(reader, node, "drive", "corners [time, x, y, z]")) {
    return false;
  }
  rl_drive_key *keys = rl_allocate(reader, node->count, sizeof *keys);
  if (!keys) {
    return false;
  }
  for (size_t i = 0; i < node->count; i++) {
    const rl_tree *item = node->items[i];
    if (item->kind != RL_TREE_LIST || item->count != 4) {
      char found[RL_FOUND_BYTES];
      return rl_fail(reader, item, "drive: expected [time, x, y, z] in s and m, found %s",
                     rl_found(item, found, sizeof found));
    }
    double *const values[4] = {&keys[i].time, &keys[i].position.x, &keys[i].position.y,
                               &keys[i].position.z};
    static const char *const names[4] = {"drive, time", "drive, x", "drive, y", "drive, z"};
    for (size_t k = 0; k < 4; k++) {
      const char *unit = k == 0 ? "s" : "m";
      if (!rl_read_number(reader, item->items[k], names[k], RL_ANY, unit, values[k])) {
        return false;
      }
    }
    if (i > 0 && keys[i].time <= keys[i - 1].time) {
      return rl_fail(reader, item->items[0],
                     "drive: expected a time later than %g s, that of the corner before, found %g",
                     keys[i - 1].time, keys[i].time);
    }
  }
  if (node->count == 0) {
    return rl_fail(reader, node, "drive: expected at least one corner [time, x, y, z]");
  }
  body->drive = keys;
  body->drive_count = node->count;
  return true;
}

#define AT(member) offsetof(rl_body_definition, member)

static const rl_field body_fields[] = {
    {"motion", RL_FIELD_CHOICE, false, RL_ANY, NULL, AT(motion), motions, NULL},
    {"mass", RL_FIELD_NUMBER, false, RL_POSITIVE, "kg", AT(mass), NULL, NULL},
    {"inertia", RL_FIELD_VECTOR, false, RL_POSITIVE, "kg m^2", AT(inertia), NULL, NULL},
    {"position", RL_FIELD_VECTOR, false, RL_ANY, "m", AT(position), NULL, NULL},
    {"rotation", RL_FIELD_VECTOR, false, RL_ANY, "rad", AT(rotation), NULL, NULL},
    {"velocity", RL_FIELD_VECTOR, false, RL_ANY, "m/s", AT(velocity), NULL, NULL},
    {"spin", RL_FIELD_VECTOR, false, RL_ANY, "rad/s", AT(spin), NULL, NULL},
    {"shape", RL_FIELD_OTHER, false, RL_ANY, NULL, 0, NULL, rl_read_parts},
    {"friction", RL_FIELD_NUMBER, false, RL_NOT_NEGATIVE, "1", AT(friction), NULL, NULL},
    {"restitution", RL_FIELD_NUMBER, false, RL_AT_MOST_ONE, "1", AT(restitution), NULL, NULL},
    {"collide", RL_FIELD_BOOLEAN, false, RL_ANY, NULL, AT(collide), NULL, NULL},
    {"rope_collide", RL_FIELD_BOOLEAN, false, RL_ANY, NULL, AT(rope_collide), NULL, NULL},
    {"drive", RL_FIELD_OTHER, false, RL_ANY, NULL, 0, NULL, read_drive},
};

#undef AT

static bool read_body(rl_reader *reader, size_t i) {
  const rl_tree *map = reader->bodies->items[i];
  rl_body_definition *body = &reader->body_definitions[i];
  *body = rl_body_defaults();
  body->name = reader->body_names[i];
  char what[64];
  snprintf(what, sizeof what, "body '%.40s'", body->name);
  return rl_read_fields(reader, map, reader->bodies->keys[i], what, body_fields,
                        sizeof body_fields / sizeof body_fields[0], body) &&
         rl_check_exclusive(reader, map, "velocity", "drive") &&
         rl_check_exclusive(reader, map, "spin", "drive");
}

bool rl_read_bodies(rl_reader *reader) {
  reader->body_definitions =
      rl_allocate(reader, reader->body_count, sizeof *reader->body_definitions);
  if (!reader->body_definitions) {
    return false;
  }
  for (size_t i = 0; i < reader->body_count; i++) {
    if (!read_body(reader, i)) {
      return false;
    }
  }
  return true;
}
