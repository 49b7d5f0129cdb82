// SPDX-License-Identifier: GPL-3.0-or-later
// An arena: memory that is handed out piece by piece and freed as one.
#ifndef RL_ARENA_H
#define RL_ARENA_H

#include <stddef.h>

typedef struct rl_arena rl_arena;

// An arena of at most `most` bytes; NULL when out of memory.
rl_arena *rl_arena_create(size_t most);
void rl_arena_free(rl_arena *arena);

// `count` objects of `size` bytes, zero, aligned for any type up to 16 bytes; NULL when out of
// memory. Asking for nothing gives a valid pointer.
void *rl_arena_allocate(rl_arena *arena, size_t count, size_t size);

// A copy of `length` bytes with a 0 after them.
char *rl_arena_text(rl_arena *arena, const char *text, size_t length);

// The `count` objects at `old` moved to a place with room for `capacity`; the old place is lost
// until the arena is freed.
void *rl_arena_grow(rl_arena *arena, const void *old, size_t count, size_t capacity, size_t size);

#endif
