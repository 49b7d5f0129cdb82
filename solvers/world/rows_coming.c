// SPDX-License-Identifier: GPL-3.0-or-later
#include "rows_coming.h"

#include "paths/path_solid.h"

// Of its length: an element counts as near as its ends if its distance from a body differs by less.
static const double nearest_share = 1e-9;

rl_foot rl_foot_at(rl_surface surface, rl_vec3 p, rl_body_pose at, double fraction) {
  const rl_vec3 arm = rl_sub(rl_add_scaled(p, -surface.distance, surface.normal), at.centre);
  return (rl_foot){.point = rl_rotate_inverse(at.rotation, arm),
                   .normal = rl_rotate_inverse(at.rotation, surface.normal),
                   .fraction = fraction};
}

static rl_vec3 between(const rl_vec3 ends[2], double s) {
  return rl_add_scaled(ends[0], s, rl_sub(ends[1], ends[0]));
}

static void find_surfaces(const rl_part *part, rl_body_pose at, const rl_vec3 ends[2],
                          rl_surface surfaces[2]) {
  for (size_t i = 0; i < 2; i++) {
    surfaces[i] = rl_shape_surface(part, at.centre, at.rotation, ends[i]);
  }
}

bool rl_element_between(const rl_part *part, rl_body_pose at, const rl_vec3 ends[2], double *s,
                        rl_surface *surface) {
  *s = rl_shape_segment(part, at.centre, at.rotation, ends[0], ends[1], surface);
  if (!(*s > 0.0 && *s < 1.0)) {
    return false;
  }
  rl_surface at_ends[2];
  find_surfaces(part, at, ends, at_ends);
  return surface->distance <= fmin(at_ends[0].distance, at_ends[1].distance) -
                                  nearest_share * rl_distance(ends[0], ends[1]);
}

// ---------------------------------------------------------------------------------------------
// Faces: those of boxes and hulls, the ends of a cylinder, and its side.

static bool is_edged(const rl_part *part) {
  return rl_is_polyhedron(part->shape) || part->shape == RL_CYLINDER;
}

// The face whose normal is nearest to a direction, in the part's frame.
typedef struct face {
  uint32_t index; // of a box or hull
  bool is_side;   // of a cylinder
  rl_vec3 normal; // of what is flat
} face;

static face face_towards(const rl_part *part, rl_vec3 direction) {
  face found = {0, false, {0.0, 0.0, copysign(1.0, direction.z)}};
  if (!rl_is_polyhedron(part->shape)) {
    found.is_side = 2.0 * direction.z * direction.z < rl_dot(direction, direction);
    return found;
  }
  found.normal = rl_path_face_normal(part, 0);
  for (uint32_t f = 1; f < rl_path_face_count(part); f++) {
    const rl_vec3 normal = rl_path_face_normal(part, f);
    if (rl_dot(normal, direction) > rl_dot(found.normal, direction)) {
      found.index = f;
      found.normal = normal;
    }
  }
  return found;
}

// Returns the plane of a face, or that which touches the side beside p, and the distance of p.
static rl_surface face_plane(const rl_part *part, const face *f, rl_vec3 p) {
  if (f->is_side) {
    const rl_vec3 out = rl_unit(rl_vec(p.x, p.y, 0.0));
    return (rl_surface){rl_dot(out, p) - part->radius, out};
  }
  const double offset =
      rl_is_polyhedron(part->shape) ? rl_path_face_offset(part, f->index) : 0.5 * part->length;
  return (rl_surface){rl_dot(f->normal, p) - offset, f->normal};
}

// A stretch of a segment, as fractions.
typedef struct stretch {
  double low, high;
} stretch;

// Shortens a stretch to where what is linear along the segment is not above 0.
static void shorten(stretch *over, double here, double there) {
  if (here > 0.0) {
    over->low = fmax(over->low, there < here ? here / (here - there) : 1.0);
  }
  if (there > 0.0) {
    over->high = fmin(over->high, here < there ? here / (here - there) : 0.0);
  }
}

// Returns the stretch of a segment that is over a face; low is not below high if there is none.
static stretch stretch_over(const rl_part *part, const face *f, const rl_vec3 ends[2]) {
  stretch over = {0.0, 1.0};
  if (rl_is_polyhedron(part->shape)) {
    for (uint32_t k = 0; k < rl_path_face_corners(part, f->index); k++) {
      rl_vec3 from, to;
      rl_path_edge_ends(part, RL_FEATURE_EDGE(f->index, k), &from, &to);
      const rl_vec3 outward = rl_cross(rl_sub(to, from), f->normal);
      shorten(&over, rl_dot(outward, rl_sub(ends[0], from)),
              rl_dot(outward, rl_sub(ends[1], from)));
    }
  } else if (f->is_side) {
    const double half = 0.5 * part->length;
    shorten(&over, ends[0].z - half, ends[1].z - half);
    shorten(&over, -ends[0].z - half, -ends[1].z - half);
  } else { // within the circle: a s^2 + 2 b s + c <= 0
    const rl_vec3 p = ends[0], way = rl_sub(ends[1], ends[0]);
    const double a = way.x * way.x + way.y * way.y, b = p.x * way.x + p.y * way.y;
    const double c = p.x * p.x + p.y * p.y - part->radius * part->radius;
    const double root = b * b - a * c;
    over.low = root > 0.0 ? fmax(over.low, (-b - sqrt(root)) / a) : 1.0;
    over.high = root > 0.0 ? fmin(over.high, (-b + sqrt(root)) / a) : 0.0;
  }
  return over;
}

