// SPDX-License-Identifier: GPL-3.0-or-later
// What the files of wraps share: private to wrap.c and wrap_*.c, in which equation numbers are
// those of papers/wraps.md, and from (20) on of papers/changes.md, unless another note is named.
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

static inline bool rl_wrap_is_round(const rl_path_item *item) {
  return item->kind == RL_PATH_SPHERE || item->kind == RL_PATH_CYLINDER;
}

// The path of a loop through items[0] and items[count - 1], which are put where the piece between
// the items beside them is straight. Returns its length [m]; nan if there is none.
double rl_wraps_close(rl_path_item *items, size_t count);

// The part whose surface the middle of a rope of this radius runs on [m]. Boxes and hulls have none
// for a radius other than 0.
rl_part rl_wrap_grown_part(const rl_part *part, double radius);

// A rope has slipped off a body: for whoever wants to know.
static inline void rl_wraps_note_slip(rl_state *state, uint32_t rope, uint32_t body) {
  state->slipped_off++;
  state->slipped_rope = rope;
  state->slipped_body = body;
}

// Keeps what a solve has found, as where the next one starts.
void rl_wrap_keep(const rl_model *model, const rl_state *state, rl_wrap *wrap,
                  const rl_path_item *item);

// What a solve has found was kept: where it is a closed form, the next one would find the same.
void rl_wrap_path_stays(const rl_model *model, const rl_state *state, uint32_t rope);

// Whether the rope has slipped off a ball, round to its other side, with the path solved and not
// yet kept: the points between which it lies there have come to see it past half a turn. The length
// goes on without a jump, for at half a turn all ways round are equally long, but where the rope
// lies does not.
bool rl_wrap_has_slipped_off(const rl_model *model, const rl_state *state, const rl_wrap *wrap,
                             const rl_path_item *item);

// With the path at the state's points solved: marks the middle of a wrap; the length of rope on it
// before its mark; the length of a piece between the marks beside it [m].
void rl_wrap_mark_middle(const rl_model *model, const rl_state *state, rl_wrap *wrap,
                         rl_path_item *item);
double rl_wrap_before_mark(const rl_model *model, const rl_state *state, const rl_wrap *wrap,
                           rl_path_item *item, const rl_point *points);
double rl_wrap_piece_length(const rl_model *model, const rl_state *state, uint32_t rope,
                            uint32_t piece, const rl_point *points);

// Rest length of a piece [m] and its tension in the last step [N].
double rl_wrap_piece_rest(const rl_model *model, const rl_state *state, uint32_t rope,
                          uint32_t piece);
double rl_wrap_piece_tension(const rl_model *model, const rl_state *state, uint32_t rope,
                             uint32_t piece);

// ---------------------------------------------------------------------------------------------
// wrap_friction.c: the law of friction, strands and tensions

// Friction coefficient of a wrap; 0 on a seam.
double rl_wrap_friction(const rl_model *model, uint32_t rope, const rl_wrap *wrap);

// (5), (6), (6a) The largest ratio of the tensions beside an item of the path that friction can
// hold; of a wrap, (19) where it is held on a ball.
double rl_wrap_largest_pull(double friction, const rl_path_item *item);
double rl_wrap_pull_held(const rl_model *model, const rl_state *state, uint32_t rope,
                         uint32_t wrap);

// (18) Of a wrap that is held on a ball: the angle of the arcs on which all friction goes sideways,
// and the angle by which the places beside it are seen from the centre [rad].
rl_path_departure rl_wrap_departure(double friction, const rl_path_item *item);

// rl_wrap_pull of the wrap behind a piece; 1 behind the last piece.
double rl_wrap_pull_behind(const rl_model *model, const rl_state *state, uint32_t rope,
                           uint32_t piece);

// rl_wrap_strand with rest length `paid` out to it beyond what the state has [m].
rl_strand rl_wrap_strand_paid(const rl_model *model, const rl_state *state, uint32_t rope,
                              uint32_t first_piece, const rl_point *points, double paid);

// What an item of the path is held by: a body, RL_NONE for what never moves, or rl_wrap_moving for
// a node that moves by itself.
static const uint32_t rl_wrap_moving = RL_NONE - 1;

uint32_t rl_wrap_carrier(const rl_model *model, const rl_state *state, uint32_t rope,
                         uint32_t item);

// The tension of each piece, from the multipliers of its strand; `split` counts the splits of the
// ropes before. (7a) And of the pieces that nothing can move, from those in the state before; of an
// elastic rope their stretch says what they pull.
void rl_wraps_read_tensions(const rl_model *model, rl_state *state, uint32_t rope, size_t *split);
void rl_wraps_choose_tensions(const rl_model *model, const rl_state *before, rl_state *state,
                              uint32_t rope);

