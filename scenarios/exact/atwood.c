// SPDX-License-Identifier: GPL-3.0-or-later
// Two weights that hang vertically from a massless rope over fixed eyes, drums, and wheels on
// axles: constant accelerations. With the displacement s of the rope towards its `from`, each
// tension along the rope is p + q s''. It is m1 (g - s'') at `from` and must be m2 (g + s'') at
// `to`. The tension
//   stays the same over an eye, or over anything without friction;
//   falls over a drum, where the rope slips, by exp(-mu phi): a = g (m1 - m2 e^{mu phi}) / (m1 + m2
//   e^{mu phi}); where m1 / m2 is within exp(+-mu phi), friction holds the rope;
//   falls over a wheel that it rolls by s'' I / R^2: a = g (m1 - m2) / (m1 + m2 + I / R^2).
// A rope that is longer than its path by `slack` catches both weights at t^2 = slack / g, without
// rebound: until then both fall at g t, and each gets the impulse P = m1 m2 / (m1 + m2) 2 g t.
#include "common.h"

#include <string.h>

typedef struct wheel {
  uint32_t body;
  double turn; // rotation about its axis per displacement of the rope towards `from` [1/m]
} wheel;

typedef struct atwood {
  uint32_t rope;
  rl_vec3 up;
  double gravity, acceleration; // of the rope towards `from` [m/s^2]
  double slack, caught;         // [m]; time of the catch [s]
  double kick;                  // speed towards `from` after the catch [m/s]
  double blow;                  // impulse of the catch [N s]
  rl_exact_weight weights[2];
  uint32_t wheel_count, bend_count;
  wheel wheels[RL_EXACT_BENDS_MAX];
  bool rolls[RL_EXACT_BENDS_MAX];          // the bend is a wheel that turns with the rope
  double tensions[RL_EXACT_BENDS_MAX + 1]; // of each piece [N]
} atwood;

static bool rolls(const rl_exact_bend *bend) {
  return bend->slot != RL_NONE && bend->friction > 0.0;
}

// Checks that a bend is at a fixed eye, a fixed round body, or a wheel whose axis is that of the
// rope.
static bool check_bend(const rl_model *model, const rl_exact_bend *bend, const char *rope,
                       char *message, size_t size) {
  if (bend->body == RL_NONE) {
    return bend->slot == RL_NONE ||
           rl_exact_refuse(message, size,
                           "rope '%s' must run over fixed eyes; found one that moves", rope);
  }
  const rl_body *body = &model->bodies[bend->body];
  if (body->motion != RL_FIXED && (body->motion != RL_AXLE || rl_length(body->spin) > 0.0)) {
    return rl_exact_refuse(message, size,
                           "rope '%s' must run over fixed bodies, and over wheels on axles that "
                           "start at rest, not over '%s'",
                           rope, body->name);
  }
  if (body->motion == RL_AXLE && bend->friction > 0.0) {
    const rl_vec3 axis = rl_rotate(body->rotation, (rl_vec3){0.0, 0.0, 1.0});
    const rl_vec3 from = rl_sub(bend->centre, body->position);
    const bool about = rl_length(rl_cross(axis, bend->axis)) < 1e-9 &&
                       rl_length(rl_cross(axis, from)) < 1e-9 * bend->radius &&
                       fabs(rl_dot(axis, bend->in)) < 1e-9 && fabs(rl_dot(axis, bend->out)) < 1e-9;
    if (!about || body->parts[bend->part].shape != RL_CYLINDER) {
      return rl_exact_refuse(message, size,
                             "the rope must run across the axis of wheel '%s', on a cylinder about "
                             "it; found %s",
                             body->name, about ? "another shape" : "another way");
    }
  }
  return true;
}

