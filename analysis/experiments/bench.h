// SPDX-License-Identifier: GPL-3.0-or-later
// The cost of a row: solvers beside bare loops that do only the arithmetic, timed alternately in
// one process; the least of several repeats counts.
#ifndef RL_BENCH_H
#define RL_BENCH_H

#include "runs/solver_spec.h"

// One line of the table.
typedef struct rl_bench_entry {
  const char *name;   // solver, or arithmetic of the bare loop
  const char *floor;  // name of the bare loop it is compared with; NULL for a bare loop
  size_t elements;    // of the chain; number of ropes of a scene
  double nanoseconds; // per row and iteration, or per step; least of the repeats
  double ratio;       // to the floor; nan for a bare loop
  bool is_step;
} rl_bench_entry;

enum { RL_BENCH_ENTRIES_MAX = 128, RL_BENCH_REPEATS = 7 };

// Times solvers and bare loops on chains of 100, 1000 and 100000 elements, and whole steps of three
// scenes beside one distance row. Shows repeats on a terminal. Returns the number of
// entries; 0 when out of memory, or with a message if a scene cannot be loaded.
size_t rl_bench(rl_bench_entry entries[RL_BENCH_ENTRIES_MAX]);

#endif
