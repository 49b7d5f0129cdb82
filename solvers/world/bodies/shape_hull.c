// SPDX-License-Identifier: GPL-3.0-or-later
// A face is a plane through three of the points that has no point in front of it. Each face is
// found by itself, from all triples, and none needs to fit its neighbours: the signed distance
// inside is the largest of the distances from the planes, and outside the least of the distances
// from the polygons. An additional plane or polygon, due to rounding, changes neither.
#include "shape_hull.h"

#include <stdio.h>

// Relative to the size of the hull: points nearer than this to a plane lie in it ...
static const double coplanar = 1e-12;
// ... and a hull, a triangle, or a gap between points narrower than this has no direction.
static const double flat = 1e-9;

// The points of a hull, and its size as the measure of rounding.
typedef struct cloud {
  const rl_vec3 *points;
  double reach; // distance of the farthest point from point 0, plus that of point 0 from 0 [m]
  size_t count; // number of distinct points ...
  uint16_t kept[RL_HULL_POINTS]; // ... and their indices
} cloud;

// ---------------------------------------------------------------------------------------------
// Degenerate hulls

// Returns the point farthest from point 0, from the line along `axis` through it, or from the plane
// with that normal; its distance in *farthest.
typedef enum measure { FROM_POINT, FROM_LINE, FROM_PLANE } measure;

static size_t farthest_point(size_t count, const rl_vec3 *points, measure from, rl_vec3 axis,
                             double *farthest) {
  size_t found = 0;
  *farthest = 0.0;
  for (size_t i = 1; i < count; i++) {
    const rl_vec3 way = rl_sub(points[i], points[0]);
    const double distance = from == FROM_POINT  ? rl_length(way)
                            : from == FROM_LINE ? rl_length(rl_cross(axis, way))
                                                : fabs(rl_dot(axis, way));
    if (distance > *farthest) {
      *farthest = distance;
      found = i;
    }
  }
  return found;
}

static bool has_volume(size_t count, const rl_vec3 *points, char *message, size_t size) {
  const rl_vec3 none = {0.0, 0.0, 0.0};
  double span, breadth, thickness;
  const size_t b = farthest_point(count, points, FROM_POINT, none, &span);
  if (span > 0.0 && !rl_is_size(span)) {
    snprintf(message, size,
             "the points of the hull are %.3g m apart, beyond the range of numbers; expected above "
             "%g m and below %g m",
             span, RL_LEAST_SIZE, RL_MOST_SIZE);
    return false;
  }
  const rl_vec3 along = rl_unit(rl_sub(points[b], points[0]));
  const size_t c = farthest_point(count, points, FROM_LINE, along, &breadth);
  const rl_vec3 normal = rl_unit(rl_cross(along, rl_sub(points[c], points[0])));
  farthest_point(count, points, FROM_PLANE, normal, &thickness);
  const char *where = !(span > 0.0)                ? "at one place"
                      : !(breadth > flat * span)   ? "on one line"
                      : !(thickness > flat * span) ? "in one plane"
                                                   : NULL;
  if (where) {
    snprintf(message, size,
             "the %zu points of the hull lie %s (%.3g m thick, %.3g m wide); expected at least 4 "
             "that enclose a volume",
             count, where, thickness, span);
  }
  return where == NULL;
}

// Keeps distinct points only: an edge between coincident points would have no direction.
static void keep_distinct(cloud *c, size_t count) {
  for (size_t i = 0; i < count; i++) {
    bool known = false;
    for (size_t k = 0; k < c->count && !known; k++) {
      known = rl_distance(c->points[i], c->points[c->kept[k]]) <= 0.1 * flat * c->reach;
    }
    if (!known) {
      c->kept[c->count++] = (uint16_t)i;
    }
  }
}

// ---------------------------------------------------------------------------------------------
// Faces

