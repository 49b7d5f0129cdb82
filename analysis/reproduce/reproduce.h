// SPDX-License-Identifier: GPL-3.0-or-later
// Published numbers beside ours. A paper is a list of experiments; an experiment is a function that
// measures a list of claims. There is one file per paper, and papers.c lists them.
#ifndef RL_REPRODUCE_H
#define RL_REPRODUCE_H

#include <stdbool.h>

#include "results/files.h"
#include "runs/solver_spec.h"
#include "scenario.h"
#include "world/driver.h"

// The relation of our number to the published one in a claim.
typedef enum rl_relation {
  RL_EQUALS,   // equal
  RL_AT_MOST,  // at most as large
  RL_AT_LEAST, // at least as large
  RL_DRAWN     // a curve without numbers: `published` is unused
} rl_relation;

// The source of a published number.
typedef enum rl_evidence {
  RL_READ,    // read in the source
  RL_QUOTED,  // read in another work that quotes it
  RL_DERIVED, // derived by us from what the source says
  RL_COMPUTED // no number in the source: an independent computation
} rl_evidence;

typedef struct rl_claim {
  const char *quantity;
  const char *unit; // "1" for a pure number
  rl_relation relation;
  double published;
  double tolerance;  // for RL_MATCHES, relative to the published number (absolute if that is 0)
  const char *where; // place in the source: "Fig. 4"
  rl_evidence evidence;
  const char *remark;      // why ours differs, or a condition; NULL: none
  bool depends_on_machine; // a time, or a ratio of times
} rl_claim;

// A claim on one line, with the fields in order. RL_MACHINE_CLAIM: the number depends on the
// machine.
#define RL_CLAIM(...)                                                                              \
  { __VA_ARGS__, false }
#define RL_MACHINE_CLAIM(...)                                                                      \
  { __VA_ARGS__, true }

// A figure with the curves that the experiment draws by rl_trial_point().
typedef struct rl_plot {
  const char *title, *x, *y; // with units
  bool log_x, log_y;
  const char *caption; // what the figure shows
} rl_plot;

// A running experiment, in a process of its own that rl_trial_fail() ends.
typedef struct rl_trial {
  double *ours;        // [claim_count], nan until it is measured
  char *message;       // [RL_TRIAL_MESSAGE] why the experiment failed
  rl_new_file *points; // table of the curves; NULL: no plot
} rl_trial;

enum { RL_TRIAL_MESSAGE = 256 };

typedef struct rl_experiment {
  const char *name;
  void (*run)(rl_trial *trial);
  size_t claim_count;
  const rl_claim *claims;
  const rl_plot *plot; // NULL: no figure
  double seconds;      // typical duration [s]: the longest experiment starts first
} rl_experiment;

typedef struct rl_paper {
  const char *name;
  const char *citation; // key in papers/rope.bib
  const char *note;     // in papers/
  size_t experiment_count;
  const rl_experiment *experiments;
} rl_paper;

// All papers, ended by NULL.
extern const rl_paper *const rl_papers[];

// Finds a paper by name or citation key; NULL: none.
const rl_paper *rl_paper_find(const char *name);

// The result of a comparison. "Same order": within a factor of sqrt(10) of the published number or
// bound.
typedef enum rl_verdict { RL_MATCHES, RL_SAME_ORDER, RL_NOT_REPRODUCED, RL_FIGURE_ONLY } rl_verdict;

rl_verdict rl_claim_verdict(const rl_claim *claim, double ours);
const char *rl_verdict_name(rl_verdict verdict);
const char *rl_evidence_name(rl_evidence evidence);

// ---------------------------------------------------------------------------------------------
// Building blocks of experiments. Every failure ends the process with a message.

_Noreturn void rl_trial_fail(rl_trial *trial, const char *format, ...);

// Adds a point to a curve of the plot. A curve with a solver's name is drawn in its style; a name
// that begins with "theory: " marks a curve that was not simulated.
void rl_trial_point(rl_trial *trial, const char *curve, double x, double y);

// Parses "name,param=value".
rl_solver_spec rl_trial_solver(rl_trial *trial, const char *text);

// A scenario and a driver of a solver for it.
typedef struct rl_setup {
  rl_scenario *scenario;
  rl_driver *driver;
} rl_setup;

// Makes a setup from the text of a scenario, printf style, and a solver "name,param=value". A step
// of 0 is the scenario's.
rl_setup rl_setup_scene(rl_trial *trial, const char *solver, double step, const char *format, ...);

// Makes a setup from a shipped scenario with overrides.
rl_setup rl_setup_shipped(rl_trial *trial, const char *solver, double step, const char *name,
                          const rl_override *overrides, size_t override_count);
void rl_setup_close(rl_setup *setup);

// Makes `steps` steps, all of which must succeed.
void rl_setup_run(rl_trial *trial, rl_setup *setup, int steps);

// Returns the current value of a probe, whose name is given printf style.
double rl_setup_probe(rl_trial *trial, const rl_setup *setup, const char *name, ...);

// Returns the slope of the least-squares line through the points.
double rl_slope(const double *x, const double *y, size_t count);

#endif
