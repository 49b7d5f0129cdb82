// SPDX-License-Identifier: GPL-3.0-or-later
#include "results_folder.h"

#include "csv.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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

// ---------------------------------------------------------------------------------------------
// What there may be already

static const char *const files[] = {
    "summary.csv", "timing.csv",      "convergence.csv", "orders.csv",
    "fits.csv",    "precision.csv",   "onestep.csv",     "reproduce.csv",
    "report.html", "consistency.csv", "reproduce.json",  "study.json",
};

// Folders, and how the names of the files end that are theirs.
static const struct {
  const char *name;
  const char *const endings[4];
} folders[] = {{"figures", {".svg", ".png", ".pdf"}}, {"curves", {".csv"}}};

enum {
  FILES = sizeof files / sizeof files[0],
  FOLDERS = sizeof folders / sizeof folders[0],
};

static bool ends_with(const char *text, const char *ending) {
  const size_t length = strlen(text), end = strlen(ending);
  return length >= end && strcmp(text + length - end, ending) == 0;
}

static bool visit_folder(const char *folder, const char *name, const char *const *endings,
                         bool accept(const char *path)) {
  char path[RL_PATH_MAX], file[RL_PATH_MAX];
  bool good = rl_path_join(path, folder, name);
  DIR *directory = good ? opendir(path) : NULL;
  for (struct dirent *entry = NULL; directory && good && (entry = readdir(directory));) {
    for (size_t i = 0; endings[i] && good; i++) {
      if (ends_with(entry->d_name, endings[i])) {
        good = rl_path_join(file, path, entry->d_name) && accept(file);
      }
    }
  }
  if (directory) {
    closedir(directory);
  }
  return good;
}

// Shows the paths of all that is there to `accept`, until it refuses one. study.json is last: while
// it is there --resume goes on.
static bool visit(const char *folder, bool accept(const char *path)) {
  char path[RL_PATH_MAX];
  bool good = true;
  for (size_t i = 0; i < FOLDERS && good; i++) {
    good = visit_folder(folder, folders[i].name, folders[i].endings, accept);
  }
  for (size_t i = 0; i < FILES && good; i++) {
    good = rl_path_join(path, folder, files[i]) && (!rl_file_exists(path) || accept(path));
  }
  return good;
}

static bool refuse_file(const char *path) {
  fprintf(stderr, "ropelab: %s is there already; --force replaces it\n", path);
  return false;
}

// Whether one of the tables is there that come last.
static bool has_results(const char *folder) {
  char path[RL_PATH_MAX];
  return (rl_path_join(path, folder, "summary.csv") && rl_file_exists(path)) ||
         (rl_path_join(path, folder, "reproduce.csv") && rl_file_exists(path));
}

bool rl_claim_named(const char *folder, const char *what, bool replace, double patience) {
  if (rl_run_has_result(folder)) { // which would be mistaken for this one
    fprintf(stderr, "ropelab: %s holds the result of a single run; expected another folder\n",
            folder);
    return false;
  }
  if (has_results(folder) && !replace) {
    fprintf(stderr, "ropelab: %s already holds a %s; --force replaces it\n", folder, what);
    return false;
  }
  if (!replace && !visit(folder, refuse_file)) {
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
  return true;
}

bool rl_claim_folder(char folder[RL_PATH_MAX], const rl_arguments *arguments, const char *command,
                     const char *subject, const char *what) {
  if (!choose(folder, arguments, command, subject)) {
    fprintf(stderr, "ropelab: the name of the folder is too long\n");
    return false;
  }
  return rl_claim_named(folder, what, arguments->force, 0.0);
}

bool rl_claim_results(char folder[RL_PATH_MAX], const rl_arguments *arguments, const char *command,
                      const char *scenario) {
  return rl_claim_folder(folder, arguments, command, scenario, "comparison");
}

bool rl_results_allow(const char *scenario) {
  bool taken = false;
  for (size_t i = 0; i < FILES; i++) { // each is first written beside its place, as NAME.new
    const size_t length = strlen(files[i]);
    const bool begins = strncmp(scenario, files[i], length) == 0;
    taken = taken || (begins && (!scenario[length] || strcmp(scenario + length, ".new") == 0));
  }
  for (size_t i = 0; i < FOLDERS; i++) {
    taken = taken || strcmp(scenario, folders[i].name) == 0;
  }
  if (taken) {
    fprintf(stderr,
            "ropelab: a scenario is called '%s', as an output is that stands beside its runs; "
            "expected another name (--set name=...)\n",
            scenario);
  }
  return !taken;
}

static bool is_cell(const char *folder, const rl_cell *cells, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (strcmp(cells[i].folder, folder) == 0) {
      return true;
    }
  }
  return false;
}

// A run of the old table, and its folders if nothing else is in them.
static bool clear_run(const char *folder, const char *scenario, const char *label,
                      const rl_cell *cells, size_t count) {
  char above[RL_PATH_MAX], path[RL_PATH_MAX];
  const bool plain = *scenario && *label && *scenario != '.' && *label != '.' &&
                     !strchr(scenario, '/') && !strchr(label, '/');
  if (!plain || !rl_path_join(above, folder, scenario) || !rl_path_join(path, above, label) ||
      is_cell(path, cells, count) || !rl_is_folder(path) || rl_folder_is_locked(path)) {
    return true; // no run of that table, or not to be removed
  }
  if (!rl_run_remove_result(path)) {
    return false;
  }
  rmdir(path);
  rmdir(above);
  return true;
}

static bool clear_runs(const char *folder, const rl_cell *cells, size_t count) {
  char path[RL_PATH_MAX], *text = NULL;
  size_t size = 0;
  FILE *table = rl_path_join(path, folder, "summary.csv") ? fopen(path, "r") : NULL;
  bool good = true;
  for (bool header = true; table && good && getline(&text, &size, table) > 0;) {
    if (*text == '#') {
      continue;
    }
    char *rest = text;
    const char *scenario = rl_csv_read_text(&rest);
    const char *label = rl_csv_read_text(&rest);
    good = header || clear_run(folder, scenario, label, cells, count);
    header = false;
  }
  if (table) {
    fclose(table);
  }
  free(text);
  return good;
}

bool rl_results_clear(const char *folder, bool runs, const rl_cell *cells, size_t count) {
  const bool good = (!runs || clear_runs(folder, cells, count)) && visit(folder, rl_remove_file);
  if (!good) {
    fprintf(stderr, "ropelab: %s: cannot replace what is there: %s\n", folder, strerror(errno));
  }
  return good;
}
