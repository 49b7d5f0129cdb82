// SPDX-License-Identifier: GPL-3.0-or-later
// New wraps on parts that pieces run into, falls of the rope, and changes of features.
#include "../trigonometry.h"
#include "wrap_internal.h"

#include <string.h>

static bool is_same(const rl_path_item *a, const rl_path_item *b) {
  return a->part == b->part && a->feature == b->feature;
}

// There are four ways to lead the rope round a part that a piece has run into. Each of the
// functions below changes the list, and returns false if it finds no path.

// Leads the rope over the ball or the side of the part.
static bool wrap_side(rl_wrapping *w, size_t piece, const rl_hit *found,
                      const rl_swept_piece *swept) {
  rl_path_item *items = w->path.items;
  const uint32_t solid = rl_wraps_solid(w, found->body, found->part);
  const rl_path_solid *s = &w->state->solids[solid];
  if (rl_is_polyhedron(s->part->shape) || w->path.count == w->path.capacity) {
    return false;
  }
  // The first guess of the hinges: from the deepest point of the piece, moved to the surface on the
  // side from which the piece came.
  rl_surface surface;
  const rl_body_pose at = rl_body_pose_at(w->model, w->state, w->state->points, found->body);
  const double share =
      rl_shape_segment(&w->model->bodies[found->body].parts[found->part], at.centre, at.rotation,
                       swept->to[0], swept->to[1], &surface);
  const rl_vec3 deepest = rl_add_scaled(swept->to[0], share, rl_sub(swept->to[1], swept->to[0]));
  const rl_vec3 touch = rl_add_scaled(
      deepest, rl_dot(surface.normal, found->side) * (s->part->radius * 1e-3 - surface.distance),
      found->side);
  memmove(&items[piece + 2], &items[piece + 1], (w->path.count - piece - 1) * sizeof *items);
  w->path.count++;
  rl_path_item *item = &items[piece + 1];
  *item = (rl_path_item){.part = solid, .feature = RL_FEATURE_SIDE, .sense = 1.0};
  rl_path_place(item, s);
  const rl_vec3 turning = rl_cross(found->side, rl_sub(swept->to[1], swept->to[0]));
  item->sense = rl_dot(item->axis, turning) < 0.0 ? -1.0 : 1.0;
  item->hinge = rl_scale(0.5, rl_add(touch, swept->to[1]));
  items[piece].hinge = rl_scale(0.5, rl_add(swept->to[0], touch));
  const double length = rl_path_solve(items, w->path.count, NULL);
  return !isnan(length) && rl_wraps_is_settled(w, item);
}

// Adapts the features of the list by the rules of path_feature.c. Returns false if there is no
// path.
static bool adapt_features(rl_wrapping *w, double *length) {
  rl_path_outcome outcome = rl_path_adapt(&w->path, w->state->solids, w->solid_count, length);
  if (outcome == RL_PATH_FOUND && rl_path_leave_saddles(w->path.items, w->path.count)) {
    outcome = rl_path_adapt(&w->path, w->state->solids, w->solid_count, length);
  }
  return rl_path_is_found(outcome);
}

// Leads the rope by the rules of path_feature.c, from where the piece is now.
static bool adapt_to(rl_wrapping *w, size_t piece, const rl_hit *found,
                     const rl_swept_piece *swept) {
  (void)piece;
  (void)swept;
  double length;
  rl_wraps_solid(w, found->body, found->part);
  return adapt_features(w, &length);
}

// Leads the rope over the rim of a cylinder, if the piece has come over an end and cuts off a bit
// of the side: at the end of the cut that is deeper.
static bool wrap_rim(rl_wrapping *w, size_t piece, const rl_hit *found,
                     const rl_swept_piece *swept) {
  const uint32_t solid = rl_wraps_solid(w, found->body, found->part);
  const rl_path_solid *s = &w->state->solids[solid];
  rl_path_cut cut;
  if (s->part->shape != RL_CYLINDER || w->path.count == w->path.capacity ||
      !rl_path_cuts(s->part, rl_path_to_part(s, swept->to[0]), rl_path_to_part(s, swept->to[1]),
                    0.0, &cut)) {
    return false;
  }
  const uint32_t end = rl_path_to_part(s, rl_add(s->at, found->side)).z > 0.0 ? 1 : 0;
  const rl_vec3 deepest = fabs(cut.from.z) < fabs(cut.to.z) ? cut.from : cut.to;
  rl_path_item *item = &w->path.items[piece + 1];
  memmove(item + 1, item, (w->path.count - piece - 1) * sizeof *item);
  w->path.count++;
  *item = (rl_path_item){.part = solid, .feature = RL_FEATURE_RIM + end};
  item->along = rl_atan2(deepest.y, deepest.x);
  rl_path_place(item, s);
  return adapt_to(w, piece, found, swept);
}

