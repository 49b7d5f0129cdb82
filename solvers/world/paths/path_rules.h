// SPDX-License-Identifier: GPL-3.0-or-later
// The rules by which the list of features changes (papers/path.md, "What the rope lies on"):
// operations on the list, and the functions behind the lines of the table there.
#ifndef RL_PATH_RULES_H
#define RL_PATH_RULES_H

#include "path_feature.h"

// Tolerance relative to the size of a part: a piece less deep than this does not cut the part, and
// a place less far beyond the end of a side is still on it. The error of the length is its square.
#define RL_PATH_SLACK 1e-9

// What a rule has done to the list.
typedef enum rl_path_change { RL_PATH_SAME, RL_PATH_CHANGED, RL_PATH_NO_ROOM } rl_path_change;

static inline rl_path_change rl_path_changed(bool done) {
  return done ? RL_PATH_CHANGED : RL_PATH_NO_ROOM;
}

// What is done after features have alternated for many changes: first the rope slips off the round
// part, then excesses of up to a tenth of the radius are tolerated.
typedef enum rl_path_patience { RL_PATH_FIRST, RL_PATH_SLIPS, RL_PATH_ROUGHLY } rl_path_patience;

typedef struct rl_path_scene {
  const rl_path_solid *solids;
  size_t solid_count;
} rl_path_scene;

// ---------------------------------------------------------------------------------------------
// path_list.c

// Inserts `count` zeroed items before items[index]; returns false if there is no room.
bool rl_path_make_room(rl_path *path, size_t index, size_t count);
void rl_path_remove(rl_path *path, size_t index, size_t count);
void rl_path_set_item(rl_path_item *item, const rl_path_scene *s, uint32_t part, uint32_t feature);

// Returns the part of an item; a point and a direction of the world in the frame of that part.
const rl_part *rl_path_part_of(const rl_path_scene *s, const rl_path_item *item);
rl_vec3 rl_path_local(const rl_path_scene *s, const rl_path_item *item, rl_vec3 p);
rl_vec3 rl_path_local_direction(const rl_path_scene *s, const rl_path_item *item, rl_vec3 v);

// Returns the sign of z at an end of a part: -1 at end 0, +1 at end 1.
double rl_path_end_sign(uint32_t end);

// Joints are rims and seams. Returns the feature of the joint of a part at end 0; whether an item
// is a joint of `part`.
uint32_t rl_path_joint_feature(const rl_part *part);
bool rl_path_is_joint(const rl_path_scene *s, const rl_path_item *item, uint32_t part);

// Whether a point is over an end, inside the endless side: no tangent leads from it to the side, so
// the rope gets there over the rim, or over cap and seam.
bool rl_path_is_over_end(const rl_part *part, rl_vec3 p);

// Returns the angle of a point about the axis of its part; the angle between two points about an
// axis through item->at [rad].
double rl_path_angle_at(rl_vec3 p);
double rl_path_angle_on(const rl_path_item *item, rl_vec3 axis, rl_vec3 from, rl_vec3 to);

// ---------------------------------------------------------------------------------------------
// Rules. Each makes one change, if there is one to make; rl_path_merge makes all.

// path_leave.c: drop features on which the rope does not press; replace a chord of a rim shorter
// than `longest` [rad]; merge neighbours that are one feature.
rl_path_change rl_path_drop_features(rl_path *path, const rl_path_scene *s, rl_path_patience p);
rl_path_change rl_path_end_chord(rl_path *path, const rl_path_scene *s, double longest);
bool rl_path_merge_at(rl_path *path, const rl_path_scene *s, size_t i);
bool rl_path_merge(rl_path *path, const rl_path_scene *s);

// path_edges.c: choose the edges over which the rope comes on to a box or hull and leaves it; go
// round a corner on its shorter side, or, if it `stays`, on the side where it is if that holds it.
// Places nearer to it than `share` of an edge are at a corner.
rl_path_change rl_path_meet_edges(rl_path *path, const rl_path_scene *s);
rl_path_change rl_path_pass_corner(rl_path *path, const rl_path_scene *s, double share, bool stays);

// path_ends.c: treat arcs that lie beyond the end of a side or the seam of a cap; insert the joints
// between sides, caps and points over an end; add the rim, or seam and cap, at the end of sign z
// before or behind the side items[side], in the direction `outward` (part frame, unit), with the
// rope along `direction` there.
rl_path_change rl_path_pass_ends(rl_path *path, const rl_path_scene *s, rl_path_patience p);
rl_path_change rl_path_connect(rl_path *path, const rl_path_scene *s);
rl_path_change rl_path_add_end(rl_path *path, const rl_path_scene *s, size_t side, bool before,
                               double z, rl_vec3 outward, rl_vec3 direction);

// path_cut.c: returns the edge over which the section of a face by a plane (`normal`, through `p`)
// leaves the face in the direction of the face normal x `normal`, and the place `along` it [m];
// RL_NONE if the plane misses the face.
uint32_t rl_path_leave_face(const rl_part *part, uint32_t face, rl_vec3 normal, rl_vec3 p,
                            double *along);

// path_cut.c: adds the features that lead the piece behind items[i] out of a solid, and all pieces
// out of all solids. `hint`: the way out, world frame, or NULL.
rl_path_change rl_path_clear_piece(rl_path *path, const rl_path_scene *s, size_t i, uint32_t solid,
                                   const rl_vec3 *hint);
rl_path_change rl_path_clear_pieces(rl_path *path, const rl_path_scene *s);

// path_feature.c: applies all rules until nothing changes.
rl_path_outcome rl_path_settle(rl_path *path, const rl_path_scene *s, double *length);

#endif
