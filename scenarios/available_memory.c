// SPDX-License-Identifier: GPL-3.0-or-later
#define _POSIX_C_SOURCE 200809L
#include "available_memory.h"

#include <stdint.h>
#include <stdio.h>
#include <sys/resource.h>
#include <unistd.h>

static size_t smaller(size_t a, unsigned long long b) { return b < a ? (size_t)b : a; }

static size_t limit_of_resource(int resource, size_t bytes) {
  struct rlimit limit;
  return getrlimit(resource, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY
             ? smaller(bytes, limit.rlim_cur)
             : bytes;
}

// Returns the smaller of `bytes` and the limit in a file; "max" or no file means no limit.
static size_t limit_in_file(const char *path, size_t bytes) {
  FILE *file = fopen(path, "r");
  unsigned long long limit;
  if (file && fscanf(file, "%llu", &limit) == 1) {
    bytes = smaller(bytes, limit);
  }
  if (file) {
    fclose(file);
  }
  return bytes;
}

size_t rl_available_memory(void) {
  const long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
  size_t bytes = pages > 0 && page > 0 ? (size_t)pages * (size_t)page : SIZE_MAX;
  bytes = limit_of_resource(RLIMIT_AS, bytes);
  bytes = limit_of_resource(RLIMIT_DATA, bytes);
  bytes = limit_in_file("/sys/fs/cgroup/memory.max", bytes);
  return limit_in_file("/sys/fs/cgroup/memory/memory.limit_in_bytes", bytes);
}
