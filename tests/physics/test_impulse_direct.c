// SPDX-License-Identifier: GPL-3.0-or-later
// impulse-direct against independent solutions of the same complementarity problem, and where
// sweeps need long.
#include "check.h"

#include <stdlib.h>

#ifdef ROPELAB_SICONOS
#include <LCP_Solvers.h>
#include <LinearComplementarityProblem.h>
#include <NonSmoothDrivers.h>
#include <NumericsMatrix.h>
#include <SolverOptions.h>
#include <lcp_cst.h>
#endif

enum { MOST = 80 }; // rows of a dense problem

// A generator of its own, so that every run has the same problems.
static uint64_t random_bits = 0x9e3779b97f4a7c15ULL;

// u = b - A P, in dense form; of row m over all slots J[m].
typedef struct problem {
  uint32_t count, slots;
  rl_vec3 *j[MOST];
  double a[MOST][MOST], b[MOST], lower[MOST];
  double p[MOST];
} problem;

static void add_gradient(problem *q, uint32_t row, uint32_t slot, rl_vec3 gradient) {
  q->j[row][slot] = rl_add(q->j[row][slot], gradient);
}

// From the rows of a driver's state, with gravity for dt: the definition, written out.
static problem dense_problem(const rl_driver *d) {
  const rl_model *model = d->model;
  rl_state *state = rl_state_create(model);
  rl_rows *rows = rl_rows_create(model);
  rl_state_copy(state, d->state);
  rl_detect(model, state, d->dt, rows);
  problem q = {.count = (uint32_t)rl_unknown_count(model, state), .slots = model->slot_count};
  assert_in_range(q.count, 1, MOST);
  double c[MOST];
  for (uint32_t m = 0; m < q.count; m++) {
    q.j[m] = calloc(q.slots, sizeof *q.j[m]);
  }
  for (uint32_t n = 0; n < rows->block_count; n++) {
    const rl_block *block = &rows->blocks[n];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      const rl_link *link = &state->links[k];
      const rl_vec3 across =
          rl_sub(rl_position(&state->points[link->b]), rl_position(&state->points[link->a]));
      add_gradient(&q, k, link->b, rl_unit(across));
      add_gradient(&q, k, link->a, rl_scale(-1.0, rl_unit(across)));
      c[k] = rl_length(across) - link->rest;
      q.lower[k] = block->lower;
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      rl_row *row = &rows->rows[k];
      rl_row_evaluate(model, state, rows, row, state->points);
      for (uint32_t e = row->first_entry; e < row->first_entry + row->entry_count; e++) {
        add_gradient(&q, row->source, rows->entries[e].slot, rows->entries[e].gradient);
      }
      c[row->source] = row->value;
      q.lower[row->source] = row->lower;
    }
  }
  for (uint32_t m = 0; m < q.count; m++) {
    q.b[m] = c[m] / d->dt;
    for (uint32_t s = 0; s < q.slots; s++) {
      const double w = state->points[s].w;
      const rl_vec3 v = w > 0.0 && s < model->place_count
                            ? rl_add_scaled(state->velocities[s], d->dt, model->gravity)
                            : state->velocities[s];
      q.b[m] += rl_dot(q.j[m][s], v);
      for (uint32_t n = 0; n < q.count; n++) {
        q.a[m][n] += w * rl_dot(q.j[m][s], q.j[n][s]);
      }
    }
  }
  rl_rows_free(rows);
  rl_state_free(state);
  return q;
}

static void free_problem(problem *q) {
  for (uint32_t m = 0; m < q->count; m++) {
    free(q->j[m]);
  }
}

// P of a set of rows by elimination with pivoting; false: singular.
static bool solve_set(problem *q, uint32_t set) {
  double a[MOST][MOST + 1];
  uint32_t rows[MOST], n = 0;
  for (uint32_t m = 0; m < q->count; m++) {
    q->p[m] = 0.0;
    if (set >> m & 1U) {
      rows[n++] = m;
    }
  }
  for (uint32_t i = 0; i < n; i++) {
    for (uint32_t k = 0; k < n; k++) {
      a[i][k] = q->a[rows[i]][rows[k]];
    }
    a[i][n] = q->b[rows[i]];
  }
  for (uint32_t i = 0; i < n; i++) {
    uint32_t pivot = i;
    for (uint32_t k = i + 1; k < n; k++) {
      pivot = fabs(a[k][i]) > fabs(a[pivot][i]) ? k : pivot;
    }
    if (fabs(a[pivot][i]) < 1e-11) {
      return false;
    }
    for (uint32_t k = 0; k <= n; k++) {
      const double swapped = a[i][k];
      a[i][k] = a[pivot][k];
      a[pivot][k] = swapped;
    }
    for (uint32_t k = i + 1; k < n; k++) {
      const double factor = a[k][i] / a[i][i];
      for (uint32_t c = i; c <= n; c++) {
        a[k][c] -= factor * a[i][c];
      }
    }
  }
  for (uint32_t i = n; i-- > 0;) {
    double sum = a[i][n];
    for (uint32_t k = i + 1; k < n; k++) {
      sum -= a[i][k] * q->p[rows[k]];
    }
    q->p[rows[i]] = sum / a[i][i];
  }
  return true;
}

