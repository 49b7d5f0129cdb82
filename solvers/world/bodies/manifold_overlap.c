// SPDX-License-Identifier: GPL-3.0-or-later
// The way out of an overlap of a cylinder or capsule with a part that has edges: the normal along
// which their separation is largest (the overlap least).
#include "manifold_internal.h"

// Relative to the size of the smaller part: a touch that is better by more than this was missed;
// tolerance of the search for the best normal.
static const double missed = 1e-3;
static const double resolved = 1e-4;

// A cylinder, whose ends have rims, or a capsule, whose ends are balls.
typedef struct round_solid {
  rl_vec3 axis, ends[2]; // unit, from end 0 to end 1; middles of the ends [m]
  double rim, ball;      // radii [m]
} round_solid;

static round_solid round_of(const rl_solid *s) {
  const double half = 0.5 * s->part->length;
  const bool is_capsule = s->part->shape == RL_CAPSULE;
  return (round_solid){
      rl_solid_direction(s, rl_vec(0.0, 0.0, 1.0)),
      {rl_solid_point(s, rl_vec(0.0, 0.0, -half)), rl_solid_point(s, rl_vec(0.0, 0.0, half))},
      is_capsule ? 0.0 : s->part->radius,
      is_capsule ? s->part->radius : 0.0};
}

static rl_vec3 lowest_of(const round_solid *r, rl_vec3 normal) {
  double below;
  const rl_vec3 end = r->ends[rl_dot(r->axis, normal) > 0.0 ? 0 : 1];
  return rl_add_scaled(rl_rounding_point(end, r->rim, r->axis, normal, &below), -r->ball, normal);
}

static rl_vec3 highest_corner(const rl_polyhedron *p, rl_vec3 normal) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < p->vertex_count; i++) {
    best = rl_dot(normal, p->vertices[i]) > rl_dot(normal, p->vertices[best]) ? i : best;
  }
  return p->vertices[best];
}

// Returns the separation of a from b along a normal out of b [m].
static double apart_along(const round_solid *a, const rl_solid *b, const rl_polyhedron *p,
                          rl_vec3 normal) {
  const double lowest = rl_dot(normal, lowest_of(a, normal));
  if (p) {
    return lowest - rl_dot(normal, highest_corner(p, normal));
  }
  const round_solid r = round_of(b);
  return lowest - rl_dot(normal, lowest_of(&r, rl_scale(-1.0, normal)));
}

static double apart_of(const rl_touch *t, const rl_solid *a, const rl_solid *b,
                       const rl_polyhedron *p) {
  const round_solid r = round_of(a);
  return apart_along(&r, b, p, rl_scale(t->swapped ? -1.0 : 1.0, t->normal));
}

double rl_touches_apart(const rl_touch_list *list, const rl_solid *a, const rl_solid *b,
                        const rl_polyhedron *p, double tolerance) {
  double best = -INFINITY;
  for (size_t i = 0; i < list->count; i++) {
    const double apart = apart_of(&list->touches[i], a, b, p);
    best = fabs(list->touches[i].gap - apart) < tolerance ? fmax(best, apart) : best;
  }
  return best;
}

void rl_touches_settle(rl_touch_list *list, const rl_solid *a, const rl_solid *b,
                       const rl_polyhedron *p, double found, const rl_touch *best,
                       double tolerance) {
  if (best->gap > found + tolerance) {
    list->count = 0;
    rl_touch_add(list, *best);
    return;
  }
  size_t kept = 0;
  for (size_t i = 0; i < list->count; i++) {
    const rl_touch *t = &list->touches[i];
    const double own = apart_of(t, a, b, p);
    if (fmin(t->gap, own) > found - tolerance ||
        (t->gap > found + tolerance && own > fmin(found, 0.0) - list->reach)) {
      list->touches[kept++] = *t;
    }
  }
  list->count = kept;
}

