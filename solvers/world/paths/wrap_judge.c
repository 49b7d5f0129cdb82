// SPDX-License-Identifier: GPL-3.0-or-later
// After a step: which wraps stick and which slip. wrap.h explains the words (inert, led, jammed,
// rubbed, pull, held); the rules and the equations (7a) to (7q) are those of papers/grips.md, under
// "Who sticks". Start at rl_wraps_judge.
#include "../trigonometry.h"
#include "strands.h"
#include "wrap_internal.h"

#include <string.h>

// Relative to a tension: a wrap slips only if friction is exceeded by more than this.
static const double grip_tolerance = 1e-10;

// Sets the grip of a wrap; returns whether it has changed.
static bool regrip(rl_wrap *wrap, rl_grip grip) {
  const bool changed = wrap->grip != (uint32_t)grip;
  wrap->grip = (uint32_t)grip;
  return changed;
}

// The tensions before and behind wraps that stick [N].
typedef struct pulls {
  double back, on;
} pulls;

// Returns what wraps do that hold a ratio of the tensions beside them, never slip if one is NAN.
static rl_grip grip_between(pulls beside, double ratio) {
  const double all = ratio * (1.0 + grip_tolerance);
  return beside.on > all * beside.back   ? RL_SLIPS_ON
         : beside.back > all * beside.on ? RL_SLIPS_BACK
                                         : RL_STICKS;
}

// Returns the product of what the wraps that stick among first ... last can each hold.
static double held_ratio(const rl_model *model, const rl_state *state, uint32_t index,
                         uint32_t first, uint32_t last) {
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  double all = 1.0;
  for (uint32_t i = first; i <= last; i++) {
    all *= wraps[i].grip == RL_STICKS ? rl_wrap_holding_ratio(model, state, index, i) : 1.0;
  }
  return all;
}

// (7m) Returns the pulls with 0 for a strand whose tension holds the wraps in the mean, but which
// is slack at the end of the step while the other one is taut. `last`: impulses of the last
// substep, or NULL; `behind` and `ahead`: the unknowns of the strands before and behind the wraps.
static pulls pulls_at_end(const double *last, size_t behind, size_t ahead, double ratio,
                          pulls mean) {
  if (!last || grip_between(mean, ratio) != RL_STICKS) {
    return mean;
  }
  const bool back_pulls = last[behind] != 0.0, on_pulls = last[ahead] != 0.0;
  return (pulls){back_pulls || !on_pulls || !isfinite(mean.back) ? mean.back : 0.0,
                 on_pulls || !back_pulls || !isfinite(mean.on) ? mean.on : 0.0};
}

// Lets the wraps that stick among first ... last do what they do with the strands between them,
// which hold any tension. Returns whether that is new.
static bool regrip_all(const rl_wrap *wraps, uint32_t first, uint32_t last, rl_grip grip,
                       rl_wrap *before) {
  bool changed = false;
  for (uint32_t i = first; i <= last; i++) {
    changed =
        (wraps[i].grip == RL_STICKS && grip != RL_STICKS && regrip(&before[i], grip)) || changed;
  }
  return changed;
}

// How the pieces of a led strand, or of a part of one, go on: by how much they are longer than
// their rest lengths, and were at the start of the step [m], and how fast they are drawn out.
typedef struct leading {
  double excess, was;
  rl_drawing drawing;
} leading;

static void add_piece(const rl_model *model, const rl_state *before, const rl_state *state,
                      uint32_t index, uint32_t piece, leading *led) {
  led->excess += rl_wrap_excess(model, state, index, piece, 1);
  led->was += rl_wrap_excess(model, before, index, piece, 1);
  rl_wrap_draw(model, state, index, piece, &led->drawing);
}

// (7c), (7f) Returns the pull of a led strand of an inextensible rope: INFINITY if the wraps beside
// it have to give way, 0 if it is slack or `rubs`, else `any`.
static double led_pull(const rl_state *state, uint32_t index, const leading *led, bool rubs,
                       double any) {
  const double rounding = rl_wrap_rounding * state->path_lengths[index];
  const double grown = led->excess - led->was;
  const bool at_instant = fabs(grown) <= rounding;
  const double growth = at_instant ? rl_wrap_drawn_rate(led->drawing) : grown;
  const bool is_slack = led->excess < -rounding || (at_instant && growth < 0.0);
  return !is_slack && growth > 0.0 ? INFINITY : is_slack || rubs ? 0.0 : any;
}

