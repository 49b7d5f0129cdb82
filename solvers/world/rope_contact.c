// SPDX-License-Identifier: GPL-3.0-or-later
#include "rope_contact.h"

#include "definition.h"
#include "elements.h"
#include "segment.h"

#include <string.h>

// Of the contact distance: what is nearer has no direction of its own.
static const double touching_axes = 1e-9;

// Of the contact distance: what is not farther apart than that is listed at any speed, for what
// holds the rope can throw its nodes about within a step.
static const double least_margin = 0.5;

// Of the depth with which a step begins, this much is taken back in it: what is pushed out at once
// flies apart (Catto 2014 calls it Baumgarte stabilisation, and takes the same).
static const double recovery = 0.2;

// A rope cannot be bent more sharply than round its own radius: what is nearer along it than half
// such a turn is no contact.
static const double half_turn = 3.14159265358979323846;

// An element of a rope that touches ropes.
typedef struct element {
  uint32_t rope, place;   // place along the rope of the node where it begins
  uint32_t link;          // index among all
  uint32_t slots[2];      // where it begins and ends
  uint32_t before, after; // elements that go on at its ends; RL_NONE: none
  bool moves;
  double begin, end;    // along the rope [m]
  double whole;         // of a closed rope its rest length, else INFINITY [m]
  double radius, reach; // reach: how far from its axis it can touch within the step [m]
  rl_vec3 from, to, velocities[2];
} element;

// The box of an element, and the bucket of the cell in which its middle is.
typedef struct box {
  rl_vec3 low, high;
  double reach;
  uint32_t bucket, element;
} box;

typedef struct found {
  uint32_t later, earlier; // elements
  bool is_close;           // within the travel alone
  rl_nearest nearest;      // first: on the later
} found;

struct rl_tangle {
  uint32_t capacity;    // pairs
  uint32_t bucket_bits; // along each axis
  uint32_t bucket_mask; // buckets - 1
  uint32_t count;       // elements
  uint32_t found_count;
  element *elements;
  box *boxes;             // by buckets
  uint32_t *buckets;      // where each begins, and one more
  found *pairs, *sorted;  // as they were found; by their later element, then the earlier
  uint32_t *first;        // [count + 1] where those of each later element begin
  uint32_t (*members)[2]; // [contacts] their elements
};

uint64_t rl_tangle_capacity(uint64_t elements) {
  const uint64_t pairs = elements * (elements > 0 ? elements - 1 : 0) / 2;
  const uint64_t most = RL_TANGLE_CONTACTS * elements;
  return elements < RL_NONE && pairs < most ? pairs : most;
}

// Along each axis 2^bits buckets, in all about as many as elements.
static uint32_t bucket_bits(uint32_t elements) {
  uint32_t bits = 2;
  while (3 * (bits + 1) < 31 && (UINT32_C(1) << 3 * bits) < elements) {
    bits++;
  }
  return bits;
}

rl_tangle *rl_tangle_carve(const rl_model *model, rl_carver *c) {
  rl_tangle counted = {0};
  rl_tangle *carved = rl_carve(c, 1, sizeof *carved);
  rl_tangle *t = carved ? carved : &counted;
  const uint32_t count = model->tangle_count;
  t->capacity = model->tangle_capacity;
  t->bucket_bits = bucket_bits(count);
  t->bucket_mask = (UINT32_C(1) << 3 * t->bucket_bits) - 1;
  t->elements = rl_carve(c, count, sizeof *t->elements);
  t->boxes = rl_carve(c, count, sizeof *t->boxes);
  t->buckets = rl_carve(c, (size_t)t->bucket_mask + 2, sizeof *t->buckets);
  t->pairs = rl_carve(c, t->capacity, sizeof *t->pairs);
  t->first = rl_carve(c, (size_t)count + 1, sizeof *t->first);
  t->sorted = rl_carve(c, t->capacity, sizeof *t->sorted);
  t->members = rl_carve(c, model->contact_capacity, sizeof *t->members);
  return carved;
}

