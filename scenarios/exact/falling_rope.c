// SPDX-License-Identifier: GPL-3.0-or-later
// A rope that falls on level ground. Each node lands by itself and stops; the elements above it
// become slack, so that the rest falls freely. The ground bears the weight of the nodes that lie on
// it and stops those that land. If heights grow evenly along the rope, with the mass m per metre of
// height,
//   N = g (mass that lies) + m v^2,
// which is three times the weight that lies for a rope released just above the ground.
#include "common.h"

typedef struct falling_rope {
  uint32_t rope, floor;
  rl_vec3 up;
  double gravity, speed; // downwards at the start [m/s]
  double ground;         // height at which nodes come to rest, along `up` [m]
  double mass;           // of the rope [kg]
  double lowest, drop;   // heights of its lower end above `ground`, and of its upper above that [m]
  bool even;             // heights grow evenly with the mass
} falling_rope;

static double height_of(const falling_rope *self, const rl_model *model, uint32_t i) {
  const rl_vec3 p = rl_position(&model->points[rl_exact_node(model, self->rope, i)]);
  return rl_dot(p, self->up) - self->ground;
}

static bool init(void *memory, const rl_model *model, const uint32_t *arguments, char *message,
                 size_t size) {
  falling_rope *self = memory;
  const rl_rope *rope = &model->ropes[arguments[0]];
  self->rope = arguments[0];
  self->floor = arguments[1];
  self->gravity = rl_length(model->gravity);
  self->up = rl_unit(rl_scale(-1.0, model->gravity));
  const char *const found[] = {
      rope->massless ? "no mass" : NULL,
      rope->closed ? "a closed rope" : NULL,
      rope->compression ? "compression" : NULL,
      isfinite(rope->stiffness) ? "a stiffness" : NULL,
      self->gravity == 0.0 ? "no gravity" : NULL,
      rl_exact_is_lossless(model, self->rope) ? NULL : "damping or drag",
      rope->closed || rl_exact_has_free_ends(model, self->rope) ? NULL : "an end that is not free",
      rl_exact_falls_on(model, self->rope, self->floor, self->up, &self->ground)
          ? NULL
          : "other bodies that it can touch, or no level half-space",
  };
  if (!rl_exact_fits(found, RL_EXACT_COUNT(found), message, size,
                     "a falling rope has mass, no stiffness, compression or drag, two free ends, "
                     "and can touch nothing but level ground, '%s'",
                     model->bodies[self->floor].name)) {
    return false;
  }
  const uint32_t n = rope->link_count;
  self->speed = -rl_dot(model->velocities[rl_exact_node(model, self->rope, 0)], self->up);
  self->lowest = fmin(height_of(self, model, 0), height_of(self, model, n));
  self->drop = fabs(height_of(self, model, n) - height_of(self, model, 0));
  self->even = true;
  for (uint32_t i = 0; i <= n; i++) {
    const uint32_t slot = rl_exact_node(model, self->rope, i);
    const rl_vec3 rest = rl_add_scaled(model->velocities[slot], self->speed, self->up);
    const rl_vec3 before =
        i > 0 ? rl_position(&model->points[rl_exact_node(model, self->rope, i - 1)])
              : rl_position(&model->points[slot]);
    const double length = rl_distance(before, rl_position(&model->points[slot]));
    const double even =
        height_of(self, model, 0) + (height_of(self, model, n) - height_of(self, model, 0)) * i / n;
    self->mass += model->masses[slot];
    self->even = self->even && fabs(height_of(self, model, i) - even) <= 1e-9 * self->drop;
    if (rl_length(rest) > 1e-12 || self->speed < 0.0 || height_of(self, model, i) < -1e-9 ||
        model->points[slot].w == 0.0 ||
        (i > 0 && length > model->links[rope->first_link + i - 1].rest * (1.0 + 1e-9))) {
      return rl_exact_refuse(message, size,
                             "all nodes of rope '%s' must start above the ground at rest, or "
                             "straight down at one speed, and its elements not stretched; node %u "
                             "does not",
                             rope->name, (unsigned)i);
    }
  }
  return true;
}

static bool at(const void *memory, const rl_model *model, double t, rl_state *state) {
  const falling_rope *self = memory;
  const rl_vec3 none = {0.0, 0.0, 0.0};
  const double fallen = (self->speed + 0.5 * self->gravity * t) * t;
  const rl_vec3 velocity = rl_scale(-self->speed - self->gravity * t, self->up);
  for (uint32_t i = 0; i <= model->ropes[self->rope].link_count; i++) {
    const uint32_t slot = rl_exact_node(model, self->rope, i);
    const double height = height_of(self, model, i);
    const bool lies = fallen >= height;
    rl_exact_set_motion(
        state, slot,
        rl_add_scaled(rl_position(&model->points[slot]), -fmin(fallen, height), self->up),
        lies ? none : velocity);
    if (i < model->ropes[self->rope].link_count) {
      state->multipliers[model->ropes[self->rope].first_link + i] = 0.0;
    }
  }
  return true;
}

static double contact(const void *memory, const rl_model *model, double t, rl_probe probe) {
  const falling_rope *self = memory;
  (void)model;
  if (probe.kind != RL_PROBE_ROPE_FORCE || probe.index != self->rope || !self->even ||
      self->drop == 0.0) {
    return NAN;
  }
  const double fallen = (self->speed + 0.5 * self->gravity * t) * t;
  const double share = fmin(fmax((fallen - self->lowest) / self->drop, 0.0), 1.0);
  const double speed = self->speed + self->gravity * t;
  const double stops = share > 0.0 && share < 1.0 ? self->mass / self->drop * speed * speed : 0.0;
  return self->mass * share * self->gravity + stops;
}

const rl_exact_type rl_exact_falling_rope = {
    .name = "falling-rope",
    .summary = "a rope falls on level ground, node by node, and the push of the ground",
    .argument_count = 2,
    .arguments = {{"rope", RL_EXACT_ROPE, "the rope"}, {"ground", RL_EXACT_BODY, "the ground"}},
    .size = sizeof(falling_rope),
    .init = init,
    .at = at,
    .contact = contact,
};
