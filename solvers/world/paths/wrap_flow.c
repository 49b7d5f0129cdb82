// SPDX-License-Identifier: GPL-3.0-or-later
// The flow of rest length over wraps that slide or slip, and the friction loss of elastic ropes.
#include "wrap_internal.h"

#include <string.h>

// Returns the strain of a piece from its own rest length; 0 if it is slack or inextensible.
static double strain(const rl_model *model, const rl_state *state, uint32_t index, uint32_t piece) {
  if (isinf(model->ropes[index].stiffness)) {
    return 0.0;
  }
  const double length = rl_wrap_piece_length(model, state, index, piece, state->points);
  const double rest = rl_wrap_piece_rest(model, state, index, piece);
  return rest > 0.0 ? fmax(length / rest - 1.0, 0.0) : 0.0;
}

// Returns by how much a piece is longer than its rest length; 0 if it is slack [m].
static double stretch_of(const rl_model *model, const rl_state *state, uint32_t index,
                         uint32_t piece) {
  return fmax(rl_wrap_piece_length(model, state, index, piece, state->points) -
                  rl_wrap_piece_rest(model, state, index, piece),
              0.0);
}

// Finds by how much the rest length of each piece up to `end` is shorter than by (9), (9b) with a
// strand, if that is stretched, else 0 [m]. It is not 0 when a wrap has just begun to slip; then
// the piece gets the difference at once, which is no slip. Returns these differences by piece.
static const double *find_unsettled(const rl_model *model, const rl_state *state, uint32_t index,
                                    rl_strand strand, uint32_t end) {
  const bool is_stretched = strand.length > strand.rest, is_strained = strand.strain > 0.0;
  double ratio = 1.0;
  for (uint32_t p = strand.first_piece; p < end; p++) {
    const double share =
        is_strained ? 1.0 / (1.0 + ratio * strand.strain) : strand.rest / strand.length;
    state->of_pieces[p] =
        is_stretched ? share * rl_wrap_piece_length(model, state, index, p, state->points) -
                           rl_wrap_piece_rest(model, state, index, p)
                     : 0.0;
    ratio *= is_strained ? rl_wrap_tension_ratio_behind(model, state, index, p) : 1.0;
  }
  return state->of_pieces;
}

// Returns s of (9a); 0 if the strand is strained.
static double spare_of(const rl_model *model, const rl_state *state, uint32_t index,
                       rl_strand strand, const rl_point *points) {
  double sum = 0.0, ratio = 1.0;
  for (uint32_t p = strand.first_piece; p < strand.first_piece + strand.piece_count; p++) {
    sum += ratio * rl_wrap_piece_length(model, state, index, p, points);
    ratio *= rl_wrap_tension_ratio_behind(model, state, index, p);
  }
  return strand.strain > 0.0 ? 0.0 : (strand.rest - strand.length) / sum;
}

// (9b) Returns the length that a piece has at the end of a step; `start`: what its row says of
// that, the state before with the velocities at the end, else NULL.
static double length_of(const rl_model *model, const rl_state *start, const rl_state *state,
                        uint32_t index, uint32_t piece, double dt) {
  if (!start) {
    return rl_wrap_piece_length(model, state, index, piece, state->points);
  }
  rl_drawing drawing = rl_wrap_drawing(0.0);
  rl_wrap_draw(model, start, index, piece, &drawing);
  return rl_wrap_piece_length(model, start, index, piece, start->points) +
         dt * rl_wrap_drawn_rate(drawing);
}

