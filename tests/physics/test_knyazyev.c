// SPDX-License-Identifier: GPL-3.0-or-later
// The rope of "Ropes as Constraints": slack a chain that is solved directly, strained one row.
#include "check.h"

static rl_scenario *shipped_scenario(const char *name) {
  rl_scenario *s = shipped_with(name, NULL, 0);
  return s;
}

// The elimination along a slack rope finds what the complementarity problem of all its rows has
// for a solution: the same places, tensions and forces of the ground.
static void slack_rope_is_the_direct_solution(void **unused) {
  (void)unused;
  static const struct {
    const char *scenario;
    double seconds; // before one rounding has become 1e-9 m
  } cases[] = {{"catenary", 1.0},      {"free-rope", 0.3},     {"hanging-chain", 0.6},
               {"spinning-rope", 0.5}, {"rope-on-floor", 0.9}, {"nehe-rope", 0.8}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    rl_scenario *s = shipped_scenario(cases[i].scenario);
    rl_driver *d = driver_for(s, "knyazyev", s->step);
    rl_driver *other = driver_for(s, "impulse-direct", s->step);
    int pulls = 0, pushes = 0;
    for (int n = 0; n < (int)(cases[i].seconds / s->step); n++) {
      assert_true(rl_driver_step(d) > 0);
      assert_true(rl_driver_step(other) > 0);
      for (uint32_t k = 0; k < s->model->slot_count; k++) {
        check_near(
            rl_distance(rl_position(&d->state->points[k]), rl_position(&other->state->points[k])),
            0.0, 1e-9);
      }
      assert_int_equal(d->state->contact_count, other->state->contact_count);
      for (size_t k = 0; k < rl_unknown_count(s->model, d->state); k++) {
        const double force = d->state->multipliers[k];
        check_near(force, other->state->multipliers[k], 1e-6 * (1.0 + force));
        pulls += force > 0.0 && k < s->model->link_count;
        pushes += force > 0.0 && k >= s->model->link_count;
      }
    }
    assert_true(pulls > 0 || i == 4); // what falls on the floor does not pull
    assert_true((pushes > 0) == (i > 3));
    rl_driver_free(d);
    rl_driver_free(other);
    rl_scenario_free(s);
  }
}

// Swung, slack, and caught straight below after 4 v cos(30)/g (knyazyev-rope.yaml): when the rope
// lets go and catches, where, and what that costs.
typedef struct flight {
  double released, caught, x, lost, speed;
} flight;

static flight fly(double dt) {
  rl_scenario *s = shipped_scenario("knyazyev-rope");
  rl_driver *d = driver_for(s, "knyazyev", dt);
  flight f = {.released = 0.0};
  bool was_strained = true;
  for (int n = 0; d->state->time < 1.6; n++) {
    assert_true(rl_driver_step(d) > 0);
    const rl_vec3 ball = {probe(d, "ball.x"), probe(d, "ball.y"), 0.0};
    const bool strained = probe(d, "line.tension.0") > 0.0 &&
                          probe(d, "line.tension.0") == probe(d, "line.tension.to") &&
                          rl_length(ball) > 0.99;
    if (strained) { // what is drawn lies straight between the ends
      check_near(probe(d, "line.node.6.x"), 0.5 * ball.x, 1e-14);
      check_near(probe(d, "line.node.6.y"), 0.5 * ball.y, 1e-14);
    } else { // and is as long as ever where it does not; just before the catch its nodes whip round
      check_near(probe(d, "line.length"), 1.0, 15.0 * dt);
    }
    if (was_strained && !strained) {
      f.released = d->state->time;
    } else if (strained && !was_strained) {
      f.caught = d->state->time;
      f.x = ball.x;
    }
    if (f.caught > 0.0 &&
        d->state->time < f.caught + 2.5 * dt) { // what was left of the slack is gone
      f.speed = probe(d, "ball.speed");
      f.lost = d->state->dissipated;
    }
    was_strained = strained;
  }
  rl_driver_free(d);
  rl_scenario_free(s);
  return f;
}

static void goes_slack_and_taut_again(void **unused) {
  (void)unused;
  const double v = sqrt(0.5 * 9.81);
  double errors[2];
  for (int i = 0; i < 2; i++) {
    const double dt = i == 0 ? 0.001 : 0.00025;
    const flight f = fly(dt);
    check_near(f.released, 0.481994, 10.0 * dt); // the pull vanishes slowly
    check_near(f.caught, 1.264056, 2.0 * dt);
    check_near(f.x, 0.0, 2.0 * dt);
    check_near(f.speed, 0.5 * v, dt);
    check_relative(f.lost, 27.0 / 8.0 * v * v, 3.0 * dt);
    errors[i] = fabs(f.lost - 27.0 / 8.0 * v * v);
  }
  assert_true(errors[1] < 0.5 * errors[0]);
}

