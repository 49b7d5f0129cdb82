// SPDX-License-Identifier: GPL-3.0-or-later
#include "eyes.h"

#include "../paths/bend.h"
#include "../rotation.h"
#include "../trigonometry.h"
#include "elements.h"

// A node is guided if it could reach the eye within so many times the distance that it may move in
// the step. That includes nodes whose piece is too short for the step: they swing about the eye
// with the period 2 pi sqrt(r m / T).
static const double guided_ways = 2.0;

// For directions with a smaller cosine the smallest turn from one to the other is not defined by
// rounding: the vector is mirrored instead.
static const double turned_back = -0.999;

// Iterations of straighten: each reduces the offset by the ratio of the mass of the node to that of
// the body of the eye.
enum { STRAIGHTENINGS = 6 };

static const uint32_t *elements_of(const rl_model *model, const rl_state *state) {
  return state ? state->eye_elements : model->eye_elements;
}

uint32_t rl_element_eyes(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i,
                         uint32_t *first) {
  const rl_rope *r = &model->ropes[rope];
  uint32_t count = 0;
  *first = r->first_eye;
  for (uint32_t k = r->first_eye; k < r->first_eye + r->ring_count; k++) {
    if (elements_of(model, state)[k] == i) {
      *first = count++ == 0 ? k : *first;
    }
  }
  return count;
}

uint32_t rl_element_corners(const rl_model *model, const rl_state *state, uint32_t rope,
                            uint32_t i) {
  uint32_t first;
  return 2 + rl_element_eyes(model, state, rope, i, &first);
}

static rl_vec3 eye_position(const rl_model *model, const rl_state *state, uint32_t eye) {
  return rl_vertex_position(model, state, model->eyes[eye], state->points);
}

rl_vec3 rl_element_corner(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i,
                          uint32_t corner) {
  const rl_link *link = &state->links[model->ropes[rope].first_link + i];
  uint32_t first;
  const uint32_t eyes = rl_element_eyes(model, state, rope, i, &first);
  return corner > 0 && corner <= eyes
             ? eye_position(model, state, first + corner - 1)
             : rl_position(&state->points[corner == 0 ? link->a : link->b]);
}

// Returns the slot that carries a corner.
static uint32_t corner_slot(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i,
                            uint32_t corner) {
  const rl_link *link = &state->links[model->ropes[rope].first_link + i];
  uint32_t first;
  const uint32_t eyes = rl_element_eyes(model, state, rope, i, &first);
  return corner > 0 && corner <= eyes ? model->eyes[first + corner - 1].slot
                                      : rl_node_vertex(model, corner == 0 ? link->a : link->b).slot;
}

uint64_t rl_eyes_hash(const rl_model *model, const rl_state *state) {
  uint64_t hash = RL_HASH_START;
  for (uint32_t i = 0; i < model->eye_count && model->has_rings; i++) {
    hash = rl_hash_word(hash, elements_of(model, state)[i]);
  }
  return hash;
}

void rl_eyes_leave(const rl_model *model, rl_state *state, uint32_t rope, uint32_t i) {
  uint32_t first;
  const uint32_t count = rl_element_eyes(model, state, rope, i, &first);
  for (uint32_t k = first; k < first + count; k++) {
    state->eye_elements[k] = RL_NONE;
  }
}

// ---------------------------------------------------------------------------------------------
// Friction

uint32_t rl_row_first_eye(const rl_model *model, const rl_state *state, const rl_row *row) {
  const uint32_t rope = model->link_rope[row->item];
  uint32_t first = RL_NONE;
  if (!model->rings_rub || model->ropes[rope].ring_count == 0) {
    return RL_NONE;
  }
  const uint32_t element = row->item - model->ropes[rope].first_link;
  return rl_element_eyes(model, state, rope, element, &first) > 0 ? first : RL_NONE;
}

double rl_eye_tension_ratio(const rl_model *model, const rl_state *state, uint32_t eye, rl_vec3 in,
                            rl_vec3 out) {
  const double turn = rl_atan2(rl_length(rl_cross(in, out)), rl_dot(in, out));
  return rl_exp(state->grips[eye] * model->eye_frictions[eye] * turn);
}

