// SPDX-License-Identifier: GPL-3.0-or-later
#include "wrap.h"

#include "../trigonometry.h"
#include "wrap_internal.h"

#include <stddef.h>
#include <string.h>

// Relative to the length of a loop: the iteration for its seam (L1) ends when the seam moves less.
static const double closed = 1e-14;
enum { MOST_CLOSINGS = 30 };

uint64_t rl_wraps_hash(const rl_model *model, const rl_state *state) {
  uint64_t hash = RL_HASH_START;
  for (uint32_t r = 0; r < model->rope_count; r++) {
    const rl_wrap *wraps = rl_wraps_of(model, state, r);
    hash = rl_hash_word(hash, state->wrap_counts[r]);
    for (uint32_t i = 0; i < state->wrap_counts[r]; i++) {
      const uint32_t how = wraps[i].grip + (wraps[i].held ? 4U : 0U) + (wraps[i].yields ? 8U : 0U);
      const uint32_t words[4] = {wraps[i].body, wraps[i].part, wraps[i].feature, how};
      for (size_t k = 0; k < 4; k++) {
        hash = rl_hash_word(hash, words[k]);
      }
    }
  }
  return hash;
}

// ---------------------------------------------------------------------------------------------
// Items of the path

rl_part rl_wrap_grown_part(const rl_part *part, double radius) {
  rl_part grown = *part;
  grown.radius += radius;
  grown.length += part->shape == RL_CYLINDER ? 2.0 * radius : 0.0;
  grown.bound += 2.0 * radius;
  return grown;
}

// Zeroes an item except for its node, which a solve writes before it reads.
static void clear_item(rl_path_item *item) { memset(item, 0, offsetof(rl_path_item, node)); }

static void put_point(rl_path_item *item, rl_vec3 at) {
  clear_item(item);
  item->kind = RL_PATH_POINT;
  item->part = RL_NONE;
  item->at = at;
}

// Says which body holds an item, if this and another can be pressed together there.
static void put_holder(const rl_model *model, uint32_t body, rl_path_item *item) {
  if (body != RL_NONE && model->bodies[body].part_count > 0 && model->bodies[body].collide) {
    const rl_motion motion = model->bodies[body].motion;
    item->holder = body + 1;
    item->moves = motion == RL_FREE || motion == RL_AXLE;
  }
}

// Whether the path goes round a ball on the side on which it was.
static bool keeps_side(const rl_state *state, const rl_wrap *wrap) {
  return wrap->held || state->continues_paths;
}

static void put_wrap(const rl_model *model, const rl_state *state, const rl_rope *rope,
                     const rl_wrap *wrap, const rl_point *points, rl_path_item *item) {
  if (wrap->body == RL_NONE) {
    put_point(item, rl_vertex_position(model, state, model->eyes[wrap->part], points));
    return;
  }
  const rl_body_pose at = rl_body_pose_at(model, state, points, wrap->body);
  const rl_part *part = rl_wrap_part(model, wrap);
  rl_part grown;
  if (rope->radius > 0.0) {
    grown = rl_wrap_grown_part(part, rope->radius);
    part = &grown;
  }
  const rl_path_solid solid = rl_path_solid_of(part, at.centre, at.rotation);
  clear_item(item);
  item->feature = wrap->feature;
  item->sense = wrap->sense;
  item->wrap = wrap->angle;
  item->along = wrap->along;
  item->continues = state->continues_paths;
  put_holder(model, wrap->body, item);
  rl_path_place(item, &solid);
  // The solve may start from any side of a ball, for only one way is shortest. The old side is the
  // reference for the case that all are equally long. A path that is continued goes on past half a
  // turn.
  item->held = wrap->held;
  if (keeps_side(state, wrap)) {
    item->side = rl_rotate(at.rotation, wrap->side);
  } else if (item->kind == RL_PATH_SPHERE) {
    item->reference = rl_rotate(at.rotation, wrap->side);
  }
  if (!rl_is_zero(wrap->hinge)) {
    item->hinge = rl_wrap_to_world(at, wrap->hinge);
  }
}

void rl_wrap_keep(const rl_model *model, const rl_state *state, rl_wrap *wrap,
                  const rl_path_item *item) {
  if (wrap->body == RL_NONE) {
    return;
  }
  const rl_body_pose at = rl_body_pose_at(model, state, state->points, wrap->body);
  wrap->sense = item->sense;
  wrap->angle = item->wrap;
  wrap->along = item->along;
  if (!wrap->held) { // a rope that is held keeps its plane
    wrap->side = rl_rotate_inverse(at.rotation, item->side);
    wrap->held = item->held;
  }
  wrap->hinge = rl_is_zero(item->hinge) ? item->hinge : rl_wrap_to_body(at, item->hinge);
}

