// SPDX-License-Identifier: GPL-3.0-or-later
// Touches of two polyhedra. The separating axis test finds the direction along which they are
// farthest apart or overlap least, among the normals of their faces and the cross products of their
// edges. If it is the normal of a face, the opposite face of the other is clipped to that face.
#include "manifold_internal.h"

// Relative to the size of the smaller part: a pair of edges is taken only if its separation exceeds
// that of the faces by this, for faces give more points to rest on.
static const double edge_preference = 1e-3;

// ---------------------------------------------------------------------------------------------
// Polyhedra

static const rl_face box_faces[6] = {
    {{1.0, 0.0, 0.0}, 0.0, 0, 4},   {{-1.0, 0.0, 0.0}, 0.0, 4, 4}, {{0.0, 1.0, 0.0}, 0.0, 8, 4},
    {{0.0, -1.0, 0.0}, 0.0, 12, 4}, {{0.0, 0.0, 1.0}, 0.0, 16, 4}, {{0.0, 0.0, -1.0}, 0.0, 20, 4},
};

// Corner i is at +half where bit 0, 1, 2 of i is set, for x, y, z.
static const uint16_t box_corners[24] = {1, 3, 7, 5, 0, 4, 6, 2, 2, 6, 7, 3,
                                         0, 1, 5, 4, 4, 5, 7, 6, 0, 2, 3, 1};

void rl_polyhedron_place(const rl_solid *s, rl_polyhedron *p) {
  const rl_part *part = s->part;
  const bool is_box = part->shape == RL_BOX;
  p->vertex_count = is_box ? 8 : part->point_count;
  p->face_count = is_box ? 6 : part->face_count;
  p->faces = is_box ? box_faces : part->faces;
  p->corners = is_box ? box_corners : part->corners;
  for (uint32_t i = 0; i < p->vertex_count; i++) {
    const rl_vec3 corner = {(i & 1U) != 0 ? part->half.x : -part->half.x,
                            (i & 2U) != 0 ? part->half.y : -part->half.y,
                            (i & 4U) != 0 ? part->half.z : -part->half.z};
    p->vertices[i] = rl_solid_point(s, is_box ? corner : part->points[i]);
  }
  for (uint32_t f = 0; f < p->face_count; f++) {
    p->normals[f] = rl_solid_direction(s, p->faces[f].normal);
  }
}

uint32_t rl_polyhedron_face(const rl_polyhedron *p, rl_vec3 direction) {
  uint32_t best = 0;
  for (uint32_t f = 1; f < p->face_count; f++) {
    if (rl_dot(p->normals[f], direction) > rl_dot(p->normals[best], direction)) {
      best = f;
    }
  }
  return best;
}

// Returns the distance of a point outside edge i of a face, in its plane, times the length of the
// edge.
static double outside_edge(const rl_polyhedron *p, uint32_t face, uint32_t i, rl_vec3 at) {
  const rl_vec3 from = rl_polyhedron_corner(p, face, i);
  const rl_vec3 edge = rl_sub(rl_polyhedron_corner(p, face, i + 1), from);
  return rl_dot(rl_sub(at, from), rl_cross(edge, p->normals[face]));
}

static double edge_square(const rl_polyhedron *p, uint32_t face, uint32_t i) {
  const rl_vec3 edge =
      rl_sub(rl_polyhedron_corner(p, face, i + 1), rl_polyhedron_corner(p, face, i));
  return rl_dot(edge, edge);
}

bool rl_polyhedron_clip(const rl_polyhedron *p, uint32_t face, double margin, rl_vec3 from,
                        rl_vec3 to, double range[2]) {
  range[0] = 0.0;
  range[1] = 1.0;
  for (uint32_t i = 0; i < p->faces[face].corner_count; i++) {
    const double tolerance = margin * edge_square(p, face, i);
    const double f0 = outside_edge(p, face, i, from) - tolerance;
    const double f1 = outside_edge(p, face, i, to) - tolerance;
    if (f0 > 0.0 && f1 > 0.0) {
      return false;
    }
    if (f0 > 0.0) {
      range[0] = fmax(range[0], f0 / (f0 - f1));
    } else if (f1 > 0.0) {
      range[1] = fmin(range[1], f0 / (f0 - f1));
    }
  }
  return range[0] <= range[1];
}

// ---------------------------------------------------------------------------------------------
// Separating axes

