// SPDX-License-Identifier: GPL-3.0-or-later
// Reading a scenario: text -> tree (libyaml) -> definition -> model, with every fault reported as
// file:line:column, the line, a caret and the nearest valid word.
#ifndef RL_SCENARIO_H
#define RL_SCENARIO_H

#include <stdio.h>

#include "exact/exact.h"
#include "probe.h"
#include "tree.h"
#include "world/model.h"

// The largest scenario text [bytes].
#define RL_SCENARIO_BYTES_MAX ((size_t)16 << 20)

// One fault, ready to print.
typedef struct rl_diagnostic {
  bool unsupported;      // valid, but this version cannot do it (exit 4 instead of 2)
  bool out_of_memory;    // not the scenario's fault (exit 1 instead of 2)
  size_t line, column;   // 1-based, 0 if it has no position; columns count characters
  size_t caret;          // how many characters of source_line come before the caret
  char message[512];     // what was found, what was expected, "did you mean"
  char source_line[256]; // the line itself, cut if long, control characters replaced
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

// A `--set path=value`: the path is keys and list indices joined by dots.
typedef struct rl_override {
  const char *path;
  const char *value; // YAML
} rl_override;

// Up to here a double holds every whole number: nobody could count more steps.
#define RL_STEPS_MAX 9007199254740992.0

// Reads a scenario from text; `file` is its name in messages. NULL on a fault, with `diagnostic`
// filled in.
rl_scenario *rl_scenario_from_text(const char *text, size_t length, const char *file,
                                   const rl_override *overrides, size_t override_count,
                                   rl_diagnostic *diagnostic);

// Reads a scenario file (at most RL_SCENARIO_BYTES_MAX).
rl_scenario *rl_scenario_from_file(const char *path, const rl_override *overrides,
                                   size_t override_count, rl_diagnostic *diagnostic);

void rl_scenario_free(rl_scenario *scenario);

// Adds probes given on the command line; false with a diagnostic.
bool rl_scenario_add_probe(rl_scenario *scenario, const char *name, rl_diagnostic *diagnostic);

// "file:line:column: error: message", the line and a caret; "error: unsupported: message" where
// the scenario is valid and this version cannot do it.
void rl_diagnostic_print(FILE *out, const char *file, const rl_diagnostic *diagnostic);

#endif
