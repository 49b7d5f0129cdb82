// SPDX-License-Identifier: GPL-3.0-or-later
// How rows bend along the motion, dJ/dt v: of pieces in closed form, of paths over bodies by
// differences along the way. papers/reference.md numbers the equations.
#ifndef RL_REFERENCE_CURVATURE_H
#define RL_REFERENCE_CURVATURE_H

#include "equations.h"

// Of the largest speed: what moves more slowly than this has a curvature of its square, which is
// below rounding.
static const double rl_no_speed = 1e-9;

// (7) The eight places of the central difference of the eighth order are -4 ... 4 without 0: the
// share that a value at place k has in the derivative times the distance of two places.
static inline double rl_difference_share(int k) {
  static const double shares[4] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};
  return k > 0 ? shares[k - 1] : k < 0 ? -shares[-k - 1] : 0.0;
}

// Positions that lie h later on the way of all slots than `from` (both [slots]), by their rates.
void rl_displace(const rl_equations *equations, const rl_point *from, double h, rl_point *to);

// dJ/dt v of all rows, with the rates just found: of links and spans here, of contacts in
// contacts.c.
void rl_curvatures_find(rl_equations *equations);

#endif
