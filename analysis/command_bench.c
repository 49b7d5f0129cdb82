// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "bench.h"
#include "options.h"

#include <jansson.h>
#include <stdio.h>
#include <unistd.h>

const rl_usage rl_bench_usage = {
    .name = "bench",
    .positional = "",
    .doc = "Times six solvers on chains of 100, 1000 and 100000 elements, beside bare loops in the "
           "same process that do only the arithmetic: nanoseconds per row and iteration, the least "
           "of 7 repeats in turn, and the ratio to the bare loop. Then whole steps of two scenes, "
           "with detection, ledger and what becomes of contacts, beside the evaluation of one "
           "distance row. Takes about a minute."
           "\v"
           "Examples:\n"
           "  ropelab bench\n"
           "  ropelab bench --json",
    .options = "J",
    .least = 0,
    .most = 0,
};

static void show_progress(int done, int all) {
  if (isatty(STDERR_FILENO)) {
    fprintf(stderr, "\rrepeat %d of %d%s", done, all, done == all ? "\r\033[K" : "");
  }
}

static bool print_json(const rl_bench_entry *entries, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) {
    const rl_bench_entry *e = &entries[i];
    json_t *entry = json_pack("{s:s, s:I, s:f}", "name", e->name, e->is_step ? "ropes" : "elements",
                              (json_int_t)e->elements,
                              e->is_step ? "ns_per_step" : "ns_per_row_iteration", e->nanoseconds);
    if (e->floor) {
      json_object_set_new(entry, "floor", json_string(e->floor));
      json_object_set_new(entry, "ratio", json_real(e->ratio));
    }
    json_array_append_new(list, entry);
  }
  const bool printed = json_dumpf(list, stdout, JSON_INDENT(2)) == 0 && putchar('\n') != EOF;
  json_decref(list);
  return printed;
}

static void print_table(const rl_bench_entry *entries, size_t count) {
  printf("%-34s %9s %12s %7s\n", "", "elements", "ns/row/iter.", "ratio");
  bool steps = false;
  for (size_t i = 0; i < count; i++) {
    const rl_bench_entry *e = &entries[i];
    if (e->is_step && !steps) {
      printf("%-34s %9s %12s %7s\n", "", "ropes", "ns/step", "ratio");
      steps = true;
    }
    printf("%-34s %9zu %12.2f", e->name, e->elements, e->nanoseconds);
    if (e->floor) {
      printf(" %7.2f", e->ratio);
    }
    printf("\n");
  }
}

int rl_command_bench(int argc, char **argv) {
  static rl_arguments arguments;
  static rl_bench_entry entries[RL_BENCH_ENTRIES_MAX];
  int status = RL_EXIT_FAILED;
  if (!rl_arguments_parse(&rl_bench_usage, argc, argv, &arguments, &status)) {
    return status;
  }
  const size_t count = rl_bench(entries, show_progress);
  if (count == 0) {
    fprintf(stderr, "ropelab: nothing could be timed: out of memory, or without its scenarios\n");
    return RL_EXIT_FAILED;
  }
  if (arguments.json) {
    return print_json(entries, count) ? RL_EXIT_DONE : RL_EXIT_FAILED;
  }
  print_table(entries, count);
  return RL_EXIT_DONE;
}
