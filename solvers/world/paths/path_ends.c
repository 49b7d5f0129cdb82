// SPDX-License-Identifier: GPL-3.0-or-later
// Rules for cylinders and capsules: joints between side, rims and caps, and arcs that lie beyond
// the end of a side or the seam of a cap.
#include "path_rules.h"

#include "../trigonometry.h"

// ---------------------------------------------------------------------------------------------
// Past the end of a side or the seam of a cap

static double slack_of(const rl_path_item *item, rl_path_patience p) {
  return (p == RL_PATH_ROUGHLY ? 0.1 : RL_PATH_SLACK) * item->radius;
}

static bool is_beyond(double z, double half, uint32_t end, double slack) {
  return z * rl_path_end_sign(end) > half + slack;
}

// Returns the direction of the helix of the rope on a side at a point.
static rl_vec3 side_direction(const rl_path_item *item, rl_vec3 at) {
  const rl_vec3 spoke = rl_sub(at, item->at);
  const rl_vec3 off = rl_add_scaled(spoke, -rl_dot(spoke, item->axis), item->axis);
  const rl_vec3 round = rl_scale(item->sense, rl_unit(rl_cross(item->axis, off)));
  const double rise = rl_dot(rl_sub(item->exit, item->entry), item->axis);
  return rl_unit(rl_add_scaled(rl_scale(item->radius * item->wrap, round), rise, item->axis));
}

// Sets an item with a place on it until it is solved: beside it the rules look where the rope goes.
static void set_at(rl_path_item *item, const rl_path_scene *s, uint32_t part, uint32_t feature,
                   rl_vec3 at) {
  rl_path_set_item(item, s, part, feature);
  item->entry = item->exit = at;
}

static void set_cap(rl_path_item *cap, const rl_path_scene *s, uint32_t part, uint32_t end,
                    rl_vec3 at, rl_vec3 direction) {
  set_at(cap, s, part, RL_FEATURE_CAP + end, at);
  cap->side = rl_unit(rl_cross(rl_sub(at, cap->at), direction));
}

rl_path_change rl_path_add_end(rl_path *path, const rl_path_scene *s, size_t side, bool before,
                               double z, rl_vec3 outward, rl_vec3 direction) {
  const rl_path_item *item = &path->items[side];
  const uint32_t solid = item->part, end = z < 0.0 ? 0 : 1;
  const rl_path_solid *where = &s->solids[solid];
  const bool capsule = where->part->shape == RL_CAPSULE;
  const size_t gap = capsule ? 2 : 1, first = before ? side : side + 1;
  if (!rl_path_make_room(path, first, gap)) {
    return RL_PATH_NO_ROOM;
  }
  rl_path_item *joint = &path->items[capsule && before ? first + 1 : first];
  rl_path_set_item(joint, s, solid, rl_path_joint_feature(where->part) + end);
  joint->along = rl_path_angle_at(outward);
  const rl_vec3 at = rl_add_scaled(joint->at, joint->radius, rl_rotate(where->rotation, outward));
  joint->entry = joint->exit = at;
  if (capsule) {
    rl_path_item *cap = &path->items[before ? first : first + 1];
    set_cap(cap, s, solid, end, at, direction);
  }
  return RL_PATH_CHANGED;
}

// Inserts the end of a side from which the rope goes to a point over the end.
static rl_path_change end_side_at(rl_path *path, const rl_path_scene *s, size_t i) {
  const rl_path_item *item = &path->items[i];
  if (item->part == RL_NONE || item->kind != RL_PATH_CYLINDER) {
    return RL_PATH_SAME;
  }
  const rl_part *part = rl_path_part_of(s, item);
  for (int before = 0; before < 2; before++) {
    const rl_path_item *beside = before ? item - 1 : item + 1;
    const rl_vec3 p = rl_path_local(s, item, before ? beside->exit : beside->entry);
    if (beside->part != item->part && rl_path_is_over_end(part, p)) {
      const rl_vec3 place = rl_path_local(s, item, before ? item->entry : item->exit);
      const rl_vec3 out = rl_unit(rl_vec(place.x, place.y, 0.0));
      return rl_path_add_end(path, s, i, before, p.z, out, before ? item->in : item->out);
    }
  }
  return RL_PATH_SAME;
}

