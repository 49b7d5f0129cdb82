// SPDX-License-Identifier: GPL-3.0-or-later
// What a row costs: solvers beside bare loops that do only the arithmetic, in one process, in turn,
// the least of several repeats.
#ifndef RL_BENCH_H
#define RL_BENCH_H

#include "solver_spec.h"

// One line of the table.
typedef struct rl_bench_entry {
  const char *name;   // solver, or what the bare loop does
  const char *floor;  // name of the bare loop it is compared with, NULL for one itself
  size_t elements;    // of the chain
  double nanoseconds; // per row and iteration, least of the repeats
  double ratio;       // to its floor, nan for one itself
} rl_bench_entry;

enum { RL_BENCH_ENTRIES_MAX = 128, RL_BENCH_REPEATS = 7 };

// Times the solvers whose rows a bare loop stands beside, on chains of 100, 1000 and 100000
// elements. Returns the number of entries, 0 when out of memory. `progress` is called after each
// repeat.
size_t rl_bench(rl_bench_entry entries[RL_BENCH_ENTRIES_MAX], void (*progress)(int done, int all));

#endif
