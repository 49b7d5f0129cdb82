// SPDX-License-Identifier: GPL-3.0-or-later
// A chain that is drawn out of a heap, link by link: its first nodes lie in one place, the others
// fly away from there in a straight line, with or without a body at the end, without gravity or
// straight up from level ground. All flying nodes have the same speed, and tensions are 0 between
// two catches, so the speed falls by g t. A node that is caught takes its share of the momentum,
//   v' = v P/(P + m),   P the mass that flew before,
// and the energy P v (v - v')/2 is lost. For links without length, mass mu per metre, x drawn out:
//   d(mu x v)/dt = -mu g x,   x^2 v^2 + 2 g x^3/3 = const,   a = -g/3 - v_0^2 x_0^2/x^3 ...
// Cayley's g/3 with its sign; without gravity x v = const, and (M + mu x) v = M V with a body.
#include "common.h"

typedef struct heap_chain {
  rl_exact_chain chain;
  rl_vec3 heap, away; // position of the heap; unit direction of flight
  double gravity;     // against `away` [m/s^2]
  uint32_t lying;     // number of nodes in the heap at the start
  double gap, speed;  // height of the lowest flying node [m]; speed of all that fly [m/s]
} heap_chain;

// Finds the nodes that lie in one place at rest, which are the first ones.
static void find_heap(heap_chain *self, const rl_model *model) {
  const double near = 1e-9 * self->chain.rest;
  self->heap = rl_position(&model->points[rl_exact_node(model, self->chain.rope, 0)]);
  for (self->lying = 0; self->lying <= self->chain.count; self->lying++) {
    const uint32_t slot = rl_exact_node(model, self->chain.rope, self->lying);
    if (rl_distance(rl_position(&model->points[slot]), self->heap) > near ||
        rl_length(model->velocities[slot]) > 0.0) {
      return;
    }
  }
}

// Checks that the other nodes are in a line, one rest length apart, with the same speed along it.
static bool find_flight(heap_chain *self, const rl_model *model) {
  const uint32_t first = rl_exact_node(model, self->chain.rope, self->lying);
  const rl_vec3 way = rl_sub(rl_position(&model->points[first]), self->heap);
  const double near = 1e-9 * self->chain.rest;
  self->away = rl_unit(way);
  self->gap = rl_length(way);
  self->speed = rl_dot(model->velocities[first], self->away);
  for (uint32_t i = self->lying; i <= self->chain.count; i++) {
    const uint32_t slot = rl_exact_node(model, self->chain.rope, i);
    const double height = self->gap + self->chain.rest * (i - self->lying);
    const rl_vec3 off =
        rl_sub(rl_position(&model->points[slot]), rl_add_scaled(self->heap, height, self->away));
    const rl_vec3 rest = rl_add_scaled(model->velocities[slot], -self->speed, self->away);
    if (rl_length(off) > near || rl_length(rest) > 1e-9 * self->speed) {
      return false;
    }
  }
  return self->speed > 0.0 && self->gap > 0.0 && self->gap <= self->chain.rest + near;
}

// Whether the heap lies on level ground, or without gravity on nothing.
static bool is_carried(const heap_chain *self, const rl_model *model) {
  const rl_vec3 pull = rl_add_scaled(model->gravity, self->gravity, self->away);
  bool touches = false;
  for (uint32_t b = 0; b < model->body_count; b++) {
    double height;
    const bool here = rl_rope_touches(model, self->chain.rope, b);
    touches = touches || here;
    if (here && (!rl_exact_falls_on(model, self->chain.rope, b, self->away, &height) ||
                 fabs(rl_dot(self->heap, self->away) - height) > 1e-9 * self->chain.rest)) {
      return false;
    }
  }
  return rl_length(pull) <= 1e-12 * self->gravity && touches == (self->gravity > 0.0);
}

