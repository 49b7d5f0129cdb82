// SPDX-License-Identifier: GPL-3.0-or-later
// What reference says of its own error, (11), against the true one: never less than it, where that
// is more than rounding. Equation numbers are those of papers/reference.md.
#include "check.h"

#include <gsl/gsl_errno.h>

// What is this near, of the scene, is so by rounding: neither of two runs is the better one.
static const double rounding = 2e-14;

// A scene that is carried with a tolerance, in steps of the output that are one internal step long
// and such as are many.
typedef struct scene {
  const char *name;
  double duration, step;
  rl_override change;
} scene;

static rl_scenario *load(const scene *c) {
  return shipped_with(c->name, &c->change, c->change.path ? 1 : 0);
}

static double apart(const rl_model *model, const rl_state *a, const rl_state *b) {
  double largest = 0.0;
  for (uint32_t i = 0; i < model->place_count; i++) {
    largest =
        rl_larger(largest, rl_distance(rl_position(&a->points[i]), rl_position(&b->points[i])));
  }
  return largest;
}

// Against a run whose steps are a third and whose tolerance is what rounding allows, at the end of
// every step: (11) is the largest so far.
static void the_estimate_is_no_less_than_the_error(void **unused) {
  (void)unused;
  enum { PARTS = 3 };
  static const scene scenes[] = {
      {"pendulum", 1.0, 0.05, {0}},          {"swinging-atwood", 1.0, 0.01, {0}},
      {"swinging-atwood", 1.0, 0.05, {0}},   {"triple-pendulum", 0.8, 0.01, {0}},
      {"triple-pendulum", 0.8, 0.002, {0}},  {"hanging-chain", 0.5, 0.02, {0}},
      {"hanging-chain", 0.5, 0.005, {0}},    {"folded-chain", 0.38, 0.002, {"exact", "none"}},
      {"spring-pendulum", 1.0, 0.05, {0}},   {"five-link-chain", 1.0, 0.02, {0}},
      {"five-link-chain", 1.0, 0.1, {0}},    {"cantilever", 0.1, 0.001, {0}},
      {"elastic-cord", 1.0, 0.01, {0}},      {"tumbling-box", 0.5, 0.01, {0}},
      {"chain-off-table", 0.03, 0.005, {0}}, {"interrupted-pendulum", 1.0, 0.05, {0}},
      {"winding-post", 1.9, 0.1, {0}},       {"tetherball", 0.25, 0.05, {0}},
      {"lamp-cable", 0.4, 0.01, {0}},        {"knyazyev-rope", 0.7, 0.01, {0}},
      {"tug-of-war", 0.3, 0.01, {0}},
  };
  static const char *const specs[] = {"reference,tolerance=1e-6", "reference,tolerance=1e-9"};
  for (size_t i = 0; i < 2 * sizeof scenes / sizeof *scenes; i++) {
    const scene *c = &scenes[i / 2];
    rl_scenario *s = load(c);
    rl_driver *d = driver_for(s, specs[i % 2], c->step);
    rl_driver *truth = driver_for(s, "reference,estimate=false", c->step / PARTS);
    const int steps = (int)lround(c->duration / c->step);
    double error = 0.0, least = INFINITY;
    uint64_t internal = 0;
    for (int n = 0; n < steps; n++) {
      assert_true(rl_driver_step(d) > 0);
      take_steps(truth, PARTS);
      internal += d->info.iterations;
      error = fmax(error, apart(s->model, d->state, truth->state));
      if (error > rounding * s->model->reach) {
        least = fmin(least, d->info.error_estimate / error);
      }
    }
    print_message("%-22s %.4f s, %s: %.1f internal steps, error %.1e m, estimate %.1e m, at least "
                  "%.2g times it\n",
                  c->name, c->step, specs[i % 2], (double)internal / steps, error,
                  d->info.error_estimate, least);
    check_below(1.0, least);
    rl_driver_free(d);
    rl_driver_free(truth);
    rl_scenario_free(s);
  }
}

