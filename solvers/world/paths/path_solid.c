// SPDX-License-Identifier: GPL-3.0-or-later
#include "path_solid.h"

rl_path_solid rl_path_solid_of(const rl_part *part, rl_vec3 position, rl_quat rotation) {
  return (rl_path_solid){part, rl_add(position, rl_rotate(rotation, part->at)),
                         rl_quat_product(rotation, part->rotation), false};
}

rl_vec3 rl_path_to_world(const rl_path_solid *solid, rl_vec3 p) {
  return rl_add(solid->at, rl_rotate(solid->rotation, p));
}

rl_vec3 rl_path_to_part(const rl_path_solid *solid, rl_vec3 p) {
  return rl_rotate_inverse(solid->rotation, rl_sub(p, solid->at));
}

// ---------------------------------------------------------------------------------------------
// Faces. Corner c of a box has the positive coordinate where its bit is set (1: x, 2: y, 4: z).

static const uint8_t box_corners[6][4] = {{1, 3, 7, 5}, {0, 4, 6, 2}, {2, 6, 7, 3},
                                          {0, 1, 5, 4}, {4, 5, 7, 6}, {0, 2, 3, 1}};
static const uint32_t box_twins[6][4] = {
    {RL_FEATURE_EDGE(5, 2), RL_FEATURE_EDGE(2, 2), RL_FEATURE_EDGE(4, 1), RL_FEATURE_EDGE(3, 1)},
    {RL_FEATURE_EDGE(3, 3), RL_FEATURE_EDGE(4, 3), RL_FEATURE_EDGE(2, 0), RL_FEATURE_EDGE(5, 0)},
    {RL_FEATURE_EDGE(1, 2), RL_FEATURE_EDGE(4, 2), RL_FEATURE_EDGE(0, 1), RL_FEATURE_EDGE(5, 1)},
    {RL_FEATURE_EDGE(5, 3), RL_FEATURE_EDGE(0, 3), RL_FEATURE_EDGE(4, 0), RL_FEATURE_EDGE(1, 0)},
    {RL_FEATURE_EDGE(3, 2), RL_FEATURE_EDGE(0, 2), RL_FEATURE_EDGE(2, 1), RL_FEATURE_EDGE(1, 1)},
    {RL_FEATURE_EDGE(1, 3), RL_FEATURE_EDGE(2, 3), RL_FEATURE_EDGE(0, 0), RL_FEATURE_EDGE(3, 0)}};

uint32_t rl_path_face_count(const rl_part *part) {
  return part->shape == RL_BOX ? 6 : part->face_count;
}

rl_vec3 rl_path_face_normal(const rl_part *part, uint32_t face) {
  if (part->shape != RL_BOX) {
    return part->faces[face].normal;
  }
  const double sign = face % 2 == 0 ? 1.0 : -1.0;
  return rl_vec(face / 2 == 0 ? sign : 0.0, face / 2 == 1 ? sign : 0.0, face / 2 == 2 ? sign : 0.0);
}

double rl_path_face_offset(const rl_part *part, uint32_t face) {
  if (part->shape != RL_BOX) {
    return part->faces[face].offset;
  }
  return face / 2 == 0 ? part->half.x : face / 2 == 1 ? part->half.y : part->half.z;
}

uint32_t rl_path_face_corners(const rl_part *part, uint32_t face) {
  return part->shape == RL_BOX ? 4 : part->faces[face].corner_count;
}

// Returns the index of the point of the part at a corner of a face.
static uint32_t corner_point(const rl_part *part, uint32_t face, uint32_t corner) {
  return part->shape == RL_BOX ? box_corners[face][corner]
                               : part->corners[part->faces[face].first_corner + corner];
}

static rl_vec3 point_at(const rl_part *part, uint32_t point) {
  if (part->shape != RL_BOX) {
    return part->points[point];
  }
  return rl_vec(point & 1U ? part->half.x : -part->half.x,
                point & 2U ? part->half.y : -part->half.y,
                point & 4U ? part->half.z : -part->half.z);
}

uint32_t rl_path_edge_before(const rl_part *part, uint32_t edge) {
  const uint32_t face = RL_FEATURE_FACE(edge), corner = RL_FEATURE_CORNER(edge);
  return RL_FEATURE_EDGE(face, corner > 0 ? corner - 1 : rl_path_face_corners(part, face) - 1);
}

