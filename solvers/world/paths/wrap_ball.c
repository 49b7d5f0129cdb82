// SPDX-License-Identifier: GPL-3.0-or-later
// Which wraps on balls friction holds in their planes, and which yield or slip off.
#include "../rotation.h"
#include "../trigonometry.h"
#include "path_link.h"
#include "path_yield.h"
#include "wrap_internal.h"

// A rope that leaves its plane on an arc of less than this is in its plane, and one that is seen
// at so nearly half a turn is at half a turn [rad].
static const double out_of_plane = 1e-9;

// Relative to a tension: what friction may be exceeded by before a plane yields.
static const double yield_tolerance = 1e-10;

// (19c) Arc that a plane which yields keeps in reserve for tensions to part [rad]: so much, and
// this share of what they ask for.
static const double least_bent = 1e-7; // arcs of (18) with which it still does
static const double least_spare = 1e-6, spare_share = 0.02;

enum { HALVINGS = 52 };

// Lets the rope go that friction held in its plane on a ball: in `before` it lies where it is
// shortest. The pieces beside the wrap share their rest lengths.
static void let_go(const rl_model *model, rl_state *before, uint32_t index, uint32_t i) {
  rl_wrap *wrap = &rl_wraps_of(model, before, index)[i];
  const double rest = rl_wrap_piece_rest(model, before, index, i) + wrap->rest;
  wrap->held = wrap->yields = false;
  wrap->angle = wrap->along = 0.0;
  wrap->side = rl_vec(0.0, 0.0, 0.0);
  rl_wrap_solve_path(model, before, index, before->points);
  rl_wrap_mark_middle(model, before, wrap, &rl_path_items(before, index)[i + 1]);
  const double back = rl_wrap_piece_length(model, before, index, i, before->points);
  const double on = rl_wrap_piece_length(model, before, index, i + 1, before->points);
  wrap->rest = rest * on / (back + on);
  if (i > 0) { // the rest length of piece 0 is what remains of the sum
    wrap[-1].rest = rest * back / (back + on);
  }
}

// Whether friction can hold a wrap out of its shortest path at all.
static bool can_hold(const rl_model *model, uint32_t index, const rl_wrap *wrap,
                     const rl_path_item *item) {
  return item->kind == RL_PATH_SPHERE && item->feature == RL_FEATURE_SIDE &&
         !rl_is_zero(wrap->side) && !rl_wraps_is_loop(model, index) &&
         rl_wrap_friction(model, index, wrap) > 0.0;
}

// (19a) Whether the ends of a wrap see it, in the plane in which it was in `before`, at half a
// turn, or so nearly that friction holds it in any plane.
static bool comes_to_half(const rl_model *model, const rl_state *state, const rl_wrap *before,
                          bool slips, double friction, const rl_path_item *item) {
  const rl_body_pose at = rl_body_pose_at(model, state, state->points, before->body);
  const rl_vec3 axis = rl_rotate(at.rotation, before->side);
  const rl_vec3 p = rl_sub(item[-1].exit, item->at), q = rl_sub(item[1].entry, item->at);
  const double on = rl_dot(p, q) - rl_dot(p, axis) * rl_dot(q, axis);
  const double seen = rl_atan2(rl_dot(axis, rl_cross(p, q)), on);
  const double spare = slips ? -out_of_plane : friction * before->angle;
  return on < 0.0 && (seen < 0.0 || seen >= RL_PI - spare);
}

// (19b) Turns the plane of a held wrap in `before` to a normal in the body's frame. The pieces
// beside it share the change of length equally: all of its friction is used, and rope goes along as
// well.
static void turn_plane(const rl_model *model, rl_state *before, uint32_t index, uint32_t i,
                       rl_vec3 normal) {
  rl_wrap *wrap = &rl_wraps_of(model, before, index)[i];
  const rl_body_pose at = rl_body_pose_at(model, before, before->points, wrap->body);
  double more[2];
  rl_wrap_solve_path(model, before, index, before->points);
  for (uint32_t k = 0; k < 2; k++) {
    more[k] = -rl_wrap_piece_length(model, before, index, i + k, before->points);
  }
  rl_wrap_turn_plane(wrap, rl_wrap_to_body(at, rl_path_items(before, index)[i + 1].at), normal);
  rl_wrap_solve_path(model, before, index, before->points);
  for (uint32_t k = 0; k < 2; k++) {
    more[k] += rl_wrap_piece_length(model, before, index, i + k, before->points);
  }
  const double given = 0.5 * (more[0] - more[1]);
  wrap->rest -= given;
  if (i > 0) { // the rest length of piece 0 is what remains of the sum
    wrap[-1].rest += given;
  }
}

// (19) Whether friction holds a wrap on a ball that leaves its plane on arcs of `bent`, with the
// tensions beside it; NAN: any.
static bool holds(const rl_path_item *item, double friction, double bent, const double pulls[2]) {
  const double least = fmin(pulls[0], pulls[1]) * (1.0 + yield_tolerance);
  const double left = item->wrap - bent;
  return left >= 0.0 && !(fmax(pulls[0], pulls[1]) > least * rl_exp(friction * left));
}

