// SPDX-License-Identifier: GPL-3.0-or-later
#include "solver.h"

#include <string.h>

const char *rl_reason_name(rl_reason reason) {
  switch (reason) {
  case RL_DIVERGED_MEMORY:
    return "out of memory for the matrix of all rows that act on each other";
  case RL_DIVERGED_CONTACTS:
    return "more contacts of ropes with ropes than there is room for";
  case RL_DIVERGED_STEPS:
    return "internal steps too many, or as short as they can be";
  case RL_DIVERGED_RANGE:
    return "a number does not fit the method's fixed-point format";
  case RL_DIVERGED_ENERGY:
    return "more energy than there can be";
  case RL_DIVERGED_NAN:
    return "a position, a velocity or the energy is not finite";
  case RL_RUNNING:
    return "running";
  case RL_CONVERGED_TOLERANCE:
    return "tolerance reached";
  case RL_CONVERGED_ITERATIONS:
    return "iterations done";
  case RL_STOPPED:
    return "stopped";
  }
  return "unknown";
}

const rl_solver_type *rl_solver_find(const char *name) {
  for (size_t i = 0; rl_solvers[i]; i++) {
    if (strcmp(rl_solvers[i]->name, name) == 0) {
      return rl_solvers[i];
    }
  }
  return NULL;
}

uint32_t rl_solver_departures(const rl_solver_type *type) {
  uint32_t kinds = 0;
  for (size_t i = 0; i < type->departure_count; i++) {
    kinds |= type->departures[i].kind;
  }
  return kinds;
}

int rl_parameter_find(const rl_solver_type *type, const char *name) {
  for (size_t i = 0; i < type->parameter_count; i++) {
    if (strcmp(type->parameters[i].name, name) == 0) {
      return (int)i;
    }
  }
  return -1;
}

bool rl_parameter_takes(const rl_parameter *parameter, double value) {
  const bool whole = parameter->kind == RL_REAL || value == floor(value);
  return whole && value >= parameter->lower && value <= parameter->upper;
}

void rl_parameters_initial(const rl_solver_type *type, double values[RL_PARAMETERS_MAX]) {
  for (size_t i = 0; i < type->parameter_count; i++) {
    values[i] = type->parameters[i].initial;
  }
}

bool rl_parameters_set(const rl_solver_type *type, double values[RL_PARAMETERS_MAX],
                       const char *name, double value) {
  const int index = rl_parameter_find(type, name);
  if (index < 0 || !rl_parameter_takes(&type->parameters[index], value)) {
    return false;
  }
  values[index] = value;
  return true;
}

bool rl_choice_name(const char *choices, size_t i, char *buffer, size_t size) {
  while (i > 0) {
    choices = strchr(choices, '|');
    if (!choices) {
      return false;
    }
    choices++;
    i--;
  }
  const size_t length = strcspn(choices, "|");
  if (length == 0 || length >= size) {
    return false;
  }
  memcpy(buffer, choices, length);
  buffer[length] = '\0';
  return true;
}
