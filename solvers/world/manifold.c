// SPDX-License-Identifier: GPL-3.0-or-later
#include "manifold_internal.h"

// Of a length: nearer than this are two places the same.
static const double same = 1e-9;

// Of the size of the smaller part: how much nearer a touch has to be that the slow search finds.
static const double missed = 1e-3;

void rl_touch_add(rl_touch_list *list, rl_touch touch) {
  if (!(touch.gap <= list->reach) || list->count == RL_TOUCHES_FOUND) {
    return;
  }
  list->touches[list->count++] = touch;
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
      same * t.radius) {
    t.core = p;
    t.radius = 0.0;
    t.axis = (rl_vec3){0.0, 0.0, 0.0};
  }
  t.normal = s.normal;
  t.gap = s.distance;
  t.surface = rl_add_scaled(p, -s.distance, s.normal);
  rl_touch_add(list, t);
}

// A ball of the first at a place against the surface of the second.
static void add_ball(rl_touch_list *list, const rl_solid *second, rl_vec3 core, double radius,
                     uint32_t feature, bool swapped) {
  const rl_surface s = rl_shape_surface(second->part, second->position, second->rotation, core);
  rl_touch_add(list, (rl_touch){.feature = feature,
                                .swapped = swapped,
                                .core = core,
                                .radius = radius,
                                .surface = rl_add_scaled(core, -s.distance, s.normal),
                                .normal = s.normal,
                                .gap = s.distance - radius});
}

// ---------------------------------------------------------------------------------------------
// Segments with a rounding

// The stretch of a segment that is beside what it touches: along the axis of a capsule or cylinder,
// over the end of a cylinder, over a face.
static bool slab(double from, double to, double half, double range[2]) {
  const double step = to - from;
  double first = 0.0, last = 1.0;
  if (step == 0.0) {
    return fabs(from) <= half;
  }
  const double s0 = (-half - from) / step, s1 = (half - from) / step;
  first = fmax(first, fmin(s0, s1));
  last = fmin(last, fmax(s0, s1));
  range[0] = first;
  range[1] = last;
  return first <= last;
}

static bool disc(rl_vec3 from, rl_vec3 to, double radius, double range[2]) {
  const double x = to.x - from.x, y = to.y - from.y;
  const double aa = x * x + y * y, ab = x * from.x + y * from.y;
  const double bb = from.x * from.x + from.y * from.y - radius * radius;
  const double square = ab * ab - aa * bb;
  if (!(aa > 0.0)) {
    return bb <= 0.0;
  }
  if (!(square >= 0.0)) {
    return false;
  }
  range[0] = fmax(0.0, (-ab - sqrt(square)) / aa);
  range[1] = fmin(1.0, (-ab + sqrt(square)) / aa);
  return range[0] <= range[1];
}

static bool stretch_beside(const rl_solid *b, const rl_polyhedron *p, rl_vec3 normal, rl_vec3 from,
                           rl_vec3 to, double range[2]) {
  range[0] = 0.0;
  range[1] = 1.0;
  if (rl_is_polyhedron(b->part->shape)) {
    return rl_polyhedron_clip(p, rl_polyhedron_face(p, normal), from, to, range);
  }
  if (b->part->shape == RL_PLANE) {
    return true;
  }
  const rl_vec3 centre = rl_solid_point(b, (rl_vec3){0.0, 0.0, 0.0});
  const rl_quat turn = rl_quat_product(b->rotation, b->part->rotation);
  const rl_vec3 p0 = rl_rotate_inverse(turn, rl_sub(from, centre));
  const rl_vec3 p1 = rl_rotate_inverse(turn, rl_sub(to, centre));
  const rl_vec3 n = rl_rotate_inverse(turn, normal);
  if (b->part->shape == RL_CYLINDER && n.z * n.z > 0.5) {
    return disc(p0, p1, b->part->radius, range);
  }
  return slab(p0.z, p1.z, 0.5 * b->part->length, range);
}

void rl_touch_add_segment(rl_touch_list *list, const rl_solid *b, const rl_polyhedron *p,
                          rl_vec3 from, rl_vec3 to, double radius, uint32_t feature, bool swapped) {
  rl_surface s;
  const rl_vec3 way = rl_sub(to, from);
  const double at = rl_shape_segment(b->part, b->position, b->rotation, from, to, &s);
  if (s.distance - radius > list->reach) {
    return;
  }
  double range[2];
  double nearest = INFINITY;
  if (stretch_beside(b, p, s.normal, from, to, range)) {
    for (uint32_t i = 0; i < (range[1] > range[0] ? 2 : 1); i++) {
      const size_t before = list->count;
      add_ball(list, b, rl_add_scaled(from, range[i], way), radius, feature + i, swapped);
      nearest = list->count > before ? fmin(nearest, list->touches[before].gap) : nearest;
    }
  }
  if (s.distance - radius < nearest - same * rl_length(way)) {
    const rl_vec3 core = rl_add_scaled(from, at, way);
    rl_touch_add(list, (rl_touch){.feature = feature + 2,
                                  .swapped = swapped,
                                  .core = core,
                                  .radius = radius,
                                  .surface = rl_add_scaled(core, -s.distance, s.normal),
                                  .normal = s.normal,
                                  .gap = s.distance - radius});
  }
}

