// SPDX-License-Identifier: GPL-3.0-or-later
#include "shipped.h"

#include "options.h"
#include "words.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

const rl_shipped rl_shipped_scenarios = {"scenarios", "scenario",
                                         "`ropelab list scenarios` has those that are shipped"};
const rl_shipped rl_shipped_studies = {"analysis/studies", "study",
                                       "`ropelab list studies` has those that are shipped"};

static int compare_names(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

char **rl_shipped_names(const rl_shipped *kind, size_t *count) {
  char folder[RL_PATH_MAX];
  char **names = calloc(RL_LIST_MAX, sizeof *names);
  *count = 0;
  DIR *directory = rl_data_path(folder, kind->folder) ? opendir(folder) : NULL;
  for (struct dirent *entry = NULL; names && directory && (entry = readdir(directory));) {
    const size_t length = strlen(entry->d_name);
    if (length > 5 && strcmp(entry->d_name + length - 5, ".yaml") == 0 && *count < RL_LIST_MAX) {
      char *name = strdup(entry->d_name);
      if (name) {
        name[length - 5] = '\0';
        names[(*count)++] = name;
      }
    }
  }
  if (directory) {
    closedir(directory);
  }
  if (names) {
    qsort(names, *count, sizeof *names, compare_names);
  }
  return names;
}

void rl_names_free(char **names, size_t count) {
  for (size_t i = 0; i < count; i++) {
    free(names[i]);
  }
  free(names);
}

bool rl_shipped_find(const rl_shipped *kind, const char *name, char path[RL_PATH_MAX],
                     char *message, size_t size) {
  // A folder is skipped: results may have the name of a scenario.
  if (rl_file_exists(name) && !rl_is_folder(name)) {
    return snprintf(path, RL_PATH_MAX, "%s", name) < RL_PATH_MAX;
  }
  char shipped[RL_PATH_MAX];
  if (!strchr(name, '/') &&
      snprintf(shipped, sizeof shipped, "%s/%s.yaml", kind->folder, name) < (int)sizeof shipped &&
      rl_data_path(path, shipped) && rl_file_exists(path)) {
    return true;
  }
  const size_t length = strlen(name);
  if (length > 5 && strcmp(name + length - 5, ".yaml") == 0) {
    snprintf(message, size, rl_is_folder(name) ? "'%s' is a folder; %s" : "no file '%s'; %s", name,
             kind->where);
    return false;
  }
  size_t count = 0;
  char **names = rl_shipped_names(kind, &count);
  char hint[256];
  rl_suggest(hint, sizeof hint, name, (const char *const *)names, count);
  snprintf(message, size, "no %s '%s': %s, and no shipped %s; %s (%s)", kind->what, name,
           rl_is_folder(name) ? "a folder" : "no file", kind->what, hint, kind->where);
  rl_names_free(names, count);
  return false;
}

int rl_diagnostic_status(const rl_diagnostic *diagnostic) {
  return diagnostic->unsupported     ? RL_EXIT_UNSUPPORTED
         : diagnostic->out_of_memory ? RL_EXIT_FAILED
                                     : RL_EXIT_USAGE;
}

rl_scenario *rl_load_silently(const char *name, const rl_override *overrides, size_t override_count,
                              const char *const *probes, size_t probe_count, char path[RL_PATH_MAX],
                              rl_diagnostic *diagnostic, int *status) {
  char message[RL_PATH_MAX + 640];
  if (!rl_shipped_find(&rl_shipped_scenarios, name, path, message, sizeof message)) {
    fprintf(stderr, "ropelab: %s\n", message);
    *path = '\0';
    *status = RL_EXIT_USAGE;
    return NULL;
  }
  rl_scenario *scenario = rl_scenario_from_file(path, overrides, override_count, diagnostic);
  for (size_t i = 0; scenario && i < probe_count; i++) {
    if (!rl_scenario_add_probe(scenario, probes[i], diagnostic)) {
      rl_scenario_free(scenario);
      scenario = NULL;
    }
  }
  if (!scenario) {
    *status = rl_diagnostic_status(diagnostic);
  }
  return scenario;
}

rl_scenario *rl_load_changed(const char *name, const rl_override *overrides, size_t override_count,
                             const char *const *probes, size_t probe_count,
                             rl_diagnostic *diagnostic, int *status) {
  char path[RL_PATH_MAX];
  rl_scenario *scenario = rl_load_silently(name, overrides, override_count, probes, probe_count,
                                           path, diagnostic, status);
  if (!scenario && *path) {
    rl_diagnostic_print(stderr, path, diagnostic);
  }
  return scenario;
}
