// SPDX-License-Identifier: GPL-3.0-or-later
// The historical solvers: every bit of their steps worked out again here from the words of their
// sources, and the limits that theory gives them.
#include "check.h"

#include <string.h>

#define PI 3.14159265358979323846

static rl_scenario *shipped_scenario(const char *name) {
  rl_diagnostic diagnostic;
  rl_scenario *s = rl_scenario_from_file(shipped(name), NULL, 0, &diagnostic);
  assert_non_null(s);
  return s;
}

// ---------------------------------------------------------------------------------------------
// nehe

enum { PARTICLES = 30 };

// A particle, and the rest length of the spring to the next one.
typedef struct particle {
  double mass, rest, p[3], v[3], f[3];
} particle;

// The start of the driver, which is the lesson's up to the rounding of a division.
static void lesson_start(const rl_driver *d, particle *rope) {
  for (uint32_t i = 0; i < PARTICLES; i++) {
    const uint32_t slot = rl_rope_node(d->model, d->state, 0, i);
    const rl_point p = d->state->points[slot];
    const double mass = i > 0 ? d->state->masses[slot] : 0.05;
    const double rest = d->state->links[i + 1 < PARTICLES ? i : 0].rest;
    rope[i] = (particle){.mass = mass, .rest = rest, .p = {p.x, p.y, p.z}};
    check_near(mass, 0.05, 1e-16);
    check_near(rest, 0.05, 1e-16);
    check_near(p.x, i * 0.05, 1e-15);
    check_near(p.y, PARTICLES * 0.05 * (2.0 / 3.0), 1e-15);
    check_near(p.z, 0.0, 0.0);
  }
}

// One step of the lesson, in its order.
static void lesson_step(particle *rope, double k, double friction, double dt) {
  const double gravity[3] = {0.0, -9.82, 0.0};
  for (int i = 0; i < PARTICLES; i++) {
    rope[i].f[0] = rope[i].f[1] = rope[i].f[2] = 0.0;
  }
  for (int s = 0; s + 1 < PARTICLES; s++) {
    particle *one = &rope[s], *two = &rope[s + 1];
    double d[3], force[3];
    for (int c = 0; c < 3; c++) {
      d[c] = two->p[c] - one->p[c];
    }
    const double length = sqrt(d[0] * d[0] + d[1] * d[1] + d[2] * d[2]);
    for (int c = 0; c < 3; c++) {
      force[c] = d[c] / length * (length - one->rest) * k;
      force[c] += (one->v[c] - two->v[c]) * -friction;
      one->f[c] += force[c];
      two->f[c] -= force[c];
    }
  }
  for (int i = 1; i < PARTICLES; i++) {
    for (int c = 0; c < 3; c++) {
      rope[i].f[c] += gravity[c] * rope[i].mass;
      rope[i].f[c] += rope[i].v[c] * -0.04;
    }
  }
  for (int i = 1; i < PARTICLES; i++) {
    if (rope[i].p[1] < 0.0) {
      rope[i].f[0] += rope[i].v[0] * -0.2;
      rope[i].f[2] += rope[i].v[2] * -0.2;
      if (rope[i].v[1] < 0.0) {
        rope[i].f[1] += rope[i].v[1] * -2.0;
      }
      rope[i].f[1] += 100.0 * (0.0 - rope[i].p[1]);
    }
  }
  for (int i = 1; i < PARTICLES; i++) { // the first one is held
    for (int c = 0; c < 3; c++) {
      rope[i].v[c] += rope[i].f[c] / rope[i].mass * dt;
      rope[i].p[c] += rope[i].v[c] * dt;
    }
  }
}

static void check_particles(const rl_driver *d, const particle *rope) {
  for (uint32_t i = 0; i < PARTICLES; i++) {
    const uint32_t slot = rl_rope_node(d->model, d->state, 0, i);
    const rl_point p = d->state->points[slot];
    const rl_vec3 v = d->state->velocities[slot];
    assert_true(p.x == rope[i].p[0] && p.y == rope[i].p[1] && p.z == rope[i].p[2]);
    assert_true(v.x == rope[i].v[0] && v.y == rope[i].v[1] && v.z == rope[i].v[2]);
  }
}

