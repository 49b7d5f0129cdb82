// SPDX-License-Identifier: GPL-3.0-or-later
#include "model.h"

#include "memory.h"
#include "model_check.h"
#include "pose.h"
#include "shape_hull.h"
#include "trigonometry.h"

#include <string.h>

rl_body_definition rl_body_defaults(void) {
  return (rl_body_definition){.motion = RL_FREE,
                              .mass = NAN,
                              .inertia = {NAN, NAN, NAN},
                              .friction = NAN,
                              .collide = true,
                              .rope_collide = true};
}

rl_rope_definition rl_rope_defaults(void) {
  return (rl_rope_definition){.from = {.kind = RL_END_POINT, .body = RL_NONE, .rope = RL_NONE},
                              .to = {.kind = RL_END_POINT, .body = RL_NONE, .rope = RL_NONE},
                              .length = NAN,
                              .stiffness = NAN,
                              .friction = NAN,
                              .break_tension = NAN,
                              .pivot = {NAN, NAN, NAN}};
}

const char *rl_capability_name(uint32_t bit) {
  switch (bit) {
  case RL_CAN_CHAINS:
    return "ropes";
  case RL_CAN_SPANS:
    return "ropes over eyes or tied beside the centre of a body";
  case RL_CAN_TOUCH:
    return "contact of ropes with bodies";
  case RL_CAN_ELASTIC:
    return "elastic ropes (stiffness)";
  case RL_CAN_JOINTS:
    return "ropes joined in a node";
  case RL_CAN_FRICTION:
    return "friction";
  case RL_CAN_DRAG:
    return "drag";
  case RL_CAN_COMPRESSION:
    return "ropes that resist compression";
  case RL_CAN_LOADS:
    return "bodies that move freely";
  case RL_CAN_SPACE:
    return "motion out of the x-y plane or gravity not along y";
  case RL_CAN_GROUND:
    return "level ground under ropes";
  default:
    return "an unknown feature";
  }
}

// The model with writable arrays, while it is being made.
typedef struct builder {
  const rl_definition *definition;
  rl_model *model;
  rl_body *bodies;
  rl_part *parts;
  rl_face *faces;
  uint16_t *corners;
  rl_vec3 *hull_points;
  rl_drive_key *keys;
  rl_rope *ropes;
  rl_vertex *eyes;
  rl_hold *holds;
  rl_point *points;
  double *masses;
  rl_vec3 *velocities;
  double *drags;
  rl_link *links;
  uint32_t *link_rope;
  uint32_t *node_rope;
  uint8_t *touches;
  double *frictions;
  char *names;
  size_t name_bytes, part_count, hull_point_count, key_count;
  // Scratch of the longest rope: rest lengths, positions, masses of its nodes.
  double *rest;
  rl_vec3 *pose;
  double *node_masses;
  size_t longest;
  // Scratch of the ropes: copies whose joined ends get their places as these become known, the
  // first own node of each, and which are built.
  rl_rope_definition *copies;
  uint32_t *first_node;
  bool *built;
} builder;

// Elements of a rope; a massless one has a single element, which is its whole span.
static size_t element_count(const rl_rope_definition *rope) {
  return rope->segments > 0 ? rope->segments : 1;
}

// A free end, or one that shares a node with another rope, has mass.
static bool end_moves(const rl_end *end) {
  return end->kind == RL_END_FREE || end->kind == RL_END_NODE;
}

// An end that is tied to the centre of a body needs no node of its own.
static bool end_is_centre(const rl_end *end) {
  return end->kind == RL_END_BODY && end->at.x == 0.0 && end->at.y == 0.0 && end->at.z == 0.0;
}

static bool end_is_shared(const rl_end *end) {
  return end_is_centre(end) || end->kind == RL_END_NODE;
}

static size_t own_node_count(const rl_rope_definition *rope) {
  return element_count(rope) + 1 - (end_is_shared(&rope->from) ? 1 : 0) -
         (end_is_shared(&rope->to) ? 1 : 0);
}

