// SPDX-License-Identifier: GPL-3.0-or-later
#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void check_near_at(double observed, double expected, double tolerance, const char *what,
                   const char *file, int line) {
  if (!(fabs(observed - expected) <= tolerance)) {
    print_error("%s: observed %.17g, expected %.17g within %.3g (off by %.3g)\n", what, observed,
                expected, tolerance, observed - expected);
    _fail(file, line);
  }
}

void check_below_at(double observed, double limit, const char *what, const char *file, int line) {
  if (!(observed <= limit)) {
    print_error("%s: observed %.17g, expected at most %.17g\n", what, observed, limit);
    _fail(file, line);
  }
}

// A scenario from text, or NULL and why.
static rl_scenario *read_text(rl_diagnostic *diagnostic, const char *format, va_list arguments) {
  static char text[1 << 16];
  const int length = vsnprintf(text, sizeof text, format, arguments);
  assert_true(length > 0 && (size_t)length < sizeof text);
  return rl_scenario_from_text(text, (size_t)length, "test", NULL, 0, diagnostic);
}

rl_scenario *scenario_from(const char *format, ...) {
  rl_diagnostic diagnostic;
  va_list arguments;
  va_start(arguments, format);
  rl_scenario *scenario = read_text(&diagnostic, format, arguments);
  va_end(arguments);
  if (!scenario) {
    rl_diagnostic_print(stderr, "test", &diagnostic);
    fail();
  }
  return scenario;
}

void check_refused(const char *reason, const char *format, ...) {
  rl_diagnostic diagnostic;
  va_list arguments;
  va_start(arguments, format);
  rl_scenario *scenario = read_text(&diagnostic, format, arguments);
  va_end(arguments);
  if (scenario || !strstr(diagnostic.message, reason)) {
    print_error("observed '%s', expected '%s' in it\n", scenario ? "accepted" : diagnostic.message,
                reason);
    fail();
  }
}

rl_solver_spec spec_of(const char *text) {
  rl_solver_spec spec;
  char message[512];
  if (!rl_solver_spec_parse(text, &spec, message, sizeof message)) {
    print_error("%s: %s\n", text, message);
    fail();
  }
  return spec;
}

rl_driver *driver_for(const rl_scenario *scenario, const char *spec, double dt) {
  const rl_solver_spec solver = spec_of(spec);
  rl_driver *driver = rl_driver_create(scenario->model, solver.type, solver.parameters, dt);
  assert_non_null(driver);
  return driver;
}

bool survives_steps(rl_scenario *scenario, const char *spec, double dt, int steps) {
  rl_driver *d = driver_for(scenario, spec, dt);
  rl_reason reason = RL_RUNNING;
  for (int n = 0; n < steps && reason >= 0; n++) {
    reason = rl_driver_step(d);
  }
  rl_driver_free(d);
  rl_scenario_free(scenario);
  return reason > 0;
}

void step_checked(rl_driver *driver) {
  assert_true(rl_driver_step(driver) > 0);
  check_elements(driver);
}

void take_steps(rl_driver *driver, int count) {
  for (int n = 0; n < count; n++) {
    assert_true(rl_driver_step(driver) > 0);
  }
}

void run_until(rl_driver *driver, double time) {
  const uint64_t steps = (uint64_t)floor(time / driver->dt + 0.5);
  while (driver->state->step < steps) {
    assert_true(rl_driver_step(driver) > 0);
  }
}

double places_apart(const rl_driver *a, const rl_driver *b) {
  double largest = 0.0;
  for (uint32_t i = 0; i < a->model->place_count; i++) {
    largest = rl_larger(
        largest, rl_distance(rl_position(&a->state->points[i]), rl_position(&b->state->points[i])));
  }
  return largest;
}

rl_metrics free_step(rl_driver *driver, const rl_metrics *start, double angular) {
  if (!(rl_driver_step(driver) > 0)) {
    print_error("%s at %.6g s: %s\n", driver->type->name, driver->state->time,
                rl_reason_name(driver->info.reason));
    fail();
  }
  const rl_metrics now = rl_metrics_of(driver);
  const double lost = rl_distance(now.momentum.linear, start->momentum.linear);
  if (!(lost < 1e-12 * now.momentum_scale)) {
    print_error("%s, momentum after %.6g s:\n", driver->type->name, driver->state->time);
  }
  check_below(lost, 1e-12 * now.momentum_scale);
  if (angular < INFINITY) {
    check_below(rl_distance(now.momentum.angular, start->momentum.angular),
                angular * rl_length(start->momentum.angular));
  }
  return now;
}

void check_missing(const char *solver, const char *scenario, uint32_t capabilities) {
  rl_scenario *s = shipped_with(scenario, NULL, 0);
  assert_int_equal(rl_driver_missing(s->model, rl_solver_find(solver)), capabilities);
  rl_scenario_free(s);
}

bool check_left_out(const rl_model *model, const rl_solver_type *type, uint32_t allowed) {
  const uint32_t missing = rl_driver_missing(model, type);
  if (missing && !(missing & allowed)) {
    print_error("%s is refused for want of %s\n", type->name,
                rl_capability_name(missing & -missing));
    fail();
  }
  return missing != 0;
}

