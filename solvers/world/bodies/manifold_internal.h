// SPDX-License-Identifier: GPL-3.0-or-later
// How touches are found: private to manifold*.c.
#ifndef RL_MANIFOLD_INTERNAL_H
#define RL_MANIFOLD_INTERNAL_H

#include "manifold.h"
#include "shape_hull.h"

// Room for touches before they are thinned out.
#define RL_TOUCHES_FOUND 256

typedef struct rl_touch_list {
  double reach; // largest gap of a touch [m]
  size_t count;
  rl_touch touches[RL_TOUCHES_FOUND];
} rl_touch_list;

// Relative to a length: points nearer to each other than this are the same.
#define RL_SAME 1e-9

// Relative to its size: what is this far outside a face, an end or a side is still over it.
#define RL_OVER_MARGIN 1e-11

// Adds a touch unless its gap is larger than `reach` or the list is full.
void rl_touch_add(rl_touch_list *list, rl_touch touch);

typedef struct rl_polyhedron rl_polyhedron;

// A half-space, face or end, all of them flat, or the side of a capsule or cylinder.
typedef struct rl_ground {
  const rl_polyhedron *p; // NULL: no face
  uint32_t face;
  bool is_side;
  rl_vec3 at, normal, axis; // at: a point of the plane, or the middle of the axis [m]; unit
  double radius, half;      // of an end or side [m]
} rl_ground;

// Returns the ground of a part that a normal leads out of most directly. `p` is the part as a
// polyhedron, if it is one.
rl_ground rl_ground_of(const rl_solid *s, const rl_polyhedron *p, rl_vec3 normal);

// Clips a segment to the stretch over a ground, as fractions of it. Returns false if there is none.
bool rl_ground_clip(const rl_ground *ground, rl_vec3 from, rl_vec3 to, double range[2]);

// Whether a point is over a ground; an end of such a stretch is.
bool rl_is_over(const rl_ground *ground, rl_vec3 at);

// (8a) of papers/bodies.md: returns how far a point is from the ground, continued beyond its
// bounds.
rl_surface rl_ground_surface(const rl_ground *ground, rl_vec3 at);

// Adds the touches of a rounded segment with a part: at the ends of the stretch that is over the
// part's ground, and where it is deepest. `p` is b as a polyhedron, if it is one. The features are
// `feature` and the next two.
void rl_touch_add_segment(rl_touch_list *list, const rl_solid *b, const rl_polyhedron *p,
                          rl_vec3 from, rl_vec3 to, double radius, uint32_t feature, bool swapped);

// Return a point and a direction of the part's own frame in the world.
static inline rl_vec3 rl_solid_point(const rl_solid *s, rl_vec3 local) {
  return rl_add(s->position,
                rl_rotate(s->rotation, rl_add(s->part->at, rl_rotate(s->part->rotation, local))));
}

static inline rl_vec3 rl_solid_direction(const rl_solid *s, rl_vec3 local) {
  return rl_rotate(s->rotation, rl_rotate(s->part->rotation, local));
}

// A box or hull in the world's frame. The corners of a face, as in rl_face, are counterclockwise
// seen from outside.
struct rl_polyhedron {
  uint32_t vertex_count, face_count;
  const rl_face *faces;
  const uint16_t *corners;
  rl_vec3 vertices[RL_HULL_POINTS];
  rl_vec3 normals[RL_HULL_FACES(RL_HULL_POINTS)];
};

// Computes the polyhedron of a box or hull.
void rl_polyhedron_place(const rl_solid *solid, rl_polyhedron *p);

// Returns corner i of a face, cyclic.
static inline rl_vec3 rl_polyhedron_corner(const rl_polyhedron *p, uint32_t face, uint32_t i) {
  const rl_face *f = &p->faces[face];
  return p->vertices[p->corners[f->first_corner + i % f->corner_count]];
}

// Returns the face whose normal is nearest to a direction.
uint32_t rl_polyhedron_face(const rl_polyhedron *p, rl_vec3 direction);

// Clips a segment to the stretch over a face, of which each edge is moved outward by `margin` of
// its length, as fractions of the segment. Returns false if there is none.
bool rl_polyhedron_clip(const rl_polyhedron *p, uint32_t face, double margin, rl_vec3 from,
                        rl_vec3 to, double range[2]);

// An edge with the faces on its two sides.
typedef struct rl_edge {
  uint16_t from, to, left, right;
} rl_edge;

#define RL_EDGES (RL_HULL_CORNERS(RL_HULL_POINTS) / 2)

// Finds the edges that two faces share, and returns their number. An edge that rounding has left
// with a single face is not needed, for its neighbours lie in the same plane.
size_t rl_polyhedron_edges(const rl_polyhedron *p, rl_edge edges[RL_EDGES]);

// Returns the largest separation of a capsule or cylinder and b along the normals of the touches
// found [m], of those whose gap is the separation along their normal. If it is positive it is the
// true one; if it is negative (an overlap), another normal may give a larger one. `p` is b as a
// polyhedron, else NULL: b is a capsule or cylinder.
double rl_touches_apart(const rl_touch_list *list, const rl_solid *a, const rl_solid *b,
                        const rl_polyhedron *p, double tolerance);

// (8b) Replaces all touches by `best` if its gap is larger than the separation `found` of the list;
// else removes those along whose normal the parts are separated less.
void rl_touches_settle(rl_touch_list *list, const rl_solid *a, const rl_solid *b,
                       const rl_polyhedron *p, double found, const rl_touch *best,
                       double tolerance);

// Finds the way out of an overlap of a capsule or cylinder with a polyhedron, or of a capsule with
// a cylinder; replaces the touches found by it if it is shorter than theirs.
void rl_touch_way_out(const rl_solid *a, const rl_solid *b, const rl_polyhedron *p,
                      rl_touch_list *list);

// Finds the touches of a cylinder with a plane, a polyhedron or a cylinder.
void rl_cylinder_touch(const rl_solid *a, const rl_solid *b, rl_touch_list *list);

// Finds the touches of two polyhedra.
void rl_polyhedra_touch(const rl_solid *a, const rl_solid *b, rl_touch_list *list);

#endif
