// SPDX-License-Identifier: GPL-3.0-or-later
// Where two shapes touch, and the rows of these contacts.
#include "check.h"

#include "world/bodies/manifold.h"
#include "world/rotation.h"
#include "world/trigonometry.h"

#include <stdlib.h>

// What every scenario needs: a rope, out of the way.
#define ROPE "ropes: {r: {from: {point: [0, 50, 0]}, to: {point: [0, 49, 0]}, slack: 0.1}}\n"

// ---------------------------------------------------------------------------------------------
// Where two shapes touch

static const char *const shapes[] = {
    "sphere: {radius: 0.2}",
    "capsule: {radius: 0.1, length: 0.4}",
    "cylinder: {radius: 0.15, length: 0.3}",
    "box: {size: [0.3, 0.2, 0.4]}",
    "hull: {points: [[0.2, 0.2, 0.2], [-0.2, -0.2, 0.2], [-0.2, 0.2, -0.2], [0.2, -0.2, -0.2]]}",
    "plane: {normal: [0.2, 1, -0.3]}",
};
enum { SPHERE, CAPSULE, CYLINDER, BOX, HULL, PLANE, SHAPES };

static double uniform(double from, double to) {
  return from + (to - from) * (double)rand() / (double)RAND_MAX;
}

static rl_vec3 random_vector(double size) {
  return rl_vec(uniform(-size, size), uniform(-size, size), uniform(-size, size));
}

static rl_vec3 onto(const rl_solid *s, rl_vec3 p) {
  const rl_surface at = rl_shape_surface(s->part, s->position, s->rotation, p);
  return at.distance > 0.0 ? rl_add_scaled(p, -at.distance, at.normal) : p;
}

// The nearest points of two parts that do not overlap, by projections in turn (Cheney, Goldstein
// 1959): it knows of the parts only how far a point is from each.
static double nearest_points(const rl_solid *a, const rl_solid *b, rl_vec3 *on_a, rl_vec3 *on_b) {
  *on_b = b->position;
  for (int i = 0; i < 20000; i++) {
    *on_a = onto(a, *on_b);
    *on_b = onto(b, *on_a);
  }
  return rl_distance(*on_a, *on_b);
}

// What is known of a pair of kinds: how far the smallest gap may be off [m], and the normal.
static void tolerances(size_t a, size_t b, double *gap, double *normal) {
  const bool exact = a <= CAPSULE || b <= CAPSULE || a == PLANE || b == PLANE ||
                     (a == CYLINDER) != (b == CYLINDER);
  *gap = exact ? 1e-12 : 3.5e-4; // else 1e-3 of the part: a face goes before an edge that is nearer
  *normal = exact ? 1e-10 : 1.0; // and has another normal
}

static double smallest_gap(const rl_touch *touches, size_t count, size_t *which) {
  *which = 0;
  for (size_t i = 1; i < count; i++) {
    *which = touches[i].gap < touches[*which].gap ? i : *which;
  }
  return touches[*which].gap;
}

