// SPDX-License-Identifier: GPL-3.0-or-later
#include "contacts.h"
#include "curvature.h"

#include "world/bodies/body_contact.h"
#include "world/paths/path_solid.h"

#include <string.h>

// (13) h over the time in which anything moves by the smallest length.
static const double displacement = 0.002;

// Of its length: distance beyond both ends up to which the place of an active element is looked
// for. It can be there at the end of an internal step in which it leaves the element.
static const double overhang = 1.0;

// Of its length: an element that is nearer than its ends by less than this round-off is not nearer.
static const double as_near = 1e-13;

// Sine of an angle: two lines with less between them are parallel, and an element that is turned by
// less beyond a face lies on it. At larger angles the crossing of two lines has 1e-16/1e-9 of
// round-off.
static const double parallel = 1e-9, flat = 1e-9;

// (16a) Sine of the angle between an element and a face up to which the other edge of the face is
// looked for; cosine of the angle between its normal and that of the face, which tells the face.
static const double nearly_flat = 0.1, same_face = 0.75;

// (16b) Of its length: an element that touches an edge nearer to its end touches it at the node.
static const double at_end = 1e-9;

// (17) Share of w, the distance from the middle of a part to its surface, to which a contact may
// get deep in an internal step, by its speed at the start.
static const double sure_share = 0.5;

static bool is_contact(const rl_row *row) { return row->kind == RL_ROW_CONTACT; }

static bool can_act(const rl_equations *e, const rl_row *row) {
  return is_contact(row) && (e->acts[row->source] || (e->is_choosing && e->is_taut[row->source]));
}

// A round surface at a contact: the distance from it is that from a point, or from a line along
// `axis`, less a radius.
typedef struct round_place {
  rl_vec3 centre; // of the point, or a point of the line [m]
  rl_vec3 axis;   // unit; 0: a point
  double radius;  // of the part there [m]
} round_place;

static rl_vec3 across(const round_place *round, rl_vec3 v) {
  return rl_add_scaled(v, -rl_dot(v, round->axis), round->axis);
}

// Finds the round surface of a ball, capsule or cylinder beside p. Returns false if there is none.
static bool find_round(const rl_part *part, rl_body_pose at, rl_vec3 p, round_place *round) {
  const rl_vec3 none = {0.0, 0.0, 0.0}, z = {0.0, 0.0, 1.0};
  const rl_vec3 centre = rl_add(at.centre, rl_rotate(at.rotation, part->at));
  const rl_vec3 axis = rl_rotate(at.rotation, rl_rotate(part->rotation, z));
  const double along = rl_dot(rl_sub(p, centre), axis), half = 0.5 * part->length;
  *round = (round_place){centre, none, part->radius};
  if (part->shape == RL_SPHERE) {
    return true;
  }
  if (part->shape == RL_CAPSULE && fabs(along) > half) {
    round->centre = rl_add_scaled(centre, along > 0.0 ? half : -half, axis);
    return true;
  }
  round->axis = axis;
  return (part->shape == RL_CAPSULE || part->shape == RL_CYLINDER) && fabs(along) < half &&
         rl_length(across(round, rl_sub(p, centre))) > 0.5 * part->radius;
}

// Finds the edge or corner of a box beside p. Returns false if p is beside a face.
static bool find_round_box(const rl_part *part, rl_body_pose at, rl_vec3 p, round_place *round) {
  const rl_path_solid solid = rl_path_solid_of(part, at.centre, at.rotation);
  const rl_vec3 q = rl_path_to_part(&solid, p), h = part->half;
  const rl_vec3 nearest = {fmin(fmax(q.x, -h.x), h.x), fmin(fmax(q.y, -h.y), h.y),
                           fmin(fmax(q.z, -h.z), h.z)};
  const rl_vec3 along = {q.x == nearest.x, q.y == nearest.y, q.z == nearest.z};
  *round = (round_place){rl_path_to_world(&solid, nearest),
                         rl_rotate(at.rotation, rl_rotate(part->rotation, along)), 0.0};
  return along.x + along.y + along.z < 2.0;
}

// Returns the fraction of an element at which its line is nearest to a round surface; NAN: none.
static double nearest_fraction(const rl_part *part, rl_body_pose at, rl_vec3 from, rl_vec3 way) {
  round_place round, there;
  double fraction = 0.5;
  for (int i = 0; i < 3; i++) { // of a capsule the first try may be at the wrong piece
    if (!find_round(part, at, rl_add_scaled(from, fraction, way), &round)) {
      return NAN;
    }
    const rl_vec3 w = across(&round, way), d = across(&round, rl_sub(from, round.centre));
    fraction = -rl_dot(d, w) / rl_dot(w, w);
    if (find_round(part, at, rl_add_scaled(from, fraction, way), &there) &&
        rl_distance(there.centre, round.centre) == 0.0 &&
        rl_is_zero(there.axis) == rl_is_zero(round.axis)) {
      return fraction;
    }
  }
  return NAN;
}

