// SPDX-License-Identifier: GPL-3.0-or-later
// Elements of ropes that can touch ropes, and the pairs of them that are near each other: private
// to rope_contact.c and rope_contact_pairs.c.
#ifndef RL_ROPE_CONTACT_INTERNAL_H
#define RL_ROPE_CONTACT_INTERNAL_H

#include "../segment.h"
#include "rope_contact.h"

// Relative to the contact distance: pairs with a gap of at most this are listed at any speed, for
// constraints can accelerate nodes within a step.
static const double rl_tangle_least_margin = 0.5;

// Relative to a distance: more than its rounding.
static const double rl_tangle_rounding = 1e-6;

// The part of an element that changes only when ropes part or grow.
typedef struct rl_tangle_element {
  uint32_t rope, place;   // place: index along the rope of the node where it begins
  uint32_t link;          // index in state->links
  uint32_t slots[2];      // of its first and last node
  uint32_t before, after; // the tangle elements beside it; RL_NONE: none
  bool moves;
  double begin, end; // rest length along the rope [m]
  double whole;      // rest length of a closed rope; else INFINITY [m]
  double radius;     // [m]
} rl_tangle_element;

// The position of an element, in one cache line.
typedef struct rl_tangle_axis {
  rl_segment at;
  double radius;
} rl_tangle_axis;

typedef struct rl_tangle_motion {
  rl_vec3 ends[2]; // velocities [m/s]
} rl_tangle_motion;

// Two elements.
typedef struct rl_tangle_pair {
  uint32_t later, earlier;
} rl_tangle_pair;

// An element that was listed with a later one. They are no contact as long as the sum of their
// ranges is less than `until`.
typedef struct rl_tangle_listed {
  uint32_t earlier;
  float until;
} rl_tangle_listed;

// Axis-aligned boxes: centres, half extents and reaches, in single precision, rounded up. MEASURED
// boxes are compared with one at once; the arrays have room for as many behind the last.
enum { MEASURED = 4 };
typedef struct rl_tangle_boxes {
  float *x, *y, *z, *half_x, *half_y, *half_z, *reach;
} rl_tangle_boxes;

// Number of consecutive elements of a rope in a stretch; stretches are searched for as a whole.
enum { STRETCH = MEASURED };

// A hash grid of the stretches, sorted by buckets.
typedef struct rl_tangle_cells {
  uint32_t bucket_mask; // number of buckets - 1
  uint32_t *buckets;    // [buckets + 1] index of the first stretch of each
  int32_t (*at)[3];     // [stretches] cell of the centre of each
  uint32_t *stretches;  // [stretches] which stretch each is
} rl_tangle_cells;

struct rl_tangle {
  uint32_t capacity;      // of pairs
  uint32_t count;         // of elements
  uint32_t contact_count; // of ropes, so far in this step
  uint32_t pair_count;
  double dt, fall; // of the step; fall: |g| dt [m/s]
  rl_tangle_element *elements;
  rl_tangle_axis *axes;
  rl_tangle_motion *motions;
  bool *fast;       // whether it moves by more than its radius in the step, relative to the mean
  double *reaches;  // distance from its axis at which it can touch in the step [m]
  double *moved;    // distance moved since the pairs were listed [m]
  float *ranges;    // sum of both, rounded up [m]
  rl_segment *last; // axis when `moved` was last updated
  // When the pairs were listed: elements, distances from their axes of the search, time step.
  uint32_t kept_count;
  rl_tangle_element *kept;
  double *kept_reaches;
  double kept_dt;
  uint32_t stretch_count;
  uint32_t *stretches;           // [count + 1] first element of each stretch
  rl_tangle_boxes boxes, wholes; // of elements; of stretches, sorted by buckets
  rl_tangle_cells cells;
  uint32_t *near;          // [count] scratch: stretches near one
  uint32_t *places;        // [count] index of each stretch in the order of buckets
  rl_tangle_listed *pairs; // sorted by later elements, then by earlier ones
  uint32_t *first;         // [count + 1] index of the first pair of each later element
  rl_tangle_pair *members; // [contacts] the elements of each contact
};

// Whether two elements share a node, or are so close along a rope that they cannot touch.
bool rl_tangle_are_neighbours(const rl_tangle_element *later, const rl_tangle_element *earlier);

// Returns what is added to the contact distance for a travel within dt [m]; 0 if dt is 0.
static inline double rl_tangle_margin(double distance, double dt, double travel) {
  return dt > 0.0 ? rl_larger(travel, rl_tangle_least_margin * distance) : 0.0;
}

#endif
