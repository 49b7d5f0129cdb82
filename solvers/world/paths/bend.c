// SPDX-License-Identifier: GPL-3.0-or-later
#include "bend.h"

#include "../rotation.h"
#include "../trigonometry.h"

// Largest angle of an arc between two sampled points [rad].
static const double widest_part = 0.1;

static const double two_pi = 2.0 * RL_PI;

static bool can_wrap(const rl_model *model, uint32_t rope) {
  return model->ropes[rope].wrap_capacity > 0;
}

static const rl_wrap *wrap_at(const rl_model *model, const rl_state *state, uint32_t rope,
                              uint32_t index) {
  return &state->wraps[model->ropes[rope].first_wrap + index];
}

static rl_vec3 end_position(const rl_model *model, const rl_state *state, uint32_t rope,
                            size_t end) {
  return rl_position(&state->points[model->ropes[rope].ends[end]]);
}

void rl_rope_solve_bends(const rl_model *model, const rl_state *state, uint32_t rope) {
  if (!can_wrap(model, rope) || !isnan(rl_wrap_solve_path(model, state, rope, state->points))) {
    return;
  }
  const rl_vec3 nowhere = {NAN, NAN, NAN};
  for (uint32_t i = 1; i <= state->wrap_counts[rope]; i++) {
    rl_path_item *item = &rl_path_items(state, rope)[i];
    item->entry = item->exit = item->in = item->out = nowhere;
    item->wrap = item->turn = item->arc = item->piece = NAN;
  }
}

uint32_t rl_bend_count(const rl_model *model, const rl_state *state, uint32_t rope) {
  return can_wrap(model, rope)          ? state->wrap_counts[rope]
         : !model->ropes[rope].massless ? 0
                                        : model->ropes[rope].eye_count;
}

// ---------------------------------------------------------------------------------------------
// Tensions

double rl_piece_tension(const rl_model *model, const rl_state *state, uint32_t rope,
                        uint32_t piece) {
  return piece == 0 || !can_wrap(model, rope) || !model->ropes[rope].rubs
             ? state->multipliers[model->ropes[rope].first_link]
             : wrap_at(model, state, rope, piece - 1)->tension;
}

double rl_largest_tension(const rl_model *model, const rl_state *state, uint32_t rope) {
  const rl_rope *r = &model->ropes[rope];
  double largest = state->multipliers[r->first_link];
  for (uint32_t i = 1; i < r->link_count; i++) {
    largest = rl_larger(largest, state->multipliers[r->first_link + i]);
  }
  for (uint32_t i = 1; can_wrap(model, rope) && i <= state->wrap_counts[rope]; i++) {
    largest = rl_larger(largest, rl_piece_tension(model, state, rope, i));
  }
  return largest;
}

// ---------------------------------------------------------------------------------------------
// Joints: bend i is joint i + 1, between the two ends of the rope

typedef struct joint {
  uint32_t slot; // of the body, or of the node at an end; RL_NONE: fixed in space
  rl_vec3 entry, exit, in, out;
  double arc, piece; // length of rope on it, and of the straight piece behind it [m]
  double turn;
} joint;

static rl_vec3 eye_position(const rl_model *model, const rl_state *state, uint32_t rope,
                            uint32_t eye) {
  return rl_vertex_position(model, state, model->eyes[model->ropes[rope].first_eye + eye],
                            state->points);
}

// Returns the position of joint i of a rope that only runs through eyes; beyond its ends that of
// the end.
static rl_vec3 joint_position(const rl_model *model, const rl_state *state, uint32_t rope,
                              uint32_t i) {
  return i == 0                             ? end_position(model, state, rope, 0)
         : i > model->ropes[rope].eye_count ? end_position(model, state, rope, 1)
                                            : eye_position(model, state, rope, i - 1);
}

static joint joint_in_eye(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i) {
  const rl_vec3 at = joint_position(model, state, rope, i);
  const rl_vec3 in = rl_sub(at, joint_position(model, state, rope, i > 0 ? i - 1 : 0));
  const rl_vec3 out = rl_sub(joint_position(model, state, rope, i + 1), at);
  joint j = {
      .entry = at, .exit = at, .in = rl_unit(in), .out = rl_unit(out), .piece = rl_length(out)};
  j.turn = rl_atan2(rl_length(rl_cross(j.in, j.out)), rl_dot(j.in, j.out));
  return j;
}

static uint32_t joint_slot(const rl_model *model, const rl_state *state, uint32_t rope,
                           uint32_t i) {
  const rl_rope *r = &model->ropes[rope];
  if (i == 0 || i > rl_bend_count(model, state, rope)) {
    return r->ends[i > 0];
  }
  if (!can_wrap(model, rope)) {
    return model->eyes[r->first_eye + i - 1].slot;
  }
  const rl_wrap *wrap = wrap_at(model, state, rope, i - 1);
  return wrap->body == RL_NONE ? model->eyes[wrap->part].slot : rl_body_slot(model, wrap->body);
}

