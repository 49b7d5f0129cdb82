// SPDX-License-Identifier: GPL-3.0-or-later
// What is seen of a rope over bodies: its points, how far it reaches, and how it slips, on a ball
// in an eye, and in a screw of two turns round a tilted drum.
#include "check.h"

#include "world/paths/bend.h"

enum { POINTS_MAX = 1000 };

static const double part = 0.1; // [rad] as the header says

static rl_scenario *screw(const char *motion, const char *friction) {
  return scenario_from(
      "name: screw\nduration: 1\nstep: 0.01\ngravity: [0, -10, 0]\n"
      "bodies:\n"
      "  drum: {motion: %s, position: [0, 0, 0], rotation: [0.4, 0.3, 0.2],\n"
      "         shape: {cylinder: {radius: 0.5, length: 9}}}\n"
      "  ball: {motion: fixed, position: [3, 0, 0.2], shape: {sphere: {radius: 0.75}}}\n"
      "  load: {mass: 2.385, position: [6, 0.6, 0.5], velocity: [1, -2, 0.5]}\n"
      "ropes:\n"
      "  line: {from: {point: [-2, -3, -1]}, to: {body: load}, radius: 0.25, %s\n"
      "         over: [{body: drum, turns: 2}, {eye: [1.5, 1.2, 0.1], friction: 0}, ball]}\n",
      motion, friction);
}

// The points lie on the path: on its surfaces, and no farther apart than they may be.
static void test_points(void **unused) {
  (void)unused;
  rl_scenario *scenario = screw("fixed", "");
  rl_state *state = rl_state_create(scenario->model);
  assert_non_null(state);
  static rl_path_point points[POINTS_MAX];
  const double length = rl_wrap_solve_path(scenario->model, state, 0, state->points);
  const size_t count = rl_path_points(scenario->model, state, 0, RL_ALL_TURNS, points, POINTS_MAX);
  assert_int_equal(rl_path_points(scenario->model, state, 0, RL_ALL_TURNS, NULL, 0), count);
  assert_in_range(count, 2 * 6.28 / part, POINTS_MAX);
  double sum = 0.0;
  const rl_vec3 ball = {3.0, 0.0, 0.2}, z = {0.0, 0.0, 1.0};
  const rl_vec3 axis = rl_rotate(state->rotations[0], z);
  uint32_t bend = RL_NONE;
  for (size_t i = 0; i < count; i++) {
    const rl_vec3 p = points[i].at;
    sum += i > 0 ? rl_distance(p, points[i - 1].at) : 0.0;
    if (points[i].bend == 0) {
      check_near(rl_length(rl_cross(p, axis)), 0.75, 1e-12);
    } else if (points[i].bend == 1) {
      check_near(rl_distance(p, rl_vec(1.5, 1.2, 0.1)), 0.0, 0.0); // the eye
    } else if (points[i].bend == 2) {
      check_near(rl_distance(p, ball), 1.0, 1e-12);
    } else {
      assert_true(i == 0 || i == count - 1);
    }
    assert_true(i == 0 || i == count - 1 || points[i].bend == bend || points[i].bend == bend + 1);
    bend = points[i].bend;
  }
  // A chord is shorter than its arc by a share of (angle / 2)^2 / 6.
  check_below(sum, length);
  check_below(length * (1.0 - 0.25 * part * part / 6.0), sum);
  rl_state_free(state);
  rl_scenario_free(scenario);
}