// Winds the rope round the part, for a piece that has gone through it.
static bool wind_round(rl_wrapping *w, size_t piece, const rl_hit *found,
                       const rl_swept_piece *swept) {
  return rl_wraps_wind(w, piece, found->body, found->part, found->side, 0) &&
         adapt_to(w, piece, found, swept);
}

// Returns where the material point p that carries item i of the list was at the start of the step.
static rl_vec3 was_at(const rl_wrapping *w, const rl_state *before, size_t i, rl_vec3 p) {
  const rl_path_item *item = &w->path.items[i];
  if (item->part != RL_NONE) {
    const uint32_t body = w->state->solid_parts[item->part][0];
    return rl_wrap_to_world(
        rl_body_pose_at(w->model, before, before->points, body),
        rl_wrap_to_body(rl_body_pose_at(w->model, w->state, w->state->points, body), p));
  }
  // Ends and eyes keep their order, whatever is inserted between them.
  const rl_path_item *then = rl_path_items(before, w->rope);
  for (size_t k = 0; k < i; k++) {
    if (w->path.items[k].part == RL_NONE) {
      do {
        then++;
      } while (then->kind != RL_PATH_POINT);
    }
  }
  return rl_add(p, rl_sub(then->at, item->at));
}

// The least and the most by which the length of a way can have changed [m].
typedef struct range {
  double least, most;
} range;

// (15a) Returns by how much the way of the list, which is solved, can differ from that at the start
// of the step if the rope has come to it without a jump.
static range steady_change(const rl_wrapping *w, const rl_state *before) {
  const rl_path_item *items = w->path.items;
  double along = 0.0, moves = 0.0;
  for (size_t k = 0; k + 1 < w->path.count; k++) {
    const rl_vec3 x = items[k].exit, y = items[k + 1].entry;
    const rl_vec3 from = rl_sub(x, was_at(w, before, k, x));
    const rl_vec3 to = rl_sub(y, was_at(w, before, k + 1, y));
    along += rl_dot(items[k].out, rl_sub(to, from));
    moves += rl_length(rl_sub(to, from));
  }
  const double bent = rl_wrap_bent_share * moves;
  return (range){fmin(fmin(along, w->along), 0.0) - bent, fmax(fmax(along, w->along), 0.0) + bent};
}

// Returns the length of the list [m]; INFINITY if the rope does not lie on the part that it has
// met. A rope that falls may pass it over its end, or over other parts.
static double caught_length(rl_wrapping *w, const rl_hit *found, size_t count) {
  bool on = w->left != RL_NONE;
  for (size_t i = 1; i + 1 < w->path.count && !on; i++) {
    on = w->path.count > count && rl_wraps_is_on(w, &w->path.items[i], found->body, found->part);
  }
  return on ? rl_path_solve(w->path.items, w->path.count, NULL) : INFINITY;
}

// Whether an arc of the rope lies on a ball, or the rope on the edges of a polyhedron, on the side
// opposite to the one on which it met it. The list is solved.
static bool lies_behind(const rl_wrapping *w, const rl_hit *found) {
  bool behind = false;
  double on_side = 0.0;
  for (size_t i = 1; i + 1 < w->path.count; i++) {
    const rl_path_item *item = &w->path.items[i];
    if (!rl_wraps_is_on(w, item, found->body, found->part)) {
      continue;
    }
    if (item->kind == RL_PATH_SPHERE) {
      const rl_vec3 middle = rl_scale(0.5, rl_add(item->entry, item->exit));
      behind = behind || rl_dot(rl_sub(middle, item->at), found->side) < 0.0;
    } else if (item->kind == RL_PATH_LINE) {
      on_side += rl_dot(rl_sub(item->in, item->out), found->side);
    }
  }
  return behind || on_side < 0.0;
}

