// SPDX-License-Identifier: GPL-3.0-or-later
// Coulomb friction for the methods that solve all rows together. The force T on the rope across the
// normal of a contact, |T| <= limit = coefficient * lambda, stops the slide u or opposes it:
//
//     T = projection of T - u / w on to the disc |T| <= limit
//
// Newton's method for this equation gives the rows of the two tangents (rl_tangents): while the
// contact sticks both are active; while it slips the first is along T and follows lambda, and the
// second is soft, because T turns with the direction of the slide. papers/pbd-direct.md has the
// derivation.
#ifndef RL_FRICTION_H
#define RL_FRICTION_H

#include "../solver.h"
#include "direct.h"

typedef struct rl_friction {
  rl_vec3 normal;      // of the plane of T and u
  rl_vec3 tangents[2]; // an orthonormal basis of the plane
  rl_vec3 total;       // T h^2 [kg m] with positions, T h [N s] with velocities
  rl_vec3 slide;       // u [m], or its rate [m/s]
  rl_vec3 bias;        // added to the slide, and
  rl_vec3 centre;      // softness (total - centre); all three are 0 unless the method sets them
  double softness;     // [1/kg]
  double inverse_mass; // w of the projection above [1/kg]; 0: that of the contact itself, W
  rl_vec3 rate;        // of the slide when the loss was last booked [m/s]
} rl_friction;

// The arrays below have an element for each of direct->tangents; rows are as last evaluated.

// Sets normals and tangents from the rows, and the friction to 0.
void rl_frictions_begin(rl_friction *frictions, const rl_direct *direct, const rl_rows *rows);

// (12a) Sets w to the inverse masses against the slides, the larger of the two tangents'.
void rl_frictions_weigh(rl_friction *frictions, const rl_direct *direct, const rl_rows *rows,
                        const rl_point *points);

// Returns the slide of a contact for velocities, or moves, of all slots.
rl_vec3 rl_friction_slide(const rl_friction *friction, const rl_row *row, const rl_rows *rows,
                          const rl_vec3 *v);

// Computes the slides of all contacts, with bias and softness.
void rl_frictions_measure(rl_friction *frictions, const rl_direct *direct, const rl_rows *rows,
                          const rl_vec3 *v);

// (10) Returns the residual of the law of friction: max W |T - its projection|, [m] or [m/s];
// `size` is the largest W |T|.
double rl_frictions_residual(const rl_friction *frictions, const rl_direct *direct,
                             const rl_rows *rows, const double *inverse_masses,
                             const double *multipliers, double *size);

// Chooses stick or slip for each contact and sets the part of the tangents in a system for the
// changes of all multipliers: `active`, right side `change`, inverse masses, and direct->tangents.
// Reads those of the normals.
void rl_frictions_choose(rl_friction *frictions, rl_direct *direct, const rl_rows *rows,
                         double *inverse_masses, const double *multipliers, bool *active,
                         double *change);

// Sets the gradients of the tangents as they were chosen.
void rl_frictions_lay(const rl_friction *frictions, const rl_direct *direct, const rl_rows *rows,
                      rl_vec3 *gradients);

// Adds the changes of its components to T.
void rl_frictions_add(rl_friction *frictions, const rl_direct *direct, const double *change);

// Writes the components of T into the multipliers of the tangents.
void rl_frictions_components(const rl_friction *frictions, const rl_direct *direct,
                             double *multipliers);

// For the ledger. _watch keeps the rates of the slides before the impulses scale * total [N s];
// _book, after them, adds the loss -T.(rate before + rate after) / 2 to info->rubbed, and the work
// of driven bodies through friction to info->work.
void rl_frictions_watch(rl_friction *frictions, const rl_direct *direct, const rl_rows *rows,
                        const rl_vec3 *velocities);
void rl_frictions_book(rl_friction *frictions, const rl_direct *direct, const rl_rows *rows,
                       const rl_state *state, double scale, rl_step_info *info);

#endif