static void capsule_touch(const rl_solid *a, const rl_solid *b, rl_touch_list *list) {
  const double half = 0.5 * a->part->length;
  rl_polyhedron p;
  if (rl_is_polyhedron(b->part->shape)) {
    rl_polyhedron_place(b, &p);
  }
  rl_touch_add_segment(list, b, &p, rl_solid_point(a, rl_vec(0.0, 0.0, -half)),
                       rl_solid_point(a, rl_vec(0.0, 0.0, half)), a->part->radius, 0, false);
}

// ---------------------------------------------------------------------------------------------
// Cylinders

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
      add_ball(list, second, p, 0.0, feature + 2 + i, swapped);
    }
  }
}

static bool over_plane(const void *ground, rl_vec3 at) {
  (void)ground;
  (void)at;
  return true;
}

static void plane_touch(const rl_solid *a, const rl_solid *b, rl_touch_list *list) {
  const rl_vec3 normal = rl_solid_direction(b, b->part->normal);
  if (a->part->shape == RL_CYLINDER) {
    const cylinder c = cylinder_of(a);
    add_cylinder_on_plane(&c, b, normal, false, 0, over_plane, NULL, list);
    return;
  }
  rl_polyhedron p;
  rl_polyhedron_place(a, &p);
  for (uint32_t i = 0; i < p.vertex_count; i++) {
    add_ball(list, b, p.vertices[i], 0.0, i, false);
  }
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
  add_missed(a, b, list);
}

// ---------------------------------------------------------------------------------------------

// From the simplest to the flattest: the first of a pair has the point, the second the plane.
static int rank(rl_shape shape) {
  static const int ranks[] = {[RL_SPHERE] = 0, [RL_CAPSULE] = 1, [RL_CYLINDER] = 2,
                              [RL_BOX] = 3,    [RL_HULL] = 3,    [RL_PLANE] = 4};
  return ranks[shape];
}

uint32_t rl_manifold_capacity(rl_shape a, rl_shape b) {
  const rl_shape first = rank(a) <= rank(b) ? a : b, second = rank(a) <= rank(b) ? b : a;
  if (first == RL_PLANE) {
    return 0; // half-spaces
  }
  if (first == RL_SPHERE) {
    return 1;
  }
  if (first == RL_CAPSULE) {
    return second == RL_PLANE ? 2 : 3;
  }
  return first == RL_CYLINDER && second == RL_PLANE ? 5 : RL_TOUCHES;
}

static void find(const rl_solid *a, const rl_solid *b, rl_touch_list *list) {
  const rl_shape first = a->part->shape, second = b->part->shape;
  if (first == RL_PLANE) {
    return;
  }
  if (first == RL_SPHERE) {
    add_ball(list, b, rl_solid_point(a, (rl_vec3){0.0, 0.0, 0.0}), a->part->radius, 0, false);
  } else if (first == RL_CAPSULE) {
    capsule_touch(a, b, list);
  } else if (second == RL_PLANE) {
    plane_touch(a, b, list);
  } else if (first != RL_CYLINDER) {
    rl_polyhedra_touch(a, b, list);
  } else if (second == RL_CYLINDER) {
    cylinders_touch(a, b, list);
  } else {
    cylinder_polyhedron_touch(a, b, list);
    add_missed(a, b, list);
  }
}

// Where a touch is on the pair's b, and the normal out of that.
static rl_vec3 place_on_b(const rl_touch *t) {
  return t->swapped ? rl_add_scaled(t->surface, t->gap, t->normal) : t->surface;
}

static rl_vec3 normal_of_b(const rl_touch *t) {
  return rl_scale(t->swapped ? -1.0 : 1.0, t->normal);
}

// The deepest touch, and then again and again the one that is farthest from those chosen. Touches
// at the place of another with its normal say nothing new.
static size_t thin_out(const rl_touch_list *list, double size, rl_touch touches[RL_TOUCHES]) {
  double away[RL_TOUCHES_FOUND];
  size_t next = 0, count = 0;
  for (size_t i = 0; i < list->count; i++) {
    away[i] = INFINITY;
    next = list->touches[i].gap < list->touches[next].gap ? i : next;
  }
  while (count < list->count && count < RL_TOUCHES) {
    touches[count++] = list->touches[next];
    const rl_touch *chosen = &touches[count - 1];
    size_t farthest = next;
    away[next] = 0.0;
    for (size_t i = 0; i < list->count; i++) {
      const rl_touch *t = &list->touches[i];
      const double turned = rl_distance(normal_of_b(t), normal_of_b(chosen));
      const double moved = rl_distance(place_on_b(t), place_on_b(chosen));
      away[i] = fmin(away[i], moved + size * turned);
      farthest = away[i] > away[farthest] ? i : farthest;
    }
    if (!(away[farthest] > same * size)) {
      break;
    }
    next = farthest;
  }
  return count;
}

size_t rl_manifold_find(const rl_solid *a, const rl_solid *b, double reach,
                        rl_touch touches[RL_TOUCHES]) {
  const bool turn_round = rank(a->part->shape) > rank(b->part->shape);
  rl_touch_list list;
  list.reach = reach;
  list.count = 0;
  find(turn_round ? b : a, turn_round ? a : b, &list);
  for (size_t i = 0; i < list.count && turn_round; i++) {
    list.touches[i].swapped = !list.touches[i].swapped;
  }
  return thin_out(&list, fmin(a->part->bound, b->part->bound), touches);
}
