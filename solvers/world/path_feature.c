// SPDX-License-Identifier: GPL-3.0-or-later
#include "path_feature.h"

#include "shape.h"
#include "trigonometry.h"

#include <string.h>

// Relative to the size of a part: pieces that are less deep than this do not cut it, and places
// that are less far beyond the end of an edge or a side are on it. The length is off by the square.
static const double slack = 1e-9;
// A rim that is pulled outwards by less than this share of the tension is still pressed.
static const double pull = 1e-9;

enum { MOST_CHANGES = 200 };

typedef enum change { NOTHING, CHANGED, NO_ROOM } change;

static change changed(bool done) { return done ? CHANGED : NO_ROOM; }

typedef struct scene {
  const rl_path_solid *solids;
  size_t solid_count;
} scene;

// ---------------------------------------------------------------------------------------------
// The list

// Makes room for items before items[index]; false if there is none.
static bool open_gap(rl_path *path, size_t index, size_t count) {
  if (path->count + count > path->capacity) {
    return false;
  }
  memmove(&path->items[index + count], &path->items[index],
          (path->count - index) * sizeof path->items[0]);
  memset(&path->items[index], 0, count * sizeof path->items[0]);
  path->count += count;
  path->items[index - 1].hinge = rl_vec(0.0, 0.0, 0.0);
  return true;
}

static void leave_out(rl_path *path, size_t index, size_t count) {
  path->count -= count;
  memmove(&path->items[index], &path->items[index + count],
          (path->count - index) * sizeof path->items[0]);
  path->items[index - 1].hinge = rl_vec(0.0, 0.0, 0.0);
}

static void set_item(rl_path_item *item, const scene *s, uint32_t part, uint32_t feature) {
  item->part = part;
  item->feature = feature;
  item->hinge = rl_vec(0.0, 0.0, 0.0);
  rl_path_place(item, &s->solids[part]);
}

static const rl_part *part_of(const scene *s, const rl_path_item *item) {
  return s->solids[item->part].part;
}

static rl_vec3 local(const scene *s, const rl_path_item *item, rl_vec3 p) {
  return rl_path_to_part(&s->solids[item->part], p);
}

static rl_vec3 local_direction(const scene *s, const rl_path_item *item, rl_vec3 v) {
  return rl_rotate_inverse(s->solids[item->part].rotation, v);
}

static double end_sign(uint32_t end) { return end == 0 ? -1.0 : 1.0; }

static uint32_t joint_feature(const rl_part *part) {
  return part->shape == RL_CAPSULE ? RL_FEATURE_SEAM : RL_FEATURE_RIM;
}

// ---------------------------------------------------------------------------------------------
// Going: the rope does not press there

// What an edge bears is a sum of the normals of its faces: it does not push along either face
// towards the inside of that.
static bool is_pressed_edge(const scene *s, const rl_path_item *item) {
  const rl_part *part = part_of(s, item);
  const uint32_t twin = rl_path_edge_twin(part, item->feature);
  const rl_vec3 force = local_direction(s, item, rl_sub(item->in, item->out));
  const rl_vec3 axis = local_direction(s, item, item->axis);
  const rl_vec3 normal1 = rl_path_face_normal(part, RL_FEATURE_FACE(item->feature));
  if (twin == RL_NONE) {
    return rl_dot(force, normal1) > 0.0;
  }
  const rl_vec3 normal2 = rl_path_face_normal(part, RL_FEATURE_FACE(twin));
  return rl_dot(force, rl_add(normal1, normal2)) > 0.0 &&
         rl_dot(force, rl_cross(normal1, axis)) <= pull &&
         rl_dot(force, rl_cross(axis, normal2)) <= pull;
}

// What the rim bears is a sum of the directions away from the axis and out of the end.
static bool is_pressed_rim(const scene *s, const rl_path_item *item) {
  const rl_vec3 force = local_direction(s, item, rl_sub(item->in, item->out));
  const rl_vec3 at = local(s, item, item->entry);
  const double away = force.x * at.x + force.y * at.y;
  const double along = force.z * end_sign(item->feature - RL_FEATURE_RIM);
  return away >= -pull * item->radius && along >= -pull && away + along * item->radius > 0.0;
}

// A point over an end, within the side made endless, has no tangent to it: the rope gets there over
// the rim, or the cap and the seam.
static bool is_over_end(const rl_part *part, rl_vec3 p) {
  return p.x * p.x + p.y * p.y < part->radius * part->radius * (1.0 - slack);
}

// A round piece may lie between two joints, where it has no tangents and its wrap either sign.
static bool is_joint(const scene *s, const rl_path_item *item, uint32_t part) {
  return item->part == part && item->kind == RL_PATH_CIRCLE &&
         item->feature >= joint_feature(part_of(s, item));
}

static bool is_held(const scene *s, const rl_path_item *item) {
  if (item->part == RL_NONE) {
    return true;
  }
  const rl_part *part = part_of(s, item);
  if (item->kind == RL_PATH_LINE) {
    return is_pressed_edge(s, item);
  }
  if (item->kind == RL_PATH_CIRCLE) {
    return part->shape == RL_CAPSULE || is_pressed_rim(s, item);
  }
  return item->wrap >= 0.0 ||
         (is_joint(s, item - 1, item->part) && is_joint(s, item + 1, item->part));
}

