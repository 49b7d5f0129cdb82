// SPDX-License-Identifier: GPL-3.0-or-later
// A skipping rope: it rotates steadily with omega about the line between its fixed ends, S apart,
// without gravity; L its length, mu its mass per length.
//   troposkein           the smooth curve y = A sn(2K x/S | k^2) with
//                          L/S = 2E/((1 - k^2) K) - 1,   A/S = k/((1 - k^2) K),
//                          H = mu omega^2 S^2/(4 (1 - k^2) K^2)   along the axis.
//                        With the amplitude phi of sn: x = S F(phi)/2K, y = A sin(phi), and
//                          length S E(phi)/((1 - k^2) K) - x,
//                          T = H (1 + 2k^2/(1 - k^2) cos^2 phi).
//   discrete-troposkein  the exact steady rotation of N straight elements: element i carries H
//                        along the axis and V_i across, V_{i+1} = V_i - m omega^2 y_i, and the
//                        sums of the elements along and across are S and 0.
#include "common.h"
#include "roots.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_ellint.h>

// Largest distance of the nodes from the form at the start, relative to the length.
#define SHAPE_TOLERANCE 1e-6

typedef struct troposkein {
  rl_exact_chain chain;
  rl_vec3 from, along, out, around; // unit: the axis, to the rope and across both at the start
  double span, length, spin;        // S, L, omega about `along`
  double modulus, first, second;    // k, K, E
  double horizontal, vertical;      // H, and V of the first element [N]
} troposkein;

// Finds the axis, and the rotation of the rope's middle about it.
static bool find_turn(troposkein *self, const rl_model *model, uint32_t index, char *message,
                      size_t size) {
  const rl_rope *rope = &model->ropes[index];
  if (!rl_exact_read_chain(&self->chain, model, index, message, size)) {
    return false;
  }
  const char *const found[] = {
      isfinite(rope->stiffness) ? "a stiffness" : NULL,
      rl_length(model->gravity) > 0.0 ? "gravity" : NULL,
      rl_exact_is_fixed(model, rope->ends[0]) ? NULL : "a `from` that is not fixed",
      rl_exact_is_fixed(model, rope->ends[1]) ? NULL : "a `to` that is not fixed",
      rl_exact_is_lossless(model, index) ? NULL : "damping or drag",
  };
  if (!rl_exact_fits(found, RL_EXACT_COUNT(found), message, size,
                     "a skipping rope has mass, no stiffness and no drag, and two fixed ends, "
                     "without gravity")) {
    return false;
  }
  self->from = rl_position(&model->points[rope->ends[0]]);
  const rl_vec3 chord = rl_sub(rl_position(&model->points[rope->ends[1]]), self->from);
  self->span = rl_length(chord);
  self->length = self->chain.rest * self->chain.count;
  self->along = rl_unit(chord);
  const uint32_t middle = rl_exact_node(model, index, self->chain.count / 2);
  const rl_vec3 off = rl_sub(rl_position(&model->points[middle]), self->from);
  const rl_vec3 across = rl_add_scaled(off, -rl_dot(off, self->along), self->along);
  self->out = rl_unit(across);
  self->around = rl_cross(self->along, self->out);
  self->spin = rl_dot(model->velocities[middle], self->around) / rl_length(across);
  bool turns = self->span > 0.0 && self->span < self->length && rl_length(across) > 0.0 &&
               fabs(self->spin) > 0.0;
  for (uint32_t i = 0; i <= self->chain.count && turns; i++) {
    const uint32_t slot = rl_exact_node(model, index, i);
    const rl_vec3 arm = rl_sub(rl_position(&model->points[slot]), self->from);
    const rl_vec3 v = rl_scale(self->spin, rl_cross(self->along, arm));
    turns = rl_distance(v, model->velocities[slot]) <= 1e-6 * fabs(self->spin) * self->length &&
            fabs(rl_dot(arm, self->around)) <= 1e-9 * self->length;
  }
  return turns ||
         rl_exact_refuse(message, size,
                         "rope '%s' must start in a plane through its ends, which are nearer than "
                         "its length, and turn about the line between them; found %.6g m of rope, "
                         "ends %.6g m apart, and a middle that turns at %.4g rad/s",
                         rope->name, self->length, self->span, self->spin);
}