// Turned at random and pushed together until a gap of 0.1 mm is left: found, with its normal, and
// its points on both surfaces.
static void touches_are_where_shapes_are_nearest(void **unused) {
  (void)unused;
  static const double left = 1e-4;
  srand(7);
  for (size_t i = 0; i < SHAPES; i++) {
    for (size_t k = 0; k < SHAPES; k++) {
      if (i == PLANE && k == PLANE) {
        continue;
      }
      rl_scenario *s =
          scenario_from("name: p\nduration: 1\nstep: 0.01\nbodies:\n"
                        "  a: {motion: fixed, rope_collide: false, shape: {%s}}\n"
                        "  b: {motion: fixed, rope_collide: false, shape: {%s}}\n" ROPE,
                        shapes[i], shapes[k]);
      double gap_tolerance, normal_tolerance, worst = 0.0, turned = 0.0;
      tolerances(i, k, &gap_tolerance, &normal_tolerance);
      for (int n = 0; n < 30; n++) {
        rl_solid a = {
            s->model->bodies[0].parts, {0.1, -0.2, 0.3}, rl_quat_from_vector(random_vector(3.0))};
        rl_solid b = {
            s->model->bodies[1].parts, {0.0, 0.0, 0.0}, rl_quat_from_vector(random_vector(3.0))};
        const rl_solid *flat = i == PLANE ? &a : &b;
        const rl_vec3 out = rl_rotate(flat->rotation, flat->part->normal);
        b.position = rl_add(a.position, i == PLANE   ? out
                                        : k == PLANE ? rl_scale(-1.0, out)
                                                     : rl_unit(random_vector(1.0)));
        rl_vec3 on_a, on_b;
        const double apart = nearest_points(&a, &b, &on_a, &on_b);
        const rl_vec3 normal = rl_unit(rl_sub(on_a, on_b)); // out of b
        b.position = rl_add_scaled(b.position, apart - left, normal);
        rl_touch touches[RL_TOUCHES];
        const size_t count = rl_manifold_find(&a, &b, 0.01, touches);
        assert_true(count >= 1 && count <= rl_manifold_capacity(a.part->shape, b.part->shape));
        size_t which;
        const double gap = smallest_gap(touches, count, &which);
        worst = fmax(worst, fabs(gap - left));
        check_near(gap, left, gap_tolerance);
        const rl_vec3 found = rl_scale(touches[which].swapped ? -1.0 : 1.0, touches[which].normal);
        turned = fmax(turned, rl_distance(found, normal));
        check_below(rl_distance(found, normal), normal_tolerance);
        for (size_t t = 0; t < count; t++) {
          double below;
          const rl_touch *touch = &touches[t];
          const rl_solid *first = touch->swapped ? &b : &a, *second = touch->swapped ? &a : &b;
          const rl_vec3 p =
              rl_rounding_point(touch->core, touch->radius, touch->axis, touch->normal, &below);
          check_below(rl_shape_surface(first->part, first->position, first->rotation, p).distance,
                      1e-9);
          check_near(rl_length(touch->normal), 1.0, 1e-12);
          check_near(rl_dot(touch->normal, rl_sub(p, touch->surface)), touch->gap, 1e-12);
          check_below(
              rl_shape_surface(second->part, second->position, second->rotation, touch->surface)
                  .distance,
              gap_tolerance + 1e-9);
        }
      }
      print_message("%zu-%zu: gap off by %.2g m, normal by %.2g\n", i, k, worst, turned);
      rl_scenario_free(s);
    }
  }
}