// ---------------------------------------------------------------------------------------------
// Elements

void rl_tangle_move(const rl_model *model, const rl_state *state, rl_tangle *t) {
  for (uint32_t i = 0; i < t->count; i++) {
    element *e = &t->elements[i];
    e->from = i > 0 && t->elements[i - 1].slots[1] == e->slots[0]
                  ? t->elements[i - 1].to
                  : rl_node_position(model, state, e->slots[0]);
    e->to = rl_node_position(model, state, e->slots[1]);
  }
}

static bool node_moves(const rl_model *model, const rl_state *state, uint32_t slot) {
  return rl_slot_moves(model, state->points, rl_node_vertex(model, slot).slot);
}

static void list_rope(const rl_model *model, const rl_state *state, rl_tangle *t, uint32_t rope) {
  const rl_rope *r = &model->ropes[rope];
  const rl_link *links = &state->links[r->first_link];
  const uint32_t first = t->count, count = rl_rope_elements(model, state, rope);
  double along = 0.0;
  uint32_t place = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t before = rl_element_before(model, state, rope, i);
    const uint32_t next = rl_element_next(model, state, rope, i);
    t->elements[t->count++] = (element){
        .rope = rope,
        .place = place,
        .link = r->first_link + i,
        .slots = {links[i].a, links[i].b},
        .before = before == RL_NONE ? RL_NONE : first + before,
        .after = next == RL_NONE ? RL_NONE : first + next,
        .moves = node_moves(model, state, links[i].a) || node_moves(model, state, links[i].b),
        .begin = along,
        .end = along + links[i].rest,
        .whole = INFINITY,
        .radius = r->radius,
        .velocities = {state->velocities[links[i].a], state->velocities[links[i].b]}};
    along += links[i].rest;
    place += next == RL_NONE ? 2 : 1;
  }
  for (uint32_t i = first; r->closed && i < t->count; i++) {
    t->elements[i].whole = along;
  }
}

// What is added to a distance of contact within dt, for a travel in it; at a moment nothing.
static double margin(double distance, double dt, double travel) {
  return dt > 0.0 ? fmax(travel, least_margin * distance) : 0.0;
}

// How far an element comes within dt, against the mean of all: half of what rows_detect.c has for
// the two of a contact.
static void find_reach(const rl_model *model, rl_tangle *t, double dt) {
  rl_vec3 mean = {0.0, 0.0, 0.0};
  for (uint32_t i = 0; i < t->count; i++) {
    mean = rl_add(mean, rl_add(t->elements[i].velocities[0], t->elements[i].velocities[1]));
  }
  mean = rl_scale(0.5 / (double)t->count, mean);
  const double fall = 0.5 * dt * rl_length(model->gravity);
  for (uint32_t i = 0; i < t->count; i++) {
    element *e = &t->elements[i];
    const double speed =
        fmax(rl_distance(e->velocities[0], mean), rl_distance(e->velocities[1], mean));
    e->reach = e->radius + margin(e->radius, dt, 2.0 * dt * (speed + fall));
  }
}

// ---------------------------------------------------------------------------------------------
// Pairs

// Whether two elements belong so closely together that they cannot touch.
static bool are_neighbours(const element *later, const element *earlier) {
  if (later->slots[0] == earlier->slots[0] || later->slots[0] == earlier->slots[1] ||
      later->slots[1] == earlier->slots[0] || later->slots[1] == earlier->slots[1]) {
    return true;
  }
  if (later->rope != earlier->rope) {
    return false;
  }
  const double way = later->begin - earlier->end;
  const double back = earlier->whole - (later->end - earlier->begin);
  return fmin(way, back) < half_turn * later->radius;
}

