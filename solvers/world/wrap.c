// SPDX-License-Identifier: GPL-3.0-or-later
#include "wrap.h"

#include "definition.h"
#include "model_check.h"
#include "rows_internal.h"
#include "trigonometry.h"

#include <string.h>

// Of the size of a part: a straight piece that lies deeper in it has run into it; and one that lay
// deeper than this before was inside, and has not.
static const double touching = 1e-10;
static const double inside = 1e-6;

// Of a tension: friction that holds is not given up for less than this.
static const double grip_tolerance = 1e-10;

static rl_wrap *wraps_of(const rl_model *model, const rl_state *state, uint32_t rope) {
  return &state->wraps[model->ropes[rope].first_wrap];
}

// ---------------------------------------------------------------------------------------------
// Items of the path

static const rl_part *part_of(const rl_model *model, const rl_wrap *wrap) {
  return &model->bodies[wrap->body].parts[wrap->part];
}

static rl_vec3 in_world(rl_body_pose at, rl_vec3 p) {
  return rl_add(at.centre, rl_rotate(at.rotation, p));
}

static rl_vec3 in_body(rl_body_pose at, rl_vec3 p) {
  return rl_rotate_inverse(at.rotation, rl_sub(p, at.centre));
}

static rl_path_item item_of(const rl_model *model, const rl_state *state, const rl_rope *rope,
                            const rl_wrap *wrap, const rl_point *points) {
  if (wrap->body == RL_NONE) {
    return (rl_path_item){.kind = RL_PATH_POINT,
                          .at = rl_vertex_position(model, state, model->eyes[wrap->part], points)};
  }
  const rl_part *part = part_of(model, wrap);
  const rl_body_pose at = rl_body_pose_at(model, state, points, wrap->body);
  const rl_vec3 z = {0.0, 0.0, 1.0};
  rl_path_item item = {.kind = part->shape == RL_SPHERE ? RL_PATH_SPHERE : RL_PATH_CYLINDER,
                       .at = in_world(at, part->at),
                       .radius = part->radius + rope->radius,
                       .sense = wrap->sense,
                       .wrap = wrap->angle,
                       .along = wrap->along};
  if (item.kind == RL_PATH_CYLINDER) {
    item.axis = rl_rotate(at.rotation, rl_rotate(part->rotation, z));
  } // a ball has only one shortest way, whichever side the rope lay on
  if (!rl_is_zero(wrap->hinge)) {
    item.hinge = in_world(at, wrap->hinge);
  }
  return item;
}

// What a solve has found, as where the next one starts.
static void keep_item(const rl_model *model, const rl_state *state, rl_wrap *wrap,
                      const rl_path_item *item) {
  if (wrap->body == RL_NONE) {
    return;
  }
  const rl_body_pose at = rl_body_pose_at(model, state, state->points, wrap->body);
  wrap->angle = item->wrap;
  wrap->along = item->along;
  wrap->side = rl_rotate_inverse(at.rotation, item->side);
  wrap->hinge = rl_is_zero(item->hinge) ? item->hinge : in_body(at, item->hinge);
}

static rl_path_item end_item(const rl_model *model, const rl_state *state, uint32_t slot,
                             const rl_point *points) {
  return (rl_path_item){.kind = RL_PATH_POINT,
                        .at =
                            rl_vertex_position(model, state, rl_node_vertex(model, slot), points)};
}

double rl_wrap_path(const rl_model *model, const rl_state *state, uint32_t index,
                    const rl_point *points) {
  const rl_rope *rope = &model->ropes[index];
  const rl_wrap *wraps = wraps_of(model, state, index);
  const uint32_t count = state->wrap_counts[index];
  state->items[0] = end_item(model, state, rope->ends[0], points);
  for (uint32_t i = 0; i < count; i++) {
    state->items[i + 1] = item_of(model, state, rope, &wraps[i], points);
  }
  state->items[count + 1] = end_item(model, state, rope->ends[1], points);
  return rl_path_solve(state->items, count + 2, NULL);
}

// ---------------------------------------------------------------------------------------------
// How much rope there is where

static bool is_round(const rl_path_item *item) {
  return item->kind == RL_PATH_SPHERE || item->kind == RL_PATH_CYLINDER;
}

// The middle of the arc on a round item: its direction from the centre, across the axis that the
// rope turns about there, and how far along that axis it is from the centre [m].
typedef struct arc_middle {
  rl_vec3 axis, radial;
  double height;
} arc_middle;

static arc_middle middle_of(const rl_path_item *item) {
  arc_middle m = {.axis = item->kind == RL_PATH_SPHERE ? item->side
                                                       : rl_scale(item->sense, item->axis)};
  const rl_vec3 entry = rl_sub(item->entry, item->at), exit = rl_sub(item->exit, item->at);
  const rl_vec3 radial = rl_unit(rl_add_scaled(entry, -rl_dot(entry, m.axis), m.axis));
  double s, c;
  rl_sincos(0.5 * item->wrap, &s, &c);
  m.radial = rl_add(rl_scale(c, radial), rl_scale(s, rl_cross(m.axis, radial)));
  m.height = 0.5 * (rl_dot(entry, m.axis) + rl_dot(exit, m.axis));
  return m;
}

