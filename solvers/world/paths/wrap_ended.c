// SPDX-License-Identifier: GPL-3.0-or-later
// (15) Whether the way of a rope, the shortest path over its wraps, has ended within a step.
#include "wrap_internal.h"

// Relative to a length: a smaller change is no jump.
static const double jump_tolerance = 1e-9;

// Returns the sum of how far the points that hold a rope can have moved within a step [m].
static double sum_of_moves(const rl_model *model, const rl_state *state, const rl_state *before,
                           uint32_t index) {
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  const uint32_t count = state->wrap_counts[index];
  const rl_path_item *now = rl_path_items(state, index), *then = rl_path_items(before, index);
  double sum =
      rl_distance(now[0].at, then[0].at) + rl_distance(now[count + 1].at, then[count + 1].at);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t body = wraps[i].body;
    if (body == RL_NONE) {
      sum += rl_distance(now[i + 1].at, then[i + 1].at);
      continue;
    }
    const uint32_t slot = rl_body_slot(model, body);
    const rl_quat a = state->rotations[body], b = before->rotations[body];
    const rl_vec3 turned = {a.x - b.x, a.y - b.y, a.z - b.z};
    sum +=
        2.0 * rl_distance(rl_position(&state->points[slot]), rl_position(&before->points[slot])) +
        4.0 * (rl_length(turned) + fabs(a.w - b.w)) * model->bodies[body].bound;
  }
  return sum;
}

// Returns where the material point p that carries an item of the path in one state is in another.
static rl_vec3 carried_to(const rl_model *model, const rl_state *from, const rl_state *to,
                          uint32_t index, uint32_t item, rl_vec3 p) {
  const uint32_t carrier = rl_wrap_carrier(model, from, index, item);
  if (carrier == RL_NONE || carrier == rl_wrap_moving) {
    const rl_vec3 was = rl_path_items(from, index)[item].at, is = rl_path_items(to, index)[item].at;
    return carrier == rl_wrap_moving ? rl_add(p, rl_sub(is, was)) : p;
  }
  return rl_wrap_to_world(rl_body_pose_at(model, to, to->points, carrier),
                          rl_wrap_to_body(rl_body_pose_at(model, from, from->points, carrier), p));
}

// (19c) Returns the linear change of length by the turn of the plane of a wrap that yields.
static double yielding_change(const rl_model *model, const rl_state *from, const rl_state *to,
                              uint32_t index, uint32_t wrap) {
  const rl_yield y = rl_wrap_yield(model, from, index, wrap);
  double sum = 0.0;
  for (uint32_t k = 0; k < 2; k++) {
    const rl_vec3 end = carried_to(model, from, to, index, wrap + 2 * k, y.ends[k]);
    const rl_vec3 beside = carried_to(model, from, to, index, wrap + 1, y.ends[k]);
    sum += rl_dot(y.more[k], rl_sub(end, beside));
  }
  return sum;
}

double rl_wraps_linear_change(const rl_model *model, const rl_state *from, const rl_state *to,
                              uint32_t index) {
  const rl_path_item *items = rl_path_items(from, index);
  double sum = 0.0;
  for (uint32_t k = 0; k <= from->wrap_counts[index]; k++) {
    const rl_vec3 x = items[k].exit, y = items[k + 1].entry;
    sum += rl_dot(items[k].out, rl_sub(rl_sub(carried_to(model, from, to, index, k + 1, y), y),
                                       rl_sub(carried_to(model, from, to, index, k, x), x)));
  }
  for (uint32_t i = 0; i < from->wrap_counts[index]; i++) {
    sum += rl_wraps_of(model, from, index)[i].yields ? yielding_change(model, from, to, index, i)
                                                     : 0.0;
  }
  return sum;
}

// (15) Whether the way of a rope has ended within the step: its length has changed by more than its
// linear changes with the directions at the start and at the end allow, or there is no path. Both
// paths are solved.
static bool has_ended(const rl_model *model, const rl_state *state, const rl_state *before,
                      uint32_t index) {
  const double length = state->path_lengths[index], was = before->path_lengths[index];
  double jump = fabs(was - length) - jump_tolerance * was;
  if (jump > 0.0) {
    jump -= rl_wrap_bent_share * sum_of_moves(model, state, before, index);
  }
  return isnan(length) ||
         (jump > 0.0 && jump > fabs(rl_wraps_linear_change(model, before, state, index)) &&
          jump > fabs(rl_wraps_linear_change(model, state, before, index)));
}

