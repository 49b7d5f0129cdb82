// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "options.h"
#include "results/files.h"
#include "results/table.h"

#include <dirent.h>
#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const rl_usage rl_diff_usage = {
    .name = "diff",
    .positional = "DIR DIR",
    .doc =
        "Compares two results: the series of two runs, or of all runs of two comparisons, column "
        "by "
        "column and row by row, and how the runs ended. Prints the columns that differ, with the "
        "largest difference, what that is of the largest value of its kind, and when. Of one kind "
        "are energies, the components of a momentum, and a probe with its exact value and its "
        "error.\n"
        "Exit status: 0 the same, 5 different."
        "\v"
        "Examples:\n"
        "  ropelab diff out/run-atwood out/old\n"
        "  ropelab diff out/demo /tmp/demo --tolerance 1e-9",
    .options = "E",
    .least = 2,
    .most = 2,
};

enum { EXIT_DIFFERENT = 5, RUNS_MAX = 10000 };

// ---------------------------------------------------------------------------------------------
// One column of two tables

// The difference of a column between two tables.
typedef struct difference {
  double largest, scale; // largest |a - b|, and largest |value| of this kind of columns
  double time;           // of the largest difference, or of the first gap [s]
  bool gap;              // one table has a number where the other has nan
} difference;

static bool ends_with(const char *name, const char *end) {
  const size_t length = strlen(name), tail = strlen(end);
  return length >= tail && strcmp(name + length - tail, end) == 0;
}

// Whether two columns share a scale: all energies, the components of a momentum, and a probe with
// its exact value and its error.
static bool are_alike(const char *a, const char *b) {
  static const char *const kinds[] = {"momentum_", "angular_"};
  for (size_t i = 0; i < 2; i++) {
    const size_t length = strlen(kinds[i]);
    if (strncmp(a, kinds[i], length) == 0 && strncmp(b, kinds[i], length) == 0) {
      return true;
    }
  }
  const size_t stem = strlen(a) - (ends_with(a, ".exact") || ends_with(a, ".error") ? 6 : 0);
  const size_t other = strlen(b) - (ends_with(b, ".exact") || ends_with(b, ".error") ? 6 : 0);
  return (ends_with(a, "_J") && ends_with(b, "_J")) || (stem == other && strncmp(a, b, stem) == 0);
}

// Returns the largest |value| in the columns that share the scale of `name`.
static double scale_of(const rl_table *table, const char *name) {
  double scale = 0.0;
  for (size_t k = 0; k < table->column_count; k++) {
    for (size_t i = 0; are_alike(table->names[k], name) && i < table->row_count; i++) {
      scale = fmax(scale, fabs(table->values[i * table->column_count + k]));
    }
  }
  return scale;
}

// Pairs of rows of two tables with the same time, up to rounding.
typedef struct pairing {
  size_t (*rows)[2];
  size_t count;
} pairing;

static bool pair_rows(const rl_table *a, const rl_table *b, pairing *pairs) {
  const size_t most = a->row_count < b->row_count ? a->row_count : b->row_count;
  *pairs = (pairing){.rows = malloc((most + 1) * sizeof *pairs->rows)};
  for (size_t i = 0, k = 0; pairs->rows && i < a->row_count && k < b->row_count;) {
    const double x = a->values[i * a->column_count], y = b->values[k * b->column_count];
    if (fabs(x - y) <= 1e-9 * fmax(fabs(x), fabs(y))) {
      pairs->rows[pairs->count][0] = i++;
      pairs->rows[pairs->count++][1] = k++;
    } else if (x < y) {
      i++;
    } else {
      k++;
    }
  }
  return pairs->rows != NULL;
}

static difference compare_columns(const rl_table *a, size_t column, const rl_table *b, size_t other,
                                  const pairing *pairs) {
  difference d = {.scale = fmax(scale_of(a, a->names[column]), scale_of(b, b->names[other]))};
  for (size_t i = 0; i < pairs->count; i++) {
    const double x = a->values[pairs->rows[i][0] * a->column_count + column];
    const double y = b->values[pairs->rows[i][1] * b->column_count + other];
    const bool gap = isnan(x) != isnan(y);
    if ((gap && !d.gap) || (!d.gap && fabs(x - y) > d.largest)) {
      d.gap = gap;
      d.largest = fabs(x - y);
      d.time = a->values[pairs->rows[i][0] * a->column_count];
    }
  }
  return d;
}

