// SPDX-License-Identifier: GPL-3.0-or-later
// The start of ropes with mass that have waypoints: along the path of a massless rope.
#include "../bodies/shape_hull.h"
#include "../paths/bend.h"
#include "../paths/wrap.h"
#include "../trigonometry.h"
#include "model_builder.h"
#include "model_check.h"
#include "pose.h"

#include <stdlib.h>
#include <string.h>

// Straight elements of length l cut into the bodies that they pass, so the path is laid further
// out. Into a ball or cylinder of radius R they cut by l^2/(8 R), and by R (1 - cos 0.05) because
// the path is a polyline that turns by up to 0.1 rad at a corner. Over an edge that turns the rope
// by t they cut by (l/2) sin(t/2); planes further out by m leave room for m/cos(t/2), so that m =
// l/4 is enough for all edges.
static const double round_cut = 0.126, arc_cut = 0.0013, edge_cut = 0.25;

// The bodies of a scene grown, so that paths over them leave room for straight elements.
typedef struct surroundings {
  rl_body_definition *bodies;
  rl_part_definition *parts;
  rl_vec3 *points;
} surroundings;

static void free_surroundings(surroundings *s) {
  free(s->bodies);
  free(s->parts);
  free(s->points);
}

// Moves the corners of a hull so that all faces are further out by `margin` or more: each along the
// mean of the normals of its faces. Returns false if there is no such hull.
static bool grow_hull(rl_part_definition *part, double margin, rl_vec3 *points) {
  rl_hull hull;
  char message[256];
  if (!rl_hull_build(part->point_count, part->points, &hull, message, sizeof message)) {
    return false;
  }
  for (size_t i = 0; i < part->point_count; i++) {
    rl_vec3 sum = {0.0, 0.0, 0.0};
    for (uint32_t f = 0; f < hull.face_count; f++) {
      for (uint32_t k = 0; k < hull.faces[f].corner_count; k++) {
        const bool is_here = hull.corners[hull.faces[f].first_corner + k] == i;
        sum = rl_add(sum, is_here ? hull.faces[f].normal : (rl_vec3){0.0, 0.0, 0.0});
      }
    }
    const rl_vec3 out = rl_unit(sum);
    double least = 1.0;
    for (uint32_t f = 0; f < hull.face_count; f++) {
      for (uint32_t k = 0; k < hull.faces[f].corner_count; k++) {
        if (hull.corners[hull.faces[f].first_corner + k] == i) {
          least = fmin(least, rl_dot(out, hull.faces[f].normal));
        }
      }
    }
    points[i] = rl_add_scaled(part->points[i], least > 0.0 ? margin / least : 0.0, out);
  }
  part->points = points;
  return true;
}

// Grows a part to leave room for a rope of a given radius with elements of a given length.
static bool grow_part(rl_part_definition *part, double radius, double length, rl_vec3 *points) {
  const double edge = radius + edge_cut * length;
  const double arc = part->radius + radius;
  const double margin = radius + round_cut * length * length / arc + arc_cut * arc;
  switch (part->shape) {
  case RL_HULL:
    return grow_hull(part, edge, points);
  case RL_BOX:
    part->size = rl_add(part->size, rl_vec(2.0 * edge, 2.0 * edge, 2.0 * edge));
    return true;
  case RL_PLANE:
    part->at = rl_add_scaled(part->at, radius,
                             rl_rotate(rl_quat_from_vector(part->rotation), rl_unit(part->normal)));
    return true;
  case RL_CYLINDER:
    part->length += 2.0 * margin;
    break;
  default:
    break;
  }
  part->radius += margin;
  return true;
}

// Grows the bodies that the rope can touch; it passes through all others. Returns false with
// `fault` filled in.
static bool grow_bodies(const rl_builder *b, const rl_rope_definition *rope, double length,
                        surroundings *s, rl_fault *fault) {
  const rl_definition *d = b->definition;
  size_t part = 0, point = 0;
  s->bodies = calloc(d->body_count + 1, sizeof *s->bodies);
  s->parts = calloc(b->part_count + 1, sizeof *s->parts);
  s->points = calloc(b->hull_point_count + 1, sizeof *s->points);
  bool grown = s->bodies && s->parts && s->points;
  for (uint32_t i = 0; i < d->body_count && grown; i++) {
    rl_body_definition *body = &s->bodies[i];
    *body = d->bodies[i];
    body->rope_collide = rl_definition_touches(d, rope, i);
    body->collide = false;
    body->motion = RL_FIXED; // where it starts
    body->position = rl_definition_position(&d->bodies[i]);
    body->velocity = body->spin = (rl_vec3){0.0, 0.0, 0.0};
    body->drive_count = 0;
    body->parts = &s->parts[part];
    for (size_t k = 0; k < body->part_count && grown; k++, part++) {
      s->parts[part] = d->bodies[i].parts[k];
      grown = grow_part(&s->parts[part], rope->radius, length, &s->points[point]);
      point += s->parts[part].shape == RL_HULL ? s->parts[part].point_count : 0;
    }
  }
  return grown || rl_fault_set(fault, RL_FAULT_MEMORY, RL_NONE, RL_NONE, NULL, "out of memory");
}

