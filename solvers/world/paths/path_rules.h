// SPDX-License-Identifier: GPL-3.0-or-later
// What the rules share by which the list of features changes (papers/path.md, "What the rope lies
// on"): the list itself, and one function for each line of the table there.
#ifndef RL_PATH_RULES_H
#define RL_PATH_RULES_H

#include "path_feature.h"

// Relative to the size of a part: pieces that are less deep than this do not cut it, and places
// that are less far beyond the end of an edge or a side are on it. The length is off by the square.
#define RL_PATH_SLACK 1e-9

typedef enum rl_path_change { RL_PATH_SAME, RL_PATH_CHANGED, RL_PATH_NO_ROOM } rl_path_change;

static inline rl_path_change rl_path_changed(bool done) {
  return done ? RL_PATH_CHANGED : RL_PATH_NO_ROOM;
}

// Features that have come and gone for long: the rope finds no hold between them and slips off the
// round piece in question; and if that does not help either, small excesses are left.
typedef enum rl_path_patience { RL_PATH_FIRST, RL_PATH_SLIPS, RL_PATH_ROUGHLY } rl_path_patience;

typedef struct rl_path_scene {
  const rl_path_solid *solids;
  size_t solid_count;
} rl_path_scene;

// ---------------------------------------------------------------------------------------------
// path_list.c

// Makes room for items before items[index]; false if there is none.
bool rl_path_open(rl_path *path, size_t index, size_t count);
void rl_path_leave_out(rl_path *path, size_t index, size_t count);
void rl_path_set(rl_path_item *item, const rl_path_scene *s, uint32_t part, uint32_t feature);

// The part of an item, and the world seen from it.
const rl_part *rl_path_part_of(const rl_path_scene *s, const rl_path_item *item);
rl_vec3 rl_path_local(const rl_path_scene *s, const rl_path_item *item, rl_vec3 p);
rl_vec3 rl_path_local_direction(const rl_path_scene *s, const rl_path_item *item, rl_vec3 v);

double rl_path_end_sign(uint32_t end);

// Rims and seams: which feature they are at end 0, and whether an item is one, of that part.
uint32_t rl_path_joint_feature(const rl_part *part);
bool rl_path_is_joint(const rl_path_scene *s, const rl_path_item *item, uint32_t part);

// A point over an end, within the side made endless, has no tangent to it: the rope gets there over
// the rim, or the cap and the seam.
bool rl_path_is_over_end(const rl_part *part, rl_vec3 p);

// The angle of a place about the part's axis, and that between two places about an axis [rad].
double rl_path_angle_at(rl_vec3 p);
double rl_path_angle_on(const rl_path_item *item, rl_vec3 axis, rl_vec3 from, rl_vec3 to);

// ---------------------------------------------------------------------------------------------
// Rules. Each makes one change, if there is one to make.

// path_leave.c.
rl_path_change rl_path_let_go(rl_path *path, const rl_path_scene *s, rl_path_patience p);
rl_path_change rl_path_end_chord(rl_path *path, const rl_path_scene *s, double longest); // [rad]
bool rl_path_merge_at(rl_path *path, const rl_path_scene *s, size_t i);
bool rl_path_merge(rl_path *path, const rl_path_scene *s);

// path_edges.c. `share`: of an edge's length, how near to a corner counts as there.
rl_path_change rl_path_meet_edges(rl_path *path, const rl_path_scene *s);
rl_path_change rl_path_pass_corner(rl_path *path, const rl_path_scene *s, double share);

// path_ends.c.
rl_path_change rl_path_pass_ends(rl_path *path, const rl_path_scene *s, rl_path_patience p);
rl_path_change rl_path_connect(rl_path *path, const rl_path_scene *s);
rl_path_change rl_path_add_end(rl_path *path, const rl_path_scene *s, size_t side, bool before,
                               double z, rl_vec3 outward, rl_vec3 direction);

// path_cut.c. The edge by which the section of a face with the plane (normal, through `p`) leaves
// it, going on along the cross product of its normal and that; RL_NONE if the plane misses it.
uint32_t rl_path_leave_face(const rl_part *part, uint32_t face, rl_vec3 normal, rl_vec3 p,
                            double *along);

// `hint`, if not NULL, is the way out [world].
rl_path_change rl_path_clear_piece(rl_path *path, const rl_path_scene *s, size_t i, uint32_t solid,
                                   const rl_vec3 *hint);
rl_path_change rl_path_clear_pieces(rl_path *path, const rl_path_scene *s);

// path_feature.c: all of them, until nothing changes.
rl_path_outcome rl_path_settle(rl_path *path, const rl_path_scene *s, double *length);

#endif