// Whether a contact is with a box or hull, whose edges elements touch.
static bool is_on_edge(const rl_equations *e, const rl_contact *contact) {
  return rl_is_polyhedron(e->model->bodies[contact->body].parts[contact->part].shape);
}

// (16c) Whether a contact is of a node of a rope without radius with a box or hull.
static bool is_on_face(const rl_equations *e, const rl_contact *contact) {
  return contact->rope != RL_NONE && contact->next == RL_NONE && is_on_edge(e, contact) &&
         e->model->ropes[contact->rope].radius == 0.0;
}

// An element in the frame of a part.
typedef struct piece {
  rl_vec3 from, way;
} piece;

static piece piece_in(const rl_path_solid *solid, rl_vec3 from, rl_vec3 way) {
  return (piece){rl_path_to_part(solid, from), rl_rotate_inverse(solid->rotation, way)};
}

// (16) The places at which the lines through an element and an edge of a box or hull are nearest.
typedef struct crossing {
  double fraction;    // of the element
  double place;       // (16d) of the element: where it is nearest to the edge or deepest below it
  rl_surface surface; // in the frame of the part: the plane along both, outward; the distance of
                      // the element from it
  double margin;      // rl_touched
  double turned;      // sine of the angle that its normal is within those of both faces
  double facing[2];   // cosine of that to the face of the edge, and of its twin
} crossing;

// (16d) Returns where a line through a point is as far from two faces with an edge in common that
// passes at d from the point: where it is deepest below the edge.
static double place_between(const rl_vec3 *faces, rl_vec3 d, rl_vec3 way) {
  const rl_vec3 across = rl_sub(faces[0], faces[1]);
  return rl_dot(across, d) / rl_dot(across, way);
}

// (16d) Whether no face is farther from the place of an element below an edge than those beside it.
static bool is_below(const rl_part *part, uint32_t edge, piece of, double place) {
  const rl_vec3 p = rl_add_scaled(of.from, place, of.way);
  const double depth = rl_path_face_distance(part, RL_FEATURE_FACE(edge), p);
  bool below = true;
  for (uint32_t face = 0; face < rl_path_face_count(part) && below; face++) {
    below = rl_path_face_distance(part, face, p) <= depth + as_near * rl_length(of.way);
  }
  return below;
}

// Finds these places; returns false if the lines are parallel. `within`: only between the ends of
// both.
static bool find_crossing(const rl_part *part, uint32_t edge, piece of, bool within, crossing *c) {
  rl_vec3 a, b;
  rl_path_edge_ends(part, edge, &a, &b);
  const rl_vec3 d = rl_sub(a, of.from), side = rl_sub(b, a);
  const rl_vec3 normal = rl_cross(side, of.way);
  const double square = rl_dot(normal, normal);
  const double along = rl_dot(rl_cross(of.way, d), normal) / square;
  c->fraction = rl_dot(rl_cross(side, d), normal) / square;
  const bool is_beside = along >= 0.0 && along <= 1.0;
  const uint32_t twin = is_beside || !within ? rl_path_edge_twin(part, edge) : RL_NONE;
  if (twin == RL_NONE || !(sqrt(square) > parallel * rl_length(side) * rl_length(of.way))) {
    return false;
  }
  const rl_vec3 faces[2] = {rl_path_face_normal(part, RL_FEATURE_FACE(edge)),
                            rl_path_face_normal(part, RL_FEATURE_FACE(twin))};
  const double outward = rl_dot(normal, rl_add(faces[0], faces[1]));
  const rl_vec3 n = rl_unit(rl_scale(outward < 0.0 ? -1.0 : 1.0, normal));
  const double first = rl_dot(n, faces[0]), second = rl_dot(n, faces[1]);
  const double angle = rl_dot(faces[0], faces[1]);
  c->surface = (rl_surface){-rl_dot(n, d), n};
  c->place = c->surface.distance < 0.0 ? place_between(faces, d, of.way) : c->fraction;
  c->margin = fmin(along, 1.0 - along);
  c->turned = fmin(first - angle * second, second - angle * first);
  c->facing[0] = first;
  c->facing[1] = second;
  return !within || (c->place > -at_end && c->place < 1.0 + at_end);
}

