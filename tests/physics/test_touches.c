// SPDX-License-Identifier: GPL-3.0-or-later
// Rough bodies that come to touch a rope that runs: at the touch the rope turns by no angle, so
// that friction can do nothing yet, and behind it no more than the capstan law allows.
#include "check.h"

static const double frictions[] = {1e-4, 0.3, 1.0};

enum { FRICTIONS = sizeof frictions / sizeof frictions[0] };

// Two weights over two eyes, and a post that rises to the level piece between them at 0.1 m/s.
static rl_scenario *running_rope(const char *shape, double friction) {
  return scenario_from(
      "name: running\nduration: 1\nstep: 0.01\nbodies:\n"
      "  a: {mass: 2, position: [-1, -3, 0]}\n  b: {mass: 1, position: [1, -3, 0]}\n"
      "  post: {motion: driven, position: [0.2, -0.12, 0], velocity: [0, 0.1, 0], friction: %g,"
      " shape: {%s}}\n"
      "ropes:\n  line: {from: {body: a}, to: {body: b}, friction: %g,"
      " over: [{eye: [-1, 0, 0], friction: 0}, {eye: [1, 0, 0], friction: 0}]}\n",
      friction, shape, friction);
}

// Until the touch the weights are accelerated by g/3. The way over a post that rises at u gets
// longer by u phi a second, and friction takes 4/3 g (exp(mu phi) - 1) from a kilogram: in the step
// of the touch and the next one both speeds go on as before, but for that.
static void nothing_stops_at_a_touch(void **unused) {
  (void)unused;
  static const char *const shapes[] = {"cylinder: {radius: 0.1, length: 0.4}",
                                       "sphere: {radius: 0.1}", "box: {size: [0.2, 0.2, 0.4]}",
                                       "prism: {radius: 0.1, length: 0.4, sides: 6}"};
  static const double steps[] = {2e-3, 5e-4};
  for (size_t n = 0; n < sizeof shapes / sizeof shapes[0] * FRICTIONS; n++) {
    const double friction = frictions[n % FRICTIONS];
    rl_scenario *s = running_rope(shapes[n / FRICTIONS], friction);
    for (size_t k = 0; rl_solvers[k]; k++) {
      for (size_t i = 0; i < 2 && rl_driver_missing(s->model, rl_solvers[k]) == 0; i++) {
        const double fall = 9.81 / 3.0 * steps[i];
        rl_driver *d = driver_for(s, rl_solvers[k]->name, steps[i]);
        double a = 0.0, b = 0.0;
        do {
          a = probe(d, "a.vy");
          b = probe(d, "b.vy");
          assert_true(rl_driver_step(d) > 0);
          assert_true(d->state->time < 0.6);
        } while (d->state->wrap_counts[0] < 3);
        take_steps(d, 1);
        const double angle = probe(d, "line.wrap.post");
        const double bound = 0.1 * angle + 8.0 * fall * (exp(friction * angle) - 1.0) + 1e-9;
        check_near(probe(d, "a.vy"), a - 2.0 * fall, bound);
        check_near(probe(d, "b.vy"), b + 2.0 * fall, bound);
        rl_driver_free(d);
      }
    }
    rl_scenario_free(s);
  }
}

// A rope with weights at its ends flies at a post that is free to turn, and lies on it from 67 ms
// on.
static rl_scenario *free_rope(double friction) {
  return scenario_from("name: free\nduration: 1\nstep: 0.01\ngravity: [0, 0, 0]\nbodies:\n"
                       "  a: {mass: 2, position: [-1, 0, 0], velocity: [0, 1.5, 0]}\n"
                       "  b: {mass: 1, position: [1, 0, 0], velocity: [0, 1.5, 0]}\n"
                       "  post: {mass: 3, position: [0.2, 0.2, 0], friction: %g,"
                       " shape: {cylinder: {radius: 0.1, length: 0.4}}}\n"
                       "ropes:\n  line: {from: {body: a}, to: {body: b}, friction: %g}\n",
                       friction, friction);
}

// Goes on to 0.15 s. Behind the step of the touch the tensions keep to the capstan law. Returns how
// fast the post turns then.
static double spin_after_touch(const rl_scenario *s, const char *solver, double friction,
                               double step) {
  rl_driver *d = driver_for(s, solver, step);
  while (d->state->time < 0.15 - 0.5 * step) {
    const bool touched = d->state->wrap_counts[0] > 0;
    assert_true(rl_driver_step(d) > 0);
    if (touched) {
      const double back = probe(d, "line.tension.from"), on = probe(d, "line.tension.to");
      const double ratio = exp(friction * probe(d, "line.wrap.post"));
      check_below(fmax(on, back), fmin(on, back) * ratio * (1.0 + 1e-12));
    }
  }
  const double spin = probe(d, "post.spin");
  rl_driver_free(d);
  return spin;
}

// The rope slips, so what turns the post is what the capstan law lets through: as in `reference`,
// to the first order in the step.
static void new_contacts_slip_as_the_capstan_law_says(void **unused) {
  (void)unused;
  static const double steps[] = {1e-3, 2.5e-4};
  for (size_t n = 0; n < FRICTIONS; n++) {
    rl_scenario *s = free_rope(frictions[n]);
    const double exact = spin_after_touch(s, "reference", frictions[n], 1e-3);
    for (size_t k = 0; rl_solvers[k]; k++) {
      for (size_t i = 0; i < 2 && rl_driver_missing(s->model, rl_solvers[k]) == 0; i++) {
        const double spin = spin_after_touch(s, rl_solvers[k]->name, frictions[n], steps[i]);
        check_relative(spin, exact, 15.0 * steps[i]);
      }
    }
    rl_scenario_free(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_stops_at_a_touch),
      cmocka_unit_test(new_contacts_slip_as_the_capstan_law_says),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
