// SPDX-License-Identifier: GPL-3.0-or-later
#include "shape.h"

#include "shape_hull.h"

// The normal for a point at the centre of a ball or on the axis of a capsule.
static const rl_vec3 up = {0.0, 1.0, 0.0};

// A segment tilted by less than this against the surface counts as parallel to it [rad].
static const double parallel = 1e-9;

// ---------------------------------------------------------------------------------------------
// Distance of a point, in the part's frame

static rl_surface sphere_surface(double radius, rl_vec3 p) {
  const double distance = rl_length(p);
  return (rl_surface){distance - radius, distance > 0.0 ? rl_scale(1.0 / distance, p) : up};
}

static rl_surface plane_surface(rl_vec3 normal, rl_vec3 p) {
  return (rl_surface){rl_dot(normal, p), normal};
}

// A capsule is a ball about the nearest point of its axis.
static rl_surface capsule_surface(double radius, double half, rl_vec3 p) {
  const double along = p.z > half ? half : p.z < -half ? -half : p.z;
  return sphere_surface(radius, rl_vec(p.x, p.y, p.z - along));
}

// In the plane of its axis and the point a cylinder is a rectangle: outside, the nearest point is
// on the side, an end or a rim; inside, the nearer of side and end decides.
static rl_surface cylinder_surface(double radius, double half, rl_vec3 p) {
  const double off_axis = sqrt(p.x * p.x + p.y * p.y);
  const rl_vec3 out =
      off_axis > 0.0 ? (rl_vec3){p.x / off_axis, p.y / off_axis, 0.0} : (rl_vec3){0.0, 1.0, 0.0};
  const rl_vec3 end = {0.0, 0.0, copysign(1.0, p.z)};
  const double beside = off_axis - radius, beyond = fabs(p.z) - half;
  if (beside > 0.0 && beyond > 0.0) {
    const double distance = sqrt(beside * beside + beyond * beyond);
    return (rl_surface){distance,
                        rl_add_scaled(rl_scale(beside / distance, out), beyond / distance, end)};
  }
  return beyond > beside ? (rl_surface){beyond, end} : (rl_surface){beside, out};
}

// Outside, the nearest point of the box is p clamped to it; inside, the nearest face decides.
static rl_surface box_surface(rl_vec3 half, rl_vec3 p) {
  const rl_vec3 excess = {fabs(p.x) - half.x, fabs(p.y) - half.y, fabs(p.z) - half.z};
  const rl_vec3 sign = {copysign(1.0, p.x), copysign(1.0, p.y), copysign(1.0, p.z)};
  if (excess.x <= 0.0 && excess.y <= 0.0 && excess.z <= 0.0) {
    if (excess.x > excess.y && excess.x > excess.z) {
      return (rl_surface){excess.x, {sign.x, 0.0, 0.0}};
    }
    if (excess.y >= excess.z) {
      return (rl_surface){excess.y, {0.0, sign.y, 0.0}};
    }
    return (rl_surface){excess.z, {0.0, 0.0, sign.z}};
  }
  const rl_vec3 away = {sign.x * fmax(excess.x, 0.0), sign.y * fmax(excess.y, 0.0),
                        sign.z * fmax(excess.z, 0.0)};
  const double distance = rl_length(away);
  return (rl_surface){distance, rl_scale(1.0 / distance, away)};
}

static rl_surface local_surface(const rl_part *part, rl_vec3 p) {
  switch (part->shape) {
  case RL_SPHERE:
    return sphere_surface(part->radius, p);
  case RL_PLANE:
    return plane_surface(part->normal, p);
  case RL_BOX:
    return box_surface(part->half, p);
  case RL_CAPSULE:
    return capsule_surface(part->radius, 0.5 * part->length, p);
  case RL_CYLINDER:
    return cylinder_surface(part->radius, 0.5 * part->length, p);
  case RL_HULL:
    return rl_hull_surface(part, p);
  }
  return (rl_surface){INFINITY, up};
}