// Finds the slips of the wraps of a strand with which each piece gets the rest length of (9), (9b),
// or of a slack damped strand of (9a), from those of the state before. `start`: as above.
static void find_slips(const rl_model *model, const rl_state *before, const rl_state *start,
                       rl_state *state, uint32_t index, rl_strand strand, double dt) {
  rl_wrap *wraps = rl_wraps_of(model, state, index);
  const uint32_t end = strand.first_piece + strand.piece_count;
  const rl_strand was = rl_wrap_strand(model, before, index, strand.first_piece, before->points);
  const double spare =
      rl_wraps_flow_late(model, index) ? spare_of(model, state, index, strand, state->points) : 0.0;
  double needed = 0.0, ratio = 1.0;
  bool taut = false;
  for (uint32_t p = strand.first_piece; p < end; p++) {
    const double length = length_of(model, start, state, index, p, dt);
    needed += length * (1.0 + ratio * spare) / (1.0 + ratio * strand.strain);
    ratio *= rl_wrap_tension_ratio_behind(model, state, index, p);
    taut = taut || rl_wrap_piece_tension(model, state, index, p) > 0.0 ||
           length > rl_wrap_piece_rest(model, state, index, p);
  }
  const double *unsettled = start ? NULL : find_unsettled(model, before, index, was, end);
  double flowed = 0.0;
  ratio = 1.0;
  for (uint32_t p = strand.first_piece; p + 1 < end; p++) {
    const double length = length_of(model, start, state, index, p, dt);
    const double old = rl_wrap_piece_rest(model, state, index, p);
    const double share = length * (1.0 + ratio * spare) / (1.0 + ratio * strand.strain);
    const double now = taut ? share * strand.rest / needed : old;
    ratio *= rl_wrap_tension_ratio_behind(model, state, index, p);
    flowed += old + (unsettled ? unsettled[p] : 0.0) - now;
    wraps[p].slip = flowed / dt;
  }
}

// Lets rest length flow over the wraps of a strand by their slips. `settles`: pieces that begin to
// slip first get the shares that are due to them.
static void flow(const rl_model *model, const rl_state *before, rl_state *state, uint32_t index,
                 rl_strand strand, double dt, bool settles) {
  rl_wrap *wraps = rl_wraps_of(model, state, index);
  const rl_strand was = rl_wrap_strand(model, before, index, strand.first_piece, before->points);
  const uint32_t end = strand.first_piece + strand.piece_count;
  const double *unsettled = settles ? find_unsettled(model, before, index, was, end) : NULL;
  double settled = 0.0;
  for (uint32_t p = end - 1; p-- > strand.first_piece;) {
    settled += unsettled ? unsettled[p + 1] : 0.0;
    const double moved = wraps[p].slip * dt + settled; // through the wrap behind piece p
    wraps[p].rest += moved;
    if (p > 0) {
      wraps[p - 1].rest -= moved;
    }
  }
}

// (9d) After `flow`: the pieces of a damped strand keep a share of what each had of its stretch
// beyond the part that is due to it now. `apply`: moves the rest lengths too.
static void delay(const rl_model *model, const rl_state *before, rl_state *state, uint32_t index,
                  rl_strand strand, double dt, bool apply) {
  if (!rl_wraps_flow_late(model, index)) {
    return;
  }
  const rl_rope *rope = &model->ropes[index];
  rl_wrap *wraps = rl_wraps_of(model, state, index);
  const uint32_t end = strand.first_piece + strand.piece_count;
  const rl_strand was = rl_wrap_strand(model, before, index, strand.first_piece, before->points);
  double stretch = 0.0;
  for (uint32_t p = strand.first_piece; p < end; p++) {
    stretch += stretch_of(model, before, index, p);
  }
  const double now = fmax(strand.length - strand.rest, 0.0);
  const double kept = // at most as much as there is now: beyond, the strand would push
      stretch > 0.0 ? fmin(rope->damping / (rope->damping + rope->stiffness * dt), now / stretch)
                    : 0.0;
  const double *unsettled = find_unsettled(model, before, index, was, end);
  double late = 0.0, settled = 0.0, ratio = 1.0;
  for (uint32_t p = strand.first_piece; p + 1 < end; p++) {
    const double length = rl_wrap_piece_length(model, state, index, p, state->points);
    const double due = ratio * length / (1.0 + ratio * strand.strain) / strand.stretch;
    late += kept * (stretch_of(model, before, index, p) - due * stretch);
    settled += unsettled[p];
    ratio *= rl_wrap_tension_ratio_behind(model, state, index, p);
    wraps[p].slip += (late - settled) / dt;
    wraps[p].rest += apply ? late : 0.0;
    if (p > 0) { // the rest length of piece 0 is what remains of the sum
      wraps[p - 1].rest -= apply ? late : 0.0;
    }
  }
}