// With a round piece of a capsule the seam goes that led to it.
static void leave_out_feature(rl_path *path, const scene *s, size_t i) {
  const rl_path_item *items = path->items;
  const uint32_t part = items[i].part;
  const bool capsule = part_of(s, &items[i])->shape == RL_CAPSULE;
  const bool before = capsule && is_joint(s, &items[i - 1], part);
  const bool after = capsule && is_joint(s, &items[i + 1], part);
  const size_t first = before ? i - 1 : i, last = after ? i + 1 : i;
  leave_out(path, first, last - first + 1);
}

// A rim by itself that the rope does not press along the axis: it lies on the side, and on the rim
// as well if it comes from over the end or goes there.
static bool moves_to_side(const scene *s, const rl_path_item *item) {
  if (item->kind != RL_PATH_CIRCLE || part_of(s, item)->shape != RL_CYLINDER ||
      item[-1].part == item->part || item[1].part == item->part) {
    return false;
  }
  const rl_vec3 force = local_direction(s, item, rl_sub(item->in, item->out));
  const rl_vec3 at = local(s, item, item->entry);
  return force.x * at.x + force.y * at.y > 0.0;
}

static change move_to_side(rl_path *path, const scene *s, size_t i) {
  const rl_path_item *rim = &path->items[i];
  const rl_part *part = part_of(s, rim);
  const rl_vec3 spoke = rl_sub(rim->entry, rim->at);
  const rl_vec3 turning = rl_cross(spoke, rl_add(rim->in, rim->out));
  const bool after = is_over_end(part, local(s, rim, rim[-1].exit)); // the rim stays
  const bool before = is_over_end(part, local(s, rim, rim[1].entry));
  if ((before || after) && !open_gap(path, after ? i + 1 : i, 1)) {
    return NO_ROOM;
  }
  const uint32_t solid = path->items[after ? i : i + (before ? 1 : 0)].part;
  rl_path_item *side = &path->items[after ? i + 1 : i];
  set_item(side, s, solid, RL_FEATURE_SIDE);
  side->sense = rl_dot(turning, side->axis) < 0.0 ? -1.0 : 1.0;
  side->wrap = 0.0;
  return CHANGED;
}

// `late`: the rope has gone to and fro between the side and the rim, and neither holds it.
static change let_go_at(rl_path *path, const scene *s, size_t i, bool late) {
  if (!late && moves_to_side(s, &path->items[i])) {
    return move_to_side(path, s, i);
  }
  leave_out_feature(path, s, i);
  return CHANGED;
}

// First what is round: a wrap below 0 tells nothing about what lies beside it.
static change let_go(rl_path *path, const scene *s, bool late) {
  for (int edges = 0; edges < 2; edges++) {
    for (size_t i = 1; i + 1 < path->count; i++) {
      const rl_path_item *item = &path->items[i];
      const bool edge = item->kind == RL_PATH_LINE || item->kind == RL_PATH_CIRCLE;
      if (edge == (edges == 1) && !is_held(s, item)) {
        return let_go_at(path, s, i, late);
      }
    }
  }
  return NOTHING;
}

// ---------------------------------------------------------------------------------------------
// Two neighbours that are one

static double angle_on(const rl_path_item *item, rl_vec3 axis, rl_vec3 from, rl_vec3 to) {
  rl_vec3 a = rl_sub(from, item->at), b = rl_sub(to, item->at);
  a = rl_add_scaled(a, -rl_dot(a, axis), axis);
  b = rl_add_scaled(b, -rl_dot(b, axis), axis);
  return rl_atan2(rl_dot(axis, rl_cross(a, b)), rl_dot(a, b));
}

// Over an edge and back, or one round piece twice: where something between them has gone.
static bool join_at(rl_path *path, const scene *s, size_t i) {
  rl_path_item *a = &path->items[i], *b = &path->items[i + 1];
  if (a->part == RL_NONE || a->part != b->part) {
    return false;
  }
  if (a->kind == RL_PATH_LINE) {
    if (rl_path_edge_twin(part_of(s, a), a->feature) != b->feature) {
      return false;
    }
    leave_out(path, i, 2);
    return true;
  }
  if (a->feature != b->feature) {
    return false;
  }
  if (a->kind == RL_PATH_SPHERE || a->kind == RL_PATH_CYLINDER) {
    const bool drum = a->kind == RL_PATH_CYLINDER;
    const rl_vec3 axis = drum ? rl_scale(a->sense, a->axis) : a->side;
    const double same = drum ? a->sense * b->sense : 1.0;
    a->wrap += angle_on(a, axis, a->exit, b->entry) + same * b->wrap;
  }
  leave_out(path, i + 1, 1);
  a->hinge = rl_vec(0.0, 0.0, 0.0);
  return true;
}

// From a joint over the side or a cap and back to the same joint.
static bool leave_round_at(rl_path *path, const scene *s, size_t i) {
  const rl_path_item *item = &path->items[i];
  if (item->part == RL_NONE || item->kind == RL_PATH_LINE || item->kind == RL_PATH_CIRCLE ||
      !is_joint(s, item - 1, item->part) || !is_joint(s, item + 1, item->part) ||
      item[-1].feature != item[1].feature) {
    return false;
  }
  const bool capsule = part_of(s, item)->shape == RL_CAPSULE;
  leave_out(path, capsule ? i - 1 : i, capsule ? 3 : 2);
  return true;
}

