// SPDX-License-Identifier: GPL-3.0-or-later
// Solves all rows of a step together: A x = b with A = J M^-1 J0^T + D, where J and J0 are the
// gradients at two configurations (A is symmetric if they are the same) and D is diagonal: (4) of
// papers/pbd-direct.md, which has the other equations.
//
// Unknowns are in the order of the ropes, the contacts of a node between the elements beside it.
// Rows couple only if they share a slot that moves, so the matrix of a rope is tridiagonal,
// contacts widen the band where they are, and a row that couples far back - of a body that carries
// several ropes, a span over a carried eye, a closed rope - has a long profile, the border. One
// profile (skyline) LU factorization without pivoting treats all of them, in linear time for ropes.
//
// A contact with friction has three consecutive unknowns: its normal force and the force along two
// tangents. The tangents have rows of their own, C = -slide along the tangent, after those of
// rl_rows.
#ifndef RL_DIRECT_H
#define RL_DIRECT_H

#include "../memory.h"
#include "../rows.h"

// Two entries of different rows at one slot: a product in the matrix.
typedef struct rl_coupling {
  uint32_t row, column;               // multipliers; `row` is later in the order
  uint32_t row_vector, column_vector; // indices of their gradients at the slot, up to sign
  uint32_t row_force, column_force;   // indices of the directions of their forces
  uint32_t slot;
  uint32_t at; // index in `lower` and `upper`
  bool adds;   // added to another coupling at the same place
  int8_t sign;
} rl_coupling;

// The two tangents of a contact with friction: multipliers `first` and first + 1.
typedef struct rl_tangents {
  uint32_t row;       // index in rl_rows
  uint32_t normal;    // multiplier of the contact
  uint32_t first;     // multiplier of the first tangent: active while the contact sticks; while it
                      // slips x[first] = coefficient * x[normal] + b[first]
  double coefficient; // Coulomb's while the contact slips; else 0
  double softness;    // added to the diagonal of first + 1 [1/kg]
} rl_tangents;

// D as a fraction of W = J M^-1 J^T, for elements, and for contacts and their tangents.
typedef struct rl_regularisation {
  double elements, contacts;
} rl_regularisation;

typedef struct rl_direct {
  uint64_t structure;   // of the rows for which it was built; 0: none
  uint32_t count;       // number of unknowns; indices below are multipliers unless called positions
  uint32_t coupled;     // number of those that take part, first in the order (rl_direct_restrict)
  uint32_t link_count;  // multipliers below are of elements; from here on of contacts
  uint32_t first_split; // from here on of the strands of ropes over bodies beyond the first of each
  bool has_forces;      // ropes can slip: the forces of a general row follow its gradients
  bool is_short;        // no memory for the matrix, now or before: no row takes part any more
  bool is_turned;       // J M^-1 J0^T of an active element was not positive when last factored
  uint32_t row_count;   // multipliers below are of rl_rows; from here on of tangents
  uint32_t tangents_count;
  uint32_t coupling_count;
  uint32_t *order;        // [count] multiplier at each position
  uint32_t *place;        // [count] position of each multiplier
  uint32_t *first;        // [count] by position: first column of its profile
  uint32_t *start;        // [count + 1] by position: index of its profile in lower and upper
  uint32_t *entry_start;  // [count + 1] first entry of each multiplier
  uint32_t *entry_slot;   // [entries]
  uint32_t *vectors;      // [count + 1] first gradient of each multiplier: a link has one, d (-d at
                          // its first end); a general row has one for each entry
  rl_coupling *couplings; // [coupling_count] in coupling_room
  rl_tangents *tangents;  // [tangents_count] in the order of the contacts
  double *lower, *upper;  // [profile] rows of L, columns of U, in profile_room
  double *diagonal;       // [count] by position: of A, then the inverse of that of U
  bool *lower_is_empty;   // [count] by position: its row of L is zero
  double *permuted;       // [count] by position: scratch of the solve
  bool is_reeled;         // there are winches
  double *reels;          // [count] dL0/dt of each row as last evaluated [m/s]; contacts: 0
  rl_growing coupling_room, profile_room;
  uint32_t *slot_entry;   // [slots] scratch: last entry seen at a slot
  uint32_t *entry_before; // [entries] scratch: the entry before at the same slot
  uint32_t *entry_owner;  // [entries] scratch: the multiplier of an entry
} rl_direct;

