// SPDX-License-Identifier: GPL-3.0-or-later
#include "rotation.h"

#include "trigonometry.h"

// ---------------------------------------------------------------------------------------------
// Small turns: the Gibbs vector b = tan(angle / 2) axis is half of the slot's position over s.

static rl_quat quat_from_gibbs(rl_vec3 b) { return rl_quat_unit((rl_quat){b.x, b.y, b.z, 1.0}); }

static rl_vec3 gibbs(const rl_body *body, const rl_point *points) {
  return rl_scale(0.5, rl_times(body->inverse_root_inertia, rl_position(&points[body->spin_slot])));
}

rl_quat rl_body_rotation(const rl_model *model, const rl_state *state, const rl_point *points,
                         uint32_t body) {
  const rl_body *b = &model->bodies[body];
  return b->spin_slot == RL_NONE
             ? state->rotations[body]
             : rl_quat_product(state->rotations[body], quat_from_gibbs(gibbs(b, points)));
}

static rl_vec3 local_spin(const rl_body *body, const rl_state *state) {
  return rl_times(body->inverse_root_inertia, state->velocities[body->spin_slot]);
}

static rl_vec3 local_angular_momentum(const rl_body *body, const rl_state *state) {
  return rl_times(body->root_inertia, state->velocities[body->spin_slot]);
}

rl_vec3 rl_body_spin(const rl_model *model, const rl_state *state, uint32_t body) {
  const rl_body *b = &model->bodies[body];
  return b->spin_slot == RL_NONE ? (rl_vec3){0.0, 0.0, 0.0}
                                 : rl_rotate(state->rotations[body], local_spin(b, state));
}

rl_vec3 rl_velocity_at(const rl_model *model, const rl_state *state, uint32_t slot, rl_vec3 p) {
  if (slot == RL_NONE) {
    return (rl_vec3){0.0, 0.0, 0.0};
  }
  const rl_vec3 v = state->velocities[slot];
  if (!rl_slot_body(model, slot)) {
    return v;
  }
  const rl_vec3 arm = rl_sub(p, rl_position(&state->points[slot]));
  return rl_add(v, rl_cross(rl_body_spin(model, state, slot - model->node_count), arm));
}

rl_vec3 rl_trial_spin(const rl_model *model, const rl_state *state, const rl_point *points,
                      uint32_t body) {
  const rl_body *b = &model->bodies[body];
  return b->spin_slot == RL_NONE
             ? (rl_vec3){0.0, 0.0, 0.0}
             : rl_rotate(rl_body_rotation(model, state, points, body), local_spin(b, state));
}

rl_vec3 rl_trial_velocity(const rl_model *model, const rl_state *state, const rl_point *points,
                          uint32_t slot, rl_vec3 p) {
  if (slot == RL_NONE) {
    return (rl_vec3){0.0, 0.0, 0.0};
  }
  const rl_vec3 v = state->velocities[slot];
  if (!rl_slot_body(model, slot)) {
    return v;
  }
  const rl_vec3 arm = rl_sub(p, rl_position(&points[slot]));
  return rl_add(v, rl_cross(rl_trial_spin(model, state, points, slot - model->node_count), arm));
}

rl_vec3 rl_body_angular_momentum(const rl_model *model, const rl_state *state, uint32_t body) {
  const rl_body *b = &model->bodies[body];
  return b->spin_slot == RL_NONE || b->motion == RL_DRIVEN
             ? (rl_vec3){0.0, 0.0, 0.0}
             : rl_rotate(state->rotations[body], local_angular_momentum(b, state));
}

rl_vec3 rl_rotation_rate(const rl_model *model, const rl_state *state, uint32_t body) {
  const rl_body *b = &model->bodies[body];
  const rl_vec3 half = gibbs(b, state->points), spin = local_spin(b, state);
  const rl_vec3 rate =
      rl_add(rl_add(spin, rl_cross(half, spin)), rl_scale(rl_dot(half, spin), half));
  return rl_times(b->root_inertia, rate);
}

rl_vec3 rl_gyroscopic_rate(const rl_model *model, const rl_state *state, uint32_t body) {
  const rl_body *b = &model->bodies[body];
  return b->motion == RL_DRIVEN
             ? (rl_vec3){0.0, 0.0, 0.0}
             : rl_times(b->inverse_root_inertia,
                        rl_cross(local_angular_momentum(b, state), local_spin(b, state)));
}

// Returns the velocity of a spin slot after a turn of its body.
static rl_vec3 turned_rate(const rl_body *body, const rl_state *state, rl_quat step, rl_turn kept) {
  static const double rounding = 1e-12;
  const rl_vec3 rate = state->velocities[body->spin_slot];
  if (kept == RL_TURN_FRAME) {
    return rate;
  }
  const rl_vec3 momentum = rl_rotate_inverse(step, local_angular_momentum(body, state));
  const rl_vec3 turned = rl_times(body->inverse_root_inertia, momentum);
  const double before = rl_length(rate), now = rl_length(turned);
  const bool has_changed = fabs(now - before) > rounding * before;
  return kept == RL_TURN_ENERGY && has_changed ? rl_scale(before / now, turned) : turned;
}