static joint joint_at(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i) {
  const rl_path_item *item = &rl_path_items(state, rope)[i];
  joint j = can_wrap(model, rope) ? (joint){.entry = item->entry,
                                            .exit = item->exit,
                                            .in = item->in,
                                            .out = item->out,
                                            .arc = item->arc,
                                            .piece = item->piece,
                                            .turn = item->turn < 0.0 ? 0.0 : item->turn}
                                  : joint_in_eye(model, state, rope, i);
  j.slot = joint_slot(model, state, rope, i);
  return j;
}

// ---------------------------------------------------------------------------------------------
// Slip without friction

// Adds joint i, and the piece behind it, to the part of the rope before the joints to come: its
// length, and the rate at which that grows, by the derivative in path.h.
static void add_joint(rl_bends *b, uint32_t i, const joint *j) {
  if (i > 0) {
    b->rate += rl_dot(j->in, rl_velocity_at(b->model, b->state, j->slot, j->entry));
  }
  if (i <= b->count) {
    b->rate -= rl_dot(j->out, rl_velocity_at(b->model, b->state, j->slot, j->exit));
    b->before += j->arc + j->piece;
  }
}

// Returns the rate at which rope moves towards `to` in the joint that comes next [m/s]: what the
// length before its middle would grow by with the share of all growth that is due to stretching,
// for the strain is the same everywhere, less what it grows by. 0 for a slack rope, whose slip is
// not known.
static double frictionless_slip(const rl_bends *b, const joint *j) {
  if (b->model->ropes[b->rope].closed) { // may circulate at any speed
    return 0.0;
  }
  const double before = b->before + 0.5 * j->arc;
  const double rate =
      b->rate + rl_dot(j->in, rl_velocity_at(b->model, b->state, j->slot, j->entry));
  return rl_piece_tension(b->model, b->state, b->rope, 0) > 0.0
             ? before / b->whole * b->stretching - rate
             : 0.0;
}

// ---------------------------------------------------------------------------------------------
// Bends

rl_bends rl_rope_bends(const rl_model *model, const rl_state *state, uint32_t rope) {
  rl_bends b = {
      .model = model, .state = state, .rope = rope, .count = rl_bend_count(model, state, rope)};
  rl_bends whole = b;
  for (uint32_t i = 0; i <= b.count + 1; i++) {
    const joint j = joint_at(model, state, rope, i);
    add_joint(&whole, i, &j);
    if (i == 0) {
      b = whole;
    }
  }
  b.whole = whole.before;
  b.stretching = whole.rate;
  return b;
}

bool rl_next_bend(rl_bends *b, rl_bend *bend) {
  if (b->next == b->count) {
    return false;
  }
  const uint32_t index = b->next++;
  const joint j = joint_at(b->model, b->state, b->rope, index + 1);
  const rl_wrap *wrap =
      can_wrap(b->model, b->rope) ? wrap_at(b->model, b->state, b->rope, index) : NULL;
  const rl_body *body = rl_slot_body(b->model, j.slot);
  *bend = (rl_bend){.body = body ? (uint32_t)(body - b->model->bodies) : RL_NONE,
                    .is_eye = !wrap || wrap->body == RL_NONE,
                    .grip = wrap ? (rl_grip)wrap->grip : RL_SLIDES,
                    .entry = j.entry,
                    .exit = j.exit,
                    .in = j.in,
                    .out = j.out,
                    .turn = j.turn,
                    .before = rl_piece_tension(b->model, b->state, b->rope, index),
                    .after = rl_piece_tension(b->model, b->state, b->rope, index + 1),
                    .slip = wrap && b->model->ropes[b->rope].rubs ? wrap->slip
                                                                  : frictionless_slip(b, &j)};
  add_joint(b, index + 1, &j);
  return true;
}

rl_bend rl_rope_bend(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t index) {
  rl_bends bends = rl_rope_bends(model, state, rope);
  rl_bend bend = {.body = RL_NONE};
  while (bends.next <= index && rl_next_bend(&bends, &bend)) {
  }
  return bend;
}

void rl_bend_places(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t index,
                    rl_vec3 places[2]) {
  const joint j = joint_at(model, state, rope, index + 1);
  places[0] = j.entry;
  places[1] = j.exit;
}

rl_vec3 rl_bend_force(const rl_bend *bend) {
  return rl_sub(rl_scale(bend->after, bend->out), rl_scale(bend->before, bend->in));
}

// ---------------------------------------------------------------------------------------------
// Arcs

static rl_arc arc_of(const rl_path_item *item) {
  const bool is_ball = item->kind == RL_PATH_SPHERE;
  if ((!is_ball && item->kind != RL_PATH_CYLINDER) || !(item->wrap > 0.0)) {
    return (rl_arc){.centre = item->entry};
  }
  const rl_vec3 axis = is_ball ? item->side : rl_scale(item->sense, item->axis);
  const rl_vec3 spoke = rl_sub(item->entry, item->at);
  const double height = rl_dot(spoke, axis);
  const rl_vec3 u = rl_add_scaled(spoke, -height, axis);
  const double climb = is_ball ? 0.0 : rl_dot(rl_sub(item->exit, item->entry), axis);
  return (rl_arc){.centre = rl_add_scaled(item->at, height, axis),
                  .u = u,
                  .v = rl_cross(axis, u),
                  .advance = rl_scale(climb, axis),
                  .wrap = item->wrap};
}

