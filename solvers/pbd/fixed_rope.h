// SPDX-License-Identifier: GPL-3.0-or-later
// A row of Verlet nodes in 16.16 fixed point, as Contraption Maker draws its ropes: it follows its
// two ends and pulls on nothing. papers/contraption.md numbers the equations.
#ifndef RL_FIXED_ROPE_H
#define RL_FIXED_ROPE_H

#include <stdbool.h>
#include <stdint.h>

typedef enum rl_fixed_variant {
  RL_FIXED_PRINTED,
  RL_FIXED_INTENDED,
  RL_FIXED_WHOLE
} rl_fixed_variant;

// The numbers: how many 1/65536 units there are to a metre, and g dt^2 of this step on that grid.
typedef struct rl_fixed {
  double scale; // [1/m]
  int32_t gravity;
  rl_fixed_variant variant;
  bool overflow; // a number did not fit
} rl_fixed;

typedef struct rl_fixed_node {
  int32_t x, y, old_x, old_y;
  bool is_held; // goes where something else has put it
} rl_fixed_node;

// 1 in fixed point.
#define RL_FIXED_ONE 65536

// The number nearest to a length [m]; sets `overflow` where there is none.
int32_t rl_fixed_from(rl_fixed *fixed, double metres);
double rl_fixed_to(const rl_fixed *fixed, int32_t number); // [m]

// A node that moves, from where it is and by how much it has moved in the last step [m]: the old
// place has lost the gravity.
rl_fixed_node rl_fixed_node_at(rl_fixed *fixed, double x, double y, double dx, double dy);
rl_fixed_node rl_fixed_node_held(rl_fixed *fixed, double x, double y);

// What a node has moved in the last step [m].
double rl_fixed_move_x(const rl_fixed *fixed, const rl_fixed_node *node);
double rl_fixed_move_y(const rl_fixed *fixed, const rl_fixed_node *node);

// (6) Gravity on the place, then the last displacement once more.
void rl_fixed_predict(rl_fixed *fixed, rl_fixed_node *node);

// (7)-(9) One link of the given length [m]: 0.7 of its error is taken out of it. `first`: of its
// rope.
void rl_fixed_relax(rl_fixed *fixed, rl_fixed_node *a, rl_fixed_node *b, double rest, bool first);

#endif