// Inserts the seam between the side and a cap, or both seams and the side between two caps.
static rl_path_change connect_at(rl_path *path, const rl_path_scene *s, size_t i) {
  const rl_path_item a = path->items[i], b = path->items[i + 1];
  if (a.part == RL_NONE || a.part != b.part || a.kind == RL_PATH_LINE || a.kind == RL_PATH_CIRCLE ||
      b.kind == RL_PATH_CIRCLE || a.feature == b.feature) {
    return RL_PATH_SAME;
  }
  const bool caps = a.kind == RL_PATH_SPHERE && b.kind == RL_PATH_SPHERE;
  if (!rl_path_make_room(path, i + 1, caps ? 3 : 1)) {
    return RL_PATH_NO_ROOM;
  }
  rl_path_item *item = &path->items[i + 1];
  if (a.kind == RL_PATH_SPHERE) {
    set_at(item, s, a.part, a.feature - RL_FEATURE_CAP + RL_FEATURE_SEAM, a.exit);
    item++->along = rl_path_angle_at(rl_path_local(s, &a, a.exit));
  }
  if (caps) {
    set_at(item, s, a.part, RL_FEATURE_SIDE, a.exit);
    item++->sense = rl_dot(a.side, a.axis) < 0.0 ? -1.0 : 1.0;
  }
  if (b.kind == RL_PATH_SPHERE) {
    set_at(item, s, a.part, b.feature - RL_FEATURE_CAP + RL_FEATURE_SEAM, b.entry);
    item->along = rl_path_angle_at(rl_path_local(s, &b, b.entry));
  }
  return RL_PATH_CHANGED;
}

rl_path_change rl_path_connect(rl_path *path, const rl_path_scene *s) {
  for (size_t i = 1; i + 1 < path->count; i++) {
    const rl_path_change side = end_side_at(path, s, i);
    const rl_path_change done = side == RL_PATH_SAME ? connect_at(path, s, i) : side;
    if (done != RL_PATH_SAME) {
      return done;
    }
  }
  return RL_PATH_SAME;
}

// Returns the point at a share of the helix of the rope on a side.
static rl_vec3 on_side(const rl_path_item *item, double share) {
  const rl_vec3 axis = rl_scale(item->sense, item->axis);
  const rl_vec3 spoke = rl_sub(item->entry, item->at);
  const double rise = rl_dot(rl_sub(item->exit, item->entry), axis);
  const rl_quat turn = rl_quat_from_vector(rl_scale(share * item->wrap, axis));
  return rl_add_scaled(rl_add(item->at, rl_rotate(turn, spoke)), share * rise, axis);
}

// Removes the joints before and behind an item; `joined`: whether there was one. Returns the item
// at its new place.
static rl_path_item *without_joints(rl_path *path, const rl_path_scene *s, size_t i, bool *joined) {
  const uint32_t part = path->items[i].part;
  const bool before = rl_path_is_joint(s, &path->items[i - 1], part);
  const bool after = rl_path_is_joint(s, &path->items[i + 1], part);
  rl_path_remove(path, i + 1, after ? 1 : 0);
  rl_path_remove(path, before ? i - 1 : i, before ? 1 : 0);
  *joined = before || after;
  return &path->items[before ? i - 1 : i];
}

