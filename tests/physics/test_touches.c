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

// A load on a rope that is held at its other end, and lies on a ball on an axle and a fixed
// capsule: once it lies on both nothing can run, and whatever the tension between them is found to
// be, it does not run to and fro by rounding until it slips off the ball.
static void what_cannot_run_slips_off_nothing(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: held\nduration: 2\nstep: 0.01\nbodies:\n"
      "  load: {mass: 0.5, position: [1.163, -0.973, 0], velocity: [1.18, 1.41, 0]}\n"
      "  ball: {motion: axle, mass: 1, position: [-0.907, -0.566, 0], friction: 0.5,"
      " collide: false, shape: {sphere: {radius: 0.197}}}\n"
      "  bar: {motion: fixed, position: [0.088, -0.506, 0], friction: 0.5, collide: false,"
      " shape: {capsule: {radius: 0.104, length: 0.5}}}\n"
      "  box: {motion: fixed, position: [1.024, -0.205, 0], friction: 0.5, collide: false,"
      " shape: {box: {size: [0.18, 0.126, 0.6]}}}\n"
      "ropes:\n  r: {from: {point: [-1.6, -1, 0]}, to: {body: load}, over: [ball],"
      " friction: 0.5}\n");
  for (size_t k = 0; rl_solvers[k]; k++) {
    if (rl_driver_missing(s->model, rl_solvers[k]) == 0) {
      rl_driver *d = driver_for(s, rl_solvers[k]->name, 1e-3);
      take_steps(d, 1500);
      assert_int_equal(d->state->slipped_off, 0);
      check_near(probe(d, "load.x"), -2.4081, 0.01);
      check_near(probe(d, "load.y"), -1.1003, 0.04);
      rl_driver_free(d);
    }
  }
  rl_scenario_free(s);
}

// (23b) of papers/changes.md: a ball hits a taut rope beside a rough wheel. With a slip that turned
// round in the catch, friction spun the wheel to 5e5 rad/s, and had given 1 GJ of 28 J.
static void no_catch_ends_with_a_slip_that_turned_round(void **unused) {
  (void)unused;
  static const char *const methods[] = {"impulse",    "impulse-direct", "pbd",
                                        "pbd-direct", "rattle",         "penalty-implicit"};
  rl_scenario *s =
      scenario_from("name: hit\nduration: 0.3\nstep: 0.001\nbodies:\n"
                    "  wheel: {motion: axle, mass: 1, friction: 0.2,"
                    " shape: {cylinder: {radius: 0.15, length: 0.5}}}\n"
                    "  ball: {mass: 1, position: [0.7, 0.5, 0], velocity: [0, -3, 0], friction: 0,"
                    " shape: {sphere: {radius: 0.1}}}\n"
                    "ropes: {line: {from: {point: [-1.2, 0.1, 0]}, to: {point: [1.2, 0.1, 0]},"
                    " over: [{body: wheel, side: [0, 1, 0]}]}}\n");
  for (size_t k = 0; k < sizeof methods / sizeof methods[0]; k++) {
    for (double step = 0.002; step > 0.0004; step *= 0.5) {
      rl_driver *d = driver_for(s, methods[k], step);
      double fastest = 0.0, given = 0.0;
      for (double t = 0.0; t < 0.3; t += step) {
        take_steps(d, 1);
        fastest = fmax(fastest, fabs(probe(d, "wheel.spin")));
        given = fmin(given, d->state->dissipated);
      }
      print_message("%s, %g s: the wheel has %.3g rad/s at most, friction gave %.3g J\n",
                    methods[k], step, fastest, -given);
      check_below(fastest, 40.0); // all energy of the ball in the wheel: 36 rad/s
      check_below(-given, 0.1);
      rl_driver_free(d);
    }
  }
  rl_scenario_free(s);
}

