// SPDX-License-Identifier: GPL-3.0-or-later
// Builds the ropes of a model: nodes, elements, joints, positions.
#include "../paths/wrap.h"
#include "model_builder.h"
#include "model_check.h"
#include "pose.h"

#include <stdlib.h>
#include <string.h>

// Whether an end has mass: a free end, or one that shares a node with another rope.
static bool end_moves(const rl_end *end) {
  return end->kind == RL_END_FREE || end->kind == RL_END_NODE;
}

// Whether an end is tied to the centre of a body, so that it needs no node of its own.
static bool end_is_centre(const rl_end *end) {
  return end->kind == RL_END_BODY && rl_is_zero(end->at);
}

static bool end_is_shared(const rl_end *end) {
  return end_is_centre(end) || end->kind == RL_END_NODE;
}

size_t rl_builder_own_nodes(const rl_rope_definition *rope) {
  return rl_definition_nodes(rope) - (end_is_shared(&rope->from) ? 1 : 0) -
         (end_is_shared(&rope->to) ? 1 : 0);
}

// Whether node i of a rope is an end; a loop has none.
static bool node_is_end(const rl_rope_definition *rope, size_t i) {
  return !rope->closed && (i == 0 || i == rl_definition_elements(rope));
}

static const rl_end *end_at(const rl_rope_definition *rope, size_t i) {
  return i == 0 ? &rope->from : &rope->to;
}

// Computes the mass that each node of a rope would have if it were free.
static void lump_masses(const rl_rope_definition *rope, const double *rest, double length,
                        double *masses) {
  const size_t nodes = rl_definition_nodes(rope);
  if (rope->node_masses) {
    memcpy(masses, rope->node_masses, nodes * sizeof(double));
    return;
  }
  memset(masses, 0, nodes * sizeof(double));
  for (size_t i = 0; i < rope->segments && rope->lumping == RL_LUMP_HALF; i++) {
    const double half = 0.5 * rope->mass * (rest[i] / length);
    masses[i] += half;
    masses[(i + 1) % nodes] += half;
  }
  size_t movable = 0;
  for (size_t i = 0; i < nodes; i++) {
    movable += !node_is_end(rope, i) || end_moves(end_at(rope, i)) ? 1 : 0;
  }
  for (size_t i = 0; i < nodes && rope->lumping == RL_LUMP_EQUAL; i++) {
    masses[i] = rope->mass / (double)(movable > 0 ? movable : 1);
  }
}

static bool pose_nodes(const rl_builder *b, uint32_t index, rl_fault *fault) {
  const rl_definition *d = b->definition;
  const rl_rope_definition *rope = &d->ropes[index];
  const size_t count = rl_definition_elements(rope);
  const rl_vec3 from = rl_definition_end(d, &rope->from);
  const rl_vec3 to = rl_definition_end(d, &rope->to);
  switch (rope->pose) {
  case RL_POSE_STRAIGHT:
    rl_pose_straight(count, b->rest, from, to, b->pose);
    break;
  case RL_POSE_POINTS:
    if (rope->point_count == rl_definition_nodes(rope)) {
      memcpy(b->pose, rope->points, rope->point_count * sizeof(rl_vec3));
    } else {
      rl_pose_polyline(count, b->rest, rope->point_count, rope->points, rope->closed, b->pose);
    }
    if (!rope->closed) {
      b->pose[0] = from;
      b->pose[count] = to;
    }
    break;
  case RL_POSE_HANG:
    if (!rl_pose_hang(count, b->rest, b->node_masses,
                      isnan(rope->stiffness) ? INFINITY : rope->stiffness, d->gravity, from, to,
                      b->pose)) {
      return rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, index, "points",
                          "the rope cannot hang between these ends; expected gravity, ends apart "
                          "across it, and a length above their distance");
    }
    break;
  }
  return true;
}

// Returns the velocity of a node: as given, or the common one and the spin about the mass centre or
// the pivot.
static rl_vec3 node_velocity(const rl_rope_definition *rope, rl_vec3 centre, rl_vec3 at, size_t i) {
  if (rope->velocities) {
    return rope->velocities[i];
  }
  return rl_add(rope->velocity, rl_cross(rope->spin, rl_sub(at, centre)));
}

