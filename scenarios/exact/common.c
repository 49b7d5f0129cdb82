// SPDX-License-Identifier: GPL-3.0-or-later
#include "common.h"

#include "world/paths/wrap.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_sf_elljac.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool rl_exact_refuse(char *message, size_t size, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, size, format, arguments);
  va_end(arguments);
  return false;
}

bool rl_exact_fits(const char *const *found, size_t count, char *message, size_t size,
                   const char *expected, ...) {
  bool fits = true;
  for (size_t i = 0; i < count; i++) {
    if (!found[i]) {
      continue;
    }
    if (fits) {
      va_list arguments;
      va_start(arguments, expected);
      vsnprintf(message, size, expected, arguments);
      va_end(arguments);
    }
    const size_t length = strlen(message);
    snprintf(message + length, size - length, fits ? "; found %s" : ", %s", found[i]);
    fits = false;
  }
  return fits;
}

bool rl_exact_at_unknown(const void *self, const rl_model *model, double t, rl_state *state) {
  (void)self;
  (void)model;
  (void)t;
  (void)state;
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

rl_vec3 rl_exact_eye_position(const rl_model *model, rl_vertex vertex) {
  const rl_body *body = rl_slot_body(model, vertex.slot);
  return body ? rl_add(rl_position(&model->points[vertex.slot]),
                       rl_rotate(body->rotation, vertex.offset))
              : vertex.offset;
}

const char *rl_exact_load_mismatch(const rl_model *model, uint32_t slot, bool rests) {
  const rl_body *body = rl_slot_body(model, slot);
  if (!body || body->motion == RL_FIXED) {
    return rl_exact_is_fixed(model, slot) ? "a fixed end" : "an end at no body's centre";
  }
  if (body->motion != RL_FREE) {
    return "an end at a body that is not free";
  }
  if (body->spin_slot != RL_NONE) {
    return "an end at a body that can turn";
  }
  return rests && rl_length(model->velocities[slot]) > 0.0 ? "an end that moves at the start"
                                                           : NULL;
}

const char *rl_exact_free_end_mismatch(const rl_model *model, uint32_t slot) {
  const bool is_free = !rl_slot_body(model, slot) && !rl_exact_is_fixed(model, slot);
  return is_free ? NULL : rl_exact_load_mismatch(model, slot, false);
}

static rl_exact_bend eye_at(const rl_model *model, uint32_t index) {
  const rl_vertex *eye = &model->eyes[index];
  const rl_vec3 at = rl_exact_eye_position(model, *eye);
  return (rl_exact_bend){.slot = rl_exact_is_fixed(model, eye->slot) ? RL_NONE : eye->slot,
                         .body = RL_NONE,
                         .centre = at,
                         .entry = at,
                         .exit = at};
}

static rl_exact_bend wrap_at(const rl_model *model, const rl_state *state, uint32_t rope,
                             uint32_t i) {
  const rl_wrap *wrap = &state->wraps[model->ropes[rope].first_wrap + i];
  if (wrap->body == RL_NONE) {
    return eye_at(model, wrap->part);
  }
  const rl_path_item *item = &state->items[i + 1];
  const uint32_t slot = rl_body_slot(model, wrap->body);
  const bool ball = item->kind == RL_PATH_SPHERE;
  return (rl_exact_bend){
      .slot = rl_exact_is_fixed(model, slot) ? RL_NONE : slot,
      .body = wrap->body,
      .part = wrap->part,
      .centre = item->at,
      .axis = ball ? item->side : rl_scale(item->sense, item->axis),
      .entry = item->entry,
      .exit = item->exit,
      .radius = item->radius,
      .wrap = item->wrap,
      .turn = item->turn,
      .friction = rl_rope_friction(model, rope, wrap->body),
  };
}

// Computes the directions of the straight pieces, and the length of a path without arcs.
static void measure(const rl_model *model, const rl_rope *rope, rl_exact_path *path) {
  rl_vec3 at = rl_position(&model->points[rope->ends[0]]);
  path->length = 0.0;
  for (uint32_t i = 0; i <= path->count; i++) {
    const rl_vec3 next =
        i < path->count ? path->bends[i].entry : rl_position(&model->points[rope->ends[1]]);
    const rl_vec3 direction = rl_unit(rl_sub(next, at));
    path->length += rl_distance(at, next);
    if (i > 0) {
      path->bends[i - 1].out = direction;
    }
    if (i < path->count) {
      path->bends[i].in = direction;
      at = path->bends[i].exit;
    }
  }
}

bool rl_exact_read_path(const rl_model *model, uint32_t index, rl_exact_path *path, char *message,
                        size_t size) {
  const rl_rope *rope = &model->ropes[index];
  const bool wraps = rope->wrap_capacity > 0;
  path->count = wraps ? rope->wrap_count : rope->eye_count;
  if (path->count > RL_EXACT_BENDS_MAX) {
    return rl_exact_refuse(message, size, "rope '%s' bends at more than %d places", rope->name,
                           RL_EXACT_BENDS_MAX);
  }
  rl_state *state = wraps ? rl_state_create(model) : NULL;
  if (wraps && !state) {
    return rl_exact_refuse(message, size, "out of memory");
  }
  const double length = wraps ? rl_wrap_solve_path(model, state, index, state->points) : 0.0;
  for (uint32_t i = 0; i < path->count; i++) {
    path->bends[i] = wraps ? wrap_at(model, state, index, i) : eye_at(model, rope->first_eye + i);
  }
  rl_state_free(state);
  measure(model, rope, path);
  path->length = wraps ? length : path->length;
  return true;
}

void rl_exact_set_wrap(rl_state *state, const rl_model *model, uint32_t index, uint32_t body,
                       rl_vec3 axis, double wrap) {
  const rl_rope *rope = &model->ropes[index];
  const rl_part *part = &model->bodies[body].parts[0];
  const rl_vec3 z = {0.0, 0.0, 1.0};
  const rl_vec3 side = rl_rotate_inverse(model->bodies[body].rotation, axis);
  if (rope->wrap_capacity > 0) {
    state->wrap_counts[index] = wrap > 0.0 ? 1 : 0;
    state->wraps[rope->first_wrap] =
        (rl_wrap){.body = body,
                  .sense = rl_dot(rl_rotate(part->rotation, z), side) < 0.0 ? -1.0 : 1.0,
                  .side = side,
                  .angle = wrap};
  }
}

void rl_exact_set_tension(rl_state *state, const rl_model *model, uint32_t index, double tension) {
  const rl_rope *rope = &model->ropes[index];
  state->multipliers[rope->first_link] = tension;
  for (uint32_t i = 0; i < rope->wrap_capacity; i++) {
    state->wraps[rope->first_wrap + i].tension = tension;
  }
}

double rl_exact_mean_tension(double from, double to, double caught, double blow, double after) {
  if (to < caught) {
    return 0.0;
  }
  return from >= caught ? after : (blow + after * (to - caught)) / (to - from);
}

bool rl_exact_read_weight(rl_exact_weight *weight, const rl_model *model, uint32_t slot,
                          const rl_exact_bend *bend, rl_vec3 bend_at, const char *rope,
                          char *message, size_t size) {
  const rl_vec3 up = rl_unit(rl_scale(-1.0, model->gravity));
  const rl_vec3 below = rl_sub(bend_at, rl_position(&model->points[slot]));
  const double depth = rl_dot(below, up);
  const double aside = rl_length(rl_add_scaled(below, -depth, up));
  const char *const found[] = {rl_exact_load_mismatch(model, slot, true)};
  if (!rl_exact_fits(found, RL_EXACT_COUNT(found), message, size,
                     "rope '%s' must end at the centres of free bodies that start at rest and "
                     "cannot turn",
                     rope)) {
    return false;
  }
  if (!(depth > 0.0) || aside > 1e-9 * depth) {
    return rl_exact_refuse(message, size,
                           "the weights of rope '%s' must hang plumb below where it bends; one is "
                           "%.3g m aside",
                           rope, aside);
  }
  *weight = (rl_exact_weight){slot, bend->slot, depth};
  return true;
}

bool rl_exact_is_line(const rl_model *model, uint32_t index, char *message, size_t size) {
  const rl_rope *rope = &model->ropes[index];
  const char *const found[] = {rope->massless ? NULL : "segments with mass",
                               isfinite(rope->stiffness) ? "a stiffness" : NULL};
  return rl_exact_fits(found, RL_EXACT_COUNT(found), message, size,
                       "rope '%s' must be massless and inextensible", rope->name);
}

bool rl_exact_is_taut_line(const rl_model *model, uint32_t index, char *message, size_t size) {
  const rl_rope *rope = &model->ropes[index];
  rl_exact_path path;
  if (!rl_exact_is_line(model, index, message, size) ||
      !rl_exact_read_path(model, index, &path, message, size)) {
    return false;
  }
  if (fabs(path.length - rope->length) > 1e-9 * rope->length) {
    return rl_exact_refuse(message, size,
                           "rope '%s' must start taut, but is %.6g m long on a way "
                           "of %.6g m",
                           rope->name, rope->length, path.length);
  }
  return true;
}

bool rl_exact_is_winding(const rl_model *model, uint32_t rope, uint32_t post, bool round,
                         char *message, size_t size) {
  const uint32_t *ends = model->ropes[rope].ends;
  const rl_body *body = &model->bodies[post];
  const rl_shape shape = body->part_count == 1 ? body->parts[0].shape : RL_PLANE;
  const bool is_known = round ? shape == RL_CYLINDER : rl_is_polyhedron(shape);
  if (!rl_exact_is_taut_line(model, rope, message, size)) {
    return false;
  }
  const char *const found[] = {
      rl_length(model->gravity) > 0.0 ? "gravity" : NULL,
      rl_exact_is_fixed(model, ends[0]) ? NULL : "a `from` that is not fixed",
      rl_exact_load_mismatch(model, ends[1], false),
      body->motion != RL_FIXED ? "a body that is not fixed" : NULL,
      is_known ? NULL : "another shape",
      rl_rope_touches(model, rope, post) ? NULL : "a rope that does not touch it",
      rl_rope_friction(model, rope, post) > 0.0 ? "friction" : NULL,
  };
  return rl_exact_fits(found, RL_EXACT_COUNT(found), message, size,
                       "winding is of rope '%s' from a fixed point to the centre of a free body, "
                       "and of '%s', a fixed %s without friction, without gravity",
                       model->ropes[rope].name, body->name, round ? "cylinder" : "box or hull");
}

uint32_t rl_exact_node(const rl_model *model, uint32_t rope, uint32_t i) {
  const rl_link *links = &model->links[model->ropes[rope].first_link];
  return i < model->ropes[rope].link_count ? links[i].a : links[i - 1].b;
}

bool rl_exact_has_free_ends(const rl_model *model, uint32_t index) {
  const rl_rope *rope = &model->ropes[index];
  for (int i = 0; i < 2; i++) {
    if (rope->closed || rope->ends[i] >= model->node_count ||
        rl_exact_is_fixed(model, rope->ends[i])) {
      return false;
    }
  }
  return true;
}

bool rl_exact_is_still(const rl_model *model, uint32_t rope) {
  for (uint32_t i = 0; i < rl_rope_node_count(&model->ropes[rope]); i++) {
    if (rl_length(model->velocities[rl_exact_node(model, rope, i)]) > 0.0) {
      return false;
    }
  }
  return true;
}

bool rl_exact_is_lossless(const rl_model *model, uint32_t index) {
  const rl_rope *rope = &model->ropes[index];
  bool lossless = !(rope->damping > 0.0) && !(rope->damping_ratio > 0.0);
  for (uint32_t i = 0; i < rl_rope_node_count(rope); i++) {
    lossless = lossless && model->drags[rl_exact_node(model, index, i)] == 0.0;
  }
  return lossless;
}

bool rl_exact_falls_on(const rl_model *model, uint32_t rope, uint32_t ground, rl_vec3 up,
                       double *height) {
  const rl_body *floor = &model->bodies[ground];
  for (uint32_t b = 0; b < model->body_count; b++) {
    if (rl_rope_touches(model, rope, b) != (b == ground)) {
      return false;
    }
  }
  if (floor->motion != RL_FIXED || floor->part_count != 1 || floor->parts[0].shape != RL_PLANE) {
    return false;
  }
  const rl_part *part = &floor->parts[0];
  const rl_vec3 normal = rl_rotate(floor->rotation, rl_rotate(part->rotation, part->normal));
  const rl_vec3 at = rl_add(floor->position, rl_rotate(floor->rotation, part->at));
  *height = rl_dot(at, up) + model->ropes[rope].radius;
  return rl_distance(normal, up) < 1e-12;
}

bool rl_exact_read_chain(rl_exact_chain *chain, const rl_model *model, uint32_t index,
                         char *message, size_t size) {
  const rl_rope *rope = &model->ropes[index];
  const char *const found[] = {
      rope->massless ? "no mass" : NULL,
      !rope->massless && rope->link_count < 2 ? "one segment" : NULL,
      rope->closed ? "a closed rope" : NULL,
  };
  if (!rl_exact_fits(found, RL_EXACT_COUNT(found), message, size,
                     "rope '%s' must have mass, two or more segments, and two ends", rope->name)) {
    return false;
  }
  const rl_link *links = &model->links[rope->first_link];
  *chain = (rl_exact_chain){index, rope->link_count, links[0].rest, model->masses[links[0].b]};
  for (uint32_t i = 0; i < chain->count; i++) {
    const bool same_mass =
        i + 1 == chain->count ||
        fabs(model->masses[links[i].b] - chain->node_mass) <= 1e-12 * chain->node_mass;
    if (fabs(links[i].rest - chain->rest) > 1e-12 * chain->rest || !same_mass) {
      return rl_exact_refuse(
          message, size,
          "rope '%s' must have equal elements and nodes; element %u, or the node "
          "behind it, differs from the first",
          rope->name, (unsigned)i);
    }
  }
  return true;
}

void rl_exact_set_motion(rl_state *state, uint32_t slot, rl_vec3 position, rl_vec3 velocity) {
  state->points[slot].x = position.x;
  state->points[slot].y = position.y;
  state->points[slot].z = position.z;
  state->velocities[slot] = velocity;
}

void rl_exact_set_rotation(rl_state *state, const rl_model *model, uint32_t body, double angle,
                           double spin) {
  const rl_body *b = &model->bodies[body];
  double s, c;
  rl_sincos(0.5 * angle, &s, &c);
  state->rotations[body] = rl_quat_product(b->rotation, (rl_quat){0.0, 0.0, s, c});
  state->velocities[b->spin_slot] = (rl_vec3){0.0, 0.0, b->root_inertia.z * spin};
}

// sin(angle / 2) = k sn(phase | k^2); gsl_sf_elljac_e takes the parameter k^2.
bool rl_exact_swing(double modulus, double phase, double *angle, double *rate) {
  double sn = 0.0, cn = 1.0, dn = 1.0;
  if (gsl_sf_elljac_e(phase, modulus * modulus, &sn, &cn, &dn) != GSL_SUCCESS) {
    return false;
  }
  *angle = 2.0 * asin(modulus * sn);
  *rate = 2.0 * modulus * cn;
  return true;
}