// Returns how fast the winch at an end of a rope pays out, if there is one [m/s].
static double paid_at(const rl_state *state, uint32_t index, int end) {
  return state->reels ? state->reels[index][end] : 0.0;
}

// (7c) Returns the pull of a strand on the wraps beside it: `tension` if impulses can change its
// length, or if the rope is elastic. Else NAN stands for any pull, INFINITY for one to which the
// wraps have to give way, and 0 for none, (7f).
static double pull_of(const rl_model *model, const rl_state *before, const rl_state *state,
                      uint32_t index, uint32_t first, uint32_t pieces, double tension) {
  if (isfinite(model->ropes[index].stiffness)) {
    return tension;
  }
  const bool is_loop = rl_wraps_is_loop(model, index);
  const bool at_from = first == 0 && !is_loop;
  const bool at_to = first + pieces == state->wrap_counts[index] + 1;
  const double paid =
      (at_from ? paid_at(state, index, 0) : 0.0) + (at_to ? paid_at(state, index, 1) : 0.0);
  const double any = first == 0 && is_loop ? tension : NAN;
  if (rl_wrap_is_inert(model, state, index, first, pieces) && paid == 0.0) {
    return any;
  }
  if (!rl_wrap_is_led(model, state, index, first, pieces)) {
    return tension;
  }
  leading led = {.drawing = rl_wrap_drawing(paid)};
  for (uint32_t p = first; p < first + pieces; p++) {
    add_piece(model, before, state, index, p, &led);
  }
  return led_pull(state, index, &led, rl_wrap_rubs(model, state, index, first, pieces), any);
}

// Whether a piece beside a wrap is inert and ends at a wrap that sticks or at an end of the rope.
static bool is_held_beside(const rl_model *model, const rl_state *state, uint32_t index,
                           uint32_t i) {
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  const uint32_t count = state->wrap_counts[index];
  return ((i == 0 || wraps[i - 1].grip == RL_STICKS) &&
          rl_wrap_is_inert(model, state, index, i, 1)) ||
         ((i + 1 == count || wraps[i + 1].grip == RL_STICKS) &&
          rl_wrap_is_inert(model, state, index, i + 1, 1));
}

// Whether a slip has moved rope by more than rounding in a step.
static bool has_run(const rl_state *state, uint32_t index, double slip, double dt) {
  return slip * dt > rl_wrap_rounding * state->path_lengths[index];
}

// (7b) Returns what a wrap that has just met does, from how the rope has run over it.
static rl_grip grip_behind_touch(const rl_model *model, const rl_state *state, uint32_t index,
                                 uint32_t i, double dt) {
  const double slip = rl_wraps_of(model, state, index)[i].slip;
  if (!has_run(state, index, fabs(slip), dt) || is_held_beside(model, state, index, i)) {
    return RL_STICKS;
  }
  return slip > 0.0 ? RL_SLIPS_ON : RL_SLIPS_BACK;
}

// The pieces between one end of a strand and a wrap within it, as if that stuck.
typedef struct part {
  uint32_t carrier; // of the end
  bool is_inert, is_led, rubs;
  double paid; // at the end [m/s]
  leading led; // if it is
} part;

static part begin_part(const rl_model *model, const rl_state *state, uint32_t index, uint32_t item,
                       double paid) {
  const uint32_t carrier = rl_wrap_carrier(model, state, index, item);
  return (part){.carrier = carrier,
                .is_inert = paid == 0.0,
                .is_led = rl_wrap_is_prescribed(model, state, index, item, false),
                .paid = paid,
                .led.drawing = rl_wrap_drawing(paid)};
}

// (7f) Whether a part that ends at an item pulls nothing because rope slips within it and no
// impulse changes its length.
static bool is_rubbed(const rl_model *model, const rl_state *state, uint32_t index,
                      const part *beside, uint32_t item) {
  return beside->rubs && beside->is_led &&
         rl_wrap_is_prescribed(model, state, index, item, false) &&
         !(beside->is_inert && rl_wrap_carrier(model, state, index, item) == beside->carrier) &&
         led_pull(state, index, &beside->led, true, NAN) == 0.0;
}

