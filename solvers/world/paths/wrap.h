// SPDX-License-Identifier: GPL-3.0-or-later
// Wraps: where massless ropes run over the surfaces of bodies and through eyes. The path over a
// given list of wraps is geometry (path.h); here is what the list is: how it begins, how wraps come
// and go, where the rope grips, and how much rope there is on each side. papers/wraps.md has the
// derivation.
#ifndef RL_WRAP_H
#define RL_WRAP_H

#include "../rows.h"

// A loop: its list of wraps begins and ends at the seam. The piece behind the last wrap is the
// first one; it stands at 0, and what the last wrap says of the piece after it is its tension
// alone. If any of its wraps sticks, the last one does. Once it has slipped off all that it lay on
// it has no wraps, and one piece of no length.
static inline bool rl_wraps_is_loop(const rl_model *model, uint32_t rope) {
  return model->ropes[rope].closed && model->ropes[rope].massless;
}

// Its straight pieces: one more than wraps, and as many in a loop that has some.
static inline uint32_t rl_wraps_pieces(const rl_model *model, const rl_state *state,
                                       uint32_t rope) {
  const uint32_t count = state->wrap_counts[rope];
  return count + (rl_wraps_is_loop(model, rope) && count > 0 ? 0 : 1);
}

// Solves the path of a rope at trial positions [slot_count] into its rl_path_items; returns the
// length [m]. Where these are solved for the same already, to the bit, they stay.
double rl_wrap_path(const rl_model *model, const rl_state *state, uint32_t rope,
                    const rl_point *points);

// Lays it over its items at trial positions with the places of the path that was last solved, which
// are in state->old_items, and of `time` later by their rates (path.h).
double rl_wrap_lay(const rl_model *model, const rl_state *state, uint32_t rope,
                   const rl_point *points, double time);

// Solves the paths of all ropes that lie on something, at the state's positions.
void rl_wraps_solve(const rl_model *model, const rl_state *state);

// The pieces of a rope that slide as one, with the path solved. Where it slips, each of an elastic
// rope has the rest length that its tension asks for.
typedef struct rl_strand {
  uint32_t first_piece, piece_count;
  double length, rest; // between the marks at its ends, or the rope's [m]
  double strain;       // of its first piece, if the rope is elastic; 0: slack
  double stretch; // sum of rest lengths times tensions there, over the tension of the first [m]
  double squares; // and times the squares of these [m]
} rl_strand;

// The strand that begins with a piece, up to the next wrap that sticks or the end, with the path
// at `points` solved.
rl_strand rl_wrap_strand(const rl_model *model, const rl_state *state, uint32_t rope,
                         uint32_t first_piece, const rl_point *points);

// Whether nothing can change the length of a strand: all that it goes over, its ends included, is
// fixed, or is on one body. Its row has no mass, and its tension is what friction needs.
bool rl_wrap_is_inert(const rl_model *model, const rl_state *state, uint32_t rope,
                      uint32_t first_piece, uint32_t piece_count);

// The tension of the piece behind a wrap over that of the piece before it (capstan, or Knyazyev's
// law on an edge); 1 where it does not slip.
double rl_wrap_pull(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t wrap);

// Whether a rope can lie on bodies, and how many wraps it can have at a time; 0: it cannot.
uint32_t rl_definition_wraps(const rl_definition *definition, const rl_rope_definition *rope);

// Lays a rope over what it shall pass, with the bodies of a state at the start, and returns the
// length of its path [m]; nan with `fault` filled in where there is no such path.
double rl_wraps_lay(const rl_model *model, const rl_definition *definition, rl_state *state,
                    uint32_t rope, rl_fault *fault);

// Whether the ends of a massless rope and its eyes start outside of what it touches; false with
// `fault` filled in.
bool rl_wraps_check_points(const rl_model *model, const rl_definition *definition,
                           const rl_state *state, uint32_t rope, rl_fault *fault);