// (24) of papers/convex.md: bodies fall on ropes that lie straight over a wheel. A straight rope
// pulls with up to 1e20 N and moves nothing. With J of the start of a step such a pull was booked
// as a loss of 1 kJ to 30 MJ of 3 to 60 J; and where rounding of 1e48 N counted as balanced, a ball
// had 1e15 J.
static void pulls_of_straight_ropes_take_nothing(void **unused) {
  (void)unused;
  static const char *const scenes[] = {
      "name: post\nduration: 0.12\nstep: 0.0005\nbodies:\n"
      "  post: {motion: fixed, friction: 1.584, position: [-0.2, -0.006534, 0],"
      " shape: {cylinder: {radius: 0.0659, length: 0.4}}}\n"
      "  drum: {mass: 0.932, position: [-1.007296, 0.291982, 0.007599], collide: false,"
      " velocity: [-0.035594, -1.181037, 0], shape: {cylinder: {radius: 0.0733, length: 0.2122}}}\n"
      "ropes: {line: {over: [{body: post, side: [0, 1, 0]}],"
      " from: {point: [-1.3, -0.0040322509202930235, 0]}, to: {point: [1.7, -0.199687, 0]}}}\n",
      "name: smooth\nduration: 0.12\nstep: 0.0005\nbodies:\n"
      "  post: {motion: fixed, position: [-0.2, -0.076253, 0],"
      " shape: {cylinder: {radius: 0.1443, length: 0.4}}}\n"
      "  ball: {mass: 0.439, position: [-0.552782, 0.335531, 0.004428], collide: false,"
      " velocity: [0.102896, -2.507079, 0], shape: {sphere: {radius: 0.0406}}}\n"
      "ropes: {line: {over: [{body: post, side: [0, 1, 0]}],"
      " from: {point: [-1.3, -0.04607376691144888, 0]}, to: {point: [1.7, -0.206578, 0]}}}\n",
      "name: wheel\nduration: 0.12\nstep: 0.002\nbodies:\n"
      "  wheel: {motion: axle, mass: 0.31419, position: [-0.2, 0.00918, 0],"
      " shape: {cylinder: {radius: 0.0558, length: 0.4}}}\n"
      "  ball: {mass: 0.592, position: [-0.874819, 0.356867, -0.000697], collide: false,"
      " velocity: [0.110641, -14.010292, 0], shape: {sphere: {radius: 0.0723}}}\n"
      "ropes: {line: {over: [{body: wheel, side: [0, 1, 0]}],"
      " from: {point: [-1.3, -0.052462091260729565, 0]}, to: {point: [1.7, -0.176406, 0]}}}\n",
  };
  for (size_t n = 0; n < sizeof scenes / sizeof scenes[0]; n++) {
    rl_scenario *s = scenario_from("%s", scenes[n]);
    rl_driver *d = driver_for(s, "convex", s->step);
    double most = 0.0;
    while (d->state->time < 0.12) {
      assert_true(rl_driver_step(d) > 0);
      most = fmax(most, rl_driver_energy_error(d));
    }
    print_message("scene %zu: convex gains %.3g of %.3g J\n", n, most, d->energy_scale);
    check_below(most, 0.004 * d->energy_scale);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// (16a) of papers/wraps.md: a weight that hangs beside a rough post behind which the rope is fixed.
// Beside the plane of the post the rope lies on it as a helix, and friction holds it along itself
// only: C has the gradient J at any place.
static void what_lies_behind_a_post_counts_in_the_step(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: beside\nduration: 0.1\nstep: 0.001\nbodies:\n"
      "  post: {motion: fixed, friction: 2, position: [0, -0.1, 0],"
      " shape: {cylinder: {radius: 0.1, length: 2}}}\n"
      "  m: {mass: 1, position: [0.1, -0.9, 0]}\n"
      "ropes: {line: {over: [{body: post, side: [0, 1, 0]}], from: {point: [-0.5, 0.05, 0.6]},"
      " to: {body: m}}}\n");
  rl_driver *d = driver_for(s, "xpbd", s->step);
  take_steps(d, 2);
  rl_detect(d->model, d->state, d->dt, d->rows);
  rl_row *row = NULL;
  for (uint32_t k = 0; k < d->rows->row_count; k++) {
    row = d->rows->rows[k].entry_count > 0 ? &d->rows->rows[k] : row;
  }
  assert_non_null(row);
  rl_point *m = &d->state->points[d->rows->entries[row->first_entry].slot];
  const rl_point start = *m;
  for (int place = 0; place < 3; place++) {
    const double h = 1e-5;
    double values[3][2];
    *m = (rl_point){start.x, start.y, start.z + 0.1 * place, start.w};
    const rl_point here = *m;
    for (int k = 0; k < 6; k++) {
      const double by = k % 2 == 0 ? -h : h;
      *m = (rl_point){here.x + (k / 2 == 0 ? by : 0.0), here.y + (k / 2 == 1 ? by : 0.0),
                      here.z + (k / 2 == 2 ? by : 0.0), here.w};
      rl_row_evaluate(d->model, d->state, d->rows, row, d->state->points);
      values[k / 2][k % 2] = row->value;
    }
    *m = here;
    rl_row_evaluate(d->model, d->state, d->rows, row, d->state->points);
    const rl_vec3 j = d->rows->entries[row->first_entry].gradient;
    const double slopes[3] = {j.x, j.y, j.z};
    for (int k = 0; k < 3; k++) {
      const double slope = (values[k][1] - values[k][0]) / (2.0 * h);
      print_message("%g m beside: dC/d%c = %.9f, J %.9f\n", 0.1 * place, "xyz"[k], slope,
                    slopes[k]);
      check_near(slope, slopes[k], 1e-9);
    }
  }
  rl_driver_free(d);
  rl_scenario_free(s);
}

// (16a) A cylinder and a capsule that spins fall on a rope that lies straight over a wheel and a
// rough post, behind which it gets longer by 0.6 um. Drawn in with C/h along a J close to 0, that
// gave 1e5 J to `xpbd` and 0.6 J to `pbd`.
static void what_lies_behind_a_post_is_not_drawn_in(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: behind\nduration: 0.12\nstep: 0.002\nbodies:\n"
      "  w: {motion: axle, mass: 0.10065, friction: 0.814, position: [-0.2, -0.125439, 0],"
      " shape: {cylinder: {radius: 0.1851, length: 0.4}}}\n"
      "  post: {motion: fixed, friction: 2.524, position: [1, -0.163841, 0],"
      " shape: {cylinder: {radius: 0.1661, length: 0.4}}}\n"
      "  b0: {mass: 0.286, friction: 0, position: [-0.993647, -0.581603, 0.008059],"
      " velocity: [0.082846, 3.012929, 0], collide: false,"
      " shape: {cylinder: {radius: 0.0641, length: 0.1285}}}\n"
      "  b1: {mass: 0.251, position: [0.366073, 0.24989, -0.003201], collide: false,"
      " velocity: [-1.211358, -22.077796, 0], spin: [39.965796, 561.301148, 58.671038],"
      " shape: {capsule: {radius: 0.0169, length: 0.0256}}}\n"
      "ropes: {line: {over: [{body: w, side: [0, 1, 0]}, {body: post, side: [0, 1, 0]}],"
      " from: {point: [-1.3, -0.01937495545866652, 0]}, to: {point: [2.9, -0.241923, 0]}}}\n");
  static const char *const solvers[] = {"xpbd", "pbd", "convex"};
  for (size_t n = 0; n < sizeof solvers / sizeof solvers[0]; n++) {
    rl_driver *d = driver_for(s, solvers[n], s->step);
    double most = 0.0;
    while (d->state->time < 0.119) {
      assert_true(rl_driver_step(d) > 0);
      most = fmax(most, rl_driver_energy_error(d));
    }
    print_message("%s: gains %.3g of %.3g J\n", solvers[n], most, d->energy_scale);
    check_below(most, 1e-4 * d->energy_scale);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// A smooth driven capsule that spins at 430 rad/s strikes a slack rope. In that step its surface
// turns by 25 degrees, and the rope pulls along a direction that it has only at the end: what is
// lost has to be counted along the directions of the work. The three methods make the same step;
// that the work of `pbd` has the friction of the eye where the rope pulls makes it 2 mJ less.
static void strike_of_a_driven_body_loses_what_its_work_leaves(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: spin\nduration: 0.01\nstep: 0.001\nbodies:\n"
      "  b: {motion: driven, friction: 0, spin: [-109.627218, 366.624574, -195.523738],"
      " position: [-0.12561, -0.0358, -0.004764],"
      " shape: {capsule: {radius: 0.0611, length: 0.1924}}}\n"
      "  p: {mass: 2.142, position: [-0.8, -1.2, 0]}\n"
      "ropes: {line: {friction: 0.938, over: [{eye: [-0.8, 0, 0]}, {body: b, side: [0, 1, 0]}],"
      " from: {body: p}, to: {point: [1, 0, 0]}}}\n");
  static const char *const solvers[] = {"pbd", "convex", "penalty-implicit"};
  static const double works[] = {49.051, 49.053, 49.053}; // [J]
  for (size_t n = 0; n < sizeof solvers / sizeof solvers[0]; n++) {
    rl_driver *d = driver_for(s, solvers[n], s->step);
    take_steps(d, 10);
    const double error = rl_driver_energy_error(d);
    print_message("%s: work %.5g J, lost %.5g J, expected %.5g J\n", solvers[n], d->state->work,
                  d->state->dissipated, d->state->dissipated - error);
    check_near(d->state->work, works[n], 1e-3);
    check_near(error, 0.0, 4e-4 * d->state->work);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

static const char ball_beside_post[] =
    "name: ball\nduration: 0.12\nstep: 0.001\nbodies:\n"
    "  post: {motion: fixed, friction: 2.21, position: [-0.2, -0.047966, 0],"
    " shape: {cylinder: {radius: 0.0501, length: 0.4}}}\n"
    "  m: {mass: 1.253, position: [-0.1499, -1.2, 0]}\n"
    "  ball: {mass: 0.425, friction: 1.016, position: [-0.866409, 0.264832, -0.002745],"
    " velocity: [-1.551453, -35.881801, 0], collide: false, shape: {sphere: {radius: 0.0213}}}\n"
    "ropes: {line: {friction: 0, over: [{body: post, side: [0, 1, 0]}],"
    " from: {point: [-1.3, -0.18621599354618956, 0]}, to: {body: m}}}\n";

static const char three_ropes_over_wheels[] =
    "name: three\n"
    "duration: 0.25\n"
    "step: 0.001\n"
    "bodies:\n"
    "  w0: {motion: axle, mass: 0.14946, shape: {prism: {radius: 0.0888, length: 1, sides:"
    " 8}}, friction: 0.902, position: [0.0, -0.071562, 0]}\n"
    "  w1: {motion: fixed, shape: {box: {size: [0.169739, 0.135791, 1]}}, friction: 0.469,"
    " position: [0.6, 0.068878, 0]}\n"
    "  w2: {motion: axle, mass: 0.00455, shape: {cylinder: {radius: 0.1408, length: 1}},"
    " friction: 1.463, position: [1.2, 0.083012, 0], spin: [0, 0, -63.42]}\n"
    "  l0: {mass: 3.874, position: [-0.25, -1.291769, -0.3], velocity: [0, -0.167875, 0]}\n"
    "  r0: {mass: 0.207, position: [1.45, -0.477067, -0.3], velocity: [0, -0.285829, 0]}\n"
    "  l1: {mass: 3.389, position: [-0.27, -1.364341, -0.1], velocity: [0, -1.817273, 0]}\n"
    "  r1: {mass: 0.897, position: [1.47, -0.515889, -0.1], velocity: [0, 1.387783, 0]}\n"
    "  l2: {mass: 2.494, position: [-0.29, -0.496291, 0.1], velocity: [0, -0.765721, 0]}\n"
    "  r2: {mass: 0.247, position: [1.49, -1.291196, 0.1], velocity: [0, -1.748893, 0]}\n"
    "ropes:\n"
    "  s0: {from: {body: l0}, to: {body: r0}, over: [{body: w0, side: [0, 1, 0]}, {body: w1,"
    " side: [0, 1, 0]}, {body: w2, side: [0, 1, 0]}], slack: 0.0037}\n"
    "  s1: {from: {body: l1}, to: {body: r1}, over: [{body: w0, side: [0, 1, 0]}, {body: w1,"
    " side: [0, 1, 0]}, {body: w2, side: [0, 1, 0]}], slack: 0.0298}\n"
    "  s2: {from: {body: l2}, to: {body: r2}, over: [{body: w0, side: [0, 1, 0]}, {body: w1,"
    " side: [0, 1, 0]}, {body: w2, side: [0, 1, 0]}], slack: 0}\n";

// A ball crosses a taut rope beside its centre, and the plane of the rope on it turns by 163
// degrees in the step. The search for the path starts on the far side of the ball, where the rope
// is too long past half a turn: that gave 262 J to `xpbd` and took 10 J from `pbd` and `convex`.
static void planes_turn_round_on_balls_within_a_step(void **unused) {
  (void)unused;
  static const char *const solvers[] = {"xpbd",       "pbd",     "convex", "rattle",
                                        "pbd-direct", "penalty", "impulse"};
  rl_scenario *s = scenario_from("%s", ball_beside_post);
  for (size_t n = 0; n < sizeof solvers / sizeof solvers[0]; n++) {
    rl_driver *d = driver_for(s, solvers[n], s->step);
    double most = 0.0, least = 0.0;
    while (d->state->time < s->duration - 0.5 * s->step) {
      assert_true(rl_driver_step(d) > 0);
      most = fmax(most, rl_driver_energy_error(d));
      least = fmin(least, rl_driver_energy_error(d));
    }
    print_message("%s: gains %.3g, loses %.3g of %.3g J\n", solvers[n], most, -least,
                  d->energy_scale);
    check_below(most, 1e-5 * d->energy_scale);
    check_below(-least, 2e-3 * d->energy_scale);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

static const char ball_across_rope[] =
    "name: ball\nduration: 0.12\nstep: 0.001\nbodies:\n"
    "  w: {motion: axle, mass: 0.82506, friction: 1.783, position: [-0.2, 0.024248, 0],"
    " shape: {cylinder: {radius: 0.0594, length: 0.4}}}\n"
    "  m: {mass: 0.723, position: [-0.1406, -1.2, 0]}\n"
    "  ball: {mass: 0.128, position: [-0.995183, 0.313198, -0.002261], collide: false,"
    " velocity: [-0.397394, -34.244582, 0], shape: {sphere: {radius: 0.0701}}}\n"
    "ropes: {line: {over: [{body: w, side: [0, 1, 0]}],"
    " from: {point: [-1.3, -0.1289977723689729, 0]}, to: {body: m}}}\n";

// (24a) of papers/changes.md: a ball of 34 m/s crosses a rope beside a wheel, and is thrown on with
// 1.4 J in the step after the catch. With two and three ropes over light wheels trials of grips
// come round, or a second one does not settle, and would gain 53 J and 8 J.
static void steps_that_gain_are_made_again(void **unused) {
  (void)unused;
  static const struct {
    const char *method, *scene;
  } runs[] = {
      {"rattle",
       "name: wheel\nduration: 0.25\nstep: 0.004\nbodies:\n"
       "  w: {motion: axle, mass: 0.00502, friction: 2.218, position: [0, -0.044834, 0],"
       " spin: [0, 0, 51.66], shape: {cylinder: {radius: 0.151, length: 1}}}\n"
       "  l0: {mass: 2.503, position: [-0.25, -1.303217, -0.3], velocity: [0, -0.629776, 0]}\n"
       "  r0: {mass: 4.621, position: [0.25, -0.447004, -0.3], velocity: [0, 0.167397, 0]}\n"
       "  l1: {mass: 1.18, position: [-0.27, -0.911545, -0.1], velocity: [0, 0.936422, 0]}\n"
       "  r1: {mass: 4, position: [0.27, -1.45713, -0.1], velocity: [0, -0.913834, 0]}\n"
       "ropes:\n  a: {from: {body: l0}, to: {body: r0}, over: [{body: w, side: [0, 1, 0]}]}\n"
       "  b: {from: {body: l1}, to: {body: r1}, over: [{body: w, side: [0, 1, 0]}],"
       " slack: 0.0432}\n"},
      {"pbd-direct", ball_across_rope},
      {"convex", three_ropes_over_wheels},
  };
  int halved = 0;
  for (size_t n = 0; n < sizeof runs / sizeof runs[0]; n++) {
    rl_scenario *s = scenario_from("%s", runs[n].scene);
    rl_driver *d = driver_for(s, runs[n].method, s->duration / round(s->duration / s->step));
    double most = 0.0, before = 0.0;
    while (d->state->time < s->duration - 0.5 * s->step) {
      assert_true(rl_driver_step(d) > 0);
      halved += d->is_halved ? 1 : 0;
      most = fmax(most, rl_driver_energy_error(d) - before);
      before = rl_driver_energy_error(d);
    }
    print_message("%s: gains %.3g of %.3g J in a step, %d steps made again so far\n",
                  runs[n].method, most, d->energy_scale, halved);
    check_below(most, 0.004 * d->energy_scale);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
  assert_true(halved > 0);
}

static bool ends_at_once(void *asked, double share) {
  check_below(share, 1.0);
  *(bool *)asked = true;
  return true;
}

// A step that is made in parts can be ended from outside: the state is that before it.
static void steps_in_parts_can_be_ended(void **unused) {
  (void)unused;
  bool asked = false;
  const rl_watch watch = {ends_at_once, &asked};
  rl_scenario *s = scenario_from("%s", ball_across_rope);
  rl_driver *d = driver_for(s, "pbd-direct", 0.001);
  d->info.watch = &watch;
  uint64_t before = 0;
  rl_reason reason = RL_CONVERGED_TOLERANCE;
  while (reason != RL_RUNNING && d->state->step < 120) {
    before = rl_state_hash(d->state);
    reason = rl_driver_step(d);
  }
  assert_true(asked);
  assert_int_equal(reason, RL_RUNNING);
  assert_true(rl_state_hash(d->state) == before);
  rl_driver_free(d);
  rl_scenario_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_catch_ends_with_a_slip_that_turned_round),
      cmocka_unit_test(nothing_stops_at_a_touch),
      cmocka_unit_test(new_contacts_slip_as_the_capstan_law_says),
      cmocka_unit_test(what_cannot_run_slips_off_nothing),
      cmocka_unit_test(pulls_of_straight_ropes_take_nothing),
      cmocka_unit_test(what_lies_behind_a_post_counts_in_the_step),
      cmocka_unit_test(what_lies_behind_a_post_is_not_drawn_in),
      cmocka_unit_test(strike_of_a_driven_body_loses_what_its_work_leaves),
      cmocka_unit_test(planes_turn_round_on_balls_within_a_step),
      cmocka_unit_test(steps_that_gain_are_made_again),
      cmocka_unit_test(steps_in_parts_can_be_ended),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
