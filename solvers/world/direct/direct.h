// SPDX-License-Identifier: GPL-3.0-or-later
// All rows of a step solved together: A x = b with A = J M^-1 J0^T + D, where J and J0 are the
// gradients at two configurations (the same one makes A symmetric) and D is diagonal.
//
// Unknowns stand in the order of the ropes, the contacts of a node between the elements beside it.
// Rows couple only where they share something that moves, so the matrix of a rope is tridiagonal,
// contacts widen the band where they are, and a row that reaches far back - a body that carries
// several ropes, a span over a carried eye, a rope that closes - has a long profile: the border.
// One profile (skyline) LU without pivoting does all of them, in linear time for ropes.
//
// A contact with friction is three unknowns in a row: its normal force and the force along two
// tangents. These have rows of their own, C = -slide along the tangent, after those of rl_rows.
#ifndef RL_DIRECT_H
#define RL_DIRECT_H

#include "../memory.h"
#include "../rows.h"

// Two entries of different rows at one slot: a product in the matrix.
typedef struct rl_coupling {
  uint32_t row, column;               // multipliers; `row` comes later in the order
  uint32_t row_vector, column_vector; // their gradients at the slot, up to sign
  uint32_t row_force, column_force;   // and their forces
  uint32_t slot;
  uint32_t at; // where in lower and upper
  bool adds;   // to another coupling at the same place
  int8_t sign;
} rl_coupling;

// The two tangents of a contact with friction: multipliers `first` and first + 1.
typedef struct rl_tangents {
  uint32_t row;       // index in rl_rows
  uint32_t normal;    // multiplier of the contact
  uint32_t first;     // acts on its row while the contact sticks, and while it slips follows
  double coefficient; // x[first] = coefficient * x[normal] + b[first], for then it is not active
  double softness;    // [1/kg] of first + 1, added to the diagonal
} rl_tangents;

// What is added to the diagonal, as a fraction of W, of elements, and of contacts and tangents.
typedef struct rl_regularisation {
  double elements, contacts;
} rl_regularisation;

typedef struct rl_direct {
  uint64_t structure;   // of the rows it was built for; 0: none
  uint32_t count;       // unknowns; all indices below are multipliers unless they say position
  uint32_t coupled;     // those that take part, first in the order: all but for rl_direct_restrict
  uint32_t link_count;  // those of elements; the next are of contacts
  uint32_t first_split; // then those of the strands of ropes over bodies beyond the first of each
  bool has_forces;      // ropes can slip: the forces of a general row follow its gradients
  bool is_turned;       // of an element that acts J M^-1 J0^T is not positive, as last factored
  uint32_t row_count;   // those of rl_rows; the others are of tangents
  uint32_t tangents_count;
  uint32_t coupling_count;
  uint32_t *order;        // [count] multiplier at each position
  uint32_t *place;        // [count] position of each multiplier
  uint32_t *first;        // [count] by position: first column of its profile
  uint32_t *start;        // [count + 1] by position: where its profile lies in lower and upper
  uint32_t *entry_start;  // [count + 1] first entry of each multiplier
  uint32_t *entry_slot;   // [entries]
  uint32_t *vectors;      // [count + 1] first gradient of each multiplier: a link has one, d, which
                          // is -d at its first end; a general row has one for each entry
  rl_coupling *couplings; // [coupling_count]
  rl_tangents *tangents;  // [tangents_count] in the order of the contacts
  double *lower, *upper;  // [profile] rows of L, columns of U
  double *diagonal;       // [count] by position: of A, then one over that of U
  bool *lower_is_empty;   // [count] by position: nothing is in its row of L
  double *permuted;       // [count] by position: scratch of the solve
  bool is_reeled;         // by winches
  double *reels;          // [count] dL0/dt of each row as last evaluated [m/s]; contacts: 0
  uint32_t *slot_entry;   // [slots] scratch: last entry seen at a slot
  uint32_t *entry_before; // [entries] scratch: the entry before at the same slot
  uint32_t *entry_owner;  // [entries] scratch: the multiplier of an entry
} rl_direct;

// Whether a multiplier is that of an element or a strand, not of a contact.
static inline bool rl_direct_is_element(const rl_direct *d, uint32_t m) {
  return m < d->link_count || (m >= d->first_split && m < d->row_count);
}

// Whether anything that moves is on a row.
static inline bool rl_direct_has_entries(const rl_direct *d, uint32_t m) {
  return d->entry_start[m] < d->entry_start[m + 1];
}

// Carves the memory for a model (see memory.h), for as many contacts as it can have.
void rl_direct_lay_out(rl_direct *direct, const rl_model *model, rl_carver *carver);

// Most unknowns, and most gradients of all rows together: the lengths of the arrays below.
size_t rl_direct_unknown_capacity(const rl_model *model);
size_t rl_direct_gradient_capacity(const rl_model *model);

// Finds order, profile and couplings of the rows of this step, after rl_detect; does nothing if
// they are those of the last call.
void rl_direct_build(rl_direct *direct, const rl_model *model, const rl_state *state,
                     const rl_rows *rows);

// Until rows change only those that take part [row_count] are solved for, with their tangents: none
// of the others acts, and their x = b is 0.
void rl_direct_restrict(rl_direct *direct, const rl_model *model, const rl_state *state,
                        const bool *takes_part);

// Values C, inverse masses W = J M^-1 J^T [unknowns] and gradients of all rows at trial
// positions; those of tangents are left alone.
void rl_direct_evaluate(const rl_direct *direct, const rl_model *model, const rl_state *state,
                        rl_rows *rows, const rl_point *points, double *values,
                        double *inverse_masses, rl_vec3 *gradients);

// The lower bounds of the multipliers of all rows, 0 or -INFINITY.
void rl_direct_bounds(const rl_direct *direct, const rl_rows *rows, double *lower);

// The gradients of tangent k along the unit vectors t and s across the normal of its contact as it
// was last evaluated.
void rl_direct_lay_tangents(const rl_direct *direct, const rl_rows *rows, uint32_t k, rl_vec3 t,
                            rl_vec3 s, rl_vec3 *gradients);

// Factors A with D = `regularisation` times `inverse_masses` [unknowns]. Rows that are not `active`
// [unknowns] become x = b. False where a pivot vanishes: rows that contradict or repeat each other.
bool rl_direct_factor(rl_direct *direct, const rl_point *points, const rl_vec3 *left,
                      const rl_vec3 *right, rl_regularisation regularisation,
                      const double *inverse_masses, const bool *active);

// x = A^-1 b in place [unknowns].
void rl_direct_solve(rl_direct *direct, double *b);

// dC/dt of each row for these velocities [unknowns]; and of those only that take part.
void rl_direct_rates(const rl_direct *direct, const rl_vec3 *gradients, const rl_vec3 *velocities,
                     double *rates);
void rl_direct_coupled_rates(const rl_direct *direct, const rl_vec3 *gradients,
                             const rl_vec3 *velocities, double *rates);

// points -= M^-1 J^T s for multipliers s [unknowns].
void rl_direct_move(const rl_direct *direct, const rl_vec3 *gradients, const double *s,
                    rl_point *points);

// to -= M^-1 J^T s for multipliers s [unknowns]: `to` are velocities or moves [slots].
void rl_direct_push(const rl_direct *direct, const rl_point *points, const rl_vec3 *gradients,
                    const double *s, rl_vec3 *to);

#endif
