// SPDX-License-Identifier: GPL-3.0-or-later
// Wraps: the contacts of massless ropes with the surfaces of bodies and with eyes. The path over a
// given list of wraps is pure geometry (path.h). This interface keeps the list: it lays it at the
// start, adds and removes wraps, decides which of them stick or slip, and keeps the rest length on
// each side of them. papers/wraps.md has the derivation. Its terms:
//
//   wrap     a contact of the rope: an arc on a round surface, a place on an edge, or an eye
//   piece    the straight rope between two wraps
//   way      the path of the rope over its wraps, the shortest near the one before
//   strand   the pieces between two wraps that stick, or an end of the rope: one row
//   mark     the point of a body at which a wrap that sticks holds the rope
//   inert    a strand whose length no motion can change
//   led      a strand whose length only what is prescribed can change: driven bodies, winches
//   jammed   a strand that slips the faster the more it is pulled, J M^-1 G^T <= 0: its wraps stick
//   rubbed   a led strand within which the rope slips on something that can move, (7f)
//   pull     what a strand counts as pulling on the wraps beside it: its tension, or, where no
//            impulse changes its length, any, none or one without limit, (7a) and (7c)
//   held     a wrap whose plane on a ball friction keeps, (19a); a piece whose tension friction
//            chooses, (7a)
//   growth   the length by which a change of wraps has made a piece longer, or left it less rest
#ifndef RL_WRAP_H
#define RL_WRAP_H

#include "../rows.h"

// Whether the rope slips over a wrap, in either direction.
static inline bool rl_wrap_slips(const rl_wrap *wrap) {
  return wrap->grip == RL_SLIPS_ON || wrap->grip == RL_SLIPS_BACK;
}

// Whether a rope is a massless loop. Its list of wraps begins and ends at the seam, a point of the
// straight piece between the last wrap and the first; that is piece 0, and of the last wrap only
// the tension behind it is used, not the rest length. If any wrap of a loop sticks, the last one
// does. A loop that has slipped off all bodies has no wraps and one piece of no length.
static inline bool rl_wraps_is_loop(const rl_model *model, uint32_t rope) {
  return model->ropes[rope].closed && model->ropes[rope].massless;
}

// Returns the number of straight pieces of a rope: one more than wraps; in a loop with wraps as
// many.
static inline uint32_t rl_wraps_piece_count(const rl_model *model, const rl_state *state,
                                            uint32_t rope) {
  const uint32_t count = state->wrap_counts[rope];
  return count + (rl_wraps_is_loop(model, rope) && count > 0 ? 0 : 1);
}

// Returns a hash of the wraps and their grips.
uint64_t rl_wraps_hash(const rl_model *model, const rl_state *state);

// Solves the path of a rope at trial positions [slot_count] into its rl_path_items and returns the
// length [m]; nan if there is no path. Does nothing where the items are already solved for inputs
// that are the same to the bit.
double rl_wrap_solve_path(const rl_model *model, const rl_state *state, uint32_t rope,
                          const rl_point *points);

// Lays a rope over its items at trial positions without a solve: with the places of the solved path
// in state->old_items, moved on by `time` [s] times their rates (path.h). Returns the length [m].
double rl_wrap_lay_path(const rl_model *model, const rl_state *state, uint32_t rope,
                        const rl_point *points, double time);

// Solves the paths of all ropes that have wraps, at the state's positions.
void rl_wraps_solve_paths(const rl_model *model, const rl_state *state);

// Consecutive pieces of a rope between two wraps that stick, or an end: they share one multiplier.
// Where the rope slips, each piece of an elastic rope has the rest length that its tension asks
// for, (9).
typedef struct rl_strand {
  uint32_t first_piece, piece_count;
  double length, rest; // between the marks or the ends of the rope [m]
  double strain;       // of the first piece, if the rope is elastic; 0: slack
  double stretch;      // sum of rest lengths times tensions over that of the first piece [m]
  double squares;      // the same with the squares of these ratios [m]
} rl_strand;

// Returns the strand that begins with a piece, with the path solved at `points`.
rl_strand rl_wrap_strand(const rl_model *model, const rl_state *state, uint32_t rope,
                         uint32_t first_piece, const rl_point *points);

// Returns the number of pieces of the strand that begins with a piece.
uint32_t rl_wrap_strand_pieces(const rl_model *model, const rl_state *state, uint32_t rope,
                               uint32_t first_piece);

