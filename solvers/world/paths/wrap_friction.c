// SPDX-License-Identifier: GPL-3.0-or-later
// Friction on wraps: which of them hold, and what flows over those that do not.
#include "../trigonometry.h"
#include "wrap_internal.h"

#include <string.h>

// Of a tension: friction that holds is not given up for less than this.
static const double grip_tolerance = 1e-10;

// Of a rest length: a piece on a winch that is shorter by less than this is taut.
static const double reel_tolerance = 1e-12;

// A strain is found to so much: what is left is rounding of the lengths.
static const double strain_tolerance = 1e-15;

// Of the tension on one side that on the other is so many times at most while the rope slips: it
// comes to hold any within a step.
static const double most_pull = 1e12;

// A rope that slips along itself, and leaves its plane on an arc of more than this, leaves it
// [rad].
static const double out_of_plane = 1e-9;

// Of a length: less than this is no jump.
static const double jump_tolerance = 1e-9;

double rl_wrap_friction(const rl_model *model, uint32_t rope, const rl_wrap *wrap) {
  // On a seam the rope does not bend: it only goes from one piece of the surface to the next.
  const bool seam = wrap->body != RL_NONE && rl_wrap_part(model, wrap)->shape == RL_CAPSULE &&
                    wrap->feature >= RL_FEATURE_SEAM;
  return seam                    ? 0.0
         : wrap->body == RL_NONE ? model->eye_frictions[wrap->part]
                                 : model->frictions[(size_t)rope * model->body_count + wrap->body];
}

// The largest ratio of the tensions beside a wrap that friction can hold: exp(mu phi) on an arc and
// in an eye, which is round and small,
// (1 + mu tan(phi/2)) / (1 - mu tan(phi/2)) on an edge, which locks where the denominator is none.
static double largest_pull(double friction, const rl_path_item *item) {
  if (rl_wrap_is_round(item) || item->kind == RL_PATH_POINT) {
    return rl_exp(friction * fmax(item->turn, 0.0));
  }
  double s, c;
  rl_sincos(0.5 * (item->corner > 0.0 ? item->corner : item->turn), &s, &c);
  const double up = c + friction * s, down = c - friction * s;
  const double pull = down > 0.0 ? up / down : INFINITY;
  return item->corner > 0.0 ? sqrt(pull) : pull; // both in a corner are one vertex
}

// Of a wrap that is held on a ball: the angle of the arcs on which all friction goes sideways, and
// the angle by which the places beside it are seen from the centre [rad].
static rl_path_departure departure_of(double friction, const rl_path_item *item) {
  const rl_path_round round = {item->at, item->side, item->radius, false, false};
  const rl_path_departure on = rl_path_depart(&round, item[-1].exit, friction);
  const rl_path_departure off = rl_path_depart(&round, item[1].entry, friction);
  return (rl_path_departure){on.bent + off.bent, on.seen + item->wrap + off.seen};
}

// The same of a wrap; (19) where it is held on a ball.
static double pull_held(const rl_model *model, const rl_state *state, uint32_t rope,
                        uint32_t index) {
  const rl_wrap *wrap = &rl_wraps_of(model, state, rope)[index];
  const rl_path_item *item = &rl_path_items(state, rope)[index + 1];
  const double friction = rl_wrap_friction(model, rope, wrap);
  const double bent = wrap->held ? departure_of(friction, item).bent : 0.0;
  return bent > 0.0 ? rl_exp(friction * fmax(item->wrap - bent, 0.0))
                    : largest_pull(friction, item);
}

double rl_wrap_pull(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t index) {
  const rl_wrap *wrap = &rl_wraps_of(model, state, rope)[index];
  if (wrap->grip != RL_SLIPS_ON && wrap->grip != RL_SLIPS_BACK) {
    return 1.0;
  }
  const double pull = fmin(pull_held(model, state, rope, index), most_pull);
  return wrap->grip == RL_SLIPS_ON ? pull : 1.0 / pull;
}

// The same of the piece behind a piece, which may be the last.
static double pull_behind(const rl_model *model, const rl_state *state, uint32_t rope,
                          uint32_t piece) {
  return piece < state->wrap_counts[rope] ? rl_wrap_pull(model, state, rope, piece) : 1.0;
}

// (9) Rest lengths r_k = L_k/(1 + c_k eps) of the pieces of an elastic strand, c_k their tensions
// over that of the first, whose strain eps makes their sum what there is. From 0 Newton's method
// comes up to it from below, for the sum is convex.
static void share_strain(const rl_model *model, const rl_state *state, uint32_t index,
                         rl_strand *strand, const rl_point *points) {
  for (double step = INFINITY, last = -1.0; step > strain_tolerance && strand->strain > last;) {
    last = strand->strain;
    double rest = 0.0, slope = 0.0, pull = 1.0;
    strand->stretch = strand->squares = 0.0;
    for (uint32_t k = strand->first_piece; k < strand->first_piece + strand->piece_count; k++) {
      const double length = rl_wrap_piece_length(model, state, index, k, points);
      const double own = length / (1.0 + pull * strand->strain);
      rest += own;
      strand->stretch += pull * own;
      strand->squares += pull * pull * own;
      slope += pull * own / (1.0 + pull * strand->strain);
      pull *= pull_behind(model, state, index, k);
    }
    step = (rest - strand->rest) / slope;
    strand->strain += fmax(step, 0.0);
  }
}

