// SPDX-License-Identifier: GPL-3.0-or-later
// Wraps come and go: the end of a step.
#include "wrap_internal.h"

#include <string.h>

// Removes a wrap; the pieces beside it become one.
static void remove_wrap(const rl_model *model, rl_state *state, uint32_t index, uint32_t i) {
  rl_wrap *wraps = rl_wraps_of(model, state, index);
  const uint32_t last = --state->wrap_counts[index];
  if (i > 0) {
    wraps[i - 1].rest += wraps[i].rest;
  }
  memmove(&wraps[i], &wraps[i + 1], (last - i) * sizeof *wraps);
  memset(&wraps[last], 0, sizeof *wraps);
}

// Whether the neighbour of a wrap on the path is inside its part, so that no way leads round it.
static bool is_run_over(const rl_model *model, const rl_state *state, uint32_t index, uint32_t i,
                        uint32_t neighbour) {
  const rl_wrap *wrap = &rl_wraps_of(model, state, index)[i];
  const rl_path_item *item = &rl_path_items(state, index)[neighbour];
  const bool is_end = neighbour == 0 || neighbour > state->wrap_counts[index];
  const rl_wrap *beside = is_end ? NULL : &rl_wraps_of(model, state, index)[neighbour - 1];
  if (wrap->body == RL_NONE || rl_path_is_round(item) ||
      (beside && beside->body == wrap->body && beside->part == wrap->part)) {
    return false; // a place on the part itself is on its surface up to rounding
  }
  const rl_body_pose at = rl_body_pose_at(model, state, state->points, wrap->body);
  return rl_shape_surface(rl_wrap_part(model, wrap), at.centre, at.rotation, item->at).distance <
         model->ropes[index].radius;
}

uint32_t rl_wraps_find_run_over(const rl_model *model, const rl_state *state, uint32_t index) {
  const uint32_t count = state->wrap_counts[index];
  const bool is_loop = rl_wraps_is_loop(model, index); // its last wrap is beside its first
  for (uint32_t i = 0; i < count; i++) {
    if (is_run_over(model, state, index, i, is_loop && i == 0 ? count : i) ||
        is_run_over(model, state, index, i, is_loop && i + 1 == count ? 1 : i + 2)) {
      return i;
    }
  }
  return RL_NONE;
}

// Returns the wrap to remove when there is no path: the first one that is run over, else the first
// on any body; RL_NONE if there are only eyes.
static uint32_t blocking_wrap(const rl_model *model, const rl_state *state, uint32_t index) {
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  uint32_t found = rl_wraps_find_run_over(model, state, index);
  for (uint32_t i = 0; i < state->wrap_counts[index] && found == RL_NONE; i++) {
    found = wraps[i].body != RL_NONE ? i : RL_NONE;
  }
  return found;
}

// Removes wraps until there is a path: there is none when an end of the rope has come into a body
// that it lies on, or bodies into each other. Returns true if wraps were removed.
static bool find_path(const rl_model *model, rl_state *state, uint32_t index) {
  bool gone = false;
  while (isnan(rl_wrap_solve_path(model, state, index, state->points))) {
    const uint32_t i = blocking_wrap(model, state, index);
    if (i == RL_NONE) {
      break;
    }
    rl_wraps_note_slip(state, index, rl_wraps_of(model, state, index)[i].body);
    remove_wrap(model, state, index, i);
    gone = true;
  }
  return gone;
}

// Returns the most by which the way of a rope can have become longer or shorter in a step [m]: the
// sum of how far its ends, its eyes and the points of bodies where it leaves them have moved. The
// paths of both states are solved.
static double longest_growth(const rl_model *model, const rl_state *before, const rl_state *state,
                             uint32_t index) {
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  const uint32_t count = state->wrap_counts[index];
  double sum = 0.0;
  for (uint32_t i = 0; i < count + 2; i++) {
    const bool within = i > 1 && i < count && wraps[i - 1].body != RL_NONE &&
                        wraps[i - 2].body == wraps[i - 1].body &&
                        wraps[i].body == wraps[i - 1].body;
    if (within) { // pieces between places on one body do not change their length
      continue;
    }
    rl_vec3 was = rl_path_items(before, index)[i].exit, is = rl_path_items(state, index)[i].exit;
    if (i > 0 && i <= count && wraps[i - 1].body != RL_NONE) {
      const uint32_t body = wraps[i - 1].body;
      const rl_vec3 place =
          rl_wrap_to_body(rl_body_pose_at(model, before, before->points, body), was);
      is = rl_wrap_to_world(rl_body_pose_at(model, state, state->points, body), place);
    }
    sum += rl_distance(was, is);
  }
  return sum;
}

