// SPDX-License-Identifier: GPL-3.0-or-later
// Chains that run over a peg and off a table, and let go of them. A bend of radius R loses the
// chain bit by bit, and one of nodes and elements is pushed at from node to node: what is measured
// is the whole push while the chain lies on, against what it has to be at every place, and from
// that where it would be 0. All for three radii, elements of a fifth of them, and extrapolated to R
// = 0.
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GRAVITY 9.81
#define HALF_PI 1.57079632679489661923

// A straight line through points.
typedef struct line {
  double n, x, y, xx, xy;
} line;

static void add(line *l, double x, double y) {
  l->n += 1.0;
  l->x += x;
  l->y += y;
  l->xx += x * x;
  l->xy += x * y;
}

static double slope(const line *l) {
  return (l->n * l->xy - l->x * l->y) / (l->n * l->xx - l->x * l->x);
}

static double at_zero(const line *l) { return (l->y - slope(l) * l->x) / l->n; }

// Nodes of a chain of a metre that turns by `angle` from upwards (or level), in a bend whose
// elements touch a circle of nearly `radius`, and then hangs down: `before` elements straight, the
// bend, the rest straight. The centre of the circle is the origin.
typedef struct shape {
  double radius; // what the circle has
  double height; // of the first node over the last
  double width;  // of the last node from the first
  double ends[2][2];
  char points[32768];
} shape;

static void append(shape *s, double x, double y) {
  const size_t used = strlen(s->points);
  snprintf(s->points + used, sizeof s->points - used, "%s[%.12g, %.12g, 0]", used ? ", " : "", x,
           y);
}

// `level`: the first part lies level, else it hangs. The end at `to` is `lower` below the first.
static void bend(shape *s, int count, double radius, bool level, double lower) {
  const double element = 1.0 / count, angle = level ? HALF_PI : 2.0 * HALF_PI;
  const int corners = (int)round(angle / (2.0 * atan(0.5 * element / radius)));
  const double half = 0.5 * angle / corners;
  s->radius = 0.5 * element / tan(half);
  s->points[0] = '\0';
  const double far = s->radius / cos(half), first = (level ? 0.0 : -HALF_PI) + half;
  const double last = HALF_PI - half;
  const double x0 = far * sin(first), y0 = far * cos(first);
  const double x1 = far * sin(last), y1 = far * cos(last);
  const int straight = count - (corners - 1);
  const int after = level ? (int)round((lower - (y0 - y1)) / element)
                          : (int)round(0.5 * (straight + lower / element));
  const int before = straight - after;
  for (int i = before; i > 0; i--) {
    append(s, level ? x0 - i * element : x0, level ? y0 : y0 - i * element);
  }
  for (int i = 0; i < corners; i++) {
    append(s, far * sin(first + 2.0 * half * i), far * cos(first + 2.0 * half * i));
  }
  for (int i = 1; i <= after; i++) {
    append(s, x1, y1 - i * element);
  }
  s->ends[0][0] = level ? x0 - before * element : x0;
  s->ends[0][1] = level ? y0 : y0 - before * element;
  s->ends[1][0] = x1;
  s->ends[1][1] = y1 - after * element;
  s->height = y0 - y1 + (after - (level ? 0 : before)) * element;
  s->width = x1 - x0 + (level ? before * element : 0.0);
}

typedef struct lift {
  double place, time; // over those of an edge without a radius
} lift;

// Over a peg: y'' = (2g/L) y, and the push is (M g/L^2) (L^2 - 8 y^2 + 4 y0^2).
static lift lift_off_peg(const char *solver, int count, double radius) {
  static shape s;
  bend(&s, count, radius, false, 0.1);
  rl_scenario *scenario = scenario_from(
      "name: p\nduration: 1\nstep: 0.01\n"
      "bodies: {peg: {motion: fixed, shape: {cylinder: {radius: %.12g, length: 1}}}}\n"
      "ropes: {chain: {from: {free: [%.12g, %.12g, 0]}, to: {free: [%.12g, %.12g, 0]}, length: 1, "
      "mass: 1, "
      "segments:"
      " %d, points: [%s]}}\n",
      s.radius, s.ends[0][0], s.ends[0][1], s.ends[1][0], s.ends[1][1], count, s.points);
  const double y0 = 0.5 * s.height, arc = 2.0 * HALF_PI * s.radius;
  const double exact = sqrt((1.0 + 4.0 * y0 * y0) / 8.0);
  // A peg with a radius loses the chain where it comes on to it.
  const double lost = (sqrt(arc * arc + 8.0 * (1.0 - arc) + 32.0 * y0 * y0) - arc) / 8.0;
  rl_driver *d = driver_for(scenario, solver, 0.05 / count);
  line push = {0};
  double y = y0, place = INFINITY;
  while (y < place) {
    assert_true(rl_driver_step(d) > 0);
    y = 0.5 * (probe(d, "chain.node.0.y") - probe(d, "chain.tip.y"));
    const double lack = 8.0 * y * y - 4.0 * y0 * y0;
    if (y > 0.1 && y < 0.95 * lost) {
      add(&push, lack, probe(d, "chain.force.peg"));
    } else if (y > lost) {
      place = sqrt((-at_zero(&push) / slope(&push) + 4.0 * y0 * y0) / 8.0);
    }
  }
  const lift result = {place / exact, d->state->time / (acosh(exact / y0) / sqrt(2.0 * GRAVITY))};
  print_message(
      "peg %s R = %.4f m: y* = %.5f m (%.5f), after %.5f s (%.5f); %.4f N at once, %.3f N/m^2 "
      "(9.81, -9.81)\n",
      solver, s.radius, place, exact, d->state->time, acosh(exact / y0) / sqrt(2.0 * GRAVITY),
      at_zero(&push), slope(&push));
  rl_driver_free(d);
  rl_scenario_free(scenario);
  return result;
}

