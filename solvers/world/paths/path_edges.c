// SPDX-License-Identifier: GPL-3.0-or-later
// Rules for boxes and hulls: over which edges the rope comes on to a part and leaves it, and on
// which side of a corner it passes. Each change makes it shorter, or takes it out of the part.
#include "path_rules.h"

#include "../trigonometry.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------
// Edges at which the rope comes on and leaves

// Returns the height of a point over a face [m].
static double height_over(const rl_part *part, uint32_t face, rl_vec3 p) {
  return rl_dot(rl_path_face_normal(part, face), p) - rl_path_face_offset(part, face);
}

// Returns the face behind an edge; RL_NONE if rounding has left the edge without one.
static uint32_t face_after(const rl_part *part, uint32_t edge) {
  const uint32_t twin = rl_path_edge_twin(part, edge);
  return twin == RL_NONE ? RL_NONE : RL_FEATURE_FACE(twin);
}

// Finds the edges over which the straight way along the surface leads from a point of a face
// towards p, up to a face that p is above, each as a side of the face before it. Writes them into
// `edges`, and the places into `along` [m]; returns their number, 0 if there is no such way.
static uint32_t find_way_out(const rl_part *part, uint32_t face, rl_vec3 from, rl_vec3 p,
                             uint32_t edges[RL_PATH_MOST_EDGES], double along[RL_PATH_MOST_EDGES]) {
  const rl_vec3 normal = rl_unit(rl_cross(rl_sub(p, from), rl_path_face_normal(part, face)));
  for (uint32_t count = 0; count < RL_PATH_MOST_EDGES;) {
    edges[count] = rl_path_leave_face(part, face, normal, from, &along[count]);
    face = edges[count] == RL_NONE ? RL_NONE : face_after(part, edges[count]);
    count++;
    if (face == RL_NONE) {
      return 0;
    }
    if (height_over(part, face, p) >= 0.0) {
      return count;
    }
  }
  return 0;
}

// Inserts the edges over which the rope comes from the item before to items[first], which the part
// hides from there.
static rl_path_change insert_before(rl_path *path, const rl_path_scene *s, size_t first) {
  const rl_path_item old = path->items[first];
  const rl_part *part = rl_path_part_of(s, &old);
  uint32_t edges[RL_PATH_MOST_EDGES];
  double along[RL_PATH_MOST_EDGES];
  const uint32_t count =
      find_way_out(part, RL_FEATURE_FACE(old.feature), rl_path_local(s, &old, old.entry),
                   rl_path_local(s, &old, path->items[first - 1].exit), edges, along);
  if (count == 0) {
    return RL_PATH_SAME;
  }
  if (!rl_path_make_room(path, first, count)) {
    return RL_PATH_NO_ROOM;
  }
  for (uint32_t k = 0; k < count; k++) {
    rl_path_item *item = &path->items[first + count - 1 - k];
    rl_path_set_item(item, s, old.part, rl_path_edge_twin(part, edges[k]));
    item->along = item->length - along[k];
    item->entry = item->exit = rl_add_scaled(item->at, item->along, item->axis);
  }
  return RL_PATH_CHANGED;
}

// Inserts the edges over which the rope goes from items[last], across `face`, to the item behind.
static rl_path_change insert_behind(rl_path *path, const rl_path_scene *s, size_t last,
                                    uint32_t face) {
  const rl_path_item old = path->items[last];
  const rl_part *part = rl_path_part_of(s, &old);
  uint32_t edges[RL_PATH_MOST_EDGES];
  double along[RL_PATH_MOST_EDGES];
  const uint32_t count =
      find_way_out(part, face, rl_path_local(s, &old, old.exit),
                   rl_path_local(s, &old, path->items[last + 1].entry), edges, along);
  if (count == 0) {
    return RL_PATH_SAME;
  }
  if (!rl_path_make_room(path, last + 1, count)) {
    return RL_PATH_NO_ROOM;
  }
  for (uint32_t k = 0; k < count; k++) {
    rl_path_item *item = &path->items[last + 1 + k];
    rl_path_set_item(item, s, old.part, edges[k]);
    item->along = along[k];
    item->entry = item->exit = rl_add_scaled(item->at, item->along, item->axis);
  }
  return RL_PATH_CHANGED;
}

// Treats the first edge of a part, seen from the item before it: removes it if that is above its
// second face, and inserts edges before it if that is above neither face, or has gone there behind
// the edge (9c).
static rl_path_change meet_first(rl_path *path, const rl_path_scene *s, size_t first) {
  const rl_path_item *item = &path->items[first];
  const rl_part *part = rl_path_part_of(s, item);
  const rl_vec3 p = rl_path_local(s, item, item[-1].exit);
  const uint32_t after = face_after(part, item->feature);
  if (after == RL_NONE) {
    return RL_PATH_SAME;
  }
  const double over = height_over(part, RL_FEATURE_FACE(item->feature), p);
  const double beyond = height_over(part, after, p);
  const double hidden = s->solids[item->part].passed ? -INFINITY : -RL_PATH_SLACK * part->bound;
  if (beyond > 0.0 && !(over < hidden && over + beyond < 0.0)) {
    rl_path_remove(path, first, 1);
    return RL_PATH_CHANGED;
  }
  return over < hidden ? insert_before(path, s, first) : RL_PATH_SAME;
}

