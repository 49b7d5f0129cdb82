// SPDX-License-Identifier: GPL-3.0-or-later
// Published numbers beside ours. A paper is a list of experiments, an experiment a function that
// measures, and the claims that it measures; one file for each paper, all listed in papers.c.
#ifndef RL_REPRODUCE_H
#define RL_REPRODUCE_H

#include <stdbool.h>
#include <stdio.h>

#include "results/files.h"
#include "runs/solver_spec.h"
#include "scenario.h"
#include "world/driver.h"

// What the paper says of the quantity.
typedef enum rl_relation {
  RL_EQUALS,   // this number
  RL_AT_MOST,  // not more than it
  RL_AT_LEAST, // not less than it
  RL_DRAWN     // a curve without numbers: `published` means nothing
} rl_relation;

// Where the published number is known from.
typedef enum rl_evidence {
  RL_READ,    // read in the source
  RL_QUOTED,  // read in another work that quotes it
  RL_DERIVED, // follows from what the source says, by our derivation
  RL_COMPUTED // the source has no number: an independent computation
} rl_evidence;

typedef struct rl_claim {
  const char *quantity;
  const char *unit; // "1" for a pure number
  rl_relation relation;
  double published;
  double tolerance;  // of "matches", relative to the published number (absolute where that is 0)
  const char *where; // in the source: "Fig. 4"
  rl_evidence evidence;
  const char *remark;      // why ours differs, or what has to be known; NULL: nothing
  bool depends_on_machine; // a time, or a ratio of times
} rl_claim;

// A claim on one line, in the order of the fields: a number, and one that is another on another
// machine.
#define RL_CLAIM(...)                                                                              \
  { __VA_ARGS__, false }
#define RL_MACHINE_CLAIM(...)                                                                      \
  { __VA_ARGS__, true }

// A figure: curves that the experiment draws with rl_trial_point.
typedef struct rl_plot {
  const char *title, *x, *y; // with units
  bool log_x, log_y;
  const char *caption; // what is seen
} rl_plot;

// A running experiment. It has a process of its own, which ends with rl_trial_fail.
typedef struct rl_trial {
  double *ours;        // [claim_count], nan until it is measured
  char *message;       // [RL_TRIAL_MESSAGE] why the experiment failed
  rl_new_file *points; // of the plot; NULL: it has none
} rl_trial;

enum { RL_TRIAL_MESSAGE = 256 };

typedef struct rl_experiment {
  const char *name;
  void (*run)(rl_trial *trial);
  size_t claim_count;
  const rl_claim *claims;
  const rl_plot *plot; // NULL: no figure
  double seconds;      // about how long it takes: the longest start first
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

// The paper of that name, or that citation; NULL: none.
const rl_paper *rl_paper_find(const char *name);

// How ours compares. "Same order" is within a factor of sqrt(10) of the published number, or of
// its bound.
typedef enum rl_verdict { RL_MATCHES, RL_SAME_ORDER, RL_NOT_REPRODUCED, RL_FIGURE_ONLY } rl_verdict;

rl_verdict rl_claim_verdict(const rl_claim *claim, double ours);
const char *rl_verdict_name(rl_verdict verdict);
const char *rl_evidence_name(rl_evidence evidence);

// ---------------------------------------------------------------------------------------------
// What experiments are made of. Whatever cannot be done ends the process with a message.

_Noreturn void rl_trial_fail(rl_trial *trial, const char *format, ...);

// Adds a point to a curve of the plot. A curve that is called like a solver has its style, one that
// begins with "theory: " was not simulated.
void rl_trial_point(rl_trial *trial, const char *curve, double x, double y);

// A solver with its parameters, from "name,param=value".
rl_solver_spec rl_trial_solver(rl_trial *trial, const char *text);

// A scenario with a solver on it.
typedef struct rl_setup {
  rl_scenario *scenario;
  rl_driver *driver;
} rl_setup;

// From the text of a scenario, printf style; `solver` is "name,param=value". A step of 0 is the
// scenario's.
rl_setup rl_setup_scene(rl_trial *trial, const char *solver, double step, const char *format, ...);

// From a shipped scenario with changes.
rl_setup rl_setup_shipped(rl_trial *trial, const char *solver, double step, const char *name,
                          const rl_override *overrides, size_t override_count);
void rl_setup_close(rl_setup *setup);

// Makes steps; all have to end with a result.
void rl_setup_run(rl_trial *trial, rl_setup *setup, int steps);

// The value of a probe now, by its name.
double rl_setup_probe(rl_trial *trial, const rl_setup *setup, const char *name, ...);

// Time of the processor that this process has had [s]: others may be at work beside it.
double rl_processor_seconds(void);

// The slope of a straight line through points, by least squares.
double rl_slope(const double *x, const double *y, size_t count);

#endif
