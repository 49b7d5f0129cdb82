// SPDX-License-Identifier: GPL-3.0-or-later
// A weight against a movable pulley with mass that carries two more weights, all vertical: the
// inner pair acts on the pulley like m4 = 4 m2 m3 / (m2 + m3), so the pulley of mass mp rises with
//   a = g (m1 - mp - m4) / (m1 + mp + m4).
#include "common.h"

typedef struct double_atwood {
  rl_vec3 up;
  uint32_t ropes[2];
  rl_exact_weight weights[4];
  double rises[4]; // upward acceleration of each weight [m/s^2]
  double tensions[2];
} double_atwood;

// Reads the two weights of a rope whose eyes are all fixed or all on the body at `carrier`.
static bool hang_pair(rl_exact_weight out[2], const rl_model *model, uint32_t index,
                      uint32_t carrier, char *message, size_t size) {
  const rl_rope *rope = &model->ropes[index];
  rl_exact_path path;
  if (!rl_exact_is_taut_line(model, index, message, size) ||
      !rl_exact_read_path(model, index, &path, message, size)) {
    return false;
  }
  bool elsewhere = false, round = false;
  for (uint32_t i = 0; i < path.count; i++) {
    elsewhere = elsewhere || path.bends[i].slot != carrier;
    round = round || path.bends[i].body != RL_NONE;
  }
  const char *const found[] = {
      path.count > 0 ? NULL : "no eye",
      rl_length(model->gravity) > 0.0 ? NULL : "no gravity",
      round ? "a bend over a body" : NULL,
      elsewhere ? carrier == RL_NONE ? "a bend that moves" : "a bend elsewhere" : NULL,
  };
  if (!rl_exact_fits(found, RL_EXACT_COUNT(found), message, size,
                     "rope '%s' must run over %s only, under gravity", rope->name,
                     carrier == RL_NONE ? "fixed eyes" : "eyes on the pulley")) {
    return false;
  }
  const rl_exact_bend *last = &path.bends[path.count - 1];
  return rl_exact_read_weight(&out[0], model, rope->ends[0], &path.bends[0], path.bends[0].entry,
                              rope->name, message, size) &&
         rl_exact_read_weight(&out[1], model, rope->ends[1], last, last->exit, rope->name, message,
                              size);
}

static bool init(void *memory, const rl_model *model, const uint32_t *arguments, char *message,
                 size_t size) {
  double_atwood *self = memory;
  const double g = rl_length(model->gravity);
  const rl_rope *inner = &model->ropes[arguments[1]];
  self->up = rl_unit(rl_scale(-1.0, model->gravity));
  if (!hang_pair(self->weights, model, arguments[0], RL_NONE, message, size)) {
    return false;
  }
  const uint32_t carrier = inner->eye_count > 0 ? model->eyes[inner->first_eye].slot : RL_NONE;
  const int pulley = self->weights[0].slot == carrier ? 0 : 1;
  if (self->weights[pulley].slot != carrier) {
    const rl_body *body = rl_slot_body(model, carrier);
    return rl_exact_refuse(message, size,
                           "rope '%s' must run over an eye on a body that hangs from rope '%s'; "
                           "found %s%s%s",
                           inner->name, model->ropes[arguments[0]].name,
                           inner->eye_count == 0 ? "no eye" : "an eye ",
                           inner->eye_count == 0 ? ""
                           : body                ? "on body "
                                                 : "fixed in space",
                           inner->eye_count > 0 && body ? body->name : "");
  }
  if (!hang_pair(&self->weights[2], model, arguments[1], carrier, message, size)) {
    return false;
  }
  const double m1 = model->masses[self->weights[1 - pulley].slot];
  const double mp = model->masses[carrier];
  const double m2 = model->masses[self->weights[2].slot];
  const double m3 = model->masses[self->weights[3].slot];
  const double m4 = 4.0 * m2 * m3 / (m2 + m3);
  const double rise = g * (m1 - mp - m4) / (m1 + mp + m4);
  const double tension = 0.5 * m4 * (g + rise);
  self->rises[pulley] = rise;
  self->rises[1 - pulley] = -rise;
  self->rises[2] = tension / m2 - g;
  self->rises[3] = tension / m3 - g;
  self->ropes[0] = arguments[0];
  self->ropes[1] = arguments[1];
  self->tensions[0] = m1 * (g - rise);
  self->tensions[1] = tension;
  return true;
}

static double rise_of(const double_atwood *self, uint32_t slot) {
  for (size_t i = 0; i < 4; i++) {
    if (self->weights[i].slot == slot) {
      return self->rises[i];
    }
  }
  return 0.0;
}

static bool at(const void *memory, const rl_model *model, double t, rl_state *state) {
  const double_atwood *self = memory;
  for (size_t i = 0; i < 4; i++) {
    const rl_exact_weight *w = &self->weights[i];
    const double rise = self->rises[i];
    if (0.5 * (rise - rise_of(self, w->carrier)) * t * t >= w->depth) {
      return false; // the weight has reached its eye
    }
    rl_exact_set_motion(
        state, w->slot,
        rl_add_scaled(rl_position(&model->points[w->slot]), 0.5 * rise * t * t, self->up),
        rl_scale(rise * t, self->up));
  }
  for (size_t i = 0; i < 2; i++) {
    rl_exact_set_tension(state, model, self->ropes[i], self->tensions[i]);
  }
  return true;
}

const rl_exact_type rl_exact_double_atwood = {
    .name = "double-atwood",
    .summary = "a weight against a movable pulley with mass that carries two more",
    .argument_count = 2,
    .arguments = {{"rope", RL_EXACT_ROPE, "the rope over the fixed eyes"},
                  {"inner", RL_EXACT_ROPE, "the rope through the eye on the pulley"}},
    .size = sizeof(double_atwood),
    .init = init,
    .at = at,
};
