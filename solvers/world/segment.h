// SPDX-License-Identifier: GPL-3.0-or-later
// The nearest points of two straight segments.
#ifndef RL_SEGMENT_H
#define RL_SEGMENT_H

#include "vector.h"

typedef struct rl_segment {
  rl_vec3 from, way; // first end, and vector to the second end [m]
  double square;     // squared length [m^2]
} rl_segment;

// Return a segment from its first end and the vector to the second, or from both ends; and that
// end.
static inline rl_segment rl_segment_from(rl_vec3 from, rl_vec3 way) {
  return RL_LITERAL(rl_segment){from, way, rl_dot(way, way)};
}

static inline rl_segment rl_segment_between(rl_vec3 from, rl_vec3 to) {
  return rl_segment_from(from, rl_sub(to, from));
}

static inline rl_vec3 rl_segment_end(const rl_segment *s) { return rl_add(s->from, s->way); }

// The nearest points as fractions of both segments, 0 at their first ends, and the vector from the
// point of the second segment to that of the first [m].
typedef struct rl_nearest {
  double first, second;
  rl_vec3 way;
} rl_nearest;

// Squared sine of the angle below which two segments count as parallel: rounding leaves nothing of
// the nearest points of their lines.
#define RL_SEGMENTS_PARALLEL 1e-10

// Returns the points at the fractions s of `a` and t of `b`, with `between` from b->from to
// a->from.
static inline rl_nearest rl_segments_at(const rl_segment *a, const rl_segment *b, rl_vec3 between,
                                        double s, double t) {
  return RL_LITERAL(rl_nearest){s, t, rl_add_scaled(rl_add_scaled(between, s, a->way), -t, b->way)};
}

// Clamps to [0, 1] without a branch; returns 0 for nan.
static inline double rl_segments_clamp(double x) {
  const double positive = x > 0.0 ? x : 0.0;
  return positive < 1.0 ? positive : 1.0;
}

// Returns the nearest points of segments that are parallel, or of which one has no length: in the
// middle of the stretch where they overlap, else at an end.
rl_nearest rl_segments_parallel(const rl_segment *a, const rl_segment *b);

// (1) of papers/tangle.md. Returns the nearest points of segments of any length, 0 included. The
// squared distance is convex in the two fractions: take the point of `a` nearest to the line of
// `b`, then the point of `b` nearest to that; if that is beyond an end of `b`, take the end, and
// the point of `a` nearest to it.
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