// Finds the normal of the plane through three points that points away from all others. Returns
// false if there are points on both sides, or the triangle is too thin to have a plane.
static bool supporting_plane(const cloud *c, const rl_vec3 *p0, rl_vec3 side1, rl_vec3 side2,
                             rl_vec3 *normal) {
  const rl_vec3 cross = rl_cross(side1, side2);
  const rl_vec3 side3 = rl_sub(side2, side1);
  const double longest =
      fmax(fmax(rl_dot(side1, side1), rl_dot(side2, side2)), rl_dot(side3, side3));
  const double thinnest = flat * c->reach;
  if (!(rl_dot(cross, cross) > thinnest * thinnest * longest)) {
    return false;
  }
  *normal = rl_unit(cross);
  const double tolerance = coplanar * c->reach;
  bool before = false, behind = false;
  for (size_t i = 0; i < c->count && !(before && behind); i++) {
    const double height = rl_dot(*normal, rl_sub(c->points[c->kept[i]], *p0));
    before = before || height > tolerance;
    behind = behind || height < -tolerance;
  }
  if (before) {
    *normal = rl_scale(-1.0, *normal);
  }
  return !(before && behind);
}

// Whether three points lie in a face that was already found.
static bool is_known(const cloud *c, const rl_hull *hull, const uint16_t triple[3]) {
  for (uint32_t f = 0; f < hull->face_count; f++) {
    const rl_face *face = &hull->faces[f];
    bool in_plane = true;
    for (size_t i = 0; i < 3 && in_plane; i++) {
      const double height = rl_dot(face->normal, c->points[triple[i]]) - face->offset;
      in_plane = fabs(height) <= 2.0 * coplanar * c->reach;
    }
    if (in_plane) {
      return true;
    }
  }
  return false;
}

// A point projected into the plane of a face: the coordinate along the largest component of the
// normal is dropped, and the other two are ordered so that orientation is preserved.
typedef struct flat_point {
  double u, v;
  uint16_t index;
} flat_point;

static flat_point project(rl_vec3 normal, rl_vec3 p, uint16_t index) {
  const rl_vec3 size = {fabs(normal.x), fabs(normal.y), fabs(normal.z)};
  flat_point seen;
  double sign;
  if (size.x >= size.y && size.x >= size.z) {
    seen = (flat_point){p.y, p.z, index};
    sign = normal.x;
  } else if (size.y >= size.z) {
    seen = (flat_point){p.z, p.x, index};
    sign = normal.y;
  } else {
    seen = (flat_point){p.x, p.y, index};
    sign = normal.z;
  }
  return sign > 0.0 ? seen : (flat_point){seen.v, seen.u, index};
}

// Finds the points in a plane, sorted by u and then v. Returns their number.
static size_t points_in_plane(const cloud *c, rl_vec3 normal, rl_vec3 origin, flat_point *found) {
  size_t count = 0;
  for (size_t i = 0; i < c->count; i++) {
    const rl_vec3 p = c->points[c->kept[i]];
    if (fabs(rl_dot(normal, rl_sub(p, origin))) > coplanar * c->reach) {
      continue;
    }
    const flat_point seen = project(normal, p, c->kept[i]);
    size_t place = count++;
    for (; place > 0 && (found[place - 1].u > seen.u ||
                         (found[place - 1].u == seen.u && found[place - 1].v > seen.v));
         place--) {
      found[place] = found[place - 1];
    }
    found[place] = seen;
  }
  return count;
}

static bool turns_left(flat_point a, flat_point b, flat_point c) {
  return (b.u - a.u) * (c.v - a.v) - (b.v - a.v) * (c.u - a.u) > 0.0;
}

