// SPDX-License-Identifier: GPL-3.0-or-later
// Tables of numbers: CSV with `#` comment lines, one header line, and numbers.
#ifndef RL_TABLE_H
#define RL_TABLE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct rl_table {
  size_t column_count, row_count;
  char **names;   // [column_count]
  double *values; // [row_count x column_count]; nan for a gap or a text
  size_t damaged; // the first line that has not as many cells and was left out, from 1; 0: none
} rl_table;

// Reads a file without a last line that a killed run left incomplete. Returns false with errno set.
// Free the table with rl_table_free in both cases.
bool rl_table_read(const char *path, rl_table *table);
void rl_table_free(rl_table *table);

// Returns the index of a column; column_count if there is none with that name.
size_t rl_table_column(const rl_table *table, const char *name);

#endif
