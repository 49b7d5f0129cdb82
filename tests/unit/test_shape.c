// SPDX-License-Identifier: GPL-3.0-or-later
// The geometry of the six shapes against formulas and samples that share no code with it.
#include "check.h"

#include "world/bodies/shape_hull.h"
#include "world/trigonometry.h"

#include <string.h>

// ---------------------------------------------------------------------------------------------
// Bodies

// Two of the coordinates of an icosahedron's corners; edges of length 2 golden^0 = 2.
static const double golden = 1.6180339887498949;

static size_t icosahedron(double scale, rl_vec3 *out) {
  size_t count = 0;
  for (int i = 0; i < 4; i++) {
    const double a = scale * (i % 2 == 0 ? 1.0 : -1.0);
    const double b = scale * (i < 2 ? golden : -golden);
    out[count++] = rl_vec(0.0, a, b);
    out[count++] = rl_vec(a, b, 0.0);
    out[count++] = rl_vec(b, 0.0, a);
  }
  return count;
}

static rl_part_definition hull_of(size_t count, const rl_vec3 *points) {
  return (rl_part_definition){.shape = RL_HULL, .point_count = count, .points = points};
}

static rl_surface surface_of(const rl_model *model, rl_vec3 p) {
  const rl_body *body = &model->bodies[0];
  return rl_shape_surface(&body->parts[0], body->position, body->rotation, p);
}

static double segment_of(const rl_model *model, rl_vec3 p0, rl_vec3 p1, rl_surface *surface) {
  const rl_body *body = &model->bodies[0];
  return rl_shape_segment(&body->parts[0], body->position, body->rotation, p0, p1, surface);
}

// A direction or a place of the part, in the world.
static rl_vec3 turned(const rl_model *model, rl_vec3 v) {
  const rl_body *body = &model->bodies[0];
  return rl_rotate(body->rotation, rl_rotate(body->parts[0].rotation, v));
}

static rl_vec3 placed(const rl_model *model, rl_vec3 v) {
  const rl_body *body = &model->bodies[0];
  return rl_add(rl_add(body->position, rl_rotate(body->rotation, body->parts[0].at)),
                turned(model, v));
}

#define SHAPES 6
static const rl_vec3 part_at = {0.11, -0.07, 0.23}, part_turn = {0.3, -0.5, 0.2};
static const rl_vec3 body_at = {0.3, -0.2, 0.1}, body_turn = {0.2, 0.9, -0.4};

// One of each shape, displaced and turned twice.
static rl_model *example(rl_shape shape) {
  rl_vec3 points[12];
  rl_part_definition part = hull_of(icosahedron(0.385, points), points);
  part.shape = shape;
  part.at = part_at;
  part.rotation = part_turn;
  part.radius = 0.37;
  part.length = 1.13;
  part.size = rl_vec(1.06, 0.58, 0.84);
  part.normal = rl_vec(1.0, 2.0, -0.5);
  return model_with(part, body_at, body_turn);
}

// ---------------------------------------------------------------------------------------------
// Independent formulas

static rl_vec3 nearest_on_line(rl_vec3 a, rl_vec3 b, rl_vec3 p) {
  const rl_vec3 d = rl_sub(b, a);
  const double t = rl_dot(rl_sub(p, a), d) / rl_dot(d, d);
  return rl_add_scaled(a, fmin(fmax(t, 0.0), 1.0), d);
}

static double capsule_distance(const rl_model *m, rl_vec3 p) {
  const rl_part *part = &m->bodies[0].parts[0];
  const rl_vec3 a = placed(m, rl_vec(0.0, 0.0, -0.5 * part->length));
  const rl_vec3 b = placed(m, rl_vec(0.0, 0.0, 0.5 * part->length));
  return rl_distance(p, nearest_on_line(a, b, p)) - part->radius;
}

// Of a cylinder and a slab: outside of both the rim is nearest, otherwise the larger one counts.
static double cylinder_distance(const rl_model *m, rl_vec3 p) {
  const rl_part *part = &m->bodies[0].parts[0];
  const rl_vec3 axis = turned(m, rl_vec(0.0, 0.0, 1.0));
  const rl_vec3 way = rl_sub(p, placed(m, rl_vec(0.0, 0.0, 0.0)));
  const double side = rl_length(rl_cross(axis, way)) - part->radius;
  const double end = fabs(rl_dot(axis, way)) - 0.5 * part->length;
  return side > 0.0 && end > 0.0 ? hypot(side, end) : fmax(side, end);
}

// Twelve numbers: of a box the distance from every face's plane, edges and corners by clamping.
static double box_distance(const rl_model *m, rl_vec3 p) {
  const rl_vec3 half = m->bodies[0].parts[0].half;
  const double size[3] = {half.x, half.y, half.z};
  const rl_vec3 axes[3] = {turned(m, rl_vec(1, 0, 0)), turned(m, rl_vec(0, 1, 0)),
                           turned(m, rl_vec(0, 0, 1))};
  const rl_vec3 way = rl_sub(p, placed(m, rl_vec(0.0, 0.0, 0.0)));
  double largest = -INFINITY, squares = 0.0;
  for (size_t i = 0; i < 3; i++) {
    const double beyond = fabs(rl_dot(axes[i], way)) - size[i];
    largest = fmax(largest, beyond);
    squares += beyond > 0.0 ? beyond * beyond : 0.0;
  }
  return largest > 0.0 ? sqrt(squares) : largest;
}