static bool join_neighbours(rl_path *path, const scene *s) {
  bool any = false;
  for (size_t i = 1; i + 2 < path->count;) {
    const bool joined = join_at(path, s, i) || leave_round_at(path, s, i);
    any = any || joined;
    i = joined ? 1 : i + 1;
  }
  return any;
}

// ---------------------------------------------------------------------------------------------
// Past the end of an edge: round the corner on its other side

// From the face of `edge` to another one of the corner at its far or near end, the way that does
// not lead over `edge`. Returns how many edges that takes, and writes them into items if not NULL.
static size_t edges_round_corner(const rl_part *part, uint32_t edge, uint32_t to, bool far,
                                 rl_path_item *items) {
  uint32_t next = far ? rl_path_edge_after(part, edge) : rl_path_edge_before(part, edge);
  for (size_t count = 0; count < rl_path_face_count(part); count++) {
    if (items) {
      items[count].feature = next;
    }
    const uint32_t over = rl_path_edge_twin(part, next);
    if (over == RL_NONE) {
      return 0;
    }
    if (RL_FEATURE_FACE(over) == to) {
      return count + 1;
    }
    next = far ? rl_path_edge_after(part, over) : rl_path_edge_before(part, over);
  }
  return 0;
}

// Takes the rope from edges first ... last, which meet in a corner, to the others of it. On those
// it begins at a distance `beside` from the corner. False if there is no room.
static bool round_corner(rl_path *path, const scene *s, size_t first, size_t last, double beside) {
  const rl_path_item old = path->items[first];
  const rl_part *part = part_of(s, &old);
  const bool far = old.along > 0.5 * old.length;
  const uint32_t twin = rl_path_edge_twin(part, path->items[last].feature);
  const uint32_t to = twin == RL_NONE ? RL_NONE : RL_FEATURE_FACE(twin);
  const size_t count = to == RL_NONE ? 0 : edges_round_corner(part, old.feature, to, far, NULL);
  leave_out(path, first, last - first + 1);
  if (count == 0) {
    return true;
  }
  if (!open_gap(path, first, count)) {
    return false;
  }
  edges_round_corner(part, old.feature, to, far, &path->items[first]);
  for (size_t k = 0; k < count; k++) {
    rl_path_item *item = &path->items[first + k];
    set_item(item, s, old.part, item->feature);
    const double along = fmin(beside, 0.1 * item->length);
    item->along = far ? along : item->length - along;
  }
  return true;
}

static rl_vec3 corner_beside(const scene *s, const rl_path_item *item) {
  rl_vec3 a, b;
  rl_path_edge_ends(part_of(s, item), item->feature, &a, &b);
  return item->along > 0.5 * item->length ? b : a;
}

// Where all edges in a row are left at one corner there is no path on this side of it.
static bool is_at_corner(const scene *s, const rl_path_item *item, rl_vec3 corner, double share) {
  const double off = fmin(fabs(item->along), fabs(item->along - item->length));
  return item->kind == RL_PATH_LINE && off < share * item->length &&
         rl_distance(corner_beside(s, item), corner) == 0.0;
}

// ---------------------------------------------------------------------------------------------
// Past the end of a side or the seam of a cap

static bool is_beyond(double z, double half, uint32_t end) {
  return z * end_sign(end) > half * (1.0 + slack);
}

static double angle_at(rl_vec3 p) { return rl_atan2(p.y, p.x); }

// The direction of the rope along a side, at a place of it.
static rl_vec3 side_direction(const rl_path_item *item, rl_vec3 at) {
  const rl_vec3 spoke = rl_sub(at, item->at);
  const rl_vec3 off = rl_add_scaled(spoke, -rl_dot(spoke, item->axis), item->axis);
  const rl_vec3 round = rl_scale(item->sense, rl_unit(rl_cross(item->axis, off)));
  const double rise = rl_dot(rl_sub(item->exit, item->entry), item->axis);
  return rl_unit(rl_add_scaled(rl_scale(item->radius * item->wrap, round), rise, item->axis));
}

static void set_cap(rl_path_item *cap, const scene *s, uint32_t part, uint32_t end, rl_vec3 at,
                    rl_vec3 direction) {
  set_item(cap, s, part, RL_FEATURE_CAP + end);
  cap->side = rl_unit(rl_cross(rl_sub(at, cap->at), direction));
}

static change add_end(rl_path *path, const scene *s, size_t side, bool before, double z,
                      rl_vec3 outward, rl_vec3 direction) {
  const rl_path_item *item = &path->items[side];
  const uint32_t solid = item->part, end = z < 0.0 ? 0 : 1;
  const rl_path_solid *where = &s->solids[solid];
  const bool capsule = where->part->shape == RL_CAPSULE;
  const size_t gap = capsule ? 2 : 1, first = before ? side : side + 1;
  if (!open_gap(path, first, gap)) {
    return NO_ROOM;
  }
  rl_path_item *joint = &path->items[capsule && before ? first + 1 : first];
  set_item(joint, s, solid, joint_feature(where->part) + end);
  joint->along = angle_at(outward);
  if (capsule) {
    rl_path_item *cap = &path->items[before ? first : first + 1];
    const rl_vec3 at = rl_add_scaled(joint->at, joint->radius, rl_rotate(where->rotation, outward));
    set_cap(cap, s, solid, end, at, direction);
  }
  return CHANGED;
}

