// SPDX-License-Identifier: GPL-3.0-or-later
#include "listed_files.h"

#include "files.h"

#include <stdlib.h>
#include <string.h>

bool rl_listed_begin(const char *folder, char *const *names, size_t count) {
  char path[RL_PATH_MAX];
  rl_new_file file;
  if (!rl_path_join(path, folder, RL_LIST_NAME) || !rl_new_file_open(&file, path)) {
    return false;
  }
  fputs("# ropelab files, format 1: which of report.html, figures/ and curves/ are ropelab's\n",
        file.out);
  for (size_t i = 0; i < count; i++) {
    fprintf(file.out, "%s\n", names[i]);
  }
  return rl_new_file_close(&file);
}

// Whether a name is of a kind that the list may have; others are ignored.
static bool is_name(const char *name) {
  static const char *const folders[] = {"figures/", "curves/"};
  for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
    const size_t length = strlen(folders[i]);
    if (strncmp(name, folders[i], length) == 0) {
      return name[length] && name[length] != '.' && !strchr(name + length, '/');
    }
  }
  return strcmp(name, "report.html") == 0;
}

// Visits a file and the NAME.new that a killed process may have left.
static bool visit_both(const char *folder, const char *name, bool accept(const char *path)) {
  static const char *const endings[] = {"", ".new"};
  char path[RL_PATH_MAX];
  bool good = true;
  for (size_t i = 0; i < sizeof endings / sizeof endings[0] && good; i++) {
    good = snprintf(path, sizeof path, "%s/%s%s", folder, name, endings[i]) < RL_PATH_MAX &&
           (!rl_file_exists(path) || accept(path));
  }
  return good;
}

bool rl_listed_visit(const char *folder, bool accept(const char *path)) {
  char path[RL_PATH_MAX], *name = NULL;
  size_t size = 0;
  FILE *list = rl_path_join(path, folder, RL_LIST_NAME) ? fopen(path, "r") : NULL;
  bool good = true;
  while (list && good && getline(&name, &size, list) > 0) {
    name[strcspn(name, "\n")] = '\0';
    good = !is_name(name) || visit_both(folder, name, accept);
  }
  if (list) {
    fclose(list);
  }
  free(name);
  return good;
}

bool rl_listed_remove(const char *folder) {
  char path[RL_PATH_MAX];
  return rl_listed_visit(folder, rl_remove_file) && rl_path_join(path, folder, RL_LIST_NAME) &&
         rl_remove_file(path);
}