// Lets a part go on over an item.
static void go_over(const rl_model *model, const rl_state *state, uint32_t index, uint32_t item,
                    part *beside) {
  const uint32_t carrier = rl_wrap_carrier(model, state, index, item);
  const rl_wrap *wrap = &rl_wraps_of(model, state, index)[item - 1];
  beside->is_inert = beside->is_inert && carrier == beside->carrier;
  beside->is_led = beside->is_led && rl_wrap_is_prescribed(model, state, index, item, true);
  beside->rubs = beside->rubs || (rl_wrap_slips(wrap) && carrier != RL_NONE);
}

// (7f) Adds to the sense of each wrap beside which such a part ends, in one pass along the rope or
// back, the direction of the pass: away from that part.
static void add_senses(const rl_model *model, const rl_state *before, const rl_state *state,
                       uint32_t index, int direction, double *senses) {
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  const uint32_t pieces = rl_wraps_piece_count(model, state, index);
  const double paid = paid_at(state, index, direction > 0 ? 0 : 1);
  part beside = begin_part(model, state, index, direction > 0 ? 0 : pieces, paid);
  for (uint32_t k = 0; k + 1 < pieces; k++) {
    const uint32_t piece = direction > 0 ? k : pieces - 1 - k;
    const uint32_t item = direction > 0 ? piece + 1 : piece; // where the part ends with it
    if (wraps[item - 1].grip == RL_STICKS) {
      beside = begin_part(model, state, index, item, 0.0);
    } else if (beside.is_led) {
      add_piece(model, before, state, index, piece, &beside.led);
      senses[item - 1] += is_rubbed(model, state, index, &beside, item) ? direction : 0.0;
      go_over(model, state, index, item, &beside);
    }
  }
}

// (7f) Returns for each wrap which way it has to slip if it slips: on, 1, or back, -1, away from
// a part of its strand that is rubbed. 0: there is none, or one on each side.
static const double *find_senses(const rl_model *model, const rl_state *before,
                                 const rl_state *state, uint32_t index) {
  double *senses = state->of_pieces;
  memset(senses, 0, state->wrap_counts[index] * sizeof *senses);
  if (isinf(model->ropes[index].stiffness)) {
    add_senses(model, before, state, index, 1, senses);
    add_senses(model, before, state, index, -1, senses);
  }
  return senses;
}

// Returns how the first strand of a rope is drawn out before its first piece.
static rl_drawing drawing_at_start(const rl_state *state, uint32_t index) {
  return rl_wrap_drawing(paid_at(state, index, 0));
}

// Returns how fast rope runs over a wrap, towards `to` [m/s]. `drawn`: the pieces of its strand
// before those beside it; out: before the next wrap.
static double run_over(const rl_model *model, const rl_state *state, uint32_t index, uint32_t i,
                       rl_drawing *drawn) {
  rl_wrap_draw(model, state, index, i, drawn);
  const double run = -rl_wrap_drawn_rate(*drawn);
  if (rl_wraps_of(model, state, index)[i].grip == RL_STICKS) {
    *drawn = rl_wrap_drawing(0.0);
  }
  return run;
}

// Whether rope runs the other way over a wrap that slips.
static bool runs_back(const rl_wrap *wrap, double run) {
  return (wrap->grip == RL_SLIPS_ON && run < 0.0) || (wrap->grip == RL_SLIPS_BACK && run > 0.0);
}