static bool is_complementary(const problem *q, uint32_t set) {
  for (uint32_t m = 0; m < q->count; m++) {
    double u = q->b[m];
    for (uint32_t n = 0; n < q->count; n++) {
      u -= q->a[m][n] * q->p[n];
    }
    const bool acts = set >> m & 1U;
    if ((q->lower[m] == 0.0 && q->p[m] < 0.0) || (!acts && (u > 1e-12 || q->lower[m] < 0.0))) {
      return false;
    }
  }
  return true;
}

// Tries all sets; leaves the solution in p.
static bool enumerate(problem *q) {
  assert_in_range(q->count, 1, 20);
  for (uint32_t set = 0; set < 1U << q->count; set++) {
    if (solve_set(q, set) && is_complementary(q, set)) {
      return true;
    }
  }
  return false;
}

// Two ropes, the second tied to a node of the first, over ground that some nodes touch, with masses
// over four decades; pulled about afterwards.
static rl_driver *random_driver(rl_scenario **scenario, int elements, bool rods) {
  const int first = 2 + (int)between(&random_bits, 0.0, elements),
            second = 1 + (int)between(&random_bits, 0.0, elements);
  *scenario = scenario_from(
      "name: r\nduration: 1\nstep: 0.01\n"
      "bodies:\n"
      "  ground: {motion: fixed, position: [0, -0.5, 0], shape: {plane: {normal: [0, 1, 0]}}}\n"
      "  load: {mass: %g, position: [1, 0, 0]}\n"
      "ropes:\n"
      "  a: {from: {point: [0, 0, 0]}, to: {body: load}, mass: %g, segments: %d}\n"
      "  b: {from: {rope: a, node: 1}, to: {free: [0.5, 0, 1]}, mass: %g, segments: %d,\n"
      "      compression: %s}\n",
      pow(10.0, between(&random_bits, -2.0, 2.0)), between(&random_bits, 0.05, 2.0), first,
      between(&random_bits, 0.05, 2.0), second, rods ? "true" : "false");
  rl_driver *d = driver_for(*scenario, "impulse-direct", 0.01);
  for (uint32_t s = 0; s < d->model->slot_count; s++) {
    rl_point *p = &d->state->points[s];
    if (p->w > 0.0) {
      rl_move(p, (rl_vec3){between(&random_bits, -0.02, 0.02), between(&random_bits, -0.02, 0.02),
                           between(&random_bits, -0.02, 0.02)});
      p->y = between(&random_bits, 0.0, 1.0) < 0.2 ? -0.5 + between(&random_bits, 0.0, 0.01) : p->y;
      d->state->velocities[s] = (rl_vec3){
          between(&random_bits, -2, 2), between(&random_bits, -2, 2), between(&random_bits, -2, 2)};
    }
  }
  return d;
}

