// SPDX-License-Identifier: GPL-3.0-or-later
#include "scenario_json.h"

#include "world/model/definition.h"

// json_object_set_new() and json_array_append_new() fail for a NULL value, which is one that could
// not be made; the caller's final check finds the missing key.

static void set(json_t *object, const char *key, json_t *value) {
  json_object_set_new(object, key, value);
}

static void set_number(json_t *object, const char *key, double value) {
  if (isfinite(value)) {
    set(object, key, json_real(value));
  }
}

static void set_string(json_t *object, const char *key, const char *value) {
  if (value) {
    set(object, key, json_string(value));
  }
}

static json_t *vector(rl_vec3 v) { return json_pack("[f, f, f]", v.x, v.y, v.z); }

static json_t *vectors(const rl_vec3 *values, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) {
    json_array_append_new(list, vector(values[i]));
  }
  return list;
}

static json_t *numbers(const double *values, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) {
    json_array_append_new(list, json_real(values[i]));
  }
  return list;
}

static json_t *part_to_json(const rl_part_definition *part) {
  static const char *const names[] = {"sphere", "capsule", "cylinder", "box", "plane", "hull"};
  json_t *shape = json_object();
  switch (part->shape) {
  case RL_SPHERE:
    set_number(shape, "radius", part->radius);
    break;
  case RL_CAPSULE:
  case RL_CYLINDER:
    set_number(shape, "radius", part->radius);
    set_number(shape, "length", part->length);
    break;
  case RL_BOX:
    set(shape, "size", vector(part->size));
    break;
  case RL_PLANE:
    set(shape, "normal", vector(part->normal));
    break;
  case RL_HULL:
    set(shape, "points", vectors(part->points, part->point_count));
    break;
  }
  json_t *out = json_object();
  set(out, names[part->shape], shape);
  set_string(out, "name", part->name);
  set(out, "at", vector(part->at));
  set(out, "rotation", vector(part->rotation));
  return out;
}

static json_t *drive_to_json(const rl_body_definition *body) {
  json_t *list = json_array();
  for (size_t i = 0; i < body->drive_count; i++) {
    const rl_drive_key *key = &body->drive[i];
    json_array_append_new(list, json_pack("[f, f, f, f]", key->time, key->position.x,
                                          key->position.y, key->position.z));
  }
  return list;
}

static json_t *body_to_json(const rl_body_definition *body) {
  static const char *const motions[] = {"free", "fixed", "driven", "axle"};
  json_t *out = json_object();
  set_string(out, "motion", motions[body->motion]);
  set_number(out, "mass", body->mass);
  rl_vec3 inertia = body->inertia;
  char message[256];
  const bool moves = body->motion == RL_FREE || body->motion == RL_AXLE;
  if (!isnan(inertia.x) || (moves && body->part_count > 0 &&
                            rl_definition_inertia(body, &inertia, message, sizeof message))) {
    set(out, "inertia", vector(inertia));
  }
  set(out, "position", vector(rl_definition_position(body)));
  if (body->part_count > 0 || !isnan(body->inertia.x)) {
    set(out, "rotation", vector(body->rotation));
    set(out, "spin", vector(body->spin));
  }
  if (body->drive_count > 0) {
    set(out, "drive", drive_to_json(body));
  } else {
    set(out, "velocity", vector(body->velocity));
  }
  if (body->part_count > 0) {
    json_t *parts = json_array();
    for (size_t i = 0; i < body->part_count; i++) {
      json_array_append_new(parts, part_to_json(&body->parts[i]));
    }
    set(out, "shape", parts);
  }
  set_number(out, "friction", body->friction);
  set_number(out, "restitution", body->restitution);
  set(out, "collide", json_boolean(body->collide));
  set(out, "rope_collide", json_boolean(body->rope_collide));
  return out;
}

static json_t *end_to_json(const rl_definition *d, const rl_end *end) {
  json_t *out = json_object();
  switch (end->kind) {
  case RL_END_POINT:
    set(out, "point", vector(end->at));
    break;
  case RL_END_FREE:
    set(out, "free", vector(end->at));
    break;
  case RL_END_BODY:
    set_string(out, "body", d->bodies[end->body].name);
    set(out, "at", vector(end->at));
    break;
  case RL_END_NODE:
    set_string(out, "rope", d->ropes[end->rope].name);
    set(out, "node", json_integer(end->node));
    break;
  }
  if (!rl_is_zero(end->clamp)) {
    set(out, "clamp", vector(end->clamp));
  }
  return out;
}