// Judges which wraps of a rope that have met or slip are to do otherwise.
static bool judge_running(const rl_model *model, const rl_state *state, uint32_t index,
                          const rl_judging *how, rl_state *before) {
  const bool asks = how->gains && isinf(model->ropes[index].stiffness);
  rl_wrap *then = rl_wraps_of(model, before, index);
  const double *senses = find_senses(model, before, state, index);
  rl_drawing drawn = drawing_at_start(state, index);
  bool changed = false;
  for (uint32_t i = 0; i < state->wrap_counts[index]; i++) {
    const rl_wrap *wrap = &rl_wraps_of(model, state, index)[i];
    const double run = asks ? run_over(model, state, index, i, &drawn) : 0.0;
    if (wrap->grip == RL_MEETS) {
      changed = regrip(&then[i], grip_behind_touch(model, state, index, i, how->dt)) || changed;
    } else if (rl_wrap_slips(wrap)) {
      const double back = wrap->grip == RL_SLIPS_ON ? -wrap->slip : wrap->slip;
      const bool locks = isinf(rl_wrap_holding_ratio(model, state, index, i));
      const bool turns =
          wrap->tension > 0.0 && (has_run(state, index, back, how->dt) || runs_back(wrap, run));
      const rl_grip away = locks || senses[i] == 0.0 ? RL_STICKS
                           : senses[i] > 0.0         ? RL_SLIPS_ON
                                                     : RL_SLIPS_BACK;
      changed = ((locks || turns || away != RL_STICKS) && regrip(&then[i], away)) || changed;
    }
  }
  return changed;
}

// Lets the wraps of a rope that are held on balls stick on as long as another one is to change: it
// might relieve them, and if they slip out of their plane they are let go.
static void slip_on_balls_last(const rl_wrap *wraps, rl_wrap *before, uint32_t count) {
  bool others = false;
  for (uint32_t i = 0; i < count; i++) {
    others = others || (!wraps[i].held && wraps[i].grip != before[i].grip);
  }
  for (uint32_t i = 0; i < count && others; i++) {
    if (before[i].held && wraps[i].grip == RL_STICKS) {
      before[i].grip = RL_STICKS;
    }
  }
}

// Whether the strand of an unknown is one of those drawn apart, (7l); `second`: of the second one.
static bool is_drawn_apart(uint64_t drawn, const rl_rope *rope, size_t unknown, size_t second) {
  const size_t strand = unknown == rope->first_link ? 0 : unknown - second + 1;
  return strand < RL_STRANDS_TOGETHER && (drawn >> strand & 1) != 0;
}

// Judges which wraps of a rope that stick slip. `ahead`: index of the unknown of its first split;
// `drawn`: strands that are drawn apart, (7l).
static bool judge_stuck(const rl_model *model, const rl_state *state, uint32_t index,
                        const double *last, size_t ahead, uint64_t drawn, rl_state *before) {
  const rl_rope *rope = &model->ropes[index];
  const size_t second = ahead;
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  const uint32_t count = state->wrap_counts[index];
  size_t behind = rope->first_link;
  uint32_t begin = 0; // of the strand behind
  bool changed = false;
  for (uint32_t i = 0; i < count; i++) {
    if (wraps[i].grip != RL_STICKS) {
      continue;
    }
    const uint32_t first = i;
    uint32_t next = i + 1, pieces = rl_wrap_strand_pieces(model, state, index, next);
    while (next + pieces <= count &&
           isnan(pull_of(model, before, state, index, next, pieces, 0.0))) { // holds any pull
      i = next + pieces - 1;
      ahead++;
      next = i + 1;
      pieces = rl_wrap_strand_pieces(model, state, index, next);
    }
    if (next == count && rl_wraps_is_loop(model, index)) {
      next = 0;
      pieces = rl_wrap_strand_pieces(model, state, index, next);
    }
    const size_t on = next > 0 ? ahead : rope->first_link;
    pulls beside = {rl_wrap_piece_tension(model, state, index, first), wraps[i].tension};
    beside.back = is_drawn_apart(drawn, rope, behind, second)
                      ? INFINITY
                      : pull_of(model, before, state, index, begin, first + 1 - begin, beside.back);
    beside.on = is_drawn_apart(drawn, rope, on, second)
                    ? INFINITY
                    : pull_of(model, before, state, index, next, pieces, beside.on);
    const double ratio = held_ratio(model, state, index, first, i);
    beside = pulls_at_end(last, behind, on, ratio, beside);
    bool yields = false;
    for (uint32_t k = first; k <= i; k++) {
      yields = rl_wraps_yield_on_ball(model, state, before, index, k,
                                      k == first ? beside.back : NAN, k == i ? beside.on : NAN) ||
               yields;
    }
    changed = yields ||
              regrip_all(wraps, first, i, grip_between(beside, ratio),
                         rl_wraps_of(model, before, index)) ||
              changed;
    begin = next;
    behind = ahead++;
  }
  slip_on_balls_last(wraps, rl_wraps_of(model, before, index), count);
  return changed;
}

