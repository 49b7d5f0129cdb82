// SPDX-License-Identifier: GPL-3.0-or-later
#include "allocations.h"

#include "check.h"

int allocations;
int growths, growth_left = -1;

// The room of the matrices there are.
static struct room {
  void *block; // NULL: none
  size_t size;
} rooms[32];
enum { ROOMS = sizeof rooms / sizeof rooms[0] };

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *block, size_t size);
void __real_free(void *block);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *block, size_t size);
void __wrap_free(void *block);

void *__wrap_malloc(size_t size) {
  allocations++;
  return __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size) {
  allocations++;
  return __real_calloc(count, size);
}

// Only rl_grow calls it, and who reads a scenario file of more than 64 KiB: room for a new array,
// or twice the room or more.
void *__wrap_realloc(void *block, size_t size) {
  struct room *room = rooms;
  while (room->block != block) { // a new one takes a place without a block
    room++;
    assert_true(room < rooms + ROOMS);
  }
  assert_true(size >= 2 * room->size);
  growths++;
  void *grown = growth_left-- != 0 ? __real_realloc(block, size) : NULL;
  if (grown) {
    *room = (struct room){grown, size};
  }
  return grown;
}

void __wrap_free(void *block) {
  for (int i = 0; i < ROOMS; i++) {
    if (rooms[i].block == block) {
      rooms[i] = (struct room){NULL, 0};
    }
  }
  __real_free(block);
}

size_t room_held(void) {
  size_t sum = 0;
  for (int i = 0; i < ROOMS; i++) {
    sum += rooms[i].size;
  }
  return sum;
}
