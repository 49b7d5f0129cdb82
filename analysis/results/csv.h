// SPDX-License-Identifier: GPL-3.0-or-later
// Fields of the CSV files: texts in quotes where they need them, numbers in full precision.
#ifndef RL_CSV_H
#define RL_CSV_H

#include "runs/solver_spec.h"

#include <stdio.h>

// A text as a field.
void rl_csv_text(FILE *out, const char *text);

// The field at the beginning of `line` as a text, in place; `line` goes on to the next field.
char *rl_csv_read_text(char **line);

// A comma and a number. A nan has no sign there, whatever the arithmetic gave it.
void rl_csv_number(FILE *out, double value);

// All parameters of a solver as one field: "iterations=20;tolerance=0".
void rl_csv_parameters(FILE *out, const rl_solver_spec *spec);

#endif
