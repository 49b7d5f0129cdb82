// SPDX-License-Identifier: GPL-3.0-or-later
// Galileo's pendulum: a peg at the depth d below the pivot catches the rope of length L as it
// passes the vertical, and from then on the bob swings on the rest r = L - d, up to its initial
// height:
//   sin(phi0/2) = sqrt(L/r) sin(theta0/2),  T = 2 (sqrt(L/g) K(k1) + sqrt(r/g) K(k2)),
//   k1 = sin(theta0/2), k2 = sin(phi0/2).
// The tension is m g (3 cos theta - 2 cos theta0), and likewise with phi: it jumps at the peg. The
// form is for a peg of radius 0; with a radius R it is off by about R / r of the angle.
#include "common.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_ellint.h>

typedef struct swing {
  rl_vec3 pivot;
  double length, frequency, modulus, quarter, start_cosine;
} swing;

typedef struct interrupted_pendulum {
  uint32_t rope, peg, bob;
  rl_vec3 down, across; // across: horizontal, towards the start
  double weight;
  swing whole, rest;
} interrupted_pendulum;

// (7) of papers/pegs.md
static bool set_swing(swing *out, rl_vec3 pivot, double length, double gravity, double modulus) {
  gsl_sf_result quarter;
  if (gsl_sf_ellint_Kcomp_e(modulus, GSL_PREC_DOUBLE, &quarter) != GSL_SUCCESS) {
    return false;
  }
  const double frequency = sqrt(gravity / length);
  *out = (swing){
      pivot, length, frequency, modulus, quarter.val / frequency, 1.0 - 2.0 * modulus * modulus};
  return true;
}

// Finds the depth of the peg below the pivot [m]; false with a message.
static bool find_peg(const interrupted_pendulum *self, const rl_model *model, double length,
                     double *depth, char *message, size_t size) {
  const rl_body *peg = &model->bodies[self->peg];
  const rl_part *part = &peg->parts[0];
  const rl_vec3 axis = rl_rotate(peg->rotation, rl_rotate(part->rotation, (rl_vec3){0, 0, 1}));
  const rl_vec3 at =
      rl_sub(rl_add(peg->position, rl_rotate(peg->rotation, part->at)), self->whole.pivot);
  const bool round = peg->part_count == 1 && part->shape == RL_CYLINDER;
  const double radius = round ? part->radius + model->ropes[self->rope].radius : 0.0;
  *depth = rl_dot(at, self->down);
  const bool below = *depth > 0.0 && *depth < length;
  const bool crosses = rl_length(rl_cross(axis, rl_cross(self->down, self->across))) < 1e-9;
  const char *const found[] = {
      peg->motion == RL_FIXED ? NULL : "a body that is not fixed",
      round ? NULL : "another shape",
      rl_rope_touches(model, self->rope, self->peg) ? NULL : "a rope that does not touch it",
      below ? NULL : "a place that is not between pivot and bob",
      round && !crosses ? "an axis that is not across the swing" : NULL,
      round && below && !(radius < 0.01 * (length - *depth)) ? "a thicker one" : NULL,
      round && !(fabs(rl_dot(at, self->across) + radius) < 1e-9 * length)
          ? "a peg beside the plumb rope, or on the side of the bob"
          : NULL,
  };
  return rl_exact_fits(found, RL_EXACT_COUNT(found), message, size,
                       "the peg '%s' must be a fixed cylinder across the swing, of less than a "
                       "hundredth of the rope below it, that touches the rope where it hangs plumb "
                       "from behind",
                       peg->name);
}

