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

// Segments of any length, 0 included. Of two that are parallel and beside each other the middle of
// the stretch where they are.
rl_nearest rl_segments_nearest(rl_vec3 a0, rl_vec3 a1, rl_vec3 b0, rl_vec3 b1);

#endif