// Whether no motion can change the length of a strand, because all items it runs over, its ends
// included, are fixed or belong to one body. J M^-1 J^T of its row is 0, and its tension is chosen
// within the bounds of friction, (7a).
bool rl_wrap_is_inert(const rl_model *model, const rl_state *state, uint32_t rope,
                      uint32_t first_piece, uint32_t piece_count);

// Returns the slot of what carries an item of the path; RL_NONE if nothing moves it.
uint32_t rl_wrap_slot(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t item);

// (19c) How the plane of a wrap that yields turns with what moves beside it, and what that adds to
// the length of the rope: gradients with respect to the points of the neighbours from which the
// rope comes and to which it goes (with respect to the ball there they are the opposite of these),
// and the derivative of its normal in the world's frame.
typedef struct rl_yield {
  rl_vec3 ends[2]; // these points [m]
  rl_vec3 more[2]; // of the length
  rl_vec3 turn[2]; // of the share of the turn towards the shortest path [1/m]
  rl_vec3 on;      // of the normal with respect to that share
} rl_yield;

// Returns these. The path is solved.
rl_yield rl_wrap_yield(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t wrap);

// (19b) Returns the normal, in the body's frame, of the plane in which friction has `reserve` of
// the arc of a wrap to spare [rad]. The path is solved.
rl_vec3 rl_wrap_yielded(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t wrap,
                        double reserve);

// (19b) Turns the plane of a wrap that is held to a normal in the body's frame, and the mark with
// it, (4a).
void rl_wrap_set_plane(const rl_model *model, rl_wrap *wrap, rl_vec3 normal);

// (19c) Returns the share of the strand before a wrap whose plane yields (0), or of that behind it
// (1), in what the path gets shorter by that.
double rl_wrap_yield_share(const rl_model *model, const rl_state *state, uint32_t rope,
                           uint32_t wrap, uint32_t strand);

// (19c) Lets the plane of a wrap that is held yield from now on, with the reserve that the tensions
// beside it ask for. The path of the state is solved.
void rl_wrap_begin_yield(const rl_model *model, rl_state *state, uint32_t rope, uint32_t wrap);

// Ends that: the plane stays where it is, or the wrap is free if the plane has come to that of the
// shortest path.
void rl_wrap_end_yield(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t wrap);

// Returns by how much the plane of a wrap that yields can yield no more: it is past half a turn, or
// has come to that of the shortest path [rad]. Below 0: it can. The path is solved.
double rl_wrap_yielded_up(const rl_model *model, const rl_state *state, uint32_t rope,
                          uint32_t wrap);

// Returns the tension of the piece behind a wrap over that of the piece before it, by the capstan
// law (5) or Knyazyev's law on an edge (6); 1 where the wrap does not slip.
double rl_wrap_tension_ratio(const rl_model *model, const rl_state *state, uint32_t rope,
                             uint32_t wrap);

// Finds where a piece of a path leaves the item before it, and reaches the next one. The path is
// solved.
void rl_wrap_piece_ends(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t piece,
                        rl_vec3 ends[2]);

// Returns how many wraps a rope can have at a time; 0: it cannot lie on bodies.
uint32_t rl_definition_wrap_capacity(const rl_definition *definition,
                                     const rl_rope_definition *rope);

// Lays a rope at the start over the waypoints of its definition, with the bodies where the state
// has them. Returns the length of its path [m]; nan with `fault` filled in if there is none.
double rl_wraps_lay(const rl_model *model, const rl_definition *definition, rl_state *state,
                    uint32_t rope, rl_fault *fault);

// Whether the ends and eyes of a massless rope start outside the bodies that it touches; false with
// `fault` filled in.
bool rl_wraps_check_points(const rl_model *model, const rl_definition *definition,
                           const rl_state *state, uint32_t rope, rl_fault *fault);

// Marks the middle of each wrap of a rope that was just laid, and shares the rest length `rest` [m]
// among its pieces in proportion to their lengths.
void rl_wraps_share_rest(const rl_model *model, rl_state *state, uint32_t rope, double rest);

// How a step is judged.
typedef struct rl_judging {
  double dt;          // [s]; INFINITY: no wrap comes to rest
  const double *last; // impulse of each unknown in the last substep, (7m), or NULL
  bool gains;         // the step has gained energy, (7i)
  bool sees_rates;    // the method looks for velocities: ropes have run as its rows say, (7n)
  bool one_by_one;    // only the first wrap that is wrong changes
} rl_judging;

