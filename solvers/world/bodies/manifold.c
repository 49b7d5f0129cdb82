// SPDX-License-Identifier: GPL-3.0-or-later
#include "manifold_internal.h"

void rl_touch_add(rl_touch_list *list, rl_touch touch) {
  if (!(touch.gap <= list->reach) || list->count == RL_TOUCHES_FOUND) {
    return;
  }
  list->touches[list->count++] = touch;
}

// Returns the touch of a ball about `core` with the surface `s`.
static rl_touch touch_of_ball(rl_vec3 core, double radius, const rl_surface *s, uint32_t feature,
                              bool swapped) {
  return (rl_touch){.feature = feature,
                    .swapped = swapped,
                    .core = core,
                    .radius = radius,
                    .surface = rl_add_scaled(core, -s->distance, s->normal),
                    .normal = s->normal,
                    .gap = s->distance - radius};
}

void rl_touch_add_ball(rl_touch_list *list, const rl_solid *second, rl_vec3 core, double radius,
                       uint32_t feature, bool swapped) {
  const rl_surface s = rl_shape_surface(second->part, second->position, second->rotation, core);
  rl_touch_add(list, touch_of_ball(core, radius, &s, feature, swapped));
}

// ---------------------------------------------------------------------------------------------
// Segments with a rounding

// Clips a segment, by its z coordinates, to |z| <= half.
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

// Clips a segment to x^2 + y^2 <= radius^2.
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

// Clips a segment to the stretch beside the part that it touches: along the axis of a capsule or
// cylinder, over the end of a cylinder, over the face with the normal. Returns false if none is.
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
      rl_touch_add_ball(list, b, rl_add_scaled(from, range[i], way), radius, feature + i, swapped);
      nearest = list->count > before ? fmin(nearest, list->touches[before].gap) : nearest;
    }
  }
  if (s.distance - radius < nearest - RL_SAME * rl_length(way)) {
    const rl_vec3 core = rl_add_scaled(from, at, way);
    rl_touch_add(list, touch_of_ball(core, radius, &s, feature + 2, swapped));
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
  double deepest = INFINITY;
  for (size_t i = 0; i < list->count; i++) {
    deepest = fmin(deepest, list->touches[i].gap);
  }
  if (b->part->shape != RL_PLANE && b->part->shape != RL_CAPSULE && deepest < -a->part->radius) {
    rl_touch_way_out(a, b, rl_is_polyhedron(b->part->shape) ? &p : NULL, list);
  }
}

static void corners_touch(const rl_solid *a, const rl_solid *b, rl_touch_list *list) {
  rl_polyhedron p;
  rl_polyhedron_place(a, &p);
  for (uint32_t i = 0; i < p.vertex_count; i++) {
    rl_touch_add_ball(list, b, p.vertices[i], 0.0, i, false);
  }
}

// ---------------------------------------------------------------------------------------------

// Returns the order of a shape: the first of a pair is the one of lower rank and has the point.
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
  return first == RL_CYLINDER && second == RL_PLANE ? 4 : RL_TOUCHES;
}

static void find(const rl_solid *a, const rl_solid *b, rl_touch_list *list) {
  const rl_shape first = a->part->shape, second = b->part->shape;
  if (first == RL_PLANE) {
    return;
  }
  if (first == RL_SPHERE) {
    rl_touch_add_ball(list, b, rl_solid_point(a, (rl_vec3){0.0, 0.0, 0.0}), a->part->radius, 0,
                      false);
  } else if (first == RL_CAPSULE) {
    capsule_touch(a, b, list);
  } else if (first == RL_CYLINDER) {
    rl_cylinder_touch(a, b, list);
  } else if (second == RL_PLANE) {
    corners_touch(a, b, list);
  } else {
    rl_polyhedra_touch(a, b, list);
  }
}

// Returns the point of a touch on b of the pair; the normal out of b.
static rl_vec3 place_on_b(const rl_touch *t) {
  return t->swapped ? rl_add_scaled(t->surface, t->gap, t->normal) : t->surface;
}

static rl_vec3 normal_of_b(const rl_touch *t) {
  return rl_scale(t->swapped ? -1.0 : 1.0, t->normal);
}

// Returns how far two touches are apart, in place and normal [m].
static double apart(const rl_touch *a, const rl_touch *b, double size) {
  return rl_distance(place_on_b(a), place_on_b(b)) +
         size * rl_distance(normal_of_b(a), normal_of_b(b));
}

// Returns the first touch that coincides with one. A corner is found with each of its edges, and
// shall have the same name in every step.
static const rl_touch *first_like(const rl_touch_list *list, size_t one, double size) {
  size_t i = 0;
  while (apart(&list->touches[i], &list->touches[one], size) > RL_SAME * size) {
    i++;
  }
  return &list->touches[i];
}

// Chooses the deepest touch, and then repeatedly the one farthest from those chosen, in place and
// normal. Returns their number. Leaves out touches that coincide with another.
static size_t thin_out(const rl_touch_list *list, double size, rl_touch touches[RL_TOUCHES]) {
  double away[RL_TOUCHES_FOUND];
  size_t next = 0, count = 0;
  for (size_t i = 0; i < list->count; i++) {
    away[i] = INFINITY;
    next = list->touches[i].gap < list->touches[next].gap ? i : next;
  }
  while (count < list->count && count < RL_TOUCHES) {
    touches[count++] = *first_like(list, next, size);
    const rl_touch *chosen = &touches[count - 1];
    size_t farthest = next;
    away[next] = 0.0;
    for (size_t i = 0; i < list->count; i++) {
      away[i] = fmin(away[i], apart(&list->touches[i], chosen, size));
      farthest = away[i] > away[farthest] ? i : farthest;
    }
    if (!(away[farthest] > RL_SAME * size)) {
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