// Returns one of the two names of an edge, which has one on each of its faces.
static uint32_t edge_name(const rl_part *part, uint32_t edge) {
  const uint32_t twin = rl_path_edge_twin(part, edge);
  return twin < edge ? twin : edge;
}

// (16), (16d) Returns the edge that an element touches between its ends, that with the least C;
// RL_NONE: none.
static uint32_t find_edge(const rl_part *part, piece of) {
  double largest = -INFINITY;
  uint32_t found = RL_NONE;
  for (uint32_t face = 0; face < rl_path_face_count(part); face++) {
    for (uint32_t i = 0; i < rl_path_face_corners(part, face); i++) {
      crossing c;
      const uint32_t edge = RL_FEATURE_EDGE(face, i);
      if (find_crossing(part, edge, of, true, &c) && c.turned >= -flat &&
          c.surface.distance > largest &&
          (c.surface.distance >= 0.0 || is_below(part, edge, of, c.place))) {
        largest = c.surface.distance;
        found = edge_name(part, edge);
      }
    }
  }
  return found;
}

// (16a) Returns the other edge, the nearest, that an element touches once it lies on a face of this
// one; RL_NONE: none.
static uint32_t find_beside(const rl_part *part, uint32_t edge, piece of) {
  const uint32_t twin = rl_path_edge_twin(part, edge);
  const uint32_t faces[2] = {RL_FEATURE_FACE(edge), RL_FEATURE_FACE(twin)};
  double least = INFINITY;
  uint32_t found = RL_NONE;
  crossing first;
  if (!find_crossing(part, edge, of, false, &first)) {
    return RL_NONE;
  }
  for (int k = 0; k < 2; k++) {
    const uint32_t corners = rl_path_face_corners(part, faces[k]);
    for (uint32_t i = 0; i < corners && first.facing[k] > same_face; i++) {
      crossing c;
      const uint32_t beside = RL_FEATURE_EDGE(faces[k], i);
      if (beside != edge && beside != twin && find_crossing(part, beside, of, true, &c) &&
          c.turned > -nearly_flat && c.facing[0] > same_face && c.surface.distance < least) {
        least = c.surface.distance;
        found = edge_name(part, beside);
      }
    }
  }
  return found;
}

static rl_vec3 node_at(const rl_equations *e, uint32_t slot) {
  return rl_vertex_position(e->model, e->state, rl_node_vertex(e->model, slot), e->state->points);
}

static rl_surface surface_at(const rl_equations *e, const rl_contact *contact, rl_body_pose at,
                             rl_vec3 p) {
  return rl_contact_surface(e->model, contact, at, p);
}

static void set_foot(rl_foot *foot, rl_body_pose at, rl_vec3 p, rl_surface surface) {
  const rl_vec3 arm = rl_sub(rl_add_scaled(p, -surface.distance, surface.normal), at.centre);
  foot->point = rl_rotate_inverse(at.rotation, arm);
  foot->normal = rl_rotate_inverse(at.rotation, surface.normal);
}

// Whether a contact keeps the edge or face that it touches: it acts, or may come to act in a
// choice.
static bool stays(const rl_equations *e, const rl_row *row) {
  return e->acts[row->source] || e->is_taut[row->source];
}

// (16c) Finds the place of a node of a rope without radius on a box or hull: on the face that it is
// farthest beyond, which stays the same while the contact acts.
static void find_on_face(rl_equations *e, const rl_row *row, rl_foot *foot) {
  const rl_contact *contact = &e->state->contacts[row->item];
  const rl_part *part = &e->model->bodies[contact->body].parts[contact->part];
  const rl_body_pose at = rl_body_pose_at(e->model, e->state, e->state->points, contact->body);
  const rl_path_solid solid = rl_path_solid_of(part, at.centre, at.rotation);
  const rl_vec3 place = node_at(e, contact->slot), p = rl_path_to_part(&solid, place);
  rl_touched *touched = &e->touched[row->item];
  double largest = -INFINITY, beyond = -INFINITY;
  for (uint32_t face = 0; face < rl_path_face_count(part) && !stays(e, row); face++) {
    const double distance = rl_path_face_distance(part, face, p);
    touched->feature = distance > largest ? face : touched->feature;
    largest = fmax(largest, distance);
  }
  for (uint32_t face = 0; face < rl_path_face_count(part); face++) {
    beyond = face != touched->feature ? fmax(beyond, rl_path_face_distance(part, face, p)) : beyond;
  }
  const rl_vec3 normal = rl_path_face_normal(part, touched->feature);
  touched->margin = -beyond / e->model->reach;
  set_foot(foot, at, place,
           (rl_surface){rl_path_face_distance(part, touched->feature, p),
                        rl_rotate(at.rotation, rl_rotate(part->rotation, normal))});
}