// Finds the face of p with the largest separation from q; returns that [m].
static double find_face(const rl_polyhedron *p, const rl_polyhedron *q, uint32_t *found) {
  double best = -INFINITY;
  for (uint32_t f = 0; f < p->face_count; f++) {
    const double offset = rl_dot(p->normals[f], rl_polyhedron_corner(p, f, 0));
    double gap = INFINITY;
    for (uint32_t i = 0; i < q->vertex_count; i++) {
      gap = fmin(gap, rl_dot(p->normals[f], q->vertices[i]) - offset);
    }
    if (gap > best) {
      best = gap;
      *found = f;
    }
  }
  return best;
}

size_t rl_polyhedron_edges(const rl_polyhedron *p, rl_edge edges[RL_EDGES]) {
  size_t count = 0;
  for (uint32_t f = 0; f < p->face_count; f++) {
    const rl_face *face = &p->faces[f];
    for (uint32_t i = 0; i < face->corner_count; i++) {
      const uint16_t from = p->corners[face->first_corner + i];
      const uint16_t to = p->corners[face->first_corner + (i + 1) % face->corner_count];
      bool known = false;
      for (size_t k = 0; k < count && !known; k++) {
        known = edges[k].from == to && edges[k].to == from && edges[k].right == UINT16_MAX;
        if (known) {
          edges[k].right = (uint16_t)f;
        }
      }
      if (!known && count < RL_EDGES) {
        edges[count++] = (rl_edge){from, to, (uint16_t)f, UINT16_MAX};
      }
    }
  }
  size_t kept = 0;
  for (size_t k = 0; k < count; k++) {
    if (edges[k].right != UINT16_MAX) {
      edges[kept++] = edges[k];
    }
  }
  return kept;
}

// Whether the cross product of two edges is the normal of a face of the Minkowski difference: the
// arcs between their faces' normals cross on the sphere (Gregorius 2013).
static bool arcs_cross(rl_vec3 a, rl_vec3 b, rl_vec3 c, rl_vec3 d) {
  const rl_vec3 ab = rl_cross(b, a), cd = rl_cross(d, c);
  const double cba = rl_dot(c, ab), dba = rl_dot(d, ab);
  const double adc = rl_dot(a, cd), bdc = rl_dot(b, cd);
  return cba * dba < 0.0 && adc * bdc < 0.0 && cba * bdc > 0.0;
}

typedef struct edge_pair {
  double gap;
  rl_vec3 normal; // out of b
  rl_vec3 a[2], b[2];
  uint32_t feature;
} edge_pair;

static rl_vec3 middle_of(const rl_polyhedron *p) {
  rl_vec3 sum = {0.0, 0.0, 0.0};
  for (uint32_t i = 0; i < p->vertex_count; i++) {
    sum = rl_add(sum, p->vertices[i]);
  }
  return rl_scale(1.0 / p->vertex_count, sum);
}

static void try_edges(const rl_polyhedron *p, const rl_polyhedron *q, const rl_edge *a,
                      const rl_edge *b, rl_vec3 middle, edge_pair *best) {
  const rl_vec3 a0 = p->vertices[a->from], a1 = p->vertices[a->to];
  const rl_vec3 b0 = q->vertices[b->from], b1 = q->vertices[b->to];
  if (!arcs_cross(p->normals[a->left], p->normals[a->right], rl_scale(-1.0, q->normals[b->left]),
                  rl_scale(-1.0, q->normals[b->right]))) {
    return;
  }
  const rl_vec3 ea = rl_sub(a1, a0), eb = rl_sub(b1, b0);
  const rl_vec3 cross = rl_cross(ea, eb);
  if (!(rl_length(cross) > RL_SAME * rl_length(ea) * rl_length(eb))) {
    return;
  }
  rl_vec3 out = rl_unit(cross); // of p
  out = rl_dot(out, rl_sub(a0, middle)) < 0.0 ? rl_scale(-1.0, out) : out;
  const double gap = rl_dot(out, rl_sub(b0, a0));
  if (gap > best->gap) {
    *best = (edge_pair){gap, rl_scale(-1.0, out), {a0, a1}, {b0, b1}, 0};
  }
}

static edge_pair find_edge_pair(const rl_polyhedron *p, const rl_polyhedron *q) {
  rl_edge first[RL_EDGES], second[RL_EDGES];
  const size_t first_count = rl_polyhedron_edges(p, first),
               second_count = rl_polyhedron_edges(q, second);
  const rl_vec3 middle = middle_of(p);
  edge_pair best = {.gap = -INFINITY};
  for (size_t i = 0; i < first_count; i++) {
    for (size_t k = 0; k < second_count; k++) {
      const double before = best.gap;
      try_edges(p, q, &first[i], &second[k], middle, &best);
      best.feature = best.gap > before ? (uint32_t)(i * RL_EDGES + k) : best.feature;
    }
  }
  return best;
}

