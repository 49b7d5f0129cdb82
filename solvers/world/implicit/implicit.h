// SPDX-License-Identifier: GPL-3.0-or-later
// An implicit step: what the methods have in common that look for the positions at its end, and
// the forces there, together. With the inertia M, the rows C and the forces lambda
//
//     M (x - y) / h^2 + J(x)^T lambda = 0                     (imbalance)
//     C(x) - softness lambda = 0  or  lambda = 0              (values)
//
// y is where everything would come without the rows. Which h and y is the integrator's affair:
// backward Euler, BDF2, or the implicit midpoint rule, which is backward Euler to the middle of the
// step and on from there by the same force. Where something hits, velocities jump, and what a
// method of order 2 makes of the time before is not what comes: BDF2 starts again, and after the
// midpoint rule the rows that pushed are left at no rate. papers/penalty-implicit.md and
// papers/convex.md number the equations.
#ifndef RL_IMPLICIT_H
#define RL_IMPLICIT_H

#include "../direct/friction.h"
#include "cone.h"
#include "kkt.h"

// Solves in which the friction of what slips is found, at most.
enum { RL_IMPLICIT_KRYLOV = 20 };

typedef enum rl_integrator { RL_EULER, RL_MIDPOINT, RL_BDF2 } rl_integrator;

// An element at the positions last evaluated.
typedef struct rl_bent_link {
  rl_vec3 gradient; // at its second end; of the first one it is the opposite
  double round;     // its curvature is round I + along u u^T, u = gradient, times the force [1/m]
  double along;
} rl_bent_link;

// A contact with friction in the interior point, convex.md (8) to (12).
typedef struct rl_cone_pair {
  rl_cone force, force_change; // a = (mu lambda, T)
  rl_cone slide, slide_change; // b = (psi, u)
  rl_cone rest;                // c of db = c - W^-2 da
  rl_cone unit;                // w of the scaling W
  double scale, length;        // eta of it, and |w1|; 0: it is none
} rl_cone_pair;

// An element in the interior point of elements alone, convex.md (18) to (23).
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

typedef struct rl_implicit {
  rl_kkt kkt;
  rl_integrator integrator;
  uint32_t row_count;   // multipliers, without those of tangents
  double dt;            // the step [s]
  double h;             // that of the equations above [s]
  bool squares;         // hard elements are (|d|^2 - l^2) / 2l and not |d| - l: the same where 0;
                        // with the midpoint rule they always are
  double *inertia;      // [slots] M / h^2 with its drag [kg/s^2]
  rl_vec3 *target;      // [slots] y [m]; of a spin 0
  rl_vec3 *predicted;   // [slots] velocities with which y was reached [m/s]
  rl_vec3 *imbalance;   // [slots] [N]
  rl_vec3 *moves;       // [slots] since the start of the step [m]
  rl_vec3 *ways;        // [slots] velocities at the end of the equations times h [m]
  rl_point *origin;     // [slots] positions at the start of the step
  rl_vec3 *start;       // [slots] and velocities
  rl_quat *rotations;   // [bodies] at y
  rl_quat *turned;      // [bodies] and at the start of the step
  rl_point *past;       // [slots] BDF2: positions and velocities one step earlier
  rl_vec3 *past_rates;  // [slots]
  double past_dt;       // 0: there is none
  rl_bent_link *links;  // [links]
  double *values;       // [unknowns] C and its damper at the positions last evaluated [m]
  double *weights;      // [unknowns] J M^-1 J^T there, as of the model's masses [1/kg]
  double *softness;     // [unknowns] [m/N]
  double *lag;          // [unknowns] damper over h times stiffness: it counts as this part of C
  bool *hard;           // [unknowns] the scenario gives it no stiffness
  double *lower;        // [unknowns] bounds of the forces
  double *forces;       // [unknowns] lambda [N]
  double *diagonal;     // [unknowns] D of the matrix
  double *right;        // [unknowns] right side of the row
  double *slack;        // [unknowns] interior point: s of C - softness lambda + s = 0 [m]
  double *change;       // [unknowns] of lambda
  double *slack_change; // [unknowns]
  double *rest_of_product;   // [unknowns] of lambda s
  bool *active;              // [unknowns]
  double *solution;          // [places]
  rl_direct tangents;        // of it only the tangents of contacts with friction
  rl_friction *frictions;    // [contacts]
  rl_point *kept_points;     // [slots] of the iteration with the least residual
  double *kept_forces;       // [unknowns]
  rl_cone_pair *cones;       // [contacts]
  rl_element_pair *elements; // [links]
  double cone_weight;        // how much more of the complementarity is theirs
  double *follows;           // [contacts] change of T along a slip in the solution [N]
  double *krylov;            // [RL_IMPLICIT_KRYLOV + 1][contacts] the basis in which it is sought
  rl_vec3 *kept_frictions;   // [contacts]
  double *island_inertia;    // [slots] of an island, at the slot by which it is known
  bool is_balanced;          // by whole steps of Newton's method
  double kept_residual;      // [m]; INFINITY: none is kept
  double known_force;        // the largest of the step before [N]; 0: unknown
  double shortest;           // of the elements [m]
  double rounding;           // what it leaves of a length [m]
  double force_rounding;     // and of the balance, as a fraction of force_scale
  double bending_rounding;   // and of bending forces [N]
  double friction_residual;  // how far friction is from its law, as a way [m]
  double grip_softness;      // added to the diagonal of what sticks, of its inverse mass
  double last_residual;      // of all, in the iteration before [m]
  double force_scale;        // largest force in the imbalance [N]
} rl_implicit;

