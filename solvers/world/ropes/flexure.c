// SPDX-License-Identifier: GPL-3.0-or-later
#include "flexure.h"

#include "../rotation.h"
#include "elements.h"

// Relative to |e||f|: with a smaller D the rope counts as folded back on itself.
static const double folded_back = 1e-14;

// The position of one of the three nodes, and what moves it. A node that is held beside the centre
// of a body moves with the body and its rotation.
typedef struct place {
  uint32_t slot;       // RL_NONE: the far side of a clamped end
  const rl_body *body; // the body that holds the node; NULL: none
  uint32_t index;      // of the body
  rl_vec3 arm, at;     // from its centre to the node; position [m]
} place;

static place place_of(const rl_model *model, const rl_state *state, const rl_point *points,
                      uint32_t slot) {
  const rl_hold *hold = slot < model->node_count ? rl_moving_hold(model, slot) : NULL;
  place p = {.slot = hold ? rl_body_slot(model, hold->body) : slot};
  p.at = rl_position(&points[p.slot]);
  if (hold) {
    p.index = hold->body;
    p.body = &model->bodies[hold->body];
    p.arm = rl_rotate(rl_body_rotation(model, state, points, hold->body), hold->offset);
    p.at = rl_add(p.at, p.arm);
  }
  return p;
}

// ---------------------------------------------------------------------------------------------
// Geometry

// (4) The derivative of kb with respect to one of the two elements.
typedef struct change {
  rl_vec3 slope;       // gradient of |kb|^2 / 2
  double matrix[3][3]; // of kb, if it is asked for
} change;

// (4) Computes (-2 [f]x - kb (x) (|f| e/|e| + f)) / D for e, and likewise for f: with `sign`
// [other]x, and the gradient of D, `with_d`.
static void derive(double sign, rl_vec3 other, rl_vec3 kb, rl_vec3 with_d, double d, bool whole,
                   change *out) {
  const rl_vec3 across = rl_scale(-2.0 * sign, rl_cross(other, kb));
  out->slope = rl_scale(1.0 / d, rl_add_scaled(across, -rl_dot(kb, kb), with_d));
  if (!whole) {
    return;
  }
  const double k[3] = {kb.x, kb.y, kb.z}, s[3] = {with_d.x, with_d.y, with_d.z};
  const double cross[3][3] = {
      {0.0, -other.z, other.y}, {other.z, 0.0, -other.x}, {-other.y, other.x, 0.0}};
  for (int i = 0; i < 3; i++) {
    for (int j = 0; j < 3; j++) {
      out->matrix[i][j] = (2.0 * sign * cross[i][j] - k[i] * s[j]) / d;
    }
  }
}

// (1), (4) Computes kb of two elements and its derivatives with respect to both.
static void bend(rl_vec3 e, rl_vec3 f, rl_flexure *flexure, change *by_e, change *by_f) {
  const double a = rl_length(e), b = rl_length(f);
  const double d = a * b + rl_dot(e, f);
  const rl_vec3 kb =
      d > folded_back * a * b ? rl_scale(2.0 / d, rl_cross(e, f)) : (rl_vec3){INFINITY, 0.0, 0.0};
  derive(-1.0, f, kb, rl_add_scaled(f, b / a, e), d, flexure->derives, by_e);
  derive(1.0, e, kb, rl_add_scaled(e, a / b, f), d, flexure->derives, by_f);
  flexure->curvature = kb;
  flexure->value = rl_length(kb);
  flexure->entry_count = 0;
}

// Returns the entry of a slot, zeroed if it is new.
static rl_flexure_entry *entry_of(rl_flexure *flexure, uint32_t slot) {
  for (uint32_t i = 0; i < flexure->entry_count; i++) {
    if (flexure->entries[i].slot == slot) {
      return &flexure->entries[i];
    }
  }
  rl_flexure_entry *entry = &flexure->entries[flexure->entry_count++];
  entry->slot = slot;
  entry->slope = (rl_vec3){0.0, 0.0, 0.0};
  for (int k = 0; k < 9 && flexure->derives; k++) {
    entry->jacobian[k / 3][k % 3] = 0.0;
  }
  return entry;
}

// (5) Adds the derivative with respect to the spin slot of a body with which the vector `arm`
// turns: the rotation about axis k of the body's frame is the coordinate over the root of its
// inertia.
static void add_turn(rl_flexure *flexure, const rl_model *model, const rl_state *state,
                     const rl_point *points, const place *p, rl_vec3 arm, double sign,
                     const change *by) {
  const rl_quat rotation = rl_body_rotation(model, state, points, p->index);
  const rl_vec3 roots = p->body->inverse_root_inertia;
  const rl_vec3 torque = rl_rotate_inverse(rotation, rl_cross(arm, by->slope));
  const rl_vec3 axes[3] = {{roots.x, 0.0, 0.0}, {0.0, roots.y, 0.0}, {0.0, 0.0, roots.z}};
  rl_flexure_entry *entry = entry_of(flexure, p->body->spin_slot);
  entry->slope = rl_add_scaled(entry->slope, sign, rl_times(roots, torque));
  for (int k = 0; k < 3 && flexure->derives; k++) {
    const rl_vec3 moved = rl_cross(rl_rotate(rotation, axes[k]), arm);
    for (int i = 0; i < 3; i++) {
      const double *m = by->matrix[i];
      entry->jacobian[i][k] += sign * (m[0] * moved.x + m[1] * moved.y + m[2] * moved.z);
    }
  }
}

