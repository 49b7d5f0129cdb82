// SPDX-License-Identifier: GPL-3.0-or-later
// Ropes that are taut only by their rotation, without gravity.
//   spinning-rope  a straight rope that rotates about its fixed end with omega and starts with
//                  small velocities out of its plane. Element i has the tension T_i = omega^2 sum
//                  of m_j r_j beyond it (smooth: mu omega^2 (L^2 - r^2)/2) and acts like a spring
//                  T_i/l_i for small displacements out of the plane. A smooth rope has the
//                  frequencies omega sqrt(j (j + 1)/2), j = 1, 3, 5 ..., with the shapes P_j(r/L);
//                  with equal masses the first three are the same for any number of elements.
//   spinning-loop  a regular polygon of N elements that rotates in its plane:
//                  T = m omega^2 R/(2 sin(pi/N)), with R its radius and m the mass of a node
//                  (smooth: mu omega^2 R^2).
#include "modes.h"

typedef struct spinning_rope {
  uint32_t rope, count;
  rl_vec3 hub, out, along, axis; // unit, at the start: of the rope, its velocity, and the rotation
  double spin;                   // [rad/s]
  double rests[RL_EXACT_MODES_MAX], tensions[RL_EXACT_MODES_MAX];
  rl_exact_modes modes;
} spinning_rope;

// Returns the rotation of the rope as a whole: the part of its velocities that is proportional to
// the distance from the hub. Of the modes out of the plane only the tilt contributes to it.
static rl_vec3 find_turn(const spinning_rope *self, const rl_model *model) {
  rl_vec3 sum = {0.0, 0.0, 0.0};
  double inertia = 0.0, r = 0.0;
  for (uint32_t i = 0; i < self->count; i++) {
    const uint32_t slot = rl_exact_node(model, self->rope, i + 1);
    const double mass = model->masses[slot];
    r += self->rests[i];
    sum = rl_add_scaled(sum, mass * r, model->velocities[slot]);
    inertia += mass * r * r;
  }
  return rl_scale(1.0 / inertia, sum);
}

static bool check_rope(const spinning_rope *self, const rl_model *model, char *message,
                       size_t size) {
  const rl_rope *rope = &model->ropes[self->rope];
  const uint32_t end = rope->ends[1];
  const char *const found[] = {
      rope->massless ? "no mass" : NULL,
      rope->closed ? "a closed rope" : NULL,
      isfinite(rope->stiffness) ? "a stiffness" : NULL,
      self->count > RL_EXACT_MODES_MAX ? "more elements" : NULL,
      rl_length(model->gravity) > 0.0 ? "gravity" : NULL,
      rl_exact_is_fixed(model, rope->ends[0]) ? NULL : "a `from` that is not fixed",
      end >= model->node_count || rl_exact_is_fixed(model, end) ? "a `to` that is not free" : NULL,
      rl_exact_is_lossless(model, self->rope) ? NULL : "damping or drag",
  };
  return rl_exact_fits(
      found, RL_EXACT_COUNT(found), message, size,
      "a spinning rope has mass, no stiffness and no drag, leads from a fixed end to "
      "a free one, and there is no gravity; at most %d elements",
      RL_EXACT_MODES_MAX);
}

