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

// Of its reach, an element is looked for this much farther away when pairs are listed, so that the
// list holds until something has moved as far.
static const double kept_reach = 0.5;

// Of a distance: more than rounding adds to it. And of a coordinate, in single precision.
static const double rounding = 1e-6;
static const float coarse_rounding = 4e-7F;

// Of what says that two elements are nearest at an end: less may be rounding, where they are nearly
// parallel.
static const double end_guard = 1e-4;

// Of the contact distance: two elements that come so near have met. What only grazes comes nearer
// by ever smaller advances, and has met after so many of them.
static const double meeting_gap = 1e-3;
enum { ADVANCES = 32 };

// An element of a rope that touches ropes: what changes only where ropes are parted or grow.
typedef struct element {
  uint32_t rope, place;   // place along the rope of the node where it begins
  uint32_t link;          // index among all
  uint32_t slots[2];      // where it begins and ends
  uint32_t before, after; // elements that go on at its ends; RL_NONE: none
  bool moves;
  double begin, end; // along the rope [m]
  double whole;      // of a closed rope its rest length, else INFINITY [m]
  double radius;
} element;

// Where it is, in one cache line.
typedef struct axis {
  rl_segment at;
  double radius;
} axis;

typedef struct motion {
  rl_vec3 ends[2]; // velocities [m/s]
} motion;

// Two elements; and one that was listed with a later one, which is no contact as long as their
// ranges together are less than `until`.
typedef struct pair {
  uint32_t later, earlier;
} pair;

typedef struct listed {
  uint32_t earlier;
  float until;
} listed;

// Boxes: middles and half of what they measure, and how far from them is looked, in single
// precision and no smaller than they are. So many are compared with one at once; there is room for
// as many behind the last.
enum { MEASURED = 4 };
typedef struct boxes {
  float *x, *y, *z, *half_x, *half_y, *half_z, *reach;
} boxes;

// So many elements of a rope are looked for together, one after the other along it.
enum { STRETCH = MEASURED };

// Stretches by buckets, and the cells in which their middles are.
typedef struct cells {
  uint32_t bucket_mask; // buckets - 1
  uint32_t *buckets;    // where each begins, and one more
  int32_t (*at)[3];
  uint32_t *stretches;
} cells;

struct rl_tangle {
  uint32_t capacity;      // pairs
  uint32_t count;         // elements
  uint32_t contact_count; // of ropes, so far in this step
  uint32_t pair_count;
  double dt, fall; // of the step: |g| dt
  element *elements;
  axis *axes;
  motion *motions;
  bool *fast;          // move by more than their radius in the step, against the mean of all
  double *reaches;     // how far from its axis each can touch in the step [m]
  double *moved;       // the way it has come since the pairs were listed [m]
  float *ranges;       // the two together, no less [m]
  rl_segment *last;    // where its axis was when the way was measured last
  uint32_t kept_count; // elements for which the pairs were listed, what these were, how far from
  element *kept;       // its axis each was looked for, and for which step
  double *kept_reaches;
  double kept_dt;
  uint32_t stretch_count;
  uint32_t *stretches; // [count + 1] their first elements
  boxes boxes, wholes; // of elements; of stretches, by buckets
  cells cells;
  uint32_t *near;   // [count] scratch: stretches near one
  uint32_t *places; // [count] and where each is among those in buckets
  listed *pairs;    // by their later elements, then the earlier
  uint32_t *first;  // [count + 1] where those of each later element begin
  pair *members;    // [contacts] between which they are
};

static uint64_t room(uint64_t elements, uint64_t each) {
  const uint64_t pairs = elements * (elements > 0 ? elements - 1 : 0) / 2;
  const uint64_t most = each * elements;
  return elements < RL_NONE && pairs < most ? pairs : most;
}

uint64_t rl_tangle_capacity(uint64_t elements) { return room(elements, RL_TANGLE_CONTACTS); }

// About as many as elements, a power of two.
static uint32_t bucket_count(uint32_t elements) {
  uint32_t count = 64;
  while (count < elements && count < UINT32_C(1) << 31) {
    count *= 2;
  }
  return count;
}

