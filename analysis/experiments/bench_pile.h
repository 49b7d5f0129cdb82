// SPDX-License-Identifier: GPL-3.0-or-later
// What a contact of ropes costs: solvers on a pile of ropes that touch each other, beside a bare
// loop over its elements and contacts.
#ifndef RL_BENCH_PILE_H
#define RL_BENCH_PILE_H

#include <stddef.h>

// One line of the table. All times are the least of the repeats, of this process alone.
typedef struct rl_bench_pile_entry {
  const char *name; // solver; NULL: the bare loop
  size_t elements, contacts;
  double nanoseconds; // per row and iteration; rows are elements and contacts
  double ratio;       // to the bare loop, nan for that itself
  double finding;     // of all rows for a step, per contact [us]; nan for the bare loop
  double step;        // with all that the driver does in it [ms]; nan for the bare loop
  double worst;       // the same of the most expensive step while the pile settles [ms]
} rl_bench_pile_entry;

enum { RL_BENCH_PILE_ENTRIES = 4 };

// Returns the number of entries, 0 when out of memory.
size_t rl_bench_pile(rl_bench_pile_entry entries[RL_BENCH_PILE_ENTRIES]);

#endif
