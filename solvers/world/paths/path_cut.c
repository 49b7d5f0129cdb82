// SPDX-License-Identifier: GPL-3.0-or-later
// Rules that add features, where a straight piece cuts into a part.
#include "path_rules.h"

uint32_t rl_path_leave_face(const rl_part *part, uint32_t face, rl_vec3 normal, rl_vec3 p,
                            double *along) {
  const rl_vec3 forward = rl_cross(rl_path_face_normal(part, face), normal);
  uint32_t found = RL_NONE;
  double farthest = -INFINITY;
  for (uint32_t i = 0; i < rl_path_face_corners(part, face); i++) {
    rl_vec3 a, b;
    rl_path_edge_ends(part, RL_FEATURE_EDGE(face, i), &a, &b);
    const double from = rl_dot(normal, rl_sub(a, p)), to = rl_dot(normal, rl_sub(b, p));
    if ((from >= 0.0) == (to >= 0.0)) {
      continue;
    }
    const double share = from / (from - to);
    const double reach = rl_dot(forward, rl_add_scaled(a, share, rl_sub(b, a)));
    if (reach > farthest) {
      farthest = reach;
      found = RL_FEATURE_EDGE(face, i);
      *along = share * rl_distance(a, b);
    }
  }
  return found;
}

// Sets a new item on a feature, with entry and exit in the middle of its part until it is solved.
static rl_path_item *new_item(rl_path_item *item, const rl_path_scene *s, uint32_t solid,
                              uint32_t feature) {
  rl_path_set_item(item, s, solid, feature);
  item->entry = item->exit = s->solids[solid].at;
  return item;
}

// Inserts the edges from face `from` to face `to` before items[index], in the plane of the piece
// and the way out. Returns RL_PATH_SAME if that plane does not lead there.
static rl_path_change add_edges(rl_path *path, const rl_path_scene *s, size_t index, uint32_t solid,
                                uint32_t from, uint32_t to, const rl_path_cut *cut) {
  const rl_part *part = s->solids[solid].part;
  const rl_vec3 forward = rl_sub(cut->to, cut->from);
  const rl_vec3 normal = rl_unit(rl_cross(forward, cut->outward));
  const rl_vec3 middle = rl_scale(0.5, rl_add(cut->from, cut->to));
  const uint32_t most = rl_path_face_count(part);
  uint32_t count = 0;
  for (uint32_t face = from; face != to; count++) {
    double along;
    const uint32_t edge = rl_path_leave_face(part, face, normal, middle, &along);
    const uint32_t twin = edge == RL_NONE ? RL_NONE : rl_path_edge_twin(part, edge);
    if (twin == RL_NONE || count == most) {
      rl_path_remove(path, index, count);
      return RL_PATH_SAME;
    }
    if (!rl_path_make_room(path, index + count, 1)) {
      return RL_PATH_NO_ROOM;
    }
    new_item(&path->items[index + count], s, solid, edge)->along = along;
    face = RL_FEATURE_FACE(twin);
  }
  return count > 0 ? RL_PATH_CHANGED : RL_PATH_SAME;
}

// Inserts a rim where the piece goes through one end and the side, or the side between both rims
// where it goes through both ends. One of the rims may be there already.
static rl_path_change add_rims(rl_path *path, const rl_path_scene *s, size_t index, uint32_t solid,
                               const rl_path_cut *cut) {
  const bool before = path->items[index - 1].part == solid;
  const bool after = path->items[index].part == solid;
  const bool through = (before || cut->in != RL_NONE) && (after || cut->out != RL_NONE);
  const size_t count = !through ? 1 : before || after ? 2 : 3;
  if (!rl_path_make_room(path, index, count)) {
    return RL_PATH_NO_ROOM;
  }
  const rl_vec3 at = through ? cut->outward : cut->in != RL_NONE ? cut->to : cut->from;
  rl_path_item *item = &path->items[index];
  if (!before && cut->in != RL_NONE) {
    new_item(item++, s, solid, RL_FEATURE_RIM + cut->in)->along = rl_path_angle_at(at);
  }
  if (through) {
    new_item(item++, s, solid, RL_FEATURE_SIDE)->sense = 1.0;
  }
  if (!after && cut->out != RL_NONE) {
    new_item(item, s, solid, RL_FEATURE_RIM + cut->out)->along = rl_path_angle_at(at);
  }
  return RL_PATH_CHANGED;
}

