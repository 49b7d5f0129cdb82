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

// What stands in y: positions of all slots (spins: small turns) and velocities, and from `tail` on
// dissipation, work, and the impulse of each row; where ropes can stick on bodies, also how much
// longer each row has become.
static inline size_t rl_equations_tail(const rl_model *model) {
  return 6 * (size_t)model->slot_count;
}

static inline size_t rl_equations_dimension(const rl_model *model, size_t rows) {
  return rl_equations_tail(model) + 2 + (model->split_capacity > 0 ? 2 : 1) * rows;
}

// Whether a contact that acts and rubs sticks, and if not, which way its friction points: where it
// has only begun to slip, that is what the forces ask for.
typedef enum rl_grip_kind { RL_CONTACT_STICKS, RL_CONTACT_BEGINS, RL_CONTACT_SLIPS } rl_grip_kind;

typedef struct rl_rubbing {
  rl_grip_kind kind;
  bool slides;  // it did when that was chosen
  bool holds;   // it sticks
  bool jams;    // it slid, and cannot go on
  bool is_torn; // it began to, but has no direction of its own
  bool stops;   // it slips, and is stopped first
  rl_vec3 direction;
  rl_vec3 share;         // its friction as it was chosen [N]
  double friction;       // coefficient
  rl_vec3 curvature;     // of the slide, at the velocities that there are [m/s^2]
  double back;           // how fast it slides along its friction where it is said to slip, over the
                         // largest speed: rounding, which is no stop
  double across, turned; // the force across it before its last turn [N], and how far that was
} rl_rubbing;

// What of a box or hull is touched (world/paths/path_solid.h; RL_NONE: nothing): an edge by an
// element, a face by a node; how far from the nearer end of the edge, as a share of it, or from the
// edges of the face, as one of the scene. Where the next element, or the one before, touches the
// edge at the node between them: the row of that one (RL_NONE: none).
typedef struct rl_touched {
  uint32_t feature, beside;
  double margin;
} rl_touched;

// How far a row has gone beyond what makes it act, or not act, as a share of the scene's size or
// force; what cannot be told from 0 is below 1e-15. Of one that does not act that is how deep it
// is, if it goes on: the depth, and how fast it grows [1/s]; nan: it is not that.
typedef struct rl_gauge {
  double value, depth, rate;
} rl_gauge;

static inline void rl_gauge_raise(rl_gauge *gauge, double value) {
  *gauge = value > gauge->value ? (rl_gauge){value, NAN, NAN} : *gauge;
}

// What rounding leaves open is decided in one way by the run, and in another by its companion.
typedef struct rl_decisions {
  double gentle;  // (11c) of w, (8b)
  bool tries_all; // (11e) whether (8) and (9) begin with all that is taut
  double push;    // (11f) over the least push of what leaves
  double near;    // (11g) how far from taut what comes on as fast as a catch is caught [m]
} rl_decisions;

