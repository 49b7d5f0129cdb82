// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the pairs of elements of ropes that are near each other, with a grid of cells. The list is
// kept until something has moved too far. Equation numbers are those of papers/tangle.md.
#include "rope_contact_internal.h"

#include "../trigonometry.h"
#include "elements.h"

#include <string.h>

// Margin of the search for pairs, relative to the reach of an element: the list is complete until
// something has moved as far.
static const double kept_reach = 0.5;

// Relative to a coordinate in single precision: more than its rounding.
static const float coarse_rounding = 4e-7F;

static uint64_t room(uint64_t elements, uint64_t each) {
  const uint64_t pairs = elements * (elements > 0 ? elements - 1 : 0) / 2;
  const uint64_t most = each * elements;
  return elements < RL_NONE && pairs < most ? pairs : most;
}

uint64_t rl_tangle_capacity(uint64_t elements) { return room(elements, RL_TANGLE_CONTACTS); }

// Returns a power of two that is at least the number of elements.
static uint32_t bucket_count(uint32_t elements) {
  uint32_t count = 64;
  while (count < elements && count < UINT32_C(1) << 31) {
    count *= 2;
  }
  return count;
}

static void carve_boxes(rl_tangle_boxes *b, uint32_t count, rl_carver *c) {
  float **const lists[] = {&b->x, &b->y, &b->z, &b->half_x, &b->half_y, &b->half_z, &b->reach};
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
    *lists[i] = rl_carve(c, (size_t)count + MEASURED, sizeof **lists[i]);
  }
}

static void carve_cells(rl_tangle_cells *s, uint32_t count, rl_carver *c) {
  s->bucket_mask = bucket_count(count / STRETCH) - 1;
  s->buckets = rl_carve(c, (size_t)s->bucket_mask + 2, sizeof *s->buckets);
  s->at = rl_carve(c, count, sizeof *s->at);
  s->stretches = rl_carve(c, count, sizeof *s->stretches);
}

rl_tangle *rl_tangle_carve(const rl_model *model, rl_carver *c) {
  rl_tangle counted = {0};
  rl_tangle *carved = rl_carve(c, 1, sizeof *carved);
  rl_tangle *t = carved ? carved : &counted;
  const uint32_t count = model->tangle_count;
  t->capacity = (uint32_t)room(count, RL_TANGLE_PAIRS);
  t->elements = rl_carve(c, count, sizeof *t->elements);
  t->axes = rl_carve(c, count, sizeof *t->axes);
  t->motions = rl_carve(c, count, sizeof *t->motions);
  t->fast = rl_carve(c, count, sizeof *t->fast);
  t->reaches = rl_carve(c, count, sizeof *t->reaches);
  t->moved = rl_carve(c, count, sizeof *t->moved);
  t->ranges = rl_carve(c, count, sizeof *t->ranges);
  t->last = rl_carve(c, count, sizeof *t->last);
  t->kept = rl_carve(c, count, sizeof *t->kept);
  t->kept_reaches = rl_carve(c, count, sizeof *t->kept_reaches);
  t->stretches = rl_carve(c, (size_t)count + 1, sizeof *t->stretches);
  carve_boxes(&t->boxes, count, c);
  carve_boxes(&t->wholes, count, c);
  carve_cells(&t->cells, count, c);
  t->near = rl_carve(c, count, sizeof *t->near);
  t->places = rl_carve(c, count, sizeof *t->places);
  t->first = rl_carve(c, (size_t)count + 1, sizeof *t->first);
  t->pairs = rl_carve(c, t->capacity, sizeof *t->pairs);
  t->members = rl_carve(c, model->contact_capacity, sizeof *t->members);
  return carved;
}

// ---------------------------------------------------------------------------------------------
// Elements

void rl_tangle_move(const rl_model *model, const rl_state *state, rl_tangle *t) {
  rl_vec3 to = {0.0, 0.0, 0.0};
  for (uint32_t i = 0; i < t->count; i++) {
    const uint32_t *slots = t->elements[i].slots;
    const bool goes_on = i > 0 && t->elements[i - 1].slots[1] == slots[0];
    const rl_vec3 from = goes_on ? to : rl_node_position(model, state, slots[0]);
    to = rl_node_position(model, state, slots[1]);
    t->axes[i] = (rl_tangle_axis){rl_segment_between(from, to), t->elements[i].radius};
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
    t->motions[t->count] =
        (rl_tangle_motion){{state->velocities[links[i].a], state->velocities[links[i].b]}};
    t->elements[t->count++] = (rl_tangle_element){
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
    };
    along += links[i].rest;
    place += next == RL_NONE ? 2 : 1;
  }
  for (uint32_t i = first; r->closed && i < t->count; i++) {
    t->elements[i].whole = along;
  }
}