// What lies flat on what is flat has as many points as it takes to rest there, and no others.
static void flat_things_rest_on_corners(void **unused) {
  (void)unused;
  static const struct {
    const char *below, *above;
    double height; // of the middle of what lies above
    const char *turn;
    size_t expected;
  } known[] = {
      {"plane: {normal: [0, 1, 0]}", "box: {size: [0.4, 0.2, 0.3]}", 0.1, "[0, 0.3, 0]", 4},
      {"box: {size: [2, 0.2, 2]}", "box: {size: [0.4, 0.2, 0.3]}", 0.2, "[0, 0.3, 0]", 4},
      {"box: {size: [0.4, 0.2, 0.3]}", "box: {size: [0.4, 0.2, 0.3]}", 0.2, "[0, 0, 0]", 4},
      {"box: {size: [0.4, 0.2, 0.4]}", "box: {size: [0.4, 0.2, 0.4]}", 0.2,
       "[0, 0.7853981633974483, 0]", 8},
      {"box: {size: [1, 0.2, 0.1]}", "box: {size: [0.1, 0.2, 1]}", 0.2, "[0, 0, 0]", 4},
      {"box: {size: [0.2, 0.2, 0.2]}", "box: {size: [1, 0.2, 1]}", 0.2, "[0, 0.4, 0]", 4},
      {"plane: {normal: [0, 1, 0]}", "capsule: {radius: 0.1, length: 0.4}", 0.1, "[0, 0.4, 0]", 2},
      {"box: {size: [0.2, 0.2, 0.2]}", "capsule: {radius: 0.1, length: 0.9}", 0.2, "[0, 0, 0]", 2},
      {"plane: {normal: [0, 1, 0]}", "cylinder: {radius: 0.1, length: 0.4}", 0.1, "[0, 0.4, 0]", 2},
      {"box: {size: [0.2, 0.2, 0.2]}", "cylinder: {radius: 0.1, length: 0.9}", 0.2, "[0, 0, 0]", 2},
      {"plane: {normal: [0, 1, 0]}", "cylinder: {radius: 0.1, length: 0.4}", 0.2,
       "[1.5707963267948966, 0, 0]", 8},
      {"cylinder: {radius: 0.1, length: 0.4}", "cylinder: {radius: 0.1, length: 0.4}", 0.2,
       "[0, 0, 0]", 2},
      {"hull: {points: [[1, 0.1, 1], [1, 0.1, -1], [-1, 0.1, 1], [-1, 0.1, -1], [0, -1, 0]]}",
       "box: {size: [0.4, 0.2, 0.3]}", 0.2, "[0, 0.3, 0]", 4},
  };
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    rl_scenario *s = scenario_from("name: p\nduration: 1\nstep: 0.01\nbodies:\n"
                                   "  a: {motion: fixed, rope_collide: false, shape: {%s}}\n"
                                   "  b: {motion: fixed, rope_collide: false, rotation: %s,"
                                   " shape: {%s}}\n" ROPE,
                                   known[i].below, known[i].turn, known[i].above);
    const rl_body *bodies = s->model->bodies;
    const rl_solid a = {bodies[0].parts, {0.0, 0.0, 0.0}, bodies[0].rotation};
    const rl_solid b = {bodies[1].parts, {0.0, known[i].height, 0.0}, bodies[1].rotation};
    rl_touch touches[RL_TOUCHES];
    const size_t count = rl_manifold_find(&a, &b, 1e-6, touches);
    if (count != known[i].expected) {
      print_error("%s on %s\n", known[i].above, known[i].below);
    }
    assert_int_equal(count, known[i].expected);
    for (size_t k = 0; k < count; k++) {
      check_near(touches[k].gap, 0.0, 1e-12);
      check_near(fabs(touches[k].normal.y), 1.0, 1e-12);
    }
    rl_scenario_free(s);
  }
}

