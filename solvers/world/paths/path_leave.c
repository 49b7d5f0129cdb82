// SPDX-License-Identifier: GPL-3.0-or-later
// Rules that remove features: those on which the rope does not press, and neighbours that are one.
#include "path_rules.h"

#include "../trigonometry.h"

// Tolerance relative to the tension: an edge or rim pulled off by less than this is still pressed.
static const double pull = 1e-9;

// Two places on a rim closer than this are one [rad].
static const double shortest_chord = 1e-6;

// Whether the force in - out of an edge on the rope is a sum of the normals of its faces with
// coefficients that are not negative.
static bool is_pressed_edge(const rl_path_scene *s, const rl_path_item *item) {
  const rl_part *part = rl_path_part_of(s, item);
  const uint32_t twin = rl_path_edge_twin(part, item->feature);
  const rl_vec3 force = rl_path_local_direction(s, item, rl_sub(item->in, item->out));
  const rl_vec3 axis = rl_path_local_direction(s, item, item->axis);
  const rl_vec3 normal1 = rl_path_face_normal(part, RL_FEATURE_FACE(item->feature));
  if (twin == RL_NONE) {
    return rl_dot(force, normal1) > 0.0;
  }
  const rl_vec3 normal2 = rl_path_face_normal(part, RL_FEATURE_FACE(twin));
  return rl_dot(force, rl_add(normal1, normal2)) > 0.0 &&
         rl_dot(force, rl_cross(normal1, axis)) <= pull &&
         rl_dot(force, rl_cross(axis, normal2)) <= pull;
}

// Whether the force in - out of a rim on the rope is a sum of the outward normals of side and end
// with coefficients that are not negative.
static bool is_pressed_rim(const rl_path_scene *s, const rl_path_item *item) {
  const rl_vec3 force = rl_path_local_direction(s, item, rl_sub(item->in, item->out));
  const rl_vec3 at = rl_path_local(s, item, item->entry);
  const double away = force.x * at.x + force.y * at.y;
  const double along = force.z * rl_path_end_sign(item->feature - RL_FEATURE_RIM);
  return away >= -pull * item->radius && along >= -pull && away + along * item->radius > 0.0;
}

// Whether the rope presses on an item. A round item between two joints stays in any case: its wrap
// angle may have either sign there.
static bool is_pressed(const rl_path_scene *s, const rl_path_item *item) {
  if (item->part == RL_NONE) {
    return true;
  }
  const rl_part *part = rl_path_part_of(s, item);
  if (item->kind == RL_PATH_LINE) {
    return is_pressed_edge(s, item);
  }
  if (item->kind == RL_PATH_CIRCLE) {
    return part->shape == RL_CAPSULE || is_pressed_rim(s, item);
  }
  return item->wrap >= 0.0 ||
         (rl_path_is_joint(s, item - 1, item->part) && rl_path_is_joint(s, item + 1, item->part));
}

// Removes a feature; of a capsule with the seams beside it.
static void drop_feature(rl_path *path, const rl_path_scene *s, size_t i) {
  const rl_path_item *items = path->items;
  const uint32_t part = items[i].part;
  const bool capsule = rl_path_part_of(s, &items[i])->shape == RL_CAPSULE;
  const bool before = capsule && rl_path_is_joint(s, &items[i - 1], part);
  const bool after = capsule && rl_path_is_joint(s, &items[i + 1], part);
  const size_t first = before ? i - 1 : i, last = after ? i + 1 : i;
  rl_path_remove(path, first, last - first + 1);
}

// Whether the rope should lie on the side instead of a rim: it lies on nothing else of the part,
// and presses on the rim towards the axis.
static bool moves_to_side(const rl_path_scene *s, const rl_path_item *item) {
  if (item->kind != RL_PATH_CIRCLE || rl_path_part_of(s, item)->shape != RL_CYLINDER ||
      item[-1].part == item->part || item[1].part == item->part) {
    return false;
  }
  const rl_vec3 force = rl_path_local_direction(s, item, rl_sub(item->in, item->out));
  const rl_vec3 at = rl_path_local(s, item, item->entry);
  return force.x * at.x + force.y * at.y > 0.0;
}