// ---------------------------------------------------------------------------------------------
// Touches

// Adds the touch where two edges cross, seen along the normal.
static void add_edge_pair(const edge_pair *pair, rl_touch_list *list) {
  const rl_vec3 ea = rl_sub(pair->a[1], pair->a[0]), eb = rl_sub(pair->b[1], pair->b[0]);
  const rl_vec3 between = rl_sub(pair->a[0], pair->b[0]);
  const double aa = rl_dot(ea, ea), bb = rl_dot(eb, eb), ab = rl_dot(ea, eb);
  const double s = (ab * rl_dot(eb, between) - bb * rl_dot(ea, between)) / (aa * bb - ab * ab);
  const rl_vec3 core = rl_add_scaled(pair->a[0], fmin(fmax(s, 0.0), 1.0), ea);
  rl_touch_add(list, (rl_touch){.feature = (UINT32_C(1) << 24) + pair->feature,
                                .core = core,
                                .surface = rl_add_scaled(core, -pair->gap, pair->normal),
                                .normal = pair->normal,
                                .gap = pair->gap});
}

typedef struct corner {
  rl_vec3 at;
  uint32_t feature;
} corner;

// Most corners of a clipped polygon.
#define CORNERS (2 * RL_HULL_POINTS)

// Clips a polygon to the inside of edge i of a face, moved outward by a tolerance as in
// rl_polyhedron_clip, so that a new corner is between two of the polygon however near to the edge
// these are (Sutherland, Hodgman 1974). The feature of a new corner is the edge of the face and the
// corner before it. Returns the number of corners.
static size_t clip(const rl_polyhedron *p, uint32_t face, uint32_t i, size_t count,
                   const corner *from, corner *to) {
  const double tolerance = RL_SAME * edge_square(p, face, i);
  size_t kept = 0;
  for (size_t k = 0; k < count; k++) {
    const corner *a = &from[k], *b = &from[(k + 1) % count];
    const double fa = outside_edge(p, face, i, a->at) - tolerance;
    const double fb = outside_edge(p, face, i, b->at) - tolerance;
    if (fa <= 0.0 && kept < CORNERS) {
      to[kept++] = *a;
    }
    if ((fa <= 0.0) != (fb <= 0.0) && kept < CORNERS) {
      const rl_vec3 way = rl_sub(b->at, a->at);
      to[kept++] =
          (corner){rl_add_scaled(a->at, fa / (fa - fb), way), ((i + 1) << 9) + (a->feature & 511U)};
    }
  }
  return kept;
}

static double lowest_along(const rl_polyhedron *p, rl_vec3 normal) {
  double lowest = INFINITY;
  for (uint32_t i = 0; i < p->vertex_count; i++) {
    lowest = fmin(lowest, rl_dot(normal, p->vertices[i]));
  }
  return lowest;
}

// Returns the face most opposed to a normal among those with one of the deepest corners: of a flat
// or slender part another face may be more opposed, but not near.
static uint32_t face_against(const rl_polyhedron *p, rl_vec3 normal, double tolerance) {
  const double deepest = lowest_along(p, normal);
  uint32_t best = UINT32_MAX;
  for (uint32_t f = 0; f < p->face_count; f++) {
    bool near = false;
    for (uint32_t i = 0; i < p->faces[f].corner_count && !near; i++) {
      near = rl_dot(normal, rl_polyhedron_corner(p, f, i)) <= deepest + tolerance;
    }
    if (near &&
        (best == UINT32_MAX || rl_dot(p->normals[f], normal) < rl_dot(p->normals[best], normal))) {
      best = f;
    }
  }
  return best;
}

// Adds the corners of a face of q clipped to the opposite face of p. `swapped`: p is a of the pair.
static void add_face(const rl_polyhedron *p, uint32_t face, const rl_polyhedron *q, uint32_t other,
                     bool swapped, rl_touch_list *list) {
  corner polygons[2][CORNERS];
  const rl_vec3 normal = p->normals[face];
  size_t count = q->faces[other].corner_count, now = 0;
  for (uint32_t k = 0; k < count; k++) {
    polygons[0][k] =
        (corner){rl_polyhedron_corner(q, other, k), q->corners[q->faces[other].first_corner + k]};
  }
  for (uint32_t i = 0; i < p->faces[face].corner_count && count > 0; i++) {
    count = clip(p, face, i, count, polygons[now], polygons[1 - now]);
    now = 1 - now;
  }
  const double offset = rl_dot(normal, rl_polyhedron_corner(p, face, 0));
  for (size_t k = 0; k < count; k++) {
    const rl_vec3 at = polygons[now][k].at;
    const double gap = rl_dot(normal, at) - offset;
    rl_touch_add(list, (rl_touch){.feature = polygons[now][k].feature,
                                  .swapped = swapped,
                                  .core = at,
                                  .surface = rl_add_scaled(at, -gap, normal),
                                  .normal = normal,
                                  .gap = gap});
  }
}

