// SPDX-License-Identifier: GPL-3.0-or-later
// Shared by wrap.c and wrap_*.c, private to them. Equation numbers in these files are those of
// the notes that papers/wraps.md lists, and from (20) on those of papers/changes.md, unless another
// note is named.
#ifndef RL_WRAP_INTERNAL_H
#define RL_WRAP_INTERNAL_H

#include "../rows_internal.h"
#include "path_feature.h"
#include "wrap.h"

static inline rl_wrap *rl_wraps_of(const rl_model *model, const rl_state *state, uint32_t rope) {
  return &state->wraps[model->ropes[rope].first_wrap];
}

static inline const rl_part *rl_wrap_part(const rl_model *model, const rl_wrap *wrap) {
  return &model->bodies[wrap->body].parts[wrap->part];
}

static inline rl_vec3 rl_wrap_to_world(rl_body_pose at, rl_vec3 p) {
  return rl_add(at.centre, rl_rotate(at.rotation, p));
}

static inline rl_vec3 rl_wrap_to_body(rl_body_pose at, rl_vec3 p) {
  return rl_rotate_inverse(at.rotation, rl_sub(p, at.centre));
}

// (L1) Solves the path of a loop; items[0] and items[count - 1] are its seam, which is moved to
// where the piece between the items beside them is straight. Returns the length [m]; nan if there
// is no path.
double rl_wraps_close(rl_path_item *items, size_t count);

// Returns a part grown by the radius of a rope [m]: the centre line of the rope runs on its
// surface. Not defined for boxes and hulls unless the radius is 0.
rl_part rl_wrap_grown_part(const rl_part *part, double radius);

// Records in the state that a rope has slipped off a body.
static inline void rl_wraps_note_slip(rl_state *state, uint32_t rope, uint32_t body) {
  state->slipped_off++;
  state->slipped_rope = rope;
  state->slipped_body = body;
}

// Keeps the solution for an item in its wrap: the next solve starts there.
void rl_wrap_keep(const rl_model *model, const rl_state *state, rl_wrap *wrap,
                  const rl_path_item *item);

// Marks the path of a rope as solved after the solution was kept in the wraps, if it has a closed
// form, so that the next solve would find the same.
void rl_wrap_mark_path_solved(const rl_model *model, const rl_state *state, uint32_t rope);

// Whether the rope has slipped off a ball, round to its other side, because the wrap angle between
// its neighbours has passed half a turn. The path is solved and not yet kept. The length does not
// jump, for at half a turn the rope is equally long in every plane, but its place does.
bool rl_wrap_has_slipped_off(const rl_model *model, const rl_state *state, const rl_wrap *wrap,
                             const rl_path_item *item);

// Moves the mark of a wrap to its middle. The path is solved at the state's positions.
void rl_wrap_mark_middle(const rl_model *model, const rl_state *state, rl_wrap *wrap,
                         rl_path_item *item);

// (4a) Turns the plane of a wrap that is held on a ball, and its mark with it. Centre [m] and new
// normal in the body's frame.
void rl_wrap_turn_plane(rl_wrap *wrap, rl_vec3 centre, rl_vec3 normal);

// (4) Returns the length of rope on a wrap before its mark [m]. The path is solved at `points`.
double rl_wrap_before_mark(const rl_model *model, const rl_state *state, const rl_wrap *wrap,
                           rl_path_item *item, const rl_point *points);

// Returns the length of a piece between the marks beside it [m]. The path is solved at `points`.
double rl_wrap_piece_length(const rl_model *model, const rl_state *state, uint32_t rope,
                            uint32_t piece, const rl_point *points);

// Return the rest length of a piece [m] and its tension in the last step [N].
double rl_wrap_piece_rest(const rl_model *model, const rl_state *state, uint32_t rope,
                          uint32_t piece);
double rl_wrap_piece_tension(const rl_model *model, const rl_state *state, uint32_t rope,
                             uint32_t piece);

// ---------------------------------------------------------------------------------------------
// wrap_friction.c: the law of friction, strands and tensions