// Leads the rope round the part that a piece has met: the first of the four ways on which it lies
// on the side from which it came, and is no longer than it was or (15a) allows. If there is none,
// the first possible one on that side, or else on the other. A rope that falls is wound round, and
// becomes no longer than before the fall. Returns false if no way is possible; then the list is as
// before.
static bool catch_hit(rl_wrapping *w, const rl_state *before, size_t piece, const rl_hit *found,
                      const rl_swept_piece *swept) {
  const size_t count = w->path.count, solids = w->solid_count;
  const double length = rl_path_solve(w->path.items, count, NULL);
  const double most = w->left != RL_NONE ? w->start
                                         : length * (1.0 + rl_longest_slip) +
                                               rl_wraps_motion_past(w, before, swept, found->body);
  static bool (*const ways[])(rl_wrapping *, size_t, const rl_hit *,
                              const rl_swept_piece *) = {wrap_side, adapt_to, wrap_rim, wind_round};
  enum { WAYS = sizeof ways / sizeof ways[0] };
  memcpy(w->state->old_items, w->path.items, count * sizeof *w->path.items);
  const bool is_polyhedron =
      rl_is_polyhedron(w->model->bodies[found->body].parts[found->part].shape);
  size_t longer = WAYS, behind = WAYS;
  for (size_t k = w->left == RL_NONE ? 0 : WAYS - 1; k < WAYS; k++) {
    const double now = ways[k](w, piece, found, swept) ? caught_length(w, found, count) : INFINITY;
    const bool is_possible = now <= most && (w->left != RL_NONE || now >= w->shortest);
    const bool is_behind =
        is_possible && is_polyhedron && w->left == RL_NONE && lies_behind(w, found);
    if (is_possible && !is_behind &&
        now <= fmax(length * (1.0 + rl_longest_slip), w->start + steady_change(w, before).most)) {
      return true;
    }
    longer = is_possible && !is_behind && longer == WAYS ? k : longer;
    behind = is_behind && behind == WAYS ? k : behind;
    rl_wraps_restore(w, count);
  }
  longer = longer < WAYS ? longer : behind;
  if (longer < WAYS) {
    return ways[longer](w, piece, found, swept);
  }
  if (w->left == RL_NONE && rl_wraps_mark_passed_parts(w, before)) {
    return catch_hit(w, before, piece, found, swept);
  }
  // A rope that falls and only grazes the part, or passes through, need not be led round it.
  w->solid_count = w->left != RL_NONE ? solids : w->solid_count;
  return false;
}

// Whether a piece is clear of the part that it has run into at the end of the step.
static bool is_clear(const rl_wrapping *w, const rl_hit *found, const rl_swept_piece *swept) {
  rl_surface surface;
  const rl_body_pose at = rl_body_pose_at(w->model, w->state, w->state->points, found->body);
  rl_shape_segment(&w->model->bodies[found->body].parts[found->part], at.centre, at.rotation,
                   swept->to[0], swept->to[1], &surface);
  return surface.distance > w->model->ropes[w->rope].radius;
}

// (24) Records the passage of a part that was met and left within the step, if it is the first one
// and the piece has moved by at least the inner radius: then the step was too long.
static void note_passage(const rl_wrapping *w, const rl_state *before, const rl_hit *found,
                         const rl_swept_piece *swept) {
  const double size = w->model->bodies[found->body].parts[found->part].inner;
  rl_passage *first = &w->state->passage;
  if (rl_wraps_motion_past(w, before, swept, found->body) >= size &&
      (first->until == 0.0 || found->passage.from < first->from)) {
    *first = found->passage;
  }
}

void rl_wraps_catch_hits(rl_wrapping *w, const rl_state *before, size_t piece,
                         const rl_swept_piece *swept) {
  const size_t count = w->path.count;
  rl_hit found = {.body = RL_NONE};
  if (!rl_wraps_find_hit(w, before, piece, swept, &found)) {
    return;
  }
  if (w->left == RL_NONE) {
    rl_wraps_note_piece_turn(w, before, swept, found.body, found.passage.from);
  }
  const bool is_caught = catch_hit(w, before, piece, &found, swept);
  // The rope has met the part and slipped off within the step, unless it falls: it lies behind the
  // part now, or on its other side.
  if (w->left == RL_NONE && w->state->slipped_off == before->slipped_off &&
      (is_caught ? lies_behind(w, &found) : is_clear(w, &found, swept))) {
    rl_wraps_note_slip(w->state, w->rope, found.body);
    note_passage(w, before, &found, swept);
  }
  if (!is_caught) {
    return;
  }
  const size_t come = w->path.count - count;
  if (w->path.count <= count ||
      !rl_wraps_is_on(w, &w->path.items[piece + 1], found.body, found.part) ||
      !rl_wraps_is_on(w, &w->path.items[piece + come], found.body, found.part)) {
    return; // other features have changed as well
  }
  const rl_vec3 entry = w->path.items[piece + 1].entry, exit = w->path.items[piece + come].exit;
  const double length = rl_distance(swept->to[0], entry);
  const double share = length / (length + rl_distance(exit, swept->to[1]));
  const rl_vec3 was = rl_add_scaled(swept->from[0], share, rl_sub(swept->from[1], swept->from[0]));
  const rl_swept_piece second = {
      {was, swept->from[1]}, {exit, swept->to[1]}, {RL_NONE, swept->carriers[1]}};
  const rl_swept_piece one = {
      {swept->from[0], was}, {swept->to[0], entry}, {swept->carriers[0], RL_NONE}};
  rl_wraps_catch_hits(w, before, piece + come, &second);
  rl_wraps_catch_hits(w, before, piece, &one);
}

