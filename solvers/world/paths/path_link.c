// SPDX-License-Identifier: GPL-3.0-or-later
#include "path_link.h"

#include "../trigonometry.h"

// A point whose squared distance from the centre differs from that of the surface by less than
// this, relatively, counts as on the surface: the length of the tangent is the root of the
// difference, so rounding would turn it by 1e-8.
static const double on_surface = 1e-12;

rl_vec3 rl_any_across(rl_vec3 u) {
  const rl_vec3 least = fabs(u.x) <= fabs(u.y) && fabs(u.x) <= fabs(u.z) ? rl_vec(1.0, 0.0, 0.0)
                        : fabs(u.y) <= fabs(u.z)                         ? rl_vec(0.0, 1.0, 0.0)
                                                                         : rl_vec(0.0, 0.0, 1.0);
  return rl_unit(rl_cross(u, least));
}

void rl_path_straight(rl_vec3 p, rl_vec3 q, rl_path_link *link) {
  const rl_vec3 way = rl_sub(q, p);
  const double length = rl_length(way);
  const double stiffness = length > 0.0 ? 1.0 / length : 0.0;
  const rl_vec3 direction = rl_scale(stiffness, way);
  const rl_vec3 normal = rl_any_across(direction);
  const rl_vec3 cross = rl_cross(direction, normal);
  *link = (rl_path_link){.length = length,
                         .direction = {direction, direction},
                         .normal = {normal, normal},
                         .cross = {cross, cross},
                         .normal_stiffness = {stiffness, stiffness},
                         .cross_stiffness = {stiffness, stiffness},
                         .normal_coupling = stiffness,
                         .cross_coupling = stiffness};
}

// The tangent from a point to the circle.
typedef struct tangent {
  double height; // of the point along the axis [m]
  double length; // across the axis [m]
  rl_vec3 out;   // from the axis to the tangent point, unit
} tangent;

// (3) Finds the tangent from p to the circle (`side` = 1), or from the circle to p (-1): solves p =
// R out - side length (axis x out) for `out`. Returns false if p is inside and not nipped (15).
static bool find_tangent(const rl_path_round *round, rl_vec3 p, double side, tangent *found) {
  const rl_vec3 way = rl_sub(p, round->centre);
  found->height = rl_dot(way, round->axis);
  const rl_vec3 off = rl_add_scaled(way, -found->height, round->axis);
  const double r = round->radius;
  const double square = rl_dot(off, off), distance = sqrt(square);
  double beyond = (distance - r) * (distance + r);
  const bool outside = beyond >= -on_surface * r * r || round->nipped[side > 0.0 ? 0 : 1];
  if (!outside || !(distance > 0.0)) {
    return false;
  }
  beyond = beyond <= on_surface * r * r ? 0.0 : beyond;
  found->length = sqrt(beyond);
  const rl_vec3 across = rl_cross(round->axis, off);
  found->out = rl_unit(rl_add_scaled(rl_scale(r, off), side * found->length, across));
  return true;
}

// (4) Returns the angle between two directions about the axis, with the number of full turns that
// brings it nearest to `near`.
static double wrap_between(rl_vec3 axis, rl_vec3 from, rl_vec3 to, double near) {
  const double angle = rl_atan2(rl_dot(axis, rl_cross(from, to)), rl_dot(from, to));
  return angle + 2.0 * RL_PI * floor((near - angle) / (2.0 * RL_PI) + 0.5);
}

static double inverse(double length) { return length > 0.0 ? 1.0 / length : 0.0; }

// (7) Sets the second derivatives in the surface of a cylinder, which unrolls into a plane, to
// those of a straight rope.
static void stiffen_flat(rl_path_link *link) {
  const double stiffness = inverse(link->length);
  link->cross_stiffness[0] = link->cross_stiffness[1] = stiffness;
  link->cross_coupling = stiffness;
}