// What a method says of a row: softness [m/N] and damper [N s/m], where W is its inverse mass, and
// whether that is its own affair, for the scenario calls the row hard.
typedef struct rl_softness {
  double softness, damping;
  bool is_hard;
} rl_softness;
typedef rl_softness rl_softness_law(const void *solver, const rl_rope *rope, double rest,
                                    double compliance, double inverse_mass);

typedef struct rl_implicit_method {
  rl_integrator integrator;
  int tries, iterations;      // of Newton's method, and of all in a step
  double tolerance, fraction; // the larger one: a length [m], a fraction of the shortest element
  rl_softness_law *law;       // asked of every row
  const void *solver;
} rl_implicit_method;

void rl_implicit_lay_out(rl_implicit *implicit, const rl_model *model, rl_carver *carver);

// Forgets the past, and for which rows the matrix was laid out.
void rl_implicit_forget(rl_implicit *implicit);

static inline bool rl_implicit_moves(const rl_implicit *implicit, uint32_t slot) {
  return implicit->kkt.slot_place[slot] != RL_NONE;
}

// W of a row, by which its force counts beside its slack. What an elastic rope cannot make shorter,
// as a belt that slips or a piece between fixed bodies, it pulls as well.
static inline double rl_implicit_weight(const rl_implicit *p, const rl_row *row) {
  return row->inverse_mass > 0.0 ? row->inverse_mass : row->compliance / (p->h * p->h);
}

// Whether an element is (|d|^2 - l^2) / 2l.
static inline bool rl_implicit_is_square(const rl_implicit *p, uint32_t m) {
  return p->hard[m] && (p->integrator == RL_MIDPOINT || (p->squares && p->lower[m] == 0.0));
}

// Moves of all slots since the start of the step; a spin counts its turn from y. The velocities are
// those over h, but with BDF2 of what moves freely (3 now - 4 origin + past) / 2 dt.
void rl_implicit_find_moves(rl_implicit *implicit, const rl_model *model, const rl_state *state);

// Values, gradients and curvature at the state's positions.
void rl_implicit_evaluate(rl_implicit *implicit, const rl_model *model, const rl_state *state,
                          rl_rows *rows);

// Friction at the positions last evaluated: its slides, and how far it is from its law.
void rl_implicit_slide(rl_implicit *implicit, const rl_rows *rows);

// The same for Newton's method: which contacts stick; what slips is set.
void rl_implicit_rub(rl_implicit *implicit, const rl_rows *rows);

// Told what is left after each of Newton's iterations [m], INFINITY before the first one: how hard
// friction is to grip in the next.
void rl_implicit_grip(rl_implicit *implicit, double residual);

// The imbalance of forces there; returns the largest way of a slot that would make up for it [m].
double rl_implicit_balance(rl_implicit *implicit, const rl_model *model, const rl_state *state,
                           const rl_rows *rows);

// Assembles the matrix with the given `diagonal` of the `active` rows, with what bending adds or
// without it, and factors it.
bool rl_implicit_factor(rl_implicit *implicit, const rl_model *model, const rl_state *state,
                        const rl_rows *rows, bool bends);

// Solves for the move that the imbalance and the `right` sides of the rows ask for.
void rl_implicit_solve(rl_implicit *implicit, const rl_model *model, const rl_rows *rows);

// The change of a force in the solution.
static inline double rl_implicit_change(const rl_implicit *implicit, uint32_t m) {
  return implicit->solution[implicit->kkt.row_place[m]];
}

