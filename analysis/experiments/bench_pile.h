// SPDX-License-Identifier: GPL-3.0-or-later
// The cost of a contact between ropes: solvers on a pile of ropes, beside a bare loop over its
// elements and contacts.
#ifndef RL_BENCH_PILE_H
#define RL_BENCH_PILE_H

#include <stddef.h>

// One line of the table. Times are processor times, the least of the repeats.
typedef struct rl_bench_pile_entry {
  const char *name; // solver; NULL: the bare loop
  size_t elements, contacts;
  double nanoseconds; // per row and iteration; rows are elements and contacts
  double ratio;       // to the bare loop; nan for the bare loop
  double finding;     // detection of all rows of a step, per contact [us]; nan for the bare loop
  double step;        // a whole step of the driver [ms]; nan for the bare loop
  double worst;       // the most expensive step while the pile settles [ms]
} rl_bench_pile_entry;

enum { RL_BENCH_PILE_ENTRIES = 4 };

// Times all of them. Returns the number of entries; 0 when out of memory.
size_t rl_bench_pile(rl_bench_pile_entry entries[RL_BENCH_PILE_ENTRIES]);

#endif
