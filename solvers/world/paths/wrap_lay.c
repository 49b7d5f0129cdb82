// SPDX-License-Identifier: GPL-3.0-or-later
// Lays ropes at the start of a run: from the waypoints of a definition to wraps.
#include "wrap_lay.h"

#include "../trigonometry.h"

#include <string.h>

// Returns the most items of a path on one part at a time, with that many full turns round it.
static uint32_t features_of(const rl_part_definition *part, double turns) {
  const uint32_t corners = 4 * ((uint32_t)turns + 1); // marks of the winding, edges of a box
  switch (part->shape) {
  case RL_SPHERE:
    return 1 + corners;
  case RL_CYLINDER:
    return 5 + corners;
  case RL_CAPSULE:
    return 7 + corners;
  case RL_BOX:
    return 8 + 2 * corners;
  case RL_HULL:
    return 8 + ((uint32_t)turns + 1) * (uint32_t)part->point_count;
  case RL_PLANE:
    break; // the rope is outside, and so is the straight way
  }
  return 0;
}

// Room for wraps beyond those at the start, for a rope can pass a body again and again: so many and
// the features of every part, limited to the second number.
enum { SPARE_WRAPS = 16, MOST_SPARE_WRAPS = 64 };

uint32_t rl_definition_wrap_capacity(const rl_definition *definition,
                                     const rl_rope_definition *rope) {
  uint32_t features = 0, ways = 0;
  if (rope->closed && rope->segments == 0) {
    return (uint32_t)rope->waypoint_count; // a loop keeps its wraps
  }
  for (uint32_t i = 0; i < definition->body_count && rope->segments == 0; i++) {
    const rl_body_definition *body = &definition->bodies[i];
    for (size_t k = 0; k < body->part_count && rl_definition_touches(definition, rope, i); k++) {
      features += features_of(&body->parts[k], 0.0);
    }
  }
  for (size_t k = 0; k < rope->waypoint_count; k++) {
    const rl_waypoint *waypoint = &rope->waypoints[k];
    const rl_body_definition *body = waypoint->is_eye ? NULL : &definition->bodies[waypoint->body];
    ways += body ? features_of(&body->parts[rl_waypoint_part(waypoint)], waypoint->turns) : 1;
  }
  if (features == 0) { // the rope stays in its eyes
    return rl_definition_eyes_rub(definition, rope) ? ways : 0;
  }
  const uint32_t more = SPARE_WRAPS + features;
  return ways + (more < MOST_SPARE_WRAPS ? more : MOST_SPARE_WRAPS);
}

bool rl_waypoint_refuse(rl_fault *fault, uint32_t rope, size_t k, const char *format,
                        const char *body) {
  rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, rope, "over", format, body);
  return rl_fault_place(fault, "%zu", k);
}

rl_vec3 rl_waypoint_centre(const rl_model *model, const rl_state *state, const rl_rope *rope,
                           const rl_rope_definition *definition, size_t k) {
  const rl_waypoint *waypoint = &definition->waypoints[k];
  if (waypoint->is_eye) {
    return rl_vertex_position(model, state, model->eyes[rope->first_eye + k], state->points);
  }
  const rl_part *part = &model->bodies[waypoint->body].parts[rl_waypoint_part(waypoint)];
  return rl_wrap_to_world(rl_body_pose_at(model, state, state->points, waypoint->body), part->at);
}

// Returns the side of a body on which the rope lies by default: against gravity, across the chord
// and the axis of the part; 0 if there is no such direction.
static rl_vec3 default_side(const rl_model *model, rl_vec3 chord, rl_vec3 axis) {
  const rl_vec3 up = rl_scale(-1.0, rl_unit(model->gravity));
  const rl_vec3 along = rl_unit(chord);
  rl_vec3 side = rl_add_scaled(up, -rl_dot(up, along), along);
  const rl_vec3 across = rl_unit(rl_add_scaled(axis, -rl_dot(axis, along), along));
  side = rl_add_scaled(side, -rl_dot(side, across), across);
  return rl_length(side) > 1e-6 ? rl_unit(side) : (rl_vec3){0.0, 0.0, 0.0};
}