typedef struct rl_equations {
  const rl_model *model;
  rl_state *state; // what is integrated; at trial positions while the equations are evaluated
  rl_rows *rows;
  rl_lcp lcp;                // rows, direct solves, and who acts
  double regularisation;     // of the direct solves, taken out by refinement
  bool *acts;                // [unknowns] equations C = 0, and elastic rows that pull
  bool *is_taut;             // [unknowns] could act
  bool *chosen;              // [unknowns] those of `acts` for which accelerations speak
  bool *takes_part;          // [unknowns] in direct solves: elements, and contacts that can act
  uint64_t restricted;       // the structure of the rows for which that was said
  bool *differs;             // [contacts] those whose curvature is found by differences
  bool is_choosing;          // who acts: what touches may come to stick
  bool is_between;           // nobody asks for events: contacts that do not act rest
  rl_touched *touched;       // [contacts] of boxes and hulls
  rl_rubbing *rubbing;       // [contacts] of those with friction, in the order of the tangents
  rl_rubbing *other_rubbing; // [contacts] as found, while another answer is tried, (9a)
  bool has_driven, has_elastic;
  rl_gauge *gauges;       // [unknowns] of rl_equations_event
  double *starts;         // [unknowns] C at the start of the internal step [m]
  double *multipliers;    // [unknowns] lambda where last evaluated [N]
  double *impulses;       // [unknowns] of catches, and of what the caller adds [N s]
  double *blows;          // [unknowns] impulses of the last catch [N s]
  double *shares;         // [unknowns] lambda as they were chosen [N]
  double *other_shares;   // [unknowns] the same of `shares`
  double *softness;       // [unknowns] of (4c) [1/kg]
  double *curvatures;     // [unknowns] dJ/dt v [m/s^2]
  uint32_t *row_of;       // [unknowns] index in rows; RL_NONE: a link
  uint32_t *rope_of;      // [unknowns] RL_NONE: a contact
  rl_vec3 *accelerations; // [slots]
  rl_vec3 *saved;         // [slots] velocities while the accelerations stand in their place
  rl_vec3 *rates;         // [slots] of the positions
  rl_point *displaced;    // [slots] positions a little later, or earlier
  rl_point *earlier;      // [slots] and a little earlier
  double power;           // of driven bodies and the wind, and of the wind alone [W]
  double wind_power;
  double loss;          // in drag and dampers [W]
  double reeled;        // how long winches have run since the start of the internal step [s]
  double speed, force;  // the largest at the last choice [m/s], [N]
  rl_decisions decides; // the caller says it
  double gentle;        // (8b) what a catch is slower than that brings all to rest [m/s]
  uint64_t evaluations; // of rows
} rl_equations;

void rl_equations_lay_out(rl_equations *equations, const rl_model *model, rl_carver *carver);

// At the start of a step and after everything that changes the set of rows.
void rl_equations_begin(rl_equations *equations, const rl_model *model, rl_state *state,
                        rl_rows *rows);

// y up to its tail from the state, and back.
void rl_equations_gather(const rl_equations *equations, double *y);
void rl_equations_scatter(rl_equations *equations, const double *y);

// Rest lengths of ropes on winches at a time after the start of the internal step, where `reeled`
// is 0.
void rl_equations_reel(rl_equations *equations, double t);

// dy/dt at y; as gsl_odeiv2_system wants it. 0, or not if it is not finite.
int rl_equations_rates(double t, const double *y, double *dydt, void *equations);

// The same for places between the ends of an internal step, where nobody asks for events.
int rl_equations_rates_between(double t, const double *y, double *dydt, void *equations);

// At the start of an internal step, and at its end, with the state scattered: (7b) strands become
// as much longer as their rates say.
void rl_equations_start(rl_equations *equations);
void rl_equations_share(rl_equations *equations, const double *y);

// Positions and velocities of the state, which was scattered, on to the rows that act; small turns
// go into the rotations.
void rl_equations_project(rl_equations *equations);

// Whether the rows that act are kept at the positions last projected; they are not where a piece
// of a rope has become a point.
bool rl_equations_hold(const rl_equations *equations);

// How fast rope runs over each wrap of a rope, towards `to`; 0 where it sticks [2 wraps, of which
// the first].
void rl_equations_slips(const rl_equations *equations, uint32_t rope, double *slips);

// Above 0 once something has happened since the rows that act were chosen: a row that does not act
// is violated, or one that acts would push. As large as that: the largest of the gauges, which it
// leaves. With rates just evaluated.
double rl_equations_event(rl_equations *equations);

// (4c) After an event: whether all that happened is that a contact asks for more than it can give,
// as the contacts share what they bear, and does not as they do now.
bool rl_equations_share_anew(rl_equations *equations);

// At the start of a step, with those who acted at the end of the last one: whether they are where
// and as fast as they were left. If not, something has been changed from outside.
bool rl_equations_resume(rl_equations *equations);

// Chooses who acts from where the state is: what is taut and pulled apart is caught, by the
// impulses of one complementarity problem; of what then stays taut a second one chooses by
// acceleration. Books what the catch took into `info`. True if there was a blow.
bool rl_equations_choose(rl_equations *equations, rl_step_info *info);

#endif