// A rope that leaves the side for a point over an end.
static change end_side_at(rl_path *path, const scene *s, size_t i) {
  const rl_path_item *item = &path->items[i];
  if (item->part == RL_NONE || item->kind != RL_PATH_CYLINDER) {
    return NOTHING;
  }
  const rl_part *part = part_of(s, item);
  for (int before = 0; before < 2; before++) {
    const rl_path_item *beside = before ? item - 1 : item + 1;
    const rl_vec3 p = local(s, item, before ? beside->exit : beside->entry);
    if (beside->part != item->part && is_over_end(part, p)) {
      const rl_vec3 place = local(s, item, before ? item->entry : item->exit);
      const rl_vec3 out = rl_unit(rl_vec(place.x, place.y, 0.0));
      return add_end(path, s, i, before, p.z, out, before ? item->in : item->out);
    }
  }
  return NOTHING;
}

// Between the side and a cap there is the seam, between two caps the side with both seams.
static change connect_at(rl_path *path, const scene *s, size_t i) {
  const rl_path_item a = path->items[i], b = path->items[i + 1];
  if (a.part == RL_NONE || a.part != b.part || a.kind == RL_PATH_LINE || a.kind == RL_PATH_CIRCLE ||
      b.kind == RL_PATH_CIRCLE || a.feature == b.feature) {
    return NOTHING;
  }
  const bool caps = a.kind == RL_PATH_SPHERE && b.kind == RL_PATH_SPHERE;
  if (!open_gap(path, i + 1, caps ? 3 : 1)) {
    return NO_ROOM;
  }
  rl_path_item *item = &path->items[i + 1];
  if (a.kind == RL_PATH_SPHERE) {
    set_item(item, s, a.part, a.feature - RL_FEATURE_CAP + RL_FEATURE_SEAM);
    item++->along = angle_at(local(s, &a, a.exit));
  }
  if (caps) {
    set_item(item, s, a.part, RL_FEATURE_SIDE);
    item++->sense = rl_dot(a.side, a.axis) < 0.0 ? -1.0 : 1.0;
  }
  if (b.kind == RL_PATH_SPHERE) {
    set_item(item, s, a.part, b.feature - RL_FEATURE_CAP + RL_FEATURE_SEAM);
    item->along = angle_at(local(s, &b, b.entry));
  }
  return CHANGED;
}

static change connect(rl_path *path, const scene *s) {
  for (size_t i = 1; i + 1 < path->count; i++) {
    const change side = end_side_at(path, s, i);
    const change done = side == NOTHING ? connect_at(path, s, i) : side;
    if (done != NOTHING) {
      return done;
    }
  }
  return NOTHING;
}

static rl_vec3 on_side(const rl_path_item *item, double share) {
  const rl_vec3 axis = rl_scale(item->sense, item->axis);
  const rl_vec3 spoke = rl_sub(item->entry, item->at);
  const double rise = rl_dot(rl_sub(item->exit, item->entry), axis);
  const rl_quat turn = rl_quat_from_vector(rl_scale(share * item->wrap, axis));
  return rl_add_scaled(rl_add(item->at, rl_rotate(turn, spoke)), share * rise, axis);
}

// The rope lies on the side beyond its end only: over the cap or the rim there instead.
static bool move_off_side(rl_path *path, const scene *s, size_t i, uint32_t end) {
  const rl_path_item old = path->items[i];
  const rl_part *part = part_of(s, &old);
  const rl_vec3 middle = on_side(&old, 0.5);
  const bool before = is_joint(s, &path->items[i - 1], old.part);
  const bool after = is_joint(s, &path->items[i + 1], old.part);
  leave_out(path, i + 1, after ? 1 : 0);
  leave_out(path, before ? i - 1 : i, before ? 1 : 0);
  rl_path_item *item = &path->items[before ? i - 1 : i];
  const rl_vec3 direction = side_direction(&old, middle);
  if (part->shape == RL_CAPSULE) {
    set_cap(item, s, old.part, end, middle, direction);
    item->wrap = old.wrap;
  } else {
    set_item(item, s, old.part, RL_FEATURE_RIM + end);
    item->along = angle_at(local(s, &old, middle));
  }
  return true;
}

// The rope comes on to the side, or leaves it, beyond an end: over the rim, or a cap and the seam.
static bool add_joint(rl_path *path, const scene *s, size_t i, uint32_t end, bool at_exit) {
  const rl_path_item old = path->items[i];
  const rl_part *part = part_of(s, &old);
  const bool capsule = part->shape == RL_CAPSULE;
  const double half = 0.5 * part->length * end_sign(end);
  const double z1 = local(s, &old, old.entry).z, z2 = local(s, &old, old.exit).z;
  const double share = (half - z1) / (z2 - z1);
  const rl_vec3 at = on_side(&old, share);
  const size_t gap = capsule ? 2 : 1;
  if (!open_gap(path, at_exit ? i + 1 : i, gap)) {
    return false;
  }
  rl_path_item *side = &path->items[at_exit ? i : i + gap];
  rl_path_item *joint = &path->items[at_exit ? i + 1 : i + gap - 1];
  side->hinge = rl_vec(0.0, 0.0, 0.0);
  side->wrap = old.wrap * (at_exit ? share : 1.0 - share);
  set_item(joint, s, old.part, joint_feature(part) + end);
  joint->along = angle_at(local(s, &old, at));
  if (capsule) {
    rl_path_item *cap = &path->items[at_exit ? i + 2 : i];
    set_cap(cap, s, old.part, end, at, side_direction(&old, at));
    cap->wrap = old.wrap - side->wrap;
  }
  return true;
}

