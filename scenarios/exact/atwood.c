// SPDX-License-Identifier: GPL-3.0-or-later
// Weights that hang plumb from frictionless eyes and move with constant acceleration.
//   Atwood:        a = g (m2 - m1) / (m1 + m2), T = 2 m1 m2 g / (m1 + m2)
//   double Atwood: the inner pair weighs on the pulley like m4 = 4 m2 m3 / (m2 + m3), so the pulley
//                  of mass mp rises with a = g (m1 - mp - m4) / (m1 + mp + m4).
#include "common.h"

// A weight: where it starts, its upward acceleration, and how far below its eye it starts.
typedef struct weight {
  uint32_t slot, eye_slot; // eye_slot: what carries the eye, RL_NONE if that is fixed
  double depth, rise;      // [m], upward acceleration [m/s^2]
} weight;

typedef struct atwood {
  rl_vec3 up;
  size_t count;
  weight weights[4];
  uint32_t links[2];
  double tensions[2];
} atwood;

// Whether the weight hangs plumb below its eye.
static bool hang(weight *out, const rl_model *model, uint32_t slot, const rl_vertex *eye,
                 rl_vec3 up, const char *rope, char *message, size_t size) {
  const rl_vec3 below = rl_sub(rl_exact_start(model, *eye), rl_position(&model->points[slot]));
  const double depth = rl_dot(below, up);
  const double aside = rl_length(rl_add_scaled(below, -depth, up));
  if (!rl_exact_is_load(model, slot)) {
    return rl_exact_refuse(message, size,
                           "rope '%s' must end at the centres of free bodies that "
                           "start at rest and cannot turn",
                           rope);
  }
  if (!(depth > 0.0) || aside > 1e-9 * depth) {
    return rl_exact_refuse(message, size,
                           "the weights of rope '%s' must hang plumb below their "
                           "eyes; one is %.3g m aside",
                           rope, aside);
  }
  *out = (weight){slot, rl_exact_is_fixed(model, eye->slot) ? RL_NONE : eye->slot, depth, 0.0};
  return true;
}

// The two weights of a rope, whose eyes are all fixed or all on the body `carrier`.
static bool hang_pair(weight out[2], const rl_model *model, uint32_t index, uint32_t carrier,
                      rl_vec3 up, char *message, size_t size) {
  const rl_rope *rope = &model->ropes[index];
  if (!rl_exact_is_taut_line(model, index, message, size)) {
    return false;
  }
  for (uint32_t i = 0; i < rope->eye_count; i++) {
    const uint32_t slot = model->eyes[rope->first_eye + i].slot;
    if (carrier == RL_NONE ? !rl_exact_is_fixed(model, slot) : slot != carrier) {
      return rl_exact_refuse(message, size, "rope '%s' must run over %s only", rope->name,
                             carrier == RL_NONE ? "fixed eyes" : "eyes on the pulley");
    }
  }
  if (rope->eye_count == 0 || rl_length(up) == 0.0) {
    return rl_exact_refuse(message, size, "rope '%s' must run over an eye, under gravity",
                           rope->name);
  }
  const rl_vertex *eyes = &model->eyes[rope->first_eye];
  return hang(&out[0], model, rope->ends[0], &eyes[0], up, rope->name, message, size) &&
         hang(&out[1], model, rope->ends[1], &eyes[rope->eye_count - 1], up, rope->name, message,
              size);
}

static bool init_single(void *memory, const rl_model *model, const uint32_t *arguments,
                        char *message, size_t size) {
  atwood *self = memory;
  const double g = rl_length(model->gravity);
  self->up = rl_unit(rl_scale(-1.0, model->gravity));
  self->count = 2;
  if (!hang_pair(self->weights, model, arguments[0], RL_NONE, self->up, message, size)) {
    return false;
  }
  const double m1 = model->masses[self->weights[0].slot];
  const double m2 = model->masses[self->weights[1].slot];
  self->weights[0].rise = g * (m2 - m1) / (m1 + m2);
  self->weights[1].rise = -self->weights[0].rise;
  self->links[0] = self->links[1] = model->ropes[arguments[0]].first_link;
  self->tensions[0] = self->tensions[1] = 2.0 * m1 * m2 * g / (m1 + m2);
  return true;
}