// Whether the way out for a piece that cuts off a bit of a cylinder, going in and out through the
// side or a rim, is over an end: the shortest way from the middle of the cut, or that of the hint.
static bool is_under_end(const rl_part *part, const rl_path_cut *cut, bool hint, uint32_t *end) {
  const rl_vec3 middle = rl_scale(0.5, rl_add(cut->from, cut->to)), out = cut->outward;
  *end = (hint ? out.z : middle.z) < 0.0 ? 0 : 1;
  return hint ? out.z * out.z > out.x * out.x + out.y * out.y
              : part->radius - sqrt(middle.x * middle.x + middle.y * middle.y) >
                    0.5 * part->length - fabs(middle.z);
}

// Inserts the two places on the rim of an end where the piece goes in and out. One may be there
// already.
static rl_path_change add_chord(rl_path *path, const rl_path_scene *s, size_t index, uint32_t solid,
                                uint32_t end, const rl_path_cut *cut) {
  const rl_path_item *before = &path->items[index - 1], *after = &path->items[index];
  const bool in = before->part != solid, out = after->part != solid;
  if (!rl_path_make_room(path, index, (in ? 1U : 0U) + (out ? 1U : 0U))) {
    return RL_PATH_NO_ROOM;
  }
  rl_path_item *item = &path->items[index];
  if (in) {
    new_item(item++, s, solid, RL_FEATURE_RIM + end)->along = rl_path_angle_at(cut->from);
  }
  if (out) {
    new_item(item, s, solid, RL_FEATURE_RIM + end)->along = rl_path_angle_at(cut->to);
  }
  return RL_PATH_CHANGED;
}

// Inserts the ball, side or cap through which the piece goes, and the ends of the side over which
// it comes or goes.
static rl_path_change add_round(rl_path *path, const rl_path_scene *s, size_t index, uint32_t solid,
                                const rl_path_cut *cut, rl_vec3 direction) {
  if (!rl_path_make_room(path, index, 1)) {
    return RL_PATH_NO_ROOM;
  }
  rl_path_item *item = &path->items[index];
  const rl_path_solid *where = &s->solids[solid];
  const rl_part *part = where->part;
  const bool capsule = part->shape == RL_CAPSULE;
  const rl_vec3 axis = rl_cross(rl_rotate(where->rotation, cut->outward), direction);
  new_item(item, s, solid, capsule && cut->in != RL_NONE ? RL_FEATURE_CAP + cut->in : 0);
  if (item->kind == RL_PATH_SPHERE) {
    item->side = rl_unit(axis);
    return RL_PATH_CHANGED;
  }
  item->sense = rl_dot(axis, item->axis) < 0.0 ? -1.0 : 1.0;
  const rl_vec3 p = rl_path_to_part(where, path->items[index - 1].exit);
  const rl_vec3 q = rl_path_to_part(where, path->items[index + 1].entry);
  rl_path_change done = RL_PATH_CHANGED;
  if (rl_path_is_over_end(part, q)) {
    done = rl_path_add_end(path, s, index, false, q.z, cut->outward, direction);
  }
  if (done == RL_PATH_CHANGED && rl_path_is_over_end(part, p)) {
    done = rl_path_add_end(path, s, index, true, p.z, cut->outward, direction);
  }
  return done;
}

bool rl_path_is_nipped_by(const rl_path *path, size_t i, uint32_t part) {
  const rl_path_item *a = &path->items[i];
  return (i > 0 && a[-1].part == part && rl_path_is_nipped(&a[-1])) ||
         (i + 2 < path->count && a[2].part == part && rl_path_is_nipped(&a[1]));
}

