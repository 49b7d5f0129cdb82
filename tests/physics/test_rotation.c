// SPDX-License-Identifier: GPL-3.0-or-later
// Bodies that turn: free motion against closed forms, torques of ropes, momentum.
#include "check.h"

#include "world/rotation.h"
#include "world/trigonometry.h"

#include <gsl/gsl_sf_elljac.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------
// Free motion

// A box that spins about no axis of its own, somewhere with a rope that has nothing to do with it.
#define TOSSED                                                                                     \
  "name: tossed\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\n"                                    \
  "bodies: {box: {mass: 2.385, inertia: [%.17g, %.17g, %.17g], rotation: [0.3, -0.5, 0.2],"        \
  " spin: [%.17g, %.17g, %.17g]}}\n"                                                               \
  "ropes: {r: {from: {free: [5, 0, 0]}, to: {free: [6, 0, 0]}, mass: 1, segments: 2}}\n"

static rl_vec3 local_spin(const rl_driver *d) {
  return rl_rotate_inverse(d->state->rotations[0], rl_body_spin(d->model, d->state, 0));
}

typedef struct tumble {
  double spin_error;     // against the closed form at the end [rad/s]
  double energy_error;   // largest [J]
  double momentum_error; // largest, of the angular momentum, relative
} tumble;

// Two seconds of the free asymmetric top, I1 > I2 > I3, started with omega_2 = 0 in its own frame.
// Euler's equations, I1 dw1/dt = (I2 - I3) w2 w3 and so on, then have the solution (dn, sn, cn) in
// p t while L^2 > 2 E I2.
static tumble run_tumble(const char *spec, int steps) {
  const double i1 = 0.9, i2 = 0.7, i3 = 0.4, w1 = 1.7, w3 = 0.8;
  const rl_vec3 spin = rl_rotate(rl_quat_from_vector(rl_vec(0.3, -0.5, 0.2)), rl_vec(w1, 0.0, w3));
  rl_scenario *s = scenario_from(TOSSED, i1, i2, i3, spin.x, spin.y, spin.z);
  const double duration = 2.0;
  rl_driver *d = driver_for(s, spec, duration / steps);
  const rl_vec3 momentum = rl_body_angular_momentum(d->model, d->state, 0);
  tumble out = {0};
  for (int n = 0; n < steps; n++) {
    assert_true(rl_driver_step(d) > 0);
    out.energy_error = fmax(out.energy_error, fabs(rl_driver_energy_error(d)));
    const rl_vec3 now = rl_body_angular_momentum(d->model, d->state, 0);
    out.momentum_error = fmax(out.momentum_error, rl_distance(now, momentum) / rl_length(momentum));
  }
  const double about1 = i1 * (i1 - i2) * w1 * w1, about3 = i3 * (i2 - i3) * w3 * w3;
  assert_true(about1 > about3);
  const double p = w1 * sqrt((i1 - i2) * (i1 - i3) / (i2 * i3));
  double sn, cn, dn;
  gsl_sf_elljac_e(p * duration, about3 / about1, &sn, &cn, &dn);
  const double a2 = -w3 * sqrt(i3 * (i1 - i3) / (i2 * (i1 - i2)));
  out.spin_error = rl_distance(local_spin(d), rl_vec(w1 * dn, a2 * sn, w3 * cn));
  rl_driver_free(d);
  rl_scenario_free(s);
  return out;
}

