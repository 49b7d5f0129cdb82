// SPDX-License-Identifier: GPL-3.0-or-later
// Winches on ropes with mass: nodes that come and go.
#include "check.h"

#include <stdio.h>
#include <string.h>

static const char *const direct[] = {"pbd-direct", "impulse-direct", "rattle", "convex",
                                     "penalty-implicit"};
enum { DIRECT = sizeof direct / sizeof direct[0] };

static const double load = 2.385, density = 0.1, gravity = 9.81;

// A load on a rope of 0.1 kg/m that moves already as it will: the winch at the top, which is either
// end of the rope, has nothing to set in motion.
static rl_scenario *hoist(double length, int segments, double rate, double until, bool at_to,
                          const char *more) {
  const char *ends = at_to ? "from: {body: load}, to: {point: [0, 0, 0]}"
                           : "from: {point: [0, 0, 0]}, to: {body: load}";
  return scenario_from(
      "name: hoist\nduration: 1\nstep: 0.001\n"
      "bodies: {load: {mass: %.17g, position: [0, %.17g, 0], velocity: [0, %.17g, 0]}}\n"
      "ropes: {line: {%s, mass: %.17g, segments: %d, velocity: [0, %.17g, 0]}}\n"
      "events: [{from: 0, until: %.17g, winch: {rope: line, end: %s, rate: %.17g%s}}]\n",
      load, -length, -rate, ends, density * length, segments, -rate, until, at_to ? "to" : "from",
      rate, more);
}

// The mass of all that moves.
static double moving_mass(const rl_driver *d) {
  double mass = 0.0;
  for (uint32_t i = 0; i < d->model->place_count; i++) {
    mass += d->state->masses[i];
  }
  return mass;
}

// What has to be there: without half of the elements at winch and load, which their nodes have.
static double expected_mass(const rl_driver *d) {
  const rl_rope *rope = &d->model->ropes[0];
  const uint32_t last = rl_rope_elements(d->model, d->state, 0) - 1;
  const rl_link *links = &d->state->links[rope->first_link];
  const double held = 0.5 * (links[0].rest + links[last].rest);
  return load + density * (rl_rest_length(d->model, d->state, 0, 0, last) - held);
}

// Up and down, from either end: the mass per length stays, and the winch pulls with the weight of
// what hangs on it, whether nodes come or go. No kinetic energy but that of the rope which comes.
static void it_is_the_weight(void **unused) {
  (void)unused;
  for (int i = 0; i < 4; i++) {
    const bool at_to = i % 2 == 1, down = i < 2;
    rl_scenario *s = hoist(down ? 0.5 : 1.5, down ? 5 : 15, down ? 1.0 : -1.0, 9.0, at_to, "");
    for (size_t k = 0; k < DIRECT; k++) {
      const bool springs = strcmp(direct[k], "penalty-implicit") == 0;
      rl_driver *d = driver_for(s, direct[k], 1e-3);
      const double rest = probe(d, "line.rest");
      double last = NAN;
      for (int n = 1; n <= 800; n++) {
        const double before = moving_mass(d);
        step_checked(d);
        // In the step: nodes come after one and go before one, and half of what is fed is held.
        const double mass = down ? before : moving_mass(d) + 0.5 * density * 1e-3;
        check_relative(moving_mass(d), expected_mass(d), 1e-12);
        const double tension = probe(d, at_to ? "line.tension.to" : "line.tension.from");
        if (n > 20) {
          check_relative(tension, mass * gravity, springs ? 2e-3 : 1e-8);
          check_below(fabs(tension - last), 0.01 * tension); // no spike
        }
        last = tension;
      }
      check_near(probe(d, "line.rest"), rest + (down ? 0.8 : -0.8), 1e-12);
      check_near(probe(d, "load.vy"), down ? -1.0 : 1.0, springs ? 2e-3 : 1e-9);
      check_near(rl_driver_energy_error(d), 0.0, springs ? 1e-4 : 1e-9);
      check_near(d->state->dissipated, 0.0, 1e-6); // rounding of the first step
      rl_driver_free(d);
    }
    rl_scenario_free(s);
  }
}