// (4) Finds how far from its axis each element can touch within the step, moving relative to the
// mean of all: half of the travel that a contact of two elements has.
static void find_reach(rl_tangle *t) {
  rl_vec3 mean = {0.0, 0.0, 0.0};
  for (uint32_t i = 0; i < t->count; i++) {
    mean = rl_add(mean, rl_add(t->motions[i].ends[0], t->motions[i].ends[1]));
  }
  mean = rl_scale(0.5 / (double)t->count, mean);
  for (uint32_t i = 0; i < t->count; i++) {
    const rl_vec3 v = rl_sub(t->motions[i].ends[0], mean), w = rl_sub(t->motions[i].ends[1], mean);
    const double speed = sqrt(rl_larger(rl_dot(v, v), rl_dot(w, w)));
    const double radius = t->elements[i].radius;
    t->fast[i] = t->dt * speed > radius;
    t->reaches[i] = radius + rl_tangle_margin(radius, t->dt, t->dt * (2.0 * speed + t->fall));
  }
}

// ---------------------------------------------------------------------------------------------
// Pairs

bool rl_tangle_are_neighbours(const rl_tangle_element *later, const rl_tangle_element *earlier) {
  if (later->slots[0] == earlier->slots[0] || later->slots[0] == earlier->slots[1] ||
      later->slots[1] == earlier->slots[0] || later->slots[1] == earlier->slots[1]) {
    return true;
  }
  if (later->rope != earlier->rope) {
    return false;
  }
  const double way = later->begin - earlier->end;
  const double back = earlier->whole - (later->end - earlier->begin);
  // No rope can be bent more sharply than round its own radius.
  const double turn = RL_PI * later->radius;
  return way < turn || back < turn;
}

static int32_t cell_of(double x, double size) {
  static const double most = 1e9; // farther out the run has diverged
  const double at = x / size;
  return (int32_t)floor(at > -most ? (at < most ? at : most) : -most);
}

// Returns the bucket of a cell. Cells consecutive in z have consecutive buckets; others are
// scattered, so that ropes along a line do not share buckets.
static uint32_t bucket_of(const rl_tangle *t, const int32_t cell[3]) {
  return ((uint32_t)cell[0] * UINT32_C(0x9e3779b1) + (uint32_t)cell[1] * UINT32_C(0x85ebca6b) +
          (uint32_t)cell[2]) &
         t->cells.bucket_mask;
}

// Divides the elements into stretches, each of one rope.
static void find_stretches(rl_tangle *t) {
  t->stretch_count = 0;
  for (uint32_t i = 0; i < t->count; i++) {
    const bool goes_on = i > 0 && t->elements[i].rope == t->elements[i - 1].rope &&
                         i - t->stretches[t->stretch_count - 1] < STRETCH;
    if (!goes_on) {
      t->stretches[t->stretch_count++] = i;
    }
  }
  t->stretches[t->stretch_count] = t->count;
}

// Sets a box between two corners, relative to a common origin.
static void set_box(rl_tangle_boxes *b, uint32_t place, rl_vec3 low, rl_vec3 high, double reach) {
  const rl_vec3 middle = rl_scale(0.5, rl_add(low, high)), half = rl_scale(0.5, rl_sub(high, low));
  const double farthest =
      fabs(middle.x) + fabs(middle.y) + fabs(middle.z) + half.x + half.y + half.z;
  b->x[place] = (float)middle.x;
  b->y[place] = (float)middle.y;
  b->z[place] = (float)middle.z;
  b->half_x[place] = (float)half.x;
  b->half_y[place] = (float)half.y;
  b->half_z[place] = (float)half.z;
  b->reach[place] = (float)((1.0 + rl_tangle_rounding) * reach + coarse_rounding * farthest);
}

// The bounds of a stretch, and the largest reach of its elements [m].
typedef struct bounds {
  rl_vec3 low, high;
  double reach;
} bounds;