static bool init(void *memory, const rl_model *model, const uint32_t *arguments, char *message,
                 size_t size) {
  interrupted_pendulum *self = memory;
  const rl_rope *rope = &model->ropes[arguments[0]];
  const double g = rl_length(model->gravity);
  rl_exact_path path;
  if (!rl_exact_is_taut_line(model, arguments[0], message, size) ||
      !rl_exact_read_path(model, arguments[0], &path, message, size)) {
    return false;
  }
  const char *const found[] = {
      path.count > 0 ? "a bend" : NULL,
      rl_exact_is_fixed(model, rope->ends[0]) ? NULL : "a `from` that is not fixed",
      rl_exact_load_mismatch(model, rope->ends[1], true),
      g == 0.0 ? "no gravity" : NULL,
  };
  if (!rl_exact_fits(
          found, RL_EXACT_COUNT(found), message, size,
          "an interrupted pendulum is a straight rope from a fixed point to the centre of "
          "a free body that cannot turn and starts at rest under gravity")) {
    return false;
  }
  self->rope = arguments[0];
  self->peg = arguments[1];
  self->bob = rope->ends[1];
  self->down = rl_unit(model->gravity);
  self->weight = model->masses[self->bob] * g;
  self->whole.pivot = rl_position(&model->points[rope->ends[0]]);
  const rl_vec3 arm = rl_sub(rl_position(&model->points[self->bob]), self->whole.pivot);
  const double along = rl_dot(arm, self->down);
  const rl_vec3 aside = rl_add_scaled(arm, -along, self->down);
  self->across = rl_unit(aside);
  const double start = sin(0.5 * atan2(rl_length(aside), along));
  double depth;
  if (!find_peg(self, model, rope->length, &depth, message, size)) {
    return false;
  }
  const double rest = rope->length - depth;
  const double modulus = sqrt(rope->length / rest) * start;
  if (modulus > sqrt(0.5) * (1.0 + 1e-12)) {
    return rl_exact_refuse(message, size,
                           "above 90 degrees a rope goes slack; this one would go to %.4g degrees",
                           modulus < 1.0 ? 2.0 * asin(modulus) * 180.0 / RL_PI : 180.0);
  }
  const rl_vec3 peg = rl_add_scaled(self->whole.pivot, depth, self->down);
  return (set_swing(&self->whole, self->whole.pivot, rope->length, g, start) &&
          set_swing(&self->rest, peg, rest, g, modulus)) ||
         rl_exact_refuse(message, size, "this amplitude has no period");
}

static bool at(const void *memory, const rl_model *model, double t, rl_state *state) {
  const interrupted_pendulum *self = memory;
  const double period = 2.0 * (self->whole.quarter + self->rest.quarter);
  // Time since the rope last passed the vertical; negative in the first quarter, before it does.
  double since = fmod(t, period) - self->whole.quarter;
  const bool caught = since >= 0.0 && since < 2.0 * self->rest.quarter;
  const swing *now = caught ? &self->rest : &self->whole;
  since = since < 2.0 * self->rest.quarter ? since : since - 2.0 * self->rest.quarter;
  double angle, rate;
  if (!rl_exact_swing(now->modulus, now->frequency * since, &angle, &rate)) {
    return false;
  }
  // On the whole rope the bob is on the side of `across`: before the vertical, and after its
  // return.
  const double side = caught || since < 0.0 ? -1.0 : 1.0;
  angle *= side;
  rate *= side * now->frequency;
  double s, c;
  rl_sincos(angle, &s, &c);
  const rl_vec3 radial = rl_add_scaled(rl_scale(c, self->down), s, self->across);
  const rl_vec3 tangent = rl_add_scaled(rl_scale(-s, self->down), c, self->across);
  rl_exact_set_motion(state, self->bob, rl_add_scaled(now->pivot, now->length, radial),
                      rl_scale(now->length * rate, tangent));
  rl_exact_set_wrap(state, model, self->rope, self->peg, rl_cross(self->across, self->down),
                    caught ? fmax(-angle, 0.0) : 0.0);
  rl_exact_set_tension(state, model, self->rope,
                       self->weight * (3.0 * c - 2.0 * now->start_cosine));
  return true;
}

const rl_exact_type rl_exact_interrupted_pendulum = {
    .name = "interrupted-pendulum",
    .summary = "a pendulum whose rope a thin peg below the pivot catches (Galileo)",
    .argument_count = 2,
    .arguments = {{"rope", RL_EXACT_ROPE, "the rope, from the pivot to the bob"},
                  {"peg", RL_EXACT_BODY, "the peg"}},
    .size = sizeof(interrupted_pendulum),
    .init = init,
    .at = at,
};
