// SPDX-License-Identifier: GPL-3.0-or-later
// Probes: their values in a state.
#include "probe.h"

#include "world/rotation.h"
#include "world/rows.h"

static const double two_pi = 6.283185307179586;

static rl_vec3 slot_position(const rl_state *state, uint32_t slot) {
  return rl_position(&state->points[slot]);
}

// Position (0, 1, 2), velocity (3, 4, 5) or speed (6) of what is at a slot.
static double component(const rl_state *state, uint32_t slot, unsigned which) {
  const rl_vec3 p = slot_position(state, slot);
  const rl_vec3 v = state->velocities[slot];
  const double values[7] = {p.x, p.y, p.z, v.x, v.y, v.z, rl_length(v)};
  return values[which];
}

// Sums over the elements of a rope: the length of its path, and its rest length.
static double path_length(const rl_model *model, const rl_state *state, const rl_rope *rope) {
  double length = 0.0;
  for (uint32_t i = 0; i < rope->link_count; i++) {
    length += rl_element_length(model, state, rope->first_link + i);
  }
  return length;
}

static double rest_length(const rl_state *state, const rl_rope *rope) {
  double length = 0.0;
  for (uint32_t i = 0; i < rope->link_count; i++) {
    length += state->links[rope->first_link + i].rest;
  }
  return length;
}

// The largest of max(0, length/rest - 1) over the elements; |length/rest - 1| in compression too.
static double stretch(const rl_model *model, const rl_state *state, const rl_rope *rope) {
  double largest = 0.0;
  for (uint32_t i = 0; i < rope->link_count; i++) {
    const uint32_t link = rope->first_link + i;
    const double strain = rl_element_length(model, state, link) / state->links[link].rest - 1.0;
    const double counted = rope->compression ? fabs(strain) : strain;
    // Written so that a nan is not passed over.
    largest = rl_larger(largest, counted);
  }
  return largest;
}

static double largest_tension(const rl_state *state, const rl_rope *rope) {
  double largest = state->multipliers[rope->first_link];
  for (uint32_t i = 1; i < rope->link_count; i++) {
    const double tension = state->multipliers[rope->first_link + i];
    largest = rl_larger(largest, tension);
  }
  return largest;
}

// The direction of gravity; -y where there is none.
static rl_vec3 down(const rl_model *model) {
  const rl_vec3 direction = rl_unit(model->gravity);
  return rl_length(direction) > 0.0 ? direction : rl_vec(0.0, -1.0, 0.0);
}

// The horizontal direction in which angles are positive: what is horizontal of the x axis, or of
// the y axis where gravity is along x.
static rl_vec3 sideways(rl_vec3 vertical) {
  const rl_vec3 x = {1.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0};
  const rl_vec3 axis = fabs(vertical.x) < 0.9 ? x : y;
  return rl_unit(rl_add_scaled(axis, -rl_dot(axis, vertical), vertical));
}

static rl_vec3 eye_position(const rl_model *model, const rl_state *state, const rl_rope *rope,
                            uint32_t i) {
  return rl_vertex_position(model, state, model->eyes[rope->first_eye + i], state->points);
}

// The angle of the last piece of the rope from the vertical, in the plane of `down` and
// `sideways`: 0 where the rope's end hangs straight down [rad].
static double angle(const rl_model *model, const rl_state *state, uint32_t index) {
  const rl_rope *rope = &model->ropes[index];
  const uint32_t last = rl_rope_nodes(model, state, index) - 1;
  const rl_vec3 end = slot_position(state, rl_rope_node(model, state, index, last));
  const rl_vec3 before = rope->eye_count > 0
                             ? eye_position(model, state, rope, rope->eye_count - 1)
                             : slot_position(state, rl_rope_node(model, state, index, last - 1));
  const rl_vec3 d = rl_sub(end, before), vertical = down(model);
  return atan2(rl_dot(d, sideways(vertical)), rl_dot(d, vertical));
}

// How far the lowest node or eye is below the lower end, along gravity [m].
static double sag(const rl_model *model, const rl_state *state, uint32_t index) {
  const rl_rope *rope = &model->ropes[index];
  const rl_vec3 vertical = down(model);
  const uint32_t count = rl_rope_nodes(model, state, index);
  double end = -INFINITY, lowest = -INFINITY;
  for (uint32_t i = 0; i < count; i++) {
    const rl_vec3 p = slot_position(state, rl_rope_node(model, state, index, i));
    const double depth = rl_dot(p, vertical);
    lowest = depth <= lowest ? lowest : depth;
    if (i == 0 || i == count - 1) {
      end = depth <= end ? end : depth;
    }
  }
  for (uint32_t i = 0; i < rope->eye_count; i++) {
    const double depth = rl_dot(eye_position(model, state, rope, i), vertical);
    lowest = depth <= lowest ? lowest : depth;
  }
  return lowest - end;
}

// How many contacts of the rope's nodes and elements push.
static double contacts(const rl_model *model, const rl_state *state, uint32_t rope) {
  double count = 0.0;
  for (size_t i = 0; i < state->contact_count; i++) {
    if (state->contacts[i].rope == rope && state->multipliers[model->link_count + i] > 0.0) {
      count += 1.0;
    }
  }
  return count;
}

// The turn of a body about its own z axis since the start: that of the rotation about z which is
// nearest to its rotation [rad].
static double turn(const rl_model *model, const rl_state *state, uint32_t body) {
  const rl_quat from = model->bodies[body].rotation;
  const rl_quat back = {-from.x, -from.y, -from.z, from.w};
  const rl_quat since = rl_quat_product(back, state->rotations[body]);
  return 2.0 * atan2(since.z, since.w);
}

// The angular velocity of a body about its own z axis [rad/s].
static double spin(const rl_model *model, const rl_state *state, uint32_t body) {
  return rl_rotate_inverse(state->rotations[body], rl_body_spin(model, state, body)).z;
}

double rl_probe_value(const rl_model *model, const rl_state *state, rl_probe probe) {
  if (probe.kind <= RL_PROBE_BODY_SPEED) {
    return component(state, rl_body_slot(model, probe.index), probe.kind - RL_PROBE_BODY_X);
  }
  if (probe.kind == RL_PROBE_BODY_ANGLE) {
    return turn(model, state, probe.index);
  }
  if (probe.kind == RL_PROBE_BODY_SPIN) {
    return spin(model, state, probe.index);
  }
  const rl_rope *rope = &model->ropes[probe.index];
  switch (probe.kind) {
  case RL_PROBE_ROPE_LENGTH:
    return path_length(model, state, rope);
  case RL_PROBE_ROPE_REST:
    return rest_length(state, rope);
  case RL_PROBE_ROPE_STRETCH:
    return stretch(model, state, rope);
  case RL_PROBE_ROPE_TENSION:
    return largest_tension(state, rope);
  case RL_PROBE_ROPE_TENSION_AT:
    return rl_rope_tension(model, state, probe.index, probe.element);
  case RL_PROBE_ROPE_ANGLE:
    return angle(model, state, probe.index);
  case RL_PROBE_ROPE_SAG:
    return sag(model, state, probe.index);
  case RL_PROBE_ROPE_CONTACTS:
    return contacts(model, state, probe.index);
  default:
    return component(state, rl_rope_node(model, state, probe.index, probe.element),
                     probe.kind - RL_PROBE_ROPE_NODE_X);
  }
}

double rl_unwrap(double value, double previous) {
  if (isnan(previous)) {
    return value;
  }
  return value + two_pi * floor((previous - value) / two_pi + 0.5);
}
