// SPDX-License-Identifier: GPL-3.0-or-later
// Cylinders on what is flat, on polyhedra and on each other.
#include "manifold_internal.h"

// Of the size of the smaller part: how much nearer a touch has to be that the slow search finds.
static const double missed = 1e-3;

typedef struct cylinder {
  rl_vec3 axis, ends[2]; // unit, from end 0 to end 1; centres of the ends [m]
  double radius;
} cylinder;

static cylinder cylinder_of(const rl_solid *s) {
  const double half = 0.5 * s->part->length;
  return (cylinder){
      rl_solid_direction(s, rl_vec(0.0, 0.0, 1.0)),
      {rl_solid_point(s, rl_vec(0.0, 0.0, -half)), rl_solid_point(s, rl_vec(0.0, 0.0, half))},
      s->part->radius};
}

// A rounded point of the first against the surface of the second, which is below it along about
// `normal`: where the rounding is nearest to the surface there.
static void add_rounded(rl_touch_list *list, const rl_solid *second, rl_touch t, rl_vec3 normal) {
  rl_surface s = {0.0, normal};
  rl_vec3 p;
  double below;
  for (int i = 0; i < 2; i++) {
    p = rl_rounding_point(t.core, t.radius, t.axis, s.normal, &below);
    s = rl_shape_surface(second->part, second->position, second->rotation, p);
  }
  // Where the normal goes on to turn with the place, that place is a point like any other.
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

// Whether there is ground under a place.
typedef bool (*is_over)(const void *ground, rl_vec3 at);

// The points of a cylinder that can rest on what is below it: the nearest point of each rim, which
// is where the side would, and two more on the lower rim at 120 degrees from there for the end to
// rest on. A cylinder that stands upright has no nearest point: three anywhere.
static void add_cylinder_on_plane(const cylinder *c, const rl_solid *second, rl_vec3 normal,
                                  bool swapped, uint32_t feature, is_over over, const void *ground,
                                  rl_touch_list *list) {
  const double root3 = 1.7320508075688772;
  const uint32_t low = rl_dot(c->axis, normal) > 0.0 ? 0 : 1;
  double below;
  rl_vec3 first =
      rl_sub(rl_rounding_point(c->ends[low], c->radius, c->axis, normal, &below), c->ends[low]);
  const bool upright = rl_is_zero(first);
  for (uint32_t i = 0; i < 2; i++) {
    const rl_vec3 p = rl_rounding_point(c->ends[i], c->radius, c->axis, normal, &below);
    if (!upright && over(ground, p)) {
      add_rounded(list, second,
                  (rl_touch){.feature = feature + i,
                             .swapped = swapped,
                             .core = c->ends[i],
                             .radius = c->radius,
                             .axis = c->axis},
                  normal);
    }
  }
  if (upright) {
    const rl_vec3 x = {1.0, 0.0, 0.0}, y = {0.0, 1.0, 0.0};
    first = rl_scale(c->radius, rl_unit(rl_cross(c->axis, fabs(c->axis.x) < 0.7 ? x : y)));
  }
  const rl_vec3 side = rl_cross(c->axis, first);
  const double along[3] = {-0.5, -0.5, 1.0}, across[3] = {0.5 * root3, -0.5 * root3, 0.0};
  for (uint32_t i = 0; i < (upright ? 3U : 2U); i++) {
    const rl_vec3 p = rl_add_scaled(rl_add_scaled(c->ends[low], along[i], first), across[i], side);
    if (over(ground, p)) {
      rl_touch_add_ball(list, second, p, 0.0, feature + 2 + i, swapped);
    }
  }
}

static bool over_plane(const void *ground, rl_vec3 at) {
  (void)ground;
  (void)at;
  return true;
}

static void cylinder_plane_touch(const rl_solid *a, const rl_solid *b, rl_touch_list *list) {
  const cylinder c = cylinder_of(a);
  const rl_vec3 normal = rl_solid_direction(b, b->part->normal);
  add_cylinder_on_plane(&c, b, normal, false, 0, over_plane, NULL, list);
}

// Where a cylinder is deepest in a part, or nearest to it, however the two lie: the distance is
// convex, so from any point of the cylinder the way to its lowest point, against the normal, leads
// down, and rl_shape_segment finds how far (Frank, Wolfe 1956). It converges slowly, and finds
// corners and rims that the other touches miss.
static void add_deepest(const cylinder *c, const rl_solid *second, rl_touch_list *list) {
  enum { STEPS = 40 };
  rl_vec3 p = rl_scale(0.5, rl_add(c->ends[0], c->ends[1]));
  rl_surface s = rl_shape_surface(second->part, second->position, second->rotation, p);
  for (int i = 0; i < STEPS; i++) {
    double below;
    const int low = rl_dot(c->axis, s.normal) > 0.0 ? 0 : 1;
    const rl_vec3 lowest = rl_rounding_point(c->ends[low], c->radius, c->axis, s.normal, &below);
    const double at =
        rl_shape_segment(second->part, second->position, second->rotation, p, lowest, &s);
    p = rl_add_scaled(p, at, rl_sub(lowest, p));
  }
  s = rl_shape_surface(second->part, second->position, second->rotation, p);
  rl_touch_add(list, (rl_touch){.feature = 128,
                                .core = p,
                                .surface = rl_add_scaled(p, -s.distance, s.normal),
                                .normal = s.normal,
                                .gap = s.distance});
}

// The last touch is not needed if another one is as near but for a tolerance.
static void drop_last_if_known(rl_touch_list *list, double tolerance) {
  for (size_t i = 0; i + 1 < list->count; i++) {
    if (list->touches[i].gap <= list->touches[list->count - 1].gap + tolerance) {
      list->count--;
      return;
    }
  }
}

// A face, and whether a place is over it.
typedef struct face_ground {
  const rl_polyhedron *p;
  uint32_t face;
} face_ground;

static bool over_face(const void *ground, rl_vec3 at) {
  const face_ground *g = ground;
  double range[2];
  return rl_polyhedron_clip(g->p, g->face, at, at, range);
}

// The face of a polyhedron that is farthest in front of a cylinder.
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

// A cylinder on a polyhedron: its points and its side on the face below it, and the edges of the
// polyhedron on the cylinder.
static void cylinder_polyhedron_touch(const rl_solid *a, const rl_solid *b, rl_touch_list *list) {
  const cylinder c = cylinder_of(a);
  rl_polyhedron p;
  rl_polyhedron_place(b, &p);
  const uint32_t face = face_below(&p, &c);
  const rl_vec3 normal = p.normals[face];
  const face_ground ground = {&p, face};
  add_cylinder_on_plane(&c, b, normal, false, 0, over_face, &ground, list);
  double below, range[2];
  const rl_vec3 from = rl_rounding_point(c.ends[0], c.radius, c.axis, normal, &below);
  const rl_vec3 to = rl_rounding_point(c.ends[1], c.radius, c.axis, normal, &below);
  if (rl_polyhedron_clip(&p, face, from, to, range)) {
    for (uint32_t i = 0; i < 2; i++) {
      if (range[i] > 0.0 && range[i] < 1.0) {
        const rl_vec3 core = rl_add_scaled(c.ends[0], range[i], rl_sub(c.ends[1], c.ends[0]));
        add_rounded(list, b,
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
}

// The flat end of a cylinder, and whether a place is over it.
typedef struct end_ground {
  rl_vec3 centre, axis;
  double radius;
} end_ground;

static bool over_end(const void *ground, rl_vec3 at) {
  const end_ground *g = ground;
  const rl_vec3 arm = rl_sub(at, g->centre);
  return rl_length(rl_add_scaled(arm, -rl_dot(arm, g->axis), g->axis)) <= g->radius;
}

// The points of one cylinder on the nearer end of the other, and its nearest rim on its side.
static void add_cylinder_on_end(const cylinder *c, const rl_solid *second, bool swapped,
                                uint32_t feature, rl_touch_list *list) {
  const cylinder d = cylinder_of(second);
  const rl_vec3 between = rl_sub(rl_add(c->ends[0], c->ends[1]), rl_add(d.ends[0], d.ends[1]));
  const int top = rl_dot(between, d.axis) > 0.0 ? 1 : 0;
  const rl_vec3 normal = top == 1 ? d.axis : rl_scale(-1.0, d.axis);
  const end_ground ground = {d.ends[top], d.axis, d.radius};
  add_cylinder_on_plane(c, second, normal, swapped, feature, over_end, &ground, list);
  for (uint32_t i = 0; i < 2; i++) {
    const rl_surface s =
        rl_shape_surface(second->part, second->position, second->rotation, c->ends[i]);
    add_rounded(list, second,
                (rl_touch){.feature = feature + 8 + i,
                           .swapped = swapped,
                           .core = c->ends[i],
                           .radius = c->radius,
                           .axis = c->axis},
                s.normal);
  }
}

// The axis of one cylinder beside the side of the other.
static void add_sides(const rl_solid *a, const rl_solid *b, rl_touch_list *list) {
  const cylinder c = cylinder_of(a);
  rl_touch_list found;
  found.reach = list->reach + c.radius;
  found.count = 0;
  rl_touch_add_segment(&found, b, NULL, c.ends[0], c.ends[1], 0.0, 64, false);
  for (size_t i = 0; i < found.count; i++) {
    rl_touch t = found.touches[i];
    const double along = rl_dot(t.normal, c.axis);
    if (along * along < 0.5) { // else it is an end that touches
      t.radius = c.radius;
      t.axis = c.axis;
      add_rounded(list, b, t, t.normal);
    }
  }
}

static void add_missed(const rl_solid *a, const rl_solid *b, rl_touch_list *list) {
  const cylinder c = cylinder_of(a);
  const size_t before = list->count;
  add_deepest(&c, b, list);
  if (list->count > before) {
    drop_last_if_known(list, missed * fmin(a->part->bound, b->part->bound));
  }
}

static void cylinders_touch(const rl_solid *a, const rl_solid *b, rl_touch_list *list) {
  const cylinder c = cylinder_of(a), d = cylinder_of(b);
  add_sides(a, b, list);
  add_cylinder_on_end(&c, b, false, 0, list);
  add_cylinder_on_end(&d, a, true, 32, list);
}

void rl_cylinder_touch(const rl_solid *a, const rl_solid *b, rl_touch_list *list) {
  if (b->part->shape == RL_PLANE) {
    cylinder_plane_touch(a, b, list);
  } else if (b->part->shape == RL_CYLINDER) {
    cylinders_touch(a, b, list);
    add_missed(a, b, list);
  } else {
    cylinder_polyhedron_touch(a, b, list);
    add_missed(a, b, list);
  }
}