// The lengths of rope of a row before and behind one of its vertices [m], and their rates [m/s].
typedef struct sides {
  double lengths[2], rates[2];
} sides;

static sides sides_of(const rl_model *model, const rl_state *state, const rl_rows *rows,
                      const rl_row *row, uint32_t vertex) {
  const rl_vertex *v = &rows->vertices[row->first_vertex];
  sides s = {{0.0, 0.0}, {0.0, 0.0}};
  for (uint32_t i = 0; i + 1 < row->vertex_count; i++) {
    const rl_vec3 from = rl_vertex_position(model, state, v[i], state->points);
    const rl_vec3 to = rl_vertex_position(model, state, v[i + 1], state->points);
    const rl_vec3 speed = rl_sub(rl_velocity_at(model, state, v[i + 1].slot, to),
                                 rl_velocity_at(model, state, v[i].slot, from));
    const rl_vec3 piece = rl_sub(to, from), guide = rl_row_guide(row, i);
    const rl_vec3 d = rl_is_zero(guide) ? rl_unit(piece) : guide;
    s.lengths[i >= vertex] += rl_dot(d, piece);
    s.rates[i >= vertex] += rl_dot(d, speed);
  }
  return s;
}

// (9) The gain of the length behind the eye, less its share of the change of the whole length.
double rl_eye_slip(const rl_model *model, const rl_state *before, const rl_state *state,
                   const rl_rows *rows, uint32_t eye, double dt) {
  for (uint32_t k = 0; k < rows->span_count && model->eye_frictions[eye] > 0.0; k++) {
    const rl_row *row = &rows->rows[k];
    const uint32_t first = rl_row_first_eye(model, state, row);
    if (first == RL_NONE || eye < first || eye >= first + row->vertex_count - 2) {
      continue;
    }
    const sides was = sides_of(model, before, rows, row, 1 + eye - first);
    const sides is = sides_of(model, state, rows, row, 1 + eye - first);
    const double whole = is.lengths[0] + is.lengths[1];
    const double share = is.lengths[1] / whole;
    const double flowed = share * (was.lengths[0] + was.lengths[1]) - was.lengths[1];
    const double rate = is.rates[1] - share * (is.rates[0] + is.rates[1]);
    return 0.5 * (flowed / dt + rate);
  }
  return 0.0;
}

// ---------------------------------------------------------------------------------------------
// A node beside an eye

// The passage of a node through an eye, at one end of an element in eyes.
typedef struct passage {
  uint32_t rope, element, end; // end 0: where the element begins
  uint32_t node, eye;          // the eye next to the node
  rl_vec3 ahead;               // the corner of the element beyond the eye [m]
  uint32_t neighbour;          // element on the other side of the node; RL_NONE: the rope ends
  rl_vec3 behind;              // the next corner of the neighbour [m], and the slot that carries it
  uint32_t behind_slot;
} passage;

static passage passage_of(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i,
                          uint32_t end) {
  const rl_link *link = &state->links[model->ropes[rope].first_link + i];
  uint32_t first;
  const uint32_t eyes = rl_element_eyes(model, state, rope, i, &first);
  passage p = {.rope = rope,
               .element = i,
               .end = end,
               .node = end == 0 ? link->a : link->b,
               .eye = end == 0 ? first : first + eyes - 1,
               .ahead = rl_element_corner(model, state, rope, i, end == 0 ? 2 : eyes - 1),
               .neighbour =
                   (end == 0 ? rl_element_before : rl_element_next)(model, state, rope, i)};
  if (p.neighbour != RL_NONE) {
    const uint32_t corners = rl_element_corners(model, state, rope, p.neighbour);
    const uint32_t corner = end == 0 ? corners - 2 : 1;
    p.behind = rl_element_corner(model, state, rope, p.neighbour, corner);
    p.behind_slot = corner_slot(model, state, rope, p.neighbour, corner);
  }
  return p;
}

// Whether the node can go through the eye: it is a free node; at the end of a rope it is no joint
// with others.
static bool can_pass(const rl_model *model, const rl_state *state, const passage *p) {
  return p->node < model->node_count && state->points[p->node].w > 0.0 &&
         (p->neighbour != RL_NONE || model->node_rope[p->node] == p->rope);
}

