// SPDX-License-Identifier: GPL-3.0-or-later
#include "model_check.h"

#include "../bodies/shape_hull.h"
#include "../paths/wrap.h"
#include "../trigonometry.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

// Forces, energies and their gradients are squared: what these are proportional to stays below.
static const double most_squared = 1e150;

bool rl_fault_set(rl_fault *fault, rl_fault_kind kind, uint32_t body, uint32_t rope,
                  const char *field, const char *format, ...) {
  *fault = (rl_fault){.kind = kind, .body = body, .rope = rope, .field = field};
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(fault->message, sizeof fault->message, format, arguments);
  va_end(arguments);
  return false;
}

bool rl_fault_place(rl_fault *fault, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(fault->place, sizeof fault->place, format, arguments);
  va_end(arguments);
  return false;
}

// Checks that a mass, its inverse, its weight and its moment over a length are in range.
static bool check_mass(const rl_definition *definition, double mass, double length, uint32_t body,
                       uint32_t rope, const char *field, rl_fault *fault) {
  const double most = mass * fmax(1.0, fmax(rl_length(definition->gravity), length * length));
  return (1.0 / mass < most_squared && most < most_squared) ||
         rl_fault_set(fault, RL_FAULT_INVALID, body, rope, field,
                      "%g kg are beyond the range of numbers; expected m, 1/m, m |g| and m L^2 "
                      "below %g, with L = %.3g m, %s",
                      mass, most_squared, length,
                      rope == RL_NONE ? "the distance from the origin" : "the length of the rope");
}

// Checks that the angles of a body and its parts are in the range of the sine.
static bool check_rotations(const rl_body_definition *body, uint32_t i, rl_fault *fault) {
  static const char *const message =
      "a turn by %.3g rad is beyond the range of angles; expected at most %g rad";
  if (!(rl_length(body->rotation) <= RL_MOST_ANGLE)) {
    return rl_fault_set(fault, RL_FAULT_INVALID, i, RL_NONE, "rotation", message,
                        rl_length(body->rotation), RL_MOST_ANGLE);
  }
  for (size_t k = 0; k < body->part_count; k++) {
    const double angle = rl_length(body->parts[k].rotation);
    if (!(angle <= RL_MOST_ANGLE)) {
      rl_fault_set(fault, RL_FAULT_INVALID, i, RL_NONE, "shape", message, angle, RL_MOST_ANGLE);
      return rl_fault_place(fault, "%zu.rotation", k);
    }
  }
  return true;
}

// Checks that a length can be computed with. `place`: in the field, of item k if it is a list.
static bool check_size(double size, uint32_t body, uint32_t rope, const char *field, size_t k,
                       const char *place, rl_fault *fault) {
  if (rl_is_size(size)) {
    return true;
  }
  rl_fault_set(fault, RL_FAULT_INVALID, body, rope, field,
               "%g m are beyond the range of numbers; expected above %g m and below %g m", size,
               RL_LEAST_SIZE, RL_MOST_SIZE);
  return rl_fault_place(fault, "%zu.%s", k, place);
}

static bool check_sizes(const rl_body_definition *body, uint32_t i, rl_fault *fault) {
  static const struct {
    rl_shape shape;
    const char *place;
    size_t offset;
  } sizes[] = {
      {RL_SPHERE, "sphere.radius", offsetof(rl_part_definition, radius)},
      {RL_CAPSULE, "capsule.radius", offsetof(rl_part_definition, radius)},
      {RL_CAPSULE, "capsule.length", offsetof(rl_part_definition, length)},
      {RL_CYLINDER, "cylinder.radius", offsetof(rl_part_definition, radius)},
      {RL_CYLINDER, "cylinder.length", offsetof(rl_part_definition, length)},
      {RL_BOX, "box.size.0", offsetof(rl_part_definition, size.x)},
      {RL_BOX, "box.size.1", offsetof(rl_part_definition, size.y)},
      {RL_BOX, "box.size.2", offsetof(rl_part_definition, size.z)},
  };
  for (size_t k = 0; k < body->part_count; k++) {
    const rl_part_definition *part = &body->parts[k];
    for (size_t n = 0; n < sizeof sizes / sizeof sizes[0]; n++) {
      const double size = *(const double *)(const void *)((const char *)part + sizes[n].offset);
      const bool is_sphere = part->shape == RL_CAPSULE && size == 0.0; // a capsule without length
      if (part->shape == sizes[n].shape && !is_sphere &&
          !check_size(size, i, RL_NONE, "shape", k, sizes[n].place, fault)) {
        return false;
      }
    }
  }
  return true;
}