// (19b) Returns the normal of the plane, from that of a held wrap towards that of its shortest
// path, in which friction just holds it.
static rl_vec3 yielded(const rl_path_item *item, double friction, const double pulls[2]) {
  const rl_vec3 p = rl_sub(item[-1].exit, item->at), q = rl_sub(item[1].entry, item->at);
  const rl_vec3 across = rl_unit(rl_cross(p, q));
  const rl_vec3 target = rl_dot(across, item->side) < 0.0 ? rl_scale(-1.0, across) : across;
  const rl_vec3 way = rl_sub(target, item->side);
  double short_of = 0.0, enough = 1.0;
  for (int k = 0; k < HALVINGS; k++) {
    const double share = 0.5 * (short_of + enough);
    const rl_vec3 axis = rl_unit(rl_add_scaled(item->side, share, way));
    const double bent = rl_wrap_departure(friction, item, axis).bent;
    *(holds(item, friction, bent, pulls) ? &enough : &short_of) = share;
  }
  return rl_unit(rl_add_scaled(item->side, enough, way));
}

double rl_wrap_yield_share(const rl_model *model, const rl_state *state, uint32_t index,
                           uint32_t wrap, uint32_t strand) {
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  if (wraps[wrap].grip != RL_STICKS) { // both are one
    return 1.0;
  }
  uint32_t first = wrap; // piece of the strand before the wrap
  while (first > 0 && wraps[first - 1].grip != RL_STICKS) {
    first--;
  }
  const bool inert[2] = {
      rl_wrap_is_inert(model, state, index, first, wrap + 1 - first),
      rl_wrap_is_inert(model, state, index, wrap + 1,
                       rl_wrap_strand_pieces(model, state, index, wrap + 1)),
  };
  return inert[strand] ? 0.0 : inert[1 - strand] ? 1.0 : 0.5;
}

// The plane of a wrap on a ball.
static rl_path_round plane_of(const rl_path_item *item) {
  return (rl_path_round){.centre = item->at, .axis = item->side, .radius = item->radius};
}

rl_yield rl_wrap_yield(const rl_model *model, const rl_state *state, uint32_t index, uint32_t i) {
  const rl_path_item *item = &rl_path_items(state, index)[i + 1];
  const double friction = rl_wrap_friction(model, index, &rl_wraps_of(model, state, index)[i]);
  const rl_path_round plane = plane_of(item);
  const rl_path_yield y =
      rl_path_yield_of(&plane, item[-1].exit, item[1].entry, friction, item->wrap);
  return (rl_yield){{item[-1].exit, item[1].entry},
                    {rl_scale(y.length, y.turn[0]), rl_scale(y.length, y.turn[1])},
                    {y.turn[0], y.turn[1]},
                    y.on};
}

rl_vec3 rl_wrap_yielded(const rl_model *model, const rl_state *state, uint32_t index, uint32_t i,
                        double reserve) {
  const rl_wrap *wrap = &rl_wraps_of(model, state, index)[i];
  const rl_path_item *item = &rl_path_items(state, index)[i + 1];
  const rl_body_pose at = rl_body_pose_at(model, state, state->points, wrap->body);
  const rl_path_round plane = plane_of(item);
  return rl_rotate_inverse(at.rotation, rl_path_yields_to(&plane, item[-1].exit, item[1].entry,
                                                          rl_wrap_friction(model, index, wrap),
                                                          reserve, item->wrap));
}

void rl_wrap_set_plane(const rl_model *model, rl_wrap *wrap, rl_vec3 normal) {
  rl_wrap_turn_plane(wrap, rl_wrap_part(model, wrap)->at, normal);
}

// Returns the arc that the tensions beside a wrap ask for, (19) [rad]: none if one strand is inert,
// or slack as the other is.
static double asked_by_tensions(const rl_model *model, const rl_state *state, uint32_t index,
                                uint32_t i) {
  const bool both = rl_wrap_yield_share(model, state, index, i, 0) == 0.5;
  const double back = rl_wrap_piece_tension(model, state, index, i);
  const double on = rl_wraps_of(model, state, index)[i].tension;
  const double friction = rl_wrap_friction(model, index, &rl_wraps_of(model, state, index)[i]);
  double short_of = 0.0, enough = both ? rl_path_items(state, index)[i + 1].wrap : 0.0;
  for (int k = 0; k < HALVINGS && enough > 0.0; k++) {
    const double arc = 0.5 * (short_of + enough);
    *(fmax(back, on) > fmin(back, on) * rl_exp(friction * arc) ? &short_of : &enough) = arc;
  }
  return enough;
}

void rl_wrap_begin_yield(const rl_model *model, rl_state *state, uint32_t index, uint32_t i) {
  rl_wrap *wrap = &rl_wraps_of(model, state, index)[i];
  const double asked = asked_by_tensions(model, state, index, i);
  const double arc = rl_path_items(state, index)[i + 1].wrap;
  wrap->along = asked + fmin(least_spare + spare_share * asked, 0.5 * fmax(arc - asked, 0.0));
  turn_plane(model, state, index, i, rl_wrap_yielded(model, state, index, i, wrap->along));
  wrap->yields = true;
}