// (2) Returns the direction in which the node comes to the eye: from the corner behind it, or at
// the end of a rope from the node itself; unit.
static rl_vec3 guide_of(const rl_model *model, const rl_state *state, const passage *p) {
  const rl_vec3 eye = eye_position(model, state, p->eye);
  const rl_vec3 along =
      p->neighbour == RL_NONE ? (rl_vec3){0.0, 0.0, 0.0} : rl_unit(rl_sub(eye, p->behind));
  return rl_is_zero(along) ? rl_unit(rl_sub(eye, rl_position(&state->points[p->node]))) : along;
}

static double distance_of(const rl_model *model, const rl_state *state, const passage *p) {
  return rl_distance(rl_position(&state->points[p->node]), eye_position(model, state, p->eye));
}

static double speed_of(const rl_model *model, const rl_state *state, const passage *p) {
  const rl_vec3 eye = eye_position(model, state, p->eye);
  return rl_distance(state->velocities[p->node],
                     rl_velocity_at(model, state, model->eyes[p->eye].slot, eye));
}

// Whether a node is guided: by its distance (2a), where the method says it, or by what it could do
// in a step of dt (2).
static bool is_near(const rl_model *model, const rl_state *state, const rl_rows *rows,
                    const passage *p, double dt) {
  const double pull =
      state->multipliers[model->ropes[p->rope].first_link + p->element] * state->points[p->node].w;
  const double way =
      dt * (speed_of(model, state, p) + dt * (rl_length(model->gravity) + fabs(pull)));
  return distance_of(model, state, p) <= (rows->lead_in > 0.0 ? rows->lead_in : guided_ways * way);
}

// Whether a row is that of an element in an eye that can pass to a neighbour at that end.
static bool row_passage(const rl_model *model, const rl_state *state, const rl_row *row,
                        uint32_t end, passage *p) {
  const uint32_t rope = model->link_rope[row->item];
  const uint32_t element = row->item - model->ropes[rope].first_link;
  if (!rl_element_is_in_eye(model, state, rope, element)) {
    return false;
  }
  *p = passage_of(model, state, rope, element, end);
  return can_pass(model, state, p);
}

// (2)
void rl_eyes_guide(const rl_model *model, const rl_state *state, rl_rows *rows, double dt) {
  passage p;
  for (uint32_t k = 0; k < 2 * rows->span_count && model->has_rings; k++) {
    rl_row *row = &rows->rows[k / 2];
    const uint32_t end = k % 2;
    const bool is_guided =
        row_passage(model, state, row, end, &p) && is_near(model, state, rows, &p, dt);
    row->guides[end] = is_guided ? rl_scale(end == 0 ? 1.0 : -1.0, guide_of(model, state, &p))
                                 : (rl_vec3){0.0, 0.0, 0.0};
  }
}

bool rl_eyes_guide_others(const rl_model *model, const rl_state *state, const rl_rows *rows) {
  passage p;
  for (uint32_t k = 0; k < 2 * rows->span_count && model->has_rings; k++) {
    const rl_row *row = &rows->rows[k / 2];
    if (row_passage(model, state, row, k % 2, &p) &&
        is_near(model, state, rows, &p, 0.0) == rl_is_zero(row->guides[k % 2])) {
      return true;
    }
  }
  return false;
}

// (2a)
double rl_eyes_longest(const rl_model *model, const rl_state *state, const rl_rows *rows,
                       const rl_vec3 *accelerations) {
  double longest = INFINITY;
  passage p;
  for (uint32_t k = 0; k < 2 * rows->span_count && model->has_rings; k++) {
    if (!row_passage(model, state, &rows->rows[k / 2], k % 2, &p)) {
      continue;
    }
    const double way = fmax(distance_of(model, state, &p), 2.0 * rows->lead_in);
    const uint32_t slot = model->eyes[p.eye].slot;
    const double push =
        rl_length(accelerations[p.node]) + (slot == RL_NONE ? 0.0 : rl_length(accelerations[slot]));
    const double speed = speed_of(model, state, &p);
    longest = fmin(longest, way / (speed + sqrt(speed * speed + push * way)));
  }
  return longest;
}

// ---------------------------------------------------------------------------------------------
// Passing