// The drift that all methods share is of the second order and keeps angular momentum; Runge-Kutta
// integrates Euler's equations itself.
static void free_top_has_its_order(void **unused) {
  (void)unused;
  static const struct {
    const char *spec;
    double order;
    double momentum; // relative, at the coarse step
  } known[] = {{"impulse", 2.0, 1e-13},
               {"penalty,substeps=1", 2.0, 1e-13},
               {"penalty,substeps=1,integrator=verlet", 2.0, 1e-13},
               {"xpbd,substeps=1", 2.0, 1e-13},
               {"pbd", 2.0, 1e-13},
               {"penalty,substeps=1,integrator=rk4", 4.0, 2e-8}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    const tumble coarse = run_tumble(known[i].spec, 100), fine = run_tumble(known[i].spec, 200);
    check_near(log2(coarse.spin_error / fine.spin_error), known[i].order, 0.15);
    check_below(coarse.momentum_error, known[i].momentum);
    if (known[i].order == 2.0) {
      check_near(log2(coarse.energy_error / fine.energy_error), 2.0, 0.1);
    }
  }
}

// A body with two equal moments precesses at a constant rate: exact at any step, energy to
// rounding.
static void symmetric_top_is_exact(void **unused) {
  (void)unused;
  const double across = 0.7, along = 0.4, w1 = 1.7, w3 = 2.3, duration = 3.0;
  const rl_vec3 spin = rl_rotate(rl_quat_from_vector(rl_vec(0.3, -0.5, 0.2)), rl_vec(w1, 0.0, w3));
  rl_scenario *s = scenario_from(TOSSED, across, across, along, spin.x, spin.y, spin.z);
  rl_driver *d = driver_for(s, "impulse", duration / 20.0); // a third of a radian a step
  for (int n = 0; n < 20; n++) {
    assert_true(rl_driver_step(d) > 0);
    check_near(rl_driver_energy_error(d), 0.0, 1e-14);
  }
  const double rate = (along - across) / across * w3;
  const rl_vec3 now = local_spin(d);
  check_near(now.x, w1 * cos(rate * duration), 1e-12);
  check_near(now.y, w1 * sin(rate * duration), 1e-12);
  check_near(now.z, w3, 1e-14);
  rl_driver_free(d);
  rl_scenario_free(s);
}

static void check_inertia(const char *shape, double xx, double yy, double zz) {
  rl_scenario *s = scenario_from(
      "name: i\nduration: 1\nstep: 0.01\n"
      "bodies: {b: {mass: 2.385, spin: [1, 0, 0], rope_collide: false, shape: %s}}\n"
      "ropes: {r: {from: {point: [5, 0, 0]}, to: {free: [6, 0, 0]}, mass: 1, segments: 2}}\n",
      shape);
  const rl_vec3 root = s->model->bodies[0].root_inertia;
  check_relative(root.x * root.x, xx, 1e-13);
  check_relative(root.y * root.y, yy, 1e-13);
  check_relative(root.z * root.z, zz, 1e-13);
  rl_scenario_free(s);
}

// Evenly filled shapes: textbook values for each, a hull that is a box, parts beside the centre.
static void inertia_of_shapes(void **unused) {
  (void)unused;
  const double m = 2.385, r = 0.3, l = 0.8;
  const double ball = 0.4 * m * r * r;
  check_inertia("{sphere: {radius: 0.3}}", ball, ball, ball);
  const double across = m * (r * r / 4.0 + l * l / 12.0);
  check_inertia("{cylinder: {radius: 0.3, length: 0.8}}", across, across, 0.5 * m * r * r);
  check_inertia("{cylinder: {radius: 0.3, length: 0.8}, rotation: [1.5707963267948966, 0, 0]}",
                across, 0.5 * m * r * r, across);
  const double x = m / 12.0 * (4.0 + 9.0), y = m / 12.0 * (1.0 + 9.0), z = m / 12.0 * (1.0 + 4.0);
  check_inertia("{box: {size: [1, 2, 3]}}", x, y, z);
  check_inertia("{hull: {points: [[-0.5, -1, -1.5], [0.5, -1, -1.5], [-0.5, 1, -1.5],"
                " [0.5, 1, -1.5], [-0.5, -1, 1.5], [0.5, -1, 1.5], [-0.5, 1, 1.5],"
                " [0.5, 1, 1.5]]}}",
                x, y, z);
  check_inertia("[{box: {size: [1, 2, 1.5]}, at: [0, 0, 0.75]},"
                " {hull: {points: [[-0.5, -1, -0.75], [0.5, -1, -0.75], [-0.5, 1, -0.75],"
                " [0.5, 1, -0.75], [-0.5, -1, 0.75], [0.5, -1, 0.75], [-0.5, 1, 0.75],"
                " [0.5, 1, 0.75]]}, at: [0, 0, -0.75]}]",
                x, y, z);
  check_inertia("[{sphere: {radius: 0.3}, at: [0.8, 0, 0]}, {sphere: {radius: 0.3},"
                " at: [-0.8, 0, 0]}]",
                ball, ball + m * l * l, ball + m * l * l);
  const double tube = m * l / (l + 4.0 / 3.0 * r), caps = m - tube; // of a capsule
  const double capsule_across =
      tube * (l * l / 12.0 + r * r / 4.0) + caps * (0.4 * r * r + 0.25 * l * l + 0.375 * l * r);
  check_inertia("{capsule: {radius: 0.3, length: 0.8}}", capsule_across, capsule_across,
                0.5 * tube * r * r + 0.4 * caps * r * r);
}

