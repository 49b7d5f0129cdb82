// SPDX-License-Identifier: GPL-3.0-or-later
// An implicit step, shared by the methods that solve for the positions and the forces at its end
// together. With the inertia M, the rows C and the forces lambda
//
//     M (x - y) / h^2 + J(x)^T lambda = 0                     (imbalance)
//     C(x) - softness lambda = 0  or  lambda = 0              (values)
//
// y are the positions that would be reached without the rows. h and y depend on the integrator:
// backward Euler, BDF2, or the implicit midpoint rule, which is backward Euler to the middle of the
// step, continued with the same forces. At an impact velocities jump, and a method of order 2 must
// not extrapolate from before it: BDF2 starts again, and after the midpoint rule the rates of rows
// that pushed are removed. Equation numbers are those of papers/penalty-implicit.md, unless
// another note is named.
#ifndef RL_IMPLICIT_H
#define RL_IMPLICIT_H

#include "../direct/friction.h"
#include "cone.h"
#include "kkt.h"

// Most iterations (Krylov vectors) for the friction of slipping contacts, (13) of papers/convex.md.
enum { RL_IMPLICIT_KRYLOV = 20 };

typedef enum rl_integrator { RL_EULER, RL_MIDPOINT, RL_BDF2 } rl_integrator;

// An element at the positions last evaluated.
typedef struct rl_bent_link {
  rl_vec3 gradient; // with respect to its second end; the opposite for the first
  double round;     // its second derivative is round I + along u u^T, u = gradient [1/m]
  double along;
} rl_bent_link;

// A contact with friction in the interior point, (8) to (12) of papers/convex.md.
typedef struct rl_cone_pair {
  rl_cone force, force_change; // a = (mu lambda, T)
  rl_cone slide, slide_change; // b = (psi, u)
  rl_cone rest;                // c of db = c - W^-2 da
  rl_cone unit;                // w of the scaling W
  double scale, length;        // eta of it, and |w1|; 0: it is none
} rl_cone_pair;

// An element in the interior point of elements alone, (18) to (23) of papers/convex.md.
typedef struct rl_element_pair {
  rl_cone slack, slack_change;                         // s = (l, d) [m]
  rl_cone pull, pull_change;                           // z = (lambda, -t) [N]
  rl_cone left;                                        // (l, d) at the positions less s
  rl_cone unit;                                        // w of the scaling W
  double scale, length;                                // eta of it, and |w1|
  rl_cone scaled;                                      // v = W z = W^-1 s
  rl_cone scaled_slack, scaled_pull;                   // W^-1 ds, W dz
  rl_cone aim, kept;                                   // their sum, and the one before
  double slack_determinant, pull_determinant, product; // det s, det z, s.z
} rl_element_pair;

// Where the iterations of a step have got to.
typedef struct rl_iterate {
  rl_point *points;   // [slots]
  double *forces;     // [unknowns]
  rl_vec3 *frictions; // [contacts] total
} rl_iterate;

