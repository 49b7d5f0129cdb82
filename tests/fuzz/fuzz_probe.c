// SPDX-License-Identifier: GPL-3.0-or-later
// Text -> probe, in a model and in the definition that it was made of, which have to agree. What
// is read has a value in the model's first state.
#include "fuzz.h"

#include "scenario.h"

#include <math.h>
#include <string.h>

static const char text_of_scene[] =
    "name: probes\nduration: 1\nstep: 0.01\n"
    "bodies:\n"
    "  ball: {mass: 2, position: [0, -1, 0], shape: {sphere: {radius: 0.1}}, rope_collide: false}\n"
    "  wheel: {mass: 1, motion: axle, inertia: [1, 1, 1], position: [3, 0, 0]}\n"
    "ropes:\n"
    "  line: {from: {point: [0, 0, 0]}, to: {body: ball}, over: [{eye: [0.1, -0.5, 0]}]}\n"
    "  chain: {from: {point: [1, 0, 0]}, to: {body: ball}, mass: 1, segments: 5}\n"
    "  loop: {closed: true, mass: 1, segments: 4,"
    " points: [[9, 0, 0], [8, 0, 0], [8, 1, 0], [9, 1, 0]]}\n";

static const rl_scenario *scene(void) {
  static rl_scenario *scenario = NULL;
  if (!scenario) {
    rl_diagnostic d;
    scenario =
        rl_scenario_from_text(text_of_scene, sizeof text_of_scene - 1, "probes", NULL, 0, &d);
    FUZZ_REQUIRE(scenario, "%zu:%zu: %s", d.line, d.column, d.message);
  }
  return scenario;
}

static void check_value(const rl_model *model, rl_probe probe, const char *text) {
  static rl_state *state = NULL;
  state = state ? state : rl_state_create(model);
  FUZZ_REQUIRE(state, "out of memory");
  const double value = rl_probe_value(model, state, probe);
  FUZZ_REQUIRE(isfinite(value), "%s is %g", text, value);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  FUZZ_REQUIRE(text, "out of memory");
  memcpy(text, data, size);
  text[size] = '\0';
  char in_model[400] = "", in_definition[400] = "";
  rl_probe probe;
  const rl_probe_status status =
      rl_probe_parse(scene()->model, text, &probe, in_model, sizeof in_model);
  const rl_probe_status checked =
      rl_probe_check(&scene()->definition, text, in_definition, sizeof in_definition);
  FUZZ_REQUIRE(status == checked && strcmp(in_model, in_definition) == 0, "%d: %s\n%d: %s", status,
               in_model, checked, in_definition);
  FUZZ_REQUIRE((status == RL_PROBE_OK) == !*in_model, "%d: '%s'", status, in_model);
  if (status == RL_PROBE_OK) {
    check_value(scene()->model, probe, text);
  }
  free(text);
  return 0;
}
