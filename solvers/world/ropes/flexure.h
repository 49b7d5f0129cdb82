// SPDX-License-Identifier: GPL-3.0-or-later
// Flexures: the nodes at which a rope with bending stiffness EI is bent, and the clamped ends that
// hold its direction. The rope is a discrete elastic rod without twist (Bergou et al. 2008):
// between the elements e and f that meet in a node
//
//     kb = 2 e x f / (|e||f| + e.f)                  the integrated curvature, |kb| = 2 tan(phi/2)
//     energy = |kb|^2 / (2 c),  c = (l_e + l_f) / (2 EI)      l: rest lengths; c is a compliance
//
// For a rope folded back on itself, phi = pi, the energy, kb and |kb| are infinite. At a clamped
// end the second element is a fixed direction, in space or in the frame of the body that holds it,
// of length 0 in c. The energy depends on differences of positions and is invariant under
// rotations, so forces sum to zero, and so do torques. papers/bending.md has the derivation and
// the equation numbers.
#ifndef RL_FLEXURE_H
#define RL_FLEXURE_H

#include "../state.h"

// The derivative of kb with respect to the coordinates of a slot, a place or a spin.
typedef struct rl_flexure_entry {
  uint32_t slot;
  rl_vec3 slope;         // gradient of |kb|^2 / 2: J^T kb; the force is -slope / compliance
  double jacobian[3][3]; // J [component of kb][coordinate], if `derives`
} rl_flexure_entry;

// Most entries: three nodes, of which two can be held beside the centres of bodies that turn.
enum { RL_FLEXURE_ENTRIES = 5 };

typedef struct rl_flexure {
  bool derives;         // in: compute the Jacobians
  uint32_t index;       // below model->flexure_count; the same for a place throughout the run
  uint32_t rope, place; // where the walk goes on: the node behind `place` elements
  rl_vec3 curvature;    // kb
  double value;         // |kb|
  double compliance;    // c [1/(N m)]
  double growth;        // dc/dt by winches [1/(N m s)]
  uint32_t entry_count;
  rl_flexure_entry entries[RL_FLEXURE_ENTRIES];
} rl_flexure;

// Finds the next flexure at trial positions [slot_count], in the order of ropes and elements, also
// round loops and on each piece of a parted rope. Begin with a flexure that is zero except for
// `derives`. Returns false behind the last.
bool rl_flexure_next(const rl_model *model, const rl_state *state, const rl_point *points,
                     rl_flexure *flexure);

// Returns J M^-1 J^T for the gradient J of |kb| [1/(kg m^2)].
double rl_flexure_inverse_mass(const rl_flexure *flexure, const rl_point *points);

// (13) Returns the impulse along the gradient of |kb| from which implicit methods start in a step
// of h [s]: that of the force at its start, but no more than would straighten the bend, by itself,
// within the step.
double rl_flexure_start_impulse(const rl_flexure *flexure, double inverse_mass, double h);

// Returns the bending energy of all ropes [J].
double rl_bending_energy(const rl_model *model, const rl_state *state);

// (5) Adds the forces of all flexures at trial positions [slot_count] to `forces` [N].
void rl_bending_forces(const rl_model *model, const rl_state *state, const rl_point *points,
                       rl_vec3 *forces);

// Adds h M^-1 F to `to`, with the forces at the state's positions. Such explicit steps of
// velocities are stable up to h = (l^2 / 2) sqrt(mu / EI), l the length of an element, mu the mass
// per length.
void rl_bending_push(const rl_model *model, const rl_state *state, double h, rl_vec3 *to);

// Returns the power of driven bodies through bent ends, and of winches that feed bent rope [W].
double rl_bending_power(const rl_model *model, const rl_state *state);

#endif
