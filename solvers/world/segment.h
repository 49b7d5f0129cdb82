// SPDX-License-Identifier: GPL-3.0-or-later
// Where two straight segments are nearest to each other.
#ifndef RL_SEGMENT_H
#define RL_SEGMENT_H

#include "vector.h"

#include <stdbool.h>

typedef struct rl_segment {
  rl_vec3 from, way; // where it begins [m], and from there to its end
  double square;     // of its length [m^2]
} rl_segment;

static inline rl_segment rl_segment_from(rl_vec3 from, rl_vec3 way) {
  return RL_LITERAL(rl_segment){from, way, rl_dot(way, way)};
}

static inline rl_segment rl_segment_between(rl_vec3 from, rl_vec3 to) {
  return rl_segment_from(from, rl_sub(to, from));
}

static inline rl_vec3 rl_segment_end(const rl_segment *s) { return rl_add(s->from, s->way); }

// The places as fractions of the two, 0 at their first ends, and the way from the second to the
// first [m].
typedef struct rl_nearest {
  double first, second;
  rl_vec3 way;
} rl_nearest;

// Of two unit vectors the square of the sine: less is parallel to rounding, and the lines' own
// nearest points are not to be had.
#define RL_SEGMENTS_PARALLEL 1e-10

static inline rl_nearest rl_segments_at(const rl_segment *a, const rl_segment *b, rl_vec3 between,
                                        double s, double t) {
  return RL_LITERAL(rl_nearest){s, t, rl_add_scaled(rl_add_scaled(between, s, a->way), -t, b->way)};
}

// Written so that it needs no jump; 0 of what is nan.
static inline double rl_segments_clamp(double x) {
  const double positive = x > 0.0 ? x : 0.0;
  return positive < 1.0 ? positive : 1.0;
}

// Where they are parallel, or one has no length: nearest at an end of one of the two, or all along.
rl_nearest rl_segments_parallel(const rl_segment *a, const rl_segment *b);

// papers/tangle.md (1): segments of any length, 0 included. The square of the distance is convex in
// the two fractions. Nearest to the line of the second is a place of the first; if the place of the
// second that is nearest to that is beyond an end, then that end is, and what of the first is
// nearest to it. Of two that are parallel and beside each other the middle of the stretch where
// they are.
static inline rl_nearest rl_segments_nearest(const rl_segment *a, const rl_segment *b) {
  const rl_vec3 r = rl_sub(a->from, b->from);
  const double uu = a->square, uv = rl_dot(a->way, b->way), vv = b->square;
  const double ru = rl_dot(r, a->way), rv = rl_dot(r, b->way);
  const double determinant = uu * vv - uv * uv;
  if (!(determinant > RL_SEGMENTS_PARALLEL * uu * vv)) {
    return rl_segments_parallel(a, b);
  }
  const double s = rl_segments_clamp((uv * rv - vv * ru) / determinant);
  const double t = (rv + s * uv) / vv;
  if (t >= 0.0 && t <= 1.0) {
    return rl_segments_at(a, b, r, s, t);
  }
  const double end = rl_segments_clamp(t);
  return rl_segments_at(a, b, r, rl_segments_clamp((end * uv - ru) / uu), end);
}

#endif