// Returns the friction coefficient of a wrap; 0 on the seam of a capsule.
double rl_wrap_friction(const rl_model *model, uint32_t rope, const rl_wrap *wrap);

// (5), (6), (6a) Returns the largest ratio of the tensions beside an item of the path that friction
// can hold.
double rl_wrap_largest_ratio(double friction, const rl_path_item *item);

// Returns the same for a wrap, with (19) where it is held on a ball.
double rl_wrap_holding_ratio(const rl_model *model, const rl_state *state, uint32_t rope,
                             uint32_t wrap);

// (18) Returns, of a wrap that is held on a ball in the plane across an axis, the total angle of
// the arcs at its ends on which all friction acts sideways, and the angle between its neighbours
// about the centre [rad].
rl_path_departure rl_wrap_departure(double friction, const rl_path_item *item, rl_vec3 axis);

// Returns rl_wrap_tension_ratio of the wrap behind a piece; 1 behind the last piece.
double rl_wrap_tension_ratio_behind(const rl_model *model, const rl_state *state, uint32_t rope,
                                    uint32_t piece);

// Returns rl_wrap_strand with rest length `paid` [m] added to that in the state.
rl_strand rl_wrap_strand_paid(const rl_model *model, const rl_state *state, uint32_t rope,
                              uint32_t first_piece, const rl_point *points, double paid);

static const uint32_t rl_wrap_moving = RL_NONE - 1;

// Returns the body that carries an item of the path; RL_NONE if nothing moves the item, and
// rl_wrap_moving for a node that moves by itself.
uint32_t rl_wrap_carrier(const rl_model *model, const rl_state *state, uint32_t rope,
                         uint32_t item);

// Relative to the length of a rope: a change of length in a step, or a slip, that is rounding.
static const double rl_wrap_rounding = 1e-12;

// Whether no impulse can change the length of a strand, (7c): all that it runs over, its ends
// included, is fixed, moves as prescribed, or is a wheel that its J does not turn.
bool rl_wrap_is_led(const rl_model *model, const rl_state *state, uint32_t rope,
                    uint32_t first_piece, uint32_t piece_count);

// (7f) Whether the rope slips within a strand on something that can move.
bool rl_wrap_rubs(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t first_piece,
                  uint32_t piece_count);

// Whether the length of a strand moves nothing at an item of the path, at its end or `within` it.
bool rl_wrap_is_prescribed(const rl_model *model, const rl_state *state, uint32_t rope,
                           uint32_t item, bool within);

// How fast what pieces run over draws them out beyond what a winch pays out, and the sum of the
// speeds, of which that is a difference [m/s].
typedef struct rl_drawing {
  double rate, speed;
} rl_drawing;

// Returns these for no piece, beside a winch that pays out `paid` [m/s].
static inline rl_drawing rl_wrap_drawing(double paid) { return (rl_drawing){-paid, fabs(paid)}; }

// Adds a piece.
void rl_wrap_draw(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t piece,
                  rl_drawing *drawing);

// Returns the rate; 0 if it is round-off [m/s].
static inline double rl_wrap_drawn_rate(rl_drawing drawing) {
  return fabs(drawing.rate) > rl_wrap_rounding * drawing.speed ? drawing.rate : 0.0;
}

// Returns by how much pieces are longer than their rest lengths [m]. The path is solved.
double rl_wrap_excess(const rl_model *model, const rl_state *state, uint32_t rope,
                      uint32_t first_piece, uint32_t piece_count);

// Computes the tension of each piece of a rope from the multipliers of the strands. `split`, in:
// the number of splits (wraps that stick) of the ropes before; out: with those of this one.
void rl_wraps_read_tensions(const rl_model *model, rl_state *state, uint32_t rope, size_t *split);

// (7a) Chooses the tensions of held pieces, from those in the state before. Does nothing for
// elastic ropes, whose stretch gives the tension.
void rl_wraps_choose_tensions(const rl_model *model, const rl_state *before, rl_state *state,
                              uint32_t rope);

// Adds to the tensions of the pieces of a strand, of which the first has `tension` [N] more.
void rl_wraps_add_tensions(const rl_model *model, rl_state *state, const rl_row *strand,
                           double tension);

