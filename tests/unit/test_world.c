// SPDX-License-Identifier: GPL-3.0-or-later
// The parts that every solver shares, one by one.
#include "check.h"

#include "world/bodies/shape.h"
#include "world/model/pose.h"
#include "world/trigonometry.h"

#include <stdlib.h>
#include <string.h>

static void sine_and_cosine_agree_with_libm(void **unused) {
  (void)unused;
  uint64_t seed = 1;
  for (int i = 0; i < 200000; i++) {
    const double scale = i % 2 == 0 ? 7.0 : 1e5;
    const double x = (2.0 * next_random(&seed) - 1.0) * scale;
    double s, c;
    rl_sincos(x, &s, &c);
    check_near(s, sin(x), 1.2e-16 + 2.3e-16 * fabs(sin(x)));
    check_near(c, cos(x), 1.2e-16 + 2.3e-16 * fabs(cos(x)));
  }
  double s, c;
  rl_sincos(0.0, &s, &c);
  check_near(s, 0.0, 0.0);
  check_near(c, 1.0, 0.0);
}

static double ulps(double observed, double expected) {
  return fabs(observed - expected) / (nextafter(fabs(expected), INFINITY) - fabs(expected));
}

static void arc_tangent_agrees_with_libm(void **unused) {
  (void)unused;
  uint64_t seed = 2;
  for (int i = 0; i < 200000; i++) {
    const double size = exp(60.0 * next_random(&seed) - 30.0);
    const double x = 2.0 * next_random(&seed) - 1.0;
    const double y = (2.0 * next_random(&seed) - 1.0) * (i % 2 == 0 ? 1.0 : size);
    check_below(ulps(rl_atan2(y, x), atan2(y, x)), 2.1);
  }
  const double special[] = {0.0, -0.0, 1.7, -1.7, INFINITY, -INFINITY};
  for (int i = 0; i < 36; i++) {
    const double y = special[i / 6], x = special[i % 6];
    check_below(ulps(rl_atan2(y, x), atan2(y, x)), 1.1);
    assert_int_equal(signbit(rl_atan2(y, x)) != 0, signbit(y) != 0);
  }
  assert_true(isnan(rl_atan2(NAN, 1.0)) && isnan(rl_atan2(1.0, NAN)));
}

static void exponential_agrees_with_libm(void **unused) {
  (void)unused;
  uint64_t seed = 3;
  for (int i = 0; i < 200000; i++) {
    const double x = (2.0 * next_random(&seed) - 1.0) * (i % 2 == 0 ? 1.0 : 708.0);
    check_below(ulps(rl_exp(x), exp(x)), 1.1);
  }
  check_near(rl_exp(0.0), 1.0, 0.0);
  check_near(rl_exp(-INFINITY), 0.0, 0.0);
  check_relative(rl_exp(-740.0), exp(-740.0), 0.01); // subnormal: few digits
  assert_true(isinf(rl_exp(710.0)) && isinf(rl_exp(INFINITY)) && isnan(rl_exp(NAN)));
}

static void rotation_vector_turns_by_its_length(void **unused) {
  (void)unused;
  const rl_quat q = rl_quat_from_vector(rl_vec(0.0, 0.0, 0.7));
  const rl_vec3 v = rl_rotate(q, rl_vec(2.0, 0.0, 0.5));
  check_near(v.x, 2.0 * cos(0.7), 1e-15);
  check_near(v.y, 2.0 * sin(0.7), 1e-15);
  check_near(v.z, 0.5, 1e-15);
  const rl_vec3 back = rl_rotate_inverse(q, v);
  check_near(back.x, 2.0, 1e-15);
  check_near(back.y, 0.0, 1e-15);
}