// (4) Returns v turned by the smallest rotation that takes the unit vector n to m; mirrored if that
// is not defined.
static rl_vec3 turn(rl_vec3 v, rl_vec3 n, rl_vec3 m) {
  const double cosine = rl_dot(n, m);
  if (cosine < turned_back) {
    const rl_vec3 w = rl_unit(rl_sub(n, m));
    return rl_add_scaled(v, -2.0 * rl_dot(w, v), w);
  }
  const rl_vec3 axis = rl_cross(n, m);
  const rl_vec3 level = rl_add(rl_scale(cosine, v), rl_cross(axis, v));
  return rl_add_scaled(level, rl_dot(axis, v) / (1.0 + cosine), axis);
}

// Returns the generalized impulse on the spin slot of a body for an impulse at a point.
static rl_vec3 lever_of(const rl_model *model, const rl_state *state, const rl_body *body,
                        rl_vec3 at, rl_vec3 impulse) {
  const uint32_t index = (uint32_t)(body - model->bodies);
  const rl_vec3 centre = rl_position(&state->points[rl_body_slot(model, index)]);
  return rl_spin_lever(body, rl_body_rotation(model, state, state->points, index),
                       rl_sub(at, centre), impulse);
}

// (5) Adds `share` times the inverse effective mass matrix of a point of what is at a slot: w 1 and
// the part of its spin.
static void add_answer(const rl_model *model, const rl_state *state, uint32_t slot, rl_vec3 at,
                       double share, rl_symmetric3 *k) {
  if (slot == RL_NONE) {
    return;
  }
  const rl_body *body = rl_slot_body(model, slot);
  const double w = share * state->points[slot].w;
  k->xx += w;
  k->yy += w;
  k->zz += w;
  if (body && body->spin_slot != RL_NONE) {
    const double spin = share * state->points[body->spin_slot].w;
    const rl_vec3 x = lever_of(model, state, body, at, rl_vec(1.0, 0.0, 0.0));
    const rl_vec3 y = lever_of(model, state, body, at, rl_vec(0.0, 1.0, 0.0));
    const rl_vec3 z = lever_of(model, state, body, at, rl_vec(0.0, 0.0, 1.0));
    k->xx += spin * rl_dot(x, x);
    k->yy += spin * rl_dot(y, y);
    k->zz += spin * rl_dot(z, z);
    k->xy += spin * rl_dot(x, y);
    k->xz += spin * rl_dot(x, z);
    k->yz += spin * rl_dot(y, z);
  }
}

// Applies an impulse at a point of what is at a slot. A driven body does the work that it takes.
static void strike(const rl_model *model, rl_state *state, uint32_t slot, rl_vec3 at,
                   rl_vec3 impulse) {
  if (slot == RL_NONE) {
    return;
  }
  const rl_body *body = rl_slot_body(model, slot);
  if (body && body->motion == RL_DRIVEN) {
    state->work -= rl_dot(impulse, rl_velocity_at(model, state, slot, at));
  }
  state->velocities[slot] = rl_add_scaled(state->velocities[slot], state->points[slot].w, impulse);
  if (body && body->spin_slot != RL_NONE) {
    state->velocities[body->spin_slot] =
        rl_add_scaled(state->velocities[body->spin_slot], state->points[body->spin_slot].w,
                      lever_of(model, state, body, at, impulse));
  }
}

static rl_vec3 times(rl_symmetric3 k, rl_vec3 d) {
  return rl_vec(k.xx * d.x + k.xy * d.y + k.xz * d.z, k.xy * d.x + k.yy * d.y + k.yz * d.z,
                k.xz * d.x + k.yz * d.y + k.zz * d.z);
}

// (6) Moves a node by `way` relative to its eye; the body of the eye moves the other way, so that
// the centre of mass of both stays.
static void move_apart(const rl_model *model, rl_state *state, const passage *p, rl_vec3 way) {
  const uint32_t slot = model->eyes[p->eye].slot;
  const double node = state->points[p->node].w;
  const double carrier = slot == RL_NONE ? 0.0 : state->points[slot].w;
  rl_move(&state->points[p->node], rl_scale(node / (node + carrier), way));
  if (carrier > 0.0) {
    rl_move(&state->points[slot], rl_scale(-carrier / (node + carrier), way));
  }
}

