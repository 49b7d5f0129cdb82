// SPDX-License-Identifier: GPL-3.0-or-later
#include "results_folder.h"

#include "csv.h"
#include "listed_files.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

// How long to wait for a stopped command that may still be writing its last line [s].
static const double patience = 10.0;

bool rl_results_choose_folder(char folder[RL_PATH_MAX], const rl_arguments *arguments,
                              const char *command, const char *subject) {
  const int length = arguments->out ? snprintf(folder, RL_PATH_MAX, "%s", arguments->out)
                                    : snprintf(folder, RL_PATH_MAX, "out/%s%s%s", command,
                                               subject ? "-" : "", subject ? subject : "");
  if (length >= RL_PATH_MAX) {
    fprintf(stderr, "ropelab: the name of the folder is too long\n");
  }
  return length < RL_PATH_MAX;
}

static bool lock_patiently(const char *folder, double wait) {
  const double pause = 0.05; // [s]
  for (double waited = 0.0;; waited += pause) {
    if (rl_lock_folder(folder)) {
      return true;
    }
    if (waited >= wait || rl_run_interrupted()) {
      return false;
    }
    nanosleep(&(struct timespec){.tv_nsec = (long)(pause * 1e9)}, NULL);
  }
}

// ---------------------------------------------------------------------------------------------
// Existing files

static const char *const files[] = {
    "summary.csv",    "timing.csv",  "convergence.csv", "orders.csv",  "fits.csv",
    "precision.csv",  "onestep.csv", "reproduce.csv",   "report.html", "consistency.csv",
    "reproduce.json", RL_LIST_NAME,  "study.json",
};

// Folders of listed files, and perhaps of the user's.
static const char *const folders[] = {"figures", "curves"};

enum {
  FILES = sizeof files / sizeof files[0],
  FOLDERS = sizeof folders / sizeof folders[0],
};

// Calls `accept` with the path of each existing file until it refuses one; false then. study.json,
// which marks a study that --resume can continue, is last.
static bool visit(const char *folder, bool accept(const char *path)) {
  char path[RL_PATH_MAX];
  bool good = rl_listed_visit(folder, accept);
  for (size_t i = 0; i < FILES && good; i++) {
    good = rl_path_join(path, folder, files[i]) && (!rl_file_exists(path) || accept(path));
  }
  return good;
}

static bool refuse_file(const char *path) {
  fprintf(stderr, "ropelab: %s is there already; --force replaces it\n", path);
  return false;
}

static bool has_any(const char *folder, const char *const *names, size_t count) {
  char path[RL_PATH_MAX];
  for (size_t i = 0; i < count; i++) {
    if (rl_path_join(path, folder, names[i]) && rl_file_exists(path)) {
      return true;
    }
  }
  return false;
}

bool rl_folder_has_several_runs(const char *folder) {
  static const char *const first_and_last[] = {"study.json", "reproduce.json", "summary.csv"};
  return has_any(folder, first_and_last, sizeof first_and_last / sizeof first_and_last[0]);
}

// Whether one of the tables exists that a finished command writes last.
static bool has_results(const char *folder) {
  static const char *const last[] = {"summary.csv", "reproduce.csv"};
  return has_any(folder, last, sizeof last / sizeof last[0]);
}

// Whether each of the folders exists or can be made.
static bool has_room(const char *folder) {
  char path[RL_PATH_MAX];
  for (size_t i = 0; i < FOLDERS; i++) {
    if (rl_path_join(path, folder, folders[i]) && !rl_has_room_for_folder(path)) {
      return false;
    }
  }
  return true;
}

bool rl_results_claim(const char *folder, const char *what, bool replace, bool wait) {
  if (rl_run_has_result(folder)) { // a report would take the folder for that of the run
    fprintf(stderr, "ropelab: %s holds the result of a single run; expected another folder\n",
            folder);
    return false;
  }
  if (has_results(folder) && !replace) {
    fprintf(stderr, "ropelab: %s already holds a %s; --force replaces it\n", folder, what);
    return false;
  }
  if (!has_room(folder) || (!replace && !visit(folder, refuse_file))) {
    return false;
  }
  if (!rl_make_results_folder(folder)) {
    return false;
  }
  if (!lock_patiently(folder, wait ? patience : 0.0)) {
    fprintf(stderr, "ropelab: another run is writing into %s; expected another folder\n", folder);
    return false;
  }
  return true;
}

bool rl_results_allow_name(const char *scenario) {
  bool taken = false;
  for (size_t i = 0; i < FILES; i++) { // NAME, or NAME.new while it is being written
    const size_t length = strlen(files[i]);
    const bool begins = strncmp(scenario, files[i], length) == 0;
    taken = taken || (begins && (!scenario[length] || strcmp(scenario + length, ".new") == 0));
  }
  for (size_t i = 0; i < FOLDERS; i++) {
    taken = taken || strcmp(scenario, folders[i]) == 0;
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

// Removes a run of the old table, and its folders if they are empty then.
static bool clear_run(const char *folder, const char *scenario, const char *label,
                      const rl_cell *cells, size_t count) {
  char above[RL_PATH_MAX], path[RL_PATH_MAX];
  const bool plain = *scenario && *label && *scenario != '.' && *label != '.' &&
                     !strchr(scenario, '/') && !strchr(label, '/');
  if (!plain || !rl_path_join(above, folder, scenario) || !rl_path_join(path, above, label) ||
      is_cell(path, cells, count) || !rl_is_folder(path) || rl_folder_is_locked(path)) {
    return true; // no run of that table, one of the new cells, or in use
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
  bool good = true, ours = false;
  for (bool header = true; table && good && getline(&text, &size, table) > 0;) {
    if (*text == '#') {
      ours = ours || strncmp(text, "# ropelab ", strlen("# ropelab ")) == 0;
      continue;
    }
    char *rest = text;
    const char *scenario = rl_csv_read_text(&rest);
    const char *label = rl_csv_read_text(&rest);
    good = header || !ours || clear_run(folder, scenario, label, cells, count);
    header = false;
  }
  if (table) {
    fclose(table);
  }
  free(text);
  return good;
}

// Notes the files in figures/ and curves/ that are not ropelab's.
static void note_foreign(const char *folder) {
  char path[RL_PATH_MAX], first[RL_PATH_MAX];
  for (size_t i = 0; i < FOLDERS; i++) {
    size_t count = 0;
    DIR *directory = rl_path_join(path, folder, folders[i]) ? opendir(path) : NULL;
    for (struct dirent *entry = NULL; directory && (entry = readdir(directory));) {
      if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0 && count++ == 0) {
        snprintf(first, sizeof first, "%s", entry->d_name);
      }
    }
    if (directory) {
      closedir(directory);
    }
    if (count > 0) {
      fprintf(stderr, "ropelab: note: %s holds what is not ropelab's and stays: %s%s\n", path,
              first, count > 1 ? ", ..." : "");
    }
  }
}

static bool remove_file(const char *path) {
  const bool good = rl_remove_file(path);
  if (!good) {
    fprintf(stderr, "ropelab: cannot replace %s: %s\n", path, strerror(errno));
  }
  return good;
}

bool rl_results_clear(const char *folder, bool runs, const rl_cell *cells, size_t count) {
  if (runs && !clear_runs(folder, cells, count)) {
    fprintf(stderr, "ropelab: %s: cannot replace what is there: %s\n", folder, strerror(errno));
    return false;
  }
  if (!visit(folder, remove_file)) {
    return false;
  }
  if (runs) {
    note_foreign(folder);
  }
  return true;
}