static bool integrals(double k, double *first, double *second) {
  gsl_sf_result f, e;
  if (gsl_sf_ellint_Kcomp_e(k, GSL_PREC_DOUBLE, &f) != GSL_SUCCESS ||
      gsl_sf_ellint_Ecomp_e(k, GSL_PREC_DOUBLE, &e) != GSL_SUCCESS) {
    return false;
  }
  *first = f.val;
  *second = e.val;
  return true;
}

static double excess(double k, void *memory) {
  const troposkein *self = memory;
  double first, second;
  return integrals(k, &first, &second)
             ? 2.0 * second / ((1.0 - k * k) * first) - 1.0 - self->length / self->span
             : NAN;
}

static bool init_smooth(void *memory, const rl_model *model, const uint32_t *arguments,
                        char *message, size_t size) {
  troposkein *self = memory;
  if (!find_turn(self, model, arguments[0], message, size)) {
    return false;
  }
  if (!rl_exact_root(excess, self, 1e-9, 1.0 - 1e-9, &self->modulus) ||
      !integrals(self->modulus, &self->first, &self->second)) {
    return rl_exact_refuse(message, size, "no curve found for a rope of %.6g spans",
                           self->length / self->span);
  }
  const double k = self->modulus, rest = 1.0 - k * k;
  const double density = self->chain.node_mass / self->chain.rest, speed = self->spin * self->span;
  self->horizontal = density * speed * speed / (4.0 * rest * self->first * self->first);
  self->vertical = self->horizontal * 2.0 * k / rest; // H dy/dx at x = 0
  return true;
}

// Computes the directions in the rotating plane at time t: out from the axis, and around it.
static void turn(const troposkein *self, double t, rl_vec3 *out, rl_vec3 *around) {
  double s, c;
  rl_sincos(self->spin * t, &s, &c);
  *out = rl_add(rl_scale(c, self->out), rl_scale(s, self->around));
  *around = rl_sub(rl_scale(c, self->around), rl_scale(s, self->out));
}

typedef struct place {
  const troposkein *self;
  double arc;
} place;

// x(phi); and the length of the rope up to there, less the given one.
static double across_of(const troposkein *self, double phi) {
  return 0.5 * self->span * gsl_sf_ellint_F(phi, self->modulus, GSL_PREC_DOUBLE) / self->first;
}

static double arc_error(double phi, void *memory) {
  const place *p = memory;
  const troposkein *self = p->self;
  const double k = self->modulus, scale = self->span / ((1.0 - k * k) * self->first);
  return scale * gsl_sf_ellint_E(phi, k, GSL_PREC_DOUBLE) - across_of(self, phi) - p->arc;
}

static double phase_at(const troposkein *self, double arc) {
  place p = {self, arc};
  double phi = arc <= 0.0 ? 0.0 : RL_PI;
  if (arc > 0.0 && arc < self->length) {
    rl_exact_root(arc_error, &p, 0.0, RL_PI, &phi);
  }
  return phi;
}

static bool smooth_at(const void *memory, const rl_model *model, double t, rl_state *state) {
  const troposkein *self = memory;
  const rl_exact_chain *chain = &self->chain;
  const double k = self->modulus, rest = 1.0 - k * k;
  const double height = self->span * k / (rest * self->first);
  rl_vec3 out, around;
  turn(self, t, &out, &around);
  for (uint32_t i = 0; i <= chain->count; i++) {
    const double phi = phase_at(self, i * chain->rest), y = height * sin(phi);
    const rl_vec3 foot = rl_add_scaled(self->from, across_of(self, phi), self->along);
    rl_exact_set_motion(state, rl_rope_node(model, state, chain->rope, i),
                        rl_add_scaled(foot, y, out), rl_scale(self->spin * y, around));
    if (i < chain->count) {
      const double c = cos(phase_at(self, (i + 0.5) * chain->rest));
      state->multipliers[model->ropes[chain->rope].first_link + i] =
          self->horizontal * (1.0 + 2.0 * k * k / rest * c * c);
    }
  }
  return true;
}

