// SPDX-License-Identifier: GPL-3.0-or-later
#include "pool.h"

#include "run.h"
#include "timing.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static pid_t start_task(const rl_pool *pool, size_t i) {
  fflush(NULL);
  const pid_t parent = getpid();
  const pid_t child = fork();
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM); // a child without its parent has nobody to report to
    _exit(getppid() == parent ? pool->work(pool->context, i) : RL_EXIT_INTERRUPTED);
  }
  return child;
}

// Waits up to 2 ms for a task to end and returns whether one did. A blocking wait could miss a
// signal that arrives just before it, and the tasks would not be stopped.
static bool wait_for_one(const rl_pool *pool, pid_t *processes) {
  int status = 0;
  const pid_t process = waitpid(-1, &status, WNOHANG);
  if (process <= 0) {
    nanosleep(&(struct timespec){.tv_nsec = 2000000}, NULL);
    return false;
  }
  for (size_t i = 0; i < pool->count; i++) {
    if (processes[i] == process) {
      processes[i] = 0;
      pool->ended(pool->context, i, status);
    }
  }
  return true;
}

static bool is_over(const rl_pool *pool) {
  return rl_run_interrupted() || (pool->is_over && *pool->is_over);
}

bool rl_pool_run(const rl_pool *pool) {
  pid_t *processes = calloc(pool->count + 1, sizeof *processes);
  if (!processes) {
    return false;
  }
  rl_run_begin_writing();
  const long jobs = pool->jobs > 0 ? pool->jobs : sysconf(_SC_NPROCESSORS_ONLN);
  long running = 0;
  size_t next = 0, done = 0;
  bool stopped = false;
  while (running > 0 || (next < pool->count && !is_over(pool))) {
    for (; running < jobs && next < pool->count && !is_over(pool); next++) {
      processes[next] = start_task(pool, next);
      if (processes[next] > 0) {
        running++;
      } else {
        pool->ended(pool->context, next, -1);
        done++;
      }
    }
    for (size_t i = 0; is_over(pool) && !stopped && i < next; i++) {
      if (processes[i] > 0) {
        kill(processes[i], SIGTERM);
      }
    }
    stopped = is_over(pool);
    if (running > 0 && wait_for_one(pool, processes)) {
      running--;
      rl_show_done(++done, pool->count, pool->noun);
    }
  }
  free(processes);
  return true;
}

void rl_longest_first(const double *efforts, size_t count, size_t *order) {
  for (size_t i = 0; i < count; i++) {
    size_t place = i;
    for (; place > 0 && efforts[order[place - 1]] < efforts[i]; place--) {
      order[place] = order[place - 1];
    }
    order[place] = i;
  }
}

void rl_limit_time(double seconds) {
  if (seconds > 0.0) {
    const rlim_t most = (rlim_t)ceil(seconds);
    setrlimit(RLIMIT_CPU, &(struct rlimit){most, most + 1});
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0});
  }
}

bool rl_ended_by_limit(int status) {
  return status != -1 && WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU;
}

void *rl_shared_create(size_t count, size_t size) {
  void *memory =
      mmap(NULL, (count + 1) * size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void rl_shared_free(void *memory, size_t count, size_t size) {
  if (memory) {
    munmap(memory, (count + 1) * size);
  }
}
