// SPDX-License-Identifier: GPL-3.0-or-later
// Touches of cylinders with planes, polyhedra and each other.
#include "manifold_internal.h"

// Relative to the size of the smaller part: a touch that is better by more than this was missed.
static const double missed = 1e-3;

// An end that leans by less than this is level: eight places of its rim are as low as its lowest
// point, to 0.08 of this times its radius [rad].
static const double level = 1e-4;

// Ends at a larger angle do not lie on each other [rad].
static const double flat = 0.01;

typedef struct cylinder {
  rl_vec3 axis, ends[2]; // unit, from end 0 to end 1; centres of the ends [m]
  rl_vec3 across;        // unit, across the axis, and turns with the body
  double radius;
} cylinder;

static cylinder cylinder_of(const rl_solid *s) {
  const double half = 0.5 * s->part->length;
  return (cylinder){
      rl_solid_direction(s, rl_vec(0.0, 0.0, 1.0)),
      {rl_solid_point(s, rl_vec(0.0, 0.0, -half)), rl_solid_point(s, rl_vec(0.0, 0.0, half))},
      rl_solid_direction(s, rl_vec(1.0, 0.0, 0.0)),
      s->part->radius};
}

// Adds the touch of a rounded point of the first with a ground of the second below it, or, without
// one, with the surface of the second where the rounding is nearest to that, roughly along
// `normal`.
static void add_rounded(rl_touch_list *list, const rl_solid *second, const rl_ground *ground,
                        rl_touch t, rl_vec3 normal) {
  rl_surface s = {0.0, normal};
  rl_vec3 p;
  double below;
  for (int i = 0; i < 2; i++) {
    p = rl_rounding_point(t.core, t.radius, t.axis, s.normal, &below);
    s = ground && rl_is_over(ground, p)
            ? rl_ground_surface(ground, p)
            : rl_shape_surface(second->part, second->position, second->rotation, p);
  }
  // If the normal still changes with the point, the point counts as one without rounding.
  if (rl_distance(rl_rounding_point(t.core, t.radius, t.axis, s.normal, &below), p) >
      RL_SAME * t.radius) {
    t.core = p;
    t.radius = 0.0;
    t.axis = (rl_vec3){0.0, 0.0, 0.0};
  }
  t.normal = s.normal;
  t.gap = s.distance;
  t.surface = rl_add_scaled(p, -s.distance, s.normal);
  rl_touch_add(list, t);
}

// Adds a point that is over flat ground, with the rounding of the touch.
static void add_over(rl_touch_list *list, const rl_ground *ground, rl_touch t) {
  double below;
  const rl_vec3 p = rl_rounding_point(t.core, t.radius, t.axis, ground->normal, &below);
  if (rl_is_over(ground, p)) {
    add_rounded(list, NULL, ground, t, ground->normal);
  }
}

// (8c) Adds the points of a cylinder that can rest on flat ground below it: the lowest point of
// each rim unless the end is level, and eight places of the lower rim, which turn with it, if the
// middle of that end may come down to the ground within the step: then the lowest point may go
// anywhere round the rim.
static void add_cylinder_on_ground(const cylinder *c, const rl_ground *ground, bool swapped,
                                   uint32_t feature, rl_touch_list *list) {
  enum { PLACES = 8 };
  static const double root = 0.70710678118654752;
  static const double cosines[PLACES] = {1.0, root, 0.0, -root, -1.0, -root, 0.0, root};
  const uint32_t named = UINT32_C(1) << 24;
  const double along = rl_dot(c->axis, ground->normal);
  const rl_vec3 middle = c->ends[along > 0.0 ? 0 : 1];
  double below;
  rl_rounding_point(middle, c->radius, c->axis, ground->normal, &below);
  const bool is_end = along * along > 0.5, is_level = below < level * c->radius;
  for (uint32_t i = 0; i < 2 && !is_level; i++) {
    add_over(list, ground,
             (rl_touch){.feature = feature + i,
                        .swapped = swapped,
                        .core = c->ends[i],
                        .radius = c->radius,
                        .axis = c->axis});
  }
  if (is_level || (is_end && rl_ground_surface(ground, middle).distance <= list->reach)) {
    const rl_vec3 x = rl_scale(c->radius, c->across), y = rl_cross(c->axis, x);
    for (uint32_t i = 0; i < PLACES; i++) {
      const rl_vec3 arm = rl_add_scaled(rl_scale(cosines[i], x), cosines[(i + 6) % PLACES], y);
      add_over(list, ground,
               (rl_touch){.feature = named + feature + i,
                          .swapped = swapped,
                          .core = rl_add(middle, arm)});
    }
  }
}