// The rope is nothing to what it hangs between: slack or strained, and however heavy, the ball has
// the same bits.
static void rope_pulls_on_nothing(void **unused) {
  (void)unused;
  double end[2] = {0.0, 0.0};
  for (int i = 0; i < 2; i++) {
    rl_scenario *s = scenario_from("name: load\nduration: 1\nstep: 0.01\n"
                                   "bodies: {load: {mass: 2.385, position: [0.3, -0.9, 0]}}\n"
                                   "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: load},"
                                   " length: 1, mass: %g, segments: 8}}\n",
                                   i == 0 ? 0.01 : 100.0);
    rl_driver *d = driver_for(s, "knyazyev", 0.01);
    take_steps(d, 500);
    end[i] = probe(d, "load.x");
    rl_driver_free(d);
    rl_scenario_free(s);
  }
  check_near(end[0], end[1], 0.0);
}

// Strained ropes without nodes, over eyes, wheels and drums on which they grip, are the rows of all
// methods.
static void strained_ropes_are_rows(void **unused) {
  (void)unused;
  static const char *const names[] = {"swinging-atwood",    "atwood-wheel",
                                      "two-ropes-one-body", "differential-pulley",
                                      "block-and-tackle-2", "balloon-with-stop"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    rl_scenario *s = shipped_scenario(names[i]);
    rl_driver *d = driver_for(s, "knyazyev", s->step);
    rl_driver *other = driver_for(s, "impulse-direct", s->step);
    for (int n = 0; n < 150; n++) {
      assert_true(rl_driver_step(d) > 0);
      assert_true(rl_driver_step(other) > 0);
      for (uint32_t k = 0; k < s->model->place_count; k++) {
        check_near(
            rl_distance(rl_position(&d->state->points[k]), rl_position(&other->state->points[k])),
            0.0, 1e-8);
      }
    }
    rl_driver_free(d);
    rl_driver_free(other);
    rl_scenario_free(s);
  }
}

// A plank that hangs by a point beside its centre turns and swings as on a massless rope, whether
// the rope is drawn as nodes or not; and so it does as a row of `impulse`.
static void what_hangs_beside_its_centre_turns(void **unused) {
  (void)unused;
  static const struct {
    const char *solver, *rope;
  } cases[] = {{"impulse", ""},
               {"knyazyev", ""},
               {"knyazyev", "mass: 0.3, segments: 6,"},
               {"contraption", ""},
               {"contraption,variant=whole", "mass: 0.3, segments: 6,"}};
  double places[5][3];
  for (size_t i = 0; i < 5; i++) {
    rl_scenario *s = scenario_from(
        "name: plank\nduration: 1\nstep: 0.002\n"
        "bodies:\n"
        "  plank: {mass: 2.385, position: [1.1, -0.7, 0], shape: {box: {size: [1, 0.1, 0.2]}},\n"
        "          rope_collide: false}\n"
        "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: plank, at: [-0.4, 0, 0]},\n"
        " %s slack: 0.05}}\n",
        cases[i].rope);
    rl_driver *d = driver_for(s, cases[i].solver, 0.002);
    take_steps(d, 350);
    places[i][0] = probe(d, "plank.x");
    places[i][1] = probe(d, "plank.y");
    places[i][2] = probe(d, "plank.angle");
    rl_driver_free(d);
    rl_scenario_free(s);
  }
  for (int k = 0; k < 3; k++) {
    check_near(places[1][k], places[0][k], 1e-10);
    check_near(places[2][k], places[0][k], 1e-10);
    check_near(places[4][k], places[3][k], 1e-10);
    check_near(places[3][k], places[0][k], 0.02); // catches a step late
  }
  assert_true(fabs(places[0][2]) > 0.3);
}

// At rest on the ground: between its posts it hangs in two catenaries, whatever lies is carried by
// the ground, and ground and ends carry all of it.
static void ground_carries_what_lies(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: lying\nduration: 1\nstep: 0.002\n"
      "bodies: {ground: {motion: fixed, shape: {plane: {normal: [0, 1, 0]}}}}\n"
      "ropes: {line: {from: {point: [-1, 0.3, 0]}, to: {point: [1, 0.3, 0]}, length: 2.3,\n"
      " mass: 2.385, segments: 23, drag_per_length: 4}}\n");
  rl_driver *d = driver_for(s, "knyazyev", 0.002);
  take_steps(d, 6000);
  double ground = 0.0;
  for (uint64_t k = 0; k < d->state->contact_count; k++) {
    ground += d->state->multipliers[s->model->link_count + k];
  }
  // The pull up of the first element, its tension times its slope; the other side is its mirror.
  const double slope = (probe(d, "line.node.0.y") - probe(d, "line.node.1.y")) / 0.1;
  const double ends = 2.0 * slope * probe(d, "line.tension.0");
  const double mass = 2.385 / 23.0;
  check_near(ground + ends, 22.0 * mass * 9.81, 1e-6);
  assert_true(ground > 5.0);
  check_near(probe(d, "line.node.11.y"), 0.0, 1e-12);
  check_near(probe(d, "line.tension.0"), probe(d, "line.tension.to"), 1e-6);
  check_near(probe(d, "line.tension.10"), probe(d, "line.tension.11"), 1e-6); // nothing rubs
  rl_driver_free(d);
  rl_scenario_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slack_rope_is_the_direct_solution),
      cmocka_unit_test(strained_ropes_are_rows),
      cmocka_unit_test(goes_slack_and_taut_again),
      cmocka_unit_test(rope_pulls_on_nothing),
      cmocka_unit_test(what_hangs_beside_its_centre_turns),
      cmocka_unit_test(ground_carries_what_lies),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