// Gives the pieces of a rope that was just laid their rest lengths, of `rest` [m] in all.
void rl_wraps_share(const rl_model *model, rl_state *state, uint32_t rope, double rest);

// After a step from `before`: where a rope that stuck is pulled harder than friction can hold, it
// slips; where it slipped and came to rest, it sticks; on more than half of a ball it is held or
// let go; while it slips off a body, nothing holds it; where its way has come to an end, it slips
// off at the start. True if something has changed, and the step is to be done again. `last`: what
// each unknown pulled in the last substep, or NULL. With a `dt` of INFINITY nothing comes to rest.
bool rl_wraps_judge(const rl_model *model, rl_state *state, rl_state *before, const double *last,
                    double dt);

// Before a step from `before`, of which the state is a copy, with the rows of that: where a rope
// slips though its pull would not slow it down, J M^-1 G^T <= 0, it sticks in both. True if
// something has changed, and the rows are others.
bool rl_wraps_jam(const rl_model *model, rl_state *state, rl_state *before, rl_rows *rows);

// The last of those before: whether the way of a rope has come to an end between the two states.
bool rl_wraps_lose(const rl_model *model, const rl_state *state, rl_state *before);

// Ends the step: rope flows through wraps that slide, wraps that the rope has left go, and bodies
// that a straight piece has run into become wraps. Returns what friction on elastic ropes has taken
// [J]; that on the others is in their rows.
double rl_wraps_end(const rl_model *model, const rl_state *before, rl_state *state, double dt);

// The largest growth of a piece whose contacts have changed in the last rl_wraps_end [m].
double rl_wraps_growth(const rl_model *model, const rl_state *state);

// Leaves those of strands that have pulled in the step as they are.
void rl_wraps_forget_pulled(const rl_model *model, rl_state *state);

// (21) of papers/changes.md: takes these growths back, with the rows of the state: everything is
// moved, without velocity, until each rope is as long as it was on its old way, or slack.
void rl_wraps_draw_in(const rl_model *model, rl_state *state, rl_rows *rows, rl_excess excess);

// Whether a rope has become shorter in the last rl_wraps_end, so that it lets go what it held.
bool rl_wraps_shrink(const rl_model *model, const rl_state *state);

// Evaluates the rows of ropes at the state's positions.
void rl_wraps_evaluate(const rl_model *model, const rl_state *state, rl_rows *rows);

// (22) of papers/changes.md: takes out of the velocities how fast strands get longer that are taut,
// with the rows, values and gradients that were last evaluated at the state's positions. Work of
// what is driven goes to the state, and the impulses [N s] to its aims.
void rl_wraps_arrive(rl_state *state, const rl_rows *rows);

// (23) of papers/changes.md: the same where everything is now; the tensions in the step of dt [s]
// take the impulses in.
void rl_wraps_catch(const rl_model *model, rl_state *state, rl_rows *rows, double dt);

// Whether friction on a rope is booked with the flow of its rest length, and not with its rows.
static inline bool rl_wraps_flow_rubs(const rl_model *model, uint32_t rope) {
  const rl_rope *r = &model->ropes[rope];
  return r->rubs && r->wrap_capacity > 0 && isfinite(r->stiffness);
}

// How fast rope runs over each wrap of a rope, towards `to`, in rest length, from what its pieces
// ask for at two positions that are dt apart; 0 where it sticks [2 wraps, of which the first].
void rl_wraps_slips(const rl_model *model, const rl_state *state, uint32_t rope,
                    const rl_point *earlier, const rl_point *later, double dt, double *slips);

// The tensions of all pieces of ropes over bodies, from the multipliers, and of those that nothing
// can move from the ones in the state before, with the same wraps (7a).
void rl_wraps_find_tensions(const rl_model *model, const rl_state *before, rl_state *state);

// Energy of a rope that is elastic [J].
double rl_wraps_energy(const rl_model *model, const rl_state *state, uint32_t rope);

#endif
