// SPDX-License-Identifier: GPL-3.0-or-later
// A pool of tasks, each in a process of its own, a limited number at a time.
#ifndef RL_POOL_H
#define RL_POOL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct rl_pool {
  size_t count;     // number of tasks
  long jobs;        // tasks at a time; 0: as many as there are processors
  const char *noun; // name of the tasks in the progress on stderr: "runs"
  void *context;
  // Does task i in the child; returns the exit status of its process.
  int (*work)(void *context, size_t i);
  const bool *is_over; // set by `ended`: starts no more tasks and stops those that run; NULL: none
  // Called in the parent when task i has ended: status of waitpid, -1 if it could not be started.
  void (*ended)(void *context, size_t i, int status);
} rl_pool;

// Runs all tasks in order. A failed task does not stop the others; a signal or is_over stops all.
// Returns false when out of memory.
bool rl_pool_run(const rl_pool *pool);

// Sorts `count` tasks by falling effort (ties in order), so that the longest starts first.
void rl_longest_first(const double *efforts, size_t count, size_t *order);

// Makes SIGXCPU end this process after `seconds` of processor time, rounded up; 0 or nan: no limit.
void rl_limit_time(double seconds);

// Whether a process with this waitpid status was ended by that limit.
bool rl_ended_by_limit(int status);

// Allocates zeroed memory that this process shares with its tasks; NULL with errno set.
void *rl_shared_create(size_t count, size_t size);
void rl_shared_free(void *memory, size_t count, size_t size);

#endif