// (16), (16a) Finds the place of an element on a box or hull: on an edge, which stays the same
// while the contact acts, or for a second contact on the edge beside it.
static void find_on_edge(rl_equations *e, const rl_row *row, rl_foot *foot) {
  const uint32_t item = row->item;
  const rl_contact *contact = &e->state->contacts[item];
  const rl_row *other = contact->second ? row - 1 : row + 1;
  const rl_part *part = &e->model->bodies[contact->body].parts[contact->part];
  const rl_body_pose at = rl_body_pose_at(e->model, e->state, e->state->points, contact->body);
  const rl_path_solid solid = rl_path_solid_of(part, at.centre, at.rotation);
  const rl_vec3 from = node_at(e, contact->slot);
  const rl_vec3 way = rl_sub(node_at(e, contact->next), from);
  const piece of = piece_in(&solid, from, way);
  rl_touched *touched = &e->touched[item];
  crossing c;
  if (!stays(e, row)) {
    const bool first = !contact->second && !stays(e, other);
    const uint32_t edge = first ? RL_NONE : e->touched[other->item].feature;
    touched->feature = first             ? find_edge(part, of)
                       : edge == RL_NONE ? RL_NONE
                                         : find_beside(part, edge, of);
  }
  foot->is_idle =
      touched->feature == RL_NONE || !find_crossing(part, touched->feature, of, false, &c);
  if (!foot->is_idle) {
    touched->margin = c.margin;
    touched->is_between = c.place > 0.0 && c.place < 1.0;
    foot->fraction = c.fraction;
    c.surface.normal = rl_rotate(solid.rotation, c.surface.normal);
    set_foot(foot, at, rl_add_scaled(from, c.fraction, way), c.surface);
  }
}

// (16b) Whether two elements meet at a node on an edge and the rope is bent round it.
static bool is_bent_round(const rl_equations *e, const rl_row *row, const rl_row *next) {
  const rl_contact *a = &e->state->contacts[row->item], *b = &e->state->contacts[next->item];
  const rl_foot *from = &e->rows->feet[row->item], *to = &e->rows->feet[next->item];
  if (a->rope != b->rope || a->body != b->body || a->part != b->part || a->next != b->slot ||
      from->is_idle || to->is_idle ||
      e->touched[row->item].feature != e->touched[next->item].feature) {
    return false;
  }
  const rl_body_pose at = rl_body_pose_at(e->model, e->state, e->state->points, a->body);
  const rl_vec3 way = rl_sub(node_at(e, b->next), node_at(e, b->slot));
  return fabs(1.0 - from->fraction) < at_end && fabs(to->fraction) < at_end &&
         rl_dot(rl_rotate(at.rotation, from->normal), way) < 0.0;
}

// Finds the place of an element on a round surface: of the line through it if it acts, also beyond
// its ends, which is smooth. An inactive one is idle if one of its ends is as near.
static void find_on_element(const rl_equations *e, const rl_contact *contact, bool acts,
                            rl_foot *foot) {
  const rl_part *part = &e->model->bodies[contact->body].parts[contact->part];
  const rl_body_pose at = rl_body_pose_at(e->model, e->state, e->state->points, contact->body);
  const rl_vec3 from = node_at(e, contact->slot), to = node_at(e, contact->next);
  const rl_vec3 way = rl_sub(to, from);
  const double over = acts ? overhang : 0.0;
  double fraction = nearest_fraction(part, at, from, way);
  rl_surface surface;
  foot->is_idle = !acts && !(fraction > 0.0 && fraction < 1.0);
  if (isnan(fraction)) {
    const double s = rl_shape_segment(part, at.centre, at.rotation, rl_add_scaled(from, -over, way),
                                      rl_add_scaled(to, over, way), &surface);
    const double ends =
        fmin(surface_at(e, contact, at, from).distance, surface_at(e, contact, at, to).distance);
    fraction = s * (1.0 + 2.0 * over) - over;
    foot->is_idle =
        !acts && (s <= 0.0 || s >= 1.0 || !(surface.distance < ends - as_near * rl_length(way)));
  } else {
    fraction = fmin(fmax(fraction, -over), 1.0 + over);
    surface = surface_at(e, contact, at, rl_add_scaled(from, fraction, way));
  }
  foot->fraction = fraction;
  set_foot(foot, at, rl_add_scaled(from, fraction, way), surface);
}

