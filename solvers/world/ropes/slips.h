// SPDX-License-Identifier: GPL-3.0-or-later
// How far sweeps have let ropes with mass slide after friction has looked at it last: it takes that
// back in the next step. papers/world.md, (5d) to (5f)
#ifndef RL_WORLD_ROPES_SLIPS_H
#define RL_WORLD_ROPES_SLIPS_H

#include "world/rows.h"

// (5d) Returns the slip s of the contact of a row from the step before [m], across its normal; 0
// unless a rope with mass touches a body.
static inline rl_vec3 rl_slip(const rl_state *state, const rl_row *row) {
  const rl_contact *contact = &state->contacts[row->item];
  if (!state->slips || !rl_is_on_body(contact)) {
    return RL_LITERAL(rl_vec3){0.0, 0.0, 0.0};
  }
  const rl_vec3 slip = rl_rotate(state->rotations[contact->body], state->slips[row->item]);
  return rl_add_scaled(slip, -rl_dot(slip, row->normal), row->normal);
}

// (5e) Changes the friction T of a contact as rl_friction_change does. `slide` includes the slip;
// `slid` becomes what of it T lets go, as it can hold no more.
static inline rl_vec3 rl_slip_change(rl_vec3 *total, rl_vec3 slide, double inverse_mass,
                                     double limit, rl_vec3 *slid) {
  const rl_vec3 change = rl_friction_change(total, slide, inverse_mass, limit);
  *slid = rl_add_scaled(slide, inverse_mass, change);
  return change;
}

// (5f) At the end of a step or substep of h: keeps what contacts have slid, with the state's
// velocities, beyond what friction let go, which is `scale` times `slid`.
void rl_slips_keep(rl_state *state, rl_rows *rows, const rl_vec3 *slid, double scale, double h);

#endif