// Returns the slot of the node of another rope, built before, to which an end is joined.
static uint32_t joined_slot(const rl_builder *b, const rl_end *end) {
  const rl_rope *other = &b->ropes[end->rope];
  const int64_t count = rl_rope_node_count(other);
  const uint32_t node = (uint32_t)(end->node < 0 ? count + end->node : end->node);
  const rl_link *links = &b->links[other->first_link];
  return node == 0 ? links[0].a : links[node - 1].b;
}

// Returns the slot of an end of a rope; makes its node if it needs one of its own.
static uint32_t build_end(rl_builder *b, const rl_end *end, uint32_t *next_node, double mass,
                          rl_vec3 position, rl_vec3 velocity) {
  if (end_is_centre(end)) {
    return rl_body_slot(b->model, end->body);
  }
  if (end->kind == RL_END_NODE) {
    const uint32_t joint = joined_slot(b, end);
    if (b->points[joint].w > 0.0) {
      b->masses[joint] += mass;
      b->points[joint].w = 1.0 / b->masses[joint];
    }
    b->model->capabilities |= RL_CAN_JOINTS;
    return joint;
  }
  const uint32_t slot = (*next_node)++;
  if (end->kind == RL_END_BODY) {
    const rl_body *body = &b->bodies[end->body];
    b->node_hold[slot] = b->model->hold_count;
    b->holds[b->model->hold_count++] = (rl_hold){slot, end->body, end->at};
    velocity = body->velocity;
  } else if (end->kind == RL_END_POINT) {
    velocity = (rl_vec3){0.0, 0.0, 0.0};
  }
  rl_builder_set_point(b, slot, position, end->kind == RL_END_FREE ? mass : 0.0, velocity);
  return slot;
}

// Sets the drag of each node that moves by itself: as given, or half of that of each element beside
// it.
static void build_drags(rl_builder *b, const rl_rope_definition *rope, const rl_rope *out) {
  for (uint32_t k = 0; k < out->link_count; k++) {
    const rl_link *link = &b->links[out->first_link + k];
    const uint32_t ends[2] = {link->a, link->b};
    for (size_t e = 0; e < 2; e++) {
      if (ends[e] < b->model->node_count && b->points[ends[e]].w > 0.0) {
        double *drag = &b->drags[ends[e]];
        *drag = rope->drag > 0.0 ? rope->drag : *drag + 0.5 * rope->drag_per_length * link->rest;
        b->model->capabilities |= *drag > 0.0 ? RL_CAN_DRAG : 0U;
      }
    }
  }
}

// Computes rest lengths, masses and positions of the nodes of a rope in the scratch arrays.
static bool shape_rope(rl_builder *b, uint32_t index, double length, rl_fault *fault) {
  const rl_rope_definition *rope = &b->definition->ropes[index];
  const size_t count = rl_definition_elements(rope);
  for (size_t i = 0; i < count; i++) {
    b->rest[i] = rope->rest_lengths ? rope->rest_lengths[i] : length / (double)count;
  }
  if (rope->segments > 0) {
    lump_masses(rope, b->rest, length, b->node_masses);
  } else {
    b->node_masses[0] = b->node_masses[1] = 0.0;
  }
  return pose_nodes(b, index, fault);
}

// Returns the point about which a rope spins: its pivot, or the mass centre of the nodes that move
// with it.
static rl_vec3 spin_centre(const rl_builder *b, const rl_rope_definition *rope) {
  if (!isnan(rope->pivot.x)) {
    return rope->pivot;
  }
  rl_vec3 centre = {0.0, 0.0, 0.0};
  double total = 0.0;
  for (size_t i = 0; i < rl_definition_nodes(rope); i++) {
    const bool held = node_is_end(rope, i) && end_at(rope, i)->kind != RL_END_FREE;
    const double mass = held ? 0.0 : b->node_masses[i];
    centre = rl_add_scaled(centre, mass, b->pose[i]);
    total += mass;
  }
  return rl_scale(total > 0.0 ? 1.0 / total : 0.0, centre);
}

// Returns the slot of node i of a rope; makes the node if there is none yet.
static uint32_t build_node(rl_builder *b, uint32_t index, size_t i, rl_vec3 centre,
                           uint32_t *next_node) {
  const rl_rope_definition *rope = &b->definition->ropes[index];
  if (i == rl_definition_nodes(rope)) { // round a loop, back to the first
    return b->ropes[index].ends[0];
  }
  const rl_vec3 velocity = node_velocity(rope, centre, b->pose[i], i);
  if (node_is_end(rope, i)) {
    return build_end(b, end_at(rope, i), next_node, b->node_masses[i], b->pose[i], velocity);
  }
  const uint32_t slot = (*next_node)++;
  rl_builder_set_point(b, slot, b->pose[i], b->node_masses[i], velocity);
  return slot;
}

