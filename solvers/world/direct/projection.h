// SPDX-License-Identifier: GPL-3.0-or-later
// Projection of positions and velocities on to the rows by direct solves: shared by the methods
// that treat the rope as a whole.
//
//   positions   find lambda with C(x - M^-1 J0^T lambda) <= 0, lambda >= 0, lambda C = 0, by
//               Newton's method, (J M^-1 J0^T) dlambda = C on the active rows; J0 are the gradients
//               at the start of the step (SHAKE) or the current ones (fast projection)
//   velocities  find mu with J v <= 0 on the taut rows, mu >= 0, by an active set
//
// Both include the friction of contacts (friction.h): on the slide since the start of the step, and
// on its rate at the end.
#ifndef RL_PROJECTION_H
#define RL_PROJECTION_H

#include "friction.h"

// All memory of such a method.
typedef struct rl_projection {
  const double *parameters;
  rl_direct direct;
  double dt;                        // [s]
  rl_regularisation regularisation; // from the parameters
  double share;                     // of the step's forces in the multipliers of positions
  double residual;                  // at the positions last evaluated [m]
  double friction_residual;         // of the law of friction there [m]
  bool has_turned;                  // an element turned past a right angle in one of the iterations
  double *values;                   // [unknowns] C at the positions last evaluated [m]
  double *inverse_masses;           // [unknowns] J M^-1 J^T there [1/kg]
  double *lower;                    // [unknowns] bounds of the multipliers
  double *change;                   // [unknowns] right side and solution
  double *step;                     // [unknowns] of the multipliers in the last iteration
  double *impulses;                 // [unknowns] mu of the velocities [N s]
  bool *active;                     // [unknowns]
  bool *acted;                      // [unknowns] active in the step before
  rl_friction *frictions;           // [contacts] of those with friction
  rl_point *previous;               // [slots] positions at the start of the step
  rl_vec3 *moves;                   // [slots] scratch: moves since the start of the step
  rl_rows rows;                     // rows and entries at the start, if there is friction
  rl_vec3 *start;                   // [gradients] at the start of the step
  rl_vec3 *current;                 // [gradients] at the positions last evaluated
  rl_vec3 *before;                  // [gradients] one evaluation earlier
  rl_vec3
      *corrections;   // [slots] all moves since rl_projection_begin, after rl_projection_positions
  rl_quat *rotations; // [bodies] at the start of the step
  rl_vec3 *spins;     // [slots] velocities of the spins at the start of the step
  rl_vec3 *turns;     // [slots] moves of the spins along the gradients there
} rl_projection;

// The parameters of both regularisations, for the table of a solver.
#define RL_REGULARISATION(value)                                                                   \
  {                                                                                                \
    "regularisation", RL_REAL, "1", value, 0, 1, NULL,                                             \
        "added to the diagonal as a fraction of it, for rows that repeat each other"               \
  }
#define RL_CONTACT_REGULARISATION                                                                  \
  {                                                                                                \
    "contact_regularisation", RL_REAL, "1", 0.03, 0, 1, NULL,                                      \
        "the same for contacts and their friction, which contradict taut elements at edges and "   \
        "between nodes that stick; less needs fewer iterations"                                    \
  }

// init of rl_solver_type, with the regularisation from the parameters, and the share of the forces
// of a step that the projection of positions finds: 1, or 1/2 where that of velocities has the
// rest.
void rl_projection_init(rl_projection *projection, const double *parameters,
                        rl_regularisation regularisation, double share);

// lay_out, release and sync of rl_solver_type: another state may have contacts other than those for
// which the matrix was built.
void rl_projection_lay_out(void *memory, const rl_model *model, rl_carver *carver);
void rl_projection_release(void *memory);
void rl_projection_sync(void *memory, const rl_model *model, const rl_state *state);

// Begins a step, after rl_detect: finds the structure, and the gradients at the start of the step
// if `at_start`. Returns false when out of memory for the matrix.
bool rl_projection_begin(rl_projection *projection, const rl_model *model, rl_state *state,
                         rl_rows *rows, bool at_start, double dt);

// Projects the state's positions; its multipliers become lambda h^2 [kg m]. `at_start`: J0 are the
// gradients at the start of the step. Fills in iterations, evaluations, residual and trace.
rl_reason rl_projection_positions(rl_projection *projection, const rl_model *model, rl_state *state,
                                  rl_rows *rows, bool at_start, int iterations, double tolerance,
                                  rl_step_info *info);

// (5) of papers/pbd-direct.md: adds the sum of the moves over dt to the velocities, after
// rl_projection_positions.
void rl_projection_finish(rl_projection *projection, const rl_model *model, rl_state *state);

// Evaluates the rows at the state's positions again, after contacts have moved on their bodies.
void rl_projection_evaluate(rl_projection *projection, const rl_model *model, const rl_state *state,
                            rl_rows *rows);

// (5) of papers/rattle.md: projects the state's velocities at the positions last evaluated;
// `impulses` becomes mu. A row is taut if it was active in the projection of the positions.
void rl_projection_velocities(rl_projection *projection, rl_state *state, const rl_rows *rows,
                              int iterations);

// Books loss and work of friction, after rl_projection_finish (`of_positions`) or
// rl_projection_velocities.
void rl_projection_book_friction(rl_projection *projection, const rl_rows *rows,
                                 const rl_state *state, bool of_positions, rl_step_info *info);

// Books a hit in the positions, between rl_projection_finish and rl_projection_velocities, of which
// rl_ledger_end books the rest.
void rl_projection_book_half(rl_projection *projection, const rl_rows *rows, const rl_state *state,
                             const rl_step_info *info);

#endif
