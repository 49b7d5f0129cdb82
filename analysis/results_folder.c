// SPDX-License-Identifier: GPL-3.0-or-later
#include "results_folder.h"

#include <errno.h>
#include <string.h>

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

bool rl_claim_folder(char folder[RL_PATH_MAX], const rl_arguments *arguments, const char *command,
                     const char *subject, const char *table, const char *what) {
  char path[RL_PATH_MAX];
  if (!choose(folder, arguments, command, subject) || !rl_path_join(path, folder, table)) {
    fprintf(stderr, "ropelab: the name of the folder is too long\n");
    return false;
  }
  if (rl_run_has_result(folder)) { // which would be mistaken for this one
    fprintf(stderr, "ropelab: %s holds the result of a single run; expected another folder\n",
            folder);
    return false;
  }
  if (rl_file_exists(path) && !arguments->force) {
    fprintf(stderr, "ropelab: %s already holds a %s; --force replaces it\n", folder, what);
    return false;
  }
  if (!rl_make_folders(folder)) {
    fprintf(stderr, "ropelab: cannot write into %s: %s\n", folder, strerror(errno));
    return false;
  }
  if (!rl_lock_folder(folder)) {
    fprintf(stderr, "ropelab: another run is writing into %s; expected another folder\n", folder);
    return false;
  }
  if (!rl_remove_file(path)) {
    fprintf(stderr, "ropelab: cannot write into %s: %s\n", folder, strerror(errno));
    return false;
  }
  return true;
}

bool rl_claim_results(char folder[RL_PATH_MAX], const rl_arguments *arguments, const char *command,
                      const char *scenario) {
  return rl_claim_folder(folder, arguments, command, scenario, "summary.csv", "comparison");
}
