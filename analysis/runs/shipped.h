// SPDX-License-Identifier: GPL-3.0-or-later
// Scenarios and studies by name: files, or those that are shipped with the program.
#ifndef RL_SHIPPED_H
#define RL_SHIPPED_H

#include "results/files.h"
#include "scenario.h"

// Loads the scenario that is called `name`: a file, or one of the shipped; with changes, and more
// probes. NULL with the message printed and the exit status stored, and the fault, if it lies in
// the scenario.
rl_scenario *rl_load_changed(const char *name, const rl_override *overrides, size_t override_count,
                             const char *const *probes, size_t probe_count,
                             rl_diagnostic *diagnostic, int *status);

// The same, but a fault in the scenario is left for printing, as one of the file at `path`; that is
// empty where there is no such file.
rl_scenario *rl_load_silently(const char *name, const rl_override *overrides, size_t override_count,
                              const char *const *probes, size_t probe_count, char path[RL_PATH_MAX],
                              rl_diagnostic *diagnostic, int *status);

// The exit status that a fault in a file stands for.
int rl_diagnostic_status(const rl_diagnostic *diagnostic);

// Files that are shipped with the program: the folder of their kind, what one is called, and where
// all stand.
typedef struct rl_shipped {
  const char *folder; // "scenarios"
  const char *what;   // "scenario"
  const char *where;  // "`ropelab list scenarios` has all"
} rl_shipped;

extern const rl_shipped rl_shipped_scenarios, rl_shipped_studies;

// Their names, sorted; free with rl_names_free.
char **rl_shipped_names(const rl_shipped *kind, size_t *count);
void rl_names_free(char **names, size_t count);

// The file that is meant by a name: a file, or a shipped one. False, and what is wrong.
bool rl_shipped_find(const rl_shipped *kind, const char *name, char path[RL_PATH_MAX],
                     char *message, size_t size);

#endif
