// SPDX-License-Identifier: GPL-3.0-or-later
// Two free bodies on a rope that is slack at first. They move freely relative to each other until
// their distance is the length of the rope. The rope then removes their separating speed v_rel with
// the impulse P = m1 m2/(m1 + m2) v_rel, which dissipates P v_rel/2. Afterwards they circle about
// each other with their speed v across the rope, at the tension m1 m2/(m1 + m2) v^2/L. The motion
// of their centre of mass does not change, also under gravity.
#include "common.h"

typedef struct caught_pair {
  uint32_t rope, bodies[2];
  double masses[2];
  double length;
  rl_vec3 apart, rate; // from the first to the second at the start [m], and its rate [m/s]
  double caught;       // time of the catch [s]; INFINITY: never
  double blow, after;  // impulse of the catch [N s], tension afterwards [N]
} caught_pair;

static bool init(void *memory, const rl_model *model, const uint32_t *arguments, char *message,
                 size_t size) {
  caught_pair *self = memory;
  const rl_rope *rope = &model->ropes[arguments[0]];
  rl_exact_path path;
  if (!rl_exact_is_line(model, arguments[0], message, size) ||
      !rl_exact_read_path(model, arguments[0], &path, message, size)) {
    return false;
  }
  self->rope = arguments[0];
  self->length = rope->length;
  for (int i = 0; i < 2; i++) {
    const char *const found[] = {
        path.count > 0 ? "a bend" : NULL,
        rope->compression ? "compression" : NULL,
        rl_exact_load_mismatch(model, rope->ends[i], false),
    };
    if (!rl_exact_fits(
            found, RL_EXACT_COUNT(found), message, size,
            "rope '%s' must be straight, without compression, between the centres of two "
            "free bodies that cannot turn",
            rope->name)) {
      return false;
    }
    self->bodies[i] = rope->ends[i];
    self->masses[i] = model->masses[rope->ends[i]];
  }
  self->apart = rl_sub(rl_position(&model->points[self->bodies[1]]),
                       rl_position(&model->points[self->bodies[0]]));
  self->rate = rl_sub(model->velocities[self->bodies[1]], model->velocities[self->bodies[0]]);
  // The later root of |apart + rate t| = L.
  const double a = rl_dot(self->rate, self->rate), b = rl_dot(self->apart, self->rate);
  const double c = rl_dot(self->apart, self->apart) - self->length * self->length;
  self->caught = a > 0.0 ? (-b + sqrt(fmax(b * b - a * c, 0.0))) / a : INFINITY;
  if (isfinite(self->caught)) {
    const double reduced = self->masses[0] * self->masses[1] / (self->masses[0] + self->masses[1]);
    const rl_vec3 along = rl_unit(rl_add_scaled(self->apart, self->caught, self->rate));
    const double parting = rl_dot(self->rate, along);
    self->blow = reduced * parting;
    self->after = reduced * (a - parting * parting) / self->length;
  }
  return true;
}

static void mean(const void *memory, const rl_model *model, double from, double to,
                 rl_state *state) {
  const caught_pair *self = memory;
  rl_exact_set_tension(state, model, self->rope,
                       rl_exact_mean_tension(from, to, self->caught, self->blow, self->after));
}

static bool at(const void *memory, const rl_model *model, double t, rl_state *state) {
  const caught_pair *self = memory;
  const double total = self->masses[0] + self->masses[1];
  rl_vec3 apart = rl_add_scaled(self->apart, fmin(t, self->caught), self->rate);
  rl_vec3 rate = self->rate;
  if (t >= self->caught) {
    const rl_vec3 along = rl_unit(apart);
    const rl_vec3 across = rl_add_scaled(rate, -rl_dot(rate, along), along);
    const double speed = rl_length(across);
    const rl_vec3 way = rl_unit(across); // 0 if nothing is left across the rope
    double s, c;
    rl_sincos(speed / self->length * (t - self->caught), &s, &c);
    apart = rl_scale(self->length, rl_add(rl_scale(c, along), rl_scale(s, way)));
    rate = rl_scale(speed, rl_sub(rl_scale(c, way), rl_scale(s, along)));
  }
  for (int i = 0; i < 2; i++) {
    const rl_vec3 other = rl_scale(i == 0 ? -1.0 : 1.0, self->apart);
    const rl_vec3 other_rate = rl_scale(i == 0 ? -1.0 : 1.0, self->rate);
    const double share = self->masses[1 - i] / total;
    // Relative to the centre of mass, which moves freely.
    const rl_vec3 start = rl_position(&model->points[self->bodies[i]]);
    const rl_vec3 centre = rl_add_scaled(start, -share, other);
    const rl_vec3 drift = rl_add_scaled(model->velocities[self->bodies[i]], -share, other_rate);
    const rl_vec3 fallen = rl_add_scaled(rl_scale(t, drift), 0.5 * t * t, model->gravity);
    const double sign = i == 0 ? -share : share;
    rl_exact_set_motion(state, self->bodies[i], rl_add_scaled(rl_add(centre, fallen), sign, apart),
                        rl_add_scaled(rl_add_scaled(drift, t, model->gravity), sign, rate));
  }
  mean(self, model, t, t, state);
  return true;
}

const rl_exact_type rl_exact_catch = {
    .name = "catch",
    .summary = "two free bodies on a slack rope: the catch, and how they turn after it",
    .argument_count = 1,
    .arguments = {{"rope", RL_EXACT_ROPE, "the rope between them"}},
    .size = sizeof(caught_pair),
    .init = init,
    .at = at,
    .mean = mean,
};