typedef struct rl_implicit {
  rl_kkt kkt;

  // The step.
  rl_integrator integrator;
  double dt;          // its length [s]
  double h;           // h of the equations [s]
  double give;        // least softness of a row, in units of W h^2
  uint32_t row_count; // number of multipliers, without those of tangents
  bool squares;       // hard elements have C = (|d|^2 - l^2) / 2l instead of |d| - l, with the same
                      // zero; with the midpoint rule they always have
  rl_point *origin;   // [slots] positions at its start
  rl_vec3 *start;     // [slots] velocities at its start
  rl_quat *turned;    // [bodies] rotations at its start
  rl_point *past;     // [slots] BDF2: positions one step earlier
  rl_vec3 *past_rates; // [slots] BDF2: velocities one step earlier
  double past_dt;      // length of that step [s]; 0: there is none

  // Places.
  double *inertia;    // [slots] M / h^2, with drag [kg/s^2]
  rl_vec3 *target;    // [slots] y [m]; 0 for a spin
  rl_vec3 *predicted; // [slots] velocities with which y was reached [m/s]
  rl_quat *rotations; // [bodies] at y
  rl_vec3 *imbalance; // [slots] [N]
  rl_vec3 *moves;     // [slots] since the start of the step [m]
  rl_vec3 *ways;      // [slots] velocities at the end of the equations, times h [m]

  // Rows.
  rl_bent_link *links; // [links]
  double *values;      // [unknowns] C with its damper at the positions last evaluated [m]
  double *weights;     // [unknowns] J M^-1 J^T there, with the masses of the model [1/kg]
  double *softness;    // [unknowns] [m/N]
  double *lag;         // [unknowns] damping over (h stiffness), and 1 where the row is ahead
  bool *hard;          // [unknowns] the scenario gives the row no stiffness
  double *lower;       // [unknowns] bounds of the forces
  double *forces;      // [unknowns] lambda [N]
  bool *active;        // [unknowns]

  // One iteration.
  double *diagonal; // [unknowns] D of the matrix
  double *right;    // [unknowns] right sides of the rows
  double *solution; // [places]

  // The interior point method.
  double *slack;             // [unknowns] s of C - softness lambda + s = 0 [m]
  double *change;            // [unknowns] of lambda
  double *slack_change;      // [unknowns]
  double *rest_of_product;   // [unknowns] residual of the complementarity lambda s
  rl_cone_pair *cones;       // [contacts]
  double cone_weight;        // weight of the complementarity of cones relative to that of rows
  rl_element_pair *elements; // [links]

  // Friction.
  rl_direct tangents;       // only its tangents of contacts with friction are used
  rl_friction *frictions;   // [contacts]
  double *follows;          // [contacts] change of T along a slip in the solution [N]
  double *krylov;           // [RL_IMPLICIT_KRYLOV + 1][contacts] basis for `follows`
  double grip_softness;     // added to the diagonal of sticking contacts, over their reaction
  double friction_residual; // of the law of friction, as a length [m]

  // How far it is.
  rl_iterate kept;         // the iterate with the least residual
  double kept_residual;    // [m]; INFINITY: none is kept
  double last_residual;    // of the iteration before [m]
  rl_iterate left;         // where a step that does not settle ends with hard rows, (26)
  bool is_balanced;        // the last step was a whole step of Newton's method
  double *island_inertia;  // [slots] inertia of an island, at its representative slot
  double known_force;      // largest force of the step before [N]; 0: unknown
  double force_scale;      // largest force in the imbalance [N]
  double force_rounding;   // of the balance, as a fraction of force_scale
  double bending_rounding; // of bending forces [N]
  double shortest;         // length of the shortest element [m]
  double rounding;         // of a length [m]
} rl_implicit;

// The softness [m/N] and damping [N s/m] that a method gives a row, and whether the scenario calls
// the row hard, so that both are the method's choice.
typedef struct rl_softness {
  double softness, damping;
  bool is_hard;
} rl_softness;
typedef rl_softness rl_softness_law(const void *solver, const rl_rope *rope, double rest,
                                    double compliance, double inverse_mass);

typedef struct rl_implicit_method {
  rl_integrator integrator;
  int tries, iterations;      // most iterations of Newton's method, and of all in a step
  double tolerance, fraction; // the larger counts: a length [m], a fraction of the shortest element
  rl_softness_law *law;       // called for every row
  bool gives;                 // (26) of papers/convex.md, if a step does not settle
  const void *solver;
} rl_implicit_method;

// Carves the memory for a model (see memory.h), and frees what has grown.
void rl_implicit_lay_out(rl_implicit *implicit, const rl_model *model, rl_carver *carver);
void rl_implicit_release(rl_implicit *implicit);

// Discards the past of BDF2 and the structure of the matrix.
void rl_implicit_forget(rl_implicit *implicit);

// Whether a slot can move.
static inline bool rl_implicit_moves(const rl_implicit *implicit, uint32_t slot) {
  return implicit->kkt.slot_place[slot] != RL_NONE;
}

