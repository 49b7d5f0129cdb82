// SPDX-License-Identifier: GPL-3.0-or-later
// Small oscillations of masses in a row, each connected to its neighbours by springs:
//   m_i x_i'' = -k_i (x_i - x_{i-1}) - k_{i+1} (x_i - x_{i+1}),   x_0 = x_{n+1} = 0.
// Any start is a sum of normal modes, whose shapes are the eigenvectors and whose squared
// frequencies are the eigenvalues of the symmetric matrix M^-1/2 K M^-1/2.
#ifndef RL_EXACT_MODES_H
#define RL_EXACT_MODES_H

#include "common.h"

#define RL_EXACT_MODES_MAX 200

typedef struct rl_exact_modes {
  uint32_t count;                                         // n
  double roots[RL_EXACT_MODES_MAX];                       // sqrt(m_i)
  double frequencies[RL_EXACT_MODES_MAX];                 // [rad/s], ascending
  rl_vec3 positions[RL_EXACT_MODES_MAX];                  // modal, at the start [m sqrt(kg)]
  rl_vec3 velocities[RL_EXACT_MODES_MAX];                 // modal, at the start [m sqrt(kg)/s]
  double shapes[RL_EXACT_MODES_MAX * RL_EXACT_MODES_MAX]; // mode k begins at n k
} rl_exact_modes;

// Decomposes displacements and velocities at the start into modes. `springs` [count + 1]: before
// each mass, and behind the last (0: none) [N/m]. False with a message.
bool rl_exact_modes_init(rl_exact_modes *modes, uint32_t count, const double *masses,
                         const double *springs, const rl_vec3 *displacements,
                         const rl_vec3 *velocities, char *message, size_t size);

// Computes displacement and velocity of mass i at time t [s].
void rl_exact_modes_at(const rl_exact_modes *modes, double t, uint32_t i, rl_vec3 *displacement,
                       rl_vec3 *velocity);

#endif
