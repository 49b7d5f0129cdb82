// SPDX-License-Identifier: GPL-3.0-or-later
// What every solver has to keep on every scenario, whatever its method.
#include "allocations.h"
#include "check.h"

#include "options.h"
#include "runs/divergence.h"
#include "runs/solver_spec.h"
#include "runs/timing.h"

#include <gsl/gsl_errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { LEAST = 10, TRACE = 1000 };
#ifdef __SANITIZE_ADDRESS__ // where a step takes five times as long: the numbers are the same
enum { STEPS = 30, EVALUATIONS = 5000 };
#else
enum { STEPS = 80, EVALUATIONS = 20000 };
#endif

// One step of an adaptive method is many.
static int step_count(const rl_solver_type *type) { return type->is_adaptive ? STEPS / 10 : STEPS; }

// Some steps of a run that makes `steps`, fewer where each is much work: until so many rows are
// evaluated.
static int make_steps(rl_driver *d, int steps, void (*after)(const rl_driver *)) {
  const int least = d->type->is_adaptive ? 1 : LEAST;
  uint64_t work = 0;
  int n = 0;
  for (; n < steps && d->info.reason >= 0 && (n < least || work < EVALUATIONS); n++) {
    rl_driver_step(d);
    work += d->info.row_evaluations;
    if (after) {
      after(d);
    }
  }
  return n;
}

typedef void (*cell_test)(const rl_scenario *scenario, const rl_solver_type *type);

// The cell under test, for what is said of a failure.
static const char *scenario_name, *solver_name;

// Fails the test unless the solver keeps a rule on the scenario.
static void keeps(bool is_kept, const char *rule) {
  if (!is_kept) {
    print_error("%s, %s: expected: %s\n", scenario_name, solver_name, rule);
    fail();
  }
}

// Runs a test for every shipped scenario and every solver that can run it.
static void for_each_cell(cell_test test) {
  size_t count = 0;
  char **names = rl_shipped_names(&rl_shipped_scenarios, &count);
  assert_true(count >= 10);
  for (size_t i = 0; i < count; i++) {
    rl_diagnostic diagnostic;
    rl_scenario *s = rl_scenario_from_file(shipped(names[i]), NULL, 0, &diagnostic);
    if (!s) {
      rl_diagnostic_print(stderr, names[i], &diagnostic);
      fail();
    }
    assert_string_equal(s->name, names[i]);
    for (size_t k = 0; rl_solvers[k]; k++) {
      if (rl_driver_missing(s->model, rl_solvers[k]) == 0) {
        scenario_name = s->name;
        solver_name = rl_solvers[k]->name;
        test(s, rl_solvers[k]);
      }
    }
    rl_scenario_free(s);
  }
  rl_names_free(names, count);
}

// What is fixed has not moved.
static void fixed_stays(const rl_scenario *s, const rl_state *state) {
  for (uint32_t i = 0; i < s->model->slot_count; i++) {
    const rl_point a = s->model->points[i];
    const rl_point b = state->points[i];
    const rl_body *body = rl_slot_body(s->model, i);
    const bool is_fixed =
        body ? body->motion == RL_FIXED : a.w == 0.0 && !rl_moving_hold(s->model, i);
    if (is_fixed && b.w == 0.0) { // a spare node that a rope has taken moves
      keeps(a.x == b.x && a.y == b.y && a.z == b.z, "what is fixed stays where it is");
    }
  }
}

// Tensions and normal forces never push, unless the method says that its elements do.
static void ropes_pull(const rl_driver *d) {
  const bool pushes = rl_solver_departures(d->type) & RL_PUSHES;
  const rl_model *m = d->model;
  for (size_t i = 0; i < rl_unknown_count(m, d->state); i++) {
    const bool rod = i < m->link_count && (pushes || m->ropes[m->link_rope[i]].compression);
    keeps(rod || d->state->multipliers[i] >= 0.0,
          "multipliers >= 0, unless a departure of the kind RL_PUSHES is listed");
  }
}