static void build_nodes(rl_builder *b, uint32_t index) {
  rl_rope *out = &b->ropes[index];
  const rl_vec3 centre = spin_centre(b, &b->definition->ropes[index]);
  uint32_t next_node = b->first_node[index];
  uint32_t previous = 0;
  for (size_t i = 0; i <= out->link_count; i++) {
    const uint32_t slot = build_node(b, index, i, centre, &next_node);
    out->ends[i == 0 ? 0 : 1] = slot;
    if (i > 0) {
      const double rest = b->rest[i - 1];
      b->links[out->first_link + i - 1] = (rl_link){previous, slot, rest, rest / out->stiffness};
      b->link_rope[out->first_link + i - 1] = index;
    }
    previous = slot;
  }
  for (uint32_t i = out->link_count; i < out->link_capacity; i++) { // until there are such
    b->links[out->first_link + i] = b->links[out->first_link];
    b->link_rope[out->first_link + i] = index;
  }
  out->first_spare = next_node;
  for (uint32_t k = 0; k < out->spare_count;
       k++) { // until they are taken they stay where node 0 is
    rl_builder_set_point(b, next_node++, b->pose[0], 0.0, (rl_vec3){0.0, 0.0, 0.0});
  }
  for (uint32_t node = b->first_node[index]; node < next_node; node++) {
    b->node_rope[node] = index;
  }
}

static void build_surroundings(rl_builder *b, uint32_t index) {
  const rl_definition *d = b->definition;
  const rl_rope_definition *rope = &d->ropes[index];
  uint32_t eye = b->ropes[index].first_eye;
  for (size_t k = 0; k < rope->waypoint_count; k++) {
    const rl_waypoint *waypoint = &rope->waypoints[k];
    if (rope->segments > 0 && !waypoint->is_eye) {
      continue;
    }
    b->eyes[eye] = waypoint->body == RL_NONE
                       ? (rl_vertex){RL_NONE, waypoint->at}
                       : (rl_vertex){rl_body_slot(b->model, waypoint->body), waypoint->at};
    b->eye_frictions[eye] = waypoint->is_eye ? rl_definition_eye_friction(d, rope, waypoint) : 0.0;
    eye++;
  }
  for (uint32_t k = 0; k < d->body_count; k++) {
    b->touches[(size_t)index * d->body_count + k] = rl_definition_touches(d, rope, k);
    b->frictions[(size_t)index * d->body_count + k] =
        rl_pair_friction(rope->friction, d->bodies[k].friction);
  }
}

// Sets the positions of joined ends, which are known once the other ropes are built; then the
// length of this one can be checked.
static bool resolve_joints(rl_builder *b, uint32_t index, rl_fault *fault) {
  rl_end *ends[2] = {&b->copies[index].from, &b->copies[index].to};
  bool joined = false;
  for (size_t k = 0; k < 2; k++) {
    if (ends[k]->kind == RL_END_NODE) {
      joined = true;
      ends[k]->at = rl_position(&b->points[joined_slot(b, ends[k])]);
    }
  }
  return !joined || b->ropes[index].wrap_capacity > 0 ||
         rl_definition_check_length(b->definition, index, fault);
}

static void build_clamps(rl_builder *b, const rl_rope_definition *rope, rl_rope *out) {
  const rl_end *ends[2] = {&rope->from, &rope->to};
  for (size_t k = 0; k < 2; k++) {
    const bool on_body = ends[k]->kind == RL_END_BODY;
    out->clamps[k] = rl_unit(ends[k]->clamp);
    out->clamp_bodies[k] = on_body ? ends[k]->body : RL_NONE;
  }
  if (rope->bending > 0.0) {
    out->first_flexure = b->model->flexure_count;
    b->model->flexure_count += out->link_capacity + 1;
  }
}

