// SPDX-License-Identifier: GPL-3.0-or-later
#include "reproduce.h"

#include "runs/run.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SCENE_MAX = 1 << 16, FAILED = 1 };

_Noreturn void rl_trial_fail(rl_trial *trial, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(trial->message, RL_TRIAL_MESSAGE, format, arguments);
  va_end(arguments);
  if (trial->points) {
    rl_new_file_discard(trial->points);
  }
  _exit(FAILED); // ends only the process of the experiment
}

void rl_trial_point(rl_trial *trial, const char *curve, double x, double y) {
  if (trial->points) {
    fprintf(trial->points->out, "\"%s\",%.17g,%.17g\n", curve, x, y);
  }
}

rl_solver_spec rl_trial_solver(rl_trial *trial, const char *text) {
  rl_solver_spec spec;
  char message[RL_TRIAL_MESSAGE];
  if (!rl_solver_spec_parse(text, &spec, message, sizeof message)) {
    rl_trial_fail(trial, "%s: %s", text, message);
  }
  return spec;
}

static rl_setup with_solver(rl_trial *trial, rl_scenario *scenario, const char *solver,
                            double step) {
  const rl_solver_spec spec = rl_trial_solver(trial, solver);
  const uint32_t missing = rl_driver_missing(scenario->model, spec.type);
  if (missing) {
    rl_trial_fail(trial, "%s cannot do %s", solver, rl_capability_name(missing & -missing));
  }
  rl_setup setup = {scenario, rl_run_driver(scenario, &spec, step > 0.0 ? step : scenario->step)};
  if (!setup.driver) {
    rl_trial_fail(trial, "out of memory");
  }
  return setup;
}

rl_setup rl_setup_scene(rl_trial *trial, const char *solver, double step, const char *format, ...) {
  static char text[SCENE_MAX];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (length < 0 || length >= (int)sizeof text) {
    rl_trial_fail(trial, "the text of the scenario is too long");
  }
  rl_diagnostic diagnostic;
  rl_scenario *scenario =
      rl_scenario_from_text(text, (size_t)length, "scene", NULL, 0, &diagnostic);
  if (!scenario) {
    rl_trial_fail(trial, "line %zu: %s", diagnostic.line, diagnostic.message);
  }
  return with_solver(trial, scenario, solver, step);
}

rl_setup rl_setup_shipped(rl_trial *trial, const char *solver, double step, const char *name,
                          const rl_override *overrides, size_t override_count) {
  char file[RL_PATH_MAX], path[RL_PATH_MAX];
  rl_diagnostic diagnostic = {.message = "the name is too long"};
  rl_scenario *scenario = NULL;
  if (snprintf(file, sizeof file, "scenarios/%s.yaml", name) < (int)sizeof file &&
      rl_data_path(path, file)) {
    scenario = rl_scenario_from_file(path, overrides, override_count, &diagnostic);
  }
  if (!scenario) {
    rl_trial_fail(trial, "%s, line %zu: %s", name, diagnostic.line, diagnostic.message);
  }
  return with_solver(trial, scenario, solver, step);
}

void rl_setup_close(rl_setup *setup) {
  rl_driver_free(setup->driver);
  rl_scenario_free(setup->scenario);
  *setup = (rl_setup){0};
}

void rl_setup_run(rl_trial *trial, rl_setup *setup, int steps) {
  for (int n = 0; n < steps; n++) {
    const rl_reason reason = rl_driver_step(setup->driver);
    if (rl_run_interrupted()) {
      rl_trial_fail(trial, "interrupted");
    }
    if (reason < 0) {
      rl_trial_fail(trial, "%s on %s, step %d: %s", setup->driver->type->name,
                    setup->scenario->name, n + 1, rl_reason_name(reason));
    }
  }
}

double rl_setup_probe(rl_trial *trial, const rl_setup *setup, const char *name, ...) {
  char text[128];
  va_list arguments;
  va_start(arguments, name);
  vsnprintf(text, sizeof text, name, arguments);
  va_end(arguments);
  rl_probe probe;
  char message[RL_TRIAL_MESSAGE];
  if (rl_probe_parse(setup->scenario->model, text, &probe, message, sizeof message) !=
      RL_PROBE_OK) {
    rl_trial_fail(trial, "%s", message);
  }
  return rl_probe_value(setup->scenario->model, setup->driver->state, probe);
}

double rl_slope(const double *x, const double *y, size_t count) {
  double sx = 0.0, sy = 0.0, sxx = 0.0, sxy = 0.0;
  for (size_t i = 0; i < count; i++) {
    sx += x[i], sy += y[i], sxx += x[i] * x[i], sxy += x[i] * y[i];
  }
  const double n = (double)count;
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}
