// SPDX-License-Identifier: GPL-3.0-or-later
// Ropes that come apart: cuts, tears, releases; forces from outside.
#include "check.h"

#include "world/ropes/elements.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const general[] = {"penalty",      "pbd",     "xpbd",
                                      "pbd-direct",   "impulse", "impulse-direct",
                                      "impulse-soft", "rattle",  "penalty-implicit"};
enum { GENERAL = sizeof general / sizeof general[0] };

// ---------------------------------------------------------------------------------------------
// What a cut keeps

// Mass, momentum, angular momentum and energy of a state.
typedef struct whole {
  double mass, energy;
  rl_momentum momentum;
} whole;

static whole whole_of(const rl_model *model, const rl_state *state) {
  whole w = {.energy = rl_energy_total(rl_state_energy(model, state)),
             .momentum = rl_state_momentum(model, state)};
  for (uint32_t i = 0; i < model->place_count; i++) {
    w.mass += state->masses[i];
  }
  return w;
}

static void check_same(const whole *now, const whole *before) {
  check_relative(now->mass, before->mass, 1e-13);
  check_relative(now->energy, before->energy, 1e-13);
  check_below(rl_distance(now->momentum.linear, before->momentum.linear),
              1e-13 * rl_length(before->momentum.linear));
  check_below(rl_distance(now->momentum.angular, before->momentum.angular),
              1e-13 * rl_length(before->momentum.angular));
}

// An open chain, a loop, ropes joined in a node, unequal elements, an elastic one: each element in
// turn, until there is nothing left to part.
static void a_cut_keeps_what_there_is(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: all\nduration: 1\nstep: 0.01\n"
      "bodies: {load: {mass: 2.385, position: [3, 0.2, 0.1], velocity: [0.3, 1.1, -0.7]}}\n"
      "ropes:\n"
      "  chain: {from: {free: [0, 0, 0]}, to: {body: load}, mass: 0.7, rest_lengths: [0.5, 1.2, "
      "0.7, "
      "0.9], spin: [0.2, 0.4, 2], break_tension: 1e9}\n"
      "  loop: {closed: true, mass: 0.4, segments: 7, points: [[0, 1, 0], [1, 1, 0.3], [0.7, 2, "
      "0]],"
      " spin: [1, 0.1, 0], velocity: [1, 2, 3], break_tension: 1e9}\n"
      "  side: {from: {rope: chain, node: 2}, to: {rope: loop, node: 3}, mass: 0.3, segments: 4,"
      " length: 4, stiffness: 300, velocity: [0, 1, 0], break_tension: 1e9}\n"
      "  held: {from: {point: [0, -1, 0]}, to: {body: load, at: [0, 0, 0]}, mass: 0.5, segments: 5,"
      " length: 5, velocity: [0.1, 0, 0.2], break_tension: 1e9}\n");
  rl_state *state = rl_state_create(s->model);
  rl_driver *d = driver_for(s, "penalty", 0.01);
  uint64_t seed = 2385;
  uint32_t parted = 0;
  for (int n = 0; n < 200; n++) {
    const uint32_t rope = (uint32_t)(next_random(&seed) * s->model->rope_count);
    const uint32_t count = rl_rope_elements(s->model, state, rope);
    const uint32_t element = (uint32_t)(next_random(&seed) * count);
    const bool inside = rl_element_before(s->model, state, rope, element) != RL_NONE ||
                        rl_element_next(s->model, state, rope, element) != RL_NONE;
    const whole before = whole_of(s->model, state);
    if (!inside) {
      continue; // what would be let go then has a mass that was held
    }
    assert_int_equal(rl_element_part(s->model, state, rope, element), RL_PARTED);
    const whole now = whole_of(s->model, state);
    check_same(&now, &before);
    rl_state_copy(d->state, state);
    check_elements(d);
    parted++;
  }
  // Each rope is in as many pieces as it has elements.
  assert_int_equal(parted, 3 + 7 + 3 + 4);
  for (uint32_t r = 0; r < s->model->rope_count; r++) {
    assert_int_equal(rl_rope_ends(s->model, state, r), rl_rope_elements(s->model, state, r));
  }
  rl_driver_free(d);
  rl_state_free(state);
  rl_scenario_free(s);
}

