// SPDX-License-Identifier: GPL-3.0-or-later
#include "body_contact.h"

#include "../model/definition.h"
#include "../model/model_builder.h"
#include "manifold.h"

// ---------------------------------------------------------------------------------------------
// Pairs

// Writes the pairs of parts of two bodies that can touch into a list unless that is NULL. Returns
// their number, and adds the number of contacts that they can have to `contacts`.
static size_t list_pairs(const rl_definition *d, uint32_t a, uint32_t b, rl_pair *list,
                         uint64_t *contacts) {
  const rl_body_definition *first = &d->bodies[a], *second = &d->bodies[b];
  const rl_pair pair = {.bodies = {a, b},
                        .friction = rl_pair_friction(first->friction, second->friction),
                        .restitution = fmax(first->restitution, second->restitution)};
  size_t count = 0;
  for (uint32_t i = 0; rl_definition_collide(d, a, b) && i < first->part_count; i++) {
    for (uint32_t k = 0; k < second->part_count; k++) {
      const uint32_t most = rl_manifold_capacity(first->parts[i].shape, second->parts[k].shape);
      if (list && most > 0) {
        list[count] = pair;
        list[count].parts[0] = i;
        list[count].parts[1] = k;
      }
      count += most > 0 ? 1 : 0;
      *contacts += most;
    }
  }
  return count;
}

void rl_builder_count_pairs(const rl_definition *d, uint64_t *pairs, uint64_t *contacts) {
  *pairs = *contacts = 0;
  for (uint32_t a = 0; a < d->body_count; a++) {
    for (uint32_t b = a + 1; b < d->body_count; b++) {
      *pairs += list_pairs(d, a, b, NULL, contacts);
    }
  }
}

void rl_build_pairs(rl_builder *builder) {
  const rl_definition *d = builder->definition;
  rl_pair *next = builder->pairs;
  uint64_t contacts = 0;
  for (uint32_t a = 0; a < d->body_count; a++) {
    for (uint32_t b = a + 1; b < d->body_count; b++) {
      next += list_pairs(d, a, b, next, &contacts);
    }
  }
}

static const rl_part *part_of(const rl_model *model, const rl_pair *pair, size_t i) {
  return &model->bodies[pair->bodies[i]].parts[pair->parts[i]];
}

const rl_part *rl_touched_part(const rl_model *model, const rl_contact *contact) {
  const rl_pair *pair = &model->pairs[contact->node];
  return part_of(model, pair, contact->body == pair->bodies[1] ? 1 : 0);
}

// ---------------------------------------------------------------------------------------------
// Detection

static rl_solid solid_of(const rl_model *model, const rl_state *state, const rl_pair *pair,
                         size_t i) {
  const rl_point *centre = &state->points[rl_body_slot(model, pair->bodies[i])];
  return (rl_solid){part_of(model, pair, i), rl_position(centre),
                    rl_body_rotation(model, state, state->points, pair->bodies[i])};
}

// Returns the most by which surfaces of a pair can approach each other, from how far their centres
// move `apart` and from the rotation vectors of both: rates [m/s], or displacements [m].
static double nearing(const rl_model *model, const rl_state *state, const rl_pair *pair,
                      double apart, rl_vec3 turn_a, rl_vec3 turn_b) {
  const rl_vec3 turns[2] = {turn_a, turn_b};
  const double distance =
      rl_distance(rl_position(&state->points[rl_body_slot(model, pair->bodies[0])]),
                  rl_position(&state->points[rl_body_slot(model, pair->bodies[1])]));
  for (size_t i = 0; i < 2; i++) {
    // Of a plane, which is unbounded, only the region near the other body counts.
    const rl_body *body = &model->bodies[pair->bodies[i]];
    const double arm = fmin(body->bound, distance + model->bodies[pair->bodies[1 - i]].bound);
    apart += rl_is_zero(turns[i]) ? 0.0 : rl_length(turns[i]) * arm;
  }
  return apart;
}

// Returns how far a pair may travel within dt [m]: 2 (|v| dt + |g| dt^2).
static double travel(const rl_model *model, const rl_state *state, const rl_pair *pair, double dt) {
  const uint32_t a = pair->bodies[0], b = pair->bodies[1];
  const double apart = rl_distance(state->velocities[rl_body_slot(model, a)],
                                   state->velocities[rl_body_slot(model, b)]);
  const double speed = nearing(model, state, pair, apart, rl_body_spin(model, state, a),
                               rl_body_spin(model, state, b));
  return 2.0 * dt * (speed + dt * rl_length(model->gravity));
}

// Whether the balls about two parts are farther apart than `reach`.
static bool are_far(const rl_solid *a, const rl_solid *b, double reach) {
  const rl_vec3 centre_a = rl_add(a->position, rl_rotate(a->rotation, a->part->at));
  const rl_vec3 centre_b = rl_add(b->position, rl_rotate(b->rotation, b->part->at));
  if (isinf(a->part->bound)) {
    return rl_shape_surface(a->part, a->position, a->rotation, centre_b).distance >
           b->part->bound + reach;
  }
  if (isinf(b->part->bound)) {
    return rl_shape_surface(b->part, b->position, b->rotation, centre_a).distance >
           a->part->bound + reach;
  }
  return rl_distance(centre_a, centre_b) > a->part->bound + b->part->bound + reach;
}

