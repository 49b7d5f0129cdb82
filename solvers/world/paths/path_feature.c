// SPDX-License-Identifier: GPL-3.0-or-later
#include "path_rules.h"

#include <string.h>

// Most changes of the list, and iterations, of a path: one that has not come to rest by then goes
// to and fro. Most short ways from one change to the next; most iterations of a search that goes
// all the way in such.
enum {
  MOST_CHANGES = 200,
  MOST_ITERATIONS = 4000,
  MOST_STEPS = 200,
  MOST_SHORT_ITERATIONS = 2 * MOST_STEPS
};

// Reverses the sense of sides between two joints on which the wrap angle has become negative.
static void turn_sides(rl_path *path, const rl_path_scene *s) {
  for (size_t i = 1; i + 1 < path->count; i++) {
    rl_path_item *item = &path->items[i];
    if (item->part != RL_NONE && item->kind == RL_PATH_CYLINDER && item->wrap < 0.0 &&
        rl_path_is_joint(s, item - 1, item->part) && rl_path_is_joint(s, item + 1, item->part)) {
      item->sense = -item->sense;
      item->wrap = -item->wrap;
    }
  }
}

// Applies the rules for a path that was not found because a place is stuck at a corner, or on a
// short chord of a rim: to ever larger distances from the corner and chords. A rope that is stuck
// at a corner for the `first` time stays on its side of it if that holds it: steps of the search
// get short near a corner, and end in it where the places are close beside it.
static rl_path_change pass_stuck_place(rl_path *path, const rl_path_scene *s, bool first) {
  static const double shares[] = {1e-6, 1e-3, 0.1}; // of an edge
  static const double chords[] = {1e-2, 1.0};       // [rad]
  rl_path_change done = RL_PATH_SAME;
  for (size_t i = 0; i < sizeof shares / sizeof shares[0] && done == RL_PATH_SAME; i++) {
    done = rl_path_pass_corner(path, s, shares[i], first);
  }
  for (size_t i = 0; i < sizeof chords / sizeof chords[0] && done == RL_PATH_SAME; i++) {
    done = rl_path_end_chord(path, s, chords[i]);
  }
  return done;
}

// Solves the path. Where the search is stuck near the solution, a piece may have come into a part
// on the way, and the path goes on over that: this is added before the search goes on downhill, to
// another path, and after every short way there, so that the rope goes over a part in its way on
// the side from which it comes. `creeps`: it goes in short ways from the beginning, and also over
// ends of sides and caps as it comes to them.
static rl_path_change solve_steadily(rl_path *path, const rl_path_scene *s, bool creeps,
                                     double *length) {
  bool stuck = creeps;
  for (int k = 0; k < MOST_STEPS; k++) {
    const bool slips = stuck;
    *length = rl_path_solve_within(path->items, path->count, &stuck, &path->iterations);
    rl_path_change done = stuck ? rl_path_clear_pieces(path, s) : RL_PATH_SAME;
    if (stuck && creeps && done == RL_PATH_SAME) {
      done = rl_path_pass_ends(path, s, RL_PATH_FIRST);
    }
    if (slips && !stuck && isnan(*length)) { // too flat for a step that must shorten the rope
      break;
    }
    if (!stuck || done != RL_PATH_SAME) {
      return done;
    }
  }
  *length = rl_path_solve_within(path->items, path->count, NULL, &path->iterations);
  return RL_PATH_SAME;
}

static void place_items(rl_path *path, const rl_path_scene *s) {
  for (size_t i = 0; i < path->count; i++) {
    rl_path_item *item = &path->items[i];
    if (item->part != RL_NONE) {
      rl_path_place(item, &s->solids[item->part]);
    } else { // what the rules see of it is where it is now, not where it was solved last
      item->entry = item->exit = item->at;
    }
  }
}