// Returns the angular momentum of what moves at a slot about a point [kg m^2/s].
static rl_vec3 moment_of(const rl_model *model, const rl_state *state, uint32_t slot,
                         rl_vec3 about) {
  const rl_body *body = rl_slot_body(model, slot);
  const rl_point *point = &state->points[slot];
  const rl_vec3 arm = rl_sub(rl_position(point), about);
  const double mass = point->w > 0.0 ? 1.0 / point->w : 0.0;
  rl_vec3 moment = rl_scale(mass, rl_cross(arm, state->velocities[slot]));
  if (body && body->spin_slot != RL_NONE && state->points[body->spin_slot].w > 0.0) {
    moment =
        rl_add(moment, rl_body_angular_momentum(model, state, (uint32_t)(body - model->bodies)));
  }
  return moment;
}

// Returns the angular momentum of all that takes part in a passage; the eye is on a body that can
// turn.
static rl_vec3 moment_of_all(const rl_model *model, const rl_state *state, const passage *p,
                             rl_vec3 about) {
  const uint32_t slot = model->eyes[p->eye].slot;
  rl_vec3 moment =
      rl_add(moment_of(model, state, p->node, about), moment_of(model, state, slot, about));
  if (p->neighbour != RL_NONE && p->behind_slot != RL_NONE && p->behind_slot != slot) {
    moment = rl_add(moment, moment_of(model, state, p->behind_slot, about));
  }
  return moment;
}

// (7) Turns the body of the eye so that the angular momentum is what it was `before`.
static void give_back(const rl_model *model, rl_state *state, const passage *p, rl_vec3 about,
                      rl_vec3 before) {
  const rl_body *body = rl_slot_body(model, model->eyes[p->eye].slot);
  const uint32_t index = (uint32_t)(body - model->bodies);
  const rl_vec3 torque = rl_sub(before, moment_of_all(model, state, p, about));
  const rl_quat rotation = rl_body_rotation(model, state, state->points, index);
  const rl_vec3 spin = rl_body_spin(model, state, index);
  rl_vec3 *rate = &state->velocities[body->spin_slot];
  *rate = rl_add_scaled(*rate, state->points[body->spin_slot].w,
                        rl_times(body->inverse_root_inertia, rl_rotate_inverse(rotation, torque)));
  const rl_vec3 mean = rl_scale(0.5, rl_add(spin, rl_body_spin(model, state, index)));
  state->dissipated -= rl_dot(torque, mean);
}

// (3) Moves a node on to the line between the eye and the corner behind, at the same distance from
// that corner. Removes its velocity across the line, as in an inelastic impact, by impulses on the
// node and, by the lever, on both ends of the line.
static void straighten(const rl_model *model, rl_state *state, const passage *p) {
  const double length = rl_distance(rl_position(&state->points[p->node]), p->behind);
  for (int i = 0; i < STRAIGHTENINGS; i++) { // the line moves with the body of the eye
    const rl_vec3 eye = eye_position(model, state, p->eye);
    const rl_vec3 line = rl_unit(rl_sub(eye, p->behind));
    const rl_vec3 target = rl_add_scaled(p->behind, length, line);
    move_apart(model, state, p, rl_sub(target, rl_position(&state->points[p->node])));
  }
  const rl_vec3 eye = eye_position(model, state, p->eye), in = rl_unit(rl_sub(eye, p->behind));
  const rl_vec3 at = rl_position(&state->points[p->node]);
  const double whole = rl_distance(eye, p->behind), share = whole > 0.0 ? length / whole : 1.0;
  const uint32_t slot = model->eyes[p->eye].slot;
  const rl_vec3 line =
      rl_add(rl_scale(share, rl_velocity_at(model, state, slot, eye)),
             rl_scale(1.0 - share, rl_velocity_at(model, state, p->behind_slot, p->behind)));
  const rl_vec3 slip = rl_sub(state->velocities[p->node], line);
  const rl_vec3 across = rl_add_scaled(slip, -rl_dot(slip, in), in), d = rl_unit(across);
  rl_symmetric3 k = {0};
  add_answer(model, state, p->node, at, 1.0, &k);
  add_answer(model, state, slot, eye, share * share, &k);
  add_answer(model, state, p->behind_slot, p->behind, (1.0 - share) * (1.0 - share), &k);
  const double answer = rl_dot(d, times(k, d));
  if (answer > 0.0) {
    const double impulse = rl_length(across) / answer;
    strike(model, state, p->node, at, rl_scale(-impulse, d));
    strike(model, state, slot, eye, rl_scale(share * impulse, d));
    strike(model, state, p->behind_slot, p->behind, rl_scale((1.0 - share) * impulse, d));
    state->dissipated += 0.5 * impulse * rl_length(across);
  }
}

