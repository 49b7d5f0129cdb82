// SPDX-License-Identifier: GPL-3.0-or-later
#include "definition.h"

#include "../bodies/shape_hull.h"
#include "../trigonometry.h"
#include "inertia.h"
#include "pose.h"

#include <stdio.h>

bool rl_definition_is_point_mass(const rl_body_definition *body) {
  return body->part_count == 0 && isnan(body->inertia.x);
}

rl_vec3 rl_definition_position(const rl_body_definition *body) {
  return body->drive_count > 0 ? rl_drive_position(body->drive_count, body->drive, 0.0)
                               : body->position;
}

rl_vec3 rl_definition_end(const rl_definition *definition, const rl_end *end) {
  if (end->kind != RL_END_BODY) {
    return end->at;
  }
  const rl_body_definition *body = &definition->bodies[end->body];
  return rl_add(rl_definition_position(body),
                rl_rotate(rl_quat_from_vector(body->rotation), end->at));
}

rl_vec3 rl_definition_eye(const rl_definition *definition, const rl_waypoint *waypoint) {
  const rl_end as_end = {.kind = waypoint->body == RL_NONE ? RL_END_POINT : RL_END_BODY,
                         .body = waypoint->body,
                         .at = waypoint->at};
  return rl_definition_end(definition, &as_end);
}

double rl_definition_path_length(const rl_definition *definition, const rl_rope_definition *rope) {
  if (rope->pose == RL_POSE_POINTS) {
    return rl_polyline_length(rope->point_count, rope->points, rope->closed);
  }
  double length = 0.0;
  rl_vec3 previous = rl_definition_end(definition, &rope->from);
  for (size_t i = 0; i < rope->waypoint_count; i++) {
    const rl_vec3 eye = rl_definition_eye(definition, &rope->waypoints[i]);
    length += rl_distance(previous, eye);
    previous = eye;
  }
  return length + rl_distance(previous, rl_definition_end(definition, &rope->to));
}

double rl_definition_length(const rl_definition *definition, const rl_rope_definition *rope) {
  if (rope->rest_lengths) {
    double length = 0.0;
    for (size_t i = 0; i < rope->segments; i++) {
      length += rope->rest_lengths[i];
    }
    return length;
  }
  return isnan(rope->length) ? rl_definition_path_length(definition, rope) + rope->slack
                             : rope->length;
}

rl_part rl_part_from_definition(const rl_part_definition *d) {
  return (rl_part){.name = d->name,
                   .shape = d->shape,
                   .at = d->at,
                   .rotation = rl_quat_from_vector(d->rotation),
                   .radius = d->radius,
                   .length = d->length,
                   .half = rl_scale(0.5, d->size),
                   .normal = rl_unit(d->normal)};
}

bool rl_definition_part(const rl_part_definition *d, rl_hull *hull, rl_part *part) {
  char message[256];
  *part = rl_part_from_definition(d);
  if (d->shape == RL_HULL) {
    if (!rl_hull_build(d->point_count, d->points, hull, message, sizeof message)) {
      return false;
    }
    part->face_count = hull->face_count;
    part->faces = hull->faces;
    part->corners = hull->corners;
    part->twins = hull->twins;
    part->points = d->points;
  }
  return true;
}

// Whether a point is deeper in a part than rounding.
static bool is_inside(const rl_body_definition *body, const rl_part_definition *d, rl_vec3 p) {
  rl_part part;
  rl_hull hull;
  const rl_vec3 centre = rl_definition_position(body);
  return rl_definition_part(d, &hull, &part) &&
         rl_shape_surface(&part, centre, rl_quat_from_vector(body->rotation), p).distance <
             -1e-9 * fmin(rl_shape_bound(&part), rl_distance(p, centre));
}

static bool anchored_inside(const rl_definition *definition, const rl_end *end, uint32_t index) {
  if (end->kind != RL_END_BODY || end->body != index) {
    return false;
  }
  const rl_body_definition *body = &definition->bodies[index];
  for (size_t i = 0; i < body->part_count; i++) {
    if (is_inside(body, &body->parts[i], rl_definition_end(definition, end))) {
      return true;
    }
  }
  return false;
}

bool rl_definition_touches(const rl_definition *definition, const rl_rope_definition *rope,
                           uint32_t index) {
  const rl_body_definition *body = &definition->bodies[index];
  return body->part_count > 0 && body->rope_collide &&
         !anchored_inside(definition, &rope->from, index) &&
         !anchored_inside(definition, &rope->to, index);
}

// How far the mass centre may be off the origin, relative to the size of a body, and products of
// inertia off 0, relative to its moments.
static const double inertia_tolerance = 1e-6;