// Judges the grips after a step from `before` to the state, and changes those in `before` that were
// wrong:
// - a wrap that sticks slips if the tensions beside it exceed what friction can hold, or a strand
//   that is led gets longer, (7c), or strands are drawn apart, (7l);
// - a wrap that slips sticks if the rope came to rest or ran the other way;
// - a wrap that has just met slips the way that the rope ran, or sticks;
// - from almost half a turn of a ball on, friction holds the rope's plane, which yields or is let
// go;
// - while the rope slips off a body, nothing holds it there;
// - a rope whose way has ended (15) slips off a body.
// Returns true if something has changed: then the step has to be repeated from `before`.
bool rl_wraps_judge(const rl_model *model, rl_state *state, rl_state *before, rl_rows *rows,
                    const rl_judging *how);

// Makes the wraps of open inextensible ropes stick that have met or slip.
void rl_wraps_stick_all(const rl_model *model, rl_state *state);

// Whether some wrap slips.
bool rl_wraps_slip(const rl_model *model, const rl_state *state);

// Whether a taut rope slips over an edge that locks, (6), or friction has turned a slip round
// within a step, (7i): no tensions are consistent with that.
bool rl_wraps_slip_wrongly(const rl_model *model, rl_state *state);

// (23b) of papers/changes.md: in a catch from `before` to the state, makes wraps of open ropes
// slip, in `before`, that would have had to hold more than friction can, and stick over which the
// rope runs the other way, or whose strand jams and still gets longer at the end of a step of dt
// [s], (23g); in the `last` trial only these. Returns true if there are any: then the catch has to
// be repeated from there. `rows`: those of the catch.
bool rl_wraps_judge_catch(const rl_model *model, const rl_state *state, const rl_rows *rows,
                          rl_state *before, double dt, bool last);

// Whether a strand slips although its tension would not slow it down, J M^-1 G^T <= 0, while a
// strand that sticks would, J M^-1 J^T > 0. Never for elastic strands, whose stretch gives the
// tension.
bool rl_wraps_is_jammed(const rl_model *model, const rl_state *state, rl_rows *rows, rl_row *row);

// Makes the wraps of strands that jam stick, but for those that stay slack, in a state and its copy
// `before`. `rows` are those of the step of dt [s] that begins. Returns true if a grip has changed;
// then the rows have to be built again.
bool rl_wraps_stick_jammed(const rl_model *model, rl_state *state, rl_state *before, rl_rows *rows,
                           double dt);

// (7h) After a step from `before` to the state of a method that looks for positions: whether there
// is a strand that slips for which no tension was found. If it `sticks`, makes it stick in
// `before`, and returns whether a grip has changed. `rows` are those of the step; `gains`: it has
// gained energy, or not settled.
bool rl_wraps_stick_jammed_ahead(const rl_model *model, const rl_state *state, rl_state *before,
                                 rl_rows *rows, bool gains, bool sticks);

// (7p), (7q) The same for a method that looks for velocities: a strand that jams, or has no
// solution, and gets too long by its rate in `dt` [s].
bool rl_wraps_stick_unheld(const rl_model *model, const rl_state *state, rl_state *before,
                           const rl_rows *rows, double dt, bool sticks);

// Returns whether there is an inextensible rope with friction that is slack, had no tension in the
// last step, and lies on no edge that locks. The paths are solved.
bool rl_wraps_hang_slack(const rl_model *model, const rl_state *state);

// (7e) Lets those of these ropes that become taut in the step that begins run over their wraps to
// where they are then. `ahead`: the state at the end of the step if there were no rows.
void rl_wraps_run_to_catch(const rl_model *model, const rl_state *ahead, rl_state *state,
                           double *catches);

// Lets the first rope whose way has ended (15) between `before` and the state slip off a body in
// `before`. Returns true if there is one.
bool rl_wraps_leave_ended_ways(const rl_model *model, const rl_state *state, rl_state *before);

// Returns how far the places of the path of a rope have moved from those in state->old_items [m];
// INFINITY if there is no path. Lets the rope slip off, in `before`, if that is more than all that
// holds it has moved since then; returns whether it has. Unless that is `sure`, only if the rope
// does not go through the body then.
double rl_wraps_places_moved(const rl_state *state, uint32_t rope);
bool rl_wraps_leave_jumped_way(const rl_model *model, const rl_state *state, rl_state *before,
                               uint32_t rope, bool sure);