static rl_path_departure departure_of(const rl_model *model, const rl_state *state, uint32_t index,
                                      uint32_t i) {
  const rl_path_item *item = &rl_path_items(state, index)[i + 1];
  const double friction = rl_wrap_friction(model, index, &rl_wraps_of(model, state, index)[i]);
  return rl_wrap_departure(friction, item, item->side);
}

void rl_wrap_end_yield(const rl_model *model, const rl_state *state, uint32_t index, uint32_t i) {
  rl_wrap *wrap = &rl_wraps_of(model, state, index)[i];
  rl_wrap_solve_path(model, state, index, state->points);
  wrap->held = departure_of(model, state, index, i).bent > least_bent;
  wrap->yields = false;
  wrap->along = 0.0;
}

double rl_wrap_yielded_up(const rl_model *model, const rl_state *state, uint32_t index,
                          uint32_t i) {
  const double left =
      rl_path_items(state, index)[i + 1].wrap - rl_wraps_of(model, state, index)[i].along;
  return fmax(departure_of(model, state, index, i).seen - RL_PI, least_bent - left);
}

bool rl_wraps_yield_on_ball(const rl_model *model, const rl_state *state, rl_state *before,
                            uint32_t index, uint32_t i, double back, double on) {
  const rl_wrap *wrap = &rl_wraps_of(model, state, index)[i];
  if (!wrap->held || !rl_wraps_of(model, before, index)[i].held) {
    return false;
  }
  const rl_path_item *item = &rl_path_items(state, index)[i + 1];
  const double friction = rl_wrap_friction(model, index, wrap), pulls[2] = {back, on};
  const rl_path_departure d = rl_wrap_departure(friction, item, item->side);
  if (d.bent <= out_of_plane || d.seen > RL_PI + out_of_plane ||
      holds(item, friction, d.bent, pulls)) {
    return false;
  }
  const double stored = rl_wraps_stored(model, before, index);
  const bool yields = holds(item, friction, 0.0, pulls);
  if (yields) {
    const rl_body_pose at = rl_body_pose_at(model, state, state->points, wrap->body);
    const rl_vec3 normal = yielded(item, friction, pulls);
    turn_plane(model, before, index, i, rl_rotate_inverse(at.rotation, normal));
  } else {
    let_go(model, before, index, i);
  }
  before->dissipated += stored - rl_wraps_stored(model, before, index);
  return yields;
}

// Whether the strand within which a rope slips over a wrap hangs slack, by more than round-off.
static bool hangs_slack(const rl_model *model, const rl_state *state, uint32_t index, uint32_t i) {
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  uint32_t first = i;
  while (first > 0 && wraps[first - 1].grip != RL_STICKS) {
    first--;
  }
  return wraps[i].grip != RL_STICKS && wraps[i].tension == 0.0 &&
         rl_wrap_excess(model, state, index, first,
                        rl_wrap_strand_pieces(model, state, index, first)) <
             -rl_wrap_rounding * state->path_lengths[index];
}

bool rl_wraps_judge_balls(const rl_model *model, const rl_state *state, rl_state *before,
                          uint32_t index) {
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  rl_wrap *then = rl_wraps_of(model, before, index);
  bool changed = false;
  for (uint32_t i = 0; i < state->wrap_counts[index]; i++) {
    const rl_path_item *item = &rl_path_items(state, index)[i + 1];
    const double friction = rl_wrap_friction(model, index, &wraps[i]);
    const bool pulls = wraps[i].tension > 0.0;
    if (wraps[i].held) {
      const bool slips = rl_wrap_slips(&wraps[i]) && pulls;
      const rl_path_departure d = rl_wrap_departure(friction, item, item->side);
      const bool is_past = d.seen > RL_PI + out_of_plane;
      if ((slips || is_past) && !(d.bent <= (slips ? out_of_plane : item->wrap))) {
        const double stored = rl_wraps_stored(model, before, index);
        let_go(model, before, index, i);
        before->dissipated += stored - rl_wraps_stored(model, before, index);
        if (is_past) {
          then[i].grip = RL_SLIDES;
          rl_wraps_note_slip(before, index, wraps[i].body);
        }
        changed = true;
      } else if (wraps[i].grip != RL_STICKS) { // tied to this body, or slack: equal tensions
        changed = rl_wraps_yield_on_ball(model, state, before, index, i, NAN, NAN) || changed;
      }
    } else if (can_hold(model, index, &then[i], item)) {
      const bool slips = rl_wrap_slips(&then[i]) && !hangs_slack(model, state, index, i);
      then[i].held = comes_to_half(model, state, &then[i], slips, friction, item);
      changed = changed || then[i].held;
    } else if (rl_wrap_has_slipped_off(model, state, &wraps[i], item)) {
      changed = changed || then[i].grip != RL_SLIDES;
      then[i].grip = RL_SLIDES;
    }
  }
  return changed;
}
