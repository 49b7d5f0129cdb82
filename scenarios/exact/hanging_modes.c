// SPDX-License-Identifier: GPL-3.0-or-later
// Small oscillations of a rope that hangs from a fixed point, with or without a load at its end.
// Horizontal displacements are of first order; the height follows from the element lengths.
//   hanging-modes  the chain of N elements itself, with any masses and lengths. Element i pulls its
//                  ends together horizontally like a spring T_i/l_i, where T_i is the weight
//                  below it. N equal beads at the distance a have the frequencies sqrt(g x_k/a)
//                  with the zeros x_k of the Laguerre polynomial L_N.
//   hanging-mode   the mode of the smooth uniform rope in which it starts. At the height z above
//                  its end, with u = 2 omega sqrt((z + M/mu)/g), u0 at the end, u1 at the top:
//                    free end, M = 0:   J0(u),   omega_k = j_{0,k}/2 sqrt(g/L)
//                    load M:            J0(u) Y0(u1) - Y0(u) J0(u1),
//                                       J0(u1) Y2(u0) - Y0(u1) J2(u0) = 0.
#include "modes.h"
#include "roots.h"

#include <gsl/gsl_sf_bessel.h>

// Largest angle between an element and the vertical at the start [rad]; the error is its square.
#define SLOPE_MAX 0.1

// The geometry of a hanging rope; node 0 is held.
typedef struct hanging {
  uint32_t rope, count;
  bool reversed; // the held end is `to`
  rl_vec3 top, down;
  double gravity;
  double load; // mass of the body at its end [kg]
} hanging;

static uint32_t node_of(const hanging *self, uint32_t i) {
  return self->reversed ? self->count - i : i;
}

static uint32_t link_of(const hanging *self, const rl_model *model, uint32_t i) {
  return model->ropes[self->rope].first_link + (self->reversed ? self->count - 1 - i : i);
}

static uint32_t start_slot(const hanging *self, const rl_model *model, uint32_t i) {
  return rl_exact_node(model, self->rope, node_of(self, i));
}

static bool hang(hanging *self, const rl_model *model, uint32_t index, char *message, size_t size) {
  const rl_rope *rope = &model->ropes[index];
  self->rope = index;
  self->count = rope->link_count;
  self->reversed = !rl_exact_is_fixed(model, rope->ends[0]);
  self->gravity = rl_length(model->gravity);
  self->down = rl_unit(model->gravity);
  const uint32_t held = rope->ends[self->reversed ? 1 : 0],
                 end = rope->ends[self->reversed ? 0 : 1];
  const bool tied = end >= model->node_count, is_held = rl_exact_is_fixed(model, held);
  const char *const found[] = {
      rope->massless ? "no mass" : NULL,
      rope->closed ? "a closed rope" : NULL,
      isfinite(rope->stiffness) ? "a stiffness" : NULL,
      self->gravity == 0.0 ? "no gravity" : NULL,
      rl_exact_is_lossless(model, index) ? NULL : "damping or drag",
      is_held ? NULL : "no fixed end",
      is_held ? rl_exact_free_end_mismatch(model, end) : NULL,
  };
  if (!rl_exact_fits(found, RL_EXACT_COUNT(found), message, size,
                     "a hanging rope has mass, no stiffness and no drag, and leads from a fixed "
                     "point to a free end or the centre of a free body that cannot turn, under "
                     "gravity")) {
    return false;
  }
  if (self->count > RL_EXACT_MODES_MAX) {
    return rl_exact_refuse(message, size, "rope '%s' must have at most %d elements; found %u",
                           rope->name, RL_EXACT_MODES_MAX, (unsigned)self->count);
  }
  self->load = tied ? model->masses[end] : 0.0;
  self->top = rl_position(&model->points[held]);
  rl_vec3 above = self->top;
  for (uint32_t i = 1; i <= self->count; i++) {
    const rl_vec3 at = rl_position(&model->points[start_slot(self, model, i)]);
    const rl_link *link = &model->links[link_of(self, model, i - 1)];
    const double slope = acos(fmin(1.0, rl_dot(rl_unit(rl_sub(at, above)), self->down)));
    if (slope > SLOPE_MAX || fabs(rl_distance(at, above) - link->rest) > 1e-6 * link->rest) {
      return rl_exact_refuse(message, size,
                             "rope '%s' must start taut and within %g rad of plumb; element %u is "
                             "%.4g rad from it",
                             rope->name, SLOPE_MAX, (unsigned)(i - 1), slope);
    }
    above = at;
  }
  return true;
}

