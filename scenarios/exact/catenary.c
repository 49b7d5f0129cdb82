// SPDX-License-Identifier: GPL-3.0-or-later
// A uniform rope at rest between two held ends; L its length, s and h the horizontal and vertical
// distance of the ends, w its weight per length.
//   catenary           the smooth curve y = a cosh(x/a): 2a sinh(s/2a) = sqrt(L^2 - h^2), lowest
//                      at s/2 - a atanh(h/L) from `from`, tension w a cosh(x/a). A chain of N
//                      elements differs from it by O(1/N^2).
//   elastic-catenary   the smooth curve of a rope with the strain T/EA (Irvine): at the unstretched
//                      length p from `from`, with the tension vector (H, V - w p),
//                        x = H p/EA + (H/w) (asinh(V/H) - asinh((V - w p)/H)),
//                        z = (V p - w p^2/2)/EA + (T(0) - T(p))/w,   T = sqrt(H^2 + (V - w p)^2).
//   discrete-catenary  the exact equilibrium of N straight elements with node masses m: element i
//                      carries (H, V0 - i m g) and has the length l (1 + T/EA); horizontal and
//                      vertical sums of the elements are s and h.
#include "common.h"
#include "roots.h"

typedef struct catenary {
  uint32_t rope;
  uint32_t count; // number of elements
  rl_vec3 from, across, up;
  double span, height;         // s, h [m]
  double rest;                 // rest length of an element [m]
  double node_weight;          // of an inner node [N]
  double compliance;           // 1/EA [1/N]; 0: inextensible
  double parameter, lowest;    // a, x of the lowest point [m]
  double horizontal, vertical; // H, V0 [N]
} catenary;

static bool read_geometry(catenary *self, const rl_model *model, uint32_t index, bool elastic,
                          char *message, size_t size) {
  const rl_rope *rope = &model->ropes[index];
  const double g = rl_length(model->gravity);
  rl_exact_chain chain;
  if (!rl_exact_read_chain(&chain, model, index, message, size)) {
    return false;
  }
  const char *const found[] = {
      isfinite(rope->stiffness) && !elastic ? "a stiffness" : NULL,
      g == 0.0 ? "no gravity" : NULL,
      rl_exact_is_fixed(model, rope->ends[0]) ? NULL : "a `from` that is not fixed",
      rl_exact_is_fixed(model, rope->ends[1]) ? NULL : "a `to` that is not fixed",
  };
  if (!rl_exact_fits(found, RL_EXACT_COUNT(found), message, size,
                     "a catenary is a rope %sbetween two fixed ends, under gravity",
                     elastic ? "" : "without stiffness ")) {
    return false;
  }
  self->rope = index;
  self->count = chain.count;
  self->rest = chain.rest;
  self->node_weight = g * chain.node_mass;
  self->compliance = isfinite(rope->stiffness) ? 1.0 / rope->stiffness : 0.0;
  self->from = rl_position(&model->points[rope->ends[0]]);
  self->up = rl_unit(rl_scale(-1.0, model->gravity));
  const rl_vec3 chord = rl_sub(rl_position(&model->points[rope->ends[1]]), self->from);
  self->height = rl_dot(chord, self->up);
  const rl_vec3 across = rl_add_scaled(chord, -self->height, self->up);
  self->span = rl_length(across);
  self->across = rl_unit(across);
  const double least = self->compliance > 0.0 ? INFINITY : rope->length * (1.0 - 1e-12);
  if (!(self->span > 1e-9 * rope->length) || rl_length(chord) >= least) {
    return rl_exact_refuse(
        message, size,
        "the ends of rope '%s' must be apart across gravity, and nearer than the length of a rope "
        "without stiffness; found ends %.6g m apart, %.6g m across, and %.6g m of rope",
        rope->name, rl_length(chord), self->span, rope->length);
  }
  return true;
}

static double length_of(const catenary *self) { return self->rest * self->count; }

// Returns sinh(u)/u - target, accurate for small u.
static double excess(double u, void *parameters) {
  const double target = *(const double *)parameters;
  return (u < 1e-4 ? 1.0 + u * u / 6.0 : sinh(u) / u) - target;
}

// Finds the smooth curve of an inextensible rope of that length.
static bool find_curve(catenary *self, double length, char *message, size_t size) {
  double target = sqrt(length * length - self->height * self->height) / self->span, u;
  // The root is below sqrt(6 target), since sinh(u)/u >= u^2/6.
  if (!rl_exact_root(excess, &target, 1e-8, sqrt(6.0 * target), &u)) {
    return rl_exact_refuse(message, size, "no catenary found");
  }
  self->parameter = self->span / (2.0 * u);
  self->lowest = 0.5 * self->span - self->parameter * atanh(self->height / length);
  return true;
}