// ---------------------------------------------------------------------------------------------
// The best normal

// An edge of a polyhedron, or the axis of a capsule with its rounding.
typedef struct edge {
  rl_vec3 from, to;
  double ball; // [m]
  uint32_t feature;
} edge;

// (8) of papers/bodies.md: a normal out of an edge, and the vector w from the edge to the lowest
// point of the round solid along it. The gap along any other normal n is at most n.w.
typedef struct cut {
  rl_vec3 normal, way; // way: w [m]
  double gap;          // n.w [m]
} cut;

typedef struct way_out {
  cut cut;
  edge edge;
} way_out;

// (8)
static cut cut_at(const round_solid *r, const edge *e, rl_vec3 normal, way_out *best) {
  cut c = {.normal = normal};
  c.way = rl_add_scaled(rl_sub(lowest_of(r, normal), e->from), -e->ball, normal);
  c.gap = rl_dot(normal, c.way);
  if (c.gap > best->cut.gap) {
    *best = (way_out){c, *e};
  }
  return c;
}

// (8) Searches the arc of normals of an edge between `first` and `last`: it is divided where the
// bounds of its ends are equal, until no part of it can exceed the best gap.
static void search_arc(const round_solid *r, const edge *e, rl_vec3 first, rl_vec3 last,
                       double tolerance, way_out *best) {
  enum { MOST = 64, DEPTH = 16 };
  cut stack[DEPTH], left = cut_at(r, e, first, best);
  size_t depth = 0;
  stack[depth++] = cut_at(r, e, last, best);
  for (int k = 0; depth > 0 && k < MOST; k++) {
    const cut *right = &stack[depth - 1];
    const rl_vec3 turn = rl_sub(left.way, right->way);
    const rl_vec3 normal =
        rl_unit(rl_sub(rl_scale(fmax(rl_dot(right->normal, turn), 0.0), left.normal),
                       rl_scale(fmin(rl_dot(left.normal, turn), 0.0), right->normal)));
    if (depth < DEPTH && !rl_is_zero(normal) &&
        rl_dot(normal, left.way) > best->cut.gap + tolerance) {
      stack[depth++] = cut_at(r, e, normal, best);
    } else {
      left = *right;
      depth--;
    }
  }
}

// Returns the touch along the best normal, at the lowest point of the round solid; if its lowest
// line is parallel to the plane, at the point of that line nearest to the edge.
static rl_touch touch_on_edge(const round_solid *r, const way_out *w, double tolerance) {
  const rl_vec3 n = w->cut.normal, along = rl_sub(r->ends[1], r->ends[0]);
  const double rise = rl_dot(n, along);
  double at = rise > 0.0 ? 0.0 : 1.0, below;
  if (fabs(rise) <= tolerance) {
    const rl_vec3 way = rl_sub(w->edge.to, w->edge.from), side = rl_cross(way, n);
    const double across = rl_dot(side, along);
    const double met = rl_dot(side, rl_sub(w->edge.from, r->ends[0])) / across;
    at = across != 0.0 ? fmin(fmax(met, 0.0), 1.0) : 0.5;
  }
  rl_touch t = {.feature = w->edge.feature,
                .core = rl_add_scaled(r->ends[0], at, along),
                .radius = fmax(r->rim, r->ball),
                .axis = rl_scale(r->rim > 0.0 ? 1.0 : 0.0, r->axis),
                .normal = n,
                .gap = w->cut.gap};
  const rl_vec3 p = rl_rounding_point(t.core, t.radius, t.axis, n, &below);
  t.surface = rl_add_scaled(p, -t.gap, n);
  return t;
}

