// SPDX-License-Identifier: GPL-3.0-or-later
// A block and tackle: a weight m on the rope's end hauls a block of mass M that hangs in n vertical
// strands of the rope. The weight moves n times as far as the block. Towards the other end each
// sheave with friction reduces the tension, so that the strands carry c_1 T ... c_n T, with T at
// the weight and S = c_1 + ... + c_n (n without friction):
//   a = g (m S - M) / (M + n m S) for the block, upwards, T = m (g - n a).
// With friction, c_k = r^-k while the weight sinks and r^k while it rises, r = exp(mu pi), if there
// is a sheave before each strand; between the two, friction holds it.
#include "common.h"

#include <string.h>

typedef struct tackle {
  uint32_t rope, block, bend_count, strands;
  rl_vec3 up;
  double height; // depth of the block below the bend above the weight [m]
  double acceleration;
  rl_exact_weight weight;
  double tensions[RL_EXACT_BENDS_MAX + 1]; // of each piece, from `from` [N]
  double slips[RL_EXACT_BENDS_MAX]; // over each bend towards `to`, per displacement of the block
} tackle;

// The strands that carry the block, and the share of each piece in the tension at the weight.
typedef struct hoist {
  uint32_t count; // number of pieces
  uint32_t slot;  // of the block
  bool from_weight;
  double carried[RL_EXACT_BENDS_MAX + 1]; // number of the piece's ends on the block
  double share[RL_EXACT_BENDS_MAX + 1];   // tension relative to that at the weight
  double level[RL_EXACT_BENDS_MAX + 1];   // mu phi of the bend before the piece
} hoist;

static double share_out(hoist *h, double sign) {
  double sum = 0.0, share = 1.0;
  for (uint32_t i = 0; i < h->count; i++) {
    share *= exp(-sign * h->level[i]);
    h->share[i] = share;
    sum += share * h->carried[i];
  }
  return sum;
}

static bool is_vertical(rl_vec3 direction, rl_vec3 up) {
  return rl_length(rl_cross(direction, up)) < 1e-9;
}

static const double slow_turn = 1e-6; // allowed acceleration of the strands by a rotation, in g

// Whether the strands do not turn the block, or too slowly to matter.
static bool hangs_level(const tackle *self, const rl_model *model, const rl_exact_path *path,
                        const hoist *h) {
  const uint32_t slot = rl_body_slot(model, self->block);
  const rl_body *block = &model->bodies[self->block];
  const rl_vec3 centre = rl_position(&model->points[slot]);
  rl_vec3 torque = {0.0, 0.0, 0.0};
  double reach = 0.0;
  for (uint32_t i = 0; i < path->count; i++) {
    const uint32_t before = h->from_weight ? i : path->count - i;
    const uint32_t after = h->from_weight ? i + 1 : path->count - i - 1;
    if (path->bends[i].slot == slot) {
      const rl_vec3 arms[2] = {rl_sub(path->bends[i].entry, centre),
                               rl_sub(path->bends[i].exit, centre)};
      torque = rl_add_scaled(torque, h->share[before], rl_cross(arms[0], self->up));
      torque = rl_add_scaled(torque, h->share[after], rl_cross(arms[1], self->up));
      reach = fmax(reach, fmax(rl_length(arms[0]), rl_length(arms[1])));
    }
  }
  if (block->spin_slot == RL_NONE) {
    return true;
  }
  const double tension = model->masses[self->weight.slot] * rl_length(model->gravity);
  const rl_vec3 inverse = block->inverse_root_inertia;
  const rl_vec3 turning = rl_times(inverse, rl_rotate_inverse(block->rotation, torque));
  const double rate = tension * rl_length(turning) * rl_length(inverse);
  return rate * reach < slow_turn * rl_length(model->gravity);
}

static bool read_path(tackle *self, const rl_model *model, const rl_exact_path *path, hoist *h,
                      char *message, size_t size) {
  const rl_rope *rope = &model->ropes[self->rope];
  const uint32_t slot = rl_body_slot(model, self->block);
  const uint32_t other = rope->ends[h->from_weight ? 1 : 0];
  const bool tied = rl_tied_body(model, other) == self->block;
  if (!tied && !rl_exact_is_fixed(model, other)) {
    return rl_exact_refuse(message, size,
                           "rope '%s' must have a weight at one end and be fixed, or tied to the "
                           "block, at the other; found an end that is neither",
                           rope->name);
  }
  h->count = path->count + 1;
  h->slot = slot;
  for (uint32_t i = 0; i < path->count; i++) {
    const rl_exact_bend *bend = &path->bends[i];
    const uint32_t before = h->from_weight ? i : path->count - i - 1;
    if (bend->slot != RL_NONE && bend->slot != slot) {
      const rl_body *body = rl_slot_body(model, bend->slot);
      return rl_exact_refuse(message, size,
                             "rope '%s' must run over the block '%s' and what is fixed; found a "
                             "bend over '%s'",
                             rope->name, model->bodies[self->block].name,
                             body ? body->name : "a node");
    }
    if (!is_vertical(bend->in, self->up) || !is_vertical(bend->out, self->up)) {
      return rl_exact_refuse(message, size,
                             "all strands of rope '%s' must be plumb; those at its bend %u are not",
                             rope->name, (unsigned)i);
    }
    h->level[before + 1] = bend->friction * bend->turn;
    if (bend->slot == slot) {
      h->carried[before] += 1.0;
      h->carried[before + 1] += 1.0;
      self->strands += 2;
    }
  }
  h->carried[h->count - 1] += tied ? 1.0 : 0.0;
  self->strands += tied ? 1 : 0;
  return self->strands > 0 ||
         rl_exact_refuse(message, size,
                         "rope '%s' must carry the block '%s'; found no strand at it", rope->name,
                         model->bodies[self->block].name);
}