static bounds bounds_of(const rl_tangle *t, uint32_t stretch) {
  const rl_vec3 most = {INFINITY, INFINITY, INFINITY};
  bounds b = {most, rl_scale(-1.0, most), 0.0};
  for (uint32_t i = t->stretches[stretch]; i < t->stretches[stretch + 1]; i++) {
    const rl_segment *at = &t->axes[i].at;
    rl_include(&b.low, &b.high, at->from);
    rl_include(&b.low, &b.high, rl_segment_end(at));
    b.reach = rl_larger(b.reach, t->kept_reaches[i]);
  }
  return b;
}

static void set_boxes(rl_tangle *t, rl_vec3 origin) {
  for (uint32_t i = 0; i < t->count; i++) {
    const rl_vec3 from = rl_sub(t->axes[i].at.from, origin), to = rl_add(from, t->axes[i].at.way);
    rl_vec3 low = from, high = from;
    rl_include(&low, &high, to);
    set_box(&t->boxes, i, low, high, t->kept_reaches[i]);
  }
}

// Returns the size of a cell: that of the largest box along each axis, so that two boxes that
// overlap have their centres in the same or in neighbouring cells [m].
static rl_vec3 cell_size(const rl_tangle *t) {
  rl_vec3 size = {0.0, 0.0, 0.0};
  for (uint32_t i = 0; i < t->stretch_count; i++) {
    const bounds b = bounds_of(t, i);
    size.x = rl_larger(size.x, b.high.x - b.low.x + 2.0 * b.reach);
    size.y = rl_larger(size.y, b.high.y - b.low.y + 2.0 * b.reach);
    size.z = rl_larger(size.z, b.high.z - b.low.z + 2.0 * b.reach);
  }
  return size;
}

static void find_cell(const bounds *b, rl_vec3 size, int32_t cell[3]) {
  cell[0] = cell_of(0.5 * (b->low.x + b->high.x), size.x);
  cell[1] = cell_of(0.5 * (b->low.y + b->high.y), size.y);
  cell[2] = cell_of(0.5 * (b->low.z + b->high.z), size.z);
}

// Sorts the stretches by their buckets (counting sort).
static void sort_stretches(rl_tangle *t, rl_vec3 origin) {
  const rl_vec3 size = cell_size(t);
  rl_tangle_cells *c = &t->cells;
  int32_t cell[3];
  memset(c->buckets, 0, ((size_t)c->bucket_mask + 2) * sizeof *c->buckets);
  for (uint32_t i = 0; i < t->stretch_count; i++) {
    const bounds b = bounds_of(t, i);
    find_cell(&b, size, cell);
    c->buckets[bucket_of(t, cell) + 1]++;
  }
  for (uint32_t k = 0; k <= c->bucket_mask; k++) {
    c->buckets[k + 1] += c->buckets[k];
  }
  for (uint32_t i = t->stretch_count; i-- > 0;) { // backwards, so that each bucket is in order
    const bounds b = bounds_of(t, i);
    find_cell(&b, size, cell);
    const uint32_t place = --c->buckets[bucket_of(t, cell) + 1];
    memcpy(c->at[place], cell, sizeof cell);
    c->stretches[place] = i;
    set_box(&t->wholes, place, rl_sub(b.low, origin), rl_sub(b.high, origin), b.reach);
  }
  // The beginnings of the buckets are now one index too far to the right.
  memmove(c->buckets, c->buckets + 1, ((size_t)c->bucket_mask + 1) * sizeof *c->buckets);
  c->buckets[c->bucket_mask + 1] = t->stretch_count;
}

// Returns twice the gap of two boxes along one axis, or 0, without a branch.
static inline float gap(float at, float other, float half, float other_half) {
  const float apart = fabsf(at - other) - (half + other_half);
  return apart + fabsf(apart);
}

// The squared distances of a box from MEASURED consecutive ones, and their excess over the squared
// sum of the reaches [m^2].
typedef struct measured {
  float squares[MEASURED], excess[MEASURED];
} measured;

static inline measured measure(const rl_tangle_boxes *b, size_t index, size_t from) {
  measured m;
  for (size_t k = 0; k < MEASURED; k++) {
    const float x = gap(b->x[index], b->x[from + k], b->half_x[index], b->half_x[from + k]);
    const float y = gap(b->y[index], b->y[from + k], b->half_y[index], b->half_y[from + k]);
    const float z = gap(b->z[index], b->z[from + k], b->half_z[index], b->half_z[from + k]);
    const float reach = b->reach[index] + b->reach[from + k];
    m.squares[k] = 0.25F * (x * x + y * y + z * z);
    m.excess[k] = m.squares[k] - reach * reach;
  }
  return m;
}