static void carve_boxes(boxes *b, uint32_t count, rl_carver *c) {
  float **const lists[] = {&b->x, &b->y, &b->z, &b->half_x, &b->half_y, &b->half_z, &b->reach};
  for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) {
    *lists[i] = rl_carve(c, (size_t)count + MEASURED, sizeof **lists[i]);
  }
}

static void carve_cells(cells *s, uint32_t count, rl_carver *c) {
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
    t->axes[i] = (axis){rl_segment_between(from, to), t->elements[i].radius};
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
    t->motions[t->count] = (motion){{state->velocities[links[i].a], state->velocities[links[i].b]}};
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
    };
    along += links[i].rest;
    place += next == RL_NONE ? 2 : 1;
  }
  for (uint32_t i = first; r->closed && i < t->count; i++) {
    t->elements[i].whole = along;
  }
}

// What is added to a distance of contact within dt, for a travel in it; at a moment nothing.
static double margin(double distance, double dt, double travel) {
  return dt > 0.0 ? rl_larger(travel, least_margin * distance) : 0.0;
}

// How far from its axis each element can touch within the step, against the mean of all: half of
// what rows_detect.c has for the two of a contact.
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
    t->reaches[i] = radius + margin(radius, t->dt, t->dt * (2.0 * speed + t->fall));
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
  const double turn = half_turn * later->radius;
  return way < turn || back < turn;
}

// How fast one end of one can come towards one of the other.
static double closing_speed(const motion *a, const motion *b) {
  double square = 0.0;
  for (size_t i = 0; i < 4; i++) {
    const rl_vec3 v = rl_sub(a->ends[i / 2], b->ends[i % 2]);
    square = rl_larger(square, rl_dot(v, v));
  }
  return sqrt(square);
}

static int32_t cell_of(double x, double size) {
  static const double most = 1e9; // what is out there has blown up
  const double at = x / size;
  return (int32_t)floor(at > -most ? (at < most ? at : most) : -most);
}

// Cells that follow each other in z have buckets that do; the others are scattered, so that ropes
// that lie along a line have buckets of their own as well.
static uint32_t bucket_of(const rl_tangle *t, const int32_t cell[3]) {
  return ((uint32_t)cell[0] * UINT32_C(0x9e3779b1) + (uint32_t)cell[1] * UINT32_C(0x85ebca6b) +
          (uint32_t)cell[2]) &
         t->cells.bucket_mask;
}

// Every stretch is of one rope.
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

// The box round what is between two corners, from a common origin on.
static void set_box(boxes *b, uint32_t place, rl_vec3 low, rl_vec3 high, double reach) {
  const rl_vec3 middle = rl_scale(0.5, rl_add(low, high)), half = rl_scale(0.5, rl_sub(high, low));
  const double farthest =
      fabs(middle.x) + fabs(middle.y) + fabs(middle.z) + half.x + half.y + half.z;
  b->x[place] = (float)middle.x;
  b->y[place] = (float)middle.y;
  b->z[place] = (float)middle.z;
  b->half_x[place] = (float)half.x;
  b->half_y[place] = (float)half.y;
  b->half_z[place] = (float)half.z;
  b->reach[place] = (float)((1.0 + rounding) * reach + coarse_rounding * farthest);
}

// What a stretch is in.
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

// A cell is along each axis as large as the largest box: two that meet are in the same one or in
// two beside each other.
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

// Counting sort of the stretches by their buckets.
static void sort_stretches(rl_tangle *t, rl_vec3 origin) {
  const rl_vec3 size = cell_size(t);
  cells *c = &t->cells;
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
  for (uint32_t i = t->stretch_count; i-- > 0;) { // from behind: each bucket stays in order
    const bounds b = bounds_of(t, i);
    find_cell(&b, size, cell);
    const uint32_t place = --c->buckets[bucket_of(t, cell) + 1];
    memcpy(c->at[place], cell, sizeof cell);
    c->stretches[place] = i;
    set_box(&t->wholes, place, rl_sub(b.low, origin), rl_sub(b.high, origin), b.reach);
  }
  // Each now stands one too far to the right, and holds where its bucket begins.
  memmove(c->buckets, c->buckets + 1, ((size_t)c->bucket_mask + 1) * sizeof *c->buckets);
  c->buckets[c->bucket_mask + 1] = t->stretch_count;
}