// ---------------------------------------------------------------------------------------------
// Rows

// A frame with an eye and an anchor beside its centre, on a massless rope over an eye on a reel.
#define SLUNG                                                                                      \
  "name: slung\nduration: 1\nstep: 0.01\n"                                                         \
  "bodies:\n"                                                                                      \
  "  frame: {mass: 1.1, position: [1, 0.1, 0], inertia: [0.3, 0.2, 0.15], rotation: [0.1, 0, 1],"  \
  " spin: [0.3, 1.1, -0.7]}\n"                                                                     \
  "  reel: {motion: axle, mass: 1, inertia: [1, 1, 0.3], position: [1, 1, 0], rotation: [1, 0, "   \
  "0]}"                                                                                            \
  "\n"                                                                                             \
  "ropes:\n"                                                                                       \
  "  sling: {from: {point: [0, 0, 0]}, to: {body: frame, at: [0.3, 0.25, 0.1]},"                   \
  " over: [{body: reel, at: [0.2, 0.1, 0]}, {body: frame, at: [-0.3, 0.25, -0.1]}]}\n"

// A turned box and a wheel with a rope over both, and a rope that is tied to the box.
#define LADEN                                                                                      \
  "name: laden\nduration: 1\nstep: 0.01\n"                                                         \
  "bodies:\n"                                                                                      \
  "  box: {mass: 2.385, position: [0.1, -0.2, 0.05], rotation: [0.1, 0.3, -0.2], collide: false,"  \
  " spin: [0.3, 1.1, -0.7], shape: {box: {size: [0.6, 0.5, 0.4]}}}\n"                              \
  "  wheel: {motion: axle, mass: 1.3, position: [2, 0, 0], rotation: [0.4, 0, 0.3],"               \
  " shape: {cylinder: {radius: 0.3, length: 0.2}}}\n"                                              \
  "ropes:\n"                                                                                       \
  "  tail: {from: {body: box, at: [0, -0.25, 0]}, to: {free: [0.2, -1.5, 0.3]}, mass: 0.5,"        \
  " segments: 3}\n"                                                                                \
  "  coil: {from: {free: [-0.6, 0.15, 0.0]}, to: {free: [2.5, 0.27, 0.1]}, mass: 0.5, segments: "  \
  "9,"                                                                                             \
  " points: [[-0.6, 0.15, 0.0], [-0.1, 0.165, 0.1], [0.7, 0.1, 0.0], [2.1, 0.365, 0.0],"           \
  " [2.5, 0.27, 0.1]], length: 3.3, radius: 0.02, friction: 0.4, velocity: [0, -2, 0]}\n"

