// SPDX-License-Identifier: GPL-3.0-or-later
// One internal step of a run, and the first event in it: a rope falls slack or is caught, a contact
// is met or left, a wrap stops or begins to slip, a node comes to its eye.
#include "curvature.h"
#include "reference_internal.h"

#include "world/paths/wrap.h"
#include "world/ropes/eyes.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_poly.h>
#include <string.h>

// Of the largest speed: a slower slip backwards over a wrap is round-off.
static const double least_slip = 1e-12;

// Of the largest speed: what projection takes of an internal step is round-off; if it takes more
// than this, a row has lost its direction, as where an end comes to an edge on which its rope lies.
static const double most_stopped = 0.1;

// Gauge up to which an event is located (rl_gauge).
static const double no_event = 1e-15;

// Of the scene's size: a contact that was outside at the start of an internal step and is deeper
// than this at its end has been met. (10a) Depth at the maximum of the cubic that counts as met.
static const double deep = 1e-9, deep_within = 1e-13;

size_t rl_integration_dimension(const rl_integration *self) {
  const rl_equations *e = &self->equations;
  return rl_equations_dimension(e->model, e->lcp.direct.row_count, e->plane_count);
}

int rl_integration_apply(rl_integration *self, double h) {
  const gsl_odeiv2_system system = {rl_equations_rates_between, NULL,
                                    rl_integration_dimension(self), &self->equations};
  self->stepper->dimension = system.dimension;
  memcpy(self->y, self->y_start, system.dimension * sizeof *self->y);
  rl_state_copy(self->equations.state, self->before);
  self->equations.reeled = 0.0;
  return gsl_odeiv2_step_apply(self->stepper, 0.0, h, self->y, self->error, self->rates, NULL,
                               &system);
}

int rl_integration_finish(rl_integration *self, double h) {
  rl_equations *e = &self->equations;
  rl_equations_reel(e, h);
  rl_equations_scatter(e, self->y);
  rl_equations_hold_planes(e);
  rl_equations_share(e, self->y);
  const double stopped = rl_equations_project(e);
  rl_equations_gather(e, self->y);
  return stopped <= most_stopped * e->speed && rl_equations_hold(e)
             ? rl_equations_rates(h, self->y, self->rates_end, e)
             : GSL_EFAILED;
}

void rl_integration_write_multipliers(const rl_integration *self) {
  const rl_equations *e = &self->equations;
  for (uint32_t m = 0; m < e->lcp.direct.row_count; m++) {
    e->state->multipliers[m] = e->acts[m] ? fmax(e->multipliers[m], e->lcp.lower[m]) : 0.0;
  }
}

double rl_integration_stored(const rl_integration *self) {
  const rl_model *model = self->equations.model;
  const rl_state *state = self->equations.state;
  double energy = 0.0;
  for (uint32_t r = 0; r < model->rope_count && self->equations.has_elastic; r++) {
    const bool counts = isfinite(model->ropes[r].stiffness) && model->ropes[r].wrap_capacity > 0 &&
                        !rl_wraps_flow_dissipates(model, r) &&
                        rl_rope_elements(model, state, r) > 0;
    energy += counts ? rl_wraps_energy(model, state, r) : 0.0;
  }
  return energy;
}

// Of the largest force: a smaller pull is round-off, of which the ratio to another means nothing.
static const double least_pull = 1e-10;

// Takes pulls of round-off from the multipliers of strands, so that their wraps stick.
static void drop_least_pulls(const rl_integration *self) {
  const rl_equations *e = &self->equations;
  for (uint32_t k = 0; k < e->rows->row_count && e->has_elastic; k++) {
    const rl_row *row = &e->rows->rows[k];
    double *pull = &e->state->multipliers[row->source];
    const bool is_strand = row->piece_count > 0 && row->compliance > 0.0;
    *pull = is_strand && fabs(*pull) < least_pull * e->force ? 0.0 : *pull;
  }
}

// Returns the event of ropes over bodies in an internal step of h: of a grip, or of the list of
// wraps. If there is none, the wraps of the state are those at its end.
static rl_happening happening_on_wraps(rl_integration *self, double h) {
  const rl_model *model = self->equations.model;
  rl_state *state = self->equations.state;
  rl_happening found = RL_NOTHING;
  rl_integration_write_multipliers(self);
  drop_least_pulls(self);
  state->continues_paths = false;
  rl_state_copy(self->judged, self->before);
  const rl_judging how = {.dt = INFINITY};
  if (rl_wraps_judge(model, state, self->judged, self->equations.rows, &how)) {
    found = RL_A_GRIP;
  } else {
    const uint64_t was = rl_wraps_hash(model, state), slipped = state->slipped_off;
    rl_wraps_end(model, self->before, state, h, false, false);
    // What was met and left within the internal step has changed nothing by its end. Behind an
    // event it can be what the rope has just slipped off.
    const bool is_passed = !self->current->is_behind_event && state->slipped_off != slipped;
    found = rl_wraps_hash(model, state) != was || is_passed ? RL_A_WRAP : RL_NOTHING;
  }
  state->continues_paths = true;
  self->stored = found == RL_NOTHING ? rl_integration_stored(self) : self->stored;
  return found;
}