// Returns W of a row, with which its force is compared with its slack. An elastic row that no
// motion can shorten, as a belt that slips or a piece between fixed bodies, has its compliance.
static inline double rl_implicit_weight(const rl_implicit *p, const rl_row *row) {
  return row->inverse_mass > 0.0 ? row->inverse_mass : row->compliance / (p->h * p->h);
}

// Returns the time of the equations after the start of the step [s].
static inline double rl_implicit_time(const rl_implicit *p) {
  return p->integrator == RL_MIDPOINT ? p->h : p->dt;
}

// Whether a row takes the value that it has at the end of a step of the midpoint rule.
static inline bool rl_implicit_is_ahead(const rl_implicit *p, uint32_t m) {
  return p->hard[m] && p->integrator == RL_MIDPOINT;
}

// Whether C of an element is (|d|^2 - l^2) / 2l.
static inline bool rl_implicit_is_square(const rl_implicit *p, uint32_t m) {
  return rl_implicit_is_ahead(p, m) || (p->hard[m] && p->squares && p->lower[m] == 0.0);
}

// Computes the moves of all slots since the start of the step (of a spin with its drift), and the
// `ways`: the velocity over h, or with BDF2 (3 now - 4 origin + past) / 2 dt, times h.
void rl_implicit_find_moves(rl_implicit *implicit, const rl_model *model, const rl_state *state);

// Evaluates values, gradients and second derivatives at the state's positions.
void rl_implicit_evaluate(rl_implicit *implicit, const rl_model *model, const rl_state *state,
                          rl_rows *rows);

// Computes slides and residual of the friction at the positions last evaluated.
void rl_implicit_measure_friction(rl_implicit *implicit, const rl_rows *rows);

// Measures friction, and for Newton's method chooses which contacts stick; sets T of those that
// slip.
void rl_implicit_choose_friction(rl_implicit *implicit, const rl_rows *rows);

// Adapts grip_softness to the residual after each iteration of Newton's method [m]; INFINITY:
// before the first one.
void rl_implicit_grip(rl_implicit *implicit, double residual);

// (2) Computes the imbalance of forces at the positions last evaluated; returns the largest move of
// a slot that would compensate it [m].
double rl_implicit_balance(rl_implicit *implicit, const rl_model *model, const rl_state *state,
                           const rl_rows *rows);

// (6) Assembles the matrix of the `active` rows with `diagonal`, with the bending stiffness or
// without it, and factors it. Returns false if it is singular.
bool rl_implicit_factor(rl_implicit *implicit, const rl_model *model, const rl_state *state,
                        const rl_rows *rows, bool bends);

// Solves for moves and changes of forces, for the imbalance and the `right` sides of the rows.
void rl_implicit_solve(rl_implicit *implicit, const rl_model *model, const rl_rows *rows);

// Returns the change of a force in the solution [N].
static inline double rl_implicit_change(const rl_implicit *implicit, uint32_t m) {
  return implicit->solution[implicit->kkt.row_place[m]];
}

// Returns the move of a slot in the solution [m]; 0 if it cannot move.
static inline rl_vec3 rl_implicit_solved_move(const rl_implicit *implicit, uint32_t slot) {
  const uint32_t place = implicit->kkt.slot_place[slot];
  const double *dx = &implicit->solution[place == RL_NONE ? 0 : place];
  return place == RL_NONE ? (rl_vec3){0.0, 0.0, 0.0} : (rl_vec3){dx[0], dx[1], dx[2]};
}

// Moves positions and friction by s times the solution; the caller updates the forces.
void rl_implicit_move(rl_implicit *implicit, const rl_model *model, rl_state *state, double s);

// Keeps this iteration if its residual [m] is the least so far, for a step that does not converge.
void rl_implicit_keep(rl_implicit *implicit, const rl_model *model, const rl_state *state,
                      double residual);

// Restores the iteration that was kept, if there is one.
void rl_implicit_restore(rl_implicit *implicit, const rl_model *model, rl_state *state,
                         rl_rows *rows);