// The same input gives the same bits, from a fresh start, and watching residuals changes nothing.
// Init on used memory gives the same as on fresh memory, and so does a start from a copied state.
// On the way ropes pull, what is fixed stays, and nothing is allocated.
static void repeats(const rl_scenario *s, const rl_solver_type *type) {
  double trace[TRACE];
  rl_driver *d = rl_driver_create(s->model, type, NULL, s->step);
  rl_driver *other = rl_driver_create(s->model, type, NULL, s->step);
  assert_true(d && other);
  other->info.trace = trace;
  other->info.trace_capacity = TRACE;
  const int before = allocations;
  assert_true(before > 0); // they are counted
  const int made = make_steps(d, step_count(type), ropes_pull);
  make_steps(other, step_count(type), NULL);
  keeps(allocations == before, "a step allocates nothing");
  keeps(rl_state_hash(d->state) == rl_state_hash(other->state),
        "the same bits from the same start, also where residuals are traced");
  fixed_stays(s, d->state);
  rl_driver_step(other); // it has a past of its own
  rl_driver_set_state(other, d->state);
  type->init(d->memory, d->model, d->parameters);
  for (int n = 0; n < (made + 3) / 4; n++) {
    rl_driver_step(d);
    rl_driver_step(other);
  }
  keeps(rl_state_hash(d->state) == rl_state_hash(other->state),
        "the same bits after init as after sync, from the same state");
  rl_driver_free(d);
  rl_driver_free(other);
}

static void every_cell_repeats(void **unused) {
  (void)unused;
  for_each_cell(repeats);
}

static void notices_nan(const rl_scenario *s, const rl_solver_type *type) {
  rl_driver *d = rl_driver_create(s->model, type, NULL, s->step);
  uint32_t slot = 0;
  while (d->state->points[slot].w == 0.0) {
    slot++;
  }
  d->state->velocities[slot].y = NAN;
  keeps(rl_driver_step(d) < 0, "a velocity that is nan is a divergence");
  rl_driver_free(d);
}

static void nan_is_never_success(void **unused) {
  (void)unused;
  for_each_cell(notices_nan);
}

static void traces(const rl_scenario *s, const rl_solver_type *type) {
  double trace[TRACE];
  rl_driver *d = rl_driver_create(s->model, type, NULL, s->step);
  const bool iterates = rl_parameter_find(type, "iterations") >= 0;
  d->info.want_residual = true;
  rl_driver_step(d);
  const double residual = d->info.residual;
  rl_driver_free(d);
  d = rl_driver_create(s->model, type, NULL, s->step);
  d->info.trace = trace;
  d->info.trace_capacity = TRACE;
  rl_driver_step(d);
  const size_t count = d->info.trace_count;
  keeps(d->info.iterations >= 1, "info->iterations >= 1");
  keeps(d->info.row_evaluations > 0, "info->row_evaluations > 0");
  keeps(count == d->info.iterations || (count == 1 && !iterates),
        "rl_trace after each iteration; or once a step, unless a parameter is called iterations");
  keeps(trace[count - 1] == residual, "the last residual of a trace is the residual of the step");
  rl_driver_free(d);
}

static void traces_have_a_residual_per_iteration(void **unused) {
  (void)unused;
  for_each_cell(traces);
}

// Runs a cell with a step [s] for the scenario's duration, for a time [s], and says whether it blew
// up: it diverged, or gained what would stop all but the methods that keep the faults of what they
// rebuild.
static bool blows_up(const rl_scenario *s, const rl_solver_type *type, double step, double limit) {
  rl_driver *d = rl_driver_create(s->model, type, NULL, step);
  const double start = rl_seconds_used();
  const uint64_t steps = (uint64_t)fmax(1.0, round(s->duration / step));
  bool blown = false;
  while (!blown && d->state->step < steps && rl_seconds_used() < start + limit &&
         rl_driver_step(d) != RL_STOPPED) {
    blown = d->info.reason < 0 ||
            rl_driver_energy_error(d) > d->gain_limit + d->most_fall + d->most_work;
  }
  rl_driver_free(d);
  return blown;
}

static void blows_up_as_is_said(const rl_scenario *s, const rl_solver_type *type) {
  if (rl_divergence_of(s->name, type->name) && !blows_up(s, type, s->step, INFINITY)) {
    print_error("%s, %s: observed no divergence, expected one\n", s->name, type->name);
    fail();
  }
}