static size_t name_size(const char *name) { return name ? strlen(name) + 1 : 0; }

// Counts everything; false when the numbers do not fit.
static bool count_all(builder *b) {
  const rl_definition *d = b->definition;
  uint64_t nodes = 0, links = 0, eyes = 0, holds = 0, contacts = 0;
  for (size_t i = 0; i < d->body_count; i++) {
    b->part_count += d->bodies[i].part_count;
    b->key_count += d->bodies[i].drive_count;
    b->name_bytes += name_size(d->bodies[i].name);
    for (size_t k = 0; k < d->bodies[i].part_count; k++) {
      const rl_part_definition *part = &d->bodies[i].parts[k];
      b->name_bytes += name_size(part->name);
      b->hull_point_count += part->shape == RL_HULL ? part->point_count : 0;
    }
  }
  for (size_t i = 0; i < d->rope_count; i++) {
    const rl_rope_definition *rope = &d->ropes[i];
    nodes += own_node_count(rope);
    links += element_count(rope);
    eyes += rope->way_count;
    holds += (rope->from.kind == RL_END_BODY ? 1U : 0U) + (rope->to.kind == RL_END_BODY ? 1U : 0U);
    b->longest = element_count(rope) > b->longest ? element_count(rope) : b->longest;
    b->name_bytes += name_size(rope->name);
    for (uint32_t k = 0; k < d->body_count; k++) {
      if (rope->segments > 0 && rl_definition_touches(d, rope, k)) {
        contacts += (2 * rope->segments + 1) * d->bodies[k].part_count; // nodes and elements
      }
    }
  }
  const uint64_t rows = contacts + 2 * d->rope_count;
  const uint64_t vertices = 3 * contacts + 2 * d->rope_count * 2 + eyes;
  if (nodes + d->body_count >= RL_NONE || links + contacts >= RL_NONE || vertices >= RL_NONE) {
    return false;
  }
  rl_model *m = b->model;
  m->body_count = (uint32_t)d->body_count;
  m->rope_count = (uint32_t)d->rope_count;
  m->node_count = (uint32_t)nodes;
  m->link_count = (uint32_t)links;
  m->eye_count = (uint32_t)eyes;
  m->hold_count = (uint32_t)holds;
  m->slot_count = m->node_count + m->body_count;
  m->contact_capacity = (uint32_t)contacts;
  m->row_capacity = (uint32_t)rows;
  m->vertex_capacity = (uint32_t)vertices;
  return true;
}

static void lay_out(builder *b, rl_carver *c) {
  const rl_model *m = b->model;
  b->bodies = rl_carve(c, m->body_count, sizeof(rl_body));
  b->parts = rl_carve(c, b->part_count, sizeof(rl_part));
  b->faces = rl_carve(c, RL_HULL_FACES(b->hull_point_count), sizeof(rl_face));
  b->corners = rl_carve(c, RL_HULL_CORNERS(b->hull_point_count), sizeof(uint16_t));
  b->hull_points = rl_carve(c, b->hull_point_count, sizeof(rl_vec3));
  b->keys = rl_carve(c, b->key_count, sizeof(rl_drive_key));
  b->ropes = rl_carve(c, m->rope_count, sizeof(rl_rope));
  b->eyes = rl_carve(c, m->eye_count, sizeof(rl_vertex));
  b->holds = rl_carve(c, m->hold_count, sizeof(rl_hold));
  b->points = rl_carve(c, m->slot_count, sizeof(rl_point));
  b->masses = rl_carve(c, m->slot_count, sizeof(double));
  b->velocities = rl_carve(c, m->slot_count, sizeof(rl_vec3));
  b->drags = rl_carve(c, m->slot_count, sizeof(double));
  b->links = rl_carve(c, m->link_count, sizeof(rl_link));
  b->link_rope = rl_carve(c, m->link_count, sizeof(uint32_t));
  b->node_rope = rl_carve(c, m->node_count, sizeof(uint32_t));
  b->touches = rl_carve(c, (size_t)m->rope_count * m->body_count, 1);
  b->frictions = rl_carve(c, (size_t)m->rope_count * m->body_count, sizeof(double));
  b->names = rl_carve(c, b->name_bytes, 1);
}