// ---------------------------------------------------------------------------------------------
// wrap_flow.c: the flow of rest length over wraps that slide or slip

// Computes the slip of each wrap of a rope, such that each piece has the rest length that its
// tension asks for; `by_rates`: for the lengths that the rows of a method for velocities give the
// pieces, (7n). The paths of both states are solved.
void rl_wraps_find_slips(const rl_model *model, const rl_state *before, rl_state *state,
                         uint32_t rope, double dt, bool by_rates);

// Ends a step for the rest lengths of a rope: computes the tension of each piece (`split` as in
// rl_wraps_read_tensions), lets rest length flow to where the tensions pull it, and moves the marks
// to the middle of their wraps. Neither flows nor moves marks if the way has `ended` within the
// step. `has_run`: what flows is what has run by the slips that are known, (7n). The paths of both
// states are solved. Returns the friction loss of an elastic rope [J].
double rl_wraps_flow(const rl_model *model, const rl_state *before, rl_state *state, uint32_t rope,
                     size_t *split, double dt, bool ended, bool has_run);

// Sets the growths of the pieces of a strand to 0.
void rl_wraps_clear_growths(const rl_state *state, uint32_t rope, rl_strand strand);

// (16) Gives inert strands of a rope with friction the rest length that fits their length, and
// takes it from the strands beside them, whose growths change by it. The path is solved; of an
// elastic rope also that of the state before, which has the same wraps.
void rl_wraps_fit_inert_strands(const rl_model *model, const rl_state *before, rl_state *state,
                                uint32_t rope);

// ---------------------------------------------------------------------------------------------
// wrap_judge.c: which wraps stick

// Rotates the list of wraps of a loop so that it ends with a wrap that sticks, if there is one. The
// path is solved.
void rl_wraps_rotate_loop(const rl_model *model, rl_state *state, uint32_t rope);

// ---------------------------------------------------------------------------------------------
// wrap_ball.c: which wraps friction holds in their planes on balls

// Judges the wraps on balls. One that comes to half a turn, (19a), is held in its plane if there is
// friction, else it slides while it slips off. One that is held slips off if it is past half a turn
// and the arcs of (18) no longer fit, and is let go if it slips along itself and out of its plane.
// Returns whether anything has changed in `before`. The paths of both states are solved.
bool rl_wraps_judge_balls(const rl_model *model, const rl_state *state, rl_state *before,
                          uint32_t rope);

// (19b) Turns the plane of a wrap in `before` that is held, not past half a turn and does not slip,
// as far towards the shortest path as friction needs with the tensions beside it [N]; NAN stands
// for any. If it needs more, lets the wrap go. Returns whether it yields, so that it does not slip
// yet. The path of the state is solved.
bool rl_wraps_yield_on_ball(const rl_model *model, const rl_state *state, rl_state *before,
                            uint32_t rope, uint32_t wrap, double back, double on);

// ---------------------------------------------------------------------------------------------
// wrap_ended.c: whether the shortest way has come to an end

// (15), (15a): share of the sum of all moves by which the change of length of a way may exceed its
// linear change.
static const double rl_wrap_bent_share = 0.01;

// Returns the body on which the way of a rope has ended within the step (15); RL_NONE: it has not.
// Both paths are solved.
uint32_t rl_wraps_ended_on(const rl_model *model, const rl_state *state, const rl_state *before,
                           uint32_t rope);

// (1) Returns the change of length of a path, to first order with its directions in `from`, to
// another state with the same wraps [m]. Both paths are solved.
double rl_wraps_linear_change(const rl_model *model, const rl_state *from, const rl_state *to,
                              uint32_t index);

// Lets a rope whose way has ended (15) slip off the body on which it has moved most, in `before`.
// If the rope would then go through that body, it slips off only if `sure`. Returns true if it
// slips off. Leaves both paths solved.
bool rl_wraps_leave_ended_way(const rl_model *model, const rl_state *state, rl_state *before,
                              uint32_t rope, bool sure);

// ---------------------------------------------------------------------------------------------
// wrap_list.c: the wraps of a rope while they change

