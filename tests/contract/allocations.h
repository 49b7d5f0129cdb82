// SPDX-License-Identifier: GPL-3.0-or-later
// What the library allocates: the linker sends every allocation of it through these counters
// (--wrap in tests/CMakeLists.txt).
#ifndef ALLOCATIONS_H
#define ALLOCATIONS_H

#include <stddef.h>

extern int allocations;          // so far, but for room of matrices (rl_grow)
extern int growths, growth_left; // of such room: made so far, and until one fails; < 0: none does

// Returns how much of such room there is [bytes].
size_t room_held(void);

#endif