// Sweeps that are left open are what spikes, not the winch: converged they pull with the weight as
// well, also where nodes come and go.
static void converged_sweeps_are_the_weight(void **unused) {
  (void)unused;
  static const char *const sweeps[] = {"impulse,omega=1.9,iterations=1000",
                                       "pbd,omega=1.9,iterations=1000",
                                       "xpbd,omega=1.9,substeps=2,iterations=1000"};
  for (int i = 0; i < 2; i++) {
    const bool down = i == 0;
    rl_scenario *s = hoist(down ? 0.3 : 0.5, down ? 3 : 5, down ? 1.0 : -1.0, 9.0, false, "");
    for (size_t k = 0; k < sizeof sweeps / sizeof sweeps[0]; k++) {
      rl_driver *d = driver_for(s, sweeps[k], 1e-3);
      double last = NAN;
      for (int n = 1; n <= 200; n++) {
        const double before = moving_mass(d);
        step_checked(d);
        const double mass = down ? before : moving_mass(d) + 0.5 * density * 1e-3;
        const double tension = probe(d, "line.tension.from");
        if (n > 20) {
          check_relative(tension, mass * gravity, 1e-6);
          check_below(fabs(tension - last), 0.01 * tension);
        }
        last = tension;
      }
      rl_driver_free(d);
    }
    rl_scenario_free(s);
  }
}

// Ten metres through `nodes` created nodes. Returns the largest change of the tension from step to
// step, over itself.
static double pay_out_ten_metres(const char *solver, int nodes) {
  rl_scenario *s = hoist(1.0, nodes / 10, 1.0, 10.0, false, "");
  rl_driver *d = driver_for(s, solver, 1e-3);
  double jump = 0.0, last = NAN;
  for (int n = 1; n <= 10000; n++) {
    const double mass = moving_mass(d);
    assert_true(rl_driver_step(d) > 0);
    if (n % 500 == 0) {
      check_elements(d);
      check_relative(moving_mass(d), expected_mass(d), 1e-11);
    }
    const double tension = probe(d, "line.tension.from");
    check_relative(tension, mass * gravity, 1e-6);
    jump = n > 1 ? fmax(jump, fabs(tension - last) / tension) : 0.0;
    last = tension;
  }
  assert_in_range(rl_rope_elements(d->model, d->state, 0), nodes + nodes / 10 - 1,
                  nodes + nodes / 10);
  check_near(rl_driver_energy_error(d), 0.0, 1e-8);
  rl_driver_free(d);
  rl_scenario_free(s);
  return jump;
}

// A step is half a spacing of rope, mu l g / 2 of (M + mu L) g: refined it is nothing.
static void ten_metres(void **unused) {
  (void)unused;
  const double coarse = pay_out_ten_metres("rattle", 20), fine = pay_out_ten_metres("rattle", 40);
  check_below(coarse, 0.5 * density * 0.5 / (load + density) * 1.01);
  check_below(fine, 0.51 * coarse);
}

static void a_thousand_nodes(void **unused) {
  (void)unused;
  static const char *const solvers[] = {"rattle", "pbd-direct", "impulse-direct"};
  for (size_t k = 0; k < sizeof solvers / sizeof solvers[0]; k++) {
    check_below(pay_out_ten_metres(solvers[k], 1000), 2.5e-4);
  }
}

// A load of 10 kg swings on a cable of 0.02 kg/m; without segments on a massless rope.
static rl_scenario *swing(double rate, int segments) {
  const double x = 0.5 / sqrt(4.25), y = -2.0 / sqrt(4.25); // along the rope
  char rope[128] = "";
  if (segments > 0) {
    snprintf(rope, sizeof rope, ", mass: 0.04, segments: %d, velocity: [%.17g, %.17g, 0]", segments,
             rate * x, rate * y);
  }
  return scenario_from(
      "name: swing\nduration: 1\nstep: 0.0005\n"
      "bodies: {load: {mass: 10, position: [0.5, -2, 0], velocity: [%.17g, %.17g, 0]}}\n"
      "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: load}%s}}\n"
      "events: [{from: 0, until: 3, winch: {rope: line, end: from, rate: %.17g}}]\n",
      rate * x, rate * y, rope, rate);
}