// Distance of a point from a filled triangle.
static double triangle_distance(rl_vec3 a, rl_vec3 b, rl_vec3 c, rl_vec3 p) {
  const double edges = fmin(
      rl_distance(p, nearest_on_line(a, b, p)),
      fmin(rl_distance(p, nearest_on_line(b, c, p)), rl_distance(p, nearest_on_line(c, a, p))));
  const rl_vec3 n = rl_cross(rl_sub(b, a), rl_sub(c, a));
  const double area = rl_dot(n, n);
  const double u = rl_dot(rl_cross(rl_sub(b, p), rl_sub(c, p)), n);
  const double v = rl_dot(rl_cross(rl_sub(c, p), rl_sub(a, p)), n);
  const double w = rl_dot(rl_cross(rl_sub(a, p), rl_sub(b, p)), n);
  if (!(area > 0.0) || u < 0.0 || v < 0.0 || w < 0.0) {
    return edges;
  }
  return fmin(edges, fabs(rl_dot(rl_sub(p, a), n)) / sqrt(area));
}

// From outside, the nearest of all triangles between any three points: the faces are among them,
// and none reaches out of the hull.
static double distance_from_triangles(const rl_model *m, rl_vec3 p) {
  const rl_part *part = &m->bodies[0].parts[0];
  double least = INFINITY;
  for (uint32_t i = 0; i < part->point_count; i++) {
    for (uint32_t j = i + 1; j < part->point_count; j++) {
      for (uint32_t k = j + 1; k < part->point_count; k++) {
        least =
            fmin(least, triangle_distance(placed(m, part->points[i]), placed(m, part->points[j]),
                                          placed(m, part->points[k]), p));
      }
    }
  }
  return least;
}

// The faces of an icosahedron lie across the corners of a dodecahedron.
static double icosahedron_distance(const rl_model *m, rl_vec3 p) {
  const double s = 0.385, inside = s * golden * golden / sqrt(3.0);
  double largest = -INFINITY;
  for (int i = 0; i < 20; i++) {
    const double x = i & 1 ? 1.0 : -1.0, y = i & 2 ? 1.0 : -1.0, z = i & 4 ? 1.0 : -1.0;
    rl_vec3 n = {x, y, z};
    if (i >= 8) {
      const int k = i - 8;
      const double a = (k & 1 ? 1.0 : -1.0) / golden, b = (k & 2 ? 1.0 : -1.0) * golden;
      n = k < 4 ? rl_vec(b, a, 0.0) : k < 8 ? rl_vec(0.0, b, a) : rl_vec(a, 0.0, b);
    }
    const rl_vec3 way = rl_sub(p, placed(m, rl_vec(0.0, 0.0, 0.0)));
    largest = fmax(largest, rl_dot(turned(m, rl_unit(n)), way) - inside);
  }
  return largest > 0.0 ? distance_from_triangles(m, p) : largest;
}

static double expected_distance(const rl_model *m, rl_vec3 p) {
  const rl_part *part = &m->bodies[0].parts[0];
  switch (part->shape) {
  case RL_SPHERE:
    return rl_distance(p, placed(m, rl_vec(0, 0, 0))) - part->radius;
  case RL_PLANE:
    return rl_dot(rl_sub(p, placed(m, rl_vec(0, 0, 0))), turned(m, part->normal));
  case RL_CAPSULE:
    return capsule_distance(m, p);
  case RL_CYLINDER:
    return cylinder_distance(m, p);
  case RL_BOX:
    return box_distance(m, p);
  case RL_HULL:
    return icosahedron_distance(m, p);
  }
  return NAN;
}

// ---------------------------------------------------------------------------------------------
// Points

static void distances_agree_with_formulas(void **unused) {
  (void)unused;
  for (int shape = 0; shape < SHAPES; shape++) {
    rl_model *m = example((rl_shape)shape);
    uint64_t seed = 11;
    int inside = 0;
    for (int i = 0; i < 2000; i++) {
      const rl_vec3 p = rl_add(random_in_cube(&seed, 1.2), placed(m, rl_vec(0, 0, 0)));
      const rl_surface s = surface_of(m, p);
      check_near(s.distance, expected_distance(m, p), 1e-12);
      inside += s.distance < 0.0 ? 1 : 0;
    }
    assert_in_range(inside, 30, 1500); // both sides were looked at
    rl_model_free(m);
  }
}