// With rest length `paid` out to it beyond what the state has [m].
static rl_strand strand_of(const rl_model *model, const rl_state *state, uint32_t index,
                           uint32_t first_piece, const rl_point *points, double paid) {
  const rl_rope *rope = &model->ropes[index];
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  rl_path_item *items = rl_path_items(state, index);
  const uint32_t count = state->wrap_counts[index];
  rl_strand strand = {.first_piece = first_piece};
  const bool closes = first_piece == 0 && rl_wraps_is_loop(model, index);
  const uint32_t begin = closes ? count : first_piece; // the item where it begins
  strand.length = closes ? items[count].piece : 0.0;
  if (begin > 0 && (!closes || wraps[begin - 1].grip == RL_STICKS)) {
    strand.length += items[begin].arc -
                     rl_wrap_before_mark(model, state, &wraps[begin - 1], &items[begin], points);
  }
  bool slips = false;
  for (uint32_t piece = first_piece; piece < rl_wraps_pieces(model, state, index); piece++) {
    const double rest = rope->rubs   ? rl_wrap_piece_rest(model, state, index, piece)
                        : piece == 0 ? state->links[rope->first_link].rest
                                     : 0.0;
    strand.piece_count++;
    strand.length += items[piece].piece;
    strand.rest += rest;
    if (piece < count && wraps[piece].grip == RL_STICKS) {
      strand.length += rl_wrap_before_mark(model, state, &wraps[piece], &items[piece + 1], points);
      break;
    }
    if (piece < count) {
      slips = slips || wraps[piece].grip != RL_SLIDES;
      strand.length += items[piece + 1].arc;
    }
  }
  strand.rest += paid;
  strand.stretch = strand.squares = strand.rest;
  if (isfinite(rope->stiffness)) {
    strand.strain = strand.rest > 0.0 ? fmax(strand.length - strand.rest, 0.0) / strand.rest : 0.0;
    if (slips) {
      strand.strain = 0.0;
      share_strain(model, state, index, &strand, points);
    }
  }
  return strand;
}

rl_strand rl_wrap_strand(const rl_model *model, const rl_state *state, uint32_t index,
                         uint32_t first_piece, const rl_point *points) {
  return strand_of(model, state, index, first_piece, points, 0.0);
}

// What an item of the path is held by: a body, RL_NONE for what never moves, or `moving` for a node
// that moves by itself.
static const uint32_t moving = RL_NONE - 1;

static uint32_t carrier_of(const rl_model *model, const rl_state *state, uint32_t index,
                           uint32_t item) {
  const rl_rope *rope = &model->ropes[index];
  const uint32_t count = state->wrap_counts[index];
  uint32_t body;
  item = item == 0 && rl_wraps_is_loop(model, index) ? count : item;
  if (item == 0 || item == count + 1) {
    const uint32_t slot = rope->ends[item == 0 ? 0 : 1];
    body = rl_tied_body(model, slot);
    if (body == RL_NONE) {
      return state->points[slot].w > 0.0 ? moving : RL_NONE;
    }
  } else {
    const rl_wrap *wrap = &rl_wraps_of(model, state, index)[item - 1];
    const uint32_t slot = wrap->body == RL_NONE ? model->eyes[wrap->part].slot : RL_NONE;
    body = wrap->body != RL_NONE ? wrap->body
           : slot == RL_NONE     ? RL_NONE
                                 : slot - model->node_count;
  }
  return body != RL_NONE && model->bodies[body].motion == RL_FIXED ? RL_NONE : body;
}

bool rl_wrap_is_inert(const rl_model *model, const rl_state *state, uint32_t index,
                      uint32_t first_piece, uint32_t piece_count) {
  const uint32_t carrier = carrier_of(model, state, index, first_piece);
  bool inert = carrier != moving;
  for (uint32_t k = 1; k <= piece_count && inert; k++) {
    inert = carrier_of(model, state, index, first_piece + k) == carrier;
  }
  return inert;
}

// The tension of each piece, from the multipliers of its strand; `split` counts the splits of the
// ropes before.
static void find_tensions(const rl_model *model, rl_state *state, uint32_t index, size_t *split) {
  const size_t first_split = (size_t)model->link_count + (size_t)state->contact_count;
  rl_wrap *wraps = rl_wraps_of(model, state, index);
  const double first = state->multipliers[model->ropes[index].first_link];
  const uint32_t last = rl_wraps_pieces(model, state, index) - 1; // a loop begins again there
  double tension = first;
  for (uint32_t i = 0; i < state->wrap_counts[index]; i++) {
    tension = wraps[i].grip != RL_STICKS ? tension * rl_wrap_pull(model, state, index, i)
              : i < last                 ? state->multipliers[first_split + (*split)++]
                                         : first;
    wraps[i].tension = tension;
  }
}

static double *piece_tension(const rl_model *model, const rl_state *state, uint32_t index,
                             uint32_t piece) {
  return piece == 0 ? &state->multipliers[model->ropes[index].first_link]
                    : &rl_wraps_of(model, state, index)[piece - 1].tension;
}

double rl_wrap_piece_tension(const rl_model *model, const rl_state *state, uint32_t index,
                             uint32_t piece) {
  return *piece_tension(model, state, index, piece);
}

// (7a) Of what friction on a wrap that sticks allows beside another tension, what is nearest to
// one. On a locked edge, beside what is slack, 0 inf bounds nothing.
static double allowed(const rl_model *model, const rl_state *state, uint32_t index, uint32_t wrap,
                      double tension, double beside) {
  const double pull = pull_held(model, state, index, wrap);
  return fmax(fmin(tension, beside * pull), beside / pull);
}