// (8) Sets the second derivatives in the surface of a ball: the Jacobi field that leaves the one
// end with slope 1 has the size `arrival` at the other.
static void stiffen_ball(rl_path_link *link, double radius, double wrap, double before,
                         double after) {
  double s, c;
  rl_sincos(wrap, &s, &c);
  const double arrival = (before + after) * c + (radius - before * after / radius) * s;
  const double stiffness = arrival != 0.0 ? 1.0 / arrival : 0.0;
  link->cross_stiffness[0] = (c - after / radius * s) * stiffness;
  link->cross_stiffness[1] = (c - before / radius * s) * stiffness;
  link->cross_coupling = stiffness;
}

// Lays the straight link of a rope that passes by; entry and exit are its point nearest to the
// axis.
static void pass_by(const rl_path_round *round, rl_vec3 p, rl_vec3 q, rl_path_arc *arc,
                    rl_path_link *link) {
  rl_path_straight(p, q, link);
  const rl_vec3 off = rl_sub(p, round->centre);
  const rl_vec3 way = rl_cross(round->axis, link->direction[0]);
  const double square = rl_dot(way, way);
  const double nearest = square > 0.0 ? -rl_dot(rl_cross(round->axis, off), way) / square : 0.0;
  const double at = fmin(fmax(nearest, 0.0), link->length);
  arc->entry = arc->exit = rl_add_scaled(p, at, link->direction[0]);
  arc->length = arc->turn = 0.0;
}

bool rl_path_over(const rl_path_round *round, rl_vec3 p, rl_vec3 q, rl_path_arc *arc,
                  rl_path_link *link) {
  tangent on, off;
  if (!find_tangent(round, p, 1.0, &on) || !find_tangent(round, q, -1.0, &off)) {
    return false;
  }
  const double r = round->radius;
  arc->wrap = wrap_between(round->axis, on.out, off.out, arc->wrap);
  if (arc->wrap < 0.0 && !round->continues && on.length + off.length > 0.0) {
    pass_by(round, p, q, arc, link);
    return true;
  }
  // Unrolled, the rope is straight: `across` by `along`.
  const double across = on.length + r * arc->wrap + off.length;
  const double along = round->endless ? off.height - on.height : 0.0;
  link->length = sqrt(across * across + along * along);
  const double c = link->length > 0.0 ? across / link->length : 1.0;
  const double s = link->length > 0.0 ? along / link->length : 0.0;
  // Between two points on a side the rope may be parallel to the axis.
  const double rise = c > 0.0 ? s / c : 0.0;
  const rl_vec3 centre = rl_add_scaled(round->centre, on.height, round->axis);
  arc->entry = rl_add_scaled(rl_add_scaled(centre, r, on.out), rise * on.length, round->axis);
  arc->exit =
      rl_add_scaled(rl_add_scaled(centre, r, off.out), along - rise * off.length, round->axis);
  arc->length = on.length + off.length > 0.0 ? r * arc->wrap / c : link->length;
  arc->turn = arc->wrap * c;
  const rl_vec3 outs[2] = {on.out, off.out};
  const double straight[2] = {on.length, off.length};
  for (int end = 0; end < 2; end++) {
    const rl_vec3 round_it = rl_cross(round->axis, outs[end]);
    link->direction[end] = rl_add_scaled(rl_scale(c, round_it), s, round->axis);
    link->normal[end] = outs[end];
    link->cross[end] = rl_add_scaled(rl_scale(c, round->axis), -s, round_it);
    link->normal_stiffness[end] = c * inverse(straight[end]);
  }
  link->normal_coupling = 0.0;
  if (round->endless) {
    stiffen_flat(link);
  } else {
    stiffen_ball(link, r, arc->wrap, on.length, off.length);
  }
  return true;
}

// One end of a rope that is held in a plane on a ball.
typedef struct held_end {
  rl_vec3 out;    // from the centre to where the rope leaves the plane, unit
  rl_vec3 place;  // where the rope leaves the plane [m]
  double length;  // of the straight piece [m]
  double cosine;  // of the angle between the piece and the plane
  double climb;   // its sine, positive where the rope runs along the axis
  double caustic; // (14) length at which neighbouring pieces meet [m]
} held_end;