// The gradient of the distance by central differences is the normal, wherever there is one; and the
// foot of the normal lies on the surface.
static void normals_are_the_gradients(void **unused) {
  (void)unused;
  const double h = 1e-6;
  for (int shape = 0; shape < SHAPES; shape++) {
    rl_model *m = example((rl_shape)shape);
    uint64_t seed = 12;
    int smooth = 0;
    for (int i = 0; i < 1000; i++) {
      const rl_vec3 p = rl_add(random_in_cube(&seed, 1.2), placed(m, rl_vec(0, 0, 0)));
      const rl_surface s = surface_of(m, p);
      check_near(rl_length(s.normal), 1.0, 1e-14);
      const rl_vec3 foot = rl_add_scaled(p, -s.distance, s.normal);
      check_near(surface_of(m, foot).distance, 0.0, 1e-14);
      const rl_vec3 steps[3] = {{h, 0, 0}, {0, h, 0}, {0, 0, h}};
      double slope[3], bend = 0.0;
      for (size_t k = 0; k < 3; k++) {
        const rl_surface after = surface_of(m, rl_add(p, steps[k]));
        const rl_surface before = surface_of(m, rl_sub(p, steps[k]));
        slope[k] = (after.distance - before.distance) / (2.0 * h);
        bend = fmax(bend, rl_distance(after.normal, before.normal));
      }
      if (bend < 1e-3) { // not where two sides are equally near
        check_near(slope[0], s.normal.x, 1e-8);
        check_near(slope[1], s.normal.y, 1e-8);
        check_near(slope[2], s.normal.z, 1e-8);
        smooth++;
      }
    }
    assert_in_range(smooth, 990, 1000);
    rl_model_free(m);
  }
}

// d((1 - t) a + t b) <= (1 - t) d(a) + t d(b): what the search along a segment rests on.
static void distances_are_convex_along_lines(void **unused) {
  (void)unused;
  for (int shape = 0; shape < SHAPES; shape++) {
    rl_model *m = example((rl_shape)shape);
    uint64_t seed = 13;
    for (int i = 0; i < 5000; i++) {
      const rl_vec3 a = random_in_cube(&seed, 1.3), b = random_in_cube(&seed, 1.3);
      const double t = next_random(&seed);
      const double between = surface_of(m, rl_add_scaled(a, t, rl_sub(b, a))).distance;
      const double chord = (1.0 - t) * surface_of(m, a).distance + t * surface_of(m, b).distance;
      check_below(between, chord + 1e-14);
    }
    rl_model_free(m);
  }
}

// Points of a cylinder's surface, `count` around and along each of its three parts.
static double sampled_distance(const rl_model *m, rl_vec3 p, int count) {
  const rl_part *part = &m->bodies[0].parts[0];
  double least = INFINITY;
  for (int i = 0; i < count; i++) {
    const double angle = 6.283185307179586 * i / count;
    const rl_vec3 out = {cos(angle), sin(angle), 0.0};
    for (int k = 0; k <= count; k++) {
      const double t = (double)k / count;
      const rl_vec3 side =
          rl_add(rl_scale(part->radius, out), rl_vec(0, 0, (t - 0.5) * part->length));
      const rl_vec3 top = rl_add(rl_scale(t * part->radius, out), rl_vec(0, 0, 0.5 * part->length));
      const rl_vec3 bottom = rl_vec(top.x, top.y, -top.z);
      least = fmin(least, rl_distance(p, placed(m, side)));
      least = fmin(least, fmin(rl_distance(p, placed(m, top)), rl_distance(p, placed(m, bottom))));
    }
  }
  return least;
}

// No sample of the surface is nearer than the distance, and one is not much farther.
static void a_cylinder_is_as_near_as_its_samples(void **unused) {
  (void)unused;
  rl_model *m = example(RL_CYLINDER);
  const rl_part *part = &m->bodies[0].parts[0];
  const int count = 120;
  const double gap = hypot(part->length / count, 6.3 * part->radius / count);
  uint64_t seed = 14;
  for (int i = 0; i < 1000; i++) {
    const rl_vec3 p = rl_add(random_in_cube(&seed, 1.0), placed(m, rl_vec(0, 0, 0)));
    const double distance = fabs(surface_of(m, p).distance);
    const double sampled = sampled_distance(m, p, count);
    check_below(distance, sampled + 1e-14);
    check_below(sampled, distance + 0.5 * gap);
  }
  rl_model_free(m);
}

static void a_capsule_without_length_is_a_sphere(void **unused) {
  (void)unused;
  const rl_part_definition ball = {.shape = RL_SPHERE, .radius = 0.6, .at = part_at};
  rl_part_definition pill = ball;
  pill.shape = RL_CAPSULE;
  rl_model *sphere = model_with(ball, body_at, body_turn);
  rl_model *capsule = model_with(pill, body_at, body_turn);
  uint64_t seed = 15;
  for (int i = 0; i < 1000; i++) {
    const rl_vec3 p = random_in_cube(&seed, 1.2);
    const rl_surface a = surface_of(sphere, p), b = surface_of(capsule, p);
    check_near(b.distance, a.distance, 0.0);
    check_near(rl_distance(a.normal, b.normal), 0.0, 0.0);
  }
  rl_model_free(sphere);
  rl_model_free(capsule);
}