// Finds the corners of the convex hull of sorted points, counterclockwise, by Andrew's monotone
// chain: one pass to the right for the lower side, one back for the upper. Returns their number.
static size_t polygon_corners(size_t count, const flat_point *points, uint16_t *corners) {
  flat_point chain[2 * RL_HULL_POINTS];
  size_t length = 0;
  for (size_t pass = 0; pass < 2; pass++) {
    const size_t start = length;
    for (size_t i = 0; i < count; i++) {
      const flat_point p = points[pass == 0 ? i : count - 1 - i];
      while (length >= start + 2 && !turns_left(chain[length - 2], chain[length - 1], p)) {
        length--;
      }
      chain[length++] = p;
    }
    length--; // the last point is the first of the other pass
  }
  for (size_t i = 0; i < length; i++) {
    corners[i] = chain[i].index;
  }
  return length;
}

// Fits the plane of a face: the area vector of the polygon, whose direction is more accurate than
// the normal of any three corners, and the offset that no point exceeds.
static void fit_plane(const cloud *c, rl_face *face, const uint16_t *corners) {
  const rl_vec3 first = c->points[corners[0]];
  rl_vec3 area = {0.0, 0.0, 0.0};
  for (uint32_t i = 2; i < face->corner_count; i++) {
    area = rl_add(area, rl_cross(rl_sub(c->points[corners[i - 1]], first),
                                 rl_sub(c->points[corners[i]], first)));
  }
  face->normal = rl_unit(area);
  face->offset = rl_dot(face->normal, first);
  for (size_t i = 0; i < c->count; i++) {
    face->offset = fmax(face->offset, rl_dot(face->normal, c->points[c->kept[i]]));
  }
}

static bool add_face(const cloud *c, rl_hull *hull, rl_vec3 normal, rl_vec3 origin) {
  flat_point found[RL_HULL_POINTS];
  uint16_t corners[2 * RL_HULL_POINTS];
  const size_t found_count = points_in_plane(c, normal, origin, found);
  const size_t count = polygon_corners(found_count, found, corners);
  if (count < 3) {
    return true; // so thin that its corners lie on a line: its neighbours have them
  }
  if (hull->face_count == RL_HULL_FACES(c->count) ||
      hull->corner_count + count > RL_HULL_CORNERS(c->count)) {
    return false;
  }
  rl_face *face = &hull->faces[hull->face_count++];
  *face = (rl_face){.first_corner = hull->corner_count, .corner_count = (uint32_t)count};
  fit_plane(c, face, corners);
  for (size_t i = 0; i < count; i++) {
    hull->corners[hull->corner_count++] = corners[i];
  }
  return true;
}

// A point projected along the line through two others.
typedef struct seen_point {
  double u, v;
} seen_point;

static double turn(seen_point a, seen_point b) { return a.u * b.v - a.v * b.u; }

static double along(seen_point a, seen_point b) { return a.u * b.u + a.v * b.v; }

// Returns the point on one side of the line through the origin and `from` (`sense` 1: left, -1:
// right) at the largest angle from it; the origin if there is none.
static seen_point farthest_turned(const seen_point *points, size_t count, seen_point from,
                                  double sense) {
  seen_point best = {0.0, 0.0};
  bool found = false;
  for (size_t i = 0; i < count; i++) {
    if (sense * turn(from, points[i]) > 0.0 && (!found || sense * turn(best, points[i]) > 0.0)) {
      best = points[i];
      found = true;
    }
  }
  return best;
}

// Whether the line from a to b passes the origin, which is to its left, by more than a distance.
static bool passes(seen_point a, seen_point b, double distance) {
  const seen_point way = {b.u - a.u, b.v - a.v};
  return turn(a, b) > distance * sqrt(along(way, way));
}

// All points projected along the line through two of them, which becomes the origin, and three that
// lie round it if any do.
typedef struct view {
  seen_point points[RL_HULL_POINTS];
  seen_point from, left, right;
} view;

