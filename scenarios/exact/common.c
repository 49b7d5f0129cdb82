// SPDX-License-Identifier: GPL-3.0-or-later
#include "common.h"

#include <stdarg.h>
#include <stdio.h>

bool rl_exact_refuse(char *message, size_t size, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, size, format, arguments);
  va_end(arguments);
  return false;
}

bool rl_exact_is_fixed(const rl_model *model, uint32_t slot) {
  if (slot == RL_NONE) {
    return true;
  }
  if (slot >= model->node_count) {
    return model->bodies[slot - model->node_count].motion == RL_FIXED;
  }
  for (uint32_t i = 0; i < model->hold_count; i++) {
    if (model->holds[i].slot == slot) {
      return model->bodies[model->holds[i].body].motion == RL_FIXED;
    }
  }
  return model->points[slot].w == 0.0;
}

rl_vec3 rl_exact_start(const rl_model *model, rl_vertex vertex) {
  const rl_body *body = rl_slot_body(model, vertex.slot);
  return body ? rl_add(rl_position(&model->points[vertex.slot]),
                       rl_rotate(body->rotation, vertex.offset))
              : vertex.offset;
}

bool rl_exact_is_load(const rl_model *model, uint32_t slot) {
  const rl_body *body = rl_slot_body(model, slot);
  return body && body->motion == RL_FREE && body->spin_slot == RL_NONE &&
         rl_length(model->velocities[slot]) == 0.0;
}

bool rl_exact_is_taut_line(const rl_model *model, uint32_t index, char *message, size_t size) {
  const rl_rope *rope = &model->ropes[index];
  if (!rope->massless || isfinite(rope->stiffness)) {
    return rl_exact_refuse(message, size, "rope '%s' must be massless and inextensible",
                           rope->name);
  }
  rl_vec3 at = rl_position(&model->points[rope->ends[0]]);
  double way = 0.0;
  for (uint32_t i = 0; i < rope->eye_count; i++) {
    const rl_vec3 eye = rl_exact_start(model, model->eyes[rope->first_eye + i]);
    way += rl_distance(at, eye);
    at = eye;
  }
  way += rl_distance(at, rl_position(&model->points[rope->ends[1]]));
  if (fabs(way - rope->length) > 1e-9 * rope->length) {
    return rl_exact_refuse(message, size,
                           "rope '%s' must start taut, but is %.6g m long on a way "
                           "of %.6g m",
                           rope->name, rope->length, way);
  }
  return true;
}

void rl_exact_set(rl_state *state, uint32_t slot, rl_vec3 position, rl_vec3 velocity) {
  state->points[slot].x = position.x;
  state->points[slot].y = position.y;
  state->points[slot].z = position.z;
  state->velocities[slot] = velocity;
}