// Replaces a rim by the side; the rim stays beside it if the rope comes from over the end or goes
// there.
static rl_path_change move_to_side(rl_path *path, const rl_path_scene *s, size_t i) {
  const rl_path_item *rim = &path->items[i];
  const rl_part *part = rl_path_part_of(s, rim);
  const rl_vec3 at = rim->entry, spoke = rl_sub(at, rim->at);
  const rl_vec3 turning = rl_cross(spoke, rl_sub(rim[1].entry, rim[-1].exit));
  const bool after =
      rl_path_is_over_end(part, rl_path_local(s, rim, rim[-1].exit)); // the rim stays
  const bool before = rl_path_is_over_end(part, rl_path_local(s, rim, rim[1].entry));
  if ((before || after) && !rl_path_make_room(path, after ? i + 1 : i, 1)) {
    return RL_PATH_NO_ROOM;
  }
  const uint32_t solid = path->items[after ? i : i + (before ? 1 : 0)].part;
  rl_path_item *side = &path->items[after ? i + 1 : i];
  rl_path_set_item(side, s, solid, RL_FEATURE_SIDE);
  side->entry = side->exit = at;
  side->sense = rl_dot(turning, side->axis) < 0.0 ? -1.0 : 1.0;
  side->wrap = 0.0;
  return RL_PATH_CHANGED;
}

// Whether the rope has left the side turning one way and passes through it: then it turns the other
// way.
static bool turns_other_way(const rl_path_scene *s, const rl_path_item *item) {
  if (item->kind != RL_PATH_CYLINDER) {
    return false;
  }
  const rl_vec3 place = rl_path_local(s, item, item->entry);
  return rl_path_is_over_end(rl_path_part_of(s, item), place);
}

// Changes or removes a feature on which the rope does not press.
static rl_path_change drop_at(rl_path *path, const rl_path_scene *s, size_t i, rl_path_patience p) {
  rl_path_item *item = &path->items[i];
  if (turns_other_way(s, item)) {
    item->sense = -item->sense;
    item->wrap = 0.0;
    return RL_PATH_CHANGED;
  }
  if (p == RL_PATH_FIRST && moves_to_side(s, &path->items[i])) {
    return move_to_side(path, s, i);
  }
  drop_feature(path, s, i);
  return RL_PATH_CHANGED;
}

// Round items first: while a wrap angle is negative, the forces on edges beside it mean nothing.
rl_path_change rl_path_drop_features(rl_path *path, const rl_path_scene *s, rl_path_patience p) {
  for (int edges = 0; edges < 2; edges++) {
    for (size_t i = 1; i + 1 < path->count; i++) {
      const rl_path_item *item = &path->items[i];
      const bool edge = item->kind == RL_PATH_LINE || item->kind == RL_PATH_CIRCLE;
      if (edge == (edges == 1) && !(edge && p == RL_PATH_ROUGHLY) && !is_pressed(s, item)) {
        return drop_at(path, s, i, p);
      }
    }
  }
  return RL_PATH_SAME;
}

// ---------------------------------------------------------------------------------------------
// Two neighbours that are one

// Whether the piece between two places on a rim is a chord over the end of more than `least` [rad].
static bool is_chord(const rl_path_scene *s, const rl_path_item *a, const rl_path_item *b,
                     double least) {
  return a->kind == RL_PATH_CIRCLE && rl_path_part_of(s, a)->shape == RL_CYLINDER &&
         fabs(remainder(a->along - b->along, 2.0 * RL_PI)) > least;
}

