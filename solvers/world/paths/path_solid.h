// SPDX-License-Identifier: GPL-3.0-or-later
// The surface of a convex part as a rope meets it: smooth pieces, and the edges between faces. Pure
// topology and geometry; path_feature.c decides on which features the rope lies.
#ifndef RL_PATH_SOLID_H
#define RL_PATH_SOLID_H

#include "../model.h"
#include "path.h"

// A part with its pose.
typedef struct rl_path_solid {
  const rl_part *part;
  rl_vec3 at;       // centre of the part, world frame [m]
  rl_quat rotation; // from the part's frame to the world
  bool passed;      // the rope already goes through it: no features are added on it
} rl_path_solid;

// Returns the solid of a part of a body with the given pose.
rl_path_solid rl_path_solid_of(const rl_part *part, rl_vec3 position, rl_quat rotation);

rl_vec3 rl_path_to_world(const rl_path_solid *solid, rl_vec3 p);
rl_vec3 rl_path_to_part(const rl_path_solid *solid, rl_vec3 p);

// Values of rl_path_item.feature. End 0 is at -z, end 1 at +z. Of boxes and hulls the feature is a
// directed edge, RL_FEATURE_EDGE, of the face that the rope comes from.
enum {
  RL_FEATURE_SIDE,     // cylinder, capsule; sphere: the ball
  RL_FEATURE_RIM,      // +end: cylinder, where the side meets an end
  RL_FEATURE_CAP = 3,  // +end: capsule
  RL_FEATURE_SEAM = 5, // +end: capsule, where the side meets a cap
};

// Sets the geometry of an item to where its feature is now; keeps the solution of the solver.
void rl_path_place(rl_path_item *item, const rl_path_solid *solid);

// Faceted parts, in the part's frame.
uint32_t rl_path_face_count(const rl_part *part);
rl_vec3 rl_path_face_normal(const rl_part *part, uint32_t face);
double rl_path_face_offset(const rl_part *part, uint32_t face);
uint32_t rl_path_face_corners(const rl_part *part, uint32_t face);

// Returns how far a point is beyond the plane of a face [m].
static inline double rl_path_face_distance(const rl_part *part, uint32_t face, rl_vec3 p) {
  return rl_dot(rl_path_face_normal(part, face), p) - rl_path_face_offset(part, face);
}

// Returns the two ends of an edge; the edges before and after it round its face; its twin, the same
// edge as a side of the other face, or RL_NONE if rounding has left it without one.
void rl_path_edge_ends(const rl_part *part, uint32_t edge, rl_vec3 *a, rl_vec3 *b);
uint32_t rl_path_edge_before(const rl_part *part, uint32_t edge);
uint32_t rl_path_edge_after(const rl_part *part, uint32_t edge);
uint32_t rl_path_edge_twin(const rl_part *part, uint32_t edge);

// The cut of a straight piece through a part, in the part's frame.
typedef struct rl_path_cut {
  rl_vec3 from, to; // where the piece goes in and out [m]
  rl_vec3 outward;  // unit: the way out, from the middle of the cut
  uint32_t in, out; // faces; of round parts 0 and 1 the ends or caps, RL_NONE the side
} rl_path_cut;

// Computes the cut of the piece from p to q (part frame, [m]). Returns false if the piece is
// nowhere deeper than `depth` [m] inside the part.
bool rl_path_cuts(const rl_part *part, rl_vec3 p, rl_vec3 q, double depth, rl_path_cut *cut);

#endif
