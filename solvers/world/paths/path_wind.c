// SPDX-License-Identifier: GPL-3.0-or-later
// Winding: marks (points) are put on the surface all the way round, the rope is pulled tight over
// them, and they are removed one after the other.
#include "path_rules.h"

#include "../bodies/shape.h"
#include "../trigonometry.h"

#include <string.h>

// Height of marks over the surface, relative to the inner radius: a rope from a point much higher
// up would pass beside the part.
static const double lift = 1e-3;
enum { HALVINGS = 40 }; // bisections of a ray

// Returns the point on a ray from the middle that is a little above the surface, by bisection: the
// distance from a convex part grows along the ray once it is outside. So the marks of a plane lie
// round the section of the part by that plane.
static rl_vec3 surface_point(const rl_path_solid *solid, rl_vec3 middle, rl_vec3 direction) {
  rl_part centred = *solid->part;
  centred.at = rl_vec(0.0, 0.0, 0.0);
  centred.rotation = (rl_quat){0.0, 0.0, 0.0, 1.0};
  const double height = lift * centred.inner;
  double below = 0.0, above = 3.0 * centred.bound;
  for (int k = 0; k < HALVINGS; k++) {
    const double reach = 0.5 * (below + above);
    const rl_vec3 at = rl_add_scaled(middle, reach, direction);
    const bool over = rl_shape_surface(&centred, solid->at, solid->rotation, at).distance > height;
    below = over ? below : reach;
    above = over ? reach : above;
  }
  return rl_add_scaled(middle, above, direction);
}

rl_vec3 rl_path_beside(const rl_path_solid *solid, rl_vec3 side) {
  return surface_point(solid, rl_path_to_world(solid, rl_shape_middle(solid->part)), side);
}

// Marks at equal angles round an axis through the part, from where a tangent from the item before
// would touch a round part to where one to the item behind would.
typedef struct winding {
  rl_vec3 axis, begin; // the axis about which the rope turns, the direction of the first mark; unit
  double angle;        // between marks [rad]
  size_t first, count; // index of the first mark, and their number
} winding;

static rl_vec3 winding_direction(const winding *w, double k) {
  double s, c;
  rl_sincos(k * w->angle, &s, &c);
  return rl_add(rl_scale(c, w->begin), rl_scale(s, rl_cross(w->axis, w->begin)));
}

// For less than this angle a single mark on the given side is enough [rad].
static const double one_point = 2.3;

static winding find_winding(const rl_path *path, size_t after, const rl_path_solid *solid,
                            rl_vec3 side, uint32_t turns) {
  const rl_vec3 middle = rl_path_to_world(solid, rl_shape_middle(solid->part));
  const rl_vec3 p = path->items[after].exit, q = path->items[after + 1].entry;
  const rl_vec3 chord = rl_unit(rl_sub(q, p));
  winding w = {.first = after + 1};
  w.axis = rl_unit(rl_cross(side, chord));
  w.axis = rl_is_zero(w.axis) ? rl_any_across(chord) : w.axis;
  const rl_vec3 beside = rl_unit(rl_add_scaled(side, -rl_dot(side, chord), chord));
  rl_vec3 begin = rl_unit(rl_cross(w.axis, rl_sub(p, middle)));
  rl_vec3 end = rl_unit(rl_cross(rl_sub(q, middle), w.axis));
  begin = rl_is_zero(begin) ? beside : begin;
  end = rl_is_zero(end) ? beside : end;
  double angle = rl_atan2(rl_dot(w.axis, rl_cross(begin, end)), rl_dot(begin, end));
  angle += angle < 0.0 && rl_dot(rl_sub(p, middle), beside) <= 0.0 ? 2.0 * RL_PI : 0.0;
  if (angle < one_point && turns == 0) {
    w.begin = beside;
    w.count = 1;
    return w;
  }
  angle = fmax(angle, 0.0) + 2.0 * RL_PI * turns;
  const double parts = floor(angle / (0.5 * RL_PI) + 0.999);
  w.begin = begin;
  w.count = (size_t)parts + 1;
  w.angle = parts > 0.0 ? angle / parts : 0.0;
  return w;
}

static bool is_mark(const rl_path_item *item) {
  return item->part == RL_NONE && item->feature == RL_NONE;
}

