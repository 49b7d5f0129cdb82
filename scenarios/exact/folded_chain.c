// SPDX-License-Identifier: GPL-3.0-or-later
// The falling end of a folded chain (Calkin and March): both ends are held at one height, close to
// each other, and one is released. While it falls by x the fold sinks by x/2. The chain comes to
// rest at the fold without loss, so that all energy is in the falling part:
//   v^2 = g (2 L x - x^2)/(L - x),    a = g (1 + (2 L x - x^2)/(2 (L - x)^2)),
//   T = M g (2 + 2X - 3X^2)/(4 (1 - X)) at the support,   X = x/L.
// The time is an integral of dx/v. With u = 1 - X and w = u^2 it is a beta function,
//   t = sqrt(L/g) int_u^1 sqrt(u/(1 - u^2)) du = t_end (1 - I_w(3/4, 1/2)),
//   t_end = B(3/4, 1/2)/2 sqrt(L/g) = 0.8472 sqrt(2 L/g),
// so 1 - w is the quantile t/t_end of the beta distribution (1/2, 3/4). The form assumes coincident
// ends and links without length; for N links it holds until the fold is in the last one. Ends at a
// distance of L/10 delay the end, with N = 80 by half a percent.
#include "common.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_gamma.h>

// Largest distance of the ends, relative to the chain's length, at which the fold is narrow enough.
#define DISTANCE_MAX 0.3

typedef struct folded_chain {
  rl_exact_chain chain;
  bool reversed; // it is held at `to`
  rl_vec3 from, apart, down;
  double gravity, duration; // g, t_end
} folded_chain;

static bool init(void *memory, const rl_model *model, const uint32_t *arguments, char *message,
                 size_t size) {
  folded_chain *self = memory;
  const rl_rope *rope = &model->ropes[arguments[0]];
  if (!rl_exact_read_chain(&self->chain, model, arguments[0], message, size)) {
    return false;
  }
  self->reversed = !rl_exact_is_fixed(model, rope->ends[0]);
  const uint32_t held = rope->ends[self->reversed ? 1 : 0],
                 loose = rope->ends[self->reversed ? 0 : 1];
  self->gravity = rl_length(model->gravity);
  const char *const found[] = {
      self->gravity == 0.0 ? "no gravity" : NULL,
      isfinite(rope->stiffness) ? "a stiffness" : NULL,
      rl_exact_is_fixed(model, held) ? NULL : "no fixed end",
      loose >= model->node_count ? "a body at the other end" : NULL,
      loose < model->node_count && rl_exact_is_fixed(model, loose) ? "two fixed ends" : NULL,
      rl_exact_is_still(model, arguments[0]) ? NULL : "a start that is not at rest",
      rl_exact_is_lossless(model, arguments[0]) ? NULL : "damping or drag",
  };
  if (!rl_exact_fits(found, RL_EXACT_COUNT(found), message, size,
                     "a folded chain is a rope with mass, without stiffness or drag, from a fixed "
                     "end to a free one that starts at rest under gravity")) {
    return false;
  }
  const double length = self->chain.rest * self->chain.count;
  self->down = rl_unit(model->gravity);
  self->from = rl_position(&model->points[held]);
  self->apart = rl_sub(rl_position(&model->points[loose]), self->from);
  const double height = rl_dot(self->apart, self->down), distance = rl_length(self->apart);
  if (fabs(height) > 1e-9 * length || distance > DISTANCE_MAX * length) {
    return rl_exact_refuse(message, size,
                           "the ends of rope '%s' must start at one height and at most %g m apart; "
                           "they are %.4g m apart, and one %.4g m lower",
                           rope->name, DISTANCE_MAX * length, distance, fabs(height));
  }
  gsl_sf_result beta;
  if (gsl_sf_beta_e(0.75, 0.5, &beta) != GSL_SUCCESS) {
    return rl_exact_refuse(message, size, "no beta function");
  }
  self->duration = 0.5 * beta.val * sqrt(length / self->gravity);
  return true;
}

static bool at(const void *memory, const rl_model *model, double t, rl_state *state) {
  const folded_chain *self = memory;
  const rl_exact_chain *chain = &self->chain;
  if (!(t < self->duration)) {
    return false;
  }
  const double length = chain->rest * chain->count, g = self->gravity;
  const double fallen = gsl_cdf_beta_Pinv(t / self->duration, 0.5, 0.75); // 1 - u^2
  const double u = sqrt(1.0 - fallen), x = length * fallen / (1.0 + u);
  if (length - x < 2.0 * chain->rest) {
    return false; // the fold has reached the last element, where the chain differs from a rope
  }
  const double v = sqrt(g * length * fallen / u);
  const double a = g * (1.0 + 0.5 * fallen / (u * u));
  const double weight = g * chain->node_mass / chain->rest; // per length [N/m]
  const double ratio = x / length;
  const double support =
      weight * length * (2.0 + 2.0 * ratio - 3.0 * ratio * ratio) / (4.0 * (1.0 - ratio));
  const double fold = 0.5 * (length + x); // length of chain at rest [m]
  const uint32_t first = model->ropes[chain->rope].first_link;
  for (uint32_t i = 0; i <= chain->count; i++) {
    const uint32_t node = self->reversed ? chain->count - i : i;
    const uint32_t slot = rl_rope_node(model, state, chain->rope, node);
    const double s = i * chain->rest; // arc length from the held end [m]
    const bool rests = s <= fold;
    const rl_vec3 top = rests ? self->from : rl_add(self->from, self->apart);
    rl_exact_set_motion(state, slot, rl_add_scaled(top, rests ? s : x + length - s, self->down),
                        rl_scale(rests ? 0.0 : v, self->down));
    if (i < chain->count) {
      const double middle = s + 0.5 * chain->rest;
      state->multipliers[first + (self->reversed ? chain->count - 1 - i : i)] =
          middle <= fold ? support - weight * middle : weight / g * (length - middle) * (a - g);
    }
  }
  return true;
}

const rl_exact_type rl_exact_folded_chain = {
    .name = "folded-chain",
    .summary = "the falling end of a chain that hangs folded, without loss at the fold (beta)",
    .argument_count = 1,
    .arguments = {{"rope", RL_EXACT_ROPE, "the chain"}},
    .size = sizeof(folded_chain),
    .init = init,
    .at = at,
};