// Treats the last edge of a part, seen from the item behind it, in the same way.
static rl_path_change meet_last(rl_path *path, const rl_path_scene *s, size_t last) {
  const rl_path_item *item = &path->items[last];
  const rl_part *part = rl_path_part_of(s, item);
  const rl_vec3 p = rl_path_local(s, item, item[1].entry);
  const uint32_t after = face_after(part, item->feature);
  const double before = height_over(part, RL_FEATURE_FACE(item->feature), p);
  const double over = after != RL_NONE ? height_over(part, after, p) : 0.0;
  const double hidden = s->solids[item->part].passed ? -INFINITY : -RL_PATH_SLACK * part->bound;
  if (before > 0.0 && !(over < hidden && before + over < 0.0)) {
    rl_path_remove(path, last, 1);
    return RL_PATH_CHANGED;
  }
  return over < hidden ? insert_behind(path, s, last, after) : RL_PATH_SAME;
}

rl_path_change rl_path_meet_edges(rl_path *path, const rl_path_scene *s) {
  for (size_t i = 1; i + 1 < path->count; i++) {
    const rl_path_item *item = &path->items[i];
    if (item->kind != RL_PATH_LINE) {
      continue;
    }
    rl_path_change done = item[-1].part != item->part ? meet_first(path, s, i) : RL_PATH_SAME;
    if (done == RL_PATH_SAME && item[1].part != item->part) {
      done = meet_last(path, s, i);
    }
    if (done != RL_PATH_SAME) {
      return done;
    }
  }
  return RL_PATH_SAME;
}

// ---------------------------------------------------------------------------------------------
// (9) Round a corner on its other side

// Largest place on an edge, as a share of its length, to which the rope is moved.
static const double most_of_edge = 0.9;

// A rope over a corner that is bent by less counts as straight: its places would be in the corner
// but for rounding [rad].
static const double straight = 1e-7;

static bool is_far_end(const rl_path_item *item) { return item->along > 0.5 * item->length; }

static rl_vec3 corner_of(const rl_path_item *item) {
  return is_far_end(item) ? rl_add_scaled(item->at, item->length, item->axis) : item->at;
}

// The edges at a corner over which the rope goes on one side of it.
typedef struct fan {
  uint32_t count, edges[RL_PATH_MOST_EDGES];
  rl_vec3 arms[RL_PATH_MOST_EDGES];      // along the edges, unit
  double angles[RL_PATH_MOST_EDGES + 1]; // of the unfolded triangles, summed up [rad]
  rl_vec3 begin, end; // from the corner to where the rope comes from and goes to [m]
} fan;

// (9) Unfolds the triangles between the rope and the corner into a plane and returns the sum of
// their angles at the corner. If it is less than pi, a rope over the edges is shorter than one over
// the corner.
static double unfold(fan *f) {
  rl_vec3 arm = f->begin;
  double sum = 0.0;
  for (uint32_t k = 0; k <= f->count; k++) {
    const rl_vec3 next = k < f->count ? f->arms[k] : f->end;
    sum += rl_atan2(rl_length(rl_cross(arm, next)), rl_dot(arm, next));
    f->angles[k] = sum;
    arm = next;
  }
  return sum;
}

static void add_arm(fan *f, const rl_path_solid *solid, uint32_t edge, bool far) {
  rl_vec3 a, b;
  rl_path_edge_ends(solid->part, edge, &a, &b);
  f->edges[f->count] = edge;
  f->arms[f->count++] = rl_rotate(solid->rotation, rl_unit(far ? rl_sub(a, b) : rl_sub(b, a)));
}

// Finds the edges on the other side of the corner, from the face of the first edge to the face
// behind the last. Finds none if rounding has left an edge without a second face.
static void find_other_side(const fan *here, const rl_path_solid *solid, bool far, fan *there) {
  const rl_part *part = solid->part;
  const uint32_t to = face_after(part, here->edges[here->count - 1]);
  *there = (fan){.count = 0, .begin = here->begin, .end = here->end};
  uint32_t edge = here->edges[0];
  for (uint32_t face = RL_NONE; face != to && there->count < RL_PATH_MOST_EDGES;) {
    edge = far ? rl_path_edge_after(part, edge) : rl_path_edge_before(part, edge);
    add_arm(there, solid, edge, !far);
    edge = rl_path_edge_twin(part, edge);
    if (edge == RL_NONE) {
      there->count = 0;
      return;
    }
    face = RL_FEATURE_FACE(edge);
  }
}