// (7a) The tensions of pieces first ... end - 1, which nothing can move, from those in the state
// before: from what is beyond them back to the first, and from what is before that on again.
static void choose_run(const rl_model *model, const rl_state *before, rl_state *state,
                       uint32_t index, uint32_t first, uint32_t end) {
  const bool goes_on = end <= state->wrap_counts[index];
  const double beside = first > 0 ? *piece_tension(model, state, index, first - 1)
                        : goes_on ? *piece_tension(model, state, index, end)
                                  : 0.0;
  for (uint32_t p = end; p-- > first;) {
    const double was = *piece_tension(model, before, index, p);
    double *tension = piece_tension(model, state, index, p);
    *tension = was > 0.0 ? was : beside;
    if (p + 1 < end || goes_on) {
      const double behind = *piece_tension(model, state, index, p + 1);
      *tension = allowed(model, state, index, p, *tension, behind);
    }
  }
  for (uint32_t p = first > 0 ? first : 1; p < end; p++) {
    double *tension = piece_tension(model, state, index, p);
    const double back = *piece_tension(model, state, index, p - 1);
    *tension = allowed(model, state, index, p - 1, *tension, back);
  }
}

// The same of all such pieces of a rope. Of an elastic one their stretch says what they pull.
static void choose_tensions(const rl_model *model, const rl_state *before, rl_state *state,
                            uint32_t index) {
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  const uint32_t count = state->wrap_counts[index];
  if (!model->ropes[index].rubs || isfinite(model->ropes[index].stiffness) ||
      rl_wraps_is_loop(model, index)) {
    return;
  }
  for (uint32_t first = 0, p = 0; p <= count + 1; p++) {
    const bool is_inert = p <= count && (p == 0 || wraps[p - 1].grip == RL_STICKS) &&
                          (p == count || wraps[p].grip == RL_STICKS) &&
                          rl_wrap_is_inert(model, state, index, p, 1);
    if (!is_inert) {
      choose_run(model, before, state, index, first, p); // none, if it is empty
      first = p + 1;
    }
  }
}

// Of a piece with a rest length of its own; 0: slack, or the rope is not elastic.
static double strain(const rl_model *model, const rl_state *state, uint32_t index, uint32_t piece) {
  if (isinf(model->ropes[index].stiffness)) {
    return 0.0;
  }
  const double length = rl_wrap_piece_length(model, state, index, piece, state->points);
  const double rest = rl_wrap_piece_rest(model, state, index, piece);
  return rest > 0.0 ? fmax(length / rest - 1.0, 0.0) : 0.0;
}

// How much shorter than (9) asks for the rest length is that a piece of an elastic strand has.
// Where it has just begun to slip that is what each side had, and it comes there at once [m].
static double unsettled(const rl_model *model, const rl_state *state, uint32_t index,
                        rl_strand strand, uint32_t piece) {
  if (!(strand.strain > 0.0)) {
    return 0.0;
  }
  double pull = 1.0;
  for (uint32_t k = strand.first_piece; k < piece; k++) {
    pull *= pull_behind(model, state, index, k);
  }
  return rl_wrap_piece_length(model, state, index, piece, state->points) /
             (1.0 + pull * strand.strain) -
         rl_wrap_piece_rest(model, state, index, piece);
}

// How rope has flowed through the wraps of a strand since the step before, so that each piece has
// what its tension asks for; `apply`: it has the rest lengths that follow.
static void flow(const rl_model *model, const rl_state *before, rl_state *state, uint32_t index,
                 rl_strand strand, double dt, bool apply) {
  rl_wrap *wraps = rl_wraps_of(model, state, index);
  const uint32_t end = strand.first_piece + strand.piece_count;
  const rl_strand was =
      strand.strain > 0.0 ? rl_wrap_strand(model, before, index, strand.first_piece, before->points)
                          : (rl_strand){.strain = 0.0};
  double needed = 0.0, pull = 1.0;
  bool taut = false;
  for (uint32_t p = strand.first_piece; p < end; p++) {
    const double length = rl_wrap_piece_length(model, state, index, p, state->points);
    needed += length / (1.0 + pull * strand.strain);
    pull *= pull_behind(model, state, index, p);
    taut = taut || rl_wrap_piece_tension(model, state, index, p) > 0.0 ||
           length > rl_wrap_piece_rest(model, state, index, p);
  }
  double flowed = 0.0;
  pull = 1.0;
  for (uint32_t p = strand.first_piece; p + 1 < end; p++) {
    const double length = rl_wrap_piece_length(model, state, index, p, state->points);
    const double old = rl_wrap_piece_rest(model, state, index, p);
    const double now = taut ? length / (1.0 + pull * strand.strain) * strand.rest / needed : old;
    pull *= pull_behind(model, state, index, p);
    flowed += old + unsettled(model, before, index, was, p) - now;
    wraps[p].slip = flowed / dt;
  }
  double settled = 0.0;
  for (uint32_t p = end - 1; p-- > strand.first_piece && apply;) {
    settled += unsettled(model, before, index, was, p + 1);
    const double moved = wraps[p].slip * dt + settled; // through the wrap behind piece p
    wraps[p].rest += moved;
    if (p > 0) {
      wraps[p - 1].rest -= moved;
    }
  }
}

// What a strand gives to friction as its pieces come to (9) where they are [J].
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