// Applies all rules until nothing changes. `creeps`: in short ways, until features have alternated;
// `left`, set: the rope has left something.
static rl_path_outcome settle(rl_path *path, const rl_path_scene *s, bool creeps, bool *left,
                              double *length) {
  const size_t most = path->iterations + (creeps ? MOST_SHORT_ITERATIONS : MOST_ITERATIONS);
  rl_path_change done = RL_PATH_SAME;
  for (int k = 0; k < MOST_CHANGES && path->iterations < most; k++) {
    const rl_path_patience p = k > MOST_CHANGES / 2   ? RL_PATH_ROUGHLY
                               : k > MOST_CHANGES / 4 ? RL_PATH_SLIPS
                                                      : RL_PATH_FIRST;
    done = RL_PATH_CHANGED;
    for (int m = 0; m < MOST_CHANGES && done == RL_PATH_CHANGED; m++) {
      const bool merged = rl_path_merge(path, s);
      done = rl_path_connect(path, s);
      done = done == RL_PATH_SAME && merged ? RL_PATH_CHANGED : done;
    }
    if (done == RL_PATH_NO_ROOM) {
      return RL_PATH_FULL;
    }
    done = solve_steadily(path, s, creeps && p == RL_PATH_FIRST, length);
    if (done == RL_PATH_CHANGED) {
      path->changes++;
      continue;
    }
    if (done == RL_PATH_NO_ROOM) {
      return RL_PATH_FULL;
    }
    turn_sides(path, s);
    done = rl_path_meet_edges(path, s);
    if (isnan(*length) && done == RL_PATH_SAME) {
      done = pass_stuck_place(path, s, k == 0);
    }
    if (isnan(*length) && done == RL_PATH_SAME) {
      return RL_PATH_NONE;
    }
    done = done == RL_PATH_SAME ? rl_path_drop_features(path, s, p) : done;
    done = done == RL_PATH_SAME ? rl_path_pass_ends(path, s, p) : done;
    *left = *left || done != RL_PATH_SAME;
    done = done == RL_PATH_SAME ? rl_path_clear_pieces(path, s) : done;
    if (done == RL_PATH_SAME) {
      return p == RL_PATH_ROUGHLY ? RL_PATH_ROUGH : RL_PATH_FOUND;
    }
    if (done == RL_PATH_NO_ROOM) {
      return RL_PATH_FULL;
    }
    path->changes++;
  }
  return RL_PATH_UNSETTLED;
}

rl_path_outcome rl_path_settle(rl_path *path, const rl_path_scene *s, double *length) {
  bool left = false;
  place_items(path, s);
  return settle(path, s, false, &left, length);
}

static void take_kept(rl_path *path, size_t count) {
  path->count = count;
  memcpy(path->items, path->kept, count * sizeof *path->items);
}

// Takes the list that was kept, and keeps the other one; `count` is that of the kept.
static void exchange_kept(rl_path *path, size_t *count) {
  const size_t kept = *count, most = kept > path->count ? kept : path->count;
  for (size_t i = 0; i < most; i++) {
    const rl_path_item item = path->items[i];
    path->items[i] = path->kept[i];
    path->kept[i] = item;
  }
  *count = path->count;
  path->count = kept;
}

// (9e) The path found is longer than the way with which the search began only if that has gone too
// far at once, and led the rope over a part on the other side than the one from which it came.
rl_path_outcome rl_path_adapt(rl_path *path, const rl_path_solid *solids, size_t solid_count,
                              double *length) {
  const rl_path_scene s = {solids, solid_count};
  size_t kept = path->count;
  path->changes = path->iterations = 0;
  place_items(path, &s);
  const double begun = rl_path_begin(path->items, kept);
  memcpy(path->kept, path->items, kept * sizeof *path->items);
  bool left = false;
  const rl_path_outcome outcome = settle(path, &s, false, &left, length);
  const bool is_found = rl_path_is_found(outcome);
  if (is_found && !(left && *length > begun * (1.0 + RL_PATH_SLACK))) {
    return outcome;
  }
  const double longest = is_found ? *length : INFINITY;
  if (is_found) {
    exchange_kept(path, &kept);
  } else {
    take_kept(path, kept);
  }
  const rl_path_outcome again = settle(path, &s, true, &left, length);
  if (rl_path_is_found(again) && *length < longest) {
    return again;
  }
  take_kept(path, kept);
  *length = is_found ? longest : NAN;
  return outcome;
}
