// SPDX-License-Identifier: GPL-3.0-or-later
// A uniform inextensible rope at rest between two held ends; L its length, s and h the horizontal
// and vertical distance of the ends, w its weight per length.
//   catenary           the smooth curve y = a cosh(x/a): 2a sinh(s/2a) = sqrt(L^2 - h^2), lowest
//                      at s/2 - a atanh(h/L) from `from`, tension w a cosh(x/a). A chain of N
//                      elements differs from it by O(1/N^2).
//   discrete-catenary  what N straight elements with node masses m must reach exactly: element i
//                      carries (H, V0 - i m g), and both sums of its pieces close.
#include "common.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_multiroots.h>
#include <gsl/gsl_roots.h>

typedef struct catenary {
  uint32_t rope;
  uint32_t count; // elements
  rl_vec3 from, across, up;
  double span, height;         // s, h [m]
  double rest;                 // of an element [m]
  double node_weight;          // of an inner node [N]
  double parameter, lowest;    // a, x of the lowest point [m]
  double horizontal, vertical; // H, V0 [N]
} catenary;

static bool read_geometry(catenary *self, const rl_model *model, uint32_t index, char *message,
                          size_t size) {
  const rl_rope *rope = &model->ropes[index];
  const double g = rl_length(model->gravity);
  if (rope->link_count < 2 || rope->massless || isfinite(rope->stiffness) || g == 0.0 ||
      !rl_exact_is_fixed(model, rope->ends[0]) || !rl_exact_is_fixed(model, rope->ends[1])) {
    return rl_exact_refuse(message, size,
                           "a catenary is a rope with mass, two or more segments "
                           "and no stiffness between two fixed ends, under gravity");
  }
  const rl_link *links = &model->links[rope->first_link];
  self->rope = index;
  self->count = rope->link_count;
  self->rest = links[0].rest;
  self->node_weight = g * model->masses[links[0].b];
  for (uint32_t i = 0; i < self->count; i++) {
    const bool same_rest = fabs(links[i].rest - self->rest) <= 1e-12 * self->rest;
    const bool same_mass =
        i + 1 == self->count ||
        fabs(g * model->masses[links[i].b] - self->node_weight) <= 1e-12 * self->node_weight;
    if (!same_rest || !same_mass) {
      return rl_exact_refuse(message, size, "rope '%s' is not uniform", rope->name);
    }
  }
  self->from = rl_position(&model->points[rope->ends[0]]);
  self->up = rl_unit(rl_scale(-1.0, model->gravity));
  const rl_vec3 chord = rl_sub(rl_position(&model->points[rope->ends[1]]), self->from);
  self->height = rl_dot(chord, self->up);
  const rl_vec3 across = rl_add_scaled(chord, -self->height, self->up);
  self->span = rl_length(across);
  self->across = rl_unit(across);
  if (!(self->span > 1e-9 * rope->length) || rl_length(chord) >= rope->length * (1.0 - 1e-12)) {
    return rl_exact_refuse(message, size,
                           "rope '%s' must be longer than the distance of its "
                           "ends, which must be apart across gravity",
                           rope->name);
  }
  return true;
}

// sinh(u)/u - target, in a form that is exact for small u.
static double excess(double u, void *parameters) {
  const double target = *(const double *)parameters;
  return (u < 1e-4 ? 1.0 + u * u / 6.0 : sinh(u) / u) - target;
}

static bool init_smooth(void *memory, const rl_model *model, const uint32_t *arguments,
                        char *message, size_t size) {
  catenary *self = memory;
  if (!read_geometry(self, model, arguments[0], message, size)) {
    return false;
  }
  const double length = self->rest * self->count;
  double target = sqrt(length * length - self->height * self->height) / self->span;
  gsl_function f = {excess, &target};
  gsl_root_fsolver *solver = gsl_root_fsolver_alloc(gsl_root_fsolver_brent);
  // sinh(u)/u >= u^2/6 bounds the root from above.
  int status = solver ? gsl_root_fsolver_set(solver, &f, 1e-8, sqrt(6.0 * target)) : GSL_ENOMEM;
  double u = NAN;
  for (int i = 0; i < 200 && status == GSL_SUCCESS; i++) {
    status = gsl_root_fsolver_iterate(solver);
    u = gsl_root_fsolver_root(solver);
    if (gsl_root_test_interval(gsl_root_fsolver_x_lower(solver), gsl_root_fsolver_x_upper(solver),
                               0.0, 1e-15) == GSL_SUCCESS) {
      break;
    }
  }
  gsl_root_fsolver_free(solver);
  if (status != GSL_SUCCESS) {
    return rl_exact_refuse(message, size, "no catenary found: %s", gsl_strerror(status));
  }
  self->parameter = self->span / (2.0 * u);
  self->lowest = 0.5 * self->span - self->parameter * atanh(self->height / length);
  return true;
}

