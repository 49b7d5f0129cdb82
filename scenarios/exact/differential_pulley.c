// SPDX-License-Identifier: GPL-3.0-or-later
// Weston's differential pulley: the rope runs from the hand (mass m) over the wide drum (R) of an
// axle, around a loose pulley with the load (total mass M), over the narrow drum (r) of the same
// axle, to a slack end (mass s). It rolls on both drums, so that the load rises by (R - r)/2R of
// the distance by which the hand sinks. The acceleration of the hand is
//   a = g (m R^2 - s r R - M R (R - r)/2) / (m R^2 + s r^2 + M (R - r)^2/4 + I).
// In equilibrium, without the slack end, m = M (R - r)/(2R).
#include "common.h"

typedef struct differential_pulley {
  uint32_t rope, axle, pulley;
  rl_vec3 up;
  rl_exact_weight hand, slack;
  double rises[3]; // upward accelerations of hand, pulley and slack end [m/s^2]
  double room;     // height of the axle above the pulley [m]
  double turn;     // angular acceleration of the axle about its z axis [rad/s^2]
  double pulls[4]; // tensions of the pieces, from the hand [N]
} differential_pulley;

static bool is_drum(const rl_model *model, const rl_exact_bend *bend, uint32_t axle) {
  const rl_body *body = &model->bodies[axle];
  const rl_vec3 axis = rl_rotate(body->rotation, (rl_vec3){0.0, 0.0, 1.0});
  const rl_vec3 from = rl_sub(bend->centre, body->position);
  return bend->body == axle && bend->friction > 0.0 &&
         body->parts[bend->part].shape == RL_CYLINDER &&
         rl_length(rl_cross(axis, bend->axis)) < 1e-9 &&
         rl_length(rl_cross(axis, from)) < 1e-9 * bend->radius;
}

static void move(differential_pulley *self, const rl_model *model, const rl_exact_path *path) {
  const double g = rl_length(model->gravity);
  const double wide = path->bends[0].radius, narrow = path->bends[2].radius;
  const double m = model->masses[self->hand.slot], s = model->masses[self->slack.slot];
  const double load = model->masses[rl_body_slot(model, self->pulley)];
  const double root = model->bodies[self->axle].root_inertia.z, gap = 0.5 * (wide - narrow);
  const double turn = g * (m * wide - s * narrow - load * gap) /
                      (m * wide * wide + s * narrow * narrow + load * gap * gap + root * root);
  const rl_vec3 axis = rl_rotate(model->bodies[self->axle].rotation, (rl_vec3){0.0, 0.0, 1.0});
  self->rises[0] = -wide * turn;
  self->rises[1] = gap * turn;
  self->rises[2] = narrow * turn;
  self->turn = -rl_dot(axis, path->bends[0].axis) * turn; // the rope moves towards the hand
  self->pulls[0] = m * (g + self->rises[0]);
  self->pulls[1] = self->pulls[2] = 0.5 * load * (g + self->rises[1]);
  self->pulls[3] = s * (g + self->rises[2]);
}

// Checks the path: drum, pulley, drum, all at rest.
static bool check_path(const differential_pulley *self, const rl_model *model,
                       const rl_exact_path *path, char *message, size_t size) {
  const rl_body *axle = &model->bodies[self->axle];
  const bool three = path->count == 3 && axle->motion == RL_AXLE && rl_length(axle->spin) == 0.0 &&
                     rl_length(model->gravity) > 0.0 &&
                     is_drum(model, &path->bends[0], self->axle) &&
                     is_drum(model, &path->bends[2], self->axle);
  const rl_exact_bend *loose = &path->bends[1];
  const rl_body *pulley = three && loose->body != RL_NONE ? &model->bodies[loose->body] : NULL;
  char bends[64];
  snprintf(bends, sizeof bends, "%u bends", (unsigned)path->count);
  const char *const found[] = {
      path->count == 3 ? NULL : bends,
      rl_length(model->gravity) > 0.0 ? NULL : "no gravity",
      axle->motion == RL_AXLE ? NULL : "drums that are not on an axle",
      rl_length(axle->spin) > 0.0 ? "drums that turn" : NULL,
      path->count == 3 && !three ? "a bend that is not over a drum about the axle" : NULL,
      three && !pulley ? "an eye for a pulley" : NULL,
      pulley && pulley->motion != RL_FREE ? "a pulley that is not free" : NULL,
      pulley && loose->friction > 0.0 ? "friction on the pulley" : NULL,
      pulley && rl_length(pulley->spin) + rl_length(pulley->velocity) > 0.0 ? "a pulley that moves"
                                                                            : NULL,
      three && (rl_distance(loose->in, rl_scale(-1.0, self->up)) > 1e-6 ||
                rl_distance(loose->out, self->up) > 1e-6)
          ? "strands that are not plumb"
          : NULL,
  };
  return rl_exact_fits(
      found, RL_EXACT_COUNT(found), message, size,
      "rope '%s' must run over a drum of '%s', plumb down to a loose pulley without "
      "friction, plumb up and over the other drum; the drums grip it, and all starts "
      "at rest",
      model->ropes[self->rope].name, axle->name);
}