// ---------------------------------------------------------------------------------------------
// The world's frame

static rl_vec3 to_part(const rl_part *part, rl_vec3 position, rl_quat rotation, rl_vec3 p) {
  const rl_vec3 in_body = rl_rotate_inverse(rotation, rl_sub(p, position));
  return rl_rotate_inverse(part->rotation, rl_sub(in_body, part->at));
}

static rl_vec3 to_world(const rl_part *part, rl_quat rotation, rl_vec3 direction) {
  return rl_rotate(rotation, rl_rotate(part->rotation, direction));
}

rl_surface rl_shape_surface(const rl_part *part, rl_vec3 position, rl_quat rotation, rl_vec3 p) {
  rl_surface surface = local_surface(part, to_part(part, position, rotation, p));
  surface.normal = to_world(part, rotation, surface.normal);
  return surface;
}

// ---------------------------------------------------------------------------------------------
// Segments. Along a segment the distance f is convex, so its slope, normal . direction, increases
// monotonically: the least f is where the slope passes zero, found between brackets. That is exact
// at kinks; a search for the least value itself would lose half of the digits.

typedef struct segment {
  const rl_part *part;
  rl_vec3 start, step; // in the part's frame [m]
  rl_vec3 direction;   // unit, along step
} segment;

static rl_surface surface_at(const segment *g, double s) {
  return local_surface(g->part, rl_add_scaled(g->start, s, g->step));
}

static double slope(const segment *g, rl_surface at) { return rl_dot(at.normal, g->direction); }

// Where the slope passes a level: it is below it at `low`, unless that is `high`, where it is not.
typedef struct passage {
  double low, high; // places along the segment, [0, 1]
  double slope_low, slope_high;
} passage;

// Narrows a passage until nothing is left between its ends but the rounding of a coordinate: with
// the secant where the slope is smooth, and never in more than one evaluation above those of
// bisection. Oliveira and Takahashi, "An enhancement of the bisection method average performance
// preserving minmax optimality", 2020, with kappa_1 = 0.2, kappa_2 = 2, n_0 = 1.
static passage narrow(const segment *g, double level, passage p) {
  static const double resolution = 1e-15, kept_off = 0.2;
  if (p.slope_low >= level) {
    return (passage){p.low, p.low, p.slope_low, p.slope_low};
  }
  // `reached` is the width that bisection has, which begins one evaluation later.
  for (double reached = p.high - p.low; p.high - p.low > resolution; reached *= 0.5) {
    const double width = p.high - p.low, middle = 0.5 * (p.low + p.high);
    const double secant = p.low + width * (level - p.slope_low) / (p.slope_high - p.slope_low);
    // Beyond the secant, so that its other side is narrowed as well.
    const double inwards = copysign(1.0, middle - secant);
    const double off = kept_off * width * width + 0.5 * resolution;
    const double tried = off <= fabs(middle - secant) ? secant + inwards * off : middle;
    const double most = rl_larger(reached - 0.5 * width, 0.0);
    const double s = fabs(tried - middle) <= most ? tried : middle - inwards * most;
    const double now = slope(g, surface_at(g, s));
    p = now < level ? (passage){s, p.high, now, p.slope_high}
                    : (passage){p.low, s, p.slope_low, now};
  }
  return p;
}

// Returns the surface at a kink, to which f falls with the normal of `before` and from which it
// rises with that of `after`: the convex combination of both normals that is perpendicular to the
// segment; its length is the rate at which f grows along it. If both normals are nearly opposite (a
// needle through a plate) no way out is between them; and a ball has no edges.
static rl_surface at_kink(const segment *g, rl_surface before, rl_surface after) {
  const double falling = slope(g, before), rising = slope(g, after);
  const rl_vec3 across = rl_add_scaled(before.normal, falling / (falling - rising),
                                       rl_sub(after.normal, before.normal));
  const double rate = rl_length(across);
  const bool has_edges = g->part->shape != RL_SPHERE && g->part->shape != RL_CAPSULE;
  if (!has_edges || !(rate > 0.1)) {
    return before;
  }
  return (rl_surface){before.distance / rate, rl_scale(1.0 / rate, across)};
}

