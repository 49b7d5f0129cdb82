// SPDX-License-Identifier: GPL-3.0-or-later
// "[LABEL=]NAME[,param=value...]": a solver with its parameters, as written on the command line.
#ifndef RL_SOLVER_SPEC_H
#define RL_SOLVER_SPEC_H

#include "world/solver.h"

#define RL_LABEL_MAX 128

typedef struct rl_solver_spec {
  char label[RL_LABEL_MAX]; // folder and legend; by default the solver's name
  bool labelled;            // the user gave the label
  const char *text;         // as written
  const rl_solver_type *type;
  double parameters[RL_PARAMETERS_MAX];
} rl_solver_spec;

// Parses a spec. Returns false with a message that says what was found, what was expected and the
// nearest valid word.
bool rl_solver_spec_parse(const char *text, rl_solver_spec *spec, char *message, size_t size);

// Makes the labels of a comparison unique: where a solver occurs twice, its parameters join the
// label ("pbd-iterations=5"). Returns false with a message if two labels are still equal.
bool rl_solver_spec_distinguish(rl_solver_spec *specs, size_t count, char *message, size_t size);

// Estimates the work of a step, in sweeps over all rows; only for the order in which runs start.
double rl_solver_spec_effort(const rl_solver_spec *spec);

// Writes a parameter value as the user would ("forward", "true", "20") into buffer.
void rl_parameter_format(const rl_parameter *parameter, double value, char *buffer, size_t size);

// Writes the range of a parameter ("1..1e+07", "true|false", "forward|backward") into buffer.
void rl_parameter_range(const rl_parameter *parameter, char *buffer, size_t size);

#endif