// How fast one end of one can come towards one of the other.
static double closing_speed(const element *a, const element *b) {
  double square = 0.0;
  for (size_t i = 0; i < 4; i++) {
    const rl_vec3 v = rl_sub(a->velocities[i / 2], b->velocities[i % 2]);
    square = rl_larger(square, rl_dot(v, v));
  }
  return sqrt(square);
}

// Notes the pair if it can touch within dt; false: there is no room.
static bool meet(rl_tangle *t, uint32_t a, uint32_t b, double dt, double fall) {
  const uint32_t i = a > b ? a : b, k = a > b ? b : a;
  const element *later = &t->elements[i], *earlier = &t->elements[k];
  if (!(later->moves || earlier->moves) || are_neighbours(later, earlier)) {
    return true;
  }
  const rl_nearest n = rl_segments_nearest(later->from, later->to, earlier->from, earlier->to);
  const double sum = later->radius + earlier->radius;
  const double travel = 2.0 * dt * (closing_speed(later, earlier) + fall);
  const double reach = sum + margin(sum, dt, travel), distance = rl_length(n.way);
  if (!(distance <= reach)) {
    return true;
  }
  if (t->found_count == t->capacity) {
    return false;
  }
  t->pairs[t->found_count++] = (found){i, k, distance <= sum + travel, n};
  return true;
}

static double gap(double low_a, double high_a, double low_b, double high_b) {
  return rl_larger(0.0, rl_larger(low_a - high_b, low_b - high_a));
}

// Whether two elements can be within reach, as far as their boxes tell.
static bool boxes_meet(const box *a, const box *b) {
  const double x = gap(a->low.x, a->high.x, b->low.x, b->high.x);
  const double y = gap(a->low.y, a->high.y, b->low.y, b->high.y);
  const double z = gap(a->low.z, a->high.z, b->low.z, b->high.z);
  const double reach = a->reach + b->reach;
  return x * x + y * y + z * z <= reach * reach;
}

static int32_t cell_of(double x, double size) {
  static const double most = 1e9; // what is out there has blown up
  return (int32_t)floor(fmax(fmin(x / size, most), -most));
}

// Cells that follow each other in z have buckets that do; the grid repeats along each axis.
static uint32_t bucket_of(const rl_tangle *t, const int32_t cell[3]) {
  uint32_t bucket = 0;
  for (size_t i = 0; i < 3; i++) {
    bucket = (bucket << t->bucket_bits) | ((uint32_t)cell[i] & ((1U << t->bucket_bits) - 1U));
  }
  return bucket;
}

static box box_of(const rl_tangle *t, uint32_t i, rl_vec3 size) {
  const element *e = &t->elements[i];
  const rl_vec3 a = e->from, b = e->to;
  const int32_t cell[3] = {cell_of(0.5 * (a.x + b.x), size.x), cell_of(0.5 * (a.y + b.y), size.y),
                           cell_of(0.5 * (a.z + b.z), size.z)};
  return (box){.low = {fmin(a.x, b.x), fmin(a.y, b.y), fmin(a.z, b.z)},
               .high = {fmax(a.x, b.x), fmax(a.y, b.y), fmax(a.z, b.z)},
               .reach = e->reach,
               .bucket = bucket_of(t, cell),
               .element = i};
}

// A cell is along each axis as large as the largest box: two that meet are in the same one or in
// two beside each other.
static rl_vec3 cell_size(const rl_tangle *t) {
  rl_vec3 size = {0.0, 0.0, 0.0};
  for (uint32_t i = 0; i < t->count; i++) {
    const element *e = &t->elements[i];
    const rl_vec3 d = rl_sub(e->to, e->from);
    size.x = fmax(size.x, fabs(d.x) + 2.0 * e->reach);
    size.y = fmax(size.y, fabs(d.y) + 2.0 * e->reach);
    size.z = fmax(size.z, fabs(d.z) + 2.0 * e->reach);
  }
  return size;
}