static inline rl_vec3 end_position(const rl_model *model, const rl_state *state, uint32_t slot,
                                   const rl_point *points) {
  return rl_moving_hold(model, slot)
             ? rl_vertex_position(model, state, rl_node_vertex(model, slot), points)
             : rl_position(&points[slot]);
}

double rl_wraps_close(rl_path_item *items, size_t count) {
  rl_path_item *first = &items[0], *last = &items[count - 1];
  double length = rl_path_solve(items, count, NULL), moved = INFINITY;
  for (int k = 0; k < MOST_CLOSINGS && moved > closed * length; k++) {
    const rl_vec3 seam = rl_scale(0.5, rl_add(items[count - 2].exit, items[1].entry));
    moved = rl_distance(seam, first->at);
    first->at = last->at = seam;
    length = rl_path_solve(items, count, NULL);
  }
  return length;
}

// Keeps an input, of whole words of 64 bits; returns the bits in which it differs from the one kept
// before. If no input of a path differs, a solve would find the path that is known.
static inline uint64_t keep(void *kept, const void *now, size_t bytes) {
  uint64_t changed = 0;
  for (size_t at = 0; at < bytes; at += sizeof changed) {
    uint64_t was, is;
    memcpy(&was, (char *)kept + at, sizeof was);
    memcpy(&is, (const char *)now + at, sizeof is);
    changed |= was ^ is;
  }
  memcpy(kept, now, bytes);
  return changed;
}

// Keeps the position and orientation of what is at a slot.
static inline uint64_t keep_place(const rl_model *model, const rl_state *state,
                                  const rl_point *points, uint32_t slot, rl_path_input *kept) {
  if (slot == RL_NONE) {
    return 0;
  }
  uint64_t changed = keep(&kept->at, &points[slot], sizeof kept->at);
  const rl_body *body = rl_slot_body(model, slot);
  if (body) {
    const rl_quat *rotation = &state->rotations[slot - model->node_count];
    changed |= keep(&kept->rotation, rotation, sizeof *rotation);
  }
  if (body && body->spin_slot != RL_NONE) {
    changed |= keep(&kept->turn, &points[body->spin_slot], sizeof kept->turn);
  }
  return changed;
}

static inline uint64_t keep_wrap(const rl_model *model, const rl_state *state,
                                 const rl_point *points, const rl_wrap *wrap, rl_path_input *kept) {
  const uint32_t lies_on[] = {wrap->body, wrap->part, wrap->feature, state->continues_paths};
  const double begin[] = {wrap->sense, wrap->angle, wrap->along};
  const rl_vec3 side = keeps_side(state, wrap) ? wrap->side : rl_vec(0.0, 0.0, 0.0);
  const uint32_t slot =
      wrap->body == RL_NONE ? model->eyes[wrap->part].slot : rl_body_slot(model, wrap->body);
  return keep(kept->lies_on, lies_on, sizeof lies_on) | keep(kept->begin, begin, sizeof begin) |
         keep(&kept->hinge, &wrap->hinge, sizeof wrap->hinge) |
         keep(&kept->side, &side, sizeof side) | keep_place(model, state, points, slot, kept);
}

// Keeps the inputs of the path of a rope; returns whether the path is already solved for them.
static bool keep_inputs(const rl_model *model, const rl_state *state, uint32_t index,
                        const rl_point *points) {
  const uint32_t *ends = model->ropes[index].ends;
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  const uint32_t count = state->wrap_counts[index];
  rl_path_input *inputs = &state->inputs[rl_path_items(state, index) - state->items];
  uint64_t changed = state->solved[index] ^ (count + 2);
  for (uint32_t i = 0; i < count; i++) {
    changed |= keep_wrap(model, state, points, &wraps[i], &inputs[i + 1]);
  }
  if (rl_wraps_is_loop(model, index)) {
    return (changed | keep(&inputs[0].at, &state->seams[index], sizeof inputs[0].at)) == 0;
  }
  for (uint32_t end = 0; end < 2; end++) {
    const rl_vec3 at = end_position(model, state, ends[end], points);
    changed |= keep(&inputs[end * (count + 1)].at, &at, sizeof at);
  }
  return changed == 0;
}