static void cylinder_plane_touch(const rl_solid *a, const rl_solid *b, rl_touch_list *list) {
  const cylinder c = cylinder_of(a);
  const rl_ground ground = rl_ground_of(b, NULL, rl_solid_direction(b, b->part->normal));
  add_cylinder_on_ground(&c, &ground, false, 0, list);
}

// Returns the face of a polyhedron with the largest separation from a cylinder.
static uint32_t face_below(const rl_polyhedron *p, const cylinder *c) {
  uint32_t best = 0;
  double highest = -INFINITY;
  for (uint32_t f = 0; f < p->face_count; f++) {
    const rl_vec3 n = p->normals[f];
    const rl_vec3 end = rl_dot(c->axis, n) > 0.0 ? c->ends[0] : c->ends[1];
    double below;
    rl_rounding_point(end, c->radius, c->axis, n, &below);
    const double gap = rl_dot(n, rl_sub(end, rl_polyhedron_corner(p, f, 0))) - below;
    if (gap > highest) {
      highest = gap;
      best = f;
    }
  }
  return best;
}

// Finds the touches of a cylinder with a polyhedron: its points and its side on the face below it,
// and the edges of the polyhedron on the cylinder.
static void cylinder_polyhedron_touch(const rl_solid *a, const rl_solid *b, rl_touch_list *list) {
  const cylinder c = cylinder_of(a);
  rl_polyhedron p;
  rl_polyhedron_place(b, &p);
  const rl_vec3 normal = p.normals[face_below(&p, &c)];
  const rl_ground ground = rl_ground_of(b, &p, normal);
  add_cylinder_on_ground(&c, &ground, false, 0, list);
  double below, range[2];
  const rl_vec3 from = rl_rounding_point(c.ends[0], c.radius, c.axis, normal, &below);
  const rl_vec3 to = rl_rounding_point(c.ends[1], c.radius, c.axis, normal, &below);
  if (rl_ground_clip(&ground, from, to, range)) {
    for (uint32_t i = 0; i < 2; i++) {
      if (range[i] > 0.0 && range[i] < 1.0) {
        const rl_vec3 core = rl_add_scaled(c.ends[0], range[i], rl_sub(c.ends[1], c.ends[0]));
        add_rounded(list, b, &ground,
                    (rl_touch){.feature = 8 + i, .core = core, .radius = c.radius, .axis = c.axis},
                    normal);
      }
    }
  }
  uint32_t edge = 0;
  for (uint32_t f = 0; f < p.face_count; f++) {
    const uint16_t *corners = &p.corners[p.faces[f].first_corner];
    for (uint32_t i = 0; i < p.faces[f].corner_count; i++, edge++) {
      if (corners[i] < corners[(i + 1) % p.faces[f].corner_count]) { // each edge from one side
        rl_touch_add_segment(list, a, NULL, rl_polyhedron_corner(&p, f, i),
                             rl_polyhedron_corner(&p, f, i + 1), 0.0, 16 + 3 * edge, true);
      }
    }
  }
  rl_touch_way_out(a, b, &p, list);
}