// Going once round a massless loop the tension comes back to itself, so the loop cannot slip
// everywhere: if no wrap sticks, makes the one stick that can hold the largest ratio.
static bool hold_loop(const rl_model *model, const rl_state *state, uint32_t index,
                      rl_wrap *before) {
  double most = 0.0;
  uint32_t best = RL_NONE;
  for (uint32_t i = 0; i < state->wrap_counts[index]; i++) {
    const double friction = rl_wrap_friction(model, index, &before[i]);
    const double ratio =
        friction > 0.0 ? rl_wrap_largest_ratio(friction, &rl_path_items(state, index)[i + 1]) : 0.0;
    if (before[i].grip == RL_STICKS) {
      return false;
    }
    best = ratio > most ? i : best;
    most = fmax(most, ratio);
  }
  return best != RL_NONE && regrip(&before[best], RL_STICKS);
}

void rl_wraps_rotate_loop(const rl_model *model, rl_state *state, uint32_t index) {
  rl_wrap *wraps = rl_wraps_of(model, state, index);
  const uint32_t count = state->wrap_counts[index];
  uint32_t last = count;
  while (last > 0 && wraps[last - 1].grip != RL_STICKS) {
    last--;
  }
  if (!rl_wraps_is_loop(model, index) || last == 0 || last == count) {
    return;
  }
  const rl_path_item *items = rl_path_items(state, index);
  state->seams[index] = rl_scale(0.5, rl_add(items[last].exit, items[last + 1].entry));
  wraps[count - 1].rest = rl_wrap_piece_rest(model, state, index, 0);
  for (uint32_t k = 0; k < last; k++) { // moves the first wrap behind the last one
    const rl_wrap first = wraps[0];
    memmove(&wraps[0], &wraps[1], (count - 1) * sizeof *wraps);
    wraps[count - 1] = first;
  }
  wraps[count - 1].rest = 0.0;
}

// Takes back all changes of grips of a rope but the first, and those of wraps that stick or slip
// with that one, as inert pieces are between them. Returns whether there is one.
static bool keep_first_change(const rl_model *model, const rl_state *state, uint32_t index,
                              rl_wrap *before) {
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  bool any = false;
  uint32_t carrier = RL_NONE; // of these
  bool ends = false;          // the pieces from these on are no longer inert
  for (uint32_t i = 0; i < state->wrap_counts[index]; i++) {
    const uint32_t own = rl_wrap_carrier(model, state, index, i + 1);
    ends = ends || (any && own != carrier);
    if (before[i].grip != wraps[i].grip && !ends) {
      any = true;
      carrier = own;
    }
    before[i].grip = ends ? wraps[i].grip : before[i].grip;
  }
  return any;
}

bool rl_wraps_judge(const rl_model *model, rl_state *state, rl_state *before, rl_rows *rows,
                    const rl_judging *how) {
  const size_t first_split = rl_first_split(model, state);
  bool changed = false;
  size_t split = 0;
  for (uint32_t r = 0; r < model->rope_count; r++) {
    const uint32_t count = model->ropes[r].wrap_capacity > 0 ? state->wrap_counts[r] : 0;
    if (count == 0) {
      continue;
    }
    if (rl_wraps_leave_ended_way(model, state, before, r, false)) {
      return true;
    }
    if (!model->ropes[r].rubs) {
      continue;
    }
    const size_t ahead = first_split + split;
    rl_wraps_read_tensions(model, state, r, &split);
    changed = rl_wraps_judge_balls(model, state, before, r) || changed;
    rl_wraps_find_slips(model, before, state, r, how->dt, how->sees_rates);
    changed = judge_running(model, state, r, how, before) || changed;
    const uint64_t drawn =
        isinf(model->ropes[r].stiffness) ? rl_strands_drawn_apart(model, state, rows, r) : 0;
    changed = judge_stuck(model, state, r, how->last, ahead, drawn, before) || changed;
    const bool ends =
        how->one_by_one && keep_first_change(model, state, r, rl_wraps_of(model, before, r));
    if (rl_wraps_is_loop(model, r)) {
      changed = hold_loop(model, state, r, rl_wraps_of(model, before, r)) || changed;
      rl_wraps_rotate_loop(model, before, r);
    }
    if (ends) {
      return true;
    }
  }
  return changed;
}

