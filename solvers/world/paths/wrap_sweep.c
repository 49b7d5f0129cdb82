// SPDX-License-Identifier: GPL-3.0-or-later
// Finds the parts that straight pieces run into within a step, and those that they go through.
#include "../trigonometry.h"
#include "wrap_internal.h"

// Depths relative to the inner radius of a part: a piece deeper than `touching` has run into it;
// one that was deeper than `inside` at the start of the step was inside and runs into nothing.
static const double touching = 1e-10;
static const double inside = 1e-6;

// How a body turns within a step, in its frame at the start: at the share t by t times `spin`, and
// before that by t times `rest` [rad], (25).
typedef struct turning {
  rl_vec3 spin, rest;
} turning;

// An end of a straight piece, from the centre of a body and in its frame at the start of the step.
// It moves straight; or, where it is tied to a body that turns, that body's centre does, and the
// place on that body from one arm to another, both in the frame that this body has then.
typedef struct moving_end {
  rl_vec3 from, to;
  rl_quat frame; // of the arms
  rl_vec3 arms[2];
  turning turn;
} moving_end;

// The ends of a piece, and how the body turns.
typedef struct moving_piece {
  moving_end ends[2];
  turning turn;
} moving_piece;

static const turning still = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};

static bool has_turn(const turning *by) { return !(rl_is_zero(by->spin) && rl_is_zero(by->rest)); }

// (25) Return a vector in the frame that the body has at the share t of the step, and back.
static rl_vec3 turned(const turning *by, double t, rl_vec3 v) {
  return has_turn(by)
             ? rl_rotate_inverse(rl_quat_from_vector(rl_scale(t, by->rest)),
                                 rl_rotate_inverse(rl_quat_from_vector(rl_scale(t, by->spin)), v))
             : v;
}

static rl_vec3 turned_back(const turning *by, double t, rl_vec3 v) {
  return has_turn(by) ? rl_rotate(rl_quat_from_vector(rl_scale(t, by->spin)),
                                  rl_rotate(rl_quat_from_vector(rl_scale(t, by->rest)), v))
                      : v;
}

// (25a)
static rl_vec3 end_at(const moving_piece *m, double t, int end) {
  const moving_end *e = &m->ends[end];
  const rl_vec3 place = rl_add_scaled(e->from, t, rl_sub(e->to, e->from));
  if (!has_turn(&e->turn)) {
    return place;
  }
  const rl_vec3 arm = rl_add_scaled(e->arms[0], t, rl_sub(e->arms[1], e->arms[0]));
  return rl_add(place, rl_rotate(e->frame, turned_back(&e->turn, t, arm)));
}

// (26) Returns how far an end moves in the step at most [m].
static double end_way(const moving_end *e) {
  const double most = rl_distance(e->from, e->to);
  if (!has_turn(&e->turn)) {
    return most;
  }
  const double arm = fmax(rl_length(e->arms[0]), rl_length(e->arms[1]));
  const double round = fmax(rl_length(rl_cross(e->turn.spin, e->arms[0])),
                            rl_length(rl_cross(e->turn.spin, e->arms[1])));
  return most + rl_distance(e->arms[0], e->arms[1]) + round +
         arm * rl_length(e->turn.rest) * (1.0 + rl_length(e->turn.spin));
}

// Returns the distance of the piece from the part at the share t of the step [m], and the normal
// there.
static double piece_distance(const rl_part *part, double radius, const moving_piece *m, double t,
                             rl_vec3 *normal) {
  const rl_vec3 none = {0.0, 0.0, 0.0};
  const rl_quat straight = {0.0, 0.0, 0.0, 1.0};
  rl_surface surface;
  rl_shape_segment(part, none, straight, turned(&m->turn, t, end_at(m, t, 0)),
                   turned(&m->turn, t, end_at(m, t, 1)), &surface);
  *normal = surface.normal;
  return surface.distance - radius;
}

// Returns how far from the centre of the body there are points of a part about which it does not
// look the same all round [m]; of a plane, which has no end, how far the piece comes.
static double farthest_point(const rl_part *part, const moving_piece *m) {
  double farthest = 0.0;
  switch (part->shape) {
  case RL_SPHERE:
    return 0.0;
  case RL_CAPSULE:
    return 0.5 * part->length;
  case RL_PLANE:
    for (int end = 0; end < 2; end++) {
      farthest = fmax(farthest, rl_length(end_at(m, 0.0, end)) + end_way(&m->ends[end]));
    }
    return farthest;
  case RL_BOX:
  case RL_HULL:
  case RL_CYLINDER:
    return rl_shape_bound(part);
  }
  return farthest;
}

