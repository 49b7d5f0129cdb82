// SPDX-License-Identifier: GPL-3.0-or-later
// The rope of the Source engine: every bit of its steps worked out again here from the words of the
// source. Equation numbers are those of papers/source.md.
#include "check.h"

#include <string.h>

enum { NODES = 10, SPRINGS = NODES - 1 };

typedef struct cable {
  double now[NODES][3], last[NODES][3], rest[SPRINGS];
} cable;

// At rest at the start of the driver.
static void cable_start(const rl_driver *d, cable *rope) {
  for (uint32_t i = 0; i < NODES; i++) {
    const rl_point p = d->state->points[rl_rope_node(d->model, d->state, 0, i)];
    const double at[3] = {p.x, p.y, p.z};
    memcpy(rope->now[i], at, sizeof at);
    memcpy(rope->last[i], at, sizeof at);
  }
  for (int i = 0; i < SPRINGS; i++) {
    rope->rest[i] = d->state->links[i].rest;
    check_near(rope->rest[i], (256.0 + 200.0 - 100.0) * 0.01905 / 9.0, 1e-15);
  }
}

// One step of the engine: both ends are held.
static void cable_step(cable *rope, double dt) {
  const double acceleration[3] = {0.0, -28.575, 0.0};
  for (int i = 1; i < NODES - 1; i++) {
    for (int c = 0; c < 3; c++) {
      const double at = rope->now[i][c];
      rope->now[i][c] = at + (at - rope->last[i][c]) * 0.98 + acceleration[c] * (dt * dt * 0.5);
      rope->last[i][c] = at;
    }
  }
  for (int turn = 0; turn < 3; turn++) {
    for (int s = 0; s < SPRINGS; s++) {
      double to[3];
      for (int c = 0; c < 3; c++) {
        to[c] = rope->now[s][c] - rope->now[s + 1][c];
      }
      const double length = sqrt(to[0] * to[0] + to[1] * to[1] + to[2] * to[2]);
      for (int c = 0; c < 3 && length > rope->rest[s]; c++) {
        const double excess = to[c] * (1.0 - rope->rest[s] / length);
        rope->now[s][c] -= s > 0 ? 0.5 * excess : 0.0;
        rope->now[s + 1][c] += s + 1 < NODES - 1 ? 0.5 * excess : 0.0;
      }
    }
  }
}

static void check_cable(const rl_driver *d, const cable *rope) {
  for (uint32_t i = 0; i < NODES; i++) {
    const rl_point p = d->state->points[rl_rope_node(d->model, d->state, 0, i)];
    assert_true(p.x == rope->now[i][0] && p.y == rope->now[i][1] && p.z == rope->now[i][2]);
  }
}

