// SPDX-License-Identifier: GPL-3.0-or-later
// Tasks, each in a process of its own, some at a time.
#ifndef RL_POOL_H
#define RL_POOL_H

#include <stdbool.h>
#include <stddef.h>

typedef struct rl_pool {
  size_t count;     // of tasks
  long jobs;        // at a time; 0: as many as there are processors
  const char *noun; // what they are called in the progress on stderr: "runs"
  void *context;
  // In the child: does task i and returns the exit status of its process.
  int (*work)(void *context, size_t i);
  // In the parent, when it has ended: the status is that of waitpid, -1 if it could not be started.
  void (*ended)(void *context, size_t i, int status);
} rl_pool;

// Runs all tasks, in order. One that fails does not stop the others; a signal stops all. False when
// out of memory.
bool rl_pool_run(const rl_pool *pool);

// The order in which `count` tasks of these efforts start: the longest must not begin when nothing
// else is left to do.
void rl_longest_first(const double *efforts, size_t count, size_t *order);

// Ends this process by SIGXCPU after so many whole seconds of processor time, rounded up; 0 or nan:
// does not.
void rl_limit_time(double seconds);

// Whether a process ended by that limit, of its status.
bool rl_ended_late(int status);

// Memory that this process and its tasks share, zero at the start; NULL with errno set.
void *rl_shared_create(size_t count, size_t size);
void rl_shared_free(void *memory, size_t count, size_t size);

#endif
