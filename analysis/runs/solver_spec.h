// SPDX-License-Identifier: GPL-3.0-or-later
// "[LABEL=]NAME[,param=value...]": a solver with its parameters, as the user writes it.
#ifndef RL_SOLVER_SPEC_H
#define RL_SOLVER_SPEC_H

#include "world/solver.h"

#define RL_LABEL_MAX 128

typedef struct rl_solver_spec {
  char label[RL_LABEL_MAX]; // folder and legend; the name unless the user gave one
  bool labelled;            // the user gave one
  const char *text;         // as written
  const rl_solver_type *type;
  double parameters[RL_PARAMETERS_MAX];
} rl_solver_spec;

// Reads a spec. False with a message that says what was found, what was expected and the nearest
// valid word.
bool rl_solver_spec_parse(const char *text, rl_solver_spec *spec, char *message, size_t size);

// Makes the labels of a comparison different from each other: where a name comes twice, the
// parameters join it ("pbd-iterations=5"). False with a message if two are still the same.
bool rl_solver_spec_distinguish(rl_solver_spec *specs, size_t count, char *message, size_t size);

// About how much work a step is, in sweeps over all rows: for deciding what to start first.
double rl_solver_spec_effort(const rl_solver_spec *spec);

// Writes a value as the user would ("forward", "true", "20") into buffer.
void rl_parameter_format(const rl_parameter *parameter, double value, char *buffer, size_t size);

// Writes what a parameter takes ("1..1e+07", "true|false", "forward|backward") into buffer.
void rl_parameter_range(const rl_parameter *parameter, char *buffer, size_t size);

#endif
