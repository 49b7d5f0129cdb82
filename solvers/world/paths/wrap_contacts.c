// SPDX-License-Identifier: GPL-3.0-or-later
// Wraps come and go.
#include "../trigonometry.h"
#include "wrap_internal.h"

#include <string.h>

// Of the size of a part: a straight piece that lies deeper in it has run into it; and one that lay
// deeper than this before was inside, and has not.
static const double touching = 1e-10;
static const double inside = 1e-6;

// Of the length of a rope: a change of features that makes it longer than this is none.
static const double longest_slip = 1e-7;

// So many wraps in a row are new or gone after a step, at most.
enum { MOST_CHANGED = 64 };

// ---------------------------------------------------------------------------------------------
// The list

uint32_t rl_wraps_solid(rl_wrapping *w, uint32_t body, uint32_t part) {
  const rl_state *state = w->state;
  const rl_part *surface = &w->model->bodies[body].parts[part];
  // All parts lie one behind the other. What the table says of a part that is none is anything.
  uint32_t *known = &state->part_solids[surface - w->model->bodies[0].parts];
  if (*known < w->solid_count && state->solid_parts[*known][0] == body &&
      state->solid_parts[*known][1] == part) {
    return *known;
  }
  const uint32_t i = *known = (uint32_t)w->solid_count++;
  const rl_body_pose at = rl_body_pose_at(w->model, state, state->points, body);
  const double radius = w->model->ropes[w->rope].radius;
  if (radius > 0.0) {
    state->grown[i] = rl_wrap_grown_part(surface, radius);
    surface = &state->grown[i];
  }
  state->solids[i] = rl_path_solid_of(surface, at.centre, at.rotation);
  state->solid_parts[i][0] = body;
  state->solid_parts[i][1] = part;
  return i;
}

bool rl_wraps_is_on(const rl_wrapping *w, const rl_path_item *item, uint32_t body, uint32_t part) {
  return item->part != RL_NONE && w->state->solid_parts[item->part][0] == body &&
         w->state->solid_parts[item->part][1] == part;
}

// The parts of the items, from the rope's wraps.
static void find_parts(rl_wrapping *w) {
  const rl_wrap *wraps = rl_wraps_of(w->model, w->state, w->rope);
  const uint32_t count = w->state->wrap_counts[w->rope];
  for (uint32_t i = 0; i < count; i++) {
    w->path.items[i + 1].part =
        wraps[i].body == RL_NONE ? RL_NONE : rl_wraps_solid(w, wraps[i].body, wraps[i].part);
  }
  w->path.count = count + 2;
}

rl_wrapping rl_wraps_open(const rl_model *model, rl_state *state, uint32_t rope) {
  rl_wrapping w = {.model = model, .state = state, .rope = rope, .left = RL_NONE, .lost = RL_NONE};
  w.path.items = rl_path_items(state, rope);
  w.path.capacity = model->ropes[rope].wrap_capacity + 2;
  state->solved[rope] = 0;
  find_parts(&w);
  return w;
}

bool rl_wraps_wind(rl_wrapping *w, size_t after, uint32_t body, uint32_t part, rl_vec3 side,
                   uint32_t turns) {
  double length;
  const uint32_t solid = rl_wraps_solid(w, body, part);
  const rl_path_outcome outcome =
      rl_path_wind(&w->path, after, w->state->solids, w->solid_count, solid, side, turns, &length);
  return outcome == RL_PATH_FOUND || outcome == RL_PATH_ROUGH;
}

bool rl_wraps_lead(rl_wrapping *w, size_t after, uint32_t body, uint32_t part, rl_vec3 turning,
                   uint32_t turns) {
  double length;
  const uint32_t solid = rl_wraps_solid(w, body, part);
  const rl_path_outcome outcome = rl_path_lead(&w->path, after, w->state->solids, w->solid_count,
                                               solid, turning, turns, &length);
  return outcome == RL_PATH_FOUND || outcome == RL_PATH_ROUGH;
}

void rl_wraps_restore(rl_wrapping *w, size_t count) {
  memcpy(w->path.items, w->state->old_items, count * sizeof *w->path.items);
  w->path.count = count;
}

static bool is_same(const rl_path_item *a, const rl_path_item *b) {
  return a->part == b->part && a->feature == b->feature;
}

static bool is_old(const rl_wrapping *w, const rl_path_item *item, const rl_wrap *old) {
  return item->part == RL_NONE
             ? old->body == RL_NONE
             : old->body != RL_NONE && old->body != w->lost &&
                   rl_wraps_is_on(w, item, old->body, old->part) && old->feature == item->feature;
}

// Which of the old wraps the item of a wrap is, from number `next` on; RL_NONE: it is a new one.
// Where a rope goes round several times the same feature comes again and again: the list goes on as
// the old one did behind the fewest that are new or gone. Eyes neither come nor go.
static uint32_t find_old(const rl_wrapping *w, uint32_t wrap, uint32_t next, uint32_t old_count) {
  const rl_path_item *item = &w->path.items[wrap + 1];
  const rl_wrap *old = &w->state->old_wraps[next];
  const uint32_t left = (uint32_t)w->path.count - 2 - wrap, old_left = old_count - next;
  uint32_t eye = 0, old_eye = 0; // the next ones
  while (eye < left && item[eye].part != RL_NONE) {
    eye++;
  }
  while (old_eye < old_left && old[old_eye].body != RL_NONE) {
    old_eye++;
  }
  if (eye == 0) {
    return next + old_eye;
  }
  for (uint32_t skipped = 0; skipped < left + old_left && skipped < MOST_CHANGED; skipped++) {
    for (uint32_t gone = 0; gone <= skipped && gone < old_left && gone <= old_eye; gone++) {
      const uint32_t come = skipped - gone;
      if (come < left && come <= eye && is_old(w, item + come, &old[gone])) {
        return come == 0 ? next + gone : RL_NONE;
      }
    }
  }
  return RL_NONE;
}

// How many wraps, from one end of the rope, are on the body that it is tied to there: the rope
// cannot slip on these, for it holds itself.
static uint32_t count_own(const rl_wrapping *w, uint32_t end) {
  const rl_wrap *wraps = rl_wraps_of(w->model, w->state, w->rope);
  const uint32_t count = w->state->wrap_counts[w->rope];
  const uint32_t tied = rl_tied_body(w->model, w->model->ropes[w->rope].ends[end]);
  uint32_t own = 0;
  while (own < count && tied != RL_NONE && wraps[end == 0 ? own : count - 1 - own].body == tied) {
    own++;
  }
  return own;
}

