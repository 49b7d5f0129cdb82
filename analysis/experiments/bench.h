// SPDX-License-Identifier: GPL-3.0-or-later
// What a row costs: solvers beside bare loops that do only the arithmetic, in one process, in turn,
// the least of several repeats.
#ifndef RL_BENCH_H
#define RL_BENCH_H

#include "runs/solver_spec.h"

// One line of the table.
typedef struct rl_bench_entry {
  const char *name;   // solver, or what the bare loop does
  const char *floor;  // name of the bare loop it is compared with, NULL for one itself
  size_t elements;    // of the chain; ropes of a scene
  double nanoseconds; // per row and iteration, or step, least of the repeats
  double ratio;       // to its floor, nan for one itself
  bool is_step;
} rl_bench_entry;

enum { RL_BENCH_ENTRIES_MAX = 128, RL_BENCH_REPEATS = 7 };

// Times the solvers whose rows a bare loop stands beside, on chains of 100, 1000 and 100000
// elements, and whole steps of three scenes beside one distance row. Returns the number of entries,
// 0 when out of memory or, with a message, without a scene. `progress` is called after each repeat.
size_t rl_bench(rl_bench_entry entries[RL_BENCH_ENTRIES_MAX], void (*progress)(int done, int all));

#endif