// Ends a step of dt [s]: rest length flows through wraps that slide or slip, wraps that are no
// longer pressed go, and bodies that straight pieces have run into become wraps. Returns the
// friction loss of elastic ropes [J]; that of the others is computed from their rows. `meets`: new
// wraps with friction are RL_MEETS, for rl_wraps_judge to find out about (7b), else they stick.
// `has_run`: rope has run by the slips that are known (rl_wraps_find_runs).
double rl_wraps_end(const rl_model *model, const rl_state *before, rl_state *state, double dt,
                    bool meets, bool has_run);

// (7n) Computes the slips of all wraps after a step of dt [s] of a method for velocities. The paths
// of both states are solved.
void rl_wraps_find_runs(const rl_model *model, const rl_state *before, rl_state *state, double dt);

// (28) of papers/changes.md. Notes in the state that the step, of length dt [s], was too long if a
// part that a rope lies on, before or now, has turned farther than a contact can be followed.
void rl_wraps_note_turns(const rl_model *model, const rl_state *before, rl_state *state, double dt);

// Returns the largest growth of a piece [m]: by how much it became longer, or was left less rest
// length, when contacts changed in the last rl_wraps_end; 0 if that is round-off.
double rl_wraps_largest_growth(const rl_model *model, const rl_state *state);

// (21) of papers/changes.md: moves everything along the rows, without changing velocities, until
// each rope that has grown is as long as it was on its old way, or slack. `rows`: those of the
// state.
void rl_wraps_take_back_growths(const rl_model *model, rl_state *state, rl_rows *rows,
                                rl_excess excess);

// Whether a rope has become shorter by a change of contacts in the last rl_wraps_end.
bool rl_wraps_have_shortened(const rl_model *model, const rl_state *state);

// Evaluates the rows of massless ropes at the state's positions.
void rl_wraps_evaluate_rows(const rl_model *model, const rl_state *state, rl_rows *rows);

// (22) of papers/changes.md: removes from the velocities the rates at which taut strands get
// longer, after a step of dt [s]. The rows were last evaluated at the state's positions. Adds the
// work of driven bodies and winches, and what catching slack strands dissipates, to the state;
// leaves the impulses [N s] in its `aims`. `begun` [links]: the step has begun to catch a rope, and
// these impulses are the rest of that (ledger.h); NULL: none.
void rl_wraps_remove_outward_velocity(rl_state *state, rl_rows *rows, double dt, const bool *begun);

// (23) of papers/changes.md: the same with the rows evaluated at the present positions; the
// tensions of the step of dt [s] from `before` then include the impulses. Of the energy lost along
// strands that had tension, that of what ropes have met in the step is dissipated, (23h).
void rl_wraps_apply_catch(const rl_model *model, const rl_state *before, rl_state *state,
                          rl_rows *rows, double dt, const bool *begun);

// Whether the friction loss of a rope is computed from the flow of its rest length and not from its
// rows: ropes over bodies that are elastic and have friction.
static inline bool rl_wraps_flow_dissipates(const rl_model *model, uint32_t rope) {
  const rl_rope *r = &model->ropes[rope];
  return r->rubs && r->wrap_capacity > 0 && isfinite(r->stiffness);
}

// Computes the rate at which rest length runs over each wrap of a rope, positive towards `to`
// [m/s], from the rest lengths that its pieces ask for at two positions dt [s] apart; 0 where a
// wrap sticks. `slips` has room for twice the number of wraps; the first half is the result.
void rl_wraps_slip_rates(const rl_model *model, const rl_state *state, uint32_t rope,
                         const rl_point *earlier, const rl_point *later, double dt, double *slips);

// Whether the strains of such a rope come to the ratios of its tensions with a delay, (9c).
static inline bool rl_wraps_flow_late(const rl_model *model, uint32_t rope) {
  return rl_wraps_flow_dissipates(model, rope) && model->ropes[rope].damping > 0.0;
}

// Gives the pieces of a rope the rest lengths with which they end a step of dt [s] from `before`,
// with the marks where they were. The path is solved.
void rl_wraps_share_flow(const rl_model *model, const rl_state *before, rl_state *state,
                         uint32_t rope, double dt);

// Gives the pieces of the strands of an elastic rope that slip the rest lengths of (9), unless they
// come to these with a delay. The path is solved.
void rl_wraps_settle(const rl_model *model, rl_state *state, uint32_t rope);

// Computes the tensions of all pieces of ropes over bodies from the multipliers; those of inert
// and led strands from the tensions in `before`, which has the same wraps, (7a).
void rl_wraps_find_tensions(const rl_model *model, const rl_state *before, rl_state *state);

// Returns the strain energy of an elastic rope [J].
double rl_wraps_energy(const rl_model *model, const rl_state *state, uint32_t rope);

#endif
