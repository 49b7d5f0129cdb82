// SPDX-License-Identifier: GPL-3.0-or-later
#include "segment.h"

// Of two unit vectors the square of the sine: less is parallel to rounding, and the lines' own
// nearest points are not to be had.
static const double parallel = 1e-10;

// Of the least square of the distance: what is not farther is as near.
static const double tie = 1e-12;

typedef struct pair {
  rl_vec3 a, b;       // first ends
  rl_vec3 u, v;       // from there to the second ends
  double uu, uv, vv;  // and their products
  rl_vec3 r;          // a - b
  double best;        // the least square of the distance so far
  rl_nearest nearest; // and where
} pair;

static double clamp(double x) { return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0; }

static double project(double product, double square) {
  return square > 0.0 ? clamp(product / square) : 0.0;
}

static rl_nearest at(const pair *p, double s, double t) {
  return (rl_nearest){s, t, rl_add_scaled(rl_add_scaled(p->r, s, p->u), -t, p->v)};
}

static void try_places(pair *p, double s, double t) {
  const rl_nearest n = at(p, s, t);
  const double square = rl_dot(n.way, n.way);
  if (square < p->best) {
    p->best = square;
    p->nearest = n;
  }
}

// The nearest place of the second to a place of the first, and the other way round.
static double beside_first(const pair *p, double s) {
  return project(rl_dot(p->r, p->v) + s * p->uv, p->vv);
}

static double beside_second(const pair *p, double t) {
  return project(t * p->uv - rl_dot(p->r, p->u), p->uu);
}

// papers/tangle.md (1). The square of the distance is convex in the two fractions: it is least
// where its gradient is 0, if that is inside, and otherwise at an end of one of the two.
rl_nearest rl_segments_nearest(rl_vec3 a0, rl_vec3 a1, rl_vec3 b0, rl_vec3 b1) {
  pair p = {.a = a0, .b = b0, .u = rl_sub(a1, a0), .v = rl_sub(b1, b0), .r = rl_sub(a0, b0)};
  p.uu = rl_dot(p.u, p.u);
  p.uv = rl_dot(p.u, p.v);
  p.vv = rl_dot(p.v, p.v);
  const double ru = rl_dot(p.r, p.u), rv = rl_dot(p.r, p.v);
  const double determinant = p.uu * p.vv - p.uv * p.uv;
  if (determinant > parallel * p.uu * p.vv) {
    const double s = (p.uv * rv - p.vv * ru) / determinant;
    const double t = (p.uu * rv - p.uv * ru) / determinant;
    if (s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0) {
      return at(&p, s, t);
    }
  }
  p.best = INFINITY;
  p.nearest = at(&p, 0.0, 0.0);
  try_places(&p, 0.0, beside_first(&p, 0.0));
  try_places(&p, 1.0, beside_first(&p, 1.0));
  try_places(&p, beside_second(&p, 0.0), 0.0);
  try_places(&p, beside_second(&p, 1.0), 1.0);
  if (!(determinant > parallel * p.uu * p.vv)) {
    const double s = 0.5 * (beside_second(&p, 0.0) + beside_second(&p, 1.0));
    const rl_nearest middle = at(&p, s, beside_first(&p, s));
    if (rl_dot(middle.way, middle.way) <= (1.0 + tie) * p.best) {
      return middle;
    }
  }
  return p.nearest;
}