// And the move of a slot.
static inline rl_vec3 rl_implicit_solved_move(const rl_implicit *implicit, uint32_t slot) {
  const uint32_t place = implicit->kkt.slot_place[slot];
  const double *dx = &implicit->solution[place == RL_NONE ? 0 : place];
  return place == RL_NONE ? (rl_vec3){0.0, 0.0, 0.0} : (rl_vec3){dx[0], dx[1], dx[2]};
}

// Moves positions and friction by s times the solution; forces are the method's affair.
void rl_implicit_move(rl_implicit *implicit, const rl_model *model, rl_state *state, double s);

// Keeps this iteration if its residual [m] is the least so far: what does not converge ends there.
void rl_implicit_keep(rl_implicit *implicit, const rl_model *model, const rl_state *state,
                      double residual);

// Goes back to what was kept, if anything.
void rl_implicit_return(rl_implicit *implicit, const rl_model *model, rl_state *state,
                        rl_rows *rows);

// Where Newton's method starts: from a guess what is nearly taut is tried as taut first, iterations
// are kept, and it may take longer; from the cones what acts is known so well that it stays for the
// first two iterations.
typedef enum rl_newton_start { RL_FROM_GUESS, RL_FROM_INTERIOR, RL_FROM_CONES } rl_newton_start;

// Newton's method on the whole: elements and contacts act or do not (an active set that may change
// by any number of rows), friction sticks or slips. `tolerance` is that of the values and, as ways,
// of the balance and of friction [m].
rl_reason rl_implicit_newton(rl_implicit *implicit, const rl_model *model, rl_state *state,
                             rl_rows *rows, int iterations, rl_newton_start from, double tolerance,
                             rl_step_info *info);

// A primal-dual interior point instead, from the start of the step: it needs no guess of what acts,
// and where all rows are convex it finds the one solution there is. At its end it takes a step
// of Newton's method.
rl_reason rl_implicit_interior(rl_implicit *implicit, const rl_model *model, rl_state *state,
                               rl_rows *rows, int iterations, double tolerance, rl_step_info *info);

// convex.md (25): a predictor that goes `reach` leaves `ratio` of the product. So many times as
// long is the one whose terms of second order the corrector takes.
static inline double rl_implicit_predictor_length(double reach, double ratio) {
  const double fall = 1.0 - ratio * ratio * ratio;
  const double square = (ratio - 1.0 + reach) / (reach * reach);
  return fmax(1.0, 2.0 * fall / (1.0 + sqrt(fmax(0.0, 1.0 - 4.0 * square * fall))));
}

// Friction of the interior point (implicit_cones.c): where it begins; adds its part of the
// complementarity and lays its rows; their right sides; its changes, for those of the forces in
// `change`, and how far they can go.
void rl_cones_begin(rl_implicit *implicit, const rl_rows *rows);
void rl_cones_measure(rl_implicit *implicit, const rl_rows *rows, double *complementarity,
                      uint32_t *count);
void rl_cones_set_right(rl_implicit *implicit, double aim, bool corrects);
double rl_cones_find_changes(rl_implicit *implicit, const rl_model *model, const rl_rows *rows,
                             double reach);
double rl_cones_complementarity_at(const rl_implicit *implicit, double s);
void rl_cones_move(rl_implicit *implicit, double s);

// Whether there is nothing but elements that do not stretch, not by the midpoint rule, and one
// would fly to twice its length: in this step it turns over, and its length says little of where
// to.
bool rl_elements_turn(const rl_implicit *implicit, const rl_model *model, const rl_state *state,
                      const rl_rows *rows);

// The interior point for these, in the vectors of the elements instead of their lengths; the end is
// Newton's method (implicit_elements.c).
rl_reason rl_elements_interior(rl_implicit *implicit, const rl_model *model, rl_state *state,
                               rl_rows *rows, int iterations, double tolerance, rl_step_info *info);

// After a step of dt: hard rows that pushed in it get the impulses that leave them at no rate, as
// long as they push in all. Their multipliers take them in.
void rl_implicit_rest(rl_implicit *implicit, const rl_model *model, rl_state *state, rl_rows *rows,
                      struct rl_ledger *ledger);

// A step of dt from the state: Newton's method for the first `tries` of the iterations, and where
// it has not come to its end the interior point for the others. What does not converge ends at the
// iteration with the least residual. The forces become the state's multipliers.
rl_reason rl_implicit_step(rl_implicit *implicit, const rl_model *model, rl_state *state,
                           rl_rows *rows, const rl_implicit_method *method, double dt,
                           rl_step_info *info);

#endif