// (18); (21d) of papers/changes.md
void rl_rotation_settle(const rl_model *model, rl_state *state, rl_turn kept) {
  for (uint32_t i = 0; i < model->body_count; i++) {
    const rl_body *body = &model->bodies[i];
    if (body->spin_slot == RL_NONE) {
      continue;
    }
    rl_point *turn = &state->points[body->spin_slot];
    const rl_quat step = quat_from_gibbs(gibbs(body, state->points));
    state->velocities[body->spin_slot] = turned_rate(body, state, step, kept);
    state->rotations[i] = rl_quat_unit(rl_quat_product(state->rotations[i], step));
    rl_put(turn, (rl_vec3){0.0, 0.0, 0.0});
  }
}

// ---------------------------------------------------------------------------------------------
// Free motion. In the body's frame the energy is L^2 / (2 I_m) + a terms (1/I_i - 1/I_m) L_i^2 / 2,
// with I_m the middle one of the moments. Each term alone turns the body about a fixed axis at a
// constant rate: the first about L, the others about an axis of the body. The first commutes with
// the others, so a symmetric sequence of these (Strang) is of the second order, and exact where two
// moments are equal.

// tan(angle / 2) = angle times what is returned over `denominator`: Lambert's continued fraction,
// exact to 1e-13 at half a radian. Any odd function of the angle would keep what the method keeps.
static double half_tangent(double angle, double *denominator) {
  const double x2 = 0.25 * angle * angle;
  *denominator = 945.0 - x2 * (420.0 - 15.0 * x2);
  return 0.5 * (945.0 - x2 * (105.0 - x2));
}

// A turn about `spin` for h: angle |spin| h.
static rl_quat turn_by(rl_vec3 spin, double h) {
  double w;
  const double s = h * half_tangent(h * rl_length(spin), &w);
  return rl_quat_unit((rl_quat){s * spin.x, s * spin.y, s * spin.z, w});
}

// A free body on its way: its rotation, and its angular momentum in its own frame.
typedef struct top {
  rl_quat rotation;
  rl_vec3 momentum;
} top;

// The body turns about an axis of its own at a rate of `inverse_inertia` L there; L stays in space.
static void turn_about(top *t, rl_vec3 axis, double inverse_inertia, double h) {
  const rl_vec3 spin = rl_scale(inverse_inertia * rl_dot(axis, t->momentum), axis);
  const rl_quat step = turn_by(spin, h);
  t->rotation = rl_quat_product(t->rotation, step);
  t->momentum = rl_rotate_inverse(step, t->momentum);
}

static double middle_of(rl_vec3 a) { return fmax(fmin(a.x, a.y), fmin(fmax(a.x, a.y), a.z)); }

static void drift_top(top *t, rl_vec3 inverse_inertia, double h) {
  static const rl_vec3 axes[3] = {{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}};
  const double rates[3] = {inverse_inertia.x, inverse_inertia.y, inverse_inertia.z};
  const double middle = middle_of(inverse_inertia);
  const rl_quat common = turn_by(rl_scale(middle, t->momentum), h);
  t->rotation = rl_quat_product(t->rotation, common);
  for (size_t i = 0; i < 3; i++) {
    turn_about(t, axes[i], rates[i] - middle, 0.5 * h);
  }
  for (size_t i = 3; i-- > 0;) {
    turn_about(t, axes[i], rates[i] - middle, 0.5 * h);
  }
}

void rl_rotation_drift(const rl_model *model, rl_state *state, double h) {
  for (uint32_t i = 0; i < model->body_count; i++) {
    const rl_body *body = &model->bodies[i];
    if (body->spin_slot == RL_NONE) {
      continue;
    }
    top t = {state->rotations[i], local_angular_momentum(body, state)};
    if (body->motion == RL_DRIVEN) {
      t.rotation = rl_quat_product(
          t.rotation, rl_quat_from_vector(rl_scale(h, state->velocities[body->spin_slot])));
    } else {
      drift_top(&t, rl_times(body->inverse_root_inertia, body->inverse_root_inertia), h);
      state->velocities[body->spin_slot] = rl_times(body->inverse_root_inertia, t.momentum);
    }
    state->rotations[i] = rl_quat_unit(t.rotation);
  }
}

// Of the largest lever that a force has on a body, (16) of papers/bodies.md, or of two levers: less
// is round-off.
static const double rounding = 1e-12;

rl_vec3 rl_spin_lever(const rl_body *body, rl_quat rotation, rl_vec3 arm, rl_vec3 force) {
  const rl_vec3 torque = rl_rotate_inverse(rotation, rl_cross(arm, force));
  const rl_vec3 lever = rl_times(body->inverse_root_inertia, torque);
  const double size = isinf(body->bound) ? 0.0 : body->bound;
  const double most = fmax(rl_dot(arm, arm), size * size) * rl_dot(force, force) *
                      rl_dot(body->inverse_root_inertia, body->inverse_root_inertia);
  return rl_dot(lever, lever) <= rounding * rounding * most ? rl_vec(0.0, 0.0, 0.0) : lever;
}

rl_vec3 rl_spin_turn(rl_vec3 on, rl_vec3 off) {
  const rl_vec3 turn = rl_sub(on, off);
  return rl_length(turn) > rounding * (rl_length(on) + rl_length(off)) ? turn
                                                                       : rl_vec(0.0, 0.0, 0.0);
}