// Returns the length of by x p, the largest for all corners p of a box or hull in its frame.
static double corner_way(const rl_part *part, rl_vec3 by) {
  double most = 0.0;
  for (uint32_t k = 0; k < part->point_count; k++) {
    most = fmax(most, rl_length(rl_cross(by, part->points[k])));
  }
  for (int k = 0; k < 4 && part->shape == RL_BOX; k++) { // and those opposite
    const rl_vec3 corner = {part->half.x, k % 2 == 0 ? part->half.y : -part->half.y,
                            k < 2 ? part->half.z : -part->half.z};
    most = fmax(most, rl_length(rl_cross(by, corner)));
  }
  return most;
}

// (26) Returns how far a turn by a rotation vector moves the surface of a part along its normals,
// at most [m].
static double turning_way(const rl_part *part, const moving_piece *m, rl_vec3 by) {
  const double around = rl_length(rl_cross(by, part->at));
  const rl_vec3 own = rl_rotate_inverse(part->rotation, by);
  if (rl_is_polyhedron(part->shape)) {
    return around + corner_way(part, own);
  }
  const bool has_axis = part->shape == RL_CAPSULE || part->shape == RL_CYLINDER;
  const double across = has_axis ? sqrt(own.x * own.x + own.y * own.y) : rl_length(own);
  return around + farthest_point(part, m) * across;
}

// (26) Returns how far the piece can come nearer to a part in the step [m].
static double most_approach(const rl_part *part, const moving_piece *m) {
  const double moved = fmax(end_way(&m->ends[0]), end_way(&m->ends[1]));
  if (!has_turn(&m->turn)) {
    return moved;
  }
  const double off = rl_length(m->turn.rest) * (1.0 + rl_length(m->turn.spin));
  return moved + turning_way(part, m, m->turn.spin) +
         off * (rl_length(part->at) + farthest_point(part, m));
}

// Least advance, as a share of the step, and most advances towards a part: a piece that is still
// outside then glides along it. Close to an end at rest the advances form a geometric series.
static const double least_advance = 1e-6;
enum { MOST_ADVANCES = 4000, MOST_LOOKS = 100000 };

// Returns when the piece first touches the part, as a share of the step, or last if `back`, by
// conservative advancement: the distance changes no faster than `speed`, its most approach in the
// step [m]. The normal is that of the last place outside if there is one: inside, that of the part
// where the piece is deepest tells nothing of the side from which an edge was met.
static double find_touch(const rl_part *part, double radius, const moving_piece *m, bool back,
                         double speed, double depth, rl_vec3 *normal, double *distance) {
  const double sign = back ? -1.0 : 1.0, until = back ? 0.0 : 1.0;
  double t = 1.0 - until, gap = piece_distance(part, radius, m, t, normal);
  for (int k = 0; k < MOST_ADVANCES && gap > depth && t != until; k++) {
    rl_vec3 there;
    t = fmin(fmax(t + sign * fmax(gap / speed, least_advance), 0.0), 1.0);
    gap = piece_distance(part, radius, m, t, &there);
    *normal = gap > depth ? there : *normal;
  }
  *distance = gap;
  return t;
}

// Whether a piece that has touched a part which turns, and is clear of it at the end, has been
// inside: it has gone through, or was struck by a corner that is away again.
static bool has_been_inside(const rl_part *part, double radius, const moving_piece *m,
                            rl_passage touch, double speed) {
  const double least = fmax(least_advance, (touch.until - touch.from) / MOST_LOOKS);
  rl_vec3 unused;
  double advance = least, gap = 0.0;
  for (double t = touch.from; t < touch.until && gap >= -inside * part->inner;) {
    gap = piece_distance(part, radius, m, t, &unused);
    advance = gap > touching * part->inner ? least : 2.0 * advance; // grazes it
    t += fmax(gap / speed, advance);
  }
  return gap < -inside * part->inner;
}