// The rope lies on a cap beyond its seam only: on the side instead.
static bool move_off_cap(rl_path *path, const scene *s, size_t i) {
  const rl_path_item old = path->items[i];
  const bool before = is_joint(s, &path->items[i - 1], old.part);
  const bool after = is_joint(s, &path->items[i + 1], old.part);
  leave_out(path, i + 1, after ? 1 : 0);
  leave_out(path, before ? i - 1 : i, before ? 1 : 0);
  rl_path_item *item = &path->items[before ? i - 1 : i];
  set_item(item, s, old.part, RL_FEATURE_SIDE);
  item->sense = rl_dot(old.side, item->axis) < 0.0 ? -1.0 : 1.0;
  item->wrap = fabs(angle_on(item, item->axis, old.entry, old.exit));
  return true;
}

static bool add_seam(rl_path *path, const scene *s, size_t i, bool at_exit) {
  const rl_path_item old = path->items[i];
  const uint32_t end = old.feature - RL_FEATURE_CAP;
  // Along the arc the height over the seam is h cos + rise sin of the angle.
  const rl_vec3 spoke = rl_sub(old.entry, old.at);
  const double h = rl_dot(spoke, old.axis), rise = rl_dot(rl_cross(old.side, spoke), old.axis);
  double angle = rl_atan2(h, -rise);
  angle = angle < 0.0 ? angle + RL_PI : angle;
  const rl_quat turn = rl_quat_from_vector(rl_scale(angle, old.side));
  const rl_vec3 at = rl_add(old.at, rl_rotate(turn, spoke));
  if (!open_gap(path, at_exit ? i + 1 : i, 2)) {
    return false;
  }
  rl_path_item *cap = &path->items[at_exit ? i : i + 2];
  rl_path_item *seam = &path->items[i + 1];
  rl_path_item *side = &path->items[at_exit ? i + 2 : i];
  cap->hinge = rl_vec(0.0, 0.0, 0.0);
  cap->wrap = at_exit ? angle : old.wrap - angle;
  set_item(seam, s, old.part, RL_FEATURE_SEAM + end);
  seam->along = angle_at(local(s, &old, at));
  set_item(side, s, old.part, RL_FEATURE_SIDE);
  side->sense = rl_dot(old.side, side->axis) < 0.0 ? -1.0 : 1.0;
  const rl_vec3 axis = rl_scale(side->sense, side->axis);
  side->wrap = at_exit ? angle_on(side, axis, at, old.exit) : angle_on(side, axis, old.entry, at);
  return true;
}

static change pass_side_end(rl_path *path, const scene *s, size_t i) {
  const rl_path_item *item = &path->items[i];
  const double half = 0.5 * part_of(s, item)->length;
  const double z1 = local(s, item, item->entry).z, z2 = local(s, item, item->exit).z;
  for (uint32_t end = 0; end < 2; end++) {
    const bool entry = is_beyond(z1, half, end), exit = is_beyond(z2, half, end);
    if (entry && exit) {
      return changed(move_off_side(path, s, i, end));
    }
    if ((entry || exit) && item->wrap > 0.0) {
      return changed(add_joint(path, s, i, end, exit));
    }
  }
  return NOTHING;
}

static change pass_seam(rl_path *path, const scene *s, size_t i) {
  const rl_path_item *item = &path->items[i];
  const double half = 0.5 * part_of(s, item)->length;
  const double sign = end_sign(item->feature - RL_FEATURE_CAP);
  const double least = half - slack * item->radius;
  const bool entry = local(s, item, item->entry).z * sign < least;
  const bool exit = local(s, item, item->exit).z * sign < least;
  if (entry && exit) {
    return changed(move_off_cap(path, s, i));
  }
  return entry || exit ? changed(add_seam(path, s, i, exit)) : NOTHING;
}

static change pass_edge_end(rl_path *path, const scene *s, size_t i) {
  const rl_path_item *item = &path->items[i];
  const double beyond = fmax(-item->along, item->along - item->length);
  if (beyond <= slack * part_of(s, item)->bound) {
    return NOTHING;
  }
  return changed(round_corner(path, s, i, i, beyond));
}

// The solver has found no place for two edges or more but their corner. A rope from outside needs
// no edge of which both faces are open to it; if it needs all, it goes round the corner's other
// side.
static bool is_before(const scene *s, const rl_path_item *item, uint32_t face, rl_vec3 p,
                      rl_vec3 corner) {
  return rl_dot(rl_path_face_normal(part_of(s, item), face), rl_sub(local(s, item, p), corner)) >
         0.0;
}

static change leave_corner(rl_path *path, const scene *s, size_t first, size_t last, bool again) {
  const rl_path_item *items = path->items;
  const rl_part *part = part_of(s, &items[first]);
  const rl_vec3 corner = corner_beside(s, &items[first]);
  const uint32_t twin = rl_path_edge_twin(part, items[first].feature);
  if (items[first - 1].part != items[first].part && twin != RL_NONE &&
      is_before(s, &items[first], RL_FEATURE_FACE(twin), items[first - 1].exit, corner)) {
    leave_out(path, first, 1);
    return CHANGED;
  }
  if (items[last + 1].part != items[last].part &&
      is_before(s, &items[last], RL_FEATURE_FACE(items[last].feature), items[last + 1].entry,
                corner)) {
    leave_out(path, last, 1);
    return CHANGED;
  }
  if (again) { // neither side holds it
    leave_out(path, first, last - first + 1);
    return CHANGED;
  }
  return changed(round_corner(path, s, first, last, 0.1 * items[first].length));
}