// Finds the element that runs through each eye at the start: the one whose path through the eye is
// shortest, relative to its rest length, behind those of the eyes before.
static bool thread_eyes(rl_builder *b, uint32_t index, rl_fault *fault) {
  const rl_rope_definition *rope = &b->definition->ropes[index];
  const rl_rope *out = &b->ropes[index];
  uint32_t eye = out->first_eye, from = 0;
  for (size_t k = 0; k < rope->waypoint_count && out->ring_count > 0; k++) {
    if (!rope->waypoints[k].is_eye) {
      continue;
    }
    const rl_vec3 at = rl_definition_eye(b->definition, &rope->waypoints[k]);
    double least = INFINITY;
    for (uint32_t i = from; i < out->link_count; i++) {
      const double way = rl_distance(b->pose[i], at) + rl_distance(at, b->pose[i + 1]);
      if (way / b->rest[i] < least) {
        least = way / b->rest[i];
        from = i;
      }
    }
    if (least > 1.0 + RL_START_TOLERANCE && isnan(rope->stiffness)) {
      return rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, index, "points",
                          "no element of the rope reaches through the eye at [%.6g, %.6g, %.6g] m: "
                          "the nearest is %.3g of its length away; expected points along its way",
                          at.x, at.y, at.z, least - 1.0);
    }
    b->eye_elements[eye++] = from;
  }
  return true;
}

static bool build_rope(rl_builder *b, uint32_t index, rl_fault *fault) {
  if (!resolve_joints(b, index, fault) || !rl_build_path(b, index, fault)) {
    return false;
  }
  const rl_rope_definition *rope = &b->definition->ropes[index];
  rl_rope *out = &b->ropes[index];
  const bool wraps = out->wrap_capacity > 0; // then its length is known once all ropes are built
  const double length = wraps ? 1.0 : rl_definition_length(b->definition, rope);
  out->name = rl_builder_copy_name(b, rope->name);
  out->massless = rope->segments == 0;
  out->closed = rope->closed;
  out->compression = rope->compression;
  out->stiffness = isnan(rope->stiffness) ? INFINITY : rope->stiffness;
  out->damping = rope->damping;
  out->damping_ratio = rope->damping_ratio;
  out->bending = rope->bending;
  build_clamps(b, rope, out);
  out->radius = rope->radius;
  out->length = length;
  out->stops_run = rope->pool_exhausted == RL_EXHAUSTED_STOP;
  out->drag = rope->drag;
  out->drag_per_length = rope->drag_per_length;
  if (!shape_rope(b, index, length, fault)) {
    return false;
  }
  out->end_masses[0] = b->node_masses[0];
  out->end_masses[1] = b->node_masses[out->link_count];
  out->density = out->massless ? 0.0 : rope->mass / length;
  if (!thread_eyes(b, index, fault)) {
    return false;
  }
  build_nodes(b, index);
  build_drags(b, rope, out);
  build_surroundings(b, index);
  return true;
}

void rl_build_strengths(rl_builder *b) {
  for (uint32_t i = 0; i < b->model->rope_count && rl_definition_tears(b->definition); i++) {
    const rl_rope_definition *rope = &b->definition->ropes[i];
    rl_rope *out = &b->ropes[i];
    out->tears = !isnan(rope->break_tension) || rope->break_tensions;
    for (uint32_t k = 0; k < out->link_capacity; k++) {
      b->strengths[out->first_link + k] = !out->tears            ? INFINITY
                                          : rope->break_tensions ? rope->break_tensions[k]
                                                                 : rope->break_tension;
    }
  }
}

// Assigns the indices of nodes, elements, eyes and wraps of each rope in the arrays of the model.
static void place_ropes(rl_builder *b) {
  uint32_t node = 0, link = 0, eye = 0, wrap = 0, spare = 0;
  for (uint32_t i = 0; i < b->model->rope_count; i++) {
    const rl_rope_definition *rope = &b->definition->ropes[i];
    b->first_node[i] = node;
    b->ropes[i] =
        (rl_rope){.first_link = link,
                  .link_count = (uint32_t)rl_definition_elements(rope),
                  .link_capacity = (uint32_t)rl_definition_most_elements(b->definition, i),
                  .first_eye = eye,
                  .eye_count = rope->segments > 0 ? 0 : (uint32_t)rope->waypoint_count,
                  .ring_count = (uint32_t)rl_definition_rings(rope),
                  .first_wrap = wrap,
                  .spare_count = (uint32_t)rl_definition_spares(b->definition, i),
                  .first_in_pool = spare,
                  .is_reeled = rl_definition_is_reeled(b->definition, i),
                  .is_fed = rl_definition_is_fed(b->definition, i),
                  .rope_collide = rope->rope_collide,
                  .friction = rope->friction,
                  .wrap_capacity = rl_definition_wrap_capacity(b->definition, rope),
                  .rubs = rl_definition_rubs(b->definition, rope)};
    wrap += b->ropes[i].wrap_capacity;
    spare += b->ropes[i].spare_count + (b->ropes[i].is_fed ? b->ropes[i].link_count : 0);
    node += (uint32_t)rl_builder_own_nodes(rope) + b->ropes[i].spare_count;
    link += b->ropes[i].link_capacity;
    eye += b->ropes[i].eye_count + b->ropes[i].ring_count;
  }
}

