// SPDX-License-Identifier: GPL-3.0-or-later
// The rows, grips and wraps with which a run goes on after an event, and the choice of active rows.
#include "curvature.h"
#include "reference_internal.h"

#include "world/paths/wrap.h"
#include "world/ropes/eyes.h"

#include <string.h>

// Builds rows and equations for the present wraps. If the rows are others, their impulses begin
// anew.
static void lay_rows(rl_integration *self, double t, double dt) {
  rl_equations *e = &self->equations;
  const uint64_t structure = e->rows->structure;
  rl_detect(e->model, e->state, dt, e->rows);
  rl_state_copy(self->listed, e->state);
  rl_equations_begin(e, e->model, e->state, e->rows);
  if (e->rows->structure != structure) {
    self->since = t;
    for (uint32_t m = e->model->link_count; m < e->lcp.direct.row_count; m++) {
      e->impulses[m] = 0.0;
    }
  }
}

// Whether a rope has as many wraps in another state, and the same ones are held, or more that are
// before half a turn, (19a) of balls.md: those keep the planes that they have by then.
static bool has_same_ways(const rl_model *model, const rl_state *state, const rl_state *other,
                          uint32_t rope) {
  const uint32_t first = model->ropes[rope].first_wrap;
  bool same = state->wrap_counts[rope] == other->wrap_counts[rope];
  for (uint32_t i = 0; i < other->wrap_counts[rope] && same; i++) {
    const bool is_held = state->wraps[first + i].held, becomes = other->wraps[first + i].held;
    same = is_held == becomes || (becomes && rl_wrap_yielded_up(model, state, rope, i) < 0.0);
  }
  return same;
}

// Copies the grips from `judged` to the state, and all wraps of a rope that has fewer there because
// its path has ended.
static void take_grips(rl_integration *self) {
  const rl_model *model = self->equations.model;
  rl_state *state = self->equations.state;
  for (uint32_t r = 0; r < model->rope_count; r++) {
    rl_wrap *wraps = &state->wraps[model->ropes[r].first_wrap];
    const rl_wrap *judged = &self->judged->wraps[model->ropes[r].first_wrap];
    const bool same = has_same_ways(model, state, self->judged, r);
    for (uint32_t i = 0; i < self->judged->wrap_counts[r] && same; i++) {
      wraps[i].grip = judged[i].grip;
      wraps[i].held = judged[i].held;
      if (wraps[i].yields && !judged[i].yields) {
        rl_wrap_end_yield(model, state, r, i);
      }
    }
    if (!same) {
      memcpy(wraps, judged, model->ropes[r].wrap_capacity * sizeof *wraps);
      state->wrap_counts[r] = self->judged->wrap_counts[r];
    }
  }
  state->slipped_off = self->judged->slipped_off;
  state->slipped_rope = self->judged->slipped_rope;
  state->slipped_body = self->judged->slipped_body;
}

// Keeps the tensions of strands whose length no impulse changes: friction has chosen them, (7a) of
// grips.md.
static void keep_chosen(const rl_integration *self) {
  const rl_equations *e = &self->equations;
  for (uint32_t k = 0; k < e->rows->row_count; k++) {
    const rl_row *row = &e->rows->rows[k];
    if (row->piece_count > 0 && row->compliance == 0.0 && row->inverse_mass == 0.0) {
      e->state->multipliers[row->source] = self->before->multipliers[row->source];
    }
  }
}

// Books the impulses of a catch, which count over the step. Of rows that began within it the mean
// force is that from then on.
static void book_blows(rl_integration *self, double dt) {
  const rl_equations *e = &self->equations;
  for (uint32_t m = 0; m < e->lcp.direct.row_count; m++) {
    e->impulses[m] += e->blows[m] * rl_integration_counted_time(self, m, dt) / dt;
  }
}

// Chooses the active rows with the grips that there are. Returns true if the catch was not gentle.
static bool choose_with_grips(rl_integration *self, rl_step_info *info) {
  rl_state_copy(self->before, self->equations.state);
  const bool is_hit = rl_equations_choose(&self->equations, info);
  keep_chosen(self);
  return is_hit;
}