static bool exceeds(difference d, double tolerance) {
  // For kinds whose values are all below 1, such as residuals, the tolerance is absolute.
  return d.gap || d.largest > tolerance * fmax(d.scale, 1.0);
}

// Where the largest value of a kind is below this, it is the round-off of 1, and a difference has
// no share of it worth a number.
static const double rounding = 1e-12;

// Prints a line of the list, before the first one its heading.
static void print_difference(const char *name, difference d, bool *heading) {
  if (!*heading) {
    printf("  %-28s %-12s %-12s\n", "column", "largest", "relative");
    *heading = true;
  }
  if (d.gap) {
    printf("  %-28s a gap on one side only, at %.6g s\n", name, d.time);
  } else if (d.scale < rounding) {
    printf("  %-28s %-12.4g %-12s at %.6g s\n", name, d.largest, "-", d.time);
  } else {
    printf("  %-28s %-12.4g %-12.4g at %.6g s\n", name, d.largest, d.largest / d.scale, d.time);
  }
}

// ---------------------------------------------------------------------------------------------
// Two runs

static bool has_run(const char *folder) {
  char path[RL_PATH_MAX];
  return rl_path_join(path, folder, "run.json") && rl_file_exists(path);
}

// Reads the status of a run from its run.json; false if there is none.
static bool read_ending(const char *folder, char *status, size_t size) {
  char path[RL_PATH_MAX];
  json_t *root = rl_path_join(path, folder, "run.json") ? json_load_file(path, 0, NULL) : NULL;
  const char *text = json_string_value(json_object_get(root, "status"));
  snprintf(status, size, "%s", text ? text : "not readable");
  const bool found = root != NULL;
  json_decref(root);
  return found;
}

static bool read_series(const char *folder, rl_table *table) {
  char path[RL_PATH_MAX];
  *table = (rl_table){0};
  return rl_path_join(path, folder, "series.csv") &&
         (rl_table_read(path, table) || errno == ENOENT);
}

// Whether a series has all its lines; otherwise prints what it lacks. `is_expected`: there is one
// of the other run.
static bool is_whole(const char *folder, const rl_table *table, bool is_expected) {
  if (!table->names && is_expected) {
    printf("  no series.csv in %s\n", folder);
  } else if (table->damaged > 0) {
    printf("  %s/series.csv:%zu: a damaged line, left out\n", folder, table->damaged);
  }
  return (table->names || !is_expected) && table->damaged == 0;
}

// Prints the differences between two series; true if there are any.
static bool compare_series(const rl_table *a, const rl_table *b, double tolerance) {
  bool differ = false, heading = false;
  pairing pairs;
  if (!pair_rows(a, b, &pairs)) {
    return true;
  }
  if (a->row_count != pairs.count || b->row_count != pairs.count) {
    printf("  %zu rows, and %zu; %zu have the same time\n", a->row_count, b->row_count,
           pairs.count);
    differ = true;
  }
  for (size_t i = 0; i < a->column_count; i++) {
    const size_t other = rl_table_column(b, a->names[i]);
    if (other == b->column_count) {
      printf("  %-28s in the first only\n", a->names[i]);
      differ = true;
      continue;
    }
    const difference d = compare_columns(a, i, b, other, &pairs);
    if (exceeds(d, tolerance)) {
      print_difference(a->names[i], d, &heading);
      differ = true;
    }
  }
  for (size_t i = 0; i < b->column_count; i++) {
    if (rl_table_column(a, b->names[i]) == a->column_count) {
      printf("  %-28s in the second only\n", b->names[i]);
      differ = true;
    }
  }
  free(pairs.rows);
  return differ;
}