// Against the massless rope: the cable's 0.4 % of mass show, and nothing where nodes come and go.
// Returns by how much its rest length is less than it should be.
static double compare_swing(const char *solver, double rate, int segments) {
  rl_scenario *heavy = swing(rate, segments), *light = swing(rate, 0);
  rl_driver *d = driver_for(heavy, solver, 5e-4), *e = driver_for(light, solver, 5e-4);
  double missing = 0.0;
  for (int n = 1; n <= 4000; n++) {
    step_checked(d);
    assert_true(rl_driver_step(e) > 0);
    check_near(probe(d, "load.x"), probe(e, "load.x"), 1.5e-3);
    check_near(probe(d, "load.y"), probe(e, "load.y"), 3e-4);
    if (n > 1) {
      check_relative(probe(d, "line.tension.from"), probe(e, "line.tension.from"), 0.01);
    }
    missing = probe(e, "line.rest") - probe(d, "line.rest");
  }
  check_near(rl_driver_energy_error(d), rl_driver_energy_error(e), 1e-4);
  rl_driver_free(d);
  rl_driver_free(e);
  rl_scenario_free(heavy);
  rl_scenario_free(light);
  return missing;
}

static void it_swings(void **unused) {
  (void)unused;
  static const char *const solvers[] = {"rattle", "pbd-direct", "impulse-direct"};
  for (size_t k = 0; k < sizeof solvers / sizeof solvers[0]; k++) {
    check_near(compare_swing(solvers[k], 0.5, 10), 0.0, 1e-10);
    const double coarse = compare_swing(solvers[k], -0.5, 10);
    const double fine = compare_swing(solvers[k], -0.5, 20);
    check_below(coarse, 1e-8);
    check_below(fine,
                fmax(0.4 * coarse, 1e-10)); // of the second order in the length of the elements
  }
}

// Three quarters of a bent rope are hauled in at the end that clamps it. Two elements become one
// that is bent no more, at another rate than the winch's: what that loses is in the ledger.
static double haul_bent(double h) {
  rl_scenario *s = scenario_from(
      "name: bent\nduration: 1\nstep: %g\n"
      "ropes: {line: {from: {point: [0, 0, 0], clamp: [1, 0, 0]}, to: {free: [0.5, 0, 0]},\n"
      "               mass: 0.1, segments: 10, bending: 0.02, compression: true}}\n"
      "events: [{from: 0, until: 1, winch: {rope: line, end: from, rate: -0.5}}]\n",
      h);
  rl_driver *d = driver_for(s, "rattle", h);
  for (int n = 1; n <= (int)round(0.4 / h); n++) {
    step_checked(d);
  }
  assert_in_range(rl_rope_elements(d->model, d->state, 0), 6, 7);
  const double error = rl_driver_energy_error(d);
  rl_driver_free(d);
  rl_scenario_free(s);
  return error;
}

static void a_bent_rope(void **unused) {
  (void)unused;
  const double coarse = haul_bent(1e-3), fine = haul_bent(2.5e-4);
  check_below(fabs(coarse), 1e-4);
  check_below(fabs(fine), 0.4 * fabs(coarse)); // of the first order, by the sudden start
}