// Counting sort of the boxes by their buckets.
static void sort_boxes(rl_tangle *t, rl_vec3 size) {
  memset(t->buckets, 0, ((size_t)t->bucket_mask + 2) * sizeof *t->buckets);
  for (uint32_t i = 0; i < t->count; i++) {
    t->buckets[box_of(t, i, size).bucket + 1]++;
  }
  for (uint32_t k = 0; k <= t->bucket_mask; k++) {
    t->buckets[k + 1] += t->buckets[k];
  }
  for (uint32_t i = t->count; i-- > 0;) { // from behind: each bucket stays in order
    const box b = box_of(t, i, size);
    t->boxes[--t->buckets[b.bucket + 1]] = b;
  }
  // Each now stands one too far to the right, and holds where its bucket begins.
  memmove(t->buckets, t->buckets + 1, ((size_t)t->bucket_mask + 1) * sizeof *t->buckets);
  t->buckets[t->bucket_mask + 1] = t->count;
}

// A box against those of a stretch of buckets. The grid repeats, so that some of them are far away;
// two that meet are in cells beside each other.
static bool meet_stretch(rl_tangle *t, const box *b, uint32_t from, uint32_t to, double dt,
                         double fall) {
  for (uint32_t k = from; k < to; k++) {
    const box *other = &t->boxes[k];
    if (boxes_meet(b, other) && !meet(t, b->element, other->element, dt, fall)) {
      return false;
    }
  }
  return true;
}

// The bucket that is so many cells from another one.
static uint32_t bucket_beside(const rl_tangle *t, uint32_t bucket, int32_t dx, int32_t dy,
                              int32_t dz) {
  const uint32_t bits = t->bucket_bits;
  const int32_t cell[3] = {(int32_t)(bucket >> 2 * bits) + dx, (int32_t)(bucket >> bits) + dy,
                           (int32_t)bucket + dz};
  return bucket_of(t, cell);
}

static bool meet_bucket(rl_tangle *t, const box *b, uint32_t bucket, double dt, double fall) {
  return meet_stretch(t, b, t->buckets[bucket], t->buckets[bucket + 1], dt, fall);
}

// The three cells with z - 1, z and z + 1: most often one stretch.
static bool meet_column(rl_tangle *t, const box *b, int32_t dx, int32_t dy, double dt,
                        double fall) {
  const uint32_t last = (UINT32_C(1) << t->bucket_bits) - 1U;
  const uint32_t first = bucket_beside(t, b->bucket, dx, dy, -1);
  if ((first & last) + 2 <= last) {
    return meet_stretch(t, b, t->buckets[first], t->buckets[first + 3], dt, fall);
  }
  return meet_bucket(t, b, first, dt, fall) &&
         meet_bucket(t, b, bucket_beside(t, b->bucket, dx, dy, 0), dt, fall) &&
         meet_bucket(t, b, bucket_beside(t, b->bucket, dx, dy, 1), dt, fall);
}

// Each pair once: what is behind in the same cell, and the 13 cells that follow in x, then y, then
// z.
static bool meet_all(rl_tangle *t, double dt, double fall) {
  for (uint32_t i = 0; i < t->count; i++) {
    const box *b = &t->boxes[i];
    if (!meet_stretch(t, b, i + 1, t->buckets[b->bucket + 1], dt, fall) ||
        !meet_bucket(t, b, bucket_beside(t, b->bucket, 0, 0, 1), dt, fall) ||
        !meet_column(t, b, 0, 1, dt, fall) || !meet_column(t, b, 1, -1, dt, fall) ||
        !meet_column(t, b, 1, 0, dt, fall) || !meet_column(t, b, 1, 1, dt, fall)) {
      return false;
    }
  }
  return true;
}

