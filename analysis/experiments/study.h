// SPDX-License-Identifier: GPL-3.0-or-later
// A study: many runs - scenario x solver x changes - made in parallel, each in a process of its
// own, and gathered into tables. A study that was stopped can be resumed: runs that are complete
// are kept, and in the end the tables are the same.
//
// What is asked for stands in a definition, read from a file (study_file.h) or from the command
// line. Its kind plans the runs and gathers what they recorded; all else is done here.
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

// Changes of a scenario.
typedef struct rl_changes {
  rl_override *list;
  size_t count;
} rl_changes;

typedef enum rl_norm { RL_NORM_MAX, RL_NORM_L2, RL_NORM_END } rl_norm;

extern const char *const rl_norm_names[]; // ended by NULL

// The run that others are compared with.
typedef struct rl_study_reference {
  const char *solver; // spec; NULL: the same solver, or if nothing is changed the most accurate
  double step;        // [s]; nan: that of the run, or for another solver a part of the shortest
  rl_changes changes; // of its scenario
} rl_study_reference;

// Where a definition was read from; nowhere: it is that of a command line.
typedef struct rl_study_source {
  const char *path;
  rl_source text;
  const rl_tree *root;
} rl_study_source;

// What is asked for; what is not given is zero, NULL or nan. A kind adds what it needs.
typedef struct rl_study_definition {
  rl_study_source source;
  // Of all kinds.
  const char *name, *title, *about;
  unsigned kind; // index of rl_study_kinds
  rl_words scenarios;
  rl_solver_spec *solvers;
  size_t solver_count;
  const char **overs; // [solver_count] what is varied of each instead of `over`; NULL: nothing else
  double step, duration, every, time_limit; // [s]
  rl_changes changes;
  rl_words probes;
  // Of `converge`.
  const char *over, *rope;
  rl_words values, quantities;
  rl_norm norm;
  unsigned law; // index of rl_law_names; RL_LAW_BY_VARIATION: not given
  rl_study_reference reference;
  // Of `precision`, `onestep` and `consistency`, beside those of `converge`.
  rl_words iterations, at;
  size_t pieces;
} rl_study_definition;

// A definition of a kind in which nothing else is given.
rl_study_definition rl_study_nothing(const rl_study_kind *kind);

// Appends all solvers that can take part to the list, which has room for RL_LIST_MAX.
void rl_study_fill_solvers(rl_study_definition *definition);

// A study while it is carried out.
typedef struct rl_study {
  rl_study_definition definition;
  const char *command; // that makes all of it again
  char folder[RL_PATH_MAX];
  char cache[RL_PATH_MAX]; // run_cache.h
  bool force, resume;
  bool timed; // seconds stand in summary.csv, so that no two are the same
  long jobs;
  const char *figures; // kinds of files; NULL: all
  rl_arena *arena;     // for whatever lives as long as the study
  rl_cell *cells;
  size_t cell_count;
  struct loaded *loaded; // scenarios, each read once
  size_t loaded_count;
  void *plan; // of the kind
} rl_study;

// A run of a study.
typedef struct rl_study_run {
  const char *scenario;         // file or name
  const rl_solver_spec *solver; // its label names the curve
  const char *suffix;           // what makes the label the run's own, "step=0.01"; NULL: nothing
  rl_changes changes;           // of the scenario, after those of the study
  double step;                  // [s]; nan: that of the study, or else of the scenario
  double every;                 // [s]; nan: that of the study
  bool keep;                    // if it is there already, even when all else is made again
} rl_study_run;

// What is wrong with a definition, and where.
typedef struct rl_study_fault {
  const char *key; // of the file, or option
  size_t item;     // if that is a list
  char message[512];
} rl_study_fault;

// A kind of study. The last two functions return an exit status, with a message unless it is
// RL_EXIT_DONE.
struct rl_study_kind {
  const char *name;
  const char *summary;
  const rl_field *fields; // its keys beside those of every study, into rl_study_definition
  size_t field_count;
  const char *const *without; // keys of every study that mean nothing here, ended by NULL
  // Whether a definition holds together, before anything is read; false with the fault.
  bool (*check)(const rl_study_definition *definition, rl_study_fault *fault);
  // Whether a solver can take part where all are asked for; NULL: every one.
  bool (*takes)(const rl_study_definition *definition, const rl_solver_type *type);
  int (*plan)(rl_study *study);   // adds the runs; finds all that is wrong before any is made
  int (*gather)(rl_study *study); // writes the tables of the kind beside summary.csv
};

extern const rl_study_kind *const rl_study_kinds[]; // ended by NULL

// Records a probe in all runs that are added from now on; false with a message.
bool rl_study_add_probe(rl_study *study, const char *probe);

// Says on stdout that so many reference runs were there already.
void rl_study_say_shared(const rl_study *study, size_t shared, size_t count);

// Plans the steps of a run; false with a message, at what in the study asks for too many.
bool rl_study_schedule(const rl_study_definition *definition, const rl_scenario *scenario,
                       const rl_run_options *run, rl_schedule *schedule);

// Adds a run and returns the index of its cell; SIZE_MAX with a message and the exit status. A
// scenario that this version does not support becomes a row that says so.
size_t rl_study_add(rl_study *study, const rl_study_run *run, int *status);

// The scenario of a run, without adding it; NULL with a message and the exit status, which is
// RL_EXIT_UNSUPPORTED for one that would become such a row.
const rl_scenario *rl_study_scenario(rl_study *study, const char *name, rl_changes changes,
                                     int *status);

// A solver with a parameter set to a value, written as the user would. NULL with a message, at the
// item of the key.
const rl_solver_spec *rl_study_set_parameter(rl_study *study, const rl_solver_spec *solver,
                                             const char *name, const char *value, const char *key,
                                             size_t item);

// Zeroed memory that lives as long as the study; NULL with a message.
void *rl_study_allocate(rl_study *study, size_t count, size_t size);

// Says that its tables cannot be written, with errno; returns the exit status.
int rl_study_unwritten(const rl_study *study);

// Text in the study's arena, printf style; NULL with a message: out of memory.
const char *rl_study_text(rl_study *study, const char *format, ...);

// The default folder of a command on a file or a name: out/COMMAND-NAME; false with a message.
bool rl_study_folder(char folder[RL_PATH_MAX], const char *command, const char *name);

// Sets up a study of a definition by what the command line says of folder, jobs and the like, with
// `command` for making all of it again; carries it out. `folder` is the default.
int rl_study_command(const rl_study_definition *definition, const rl_arguments *arguments,
                     const char *folder, const char *command, bool timed);

#endif