static size_t find_touches(const rl_model *model, const rl_state *state, const rl_pair *pair,
                           double reach, rl_touch touches[RL_TOUCHES]) {
  const rl_solid a = solid_of(model, state, pair, 0), b = solid_of(model, state, pair, 1);
  return are_far(&a, &b, reach) ? 0 : rl_manifold_find(&a, &b, reach, touches);
}

static rl_contact contact_of(const rl_model *model, uint32_t index, const rl_touch *touch) {
  const rl_pair *pair = &model->pairs[index];
  return (rl_contact){.rope = RL_NONE,
                      .node = index,
                      .slot = rl_body_slot(model, pair->bodies[touch->swapped ? 1 : 0]),
                      .next = RL_NONE,
                      .body = pair->bodies[touch->swapped ? 0 : 1],
                      .feature = touch->feature};
}

static rl_foot foot_of(const rl_model *model, const rl_state *state, const rl_contact *contact,
                       const rl_touch *touch) {
  const rl_body_pose first =
      rl_body_pose_at(model, state, state->points, contact->slot - model->node_count);
  const rl_body_pose second = rl_body_pose_at(model, state, state->points, contact->body);
  return (rl_foot){.point =
                       rl_rotate_inverse(second.rotation, rl_sub(touch->surface, second.centre)),
                   .normal = rl_rotate_inverse(second.rotation, touch->normal),
                   .rotation = second.rotation,
                   .core = rl_rotate_inverse(first.rotation, rl_sub(touch->core, first.centre)),
                   .axis = rl_rotate_inverse(first.rotation, touch->axis),
                   .radius = touch->radius};
}

// Whether a touch is before another in the order of contacts: by the body with the plane, then by
// feature.
static bool comes_before(const rl_pair *pair, const rl_touch *a, const rl_touch *b) {
  if (a->swapped != b->swapped) {
    return (pair->bodies[0] < pair->bodies[1]) == a->swapped;
  }
  return a->feature < b->feature;
}

static void sort_touches(const rl_pair *pair, rl_touch *touches, size_t count) {
  for (size_t i = 1; i < count; i++) {
    const rl_touch moved = touches[i];
    size_t k = i;
    for (; k > 0 && comes_before(pair, &moved, &touches[k - 1]); k--) {
      touches[k] = touches[k - 1];
    }
    touches[k] = moved;
  }
}

// (15) Returns what a depth [m] at the start of a step of dt keeps in it: it is pushed out no
// faster than the bodies have sunk in by their weight.
static double kept_depth(const rl_model *model, double depth, double dt) {
  return depth > 0.0 ? fmax(depth - dt * sqrt(2.0 * rl_length(model->gravity) * depth), 0.0) : 0.0;
}

void rl_detect_bodies(const rl_model *model, rl_state *state, rl_rows *rows, double dt) {
  for (uint32_t i = 0; i < model->pair_count; i++) {
    const rl_pair *pair = &model->pairs[i];
    rl_touch touches[RL_TOUCHES];
    const size_t count = find_touches(model, state, pair, travel(model, state, pair, dt), touches);
    sort_touches(pair, touches, count);
    for (size_t k = 0; k < count; k++) {
      const rl_contact contact = contact_of(model, i, &touches[k]);
      rl_foot *foot = rl_contact_add(model, state, rows, &contact);
      *foot = foot_of(model, state, &contact, &touches[k]);
      foot->kept_depth = rows->keeps_depth ? kept_depth(model, -touches[k].gap, dt) : 0.0;
    }
  }
}

// Returns the displacement of the centre of a body from one state to another [m].
static rl_vec3 displacement(const rl_model *model, const rl_state *then, const rl_state *now,
                            uint32_t body) {
  const uint32_t slot = rl_body_slot(model, body);
  return rl_sub(rl_position(&now->points[slot]), rl_position(&then->points[slot]));
}

// Returns twice the vector part of the quaternion of the turn of a body: no point at a distance r
// from its centre moves by more than r times its length.
static rl_vec3 turned(const rl_model *model, const rl_state *then, const rl_state *now,
                      uint32_t body) {
  const rl_quat from = rl_body_rotation(model, then, then->points, body);
  const rl_quat to = rl_body_rotation(model, now, now->points, body);
  const rl_quat turn = rl_quat_product(to, (rl_quat){-from.x, -from.y, -from.z, from.w});
  return rl_scale(2.0, rl_vec(turn.x, turn.y, turn.z));
}

double rl_bodies_travelled(const rl_model *model, const rl_state *then, const rl_state *now,
                           double dt) {
  double share = 0.0;
  for (uint32_t i = 0; i < model->pair_count; i++) {
    const rl_pair *pair = &model->pairs[i];
    const uint32_t a = pair->bodies[0], b = pair->bodies[1];
    const double moved =
        nearing(model, then, pair,
                rl_distance(displacement(model, then, now, a), displacement(model, then, now, b)),
                turned(model, then, now, a), turned(model, then, now, b));
    share = rl_larger(share, rl_travelled_share(model, moved, travel(model, then, pair, dt)));
  }
  return share;
}