// By the later element, and then by the earlier.
static void sort_pairs(rl_tangle *t) {
  memset(t->first, 0, ((size_t)t->count + 1) * sizeof *t->first);
  for (uint32_t i = 0; i < t->found_count; i++) {
    t->first[t->pairs[i].later + 1]++;
  }
  for (uint32_t i = 0; i < t->count; i++) {
    t->first[i + 1] += t->first[i];
  }
  for (uint32_t i = 0; i < t->found_count; i++) {
    t->sorted[t->first[t->pairs[i].later]++] = t->pairs[i];
  }
  memmove(t->first + 1, t->first, t->count * sizeof *t->first);
  t->first[0] = 0;
  for (uint32_t i = 0; i < t->count; i++) {
    for (uint32_t k = t->first[i] + 1; k < t->first[i + 1]; k++) {
      const found moved = t->sorted[k];
      uint32_t to = k;
      for (; to > t->first[i] && t->sorted[to - 1].earlier > moved.earlier; to--) {
        t->sorted[to] = t->sorted[to - 1];
      }
      t->sorted[to] = moved;
    }
  }
}

bool rl_tangle_find(const rl_model *model, const rl_state *state, rl_tangle *t, double dt) {
  t->count = t->found_count = 0;
  for (uint32_t r = 0; r < model->rope_count; r++) {
    if (model->ropes[r].rope_collide) {
      list_rope(model, state, t, r);
    }
  }
  rl_tangle_move(model, state, t);
  find_reach(model, t, dt);
  sort_boxes(t, cell_size(t));
  const bool complete = meet_all(t, dt, dt * rl_length(model->gravity));
  sort_pairs(t);
  return complete;
}

// ---------------------------------------------------------------------------------------------
// Contacts

// Whether the element that goes on at the end where the contact is says all there is to say: the
// distance along a rope is least in its inside, or at a node, which belongs to the element behind
// it. `way` leads from the partner to this one.
static bool end_is_idle(const rl_tangle *t, const element *e, double fraction, rl_vec3 way,
                        const element *partner) {
  const uint32_t index = fraction <= 0.0 ? e->before : fraction >= 1.0 ? e->after : RL_NONE;
  if (index == RL_NONE) {
    return false;
  }
  const element *beside = &t->elements[index];
  if (are_neighbours(beside, partner)) {
    return false;
  }
  return fraction >= 1.0 || rl_dot(rl_sub(beside->from, e->from), way) < 0.0;
}

// The direction from the earlier to the later element. Where their axes have come through each
// other, it stays that of the side on which they were, as long as they overlap.
static rl_vec3 find_normal(const rl_nearest *n, const element *later, const element *earlier,
                           rl_vec3 side) {
  const double distance = rl_length(n->way), sum = later->radius + earlier->radius;
  rl_vec3 normal = rl_unit(n->way);
  if (!(distance > touching_axes * sum)) {
    const rl_vec3 u = rl_sub(later->to, later->from), v = rl_sub(earlier->to, earlier->from);
    normal = rl_unit(rl_cross(rl_unit(u), rl_unit(v)));
    normal = rl_is_zero(normal) ? side : normal;
    normal = rl_is_zero(normal) ? rl_across(rl_unit(u)) : normal;
  }
  const bool inside = n->first > 0.0 && n->first < 1.0 && n->second > 0.0 && n->second < 1.0;
  const bool crossed = rl_dot(normal, side) < 0.0 && (inside || distance < sum);
  return crossed ? rl_scale(-1.0, normal) : normal;
}

static rl_foot make_foot(const rl_rows *rows, const element *later, const element *earlier,
                         const rl_nearest *n, rl_vec3 side) {
  const rl_vec3 back = rl_scale(-1.0, n->way), normal = find_normal(n, later, earlier, side);
  const double sum = later->radius + earlier->radius;
  const double depth = fmax(sum - rl_dot(normal, n->way), 0.0);
  return (rl_foot){.normal = normal,
                   .fraction = n->first,
                   .other_fraction = n->second,
                   .radius = sum,
                   .kept_depth = rows->keeps_depth ? (1.0 - recovery) * depth : 0.0,
                   .is_idle = end_is_idle(rows->tangle, later, n->first, n->way, earlier) ||
                              end_is_idle(rows->tangle, earlier, n->second, back, later)};
}