// The slide of a contact against the velocities of the two bodies where they touch, and its shares
// as the adjoint of that.
static void check_slide(const rl_driver *d, const rl_row *row) {
  const rl_model *m = d->model;
  const rl_contact *contact = &d->state->contacts[row->item];
  const double fraction = d->rows->feet[row->item].fraction;
  const rl_vec3 *v = d->state->velocities;
  rl_vec3 p = rl_position(&d->state->points[contact->slot]), rope = v[contact->slot];
  if (contact->next != RL_NONE) {
    p = rl_add_scaled(p, fraction, rl_sub(rl_position(&d->state->points[contact->next]), p));
    rope = rl_add_scaled(rope, fraction, rl_sub(v[contact->next], rope));
  }
  const uint32_t centre = rl_body_slot(m, contact->body);
  const rl_vec3 arm = rl_sub(p, rl_position(&d->state->points[centre]));
  const rl_vec3 body = rl_add(v[centre], rl_cross(rl_body_spin(m, d->state, contact->body), arm));
  rl_vec3 expected = rl_sub(rope, body);
  expected = rl_add_scaled(expected, -rl_dot(expected, row->normal), row->normal);
  check_near(rl_distance(rl_contact_slide(d->rows, row, v), expected), 0.0, 1e-14);

  const rl_vec3 pull = rl_add(rl_scale(0.7, row->tangents[0]), rl_scale(-1.9, row->tangents[1]));
  double work = 0.0, answer = 0.0;
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *e = &d->rows->entries[i];
    const rl_vec3 share = rl_contact_share(row, e, rl_unit(pull));
    work += rl_length(pull) * rl_dot(share, v[e->slot]);
    answer += d->state->points[e->slot].w * rl_dot(share, share);
  }
  check_near(work, rl_dot(pull, expected), 1e-13);
  check_near(rl_contact_inverse_mass(d->rows, row, pull, d->state->points), answer, 1e-13);
}

static void rows_of_turning_bodies(void **unused) {
  (void)unused;
  static const char *const texts[] = {SLUNG, LADEN};
  uint32_t spans = 0, nodes = 0, elements = 0;
  for (size_t k = 0; k < 2; k++) {
    rl_scenario *s = scenario_from("%s", texts[k]);
    rl_driver *d = driver_for(s, "impulse", 0.01);
    assert_true(rl_driver_step(d) > 0);
    rl_detect(d->model, d->state, 0.05, d->rows); // far enough ahead for all kinds
    for (uint32_t i = 0; i < d->rows->row_count; i++) {
      rl_row *row = &d->rows->rows[i];
      check_row_gradient(d, row, 2e-9);
      assert_true(row->has_spins);
      if (row->kind == RL_ROW_SPAN) {
        spans++;
        continue;
      }
      check_slide(d, row);
      *(d->state->contacts[row->item].next == RL_NONE ? &nodes : &elements) += 1;
    }
    rl_driver_free(d);
    rl_scenario_free(s);
  }
  assert_true(spans >= 2 && nodes > 0 && elements > 0);
}

// ---------------------------------------------------------------------------------------------
// Torques