static change pass_corner(rl_path *path, const scene *s, double share, bool again) {
  for (size_t i = 1; i + 2 < path->count; i++) {
    const rl_path_item *item = &path->items[i];
    if (item->kind != RL_PATH_LINE) {
      continue;
    }
    const rl_vec3 corner = corner_beside(s, item);
    size_t last = i;
    while (path->items[last + 1].part == item->part &&
           is_at_corner(s, &path->items[last + 1], corner, share)) {
      last++;
    }
    if (last > i && is_at_corner(s, item, corner, share)) {
      return leave_corner(path, s, i, last, again);
    }
  }
  return NOTHING;
}

static change pass_ends(rl_path *path, const scene *s) {
  for (size_t i = 1; i + 1 < path->count; i++) {
    const rl_path_item *item = &path->items[i];
    if (item->part == RL_NONE || part_of(s, item)->shape == RL_SPHERE) {
      continue;
    }
    const change done = item->kind == RL_PATH_LINE       ? pass_edge_end(path, s, i)
                        : item->kind == RL_PATH_CYLINDER ? pass_side_end(path, s, i)
                        : item->kind == RL_PATH_SPHERE   ? pass_seam(path, s, i)
                                                         : NOTHING;
    if (done != NOTHING) {
      return done;
    }
  }
  return NOTHING;
}

// ---------------------------------------------------------------------------------------------
// Coming: a straight piece cuts into a part

