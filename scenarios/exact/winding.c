// SPDX-License-Identifier: GPL-3.0-or-later
// A bob on a rope that winds on a round post, without gravity or friction. The tension is
// perpendicular to the velocity, so the speed v is constant; the free length l follows l^2 = l0^2 -
// 2 R v t, and the tension is m v^2 / l. Energy is conserved, angular momentum about the post is
// not.
#include "common.h"

typedef struct winding {
  uint32_t rope, body, bob;
  rl_vec3 foot;             // point on the axis beside the tangent point
  rl_vec3 axis, out, along; // unit: of the rope's turn; from the foot; of the free piece
  double radius, length;    // R, l0 [m]
  double speed, mass;       // v, positive if the rope winds up [m/s]; [kg]
  double wrap;              // wrap angle at the start [rad]
} winding;

// Finds the tangent point of a rope that starts on the post or tangent to it.
static bool find_tangent(winding *self, const rl_model *model, char *message, size_t size) {
  const rl_rope *rope = &model->ropes[self->rope];
  const rl_body *post = &model->bodies[self->body];
  const rl_vec3 bob = rl_position(&model->points[self->bob]);
  rl_exact_path path;
  if (!rl_exact_read_path(model, self->rope, &path, message, size)) {
    return false;
  }
  if (path.count > 1 || (path.count == 1 && path.bends[0].body != self->body)) {
    return rl_exact_refuse(message, size, "rope '%s' must run over '%s' only; found %u bends",
                           rope->name, post->name, (unsigned)path.count);
  }
  const rl_part *part = &post->parts[0];
  const rl_vec3 centre = rl_add(post->position, rl_rotate(post->rotation, part->at));
  const rl_vec3 axis = rl_rotate(post->rotation, rl_rotate(part->rotation, (rl_vec3){0, 0, 1}));
  const rl_vec3 start =
      path.count == 1 ? path.bends[0].exit : rl_position(&model->points[rope->ends[0]]);
  self->along = rl_unit(rl_sub(bob, start));
  self->radius = part->radius + rope->radius;
  const rl_vec3 from = rl_sub(bob, centre);
  const rl_vec3 beside = rl_add_scaled(from, -rl_dot(from, self->along), self->along);
  const rl_vec3 across = rl_add_scaled(beside, -rl_dot(beside, axis), axis);
  self->out = rl_unit(across);
  self->axis = rl_cross(self->out, self->along);
  self->foot = rl_add_scaled(bob, -rl_dot(from, self->along), self->along);
  self->foot = rl_add_scaled(self->foot, -self->radius, self->out);
  self->length = rl_dot(from, self->along);
  self->wrap = path.count == 1 ? path.bends[0].wrap : 0.0;
  if (fabs(rl_dot(axis, self->along)) > 1e-9 || self->length <= 0.0 ||
      fabs(rl_length(across) - self->radius) > 1e-9 * self->length) {
    return rl_exact_refuse(
        message, size,
        "rope '%s' must lie on '%s' or touch it, across its axis; found its line "
        "%.9g m beside the axis, and a radius of %.9g m",
        rope->name, post->name, rl_length(across), self->radius);
  }
  return true;
}

static bool init(void *memory, const rl_model *model, const uint32_t *arguments, char *message,
                 size_t size) {
  winding *self = memory;
  const rl_body *post = &model->bodies[arguments[1]];
  if (!rl_exact_is_winding(model, arguments[0], arguments[1], true, message, size)) {
    return false;
  }
  self->rope = arguments[0];
  self->body = arguments[1];
  self->bob = model->ropes[self->rope].ends[1];
  if (!find_tangent(self, model, message, size)) {
    return false;
  }
  const rl_vec3 velocity = model->velocities[self->bob];
  self->speed = -rl_dot(velocity, self->out);
  self->mass = model->masses[self->bob];
  const double rest = rl_length(rl_add_scaled(velocity, self->speed, self->out));
  if (self->speed == 0.0 || rest > 1e-9 * fabs(self->speed)) {
    return rl_exact_refuse(message, size,
                           "body '%s' must start across its rope and the axis of '%s'; found %.4g "
                           "of %.4g m/s that way",
                           rl_slot_body(model, self->bob)->name, post->name, fabs(self->speed),
                           rl_length(velocity));
  }
  return true;
}

static bool at(const void *memory, const rl_model *model, double t, rl_state *state) {
  const winding *self = memory;
  const double square = self->length * self->length - 2.0 * self->radius * self->speed * t;
  const double length = sqrt(fmax(square, 0.0));
  const double turned = (self->length - length) / self->radius;
  if (!(square > 0.0) || self->wrap + turned < 0.0) {
    return false; // the bob has reached the post, or the rope has left it
  }
  double s, c;
  rl_sincos(turned, &s, &c);
  const rl_vec3 out = rl_add(rl_scale(c, self->out), rl_scale(s, self->along));
  const rl_vec3 along = rl_sub(rl_scale(c, self->along), rl_scale(s, self->out));
  rl_exact_set_motion(state, self->bob,
                      rl_add_scaled(rl_add_scaled(self->foot, self->radius, out), length, along),
                      rl_scale(-self->speed, out));
  rl_exact_set_wrap(state, model, self->rope, self->body, self->axis, self->wrap + turned);
  rl_exact_set_tension(state, model, self->rope, self->mass * self->speed * self->speed / length);
  return true;
}

const rl_exact_type rl_exact_winding = {
    .name = "winding",
    .summary = "a bob on a rope that winds on a round post, without gravity",
    .argument_count = 2,
    .arguments = {{"rope", RL_EXACT_ROPE, "the rope, from its fixed end to the bob"},
                  {"post", RL_EXACT_BODY, "the post"}},
    .size = sizeof(winding),
    .init = init,
    .at = at,
};