// Whether a piece that has touched the part first with `normal` and last with the normal `last`,
// and is clear of it at the end, has gone through it. If both touches are on the same side of a
// flat part, `normal` becomes the direction from which the piece came.
static bool has_gone_through(const rl_part *part, double radius, const moving_piece *m,
                             rl_passage touch, rl_vec3 last, rl_vec3 *normal) {
  if (rl_dot(*normal, last) < 0.0) {
    return true;
  }
  const rl_vec3 way = rl_sub(rl_add(end_at(m, 1.0, 0), end_at(m, 1.0, 1)),
                             rl_add(end_at(m, 0.0, 0), end_at(m, 0.0, 1)));
  rl_vec3 unused;
  const double middle = 0.5 * (touch.from + touch.until);
  if (piece_distance(part, radius, m, middle, &unused) > -inside * part->inner) {
    return false; // has only grazed the part
  }
  *normal = rl_scale(-1.0, rl_unit(way));
  return true;
}

// (27) Turns the normal at a share t of the step along with the piece up to the end of the step.
static rl_vec3 carry_side(const moving_piece *m, double t, rl_vec3 normal) {
  const rl_vec3 was = rl_unit(rl_sub(end_at(m, t, 1), end_at(m, t, 0)));
  const rl_vec3 is = rl_unit(rl_sub(end_at(m, 1.0, 1), end_at(m, 1.0, 0)));
  const rl_vec3 half = rl_cross(was, is); // the sine of the angle along the axis
  const rl_quat q = rl_quat_unit((rl_quat){half.x, half.y, half.z, 1.0 + rl_dot(was, is)});
  return turned(&m->turn, 1.0, rl_rotate(q, turned_back(&m->turn, t, normal)));
}

static const rl_passage never = {2.0, 2.0};

// Returns when within the step the piece first and last touches the part that it runs into or goes
// through, and the normal of the side from which it came; `never` if it does neither. A piece that
// begins inside runs into nothing.
static rl_passage runs_into(const rl_part *part, double radius, const moving_piece *m,
                            rl_vec3 *normal) {
  const double size = part->inner;
  const double depth = touching * size;
  const double speed = most_approach(part, m);
  rl_vec3 last;
  const double end = piece_distance(part, radius, m, 1.0, &last);
  if (end >= -depth && (speed < size || end > speed)) {
    return never;
  }
  if (piece_distance(part, radius, m, 0.0, normal) < -inside * size) {
    return never;
  }
  double distance;
  rl_passage touch = {.from = find_touch(part, radius, m, false, speed, depth, normal, &distance)};
  if (end >= -depth && distance > depth) {
    return never;
  }
  touch.until = find_touch(part, radius, m, true, speed, depth, &(rl_vec3){0}, &distance);
  if (has_turn(&m->turn) || has_turn(&m->ends[0].turn) || has_turn(&m->ends[1].turn)) {
    const rl_vec3 side = carry_side(m, touch.from, *normal);
    *normal = side;
    return end < -depth || has_been_inside(part, radius, m, touch, speed) ? touch : never;
  }
  return end < -depth || has_gone_through(part, radius, m, touch, last, normal) ? touch : never;
}

// (25) Returns how a body turns in the step: about the axis of its mean spin by the angle that is
// nearest to it, and by what remains of the turn between its two poses.
static turning turn_of(const rl_model *model, const rl_state *before, const rl_state *state,
                       uint32_t body, double dt) {
  if (model->bodies[body].spin_slot == RL_NONE) {
    return still;
  }
  const rl_quat was = rl_body_rotation(model, before, before->points, body);
  const rl_quat is = rl_body_rotation(model, state, state->points, body);
  const rl_quat back = {-was.x, -was.y, -was.z, was.w};
  const rl_quat whole = rl_quat_product(back, is);
  const rl_vec3 sum = rl_add(rl_body_spin(model, before, body), rl_body_spin(model, state, body));
  const rl_vec3 mean = rl_rotate(back, rl_scale(0.5 * dt, sum));
  const rl_vec3 part = {whole.x, whole.y, whole.z};
  const rl_vec3 axis = rl_unit(rl_is_zero(mean) ? part : mean);
  const double angle = 2.0 * rl_atan2(rl_dot(part, axis), whole.w);
  const double full = 2.0 * RL_PI * round((rl_length(mean) - angle) / (2.0 * RL_PI));
  const rl_vec3 spin = rl_scale(angle + full, axis);
  if (rl_is_zero(part) && full == 0.0) {
    return still;
  }
  const rl_quat rest = rl_quat_product(rl_quat_from_vector(rl_scale(-1.0, spin)), whole);
  const rl_vec3 left = rl_scale(rest.w < 0.0 ? -1.0 : 1.0, rl_vec(rest.x, rest.y, rest.z));
  return (turning){spin, rl_scale(2.0 * rl_atan2(rl_length(left), fabs(rest.w)), rl_unit(left))};
}

