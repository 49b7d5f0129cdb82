// SPDX-License-Identifier: GPL-3.0-or-later
// Coulomb friction for the methods that solve all rows together: the force T on the rope across the
// normal of a contact, |T| <= limit = coefficient * lambda, stops the slide u or acts against it,
//
//     T = projection of T - u / W on to the disc |T| <= limit,
//
// and Newton's method on that gives the rows of the two tangents (rl_tangents): both act while the
// contact sticks; while it slips the first lies along T and follows lambda, and the second acts
// softly, for a change of the slide's direction turns T. papers/pbd-direct.md has the derivation.
#ifndef RL_FRICTION_H
#define RL_FRICTION_H

#include "../solver.h"
#include "direct.h"

typedef struct rl_friction {
  rl_vec3 normal;      // of the plane in which T and u lie
  rl_vec3 tangents[2]; // an orthonormal basis of it
  rl_vec3 total;       // T h^2 [kg m] with positions, T h [N s] with velocities
  rl_vec3 slide;       // u [m], or its rate [m/s]
  rl_vec3 bias;        // added to it; 0, unless who begins sets it
  rl_vec3 centre;      // and the softness times what the total is off it; 0, unless who begins
  double softness;     // sets it [1/kg]
  rl_vec3 rate;        // of the slide where it was last booked [m/s]
} rl_friction;

// The arrays below have an element for each of direct->tangents; rows are as last evaluated.

// Lays the planes, with no friction in them.
void rl_frictions_begin(rl_friction *frictions, const rl_direct *direct, const rl_rows *rows);

// The slide of a contact for these velocities, or moves, of all slots.
rl_vec3 rl_friction_slide(const rl_friction *friction, const rl_row *row, const rl_rows *rows,
                          const rl_vec3 *v);

// That of all of them, with bias and softness.
void rl_frictions_measure(rl_friction *frictions, const rl_direct *direct, const rl_rows *rows,
                          const rl_vec3 *v);

// How far the friction is from its law: max W |T - its projection|, [m] or [m/s]; `size` is the
// largest W |T|.
double rl_frictions_residual(const rl_friction *frictions, const rl_direct *direct,
                             const rl_rows *rows, const double *inverse_masses,
                             const double *multipliers, double *size);

// The tangents' part of a system for the changes of all multipliers: active, right side `change`,
// and what `direct` keeps of them. Reads those of the normals.
void rl_frictions_choose(rl_friction *frictions, rl_direct *direct, const rl_rows *rows,
                         double *inverse_masses, const double *multipliers, bool *active,
                         double *change);

// The gradients of the tangents as they were chosen.
void rl_frictions_lay(const rl_friction *frictions, const rl_direct *direct, const rl_rows *rows,
                      rl_vec3 *gradients);

// T changes as its components do; and its components, in place of those of `multipliers`.
void rl_frictions_add(rl_friction *frictions, const rl_direct *direct, const double *change);
void rl_frictions_components(const rl_friction *frictions, const rl_direct *direct,
                             double *multipliers);

// For the ledger: the slides' rates before anything happens, and then after the impulses
// scale * total [N s] what friction dissipated, -T.(rate before + rate after) / 2, and the work of
// driven bodies through it.
void rl_frictions_watch(rl_friction *frictions, const rl_direct *direct, const rl_rows *rows,
                        const rl_vec3 *velocities);
void rl_frictions_book(rl_friction *frictions, const rl_direct *direct, const rl_rows *rows,
                       const rl_state *state, double scale, rl_step_info *info);

#endif
