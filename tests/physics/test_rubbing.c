// SPDX-License-Identifier: GPL-3.0-or-later
// Friction of ropes with mass on round bodies: reference against closed forms.
#include "check.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_integration.h>
#include <inttypes.h>
#include <string.h>

static const double g = 9.81;

static rl_vec3 node(const rl_driver *d, uint32_t i) {
  return rl_position(&d->state->points[rl_rope_node(d->model, d->state, 0, i)]);
}

static double integrate(double (*f)(double, void *), void *p, double from, double to) {
  gsl_integration_glfixed_table *table = gsl_integration_glfixed_table_alloc(64);
  const gsl_function function = {f, p};
  const double sum = gsl_integration_glfixed(&function, from, to, table);
  gsl_integration_glfixed_table_free(table);
  return sum;
}

// ---------------------------------------------------------------------------------------------
// An element along the axis of a fixed drum of radius R slides round it as a point. With phi from
// the top and w = v^2, dw/dphi = 2 g R (sin phi - mu cos phi) + 2 mu w, while it presses, w < g R
// cos phi.

typedef struct slide {
  double radius, friction, start, speed;
} slide;

static double square_at(const slide *s, double phi) {
  const double mu = s->friction, scale = g * s->radius / (1.0 + 4.0 * mu * mu);
  const double a = -6.0 * mu * scale, b = (4.0 * mu * mu - 2.0) * scale;
  const double left = s->speed * s->speed - a * sin(s->start) - b * cos(s->start);
  return left * exp(2.0 * mu * (phi - s->start)) + a * sin(phi) + b * cos(phi);
}

static double time_rate(double phi, void *s) {
  return ((const slide *)s)->radius / sqrt(square_at(s, phi));
}

static rl_scenario *slide_scene(const slide *s) {
  const double x = s->radius * sin(s->start), y = s->radius * cos(s->start);
  const double vx = s->speed * cos(s->start), vy = -s->speed * sin(s->start);
  return scenario_from(
      "name: s\nduration: 1\nstep: 0.01\nbodies:\n"
      "  drum: {motion: fixed, friction: %.17g, shape: {cylinder: {radius: %.17g, length: 1}}}\n"
      "ropes: {r: {from: {free: [%.17g, %.17g, -0.1]}, to: {free: [%.17g, %.17g, 0.2]},"
      " mass: 1, segments: 1, velocity: [%.17g, %.17g, 0]}}\n",
      s->friction, s->radius, x, y, x, y, vx, vy);
}