static bool check_hulls(const rl_body_definition *body, uint32_t i, rl_fault *fault) {
  for (size_t k = 0; k < body->part_count; k++) {
    const rl_part_definition *part = &body->parts[k];
    rl_hull hull;
    char message[sizeof fault->message];
    if (part->shape == RL_HULL &&
        !rl_hull_build(part->point_count, part->points, &hull, message, sizeof message)) {
      rl_fault_set(fault, RL_FAULT_INVALID, i, RL_NONE, "shape", "%s", message);
      return rl_fault_place(fault, "%zu.hull.points", k);
    }
  }
  return true;
}

static bool check_body(const rl_definition *definition, uint32_t i, rl_fault *fault) {
  const rl_body_definition *body = &definition->bodies[i];
  const bool moves = body->motion == RL_FREE || body->motion == RL_AXLE;
  if (moves && isnan(body->mass)) {
    return rl_fault_set(fault, RL_FAULT_INVALID, i, RL_NONE, "mass",
                        "a body that moves freely needs a mass (or motion: fixed or driven)");
  }
  const bool has_mass = !isnan(body->mass) && (moves || rl_definition_is_released(definition, i));
  if (has_mass &&
      !check_mass(definition, body->mass, rl_length(body->position), i, RL_NONE, "mass", fault)) {
    return false;
  }
  if (rl_definition_is_point_mass(body) &&
      (!rl_is_zero(body->rotation) || !rl_is_zero(body->spin))) {
    return rl_fault_set(fault, RL_FAULT_INVALID, i, RL_NONE,
                        rl_is_zero(body->rotation) ? "spin" : "rotation",
                        "a body with neither shape nor inertia is a point mass and cannot rotate");
  }
  if (body->motion == RL_FIXED && (!rl_is_zero(body->velocity) || !rl_is_zero(body->spin))) {
    return rl_fault_set(fault, RL_FAULT_INVALID, i, RL_NONE,
                        rl_is_zero(body->velocity) ? "spin" : "velocity",
                        "a fixed body does not move (motion: driven does)");
  }
  if (body->motion == RL_AXLE &&
      (rl_definition_is_point_mass(body) || !rl_is_zero(body->velocity))) {
    return rl_fault_set(fault, RL_FAULT_INVALID, i, RL_NONE,
                        rl_definition_is_point_mass(body) ? "motion" : "velocity",
                        rl_definition_is_point_mass(body)
                            ? "a body on an axle turns; expected a shape or an inertia"
                            : "the centre of a body on an axle does not move");
  }
  if (!check_rotations(body, i, fault) || !check_sizes(body, i, fault)) {
    return false;
  }
  if (!isfinite(rl_length(body->spin))) {
    return rl_fault_set(fault, RL_FAULT_INVALID, i, RL_NONE, "spin",
                        "a vector of infinite length; expected less than 1e150 a component");
  }
  const rl_vec3 spin = rl_rotate_inverse(rl_quat_from_vector(body->rotation), body->spin);
  if (body->motion == RL_AXLE && fmax(fabs(spin.x), fabs(spin.y)) > 1e-9 * rl_length(spin)) {
    return rl_fault_set(fault, RL_FAULT_INVALID, i, RL_NONE, "spin",
                        "a body on an axle turns about its own z axis only; its spin there is "
                        "[%.6g, %.6g, %.6g]",
                        spin.x, spin.y, spin.z);
  }
  const rl_vec3 m = body->inertia;
  if (!isnan(m.x) && 2.0 * fmax(m.x, fmax(m.y, m.z)) > (1.0 + 1e-9) * (m.x + m.y + m.z)) {
    return rl_fault_set(fault, RL_FAULT_INVALID, i, RL_NONE, "inertia",
                        "no body has one moment of inertia larger than the other two together");
  }
  if (body->drive_count > 0 && body->motion != RL_DRIVEN) {
    return rl_fault_set(fault, RL_FAULT_INVALID, i, RL_NONE, "drive",
                        "only a body with motion: driven follows a drive");
  }
  if (body->drive_count > 0 && !rl_is_zero(body->velocity)) {
    return rl_fault_set(fault, RL_FAULT_INVALID, i, RL_NONE, "velocity",
                        "a driven body has either a velocity or a drive");
  }
  return check_hulls(body, i, fault);
}