// Where Newton's method starts from. RL_FROM_GUESS: nearly taut elements are first tried as taut,
// iterations are kept, and slow progress is allowed. RL_FROM_CONES: the active set is known so well
// that it stays for the first two iterations.
typedef enum rl_newton_start { RL_FROM_GUESS, RL_FROM_INTERIOR, RL_FROM_CONES } rl_newton_start;

// Solves the step by Newton's method with an active set, which may change by any number of rows per
// iteration; friction sticks or slips. `tolerance`: of the values and, as lengths, of the balance
// and of friction [m].
rl_reason rl_implicit_newton(rl_implicit *implicit, const rl_model *model, rl_state *state,
                             rl_rows *rows, int iterations, rl_newton_start from, double tolerance,
                             rl_step_info *info);

// Solves the step by a primal-dual interior point method, from the start of the step: it needs no
// guess of the active set, and if all rows are convex it finds the only solution. It ends with a
// step of Newton's method.
rl_reason rl_implicit_interior(rl_implicit *implicit, const rl_model *model, rl_state *state,
                               rl_rows *rows, int iterations, double tolerance, rl_step_info *info);

// (25) of papers/convex.md: returns by which factor the step whose second-order terms the corrector
// includes is longer than the predictor, which goes `reach` and leaves `ratio` of the product.
static inline double rl_implicit_predictor_length(double reach, double ratio) {
  const double fall = 1.0 - ratio * ratio * ratio;
  const double square = (ratio - 1.0 + reach) / (reach * reach);
  return fmax(1.0, 2.0 * fall / (1.0 + sqrt(fmax(0.0, 1.0 - 4.0 * square * fall))));
}

// Friction in the interior point method (implicit_cones.c). _begin sets the first iterate; _measure
// adds its part of the complementarity and sets its rows; _set_right sets their right sides;
// _find_changes finds its changes for those of the forces in `change` and returns the largest step,
// at most `reach`; _complementarity_at returns the complementarity after a step of s; _move takes
// the step.
void rl_cones_begin(rl_implicit *implicit, const rl_rows *rows);
void rl_cones_measure(rl_implicit *implicit, const rl_rows *rows, double *complementarity,
                      uint32_t *count);
void rl_cones_set_right(rl_implicit *implicit, double aim, bool corrects);
double rl_cones_find_changes(rl_implicit *implicit, const rl_model *model, const rl_rows *rows,
                             double reach);
double rl_cones_complementarity_at(const rl_implicit *implicit, double s);
void rl_cones_move(rl_implicit *implicit, double s);

// Whether the scene has only inextensible elements, the integrator is not the midpoint rule, and an
// element would fly to twice its length: it turns over in this step, and its length says little
// about its direction.
bool rl_elements_turn(const rl_implicit *implicit, const rl_model *model, const rl_state *state,
                      const rl_rows *rows);

// Solves such a step by an interior point method in the vectors of the elements instead of their
// lengths, ended by Newton's method (implicit_elements.c).
rl_reason rl_elements_interior(rl_implicit *implicit, const rl_model *model, rl_state *state,
                               rl_rows *rows, int iterations, double tolerance, rl_step_info *info);

// (17) of papers/convex.md: applies the impulses with which the rates of hard rows that pushed in
// the step are 0, as long as their total impulse is not negative; adds them to the multipliers.
void rl_implicit_remove_rates(rl_implicit *implicit, const rl_model *model, rl_state *state,
                              rl_rows *rows, struct rl_ledger *ledger);

// Makes a step of dt [s]: Newton's method for the first `tries` iterations; if it has not converged
// the interior point method for the others. If neither converges the step ends with the iteration
// of least residual. The forces become the state's multipliers.
rl_reason rl_implicit_step(rl_implicit *implicit, const rl_model *model, rl_state *state,
                           rl_rows *rows, const rl_implicit_method *method, double dt,
                           rl_step_info *info);

#endif