// Puts the marks in, each with the way out of the part there, and half way to its neighbours.
static bool put_marks(rl_path *path, const rl_path_solid *solid, const winding *w) {
  if (!rl_path_make_room(path, w->first, w->count)) {
    return false;
  }
  const rl_vec3 middle = rl_path_to_world(solid, rl_shape_middle(solid->part));
  const double quarter = w->angle > 0.0 ? 0.5 * RL_PI / w->angle : 0.0;
  for (size_t k = 0; k < w->count; k++) {
    const double before = k == 0 ? quarter : 1.0, after = k + 1 == w->count ? quarter : 1.0;
    rl_path_item *item = &path->items[w->first + k];
    *item = (rl_path_item){.kind = RL_PATH_POINT, .part = RL_NONE, .feature = RL_NONE};
    item->axis = winding_direction(w, (double)k);
    item->side = winding_direction(w, (double)k - 0.5 * before);
    item->reference = winding_direction(w, (double)k + 0.5 * after);
    item->at = item->entry = item->exit = surface_point(solid, middle, item->axis);
  }
  return true;
}

// Leads the pieces beside marks out of the part, and pulls the rope tight.
static rl_path_outcome clear_marks(rl_path *block, const rl_path_scene *s, uint32_t part,
                                   double *length) {
  // Backwards, so that insertions do not move the pieces still to do.
  for (size_t i = block->count - 1; i-- > 0;) {
    const rl_path_item *a = &block->items[i], *b = a + 1;
    const rl_vec3 hint = is_mark(b) ? b->side : a->reference;
    if ((is_mark(a) || is_mark(b)) &&
        rl_path_clear_piece(block, s, i, part, &hint) == RL_PATH_NO_ROOM) {
      return RL_PATH_FULL;
    }
  }
  return rl_path_settle(block, s, length);
}

// Removes the marks between the ends one after the other, pulling the rope tight each time.
static rl_path_outcome take_marks(rl_path *block, const rl_path_scene *s, uint32_t part,
                                  double *length) {
  for (size_t i = 1; i + 1 < block->count; i++) {
    if (!is_mark(&block->items[i])) {
      continue;
    }
    const rl_vec3 hint = block->items[i].axis;
    rl_path_remove(block, i, 1);
    if (!rl_path_merge_at(block, s, i - 1) &&
        rl_path_clear_piece(block, s, i - 1, part, &hint) == RL_PATH_NO_ROOM) {
      return RL_PATH_FULL;
    }
    const rl_path_outcome outcome = rl_path_settle(block, s, length);
    if (!rl_path_is_found(outcome)) {
      return outcome;
    }
    i = 0;
  }
  return RL_PATH_FOUND;
}

// A mark is a point, up to which the rope does not depend on what lies beyond. So blocks of so many
// marks, and the mark behind them, are pulled tight by themselves.
enum { BLOCK = 10 };

// Takes the marks inside the blocks away, those between blocks stay. What is behind a block waits
// at the end of the room, so that nothing moves with every insertion. `first`: the pieces are not
// clear of the part yet.
static rl_path_outcome pull_blocks(rl_path *path, const rl_path_scene *s, uint32_t part, bool first,
                                   double *length) {
  rl_path_item *items = path->items, *end = items + path->capacity;
  rl_path_outcome outcome = RL_PATH_FOUND;
  size_t begin = 0, behind = path->count - 1; // where the block begins; how many wait
  memmove(end - behind, items + 1, behind * sizeof *items);
  while (behind > 0 && rl_path_is_found(outcome)) {
    const rl_path_item *next = end - behind;
    size_t count = 0;
    for (size_t marks = 0; count < behind && marks <= BLOCK; count++) {
      marks += is_mark(&next[count]) ? 1 : 0;
    }
    memmove(items + begin + 1, next, count * sizeof *items);
    behind -= count;
    rl_path block = {items + begin, count + 1, path->capacity - begin - behind, 0, 0, NULL};
    outcome = first ? clear_marks(&block, s, part, length) : RL_PATH_FOUND;
    outcome = rl_path_is_found(outcome) ? take_marks(&block, s, part, length) : outcome;
    path->changes += block.changes;
    path->iterations += block.iterations;
    begin += block.count - 1;
  }
  memmove(items + begin + 1, end - behind, behind * sizeof *items);
  path->count = begin + 1 + behind;
  return outcome;
}

rl_path_outcome rl_path_wind(rl_path *path, size_t after, const rl_path_solid *solids,
                             size_t solid_count, uint32_t part, rl_vec3 side, uint32_t turns,
                             double *length) {
  const rl_path_scene s = {solids, solid_count};
  path->changes = path->iterations = 0;
  if (isnan(rl_path_solve(path->items, path->count, &path->iterations))) {
    return RL_PATH_NONE;
  }
  const winding w = find_winding(path, after, &solids[part], side, turns);
  if (!put_marks(path, &solids[part], &w)) {
    return RL_PATH_FULL;
  }
  rl_path_outcome outcome = RL_PATH_FOUND;
  for (size_t marks = w.count; marks > 0 && rl_path_is_found(outcome); marks /= BLOCK + 1) {
    outcome = pull_blocks(path, &s, part, marks == w.count, length);
  }
  return outcome;
}