// Merges items[i] and the next if they are an edge and its twin, or one round feature twice, after
// something between them has gone.
bool rl_path_merge_at(rl_path *path, const rl_path_scene *s, size_t i) {
  rl_path_item *a = &path->items[i], *b = &path->items[i + 1];
  if (a->part == RL_NONE || a->part != b->part) {
    return false;
  }
  if (a->kind == RL_PATH_LINE) {
    if (rl_path_edge_twin(rl_path_part_of(s, a), a->feature) != b->feature) {
      return false;
    }
    rl_path_remove(path, i, 2);
    return true;
  }
  if (a->feature != b->feature || is_chord(s, a, b, shortest_chord)) {
    return false;
  }
  if (a->kind == RL_PATH_SPHERE || a->kind == RL_PATH_CYLINDER) {
    const bool drum = a->kind == RL_PATH_CYLINDER;
    const rl_vec3 axis = drum ? rl_scale(a->sense, a->axis) : a->side;
    const double same = drum ? a->sense * b->sense : 1.0;
    a->wrap += rl_path_angle_on(a, axis, a->exit, b->entry) + same * b->wrap;
  }
  rl_path_remove(path, i + 1, 1);
  a->hinge = rl_vec(0.0, 0.0, 0.0);
  return true;
}

// Removes a side or cap over which the rope goes from a joint back to the same joint.
static bool leave_round_at(rl_path *path, const rl_path_scene *s, size_t i) {
  const rl_path_item *item = &path->items[i];
  if (item->part == RL_NONE || item->kind == RL_PATH_LINE || item->kind == RL_PATH_CIRCLE ||
      !rl_path_is_joint(s, item - 1, item->part) || !rl_path_is_joint(s, item + 1, item->part) ||
      item[-1].feature != item[1].feature) {
    return false;
  }
  const bool capsule = rl_path_part_of(s, item)->shape == RL_CAPSULE;
  rl_path_remove(path, capsule ? i - 1 : i, capsule ? 3 : 2);
  return true;
}

// Whether a point is beside the side, below its end, so that the rope comes from there to the side
// without the rim.
static bool is_beside(const rl_path_scene *s, const rl_path_item *rim, rl_vec3 p) {
  const rl_part *part = rl_path_part_of(s, rim);
  const rl_vec3 at = rl_path_local(s, rim, p);
  return at.z * rl_path_end_sign(rim->feature - RL_FEATURE_RIM) < 0.5 * part->length &&
         !rl_path_is_over_end(part, at);
}

// Removes a rim between two arcs on the side, or between the side and a point beside it: unrolled
// that is flat, and the straight way does not touch the rim.
static bool leave_rim_at(rl_path *path, const rl_path_scene *s, size_t i) {
  const rl_path_item *item = &path->items[i], *before = item - 1, *after = item + 1;
  if (item->part == RL_NONE || item->kind != RL_PATH_CIRCLE ||
      rl_path_part_of(s, item)->shape != RL_CYLINDER) {
    return false;
  }
  const bool side_before = before->part == item->part && before->kind == RL_PATH_CYLINDER;
  const bool side_after = after->part == item->part && after->kind == RL_PATH_CYLINDER;
  const bool flat =
      (side_before && side_after && before->sense == after->sense) ||
      (side_before && after->part != item->part && is_beside(s, item, after->entry)) ||
      (side_after && before->part != item->part && is_beside(s, item, before->exit));
  if (flat) {
    rl_path_remove(path, i, 1);
  }
  return flat;
}

// Merges two places on a rim that run together, where the solver is stuck: the rope slips off the
// end, down to the side.
rl_path_change rl_path_end_chord(rl_path *path, const rl_path_scene *s, double longest) {
  for (size_t i = 1; i + 2 < path->count; i++) {
    const rl_path_item *a = &path->items[i], *b = a + 1;
    if (a->part == RL_NONE || a->part != b->part || a->feature != b->feature ||
        !is_chord(s, a, b, -1.0) || is_chord(s, a, b, longest)) {
      continue;
    }
    rl_path_remove(path, i, 1);
    const rl_path_item *rim = &path->items[i];
    return rim[-1].part != rim->part && rim[1].part != rim->part ? move_to_side(path, s, i)
                                                                 : RL_PATH_CHANGED;
  }
  return RL_PATH_SAME;
}

bool rl_path_merge(rl_path *path, const rl_path_scene *s) {
  bool any = false;
  for (size_t i = 1; i + 1 < path->count;) {
    const bool joined =
        rl_path_merge_at(path, s, i) || leave_round_at(path, s, i) || leave_rim_at(path, s, i);
    any = any || joined;
    i = joined ? 1 : i + 1;
  }
  return any;
}