// Checks that friction keeps the rope from slipping on the drums.
static bool check_grip(const differential_pulley *self, const rl_model *model,
                       const rl_exact_path *path, char *message, size_t size) {
  for (int i = 0; i < 3; i += 2) {
    const double ratio = fabs(log(self->pulls[i] / self->pulls[i + 1]));
    if (!(ratio <= path->bends[i].friction * path->bends[i].turn)) {
      return rl_exact_refuse(message, size,
                             "the rope would slip on '%s': its tensions are %.4g N and %.4g N",
                             model->bodies[self->axle].name, self->pulls[i], self->pulls[i + 1]);
    }
  }
  return true;
}

static bool init(void *memory, const rl_model *model, const uint32_t *arguments, char *message,
                 size_t size) {
  differential_pulley *self = memory;
  const rl_rope *rope = &model->ropes[arguments[0]];
  rl_exact_path path;
  if (!rl_exact_is_taut_line(model, arguments[0], message, size) ||
      !rl_exact_read_path(model, arguments[0], &path, message, size)) {
    return false;
  }
  self->rope = arguments[0];
  self->axle = arguments[1];
  self->up = rl_unit(rl_scale(-1.0, model->gravity));
  if (!check_path(self, model, &path, message, size)) {
    return false;
  }
  const rl_exact_bend *loose = &path.bends[1];
  self->pulley = loose->body;
  self->room = rl_dot(rl_sub(path.bends[2].centre, loose->centre), self->up);
  if (!rl_exact_read_weight(&self->hand, model, rope->ends[0], &path.bends[0], path.bends[0].entry,
                            rope->name, message, size) ||
      !rl_exact_read_weight(&self->slack, model, rope->ends[1], &path.bends[2], path.bends[2].exit,
                            rope->name, message, size)) {
    return false;
  }
  move(self, model, &path);
  return check_grip(self, model, &path, message, size);
}

static bool at(const void *memory, const rl_model *model, double t, rl_state *state) {
  const differential_pulley *self = memory;
  const uint32_t slots[3] = {self->hand.slot, rl_body_slot(model, self->pulley), self->slack.slot};
  const double rooms[3] = {self->hand.depth, self->room, self->slack.depth};
  const double half = 0.5 * t * t;
  bool known = true;
  for (int i = 0; i < 3; i++) {
    known = known && self->rises[i] * half < rooms[i];
    rl_exact_set_motion(
        state, slots[i],
        rl_add_scaled(rl_position(&model->points[slots[i]]), self->rises[i] * half, self->up),
        rl_scale(self->rises[i] * t, self->up));
  }
  rl_exact_set_rotation(state, model, self->axle, self->turn * half, self->turn * t);
  const rl_rope *rope = &model->ropes[self->rope];
  state->multipliers[rope->first_link] = self->pulls[0];
  for (uint32_t i = 0; i < 3; i++) {
    state->wraps[rope->first_wrap + i].tension = self->pulls[i + 1];
  }
  return known;
}

const rl_exact_type rl_exact_differential_pulley = {
    .name = "differential-pulley",
    .summary = "Weston's differential pulley: two drums on one axle, and a loose pulley",
    .argument_count = 2,
    .arguments = {{"rope", RL_EXACT_ROPE, "the rope, from the hand to its slack end"},
                  {"axle", RL_EXACT_BODY, "the axle with both drums"}},
    .size = sizeof(differential_pulley),
    .init = init,
    .at = at,
};