// The shipped scenario is the engine's rope, to the last bit, with and without its settling.
static void source_is_the_engine(void **unused) {
  (void)unused;
  rl_scenario *s = shipped_with("source-cable", NULL, 0);
  static const struct {
    const char *spec;
    int settled; // steps
  } cases[] = {{"source,settle=0", 0}, {"source", 150}};
  for (size_t i = 0; i < 2; i++) {
    rl_driver *d = driver_for(s, cases[i].spec, 0.02);
    cable rope;
    cable_start(d, &rope);
    for (int n = 0; n < cases[i].settled; n++) {
      cable_step(&rope, 0.02);
    }
    for (int n = 0; n < 300; n++) {
      cable_step(&rope, 0.02);
      assert_true(rl_driver_step(d) > 0);
      assert_int_equal(d->info.iterations, 3);
      check_cable(d, &rope);
      check_relative(probe(d, "cable.node.4.vy"), (rope.now[4][1] - rope.last[4][1]) / 0.02, 1e-15);
    }
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// What falls freely falls with half of gravity: after n steps n (n + 1) / 2 g dt^2 / 2.
static void source_halves_gravity(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from("name: fall\nduration: 1\nstep: 0.01\n"
                                 "ropes: {r: {from: {free: [0, 0, 0]}, to: {free: [1, 0, 0]},"
                                 " mass: 1, segments: 3, slack: 0.1}}\n");
  rl_driver *d = driver_for(s, "source,settle=0,damping=1", 0.01);
  for (int n = 1; n <= 100; n++) {
    assert_true(rl_driver_step(d) > 0);
    check_near(probe(d, "r.node.1.y"), -0.5 * 9.81 * 1e-4 * 0.5 * n * (n + 1), 1e-12);
    check_near(probe(d, "r.tension"), 0.0, 0.0);
  }
  rl_driver_free(d);
  rl_scenario_free(s);
}

// At rest the passes of a step lift every node by what it falls: the tensions carry half of the
// weight.
static void source_carries_half_of_the_weight(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from("name: hang\nduration: 1\nstep: 0.01\n"
                                 "ropes: {r: {from: {point: [0, 0, 0]}, to: {free: [0, -1, 0]},"
                                 " mass: 0.7, segments: 7, lumping: equal}}\n");
  rl_driver *d = driver_for(s, "source,settle=100,iterations=20", 0.01);
  assert_true(rl_driver_step(d) > 0);
  for (int i = 0; i < 7; i++) {
    char name[32];
    snprintf(name, sizeof name, "r.tension.%d", i);
    check_near(probe(d, name), 0.5 * 9.81 * 0.1 * (7 - i), 1e-9);
  }
  rl_driver_free(d);
  rl_scenario_free(s);
}

// Held ends are held wherever they are moved to.
static void source_follows_a_driven_end(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: driven\nduration: 1\nstep: 0.01\n"
      "bodies: {hand: {motion: driven, position: [0, 0, 0], velocity: [0.5, 0.25, -1]}}\n"
      "ropes: {r: {from: {point: [0, 3, 0]}, to: {body: hand}, mass: 1, segments: 5}}\n");
  rl_driver *d = driver_for(s, "source", 0.01);
  for (int n = 1; n <= 100; n++) {
    assert_true(rl_driver_step(d) > 0);
    check_near(probe(d, "r.tip.z"), -0.01 * n, 1e-15);
    check_near(probe(d, "r.node.0.y"), 3.0, 0.0);
  }
  assert_true(probe(d, "r.node.4.z") < -0.5);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// The curve goes through the nodes; between them it is the cubic with the tangents
// (next - previous) / 2, and its ends stand for what lies beyond them.
static void source_draws_a_smooth_curve(void **unused) {
  (void)unused;
  rl_scenario *s = shipped_with("source-cable", NULL, 0);
  rl_driver *d = driver_for(s, "source,subdivision=3", 0.02);
  assert_true(rl_driver_step(d) > 0);
  rl_vec3 points[4 * SPRINGS + 1];
  assert_int_equal(d->type->draw(d->memory, d->model, d->state, 0, 0.0, points, 4 * SPRINGS + 1),
                   4 * SPRINGS + 1);
  for (int i = 0; i < NODES; i++) {
    double y[4];
    for (int k = 0; k < 4; k++) {
      const int node = i + k - 1 < 0 ? 0 : i + k - 1 > SPRINGS ? SPRINGS : i + k - 1;
      y[k] = d->state->points[rl_rope_node(d->model, d->state, 0, (uint32_t)node)].y;
    }
    assert_true(points[4 * i].y == y[1]);
    for (int part = 0; part < 3 && i < SPRINGS; part++) {
      const double t = (part + 1) / 4.0; // Hermite form
      const double expected = (1 + 2 * t) * (1 - t) * (1 - t) * y[1] + t * t * (3 - 2 * t) * y[2] +
                              t * (1 - t) * (1 - t) * 0.5 * (y[2] - y[0]) +
                              t * t * (t - 1) * 0.5 * (y[3] - y[1]);
      check_near(points[4 * i + part + 1].y, expected, 1e-15);
    }
  }
  // A smaller array is filled as far as it goes.
  rl_vec3 two[3] = {{0, 0, 0}, {0, 0, 0}, {2.385, 0, 0}};
  assert_int_equal(d->type->draw(d->memory, d->model, d->state, 0, 0.0, two, 2), 4 * SPRINGS + 1);
  assert_true(two[1].y == points[1].y && two[2].x == 2.385);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// What its law cannot do is refused for the reason that it is.
static void limits_are_known(void **unused) {
  (void)unused;
  check_missing("source", "pendulum", RL_CAN_LOADS);
  check_missing("source", "free-rope", 0);
  check_missing("source", "nehe-rope", RL_CAN_GROUND);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(source_is_the_engine),
      cmocka_unit_test(source_halves_gravity),
      cmocka_unit_test(source_carries_half_of_the_weight),
      cmocka_unit_test(source_follows_a_driven_end),
      cmocka_unit_test(source_draws_a_smooth_curve),
      cmocka_unit_test(limits_are_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
