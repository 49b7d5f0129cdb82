// SPDX-License-Identifier: GPL-3.0-or-later
// The options of the commands: one parser, from which each command takes those it has.
#ifndef RL_OPTIONS_H
#define RL_OPTIONS_H

#include <argp.h>

#include "results/files.h"
#include "runs/run.h"
#include "runs/shipped.h"

enum { RL_LIST_MAX = 256, RL_OPTIONS_MAX = 32 };

typedef struct rl_arguments {
  const char *positional[RL_LIST_MAX];
  size_t positional_count;
  rl_solver_spec solvers[RL_LIST_MAX];
  size_t solver_count;
  rl_override overrides[RL_LIST_MAX];
  size_t override_count;
  double at[RL_LIST_MAX]; // [s] rising
  size_t at_count;
  double iterations[RL_LIST_MAX]; // rising
  size_t iteration_count;
  long pieces;           // 0: the default
  const char *reference; // solver; NULL: the default
  double reference_step; // [s]; nan: the default
  const char *probes[RL_LIST_MAX];
  size_t probe_count;
  rl_run_options run;
  const char *out; // NULL: the default
  // Of studies; NULL: not given.
  const char *over, *rope, *norm, *law;
  char *value_list; // "a,b,c"
  const char *quantities[RL_LIST_MAX];
  size_t quantity_count;
  bool resume;
  double tolerance;
  const char *to;      // format of an export; NULL: none given
  long jobs;           // 0: as many as there are processors
  const char *figures; // "svg,png": kinds of files; NULL: all
  bool force, json, coverage;
} rl_arguments;

// What a command takes.
typedef struct rl_usage {
  const char *name;       // "run"
  const char *positional; // "SCENARIO..."
  const char *doc;        // summary, and after a '\v' the examples
  const char *options;    // keys of its options ("sdo")
  size_t least, most;     // number of positional arguments
} rl_usage;

// An option of a command, as the user sees it.
typedef struct rl_option {
  const char *name;  // "out"
  char letter;       // 'o'; 0: none
  const char *value; // "DIR"; NULL: it takes none
  const char *help;
} rl_option;

// The options that a command takes; returns how many.
size_t rl_usage_options(const rl_usage *usage, rl_option options[RL_OPTIONS_MAX]);

// Parses argv[0..argc) (argv[0] is the command's name). On bad usage or --help the program says so
// and the exit status is stored; false then.
bool rl_arguments_parse(const rl_usage *usage, int argc, char **argv, rl_arguments *arguments,
                        int *status);

// Without --solver all solvers are meant; labels are made different. False with a message if two
// are still the same.
bool rl_solvers_complete(rl_arguments *arguments, const char *command);

// Loads the scenario that is called `name`: a file, or one of the shipped. NULL with the message
// printed and the exit status stored, and the fault, if it lies in the scenario.
rl_scenario *rl_load_scenario(const char *name, const rl_arguments *arguments,
                              rl_diagnostic *diagnostic, int *status);

#endif