rl_row *rl_integration_strand_over(const rl_equations *e, uint32_t rope, uint32_t wrap) {
  for (uint32_t k = 0; k < e->rows->row_count; k++) {
    rl_row *row = &e->rows->rows[k];
    if (row->piece_count > 0 && e->model->link_rope[row->item] == rope &&
        wrap >= row->first_piece && wrap + 1 < row->first_piece + row->piece_count) {
      return row;
    }
  }
  return NULL;
}

// Returns the pull of some pieces of a damped strand as if they were one [N].
static double pull_of_part(const rl_equations *e, const rl_row *row, uint32_t first,
                           uint32_t pieces) {
  const rl_rope *rope = &e->model->ropes[e->model->link_rope[row->item]];
  rl_row part = *row;
  part.first_vertex += first - row->first_piece;
  part.first_piece = first;
  part.piece_count = pieces;
  rl_row_evaluate(e->model, e->state, e->rows, &part, e->state->points);
  const double stiffness = 1.0 / part.compliance;
  const double damping = rl_element_damping(rope, part.rest, stiffness, part.inverse_mass);
  const double rate = rl_row_rate(e->rows, &part, e->state->velocities);
  return fmax(stiffness * part.value + damping * rate, part.lower);
}

// (21) Returns how far within its friction, over the largest force, a wrap would hold a damped rope
// that slips on it, after an internal step of h.
static double hold_of(rl_integration *self, rl_row *row, uint32_t rope, uint32_t wrap, double h) {
  const rl_equations *e = &self->equations;
  const rl_model *model = e->model;
  rl_state *state = e->state;
  const rl_rope *r = &model->ropes[rope];
  rl_wrap *wraps = &state->wraps[r->first_wrap];
  if (isinf(r->stiffness) || (r->damping == 0.0 && r->damping_ratio == 0.0)) {
    return INFINITY; // by (9) the tensions are those of friction
  }
  rl_wrap_solve_path(model, state, rope, state->points);
  const double ratio = rl_wrap_tension_ratio(model, state, rope, wrap);
  const uint32_t grip = wraps[wrap].grip, count = state->wrap_counts[rope];
  double *rests = &self->slips[count];
  for (uint32_t i = 0; i < count; i++) {
    rests[i] = wraps[i].rest;
  }
  if (rl_wraps_flow_late(model, rope) && h > 0.0) {
    rl_wraps_share_flow(model, self->before, state, rope, h);
  } else {
    rl_wraps_settle(model, state, rope);
  }
  wraps[wrap].grip = RL_STICKS;
  const uint32_t before = wrap + 1 - row->first_piece;
  double back = pull_of_part(e, row, row->first_piece, before);
  for (uint32_t k = row->first_piece; k < wrap; k++) {
    back *= rl_wrap_tension_ratio(model, state, rope, k);
  }
  const double on = pull_of_part(e, row, wrap + 1, row->piece_count - before);
  for (uint32_t i = 0; i < count; i++) {
    wraps[i].rest = rests[i];
  }
  wraps[wrap].grip = grip;
  rl_row_evaluate(model, state, e->rows, row, state->points);
  return (grip == RL_SLIPS_ON ? ratio * back - on : on - ratio * back) / e->force;
}

// Returns how far beyond 0, over the largest speed, the slip of a wrap of a rope has reversed after
// an internal step of h, by the rates of the pieces, or (21) of a damped rope by the pulls beside
// it; in `judged` that wrap then sticks, of several the one farthest beyond. Where the rope does
// not pull there is no friction, which a reversal would turn round.
static double stop_of(rl_integration *self, uint32_t rope, const double *pulls, double h) {
  const rl_equations *e = &self->equations;
  const rl_model *model = e->model;
  rl_state *state = e->state;
  const rl_rope *r = &model->ropes[rope];
  double largest = -1.0;
  uint32_t first = RL_NONE;
  rl_equations_slips(e, rope, self->slips);
  for (uint32_t i = 0; i < state->wrap_counts[rope]; i++) {
    const rl_wrap *wrap = &state->wraps[r->first_wrap + i];
    rl_row *row = rl_integration_strand_over(e, rope, i);
    if (rl_wrap_slips(wrap) && row && pulls[row->source] > 0.0) {
      const double way = wrap->grip == RL_SLIPS_ON ? -self->slips[i] : self->slips[i];
      double back = way / e->speed - least_slip;
      back = rl_wraps_flow_late(model, rope) ? hold_of(self, row, rope, i, h)
             : back > 0.0                    ? fmin(back, hold_of(self, row, rope, i, h))
                                             : back;
      first = back > largest ? i : first;
      largest = fmax(largest, back);
    }
  }
  if (largest > 0.0) {
    self->judged->wraps[r->first_wrap + first].grip = RL_STICKS;
  }
  return largest;
}