bool rl_way_find(const rl_wrapping *w, const rl_definition *definition, size_t k, rl_way *way,
                 rl_fault *fault) {
  const rl_model *model = w->model;
  const rl_state *state = w->state;
  const uint32_t index = w->rope;
  const rl_rope *rope = &model->ropes[index];
  const rl_rope_definition *d = &definition->ropes[index];
  const rl_waypoint *waypoint = &d->waypoints[k];
  const rl_body *body = &model->bodies[waypoint->body];
  *way = (rl_way){.body = waypoint->body, .part = rl_waypoint_part(waypoint)};
  const rl_shape shape = body->parts[way->part].shape;
  const rl_path *path = &w->path;
  const rl_vec3 before =
      k > 0 ? rl_waypoint_centre(model, state, rope, d, k - 1) : path->items[0].at;
  const rl_vec3 after = k + 1 < d->waypoint_count ? rl_waypoint_centre(model, state, rope, d, k + 1)
                                                  : path->items[path->count - 1].at;
  const rl_vec3 chord = rl_sub(after, before);
  const rl_body_pose at = rl_body_pose_at(model, state, state->points, waypoint->body);
  const bool has_axis = shape == RL_CYLINDER || shape == RL_CAPSULE;
  const rl_vec3 z = {0.0, 0.0, has_axis ? 1.0 : 0.0};
  const rl_vec3 axis = rl_rotate(at.rotation, rl_rotate(body->parts[way->part].rotation, z));
  way->side = isnan(waypoint->side.x) ? default_side(model, chord, axis) : rl_unit(waypoint->side);
  const rl_vec3 turning = rl_cross(way->side, rl_unit(chord));
  way->turning = rl_unit(turning);
  if (rl_length(turning) < 1e-6 || (shape == RL_CYLINDER && fabs(rl_dot(turning, axis)) < 1e-6)) {
    rl_waypoint_refuse(
        fault, index, k,
        rl_is_zero(chord)
            ? "what comes before and behind body '%s' is in one place, so that no side "
              "tells which way round; expected an eye between"
        : isnan(waypoint->side.x)
            ? "on which side of body '%s' the rope lies does not follow from gravity; expected a "
              "`side`"
            : "`side` is along the rope or along the axis of body '%s'; expected a direction "
              "from its centre to the rope",
        body->name);
    return rl_fault_place(fault, "%zu.side", k);
  }
  return true;
}

// Returns the index of the first point in the list behind item i.
static size_t next_point(const rl_wrapping *w, size_t i) {
  do {
    i++;
  } while (w->path.items[i].part != RL_NONE);
  return i;
}

void rl_way_put(rl_wrapping *w, size_t before, const rl_way *way) {
  rl_path_item *items = w->path.items;
  const uint32_t solid = rl_wraps_solid(w, way->body, way->part);
  memmove(&items[before + 1], &items[before], (w->path.count - before) * sizeof *items);
  w->path.count++;
  rl_path_put_round(&items[before], w->state->solids, solid, way->turning);
}

void rl_ways_guess_wraps(rl_wrapping *w, const rl_rope_definition *d) {
  for (size_t k = 0; k < d->waypoint_count; k++) {
    if (!d->waypoints[k].is_eye) {
      rl_path_guess_wrap(&w->path.items[k + 1], d->waypoints[k].turns);
    }
  }
}

// Whether the straight line past a round item is clear of its part, on the side on which the rope
// would turn about it: then the rope does not touch the part.
static bool is_clear(const rl_wrapping *w, const rl_path_item *item) {
  const uint32_t *place = w->state->solid_parts[item->part];
  const rl_body_pose at = rl_body_pose_at(w->model, w->state, w->state->points, place[0]);
  const rl_vec3 axis =
      item->kind == RL_PATH_SPHERE ? item->side : rl_scale(item->sense, item->axis);
  rl_surface surface;
  rl_shape_segment(&w->model->bodies[place[0]].parts[place[1]], at.centre, at.rotation,
                   item[-1].exit, item[1].entry, &surface);
  return surface.distance >= w->model->ropes[w->rope].radius &&
         rl_dot(rl_cross(surface.normal, rl_sub(item[1].entry, item[-1].exit)), axis) > 0.0;
}