// The gradient of a signed distance is the outward normal: compared with central differences at
// points outside and inside of turned shapes.
static void surfaces_have_their_normals(void **unused) {
  (void)unused;
  const rl_part parts[] = {
      {.shape = RL_SPHERE, .radius = 0.7, .rotation = {0, 0, 0, 1}},
      {.shape = RL_BOX,
       .half = {0.5, 0.3, 0.8},
       .at = {0.1, 0.2, 0.3},
       .rotation = rl_quat_from_vector(rl_vec(0.3, -0.5, 0.2))},
      {.shape = RL_PLANE, .normal = rl_unit(rl_vec(1, 2, -0.5)), .rotation = {0, 0, 0, 1}},
  };
  const rl_quat turn = rl_quat_from_vector(rl_vec(0.2, 0.9, -0.4));
  const rl_vec3 place = {0.3, -0.2, 0.1};
  const double h = 1e-6;
  uint64_t seed = 7;
  for (size_t k = 0; k < 3; k++) {
    for (int i = 0; i < 2000; i++) {
      const rl_vec3 p = {3.0 * next_random(&seed) - 1.5, 3.0 * next_random(&seed) - 1.5,
                         3.0 * next_random(&seed) - 1.5};
      const rl_surface s = rl_shape_surface(&parts[k], place, turn, p);
      check_near(rl_length(s.normal), 1.0, 1e-12);
      double slope = 0.0;
      slope = (rl_shape_surface(&parts[k], place, turn, rl_add_scaled(p, h, s.normal)).distance -
               rl_shape_surface(&parts[k], place, turn, rl_add_scaled(p, -h, s.normal)).distance) /
              (2.0 * h);
      check_near(slope, 1.0, 1e-5);
      // The foot of the normal lies on the surface.
      const rl_vec3 foot = rl_add_scaled(p, -s.distance, s.normal);
      check_near(rl_shape_surface(&parts[k], place, turn, foot).distance, 0.0, 1e-12);
    }
  }
}

// The discrete catenary of papers/exact.md: 8 m apart, 10 m long, 1 kg.
static void hanging_pose_is_the_discrete_catenary(void **unused) {
  (void)unused;
  static const struct {
    size_t count;
    double sag;
  } known[] = {{4, 2.74860158814058},
               {8, 2.67680155666143},
               {16, 2.65991492134758},
               {32, 2.65575606526847},
               {64, 2.65472008844862}};
  double rest[64], masses[65];
  rl_vec3 out[65];
  for (size_t i = 0; i < 5; i++) {
    const size_t n = known[i].count;
    for (size_t k = 0; k <= n; k++) {
      masses[k] = 1.0 / (double)n;
      rest[k < n ? k : 0] = 10.0 / (double)n;
    }
    assert_true(rl_pose_hang(n, rest, masses, INFINITY, rl_vec(0, -9.81, 0), rl_vec(1, 2, 3),
                             rl_vec(1, 2, 11), out));
    check_near(2.0 - out[n / 2].y, known[i].sag, 1e-12);
    check_near(out[n / 2].z, 7.0, 1e-12);
    for (size_t k = 0; k < n; k++) {
      check_near(rl_distance(out[k], out[k + 1]), rest[k], 1e-12);
    }
  }
}

// Between any two ends, with any slack from one part in a million on: the ends close and every
// element has its length.
static void hanging_pose_is_always_found(void **unused) {
  (void)unused;
  uint64_t seed = 11;
  double rest[12], masses[13];
  rl_vec3 out[13];
  for (int i = 0; i < 4000; i++) {
    const size_t n = 2 + (size_t)(11.0 * next_random(&seed));
    const rl_vec3 to = {2.0 * next_random(&seed) - 1.0, 2.0 * next_random(&seed) - 1.0,
                        2.0 * next_random(&seed) - 1.0};
    const double slack = exp(-14.0 * next_random(&seed));
    for (size_t k = 0; k <= n; k++) {
      masses[k] = 0.1 + next_random(&seed);
      rest[k < n ? k : 0] = rl_length(to) * (1.0 + slack) / (double)n;
    }
    const rl_vec3 from = {0.0, 0.0, 0.0};
    if (!rl_pose_hang(n, rest, masses, INFINITY, rl_vec(0, -9.81, 0), from, to, out)) {
      print_error("%zu elements to (%.17g, %.17g, %.17g), slack %.3g\n", n, to.x, to.y, to.z,
                  slack);
      fail();
    }
    check_near(rl_distance(out[0], from) + rl_distance(out[n], to), 0.0, 0.0);
    int slack_count = 0;
    for (size_t k = 0; k < n; k++) {
      const double length = rl_distance(out[k], out[k + 1]);
      check_below(length, rest[k] * (1.0 + 1e-8));
      slack_count += length < rest[k] * (1.0 - 1e-8) ? 1 : 0;
    }
    assert_true(slack_count <= 1);
  }
}

