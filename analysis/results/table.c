// SPDX-License-Identifier: GPL-3.0-or-later
#include "table.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// Cuts off and returns the cell at the beginning of `line`.
static char *next_cell(char **line) {
  char *cell = *line;
  char *comma = strchr(cell, ',');
  if (comma) {
    *comma = '\0';
  }
  *line = comma ? comma + 1 : cell + strlen(cell);
  return cell;
}

static size_t count_cells(const char *line) {
  size_t count = 1;
  for (; *line; line++) {
    count += *line == ',' ? 1 : 0;
  }
  return count;
}

static bool read_header(rl_table *table, char *line) {
  table->column_count = count_cells(line);
  table->names = calloc(table->column_count, sizeof *table->names);
  if (!table->names) {
    return false;
  }
  for (size_t i = 0; i < table->column_count; i++) {
    table->names[i] = strdup(next_cell(&line));
    if (!table->names[i]) {
      table->column_count = i;
      return false;
    }
  }
  return true;
}

static double number(const char *cell) {
  char *end;
  const double value = strtod(cell, &end);
  return end != cell && *end == '\0' ? value : NAN;
}

static bool read_row(rl_table *table, char *line, size_t line_number, size_t *room) {
  const size_t columns = table->column_count;
  if (count_cells(line) != columns) {
    table->damaged = table->damaged > 0 ? table->damaged : line_number;
    return true;
  }
  if (table->row_count == *room) {
    *room = *room > 0 ? 2 * *room : 64;
    double *values = realloc(table->values, *room * columns * sizeof *values);
    if (!values) {
      return false;
    }
    table->values = values;
  }
  double *row = &table->values[table->row_count++ * columns];
  for (size_t i = 0; i < columns; i++) {
    row[i] = number(next_cell(&line));
  }
  return true;
}

bool rl_table_read(const char *path, rl_table *table) {
  *table = (rl_table){0};
  FILE *file = fopen(path, "r");
  if (!file) {
    return false;
  }
  char *line = NULL;
  size_t size = 0, room = 0, line_number = 0;
  ssize_t length;
  bool good = true;
  while (good && (length = getline(&line, &size, file)) > 0) {
    line_number++;
    const bool whole = line[length - 1] == '\n';
    if (line[0] == '#' || !whole) {
      continue;
    }
    line[length - 1] = '\0';
    good = table->names ? read_row(table, line, line_number, &room) : read_header(table, line);
  }
  good = good && !ferror(file);
  const int error = good && !table->names ? EINVAL : errno;
  free(line);
  fclose(file);
  errno = error;
  return good && table->names;
}

void rl_table_free(rl_table *table) {
  for (size_t i = 0; i < table->column_count; i++) {
    free(table->names[i]);
  }
  free(table->names);
  free(table->values);
}

size_t rl_table_column(const rl_table *table, const char *name) {
  size_t i = 0;
  while (i < table->column_count && strcmp(table->names[i], name) != 0) {
    i++;
  }
  return i;
}