// A weight on a rope from the rim of a wheel on an axle. For small angle phi of the wheel and
// sideways place x of the weight
//
//   I phi'' = -m g R (1 + R/l) phi + (m g R/l) x,    m x'' = (m g R/l) phi - (m g/l) x,
//
// whose slow mode both start in.
static void wheel_and_weight_swing(void **unused) {
  (void)unused;
  const double inertia = 0.05, radius = 0.3, mass = 0.7, length = 0.8, g = 9.81, amplitude = 1e-5;
  const double a = mass * g * radius * (1.0 + radius / length) / inertia;
  const double b = g * radius / length, c = g / length;
  const double coupling = mass * g * radius / length / inertia;
  const double square =
      0.5 * (a + c) - sqrt(0.25 * (a - c) * (a - c) + coupling * b); // omega^2 of the slow mode
  const double ratio = b / (c - square);                             // x / phi
  const double phi = amplitude, x = ratio * amplitude, tilt = (x - radius * phi) / length;
  rl_scenario *s = scenario_from(
      "name: wheel\nduration: 1\nstep: 0.01\nbodies:\n"
      "  wheel: {motion: axle, mass: 1, inertia: [1, 1, %.17g], rotation: [0, 0, %.17g]}\n"
      "  weight: {mass: %.17g, position: [%.17g, %.17g, 0]}\n"
      "ropes: {r: {from: {body: wheel, at: [0, -%.17g, 0]}, to: {body: weight}}}\n",
      inertia, phi, mass, radius * sin(phi) + length * sin(tilt),
      -radius * cos(phi) - length * cos(tilt), radius);
  static const char *const solvers[] = {"impulse",
                                        "impulse-direct",
                                        "impulse-soft",
                                        "pbd",
                                        "xpbd,substeps=10",
                                        "penalty,substeps=20,damping_ratio=0",
                                        "penalty,substeps=20,integrator=rk4,damping_ratio=0",
                                        "pbd-direct",
                                        "pbd-direct,gradient=current",
                                        "rattle"};
  for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; i++) {
    rl_driver *d = driver_for(s, solvers[i], 1e-4);
    take_steps(d, 10000);
    // Methods of the first order lose or gain dt omega / 2 of the phase, or damp as much.
    check_near(probe(d, "wheel.angle") + phi, phi * cos(sqrt(square)), 1e-3 * amplitude);
    check_near(probe(d, "weight.x"), x * cos(sqrt(square)), 1e-3 * fabs(x));
    check_near(probe(d, "wheel.spin"), -phi * sqrt(square) * sin(sqrt(square)),
               4e-3 * amplitude * sqrt(square));
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// Where a box on a rod from its corner is after half a second.
static rl_vec3 swing_box(const char *spec, double dt) {
  rl_scenario *s = scenario_from(
      "name: rod\nduration: 1\nstep: 0.01\nbodies:\n"
      "  box: {mass: 2.385, position: [0.15, -0.75, 0.05], spin: [0.1, 1, 8], velocity: [1, 0, "
      "0.3],"
      " shape: {box: {size: [0.3, 0.1, 0.2]}}, rope_collide: false}\n"
      "ropes: {rod: {from: {point: [0, 0, 0]}, to: {body: box, at: [-0.15, 0.05, -0.1]},"
      " compression: true}}\n");
  rl_driver *d = driver_for(s, spec, dt);
  const int steps = (int)floor(0.5 / dt + 0.5);
  take_steps(d, steps);
  const rl_vec3 at = rl_position(&d->state->points[rl_body_slot(d->model, 0)]);
  check_below(probe(d, "rod.stretch"), 1e-3);
  rl_driver_free(d);
  rl_scenario_free(s);
  return at;
}

// The order of each method for a body that swings and tumbles, by refinement.
static void orders_with_a_tumbling_box(void **unused) {
  (void)unused;
  static const struct {
    const char *spec;
    double order;
  } known[] = {{"rattle", 2.0},        {"pbd-direct", 1.0}, {"pbd-direct,gradient=current", 1.0},
               {"impulse", 1.0},       {"pbd", 1.0},        {"xpbd,substeps=1", 1.0},
               {"impulse-direct", 1.0}};
  for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
    const rl_vec3 coarse = swing_box(known[i].spec, 1.0 / 1000.0);
    const rl_vec3 middle = swing_box(known[i].spec, 1.0 / 2000.0);
    const rl_vec3 fine = swing_box(known[i].spec, 1.0 / 4000.0);
    const double order = log2(rl_distance(coarse, middle) / rl_distance(middle, fine));
    check_near(order, known[i].order, 0.1);
  }
}

// ---------------------------------------------------------------------------------------------
// Momentum

