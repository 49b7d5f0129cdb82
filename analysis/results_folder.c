// SPDX-License-Identifier: GPL-3.0-or-later
#include "results_folder.h"

#include <errno.h>
#include <string.h>
#include <time.h>

static bool choose(char folder[RL_PATH_MAX], const rl_arguments *arguments, const char *command,
                   const char *scenario) {
  int length = 0;
  if (arguments->out) {
    length = snprintf(folder, RL_PATH_MAX, "%s", arguments->out);
  } else {
    length = snprintf(folder, RL_PATH_MAX, "out/%s%s%s", command, scenario ? "-" : "",
                      scenario ? scenario : "");
  }
  return length < RL_PATH_MAX;
}

// Tries again for a while: who was killed may still be writing a last line.
static bool lock_patiently(const char *folder, double patience) {
  const double pause = 0.05; // [s]
  for (double waited = 0.0;; waited += pause) {
    if (rl_lock_folder(folder)) {
      return true;
    }
    if (waited >= patience || rl_run_interrupted()) {
      return false;
    }
    nanosleep(&(struct timespec){.tv_nsec = (long)(pause * 1e9)}, NULL);
  }
}

bool rl_claim_named(const char *folder, const char *table, const char *what, bool replace,
                    double patience) {
  char path[RL_PATH_MAX];
  if (!rl_path_join(path, folder, table)) {
    fprintf(stderr, "ropelab: the name of the folder is too long\n");
    return false;
  }
  if (rl_run_has_result(folder)) { // which would be mistaken for this one
    fprintf(stderr, "ropelab: %s holds the result of a single run; expected another folder\n",
            folder);
    return false;
  }
  if (rl_file_exists(path) && !replace) {
    fprintf(stderr, "ropelab: %s already holds a %s; --force replaces it\n", folder, what);
    return false;
  }
  if (!rl_make_folders(folder)) {
    fprintf(stderr, "ropelab: cannot write into %s: %s\n", folder, strerror(errno));
    return false;
  }
  if (!lock_patiently(folder, patience)) {
    fprintf(stderr, "ropelab: another run is writing into %s; expected another folder\n", folder);
    return false;
  }
  if (!rl_remove_file(path)) {
    fprintf(stderr, "ropelab: cannot write into %s: %s\n", folder, strerror(errno));
    return false;
  }
  return true;
}

bool rl_claim_folder(char folder[RL_PATH_MAX], const rl_arguments *arguments, const char *command,
                     const char *subject, const char *table, const char *what) {
  if (!choose(folder, arguments, command, subject)) {
    fprintf(stderr, "ropelab: the name of the folder is too long\n");
    return false;
  }
  return rl_claim_named(folder, table, what, arguments->force, 0.0);
}

bool rl_claim_results(char folder[RL_PATH_MAX], const rl_arguments *arguments, const char *command,
                      const char *scenario) {
  return rl_claim_folder(folder, arguments, command, scenario, "summary.csv", "comparison");
}