rl_arc rl_bend_arc(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t index) {
  return can_wrap(model, rope) ? arc_of(&rl_path_items(state, rope)[index + 1])
                               : (rl_arc){.centre = eye_position(model, state, rope, index)};
}

rl_vec3 rl_arc_point(const rl_arc *a, double angle, rl_vec3 *rate) {
  const bool is_point = !(a->wrap > 0.0);
  if (rate) {
    *rate = rl_vec(0.0, 0.0, 0.0);
  }
  if (is_point) {
    return a->centre;
  }
  double s, c;
  rl_sincos(angle, &s, &c);
  if (rate) {
    const rl_vec3 round = rl_sub(rl_scale(c, a->v), rl_scale(s, a->u));
    *rate = rl_add_scaled(round, 1.0 / a->wrap, a->advance);
  }
  const rl_vec3 round = rl_add(rl_scale(c, a->u), rl_scale(s, a->v));
  return rl_add_scaled(rl_add(a->centre, round), angle / a->wrap, a->advance);
}

// Returns the largest p.d on an arc: at an end, or where the derivative -sin u.d + cos v.d + rise
// passes 0 downwards.
static double arc_reach(const rl_arc *a, rl_vec3 d) {
  double reach =
      fmax(rl_dot(rl_arc_point(a, 0.0, NULL), d), rl_dot(rl_arc_point(a, a->wrap, NULL), d));
  const double x = rl_dot(a->u, d), y = rl_dot(a->v, d), size = sqrt(x * x + y * y);
  const double rise = a->wrap > 0.0 ? rl_dot(a->advance, d) / a->wrap : 0.0;
  if (!(a->wrap > 0.0) || fabs(rise) >= size) {
    return reach;
  }
  const double top = rl_atan2(y, x) + rl_atan2(rise, sqrt(size * size - rise * rise));
  for (double angle = top - two_pi * floor(top / two_pi); angle < a->wrap; angle += two_pi) {
    reach = fmax(reach, rl_dot(rl_arc_point(a, angle, NULL), d));
  }
  return reach;
}

double rl_rope_reach(const rl_model *model, const rl_state *state, uint32_t rope,
                     rl_vec3 direction) {
  double reach = fmax(rl_dot(end_position(model, state, rope, 0), direction),
                      rl_dot(end_position(model, state, rope, 1), direction));
  const uint32_t count = rl_bend_count(model, state, rope);
  for (uint32_t i = 0; i < count; i++) {
    const rl_arc a = rl_bend_arc(model, state, rope, i);
    reach = fmax(reach, arc_reach(&a, direction));
  }
  return reach;
}

// ---------------------------------------------------------------------------------------------
// Points

// An array of points, written as far as there is room.
typedef struct writer {
  rl_path_point *points;
  size_t capacity, count;
} writer;

static void add_point(writer *w, rl_vec3 at, double tension, uint32_t bend) {
  if (w->count < w->capacity) {
    w->points[w->count] = (rl_path_point){at, tension, bend};
  }
  w->count++;
}

// Interpolates between two tensions: exponentially, or linearly if one of them is 0.
static double tension_between(double before, double after, double share) {
  return before > 0.0 && after > 0.0 ? before * pow(after / before, share)
                                     : before + share * (after - before);
}

static void add_arc(writer *w, const rl_path_item *item, int32_t turns, double before, double after,
                    uint32_t bend) {
  rl_arc a = arc_of(item);
  a.wrap -= two_pi * fmax(floor(a.wrap / two_pi) - turns, 0.0);
  const size_t parts = (size_t)ceil(a.wrap / widest_part);
  for (size_t k = 0; k < parts; k++) {
    const double share = ((double)k + 0.5) / (double)parts;
    add_point(w, rl_arc_point(&a, a.wrap * (double)k / (double)parts, NULL),
              tension_between(before, after, share), bend);
  }
  add_point(w, item->exit, after, bend);
}

size_t rl_path_points(const rl_model *model, const rl_state *state, uint32_t rope, int32_t turns,
                      rl_path_point *points, size_t capacity) {
  writer w = {.points = points, .capacity = capacity};
  if (!can_wrap(model, rope)) {
    return 0;
  }
  const uint32_t count = state->wrap_counts[rope];
  const rl_path_item *items = rl_path_items(state, rope);
  add_point(&w, items[0].at, rl_piece_tension(model, state, rope, 0), RL_NONE);
  for (uint32_t i = 0; i < count; i++) {
    add_arc(&w, &items[i + 1], turns, rl_piece_tension(model, state, rope, i),
            rl_piece_tension(model, state, rope, i + 1), i);
  }
  add_point(&w, items[count + 1].at, NAN, RL_NONE);
  return w.count;
}
