// SPDX-License-Identifier: GPL-3.0-or-later
// Lays ropes at the start of a run: from the waypoints of a definition to wraps. A waypoint that is
// not an eye is called a way here: the body, or its part, round which the rope is to go.
#include "../model/definition.h"
#include "../model/model_check.h"
#include "../trigonometry.h"
#include "wrap_internal.h"

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

// Returns the part of a waypoint: the first one of its body if none is named.
static uint32_t part_of(const rl_waypoint *waypoint) {
  return waypoint->part == RL_NONE ? 0 : waypoint->part;
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
    ways += body ? features_of(&body->parts[part_of(waypoint)], waypoint->turns) : 1;
  }
  if (features == 0) { // the rope stays in its eyes
    return rl_definition_eyes_rub(definition, rope) ? ways : 0;
  }
  const uint32_t more = SPARE_WRAPS + features;
  return ways + (more < MOST_SPARE_WRAPS ? more : MOST_SPARE_WRAPS);
}

// Sets the fault for waypoint k; returns false.
static bool refuse_waypoint(rl_fault *fault, uint32_t rope, size_t k, const char *format,
                            const char *body) {
  rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, rope, "over", format, body);
  return rl_fault_place(fault, "%zu", k);
}

// Returns the position of a waypoint: the eye, or the centre of the part.
static rl_vec3 waypoint_centre(const rl_model *model, const rl_state *state, const rl_rope *rope,
                               const rl_rope_definition *definition, size_t k) {
  const rl_waypoint *waypoint = &definition->waypoints[k];
  if (waypoint->is_eye) {
    return rl_vertex_position(model, state, model->eyes[rope->first_eye + k], state->points);
  }
  const rl_part *part = &model->bodies[waypoint->body].parts[part_of(waypoint)];
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

// A way round a body.
typedef struct round_body {
  uint32_t body, part;
  rl_vec3 side, turning; // the side on which the rope lies, the axis about which it turns; unit
} round_body;

// Reads way k; returns false with `fault` filled in if it has no definite side.
static bool find_round(const rl_wrapping *w, const rl_definition *definition, size_t k,
                       round_body *round, rl_fault *fault) {
  const rl_model *model = w->model;
  const rl_state *state = w->state;
  const uint32_t index = w->rope;
  const rl_rope *rope = &model->ropes[index];
  const rl_rope_definition *d = &definition->ropes[index];
  const rl_waypoint *waypoint = &d->waypoints[k];
  const rl_body *body = &model->bodies[waypoint->body];
  *round = (round_body){.body = waypoint->body, .part = part_of(waypoint)};
  const rl_shape shape = body->parts[round->part].shape;
  const rl_path *path = &w->path;
  const rl_vec3 before = k > 0 ? waypoint_centre(model, state, rope, d, k - 1) : path->items[0].at;
  const rl_vec3 after = k + 1 < d->waypoint_count ? waypoint_centre(model, state, rope, d, k + 1)
                                                  : path->items[path->count - 1].at;
  const rl_vec3 chord = rl_sub(after, before);
  const rl_body_pose at = rl_body_pose_at(model, state, state->points, waypoint->body);
  const bool has_axis = shape == RL_CYLINDER || shape == RL_CAPSULE;
  const rl_vec3 z = {0.0, 0.0, has_axis ? 1.0 : 0.0};
  const rl_vec3 axis = rl_rotate(at.rotation, rl_rotate(body->parts[round->part].rotation, z));
  round->side =
      isnan(waypoint->side.x) ? default_side(model, chord, axis) : rl_unit(waypoint->side);
  const rl_vec3 turning = rl_cross(round->side, rl_unit(chord));
  round->turning = rl_unit(turning);
  if (rl_length(turning) < 1e-6 || (shape == RL_CYLINDER && fabs(rl_dot(turning, axis)) < 1e-6)) {
    refuse_waypoint(
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

// Whether friction can hold a rope on more than half of a ball.
static bool holds_on_balls(const rl_model *model, uint32_t rope, uint32_t body) {
  return !model->ropes[rope].closed &&
         model->frictions[(size_t)rope * model->body_count + body] > 0.0;
}

static bool are_same(const rl_waypoint *a, const rl_waypoint *b) {
  return !a->is_eye && !b->is_eye && a->body == b->body && part_of(a) == part_of(b);
}

// Refuses full turns round a ball without friction, and two consecutive ways round the same part.
static bool check_turns(const rl_model *model, const rl_definition *definition, uint32_t index,
                        rl_fault *fault) {
  const rl_rope_definition *d = &definition->ropes[index];
  for (size_t k = 0; k < d->waypoint_count; k++) {
    const rl_waypoint *waypoint = &d->waypoints[k];
    if (k > 0 && are_same(&d->waypoints[k - 1], waypoint)) {
      return refuse_waypoint(
          fault, index, k,
          "round body '%s' twice, one after the other; expected it once, with `turns`, or "
          "an eye or another body between",
          model->bodies[waypoint->body].name);
    }
    const rl_body *body = waypoint->is_eye ? NULL : &model->bodies[waypoint->body];
    const rl_shape shape = body ? body->parts[part_of(waypoint)].shape : 0;
    if (body && waypoint->turns > 0.0 && shape == RL_SPHERE &&
        !holds_on_balls(model, index, waypoint->body)) {
      refuse_waypoint(
          fault, index, k,
          "full turns hold on a ball with friction only; round body '%s' they slip off; expected "
          "no `turns`",
          body->name);
      return rl_fault_place(fault, "%zu.turns", k);
    }
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

// Inserts the ball or side of a way before an item of the list.
static void put_round(rl_wrapping *w, size_t before, const round_body *round, double turns) {
  rl_path_item *items = w->path.items;
  const uint32_t solid = rl_wraps_solid(w, round->body, round->part);
  memmove(&items[before + 1], &items[before], (w->path.count - before) * sizeof *items);
  w->path.count++;
  rl_path_put_round(&items[before], w->state->solids, solid, round->turning, turns);
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
                      rl_wraps_is_on(w, item, waypoint->body, part_of(waypoint)));
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

// Whether the part of way k occurs in another way too.
static bool is_passed_again(const rl_rope_definition *d, size_t k) {
  bool again = false;
  for (size_t m = 0; m < d->waypoint_count; m++) {
    again = again || (m != k && are_same(&d->waypoints[m], &d->waypoints[k]));
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

// Whether a depth inside a part [m] is more than rounding.
static bool is_inside(const rl_model *model, const rl_part *part, double depth) {
  return depth > 1e-9 * fmin(part->bound, model->reach);
}

// Whether the rope passes a part on the side that was asked for, turning about it or straight.
static bool passes_on_side(rl_wrapping *w, size_t eyes, const round_body *round) {
  const rl_vec3 turning = rl_path_turning(&w->path, rl_wraps_solid(w, round->body, round->part));
  if (!rl_is_zero(turning)) {
    return rl_dot(turning, round->turning) > 0.0;
  }
  const rl_path_item *items = w->path.items;
  rl_surface surface;
  const size_t i = nearest_piece(w, eyes, round->body, round->part, &surface);
  const rl_vec3 way = rl_sub(items[i + 1].entry, items[i].exit);
  return rl_dot(rl_cross(surface.normal, way), round->turning) > 0.0 &&
         !is_inside(w->model, &w->model->bodies[round->body].parts[round->part],
                    w->model->ropes[w->rope].radius - surface.distance);
}

// Returns the first way that the rope does not pass on its side, and the number of `eyes` before
// it; the number of waypoints if there is none. Skips parts that are passed more than once.
static size_t find_missed(rl_wrapping *w, const rl_definition *definition, round_body *round,
                          size_t *eyes) {
  const rl_rope_definition *d = &definition->ropes[w->rope];
  rl_fault unused;
  *eyes = 0;
  for (size_t k = 0; k < d->waypoint_count; k++) {
    if (d->waypoints[k].is_eye) {
      (*eyes)++;
    } else if (find_round(w, definition, k, round, &unused) && !is_passed_again(d, k) &&
               !passes_on_side(w, *eyes, round)) {
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
    round_body round;
    rl_fault unused;
    if (!find_round(w, definition, k, &round, &unused) ||
        rl_is_polyhedron(w->model->bodies[round.body].parts[round.part].shape)) {
      return false;
    }
    put_round(w, next_point(w, point), &round, d->waypoints[k].turns);
  }
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
  round_body missed;
  size_t eyes;
  return find_missed(w, definition, &missed, &eyes) == d->waypoint_count;
}

// Leads the rope round a way: winds it in the plane of the chord and the side; if it slips off or
// to another side, leads it over the features that hold it.
static bool lead_round(rl_wrapping *w, size_t after, size_t eyes, const round_body *round,
                       uint32_t turns) {
  const size_t count = w->path.count;
  memcpy(w->state->old_items, w->path.items, count * sizeof *w->path.items);
  const rl_shape shape = w->model->bodies[round->body].parts[round->part].shape;
  if (shape != RL_SPHERE || turns == 0) { // on a ball turns slip off while they are wound
    const bool wound = rl_wraps_wind(w, after, round->body, round->part, round->side, turns);
    if (turns > 0 || (wound && passes_on_side(w, eyes, round))) {
      return wound;
    }
    rl_wraps_restore(w, count);
  }
  if (rl_wraps_lead(w, after, round->body, round->part, round->turning, turns) &&
      passes_on_side(w, eyes, round)) {
    return true;
  }
  rl_wraps_restore(w, count);
  return rl_wraps_wind(w, after, round->body, round->part, round->side, turns);
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
    const uint32_t part = part_of(&d->waypoints[m]);
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
                         const round_body *round) {
  for (size_t i = 1; i + 1 < w->path.count;) {
    if (rl_wraps_is_on(w, &w->path.items[i], round->body, round->part)) {
      leave_out(w, i);
    } else {
      i++;
    }
  }
  rl_path_solve(w->path.items, w->path.count, NULL);
  return lead_round(w, place_of(w, d, k, eyes), eyes, round, (uint32_t)d->waypoints[k].turns);
}

static bool refuse_side(const rl_wrapping *w, size_t k, const round_body *round, rl_fault *fault) {
  return refuse_waypoint(
      fault, w->rope, k,
      "there is no way over body '%s': with the rope's radius an end or an eye lies "
      "inside it, or it and another one overlap; expected them apart",
      w->model->bodies[round->body].name);
}

// Inserts a guide for each way: a point beside it, on the side that was asked for.
static bool put_guides(rl_wrapping *w, const rl_definition *definition, rl_fault *fault) {
  const rl_rope_definition *d = &definition->ropes[w->rope];
  rl_path_item *items = w->path.items;
  for (size_t k = 0; k < d->waypoint_count; k++) {
    round_body round;
    if (d->waypoints[k].is_eye) {
      continue;
    }
    if (!find_round(w, definition, k, &round, fault)) {
      return false;
    }
    const uint32_t solid = rl_wraps_solid(w, round.body, round.part);
    memmove(&items[k + 2], &items[k + 1], (w->path.count - k - 1) * sizeof *items);
    w->path.count++;
    items[k + 1] = (rl_path_item){.kind = RL_PATH_POINT, .part = RL_NONE};
    items[k + 1].at = rl_path_beside(&w->state->solids[solid], round.side);
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
    round_body round;
    if (d->waypoints[k].is_eye) {
      point = next_point(w, point);
      continue;
    }
    const size_t guide = next_point(w, point);
    leave_out(w, guide);
    if (!find_round(w, definition, k, &round, fault)) {
      return false;
    }
    const uint32_t turns = (uint32_t)d->waypoints[k].turns;
    const bool is_round = !rl_is_polyhedron(w->model->bodies[round.body].parts[round.part].shape);
    if (is_round ? !rl_wraps_lead(w, guide - 1, round.body, round.part, round.turning, turns)
                 : !rl_wraps_wind(w, guide - 1, round.body, round.part, round.side, turns)) {
      return refuse_side(w, k, &round, fault);
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
    if (is_passed_again(d, k)) {
      return lay_in_order(w, definition, fault);
    }
  }
  round_body round;
  size_t eyes = 0;
  for (size_t k = 0; k < d->waypoint_count; k++) {
    if (d->waypoints[k].is_eye) {
      eyes++;
    } else if (!find_round(w, definition, k, &round, fault)) {
      return false;
    } else if (!lay_waypoint(w, d, k, eyes, &round)) {
      return refuse_side(w, k, &round, fault);
    }
  }
  for (size_t times = 0; times < d->waypoint_count; times++) {
    const size_t k = find_missed(w, definition, &round, &eyes);
    if (k == d->waypoint_count || !lay_waypoint(w, d, k, eyes, &round)) {
      break;
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

static bool refuse_ball(const rl_wrapping *w, uint32_t body, size_t k, const rl_path_item *item,
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

// Checks that on each ball the rope is on the side that was asked for, and on no more than half of
// it unless friction can hold it in its plane; then it is held.
static bool check_sides(const rl_wrapping *w, const rl_definition *definition, rl_fault *fault) {
  const rl_rope_definition *d = &definition->ropes[w->rope];
  for (size_t k = 0; k < d->waypoint_count; k++) {
    round_body round;
    if (d->waypoints[k].is_eye || !find_round(w, definition, k, &round, fault)) {
      continue;
    }
    for (size_t i = 1; i + 1 < w->path.count; i++) {
      rl_path_item *item = &w->path.items[i];
      if (item->kind != RL_PATH_SPHERE || item->feature != RL_FEATURE_SIDE ||
          !rl_wraps_is_on(w, item, round.body, round.part)) {
        continue;
      }
      const bool is_beside = rl_dot(item->side, round.turning) < 0.0;
      const bool is_past = rl_path_is_past_half(item) || item->wrap > RL_PI;
      item->held = !is_beside && is_past && holds_on_balls(w->model, w->rope, round.body);
      if ((is_beside || is_past) && !item->held) {
        return refuse_ball(w, round.body, k, item, round.turning, fault);
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
    told =
        told || (!waypoint->is_eye && rl_wraps_is_on(w, item, waypoint->body, part_of(waypoint)));
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
    round_body round;
    rl_fault unused;
    while (i + 1 < w->path.count &&
           (d->waypoints[k].is_eye ? items[i].part != RL_NONE : !is_told(w, d, &items[i]))) {
      i++;
    }
    if (d->waypoints[k].is_eye) {
      i++;
      continue;
    }
    if (!find_round(w, definition, k, &round, &unused)) {
      return k;
    }
    rl_vec3 about;
    if (rl_wraps_is_on(w, &items[i], round.body, round.part)) {
      about = items[i].kind == RL_PATH_SPHERE     ? items[i].side
              : items[i].kind == RL_PATH_CYLINDER ? rl_scale(items[i].sense, items[i].axis)
                                                  : rl_cross(items[i].in, items[i].out);
      while (rl_wraps_is_on(w, &items[i], round.body, round.part)) {
        i++;
      }
    } else {
      const rl_body_pose at = rl_body_pose_at(w->model, w->state, w->state->points, round.body);
      rl_surface surface;
      rl_shape_segment(&w->model->bodies[round.body].parts[round.part], at.centre, at.rotation,
                       items[i - 1].exit, items[i].entry, &surface);
      about = rl_cross(surface.normal, rl_sub(items[i].entry, items[i - 1].exit));
    }
    if (!(rl_dot(about, round.turning) > 0.0)) {
      return k;
    }
  }
  return d->waypoint_count;
}

// Checks that the rope lies on each way, with its turns, or is clear of it on its side.
static bool check_passed(rl_wrapping *w, const rl_definition *definition, rl_fault *fault) {
  const rl_rope_definition *d = &definition->ropes[w->rope];
  const rl_path_item *items = w->path.items;
  const size_t unordered = find_unordered(w, definition);
  size_t eyes = 0;
  for (size_t k = 0; k < d->waypoint_count; k++) {
    round_body round;
    eyes += d->waypoints[k].is_eye ? 1 : 0;
    if (d->waypoints[k].is_eye || !find_round(w, definition, k, &round, fault)) {
      continue;
    }
    double turned = 0.0, asked = 0.0;
    for (size_t i = 1; i + 1 < w->path.count; i++) {
      const bool is_on = rl_wraps_is_on(w, &items[i], round.body, round.part);
      turned += is_on ? items[i].turn : 0.0;
    }
    for (size_t m = 0; m < d->waypoint_count; m++) {
      asked +=
          are_same(&d->waypoints[m], &d->waypoints[k]) ? 2.0 * RL_PI * d->waypoints[m].turns : 0.0;
    }
    const char *name = w->model->bodies[round.body].name;
    // The rope may bend back beside the turns, by less than a quarter turn at each end.
    if (d->waypoints[k].turns > 0.0 && turned < asked - RL_PI) {
      rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, w->rope, "over",
                   "the turns slip off body '%s': the rope would turn by %.3g rad there, less than "
                   "%.3g full turns; expected fewer `turns`, or ends beside its side",
                   name, turned, asked / (2.0 * RL_PI));
      return rl_fault_place(fault, "%zu.turns", k);
    }
    if (is_passed_again(d, k) ? k >= unordered : !passes_on_side(w, eyes, &round)) {
      return refuse_waypoint(
          fault, w->rope, k,
          "on that side of body '%s' no way is found on which the rope holds; expected "
          "another side, or an eye beside it",
          name);
    }
  }
  return true;
}

// Leads the rope round the other parts of the bodies of ways that name no part.
static void pass_all_parts(rl_wrapping *w, const rl_definition *definition) {
  const rl_rope_definition *d = &definition->ropes[w->rope];
  bool others = false;
  for (size_t k = 0; k < d->waypoint_count; k++) {
    const rl_waypoint *waypoint = &d->waypoints[k];
    const uint32_t parts = waypoint->is_eye || waypoint->part != RL_NONE
                               ? 0
                               : (uint32_t)w->model->bodies[waypoint->body].part_count;
    for (uint32_t part = 1; part < parts; part++) {
      rl_wraps_solid(w, waypoint->body, part);
      others = true;
    }
  }
  double length;
  if (others) {
    rl_path_adapt(&w->path, w->state->solids, w->solid_count, &length);
  }
}

// Checks that an end of the rope or an eye is not inside a body.
static bool check_point(const rl_model *model, const rl_state *state, uint32_t rope, rl_vec3 at,
                        uint32_t body, const char *what, rl_fault *fault) {
  const rl_body_pose pose = rl_body_pose_at(model, state, state->points, body);
  for (size_t p = 0; p < model->bodies[body].part_count; p++) {
    const rl_part *part = &model->bodies[body].parts[p];
    const double depth = -rl_shape_surface(part, pose.centre, pose.rotation, at).distance;
    if (is_inside(model, part, depth)) {
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
    if (!model->touches[(size_t)index * model->body_count + body]) {
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
          !check_point(model, state, index, waypoint_centre(model, state, rope, d, k), body, "over",
                       fault)) {
        return rl_fault_place(fault, "%zu", k);
      }
    }
  }
  return true;
}

// Sets the fault for a piece that starts inside a part; returns false.
static bool refuse_cut(const rl_wrapping *w, const rl_definition *definition, uint32_t body,
                       double depth, rl_fault *fault) {
  const rl_rope_definition *d = &definition->ropes[w->rope];
  bool passed = false;
  for (size_t k = 0; k < d->waypoint_count; k++) {
    passed = passed || (!d->waypoints[k].is_eye && d->waypoints[k].body == body);
  }
  const bool others = w->model->bodies[body].part_count > 1;
  return rl_fault_set(
      fault, RL_FAULT_INVALID, RL_NONE, w->rope, "over",
      passed && others ? "the rope cuts through another part of body '%s' at the start, %.3g "
                         "m deep; expected the parts that it passes one by one in `over` "
                         "(part: NAME)"
      : passed         ? "the rope cuts through body '%s' at the start, %.3g m deep, on its "
                         "way past another; expected them apart, or other sides"
                       : "the rope cuts through body '%s' at the start, %.3g m deep; "
                         "expected that body in `over`, or the rope clear of it",
      w->model->bodies[body].name, depth);
}

// Returns how deep the piece behind an item is in a part of a body on which neither of its ends
// lies; 0 if it is in none [m].
static double depth_in(const rl_wrapping *w, const rl_path_item *items, uint32_t body) {
  const rl_model *model = w->model;
  const rl_body_pose at = rl_body_pose_at(model, w->state, w->state->points, body);
  const bool touches = model->touches[(size_t)w->rope * model->body_count + body];
  for (uint32_t i = 0; touches && i < model->bodies[body].part_count; i++) {
    const rl_part *part = &model->bodies[body].parts[i];
    rl_surface surface;
    rl_shape_segment(part, at.centre, at.rotation, items[0].exit, items[1].entry, &surface);
    const double depth = model->ropes[w->rope].radius - surface.distance;
    if (!rl_wraps_is_on(w, &items[0], body, i) && !rl_wraps_is_on(w, &items[1], body, i) &&
        is_inside(model, part, depth)) {
      return depth;
    }
  }
  return 0.0;
}

// Checks that no piece starts inside a body.
static bool check_clear(const rl_wrapping *w, const rl_definition *definition, rl_fault *fault) {
  for (size_t i = 0; i + 1 < w->path.count; i++) {
    for (uint32_t body = 0; body < w->model->body_count; body++) {
      const double depth = depth_in(w, &w->path.items[i], body);
      if (depth > 0.0) {
        return refuse_cut(w, definition, body, depth, fault);
      }
    }
  }
  return true;
}

// ---------------------------------------------------------------------------------------------
// Loops

// Returns the axis of the part of a way, world frame; 0 for a ball.
static rl_vec3 axis_of(const rl_wrapping *w, const rl_waypoint *waypoint) {
  const rl_part *part = &w->model->bodies[waypoint->body].parts[part_of(waypoint)];
  const rl_body_pose at = rl_body_pose_at(w->model, w->state, w->state->points, waypoint->body);
  const rl_vec3 z = {0.0, 0.0, part->shape == RL_SPHERE ? 0.0 : 1.0};
  return rl_rotate(at.rotation, rl_rotate(part->rotation, z));
}

static rl_vec3 loop_centre(const rl_wrapping *w, const rl_rope_definition *d, size_t k) {
  return waypoint_centre(w->model, w->state, &w->model->ropes[w->rope], d, k % d->waypoint_count);
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
  const rl_part *part = &w->model->bodies[waypoint->body].parts[part_of(waypoint)];
  const double radius = part->radius + w->model->ropes[w->rope].radius;
  const rl_vec3 turning = loop_turning(w, d, k % d->waypoint_count, normal);
  return rl_add_scaled(centre, radius, rl_unit(rl_cross(along, turning)));
}

// Sets the list of a loop, from its seam on the straight piece before the first waypoint.
static void put_loop(rl_wrapping *w, const rl_rope_definition *d) {
  rl_path_item *items = w->path.items;
  const rl_vec3 normal = loop_normal(w, d), none = {0.0, 0.0, 0.0};
  const size_t last = d->waypoint_count - 1;
  const rl_vec3 along = rl_sub(loop_centre(w, d, 0), loop_centre(w, d, last));
  const rl_vec3 seam = rl_scale(
      0.5, rl_add(loop_tangent(w, d, last, along, normal), loop_tangent(w, d, 0, along, normal)));
  items[0] = (rl_path_item){.kind = RL_PATH_POINT, .part = RL_NONE, .at = seam};
  w->path.count = 1;
  for (size_t k = 0; k < d->waypoint_count; k++) {
    const rl_waypoint *waypoint = &d->waypoints[k];
    if (waypoint->is_eye) {
      items[w->path.count++] =
          (rl_path_item){.kind = RL_PATH_POINT, .part = RL_NONE, .at = loop_centre(w, d, k)};
      continue;
    }
    const round_body round = {.body = waypoint->body,
                              .part = part_of(waypoint),
                              .side = none,
                              .turning = loop_turning(w, d, k, normal)};
    put_round(w, w->path.count, &round, waypoint->turns);
  }
  items[w->path.count++] = items[0];
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
      return refuse_ball(w, d->waypoints[k].body, k, item, turning, fault);
    }
  }
  return true;
}

static double lay_loop(const rl_model *model, const rl_definition *definition, rl_state *state,
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
  if (!check_clear(&w, definition, fault)) {
    return NAN;
  }
  rl_wraps_adopt(&w);
  state->seams[index] = w.path.items[0].at;
  length = rl_wrap_solve_path(model, state, index, state->points);
  rl_wraps_share_rest(model, state, index, length);
  rl_wraps_rotate_loop(model, state, index);
  return rl_wrap_solve_path(model, state, index, state->points);
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
  if (!check_turns(model, definition, index, fault) ||
      !rl_wraps_check_points(model, definition, state, index, fault)) {
    return NAN;
  }
  if (rl_wraps_is_loop(model, index)) {
    return lay_loop(model, definition, state, index, fault);
  }
  rl_wrap_solve_path(model, state, index, state->points);
  rl_wrapping w = rl_wraps_open(model, state, index);
  if (!lay_waypoints(&w, definition, fault) || !check_sides(&w, definition, fault)) {
    return NAN;
  }
  pass_all_parts(&w, definition);
  if (!check_passed(&w, definition, fault) || !check_clear(&w, definition, fault)) {
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