// Where there is friction the rope sticks at first, and again after it has slipped off.
static void find_grips(rl_wrapping *w) {
  rl_wrap *wraps = rl_wraps_of(w->model, w->state, w->rope);
  const uint32_t count = w->state->wrap_counts[w->rope];
  const uint32_t own[2] = {count_own(w, 0), count_own(w, 1)};
  for (uint32_t i = 0; i < count; i++) {
    const bool slides = rl_wrap_friction(w->model, w->rope, &wraps[i]) == 0.0 || i < own[0] ||
                        count - 1 - i < own[1];
    wraps[i].grip = slides ? RL_SLIDES : wraps[i].grip == RL_SLIDES ? RL_STICKS : wraps[i].grip;
  }
}

static rl_wrap new_wrap(const rl_wrapping *w, const rl_path_item *item) {
  const uint32_t *place = w->state->solid_parts[item->part];
  rl_wrap wrap = {.body = place[0], .part = place[1], .feature = item->feature};
  return wrap;
}

// New pieces first ... last, which have what is left of old ones, share its rest length, and how
// much longer they are than these, `old_length`.
static void share_rest(const rl_wrapping *w, uint32_t first, uint32_t last, double rest,
                       double tension, double old_length) {
  rl_wrap *wraps = rl_wraps_of(w->model, w->state, w->rope);
  double length = 0.0;
  for (uint32_t p = first; p <= last; p++) {
    length += rl_wrap_piece_length(w->model, w->state, w->rope, p, w->state->points);
  }
  for (uint32_t p = first; p <= last; p++) {
    const double own = rl_wrap_piece_length(w->model, w->state, w->rope, p, w->state->points);
    if (w->lengths && length > 0.0) {
      rl_wrap_growths(w->state, w->rope)[p] = (length - old_length) * own / length;
    }
    if (p > 0) {
      wraps[p - 1].rest = length > 0.0 ? rest * own / length : 0.0;
      wraps[p - 1].tension = tension;
    }
  }
}

// Whether a rope has come, by way of other features, to lie elsewhere on one on which it lay
// before: what held it there is a quarter turn away from its arc, or a radius from its place on a
// rim.
static bool lies_elsewhere(const rl_wrapping *w, const rl_wrap *wrap, rl_path_item *item) {
  if (wrap->body == RL_NONE || item->kind == RL_PATH_LINE) {
    return false;
  }
  if (item->kind == RL_PATH_CIRCLE) {
    const rl_body_pose at = rl_body_pose_at(w->model, w->state, w->state->points, wrap->body);
    return rl_distance(rl_wrap_to_world(at, wrap->mark), item->entry) > item->radius;
  }
  const double before = rl_wrap_before_mark(w->model, w->state, wrap, item, w->state->points);
  return fabs(before - 0.5 * item->arc) >
         0.5 * item->arc + (w->lost == RL_NONE ? 0.5 * RL_PI * item->radius : 0.0);
}

// The wraps of the list's items, with the number of the old one for now where the rest length will
// be. Returns the body on which the rope lies elsewhere than before.
static uint32_t take_items(rl_wrapping *w, uint32_t old_count) {
  rl_state *state = w->state;
  rl_wrap *wraps = rl_wraps_of(w->model, state, w->rope);
  uint32_t next = 0, moved = RL_NONE;
  for (uint32_t i = 0; i < state->wrap_counts[w->rope]; i++) {
    rl_path_item *item = &w->path.items[i + 1];
    const uint32_t old = find_old(w, i, next, old_count);
    next = old == RL_NONE ? next : old + 1;
    wraps[i] = old == RL_NONE ? new_wrap(w, item) : state->old_wraps[old];
    wraps[i].rest = old == RL_NONE ? -1.0 : old;
    rl_wrap_keep(w->model, state, &wraps[i], item);
    if (old == RL_NONE) {
      rl_wrap_mark_middle(w->model, state, &wraps[i], item);
    } else if (lies_elsewhere(w, &wraps[i], item)) {
      moved = wraps[i].body;
    }
  }
  return moved;
}

void rl_wraps_adopt(rl_wrapping *w) {
  rl_state *state = w->state;
  rl_wrap *wraps = rl_wraps_of(w->model, state, w->rope);
  const uint32_t old_count = state->wrap_counts[w->rope];
  const uint32_t count = (uint32_t)w->path.count - 2;
  const double first_tension = rl_wrap_piece_tension(w->model, state, w->rope, 0);
  const double first_rest = rl_wrap_piece_rest(w->model, state, w->rope, 0);
  memcpy(state->old_wraps, wraps, old_count * sizeof *wraps);
  memset(wraps, 0, (old_count > count ? old_count : count) * sizeof *wraps);
  state->wrap_counts[w->rope] = count;
  const uint32_t moved = take_items(w, old_count);
  if (moved != RL_NONE) {
    w->lost = moved;
    take_items(w, old_count);
  }
  find_grips(w);
  // Pieces between two wraps that were there before have the rest lengths that were between these.
  uint32_t first = 0, old_piece = 0;
  for (uint32_t p = 0;
       p <= count && w->model->ropes[w->rope].rubs && !rl_wraps_is_loop(w->model, w->rope); p++) {
    const bool ends = p == count || wraps[p].rest >= 0.0;
    if (!ends) {
      continue;
    }
    const uint32_t old_end = p == count ? old_count : (uint32_t)wraps[p].rest;
    const double tension = old_piece == 0 ? first_tension : state->old_wraps[old_piece - 1].tension;
    double rest = 0.0, length = 0.0;
    for (; old_piece <= old_end; old_piece++) {
      rest += old_piece == 0 ? first_rest : state->old_wraps[old_piece - 1].rest;
      length += w->lengths ? w->lengths[old_piece] : 0.0;
    }
    share_rest(w, first, p, rest, tension, length);
    first = p + 1;
  }
}

// The features stay what they are; the next search begins where this one has ended.
static void keep_wraps(rl_wrapping *w) {
  rl_wrap *wraps = rl_wraps_of(w->model, w->state, w->rope);
  for (uint32_t i = 0; i + 2 < w->path.count; i++) {
    rl_wrap_keep(w->model, w->state, &wraps[i], &w->path.items[i + 1]);
  }
  find_grips(w);
  rl_wrap_path_stays(w->model, w->state, w->rope);
}