bool rl_definition_inertia(const rl_body_definition *body, rl_vec3 *inertia, char *message,
                           size_t size) {
  if (!isnan(body->inertia.x)) {
    *inertia = body->inertia;
    return true;
  }
  rl_moments sum = {0};
  for (size_t i = 0; i < body->part_count; i++) {
    rl_part part;
    rl_hull hull;
    if (rl_definition_part(&body->parts[i], &hull, &part)) {
      const rl_moments moments = rl_part_moments(&part);
      rl_moments_add(&sum, &moments);
    }
  }
  rl_vec3 rows[3];
  if (!isfinite(sum.volume)) {
    snprintf(message, size, "a plane has no end and no moments of inertia; expected an `inertia`");
    return false;
  }
  rl_moments_inertia(&sum, body->mass, rows);
  *inertia = rl_vec(rows[0].x, rows[1].y, rows[2].z);
  const double trace = inertia->x + inertia->y + inertia->z;
  const rl_vec3 centre = rl_scale(1.0 / sum.volume, sum.first);
  if (rl_length(centre) > inertia_tolerance * sqrt(trace / body->mass)) {
    snprintf(message, size,
             "the mass centre of the shape is at [%.6g, %.6g, %.6g] in the body's frame; expected "
             "it at the origin (position is the mass centre), or an `inertia`",
             centre.x, centre.y, centre.z);
    return false;
  }
  const double off_axes = fmax(fabs(rows[0].y), fmax(fabs(rows[0].z), fabs(rows[1].z)));
  if (off_axes > inertia_tolerance * trace) {
    snprintf(message, size,
             "the axes of the body are not principal axes of its shape (a product of inertia is "
             "%.3g kg m^2); expected parts that are turned so, or an `inertia`",
             off_axes);
    return false;
  }
  return true;
}

// Whether a body is a sphere about its centre: without friction nothing exerts a torque on it.
static bool is_plain_sphere(const rl_body_definition *body) {
  return body->part_count == 1 && body->parts[0].shape == RL_SPHERE &&
         rl_is_zero(body->parts[0].at);
}

static bool holds_beside_centre(const rl_end *end, uint32_t body) {
  return end->kind == RL_END_BODY && end->body == body &&
         (!rl_is_zero(end->at) || !rl_is_zero(end->clamp));
}

// Whether a rope can exert a torque on a body.
static bool can_turn(const rl_definition *definition, const rl_rope_definition *rope, uint32_t i) {
  const rl_body_definition *body = &definition->bodies[i];
  bool turns = holds_beside_centre(&rope->from, i) || holds_beside_centre(&rope->to, i);
  for (size_t k = 0; k < rope->waypoint_count; k++) {
    const rl_waypoint *waypoint = &rope->waypoints[k];
    turns = turns || (waypoint->is_eye && waypoint->body == i && !rl_is_zero(waypoint->at));
  }
  return turns ||
         (rl_definition_touches(definition, rope, i) &&
          (!is_plain_sphere(body) || rl_pair_friction(rope->friction, body->friction) > 0.0));
}

static bool can_move(const rl_body_definition *body) {
  return body->motion == RL_FREE || body->motion == RL_AXLE;
}

bool rl_definition_collide(const rl_definition *definition, uint32_t a, uint32_t b) {
  const rl_body_definition *first = &definition->bodies[a], *second = &definition->bodies[b];
  return a != b && first->part_count > 0 && second->part_count > 0 && first->collide &&
         second->collide && (can_move(first) || can_move(second));
}

// Whether another body can exert a torque on a body.
static bool can_be_turned(const rl_definition *definition, uint32_t i, uint32_t by) {
  const rl_body_definition *body = &definition->bodies[i];
  return rl_definition_collide(definition, i, by) &&
         (!is_plain_sphere(body) ||
          rl_pair_friction(body->friction, definition->bodies[by].friction) > 0.0);
}

bool rl_definition_turns(const rl_definition *definition, uint32_t i) {
  const rl_body_definition *body = &definition->bodies[i];
  if (body->motion != RL_FREE) {
    return body->motion == RL_AXLE || !rl_is_zero(body->spin);
  }
  bool turns = !rl_is_zero(body->spin);
  for (size_t k = 0; k < definition->rope_count && !rl_definition_is_point_mass(body); k++) {
    turns = turns || can_turn(definition, &definition->ropes[k], i);
  }
  for (uint32_t k = 0; k < definition->body_count && !turns; k++) {
    turns = can_be_turned(definition, i, k);
  }
  return turns;
}

double rl_definition_eye_friction(const rl_definition *definition, const rl_rope_definition *rope,
                                  const rl_waypoint *waypoint) {
  const bool own = !isnan(waypoint->friction) || waypoint->body == RL_NONE;
  return rl_pair_friction(rope->friction,
                          own ? waypoint->friction : definition->bodies[waypoint->body].friction);
}

size_t rl_definition_rings(const rl_rope_definition *rope) {
  size_t rings = 0;
  for (size_t k = 0; k < rope->waypoint_count && rope->segments > 0; k++) {
    rings += rope->waypoints[k].is_eye ? 1 : 0;
  }
  return rings;
}

static bool eyes_rub(const rl_definition *definition, const rl_rope_definition *rope) {
  bool rub = false;
  for (size_t k = 0; k < rope->waypoint_count; k++) {
    rub = rub || (rope->waypoints[k].is_eye &&
                  rl_definition_eye_friction(definition, rope, &rope->waypoints[k]) > 0.0);
  }
  return rub;
}