// Sets the items of a rope at trial positions. Returns their number.
static size_t put_items(const rl_model *model, const rl_state *state, uint32_t index,
                        const rl_point *points) {
  rl_path_item *items = rl_path_items(state, index);
  const rl_rope *rope = &model->ropes[index];
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  const uint32_t count = state->wrap_counts[index];
  const bool is_loop = rl_wraps_is_loop(model, index);
  put_point(&items[0],
            is_loop ? state->seams[index] : end_position(model, state, rope->ends[0], points));
  for (uint32_t i = 0; i < count; i++) {
    put_wrap(model, state, rope, &wraps[i], points, &items[i + 1]);
  }
  put_point(&items[count + 1],
            is_loop ? state->seams[index] : end_position(model, state, rope->ends[1], points));
  return (size_t)count + 2;
}

// Solves the path of an open rope, of a saddle the one round the other side; nan if that has ended
// there.
static double solve_open(rl_path_item *items, size_t count) {
  const double length = rl_path_solve(items, count, NULL);
  return !isnan(length) && rl_path_leave_saddles(items, count) ? rl_path_solve(items, count, NULL)
                                                               : length;
}

double rl_wrap_solve_path(const rl_model *model, const rl_state *state, uint32_t index,
                          const rl_point *points) {
  if (!keep_inputs(model, state, index, points)) {
    rl_path_item *items = rl_path_items(state, index);
    const size_t count = put_items(model, state, index, points);
    const double length =
        rl_wraps_is_loop(model, index) ? rl_wraps_close(items, count) : solve_open(items, count);
    state->path_lengths[index] = length;
    state->solved[index] = (uint32_t)count; // also if there is no path
  }
  return state->path_lengths[index];
}

void rl_wrap_mark_path_solved(const rl_model *model, const rl_state *state, uint32_t index) {
  const rl_path_item *items = rl_path_items(state, index);
  const uint32_t count = state->wrap_counts[index];
  for (uint32_t i = 1; i <= count; i++) {
    const bool slides = items[i].kind == RL_PATH_LINE || items[i].kind == RL_PATH_CIRCLE;
    if (slides || (rl_path_is_round(&items[i]) && rl_path_is_round(&items[i + 1]))) {
      return; // no closed form: Newton's method would continue from there
    }
  }
  keep_inputs(model, state, index, state->points);
  state->solved[index] = count + 2;
}

double rl_wrap_lay_path(const rl_model *model, const rl_state *state, uint32_t index,
                        const rl_point *points, double time) {
  state->solved[index] = 0;
  const size_t count = put_items(model, state, index, points);
  return rl_path_lay(rl_path_items(state, index), state->old_items, count, time);
}

void rl_wraps_solve_paths(const rl_model *model, const rl_state *state) {
  for (uint32_t r = 0; r < model->rope_count && model->wrap_capacity > 0; r++) {
    if (model->ropes[r].wrap_capacity > 0 && state->wrap_counts[r] > 0) {
      rl_wrap_solve_path(model, state, r, state->points);
    }
  }
}

// ---------------------------------------------------------------------------------------------
// Marks and lengths

// The middle of the arc on a round item: the axis about which the rope turns there, the direction
// of the middle from that axis (unit), and its height along it [m].
typedef struct arc_middle {
  rl_vec3 axis, radial;
  double height;
} arc_middle;

static arc_middle middle_of(rl_path_item *item) {
  arc_middle m = {.axis = item->kind == RL_PATH_SPHERE ? item->side
                                                       : rl_scale(item->sense, item->axis)};
  if (item->has_middle) {
    m.radial = item->middle;
    m.height = item->middle_height;
    return m;
  }
  const rl_vec3 entry = rl_sub(item->entry, item->at), exit = rl_sub(item->exit, item->at);
  const rl_vec3 radial = rl_unit(rl_add_scaled(entry, -rl_dot(entry, m.axis), m.axis));
  double s, c;
  rl_sincos(0.5 * item->wrap, &s, &c);
  m.radial = rl_add(rl_scale(c, radial), rl_scale(s, rl_cross(m.axis, radial)));
  m.height = 0.5 * (rl_dot(entry, m.axis) + rl_dot(exit, m.axis));
  item->has_middle = true;
  item->middle = m.radial;
  item->middle_height = m.height;
  return m;
}

bool rl_wrap_has_slipped_off(const rl_model *model, const rl_state *state, const rl_wrap *wrap,
                             const rl_path_item *item) {
  if (item->kind != RL_PATH_SPHERE) {
    return false;
  }
  const rl_body_pose at = rl_body_pose_at(model, state, state->points, wrap->body);
  return rl_dot(rl_rotate(at.rotation, wrap->side), item->side) < 0.0;
}

