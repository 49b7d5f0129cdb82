// SPDX-License-Identifier: GPL-3.0-or-later
// The finding of touches: private to manifold*.c.
#ifndef RL_MANIFOLD_INTERNAL_H
#define RL_MANIFOLD_INTERNAL_H

#include "manifold.h"
#include "shape_hull.h"

// Touches before they are thinned out; what does not fit is left out.
#define RL_TOUCHES_FOUND 256

typedef struct rl_touch_list {
  double reach; // touches with a larger gap are not taken [m]
  size_t count;
  rl_touch touches[RL_TOUCHES_FOUND];
} rl_touch_list;

// Of a length: nearer than this are two places the same.
#define RL_SAME 1e-9

void rl_touch_add(rl_touch_list *list, rl_touch touch);

// A ball of the first at a place against the surface of the second.
void rl_touch_add_ball(rl_touch_list *list, const rl_solid *second, rl_vec3 core, double radius,
                       uint32_t feature, bool swapped);

typedef struct rl_polyhedron rl_polyhedron;

// A rounded segment against a part: where it is deepest, and the ends of the stretch beside it. `p`
// is b as a polyhedron, if it is one. Features are `feature` and the next two.
void rl_touch_add_segment(rl_touch_list *list, const rl_solid *b, const rl_polyhedron *p,
                          rl_vec3 from, rl_vec3 to, double radius, uint32_t feature, bool swapped);

static inline rl_vec3 rl_solid_point(const rl_solid *s, rl_vec3 local) {
  return rl_add(s->position,
                rl_rotate(s->rotation, rl_add(s->part->at, rl_rotate(s->part->rotation, local))));
}

static inline rl_vec3 rl_solid_direction(const rl_solid *s, rl_vec3 local) {
  return rl_rotate(s->rotation, rl_rotate(s->part->rotation, local));
}

// A box or hull in the world's frame. Corners as in rl_face, counterclockwise from in front.
struct rl_polyhedron {
  uint32_t vertex_count, face_count;
  const rl_face *faces;
  const uint16_t *corners;
  rl_vec3 vertices[RL_HULL_POINTS];
  rl_vec3 normals[RL_HULL_FACES(RL_HULL_POINTS)];
};

void rl_polyhedron_place(const rl_solid *solid, rl_polyhedron *p);

// Corner i of a face, cyclic.
static inline rl_vec3 rl_polyhedron_corner(const rl_polyhedron *p, uint32_t face, uint32_t i) {
  const rl_face *f = &p->faces[face];
  return p->vertices[p->corners[f->first_corner + i % f->corner_count]];
}

// The face whose normal is nearest to a direction.
uint32_t rl_polyhedron_face(const rl_polyhedron *p, rl_vec3 direction);

// The stretch of a segment that is over a face; false: none.
bool rl_polyhedron_clip(const rl_polyhedron *p, uint32_t face, rl_vec3 from, rl_vec3 to,
                        double range[2]);

// An edge with the faces on its two sides.
typedef struct rl_edge {
  uint16_t from, to, left, right;
} rl_edge;

#define RL_EDGES (RL_HULL_CORNERS(RL_HULL_POINTS) / 2)

// The edges that two faces share; one that rounding has left with a single face is not needed, for
// its neighbours lie in the same plane. Returns how many.
size_t rl_polyhedron_edges(const rl_polyhedron *p, rl_edge edges[RL_EDGES]);

// How far apart a capsule or cylinder and b are along the best of the normals found whose touch is
// between their nearest places along it [m]. Above 0 nothing else can be right; below, another
// normal may be better. `p` is b as a polyhedron, else NULL: b is a capsule or cylinder.
double rl_touches_apart(const rl_touch_list *list, const rl_solid *a, const rl_solid *b,
                        const rl_polyhedron *p, double tolerance);

// The two overlap by -found, or by less along another normal. Then the best touch there is alone;
// else none stays that is as deep though its normal leads less far out.
void rl_touches_settle(rl_touch_list *list, const rl_solid *a, const rl_solid *b,
                       const rl_polyhedron *p, double found, const rl_touch *best,
                       double tolerance);

// If a capsule or cylinder, and a polyhedron or, of a capsule, a cylinder, overlap otherwise than
// as has been found, then there alone.
void rl_touch_way_out(const rl_solid *a, const rl_solid *b, const rl_polyhedron *p,
                      rl_touch_list *list);

// A cylinder on a plane, a polyhedron or a cylinder.
void rl_cylinder_touch(const rl_solid *a, const rl_solid *b, rl_touch_list *list);

// Two polyhedra.
void rl_polyhedra_touch(const rl_solid *a, const rl_solid *b, rl_touch_list *list);

#endif