// Where nothing decides between the nearest points, there still is a unit normal to one of them.
static void centres_and_axes_have_normals(void **unused) {
  (void)unused;
  for (int shape = 0; shape < SHAPES; shape++) {
    rl_model *m = example((rl_shape)shape);
    for (int i = -2; i <= 2; i++) {
      const rl_vec3 p = placed(m, rl_vec(0.0, 0.0, 0.1 * i));
      const rl_surface s = surface_of(m, p);
      check_near(rl_length(s.normal), 1.0, 1e-14);
      const rl_vec3 foot = rl_add_scaled(p, -s.distance, s.normal);
      check_near(surface_of(m, foot).distance, 0.0, 1e-14);
    }
    rl_model_free(m);
  }
}

static void bounds_hold_the_part_and_no_more(void **unused) {
  (void)unused;
  for (int shape = 0; shape < SHAPES; shape++) {
    rl_model *m = example((rl_shape)shape);
    const rl_body *body = &m->bodies[0];
    const double bound = body->parts[0].bound;
    if (shape == RL_PLANE) {
      assert_true(isinf(bound) && isinf(body->bound));
      rl_model_free(m);
      continue;
    }
    // Feet of points all around are on the surface; the farthest is nearly at the bound.
    double farthest = 0.0;
    uint64_t seed = 16;
    for (int i = 0; i < 20000; i++) {
      const rl_vec3 p = rl_add_scaled(placed(m, rl_vec(0, 0, 0)), 3.0, random_direction(&seed));
      const rl_surface s = surface_of(m, p);
      const rl_vec3 foot = rl_add_scaled(p, -s.distance, s.normal);
      farthest = fmax(farthest, rl_distance(foot, placed(m, rl_vec(0, 0, 0))));
      check_below(rl_distance(foot, body->position), body->bound + 1e-14);
    }
    check_below(farthest, bound + 1e-14);
    check_near(farthest, bound, 1e-3);
    rl_model_free(m);
  }
}

// ---------------------------------------------------------------------------------------------
// Hulls

// The corners of a box, with points in its faces, on its edges, inside, and twice.
static size_t crowded_box(rl_vec3 half, rl_quat turn, rl_vec3 *out) {
  size_t count = 0;
  uint64_t seed = 17;
  for (int i = 0; i < 27; i++) {
    const rl_vec3 p = {(i % 3 - 1) * half.x, (i / 3 % 3 - 1) * half.y, (i / 9 - 1) * half.z};
    out[count++] = p;
    const rl_vec3 r = random_in_cube(&seed, 0.9);
    out[count++] = rl_vec(r.x * half.x, r.y * half.y, half.z);
    out[count++] = rl_vec(-half.x, r.y * half.y, r.z * half.z);
    out[count++] = rl_vec(r.x * half.x, r.y * half.y, r.z * half.z);
  }
  out[count++] = half;
  for (size_t i = 0; i < count; i++) {
    out[i] = rl_rotate(turn, out[i]);
  }
  return count;
}

static void the_hull_of_a_box_is_the_box(void **unused) {
  (void)unused;
  const rl_vec3 half = {0.53, 0.29, 0.42};
  // As written, and turned by hand first, so that no two of its points are in exactly one plane.
  const rl_quat turns[2] = {{0, 0, 0, 1}, rl_quat_from_vector(rl_vec(0.4, 0.7, -1.1))};
  for (size_t k = 0; k < 2; k++) {
    rl_vec3 points[128];
    const size_t count = crowded_box(half, turns[k], points);
    const rl_part_definition crowd = hull_of(count, points);
    rl_part_definition plain = {.shape = RL_BOX, .size = rl_scale(2.0, half)};
    plain.rotation = k == 0 ? rl_vec(0, 0, 0) : rl_vec(0.4, 0.7, -1.1);
    rl_model *hull = model_with(crowd, body_at, body_turn);
    rl_model *box = model_with(plain, body_at, body_turn);
    assert_int_equal(hull->bodies[0].parts[0].face_count, 6);
    uint64_t seed = 18;
    for (int i = 0; i < 5000; i++) {
      const rl_vec3 p = rl_add(random_in_cube(&seed, 0.9), body_at);
      const rl_surface a = surface_of(box, p), b = surface_of(hull, p);
      check_near(b.distance, a.distance, 1e-14);
      check_near(rl_distance(a.normal, b.normal), 0.0, 1e-12);
      const rl_vec3 q = rl_add(random_in_cube(&seed, 0.9), body_at);
      rl_surface c, d;
      segment_of(box, p, q, &c);
      segment_of(hull, p, q, &d);
      check_near(d.distance, c.distance, 1e-13);
    }
    rl_model_free(hull);
    rl_model_free(box);
  }
}