uint32_t rl_path_edge_after(const rl_part *part, uint32_t edge) {
  const uint32_t face = RL_FEATURE_FACE(edge), corner = RL_FEATURE_CORNER(edge) + 1;
  return RL_FEATURE_EDGE(face, corner < rl_path_face_corners(part, face) ? corner : 0);
}

static uint32_t first_point(const rl_part *part, uint32_t edge) {
  return corner_point(part, RL_FEATURE_FACE(edge), RL_FEATURE_CORNER(edge));
}

void rl_path_edge_ends(const rl_part *part, uint32_t edge, rl_vec3 *a, rl_vec3 *b) {
  *a = point_at(part, first_point(part, edge));
  *b = point_at(part, first_point(part, rl_path_edge_after(part, edge)));
}

uint32_t rl_path_edge_twin(const rl_part *part, uint32_t edge) {
  const uint32_t face = RL_FEATURE_FACE(edge), corner = RL_FEATURE_CORNER(edge);
  return part->shape == RL_BOX ? box_twins[face][corner]
                               : part->twins[part->faces[face].first_corner + corner];
}

// ---------------------------------------------------------------------------------------------

static rl_vec3 end_centre(const rl_part *part, uint32_t end) {
  return rl_vec(0.0, 0.0, end == 0 ? -0.5 * part->length : 0.5 * part->length);
}

static void place_edge(rl_path_item *item, const rl_path_solid *solid) {
  rl_vec3 a, b;
  rl_path_edge_ends(solid->part, item->feature, &a, &b);
  const rl_vec3 way = rl_sub(b, a);
  item->kind = RL_PATH_LINE;
  item->length = rl_length(way);
  item->at = rl_path_to_world(solid, a);
  item->axis = rl_rotate(solid->rotation, rl_scale(1.0 / item->length, way));
}

void rl_path_place(rl_path_item *item, const rl_path_solid *solid) {
  const rl_part *part = solid->part;
  if (rl_is_polyhedron(part->shape)) {
    place_edge(item, solid);
    return;
  }
  item->radius = part->radius;
  item->axis = rl_rotate(solid->rotation, rl_vec(0.0, 0.0, 1.0));
  item->reference = rl_rotate(solid->rotation, rl_vec(1.0, 0.0, 0.0));
  item->at = solid->at;
  if (item->feature >= RL_FEATURE_SEAM) {
    item->kind = RL_PATH_CIRCLE;
    item->at = rl_path_to_world(solid, end_centre(part, item->feature - RL_FEATURE_SEAM));
  } else if (item->feature >= RL_FEATURE_CAP) {
    item->kind = RL_PATH_SPHERE;
    item->at = rl_path_to_world(solid, end_centre(part, item->feature - RL_FEATURE_CAP));
  } else if (item->feature >= RL_FEATURE_RIM) {
    item->kind = RL_PATH_CIRCLE;
    item->at = rl_path_to_world(solid, end_centre(part, item->feature - RL_FEATURE_RIM));
  } else {
    item->kind = part->shape == RL_SPHERE ? RL_PATH_SPHERE : RL_PATH_CYLINDER;
  }
}

// ---------------------------------------------------------------------------------------------
// Straight pieces through parts

// The interval of a straight line that is left after clipping with half-spaces, and the faces at
// its ends.
typedef struct stretch {
  double low, high;
  uint32_t in, out;
} stretch;

// Clips to the points behind a plane: height + s rate <= 0.
static void keep_behind(stretch *s, double height, double rate, uint32_t face) {
  if (rate == 0.0) {
    s->high = height > 0.0 ? -INFINITY : s->high;
    return;
  }
  const double at = -height / rate;
  if (rate > 0.0 && at < s->high) {
    s->high = at;
    s->out = face;
  } else if (rate < 0.0 && at > s->low) {
    s->low = at;
    s->in = face;
  }
}

static bool cuts_faces(const rl_part *part, rl_vec3 p, rl_vec3 way, double depth, stretch *s,
                       rl_vec3 *outward) {
  const uint32_t count = rl_path_face_count(part);
  for (uint32_t face = 0; face < count; face++) {
    const rl_vec3 normal = rl_path_face_normal(part, face);
    const double height = rl_dot(normal, p) - rl_path_face_offset(part, face) + depth;
    keep_behind(s, height, rl_dot(normal, way), face);
    if (!(s->low < s->high)) {
      return false;
    }
  }
  const rl_vec3 middle = rl_add_scaled(p, 0.5 * (s->low + s->high), way);
  double nearest = -INFINITY;
  for (uint32_t face = 0; face < count; face++) {
    const rl_vec3 normal = rl_path_face_normal(part, face);
    const double height = rl_dot(normal, middle) - rl_path_face_offset(part, face);
    if (height > nearest) {
      nearest = height;
      *outward = normal;
    }
  }
  return true;
}