static void look_along(const cloud *c, size_t i, size_t j, view *v) {
  const rl_vec3 p0 = c->points[c->kept[i]];
  const rl_vec3 axis = rl_unit(rl_sub(c->points[c->kept[j]], p0));
  const rl_vec3 first = rl_across(axis), second = rl_cross(axis, first);
  v->from = (seen_point){0.0, 0.0};
  for (size_t k = 0; k < c->count; k++) {
    const rl_vec3 way = rl_sub(c->points[c->kept[k]], p0);
    const seen_point p = {rl_dot(way, first), rl_dot(way, second)};
    v->points[k] = p;
    v->from = along(p, p) > along(v->from, v->from) ? p : v->from;
  }
  v->left = farthest_turned(v->points, c->count, v->from, 1.0);
  v->right = farthest_turned(v->points, c->count, v->from, -1.0);
}

// Returns a distance that is more than rounding [m].
static double clear_distance(const cloud *c) { return 4.0 * coplanar * c->reach; }

// Whether the line is inside the hull, so that every plane through it has points on both sides: the
// three points form a triangle round it.
static bool is_inside(const cloud *c, const view *v) {
  const double distance = clear_distance(c);
  return passes(v->from, v->left, distance) && passes(v->left, v->right, distance) &&
         passes(v->right, v->from, distance);
}

// Whether the plane through the line and point k has some of the three on both sides.
static bool is_split(const cloud *c, const view *v, size_t k) {
  const seen_point p = v->points[k];
  const double distance = clear_distance(c) * (fabs(p.u) + fabs(p.v)); // at least times its length
  const double a = turn(p, v->from), b = turn(p, v->left), d = turn(p, v->right);
  return fmax(a, fmax(b, d)) > distance && fmin(a, fmin(b, d)) < -distance;
}

// Adds the faces with points i and j and a later one.
static bool add_faces_at(const cloud *c, rl_hull *hull, size_t i, size_t j) {
  const rl_vec3 *p0 = &c->points[c->kept[i]];
  const rl_vec3 side1 = rl_sub(c->points[c->kept[j]], *p0);
  view v;
  look_along(c, i, j, &v);
  if (is_inside(c, &v)) {
    return true;
  }
  for (size_t k = j + 1; k < c->count; k++) {
    const uint16_t triple[3] = {c->kept[i], c->kept[j], c->kept[k]};
    rl_vec3 normal;
    if (!is_split(c, &v, k) && !is_known(c, hull, triple) &&
        supporting_plane(c, p0, side1, rl_sub(c->points[triple[2]], *p0), &normal) &&
        !add_face(c, hull, normal, *p0)) {
      return false;
    }
  }
  return true;
}

// Returns the edge of another face from point a to point b, or RL_NONE.
static uint32_t find_edge(const rl_hull *hull, uint16_t a, uint16_t b) {
  for (uint32_t f = 0; f < hull->face_count; f++) {
    const rl_face *face = &hull->faces[f];
    const uint16_t *corners = &hull->corners[face->first_corner];
    for (uint32_t i = 0; i < face->corner_count; i++) {
      if (corners[i] == a && corners[i + 1 < face->corner_count ? i + 1 : 0] == b) {
        return RL_FEATURE_EDGE(f, i);
      }
    }
  }
  return RL_NONE;
}

static void find_twins(rl_hull *hull) {
  for (const rl_face *face = hull->faces; face < &hull->faces[hull->face_count]; face++) {
    const uint16_t *corners = &hull->corners[face->first_corner];
    for (uint32_t i = 0; i < face->corner_count; i++) {
      const uint16_t next = corners[i + 1 < face->corner_count ? i + 1 : 0];
      hull->twins[face->first_corner + i] = find_edge(hull, next, corners[i]);
    }
  }
}