static double smallest_gap(const rl_touch_list *list) {
  double gap = INFINITY;
  for (size_t i = 0; i < list->count; i++) {
    gap = fmin(gap, list->touches[i].gap);
  }
  return gap;
}

// Adds the touches of the edges of a face with the other polyhedron, for the case that the nearest
// point of one face is not over the other.
static void add_edges_of(const rl_polyhedron *p, uint32_t face, const rl_solid *second,
                         const rl_polyhedron *q, bool swapped, rl_touch_list *list) {
  for (uint32_t i = 0; i < p->faces[face].corner_count; i++) {
    rl_touch_add_segment(list, second, q, rl_polyhedron_corner(p, face, i),
                         rl_polyhedron_corner(p, face, i + 1), 0.0, (UINT32_C(1) << 23) + 3 * i,
                         swapped);
  }
}

// Removes touches as deep as the overlap along whose normal the separation is less: the normal of
// an edge that goes through the other part need not lead out of the overlap.
static void keep_ways_out(const rl_polyhedron *p, const rl_polyhedron *q, double apart,
                          double tolerance, rl_touch_list *list) {
  size_t kept = 0;
  for (size_t i = 0; i < list->count; i++) {
    const rl_touch *t = &list->touches[i];
    const rl_vec3 normal = rl_scale(t->swapped ? -1.0 : 1.0, t->normal);
    const double own = lowest_along(p, normal) + lowest_along(q, rl_scale(-1.0, normal));
    if (t->gap > apart + tolerance || fmin(t->gap, own) > apart - tolerance) {
      list->touches[kept++] = *t;
    }
  }
  list->count = kept;
}

// Adds the deepest corner of q on the plane of a face of p, even if it is not over the face.
static void add_corner(const rl_polyhedron *p, uint32_t face, const rl_polyhedron *q, bool swapped,
                       double gap, rl_touch_list *list) {
  const rl_vec3 normal = p->normals[face];
  uint32_t lowest = 0;
  for (uint32_t i = 1; i < q->vertex_count; i++) {
    lowest = rl_dot(normal, q->vertices[i]) < rl_dot(normal, q->vertices[lowest]) ? i : lowest;
  }
  rl_touch_add(list, (rl_touch){.feature = (UINT32_C(1) << 22) + lowest,
                                .swapped = swapped,
                                .core = q->vertices[lowest],
                                .surface = rl_add_scaled(q->vertices[lowest], -gap, normal),
                                .normal = normal,
                                .gap = gap});
}

void rl_polyhedra_touch(const rl_solid *a, const rl_solid *b, rl_touch_list *list) {
  rl_polyhedron p, q;
  rl_polyhedron_place(a, &p);
  rl_polyhedron_place(b, &q);
  uint32_t face_a, face_b;
  const double gap_a = find_face(&p, &q, &face_a);
  if (gap_a > list->reach) {
    return;
  }
  const double gap_b = find_face(&q, &p, &face_b);
  if (gap_b > list->reach) {
    return;
  }
  const double size = fmin(a->part->bound, b->part->bound);
  const edge_pair edges = find_edge_pair(&p, &q);
  if (edges.gap > fmax(gap_a, gap_b) + edge_preference * size) {
    add_edge_pair(&edges, list);
    return;
  }
  const bool on_b = gap_b >= gap_a - RL_SAME * size;
  if (on_b) {
    face_a = face_against(&p, q.normals[face_b], edge_preference * size);
    add_face(&q, face_b, &p, face_a, false, list);
  } else {
    face_b = face_against(&q, p.normals[face_a], edge_preference * size);
    add_face(&p, face_a, &q, face_b, true, list);
  }
  const double apart = fmax(gap_a, gap_b), tolerance = edge_preference * size;
  if (smallest_gap(list) > apart + tolerance) {
    add_edges_of(&p, face_a, b, &q, false, list);
    add_edges_of(&q, face_b, a, &p, true, list);
    keep_ways_out(&p, &q, apart, tolerance, list);
  }
  if (apart < -tolerance && smallest_gap(list) > apart + tolerance) {
    list->count = 0;
    add_corner(on_b ? &q : &p, on_b ? face_b : face_a, on_b ? &p : &q, !on_b, apart, list);
  }
}
