// SPDX-License-Identifier: GPL-3.0-or-later
// Reads the shape of a body: one part, or a list of parts.
#include "fields.h"

#include <string.h>

#include "world/bodies/shape_hull.h"
#include "world/trigonometry.h"

#define AT(member) offsetof(rl_part_definition, member)

static const rl_field round_fields[] = {
    {"radius", RL_FIELD_NUMBER, true, RL_POSITIVE, "m", AT(radius), NULL, NULL},
    {"length", RL_FIELD_NUMBER, true, RL_POSITIVE, "m", AT(length), NULL, NULL},
};

static const rl_field box_fields[] = {
    {"size", RL_FIELD_VECTOR, true, RL_POSITIVE, "m", AT(size), NULL, NULL},
};

static const rl_field plane_fields[] = {
    {"normal", RL_FIELD_VECTOR, true, RL_ANY, "1", AT(normal), NULL, NULL},
};

// A point of a hull that is deeper than this below its faces, relative to the hull, is inside.
static const double sunk = 1e-6;

// Checks that no point is inside the hull of the others: such a list describes a shape that is not
// convex.
static bool check_convex(rl_reader *reader, const rl_tree *node, const rl_part_definition *part) {
  rl_hull hull;
  char unused[256]; // a hull without volume is refused by the model
  const bool built = rl_hull_build(part->point_count, part->points, &hull, unused, sizeof unused);
  for (size_t p = 0; built && p < part->point_count; p++) {
    double highest = -INFINITY, reach = 0.0;
    for (uint32_t f = 0; f < hull.face_count; f++) {
      const double height = rl_dot(hull.faces[f].normal, part->points[p]) - hull.faces[f].offset;
      highest = fmax(highest, height);
      reach = fmax(reach, -height);
    }
    if (highest < -sunk * reach) {
      return rl_fail(reader, node->items[p],
                     "points: point %zu, from 0, is %.3g m inside the others, which is not convex; "
                     "expected it left out, or a list of convex parts",
                     p, -highest);
    }
  }
  return true;
}

static bool read_hull_points(rl_reader *reader, const rl_tree *node, void *target) {
  rl_part_definition *part = target;
  if (!rl_read_vectors(reader, node, "points", "m", &part->points, &part->point_count)) {
    return false;
  }
  if (part->point_count < 4) {
    return rl_fail(reader, node, "points: a hull needs at least 4, found %zu", part->point_count);
  }
  return check_convex(reader, node, part);
}

static const rl_field hull_fields[] = {
    {"points", RL_FIELD_OTHER, true, RL_ANY, "m", 0, NULL, read_hull_points},
};

// Reads the keys of a shape into the part.
static bool read_shape(rl_reader *reader, const rl_tree *node, rl_part_definition *part,
                       rl_shape shape, const char *what, const rl_field *fields, size_t count) {
  part->shape = shape;
  return rl_read_fields(reader, node, node, what, fields, count, part);
}

static bool read_sphere(rl_reader *reader, const rl_tree *node, void *part) {
  return read_shape(reader, node, part, RL_SPHERE, "sphere", round_fields, 1);
}

static bool read_capsule(rl_reader *reader, const rl_tree *node, void *part) {
  return read_shape(reader, node, part, RL_CAPSULE, "capsule", round_fields, 2);
}

static bool read_cylinder(rl_reader *reader, const rl_tree *node, void *part) {
  return read_shape(reader, node, part, RL_CYLINDER, "cylinder", round_fields, 2);
}

static bool read_box(rl_reader *reader, const rl_tree *node, void *part) {
  return read_shape(reader, node, part, RL_BOX, "box", box_fields, 1);
}

static bool read_plane(rl_reader *reader, const rl_tree *node, void *target) {
  rl_part_definition *part = target;
  if (!read_shape(reader, node, part, RL_PLANE, "plane", plane_fields, 1)) {
    return false;
  }
  return rl_check_direction(reader, rl_tree_value(node, "normal"), "normal", part->normal);
}

static bool read_hull(rl_reader *reader, const rl_tree *node, void *part) {
  return read_shape(reader, node, part, RL_HULL, "hull", hull_fields, 1);
}

// A regular prism, another form of a hull.
typedef struct prism {
  double radius, length;
  size_t sides;
} prism;

static bool read_sides(rl_reader *reader, const rl_tree *node, void *sides) {
  double value;
  const bool read = rl_read_integer(reader, node, "sides", 3.0, RL_HULL_POINTS / 2, &value);
  *(size_t *)sides = read ? (size_t)value : 0;
  return read;
}

