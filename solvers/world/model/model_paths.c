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

// (25) of papers/world.md: how far out of a body the path is laid at first, for straight elements
// cut into what they pass: over an edge by a share of an element; over what is round by l^2/(8 R),
// and by R (1 - cos 0.05) because the path is a polyline that turns by up to 0.1 rad at a corner.
static const double round_cut = 0.126, arc_cut = 0.0013, edge_cut = 0.25;

// Where that does not fit, each part is grown from nothing by what elements still cut into it, or
// by this share of an element, until they are clear up to the second share.
static const double fit_step = 1.0 / 128.0, fit_tolerance = 1e-6;
enum { FIT_ROUNDS = 256 };

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

// (25) Returns how far out of a part a path is laid for a rope of a given radius with elements of a
// given length, by the estimate [m].
static double estimate(const rl_part_definition *part, double radius, double length) {
  if (part->shape == RL_PLANE) {
    return radius;
  }
  if (rl_is_polyhedron(part->shape)) {
    return radius + edge_cut * length;
  }
  const double arc = part->radius + radius;
  return radius + round_cut * length * length / arc + arc_cut * arc;
}

// Grows a part by a margin [m].
static bool grow_part(rl_part_definition *part, double margin, rl_vec3 *points) {
  switch (part->shape) {
  case RL_HULL:
    return grow_hull(part, margin, points);
  case RL_BOX:
    part->size = rl_add(part->size, rl_vec(2.0 * margin, 2.0 * margin, 2.0 * margin));
    return true;
  case RL_PLANE:
    part->at = rl_add_scaled(part->at, margin,
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

// Grows the bodies that the rope can touch by the margin of each part; it passes through all
// others. Returns false with `fault` filled in.
static bool grow_bodies(const rl_builder *b, const rl_rope_definition *rope, const double *margins,
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
      grown = grow_part(&s->parts[part], margins[part], &s->points[point]);
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

// Finds the `count` corners of the path of a massless rope, with room for three more. Returns NULL
// with `fault` filled in.
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
  rl_vec3 *points = path ? calloc(*count + 3, sizeof *points) : NULL;
  if (points) {
    rl_path_points(model, state, 0, RL_ALL_TURNS, path, *count);
    for (size_t i = 0; i < *count; i++) {
      points[i] = path[i].at;
    }
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

// A rope with mass that is being laid over bodies.
typedef struct laying {
  rl_builder *b;
  uint32_t index;
  const rl_rope_definition *rope;
  double *margins; // [parts] how far each is grown [m]
  rl_vec3 *points; // the corners of its way
  size_t point_count;
  double length; // mean distance of its nodes along the way [m]
  double plain;  // the same along the way over bodies that are not grown [m]
} laying;

// What elements of a rope cut into.
typedef struct cut {
  double depth; // the deepest [m]
  size_t element;
  uint32_t body;
} cut;

// Lays the rope over bodies grown by the margins, between ends that need not be its own. Returns
// false with `fault` filled in.
static bool lay_between(laying *l, const surroundings *s, const rl_vec3 ends[2], rl_fault *fault) {
  const rl_vec3 own[2] = {rl_definition_end(l->b->definition, &l->rope->from),
                          rl_definition_end(l->b->definition, &l->rope->to)};
  rl_rope_definition massless = massless_like(l->b, l->rope);
  massless.from.at = ends[0];
  massless.to.at = ends[1];
  free(l->points);
  l->points = find_polyline(l->b, &massless, s, &l->point_count, fault);
  if (!l->points) {
    fault->rope = fault->rope == RL_NONE ? RL_NONE : l->index;
    return false;
  }
  if (rl_distance(own[0], ends[0]) > 0.0) {
    memmove(&l->points[1], l->points, l->point_count++ * sizeof *l->points);
    l->points[0] = own[0];
  }
  if (rl_distance(own[1], ends[1]) > 0.0) {
    l->points[l->point_count++] = own[1];
  }
  l->points[l->point_count] = l->points[l->point_count - 1]; // where corners must not be the nodes
  l->length = rl_polyline_length(l->point_count, l->points, false) / (double)l->rope->segments;
  return true;
}

static bool lay_straight_ends(laying *l, rl_fault *fault) {
  const rl_vec3 ends[2] = {rl_definition_end(l->b->definition, &l->rope->from),
                           rl_definition_end(l->b->definition, &l->rope->to)};
  surroundings s = {0};
  const bool laid =
      grow_bodies(l->b, l->rope, l->margins, &s, fault) && lay_between(l, &s, ends, fault);
  free_surroundings(&s);
  return laid;
}

// Whether the way from node i of a rope on to the next passes an eye: such an element touches
// nothing.
static bool passes_eye(const laying *l, rl_vec3 corner) {
  bool passes = false;
  for (size_t k = 0; k < l->rope->waypoint_count; k++) {
    const rl_waypoint *waypoint = &l->rope->waypoints[k];
    passes = passes || (waypoint->is_eye &&
                        rl_distance(corner, rl_definition_eye(l->b->definition, waypoint)) <=
                            fit_tolerance * l->length);
  }
  return passes;
}

// Where a part is at the start.
typedef struct placed {
  const rl_part *part;
  rl_vec3 centre; // of the body
  rl_quat rotation;
} placed;

// Returns the distance from a part of the segment that a triangle has at a fraction of its height,
// counted from the apex.
static double slice_distance(const placed *p, rl_vec3 apex, rl_vec3 from, rl_vec3 to,
                             double fraction) {
  rl_surface surface;
  rl_shape_segment(p->part, p->centre, p->rotation,
                   rl_add_scaled(apex, fraction, rl_sub(from, apex)),
                   rl_add_scaled(apex, fraction, rl_sub(to, apex)), &surface);
  return surface.distance;
}

// Returns the distance of a triangle from a part: the signed distance is convex, and so is its
// least value on a slice as a function of the fraction.
static double triangle_distance(const placed *p, rl_vec3 apex, rl_vec3 from, rl_vec3 to) {
  double low = 0.0, high = 1.0;
  const int times = rl_is_zero(rl_sub(from, apex)) ? 0 : 50; // it has shrunk by 2e-9 then
  for (int i = 0; i < times; i++) {
    const double a = (2.0 * low + high) / 3.0, b = (low + 2.0 * high) / 3.0;
    const bool nearer = slice_distance(p, apex, from, to, a) < slice_distance(p, apex, from, to, b);
    *(nearer ? &high : &low) = nearer ? b : a;
  }
  rl_surface side;
  rl_shape_segment(p->part, p->centre, p->rotation, apex, to, &side);
  return fmin(side.distance, slice_distance(p, apex, from, to, 0.5 * (low + high)));
}

// (25) Finds the element that is deepest in a part, of those from `first` to before `last`: itself,
// or what it sweeps when the way along which its ends lie is drawn straight. So it is clear on the
// side on which the way is.
static cut deepest_in(const laying *l, const placed *p, size_t first, size_t last) {
  const rl_builder *b = l->b;
  double rest = 0.0;
  for (size_t i = 0; i < l->rope->segments; i++) {
    rest += b->rest[i];
  }
  const double scale = rl_polyline_length(l->point_count, l->points, false) / rest;
  const rl_vec3 middle = rl_add(p->centre, rl_rotate(p->rotation, p->part->at));
  cut worst = {-INFINITY, first, RL_NONE};
  size_t next = 1; // the first corner not yet passed
  double passed = rl_distance(l->points[0], l->points[1]), arc = 0.0; // up to it, to the node [m]
  for (size_t i = 0; i < last; i++) {
    const rl_vec3 apex = b->pose[i];
    rl_vec3 from = apex;
    double least = INFINITY;
    bool in_eye = false;
    arc += scale * b->rest[i];
    const bool is_near = i >= first && rl_distance(apex, middle) <=
                                           p->part->bound + l->rope->radius + scale * b->rest[i];
    for (; next + 1 < l->point_count && passed < arc; next++) {
      in_eye = in_eye || passes_eye(l, l->points[next]);
      least = is_near ? fmin(least, triangle_distance(p, apex, from, l->points[next])) : least;
      from = l->points[next];
      passed += rl_distance(from, l->points[next + 1]);
    }
    least = is_near ? fmin(least, triangle_distance(p, apex, from, b->pose[i + 1])) : least;
    if (!in_eye && l->rope->radius - least > worst.depth) {
      worst = (cut){l->rope->radius - least, i, RL_NONE};
    }
  }
  return worst;
}

// Places the nodes along the way and finds how deep elements cut into each part [parts], and the
// deepest of all. An element does not touch the body to which it is tied.
static cut find_cuts(const laying *l, double *depths) {
  const rl_builder *b = l->b;
  const rl_definition *d = b->definition;
  const rl_rope_definition *rope = l->rope;
  for (size_t i = 0; i < rope->segments; i++) {
    b->rest[i] = rope->rest_lengths ? rope->rest_lengths[i] : l->length;
  }
  rl_pose_polyline(rope->segments, b->rest, l->point_count, l->points, false, b->pose);
  cut worst = {-INFINITY, 0, RL_NONE};
  size_t part = 0;
  for (uint32_t i = 0; i < d->body_count; i++) {
    const size_t first = rope->from.kind == RL_END_BODY && rope->from.body == i ? 1 : 0;
    const size_t last =
        rope->segments - (rope->to.kind == RL_END_BODY && rope->to.body == i ? 1 : 0);
    const bool touches = rl_definition_touches(d, rope, i);
    for (size_t k = 0; k < d->bodies[i].part_count; k++, part++) {
      const placed p = {&b->bodies[i].parts[k], rl_definition_position(&d->bodies[i]),
                        rl_quat_from_vector(d->bodies[i].rotation)};
      cut found = {-INFINITY, 0, RL_NONE};
      if (touches) {
        found = deepest_in(l, &p, first, last);
        found.body = i;
      }
      depths[part] = found.depth;
      worst = found.depth > worst.depth ? found : worst;
    }
  }
  return worst;
}

// Lays the rope over bodies grown by the estimate for its elements. Returns whether it is as clear
// of them as it has to be, and no longer than it is.
static bool lay_by_estimate(laying *l, double *depths, rl_fault *fault) {
  const rl_definition *d = l->b->definition;
  double length = 0.0;
  for (int pass = 0; pass < 2; pass++) {
    size_t part = 0;
    for (uint32_t i = 0; i < d->body_count; i++) {
      for (size_t k = 0; k < d->bodies[i].part_count; k++, part++) {
        l->margins[part] = estimate(&d->bodies[i].parts[k], l->rope->radius, length);
      }
    }
    if (!lay_straight_ends(l, fault)) {
      return false;
    }
    length = (isnan(l->rope->length)
                  ? rl_polyline_length(l->point_count, l->points, false) + l->rope->slack
                  : l->rope->length) /
             (double)l->rope->segments;
  }
  return find_cuts(l, depths).depth <= RL_START_TOLERANCE * length;
}

// Checks that no end of the rope starts inside a body to which it is not tied, and no eye inside
// any.
static bool check_ends_outside(const laying *l, rl_fault *fault) {
  const rl_builder *b = l->b;
  const rl_definition *d = b->definition;
  const rl_end *ends[2] = {&l->rope->from, &l->rope->to};
  for (uint32_t i = 0; i < d->body_count; i++) {
    const rl_vec3 centre = rl_definition_position(&d->bodies[i]);
    const rl_quat rotation = rl_quat_from_vector(d->bodies[i].rotation);
    for (size_t k = 0; k < l->rope->waypoint_count + 2 && rl_definition_touches(d, l->rope, i);
         k++) {
      const rl_waypoint *eye = k < 2 ? NULL : &l->rope->waypoints[k - 2];
      if (eye ? !eye->is_eye : ends[k]->kind == RL_END_BODY && ends[k]->body == i) {
        continue;
      }
      const rl_vec3 at = eye ? rl_definition_eye(d, eye) : rl_definition_end(d, ends[k]);
      for (size_t m = 0; m < d->bodies[i].part_count; m++) {
        const rl_part *part = &b->bodies[i].parts[m];
        const double depth =
            l->rope->radius - rl_shape_surface(part, centre, rotation, at).distance;
        if (depth > RL_START_TOLERANCE * fmin(part->bound, l->length)) {
          rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, l->index,
                       eye      ? "over"
                       : k == 0 ? "from"
                                : "to",
                       "%s starts %.3g m inside body '%s' (with the rope's radius of %g m); "
                       "expected it outside, or rope_collide: false of the body",
                       eye ? "an eye" : "this end", depth, d->bodies[i].name, l->rope->radius);
          return eye && rl_fault_place(fault, "%zu", k - 2);
        }
      }
    }
  }
  return true;
}

// Returns how far a part can be grown before an eye is inside it [m]: the corners of a box come out
// by sqrt(3) times that.
static double room_for_eyes(const laying *l, uint32_t body, size_t part) {
  const rl_definition *d = l->b->definition;
  double least = INFINITY;
  for (size_t k = 0; k < l->rope->waypoint_count; k++) {
    if (l->rope->waypoints[k].is_eye) {
      const rl_surface surface = rl_shape_surface(&l->b->bodies[body].parts[part],
                                                  rl_definition_position(&d->bodies[body]),
                                                  rl_quat_from_vector(d->bodies[body].rotation),
                                                  rl_definition_eye(d, &l->rope->waypoints[k]));
      least = fmin(least, fmax(surface.distance, 0.0));
    }
  }
  return rl_is_polyhedron(d->bodies[body].parts[part].shape) ? least / sqrt(3.0) : least;
}

// Leads an end out of a grown part: along a way, unless that leads nowhere or nearly along the
// surface, else the shortest way out.
static rl_vec3 lead_out_of(const rl_part *part, const rl_body_definition *body, rl_vec3 at,
                           rl_vec3 way) {
  const rl_quat rotation = rl_quat_from_vector(body->rotation);
  const rl_surface surface = rl_shape_surface(part, body->position, rotation, at);
  const double depth = -surface.distance;
  double low = 0.0, high = 4.0 * depth;
  if (!(depth > 0.0)) {
    return at;
  }
  if (!(rl_shape_surface(part, body->position, rotation, rl_add_scaled(at, high, way)).distance >
        0.0)) {
    return rl_add_scaled(at, depth * (1.0 + 1e-9), surface.normal);
  }
  for (int i = 0; i < 50; i++) {
    const double middle = 0.5 * (low + high);
    const bool is_out =
        rl_shape_surface(part, body->position, rotation, rl_add_scaled(at, middle, way)).distance >
        0.0;
    *(is_out ? &high : &low) = middle;
  }
  return rl_add_scaled(at, high, way);
}

// (25)
static rl_vec3 lead_out(const laying *l, const surroundings *s, rl_vec3 at, rl_vec3 way) {
  for (uint32_t i = 0; i < l->b->definition->body_count; i++) {
    for (size_t k = 0; k < s->bodies[i].part_count && s->bodies[i].rope_collide; k++) {
      rl_part part;
      rl_hull hull;
      if (rl_definition_part(&s->bodies[i].parts[k], &hull, &part)) {
        at = lead_out_of(&part, &s->bodies[i], at, way);
      }
    }
  }
  return at;
}

static bool refuse_cut(const laying *l, const cut *worst, rl_fault *fault) {
  return rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, l->index, "segments",
                      "no way is found on which the %zu straight elements of the rope, %.3g m "
                      "long, clear body '%s': element %zu would start %.3g m inside it (with the "
                      "rope's radius of %g m); expected %s, or `points`",
                      l->rope->segments, l->plain, l->b->definition->bodies[worst->body].name,
                      worst->element, worst->depth, l->rope->radius,
                      l->plain < l->rope->radius ? "elements longer than the radius"
                                                 : "more segments");
}

// Grows each part whose cut is given by it, if eyes leave room. Returns whether any grows.
static bool grow_where_cut(laying *l, const double *depths) {
  const rl_definition *d = l->b->definition;
  bool grows = false;
  size_t part = 0;
  for (uint32_t i = 0; i < d->body_count; i++) {
    for (size_t k = 0; k < d->bodies[i].part_count; k++, part++) {
      if (depths[part] > fit_tolerance * l->length) {
        const double before = l->margins[part];
        const double more = fmax(depths[part], fit_step * l->length);
        l->margins[part] = fmin(before + more, room_for_eyes(l, i, k));
        grows = grows || (l->margins[part] > before && before < l->rope->radius + l->plain);
      }
    }
  }
  return grows;
}

// (25) Lays the rope over bodies that are grown from nothing until its elements are clear. Where
// its ends are in these they are led out along their plain way, or straight. Returns false with
// `fault` filled in.
static bool lay_by_fit(laying *l, bool straight, double *depths, rl_fault *fault) {
  const rl_definition *d = l->b->definition;
  const rl_rope_definition *rope = l->rope;
  const rl_vec3 own[2] = {rl_definition_end(d, &rope->from), rl_definition_end(d, &rope->to)};
  rl_vec3 ways[2];
  cut worst = {0};
  memset(l->margins, 0, l->b->part_count * sizeof *l->margins);
  for (int round = 0; round < FIT_ROUNDS; round++) {
    rl_vec3 ends[2] = {own[0], own[1]};
    surroundings s = {0};
    bool laid = grow_bodies(l->b, rope, l->margins, &s, fault);
    for (size_t k = 0; k < 2 && laid && round > 0; k++) {
      ends[k] = lead_out(l, &s, own[k], ways[k]);
    }
    laid = laid && lay_between(l, &s, ends, fault);
    free_surroundings(&s);
    if (!laid) {
      return round > 0 && fault->kind != RL_FAULT_MEMORY && refuse_cut(l, &worst, fault);
    }
    if (round == 0) {
      l->plain = l->length;
      ways[0] = rl_scale(straight ? 0.0 : 1.0, rl_unit(rl_sub(l->points[1], own[0])));
      ways[1] =
          rl_scale(straight ? 0.0 : 1.0, rl_unit(rl_sub(l->points[l->point_count - 2], own[1])));
    }
    worst = find_cuts(l, depths);
    if (worst.depth <= fit_tolerance * l->length) {
      const double way = l->length * (double)rope->segments;
      return !isnan(rope->stiffness) || !(way > rope->length * (1.0 + RL_START_TOLERANCE)) ||
             rl_fault_set(
                 fault, RL_FAULT_INVALID, RL_NONE, l->index, "length",
                 "the rope is %.6g m long, shorter than the way of %.6g m on which its %zu "
                 "straight elements clear the bodies that they pass (close to these it is "
                 "%.6g m long); expected a longer rope, more segments, or `points`",
                 rope->length, way, rope->segments, l->plain * (double)rope->segments);
    }
    if (!grow_where_cut(l, depths)) {
      break;
    }
  }
  return refuse_cut(l, &worst, fault);
}

// Takes the way that was found as the points of the rope.
static bool take_way(laying *l, rl_fault *fault) {
  rl_rope_definition *rope = &l->b->copies[l->index];
  rope->pose = RL_POSE_POINTS;
  rope->points = l->points;
  rope->point_count = l->point_count + (l->point_count == rl_definition_nodes(rope) ? 1 : 0);
  return rl_definition_check_length(l->b->definition, l->index, fault);
}

// Sets the points of a rope with mass to the path that a massless one would have over bodies grown
// so far that its elements clear them.
static bool lay_over(rl_builder *b, uint32_t index, rl_fault *fault) {
  laying l = {.b = b, .index = index, .rope = &b->copies[index]};
  const rl_rope_definition *rope = l.rope;
  l.length = rl_distance(rl_definition_end(b->definition, &rope->from),
                         rl_definition_end(b->definition, &rope->to)) /
             (double)rope->segments;
  double *depths = calloc(b->part_count + 1, sizeof *depths);
  l.margins = calloc(b->part_count + 1, sizeof *l.margins);
  bool laid = depths && l.margins;
  if (!laid) {
    rl_fault_set(fault, RL_FAULT_MEMORY, RL_NONE, RL_NONE, NULL, "out of memory");
  }
  rl_fault first = *fault;                                // of the attempt that says most
  for (int attempt = 0; laid && attempt < 3; attempt++) { // until one does
    *fault = (rl_fault){.kind = RL_FAULT_NONE, .body = RL_NONE, .rope = RL_NONE};
    const bool done =
        attempt == 0 ? lay_by_estimate(&l, depths, fault)
                     : check_ends_outside(&l, fault) && lay_by_fit(&l, attempt == 2, depths, fault);
    if (done && take_way(&l, fault)) {
      break;
    }
    laid = attempt < 2 && fault->kind != RL_FAULT_MEMORY;
    first = attempt == 1 ? *fault : first;
    *fault = attempt == 2 && fault->kind != RL_FAULT_MEMORY ? first : *fault;
  }
  b->polylines[index] = l.points;
  free(l.margins);
  free(depths);
  return laid;
}

bool rl_build_path(rl_builder *b, uint32_t index, rl_fault *fault) {
  const rl_rope_definition *rope = &b->copies[index];
  if (rope->segments == 0 || rope->waypoint_count == 0 || rope->pose != RL_POSE_STRAIGHT) {
    return true;
  }
  return rl_definition_rings(rope) == rope->waypoint_count ? lay_through_eyes(b, index, fault)
                                                           : lay_over(b, index, fault);
}