// (10) What rope gives to friction as it flows through the wraps of a strand, each by its slip: the
// sum of slip (h behind - h before), h = T + T^2/(2 EA), with the tensions that a state has [W].
static double flow_power(const rl_model *model, const rl_state *state, uint32_t index,
                         rl_strand strand, const rl_wrap *flowed) {
  double power = 0.0, pull = 1.0;
  for (uint32_t p = strand.first_piece; p + 1 < strand.first_piece + strand.piece_count; p++) {
    const double before = pull * strand.strain;
    pull *= pull_behind(model, state, index, p);
    const double behind = pull * strand.strain;
    power += flowed[p].slip * (behind - before) * (1.0 + 0.5 * (behind + before));
  }
  return power * model->ropes[index].stiffness;
}

// Changes the grip of a wrap in the state before the step; true if it is another one.
static bool regrip(rl_wrap *wrap, rl_grip grip) {
  const bool changed = wrap->grip != (uint32_t)grip;
  wrap->grip = (uint32_t)grip;
  return changed;
}

// The tensions beside wraps that stick: the means of the step. But a strand that is slack at the
// end of it, while the one on the other side pulls, holds nothing any more, whatever it pulled
// before: `last` are the impulses at the end, where they are known.
typedef struct pulls {
  double back, on;
} pulls;

static pulls pulls_beside(const double *last, size_t behind, size_t ahead, double back, double on) {
  const bool back_pulls = !last || last[behind] != 0.0, on_pulls = !last || last[ahead] != 0.0;
  return (pulls){back_pulls || !on_pulls ? back : 0.0, on_pulls || !back_pulls ? on : 0.0};
}

// Wraps first ... last stick, with pieces between them whose tension friction is free to choose: of
// those beside them one may be as many times the other as all of them together can hold.
static bool judge_sticking(const rl_model *model, const rl_state *state, uint32_t index,
                           uint32_t first, uint32_t last, pulls beside, rl_wrap *before) {
  const double back = beside.back, on = beside.on;
  double all = 1.0 + grip_tolerance;
  for (uint32_t i = first; i <= last; i++) {
    all *= pull_held(model, state, index, i);
  }
  bool changed = false;
  for (uint32_t i = first; i <= last; i++) {
    changed = (on > all * back   ? regrip(&before[i], RL_SLIPS_ON)
               : back > all * on ? regrip(&before[i], RL_SLIPS_BACK)
                                 : false) ||
              changed;
  }
  return changed;
}

// What a piece pulls between an end and a wrap that cannot give, if it is elastic or a winch runs
// there: nothing while it is slack; what it is stretched to; or whatever it takes.
static double reeled_pull(const rl_model *model, const rl_state *state, uint32_t index,
                          uint32_t piece, double rate) {
  const double rest = rl_wrap_piece_rest(model, state, index, piece);
  const double excess = rl_wrap_piece_length(model, state, index, piece, state->points) - rest;
  const double stiffness = model->ropes[index].stiffness;
  if (isinf(stiffness)) {
    return rate < 0.0 && excess >= -reel_tolerance * rest ? INFINITY : 0.0;
  }
  return stiffness * fmax(excess, 0.0) / rest;
}

// `ahead`: the unknown of its first split.
static bool judge_wraps(const rl_model *model, rl_state *state, uint32_t index, const double *last,
                        size_t ahead, rl_wrap *before) {
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  const uint32_t count = state->wrap_counts[index];
  size_t behind = model->ropes[index].first_link;
  bool changed = false;
  for (uint32_t i = 0; i < count; i++) {
    const rl_wrap *wrap = &wraps[i];
    if (wrap->grip != RL_STICKS) {
      const double along = wrap->grip == RL_SLIPS_ON ? wrap->slip : -wrap->slip;
      const bool ends = (wrap->tension > 0.0 && along < 0.0) ||
                        isinf(pull_held(model, state, index, i)); // it holds any by now
      changed = (wrap->grip != RL_SLIDES && ends && regrip(&before[i], RL_STICKS)) || changed;
      continue;
    }
    const uint32_t first = i;
    while (i + 1 < count && wraps[i + 1].grip == RL_STICKS &&
           rl_wrap_is_inert(model, state, index, i + 1, 1)) {
      i++;
      ahead++;
    }
    // What is beside an end that cannot give holds whatever the rope pulls, but for a winch there;
    // if the rope is elastic, what it is stretched to.
    const bool is_loop = rl_wraps_is_loop(model, index); // which has no end
    const bool held[2] = {!is_loop && first == 0 && rl_wrap_is_inert(model, state, index, 0, 1),
                          !is_loop && i + 1 == count &&
                              rl_wrap_is_inert(model, state, index, count, 1)};
    const bool is_elastic = isfinite(model->ropes[index].stiffness);
    const double *reels = state->reels ? state->reels[index] : (const double[2]){0.0, 0.0};
    const bool reeled[2] = {held[0] && (is_elastic || reels[0] != 0.0),
                            held[1] && (is_elastic || reels[1] != 0.0)};
    pulls beside = pulls_beside(
        last, behind, is_loop && i + 1 == count ? model->ropes[index].first_link : ahead,
        rl_wrap_piece_tension(model, state, index, first), wraps[i].tension);
    beside.back = reeled[0] ? reeled_pull(model, state, index, 0, reels[0]) : beside.back;
    beside.on = reeled[1] ? reeled_pull(model, state, index, count, reels[1]) : beside.on;
    const bool holds = (held[0] && !reeled[0]) || (held[1] && !reeled[1]);
    changed = (!holds && judge_sticking(model, state, index, first, i, beside, before)) || changed;
    behind = ahead++;
  }
  return changed;
}