// Over the top and down until it flies off.
static void slides_round_a_drum(void **unused) {
  (void)unused;
  slide c = {0.385, 0.23, -0.31, 1.5};
  rl_scenario *s = slide_scene(&c);
  rl_driver *d = driver_for(s, "reference", 0.002);
  double phi = c.start, error = 0.0;
  int steps = 0;
  for (; square_at(&c, phi) < 0.97 * g * c.radius * cos(phi); steps++) {
    take_steps(d, 1);
    phi = atan2(node(d, 0).x, node(d, 0).y);
    error = fmax(error, fabs(integrate(time_rate, &c, c.start, phi) - d->state->time));
    check_near(hypot(node(d, 0).x, node(d, 0).y), c.radius, 1e-14);
    check_near(rl_driver_energy_error(d), 0.0, 1e-13);
  }
  print_message("%d steps to %.3g rad: time %.1e s, estimate %.1e m\n", steps, phi, error,
                d->info.error_estimate);
  check_below(error, 1e-12);
  check_below(1.0, phi - c.start);
  const double lost = d->state->dissipated;
  take_steps(d, 10);
  check_below(c.radius, hypot(node(d, 0).x, node(d, 0).y));
  check_below(d->state->dissipated - lost, 0.01);
  check_near(rl_driver_energy_error(d), 0.0, 1e-13);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// Up to where it stops: there it stays, or slides back, as the slope is.
static void stops_on_a_drum(void **unused) {
  (void)unused;
  static const double frictions[] = {0.42, 0.29};
  for (int i = 0; i < 2; i++) {
    slide c = {0.385, frictions[i], -0.75, 1.47}, back = c;
    rl_scenario *s = slide_scene(&c);
    rl_driver *d = driver_for(s, "reference", 0.01);
    double low = c.start, high = 0.0; // w falls from where it starts to where it is 0
    for (int n = 0; n < 60; n++) {
      const double middle = 0.5 * (low + high);
      *(square_at(&c, middle) > 0.0 ? &low : &high) = middle;
    }
    take_steps(d, 40);
    const rl_vec3 p = node(d, 1);
    const double phi = atan2(p.x, p.y);
    const double speed = rl_length(d->state->velocities[rl_rope_node(d->model, d->state, 0, 1)]);
    back.start = -low; // the other way round, phi is from the other side
    back.speed = 0.0;
    const bool stays = tan(-low) < c.friction;
    print_message("mu %g: stops at %.6f rad, is at %.6f, estimate %.1e m\n", c.friction, low, phi,
                  d->info.error_estimate);
    assert_true(stays == (i == 0));
    check_near(phi, stays ? low : fmin(phi, low - 0.01), 1e-11);
    check_near(speed * speed, stays ? 0.0 : square_at(&back, -phi), 1e-11);
    check_near(rl_driver_energy_error(d), 0.0, 1e-12);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// ---------------------------------------------------------------------------------------------
// A rod of two masses at b from its middle rocks on a drum without slipping: turned by theta it
// touches R theta from the middle, which is at R n - R theta t, and
//   (b^2 + R^2 theta^2) theta'^2 = 2 g R (f(theta0) - f(theta)),  f = cos theta + theta sin theta.

typedef struct rod {
  double radius, half, start;
} rod;

// dt over d(s), theta = theta0 cos s.
static double rocking_rate(double s, void *unused) {
  const rod *r = unused;
  const double theta = r->start * cos(s), a = r->start;
  const double fall = cos(a) + a * sin(a) - cos(theta) - theta * sin(theta);
  const double inertia = r->half * r->half + r->radius * r->radius * theta * theta;
  return a * sin(s) * sqrt(inertia / (2.0 * g * r->radius * fall));
}

static rl_scenario *rod_scene(const rod *r, double friction) {
  const double c = cos(r->start), n = sin(r->start), away = r->radius * r->start;
  const double x = r->radius * n - away * c, y = r->radius * c + away * n;
  return scenario_from(
      "name: r\nduration: 1\nstep: 0.01\nbodies:\n"
      "  drum: {motion: fixed, friction: %.17g, shape: {cylinder: {radius: %.17g, length: 1}}}\n"
      "ropes: {r: {from: {free: [%.17g, %.17g, 0]}, to: {free: [%.17g, %.17g, 0]}, mass: 1,"
      " segments: 1, compression: true}}\n",
      friction, r->radius, x - r->half * c, y + r->half * n, x + r->half * c, y - r->half * n);
}

// How far the rod has slipped [m].
static double slipped(const rl_driver *d, const rod *r) {
  const rl_vec3 a = node(d, 0), b = node(d, 1);
  const double theta = atan2(a.y - b.y, b.x - a.x);
  const double x = 0.5 * (a.x + b.x), y = 0.5 * (a.y + b.y);
  return x * cos(theta) - y * sin(theta) + r->radius * theta;
}

static void rod_rocks_on_a_drum(void **unused) {
  (void)unused;
  rod r = {0.217, 0.3, 0.31};
  rl_scenario *s = rod_scene(&r, 0.5);
  const double quarter = integrate(rocking_rate, &r, 0.0, 0.5 * RL_PI);
  rl_driver *d = driver_for(s, "reference", quarter / 20.0);
  for (int n = 1; n <= 80; n++) {
    take_steps(d, 1);
    check_near(slipped(d, &r), 0.0, 1e-12);
    check_near(rl_driver_energy_error(d), 0.0, 1e-13);
    const double theta = atan2(node(d, 0).y - node(d, 1).y, node(d, 1).x - node(d, 0).x);
    if (n % 20 == 0) {
      check_near(theta, r.start * cos(0.5 * RL_PI * n / 20), 1e-10);
    }
  }
  print_message("period %.9f s, estimate %.1e m\n", 4.0 * quarter, d->info.error_estimate);
  check_near(d->state->dissipated, 0.0, 1e-15);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// Let go, it needs mu = tan theta (1 + R^2 theta^2/b^2).
static void rod_slips_beyond_its_friction(void **unused) {
  (void)unused;
  const rod r = {0.217, 0.3, 0.31};
  const double lever = r.radius * r.start / r.half;
  const double needed = tan(r.start) * (1.0 + lever * lever);
  for (int i = -1; i <= 1; i += 2) {
    rl_scenario *s = rod_scene(&r, needed * (1.0 + 1e-3 * i));
    rl_driver *d = driver_for(s, "reference", 0.001);
    take_steps(d, 10);
    print_message("friction %+g of what is needed: slips %.3e m\n", 1e-3 * i, slipped(d, &r));
    if (i < 0) {
      check_below(1e-9, fabs(slipped(d, &r)));
    } else {
      check_near(slipped(d, &r), 0.0, 1e-13);
    }
    check_near(rl_driver_energy_error(d), 0.0, 1e-13);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// ---------------------------------------------------------------------------------------------
// A bob on a rope from above the top of a rough sphere that turns about the vertical goes round on
// a circle of latitude of radius rho. By the forces across its way N = m (g t - v^2/rho)/q, with t
// for the tangent of the rope's angle from the vertical, so that friction takes it along by
//   dv/dt = k (c^2 - v^2),  c^2 = g t rho,  k = mu/(q rho):  v = c tanh(k c time),
// until it is as fast as the sphere; on one that stands it comes to rest by the same law.

typedef struct circle {
  double radius, polar, height, friction;
  double way, k, c; // rho, k, c
} circle;

static circle circle_of(double radius, double polar, double height, double friction) {
  circle s = {radius, polar, height, friction, radius * sin(polar), 0.0, 0.0};
  const double t = s.way / (height - radius * cos(polar));
  s.k = friction / (s.way * (sin(polar) + cos(polar) * t));
  s.c = sqrt(g * t * s.way);
  return s;
}

static rl_scenario *circle_scene(const circle *s, double spin, double speed) {
  return scenario_from(
      "name: c\nduration: 1\nstep: 0.01\nbodies:\n"
      "  ball: {motion: driven, spin: [0, %.17g, 0], friction: %.17g,"
      " shape: {sphere: {radius: %.17g}}}\n"
      "ropes: {r: {from: {point: [0, %.17g, 0]}, to: {free: [%.17g, %.17g, 0]}, mass: 1.3,"
      " segments: 1, velocities: [[0, 0, 0], [0, 0, %.17g]]}}\n",
      spin, s->friction, s->radius, s->height, s->way, s->radius * cos(s->polar), -speed);
}

static double turned_to(const rl_driver *d) { return atan2(-node(d, 1).z, node(d, 1).x); }

static double speed_of(const rl_driver *d) {
  return rl_length(d->state->velocities[rl_rope_node(d->model, d->state, 0, 1)]);
}

static void bob_is_taken_along_by_a_sphere(void **unused) {
  (void)unused;
  const double spin = 2.4;
  const circle c = circle_of(0.37, 0.9, 0.8, 0.31);
  const double until = atanh(spin * c.way / c.c) / (c.k * c.c);
  rl_scenario *s = circle_scene(&c, spin, 0.0);
  rl_driver *d = driver_for(s, "reference", 0.01);
  for (int n = 1; n <= 80; n++) {
    take_steps(d, 1);
    const double time = d->state->time, slid = fmin(time, until);
    const double angle = log(cosh(c.k * c.c * slid)) / (c.k * c.way) + spin * (time - slid);
    check_near(turned_to(d), angle, 1e-12);
    check_near(speed_of(d), c.c * tanh(c.k * c.c * slid), 1e-12);
    check_near(rl_length(node(d, 1)), c.radius, 1e-14);
    check_near(rl_driver_energy_error(d), 0.0, 1e-11);
  }
  print_message("as fast as the sphere after %.6f s, estimate %.1e m\n", until,
                d->info.error_estimate);
  check_below(until, 0.6);
  check_below(d->info.error_estimate, 1e-9);
  rl_driver_free(d);
  rl_scenario_free(s);
}

static void bob_comes_to_rest_on_a_sphere(void **unused) {
  (void)unused;
  const circle c = circle_of(0.37, 0.9, 0.8, 0.31);
  const double speed = 0.7, until = atanh(speed / c.c) / (c.k * c.c);
  rl_scenario *s = circle_scene(&c, 0.0, speed);
  rl_driver *d = driver_for(s, "reference", 0.01);
  for (int n = 1; n <= 80; n++) {
    take_steps(d, 1);
    const double left = fmax(until - d->state->time, 0.0);
    const double all = log(cosh(c.k * c.c * until)), rest = log(cosh(c.k * c.c * left));
    check_near(turned_to(d), (all - rest) / (c.k * c.way), 1e-12);
    check_near(speed_of(d), c.c * tanh(c.k * c.c * left), 1e-12);
    check_near(rl_driver_energy_error(d), 0.0, 1e-13);
  }
  rl_driver_free(d);
  rl_scenario_free(s);
}

// ---------------------------------------------------------------------------------------------

// A chain hangs from a point, over a drum that turns and rubs on it, and bears a weight. Each of 13
// elements touches the drum with its middle, by N (n +- mu d) across and along it, and at the node
// behind element k with A = T' d' + N' (n' +- mu d')/2 + m g from the next one,
//   N = -2 A.n,    T = A.d +- mu N/2,
// which is the capstan law of such a polygon, exp(+- mu pi) in the limit. What hangs from the point
// has the direction of A.
enum { TOUCHING = 13, ELEMENTS = TOUCHING + 2 };

typedef struct capstan {
  rl_vec3 nodes[ELEMENTS + 1];
  double tensions[ELEMENTS]; // [N]
} capstan;

static capstan capstan_of(double radius, double friction, double weight, double node_mass) {
  const double angle = RL_PI / TOUCHING, length = 2.0 * radius * tan(0.5 * angle);
  const double corner = radius / cos(0.5 * angle);
  capstan c;
  for (int k = 1; k <= ELEMENTS - 1; k++) {
    const double phi = RL_PI - (k - 1) * angle;
    c.nodes[k] = rl_vec(corner * cos(phi), corner * sin(phi), 0.0);
  }
  c.nodes[ELEMENTS] = rl_vec(corner, -length, 0.0);
  rl_vec3 pull = rl_vec(0.0, -g * (weight + node_mass), 0.0); // A at the last corner
  c.tensions[ELEMENTS - 1] = g * weight;
  for (int k = ELEMENTS - 2; k > 0; k--) {
    const rl_vec3 d = rl_unit(rl_sub(c.nodes[k + 1], c.nodes[k]));
    const rl_vec3 n = rl_vec(-d.y, d.x, 0.0);
    const double normal = -2.0 * rl_dot(pull, n);
    c.tensions[k] = rl_dot(pull, d) + 0.5 * friction * normal;
    assert_true(normal > 0.0);
    pull = rl_add(rl_scale(c.tensions[k] + 0.5 * friction * normal, d),
                  rl_add_scaled(rl_vec(0.0, -g * node_mass, 0.0), 0.5 * normal, n));
  }
  c.tensions[0] = rl_length(pull);
  c.nodes[0] = rl_add_scaled(c.nodes[1], -length, rl_unit(pull));
  return c;
}

static void chain_rubs_by_the_law_of_its_elements(void **unused) {
  (void)unused;
  const double radius = 0.217, weight = 1.7, node_mass = 0.013;
  for (int sign = -1; sign <= 1; sign += 2) {
    const double friction = 0.23 * sign;
    const capstan c = capstan_of(radius, friction, weight, node_mass);
    char points[4096] = "";
    for (int k = 0; k <= ELEMENTS; k++) {
      const size_t used = strlen(points);
      snprintf(&points[used], sizeof points - used, "%s[%.17g, %.17g, 0]", k > 0 ? ", " : "",
               c.nodes[k].x, c.nodes[k].y);
    }
    rl_scenario *s =
        scenario_from("name: c\nduration: 1\nstep: 0.002\nbodies:\n"
                      "  drum: {motion: driven, spin: [0, 0, %d], friction: 0.23,"
                      " shape: {cylinder: {radius: %.17g, length: 1}}}\n"
                      "  load: {mass: %.17g, position: [%.17g, %.17g, 0]}\n"
                      "ropes: {r: {from: {point: [%.17g, %.17g, 0]}, to: {body: load}, mass: %.17g,"
                      " segments: %d, points: [%s]}}\n",
                      -7 * sign, radius, weight, c.nodes[ELEMENTS].x, c.nodes[ELEMENTS].y,
                      c.nodes[0].x, c.nodes[0].y, ELEMENTS * node_mass, ELEMENTS, points);
    rl_driver *d = driver_for(s, "reference,forces=end", 0.002);
    take_steps(d, 5);
    double force = 0.0, move = 0.0;
    for (int k = 0; k < ELEMENTS; k++) {
      char name[32];
      snprintf(name, sizeof name, "r.tension.%d", k);
      force = fmax(force, fabs(probe(d, name) / c.tensions[k] - 1.0));
      move = fmax(move, rl_distance(node(d, (uint32_t)k), c.nodes[k]));
    }
    print_message("pulls %.6f : 1, exp(mu pi) is %.6f; forces %.1e, moves %.1e m\n",
                  c.tensions[0] / c.tensions[ELEMENTS - 1], exp(friction * RL_PI), force, move);
    check_below(force, 1e-12);
    check_below(move, 1e-12);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// A chain of 13 elements on a rough drum that stands holds what the law of Euler and Eytelwein
// says, exp(0.3 pi) = 2.566 to 1, within 3 %: it is a polygon.
static void chain_holds_by_the_capstan_law(void **unused) {
  (void)unused;
  static const char *const heavy[] = {"2", "2.65"};
  for (int i = 0; i < 2; i++) {
    const rl_override overrides[] = {{"bodies.drum.spin", "[0, 0, 0]"},
                                     {"bodies.heavy.mass", heavy[i]}};
    rl_scenario *s = shipped_with("turning-drum", overrides, 2);
    rl_driver *d = driver_for(s, "reference,estimate=false", 0.005);
    take_steps(d, 10);
    const double down = -probe(d, "heavy.vy"), lost = d->state->dissipated;
    take_steps(d, 2);
    const double more = -probe(d, "heavy.vy");
    print_message("%s kg against 1 kg: %.3e and %.3e m/s, %.2e J lost, energy %.1e J\n", heavy[i],
                  down, more, d->state->dissipated, rl_driver_energy_error(d));
    if (i == 0) {
      check_near(d->state->dissipated, lost, 1e-15); // nothing slips: what moves, swings
      check_below(fabs(more), 1e-3);
    } else {
      const double ratio = exp(0.3 * RL_PI), all = 2.65 + ratio;
      check_near(more - down, 0.01 * g * (2.65 - ratio) / all, 0.01 * g * 0.03 * ratio / all);
    }
    check_near(rl_driver_energy_error(d), 0.0, 1e-11);
    check_below(rl_metrics_of(d).penetration_max, 1e-12);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// The same chain, heavier, on a drum that is rougher than it has to be: it swings, and comes to its
// limits one element after the other, each of which begins to slip as soon as no other way of
// sharing the load relieves it.
static void a_chain_rests_in_few_steps(void **unused) {
  (void)unused;
  const rl_override overrides[] = {{"bodies.drum.spin", "[0, 0, 0]"},
                                   {"bodies.drum.friction", "1"},
                                   {"bodies.heavy.mass", "1.05"},
                                   {"ropes.rope.mass", "0.5"}};
  rl_scenario *s = shipped_with("turning-drum", overrides, 4);
  rl_driver *d = driver_for(s, "reference,estimate=false,step_limit=1000", 0.002);
  uint64_t internal = 0;
  for (int n = 0; n < 50; n++) {
    take_steps(d, 1);
    internal += d->info.iterations;
  }
  print_message("%" PRIu64 " internal steps, energy %.1e J\n", internal, rl_driver_energy_error(d));
  check_below((double)internal, 2000.0);
  check_near(rl_driver_energy_error(d), 0.0, 1e-10);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// A rope that turns its drum, the elements of which roll on it as they come, two that slide on
// bars, and a belt that jams on its wheels after 0.04 s: nothing is lost but by friction and jerks.
static void ropes_rub_on_what_is_round(void **unused) {
  (void)unused;
  static const char *const names[] = {"rolling-drum", "drape-capsule", "drape-cylinder",
                                      "belt-drive"};
  static const double lengths[] = {0.005, 1.0 / 240.0, 1.0 / 240.0, 0.005};
  static const int steps[] = {4, 48, 44, 40};
  for (int i = 0; i < 4; i++) {
    rl_scenario *s = shipped_with(names[i], NULL, 0);
    rl_driver *d = driver_for(s, "reference,estimate=false", lengths[i]);
    take_steps(d, steps[i]);
    const rl_metrics m = rl_metrics_of(d);
    print_message("%s: energy %.1e J of %.2g J lost, depth %.1e m\n", names[i],
                  rl_driver_energy_error(d), d->state->dissipated, m.penetration_max);
    check_near(rl_driver_energy_error(d), 0.0, 1e-11);
    check_below(m.penetration_max, 1e-12);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// The whole of that drum: by its heading the weights have c/k sinh(k t) after 0.5 s.
static void rope_rolls_its_drum(void **unused) {
  (void)unused;
  rl_scenario *s = shipped_with("rolling-drum", NULL, 0);
  rl_driver *d = driver_for(s, "reference,estimate=false", 0.005);
  take_steps(d, 100);
  print_message("%.5f m/s, energy %.1e J\n", probe(d, "heavy.vy"), rl_driver_energy_error(d));
  check_near(probe(d, "heavy.vy"), -0.65701, 1e-3);
  check_near(rl_driver_energy_error(d), 0.0, 1e-10);
  rl_driver_free(d);
  rl_scenario_free(s);
}

int main(void) {
  gsl_set_error_handler_off();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slides_round_a_drum),
      cmocka_unit_test(stops_on_a_drum),
      cmocka_unit_test(rod_rocks_on_a_drum),
      cmocka_unit_test(rod_slips_beyond_its_friction),
      cmocka_unit_test(bob_is_taken_along_by_a_sphere),
      cmocka_unit_test(bob_comes_to_rest_on_a_sphere),
      cmocka_unit_test(chain_holds_by_the_capstan_law),
      cmocka_unit_test(chain_rubs_by_the_law_of_its_elements),
      cmocka_unit_test(a_chain_rests_in_few_steps),
      cmocka_unit_test(ropes_rub_on_what_is_round),
      cmocka_unit_test(rope_rolls_its_drum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
