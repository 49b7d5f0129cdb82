// SPDX-License-Identifier: GPL-3.0-or-later
// The pendulum with any amplitude, released from rest:
//   sin(theta/2) = k sn(K - w t | k^2),  theta' = -2 w k cn(K - w t | k^2),
//   k = sin(theta0/2),  w = sqrt(g/L),  tension = m g (3 cos theta - 2 cos theta0).
// gsl_sf_ellint_Kcomp takes the modulus k.
#include "common.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_ellint.h>

typedef struct pendulum {
  uint32_t link, bob;
  rl_vec3 pivot, down, across;
  double length, weight, modulus, quarter, frequency, start_cosine;
} pendulum;

static bool init(void *memory, const rl_model *model, const uint32_t *arguments, char *message,
                 size_t size) {
  pendulum *self = memory;
  const rl_rope *rope = &model->ropes[arguments[0]];
  const double g = rl_length(model->gravity);
  const int held = rl_exact_is_fixed(model, rope->ends[0]) ? 0 : 1;
  if (!rl_exact_is_taut_line(model, arguments[0], message, size)) {
    return false;
  }
  const bool is_held = rl_exact_is_fixed(model, rope->ends[held]);
  const char *const found[] = {
      rope->eye_count > 0 ? "an eye" : NULL,
      is_held ? NULL : "no fixed end",
      is_held ? rl_exact_load_mismatch(model, rope->ends[1 - held], true) : NULL,
      g == 0.0 ? "no gravity" : NULL,
  };
  if (!rl_exact_fits(found, RL_EXACT_COUNT(found), message, size,
                     "a pendulum is a straight rope between a fixed point and the centre of a free "
                     "body that cannot turn and starts at rest under gravity")) {
    return false;
  }
  self->link = rope->first_link;
  self->bob = rope->ends[1 - held];
  self->pivot = rl_position(&model->points[rope->ends[held]]);
  self->down = rl_unit(model->gravity);
  self->length = rope->length;
  self->weight = model->masses[self->bob] * g;
  const rl_vec3 arm = rl_sub(rl_position(&model->points[self->bob]), self->pivot);
  const double along = rl_dot(arm, self->down);
  const rl_vec3 aside = rl_add_scaled(arm, -along, self->down);
  self->across = rl_unit(aside);
  const double theta0 = atan2(rl_length(aside), along);
  if (theta0 > RL_HALF_PI * (1.0 + 1e-12) && !rope->compression) {
    return rl_exact_refuse(message, size,
                           "above 90 degrees a rope goes slack; a pendulum of %.4g "
                           "degrees needs compression: true",
                           theta0 * 180.0 / RL_PI);
  }
  self->start_cosine = cos(theta0);
  self->modulus = sin(0.5 * theta0);
  self->frequency = sqrt(g / self->length);
  gsl_sf_result quarter;
  if (gsl_sf_ellint_Kcomp_e(self->modulus, GSL_PREC_DOUBLE, &quarter) != GSL_SUCCESS) {
    return rl_exact_refuse(message, size, "the amplitude of %.6g degrees has no period",
                           theta0 * 180.0 / RL_PI);
  }
  self->quarter = quarter.val;
  return true;
}

static bool at(const void *memory, const rl_model *model, double t, rl_state *state) {
  const pendulum *self = memory;
  (void)model;
  double theta, rate;
  const double phase = fmod(self->quarter - self->frequency * t, 4.0 * self->quarter);
  if (!rl_exact_swing(self->modulus, phase, &theta, &rate)) {
    return false;
  }
  rate *= -self->frequency;
  const rl_vec3 radial = rl_add_scaled(rl_scale(cos(theta), self->down), sin(theta), self->across);
  const rl_vec3 tangent =
      rl_add_scaled(rl_scale(-sin(theta), self->down), cos(theta), self->across);
  rl_exact_set_motion(state, self->bob, rl_add_scaled(self->pivot, self->length, radial),
                      rl_scale(self->length * rate, tangent));
  state->multipliers[self->link] = self->weight * (3.0 * cos(theta) - 2.0 * self->start_cosine);
  return true;
}

const rl_exact_type rl_exact_pendulum = {
    .name = "pendulum",
    .summary = "a load on a massless rope, any amplitude (elliptic functions)",
    .argument_count = 1,
    .arguments = {{"rope", RL_EXACT_ROPE, "the rope"}},
    .size = sizeof(pendulum),
    .init = init,
    .at = at,
};