static void hanging_pose_refuses_what_cannot_hang(void **unused) {
  (void)unused;
  const double rest[2] = {1, 1}, masses[3] = {1, 1, 1};
  rl_vec3 out[3];
  const rl_vec3 g = {0, -9.81, 0}, none = {0, 0, 0}, from = {0, 0, 0};
  assert_false(rl_pose_hang(2, rest, masses, INFINITY, g, from, rl_vec(3, 0, 0), out));
  assert_false(rl_pose_hang(2, rest, masses, INFINITY, g, from, rl_vec(0, -1, 0), out));
  assert_false(rl_pose_hang(2, rest, masses, INFINITY, none, from, rl_vec(1, 0, 0), out));
  assert_true(rl_pose_hang(2, rest, masses, 100.0, g, from, rl_vec(3, 0, 0), out));
}

static void polyline_is_resampled_at_equal_arc_length(void **unused) {
  (void)unused;
  const rl_vec3 corner[3] = {{0, 0, 0}, {1, 0, 0}, {1, 3, 0}};
  const double rest[4] = {1, 1, 1, 1};
  rl_vec3 out[5];
  rl_pose_polyline(4, rest, 3, corner, false, out);
  check_near(out[1].x, 1.0, 1e-15);
  check_near(out[1].y, 0.0, 1e-15);
  check_near(out[2].y, 1.0, 1e-15);
  check_near(out[3].y, 2.0, 1e-15);
}

static rl_scenario *two_ropes(void) {
  return scenario_from("name: two\nduration: 1\nstep: 0.01\n"
                       "bodies: {a: {mass: 2.385, position: [0.3, -1, 0.2]},\n"
                       "         ball: {motion: fixed, position: [0, -1.4, 0],"
                       " shape: {sphere: {radius: 0.5}}}}\n"
                       "ropes:\n"
                       "  one: {from: {point: [0, 0, 0]}, to: {body: a}, mass: 0.7, segments: 5,"
                       " slack: 0.1}\n"
                       "  two: {from: {body: a, at: [0.1, 0, 0]}, to: {free: [1.2, -0.6, 0]},"
                       " mass: 0.3, segments: 3, radius: 0.02}\n");
}

static void state_copies_and_hashes(void **unused) {
  (void)unused;
  rl_scenario *s = two_ropes();
  rl_state *a = rl_state_create(s->model);
  rl_state *b = rl_state_create(s->model);
  assert_true(rl_state_hash(a) == rl_state_hash(b));
  a->points[2].y = nextafter(a->points[2].y, 10.0);
  assert_true(rl_state_hash(a) != rl_state_hash(b));
  rl_state_copy(b, a);
  assert_true(rl_state_hash(a) == rl_state_hash(b));
  assert_true(rl_state_finite(s->model, a));
  a->velocities[1].z = NAN;
  assert_false(rl_state_finite(s->model, a));
  a->velocities[1].z = 0.0;
  assert_true(rl_state_finite(s->model, a));
  a->rotations[0].w = NAN;
  assert_false(rl_state_finite(s->model, a));
  rl_state_free(a);
  rl_state_free(b);
  rl_scenario_free(s);
}