// The length of rope on a wrap before its mark [m]. Where the rope has moved sideways, the mark is
// that point of it which is nearest: what friction holds is the rope along itself, so the mark
// moves across it.
static double before_mark(const rl_model *model, const rl_state *state, const rl_wrap *wrap,
                          const rl_path_item *item, const rl_point *points) {
  if (!is_round(item)) {
    return 0.0;
  }
  const arc_middle middle = middle_of(item);
  const rl_body_pose at = rl_body_pose_at(model, state, points, wrap->body);
  const rl_vec3 mark = rl_sub(in_world(at, wrap->mark), item->at);
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

// Marks the middle of each wrap.
static void mark_middle(const rl_model *model, const rl_state *state, rl_wrap *wrap,
                        const rl_path_item *item) {
  if (wrap->body == RL_NONE || !is_round(item)) {
    return;
  }
  const arc_middle middle = middle_of(item);
  const rl_body_pose at = rl_body_pose_at(model, state, state->points, wrap->body);
  const rl_vec3 foot = rl_add_scaled(item->at, middle.height, middle.axis);
  wrap->mark = in_body(at, rl_add_scaled(foot, item->radius, middle.radial));
}

static double piece_rest(const rl_model *model, const rl_state *state, uint32_t index,
                         uint32_t piece) {
  const rl_wrap *wraps = wraps_of(model, state, index);
  if (piece > 0) {
    return wraps[piece - 1].rest;
  }
  double rest = state->links[model->ropes[index].first_link].rest;
  for (uint32_t i = 0; i < state->wrap_counts[index]; i++) {
    rest -= wraps[i].rest;
  }
  return rest;
}

// The length of a piece between the marks beside it, with the path at the state's points [m].
static double piece_length(const rl_model *model, const rl_state *state, uint32_t index,
                           uint32_t piece, const rl_point *points) {
  const rl_wrap *wraps = wraps_of(model, state, index);
  const rl_path_item *items = state->items;
  double length = items[piece].piece;
  if (piece > 0) {
    length +=
        items[piece].arc - before_mark(model, state, &wraps[piece - 1], &items[piece], points);
  }
  if (piece < state->wrap_counts[index]) {
    length += before_mark(model, state, &wraps[piece], &items[piece + 1], points);
  }
  return length;
}

// ---------------------------------------------------------------------------------------------
// Friction

static double friction_of(const rl_model *model, uint32_t rope, const rl_wrap *wrap) {
  return wrap->body == RL_NONE ? 0.0
                               : model->frictions[(size_t)rope * model->body_count + wrap->body];
}

// The largest ratio of the tensions beside a wrap that friction can hold: exp(mu phi) on an arc,
// (1 + mu tan(phi/2)) / (1 - mu tan(phi/2)) on an edge, which locks where the denominator is none.
static double largest_pull(double friction, const rl_path_item *item) {
  if (is_round(item)) {
    return rl_exp(friction * fmax(item->turn, 0.0));
  }
  double s, c;
  rl_sincos(0.5 * item->turn, &s, &c);
  const double up = c + friction * s, down = c - friction * s;
  return down > 0.0 ? up / down : INFINITY;
}

double rl_wrap_pull(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t index) {
  const rl_wrap *wrap = &wraps_of(model, state, rope)[index];
  if (wrap->grip != RL_SLIPS_ON && wrap->grip != RL_SLIPS_BACK) {
    return 1.0;
  }
  const double pull = largest_pull(friction_of(model, rope, wrap), &state->items[index + 1]);
  return wrap->grip == RL_SLIPS_ON ? pull : 1.0 / pull;
}

rl_strand rl_wrap_strand(const rl_model *model, const rl_state *state, uint32_t index,
                         uint32_t first_piece, const rl_point *points) {
  const rl_rope *rope = &model->ropes[index];
  const rl_wrap *wraps = wraps_of(model, state, index);
  const rl_path_item *items = state->items;
  const uint32_t count = state->wrap_counts[index];
  rl_strand strand = {.first_piece = first_piece};
  if (first_piece > 0) {
    strand.length = items[first_piece].arc -
                    before_mark(model, state, &wraps[first_piece - 1], &items[first_piece], points);
  }
  double pull = 1.0;
  for (uint32_t piece = first_piece; piece <= count; piece++) {
    const double rest = rope->rubs   ? piece_rest(model, state, index, piece)
                        : piece == 0 ? state->links[rope->first_link].rest
                                     : 0.0;
    strand.piece_count++;
    strand.length += items[piece].piece;
    strand.rest += rest;
    strand.stretch += pull * rest;
    if (piece < count && wraps[piece].grip == RL_STICKS) {
      strand.length += before_mark(model, state, &wraps[piece], &items[piece + 1], points);
      break;
    }
    if (piece < count) {
      pull *= rl_wrap_pull(model, state, index, piece);
      strand.length += items[piece + 1].arc;
    }
  }
  return strand;
}

// The tension of each piece, from the multipliers of its strand; `split` counts the splits of the
// ropes before.
static void find_tensions(const rl_model *model, rl_state *state, uint32_t index, size_t *split) {
  const size_t first_split = (size_t)model->link_count + (size_t)state->contact_count;
  rl_wrap *wraps = wraps_of(model, state, index);
  double tension = state->multipliers[model->ropes[index].first_link];
  for (uint32_t i = 0; i < state->wrap_counts[index]; i++) {
    tension = wraps[i].grip == RL_STICKS ? state->multipliers[first_split + (*split)++]
                                         : tension * rl_wrap_pull(model, state, index, i);
    wraps[i].tension = tension;
  }
}

static double piece_tension(const rl_model *model, const rl_state *state, uint32_t index,
                            uint32_t piece) {
  return piece == 0 ? state->multipliers[model->ropes[index].first_link]
                    : wraps_of(model, state, index)[piece - 1].tension;
}

static double strain(const rl_model *model, const rl_state *state, uint32_t index, uint32_t piece) {
  return piece_tension(model, state, index, piece) / model->ropes[index].stiffness;
}

// How rope has flowed through the wraps of a strand since the step before, so that each piece has
// what its tension asks for; `apply`: it has the rest lengths that follow.
static void flow(const rl_model *model, rl_state *state, uint32_t index, rl_strand strand,
                 double dt, bool apply) {
  rl_wrap *wraps = wraps_of(model, state, index);
  const uint32_t end = strand.first_piece + strand.piece_count;
  double needed = 0.0;
  bool taut = false;
  for (uint32_t p = strand.first_piece; p < end; p++) {
    const double length = piece_length(model, state, index, p, state->points);
    needed += length / (1.0 + strain(model, state, index, p));
    taut = taut || piece_tension(model, state, index, p) > 0.0 ||
           length > piece_rest(model, state, index, p);
  }
  double flowed = 0.0;
  for (uint32_t p = strand.first_piece; p + 1 < end; p++) {
    const double length = piece_length(model, state, index, p, state->points);
    const double old = piece_rest(model, state, index, p);
    const double now =
        taut ? length / (1.0 + strain(model, state, index, p)) * strand.rest / needed : old;
    flowed += old - now;
    wraps[p].slip = flowed / dt;
  }
  for (uint32_t p = end - 1; p-- > strand.first_piece && apply;) {
    const double moved = wraps[p].slip * dt; // through the wrap behind piece p
    wraps[p].rest += moved;
    if (p > 0) {
      wraps[p - 1].rest -= moved;
    }
  }
}

// Changes the grip of a wrap in the state before the step; true if it is another one.
static bool regrip(rl_wrap *wrap, rl_grip grip) {
  const bool changed = wrap->grip != (uint32_t)grip;
  wrap->grip = (uint32_t)grip;
  return changed;
}

static bool judge_wrap(const rl_model *model, const rl_state *state, uint32_t index, uint32_t i,
                       rl_wrap *before) {
  const rl_wrap *wrap = &wraps_of(model, state, index)[i];
  const double back = piece_tension(model, state, index, i), on = wrap->tension;
  if (wrap->grip == RL_STICKS) {
    const double pull = largest_pull(friction_of(model, index, wrap), &state->items[i + 1]) *
                        (1.0 + grip_tolerance);
    return on > pull * back   ? regrip(before, RL_SLIPS_ON)
           : back > pull * on ? regrip(before, RL_SLIPS_BACK)
                              : false;
  }
  const double along = wrap->grip == RL_SLIPS_ON ? wrap->slip : -wrap->slip;
  return wrap->grip != RL_SLIDES && on > 0.0 && along < 0.0 && regrip(before, RL_STICKS);
}

static void remove_wrap(const rl_model *model, rl_state *state, uint32_t index, uint32_t i) {
  rl_wrap *wraps = wraps_of(model, state, index);
  const uint32_t last = --state->wrap_counts[index];
  if (i > 0) {
    wraps[i - 1].rest += wraps[i].rest;
  }
  memmove(&wraps[i], &wraps[i + 1], (last - i) * sizeof *wraps);
  memset(&wraps[last], 0, sizeof *wraps);
}

// Whether the rope has slipped off a ball, round to its other side: the points between which it
// lies there have come to see it past half a turn. The length goes on without a jump, for at half a
// turn all ways round are equally long, but where the rope lies does not.
static bool has_slipped_off(const rl_model *model, const rl_state *state, const rl_wrap *wrap,
                            const rl_path_item *item) {
  if (item->kind != RL_PATH_SPHERE) {
    return false;
  }
  const rl_body_pose at = rl_body_pose_at(model, state, state->points, wrap->body);
  return rl_dot(rl_rotate(at.rotation, wrap->side), item->side) < 0.0;
}

// Nothing holds a rope along itself while it slips off.
static bool let_slip_off(const rl_model *model, const rl_state *state, uint32_t index,
                         rl_wrap *before) {
  const rl_wrap *wraps = wraps_of(model, state, index);
  bool changed = false;
  for (uint32_t i = 0; i < state->wrap_counts[index]; i++) {
    if (has_slipped_off(model, state, &wraps[i], &state->items[i + 1])) {
      changed = regrip(&before[i], RL_SLIDES) || changed;
    }
  }
  return changed;
}

bool rl_wraps_judge(const rl_model *model, rl_state *state, rl_state *before, double dt) {
  bool changed = false;
  size_t split = 0;
  for (uint32_t r = 0; r < model->rope_count; r++) {
    const bool rubs = model->ropes[r].wrap_capacity > 0 && model->ropes[r].rubs;
    const uint32_t count = rubs ? state->wrap_counts[r] : 0;
    if (count == 0) {
      continue;
    }
    rl_wrap_path(model, state, r, state->points);
    changed = let_slip_off(model, state, r, wraps_of(model, before, r)) || changed;
    find_tensions(model, state, r, &split);
    for (uint32_t p = 0; p <= count;) {
      const rl_strand strand = rl_wrap_strand(model, state, r, p, state->points);
      flow(model, state, r, strand, dt, false);
      p += strand.piece_count;
    }
    for (uint32_t i = 0; i < count; i++) {
      changed = judge_wrap(model, state, r, i, &wraps_of(model, before, r)[i]) || changed;
    }
  }
  return changed;
}

// Moves the marks to the middle of their wraps; with them the border of the rest lengths.
static void mark_again(const rl_model *model, rl_state *state, uint32_t index) {
  rl_wrap *wraps = wraps_of(model, state, index);
  for (uint32_t i = 0; i < state->wrap_counts[index]; i++) {
    const rl_path_item *item = &state->items[i + 1];
    const double before = before_mark(model, state, &wraps[i], item, state->points);
    const double moved =
        is_round(item) ? (0.5 * item->arc - before) / (1.0 + strain(model, state, index, i)) : 0.0;
    wraps[i].rest -= moved;
    if (i > 0) {
      wraps[i - 1].rest += moved;
    }
    mark_middle(model, state, &wraps[i], item);
  }
}

double rl_wraps_energy(const rl_model *model, const rl_state *state, uint32_t index) {
  double energy = 0.0;
  rl_wrap_path(model, state, index, state->points);
  for (uint32_t p = 0; p <= state->wrap_counts[index];) {
    const rl_strand strand = rl_wrap_strand(model, state, index, p, state->points);
    const double excess = fmax(strand.length - strand.rest, 0.0);
    double squares = strand.rest; // of the tensions over that of the first, times rest lengths
    if (model->ropes[index].rubs) {
      double pull = 1.0;
      squares = 0.0;
      for (uint32_t k = p; k < p + strand.piece_count; k++) {
        squares += pull * pull * piece_rest(model, state, index, k);
        pull *= k + 1 < p + strand.piece_count ? rl_wrap_pull(model, state, index, k) : 1.0;
      }
    }
    const double first = excess / strand.stretch; // strain of its first piece
    energy += 0.5 * model->ropes[index].stiffness * first * first * squares;
    p += strand.piece_count;
  }
  return energy;
}

// ---------------------------------------------------------------------------------------------
// Wraps come and go

// False when the rope has no room for another one.
static bool insert_wrap(const rl_model *model, rl_state *state, uint32_t index, uint32_t i,
                        rl_wrap wrap) {
  rl_wrap *wraps = wraps_of(model, state, index);
  const uint32_t count = state->wrap_counts[index];
  if (count == model->ropes[index].wrap_capacity) {
    return false;
  }
  memmove(&wraps[i + 1], &wraps[i], (count - i) * sizeof *wraps);
  wraps[i] = wrap;
  state->wrap_counts[index]++;
  return true;
}

// A wrap on a part where a piece in direction d meets it, with the outward normal n there.
static rl_wrap wrap_on(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t body,
                       uint32_t part, rl_vec3 d, rl_vec3 n) {
  const rl_body_pose at = rl_body_pose_at(model, state, state->points, body);
  const rl_vec3 turning = rl_unit(rl_cross(n, d)); // the rope turns from d towards -n
  const rl_vec3 z = {0.0, 0.0, 1.0};
  rl_wrap wrap = {.body = body, .part = part};
  wrap.side = rl_rotate_inverse(at.rotation, turning);
  const rl_vec3 axis = rl_rotate(part_of(model, &wrap)->rotation, z);
  wrap.sense = rl_dot(axis, wrap.side) < 0.0 ? -1.0 : 1.0;
  wrap.grip = friction_of(model, rope, &wrap) > 0.0 ? RL_STICKS : RL_SLIDES;
  return wrap;
}

// A moving straight piece, in the frame of a body: its ends at the start and the end of the step.
typedef struct moving_piece {
  rl_vec3 from[2], to[2];
} moving_piece;

static double piece_distance(const rl_part *part, double radius, const moving_piece *m, double t,
                             rl_vec3 *normal) {
  const rl_vec3 none = {0.0, 0.0, 0.0};
  const rl_quat straight = {0.0, 0.0, 0.0, 1.0};
  rl_surface surface;
  rl_shape_segment(part, none, straight, rl_add_scaled(m->from[0], t, rl_sub(m->to[0], m->from[0])),
                   rl_add_scaled(m->from[1], t, rl_sub(m->to[1], m->from[1])), &surface);
  *normal = surface.normal;
  return surface.distance - radius;
}

static double thickness(const rl_part *part) {
  switch (part->shape) {
  case RL_BOX:
    return fmin(part->half.x, fmin(part->half.y, part->half.z));
  case RL_PLANE:
    return INFINITY;
  case RL_HULL:
    return 0.1 * part->bound;
  default:
    return part->radius;
  }
}

// When within the step, from 0 to 1, the piece runs into the part, or through it, with the normal
// of the side from which it came; 2: it does not. The distance of a piece changes no faster than
// its ends move. One that begins inside has run into nothing.
static double runs_into(const rl_part *part, double radius, const moving_piece *m,
                        rl_vec3 *normal) {
  static const double never = 2.0;
  const double size = fmin(thickness(part), part->bound);
  const double depth = touching * size;
  const double speed = fmax(rl_distance(m->from[0], m->to[0]), rl_distance(m->from[1], m->to[1]));
  rl_vec3 last;
  const double end = piece_distance(part, radius, m, 1.0, &last);
  if (end >= -depth && (speed < size || end > speed)) {
    return never;
  }
  double t = 0.0, distance = piece_distance(part, radius, m, 0.0, normal);
  if (distance < -inside * size) {
    return never;
  }
  while (distance > depth && t < 1.0) {
    t = fmin(t + fmax(distance / speed, 1e-6), 1.0);
    distance = piece_distance(part, radius, m, t, normal);
  }
  const bool tunnels = distance <= depth && rl_dot(*normal, last) < 0.0;
  return end < -depth || tunnels ? t : never;
}

// Whether a wrap is on a part.
static bool is_on(const rl_wrap *wrap, uint32_t body, uint32_t part) {
  return wrap->body == body && wrap->part == part;
}

// Where a piece was at the start of the step and is now, in the world's frame.
typedef struct swept_piece {
  rl_vec3 from[2], to[2];
} swept_piece;

static moving_piece seen_from(rl_body_pose was, rl_body_pose is, const swept_piece *piece) {
  return (moving_piece){{in_body(was, piece->from[0]), in_body(was, piece->from[1])},
                        {in_body(is, piece->to[0]), in_body(is, piece->to[1])}};
}

// The parts of a body, other than those that the piece lies on, that it may have run into.
static bool is_near(const rl_model *model, const rl_state *state, const swept_piece *piece,
                    double radius, uint32_t body) {
  const double reach =
      0.5 * rl_distance(piece->to[0], piece->to[1]) +
      fmax(rl_distance(piece->from[0], piece->to[0]), rl_distance(piece->from[1], piece->to[1]));
  const rl_vec3 middle = rl_scale(0.5, rl_add(piece->to[0], piece->to[1]));
  const rl_vec3 centre = rl_position(&state->points[rl_body_slot(model, body)]);
  return rl_distance(middle, centre) <= reach + model->bodies[body].bound + radius;
}

static bool lies_on(const rl_model *model, const rl_state *state, uint32_t index, uint32_t piece,
                    uint32_t body, uint32_t part) {
  const rl_wrap *wraps = wraps_of(model, state, index);
  return (piece > 0 && is_on(&wraps[piece - 1], body, part)) ||
         (piece < state->wrap_counts[index] && is_on(&wraps[piece], body, part));
}

// The part that a piece runs into first, if there is one, as a wrap.
static bool find_hit(const rl_model *model, const rl_state *before, const rl_state *state,
                     uint32_t index, uint32_t piece, const swept_piece *swept, rl_wrap *hit) {
  const double radius = model->ropes[index].radius;
  double first = 1.0;
  bool found = false;
  for (uint32_t body = 0; body < model->body_count; body++) {
    if (!model->touches[(size_t)index * model->body_count + body] ||
        !is_near(model, state, swept, radius, body)) {
      continue;
    }
    const rl_body_pose is = rl_body_pose_at(model, state, state->points, body);
    const moving_piece m =
        seen_from(rl_body_pose_at(model, before, before->points, body), is, swept);
    for (uint32_t part = 0; part < model->bodies[body].part_count; part++) {
      rl_vec3 normal;
      if (lies_on(model, state, index, piece, body, part)) {
        continue;
      }
      const double t = runs_into(&model->bodies[body].parts[part], radius, &m, &normal);
      if (t < first || (t == 1.0 && !found)) {
        *hit = wrap_on(model, state, index, body, part, rl_sub(swept->to[1], swept->to[0]),
                       rl_rotate(is.rotation, normal));
        first = t;
        found = true;
      }
    }
  }
  return found;
}

// Where the rope comes to lie on the part that a straight piece has run into, roughly: the deepest
// point of the piece, brought to the surface.
static rl_vec3 touching_point(const rl_model *model, const rl_state *state, uint32_t index,
                              const rl_wrap *wrap, rl_vec3 a, rl_vec3 b) {
  const rl_body_pose at = rl_body_pose_at(model, state, state->points, wrap->body);
  rl_surface surface;
  const double s = rl_shape_segment(part_of(model, wrap), at.centre, at.rotation, a, b, &surface);
  return rl_add_scaled(rl_add_scaled(a, s, rl_sub(b, a)),
                       model->ropes[index].radius - surface.distance, surface.normal);
}

static void keep_hinge(const rl_model *model, const rl_state *state, rl_wrap *wrap, rl_vec3 from,
                       rl_vec3 to) {
  if (wrap->body != RL_NONE) {
    const rl_body_pose at = rl_body_pose_at(model, state, state->points, wrap->body);
    wrap->hinge = in_body(at, rl_scale(0.5, rl_add(from, to)));
  }
}

// Puts a wrap between piece i and a new one behind it, which share its rest length.
static bool split_piece(const rl_model *model, rl_state *state, uint32_t index, uint32_t i,
                        rl_wrap wrap) {
  const double rest = piece_rest(model, state, index, i);
  const rl_vec3 from = state->items[i].exit, to = state->items[i + 1].entry;
  const rl_vec3 touch = touching_point(model, state, index, &wrap, from, to);
  wrap.tension = piece_tension(model, state, index, i);
  keep_hinge(model, state, &wrap, touch, to);
  if (!insert_wrap(model, state, index, i, wrap)) {
    return false;
  }
  rl_wrap *wraps = wraps_of(model, state, index);
  if (i > 0) {
    keep_hinge(model, state, &wraps[i - 1], from, touch);
  }
  const double length = rl_wrap_path(model, state, index, state->points);
  if (isnan(length) || !(state->items[i + 1].wrap > 0.0)) { // no way past it, or it only grazes
    remove_wrap(model, state, index, i);
    rl_wrap_path(model, state, index, state->points);
    return false;
  }
  keep_item(model, state, &wraps[i], &state->items[i + 1]);
  mark_middle(model, state, &wraps[i], &state->items[i + 1]);
  const double first = piece_length(model, state, index, i, state->points);
  const double second = piece_length(model, state, index, i + 1, state->points);
  wraps[i].rest = rest * second / (first + second);
  if (i > 0) {
    wraps[i - 1].rest = rest - wraps[i].rest;
  }
  return true;
}

// Whether the neighbour of a wrap on the path is inside its part, so that there is no way past it.
static bool is_run_over(const rl_model *model, const rl_state *state, uint32_t index, uint32_t i,
                        uint32_t neighbour) {
  const rl_wrap *wrap = &wraps_of(model, state, index)[i];
  const rl_path_item *item = &state->items[neighbour];
  if (wrap->body == RL_NONE || is_round(item)) {
    return false;
  }
  const rl_body_pose at = rl_body_pose_at(model, state, state->points, wrap->body);
  return rl_shape_surface(part_of(model, wrap), at.centre, at.rotation, item->at).distance <
         model->ropes[index].radius;
}

// Where an end of the rope has come into a body that it lay on, or bodies into each other, there is
// no way any more: wraps go until there is one. True if some have gone.
static bool find_way(const rl_model *model, rl_state *state, uint32_t index) {
  bool gone = false;
  while (isnan(rl_wrap_path(model, state, index, state->points)) && state->wrap_counts[index] > 0) {
    uint32_t first = 0;
    for (uint32_t i = state->wrap_counts[index]; i-- > 0;) {
      const bool over =
          is_run_over(model, state, index, i, i) || is_run_over(model, state, index, i, i + 2);
      first = over ? i : first;
    }
    remove_wrap(model, state, index, first);
    gone = true;
  }
  return gone;
}

// Wraps that the rope has left go. The path is solved.
static void release(const rl_model *model, rl_state *state, uint32_t index) {
  for (uint32_t i = 0; i < state->wrap_counts[index];) {
    const rl_path_item *item = &state->items[i + 1];
    if (is_round(item) && item->wrap < 0.0) {
      remove_wrap(model, state, index, i);
      rl_wrap_path(model, state, index, state->points);
      i = 0;
    } else {
      i++;
    }
  }
}

// Wraps for all that a piece has run into; the two pieces that one leaves are looked at again.
static void catch_hits(const rl_model *model, const rl_state *before, rl_state *state,
                       uint32_t index, uint32_t piece, const swept_piece *swept) {
  rl_wrap hit;
  if (!find_hit(model, before, state, index, piece, swept, &hit) ||
      !split_piece(model, state, index, piece, hit)) {
    return;
  }
  const rl_path_item *item = &state->items[piece + 1];
  const double first = rl_distance(swept->to[0], item->entry);
  const double share = first / (first + rl_distance(item->exit, swept->to[1]));
  const rl_vec3 was = rl_add_scaled(swept->from[0], share, rl_sub(swept->from[1], swept->from[0]));
  const swept_piece second = {{was, swept->from[1]}, {item->exit, swept->to[1]}};
  const swept_piece one = {{swept->from[0], was}, {swept->to[0], item->entry}};
  catch_hits(model, before, state, index, piece + 1, &second);
  catch_hits(model, before, state, index, piece, &one);
}

static void keep_path(const rl_model *model, rl_state *state, uint32_t index) {
  for (uint32_t i = 0; i < state->wrap_counts[index]; i++) {
    keep_item(model, state, &wraps_of(model, state, index)[i], &state->items[i + 1]);
  }
}

// For whoever wants to know; the path is solved, and not yet kept.
static void count_slips(const rl_model *model, rl_state *state, uint32_t index) {
  const rl_wrap *wraps = wraps_of(model, state, index);
  for (uint32_t i = 0; i < state->wrap_counts[index]; i++) {
    if (has_slipped_off(model, state, &wraps[i], &state->items[i + 1])) {
      state->slipped_off++;
      state->slipped_rope = index;
      state->slipped_body = wraps[i].body;
    }
  }
}

static void end_rope(const rl_model *model, const rl_state *before, rl_state *state, uint32_t r,
                     size_t *split, double dt) {
  rl_wrap_path(model, before, r, before->points);
  if (find_way(model, state, r)) {
    keep_path(model, state, r);
    return;
  }
  find_tensions(model, state, r, split);
  if (model->ropes[r].rubs) {
    const bool slipped = let_slip_off(model, state, r, wraps_of(model, state, r));
    for (uint32_t i = 0; i < state->wrap_counts[r] && slipped; i++) {
      if (has_slipped_off(model, state, &wraps_of(model, state, r)[i], &state->items[i + 1])) {
        mark_middle(model, state, &wraps_of(model, state, r)[i], &state->items[i + 1]);
      }
    }
    for (uint32_t p = 0; p <= state->wrap_counts[r];) {
      const rl_strand strand = rl_wrap_strand(model, state, r, p, state->points);
      flow(model, state, r, strand, dt, true);
      p += strand.piece_count;
    }
    mark_again(model, state, r);
  }
  count_slips(model, state, r);
  keep_path(model, state, r);
  for (uint32_t piece = state->wrap_counts[r] + 1; piece-- > 0;) {
    const swept_piece swept = {{before->items[piece].exit, before->items[piece + 1].entry},
                               {state->items[piece].exit, state->items[piece + 1].entry}};
    catch_hits(model, before, state, r, piece, &swept);
  }
  release(model, state, r);
  keep_path(model, state, r);
}

void rl_wraps_end(const rl_model *model, const rl_state *before, rl_state *state, double dt) {
  size_t split = 0;
  for (uint32_t r = 0; r < model->rope_count; r++) {
    if (model->ropes[r].wrap_capacity > 0) {
      end_rope(model, before, state, r, &split, dt);
    }
  }
}

// ---------------------------------------------------------------------------------------------
// The start

// Most items of a path that lie on one part at a time.
static uint32_t features_of(const rl_part_definition *part) {
  switch (part->shape) {
  case RL_SPHERE:
  case RL_CYLINDER:
    return 1;
  default:
    return 0;
  }
}

// A rope can pass a body again and again: room for so many more than it passes at the start, and
// for two on each feature, up to so many.
enum { SPARE_WRAPS = 16, MOST_SPARE_WRAPS = 48 };

uint32_t rl_definition_wraps(const rl_definition *definition, const rl_rope_definition *rope) {
  uint32_t features = 0, ways = 0;
  for (uint32_t i = 0; i < definition->body_count && rope->segments == 0 && !rope->closed; i++) {
    const rl_body_definition *body = &definition->bodies[i];
    for (size_t k = 0; k < body->part_count && rl_definition_touches(definition, rope, i); k++) {
      features += features_of(&body->parts[k]);
    }
  }
  for (size_t k = 0; k < rope->way_count; k++) {
    ways += rope->ways[k].eye ? 1 : features;
  }
  const uint32_t more = SPARE_WRAPS + 2 * features;
  return features > 0 ? ways + (more < MOST_SPARE_WRAPS ? more : MOST_SPARE_WRAPS) : 0;
}

static bool no_way(rl_fault *fault, uint32_t rope, const char *format, const char *body) {
  return rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, rope, "over", format, body);
}

