// SPDX-License-Identifier: GPL-3.0-or-later
#include "timing.h"

#include <math.h>
#include <stdio.h>
#include <sys/resource.h>
#include <time.h>
#include <unistd.h>

const double rl_idle_share = 0.05;

static double read_clock(clockid_t clock) {
  struct timespec now;
  clock_gettime(clock, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

double rl_seconds_now(void) { return read_clock(CLOCK_MONOTONIC); }

double rl_seconds_used(void) { return read_clock(CLOCK_PROCESS_CPUTIME_ID); }

static double processor_time(int who) {
  struct rusage usage;
  if (getrusage(who, &usage) != 0) {
    return NAN;
  }
  return (double)usage.ru_utime.tv_sec + (double)usage.ru_stime.tv_sec +
         1e-6 * ((double)usage.ru_utime.tv_usec + (double)usage.ru_stime.tv_usec);
}

// Reads the first line of /proc/stat: "cpu", then ticks of user, nice, system, idle, iowait, irq,
// softirq and steal (time taken by other virtual machines).
rl_load rl_load_now(void) {
  enum { FIELDS = 8, IDLE = 3, WAITING = 4 };
  unsigned long long ticks[FIELDS] = {0};
  FILE *file = fopen("/proc/stat", "r");
  const int found =
      file ? fscanf(file, "cpu %llu %llu %llu %llu %llu %llu %llu %llu", &ticks[0], &ticks[1],
                    &ticks[2], &ticks[3], &ticks[4], &ticks[5], &ticks[6], &ticks[7])
           : 0;
  if (file) {
    fclose(file);
  }
  if (found != FIELDS) {
    return (rl_load){NAN, NAN, NAN};
  }
  double all = 0.0;
  for (int i = 0; i < FIELDS; i++) {
    all += (double)ticks[i];
  }
  const double second = (double)sysconf(_SC_CLK_TCK);
  return (rl_load){(all - (double)ticks[IDLE] - (double)ticks[WAITING]) / second,
                   processor_time(RUSAGE_SELF) + processor_time(RUSAGE_CHILDREN), all / second};
}

double rl_load_of_others(rl_load before, rl_load after) {
  const double all = after.all - before.all;
  const double others = after.used - before.used - (after.own - before.own);
  return all > 0.0 ? fmax(0.0, others) / all : NAN;
}

void rl_show_done(size_t done, size_t count, const char *noun) {
  static const double pause = 30.0; // between two lines where there is no terminal [s]
  static double shown = NAN;
  const double now = rl_seconds_now();
  if (isatty(STDERR_FILENO)) {
    fprintf(stderr, "\r%zu of %zu %s%s", done, count, noun, done == count ? "\r\033[K" : "");
  } else if (done <= 1 || isnan(shown)) {
    shown = now;
  } else if (now - shown > pause) {
    fprintf(stderr, "%zu of %zu %s\n", done, count, noun);
    shown = now;
  }
}