bool rl_hull_build(size_t count, const rl_vec3 *points, rl_hull *hull, char *message, size_t size) {
  if (count < 4 || count > RL_HULL_POINTS) {
    snprintf(message, size, "a hull of %zu points; expected 4 to %d", count, RL_HULL_POINTS);
    return false;
  }
  if (!has_volume(count, points, message, size)) {
    return false;
  }
  cloud c = {.points = points};
  farthest_point(count, points, FROM_POINT, points[0], &c.reach);
  c.reach += rl_length(points[0]);
  keep_distinct(&c, count);
  hull->face_count = hull->corner_count = 0;
  for (size_t i = 0; i < c.count; i++) {
    for (size_t j = i + 1; j < c.count; j++) {
      if (!add_faces_at(&c, hull, i, j)) {
        snprintf(message, size,
                 "the faces of the hull cannot be told from each other: many of its %zu points "
                 "are within %.3g m of one plane; expected points in a plane or clearly off it",
                 count, flat * c.reach);
        return false;
      }
    }
  }
  find_twins(hull);
  return true;
}

// ---------------------------------------------------------------------------------------------
// Distance

static double height_over(const rl_face *face, rl_vec3 p) {
  return rl_dot(face->normal, p) - face->offset;
}

// Finds the two ends of edge i of a face, counterclockwise seen from outside.
static void edge_ends(const rl_part *part, const rl_face *face, uint32_t i, rl_vec3 *a,
                      rl_vec3 *b) {
  const uint16_t *corners = &part->corners[face->first_corner];
  *a = part->points[corners[i]];
  *b = part->points[corners[i + 1 < face->corner_count ? i + 1 : 0]];
}

static void nearest_on_edge(rl_vec3 a, rl_vec3 b, rl_vec3 p, rl_surface *best) {
  const rl_vec3 edge = rl_sub(b, a);
  const double square = rl_dot(edge, edge);
  const double t = rl_dot(rl_sub(p, a), edge) / square;
  rl_vec3 away = t <= 0.0 ? rl_sub(p, a) : rl_sub(p, b);
  if (t > 0.0 && t < 1.0) {
    away = rl_sub(p, rl_add_scaled(a, t, edge));
    // Removes the component along the edge that rounding has left, which would tilt the normal.
    away = rl_add_scaled(away, -rl_dot(away, edge) / square, edge);
  }
  const double distance = rl_length(away);
  if (distance < best->distance) {
    best->distance = distance;
    best->normal = distance > 0.0 ? rl_scale(1.0 / distance, away) : best->normal;
  }
}

// Returns the surface for a point outside the hull. Only faces below the point can have the nearest
// point: the vector from there is a sum of normals of the faces that meet there, so it leads away
// from at least one of them. Of a face that the point is not over, only the edges that it is beyond
// can.
static rl_surface outside(const rl_part *part, const rl_face *top, rl_vec3 p) {
  rl_surface best = {INFINITY, top->normal};
  for (uint32_t f = 0; f < part->face_count; f++) {
    const rl_face *face = &part->faces[f];
    const double height = height_over(face, p);
    if (height <= 0.0 || height >= best.distance) {
      continue;
    }
    bool is_over = true;
    for (uint32_t i = 0; i < face->corner_count; i++) {
      rl_vec3 a, b;
      edge_ends(part, face, i, &a, &b);
      if (rl_dot(rl_sub(p, a), rl_cross(rl_sub(b, a), face->normal)) > 0.0) {
        nearest_on_edge(a, b, p, &best);
        is_over = false;
      }
    }
    if (is_over) {
      best = (rl_surface){height, face->normal};
    }
  }
  // So close to an edge the direction from it is rounding.
  if (best.distance <= coplanar * part->bound) {
    best.normal = top->normal;
  }
  return best;
}

rl_surface rl_hull_surface(const rl_part *part, rl_vec3 p) {
  const rl_face *top = &part->faces[0];
  double highest = height_over(top, p);
  for (uint32_t f = 1; f < part->face_count; f++) {
    const double height = height_over(&part->faces[f], p);
    if (height > highest) {
      highest = height;
      top = &part->faces[f];
    }
  }
  return highest > 0.0 ? outside(part, top, p) : (rl_surface){highest, top->normal};
}