// Adds the places of a rim that are over another rim: the circles meet, seen along the axis of the
// second, at an angle on either side of the way from the middle of the first to that of the second.
static void add_crossings(const cylinder *c, const rl_ground *end, uint32_t feature,
                          rl_touch_list *list) {
  const rl_vec3 middle = c->ends[rl_dot(c->axis, end->normal) > 0.0 ? 0 : 1];
  const rl_vec3 way = rl_sub(end->at, middle);
  const rl_vec3 across = rl_add_scaled(way, -rl_dot(way, c->axis), c->axis);
  const double apart = rl_length(across), other = (1.0 + RL_OVER_MARGIN) * end->radius;
  const double part = (apart * apart + c->radius * c->radius - other * other) / (2.0 * apart);
  const double square = c->radius * c->radius - part * part;
  if (!(square > 0.0) || rl_length(rl_cross(c->axis, end->normal)) > flat) {
    return;
  }
  for (uint32_t i = 0; i < 2; i++) {
    const rl_vec3 side = rl_scale((i == 0 ? 1.0 : -1.0) / apart, rl_cross(c->axis, across));
    const rl_vec3 p =
        rl_add_scaled(rl_add_scaled(middle, part / apart, across), sqrt(square), side);
    const rl_surface s = rl_ground_surface(end, p);
    rl_touch_add(list, (rl_touch){.feature = feature + i,
                                  .core = p,
                                  .surface = rl_add_scaled(p, -s.distance, s.normal),
                                  .normal = s.normal,
                                  .gap = s.distance});
  }
}

// Adds the points of one cylinder on the nearer end of the other, and its rims on the rims of the
// other.
static void add_cylinder_on_end(const cylinder *c, const rl_solid *second, bool swapped,
                                uint32_t feature, rl_touch_list *list) {
  const cylinder d = cylinder_of(second);
  const rl_vec3 between = rl_sub(rl_add(c->ends[0], c->ends[1]), rl_add(d.ends[0], d.ends[1]));
  const rl_ground ground =
      rl_ground_of(second, NULL, rl_scale(rl_dot(between, d.axis) > 0.0 ? 1.0 : -1.0, d.axis));
  add_cylinder_on_ground(c, &ground, swapped, feature, list);
  if (!swapped) {
    add_crossings(c, &ground, feature + 12, list);
  }
  for (uint32_t i = 0; i < 2; i++) {
    const size_t before = list->count;
    const rl_surface s =
        rl_shape_surface(second->part, second->position, second->rotation, c->ends[i]);
    add_rounded(list, second, NULL,
                (rl_touch){.feature = feature + 8 + i,
                           .swapped = swapped,
                           .core = c->ends[i],
                           .radius = c->radius,
                           .axis = c->axis},
                s.normal);
    const double along = list->count > before ? rl_dot(list->touches[before].normal, d.axis) : 0.0;
    if (along * along < RL_SAME || along * along > 1.0 - RL_SAME) {
      list->count = before; // on the side or end
    }
  }
}

// Adds the touches of the side of one cylinder with the other.
static void add_side(const rl_solid *a, const rl_solid *b, bool swapped, uint32_t feature,
                     rl_touch_list *list) {
  const cylinder c = cylinder_of(a);
  rl_touch_list found;
  found.reach = list->reach + c.radius;
  found.count = 0;
  rl_touch_add_segment(&found, b, NULL, c.ends[0], c.ends[1], 0.0, feature, swapped);
  for (size_t i = 0; i < found.count; i++) {
    rl_touch t = found.touches[i];
    const double along = rl_dot(t.normal, c.axis);
    if (along * along < 0.5) { // else an end touches
      const rl_ground ground = rl_ground_of(b, NULL, t.normal);
      t.radius = c.radius;
      t.axis = c.axis;
      add_rounded(list, b, t.feature < feature + 2 ? &ground : NULL, t, t.normal);
    }
  }
}

// ---------------------------------------------------------------------------------------------
// A rim and a rim, or a rim and a side

// A rim of a cylinder, or its axis, which is its side without the rounding; and a point of it.
typedef struct curve {
  bool is_rim;
  rl_vec3 middle, axis; // axis: unit; of a rim out of the cylinder
  double size;          // radius of the rim, or half the length of the axis [m]
  double rounding;      // [m]
  rl_vec3 arm;          // from the middle to the point [m]
} curve;

static rl_vec3 curve_point(const curve *c) { return rl_add(c->middle, c->arm); }