// (15c) Returns what a rope that stored an energy has lost as it slipped off. If it stores more
// now, that is an error and no loss [J].
static double lost_in_slip(const rl_model *model, const rl_state *state, uint32_t index,
                           double stored) {
  return fmax(stored - rl_wraps_stored(model, state, index), 0.0);
}

bool rl_wraps_slip_off(const rl_model *model, rl_state *state, uint32_t index, uint32_t body,
                       rl_slip slip) {
  const double stored = rl_wraps_stored(model, state, index);
  rl_wrapping w = rl_wraps_open(model, state, index);
  w.run_over = slip == RL_SLIP_RUN_OVER;
  const size_t count = w.path.count;
  memcpy(state->old_items, w.path.items, count * sizeof *w.path.items);
  w.path.count = 0;
  for (size_t i = 0; i < count; i++) {
    const rl_path_item *item = &state->old_items[i];
    if (item->part == RL_NONE || state->solid_parts[item->part][0] != body) {
      w.path.items[w.path.count++] = *item;
    }
  }
  const bool leads = !isnan(rl_path_solve(w.path.items, w.path.count, NULL));
  if (slip == RL_SLIP_IF_CLEAR && leads &&
      rl_wraps_goes_through(&w, w.path.items, w.path.count, body)) {
    rl_wraps_restore(&w, count);
    return false;
  }
  rl_wraps_sort_bodies(model, state, state);
  if (leads) {
    rl_wraps_fall(&w, count, body);
  }
  rl_wraps_adopt(&w);
  rl_wraps_note_slip(state, index, body);
  state->dissipated += lost_in_slip(model, state, index, stored);
  return true;
}

static size_t count_splits(const rl_model *model, const rl_state *state, uint32_t index) {
  size_t count = 0;
  for (uint32_t i = 0; i + 1 < rl_wraps_piece_count(model, state, index); i++) {
    count += rl_wraps_of(model, state, index)[i].grip == RL_STICKS ? 1 : 0;
  }
  return count;
}

// Whether a loop has run off the end of a side: no part of its arc lies between the ends.
static bool is_off_end(const rl_model *model, const rl_wrap *wrap, const rl_path_item *item) {
  if (item->kind != RL_PATH_CYLINDER) {
    return false;
  }
  const double half = 0.5 * rl_wrap_part(model, wrap)->length;
  const double entry = rl_dot(rl_sub(item->entry, item->at), item->axis);
  const double exit = rl_dot(rl_sub(item->exit, item->at), item->axis);
  return fmin(entry, exit) > half || fmax(entry, exit) < -half;
}

// Removes a wrap of a loop, and all others too if fewer than two are left or no way leads round
// them. Leaves the path solved.
static void leave_wrap(const rl_model *model, rl_state *state, uint32_t index, uint32_t i) {
  rl_wrap *wraps = rl_wraps_of(model, state, index);
  rl_wraps_note_slip(state, index, wraps[i].body);
  remove_wrap(model, state, index, i);
  if (state->wrap_counts[index] > 0) { // the rest length of piece 0 is what remains of the sum
    wraps[state->wrap_counts[index] - 1].rest = 0.0;
  }
  if (state->wrap_counts[index] < 2 ||
      isnan(rl_wrap_solve_path(model, state, index, state->points))) {
    memset(wraps, 0, state->wrap_counts[index] * sizeof *wraps);
    state->wrap_counts[index] = 0;
  }
  rl_wraps_rotate_loop(model, state, index);
  rl_wrap_solve_path(model, state, index, state->points);
  state->seams[index] = rl_path_items(state, index)[0].at; // the old seam may be inside a body
}

