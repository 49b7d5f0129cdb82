// SPDX-License-Identifier: GPL-3.0-or-later
// Moments of inertia of bodies of uniform density.
#ifndef RL_INERTIA_H
#define RL_INERTIA_H

#include "../model.h"

// Integrals over a volume in a body's frame: of 1, of x, and of x_i x_j.
typedef struct rl_moments {
  double volume;     // [m^3]
  rl_vec3 first;     // [m^4]
  rl_vec3 second[3]; // rows, symmetric [m^5]
} rl_moments;

// Returns the moments of a part in the frame of its body. The volume of a plane is infinite.
rl_moments rl_part_moments(const rl_part *part);

// sum += moments, about the same origin.
void rl_moments_add(rl_moments *sum, const rl_moments *moments);

// Computes the rows of the inertia tensor about the origin of the frame, for a mass [kg m^2].
void rl_moments_inertia(const rl_moments *moments, double mass, rl_vec3 inertia[3]);

#endif