// Computes the acceleration towards `from` [m/s^2] of a rope that slips that way (sign 1) or
// towards `to` (-1), and the tension of each piece.
static double accelerate(atwood *self, const rl_model *model, const rl_exact_path *path,
                         double sign) {
  const double g = self->gravity;
  const double m1 = model->masses[self->weights[0].slot];
  const double m2 = model->masses[self->weights[1].slot];
  double p[RL_EXACT_BENDS_MAX + 1] = {m1 * g}, q[RL_EXACT_BENDS_MAX + 1] = {-m1};
  for (uint32_t i = 0; i < path->count; i++) {
    const rl_exact_bend *bend = &path->bends[i];
    const bool turns = rolls(bend);
    const double kept = turns ? 1.0 : exp(-sign * bend->friction * bend->turn);
    const double root = turns ? model->bodies[bend->body].root_inertia.z / bend->radius : 0.0;
    p[i + 1] = p[i] * kept;
    q[i + 1] = q[i] * kept - root * root;
  }
  const double a = (p[path->count] - m2 * g) / (m2 - q[path->count]);
  for (uint32_t i = 0; i <= path->count; i++) {
    self->tensions[i] = p[i] + q[i] * a;
  }
  return a;
}

// Sets the tensions of a rope that friction holds; between two drums with friction they are
// unknown.
static void hold(atwood *self, const rl_model *model, const rl_exact_path *path) {
  const double heads[2] = {model->masses[self->weights[0].slot] * self->gravity,
                           model->masses[self->weights[1].slot] * self->gravity};
  uint32_t first = 0, last = path->count;
  while (first < path->count && path->bends[first].friction == 0.0) {
    first++;
  }
  while (last > 0 && path->bends[last - 1].friction == 0.0) {
    last--;
  }
  for (uint32_t i = 0; i <= path->count; i++) {
    self->tensions[i] = i <= first ? heads[0] : i >= last ? heads[1] : NAN;
  }
  self->acceleration = 0.0;
}

static bool move(atwood *self, const rl_model *model, const rl_exact_path *path, char *message,
                 size_t size) {
  self->acceleration = accelerate(self, model, path, 1.0);
  if (self->acceleration < 0.0) {
    self->acceleration = accelerate(self, model, path, -1.0);
    if (self->acceleration > 0.0) {
      hold(self, model, path);
    }
  }
  for (uint32_t i = 0; i < path->count; i++) {
    const rl_exact_bend *bend = &path->bends[i];
    self->rolls[i] = rolls(bend);
    if (!self->rolls[i]) {
      continue;
    }
    const double ratio = fabs(log(self->tensions[i] / self->tensions[i + 1]));
    const rl_body *body = &model->bodies[bend->body];
    if (ratio > bend->friction * bend->turn) {
      return rl_exact_refuse(message, size,
                             "the rope would slip on wheel '%s': its tensions are as %.4g to 1, "
                             "and friction holds %.4g to 1",
                             body->name, exp(ratio), exp(bend->friction * bend->turn));
    }
    const rl_vec3 axis = rl_rotate(body->rotation, (rl_vec3){0.0, 0.0, 1.0});
    self->wheels[self->wheel_count++] =
        (wheel){bend->body, -rl_dot(axis, bend->axis) / bend->radius};
  }
  return true;
}

// Handles a slack rope: both weights fall until it is taut and then move with the speed that the
// catch leaves.
static bool fall(atwood *self, const rl_model *model, const rl_exact_path *path, char *message,
                 size_t size) {
  const rl_rope *rope = &model->ropes[self->rope];
  self->slack = rope->length - path->length;
  if (fabs(self->slack) <= 1e-9 * rope->length) {
    self->slack = 0.0;
    return true;
  }
  for (uint32_t i = 0; i < path->count; i++) {
    if (path->bends[i].friction > 0.0) {
      return rl_exact_refuse(message, size,
                             "rope '%s' must start taut where there is friction, but is %.6g m "
                             "long on a way of %.6g m",
                             rope->name, rope->length, path->length);
    }
  }
  const double m1 = model->masses[self->weights[0].slot];
  const double m2 = model->masses[self->weights[1].slot];
  self->caught = sqrt(self->slack / self->gravity);
  self->kick = (m1 - m2) / (m1 + m2) * self->gravity * self->caught;
  self->blow = m1 * m2 / (m1 + m2) * 2.0 * self->gravity * self->caught;
  return true;
}

