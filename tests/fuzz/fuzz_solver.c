// SPDX-License-Identifier: GPL-3.0-or-later
// Text -> solver spec. What is read is within the ranges of the solver's table, names a folder
// safely, and reads the same again as `ropelab` writes it.
#include "fuzz.h"

#include "runs/solver_spec.h"

#include <math.h>
#include <string.h>

static void check_value(const rl_parameter *p, double value) {
  FUZZ_REQUIRE(isfinite(value), "%s=%g", p->name, value);
  if (p->kind == RL_REAL || p->kind == RL_INTEGER) {
    FUZZ_REQUIRE(value >= p->lower && value <= p->upper, "%s=%.17g", p->name, value);
  }
  FUZZ_REQUIRE(p->kind == RL_REAL || value == floor(value), "%s=%.17g", p->name, value);
}

// "label=name,parameter=value,..." with every parameter in it.
static void write_spec(const rl_solver_spec *spec, char *out, size_t size) {
  int at = snprintf(out, size, "%s=%s", spec->label, spec->type->name);
  for (size_t i = 0; i < spec->type->parameter_count; i++) {
    char value[64];
    rl_parameter_format(&spec->type->parameters[i], spec->parameters[i], value, sizeof value);
    at += snprintf(out + at, size - (size_t)at, ",%s=%s", spec->type->parameters[i].name, value);
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  FUZZ_REQUIRE(text, "out of memory");
  memcpy(text, data, size);
  text[size] = '\0';
  char message[512] = "";
  rl_solver_spec spec;
  if (!rl_solver_spec_parse(text, &spec, message, sizeof message)) {
    FUZZ_REQUIRE(*message, "no message");
    free(text);
    return 0;
  }
  FUZZ_REQUIRE(*spec.label && *spec.label != '.' && !strchr(spec.label, '/'), "%s", spec.label);
  for (size_t i = 0; i < spec.type->parameter_count; i++) {
    check_value(&spec.type->parameters[i], spec.parameters[i]);
  }
  char written[4096];
  rl_solver_spec again;
  write_spec(&spec, written, sizeof written);
  FUZZ_REQUIRE(rl_solver_spec_parse(written, &again, message, sizeof message), "%s: %s", written,
               message);
  FUZZ_REQUIRE(again.type == spec.type && strcmp(again.label, spec.label) == 0, "%s", written);
  for (size_t i = 0; i < spec.type->parameter_count; i++) {
    FUZZ_REQUIRE(again.parameters[i] == spec.parameters[i], "%s", written);
  }
  rl_solver_spec two[2] = {spec, again};
  (void)rl_solver_spec_distinguish(two, 2, message, sizeof message);
  free(text);
  return 0;
}
