// SPDX-License-Identifier: GPL-3.0-or-later
// What ropes are refused at the start: those that begin inside a body, and ways round a body on
// which no rope holds.
#include "../trigonometry.h"
#include "wrap_lay.h"

#include <stdio.h>
#include <string.h>

// Whether friction can hold a rope on more than half of a ball.
static bool holds_on_balls(const rl_model *model, uint32_t rope, uint32_t body) {
  return !model->ropes[rope].closed && rl_rope_friction(model, rope, body) > 0.0;
}

bool rl_lay_check_turns(const rl_model *model, const rl_definition *definition, uint32_t index,
                        rl_fault *fault) {
  const rl_rope_definition *d = &definition->ropes[index];
  for (size_t k = 0; k < d->waypoint_count; k++) {
    const rl_waypoint *waypoint = &d->waypoints[k];
    if (k > 0 && rl_waypoints_are_same(&d->waypoints[k - 1], waypoint)) {
      return rl_waypoint_refuse(
          fault, index, k,
          "round body '%s' twice, one after the other; expected it once, with `turns`, or "
          "an eye or another body between",
          model->bodies[waypoint->body].name);
    }
    const rl_body *body = waypoint->is_eye ? NULL : &model->bodies[waypoint->body];
    const rl_shape shape = body ? body->parts[rl_waypoint_part(waypoint)].shape : 0;
    if (body && waypoint->turns > 0.0 && shape == RL_SPHERE &&
        !holds_on_balls(model, index, waypoint->body)) {
      rl_waypoint_refuse(
          fault, index, k,
          "full turns hold on a ball with friction only; round body '%s' they slip off; expected "
          "no `turns`",
          body->name);
      return rl_fault_place(fault, "%zu.turns", k);
    }
  }
  return true;
}

// Returns the angle about the centre of a ball from the item before it to the item behind, in the
// sense of an axis [rad].
static double angle_on_side(const rl_path_item *item, rl_vec3 turning) {
  const rl_vec3 from = rl_sub(item[-1].exit, item->at), to = rl_sub(item[1].entry, item->at);
  const rl_vec3 across = rl_cross(from, to);
  const double angle = rl_atan2(rl_length(across), rl_dot(from, to));
  return rl_dot(across, turning) < 0.0 ? 2.0 * RL_PI - angle : angle;
}

bool rl_lay_refuse_ball(const rl_wrapping *w, uint32_t body, size_t k, const rl_path_item *item,
                        rl_vec3 turning, rl_fault *fault) {
  rl_fault_set(
      fault, RL_FAULT_INVALID, RL_NONE, w->rope, "over",
      "on that side of the ball '%s' the rope slips off: from its centre the places before "
      "and behind it are seen %.4g rad apart there, and beyond %.4g there is a "
      "shorter way beside it; expected the other side%s",
      w->model->bodies[body].name, angle_on_side(item, turning), RL_PI,
      w->model->ropes[w->rope].closed ? "" : ", or friction");
  return rl_fault_place(fault, "%zu", k);
}

bool rl_lay_check_sides(const rl_wrapping *w, const rl_definition *definition, rl_fault *fault) {
  const rl_rope_definition *d = &definition->ropes[w->rope];
  for (size_t k = 0; k < d->waypoint_count; k++) {
    rl_way way;
    if (d->waypoints[k].is_eye || !rl_way_find(w, definition, k, &way, fault)) {
      continue;
    }
    for (size_t i = 1; i + 1 < w->path.count; i++) {
      rl_path_item *item = &w->path.items[i];
      if (item->kind != RL_PATH_SPHERE || item->feature != RL_FEATURE_SIDE ||
          !rl_wraps_is_on(w, item, way.body, way.part)) {
        continue;
      }
      const bool is_beside = rl_dot(item->side, way.turning) < 0.0;
      const bool is_past = rl_path_is_past_half(item) || item->wrap > RL_PI;
      item->held = !is_beside && is_past && holds_on_balls(w->model, w->rope, way.body);
      if ((is_beside || is_past) && !item->held) {
        return rl_lay_refuse_ball(w, way.body, k, item, way.turning, fault);
      }
    }
  }
  return true;
}

// Whether an item is a point, or on a part of one of the ways.
static bool is_told(const rl_wrapping *w, const rl_rope_definition *d, const rl_path_item *item) {
  bool told = item->part == RL_NONE;
  for (size_t k = 0; k < d->waypoint_count; k++) {
    const rl_waypoint *waypoint = &d->waypoints[k];
    told = told || (!waypoint->is_eye &&
                    rl_wraps_is_on(w, item, waypoint->body, rl_waypoint_part(waypoint)));
  }
  return told;
}

