// SPDX-License-Identifier: GPL-3.0-or-later
// Ropes as ties between the bodies at their two ends, for methods whose nodes between pull on
// nothing: one row for each rope, from end to end, and one for each contact of two bodies.
#ifndef RL_TIES_H
#define RL_TIES_H

#include "world/solver.h"

// dC/dx of a slot.
typedef struct rl_tie_entry {
  uint32_t slot;
  rl_vec3 gradient;
} rl_tie_entry;

// A row C <= 0 with the impulse P >= 0. The method sets the bias of dC/dt + bias <= 0.
typedef struct rl_tie {
  rl_row *row; // a massless rope that is more than two ends, or a contact; NULL: plain, between two
  rl_tie_entry entries[4]; // plain: each end, and the spins of bodies that it is tied to
  uint32_t entry_count;
  double value;        // C [m]
  double inverse_mass; // J M^-1 J^T [1/kg]
  double bias;         // [m/s]
  double mass;         // [kg]; 0: it does not act
  double impulse;      // P [N s]
} rl_tie;

// Returns the most ties that there can be.
static inline size_t rl_tie_capacity(const rl_model *model) {
  return (size_t)model->rope_count + model->contact_capacity + model->split_capacity;
}

// Finds values and inverse masses of all ties at the state's positions: tie i is that of rope i;
// behind the ropes come the contacts of bodies, and the strands behind places where a rope sticks.
// Returns their number.
uint32_t rl_ties_find(const rl_model *model, const rl_state *state, rl_rows *rows, rl_tie *ties);

// Returns dC/dt at the state's velocities [m/s].
double rl_tie_rate(const rl_tie *tie, const rl_state *state, const rl_rows *rows);

// Sweeps over all ties until a sweep changes no rate by more than the tolerance [m/s]. Returns
// false if that does not come about within `iterations` sweeps.
bool rl_ties_pull(rl_tie *ties, uint32_t count, int iterations, double tolerance, rl_state *state,
                  const rl_rows *rows, rl_step_info *info);

// Writes P / h of each tie into the multipliers of its rows; all others become 0.
void rl_ties_report(const rl_tie *ties, uint32_t count, const rl_model *model, rl_state *state,
                    double h);

#endif