// (19c) of balls.md: returns how far beyond 0 a plane that yields has come to turn back, over the
// largest speed, or how far it is past half a turn; in `judged` it then stays.
static double turn_back_of(rl_integration *self) {
  const rl_equations *e = &self->equations;
  double largest = -1.0;
  for (uint32_t k = 0; k < e->plane_count; k++) {
    const rl_plane *plane = &e->planes[k];
    rl_vec3 turning;
    const double rate = rl_equations_yielding(e, plane->rope, plane->wrap, &turning);
    const double beyond = fmax(rate / e->speed - least_slip,
                               rl_wrap_yielded_up(e->model, e->state, plane->rope, plane->wrap));
    if (beyond > 0.0) {
      self->judged->wraps[e->model->ropes[plane->rope].first_wrap + plane->wrap].yields = false;
    }
    largest = fmax(largest, beyond);
  }
  return largest;
}

double rl_integration_stop_event(rl_integration *self, const double *pulls, double h) {
  const rl_model *model = self->equations.model;
  double largest = -1.0;
  rl_state_copy(self->judged, self->before);
  for (uint32_t i = 0; i < model->rope_count; i++) {
    if (model->ropes[i].rubs && model->ropes[i].wrap_capacity > 0) {
      largest = fmax(largest, stop_of(self, i, pulls, h));
    }
  }
  return fmax(largest, turn_back_of(self));
}

// Returns the largest gauge of a row. An inactive contact that is deep by now has been met, even if
// it does not approach the side of the body that is nearest now.
static double event_of_rows(rl_integration *self) {
  const rl_equations *e = &self->equations;
  double largest = rl_equations_event(&self->equations);
  for (uint32_t m = 0; m < e->lcp.direct.row_count; m++) {
    rl_gauge *gauge = &e->gauges[m];
    if (self->gauges[0][m].depth <= 0.0 && gauge->depth > deep) {
      gauge->value = gauge->depth;
      largest = fmax(largest, gauge->value);
    }
  }
  return largest;
}

// Finds the event at the end of an internal step of h; returns its gauge.
static double event_after(rl_integration *self, double h) {
  const double event = event_of_rows(self);
  self->found = event > 0.0 ? RL_A_ROW : RL_NOTHING;
  const double through =
      rl_eyes_overshoot(self->equations.model, self->equations.state, self->equations.rows) /
      self->equations.model->reach;
  if (event <= 0.0 && through > 0.0) {
    self->found = RL_A_RING;
    return through;
  }
  if (event > 0.0 || self->equations.model->wrap_capacity == 0) {
    return event;
  }
  const double stop = rl_integration_stop_event(self, self->equations.multipliers, h);
  if (stop > 0.0) {
    self->found = RL_A_GRIP;
    return stop;
  }
  self->found = happening_on_wraps(self, h);
  return self->found != RL_NOTHING ? 1.0 : fmax(event, stop);
}

// Returns the gauge after an internal step of h; NAN if such a step is impossible.
static double event_at(rl_integration *self, double h) {
  return rl_integration_apply(self, h) == GSL_SUCCESS &&
                 rl_integration_finish(self, h) == GSL_SUCCESS
             ? event_after(self, h)
             : NAN;
}

// (10) Returns the depth of a row at the share s of a time, by the cubic with its depths and rates
// at both ends.
static double depth_at(rl_gauge low, rl_gauge high, double width, double s) {
  const double r = 1.0 - s;
  return r * r * ((1.0 + 2.0 * s) * low.depth + s * width * low.rate) +
         s * s * ((1.0 + 2.0 * r) * high.depth - r * width * high.rate);
}

// Returns the share at which that depth becomes larger than 0, up to a share at which it is.
static double touching_share(rl_gauge low, rl_gauge high, double width, double inside) {
  enum { HALVINGS = 60 };
  double outside = 0.0;
  for (int i = 0; i < HALVINGS; i++) {
    const double middle = 0.5 * (outside + inside);
    *(depth_at(low, high, width, middle) < 0.5 * no_event ? &outside : &inside) = middle;
  }
  return inside;
}