// The gradient and the inverse mass of every general row against finite differences.
static void rows_have_their_gradients(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: rows\nduration: 1\nstep: 0.01\n"
      "bodies: {a: {mass: 2.385, position: [0.3, -1, 0.2]}, b: {mass: 0.7, position: [1, -2, 0]},\n"
      "         p: {mass: 1.3, position: [0.6, 0.4, -0.3]}}\n"
      "ropes:\n"
      // Over the pulley twice: its two pushes add up before its response is read.
      "  line: {from: {body: a, at: [0.1, 0.2, 0]}, to: {body: b}, over: [{body: p, at: [0, 0, 0]},"
      " {eye: [1, 1, 0]}, {body: p, at: [0.2, 0, 0.1]}]}\n");
  rl_state *state = rl_state_create(s->model);
  rl_rows *rows = rl_rows_create(s->model);
  rl_detect(s->model, state, 0.01, rows);
  assert_int_equal(rows->row_count, 1);
  rl_row *row = &rows->rows[0];
  rl_row_evaluate(s->model, state, rows, row, state->points);
  const uint32_t slots[3] = {rl_body_slot(s->model, 0), rl_body_slot(s->model, 1),
                             rl_body_slot(s->model, 2)};
  rl_vec3 gradient[3] = {{0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
  for (uint32_t i = 0; i < row->entry_count; i++) {
    for (size_t k = 0; k < 3; k++) {
      if (rows->entries[i].slot == slots[k]) {
        gradient[k] = rl_add(gradient[k], rows->entries[i].gradient);
      }
    }
  }
  double expected_mass = 0.0;
  for (size_t k = 0; k < 3; k++) {
    expected_mass += state->points[slots[k]].w * rl_dot(gradient[k], gradient[k]);
    const double *g = &gradient[k].x;
    double *x = &state->points[slots[k]].x;
    for (size_t axis = 0; axis < 3; axis++) {
      const double h = 1e-6, kept = x[axis];
      x[axis] = kept + h;
      rl_row_evaluate(s->model, state, rows, row, state->points);
      const double above = row->value;
      x[axis] = kept - h;
      rl_row_evaluate(s->model, state, rows, row, state->points);
      check_near(g[axis], (above - row->value) / (2.0 * h), 1e-8);
      x[axis] = kept;
    }
  }
  rl_row_evaluate(s->model, state, rows, row, state->points);
  check_relative(row->inverse_mass, expected_mass, 1e-14);
  rl_rows_free(rows);
  rl_state_free(state);
  rl_scenario_free(s);
}

static void held_ends_follow_their_body(void **unused) {
  (void)unused;
  rl_scenario *s = two_ropes();
  rl_driver *d = driver_for(s, "pbd", 0.01);
  const uint32_t held = rl_rope_node(s->model, d->state, 1, 0);
  const uint32_t body = rl_body_slot(s->model, 0);
  for (int i = 0; i < 50; i++) {
    assert_true(rl_driver_step(d) > 0);
    check_near(d->state->points[held].x, d->state->points[body].x + 0.1, 0.0);
    check_near(d->state->points[held].y, d->state->points[body].y, 0.0);
  }
  check_below(probe(d, "two.stretch"), 0.02);
  rl_driver_free(d);
  rl_scenario_free(s);
}

static void driven_bodies_follow_their_way(void **unused) {
  (void)unused;
  rl_scenario *s =
      scenario_from("name: driven\nduration: 1\nstep: 0.01\n"
                    "bodies:\n"
                    "  hand: {motion: driven, position: [0, 0, 0],"
                    " drive: [[0, 0, 0, 0], [0.1, 1, 0, 0], [0.3, 1, 2, 0]]}\n"
                    "  belt: {motion: driven, position: [0, 5, 0], velocity: [0.25, 0, -1]}\n"
                    "ropes:\n"
                    "  r: {from: {body: hand}, to: {free: [0, -1, 0]}, mass: 1, segments: 4}\n");
  for (size_t i = 0; rl_solvers[i]; i++) {
    rl_driver *d = driver_for(s, rl_solvers[i]->name, 0.01);
    for (int n = 1; n <= 40; n++) {
      const double t = 0.01 * n;
      assert_true(rl_driver_step(d) > 0);
      check_near(probe(d, "hand.x"), fmin(10.0 * t, 1.0), 1e-12);
      check_near(probe(d, "hand.y"), fmin(fmax(10.0 * (t - 0.1), 0.0), 2.0), 1e-12);
      check_near(probe(d, "belt.z"), -t, 1e-14);
      check_near(probe(d, "r.node.0.x"), probe(d, "hand.x"), 0.0);
    }
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// A definition whose every value is valid, to be spoilt one by one.
typedef struct spoilt {
  rl_definition definition;
  rl_body_definition body;
  rl_part_definition part;
  rl_drive_key drive[2];
  rl_rope_definition ropes[2];
  rl_waypoint waypoint;
  rl_vec3 points[3];
  double rest_lengths[2];
} spoilt;

static void fill(spoilt *s) {
  s->part = (rl_part_definition){.shape = RL_SPHERE, .radius = 0.1};
  s->drive[0] = (rl_drive_key){0.0, {0.0, -1.0, 0.0}};
  s->drive[1] = (rl_drive_key){1.0, {0.0, -1.2, 0.0}};
  s->body = rl_body_defaults();
  s->body.name = "body";
  s->body.motion = RL_DRIVEN;
  s->body.position = rl_vec(0.0, -1.0, 0.0);
  s->body.rope_collide = false;
  s->body.part_count = 1;
  s->body.parts = &s->part;
  s->body.drive_count = 2;
  s->body.drive = s->drive;
  s->points[0] = rl_vec(0.0, 0.0, 0.0);
  s->points[1] = rl_vec(0.4, -0.4, 0.0);
  s->points[2] = rl_vec(0.0, -1.0, 0.0);
  s->rest_lengths[0] = s->rest_lengths[1] = 0.8;
  s->ropes[0] = rl_rope_defaults();
  s->ropes[0].name = "chain";
  s->ropes[0].to = (rl_end){.kind = RL_END_BODY, .body = 0};
  s->ropes[0].mass = 0.3;
  s->ropes[0].segments = 2;
  s->ropes[0].rest_lengths = s->rest_lengths;
  s->ropes[0].pose = RL_POSE_POINTS;
  s->ropes[0].point_count = 3;
  s->ropes[0].points = s->points;
  s->waypoint = rl_waypoint_defaults();
  s->waypoint.is_eye = true;
  s->waypoint.at = rl_vec(0.6, 0.3, 0.0);
  s->ropes[1] = rl_rope_defaults();
  s->ropes[1].name = "line";
  s->ropes[1].from.at = rl_vec(1.0, 0.0, 0.0);
  s->ropes[1].to = (rl_end){.kind = RL_END_NODE, .rope = 0, .node = -2, .at = s->points[1]};
  s->ropes[1].waypoint_count = 1;
  s->ropes[1].waypoints = &s->waypoint;
  s->definition = (rl_definition){.gravity = {0.0, -9.81, 0.0},
                                  .body_count = 1,
                                  .bodies = &s->body,
                                  .rope_count = 2,
                                  .ropes = s->ropes};
}

static rl_fault fault_of(const spoilt *s) {
  rl_fault fault;
  rl_model_free(rl_model_create(&s->definition, &fault));
  return fault;
}

static void values_are_checked(void **unused) {
  (void)unused;
  spoilt s;
  fill(&s);
  if (fault_of(&s).kind != RL_FAULT_NONE) {
    fail_msg("refused: %s", fault_of(&s).message);
  }
  const struct {
    double *number;
    double value;
    const char *field;
  } numbers[] = {
      {&s.definition.gravity.z, NAN, "gravity"},
      {&s.body.mass, -2.0, "mass"},
      {&s.body.position.y, INFINITY, "position"},
      {&s.body.friction, -0.1, "friction"},
      {&s.body.restitution, 1.1, "restitution"},
      {&s.body.inertia.x, 0.0, "inertia"},
      {&s.part.radius, 0.0, "radius"},
      {&s.part.at.x, NAN, "at"},
      {&s.drive[1].time, 0.0, "drive"},
      {&s.drive[0].position.x, NAN, "drive"},
      {&s.ropes[0].mass, -0.3, "mass"},
      {&s.ropes[0].stiffness, 0.0, "stiffness"},
      {&s.ropes[0].damping, -1.0, "damping"},
      {&s.ropes[0].drag, NAN, "drag"},
      {&s.ropes[0].radius, -0.1, "radius"},
      {&s.ropes[0].velocity.z, INFINITY, "velocity"},
      {&s.ropes[1].length, 0.0, "length"},
      {&s.ropes[1].slack, NAN, "slack"},
      {&s.ropes[1].from.at.x, NAN, "from"},
      {&s.waypoint.at.y, NAN, "at"},
      {&s.waypoint.friction, -0.5, "friction"},
      {&s.points[1].y, NAN, "points"},
      {&s.rest_lengths[1], -0.8, "rest_lengths"},
  };
  for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
    fill(&s);
    *numbers[i].number = numbers[i].value;
    const rl_fault fault = fault_of(&s);
    assert_int_equal(fault.kind, RL_FAULT_INVALID);
    assert_string_equal(fault.field, numbers[i].field);
  }
}

static void indices_are_checked(void **unused) {
  (void)unused;
  spoilt s;
  const struct {
    uint32_t *index;
    uint32_t value;
    const char *field;
  } indices[] = {
      {&s.ropes[0].to.body, 1, "to"},
      {&s.ropes[1].to.rope, 2, "to"},
      {(uint32_t *)(void *)&s.ropes[1].to.node, 3, "to"},
      {(uint32_t *)(void *)&s.ropes[1].to.node, (uint32_t)-4, "to"},
      {&s.waypoint.body, 1, "over"},
      {(uint32_t *)(void *)&s.ropes[1].from.kind, RL_END_NODE + 1, "from"},
      {(uint32_t *)(void *)&s.part.shape, RL_HULL + 1, "shape"},
      {(uint32_t *)(void *)&s.body.motion, RL_AXLE + 1, "motion"},
      {(uint32_t *)(void *)&s.ropes[0].pose, RL_POSE_HANG + 1, "points"},
  };
  for (size_t i = 0; i < sizeof indices / sizeof indices[0]; i++) {
    fill(&s);
    *indices[i].index = indices[i].value;
    const rl_fault fault = fault_of(&s);
    assert_int_equal(fault.kind, RL_FAULT_INVALID);
    assert_string_equal(fault.field, indices[i].field);
  }
  fill(&s);
  s.definition.ropes = NULL;
  assert_string_equal(fault_of(&s).field, "ropes");
}

// Returns the sum of mass and way of (26) in papers/world.md, of a scene [kg m].
static double fall_of(const char *scene) {
  rl_scenario *s = scenario_from("name: fall\nduration: 1\nstep: 0.01\n%s", scene);
  const double fall = s->model->fall;
  rl_driver *d = driver_for(s, "pbd", s->step);
  check_relative(d->energy_scale, 9.81 * fall, 1e-14);
  rl_driver_free(d);
  rl_scenario_free(s);
  return fall;
}

// However many ropes a scene has, masses get as far as the ropes between them and what is held.
static void ways_go_along_ropes(void **unused) {
  (void)unused;
  static const struct {
    const char *what, *scene;
    double fall; // [kg m]
  } cases[] = {
      {"three pendulums side by side",
       "bodies:\n  a: {mass: 2, position: [0, -1, 0]}\n  b: {mass: 3, position: [1, -1, 0]}\n"
       "  c: {mass: 5, position: [2, -2, 0]}\nropes:\n"
       "  p: {from: {point: [0, 0, 0]}, to: {body: a}, mass: 0}\n"
       "  q: {from: {point: [1, 0, 0]}, to: {body: b}, mass: 0}\n"
       "  r: {from: {point: [2, 0, 0]}, to: {body: c}, mass: 0}\n",
       2.0 * 1.0 + 3.0 * 1.0 + 5.0 * 2.0},
      {"one below the other, the upper one by a second rope that is longer, tied to its rim",
       "bodies:\n  b: {mass: 3, position: [0, -2.5, 0]}\n"
       "  a: {mass: 2, inertia: [1, 1, 1], position: [0, -1, 0]}\n"
       "ropes:\n  q: {from: {body: a}, to: {body: b}, mass: 0}\n"
       "  r: {from: {point: [0, 1, 0]}, to: {body: a}, mass: 0}\n"
       "  p: {from: {point: [0, 0.75, 0]}, to: {body: a, at: [0, 0.25, 0]}, mass: 0}\n",
       2.0 * 1.75 + 3.0 * 3.25},
      {"two over a fixed eye, one of them with a chain to another pin",
       "bodies:\n  a: {mass: 2, position: [-1, -1, 0]}\n  b: {mass: 3, position: [1, -1, 0]}\n"
       "ropes:\n  p: {from: {body: a}, over: [{eye: [0, 0, 0]}], to: {body: b}, length: 4, mass: "
       "0}\n"
       "  q: {from: {point: [1, 0, 0]}, to: {body: b}, mass: 0.4, segments: 2}\n",
       2.0 * 4.0 + (3.0 + 0.2) * 1.0},
      {"a free chain, and a ball that hangs on nothing: the distances of the scene",
       "bodies:\n  a: {mass: 2, position: [3, 4, 0]}\n"
       "ropes:\n  p: {from: {free: [0, 0, 0]}, to: {free: [0, 1, 0]}, mass: 0.4, segments: 2}\n",
       2.4 * 5.0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    print_message("%s\n", cases[i].what);
    check_relative(fall_of(cases[i].scene), cases[i].fall, 1e-12);
  }
}

static void parameters_are_set_by_name(void **unused) {
  (void)unused;
  const rl_solver_type *pbd = rl_solver_find("pbd");
  double values[RL_PARAMETERS_MAX];
  rl_parameters_initial(pbd, values);
  const int iterations = rl_parameter_find(pbd, "iterations");
  check_near(values[iterations], pbd->parameters[iterations].initial, 0.0);
  assert_true(rl_parameters_set(pbd, values, "iterations", 37.0));
  check_near(values[iterations], 37.0, 0.0);
  assert_true(rl_parameters_set(pbd, values, "omega", 1.37)); // a real number
  assert_false(rl_parameters_set(pbd, values, "iterations", 2.5));
  assert_false(rl_parameters_set(pbd, values, "iterations", 0.0));
  assert_false(rl_parameters_set(pbd, values, "iterations", NAN));
  assert_false(rl_parameters_set(pbd, values, "omega", 2.385));
  assert_false(rl_parameters_set(pbd, values, "substeps", 3.0));
  check_near(values[iterations], 37.0, 0.0);
}

// A model is refused by as little as a byte before anything is taken for it.
static void memory_is_counted_before_it_is_taken(void **unused) {
  (void)unused;
  rl_rope_definition rope = rl_rope_defaults();
  rope.name = "rope";
  rope.to.at = rl_vec(1.0, 0.0, 0.0);
  rope.mass = 2.385;
  rope.segments = 1000;
  rl_definition definition = {.rope_count = 1, .ropes = &rope};
  rl_fault fault;
  size_t refused = 0, taken = (size_t)1 << 30;
  while (taken - refused > 1) {
    definition.memory = refused + (taken - refused) / 2;
    rl_model *model = rl_model_create(&definition, &fault);
    assert_int_equal(fault.kind, model ? RL_FAULT_NONE : RL_FAULT_MEMORY);
    assert_true(model || strstr(fault.message, "GiB of memory"));
    *(model ? &taken : &refused) = definition.memory;
    rl_model_free(model);
  }
  rl_model *model = rl_model_create(&(rl_definition){.rope_count = 1, .ropes = &rope}, &fault);
  assert_non_null(model);
  assert_in_range(taken, model->bytes + rl_state_bytes(model), 1000 * 1000);
  rl_model_free(model);
  // With that and no more there is a model, and no matrix.
  definition.memory = taken;
  model = rl_model_create(&definition, &fault);
  for (int direct = 0; direct < 2; direct++) {
    rl_driver *driver =
        rl_driver_create(model, rl_solver_find(direct ? "pbd-direct" : "pbd"), NULL, 0.01);
    assert_int_equal(rl_driver_step(driver) == RL_DIVERGED_MEMORY, direct);
    rl_driver_free(driver);
  }
  rl_model_free(model);
}

static void expect_fault(const rl_definition *definition, const char *message) {
  rl_fault fault;
  assert_null(rl_model_create(definition, &fault));
  assert_string_equal(fault.message, message);
}

static void definitions_say_which_index_is_not_there(void **unused) {
  (void)unused;
  rl_body_definition ball = rl_body_defaults();
  ball.name = "ball";
  ball.mass = 2.385;
  rl_rope_definition rope = rl_rope_defaults();
  rope.name = "rope";
  rope.to = (rl_end){.kind = RL_END_BODY, .body = 3};
  rl_definition definition = {.body_count = 1, .bodies = &ball};
  rl_fault fault;
  rl_model *model = rl_model_create(&definition, &fault);
  assert_non_null(model);
  assert_null(rl_driver_create(model, rl_solver_find("pbd"), NULL, 0.01)); // without ropes
  rl_model_free(model);
  definition.rope_count = 1;
  definition.ropes = &rope;
  expect_fault(&definition, "there is no body of the index 3; there are 1");
  rope.to = (rl_end){.kind = RL_END_NODE, .rope = 0, .node = -3};
  expect_fault(&definition, "there is no node of that rope of the index -3; there are 2");
  rope.to = (rl_end){.kind = RL_END_FREE, .at = {1.0, 0.0, 0.0}};
  rl_event cut = {.kind = RL_EVENT_CUT, .rope = 0, .element = 1};
  definition.event_count = 1;
  definition.events = &cut;
  expect_fault(&definition, "there is no element of that rope of the index 1; there are 1");
  cut = (rl_event){.kind = RL_EVENT_CUT, .body = RL_NONE}; // a cut is of no body
  rope.mass = 0.75;
  rope.segments = 1;
  model = rl_model_create(&definition, &fault);
  assert_non_null(model);
  rl_model_free(model);
  rope.closed = true;
  rope.from = (rl_end){.kind = RL_END_BODY, .body = 3};
  expect_fault(&definition, "there is no body of the index 3; there are 1");
}

static void drivers_refuse_what_cannot_run(void **state) {
  (void)state;
  rl_scenario *s = shipped_with("capstan-slip", NULL, 0); // with friction, which `source` has not
  const rl_solver_type *pbd = rl_solver_find("pbd"), *source = rl_solver_find("source");
  double values[RL_PARAMETERS_MAX];
  rl_parameters_initial(pbd, values);
  rl_driver *driver = rl_driver_create(s->model, pbd, values, 0.01);
  assert_non_null(driver);
  rl_driver_free(driver);
  assert_null(rl_driver_create(NULL, pbd, values, 0.01));
  assert_null(rl_driver_create(s->model, rl_solver_find("nosuch"), NULL, 0.01));
  assert_true(rl_driver_missing(s->model, source) != 0);
  assert_null(rl_driver_create(s->model, source, NULL, 0.01));
  static const double steps[] = {0.0, -1.0, NAN, INFINITY};
  for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
    assert_null(rl_driver_create(s->model, pbd, values, steps[i]));
  }
  static const double wrong[] = {-5.0, 1e99, NAN, 1.5}; // of iterations
  for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
    values[rl_parameter_find(pbd, "iterations")] = wrong[i];
    assert_null(rl_driver_create(s->model, pbd, values, 0.01));
  }
  rl_scenario_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(definitions_say_which_index_is_not_there),
      cmocka_unit_test(drivers_refuse_what_cannot_run),
      cmocka_unit_test(sine_and_cosine_agree_with_libm),
      cmocka_unit_test(arc_tangent_agrees_with_libm),
      cmocka_unit_test(exponential_agrees_with_libm),
      cmocka_unit_test(rotation_vector_turns_by_its_length),
      cmocka_unit_test(surfaces_have_their_normals),
      cmocka_unit_test(hanging_pose_is_the_discrete_catenary),
      cmocka_unit_test(hanging_pose_is_always_found),
      cmocka_unit_test(hanging_pose_refuses_what_cannot_hang),
      cmocka_unit_test(polyline_is_resampled_at_equal_arc_length),
      cmocka_unit_test(ways_go_along_ropes),
      cmocka_unit_test(parameters_are_set_by_name),
      cmocka_unit_test(values_are_checked),
      cmocka_unit_test(indices_are_checked),
      cmocka_unit_test(state_copies_and_hashes),
      cmocka_unit_test(rows_have_their_gradients),
      cmocka_unit_test(held_ends_follow_their_body),
      cmocka_unit_test(driven_bodies_follow_their_way),
      cmocka_unit_test(memory_is_counted_before_it_is_taken),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