// With fewer turns than it has, the screw is drawn over the same drum from the same entry to the
// same exit, with a whole turn less of points; with more, as it is.
static void test_drawn_turns(void **unused) {
  (void)unused;
  rl_scenario *scenario = screw("fixed", "");
  rl_state *state = rl_state_create(scenario->model);
  assert_non_null(state);
  static rl_path_point all[POINTS_MAX], few[POINTS_MAX];
  rl_wrap_solve_path(scenario->model, state, 0, state->points);
  const size_t count = rl_path_points(scenario->model, state, 0, RL_ALL_TURNS, all, POINTS_MAX);
  assert_int_equal(rl_path_points(scenario->model, state, 0, 2, few, POINTS_MAX), count);
  const size_t less = rl_path_points(scenario->model, state, 0, 1, few, POINTS_MAX);
  assert_in_range(count - less, 6.28 / part - 1.0, 6.29 / part + 1.0);
  const rl_vec3 z = {0.0, 0.0, 1.0};
  const rl_vec3 axis = rl_rotate(state->rotations[0], z);
  size_t last = 0, last_of_all = 0;
  for (size_t i = 0; i < less; i++) {
    if (few[i].bend == 0) {
      check_near(rl_length(rl_cross(few[i].at, axis)), 0.75, 1e-12);
      last = i;
    }
  }
  for (size_t i = 0; i < count; i++) {
    last_of_all = all[i].bend == 0 ? i : last_of_all;
  }
  check_near(rl_distance(few[1].at, all[1].at), 0.0, 0.0);
  check_near(rl_distance(few[last].at, all[last_of_all].at), 0.0, 0.0);
  // The exit is where its arc ends.
  check_below(rl_distance(few[last].at, few[last - 1].at), 1.0);
  rl_state_free(state);
  rl_scenario_free(scenario);
}

// How far the rope reaches, against its points: an arc stands out between two of them by no more
// than r (1 - cos(angle / 2)).
static void test_reach(void **unused) {
  (void)unused;
  rl_scenario *scenario = screw("fixed", "");
  rl_state *state = rl_state_create(scenario->model);
  assert_non_null(state);
  static rl_path_point points[POINTS_MAX];
  rl_rope_solve_bends(scenario->model, state, 0);
  const size_t count = rl_path_points(scenario->model, state, 0, RL_ALL_TURNS, points, POINTS_MAX);
  size_t beyond = 0;
  for (int k = 0; k < 200; k++) {
    const rl_vec3 d = rl_unit(rl_vec(sin(1.1 * k), cos(1.7 * k), sin(2.3 * k + 1.0)));
    double highest = -INFINITY;
    for (size_t i = 0; i < count; i++) {
      highest = fmax(highest, rl_dot(points[i].at, d));
    }
    const double reach = rl_rope_reach(scenario->model, state, 0, d);
    check_below(highest, reach + 1e-12);
    check_below(reach, highest + 1.0 * (1.0 - cos(0.5 * part)) + 1e-12);
    beyond += reach > highest + 1e-9;
  }
  assert_in_range(beyond, 20, 200); // often the farthest point is between two that are drawn
  rl_state_free(state);
  rl_scenario_free(scenario);
}

// Tensions of the pieces of a rope with friction, and the exponential between them.
static void test_tensions(void **unused) {
  (void)unused;
  rl_scenario *scenario = screw("fixed", "friction: 0.2,");
  rl_state *state = rl_state_create(scenario->model);
  assert_non_null(state);
  static rl_path_point points[POINTS_MAX];
  const double tensions[] = {2.0, 8.0, 8.0, 6.0};
  state->multipliers[0] = tensions[0];
  state->wraps[0].tension = tensions[1];
  state->wraps[1].tension = tensions[2];
  state->wraps[2].tension = tensions[3];
  check_near(rl_largest_tension(scenario->model, state, 0), 8.0, 0.0);
  rl_rope_solve_bends(scenario->model, state, 0);
  const size_t count = rl_path_points(scenario->model, state, 0, RL_ALL_TURNS, points, POINTS_MAX);
  check_near(points[0].tension, 2.0, 0.0);
  check_near(points[count - 2].tension, 6.0, 0.0);
  assert_true(isnan(points[count - 1].tension));
  for (size_t i = 1; i + 1 < count; i++) {
    const bool is_exit = points[i + 1].bend != points[i].bend;
    if (is_exit) {
      check_near(points[i].tension, tensions[points[i].bend + 1], 0.0);
    } else if (points[i - 1].bend == points[i].bend && points[i + 2].bend == points[i].bend) {
      const double ratio = points[i + 1].tension / points[i].tension;
      const double before = points[i].tension / points[i - 1].tension;
      check_near(ratio, before, 1e-12);
    }
  }
  const rl_bend bend = rl_rope_bend(scenario->model, state, 0, 0);
  const rl_vec3 force = rl_bend_force(&bend);
  check_near(rl_distance(force, rl_sub(rl_scale(8.0, bend.out), rl_scale(2.0, bend.in))), 0.0,
             1e-14);
  assert_int_equal(bend.body, 0);
  assert_false(bend.is_eye);
  rl_state_free(state);
  rl_scenario_free(scenario);
}