// Points in general position on a sphere all are corners, between 2n - 4 triangles.
static void hulls_have_the_faces_of_euler(void **unused) {
  (void)unused;
  rl_vec3 points[RL_HULL_POINTS];
  uint64_t seed = 19;
  for (size_t i = 0; i < RL_HULL_POINTS; i++) {
    points[i] = random_direction(&seed);
  }
  const size_t counts[] = {4, 5, 12, 50, RL_HULL_POINTS};
  for (size_t k = 0; k < 5; k++) {
    rl_model *m = model_with(hull_of(counts[k], points), body_at, body_turn);
    assert_int_equal(m->bodies[0].parts[0].face_count, 2 * counts[k] - 4);
    rl_model_free(m);
  }
  // A prism: two polygons and its sides.
  for (size_t i = 0; i < 128; i++) {
    const double angle = 6.283185307179586 * (double)(i / 2) / 64.0;
    points[i] = rl_vec(cos(angle), i % 2 == 0 ? 0.3 : -0.3, sin(angle));
  }
  rl_model *m = model_with(hull_of(128, points), body_at, body_turn);
  assert_int_equal(m->bodies[0].parts[0].face_count, 66);
  rl_model_free(m);
}

// Hulls of random points against all triangles between them, and of many by their defining
// property: no point is outside, and from outside the foot is inside or on the surface.
static void hulls_of_random_points(void **unused) {
  (void)unused;
  uint64_t seed = 20;
  for (int round = 0; round < 40; round++) {
    rl_vec3 points[16];
    for (size_t i = 0; i < 16; i++) {
      points[i] = random_in_cube(&seed, 0.8);
      // Every other round on a coarse grid: many points in one plane, on one line, and twice.
      if (round % 2 == 1) {
        points[i] = rl_vec(0.4 * floor(2.5 * points[i].x), 0.4 * floor(2.5 * points[i].y),
                           0.4 * floor(2.5 * points[i].z));
      }
    }
    rl_model *m = model_with(hull_of(16, points), body_at, body_turn);
    int outside = 0;
    for (int i = 0; i < 200; i++) {
      const rl_vec3 p = rl_add(random_in_cube(&seed, 1.5), body_at);
      const rl_surface s = surface_of(m, p);
      if (s.distance > 0.0) {
        outside++;
        check_near(s.distance, distance_from_triangles(m, p), 1e-12);
      }
    }
    assert_in_range(outside, 100, 200);
    for (size_t i = 0; i < 16; i++) {
      check_below(surface_of(m, placed(m, points[i])).distance, 1e-14);
    }
    rl_model_free(m);
  }
}

// A plate a micrometre thick still is a body.
static void thin_hulls_work(void **unused) {
  (void)unused;
  rl_vec3 points[8];
  for (int i = 0; i < 8; i++) {
    points[i] = rl_vec(i & 1 ? 0.5 : -0.5, i & 2 ? 5e-7 : -5e-7, i & 4 ? 0.7 : -0.7);
  }
  const rl_vec3 none = {0, 0, 0};
  rl_model *m = model_with(hull_of(8, points), none, none);
  assert_int_equal(m->bodies[0].parts[0].face_count, 6);
  check_near(surface_of(m, rl_vec(0.2, 0.3, 0.1)).distance, 0.3 - 5e-7, 1e-15);
  check_near(surface_of(m, rl_vec(0.9, 0.0, 0.1)).distance, 0.4, 1e-15);
  check_near(surface_of(m, rl_vec(0.2, 1e-7, 0.1)).distance, -4e-7, 1e-15);
  rl_model_free(m);
}

static void hull_refused(size_t count, const rl_vec3 *points, const char *expected) {
  rl_part_definition part = hull_of(count, points);
  rl_body_definition body = rl_body_defaults();
  body.motion = RL_FIXED;
  body.part_count = 1;
  body.parts = &part;
  const rl_definition definition = {.body_count = 1, .bodies = &body};
  rl_fault fault;
  rl_model *model = rl_model_create(&definition, &fault);
  if (model) {
    print_error("accepted: expected '%s'\n", expected);
    rl_model_free(model);
    fail();
  }
  assert_int_equal(fault.kind, RL_FAULT_INVALID);
  assert_int_equal(fault.body, 0);
  assert_string_equal(fault.field, "shape");
  if (!strstr(fault.message, expected)) {
    print_error("observed '%s', expected '%s' in it\n", fault.message, expected);
    fail();
  }
}

static void degenerate_hulls_are_refused(void **unused) {
  (void)unused;
  rl_vec3 points[RL_HULL_POINTS + 1];
  uint64_t seed = 21;
  const rl_vec3 a = rl_vec(0.3, 0.4, 0.5), u = rl_vec(1, 0.2, -0.3), v = rl_vec(0.1, -0.7, 0.4);
  for (size_t i = 0; i < RL_HULL_POINTS + 1; i++) {
    points[i] = a;
  }
  hull_refused(3, points, "3 points; expected 4 to 256");
  hull_refused(RL_HULL_POINTS + 1, points, "257 points; expected 4 to 256");
  hull_refused(7, points, "lie at one place");
  for (size_t i = 0; i < 20; i++) {
    points[i] = rl_add_scaled(a, next_random(&seed), u);
  }
  hull_refused(20, points, "lie on one line");
  for (size_t i = 0; i < 20; i++) {
    points[i] = rl_add_scaled(points[i], next_random(&seed), v);
  }
  hull_refused(20, points, "20 points of the hull lie in one plane");
}