// (4), (5) Moves a node to the distance `through` behind the eye, along the rope there, with a
// velocity turned like the rope and scaled for the work of gravity on the way.
static void turn_round(const rl_model *model, rl_state *state, const passage *p, rl_vec3 in,
                       double through) {
  const uint32_t slot = model->eyes[p->eye].slot;
  rl_vec3 eye = eye_position(model, state, p->eye);
  const rl_vec3 out = rl_unit(rl_sub(p->ahead, eye));
  const rl_vec3 way =
      rl_sub(rl_add_scaled(eye, through, out), rl_position(&state->points[p->node]));
  const bool is_carried = slot != RL_NONE && state->points[slot].w > 0.0;
  const double fall = is_carried ? 0.0 : state->masses[p->node] * rl_dot(model->gravity, way);
  move_apart(model, state, p, way);
  eye = eye_position(model, state, p->eye);
  const rl_vec3 slip = rl_sub(state->velocities[p->node], rl_velocity_at(model, state, slot, eye));
  const rl_vec3 turned = turn(slip, in, out);
  rl_symmetric3 k = {0};
  add_answer(model, state, p->node, eye, 1.0, &k);
  add_answer(model, state, slot, eye, 1.0, &k);
  const double before = rl_dot(slip, rl_solve_symmetric(k, slip));
  const double behind = rl_dot(turned, rl_solve_symmetric(k, turned));
  const double scale = behind > 0.0 ? sqrt(fmax(before + 2.0 * fall, 0.0) / behind) : 1.0;
  const rl_vec3 impulse = rl_solve_symmetric(k, rl_sub(rl_scale(scale, turned), slip));
  strike(model, state, p->node, eye, impulse);
  strike(model, state, slot, eye, rl_scale(-1.0, impulse));
}

// Returns how far a node is past the eye in the direction in which it comes [m].
static double through_of(const rl_model *model, const rl_state *state, const passage *p,
                         rl_vec3 in) {
  const rl_vec3 node = rl_position(&state->points[p->node]);
  return rl_dot(in, rl_sub(node, eye_position(model, state, p->eye)));
}

// Whether the body that carries the eye can turn freely.
static bool can_turn(const rl_model *model, const rl_state *state, const passage *p) {
  const uint32_t slot = model->eyes[p->eye].slot;
  const rl_body *body = slot == RL_NONE ? NULL : rl_slot_body(model, slot);
  return body && body->spin_slot != RL_NONE && state->points[body->spin_slot].w > 0.0;
}

// Whether the corner behind a node is still before the eye: then the line between both guides the
// node.
static bool has_line(const rl_model *model, const rl_state *state, const passage *p, rl_vec3 in) {
  return p->neighbour != RL_NONE &&
         rl_dot(in, rl_sub(p->behind, eye_position(model, state, p->eye))) < 0.0;
}

// Moves a node through the eye, which then belongs to the element behind it.
static void let_through(const rl_model *model, rl_state *state, const passage *p, rl_vec3 in,
                        double through) {
  turn_round(model, state, p, in, through);
  state->eye_elements[p->eye] = p->neighbour;
}

// (4a) Moves the nodes behind a node through the eye as well if a step takes more than an element
// through, at the same distances behind it.
static void follow(const rl_model *model, rl_state *state, passage p, rl_vec3 in, double behind) {
  const uint32_t eye = p.eye;
  while (p.neighbour != RL_NONE) {
    const rl_vec3 node = rl_position(&state->points[p.node]);
    const double through = rl_distance(node, eye_position(model, state, eye)) - behind;
    p = passage_of(model, state, p.rope, p.neighbour, p.end);
    if (p.eye != eye || !(through > 0.0) || !can_pass(model, state, &p)) {
      return;
    }
    behind = rl_distance(p.behind, rl_position(&state->points[p.node]));
    let_through(model, state, &p, in, through);
  }
}

