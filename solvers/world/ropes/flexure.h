// SPDX-License-Identifier: GPL-3.0-or-later
// Flexures: the nodes at which a rope with bending stiffness EI is bent, and the clamped ends that
// hold its direction. The rope is a discrete elastic rod without twist (Bergou et al. 2008):
// between the elements e and f that meet in a node
//
//     kb = 2 e x f / (|e||f| + e.f)                  the integrated curvature, |kb| = 2 tan(phi/2)
//     energy = |kb|^2 / (2 c),  c = (l_e + l_f) / (2 EI)      l: rest lengths; c is a compliance
//
// Folded back on itself, phi = pi, a rope has infinite energy, and so have kb and |kb| then. A
// clamped end is a node whose other element is a direction in space, or in the frame of the body
// that holds it, and of no length. Energy depends on differences of positions and does not change
// when everything turns: forces sum to zero, and so do their torques. papers/bending.md has the
// derivation.
#ifndef RL_FLEXURE_H
#define RL_FLEXURE_H

#include "../state.h"

// How kb changes with what moves at a slot: its coordinates, or of a body its spin slot.
typedef struct rl_flexure_entry {
  uint32_t slot;
  rl_vec3 slope;         // of |kb|^2 / 2: J^T kb; the force is -slope / compliance
  double jacobian[3][3]; // J [component of kb][coordinate], where it is asked for
} rl_flexure_entry;

// Most entries: three nodes, of which two can be held beside the centres of bodies that turn.
enum { RL_FLEXURE_ENTRIES = 5 };

typedef struct rl_flexure {
  bool derives;         // asks for the Jacobians
  uint32_t index;       // among the model's: a place of a rope keeps it for the whole run
  uint32_t rope, place; // where the walk goes on: the node behind so many elements
  rl_vec3 curvature;    // kb
  double value;         // |kb|
  double compliance;    // c [1/(N m)]
  double growth;        // dc/dt by winches [1/(N m s)]
  uint32_t entry_count;
  rl_flexure_entry entries[RL_FLEXURE_ENTRIES];
} rl_flexure;

// The next flexure at trial positions [slot_count], from end to end of each rope that has some, by
// the order of its elements: also where nodes stand in any order, round loops, on each piece of
// what was parted. Starts with a flexure that is all zero but for `derives`; false
// behind the last.
bool rl_flexure_next(const rl_model *model, const rl_state *state, const rl_point *points,
                     rl_flexure *flexure);

// J M^-1 J^T of |kb| for what a unit force along its gradient does [1/(kg m^2)].
double rl_flexure_inverse_mass(const rl_flexure *flexure, const rl_point *points);

// The impulse along the gradient of |kb| with which a step of h [s] begins, for methods that go on
// from there implicitly: that of the force at its start, but no more than takes the bend out, by
// itself, within the step.
double rl_flexure_start(const rl_flexure *flexure, double inverse_mass, double h);

// The energy of all [J].
double rl_bending_energy(const rl_model *model, const rl_state *state);

// forces += those of all flexures at trial positions [slot_count] [N].
void rl_bending_forces(const rl_model *model, const rl_state *state, const rl_point *points,
                       rl_vec3 *forces);

// to += h M^-1 F with the forces at the state's positions. An explicit step of velocities is stable
// up to h = (l^2 / 2) sqrt(mu / EI), l the length of an element and mu the mass per length.
void rl_bending_push(const rl_model *model, const rl_state *state, double h, rl_vec3 *to);

// The power of what is driven, and drives ends that are bent, and of winches that feed bent rope
// [W].
double rl_bending_power(const rl_model *model, const rl_state *state);

#endif