// A free rope that is cut while it tumbles: nothing acts from outside, so every solver keeps the
// momentum of all its pieces, and those that keep angular momentum keep it.
static void pieces_keep_their_momentum(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: tumble\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\n"
      "ropes:\n"
      "  rope: {from: {free: [0, 0, 0]}, to: {free: [1.1, 0, 0]}, mass: 0.7, segments: 11,"
      " spin: [0.3, 0, 4], velocity: [0.1, 1, 0]}\n"
      "events: [{at: 0.1, cut: {rope: rope, segment: 4}}, {at: 0.1, cut: {rope: rope, segment: 8}},"
      " {at: 0.2, cut: {rope: rope, segment: 2}}]\n");
  for (size_t k = 0; k < GENERAL; k++) {
    const bool keeps_angular = strcmp(general[k], "pbd-direct") == 0 ||
                               strcmp(general[k], "rattle") == 0 ||
                               strcmp(general[k], "impulse-direct") == 0;
    rl_driver *d = driver_for(s, general[k], 0.001);
    const rl_metrics start = rl_metrics_of(d);
    for (int n = 0; n < 300; n++) {
      free_step(d, &start, keeps_angular ? 1e-10 : INFINITY);
      check_elements(d);
    }
    assert_int_equal(d->state->parted, 3);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// ---------------------------------------------------------------------------------------------
// A thousand cuts

static char *thousand_cuts(bool ground) {
  const size_t size = 1 << 17;
  char *text = malloc(size);
  assert_non_null(text);
  int used = snprintf(
      text, size,
      "name: cuts\nduration: 1\nstep: 0.004\nbodies: {ground: {motion: fixed, friction: 0.3,"
      " rope_collide: %s, position: [0, -0.3, 0], shape: {plane: {normal: [0, 1, 0]}}}}\n"
      "ropes:\n  rope: {from: {point: [0, 0, 0]}, to: {free: [6, 0, 0]}, mass: 1, segments: 1200}\n"
      "  loop: {closed: true, mass: 0.4, segments: 300, points: [[0, 1, 0], [1, 1, 0.3], [0.7, 2, "
      "0]]}\nevents:\n",
      ground ? "true" : "false");
  // Each of the elements once, in any order: 1000 of the 1500 that there are.
  enum { OPEN = 1200, ALL = 1500, CUTS = 1000 };
  int order[ALL];
  uint64_t seed = 10;
  for (int i = 0; i < ALL; i++) {
    order[i] = i;
  }
  for (int i = 0; i < CUTS; i++) {
    const int other = i + (int)(next_random(&seed) * (ALL - i)), chosen = order[other];
    order[other] = order[i];
    const bool loop = chosen >= OPEN;
    used +=
        snprintf(&text[used], size - (size_t)used, "  - {at: %.3f, cut: {rope: %s, segment: %d}}\n",
                 0.4 * next_random(&seed), loop ? "loop" : "rope", loop ? chosen - OPEN : chosen);
  }
  return text;
}

static void cut_a_thousand_times(const char *solver, bool ground) {
  char *text = thousand_cuts(ground);
  rl_scenario *s = scenario_from("%s", text);
  rl_driver *d = driver_for(s, solver, 0.004);
  const double mass = whole_of(s->model, d->state).mass;
  for (int n = 0; n < 105; n++) {
    step_checked(d);
  }
  assert_int_equal(d->state->parted, 1000);
  assert_int_equal(d->state->unparted, 0);
  // An open rope has one end more than it has been parted, a loop as many.
  assert_int_equal(rl_rope_ends(s->model, d->state, 0) + rl_rope_ends(s->model, d->state, 1),
                   d->state->parted + 1);
  assert_true(fabs(whole_of(s->model, d->state).mass - mass) <=
              1e-13 * mass + s->model->ropes[0].end_masses[0]);
  rl_driver_free(d);
  rl_scenario_free(s);
  free(text);
}

static void a_thousand_cuts(void **unused) {
  (void)unused;
  cut_a_thousand_times("pbd-direct", false);
  cut_a_thousand_times("impulse,iterations=5", true);
  cut_a_thousand_times("pbd,iterations=5,long_range=true", true);
}

// ---------------------------------------------------------------------------------------------
// The order of nodes in memory

// What is in one slot of a rope's nodes goes to another, and elements and spare nodes follow.
static void shuffle_nodes(const rl_model *m, rl_state *state, uint32_t rope, uint64_t *seed) {
  const rl_rope *r = &m->ropes[rope];
  const uint32_t elements = rl_rope_elements(m, state, rope);
  uint32_t slots[64], to[64], count = 0;
  for (uint32_t i = 1; i < elements; i++) { // what is held or tied stays
    slots[count++] = state->links[r->first_link + i].a;
  }
  uint32_t *spares = state->spares ? &state->spares[r->first_in_pool] : NULL;
  for (uint32_t i = 0; spares && i < state->spare_counts[rope]; i++) {
    slots[count++] = spares[i];
  }
  assert_true(count <= 64);
  for (uint32_t i = 0; i < count; i++) {
    to[i] = slots[i];
  }
  for (uint32_t i = count - 1; i > 0; i--) {
    const uint32_t k = (uint32_t)(next_random(seed) * (i + 1)), moved = to[i];
    to[i] = to[k];
    to[k] = moved;
  }
  rl_state *old = rl_state_create(m);
  rl_state_copy(old, state);
  for (uint32_t i = 0; i < count; i++) {
    state->points[to[i]] = old->points[slots[i]];
    state->velocities[to[i]] = old->velocities[slots[i]];
    state->masses[to[i]] = old->masses[slots[i]];
    if (state->drags) {
      state->drags[to[i]] = old->drags[slots[i]];
    }
    if (i + 1 < elements) {
      state->links[r->first_link + i].b = to[i];
      state->links[r->first_link + i + 1].a = to[i];
    } else {
      spares[i + 1 - elements] = to[i];
    }
  }
  rl_state_free(old);
}

// Where the nodes of the ropes are, along them, in two runs [m].
static double apart(const rl_driver *a, const rl_driver *b) {
  double most = 0.0;
  for (uint32_t r = 0; r < a->model->rope_count; r++) {
    const uint32_t count = rl_rope_elements(a->model, a->state, r);
    assert_int_equal(rl_rope_elements(b->model, b->state, r), count);
    for (uint32_t i = 0; i < count; i++) {
      const uint32_t link = a->model->ropes[r].first_link + i;
      const uint32_t p = a->state->links[link].b, q = b->state->links[link].b;
      most = fmax(
          most, rl_distance(rl_position(&a->state->points[p]), rl_position(&b->state->points[q])));
    }
  }
  return most;
}

// Nodes and spare nodes in any order: the same motion, to the bit, with every method that can run
// the scene, so many at least.
static void check_any_order(rl_scenario *s, int steps, uint64_t parted, size_t least) {
  size_t ran = 0;
  for (size_t k = 0; rl_solvers[k]; k++) {
    if (rl_driver_missing(s->model, rl_solvers[k]) != 0) {
      continue;
    }
    rl_driver *d = driver_for(s, rl_solvers[k]->name, s->step);
    rl_driver *other = driver_for(s, rl_solvers[k]->name, s->step);
    rl_state *state = rl_state_create(s->model);
    rl_state_copy(state, d->state);
    uint64_t seed = 2385;
    shuffle_nodes(s->model, state, 0, &seed);
    rl_driver_set_state(d,
                        d->state); // as the other one: a method may have made its rope at the start
    rl_driver_set_state(other, state);
    check_elements(other);
    for (int n = 0; n < steps; n++) {
      step_checked(d);
      step_checked(other);
    }
    assert_int_equal(d->state->parted, parted);
    check_near(apart(d, other), 0.0, 0.0);
    rl_state_free(state);
    rl_driver_free(other);
    rl_driver_free(d);
    ran++;
  }
  check_below((double)least, (double)ran);
  rl_scenario_free(s);
}

// A bent rope with drag falls on what rubs, is fed and cut; the ropes of the published programs.
static void nodes_stand_in_any_order(void **unused) {
  (void)unused;
  check_any_order(
      scenario_from("name: order\nduration: 1\nstep: 0.004\n"
                    "bodies:\n"
                    "  ground: {motion: fixed, friction: 0.3, position: [0, -0.7, 0],"
                    " shape: {plane: {normal: [0, 1, 0]}}}\n"
                    "  load: {mass: 0.3, position: [0.9, 0.1, 0.1]}\n"
                    "ropes:\n"
                    "  line: {from: {point: [0, 0, 0]}, to: {body: load}, length: 1.2, mass: 0.2, "
                    "segments: 12,"
                    " bending: 1e-4, drag: 0.01, radius: 0.01, friction: 0.4}\n"
                    "events:\n"
                    "  - {from: 0, until: 0.5, winch: {rope: line, end: from, rate: 0.7}}\n"
                    "  - {at: 0.2, cut: {rope: line, segment: 8}}\n"),
      100, 1, 10);
  check_any_order(
      scenario_from("name: order\nduration: 1\nstep: 0.004\n"
                    "ropes: {line: {from: {point: [0, 0, 0]}, to: {point: [0.9, 0.2, 0]},"
                    " length: 1.2, mass: 0.2, segments: 12}}\n"),
      50, 0, 15);
}

// The direct methods' order of the rows follows the elements and their contacts.
static void pieces_land(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: land\nduration: 1\nstep: 0.002\n"
      "bodies: {ground: {motion: fixed, friction: 0.3, position: [0, -0.2, 0],"
      " shape: {plane: {normal: [0, 1, 0]}}}}\n"
      "ropes: {rope: {from: {free: [0, 0, 0]}, to: {free: [1, 0.1, 0]}, mass: 1, segments: 12}}\n"
      "events: [{at: 0.1, cut: {rope: rope, segment: 4}}, {at: 0.3, cut: {rope: rope, segment: 8}},"
      " {at: 0.4, cut: {rope: rope, segment: 1}}]\n");
  for (size_t k = 0; k < GENERAL; k++) {
    rl_driver *d = driver_for(s, general[k], 0.002);
    for (int n = 0; n < 300; n++) {
      step_checked(d);
    }
    assert_int_equal(rl_rope_ends(s->model, d->state, 0), 4);
    check_below(rl_metrics_of(d).penetration_max, 5e-4);
    // The whole weight lies on the ground, whichever piece it belongs to.
    if (strcmp(general[k], "penalty") != 0) {
      check_relative(probe(d, "rope.force.ground"), 9.81, 0.02);
    }
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// ---------------------------------------------------------------------------------------------
// Releases

static void what_is_let_go_falls(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: go\nduration: 1\nstep: 0.005\n"
      "bodies: {top: {motion: fixed, mass: 2, position: [0, 0, 0], shape: {box: {size: [0.2, 0.1, "
      "0.3]}}}}\n"
      "ropes:\n"
      "  rope: {from: {body: top, at: [0.1, 0.05, 0.15]}, to: {free: [0.1, -0.95, 0.15]}, mass: "
      "0.5, segments: 4}\n"
      "  cord: {from: {point: [2, 0, 0]}, to: {free: [2, -1, 0]}, mass: 0.5, segments: 4}\n"
      "events: [{at: 0.1, release: {body: top}}, {at: 0.1, release: {rope: cord, end: from}}]\n");
  for (size_t k = 0; k < GENERAL; k++) {
    rl_driver *d = driver_for(s, general[k], 0.005);
    for (int n = 0; n < 20; n++) {
      step_checked(d);
      check_near(probe(d, "top.y"), 0.0, 0.0);
      check_near(probe(d, "cord.node.0.y"), 0.0, 0.0);
    }
    for (int n = 0; n < 100; n++) {
      step_checked(d);
    }
    assert_int_equal(d->state->parted, 2);
    // Freely, all of it: v = g t. The springs of penalty have kept the chains a little stretched.
    check_near(probe(d, "top.vy"), -9.81 * 0.5, strcmp(general[k], "penalty") ? 1e-3 : 2e-2);
    check_near(probe(d, "cord.node.0.vy"), -9.81 * 0.5, strcmp(general[k], "penalty") ? 2e-2 : 2.0);
    // What was let go brought its energy in: m g h of the body at the origin is none, that of half
    // an element of the cord either.
    check_near(d->state->work, 0.0, 1e-9);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// ---------------------------------------------------------------------------------------------
// The pool

static rl_scenario *two_cuts(const char *pool) {
  return scenario_from(
      "name: pool\nduration: 1\nstep: 0.01\n"
      "ropes: {rope: {from: {point: [0, 0, 0]}, to: {free: [1, 0, 0]}, mass: 1, segments: 8, %s}}\n"
      "events: [{at: 0.05, cut: {rope: rope, segment: 4}}, {at: 0.1, cut: {rope: rope, segment: "
      "2}}]\n",
      pool);
}

static void the_pool_is_used_up(void **unused) {
  (void)unused;
  rl_scenario *s = two_cuts("pool: 1, pool_exhausted: continue");
  rl_driver *d = driver_for(s, "rattle", 0.01);
  for (int n = 0; n < 10; n++) {
    step_checked(d);
  }
  assert_int_equal(d->state->unparted, 0);
  step_checked(d);
  assert_int_equal(d->state->parted, 1);
  assert_int_equal(d->state->unparted, 1);
  assert_int_equal(d->changes[0].kind, RL_CHANGE_UNMET);
  check_near(d->changes[0].time, 0.1, 1e-12);
  step_checked(d);
  rl_driver_free(d);
  rl_scenario_free(s);

  s = two_cuts("pool: 1");
  d = driver_for(s, "rattle", 0.01);
  for (int n = 0; n < 10; n++) {
    step_checked(d);
  }
  for (int n = 0; n < 3; n++) {
    assert_int_equal(rl_driver_step(d), RL_STOPPED);
    assert_int_equal(d->state->step, 10);
  }
  rl_driver_free(d);
  rl_scenario_free(s);

  s = two_cuts("pool: 0"); // not even one
  d = driver_for(s, "rattle", 0.01);
  for (int n = 0; n < 5; n++) {
    step_checked(d);
  }
  assert_int_equal(rl_driver_step(d), RL_STOPPED);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// A program parts what no event does: where there is a pool out of that, and else it is told.
static void check_program(const char *pool, rl_parting expected, const char *solver) {
  rl_scenario *s = scenario_from(
      "name: program\nduration: 1\nstep: 0.01\n"
      "bodies: {load: {mass: 1, position: [2, 0, 0]}, wall: {motion: fixed, position: [4, 0, 0]}}\n"
      "ropes:\n"
      "  rope: {from: {point: [0, 0, 0]}, to: {body: load}, mass: 1, segments: 8, length: 2%s}\n"
      "  cord: {from: {body: load}, to: {body: wall}}\n",
      pool);
  rl_driver *d = driver_for(s, solver, 0.01);
  rl_state *state = rl_state_create(s->model);
  step_checked(d);
  rl_state_copy(state, d->state);
  const whole before = whole_of(s->model, state);
  assert_int_equal(rl_element_part(s->model, state, 0, 4), expected);
  const whole now = whole_of(s->model, state);
  check_same(&now, &before);
  assert_int_equal(rl_rope_ends(s->model, state, 0), expected == RL_PARTED ? 2 : 1);
  assert_int_equal(rl_end_release(s->model, state, 0, 0), expected);
  assert_int_equal(rl_end_release(s->model, state, 0, 1), RL_NO_SPARES); // there were two
  assert_int_equal(rl_element_part(s->model, state, 1, 0), expected);
  assert_int_equal(rl_body_release(s->model, state, 1), RL_NO_SPARES);
  rl_driver_set_state(d, state);
  check_elements(d);
  const whole start = whole_of(s->model, d->state);
  for (int n = 0; n < 10; n++) {
    step_checked(d);
  }
  if (expected == RL_PARTED) { // nothing holds it any more
    const whole end = whole_of(s->model, d->state);
    check_near(end.momentum.linear.y, start.momentum.linear.y - 0.1 * 9.81 * start.mass, 1e-11);
  }
  rl_state_free(state);
  rl_driver_free(d);
  rl_scenario_free(s);
}

static void a_program_parts_ropes(void **unused) {
  (void)unused;
  for (size_t k = 0; k < GENERAL; k++) {
    check_program(", pool: 2", RL_PARTED, general[k]);
    check_program("", RL_NO_SPARES, general[k]);
    check_program(", pool: 0", RL_NO_SPARES, general[k]);
  }
}

// ---------------------------------------------------------------------------------------------
// The ledger

static double swing_error(const char *solver, double dt) {
  rl_scenario *s = shipped_with("cut-swing", NULL, 0);
  rl_driver *d = driver_for(s, solver, dt);
  for (int n = 0; n < (int)(0.7 / dt + 0.5); n++) {
    step_checked(d);
  }
  const double error = rl_driver_energy_error(d);
  assert_int_equal(d->state->parted, 1);
  rl_driver_free(d);
  rl_scenario_free(s);
  return fabs(error);
}

// The energy error of a method that is cut is of its order, in every family. (That of soft impulses
// stays, with their springs, unless these get stiffer with the step.)
static void the_ledger_closes(void **unused) {
  (void)unused;
  static const struct {
    const char *solver;
    double order, band;
  } cases[] = {{"rattle", 2.0, 0.35},          {"pbd-direct", 1.0, 0.2},
               {"impulse-direct", 1.0, 0.1},   {"xpbd", 1.0, 0.1},
               {"convex", 1.0, 0.2},           {"pbd", 1.0, 0.2},
               {"penalty-implicit", 1.0, 0.2}, {"impulse-soft,hertz=1e9", 1.0, 0.45}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const double coarse = swing_error(cases[i].solver, 1e-3);
    const double fine = swing_error(cases[i].solver, 5e-4);
    check_near(log2(coarse / fine), cases[i].order, cases[i].band);
  }
  check_below(swing_error("rattle", 5e-4), 1e-4);
  check_below(swing_error("reference", 1e-2), 1e-12);
}

// An elastic cord that is cut takes with it what it had stored.
static void a_cut_cord_loses_its_energy(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: cord\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.001\n"
      "bodies: {bob: {mass: 1, position: [1, 0, 0]}}\n"
      "ropes: {cord: {from: {point: [0, 0, 0]}, to: {body: bob}, length: 0.8, stiffness: 40}}\n"
      "events: [{at: 0.05, cut: {rope: cord, segment: 0}}]\n");
  static const char *const solvers[] = {"penalty", "xpbd", "impulse-soft"};
  for (size_t k = 0; k < 3; k++) {
    rl_driver *d = driver_for(s, solvers[k], 0.001);
    for (int n = 0; n < 50; n++) {
      step_checked(d);
    }
    const double stored = rl_driver_energy(d).elastic, error = rl_driver_energy_error(d);
    assert_true(stored > 0.3);
    step_checked(d);
    check_near(d->state->dissipated, stored, 1e-12);
    check_near(rl_driver_energy_error(d), error, 1e-12);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// A force does its work, and nothing is left over: of a step x += h v, v += h F/m, F h (v + h F/m)
// minus the gain of m v^2 / 2 is (h F)^2 / (2 m), of `rattle` nothing.
static void forces_do_work(void **unused) {
  (void)unused;
  rl_scenario *s =
      scenario_from("name: push\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.01\n"
                    "bodies: {bob: {mass: 2, position: [0.5, 0, 0]}}\n"
                    "ropes: {line: {from: {point: [0, 0, 0]}, to: {body: bob}, length: 9}}\n"
                    "events: [{from: 0.1, until: 0.5, force: {body: bob, value: [3, 0, 4]}}]\n");
  for (size_t k = 0; k < GENERAL; k++) {
    rl_driver *d = driver_for(s, general[k], 0.01);
    for (int n = 0; n < 70; n++) {
      step_checked(d);
    }
    // An implicit one solves for positions to 1e-9 m or so, in steps of 0.01 s.
    const double solved = strcmp(general[k], "penalty-implicit") == 0 ? 1e-6 : 1e-12;
    check_near(probe(d, "bob.vx"), 0.6, solved);
    check_near(probe(d, "bob.vz"), 0.8, solved);
    check_near(rl_driver_energy_error(d), 0.0, 40.0 * 0.05 * 0.05 / 4.0 + solved);
    if (strcmp(general[k], "rattle") == 0) {
      check_near(rl_driver_energy_error(d), 0.0, 1e-13);
    }
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

// A free rope in the wind takes on its speed, as 1 - exp(-c t / m); the ledger closes in every step
// of implicit drag.
static void wind_carries_away(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from(
      "name: wind\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.001\n"
      "ropes: {line: {from: {free: [0, 0, 0]}, to: {free: [1, 0, 0]}, mass: 0.4, segments: 4,"
      " lumping: equal, drag: 0.3}}\n"
      "events: [{from: 0.1, until: 0.4, wind: [0, 3, 1]}]\n");
  for (size_t k = 0; k < GENERAL; k++) {
    rl_driver *d = driver_for(s, general[k], 0.001);
    for (int n = 0; n < 400; n++) {
      step_checked(d);
    }
    const double share = 1.0 - exp(-0.3 / 0.08 * 0.3);
    check_near(probe(d, "line.tip.vy"), 3.0 * share, 5e-3);
    check_near(probe(d, "line.tip.vz"), share, 5e-3);
    check_near(rl_driver_energy_error(d), 0.0, strstr(general[k], "penalty") ? 5e-3 : 1e-12);
    for (int n = 0; n < 300; n++) {
      step_checked(d); // still air slows it down
    }
    check_near(probe(d, "line.tip.vy"), 3.0 * share * (1.0 - share), 5e-3);
    rl_driver_free(d);
  }
  rl_scenario_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cut_keeps_what_there_is),
      cmocka_unit_test(pieces_keep_their_momentum),
      cmocka_unit_test(a_thousand_cuts),
      cmocka_unit_test(nodes_stand_in_any_order),
      cmocka_unit_test(pieces_land),
      cmocka_unit_test(what_is_let_go_falls),
      cmocka_unit_test(the_pool_is_used_up),
      cmocka_unit_test(a_program_parts_ropes),
      cmocka_unit_test(the_ledger_closes),
      cmocka_unit_test(a_cut_cord_loses_its_energy),
      cmocka_unit_test(forces_do_work),
      cmocka_unit_test(wind_carries_away),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