// Whether a choice asks for other grips, by the impulses of the catch, or by the forces if it was
// gentle; `judged` then has them.
static bool asks_for_grips(rl_integration *self, bool is_hit) {
  const rl_equations *e = &self->equations;
  rl_state *state = e->state;
  rl_integration_write_multipliers(self);
  for (uint32_t m = 0; m < e->lcp.direct.row_count && is_hit; m++) {
    state->multipliers[m] = fmax(e->blows[m], 0.0);
  }
  keep_chosen(self);
  state->continues_paths = false;
  rl_state_copy(self->judged, self->before);
  const rl_judging how = {.dt = INFINITY};
  const bool slips = rl_wraps_judge(e->model, state, self->judged, e->rows, &how);
  state->continues_paths = true;
  return slips || rl_integration_stop_event(self, is_hit ? e->blows : e->multipliers, 0.0) > 0.0;
}

// (7g) of grips.md: returns a taut strand that gets longer after a choice because its slip jams;
// NULL if there is none.
static const rl_row *jammed(const rl_integration *self) {
  const rl_equations *e = &self->equations;
  for (uint32_t k = 0; k < e->rows->row_count; k++) {
    rl_row *row = &e->rows->rows[k];
    if (rl_equations_lengthens(e, row) && rl_wraps_is_jammed(e->model, e->state, e->rows, row)) {
      return row;
    }
  }
  return NULL;
}

// (7g) of grips.md: after a choice with which a strand jams, lets its wraps stick one by one and
// together until a choice agrees with them; all of them where none does. Returns true if the catch
// was not gentle. `info`: before that choice.
static bool unjam(rl_integration *self, const rl_row *strand, double t, double dt,
                  rl_step_info *info) {
  enum { MOST_TRIED = 6 };
  const rl_model *model = self->equations.model;
  rl_state *state = self->equations.state;
  const uint32_t first =
      model->ropes[model->link_rope[strand->item]].first_wrap + strand->first_piece;
  const uint32_t count = strand->piece_count - 1;
  const uint32_t all = count <= MOST_TRIED ? (1u << count) - 1 : UINT32_MAX;
  const rl_step_info before = *info;
  rl_state_copy(self->slipping, self->before);
  for (uint32_t stuck = all < UINT32_MAX ? 1 : all;; stuck++) {
    *info = before;
    rl_state_copy(state, self->slipping);
    for (uint32_t i = 0; i < count; i++) {
      const bool sticks = stuck == all || (stuck >> i & 1) > 0;
      rl_wrap *wrap = &state->wraps[first + i];
      wrap->grip = sticks && wrap->grip != RL_SLIDES ? RL_STICKS : wrap->grip;
    }
    lay_rows(self, t, dt);
    const bool is_hit = choose_with_grips(self, info);
    if (stuck == all || (!jammed(self) && !asks_for_grips(self, is_hit))) {
      return is_hit;
    }
  }
}

// Whether a wrap of the state before a choice slips, and is held in its plane on a ball, under a
// rope that the choice has caught.
static bool is_caught_in_its_plane(const rl_integration *self, uint32_t rope, uint32_t i) {
  const rl_equations *e = &self->equations;
  const rl_wrap *wrap = &self->before->wraps[e->model->ropes[rope].first_wrap + i];
  const rl_row *row =
      wrap->held && rl_wrap_slips(wrap) ? rl_integration_strand_over(e, rope, i) : NULL;
  return row && e->blows[row->source] > 0.0;
}

// Goes back to the state before a choice, and lets such wraps stick there. Does nothing if there is
// none.
static bool stick_in_planes(rl_integration *self) {
  const rl_model *model = self->equations.model;
  bool any = false;
  for (uint32_t r = 0; r < model->rope_count && model->split_capacity > 0; r++) {
    const uint32_t count = model->ropes[r].rubs ? self->before->wrap_counts[r] : 0;
    for (uint32_t i = 0; i < count; i++) {
      if (is_caught_in_its_plane(self, r, i)) {
        self->before->wraps[model->ropes[r].first_wrap + i].grip = RL_STICKS;
        any = true;
      }
    }
  }
  if (any) {
    rl_state_copy(self->equations.state, self->before);
  }
  return any;
}

