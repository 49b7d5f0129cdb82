// SPDX-License-Identifier: GPL-3.0-or-later
#include "path_nip.h"

// Relative to the distance of the axes: items that are as close as this touch. The tangent between
// them is as long as its root.
static const double touching = 1e-12;
static const double narrow = 1e-3;

// Returns the point of the axis of a drum that is nearest to p; the centre of a ball.
static rl_vec3 on_axis(const rl_path_item *item, rl_vec3 p) {
  return item->kind == RL_PATH_SPHERE
             ? item->at
             : rl_add_scaled(item->at, rl_dot(rl_sub(p, item->at), item->axis), item->axis);
}

rl_path_nip rl_path_find_nip(const rl_path_item *item, rl_vec3 near) {
  const rl_path_item *next = item + 1;
  const bool drums = item->kind == RL_PATH_CYLINDER && next->kind == RL_PATH_CYLINDER;
  const double both = item->radius + next->radius, share = item->radius / both;
  rl_path_nip nip = {.freedom = drums ? 1 : 0, .passes = true};
  rl_vec3 from = on_axis(item, next->at), to = on_axis(next, from);
  if (drums) {
    const rl_vec3 place = rl_add_scaled(from, share, rl_sub(to, from));
    const double turned = rl_dot(item->axis, next->axis);
    const rl_vec3 way =
        rl_add_scaled(rl_scale(1.0 - share, item->axis), share * turned, next->axis);
    const double along = rl_dot(rl_sub(near, place), way) / rl_dot(way, way);
    from = rl_add_scaled(from, along, item->axis);
    to = on_axis(next, from);
    nip.along = rl_unit(way);
    nip.passes = item->sense * next->sense * turned < 0.0;
  }
  nip.place = rl_add_scaled(from, share, rl_sub(to, from));
  const double distance = rl_distance(from, to);
  nip.is_narrow = distance <= both * (1.0 + narrow);
  nip.overlaps = distance <= both * (1.0 + touching);
  return nip;
}

bool rl_path_nip_hinges(rl_path_item *items, size_t count, bool all) {
  bool any = false;
  for (size_t i = 1; i + 2 < count; i++) {
    rl_path_item *item = &items[i];
    if (!rl_path_is_round(item) || !rl_path_is_round(item + 1) || item->node.nipped ||
        !rl_path_can_nip(item, item + 1)) {
      continue;
    }
    const rl_path_nip nip = rl_path_find_nip(item, item->hinge);
    item->node.nipped = nip.overlaps && nip.passes && (nip.freedom > 0 || all);
    if (nip.passes && (all || (nip.is_narrow && nip.freedom > 0))) {
      item->hinge = nip.place;
      any = true;
    }
  }
  return any;
}

bool rl_path_open_nips(rl_path_item *items, size_t count) {
  bool any = false;
  for (size_t i = 1; i + 2 < count; i++) {
    rl_path_item *item = &items[i];
    if (rl_path_is_round(item) && rl_path_is_round(item + 1) && item->node.nipped &&
        !rl_path_find_nip(item, item->node.place).overlaps) {
      item->hinge = item->node.place;
      item->node.nipped = false;
      any = true;
    }
  }
  return any;
}