static void agrees_with_all_sets_tried(void **unused) {
  (void)unused;
  int solved = 0, slack = 0, taut = 0, contacts = 0;
  for (int i = 0; i < 400; i++) {
    rl_scenario *s;
    rl_driver *d = random_driver(&s, 3, i % 3 == 0);
    problem q = dense_problem(d);
    if (enumerate(&q)) {
      double largest = 0.0;
      d->info.want_residual = true;
      rl_driver_step(d); // what is taken back at once may be more energy than there was
      check_below(d->info.residual, 1e-12);
      for (uint32_t m = 0; m < q.count; m++) {
        largest = fmax(largest, fabs(q.p[m]));
        slack += q.p[m] == 0.0;
        taut += q.p[m] != 0.0;
      }
      for (uint32_t m = 0; m < q.count; m++) {
        check_near(d->dt * d->state->multipliers[m], q.p[m], 1e-9 * largest + 1e-12);
      }
      contacts += q.count > d->model->link_count;
      solved++;
    }
    free_problem(&q);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
  // The test is one: nearly all problems have a solution by elimination, of all kinds of rows.
  assert_in_range(solved, 380, 400);
  assert_in_range(slack, 300, 5000);
  assert_in_range(taut, 300, 5000);
  assert_in_range(contacts, 50, 400);
}

#ifdef ROPELAB_SICONOS
// Lemke's method of another library on larger problems: w = A z - b >= 0, z >= 0.
static void agrees_with_siconos(void **unused) {
  (void)unused;
  for (int i = 0; i < 50; i++) {
    rl_scenario *s;
    rl_driver *d = random_driver(&s, 30, false);
    problem q = dense_problem(d);
    double a[MOST * MOST], b[MOST], z[MOST] = {0.0}, w[MOST] = {0.0}, largest = 0.0;
    for (uint32_t m = 0; m < q.count; m++) {
      b[m] = -q.b[m];
      for (uint32_t n = 0; n < q.count; n++) {
        a[m + n * q.count] = q.a[m][n];
      }
    }
    NumericsMatrix *matrix = NM_create_from_data(NM_DENSE, (int)q.count, (int)q.count, a);
    LinearComplementarityProblem lcp = {(int)q.count, matrix, b};
    SolverOptions *options = solver_options_create(SICONOS_LCP_LEMKE);
    assert_int_equal(linearComplementarity_driver(&lcp, z, w, options), 0);
    rl_driver_step(d);
    for (uint32_t m = 0; m < q.count; m++) {
      largest = fmax(largest, z[m]);
    }
    for (uint32_t m = 0; m < q.count; m++) {
      check_near(d->dt * d->state->multipliers[m], z[m], 1e-8 * largest);
    }
    solver_options_delete(options);
    matrix->matrix0 = NULL; // `a` is ours
    NM_free(matrix);
    free_problem(&q);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}
#endif

// One step from the state where the direct one is, with sweeps to 1e-13.
static void agrees_with_sweeps(void **unused) {
  (void)unused;
  static const char *const scenarios[] = {"hanging-chain", "double-atwood",   "swinging-atwood",
                                          "rope-on-floor", "triple-pendulum", "tumbling-box"};
  for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; i++) {
    rl_scenario *s = shipped_with(scenarios[i], NULL, 0);
    rl_driver *direct = driver_for(s, "impulse-direct", s->step);
    rl_driver *sweeps = driver_for(s, "impulse,iterations=1000000,tolerance=1e-13", s->step);
    for (int n = 0; n < 60; n++) {
      rl_driver_set_state(sweeps, direct->state);
      assert_int_equal(rl_driver_step(direct), RL_CONVERGED_TOLERANCE);
      assert_int_equal(rl_driver_step(sweeps), RL_CONVERGED_TOLERANCE);
      for (uint32_t k = 0; k < s->model->slot_count; k++) {
        check_below(rl_distance(direct->state->velocities[k], sweeps->state->velocities[k]), 1e-8);
      }
    }
    rl_driver_free(direct);
    rl_driver_free(sweeps);
    rl_scenario_free(s);
  }
}

// Every step leaves at most 1e-12 m, whatever the scene is made of.
static void check_residuals(rl_scenario *s, int steps, uint64_t iterations) {
  rl_driver *d = driver_for(s, "impulse-direct", s->step);
  d->info.want_residual = true;
  for (int n = 0; n < steps; n++) {
    assert_true(rl_driver_step(d) > 0);
    check_below(d->info.residual, 1e-12);
    check_below((double)d->info.iterations, (double)iterations);
  }
  rl_driver_free(d);
  rl_scenario_free(s);
}

static void long_chains_under_load(void **unused) {
  (void)unused;
  check_residuals(scenario_from("name: c\nduration: 1\nstep: 1e-5\n"
                                "bodies: {load: {mass: 10000, position: [0, -10, 0]}}\n"
                                "ropes: {chain: {from: {point: [0, 0, 0]}, to: {body: load},\n"
                                "  mass: 1, segments: 1000}}\n"),
                  20, 6);
}

static void bodies_that_share_ropes(void **unused) {
  (void)unused;
  check_residuals(
      scenario_from("name: b\nduration: 1\nstep: 2e-5\n"
                    "bodies:\n"
                    "  light: {mass: 1e-3, position: [0, -1, 0], inertia: [1e-5, 2e-5, 3e-5]}\n"
                    "  heavy: {mass: 1e3, position: [0, -2, 0]}\n"
                    "  other: {mass: 2, position: [1, -2, 0]}\n"
                    "ropes:\n"
                    "  a: {from: {point: [-1, 0, 0]}, to: {body: light, at: [-0.05, 0, 0]}}\n"
                    "  b: {from: {point: [1, 0, 0]}, to: {body: light, at: [0.05, 0, 0]}}\n"
                    "  c: {from: {body: light}, to: {body: heavy}}\n"
                    "  d: {from: {body: light, at: [0, -0.05, 0]}, to: {body: other}}\n"
                    "  e: {from: {body: other}, to: {body: heavy},\n"
                    "      over: [{body: light, at: [0, 0.05, 0]}]}\n"),
      200, 20);
}

// Of a million, up and down: two ropes that grip a wheel of 2 mg under weights of 2 kg, and a
// weight among ninety-nine of a kilogram.
static void mass_ratios_of_a_million(void **unused) {
  (void)unused;
  static const struct {
    const char *scene, *mass, *value;
  } cases[] = {{"two-ropes-one-body", "bodies.wheel.mass", "2e-6"},
               {"many-ropes", "bodies.weight50.mass", "1e-6"},
               {"many-ropes", "bodies.weight50.mass", "1e6"}};
  for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    const rl_override mass = {cases[i].mass, cases[i].value};
    rl_scenario *s = shipped_with(cases[i].scene, &mass, 1);
    check_residuals(s, 48, 3);
  }
}