static bool init(void *memory, const rl_model *model, const uint32_t *arguments, char *message,
                 size_t size) {
  heap_chain *self = memory;
  const rl_rope *rope = &model->ropes[arguments[0]];
  if (!rl_exact_read_chain(&self->chain, model, arguments[0], message, size)) {
    return false;
  }
  self->gravity = rl_length(model->gravity);
  const bool begins_free =
      rope->ends[0] < model->node_count && !rl_exact_is_fixed(model, rope->ends[0]);
  const char *const found[] = {
      isfinite(rope->stiffness) ? "a stiffness" : NULL,
      rope->compression ? "compression" : NULL,
      begins_free ? NULL : "a `from` that is not free",
      rl_exact_free_end_mismatch(model, rope->ends[1]),
      rl_exact_is_lossless(model, arguments[0]) ? NULL : "damping or drag",
  };
  if (!rl_exact_fits(found, RL_EXACT_COUNT(found), message, size,
                     "rope '%s' must have mass, no stiffness, compression or drag, and lead from a "
                     "free end to a free one, or to the centre of a free body that cannot turn",
                     rope->name)) {
    return false;
  }
  find_heap(self, model);
  if (self->lying > self->chain.count || !find_flight(self, model)) {
    return rl_exact_refuse(message, size,
                           "rope '%s' must start with its nodes from `from` on at rest in one "
                           "place, and the others straight away from there, a link apart, at one "
                           "speed; found %u nodes at rest there",
                           rope->name, (unsigned)self->lying);
  }
  return is_carried(self, model) ||
         rl_exact_refuse(message, size,
                         "the heap of rope '%s' must lie on level ground below what flies, or "
                         "there must be no gravity and nothing to touch",
                         rope->name);
}

static double mass_of(const heap_chain *self, const rl_model *model, uint32_t i) {
  return model->masses[rl_exact_node(model, self->chain.rope, i)];
}

// Returns the time until nodes that fly at `speed`, `gap` above the heap, pull the next link taut;
// INFINITY: never.
static double catch_time(const heap_chain *self, double gap, double speed) {
  const double way = fmax(self->chain.rest - gap, 0.0);
  const double square = speed * speed - 2.0 * self->gravity * way;
  return square >= 0.0 ? 2.0 * way / (speed + sqrt(square)) : INFINITY;
}

static bool at(const void *memory, const rl_model *model, double t, rl_state *state) {
  const heap_chain *self = memory;
  double gap = self->gap, speed = self->speed, mass = 0.0, left = t;
  uint32_t lying = self->lying;
  for (uint32_t i = lying; i <= self->chain.count; i++) {
    mass += mass_of(self, model, i);
  }
  while (lying > 0) {
    const double next = catch_time(self, gap, speed);
    if (!(next <= left)) {
      break;
    }
    const double caught = mass_of(self, model, --lying);
    speed = (speed - self->gravity * next) * mass / (mass + caught);
    mass += caught;
    left -= next;
    gap = 0.0;
  }
  gap += (speed - 0.5 * self->gravity * left) * left;
  speed -= self->gravity * left;
  for (uint32_t i = 0; i <= self->chain.count; i++) {
    const bool flies = i >= lying;
    const double height = flies ? gap + self->chain.rest * (i - lying) : 0.0;
    rl_exact_set_motion(state, rl_rope_node(model, state, self->chain.rope, i),
                        rl_add_scaled(self->heap, height, self->away),
                        rl_scale(flies ? speed : 0.0, self->away));
    if (i < self->chain.count) { // except at catches
      state->multipliers[model->ropes[self->chain.rope].first_link + i] = 0.0;
    }
  }
  return speed >= 0.0; // afterwards the chain falls back
}

const rl_exact_type rl_exact_heap_chain = {
    .name = "heap-chain",
    .summary = "a chain is drawn out of a heap, link by link, by what flies away with its end",
    .argument_count = 1,
    .arguments = {{"rope", RL_EXACT_ROPE, "the chain, from its heap"}},
    .size = sizeof(heap_chain),
    .init = init,
    .at = at,
};