static bool move(tackle *self, const rl_model *model, const rl_exact_path *path, hoist *h,
                 char *message, size_t size) {
  const double g = rl_length(model->gravity), n = self->strands;
  const double m = model->masses[self->weight.slot];
  const double mass = model->masses[rl_body_slot(model, self->block)];
  double sum = share_out(h, 1.0);
  self->acceleration = g * (m * sum - mass) / (mass + n * m * sum);
  if (self->acceleration < 0.0) {
    sum = share_out(h, -1.0);
    self->acceleration = g * (m * sum - mass) / (mass + n * m * sum);
    if (self->acceleration > 0.0) {
      return rl_exact_refuse(message, size,
                             "friction holds the block, and leaves open what each strand carries");
    }
  }
  for (uint32_t i = 0; i < h->count; i++) {
    const uint32_t k = h->from_weight ? i : h->count - 1 - i;
    self->tensions[k] = h->share[i] * m * (g - n * self->acceleration);
  }
  double passed = n; // displacement over a bend, towards the weight
  for (uint32_t i = 0; i < path->count; i++) {
    passed -= h->carried[i];
    self->slips[h->from_weight ? i : path->count - 1 - i] = h->from_weight ? -passed : passed;
  }
  return hangs_level(self, model, path, h) ||
         rl_exact_refuse(message, size, "its strands would turn the block '%s'",
                         model->bodies[self->block].name);
}

static bool init(void *memory, const rl_model *model, const uint32_t *arguments, char *message,
                 size_t size) {
  tackle *self = memory;
  const rl_rope *rope = &model->ropes[arguments[0]];
  const rl_body *block = &model->bodies[arguments[1]];
  rl_exact_path path;
  hoist h;
  memset(self, 0, sizeof *self);
  memset(&h, 0, sizeof h);
  self->rope = arguments[0];
  self->block = arguments[1];
  self->up = rl_unit(rl_scale(-1.0, model->gravity));
  if (!rl_exact_is_taut_line(model, arguments[0], message, size) ||
      !rl_exact_read_path(model, arguments[0], &path, message, size)) {
    return false;
  }
  const char *const found[] = {
      path.count == 0 ? "no bend" : NULL,
      rl_length(model->gravity) == 0.0 ? "no gravity" : NULL,
      block->motion != RL_FREE ? "a block that is not free" : NULL,
      rl_length(block->velocity) + rl_length(block->spin) > 0.0 ? "a block that moves" : NULL,
  };
  if (!rl_exact_fits(found, RL_EXACT_COUNT(found), message, size,
                     "a tackle is a rope over a free body that starts at rest, and over what is "
                     "fixed, under gravity")) {
    return false;
  }
  self->bend_count = path.count;
  h.from_weight =
      rl_tied_body(model, rope->ends[0]) != self->block && !rl_exact_is_fixed(model, rope->ends[0]);
  const rl_exact_bend *bend = h.from_weight ? &path.bends[0] : &path.bends[path.count - 1];
  if (!rl_exact_read_weight(&self->weight, model, rope->ends[h.from_weight ? 0 : 1], bend,
                            h.from_weight ? bend->entry : bend->exit, rope->name, message, size) ||
      !read_path(self, model, &path, &h, message, size)) {
    return false;
  }
  const double top = rl_dot(h.from_weight ? bend->entry : bend->exit, self->up);
  self->height = top - rl_dot(rl_position(&model->points[h.slot]), self->up);
  return move(self, model, &path, &h, message, size);
}

static void mean(const void *memory, const rl_model *model, double from, double to,
                 rl_state *state) {
  const tackle *self = memory;
  const rl_rope *rope = &model->ropes[self->rope];
  state->multipliers[rope->first_link] = self->tensions[0];
  for (uint32_t i = 0; i < self->bend_count && rope->wrap_capacity > 0; i++) {
    rl_wrap *wrap = &state->wraps[rope->first_wrap + i];
    wrap->tension = self->tensions[i + 1];
    wrap->slip = self->slips[i] * 0.5 * self->acceleration * (from + to);
  }
}

static bool at(const void *memory, const rl_model *model, double t, rl_state *state) {
  const tackle *self = memory;
  const uint32_t slot = rl_body_slot(model, self->block);
  const double rise = 0.5 * self->acceleration * t * t, speed = self->acceleration * t;
  const double n = self->strands;
  rl_exact_set_motion(state, slot, rl_add_scaled(rl_position(&model->points[slot]), rise, self->up),
                      rl_scale(speed, self->up));
  rl_exact_set_motion(
      state, self->weight.slot,
      rl_add_scaled(rl_position(&model->points[self->weight.slot]), -n * rise, self->up),
      rl_scale(-n * speed, self->up));
  mean(self, model, t, t, state);
  return rise < self->height && -n * rise < self->weight.depth;
}

const rl_exact_type rl_exact_tackle = {
    .name = "tackle",
    .summary = "a weight that hauls a block in several strands, with or without friction",
    .argument_count = 2,
    .arguments = {{"rope", RL_EXACT_ROPE, "the rope, with the weight at one of its ends"},
                  {"block", RL_EXACT_BODY, "the block"}},
    .size = sizeof(tackle),
    .init = init,
    .at = at,
    .mean = mean,
};