static bool init(void *memory, const rl_model *model, const uint32_t *arguments, char *message,
                 size_t size) {
  atwood *self = memory;
  const rl_rope *rope = &model->ropes[arguments[0]];
  rl_exact_path path;
  memset(self, 0, sizeof *self);
  self->rope = arguments[0];
  self->gravity = rl_length(model->gravity);
  self->up = rl_unit(rl_scale(-1.0, model->gravity));
  if (!rl_exact_is_line(model, arguments[0], message, size) ||
      !rl_exact_read_path(model, arguments[0], &path, message, size)) {
    return false;
  }
  const char *const found[] = {path.count == 0 ? "no bend" : NULL,
                               self->gravity == 0.0 ? "no gravity" : NULL};
  if (!rl_exact_fits(found, RL_EXACT_COUNT(found), message, size,
                     "rope '%s' must run over an eye or a body, under gravity", rope->name)) {
    return false;
  }
  self->bend_count = path.count;
  for (uint32_t i = 0; i < path.count; i++) {
    if (!check_bend(model, &path.bends[i], rope->name, message, size)) {
      return false;
    }
  }
  const rl_exact_bend *last = &path.bends[path.count - 1];
  return rl_exact_read_weight(&self->weights[0], model, rope->ends[0], &path.bends[0],
                              path.bends[0].entry, rope->name, message, size) &&
         rl_exact_read_weight(&self->weights[1], model, rope->ends[1], last, last->exit, rope->name,
                              message, size) &&
         move(self, model, &path, message, size) && fall(self, model, &path, message, size);
}

static bool put(const atwood *self, const rl_model *model, int i, double rise, double speed,
                rl_state *state) {
  const rl_exact_weight *w = &self->weights[i];
  rl_exact_set_motion(state, w->slot,
                      rl_add_scaled(rl_position(&model->points[w->slot]), rise, self->up),
                      rl_scale(speed, self->up));
  return rise < w->depth; // else the weight has reached its eye
}

static void mean(const void *memory, const rl_model *model, double from, double to,
                 rl_state *state) {
  const atwood *self = memory;
  const rl_rope *rope = &model->ropes[self->rope];
  state->multipliers[rope->first_link] =
      rl_exact_mean_tension(from, to, self->caught, self->blow, self->tensions[0]);
  for (uint32_t i = 0; i < self->bend_count && rope->wrap_capacity > 0; i++) {
    rl_wrap *wrap = &state->wraps[rope->first_wrap + i];
    wrap->tension =
        rl_exact_mean_tension(from, to, self->caught, self->blow, self->tensions[i + 1]);
    wrap->slip = self->rolls[i] ? 0.0 : -0.5 * self->acceleration * (from + to);
  }
}

static bool at(const void *memory, const rl_model *model, double t, rl_state *state) {
  const atwood *self = memory;
  mean(self, model, t, t, state);
  const double g = self->gravity, a = self->acceleration;
  if (t < self->caught) {
    put(self, model, 0, -0.5 * g * t * t, -g * t, state);
    put(self, model, 1, -0.5 * g * t * t, -g * t, state);
    return true;
  }
  const double since = t - self->caught;
  const double way = self->kick * since + 0.5 * a * since * since;
  const double speed = self->kick + a * since;
  for (uint32_t i = 0; i < self->wheel_count; i++) {
    const wheel *w = &self->wheels[i];
    rl_exact_set_rotation(state, model, w->body, w->turn * way, w->turn * speed);
  }
  const double fallen = 0.5 * self->slack;
  const bool above = put(self, model, 0, -fallen - way, -speed, state);
  return put(self, model, 1, -fallen + way, speed, state) && above;
}

const rl_exact_type rl_exact_atwood = {
    .name = "atwood",
    .summary = "two weights on a massless rope over fixed eyes and drums, and wheels, until one "
               "arrives",
    .argument_count = 1,
    .arguments = {{"rope", RL_EXACT_ROPE, "the rope over the eyes, drums and wheels"}},
    .size = sizeof(atwood),
    .init = init,
    .at = at,
    .mean = mean,
};
