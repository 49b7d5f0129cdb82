// SPDX-License-Identifier: GPL-3.0-or-later
// Operations on the list of features that a rope lies on.
#include "path_rules.h"

#include "../trigonometry.h"

#include <string.h>

bool rl_path_make_room(rl_path *path, size_t index, size_t count) {
  if (path->count + count > path->capacity) {
    return false;
  }
  memmove(&path->items[index + count], &path->items[index],
          (path->count - index) * sizeof path->items[0]);
  memset(&path->items[index], 0, count * sizeof path->items[0]);
  path->count += count;
  path->items[index - 1].hinge = rl_vec(0.0, 0.0, 0.0);
  return true;
}

void rl_path_remove(rl_path *path, size_t index, size_t count) {
  path->count -= count;
  memmove(&path->items[index], &path->items[index + count],
          (path->count - index) * sizeof path->items[0]);
  path->items[index - 1].hinge = rl_vec(0.0, 0.0, 0.0);
}

void rl_path_set_item(rl_path_item *item, const rl_path_scene *s, uint32_t part, uint32_t feature) {
  item->part = part;
  item->feature = feature;
  item->hinge = rl_vec(0.0, 0.0, 0.0);
  rl_path_place(item, &s->solids[part]);
}

const rl_part *rl_path_part_of(const rl_path_scene *s, const rl_path_item *item) {
  return s->solids[item->part].part;
}

rl_vec3 rl_path_local(const rl_path_scene *s, const rl_path_item *item, rl_vec3 p) {
  return rl_path_to_part(&s->solids[item->part], p);
}

rl_vec3 rl_path_local_direction(const rl_path_scene *s, const rl_path_item *item, rl_vec3 v) {
  return rl_rotate_inverse(s->solids[item->part].rotation, v);
}

double rl_path_end_sign(uint32_t end) { return end == 0 ? -1.0 : 1.0; }

uint32_t rl_path_joint_feature(const rl_part *part) {
  return part->shape == RL_CAPSULE ? RL_FEATURE_SEAM : RL_FEATURE_RIM;
}

bool rl_path_is_joint(const rl_path_scene *s, const rl_path_item *item, uint32_t part) {
  return item->part == part && item->kind == RL_PATH_CIRCLE &&
         item->feature >= rl_path_joint_feature(rl_path_part_of(s, item));
}

bool rl_path_is_over_end(const rl_part *part, rl_vec3 p) {
  return p.x * p.x + p.y * p.y < part->radius * part->radius * (1.0 - RL_PATH_SLACK);
}

double rl_path_angle_at(rl_vec3 p) { return rl_atan2(p.y, p.x); }

double rl_path_angle_on(const rl_path_item *item, rl_vec3 axis, rl_vec3 from, rl_vec3 to) {
  rl_vec3 a = rl_sub(from, item->at), b = rl_sub(to, item->at);
  a = rl_add_scaled(a, -rl_dot(a, axis), axis);
  b = rl_add_scaled(b, -rl_dot(b, axis), axis);
  return rl_atan2(rl_dot(axis, rl_cross(a, b)), rl_dot(a, b));
}
