// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of massless ropes over bodies: momentum, gradients, corners, strands that go on.
#include "check.h"

#include "world/paths/bend.h"
#include "world/paths/wrap.h"
#include "world/rows_internal.h"

#include <stdlib.h>
#include <string.h>

// A rope between two bodies over a third, all free in space and turning.
static rl_scenario *free_bodies(const char *shape, const char *friction) {
  return scenario_from(
      "name: free\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\nbodies:\n"
      "  middle: {mass: 3, position: [0.05, -0.35, 0], spin: [0.2, 0.1, 1], velocity: [0.1, 1.5, "
      "0],"
      " %s shape: {%s}}\n"
      "  left: {mass: 1, position: [-1, -0.2, 0.1], velocity: [-0.4, -1, 0.3],"
      " inertia: [0.1, 0.12, 0.13], spin: [0, 0.3, 0]}\n"
      "  right: {mass: 2, position: [1.2, -0.3, -0.1], velocity: [0.5, -0.8, -0.2],"
      " shape: {sphere: {radius: 0.05}}}\n"
      "ropes: {line: {from: {body: left, at: [0.1, 0.2, 0]}, to: {body: right},"
      " over: [{body: middle, side: [0, 1, 0]}]}}\n",
      friction, shape);
}

static const char *const shapes[] = {"sphere: {radius: 0.3}", "cylinder: {radius: 0.25, length: 1}",
                                     "box: {size: [0.5, 0.52, 0.6]}",
                                     "capsule: {radius: 0.25, length: 0.3}"};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static void free_bodies_keep_momentum(void **unused) {
  (void)unused;
  static const char *const frictions[] = {"", "friction: 0.4,"};
  // It slips off over the cap of the capsule.
  for (size_t i = 0; i < 2 * SHAPES; i++) {
    check_free_second(free_bodies(shapes[i / 2], frictions[i % 2]), RL_CAN_WRAPS | RL_CAN_FRICTION,
                      NULL);
  }
  for (size_t i = 0; i < 2 * SHAPES; i++) { // and angular momentum, with those that keep it
    static const char *const keepers[] = {"penalty", "impulse", "pbd-direct", "rattle"};
    for (size_t k = 0; k < 4; k++) {
      rl_scenario *s = free_bodies(shapes[i / 2], frictions[i % 2]);
      rl_driver *d = driver_for(s, keepers[k], 1.0 / 240.0);
      const rl_metrics start = rl_metrics_of(d);
      for (int n = 0; n < 240; n++) {
        free_step(d, &start, 1e-9);
      }
      rl_driver_free(d);
      rl_scenario_free(s);
    }
  }
}

