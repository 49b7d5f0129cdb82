// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies against bodies: pairs, detection, rows; restitution is in rows.h. papers/bodies.md has the
// derivation.
#ifndef RL_BODY_CONTACT_H
#define RL_BODY_CONTACT_H

#include "../rows_internal.h"

// The most contacts of a pair.
uint32_t rl_pair_capacity(const rl_model *model, const rl_pair *pair);

// The part that a contact of two bodies has its plane on.
const rl_part *rl_touched_part(const rl_model *model, const rl_contact *contact);

// Adds the contacts of all pairs that can become active within dt (rl_contact_add), and the row of
// one of them, the i-th contact.
void rl_detect_bodies(const rl_model *model, rl_state *state, const rl_rows *rows,
                      uint64_t old_count, uint64_t *old, double dt);
void rl_add_body_row(const rl_model *model, rl_rows *rows, const rl_contact *contact, uint32_t i);

// rl_travelled of what has moved by so much where the list reaches so far: 0 where it has not moved
// but by rounding. And of bodies beside bodies.
static inline double rl_travelled_share(const rl_model *model, double moved, double travel) {
  static const double rounding = 1e-12; // of the scene
  return moved > rounding * model->reach ? moved / travel : 0.0;
}
double rl_bodies_travelled(const rl_model *model, const rl_state *then, const rl_state *now,
                           double dt);

// Tells the rows of all contacts how crowded their bodies are.
void rl_count_crowds(const rl_model *model, const rl_state *state, rl_rows *rows);

#endif