// Moves a node on to its line, and through the eye if it is past it. Returns whether it has passed.
static bool pass(const rl_model *model, rl_state *state, const passage *p, rl_vec3 in) {
  const bool turns = can_turn(model, state, p);
  const rl_vec3 about =
      turns ? rl_position(&state->points[model->eyes[p->eye].slot]) : (rl_vec3){0.0, 0.0, 0.0};
  const rl_vec3 before = turns ? moment_of_all(model, state, p, about) : about;
  const double behind = rl_distance(p->behind, rl_position(&state->points[p->node]));
  if (has_line(model, state, p, in)) {
    straighten(model, state, p);
    in = guide_of(model, state, p);
  }
  const double through = through_of(model, state, p, in);
  if (through > 0.0) {
    let_through(model, state, p, in, through);
  }
  if (turns) {
    give_back(model, state, p, about, before);
  }
  if (through > 0.0) {
    follow(model, state, *p, in, behind);
  }
  return through > 0.0;
}

// Finds the passage at one end of a row, and its direction, if the node is guided and still at the
// eye; else returns false.
static bool guided_passage(const rl_model *model, const rl_state *state, const rl_row *row,
                           uint32_t end, passage *p, rl_vec3 *in) {
  const uint32_t rope = model->link_rope[row->item];
  const uint32_t element = row->item - model->ropes[rope].first_link;
  if (rl_is_zero(row->guides[end]) || !rl_element_is_in_eye(model, state, rope, element)) {
    return false;
  }
  *p = passage_of(model, state, rope, element, end);
  *in = rl_scale(end == 0 ? 1.0 : -1.0, row->guides[end]);
  if (has_line(model, state, p, *in)) {
    *in = guide_of(model, state, p);
  }
  return true;
}

double rl_eyes_overshoot(const rl_model *model, const rl_state *state, const rl_rows *rows) {
  double most = -INFINITY;
  passage p;
  rl_vec3 in;
  for (uint32_t k = 0; k < 2 * rows->span_count && model->has_rings; k++) {
    if (guided_passage(model, state, &rows->rows[k / 2], k % 2, &p, &in)) {
      most = fmax(most, through_of(model, state, &p, in));
    }
  }
  return most;
}

// Moves the nodes of a rope that the next step will guide on to their lines, so that the forces
// along these have no moment. Returns true if one has passed.
static bool receive(const rl_model *model, rl_state *state, const rl_rows *rows, uint32_t rope,
                    double dt) {
  const rl_rope *r = &model->ropes[rope];
  bool passed = false;
  for (uint32_t k = 2 * r->first_eye; k < 2 * (r->first_eye + r->ring_count); k++) {
    const uint32_t element = state->eye_elements[k / 2], end = k % 2;
    if (element == RL_NONE) {
      continue;
    }
    const passage p = passage_of(model, state, rope, element, end);
    if (p.eye == k / 2 && p.neighbour != RL_NONE && can_pass(model, state, &p) &&
        is_near(model, state, rows, &p, dt)) {
      passed = pass(model, state, &p, guide_of(model, state, &p)) || passed;
    }
  }
  return passed;
}

bool rl_eyes_pass(const rl_model *model, rl_state *state, const rl_rows *rows, double dt) {
  bool passed = false;
  passage p;
  rl_vec3 in;
  for (uint32_t k = 0; k < 2 * rows->span_count && model->has_rings; k++) {
    if (guided_passage(model, state, &rows->rows[k / 2], k % 2, &p, &in)) {
      passed = pass(model, state, &p, in) || passed;
    }
  }
  for (uint32_t rope = 0; rope < model->rope_count && model->has_rings; rope++) {
    passed = receive(model, state, rows, rope, dt) || passed;
  }
  return passed;
}

// ---------------------------------------------------------------------------------------------
// Pieces that are used up