// Two layers of points, each about as thick as rounding: refused or correct, but never wrong.
static void hulls_on_the_limit_of_rounding(void **unused) {
  (void)unused;
  uint64_t seed = 22;
  int accepted = 0;
  for (int round = 0; round < 60; round++) {
    const double layer = 1e-14 * (double)(1 << (round % 20));
    rl_vec3 points[40];
    for (size_t i = 0; i < 40; i++) {
      points[i] = random_in_cube(&seed, 1.0);
      points[i].y = (i % 2 == 0 ? 0.5 : -0.5) + layer * points[i].y;
    }
    static rl_hull hull;
    char message[256];
    if (!rl_hull_build(40, points, &hull, message, sizeof message)) {
      assert_non_null(strstr(message, "cannot be told from each other"));
      continue;
    }
    accepted++;
    rl_part part = {.shape = RL_HULL, .rotation = {0, 0, 0, 1}, .face_count = hull.face_count};
    part.point_count = 40;
    part.faces = hull.faces;
    part.corners = hull.corners;
    part.points = points;
    part.bound = rl_shape_bound(&part);
    for (int i = 0; i < 50; i++) {
      const rl_vec3 p = {0.2 * next_random(&seed), 0.45 + next_random(&seed), 0.1};
      const rl_surface s = rl_hull_surface(&part, p);
      check_near(s.distance, p.y - 0.5, 2.0 * layer + 1e-12);
    }
  }
  assert_in_range(accepted, 50, 60);
}

// ---------------------------------------------------------------------------------------------
// Segments

// The least distance along a segment: a fine sample, then a golden-section search about the best.
static double least_by_sampling(const rl_model *m, rl_vec3 p0, rl_vec3 p1) {
  const int count = 400;
  const rl_vec3 step = rl_sub(p1, p0);
  int best = 0;
  double least = INFINITY;
  for (int i = 0; i <= count; i++) {
    const double d = expected_distance(m, rl_add_scaled(p0, (double)i / count, step));
    if (d < least) {
      least = d;
      best = i;
    }
  }
  double low = fmax(0.0, (best - 1.0) / count), high = fmin(1.0, (best + 1.0) / count);
  while (high - low > 1e-13) {
    const double a = high - (high - low) / golden, b = low + (high - low) / golden;
    const double da = expected_distance(m, rl_add_scaled(p0, a, step));
    const double db = expected_distance(m, rl_add_scaled(p0, b, step));
    if (da < db) {
      high = b;
    } else {
      low = a;
    }
    least = fmin(least, fmin(da, db));
  }
  return least;
}

static void segments_agree_with_samples(void **unused) {
  (void)unused;
  for (int shape = 0; shape < SHAPES; shape++) {
    rl_model *m = example((rl_shape)shape);
    uint64_t seed = 23;
    int between = 0;
    for (int i = 0; i < (shape == RL_HULL ? 100 : 1000); i++) {
      const rl_vec3 centre = placed(m, rl_vec(0, 0, 0));
      const rl_vec3 p0 = rl_add(random_in_cube(&seed, 1.2), centre);
      const rl_vec3 p1 = rl_add(random_in_cube(&seed, 1.2), centre);
      rl_surface s;
      const double at = segment_of(m, p0, p1, &s);
      assert_true(at >= 0.0 && at <= 1.0);
      const rl_surface there = surface_of(m, rl_add_scaled(p0, at, rl_sub(p1, p0)));
      check_near(there.distance, least_by_sampling(m, p0, p1), 3e-13);
      check_near(rl_length(s.normal), 1.0, 1e-14);
      if (there.distance > 1e-6) {
        check_near(s.distance, there.distance, 1e-14);
        check_near(rl_distance(s.normal, there.normal), 0.0, 1e-8);
      }
      between += at > 0.0 && at < 1.0 ? 1 : 0;
    }
    assert_true(between > 30 || shape == RL_PLANE);
    rl_model_free(m);
  }
}