// Returns the first way that the rope does not pass in its order and on its side, turning about it
// or straight; the number of waypoints if there is none.
static size_t find_unordered(const rl_wrapping *w, const rl_definition *definition) {
  const rl_rope_definition *d = &definition->ropes[w->rope];
  const rl_path_item *items = w->path.items;
  size_t i = 1; // the first item not yet passed
  for (size_t k = 0; k < d->waypoint_count; k++) {
    rl_way way;
    rl_fault unused;
    while (i + 1 < w->path.count &&
           (d->waypoints[k].is_eye ? items[i].part != RL_NONE : !is_told(w, d, &items[i]))) {
      i++;
    }
    if (d->waypoints[k].is_eye) {
      i++;
      continue;
    }
    if (!rl_way_find(w, definition, k, &way, &unused)) {
      return k;
    }
    rl_vec3 about;
    if (rl_wraps_is_on(w, &items[i], way.body, way.part)) {
      about = items[i].kind == RL_PATH_SPHERE     ? items[i].side
              : items[i].kind == RL_PATH_CYLINDER ? rl_scale(items[i].sense, items[i].axis)
                                                  : rl_cross(items[i].in, items[i].out);
      while (rl_wraps_is_on(w, &items[i], way.body, way.part)) {
        i++;
      }
    } else {
      const rl_body_pose at = rl_body_pose_at(w->model, w->state, w->state->points, way.body);
      rl_surface surface;
      rl_shape_segment(&w->model->bodies[way.body].parts[way.part], at.centre, at.rotation,
                       items[i - 1].exit, items[i].entry, &surface);
      about = rl_cross(surface.normal, rl_sub(items[i].entry, items[i - 1].exit));
    }
    if (!(rl_dot(about, way.turning) > 0.0)) {
      return k;
    }
  }
  return d->waypoint_count;
}

// Returns the angle by which a rope turns about a direction on an item of its path, however steeply
// it runs along that direction [rad].
static double turned_about(const rl_path_item *item, rl_vec3 axis) {
  if (rl_path_is_round(item)) {
    return item->wrap;
  }
  const rl_vec3 in = rl_add_scaled(item->in, -rl_dot(item->in, axis), axis);
  const rl_vec3 out = rl_add_scaled(item->out, -rl_dot(item->out, axis), axis);
  return rl_atan2(rl_dot(axis, rl_cross(in, out)), rl_dot(in, out));
}

bool rl_lay_check_passed(rl_wrapping *w, const rl_definition *definition, rl_fault *fault) {
  const rl_rope_definition *d = &definition->ropes[w->rope];
  const rl_path_item *items = w->path.items;
  const size_t unordered = find_unordered(w, definition);
  size_t eyes = 0;
  for (size_t k = 0; k < d->waypoint_count; k++) {
    rl_way way;
    eyes += d->waypoints[k].is_eye ? 1 : 0;
    if (d->waypoints[k].is_eye || !rl_way_find(w, definition, k, &way, fault)) {
      continue;
    }
    double turned = 0.0, asked = 0.0;
    for (size_t i = 1; i + 1 < w->path.count; i++) {
      const bool is_on = rl_wraps_is_on(w, &items[i], way.body, way.part);
      turned += is_on ? turned_about(&items[i], way.turning) : 0.0;
    }
    for (size_t m = 0; m < d->waypoint_count; m++) {
      asked += rl_waypoints_are_same(&d->waypoints[m], &d->waypoints[k])
                   ? 2.0 * RL_PI * d->waypoints[m].turns
                   : 0.0;
    }
    const char *name = w->model->bodies[way.body].name;
    // The rope may bend back beside the turns, by less than a quarter turn at each end.
    if (d->waypoints[k].turns > 0.0 && turned < asked - RL_PI) {
      rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, w->rope, "over",
                   "the turns slip off body '%s': the rope would turn by %.3g rad there, less than "
                   "%.3g full turn%s; expected fewer `turns`, or ends beside its side",
                   name, turned, asked / (2.0 * RL_PI), asked == 2.0 * RL_PI ? "" : "s");
      return rl_fault_place(fault, "%zu.turns", k);
    }
    if (rl_way_is_passed_again(d, k) ? k >= unordered : !rl_way_is_passed(w, eyes, &way)) {
      return rl_waypoint_refuse(
          fault, w->rope, k,
          "on that side of body '%s' no way is found on which the rope holds; expected "
          "another side, or an eye beside it",
          name);
    }
  }
  return true;
}

// Checks that an end of the rope or an eye is not inside a body.
static bool check_point(const rl_model *model, const rl_state *state, uint32_t rope, rl_vec3 at,
                        uint32_t body, const char *what, rl_fault *fault) {
  const rl_body_pose pose = rl_body_pose_at(model, state, state->points, body);
  for (size_t p = 0; p < model->bodies[body].part_count; p++) {
    const rl_part *part = &model->bodies[body].parts[p];
    const double depth = -rl_shape_surface(part, pose.centre, pose.rotation, at).distance;
    if (rl_depth_is_inside(model, part, depth)) {
      return rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, rope, what,
                          "%s starts %.3g m inside body '%s'; expected it outside, or "
                          "rope_collide: false of the body",
                          strcmp(what, "over") == 0 ? "an eye" : "this end", depth,
                          model->bodies[body].name);
    }
  }
  return true;
}

