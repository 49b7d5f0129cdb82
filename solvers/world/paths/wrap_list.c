// SPDX-License-Identifier: GPL-3.0-or-later
// Opens the wraps of a rope as a list whose features can change, and makes the list wraps again.
#include "../trigonometry.h"
#include "wrap_internal.h"

#include <string.h>

// Most wraps in a row that are new or gone after a step.
enum { MOST_CHANGED = 64 };

// Returns the entry of a part in the table of solids, in which the parts of all bodies are
// contiguous.
static uint32_t *solid_entry(const rl_wrapping *w, uint32_t body, uint32_t part) {
  return &w->state->part_solids[&w->model->bodies[body].parts[part] - w->model->bodies[0].parts];
}

uint32_t rl_wraps_known_solid(const rl_wrapping *w, uint32_t body, uint32_t part) {
  const uint32_t i = *solid_entry(w, body, part); // undefined for parts without a solid
  const bool known = i < w->solid_count && w->state->solid_parts[i][0] == body &&
                     w->state->solid_parts[i][1] == part;
  return known ? i : RL_NONE;
}

uint32_t rl_wraps_solid(rl_wrapping *w, uint32_t body, uint32_t part) {
  const rl_state *state = w->state;
  const rl_part *surface = &w->model->bodies[body].parts[part];
  const uint32_t found = rl_wraps_known_solid(w, body, part);
  if (found != RL_NONE) {
    return found;
  }
  const uint32_t i = *solid_entry(w, body, part) = (uint32_t)w->solid_count++;
  const rl_body_pose at = rl_body_pose_at(w->model, state, state->points, body);
  const double radius = w->model->ropes[w->rope].radius;
  if (radius > 0.0) {
    state->grown[i] = rl_wrap_grown_part(surface, radius);
    surface = &state->grown[i];
  }
  state->solids[i] = rl_path_solid_of(surface, at.centre, at.rotation);
  state->solid_parts[i][0] = body;
  state->solid_parts[i][1] = part;
  return i;
}

bool rl_wraps_is_on(const rl_wrapping *w, const rl_path_item *item, uint32_t body, uint32_t part) {
  return item->part != RL_NONE && w->state->solid_parts[item->part][0] == body &&
         w->state->solid_parts[item->part][1] == part;
}

// Sets the parts of the items from the wraps of the rope.
static void find_parts(rl_wrapping *w) {
  const rl_wrap *wraps = rl_wraps_of(w->model, w->state, w->rope);
  const uint32_t count = w->state->wrap_counts[w->rope];
  for (uint32_t i = 0; i < count; i++) {
    w->path.items[i + 1].part =
        wraps[i].body == RL_NONE ? RL_NONE : rl_wraps_solid(w, wraps[i].body, wraps[i].part);
  }
  w->path.count = count + 2;
}

rl_wrapping rl_wraps_open(const rl_model *model, rl_state *state, uint32_t rope) {
  rl_wrapping w = {.model = model, .state = state, .rope = rope, .left = RL_NONE, .lost = RL_NONE};
  w.path.items = rl_path_items(state, rope);
  w.path.capacity = model->ropes[rope].wrap_capacity + 2;
  w.path.kept = state->kept_items;
  state->solved[rope] = 0;
  find_parts(&w);
  return w;
}

bool rl_wraps_wind(rl_wrapping *w, size_t after, uint32_t body, uint32_t part, rl_vec3 side,
                   uint32_t turns) {
  double length;
  const uint32_t solid = rl_wraps_solid(w, body, part);
  const rl_path_outcome outcome =
      rl_path_wind(&w->path, after, w->state->solids, w->solid_count, solid, side, turns, &length);
  return rl_path_is_found(outcome);
}

bool rl_wraps_lead(rl_wrapping *w, size_t after, uint32_t body, uint32_t part, rl_vec3 turning,
                   uint32_t turns) {
  double length;
  const uint32_t solid = rl_wraps_solid(w, body, part);
  const rl_path_outcome outcome = rl_path_lead(&w->path, after, w->state->solids, w->solid_count,
                                               solid, turning, turns, &length);
  return rl_path_is_found(outcome);
}

void rl_wraps_restore(rl_wrapping *w, size_t count) {
  memcpy(w->path.items, w->state->old_items, count * sizeof *w->path.items);
  w->path.count = count;
}

static bool is_old(const rl_wrapping *w, const rl_path_item *item, const rl_wrap *old) {
  return item->part == RL_NONE
             ? old->body == RL_NONE
             : old->body != RL_NONE && rl_wraps_is_on(w, item, old->body, old->part) &&
                   old->feature == item->feature;
}