// Written so that it needs no jump: twice how far they are apart along one axis, or 0.
static inline float gap(float at, float other, float half, float other_half) {
  const float apart = fabsf(at - other) - (half + other_half);
  return apart + fabsf(apart);
}

// The squares of the distances of a box from those that follow each other, and by how much they are
// more than can be within reach.
typedef struct measured {
  float squares[MEASURED], excess[MEASURED];
} measured;

static inline measured measure(const boxes *b, size_t index, size_t from) {
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

// Whether the cell of the other is in a column of those beside this one's: so many cells away in x
// and y, and one in z.
static bool is_in_column(const int32_t *cell, const int32_t *other, int32_t dx, int32_t dy) {
  const int32_t dz = other[2] - cell[2];
  return other[0] - cell[0] == dx && other[1] - cell[1] == dy && dz >= -1 && dz <= 1;
}

// Adds those near a stretch, itself and earlier ones, of a column that are in a run of buckets,
// with others that are elsewhere.
static uint32_t add_near(rl_tangle *t, uint32_t place, int32_t dx, int32_t dy, uint32_t from,
                         uint32_t to, uint32_t count) {
  const cells *c = &t->cells;
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

// In order; of the three cells of a column the buckets follow each other, but where they go on at
// the first one.
static uint32_t find_near(rl_tangle *t, uint32_t place) {
  const cells *c = &t->cells;
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

// Lists a pair whose boxes are that far from each other, up to what their reaches have for
// rounding; or by what it is exactly. False: there is no room.
static bool add_pair(rl_tangle *t, uint32_t later, uint32_t earlier, double distance,
                     bool exactly) {
  const element *a = &t->elements[later], *b = &t->elements[earlier];
  if (!(a->moves || b->moves) || are_neighbours(a, b)) {
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
  t->pairs[t->pair_count++] = (listed){earlier, (float)((1.0 - rounding) * distance)};
  return true;
}

// The pairs of an element with earlier ones of stretches near its own.
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

// Of all stretches in the order of the elements.
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
  return (float)((1.0 + rounding) * (t->reaches[i] + t->moved[i]));
}

// Lists the pairs from where the elements are now, by their boxes or exactly; false: there is no
// room.
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

// Whether nothing was parted or grown, held or let go.
static bool is_same(const element *a, const element *b) {
  return a->rope == b->rope && a->place == b->place && a->link == b->link &&
         a->slots[0] == b->slots[0] && a->slots[1] == b->slots[1] && a->moves == b->moves &&
         a->begin == b->begin && a->end == b->end && a->whole == b->whole;
}

// The ways that the ends of each element have come, against the mean of all, and the node before
// it.
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

// (5) Whether what can touch within the step is among the pairs that were listed. The distance of
// two elements changes by no more than they move.
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
    hold = (1.0 + rounding) * (t->reaches[i] + t->moved[i]) <= t->kept_reaches[i];
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

// ---------------------------------------------------------------------------------------------
// Contacts

// Where an element begins some time later, and all of it, if nothing acts on it.
static rl_vec3 from_after(const rl_tangle *t, uint32_t i, double time) {
  return rl_add_scaled(t->axes[i].at.from, time, t->motions[i].ends[0]);
}

static rl_segment axis_after(const rl_tangle *t, uint32_t i, double time) {
  const rl_vec3 turning = rl_sub(t->motions[i].ends[1], t->motions[i].ends[0]);
  return rl_segment_from(from_after(t, i, time), rl_add_scaled(t->axes[i].at.way, time, turning));
}

// Where two elements are nearest to each other, and when that is counted from the step's start.
typedef struct meeting {
  rl_nearest at;
  double distance, time;
} meeting;

static rl_nearest nearest_now(const rl_tangle *t, const pair *p) {
  return rl_segments_nearest(&t->axes[p->later].at, &t->axes[p->earlier].at);
}

static meeting meeting_now(rl_nearest at) { return (meeting){at, rl_length(at.way), 0.0}; }

static meeting meeting_after(const rl_tangle *t, const pair *p, double time) {
  const rl_segment a = axis_after(t, p->later, time), b = axis_after(t, p->earlier, time);
  const rl_nearest n = rl_segments_nearest(&a, &b);
  return (meeting){n, rl_length(n.way), time};
}

// The contact distance of the two.
static double radii(const rl_tangle *t, const pair *p) {
  return t->axes[p->later].radius + t->axes[p->earlier].radius;
}

// (6) The first time at which two elements that are apart can be within the contact distance: all
// of one is on either side of the plane across their way, and no end comes nearer to it faster than
// so.
static double earliest(const rl_tangle *t, const pair *p, const meeting *m) {
  const rl_vec3 *v = t->motions[p->later].ends, *w = t->motions[p->earlier].ends;
  const rl_vec3 n = rl_scale(1.0 / m->distance, m->at.way);
  const double speed =
      rl_larger(rl_dot(n, w[0]), rl_dot(n, w[1])) + rl_larger(-rl_dot(n, v[0]), -rl_dot(n, v[1]));
  const double gap = m->distance - radii(t, p);
  return speed > 0.0 ? m->time + gap / speed : INFINITY;
}

static bool is_fast(const rl_tangle *t, const pair *p) {
  return t->fast[p->later] || t->fast[p->earlier];
}

// Where two elements that are apart come together on straight ways within the step; false: nowhere,
// or neither is fast, so that where they are now says it as well. From there they advance by as
// much time as they cannot meet in, again and again.
static bool find_meeting(const rl_tangle *t, const pair *p, meeting *m) {
  const double sum = radii(t, p);
  if (m->distance <= sum || !is_fast(t, p)) {
    return false;
  }
  meeting next = *m;
  for (int i = 0; i < ADVANCES && next.distance > (1.0 + meeting_gap) * sum; i++) {
    const double time = earliest(t, p, &next);
    if (!(time < t->dt)) {
      return false;
    }
    next = meeting_after(t, p, time);
  }
  *m = next;
  return true;
}

// Whether there is an element beside one of a pair that is no neighbour of the other.
static bool goes_on_apart(const rl_tangle *t, uint32_t beside, uint32_t partner) {
  return beside != RL_NONE && !are_neighbours(&t->elements[beside], &t->elements[partner]);
}

// Whether the element that goes on at the end where the contact is says all there is to say, if
// there is one: the distance along a rope is least in its inside, or at a node, which belongs to
// the element behind it. `way` leads from the partner to this one.
static inline bool end_is_idle(const rl_tangle *t, uint32_t index, uint32_t partner,
                               double fraction, rl_vec3 way, double time) {
  const element *e = &t->elements[index];
  if (fraction >= 1.0) {
    return goes_on_apart(t, e->after, partner);
  }
  if (!(fraction <= 0.0) || !goes_on_apart(t, e->before, partner)) {
    return false;
  }
  const rl_vec3 from = from_after(t, e->before, time);
  return rl_dot(rl_sub(from, from_after(t, index, time)), way) < 0.0;
}

static bool later_is_idle(const rl_tangle *t, const pair *p, const rl_nearest *n, double time) {
  return end_is_idle(t, p->later, p->earlier, n->first, n->way, time);
}

static bool earlier_is_idle(const rl_tangle *t, const pair *p, const rl_nearest *n, double time) {
  return end_is_idle(t, p->earlier, p->later, n->second, rl_scale(-1.0, n->way), time);
}

static bool is_idle(const rl_tangle *t, const pair *p, const rl_nearest *n, double time) {
  return later_is_idle(t, p, n, time) || earlier_is_idle(t, p, n, time);
}

// (7) By how much ends can move, together, so that the other element stays beyond a plane through
// one of them that is across the way to the other end; or less than 0.
static double beyond(rl_vec3 end, rl_vec3 way, const rl_segment *other) {
  const rl_vec3 from = rl_sub(other->from, end), to = rl_add(from, other->way);
  const double first = rl_dot(from, way), second = rl_dot(to, way);
  const double least = first < second ? first : second;
  if (!(least > 0.0)) {
    return -1.0;
  }
  const double length = rl_length(way);
  const double scale = length + sqrt(rl_larger(rl_dot(from, from), rl_dot(to, to)));
  return fmin(0.5 * length, 0.5 * least / scale - end_guard * length);
}

// The same for what keeps an element idle at one of its ends.
static double idle_slack(const rl_tangle *t, uint32_t index, uint32_t partner, double fraction) {
  const rl_segment *at = &t->axes[index].at, *other = &t->axes[partner].at;
  if (fraction >= 1.0) {
    return beyond(rl_segment_end(at), at->way, other);
  }
  const uint32_t before = t->elements[index].before;
  const double slack = beyond(at->from, rl_scale(-1.0, at->way), other);
  return before + 1 != index || !(slack > 0.0)
             ? -1.0
             : fmin(slack, beyond(at->from, rl_sub(t->axes[before].at.from, at->from), other));
}

// Notes how long a pair that is none now will be no contact: the two come no nearer than they move;
// while one is idle their reaches do not matter, which are no less than at rest, and more where one
// is fast.
static void set_aside(const rl_tangle *t, const pair *p, const rl_nearest *n, double slack,
                      listed *l) {
  const double sum = radii(t, p), moved = t->moved[p->later] + t->moved[p->earlier];
  const double most = fmin(t->axes[p->later].radius, t->axes[p->earlier].radius);
  const double idle = slack > 0.0 ? sum + margin(sum, t->dt, 0.0) + fmin(slack, most) : 0.0;
  const double until = (1.0 - rounding) * (moved + rl_larger(rl_length(n->way), idle));
  l->until = until > (double)l->until ? (float)until : l->until;
}

// The direction from the earlier to the later element. Where their axes have come through each
// other, it stays that of the side on which they were, as long as they overlap.
static rl_vec3 find_normal(const rl_tangle *t, const pair *p, const rl_nearest *n, double distance,
                           rl_vec3 side) {
  const double sum = radii(t, p);
  rl_vec3 normal = rl_scale(distance > 0.0 ? 1.0 / distance : 0.0, n->way);
  if (!(distance > touching_axes * sum)) {
    const rl_vec3 u = t->axes[p->later].at.way, v = t->axes[p->earlier].at.way;
    normal = rl_unit(rl_cross(rl_unit(u), rl_unit(v)));
    normal = rl_is_zero(normal) ? side : normal;
    normal = rl_is_zero(normal) ? rl_across(rl_unit(u)) : normal;
  }
  const bool inside = n->first > 0.0 && n->first < 1.0 && n->second > 0.0 && n->second < 1.0;
  const bool crossed = rl_dot(normal, side) < 0.0 && (inside || distance < sum);
  return crossed ? rl_scale(-1.0, normal) : normal;
}

static void find_foot(const rl_rows *rows, const pair *p, const meeting *m, bool idle, rl_vec3 side,
                      rl_foot *foot) {
  const double sum = radii(rows->tangle, p);
  foot->normal = find_normal(rows->tangle, p, &m->at, m->distance, side);
  foot->fraction = m->at.first;
  foot->other_fraction = m->at.second;
  foot->is_idle = idle;
  foot->radius = sum;
  const double depth = rl_larger(sum - rl_dot(foot->normal, m->at.way), 0.0);
  foot->kept_depth = rows->keeps_depth ? (1.0 - recovery) * depth : 0.0;
}

// (4) Whether two elements can touch within the step; idle ones are near only within the travel.
static bool can_touch(const rl_tangle *t, const pair *p, double distance, bool idle) {
  const double sum = radii(t, p);
  if (distance <= sum + margin(sum, t->dt, 0.0) && !idle) {
    return true;
  }
  const double travel =
      2.0 * t->dt * (closing_speed(&t->motions[p->later], &t->motions[p->earlier]) + t->fall);
  return distance <= sum + (idle ? travel : margin(sum, t->dt, travel));
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

// Adds the contact of a pair that is nearest there now, if it is one; false: there is no room.
static bool detect_elements(const rl_model *model, rl_state *state, const rl_rows *rows,
                            uint64_t old_count, uint64_t *old, const pair *p, rl_nearest nearest) {
  rl_tangle *t = rows->tangle;
  meeting m = meeting_now(nearest);
  const double distance = m.distance;
  const bool meets = !rows->lists_idle && find_meeting(t, p, &m);
  const bool idle = is_idle(t, p, &m.at, m.time);
  if (idle && !rows->lists_idle) {
    return true;
  }
  if (!meets && !can_touch(t, p, distance, idle)) {
    return true;
  }
  if (t->contact_count == model->tangle_capacity) {
    return false;
  }
  const element *e = &t->elements[p->later];
  const rl_contact contact = {.rope = e->rope,
                              .node = e->place,
                              .slot = e->slots[0],
                              .next = e->slots[1],
                              .body = RL_NONE,
                              .other = t->elements[p->earlier].link};
  const uint64_t i = state->contact_count;
  rl_foot *foot = rl_contact_add(model, state, rows, old_count, old, &contact);
  const bool known = rows->contact_before[i] != RL_NONE;
  const bool deep = distance < 0.5 * radii(t, p);
  const rl_vec3 side = known  ? rows->old_sides[*old]
                       : deep ? inherited_side(rows, old_count, *old, &contact)
                              : rl_vec(0.0, 0.0, 0.0);
  find_foot(rows, p, &m, idle, side, foot);
  state->sides[i] = foot->normal;
  t->members[i] = *p;
  t->contact_count++;
  return true;
}

bool rl_detect_ropes(const rl_model *model, rl_state *state, const rl_rows *rows,
                     uint64_t old_count, uint64_t *old, uint32_t index) {
  const rl_tangle *t = rows->tangle;
  const float range = t->ranges[index];
  bool complete = true;
  for (uint32_t k = t->first[index]; k < t->first[index + 1] && complete; k++) {
    listed *l = &t->pairs[k];
    if (l->until > range + t->ranges[l->earlier]) { // most are
      continue;
    }
    const pair p = {index, l->earlier};
    const rl_nearest nearest = nearest_now(t, &p);
    if (rows->lists_idle || is_fast(t, &p)) {
      complete = detect_elements(model, state, rows, old_count, old, &p, nearest);
      continue;
    }
    const bool later = later_is_idle(t, &p, &nearest, 0.0);
    const bool earlier = later ? false : earlier_is_idle(t, &p, &nearest, 0.0);
    if (later || earlier) {
      const double slack = later ? idle_slack(t, index, l->earlier, nearest.first)
                                 : idle_slack(t, l->earlier, index, nearest.second);
      set_aside(t, &p, &nearest, slack, l);
    } else {
      complete = detect_elements(model, state, rows, old_count, old, &p, nearest);
    }
  }
  return complete;
}

void rl_detect_ropes_again(const rl_model *model, const rl_state *state, rl_rows *rows,
                           uint64_t contact) {
  const rl_tangle *t = rows->tangle;
  const pair *p = &t->members[contact];
  const meeting m = meeting_now(nearest_now(t, p));
  rl_foot *foot = &rows->feet[contact];
  find_foot(rows, p, &m, is_idle(t, p, &m.at, 0.0), foot->normal, foot);
  rl_row_freeze(model, state, rows, &rows->rows[rows->span_count + contact]);
}

double rl_rope_pair_friction(const rl_model *model, const rl_contact *contact) {
  return rl_pair_friction(model->ropes[contact->rope].friction,
                          model->ropes[model->link_rope[contact->other]].friction);
}

void rl_add_rope_row(const rl_model *model, const rl_state *state, rl_rows *rows,
                     const rl_contact *contact, uint32_t i) {
  const rl_link *other = &state->links[contact->other];
  rl_row *row = rl_rows_add(rows, RL_ROW_CONTACT, model->link_count + i, i);
  row->friction = rl_rope_pair_friction(model, contact);
  const uint32_t slots[4] = {contact->slot, contact->next, other->a, other->b};
  bool between_nodes = true;
  for (size_t k = 0; k < 4; k++) {
    between_nodes = between_nodes && rl_node_vertex(model, slots[k]).slot < model->node_count;
  }
  for (uint32_t k = 0; k < 4 && between_nodes; k++) { // the entries are filled in where one asks
    rows->vertices[row->first_vertex + k] = (rl_vertex){slots[k], {0.0, 0.0, 0.0}};
  }
  for (size_t k = 0; k < 4 && !between_nodes; k++) {
    rl_row_add_vertex(model, rows, row, rl_node_vertex(model, slots[k]));
  }
  row->vertex_count = 4;
  row->entry_count = between_nodes ? 4 : row->entry_count;
  rl_row_freeze(model, state, rows, row);
}
