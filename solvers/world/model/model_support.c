// SPDX-License-Identifier: GPL-3.0-or-later
// What is valid, but not supported by this version.
#include "../paths/wrap.h"
#include "model_check.h"

// Most nodes that winches may pay out: as many as a rope may have.
static const double most_nodes = 1e7;

static bool unsupported(rl_fault *fault, uint32_t rope, const char *field, const char *what) {
  return rl_fault_set(fault, RL_FAULT_UNSUPPORTED, RL_NONE, rope, field,
                      "not supported by this version: %s", what);
}

static bool support_pair(const rl_definition *definition, uint32_t r, uint32_t b, rl_fault *fault) {
  const rl_rope_definition *rope = &definition->ropes[r];
  const rl_body_definition *body = &definition->bodies[b];
  if (!rl_definition_touches(definition, rope, b)) {
    return true;
  }
  for (size_t k = 0; k < body->part_count && rope->segments == 0 && rope->radius > 0.0; k++) {
    if (rl_is_polyhedron(body->parts[k].shape)) {
      return unsupported(fault, r, "radius", "massless ropes with a radius over boxes and hulls");
    }
  }
  if (body->restitution > 0.0) {
    return rl_fault_set(fault, RL_FAULT_UNSUPPORTED, b, RL_NONE, "restitution",
                        "not supported by this version: ropes that bounce off a body, which rope "
                        "'%.40s' may touch; `rope_collide: false` lets ropes pass through it",
                        rope->name);
  }
  return true;
}

static bool support_waypoint(const rl_definition *definition, uint32_t r,
                             const rl_waypoint *waypoint, rl_fault *fault) {
  const rl_rope_definition *rope = &definition->ropes[r];
  if (!waypoint->is_eye && rope->closed) {
    const rl_body_definition *body = &definition->bodies[waypoint->body];
    const rl_shape shape = body->parts[waypoint->part == RL_NONE ? 0 : waypoint->part].shape;
    if (shape != RL_SPHERE && shape != RL_CYLINDER && shape != RL_CAPSULE) {
      return unsupported(fault, r, "over",
                         "massless closed ropes round anything but balls, cylinders and capsules");
    }
  }
  if (!waypoint->is_eye && rope->segments == 0 && rope->compression) {
    return unsupported(fault, r, "compression",
                       "massless rods that lie on bodies, which can only press on them");
  }
  const bool rubs = waypoint->is_eye && rope->segments > 0 &&
                    rl_definition_eye_friction(definition, rope, waypoint) > 0.0;
  if (rubs && (isfinite(rope->stiffness) || rope->compression)) {
    return unsupported(fault, r, "over",
                       "ropes with mass that rub in an eye and stretch, or are rods");
  }
  if (rubs && rl_definition_is_fed(definition, r)) {
    return unsupported(fault, r, "over", "winches on ropes with mass that rub in an eye");
  }
  return true;
}

static bool support_rope(const rl_definition *definition, uint32_t i, rl_fault *fault) {
  const rl_rope_definition *rope = &definition->ropes[i];
  const struct {
    bool used;
    const char *field, *what;
  } features[] = {
      {rope->closed && rope->segments > 0 && rope->waypoint_count > 0, "closed",
       "closed ropes with mass that pass eyes or bodies"},
      {rope->bending > 0.0 && rl_definition_rings(rope) > 0, "bending",
       "bending stiffness of ropes that run through an eye"},
      {rope->rope_collide && rl_definition_rings(rope) > 0, "rope_collide",
       "ropes that run through an eye and touch ropes"},
  };
  for (size_t k = 0; k < sizeof features / sizeof features[0]; k++) {
    if (features[k].used) {
      return unsupported(fault, i, features[k].field, features[k].what);
    }
  }
  const rl_end *ends[2] = {&rope->from, &rope->to};
  for (size_t k = 0; k < 2 && !rope->closed; k++) {
    const rl_rope_definition *other =
        ends[k]->kind == RL_END_NODE ? &definition->ropes[ends[k]->rope] : NULL;
    if (other && other->closed && other->segments == 0) {
      return unsupported(fault, i, k == 0 ? "from" : "to", "ropes joined to massless closed ropes");
    }
  }
  for (size_t k = 0; k < rope->waypoint_count; k++) {
    if (!support_waypoint(definition, i, &rope->waypoints[k], fault)) {
      return rl_fault_place(fault, "%zu", k);
    }
  }
  for (uint32_t b = 0; b < definition->body_count; b++) {
    if (!support_pair(definition, i, b, fault)) {
      return false;
    }
  }
  return true;
}