// Returns rim 0 or 1 of a cylinder, or its axis (2).
static curve curve_of(const cylinder *c, int which) {
  const rl_vec3 middle = rl_scale(0.5, rl_add(c->ends[0], c->ends[1]));
  const double half = 0.5 * rl_distance(c->ends[0], c->ends[1]);
  return which == 2
             ? (curve){false, middle, c->axis, half, c->radius, {0.0, 0.0, 0.0}}
             : (curve){true, c->ends[which], rl_scale(which == 1 ? 1.0 : -1.0, c->axis), c->radius,
                       0.0,  {0.0, 0.0, 0.0}};
}

// Moves the point of a curve to where it is nearest to a place.
static void curve_towards(curve *c, rl_vec3 place) {
  const rl_vec3 arm = rl_sub(place, c->middle);
  const double along = rl_dot(arm, c->axis);
  const rl_vec3 across = rl_add_scaled(arm, -along, c->axis);
  c->arm = !c->is_rim
               ? rl_scale(fmin(fmax(along, -c->size), c->size), c->axis)
               : rl_scale(c->size, rl_is_zero(across) ? rl_across(c->axis) : rl_unit(across));
}

// Whether a direction at the point leads out of the cylinder, between side and end or out of the
// side, and is perpendicular to the curve; if it is not, the two curves have not met.
static bool is_outward(const curve *c, rl_vec3 n) {
  const rl_vec3 tangent = c->is_rim ? rl_cross(c->axis, rl_unit(c->arm)) : c->axis;
  if (fabs(rl_dot(n, tangent)) > missed) {
    return false;
  }
  return !c->is_rim || (rl_dot(n, c->axis) >= 0.0 && rl_dot(n, c->arm) >= 0.0);
}

// (7) of papers/bodies.md: moves the points of both curves to where they are locally nearest, by
// Newton's method, or by moving each to the point nearest to the other where a Newton step does not
// bring them nearer. Returns the vector from b to a.
static rl_vec3 curves_meet(curve *a, curve *b) {
  enum { STEPS = 40 };
  rl_vec3 way = rl_sub(curve_point(a), curve_point(b));
  for (int i = 0; i < STEPS; i++) {
    const rl_vec3 ta = a->is_rim ? rl_cross(a->axis, a->arm) : a->axis;
    const rl_vec3 tb = b->is_rim ? rl_cross(b->axis, b->arm) : b->axis;
    const double ga = rl_dot(way, ta), gb = -rl_dot(way, tb), ab = -rl_dot(ta, tb);
    const double aa = rl_dot(ta, ta) - (a->is_rim ? rl_dot(way, a->arm) : 0.0);
    const double bb = rl_dot(tb, tb) + (b->is_rim ? rl_dot(way, b->arm) : 0.0);
    const double det = aa * bb - ab * ab;
    bool better = false;
    for (int attempt = aa > 0.0 && det > 0.0 ? 0 : 1; attempt < 2 && !better; attempt++) {
      curve c = *a, d = *b;
      if (attempt == 0) {
        curve_towards(&c, rl_add_scaled(curve_point(a), (ab * gb - bb * ga) / det, ta));
        curve_towards(&d, rl_add_scaled(curve_point(b), (ab * ga - aa * gb) / det, tb));
      } else {
        curve_towards(&c, curve_point(&d));
        curve_towards(&d, curve_point(&c));
      }
      const rl_vec3 next = rl_sub(curve_point(&c), curve_point(&d));
      better = rl_dot(next, next) < rl_dot(way, way);
      if (better) {
        *a = c;
        *b = d;
        way = next;
      }
    }
    if (!better) {
      break;
    }
  }
  return way;
}

// Keeps a touch if its gap is larger than that of the best.
static void keep_farthest(rl_touch *best, rl_touch touch) {
  *best = touch.gap > best->gap ? touch : *best;
}