// Returns a massless rope with the ends and waypoints of one with mass.
static rl_rope_definition massless_like(const rl_builder *b, const rl_rope_definition *rope) {
  rl_rope_definition massless = rl_rope_defaults();
  massless.name = rope->name;
  massless.from =
      (rl_end){.kind = RL_END_POINT, .at = rl_definition_end(b->definition, &rope->from)};
  massless.to = (rl_end){.kind = RL_END_POINT, .at = rl_definition_end(b->definition, &rope->to)};
  massless.friction = rope->friction;
  massless.waypoint_count = rope->waypoint_count;
  massless.waypoints = rope->waypoints;
  return massless;
}

// Finds the `count` corners of the path of a massless rope. Returns NULL with `fault` filled in.
static rl_vec3 *find_polyline(const rl_builder *b, const rl_rope_definition *rope,
                              const surroundings *s, size_t *count, rl_fault *fault) {
  rl_definition scene = *b->definition;
  scene.bodies = s->bodies;
  scene.rope_count = 1;
  scene.ropes = rope;
  scene.event_count = 0;
  rl_model *model = rl_model_create(&scene, fault);
  rl_state *state = model ? rl_state_create(model) : NULL;
  if (state) {
    rl_wrap_solve_path(model, state, 0, state->points);
    *count = rl_path_points(model, state, 0, RL_ALL_TURNS, NULL, 0);
  }
  rl_path_point *path = state ? calloc(*count + 1, sizeof *path) : NULL;
  rl_vec3 *points = path ? calloc(*count + 1, sizeof *points) : NULL;
  if (points) {
    rl_path_points(model, state, 0, RL_ALL_TURNS, path, *count);
    for (size_t i = 0; i < *count; i++) {
      points[i] = path[i].at;
    }
    points[*count] = points[*count - 1]; // where corners must not be taken for nodes
  } else if (model) {
    rl_fault_set(fault, RL_FAULT_MEMORY, RL_NONE, RL_NONE, NULL, "out of memory");
  }
  free(path);
  rl_state_free(state);
  rl_model_free(model);
  return points;
}

// Sets the points of a rope straight from eye to eye. Each corner is there twice, so that the
// points are not taken for the nodes.
static bool lay_through_eyes(rl_builder *b, uint32_t index, rl_fault *fault) {
  rl_rope_definition *rope = &b->copies[index];
  const size_t corners = rope->waypoint_count + 2;
  rl_vec3 *points = calloc(corners + 1, sizeof *points);
  if (!points) {
    return rl_fault_set(fault, RL_FAULT_MEMORY, RL_NONE, RL_NONE, NULL, "out of memory");
  }
  points[0] = rl_definition_end(b->definition, &rope->from);
  for (size_t k = 0; k < rope->waypoint_count; k++) {
    points[k + 1] = rl_definition_eye(b->definition, &rope->waypoints[k]);
  }
  points[corners - 1] = points[corners] = rl_definition_end(b->definition, &rope->to);
  b->polylines[index] = points;
  rope->pose = RL_POSE_POINTS;
  rope->points = points;
  rope->point_count = corners == rl_definition_nodes(rope) ? corners + 1 : corners;
  return rl_definition_check_length(b->definition, index, fault);
}

// Sets the points of a rope with mass to the path that a massless one would have over bodies grown
// so far that its elements clear them.
static bool lay_over(rl_builder *b, uint32_t index, rl_fault *fault) {
  rl_rope_definition *rope = &b->copies[index];
  const rl_rope_definition massless = massless_like(b, rope);
  double length = 0.0;
  for (int pass = 0; pass < 2; pass++) {
    surroundings s = {0};
    size_t count = 0;
    free(b->polylines[index]);
    b->polylines[index] = grow_bodies(b, rope, length, &s, fault)
                              ? find_polyline(b, &massless, &s, &count, fault)
                              : NULL;
    free_surroundings(&s);
    if (!b->polylines[index]) {
      fault->rope = fault->rope == RL_NONE ? RL_NONE : index;
      return false;
    }
    rope->point_count = count;
    length =
        (isnan(rope->length) ? rl_polyline_length(count, b->polylines[index], false) + rope->slack
                             : rope->length) /
        (double)rope->segments;
  }
  rope->pose = RL_POSE_POINTS;
  rope->points = b->polylines[index];
  rope->point_count += rope->point_count == rl_definition_nodes(rope) ? 1 : 0;
  return rl_definition_check_length(b->definition, index, fault);
}

bool rl_build_path(rl_builder *b, uint32_t index, rl_fault *fault) {
  const rl_rope_definition *rope = &b->copies[index];
  if (rope->segments == 0 || rope->waypoint_count == 0 || rope->pose != RL_POSE_STRAIGHT) {
    return true;
  }
  return rl_definition_rings(rope) == rope->waypoint_count ? lay_through_eyes(b, index, fault)
                                                           : lay_over(b, index, fault);
}
