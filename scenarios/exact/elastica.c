// SPDX-License-Identifier: GPL-3.0-or-later
// A rope with bending stiffness EI at rest under its own weight and a load, from a clamped end to
// an end that is free or tied to the centre of a load; theta is the angle of the rope above the
// horizontal, s the length along it. The rope is inextensible.
//   elastica           the smooth curve: EI theta'' = W(s) cos theta, theta(0) given by the clamp,
//                      theta'(L) = 0, with W(s) = w (L - s) + F the weight beyond s (w per length,
//                      F = g (M - m/2) the weight of the last node beyond half an inner one) and
//                      the tension -W sin theta. Small deflections: w L^4/(8 EI) + F L^3/(3 EI).
//   discrete-elastica  the exact equilibrium of N straight elements: with the angles phi_i at the
//                      nodes, M_i = 4 EI t (1 + t^2)/(l_{i-1} + l_i), t = tan(phi_i/2), where
//                      l_0 = 0 at the clamped end, and the weight W_i beyond element i,
//                        M_i - M_{i+1} + W_i l_i cos theta_i = 0.
// Both are found by shooting from the tip for the angle of the clamp.
#include "common.h"
#include "roots.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>

#define ELEMENTS_MAX 1024

typedef struct elastica {
  uint32_t rope, count;
  rl_vec3 from, across, up;
  double clamp;                                    // theta at `from` [rad]
  double bending;                                  // EI [N m^2]
  double weight, load;                             // w [N/m], F [N]
  double rest[ELEMENTS_MAX];                       // l_i [m]
  double beyond[ELEMENTS_MAX];                     // W_i [N]
  double x[ELEMENTS_MAX + 1], y[ELEMENTS_MAX + 1]; // nodes relative to `from` [m]
  double tension[ELEMENTS_MAX];                    // [N]
} elastica;

static bool read_rope(elastica *self, const rl_model *model, uint32_t index, char *message,
                      size_t size) {
  const rl_rope *rope = &model->ropes[index];
  const uint32_t end = rope->ends[1];
  const double g = rl_length(model->gravity);
  self->rope = index;
  self->count = rope->link_count;
  const char *const found[] = {
      rope->massless ? "no mass" : NULL,
      rope->closed ? "a closed rope" : NULL,
      isfinite(rope->stiffness) ? "a stiffness" : NULL,
      rope->bending > 0.0 ? NULL : "no bending",
      rl_is_zero(rope->clamps[0]) ? "a `from` that is not clamped" : NULL,
      rl_is_zero(rope->clamps[1]) ? NULL : "a `to` that is clamped",
      g == 0.0 ? "no gravity" : NULL,
      rl_exact_is_fixed(model, rope->ends[0]) ? NULL : "a `from` that is not fixed",
      rl_slot_body(model, end) ? rl_exact_load_mismatch(model, end, true)
                               : rl_exact_free_end_mismatch(model, end),
      rope->link_count > ELEMENTS_MAX ? "more elements" : NULL,
  };
  if (!rl_exact_fits(
          found, RL_EXACT_COUNT(found), message, size,
          "an elastica is a rope with `bending` and without `stiffness`, under gravity, "
          "clamped where it begins and free or loaded where it ends; at most %d elements",
          ELEMENTS_MAX)) {
    return false;
  }
  self->from = rl_position(&model->points[rope->ends[0]]);
  self->up = rl_unit(rl_scale(-1.0, model->gravity));
  const double rise = rl_dot(rope->clamps[0], self->up);
  const rl_vec3 across = rl_add_scaled(rope->clamps[0], -rise, self->up);
  self->clamp = asin(rise);
  self->across = rl_unit(across);
  self->bending = rope->bending;
  if (!(rl_length(across) > 1e-9)) {
    return rl_exact_refuse(message, size,
                           "rope '%s' must be clamped across gravity; found a clamp along it",
                           rope->name);
  }
  double beyond = 0.0;
  for (uint32_t i = self->count; i-- > 0;) {
    const rl_link *link = &model->links[rope->first_link + i];
    beyond += g * model->masses[link->b];
    self->beyond[i] = beyond;
    self->rest[i] = link->rest;
  }
  return true;
}

// Finds the tip angle for which `shot`, the error at the clamp, is 0: the first root above -pi/2, a
// tip that hangs straight down, where the error is negative.
static bool find_tip(elastica *self, double (*shot)(double, void *), char *message, size_t size) {
  double above = 1e-12, tip;
  while (above < RL_PI && shot(above - RL_HALF_PI, self) < 0.0) {
    above *= 2.0;
  }
  if (!rl_exact_root(shot, self, 0.5 * above - RL_HALF_PI, above - RL_HALF_PI, &tip)) {
    return rl_exact_refuse(message, size, "no elastica found");
  }
  shot(tip, self);
  // So far positions are relative to the tip.
  const double x = self->x[0], y = self->y[0];
  for (uint32_t i = 0; i <= self->count; i++) {
    self->x[i] -= x;
    self->y[i] -= y;
  }
  return true;
}