// Whether a body turns so little in the step that all moves past it, seen from it, are straight.
static bool is_slow(const rl_model *model, const rl_state *before, const rl_state *state,
                    uint32_t body, double dt) {
  static const double most = 0.01; // [rad]
  if (body == RL_NONE || model->bodies[body].spin_slot == RL_NONE) {
    return true;
  }
  const rl_body *b = &model->bodies[body];
  const rl_vec3 spins[2] = {rl_times(b->inverse_root_inertia, before->velocities[b->spin_slot]),
                            rl_times(b->inverse_root_inertia, state->velocities[b->spin_slot])};
  const rl_quat was = rl_body_rotation(model, before, before->points, body);
  const rl_quat is = rl_body_rotation(model, state, state->points, body);
  const rl_quat by = rl_quat_product((rl_quat){-was.x, -was.y, -was.z, was.w}, is);
  return by.x * by.x + by.y * by.y + by.z * by.z < 0.25 * most * most &&
         dt * dt * rl_dot(spins[0], spins[0]) < most * most &&
         dt * dt * rl_dot(spins[1], spins[1]) < most * most;
}

bool rl_wraps_turn(const rl_model *model, const rl_state *before, const rl_state *state,
                   double dt) {
  bool turns = false;
  for (uint32_t body = 0; body < model->body_count && !turns; body++) {
    turns = !is_slow(model, before, state, body, dt);
  }
  return turns;
}

// (25a) An end that turns with a body, from the centre of another one with the poses `was` and
// `moved` and in its frame at the start of the step.
static moving_end turning_end(const rl_wrapping *w, const rl_state *before, uint32_t carrier,
                              const rl_vec3 places[2], rl_body_pose was, rl_body_pose moved) {
  const rl_body_pose first = rl_body_pose_at(w->model, before, before->points, carrier);
  const rl_body_pose last = rl_body_pose_at(w->model, w->state, w->state->points, carrier);
  const rl_quat back = {-was.rotation.x, -was.rotation.y, -was.rotation.z, was.rotation.w};
  return (moving_end){.from = rl_wrap_to_body(was, first.centre),
                      .to = rl_wrap_to_body(moved, last.centre),
                      .frame = rl_quat_product(back, first.rotation),
                      .arms = {rl_wrap_to_body(first, places[0]), rl_wrap_to_body(last, places[1])},
                      .turn = turn_of(w->model, before, w->state, carrier, w->dt)};
}

static moving_piece seen_from(const rl_wrapping *w, const rl_state *before, uint32_t body,
                              const rl_swept_piece *piece) {
  const rl_body_pose was = rl_body_pose_at(w->model, before, before->points, body);
  const rl_body_pose is = rl_body_pose_at(w->model, w->state, w->state->points, body);
  const bool is_straight =
      !w->turns || (is_slow(w->model, before, w->state, body, w->dt) &&
                    piece->carriers[0] == RL_NONE && piece->carriers[1] == RL_NONE);
  const rl_body_pose moved = is_straight ? is : (rl_body_pose){is.centre, was.rotation};
  moving_piece m = {.turn = is_straight ? still : turn_of(w->model, before, w->state, body, w->dt)};
  for (int k = 0; k < 2; k++) {
    const rl_vec3 places[2] = {piece->from[k], piece->to[k]};
    m.ends[k] = piece->carriers[k] == RL_NONE
                    ? (moving_end){.from = rl_wrap_to_body(was, places[0]),
                                   .to = rl_wrap_to_body(moved, places[1])}
                    : turning_end(w, before, piece->carriers[k], places, was, moved);
  }
  return m;
}