// An end of a straight piece.
typedef struct corner {
  rl_vec3 at;    // [m]
  uint32_t slot; // that carries it; RL_NONE: fixed in space
  bool is_point; // an end of the rope or an eye, not a place on a body
} corner;

static corner node_corner(const rl_model *model, const rl_state *state, uint32_t node) {
  return (corner){rl_position(&state->points[node]), rl_node_vertex(model, node).slot, true};
}

// Returns corner i of a massless rope, from its end `from` over its eyes and bodies.
static corner rope_corner(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t i) {
  const rl_rope *r = &model->ropes[rope];
  if (i == 0 || i > rl_bend_count(model, state, rope)) {
    return node_corner(model, state, r->ends[i > 0]);
  }
  const rl_wrap *wrap = r->wrap_capacity > 0 ? &state->wraps[r->first_wrap + i - 1] : NULL;
  if (wrap && wrap->body != RL_NONE) {
    return (corner){.slot = RL_NONE};
  }
  const uint32_t eye = wrap ? wrap->part : r->first_eye + i - 1;
  return (corner){eye_position(model, state, eye), model->eyes[eye].slot, true};
}

// (13) Whether a piece between two points will have no length within the next step.
static bool is_drawn_together(const rl_model *model, const rl_state *state, corner from, corner to,
                              double dt) {
  if (!from.is_point || !to.is_point) {
    return false;
  }
  const rl_vec3 piece = rl_sub(to.at, from.at);
  const rl_vec3 speed = rl_sub(rl_velocity_at(model, state, to.slot, to.at),
                               rl_velocity_at(model, state, from.slot, from.at));
  const double rate = rl_dot(rl_unit(piece), speed);
  return rate < 0.0 && rl_length(piece) + dt * rate <= 0.0;
}

static bool rope_draws_in(const rl_model *model, const rl_state *state, uint32_t rope, double dt,
                          uint32_t *end) {
  const uint32_t bends = rl_bend_count(model, state, rope);
  corner from = rope_corner(model, state, rope, 0);
  for (uint32_t i = 0; i <= bends; i++) {
    const corner to = rope_corner(model, state, rope, i + 1);
    if (rl_piece_tension(model, state, rope, i) > 0.0 &&
        is_drawn_together(model, state, from, to, dt)) {
      *end = i == 0 ? 0 : i == bends ? 1 : RL_NONE;
      return true;
    }
    from = to;
  }
  return false;
}

// Whether a piece of an element in an eye will be used up at a corner that cannot pass.
static bool element_draws_in(const rl_model *model, const rl_state *state, uint32_t rope,
                             uint32_t i, double dt, uint32_t *end) {
  const uint32_t pieces = rl_element_corners(model, state, rope, i) - 1;
  for (uint32_t k = 0; k < pieces; k++) {
    const corner from = {rl_element_corner(model, state, rope, i, k),
                         corner_slot(model, state, rope, i, k), true};
    const corner to = {rl_element_corner(model, state, rope, i, k + 1),
                       corner_slot(model, state, rope, i, k + 1), true};
    *end = k == 0 ? 0 : k + 1 == pieces ? 1 : RL_NONE;
    if (is_drawn_together(model, state, from, to, dt)) {
      const passage p = *end == RL_NONE ? (passage){0} : passage_of(model, state, rope, i, *end);
      if (*end == RL_NONE || !can_pass(model, state, &p)) {
        return true;
      }
    }
  }
  return false;
}

// (13)
bool rl_eyes_draw_in(const rl_model *model, const rl_state *state, double dt, uint32_t *rope,
                     uint32_t *end) {
  for (*rope = 0; *rope < model->rope_count; ++*rope) {
    const rl_rope *r = &model->ropes[*rope];
    if (r->eye_count > 0 && rl_rope_elements(model, state, *rope) > 0 &&
        rope_draws_in(model, state, *rope, dt, end)) {
      return true;
    }
    for (uint32_t k = r->first_eye; k < r->first_eye + r->ring_count; k++) {
      const uint32_t i = state->eye_elements[k];
      if (i != RL_NONE && state->multipliers[r->first_link + i] > 0.0 &&
          element_draws_in(model, state, *rope, i, dt, end)) {
        return true;
      }
    }
  }
  return false;
}
