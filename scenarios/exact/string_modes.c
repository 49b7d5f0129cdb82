// SPDX-License-Identifier: GPL-3.0-or-later
// Small oscillations of an elastic rope along a straight line, from any start.
//   string-modes  transverse, between two fixed ends, with the tension T: element i of length l_i
//                 is a spring T/l_i. N equal beads at the distance a:
//                 omega_k = 2 sqrt(T/(m a)) sin(k pi/(2(N + 1))).
//   spring-modes  longitudinal, from a fixed end to a fixed or free end or a load, with or without
//                 gravity along the line. Springs EA/l_i, exact at any amplitude as long as no
//                 element goes slack. N equal masses:
//                   fixed-fixed  omega_k = 2 sqrt(k/m) sin(k pi/(2(N + 1))),
//                   fixed-free   omega_j = 2 sqrt(k/m) sin((2j - 1) pi/(2(2N + 1))).
//   hanging-cord  a rope that hangs vertically at rest, with or without a load: element i carries g
//                 times the mass below it. N elements with half a bead at the end are longer by
//                 W L/(2 EA), like the smooth rope, and by m g L/EA for a load.
#include "modes.h"

// Largest angle between an element and the line at the start [rad]; the error is its square.
// Largest displacement in the other direction, relative to the rope's length.
#define SLOPE_MAX 0.1
#define ASIDE_MAX 1e-9

typedef struct straight {
  uint32_t rope, count, moving; // number of elements, and of nodes that move
  bool reversed;                // the fixed end is `to`
  rl_vec3 from, axis;
  double pull;                            // gravity along the axis [m/s^2]
  double places[RL_EXACT_MODES_MAX + 1];  // positions of the nodes along the axis at rest [m]
  double tensions[RL_EXACT_MODES_MAX];    // of the elements at rest [N]
  double compliances[RL_EXACT_MODES_MAX]; // of the elements [m/N]
  double rests[RL_EXACT_MODES_MAX];       // rest lengths [m]
  rl_exact_modes modes;
} straight;

static uint32_t node_of(const straight *self, uint32_t i) {
  return self->reversed ? self->count - i : i;
}

static uint32_t link_of(const straight *self, const rl_model *model, uint32_t i) {
  return model->ropes[self->rope].first_link + (self->reversed ? self->count - 1 - i : i);
}

static uint32_t start_slot(const straight *self, const rl_model *model, uint32_t i) {
  return rl_exact_node(model, self->rope, node_of(self, i));
}

static bool find_line(straight *self, const rl_model *model, uint32_t index, bool swings,
                      char *message, size_t size) {
  const rl_rope *rope = &model->ropes[index];
  self->rope = index;
  self->count = rope->link_count;
  self->reversed = !rl_exact_is_fixed(model, rope->ends[0]);
  const uint32_t held = rope->ends[self->reversed ? 1 : 0],
                 end = rope->ends[self->reversed ? 0 : 1];
  const bool fixed = rl_exact_is_fixed(model, end), is_held = rl_exact_is_fixed(model, held);
  char segments[64];
  snprintf(segments, sizeof segments, "%u segments", (unsigned)self->count);
  const char *const found[] = {
      rope->massless ? "no mass" : NULL,
      rope->closed ? "a closed rope" : NULL,
      !rope->massless && (self->count < 2 || self->count > RL_EXACT_MODES_MAX) ? segments : NULL,
      isfinite(rope->stiffness) ? NULL : "no stiffness",
      is_held ? NULL : "no fixed end",
      is_held && !fixed ? rl_exact_free_end_mismatch(model, end) : NULL,
      swings && !rl_exact_is_lossless(model, index) ? "damping or drag" : NULL,
  };
  if (!rl_exact_fits(found, RL_EXACT_COUNT(found), message, size,
                     "rope '%s' must have mass, stiffness and 2 to %d segments%s, and lead from a "
                     "fixed end to a fixed or a free one, or to the centre of a free body that "
                     "cannot turn",
                     rope->name, RL_EXACT_MODES_MAX, swings ? ", no damping and no drag" : "")) {
    return false;
  }
  self->moving = self->count - (fixed ? 1 : 0);
  self->from = rl_position(&model->points[held]);
  self->axis = rl_unit(rl_sub(rl_position(&model->points[end]), self->from));
  if (!fixed && rl_length(model->gravity) > 0.0) {
    self->axis = rl_unit(model->gravity);
  }
  self->pull = rl_dot(model->gravity, self->axis);
  if (rl_distance(model->gravity, rl_scale(self->pull, self->axis)) > 1e-12 * fabs(self->pull)) {
    return rl_exact_refuse(message, size,
                           "gravity must be along the line of rope '%s'; found %.4g of %.4g m/s^2 "
                           "along it",
                           rope->name, self->pull, rl_length(model->gravity));
  }
  return true;
}

