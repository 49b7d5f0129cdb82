// SPDX-License-Identifier: GPL-3.0-or-later
// What impulse and impulse-soft have in common: sweeps over the rows that change velocities by
// impulses, with accumulated clamping and Coulomb friction. Geometry is evaluated first, then a
// law says for each row what rate it asks for and how hard. papers/impulse.md and
// papers/impulse-soft.md number the equations.
#ifndef RL_SEQUENTIAL_H
#define RL_SEQUENTIAL_H

#include "world/memory.h"
#include "world/ropes/flexure.h"
#include "world/solver.h"

// A row during the sweeps: P' = keep P + mass (dC/dt + bias), at least `lower`.
typedef struct rl_sequential_row {
  rl_vec3 d;   // links: unit vector from a to b
  double bias; // rate that is added to dC/dt [m/s]
  double mass; // of the row [kg]: 1 / answer to the test impulse where it is hard; 0: no change
  double keep; // 1, and less for a soft row
} rl_sequential_row;

// The row of a flexure (flexure.h) at the positions last prepared.
typedef struct rl_sequential_bend {
  uint32_t entry_count;
  uint32_t slots[RL_FLEXURE_ENTRIES];
  rl_vec3 gradients[RL_FLEXURE_ENTRIES]; // of |kb|
  double bias;                           // |kb| / h
  double softness;                       // compliance / h^2
  double mass;                           // 1 / (inverse mass + softness)
  double total;                          // impulse along the gradients, so far
} rl_sequential_bend;

typedef struct rl_sequential {
  double h;                  // of the step or substep last prepared [s]
  rl_sequential_row *rows;   // [links + contact capacity]
  double *values;            // [links + contact capacity] C where it was last evaluated [m]
  double *inverse_masses;    // [links + contact capacity] J M^-1 J^T there [1/kg]
  rl_vec3 *frictions;        // [contact capacity] impulses across the normals [N s]
  double *held;              // [unknowns] impulses that strands stay near to; empty: there are none
  rl_vec3 *slid;             // [contact capacity] at what rates friction lets go [m/s]
  rl_vec3 *before;           // [slots] velocities at the start of the step or substep [m/s]
  bool in_turn;              // strands that pull on something in common are not solved together
  double slip_rate;          // share of its slip that a contact takes back, over the step [1/s]
  uint32_t bend_count;       // of them in this step
  rl_sequential_bend *bends; // [flexures]
} rl_sequential;

// What a law gets to know about a row.
typedef struct rl_sequential_view {
  double value, inverse_mass, lower;
  double compliance, rest; // rest: elements [m]
  const rl_rope *rope;     // NULL: a contact
} rl_sequential_view;

// Fills bias, mass and keep.
typedef void rl_sequential_law(const void *solver, const rl_sequential_view *view, double h,
                               rl_sequential_row *row);

// Carves the arrays for a model (memory.h).
void rl_sequential_lay_out(rl_sequential *sequential, const rl_model *model, rl_carver *carver);

// Evaluates value, gradient and inverse mass of every row at the state's positions.
void rl_sequential_evaluate(rl_sequential *sequential, const rl_model *model, const rl_state *state,
                            rl_rows *rows);

// Asks the law for every row, for a step of h [s].
void rl_sequential_prepare(rl_sequential *sequential, const rl_model *model, const rl_state *state,
                           const rl_rows *rows, rl_sequential_law *law, const void *solver,
                           double h);

// Prepares bending at the state's positions, as compliant rows along kb, and applies the impulses
// with which they begin (rl_flexure_start_impulse); then kicks, with drag on these as well. Keeps
// the velocities before all that.
void rl_sequential_kick(rl_sequential *sequential, const rl_model *model, rl_state *state,
                        double h);

// Makes a sweep over these rows. Returns whether it has changed anything.
bool rl_sequential_sweep_bends(const rl_sequential *sequential, rl_state *state);

// Turns multipliers and the state's frictions into impulses, by the factor `scale`, and applies
// them; if `begun` is not 0 those of contacts of bodies have that factor, and have been applied.
// `remembered`: the factor of those that strands stay near to.
void rl_sequential_start(rl_sequential *sequential, rl_state *state, const rl_rows *rows,
                         double scale, double begun, double remembered);

// Whether it has changed anything: behind one that has not, none would.
bool rl_sequential_sweep(const rl_sequential *sequential, rl_state *state, rl_rows *rows,
                         bool backward);

// The inequality is dC/dt + bias <= 0. A slack row may use up its slack within the step, so that it
// acts when L + dt dL/dt > L0; of an excess, a fraction is to be taken back. A rod takes back the
// same fraction of what it is too short.
static inline double rl_impulse_bias(double penalty_velocity, double value, double lower,
                                     double dt) {
  const bool slack = value < 0.0 && lower == 0.0;
  return (slack ? value : penalty_velocity * value) / dt;
}

#define RL_PENALTY_VELOCITY_HELP                                                                   \
  "fraction of a row's excess length that a step shall take back: 1 aims at "                      \
  "what the residual measures; less forgives too few iterations, and leaves "                      \
  "the rest in the residual"

#endif