void rl_integration_choose(rl_integration *self, double t, double dt, rl_step_info *info) {
  const rl_model *model = self->equations.model;
  bool was_held = false;
  for (uint32_t trial = 0;; trial++) {
    const rl_step_info before = *info;
    bool is_hit = choose_with_grips(self, info);
    if (trial > 2 * model->split_capacity || model->split_capacity == 0) {
      break;
    }
    const rl_row *strand = jammed(self);
    if (strand) {
      *info = before;
      is_hit = unjam(self, strand, t, dt, info);
    }
    if (is_hit && !was_held && stick_in_planes(self)) {
      *info = before;
      lay_rows(self, t, dt);
      was_held = true;
      continue;
    }
    if (!is_hit || !asks_for_grips(self, true)) {
      break;
    }
    *info = before;
    rl_state_copy(self->equations.state, self->before);
    take_grips(self);
    lay_rows(self, t, dt);
  }
  book_blows(self, dt);
}

// (21) Gives the pieces of elastic ropes that slip the rest lengths of (9) of elastic-wraps.md,
// with the marks where they are now: what sticks from here on begins with them.
static void settle(rl_integration *self) {
  const rl_model *model = self->equations.model;
  rl_state *state = self->equations.state;
  for (uint32_t r = 0; r < model->rope_count; r++) {
    if (rl_wraps_flow_dissipates(model, r)) {
      rl_wrap_solve_path(model, state, r, state->points);
      rl_wraps_settle(model, state, r);
    }
  }
}

// (19c) of balls.md: lets the planes yield that yield in `judged`, where their planes are others
// than at the start of the internal step. Those that would turn back at once only turn.
static void begin_yields(rl_integration *self) {
  const rl_model *model = self->equations.model;
  rl_state *state = self->equations.state;
  for (uint32_t r = 0; r < model->rope_count; r++) {
    const uint32_t first = model->ropes[r].first_wrap;
    const uint32_t count = has_same_ways(model, state, self->judged, r) ? state->wrap_counts[r] : 0;
    for (uint32_t i = 0; i < count; i++) {
      const rl_vec3 was = self->before->wraps[first + i].side;
      if (state->wraps[first + i].held &&
          rl_distance(self->judged->wraps[first + i].side, was) > 0.0) {
        rl_vec3 turning;
        rl_wrap_solve_path(model, state, r, state->points);
        rl_wrap_begin_yield(model, state, r, i);
        if (rl_equations_yielding(&self->equations, r, i, &turning) >= 0.0) {
          rl_wrap_end_yield(model, state, r, i);
        }
      }
    }
  }
}

void rl_integration_go_on(rl_integration *self, double t, double h, double dt, rl_step_info *info) {
  const rl_model *model = self->equations.model;
  rl_state *state = self->equations.state;
  if (self->found == RL_A_RING && rl_eyes_pass(model, state, self->equations.rows, dt)) {
    lay_rows(self, t, dt);
  }
  if (model->wrap_capacity > 0) {
    state->continues_paths = false;
    bool is_lost = false;
    for (uint32_t r = 0; r < model->rope_count; r++) {
      is_lost = is_lost || !has_same_ways(model, state, self->judged, r);
    }
    if (self->found == RL_A_GRIP && is_lost) { // from where the rope has fallen to, with its pieces
      take_grips(self);
      rl_wraps_end(model, self->judged, state, h, false, false);
    } else if (self->found != RL_A_WRAP) { // rope has flowed with the grips that were
      rl_wraps_end(model, self->before, state, h, false, false);
      if (self->found == RL_A_GRIP) {
        settle(self);
        take_grips(self);
        begin_yields(self);
      }
    }
    // (15c) of contacts.md; where a rope rubs, (14) has that.
    info->dissipated += state->slipped_off != self->before->slipped_off
                            ? fmax(self->stored - rl_integration_stored(self), 0.0)
                            : 0.0;
    lay_rows(self, t, dt);
    state->continues_paths = true;
  }
  if (self->found != RL_A_ROW || !rl_equations_share_anew(&self->equations)) {
    rl_integration_choose(self, t, dt, info);
  }
}