// Where something that the rope passes is, roughly: an eye, the centre of a part, an end.
static rl_vec3 way_centre(const rl_model *model, const rl_state *state, const rl_rope *rope,
                          const rl_rope_definition *definition, size_t k) {
  const rl_way *way = &definition->ways[k];
  if (way->eye) {
    return rl_vertex_position(model, state, model->eyes[rope->first_eye + k], state->points);
  }
  const rl_part *part = &model->bodies[way->body].parts[way->part == RL_NONE ? 0 : way->part];
  return in_world(rl_body_pose_at(model, state, state->points, way->body), part->at);
}

// The side of a body on which the rope lies by default: against gravity, across the chord and the
// axis of the part.
static rl_vec3 default_side(const rl_model *model, rl_vec3 chord, rl_vec3 axis) {
  const rl_vec3 up = rl_scale(-1.0, rl_unit(model->gravity));
  const rl_vec3 along = rl_unit(chord);
  rl_vec3 side = rl_add_scaled(up, -rl_dot(up, along), along);
  const rl_vec3 across = rl_unit(rl_add_scaled(axis, -rl_dot(axis, along), along));
  side = rl_add_scaled(side, -rl_dot(side, across), across);
  return rl_length(side) > 1e-6 ? rl_unit(side) : (rl_vec3){0.0, 0.0, 0.0};
}