// (4a) Returns a mark on a ball, relative to the centre, turned with the plane of the rope, whose
// normal was `before`, about the line in which both planes intersect. At half a turn, where they
// coincide, the mark is mirrored in the plane across the middle of the arc.
static rl_vec3 turned_with(rl_vec3 mark, rl_vec3 before, const arc_middle *now) {
  static const double opposite = 1e-12;
  const rl_vec3 across = rl_cross(before, now->axis);
  const double share = 1.0 + rl_dot(before, now->axis);
  if (share < opposite) {
    return rl_add_scaled(mark, -2.0 * rl_dot(mark, now->radial), now->radial);
  }
  const rl_vec3 once = rl_cross(across, mark);
  return rl_add(rl_add(mark, once), rl_scale(1.0 / share, rl_cross(across, once)));
}

void rl_wrap_turn_plane(rl_wrap *wrap, rl_vec3 centre, rl_vec3 normal) {
  const rl_vec3 mark =
      turned_with(rl_sub(wrap->mark, centre), wrap->side, &(const arc_middle){.axis = normal});
  wrap->mark = rl_add(centre, mark);
  wrap->side = normal;
}

// (4) Friction holds the rope along itself only: where the rope has moved sideways, the length is
// counted to its point nearest to the mark.
double rl_wrap_before_mark(const rl_model *model, const rl_state *state, const rl_wrap *wrap,
                           rl_path_item *item, const rl_point *points) {
  if (wrap->body == RL_NONE) {
    return 0.0;
  }
  const rl_body_pose at = rl_body_pose_at(model, state, points, wrap->body);
  const rl_vec3 marked = rl_wrap_to_world(at, wrap->mark);
  if (!rl_path_is_round(item)) { // on an edge, with which both directions make the same angle
    return 0.5 * rl_dot(rl_add(item->in, item->out), rl_sub(marked, item->entry));
  }
  const arc_middle middle = middle_of(item);
  rl_vec3 mark = rl_sub(marked, item->at);
  if (item->kind == RL_PATH_SPHERE) {
    mark = turned_with(mark, rl_rotate(at.rotation, wrap->side), &middle);
  }
  const double angle =
      rl_atan2(rl_dot(mark, rl_cross(middle.axis, middle.radial)), rl_dot(mark, middle.radial));
  if (!(item->arc > 0.0) || item->kind == RL_PATH_SPHERE) {
    return 0.5 * item->arc + item->radius * angle;
  }
  const double round = item->radius * item->wrap / item->arc;
  const double rise = rl_dot(rl_sub(item->exit, item->entry), middle.axis) / item->arc;
  return 0.5 * item->arc + item->radius * angle * round +
         (rl_dot(mark, middle.axis) - middle.height) * rise;
}

void rl_wrap_mark_middle(const rl_model *model, const rl_state *state, rl_wrap *wrap,
                         rl_path_item *item) {
  if (wrap->body == RL_NONE) {
    return;
  }
  const rl_body_pose at = rl_body_pose_at(model, state, state->points, wrap->body);
  if (!rl_path_is_round(item)) {
    wrap->mark = rl_wrap_to_body(at, item->entry);
    return;
  }
  const arc_middle middle = middle_of(item);
  const rl_vec3 foot = rl_add_scaled(item->at, middle.height, middle.axis);
  wrap->mark = rl_wrap_to_body(at, rl_add_scaled(foot, item->radius, middle.radial));
}

double rl_wrap_piece_rest(const rl_model *model, const rl_state *state, uint32_t index,
                          uint32_t piece) {
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  if (piece > 0) {
    return wraps[piece - 1].rest;
  }
  double rest = state->links[model->ropes[index].first_link].rest;
  for (uint32_t i = 0; i < state->wrap_counts[index]; i++) {
    rest -= wraps[i].rest;
  }
  return rest;
}

void rl_wrap_piece_ends(const rl_model *model, const rl_state *state, uint32_t index,
                        uint32_t piece, rl_vec3 ends[2]) {
  const rl_path_item *items = rl_path_items(state, index);
  const bool closes = piece == 0 && rl_wraps_is_loop(model, index);
  ends[0] = items[closes ? state->wrap_counts[index] : piece].exit;
  ends[1] = items[piece + 1].entry;
}

double rl_wrap_piece_length(const rl_model *model, const rl_state *state, uint32_t index,
                            uint32_t piece, const rl_point *points) {
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  rl_path_item *items = rl_path_items(state, index);
  const bool closes = piece == 0 && rl_wraps_is_loop(model, index);
  const uint32_t before = closes ? state->wrap_counts[index] : piece; // the item before it
  double length = items[piece].piece + (closes ? items[before].piece : 0.0);
  if (before > 0) {
    length += items[before].arc -
              rl_wrap_before_mark(model, state, &wraps[before - 1], &items[before], points);
  }
  if (piece < state->wrap_counts[index]) {
    length += rl_wrap_before_mark(model, state, &wraps[piece], &items[piece + 1], points);
  }
  return length;
}