// Whether the rope is to make full turns about the part of an item: then it touches in any case.
static bool shall_turn(const rl_wrapping *w, const rl_rope_definition *d,
                       const rl_path_item *item) {
  bool turns = false;
  for (size_t k = 0; k < d->waypoint_count; k++) {
    const rl_waypoint *waypoint = &d->waypoints[k];
    turns = turns || (!waypoint->is_eye && waypoint->turns > 0.0 &&
                      rl_wraps_is_on(w, item, waypoint->body, rl_waypoint_part(waypoint)));
  }
  return turns;
}

static void leave_out(rl_wrapping *w, size_t i) {
  rl_path_item *items = w->path.items;
  w->path.count--;
  memmove(&items[i], &items[i + 1], (w->path.count - i) * sizeof *items);
  items[i - 1].hinge = rl_vec(0.0, 0.0, 0.0);
}

// Removes all items but points.
static void begin_again(rl_wrapping *w) {
  for (size_t i = 1; i + 1 < w->path.count;) {
    if (w->path.items[i].part != RL_NONE) {
      leave_out(w, i);
    } else {
      i++;
    }
  }
  rl_path_solve(w->path.items, w->path.count, NULL);
}

bool rl_way_is_passed_again(const rl_rope_definition *d, size_t k) {
  bool again = false;
  for (size_t m = 0; m < d->waypoint_count; m++) {
    again = again || (m != k && rl_waypoints_are_same(&d->waypoints[m], &d->waypoints[k]));
  }
  return again;
}

// Returns the straight piece nearest to a part of a body among those behind `eyes` eyes and before
// the next, and the surface of the part there.
static size_t nearest_piece(const rl_wrapping *w, size_t eyes, uint32_t body, uint32_t part,
                            rl_surface *surface) {
  const rl_body_pose at = rl_body_pose_at(w->model, w->state, w->state->points, body);
  size_t nearest = 0, points = 0;
  *surface = (rl_surface){.distance = INFINITY};
  for (size_t i = 0; i + 1 < w->path.count; i++) {
    rl_surface found;
    points += w->path.items[i].part == RL_NONE ? 1 : 0;
    rl_shape_segment(&w->model->bodies[body].parts[part], at.centre, at.rotation,
                     w->path.items[i].exit, w->path.items[i + 1].entry, &found);
    if (points == eyes + 1 && found.distance < surface->distance) {
      *surface = found;
      nearest = i;
    }
  }
  return nearest;
}

bool rl_way_is_passed(rl_wrapping *w, size_t eyes, const rl_way *way) {
  const rl_vec3 turning = rl_path_turning(&w->path, rl_wraps_solid(w, way->body, way->part));
  if (!rl_is_zero(turning)) {
    return rl_dot(turning, way->turning) > 0.0;
  }
  const rl_path_item *items = w->path.items;
  rl_surface surface;
  const size_t i = nearest_piece(w, eyes, way->body, way->part, &surface);
  const rl_vec3 piece = rl_sub(items[i + 1].entry, items[i].exit);
  return rl_dot(rl_cross(surface.normal, piece), way->turning) > 0.0 &&
         !rl_depth_is_inside(w->model, &w->model->bodies[way->body].parts[way->part],
                             w->model->ropes[w->rope].radius - surface.distance);
}

// Returns the first way that the rope does not pass on its side, and the number of `eyes` before
// it; the number of waypoints if there is none. Skips parts that are passed more than once.
static size_t find_missed(rl_wrapping *w, const rl_definition *definition, rl_way *way,
                          size_t *eyes) {
  const rl_rope_definition *d = &definition->ropes[w->rope];
  rl_fault unused;
  *eyes = 0;
  for (size_t k = 0; k < d->waypoint_count; k++) {
    if (d->waypoints[k].is_eye) {
      (*eyes)++;
    } else if (rl_way_find(w, definition, k, way, &unused) && !rl_way_is_passed_again(d, k) &&
               !rl_way_is_passed(w, *eyes, way)) {
      return k;
    }
  }
  return d->waypoint_count;
}