static bool is_of_element(const rl_equations *e, const rl_row *row) {
  const rl_contact *contact = &e->state->contacts[row->item];
  return is_contact(row) && !row->is_skipped && contact->rope != RL_NONE &&
         contact->next != RL_NONE && is_on_edge(e, contact);
}

// (16b) Makes the contact of the node between two elements idle: their rows stand for it.
static void rest_node(rl_equations *e, const rl_contact *element) {
  for (uint32_t k = e->rows->span_count; k < e->rows->row_count; k++) {
    const rl_row *row = &e->rows->rows[k];
    const rl_contact *c = &e->state->contacts[row->item];
    if (is_contact(row) && !stays(e, row) && c->rope == element->rope && c->next == RL_NONE &&
        c->slot == element->next && c->body == element->body && c->part == element->part) {
      e->rows->feet[row->item].is_idle = true;
    }
  }
}

// (16b) Joins elements that touch an edge at the node between them, round which the rope is bent;
// other elements touch only between their ends.
static void find_at_nodes(rl_equations *e) {
  const uint32_t first = e->rows->span_count, end = e->rows->row_count;
  for (uint32_t k = first; k < end; k++) {
    const rl_row *row = &e->rows->rows[k];
    const rl_foot *foot = &e->rows->feet[row->item];
    if (!is_of_element(e, row) || !(foot->fraction > 1.0 - at_end) ||
        (foot->is_idle && !stays(e, row))) {
      continue;
    }
    for (uint32_t n = first; n < end; n++) {
      const rl_row *next = &e->rows->rows[n];
      const bool both_act = stays(e, row) && stays(e, next) && e->touched[row->item].beside == n;
      if (is_of_element(e, next) && (both_act || is_bent_round(e, row, next))) {
        e->touched[row->item].beside = n;
        e->touched[next->item].beside = k;
        rest_node(e, &e->state->contacts[row->item]);
      }
    }
  }
  for (uint32_t k = first; k < end; k++) {
    const rl_row *row = &e->rows->rows[k];
    rl_foot *foot = &e->rows->feet[row->item];
    if (is_of_element(e, row) && !stays(e, row) && e->touched[row->item].beside == RL_NONE) {
      foot->is_idle = foot->is_idle || !e->touched[row->item].is_between;
    }
  }
}

void rl_contacts_find(rl_equations *e) {
  if (e->model->contact_capacity == 0) {
    return;
  }
  rl_detect_bodies_again(e->model, e->state, e->rows);
  for (uint32_t k = e->rows->span_count; k < e->rows->row_count; k++) {
    rl_row *row = &e->rows->rows[k];
    const rl_contact *contact = is_contact(row) ? &e->state->contacts[row->item] : NULL;
    row->is_skipped = contact && e->is_between && !can_act(e, row);
    if (contact && !stays(e, row)) {
      e->touched[row->item].beside = RL_NONE;
    }
    if (!contact || contact->rope == RL_NONE || row->is_skipped) {
      continue;
    }
    rl_foot *foot = &e->rows->feet[row->item];
    row->is_laid = false;
    if (contact->next == RL_NONE) {
      const rl_body_pose at = rl_body_pose_at(e->model, e->state, e->state->points, contact->body);
      const rl_vec3 p = node_at(e, contact->slot);
      foot->is_idle = false;
      if (is_on_face(e, contact)) {
        find_on_face(e, row, foot);
      } else {
        set_foot(foot, at, p, surface_at(e, contact, at, p));
      }
    } else {
      if (is_on_edge(e, contact)) {
        find_on_edge(e, row, foot);
      } else {
        find_on_element(e, contact, stays(e, row), foot);
      }
    }
  }
  find_at_nodes(e);
}

// Returns the radius of the ball inside the thinnest part of a body [m].
static double body_inner(const rl_body *body) {
  double inner = INFINITY;
  for (uint32_t i = 0; i < body->part_count; i++) {
    inner = fmin(inner, body->parts[i].inner);
  }
  return inner;
}