// Makes all wraps new that come to lie on a body: no feature is that of an old one.
static void forget_wraps(const rl_wrapping *w, uint32_t body, uint32_t old_count) {
  for (uint32_t k = 0; k < old_count && body != RL_NONE; k++) {
    rl_wrap *old = &w->state->old_wraps[k];
    old->feature = old->body == body ? RL_NONE : old->feature;
  }
}

// Where the middle of an item of the list lies, and where the mark of an old wrap lay: the share of
// the rope that is before it.
static double share_before(const rl_wrapping *w, uint32_t wrap) {
  const rl_path_item *items = w->path.items;
  double before = 0.5 * items[wrap + 1].arc, length = 0.0;
  for (size_t k = 0; k < w->path.count; k++) {
    before += k <= wrap ? items[k].arc + items[k].piece : 0.0;
    length += items[k].arc + items[k].piece;
  }
  return before / length;
}

static double old_share_before(const rl_wrapping *w, uint32_t old, uint32_t old_count) {
  const double rest = w->state->links[w->model->ropes[w->rope].first_link].rest;
  double behind = 0.0;
  for (uint32_t k = old; k < old_count; k++) {
    behind += w->state->old_wraps[k].rest;
  }
  return 1.0 - behind / rest;
}

// (15b) Finds which old wraps those of the list are, between two eyes or ends: as many as can be in
// the order of both lists, since the same feature can occur several times (a longest common
// subsequence); of several ways that are as good, the one by which they move least along the rope.
// Sets `rest` to the number of the old wrap; to -1 if it is new.
static void match_between_eyes(const rl_wrapping *w, uint32_t first, uint32_t end,
                               uint32_t old_first, uint32_t old_end, uint32_t all_old) {
  rl_wrap *wraps = rl_wraps_of(w->model, w->state, w->rope);
  const rl_path_item *items = &w->path.items[1];
  const rl_wrap *old = w->state->old_wraps;
  for (uint32_t i = first; i < end; i++) {
    wraps[i].rest = -1.0;
  }
  // Lists of the same length are mostly the same; of long ones only what differs fits in the table.
  const bool trims = end - first == old_end - old_first || end - first > MOST_CHANGED ||
                     old_end - old_first > MOST_CHANGED;
  while (trims && first < end && old_first < old_end && is_old(w, &items[first], &old[old_first])) {
    wraps[first++].rest = old_first++;
  }
  while (trims && first < end && old_first < old_end &&
         is_old(w, &items[end - 1], &old[old_end - 1])) {
    wraps[--end].rest = --old_end;
  }
  const uint32_t count = end - first, old_count = old_end - old_first;
  if (count == 0 || old_count == 0 || count > MOST_CHANGED || old_count > MOST_CHANGED) {
    return;
  }
  double was[MOST_CHANGED];
  double best[MOST_CHANGED + 1][MOST_CHANGED + 1]; // of matches from these two on
  memset(best, 0, sizeof best);
  for (uint32_t k = 0; k < old_count; k++) {
    was[k] = old_share_before(w, old_first + k, all_old);
  }
  for (uint32_t i = count; i-- > 0;) {
    const double is = share_before(w, first + i);
    for (uint32_t k = old_count; k-- > 0;) {
      best[i][k] = fmax(best[i + 1][k], best[i][k + 1]);
      if (is_old(w, &items[first + i], &old[old_first + k])) {
        const double moved = fmin(fabs(is - was[k]), 1.0) / (MOST_CHANGED + 1); // all: less than 1
        best[i][k] = fmax(best[i][k], best[i + 1][k + 1] + 1.0 - moved);
      }
    }
  }
  for (uint32_t i = 0, k = 0; i < count && k < old_count;) {
    if (best[i][k] == best[i + 1][k]) {
      i++;
    } else if (best[i][k] == best[i][k + 1]) {
      k++;
    } else {
      wraps[first + i++].rest = old_first + k++;
    }
  }
}

// The same for the whole list. Eyes are never inserted or removed.
static void match_old(const rl_wrapping *w, uint32_t old_count) {
  const uint32_t count = (uint32_t)w->path.count - 2;
  for (uint32_t i = 0, old = 0; i < count || old < old_count; i++, old++) {
    const uint32_t first = i, old_first = old;
    while (i < count && w->path.items[i + 1].part != RL_NONE) {
      i++;
    }
    while (old < old_count && w->state->old_wraps[old].body != RL_NONE) {
      old++;
    }
    match_between_eyes(w, first, i, old_first, old, old_count);
    if (i < count) { // an eye
      rl_wraps_of(w->model, w->state, w->rope)[i].rest = old;
    }
  }
}