static const char *copy_name(builder *b, const char *name) {
  if (!name) {
    return NULL;
  }
  char *copy = b->names;
  memcpy(copy, name, name_size(name));
  b->names += name_size(name);
  return copy;
}

static void set_point(builder *b, uint32_t slot, rl_vec3 position, double mass, rl_vec3 velocity) {
  b->points[slot] = (rl_point){position.x, position.y, position.z, mass > 0.0 ? 1.0 / mass : 0.0};
  b->masses[slot] = mass;
  b->velocities[slot] = velocity;
}

// The faces of a hull, which the check has found to have some, and its points.
static void build_hull(builder *b, const rl_part_definition *d, rl_part *part) {
  rl_hull hull;
  char message[256];
  rl_hull_build(d->point_count, d->points, &hull, message, sizeof message);
  memcpy(b->faces, hull.faces, hull.face_count * sizeof(rl_face));
  memcpy(b->corners, hull.corners, hull.corner_count * sizeof(uint16_t));
  memcpy(b->hull_points, d->points, d->point_count * sizeof(rl_vec3));
  part->face_count = hull.face_count;
  part->point_count = (uint32_t)d->point_count;
  part->faces = b->faces;
  part->corners = b->corners;
  part->points = b->hull_points;
  b->faces += hull.face_count;
  b->corners += hull.corner_count;
  b->hull_points += d->point_count;
}

static rl_part build_part(builder *b, const rl_part_definition *d) {
  rl_part part = rl_part_from_definition(d);
  part.name = copy_name(b, d->name);
  if (d->shape == RL_HULL) {
    build_hull(b, d, &part);
  }
  part.bound = rl_shape_bound(&part);
  return part;
}

