// SPDX-License-Identifier: GPL-3.0-or-later
// Closed forms of chains that slide, fall and are drawn from a heap (papers/exact.md),
// against published digits.
#include "check.h"

#include <gsl/gsl_errno.h>
#include <stdio.h>
#include <string.h>

// A chain of a metre, `level` of it on a table without a thickness, the rest over its edge.
static rl_scenario *table(const char *form, int count, double level, double friction) {
  return scenario_from("name: t\nduration: 1\nstep: 0.01\n"
                       "bodies: {table: {motion: fixed, position: [0, -9, 0], friction: %g, shape: "
                       "{box: {size: [1, 1,"
                       " 1]}}}}\n"
                       "ropes: {chain: {from: {free: [%.17g, 0, 0]}, to: {free: [0, %.17g, 0]}, "
                       "mass: 1, segments: %d,"
                       " points: [[%.17g, 0, 0], [0, 0, 0], [0, %.17g, 0]]}}\n"
                       "exact: {%s: {rope: chain, body: table}}\n",
                       friction, -level, level - 1.0, count, -level, level - 1.0, form);
}

// The last moment at which a closed form knows the state, by halves between two times.
static double end_of(const rl_scenario *s, double low, double high) {
  for (int i = 0; i < 60; i++) {
    const double t = 0.5 * (low + high);
    rl_state *state = exact_state(s, t);
    *(state ? &low : &high) = t;
    rl_state_free(state);
  }
  return low;
}

// L = 1 m, y0 = 0.1 m: off the table after 0.955662506514771 s at 3.11639214477254 m/s; with
// friction of 0.05 at 3.0519821428049 m/s. Without a guide the edge lets go at (L + sqrt(L^2 + 8
// y0^2))/4.
static void chains_slide_off_a_table(void **unused) {
  (void)unused;
  rl_scenario *s = table("guided-chain", 10, 0.9, 0.0);
  double end = end_of(s, 0.1, 1.5);
  check_relative(end, 0.955662506514771, 1e-13);
  rl_state *state = exact_state(s, end);
  check_relative(probe_of(s, state, "chain.tip.speed"), 3.11639214477254, 1e-13);
  check_near(probe_of(s, state, "chain.node.0.x"), 0.0, 1e-12);
  rl_state_free(state);
  rl_scenario_free(s);
  s = table("guided-chain", 10, 0.9, 0.05);
  state = exact_state(s, end_of(s, 0.1, 1.5));
  check_relative(probe_of(s, state, "chain.tip.speed"), 3.0519821428049, 1e-13);
  rl_state_free(state);
  rl_scenario_free(s);
  // It starts where y0 > mu L/(1 + mu): for y0 = 0.1 m up to mu = 1/9.
  rl_scenario_free(table("guided-chain", 10, 0.9, 0.1111));
  static const int counts[] = {100, 1000};
  double errors[2];
  for (int k = 0; k < 2; k++) {
    s = table("sliding-chain", counts[k], 0.9, 0.0);
    state = exact_state(s, end_of(s, 0.1, 1.5));
    errors[k] = -probe_of(s, state, "chain.tip.y") - 0.25 * (1.0 + sqrt(1.08));
    rl_state_free(state);
    rl_scenario_free(s);
  }
  check_near(errors[1], 0.0, 1e-3);
  check_near(errors[0] / errors[1], 10.0, 1.0); // an edge of one element has a radius of that size
}

// A chain of a metre over half a circle, on one side by 0.1 m longer.
static rl_scenario *peg(int count, double radius) {
  enum { PIECES = 400 };
  static char points[PIECES * 64];
  const double free = 1.0 - 2.0 * PIECES * radius * sin(0.5 * RL_PI / PIECES);
  points[0] = '\0';
  for (int i = 0; i <= PIECES; i++) {
    const size_t used = strlen(points);
    snprintf(points + used, sizeof points - used, "[%.17g, %.17g, 0], ",
             -radius * cos(RL_PI * i / PIECES), radius * sin(RL_PI * i / PIECES));
  }
  return scenario_from(
      "name: p\nduration: 1\nstep: 0.01\n"
      "bodies: {peg: {motion: fixed, position: [0, 9, 0], shape: {sphere: {radius: 1}}}}\n"
      "ropes: {chain: {from: {free: [%.17g, %.17g, 0]}, to: {free: [%.17g, %.17g, 0]}, mass: 1,"
      " segments: %d, length: 1, points: [[%.17g, %.17g, 0], %s[%.17g, %.17g, 0]]}}\n"
      "exact: {sliding-chain: {rope: chain, body: peg}}\n",
      -radius, 0.05 - 0.5 * free, radius, -0.05 - 0.5 * free, count, -radius, 0.05 - 0.5 * free,
      points, radius, -0.05 - 0.5 * free);
}