bool rl_wraps_is_settled(const rl_wrapping *w, const rl_path_item *item) {
  if (item->part == RL_NONE) {
    return true;
  }
  const rl_path_solid *solid = &w->state->solids[item->part];
  const double half = 0.5 * solid->part->length;
  const double entry = rl_dot(rl_sub(item->entry, solid->at), item->axis);
  const double exit = rl_dot(rl_sub(item->exit, solid->at), item->axis);
  const bool ball = item->kind == RL_PATH_SPHERE && item->feature == RL_FEATURE_SIDE;
  const bool side = item->kind == RL_PATH_CYLINDER && fmax(fabs(entry), fabs(exit)) < half;
  return (ball || side) && item->wrap > 0.0;
}

static bool all_settled(const rl_wrapping *w) {
  bool settled = true;
  for (size_t i = 1; i + 1 < w->path.count && settled; i++) {
    settled = rl_wraps_is_settled(w, &w->path.items[i]);
  }
  return settled;
}

// ---------------------------------------------------------------------------------------------
// Straight pieces that run into parts

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

// Of a step, the least advance towards a part, and how many there are at most: a piece that is
// still outside then glides along, and where it is then will do. A place at a small share s of the
// piece from an end that rests comes nearer by s of what is left with each.
static const double least_advance = 1e-6;
enum { MOST_ADVANCES = 4000 };

// When the piece first touches the part, from 0 to 1, or last, looking back from 1. Its distance
// changes no faster than its ends move [m in the step].
static double find_touch(const rl_part *part, double radius, const moving_piece *m, bool back,
                         double speed, double depth, rl_vec3 *normal, double *distance) {
  const double sign = back ? -1.0 : 1.0, until = back ? 0.0 : 1.0;
  double t = 1.0 - until, gap = piece_distance(part, radius, m, t, normal);
  for (int k = 0; k < MOST_ADVANCES && gap > depth && t != until; k++) {
    t = fmin(fmax(t + sign * fmax(gap / speed, least_advance), 0.0), 1.0);
    gap = piece_distance(part, radius, m, t, normal);
  }
  *distance = gap;
  return t;
}

// Whether a piece that has touched the part at `t` with that normal, and is clear of it at the end,
// has gone through it, and from which side: the one that it touched, or, where it went in and out
// over the same side of something flat, the one that it came from.
static bool has_gone_through(const rl_part *part, double radius, const moving_piece *m, double t,
                             double speed, double depth, rl_vec3 last, rl_vec3 *normal) {
  if (rl_dot(*normal, last) < 0.0) {
    return true;
  }
  const rl_vec3 way = rl_sub(rl_add(m->to[0], m->to[1]), rl_add(m->from[0], m->from[1]));
  rl_vec3 unused;
  double distance;
  const double out = find_touch(part, radius, m, true, speed, depth, &unused, &distance);
  if (piece_distance(part, radius, m, 0.5 * (t + out), &unused) > -inside * part->inner) {
    return false; // it has only grazed it
  }
  *normal = rl_scale(-1.0, rl_unit(way));
  return true;
}

// When within the step, from 0 to 1, the piece runs into the part, or through it, with the normal
// of the side from which it came; 2: it does not. One that begins inside has run into nothing.
static double runs_into(const rl_part *part, double radius, const moving_piece *m,
                        rl_vec3 *normal) {
  static const double never = 2.0;
  const double size = part->inner;
  const double depth = touching * size;
  const double speed = fmax(rl_distance(m->from[0], m->to[0]), rl_distance(m->from[1], m->to[1]));
  rl_vec3 last;
  const double end = piece_distance(part, radius, m, 1.0, &last);
  if (end >= -depth && (speed < size || end > speed)) {
    return never;
  }
  if (piece_distance(part, radius, m, 0.0, normal) < -inside * size) {
    return never;
  }
  double distance;
  const double t = find_touch(part, radius, m, false, speed, depth, normal, &distance);
  const bool touches = end < -depth || distance <= depth;
  return touches &&
                 (end < -depth || has_gone_through(part, radius, m, t, speed, depth, last, normal))
             ? t
             : never;
}

// Where a piece was at the start of the step and is now, in the world's frame.
typedef struct swept_piece {
  rl_vec3 from[2], to[2];
} swept_piece;

static moving_piece seen_from(rl_body_pose was, rl_body_pose is, const swept_piece *piece) {
  return (moving_piece){
      {rl_wrap_to_body(was, piece->from[0]), rl_wrap_to_body(was, piece->from[1])},
      {rl_wrap_to_body(is, piece->to[0]), rl_wrap_to_body(is, piece->to[1])}};
}

// A ball that a piece has not left in the step.
typedef struct ball {
  rl_vec3 centre;
  double radius;
} ball;

static ball ball_about(const swept_piece *piece, double radius) {
  const double moved =
      fmax(rl_distance(piece->from[0], piece->to[0]), rl_distance(piece->from[1], piece->to[1]));
  return (ball){rl_scale(0.5, rl_add(piece->to[0], piece->to[1])),
                0.5 * rl_distance(piece->to[0], piece->to[1]) + moved + radius};
}

// How far a body has moved.
static double body_way(const rl_model *model, const rl_state *before, const rl_state *state,
                       uint32_t body) {
  const uint32_t slot = rl_body_slot(model, body);
  return rl_distance(rl_position(&before->points[slot]), rl_position(&state->points[slot]));
}

// Whether a piece may have run into a body, or a body into it.
static bool is_near(const rl_wrapping *w, const rl_state *before, ball about, uint32_t body) {
  const rl_vec3 way =
      rl_sub(about.centre, rl_position(&w->state->points[rl_body_slot(w->model, body)]));
  const double reach =
      about.radius + w->model->bodies[body].bound + body_way(w->model, before, w->state, body);
  return rl_dot(way, way) <= reach * reach;
}

// Some direction along which no row of bodies is at one place.
static const rl_vec3 order_along = {0.8, 0.48, 0.36};

// Where a body is in the order: what has no surface behind all, what has no bounds before all.
static double place_in_order(const rl_model *model, const rl_state *state, uint32_t body) {
  const rl_body *b = &model->bodies[body];
  return b->part_count == 0 ? INFINITY
         : !isfinite(b->bound)
             ? -INFINITY
             : rl_dot(order_along, rl_position(&state->points[rl_body_slot(model, body)]));
}

