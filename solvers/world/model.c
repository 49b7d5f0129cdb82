// SPDX-License-Identifier: GPL-3.0-or-later
#include "model.h"

#include "bodies/shape_hull.h"
#include "memory.h"
#include "model/model_builder.h"
#include "model/model_check.h"
#include "paths/wrap.h"
#include "ropes/rope_contact.h"
#include "rows.h"

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
                              .pool = RL_POOL_ENOUGH,
                              .pivot = {NAN, NAN, NAN}};
}

rl_waypoint rl_waypoint_defaults(void) {
  return (rl_waypoint){.body = RL_NONE, .part = RL_NONE, .side = {NAN, 0.0, 0.0}, .friction = NAN};
}

static const double gib = 1073741824.0; // bytes

// What all ropes and bodies come to; wider than the model's own numbers, which may not hold it.
typedef struct counts {
  uint64_t nodes, links, eyes, holds, contacts, wraps, splits, spares, entangled, rings, turning;
} counts;

static void count_body(rl_builder *b, uint32_t body, counts *n) {
  const rl_body_definition *d = &b->definition->bodies[body];
  b->part_count += d->part_count;
  b->key_count += d->drive_count;
  b->name_bytes += rl_builder_name_size(d->name);
  for (size_t k = 0; k < d->part_count; k++) {
    const rl_part_definition *part = &d->parts[k];
    b->name_bytes += rl_builder_name_size(part->name);
    b->hull_point_count += part->shape == RL_HULL ? part->point_count : 0;
  }
  n->turning += rl_definition_turns(b->definition, body) ? 1 : 0;
}

// Those that a node of a rope can have with a body, or an element.
static uint64_t count_contacts(const rl_body_definition *body, bool is_element) {
  uint64_t count = 0;
  for (size_t k = 0; k < body->part_count; k++) {
    count += rl_shape_contacts(body->parts[k].shape, is_element);
  }
  return count;
}

static void count_rope(rl_builder *b, uint32_t i, counts *n) {
  const rl_definition *d = b->definition;
  const rl_rope_definition *rope = &d->ropes[i];
  const uint64_t spares = rl_definition_spares(d, i);
  const uint64_t most_elements = rl_definition_most_elements(d, i);
  const uint32_t wraps = rl_definition_wrap_capacity(d, rope);
  b->name_bytes += rl_builder_name_size(rope->name);
  if (rl_definition_elements(rope) > b->longest) {
    b->longest = rl_definition_elements(rope);
    b->longest_rope = i;
  }
  if (wraps > b->model->path_capacity) {
    b->model->path_capacity = wraps;
  }
  n->nodes += rl_builder_own_nodes(rope) + spares;
  // Nodes that a winch takes in come to the pool as well.
  n->spares += spares + (rl_definition_is_fed(d, i) ? rope->segments : 0);
  n->links += most_elements;
  n->entangled += rope->rope_collide ? most_elements : 0;
  n->eyes += rope->segments > 0 ? rl_definition_rings(rope) : rope->waypoint_count;
  n->rings += rl_definition_rings(rope);
  n->holds += (rope->from.kind == RL_END_BODY ? 1U : 0U) + (rope->to.kind == RL_END_BODY ? 1U : 0U);
  n->wraps += wraps;
  n->splits += rl_definition_rubs(d, rope) ? wraps : 0;
  for (uint32_t k = 0; k < d->body_count; k++) {
    if (rope->segments > 0 && rl_definition_touches(d, rope, k)) {
      n->contacts += (rl_definition_nodes(rope) + spares) * count_contacts(&d->bodies[k], false) +
                     most_elements * count_contacts(&d->bodies[k], true);
    }
  }
}

