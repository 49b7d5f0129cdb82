// SPDX-License-Identifier: GPL-3.0-or-later
#include "arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT ((size_t)16)
#define CHUNK_BYTES ((size_t)64 << 10)

typedef struct chunk {
  struct chunk *next;
  size_t used, size;
  alignas(ALIGNMENT) unsigned char bytes[];
} chunk;

struct rl_arena {
  chunk *first; // the chunk in use
  size_t left;  // bytes that may still be allocated
};

rl_arena *rl_arena_create(size_t most) {
  rl_arena *arena = calloc(1, sizeof *arena);
  if (arena) {
    arena->left = most;
  }
  return arena;
}

void rl_arena_free(rl_arena *arena) {
  if (!arena) {
    return;
  }
  for (chunk *c = arena->first; c;) {
    chunk *next = c->next;
    free(c);
    c = next;
  }
  free(arena);
}

static chunk *add_chunk(rl_arena *arena, size_t bytes) {
  const size_t size = bytes > CHUNK_BYTES ? bytes : CHUNK_BYTES;
  chunk *c =
      size <= SIZE_MAX - sizeof *c && size <= arena->left ? calloc(1, sizeof *c + size) : NULL;
  if (c) {
    arena->left -= size;
    c->size = size;
    c->next = arena->first;
    arena->first = c;
  }
  return c;
}

void *rl_arena_allocate(rl_arena *arena, size_t count, size_t size) {
  if (size > 0 && count > (SIZE_MAX - ALIGNMENT) / size) {
    return NULL;
  }
  const size_t bytes = (count * size + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
  chunk *c = arena->first;
  if (!c || c->size - c->used < bytes) {
    c = add_chunk(arena, bytes);
    if (!c) {
      return NULL;
    }
  }
  void *memory = c->bytes + c->used;
  c->used += bytes;
  return memory;
}

char *rl_arena_text(rl_arena *arena, const char *text, size_t length) {
  char *copy = length < SIZE_MAX ? rl_arena_allocate(arena, length + 1, 1) : NULL;
  if (copy && length > 0) {
    memcpy(copy, text, length);
  }
  return copy;
}

void *rl_arena_grow(rl_arena *arena, const void *old, size_t count, size_t capacity, size_t size) {
  void *grown = rl_arena_allocate(arena, capacity, size);
  if (grown && count > 0) {
    memcpy(grown, old, count * size);
  }
  return grown;
}