// Returns the horizontal part of a vector.
static rl_vec3 level(const hanging *self, rl_vec3 v) {
  return rl_add_scaled(v, -rl_dot(v, self->down), self->down);
}

// Sets nodes 1 ... count to these displacements, with heights that keep the element lengths.
static void put(const hanging *self, const rl_model *model, rl_state *state,
                const rl_vec3 *displacements, const rl_vec3 *velocities) {
  rl_vec3 aside = {0.0, 0.0, 0.0}, sideways = aside;
  double depth = 0.0, sinking = 0.0;
  rl_exact_set_motion(state, rl_rope_node(model, state, self->rope, node_of(self, 0)), self->top,
                      aside);
  for (uint32_t i = 1; i <= self->count; i++) {
    const rl_link *link = &model->links[link_of(self, model, i - 1)];
    const rl_vec3 lean = rl_sub(displacements[i - 1], aside);
    const rl_vec3 rate = rl_sub(velocities[i - 1], sideways);
    const double drop = sqrt(fmax(link->rest * link->rest - rl_dot(lean, lean), 0.0));
    depth += drop;
    sinking -= rl_dot(lean, rate) / drop;
    aside = displacements[i - 1];
    sideways = velocities[i - 1];
    rl_exact_set_motion(state, rl_rope_node(model, state, self->rope, node_of(self, i)),
                        rl_add_scaled(rl_add(self->top, aside), depth, self->down),
                        rl_add_scaled(sideways, sinking, self->down));
  }
  double below = 0.0;
  for (uint32_t i = self->count; i > 0; i--) {
    below += model->masses[start_slot(self, model, i)];
    state->multipliers[link_of(self, model, i - 1)] = self->gravity * below;
  }
}

// ---------------------------------------------------------------------------------------------
// The chain

typedef struct hanging_modes {
  hanging hanging;
  rl_exact_modes modes;
} hanging_modes;

static bool init_chain(void *memory, const rl_model *model, const uint32_t *arguments,
                       char *message, size_t size) {
  hanging_modes *self = memory;
  hanging *h = &self->hanging;
  double masses[RL_EXACT_MODES_MAX], springs[RL_EXACT_MODES_MAX + 1] = {0.0};
  rl_vec3 displacements[RL_EXACT_MODES_MAX], velocities[RL_EXACT_MODES_MAX];
  if (!hang(h, model, arguments[0], message, size)) {
    return false;
  }
  double below = 0.0;
  for (uint32_t i = h->count; i > 0; i--) {
    const uint32_t slot = start_slot(h, model, i);
    masses[i - 1] = model->masses[slot];
    below += masses[i - 1];
    springs[i - 1] = h->gravity * below / model->links[link_of(h, model, i - 1)].rest;
    displacements[i - 1] = level(h, rl_sub(rl_position(&model->points[slot]), h->top));
    velocities[i - 1] = level(h, model->velocities[slot]);
  }
  return rl_exact_modes_init(&self->modes, h->count, masses, springs, displacements, velocities,
                             message, size);
}

