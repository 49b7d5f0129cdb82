// SPDX-License-Identifier: GPL-3.0-or-later
// A weight M that hangs on a rope over an eye from a weight m, which swings at the distance r and
// the angle theta from the vertical:
//   (M + m) r'' = m r theta'^2 - M g + m g cos theta,   r theta'' = -2 r' theta' - g sin theta.
// The motion has no closed form, but for M = 3 m it is integrable (Tufillaro 1986): beside the
// energy
//   I = r^2 theta' (r' cos(theta/2) - r theta'/2 sin(theta/2)) + g r^2 sin(theta/2) cos^2(theta/2)
// is conserved. With every turn about the eye the half angles change sign, and so does I: the
// invariant is |I|.
#include "common.h"

typedef struct swinging_atwood {
  uint32_t bob;
  rl_vec3 eye, down, across;
  double gravity;
} swinging_atwood;

static double invariant(const void *memory, const rl_model *model, const rl_state *state) {
  const swinging_atwood *self = memory;
  const rl_vec3 arm = rl_sub(rl_position(&state->points[self->bob]), self->eye);
  const rl_vec3 velocity = state->velocities[self->bob];
  (void)model;
  const double r = rl_length(arm);
  const rl_vec3 out = rl_unit(arm);
  const double theta = atan2(rl_dot(arm, self->across), rl_dot(arm, self->down));
  const rl_vec3 tangent =
      rl_add_scaled(rl_scale(-sin(theta), self->down), cos(theta), self->across);
  const double rate = rl_dot(velocity, out);         // r' [m/s]
  const double turn = rl_dot(velocity, tangent) / r; // theta' [rad/s]
  const double s = sin(0.5 * theta), c = cos(0.5 * theta);
  return fabs(r * r * (turn * (rate * c - 0.5 * r * turn * s) + self->gravity * s * c * c));
}

static bool init(void *memory, const rl_model *model, const uint32_t *arguments, char *message,
                 size_t size) {
  swinging_atwood *self = memory;
  const rl_rope *rope = &model->ropes[arguments[0]];
  rl_exact_path path;
  if (!rl_exact_is_taut_line(model, arguments[0], message, size) ||
      !rl_exact_read_path(model, arguments[0], &path, message, size)) {
    return false;
  }
  self->gravity = rl_length(model->gravity);
  const char *const found[] = {
      path.count == 0 ? "no eye" : NULL,
      path.count > 1 ? "several bends" : NULL,
      path.count == 1 && path.bends[0].body != RL_NONE ? "a body" : NULL,
      path.count == 1 && path.bends[0].slot != RL_NONE ? "an eye that is not fixed" : NULL,
      path.count == 1 && path.bends[0].friction > 0.0 ? "friction" : NULL,
      self->gravity == 0.0 ? "no gravity" : NULL,
  };
  if (!rl_exact_fits(found, RL_EXACT_COUNT(found), message, size,
                     "rope '%s' must run over one fixed eye without friction, under gravity",
                     rope->name)) {
    return false;
  }
  rl_exact_weight weight;
  const rl_exact_bend *eye = &path.bends[0];
  self->bob = rope->ends[0];
  uint32_t other = rope->ends[1];
  const char *const ends[] = {rl_exact_load_mismatch(model, self->bob, true),
                              rl_exact_load_mismatch(model, other, true)};
  if (!rl_exact_fits(ends, RL_EXACT_COUNT(ends), message, size,
                     "rope '%s' must end at the centres of free bodies that start at rest and "
                     "cannot turn",
                     rope->name)) {
    return false;
  }
  if (model->masses[self->bob] > model->masses[other]) {
    self->bob = rope->ends[1];
    other = rope->ends[0];
  }
  const double ratio = model->masses[other] / model->masses[self->bob];
  if (fabs(ratio - 3.0) > 1e-12) {
    return rl_exact_refuse(message, size,
                           "only a weight of three times the one that swings has an invariant; "
                           "here it is %.6g times",
                           ratio);
  }
  self->eye = eye->entry;
  self->down = rl_unit(model->gravity);
  const rl_vec3 arm = rl_sub(rl_position(&model->points[self->bob]), self->eye);
  const rl_vec3 aside = rl_add_scaled(arm, -rl_dot(arm, self->down), self->down);
  self->across = rl_unit(aside);
  if (!(rl_length(aside) > 1e-9 * rl_length(arm))) {
    return rl_exact_refuse(message, size,
                           "the lighter weight must start beside the eye; found it plumb below");
  }
  return rl_exact_read_weight(&weight, model, other, eye, eye->entry, rope->name, message, size);
}

const rl_exact_type rl_exact_swinging_atwood = {
    .name = "swinging-atwood",
    .summary = "a weight that swings against a hanging one three times as heavy: what stays",
    .argument_count = 1,
    .arguments = {{"rope", RL_EXACT_ROPE, "the rope over the eye"}},
    .size = sizeof(swinging_atwood),
    .init = init,
    .at = rl_exact_at_unknown, // where it is at a later time has no closed form
    .invariant = invariant,
    .invariant_help = "size of the second integral of the motion [m^3/s^2]",
};