// A net of three by three meshes whose threads repeat each other where they are straight.
static void nets(void **unused) {
  (void)unused;
  check_residuals(scenario_from("name: n\nduration: 1\nstep: 0.002\nropes:\n"
                                "  a: {from: {point: [0, 0, 0]}, to: {point: [1, 0, 0]}, mass: 0.1,"
                                " segments: 4, slack: 0.1}\n"
                                "  b: {from: {point: [0, 0, 1]}, to: {point: [1, 0, 1]}, mass: 0.1,"
                                " segments: 4, slack: 0.1}\n"
                                "  c: {from: {rope: a, node: 1}, to: {rope: b, node: 1}, mass: 0.1,"
                                " segments: 4}\n"
                                "  d: {from: {rope: a, node: 2}, to: {rope: b, node: 2}, mass: 0.1,"
                                " segments: 4}\n"
                                "  e: {from: {rope: c, node: 2}, to: {rope: d, node: 2}, mass: 0.1,"
                                " segments: 2}\n"
                                "  f: {from: {rope: c, node: 2}, to: {rope: d, node: 2}, mass: 0.1,"
                                " segments: 2}\n"),
                  300, 200);
}

// Two ropes side by side in a plane where nothing else acts: each row repeats the other. How they
// share the load is open; that they carry it is not.
static void ropes_that_repeat_each_other(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from("name: t\nduration: 1\nstep: 0.01\n"
                                 "bodies: {load: {mass: 3, position: [0, -1, 0]}}\n"
                                 "ropes:\n"
                                 "  a: {from: {point: [0, 0, 0]}, to: {body: load}}\n"
                                 "  b: {from: {point: [0, 0, 0]}, to: {body: load}}\n"
                                 "  c: {from: {point: [0, 0.5, 0]}, to: {body: load}}\n");
  rl_driver *d = driver_for(s, "impulse-direct", 0.01);
  d->info.want_residual = true;
  for (int n = 0; n < 100; n++) {
    assert_true(rl_driver_step(d) > 0);
    check_below(d->info.residual, 1e-12);
    check_near(probe(d, "a.tension") + probe(d, "b.tension") + probe(d, "c.tension"), 3.0 * 9.81,
               1e-8);
  }
  rl_driver_free(d);
  rl_scenario_free(s);
}

// Between fixed ends that are too far apart by 1e-6 m no velocity satisfies both rows. They are
// solved softly then: the node stays where it is, and no step blows up.
static void rows_that_contradict_each_other(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from("name: t\nduration: 1\nstep: 0.01\ngravity: [0, 0, 0]\n"
                                 "ropes: {r: {from: {point: [0, 0, 0]}, to: {point: [1, 0, 0]},\n"
                                 "  mass: 1, segments: 4}}\n");
  rl_driver *d = driver_for(s, "impulse-direct", 0.01);
  for (uint32_t k = 0; k < 4; k++) {
    d->state->links[k].rest -= 2.5e-7;
  }
  for (int n = 0; n < 20; n++) {
    assert_true(rl_driver_step(d) > 0);
    check_below(probe(d, "r.tension"), 1.0);
    check_near(probe(d, "r.node.2.x"), 0.5, 1e-9);
  }
  rl_driver_free(d);
  rl_scenario_free(s);
}

