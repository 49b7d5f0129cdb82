// SPDX-License-Identifier: GPL-3.0-or-later
// Finds all routes of a rope round a box or a hull by unfolding: every row of edges that is visible
// from the first point, turned edge by edge into one plane. papers/path.md, (11).
#include "path_rules.h"

typedef struct plane_point {
  double x, y;
} plane_point;

// An edge of the row, in the part's frame and unfolded.
typedef struct row_edge {
  uint32_t edge, to;     // `to`: the face behind the edge
  rl_vec3 a, b;          // its ends, part frame [m]
  double length;         // [m]
  plane_point at, along; // unfolded: the first end, and the unit vector along the edge
  plane_point across;    // unfolded: the unit vector into the face behind the edge
} row_edge;

typedef struct unfolding {
  const rl_path_solid *solid;
  rl_vec3 p, q;        // in the part's frame
  plane_point origin;  // p unfolded
  row_edge *row;       // [RL_PATH_MOST_EDGES]
  rl_path_route route; // passed to `visit`
  rl_path_visit visit;
  void *data;
} unfolding;

static double height(const unfolding *u, uint32_t face, rl_vec3 p) {
  const rl_part *part = u->solid->part;
  return rl_dot(rl_path_face_normal(part, face), p) - rl_path_face_offset(part, face);
}

static double cross(plane_point a, plane_point b) { return a.x * b.y - a.y * b.x; }

static plane_point less(plane_point a, plane_point b) {
  return (plane_point){a.x - b.x, a.y - b.y};
}

// Reads an edge; returns false if rounding has left it without a second face.
static bool read_edge(const unfolding *u, uint32_t edge, row_edge *e) {
  const uint32_t twin = rl_path_edge_twin(u->solid->part, edge);
  e->edge = edge;
  e->to = twin == RL_NONE ? RL_NONE : RL_FEATURE_FACE(twin);
  rl_path_edge_ends(u->solid->part, edge, &e->a, &e->b);
  e->length = rl_distance(e->a, e->b);
  return twin != RL_NONE;
}

// Returns a point of the face behind an edge, unfolded into the plane.
static plane_point unfold(const row_edge *e, rl_vec3 p) {
  const rl_vec3 way = rl_scale(1.0 / e->length, rl_sub(e->b, e->a)), off = rl_sub(p, e->a);
  const double along = rl_dot(off, way), across = rl_length(rl_add_scaled(off, -along, way));
  return (plane_point){e->at.x + along * e->along.x + across * e->across.x,
                       e->at.y + along * e->along.y + across * e->across.y};
}

// Returns where the straight line from the origin to a point of the plane crosses an edge, as a
// share of its length.
static double crossing(const unfolding *u, const row_edge *e, plane_point to) {
  const plane_point way = less(to, u->origin);
  return cross(less(u->origin, e->at), way) / cross(e->along, way) / e->length;
}

// Whether the rope presses on each edge of the row; computes length and turning of the route.
static bool measure(unfolding *u, uint32_t count) {
  const rl_part *part = u->solid->part;
  rl_vec3 last = u->p, turning = {0.0, 0.0, 0.0};
  double length = 0.0;
  for (uint32_t k = 0; k < count; k++) {
    const row_edge *e = &u->row[k];
    const rl_vec3 at = rl_add_scaled(e->a, u->route.along[k] / e->length, rl_sub(e->b, e->a));
    const row_edge *n = &u->row[k + 1];
    const rl_vec3 next =
        k + 1 < count ? rl_add_scaled(n->a, u->route.along[k + 1] / n->length, rl_sub(n->b, n->a))
                      : u->q;
    const rl_vec3 in = rl_unit(rl_sub(at, last)), out = rl_unit(rl_sub(next, at));
    const rl_vec3 outward = rl_add(rl_path_face_normal(part, RL_FEATURE_FACE(e->edge)),
                                   rl_path_face_normal(part, e->to));
    if (rl_dot(rl_sub(in, out), outward) <= 0.0) {
      return false;
    }
    length += rl_distance(last, at);
    turning = rl_add(turning, rl_cross(in, out));
    last = at;
  }
  u->route.length = length + rl_distance(last, u->q);
  u->route.turning = rl_rotate(u->solid->rotation, turning);
  return true;
}