// As a light box turns in its rope, the strand that slips over it comes to be behind one that
// sticks: its force along G and not along J is in the matrix of an implicit step all the same.
static void implicit_steps_find_what_slips_behind(void **unused) {
  (void)unused;
  static const char *const implicit[] = {"penalty-implicit", "convex"};
  static const double rates[] = {200.0, 250.0, 300.0};
  for (size_t k = 0; k < 6; k++) {
    rl_scenario *s = free_bodies("box: {size: [0.5, 0.52, 0.6]}", "friction: 0.4,");
    rl_driver *d = driver_for(s, implicit[k % 2], 1.0 / rates[k / 2]);
    for (int n = 0; n < (int)rates[k / 2]; n++) {
      const rl_reason reason = rl_driver_step(d);
      if (reason != RL_CONVERGED_TOLERANCE) {
        fail_msg("%s at %g s, %g Hz: %s after %d iterations, expected its tolerance", d->type->name,
                 d->state->time, rates[k / 2], rl_reason_name(reason), (int)d->info.iterations);
      }
    }
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// The rows of ropes over bodies against differences of their length, spins included.
static void gradients_are_derivatives(void **unused) {
  (void)unused;
  static const char *const frictions[] = {"", "friction: 0.4,"};
  for (size_t n = 0; n < 2 * SHAPES; n++) {
    rl_scenario *s = free_bodies(shapes[n / 2], frictions[n % 2]);
    rl_driver *d = driver_for(s, "impulse", 1.0 / 240.0);
    rl_detect(d->model, d->state, d->dt, d->rows);
    assert_true(n % 2 == 0 ? d->rows->row_count == 1 : d->rows->row_count > 1);
    rl_point *points = malloc(d->model->slot_count * sizeof *points);
    assert_non_null(points);
    for (uint32_t r = 0; r < d->rows->row_count; r++) {
      rl_row *row = &d->rows->rows[r];
      for (uint32_t e = 0; e < row->entry_count; e++) {
        for (size_t axis = 0; axis < 3; axis++) {
          double value[2];
          for (int side = 0; side < 2; side++) {
            memcpy(points, d->state->points, d->model->slot_count * sizeof *points);
            const uint32_t slot = d->rows->entries[row->first_entry + e].slot;
            (&points[slot].x)[axis] += side == 0 ? -1e-5 : 1e-5;
            rl_row_evaluate(d->model, d->state, d->rows, row, points);
            value[side] = row->value;
          }
          rl_row_evaluate(d->model, d->state, d->rows, row, d->state->points);
          const rl_vec3 gradient = d->rows->entries[row->first_entry + e].gradient;
          check_near((&gradient.x)[axis], (value[1] - value[0]) / 2e-5, 1e-8);
        }
      }
    }
    free(points);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// A rope between free bodies at random places over a free box that turns.
static rl_scenario *over_a_box(uint64_t *seed, double friction) {
  rl_vec3 ends[2];
  for (int k = 0; k < 2; k++) {
    ends[k] = random_in_cube(seed, 1.5);
  }
  rl_diagnostic refused;
  char text[1024];
  const int length = snprintf(
      text, sizeof text,
      "name: corner\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\nbodies:\n"
      "  box: {mass: 3, spin: [0.2, 0.1, 1], shape: {box: {size: [0.8, 0.9, 1.1]}}}\n"
      "  a: {mass: 1, position: [%.17g, %.17g, %.17g]}\n"
      "  b: {mass: 2, position: [%.17g, %.17g, %.17g]}\n"
      "ropes: {line: {from: {body: a}, to: {body: b}, over: [{body: box, side: [0, 1, 0]}],"
      " friction: %g}}\n",
      ends[0].x, ends[0].y, ends[0].z, ends[1].x, ends[1].y, ends[1].z, friction);
  return rl_scenario_from_text(text, (size_t)length, "corner", NULL, 0, &refused);
}

// Moves one end on and on in random directions. True if the rope comes to run through a corner.
static bool slides_into_a_corner(rl_driver *d, uint64_t *seed) {
  rl_point *end = &d->state->points[rl_body_slot(d->model, 1)];
  const rl_point start = *end;
  bool is_cornered = false;
  for (int n = 0; n < 500 && !is_cornered && d->state->wrap_counts[0] == 2; n++) {
    *end = start;
    rl_move(end, rl_scale(between(seed, 0.0, 0.5), random_direction(seed)));
    assert_true(rl_wrap_solve_path(d->model, d->state, 0, d->state->points) > 0.0);
    is_cornered = rl_path_items(d->state, 0)[1].corner > 0.0;
  }
  return is_cornered;
}

// (9a) of path.md: within a step a rope whose places on two edges have run together goes through
// their corner. Its rows are derivatives there too, and both edges together hold what (6) says of
// the one vertex.
static void corners_hold_as_one_vertex(void **unused) {
  (void)unused;
  const double friction = 0.835;
  uint64_t seed = 2385;
  int seen = 0, locked = 0;
  for (int n = 0; n < 1000; n++) {
    rl_scenario *s = over_a_box(&seed, n % 2 == 0 ? 0.0 : friction);
    if (!s) {
      continue;
    }
    rl_driver *d = driver_for(s, "impulse", 1.0 / 240.0);
    rl_wrap *wraps = d->state->wraps;
    const rl_path_item *items = rl_path_items(d->state, 0);
    if (!slides_into_a_corner(d, &seed)) {
      rl_driver_free(d);
      rl_scenario_free(s);
      continue;
    }
    seen++;
    if (n % 2 == 0) {
      rl_detect(d->model, d->state, d->dt, d->rows);
      assert_int_equal(d->rows->row_count, 1);
      rl_row_evaluate(d->model, d->state, d->rows, &d->rows->rows[0], d->state->points);
      check_row_gradient(d, &d->rows->rows[0], 2e-9);
    } else {
      const rl_vec3 in = rl_unit(rl_sub(items[1].entry, items[0].at));
      const rl_vec3 out = rl_unit(rl_sub(items[3].at, items[2].exit));
      const double tangent = tan(0.5 * acos(rl_dot(in, out)));
      wraps[0].grip = wraps[1].grip = RL_SLIPS_ON;
      const double both = rl_wrap_tension_ratio(d->model, d->state, 0, 0) *
                          rl_wrap_tension_ratio(d->model, d->state, 0, 1);
      if (friction * tangent < 1.0) {
        check_relative(both, (1.0 + friction * tangent) / (1.0 - friction * tangent), 1e-9);
      } else {
        assert_true(both >= 1e12);
        locked++;
      }
    }
    rl_driver_free(d);
    rl_scenario_free(s);
  }
  print_message("%d ropes in corners, %d of them locked\n", seen, locked);
  assert_true(seen > 20);
}

// Two weights on both sides of a ball, the one on the left so much above the line through its
// centre: at 0.1 m that is at half a turn, where all ways round are equally long. The other one is
// hauled in.
static rl_scenario *hauled_over_a_ball(double height) {
  return scenario_from(
      "name: hauled\nduration: 1\nstep: 0.01\nbodies:\n"
      "  ball: {motion: fixed, shape: {sphere: {radius: 0.3}}}\n"
      "  a: {mass: 1, position: [-0.5, %.17g, 0]}\n  b: {mass: 1, position: [0.5, -0.1, 0]}\n"
      "ropes: {line: {from: {body: a}, to: {body: b}, over: [ball], friction: 0.5}}\n"
      "events: [{from: 0, until: 1, winch: {rope: line, end: to, rate: -2}}]\n",
      height);
}

// (4a) The lengths of both strands change by no more than an end moves as the rope slips off the
// ball, round to its other side, and it begins on the side that was asked for.
static void strands_go_on_round_a_ball(void **unused) {
  (void)unused;
  rl_scenario *s = hauled_over_a_ball(0.1);
  rl_driver *d = driver_for(s, "impulse", 0.01);
  rl_detect(d->model, d->state, d->dt, d->rows);
  assert_int_equal(d->rows->row_count, 2);
  rl_wrap_solve_path(d->model, d->state, 0, d->state->points);
  const rl_path_item *item = &rl_path_items(d->state, 0)[1];
  rl_point *points = malloc(d->model->slot_count * sizeof *points);
  assert_non_null(points);
  check_near(item->side.z, -1.0, 1e-12);
  for (uint32_t r = 0; r < 2; r++) {
    static const double move = 1e-6;
    rl_row *row = &d->rows->rows[r];
    double values[2];
    for (int k = 0; k < 2; k++) {
      memcpy(points, d->state->points, d->model->slot_count * sizeof *points);
      points[rl_body_slot(d->model, 1)].y += k == 0 ? move : -move;
      rl_row_evaluate(d->model, d->state, d->rows, row, points);
      values[k] = row->value;
      check_near(item->side.z, k == 0 ? -1.0 : 1.0, 1e-12);
    }
    check_below(fabs(values[1] - values[0]), 2.0 * move * (1.0 + 1e-3));
  }
  free(points);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// Nothing throws the weights then: the error in energy is that of half a step of gravity and the
// winch, 0.06 J.
static void ball_throws_nothing(void **unused) {
  (void)unused;
  static const char *const methods[] = {"pbd-direct", "rattle", "pbd", "impulse", "impulse-direct"};
  static const double heights[] = {0.1, 0.1001, 0.1003, 0.101, 0.11};
  for (size_t m = 0; m < sizeof methods / sizeof methods[0]; m++) {
    double most = 0.0;
    for (size_t k = 0; k < sizeof heights / sizeof heights[0]; k++) {
      rl_scenario *s = hauled_over_a_ball(heights[k]);
      rl_driver *d = driver_for(s, methods[m], 0.01);
      for (int n = 0; n < 5; n++) {
        assert_true(rl_driver_step(d) > 0);
        most = fmax(most, rl_driver_energy_error(d));
      }
      rl_driver_free(d);
      rl_scenario_free(s);
    }
    print_message("%s: at most %.3g J come in, expected below 0.1\n", methods[m], most);
    check_below(most, 0.1);
  }
}

// (8a) of papers/wraps.md: the flows of the pieces of a strand make its rate, and with their
// tensions its power; so do their parts that are prescribed.
static void check_flows(const rl_driver *d, rl_row *row) {
  const rl_vec3 *v = d->state->velocities;
  const rl_point *points = d->state->points;
  rl_row_evaluate(d->model, d->state, d->rows, row, points);
  rl_flow *flows = calloc(row->piece_count, sizeof *flows);
  assert_non_null(flows);
  rl_strand_add_flows(d->model, d->rows, row, points, v, flows);
  rl_flow rate = {0.0, 0.0}, power = {0.0, 0.0};
  for (uint32_t k = 0; k < row->piece_count; k++) {
    const double pull = d->rows->joints[row->first_vertex + k].pull;
    rate = (rl_flow){rate.all + flows[k].all, rate.driven + flows[k].driven};
    power = (rl_flow){power.all + pull * flows[k].all, power.driven + pull * flows[k].driven};
  }
  free(flows);
  double led = 0.0 - row->reel, led_power = 0.0 - row->reel_power;
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *e = &d->rows->entries[i];
    const bool is_driven = points[e->slot].w == 0.0;
    led += is_driven ? rl_dot(e->gradient, v[e->slot]) : 0.0;
    led_power += is_driven ? rl_dot(e->force, v[e->slot]) : 0.0;
  }
  check_near(rate.all, rl_row_rate(d->rows, row, v), 1e-12);
  check_near(power.all, rl_row_power(d->rows, row, v), 1e-12);
  check_near(rate.driven, led, 1e-12);
  check_near(power.driven, led_power, 1e-12);
}

static void flows_of_pieces_make_the_rate(void **unused) {
  (void)unused;
  uint32_t reeled = 0, over_wraps = 0;
  for (size_t n = 0; n <= SHAPES; n++) {
    rl_scenario *s =
        n < SHAPES ? free_bodies(shapes[n], "friction: 0.4,") : hauled_over_a_ball(-0.1);
    rl_driver *d = driver_for(s, "xpbd", 0.002);
    for (int step = 0; step < 150; step++) {
      assert_true(rl_driver_step(d) > 0);
      rl_detect(d->model, d->state, d->dt, d->rows);
      for (uint32_t r = 0; r < d->rows->row_count; r++) {
        rl_row *row = &d->rows->rows[r];
        check_flows(d, row);
        reeled += row->reel != 0.0;
        over_wraps += row->piece_count > 1;
      }
    }
    rl_driver_free(d);
    rl_scenario_free(s);
  }
  print_message("%u strands on winches, %u over wraps\n", reeled, over_wraps);
  assert_true(reeled > 10 && over_wraps > 10);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_bodies_keep_momentum),
      cmocka_unit_test(implicit_steps_find_what_slips_behind),
      cmocka_unit_test(gradients_are_derivatives),
      cmocka_unit_test(flows_of_pieces_make_the_rate),
      cmocka_unit_test(corners_hold_as_one_vertex),
      cmocka_unit_test(strands_go_on_round_a_ball),
      cmocka_unit_test(ball_throws_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