// Returns the height of a point over the plane; 0 if it is only rounding [m].
static double beside(const rl_path_round *round, const tangent *flat) {
  return fabs(flat->height) <= on_surface * round->radius ? 0.0 : flat->height;
}

// (12), (13) Finds the end of a held rope towards the point p; `side` as in find_tangent. Returns
// false if p is inside.
static bool find_held(const rl_path_round *round, rl_vec3 p, double side, held_end *end) {
  tangent flat, tilted;
  if (!find_tangent(round, p, side, &flat)) {
    return false;
  }
  const double r = round->radius, z = beside(round, &flat), l2 = flat.length * flat.length;
  const double discriminant = (l2 - 2.0 * r * z) * (l2 + 2.0 * r * z);
  const double square = z == 0.0             ? 0.0
                        : discriminant > 0.0 ? 2.0 * z * z / (l2 + sqrt(discriminant))
                                             : 0.5 * l2 / (r * r);
  rl_path_round wider = *round;
  wider.radius = r * sqrt(1.0 + square);
  if (!find_tangent(&wider, p, side, &tilted)) {
    return false;
  }
  end->out = tilted.out;
  end->place = rl_add_scaled(round->centre, wider.radius, tilted.out);
  end->length = sqrt(tilted.length * tilted.length + z * z);
  end->cosine = end->length > 0.0 ? tilted.length / end->length : 1.0;
  end->climb = end->length > 0.0 ? -side * z / end->length : 0.0;
  end->caustic = r * end->climb * (1.0 + square);
  return true;
}

bool rl_path_over_held(const rl_path_round *round, rl_vec3 p, rl_vec3 q, rl_path_arc *arc,
                       rl_path_link *link) {
  held_end ends[2];
  if (!find_held(round, p, 1.0, &ends[0]) || !find_held(round, q, -1.0, &ends[1])) {
    return false;
  }
  arc->wrap = wrap_between(round->axis, ends[0].out, ends[1].out, arc->wrap);
  arc->entry = ends[0].place;
  arc->exit = ends[1].place;
  arc->length = round->radius * arc->wrap;
  arc->turn = arc->wrap;
  link->length = ends[0].length + arc->length + ends[1].length;
  for (int i = 0; i < 2; i++) {
    const held_end *end = &ends[i];
    const rl_vec3 out = end->out, round_it = rl_cross(round->axis, out);
    const rl_vec3 across = rl_add_scaled(rl_scale(end->cosine, round->axis), -end->climb, round_it);
    const double caustic = i == 0 ? -end->caustic : end->caustic;
    link->direction[i] = rl_add_scaled(rl_scale(end->cosine, round_it), end->climb, round->axis);
    link->normal[i] = rl_scale(sqrt(0.5), rl_add(out, across));
    link->cross[i] = rl_scale(sqrt(0.5), rl_sub(out, across));
    link->normal_stiffness[i] = inverse(end->length + caustic);
    link->cross_stiffness[i] = inverse(end->length - caustic);
  }
  link->normal_coupling = link->cross_coupling = 0.0;
  return true;
}

rl_path_departure rl_path_depart(const rl_path_round *round, rl_vec3 p, double friction) {
  tangent flat;
  if (!find_tangent(round, p, 1.0, &flat)) {
    return (rl_path_departure){INFINITY, 0.0};
  }
  const double r = round->radius, l = flat.length, z = fabs(beside(round, &flat));
  const double reach = z / friction;
  const double square = l * l + reach * (2.0 * r - reach);
  const bool holds = z == 0.0 || (2.0 * r * z < l * l && square >= 0.0); // (18) of balls.md, (13)
  return (rl_path_departure){.bent = holds ? 2.0 * rl_atan2(reach, l + sqrt(fmax(square, 0.0)))
                                           : INFINITY,
                             .seen = rl_atan2(l, r)};
}