static bool init_double(void *memory, const rl_model *model, const uint32_t *arguments,
                        char *message, size_t size) {
  atwood *self = memory;
  const double g = rl_length(model->gravity);
  const rl_rope *inner = &model->ropes[arguments[1]];
  self->up = rl_unit(rl_scale(-1.0, model->gravity));
  self->count = 4;
  if (!hang_pair(self->weights, model, arguments[0], RL_NONE, self->up, message, size)) {
    return false;
  }
  const uint32_t carrier = inner->eye_count > 0 ? model->eyes[inner->first_eye].slot : RL_NONE;
  const int pulley = self->weights[0].slot == carrier ? 0 : 1;
  if (self->weights[pulley].slot != carrier) {
    return rl_exact_refuse(message, size,
                           "rope '%s' must run over an eye on a body that hangs "
                           "from rope '%s'",
                           inner->name, model->ropes[arguments[0]].name);
  }
  if (!hang_pair(&self->weights[2], model, arguments[1], carrier, self->up, message, size)) {
    return false;
  }
  const double m1 = model->masses[self->weights[1 - pulley].slot];
  const double mp = model->masses[carrier];
  const double m2 = model->masses[self->weights[2].slot];
  const double m3 = model->masses[self->weights[3].slot];
  const double m4 = 4.0 * m2 * m3 / (m2 + m3);
  const double rise = g * (m1 - mp - m4) / (m1 + mp + m4);
  const double tension = 0.5 * m4 * (g + rise);
  self->weights[pulley].rise = rise;
  self->weights[1 - pulley].rise = -rise;
  self->weights[2].rise = tension / m2 - g;
  self->weights[3].rise = tension / m3 - g;
  self->links[0] = model->ropes[arguments[0]].first_link;
  self->links[1] = inner->first_link;
  self->tensions[0] = m1 * (g - rise);
  self->tensions[1] = tension;
  return true;
}

static double rise_of(const atwood *self, uint32_t slot) {
  for (size_t i = 0; i < self->count; i++) {
    if (self->weights[i].slot == slot) {
      return self->weights[i].rise;
    }
  }
  return 0.0;
}

static bool at(const void *memory, const rl_model *model, double t, rl_state *state) {
  const atwood *self = memory;
  for (size_t i = 0; i < self->count; i++) {
    const weight *w = &self->weights[i];
    const double relative = w->rise - rise_of(self, w->eye_slot);
    if (0.5 * relative * t * t >= w->depth) {
      return false; // it has reached its eye
    }
    rl_exact_set(
        state, w->slot,
        rl_add_scaled(rl_position(&model->points[w->slot]), 0.5 * w->rise * t * t, self->up),
        rl_scale(w->rise * t, self->up));
  }
  state->multipliers[self->links[0]] = self->tensions[0];
  state->multipliers[self->links[1]] = self->tensions[1];
  return true;
}

const rl_exact_type rl_exact_atwood = {
    .name = "atwood",
    .summary = "two weights on a massless rope over fixed eyes, until one arrives",
    .argument_count = 1,
    .arguments = {{"rope", RL_EXACT_ROPE, "the rope over the eyes"}},
    .size = sizeof(atwood),
    .init = init_single,
    .at = at,
};

const rl_exact_type rl_exact_double_atwood = {
    .name = "double-atwood",
    .summary = "a weight against a movable pulley with mass that carries two more",
    .argument_count = 2,
    .arguments = {{"rope", RL_EXACT_ROPE, "the rope over the fixed eyes"},
                  {"inner", RL_EXACT_ROPE, "the rope through the eye on the pulley"}},
    .size = sizeof(atwood),
    .init = init_double,
    .at = at,
};