// Updates the feet of contacts first ... last - 1, all of one pair, at the state's positions.
static void find_again(const rl_model *model, const rl_state *state, rl_rows *rows, uint64_t first,
                       uint64_t last) {
  rl_touch touches[RL_TOUCHES];
  const rl_pair *pair = &model->pairs[state->contacts[first].node];
  const size_t count = find_touches(model, state, pair, model->reach, touches);
  for (uint64_t i = first; i < last; i++) {
    for (size_t k = 0; k < count; k++) {
      const rl_contact found = contact_of(model, state->contacts[first].node, &touches[k]);
      if (found.body == state->contacts[i].body && found.feature == state->contacts[i].feature) {
        rows->feet[i] = foot_of(model, state, &found, &touches[k]);
      }
    }
  }
}

void rl_detect_bodies_again(const rl_model *model, const rl_state *state, rl_rows *rows) {
  uint64_t first = 0;
  while (first < state->contact_count && !rl_is_of_bodies(&state->contacts[first])) {
    first++;
  }
  while (first < state->contact_count) {
    uint64_t last = first;
    while (last < state->contact_count &&
           state->contacts[last].node == state->contacts[first].node) {
      last++;
    }
    find_again(model, state, rows, first, last);
    first = last;
  }
}

double rl_pair_depth(const rl_model *model, const rl_state *state, const rl_pair *pair) {
  rl_touch touches[RL_TOUCHES];
  const size_t count = find_touches(model, state, pair, 0.0, touches);
  double depth = 0.0;
  for (size_t k = 0; k < count; k++) {
    depth = fmax(depth, -touches[k].gap);
  }
  return depth;
}

void rl_add_body_row(const rl_model *model, rl_rows *rows, const rl_contact *contact, uint32_t i) {
  rl_row *row = rl_rows_add(rows, RL_ROW_CONTACT, model->link_count + i, i);
  row->friction = model->pairs[contact->node].friction;
  const uint32_t bodies[2] = {contact->slot - model->node_count, contact->body};
  for (size_t k = 0; k < 2; k++) {
    if (model->bodies[bodies[k]].motion != RL_FIXED) {
      rl_row_add_vertex(model, rows, row,
                        (rl_vertex){rl_body_slot(model, bodies[k]), {0.0, 0.0, 0.0}});
    }
  }
}

static void clear_crowds(const rl_model *model, rl_rows *rows) {
  for (uint32_t i = 0; i < model->body_count; i++) {
    rows->crowds[i] = 0;
  }
}

// The body on which the rope of a contact rubs; RL_NONE: on none.
static uint32_t rubbed_body(const rl_state *state, const rl_row *row) {
  const rl_contact *contact = &state->contacts[row->item];
  return !rl_is_of_bodies(contact) && row->friction > 0.0 ? contact->body : RL_NONE;
}

static void count_rubs(const rl_model *model, const rl_state *state, rl_rows *rows) {
  clear_crowds(model, rows);
  for (uint32_t k = rows->span_count; k < rows->row_count; k++) {
    const uint32_t body = rubbed_body(state, &rows->rows[k]);
    if (body != RL_NONE && !rows->feet[rows->rows[k].item].is_idle) {
      rows->crowds[body]++;
    }
  }
  for (uint32_t k = rows->span_count; k < rows->row_count; k++) {
    const uint32_t body = rubbed_body(state, &rows->rows[k]);
    rows->rows[k].rubs = body != RL_NONE && rows->crowds[body] > 1 ? rows->crowds[body] : 1;
  }
}

void rl_count_crowds(const rl_model *model, const rl_state *state, rl_rows *rows) {
  count_rubs(model, state, rows);
  clear_crowds(model, rows);
  for (uint32_t k = rows->span_count; k < rows->row_count; k++) {
    const rl_contact *contact = &state->contacts[rows->rows[k].item];
    if (rl_is_of_bodies(contact)) {
      rows->crowds[contact->slot - model->node_count]++;
      rows->crowds[contact->body]++;
    }
  }
  for (uint32_t i = 0; i < model->body_count; i++) { // contacts on a fixed body do not interact
    const rl_motion motion = model->bodies[i].motion;
    rows->crowds[i] = motion == RL_FIXED || motion == RL_DRIVEN ? 0 : rows->crowds[i];
  }
  for (uint32_t k = rows->span_count; k < rows->row_count; k++) {
    const rl_contact *contact = &state->contacts[rows->rows[k].item];
    if (rl_is_of_bodies(contact)) {
      const uint32_t first = rows->crowds[contact->slot - model->node_count];
      const uint32_t second = rows->crowds[contact->body];
      const uint32_t crowd = first > second ? first : second;
      rows->rows[k].crowd = crowd > rows->rows[k].crowd ? crowd : rows->rows[k].crowd;
    }
  }
}
