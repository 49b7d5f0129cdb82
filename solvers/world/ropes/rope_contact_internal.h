// SPDX-License-Identifier: GPL-3.0-or-later
// Elements of ropes that touch ropes, and which of them are near each other: private to
// rope_contact.c and rope_contact_pairs.c.
#ifndef RL_ROPE_CONTACT_INTERNAL_H
#define RL_ROPE_CONTACT_INTERNAL_H

#include "../segment.h"
#include "rope_contact.h"

// Of the contact distance: what is not farther apart than that is listed at any speed, for what
// holds the rope can throw its nodes about within a step.
static const double rl_tangle_least_margin = 0.5;

// Of a distance: more than rounding adds to it.
static const double rl_tangle_rounding = 1e-6;

// An element of a rope that touches ropes: what changes only where ropes are parted or grow.
typedef struct rl_tangle_element {
  uint32_t rope, place;   // place along the rope of the node where it begins
  uint32_t link;          // index among all
  uint32_t slots[2];      // where it begins and ends
  uint32_t before, after; // elements that go on at its ends; RL_NONE: none
  bool moves;
  double begin, end; // along the rope [m]
  double whole;      // of a closed rope its rest length, else INFINITY [m]
  double radius;
} rl_tangle_element;

// Where it is, in one cache line.
typedef struct rl_tangle_axis {
  rl_segment at;
  double radius;
} rl_tangle_axis;

typedef struct rl_tangle_motion {
  rl_vec3 ends[2]; // velocities [m/s]
} rl_tangle_motion;

// Two elements; and one that was listed with a later one, which is no contact as long as their
// ranges together are less than `until`.
typedef struct rl_tangle_pair {
  uint32_t later, earlier;
} rl_tangle_pair;

typedef struct rl_tangle_listed {
  uint32_t earlier;
  float until;
} rl_tangle_listed;

// Boxes: middles and half of what they measure, and how far from them is looked, in single
// precision and no smaller than they are. So many are compared with one at once; there is room for
// as many behind the last.
enum { MEASURED = 4 };
typedef struct rl_tangle_boxes {
  float *x, *y, *z, *half_x, *half_y, *half_z, *reach;
} rl_tangle_boxes;

// So many elements of a rope are looked for together, one after the other along it.
enum { STRETCH = MEASURED };

// Stretches by buckets, and the cells in which their middles are.
typedef struct rl_tangle_cells {
  uint32_t bucket_mask; // buckets - 1
  uint32_t *buckets;    // where each begins, and one more
  int32_t (*at)[3];
  uint32_t *stretches;
} rl_tangle_cells;

struct rl_tangle {
  uint32_t capacity;      // pairs
  uint32_t count;         // elements
  uint32_t contact_count; // of ropes, so far in this step
  uint32_t pair_count;
  double dt, fall; // of the step: |g| dt
  rl_tangle_element *elements;
  rl_tangle_axis *axes;
  rl_tangle_motion *motions;
  bool *fast;          // move by more than their radius in the step, against the mean of all
  double *reaches;     // how far from its axis each can touch in the step [m]
  double *moved;       // the way it has come since the pairs were listed [m]
  float *ranges;       // the two together, no less [m]
  rl_segment *last;    // where its axis was when the way was measured last
  uint32_t kept_count; // elements for which the pairs were listed, what these were, how far from
  rl_tangle_element *kept; // its axis each was looked for, and for which step
  double *kept_reaches;
  double kept_dt;
  uint32_t stretch_count;
  uint32_t *stretches;           // [count + 1] their first elements
  rl_tangle_boxes boxes, wholes; // of elements; of stretches, by buckets
  rl_tangle_cells cells;
  uint32_t *near;          // [count] scratch: stretches near one
  uint32_t *places;        // [count] and where each is among those in buckets
  rl_tangle_listed *pairs; // by their later elements, then the earlier
  uint32_t *first;         // [count + 1] where those of each later element begin
  rl_tangle_pair *members; // [contacts] between which they are
};

// Whether two elements belong so closely together that they cannot touch.
bool rl_tangle_are_neighbours(const rl_tangle_element *later, const rl_tangle_element *earlier);

// What is added to a distance of contact within dt, for a travel in it; at a moment nothing.
static inline double rl_tangle_margin(double distance, double dt, double travel) {
  return dt > 0.0 ? rl_larger(travel, rl_tangle_least_margin * distance) : 0.0;
}

#endif