bool rl_definition_check_inertia(const rl_definition *definition, rl_fault *fault) {
  for (uint32_t i = 0; i < definition->body_count; i++) {
    const rl_body_definition *body = &definition->bodies[i];
    rl_vec3 inertia;
    char message[256];
    if (body->motion == RL_DRIVEN || !rl_definition_turns(definition, i)) {
      continue;
    }
    if (!rl_definition_inertia(body, &inertia, message, sizeof message)) {
      return rl_fault_set(fault, RL_FAULT_INVALID, i, RL_NONE, "shape", "%s", message);
    }
    const bool tilts = body->motion != RL_AXLE; // else it turns about z alone
    const double least = tilts ? fmin(inertia.z, fmin(inertia.x, inertia.y)) : inertia.z;
    const double most = tilts ? fmax(inertia.z, fmax(inertia.x, inertia.y)) : inertia.z;
    if (!(1.0 / sqrt(least) < most_squared && sqrt(most) < most_squared)) {
      return rl_fault_set(
          fault, RL_FAULT_INVALID, i, RL_NONE, isnan(body->inertia.x) ? "shape" : "inertia",
          "moments of inertia from %g to %g kg m^2 are beyond the range of numbers; "
          "expected the root of each, and its inverse, below %g",
          least, most, most_squared);
    }
  }
  return true;
}

// Checks the masses that a rope gives its nodes: an element has its share of the whole.
static bool check_node_masses(const rl_definition *definition, uint32_t i, rl_fault *fault) {
  const rl_rope_definition *rope = &definition->ropes[i];
  const double length = rl_definition_length(definition, rope);
  const size_t given = rope->node_masses ? rl_definition_nodes(rope) : 0;
  for (size_t k = 0; k < given; k++) {
    if (!check_mass(definition, rope->node_masses[k], length, RL_NONE, i, "node_masses", fault)) {
      return false;
    }
  }
  return given > 0 || rope->segments == 0 ||
         (check_mass(definition, rope->mass, length, RL_NONE, i, "mass", fault) &&
          check_mass(definition, rope->mass / (double)rope->segments, length, RL_NONE, i, "mass",
                     fault));
}

static bool check_masses(const rl_rope_definition *rope, uint32_t i, rl_fault *fault) {
  const bool has_mass = rope->mass > 0.0 || rope->node_masses;
  if (has_mass && rope->segments == 0) {
    return rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, i,
                        rope->node_masses ? "node_masses" : "mass",
                        "a rope with mass needs segments; expected `segments`, or no mass");
  }
  if (!has_mass && rope->segments > 0) {
    return rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, i,
                        rope->rest_lengths ? "rest_lengths" : "segments",
                        "a rope with segments needs a mass; expected `mass`, or no segments");
  }
  if (rope->segments > 0) {
    return true;
  }
  if (!rope->closed && (rope->from.kind == RL_END_FREE || rope->to.kind == RL_END_FREE)) {
    return rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, i,
                        rope->from.kind == RL_END_FREE ? "from" : "to",
                        "a massless rope needs something to hold at both ends; a free end needs "
                        "mass and segments");
  }
  if (rope->drag > 0.0 || rope->drag_per_length > 0.0) {
    return rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, i,
                        rope->drag > 0.0 ? "drag" : "drag_per_length",
                        "a massless rope has no nodes for drag to act on");
  }
  if (rope->bending > 0.0) {
    return rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, i, "bending",
                        "a massless rope has no nodes at which it could be bent");
  }
  const bool moves = !rl_is_zero(rope->velocity) || !rl_is_zero(rope->spin) || rope->velocities;
  if (moves || rope->pose != RL_POSE_STRAIGHT) {
    return rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, i,
                        rope->pose != RL_POSE_STRAIGHT ? "points"
                        : rope->velocities             ? "velocities"
                        : rl_is_zero(rope->velocity)   ? "spin"
                                                       : "velocity",
                        "a massless rope has no nodes to place or to move");
  }
  return true;
}