static bool chain_at(const void *memory, const rl_model *model, double t, rl_state *state) {
  const hanging_modes *self = memory;
  rl_vec3 displacements[RL_EXACT_MODES_MAX], velocities[RL_EXACT_MODES_MAX];
  for (uint32_t i = 0; i < self->hanging.count; i++) {
    rl_exact_modes_at(&self->modes, t, i, &displacements[i], &velocities[i]);
  }
  put(&self->hanging, model, state, displacements, velocities);
  return true;
}

// ---------------------------------------------------------------------------------------------
// The smooth rope

// Number of modes that are tried; allowed misfit of the start, relative to its largest
// displacement.
#define TRIED_MAX 20
#define SHAPE_TOLERANCE 1e-6

typedef struct hanging_mode {
  hanging hanging;
  double rest, extra; // rest length of an element, and M/mu [m]
  double frequency;   // [rad/s]
  rl_vec3 amplitude;  // of the end [m]
} hanging_mode;

static double bessel_argument(const hanging_mode *self, double frequency, double z) {
  return 2.0 * frequency * sqrt((z + self->extra) / self->hanging.gravity);
}

static double length_of(const hanging_mode *self) { return self->rest * self->hanging.count; }

// Returns the function that is 0 at the frequencies of a rope with a load.
static double load_condition(double frequency, void *memory) {
  const hanging_mode *self = memory;
  const double u0 = bessel_argument(self, frequency, 0.0);
  const double u1 = bessel_argument(self, frequency, length_of(self));
  return gsl_sf_bessel_J0(u1) * gsl_sf_bessel_Yn(2, u0) -
         gsl_sf_bessel_Y0(u1) * gsl_sf_bessel_Jn(2, u0);
}

// Finds the frequencies, lowest first; returns their number.
static uint32_t find_frequencies(hanging_mode *self, double *frequencies, uint32_t count) {
  if (self->extra == 0.0) {
    for (uint32_t k = 0; k < count; k++) {
      frequencies[k] =
          0.5 * gsl_sf_bessel_zero_J0(k + 1) / bessel_argument(self, 0.5, length_of(self));
    }
    return count;
  }
  // u1 - u0 grows by about pi from one frequency to the next.
  const double spacing =
      RL_PI / (bessel_argument(self, 1.0, length_of(self)) - bessel_argument(self, 1.0, 0.0));
  const double step = 0.05 * spacing;
  uint32_t found = 0;
  double low = 1e-3 * step, value = load_condition(low, self);
  for (int i = 0; i < 40 * (int)count && found < count; i++) {
    const double high = low + step, next = load_condition(high, self);
    if ((value < 0.0) != (next < 0.0) &&
        rl_exact_root(load_condition, self, low, high, &frequencies[found])) {
      found++;
    }
    low = high;
    value = next;
  }
  return found;
}

// Returns the shape of a mode at the height z above the end, where it is 1.
static double shape(const hanging_mode *self, double frequency, double z) {
  const double u = bessel_argument(self, frequency, z);
  if (self->extra == 0.0) {
    return gsl_sf_bessel_J0(u);
  }
  const double u0 = bessel_argument(self, frequency, 0.0);
  const double u1 = bessel_argument(self, frequency, length_of(self));
  const double top_j = gsl_sf_bessel_J0(u1), top_y = gsl_sf_bessel_Y0(u1);
  return (gsl_sf_bessel_J0(u) * top_y - gsl_sf_bessel_Y0(u) * top_j) /
         (gsl_sf_bessel_J0(u0) * top_y - gsl_sf_bessel_Y0(u0) * top_j);
}

