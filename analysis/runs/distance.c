// SPDX-License-Identifier: GPL-3.0-or-later
#include "distance.h"

bool rl_place_moves(const rl_model *model, uint32_t place) {
  return model->points[place].w > 0.0 || rl_moving_hold(model, place);
}

// Accumulates root mean square and maximum.
typedef struct norms {
  double squares, largest;
  size_t count;
} norms;

static void add(norms *n, double value) {
  n->squares += value * value;
  n->largest = rl_larger(n->largest, fabs(value));
  n->count++;
}

static double rms(const norms *n) {
  return n->count > 0 ? sqrt(n->squares / (double)n->count) : 0.0;
}

rl_distance_norms rl_state_distance(const rl_model *model, const rl_state *a, const rl_state *b) {
  norms position = {0}, velocity = {0}, tension = {0};
  for (uint32_t i = 0; i < model->place_count; i++) {
    if (rl_place_moves(model, i)) {
      add(&position, rl_distance(rl_position(&a->points[i]), rl_position(&b->points[i])));
      add(&velocity, rl_distance(a->velocities[i], b->velocities[i]));
    }
  }
  for (uint32_t i = 0; i < model->link_count; i++) {
    add(&tension, a->multipliers[i] - b->multipliers[i]);
  }
  return (rl_distance_norms){rms(&position),   position.largest, rms(&velocity),
                             velocity.largest, rms(&tension),    tension.largest};
}

double rl_mean_distance(const rl_model *model, const rl_state *state, const rl_vec3 *others) {
  double sum = 0.0;
  size_t count = 0;
  for (uint32_t i = 0; i < model->place_count; i++) {
    if (rl_place_moves(model, i)) {
      sum += rl_distance(rl_position(&state->points[i]), others[i]);
      count++;
    }
  }
  return count > 0 ? sum / (double)count : 0.0;
}