// Checks that a clamped end has a stiffness, and something that can hold a direction.
static bool check_clamps(const rl_definition *definition, uint32_t i, rl_fault *fault) {
  const rl_rope_definition *rope = &definition->ropes[i];
  const rl_end *ends[2] = {&rope->from, &rope->to};
  static const char *const fields[2] = {"from.clamp", "to.clamp"};
  for (size_t k = 0; k < 2 && !rope->closed; k++) {
    const rl_end *end = ends[k];
    if (rl_is_zero(end->clamp)) {
      continue;
    }
    if (!(rope->bending > 0.0)) {
      return rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, i, fields[k],
                          "a rope without bending stiffness takes any direction; expected "
                          "`bending`, or no `clamp`");
    }
    if (end->kind != RL_END_POINT && end->kind != RL_END_BODY) {
      return rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, i, fields[k],
                          "only a point in space and a body can hold the direction of an end; "
                          "expected one of these there, or no `clamp`");
    }
    const rl_body_definition *body =
        end->kind == RL_END_BODY ? &definition->bodies[end->body] : NULL;
    if (body && body->motion == RL_FREE && rl_definition_is_point_mass(body)) {
      return rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, i, fields[k],
                          "a point mass that moves freely holds no direction; expected a shape or "
                          "an inertia of body '%s'",
                          body->name);
    }
  }
  return true;
}

// Checks that EI / l, to which the energy of a bend is proportional, has a square within range.
static bool check_bending(const rl_definition *definition, uint32_t i, rl_fault *fault) {
  const rl_rope_definition *rope = &definition->ropes[i];
  const double length = rl_definition_length(definition, rope) / (double)rope->segments;
  return !(rope->bending / length >= most_squared) ||
         rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, i, "bending",
                      "a bending stiffness of %g N m^2 over elements of %.3g m is beyond the range "
                      "of numbers; expected less than %.3g N m^2",
                      rope->bending, length, most_squared * length);
}

// Checks that a loop has points: it has no ends between which it could lie or hang.
static bool check_loop(const rl_rope_definition *rope, uint32_t i, rl_fault *fault) {
  if (!rope->closed) {
    return true;
  }
  if (rope->pose == RL_POSE_HANG) {
    return rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, i, "points",
                        "a closed rope has no ends to hang between; expected the corners of a "
                        "polygon");
  }
  if (rope->segments == 0 && rope->waypoint_count < 2) {
    return rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, i, "closed",
                        "a massless closed rope is held by what it passes; expected at least two "
                        "entries in `over`");
  }
  if (rope->segments > 0 && rope->segments < 3) {
    return rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, i,
                        rope->rest_lengths ? "rest_lengths" : "segments",
                        "a closed rope of %zu elements goes there and back on the same nodes; "
                        "expected at least 3",
                        rope->segments);
  }
  if (rope->segments > 0 && rope->waypoint_count == 0 && rope->pose != RL_POSE_POINTS) {
    return rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, i, "closed",
                        "a closed rope has no ends that it could lie straight between; expected "
                        "`points`, the corners of the polygon that it starts on");
  }
  return true;
}