// Without friction the slip over the ball is how fast the path behind the middle of its arc grows,
// less its share of the growth of the whole path; here nobody holds the length. That of the whole
// by differences; that behind by what goes on at the load, for the ball stands still.
static void test_slip(void **unused) {
  (void)unused;
  rl_scenario *scenario = screw("driven, spin: [0, 0, 0], velocity: [0.2, 0.3, -0.1]", "");
  const rl_model *model = scenario->model;
  rl_state *state = rl_state_create(model);
  assert_non_null(state);
  state->multipliers[0] = 1.0;
  rl_rope_solve_bends(model, state, 0);
  const rl_bend ball = rl_rope_bend(model, state, 0, 2);
  const double rear = 0.5 * state->items[3].arc + state->items[3].piece;
  const double rate = rl_dot(ball.out, state->velocities[rl_body_slot(model, 2)]);
  double lengths[2];
  const double h = 1e-6;
  for (int k = 0; k < 2; k++) {
    for (uint32_t body = 0; body < model->body_count; body++) {
      const uint32_t slot = rl_body_slot(model, body);
      const double t = k == 0 ? -h : h;
      state->points[slot].x = model->points[slot].x + t * state->velocities[slot].x;
      state->points[slot].y = model->points[slot].y + t * state->velocities[slot].y;
      state->points[slot].z = model->points[slot].z + t * state->velocities[slot].z;
    }
    lengths[k] = rl_wrap_solve_path(model, state, 0, state->points);
  }
  const double growth = (lengths[1] - lengths[0]) / (2.0 * h);
  const double whole = 0.5 * (lengths[0] + lengths[1]);
  check_below(0.1, fabs(growth));
  check_near(ball.slip, rate - rear / whole * growth, 1e-8);
  state->multipliers[0] = 0.0; // slack
  check_near(rl_rope_bend(model, state, 0, 2).slip, 0.0, 0.0);
  rl_state_free(state);
  rl_scenario_free(scenario);
}

// Where an end has got into a body there is no path, and nothing is made up.
static void test_no_path(void **unused) {
  (void)unused;
  rl_scenario *scenario = screw("fixed", "");
  const rl_model *model = scenario->model;
  rl_state *state = rl_state_create(model);
  assert_non_null(state);
  rl_point *load = &state->points[rl_body_slot(model, 2)];
  *load = (rl_point){3.0, 0.0, 0.3, load->w}; // in the ball
  rl_rope_solve_bends(model, state, 0);
  static rl_path_point points[POINTS_MAX];
  const size_t count = rl_path_points(model, state, 0, RL_ALL_TURNS, points, POINTS_MAX);
  assert_int_equal(count, 5); // its ends, and a place for each bend
  check_near(points[0].at.x, -2.0, 0.0);
  assert_true(isnan(points[1].at.x) && isnan(points[2].at.x));
  check_near(points[4].at.z, 0.3, 0.0);
  const rl_bend bend = rl_rope_bend(model, state, 0, 0);
  assert_true(isnan(bend.turn) && isnan(bend.entry.y));
  rl_state_free(state);
  rl_scenario_free(scenario);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_points), cmocka_unit_test(test_drawn_turns),
      cmocka_unit_test(test_reach),  cmocka_unit_test(test_tensions),
      cmocka_unit_test(test_slip),   cmocka_unit_test(test_no_path),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