// Catto's stack needs 3R + 2 sweeps for 5 %; here it is one solve, and from a ratio of some tens
// on, where D = 1e-12 is felt, one more that takes it out.
static void catto_needs_one_solve(void **unused) {
  (void)unused;
  for (double r = 1.0; r <= 1e6; r *= 10.0) {
    rl_scenario *s = scenario_from("name: stack\nduration: 1\nstep: 0.01\n"
                                   "bodies:\n"
                                   "  light: {mass: 1, position: [0, -1, 0]}\n"
                                   "  heavy: {mass: %g, position: [0, -2, 0]}\n"
                                   "ropes:\n"
                                   "  upper: {from: {point: [0, 0, 0]}, to: {body: light}}\n"
                                   "  lower: {from: {body: light}, to: {body: heavy}}\n",
                                   r);
    rl_driver *d = driver_for(s, "impulse-direct", 1.0 / 60.0);
    assert_int_equal(rl_driver_step(d), RL_CONVERGED_TOLERANCE);
    check_below((double)d->info.iterations, r < 20.0 ? 1.0 : 2.0);
    check_relative(probe(d, "upper.tension"), (1.0 + r) * 9.81, 1e-9);
    check_relative(probe(d, "lower.tension"), r * 9.81, 1e-9);
    rl_driver_free(d);
    rl_scenario_free(s);
  }
}

// A chain that is thrown about goes slack and taut in parts; what does not act from outside keeps
// its momentum, and rows that act keep changing.
static void slack_and_taut_in_turn(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from("name: w\ngravity: [0, 0, 0]\nduration: 1\nstep: 0.002\n"
                                 "bodies:\n"
                                 "  a: {mass: 3, position: [0, 0, 0], velocity: [1, 2, 0]}\n"
                                 "  b: {mass: 0.01, position: [1, 0, 0], velocity: [-2, 3, 1]}\n"
                                 "ropes: {r: {from: {body: a}, to: {body: b}, mass: 0.5,\n"
                                 "  segments: 12, slack: 0.2, velocity: [0.3, -1, 0.5]}}\n");
  rl_driver *d = driver_for(s, "impulse-direct", 0.002);
  const rl_metrics start = rl_metrics_of(d);
  int changes = 0;
  bool taut[12] = {false};
  d->info.want_residual = true;
  for (int n = 0; n < 1000; n++) {
    free_step(d, &start, 1e-11);
    check_below(d->info.residual, 1e-12);
    for (uint32_t k = 0; k < 12; k++) {
      changes += taut[k] != (d->state->multipliers[k] > 0.0);
      taut[k] = d->state->multipliers[k] > 0.0;
    }
  }
  assert_in_range(changes, 30, 12000);
  rl_driver_free(d);
  rl_scenario_free(s);
}

// Steps of a shipped scenario that end within the tolerance, rows and friction. None may have made
// more energy than `gain` [J].
static int steps_to_tolerance(const char *name, const char *spec, int steps, double gain) {
  rl_scenario *s = shipped_with(name, NULL, 0);
  rl_driver *d = driver_for(s, spec, s->step);
  int settled = 0;
  for (int n = 0; n < steps; n++) {
    assert_true(rl_driver_step(d) > 0);
    check_below(rl_driver_energy_error(d), gain);
    settled += d->info.reason == RL_CONVERGED_TOLERANCE;
  }
  rl_driver_free(d);
  rl_scenario_free(s);
  return settled;
}

// Where sticking and slipping go to and fro between sets, contacts that give way less and less lead
// to the solution.
static void friction_that_is_hard_to_settle(void **unused) {
  (void)unused;
  // All of them, as a rule; rounding elsewhere has left one. Without stages it is 210.
  assert_in_range(steps_to_tolerance("drape-capsule", "impulse-direct", 240, 0.01), 237, 240);
  assert_int_equal(steps_to_tolerance("drape-hull", "impulse-direct", 160, 0.25), 160);
  assert_int_equal(steps_to_tolerance("rolling-drum", "impulse-direct", 40, 0.01), 40);
  assert_in_range(steps_to_tolerance("rolling-drum", "impulse-direct,continuation=0", 8, 0.01), 0,
                  7);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(agrees_with_all_sets_tried),
#ifdef ROPELAB_SICONOS
      cmocka_unit_test(agrees_with_siconos),
#endif
      cmocka_unit_test(agrees_with_sweeps),
      cmocka_unit_test(long_chains_under_load),
      cmocka_unit_test(bodies_that_share_ropes),
      cmocka_unit_test(mass_ratios_of_a_million),
      cmocka_unit_test(nets),
      cmocka_unit_test(ropes_that_repeat_each_other),
      cmocka_unit_test(rows_that_contradict_each_other),
      cmocka_unit_test(catto_needs_one_solve),
      cmocka_unit_test(slack_and_taut_in_turn),
      cmocka_unit_test(friction_that_is_hard_to_settle),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
