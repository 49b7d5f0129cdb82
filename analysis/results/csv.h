// SPDX-License-Identifier: GPL-3.0-or-later
// Fields of CSV files: texts, quoted where necessary, and numbers in full precision.
#ifndef RL_CSV_H
#define RL_CSV_H

#include "runs/solver_spec.h"

#include <stdio.h>

// Writes a text as a field.
void rl_csv_text(FILE *out, const char *text);

// Returns the field at the beginning of `line`, unquoted in place, and moves `line` past it.
char *rl_csv_read_text(char **line);

// Writes a comma and a number with 17 significant digits; nan is always written without a sign.
void rl_csv_number(FILE *out, double value);

// Writes all parameters of a solver as one field: "iterations=20;tolerance=0".
void rl_csv_parameters(FILE *out, const rl_solver_spec *spec);

#endif