static bool init_smooth(void *memory, const rl_model *model, const uint32_t *arguments,
                        char *message, size_t size) {
  catenary *self = memory;
  return read_geometry(self, model, arguments[0], false, message, size) &&
         find_curve(self, length_of(self), message, size);
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
    rl_exact_set_motion(state, slot,
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

// Computes the error of the end of a rope that starts with the tension (H, V0), horizontally and
// upwards. It is the gradient of a strictly convex function of (-H, V0) (see world/model/pose.c).
typedef void (*closing_errors)(const catenary *self, double horizontal, double vertical,
                               double *error);

typedef struct search {
  const catenary *self;
  closing_errors closing;
  double horizontal, vertical;
} search;

static double height_error(double vertical, void *memory) {
  search *s = memory;
  double error[2];
  s->vertical = vertical;
  s->closing(s->self, s->horizontal, vertical, error);
  return error[1];
}

// Finds the root of a monotonic function; widens the bracket until it contains the root.
static bool find_root(double (*f)(double, void *), void *memory, double guess, double width,
                      double *root) {
  double low = guess - width, high = guess + width;
  for (int i = 0; i < 200 && (f(low, memory) < 0.0) == (f(high, memory) < 0.0); i++) {
    width *= 2.0;
    low = guess - width;
    high = guess + width;
  }
  return rl_exact_root(f, memory, low, high, root);
}

// Returns the horizontal error with the V0 for which the vertical error is 0, as a function of ln
// H.
static double span_error(double logarithm, void *memory) {
  search *s = memory;
  double error[2] = {NAN, NAN}, vertical;
  s->horizontal = exp(logarithm);
  const double weight = s->self->node_weight * s->self->count;
  if (find_root(height_error, s, s->vertical, 0.1 * weight, &vertical)) {
    s->vertical = vertical;
    s->closing(s->self, s->horizontal, vertical, error);
  }
  return error[0];
}

static bool find_pull(catenary *self, closing_errors closing, char *message, size_t size) {
  const double weight = self->node_weight * self->count;
  search s = {.self = self, .closing = closing, .vertical = 0.5 * weight};
  double logarithm;
  if (!find_root(span_error, &s, log(weight), 0.1, &logarithm)) {
    return rl_exact_refuse(message, size, "no catenary found");
  }
  span_error(logarithm, &s); // stores its V0
  if (s.horizontal < 1e-12 * weight) {
    return rl_exact_refuse(message, size,
                           "the ends are nearer than an element is long, and the lowest one hangs "
                           "slack");
  }
  self->horizontal = s.horizontal;
  self->vertical = s.vertical;
  return true;
}

// Computes the position relative to `from` at the unstretched length p, horizontally and upwards.
static void elastic_place(const catenary *self, double horizontal, double vertical, double p,
                          double *across, double *up) {
  const double w = self->node_weight / self->rest, c = self->compliance;
  const double there = vertical - w * p;
  *across = horizontal * p * c +
            horizontal / w * (asinh(vertical / horizontal) - asinh(there / horizontal));
  *up = -0.5 * p * (vertical + there) * c -
        (hypot(horizontal, vertical) - hypot(horizontal, there)) / w;
}

static void elastic_error(const catenary *self, double horizontal, double vertical, double *error) {
  elastic_place(self, horizontal, vertical, length_of(self), &error[0], &error[1]);
  error[0] -= self->span;
  error[1] -= self->height;
}

static bool init_elastic(void *memory, const rl_model *model, const uint32_t *arguments,
                         char *message, size_t size) {
  catenary *self = memory;
  return read_geometry(self, model, arguments[0], true, message, size) &&
         find_pull(self, elastic_error, message, size);
}

static bool at_elastic(const void *memory, const rl_model *model, double t, rl_state *state) {
  const catenary *self = memory;
  const double w = self->node_weight / self->rest;
  (void)t;
  for (uint32_t i = 0; i <= self->count; i++) {
    double x, y;
    elastic_place(self, self->horizontal, self->vertical, i * self->rest, &x, &y);
    rl_exact_set_motion(state, rl_rope_node(model, state, self->rope, i),
                        rl_add_scaled(rl_add_scaled(self->from, x, self->across), y, self->up),
                        (rl_vec3){0.0, 0.0, 0.0});
    if (i < self->count) {
      state->multipliers[model->ropes[self->rope].first_link + i] =
          hypot(self->horizontal, self->vertical - w * (i + 0.5) * self->rest);
    }
  }
  return true;
}

static void discrete_error(const catenary *self, double horizontal, double vertical,
                           double *error) {
  error[0] = -self->span;
  error[1] = -self->height;
  for (uint32_t i = 0; i < self->count; i++) {
    const double v = vertical - i * self->node_weight;
    const double give = self->rest * (1.0 / hypot(horizontal, v) + self->compliance);
    error[0] += give * horizontal;
    error[1] -= give * v;
  }
}

static bool init_discrete(void *memory, const rl_model *model, const uint32_t *arguments,
                          char *message, size_t size) {
  catenary *self = memory;
  return read_geometry(self, model, arguments[0], true, message, size) &&
         find_pull(self, discrete_error, message, size);
}

static bool at_discrete(const void *memory, const rl_model *model, double t, rl_state *state) {
  const catenary *self = memory;
  const rl_vec3 at_rest = {0.0, 0.0, 0.0};
  rl_vec3 position = self->from;
  (void)t;
  rl_exact_set_motion(state, rl_rope_node(model, state, self->rope, 0), position, at_rest);
  for (uint32_t i = 0; i < self->count; i++) {
    const double v = self->vertical - i * self->node_weight;
    const double tension = hypot(self->horizontal, v);
    const double give = self->rest * (1.0 / tension + self->compliance);
    position = rl_add_scaled(position, give * self->horizontal, self->across);
    position = rl_add_scaled(position, -give * v, self->up);
    rl_exact_set_motion(state, rl_rope_node(model, state, self->rope, i + 1), position, at_rest);
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

const rl_exact_type rl_exact_elastic_catenary = {
    .name = "elastic-catenary",
    .summary = "the smooth curve of an elastic rope at rest between two fixed ends",
    .argument_count = 1,
    .arguments = {{"rope", RL_EXACT_ROPE, "the rope"}},
    .size = sizeof(catenary),
    .init = init_elastic,
    .at = at_elastic,
};

const rl_exact_type rl_exact_discrete_catenary = {
    .name = "discrete-catenary",
    .summary = "the exact rest shape of a chain of straight elements, elastic or not",
    .argument_count = 1,
    .arguments = {{"rope", RL_EXACT_ROPE, "the rope"}},
    .size = sizeof(catenary),
    .init = init_discrete,
    .at = at_discrete,
};
