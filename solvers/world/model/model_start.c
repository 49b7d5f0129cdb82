// SPDX-License-Identifier: GPL-3.0-or-later
// Checks of the start of a model that is built. What starts inside a body would be thrown out
// within a substep: it is refused, but for what rounding coordinates may do.
#include "../paths/wrap.h"
#include "../ropes/flexure.h"
#include "../rows.h"
#include "model_builder.h"
#include "model_check.h"

// Two bodies may start as deep in each other as this, of the smaller one.
static bool check_bodies_apart(const rl_model *model, const rl_contact *contact, double depth,
                               rl_fault *fault) {
  const uint32_t other = contact->slot - model->node_count;
  const rl_body *a = &model->bodies[other], *b = &model->bodies[contact->body];
  return depth <= RL_START_TOLERANCE * fmin(a->bound, b->bound) ||
         rl_fault_set(fault, RL_FAULT_INVALID, other, RL_NONE, "position",
                      "it starts %.3g m inside body '%s'; expected them apart, or collide: false",
                      depth, b->name);
}

// Elements of ropes may start as deep in each other as this, of the smaller radius.
static bool check_ropes_apart(const rl_model *model, const rl_contact *contact, double depth,
                              rl_fault *fault) {
  const rl_rope *rope = &model->ropes[contact->rope];
  const rl_rope *other = &model->ropes[model->link_rope[contact->other]];
  return depth <= RL_START_TOLERANCE * fmin(rope->radius, other->radius) ||
         rl_fault_set(
             fault, RL_FAULT_INVALID, RL_NONE, contact->rope, "points",
             "element %u starts %.3g m inside element %u of rope '%s' (radii %g and %g m); "
             "expected them apart, or rope_collide: false",
             (uint32_t)(contact->node), depth, contact->other - other->first_link, other->name,
             rope->radius, other->radius);
}

// A rope may start as deep in a body as this, of its elements.
static bool check_rope_outside(const rl_model *model, const rl_contact *contact, double depth,
                               rl_fault *fault) {
  const rl_rope *rope = &model->ropes[contact->rope];
  return depth <= RL_START_TOLERANCE * rope->length / rope->link_count ||
         rl_fault_set(
             fault, RL_FAULT_INVALID, RL_NONE, contact->rope, "points",
             "%s %u starts %.3g m inside body '%s' (with the rope's radius of %g m); expected the "
             "rope outside",
             contact->next == RL_NONE ? "node" : "element", contact->node, depth,
             model->bodies[contact->body].name, rope->radius);
}

// No rope with bending stiffness starts folded back on itself.
static bool check_bends(const rl_model *model, const rl_state *state, rl_fault *fault) {
  for (rl_flexure f = {0}; rl_flexure_next(model, state, state->points, &f);) {
    if (!isfinite(f.value)) {
      const unsigned behind = f.place - 1;
      const bool at_end = behind == model->ropes[f.rope].link_count;
      return rl_fault_set(
          fault, RL_FAULT_INVALID, RL_NONE, f.rope,
          behind == 0 ? "from.clamp"
          : at_end    ? "to.clamp"
                      : "points",
          "the rope starts folded back on itself, %u elements from its beginning, "
          "which takes infinite energy; expected %s, or no bending stiffness",
          behind, behind == 0 || at_end ? "another direction of the clamp" : "other points");
    }
  }
  return true;
}

// The contacts of the start.
static bool check_contacts(const rl_model *model, rl_state *state, rl_rows *rows, rl_fault *fault) {
  rl_detect(model, state, 0.0, rows);
  if (rows->overflows) {
    return rl_fault_set(fault, RL_FAULT_INVALID, RL_NONE, RL_NONE, "ropes",
                        "more than %u contacts of ropes with ropes at the start; expected them "
                        "apart, or rope_collide: false",
                        model->tangle_capacity);
  }
  bool apart = true;
  for (uint32_t i = rows->span_count; apart && i < rows->row_count; i++) {
    rl_row *row = &rows->rows[i];
    if (row->kind != RL_ROW_CONTACT) {
      continue;
    }
    const rl_contact *contact = &state->contacts[row->item];
    rl_row_evaluate(model, state, rows, row, state->points);
    apart = (rl_is_of_bodies(contact)  ? check_bodies_apart
             : rl_is_of_ropes(contact) ? check_ropes_apart
                                       : check_rope_outside)(model, contact, row->value, fault);
  }
  return apart;
}

// The ends and eyes of massless ropes that lie on no body; those that do were looked at when they
// were laid.
static bool check_points(const rl_model *model, const rl_definition *definition,
                         const rl_state *state, rl_fault *fault) {
  bool outside = true;
  for (uint32_t i = 0; outside && i < model->rope_count; i++) {
    const rl_rope *rope = &model->ropes[i];
    outside = !rope->massless || rope->wrap_capacity > 0 ||
              rl_wraps_check_points(model, definition, state, i, fault);
  }
  return outside;
}

bool rl_model_check_start(const rl_model *model, const rl_definition *definition, rl_fault *fault) {
  rl_state *state = rl_state_create(model);
  rl_rows *rows = rl_rows_create(model);
  const bool passes =
      state && rows
          ? check_bends(model, state, fault) && check_points(model, definition, state, fault) &&
                check_contacts(model, state, rows, fault)
          : rl_fault_set(fault, RL_FAULT_MEMORY, RL_NONE, RL_NONE, NULL, "out of memory");
  rl_rows_free(rows);
  rl_state_free(state);
  return passes;
}