// Whether another cell is dx and dy cells away in x and y, and at most one in z.
static bool is_in_column(const int32_t *cell, const int32_t *other, int32_t dx, int32_t dy) {
  const int32_t dz = other[2] - cell[2];
  return other[0] - cell[0] == dx && other[1] - cell[1] == dy && dz >= -1 && dz <= 1;
}

// Adds the stretches near a stretch, itself and earlier ones, that are in a column of cells, from a
// run of buckets, which also has others. Returns their number so far.
static uint32_t add_near(rl_tangle *t, uint32_t place, int32_t dx, int32_t dy, uint32_t from,
                         uint32_t to, uint32_t count) {
  const rl_tangle_cells *c = &t->cells;
  for (uint32_t at = from; at < to; at += MEASURED) {
    const measured m = measure(&t->wholes, place, at);
    const uint32_t rest = to - at < MEASURED ? to - at : MEASURED;
    for (uint32_t k = 0; k < rest; k++) {
      if (m.excess[k] <= 0.0F && c->stretches[at + k] <= c->stretches[place] &&
          is_in_column(c->at[place], c->at[at + k], dx, dy)) {
        t->near[count++] = c->stretches[at + k];
      }
    }
  }
  return count;
}

static void sort_near(uint32_t *near, uint32_t count) {
  for (uint32_t k = 1; k < count; k++) {
    const uint32_t moved = near[k];
    uint32_t to = k;
    for (; to > 0 && near[to - 1] > moved; to--) {
      near[to] = near[to - 1];
    }
    near[to] = moved;
  }
}

// (4) Finds the stretches near a stretch, in order, and returns their number. The three cells of a
// column have consecutive buckets, which may wrap around.
static uint32_t find_near(rl_tangle *t, uint32_t place) {
  const rl_tangle_cells *c = &t->cells;
  const int32_t *cell = c->at[place];
  uint32_t count = 0;
  for (int32_t dx = -1; dx <= 1; dx++) {
    for (int32_t dy = -1; dy <= 1; dy++) {
      const int32_t low[3] = {cell[0] + dx, cell[1] + dy, cell[2] - 1};
      const uint32_t first = bucket_of(t, low), last = (first + 2) & c->bucket_mask;
      const uint32_t from = c->buckets[first], to = c->buckets[last + 1];
      count = add_near(t, place, dx, dy, from, first < last ? to : t->stretch_count, count);
      count = first < last ? count : add_near(t, place, dx, dy, 0, to, count);
    }
  }
  sort_near(t->near, count);
  return count;
}

// Lists a pair with the distance of their boxes, less the rounding in their reaches; or `exactly`,
// with that of their axes, if it is within reach. Returns false if there is no room.
static bool add_pair(rl_tangle *t, uint32_t later, uint32_t earlier, double distance,
                     bool exactly) {
  const rl_tangle_element *a = &t->elements[later], *b = &t->elements[earlier];
  if (!(a->moves || b->moves) || rl_tangle_are_neighbours(a, b)) {
    return true;
  }
  const double reach = t->kept_reaches[later] + t->kept_reaches[earlier];
  distance -= (double)t->boxes.reach[later] + (double)t->boxes.reach[earlier] - reach;
  if (exactly) {
    distance = rl_length(rl_segments_nearest(&t->axes[later].at, &t->axes[earlier].at).way);
    if (!(distance <= reach)) {
      return true;
    }
  }
  if (t->pair_count == t->capacity) {
    return false;
  }
  t->pairs[t->pair_count++] =
      (rl_tangle_listed){earlier, (float)((1.0 - rl_tangle_rounding) * distance)};
  return true;
}

// (4) Lists the pairs of an element with earlier ones of stretches near its own. Returns false if
// there is no room.
static bool add_pairs(rl_tangle *t, uint32_t index, uint32_t near_count, bool exactly) {
  for (uint32_t n = 0; n < near_count; n++) {
    const uint32_t from = t->stretches[t->near[n]], end = t->stretches[t->near[n] + 1];
    const uint32_t count = (end < index ? end : index) - from;
    const measured m = measure(&t->boxes, index, from);
    for (uint32_t k = 0; k < count; k++) {
      if (m.excess[k] <= 0.0F &&
          !add_pair(t, index, from + k, (double)sqrtf(m.squares[k]), exactly)) {
        return false;
      }
    }
  }
  return true;
}