// Judges which wraps of a rope that slip stick: those over which it runs the other way after a
// catch, (7d).
static bool judge_turned(const rl_model *model, const rl_state *state, uint32_t index,
                         rl_wrap *before) {
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  bool changed = false;
  rl_drawing drawn = drawing_at_start(state, index);
  for (uint32_t i = 0; i < state->wrap_counts[index]; i++) {
    const bool turns = runs_back(&wraps[i], run_over(model, state, index, i, &drawn));
    changed = (turns && wraps[i].tension > 0.0 && regrip(&before[i], RL_STICKS)) || changed;
  }
  return changed;
}

void rl_wraps_stick_all(const rl_model *model, rl_state *state) {
  for (uint32_t r = 0; r < model->rope_count; r++) {
    const bool may =
        model->ropes[r].rubs && isinf(model->ropes[r].stiffness) && !rl_wraps_is_loop(model, r);
    rl_wrap *wraps = rl_wraps_of(model, state, r);
    for (uint32_t i = 0; may && i < state->wrap_counts[r]; i++) {
      if (wraps[i].grip == RL_MEETS || rl_wrap_slips(&wraps[i])) {
        wraps[i].grip = RL_STICKS;
      }
    }
  }
}

bool rl_wraps_slip(const rl_model *model, const rl_state *state) {
  bool any = false;
  for (uint32_t r = 0; r < model->rope_count; r++) {
    const uint32_t count = model->ropes[r].rubs ? state->wrap_counts[r] : 0;
    for (uint32_t i = 0; i < count && !any; i++) {
      any = rl_wrap_slips(&rl_wraps_of(model, state, r)[i]);
    }
  }
  return any;
}

bool rl_wraps_slip_wrongly(const rl_model *model, rl_state *state) {
  bool any = false;
  size_t split = 0;
  for (uint32_t r = 0; r < model->rope_count; r++) {
    const uint32_t count = model->ropes[r].wrap_capacity > 0 ? state->wrap_counts[r] : 0;
    if (count == 0 || !model->ropes[r].rubs) {
      continue;
    }
    rl_wrap_solve_path(model, state, r, state->points);
    rl_wraps_read_tensions(model, state, r, &split);
    const bool turns = isinf(model->ropes[r].stiffness);
    rl_drawing drawn = drawing_at_start(state, r);
    for (uint32_t i = 0; i < count && !any; i++) {
      const rl_wrap *wrap = &rl_wraps_of(model, state, r)[i];
      const double run = turns ? run_over(model, state, r, i, &drawn) : 0.0;
      any = rl_wrap_slips(wrap) && wrap->tension > 0.0 &&
            (isinf(rl_wrap_holding_ratio(model, state, r, i)) || runs_back(wrap, run));
    }
  }
  return any;
}

static bool may_jam(const rl_model *model, const rl_row *row) {
  return row->kind == RL_ROW_SPAN && row->piece_count > 1 &&
         model->ropes[model->link_rope[row->item]].rubs;
}

bool rl_wraps_is_jammed(const rl_model *model, const rl_state *state, rl_rows *rows, rl_row *row) {
  if (!may_jam(model, row)) {
    return false;
  }
  rl_row_evaluate(model, state, rows, row, state->points);
  return rl_strand_jams(model, state, row);
}

// Whether some wrap of a strand slips.
static bool slips(const rl_model *model, const rl_state *state, const rl_row *strand) {
  const rl_wrap *wraps = rl_wraps_of(model, state, model->link_rope[strand->item]);
  bool any = false;
  for (uint32_t k = strand->first_piece; k + 1 < strand->first_piece + strand->piece_count; k++) {
    any = any || rl_wrap_slips(&wraps[k]);
  }
  return any;
}

// Returns by how much a strand was longer than its rope at the start of the step [m].
static double excess_before(const rl_model *model, const rl_state *before, const rl_row *row) {
  const uint32_t rope = model->link_rope[row->item];
  rl_wrap_solve_path(model, before, rope, before->points);
  return rl_wrap_excess(model, before, rope, row->first_piece, row->piece_count);
}