// The tensions of a strand's pieces, of which the first has `tension` [N].
void rl_wraps_pull(const rl_model *model, rl_state *state, const rl_row *strand, double tension);

// ---------------------------------------------------------------------------------------------
// wrap_flow.c: how rope flows over wraps that slide or slip

// The slip of each wrap of a rope, so that each piece has what its tension asks for. The paths at
// the points of both states are solved.
void rl_wraps_find_slips(const rl_model *model, const rl_state *before, rl_state *state,
                         uint32_t rope, double dt);

// Ends a step for the rest lengths: the tension of each piece, from the multipliers (`split` counts
// the splits of the ropes before); rope flows to where it is pulled, and marks move to the middle
// of their wraps; not where the way has ended within the step. The paths at the points of both
// states are solved. Returns what friction on an elastic rope has taken [J].
double rl_wraps_flow(const rl_model *model, const rl_state *before, rl_state *state, uint32_t rope,
                     size_t *split, double dt, bool ended);

// The growths of the pieces of a strand become 0.
void rl_wraps_forget_growths(const rl_state *state, uint32_t rope, rl_strand strand);

// (16) Of a rope that rubs, with the path solved, and of an elastic one that with the same wraps in
// the state before: what nothing can move has the rest length that it needs, from the strands
// beyond it, which grow by that.
void rl_wraps_even_out(const rl_model *model, const rl_state *before, rl_state *state,
                       uint32_t rope);

// ---------------------------------------------------------------------------------------------
// wrap_judge.c: which wraps stick

// Begins the list of a loop behind a wrap that sticks, if there is one. The path is solved.
void rl_wraps_turn(const rl_model *model, rl_state *state, uint32_t rope);

// ---------------------------------------------------------------------------------------------
// wrap_ended.c: whether the shortest way has come to an end

// Of all moves: so much longer or shorter than its directions tell a way can become as it bends.
static const double rl_wrap_bent_share = 0.01;

// The body on which the shortest way that a rope followed has come to an end within the step (15);
// RL_NONE: it has not. Leaves both paths solved.
uint32_t rl_wraps_ended_on(const rl_model *model, const rl_state *state, const rl_state *before,
                           uint32_t rope);

// (1) What the pieces of a path, in their directions, tell of the change of its length to another
// state with the same wraps [m]. Both paths are solved.
double rl_wraps_change_along(const rl_model *model, const rl_state *from, const rl_state *to,
                             uint32_t index);

// Where its way has ended (15) the rope slips off the body on which it has moved most, at the start
// of the step. If it would go through that body then, it does so only where that is `sure`. True if
// it slips off. Leaves both paths solved.
bool rl_wraps_lose_path(const rl_model *model, const rl_state *state, rl_state *before,
                        uint32_t rope, bool sure);

// ---------------------------------------------------------------------------------------------
// wrap_list.c: the list of a rope's wraps as one whose features can change, while the path at
// the state's points is solved.

typedef struct rl_wrapping {
  const rl_model *model;
  rl_state *state;
  uint32_t rope;
  rl_path path; // its items are those of the state
  size_t solid_count;
  double start;    // length of the way at the start of the step, or of the fall [m]
  double shortest; // than which it can not have become shorter in the step but by slipping off [m]
  double along;    // what its directions there tell of its change in the step; a fall has none [m]
  uint32_t left;   // the body that it has slipped off, while it falls; RL_NONE: it does not
  bool run_over;   // because an end of it comes into that
  uint32_t lost; // the body that it has slipped off: where it lies on that again, it lies elsewhere
  const double *lengths; // of its pieces before, if it is asked by how much they grow; else NULL
} rl_wrapping;

// Opens the list of a rope whose path is solved; it does not count as that any more.
rl_wrapping rl_wraps_open(const rl_model *model, rl_state *state, uint32_t rope);

// The solid of a part of a body, which is added if the rope does not lie on it yet.
uint32_t rl_wraps_solid(rl_wrapping *w, uint32_t body, uint32_t part);

// Leads the rope round a part between items[after] and the next. False if it cannot lie there; then
// the list is as it was.
bool rl_wraps_wind(rl_wrapping *w, size_t after, uint32_t body, uint32_t part, rl_vec3 side,
                   uint32_t turns);

// The same over what a taut rope would lie on there that turns about an axis (rl_path_lead). If it
// cannot, the list is anything.
bool rl_wraps_lead(rl_wrapping *w, size_t after, uint32_t body, uint32_t part, rl_vec3 turning,
                   uint32_t turns);