static const rl_field prism_fields[] = {
    {"radius", RL_FIELD_NUMBER, true, RL_POSITIVE, "m", offsetof(prism, radius), NULL, NULL},
    {"length", RL_FIELD_NUMBER, true, RL_POSITIVE, "m", offsetof(prism, length), NULL, NULL},
    {"sides", RL_FIELD_OTHER, true, RL_ANY, NULL, offsetof(prism, sides), NULL, read_sides},
};

static bool read_prism(rl_reader *reader, const rl_tree *node, void *target) {
  rl_part_definition *part = target;
  prism p;
  if (!rl_read_fields(reader, node, node, "prism", prism_fields,
                      sizeof prism_fields / sizeof prism_fields[0], &p)) {
    return false;
  }
  rl_vec3 *points = rl_allocate(reader, 2 * p.sides, sizeof *points);
  for (size_t i = 0; points && i < 2 * p.sides; i++) {
    double sine, cosine;
    rl_sincos(2.0 * RL_PI * (double)(i / 2) / (double)p.sides, &sine, &cosine);
    points[i] = rl_vec(p.radius * cosine, p.radius * sine, (i % 2 ? 0.5 : -0.5) * p.length);
  }
  part->shape = RL_HULL;
  part->points = points;
  part->point_count = 2 * p.sides;
  return points != NULL;
}

static const rl_field part_fields[] = {
    {"sphere", RL_FIELD_OTHER, false, RL_ANY, NULL, 0, NULL, read_sphere},
    {"capsule", RL_FIELD_OTHER, false, RL_ANY, NULL, 0, NULL, read_capsule},
    {"cylinder", RL_FIELD_OTHER, false, RL_ANY, NULL, 0, NULL, read_cylinder},
    {"box", RL_FIELD_OTHER, false, RL_ANY, NULL, 0, NULL, read_box},
    {"plane", RL_FIELD_OTHER, false, RL_ANY, NULL, 0, NULL, read_plane},
    {"hull", RL_FIELD_OTHER, false, RL_ANY, NULL, 0, NULL, read_hull},
    {"prism", RL_FIELD_OTHER, false, RL_ANY, NULL, 0, NULL, read_prism},
    {"at", RL_FIELD_VECTOR, false, RL_ANY, "m", AT(at), NULL, NULL},
    {"rotation", RL_FIELD_VECTOR, false, RL_ANY, "rad", AT(rotation), NULL, NULL},
    {"name", RL_FIELD_TEXT, false, RL_ANY, NULL, AT(name), NULL, NULL},
};

#undef AT

#define SHAPE_COUNT 7 // the first of part_fields

// Reads a part, which has exactly one shape.
static bool read_part(rl_reader *reader, const rl_tree *node, rl_part_definition *part) {
  if (!rl_read_fields(reader, node, node, "shape", part_fields,
                      sizeof part_fields / sizeof part_fields[0], part)) {
    return false;
  }
  const char *found = NULL;
  for (size_t i = 0; i < SHAPE_COUNT; i++) {
    const char *name = part_fields[i].name;
    if (found && !rl_check_exclusive(reader, node, found, name)) {
      return false;
    }
    found = rl_tree_value(node, name) ? name : found;
  }
  if (!found) {
    return rl_fail(reader, node,
                   "shape: expected one of sphere, capsule, cylinder, box, plane, hull, prism");
  }
  return true;
}

static bool check_part_names(rl_reader *reader, const rl_tree *list,
                             const rl_body_definition *body) {
  for (size_t i = 0; i < body->part_count; i++) {
    for (size_t k = 0; k < i && body->parts[i].name; k++) {
      if (body->parts[k].name && strcmp(body->parts[k].name, body->parts[i].name) == 0) {
        return rl_fail(reader, rl_tree_value(list->items[i], "name"),
                       "name: '%.40s' is the name of another part", body->parts[i].name);
      }
    }
  }
  return true;
}

bool rl_read_parts(rl_reader *reader, const rl_tree *node, void *body_definition) {
  rl_body_definition *body = body_definition;
  const bool list = node->kind == RL_TREE_LIST;
  const size_t count = list ? node->count : 1;
  if (count == 0) {
    return rl_fail(reader, node, "shape: an empty list of parts");
  }
  rl_part_definition *parts = rl_allocate(reader, count, sizeof *parts);
  if (!parts) {
    return false;
  }
  for (size_t i = 0; i < count; i++) {
    if (!read_part(reader, list ? node->items[i] : node, &parts[i])) {
      return false;
    }
  }
  body->parts = parts;
  body->part_count = count;
  return !list || check_part_names(reader, node, body);
}