uint32_t rl_wraps_turns_with(const rl_wrapping *w, const rl_state *before, size_t i) {
  if (rl_path_is_round(&w->path.items[i])) {
    return RL_NONE;
  }
  const uint32_t body = rl_wrap_carrier(w->model, w->state, w->rope, (uint32_t)i);
  return body == rl_wrap_moving || is_slow(w->model, before, w->state, body, w->dt) ? RL_NONE
                                                                                    : body;
}

double rl_wraps_motion_past(const rl_wrapping *w, const rl_state *before,
                            const rl_swept_piece *piece, uint32_t body) {
  const moving_piece m = seen_from(w, before, body, piece);
  const rl_body *b = &w->model->bodies[body];
  double most = 0.0;
  for (uint32_t part = 0; part < b->part_count && has_turn(&m.turn); part++) {
    most = fmax(most, 2.0 * most_approach(&b->parts[part], &m));
  }
  const bool round = has_turn(&m.ends[0].turn) || has_turn(&m.ends[1].turn);
  most = fmax(most, round ? end_way(&m.ends[0]) + end_way(&m.ends[1]) : 0.0);
  return fmax(most, rl_distance(end_at(&m, 0.0, 0), turned(&m.turn, 1.0, end_at(&m, 1.0, 0))) +
                        rl_distance(end_at(&m, 0.0, 1), turned(&m.turn, 1.0, end_at(&m, 1.0, 1))));
}

// Farthest turn of a piece that meets a part, or is beside one, with which its contacts are
// followed [rad].
static const double most_piece_turn = 1.0;

// Returns the angle by which the direction of a piece turns from the share t of the step to its end
// [rad]. Between ends that move straight it turns one way, by less than half a turn. `shortest`: up
// to this length it has no direction [m]; if it loses that, it may have turned by any angle.
static double piece_turn(const moving_piece *m, double t, double shortest) {
  static const double least = 0.5; // of a sample [rad]
  double most = 0.0;
  for (int k = 0; k < 2; k++) {
    most += rl_length(m->ends[k].turn.spin) + rl_length(m->ends[k].turn.rest);
  }
  const int samples = 1 + (int)(2.0 * (1.0 - t) * most / least);
  rl_vec3 was = rl_sub(end_at(m, t, 1), end_at(m, t, 0));
  double sum = 0.0;
  for (int k = 1; k <= samples && sum <= most_piece_turn; k++) {
    const double now = t + (1.0 - t) * k / samples;
    const rl_vec3 is = rl_sub(end_at(m, now, 1), end_at(m, now, 0));
    if (rl_length(was) > shortest) {
      sum += rl_length(is) > shortest ? rl_atan2(rl_length(rl_cross(was, is)), rl_dot(was, is))
                                      : INFINITY;
    }
    was = is;
  }
  return sum;
}

void rl_wraps_note_piece_turn(const rl_wrapping *w, const rl_state *before,
                              const rl_swept_piece *piece, uint32_t body, double t) {
  rl_passage *first = &w->state->passage;
  if (first->until == 0.0 || t < first->from) {
    const moving_piece m = seen_from(w, before, body, piece);
    const double shortest = rl_wrap_rounding * w->state->path_lengths[w->rope];
    *first = piece_turn(&m, t, shortest) > most_piece_turn ? (rl_passage){t, 1.0} : *first;
  }
}

// Returns how far an end that turns with a body is at most from where it comes to be [m]; 0 if it
// moves straight.
static double farthest_from_end(const rl_wrapping *w, const rl_state *before,
                                const rl_swept_piece *piece, int end) {
  const uint32_t body = piece->carriers[end];
  if (body == RL_NONE) {
    return 0.0;
  }
  const rl_vec3 was = rl_position(&before->points[rl_body_slot(w->model, body)]);
  const rl_vec3 is = rl_position(&w->state->points[rl_body_slot(w->model, body)]);
  return rl_distance(was, is) +
         2.0 * fmax(rl_distance(was, piece->from[end]), rl_distance(is, piece->to[end]));
}

// A ball that contains a piece throughout the step.
typedef struct ball {
  rl_vec3 centre;
  double radius;
} ball;