bool rl_wraps_leave_loop(const rl_model *model, const rl_state *state, rl_state *before,
                         uint32_t index) {
  const uint32_t i = blocking_wrap(model, state, index);
  if (i == RL_NONE) {
    return false;
  }
  leave_wrap(model, before, index, i);
  return true;
}

// Removes the wraps of a loop that has run off the end of a side. The path is solved before and
// after.
static void run_off_ends(const rl_model *model, rl_state *state, uint32_t index) {
  const rl_wrap *wraps = rl_wraps_of(model, state, index);
  for (uint32_t i = 0; i < state->wrap_counts[index];) {
    if (is_off_end(model, &wraps[i], &rl_path_items(state, index)[i + 1])) {
      leave_wrap(model, state, index, i);
      i = 0;
    } else {
      i++;
    }
  }
}

// Ends a step for a loop, which keeps its wraps except those off whose end it runs. Returns the
// friction loss [J].
static double end_loop(const rl_model *model, const rl_state *before, rl_state *state, uint32_t r,
                       size_t split, double dt, bool has_run) {
  rl_wrap_solve_path(model, before, r, before->points);
  rl_wrap_solve_path(model, state, r, state->points);
  const double rubbed = rl_wraps_flow(model, before, state, r, &split, dt, false, has_run);
  run_off_ends(model, state, r);
  for (uint32_t i = 0; i < state->wrap_counts[r]; i++) {
    rl_wrap_keep(model, state, &rl_wraps_of(model, state, r)[i], &rl_path_items(state, r)[i + 1]);
  }
  state->seams[r] = rl_path_items(state, r)[0].at;
  return rubbed;
}

static rl_swept_piece sweep(const rl_wrapping *w, const rl_state *before, size_t piece) {
  const rl_path_item *then = rl_path_items(before, w->rope), *now = w->path.items;
  rl_swept_piece swept = {{then[piece].exit, then[piece + 1].entry},
                          {now[piece].exit, now[piece + 1].entry},
                          {RL_NONE, RL_NONE}};
  for (size_t k = 0; k < 2 && w->turns; k++) {
    swept.carriers[k] = rl_wraps_turns_with(w, before, piece + k);
  }
  return swept;
}

// (28a) Notes that the step is too long if a piece that is tied to a body which turns winds itself
// up, or off, by too much on a part that it is beside.
static void note_windings(const rl_wrapping *w, const rl_state *before) {
  for (size_t piece = 0; piece + 1 < w->path.count && w->turns; piece++) {
    const rl_swept_piece swept = sweep(w, before, piece);
    for (size_t k = 0; k < 2; k++) {
      const uint32_t part = w->path.items[piece + k].part;
      if (part != RL_NONE && swept.carriers[1 - k] != RL_NONE) {
        rl_wraps_note_piece_turn(w, before, &swept, w->state->solid_parts[part][0], 0.0);
      }
    }
  }
}

// Whether the features of the rope stay the same and it has run into nothing.
static bool goes_on(const rl_wrapping *w, const rl_state *before) {
  bool goes = rl_wraps_all_settled(w);
  for (size_t piece = 0; piece + 1 < w->path.count && goes; piece++) {
    const rl_swept_piece swept = sweep(w, before, piece);
    rl_hit found = {.body = RL_NONE};
    goes = !rl_wraps_find_hit(w, before, piece, &swept, &found);
  }
  return goes;
}

// Keeps the lengths of the pieces before contacts change, less their growths so far; of a rope
// without friction the length of the whole rope.
static void keep_lengths(rl_wrapping *w, double length) {
  double *lengths = w->state->old_lengths;
  lengths[0] = length;
  for (uint32_t p = 0; p <= w->state->wrap_counts[w->rope] && w->model->ropes[w->rope].rubs; p++) {
    lengths[p] = rl_wrap_piece_length(w->model, w->state, w->rope, p, w->state->points) -
                 rl_wrap_growths(w->state, w->rope)[p];
  }
  w->lengths = lengths;
}