bool rl_definition_check_rest(const rl_rope_definition *rope, uint32_t i, double length,
                              rl_fault *fault) {
  return rl_is_size(length) ||
         rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, i, isnan(rope->length) ? "slack" : "length",
                      "the rope's rest length is %g m; expected one above %g m and below %g m",
                      length, RL_LEAST_SIZE, RL_MOST_SIZE);
}

static bool check_length(const rl_definition *definition, uint32_t i, rl_fault *fault) {
  const rl_rope_definition *rope = &definition->ropes[i];
  const bool elastic = !isnan(rope->stiffness);
  const rl_vec3 from = rl_definition_end(definition, &rope->from);
  const rl_vec3 to = rl_definition_end(definition, &rope->to);
  if (!rope->closed && rope->waypoint_count == 0 && rope->pose != RL_POSE_POINTS &&
      rl_distance(from, to) == 0.0) {
    return rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, i, "to",
                        "both ends are at the same place and the rope passes nothing between "
                        "them; expected different ends, an `over`, or `points`");
  }
  if (rope->slack < 0.0 && !elastic) {
    return rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, i, "slack",
                        "negative slack is pretension and needs a stiffness");
  }
  const double length = rl_definition_length(definition, rope);
  if (!rl_definition_check_rest(rope, i, length, fault)) {
    return false;
  }
  const double way = rl_definition_path_length(definition, rope);
  const double tolerance = rope->pose == RL_POSE_POINTS ? RL_START_TOLERANCE : 1e-9;
  if (!elastic && way > length * (1.0 + tolerance)) {
    return rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, i,
                        rope->rest_lengths    ? "rest_lengths"
                        : isnan(rope->length) ? "slack"
                                              : "length",
                        "the rope is %.6g m long, shorter than its way of %.6g m; expected at "
                        "least that, or a stiffness",
                        length, way);
  }
  return true;
}

// Checks that the points of a rope fit its ends.
static bool check_outer_points(const rl_definition *definition, uint32_t i, double tolerance,
                               rl_fault *fault) {
  const rl_rope_definition *rope = &definition->ropes[i];
  const rl_end *ends[2] = {&rope->from, &rope->to};
  const rl_vec3 outer[2] = {rope->points[0], rope->points[rope->point_count - 1]};
  for (size_t k = 0; k < 2 && !rope->closed; k++) {
    const double gap = rl_distance(rl_definition_end(definition, ends[k]), outer[k]);
    if (gap > tolerance) {
      return rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, i, "points",
                          "the %s point is %.3g m away from where `%s` puts that end",
                          k == 0 ? "first" : "last", gap, k == 0 ? "from" : "to");
    }
  }
  return true;
}

// Checks that points which are the nodes of a rope fit its elements too.
static bool check_points(const rl_definition *definition, uint32_t i, rl_fault *fault) {
  const rl_rope_definition *rope = &definition->ropes[i];
  if (rope->pose != RL_POSE_POINTS) {
    return true;
  }
  if (rope->point_count < 2) {
    return rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, i, "points",
                        "%zu points; expected at least 2", rope->point_count);
  }
  const double length = rl_definition_length(definition, rope);
  if (!check_outer_points(definition, i, RL_START_TOLERANCE * length / (double)rope->segments,
                          fault)) {
    return false;
  }
  if (rope->point_count != rl_definition_nodes(rope) || !isnan(rope->stiffness)) {
    return true;
  }
  for (size_t k = 0; k < rope->segments; k++) {
    const double rest =
        rope->rest_lengths ? rope->rest_lengths[k] : length / (double)rope->segments;
    const double now = rl_distance(rope->points[k], rope->points[(k + 1) % rope->point_count]);
    if (now > rest * (1.0 + RL_START_TOLERANCE)) {
      return rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, i, "points",
                          "element %zu starts %.6g m long with a rest length of %.6g m; an "
                          "inextensible rope cannot start stretched",
                          k, now, rest);
    }
  }
  return true;
}