// What slid on from one element to the next is still on the side where it was: of the contacts in
// the step before between these two or those beside them.
static rl_vec3 inherited_side(const rl_rows *rows, uint64_t old_count, uint64_t old,
                              const rl_contact *contact) {
  const rl_contact *all = rows->old_contacts;
  uint64_t i = old;
  while (i > 0 && all[i - 1].rope == contact->rope && all[i - 1].node + 1 >= contact->node) {
    i--;
  }
  for (; i < old_count && all[i].rope == contact->rope && all[i].node <= contact->node + 1; i++) {
    const uint32_t apart = all[i].other > contact->other ? all[i].other - contact->other
                                                         : contact->other - all[i].other;
    if (rl_is_of_ropes(&all[i]) && apart <= 1) {
      return rows->old_sides[i];
    }
  }
  return (rl_vec3){0.0, 0.0, 0.0};
}

void rl_detect_ropes(const rl_model *model, rl_state *state, const rl_rows *rows,
                     uint64_t old_count, uint64_t *old, uint32_t index) {
  rl_tangle *t = rows->tangle;
  const element *later = &t->elements[index];
  for (uint32_t k = t->first[index]; k < t->first[index + 1]; k++) {
    const found *pair = &t->sorted[k];
    const element *earlier = &t->elements[pair->earlier];
    const rl_contact contact = {.rope = later->rope,
                                .node = later->place,
                                .slot = later->slots[0],
                                .next = later->slots[1],
                                .body = RL_NONE,
                                .other = earlier->link};
    const bool known = rl_contact_was(rows, old_count, old, &contact);
    const bool deep = rl_length(pair->nearest.way) < 0.5 * (later->radius + earlier->radius);
    const rl_vec3 side = known  ? rows->old_sides[*old]
                         : deep ? inherited_side(rows, old_count, *old, &contact)
                                : rl_vec(0.0, 0.0, 0.0);
    const rl_foot foot = make_foot(rows, later, earlier, &pair->nearest, side);
    if (foot.is_idle && !(rows->lists_idle && pair->is_close)) {
      continue;
    }
    t->members[state->contact_count][0] = index;
    t->members[state->contact_count][1] = pair->earlier;
    rl_contact_add(model, state, rows, old_count, old, contact, foot);
  }
}

void rl_detect_ropes_again(const rl_model *model, const rl_state *state, rl_rows *rows,
                           uint64_t contact) {
  const rl_tangle *t = rows->tangle;
  const element *later = &t->elements[t->members[contact][0]];
  const element *earlier = &t->elements[t->members[contact][1]];
  const rl_nearest n = rl_segments_nearest(later->from, later->to, earlier->from, earlier->to);
  rows->feet[contact] = make_foot(rows, later, earlier, &n, rows->feet[contact].normal);
  rl_row_freeze(model, state, rows, &rows->rows[rows->span_count + contact]);
}

double rl_rope_pair_friction(const rl_model *model, const rl_contact *contact) {
  return rl_pair_friction(model->ropes[contact->rope].friction,
                          model->ropes[model->link_rope[contact->other]].friction);
}

void rl_add_rope_row(const rl_model *model, const rl_state *state, rl_rows *rows,
                     const rl_contact *contact, uint32_t i) {
  const rl_link *other = &state->links[contact->other];
  rl_row *row = rl_rows_add(rows, (rl_row){.kind = RL_ROW_CONTACT,
                                           .source = model->link_count + i,
                                           .item = i,
                                           .friction = rl_rope_pair_friction(model, contact),
                                           .upper = INFINITY});
  const uint32_t slots[4] = {contact->slot, contact->next, other->a, other->b};
  for (size_t k = 0; k < 4; k++) {
    rl_row_add_vertex(model, rows, row, rl_node_vertex(model, slots[k]));
  }
  rl_row_freeze(model, state, rows, row);
}