// Where rounding is all that is left of it, against closed forms.
static void the_estimate_knows_rounding(void **unused) {
  (void)unused;
  static const scene scenes[] = {
      {"pendulum", 1.0, 0.05, {0}},     {"pendulum", 1.0, 0.01, {0}},
      {"pendulum", 1.0, 0.002, {0}},    {"winding-post", 1.9, 0.1, {0}},
      {"winding-post", 1.9, 0.02, {0}}, {"winding-post", 1.9, 0.002, {0}},
      {"atwood-drum", 0.5, 0.01, {0}},  {"capstan-slip", 0.5, 0.01, {0}},
  };
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    const scene *c = &scenes[i];
    rl_scenario *s = load(c);
    rl_driver *d = driver_for(s, "reference", c->step);
    const int steps = (int)lround(c->duration / c->step);
    double error = 0.0, most = 0.0;
    for (int n = 0; n < steps; n++) {
      assert_true(rl_driver_step(d) > 0);
      rl_state *exact = exact_state(s, d->state->time);
      error = fmax(error, apart(s->model, d->state, exact));
      most = fmax(most, error / d->info.error_estimate);
      rl_state_free(exact);
    }
    print_message("%-22s %.4f s: error %.1e m, estimate %.1e m, error at most %.2g times it\n",
                  c->name, c->step, error, d->info.error_estimate, most);
    check_below(most, 1.0);
    check_below(d->info.error_estimate, 1e-11);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// Runs in a step and two parts of it are never farther apart than they say: what they say.
static double claimed_in_parts(const scene *c, int second, int third) {
  enum { RUNS = 3 };
  const int parts[RUNS] = {1, second, third};
  rl_scenario *s = load(c);
  rl_driver *runs[RUNS];
  double largest = 0.0, claimed = 0.0;
  for (int k = 0; k < RUNS; k++) {
    runs[k] = driver_for(s, "reference", c->step / parts[k]);
  }
  while (runs[0]->state->time < c->duration - 0.5 * c->step) {
    for (int k = 0; k < RUNS; k++) {
      for (int n = 0; n < parts[k]; n++) {
        assert_true(rl_driver_step(runs[k]) > 0);
      }
      const double distance = apart(s->model, runs[k]->state, runs[0]->state);
      largest = fmax(largest, distance);
      claimed = fmax(claimed, runs[k]->info.error_estimate);
      check_below(distance, runs[0]->info.error_estimate + runs[k]->info.error_estimate);
    }
  }
  print_message("%s: at most %.2g m apart, estimates up to %.2g m\n", c->name, largest, claimed);
  for (int k = 0; k < RUNS; k++) {
    rl_driver_free(runs[k]);
  }
  rl_scenario_free(s);
  return claimed;
}

static double claimed_in_other_steps(const scene *c) { return claimed_in_parts(c, 2, 3); }

// (9a) Elements of a belt and of a rope on a drum, which stick and could as well slip: what is
// found does not depend on the step of the output, but by less than the runs say. Chosen anew at
// the start of each step, the belt in steps of 1 ms and of a third is 1.3e-5 m apart after 0.1 s,
// the drum 2e-5 m after 0.36 s.
static void ropes_that_rub_know_no_step(void **unused) {
  (void)unused;
  check_below(claimed_in_other_steps(&(scene){"belt-drive", 0.05, 0.001, {0}}), 1e-7);
  check_below(claimed_in_other_steps(&(scene){"rolling-drum", 0.15, 0.001, {0}}), 1e-7);
}

// (11b) Of what a winch has taken in, rounding at each step adds up: without it in steps of 1 and
// 1/4 ms 94 times as much as both said.
static void the_estimate_knows_what_winches_round(void **unused) {
  (void)unused;
  check_below(claimed_in_other_steps(&(scene){"winch-lift", 1.75, 0.001, {0}}), 1e-9);
}

// (11e) A belt that breaks loose, and is jerked later, has two answers to each: with both runs
// begun alike those in steps of 5 and 5/4 ms were 514 times as far apart as both said.
static void the_estimate_knows_of_two_answers(void **unused) {
  (void)unused;
  check_below(1e-3, claimed_in_parts(&(scene){"belt-drive", 0.5, 0.005, {0}}, 2, 4));
  check_below(claimed_in_parts(&(scene){"rolling-drum", 0.5, 0.001, {0}}, 2, 4), 1e-6);
}

// (11f) An element on a table is let go by a force that falls slowly: without it steps of 1 and
// 1/8 ms were 1.4 times as far apart as both said, by rounding. (11g) A ball meets four elements of
// a net alike, and which is first decides by decimetres: without it either both runs took the same
// one or not.
static void the_estimate_knows_what_rounding_decides(void **unused) {
  (void)unused;
  check_below(claimed_in_parts(&(scene){"drape-box", 0.2, 0.001, {0}}, 2, 8), 1e-10);
  check_below(0.1, claimed_in_parts(&(scene){"net-catch", 1.5, 0.002, {0}}, 2, 8));
}

// Where all of an arc slips, or a rope rattles on what is round and rubs, something is claimed.
static void something_is_claimed_of_what_rubs(void **unused) {
  (void)unused;
  static const scene scenes[] = {{"turning-drum", 0.05, 0.001, {0}},
                                 {"drape-cylinder", 0.2, 0.001, {0}},
                                 {"rope-on-table", 0.3, 0.005, {0}},
                                 {"box-on-slope", 0.5, 0.01, {0}}};
  for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++) {
    rl_scenario *s = load(&scenes[i]);
    rl_driver *d = driver_for(s, "reference", scenes[i].step);
    run_until(d, scenes[i].duration);
    print_message("%s: estimate %.2g m\n", scenes[i].name, d->info.error_estimate);
    assert_true(d->info.error_estimate < INFINITY); // and a number
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// (8b) Elements that a taut rope presses on a ball throw each other off, and come to rest: with w
// from the largest speed alone the second run did not come beyond 0.52 s.
static void the_estimate_lasts_where_elements_rattle(void **unused) {
  (void)unused;
  rl_scenario *s = shipped_with("drape-sphere", NULL, 0);
  rl_driver *d = driver_for(s, "reference", s->step);
  run_until(d, 0.7);
  print_message("drape-sphere: %.2g m after %.3f s\n", d->info.error_estimate, d->state->time);
  assert_true(d->info.error_estimate < 0.01);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// A force and a wind that begin and end during the run act in both runs. What was pushed flies on;
// what the wind takes along has its speed u as 1 - exp(-k t), and x = u t - v/k.
static void the_estimate_knows_what_acts_for_a_while(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: gust\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\n"
      "bodies:\n  m: {position: [1, 0, 0], mass: 2, rope_collide: false}\n"
      "ropes:\n  slack: {from: {point: [0, 0, 0]}, to: {body: m}, length: 3}\n"
      "  line: {from: {free: [0, 0, 1]}, to: {free: [1, 0, 1]}, mass: 0.4, segments: 4,"
      " lumping: equal, drag: 0.3}\n"
      "events:\n  - {from: 0.25, until: 0.75, force: {body: m, value: [4, 2, 0]}}\n"
      "  - {from: 0.2, until: 0.6, wind: [0, 3, 1]}\n");
  const double rate = 0.3 / 0.08, speed = 1.0 - exp(-0.4 * rate);
  const double way = 0.4 - speed / rate + speed * (1.0 - exp(-0.4 * rate)) / rate;
  rl_driver *d = driver_for(s, "reference", 0.01);
  take_steps(d, 100);
  check_near(probe(d, "m.x"), 1.0 + 0.25 + 0.25, 1e-12);
  check_near(probe(d, "m.y"), 0.5 * (0.25 + 0.25), 1e-12);
  check_near(probe(d, "line.tip.y"), 3.0 * way, 1e-12);
  check_near(probe(d, "line.tip.z"), 1.0 + way, 1e-12);
  check_below(d->info.error_estimate, 1e-11);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// With an argument what takes minutes.
int main(int count, char **arguments) {
  (void)arguments;
  gsl_set_error_handler_off();
  const struct CMUnitTest quick[] = {
      cmocka_unit_test(the_estimate_is_no_less_than_the_error),
      cmocka_unit_test(the_estimate_knows_rounding),
      cmocka_unit_test(ropes_that_rub_know_no_step),
      cmocka_unit_test(the_estimate_knows_what_winches_round),
      cmocka_unit_test(something_is_claimed_of_what_rubs),
      cmocka_unit_test(the_estimate_knows_what_acts_for_a_while),
  };
  const struct CMUnitTest slow[] = {
      cmocka_unit_test(the_estimate_lasts_where_elements_rattle),
      cmocka_unit_test(the_estimate_knows_of_two_answers),
      cmocka_unit_test(the_estimate_knows_what_rounding_decides),
  };
  return count > 1 ? cmocka_run_group_tests(slow, NULL, NULL)
                   : cmocka_run_group_tests(quick, NULL, NULL);
}