// Returns how many wraps, from one end of the rope, are on the body that it is tied to there: the
// rope cannot slip on these, so they need no friction.
static uint32_t count_own(const rl_wrapping *w, uint32_t end) {
  const rl_wrap *wraps = rl_wraps_of(w->model, w->state, w->rope);
  const uint32_t count = w->state->wrap_counts[w->rope];
  const uint32_t tied = rl_tied_body(w->model, w->model->ropes[w->rope].ends[end]);
  uint32_t own = 0;
  while (own < count && tied != RL_NONE && wraps[end == 0 ? own : count - 1 - own].body == tied) {
    own++;
  }
  return own;
}

// Sets the grips: without friction a wrap slides; with friction one sticks that slid while the rope
// slipped off.
static void find_grips(rl_wrapping *w) {
  rl_wrap *wraps = rl_wraps_of(w->model, w->state, w->rope);
  const uint32_t count = w->state->wrap_counts[w->rope];
  const uint32_t own[2] = {count_own(w, 0), count_own(w, 1)};
  for (uint32_t i = 0; i < count; i++) {
    const bool slides = rl_wrap_friction(w->model, w->rope, &wraps[i]) == 0.0 || i < own[0] ||
                        count - 1 - i < own[1];
    wraps[i].grip = slides ? RL_SLIDES : wraps[i].grip == RL_SLIDES ? RL_STICKS : wraps[i].grip;
  }
}

static rl_wrap new_wrap(const rl_wrapping *w, const rl_path_item *item) {
  const uint32_t *place = w->state->solid_parts[item->part];
  rl_wrap wrap = {.body = place[0],
                  .part = place[1],
                  .feature = item->feature,
                  .grip = w->meets ? RL_MEETS : RL_STICKS};
  return wrap;
}

// Shares the rest length of old pieces, of the length `old_length`, among the new pieces first ...
// last, which replace them, in proportion to their lengths; and the growth of their length.
static void share_rest(const rl_wrapping *w, uint32_t first, uint32_t last, double rest,
                       double tension, double old_length) {
  rl_wrap *wraps = rl_wraps_of(w->model, w->state, w->rope);
  double length = 0.0;
  for (uint32_t p = first; p <= last; p++) {
    length += rl_wrap_piece_length(w->model, w->state, w->rope, p, w->state->points);
  }
  for (uint32_t p = first; p <= last; p++) {
    const double own = rl_wrap_piece_length(w->model, w->state, w->rope, p, w->state->points);
    if (w->lengths && length > 0.0) {
      rl_wrap_growths(w->state, w->rope)[p] = (length - old_length) * own / length;
    }
    if (p > 0) {
      wraps[p - 1].rest = length > 0.0 ? rest * own / length : 0.0;
      wraps[p - 1].tension = tension;
    }
  }
}

// Whether a rope has come, over other features, to lie elsewhere on a feature than before: its mark
// is a quarter turn away from the arc (after a slip: outside the arc), or a radius from its place
// on a rim.
static bool lies_elsewhere(const rl_wrapping *w, const rl_wrap *wrap, rl_path_item *item) {
  if (wrap->body == RL_NONE || item->kind == RL_PATH_LINE) {
    return false;
  }
  if (item->kind == RL_PATH_CIRCLE) {
    const rl_body_pose at = rl_body_pose_at(w->model, w->state, w->state->points, wrap->body);
    return rl_distance(rl_wrap_to_world(at, wrap->mark), item->entry) > item->radius;
  }
  const double before = rl_wrap_before_mark(w->model, w->state, wrap, item, w->state->points);
  return fabs(before - 0.5 * item->arc) >
         0.5 * item->arc + (w->lost == RL_NONE ? 0.5 * RL_PI * item->radius : 0.0);
}

// Returns what a damped elastic rope stores in a piece over EA/2 [m].
static double stored(double length, double rest) {
  const double stretch = fmax(length - rest, 0.0);
  return rest > 0.0 ? stretch * stretch / rest : 0.0;
}