static json_t *waypoint_to_json(const rl_definition *d, const rl_waypoint *waypoint) {
  json_t *out = json_object();
  if (waypoint->body == RL_NONE) {
    set(out, "eye", vector(waypoint->at));
  } else {
    const rl_body_definition *body = &d->bodies[waypoint->body];
    set_string(out, "body", body->name);
    if (waypoint->is_eye) {
      set(out, "at", vector(waypoint->at));
    } else {
      if (waypoint->part != RL_NONE) {
        set_string(out, "part", body->parts[waypoint->part].name);
      }
      if (!isnan(waypoint->side.x)) {
        set(out, "side", vector(waypoint->side));
      }
      set_number(out, "turns", waypoint->turns);
    }
  }
  if (waypoint->is_eye) {
    set_number(out, "friction", waypoint->friction);
  }
  return out;
}

static void set_length(json_t *out, const rl_rope_definition *rope) {
  if (rope->rest_lengths) {
    set(out, "rest_lengths", numbers(rope->rest_lengths, rope->segments));
    return;
  }
  if (isnan(rope->length)) {
    set_number(out, "slack", rope->slack);
  } else {
    set_number(out, "length", rope->length);
  }
  set(out, "segments", json_integer((json_int_t)rope->segments));
}

static void set_motion(json_t *out, const rl_rope_definition *rope) {
  if (rope->pose == RL_POSE_HANG) {
    set_string(out, "points", "hang");
  } else if (rope->pose == RL_POSE_POINTS) {
    set(out, "points", vectors(rope->points, rope->point_count));
  }
  if (rope->velocities) {
    set(out, "velocities", vectors(rope->velocities, rl_definition_nodes(rope)));
    return;
  }
  set(out, "velocity", vector(rope->velocity));
  set(out, "spin", vector(rope->spin));
  if (!isnan(rope->pivot.x)) {
    set(out, "pivot", vector(rope->pivot));
  }
}

static json_t *rope_to_json(const rl_definition *d, const rl_rope_definition *rope) {
  json_t *out = json_object();
  if (rope->closed) {
    set(out, "closed", json_true());
  } else {
    set(out, "from", end_to_json(d, &rope->from));
    set(out, "to", end_to_json(d, &rope->to));
  }
  json_t *over = json_array();
  for (size_t i = 0; i < rope->waypoint_count; i++) {
    json_array_append_new(over, waypoint_to_json(d, &rope->waypoints[i]));
  }
  set(out, "over", over);
  set_length(out, rope);
  if (rope->segments > 0) {
    if (rope->node_masses) {
      set(out, "node_masses", numbers(rope->node_masses, rl_definition_nodes(rope)));
    } else {
      set_number(out, "mass", rope->mass);
      set_string(out, "lumping", rope->lumping == RL_LUMP_EQUAL ? "equal" : "half");
    }
    set_motion(out, rope);
  }
  const struct {
    const char *key;
    double value, absent;
  } optional[] = {
      {"stiffness", rope->stiffness, NAN},
      {"damping", rope->damping, 0.0},
      {"damping_ratio", rope->damping_ratio, 0.0},
      {"bending", rope->bending, 0.0},
      {"friction", rope->friction, NAN},
      {"break_tension", rope->break_tension, NAN},
      {"drag", rope->drag, 0.0},
      {"drag_per_length", rope->drag_per_length, 0.0},
  };
  set_number(out, "radius", rope->radius);
  for (size_t i = 0; i < sizeof optional / sizeof optional[0]; i++) {
    if (optional[i].value != optional[i].absent) {
      set_number(out, optional[i].key, optional[i].value);
    }
  }
  set(out, "compression", json_boolean(rope->compression));
  set(out, "rope_collide", json_boolean(rope->rope_collide));
  if (rope->break_tensions) {
    set(out, "break_tensions", numbers(rope->break_tensions, rl_definition_elements(rope)));
  }
  if (rope->pool != RL_POOL_ENOUGH) {
    set(out, "pool", json_integer((json_int_t)rope->pool));
  }
  if (rope->pool_exhausted == RL_EXHAUSTED_CONTINUE) {
    set_string(out, "pool_exhausted", "continue");
  }
  return out;
}