// Checks a winch on a rope with mass: its elements and nodes must be alike, its length known, and
// no other rope joined to an inner node.
static bool support_feed(const rl_definition *definition, size_t index, rl_fault *fault) {
  const rl_event *event = &definition->events[index];
  const rl_rope_definition *rope = &definition->ropes[event->rope];
  const bool joined = rope->from.kind == RL_END_NODE || rope->to.kind == RL_END_NODE;
  const struct {
    bool used;
    const char *what;
  } features[] = {
      {rope->rest_lengths || rope->node_masses || rope->break_tensions,
       "winches on ropes with mass whose elements or nodes differ"},
      {joined && isnan(rope->length) && rope->pose != RL_POSE_POINTS,
       "winches on joined ropes with mass without a length"},
  };
  for (size_t k = 0; k < sizeof features / sizeof features[0]; k++) {
    if (features[k].used) {
      unsupported(fault, RL_NONE, "events", features[k].what);
      return rl_fault_place(fault, "%zu.winch", index);
    }
  }
  for (uint32_t i = 0; i < definition->rope_count; i++) {
    const rl_end *ends[2] = {&definition->ropes[i].from, &definition->ropes[i].to};
    for (size_t k = 0; k < 2; k++) {
      const int64_t last = (int64_t)rope->segments;
      const int64_t node = ends[k]->node;
      const bool inner = node != 0 && (rope->closed || (node != -1 && node != last));
      if (ends[k]->kind == RL_END_NODE && ends[k]->rope == event->rope && inner) {
        unsupported(fault, RL_NONE, "events",
                    "winches on ropes with mass to whose inner nodes others are joined");
        return rl_fault_place(fault, "%zu.winch", index);
      }
    }
  }
  return true;
}

// Checks how many nodes the winches of a rope with mass can pay out.
static bool check_fed_nodes(const rl_definition *definition, size_t index, rl_fault *fault) {
  const uint32_t rope = definition->events[index].rope;
  const double nodes = rl_definition_fed_nodes(definition, rope);
  if (nodes <= most_nodes) {
    return true;
  }
  rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, RL_NONE, "events",
               "the winches of rope '%s' can pay out %.3g nodes until they end; expected up to "
               "%.3g: a lower `rate` or an earlier `until`",
               definition->ropes[rope].name, nodes, most_nodes);
  return rl_fault_place(fault, "%zu.winch.rate", index);
}

bool rl_definition_check_support(const rl_definition *definition, rl_fault *fault) {
  for (size_t i = 0; i < definition->event_count; i++) {
    const rl_event *event = &definition->events[i];
    const rl_rope_definition *rope =
        event->kind == RL_EVENT_WINCH ? &definition->ropes[event->rope] : NULL;
    if (rope && rope->segments > 0 &&
        !(support_feed(definition, i, fault) && check_fed_nodes(definition, i, fault))) {
      return false;
    }
    if (rope && rope->segments == 0 && event->is_inside && rl_definition_rubs(definition, rope)) {
      unsupported(fault, RL_NONE, "events",
                  "winches inside massless ropes that rub, where it matters which piece is fed");
      return rl_fault_place(fault, "%zu.winch.at_length", i);
    }
  }
  for (uint32_t i = 0; i < definition->rope_count; i++) {
    if (!support_rope(definition, i, fault)) {
      return false;
    }
  }
  return true;
}
