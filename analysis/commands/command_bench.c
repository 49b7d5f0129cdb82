// SPDX-License-Identifier: GPL-3.0-or-later
#include "commands.h"

#include "experiments/bench.h"
#include "experiments/bench_pile.h"
#include "options.h"

#include <jansson.h>
#include <stdio.h>

const rl_usage rl_bench_usage = {
    .name = "bench",
    .positional = "",
    .doc =
        "Times six solvers on chains of 100, 1000 and 100000 elements, beside bare loops in the "
        "same process that do only the arithmetic: nanoseconds per row and iteration, the least "
        "of 7 repeats in turn, and the ratio to the bare loop. Then whole steps of three scenes, "
        "with detection, ledger and what becomes of contacts, beside the evaluation of one "
        "distance row; and 500 ropes with 10000 elements that lie on each other, beside a bare "
        "loop over elements and contacts: what a row costs in an iteration, what it costs to "
        "find a contact, a whole step, that over its contacts, and the most expensive step while "
        "the pile settles. Takes about a minute."
        "\v"
        "Examples:\n"
        "  ropelab bench\n"
        "  ropelab bench --json",
    .options = "J",
    .least = 0,
    .most = 0,
};

static const char *const pile_floor = "bare Gauss-Seidel with contacts";

// Returns the time of a whole step per contact [ns].
static double ns_per_contact(const rl_bench_pile_entry *e) {
  return 1e6 * e->step / (double)e->contacts;
}

static void add_pile(json_t *list, const rl_bench_pile_entry *entries, size_t count) {
  for (size_t i = 0; i < count; i++) {
    const rl_bench_pile_entry *e = &entries[i];
    json_t *entry = json_pack("{s:s, s:I, s:I, s:f}", "name", e->name ? e->name : pile_floor,
                              "elements", (json_int_t)e->elements, "rope_contacts",
                              (json_int_t)e->contacts, "ns_per_row_iteration", e->nanoseconds);
    if (e->name) {
      json_object_set_new(entry, "floor", json_string(pile_floor));
      json_object_set_new(entry, "ratio", json_real(e->ratio));
      json_object_set_new(entry, "us_per_contact_found", json_real(e->finding));
      json_object_set_new(entry, "ms_per_step", json_real(e->step));
      json_object_set_new(entry, "ns_per_contact", json_real(ns_per_contact(e)));
      json_object_set_new(entry, "worst_ms_per_step", json_real(e->worst));
    }
    json_array_append_new(list, entry);
  }
}

static bool print_json(const rl_bench_entry *entries, size_t count, const rl_bench_pile_entry *pile,
                       size_t pile_count) {
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
  add_pile(list, pile, pile_count);
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

static void print_pile(const rl_bench_pile_entry *entries, size_t count) {
  printf("%-34s %9s %12s %7s %11s %8s %11s %9s\n", "pile of 10000 elements", "contacts",
         "ns/row/iter.", "ratio", "us/finding", "ms/step", "ns/contact", "worst/ms");
  for (size_t i = 0; i < count; i++) {
    const rl_bench_pile_entry *e = &entries[i];
    printf("%-34s %9zu %12.2f", e->name ? e->name : pile_floor, e->contacts, e->nanoseconds);
    if (e->name) {
      printf(" %7.2f %11.3f %8.2f %11.0f %9.2f", e->ratio, e->finding, e->step, ns_per_contact(e),
             e->worst);
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
  const size_t count = rl_bench(entries);
  static rl_bench_pile_entry pile[RL_BENCH_PILE_ENTRIES];
  const size_t pile_count = count > 0 ? rl_bench_pile(pile) : 0;
  if (pile_count == 0) {
    fprintf(stderr, "ropelab: nothing could be timed: out of memory, or without its scenarios\n");
    return RL_EXIT_FAILED;
  }
  if (arguments.json) {
    return print_json(entries, count, pile, pile_count) ? RL_EXIT_DONE : RL_EXIT_FAILED;
  }
  print_table(entries, count);
  print_pile(pile, pile_count);
  return RL_EXIT_DONE;
}