// Replaces a side on which the rope lies only beyond an end by the cap or rim there.
static bool move_off_side(rl_path *path, const rl_path_scene *s, size_t i, uint32_t end) {
  const rl_path_item old = path->items[i];
  const rl_part *part = rl_path_part_of(s, &old);
  const rl_vec3 middle = on_side(&old, 0.5);
  bool joined;
  rl_path_item *item = without_joints(path, s, i, &joined);
  const rl_vec3 direction = side_direction(&old, middle);
  if (part->shape == RL_CAPSULE) {
    set_cap(item, s, old.part, end, middle, direction);
    // Without a joint the rope goes the short way over the cap, which may turn the other way.
    item->side = joined ? item->side : rl_vec(0.0, 0.0, 0.0);
    item->wrap = old.wrap;
  } else {
    rl_path_set_item(item, s, old.part, RL_FEATURE_RIM + end);
    item->along = rl_path_angle_at(rl_path_local(s, &old, middle));
  }
  return true;
}

// Inserts the rim, or the seam and the cap, where the rope comes on to the side, or leaves it,
// beyond an end. Returns false if there is no room.
static bool add_joint(rl_path *path, const rl_path_scene *s, size_t i, uint32_t end, bool at_exit) {
  const rl_path_item old = path->items[i];
  const rl_part *part = rl_path_part_of(s, &old);
  const bool capsule = part->shape == RL_CAPSULE;
  const double half = 0.5 * part->length * rl_path_end_sign(end);
  const double z1 = rl_path_local(s, &old, old.entry).z, z2 = rl_path_local(s, &old, old.exit).z;
  const double share = (half - z1) / (z2 - z1);
  const rl_vec3 at = on_side(&old, share);
  const size_t gap = capsule ? 2 : 1;
  if (!rl_path_make_room(path, at_exit ? i + 1 : i, gap)) {
    return false;
  }
  rl_path_item *side = &path->items[at_exit ? i : i + gap];
  rl_path_item *joint = &path->items[at_exit ? i + 1 : i + gap - 1];
  side->hinge = rl_vec(0.0, 0.0, 0.0);
  side->wrap = old.wrap * (at_exit ? share : 1.0 - share);
  set_at(joint, s, old.part, rl_path_joint_feature(part) + end, at);
  joint->along = rl_path_angle_at(rl_path_local(s, &old, at));
  if (capsule) {
    rl_path_item *cap = &path->items[at_exit ? i + 2 : i];
    set_cap(cap, s, old.part, end, at, side_direction(&old, at));
    cap->wrap = old.wrap - side->wrap;
  }
  return true;
}

// Replaces a cap on which the rope lies only beyond the seam by the side.
static bool move_off_cap(rl_path *path, const rl_path_scene *s, size_t i) {
  const rl_path_item old = path->items[i];
  bool joined;
  rl_path_item *item = without_joints(path, s, i, &joined);
  rl_path_set_item(item, s, old.part, RL_FEATURE_SIDE);
  item->sense = rl_dot(old.side, item->axis) < 0.0 ? -1.0 : 1.0;
  item->wrap = fabs(rl_path_angle_on(item, item->axis, old.entry, old.exit));
  return true;
}

// Inserts the seam and the side where the rope comes on to a cap, or leaves it, beyond the seam.
// Returns false if there is no room.
static bool add_seam(rl_path *path, const rl_path_scene *s, size_t i, bool at_exit) {
  const rl_path_item old = path->items[i];
  const uint32_t end = old.feature - RL_FEATURE_CAP;
  // Along the arc the height over the seam is h cos(angle) + rise sin(angle).
  const rl_vec3 spoke = rl_sub(old.entry, old.at);
  const double h = rl_dot(spoke, old.axis), rise = rl_dot(rl_cross(old.side, spoke), old.axis);
  double angle = rl_atan2(h, -rise);
  angle = angle < 0.0 ? angle + RL_PI : angle;
  const rl_quat turn = rl_quat_from_vector(rl_scale(angle, old.side));
  const rl_vec3 at = rl_add(old.at, rl_rotate(turn, spoke));
  if (!rl_path_make_room(path, at_exit ? i + 1 : i, 2)) {
    return false;
  }
  rl_path_item *cap = &path->items[at_exit ? i : i + 2];
  rl_path_item *seam = &path->items[i + 1];
  rl_path_item *side = &path->items[at_exit ? i + 2 : i];
  cap->hinge = rl_vec(0.0, 0.0, 0.0);
  cap->wrap = at_exit ? angle : old.wrap - angle;
  set_at(seam, s, old.part, RL_FEATURE_SEAM + end, at);
  seam->along = rl_path_angle_at(rl_path_local(s, &old, at));
  set_at(side, s, old.part, RL_FEATURE_SIDE, at);
  side->sense = rl_dot(old.side, side->axis) < 0.0 ? -1.0 : 1.0;
  const rl_vec3 axis = rl_scale(side->sense, side->axis);
  side->wrap = at_exit ? rl_path_angle_on(side, axis, at, old.exit)
                       : rl_path_angle_on(side, axis, old.entry, at);
  return true;
}

