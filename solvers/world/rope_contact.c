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

// Of a distance: more than rounding adds to it.
static const double rounding = 1e-6;

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
  double range; // how far from where its axis was when the pairs were listed it can touch [m]
} axis;

typedef struct motion {
  rl_vec3 ends[2]; // velocities [m/s]
} motion;

// The box of an element, and the cell in which its middle is; and the ball round it and its reach,
// which most that are in cells beside each other are told apart by.
typedef struct box {
  rl_vec3 low, high;
  double reach;
  int32_t cell[3];
  uint32_t element;
} box;

typedef struct ball {
  rl_vec3 middle;
  double radius;
} ball;

// Ends of the two elements of a pair. Where one is nearest to the other, the element that goes on
// there may say all there is to say.
enum { LATER_BEGINS = 1, LATER_ENDS = 2, EARLIER_BEGINS = 4, EARLIER_ENDS = 8 };

// Two elements that were as near as that when the pairs were listed, up to less than `rounding`.
typedef struct pair {
  uint32_t later, earlier;
  float distance;
  uint32_t shared_ends; // where an element goes on that is no neighbour of the other one
} pair;

struct rl_tangle {
  uint32_t capacity;      // pairs
  uint32_t bucket_mask;   // buckets - 1
  uint32_t count;         // elements
  uint32_t contact_count; // of ropes, so far in this step
  uint32_t pair_count;
  double dt, fall; // of the step: |g| dt
  element *elements;
  axis *axes;
  motion *motions;
  bool *fast;          // move by more than their radius in the step, against the mean of all
  uint32_t kept_count; // elements for which the pairs were listed, what these were and where;
  element *kept;       // range: how far from its axis each was looked for
  axis *kept_axes;
  box *boxes;           // by buckets
  ball *balls;          // of these
  uint32_t *buckets;    // where each begins, and one more
  pair *pairs, *sorted; // as they were found; by their later element, then the earlier
  uint32_t *first;      // [count + 1] where those of each later element begin
  uint32_t *members;    // [contacts] their pairs, among the sorted
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

rl_tangle *rl_tangle_carve(const rl_model *model, rl_carver *c) {
  rl_tangle counted = {0};
  rl_tangle *carved = rl_carve(c, 1, sizeof *carved);
  rl_tangle *t = carved ? carved : &counted;
  const uint32_t count = model->tangle_count;
  t->capacity = (uint32_t)room(count, RL_TANGLE_PAIRS);
  t->bucket_mask = bucket_count(count) - 1;
  t->elements = rl_carve(c, count, sizeof *t->elements);
  t->axes = rl_carve(c, count, sizeof *t->axes);
  t->motions = rl_carve(c, count, sizeof *t->motions);
  t->fast = rl_carve(c, count, sizeof *t->fast);
  t->kept = rl_carve(c, count, sizeof *t->kept);
  t->kept_axes = rl_carve(c, count, sizeof *t->kept_axes);
  t->boxes = rl_carve(c, count, sizeof *t->boxes);
  t->balls = rl_carve(c, count, sizeof *t->balls);
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
  rl_vec3 to = {0.0, 0.0, 0.0};
  for (uint32_t i = 0; i < t->count; i++) {
    const uint32_t *slots = t->elements[i].slots;
    const bool goes_on = i > 0 && t->elements[i - 1].slots[1] == slots[0];
    const rl_vec3 from = goes_on ? to : rl_node_position(model, state, slots[0]);
    to = rl_node_position(model, state, slots[1]);
    t->axes[i].at = rl_segment_between(from, to);
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
    t->axes[i].range = radius + margin(radius, t->dt, t->dt * (2.0 * speed + t->fall));
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

// Whether there is an element beside one of a pair that is no neighbour of the other.
static bool goes_on_apart(const rl_tangle *t, uint32_t beside, const element *partner) {
  return beside != RL_NONE && !are_neighbours(&t->kept[beside], partner);
}

// Lists the pair if it is near enough; false: there is no room.
static bool meet(rl_tangle *t, uint32_t a, uint32_t b) {
  const uint32_t i = a > b ? a : b, k = a > b ? b : a;
  const element *later = &t->kept[i], *earlier = &t->kept[k];
  if (!(later->moves || earlier->moves) || are_neighbours(later, earlier)) {
    return true;
  }
  const axis *x = &t->kept_axes[i], *y = &t->kept_axes[k];
  const double distance = rl_length(rl_segments_nearest(&x->at, &y->at).way);
  if (!(distance <= x->range + y->range)) {
    return true;
  }
  if (t->pair_count == t->capacity) {
    return false;
  }
  const uint32_t shared_ends = (goes_on_apart(t, later->before, earlier) ? LATER_BEGINS : 0U) |
                               (goes_on_apart(t, later->after, earlier) ? LATER_ENDS : 0U) |
                               (goes_on_apart(t, earlier->before, later) ? EARLIER_BEGINS : 0U) |
                               (goes_on_apart(t, earlier->after, later) ? EARLIER_ENDS : 0U);
  t->pairs[t->pair_count++] = (pair){i, k, (float)distance, shared_ends};
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
  const double at = x / size;
  return (int32_t)floor(at > -most ? (at < most ? at : most) : -most);
}

// Cells that follow each other in z have buckets that do; the others are scattered, so that ropes
// that lie along a line have buckets of their own as well.
static uint32_t bucket_of(const rl_tangle *t, const int32_t cell[3]) {
  return ((uint32_t)cell[0] * UINT32_C(0x9e3779b1) + (uint32_t)cell[1] * UINT32_C(0x85ebca6b) +
          (uint32_t)cell[2]) &
         t->bucket_mask;
}

static box box_of(const rl_tangle *t, uint32_t i, rl_vec3 size) {
  const rl_segment *at = &t->kept_axes[i].at;
  const rl_vec3 middle = rl_add_scaled(at->from, 0.5, at->way);
  const rl_vec3 half = {0.5 * fabs(at->way.x), 0.5 * fabs(at->way.y), 0.5 * fabs(at->way.z)};
  return (box){
      .low = rl_sub(middle, half),
      .high = rl_add(middle, half),
      .reach = (1.0 + rounding) * t->kept_axes[i].range,
      .cell = {cell_of(middle.x, size.x), cell_of(middle.y, size.y), cell_of(middle.z, size.z)},
      .element = i};
}

// A cell is along each axis as large as the largest box: two that meet are in the same one or in
// two beside each other.
static rl_vec3 cell_size(const rl_tangle *t) {
  rl_vec3 size = {0.0, 0.0, 0.0};
  for (uint32_t i = 0; i < t->count; i++) {
    const axis *e = &t->kept_axes[i];
    size.x = fmax(size.x, fabs(e->at.way.x) + 2.0 * e->range);
    size.y = fmax(size.y, fabs(e->at.way.y) + 2.0 * e->range);
    size.z = fmax(size.z, fabs(e->at.way.z) + 2.0 * e->range);
  }
  return size;
}

// Counting sort of the boxes by their buckets.
static void sort_boxes(rl_tangle *t, rl_vec3 size) {
  memset(t->buckets, 0, ((size_t)t->bucket_mask + 2) * sizeof *t->buckets);
  for (uint32_t i = 0; i < t->count; i++) {
    const box b = box_of(t, i, size);
    t->buckets[bucket_of(t, b.cell) + 1]++;
  }
  for (uint32_t k = 0; k <= t->bucket_mask; k++) {
    t->buckets[k + 1] += t->buckets[k];
  }
  for (uint32_t i = t->count; i-- > 0;) { // from behind: each bucket stays in order
    const box b = box_of(t, i, size);
    const axis *e = &t->kept_axes[i];
    const uint32_t place = --t->buckets[bucket_of(t, b.cell) + 1];
    t->boxes[place] = b;
    t->balls[place] = (ball){rl_add_scaled(e->at.from, 0.5, e->at.way),
                             (1.0 + rounding) * (0.5 * sqrt(e->at.square) + e->range)};
  }
  // Each now stands one too far to the right, and holds where its bucket begins.
  memmove(t->buckets, t->buckets + 1, ((size_t)t->bucket_mask + 1) * sizeof *t->buckets);
  t->buckets[t->bucket_mask + 1] = t->count;
}

static bool balls_meet(const ball *a, const ball *b) {
  const rl_vec3 way = rl_sub(a->middle, b->middle);
  const double reach = a->radius + b->radius;
  return rl_dot(way, way) <= reach * reach;
}

// Whether the cell of the other is in a column of those beside this one's: so many cells away in x
// and y, and one in z. In its own column a cell is met from below.
static bool is_in_column(const box *b, const box *other, int32_t dx, int32_t dy) {
  const int32_t dz = other->cell[2] - b->cell[2];
  return other->cell[0] - b->cell[0] == dx && other->cell[1] - b->cell[1] == dy &&
         (dz == 0 || dz == 1 || (dz == -1 && (dx != 0 || dy != 0)));
}

// A box against those of a column that are in a stretch of buckets, with others that are elsewhere.
static bool meet_stretch(rl_tangle *t, uint32_t index, int32_t dx, int32_t dy, uint32_t from,
                         uint32_t to) {
  const box *b = &t->boxes[index];
  const ball around = t->balls[index];
  for (uint32_t k = from; k < to; k++) {
    const box *other = &t->boxes[k];
    if (balls_meet(&around, &t->balls[k]) && boxes_meet(b, other) &&
        is_in_column(b, other, dx, dy) && !meet(t, b->element, other->element)) {
      return false;
    }
  }
  return true;
}

// Its two or three cells are one stretch, but where that goes on at the first bucket.
static bool meet_column(rl_tangle *t, uint32_t index, int32_t dx, int32_t dy) {
  const int32_t *cell = t->boxes[index].cell;
  const bool own = dx == 0 && dy == 0; // what is before the box has met it
  const int32_t low[3] = {cell[0] + dx, cell[1] + dy, own ? cell[2] : cell[2] - 1};
  const uint32_t first = bucket_of(t, low);
  const uint32_t last = (first + (own ? 1 : 2)) & t->bucket_mask;
  const uint32_t from = own ? index + 1 : t->buckets[first], to = t->buckets[last + 1];
  return first < last ? meet_stretch(t, index, dx, dy, from, to)
                      : meet_stretch(t, index, dx, dy, from, t->count) &&
                            meet_stretch(t, index, dx, dy, 0, to);
}

// Each pair once: what is behind in the same cell, and the 13 cells that follow in x, then y, then
// z.
static bool meet_all(rl_tangle *t) {
  bool complete = true;
  for (uint32_t i = 0; i < t->count && complete; i++) {
    complete = meet_column(t, i, 0, 0) && meet_column(t, i, 0, 1) && meet_column(t, i, 1, -1) &&
               meet_column(t, i, 1, 0) && meet_column(t, i, 1, 1);
  }
  return complete;
}

// By the later element, and then by the earlier.
static void sort_pairs(rl_tangle *t) {
  memset(t->first, 0, ((size_t)t->count + 1) * sizeof *t->first);
  for (uint32_t i = 0; i < t->pair_count; i++) {
    t->first[t->pairs[i].later + 1]++;
  }
  for (uint32_t i = 0; i < t->count; i++) {
    t->first[i + 1] += t->first[i];
  }
  for (uint32_t i = 0; i < t->pair_count; i++) {
    t->sorted[t->first[t->pairs[i].later]++] = t->pairs[i];
  }
  memmove(t->first + 1, t->first, t->count * sizeof *t->first);
  t->first[0] = 0;
  for (uint32_t i = 0; i < t->count; i++) {
    for (uint32_t k = t->first[i] + 1; k < t->first[i + 1]; k++) {
      const pair moved = t->sorted[k];
      uint32_t to = k;
      for (; to > t->first[i] && t->sorted[to - 1].earlier > moved.earlier; to--) {
        t->sorted[to] = t->sorted[to - 1];
      }
      t->sorted[to] = moved;
    }
  }
}

// Lists the pairs from where the elements are now; false: there are more than there is room for.
static bool list_pairs(rl_tangle *t, double spare) {
  for (uint32_t i = 0; i < t->count; i++) {
    t->kept[i] = t->elements[i];
    t->kept_axes[i] = t->axes[i];
    t->kept_axes[i].range *= 1.0 + spare;
  }
  t->kept_count = t->count;
  t->pair_count = 0;
  sort_boxes(t, cell_size(t));
  const bool complete = meet_all(t);
  sort_pairs(t);
  return complete;
}

// Whether nothing was parted or grown, held or let go.
static bool is_same(const element *a, const element *b) {
  return a->rope == b->rope && a->place == b->place && a->link == b->link &&
         a->slots[0] == b->slots[0] && a->slots[1] == b->slots[1] && a->moves == b->moves &&
         a->begin == b->begin && a->end == b->end && a->whole == b->whole;
}

// Whether what can touch within the step is among the pairs that were listed. The distance of two
// elements changes by no more than their ends move, against the mean of all. From then on the
// ranges are about where the elements were.
static bool pairs_hold(rl_tangle *t) {
  bool hold = t->count == t->kept_count;
  rl_vec3 mean = {0.0, 0.0, 0.0};
  for (uint32_t i = 0; i < t->count && hold; i++) {
    hold = is_same(&t->elements[i], &t->kept[i]);
    mean = rl_add(mean, rl_sub(t->axes[i].at.from, t->kept_axes[i].at.from));
  }
  mean = rl_scale(1.0 / (double)t->count, mean);
  for (uint32_t i = 0; i < t->count && hold; i++) {
    axis *now = &t->axes[i];
    const axis *then = &t->kept_axes[i];
    const rl_vec3 a = rl_sub(rl_sub(now->at.from, then->at.from), mean);
    const rl_vec3 b = rl_add(a, rl_sub(now->at.way, then->at.way));
    const double moved = sqrt(rl_larger(rl_dot(a, a), rl_dot(b, b)));
    now->range += moved;
    hold = (1.0 + rounding) * now->range <= then->range;
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
  if (pairs_hold(t)) {
    return true;
  }
  find_reach(t);
  return list_pairs(t, kept_reach) || list_pairs(t, 0.0);
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
  return t->elements[p->later].radius + t->elements[p->earlier].radius;
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

// Whether the element that goes on at the end where the contact is says all there is to say, if
// there is one: the distance along a rope is least in its inside, or at a node, which belongs to
// the element behind it. `way` leads from the partner to this one.
static inline bool end_is_idle(const rl_tangle *t, uint32_t index, double fraction, rl_vec3 way,
                               double time, bool before, bool after) {
  if (fraction >= 1.0) {
    return after;
  }
  if (!(fraction <= 0.0 && before)) {
    return false;
  }
  const rl_vec3 from = from_after(t, t->elements[index].before, time);
  return rl_dot(rl_sub(from, from_after(t, index, time)), way) < 0.0;
}

static inline bool is_idle(const rl_tangle *t, const pair *p, const rl_nearest *n, double time) {
  return end_is_idle(t, p->later, n->first, n->way, time, p->shared_ends & LATER_BEGINS,
                     p->shared_ends & LATER_ENDS) ||
         end_is_idle(t, p->earlier, n->second, rl_scale(-1.0, n->way), time,
                     p->shared_ends & EARLIER_BEGINS, p->shared_ends & EARLIER_ENDS);
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

// Adds the contact of a pair, the index-th of the sorted, that is nearest there now, if it is one;
// false: there is no room.
static bool detect_elements(const rl_model *model, rl_state *state, const rl_rows *rows,
                            uint64_t old_count, uint64_t *old, uint32_t index, rl_nearest nearest) {
  rl_tangle *t = rows->tangle;
  const pair *p = &t->sorted[index];
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
  const bool known = rl_contact_was(rows, old_count, old, &contact);
  const bool deep = distance < 0.5 * radii(t, p);
  const rl_vec3 side = known  ? rows->old_sides[*old]
                       : deep ? inherited_side(rows, old_count, *old, &contact)
                              : rl_vec(0.0, 0.0, 0.0);
  t->members[state->contact_count] = index;
  t->contact_count++;
  rl_foot foot = {0};
  find_foot(rows, p, &m, idle, side, &foot);
  rl_contact_add(model, state, rows, old_count, old, contact, foot);
  return true;
}

bool rl_detect_ropes(const rl_model *model, rl_state *state, const rl_rows *rows,
                     uint64_t old_count, uint64_t *old, uint32_t index) {
  const rl_tangle *t = rows->tangle;
  bool complete = true;
  for (uint32_t k = t->first[index]; k < t->first[index + 1] && complete; k++) {
    const pair *p = &t->sorted[k];
    const double ranges = t->axes[index].range + t->axes[p->earlier].range;
    if (!((double)p->distance <= (1.0 + rounding) * ranges)) {
      continue;
    }
    const rl_nearest nearest = nearest_now(t, p);
    if (rows->lists_idle || is_fast(t, p) || !is_idle(t, p, &nearest, 0.0)) { // most are
      complete = detect_elements(model, state, rows, old_count, old, k, nearest);
    }
  }
  return complete;
}

void rl_detect_ropes_again(const rl_model *model, const rl_state *state, rl_rows *rows,
                           uint64_t contact) {
  const rl_tangle *t = rows->tangle;
  const pair *p = &t->sorted[t->members[contact]];
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
  rl_row *row = rl_rows_add(rows, (rl_row){.kind = RL_ROW_CONTACT,
                                           .source = model->link_count + i,
                                           .item = i,
                                           .friction = rl_rope_pair_friction(model, contact),
                                           .upper = INFINITY});
  const uint32_t slots[4] = {contact->slot, contact->next, other->a, other->b};
  rl_vertex vertices[4];
  bool between_nodes = true;
  for (size_t k = 0; k < 4; k++) {
    vertices[k] = rl_node_vertex(model, slots[k]);
    between_nodes = between_nodes && vertices[k].slot < model->node_count;
  }
  for (size_t k = 0; k < 4; k++) {
    if (between_nodes) { // the entries are filled in where one asks
      rows->vertices[row->first_vertex + row->vertex_count++] = vertices[k];
      row->entry_count++;
    } else {
      rl_row_add_vertex(model, rows, row, vertices[k]);
    }
  }
  rl_row_freeze(model, state, rows, row);
}