// Moving the ends changes the least distance by what the normal sees of the place's motion,
// (1 - s) d0 + s d1: the gradient that a contact of the segment needs.
static void the_least_distance_has_the_normal_as_its_gradient(void **unused) {
  (void)unused;
  const double h = 1e-6;
  for (int shape = 0; shape < SHAPES; shape++) {
    rl_model *m = example((rl_shape)shape);
    const rl_vec3 centre = placed(m, rl_vec(0, 0, 0));
    uint64_t seed = 25;
    int outside = 0;
    for (int i = 0; i < 2000; i++) {
      const rl_vec3 p0 = rl_add(random_in_cube(&seed, 1.2), centre);
      const rl_vec3 p1 = rl_add(random_in_cube(&seed, 1.2), centre);
      const rl_vec3 d0 = random_direction(&seed), d1 = random_direction(&seed);
      rl_surface s, after, before;
      const double at = segment_of(m, p0, p1, &s);
      const double there =
          segment_of(m, rl_add_scaled(p0, h, d0), rl_add_scaled(p1, h, d1), &after);
      segment_of(m, rl_add_scaled(p0, -h, d0), rl_add_scaled(p1, -h, d1), &before);
      if (s.distance < 0.01 || fabs(there - at) > 1e-3) {
        continue; // cuts in, or runs along a face and goes over to its other end
      }
      outside++;
      const double expected = (1.0 - at) * rl_dot(s.normal, d0) + at * rl_dot(s.normal, d1);
      check_near((after.distance - before.distance) / (2.0 * h), expected, 2e-5);
    }
    assert_in_range(outside, 100, 2000);
    rl_model_free(m);
  }
}

// Segments beside a face: the middle of what is beside it, and it stays there when the segment
// turns by less than is seen.
static void flat_stretches_give_their_middle(void **unused) {
  (void)unused;
  const rl_vec3 none = {0, 0, 0};
  rl_vec3 corners[8];
  for (int i = 0; i < 8; i++) {
    corners[i] = rl_vec(i & 1 ? 0.5 : -0.5, i & 2 ? 0.3 : -0.3, i & 4 ? 0.4 : -0.4);
  }
  const rl_part_definition parts[] = {
      {.shape = RL_BOX, .size = {1.0, 0.6, 0.8}},
      hull_of(8, corners),
      {.shape = RL_CYLINDER, .radius = 0.3, .length = 1.0, .rotation = {0, 1.5707963267948966, 0}},
      {.shape = RL_CAPSULE, .radius = 0.3, .length = 1.0, .rotation = {0, 1.5707963267948966, 0}},
  };
  const double heights[] = {0.7, 0.31, 0.3, 0.25, 0.2}; // from above to inside
  const double tilts[] = {0.0, 3e-11, -3e-11, 1e-15, -1e-15};
  for (size_t k = 0; k < 4; k++) {
    rl_model *m = model_with(parts[k], none, none);
    for (size_t h = 0; h < 5; h++) {
      for (size_t t = 0; t < 5; t++) {
        // Along x from -0.2 to 1.8; the face, or the axis, ends at 0.5 and inside a little earlier
        // where the end is nearer than the side.
        const rl_vec3 p0 = {-0.2, heights[h], 0.0}, p1 = {1.8, heights[h] + tilts[t], 0.0};
        rl_surface s;
        const double at = segment_of(m, p0, p1, &s);
        const bool end_decides = heights[h] < 0.3 && parts[k].shape != RL_CAPSULE;
        const double last = end_decides ? 0.5 - (0.3 - heights[h]) : 0.5;
        check_near(-0.2 + 2.0 * at, 0.5 * (-0.2 + last), 1e-8);
        check_near(s.distance, heights[h] - 0.3, 1e-10);
        check_near(s.normal.y, 1.0, 1e-9);
      }
    }
    rl_model_free(m);
  }
}

// The same beside an edge, so close to it that the direction to it is hardly known.
static void segments_along_an_edge_give_their_middle(void **unused) {
  (void)unused;
  rl_model *m = example(RL_HULL);
  const rl_vec3 *points = m->bodies[0].parts[0].points;
  const rl_vec3 a = points[0], b = points[1]; // neighbours: (0, 1, golden) and (1, golden, 0)
  assert_true(rl_distance(a, b) < 2.0 * 0.385 + 1e-12);
  const rl_vec3 out = rl_unit(rl_add(a, b));
  const double distances[] = {1e-2, 1e-5, 1e-7, 1e-9};
  for (size_t i = 0; i < 4; i++) {
    // From a quarter of the edge to half of its length beyond its end.
    const rl_vec3 lift = rl_scale(distances[i], out);
    const rl_vec3 p0 = rl_add(rl_add_scaled(a, 0.25, rl_sub(b, a)), lift);
    const rl_vec3 p1 = rl_add(rl_add_scaled(a, 1.5, rl_sub(b, a)), lift);
    rl_surface s;
    const double at = segment_of(m, placed(m, p0), placed(m, p1), &s);
    check_near(0.25 + 1.25 * at, 0.5 * (0.25 + 1.0), 1e-6);
    check_near(s.distance, distances[i], 1e-15);
  }
  rl_model_free(m);
}