// (8a), (8b) of papers/bodies.md: coincident ends and rims, shifted along them by nothing, by
// rounding and by more, apart and in each other by little: whatever the shift, what lies on the
// other rests on it upwards, at the true gap, from one end of where they meet to the other.
static void coincident_things_rest_on_each_other(void **unused) {
  (void)unused;
  static const struct {
    const char *below, *below_turn, *above, *above_turn;
    double height, half; // of the middle of what lies above; of the place where they meet, along z
  } known[] = {
      {"cylinder: {radius: 0.22, length: 0.6}", "[0, 0, 0]", "box: {size: [0.3576, 0.2261, 0.6]}",
       "[0, 0, 0]", 0.22 + 0.11305, 0.3},
      {"box: {size: [0.3576, 0.2261, 0.6]}", "[0, 0, 0]", "cylinder: {radius: 0.22, length: 0.6}",
       "[0, 0, 0]", 0.22 + 0.11305, 0.3},
      {"cylinder: {radius: 0.2, length: 0.3}", "[0, 0, 0]", "cylinder: {radius: 0.2, length: 0.3}",
       "[0, 0, 0]", 0.4, 0.15},
      {"cylinder: {radius: 0.2, length: 0.4}", "[1.5707963267948966, 0, 0]",
       "cylinder: {radius: 0.2, length: 0.4}", "[0, 0, 0]", 0.4, 0.2},
      {"cylinder: {radius: 0.2, length: 0.4}", "[0, 0, 0]", "cylinder: {radius: 0.2, length: 0.4}",
       "[1.5707963267948966, 0, 0]", 0.4, 0.2},
      {"cylinder: {radius: 0.2, length: 0.4}", "[1.5707963267948966, 0, 0]",
       "cylinder: {radius: 0.2, length: 0.4}", "[1.5707963267948966, 0, 0]", 0.4, 0.1},
      {"cylinder: {radius: 0.2, length: 0.4}", "[0, 0, 0]", "capsule: {radius: 0.1, length: 0.4}",
       "[0, 0, 0]", 0.3, 0.2},
  };
  static const double shifts[] = {0.0,   1e-17, -1e-17, 1e-16, -1e-16, 1e-14, -1e-14,
                                  1e-12, 1e-11, -1e-11, 1e-9,  -1e-9,  1e-6,  -1e-6};
  static const double gaps[] = {1e-6, 1e-10, 0.0, -1e-10, -1e-6};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    rl_scenario *s =
        scenario_from("name: p\nduration: 1\nstep: 0.01\nbodies:\n"
                      "  a: {motion: fixed, rope_collide: false, rotation: %s,"
                      " shape: {%s}}\n"
                      "  b: {motion: fixed, rope_collide: false, rotation: %s,"
                      " shape: {%s}}\n" ROPE,
                      known[i].below_turn, known[i].below, known[i].above_turn, known[i].above);
    const rl_body *bodies = s->model->bodies;
    const rl_solid a = {bodies[0].parts, {0.0, 0.0, 0.0}, bodies[0].rotation};
    for (size_t n = 0; n < sizeof shifts / sizeof shifts[0] * 5; n++) {
      const double shift = shifts[n / 5], gap = gaps[n % 5];
      const rl_solid b = {bodies[1].parts, {0.0, known[i].height + gap, shift}, bodies[1].rotation};
      rl_touch touches[RL_TOUCHES];
      const size_t count = rl_manifold_find(&a, &b, 1e-5, touches);
      double first = INFINITY, last = -INFINITY;
      for (size_t k = 0; k < count; k++) {
        check_near(touches[k].gap, gap, 1e-11);
        check_near(fabs(touches[k].normal.y), 1.0, 1e-6);
        first = fmin(first, touches[k].surface.z);
        last = fmax(last, touches[k].surface.z);
      }
      check_below(first, -known[i].half + 2.0 * fabs(shift) + 1e-9);
      check_below(known[i].half - 2.0 * fabs(shift) - 1e-9, last);
      // Nothing touches where they are farther apart than asked for.
      const rl_solid far = {
          bodies[1].parts, {0.0, known[i].height + 0.01, shift}, bodies[1].rotation};
      assert_int_equal(rl_manifold_find(&a, &far, 0.0, touches), 0);
    }
    rl_scenario_free(s);
  }
}

// Two equal boxes, shifted and turned against each other by so little that edges lie on the limit
// of the faces: no touch is beyond these.
static void nearly_aligned_boxes_touch_on_both(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: p\nduration: 1\nstep: 0.01\nbodies:\n"
      "  a: {motion: fixed, rope_collide: false, shape: {box: {size: [0.3, 0.2, 0.4]}}}\n" ROPE);
  const rl_part *box = s->model->bodies[0].parts;
  srand(11);
  for (int n = 0; n < 1000; n++) {
    const rl_solid a = {box, {0.0, 0.0, 0.0}, {0.0, 0.0, 0.0, 1.0}};
    const rl_solid b = {
        box,
        {uniform(-1e-9, 1e-9), 0.2 + uniform(-1e-6, 1e-6), uniform(-1e-9, 1e-9)},
        rl_quat_from_vector(rl_vec(0.0, uniform(-2e-9, 2e-9), uniform(-1e-6, 1e-6)))};
    rl_touch touches[RL_TOUCHES];
    const size_t count = rl_manifold_find(&a, &b, 1e-3, touches);
    assert_true(count >= 4);
    for (size_t k = 0; k < count; k++) {
      check_below(rl_shape_surface(box, a.position, a.rotation, touches[k].surface).distance, 3e-6);
      check_below(rl_shape_surface(box, b.position, b.rotation, touches[k].surface).distance, 3e-6);
    }
  }
  rl_scenario_free(s);
}