void rl_wraps_share_flow(const rl_model *model, const rl_state *before, rl_state *state,
                         uint32_t index, double dt) {
  rl_wrap_solve_path(model, before, index, before->points);
  for (uint32_t p = 0; p < rl_wraps_piece_count(model, state, index);) {
    const rl_strand strand = rl_wrap_strand(model, state, index, p, state->points);
    find_slips(model, before, NULL, state, index, strand, dt);
    flow(model, before, state, index, strand, dt, true);
    delay(model, before, state, index, strand, dt, true);
    p += strand.piece_count;
  }
}

void rl_wraps_find_slips(const rl_model *model, const rl_state *before, rl_state *state,
                         uint32_t index, double dt, bool by_rates) {
  rl_state start = *before;
  start.velocities = state->velocities;
  for (uint32_t p = 0; p < rl_wraps_piece_count(model, state, index);) {
    const rl_strand strand = rl_wrap_strand(model, state, index, p, state->points);
    find_slips(model, before, by_rates ? &start : NULL, state, index, strand, dt);
    delay(model, before, state, index, strand, dt, false);
    p += strand.piece_count;
  }
}

void rl_wraps_find_runs(const rl_model *model, const rl_state *before, rl_state *state, double dt) {
  size_t split = 0;
  for (uint32_t r = 0; r < model->rope_count; r++) {
    const rl_rope *rope = &model->ropes[r];
    if (rope->wrap_capacity > 0 && rope->rubs && state->wrap_counts[r] > 0) {
      rl_wrap_solve_path(model, before, r, before->points);
      rl_wrap_solve_path(model, state, r, state->points);
      rl_wraps_read_tensions(model, state, r, &split);
      rl_wraps_find_slips(model, before, state, r, dt, true);
    }
  }
}

void rl_wraps_settle(const rl_model *model, rl_state *state, uint32_t index) {
  const uint32_t count =
      rl_wraps_flow_late(model, index) ? 0 : rl_wraps_piece_count(model, state, index);
  for (uint32_t p = 0; p < count;) {
    const rl_strand strand = rl_wrap_strand(model, state, index, p, state->points);
    const uint32_t end = p + strand.piece_count;
    const double *unsettled = find_unsettled(model, state, index, strand, end);
    for (; p < end; p++) {
      if (p > 0) { // the rest length of piece 0 is what remains of the sum
        rl_wraps_of(model, state, index)[p - 1].rest += unsettled[p];
      }
    }
  }
}

// Returns by how much a rope is longer than its rest length [m]. The path is solved.
static double excess_of_rope(const rl_model *model, const rl_state *state, uint32_t index) {
  return state->path_lengths[index] - state->links[model->ropes[index].first_link].rest;
}

// Whether a rope is one of those of rl_wraps_hang_slack.
static bool hangs_slack(const rl_model *model, const rl_state *state, uint32_t index) {
  const rl_rope *rope = &model->ropes[index];
  const uint32_t count = rope->wrap_capacity > 0 ? state->wrap_counts[index] : 0;
  bool hangs = rope->rubs && count > 0 && isinf(rope->stiffness) &&
               !(state->multipliers[rope->first_link] > 0.0) &&
               !rl_is_taut(model, excess_of_rope(model, state, index));
  for (uint32_t i = 0; i < count && hangs; i++) {
    hangs = !(rl_wraps_of(model, state, index)[i].tension > 0.0) &&
            isfinite(rl_wrap_holding_ratio(model, state, index, i));
  }
  return hangs;
}

bool rl_wraps_hang_slack(const rl_model *model, const rl_state *state) {
  bool hangs = false;
  for (uint32_t r = 0; r < model->rope_count && !hangs; r++) {
    hangs = hangs_slack(model, state, r);
  }
  return hangs;
}