// A segment that cuts an edge: distance of two lines and the normal across both, from each side.
static void cut_edges_give_the_way_over_them(void **unused) {
  (void)unused;
  rl_model *m = example(RL_BOX);
  const rl_vec3 half = m->bodies[0].parts[0].half;
  uint64_t seed = 24;
  int cut = 0;
  for (int i = 0; i < 500; i++) {
    // From above the top to beyond the side, through the edge along z between them.
    const rl_vec3 a = {half.x - 0.2 * next_random(&seed), half.y + 0.1 * next_random(&seed),
                       0.3 * (next_random(&seed) - 0.5)};
    const rl_vec3 b = {half.x + 0.1 * next_random(&seed), half.y - 0.2 * next_random(&seed),
                       0.3 * (next_random(&seed) - 0.5)};
    const rl_vec3 across = rl_unit(rl_cross(rl_vec(0, 0, 1), rl_sub(b, a)));
    const rl_vec3 normal = across.x + across.y > 0.0 ? across : rl_scale(-1.0, across);
    const double expected = rl_dot(normal, rl_sub(a, rl_vec(half.x, half.y, 0.0)));
    rl_surface s;
    segment_of(m, placed(m, a), placed(m, b), &s);
    // Otherwise it passes outside, or so flat that it ends before the middle between the faces.
    if (expected < 0.0 && normal.x > 0.05 && normal.y > 0.05) {
      cut++;
      check_near(s.distance, expected, 1e-13);
      check_near(rl_distance(s.normal, turned(m, normal)), 0.0, 1e-12);
    }
  }
  assert_in_range(cut, 100, 400);
  rl_model_free(m);
}

static void segments_that_do_not_choose(void **unused) {
  (void)unused;
  const rl_vec3 none = {0, 0, 0};
  const rl_part_definition ball = {.shape = RL_SPHERE, .radius = 0.5};
  const rl_part_definition plate = {.shape = RL_BOX, .size = {2.0, 0.1, 2.0}};
  rl_surface s;
  rl_model *m = model_with(ball, none, none);
  // Of no length; through the centre; ending before the nearest place, from either side.
  check_near(segment_of(m, rl_vec(1, 0, 0), rl_vec(1, 0, 0), &s), 0.5, 1e-14);
  check_near(s.distance, 0.5, 0.0);
  check_near(segment_of(m, rl_vec(-1, 0, 0), rl_vec(3, 0, 0), &s), 0.25, 1e-14);
  check_near(s.distance, -0.5, 1e-14);
  check_near(rl_length(s.normal), 1.0, 1e-14);
  check_near(segment_of(m, rl_vec(-3, 1, 0), rl_vec(-1, 1, 0), &s), 1.0, 0.0);
  check_near(segment_of(m, rl_vec(1, 1, 0), rl_vec(3, 1, 0), &s), 0.0, 0.0);
  check_near(s.distance, sqrt(2.0) - 0.5, 1e-15);
  rl_model_free(m);
  // Straight through a plate: as deep as it gets, out through one of the faces.
  m = model_with(plate, none, none);
  check_near(segment_of(m, rl_vec(0, 3, 0), rl_vec(0, -1, 0), &s), 0.75, 1e-14);
  check_near(s.distance, -0.05, 1e-14);
  check_near(fabs(s.normal.y), 1.0, 0.0);
  rl_model_free(m);
}

// What is not a number is never reported as a distance.
static void nan_stays_nan(void **unused) {
  (void)unused;
  for (int shape = 0; shape < SHAPES; shape++) {
    rl_model *m = example((rl_shape)shape);
    const rl_vec3 bad = {NAN, 0.0, 0.0}, good = {0.0, 2.0, 0.0};
    rl_surface s = surface_of(m, bad);
    assert_true(isnan(s.distance) || isnan(s.normal.x));
    const double at = segment_of(m, good, bad, &s);
    assert_true(at >= 0.0 && at <= 1.0);
    assert_true(isnan(s.distance) || isnan(s.normal.x));
    rl_model_free(m);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(distances_agree_with_formulas),
      cmocka_unit_test(normals_are_the_gradients),
      cmocka_unit_test(distances_are_convex_along_lines),
      cmocka_unit_test(a_cylinder_is_as_near_as_its_samples),
      cmocka_unit_test(a_capsule_without_length_is_a_sphere),
      cmocka_unit_test(centres_and_axes_have_normals),
      cmocka_unit_test(bounds_hold_the_part_and_no_more),
      cmocka_unit_test(the_hull_of_a_box_is_the_box),
      cmocka_unit_test(hulls_have_the_faces_of_euler),
      cmocka_unit_test(hulls_of_random_points),
      cmocka_unit_test(thin_hulls_work),
      cmocka_unit_test(degenerate_hulls_are_refused),
      cmocka_unit_test(hulls_on_the_limit_of_rounding),
      cmocka_unit_test(segments_agree_with_samples),
      cmocka_unit_test(the_least_distance_has_the_normal_as_its_gradient),
      cmocka_unit_test(flat_stretches_give_their_middle),
      cmocka_unit_test(segments_along_an_edge_give_their_middle),
      cmocka_unit_test(cut_edges_give_the_way_over_them),
      cmocka_unit_test(segments_that_do_not_choose),
      cmocka_unit_test(nan_stays_nan),
  };
  return cmocka_run_group_tests_name("shape", tests, NULL, NULL);
}
