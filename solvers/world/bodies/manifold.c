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

// Adds the touch of a ball of the first part with the surface of the second.
static void add_ball(rl_touch_list *list, const rl_solid *second, rl_vec3 core, double radius,
                     uint32_t feature) {
  const rl_surface s = rl_shape_surface(second->part, second->position, second->rotation, core);
  rl_touch_add(list, touch_of_ball(core, radius, &s, feature, false));
}

// ---------------------------------------------------------------------------------------------
// Segments with a rounding

// Clips a segment to the part of it where a distance that is linear along it is at most `half` both
// ways.
static bool slab(double from, double to, double half, double range[2]) {
  const double step = to - from;
  if (step == 0.0) {
    return fabs(from) <= half;
  }
  const double s0 = (-half - from) / step, s1 = (half - from) / step;
  range[0] = fmax(0.0, fmin(s0, s1));
  range[1] = fmin(1.0, fmax(s0, s1));
  return range[0] <= range[1];
}

// Clips a segment, given by the arms of its ends from an axis, to a distance of at most `radius`.
static bool disc(rl_vec3 from, rl_vec3 to, double radius, double range[2]) {
  const rl_vec3 step = rl_sub(to, from);
  const double aa = rl_dot(step, step), ab = rl_dot(step, from);
  const double bb = rl_dot(from, from) - radius * radius;
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

rl_ground rl_ground_of(const rl_solid *s, const rl_polyhedron *p, rl_vec3 normal) {
  rl_ground g = {.normal = normal};
  if (rl_is_polyhedron(s->part->shape)) {
    g.p = p;
    g.face = rl_polyhedron_face(p, normal);
    g.normal = p->normals[g.face];
    g.at = rl_polyhedron_corner(p, g.face, 0);
    return g;
  }
  g.at = rl_solid_point(s, rl_vec(0.0, 0.0, 0.0));
  g.radius = g.half = INFINITY;
  if (s->part->shape == RL_PLANE) {
    g.normal = rl_solid_direction(s, s->part->normal);
    return g;
  }
  g.axis = rl_solid_direction(s, rl_vec(0.0, 0.0, 1.0));
  g.radius = s->part->radius;
  g.half = 0.5 * s->part->length;
  const double along = rl_dot(normal, g.axis);
  g.is_side = s->part->shape == RL_CAPSULE || along * along <= 0.5;
  if (!g.is_side) {
    g.normal = rl_scale(along > 0.0 ? 1.0 : -1.0, g.axis);
    g.at = rl_add_scaled(g.at, g.half, g.normal);
  }
  return g;
}

static rl_vec3 arm_from_axis(const rl_ground *g, rl_vec3 at) {
  const rl_vec3 arm = rl_sub(at, g->at);
  return rl_add_scaled(arm, -rl_dot(arm, g->axis), g->axis);
}

// Clips a segment to the ground, grown by `margin` of its size.
static bool clip(const rl_ground *g, double margin, rl_vec3 from, rl_vec3 to, double range[2]) {
  range[0] = 0.0;
  range[1] = 1.0;
  if (g->p) {
    return rl_polyhedron_clip(g->p, g->face, margin, from, to, range);
  }
  if (isinf(g->radius)) {
    return true;
  }
  if (g->is_side) {
    return slab(rl_dot(rl_sub(from, g->at), g->axis), rl_dot(rl_sub(to, g->at), g->axis),
                (1.0 + margin) * g->half, range);
  }
  return disc(arm_from_axis(g, from), arm_from_axis(g, to), (1.0 + margin) * g->radius, range);
}

bool rl_ground_clip(const rl_ground *g, rl_vec3 from, rl_vec3 to, double range[2]) {
  return clip(g, RL_OVER_MARGIN, from, to, range);
}

bool rl_is_over(const rl_ground *g, rl_vec3 at) {
  double range[2];
  return clip(g, 2.0 * RL_OVER_MARGIN, at, at, range);
}

rl_surface rl_ground_surface(const rl_ground *g, rl_vec3 at) {
  if (!g->is_side) {
    return (rl_surface){rl_dot(g->normal, rl_sub(at, g->at)), g->normal};
  }
  const rl_vec3 arm = arm_from_axis(g, at);
  const double distance = rl_length(arm);
  return (rl_surface){distance - g->radius,
                      distance > 0.0 ? rl_scale(1.0 / distance, arm) : g->normal};
}

void rl_touch_add_segment(rl_touch_list *list, const rl_solid *b, const rl_polyhedron *p,
                          rl_vec3 from, rl_vec3 to, double radius, uint32_t feature, bool swapped) {
  rl_surface s;
  const rl_vec3 way = rl_sub(to, from);
  const double at = rl_shape_segment(b->part, b->position, b->rotation, from, to, &s);
  if (s.distance - radius > list->reach) {
    return;
  }
  const rl_ground ground = rl_ground_of(b, p, s.normal);
  double range[2];
  bool is_at_end = false;
  if (rl_ground_clip(&ground, from, to, range)) {
    for (uint32_t i = 0; i < (range[1] > range[0] ? 2 : 1); i++) {
      const rl_vec3 core = rl_add_scaled(from, range[i], way);
      const rl_surface end = rl_ground_surface(&ground, core);
      rl_touch_add(list, touch_of_ball(core, radius, &end, feature + i, swapped));
      is_at_end = is_at_end || fabs(end.distance - s.distance) <= RL_SAME * rl_length(way);
    }
  }
  if (!is_at_end) {
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
    add_ball(list, b, p.vertices[i], 0.0, i);
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
  return RL_TOUCHES;
}

static void find(const rl_solid *a, const rl_solid *b, rl_touch_list *list) {
  const rl_shape first = a->part->shape, second = b->part->shape;
  if (first == RL_PLANE) {
    return;
  }
  if (first == RL_SPHERE) {
    add_ball(list, b, rl_solid_point(a, (rl_vec3){0.0, 0.0, 0.0}), a->part->radius, 0);
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

// Returns the first touch that coincides with one, as deep as that. A corner is found with each of
// its edges, and shall have the same name in every step.
static const rl_touch *first_like(const rl_touch_list *list, size_t one, double size) {
  const rl_touch *t = list->touches, *like = &list->touches[one];
  while (apart(t, like, size) > RL_SAME * size || fabs(t->gap - like->gap) > RL_SAME * size) {
    t++;
  }
  return t;
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
