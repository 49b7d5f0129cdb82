// SPDX-License-Identifier: GPL-3.0-or-later
// The metrics of a state, the same for all solvers; analysis/README.md defines them in words.
#ifndef RL_METRICS_H
#define RL_METRICS_H

#include "world/driver.h"

// How deep two bodies are in each other [m], and as a share of the radius of the smaller one.
typedef struct rl_overlap {
  double depth, share;
} rl_overlap;

typedef struct rl_metrics {
  rl_energy energy;       // [J]
  double work;            // done from outside since the start [J]
  double dissipated;      // by dampers, drag, friction and catches since the start [J]
  double energy_total;    // [J]
  double energy_error;    // energy - energy at the start - work + dissipated [J]
  double stretch_max;     // largest max(0, length / rest - 1) of an element
  double stretch_rms;     // root mean square of the same over the elements
  double length_error;    // largest excess of an inextensible element over its rest length [m]
  double penetration_max; // of the deepest node, element, straight piece or body in a body [m]
  rl_overlap overlap;     // of the two bodies that are deepest in each other, by share
  double tension_max;     // [N]
  rl_momentum momentum;
  double momentum_scale; // sum of m |v| [kg m/s]
} rl_metrics;

rl_metrics rl_metrics_of(const rl_driver *driver);

#endif