// Lists the pairs of all elements in their order. Returns false if there is no room.
static bool add_all(rl_tangle *t, bool exactly) {
  bool complete = true;
  for (uint32_t place = 0; place < t->stretch_count; place++) {
    t->places[t->cells.stretches[place]] = place;
  }
  for (uint32_t s = 0; s < t->stretch_count; s++) {
    const uint32_t near_count = find_near(t, t->places[s]);
    for (uint32_t i = t->stretches[s]; i < t->stretches[s + 1]; i++) {
      t->first[i] = t->pair_count;
      complete = complete && add_pairs(t, i, near_count, exactly);
    }
  }
  t->first[t->count] = t->pair_count;
  return complete;
}

static float range_of(const rl_tangle *t, uint32_t i) {
  return (float)((1.0 + rl_tangle_rounding) * (t->reaches[i] + t->moved[i]));
}

// Lists the pairs at the present positions, by their boxes or exactly, with a relative margin
// `spare` of the reaches. Returns false if there is no room.
static bool list_pairs(rl_tangle *t, double spare, bool exactly) {
  for (uint32_t i = 0; i < t->count; i++) {
    t->kept[i] = t->elements[i];
    t->last[i] = t->axes[i].at;
    t->kept_reaches[i] = (1.0 + spare) * t->reaches[i];
    t->moved[i] = 0.0;
    t->ranges[i] = range_of(t, i);
  }
  t->kept_count = t->count;
  t->kept_dt = t->dt;
  t->pair_count = 0;
  find_stretches(t);
  const rl_vec3 origin = t->axes[0].at.from;
  set_boxes(t, origin);
  sort_stretches(t, origin);
  return add_all(t, exactly);
}

// Whether an element is unchanged: nothing was parted or grown, fixed or released.
static bool is_same(const rl_tangle_element *a, const rl_tangle_element *b) {
  return a->rope == b->rope && a->place == b->place && a->link == b->link &&
         a->slots[0] == b->slots[0] && a->slots[1] == b->slots[1] && a->moves == b->moves &&
         a->begin == b->begin && a->end == b->end && a->whole == b->whole;
}

// (5) Adds how far the ends of each element, and the node before it, have moved relative to the
// mean.
static void add_moves(rl_tangle *t) {
  rl_vec3 mean = {0.0, 0.0, 0.0};
  for (uint32_t i = 0; i < t->count; i++) {
    mean = rl_add(mean, rl_sub(t->axes[i].at.from, t->last[i].from));
  }
  mean = rl_scale(1.0 / (double)t->count, mean);
  double before = 0.0;
  for (uint32_t i = 0; i < t->count; i++) {
    const rl_segment *now = &t->axes[i].at, *last = &t->last[i];
    const rl_vec3 a = rl_sub(rl_sub(now->from, last->from), mean);
    const rl_vec3 b = rl_add(a, rl_sub(now->way, last->way));
    const double moved = sqrt(rl_larger(rl_dot(a, a), rl_dot(b, b)));
    t->moved[i] += rl_larger(moved, before);
    t->last[i] = *now;
    before = moved;
  }
}

// (5) Whether the list still has all pairs that can touch within the step: the distance of two
// elements changes by no more than they move.
static bool pairs_hold(rl_tangle *t) {
  bool hold = t->count == t->kept_count && t->dt == t->kept_dt;
  for (uint32_t i = 0; i < t->count && hold; i++) {
    hold = is_same(&t->elements[i], &t->kept[i]);
  }
  if (hold) {
    add_moves(t);
  }
  for (uint32_t i = 0; i < t->count && hold; i++) {
    t->ranges[i] = range_of(t, i);
    hold = (1.0 + rl_tangle_rounding) * (t->reaches[i] + t->moved[i]) <= t->kept_reaches[i];
  }
  return hold;
}

bool rl_tangle_find(const rl_model *model, const rl_state *state, rl_tangle *t, double dt) {
  t->count = t->contact_count = 0;
  t->dt = dt;
  t->fall = dt * rl_length(model->gravity);
  for (uint32_t r = 0; r < model->rope_count; r++) {
    if (model->ropes[r].rope_collide) {
      list_rope(model, state, t, r);
    }
  }
  rl_tangle_move(model, state, t);
  find_reach(t);
  return pairs_hold(t) || list_pairs(t, kept_reach, false) || list_pairs(t, 0.0, true);
}
