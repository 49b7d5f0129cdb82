// SPDX-License-Identifier: GPL-3.0-or-later
// The law of friction on wraps; the strands of a rope and the tensions of its pieces.
#include "../rotation.h"
#include "../trigonometry.h"
#include "wrap_internal.h"

// Newton's method for a strain ends at this step, below which the lengths are rounding.
static const double strain_tolerance = 1e-15;

// Largest ratio of the tensions beside a wrap that slips: (6) has a pole at the angle where it
// locks.
static const double largest_ratio = 1e12;

double rl_wrap_friction(const rl_model *model, uint32_t rope, const rl_wrap *wrap) {
  // On a seam the rope does not bend.
  const bool seam = wrap->body != RL_NONE && rl_wrap_part(model, wrap)->shape == RL_CAPSULE &&
                    wrap->feature >= RL_FEATURE_SEAM;
  return seam                    ? 0.0
         : wrap->body == RL_NONE ? model->eye_frictions[wrap->part]
                                 : model->frictions[(size_t)rope * model->body_count + wrap->body];
}

// (5) on an arc and in an eye, which counts as a small round body; (6) on an edge, which locks if
// its denominator is not positive.
double rl_wrap_largest_ratio(double friction, const rl_path_item *item) {
  if (rl_path_is_round(item) || item->kind == RL_PATH_POINT) {
    return rl_exp(friction * fmax(item->turn, 0.0));
  }
  double s, c;
  rl_sincos(0.5 * (item->corner > 0.0 ? item->corner : item->turn), &s, &c);
  const double up = c + friction * s, down = c - friction * s;
  const double ratio = down > 0.0 ? up / down : INFINITY;
  return item->corner > 0.0 ? sqrt(ratio) : ratio; // (6a) a corner is one vertex
}

rl_path_departure rl_wrap_departure(double friction, const rl_path_item *item, rl_vec3 axis) {
  const rl_path_round round = {.centre = item->at, .axis = axis, .radius = item->radius};
  const rl_path_departure on = rl_path_depart(&round, item[-1].exit, friction);
  const rl_path_departure off = rl_path_depart(&round, item[1].entry, friction);
  return (rl_path_departure){on.bent + off.bent, on.seen + item->wrap + off.seen};
}

double rl_wrap_holding_ratio(const rl_model *model, const rl_state *state, uint32_t rope,
                             uint32_t index) {
  const rl_wrap *wrap = &rl_wraps_of(model, state, rope)[index];
  const rl_path_item *item = &rl_path_items(state, rope)[index + 1];
  const double friction = rl_wrap_friction(model, rope, wrap);
  const double bent = wrap->held ? rl_wrap_departure(friction, item, item->side).bent : 0.0;
  return bent > 0.0 ? rl_exp(friction * fmax(item->wrap - bent, 0.0))
                    : rl_wrap_largest_ratio(friction, item);
}

double rl_wrap_tension_ratio(const rl_model *model, const rl_state *state, uint32_t rope,
                             uint32_t index) {
  const rl_wrap *wrap = &rl_wraps_of(model, state, rope)[index];
  if (!rl_wrap_slips(wrap)) {
    return 1.0;
  }
  const double ratio = fmin(rl_wrap_holding_ratio(model, state, rope, index), largest_ratio);
  return wrap->grip == RL_SLIPS_ON ? ratio : 1.0 / ratio;
}

double rl_wrap_tension_ratio_behind(const rl_model *model, const rl_state *state, uint32_t rope,
                                    uint32_t piece) {
  return piece < state->wrap_counts[rope] ? rl_wrap_tension_ratio(model, state, rope, piece) : 1.0;
}

// (9) Finds the strain e of the first piece of an elastic strand, with which the rest lengths
// L_k/(1 + c_k e) of its pieces, c_k their tensions over that of the first, have the sum `rest`.
// The sum is convex in e, so Newton's method from 0 approaches the solution from below.
static void share_strain(const rl_model *model, const rl_state *state, uint32_t index,
                         rl_strand *strand, const rl_point *points) {
  for (double step = INFINITY, last = -1.0; step > strain_tolerance && strand->strain > last;) {
    last = strand->strain;
    double rest = 0.0, slope = 0.0, ratio = 1.0;
    strand->stretch = strand->squares = 0.0;
    for (uint32_t k = strand->first_piece; k < strand->first_piece + strand->piece_count; k++) {
      const double length = rl_wrap_piece_length(model, state, index, k, points);
      const double own = length / (1.0 + ratio * strand->strain);
      rest += own;
      strand->stretch += ratio * own;
      strand->squares += ratio * ratio * own;
      slope += ratio * own / (1.0 + ratio * strand->strain);
      ratio *= rl_wrap_tension_ratio_behind(model, state, index, k);
    }
    step = (rest - strand->rest) / slope;
    strand->strain += fmax(step, 0.0);
  }
}