// A winch that would take in more than there is stops, says so once, and leaves the nodes alone.
// Another one hauls in what it can, until less is left than half an element, or, massless, a step.
static void out_of_rope(void **unused) {
  (void)unused;
  static const char *const more[] = {"", ", mass: 0.09, segments: 9"};
  static const double time[] = {0.99, 0.95}, left[] = {0.01, 0.05};
  for (size_t k = 0; k < 2; k++) {
    rl_scenario *s = scenario_from(
        "name: empty\nduration: 2\nstep: 0.01\n"
        "bodies: {bob: {mass: 1, position: [0, -0.9, 0]}}\n"
        "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: bob}%s}}\n"
        "events:\n  - {from: 0, until: 0.1, winch: {rope: line, end: from, rate: -1e9}}\n"
        "  - {from: 0.1, until: 2, winch: {rope: line, end: from, rate: -1}}\n",
        more[k]);
    rl_driver *d = driver_for(s, "pbd-direct", 0.01);
    size_t count = 0;
    rl_change changes[2] = {{0}};
    for (int n = 1; n <= 120; n++) {
      step_checked(d);
      for (size_t i = 0; i < d->change_count && count + i < 2; i++) {
        changes[count + i] = d->changes[i];
      }
      count += d->change_count;
      if (n == 10) {
        check_near(probe(d, "bob.y"), -0.9, 1e-9);
        assert_int_equal(rl_rope_elements(d->model, d->state, 0), k == 0 ? 1 : 9);
      }
    }
    assert_int_equal(count, 2);
    assert_int_equal(changes[0].kind, RL_CHANGE_EMPTY);
    assert_int_equal(changes[1].kind, RL_CHANGE_EMPTY);
    check_near(changes[0].time, 0.0, 1e-12);
    check_near(changes[0].length, 0.9, 1e-12);
    check_near(changes[1].time, time[k], 1e-9);
    check_near(changes[1].length, left[k], 1e-9);
    check_near(probe(d, "line.rest"), left[k], 1e-9);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// A load below an eye, and the winch above it, or round a corner and so near that the element which
// it feeds runs through the eye: nodes come and go on either side of it. What hangs below pulls.
static void through_an_eye(void **unused) {
  (void)unused;
  static const char *const winches[] = {"0, 0.4", "-0.03, 0.04"};
  for (int i = 0; i < 4; i++) {
    const double rate = i < 2 ? 1.0 : -1.0, above = i % 2 == 0 ? 0.4 : 0.05;
    rl_scenario *s = scenario_from(
        "name: eye\nduration: 1\nstep: 0.001\n"
        "bodies: {load: {mass: %.17g, position: [0, -1, 0], velocity: [0, %g, 0]}}\n"
        "ropes: {line: {from: {point: [%s, 0]}, to: {body: load}, over: [{eye: [0, 0, 0]}],\n"
        "               mass: 0.1, segments: 10, velocity: [0, %g, 0]}}\n"
        "events: [{from: 0, until: 1, winch: {rope: line, end: from, rate: %g}}]\n",
        load, -rate, winches[i % 2], -rate, rate);
    for (size_t k = 0; k < 3; k++) {
      rl_driver *d = driver_for(s, direct[k], 1e-3);
      double settled = NAN;
      for (int n = 1; n <= 600; n++) {
        step_checked(d);
        settled = n == 150 ? rl_driver_energy_error(d) : settled;
      }
      check_near(probe(d, "line.rest"), 1.0 + above + 0.6 * rate, 1e-9);
      check_near(probe(d, "load.y"), -1.0 - 0.6 * rate, 1e-9);
      check_near(probe(d, "load.vy"), -rate, 1e-9);
      const rl_link *last = &d->state->links[rl_rope_elements(d->model, d->state, 0) - 1];
      const double hangs = load + 0.5 * d->model->ropes[0].density * last->rest; // half an element
      check_relative(probe(d, "line.tension.to"), load * gravity, 1e-8);
      assert_true(probe(d, "line.tension.from") > hangs * gravity);
      // The start sets in motion what was on its way round the corner.
      check_near(settled, 0.0, 1e-3);
      check_near(rl_driver_energy_error(d), settled, rate > 0.0 ? 1e-9 : 1e-3);
      rl_driver_free(d);
    }
    rl_scenario_free(s);
  }
}

// Below a rope that hangs still, in the node where the two are joined: mass comes there at rest.
static void at_a_joint(void **unused) {
  (void)unused;
  for (int i = 0; i < 2; i++) {
    const double rate = i == 0 ? 0.5 : -0.5;
    rl_scenario *s = scenario_from(
        "name: joint\nduration: 1\nstep: 0.002\n"
        "bodies: {load: {mass: %.17g, position: [0, -1, 0], velocity: [0, %g, 0]}}\n"
        "ropes:\n"
        "  top: {from: {point: [0, 0, 0]}, to: {free: [0, -0.5, 0]}, mass: 0.05, segments: 5}\n"
        "  line: {from: {rope: top, node: -1}, to: {body: load}, length: 0.5, mass: 0.05,\n"
        "         segments: 5, velocity: [0, %g, 0]}\n"
        "events: [{from: 0, until: 1, winch: {rope: line, end: from, rate: %g}}]\n",
        load, -rate, -rate, rate);
    for (size_t k = 0; k < 3; k++) {
      rl_driver *d = driver_for(s, direct[k], 2e-3);
      double mass = NAN;
      for (int n = 1; n <= 200; n++) {
        mass = moving_mass(d);
        step_checked(d);
        mass = rate > 0.0 ? mass : moving_mass(d) - density * rate * 2e-3;
      }
      check_near(probe(d, "load.y"), -1.0 - 0.4 * rate, 1e-9);
      check_near(probe(d, "top.length"), 0.5, 1e-9);
      check_relative(probe(d, "top.tension.from"), mass * gravity, 1e-8);
      check_near(rl_driver_energy_error(d), 0.0, 1e-10);
      rl_driver_free(d);
    }
    rl_scenario_free(s);
  }
}

// What is left over in the ledger of a spinning loop whose length a winch inside it changes.
static double feed_loop(double rate, double h, uint32_t least, uint32_t most) {
  rl_scenario *s = scenario_from(
      "name: loop\nduration: 1\nstep: %g\ngravity: [0, 0, 0]\n"
      "ropes: {ring: {closed: true, mass: 0.2, segments: 12, spin: [0, 0, 4],\n"
      "               points: [[1, 0, 0], [0, 1, 0], [-1, 0, 0], [0, -1, 0]]}}\n"
      "events: [{from: 0, until: 1, winch: {rope: ring, at_length: 0.3, rate: %g}}]\n",
      h, rate);
  rl_driver *d = driver_for(s, "rattle", h);
  for (int n = 1; n <= (int)round(1.0 / h); n++) {
    step_checked(d);
  }
  assert_in_range(rl_rope_elements(d->model, d->state, 0), least, most);
  check_relative(moving_mass(d), 0.2 / (4.0 * sqrt(2.0)) * probe(d, "ring.rest"), 1e-12);
  const double error = rl_driver_energy_error(d);
  rl_driver_free(d);
  rl_scenario_free(s);
  return error;
}

static void a_closed_rope(void **unused) {
  (void)unused;
  for (int i = 0; i < 2; i++) {
    const double rate = i == 0 ? 0.5 : -0.5;
    const double coarse = feed_loop(rate, 4e-3, 10, 14), fine = feed_loop(rate, 1e-3, 10, 14);
    check_below(fabs(coarse), 2e-3); // of 1.1 J
    check_below(fabs(fine), 0.4 * fabs(coarse));
  }
  feed_loop(-10.0, 1e-3, 3, 3); // a triangle is the least of it
}

// The angle of a pendulum whose length changes at a rate, l a'' + 2 l' a' + g sin a = 0, by
// Runge-Kutta in 40,000 steps.
static double hoisted_angle(double length, double rate, double angle, double duration) {
  const int count = 40000;
  const double h = duration / count;
  double y[2] = {angle, 0.0};
  for (int n = 0; n < count; n++) {
    double sum[2] = {0.0, 0.0}, k[2] = {0.0, 0.0};
    static const double ahead[4] = {0.0, 0.5, 0.5, 1.0}, weights[4] = {1.0, 2.0, 2.0, 1.0};
    for (int i = 0; i < 4; i++) {
      const double a = y[0] + ahead[i] * h * k[0], v = y[1] + ahead[i] * h * k[1];
      const double l = length + rate * (n + ahead[i]) * h;
      k[0] = v;
      k[1] = -(2.0 * rate * v + gravity * sin(a)) / l;
      sum[0] += weights[i] * k[0];
      sum[1] += weights[i] * k[1];
    }
    y[0] += h / 6.0 * sum[0];
    y[1] += h / 6.0 * sum[1];
  }
  return y[0];
}

// By how far `crane` with a cable of this mass is off that pendulum after 4 s [rad].
static double crane_off(const char *mass) {
  const rl_override override = {"ropes.cable.mass", mass};
  rl_scenario *s = shipped_with("crane", &override, 1);
  rl_driver *d = driver_for(s, "rattle", 5e-4);
  for (int n = 0; n < 8000; n++) {
    step_checked(d);
  }
  const double off =
      probe(d, "cable.angle") - hoisted_angle(sqrt(9.25), -0.4, atan2(0.5, 3.0), 4.0);
  rl_driver_free(d);
  rl_scenario_free(s);
  return off;
}

// With a lighter and lighter cable it is that pendulum: of 0.17 rad.
static void it_is_a_pendulum(void **unused) {
  (void)unused;
  const double heavy = crane_off("1.5"), light = crane_off("0.15");
  check_near(heavy, 0.0, 4e-3);
  check_near(light, 0.0, 4e-4);
}

// Rope that comes out half a metre below the top leaves what is above it where it is.
static void inside_a_rope(void **unused) {
  (void)unused;
  for (int i = 0; i < 4; i++) {
    const bool at_to = i % 2 == 1;
    const double rate = i < 2 ? 0.5 : -0.5;
    char velocities[512] = "";
    for (int k = 0; k <= 20; k++) {
      const int place = at_to ? 20 - k : k;
      snprintf(velocities + strlen(velocities), 32, "%s[0, %g, 0]", k == 0 ? "" : ", ",
               place > 5 ? -rate : 0.0);
    }
    rl_scenario *s = scenario_from(
        "name: cursor\nduration: 1\nstep: 0.001\n"
        "bodies: {load: {mass: %.17g, position: [0, -2, 0], velocity: [0, %.17g, 0]}}\n"
        "ropes: {line: {%s, mass: 0.2, segments: 20, velocities: [%s]}}\n"
        "events: [{from: 0, until: 9, winch: {rope: line, end: %s, at_length: 0.55, rate: "
        "%.17g}}]\n",
        load, -rate,
        at_to ? "from: {body: load}, to: {point: [0, 0, 0]}"
              : "from: {point: [0, 0, 0]}, to: {body: load}",
        velocities, at_to ? "to" : "from", rate);
    for (size_t k = 0; k < DIRECT; k++) {
      const bool springs = strcmp(direct[k], "penalty-implicit") == 0;
      rl_driver *d = driver_for(s, direct[k], 1e-3);
      const char *still = at_to ? "line.node.-6.y" : "line.node.5.y";
      for (int n = 1; n <= 1000; n++) {
        step_checked(d);
        check_relative(moving_mass(d), expected_mass(d), 1e-12);
        check_near(probe(d, still), -0.5, springs ? 1e-3 : 1e-7);
        const double tension = probe(d, at_to ? "line.tension.from" : "line.tension.to");
        if (n > 20) {
          check_relative(tension, load * gravity, springs ? 2e-3 : 1e-8);
        }
      }
      check_near(probe(d, "load.y"), -2.0 - rate, springs ? 1e-3 : 1e-9);
      check_near(rl_driver_energy_error(d), 0.0, springs ? 1e-4 : 1e-9);
      rl_driver_free(d);
    }
    rl_scenario_free(s);
  }
}

// An elastic rope that comes off a winch has its strain already: it goes on with the tension that
// it has and the speed of that, with its energy in the ledger. Without segments it is massless.
static void an_elastic_rope(void **unused) {
  (void)unused;
  static const char *const solvers[] = {"xpbd", "penalty", "impulse-soft",
                                        "penalty-implicit,integrator=midpoint"};
  const double tension = load * gravity, strain = tension / 1000.0, rate = 0.5;
  for (size_t k = 0; k < sizeof solvers / sizeof solvers[0]; k++) {
    for (int i = 0; i < 2; i++) {
      const double sign = i == 0 ? 1.0 : -1.0;
      const double speed = -sign * rate * (1.0 + strain);
      rl_scenario *s = scenario_from(
          "name: cord\nduration: 1\nstep: 0.0005\n"
          "bodies: {load: {mass: %.17g, position: [0, %.17g, 0], velocity: [0, %.17g, 0]}}\n"
          "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: load}, length: 1, stiffness: "
          "1000}}\n"
          "events: [{from: 0, until: 9, winch: {rope: line, end: from, rate: %g}}]\n",
          load, -(1.0 + strain), speed, sign * rate);
      rl_driver *d = driver_for(s, solvers[k], 5e-4);
      for (int n = 1; n <= 1000; n++) {
        step_checked(d);
        check_relative(probe(d, "line.tension"), tension, 1e-3);
      }
      check_near(probe(d, "load.vy"), speed, 1e-3);
      check_near(rl_driver_energy_error(d), 0.0, k < 3 ? 2e-9 : 1e-7);
      rl_driver_free(d);
      rl_scenario_free(s);
    }
  }
}

// The same in elements of almost no mass, which all have the strain: no spike where nodes come.
static void an_elastic_chain(void **unused) {
  (void)unused;
  static const char *const solvers[] = {"penalty", "impulse-soft",
                                        "penalty-implicit,integrator=midpoint"};
  const double strain = load * gravity / 1000.0, speed = -0.5 * (1.0 + strain);
  for (size_t k = 0; k < sizeof solvers / sizeof solvers[0]; k++) {
    rl_scenario *s = scenario_from(
        "name: cord\nduration: 1\nstep: 0.0005\n"
        "bodies: {load: {mass: %.17g, position: [0, %.17g, 0], velocity: [0, %.17g, 0]}}\n"
        "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: load}, length: 1, stiffness: 1000,\n"
        "               mass: 0.001, segments: 10, velocity: [0, %.17g, 0]}}\n"
        "events: [{from: 0, until: 9, winch: {rope: line, end: from, rate: 0.5}}]\n",
        load, -(1.0 + strain), speed, speed);
    rl_driver *d = driver_for(s, solvers[k], 5e-4);
    for (int n = 1; n <= 1000; n++) {
      step_checked(d);
      if (n > 20) { // soft rows have found their forces
        check_relative(probe(d, "line.tension.from"), load * gravity, 2e-3);
      }
    }
    check_near(probe(d, "load.vy"), speed, 1e-3);
    check_near(rl_driver_energy_error(d), 0.0, 1e-6);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// Ten times as fast, the cursor of `obi-cursor` runs into the straight rope within a step: nothing
// gives way there, and it stops, since there is no rope for that rate.
static void a_straight_rope_stalls_it(void **unused) {
  (void)unused;
  const rl_override override = {"events.1.winch.rate", "-5"};
  rl_scenario *s = shipped_with("obi-cursor", &override, 1);
  rl_driver *d = driver_for(s, "rattle", 2.5e-3);
  for (int n = 1; n <= 480; n++) {
    step_checked(d);
    assert_true(probe(d, "line.rest") > 2.0 * (1.0 - 1e-4)); // between the posts
  }
  check_near(rl_driver_energy_error(d), 0.0, 0.05); // of the 11 J that it has hauled
  rl_driver_free(d);
  rl_scenario_free(s);
}

// It hauls with 30 N at most until it has its rate, and stalls where it cannot lift.
static void limited_winches(void **unused) {
  (void)unused;
  static const char *const solvers[] = {"pbd-direct", "impulse-direct", "rattle", "convex"};
  const double weight = (load + 0.95 * density) * gravity;
  for (size_t k = 0; k < sizeof solvers / sizeof solvers[0]; k++) {
    for (int i = 0; i < 2; i++) {
      const double limit = i == 0 ? 30.0 : 20.0;
      rl_scenario *s = scenario_from(
          "name: haul\nduration: 1\nstep: 0.001\n"
          "bodies: {load: {mass: 2.385, position: [0, -1, 0]}}\n"
          "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: load}, mass: 0.1, segments: 10}}\n"
          "events: [{from: 0, until: 9, winch: {rope: line, end: from, rate: -0.8, max_tension: "
          "%.17g}}]\n",
          limit);
      rl_driver *d = driver_for(s, solvers[k], 1e-3);
      const double pull = (limit - weight) / (weight / gravity);
      for (int n = 1; n <= 500; n++) {
        step_checked(d);
        check_near(probe(d, "load.vy"), i == 0 ? fmin(0.8, pull * n * 1e-3) : 0.0, 0.02);
        check_below(probe(d, "line.tension.from"), fmax(limit, weight) * (1.0 + 2e-7));
      }
      check_relative(probe(d, "line.tension.from"), moving_mass(d) * gravity, 1e-3);
      check_near(rl_driver_energy_error(d), 0.0, 0.02);
      rl_driver_free(d);
      rl_scenario_free(s);
    }
  }
}

// Out and in and out again at both ends, cut and let go meanwhile, on the ground: elements that
// hold together after every step, and no mass but that of the pieces.
static void both_ends_at_once(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: both\nduration: 2\nstep: 0.002\n"
      "bodies: {ground: {motion: fixed, position: [0, -1, 0], friction: 0.3,\n"
      "                  shape: {plane: {normal: [0, 1, 0]}}}}\n"
      "ropes: {line: {from: {point: [0, 0, 0]}, to: {point: [1, 0, 0]}, length: 1.5, mass: 0.3,\n"
      "               segments: 12, points: hang}}\n"
      "events: [{from: 0, until: 0.5, winch: {rope: line, end: from, rate: 1.5}},\n"
      "         {from: 0.2, until: 0.7, winch: {rope: line, end: to, rate: 2}},\n"
      "         {from: 0.6, until: 1, winch: {rope: line, end: from, rate: -1}},\n"
      "         {from: 0.8, until: 1.6, winch: {rope: line, end: to, rate: -0.5}},\n"
      "         {at: 1, cut: {rope: line, segment: 10}},\n"
      "         {from: 1.2, until: 2, winch: {rope: line, end: from, rate: 0.7}},\n"
      "         {at: 1.4, release: {rope: line, end: to}}]\n");
  for (size_t k = 0; rl_solvers[k]; k++) {
    if (rl_driver_missing(s->model, rl_solvers[k]) == 0) {
      rl_driver *d = driver_for(s, rl_solvers[k]->name, 2e-3);
      for (int n = 1; n <= 1000; n++) {
        step_checked(d);
      }
      double mass = 0.0, held = 0.0;
      const rl_link *links = &d->state->links[d->model->ropes[0].first_link];
      for (uint32_t i = 0; i < rl_rope_elements(d->model, d->state, 0); i++) {
        mass += 0.2 * links[i].rest;
        check_below(links[i].rest, 1.5 * 0.125 + 1e-9);
        check_below(0.5 * 0.125, links[i].rest + 1e-9);
      }
      held = 0.5 * 0.2 * links[0].rest;
      check_relative(moving_mass(d), mass - held, 1e-11);
      rl_driver_free(d);
    }
  }
  rl_scenario_free(s);
}

// Without spare nodes the run stops, or goes on with an element that gets longer.
static void an_empty_pool(void **unused) {
  (void)unused;
  for (int i = 0; i < 2; i++) {
    rl_scenario *s = scenario_from(
        "name: empty\nduration: 1\nstep: 0.001\n"
        "bodies: {load: {mass: 1, position: [0, -1, 0], velocity: [0, -1, 0]}}\n"
        "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: load}, mass: 0.1, segments: 10,\n"
        "               velocity: [0, -1, 0], pool: 2, pool_exhausted: %s}}\n"
        "events: [{from: 0, until: 1, winch: {rope: line, end: from, rate: 1}}]\n",
        i == 0 ? "stop" : "continue");
    rl_driver *d = driver_for(s, "rattle", 1e-3);
    int steps = 0;
    while (steps < 500 && rl_driver_step(d) > 0 && !d->is_stopped) {
      steps++;
      check_elements(d);
    }
    assert_int_equal(rl_rope_elements(d->model, d->state, 0), 12);
    assert_int_equal(d->state->unparted, 1);
    assert_in_range(steps, i == 0 ? 249 : 500, i == 0 ? 251 : 500);
    check_relative(probe(d, "line.rest"), 1.0 + 1e-3 * (steps + (i == 0 ? 1 : 0)), 1e-9);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

int main(int argc, char **argv) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(through_an_eye),
      cmocka_unit_test(at_a_joint),
      cmocka_unit_test(a_closed_rope),
      cmocka_unit_test(it_is_the_weight),
      cmocka_unit_test(converged_sweeps_are_the_weight),
      cmocka_unit_test(ten_metres),
      cmocka_unit_test(it_swings),
      cmocka_unit_test(a_bent_rope),
      cmocka_unit_test(out_of_rope),
      cmocka_unit_test(limited_winches),
      cmocka_unit_test(a_straight_rope_stalls_it),
      cmocka_unit_test(both_ends_at_once),
      cmocka_unit_test(an_empty_pool),
      cmocka_unit_test(it_is_a_pendulum),
      cmocka_unit_test(inside_a_rope),
      cmocka_unit_test(an_elastic_rope),
      cmocka_unit_test(an_elastic_chain),
  };
  const struct CMUnitTest long_tests[] = {cmocka_unit_test(a_thousand_nodes)};
  return argc > 1 && strcmp(argv[1], "long") == 0 ? cmocka_run_group_tests(long_tests, NULL, NULL)
                                                  : cmocka_run_group_tests(tests, NULL, NULL);
}