// Finds the edge over which a segment leaves the face with the normal of `surface` at its place s:
// that which is farther from s. Returns false if the segment ends before it.
static bool find_edge(const rl_part *part, rl_body_pose at, const rl_vec3 ends[2], double *s,
                      rl_surface *surface) {
  const rl_path_solid solid = rl_path_solid_of(part, at.centre, at.rotation);
  const rl_vec3 local[2] = {rl_path_to_part(&solid, ends[0]), rl_path_to_part(&solid, ends[1])};
  const face f = face_towards(part, rl_rotate_inverse(solid.rotation, surface->normal));
  const stretch over = stretch_over(part, &f, local);
  const double edge = *s - over.low > over.high - *s ? over.low : over.high;
  if (!(over.low < over.high && edge > 0.0 && edge < 1.0)) {
    return false;
  }
  const rl_surface plane = face_plane(part, &f, between(local, edge));
  *surface = (rl_surface){plane.distance, rl_rotate(solid.rotation, plane.normal)};
  *s = edge;
  return true;
}

bool rl_element_leaves(const rl_part *part, rl_body_pose at, const rl_vec3 ends[2], double *s,
                       rl_surface *surface) {
  if (!is_edged(part)) {
    return false;
  }
  rl_surface at_ends[2];
  find_surfaces(part, at, ends, at_ends);
  const size_t nearer = at_ends[0].distance <= at_ends[1].distance ? 0 : 1;
  const double highest = at_ends[nearer].distance - nearest_share * rl_distance(ends[0], ends[1]);
  *s = (double)nearer;
  *surface = at_ends[nearer];
  return find_edge(part, at, ends, s, surface) && surface->distance >= highest;
}

// ---------------------------------------------------------------------------------------------
// What comes within a step

// Returns where a node will be beside a body after dt with its present velocity.
static rl_vec3 place_after(const rl_model *model, const rl_state *state, uint32_t slot,
                           uint32_t body, double dt) {
  const uint32_t centre = rl_body_slot(model, body);
  const rl_vec3 p = rl_node_position(model, state, slot);
  const rl_vec3 arm = rl_sub(p, rl_position(&state->points[centre]));
  const rl_vec3 turning = rl_cross(rl_body_spin(model, state, body), arm);
  const rl_vec3 beside = rl_add(state->velocities[centre], turning);
  return rl_add_scaled(p, dt, rl_sub(state->velocities[slot], beside));
}

// Whether a segment is nearer to a part than a limit, as far as few places tell. The distance is
// convex along it, and so nowhere less than its tangents at two places say; the next place is where
// the slope would be 0 if it grew evenly between them.
static bool can_be_nearer(const rl_part *part, rl_body_pose at, const rl_vec3 ends[2],
                          const rl_surface at_ends[2], double limit) {
  enum { PLACES = 8 };
  const rl_vec3 way = rl_sub(ends[1], ends[0]);
  double low = 0.0, high = 1.0, first = at_ends[0].distance, last = at_ends[1].distance;
  double falls = rl_dot(at_ends[0].normal, way), rises = rl_dot(at_ends[1].normal, way);
  for (int i = 0; i < PLACES && !(fmin(first, last) < limit); i++) {
    if (falls >= 0.0 || rises <= 0.0) {
      return false;
    }
    const double meet = (last - first + falls * low - rises * high) / (falls - rises);
    if (!(first + falls * (meet - low) < limit)) {
      return false;
    }
    const double s = low + (high - low) * falls / (falls - rises);
    const rl_surface surface = rl_shape_surface(part, at.centre, at.rotation, between(ends, s));
    const double slope = rl_dot(surface.normal, way);
    if (slope < 0.0) {
      low = s;
      first = surface.distance;
      falls = slope;
    } else {
      high = s;
      last = surface.distance;
      rises = slope;
    }
  }
  return true;
}

// An element after a step in which nothing has stopped it, beside a part.
typedef struct element {
  const rl_part *part;
  rl_body_pose at;
  double radius, fall; // of the rope; what gravity moves in the step, g dt^2/2 [m]
  bool is_idle;        // now its nodes touch before it does
  double fraction;     // its present place
  rl_surface plane;    // and the plane there, with the distance from it after the step
  bool is_held;        // this keeps it out, or would if it came nearer
  rl_vec3 ends[2];
} element;