// Finds where the slope, which is `falls` at 0 and `rises` at 1, passes zero: in the middle of
// where it is nearly that (a smooth minimum, or a flat stretch), or at a kink.
static double find_least(const segment *g, double falls, double rises, rl_surface *surface) {
  const passage first = narrow(g, -parallel, (passage){0.0, 1.0, falls, rises});
  if (first.slope_high > parallel) {
    *surface = at_kink(g, surface_at(g, first.low), surface_at(g, first.high));
    return first.low;
  }
  const passage last = narrow(g, parallel, (passage){first.high, 1.0, first.slope_high, rises});
  const double s = 0.25 * (first.low + first.high + last.low + last.high);
  *surface = surface_at(g, s);
  return s;
}

double rl_shape_segment(const rl_part *part, rl_vec3 position, rl_quat rotation, rl_vec3 p0,
                        rl_vec3 p1, rl_surface *surface) {
  const rl_vec3 start = to_part(part, position, rotation, p0);
  const rl_vec3 step = rl_sub(to_part(part, position, rotation, p1), start);
  const segment g = {part, start, step, rl_unit(step)};
  double s;
  const rl_surface first = surface_at(&g, 0.0), last = surface_at(&g, 1.0);
  const double falls = slope(&g, first), rises = slope(&g, last);
  if (falls > parallel) {
    s = 0.0;
    *surface = first;
  } else if (rises < -parallel) {
    s = 1.0;
    *surface = last;
  } else if (falls >= -parallel && rises <= parallel) { // flat
    s = 0.5;
    *surface = surface_at(&g, s);
  } else {
    s = find_least(&g, falls, rises, surface);
  }
  surface->normal = to_world(part, rotation, surface->normal);
  return s;
}

// ---------------------------------------------------------------------------------------------

double rl_shape_bound(const rl_part *part) {
  const double half = 0.5 * part->length;
  double bound = 0.0;
  switch (part->shape) {
  case RL_SPHERE:
    return part->radius;
  case RL_PLANE:
    return INFINITY;
  case RL_BOX:
    return rl_length(part->half);
  case RL_CAPSULE:
    return part->radius + half;
  case RL_CYLINDER:
    return sqrt(part->radius * part->radius + half * half);
  case RL_HULL:
    for (uint32_t i = 0; i < part->point_count; i++) {
      bound = fmax(bound, rl_length(part->points[i]));
    }
    return bound;
  }
  return bound;
}

rl_vec3 rl_shape_middle(const rl_part *part) {
  rl_vec3 middle = rl_vec(0.0, 0.0, 0.0);
  for (uint32_t i = 0; i < part->point_count; i++) { // only hulls have any
    middle = rl_add_scaled(middle, 1.0 / part->point_count, part->points[i]);
  }
  return middle;
}

double rl_shape_inner(const rl_part *part) {
  const rl_vec3 middle = rl_shape_middle(part);
  double inner = INFINITY;
  switch (part->shape) {
  case RL_SPHERE:
  case RL_CAPSULE:
    return part->radius;
  case RL_PLANE:
    return inner;
  case RL_CYLINDER:
    return fmin(part->radius, 0.5 * part->length);
  case RL_BOX:
    return fmin(part->half.x, fmin(part->half.y, part->half.z));
  case RL_HULL:
    for (uint32_t i = 0; i < part->face_count; i++) {
      inner = fmin(inner, part->faces[i].offset - rl_dot(part->faces[i].normal, middle));
    }
    return inner;
  }
  return inner;
}