static void what_is_said_to_diverge_does(void **unused) {
  (void)unused;
  for_each_cell(blows_up_as_is_said);
}

// The first seconds of processor time of every other cell (`long`).
static void goes_on_as_is_said(const rl_scenario *s, const rl_solver_type *type) {
  if (!rl_divergence_of(s->name, type->name) && blows_up(s, type, s->step, 5.0)) {
    print_error("%s, %s: observed a divergence, expected none\n", s->name, type->name);
    fail();
  }
}

static void nothing_else_diverges(void **unused) {
  (void)unused;
  for_each_cell(goes_on_as_is_said);
}

// With the step that is said to be small enough a cell runs to its end (`long`).
static void runs_as_is_said(const rl_scenario *s, const rl_solver_type *type) {
  const rl_divergence *known = rl_divergence_of(s->name, type->name);
  if (known && known->rate > 0.0 && blows_up(s, type, 1.0 / known->rate, INFINITY)) {
    print_error("%s, %s: observed a divergence at 1/%g s, expected none\n", s->name, type->name,
                known->rate);
    fail();
  }
}

static void smaller_steps_do_not_diverge(void **unused) {
  (void)unused;
  for_each_cell(runs_as_is_said);
}

// Both ends of every parameter's range are accepted and run, outside is refused.
static void parameters_keep_their_ranges(void **unused) {
  (void)unused;
  for (size_t i = 0; rl_solvers[i]; i++) {
    const rl_solver_type *type = rl_solvers[i];
    assert_true(type->parameter_count <= RL_PARAMETERS_MAX);
    assert_ptr_equal(rl_solver_find(type->name), type);
    for (size_t k = 0; k < type->parameter_count; k++) {
      const rl_parameter *p = &type->parameters[k];
      assert_true(p->initial >= p->lower && p->initial <= p->upper);
      if (p->kind == RL_CHOICE || p->kind == RL_BOOLEAN) {
        continue;
      }
      const double values[] = {p->lower, p->upper, p->lower - 1.0, 2.0 * p->upper + 1.0};
      for (int v = 0; v < 4; v++) {
        char spec[256], message[512];
        rl_solver_spec parsed;
        snprintf(spec, sizeof spec, "%s,%s=%.17g", type->name, p->name, values[v]);
        const bool accepted = rl_solver_spec_parse(spec, &parsed, message, sizeof message);
        if (accepted != (v < 2)) {
          print_error("%s: observed %s, expected the opposite\n", spec,
                      accepted ? "accepted" : message);
          fail();
        }
      }
    }
  }
}

// A model that needs what a solver lacks is known before anything runs.
static void unsupported_is_said(void **unused) {
  (void)unused;
  rl_scenario *s = scenario_from("name: e\nduration: 1\nstep: 0.01\n"
                                 "ropes: {r: {from: {point: [0, 0, 0]}, to: {free: [0, -1, 0]},"
                                 " mass: 1, segments: 3, stiffness: 10}}\n");
  for (size_t i = 0; rl_solvers[i]; i++) {
    const bool elastic = rl_solvers[i]->capabilities & RL_CAN_ELASTIC;
    assert_true((rl_driver_missing(s->model, rl_solvers[i]) == RL_CAN_ELASTIC) == !elastic);
  }
  assert_true(strlen(rl_capability_name(RL_CAN_ELASTIC)) > 0);
  rl_scenario_free(s);
}

int main(int argc, char **argv) {
  gsl_set_error_handler_off();
  if (argc > 1 && strcmp(argv[1], "long") == 0) {
    const struct CMUnitTest all[] = {cmocka_unit_test(smaller_steps_do_not_diverge),
                                     cmocka_unit_test(nothing_else_diverges)};
    return cmocka_run_group_tests(all, NULL, NULL);
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_cell_repeats),
      cmocka_unit_test(nan_is_never_success),
      cmocka_unit_test(traces_have_a_residual_per_iteration),
      cmocka_unit_test(what_is_said_to_diverge_does),
      cmocka_unit_test(parameters_keep_their_ranges),
      cmocka_unit_test(unsupported_is_said),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