// Computes the state of rest: T_{i+1} = T_i - m_i g, and element i has the length l_i + c_i T_i.
static void rest(straight *self, const rl_model *model) {
  const bool fixed = self->moving < self->count;
  const uint32_t end = start_slot(self, model, self->count);
  const double distance = rl_dot(rl_sub(rl_position(&model->points[end]), self->from), self->axis);
  double above = 0.0, given = distance, soft = 0.0; // weight of the nodes before an element
  for (uint32_t i = 0; i < self->count; i++) {
    const rl_link *link = &model->links[link_of(self, model, i)];
    self->rests[i] = link->rest;
    self->compliances[i] = link->compliance;
    self->tensions[i] = -above;
    given -= link->rest - link->compliance * above;
    soft += link->compliance;
    above += self->pull * (i < self->moving ? model->masses[start_slot(self, model, i + 1)] : 0.0);
  }
  const double first = fixed ? given / soft : above;
  self->places[0] = 0.0;
  for (uint32_t i = 0; i < self->count; i++) {
    self->tensions[i] += first;
    self->places[i + 1] =
        self->places[i] + self->rests[i] + self->compliances[i] * self->tensions[i];
  }
}

// Decomposes the start into modes; displacements in the other direction must be 0.
static bool set_modes(straight *self, const rl_model *model, bool along, char *message,
                      size_t size) {
  double masses[RL_EXACT_MODES_MAX], springs[RL_EXACT_MODES_MAX + 1] = {0.0};
  rl_vec3 displacements[RL_EXACT_MODES_MAX], velocities[RL_EXACT_MODES_MAX];
  const double length = self->places[self->count];
  double previous_slope = 0.0;
  rl_vec3 previous = {0.0, 0.0, 0.0};
  for (uint32_t i = 0; i < self->count; i++) {
    const double whole = self->places[i + 1] - self->places[i];
    springs[i] = along ? 1.0 / self->compliances[i] : self->tensions[i] / whole;
    const uint32_t slot = start_slot(self, model, i + 1);
    const rl_vec3 place = rl_add_scaled(self->from, self->places[i + 1], self->axis);
    const rl_vec3 off = rl_sub(rl_position(&model->points[slot]), place);
    const rl_vec3 v = model->velocities[slot];
    const rl_vec3 off_along = rl_scale(rl_dot(off, self->axis), self->axis);
    const rl_vec3 v_along = rl_scale(rl_dot(v, self->axis), self->axis);
    const rl_vec3 kept = along ? off_along : rl_sub(off, off_along);
    const rl_vec3 kept_v = along ? v_along : rl_sub(v, v_along);
    previous_slope = fmax(previous_slope, along ? 0.0 : rl_distance(kept, previous) / whole);
    previous = kept;
    if (rl_distance(off, kept) > ASIDE_MAX * length ||
        rl_distance(v, kept_v) > ASIDE_MAX * length) {
      return rl_exact_refuse(message, size,
                             "node %u must start displaced, and moving, %s the line only; it is "
                             "%.3g m off",
                             (unsigned)node_of(self, i + 1), along ? "along" : "across",
                             rl_distance(off, kept));
    }
    if (i < self->moving) {
      masses[i] = model->masses[slot];
      displacements[i] = kept;
      velocities[i] = kept_v;
    }
  }
  if (previous_slope > SLOPE_MAX) {
    return rl_exact_refuse(message, size, "an element starts %.3g rad off the line; at most %g rad",
                           previous_slope, SLOPE_MAX);
  }
  return rl_exact_modes_init(&self->modes, self->moving, masses, springs, displacements, velocities,
                             message, size);
}

static bool init_string(void *memory, const rl_model *model, const uint32_t *arguments,
                        char *message, size_t size) {
  straight *self = memory;
  if (!find_line(self, model, arguments[0], true, message, size)) {
    return false;
  }
  rest(self, model);
  const char *const found[] = {
      self->moving == self->count ? "an end that is not fixed" : NULL,
      self->pull != 0.0 ? "gravity" : NULL,
      self->tensions[0] > 0.0 ? NULL : "no tension",
  };
  if (!rl_exact_fits(found, RL_EXACT_COUNT(found), message, size,
                     "a string is stretched between two fixed ends, without gravity")) {
    return false;
  }
  return set_modes(self, model, false, message, size);
}