bool rl_wraps_check_points(const rl_model *model, const rl_definition *definition,
                           const rl_state *state, uint32_t index, rl_fault *fault) {
  const rl_rope *rope = &model->ropes[index];
  const rl_rope_definition *d = &definition->ropes[index];
  for (uint32_t body = 0; body < model->body_count; body++) {
    if (!rl_rope_touches(model, index, body)) {
      continue;
    }
    for (size_t k = 0; k < 2 && !d->closed; k++) {
      if (!check_point(model, state, index, rl_position(&state->points[rope->ends[k]]), body,
                       k == 0 ? "from" : "to", fault)) {
        return false;
      }
    }
    for (size_t k = 0; k < d->waypoint_count; k++) {
      if (d->waypoints[k].is_eye &&
          !check_point(model, state, index, rl_waypoint_centre(model, state, rope, d, k), body,
                       "over", fault)) {
        return rl_fault_place(fault, "%zu", k);
      }
    }
  }
  return true;
}

// Writes what an item of the path is, in the words of a scenario file.
static void name_item(const rl_wrapping *w, const rl_rope_definition *d, size_t i, size_t size,
                      char *name) {
  const uint32_t part = w->path.items[i].part;
  if (i == 0 || i + 1 == w->path.count) {
    snprintf(name, size, "%s", d->closed ? "the seam" : i == 0 ? "'from'" : "'to'");
  } else if (part != RL_NONE) {
    snprintf(name, size, "body '%s'", w->model->bodies[w->state->solid_parts[part][0]].name);
  } else {
    size_t eyes = 0, k = 0;
    for (size_t m = 1; m < i; m++) {
      eyes += w->path.items[m].part == RL_NONE ? 1 : 0;
    }
    while (!d->waypoints[k].is_eye || eyes-- > 0) {
      k++;
    }
    snprintf(name, size, "over.%zu", k);
  }
}

// Sets the fault for the piece behind item i, which starts inside a part; returns false.
static bool refuse_cut(const rl_wrapping *w, const rl_definition *definition, size_t i,
                       uint32_t body, double depth, rl_fault *fault) {
  const rl_rope_definition *d = &definition->ropes[w->rope];
  bool passed = false;
  for (size_t k = 0; k < d->waypoint_count; k++) {
    passed = passed || (!d->waypoints[k].is_eye && d->waypoints[k].body == body);
  }
  const bool others = w->model->bodies[body].part_count > 1;
  char before[64], behind[64];
  name_item(w, d, i, sizeof before, before);
  name_item(w, d, i + 1, sizeof behind, behind);
  return rl_fault_set(
      fault, RL_FAULT_INVALID, RL_NONE, w->rope, "over",
      "between %s and %s the rope cuts through body '%s' at the start, %.3g m deep; expected %s",
      before, behind, w->model->bodies[body].name, depth,
      passed && others ? "the parts that it passes one by one in `over` (part: NAME)"
      : passed         ? "the body there once more in `over`, or the rope clear of it"
                       : "that body in `over`, or the rope clear of it");
}

// Returns how deep the piece behind an item is in a part of a body on which neither of its ends
// lies; 0 if it is in none [m].
static double depth_in(const rl_wrapping *w, const rl_path_item *items, uint32_t body) {
  const rl_model *model = w->model;
  const rl_body_pose at = rl_body_pose_at(model, w->state, w->state->points, body);
  const bool touches = rl_rope_touches(model, w->rope, body);
  for (uint32_t i = 0; touches && i < model->bodies[body].part_count; i++) {
    const rl_part *part = &model->bodies[body].parts[i];
    rl_surface surface;
    rl_shape_segment(part, at.centre, at.rotation, items[0].exit, items[1].entry, &surface);
    const double depth = model->ropes[w->rope].radius - surface.distance;
    if (!rl_wraps_is_on(w, &items[0], body, i) && !rl_wraps_is_on(w, &items[1], body, i) &&
        rl_depth_is_inside(model, part, depth)) {
      return depth;
    }
  }
  return 0.0;
}

bool rl_lay_check_clear(const rl_wrapping *w, const rl_definition *definition, rl_fault *fault) {
  for (size_t i = 0; i + 1 < w->path.count; i++) {
    for (uint32_t body = 0; body < w->model->body_count; body++) {
      const double depth = depth_in(w, &w->path.items[i], body);
      if (depth > 0.0) {
        return refuse_cut(w, definition, i, body, depth, fault);
      }
    }
  }
  return true;
}