// The tension that a massless loop has gone round with is the one that it began with: it cannot
// slip everywhere. It sticks where friction can hold most.
static bool hold_loop(const rl_model *model, const rl_state *state, uint32_t index,
                      rl_wrap *before) {
  double most = 0.0;
  uint32_t best = RL_NONE;
  for (uint32_t i = 0; i < state->wrap_counts[index]; i++) {
    const double friction = rl_wrap_friction(model, index, &before[i]);
    const double pull =
        friction > 0.0 ? largest_pull(friction, &rl_path_items(state, index)[i + 1]) : 0.0;
    if (before[i].grip == RL_STICKS) {
      return false;
    }
    best = pull > most ? i : best;
    most = fmax(most, pull);
  }
  return best != RL_NONE && regrip(&before[best], RL_STICKS);
}

void rl_wraps_turn(const rl_model *model, rl_state *state, uint32_t index) {
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
  for (uint32_t k = 0; k < last; k++) { // the wraps before it come behind the others, one by one
    const rl_wrap first = wraps[0];
    memmove(&wraps[0], &wraps[1], (count - 1) * sizeof *wraps);
    wraps[count - 1] = first;
  }
  wraps[count - 1].rest = 0.0;
}

static bool has_slipped_off(const rl_model *model, const rl_state *state, const rl_wrap *wrap,
                            const rl_path_item *item) {
  return wrap->body != RL_NONE &&
         rl_wrap_has_slipped_off(wrap, item,
                                 rl_body_pose_at(model, state, state->points, wrap->body));
}

// Friction does not hold the rope in its plane on a ball any more: at the start of the step it goes
// where it is shortest. The pieces beside it share what they have.
static void let_go_of_ball(const rl_model *model, rl_state *before, uint32_t index, uint32_t i) {
  rl_wrap *wrap = &rl_wraps_of(model, before, index)[i];
  const double rest = rl_wrap_piece_rest(model, before, index, i) + wrap->rest;
  wrap->held = false;
  wrap->grip = RL_SLIDES;
  wrap->angle = 0.0;
  wrap->side = rl_vec(0.0, 0.0, 0.0);
  rl_wrap_path(model, before, index, before->points);
  rl_wrap_mark_middle(model, before, wrap, &rl_path_items(before, index)[i + 1]);
  const double back = rl_wrap_piece_length(model, before, index, i, before->points);
  const double on = rl_wrap_piece_length(model, before, index, i + 1, before->points);
  wrap->rest = rest * on / (back + on);
  if (i > 0) { // the first piece has what is left
    wrap[-1].rest = rest * back / (back + on);
  }
}

// Where a rope comes to more than half of a ball friction holds it in its plane, and lets it go
// where its arcs do not fit any more, or it slips along itself and out of its plane (19). Nothing
// holds a rope along itself while it slips off.
static bool judge_balls(const rl_model *model, const rl_state *state, rl_state *before,
                        uint32_t index) {
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  rl_wrap *then = rl_wraps_of(model, before, index);
  bool changed = false;
  for (uint32_t i = 0; i < state->wrap_counts[index]; i++) {
    const rl_path_item *item = &rl_path_items(state, index)[i + 1];
    if (wraps[i].held) {
      const bool slips = wraps[i].grip == RL_SLIPS_ON || wraps[i].grip == RL_SLIPS_BACK;
      const rl_path_departure d = departure_of(rl_wrap_friction(model, index, &wraps[i]), item);
      if (!(d.bent <= (slips ? out_of_plane : item->wrap))) {
        if (d.seen > RL_PI) {
          rl_wraps_note_slip(before, index, wraps[i].body);
        }
        let_go_of_ball(model, before, index, i);
        changed = true;
      }
    } else if (has_slipped_off(model, state, &wraps[i], item)) {
      const bool holds = rl_wrap_friction(model, index, &wraps[i]) > 0.0 &&
                         item->feature == RL_FEATURE_SIDE && !rl_wraps_is_loop(model, index);
      then[i].held = holds;
      changed = holds || regrip(&then[i], RL_SLIDES) || changed;
    }
  }
  return changed;
}

// How far what a rope is held by has moved within a step, at most [m].
static double moves_of(const rl_model *model, const rl_state *state, const rl_state *before,
                       uint32_t index) {
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  const uint32_t count = state->wrap_counts[index];
  const rl_path_item *now = rl_path_items(state, index), *then = rl_path_items(before, index);
  double sum =
      rl_distance(now[0].at, then[0].at) + rl_distance(now[count + 1].at, then[count + 1].at);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t body = wraps[i].body;
    if (body == RL_NONE) {
      sum += rl_distance(now[i + 1].at, then[i + 1].at);
      continue;
    }
    const uint32_t slot = rl_body_slot(model, body);
    const rl_quat a = state->rotations[body], b = before->rotations[body];
    const rl_vec3 turned = {a.x - b.x, a.y - b.y, a.z - b.z};
    sum +=
        2.0 * rl_distance(rl_position(&state->points[slot]), rl_position(&before->points[slot])) +
        4.0 * (rl_length(turned) + fabs(a.w - b.w)) * model->bodies[body].bound;
  }
  return sum;
}

