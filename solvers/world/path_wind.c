// SPDX-License-Identifier: GPL-3.0-or-later
// Winding: points are put on the surface all the way round, and when the rope lies over them they
// are taken away one after the other.
#include "path_rules.h"

#include "shape.h"

static const double lift = 1e-3; // of the size of the part, over its surface

// A point of the surface in that direction, a little above it.
static rl_vec3 surface_point(const rl_path_solid *solid, rl_vec3 direction) {
  const double reach = solid->part->bound;
  const rl_vec3 beside = rl_add_scaled(solid->at, 3.0 * reach, direction);
  rl_part centred = *solid->part;
  centred.at = rl_vec(0.0, 0.0, 0.0);
  centred.rotation = (rl_quat){0.0, 0.0, 0.0, 1.0};
  const rl_surface surface = rl_shape_surface(&centred, solid->at, solid->rotation, beside);
  return rl_add_scaled(beside, lift * reach - surface.distance, surface.normal);
}

typedef struct winding {
  rl_vec3 out, forward; // where it begins, and where the rope goes there
  size_t first, count;  // of its points
} winding;

static rl_vec3 winding_direction(const winding *w, size_t k) {
  const rl_vec3 v = k % 2 == 0 ? w->out : w->forward;
  return k % 4 < 2 ? v : rl_scale(-1.0, v);
}

static bool is_mark(const rl_path_item *item) {
  return item->part == RL_NONE && item->feature == RL_NONE;
}

static rl_path_outcome put_marks(rl_path *path, const rl_path_scene *s, uint32_t part,
                                 const winding *w) {
  if (!rl_path_open(path, w->first, w->count)) {
    return RL_PATH_FULL;
  }
  for (size_t k = 0; k < w->count; k++) {
    rl_path_item *item = &path->items[w->first + k];
    const rl_vec3 direction = winding_direction(w, k);
    *item = (rl_path_item){.kind = RL_PATH_POINT, .part = RL_NONE, .feature = RL_NONE};
    item->at = item->entry = item->exit = surface_point(&s->solids[part], direction);
    item->axis = direction;
  }
  // Backwards, so that what comes does not move what is still to do.
  for (size_t k = w->count + 1; k-- > 0;) {
    const rl_vec3 before = k > 0 ? winding_direction(w, k - 1) : rl_scale(-1.0, w->forward);
    const rl_vec3 after = k < w->count ? winding_direction(w, k) : w->forward;
    const rl_vec3 hint = k == 0 ? before : k == w->count ? after : rl_add(before, after);
    if (rl_path_clear_piece(path, s, w->first + k - 1, part, &hint) == RL_PATH_NO_ROOM) {
      return RL_PATH_FULL;
    }
  }
  return RL_PATH_FOUND;
}

static rl_path_outcome take_marks(rl_path *path, const rl_path_scene *s, uint32_t part,
                                  double *length) {
  for (size_t i = 1; i + 1 < path->count; i++) {
    if (!is_mark(&path->items[i])) {
      continue;
    }
    const rl_vec3 hint = path->items[i].axis;
    rl_path_leave_out(path, i, 1);
    if (!rl_path_merge_at(path, s, i - 1) &&
        rl_path_clear_piece(path, s, i - 1, part, &hint) == RL_PATH_NO_ROOM) {
      return RL_PATH_FULL;
    }
    const rl_path_outcome outcome = rl_path_settle(path, s, length);
    if (outcome != RL_PATH_FOUND && outcome != RL_PATH_ROUGH) {
      return outcome;
    }
    i = 0;
  }
  return RL_PATH_FOUND;
}

rl_path_outcome rl_path_wind(rl_path *path, size_t after, const rl_path_solid *solids,
                             size_t solid_count, uint32_t part, rl_vec3 side, uint32_t turns,
                             double *length) {
  const rl_path_scene s = {solids, solid_count};
  path->changes = path->iterations = 0;
  path->released = 0.0;
  if (isnan(rl_path_solve(path->items, path->count, &path->iterations))) {
    return RL_PATH_NONE;
  }
  winding w = {.first = after + 1, .count = 4 * (size_t)turns + 1};
  w.forward = rl_unit(rl_sub(path->items[after + 1].entry, path->items[after].exit));
  w.out = rl_unit(rl_add_scaled(side, -rl_dot(side, w.forward), w.forward));
  w.out = rl_is_zero(w.out) ? rl_any_across(w.forward) : w.out;
  rl_path_outcome outcome = put_marks(path, &s, part, &w);
  outcome = outcome == RL_PATH_FOUND ? rl_path_settle(path, &s, length) : outcome;
  return outcome == RL_PATH_FOUND || outcome == RL_PATH_ROUGH ? take_marks(path, &s, part, length)
                                                              : outcome;
}