// Moves from a node, with V of the element behind it, to the next node.
static void walk(const troposkein *self, double horizontal, double *x, double *y, double *v) {
  const double pull = hypot(horizontal, *v);
  *x += self->chain.rest * horizontal / pull;
  *y += self->chain.rest * *v / pull;
  *v -= self->chain.node_mass * self->spin * self->spin * *y;
}

static void closing_error(const double *scaled, void *memory, double *error) {
  const troposkein *self = memory;
  double x = 0.0, y = 0.0, v = scaled[1] * self->vertical;
  for (uint32_t i = 0; i < self->chain.count; i++) {
    walk(self, scaled[0] * self->horizontal, &x, &y, &v);
  }
  error[0] = x - self->span;
  error[1] = y;
}

static bool init_discrete(void *memory, const rl_model *model, const uint32_t *arguments,
                          char *message, size_t size) {
  troposkein *self = memory;
  double scaled[2] = {1.0, 1.0}; // relative to the smooth curve
  if (!init_smooth(memory, model, arguments, message, size)) {
    return false;
  }
  if (!rl_exact_roots(closing_error, self, 1e-12 * self->length, scaled)) {
    return rl_exact_refuse(message, size, "no shape of %u elements found",
                           (unsigned)self->chain.count);
  }
  self->horizontal *= scaled[0];
  self->vertical *= scaled[1];
  double x = 0.0, y = 0.0, v = self->vertical;
  for (uint32_t i = 1; i <= self->chain.count; i++) {
    walk(self, self->horizontal, &x, &y, &v);
    const rl_vec3 there = rl_add_scaled(rl_add_scaled(self->from, x, self->along), y, self->out);
    const uint32_t slot = rl_exact_node(model, arguments[0], i);
    const double off = rl_distance(there, rl_position(&model->points[slot]));
    if (off > SHAPE_TOLERANCE * self->length) {
      return rl_exact_refuse(message, size,
                             "node %u starts %.3g m off the shape that it would keep, "
                             "%.12g m along the axis and %.12g m off it",
                             (unsigned)i, off, x, y);
    }
  }
  return true;
}

static bool discrete_at(const void *memory, const rl_model *model, double t, rl_state *state) {
  const troposkein *self = memory;
  const rl_exact_chain *chain = &self->chain;
  double x = 0.0, y = 0.0, v = self->vertical;
  rl_vec3 out, around;
  turn(self, t, &out, &around);
  for (uint32_t i = 0; i <= chain->count; i++) {
    const rl_vec3 foot = rl_add_scaled(self->from, x, self->along);
    rl_exact_set_motion(state, rl_rope_node(model, state, chain->rope, i),
                        rl_add_scaled(foot, y, out), rl_scale(self->spin * y, around));
    if (i < chain->count) {
      state->multipliers[model->ropes[chain->rope].first_link + i] = hypot(self->horizontal, v);
      walk(self, self->horizontal, &x, &y, &v);
    }
  }
  return true;
}

const rl_exact_type rl_exact_troposkein = {
    .name = "troposkein",
    .summary = "the smooth curve of a skipping rope, without gravity (elliptic functions)",
    .argument_count = 1,
    .arguments = {{"rope", RL_EXACT_ROPE, "the rope"}},
    .size = sizeof(troposkein),
    .init = init_smooth,
    .at = smooth_at,
};

const rl_exact_type rl_exact_discrete_troposkein = {
    .name = "discrete-troposkein",
    .summary = "the steady turn of a chain of straight elements about the line between its ends",
    .argument_count = 1,
    .arguments = {{"rope", RL_EXACT_ROPE, "the rope"}},
    .size = sizeof(troposkein),
    .init = init_discrete,
    .at = discrete_at,
};
