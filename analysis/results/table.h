// SPDX-License-Identifier: GPL-3.0-or-later
// A table of numbers as the results have it: CSV with `#` comment lines, one header, numbers.
#ifndef RL_TABLE_H
#define RL_TABLE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct rl_table {
  size_t column_count, row_count;
  char **names;   // [column_count]
  double *values; // [row_count x column_count]; nan for a gap and for what is no number
} rl_table;

// Reads a file; lines that a killed run left unfinished are dropped. False with errno set. Free the
// table with rl_table_free in both cases.
bool rl_table_read(const char *path, rl_table *table);
void rl_table_free(rl_table *table);

// The index of a column; column_count if there is none of that name.
size_t rl_table_column(const rl_table *table, const char *name);

#endif
