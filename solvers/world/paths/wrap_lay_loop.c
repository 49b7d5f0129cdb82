// SPDX-License-Identifier: GPL-3.0-or-later
// Lays closed ropes without mass, round all waypoints at once.
#include "../trigonometry.h"
#include "wrap_lay.h"

// Returns the axis of the part of a way, world frame; 0 for a ball.
static rl_vec3 axis_of(const rl_wrapping *w, const rl_waypoint *waypoint) {
  const rl_part *part = &w->model->bodies[waypoint->body].parts[rl_waypoint_part(waypoint)];
  const rl_body_pose at = rl_body_pose_at(w->model, w->state, w->state->points, waypoint->body);
  const rl_vec3 z = {0.0, 0.0, part->shape == RL_SPHERE ? 0.0 : 1.0};
  return rl_rotate(at.rotation, rl_rotate(part->rotation, z));
}

static rl_vec3 loop_centre(const rl_wrapping *w, const rl_rope_definition *d, size_t k) {
  return rl_waypoint_centre(w->model, w->state, &w->model->ropes[w->rope], d,
                            k % d->waypoint_count);
}

// Returns the normal about which a loop runs counterclockwise: that of the polygon of its
// waypoints; of two waypoints the axis of one of them.
static rl_vec3 loop_normal(const rl_wrapping *w, const rl_rope_definition *d) {
  rl_vec3 sum = {0.0, 0.0, 0.0};
  const rl_vec3 first = loop_centre(w, d, 0);
  double size = 0.0;
  for (size_t k = 1; k + 1 < d->waypoint_count; k++) {
    const rl_vec3 a = rl_sub(loop_centre(w, d, k), first);
    const rl_vec3 b = rl_sub(loop_centre(w, d, k + 1), first);
    sum = rl_add(sum, rl_cross(a, b));
    size += rl_length(a) * rl_length(b);
  }
  for (size_t k = 0; k < d->waypoint_count && !(rl_length(sum) > 1e-9 * size); k++) {
    sum = d->waypoints[k].is_eye ? sum : axis_of(w, &d->waypoints[k]);
  }
  return rl_unit(sum);
}

// Returns the axis about which a loop turns at way k (right hand): along the normal of the loop, as
// on its outer side, or as the side that the definition gives requires.
static rl_vec3 loop_turning(const rl_wrapping *w, const rl_rope_definition *d, size_t k,
                            rl_vec3 normal) {
  const rl_waypoint *waypoint = &d->waypoints[k];
  const rl_vec3 axis = axis_of(w, waypoint);
  const rl_vec3 chord =
      rl_sub(loop_centre(w, d, k + 1), loop_centre(w, d, k + d->waypoint_count - 1));
  rl_vec3 turning = normal;
  if (!isnan(waypoint->side.x) && !rl_is_zero(chord)) {
    turning = rl_cross(rl_unit(waypoint->side), rl_unit(chord));
  }
  return rl_is_zero(axis) ? rl_unit(turning)
                          : rl_scale(rl_dot(axis, turning) < 0.0 ? -1.0 : 1.0, axis);
}

// Returns the point of waypoint k at which a tangent in the direction `along` touches it.
static rl_vec3 loop_tangent(const rl_wrapping *w, const rl_rope_definition *d, size_t k,
                            rl_vec3 along, rl_vec3 normal) {
  const rl_waypoint *waypoint = &d->waypoints[k % d->waypoint_count];
  const rl_vec3 centre = loop_centre(w, d, k);
  if (waypoint->is_eye) {
    return centre;
  }
  const rl_part *part = &w->model->bodies[waypoint->body].parts[rl_waypoint_part(waypoint)];
  const double radius = part->radius + w->model->ropes[w->rope].radius;
  const rl_vec3 turning = loop_turning(w, d, k % d->waypoint_count, normal);
  return rl_add_scaled(centre, radius, rl_unit(rl_cross(along, turning)));
}

static rl_path_item point_item(rl_vec3 at) {
  return (rl_path_item){.kind = RL_PATH_POINT, .part = RL_NONE, .at = at, .entry = at, .exit = at};
}

// Sets the list of a loop, from its seam on the straight piece before the first waypoint.
static void put_loop(rl_wrapping *w, const rl_rope_definition *d) {
  rl_path_item *items = w->path.items;
  const rl_vec3 normal = loop_normal(w, d), none = {0.0, 0.0, 0.0};
  const size_t last = d->waypoint_count - 1;
  const rl_vec3 along = rl_sub(loop_centre(w, d, 0), loop_centre(w, d, last));
  const rl_vec3 seam = rl_scale(
      0.5, rl_add(loop_tangent(w, d, last, along, normal), loop_tangent(w, d, 0, along, normal)));
  items[0] = point_item(seam);
  w->path.count = 1;
  for (size_t k = 0; k < d->waypoint_count; k++) {
    const rl_waypoint *waypoint = &d->waypoints[k];
    if (waypoint->is_eye) {
      items[w->path.count++] = point_item(loop_centre(w, d, k));
      continue;
    }
    const rl_way way = {.body = waypoint->body,
                        .part = rl_waypoint_part(waypoint),
                        .side = none,
                        .turning = loop_turning(w, d, k, normal)};
    rl_way_put(w, w->path.count, &way);
  }
  items[w->path.count++] = items[0];
  rl_ways_guess_wraps(w, d);
}

// Checks that on each ball a loop lies on the side on which it was laid, and on no more than half
// of it: nothing holds a loop in its plane. So it never lies on the outer side of a ball.
static bool check_balls(const rl_wrapping *w, const rl_rope_definition *d, rl_fault *fault) {
  const rl_vec3 normal = loop_normal(w, d);
  for (size_t k = 0; k < d->waypoint_count; k++) {
    const rl_path_item *item = &w->path.items[k + 1];
    if (item->kind != RL_PATH_SPHERE) {
      continue;
    }
    const rl_vec3 turning = loop_turning(w, d, k, normal);
    if (rl_dot(item->side, turning) < 0.0 || rl_path_is_past_half(item) || item->wrap > RL_PI) {
      return rl_lay_refuse_ball(w, d->waypoints[k].body, k, item, turning, fault);
    }
  }
  return true;
}

double rl_lay_loop(const rl_model *model, const rl_definition *definition, rl_state *state,
                   uint32_t index, rl_fault *fault) {
  rl_wrapping w = rl_wraps_open(model, state, index);
  put_loop(&w, &definition->ropes[index]);
  double length = rl_wraps_close(w.path.items, w.path.count);
  if (!isnan(length) && !check_balls(&w, &definition->ropes[index], fault)) {
    return NAN;
  }
  for (size_t i = 1; i + 1 < w.path.count && !isnan(length); i++) {
    length = rl_wraps_is_settled(&w, &w.path.items[i]) ? length : NAN;
  }
  if (isnan(length)) {
    rl_fault_set(
        fault, RL_FAULT_INVALID, RL_NONE, index, "over",
        "there is no way for the loop round all that it passes, in this order and on these "
        "sides; expected balls and the sides of cylinders and capsules that it bends round");
    return NAN;
  }
  if (!rl_lay_check_clear(&w, definition, fault)) {
    return NAN;
  }
  rl_wraps_adopt(&w);
  state->seams[index] = w.path.items[0].at;
  length = rl_wrap_solve_path(model, state, index, state->points);
  rl_wraps_share_rest(model, state, index, length);
  rl_wraps_rotate_loop(model, state, index);
  return rl_wrap_solve_path(model, state, index, state->points);
}