double rl_contacts_longest(const rl_equations *e, double h) {
  for (uint32_t k = e->rows->span_count; k < e->rows->row_count; k++) {
    const rl_row *row = &e->rows->rows[k];
    const rl_gauge gauge = e->gauges[row->source];
    if (!is_contact(row) || e->acts[row->source] || !(gauge.depth <= 0.0) ||
        !(gauge.depth + h * gauge.rate > 0.0)) {
      continue;
    }
    const rl_contact *contact = &e->state->contacts[row->item];
    const rl_body *body = &e->model->bodies[contact->body];
    const double inner =
        contact->rope == RL_NONE
            ? fmin(body_inner(body), body_inner(rl_slot_body(e->model, contact->slot)))
            : body->parts[contact->part].inner;
    h = fmin(h, (sure_share * inner / e->model->reach - gauge.depth) / gauge.rate);
  }
  return h;
}

// ---------------------------------------------------------------------------------------------
// (13) Curvature

// Returns about the length over which the direction of a contact changes [m]: the smallest of the
// radii and the element.
static double size_of(const rl_equations *e, const rl_row *row) {
  const rl_contact *contact = &e->state->contacts[row->item];
  if (contact->rope == RL_NONE) {
    const rl_body *bodies[2] = {rl_slot_body(e->model, contact->slot),
                                &e->model->bodies[contact->body]};
    const double size = fmin(bodies[0]->bound, bodies[1]->bound);
    return isfinite(size) && size > 0.0 ? size : e->model->reach;
  }
  const rl_part *part = &e->model->bodies[contact->body].parts[contact->part];
  double size = e->model->reach;
  if (contact->next != RL_NONE) {
    size = rl_distance(rl_position(&e->state->points[contact->slot]),
                       rl_position(&e->state->points[contact->next]));
  }
  const double radius = part->radius + e->model->ropes[contact->rope].radius;
  return radius > 0.0 ? fmin(size, radius) : size;
}

// (12a) Returns the curvature of an element on an edge, at any distance from it.
static double edge_curvature(const rl_equations *e, const rl_row *row, rl_body_pose at, rl_vec3 p,
                             rl_vec3 way, rl_vec3 speed, rl_vec3 parting) {
  const rl_contact *contact = &e->state->contacts[row->item];
  const rl_part *part = &e->model->bodies[contact->body].parts[contact->part];
  const rl_path_solid solid = rl_path_solid_of(part, at.centre, at.rotation);
  rl_vec3 a, b;
  rl_path_edge_ends(part, e->touched[row->item].feature, &a, &b);
  const rl_vec3 start = rl_path_to_world(&solid, a);
  const rl_vec3 n = rl_rotate(at.rotation, e->rows->feet[row->item].normal);
  const rl_vec3 t = rl_unit(rl_cross(rl_sub(rl_path_to_world(&solid, b), start), n));
  const double turn = rl_dot(n, parting) / rl_dot(way, t);
  return turn * (2.0 * rl_dot(speed, t) + turn * rl_dot(n, rl_sub(p, start)));
}

// (12), (12b) Finds the curvature of a rope on a round surface, and that of its slide. With x the
// place relative to the point or line of the surface, which moves with its body, l and w the
// vectors between the ends of the element and between their velocities, and s the fraction,
//   d2C/dt2 = -D_tt + D_ts^2/D_ss,    D the distance,    s' = -D_ts/D_ss,
// and the slide v - V - omega x (p - c) changes by s' w - omega x (dp/dt - V) - D_t dn/dt.
static bool round_curvature(const rl_equations *e, const rl_contact *contact, double fraction,
                            const round_place *round, rl_body_pose at, double *curvature,
                            rl_vec3 *slide) {
  const rl_vec3 *v = e->state->velocities;
  const uint32_t next = contact->next != RL_NONE ? contact->next : contact->slot;
  const rl_vec3 from = node_at(e, contact->slot), way = rl_sub(node_at(e, next), from);
  const rl_vec3 parting = rl_sub(v[next], v[contact->slot]);
  const rl_vec3 p = rl_add_scaled(from, fraction, way);
  const rl_vec3 speed = rl_add_scaled(v[contact->slot], fraction, parting);
  const rl_vec3 body = v[rl_body_slot(e->model, contact->body)];
  const rl_vec3 spin = rl_body_spin(e->model, e->state, contact->body);
  const rl_vec3 arm = rl_cross(spin, rl_sub(round->centre, at.centre));
  const rl_vec3 turn = rl_cross(spin, round->axis), turned = rl_cross(spin, turn);
  const rl_vec3 x = rl_sub(p, round->centre), rate = rl_sub(speed, rl_add(body, arm));
  const double along = rl_dot(x, round->axis);
  const double distance = rl_length(across(round, x));
  const rl_vec3 n = rl_scale(1.0 / distance, across(round, x));
  const rl_vec3 g = rl_add_scaled(rate, -along, turn);
  const double sliding = rl_dot(rate, round->axis) + rl_dot(x, turn), parts = rl_dot(n, g);
  rl_vec3 normal_rate =
      rl_scale(1.0 / distance, rl_add_scaled(rl_add_scaled(g, -sliding, round->axis), -parts, n));
  const rl_vec3 g_rate = rl_add_scaled(
      rl_add_scaled(rl_scale(-1.0, rl_cross(spin, arm)), -sliding, turn), -along, turned);
  double fraction_rate = 0.0;
  *curvature = -rl_dot(normal_rate, g) - rl_dot(n, g_rate);
  if (contact->next != RL_NONE) {
    const rl_vec3 tangent = across(round, rl_add_scaled(way, -rl_dot(way, n), n));
    const double square = rl_dot(tangent, tangent);
    const double mixed = rl_dot(normal_rate, way) + rl_dot(n, parting);
    if (!(square > 0.0)) {
      return false;
    }
    fraction_rate = -mixed * distance / square;
    *curvature -= mixed * fraction_rate;
    normal_rate = rl_add_scaled(normal_rate, fraction_rate / distance, tangent);
  }
  const rl_vec3 relative = rl_add_scaled(rl_sub(speed, body), fraction_rate, way);
  *slide = rl_sub(rl_cross(spin, relative), rl_scale(fraction_rate, parting));
  *slide = rl_add_scaled(*slide, parts, normal_rate);
  return true;
}