// Lays all ways at once, if they are balls and sides and the rope can lie between the ends of
// these. Those that it does not touch are left out, and the others laid anew: the plane of a ball
// follows the places beside it, and an item that is left out may have turned it over. Returns false
// if that does not succeed.
static bool lay_round(rl_wrapping *w, const rl_definition *definition) {
  const rl_rope_definition *d = &definition->ropes[w->rope];
  size_t point = 0;
  for (size_t k = 0; k < d->waypoint_count; k++) {
    if (d->waypoints[k].is_eye) {
      point = next_point(w, point);
      continue;
    }
    rl_way way;
    rl_fault unused;
    if (!rl_way_find(w, definition, k, &way, &unused) ||
        rl_is_polyhedron(w->model->bodies[way.body].parts[way.part].shape)) {
      return false;
    }
    rl_way_put(w, next_point(w, point), &way);
  }
  rl_ways_guess_wraps(w, d);
  memcpy(w->state->old_items, w->path.items, w->path.count * sizeof *w->path.items);
  for (size_t i = 1; i + 1 < w->path.count;) {
    if (isnan(rl_path_solve(w->path.items, w->path.count, NULL))) {
      return false;
    }
    const rl_path_item *item = &w->path.items[i];
    const bool touches = rl_wraps_is_settled(w, item);
    if (item->part != RL_NONE && item->wrap < 2.0 * RL_PI && !shall_turn(w, d, item) &&
        is_clear(w, item)) {
      rl_wraps_restore(w, w->path.count);
      leave_out(w, i);
      memcpy(w->state->old_items, w->path.items, w->path.count * sizeof *w->path.items);
      i = 1;
    } else if (!touches) {
      return false;
    } else {
      i++;
    }
  }
  rl_way missed;
  size_t eyes;
  return find_missed(w, definition, &missed, &eyes) == d->waypoint_count;
}

// Leads the rope round a way: winds it in the plane of the chord and the side; if it slips off or
// to another side, leads it over the features that hold it.
static bool lead_round(rl_wrapping *w, size_t after, size_t eyes, const rl_way *way,
                       uint32_t turns) {
  const size_t count = w->path.count;
  memcpy(w->state->old_items, w->path.items, count * sizeof *w->path.items);
  const rl_shape shape = w->model->bodies[way->body].parts[way->part].shape;
  if (shape != RL_SPHERE || turns == 0) { // on a ball turns slip off while they are wound
    const bool wound = rl_wraps_wind(w, after, way->body, way->part, way->side, turns);
    if (turns > 0 || (wound && rl_way_is_passed(w, eyes, way))) {
      return wound;
    }
    rl_wraps_restore(w, count);
  }
  if (rl_wraps_lead(w, after, way->body, way->part, way->turning, turns) &&
      rl_way_is_passed(w, eyes, way)) {
    return true;
  }
  rl_wraps_restore(w, count);
  return rl_wraps_wind(w, after, way->body, way->part, way->side, turns);
}

// Returns the item behind which way k belongs, between eyes: the last one before the items of later
// ways.
static size_t place_of(const rl_wrapping *w, const rl_rope_definition *d, size_t k, size_t eyes) {
  size_t point = 0;
  for (size_t e = 0; e < eyes; e++) {
    point = next_point(w, point);
  }
  const size_t end = next_point(w, point);
  size_t place = end - 1;
  for (size_t m = k + 1; m < d->waypoint_count && !d->waypoints[m].is_eye; m++) {
    const uint32_t part = rl_waypoint_part(&d->waypoints[m]);
    for (size_t i = point + 1; i < end; i++) {
      if (i <= place && rl_wraps_is_on(w, &w->path.items[i], d->waypoints[m].body, part)) {
        place = i - 1;
      }
    }
  }
  return place;
}