// Whether a multiplier belongs to an element or a strand, not to a contact.
static inline bool rl_direct_is_element(const rl_direct *d, uint32_t m) {
  return m < d->link_count || (m >= d->first_split && m < d->row_count);
}

// Whether a row has entries.
static inline bool rl_direct_has_entries(const rl_direct *d, uint32_t m) {
  return d->entry_start[m] < d->entry_start[m + 1];
}

// Whether the forces of a row are along its gradients: not those of a rope that slips.
bool rl_direct_pulls_along(const rl_direct *direct, uint32_t m, const rl_vec3 *gradients);

// Carves the memory for a model (see memory.h), for as many contacts as it can have, but for the
// matrix: rl_direct_build makes room for the rows that there are, and rl_direct_release frees it.
void rl_direct_lay_out(rl_direct *direct, const rl_model *model, rl_carver *carver);
void rl_direct_release(rl_direct *direct);

// Return the most unknowns, and the most gradients of all rows: the lengths of the arrays below.
size_t rl_direct_unknown_capacity(const rl_model *model);
size_t rl_direct_gradient_capacity(const rl_model *model);

// Numbers the rows of this step, after rl_detect, and behind them the tangents of contacts with
// friction.
void rl_direct_number(rl_direct *direct, const rl_model *model, const rl_state *state,
                      const rl_rows *rows);

// Finds order, profile and couplings of the rows of this step, after rl_detect; does nothing if the
// structure of the rows is that of the last call. Sets is_short.
void rl_direct_build(rl_direct *direct, const rl_model *model, const rl_state *state,
                     const rl_rows *rows);

// Restricts the solves, until rows change, to the rows that take part [row_count] and their
// tangents; no other row may be active. Sets is_short.
void rl_direct_restrict(rl_direct *direct, const rl_model *model, const rl_state *state,
                        const bool *takes_part);

// Computes values C, inverse masses W = J M^-1 J^T [unknowns] and gradients of all rows at trial
// positions; leaves those of tangents unchanged.
void rl_direct_evaluate(const rl_direct *direct, const rl_model *model, const rl_state *state,
                        rl_rows *rows, const rl_point *points, double *values,
                        double *inverse_masses, rl_vec3 *gradients);

// Finds the lower bounds of the multipliers of all rows, 0 or -INFINITY.
void rl_direct_bounds(const rl_direct *direct, const rl_rows *rows, double *lower);

// Sets the gradients of both tangents of tangents[k], for the unit vectors t and s across the
// normal of the contact as last evaluated.
void rl_direct_lay_tangents(const rl_direct *direct, const rl_rows *rows, uint32_t k, rl_vec3 t,
                            rl_vec3 s, rl_vec3 *gradients);

// Factors A with J = `left`, J0 = `right` and D = `regularisation` times `inverse_masses`
// [unknowns]. Rows that are not `active` [unknowns] become x = b. Returns false if a pivot
// vanishes, because rows contradict or repeat each other.
bool rl_direct_factor(rl_direct *direct, const rl_point *points, const rl_vec3 *left,
                      const rl_vec3 *right, rl_regularisation regularisation,
                      const double *inverse_masses, const bool *active);

// Solves A x = b in place [unknowns].
void rl_direct_solve(rl_direct *direct, double *b);

// Compute dC/dt of each row for given velocities [unknowns]; the second only of rows that take
// part.
void rl_direct_rates(const rl_direct *direct, const rl_vec3 *gradients, const rl_vec3 *velocities,
                     double *rates);
void rl_direct_coupled_rates(const rl_direct *direct, const rl_vec3 *gradients,
                             const rl_vec3 *velocities, double *rates);

// Subtracts M^-1 J^T s from positions, for multipliers s [unknowns].
void rl_direct_move(const rl_direct *direct, const rl_vec3 *gradients, const double *s,
                    rl_point *points);

// Subtracts M^-1 J^T s from velocities or moves [slots], for multipliers s [unknowns].
void rl_direct_push(const rl_direct *direct, const rl_point *points, const rl_vec3 *gradients,
                    const double *s, rl_vec3 *to);

#endif