// Finds (dJ/dt) v of a contact with a closed form, and that of its slide; both are 0 on a face that
// does not turn. Returns false if there is no closed form, `slides`: for the slide too.
static bool known_curvature(const rl_equations *e, const rl_row *row, bool slides,
                            double *curvature, rl_vec3 *slide) {
  const rl_contact *contact = &e->state->contacts[row->item];
  if (contact->rope == RL_NONE || rl_node_vertex(e->model, contact->slot).slot != contact->slot ||
      (contact->next != RL_NONE && rl_node_vertex(e->model, contact->next).slot != contact->next)) {
    return false;
  }
  const rl_vec3 none = {0.0, 0.0, 0.0}, *v = e->state->velocities;
  const bool turns = !rl_is_zero(rl_body_spin(e->model, e->state, contact->body));
  const double fraction = e->rows->feet[row->item].fraction;
  const uint32_t next = contact->next != RL_NONE ? contact->next : contact->slot;
  const rl_vec3 from = node_at(e, contact->slot), way = rl_sub(node_at(e, next), from);
  const rl_vec3 p = rl_add_scaled(from, fraction, way);
  const rl_body_pose at = rl_body_pose_at(e->model, e->state, e->state->points, contact->body);
  const rl_part *part = &e->model->bodies[contact->body].parts[contact->part];
  *slide = none;
  if (contact->next != RL_NONE && is_on_edge(e, contact)) {
    const rl_vec3 parting = rl_sub(v[next], v[contact->slot]);
    const rl_vec3 speed = rl_sub(rl_add_scaled(v[contact->slot], fraction, parting),
                                 v[rl_body_slot(e->model, contact->body)]);
    *curvature = turns ? 0.0 : edge_curvature(e, row, at, p, way, speed, parting);
    return !turns && !slides;
  }
  round_place round;
  const bool on_face = is_on_face(e, contact);
  const bool is_round = !on_face && (part->shape == RL_BOX ? find_round_box(part, at, p, &round)
                                                           : find_round(part, at, p, &round));
  if (on_face || (!is_round && (part->shape == RL_BOX || part->shape == RL_PLANE))) {
    *curvature = 0.0;
    return !turns && contact->next == RL_NONE;
  }
  // A node without a radius does not go round an edge.
  return is_round && round.radius + e->model->ropes[contact->rope].radius > 0.0 &&
         round_curvature(e, contact, fraction, &round, at, curvature, slide);
}

// (13) Adds the rates of a contact and its tangents at a displacement, times their weight, to the
// curvatures.
static void add_rates(rl_equations *e, rl_row *row, uint32_t tangent, double share) {
  rl_row_evaluate(e->model, e->state, e->rows, row, e->state->points);
  e->curvatures[row->source] += share * rl_row_rate(e->rows, row, e->state->velocities);
  e->evaluations++;
  if (tangent != RL_NONE) {
    rl_vec3 *curvature = &e->rubbing[tangent].curvature;
    const rl_vec3 slide = rl_contact_slide(e->rows, row, e->state->velocities);
    *curvature = rl_add_scaled(*curvature, -share, slide);
  }
}