static void build_body(builder *b, uint32_t i) {
  const rl_body_definition *d = &b->definition->bodies[i];
  rl_body *body = &b->bodies[i];
  *body = (rl_body){.name = copy_name(b, d->name),
                    .motion = d->motion,
                    .mass = d->mass,
                    .position = d->position,
                    .rotation = rl_quat_from_vector(d->rotation),
                    .velocity = d->velocity,
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
  const rl_vec3 start = d->drive_count > 0 ? rl_drive_position(body, 0.0) : d->position;
  set_point(b, rl_body_slot(b->model, i), start, d->motion == RL_FREE ? d->mass : 0.0, d->velocity);
}

// The mass that each node of the rope would have if it were free.
static void lump_masses(const rl_rope_definition *rope, const double *rest, double length,
                        double *masses) {
  const size_t count = rope->segments;
  if (rope->node_masses) {
    memcpy(masses, rope->node_masses, (count + 1) * sizeof(double));
    return;
  }
  const size_t movable =
      count - 1 + (end_moves(&rope->from) ? 1 : 0) + (end_moves(&rope->to) ? 1 : 0);
  memset(masses, 0, (count + 1) * sizeof(double));
  for (size_t i = 0; i < count; i++) {
    if (rope->lumping == RL_LUMP_HALF) {
      const double half = 0.5 * rope->mass * (rest[i] / length);
      masses[i] += half;
      masses[i + 1] += half;
    }
  }
  if (rope->lumping == RL_LUMP_EQUAL) {
    for (size_t i = 0; i <= count; i++) {
      masses[i] = rope->mass / (double)(movable > 0 ? movable : 1);
    }
  }
}

static bool pose_nodes(const builder *b, uint32_t index, rl_fault *fault) {
  const rl_definition *d = b->definition;
  const rl_rope_definition *rope = &d->ropes[index];
  const size_t count = element_count(rope);
  const rl_vec3 from = rl_definition_end(d, &rope->from);
  const rl_vec3 to = rl_definition_end(d, &rope->to);
  switch (rope->pose) {
  case RL_POSE_STRAIGHT:
    rl_pose_straight(count, b->rest, from, to, b->pose);
    break;
  case RL_POSE_POINTS:
    if (rope->point_count == count + 1) {
      memcpy(b->pose, rope->points, (count + 1) * sizeof(rl_vec3));
    } else {
      rl_pose_polyline(count, b->rest, rope->point_count, rope->points, b->pose);
    }
    b->pose[0] = from;
    b->pose[count] = to;
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

// Velocity of each node: the common one and the spin about the mass centre or the pivot.
static rl_vec3 node_velocity(const rl_rope_definition *rope, rl_vec3 centre, rl_vec3 at, size_t i) {
  if (rope->velocities) {
    return rope->velocities[i];
  }
  return rl_add(rope->velocity, rl_cross(rope->spin, rl_sub(at, centre)));
}

// The slot of the node of another rope, built before, that an end is joined to.
static uint32_t joined_slot(const builder *b, const rl_end *end) {
  const rl_rope *other = &b->ropes[end->rope];
  const uint32_t count = other->link_count;
  const uint32_t node =
      end->node < 0 ? (uint32_t)((int64_t)count + 1 + end->node) : (uint32_t)end->node;
  const rl_link *links = &b->links[other->first_link];
  return node == 0 ? links[0].a : links[node - 1].b;
}

// The slot of an end of the rope, making the node if it needs one of its own.
static uint32_t build_end(builder *b, const rl_end *end, uint32_t *next_node, double mass,
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
    b->holds[b->model->hold_count++] =
        (rl_hold){slot, end->body, rl_rotate(body->rotation, end->at)};
    velocity = body->velocity;
  } else if (end->kind == RL_END_POINT) {
    velocity = (rl_vec3){0.0, 0.0, 0.0};
  }
  set_point(b, slot, position, end->kind == RL_END_FREE ? mass : 0.0, velocity);
  return slot;
}

// Drag of each node that moves by itself: as given, or half of each element beside it.
static void build_drags(builder *b, const rl_rope_definition *rope, const rl_rope *out) {
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

// Rest lengths, masses and positions of the rope's nodes, into the scratch arrays.
static bool shape_rope(builder *b, uint32_t index, double length, rl_fault *fault) {
  const rl_rope_definition *rope = &b->definition->ropes[index];
  const size_t count = element_count(rope);
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

// What the rope spins about: its pivot, or the mass centre of the nodes that move with it.
static rl_vec3 spin_centre(const builder *b, const rl_rope_definition *rope) {
  if (!isnan(rope->pivot.x)) {
    return rope->pivot;
  }
  const size_t count = element_count(rope);
  rl_vec3 centre = {0.0, 0.0, 0.0};
  double total = 0.0;
  for (size_t i = 0; i <= count; i++) {
    const bool held =
        (i == 0 && rope->from.kind != RL_END_FREE) || (i == count && rope->to.kind != RL_END_FREE);
    const double mass = held ? 0.0 : b->node_masses[i];
    centre = rl_add_scaled(centre, mass, b->pose[i]);
    total += mass;
  }
  return rl_scale(total > 0.0 ? 1.0 / total : 0.0, centre);
}

static void build_nodes(builder *b, uint32_t index) {
  const rl_rope_definition *rope = &b->definition->ropes[index];
  rl_rope *out = &b->ropes[index];
  const rl_vec3 centre = spin_centre(b, rope);
  uint32_t next_node = b->first_node[index];
  uint32_t previous = 0;
  for (size_t i = 0; i <= out->link_count; i++) {
    const rl_vec3 velocity = node_velocity(rope, centre, b->pose[i], i);
    uint32_t slot;
    if (i == 0 || i == out->link_count) {
      slot = build_end(b, i == 0 ? &rope->from : &rope->to, &next_node, b->node_masses[i],
                       b->pose[i], velocity);
      out->ends[i == 0 ? 0 : 1] = slot;
    } else {
      slot = next_node++;
      set_point(b, slot, b->pose[i], b->node_masses[i], velocity);
    }
    if (i > 0) {
      const double rest = b->rest[i - 1];
      b->links[out->first_link + i - 1] = (rl_link){previous, slot, rest, rest / out->stiffness};
      b->link_rope[out->first_link + i - 1] = index;
    }
    previous = slot;
  }
  for (uint32_t node = b->first_node[index]; node < next_node; node++) {
    b->node_rope[node] = index;
  }
}

static void build_surroundings(builder *b, uint32_t index) {
  const rl_definition *d = b->definition;
  const rl_rope_definition *rope = &d->ropes[index];
  for (size_t k = 0; k < rope->way_count; k++) {
    const rl_way *way = &rope->ways[k];
    b->eyes[b->ropes[index].first_eye + k] =
        way->body == RL_NONE ? (rl_vertex){RL_NONE, way->at}
                             : (rl_vertex){rl_body_slot(b->model, way->body),
                                           rl_rotate(b->bodies[way->body].rotation, way->at)};
  }
  for (uint32_t k = 0; k < d->body_count; k++) {
    b->touches[(size_t)index * d->body_count + k] = rl_definition_touches(d, rope, k);
    b->frictions[(size_t)index * d->body_count + k] =
        rl_pair_friction(rope->friction, d->bodies[k].friction);
  }
}

// A joined end has the place of its joint, which is known once the other rope is built; only then
// can the length of this one be checked.
static bool resolve_joints(builder *b, uint32_t index, rl_fault *fault) {
  rl_end *ends[2] = {&b->copies[index].from, &b->copies[index].to};
  bool joined = false;
  for (size_t k = 0; k < 2; k++) {
    if (ends[k]->kind == RL_END_NODE) {
      joined = true;
      ends[k]->at = rl_position(&b->points[joined_slot(b, ends[k])]);
    }
  }
  return !joined || rl_definition_check_length(b->definition, index, fault);
}

static bool build_rope(builder *b, uint32_t index, rl_fault *fault) {
  if (!resolve_joints(b, index, fault)) {
    return false;
  }
  const rl_rope_definition *rope = &b->definition->ropes[index];
  const double length = rl_definition_length(b->definition, rope);
  rl_rope *out = &b->ropes[index];
  out->name = copy_name(b, rope->name);
  out->massless = rope->segments == 0;
  out->compression = rope->compression;
  out->stiffness = isnan(rope->stiffness) ? INFINITY : rope->stiffness;
  out->damping = rope->damping;
  out->damping_ratio = rope->damping_ratio;
  out->radius = rope->radius;
  out->length = length;
  if (!shape_rope(b, index, length, fault)) {
    return false;
  }
  build_nodes(b, index);
  build_drags(b, rope, out);
  build_surroundings(b, index);
  return true;
}

// Where each rope's nodes, elements and eyes stand among the model's.
static void place_ropes(builder *b) {
  uint32_t node = 0, link = 0, eye = 0;
  for (uint32_t i = 0; i < b->model->rope_count; i++) {
    const rl_rope_definition *rope = &b->definition->ropes[i];
    b->first_node[i] = node;
    b->ropes[i] = (rl_rope){.first_link = link,
                            .link_count = (uint32_t)element_count(rope),
                            .first_eye = eye,
                            .eye_count = (uint32_t)rope->way_count};
    node += (uint32_t)own_node_count(rope);
    link += b->ropes[i].link_count;
    eye += b->ropes[i].eye_count;
  }
}

// A rope waits for those that its ends are joined to.
static bool can_build(const builder *b, uint32_t index) {
  const rl_end *ends[2] = {&b->definition->ropes[index].from, &b->definition->ropes[index].to};
  for (size_t k = 0; k < 2; k++) {
    if (ends[k]->kind == RL_END_NODE && !b->built[ends[k]->rope]) {
      return false;
    }
  }
  return true;
}

static bool build_ropes(builder *b, rl_fault *fault) {
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

// What it takes to touch a body: level ground is a plane with normal +y that does not move.
static uint32_t touch_capability(const rl_body *body) {
  uint32_t needed = 0;
  for (size_t k = 0; k < body->part_count; k++) {
    const rl_part *part = &body->parts[k];
    const rl_vec3 normal = rl_rotate(body->rotation, rl_rotate(part->rotation, part->normal));
    const bool ground =
        part->shape == RL_PLANE && body->motion == RL_FIXED && normal.x == 0.0 && normal.z == 0.0;
    needed |= ground && normal.y > 0.0 ? RL_CAN_GROUND : RL_CAN_TOUCH;
  }
  return needed;
}

// Whether something at the end of an element, or on its way there, leaves the plane z = const.
static bool leaves_plane(const rl_model *m, uint32_t slot, double z) {
  if (m->points[slot].z != z || m->velocities[slot].z != 0.0) {
    return true;
  }
  const rl_body *body = slot < m->node_count ? NULL : &m->bodies[slot - m->node_count];
  for (size_t k = 0; body && k < body->drive_count; k++) {
    if (body->drive[k].position.z != z) {
      return true;
    }
  }
  return false;
}

// What a solver must be able to do, and how large the scene is.
static void summarise(builder *b) {
  rl_model *m = b->model;
  m->capabilities |= RL_CAN_CHAINS;
  for (uint32_t i = 0; i < m->rope_count * m->body_count; i++) {
    const bool touches = m->touches[i] && !m->ropes[i / m->body_count].massless;
    m->capabilities |= touches ? touch_capability(&m->bodies[i % m->body_count]) : 0U;
    m->capabilities |= touches && m->frictions[i] > 0.0 ? RL_CAN_FRICTION : 0U;
  }
  for (uint32_t i = 0; i < m->body_count; i++) {
    m->capabilities |= m->bodies[i].motion == RL_FREE ? RL_CAN_LOADS : 0U;
  }
  bool planar = m->gravity.x == 0.0 && m->gravity.z == 0.0;
  for (uint32_t i = 0; i < m->link_count && planar; i++) {
    const rl_link *first = &m->links[m->ropes[m->link_rope[i]].first_link];
    const double z = m->points[first->a].z;
    planar = !leaves_plane(m, m->links[i].a, z) && !leaves_plane(m, m->links[i].b, z);
  }
  m->capabilities |= planar ? 0U : RL_CAN_SPACE;
  for (uint32_t i = 0; i < m->rope_count; i++) {
    const rl_rope *rope = &m->ropes[i];
    m->reach += rope->length;
    m->capabilities |= rope->eye_count > 0 ? RL_CAN_SPANS : 0U;
    m->capabilities |= isfinite(rope->stiffness) ? RL_CAN_ELASTIC : 0U;
    m->capabilities |= rope->compression ? RL_CAN_COMPRESSION : 0U;
  }
  for (uint32_t i = 0; i < m->hold_count; i++) {
    m->capabilities |= m->bodies[m->holds[i].body].motion == RL_FREE ? RL_CAN_SPANS : 0U;
  }
  for (uint32_t i = 1; i < m->slot_count; i++) {
    m->reach = fmax(m->reach, rl_distance(rl_position(&m->points[0]), rl_position(&m->points[i])));
  }
}

static bool build_all(builder *b, rl_fault *fault) {
  b->model->hold_count = 0; // counted again: only the ends beside a centre
  for (uint32_t i = 0; i < b->model->body_count; i++) {
    build_body(b, i);
  }
  place_ropes(b);
  if (!build_ropes(b, fault)) {
    return false;
  }
  summarise(b);
  return true;
}

static bool create_scratch(builder *b, const rl_definition *definition) {
  b->rest = calloc(b->longest + 1, sizeof *b->rest);
  b->pose = calloc(b->longest + 1, sizeof *b->pose);
  b->node_masses = calloc(b->longest + 1, sizeof *b->node_masses);
  b->copies = calloc(definition->rope_count + 1, sizeof *b->copies);
  b->first_node = calloc(definition->rope_count + 1, sizeof *b->first_node);
  b->built = calloc(definition->rope_count + 1, sizeof *b->built);
  if (!b->rest || !b->pose || !b->node_masses || !b->copies || !b->first_node || !b->built) {
    return false;
  }
  if (definition->rope_count > 0) {
    memcpy(b->copies, definition->ropes, definition->rope_count * sizeof *b->copies);
  }
  return true;
}

static void free_scratch(builder *b) {
  free(b->rest);
  free(b->pose);
  free(b->node_masses);
  free(b->copies);
  free(b->first_node);
  free(b->built);
}

// The model's view of the arrays that the builder writes.
static void show_arrays(const builder *b) {
  rl_model *model = b->model;
  model->gravity = b->definition->gravity;
  model->bodies = b->bodies;
  model->ropes = b->ropes;
  model->eyes = b->eyes;
  model->holds = b->holds;
  model->points = b->points;
  model->masses = b->masses;
  model->velocities = b->velocities;
  model->drags = b->drags;
  model->links = b->links;
  model->link_rope = b->link_rope;
  model->node_rope = b->node_rope;
  model->touches = b->touches;
  model->frictions = b->frictions;
}

rl_model *rl_model_create(const rl_definition *definition, rl_fault *fault) {
  *fault = (rl_fault){.kind = RL_FAULT_NONE, .body = RL_NONE, .rope = RL_NONE};
  if (!rl_definition_check(definition, fault)) {
    return NULL;
  }
  rl_model *model = calloc(1, sizeof *model);
  builder b = {.definition = definition, .model = model};
  if (!model || !count_all(&b)) {
    free(model);
    rl_fault_set(fault, RL_FAULT_MEMORY, RL_NONE, RL_NONE, NULL, "the scenario is too large");
    return NULL;
  }
  rl_carver counter = {0};
  lay_out(&b, &counter);
  char *block = rl_block_create(counter.used, &model->allocation);
  bool done = false;
  if (block && create_scratch(&b, definition)) {
    rl_definition resolved = *definition;
    resolved.ropes = b.copies;
    b.definition = &resolved;
    lay_out(&b, &(rl_carver){.block = block});
    show_arrays(&b);
    done = build_all(&b, fault);
  } else {
    rl_fault_set(fault, RL_FAULT_MEMORY, RL_NONE, RL_NONE, NULL, "out of memory");
  }
  free_scratch(&b);
  if (!done) {
    rl_model_free(model);
    return NULL;
  }
  return model;
}

void rl_model_free(rl_model *model) {
  if (model) {
    free(model->allocation);
    free(model);
  }
}

const rl_hold *rl_moving_hold(const rl_model *model, uint32_t slot) {
  for (uint32_t i = 0; slot < model->node_count && i < model->hold_count; i++) {
    const rl_hold *hold = &model->holds[i];
    if (hold->slot == slot) {
      return model->bodies[hold->body].motion == RL_FREE ? hold : NULL;
    }
  }
  return NULL;
}

rl_vec3 rl_drive_position(const rl_body *body, double t) {
  const rl_drive_key *keys = body->drive;
  size_t next = 0;
  while (next < body->drive_count && keys[next].time <= t) {
    next++;
  }
  if (next == 0) {
    return keys[0].position;
  }
  if (next == body->drive_count) {
    return keys[next - 1].position;
  }
  const rl_drive_key *a = &keys[next - 1];
  const rl_drive_key *b = &keys[next];
  return rl_add_scaled(a->position, (t - a->time) / (b->time - a->time),
                       rl_sub(b->position, a->position));
}