static rl_scenario *table(shape *s, int count, double radius, const char *guide) {
  bend(s, count, radius, true, 0.1);
  const double x = s->radius - 0.001; // the chain has a radius of a millimetre
  return scenario_from(
      "name: t\nduration: 1\nstep: 0.01\n"
      "bodies:\n  table: {motion: fixed, position: [-1, %.12g, 0], shape: {box: "
      "{size: [2, 0.1, 1]}}}\n"
      "  edge: {motion: fixed, shape: {cylinder: {radius: %.12g, length: 1}}}\n%s"
      "ropes: {chain: {from: {free: [%.12g, %.12g, 0]}, to: {free: [%.12g, %.12g, 0]}, length: 1, "
      "mass: 1, segments:"
      " %d, radius: 0.001, points: [%s]}}\n"
      "exact: {guided-chain: {rope: chain, body: table}}\n",
      x - 0.05, x, guide, s->ends[0][0], s->ends[0][1], s->ends[1][0], s->ends[1][1], count,
      s->points);
}

// Off a table: y'' = (g/L) y, and the edge pushes with (M/L) (a (l - y) - v^2) outwards, l - y what
// is level: (M g/L^2) (l y - 2 y^2 + y0^2). It makes the momentum to that side.
static lift lift_off_table(const char *solver, int count, double radius) {
  static shape s;
  rl_scenario *scenario = table(&s, count, radius, "");
  const double y0 = s.height, whole = s.width + s.height;
  const double exact = 0.25 * (whole + sqrt(whole * whole + 8.0 * y0 * y0));
  rl_driver *d = driver_for(scenario, solver, 0.05 / count);
  const double start = probe(d, "chain.node.0.x");
  const int stride = count / 5; // steps in a hundredth of a second
  line push = {0};
  double y = y0, place = INFINITY, momentum = 0.0;
  for (int i = 1; y < place; i++) {
    const double before = y;
    if (i % stride == 1) {
      momentum = rl_state_momentum(d->model, d->state).linear.x;
    }
    assert_true(rl_driver_step(d) > 0);
    y = y0 + probe(d, "chain.node.0.x") - start;
    if (i % stride == 0 && before > 0.2 && y < 0.48) {
      const double gain = rl_state_momentum(d->model, d->state).linear.x - momentum;
      const double middle = y - 0.5 * (y - before) * stride;
      add(&push, 2.0 * middle * middle - whole * middle - y0 * y0, gain * 20.0 / stride * count);
    } else if (y > 0.5) {
      const double lack = -at_zero(&push) / slope(&push); // where the push is 0
      place = 0.25 * (whole + sqrt(whole * whole + 8.0 * (y0 * y0 + lack)));
    }
  }
  const lift result = {place / exact, d->state->time / (acosh(exact / y0) / sqrt(GRAVITY))};
  print_message(
      "table %s R = %.4f m: y* = %.5f m (%.5f), after %.5f s (%.5f); %.3f N/m^2 (-9.81)\n", solver,
      s.radius, place, exact, d->state->time, acosh(exact / y0) / sqrt(GRAVITY), slope(&push));
  rl_driver_free(d);
  rl_scenario_free(scenario);
  return result;
}

static void check_lift(lift (*lift_off)(const char *, int, double), const char *solver,
                       double tolerance) {
  line place = {0}, time = {0};
  const double radii[] = {0.04, 0.02, 0.01};
  for (int k = 0; k < 3; k++) {
    const lift l = lift_off(solver, 125 << k, radii[k]);
    add(&place, radii[k], l.place);
    add(&time, radii[k], l.time);
  }
  print_message("%s: y* and t* at R = 0 over the exact ones: %.5f, %.5f\n", solver, at_zero(&place),
                at_zero(&time));
  check_near(at_zero(&place), 1.0, tolerance);
  check_near(at_zero(&time), 1.0, tolerance);
}