static ball ball_about(const rl_wrapping *w, const rl_state *before, const rl_swept_piece *piece,
                       double radius) {
  double moved =
      fmax(rl_distance(piece->from[0], piece->to[0]), rl_distance(piece->from[1], piece->to[1]));
  for (int k = 0; k < 2 && w->turns; k++) {
    moved = fmax(moved, farthest_from_end(w, before, piece, k));
  }
  return (ball){rl_scale(0.5, rl_add(piece->to[0], piece->to[1])),
                0.5 * rl_distance(piece->to[0], piece->to[1]) + moved + radius};
}

// Returns how far the centre of a body has moved [m].
static double body_way(const rl_model *model, const rl_state *before, const rl_state *state,
                       uint32_t body) {
  const uint32_t slot = rl_body_slot(model, body);
  return rl_distance(rl_position(&before->points[slot]), rl_position(&state->points[slot]));
}

// Whether a piece, within the ball `about`, may have met a body in the step.
static bool is_near(const rl_wrapping *w, const rl_state *before, ball about, uint32_t body) {
  const rl_vec3 way =
      rl_sub(about.centre, rl_position(&w->state->points[rl_body_slot(w->model, body)]));
  const double reach =
      about.radius + w->model->bodies[body].bound + body_way(w->model, before, w->state, body);
  return rl_dot(way, way) <= reach * reach;
}

// A unit direction oblique to the axes, along which bodies in a row or grid differ.
static const rl_vec3 order_along = {0.8, 0.48, 0.36};

// Returns the sort key of a body: INFINITY without a surface, -INFINITY without bounds.
static double place_in_order(const rl_model *model, const rl_state *state, uint32_t body) {
  const rl_body *b = &model->bodies[body];
  return b->part_count == 0 ? INFINITY
         : !isfinite(b->bound)
             ? -INFINITY
             : rl_dot(order_along, rl_position(&state->points[rl_body_slot(model, body)]));
}