// Removes the edges of a fan that are not needed because the point before or behind the part is
// above the face beyond them.
static void trim(fan *f, const rl_path_scene *s, const rl_path_item *before,
                 const rl_path_item *after, uint32_t solid) {
  const rl_part *part = s->solids[solid].part;
  uint32_t first = 0;
  if (before->part != solid) {
    const rl_vec3 p = rl_path_to_part(&s->solids[solid], before->exit);
    while (first < f->count && height_over(part, face_after(part, f->edges[first]), p) > 0.0) {
      first++;
    }
  }
  if (after->part != solid) {
    const rl_vec3 p = rl_path_to_part(&s->solids[solid], after->entry);
    while (f->count > first &&
           height_over(part, RL_FEATURE_FACE(f->edges[f->count - 1]), p) > 0.0) {
      f->count--;
    }
  }
  f->count -= first;
  memmove(f->edges, f->edges + first, f->count * sizeof *f->edges);
  memmove(f->arms, f->arms + first, f->count * sizeof *f->arms);
}

static double sine(double angle) {
  double s, c;
  rl_sincos(angle, &s, &c);
  return s;
}

// Replaces items first ... last by the edges of a fan, with the rope where the straight line
// through the unfolded triangles crosses them.
static rl_path_change lay_fan(rl_path *path, const rl_path_scene *s, size_t first, size_t last,
                              const fan *f, bool far) {
  const uint32_t solid = path->items[first].part;
  rl_path_remove(path, first, last - first + 1);
  if (!rl_path_make_room(path, first, f->count)) {
    return RL_PATH_NO_ROOM;
  }
  const double a = rl_length(f->begin), b = rl_length(f->end), whole = f->angles[f->count];
  double share = 1.0; // nearer to the corner the rope is still shorter than over the corner
  for (uint32_t k = 0; k < f->count; k++) {
    rl_path_item *item = &path->items[first + k];
    rl_path_set_item(item, s, solid, f->edges[k]);
    const double beyond = a * sine(f->angles[k]) + b * sine(whole - f->angles[k]);
    item->along = a * b * sine(whole) / beyond;
    share = fmin(share, most_of_edge * item->length / item->along);
  }
  for (uint32_t k = 0; k < f->count; k++) {
    rl_path_item *item = &path->items[first + k];
    item->along = far ? item->length - share * item->along : share * item->along;
    item->entry = item->exit = rl_add_scaled(item->at, item->along, item->axis);
  }
  return RL_PATH_CHANGED;
}

// Leads a rope that goes over edges first ... last at their corner round the side of the corner on
// which it is shorter; if it `stays`, on over these edges if they hold it.
static rl_path_change leave_corner(rl_path *path, const rl_path_scene *s, size_t first, size_t last,
                                   bool stays) {
  const rl_path_item *items = path->items;
  const rl_path_solid *solid = &s->solids[items[first].part];
  const bool far = is_far_end(&items[first]);
  const rl_vec3 corner = corner_of(&items[first]);
  fan here = {.begin = rl_sub(items[first - 1].exit, corner),
              .end = rl_sub(items[last + 1].entry, corner)};
  fan there;
  for (size_t i = first; i <= last; i++) {
    add_arm(&here, solid, items[i].feature, is_far_end(&items[i]));
  }
  find_other_side(&here, solid, far, &there);
  trim(&there, s, &items[first - 1], &items[last + 1], items[first].part);
  const double on_here = unfold(&here);
  const double on_there = there.count > 0 ? unfold(&there) : INFINITY;
  if (fmin(on_here, on_there) < RL_PI) {
    return on_there < on_here && !(stays && on_here < RL_PI - straight)
               ? lay_fan(path, s, first, last, &there, !far)
               : lay_fan(path, s, first, last, &here, far);
  }
  rl_path_remove(path, first, last - first + 1); // neither side holds the rope
  return RL_PATH_CHANGED;
}

static bool is_at(const rl_path_item *item, rl_vec3 corner, double share) {
  const double off = fmin(item->along, item->length - item->along);
  return item->kind == RL_PATH_LINE && off < share * item->length &&
         rl_distance(corner_of(item), corner) < 1e-9 * item->length;
}

rl_path_change rl_path_pass_corner(rl_path *path, const rl_path_scene *s, double share,
                                   bool stays) {
  for (size_t i = 1; i + 1 < path->count; i++) {
    const rl_path_item *item = &path->items[i];
    if (item->kind != RL_PATH_LINE || !is_at(item, corner_of(item), share)) {
      continue;
    }
    size_t last = i;
    while (path->items[last + 1].part == item->part &&
           is_at(&path->items[last + 1], corner_of(item), share)) {
      last++;
    }
    return leave_corner(path, s, i, last, stays);
  }
  return RL_PATH_SAME;
}