// The list that was kept in the state's old_items, with so many items.
void rl_wraps_restore(rl_wrapping *w, size_t count);

// Takes the features of the list for the rope's wraps. Those that were there keep their friction;
// the others share the rest lengths of the pieces in which they are.
void rl_wraps_adopt(rl_wrapping *w);

// The features stay what they are; the next search begins where this one has ended.
void rl_wraps_keep(rl_wrapping *w);

// Whether an item of the path belongs to a part of a body.
bool rl_wraps_is_on(const rl_wrapping *w, const rl_path_item *item, uint32_t body, uint32_t part);

// Whether no rule could change an item, or any of them: the rope lies on a ball, or on the inside
// of a side.
bool rl_wraps_is_settled(const rl_wrapping *w, const rl_path_item *item);
bool rl_wraps_all_settled(const rl_wrapping *w);

// ---------------------------------------------------------------------------------------------
// wrap_sweep.c: what straight pieces run into, and go through

// Where a piece was at the start of the step and is now, in the world's frame.
typedef struct rl_swept_piece {
  rl_vec3 from[2], to[2];
} rl_swept_piece;

// Where a piece runs into a part first.
typedef struct rl_hit {
  uint32_t body, part;
  rl_vec3 side;       // of the body from which it came, world frame
  rl_passage passage; // when in the step it touches it first, and last
} rl_hit;

// Puts the bodies in the order in which pieces look for them. They nearly are, from the step
// before.
void rl_wraps_order_bodies(const rl_model *model, const rl_state *before, rl_state *state);

// Whether items[piece] to the next runs into anything.
bool rl_wraps_find_hit(const rl_wrapping *w, const rl_state *before, size_t piece,
                       const rl_swept_piece *swept, rl_hit *found);

// How far both ends of a piece have moved, as a body sees it [m].
double rl_wraps_way_past(const rl_wrapping *w, const rl_state *before, const rl_swept_piece *piece,
                         uint32_t body);

// Whether a straight piece of a list goes through a body.
bool rl_wraps_goes_through(const rl_wrapping *w, const rl_path_item *items, size_t count,
                           uint32_t body);

// Marks the parts through which the rope went at the start of the step already, as one does whose
// end has gone through a part: the rules lead it past all others as if these were not there. True
// if there is one more.
bool rl_wraps_pass_parts(rl_wrapping *w, const rl_state *before);

// Adds to the parts that are known what the pieces go through, but for the body that the rope has
// left, and those that it went through in the old items: an end of it has come into these.
void rl_wraps_find_cut_parts(rl_wrapping *w, const rl_path_item *old, size_t old_count);

// ---------------------------------------------------------------------------------------------
// wrap_catch.c: wraps on what pieces run into, and other features

// Of the length of a rope: a change of features that makes it longer than this is none.
static const double rl_longest_slip = 1e-7;

// Wraps for all that a piece has run into; the two pieces beside them are looked at again.
void rl_wraps_catch_hits(rl_wrapping *w, const rl_state *before, size_t piece,
                         const rl_swept_piece *swept);

// Lets the features of the list change. What would be longer than the rope is on the features that
// it has, and longer than the way at the start of the step can have become, is no way that it could
// have slid to: then it stays on these. Where it is shorter than that way can have become, the rope
// has slipped off what it lay on.
void rl_wraps_adapt(rl_wrapping *w, const rl_state *before);

// The rope has slipped off a body that it lay on in the old items: it falls from there to where it
// is now, and on whatever stands in between.
void rl_wraps_fall(rl_wrapping *w, size_t old_count, uint32_t left);

// ---------------------------------------------------------------------------------------------
// wrap_contacts.c: the end of a step

// The first wrap of a rope whose neighbour on the path is inside its part, so that there is no way
// past it; RL_NONE: there is none.
uint32_t rl_wraps_run_over(const rl_model *model, const rl_state *state, uint32_t rope);

// A loop that has no way in a state slips off what hinders it in the one before, in which its path
// is solved then. False: nothing does.
bool rl_wraps_leave_loop(const rl_model *model, const rl_state *state, rl_state *before,
                         uint32_t index);

// The rope, whose path is solved, slips off a body, and lies on what it falls on: only if it does
// not go through the body then, else it still lies on it, and that returns false; even if it does;
// because an end comes into the body, round which it is led no more.
typedef enum rl_slip { RL_SLIP_IF_CLEAR, RL_SLIP_ANYWAY, RL_SLIP_RUN_OVER } rl_slip;

bool rl_wraps_slip_off(const rl_model *model, rl_state *state, uint32_t rope, uint32_t body,
                       rl_slip slip);

#endif