bool rl_definition_eyes_rub(const rl_definition *definition, const rl_rope_definition *rope) {
  return rope->segments == 0 && eyes_rub(definition, rope);
}

bool rl_definition_rings_rub(const rl_definition *definition, const rl_rope_definition *rope) {
  return rope->segments > 0 && eyes_rub(definition, rope);
}

bool rl_definition_rubs_on_bodies(const rl_definition *definition, const rl_rope_definition *rope) {
  for (uint32_t i = 0; i < definition->body_count; i++) {
    if (rl_definition_touches(definition, rope, i) &&
        rl_pair_friction(rope->friction, definition->bodies[i].friction) > 0.0) {
      return true;
    }
  }
  return false;
}

bool rl_definition_rubs(const rl_definition *definition, const rl_rope_definition *rope) {
  return rl_definition_eyes_rub(definition, rope) || rl_definition_rubs_on_bodies(definition, rope);
}

bool rl_definition_is_released(const rl_definition *definition, uint32_t body) {
  for (size_t i = 0; i < definition->event_count; i++) {
    const rl_event *event = &definition->events[i];
    if (event->kind == RL_EVENT_RELEASE_BODY && event->body == body) {
      return true;
    }
  }
  return false;
}

static bool rope_tears(const rl_rope_definition *rope) {
  return !isnan(rope->break_tension) || rope->break_tensions;
}

bool rl_definition_tears(const rl_definition *definition) {
  for (size_t i = 0; i < definition->rope_count; i++) {
    if (rope_tears(&definition->ropes[i])) {
      return true;
    }
  }
  return false;
}

bool rl_definition_parts(const rl_definition *definition) {
  bool parts = rl_definition_tears(definition);
  for (size_t i = 0; i < definition->rope_count; i++) {
    const size_t pool = definition->ropes[i].pool;
    parts = parts || (pool > 0 && pool != RL_POOL_ENOUGH);
  }
  for (size_t i = 0; i < definition->event_count; i++) {
    parts = parts || definition->events[i].kind <= RL_EVENT_RELEASE_BODY;
  }
  return parts;
}

bool rl_definition_is_pushed(const rl_definition *definition) {
  bool is_pushed = false;
  for (size_t i = 0; i < definition->event_count; i++) {
    is_pushed = is_pushed || definition->events[i].kind >= RL_EVENT_FORCE;
  }
  return is_pushed;
}

bool rl_definition_is_reeled(const rl_definition *definition, uint32_t rope) {
  for (size_t i = 0; i < definition->event_count; i++) {
    if (definition->events[i].kind == RL_EVENT_WINCH && definition->events[i].rope == rope) {
      return true;
    }
  }
  return false;
}

bool rl_definition_is_fed(const rl_definition *definition, uint32_t rope) {
  return definition->ropes[rope].segments > 0 && rl_definition_is_reeled(definition, rope);
}

// One node for each element that is paid out, and one for the remainder.
double rl_definition_fed_nodes(const rl_definition *definition, uint32_t rope) {
  const rl_rope_definition *r = &definition->ropes[rope];
  double nodes = 0.0;
  for (size_t i = 0; i < definition->event_count && r->segments > 0; i++) {
    const rl_event *event = &definition->events[i];
    if (event->kind == RL_EVENT_WINCH && event->rope == rope && event->rate > 0.0) {
      const double spacing = rl_definition_length(definition, r) / (double)r->segments;
      nodes += ceil(event->rate * (event->until - event->from) / spacing) + 1.0;
    }
  }
  return nodes;
}

size_t rl_definition_most_elements(const rl_definition *definition, uint32_t rope) {
  const rl_rope_definition *r = &definition->ropes[rope];
  const size_t fed = (size_t)rl_definition_fed_nodes(definition, rope);
  return rl_definition_elements(r) + (r->pool < fed ? r->pool : fed);
}

// A rope can part at each of its nodes once, and be released at each end.
size_t rl_definition_spares(const rl_definition *definition, uint32_t index) {
  const rl_rope_definition *rope = &definition->ropes[index];
  const size_t most = rope->segments + 1, fed = (size_t)rl_definition_fed_nodes(definition, index);
  size_t needed = rope_tears(rope) ? most : 0;
  for (size_t i = 0; i < definition->event_count; i++) {
    const rl_event *event = &definition->events[i];
    const bool named = event->kind == RL_EVENT_CUT || event->kind == RL_EVENT_RELEASE_END;
    const bool sweeps = event->kind == RL_EVENT_CUT_PLANE || event->kind == RL_EVENT_CUT_SWIPE;
    needed += sweeps ? most : named && event->rope == index ? 1 : 0;
  }
  needed = (needed < most ? needed : most) + fed;
  return rope->segments == 0 ? 0 : rope->pool == RL_POOL_ENOUGH ? needed : rope->pool;
}

double rl_pair_friction(double a, double b) {
  if (isnan(a) || isnan(b)) {
    return isnan(a) ? (isnan(b) ? 0.0 : b) : a;
  }
  return sqrt(a * b);
}
