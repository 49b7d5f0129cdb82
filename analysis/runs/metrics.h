// SPDX-License-Identifier: GPL-3.0-or-later
// Metrics of a state, defined once for all solvers; analysis/README.md has them in words.
#ifndef RL_METRICS_H
#define RL_METRICS_H

#include "world/driver.h"

typedef struct rl_metrics {
  rl_energy energy;       // [J]
  double work;            // [J]
  double dissipated;      // [J]
  double energy_total;    // [J]
  double energy_error;    // [J]
  double stretch_max;     // largest element's max(0, length / rest - 1)
  double stretch_rms;     // root mean square over the elements
  double length_error;    // largest excess over rest of an inextensible element [m]
  double penetration_max; // deepest node inside a body [m]
  double tension_max;     // [N]
  rl_momentum momentum;
  double momentum_scale; // sum of m |v| [kg m/s]
} rl_metrics;

rl_metrics rl_metrics_of(const rl_driver *driver);

#endif