static bool at_smooth(const void *memory, const rl_model *model, double t, rl_state *state) {
  const catenary *self = memory;
  const double a = self->parameter;
  const double start = -a * sinh(self->lowest / a); // arc length from the lowest point
  const double top = a * cosh(self->lowest / a);
  (void)t;
  for (uint32_t i = 0; i <= self->count; i++) {
    const double arc = start + i * self->rest;
    const double x = self->lowest + a * asinh(arc / a);
    const double y = sqrt(a * a + arc * arc) - top;
    const uint32_t slot = rl_rope_node(model, state, self->rope, i);
    rl_exact_set(state, slot,
                 rl_add_scaled(rl_add_scaled(self->from, x, self->across), y, self->up),
                 (rl_vec3){0.0, 0.0, 0.0});
    if (i < self->count) {
      const double middle = arc + 0.5 * self->rest;
      state->multipliers[model->ropes[self->rope].first_link + i] =
          self->node_weight / self->rest * sqrt(a * a + middle * middle);
    }
  }
  return true;
}

// Both closing errors for (H, V0) in units of the rope's weight.
static int closing_error(const gsl_vector *x, void *parameters, gsl_vector *error) {
  const catenary *self = parameters;
  const double weight = self->node_weight * self->count;
  double across = 0.0, up = 0.0;
  for (uint32_t i = 0; i < self->count; i++) {
    const double h = weight * gsl_vector_get(x, 0);
    const double v = weight * gsl_vector_get(x, 1) - i * self->node_weight;
    const double tension = hypot(h, v);
    across += self->rest * h / tension;
    up -= self->rest * v / tension;
  }
  gsl_vector_set(error, 0, across - self->span);
  gsl_vector_set(error, 1, up - self->height);
  return GSL_SUCCESS;
}

static bool init_discrete(void *memory, const rl_model *model, const uint32_t *arguments,
                          char *message, size_t size) {
  catenary *self = memory;
  if (!init_smooth(memory, model, arguments, message, size)) {
    return false;
  }
  // Start from the smooth curve: H = w a, V0 = w a sinh(lowest / a).
  const double a = self->parameter;
  const double length = self->rest * self->count;
  gsl_multiroot_function f = {closing_error, 2, self};
  gsl_vector *x = gsl_vector_alloc(2);
  gsl_multiroot_fsolver *solver = gsl_multiroot_fsolver_alloc(gsl_multiroot_fsolver_hybrids, 2);
  int status = GSL_ENOMEM;
  if (x && solver) {
    gsl_vector_set(x, 0, a / length);
    gsl_vector_set(x, 1, a * sinh(self->lowest / a) / length);
    status = gsl_multiroot_fsolver_set(solver, &f, x);
    for (int i = 0; i < 200 && status == GSL_SUCCESS; i++) {
      status = gsl_multiroot_fsolver_iterate(solver);
      if (gsl_multiroot_test_residual(solver->f, 1e-14 * length) == GSL_SUCCESS) {
        status = GSL_SUCCESS;
        break;
      }
    }
    const double weight = self->node_weight * self->count;
    self->horizontal = weight * gsl_vector_get(solver->x, 0);
    self->vertical = weight * gsl_vector_get(solver->x, 1);
    // Iterations end without progress at rounding: what counts is that both sums close.
    if (gsl_multiroot_test_residual(solver->f, 1e-12 * length) == GSL_SUCCESS) {
      status = GSL_SUCCESS;
    }
  }
  gsl_multiroot_fsolver_free(solver);
  gsl_vector_free(x);
  return status == GSL_SUCCESS ||
         rl_exact_refuse(message, size, "no discrete catenary found: %s", gsl_strerror(status));
}

static bool at_discrete(const void *memory, const rl_model *model, double t, rl_state *state) {
  const catenary *self = memory;
  const rl_vec3 at_rest = {0.0, 0.0, 0.0};
  rl_vec3 position = self->from;
  (void)t;
  rl_exact_set(state, rl_rope_node(model, state, self->rope, 0), position, at_rest);
  for (uint32_t i = 0; i < self->count; i++) {
    const double v = self->vertical - i * self->node_weight;
    const double tension = hypot(self->horizontal, v);
    position = rl_add_scaled(position, self->rest * self->horizontal / tension, self->across);
    position = rl_add_scaled(position, -self->rest * v / tension, self->up);
    rl_exact_set(state, rl_rope_node(model, state, self->rope, i + 1), position, at_rest);
    state->multipliers[model->ropes[self->rope].first_link + i] = tension;
  }
  return true;
}

const rl_exact_type rl_exact_catenary = {
    .name = "catenary",
    .summary = "the smooth curve of a rope at rest between two fixed ends",
    .argument_count = 1,
    .arguments = {{"rope", RL_EXACT_ROPE, "the rope"}},
    .size = sizeof(catenary),
    .init = init_smooth,
    .at = at_smooth,
};

const rl_exact_type rl_exact_discrete_catenary = {
    .name = "discrete-catenary",
    .summary = "the exact rest shape of a chain of straight elements",
    .argument_count = 1,
    .arguments = {{"rope", RL_EXACT_ROPE, "the rope"}},
    .size = sizeof(catenary),
    .init = init_discrete,
    .at = at_discrete,
};