// Solves t + t^3 = q by Newton's method from above, which converges monotonically.
static double half_turn(double q) {
  double t = fmin(fabs(q), cbrt(fabs(q))), last = INFINITY;
  while (t < last) {
    last = t;
    t -= (t * (1.0 + t * t) - fabs(q)) / (1.0 + 3.0 * t * t);
  }
  return copysign(t, q);
}

// (6) of papers/bending.md
static double shoot_discrete(double tip, void *memory) {
  elastica *self = memory;
  double theta = tip, moment = 0.0;
  self->x[self->count] = self->y[self->count] = 0.0;
  for (uint32_t i = self->count; i-- > 0;) {
    const double l = self->rest[i], w = self->beyond[i];
    const double before = i > 0 ? self->rest[i - 1] : 0.0;
    self->x[i] = self->x[i + 1] - l * cos(theta);
    self->y[i] = self->y[i + 1] - l * sin(theta);
    self->tension[i] = -w * sin(theta);
    moment -= w * l * cos(theta);
    theta -= 2.0 * atan(half_turn(moment * (before + l) / (4.0 * self->bending)));
  }
  return theta - self->clamp;
}

static bool init_discrete(void *memory, const rl_model *model, const uint32_t *arguments,
                          char *message, size_t size) {
  elastica *self = memory;
  return read_rope(self, model, arguments[0], message, size) &&
         find_tip(self, shoot_discrete, message, size);
}

// Computes the derivatives of (theta, moment, x, y) by the length r from the tip.
static int rates(double r, const double *now, double *out, void *memory) {
  const elastica *self = memory;
  out[0] = -now[1] / self->bending;
  out[1] = -(self->load + self->weight * r) * cos(now[0]);
  out[2] = -cos(now[0]);
  out[3] = -sin(now[0]);
  return GSL_SUCCESS;
}

// (6) of papers/bending.md
static double shoot_smooth(double tip, void *memory) {
  static const double accuracy = 1e-14;
  elastica *self = memory;
  gsl_odeiv2_system system = {rates, NULL, 4, self};
  gsl_odeiv2_driver *driver = gsl_odeiv2_driver_alloc_y_new(
      &system, gsl_odeiv2_step_rk8pd, 0.1 * self->rest[0], accuracy, accuracy);
  double now[4] = {tip, 0.0, 0.0, 0.0}, r = 0.0, end = 0.0;
  int status = driver ? GSL_SUCCESS : GSL_ENOMEM;
  self->x[self->count] = self->y[self->count] = 0.0;
  for (uint32_t i = self->count; i-- > 0 && status == GSL_SUCCESS;) {
    const double middle = end + 0.5 * self->rest[i];
    end += self->rest[i];
    status = gsl_odeiv2_driver_apply(driver, &r, middle, now);
    self->tension[i] = -(self->load + self->weight * middle) * sin(now[0]);
    status = status == GSL_SUCCESS ? gsl_odeiv2_driver_apply(driver, &r, end, now) : status;
    self->x[i] = now[2];
    self->y[i] = now[3];
  }
  gsl_odeiv2_driver_free(driver);
  return status == GSL_SUCCESS ? now[0] - self->clamp : NAN;
}

static bool init_smooth(void *memory, const rl_model *model, const uint32_t *arguments,
                        char *message, size_t size) {
  elastica *self = memory;
  rl_exact_chain chain;
  if (!read_rope(self, model, arguments[0], message, size) ||
      !rl_exact_read_chain(&chain, model, arguments[0], message, size)) {
    return false;
  }
  const double g = rl_length(model->gravity);
  self->weight = g * chain.node_mass / chain.rest;
  self->load = g * (model->masses[model->ropes[self->rope].ends[1]] - 0.5 * chain.node_mass);
  return find_tip(self, shoot_smooth, message, size);
}

static bool at(const void *memory, const rl_model *model, double t, rl_state *state) {
  const elastica *self = memory;
  (void)t;
  for (uint32_t i = 0; i <= self->count; i++) {
    const rl_vec3 p = rl_add_scaled(self->from, self->x[i], self->across);
    rl_exact_set_motion(state, rl_rope_node(model, state, self->rope, i),
                        rl_add_scaled(p, self->y[i], self->up), (rl_vec3){0.0, 0.0, 0.0});
    if (i < self->count) {
      state->multipliers[model->ropes[self->rope].first_link + i] = self->tension[i];
    }
  }
  return true;
}

const rl_exact_type rl_exact_elastica = {
    .name = "elastica",
    .summary = "the smooth curve of a clamped rope with bending stiffness, at rest with a load",
    .argument_count = 1,
    .arguments = {{"rope", RL_EXACT_ROPE, "the rope, from its clamped end"}},
    .bends = true,
    .size = sizeof(elastica),
    .init = init_smooth,
    .at = at,
};

const rl_exact_type rl_exact_discrete_elastica = {
    .name = "discrete-elastica",
    .summary = "the exact rest shape of such a rope of straight elements",
    .argument_count = 1,
    .arguments = {{"rope", RL_EXACT_ROPE, "the rope, from its clamped end"}},
    .bends = true,
    .size = sizeof(elastica),
    .init = init_discrete,
    .at = at,
};