// Puts the bodies in order. They nearly are, from the step before.
static void order_bodies(const rl_model *model, const rl_state *before, rl_state *state) {
  uint32_t *order = state->body_order;
  double *places = state->body_places;
  for (; state->ordered_count < model->body_count; state->ordered_count++) {
    order[state->ordered_count] = state->ordered_count;
  }
  state->widest_body = 0.0;
  for (uint32_t i = 0; i < model->body_count; i++) {
    const uint32_t body = order[i];
    const double bound = model->bodies[body].bound, place = place_in_order(model, state, body);
    uint32_t k = i;
    for (; k > 0 && places[k - 1] > place; k--) {
      places[k] = places[k - 1];
      order[k] = order[k - 1];
    }
    places[k] = place;
    order[k] = body;
    state->widest_body = isfinite(bound) ? rl_larger(state->widest_body,
                                                     bound + body_way(model, before, state, body))
                                         : state->widest_body;
  }
}

// The first from `low` on that is not before a place.
static uint32_t first_from(const rl_state *state, uint32_t low, uint32_t count, double place) {
  while (count > low) {
    const uint32_t middle = low + (count - low) / 2;
    if (state->body_places[middle] < place) {
      low = middle + 1;
    } else {
      count = middle;
    }
  }
  return low;
}

// Where a piece runs into a part first.
typedef struct hit {
  uint32_t body, part;
  rl_vec3 side; // of the body from which it came, world frame
} hit;

// Whether an end of the rope or an eye that a piece leads to has come into a part: there is no way
// round that.
static bool ends_in(const rl_wrapping *w, const rl_path_item *from, const rl_part *part,
                    rl_body_pose at) {
  bool in = false;
  for (int k = 0; k < 2; k++) {
    in = in || (from[k].part == RL_NONE &&
                rl_shape_surface(part, at.centre, at.rotation, from[k].at).distance -
                        w->model->ropes[w->rope].radius <
                    -inside * part->inner);
  }
  return in;
}

// Looks for it on a body; `first` is when that is.
static void find_hit_on(const rl_wrapping *w, const rl_state *before, size_t piece,
                        const swept_piece *swept, uint32_t body, double *first, hit *found) {
  const rl_model *model = w->model;
  const rl_path_item *items = w->path.items;
  for (uint32_t part = 0; part < model->bodies[body].part_count; part++) {
    if (rl_wraps_is_on(w, &items[piece], body, part) ||
        rl_wraps_is_on(w, &items[piece + 1], body, part)) {
      continue; // what lies on a part is led over it by its rules
    }
    rl_vec3 normal;
    const rl_body_pose was = rl_body_pose_at(model, before, before->points, body);
    const rl_body_pose is = rl_body_pose_at(model, w->state, w->state->points, body);
    const moving_piece m = seen_from(was, is, swept);
    const double t =
        runs_into(&model->bodies[body].parts[part], model->ropes[w->rope].radius, &m, &normal);
    if (t <= 1.0 && ends_in(w, &items[piece], &model->bodies[body].parts[part], is)) {
      continue;
    }
    if (t < *first || (t <= 1.0 && t == *first && body < found->body)) {
      *found = (hit){body, part, rl_rotate(is.rotation, normal)};
      *first = t;
    }
  }
}

static bool find_hit(const rl_wrapping *w, const rl_state *before, size_t piece,
                     const swept_piece *swept, hit *found) {
  static const double rounding = 1e-9;
  const rl_model *model = w->model;
  const rl_state *state = w->state;
  const ball about = ball_about(swept, model->ropes[w->rope].radius);
  const uint8_t *touches = &model->touches[(size_t)w->rope * model->body_count];
  const double place = rl_dot(order_along, about.centre);
  const double reach = (1.0 + rounding) * (about.radius + state->widest_body);
  double first = 2.0;
  for (uint32_t i = 0; i < model->body_count && state->body_places[i] <= place + reach; i++) {
    if (isfinite(state->body_places[i]) && state->body_places[i] < place - reach) {
      i = first_from(state, i, model->body_count, place - reach) - 1;
      continue;
    }
    const uint32_t body = state->body_order[i];
    if (touches[body] && body != w->left && is_near(w, before, about, body)) {
      find_hit_on(w, before, piece, swept, body, &first, found);
    }
  }
  return first <= 1.0;
}

