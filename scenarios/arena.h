// SPDX-License-Identifier: GPL-3.0-or-later
// Arenas: memory that is allocated piece by piece and freed as a whole.
#ifndef RL_ARENA_H
#define RL_ARENA_H

#include <stddef.h>

typedef struct rl_arena rl_arena;

// Creates an arena of at most `most` bytes; NULL when out of memory.
rl_arena *rl_arena_create(size_t most);
void rl_arena_free(rl_arena *arena);

// Allocates `count` zeroed objects of `size` bytes, aligned for any type up to 16 bytes; NULL when
// out of memory. A request for nothing returns a valid pointer.
void *rl_arena_allocate(rl_arena *arena, size_t count, size_t size);

// Copies `length` bytes and adds a terminating 0; NULL when out of memory.
char *rl_arena_text(rl_arena *arena, const char *text, size_t length);

// Moves `count` objects from `old` to a place with room for `capacity` and returns it; NULL when
// out of memory. The old place is not reused until the arena is freed.
void *rl_arena_grow(rl_arena *arena, const void *old, size_t count, size_t capacity, size_t size);

#endif
