// SPDX-License-Identifier: GPL-3.0-or-later
// Carves arrays out of one block. The same layout function is run twice: first on a carver without
// a block, which only counts the bytes, then on one with the block. What cannot be known then, how
// far the rows of a matrix will reach, is in an array that grows.
#ifndef RL_MEMORY_H
#define RL_MEMORY_H

#include <stdbool.h>
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

// An array that grows during a run, and is never made smaller. Free it with free(array).
typedef struct rl_growing {
  void *array;
  size_t size; // bytes there is room for
} rl_growing;

// Makes room for `size` bytes, and at least doubles the room if there is less, so that a run
// allocates a few times and then no more; what is in the array stays. Returns false when out of
// memory, or if that is more than `most` bytes.
static inline bool rl_grow(rl_growing *growing, size_t size, size_t most) {
  if (size <= growing->size) {
    return true;
  }
  const size_t twice = growing->size < most / 2 ? 2 * growing->size : most;
  const size_t room = size > twice ? size : twice;
  void *array = room <= most ? realloc(growing->array, room) : NULL;
  if (array) {
    growing->array = array;
    growing->size = room;
  }
  return array != NULL;
}

#endif