// Makes the items of the list wraps. Until rest lengths are shared, `rest` has the number of the
// old wrap, or -1 for a new one. Returns a body on which the rope lies elsewhere than before, or
// RL_NONE.
static uint32_t take_items(rl_wrapping *w, uint32_t old_count) {
  rl_state *state = w->state;
  rl_wrap *wraps = rl_wraps_of(w->model, state, w->rope);
  uint32_t moved = RL_NONE;
  match_old(w, old_count);
  for (uint32_t i = 0; i < state->wrap_counts[w->rope]; i++) {
    rl_path_item *item = &w->path.items[i + 1];
    const double old = wraps[i].rest;
    wraps[i] = old < 0.0 ? new_wrap(w, item) : state->old_wraps[(uint32_t)old];
    wraps[i].rest = old;
    rl_wrap_keep(w->model, state, &wraps[i], item);
    if (old < 0.0) {
      rl_wrap_mark_middle(w->model, state, &wraps[i], item);
    } else if (lies_elsewhere(w, &wraps[i], item)) {
      moved = wraps[i].body;
    }
  }
  return moved;
}

void rl_wraps_adopt(rl_wrapping *w) {
  rl_state *state = w->state;
  rl_wrap *wraps = rl_wraps_of(w->model, state, w->rope);
  const uint32_t old_count = state->wrap_counts[w->rope];
  const uint32_t count = (uint32_t)w->path.count - 2;
  const double first_tension = rl_wrap_piece_tension(w->model, state, w->rope, 0);
  const double first_rest = rl_wrap_piece_rest(w->model, state, w->rope, 0);
  memcpy(state->old_wraps, wraps, old_count * sizeof *wraps);
  memset(wraps, 0, (old_count > count ? old_count : count) * sizeof *wraps);
  state->wrap_counts[w->rope] = count;
  uint32_t elsewhere = w->lost;
  do {
    forget_wraps(w, elsewhere, old_count);
    elsewhere = take_items(w, old_count);
  } while (elsewhere != RL_NONE);
  find_grips(w);
  // Pieces between two old wraps get the rest length that was between these.
  uint32_t first = 0, old_piece = 0;
  for (uint32_t p = 0;
       p <= count && w->model->ropes[w->rope].rubs && !rl_wraps_is_loop(w->model, w->rope); p++) {
    const bool ends = p == count || wraps[p].rest >= 0.0;
    if (!ends) {
      continue;
    }
    const uint32_t old_end = p == count ? old_count : (uint32_t)wraps[p].rest;
    const double tension = old_piece == 0 ? first_tension : state->old_wraps[old_piece - 1].tension;
    double rest = 0.0, length = 0.0, energy = 0.0; // over EA/2
    for (; old_piece <= old_end; old_piece++) {
      const double own = old_piece == 0 ? first_rest : state->old_wraps[old_piece - 1].rest;
      rest += own;
      length += w->lengths ? w->lengths[old_piece] : 0.0;
      energy += w->lengths ? stored(w->lengths[old_piece], own) : 0.0;
    }
    w->lost_joined +=
        rl_wraps_flow_late(w->model, w->rope)
            ? 0.5 * w->model->ropes[w->rope].stiffness * (energy - stored(length, rest))
            : 0.0;
    share_rest(w, first, p, rest, tension, length);
    first = p + 1;
  }
}

void rl_wraps_keep(rl_wrapping *w) {
  rl_wrap *wraps = rl_wraps_of(w->model, w->state, w->rope);
  for (uint32_t i = 0; i + 2 < w->path.count; i++) {
    rl_wrap_keep(w->model, w->state, &wraps[i], &w->path.items[i + 1]);
  }
  find_grips(w);
  rl_wrap_mark_path_solved(w->model, w->state, w->rope);
}

bool rl_wraps_is_settled(const rl_wrapping *w, const rl_path_item *item) {
  if (item->part == RL_NONE) {
    return true;
  }
  const rl_path_solid *solid = &w->state->solids[item->part];
  const double half = 0.5 * solid->part->length;
  const double entry = rl_dot(rl_sub(item->entry, solid->at), item->axis);
  const double exit = rl_dot(rl_sub(item->exit, solid->at), item->axis);
  const bool ball = item->kind == RL_PATH_SPHERE && item->feature == RL_FEATURE_SIDE;
  const bool side = item->kind == RL_PATH_CYLINDER && fmax(fabs(entry), fabs(exit)) < half;
  return (ball || side) && item->wrap > 0.0;
}

bool rl_wraps_all_settled(const rl_wrapping *w) {
  bool settled = true;
  for (size_t i = 1; i + 1 < w->path.count && settled; i++) {
    settled = rl_wraps_is_settled(w, &w->path.items[i]);
  }
  return settled;
}

// ---------------------------------------------------------------------------------------------