// Compares a run; `name` is its folder within both results, "" for results of a single run.
static int compare_runs(const char *first, const char *second, const char *name, double tolerance) {
  char folders[2][RL_PATH_MAX], status[2][64];
  rl_table tables[2];
  const char *const roots[2] = {first, second};
  for (size_t i = 0; i < 2; i++) {
    if (!rl_path_join(folders[i], roots[i], *name ? name : ".")) {
      return RL_EXIT_FAILED;
    }
    if (!has_run(folders[i])) {
      printf("%s: in %s only\n", name, roots[1 - i]);
      return EXIT_DIFFERENT;
    }
    if (!read_ending(folders[i], status[i], sizeof status[i])) {
      fprintf(stderr, "ropelab diff: cannot read %s/run.json\n", *name ? folders[i] : roots[i]);
      return RL_EXIT_FAILED;
    }
  }
  const bool first_read = read_series(folders[0], &tables[0]); // read both: both are freed
  const bool read = read_series(folders[1], &tables[1]) && first_read;
  if (!read) {
    fprintf(stderr, "ropelab diff: cannot read the series of %s: %s\n", *name ? name : first,
            strerror(errno));
  }
  printf("%s: %s", *name ? name : "run", status[0]);
  const bool same_end = strcmp(status[0], status[1]) == 0;
  printf(same_end ? "\n" : ", and %s\n", status[1]);
  bool whole = true;
  for (size_t i = 0; read && i < 2; i++) {
    whole =
        is_whole(*name ? folders[i] : roots[i], &tables[i], tables[1 - i].names != NULL) && whole;
  }
  const bool both = tables[0].names && tables[1].names;
  const bool differ =
      (both && read && compare_series(&tables[0], &tables[1], tolerance)) || !whole || !same_end;
  rl_table_free(&tables[0]);
  rl_table_free(&tables[1]);
  return !read ? RL_EXIT_FAILED : differ ? EXIT_DIFFERENT : RL_EXIT_DONE;
}

// ---------------------------------------------------------------------------------------------
// Folders of runs

typedef struct run_list {
  char **names; // SCENARIO/LABEL
  size_t count;
} run_list;

static void add_name(run_list *list, const char *name) {
  for (size_t i = 0; i < list->count; i++) {
    if (strcmp(list->names[i], name) == 0) {
      return;
    }
  }
  char *copy = list->count < RUNS_MAX ? strdup(name) : NULL;
  if (copy) {
    list->names[list->count++] = copy;
  }
}

// Adds the runs `depth` folders below root/name.
static void find_runs(run_list *list, const char *root, const char *name, int depth) {
  char path[RL_PATH_MAX], below[RL_PATH_MAX];
  DIR *directory = rl_path_join(path, root, name) ? opendir(path) : NULL;
  for (struct dirent *entry = NULL; directory && (entry = readdir(directory));) {
    if (entry->d_name[0] == '.' || !rl_path_join(below, name, entry->d_name) ||
        !rl_path_join(path, root, below)) {
      continue;
    }
    if (depth > 1) {
      find_runs(list, root, below, depth - 1);
    } else if (has_run(path)) {
      add_name(list, below + 2); // skips "./"
    }
  }
  if (directory) {
    closedir(directory);
  }
}

static int compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static int compare_all(const char *first, const char *second, double tolerance) {
  run_list list = {.names = calloc(RUNS_MAX, sizeof *list.names)};
  if (!list.names) {
    return RL_EXIT_FAILED;
  }
  find_runs(&list, first, ".", 2);
  find_runs(&list, second, ".", 2);
  if (list.count == 0) {
    fprintf(stderr, "ropelab diff: no runs in '%s' and '%s'\n", first, second);
    free(list.names);
    return RL_EXIT_USAGE;
  }
  qsort(list.names, list.count, sizeof *list.names, compare_names);
  int status = RL_EXIT_DONE;
  size_t different = 0;
  for (size_t i = 0; i < list.count; i++) {
    const int one = compare_runs(first, second, list.names[i], tolerance);
    different += one != RL_EXIT_DONE ? 1 : 0;
    status = one == RL_EXIT_FAILED || status == RL_EXIT_DONE ? one : status;
    free(list.names[i]);
  }
  printf("%zu of %zu runs differ\n", different, list.count);
  free(list.names);
  return status;
}

static bool is_result(const char *folder) {
  char path[RL_PATH_MAX];
  const bool found =
      has_run(folder) || (rl_path_join(path, folder, "summary.csv") && rl_file_exists(path));
  if (!found) {
    fprintf(stderr, "ropelab diff: no result in '%s'; expected a run.json or a summary.csv\n",
            folder);
  }
  return found;
}

int rl_command_diff(int argc, char **argv) {
  static rl_arguments a;
  int status = RL_EXIT_FAILED;
  if (!rl_arguments_parse(&rl_diff_usage, argc, argv, &a, &status)) {
    return status;
  }
  const char *first = a.positional[0], *second = a.positional[1];
  if (!is_result(first) || !is_result(second)) {
    return RL_EXIT_USAGE;
  }
  if (has_run(first) != has_run(second)) {
    fprintf(stderr, "ropelab diff: one is a run and the other a comparison; expected two alike\n");
    return RL_EXIT_USAGE;
  }
  return has_run(first) ? compare_runs(first, second, "", a.tolerance)
                        : compare_all(first, second, a.tolerance);
}