void check_free_second(rl_scenario *scenario, uint32_t allowed, const char *without) {
  assert_true(rl_model_keeps_momentum(scenario->model));
  for (size_t k = 0; rl_solvers[k]; k++) {
    if (check_left_out(scenario->model, rl_solvers[k], allowed) ||
        (without && strcmp(rl_solvers[k]->name, without) == 0)) {
      continue;
    }
    rl_driver *d = driver_for(scenario, rl_solvers[k]->name, 1.0 / 240.0);
    const rl_metrics start = rl_metrics_of(d);
    for (int n = 0; n < 240; n++) {
      check_below(free_step(d, &start, INFINITY).stretch_max, 0.02);
    }
    rl_driver_free(d);
  }
  rl_scenario_free(scenario);
}

rl_model *model_with(rl_part_definition part, rl_vec3 position, rl_vec3 rotation) {
  rl_body_definition body = rl_body_defaults();
  body.motion = RL_FIXED;
  body.position = position;
  body.rotation = rotation;
  body.part_count = 1;
  body.parts = &part;
  const rl_definition definition = {.body_count = 1, .bodies = &body};
  rl_fault fault;
  rl_model *model = rl_model_create(&definition, &fault);
  if (!model) {
    print_error("refused: %s\n", fault.message);
    fail();
  }
  return model;
}

double next_random(uint64_t *seed) {
  *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (double)(*seed >> 11) / 9007199254740992.0;
}

double between(uint64_t *seed, double low, double high) {
  return low + (high - low) * next_random(seed);
}

rl_vec3 random_in_cube(uint64_t *seed, double half) {
  const double x = between(seed, -half, half), y = between(seed, -half, half);
  return rl_vec(x, y, between(seed, -half, half));
}

rl_vec3 random_direction(uint64_t *seed) {
  for (;;) {
    const rl_vec3 v = random_in_cube(seed, 1.0);
    if (rl_length(v) > 0.1 && rl_length(v) < 1.0) {
      return rl_unit(v);
    }
  }
}

static double probe_in(const rl_model *model, const rl_state *state, const char *name) {
  rl_probe parsed;
  char message[512];
  if (rl_probe_parse(model, name, &parsed, message, sizeof message) != RL_PROBE_OK) {
    print_error("%s: %s\n", name, message);
    fail();
  }
  return rl_probe_value(model, state, parsed);
}

double probe(const rl_driver *driver, const char *name) {
  return probe_in(driver->model, driver->state, name);
}

double probe_of(const rl_scenario *scenario, const rl_state *state, const char *name) {
  return probe_in(scenario->model, state, name);
}

rl_state *exact_state(const rl_scenario *s, double t) {
  char message[256];
  void *self = calloc(1, s->exact->size);
  rl_state *state = rl_state_create(s->model);
  assert_true(s->exact->init(self, s->model, s->exact_arguments, message, sizeof message));
  const bool known = s->exact->at(self, s->model, t, state);
  free(self);
  if (!known) {
    rl_state_free(state);
    return NULL;
  }
  return state;
}

double exact_mean(const rl_scenario *s, double from, double to, const char *name) {
  char message[256];
  void *self = calloc(1, s->exact->size);
  rl_state *state = rl_state_create(s->model);
  assert_true(s->exact->init(self, s->model, s->exact_arguments, message, sizeof message));
  s->exact->mean(self, s->model, from, to, state);
  const double pull = probe_of(s, state, name);
  rl_state_free(state);
  free(self);
  return pull;
}

const char *shipped(const char *name) {
  static char path[1024];
  snprintf(path, sizeof path, "%s/scenarios/%s.yaml", ROPELAB_DATA, name);
  return path;
}

rl_scenario *shipped_with(const char *name, const rl_override *overrides, size_t count) {
  rl_diagnostic diagnostic;
  rl_scenario *s = rl_scenario_from_file(shipped(name), overrides, count, &diagnostic);
  if (!s) {
    rl_diagnostic_print(stderr, name, &diagnostic);
    fail();
  }
  return s;
}

static double *coordinate(rl_point *point, int axis) {
  double *const all[3] = {&point->x, &point->y, &point->z};
  return all[axis];
}

static double component(rl_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

static double value_at(rl_driver *d, rl_row *row) {
  rl_row_evaluate(d->model, d->state, d->rows, row, d->state->points);
  return row->value;
}

void check_row_gradient(rl_driver *d, rl_row *row, double tolerance) {
  const double step = 1e-6;
  double inverse_mass = 0.0;
  for (uint32_t slot = 0; slot < d->model->slot_count; slot++) {
    for (int axis = 0; axis < 3; axis++) {
      double *x = coordinate(&d->state->points[slot], axis);
      const double at = *x;
      *x = at + step;
      const double after = value_at(d, row);
      *x = at - step;
      const double before = value_at(d, row);
      *x = at;
      value_at(d, row);
      double gradient = 0.0;
      for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
        const rl_entry *e = &d->rows->entries[i];
        gradient += e->slot == slot ? component(e->gradient, axis) : 0.0;
      }
      check_near(gradient, (after - before) / (2.0 * step), tolerance);
      inverse_mass += d->state->points[slot].w * gradient * gradient;
    }
  }
  check_near(row->inverse_mass, inverse_mass, 1e-13);
}
