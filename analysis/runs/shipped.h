// SPDX-License-Identifier: GPL-3.0-or-later
// Scenarios and studies by name: a file, or one that is shipped with the program.
#ifndef RL_SHIPPED_H
#define RL_SHIPPED_H

#include "results/files.h"
#include "scenario.h"

// Loads the scenario `name`, a file or a shipped scenario, with overrides and additional probes.
// Returns NULL after printing the fault and storing the exit status; a fault in the scenario itself
// is also left in `diagnostic`.
rl_scenario *rl_load_changed(const char *name, const rl_override *overrides, size_t override_count,
                             const char *const *probes, size_t probe_count,
                             rl_diagnostic *diagnostic, int *status);

// The same without printing a fault in the scenario, so that the caller can print it as one of the
// file `path`; an empty `path` means that no file was found, which is printed.
rl_scenario *rl_load_silently(const char *name, const rl_override *overrides, size_t override_count,
                              const char *const *probes, size_t probe_count, char path[RL_PATH_MAX],
                              rl_diagnostic *diagnostic, int *status);

// Returns the exit status for a fault in a file.
int rl_diagnostic_status(const rl_diagnostic *diagnostic);

// A kind of shipped file.
typedef struct rl_shipped {
  const char *folder; // "scenarios"
  const char *what;   // singular, "scenario"
  const char *where;  // hint, "`ropelab list scenarios` has all"
} rl_shipped;

extern const rl_shipped rl_shipped_scenarios, rl_shipped_studies;

// Returns the names of all shipped files of a kind, sorted; free them with rl_names_free. NULL: out
// of memory.
char **rl_shipped_names(const rl_shipped *kind, size_t *count);
void rl_names_free(char **names, size_t count);

// Finds the file meant by `name`: an existing file, or a shipped one. False with a message.
bool rl_shipped_find(const rl_shipped *kind, const char *name, char path[RL_PATH_MAX],
                     char *message, size_t size);

#endif