// Where the point p of what an item of the path is held by in a state has gone to in another.
static rl_vec3 gone_to(const rl_model *model, const rl_state *from, const rl_state *to,
                       uint32_t index, uint32_t item, rl_vec3 p) {
  const uint32_t carrier = carrier_of(model, from, index, item);
  if (carrier == RL_NONE || carrier == moving) {
    const rl_vec3 was = rl_path_items(from, index)[item].at, is = rl_path_items(to, index)[item].at;
    return carrier == moving ? rl_add(p, rl_sub(is, was)) : p;
  }
  return rl_wrap_to_world(rl_body_pose_at(model, to, to->points, carrier),
                          rl_wrap_to_body(rl_body_pose_at(model, from, from->points, carrier), p));
}

double rl_wraps_change_along(const rl_model *model, const rl_state *from, const rl_state *to,
                             uint32_t index) {
  const rl_path_item *items = rl_path_items(from, index);
  double sum = 0.0;
  for (uint32_t k = 0; k <= from->wrap_counts[index]; k++) {
    const rl_vec3 x = items[k].exit, y = items[k + 1].entry;
    sum += rl_dot(items[k].out, rl_sub(rl_sub(gone_to(model, from, to, index, k + 1, y), y),
                                       rl_sub(gone_to(model, from, to, index, k, x), x)));
  }
  return sum;
}

// (15) Whether the shortest way that the rope followed has come to an end within the step: its
// length has jumped, by more than what its directions at the start and at the end tell, or there is
// no way. Leaves both paths solved.
static bool has_ended(const rl_model *model, const rl_state *state, const rl_state *before,
                      uint32_t index) {
  const double length = rl_wrap_path(model, state, index, state->points);
  const double was = rl_wrap_path(model, before, index, before->points);
  double jump = fabs(was - length) - jump_tolerance * was;
  if (jump > 0.0) {
    jump -= rl_wrap_bent_share * moves_of(model, state, before, index);
  }
  return isnan(length) ||
         (jump > 0.0 && jump > fabs(rl_wraps_change_along(model, before, state, index)) &&
          jump > fabs(rl_wraps_change_along(model, state, before, index)));
}

// The body on which the rope has moved most, with both paths solved; RL_NONE: it is on none.
static uint32_t most_moved(const rl_model *model, const rl_state *state, const rl_state *before,
                           uint32_t index) {
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  uint32_t body = RL_NONE;
  double most = 0.0;
  for (uint32_t i = 0; i < state->wrap_counts[index]; i++) {
    const rl_path_item *now = &rl_path_items(state, index)[i + 1];
    const rl_path_item *then = &rl_path_items(before, index)[i + 1];
    const double reach = rl_wrap_is_round(now) ? now->radius : 1.0;
    const double moved = reach * (fabs(now->wrap - then->wrap) + fabs(now->along - then->along));
    if (wraps[i].body != RL_NONE && !(moved < most)) { // where it is lost it is nowhere, nan
      most = isnan(moved) ? INFINITY : moved;
      body = wraps[i].body;
    }
  }
  return body;
}

uint32_t rl_wraps_ended_on(const rl_model *model, const rl_state *state, const rl_state *before,
                           uint32_t index) {
  return has_ended(model, state, before, index) ? most_moved(model, state, before, index) : RL_NONE;
}

// Where its way has ended (15) the rope slips off the body on which it has moved most, at the start
// of the step. If it would go through that body then, it does so only where that is `sure`. Leaves
// both paths solved.
static bool lose_path(const rl_model *model, const rl_state *state, rl_state *before,
                      uint32_t index, bool sure) {
  const bool ends = has_ended(model, state, before, index);
  const bool is_found = !isnan(state->path_lengths[index]);
  if (rl_wraps_is_loop(model, index)) { // it keeps its wraps as long as there is a way
    return !is_found && rl_wraps_leave_loop(model, state, before, index);
  }
  if (!ends) {
    return false;
  }
  const uint32_t over = is_found ? RL_NONE : rl_wraps_run_over(model, state, index);
  if (over != RL_NONE) { // an end has come into what the rope lies on
    return rl_wraps_slip_off(model, before, index, rl_wraps_of(model, state, index)[over].body,
                             RL_SLIP_RUN_OVER);
  }
  const uint32_t body = most_moved(model, state, before, index);
  return body != RL_NONE &&
         rl_wraps_slip_off(model, before, index, body,
                           sure || !is_found ? RL_SLIP_ANYWAY : RL_SLIP_IF_CLEAR);
}

bool rl_wraps_lose(const rl_model *model, const rl_state *state, rl_state *before) {
  for (uint32_t r = 0; r < model->rope_count; r++) {
    if (model->ropes[r].wrap_capacity > 0 && state->wrap_counts[r] > 0 &&
        lose_path(model, state, before, r, true)) {
      return true;
    }
  }
  return false;
}

bool rl_wraps_judge(const rl_model *model, rl_state *state, rl_state *before, const double *last,
                    double dt) {
  const size_t first_split = (size_t)model->link_count + (size_t)state->contact_count;
  bool changed = false;
  size_t split = 0;
  for (uint32_t r = 0; r < model->rope_count; r++) {
    const uint32_t count = model->ropes[r].wrap_capacity > 0 ? state->wrap_counts[r] : 0;
    if (count == 0) {
      continue;
    }
    if (lose_path(model, state, before, r, false)) {
      return true;
    }
    if (!model->ropes[r].rubs) {
      continue;
    }
    changed = judge_balls(model, state, before, r) || changed;
    const size_t ahead = first_split + split;
    find_tensions(model, state, r, &split);
    for (uint32_t p = 0; p < rl_wraps_pieces(model, state, r);) {
      const rl_strand strand = rl_wrap_strand(model, state, r, p, state->points);
      flow(model, before, state, r, strand, dt, false);
      p += strand.piece_count;
    }
    changed = judge_wraps(model, state, r, last, ahead, rl_wraps_of(model, before, r)) || changed;
    if (rl_wraps_is_loop(model, r)) {
      changed = hold_loop(model, state, r, rl_wraps_of(model, before, r)) || changed;
      rl_wraps_turn(model, before, r);
    }
  }
  return changed;
}