// Puts the rope on the ball or the side of a part that a piece has run into, if it can lie there.
static bool wrap_side(rl_wrapping *w, size_t piece, const hit *found, const swept_piece *swept) {
  rl_path_item *items = w->path.items;
  const uint32_t solid = rl_wraps_solid(w, found->body, found->part);
  const rl_path_solid *s = &w->state->solids[solid];
  if (rl_is_polyhedron(s->part->shape) || w->path.count == w->path.capacity) {
    return false;
  }
  // Roughly where it comes to lie: the deepest point of the piece, on the side from which it came.
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

// What has come to more than half of a ball, where no friction holds it, goes the shortest way from
// there. Whether something has.
static bool leave_half_balls(rl_wrapping *w) {
  bool any = false;
  for (size_t i = 1; i + 1 < w->path.count; i++) {
    rl_path_item *item = &w->path.items[i];
    if (item->kind == RL_PATH_SPHERE && !item->held && rl_path_is_past_half(item)) {
      item->reference = item->side;
      item->side = rl_vec(0.0, 0.0, 0.0);
      any = true;
    }
  }
  return any;
}

// Lets the features of the list change. False where that finds no way.
static bool adapt_features(rl_wrapping *w, double *length) {
  rl_path_outcome outcome = rl_path_adapt(&w->path, w->state->solids, w->solid_count, length);
  if (outcome == RL_PATH_FOUND && leave_half_balls(w)) {
    outcome = rl_path_adapt(&w->path, w->state->solids, w->solid_count, length);
  }
  return outcome == RL_PATH_FOUND || outcome == RL_PATH_ROUGH;
}

// The same by the rules of features, from where the piece is now.
static bool adapt_to(rl_wrapping *w, size_t piece, const hit *found, const swept_piece *swept) {
  (void)piece;
  (void)swept;
  double length;
  rl_wraps_solid(w, found->body, found->part);
  return adapt_features(w, &length);
}

// And over the rim of a drum, where the piece has come over the end and cuts off a bit of the side:
// where it is deepest.
static bool wrap_rim(rl_wrapping *w, size_t piece, const hit *found, const swept_piece *swept) {
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

// And by winding round the part, for a piece that has gone through it.
static bool wind_round(rl_wrapping *w, size_t piece, const hit *found, const swept_piece *swept) {
  return rl_wraps_wind(w, piece, found->body, found->part, found->side, 0) &&
         adapt_to(w, piece, found, swept);
}

// Where the point p of what item i of the list is held by was at the start of the step.
static rl_vec3 was_at(const rl_wrapping *w, const rl_state *before, size_t i, rl_vec3 p) {
  const rl_path_item *item = &w->path.items[i];
  if (item->part != RL_NONE) {
    const uint32_t body = w->state->solid_parts[item->part][0];
    return rl_wrap_to_world(
        rl_body_pose_at(w->model, before, before->points, body),
        rl_wrap_to_body(rl_body_pose_at(w->model, w->state, w->state->points, body), p));
  }
  // Ends and eyes stay in their order, whatever comes between.
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

// By how much the way of the list, which is solved, can be longer than that at the start of the
// step (15): its length is convex in the places of what it passes, so that its directions at the
// end tell of the largest change.
static double largest_change(const rl_wrapping *w, const rl_state *before) {
  const rl_path_item *items = w->path.items;
  double along = 0.0, moves = 0.0;
  for (size_t k = 0; k + 1 < w->path.count; k++) {
    const rl_vec3 x = items[k].exit, y = items[k + 1].entry;
    const rl_vec3 from = rl_sub(x, was_at(w, before, k, x));
    const rl_vec3 to = rl_sub(y, was_at(w, before, k + 1, y));
    along += rl_dot(items[k].out, rl_sub(to, from));
    moves += rl_length(rl_sub(to, from));
  }
  return fmax(fmax(along, w->along), 0.0) + rl_wrap_bent_share * moves;
}

// The length of the list, if it has taken the part on; else INFINITY. What falls can pass over the
// end of the part, or by others that it comes to lie on.
static double caught_length(rl_wrapping *w, const hit *found, size_t count) {
  bool on = w->left != RL_NONE;
  for (size_t i = 1; i + 1 < w->path.count && !on; i++) {
    on = w->path.count > count && rl_wraps_is_on(w, &w->path.items[i], found->body, found->part);
  }
  return on ? rl_path_solve(w->path.items, w->path.count, NULL) : INFINITY;
}

// Whether a straight piece goes through a part of a body, which is where it is in a state.
static bool cuts(const rl_wrapping *w, const rl_state *state, const rl_path_item *from,
                 uint32_t body, uint32_t part, double depth) {
  const rl_body_pose at = rl_body_pose_at(w->model, state, state->points, body);
  const rl_part *p = &w->model->bodies[body].parts[part];
  rl_surface surface;
  rl_shape_segment(p, at.centre, at.rotation, from[0].exit, from[1].entry, &surface);
  return surface.distance - w->model->ropes[w->rope].radius < -depth * p->inner;
}

// Marks the parts through which the rope went at the start of the step already, as one does whose
// end has gone through a part: the rules lead it past all others as if these were not there. True
// if there is one more.
static bool pass_parts(rl_wrapping *w, const rl_state *before) {
  const rl_path_item *items = rl_path_items(before, w->rope);
  bool any = false;
  for (size_t i = 0; i < w->solid_count; i++) {
    const uint32_t *place = w->state->solid_parts[i];
    bool through = false;
    for (uint32_t k = 0; k <= before->wrap_counts[w->rope] && !through; k++) {
      through = cuts(w, before, &items[k], place[0], place[1], inside);
    }
    any = any || (through && !w->state->solids[i].passed);
    w->state->solids[i].passed = through;
  }
  return any;
}

// The first way by which the rope becomes no longer than it was, or than it can have become, and
// where none is, the first of all. What falls comes from far: on the side from which it came, and
// never longer than it was there.
static bool catch_hit(rl_wrapping *w, const rl_state *before, size_t piece, const hit *found,
                      const swept_piece *swept) {
  const size_t count = w->path.count, solids = w->solid_count;
  const rl_body_pose was = rl_body_pose_at(w->model, before, before->points, found->body);
  const rl_body_pose is = rl_body_pose_at(w->model, w->state, w->state->points, found->body);
  const moving_piece m = seen_from(was, is, swept);
  const double length = rl_path_solve(w->path.items, count, NULL);
  const double most = w->left != RL_NONE
                          ? w->start
                          : length * (1.0 + longest_slip) + rl_distance(m.from[0], m.to[0]) +
                                rl_distance(m.from[1], m.to[1]);
  static bool (*const ways[])(rl_wrapping *, size_t, const hit *,
                              const swept_piece *) = {wrap_side, adapt_to, wrap_rim, wind_round};
  enum { WAYS = sizeof ways / sizeof ways[0] };
  memcpy(w->state->old_items, w->path.items, count * sizeof *w->path.items);
  size_t longer = WAYS;
  for (size_t k = w->left == RL_NONE ? 0 : WAYS - 1; k < WAYS; k++) {
    const double now = ways[k](w, piece, found, swept) ? caught_length(w, found, count) : INFINITY;
    const bool is_possible = now <= most && (w->left != RL_NONE || now >= w->shortest);
    if (is_possible &&
        now <= fmax(length * (1.0 + longest_slip), w->start + largest_change(w, before))) {
      return true;
    }
    longer = is_possible && longer == WAYS ? k : longer;
    rl_wraps_restore(w, count);
  }
  if (longer < WAYS) {
    return ways[longer](w, piece, found, swept);
  }
  if (w->left == RL_NONE && pass_parts(w, before)) {
    return catch_hit(w, before, piece, found, swept);
  }
  // It only grazes, or passes through: what falls on the others need not be led round that.
  w->solid_count = w->left != RL_NONE ? solids : w->solid_count;
  return false;
}

// Wraps for all that a piece has run into; the two pieces beside them are looked at again.
static void catch_hits(rl_wrapping *w, const rl_state *before, size_t piece,
                       const swept_piece *swept) {
  const size_t count = w->path.count;
  hit found = {.body = RL_NONE};
  if (!find_hit(w, before, piece, swept, &found) || !catch_hit(w, before, piece, &found, swept)) {
    return;
  }
  const size_t come = w->path.count - count;
  if (w->path.count <= count ||
      !rl_wraps_is_on(w, &w->path.items[piece + 1], found.body, found.part) ||
      !rl_wraps_is_on(w, &w->path.items[piece + come], found.body, found.part)) {
    return; // something else has changed as well
  }
  const rl_vec3 entry = w->path.items[piece + 1].entry, exit = w->path.items[piece + come].exit;
  const double length = rl_distance(swept->to[0], entry);
  const double share = length / (length + rl_distance(exit, swept->to[1]));
  const rl_vec3 was = rl_add_scaled(swept->from[0], share, rl_sub(swept->from[1], swept->from[0]));
  const swept_piece second = {{was, swept->from[1]}, {exit, swept->to[1]}};
  const swept_piece one = {{swept->from[0], was}, {swept->to[0], entry}};
  catch_hits(w, before, piece + come, &second);
  catch_hits(w, before, piece, &one);
}

// The place of the old items first ... last - 1 that is farthest from a piece.
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

// Whether a straight piece of a list goes through a body.
static bool goes_through(const rl_wrapping *w, const rl_path_item *items, size_t count,
                         uint32_t body) {
  bool through = false;
  for (uint32_t part = 0; part < w->model->bodies[body].part_count; part++) {
    for (size_t k = 0; k + 1 < count && !through; k++) {
      through = cuts(w, w->state, &items[k], body, part, inside);
    }
  }
  return through;
}

// Adds to the parts that are known what the pieces go through, but for the body that the rope has
// left, and those that it went through in the old items: an end of it has come into these.
static void find_cut_parts(rl_wrapping *w, const rl_path_item *old, size_t old_count) {
  const rl_model *model = w->model;
  const rl_path_item *items = w->path.items;
  for (size_t k = 0; k + 1 < w->path.count; k++) {
    const rl_vec3 a = items[k].exit, b = items[k + 1].entry;
    const swept_piece rests = {{a, b}, {a, b}};
    const ball about = ball_about(&rests, model->ropes[w->rope].radius);
    for (uint32_t body = 0; body < model->body_count; body++) {
      const bool near = model->touches[(size_t)w->rope * model->body_count + body] &&
                        body != w->left && is_near(w, w->state, about, body);
      for (uint32_t part = 0; near && part < model->bodies[body].part_count; part++) {
        if (cuts(w, w->state, &items[k], body, part, touching) &&
            !goes_through(w, old, old_count, body)) {
          rl_wraps_solid(w, body, part);
        }
      }
    }
  }
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

// What has fallen goes through nothing, as the old items did not: until no piece does, the rules of
// features lead it round, where that makes it no longer than it can be. Not round the body that it
// has left, where it goes through that because an end comes into it.
static void clear_fallen(rl_wrapping *w, const rl_path_item *old, size_t old_count, double most) {
  if (w->left != RL_NONE && goes_through(w, w->path.items, w->path.count, w->left) &&
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
    find_cut_parts(w, old, old_count);
  }
}

// The rope has slipped off a body that it lay on in the old items: it falls from there to where it
// is now, and on whatever stands in between.
static void fall(rl_wrapping *w, size_t old_count, uint32_t left) {
  rl_path_item *old = w->state->left_items;
  const rl_path_item *items = w->path.items;
  memcpy(old, w->state->old_items, old_count * sizeof *old);
  const size_t count = w->path.count, shorter = count < old_count ? count : old_count;
  w->lost = left;
  w->start = w->along = 0.0;
  for (size_t k = 0; k < old_count; k++) {
    w->start += old[k].piece + old[k].arc;
  }
  size_t first = 0, same = 0; // so many are as they were at the start of the list, and at its end
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
      continue; // what was caught has taken more off than it has brought
    }
    const swept_piece swept = {{from, from},
                               {w->path.items[piece].exit, w->path.items[piece + 1].entry}};
    catch_hits(w, w->state, piece, &swept);
  }
  clear_fallen(w, old, old_count, w->start);
  w->left = RL_NONE;
}

// ---------------------------------------------------------------------------------------------
// The end of a step

// Takes a wrap off; the pieces beside it become one.
static void remove_wrap(const rl_model *model, rl_state *state, uint32_t index, uint32_t i) {
  rl_wrap *wraps = rl_wraps_of(model, state, index);
  const uint32_t last = --state->wrap_counts[index];
  if (i > 0) {
    wraps[i - 1].rest += wraps[i].rest;
  }
  memmove(&wraps[i], &wraps[i + 1], (last - i) * sizeof *wraps);
  memset(&wraps[last], 0, sizeof *wraps);
}

// Whether the neighbour of a wrap on the path is inside its part, so that there is no way past it.
static bool is_run_over(const rl_model *model, const rl_state *state, uint32_t index, uint32_t i,
                        uint32_t neighbour) {
  const rl_wrap *wrap = &rl_wraps_of(model, state, index)[i];
  const rl_path_item *item = &rl_path_items(state, index)[neighbour];
  const bool is_end = neighbour == 0 || neighbour > state->wrap_counts[index];
  const rl_wrap *beside = is_end ? NULL : &rl_wraps_of(model, state, index)[neighbour - 1];
  if (wrap->body == RL_NONE || rl_wrap_is_round(item) ||
      (beside && beside->body == wrap->body && beside->part == wrap->part)) {
    return false; // a place on the part itself is on its surface, to rounding
  }
  const rl_body_pose at = rl_body_pose_at(model, state, state->points, wrap->body);
  return rl_shape_surface(rl_wrap_part(model, wrap), at.centre, at.rotation, item->at).distance <
         model->ropes[index].radius;
}

uint32_t rl_wraps_run_over(const rl_model *model, const rl_state *state, uint32_t index) {
  const uint32_t count = state->wrap_counts[index];
  const bool is_loop = rl_wraps_is_loop(model, index); // its last wrap is beside its first
  for (uint32_t i = 0; i < count; i++) {
    if (is_run_over(model, state, index, i, is_loop && i == 0 ? count : i) ||
        is_run_over(model, state, index, i, is_loop && i + 1 == count ? 1 : i + 2)) {
      return i;
    }
  }
  return RL_NONE;
}

// The wrap that stands in the way where there is none: on the body that an end has come into, else
// the first on any. Eyes stay.
static uint32_t hindrance(const rl_model *model, const rl_state *state, uint32_t index) {
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  uint32_t found = rl_wraps_run_over(model, state, index);
  for (uint32_t i = 0; i < state->wrap_counts[index] && found == RL_NONE; i++) {
    found = wraps[i].body != RL_NONE ? i : RL_NONE;
  }
  return found;
}

// Where an end of the rope has come into a body that it lay on, or bodies into each other, there is
// no way any more: the rope slips off wraps until there is one. True if some have gone.
static bool find_way(const rl_model *model, rl_state *state, uint32_t index) {
  bool gone = false;
  while (isnan(rl_wrap_path(model, state, index, state->points))) {
    const uint32_t i = hindrance(model, state, index);
    if (i == RL_NONE) {
      break;
    }
    rl_wraps_note_slip(state, index, rl_wraps_of(model, state, index)[i].body);
    remove_wrap(model, state, index, i);
    gone = true;
  }
  return gone;
}

// By how much the shortest way of a rope can have become longer, or shorter, in a step: by what its
// ends, eyes and the places of the bodies that it lies on have moved. With the paths of both in
// their items.
static double longest_growth(const rl_model *model, const rl_state *before, const rl_state *state,
                             uint32_t index) {
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  const uint32_t count = state->wrap_counts[index];
  double sum = 0.0;
  for (uint32_t i = 0; i < count + 2; i++) {
    const bool within = i > 1 && i < count && wraps[i - 1].body != RL_NONE &&
                        wraps[i - 2].body == wraps[i - 1].body &&
                        wraps[i].body == wraps[i - 1].body;
    if (within) { // pieces between places of one body stay as long as they are
      continue;
    }
    rl_vec3 was = rl_path_items(before, index)[i].exit, is = rl_path_items(state, index)[i].exit;
    if (i > 0 && i <= count && wraps[i - 1].body != RL_NONE) {
      const uint32_t body = wraps[i - 1].body;
      const rl_vec3 place =
          rl_wrap_to_body(rl_body_pose_at(model, before, before->points, body), was);
      is = rl_wrap_to_world(rl_body_pose_at(model, state, state->points, body), place);
    }
    sum += rl_distance(was, is);
  }
  return sum;
}

// The first body of the rope's wraps that its new way does not lie on; the first of all if there is
// none.
static uint32_t body_left(const rl_wrapping *w) {
  const rl_wrap *wraps = rl_wraps_of(w->model, w->state, w->rope);
  for (uint32_t i = 0; i < w->state->wrap_counts[w->rope]; i++) {
    bool lies = wraps[i].body == RL_NONE;
    for (size_t k = 1; k + 1 < w->path.count && !lies; k++) {
      lies = rl_wraps_is_on(w, &w->path.items[k], wraps[i].body, wraps[i].part);
    }
    if (!lies) {
      return wraps[i].body;
    }
  }
  return wraps[0].body;
}

bool rl_wraps_slip_off(const rl_model *model, rl_state *state, uint32_t index, uint32_t body,
                       rl_slip slip) {
  rl_wrapping w = rl_wraps_open(model, state, index);
  w.run_over = slip == RL_SLIP_RUN_OVER;
  const size_t count = w.path.count;
  memcpy(state->old_items, w.path.items, count * sizeof *w.path.items);
  w.path.count = 0;
  for (size_t i = 0; i < count; i++) {
    const rl_path_item *item = &state->old_items[i];
    if (item->part == RL_NONE || state->solid_parts[item->part][0] != body) {
      w.path.items[w.path.count++] = *item;
    }
  }
  const bool leads = !isnan(rl_path_solve(w.path.items, w.path.count, NULL));
  if (slip == RL_SLIP_IF_CLEAR && leads && goes_through(&w, w.path.items, w.path.count, body)) {
    rl_wraps_restore(&w, count);
    return false;
  }
  order_bodies(model, state, state);
  if (leads) {
    fall(&w, count, body);
  }
  rl_wraps_adopt(&w);
  rl_wraps_note_slip(state, index, body);
  return true;
}

// Whether the features of the list are others than those of the old one, which is kept.
static bool has_changed(rl_wrapping *w, size_t old_count) {
  const rl_path_item *old = w->state->old_items;
  bool same = w->path.count == old_count;
  for (size_t k = 0; k < old_count && same; k++) {
    same = is_same(&old[k], &w->path.items[k]);
  }
  return !same;
}

// On other features, also of the same length, the rope can go through what it has passed by.
static void clear_changed(rl_wrapping *w, size_t old_count, double most) {
  rl_path_item *old = w->state->left_items;
  const size_t known = w->solid_count;
  memcpy(old, w->state->old_items, old_count * sizeof *old);
  find_cut_parts(w, old, old_count);
  if (w->solid_count > known) {
    clear_fallen(w, old, old_count, most);
  }
}

// Lets the features of the list change. What would be longer than the rope is on the features that
// it has, and longer than the way at the start of the step can have become, is no way that it could
// have slid to: then it stays on these. Where it is shorter than that way can have become, the rope
// has slipped off what it lay on.
static void adapt(rl_wrapping *w, const rl_state *before) {
  if (all_settled(w)) {
    return;
  }
  const size_t count = w->path.count;
  const double kept = rl_path_solve(w->path.items, count, NULL);
  double length;
  memcpy(w->state->old_items, w->path.items, count * sizeof *w->path.items);
  const bool is_found = adapt_features(w, &length);
  const double most =
      is_found ? fmax(kept * (1.0 + longest_slip), w->start + largest_change(w, before)) : kept;
  if (!is_found || !(length <= most)) {
    rl_wraps_restore(w, count);
    if (pass_parts(w, before)) {
      adapt(w, before);
    }
  } else if (length < w->shortest && count > 2) {
    const uint32_t body = body_left(w); // while the old wraps are still there
    if (body != RL_NONE) {
      rl_wraps_note_slip(w->state, w->rope, body);
      fall(w, count, body);
    }
  } else if (has_changed(w, count) || length < kept * (1.0 - longest_slip)) {
    clear_changed(w, count, most);
  }
}

static size_t count_splits(const rl_model *model, const rl_state *state, uint32_t index) {
  size_t count = 0;
  for (uint32_t i = 0; i + 1 < rl_wraps_pieces(model, state, index); i++) {
    count += rl_wraps_of(model, state, index)[i].grip == RL_STICKS ? 1 : 0;
  }
  return count;
}

// Whether a loop has run off the end of the side on which it lay: nothing of its arc is on that.
static bool is_off_end(const rl_model *model, const rl_wrap *wrap, const rl_path_item *item) {
  if (item->kind != RL_PATH_CYLINDER) {
    return false;
  }
  const double half = 0.5 * rl_wrap_part(model, wrap)->length;
  const double entry = rl_dot(rl_sub(item->entry, item->at), item->axis);
  const double exit = rl_dot(rl_sub(item->exit, item->at), item->axis);
  return fmin(entry, exit) > half || fmax(entry, exit) < -half;
}

// A loop slips off a wrap, and off all else if there is no way round what is left: a single thing
// holds no loop that was round two. Leaves the path solved.
static void leave_wrap(const rl_model *model, rl_state *state, uint32_t index, uint32_t i) {
  rl_wrap *wraps = rl_wraps_of(model, state, index);
  rl_wraps_note_slip(state, index, wraps[i].body);
  remove_wrap(model, state, index, i);
  if (state->wrap_counts[index] > 0) { // the first piece has what is left
    wraps[state->wrap_counts[index] - 1].rest = 0.0;
  }
  if (state->wrap_counts[index] < 2 || isnan(rl_wrap_path(model, state, index, state->points))) {
    memset(wraps, 0, state->wrap_counts[index] * sizeof *wraps);
    state->wrap_counts[index] = 0;
  }
  rl_wraps_turn(model, state, index);
  rl_wrap_path(model, state, index, state->points);
  state->seams[index] =
      rl_path_items(state, index)[0].at; // where it was may be inside what is left
}

bool rl_wraps_leave_loop(const rl_model *model, const rl_state *state, rl_state *before,
                         uint32_t index) {
  const uint32_t i = hindrance(model, state, index);
  if (i == RL_NONE) {
    return false;
  }
  leave_wrap(model, before, index, i);
  return true;
}

// With the path solved, before and after.
static void run_off_ends(const rl_model *model, rl_state *state, uint32_t index) {
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  for (uint32_t i = 0; i < state->wrap_counts[index];) {
    if (is_off_end(model, &wraps[i], &rl_path_items(state, index)[i + 1])) {
      leave_wrap(model, state, index, i);
      i = 0;
    } else {
      i++;
    }
  }
}

// A loop keeps its wraps, but for those off whose end it runs.
static double end_loop(const rl_model *model, const rl_state *before, rl_state *state, uint32_t r,
                       size_t split, double dt) {
  rl_wrap_path(model, before, r, before->points);
  rl_wrap_path(model, state, r, state->points);
  const double rubbed = rl_wraps_flow(model, before, state, r, &split, dt, false);
  run_off_ends(model, state, r);
  for (uint32_t i = 0; i < state->wrap_counts[r]; i++) {
    rl_wrap_keep(model, state, &rl_wraps_of(model, state, r)[i], &rl_path_items(state, r)[i + 1]);
  }
  state->seams[r] = rl_path_items(state, r)[0].at;
  return rubbed;
}

static swept_piece sweep(const rl_wrapping *w, const rl_state *before, size_t piece) {
  const rl_path_item *then = rl_path_items(before, w->rope), *now = w->path.items;
  return (swept_piece){{then[piece].exit, then[piece + 1].entry},
                       {now[piece].exit, now[piece + 1].entry}};
}

// Whether the rope goes on over what it lies on, and has run into nothing.
static bool goes_on(const rl_wrapping *w, const rl_state *before) {
  bool goes = all_settled(w);
  for (size_t piece = 0; piece + 1 < w->path.count && goes; piece++) {
    const swept_piece swept = sweep(w, before, piece);
    hit found = {.body = RL_NONE};
    goes = !find_hit(w, before, piece, &swept, &found);
  }
  return goes;
}

// What the rope is long before its contacts change: its pieces, or where none rubs, all of it.
static void keep_lengths(rl_wrapping *w, double length) {
  double *lengths = w->state->old_lengths;
  lengths[0] = length;
  for (uint32_t p = 0; p <= w->state->wrap_counts[w->rope] && w->model->ropes[w->rope].rubs; p++) {
    lengths[p] = rl_wrap_piece_length(w->model, w->state, w->rope, p, w->state->points);
  }
  w->lengths = lengths;
}

static double end_rope(const rl_model *model, const rl_state *before, rl_state *state, uint32_t r,
                       size_t split, double dt) {
  const double start = rl_wrap_path(model, before, r, before->points);
  if (find_way(model, state, r)) {
    rl_wrapping w = rl_wraps_open(model, state, r);
    rl_wraps_adopt(&w);
    return 0.0;
  }
  const double along = rl_wraps_change_along(model, before, state, r);
  const uint32_t ended = rl_wraps_ended_on(model, state, before, r);
  const double rubbed = rl_wraps_flow(model, before, state, r, &split, dt, ended != RL_NONE);
  const double length = state->path_lengths[r];
  rl_wrapping w = rl_wraps_open(model, state, r);
  w.start = start;
  w.along = along;
  w.lost = ended; // what is solved for has arcs of negative angle, and marks mean nothing there
  if (ended == RL_NONE && goes_on(&w, before)) {
    keep_wraps(&w);
    return rubbed;
  }
  w.shortest = start * (1.0 - longest_slip) - 2.0 * longest_growth(model, before, state, r);
  keep_lengths(&w, length);
  for (size_t piece = w.path.count - 1; piece-- > 0;) {
    if (piece + 1 >= w.path.count) {
      continue;
    }
    const swept_piece swept = sweep(&w, before, piece);
    catch_hits(&w, before, piece, &swept);
  }
  adapt(&w, before);
  rl_wraps_adopt(&w);
  const double now = rl_wrap_path(model, state, r, state->points);
  if (!model->ropes[r].rubs) {
    rl_wrap_growths(state, r)[0] = now - length;
  } else if (isinf(model->ropes[r].stiffness)) {
    rl_wraps_even_out(model, before, state, r);
  }
  return rubbed;
}

double rl_wraps_end(const rl_model *model, const rl_state *before, rl_state *state, double dt) {
  size_t split = 0;
  double rubbed = 0.0;
  order_bodies(model, before, state);
  memset(state->growths, 0, (model->wrap_capacity + model->rope_count) * sizeof *state->growths);
  for (uint32_t r = 0; r < model->rope_count; r++) {
    if (model->ropes[r].wrap_capacity > 0 && rl_rope_elements(model, state, r) > 0) {
      const size_t own = count_splits(model, state, r);
      rubbed += rl_wraps_is_loop(model, r) ? end_loop(model, before, state, r, split, dt)
                                           : end_rope(model, before, state, r, split, dt);
      split += own;
    }
  }
  return rubbed;
}