// ---------------------------------------------------------------------------------------------
// Rows

// How the first body slides over the second at a contact, from the velocities of both there.
static void check_slide(const rl_driver *d, rl_row *row) {
  const rl_contact *contact = &d->state->contacts[row->item];
  const rl_vec3 place = rl_contact_place(d->model, d->state, d->rows, row);
  const rl_vec3 p = rl_add_scaled(place, -row->value, row->normal);
  const uint32_t bodies[2] = {contact->slot - d->model->node_count, contact->body};
  rl_vec3 v[2];
  for (size_t i = 0; i < 2; i++) {
    const uint32_t slot = rl_body_slot(d->model, bodies[i]);
    const rl_vec3 arm = rl_sub(p, rl_position(&d->state->points[slot]));
    v[i] = rl_add(d->state->velocities[slot],
                  rl_cross(rl_body_spin(d->model, d->state, bodies[i]), arm));
  }
  const rl_vec3 relative = rl_sub(v[0], v[1]);
  const double along = rl_dot(relative, row->normal);
  check_near(rl_row_rate(d->rows, row, d->state->velocities), -along, 1e-13);
  check_near(rl_distance(rl_contact_slide(d->rows, row, d->state->velocities),
                         rl_add_scaled(relative, -along, row->normal)),
             0.0, 1e-13);
}

static void rows_have_their_gradients(void **unused) {
  (void)unused;
  size_t rows = 0;
  for (size_t i = 0; i < SHAPES; i++) {
    for (size_t k = 0; k < PLANE; k++) {
      rl_scenario *s = scenario_from(
          "name: p\nduration: 1\nstep: 0.01\nbodies:\n"
          "  a: {mass: 1.3, rope_collide: false, rotation: [0.2, 0.4, -0.3], velocity: [0.3, 0.1,"
          " 0], spin: [0.3, 1.1, -0.7], friction: 0.3, inertia: [0.02, 0.03, 0.025], shape: {%s}}\n"
          "  b: {mass: 2.385, position: [0.17, 0.52, 0.12], rotation: [1.1, 0.2, 0.7], velocity:"
          " [0, -1, 0.2], spin: [-0.4, 0.2, 0.9], rope_collide: false, inertia: [0.05, 0.04, 0.03],"
          " shape: {%s}}\n" ROPE,
          shapes[i], shapes[k]);
      rl_driver *d = driver_for(s, "impulse", 0.01);
      rl_detect(d->model, d->state, 0.3, d->rows);
      assert_true(d->state->contact_count > 0);
      for (uint32_t n = d->rows->span_count; n < d->rows->row_count; n++) {
        rl_row *row = &d->rows->rows[n];
        rl_row_evaluate(d->model, d->state, d->rows, row, d->state->points);
        check_row_gradient(d, row, i == CAPSULE && k == CAPSULE ? 1e-5 : 2e-9);
        check_slide(d, row);
        rows++;
      }
      rl_driver_free(d);
      rl_scenario_free(s);
    }
  }
  assert_true(rows > 60);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(touches_are_where_shapes_are_nearest),
      cmocka_unit_test(flat_things_rest_on_corners),
      cmocka_unit_test(coincident_things_rest_on_each_other),
      cmocka_unit_test(nearly_aligned_boxes_touch_on_both),
      cmocka_unit_test(rows_have_their_gradients),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