// Whether a strand slips where its pull would not slow it down, though one that sticks would. Of an
// elastic one the stretch says what it pulls.
static bool is_jammed(const rl_model *model, const rl_state *state, rl_rows *rows, rl_row *row) {
  static const double rounding = 1e-13;
  if (!model->ropes[model->link_rope[row->item]].rubs || row->piece_count < 2) {
    return false;
  }
  rl_row_evaluate(model, state, rows, row, state->points);
  double own = 0.0, pushed = 0.0;
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *e = &rows->entries[i];
    own += state->points[e->slot].w * rl_dot(e->gradient, e->gradient);
    pushed += state->points[e->slot].w * rl_dot(e->force, e->force);
  }
  return row->inverse_mass == 0.0 && row->compliance == 0.0 && own > rounding * pushed;
}

bool rl_wraps_jam(const rl_model *model, rl_state *state, rl_state *before, rl_rows *rows) {
  bool changed = false;
  for (uint32_t r = 0; r < rows->row_count; r++) {
    rl_row *row = &rows->rows[r];
    if (row->kind != RL_ROW_SPAN || !is_jammed(model, state, rows, row)) {
      continue;
    }
    const uint32_t index = model->link_rope[row->item];
    rl_wrap *wraps[2] = {rl_wraps_of(model, state, index), rl_wraps_of(model, before, index)};
    for (uint32_t k = row->first_piece; k + 1 < row->first_piece + row->piece_count; k++) {
      for (int i = 0; i < 2 && wraps[0][k].grip != RL_SLIDES; i++) {
        changed = regrip(&wraps[i][k], RL_STICKS) || changed;
      }
    }
  }
  return changed;
}

// Moves the marks to the middle of their wraps; with them the border of the rest lengths. Returns
// what is lost where rope with one strain joins rope with another (12) [J].
static double mark_again(const rl_model *model, rl_state *state, uint32_t index) {
  rl_wrap *wraps = rl_wraps_of(model, state, index);
  const uint32_t pieces = rl_wraps_pieces(model, state, index);
  double lost = 0.0;
  for (uint32_t i = 0; i < state->wrap_counts[index]; i++) {
    rl_path_item *item = &rl_path_items(state, index)[i + 1];
    const uint32_t next = i + 1 < pieces ? i + 1 : 0;
    const double way =
        0.5 * item->arc - rl_wrap_before_mark(model, state, &wraps[i], item, state->points);
    const double before = strain(model, state, index, i),
                 behind = strain(model, state, index, next);
    // What sticks comes as it was; what slips changes its strain all along the arc (11).
    const double own = wraps[i].grip != RL_STICKS ? 0.5 * (before + behind)
                       : way > 0.0                ? behind
                                                  : before;
    const double moved = way / (1.0 + own);
    if (wraps[i].grip == RL_STICKS && before != behind) {
      const double rest = rl_wrap_piece_rest(model, state, index, way > 0.0 ? i : next);
      lost += 0.5 * model->ropes[index].stiffness * (behind - before) * (behind - before) *
              fabs(moved) * rest / (rest + fabs(moved));
    }
    if (i + 1 < pieces) { // the first piece has what is left
      wraps[i].rest -= moved;
    }
    if (i > 0) {
      wraps[i - 1].rest += moved;
    }
    rl_wrap_mark_middle(model, state, &wraps[i], item);
  }
  return lost;
}

// The rest lengths that pieces ask for at positions which the winches are `dt` from.
static void find_rest_lengths(const rl_model *model, const rl_state *state, uint32_t index,
                              const rl_point *points, double dt, double *rests) {
  const uint32_t count = state->wrap_counts[index];
  const double *reels = state->reels ? state->reels[index] : (const double[2]){0.0, 0.0};
  rl_wrap_path(model, state, index, points);
  for (uint32_t p = 0; p < rl_wraps_pieces(model, state, index);) {
    rl_strand strand = strand_of(model, state, index, p, points, 0.0);
    const uint32_t end = p + strand.piece_count;
    const double paid = (p == 0 ? reels[0] : 0.0) + (end == count + 1 ? reels[1] : 0.0);
    if (paid != 0.0) {
      strand = strand_of(model, state, index, p, points, paid * dt);
    }
    for (double pull = 1.0; p < end; p++) {
      if (p < count) {
        rests[p] =
            rl_wrap_piece_length(model, state, index, p, points) / (1.0 + pull * strand.strain);
      }
      pull *= pull_behind(model, state, index, p);
    }
  }
}

