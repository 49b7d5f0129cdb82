// SPDX-License-Identifier: GPL-3.0-or-later
// The rope of NeHe's lesson 40: every bit of its substeps worked out again here from the words of
// the source, and the limits that theory gives it. Equation numbers are those of papers/nehe.md.
#include "check.h"

#include <string.h>

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
  rl_scenario *s = shipped_with("nehe-rope", NULL, 0);
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

// The lesson with its first particle led by a hand: bit by bit, from corner to corner of its way.
static void nehe_follows_the_hand(void **unused) {
  (void)unused;
  rl_scenario *s = shipped_with("nehe-hand", NULL, 0);
  rl_driver *d = driver_for(s, "nehe,stiffness=12000,spring_friction=0.25", 0.004);
  particle rope[PARTICLES];
  lesson_start(d, rope);
  const uint32_t hand = rl_rope_node(d->model, d->state, 0, 0);
  int grounded = 0, lifted = 0;
  for (int n = 0; n < 1000; n++) {
    const double t0 = (double)n * 0.004, t1 = (double)(n + 1) * 0.004;
    const rl_body *body = rl_slot_body(d->model, hand);
    const rl_vec3 before = rl_drive_position(body->drive_count, body->drive, t0);
    const rl_vec3 after = rl_drive_position(body->drive_count, body->drive, t1);
    assert_true(rl_driver_step(d) > 0);
    const rl_vec3 v = rl_scale(1.0 / 0.004, rl_sub(after, before));
    rope[0].v[0] = v.x;
    rope[0].v[1] = v.y;
    for (int substep = 0; substep < 2; substep++) {
      lesson_step(rope, 12000.0, 0.25, 0.002);
      rope[0].p[0] += 0.002 * v.x;
      rope[0].p[1] += 0.002 * v.y;
    }
    rope[0].p[0] = after.x; // where the hand is, and not the sum of its moves
    rope[0].p[1] = after.y;
    check_particles(d, rope);
    grounded += probe(d, "rope.contacts") > 10.0;
    lifted += grounded > 0 && probe(d, "rope.contacts") < 10.0;
  }
  assert_true(grounded > 50 && lifted > 50);
  rl_driver_free(d);
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
  return survives_steps(s, spec, 0.002, 20000);
}

// Stable iff k < m / (dt^2 cos^2(pi / (2N + 1))) - 2 c / dt; and the largest k that another program
// saw survive for 30 particles and 2 ms (nehe.md, (8)).
static void nehe_has_its_limit(void **unused) {
  (void)unused;
  static const double frictions[] = {0.0, 0.25, 0.5};
  static const double seen[] = {12527.0, 12299.0, 12057.0};
  for (size_t i = 0; i < 3; i++) {
    const double c = cos(RL_PI / 59.0);
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
  take_steps(d, 5000);
  check_near(probe(d, "line.tension.to"), 2.385 * 9.81, 1e-9);
  check_near(probe(d, "line.length"), 1.0 + 2.385 * 9.81 / 1000.0, 1e-9);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// The picture lies between the last two substeps.
static void nehe_draws_between_two_states(void **unused) {
  (void)unused;
  rl_scenario *s = shipped_with("nehe-rope", NULL, 0);
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

// What its law cannot do is refused for the reason that it is.
static void limits_are_known(void **unused) {
  (void)unused;
  check_missing("nehe", "atwood", RL_CAN_SPANS);
  check_missing("nehe", "drape-sphere", RL_CAN_TOUCH);
  check_missing("nehe", "nehe-rope", 0);
  check_missing("nehe", "elastic-cord", 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nehe_is_the_lesson),
      cmocka_unit_test(nehe_follows_the_hand),
      cmocka_unit_test(nehe_has_its_limit),
      cmocka_unit_test(nehe_springs_pull_and_push),
      cmocka_unit_test(nehe_draws_between_two_states),
      cmocka_unit_test(limits_are_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