static bool init_rope(void *memory, const rl_model *model, const uint32_t *arguments, char *message,
                      size_t size) {
  spinning_rope *self = memory;
  const rl_rope *rope = &model->ropes[arguments[0]];
  const uint32_t end = rope->ends[1];
  self->rope = arguments[0];
  self->count = rope->link_count;
  if (!check_rope(self, model, message, size)) {
    return false;
  }
  self->hub = rl_position(&model->points[rope->ends[0]]);
  self->out = rl_unit(rl_sub(rl_position(&model->points[end]), self->hub));
  for (uint32_t i = 0; i < self->count; i++) {
    self->rests[i] = model->links[rope->first_link + i].rest;
  }
  const rl_vec3 turn = find_turn(self, model);
  self->spin = rl_length(turn);
  self->along = rl_unit(turn);
  self->axis = rl_cross(self->out, self->along);
  double masses[RL_EXACT_MODES_MAX], springs[RL_EXACT_MODES_MAX + 1] = {0.0}, r = 0.0;
  rl_vec3 displacements[RL_EXACT_MODES_MAX], velocities[RL_EXACT_MODES_MAX];
  for (uint32_t i = 0; i < self->count; i++) {
    const uint32_t slot = rl_exact_node(model, self->rope, i + 1);
    r += self->rests[i];
    masses[i] = model->masses[slot];
    const rl_vec3 rest = rl_add_scaled(model->velocities[slot], -self->spin * r, self->along);
    const double struck = rl_dot(rest, self->axis);
    const rl_vec3 at = rl_add_scaled(self->hub, r, self->out);
    displacements[i] = (rl_vec3){0.0, 0.0, 0.0};
    velocities[i] = (rl_vec3){struck, 0.0, 0.0};
    if (!(self->spin > 0.0) || rl_distance(at, rl_position(&model->points[slot])) > 1e-9 * r ||
        rl_distance(rest, rl_scale(struck, self->axis)) > 1e-6 * self->spin * r) {
      return rl_exact_refuse(message, size,
                             "rope '%s' must start straight, and move as it turns about its fixed "
                             "end, and across the plane of that; node %u does not, in a turn at "
                             "%.4g rad/s",
                             rope->name, (unsigned)(i + 1), self->spin);
    }
    for (uint32_t k = 0; k <= i; k++) {
      self->tensions[k] =
          (k == i ? 0.0 : self->tensions[k]) + masses[i] * r * self->spin * self->spin;
    }
  }
  for (uint32_t i = 0; i < self->count; i++) {
    springs[i] = self->tensions[i] / self->rests[i];
  }
  return rl_exact_modes_init(&self->modes, self->count, masses, springs, displacements, velocities,
                             message, size);
}

static bool rope_at(const void *memory, const rl_model *model, double t, rl_state *state) {
  const spinning_rope *self = memory;
  const rl_vec3 none = {0.0, 0.0, 0.0};
  double s, c, radius = 0.0, inwards = 0.0, lift = 0.0, rise = 0.0;
  rl_sincos(self->spin * t, &s, &c);
  const rl_vec3 out = rl_add(rl_scale(c, self->out), rl_scale(s, self->along));
  const rl_vec3 along = rl_sub(rl_scale(c, self->along), rl_scale(s, self->out));
  rl_exact_set_motion(state, rl_rope_node(model, state, self->rope, 0), self->hub, none);
  for (uint32_t i = 0; i < self->count; i++) {
    rl_vec3 z, w;
    rl_exact_modes_at(&self->modes, t, i, &z, &w);
    // The radius follows from the element lengths.
    const double lean = z.x - lift, rate = w.x - rise;
    const double reach = sqrt(fmax(self->rests[i] * self->rests[i] - lean * lean, 0.0));
    radius += reach;
    inwards -= lean * rate / reach;
    lift = z.x;
    rise = w.x;
    const rl_vec3 at = rl_add_scaled(rl_add_scaled(self->hub, radius, out), lift, self->axis);
    const rl_vec3 v = rl_add_scaled(rl_scale(radius * self->spin, along), inwards, out);
    rl_exact_set_motion(state, rl_rope_node(model, state, self->rope, i + 1), at,
                        rl_add_scaled(v, rise, self->axis));
    state->multipliers[model->ropes[self->rope].first_link + i] = self->tensions[i];
  }
  return true;
}

typedef struct spinning_loop {
  uint32_t rope, count;
  rl_vec3 centre, velocity, x, y; // x, y: in its plane, from the centre to node 0 and across [m]
  double spin, tension;           // about x cross y [rad/s]; [N]
} spinning_loop;

static bool check_loop(const spinning_loop *self, const rl_model *model, char *message,
                       size_t size) {
  const rl_rope *rope = &model->ropes[self->rope];
  const char *const found[] = {
      rope->closed ? NULL : "a rope with two ends",
      rope->massless ? "no mass" : NULL,
      isfinite(rope->stiffness) ? "a stiffness" : NULL,
      rl_length(model->gravity) > 0.0 ? "gravity" : NULL,
      rl_exact_is_lossless(model, self->rope) ? NULL : "damping or drag",
  };
  return rl_exact_fits(found, RL_EXACT_COUNT(found), message, size,
                       "a spinning loop is a closed rope with mass, without stiffness, drag and "
                       "gravity");
}