// (7r) Whether a strand is too long by more than it was: rows that are soft keep some of that.
static bool comes_out_long(const rl_model *model, const rl_state *before, const rl_row *row,
                           double rounding) {
  return row->value > rounding &&
         row->value - fmax(excess_before(model, before, row), 0.0) > rounding;
}

// Whether a strand was slack at the start of the step, is at its end, and not caught in between.
static bool hangs_slack(const rl_model *model, const rl_state *before, const rl_rows *rows,
                        const rl_row *row, double rounding) {
  return row->value < -rounding && rows->catches[model->link_rope[row->item]] == 0.0 &&
         excess_before(model, before, row) < -rounding;
}

// (7h) Whether a step that has come out at the state has found no tension for a strand that slips.
static bool is_jammed_ahead(const rl_model *model, const rl_state *state, const rl_state *before,
                            rl_rows *rows, rl_row *row, bool gains) {
  const double rounding = rl_wrap_rounding * state->path_lengths[model->link_rope[row->item]];
  const bool jams = rl_wraps_is_jammed(model, state, rows, row);
  const bool is_long = comes_out_long(model, before, row, rounding);
  return row->compliance == 0.0 && !rl_wraps_is_loop(model, model->link_rope[row->item]) &&
         slips(model, state, row) && rl_strand_can_change(model, state, row) &&
         (state->multipliers[row->source] > 0.0
              ? jams || (is_long && gains)
              : is_long || (gains && !hangs_slack(model, before, rows, row, rounding)));
}

// (7q) Whether a strand slips and pulls on what others pull on, and (3a) had no solution for them.
static bool may_contradict(const rl_model *model, const rl_state *state, const rl_rows *rows,
                           const rl_row *row) {
  return rows->unsolved[row->source] && may_jam(model, row) && slips(model, state, row) &&
         state->multipliers[row->source] > 0.0;
}

// (7q) Whether strands for which (3a) had no solution come out as too long.
static bool leaves_contradiction(const rl_model *model, const rl_state *state,
                                 const rl_state *before, rl_rows *rows) {
  bool any = false;
  for (uint32_t r = 0; r < rows->row_count && model->split_capacity > 0 && !any; r++) {
    rl_row *row = &rows->rows[r];
    if (row->kind == RL_ROW_SPAN && row->piece_count > 0 && rows->unsolved[row->source] &&
        row->compliance == 0.0) {
      rl_row_evaluate(model, state, rows, row, state->points);
      any = comes_out_long(model, before, row,
                           rl_wrap_rounding * state->path_lengths[model->link_rope[row->item]]);
    }
  }
  return any;
}

// Makes the wraps of a strand stick that do not slide. Returns whether a grip has changed.
static bool stick(const rl_model *model, rl_state *state, const rl_row *strand) {
  rl_wrap *wraps = rl_wraps_of(model, state, model->link_rope[strand->item]);
  bool changed = false;
  for (uint32_t k = strand->first_piece; k + 1 < strand->first_piece + strand->piece_count; k++) {
    changed = (wraps[k].grip != RL_SLIDES && regrip(&wraps[k], RL_STICKS)) || changed;
  }
  return changed;
}

// (23g) of papers/changes.md: makes strands stick that slip, that no pull makes shorter, and that
// still get longer after a catch, by more than round-off in a step of dt [s].
static bool stick_uncaught(const rl_model *model, const rl_state *state, const rl_rows *rows,
                           rl_state *before, double dt) {
  bool changed = false;
  for (uint32_t r = 0; r < rows->row_count; r++) {
    const rl_row *row = &rows->rows[r];
    const bool escapes =
        may_jam(model, row) && slips(model, state, row) && rl_strand_jams(model, state, row) &&
        rl_is_taut(model, row->value) && !rl_wraps_is_loop(model, model->link_rope[row->item]) &&
        dt * rl_row_rate(rows, row, state->velocities) > rl_wrap_rounding * model->reach;
    changed = (escapes && stick(model, before, row)) || changed;
  }
  return changed;
}

