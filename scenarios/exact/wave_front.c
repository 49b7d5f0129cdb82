// SPDX-License-Identifier: GPL-3.0-or-later
// The front of a disturbance on a smooth uniform rope that is straight and taut. Transverse waves
// travel with c = sqrt(T/mu), so that between points with the tensions T1 and T2, at the distance
// s, they take
//   t = int ds/c = 2 sqrt(mu) s / (sqrt(T1) + sqrt(T2))     if T changes linearly,
// which is 2 sqrt(L/g) from the end of a hanging rope, 2 sqrt(L/(g m)) (sqrt(M + m) - sqrt(M)) with
// a load M, and s/c on a string. Beyond the front nothing has moved: the largest displacement there
// is 0. Behind the front, and once it has passed everything, nothing is known.
#include "common.h"

// Largest slope at the start, and largest transverse speed over c: waves have to be small.
#define SLOPE_MAX 0.1

// A node is disturbed if its distance from the line exceeds this, relative to the rope's length, or
// its transverse speed this times the length per second.
#define STILL 1e-12

typedef struct wave_front {
  uint32_t rope, count;
  rl_vec3 from, along;       // point on the line; unit direction
  double length, mass;       // of an element [m]; per metre [kg/m]
  double tension, gain;      // at `from` [N]; its change along the line [N/m]
  uint32_t first, last;      // undisturbed nodes beside the disturbance: before and behind it
  bool is_before, is_behind; // whether there are any
} wave_front;

static rl_vec3 across(const wave_front *self, rl_vec3 v) {
  return rl_add_scaled(v, -rl_dot(v, self->along), self->along);
}

static double tension_at(const wave_front *self, uint32_t i) {
  return fmax(self->tension + self->gain * self->length * i, 0.0);
}

// Returns the travel time from node i to node k [s].
static double travel_time(const wave_front *self, uint32_t i, uint32_t k) {
  const double way = self->length * (i < k ? k - i : i - k);
  const double roots = sqrt(tension_at(self, i)) + sqrt(tension_at(self, k));
  return way > 0.0 ? 2.0 * sqrt(self->mass) * way / roots : 0.0;
}

// Finds the line and the tension along it: from the weight below, or from the stretch of the rope.
static bool find_line(wave_front *self, const rl_model *model, char *message, size_t size) {
  const rl_rope *rope = &model->ropes[self->rope];
  rl_exact_chain chain;
  if (!rl_exact_read_chain(&chain, model, self->rope, message, size)) {
    return false;
  }
  const bool hangs = !rl_exact_is_fixed(model, rope->ends[1]);
  const rl_body *load = rl_slot_body(model, rope->ends[1]);
  const double gravity = rl_length(model->gravity);
  const bool is_elastic = isfinite(rope->stiffness);
  const char *const found[] = {
      rl_exact_is_fixed(model, rope->ends[0]) ? NULL : "a `from` that is not fixed",
      rl_exact_is_lossless(model, self->rope) ? NULL : "damping or drag",
      hangs == is_elastic ? is_elastic ? "a stiffness" : "no stiffness" : NULL,
      hangs != (gravity > 0.0) ? hangs ? "no gravity" : "gravity" : NULL,
      hangs ? rl_exact_free_end_mismatch(model, rope->ends[1]) : NULL,
  };
  if (!rl_exact_fits(found, RL_EXACT_COUNT(found), message, size,
                     "rope '%s' must have mass and no drag, and either hang plumb from a fixed "
                     "`from`, without stiffness, or be stretched between two fixed ends, with "
                     "stiffness and without gravity",
                     rope->name)) {
    return false;
  }
  self->count = chain.count;
  self->mass = chain.node_mass / chain.rest;
  self->from = rl_position(&model->points[rope->ends[0]]);
  const rl_vec3 to = rl_position(&model->points[rope->ends[1]]);
  self->along = hangs ? rl_unit(model->gravity) : rl_unit(rl_sub(to, self->from));
  self->length = hangs ? chain.rest : rl_distance(to, self->from) / chain.count;
  self->mass *= chain.rest / self->length;
  self->gain = hangs ? -self->mass * gravity : 0.0;
  const double below = hangs && load ? model->masses[rope->ends[1]] : 0.0;
  self->tension = hangs ? gravity * (below + self->mass * self->length * chain.count)
                        : rope->stiffness * (self->length / chain.rest - 1.0);
  return self->tension > 0.0 ||
         rl_exact_refuse(message, size, "rope '%s' must be stretched; found a tension of %.4g N",
                         rope->name, self->tension);
}

