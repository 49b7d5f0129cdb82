// SPDX-License-Identifier: GPL-3.0-or-later
#include "fixed_rope.h"

#include <math.h>

// Products have 64 bits: positions are kept below 2^30, so that the sum of the squares of two
// differences fits.
enum { SHORTEST = 128 };
static const int32_t limit = (INT32_C(1) << 30) - 1;
// 0.7 as a single-precision number, in fixed point.
static const int64_t share = 45875;

static int32_t keep_in_range(rl_fixed *fixed, int64_t value) {
  if (value > limit || value < -limit) {
    fixed->overflow = true;
    return value > 0 ? limit : -limit;
  }
  return (int32_t)value;
}

int32_t rl_fixed_from(rl_fixed *fixed, double metres) {
  const double nearest = floor(metres * fixed->scale + 0.5);
  if (!(fabs(nearest) <= (double)limit)) { // nan as well
    fixed->overflow = true;
    return 0;
  }
  return (int32_t)nearest;
}

double rl_fixed_to(const rl_fixed *fixed, int32_t number) { return number / fixed->scale; }

// Division by 65536 that rounds down, as shifting to the right does.
static int64_t shift_down(int64_t value) {
  return value >= 0 ? value / RL_FIXED_ONE : -((RL_FIXED_ONE - 1 - value) / RL_FIXED_ONE);
}

// The whole part of the square root, bit by bit.
static int64_t whole_root(int64_t value) {
  int64_t rest = value;
  int64_t root = 0;
  for (int64_t bit = INT64_C(1) << 62; bit > 0; bit /= 4) {
    if (rest >= root + bit) {
      rest -= root + bit;
      root = root / 2 + bit;
    } else {
      root /= 2;
    }
  }
  return root;
}

rl_fixed_node rl_fixed_node_at(rl_fixed *fixed, double x, double y, double dx, double dy) {
  rl_fixed_node node = {.x = rl_fixed_from(fixed, x), .y = rl_fixed_from(fixed, y)};
  node.old_x = keep_in_range(fixed, (int64_t)node.x - rl_fixed_from(fixed, dx));
  node.old_y = keep_in_range(fixed, (int64_t)node.y - rl_fixed_from(fixed, dy) - fixed->gravity);
  return node;
}

rl_fixed_node rl_fixed_node_held(rl_fixed *fixed, double x, double y) {
  return (rl_fixed_node){
      .x = rl_fixed_from(fixed, x), .y = rl_fixed_from(fixed, y), .is_held = true};
}

double rl_fixed_move_x(const rl_fixed *fixed, const rl_fixed_node *node) {
  return ((double)node->x - node->old_x) / fixed->scale;
}

double rl_fixed_move_y(const rl_fixed *fixed, const rl_fixed_node *node) {
  return ((double)node->y - node->old_y - fixed->gravity) / fixed->scale;
}

void rl_fixed_predict(rl_fixed *fixed, rl_fixed_node *node) {
  if (node->is_held) {
    return;
  }
  const int32_t x = node->x;
  const int32_t y = keep_in_range(fixed, (int64_t)node->y - fixed->gravity);
  node->x = keep_in_range(fixed, 2 * (int64_t)x - node->old_x);
  node->y = keep_in_range(fixed, 2 * (int64_t)y - node->old_y);
  node->old_x = x;
  node->old_y = y;
}

static void move_node(rl_fixed *fixed, rl_fixed_node *node, int64_t x, int64_t y) {
  if (!node->is_held) {
    node->x = keep_in_range(fixed, node->x + x);
    node->y = keep_in_range(fixed, node->y + y);
  }
}

void rl_fixed_relax(rl_fixed *fixed, rl_fixed_node *a, rl_fixed_node *b, double rest, bool first) {
  const int64_t x = (int64_t)b->x - a->x;
  const int64_t y = (int64_t)b->y - a->y;
  int64_t distance = whole_root(x * x + y * y);
  if (distance < SHORTEST) {
    distance = SHORTEST;
  }
  const int64_t part = (rl_fixed_from(fixed, rest) - distance) * share / distance;
  const int64_t dx = shift_down(x * part);
  const int64_t dy = shift_down(y * part);
  if (fixed->variant == RL_FIXED_PRINTED) {
    // The far node of the first link, of all others the near one.
    move_node(fixed, first ? b : a, first ? dx : -dx, first ? dy : -dy);
  } else {
    const bool halve = fixed->variant == RL_FIXED_INTENDED && !a->is_held && !b->is_held;
    const int64_t parts = halve ? 2 : 1;
    move_node(fixed, a, -dx / parts, -dy / parts);
    move_node(fixed, b, dx / parts, dy / parts);
  }
}
