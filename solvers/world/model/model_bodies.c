// SPDX-License-Identifier: GPL-3.0-or-later
// Builds the bodies of a model: shapes, hulls, drives.
#include "../bodies/shape.h"
#include "../bodies/shape_hull.h"
#include "../trigonometry.h"
#include "definition.h"
#include "model_builder.h"

#include <string.h>

size_t rl_builder_name_size(const char *name) { return name ? strlen(name) + 1 : 0; }

const char *rl_builder_copy_name(rl_builder *b, const char *name) {
  if (!name) {
    return NULL;
  }
  char *copy = b->names;
  memcpy(copy, name, rl_builder_name_size(name));
  b->names += rl_builder_name_size(name);
  return copy;
}

void rl_builder_set_point(rl_builder *b, uint32_t slot, rl_vec3 position, double mass,
                          rl_vec3 velocity) {
  b->points[slot] = (rl_point){position.x, position.y, position.z, mass > 0.0 ? 1.0 / mass : 0.0};
  b->masses[slot] = mass;
  b->velocities[slot] = velocity;
}

// Builds the faces and points of a hull, which has been checked before.
static void build_hull(rl_builder *b, const rl_part_definition *d, rl_part *part) {
  rl_hull hull;
  char message[256];
  rl_hull_build(d->point_count, d->points, &hull, message, sizeof message);
  memcpy(b->faces, hull.faces, hull.face_count * sizeof(rl_face));
  memcpy(b->corners, hull.corners, hull.corner_count * sizeof(uint16_t));
  memcpy(b->twins, hull.twins, hull.corner_count * sizeof(uint32_t));
  memcpy(b->hull_points, d->points, d->point_count * sizeof(rl_vec3));
  part->face_count = hull.face_count;
  part->point_count = (uint32_t)d->point_count;
  part->faces = b->faces;
  part->corners = b->corners;
  part->twins = b->twins;
  part->points = b->hull_points;
  b->faces += hull.face_count;
  b->corners += hull.corner_count;
  b->twins += hull.corner_count;
  b->hull_points += d->point_count;
}

static rl_part build_part(rl_builder *b, const rl_part_definition *d) {
  rl_part part = rl_part_from_definition(d);
  part.name = rl_builder_copy_name(b, d->name);
  if (d->shape == RL_HULL) {
    build_hull(b, d, &part);
  }
  part.bound = rl_shape_bound(&part);
  part.inner = rl_shape_inner(&part);
  return part;
}

// (15) of papers/world.md: builds the spin slot of a body that turns, and its scaled coordinates;
// bodies are built in order.
static void build_spin(rl_builder *b, uint32_t i) {
  const rl_body_definition *d = &b->definition->bodies[i];
  rl_body *body = &b->bodies[i];
  body->spin_slot = RL_NONE;
  if (!rl_definition_turns(b->definition, i)) {
    return;
  }
  char message[256];
  rl_vec3 inertia = {1.0, 1.0, 1.0};
  if (d->motion != RL_DRIVEN) {
    rl_definition_inertia(d, &inertia, message, sizeof message);
  }
  const bool tilts = d->motion != RL_AXLE;
  body->root_inertia =
      rl_vec(tilts ? sqrt(inertia.x) : 0.0, tilts ? sqrt(inertia.y) : 0.0, sqrt(inertia.z));
  body->inverse_root_inertia =
      rl_vec(tilts ? 1.0 / body->root_inertia.x : 0.0, tilts ? 1.0 / body->root_inertia.y : 0.0,
             1.0 / body->root_inertia.z);
  body->spin_slot = b->model->place_count + b->spin_count++;
  rl_builder_set_point(b, body->spin_slot, (rl_vec3){0.0, 0.0, 0.0},
                       d->motion == RL_DRIVEN || body->is_released ? 0.0 : 1.0,
                       rl_times(body->root_inertia, rl_rotate_inverse(body->rotation, d->spin)));
}

void rl_build_body(rl_builder *b, uint32_t i) {
  const rl_body_definition *d = &b->definition->bodies[i];
  rl_body *body = &b->bodies[i];
  *body = (rl_body){.name = rl_builder_copy_name(b, d->name),
                    .motion = d->motion,
                    .mass = d->mass,
                    .position = rl_definition_position(d),
                    .rotation = rl_quat_from_vector(d->rotation),
                    .velocity = d->velocity,
                    .spin = d->spin,
                    .is_released = rl_definition_is_released(b->definition, i),
                    .collide = d->collide,
                    .rope_collide = d->rope_collide,
                    .part_count = d->part_count,
                    .parts = b->parts,
                    .drive_count = d->drive_count,
                    .drive = b->keys};
  for (size_t k = 0; k < d->part_count; k++) {
    const rl_part part = build_part(b, &d->parts[k]);
    body->bound = fmax(body->bound, rl_length(part.at) + part.bound);
    *b->parts++ = part;
  }
  for (size_t k = 0; k < d->drive_count; k++) {
    *b->keys++ = d->drive[k];
  }
  rl_builder_set_point(b, rl_body_slot(b->model, i), body->position,
                       d->motion == RL_FREE && !body->is_released ? d->mass : 0.0, d->velocity);
  build_spin(b, i);
}
