// SPDX-License-Identifier: GPL-3.0-or-later
// A study: many runs - scenario x solver x changes - made in parallel, each in a process of its
// own, and gathered into tables. A study that was stopped can be resumed: complete runs are kept,
// and the final tables are the same.
//
// A definition says what is to be run; it is read from a file (study_file.h) or the command line.
// The kind of the study plans the runs and gathers what they recorded; everything else is here.
#ifndef RL_STUDY_H
#define RL_STUDY_H

#include "arena.h"
#include "fields.h"
#include "options.h"
#include "order_fit.h"
#include "runs/cells.h"

typedef struct rl_study_kind rl_study_kind;

// A list of words.
typedef struct rl_words {
  const char **words;
  size_t count;
} rl_words;

// Overrides of a scenario.
typedef struct rl_changes {
  rl_override *list;
  size_t count;
} rl_changes;

typedef enum rl_norm { RL_NORM_MAX, RL_NORM_L2, RL_NORM_END } rl_norm;

extern const char *const rl_norm_names[]; // ended by NULL

// The reference run of a convergence study.
typedef struct rl_study_reference {
  const char *solver; // spec; NULL: the same solver, or without `changes` the most accurate one
  double step;        // [s]; nan: that of the run, or for another solver a part of the shortest
  rl_changes changes; // of its scenario
} rl_study_reference;

// The file from which a definition was read; empty for a command line.
typedef struct rl_study_source {
  const char *path;
  rl_source text;
  const rl_tree *root;
} rl_study_source;

// The definition of a study. What is not given is zero, NULL or nan.
typedef struct rl_study_definition {
  rl_study_source source;
  // Keys of all kinds.
  const char *name, *title, *about;
  unsigned kind; // index of rl_study_kinds
  rl_words scenarios;
  rl_solver_spec *solvers;
  size_t solver_count;
  const char **overs; // [solver_count] varied for each solver instead of `over`; NULL: the same
  double step, duration, every, time_limit; // [s]
  rl_changes changes;
  rl_words probes;
  // Keys of `converge`.
  const char *over, *rope;
  const char *axis; // what the values are, in words, on figures; empty: the name of `over`
  rl_words values, quantities;
  rl_norm norm;
  unsigned law; // index of rl_law_names; RL_LAW_BY_VARIATION: not given
  rl_study_reference reference;
  // Keys of `precision`, `onestep` and `consistency`, beside some of `converge`.
  rl_words iterations, at;
  size_t pieces;
} rl_study_definition;

// Returns a definition of this kind in which nothing is given.
rl_study_definition rl_study_empty(const rl_study_kind *kind);

// Fills in all solvers that can take part; the list has room for RL_LIST_MAX.
void rl_study_fill_solvers(rl_study_definition *definition);

// A study in progress.
typedef struct rl_study {
  rl_study_definition definition;
  const char *command; // the command that repeats the study
  char folder[RL_PATH_MAX];
  char cache[RL_PATH_MAX]; // run cache (run_cache.h)
  bool force, resume;
  bool timed; // summary.csv has seconds, which differ between repetitions
  long jobs;
  const char *figures; // file formats; NULL: all
  rl_arena *arena;     // memory that lives as long as the study
  rl_cell *cells;
  size_t cell_count;
  struct loaded *loaded; // scenarios, each read once
  size_t loaded_count;
  void *plan; // the kind's own data
} rl_study;

// A run of a study.
typedef struct rl_study_run {
  const char *scenario;         // file or name
  const rl_solver_spec *solver; // its label names the curve
  const char *suffix;           // makes the label unique, "step=0.01"; NULL: not needed
  rl_changes changes;           // of the scenario, after those of the study
  double step;                  // [s]; nan: that of the study, or else of the scenario
  double every;                 // [s]; nan: that of the study
  bool keep;                    // keep an existing complete run even with --force
} rl_study_run;

// A fault in a definition.
typedef struct rl_study_fault {
  const char *key; // key of the file, or option
  size_t item;     // index, if the value is a list
  char message[512];
} rl_study_fault;

// A kind of study. `plan` and `gather` return an exit status, with a message unless it is
// RL_EXIT_DONE.
struct rl_study_kind {
  const char *name;
  const char *summary;
  const rl_field *fields; // its own keys, read into rl_study_definition
  size_t field_count;
  const char *const *without; // keys of every study that this kind does not have, ended by NULL
  // Checks a definition by itself, before scenarios are read; false with the fault.
  bool (*check)(const rl_study_definition *definition, rl_study_fault *fault);
  // Whether a solver takes part where all are asked for; NULL: all do.
  bool (*takes)(const rl_study_definition *definition, const rl_solver_type *type);
  int (*plan)(rl_study *study);   // adds the runs and finds all mistakes before any is made
  int (*gather)(rl_study *study); // writes the tables beside summary.csv
};

extern const rl_study_kind *const rl_study_kinds[]; // ended by NULL

// Records a probe in all runs that are added from now on; false with a message.
bool rl_study_add_probe(rl_study *study, const char *probe);

// Prints how many of `count` reference runs were taken from the run cache.
void rl_study_print_shared(const rl_study *study, size_t shared, size_t count);

// Plans the steps of a run; false with a message that points at the key that asks for too many.
bool rl_study_schedule(const rl_study_definition *definition, const rl_scenario *scenario,
                       const rl_run_options *run, rl_schedule *schedule);

// Adds a run and returns the index of its cell; SIZE_MAX with a message and the exit status. An
// unsupported scenario becomes a cell without a run.
size_t rl_study_add(rl_study *study, const rl_study_run *run, int *status);

// Returns the scenario of a run without adding it; NULL with a message and the exit status, which
// is RL_EXIT_UNSUPPORTED for an unsupported scenario.
const rl_scenario *rl_study_scenario(rl_study *study, const char *name, rl_changes changes,
                                     int *status);

// Returns a copy of a solver with a parameter set to `value`, written as by the user. NULL with a
// message that points at the item of the key.
const rl_solver_spec *rl_study_set_parameter(rl_study *study, const rl_solver_spec *solver,
                                             const char *name, const char *value, const char *key,
                                             size_t item);

// Allocates zeroed memory that lives as long as the study; NULL with a message.
void *rl_study_allocate(rl_study *study, size_t count, size_t size);

// Prints that the tables cannot be written, with errno; returns the exit status.
int rl_study_print_unwritten(const rl_study *study);

// Formats a text in the study's arena, printf style; NULL with a message when out of memory.
const char *rl_study_text(rl_study *study, const char *format, ...);

// Writes the default folder of a command, out/COMMAND-NAME; false with a message.
bool rl_study_folder(char folder[RL_PATH_MAX], const char *command, const char *name);

// Carries out a study. `arguments` has folder, jobs and the like; `folder` is the default and
// `command` the command that repeats the study. Returns an exit status.
int rl_study_command(const rl_study_definition *definition, const rl_arguments *arguments,
                     const char *folder, const char *command, bool timed);

#endif