static bool lay_way(const rl_model *model, const rl_definition *definition, rl_state *state,
                    uint32_t index, size_t k, rl_fault *fault) {
  static const double two_pi = 6.283185307179586;
  static const double usual_angle = 2.5; // between less than a grazing touch and nearly a full turn
  const rl_rope *rope = &model->ropes[index];
  const rl_rope_definition *d = &definition->ropes[index];
  const rl_way *way = &d->ways[k];
  rl_wrap *wrap = &wraps_of(model, state, index)[k];
  if (way->eye) {
    *wrap = (rl_wrap){.body = RL_NONE, .part = rope->first_eye + (uint32_t)k};
    return true;
  }
  const rl_body *body = &model->bodies[way->body];
  const uint32_t part = way->part == RL_NONE ? 0 : way->part;
  const rl_shape shape = body->parts[part].shape;
  if (!model->touches[(size_t)index * model->body_count + way->body]) {
    return no_way(fault, index,
                  "the rope passes body '%s', which lets ropes through (rope_collide: "
                  "false, or an end of the rope lies inside it)",
                  body->name);
  }
  const rl_vec3 before = k > 0 ? way_centre(model, state, rope, d, k - 1)
                               : end_item(model, state, rope->ends[0], state->points).at;
  const rl_vec3 after = k + 1 < d->way_count
                            ? way_centre(model, state, rope, d, k + 1)
                            : end_item(model, state, rope->ends[1], state->points).at;
  const rl_vec3 chord = rl_sub(after, before);
  const rl_body_pose at = rl_body_pose_at(model, state, state->points, way->body);
  const rl_vec3 z = {0.0, 0.0, shape == RL_SPHERE ? 0.0 : 1.0};
  const rl_vec3 axis = rl_rotate(at.rotation, rl_rotate(body->parts[part].rotation, z));
  const rl_vec3 side = isnan(way->side.x) ? default_side(model, chord, axis) : rl_unit(way->side);
  const rl_vec3 turning = rl_cross(side, rl_unit(chord));
  if (rl_length(turning) < 1e-6 || (shape != RL_SPHERE && fabs(rl_dot(turning, axis)) < 1e-6)) {
    return no_way(fault, index,
                  isnan(way->side.x)
                      ? "on which side of body '%s' the rope lies does not follow from gravity; "
                        "expected a `side`"
                      : "`side` is along the rope or along the axis of body '%s'; expected a "
                        "direction from its centre to the rope",
                  body->name);
  }
  if (shape == RL_SPHERE && way->turns > 0.0) {
    return no_way(fault, index, "turns round a ball, '%s', slip off; expected none", body->name);
  }
  *wrap = wrap_on(model, state, index, way->body, part, chord, side);
  wrap->angle = usual_angle + two_pi * way->turns;
  return true;
}