static json_t *cut_to_json(const rl_definition *d, const rl_event *e) {
  json_t *cut = json_object();
  json_t *inside = json_object();
  switch (e->kind) {
  case RL_EVENT_CUT:
    json_decref(inside);
    set_string(cut, "rope", d->ropes[e->rope].name);
    set(cut, "segment", json_integer(e->element));
    return cut;
  case RL_EVENT_CUT_PLANE:
    set(inside, "point", vector(e->point));
    set(inside, "normal", vector(e->normal));
    set(cut, "plane", inside);
    return cut;
  default:
    set(inside, "from", vector(e->point));
    set(inside, "to", vector(e->to));
    set(inside, "view", vector(e->normal));
    if (e->duration > 0.0) {
      set_number(inside, "duration", e->duration);
    }
    set(cut, "swipe", inside);
    return cut;
  }
}

static json_t *event_to_json(const rl_definition *d, const rl_event *e) {
  json_t *out = json_object();
  json_t *what = json_object();
  set_number(out, e->kind < RL_EVENT_WINCH ? "at" : "from", e->from);
  if (e->kind >= RL_EVENT_WINCH) {
    set_number(out, "until", e->until);
  }
  switch (e->kind) {
  case RL_EVENT_RELEASE_END:
    set_string(what, "rope", d->ropes[e->rope].name);
    set_string(what, "end", e->end == 0 ? "from" : "to");
    set(out, "release", what);
    return out;
  case RL_EVENT_RELEASE_BODY:
    set_string(what, "body", d->bodies[e->body].name);
    set(out, "release", what);
    return out;
  case RL_EVENT_WINCH:
    set_string(what, "rope", d->ropes[e->rope].name);
    set_string(what, "end", e->end == 0 ? "from" : "to");
    if (e->is_inside) {
      set_number(what, "at_length", e->at_length);
    }
    set_number(what, "rate", e->rate);
    if (isfinite(e->max_tension)) {
      set_number(what, "max_tension", e->max_tension);
    }
    set(out, "winch", what);
    return out;
  case RL_EVENT_FORCE:
    set_string(what, "body", d->bodies[e->body].name);
    set(what, "value", vector(e->value));
    set(out, "force", what);
    return out;
  default:
    json_decref(what);
    if (e->kind == RL_EVENT_WIND) {
      set(out, "wind", vector(e->value));
    } else {
      set(out, "cut", cut_to_json(d, e));
    }
    return out;
  }
}

static json_t *exact_to_json(const rl_scenario *scenario) {
  const rl_exact_type *type = scenario->exact;
  json_t *arguments = json_object();
  for (size_t i = 0; i < type->argument_count; i++) {
    const uint32_t index = scenario->exact_arguments[i];
    set_string(arguments, type->arguments[i].name,
               type->arguments[i].kind == RL_EXACT_ROPE ? scenario->definition.ropes[index].name
                                                        : scenario->definition.bodies[index].name);
  }
  json_t *out = json_object();
  set(out, type->name, arguments);
  return out;
}

json_t *rl_scenario_to_json(const rl_scenario *scenario) {
  const rl_definition *d = &scenario->definition;
  json_t *out = json_object();
  json_t *bodies = json_object();
  json_t *ropes = json_object();
  json_t *probes = json_array();
  for (size_t i = 0; i < d->body_count; i++) {
    set(bodies, d->bodies[i].name, body_to_json(&d->bodies[i]));
  }
  for (size_t i = 0; i < d->rope_count; i++) {
    set(ropes, d->ropes[i].name, rope_to_json(d, &d->ropes[i]));
  }
  for (size_t i = 0; i < scenario->probe_count; i++) {
    json_array_append_new(probes, json_string(scenario->probe_names[i]));
  }
  set_string(out, "name", scenario->name);
  set_string(out, "title", scenario->title);
  set_string(out, "about", scenario->about);
  set(out, "gravity", vector(d->gravity));
  set_number(out, "duration", scenario->duration);
  set_number(out, "step", scenario->step);
  set(out, "bodies", bodies);
  set(out, "ropes", ropes);
  if (d->event_count > 0) {
    json_t *events = json_array();
    for (size_t i = 0; i < d->event_count; i++) {
      json_array_append_new(events, event_to_json(d, &d->events[i]));
    }
    set(out, "events", events);
  }
  set(out, "probes", probes);
  if (scenario->exact) {
    set(out, "exact", exact_to_json(scenario));
  }
  return out;
}
