// SPDX-License-Identifier: GPL-3.0-or-later
// The equations of motion of a scene between two events, with multipliers, index reduced: with the
// rows that act as equations C = 0,
//
//     a = a0 - M^-1 G^T lambda,    J a + dJ/dt v = 0,
//
// and elastic rows as forces. papers/reference.md numbers the equations.
#ifndef RL_EQUATIONS_H
#define RL_EQUATIONS_H

#include "impulse/lcp.h"

// The vector y that is integrated: positions of all slots (of spins: small turns) and velocities;
// from `tail` on the energy dissipated, the work done and the impulse of each row; and, where ropes
// can stick on bodies, C of each row by its rate, (7b).
static inline size_t rl_equations_tail(const rl_model *model) {
  return 6 * (size_t)model->slot_count;
}

// Returns the size of y, with so many planes that yield.
static inline size_t rl_equations_dimension(const rl_model *model, size_t rows, size_t yields) {
  return rl_equations_tail(model) + 2 + (model->split_capacity > 0 ? 2 : 1) * rows + 3 * yields;
}

// A plane that yields: the rope and the wrap, its normal at the start of the internal step and
// where a difference is taken, and the rate of that, in the body's frame.
typedef struct rl_plane {
  uint32_t rope, wrap;
  rl_vec3 start, here, turning;
} rl_plane;

// Returns how many there can be.
static inline size_t rl_plane_capacity(const rl_model *model) {
  return model->split_capacity > 0 ? model->wrap_capacity : 0;
}

// A contact with friction that acts sticks; has begun to slip, so slowly that its friction points
// where the forces ask it to, (19); or slips, with its friction against the slide.
typedef enum rl_grip_kind { RL_CONTACT_STICKS, RL_CONTACT_BEGINS, RL_CONTACT_SLIPS } rl_grip_kind;

// The friction of a contact.
typedef struct rl_rubbing {
  rl_grip_kind kind;
  bool slides;       // when the last choice was made it slid, and not as slowly as (8b)
  bool holds;        // it sticks in the first solve of (9): (4b) gives it less friction
  bool jams;         // it slid, and no forces let it slide on, (8c)
  bool is_torn;      // (19) found no direction for it: it slips by (14) until the next choice
  bool stops;        // it begins to slip, and impulses stop it first, with others, (8b)
  rl_vec3 direction; // of its friction while it does not stick, unit
  rl_vec3 share;     // its friction when it was last chosen, T* of (4a) [N]
  double friction;   // coefficient
  rl_vec3 curvature; // (dJ_t/dt) v: minus the acceleration of the slide with all others 0 [m/s^2]
  double back;       // rate of the slide along its friction when that was chosen, over the
                     // largest speed: round-off, from which a stop is told
  double across, turned; // (19) force across the friction before its last turn [N], and the tangent
                         // of the angle of that turn
} rl_rubbing;

// What an element or a node touches of a box or hull (world/paths/path_solid.h).
typedef struct rl_touched {
  uint32_t feature; // of an element an edge, of a node a face; RL_NONE: nothing
  uint32_t beside;  // (16b) row of the element on the other side of a node at which both touch the
                    // edge; RL_NONE: none
  double margin;    // distance from the nearer end of the edge over its length; of a node the depth
                    // below the other faces over the scene's size
  bool is_between;  // (16d) the place of an element is between its ends
} rl_touched;

// How far beyond its limit a row is: one that does not act is violated, one that acts would push.
// As a fraction of the scene's size, or of the largest force or speed; above 0 it is an event, and
// below 1e-15 it cannot be told from 0.
typedef struct rl_gauge {
  double value;
  double depth, rate; // if the row does not act: C and dC/dt over the scene's size; else NAN
} rl_gauge;

// Raises a gauge to a value, which is then not that of a depth.
static inline void rl_gauge_raise(rl_gauge *gauge, double value) {
  *gauge = value > gauge->value ? (rl_gauge){value, NAN, NAN} : *gauge;
}

// Choices that round-off leaves open. The run and its companion make them differently, so that
// their distance (11) shows what follows from them.
typedef struct rl_decisions {
  double gentle; // (11c) factor of w, (8b)
  bool
      tries_all; // (11e) (8) and (9) begin with all taut rows active, else with those that lengthen
  double push;   // (11f) factor of the push with which a row leaves
  double near;   // (11g) slack with which a row is still caught with others that are as fast [m]
} rl_decisions;