// Fits the amplitude of a mode to the start; returns the largest difference relative to the largest
// displacement.
static double misfit(hanging_mode *self, const rl_vec3 *start, double frequency) {
  const hanging *h = &self->hanging;
  rl_vec3 sum = {0.0, 0.0, 0.0};
  double squares = 0.0, largest = 0.0, worst = 0.0;
  for (uint32_t i = 1; i <= h->count; i++) {
    const double s = shape(self, frequency, (h->count - i) * self->rest);
    sum = rl_add_scaled(sum, s, start[i - 1]);
    squares += s * s;
  }
  self->amplitude = rl_scale(1.0 / squares, sum);
  for (uint32_t i = 1; i <= h->count; i++) {
    const double s = shape(self, frequency, (h->count - i) * self->rest);
    largest = fmax(largest, rl_length(start[i - 1]));
    worst = fmax(worst, rl_distance(start[i - 1], rl_scale(s, self->amplitude)));
  }
  return largest > 0.0 ? worst / largest : INFINITY;
}

static bool init_smooth(void *memory, const rl_model *model, const uint32_t *arguments,
                        char *message, size_t size) {
  hanging_mode *self = memory;
  hanging *h = &self->hanging;
  rl_exact_chain chain;
  rl_vec3 start[RL_EXACT_MODES_MAX];
  double frequencies[TRIED_MAX];
  if (!hang(h, model, arguments[0], message, size) ||
      !rl_exact_read_chain(&chain, model, arguments[0], message, size)) {
    return false;
  }
  self->rest = chain.rest;
  self->extra = h->load * chain.rest / chain.node_mass;
  for (uint32_t i = 1; i <= h->count; i++) {
    const uint32_t slot = start_slot(h, model, i);
    start[i - 1] = level(h, rl_sub(rl_position(&model->points[slot]), h->top));
  }
  const uint32_t most = h->count < TRIED_MAX ? h->count : TRIED_MAX;
  const uint32_t count = find_frequencies(self, frequencies, most);
  uint32_t best = 0;
  double least = INFINITY;
  for (uint32_t k = 0; k < count; k++) {
    const double error = misfit(self, start, frequencies[k]);
    best = error < least ? k : best;
    least = fmin(error, least);
  }
  if (!(least <= SHAPE_TOLERANCE) || !rl_exact_is_still(model, arguments[0])) {
    return rl_exact_refuse(message, size,
                           "the rope must start at rest in the shape of a mode; the nearest, mode "
                           "%u, differs from it by %.3g of the largest displacement, and the start "
                           "is %s rest",
                           (unsigned)best + 1, least,
                           rl_exact_is_still(model, arguments[0]) ? "at" : "not at");
  }
  self->frequency = frequencies[best];
  misfit(self, start, self->frequency); // stores its amplitude
  return true;
}

static bool smooth_at(const void *memory, const rl_model *model, double t, rl_state *state) {
  const hanging_mode *self = memory;
  const hanging *h = &self->hanging;
  const double w = self->frequency, c = cos(w * t), s = -w * sin(w * t);
  rl_vec3 displacements[RL_EXACT_MODES_MAX], velocities[RL_EXACT_MODES_MAX];
  for (uint32_t i = 1; i <= h->count; i++) {
    const double form = shape(self, w, (h->count - i) * self->rest);
    displacements[i - 1] = rl_scale(c * form, self->amplitude);
    velocities[i - 1] = rl_scale(s * form, self->amplitude);
  }
  put(h, model, state, displacements, velocities);
  return true;
}

const rl_exact_type rl_exact_hanging_modes = {
    .name = "hanging-modes",
    .summary = "small oscillations of a hanging chain of beads, from any start (eigenvalues)",
    .argument_count = 1,
    .arguments = {{"rope", RL_EXACT_ROPE, "the rope, from its fixed end"}},
    .size = sizeof(hanging_modes),
    .init = init_chain,
    .at = chain_at,
};

const rl_exact_type rl_exact_hanging_mode = {
    .name = "hanging-mode",
    .summary =
        "a small oscillation of a smooth hanging rope in one of its modes (Bessel functions)",
    .argument_count = 1,
    .arguments = {{"rope", RL_EXACT_ROPE, "the rope, from its fixed end"}},
    .size = sizeof(hanging_mode),
    .init = init_smooth,
    .at = smooth_at,
};
