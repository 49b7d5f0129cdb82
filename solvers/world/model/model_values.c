// SPDX-License-Identifier: GPL-3.0-or-later
// Checks every value of a definition by itself, and every index. For a scenario file these checks
// have already been made, with their places in the file; for a C program these are the only ones.
#include "model_check.h"

#include <stddef.h>

// The range of a field, besides NAN if it is optional.
typedef enum limits { ANY, NOT_NEGATIVE, POSITIVE, AT_MOST_ONE } limits;

typedef struct value {
  const char *field; // as in the scenario file
  size_t offset;
  size_t count; // 1, or 3 for a vector
  limits range;
  bool optional; // absent where the first number is NAN
} value;

#define COUNT(table) (sizeof(table) / sizeof(table)[0])
#define NUMBER(type, field, range, optional)                                                       \
  { #field, offsetof(type, field), 1, range, optional }
#define VECTOR(type, field, range, optional)                                                       \
  { #field, offsetof(type, field), 3, range, optional }

static const value body_values[] = {
    NUMBER(rl_body_definition, mass, POSITIVE, true),
    VECTOR(rl_body_definition, inertia, POSITIVE, true),
    VECTOR(rl_body_definition, position, ANY, false),
    VECTOR(rl_body_definition, rotation, ANY, false),
    VECTOR(rl_body_definition, velocity, ANY, false),
    VECTOR(rl_body_definition, spin, ANY, false),
    NUMBER(rl_body_definition, friction, NOT_NEGATIVE, true),
    NUMBER(rl_body_definition, restitution, AT_MOST_ONE, false),
};

static const value part_values[] = {
    VECTOR(rl_part_definition, at, ANY, false),
    VECTOR(rl_part_definition, rotation, ANY, false),
};
static const value radius_value = NUMBER(rl_part_definition, radius, POSITIVE, false);
static const value length_value = NUMBER(rl_part_definition, length, POSITIVE, false);
static const value capsule_length = NUMBER(rl_part_definition, length, NOT_NEGATIVE, false);
static const value size_value = VECTOR(rl_part_definition, size, POSITIVE, false);
static const value normal_value = VECTOR(rl_part_definition, normal, ANY, false);

static const value rope_values[] = {
    NUMBER(rl_rope_definition, length, POSITIVE, true),
    NUMBER(rl_rope_definition, slack, ANY, false),
    NUMBER(rl_rope_definition, mass, NOT_NEGATIVE, false),
    NUMBER(rl_rope_definition, stiffness, POSITIVE, true),
    NUMBER(rl_rope_definition, damping, NOT_NEGATIVE, false),
    NUMBER(rl_rope_definition, damping_ratio, NOT_NEGATIVE, false),
    NUMBER(rl_rope_definition, bending, NOT_NEGATIVE, false),
    NUMBER(rl_rope_definition, radius, NOT_NEGATIVE, false),
    NUMBER(rl_rope_definition, friction, NOT_NEGATIVE, true),
    NUMBER(rl_rope_definition, break_tension, POSITIVE, true),
    NUMBER(rl_rope_definition, drag, NOT_NEGATIVE, false),
    NUMBER(rl_rope_definition, drag_per_length, NOT_NEGATIVE, false),
    VECTOR(rl_rope_definition, velocity, ANY, false),
    VECTOR(rl_rope_definition, spin, ANY, false),
    VECTOR(rl_rope_definition, pivot, ANY, true),
};

static const value waypoint_values[] = {
    VECTOR(rl_waypoint, at, ANY, false),
    VECTOR(rl_waypoint, side, ANY, true),
    NUMBER(rl_waypoint, turns, NOT_NEGATIVE, false),
    NUMBER(rl_waypoint, friction, NOT_NEGATIVE, true),
};

// The item that is being checked, and the fault to fill in.
typedef struct place {
  uint32_t body, rope;
  rl_fault *fault;
} place;

static bool is_in(limits range, double x) {
  return isfinite(x) && (range == ANY || (range == POSITIVE ? x > 0.0 : x >= 0.0)) &&
         (range != AT_MOST_ONE || x <= 1.0);
}

static bool check_numbers(const place *p, const char *field, limits range, const double *numbers,
                          size_t count) {
  static const char *const expected[] = {"a number", "a number of at least 0", "a number above 0",
                                         "a number from 0 to 1"};
  for (size_t i = 0; i < count; i++) {
    if (!is_in(range, numbers[i])) {
      return rl_fault_set(p->fault, RL_FAULT_INVALID, p->body, p->rope, field,
                          "expected %s, found %g", expected[range], numbers[i]);
    }
  }
  return true;
}

static bool check_value(const place *p, const value *v, const void *record) {
  const double *numbers = (const double *)(const void *)((const char *)record + v->offset);
  return (v->optional && isnan(*numbers)) ||
         check_numbers(p, v->field, v->range, numbers, v->count);
}

static bool check_values(const place *p, const value *table, size_t count, const void *record) {
  for (size_t i = 0; i < count; i++) {
    if (!check_value(p, &table[i], record)) {
      return false;
    }
  }
  return true;
}

static bool check_vectors(const place *p, const char *field, const rl_vec3 *vectors, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const double numbers[] = {vectors[i].x, vectors[i].y, vectors[i].z};
    if (!check_numbers(p, field, ANY, numbers, 3)) {
      return false;
    }
  }
  return true;
}

static bool refuse(const place *p, const char *field, const char *message) {
  return rl_fault_set(p->fault, RL_FAULT_INVALID, p->body, p->rope, field, "%s", message);
}

// Whether there is a thing of that index: a body, say, of `count` there are.
static bool check_index(const place *p, const char *field, const char *what, int64_t index,
                        size_t count) {
  return (index >= 0 && index < (int64_t)count) ||
         rl_fault_set(p->fault, RL_FAULT_INVALID, p->body, p->rope, field,
                      "there is no %s of the index %lld; there are %zu", what, (long long)index,
                      count);
}

static bool check_part(const place *p, const rl_part_definition *part) {
  if (!check_values(p, part_values, COUNT(part_values), part)) {
    return false;
  }
  switch (part->shape) {
  case RL_SPHERE:
    return check_value(p, &radius_value, part);
  case RL_CAPSULE: // without a length it is a sphere
    return check_value(p, &radius_value, part) && check_value(p, &capsule_length, part);
  case RL_CYLINDER:
    return check_value(p, &radius_value, part) && check_value(p, &length_value, part);
  case RL_BOX:
    return check_value(p, &size_value, part);
  case RL_PLANE:
    return check_value(p, &normal_value, part) &&
           (rl_length(part->normal) > 0.0 || refuse(p, "normal", "a normal has a direction"));
  case RL_HULL:
    return part->points ? check_vectors(p, "points", part->points, part->point_count)
                        : refuse(p, "points", "a hull has points");
  }
  return refuse(p, "shape", "there is no such shape");
}

static bool check_body(const place *p, const rl_body_definition *body) {
  if (!check_values(p, body_values, COUNT(body_values), body)) {
    return false;
  }
  if ((unsigned)body->motion > RL_AXLE) {
    return refuse(p, "motion", "there is no such motion");
  }
  if ((body->part_count > 0 && !body->parts) || (body->drive_count > 0 && !body->drive)) {
    return refuse(p, body->parts ? "drive" : "shape", "counted, and not there");
  }
  for (size_t i = 0; i < body->part_count; i++) {
    if (!check_part(p, &body->parts[i])) {
      return false;
    }
  }
  for (size_t i = 0; i < body->drive_count; i++) {
    const rl_drive_key *key = &body->drive[i];
    const double after = i > 0 ? body->drive[i - 1].time : -INFINITY;
    if (!check_numbers(p, "drive", ANY, &key->time, 1) ||
        !check_vectors(p, "drive", &key->position, 1)) {
      return false;
    }
    if (key->time <= after) {
      return refuse(p, "drive", "the times of a drive increase");
    }
  }
  return true;
}

static bool check_end(const place *p, const char *field, const rl_definition *definition,
                      const rl_end *end) {
  if ((unsigned)end->kind > RL_END_NODE) {
    return refuse(p, field, "there is no such kind of end");
  }
  if (end->kind == RL_END_BODY &&
      !check_index(p, field, "body", end->body, definition->body_count)) {
    return false;
  }
  if (end->kind == RL_END_NODE) {
    if (!check_index(p, field, "rope", end->rope, definition->rope_count)) {
      return false;
    }
    const size_t nodes = rl_definition_nodes(&definition->ropes[end->rope]);
    const bool from_the_end = end->node < 0 && end->node >= -(int64_t)nodes;
    if (!from_the_end && !check_index(p, field, "node of that rope", end->node, nodes)) {
      return false;
    }
  }
  return check_vectors(p, field, &end->at, 1) && check_vectors(p, field, &end->clamp, 1);
}

static bool check_waypoint(const place *p, const rl_definition *definition,
                           const rl_waypoint *waypoint) {
  const bool in_space = waypoint->body == RL_NONE;
  if (in_space && !waypoint->is_eye) {
    return refuse(p, "over", "expected a body or an eye");
  }
  if (!in_space && !check_index(p, "over", "body", waypoint->body, definition->body_count)) {
    return false;
  }
  if (!in_space && waypoint->part != RL_NONE &&
      !check_index(p, "over", "part of that body", waypoint->part,
                   definition->bodies[waypoint->body].part_count)) {
    return false;
  }
  return check_values(p, waypoint_values, COUNT(waypoint_values), waypoint);
}

static bool check_rope(const place *p, const rl_definition *definition,
                       const rl_rope_definition *rope) {
  const size_t nodes = rl_definition_nodes(rope);
  if (!check_values(p, rope_values, COUNT(rope_values), rope)) {
    return false;
  }
  if (!check_end(p, "from", definition, &rope->from) ||
      !check_end(p, "to", definition, &rope->to)) {
    return false;
  }
  if ((unsigned)rope->pose > RL_POSE_HANG || (unsigned)rope->lumping > RL_LUMP_EQUAL) {
    return refuse(p, (unsigned)rope->pose > RL_POSE_HANG ? "points" : "lumping",
                  "there is no such choice");
  }
  if (rope->pose == RL_POSE_POINTS && (!rope->points || rope->point_count < 2)) {
    return refuse(p, "points", "a rope lies along two points or more");
  }
  if (rope->waypoint_count > 0 && !rope->waypoints) {
    return refuse(p, "over", "counted, and not there");
  }
  for (size_t i = 0; i < rope->waypoint_count; i++) {
    if (!check_waypoint(p, definition, &rope->waypoints[i])) {
      return false;
    }
  }
  return (rope->pose != RL_POSE_POINTS ||
          check_vectors(p, "points", rope->points, rope->point_count)) &&
         (!rope->velocities || check_vectors(p, "velocities", rope->velocities, nodes)) &&
         (!rope->rest_lengths ||
          check_numbers(p, "rest_lengths", POSITIVE, rope->rest_lengths, rope->segments)) &&
         (!rope->node_masses ||
          check_numbers(p, "node_masses", POSITIVE, rope->node_masses, nodes)) &&
         (!rope->break_tensions ||
          check_numbers(p, "break_tensions", POSITIVE, rope->break_tensions,
                        rl_definition_elements(rope)));
}

static bool check_event(const place *p, const rl_definition *definition, const rl_event *event) {
  const bool of_end = event->kind == RL_EVENT_RELEASE_END || event->kind == RL_EVENT_WINCH;
  const bool of_rope = event->kind == RL_EVENT_CUT || of_end;
  const bool of_body = event->kind == RL_EVENT_RELEASE_BODY || event->kind == RL_EVENT_FORCE;
  const rl_rope_definition *rope =
      event->rope < definition->rope_count ? &definition->ropes[event->rope] : NULL;
  if ((unsigned)event->kind > RL_EVENT_WIND) {
    return refuse(p, "events", "there is no such choice");
  }
  if ((of_rope && !check_index(p, "events", "rope", event->rope, definition->rope_count)) ||
      (of_body && !check_index(p, "events", "body", event->body, definition->body_count)) ||
      (event->kind == RL_EVENT_CUT && !check_index(p, "events", "element of that rope",
                                                   event->element, rl_definition_elements(rope)))) {
    return false;
  }
  if (of_end && (event->end > 1 || (rope->closed && !event->is_inside))) {
    return refuse(p, "events", "that rope has no such end");
  }
  if (!(event->from >= 0.0) || !isfinite(event->from) ||
      (event->kind >= RL_EVENT_WINCH && !(event->until > event->from))) {
    return refuse(p, "events", "expected a time that is not negative, and a later one after it");
  }
  if (!(event->duration >= 0.0) || !isfinite(event->duration)) {
    return refuse(p, "events", "expected a duration that is not negative");
  }
  if (event->kind == RL_EVENT_WINCH && (!isfinite(event->rate) || !(event->max_tension > 0.0))) {
    return refuse(p, "events", "expected a finite rate, and a tension above 0 or none");
  }
  if (event->is_inside && (!(event->at_length >= 0.0) || !isfinite(event->at_length))) {
    return refuse(p, "events", "expected a length that is not negative");
  }
  const rl_vec3 vectors[] = {event->point, event->normal, event->to, event->value};
  return check_vectors(p, "events", vectors, COUNT(vectors));
}

bool rl_definition_check_values(const rl_definition *definition, rl_fault *fault) {
  const place whole = {RL_NONE, RL_NONE, fault};
  if (!check_vectors(&whole, "gravity", &definition->gravity, 1)) {
    return false;
  }
  if (definition->body_count >= RL_NONE || definition->rope_count >= RL_NONE) {
    return refuse(&whole, definition->body_count >= RL_NONE ? "bodies" : "ropes", "too many");
  }
  if ((definition->body_count > 0 && !definition->bodies) ||
      (definition->rope_count > 0 && !definition->ropes)) {
    return refuse(&whole, definition->bodies ? "ropes" : "bodies", "counted, and not there");
  }
  for (uint32_t i = 0; i < definition->body_count; i++) {
    const place here = {i, RL_NONE, fault};
    if (!check_body(&here, &definition->bodies[i])) {
      return false;
    }
  }
  for (uint32_t i = 0; i < definition->rope_count; i++) {
    const place here = {RL_NONE, i, fault};
    if (!check_rope(&here, definition, &definition->ropes[i])) {
      return false;
    }
  }
  if (definition->event_count > 0 && !definition->events) {
    return refuse(&whole, "events", "counted, and not there");
  }
  for (size_t i = 0; i < definition->event_count; i++) {
    if (!check_event(&whole, definition, &definition->events[i])) {
      return false;
    }
  }
  return true;
}