// Clears the growths of strands where no contact has changed: their rows draw these in in the next
// step. Keeps those of strands that had no tension in this step, and are too long now.
static void clear_pulled_growths(const rl_model *model, rl_state *state, uint32_t r) {
  for (uint32_t p = 0; p < rl_wraps_piece_count(model, state, r);) {
    const rl_strand strand = rl_wrap_strand(model, state, r, p, state->points);
    if (rl_wrap_piece_tension(model, state, r, p) > 0.0 || !(strand.length > strand.rest)) {
      rl_wraps_clear_growths(state, r, strand);
    }
    p += strand.piece_count;
  }
}

// Ends a step for an open rope. Returns the friction loss [J].
static double end_rope(const rl_model *model, const rl_state *before, rl_state *state, uint32_t r,
                       size_t split, double dt, bool meets, bool turns, bool has_run) {
  const double start = rl_wrap_solve_path(model, before, r, before->points);
  if (find_path(model, state, r)) {
    rl_wrapping w = rl_wraps_open(model, state, r);
    rl_wraps_adopt(&w);
    return 0.0;
  }
  const uint32_t ended = rl_wraps_ended_on(model, state, before, r);
  const double rubbed =
      rl_wraps_flow(model, before, state, r, &split, dt, ended != RL_NONE, has_run);
  const double length = state->path_lengths[r];
  const double stored = rl_wraps_stored(model, ended == RL_NONE ? state : before, r);
  rl_wrapping w = rl_wraps_open(model, state, r);
  w.dt = dt;
  w.turns = turns;
  w.start = start;
  w.meets = meets;
  w.lost = ended; // there the solution has arcs of negative angle, for which marks mean nothing
  note_windings(&w, before);
  if (ended == RL_NONE && goes_on(&w, before)) {
    rl_wraps_keep(&w);
    clear_pulled_growths(model, state, r);
    return rubbed;
  }
  w.along = rl_wraps_linear_change(model, before, state, r);
  w.shortest = start * (1.0 - rl_longest_slip) - 2.0 * longest_growth(model, before, state, r);
  keep_lengths(&w, length);
  for (size_t piece = w.path.count - 1; piece-- > 0;) {
    if (piece + 1 >= w.path.count) {
      continue;
    }
    const rl_swept_piece swept = sweep(&w, before, piece);
    rl_wraps_catch_hits(&w, before, piece, &swept);
  }
  rl_wraps_adapt(&w, before);
  rl_wraps_adopt(&w);
  const double now = rl_wrap_solve_path(model, state, r, state->points);
  if (!model->ropes[r].rubs) {
    rl_wrap_growths(state, r)[0] = now - length;
  } else if (isinf(model->ropes[r].stiffness)) {
    // Other strands are inert now. For an elastic rope there is no old strain to start from.
    rl_wraps_fit_inert_strands(model, before, state, r);
  }
  return rubbed + (w.lost != RL_NONE ? lost_in_slip(model, state, r, stored) : w.lost_joined);
}

double rl_wraps_end(const rl_model *model, const rl_state *before, rl_state *state, double dt,
                    bool meets, bool has_run) {
  size_t split = 0;
  double rubbed = 0.0;
  const bool turns = rl_wraps_turn(model, before, state, dt);
  rl_wraps_sort_bodies(model, before, state);
  state->passage = (rl_passage){0.0, 0.0};
  memset(state->growths, 0, (model->wrap_capacity + model->rope_count) * sizeof *state->growths);
  for (uint32_t r = 0; r < model->rope_count; r++) {
    if (model->ropes[r].wrap_capacity > 0 && rl_rope_elements(model, state, r) > 0) {
      const size_t own = count_splits(model, state, r);
      rubbed += rl_wraps_is_loop(model, r)
                    ? end_loop(model, before, state, r, split, dt, has_run)
                    : end_rope(model, before, state, r, split, dt, meets, turns, has_run);
      split += own;
    }
  }
  return rubbed;
}