// Returns how far a place on a wrap has moved sideways, or its arc has become longer or shorter
// [m].
static double place_moved(const rl_path_item *now, const rl_path_item *then) {
  const double reach = rl_path_is_round(now) ? now->radius : 1.0;
  return reach * (fabs(now->wrap - then->wrap) + fabs(now->along - then->along));
}

// Whether a rope has come to lie on the other side of a ball, round which its way ends at half a
// turn.
static bool is_turned_over(const rl_path_item *now, const rl_path_item *then) {
  return now->kind == RL_PATH_SPHERE && then->kind == RL_PATH_SPHERE &&
         rl_dot(now->side, then->side) < 0.0;
}

// Returns the body on which the rope has moved most; RL_NONE if it lies on none. Both paths are
// solved.
static uint32_t most_moved(const rl_model *model, const rl_state *state, const rl_state *before,
                           uint32_t index) {
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  uint32_t body = RL_NONE;
  double most = 0.0;
  for (uint32_t i = 0; i < state->wrap_counts[index]; i++) {
    const rl_path_item *now = &rl_path_items(state, index)[i + 1];
    const rl_path_item *then = &rl_path_items(before, index)[i + 1];
    const double moved = is_turned_over(now, then) ? INFINITY : place_moved(now, then);
    if (wraps[i].body != RL_NONE && !(moved < most)) { // nan if there is no path
      most = isnan(moved) ? INFINITY : moved;
      body = wraps[i].body;
    }
  }
  return body;
}

uint32_t rl_wraps_ended_on(const rl_model *model, const rl_state *state, const rl_state *before,
                           uint32_t index) {
  return has_ended(model, state, before, index) ? most_moved(model, state, before, index) : RL_NONE;
}

bool rl_wraps_leave_ended_way(const rl_model *model, const rl_state *state, rl_state *before,
                              uint32_t index, bool sure) {
  const bool is_found = !isnan(rl_wrap_solve_path(model, state, index, state->points));
  rl_wrap_solve_path(model, before, index, before->points);
  const bool ends = has_ended(model, state, before, index);
  if (rl_wraps_is_loop(model, index)) { // keeps its wraps as long as there is a path
    return !is_found && rl_wraps_leave_loop(model, state, before, index);
  }
  if (!ends) {
    return false;
  }
  const uint32_t over = is_found ? RL_NONE : rl_wraps_find_run_over(model, state, index);
  if (over != RL_NONE) { // an end has come into what the rope lies on
    return rl_wraps_slip_off(model, before, index, rl_wraps_of(model, state, index)[over].body,
                             RL_SLIP_RUN_OVER);
  }
  const uint32_t body = most_moved(model, state, before, index);
  return body != RL_NONE &&
         rl_wraps_slip_off(model, before, index, body,
                           sure || !is_found ? RL_SLIP_ANYWAY : RL_SLIP_IF_CLEAR);
}

double rl_wraps_places_moved(const rl_state *state, uint32_t rope) {
  const rl_path_item *now = rl_path_items(state, rope), *then = state->old_items;
  double most = isnan(state->path_lengths[rope]) ? INFINITY : 0.0;
  for (uint32_t k = 1; k <= state->wrap_counts[rope]; k++) {
    most = fmax(most, place_moved(&now[k], &then[k]));
  }
  return most;
}

bool rl_wraps_leave_jumped_way(const rl_model *model, const rl_state *state, rl_state *before,
                               uint32_t rope, bool sure) {
  if (rl_wraps_is_loop(model, rope)) { // keeps its wraps as long as there is a path
    return false;
  }
  const double moved = rl_wraps_places_moved(state, rope);
  const double rounding = jump_tolerance * rl_wrap_solve_path(model, before, rope, before->points);
  const uint32_t body = moved > sum_of_moves(model, state, before, rope) + rounding
                            ? most_moved(model, state, before, rope)
                            : RL_NONE;
  return body != RL_NONE &&
         rl_wraps_slip_off(model, before, rope, body, sure ? RL_SLIP_ANYWAY : RL_SLIP_IF_CLEAR);
}

bool rl_wraps_leave_ended_ways(const rl_model *model, const rl_state *state, rl_state *before) {
  for (uint32_t r = 0; r < model->rope_count; r++) {
    if (model->ropes[r].wrap_capacity > 0 && state->wrap_counts[r] > 0 &&
        rl_wraps_leave_ended_way(model, state, before, r, true)) {
      return true;
    }
  }
  return false;
}