// Returns the point of the old items first ... last - 1 that is farthest from the line a b.
static rl_vec3 farthest_old(const rl_path_item *old, size_t first, size_t last, rl_vec3 a,
                            rl_vec3 b) {
  rl_vec3 farthest = a;
  double most = 0.0;
  for (size_t k = 2 * first; k < 2 * last; k++) {
    const rl_path_item *item = &old[k / 2];
    const rl_vec3 p = k % 2 == 0 ? item->entry : item->exit;
    const double off = rl_length(rl_cross(rl_sub(p, a), rl_sub(b, a)));
    farthest = off > most ? p : farthest;
    most = fmax(most, off);
  }
  return farthest;
}

// Whether an end of the rope is inside a body.
static bool has_end_in(const rl_wrapping *w, uint32_t body) {
  const rl_body_pose at = rl_body_pose_at(w->model, w->state, w->state->points, body);
  const rl_path_item *ends[2] = {&w->path.items[0], &w->path.items[w->path.count - 1]};
  bool in = false;
  for (uint32_t part = 0; part < w->model->bodies[body].part_count; part++) {
    const rl_part *p = &w->model->bodies[body].parts[part];
    for (int k = 0; k < 2; k++) {
      const double distance = rl_shape_surface(p, at.centre, at.rotation, ends[k]->at).distance;
      in = in || distance < w->model->ropes[w->rope].radius;
    }
  }
  return in;
}

// Leads a rope that has fallen round the parts that its pieces go through and the old items did
// not, by the rules of path_feature.c, as far as its length stays below `most`. Not round the body
// that it has left if it goes through that because an end is inside.
static void clear_fallen(rl_wrapping *w, const rl_path_item *old, size_t old_count, double most) {
  if (w->left != RL_NONE && rl_wraps_goes_through(w, w->path.items, w->path.count, w->left) &&
      (w->run_over || has_end_in(w, w->left))) {
    for (size_t i = 0; i < w->solid_count; i++) {
      w->state->solids[i].passed = w->state->solid_parts[i][0] == w->left;
    }
  }
  for (size_t known = SIZE_MAX; known != w->solid_count;) {
    const size_t count = w->path.count;
    memcpy(w->state->old_items, w->path.items, count * sizeof *w->path.items);
    double length;
    if (!adapt_features(w, &length) || length > most) {
      rl_wraps_restore(w, count);
    }
    known = w->solid_count;
    rl_wraps_find_cut_parts(w, old, old_count);
  }
}

void rl_wraps_fall(rl_wrapping *w, size_t old_count, uint32_t left) {
  rl_path_item *old = w->state->left_items;
  const rl_path_item *items = w->path.items;
  memcpy(old, w->state->old_items, old_count * sizeof *old);
  const size_t count = w->path.count, shorter = count < old_count ? count : old_count;
  w->lost = left;
  if (rl_path_leave_saddles(w->path.items, w->path.count) &&
      isnan(rl_path_solve(w->path.items, count, NULL))) {
    return; // without that body there is no way round the others
  }
  w->start = w->along = 0.0;
  for (size_t k = 0; k < old_count; k++) {
    w->start += old[k].piece + old[k].arc;
  }
  size_t first = 0, same = 0; // numbers of unchanged items at the start and at the end of the list
  while (first + 1 < shorter && is_same(&old[first], &items[first])) {
    first++;
  }
  while (same < shorter - first && is_same(&old[old_count - 1 - same], &items[count - 1 - same])) {
    same++;
  }
  const rl_vec3 from =
      farthest_old(old, first, old_count - same, items[first - 1].exit, items[count - same].entry);
  w->left = left;
  for (size_t piece = count - same; piece-- > first - 1;) {
    if (piece + 1 >= w->path.count) {
      continue; // the list has become shorter
    }
    const rl_swept_piece swept = {{from, from},
                                  {w->path.items[piece].exit, w->path.items[piece + 1].entry},
                                  {RL_NONE, RL_NONE}};
    rl_wraps_catch_hits(w, w->state, piece, &swept);
  }
  clear_fallen(w, old, old_count, w->start);
  w->left = RL_NONE;
}