// Elements with less than half a turn of the rope between them are no pair (papers/tangle.md): so
// much there is at most between two, and where that is less the rope has nothing to touch.
static bool check_tangle(const rl_definition *definition, uint32_t i, rl_fault *fault) {
  const rl_rope_definition *rope = &definition->ropes[i];
  const size_t count = rope->segments;
  bool touches = !rope->rope_collide || count == 0 || rl_definition_is_fed(definition, i);
  for (size_t k = 0; k < definition->rope_count; k++) {
    touches = touches || (k != i && definition->ropes[k].rope_collide);
  }
  if (touches) {
    return true;
  }
  const double length = rl_definition_length(definition, rope);
  const double mean = length / (double)count;
  double least = mean;
  for (size_t k = 0; k < count && rope->rest_lengths; k++) {
    least = fmin(least, rope->rest_lengths[k]);
  }
  const double outer =
      rope->rest_lengths ? rope->rest_lengths[0] + rope->rest_lengths[count - 1] : 2.0 * mean;
  const double between = rope->closed ? 0.5 * length - least : length - outer;
  const double half_turn = RL_PI * rope->radius;
  return between >= half_turn ||
         rl_fault_set(
             fault, RL_FAULT_INVALID, RL_NONE, i, "radius",
             "no two elements of the rope can touch: they are %.3g m apart along it at "
             "most, less than half a turn round its radius, %.3g m; expected a radius up to "
             "%.3g m, or no rope_collide",
             fmax(between, 0.0), half_turn, fmax(between, 0.0) / RL_PI);
}

bool rl_definition_check_length(const rl_definition *definition, uint32_t i, rl_fault *fault) {
  return check_length(definition, i, fault) && check_bending(definition, i, fault) &&
         check_tangle(definition, i, fault) && check_points(definition, i, fault);
}

// Checks that the bodies of waypoints have surfaces on which the rope can lie.
static bool check_waypoints(const rl_definition *definition, uint32_t i, rl_fault *fault) {
  const rl_rope_definition *rope = &definition->ropes[i];
  for (size_t k = 0; k < rope->waypoint_count; k++) {
    const rl_waypoint *waypoint = &rope->waypoints[k];
    const rl_body_definition *body = waypoint->is_eye ? NULL : &definition->bodies[waypoint->body];
    if (rope->segments > 0 && rope->pose == RL_POSE_HANG) {
      return rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, i, "points",
                          "a rope through an eye or over a body does not hang freely between its "
                          "ends; expected the corners of its way, or none");
    }
    if (body && !rl_definition_touches(definition, rope, waypoint->body)) {
      rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, i, "over",
                   body->rope_collide
                       ? "the rope passes body '%s', which lets it through, because an end of the "
                         "rope is fixed to it inside its shape; expected that end outside the shape"
                       : "the rope passes body '%s', which lets it through; expected no "
                         "rope_collide: false of the body",
                   body->name);
      return rl_fault_place(fault, "%zu", k);
    }
    if (body && body->parts[waypoint->part == RL_NONE ? 0 : waypoint->part].shape == RL_PLANE) {
      rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, i, "over",
                   "no rope passes round a half-space, body '%s'; expected a body that it can bend "
                   "round",
                   body->name);
      return rl_fault_place(fault, "%zu", k);
    }
  }
  return true;
}

