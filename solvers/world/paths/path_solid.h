// SPDX-License-Identifier: GPL-3.0-or-later
// The surface of a convex part as a rope meets it: smooth pieces, and the edges between faces. Pure
// topology and geometry; who decides what the rope lies on is path_feature.c.
#ifndef RL_PATH_SOLID_H
#define RL_PATH_SOLID_H

#include "../model.h"
#include "path.h"

// A part and where it is.
typedef struct rl_path_solid {
  const rl_part *part;
  rl_vec3 at;       // its centre in the world [m]
  rl_quat rotation; // from its frame to the world
  bool passed;      // a rope goes through it, and stays on what it lies on there
} rl_path_solid;

rl_path_solid rl_path_solid_of(const rl_part *part, rl_vec3 position, rl_quat rotation);

rl_vec3 rl_path_to_world(const rl_path_solid *solid, rl_vec3 p);
rl_vec3 rl_path_to_part(const rl_path_solid *solid, rl_vec3 p);

// What rl_path_item.feature says. End 0 is that at -z, end 1 that at +z. Of boxes and hulls it is
// an edge with the way that the rope takes over it: of `face`, the one it comes from, the side from
// corner `corner` to the next one, counterclockwise.
enum {
  RL_FEATURE_SIDE,     // cylinder, capsule; sphere: the ball
  RL_FEATURE_RIM,      // +end: cylinder, where the side meets an end
  RL_FEATURE_CAP = 3,  // +end: capsule
  RL_FEATURE_SEAM = 5, // +end: capsule, where the side meets a cap
};
#define RL_FEATURE_EDGE(face, corner) (((face) << 16) | (corner))
#define RL_FEATURE_FACE(edge) ((edge) >> 16)
#define RL_FEATURE_CORNER(edge) ((edge)&0xffffU)

// Puts an item where the feature is by now; what the solver has found stays.
void rl_path_place(rl_path_item *item, const rl_path_solid *solid);

// Faceted parts, in the part's frame.
uint32_t rl_path_face_count(const rl_part *part);
rl_vec3 rl_path_face_normal(const rl_part *part, uint32_t face);
double rl_path_face_offset(const rl_part *part, uint32_t face);
uint32_t rl_path_face_corners(const rl_part *part, uint32_t face);

// The two ends of an edge; the edges before and after it round its face; the same edge as its other
// face has it, RL_NONE if rounding has left it without one.
void rl_path_edge_ends(const rl_part *part, uint32_t edge, rl_vec3 *a, rl_vec3 *b);
uint32_t rl_path_edge_before(const rl_part *part, uint32_t edge);
uint32_t rl_path_edge_after(const rl_part *part, uint32_t edge);
uint32_t rl_path_edge_twin(const rl_part *part, uint32_t edge);

// Where a straight piece goes through a part, in the part's frame.
typedef struct rl_path_cut {
  rl_vec3 from, to; // where it comes in and goes out [m]
  rl_vec3 outward;  // unit: the way out, from the middle
  uint32_t in, out; // faces; cylinder: 0 and 1 the ends, RL_NONE the side
} rl_path_cut;

// False if the piece from p to q [m, the part's frame] is nowhere deeper than `depth` inside.
bool rl_path_cuts(const rl_part *part, rl_vec3 p, rl_vec3 q, double depth, rl_path_cut *cut);

#endif