// Removes all features of a part, on which the rope is nowhere locally shortest, (9b).
static rl_path_change slip_off(rl_path *path, size_t i) {
  size_t first = i, last = i;
  while (path->items[first - 1].part == path->items[i].part) {
    first--;
  }
  while (path->items[last + 1].part == path->items[i].part) {
    last++;
  }
  rl_path_remove(path, first, last - first + 1);
  return RL_PATH_CHANGED;
}

static rl_path_change pass_side_end(rl_path *path, const rl_path_scene *s, size_t i,
                                    rl_path_patience p) {
  const rl_path_item *item = &path->items[i];
  const double half = 0.5 * rl_path_part_of(s, item)->length;
  const double z1 = rl_path_local(s, item, item->entry).z,
               z2 = rl_path_local(s, item, item->exit).z;
  const double slack = slack_of(item, p);
  for (uint32_t end = 0; end < 2; end++) {
    const bool entry = is_beyond(z1, half, end, slack), exit = is_beyond(z2, half, end, slack);
    if (p == RL_PATH_SLIPS && (entry || exit)) {
      return slip_off(path, i);
    }
    if (entry && exit) {
      return rl_path_changed(move_off_side(path, s, i, end));
    }
    if ((entry || exit) && item->wrap > 0.0) {
      return rl_path_changed(add_joint(path, s, i, end, exit));
    }
  }
  return RL_PATH_SAME;
}

static rl_path_change pass_seam(rl_path *path, const rl_path_scene *s, size_t i,
                                rl_path_patience p) {
  rl_path_item *item = &path->items[i];
  const double half = 0.5 * rl_path_part_of(s, item)->length;
  const double sign = rl_path_end_sign(item->feature - RL_FEATURE_CAP);
  const double least = half - slack_of(item, p);
  const bool entry = rl_path_local(s, item, item->entry).z * sign < least;
  const bool exit = rl_path_local(s, item, item->exit).z * sign < least;
  const bool past = item->wrap > RL_PI || rl_path_is_past_half(item);
  if (p == RL_PATH_SLIPS && (past || entry || exit)) {
    return slip_off(path, i);
  }
  if (past) { // the long way round
    item->side = rl_scale(-1.0, item->side);
    item->wrap = 0.0;
    return RL_PATH_CHANGED;
  }
  if (entry && exit) {
    return rl_path_changed(move_off_cap(path, s, i));
  }
  return entry || exit ? rl_path_changed(add_seam(path, s, i, exit)) : RL_PATH_SAME;
}

rl_path_change rl_path_pass_ends(rl_path *path, const rl_path_scene *s, rl_path_patience p) {
  for (size_t i = 1; i + 1 < path->count; i++) {
    const rl_path_item *item = &path->items[i];
    if (item->part == RL_NONE || rl_path_part_of(s, item)->shape == RL_SPHERE) {
      continue;
    }
    const rl_path_change done = item->kind == RL_PATH_CYLINDER ? pass_side_end(path, s, i, p)
                                : item->kind == RL_PATH_SPHERE ? pass_seam(path, s, i, p)
                                                               : RL_PATH_SAME;
    if (done != RL_PATH_SAME) {
      return done;
    }
  }
  return RL_PATH_SAME;
}