static bool check_rope(const rl_definition *definition, uint32_t i, rl_fault *fault) {
  const rl_rope_definition *rope = &definition->ropes[i];
  if (!check_waypoints(definition, i, fault)) {
    return false;
  }
  if (!check_masses(rope, i, fault) || !check_node_masses(definition, i, fault) ||
      !check_clamps(definition, i, fault) || !check_loop(rope, i, fault)) {
    return false;
  }
  if (rope->radius > 0.0 && !check_size(rope->radius, RL_NONE, i, "radius", 0, "", fault)) {
    return false;
  }
  for (size_t k = 0; k < rope->segments && rope->rest_lengths; k++) {
    if (!check_size(rope->rest_lengths[k], RL_NONE, i, "rest_lengths", k, "", fault)) {
      return false;
    }
  }
  if (rope->rope_collide && (rope->segments == 0 || !(rope->radius > 0.0))) {
    return rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, i,
                        rope->segments == 0 ? "rope_collide" : "radius",
                        rope->segments == 0 ? "a massless rope does not touch ropes; expected mass "
                                              "and segments, or no rope_collide"
                                            : "a rope that touches ropes (rope_collide) has no "
                                              "radius; expected one above 0 m");
  }
  // The path of others is not known yet: joined ropes are checked when they are built, the rest is
  // refused as unsupported below.
  bool known = rope->from.kind != RL_END_NODE && rope->to.kind != RL_END_NODE &&
               !(rope->closed && (rope->segments == 0 || rope->waypoint_count > 0));
  known = known && rl_definition_wrap_capacity(definition, rope) == 0;
  for (size_t k = 0; k < rope->waypoint_count; k++) {
    known = known && (rope->waypoints[k].is_eye || rope->pose == RL_POSE_POINTS);
  }
  return !known || rl_definition_check_length(definition, i, fault);
}

static bool check_event(const rl_definition *definition, size_t index, rl_fault *fault) {
  const rl_event *event = &definition->events[index];
  const rl_body_definition *body =
      event->body < definition->body_count ? &definition->bodies[event->body] : NULL;
  if (event->kind == RL_EVENT_RELEASE_BODY && (body->motion != RL_FIXED || isnan(body->mass))) {
    rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, RL_NONE, "events",
                 body->motion != RL_FIXED
                     ? "body '%s' is not fixed; expected one that is"
                     : "body '%s' has no mass; expected one that has, for when it is free",
                 body->name);
    return rl_fault_place(fault, "%zu.release.body", index);
  }
  const bool can_move =
      body && (body->motion == RL_FREE || rl_definition_is_released(definition, event->body));
  if (event->kind == RL_EVENT_FORCE && !can_move) {
    rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, RL_NONE, "events",
                 "a force on the centre of body '%s', which is held; expected one that can move",
                 body ? body->name : "");
    return rl_fault_place(fault, "%zu.force.body", index);
  }
  const rl_rope_definition *reeled =
      event->kind == RL_EVENT_WINCH ? &definition->ropes[event->rope] : NULL;
  if (reeled && reeled->segments > 0 && !event->is_inside &&
      (reeled->closed || (event->end == 0 ? reeled->from : reeled->to).kind == RL_END_FREE)) {
    rl_fault_set(
        fault, RL_FAULT_INVALID, RL_NONE, RL_NONE, "events",
        "a winch on rope '%s' has %s; expected `at_length`: a winch inside the rope", reeled->name,
        reeled->closed ? "no end there: it is closed" : "nothing to stand on: that end is free");
    return rl_fault_place(fault, "%zu.winch.end", index);
  }
  const rl_rope_definition *rope =
      event->kind == RL_EVENT_RELEASE_END ? &definition->ropes[event->rope] : NULL;
  if (rope && (event->end == 0 ? rope->from : rope->to).kind == RL_END_FREE) {
    rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, RL_NONE, "events",
                 "nothing holds end '%s' of rope '%s'; expected one that is held",
                 event->end == 0 ? "from" : "to", rope->name);
    return rl_fault_place(fault, "%zu.release.end", index);
  }
  return true;
}

bool rl_definition_check(const rl_definition *definition, rl_fault *fault) {
  const uint32_t bodies = (uint32_t)definition->body_count;
  const uint32_t ropes = (uint32_t)definition->rope_count;
  if (!rl_definition_check_values(definition, fault)) {
    return false;
  }
  for (uint32_t i = 0; i < bodies; i++) {
    if (!check_body(definition, i, fault)) {
      return false;
    }
  }
  for (uint32_t i = 0; i < ropes; i++) {
    if (!check_rope(definition, i, fault)) {
      return false;
    }
  }
  for (size_t i = 0; i < definition->event_count; i++) {
    if (!check_event(definition, i, fault)) {
      return false;
    }
  }
  return true;
}