bool rl_wraps_judge_catch(const rl_model *model, const rl_state *state, const rl_rows *rows,
                          rl_state *before, double dt, bool last) {
  bool changed = stick_uncaught(model, state, rows, before, dt);
  for (uint32_t r = 0; r < model->rope_count; r++) {
    if (model->ropes[r].wrap_capacity > 0 && model->ropes[r].rubs && !rl_wraps_is_loop(model, r)) {
      changed = judge_turned(model, state, r, rl_wraps_of(model, before, r)) || changed;
      changed = (!last && judge_stuck(model, state, r, NULL, 0, 0, before)) || changed;
    }
  }
  return changed;
}

// Whether a strand is taut, or can become so in a step of dt [s], at twice its rate and falling.
static bool needs_tension(const rl_model *model, const rl_state *state, const rl_rows *rows,
                          const rl_row *row, double dt) {
  const double rounding = rl_wrap_rounding * state->path_lengths[model->link_rope[row->item]];
  const double rate = rl_row_rate(rows, row, state->velocities);
  return row->value + dt * (2.0 * fmax(rate, 0.0) + dt * rl_length(model->gravity)) >= -rounding;
}

bool rl_wraps_stick_jammed(const rl_model *model, rl_state *state, rl_state *before, rl_rows *rows,
                           double dt) {
  if (model->split_capacity == 0) {
    return false;
  }
  memset(rows->propped, 0, rl_unknown_capacity(model) * sizeof *rows->propped);
  memset(rows->unsolved, 0, rl_unknown_capacity(model) * sizeof *rows->unsolved);
  bool any = false, changed = false;
  for (uint32_t r = 0; r < rows->row_count && !any; r++) {
    any = rl_wraps_is_jammed(model, state, rows, &rows->rows[r]);
  }
  if (any) {
    rl_strands_find_propped(model, state, rows);
  }
  for (uint32_t r = 0; r < rows->row_count && any; r++) {
    rl_row *row = &rows->rows[r];
    if (rl_wraps_is_jammed(model, state, rows, row) && needs_tension(model, state, rows, row, dt)) {
      stick(model, before, row);
      changed = stick(model, state, row) || changed;
    }
  }
  return changed;
}

bool rl_wraps_stick_jammed_ahead(const rl_model *model, const rl_state *state, rl_state *before,
                                 rl_rows *rows, bool gains, bool sticks) {
  bool changed = false;
  const bool contradicts = leaves_contradiction(model, state, before, rows);
  for (uint32_t r = 0; r < rows->row_count; r++) {
    rl_row *row = &rows->rows[r];
    if ((contradicts && may_contradict(model, state, rows, row)) ||
        (may_jam(model, row) && is_jammed_ahead(model, state, before, rows, row, gains))) {
      changed = !sticks || stick(model, before, row) || changed;
    }
  }
  return changed;
}

// Whether a strand is too long at the end of a step, by its rate then.
static bool ends_long(const rl_model *model, const rl_state *state, const rl_state *before,
                      const rl_rows *rows, const rl_row *row, double dt) {
  const uint32_t rope = model->link_rope[row->item];
  const double rate = rl_row_rate(rows, row, state->velocities);
  return rl_wrap_excess(model, before, rope, row->first_piece, row->piece_count) + dt * rate >
         rl_wrap_rounding * state->path_lengths[rope];
}

bool rl_wraps_stick_unheld(const rl_model *model, const rl_state *state, rl_state *before,
                           const rl_rows *rows, double dt, bool sticks) {
  bool changed = false, contradicts = false;
  for (uint32_t r = 0; r < rows->row_count && model->split_capacity > 0; r++) {
    const rl_row *row = &rows->rows[r];
    contradicts = contradicts ||
                  (row->kind == RL_ROW_SPAN && row->piece_count > 0 &&
                   rows->unsolved[row->source] && ends_long(model, state, before, rows, row, dt));
  }
  for (uint32_t r = 0; r < rows->row_count && model->split_capacity > 0; r++) {
    const rl_row *row = &rows->rows[r];
    if (!may_jam(model, row) || !slips(model, state, row)) {
      continue;
    }
    if ((contradicts && may_contradict(model, state, rows, row)) ||
        (rl_strand_jams(model, state, row) && ends_long(model, state, before, rows, row, dt))) {
      changed = !sticks || stick(model, before, row) || changed;
    }
  }
  return changed;
}