// Returns the least tension that element i can have, with all modes at their worst at once.
static double least_tension(const straight *self, uint32_t i) {
  const rl_exact_modes *modes = &self->modes;
  double swing = 0.0;
  for (uint32_t k = 0; k < modes->count; k++) {
    const double *shape = &modes->shapes[(size_t)modes->count * k];
    const double right = i < self->moving ? shape[i] / modes->roots[i] : 0.0;
    const double left = i > 0 ? shape[i - 1] / modes->roots[i - 1] : 0.0;
    const double amplitude = hypot(rl_length(modes->positions[k]),
                                   rl_length(modes->velocities[k]) / modes->frequencies[k]);
    swing += fabs(right - left) * amplitude;
  }
  return self->tensions[i] - swing / self->compliances[i];
}

static bool init_spring(void *memory, const rl_model *model, const uint32_t *arguments,
                        char *message, size_t size) {
  straight *self = memory;
  if (!find_line(self, model, arguments[0], true, message, size)) {
    return false;
  }
  rest(self, model);
  if (!set_modes(self, model, true, message, size)) {
    return false;
  }
  for (uint32_t i = 0; i < self->count && !model->ropes[self->rope].compression; i++) {
    if (least_tension(self, i) < 0.0) {
      return rl_exact_refuse(message, size,
                             "element %u could go slack; a chain of springs that push needs "
                             "compression: true",
                             (unsigned)i);
    }
  }
  return true;
}

static bool init_cord(void *memory, const rl_model *model, const uint32_t *arguments, char *message,
                      size_t size) {
  straight *self = memory;
  if (!find_line(self, model, arguments[0], false, message, size)) {
    return false;
  }
  const char *const found[] = {
      self->moving < self->count ? "two fixed ends" : NULL,
      self->pull > 0.0 ? NULL : "no gravity along it",
  };
  if (!rl_exact_fits(found, RL_EXACT_COUNT(found), message, size,
                     "a cord hangs from a fixed end, with a free end or a load, under gravity")) {
    return false;
  }
  rest(self, model);
  return true;
}

static bool at(const straight *self, const rl_model *model, double t, bool along, rl_state *state) {
  const rl_vec3 none = {0.0, 0.0, 0.0};
  double before = 0.0;
  for (uint32_t i = 0; i <= self->count; i++) {
    rl_vec3 displacement = none, velocity = none;
    if (i > 0 && i <= self->moving) {
      rl_exact_modes_at(&self->modes, t, i - 1, &displacement, &velocity);
    }
    const double off = along ? rl_dot(displacement, self->axis) : 0.0;
    if (i > 0) {
      state->multipliers[link_of(self, model, i - 1)] =
          self->tensions[i - 1] + (off - before) / self->compliances[i - 1];
    }
    before = off;
    rl_exact_set_motion(
        state, rl_rope_node(model, state, self->rope, node_of(self, i)),
        rl_add(rl_add_scaled(self->from, self->places[i], self->axis), displacement), velocity);
  }
  return true;
}

static bool string_at(const void *memory, const rl_model *model, double t, rl_state *state) {
  return at(memory, model, t, false, state);
}

static bool spring_at(const void *memory, const rl_model *model, double t, rl_state *state) {
  return at(memory, model, t, true, state);
}

// Writes the state of rest.
static bool cord_at(const void *memory, const rl_model *model, double t, rl_state *state) {
  const straight *self = memory;
  (void)t;
  for (uint32_t i = 0; i <= self->count; i++) {
    rl_exact_set_motion(state, rl_rope_node(model, state, self->rope, node_of(self, i)),
                        rl_add_scaled(self->from, self->places[i], self->axis),
                        (rl_vec3){0.0, 0.0, 0.0});
    if (i < self->count) {
      state->multipliers[link_of(self, model, i)] = self->tensions[i];
    }
  }
  return true;
}

const rl_exact_type rl_exact_string_modes = {
    .name = "string-modes",
    .summary = "small oscillations across a stretched elastic rope, from any start (eigenvalues)",
    .argument_count = 1,
    .arguments = {{"rope", RL_EXACT_ROPE, "the rope"}},
    .size = sizeof(straight),
    .init = init_string,
    .at = string_at,
};

const rl_exact_type rl_exact_spring_modes = {
    .name = "spring-modes",
    .summary = "oscillations along a straight elastic rope, from any start (eigenvalues)",
    .argument_count = 1,
    .arguments = {{"rope", RL_EXACT_ROPE, "the rope, from its fixed end"}},
    .size = sizeof(straight),
    .init = init_spring,
    .at = spring_at,
};

const rl_exact_type rl_exact_hanging_cord = {
    .name = "hanging-cord",
    .summary = "an elastic rope that hangs at rest, with a load or without",
    .argument_count = 1,
    .arguments = {{"rope", RL_EXACT_ROPE, "the rope, from its fixed end"}},
    .size = sizeof(straight),
    .init = init_cord,
    .at = cord_at,
};