// What there is at all, so that steps can leave out what there is not.
static void note_features(rl_model *m, const rl_definition *d) {
  for (size_t i = 0; i < d->rope_count; i++) {
    const rl_rope_definition *rope = &d->ropes[i];
    m->has_rings = m->has_rings || rl_definition_rings(rope) > 0;
    m->rings_rub = m->rings_rub || rl_definition_rings_rub(d, rope);
    m->has_belts = m->has_belts || (rope->closed && rope->segments == 0);
    m->ropes_rub = m->ropes_rub || (rope->segments > 0 && rl_definition_rubs_on_bodies(d, rope));
    m->has_drag = m->has_drag || rope->drag > 0.0 || rope->drag_per_length > 0.0;
  }
  for (size_t i = 0; i < d->event_count; i++) {
    const bool winch = d->events[i].kind == RL_EVENT_WINCH;
    m->is_reeled = m->is_reeled || winch;
    m->is_fed = m->is_fed || (winch && rl_definition_is_fed(d, d->events[i].rope));
    m->is_swiped = m->is_swiped || d->events[i].duration > 0.0;
    m->is_limited = m->is_limited || (winch && isfinite(d->events[i].max_tension));
  }
  m->topology_changes = m->is_fed || rl_definition_parts(d);
  m->is_pushed = rl_definition_is_pushed(d);
}

// Counts everything; false when the numbers do not fit.
static bool count_all(rl_builder *b, rl_fault *fault) {
  const rl_definition *d = b->definition;
  counts n = {0};
  for (uint32_t i = 0; i < d->body_count; i++) {
    count_body(b, i, &n);
  }
  for (uint32_t i = 0; i < d->rope_count; i++) {
    count_rope(b, i, &n);
  }
  uint64_t pairs, body_contacts;
  rl_builder_count_pairs(d, &pairs, &body_contacts);
  const uint64_t tangle = rl_tangle_capacity(n.entangled);
  n.contacts += body_contacts + tangle;
  // Of a rope the first element and the last can be general rows, those on winches and in eyes.
  const uint64_t spans = 2 * d->rope_count + d->event_count + n.rings;
  const uint64_t rows = n.contacts + spans + n.splits;
  const uint64_t vertices = 3 * n.contacts + tangle + 2 * spans + n.eyes + n.wraps + n.splits;
  // A spin beside each; of a plane that yields both strands have the entries of both.
  const uint64_t entries = (n.turning > 0 ? 2 : 1) * (vertices + 2 * n.splits);
  if (n.nodes + 2 * d->body_count >= RL_NONE || n.links + n.contacts + n.wraps >= RL_NONE ||
      entries >= RL_NONE) {
    return rl_fault_set(fault, RL_FAULT_MEMORY, RL_NONE, b->longest_rope, "segments",
                        "the scenario is too large: %.3g elements and %.3g possible contacts; "
                        "expected less than %.3g",
                        (double)n.links, (double)n.contacts, (double)RL_NONE / 6.0);
  }
  rl_model *m = b->model;
  m->body_count = (uint32_t)d->body_count;
  m->rope_count = (uint32_t)d->rope_count;
  m->part_count = (uint32_t)b->part_count;
  m->node_count = (uint32_t)n.nodes;
  m->link_count = (uint32_t)n.links;
  m->eye_count = (uint32_t)n.eyes;
  m->hold_count = (uint32_t)n.holds;
  m->place_count = m->node_count + m->body_count;
  m->slot_count = m->place_count + (uint32_t)n.turning;
  m->pair_count = (uint32_t)pairs;
  m->pool_capacity = (uint32_t)n.spares;
  m->event_count = (uint32_t)d->event_count;
  m->contact_capacity = (uint32_t)n.contacts;
  m->tangle_capacity = (uint32_t)tangle;
  m->tangle_count = (uint32_t)n.entangled;
  m->wrap_capacity = (uint32_t)n.wraps;
  m->split_capacity = (uint32_t)n.splits;
  m->row_capacity = (uint32_t)rows;
  m->vertex_capacity = (uint32_t)vertices;
  m->entry_capacity = (uint32_t)entries;
  note_features(m, d);
  return true;
}

