// SPDX-License-Identifier: GPL-3.0-or-later
// Carves arrays out of one block. The same layout function is run twice: first on a carver without
// a block, which only counts the bytes, then on one with the block.
#ifndef RL_MEMORY_H
#define RL_MEMORY_H

#include <stddef.h>
#include <stdlib.h>

#define RL_ALIGNMENT 64

typedef struct rl_carver {
  char *block; // NULL: count only
  size_t used; // bytes
} rl_carver;

// Returns the next array of `count` elements of `size` bytes; NULL while only counting.
static inline void *rl_carve(rl_carver *carver, size_t count, size_t size) {
  void *array = carver->block ? carver->block + carver->used : NULL;
  carver->used += (count * size + RL_ALIGNMENT - 1) / RL_ALIGNMENT * RL_ALIGNMENT;
  return array;
}

// Returns a zeroed block of at least `size` bytes, aligned for rl_carve; NULL when out of memory.
// Free it with free(*allocation).
static inline char *rl_block_create(size_t size, void **allocation) {
  *allocation = calloc(size + RL_ALIGNMENT, 1);
  if (!*allocation) {
    return NULL;
  }
  const size_t past = (size_t)(*allocation) % RL_ALIGNMENT;
  return (char *)*allocation + (past == 0 ? 0 : RL_ALIGNMENT - past);
}

#endif