// Returns the distance of its axis within which an element can touch [m].
static double near_to(const element *e) { return e->radius + 4.0 * e->fall; }

static element element_after(const rl_model *model, const rl_state *state,
                             const rl_contact *contact, double dt, const rl_foot *now) {
  const rl_part *part = &model->bodies[contact->body].parts[contact->part];
  element e = {.part = part,
               .at = rl_body_pose_at(model, state, state->points, contact->body),
               .radius = model->ropes[contact->rope].radius,
               .fall = 0.5 * dt * dt * rl_length(model->gravity),
               .is_idle = now->is_idle,
               .fraction = now->fraction,
               .ends = {place_after(model, state, contact->slot, contact->body, dt),
                        place_after(model, state, contact->next, contact->body, dt)}};
  const rl_vec3 arm = rl_sub(between(e.ends, e.fraction), e.at.centre);
  const rl_vec3 beyond = rl_sub(arm, rl_rotate(e.at.rotation, now->point));
  e.plane.normal = rl_rotate(e.at.rotation, now->normal);
  e.plane.distance = rl_dot(e.plane.normal, beyond);
  e.is_held = !e.is_idle && e.plane.distance < near_to(&e);
  return e;
}

// (5g) Moves the ends of an element out of the part as the rows of its nodes do, and both as that
// of the place where it touches does.
static void keep_out(element *e, const rl_surface at_ends[2]) {
  rl_vec3 moves[2];
  for (size_t i = 0; i < 2; i++) {
    const double depth = fmax(e->radius - at_ends[i].distance, 0.0);
    moves[i] = rl_scale(depth, at_ends[i].normal);
    e->ends[i] = rl_add(e->ends[i], moves[i]);
  }
  if (e->is_held) {
    const double moved = rl_dot(e->plane.normal, between(moves, e->fraction));
    const double depth = fmax(e->radius - e->plane.distance - moved, 0.0);
    for (size_t i = 0; i < 2; i++) {
      e->ends[i] = rl_add_scaled(e->ends[i], depth, e->plane.normal);
    }
  }
}

// Finds the place where an element gets into the part: the deepest one, but for an element that
// touches at one edge of a face and can lie down on it that at the other edge.
static bool find_place(element *e, bool pushed, double *s, rl_surface *surface) {
  const bool has_edges = is_edged(e->part);
  const double near = near_to(e);
  const double reach = has_edges && pushed ? INFINITY : near;
  rl_surface at_ends[2];
  find_surfaces(e->part, e->at, e->ends, at_ends);
  if ((!e->is_held && !can_be_nearer(e->part, e->at, e->ends, at_ends, reach)) ||
      rl_is_zero(rl_sub(at_ends[0].normal, at_ends[1].normal))) {
    return false;
  }
  const size_t nearer = at_ends[0].distance <= at_ends[1].distance ? 0 : 1;
  keep_out(e, at_ends);
  find_surfaces(e->part, e->at, e->ends, at_ends);
  const double least = fmin(at_ends[0].distance, at_ends[1].distance);
  const double limit = (e->is_held ? e->radius : e->is_idle ? fmin(near, least) : near) - e->fall;
  const bool turns = can_be_nearer(e->part, e->at, e->ends, at_ends, limit) &&
                     rl_element_between(e->part, e->at, e->ends, s, surface) &&
                     surface->distance < limit;
  const double place = e->is_idle ? (double)nearer : e->fraction;
  rl_surface plane = e->is_idle ? at_ends[nearer] : e->plane;
  double edge = place;
  if (has_edges && find_edge(e->part, e->at, e->ends, &edge, &plane) && plane.distance < reach &&
      !(turns && fabs(*s - place) > fabs(*s - edge))) {
    *s = edge;
    *surface = plane;
    return true;
  }
  return turns;
}

bool rl_element_comes(const rl_model *model, const rl_state *state, const rl_contact *contact,
                      double dt, bool pushed, const rl_foot *now, rl_foot *coming) {
  element e = element_after(model, state, contact, dt, now);
  rl_surface surface;
  double s;
  if (!find_place(&e, pushed, &s, &surface)) {
    return false;
  }
  const rl_vec3 place = between(e.ends, s);
  const rl_vec3 before[2] = {rl_node_position(model, state, contact->slot),
                             rl_node_position(model, state, contact->next)};
  const double moved = rl_dot(surface.normal, rl_sub(place, between(before, s)));
  const double depth = fmax(e.radius + moved - surface.distance, 0.0);
  *coming = rl_foot_at(surface, place, e.at, s);
  coming->point = rl_add_scaled(coming->point, -depth, coming->normal);
  return true;
}
