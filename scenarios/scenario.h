// SPDX-License-Identifier: GPL-3.0-or-later
// Reads scenarios: text -> tree (libyaml) -> definition -> model. Every fault is reported as
// file:line:column with the line, a caret and the nearest valid word.
#ifndef RL_SCENARIO_H
#define RL_SCENARIO_H

#include <stdio.h>

#include "exact/exact.h"
#include "probe.h"
#include "tree.h"
#include "world/model.h"

// The largest scenario text [bytes].
#define RL_SCENARIO_BYTES_MAX ((size_t)16 << 20)

// A fault, ready to be printed.
typedef struct rl_diagnostic {
  bool unsupported;      // valid, but not supported by this version (exit status 4 instead of 2)
  bool out_of_memory;    // not a fault of the scenario (exit status 1 instead of 2)
  size_t line, column;   // 1-based, column in characters; 0: no position
  size_t caret;          // number of characters of source_line before the caret
  char message[512];     // what was found, what was expected, "did you mean"
  char source_line[256]; // the line, cut if it is long, with control characters replaced
} rl_diagnostic;

typedef struct rl_scenario {
  const char *file; // as given, for messages
  const char *name;
  const char *title;
  const char *about;
  double duration;          // [s]
  double step;              // default time step [s]
  rl_definition definition; // all defaults filled in: what `check --json` prints
  rl_model *model;
  size_t probe_count;
  const char *const *probe_names;
  const rl_probe *probes;
  const rl_exact_type *exact; // NULL if there is none
  uint32_t exact_arguments[RL_EXACT_ARGUMENTS_MAX];
  const rl_tree *tree; // as read, overrides applied
  void *memory;        // owns all of the above
} rl_scenario;

// `--set path=value`; the path consists of keys and list indices joined by dots.
typedef struct rl_override {
  const char *path;
  const char *value; // YAML
} rl_override;

// The largest number of steps: up to here a double represents every integer.
#define RL_STEPS_MAX 9007199254740992.0

// Reads a scenario from text; `file` is its name in messages. Returns NULL on a fault and fills in
// `diagnostic`.
rl_scenario *rl_scenario_from_text(const char *text, size_t length, const char *file,
                                   const rl_override *overrides, size_t override_count,
                                   rl_diagnostic *diagnostic);

// Reads a scenario file (at most RL_SCENARIO_BYTES_MAX).
rl_scenario *rl_scenario_from_file(const char *path, const rl_override *overrides,
                                   size_t override_count, rl_diagnostic *diagnostic);

void rl_scenario_free(rl_scenario *scenario);

// Adds a probe from the command line; false with a diagnostic.
bool rl_scenario_add_probe(rl_scenario *scenario, const char *name, rl_diagnostic *diagnostic);

// Prints "file:line:column: error: message", the line and a caret, or "error: unsupported: message"
// for a valid scenario that this version does not support.
void rl_diagnostic_print(FILE *out, const char *file, const rl_diagnostic *diagnostic);

#endif