// Nothing acts from outside: momentum stays to rounding with every method, and angular momentum
// with those whose forces act along the pieces where they are.
static void momentum_of_turning_bodies(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: bolas\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\nbodies:\n"
      "  box: {mass: 2.385, rotation: [0.1, 0.3, -0.2], spin: [0.3, 2.1, -0.7],"
      " shape: {box: {size: [0.6, 0.5, 0.4]}}}\n"
      "  ball: {mass: 0.8, position: [-1.5, 0.1, 0], velocity: [0, 1.5, 0.4], spin: [0, 0, 3],"
      " shape: {sphere: {radius: 0.1}}, collide: false}\n"
      "ropes:\n"
      "  one: {from: {body: box, at: [-0.3, 0.25, 0.2]}, to: {body: ball, at: [0.1, 0, 0]},"
      " mass: 0.4, segments: 5}\n"
      "  two: {from: {body: box, at: [0.3, -0.25, 0.1]}, to: {free: [1.6, 0, 0.2]}, mass: 0.5,"
      " segments: 6, velocity: [0.3, -1.2, 0.5]}\n");
  assert_true(rl_model_keeps_momentum(s->model));
  for (size_t k = 0; rl_solvers[k]; k++) {
    if (check_left_out(s->model, rl_solvers[k], RL_CAN_ROTATION | RL_CAN_TOUCH)) {
      continue;
    }
    const char *name = rl_solvers[k]->name;
    const bool keeps_angular = strcmp(name, "pbd") != 0 && strcmp(name, "xpbd") != 0 &&
                               strcmp(name, "penalty-implicit") != 0 && // backward Euler does not
                               strcmp(name, "convex") != 0;
    rl_driver *d = driver_for(s, name, 1.0 / 240.0);
    const rl_metrics start = rl_metrics_of(d);
    for (int n = 0; n < 480; n++) {
      free_step(d, &start, keeps_angular ? 1e-12 : 0.5);
    }
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// The points of a rope that hangs from both sides of a drum at the origin, `off` its surface.
static const char *over_drum(double radius, double left, double right) {
  static char text[2000];
  int used = snprintf(text, sizeof text, "[[%.17g, %.17g, 0]", -radius, left);
  for (int i = 0; i <= 24; i++) {
    const double angle = RL_PI * (1.0 - i / 24.0);
    used += snprintf(&text[used], sizeof text - (size_t)used, ", [%.17g, %.17g, 0]",
                     radius * cos(angle), radius * sin(angle));
  }
  snprintf(&text[used], sizeof text - (size_t)used, ", [%.17g, %.17g, 0]]", radius, right);
  return text;
}

// A rope is dragged over a free drum that spins: friction turns the drum and takes energy, and what
// it takes is booked.
static void friction_turns_a_free_drum(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: drum\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\nbodies:\n"
      "  drum: {mass: 1.2, spin: [0, 0, 2], friction: 0.4, velocity: [0.02, 0.1, 0],"
      " shape: {cylinder: {radius: 0.3, length: 0.5}}}\n"
      "ropes:\n"
      "  belt: {from: {free: [-0.315, -0.6, 0]}, to: {free: [0.315, -0.6, 0]}, mass: 0.6,"
      " segments: 24, radius: 0.01, velocity: [0, -1.2, 0.1], points: %s}\n",
      over_drum(0.315, -0.6, -0.6));
  static const struct {
    const char *spec;
    bool keeps_angular;
    double error; // relative to the energy at the start; the dampers of penalty lose the most
  } known[] = {{"impulse,iterations=100", true, 0.1},
               {"penalty", true, 0.4},
               {"pbd,iterations=100", false, 0.1},
               {"xpbd,substeps=100", false, 0.03},
               {"pbd-direct", false, 0.1},
               {"rattle", false, 0.1},
               {"impulse-direct", true, 0.1},
               {"impulse-soft", false, 0.1}};
  for (size_t k = 0; k < sizeof known / sizeof known[0]; k++) {
    rl_driver *d = driver_for(s, known[k].spec, 1.0 / 480.0);
    const rl_metrics start = rl_metrics_of(d);
    double contacts = 0.0;
    for (int n = 0; n < 240; n++) {
      free_step(d, &start, known[k].keeps_angular ? 1e-12 : 0.01);
      contacts += probe(d, "belt.contacts");
    }
    assert_true(contacts > 30.0);
    check_near(probe(d, "drum.spin"), 1.1, 0.15); // it was 2
    check_below(fabs(rl_driver_energy_error(d)), known[k].error * rl_energy_total(d->start));
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// Two weights on a rope over a drum on an axle that it cannot slip on: the rim goes with the rope,
// and the acceleration is (m1 - m2) g over all that moves, the drum as I/R^2. Both are measured
// over the second half, for springs swing; 0.8 % of the rim is that the rope lies on it as a
// polygon.
static void rope_rolls_a_drum(void **unused) {
  (void)unused;
  const double m1 = 1.5, m2 = 1.0, rope = 0.3, inertia = 0.03, radius = 0.2, g = 9.81;
  rl_scenario *s = scenario_from(
      "name: roll\nduration: 1\nstep: 0.01\nbodies:\n"
      "  drum: {motion: axle, mass: 1, inertia: [0.02, 0.02, %.17g], friction: 2,"
      " shape: {cylinder: {radius: %.17g, length: 0.5}}}\n"
      "  heavy: {mass: %.17g, position: [-0.203, -0.6, 0]}\n"
      "  light: {mass: %.17g, position: [0.203, -0.9, 0]}\n"
      "ropes:\n"
      "  line: {from: {body: heavy}, to: {body: light}, mass: %.17g, segments: 40, points: %s}\n",
      inertia, radius, m1, m2, rope, over_drum(0.203, -0.6, -0.9));
  // The rope weighs too: s'' = c + k^2 s.
  const double moving = m1 + m2 + rope + inertia / (radius * radius);
  const double line_density = rope / (1.5 + RL_PI * 0.203);
  const double k = sqrt(2.0 * line_density * g / moving);
  const double way =
      ((m1 - m2) - 0.3 * line_density) * g / moving / (k * k) * (cosh(0.4 * k) - cosh(0.2 * k));
  double y = 0.0, angle = 0.0; // halfway
  static const char *const solvers[] = {
      "impulse,iterations=1000", "xpbd,substeps=100", "pbd,iterations=1000",
      "penalty,substeps=100",    "pbd-direct",        "rattle",
      "impulse-direct"};
  for (size_t i = 0; i < sizeof solvers / sizeof solvers[0]; i++) {
    rl_driver *d = driver_for(s, solvers[i], 1e-3);
    for (int n = 0; n < 400; n++) {
      y = n == 200 ? probe(d, "heavy.y") : y;
      angle = n == 200 ? probe(d, "drum.angle") : angle;
      assert_true(rl_driver_step(d) > 0);
    }
    check_relative(y - probe(d, "heavy.y"), way, 0.01);
    check_relative(0.203 * (probe(d, "drum.angle") - angle), y - probe(d, "heavy.y"), 0.012);
    check_below(fabs(rl_driver_energy_error(d)), 0.05);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(free_top_has_its_order),     cmocka_unit_test(symmetric_top_is_exact),
      cmocka_unit_test(inertia_of_shapes),          cmocka_unit_test(rows_of_turning_bodies),
      cmocka_unit_test(wheel_and_weight_swing),     cmocka_unit_test(orders_with_a_tumbling_box),
      cmocka_unit_test(momentum_of_turning_bodies), cmocka_unit_test(friction_turns_a_free_drum),
      cmocka_unit_test(rope_rolls_a_drum),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