// (13) Does so for all contacts without a closed form.
static void add_all_rates(rl_equations *e, double share) {
  uint32_t tangent = 0;
  for (uint32_t k = e->rows->span_count; k < e->rows->row_count; k++) {
    rl_row *row = &e->rows->rows[k];
    const bool rubs = is_contact(row) && row->friction > 0.0;
    if (can_act(e, row) && e->differs[row->item]) {
      add_rates(e, row, rubs ? tangent : RL_NONE, share);
    }
    tangent += rubs ? 1 : 0;
  }
}

// Finds the contacts that need differences, (13), and sets the curvatures of the others; returns
// the time in which one of the former moves by its size [s].
static double find_differing(rl_equations *e) {
  double time = INFINITY;
  uint32_t tangent = 0;
  for (uint32_t k = e->rows->span_count; k < e->rows->row_count; k++) {
    rl_row *row = &e->rows->rows[k];
    const bool rubs = is_contact(row) && row->friction > 0.0;
    if (is_contact(row)) {
      const bool may_stick =
          rubs && (e->is_choosing || e->rubbing[tangent].kind != RL_CONTACT_SLIPS);
      const double speed = can_act(e, row) ? rl_row_speed(e, row) : 0.0;
      double curvature = 0.0;
      rl_vec3 slide = {0.0, 0.0, 0.0};
      const bool moves = speed > rl_no_speed * e->speed;
      const bool known = moves && known_curvature(e, row, may_stick, &curvature, &slide);
      e->differs[row->item] = moves && !known;
      e->curvatures[row->source] = known ? curvature : 0.0;
      if (rubs && known) {
        e->rubbing[tangent].curvature = slide;
      }
      time = e->differs[row->item] ? fmin(time, size_of(e, row) / speed) : time;
    }
    tangent += rubs ? 1 : 0;
  }
  return time;
}

void rl_contacts_curve(rl_equations *e) {
  const rl_direct *d = &e->lcp.direct;
  rl_contacts_find(e);
  for (uint32_t k = 0; k < d->tangents_count; k++) {
    e->rubbing[k].curvature = (rl_vec3){0.0, 0.0, 0.0};
  }
  const double time = find_differing(e), h = displacement * time;
  const uint32_t slots = e->model->slot_count;
  const bool between = e->is_between;
  memcpy(e->earlier, e->state->points, slots * sizeof *e->earlier);
  e->is_between = true;
  for (int k = -4; k <= 4 && time < INFINITY; k++) {
    if (k != 0) {
      rl_displace(e, e->earlier, k * h, e->state->points);
      rl_contacts_find(e);
      add_all_rates(e, rl_difference_share(k) / h);
    }
  }
  e->is_between = between;
  if (time < INFINITY) {
    memcpy(e->state->points, e->earlier, slots * sizeof *e->earlier);
    rl_contacts_find(e);
  }
}

// Returns the gauge of an active contact: how far its place is beyond the element, edge or face.
static double foot_event(const rl_equations *e, const rl_row *row) {
  const rl_contact *contact = &e->state->contacts[row->item];
  const double fraction = e->rows->feet[row->item].fraction;
  if (contact->rope == RL_NONE || contact->next == RL_NONE) {
    return is_on_face(e, contact) ? -e->touched[row->item].margin : -1.0;
  }
  if (!is_on_edge(e, contact)) {
    return -fmin(fraction, 1.0 - fraction);
  }
  const rl_touched *touched = &e->touched[row->item];
  const bool is_held = touched->beside != RL_NONE && e->acts[e->rows->rows[touched->beside].source];
  return -fmin(touched->margin, is_held ? INFINITY : fmin(fraction, 1.0 - fraction));
}

void rl_contacts_gauge(rl_equations *e) {
  for (uint32_t k = e->rows->span_count; k < e->rows->row_count; k++) {
    const rl_row *row = &e->rows->rows[k];
    if (is_contact(row) && e->acts[row->source]) {
      rl_gauge_raise(&e->gauges[row->source], foot_event(e, row));
    }
  }
}

void rl_contacts_bounce(rl_equations *e, double slowest, double *bias) {
  for (uint32_t k = e->rows->span_count; k < e->rows->row_count; k++) {
    const rl_row *row = &e->rows->rows[k];
    if (is_contact(row) && e->state->contacts[row->item].rope == RL_NONE) {
      const double rate = e->lcp.rates[row->source];
      const double e_pair = e->model->pairs[e->state->contacts[row->item].node].restitution;
      bias[row->source] = e->is_taut[row->source] && rate > slowest ? e_pair * rate : 0.0;
    }
  }
}
