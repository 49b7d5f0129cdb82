// SPDX-License-Identifier: GPL-3.0-or-later
#include "slips.h"

void rl_slips_keep(rl_state *state, rl_rows *rows, const rl_vec3 *slid, double scale, double h) {
  for (uint32_t i = 0; i < state->contact_count && state->slips; i++) {
    rl_row *row = &rows->rows[rows->span_count + i];
    const rl_contact *contact = &state->contacts[i];
    const bool rubs = rl_is_on_body(contact) && row->friction > 0.0;
    rl_vec3 slip = {0.0, 0.0, 0.0};
    if (rubs && state->multipliers[row->source] > 0.0) {
      rl_row_evaluate(state->model, state, rows, row, state->points);
      const rl_vec3 slide = rl_contact_slide(rows, row, state->velocities);
      slip = rl_add_scaled(rl_add_scaled(rl_slip(state, row), h, slide), -scale, slid[i]);
      slip = rl_rotate_inverse(state->rotations[contact->body], slip);
    }
    state->slips[i] = slip;
  }
}