// The wraps of one rope, opened as a list of features that can change. The path is solved at the
// state's positions.
typedef struct rl_wrapping {
  const rl_model *model;
  rl_state *state;
  uint32_t rope;
  rl_path path; // its items are those of the state
  size_t solid_count;
  double dt;             // of the step; 0 in a fall [s]
  bool turns;            // rl_wraps_turn of the step
  double start;          // length of the way at the start of the step, or of the fall [m]
  double shortest;       // least length that the rope can have now unless it falls [m]
  double along;          // rl_wraps_linear_change of the way in the step; 0 in a fall [m]
  uint32_t left;         // body that the rope falls off; RL_NONE: it does not fall
  bool meets;            // new wraps with friction begin as RL_MEETS, else they stick
  bool run_over;         // the rope falls because an end of it comes into that body
  uint32_t lost;         // body that the rope has slipped off: new wraps on it are not the old ones
  const double *lengths; // of the pieces before the change, to find their growths; or NULL [m]
  double lost_joined;    // (9e) lost as pieces of a damped elastic rope have become one [J]
} rl_wrapping;

// Opens the list of a rope whose path is solved. The path no longer counts as solved.
rl_wrapping rl_wraps_open(const rl_model *model, rl_state *state, uint32_t rope);

// Return the index of the solid of a part of a body. If it is not in the list the first returns
// RL_NONE, and the second adds it.
uint32_t rl_wraps_known_solid(const rl_wrapping *w, uint32_t body, uint32_t part);
uint32_t rl_wraps_solid(rl_wrapping *w, uint32_t body, uint32_t part);

// Winds the rope round a part between items[after] and the next (rl_path_wind). Returns false if it
// cannot lie there; then the list is as it was.
bool rl_wraps_wind(rl_wrapping *w, size_t after, uint32_t body, uint32_t part, rl_vec3 side,
                   uint32_t turns);

// Leads the rope over the features on which a taut rope turns about an axis there (rl_path_lead).
// Returns false if there are none; then the list is undefined.
bool rl_wraps_lead(rl_wrapping *w, size_t after, uint32_t body, uint32_t part, rl_vec3 turning,
                   uint32_t turns);

// Restores the list of `count` items that was kept in the state's old_items.
void rl_wraps_restore(rl_wrapping *w, size_t count);

// Makes the items of the list the wraps of the rope. Wraps that were there before keep their grips
// and marks; new ones share the rest length of the piece in which they are.
void rl_wraps_adopt(rl_wrapping *w);

// Keeps the wraps as they are, with the solution of the path as the start of the next solve.
void rl_wraps_keep(rl_wrapping *w);

// Whether an item of the path belongs to a part of a body.
bool rl_wraps_is_on(const rl_wrapping *w, const rl_path_item *item, uint32_t body, uint32_t part);

// Whether no rule of path_feature.c can change an item, or any item: it is a point, or it is a ball
// or lies between the ends of a side, with a positive wrap angle.
bool rl_wraps_is_settled(const rl_wrapping *w, const rl_path_item *item);
bool rl_wraps_all_settled(const rl_wrapping *w);

// ---------------------------------------------------------------------------------------------
// wrap_sweep.c: the bodies that straight pieces run into, or go through

// The ends of a piece at the start of the step and now, in the world's frame [m].
typedef struct rl_swept_piece {
  rl_vec3 from[2], to[2];
  uint32_t carriers[2]; // bodies with which the ends turn; RL_NONE: they move straight
} rl_swept_piece;

// The first part that a piece runs into.
typedef struct rl_hit {
  uint32_t body, part;
  rl_vec3 side;       // direction from the body to the side the piece came from, world frame
  rl_passage passage; // when in the step the piece touches the part first, and last
} rl_hit;

// Sorts the bodies along one direction, for the search of each piece. They are nearly sorted from
// the step before.
void rl_wraps_sort_bodies(const rl_model *model, const rl_state *before, rl_state *state);

// Whether any body turns so far in a step that moves past it, seen from it, are not straight.
bool rl_wraps_turn(const rl_model *model, const rl_state *before, const rl_state *state, double dt);