void rl_wraps_run_to_catch(const rl_model *model, const rl_state *ahead, rl_state *state,
                           double *catches) {
  for (uint32_t r = 0; r < model->rope_count; r++) {
    if (!hangs_slack(model, state, r)) {
      continue;
    }
    rl_wrap_solve_path(model, ahead, r, ahead->points);
    const double from = excess_of_rope(model, state, r), to = excess_of_rope(model, ahead, r);
    const double share = from / (from - to); // t*/h
    catches[r] = to > 0.0 ? share : 0.0;
    for (uint32_t p = 1; p < rl_wraps_piece_count(model, state, r) && to > 0.0; p++) {
      rl_wraps_of(model, state, r)[p - 1].rest +=
          (1.0 - share) * rl_wrap_excess(model, state, r, p, 1) +
          share * rl_wrap_excess(model, ahead, r, p, 1);
    }
  }
}

// (9e) Returns by how much the pieces of a strand store more than with the rest lengths of (9) [J].
static double settling_loss(const rl_model *model, const rl_state *state, uint32_t index,
                            rl_strand strand) {
  double squares = 0.0;
  for (uint32_t p = strand.first_piece; p < strand.first_piece + strand.piece_count; p++) {
    const double own = strain(model, state, index, p);
    squares += own * own * rl_wrap_piece_rest(model, state, index, p);
  }
  return 0.5 * model->ropes[index].stiffness *
         (squares - strand.strain * strand.strain * strand.squares);
}

// (10) Returns the power lost to friction as rope flows with the slips in `flowed` through the
// wraps of a strand: the sum of slip (H behind - H before), H = T + T^2/(2 EA), with the tensions
// of the state [W].
static double flow_power(const rl_model *model, const rl_state *state, uint32_t index,
                         rl_strand strand, const rl_wrap *flowed) {
  double power = 0.0, ratio = 1.0;
  for (uint32_t p = strand.first_piece; p + 1 < strand.first_piece + strand.piece_count; p++) {
    const double before = ratio * strand.strain;
    ratio *= rl_wrap_tension_ratio_behind(model, state, index, p);
    const double behind = ratio * strand.strain;
    power += flowed[p].slip * (behind - before) * (1.0 + 0.5 * (behind + before));
  }
  return power * model->ropes[index].stiffness;
}

// Moves the marks to the middle of their wraps, and rest length from one side of each mark to the
// other. Returns the loss where rope of one strain joins rope of another (12) [J].
static double mark_again(const rl_model *model, rl_state *state, uint32_t index) {
  rl_wrap *wraps = rl_wraps_of(model, state, index);
  const uint32_t pieces = rl_wraps_piece_count(model, state, index);
  double lost = 0.0;
  for (uint32_t i = 0; i < state->wrap_counts[index]; i++) {
    rl_path_item *item = &rl_path_items(state, index)[i + 1];
    const uint32_t next = i + 1 < pieces ? i + 1 : 0;
    const double way =
        0.5 * item->arc - rl_wrap_before_mark(model, state, &wraps[i], item, state->points);
    const double before = strain(model, state, index, i),
                 behind = strain(model, state, index, next);
    // Rope that sticks arrives with the strain of its side; where the wrap slips, the strain
    // changes along the arc (11).
    const double own = wraps[i].grip != RL_STICKS ? 0.5 * (before + behind)
                       : way > 0.0                ? behind
                                                  : before;
    const double moved = way / (1.0 + own);
    if (wraps[i].grip == RL_STICKS && before != behind) {
      const double rest = rl_wrap_piece_rest(model, state, index, way > 0.0 ? i : next);
      lost += 0.5 * model->ropes[index].stiffness * (behind - before) * (behind - before) *
              fabs(moved) * rest / (rest + fabs(moved));
    }
    if (i + 1 < pieces) { // the rest length of piece 0 is what remains of the sum
      wraps[i].rest -= moved;
    }
    if (i > 0) {
      wraps[i - 1].rest += moved;
    }
    rl_wrap_mark_middle(model, state, &wraps[i], item);
  }
  return lost;
}