typedef struct rl_equations {
  const rl_model *model;
  rl_state *state; // what is integrated; at trial positions while the equations are evaluated
  rl_rows *rows;
  rl_lcp lcp;                // rows, direct solves, complementarity problems
  double regularisation;     // of the direct solves; a second solve removes its effect
  bool *acts;                // [unknowns] equations C = 0, and elastic rows that pull
  bool *is_taut;             // [unknowns] rows from which a choice is made
  bool *chosen;              // [unknowns] `acts` before it is changed for a trial
  bool *takes_part;          // [unknowns] in direct solves: elements, and contacts that can act
  uint64_t restricted;       // structure of the rows for which `takes_part` was set
  bool *differs;             // [contacts] their curvature needs differences, (13)
  bool is_choosing;          // during a choice: any taut contact may come to act and stick
  bool is_between;           // within an internal step: contacts that do not act are left out
  rl_touched *touched;       // [contacts] of boxes and hulls
  rl_rubbing *rubbing;       // [contacts] of those with friction, in the order of the tangents
  rl_rubbing *other_rubbing; // [contacts] copy while another solution is tried, (9a)
  bool has_driven, has_elastic;
  rl_gauge *gauges;     // [unknowns] of rl_equations_event
  double *starts;       // [unknowns] C at the start of the internal step [m]
  double *multipliers;  // [unknowns] lambda where last evaluated [N]
  double *impulses;     // [unknowns] of catches, and those that the caller adds [N s]
  double *blows;        // [unknowns] impulses of the catch in the last choice [N s]
  double *shares;       // [unknowns] lambda* of (4a) [N]
  double *other_shares; // [unknowns] copy while another solution is tried, (9a) [N]
  double *softness;     // [unknowns] of (4c) [1/kg]
  double *curvatures;   // [unknowns] (dJ/dt) v [m/s^2]
  rl_plane *planes;     // [rl_plane_capacity] those that yield
  uint32_t plane_count;
  uint32_t *row_of;       // [unknowns] index in rows; RL_NONE: a link
  uint32_t *rope_of;      // [unknowns] RL_NONE: a contact
  rl_vec3 *accelerations; // [slots]
  rl_vec3 *saved;         // [slots] velocities before impulses, or while accelerations stand there
  rl_vec3 *rates;         // [slots] dx/dt
  rl_point *displaced;    // [slots] positions at a time after the present one
  rl_point *earlier;      // [slots] and before it
  rl_quat *turned;        // [bodies] rotations before a step of (6)
  double power;           // of driven bodies and the wind, and of the wind alone [W]
  double wind_power;
  double loss;         // in drag and dampers [W]
  double reeled;       // time since the start of the internal step up to which winches have run [s]
  double speed, force; // largest speed [m/s] and force [N] at the last choice
  rl_decisions decides; // set by the caller
  double gentle;        // w of (8b) at the last choice [m/s]
  uint64_t evaluations; // of rows
} rl_equations;

void rl_equations_lay_out(rl_equations *equations, const rl_model *model, rl_carver *carver);

// Prepares the equations at the start of a step and after each change of the set of rows.
void rl_equations_begin(rl_equations *equations, const rl_model *model, rl_state *state,
                        rl_rows *rows);

// Copy positions and velocities from the state to y, and back.
void rl_equations_gather(const rl_equations *equations, double *y);
void rl_equations_scatter(rl_equations *equations, const double *y);

// Sets the rest lengths of ropes on winches to those at t [s] after the start of the internal step,
// where `reeled` is 0.
void rl_equations_reel(rl_equations *equations, double t);

// Computes dy/dt at y, with the signature that gsl_odeiv2_system asks for. Returns GSL_EBADFUNC if
// it is not finite.
int rl_equations_rates(double t, const double *y, double *dydt, void *equations);

// Does the same within an internal step, where no events are looked for.
int rl_equations_rates_between(double t, const double *y, double *dydt, void *equations);

// (7b) Notes C of the strands at the start of an internal step, and at its end gives each strand
// the rest length with which its C is that of y. The state is that of y.
void rl_equations_start(rl_equations *equations);
void rl_equations_share(rl_equations *equations, const double *y);

// (19b) of balls.md: turns the planes that yield to where friction just holds the rope in the
// state.
void rl_equations_hold_planes(rl_equations *equations);

// (6) Moves positions and velocities of the state on to the rows that act; small turns go into the
// rotations. Returns the largest rate of a row that this stops [m/s].
double rl_equations_project(rl_equations *equations);

// Whether the rows that act are satisfied at the positions last projected; they are not if a piece
// of a rope has become a point.
bool rl_equations_hold(const rl_equations *equations);

// Computes the speed at which rope runs over each wrap of a rope, towards `to`; 0 where it sticks
// [2 wraps, of which the first half is the result].
void rl_equations_slips(const rl_equations *equations, uint32_t rope, double *slips);

// Computes the gauges of all rows, with rates just evaluated, and returns the largest value: above
// 0 if an event has happened since the last choice.
double rl_equations_event(rl_equations *equations);

// (4c) After an event: whether all of it is that contacts need more friction than they have, and
// another way of sharing the load, which is then taken, lets all of them stick.
bool rl_equations_share_anew(rl_equations *equations);

// At the start of a step, with the choice made in the last one: whether what acts and sticks is
// where and as fast as it was left. If not, something has been changed from outside.
bool rl_equations_resume(rl_equations *equations);

// Whether a row is taut and gets longer, as last evaluated.
bool rl_equations_lengthens(const rl_equations *equations, const rl_row *row);

// Chooses which rows act and which contacts stick: (8) catches taut rows that lengthen, and (9)
// decides by accelerations between those that stay taut. Leaves the impulses of the catch in
// `blows`, and adds what it takes to `info`. Returns true if it was not gentle, (8b).
bool rl_equations_choose(rl_equations *equations, rl_step_info *info);

#endif