// Lays way k anew, with all others where they are.
static bool lay_waypoint(rl_wrapping *w, const rl_rope_definition *d, size_t k, size_t eyes,
                         const rl_way *way) {
  for (size_t i = 1; i + 1 < w->path.count;) {
    if (rl_wraps_is_on(w, &w->path.items[i], way->body, way->part)) {
      leave_out(w, i);
    } else {
      i++;
    }
  }
  rl_path_solve(w->path.items, w->path.count, NULL);
  return lead_round(w, place_of(w, d, k, eyes), eyes, way, (uint32_t)d->waypoints[k].turns);
}

static bool refuse_side(const rl_wrapping *w, const rl_definition *definition, size_t k,
                        const rl_way *way, rl_fault *fault) {
  const bool has_turns = definition->ropes[w->rope].waypoints[k].turns > 0.0;
  return rl_waypoint_refuse(
      fault, w->rope, k,
      has_turns ? "there is no way round body '%s' with these turns: they would slide off, or with "
                  "the rope's radius an end or an eye lies inside it; expected fewer turns, or "
                  "neighbours across its axis"
                : "there is no way over body '%s': with the rope's radius an end or an eye lies "
                  "inside it, or it and another one overlap; expected them apart",
      w->model->bodies[way->body].name);
}

// Inserts a guide for each way: a point beside it, on the side that was asked for.
static bool put_guides(rl_wrapping *w, const rl_definition *definition, rl_fault *fault) {
  const rl_rope_definition *d = &definition->ropes[w->rope];
  rl_path_item *items = w->path.items;
  for (size_t k = 0; k < d->waypoint_count; k++) {
    rl_way way;
    if (d->waypoints[k].is_eye) {
      continue;
    }
    if (!rl_way_find(w, definition, k, &way, fault)) {
      return false;
    }
    const uint32_t solid = rl_wraps_solid(w, way.body, way.part);
    memmove(&items[k + 2], &items[k + 1], (w->path.count - k - 1) * sizeof *items);
    w->path.count++;
    items[k + 1] = (rl_path_item){.kind = RL_PATH_POINT, .part = RL_NONE};
    items[k + 1].at = rl_path_beside(&w->state->solids[solid], way.side);
  }
  return true;
}

// Lays a rope that passes a part more than once, where only the order tells which item belongs to
// which way: it begins with guides beside all ways, and is led round each in place of its guide.
static bool lay_in_order(rl_wrapping *w, const rl_definition *definition, rl_fault *fault) {
  const rl_rope_definition *d = &definition->ropes[w->rope];
  if (!put_guides(w, definition, fault)) {
    return false;
  }
  size_t point = 0; // the last point before the way that is no guide
  for (size_t k = 0; k < d->waypoint_count; k++) {
    rl_way way;
    if (d->waypoints[k].is_eye) {
      point = next_point(w, point);
      continue;
    }
    const size_t guide = next_point(w, point);
    leave_out(w, guide);
    if (!rl_way_find(w, definition, k, &way, fault)) {
      return false;
    }
    const uint32_t turns = (uint32_t)d->waypoints[k].turns;
    const bool is_round = !rl_is_polyhedron(w->model->bodies[way.body].parts[way.part].shape);
    if (is_round ? !rl_wraps_lead(w, guide - 1, way.body, way.part, way.turning, turns)
                 : !rl_wraps_wind(w, guide - 1, way.body, way.part, way.side, turns)) {
      return refuse_side(w, definition, k, &way, fault);
    }
  }
  return true;
}

// Lays all ways: at once, in order, or one after the other. Where the rope was straight beside a
// body, a later way can lead it through that body to the other side; then that way is laid again.
static bool lay_waypoints(rl_wrapping *w, const rl_definition *definition, rl_fault *fault) {
  const rl_rope_definition *d = &definition->ropes[w->rope];
  if (lay_round(w, definition)) {
    return true;
  }
  begin_again(w);
  for (size_t k = 0; k < d->waypoint_count; k++) {
    if (rl_way_is_passed_again(d, k)) {
      return lay_in_order(w, definition, fault);
    }
  }
  rl_way way;
  size_t eyes = 0;
  for (size_t k = 0; k < d->waypoint_count; k++) {
    if (d->waypoints[k].is_eye) {
      eyes++;
    } else if (!rl_way_find(w, definition, k, &way, fault)) {
      return false;
    } else if (!lay_waypoint(w, d, k, eyes, &way)) {
      return refuse_side(w, definition, k, &way, fault);
    }
  }
  for (size_t times = 0; times < d->waypoint_count; times++) {
    const size_t k = find_missed(w, definition, &way, &eyes);
    if (k == d->waypoint_count || !lay_waypoint(w, d, k, eyes, &way)) {
      break;
    }
  }
  return true;
}