// (11) Visits the route over the edges of the row straight to q, if q is above the face behind the
// last edge and not above the one before, each edge is crossed between its ends, and the rope
// presses on each.
static void end_row(unfolding *u, uint32_t count) {
  const row_edge *last = &u->row[count - 1];
  if (height(u, RL_FEATURE_FACE(last->edge), u->q) > 0.0 || height(u, last->to, u->q) < 0.0) {
    return;
  }
  const plane_point end = unfold(last, u->q);
  for (uint32_t k = 0; k < count; k++) {
    const double share = crossing(u, &u->row[k], end);
    if (!(share > 0.0 && share < 1.0)) {
      return;
    }
    u->route.edges[k] = u->row[k].edge;
    u->route.along[k] = share * u->row[k].length;
  }
  if (measure(u, count)) {
    u->route.count = count;
    u->visit(&u->route, u->data);
  }
}

static bool is_passed(const unfolding *u, uint32_t count, uint32_t face) {
  bool passed = false;
  for (uint32_t k = 0; k < count; k++) {
    passed = passed || u->row[k].to == face;
  }
  return passed;
}

// Ends the row here, and extends it over each edge of the last face that is visible between two
// directions in the plane.
static void extend(unfolding *u, uint32_t count, plane_point right, plane_point left) {
  const rl_part *part = u->solid->part;
  end_row(u, count);
  const row_edge *last = &u->row[count - 1];
  const plane_point middle = {last->at.x + 0.5 * last->length * last->along.x,
                              last->at.y + 0.5 * last->length * last->along.y};
  row_edge *e = &u->row[count];
  for (uint32_t i = 0; i < rl_path_face_corners(part, last->to); i++) {
    if (count == RL_PATH_MOST_EDGES || !read_edge(u, RL_FEATURE_EDGE(last->to, i), e) ||
        e->to == RL_FEATURE_FACE(last->edge)) {
      continue;
    }
    e->at = unfold(last, e->a);
    const plane_point b = unfold(last, e->b);
    e->along = (plane_point){(b.x - e->at.x) / e->length, (b.y - e->at.y) / e->length};
    const double away = cross(e->along, less(middle, e->at)) > 0.0 ? 1.0 : -1.0;
    e->across = (plane_point){away * e->along.y, -away * e->along.x};
    const plane_point ends[2] = {less(e->at, u->origin), less(b, u->origin)};
    const int first = cross(ends[0], ends[1]) < 0.0 ? 1 : 0;
    const plane_point low = cross(right, ends[first]) > 0.0 ? ends[first] : right;
    const plane_point high = cross(ends[1 - first], left) > 0.0 ? ends[1 - first] : left;
    if (cross(low, high) > 0.0 && is_passed(u, count, e->to)) {
      end_row(u, count + 1); // may leave from this edge, but not cross its face again
    } else if (cross(low, high) > 0.0) {
      extend(u, count + 1, low, high);
    }
  }
}

void rl_path_find_routes(const rl_path_solid *solid, rl_vec3 from, rl_vec3 to, rl_path_visit visit,
                         void *data) {
  row_edge row[RL_PATH_MOST_EDGES + 1];
  unfolding u = {.solid = solid,
                 .p = rl_path_to_part(solid, from),
                 .q = rl_path_to_part(solid, to),
                 .row = row,
                 .visit = visit,
                 .data = data};
  for (uint32_t face = 0; face < rl_path_face_count(solid->part); face++) {
    for (uint32_t i = 0; i < rl_path_face_corners(solid->part, face); i++) {
      if (!read_edge(&u, RL_FEATURE_EDGE(face, i), row) || height(&u, face, u.p) < 0.0 ||
          height(&u, row->to, u.p) > 0.0) {
        continue;
      }
      row->at = (plane_point){0.0, 0.0};
      row->along = (plane_point){1.0, 0.0};
      row->across = (plane_point){0.0, -1.0}; // p is before the edge
      u.origin = unfold(row, u.p);
      row->across.y = 1.0;
      extend(&u, 1, less((plane_point){row->length, 0.0}, u.origin),
             less((plane_point){0.0, 0.0}, u.origin));
    }
  }
}