// Finds the nodes that are disturbed at the start; all nodes have to be near the line.
static bool find_disturbance(wave_front *self, const rl_model *model, char *message, size_t size) {
  const double length = self->length * self->count;
  rl_vec3 before = {0.0, 0.0, 0.0};
  uint32_t first = RL_NONE, last = 0;
  for (uint32_t i = 0; i <= self->count; i++) {
    const uint32_t slot = rl_exact_node(model, self->rope, i);
    const rl_vec3 at = rl_sub(rl_position(&model->points[slot]), self->from);
    const rl_vec3 off = across(self, at), v = across(self, model->velocities[slot]);
    const double speed = sqrt(tension_at(self, i > 0 ? i - 1 : 0) / self->mass);
    const double slope = rl_distance(off, before) / self->length;
    const double ahead = rl_dot(at, self->along) - self->length * i;
    before = off;
    if (slope > SLOPE_MAX || rl_length(v) > SLOPE_MAX * speed ||
        fabs(ahead) > SLOPE_MAX * SLOPE_MAX * length) {
      return rl_exact_refuse(message, size,
                             "rope '%s' must start straight, but for small waves: node %u has a "
                             "slope of %.3g and %.3g of the speed of a wave, %g at most",
                             model->ropes[self->rope].name, (unsigned)i, slope,
                             rl_length(v) / speed, SLOPE_MAX);
    }
    if (rl_length(off) > STILL * length || rl_length(v) > STILL * length) {
      first = first == RL_NONE ? i : first;
      last = i;
    }
  }
  self->is_before = first != RL_NONE && first > 0;
  self->is_behind = first != RL_NONE && last < self->count;
  self->first = self->is_before ? first - 1 : 0;
  self->last = last + 1;
  return self->is_before || self->is_behind ||
         rl_exact_refuse(message, size,
                         "a part of rope '%s' must start disturbed, and not all of it; found %s",
                         model->ropes[self->rope].name,
                         first == RL_NONE ? "no node that is" : "all nodes that are");
}

static bool init(void *memory, const rl_model *model, const uint32_t *arguments, char *message,
                 size_t size) {
  wave_front *self = memory;
  self->rope = arguments[0];
  return find_line(self, model, message, size) && find_disturbance(self, model, message, size);
}

static bool is_ahead(const wave_front *self, uint32_t i, double t) {
  return (self->is_before && i <= self->first && travel_time(self, self->first, i) > t) ||
         (self->is_behind && i >= self->last && travel_time(self, self->last, i) > t);
}

static double displacement_ahead(const void *memory, const rl_model *model, const rl_state *state) {
  const wave_front *self = memory;
  double largest = NAN; // unknown once the front has reached all nodes that move
  for (uint32_t i = 0; i <= self->count; i++) {
    if (is_ahead(self, i, state->time) &&
        !rl_exact_is_fixed(model, rl_exact_node(model, self->rope, i))) {
      const rl_vec3 at = rl_rope_position(model, state, self->rope, i);
      largest = fmax(largest, rl_length(across(self, rl_sub(at, self->from))));
    }
  }
  return largest;
}

const rl_exact_type rl_exact_wave_front = {
    .name = "wave-front",
    .summary = "small waves along a straight rope: nothing has moved beyond their front",
    .argument_count = 1,
    .arguments = {{"rope", RL_EXACT_ROPE, "the rope, from a fixed end"}},
    .size = sizeof(wave_front),
    .init = init,
    .at = rl_exact_at_unknown,
    .invariant = displacement_ahead,
    .invariant_help = "largest displacement across the rope beyond the front [m]",
};
