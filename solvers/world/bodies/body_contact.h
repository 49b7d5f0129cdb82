// SPDX-License-Identifier: GPL-3.0-or-later
// Contacts between bodies: pairs of parts, detection, rows. Restitution is in bounce.h.
// papers/bodies.md has the derivation.
#ifndef RL_BODY_CONTACT_H
#define RL_BODY_CONTACT_H

#include "../rows_internal.h"

// Returns the part that carries the plane of a contact of two bodies.
const rl_part *rl_touched_part(const rl_model *model, const rl_contact *contact);

// Adds the contacts of all pairs that can become active within dt [s] (rl_contact_add).
void rl_detect_bodies(const rl_model *model, rl_state *state, rl_rows *rows, double dt);

// Adds the row of a contact of two bodies, the i-th of the list.
void rl_add_body_row(const rl_model *model, rl_rows *rows, const rl_contact *contact, uint32_t i);

// Returns the distance moved over the travel that the list of contacts allows for; 0 if the
// distance is rounding.
static inline double rl_travelled_share(const rl_model *model, double moved, double travel) {
  static const double rounding = 1e-12; // relative to the size of the scene
  return moved > rounding * model->reach ? moved / travel : 0.0;
}

// Returns the largest rl_travelled_share of all pairs of bodies, from one state to another.
double rl_bodies_travelled(const rl_model *model, const rl_state *then, const rl_state *now,
                           double dt);

// Sets `crowd` in the rows of all contacts between bodies: the most contacts on one of the two.
void rl_count_crowds(const rl_model *model, const rl_state *state, rl_rows *rows);

#endif