static void thick_peg(void **unused) {
  (void)unused;
  static const char *const solvers[] = {"pbd-direct", "rattle"};
  for (int i = 0; i < 2; i++) {
    const lift l = lift_off_peg(solvers[i], 125, 0.04);
    check_near(l.place, 1.0, 0.01);
    check_near(l.time, 1.0, 0.005);
  }
}

static void thick_edge(void **unused) {
  (void)unused;
  const lift l = lift_off_table("pbd-direct", 125, 0.04);
  check_near(l.place, 1.0, 0.01);
  check_near(l.time, 1.0, 0.005);
}

// Galileo's pendulum: the period with a peg of radius R, from where the bob turns back to where it
// does so again.
static double period_of(double radius) {
  char thick[32], place[64];
  snprintf(thick, sizeof thick, "%.17g", radius);
  snprintf(place, sizeof place, "[%.17g, -0.5, 0]", -radius);
  const rl_override overrides[] = {{"bodies.peg.shape.cylinder.radius", thick},
                                   {"bodies.peg.position", place}};
  rl_diagnostic diagnostic;
  rl_scenario *s =
      rl_scenario_from_file(shipped("interrupted-pendulum"), overrides, 2, &diagnostic);
  assert_non_null(s);
  rl_driver *d = driver_for(s, "rattle", 2.5e-4);
  double before = 0.0, speed = 0.0;
  while (d->state->time < 1.5 || speed > 0.0) {
    before = speed;
    assert_true(rl_driver_step(d) > 0);
    speed = probe(d, "bob.vx");
  }
  const double period = d->state->time - 2.5e-4 * speed / (speed - before);
  rl_driver_free(d);
  rl_scenario_free(s);
  return period;
}

static void interrupted_pendulum_has_its_period(void **unused) {
  (void)unused;
  line period = {0};
  const double radii[] = {0.004, 0.002, 0.001};
  for (int k = 0; k < 3; k++) {
    const double t = period_of(radii[k]);
    print_message("peg of %.3f m: %.6f s\n", radii[k], t);
    add(&period, radii[k], t);
  }
  print_message("at R = 0: %.6f s (1.755478)\n", at_zero(&period));
  check_near(at_zero(&period), 1.75547800767582, 2e-6);
}

// A guide holds the chain on its cosh, also where it lies on a rough table:
// y'' = (g/L) ((1 + mu) y - mu (l0 + y0)).
static void guided_chains_stay_on_their_cosh(void **unused) {
  (void)unused;
  static const char *const frictions[] = {"0", "0.05"};
  for (int k = 0; k < 2; k++) {
    const rl_override rough = {"bodies.table.friction", frictions[k]};
    rl_diagnostic diagnostic;
    rl_scenario *s = rl_scenario_from_file(shipped("chain-in-guide"), &rough, 1, &diagnostic);
    assert_non_null(s);
    rl_driver *d = driver_for(s, "pbd-direct", 1e-3);
    const double mu = 0.05 * k, start = probe(d, "chain.node.0.x");
    const double y0 = rl_rope_position(d->model, d->state, 0, 0).y - probe(d, "chain.tip.y");
    const double still = mu * (0.88 + y0) / (1.0 + mu), rate = sqrt(GRAVITY * (1.0 + mu));
    while (probe(d, "chain.node.0.x") < -0.1) {
      assert_true(rl_driver_step(d) > 0);
    }
    // 50 elements, twelve of them longer than the bend: when it comes there, and how fast.
    const double y = y0 - 0.1 - start, t = acosh((y - still) / (y0 - still)) / rate;
    print_message("guided, mu = %.2f: %.4f s (%.4f), %.4f m/s (%.4f)\n", mu, d->state->time, t,
                  probe(d, "chain.node.0.vx"), rate * (y0 - still) * sinh(rate * t));
    check_relative(d->state->time, t, 5e-3); // elements of a third of the radius of the bend
    check_relative(probe(d, "chain.node.0.vx"), rate * (y0 - still) * sinh(rate * t), 0.03);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

static void thin_pegs(void **unused) {
  (void)unused;
  check_lift(lift_off_peg, "pbd-direct", 0.01);
  check_lift(lift_off_peg, "impulse-direct", 0.01);
  check_lift(lift_off_peg, "rattle", 0.01);
}

static void thin_edges(void **unused) {
  (void)unused;
  check_lift(lift_off_table, "pbd-direct", 0.01);
  check_lift(lift_off_table, "impulse-direct", 0.01);
  check_lift(lift_off_table, "rattle", 0.01);
}

int main(int count, char **words) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(thick_peg),
      cmocka_unit_test(thick_edge),
      cmocka_unit_test(interrupted_pendulum_has_its_period),
      cmocka_unit_test(guided_chains_stay_on_their_cosh),
  };
  const struct CMUnitTest long_tests[] = {
      cmocka_unit_test(thin_pegs),
      cmocka_unit_test(thin_edges),
  };
  return count > 1 && strcmp(words[1], "long") == 0 ? cmocka_run_group_tests(long_tests, NULL, NULL)
                                                    : cmocka_run_group_tests(tests, NULL, NULL);
}