static void add_place(rl_flexure *flexure, const rl_model *model, const rl_state *state,
                      const rl_point *points, const place *p, double sign, const change *by) {
  rl_flexure_entry *entry = entry_of(flexure, p->slot);
  entry->slope = rl_add_scaled(entry->slope, sign, by->slope);
  for (int k = 0; k < 9 && flexure->derives; k++) {
    entry->jacobian[k / 3][k % 3] += sign * by->matrix[k / 3][k % 3];
  }
  if (p->body && p->body->spin_slot != RL_NONE) {
    add_turn(flexure, model, state, points, p, p->arm, sign, by);
  }
}

// ---------------------------------------------------------------------------------------------
// Walking

// (2), (3) Sets compliance and its growth for one element, at a clamped end, or two.
static void set_compliance(rl_flexure *flexure, const rl_state *state, const rl_rope *rope,
                           uint32_t element, uint32_t next) {
  const uint32_t elements[2] = {element, next};
  flexure->compliance = flexure->growth = 0.0;
  for (size_t k = 0; k < 2 && elements[k] != RL_NONE; k++) {
    const uint32_t link = rope->first_link + elements[k];
    flexure->compliance += state->links[link].rest / (2.0 * rope->bending);
    flexure->growth += state->feeds ? state->feeds[link] / (2.0 * rope->bending) : 0.0;
  }
}

// Whether an end is still clamped: held by something fixed, or by a body that turns. A released
// body that does not turn holds no direction.
static bool is_clamped(const rl_model *model, const rl_state *state, const rl_rope *rope,
                       uint32_t end, uint32_t slot) {
  const uint32_t body = rope->clamp_bodies[end];
  const uint32_t holder = body == RL_NONE ? slot : rl_body_slot(model, body);
  const bool turns = body != RL_NONE && model->bodies[body].spin_slot != RL_NONE;
  return !rl_is_zero(rope->clamps[end]) && slot == rope->ends[end] &&
         (state->points[holder].w == 0.0 || turns);
}

// (3) Computes the flexure of a clamped end of an element. Returns false if there is none.
static bool clamp_at(const rl_model *model, const rl_state *state, const rl_point *points,
                     uint32_t end, uint32_t element, rl_flexure *flexure) {
  const rl_rope *rope = &model->ropes[flexure->rope];
  const rl_link *link = &state->links[rope->first_link + element];
  const uint32_t body = rope->clamp_bodies[end];
  if (!is_clamped(model, state, rope, end, end == 0 ? link->a : link->b)) {
    return false;
  }
  const place from = place_of(model, state, points, link->a);
  const place to = place_of(model, state, points, link->b);
  const rl_vec3 along = rl_sub(to.at, from.at);
  if (rl_is_zero(along)) {
    return false;
  }
  rl_vec3 direction = rope->clamps[end];
  place holder = {.slot = RL_NONE};
  if (body != RL_NONE) {
    holder = (place){.body = &model->bodies[body], .index = body};
    direction = rl_rotate(rl_body_rotation(model, state, points, body), direction);
  }
  change by_e, by_f;
  bend(end == 0 ? direction : along, end == 0 ? along : direction, flexure, &by_e, &by_f);
  set_compliance(flexure, state, rope, element, RL_NONE);
  add_place(flexure, model, state, points, &from, -1.0, end == 0 ? &by_f : &by_e);
  add_place(flexure, model, state, points, &to, 1.0, end == 0 ? &by_f : &by_e);
  if (holder.body && holder.body->spin_slot != RL_NONE) {
    add_turn(flexure, model, state, points, &holder, direction, 1.0, end == 0 ? &by_e : &by_f);
  }
  return true;
}