// Tries the normal along the shortest vector between two curves, and its opposite for an overlap,
// if it is outward for both.
static void try_curves(curve a, curve b, uint32_t feature, bool swapped, rl_touch *best) {
  const rl_vec3 way = curves_meet(&a, &b);
  const double apart = rl_length(way);
  for (int sign = -1; sign <= 1 && apart > 0.0; sign += 2) {
    const rl_vec3 n = rl_scale(sign / apart, way);
    if (is_outward(&a, rl_scale(-1.0, n)) && is_outward(&b, n)) {
      keep_farthest(best, (rl_touch){.feature = feature,
                                     .swapped = swapped,
                                     .core = curve_point(&a),
                                     .radius = a.rounding,
                                     .axis = rl_scale(a.is_rim ? 0.0 : 1.0, a.axis),
                                     .surface = rl_add_scaled(curve_point(&b), b.rounding, n),
                                     .normal = n,
                                     .gap = sign * apart - a.rounding - b.rounding});
    }
  }
}

// Tries rims and side of the first on a rim of the second, and its lowest rim on that end.
static void try_end(const cylinder *c, const cylinder *d, int end, uint32_t feature, bool swapped,
                    rl_touch *best) {
  enum { STARTS = 4 }; // two circles may be nearest in several places
  for (int which = swapped ? 2 : 0; which < 3; which++) { // each pair of rims once
    for (int start = 0; start < STARTS; start++) {
      curve a = curve_of(c, which), b = curve_of(d, end);
      const rl_vec3 x = rl_scale((start & 1) != 0 ? b.size : -b.size, rl_across(b.axis));
      b.arm = (start & 2) != 0 ? x : rl_cross(b.axis, x);
      curve_towards(&a, curve_point(&b));
      try_curves(a, b, feature + (uint32_t)which, swapped, best);
    }
  }
  double below;
  const curve rim = curve_of(d, end);
  const rl_vec3 low = c->ends[rl_dot(c->axis, rim.axis) > 0.0 ? 0 : 1];
  const rl_vec3 p = rl_rounding_point(low, c->radius, c->axis, rim.axis, &below);
  const double gap = rl_dot(rim.axis, rl_sub(low, rim.middle)) - below;
  keep_farthest(best, (rl_touch){.feature = feature + 3,
                                 .swapped = swapped,
                                 .core = low,
                                 .radius = c->radius,
                                 .axis = c->axis,
                                 .surface = rl_add_scaled(p, -gap, rim.axis),
                                 .normal = rim.axis,
                                 .gap = gap});
}

// (7) Replaces the touches of two cylinders that overlap by a touch with a larger gap, if there is
// one.
static void add_farthest(const rl_solid *a, const rl_solid *b, rl_touch_list *list) {
  const cylinder c = cylinder_of(a), d = cylinder_of(b);
  const double tolerance = missed * fmin(a->part->bound, b->part->bound);
  const double found = rl_touches_apart(list, a, b, NULL, tolerance);
  rl_touch best = {.gap = -INFINITY};
  if (found <= -tolerance) {
    for (int end = 0; end < 2; end++) {
      try_end(&c, &d, end, 160 + 4 * (uint32_t)end, false, &best);
      try_end(&d, &c, end, 168 + 4 * (uint32_t)end, true, &best);
    }
    try_curves(curve_of(&c, 2), curve_of(&d, 2), 176, false, &best);
  }
  rl_touches_settle(list, a, b, NULL, found, &best, tolerance);
}

static void cylinders_touch(const rl_solid *a, const rl_solid *b, rl_touch_list *list) {
  const cylinder c = cylinder_of(a), d = cylinder_of(b);
  add_side(a, b, false, 64, list);
  add_side(b, a, true, 96, list);
  add_cylinder_on_end(&c, b, false, 0, list);
  add_cylinder_on_end(&d, a, true, 32, list);
  add_farthest(a, b, list);
}

void rl_cylinder_touch(const rl_solid *a, const rl_solid *b, rl_touch_list *list) {
  if (b->part->shape == RL_PLANE) {
    cylinder_plane_touch(a, b, list);
  } else if (b->part->shape == RL_CYLINDER) {
    cylinders_touch(a, b, list);
  } else {
    cylinder_polyhedron_touch(a, b, list);
  }
}
