// SPDX-License-Identifier: GPL-3.0-or-later
#include "signals.h"

#include "run.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t interrupted = 0;
static volatile sig_atomic_t writing = 0;

// Once results are being written, a signal only asks the run to end after its step; a second SIGINT
// ends the program at once.
static void on_signal(int number) {
  if (!writing || (number == SIGINT && interrupted == SIGINT)) {
    _exit(RL_EXIT_INTERRUPTED);
  }
  interrupted = number;
}

void rl_run_catch_signals(void) {
  struct sigaction action = {.sa_handler = on_signal};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  struct sigaction hangup;
  if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) { // not under nohup
    sigaction(SIGHUP, &action, NULL);
  }
  signal(SIGPIPE, SIG_IGN); // a closed stderr must not end a run
  signal(SIGXFSZ, SIG_IGN); // a write beyond the file size limit fails with EFBIG instead
  signal(SIGCHLD, SIG_DFL); // an inherited SIG_IGN would make waitpid fail
}

void rl_run_begin_writing(void) { writing = 1; }

bool rl_run_interrupted(void) { return interrupted != 0; }