// (10a) Returns the share halfway between zero and maximum of the depth, of a row that is outside
// at both ends; 1 if it stays outside.
static double passing_share(rl_gauge low, rl_gauge high, double width) {
  const double rise = high.depth - low.depth, from = width * low.rate, to = width * high.rate;
  double turns[2];
  const int count =
      gsl_poly_solve_quadratic(3.0 * (from + to - 2.0 * rise), 2.0 * (3.0 * rise - 2.0 * from - to),
                               from, &turns[0], &turns[1]);
  for (int i = 0; i < count; i++) {
    if (turns[i] > 0.0 && turns[i] < 1.0 && depth_at(low, high, width, turns[i]) > deep_within) {
      return 0.5 * (touching_share(low, high, width, turns[i]) + turns[i]);
    }
  }
  return 1.0;
}

// A time in which an event happens, with the gauge at its ends; the gauges of the rows there are in
// self->gauges. The weight of an end that stays is halved (Illinois).
typedef struct bracket {
  double low, high, value[2], weight[2];
} bracket;

// Returns the next guess of the share at which the first event happens.
static double first_share(const rl_integration *self, const bracket *b) {
  const double zero = b->value[0] * b->weight[0];
  double first = zero / (zero - b->value[1] * b->weight[1]);
  if (self->found != RL_A_ROW) {
    return first;
  }
  first = 1.0;
  for (uint32_t m = 0; m < self->equations.lcp.direct.row_count; m++) {
    const rl_gauge low = self->gauges[0][m], high = self->gauges[1][m];
    if (high.value > 0.0) {
      const double from = low.value * b->weight[0], to = high.value * b->weight[1];
      const bool is_depth = low.depth <= 0.0 && high.depth > 0.0;
      first = fmin(first, is_depth ? touching_share(low, high, b->high - b->low, 1.0)
                                   : from / (from - to));
    }
  }
  return first;
}

// (10a) Returns the share of an internal step of h without an event at its end at which a contact
// has begun that has ended again; 1 if there is none.
static double touching_within(const rl_integration *self, double h) {
  const rl_equations *e = &self->equations;
  double share = 1.0;
  for (uint32_t m = 0; m < e->lcp.direct.row_count; m++) {
    const rl_gauge low = self->gauges[0][m], high = e->gauges[m];
    if (low.depth <= 0.0 && high.depth <= 0.0) { // which nan is not
      share = fmin(share, passing_share(low, high, h));
    }
  }
  return share;
}

void rl_integration_keep_gauges(rl_integration *self, int end) {
  const rl_equations *e = &self->equations;
  memcpy(self->gauges[end], e->gauges, e->lcp.direct.row_count * sizeof *e->gauges);
}

double rl_integration_locate(rl_integration *self, double h, double after) {
  enum { ITERATIONS = 160, PATIENCE = 2 };
  const double resolution = 0x1p-50 * h;
  const double before = self->event_at_start < 0.0 ? self->event_at_start : -after;
  bracket b = {0.0, h, {before, after}, {1.0, 1.0}};
  rl_happening found = self->found; // at the end
  double last = h;
  int side = 0, creeping = 0; // so many trials have left more than half of the bracket
  rl_integration_keep_gauges(self, 1);
  for (int i = 0; i < ITERATIONS && b.high - b.low > resolution && b.value[1] > no_event; i++) {
    self->found = found;
    double at = b.low + (b.high - b.low) * first_share(self, &b);
    const double width = b.high - b.low;
    const bool halves = creeping == PATIENCE || !(at > b.low && at < b.high);
    at = halves ? 0.5 * (b.low + b.high) : at;
    const double value = event_at(self, at);
    const int end = value > 0.0 ? 1 : 0;
    last = at;
    found = end == 1 ? self->found : found;
    *(end == 1 ? &b.high : &b.low) = at;
    b.value[end] = value;
    b.weight[end] = 1.0;
    b.weight[1 - end] *= side == (end == 1 ? 1 : -1) ? 0.5 : 1.0;
    side = end == 1 ? 1 : -1;
    creeping = halves ? PATIENCE - 1 : b.high - b.low > 0.5 * width ? creeping + 1 : 0;
    rl_integration_keep_gauges(self, end);
  }
  if (last < b.high || last > b.high) {
    event_at(self, b.high);
  }
  return b.high;
}

double rl_integration_find_event(rl_integration *self, double *h) {
  const double event = event_after(self, *h);
  const double share = event > 0.0 ? 1.0 : touching_within(self, *h);
  if (!(share < 1.0)) {
    return event;
  }
  const double within = event_at(self, share * *h);
  if (!(within > 0.0)) {
    return event_at(self, *h);
  }
  *h *= share;
  return within;
}
