// SPDX-License-Identifier: GPL-3.0-or-later
// Where two straight segments are nearest to each other.
#ifndef RL_SEGMENT_H
#define RL_SEGMENT_H

#include "vector.h"

#include <stdbool.h>

// The places as fractions of the two, 0 at their first ends, and the way from the second to the
// first [m].
typedef struct rl_nearest {
  double first, second;
  rl_vec3 way;
} rl_nearest;

// From the first ends to the second ones, and from the first end of the second segment to that of
// the first; and their products.
typedef struct rl_segments {
  rl_vec3 u, v, r;
  double uu, uv, vv, ru, rv;
} rl_segments;

// Of two unit vectors the square of the sine: less is parallel to rounding, and the lines' own
// nearest points are not to be had.
#define RL_SEGMENTS_PARALLEL 1e-10

static inline rl_nearest rl_segments_at(const rl_segments *p, double s, double t) {
  return RL_LITERAL(rl_nearest){s, t, rl_add_scaled(rl_add_scaled(p->r, s, p->u), -t, p->v)};
}

static inline double rl_segments_clamp(double x) { return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0; }

// Where they are parallel, or one has no length: nearest at an end of one of the two, or all along.
rl_nearest rl_segments_parallel(const rl_segments *segments);

// papers/tangle.md (1): segments of any length, 0 included. The square of the distance is convex in
// the two fractions. Nearest to the line of the second is a place of the first; if the place of the
// second that is nearest to that is beyond an end, then that end is, and what of the first is
// nearest to it. Of two that are parallel and beside each other the middle of the stretch where
// they are.
static inline rl_nearest rl_segments_nearest(rl_vec3 a0, rl_vec3 a1, rl_vec3 b0, rl_vec3 b1) {
  rl_segments p = {.u = rl_sub(a1, a0), .v = rl_sub(b1, b0), .r = rl_sub(a0, b0)};
  p.uu = rl_dot(p.u, p.u);
  p.uv = rl_dot(p.u, p.v);
  p.vv = rl_dot(p.v, p.v);
  p.ru = rl_dot(p.r, p.u);
  p.rv = rl_dot(p.r, p.v);
  const double determinant = p.uu * p.vv - p.uv * p.uv;
  if (!(determinant > RL_SEGMENTS_PARALLEL * p.uu * p.vv)) {
    return rl_segments_parallel(&p);
  }
  const double s = rl_segments_clamp((p.uv * p.rv - p.vv * p.ru) / determinant);
  const double t = (p.rv + s * p.uv) / p.vv;
  if (t >= 0.0 && t <= 1.0) {
    return rl_segments_at(&p, s, t);
  }
  const double end = rl_segments_clamp(t);
  return rl_segments_at(&p, rl_segments_clamp((end * p.uv - p.ru) / p.uu), end);
}

#endif