void rl_wraps_sort_bodies(const rl_model *model, const rl_state *before, rl_state *state) {
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

// Returns the first index from `low` on whose key is not less than `place`.
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

// Whether an end of the rope or an eye at an end of a piece is inside a part: no way leads round
// it.
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

// Finds the first hit of a piece on a body, and keeps it if it is earlier than `found`.
static void find_hit_on(const rl_wrapping *w, const rl_state *before, size_t piece,
                        const rl_swept_piece *swept, uint32_t body, rl_hit *found) {
  const rl_model *model = w->model;
  const rl_path_item *items = w->path.items;
  for (uint32_t part = 0; part < model->bodies[body].part_count; part++) {
    const uint32_t solid = rl_wraps_known_solid(w, body, part);
    if (solid != RL_NONE && (items[piece].part == solid || items[piece + 1].part == solid ||
                             rl_path_is_nipped_by(&w->path, piece, solid))) {
      continue; // the rules of path_feature.c treat parts that the rope already lies on
    }
    rl_vec3 normal;
    const rl_body_pose is = rl_body_pose_at(model, w->state, w->state->points, body);
    const moving_piece m = seen_from(w, before, body, swept);
    const rl_passage touch =
        runs_into(&model->bodies[body].parts[part], model->ropes[w->rope].radius, &m, &normal);
    if (touch.from <= 1.0 && ends_in(w, &items[piece], &model->bodies[body].parts[part], is)) {
      continue;
    }
    const double t = touch.from, first = found->passage.from;
    if (t < first || (t <= 1.0 && t == first && body < found->body)) {
      *found = (rl_hit){body, part, rl_rotate(is.rotation, normal), touch};
    }
  }
}

bool rl_wraps_find_hit(const rl_wrapping *w, const rl_state *before, size_t piece,
                       const rl_swept_piece *swept, rl_hit *found) {
  static const double rounding = 1e-9;
  const rl_model *model = w->model;
  const rl_state *state = w->state;
  const ball about = ball_about(w, before, swept, model->ropes[w->rope].radius);
  const uint8_t *touches = &model->touches[(size_t)w->rope * model->body_count];
  const double place = rl_dot(order_along, about.centre);
  const double reach = (1.0 + rounding) * (about.radius + state->widest_body);
  found->passage = never;
  for (uint32_t i = 0; i < model->body_count && state->body_places[i] <= place + reach; i++) {
    if (isfinite(state->body_places[i]) && state->body_places[i] < place - reach) {
      i = first_from(state, i, model->body_count, place - reach) - 1;
      continue;
    }
    const uint32_t body = state->body_order[i];
    if (touches[body] && body != w->left && is_near(w, before, about, body)) {
      find_hit_on(w, before, piece, swept, body, found);
    }
  }
  return found->passage.from <= 1.0;
}

// Whether the piece behind an item goes deeper than `depth` times the inner radius into a part of a
// body, at its pose in a state.
static bool cuts(const rl_wrapping *w, const rl_state *state, const rl_path_item *from,
                 uint32_t body, uint32_t part, double depth) {
  const rl_body_pose at = rl_body_pose_at(w->model, state, state->points, body);
  const rl_part *p = &w->model->bodies[body].parts[part];
  rl_surface surface;
  rl_shape_segment(p, at.centre, at.rotation, from[0].exit, from[1].entry, &surface);
  return surface.distance - w->model->ropes[w->rope].radius < -depth * p->inner;
}

bool rl_wraps_mark_passed_parts(rl_wrapping *w, const rl_state *before) {
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

bool rl_wraps_goes_through(const rl_wrapping *w, const rl_path_item *items, size_t count,
                           uint32_t body) {
  bool through = false;
  for (uint32_t part = 0; part < w->model->bodies[body].part_count; part++) {
    for (size_t k = 0; k + 1 < count && !through; k++) {
      through = cuts(w, w->state, &items[k], body, part, inside);
    }
  }
  return through;
}

void rl_wraps_find_cut_parts(rl_wrapping *w, const rl_path_item *old, size_t old_count) {
  const rl_model *model = w->model;
  const rl_path_item *items = w->path.items;
  for (size_t k = 0; k + 1 < w->path.count; k++) {
    const rl_vec3 a = items[k].exit, b = items[k + 1].entry;
    const rl_swept_piece rests = {{a, b}, {a, b}, {RL_NONE, RL_NONE}};
    const ball about = ball_about(w, w->state, &rests, model->ropes[w->rope].radius);
    for (uint32_t body = 0; body < model->body_count; body++) {
      const bool near = rl_rope_touches(model, w->rope, body) && body != w->left &&
                        is_near(w, w->state, about, body);
      for (uint32_t part = 0; near && part < model->bodies[body].part_count; part++) {
        if (cuts(w, w->state, &items[k], body, part, touching) &&
            !rl_wraps_goes_through(w, old, old_count, body)) {
          rl_wraps_solid(w, body, part);
        }
      }
    }
  }
}

// Farthest turn of a part in a step with which its contacts are followed [rad].
static const double most_turn = 0.6;

// Returns the angle by which the features of a part turn in a step [rad].
static double features_turn(const rl_part *part, const turning *by) {
  const rl_vec3 all = rl_rotate_inverse(part->rotation, rl_add(by->spin, by->rest));
  const bool has_axis = part->shape == RL_CAPSULE || part->shape == RL_CYLINDER;
  return part->shape == RL_SPHERE ? 0.0 : rl_length(rl_vec(all.x, all.y, has_axis ? 0.0 : all.z));
}

// (28) Whether a part on which a rope lies in a state turns too far in the step.
static bool turns_too_far(const rl_model *model, const rl_state *before, const rl_state *state,
                          double dt, const rl_state *on, uint32_t rope) {
  bool turns = false;
  for (uint32_t i = 0; i < on->wrap_counts[rope] && !turns; i++) {
    const rl_wrap *wrap = &rl_wraps_of(model, on, rope)[i];
    if (wrap->body != RL_NONE) {
      const turning by = turn_of(model, before, state, wrap->body, dt);
      turns = features_turn(rl_wrap_part(model, wrap), &by) > most_turn;
    }
  }
  return turns;
}

void rl_wraps_note_turns(const rl_model *model, const rl_state *before, rl_state *state,
                         double dt) {
  bool turns = false;
  if (!rl_wraps_turn(model, before, state, dt)) {
    return;
  }
  for (uint32_t r = 0; r < model->rope_count && !turns; r++) {
    turns = turns_too_far(model, before, state, dt, before, r) ||
            turns_too_far(model, before, state, dt, state, r);
  }
  state->passage = turns ? (rl_passage){0.0, 1.0} : state->passage;
}