// Places the arrays that the builder writes, most of which the model shows.
static void lay_out(rl_builder *b, rl_carver *c) {
  rl_model *m = b->model;
  m->bodies = b->bodies = rl_carve(c, m->body_count, sizeof(rl_body));
  b->parts = rl_carve(c, b->part_count, sizeof(rl_part));
  b->faces = rl_carve(c, RL_HULL_FACES(b->hull_point_count), sizeof(rl_face));
  b->corners = rl_carve(c, RL_HULL_CORNERS(b->hull_point_count), sizeof(uint16_t));
  b->twins = rl_carve(c, RL_HULL_CORNERS(b->hull_point_count), sizeof(uint32_t));
  b->hull_points = rl_carve(c, b->hull_point_count, sizeof(rl_vec3));
  b->keys = rl_carve(c, b->key_count, sizeof(rl_drive_key));
  m->ropes = b->ropes = rl_carve(c, m->rope_count, sizeof(rl_rope));
  m->eyes = b->eyes = rl_carve(c, m->eye_count, sizeof(rl_vertex));
  m->eye_frictions = b->eye_frictions = rl_carve(c, m->eye_count, sizeof(double));
  m->eye_elements = b->eye_elements = rl_carve(c, m->eye_count, sizeof(uint32_t));
  m->holds = b->holds = rl_carve(c, m->hold_count, sizeof(rl_hold));
  m->pairs = b->pairs = rl_carve(c, m->pair_count, sizeof(rl_pair));
  m->wraps = b->wraps = rl_carve(c, m->wrap_capacity, sizeof(rl_wrap));
  m->seams = b->seams = rl_carve(c, m->has_belts ? m->rope_count : 0, sizeof(rl_vec3));
  m->points = b->points = rl_carve(c, m->slot_count, sizeof(rl_point));
  m->masses = b->masses = rl_carve(c, m->slot_count, sizeof(double));
  m->velocities = b->velocities = rl_carve(c, m->slot_count, sizeof(rl_vec3));
  m->drags = b->drags = rl_carve(c, m->slot_count, sizeof(double));
  m->links = b->links = rl_carve(c, m->link_count, sizeof(rl_link));
  m->link_rope = b->link_rope = rl_carve(c, m->link_count, sizeof(uint32_t));
  m->node_rope = b->node_rope = rl_carve(c, m->node_count, sizeof(uint32_t));
  m->node_hold = b->node_hold = rl_carve(c, m->node_count, sizeof(uint32_t));
  m->events = b->events = rl_carve(c, m->event_count, sizeof(rl_event));
  if (rl_definition_tears(b->definition)) {
    m->strengths = b->strengths = rl_carve(c, m->link_count, sizeof(double));
  }
  m->touches = b->touches = rl_carve(c, (size_t)m->rope_count * m->body_count, 1);
  m->frictions = b->frictions = rl_carve(c, (size_t)m->rope_count * m->body_count, sizeof(double));
  b->names = rl_carve(c, b->name_bytes, 1);
}

static bool build_all(rl_builder *b, rl_fault *fault) {
  b->model->hold_count = 0; // counted again: only the ends beside a centre
  for (uint32_t i = 0; i < b->model->node_count; i++) {
    b->node_hold[i] = RL_NONE;
  }
  for (uint32_t i = 0; i < b->model->body_count; i++) {
    rl_build_body(b, i);
  }
  if (!rl_build_ropes(b, fault)) {
    return false;
  }
  rl_build_reach(b);
  if (!rl_build_wraps(b, fault)) {
    return false;
  }
  rl_build_pairs(b);
  rl_build_strengths(b);
  if (b->model->event_count > 0) {
    memcpy(b->events, b->definition->events, b->model->event_count * sizeof *b->events);
  }
  rl_build_summary(b);
  rl_build_fall(b);
  return true;
}

// What is asked for here and in rl_model_check_start: refused before it is taken if that is too
// much.
static bool check_memory(const rl_builder *b, rl_fault *fault) {
  const rl_model *m = b->model;
  const size_t scratch =
      (b->longest + 1) * (sizeof *b->rest + sizeof *b->pose + sizeof *b->node_masses);
  const size_t needed = m->bytes + scratch + rl_state_bytes(m) + rl_rows_bytes(m);
  const size_t there = b->definition->memory;
  b->model->memory = there == 0 ? SIZE_MAX : there > needed ? there - needed : 0;
  return there == 0 || needed <= there ||
         rl_fault_set(fault, RL_FAULT_MEMORY, RL_NONE, b->longest_rope, "segments",
                      "the scenario needs %.3g GiB of memory and there are %.3g GiB: %u elements, "
                      "%u possible contacts",
                      (double)needed / gib, (double)there / gib, m->link_count,
                      m->contact_capacity);
}