// The edge by which the section of a face with the plane (normal, through `p`) leaves it, going
// round the part with `outward` turned forward; RL_NONE if the plane misses it.
static uint32_t leave_face(const rl_part *part, uint32_t face, rl_vec3 normal, rl_vec3 p,
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

// Inserts the edges from one face to another before items[index], in the plane of the piece and the
// way out. Returns NOTHING if that does not lead there.
static change add_edges(rl_path *path, const scene *s, size_t index, uint32_t solid, uint32_t from,
                        uint32_t to, const rl_path_cut *cut) {
  const rl_part *part = s->solids[solid].part;
  const rl_vec3 forward = rl_sub(cut->to, cut->from);
  const rl_vec3 normal = rl_unit(rl_cross(forward, cut->outward));
  const rl_vec3 middle = rl_scale(0.5, rl_add(cut->from, cut->to));
  const uint32_t most = rl_path_face_count(part);
  uint32_t count = 0;
  for (uint32_t face = from; face != to; count++) {
    double along;
    const uint32_t edge = leave_face(part, face, normal, middle, &along);
    const uint32_t twin = edge == RL_NONE ? RL_NONE : rl_path_edge_twin(part, edge);
    if (twin == RL_NONE || count == most) {
      leave_out(path, index, count);
      return NOTHING;
    }
    if (!open_gap(path, index + count, 1)) {
      return NO_ROOM;
    }
    set_item(&path->items[index + count], s, solid, edge);
    path->items[index + count].along = along;
    face = RL_FEATURE_FACE(twin);
  }
  return count > 0 ? CHANGED : NOTHING;
}

// Over a rim where the piece goes through an end and the side, over the side between both rims
// where it goes in at the one end and out at the other. Of the rims one may be there already.
static change add_rims(rl_path *path, const scene *s, size_t index, uint32_t solid,
                       const rl_path_cut *cut) {
  const bool before = path->items[index - 1].part == solid;
  const bool after = path->items[index].part == solid;
  const bool through = (before || cut->in != RL_NONE) && (after || cut->out != RL_NONE);
  const size_t count = !through ? 1 : before || after ? 2 : 3;
  if (!open_gap(path, index, count)) {
    return NO_ROOM;
  }
  const rl_vec3 at = through ? cut->outward : cut->in != RL_NONE ? cut->to : cut->from;
  rl_path_item *item = &path->items[index];
  if (!before && cut->in != RL_NONE) {
    set_item(item, s, solid, RL_FEATURE_RIM + cut->in);
    item++->along = angle_at(at);
  }
  if (through) {
    set_item(item, s, solid, RL_FEATURE_SIDE);
    item++->sense = 1.0;
  }
  if (!after && cut->out != RL_NONE) {
    set_item(item, s, solid, RL_FEATURE_RIM + cut->out);
    item->along = angle_at(at);
  }
  return CHANGED;
}

static change add_round(rl_path *path, const scene *s, size_t index, uint32_t solid,
                        const rl_path_cut *cut, rl_vec3 direction) {
  if (!open_gap(path, index, 1)) {
    return NO_ROOM;
  }
  rl_path_item *item = &path->items[index];
  const rl_path_solid *where = &s->solids[solid];
  const rl_part *part = where->part;
  const bool capsule = part->shape == RL_CAPSULE;
  const rl_vec3 axis = rl_cross(rl_rotate(where->rotation, cut->outward), direction);
  set_item(item, s, solid, capsule && cut->in != RL_NONE ? RL_FEATURE_CAP + cut->in : 0);
  if (item->kind == RL_PATH_SPHERE) {
    item->side = rl_unit(axis);
    return CHANGED;
  }
  item->sense = rl_dot(axis, item->axis) < 0.0 ? -1.0 : 1.0;
  const rl_vec3 p = rl_path_to_part(where, path->items[index - 1].exit);
  const rl_vec3 q = rl_path_to_part(where, path->items[index + 1].entry);
  change done = CHANGED;
  if (is_over_end(part, q)) {
    done = add_end(path, s, index, false, q.z, cut->outward, direction);
  }
  if (done == CHANGED && is_over_end(part, p)) {
    done = add_end(path, s, index, true, p.z, cut->outward, direction);
  }
  return done;
}

// Pieces beside a round piece of the same part touch it, those along a face lie in it.
static bool cannot_cut(const scene *s, const rl_path_item *a, const rl_path_item *b,
                       uint32_t solid) {
  const rl_part *part = s->solids[solid].part;
  const bool on_a = a->part == solid, on_b = b->part == solid;
  if ((on_a && (a->kind == RL_PATH_SPHERE || a->kind == RL_PATH_CYLINDER)) ||
      (on_b && (b->kind == RL_PATH_SPHERE || b->kind == RL_PATH_CYLINDER))) {
    return true;
  }
  if (!on_a || !on_b) {
    return false;
  }
  if (!rl_path_is_faceted(part)) {
    return a->feature == b->feature;
  }
  const uint32_t twin = rl_path_edge_twin(part, a->feature);
  return twin != RL_NONE && RL_FEATURE_FACE(twin) == RL_FEATURE_FACE(b->feature);
}

static bool is_far(const rl_path_solid *solid, rl_vec3 p, rl_vec3 way) {
  const double square = rl_dot(way, way);
  const rl_vec3 off = rl_sub(solid->at, p);
  const double at = square > 0.0 ? fmin(fmax(rl_dot(off, way) / square, 0.0), 1.0) : 0.0;
  const rl_vec3 left = rl_add_scaled(off, -at, way);
  return rl_dot(left, left) > solid->part->bound * solid->part->bound;
}

// `hint`, if not NULL, is the way out [world].
static change clear_piece(rl_path *path, const scene *s, size_t i, uint32_t solid,
                          const rl_vec3 *hint) {
  const rl_path_item *a = &path->items[i], *b = &path->items[i + 1];
  const rl_path_solid *where = &s->solids[solid];
  const rl_part *part = where->part;
  const rl_vec3 way = rl_sub(b->entry, a->exit);
  rl_path_cut cut;
  if (part->shape == RL_PLANE || is_far(where, a->exit, way) || cannot_cut(s, a, b, solid) ||
      !rl_path_cuts(part, rl_path_to_part(where, a->exit), rl_path_to_part(where, b->entry),
                    slack * part->bound, &cut)) {
    return NOTHING;
  }
  if (hint) {
    cut.outward = rl_rotate_inverse(where->rotation, *hint);
  }
  if (part->shape == RL_CYLINDER) { // a rim that is there already leads on to the side
    cut.in = a->part == solid ? RL_NONE : cut.in;
    cut.out = b->part == solid ? RL_NONE : cut.out;
  }
  if (!rl_path_is_faceted(part)) {
    const bool rims = part->shape == RL_CYLINDER && (cut.in != RL_NONE || cut.out != RL_NONE);
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
    return NOTHING;
  }
  return add_edges(path, s, i + 1, solid, cut.in, cut.out, &cut);
}

static change clear_pieces(rl_path *path, const scene *s) {
  for (size_t i = 0; i + 1 < path->count; i++) {
    for (uint32_t solid = 0; solid < s->solid_count; solid++) {
      const change done = clear_piece(path, s, i, solid, NULL);
      if (done != NOTHING) {
        return done;
      }
    }
  }
  return NOTHING;
}

// ---------------------------------------------------------------------------------------------

// Between two joints the rope may come to turn the other way round the side.
static void turn_sides(rl_path *path, const scene *s) {
  for (size_t i = 1; i + 1 < path->count; i++) {
    rl_path_item *item = &path->items[i];
    if (item->part != RL_NONE && item->kind == RL_PATH_CYLINDER && item->wrap < 0.0 &&
        is_joint(s, item - 1, item->part) && is_joint(s, item + 1, item->part)) {
      item->sense = -item->sense;
      item->wrap = -item->wrap;
    }
  }
}

static rl_path_outcome settle(rl_path *path, const scene *s, double *length) {
  for (size_t i = 0; i < path->count; i++) {
    if (path->items[i].part != RL_NONE) {
      rl_path_place(&path->items[i], &s->solids[path->items[i].part]);
    }
  }
  change done = NOTHING;
  double first = NAN;
  int corners = 0; // times that the rope was left at one, in a row
  for (int k = 0; k < MOST_CHANGES; k++) {
    join_neighbours(path, s);
    while ((done = connect(path, s)) == CHANGED) {
    }
    if (done == NO_ROOM) {
      return RL_PATH_FULL;
    }
    *length = rl_path_solve(path->items, path->count, &path->iterations);
    turn_sides(path, s);
    first = k == 0 ? *length : first;
    corners = isnan(*length) ? corners + 1 : 0;
    if (isnan(*length)) {
      done = pass_corner(path, s, 1e-3, corners > 3);
      done = done == NOTHING ? pass_corner(path, s, 0.1, corners > 3) : done;
    }
    if (isnan(*length) && done == NOTHING) {
      return RL_PATH_NONE;
    }
    done = done == NOTHING ? let_go(path, s, k > MOST_CHANGES / 2) : done;
    done = done == NOTHING ? pass_ends(path, s) : done;
    done = done == NOTHING ? clear_pieces(path, s) : done;
    if (done == NOTHING) {
      path->released = first > *length ? first - *length : 0.0;
      return RL_PATH_FOUND;
    }
    if (done == NO_ROOM) {
      return RL_PATH_FULL;
    }
    path->changes++;
  }
  return RL_PATH_UNSETTLED;
}

rl_path_outcome rl_path_adapt(rl_path *path, const rl_path_solid *solids, size_t solid_count,
                              double *length) {
  const scene s = {solids, solid_count};
  path->changes = path->iterations = 0;
  path->released = 0.0;
  return settle(path, &s, length);
}

// ---------------------------------------------------------------------------------------------
// Winding: points are put on the surface all the way round, and when the rope lies over them they
// are taken away one after the other.

static const double lift = 1e-3; // of the size of the part, over its surface

// A point of the surface in that direction, a little above it.
static rl_vec3 surface_point(const rl_path_solid *solid, rl_vec3 direction) {
  const double reach = solid->part->bound;
  const rl_vec3 beside = rl_add_scaled(solid->at, 3.0 * reach, direction);
  rl_part centred = *solid->part;
  centred.at = rl_vec(0.0, 0.0, 0.0);
  centred.rotation = (rl_quat){0.0, 0.0, 0.0, 1.0};
  const rl_surface surface = rl_shape_surface(&centred, solid->at, solid->rotation, beside);
  return rl_add_scaled(beside, lift * reach - surface.distance, surface.normal);
}

typedef struct winding {
  rl_vec3 out, forward; // where it begins, and where the rope goes there
  size_t first, count;  // of its points
} winding;

static rl_vec3 winding_direction(const winding *w, size_t k) {
  const rl_vec3 v = k % 2 == 0 ? w->out : w->forward;
  return k % 4 < 2 ? v : rl_scale(-1.0, v);
}

static bool is_mark(const rl_path_item *item) {
  return item->part == RL_NONE && item->feature == RL_NONE;
}

static rl_path_outcome put_marks(rl_path *path, const scene *s, uint32_t part, const winding *w) {
  if (!open_gap(path, w->first, w->count)) {
    return RL_PATH_FULL;
  }
  for (size_t k = 0; k < w->count; k++) {
    rl_path_item *item = &path->items[w->first + k];
    const rl_vec3 direction = winding_direction(w, k);
    *item = (rl_path_item){.kind = RL_PATH_POINT, .part = RL_NONE, .feature = RL_NONE};
    item->at = item->entry = item->exit = surface_point(&s->solids[part], direction);
    item->axis = direction;
  }
  // Backwards, so that what comes does not move what is still to do.
  for (size_t k = w->count + 1; k-- > 0;) {
    const rl_vec3 before = k > 0 ? winding_direction(w, k - 1) : rl_scale(-1.0, w->forward);
    const rl_vec3 after = k < w->count ? winding_direction(w, k) : w->forward;
    const rl_vec3 hint = k == 0 ? before : k == w->count ? after : rl_add(before, after);
    if (clear_piece(path, s, w->first + k - 1, part, &hint) == NO_ROOM) {
      return RL_PATH_FULL;
    }
  }
  return RL_PATH_FOUND;
}

static rl_path_outcome take_marks(rl_path *path, const scene *s, uint32_t part, double *length) {
  for (size_t i = 1; i + 1 < path->count; i++) {
    if (!is_mark(&path->items[i])) {
      continue;
    }
    const rl_vec3 hint = path->items[i].axis;
    leave_out(path, i, 1);
    if (!join_at(path, s, i - 1) && clear_piece(path, s, i - 1, part, &hint) == NO_ROOM) {
      return RL_PATH_FULL;
    }
    const rl_path_outcome outcome = settle(path, s, length);
    if (outcome != RL_PATH_FOUND) {
      return outcome;
    }
    i = 0;
  }
  return RL_PATH_FOUND;
}

rl_path_outcome rl_path_wind(rl_path *path, size_t after, const rl_path_solid *solids,
                             size_t solid_count, uint32_t part, rl_vec3 side, uint32_t turns,
                             double *length) {
  const scene s = {solids, solid_count};
  path->changes = path->iterations = 0;
  path->released = 0.0;
  if (isnan(rl_path_solve(path->items, path->count, &path->iterations))) {
    return RL_PATH_NONE;
  }
  winding w = {.first = after + 1, .count = 4 * (size_t)turns + 1};
  w.forward = rl_unit(rl_sub(path->items[after + 1].entry, path->items[after].exit));
  w.out = rl_unit(rl_add_scaled(side, -rl_dot(side, w.forward), w.forward));
  w.out = rl_is_zero(w.out) ? rl_any_across(w.forward) : w.out;
  rl_path_outcome outcome = put_marks(path, &s, part, &w);
  outcome = outcome == RL_PATH_FOUND ? settle(path, &s, length) : outcome;
  return outcome == RL_PATH_FOUND ? take_marks(path, &s, part, length) : outcome;
}