// A peg of radius R: 4 y^2 + pi R y = L (L - pi R)/2 + 2 y0^2; for R = 0 0.355316760088797 m after
// 0.598076064981837 s at 1.55819607238627 m/s.
static void chains_lift_off_a_peg(void **unused) {
  (void)unused;
  const double y = sqrt(1.01 / 8.0), rate = sqrt(2.0 * 9.81);
  check_relative(y, 0.355316760088797, 1e-14);
  check_relative(acosh(y / 0.05) / rate, 0.598076064981837, 1e-14);
  check_relative(rate * sqrt(y * y - 0.0025), 1.55819607238627, 1e-14);
  static const double radii[] = {0.01, 0.02, 0.05};
  for (int k = 0; k < 3; k++) {
    const double arc = RL_PI * radii[k];
    const double off = (sqrt(arc * arc + 8.0 * (1.0 - arc) + 0.08) - arc) / 8.0;
    double errors[2];
    for (int i = 0; i < 2; i++) {
      rl_scenario *s = peg(i == 0 ? 1000 : 2000, radii[k]);
      rl_state *state = exact_state(s, end_of(s, 0.1, 1.5));
      errors[i] =
          0.5 * (probe_of(s, state, "chain.node.0.y") - probe_of(s, state, "chain.tip.y")) - off;
      rl_state_free(state);
      rl_scenario_free(s);
    }
    check_near(errors[1], 0.0, 5e-4); // the bend is a polygon: first order in its elements
    check_near(errors[0], 0.0, 1e-3);
  }
}

// Calkin and March: 1.125, 2.1 and 3.425 times the weight at half, 0.8 and 0.9 of the way, and down
// after 0.847213084793978 of the time of free fall.
static void folded_chain_falls_faster_than_freely(void **unused) {
  (void)unused;
  static const double known[][2] = {{0.5, 1.125}, {0.8, 2.1}, {0.9, 3.425}};
  const rl_override fine = {"ropes.chain.segments", "1000"};
  rl_scenario *s = shipped_with("folded-chain", &fine, 1);
  const double down = 0.847213084793978 * sqrt(2.0 / 9.81);
  for (size_t k = 0; k < 3; k++) {
    double low = 0.0, high = down;
    for (int i = 0; i < 60; i++) {
      const double t = 0.5 * (low + high);
      rl_state *state = exact_state(s, t);
      *(state && probe_of(s, state, "chain.tip.y") > -known[k][0] ? &low : &high) = t;
      rl_state_free(state);
    }
    rl_state *state = exact_state(s, low);
    const double x = known[k][0], u = 1.0 - x;
    // The rest of the way: int_0^u sqrt(s/(1 - s^2)) ds, by its series.
    double rest = 0.0, term = 1.0;
    for (int i = 0; i < 40; i++) {
      rest += term * pow(u, 2 * i + 1.5) / (2 * i + 1.5);
      term *= (i + 0.5) / (i + 1.0);
    }
    check_near(low + rest / sqrt(9.81), down, 1e-13);
    const double support = probe_of(s, state, "chain.tension.from") / 9.81 + 0.0005;
    check_relative(support, known[k][1], 1e-12);
    check_relative(probe_of(s, state, "chain.tip.speed"),
                   sqrt(9.81 * (2.0 * x - x * x) / (1.0 - x)), 1e-12);
    rl_state_free(state);
  }
  rl_scenario_free(s);
}