// Computes the flexure at the node between two elements. Returns false if there is none.
static bool bend_between(const rl_model *model, const rl_state *state, const rl_point *points,
                         uint32_t element, uint32_t next, rl_flexure *flexure) {
  const rl_rope *rope = &model->ropes[flexure->rope];
  const rl_link *first = &state->links[rope->first_link + element];
  const rl_link *second = &state->links[rope->first_link + next];
  const place nodes[3] = {place_of(model, state, points, first->a),
                          place_of(model, state, points, first->b),
                          place_of(model, state, points, second->b)};
  const rl_vec3 e = rl_sub(nodes[1].at, nodes[0].at), f = rl_sub(nodes[2].at, nodes[1].at);
  if (rl_is_zero(e) || rl_is_zero(f)) {
    return false; // an element without length has no direction
  }
  change by_e, by_f;
  bend(e, f, flexure, &by_e, &by_f);
  set_compliance(flexure, state, rope, element, next);
  add_place(flexure, model, state, points, &nodes[0], -1.0, &by_e);
  add_place(flexure, model, state, points, &nodes[1], 1.0, &by_e);
  add_place(flexure, model, state, points, &nodes[1], -1.0, &by_f);
  add_place(flexure, model, state, points, &nodes[2], 1.0, &by_f);
  return true;
}

// Computes the flexure of a rope behind its first `behind` elements. Returns false if there is
// none.
static bool flexure_at(const rl_model *model, const rl_state *state, const rl_point *points,
                       uint32_t behind, rl_flexure *flexure) {
  const uint32_t count = rl_rope_elements(model, state, flexure->rope);
  const bool closed = model->ropes[flexure->rope].closed;
  flexure->index = model->ropes[flexure->rope].first_flexure + behind;
  if (behind == 0) {
    return !closed && clamp_at(model, state, points, 0, 0, flexure);
  }
  const uint32_t next = rl_element_next(model, state, flexure->rope, behind - 1);
  if (next != RL_NONE) {
    return bend_between(model, state, points, behind - 1, next, flexure);
  }
  return !closed && behind == count && clamp_at(model, state, points, 1, behind - 1, flexure);
}

bool rl_flexure_next(const rl_model *model, const rl_state *state, const rl_point *points,
                     rl_flexure *flexure) {
  for (; model->flexure_count > 0 && flexure->rope < model->rope_count; flexure->rope++) {
    const bool bends = model->ropes[flexure->rope].bending > 0.0;
    const uint32_t count = rl_rope_elements(model, state, flexure->rope);
    while (bends && count > 0 && flexure->place <= count) {
      if (flexure_at(model, state, points, flexure->place++, flexure)) {
        return true;
      }
    }
    flexure->place = 0;
  }
  return false;
}

double rl_flexure_inverse_mass(const rl_flexure *flexure, const rl_point *points) {
  double sum = 0.0;
  for (uint32_t i = 0; i < flexure->entry_count && flexure->value > 0.0; i++) {
    const rl_vec3 gradient = rl_scale(1.0 / flexure->value, flexure->entries[i].slope);
    sum += points[flexure->entries[i].slot].w * rl_dot(gradient, gradient);
  }
  return sum;
}

double rl_flexure_start_impulse(const rl_flexure *flexure, double inverse_mass, double h) {
  return -flexure->value / fmax(flexure->compliance / h, h * inverse_mass);
}

// ---------------------------------------------------------------------------------------------
// Sums over all flexures

// (2)
double rl_bending_energy(const rl_model *model, const rl_state *state) {
  if (model->flexure_count == 0) {
    return 0.0;
  }
  double energy = 0.0;
  for (rl_flexure f = {0}; rl_flexure_next(model, state, state->points, &f);) {
    energy += 0.5 * f.value * f.value / f.compliance;
  }
  return energy;
}

void rl_bending_forces(const rl_model *model, const rl_state *state, const rl_point *points,
                       rl_vec3 *forces) {
  for (rl_flexure f = {0}; rl_flexure_next(model, state, points, &f);) {
    for (uint32_t i = 0; i < f.entry_count; i++) {
      const uint32_t slot = f.entries[i].slot;
      forces[slot] = rl_add_scaled(forces[slot], -1.0 / f.compliance, f.entries[i].slope);
    }
  }
}

// (5)
void rl_bending_push(const rl_model *model, const rl_state *state, double h, rl_vec3 *to) {
  for (rl_flexure f = {0}; rl_flexure_next(model, state, state->points, &f);) {
    for (uint32_t i = 0; i < f.entry_count; i++) {
      const uint32_t slot = f.entries[i].slot;
      const double w = state->points[slot].w;
      to[slot] = rl_add_scaled(to[slot], -h * w / f.compliance, f.entries[i].slope);
    }
  }
}

double rl_bending_power(const rl_model *model, const rl_state *state) {
  if (model->flexure_count == 0) {
    return 0.0;
  }
  double power = 0.0;
  for (rl_flexure f = {0}; rl_flexure_next(model, state, state->points, &f);) {
    power -= 0.5 * f.value * f.value / (f.compliance * f.compliance) * f.growth;
    for (uint32_t i = 0; i < f.entry_count; i++) {
      const rl_flexure_entry *e = &f.entries[i];
      if (state->points[e->slot].w == 0.0) {
        power += rl_dot(e->slope, state->velocities[e->slot]) / f.compliance;
      }
    }
  }
  return power;
}