// Whether the straight way past a wrap is clear of its part on the side that it was given: then the
// rope does not touch it.
static bool is_clear(const rl_model *model, const rl_state *state, const rl_rope *rope,
                     const rl_wrap *wrap, uint32_t i) {
  const rl_body_pose at = rl_body_pose_at(model, state, state->points, wrap->body);
  const rl_vec3 a = state->items[i].exit, b = state->items[i + 2].entry;
  rl_surface surface;
  rl_shape_segment(part_of(model, wrap), at.centre, at.rotation, a, b, &surface);
  const rl_vec3 turning = rl_cross(surface.normal, rl_sub(b, a));
  return surface.distance >= rope->radius &&
         rl_dot(rl_rotate(at.rotation, wrap->side), turning) > 0.0;
}

// Takes off what the rope does not touch, and refuses what has no shortest way.
static bool check_laid(const rl_model *model, const rl_definition *definition, rl_state *state,
                       uint32_t index, rl_fault *fault) {
  const rl_rope *rope = &model->ropes[index];
  size_t way = 0;
  for (uint32_t i = 0; i < state->wrap_counts[index]; way++) {
    const rl_wrap *wrap = &wraps_of(model, state, index)[i];
    const double turns = definition->ropes[index].ways[way].turns;
    if (isnan(rl_wrap_path(model, state, index, state->points))) {
      return no_way(fault, index,
                    "the rope has no way over its bodies%s: an end, or an eye, lies "
                    "inside one of them",
                    "");
    }
    const rl_path_item *item = &state->items[i + 1];
    if (wrap->body != RL_NONE && has_slipped_off(model, state, wrap, item)) {
      return no_way(fault, index,
                    "on that side of the ball '%s' the rope would lie on more than "
                    "half of it, and slip off; expected the other side",
                    model->bodies[wrap->body].name);
    }
    if (is_round(item) &&
        (item->wrap <= 0.0 || (turns == 0.0 && is_clear(model, state, rope, wrap, i)))) {
      remove_wrap(model, state, index, i);
    } else {
      i++;
    }
  }
  return !isnan(rl_wrap_path(model, state, index, state->points)) ||
         no_way(fault, index, "the rope has no way%s", "");
}

