// SPDX-License-Identifier: GPL-3.0-or-later
#include "segment.h"

#include <stddef.h>

// Of the least square of the distance: what is not farther is as near.
static const double tie = 1e-12;

static double project(double product, double square) {
  return square > 0.0 ? rl_segments_clamp(product / square) : 0.0;
}

// From the first end of the second to that of the first, and the products of what (1) is made of.
typedef struct pair {
  const rl_segment *a, *b;
  rl_vec3 r;
  double uv, ru, rv;
} pair;

// The nearest place of the second to a place of the first, and the other way round.
static double beside_first(const pair *p, double s) {
  return project(p->rv + s * p->uv, p->b->square);
}

static double beside_second(const pair *p, double t) {
  return project(t * p->uv - p->ru, p->a->square);
}

static rl_nearest at(const pair *p, double s, double t) {
  return rl_segments_at(p->a, p->b, p->r, s, t);
}

rl_nearest rl_segments_parallel(const rl_segment *a, const rl_segment *b) {
  const rl_vec3 r = rl_sub(a->from, b->from);
  const pair p = {a, b, r, rl_dot(a->way, b->way), rl_dot(r, a->way), rl_dot(r, b->way)};
  const double ends[2] = {beside_second(&p, 0.0), beside_second(&p, 1.0)};
  const double s = 0.5 * (ends[0] + ends[1]);
  const rl_nearest middle = at(&p, s, beside_first(&p, s));
  const rl_nearest others[4] = {at(&p, 0.0, beside_first(&p, 0.0)),
                                at(&p, 1.0, beside_first(&p, 1.0)), at(&p, ends[0], 0.0),
                                at(&p, ends[1], 1.0)};
  const rl_nearest *best = &others[0];
  for (size_t i = 1; i < 4; i++) {
    best = rl_dot(others[i].way, others[i].way) < rl_dot(best->way, best->way) ? &others[i] : best;
  }
  return rl_dot(middle.way, middle.way) <= (1.0 + tie) * rl_dot(best->way, best->way) ? middle
                                                                                      : *best;
}