// Whether a piece cannot cut a solid because it is tangential to it or lies in a face of it, or
// need not be looked at because path_edges.c does.
static bool cannot_cut(const rl_path *path, const rl_path_scene *s, size_t i, uint32_t solid,
                       bool hint) {
  const rl_path_item *a = &path->items[i], *b = &path->items[i + 1];
  const rl_part *part = s->solids[solid].part;
  const bool on_a = a->part == solid, on_b = b->part == solid;
  if (rl_path_is_nipped_by(path, i, solid)) {
    return true;
  }
  if ((on_a && (a->kind == RL_PATH_SPHERE || a->kind == RL_PATH_CYLINDER)) ||
      (on_b && (b->kind == RL_PATH_SPHERE || b->kind == RL_PATH_CYLINDER))) {
    return true;
  }
  if (!on_a || !on_b) {
    return (on_a || on_b) && rl_is_polyhedron(part->shape) && !hint; // path_edges.c
  }
  if (!rl_is_polyhedron(part->shape)) {
    return a->feature == b->feature;
  }
  const uint32_t twin = rl_path_edge_twin(part, a->feature);
  return twin != RL_NONE && RL_FEATURE_FACE(twin) == RL_FEATURE_FACE(b->feature);
}

// Whether the piece from p to p + way is outside the ball that contains a solid.
static bool is_far(const rl_path_solid *solid, rl_vec3 p, rl_vec3 way) {
  const double square = rl_dot(way, way);
  const rl_vec3 off = rl_sub(solid->at, p);
  const double at = square > 0.0 ? fmin(fmax(rl_dot(off, way) / square, 0.0), 1.0) : 0.0;
  const rl_vec3 left = rl_add_scaled(off, -at, way);
  return rl_dot(left, left) > solid->part->bound * solid->part->bound;
}

rl_path_change rl_path_clear_piece(rl_path *path, const rl_path_scene *s, size_t i, uint32_t solid,
                                   const rl_vec3 *hint) {
  const rl_path_item *a = &path->items[i], *b = &path->items[i + 1];
  const rl_path_solid *where = &s->solids[solid];
  const rl_part *part = where->part;
  const rl_vec3 way = rl_sub(b->entry, a->exit);
  rl_path_cut cut;
  if (part->shape == RL_PLANE || where->passed || is_far(where, a->exit, way) ||
      cannot_cut(path, s, i, solid, hint != NULL) ||
      !rl_path_cuts(part, rl_path_to_part(where, a->exit), rl_path_to_part(where, b->entry),
                    RL_PATH_SLACK * part->bound, &cut)) {
    return RL_PATH_SAME;
  }
  if (hint) {
    cut.outward = rl_rotate_inverse(where->rotation, *hint);
  }
  if (part->shape == RL_CYLINDER) { // from a rim that is there already the way is over the side
    cut.in = a->part == solid ? RL_NONE : cut.in;
    cut.out = b->part == solid ? RL_NONE : cut.out;
  }
  if (!rl_is_polyhedron(part->shape)) {
    uint32_t end;
    const bool drum = part->shape == RL_CYLINDER;
    const bool rims = drum && (cut.in != RL_NONE || cut.out != RL_NONE);
    if (drum && !rims && (a->part != solid || b->part != solid) &&
        is_under_end(part, &cut, hint != NULL, &end)) {
      return add_chord(path, s, i + 1, solid, end, &cut);
    }
    return rims ? add_rims(path, s, i + 1, solid, &cut)
                : add_round(path, s, i + 1, solid, &cut, rl_unit(way));
  }
  if (a->part == solid) {
    const uint32_t twin = rl_path_edge_twin(part, a->feature);
    cut.in = twin == RL_NONE ? RL_NONE : RL_FEATURE_FACE(twin);
  }
  if (b->part == solid) {
    cut.out = RL_FEATURE_FACE(b->feature);
  }
  if (cut.in == RL_NONE || cut.out == RL_NONE) {
    return RL_PATH_SAME;
  }
  return add_edges(path, s, i + 1, solid, cut.in, cut.out, &cut);
}

rl_path_change rl_path_clear_pieces(rl_path *path, const rl_path_scene *s) {
  for (size_t i = 0; i + 1 < path->count; i++) {
    for (uint32_t solid = 0; solid < s->solid_count; solid++) {
      const rl_path_change done = rl_path_clear_piece(path, s, i, solid, NULL);
      if (done != RL_PATH_SAME) {
        return done;
      }
    }
  }
  return RL_PATH_SAME;
}