// The shipped scenario is the lesson, to the last bit, until long after the rope is on the ground.
static void nehe_is_the_lesson(void **unused) {
  (void)unused;
  static const struct {
    const char *spec;
    double stiffness, friction;
  } cases[] = {{"nehe", 1000.0, 0.5}, {"nehe,stiffness=12000,spring_friction=0.25", 12000.0, 0.25}};
  rl_scenario *s = shipped_scenario("nehe-rope");
  for (size_t i = 0; i < 2; i++) {
    rl_driver *d = driver_for(s, cases[i].spec, 0.004);
    particle rope[PARTICLES];
    lesson_start(d, rope);
    int grounded = 0;
    for (int n = 0; n < 500; n++) {
      for (int substep = 0; substep < 2; substep++) {
        lesson_step(rope, cases[i].stiffness, cases[i].friction, 0.002);
      }
      assert_true(rl_driver_step(d) > 0);
      assert_int_equal(d->info.iterations, 2);
      check_particles(d, rope);
      grounded += probe(d, "rope.contacts") > 0.0;
    }
    assert_true(grounded > 100);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// 29 free particles hang in a row and are nudged along it.
static bool nehe_survives(double stiffness, double friction) {
  rl_scenario *s = scenario_from("name: chain\nduration: 1\nstep: 0.002\ngravity: [0, -9.82, 0]\n"
                                 "ropes:\n"
                                 "  chain: {from: {point: [0, 0, 0]}, to: {free: [0, -1.45, 0]},\n"
                                 "          mass: 1.45, segments: 29, lumping: equal,\n"
                                 "          velocity: [0, -1e-6, 0]}\n");
  char spec[128];
  snprintf(spec, sizeof spec, "nehe,air_friction=0,stiffness=%.17g,spring_friction=%.17g",
           stiffness, friction);
  rl_driver *d = driver_for(s, spec, 0.002);
  rl_reason reason = RL_RUNNING;
  for (int n = 0; n < 20000 && reason >= 0; n++) {
    reason = rl_driver_step(d);
  }
  rl_driver_free(d);
  rl_scenario_free(s);
  return reason > 0;
}

// Stable iff k < m / (dt^2 cos^2(pi / (2N + 1))) - 2 c / dt; and the largest k that another program
// saw survive for 30 particles and 2 ms (references 2.11).
static void nehe_has_its_limit(void **unused) {
  (void)unused;
  static const double frictions[] = {0.0, 0.25, 0.5};
  static const double seen[] = {12527.0, 12299.0, 12057.0};
  for (size_t i = 0; i < 3; i++) {
    const double c = cos(PI / 59.0);
    const double expected = 0.05 / (0.002 * 0.002 * c * c) - 2.0 * frictions[i] / 0.002;
    double low = 0.5 * expected;
    double high = 1.5 * expected;
    assert_true(nehe_survives(low, frictions[i]));
    assert_false(nehe_survives(high, frictions[i]));
    while (high - low > 1e-5 * expected) {
      const double middle = 0.5 * (low + high);
      *(nehe_survives(middle, frictions[i]) ? &low : &high) = middle;
    }
    check_relative(low, expected, 1e-4);
    check_relative(low, seen[i], 0.01);
  }
}

// A resting load: the spring carries it, and a spring that is too short pushes.
static void nehe_springs_pull_and_push(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from("name: load\nduration: 1\nstep: 0.002\n"
                                 "bodies: {load: {mass: 2.385, position: [0, -0.9, 0]}}\n"
                                 "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: load},"
                                 " length: 1}}\n");
  rl_driver *d = driver_for(s, "nehe,spring_friction=20,air_friction=0", 0.002);
  check_near(rl_driver_energy(d).elastic, 0.5 * 1000.0 * 0.1 * 0.1, 1e-12);
  assert_true(rl_driver_step(d) > 0);
  check_near(probe(d, "line.tension.to"), -100.0, 1e-9);
  for (int n = 0; n < 5000; n++) {
    assert_true(rl_driver_step(d) > 0);
  }
  check_near(probe(d, "line.tension.to"), 2.385 * 9.81, 1e-9);
  check_near(probe(d, "line.length"), 1.0 + 2.385 * 9.81 / 1000.0, 1e-9);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// The picture lies between the last two substeps.
static void nehe_draws_between_two_states(void **unused) {
  (void)unused;
  rl_scenario *s = shipped_scenario("nehe-rope");
  rl_driver *d = driver_for(s, "nehe", 0.004);
  rl_vec3 points[PARTICLES];
  assert_int_equal(d->type->draw(d->memory, d->model, d->state, 0, 0.5, NULL, 0), PARTICLES);
  d->type->draw(d->memory, d->model, d->state, 0, 0.5, points, PARTICLES);
  check_near(points[PARTICLES - 1].x, 1.45, 1e-15); // nothing has moved yet
  particle rope[PARTICLES], before[PARTICLES];
  lesson_start(d, rope);
  for (int n = 0; n < 10; n++) {
    assert_true(rl_driver_step(d) > 0);
    lesson_step(rope, 1000.0, 0.5, 0.002);
    memcpy(before, rope, sizeof rope);
    lesson_step(rope, 1000.0, 0.5, 0.002);
  }
  d->type->draw(d->memory, d->model, d->state, 0, 0.375, points, PARTICLES);
  for (int i = 0; i < PARTICLES; i++) {
    assert_true(points[i].x == before[i].p[0] + (rope[i].p[0] - before[i].p[0]) * 0.375);
    assert_true(points[i].y == before[i].p[1] + (rope[i].p[1] - before[i].p[1]) * 0.375);
  }
  assert_true(points[PARTICLES - 1].y != rope[PARTICLES - 1].p[1]);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// ---------------------------------------------------------------------------------------------
// source

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
  rl_scenario *s = shipped_scenario("source-cable");
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
  rl_scenario *s = shipped_scenario("source-cable");
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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nehe_is_the_lesson),
      cmocka_unit_test(nehe_has_its_limit),
      cmocka_unit_test(nehe_springs_pull_and_push),
      cmocka_unit_test(nehe_draws_between_two_states),
      cmocka_unit_test(source_is_the_engine),
      cmocka_unit_test(source_halves_gravity),
      cmocka_unit_test(source_carries_half_of_the_weight),
      cmocka_unit_test(source_follows_a_driven_end),
      cmocka_unit_test(source_draws_a_smooth_curve),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