// Computes the rest lengths that pieces ask for at positions where the winches have run for `dt`
// [s] more than in the state.
static void find_rest_lengths(const rl_model *model, const rl_state *state, uint32_t index,
                              const rl_point *points, double dt, double *rests) {
  const uint32_t count = state->wrap_counts[index];
  const double *reels = state->reels ? state->reels[index] : (const double[2]){0.0, 0.0};
  rl_wrap_solve_path(model, state, index, points);
  for (uint32_t p = 0; p < rl_wraps_piece_count(model, state, index);) {
    rl_strand strand = rl_wrap_strand_paid(model, state, index, p, points, 0.0);
    const uint32_t end = p + strand.piece_count;
    const double paid = (p == 0 ? reels[0] : 0.0) + (end == count + 1 ? reels[1] : 0.0);
    if (paid != 0.0) {
      strand = rl_wrap_strand_paid(model, state, index, p, points, paid * dt);
    }
    const double spare = spare_of(model, state, index, strand, points);
    for (double ratio = 1.0; p < end; p++) {
      if (p < count) {
        rests[p] = rl_wrap_piece_length(model, state, index, p, points) * (1.0 + ratio * spare) /
                   (1.0 + ratio * strand.strain);
      }
      ratio *= rl_wrap_tension_ratio_behind(model, state, index, p);
    }
  }
}

void rl_wraps_slip_rates(const rl_model *model, const rl_state *state, uint32_t index,
                         const rl_point *earlier, const rl_point *later, double dt, double *slips) {
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  const uint32_t count = state->wrap_counts[index];
  find_rest_lengths(model, state, index, earlier, -0.5 * dt, &slips[count]);
  find_rest_lengths(model, state, index, later, 0.5 * dt, slips);
  // Over a wrap runs what the winch pays out and what the pieces before it lose.
  double slip = state->reels ? state->reels[index][0] : 0.0;
  for (uint32_t p = 0; p < count; p++) {
    slip -= (slips[p] - slips[count + p]) / dt;
    slip = wraps[p].grip == RL_STICKS ? 0.0 : slip;
    slips[p] = slip;
  }
}

double rl_wraps_energy(const rl_model *model, const rl_state *state, uint32_t index) {
  double energy = 0.0;
  rl_wrap_solve_path(model, state, index, state->points);
  for (uint32_t p = 0; p < rl_wraps_piece_count(model, state, index);) {
    const rl_strand strand = rl_wrap_strand(model, state, index, p, state->points);
    energy += 0.5 * model->ropes[index].stiffness * strand.strain * strand.strain * strand.squares;
    energy += rl_wraps_flow_late(model, index) ? settling_loss(model, state, index, strand) : 0.0;
    p += strand.piece_count;
  }
  return energy;
}

double rl_wraps_stored(const rl_model *model, const rl_state *state, uint32_t index) {
  if (isinf(model->ropes[index].stiffness)) {
    return 0.0;
  }
  double energy = rl_wraps_energy(model, state, index);
  const bool has_own = model->ropes[index].rubs && !rl_wraps_flow_late(model, index);
  for (uint32_t p = 0; p < rl_wraps_piece_count(model, state, index) && has_own;) {
    const rl_strand strand = rl_wrap_strand(model, state, index, p, state->points);
    energy += settling_loss(model, state, index, strand); // which is lost in the next flow
    p += strand.piece_count;
  }
  return energy;
}

// Counts the balls off which the rope has slipped. The path is solved, and not yet kept.
static void count_slips(const rl_model *model, rl_state *state, uint32_t index) {
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  for (uint32_t i = 0; i < state->wrap_counts[index]; i++) {
    if (rl_wrap_has_slipped_off(model, state, &wraps[i], &rl_path_items(state, index)[i + 1])) {
      rl_wraps_note_slip(state, index, wraps[i].body);
    }
  }
}

// Takes rest length from a piece; for piece 0, which has what remains of the sum, there is nothing
// to set. An inextensible rope has grown by it there (21).
static void take_rest(const rl_model *model, const rl_state *state, uint32_t index, uint32_t piece,
                      double rest) {
  if (piece > 0) {
    rl_wraps_of(model, state, index)[piece - 1].rest -= rest;
  }
  rl_wrap_growths(state, index)[piece] += isinf(model->ropes[index].stiffness) ? rest : 0.0;
}