static bool create_scratch(rl_builder *b, const rl_definition *definition) {
  b->rest = calloc(b->longest + 1, sizeof *b->rest);
  b->pose = calloc(b->longest + 1, sizeof *b->pose);
  b->node_masses = calloc(b->longest + 1, sizeof *b->node_masses);
  b->copies = calloc(definition->rope_count + 1, sizeof *b->copies);
  b->first_node = calloc(definition->rope_count + 1, sizeof *b->first_node);
  b->built = calloc(definition->rope_count + 1, sizeof *b->built);
  b->polylines = calloc(definition->rope_count + 1, sizeof *b->polylines);
  b->ways = calloc((size_t)b->model->place_count + 1, sizeof *b->ways);
  if (!b->ways || !b->polylines || !b->rest || !b->pose || !b->node_masses || !b->copies ||
      !b->first_node || !b->built) {
    return false;
  }
  if (definition->rope_count > 0) {
    memcpy(b->copies, definition->ropes, definition->rope_count * sizeof *b->copies);
  }
  return true;
}

static void free_scratch(rl_builder *b) {
  for (uint32_t i = 0; b->polylines && i < b->model->rope_count; i++) {
    free(b->polylines[i]);
  }
  free(b->polylines);
  free(b->ways);
  free(b->rest);
  free(b->pose);
  free(b->node_masses);
  free(b->copies);
  free(b->first_node);
  free(b->built);
}

static rl_model *create(const rl_definition *definition, rl_fault *fault) {
  rl_model *model = calloc(1, sizeof *model);
  rl_builder b = {.definition = definition, .model = model};
  if (!model) {
    rl_fault_set(fault, RL_FAULT_MEMORY, RL_NONE, RL_NONE, NULL, "out of memory");
    return NULL;
  }
  model->gravity = definition->gravity;
  rl_carver counter = {0};
  if (count_all(&b, fault)) {
    lay_out(&b, &counter);
    model->bytes = counter.used;
  }
  if (fault->kind != RL_FAULT_NONE || !check_memory(&b, fault)) {
    free(model);
    return NULL;
  }
  char *block = rl_block_create(model->bytes, &model->allocation);
  bool done = false;
  if (block && create_scratch(&b, definition)) {
    rl_definition resolved = *definition;
    resolved.ropes = b.copies;
    b.definition = &resolved;
    lay_out(&b, &(rl_carver){.block = block});
    done = build_all(&b, fault) && rl_model_check_start(model, &resolved, fault);
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

rl_model *rl_model_create(const rl_definition *definition, rl_fault *fault) {
  *fault = (rl_fault){.kind = RL_FAULT_NONE, .body = RL_NONE, .rope = RL_NONE};
  if (!rl_definition_check(definition, fault)) {
    return NULL;
  }
  // A body that will be let go is built as the free body that it becomes, and held until then.
  rl_body_definition *bodies = calloc(definition->body_count + 1, sizeof *bodies);
  if (!bodies) {
    rl_fault_set(fault, RL_FAULT_MEMORY, RL_NONE, RL_NONE, NULL, "out of memory");
    return NULL;
  }
  rl_definition released = *definition;
  released.bodies = bodies;
  for (size_t i = 0; i < definition->body_count; i++) {
    bodies[i] = definition->bodies[i];
    if (rl_definition_is_released(definition, (uint32_t)i)) {
      bodies[i].motion = RL_FREE;
    }
  }
  rl_model *model =
      rl_definition_check_inertia(&released, fault) && rl_definition_check_support(&released, fault)
          ? create(&released, fault)
          : NULL;
  free(bodies);
  return model;
}

void rl_model_free(rl_model *model) {
  if (model) {
    free(model->allocation);
    free(model);
  }
}

uint32_t rl_tied_body(const rl_model *model, uint32_t slot) {
  const rl_hold *hold = rl_hold_of(model, slot);
  return hold ? hold->body : rl_slot_body(model, slot) ? slot - model->node_count : RL_NONE;
}

rl_vec3 rl_drive_position(size_t count, const rl_drive_key *keys, double t) {
  size_t next = 0;
  while (next < count && keys[next].time <= t) {
    next++;
  }
  if (next == 0) {
    return keys[0].position;
  }
  if (next == count) {
    return keys[next - 1].position;
  }
  const rl_drive_key *a = &keys[next - 1];
  const rl_drive_key *b = &keys[next];
  return rl_add_scaled(a->position, (t - a->time) / (b->time - a->time),
                       rl_sub(b->position, a->position));
}