// Clips to a s^2 + 2 b s + c < 0; returns false if nothing is left.
static bool keep_negative(stretch *s, double a, double b, double c) {
  const double root = b * b - a * c;
  if (a == 0.0 || root <= 0.0) {
    return a == 0.0 && c < 0.0;
  }
  const double reach = sqrt(root);
  if ((-b - reach) / a > s->low) {
    s->low = (-b - reach) / a;
    s->in = RL_NONE;
  }
  if ((-b + reach) / a < s->high) {
    s->high = (-b + reach) / a;
    s->out = RL_NONE;
  }
  return s->low < s->high;
}

static bool cuts_cylinder(const rl_part *part, rl_vec3 p, rl_vec3 way, double depth, stretch *s,
                          rl_vec3 *outward) {
  const double half = 0.5 * part->length - depth, radius = part->radius - depth;
  keep_behind(s, -p.z - half, -way.z, 0);
  keep_behind(s, p.z - half, way.z, 1);
  if (!(s->low < s->high) ||
      !keep_negative(s, way.x * way.x + way.y * way.y, way.x * p.x + way.y * p.y,
                     p.x * p.x + p.y * p.y - radius * radius)) {
    return false;
  }
  const rl_vec3 middle = rl_add_scaled(p, 0.5 * (s->low + s->high), way);
  *outward = rl_vec(middle.x, middle.y, 0.0);
  return true;
}

static double clamp(double x, double low, double high) {
  return x < low ? low : x > high ? high : x;
}

// Finds the point of the piece nearest to the axis of a capsule (of length 0: of a sphere), where
// it is deepest. The distance is convex along the piece: the least of the points nearest to the
// side and to both caps.
static bool cuts_capsule(const rl_part *part, rl_vec3 p, rl_vec3 way, double depth, stretch *s,
                         rl_vec3 *outward) {
  const double half = part->shape == RL_SPHERE ? 0.0 : 0.5 * part->length;
  const double flat = way.x * way.x + way.y * way.y, square = flat + way.z * way.z;
  const double beside = -(way.x * p.x + way.y * p.y);
  const double candidates[3] = {flat > 0.0 ? beside / flat : 0.0,
                                (beside - way.z * (p.z - half)) / square,
                                (beside - way.z * (p.z + half)) / square};
  double least = INFINITY;
  for (int k = 0; k < 3; k++) {
    const double at = clamp(candidates[k], s->low, s->high);
    const rl_vec3 near = rl_add_scaled(p, at, way);
    const rl_vec3 off = rl_vec(near.x, near.y, near.z - clamp(near.z, -half, half));
    if (rl_length(off) < least) {
      least = rl_length(off);
      *outward = off;
      s->in = near.z < -half ? 0 : near.z > half ? 1 : RL_NONE;
      s->out = s->in;
    }
  }
  return least < part->radius - depth;
}

bool rl_path_cuts(const rl_part *part, rl_vec3 p, rl_vec3 q, double depth, rl_path_cut *cut) {
  const rl_vec3 way = rl_sub(q, p);
  stretch s = {0.0, 1.0, RL_NONE, RL_NONE};
  rl_vec3 outward = {0.0, 0.0, 0.0};
  if (rl_is_polyhedron(part->shape) ? !cuts_faces(part, p, way, depth, &s, &outward)
      : part->shape == RL_CYLINDER  ? !cuts_cylinder(part, p, way, depth, &s, &outward)
      : part->shape == RL_PLANE     ? true
                                    : !cuts_capsule(part, p, way, depth, &s, &outward)) {
    return false;
  }
  *cut = (rl_path_cut){.from = rl_add_scaled(p, s.low, way),
                       .to = rl_add_scaled(p, s.high, way),
                       .outward = rl_unit(outward),
                       .in = s.in,
                       .out = s.out};
  if (rl_is_zero(cut->outward)) { // through the axis: any way out is as good
    cut->outward = rl_any_across(rl_unit(way));
  }
  return true;
}