void rl_wraps_slips(const rl_model *model, const rl_state *state, uint32_t index,
                    const rl_point *earlier, const rl_point *later, double dt, double *slips) {
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  const uint32_t count = state->wrap_counts[index];
  find_rest_lengths(model, state, index, earlier, -0.5 * dt, &slips[count]);
  find_rest_lengths(model, state, index, later, 0.5 * dt, slips);
  // What a winch pays out, and what a strand loses before a wrap, runs over it.
  double slip = state->reels ? state->reels[index][0] : 0.0;
  for (uint32_t p = 0; p < count; p++) {
    slip -= (slips[p] - slips[count + p]) / dt;
    slip = wraps[p].grip == RL_STICKS ? 0.0 : slip;
    slips[p] = slip;
  }
}

void rl_wraps_find_tensions(const rl_model *model, const rl_state *before, rl_state *state) {
  size_t split = 0;
  for (uint32_t r = 0; r < model->rope_count && model->wrap_capacity > 0; r++) {
    if (model->ropes[r].wrap_capacity > 0 && state->wrap_counts[r] > 0) {
      rl_wrap_path(model, state, r, state->points);
      find_tensions(model, state, r, &split);
      choose_tensions(model, before, state, r);
    }
  }
}

double rl_wraps_energy(const rl_model *model, const rl_state *state, uint32_t index) {
  double energy = 0.0;
  rl_wrap_path(model, state, index, state->points);
  for (uint32_t p = 0; p < rl_wraps_pieces(model, state, index);) {
    const rl_strand strand = rl_wrap_strand(model, state, index, p, state->points);
    energy += 0.5 * model->ropes[index].stiffness * strand.strain * strand.strain * strand.squares;
    p += strand.piece_count;
  }
  return energy;
}

// The path is solved, and not yet kept.
static void count_slips(const rl_model *model, rl_state *state, uint32_t index) {
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  for (uint32_t i = 0; i < state->wrap_counts[index]; i++) {
    if (has_slipped_off(model, state, &wraps[i], &rl_path_items(state, index)[i + 1])) {
      rl_wraps_note_slip(state, index, wraps[i].body);
    }
  }
}

// Takes rest length from a piece, of which the first one has what is left. By so much the rope is
// longer there (21), if it is not elastic.
static void take_rest(const rl_model *model, const rl_state *state, uint32_t index, uint32_t piece,
                      double rest) {
  if (piece > 0) {
    rl_wraps_of(model, state, index)[piece - 1].rest -= rest;
  }
  rl_wrap_growths(state, index)[piece] += isinf(model->ropes[index].stiffness) ? rest : 0.0;
}

void rl_wraps_forget_growths(const rl_state *state, uint32_t index, rl_strand strand) {
  double *growths = &rl_wrap_growths(state, index)[strand.first_piece];
  memset(growths, 0, strand.piece_count * sizeof *growths);
}

// (16) What an inert strand needs where the rope has slid sideways on its body since the step
// before: its length, if the rope is elastic so much less as it was stretched, or more as it was
// slack [m].
static double rest_needed(const rl_model *model, const rl_state *before, uint32_t index,
                          rl_strand strand) {
  if (isinf(model->ropes[index].stiffness)) {
    return strand.length;
  }
  const rl_strand was = rl_wrap_strand(model, before, index, strand.first_piece, before->points);
  return was.rest < was.length ? strand.length * was.rest / was.length
                               : strand.length + was.rest - was.length;
}

// (16) Strands over the items of one body change their length as the rope slides sideways on it.
// What they need they take from beyond, from where less is pulled, and what they do not need goes
// to where more is.
void rl_wraps_even_out(const rl_model *model, const rl_state *before, rl_state *state,
                       uint32_t index) {
  const uint32_t pieces = rl_wraps_pieces(model, state, index);
  uint32_t behind = RL_NONE; // the last piece of the last strand that something can change
  double needed = 0.0;
  for (uint32_t p = 0; p < pieces;) {
    const rl_strand strand = rl_wrap_strand(model, state, index, p, state->points);
    const uint32_t end = p + strand.piece_count;
    if (rl_wrap_is_inert(model, state, index, p, strand.piece_count)) {
      const double more = rest_needed(model, before, index, strand) - strand.rest;
      needed += more;
      take_rest(model, state, index, p, -more);
      rl_wraps_forget_growths(state, index, strand);
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
                     size_t *split, double dt, bool ended) {
  find_tensions(model, state, index, split);
  choose_tensions(model, before, state, index);
  count_slips(model, state, index);
  if (!model->ropes[index].rubs || ended) {
    return 0.0;
  }
  rl_wrap *wraps = rl_wraps_of(model, state, index);
  double lost = 0.0;
  const bool is_loop = rl_wraps_is_loop(model, index);
  if (!is_loop) { // first: what strands give to inert ones does not flow any more
    rl_wraps_even_out(model, before, state, index);
  }
  for (uint32_t p = 0; p < rl_wraps_pieces(model, state, index);) {
    const rl_strand strand = rl_wrap_strand(model, state, index, p, state->points);
    flow(model, before, state, index, strand, dt, true);
    if (strand.strain > 0.0 && strand.piece_count > 1) {
      const rl_strand was = rl_wrap_strand(model, before, index, p, before->points);
      lost += was.strain > 0.0 ? settling_loss(model, before, index, was) : 0.0;
      lost += 0.5 * dt * flow_power(model, before, index, was, wraps);
      lost += 0.5 * dt * flow_power(model, state, index, strand, wraps);
    }
    p += strand.piece_count;
    if (p <= state->wrap_counts[index] && wraps[p - 1].grip == RL_STICKS) {
      wraps[p - 1].slip = 0.0;
    }
  }
  return lost + mark_again(model, state, index);
}
