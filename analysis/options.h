// SPDX-License-Identifier: GPL-3.0-or-later
// The options of all commands: one parser, which accepts only the options of the command at hand.
#ifndef RL_OPTIONS_H
#define RL_OPTIONS_H

#include <argp.h>

#include "results/files.h"
#include "runs/run.h"
#include "runs/shipped.h"

enum { RL_LIST_MAX = 256, RL_OPTIONS_MAX = 32 };

// The parsed command line; the strings are those of argv.
typedef struct rl_arguments {
  const char *positional[RL_LIST_MAX];
  size_t positional_count;
  rl_solver_spec solvers[RL_LIST_MAX];
  size_t solver_count;
  rl_override overrides[RL_LIST_MAX];
  size_t override_count;
  double at[RL_LIST_MAX]; // [s] ascending
  size_t at_count;
  double iterations[RL_LIST_MAX]; // ascending
  size_t iteration_count;
  long pieces;           // 0: the default
  const char *reference; // solver spec; NULL: the default
  double reference_step; // [s]; nan: the default
  const char *probes[RL_LIST_MAX];
  size_t probe_count;
  rl_run_options run;
  const char *out; // NULL: the default
  // Options of studies; NULL: not given.
  const char *over, *rope, *norm, *law;
  char *value_list; // "a,b,c"
  const char *quantities[RL_LIST_MAX];
  size_t quantity_count;
  bool resume;
  double tolerance;
  const char *to;      // export format; NULL: not given
  long jobs;           // 0: as many as there are processors
  const char *figures; // file formats, "svg,png"; NULL: all
  bool force, json, coverage;
} rl_arguments;

// What a command takes on its command line.
typedef struct rl_usage {
  const char *name;       // "run"
  const char *positional; // "SCENARIO..."
  const char *doc;        // summary; after a '\v', examples
  const char *options;    // keys of its options ("sdo")
  size_t least, most;     // number of positional arguments
} rl_usage;

// An option of a command as the help shows it.
typedef struct rl_option {
  const char *name;  // "out"
  char letter;       // 'o'; 0: none
  const char *value; // name of its value, "DIR"; NULL: none
  const char *help;
} rl_option;

// Stores the options of a command and returns their number.
size_t rl_usage_options(const rl_usage *usage, rl_option options[RL_OPTIONS_MAX]);

// Parses argv[0..argc) (argv[0] is the command's name). Returns false and stores the exit status on
// bad usage, after a message, and after --help.
bool rl_arguments_parse(const rl_usage *usage, int argc, char **argv, rl_arguments *arguments,
                        int *status);

// Fills in all solvers if no --solver was given and makes the labels unique. Returns false with a
// message if two labels are still equal.
bool rl_solvers_complete(rl_arguments *arguments, const char *command);

// Loads the scenario `name`, a file or a shipped scenario, with the overrides and probes of the
// command line. Returns NULL after printing the fault and storing the exit status; a fault in the
// scenario itself is also left in `diagnostic`.
rl_scenario *rl_load_scenario(const char *name, const rl_arguments *arguments,
                              rl_diagnostic *diagnostic, int *status);

#endif