static bool init_loop(void *memory, const rl_model *model, const uint32_t *arguments, char *message,
                      size_t size) {
  spinning_loop *self = memory;
  const rl_rope *rope = &model->ropes[arguments[0]];
  self->rope = arguments[0];
  self->count = rope->link_count;
  if (!check_loop(self, model, message, size)) {
    return false;
  }
  const double share = 1.0 / self->count, step = 2.0 * RL_PI * share;
  self->centre = self->velocity = (rl_vec3){0.0, 0.0, 0.0};
  for (uint32_t i = 0; i < self->count; i++) {
    const uint32_t slot = rl_exact_node(model, self->rope, i);
    self->centre = rl_add_scaled(self->centre, share, rl_position(&model->points[slot]));
    self->velocity = rl_add_scaled(self->velocity, share, model->velocities[slot]);
  }
  const uint32_t first = rl_exact_node(model, self->rope, 0);
  const double mass = model->masses[first];
  self->x = rl_sub(rl_position(&model->points[first]), self->centre);
  const double radius = rl_length(self->x);
  const rl_vec3 next =
      rl_sub(rl_position(&model->points[rl_exact_node(model, self->rope, 1)]), self->centre);
  const rl_vec3 across = rl_add_scaled(next, -cos(step), self->x);
  self->y = rl_scale(radius, rl_unit(across));
  const rl_vec3 speed = rl_sub(model->velocities[first], self->velocity);
  self->spin = rl_dot(speed, self->y) / (radius * radius);
  for (uint32_t i = 0; i < self->count; i++) {
    const uint32_t slot = rl_exact_node(model, self->rope, i);
    const double c = cos(i * step), s = sin(i * step);
    const rl_vec3 at = rl_add(rl_scale(c, self->x), rl_scale(s, self->y));
    const rl_vec3 v = rl_scale(self->spin, rl_sub(rl_scale(c, self->y), rl_scale(s, self->x)));
    const rl_vec3 off = rl_sub(rl_sub(rl_position(&model->points[slot]), self->centre), at);
    const rl_vec3 drift = rl_sub(rl_sub(model->velocities[slot], self->velocity), v);
    const double excess = 2.0 * radius * sin(0.5 * step) - model->links[rope->first_link + i].rest;
    if (rl_length(off) > 1e-9 * radius || rl_length(drift) > 1e-6 * fabs(self->spin) * radius ||
        fabs(excess) > 1e-9 * radius || fabs(model->masses[slot] - mass) > 1e-9 * mass ||
        self->spin == 0.0) {
      return rl_exact_refuse(message, size,
                             "loop '%s' must start as a regular polygon that turns in its plane, "
                             "with equal masses and elements; node %u does not fit",
                             rope->name, (unsigned)i);
    }
  }
  self->tension = mass * self->spin * self->spin * radius / (2.0 * sin(0.5 * step));
  return true;
}

static bool loop_at(const void *memory, const rl_model *model, double t, rl_state *state) {
  const spinning_loop *self = memory;
  const rl_vec3 centre = rl_add_scaled(self->centre, t, self->velocity);
  for (uint32_t i = 0; i < self->count; i++) {
    double s, c;
    rl_sincos(self->spin * t + 2.0 * RL_PI * i / self->count, &s, &c);
    const rl_vec3 out = rl_add(rl_scale(c, self->x), rl_scale(s, self->y));
    const rl_vec3 along = rl_sub(rl_scale(c, self->y), rl_scale(s, self->x));
    rl_exact_set_motion(state, rl_rope_node(model, state, self->rope, i), rl_add(centre, out),
                        rl_add_scaled(self->velocity, self->spin, along));
    state->multipliers[model->ropes[self->rope].first_link + i] = self->tension;
  }
  return true;
}

const rl_exact_type rl_exact_spinning_rope = {
    .name = "spinning-rope",
    .summary = "a rope that turns about its end, with small waves out of the plane (eigenvalues)",
    .argument_count = 1,
    .arguments = {{"rope", RL_EXACT_ROPE, "the rope, from the hub"}},
    .size = sizeof(spinning_rope),
    .init = init_rope,
    .at = rope_at,
};

const rl_exact_type rl_exact_spinning_loop = {
    .name = "spinning-loop",
    .summary = "a regular polygon of rope that turns in its plane",
    .argument_count = 1,
    .arguments = {{"rope", RL_EXACT_ROPE, "the closed rope"}},
    .size = sizeof(spinning_loop),
    .init = init_loop,
    .at = loop_at,
};