// When the tip of N links, their ends at the distance d, is lowest: as integrated to 1e-13, on a
// grid of 0.2 ms.
static void folded_chain_of_links_has_its_times(void **unused) {
  (void)unused;
  static const struct {
    const char *links, *distance;
    double time;
  } known[] = {{"20", "0.05", 0.4106}, {"20", "0.1", 0.4018}, {"20", "0.25", 0.3898},
               {"20", "0.5", 0.3786},  {"40", "0.1", 0.3894}, {"40", "0.25", 0.3820}};
  for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
    const rl_override overrides[] = {{"ropes.chain.segments", known[k].links},
                                     {"ropes.chain.to.free.0", known[k].distance},
                                     {"exact", "none"}};
    rl_scenario *s = shipped_with("folded-chain", overrides, 3);
    rl_driver *d = driver_for(s, "rattle", 1e-4);
    double lowest = 0.0, when = 0.0;
    while (d->state->time < 0.43) {
      assert_true(rl_driver_step(d) > 0);
      const double y = probe(d, "chain.tip.y");
      when = y < lowest ? d->state->time : when;
      lowest = fmin(y, lowest);
    }
    check_near(when, known[k].time, 3e-4);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// A chain of many links thrown up out of its heap: x^2 v^2 + 2 g x^3/3 stays (a = -g/3 beside what
// the heap takes), to first order in the length of a link.
static double heap_constant(int count) {
  char points[32768] = "", velocities[32768] = "";
  const int up = count / 10;
  const double link = 1.0 / count;
  for (int i = 0; i <= count; i++) {
    const size_t p = strlen(points), v = strlen(velocities);
    const int over = i > count - up ? i - count + up : 0;
    snprintf(points + p, sizeof points - p, "%s[0, %.17g, 0]", i > 0 ? ", " : "", over * link);
    snprintf(velocities + v, sizeof velocities - v, "%s[0, %d, 0]", i > 0 ? ", " : "",
             over > 0 ? 4 : 0);
  }
  rl_scenario *s = scenario_from(
      "name: h\nduration: 1\nstep: 0.01\n"
      "bodies: {floor: {motion: fixed, shape: {plane: {normal: [0, 1, 0]}}}}\n"
      "ropes: {c: {from: {free: [0, 0, 0]}, to: {free: [0, 0.1, 0]}, length: 1, mass: 1,"
      " lumping: equal, segments: %d, points: [%s], velocities: [%s]}}\n"
      "exact: {heap-chain: {rope: c}}\n",
      count, points, velocities);
  rl_state *state = exact_state(s, 0.1);
  const double x = probe_of(s, state, "c.tip.y"), v = probe_of(s, state, "c.tip.vy");
  // What gravity has taken from x^2 v^2, over x^3 - x0^3.
  const double slope = (0.1 * 0.1 * 16.0 - x * x * v * v) / (2.0 * (x * x * x - 0.001));
  rl_state_free(state);
  rl_scenario_free(s);
  return slope;
}

static void heaps_give_their_links(void **unused) {
  (void)unused;
  const double coarse = heap_constant(100), fine = heap_constant(200), finest = heap_constant(400);
  check_below(fabs(finest - 9.81 / 3.0), fabs(fine - 9.81 / 3.0));
  check_relative(2.0 * finest - fine, 9.81 / 3.0, 3e-3);
  check_relative(2.0 * fine - coarse, 9.81 / 3.0, 3e-3);
  // A ball of 0.5 kg and a node of 50 g take another one on after 5.0206 ms.
  rl_scenario *s = shipped_with("chain-from-heap", NULL, 0);
  const double t = (6.0 - sqrt(36.0 - 2.0 * 9.81 * 0.03)) / 9.81;
  rl_state *state = exact_state(s, 0.0062);
  const double v = (6.0 - 9.81 * t) * 0.55 / 0.6;
  check_relative(probe_of(s, state, "ball.vy"), v - 9.81 * (0.0062 - t), 1e-13);
  check_relative(probe_of(s, state, "chain.node.18.y"),
                 0.005 + (v - 0.5 * 9.81 * (0.0062 - t)) * (0.0062 - t), 1e-13);
  check_near(probe_of(s, state, "chain.node.17.y"), 0.005, 0.0);
  rl_state_free(state);
  state = exact_state(s, 0.3297578);
  check_near(probe_of(s, state, "ball.vy"), 0.0, 1e-6);
  rl_state_free(state);
  assert_null(exact_state(s, 0.32976));
  rl_scenario_free(s);
  // Without gravity (M + mu x) v stays, at each catch.
  s = scenario_from(
      "name: h\nduration: 1\nstep: 0.01\ngravity: [0, 0, 0]\n"
      "bodies: {ball: {mass: 2, position: [0.1, 0, 0], velocity: [3, 0, 0]}}\n"
      "ropes: {c: {from: {free: [0, 0, 0]}, to: {body: ball}, length: 0.4, mass: 0.8,"
      " segments: 4, points: [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [0.1, 0, 0]],"
      " velocities: [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 0, 0], [3, 0, 0]]}}\n"
      "exact: {heap-chain: {rope: c}}\n");
  state = exact_state(s, 0.5);
  check_relative(probe_of(s, state, "ball.vx"), 2.0 * 3.0 / 2.7, 1e-14);
  check_relative(probe_of(s, state, "ball.x") - probe_of(s, state, "c.node.0.x"), 0.4, 1e-14);
  rl_state_free(state);
  rl_scenario_free(s);
}

int main(void) {
  gsl_set_error_handler_off();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(chains_slide_off_a_table),
      cmocka_unit_test(chains_lift_off_a_peg),
      cmocka_unit_test(folded_chain_falls_faster_than_freely),
      cmocka_unit_test(folded_chain_of_links_has_its_times),
      cmocka_unit_test(heaps_give_their_links),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