// No piece may start inside a body that the rope was not told to pass.
static bool check_clear(const rl_model *model, const rl_state *state, uint32_t index,
                        rl_fault *fault) {
  const rl_rope *rope = &model->ropes[index];
  for (uint32_t piece = 0; piece <= state->wrap_counts[index]; piece++) {
    const rl_vec3 a = state->items[piece].exit, b = state->items[piece + 1].entry;
    for (uint32_t body = 0; body < model->body_count; body++) {
      const rl_body_pose at = rl_body_pose_at(model, state, state->points, body);
      const rl_part *parts = model->bodies[body].parts;
      for (uint32_t part = 0; part < model->bodies[body].part_count; part++) {
        rl_surface surface;
        rl_shape_segment(&parts[part], at.centre, at.rotation, a, b, &surface);
        if (model->touches[(size_t)index * model->body_count + body] &&
            !lies_on(model, state, index, piece, body, part) &&
            surface.distance < rope->radius - 1e-9 * fmin(parts[part].bound, rope->length)) {
          return no_way(fault, index,
                        "the rope cuts through body '%s' at the start; expected that body in "
                        "`over`",
                        model->bodies[body].name);
        }
      }
    }
  }
  return true;
}

double rl_wraps_lay(const rl_model *model, const rl_definition *definition, rl_state *state,
                    uint32_t index, rl_fault *fault) {
  const rl_rope_definition *d = &definition->ropes[index];
  for (size_t k = 0; k < d->way_count; k++) {
    if (!lay_way(model, definition, state, index, k, fault)) {
      return NAN;
    }
    state->wrap_counts[index]++;
  }
  if (!check_laid(model, definition, state, index, fault)) {
    return NAN;
  }
  keep_path(model, state, index);
  const double length = rl_wrap_path(model, state, index, state->points);
  return check_clear(model, state, index, fault) ? length : NAN;
}

void rl_wraps_share(const rl_model *model, rl_state *state, uint32_t index, double rest) {
  rl_wrap *wraps = wraps_of(model, state, index);
  const double length = rl_wrap_path(model, state, index, state->points);
  for (uint32_t i = 0; i < state->wrap_counts[index]; i++) {
    mark_middle(model, state, &wraps[i], &state->items[i + 1]);
  }
  for (uint32_t i = 0; i < state->wrap_counts[index]; i++) {
    wraps[i].rest = rest / length * piece_length(model, state, index, i + 1, state->points);
  }
}