// Settles the list, also round the other parts of the bodies of ways that name no part: each way
// was laid while others were missing, and a way that cannot be laid again may have taken places
// beyond the ends of their edges. Returns false if there is no such list.
static bool settle(rl_wrapping *w, const rl_definition *definition) {
  const rl_rope_definition *d = &definition->ropes[w->rope];
  bool settled = rl_wraps_all_settled(w);
  for (size_t k = 0; k < d->waypoint_count; k++) {
    const rl_waypoint *waypoint = &d->waypoints[k];
    const uint32_t parts = waypoint->is_eye || waypoint->part != RL_NONE
                               ? 0
                               : (uint32_t)w->model->bodies[waypoint->body].part_count;
    for (uint32_t part = 1; part < parts; part++) {
      rl_wraps_solid(w, waypoint->body, part);
      settled = false;
    }
  }
  double length;
  return settled ||
         rl_path_adapt(&w->path, w->state->solids, w->solid_count, &length) <= RL_PATH_ROUGH;
}

double rl_wraps_lay(const rl_model *model, const rl_definition *definition, rl_state *state,
                    uint32_t index, rl_fault *fault) {
  const rl_rope *rope = &model->ropes[index];
  const rl_rope_definition *d = &definition->ropes[index];
  rl_wrap *wraps = rl_wraps_of(model, state, index);
  for (size_t k = 0; k < d->waypoint_count; k++) {
    if (d->waypoints[k].is_eye) {
      wraps[state->wrap_counts[index]++] =
          (rl_wrap){.body = RL_NONE, .part = rope->first_eye + (uint32_t)k};
    }
  }
  if (!rl_lay_check_turns(model, definition, index, fault) ||
      !rl_wraps_check_points(model, definition, state, index, fault)) {
    return NAN;
  }
  if (rl_wraps_is_loop(model, index)) {
    return rl_lay_loop(model, definition, state, index, fault);
  }
  rl_wrap_solve_path(model, state, index, state->points);
  rl_wrapping w = rl_wraps_open(model, state, index);
  if (!lay_waypoints(&w, definition, fault) || !rl_lay_check_sides(&w, definition, fault)) {
    return NAN;
  }
  if (!settle(&w, definition)) {
    rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, index, "over",
                 "no way is found on which the rope holds on all bodies that it is to pass; "
                 "expected other sides, or an eye between two of them");
    return NAN;
  }
  if (!rl_lay_check_passed(&w, definition, fault) || !rl_lay_check_clear(&w, definition, fault)) {
    return NAN;
  }
  rl_wraps_adopt(&w);
  return rl_wrap_solve_path(model, state, index, state->points);
}

void rl_wraps_share_rest(const rl_model *model, rl_state *state, uint32_t index, double rest) {
  rl_wrap *wraps = rl_wraps_of(model, state, index);
  const double length = rl_wrap_solve_path(model, state, index, state->points);
  for (uint32_t i = 0; i < state->wrap_counts[index]; i++) {
    rl_wrap_mark_middle(model, state, &wraps[i], &rl_path_items(state, index)[i + 1]);
  }
  const uint32_t pieces = rl_wraps_piece_count(model, state, index);
  for (uint32_t i = 0; i < state->wrap_counts[index]; i++) { // of a loop the first has what is left
    wraps[i].rest = 0.0;
    if (i + 1 < pieces) {
      const double own = rl_wrap_piece_length(model, state, index, i + 1, state->points);
      wraps[i].rest = rest / length * own;
    }
  }
}