// ---------------------------------------------------------------------------------------------
// Routes of a taut rope

typedef struct nearest_route {
  rl_vec3 turning; // wanted, unit
  double cosine;   // of the angle between that and the turning of the route
  rl_path_route route;
} nearest_route;

static void keep_nearest(const rl_path_route *route, void *data) {
  nearest_route *nearest = data;
  const double cosine = rl_dot(rl_unit(route->turning), nearest->turning);
  if (cosine > nearest->cosine) {
    nearest->cosine = cosine;
    nearest->route = *route;
  }
}

void rl_path_put_round(rl_path_item *item, const rl_path_solid *solids, uint32_t part,
                       rl_vec3 turning) {
  *item = (rl_path_item){.part = part, .feature = RL_FEATURE_SIDE, .sense = 1.0, .side = turning};
  rl_path_place(item, &solids[part]);
  item->sense = rl_dot(item->axis, turning) < 0.0 ? -1.0 : 1.0;
  item->entry = item->exit = item->at;
}

// Returns the angle at the axis of a round item between a place, `at` from the axis, and the point
// where a tangent from there touches it [rad].
static double tangent_angle(const rl_path_item *item, rl_vec3 at) {
  return rl_atan2(sqrt(fmax(rl_dot(at, at) - item->radius * item->radius, 0.0)), item->radius);
}

void rl_path_guess_wrap(rl_path_item *item, double turns) {
  static const double in_line = 1e-9; // seen from the axis, so that no rounding is a full turn
  const rl_vec3 axis =
      item->kind == RL_PATH_SPHERE ? item->side : rl_scale(item->sense, item->axis);
  rl_vec3 p = rl_sub(item[-1].exit, item->at), q = rl_sub(item[1].entry, item->at);
  p = rl_add_scaled(p, -rl_dot(p, axis), axis);
  q = rl_add_scaled(q, -rl_dot(q, axis), axis);
  double angle = rl_atan2(rl_dot(axis, rl_cross(p, q)), rl_dot(p, q));
  angle += angle < -in_line ? 2.0 * RL_PI : 0.0;
  item->wrap = angle - tangent_angle(item, p) - tangent_angle(item, q) + 2.0 * RL_PI * turns;
}

static void put_edges(rl_path_item *items, const rl_path_scene *s, uint32_t part,
                      const rl_path_route *route) {
  for (uint32_t k = 0; k < route->count; k++) {
    rl_path_set_item(&items[k], s, part, route->edges[k]);
    items[k].along = route->along[k];
    items[k].entry = items[k].exit = rl_add_scaled(items[k].at, items[k].along, items[k].axis);
  }
}

rl_path_outcome rl_path_lead(rl_path *path, size_t after, const rl_path_solid *solids,
                             size_t solid_count, uint32_t part, rl_vec3 turning, uint32_t turns,
                             double *length) {
  const rl_path_scene s = {solids, solid_count};
  nearest_route nearest = {.turning = rl_unit(turning), .route = {.count = 1}};
  path->changes = path->iterations = 0;
  const bool faceted = rl_is_polyhedron(solids[part].part->shape);
  if (faceted) {
    rl_path_find_routes(&solids[part], path->items[after].exit, path->items[after + 1].entry,
                        keep_nearest, &nearest);
  }
  if (faceted && !(nearest.cosine > 0.0)) {
    return RL_PATH_NONE;
  }
  if (!rl_path_make_room(path, after + 1, nearest.route.count)) {
    return RL_PATH_FULL;
  }
  if (faceted) {
    put_edges(&path->items[after + 1], &s, part, &nearest.route);
  } else {
    rl_path_put_round(&path->items[after + 1], solids, part, nearest.turning);
    rl_path_guess_wrap(&path->items[after + 1], turns);
  }
  return rl_path_settle(path, &s, length);
}

rl_vec3 rl_path_turning(const rl_path *path, uint32_t part) {
  rl_vec3 sum = rl_vec(0.0, 0.0, 0.0);
  for (size_t i = 1; i + 1 < path->count; i++) {
    const rl_path_item *item = &path->items[i];
    const rl_vec3 turn = item->kind == RL_PATH_SPHERE ? rl_scale(item->turn, item->side)
                         : item->kind == RL_PATH_CYLINDER
                             ? rl_scale(item->turn * item->sense, item->axis)
                             : rl_cross(item->in, item->out);
    sum = item->part == part ? rl_add(sum, turn) : sum;
  }
  return sum;
}