// Whether the list has an item on the part of a wrap.
static bool lies_on_part(const rl_wrapping *w, const rl_wrap *wrap) {
  bool lies = wrap->body == RL_NONE;
  for (size_t k = 1; k + 1 < w->path.count && !lies; k++) {
    lies = rl_wraps_is_on(w, &w->path.items[k], wrap->body, wrap->part);
  }
  return lies;
}

// Whether the list has an item on the feature of an old item.
static bool lies_on_feature(const rl_wrapping *w, const rl_path_item *old) {
  bool lies = false;
  for (size_t k = 1; k + 1 < w->path.count && !lies; k++) {
    lies = is_same(old, &w->path.items[k]);
  }
  return lies;
}

// Returns the body that the rope has slipped off: the first one without any item in the list; else
// the first one without one of its features; else that of the first wrap.
static uint32_t body_left(const rl_wrapping *w, size_t old_count) {
  const rl_wrap *wraps = rl_wraps_of(w->model, w->state, w->rope);
  for (uint32_t i = 0; i < w->state->wrap_counts[w->rope]; i++) {
    if (!lies_on_part(w, &wraps[i])) {
      return wraps[i].body;
    }
  }
  for (size_t k = 1; k + 1 < old_count; k++) {
    const rl_path_item *old = &w->state->old_items[k];
    if (old->part != RL_NONE && !lies_on_feature(w, old)) {
      return w->state->solid_parts[old->part][0];
    }
  }
  return wraps[0].body;
}

// Whether the features of the list differ from those in old_items.
static bool has_changed(rl_wrapping *w, size_t old_count) {
  const rl_path_item *old = w->state->old_items;
  bool same = w->path.count == old_count;
  for (size_t k = 0; k < old_count && same; k++) {
    same = is_same(&old[k], &w->path.items[k]);
  }
  return !same;
}

// Leads the rope, which lies on other features now, round the parts that it goes through and did
// not before.
static void clear_changed(rl_wrapping *w, size_t old_count, double most) {
  rl_path_item *old = w->state->left_items;
  const size_t known = w->solid_count;
  memcpy(old, w->state->old_items, old_count * sizeof *old);
  rl_wraps_find_cut_parts(w, old, old_count);
  if (w->solid_count > known) {
    clear_fallen(w, old, old_count, most);
  }
}

void rl_wraps_adapt(rl_wrapping *w, const rl_state *before) {
  if (rl_wraps_all_settled(w)) {
    return;
  }
  const size_t count = w->path.count;
  const double kept = rl_path_solve(w->path.items, count, NULL);
  double length;
  memcpy(w->state->old_items, w->path.items, count * sizeof *w->path.items);
  const bool is_found = adapt_features(w, &length);
  const range change = is_found ? steady_change(w, before) : (range){0.0, 0.0};
  const double most =
      is_found ? fmax(kept * (1.0 + rl_longest_slip), w->start + change.most) : kept;
  if (!is_found || !(length <= most)) {
    rl_wraps_restore(w, count);
    if (rl_wraps_mark_passed_parts(w, before)) {
      rl_wraps_adapt(w, before);
    }
    return;
  }
  const bool jumps = count > 2 && length < w->start * (1.0 - rl_longest_slip) + change.least &&
                     w->state->slipped_off == before->slipped_off;
  const uint32_t body = jumps ? body_left(w, count) : RL_NONE; // the old wraps are still there
  if (body != RL_NONE) {
    rl_wraps_note_slip(w->state, w->rope, body);
  }
  if (body != RL_NONE && length < w->shortest) {
    rl_wraps_fall(w, count, body);
  } else if (has_changed(w, count) || length < kept * (1.0 - rl_longest_slip)) {
    clear_changed(w, count, most);
  }
}