rl_strand rl_wrap_strand_paid(const rl_model *model, const rl_state *state, uint32_t index,
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
  for (uint32_t piece = first_piece; piece < rl_wraps_piece_count(model, state, index); piece++) {
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
  return rl_wrap_strand_paid(model, state, index, first_piece, points, 0.0);
}

uint32_t rl_wrap_carrier(const rl_model *model, const rl_state *state, uint32_t index,
                         uint32_t item) {
  const rl_rope *rope = &model->ropes[index];
  const uint32_t count = state->wrap_counts[index];
  uint32_t body;
  item = item == 0 && rl_wraps_is_loop(model, index) ? count : item;
  if (item == 0 || item == count + 1) {
    const uint32_t slot = rope->ends[item == 0 ? 0 : 1];
    body = rl_tied_body(model, slot);
    if (body == RL_NONE) {
      return state->points[slot].w > 0.0 ? rl_wrap_moving : RL_NONE;
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

uint32_t rl_wrap_slot(const rl_model *model, const rl_state *state, uint32_t index, uint32_t item) {
  const uint32_t count = state->wrap_counts[index];
  const bool is_loop = rl_wraps_is_loop(model, index);
  if ((item == 0 && !is_loop) || item == count + 1) {
    return rl_node_vertex(model, model->ropes[index].ends[item == 0 ? 0 : 1]).slot;
  }
  const rl_wrap *wrap = &rl_wraps_of(model, state, index)[item == 0 ? count - 1 : item - 1];
  const uint32_t slot =
      wrap->body == RL_NONE ? model->eyes[wrap->part].slot : rl_body_slot(model, wrap->body);
  const bool fixed = slot == RL_NONE || rl_slot_body(model, slot)->motion == RL_FIXED;
  return fixed ? RL_NONE : slot;
}

bool rl_wrap_is_inert(const rl_model *model, const rl_state *state, uint32_t index,
                      uint32_t first_piece, uint32_t piece_count) {
  const uint32_t carrier = rl_wrap_carrier(model, state, index, first_piece);
  bool inert = carrier != rl_wrap_moving;
  for (uint32_t k = 1; k <= piece_count && inert; k++) {
    inert = rl_wrap_carrier(model, state, index, first_piece + k) == carrier;
  }
  return inert;
}

// Whether the pull of a rope does not turn the body under an item of its path.
static bool turns_nothing(const rl_model *model, const rl_state *state, uint32_t body,
                          const rl_path_item *item) {
  const rl_body_pose at = rl_body_pose_at(model, state, state->points, body);
  const rl_body *b = &model->bodies[body];
  return rl_is_zero(
      rl_spin_turn(rl_spin_lever(b, at.rotation, rl_sub(item->entry, at.centre), item->in),
                   rl_spin_lever(b, at.rotation, rl_sub(item->exit, at.centre), item->out)));
}

// That moves as prescribed, or is a wheel within the strand, which turns as it did.
bool rl_wrap_is_prescribed(const rl_model *model, const rl_state *state, uint32_t index,
                           uint32_t item, bool within) {
  const uint32_t carrier = rl_wrap_carrier(model, state, index, item);
  const uint32_t body = carrier == rl_wrap_moving ? RL_NONE : carrier;
  const uint32_t spin = body == RL_NONE ? RL_NONE : model->bodies[body].spin_slot;
  return carrier != rl_wrap_moving &&
         (body == RL_NONE || state->points[rl_body_slot(model, body)].w == 0.0) &&
         (spin == RL_NONE || state->points[spin].w == 0.0 ||
          (within && turns_nothing(model, state, body, &rl_path_items(state, index)[item])));
}

bool rl_wrap_is_led(const rl_model *model, const rl_state *state, uint32_t index,
                    uint32_t first_piece, uint32_t piece_count) {
  bool led = true;
  for (uint32_t k = 0; k <= piece_count && led; k++) {
    led = rl_wrap_is_prescribed(model, state, index, first_piece + k, k > 0 && k < piece_count);
  }
  return led;
}

bool rl_wrap_rubs(const rl_model *model, const rl_state *state, uint32_t index,
                  uint32_t first_piece, uint32_t piece_count) {
  bool rubs = false;
  for (uint32_t k = 1; k < piece_count && !rubs; k++) {
    const rl_wrap *wrap = &rl_wraps_of(model, state, index)[first_piece + k - 1];
    rubs = rl_wrap_slips(wrap) && rl_wrap_carrier(model, state, index, first_piece + k) != RL_NONE;
  }
  return rubs;
}

double rl_wrap_excess(const rl_model *model, const rl_state *state, uint32_t index,
                      uint32_t first_piece, uint32_t piece_count) {
  double excess = 0.0;
  for (uint32_t p = first_piece; p < first_piece + piece_count; p++) {
    excess += rl_wrap_piece_length(model, state, index, p, state->points) -
              rl_wrap_piece_rest(model, state, index, p);
  }
  return excess;
}

void rl_wrap_draw(const rl_model *model, const rl_state *state, uint32_t index, uint32_t piece,
                  rl_drawing *drawing) {
  const rl_path_item *from = &rl_path_items(state, index)[piece], *to = from + 1;
  const rl_vec3 off =
      rl_velocity_at(model, state, rl_wrap_slot(model, state, index, piece), from->exit);
  const rl_vec3 on =
      rl_velocity_at(model, state, rl_wrap_slot(model, state, index, piece + 1), to->entry);
  drawing->rate -= rl_dot(from->out, off);
  drawing->rate += rl_dot(to->in, on);
  drawing->speed += rl_length(off) + rl_length(on);
}

uint32_t rl_wrap_strand_pieces(const rl_model *model, const rl_state *state, uint32_t index,
                               uint32_t first_piece) {
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  uint32_t last = first_piece;
  while (last + 1 < rl_wraps_piece_count(model, state, index) && wraps[last].grip != RL_STICKS) {
    last++;
  }
  return last - first_piece + 1;
}

void rl_wraps_read_tensions(const rl_model *model, rl_state *state, uint32_t index, size_t *split) {
  const size_t first_split = rl_first_split(model, state);
  rl_wrap *wraps = rl_wraps_of(model, state, index);
  const double first = state->multipliers[model->ropes[index].first_link];
  const uint32_t last =
      rl_wraps_piece_count(model, state, index) - 1; // behind wrap `last` a loop has piece 0
  double tension = first;
  for (uint32_t i = 0; i < state->wrap_counts[index]; i++) {
    tension = wraps[i].grip != RL_STICKS ? tension * rl_wrap_tension_ratio(model, state, index, i)
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

void rl_wraps_add_tensions(const rl_model *model, rl_state *state, const rl_row *strand,
                           double tension) {
  const uint32_t index = model->link_rope[strand->item];
  const uint32_t end = strand->first_piece + strand->piece_count;
  for (uint32_t p = strand->first_piece; p < end; p++) {
    *piece_tension(model, state, index, p) += tension;
    tension *= p + 1 < end ? rl_wrap_tension_ratio(model, state, index, p) : 1.0;
  }
}

// (7a) Returns the tension nearest to `tension` that friction on a wrap allows next to the tension
// `beside`. On a locked edge next to a slack piece 0 inf = nan bounds nothing.
static double allowed(const rl_model *model, const rl_state *state, uint32_t index, uint32_t wrap,
                      double tension, double beside) {
  const double ratio = rl_wrap_holding_ratio(model, state, index, wrap);
  return fmax(fmin(tension, beside * ratio), beside / ratio);
}

// (7a) Chooses the tensions of the inert pieces first ... end - 1 from those in the state before,
// in two passes: backwards from the piece behind them, and forwards from the piece before them.
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

// Whether only friction beside a strand bounds its tension: it is inert, or led and not slack.
static bool is_held(const rl_model *model, const rl_state *state, uint32_t index, uint32_t first,
                    uint32_t pieces) {
  return rl_wrap_is_inert(model, state, index, first, pieces) ||
         (rl_wrap_is_led(model, state, index, first, pieces) &&
          !rl_wrap_rubs(model, state, index, first, pieces) &&
          rl_wrap_excess(model, state, index, first, pieces) >=
              -rl_wrap_rounding * state->path_lengths[index]);
}

void rl_wraps_choose_tensions(const rl_model *model, const rl_state *before, rl_state *state,
                              uint32_t index) {
  const uint32_t count = state->wrap_counts[index];
  if (!model->ropes[index].rubs || isfinite(model->ropes[index].stiffness) ||
      rl_wraps_is_loop(model, index)) {
    return;
  }
  uint32_t first = 0, pieces;
  for (uint32_t p = 0; p <= count; p += pieces) {
    pieces = rl_wrap_strand_pieces(model, state, index, p);
    if (!is_held(model, state, index, p, pieces)) {
      choose_run(model, before, state, index, first, p); // does nothing if the run is empty
      first = p + pieces;
    }
  }
  choose_run(model, before, state, index, first, count + 1);
}

void rl_wraps_find_tensions(const rl_model *model, const rl_state *before, rl_state *state) {
  size_t split = 0;
  for (uint32_t r = 0; r < model->rope_count && model->wrap_capacity > 0; r++) {
    if (model->ropes[r].wrap_capacity > 0 && state->wrap_counts[r] > 0) {
      rl_wrap_solve_path(model, state, r, state->points);
      rl_wraps_read_tensions(model, state, r, &split);
      rl_wraps_choose_tensions(model, before, state, r);
    }
  }
}
