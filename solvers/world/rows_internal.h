// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by rows.c and rows_*.c, which build and evaluate rows; private to them.
#ifndef RL_ROWS_INTERNAL_H
#define RL_ROWS_INTERNAL_H

#include "bodies/shape.h"
#include "rotation.h"
#include "rows.h"

// Add a row behind the others, without vertices; and to the last row a vertex, with an entry for
// the slot that moves there and for the spin of a body that turns.
static inline rl_row *rl_rows_add(rl_rows *rows, rl_row_kind kind, uint32_t source, uint32_t item) {
  rl_row *added = &rows->rows[rows->row_count++];
  *added = (rl_row){.kind = kind, .source = source, .item = item};
  if (rows->row_count > 1) {
    const rl_row *last = added - 1;
    added->first_vertex = last->first_vertex + last->vertex_count;
    added->first_entry = last->first_entry + last->entry_count;
  }
  return added;
}
void rl_row_add_vertex(const rl_model *model, rl_rows *rows, rl_row *row, rl_vertex vertex);

// Adds a contact to the state's list, behind the others, with what is known of it from the step
// before. Returns where its foot goes.
rl_foot *rl_contact_add(const rl_model *model, rl_state *state, rl_rows *rows,
                        const rl_contact *contact);

// Returns the position of a node; one that is held moves with its body within a step too.
static inline rl_vec3 rl_node_position(const rl_model *model, const rl_state *state,
                                       uint32_t slot) {
  return rl_vertex_position(model, state, rl_node_vertex(model, slot), state->points);
}

// Whether a slot can be moved by what acts on it, or a body by what acts at its surface.
static inline bool rl_slot_moves(const rl_model *model, const rl_point *points, uint32_t slot) {
  const rl_body *body = rl_slot_body(model, slot);
  return points[slot].w > 0.0 ||
         (body && body->spin_slot != RL_NONE && points[body->spin_slot].w > 0.0);
}

// Builds all rows of ropes and their blocks anew, by the wraps of the state (NULL: no rope has
// any); the splits stand behind the contacts.
void rl_rows_add_ropes(const rl_model *model, const rl_state *state, rl_rows *rows);
void rl_rows_add_splits(const rl_model *model, rl_state *state, rl_rows *rows);

// Position and rotation of a body at trial positions.
typedef struct rl_body_pose {
  rl_vec3 centre;
  rl_quat rotation;
} rl_body_pose;

static inline rl_body_pose rl_body_pose_at(const rl_model *model, const rl_state *state,
                                           const rl_point *points, uint32_t body) {
  return (rl_body_pose){rl_position(&points[rl_body_slot(model, body)]),
                        rl_body_rotation(model, state, points, body)};
}

// Returns the distance of a point from the part of a contact, and the normal there.
static inline rl_surface rl_contact_surface(const rl_model *model, const rl_contact *contact,
                                            rl_body_pose at, rl_vec3 p) {
  return rl_shape_surface(&model->bodies[contact->body].parts[contact->part], at.centre,
                          at.rotation, p);
}

#endif