// Whether the ropes to which the ends of a rope are joined are built.
static bool can_build(const rl_builder *b, uint32_t index) {
  const rl_end *ends[2] = {&b->definition->ropes[index].from, &b->definition->ropes[index].to};
  for (size_t k = 0; k < 2; k++) {
    if (ends[k]->kind == RL_END_NODE && !b->built[ends[k]->rope]) {
      return false;
    }
  }
  return true;
}

bool rl_build_ropes(rl_builder *b, rl_fault *fault) {
  place_ropes(b);
  const uint32_t count = b->model->rope_count;
  uint32_t done = 0, waiting = 0;
  for (bool progress = true; progress && done < count;) {
    progress = false;
    for (uint32_t i = 0; i < count; i++) {
      if (b->built[i] || !can_build(b, i)) {
        waiting = b->built[i] ? waiting : i;
        continue;
      }
      if (!build_rope(b, i, fault)) {
        return false;
      }
      b->built[i] = progress = true;
      done++;
    }
  }
  return done == count ||
         rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, waiting,
                      b->definition->ropes[waiting].from.kind == RL_END_NODE ? "from" : "to",
                      "ropes are joined to each other in a circle; expected one to begin with");
}

// Sets the rest length of a rope that was laid, from the length of its path.
static bool resolve_length(rl_builder *b, uint32_t index, double way, rl_fault *fault) {
  const rl_rope_definition *rope = &b->definition->ropes[index];
  const double length = isnan(rope->length) ? way + rope->slack : rope->length;
  if (!rl_definition_check_rest(rope, index, length, fault)) {
    return false;
  }
  if (isnan(rope->stiffness) && way > length * (1.0 + 1e-9)) {
    return rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, index,
                        isnan(rope->length) ? "slack" : "length",
                        "the rope is %.6g m long, shorter than its way of %.6g m; expected at "
                        "least that, or a stiffness",
                        length, way);
  }
  rl_rope *out = &b->ropes[index];
  out->length = length;
  rl_link *link = &b->links[out->first_link];
  link->rest = length;
  link->compliance = length / out->stiffness;
  return true;
}

static bool build_wraps(rl_builder *b, rl_state *state, uint32_t index, rl_fault *fault) {
  rl_rope *out = &b->ropes[index];
  const double way = rl_wraps_lay(b->model, b->definition, state, index, fault);
  if (isnan(way) || !resolve_length(b, index, way, fault)) {
    return false;
  }
  rl_wraps_share_rest(b->model, state, index, out->length);
  if (out->closed) {
    b->seams[index] = state->seams[index];
    rl_builder_set_point(b, out->ends[0], state->seams[index], 0.0, (rl_vec3){0.0, 0.0, 0.0});
  }
  out->wrap_count = state->wrap_counts[index];
  memcpy(&b->wraps[out->first_wrap], &state->wraps[out->first_wrap],
         out->wrap_count * sizeof(rl_wrap));
  return true;
}

bool rl_build_wraps(rl_builder *b, rl_fault *fault) {
  if (b->model->wrap_capacity == 0) {
    return true;
  }
  rl_state *state = rl_state_create(b->model);
  bool done =
      state || rl_fault_set(fault, RL_FAULT_MEMORY, RL_NONE, RL_NONE, NULL, "out of memory");
  for (uint32_t i = 0; i < b->model->rope_count && done; i++) {
    done = b->ropes[i].wrap_capacity == 0 || build_wraps(b, state, i, fault);
  }
  rl_state_free(state);
  return done;
}