// Returns the body with which an item of the list turns so far: it is tied there, runs through an
// eye of it, or lies on an edge. What lies on something round stays where it is while that turns.
uint32_t rl_wraps_turns_with(const rl_wrapping *w, const rl_state *before, size_t i);

// Whether the piece from items[piece] to the next one runs into a part; the first one is `found`.
bool rl_wraps_find_hit(const rl_wrapping *w, const rl_state *before, size_t piece,
                       const rl_swept_piece *swept, rl_hit *found);

// Returns the sum of how far both ends of a piece have moved past a body at most [m].
double rl_wraps_motion_past(const rl_wrapping *w, const rl_state *before,
                            const rl_swept_piece *piece, uint32_t body);

// (28a) Notes that the step is too long if the piece turns too far, seen past the centre of a body,
// from the share t of the step to its end.
void rl_wraps_note_piece_turn(const rl_wrapping *w, const rl_state *before,
                              const rl_swept_piece *piece, uint32_t body, double t);

// Whether a straight piece of a list goes through a body.
bool rl_wraps_goes_through(const rl_wrapping *w, const rl_path_item *items, size_t count,
                           uint32_t body);

// Marks as passed the parts through which the rope already went at the start of the step, as when
// its end has gone through a part: the rules ignore these. Returns true if one was added.
bool rl_wraps_mark_passed_parts(rl_wrapping *w, const rl_state *before);

// Adds the solids of the parts that the pieces go through, except those of the body that the rope
// falls off and those that it already went through in the old items, into which an end has come.
void rl_wraps_find_cut_parts(rl_wrapping *w, const rl_path_item *old, size_t old_count);

// ---------------------------------------------------------------------------------------------
// wrap_catch.c: new wraps, falls and other features

// Relative to the length of a rope: a way may be longer by this than a bound for it.
static const double rl_longest_slip = 1e-7;

// Adds wraps for all parts that a piece has run into, and examines the two pieces beside each of
// them in turn.
void rl_wraps_catch_hits(rl_wrapping *w, const rl_state *before, size_t piece,
                         const rl_swept_piece *swept);

// Adapts the features of the list by the rules of path_feature.c. If the rope would be longer than
// on the features that it has, and longer than the way can have become within the step (15a), it
// stays on these. If it is shorter than the way can have become without a jump, it has slipped off;
// if it is shorter than `shortest`, it falls.
void rl_wraps_adapt(rl_wrapping *w, const rl_state *before);

// Lets the rope, which has slipped off a body that it lay on in the old items, fall from there to
// where it is now, on to whatever stands in between.
void rl_wraps_fall(rl_wrapping *w, size_t old_count, uint32_t left);

// ---------------------------------------------------------------------------------------------
// wrap_contacts.c: the end of a step

// Returns the first wrap of a rope whose neighbour on the path is inside its part, so that there is
// no way round it; RL_NONE if there is none.
uint32_t rl_wraps_find_run_over(const rl_model *model, const rl_state *state, uint32_t rope);

// Lets a loop that has no way in a state slip off the body that is in its way, in `before`, and
// solves its path there. Returns false if there is no such body.
bool rl_wraps_leave_loop(const rl_model *model, const rl_state *state, rl_state *before,
                         uint32_t index);

typedef enum rl_slip {
  RL_SLIP_IF_CLEAR, // only if the rope does not go through the body then
  RL_SLIP_ANYWAY,
  RL_SLIP_RUN_OVER, // because an end comes into the body: the rope is not led round it again
} rl_slip;

// Returns what the pieces of an elastic rope store with their own rest lengths; 0 if it is not
// elastic [J].
double rl_wraps_stored(const rl_model *model, const rl_state *state, uint32_t index);

// Lets a rope, whose path is solved, slip off a body and fall on to what is below. Returns false if
// it still lies on the body, with RL_SLIP_IF_CLEAR.
bool rl_wraps_slip_off(const rl_model *model, rl_state *state, uint32_t rope, uint32_t body,
                       rl_slip slip);

#endif