// Tries the highest point of the polyhedron, or of the axis of a capsule, along a normal, on the
// end or side of the cylinder there.
static void try_place(const round_solid *r, const rl_polyhedron *p, const round_solid *axis,
                      rl_vec3 normal, uint32_t feature, rl_touch *best) {
  const double ball = p ? 0.0 : axis->ball;
  const rl_vec3 place =
      p ? highest_corner(p, normal) : axis->ends[rl_dot(axis->axis, normal) > 0.0 ? 1 : 0];
  const double gap = rl_dot(normal, rl_sub(lowest_of(r, normal), place)) - ball;
  if (gap > best->gap) {
    *best = (rl_touch){.feature = feature,
                       .swapped = true,
                       .core = place,
                       .radius = ball,
                       .surface = rl_add_scaled(place, ball + gap, normal),
                       .normal = rl_scale(-1.0, normal),
                       .gap = gap};
  }
}

// Returns the unit vector to the axis of the cylinder from the corner or end nearest to it.
static rl_vec3 towards_axis(const round_solid *r, const rl_polyhedron *p, const round_solid *axis) {
  const rl_vec3 *places = p ? p->vertices : axis->ends;
  const uint32_t count = p ? p->vertex_count : 2;
  rl_vec3 nearest = {INFINITY, INFINITY, INFINITY};
  for (uint32_t i = 0; i < count; i++) {
    const rl_vec3 arm = rl_sub(r->ends[0], places[i]);
    const rl_vec3 across = rl_add_scaled(arm, -rl_dot(arm, r->axis), r->axis);
    nearest = rl_dot(across, across) < rl_dot(nearest, nearest) ? across : nearest;
  }
  return rl_unit(nearest);
}

// (8) Returns the touch of least overlap of a round solid with a polyhedron, or with the axis of a
// capsule: a point of the round solid on a plane of the other, or `swapped`.
static rl_touch find_way_out(const round_solid *r, const rl_polyhedron *p, const round_solid *axis,
                             double size) {
  const uint32_t named = UINT32_C(1) << 25;
  const double tolerance = resolved * size;
  way_out best = {.cut = {.gap = -INFINITY}};
  if (p) {
    rl_edge edges[RL_EDGES];
    const size_t count = rl_polyhedron_edges(p, edges);
    for (size_t i = 0; i < count; i++) {
      const edge e = {p->vertices[edges[i].from], p->vertices[edges[i].to], 0.0,
                      named + (uint32_t)i};
      search_arc(r, &e, p->normals[edges[i].left], p->normals[edges[i].right], tolerance, &best);
    }
  } else {
    const edge e = {axis->ends[0], axis->ends[1], axis->ball, named};
    const rl_vec3 x = rl_across(axis->axis), y = rl_cross(axis->axis, x);
    const rl_vec3 round[4] = {x, y, rl_scale(-1.0, x), rl_scale(-1.0, y)};
    for (int i = 0; i < 4; i++) {
      search_arc(r, &e, round[i], round[(i + 1) % 4], tolerance, &best);
    }
  }
  rl_touch t = touch_on_edge(r, &best, tolerance);
  if (r->rim > 0.0) {
    try_place(r, p, axis, r->axis, 2 * named, &t);
    try_place(r, p, axis, rl_scale(-1.0, r->axis), 2 * named + 1, &t);
    const rl_vec3 side = towards_axis(r, p, axis);
    if (!rl_is_zero(side)) {
      try_place(r, p, axis, side, 2 * named + 2, &t);
    }
  }
  return t;
}

void rl_touch_way_out(const rl_solid *a, const rl_solid *b, const rl_polyhedron *p,
                      rl_touch_list *list) {
  const double size = fmin(a->part->bound, b->part->bound), tolerance = missed * size;
  const double found = rl_touches_apart(list, a, b, p, tolerance);
  rl_touch best = {.gap = -INFINITY};
  if (found <= -tolerance) {
    const round_solid first = round_of(a), second = p ? first : round_of(b);
    best = find_way_out(p ? &first : &second, p, &first, size);
    best.swapped = best.swapped == (p != NULL);
  }
  rl_touches_settle(list, a, b, p, found, &best, tolerance);
}