void rl_wraps_clear_growths(const rl_state *state, uint32_t index, rl_strand strand) {
  double *growths = &rl_wrap_growths(state, index)[strand.first_piece];
  memset(growths, 0, strand.piece_count * sizeof *growths);
}

// (16) Returns the rest length that an inert strand needs after the rope has slid sideways on its
// body: the length; of an elastic rope the one with the strain, or the slack, that it has without
// the slide [m].
static double rest_needed(const rl_model *model, const rl_state *before, uint32_t index,
                          rl_strand strand) {
  if (isinf(model->ropes[index].stiffness)) {
    return strand.length;
  }
  const rl_strand was = rl_wrap_strand(model, before, index, strand.first_piece, before->points);
  return strand.rest < was.length ? strand.length * strand.rest / was.length
                                  : strand.length + strand.rest - was.length;
}

// (16) Inert strands change their length as the rope slides sideways on a body. They take what they
// need from the neighbouring strand with the smaller tension, and give what they have too much to
// the one with the larger tension.
void rl_wraps_fit_inert_strands(const rl_model *model, const rl_state *before, rl_state *state,
                                uint32_t index) {
  const uint32_t pieces = rl_wraps_piece_count(model, state, index);
  uint32_t behind = RL_NONE; // the last piece of the last strand that is not inert
  double needed = 0.0;
  for (uint32_t p = 0; p < pieces;) {
    const rl_strand strand = rl_wrap_strand(model, state, index, p, state->points);
    const uint32_t end = p + strand.piece_count;
    if (rl_wrap_is_inert(model, state, index, p, strand.piece_count)) {
      const double more = rest_needed(model, before, index, strand) - strand.rest;
      needed += more;
      take_rest(model, state, index, p, -more);
      rl_wraps_clear_growths(state, index, strand);
    } else {
      const double back =
          behind == RL_NONE ? 0.0 : rl_wrap_piece_tension(model, state, index, behind);
      const double on = rl_wrap_piece_tension(model, state, index, p);
      const bool goes_back = behind != RL_NONE && (needed > 0.0 ? back < on : back > on);
      take_rest(model, state, index, goes_back ? behind : p, needed);
      needed = 0.0;
      behind = end - 1;
    }
    p = end;
  }
  if (behind != RL_NONE) {
    take_rest(model, state, index, behind, needed);
  }
}

double rl_wraps_flow(const rl_model *model, const rl_state *before, rl_state *state, uint32_t index,
                     size_t *split, double dt, bool ended, bool has_run) {
  rl_wraps_read_tensions(model, state, index, split);
  rl_wraps_choose_tensions(model, before, state, index);
  count_slips(model, state, index);
  if (!model->ropes[index].rubs || ended) {
    return 0.0;
  }
  rl_wrap *wraps = rl_wraps_of(model, state, index);
  double lost = 0.0;
  const bool late = rl_wraps_flow_late(model, index);
  const bool is_loop = rl_wraps_is_loop(model, index);
  if (!is_loop) { // before the flow, which is shared by the strands as they are then
    rl_wraps_fit_inert_strands(model, before, state, index);
  }
  for (uint32_t p = 0; p < rl_wraps_piece_count(model, state, index);) {
    const rl_strand strand = rl_wrap_strand(model, state, index, p, state->points);
    if (!has_run) {
      find_slips(model, before, NULL, state, index, strand, dt);
    }
    flow(model, before, state, index, strand, dt, !has_run);
    if ((strand.strain > 0.0 || late) && strand.piece_count > 1) {
      const rl_strand was = rl_wrap_strand(model, before, index, p, before->points);
      lost += was.strain > 0.0 || late ? settling_loss(model, before, index, was) : 0.0;
      lost += 0.5 * dt * flow_power(model, before, index, was, wraps);
      lost += 0.5 * dt * flow_power(model, state, index, strand, wraps);
      delay(model, before, state, index, strand, dt, true);
      lost -= late ? settling_loss(model, state, index, strand) : 0.0;
    }
    p += strand.piece_count;
    if (p <= state->wrap_counts[index] && wraps[p - 1].grip == RL_STICKS) {
      wraps[p - 1].slip = 0.0;
    }
  }
  return lost + mark_again(model, state, index);
}
