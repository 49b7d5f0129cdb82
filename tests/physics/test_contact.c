// SPDX-License-Identifier: GPL-3.0-or-later
// Ropes against bodies: coarse elements do not cut corners, normal forces carry weights.
#include "check.h"

#include "world/shape.h"

// The deepest point of any element of the rope inside the body [m].
static double deepest(const rl_driver *d, uint32_t body) {
  const rl_body *b = &d->model->bodies[body];
  const rl_point *points = d->state->points;
  double depth = -INFINITY;
  for (uint32_t i = 0; i < d->model->link_count; i++) {
    const rl_link *link = &d->state->links[i];
    rl_surface surface;
    const double s = rl_shape_segment(
        &b->parts[0], rl_position(&points[rl_body_slot(d->model, body)]), b->rotation,
        rl_position(&points[link->a]), rl_position(&points[link->b]), &surface);
    assert_true(s >= 0.0 && s <= 1.0);
    depth = rl_larger(depth, -surface.distance);
  }
  return depth;
}

// A rope of six elements falls across shapes smaller than an element. With contacts of nodes alone
// it would cut straight through them.
static void coarse_ropes_do_not_cut_corners(void **unused) {
  (void)unused;
  static const char *const shapes[] = {
      "box: {size: [0.2, 0.2, 1]}",
      "sphere: {radius: 0.12}",
      "cylinder: {radius: 0.1, length: 1}",
      "capsule: {radius: 0.08, length: 0.5}",
      "hull: {points: [[-0.1, -0.1, -1], [0.1, -0.1, -1], [0, 0.15, -1], [-0.1, -0.1, 1],"
      " [0.1, -0.1, 1], [0, 0.15, 1]]}",
  };
  for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
    rl_scenario *s = scenario_from(
        "name: drape\nduration: 1\nstep: 0.01\n"
        "bodies: {bar: {motion: fixed, position: [0.17, 0, 0], shape: {%s}}}\n"
        "ropes: {rope: {from: {free: [-1, 0.3, 0]}, to: {free: [1, 0.3, 0]}, mass: 0.6,"
        " segments: 6}}\n",
        shapes[i]);
    for (size_t k = 0; rl_solvers[k]; k++) {
      const bool springs = rl_solvers[k]->stored_energy != NULL; // they sink in and through
      if (springs || rl_driver_missing(s->model, rl_solvers[k])) {
        continue;
      }
      rl_driver *d = driver_for(s, rl_solvers[k]->name, 1.0 / 240.0);
      bool touched = false;
      for (int n = 0; n < 100; n++) {
        assert_true(rl_driver_step(d) > 0);
        touched = touched || probe(d, "rope.contacts") > 0.0;
        if (deepest(d, 0) > 0.01) {
          print_error("%s on shape %zu, step %d\n", rl_solvers[k]->name, i, n);
        }
        check_below(deepest(d, 0), 0.01);
      }
      assert_true(touched);
      rl_driver_free(d);
    }
    rl_scenario_free(s);
  }
}

// A straight rope held by one element on a narrow bar balances: the bar carries the whole weight.
static void bar_carries_the_weight(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: balance\nduration: 1\nstep: 0.01\n"
      "bodies: {bar: {motion: fixed, position: [0, -0.1, 0], shape: {cylinder: {radius: 0.1,"
      " length: 1}}}}\n"
      "ropes: {rope: {from: {free: [-0.5, 0, 0]}, to: {free: [0.5, 0, 0]}, mass: 0.8, segments: 1,"
      " compression: true}}\n");
  static const char *const solvers[] = {"pbd,iterations=200", "xpbd,substeps=1,iterations=200",
                                        "pbd-direct", "impulse,iterations=200", "rattle"};
  for (size_t i = 0; i < 5; i++) {
    rl_driver *d = driver_for(s, solvers[i], 1.0 / 240.0);
    for (int n = 0; n < 20; n++) {
      assert_true(rl_driver_step(d) > 0);
    }
    double sum = 0.0;
    for (size_t c = 0; c < d->state->contact_count; c++) {
      sum += d->state->multipliers[d->model->link_count + c];
    }
    check_relative(sum, 0.8 * 9.81, 1e-6);
    check_near(probe(d, "rope.node.0.y"), 0.0, 1e-9);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(coarse_ropes_do_not_cut_corners),
      cmocka_unit_test(bar_carries_the_weight),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
