// SPDX-License-Identifier: GPL-3.0-or-later
// Text -> scenario. A fault has a message, and a place inside the text if it has any. A scenario
// that is read can be printed as JSON, which is the same scenario again, and every solver can try
// some steps on it.
#include "fuzz.h"

#include "available_memory.h"
#include "results/scenario_json.h"
#include "scenario.h"
#include "world/driver.h"

#include <gsl/gsl_errno.h>
#include <string.h>

// In place of the machine's: what is larger takes too long here.
size_t rl_available_memory(void) { return (size_t)4 << 20; }

enum { STEPPED_LINKS = 64 };

// `source` simulates seconds before its first step, `nehe` has substeps of 2 ms.
static const double shortest_step = 1e-3, longest_step = 1.0;

static void check_fault(const rl_diagnostic *d, const uint8_t *data, size_t size) {
  size_t lines = 1;
  for (size_t i = 0; i < size; i++) {
    // YAML ends lines with \n, \r, and three characters of Unicode.
    lines +=
        data[i] == '\n' || data[i] == '\r' || data[i] == 0x85 || data[i] == 0xA8 || data[i] == 0xA9;
  }
  FUZZ_REQUIRE(*d->message, "no message");
  FUZZ_REQUIRE(d->line <= lines && (d->line == 0) == (d->column == 0), "%zu:%zu: %s", d->line,
               d->column, d->message);
  static FILE *nowhere = NULL;
  nowhere = nowhere ? nowhere : fopen("/dev/null", "w");
  FUZZ_REQUIRE(nowhere, "no /dev/null");
  rl_diagnostic_print(nowhere, "fuzz", d);
}

static void check_round_trip(const rl_scenario *scenario) {
  json_t *json = rl_scenario_to_json(scenario);
  FUZZ_REQUIRE(json, "no JSON");
  char *text = json_dumps(json, JSON_INDENT(2) | JSON_REAL_PRECISION(17));
  rl_diagnostic d;
  rl_scenario *again = rl_scenario_from_text(text, strlen(text), "again", NULL, 0, &d);
  FUZZ_REQUIRE(again, "%zu:%zu: %s\n%s", d.line, d.column, d.message, text);
  json_t *json_again = rl_scenario_to_json(again);
  FUZZ_REQUIRE(json_equal(json, json_again), "%s", text);
  rl_scenario_free(again);
  json_decref(json_again);
  json_decref(json);
  free(text);
}

static void try_exact(const rl_scenario *scenario) {
  const rl_exact_type *type = scenario->exact;
  void *memory = calloc(1, type->size);
  rl_state *state = rl_state_create(scenario->model);
  char message[256] = "";
  FUZZ_REQUIRE(memory && state, "out of memory");
  FUZZ_REQUIRE(
      type->init(memory, scenario->model, scenario->exact_arguments, message, sizeof message),
      "refused after it was accepted: %s", message);
  for (int i = 0; i <= 2; i++) {
    if (type->at(memory, scenario->model, 0.5 * i * scenario->duration, state)) {
      FUZZ_REQUIRE(rl_state_finite(scenario->model, state), "a known state that is not finite");
    }
  }
  rl_state_free(state);
  free(memory);
}

static void draw(const rl_driver *driver) {
  rl_vec3 points[16];
  for (uint32_t i = 0; driver->type->draw && i < driver->model->rope_count; i++) {
    driver->type->draw(driver->memory, driver->model, driver->state, i, 0.0, points, 16);
  }
}

static void take_steps(const rl_scenario *scenario, const rl_solver_type *type) {
  if (rl_driver_missing(scenario->model, type) == 0) {
    const double step = fmin(fmax(scenario->step, shortest_step), longest_step);
    rl_driver *driver = rl_driver_create(scenario->model, type, NULL, step);
    FUZZ_REQUIRE(driver, "out of memory");
    driver->info.want_residual = true;
    for (int i = 0; i < 3 && rl_driver_step(driver) > 0; i++) {
    }
    draw(driver);
    for (size_t i = 0; i < scenario->probe_count; i++) {
      (void)rl_probe_value(scenario->model, driver->state, scenario->probes[i]);
    }
    rl_driver_free(driver);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  gsl_set_error_handler_off();
  rl_diagnostic d;
  rl_scenario *scenario = rl_scenario_from_text((const char *)data, size, "fuzz.yaml", NULL, 0, &d);
  if (!scenario) {
    check_fault(&d, data, size);
    return 0;
  }
  check_round_trip(scenario);
  if (scenario->exact) {
    try_exact(scenario);
  }
  for (size_t i = 0; rl_solvers[i] && scenario->model->link_count <= STEPPED_LINKS; i++) {
    take_steps(scenario, rl_solvers[i]);
  }
  rl_scenario_free(scenario);
  return 0;
}
