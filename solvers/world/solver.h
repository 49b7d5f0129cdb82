// SPDX-License-Identifier: GPL-3.0-or-later
// The interface every solver implements: one constant struct, exported as an object, listed in
// solvers/registry.c. Everything that knows about solvers (list, help, range checks, run.json,
// report, tests) reads it from here.
#ifndef RL_SOLVER_H
#define RL_SOLVER_H

#include "memory.h"
#include "rows.h"

typedef enum rl_parameter_kind { RL_REAL, RL_INTEGER, RL_BOOLEAN, RL_CHOICE } rl_parameter_kind;

// A parameter of a solver. Values are doubles: booleans 0 and 1, choices their index.
typedef struct rl_parameter {
  const char *name;
  rl_parameter_kind kind;
  const char *unit;    // "1" where there is none
  double initial;      // default
  double lower, upper; // inclusive range
  const char *choices; // RL_CHOICE: "forward|backward"
  const char *help;
} rl_parameter;

#define RL_PARAMETERS_MAX 16

// A place where a method keeps to its own law and not to the scenario's or to physics. What it
// costs in energy is the method's error. The kind says what a check can no longer expect of it.
typedef enum rl_departure_kind {
  RL_OWN_LAW = 0,                // none of these
  RL_PUSHES = 1U << 0,           // elements may push: negative multipliers
  RL_CHANGES_MOMENTUM = 1U << 1, // although nothing acts from outside
} rl_departure_kind;

typedef struct rl_departure {
  uint32_t kind;    // rl_departure_kind bits
  const char *text; // "springs push as well as pull"
} rl_departure;

// Why a step ended. Positive: the state is a result; negative: it is not.
typedef enum rl_reason {
  RL_DIVERGED_CONTACTS = -5, // more contacts of ropes with ropes than there is room for
  RL_DIVERGED_STEPS = -4,    // internal steps too many or too short
  RL_DIVERGED_RANGE = -3,    // a number does not fit the method's own format
  RL_DIVERGED_ENERGY = -2,   // more energy than there can be
  RL_DIVERGED_NAN = -1,      // nan or infinite
  RL_RUNNING = 0,            // none has; or it was ended from outside (rl_watch)
  RL_CONVERGED_TOLERANCE = 1,
  RL_CONVERGED_ITERATIONS = 2, // all iterations used, or an explicit method
  RL_STOPPED = 3,              // what the scenario asks for cannot go on
} rl_reason;

const char *rl_reason_name(rl_reason reason);

// Who waits for a step that can take long: asked again and again within it, with the share of it
// that is done. True: the step shall end there and is not made.
typedef struct rl_watch {
  bool (*ends)(void *self, double share);
  void *self;
} rl_watch;

typedef struct rl_step_info {
  rl_reason reason;
  const rl_watch *watch;    // in: of steps whose length is not known; NULL: none
  bool want_residual;       // in: fill `residual` (costs one evaluation of the rows)
  double *trace;            // in: receives the residual after each iteration, or NULL
  size_t trace_capacity;    // in
  size_t trace_count;       // out
  struct rl_ledger *ledger; // in: for rl_ledger_substep
  uint64_t iterations;      // out, over all substeps
  uint64_t row_evaluations; // out, by the method itself (not those of the residual)
  double residual;          // out [m], after the last iteration; nan if not wanted
  double dissipated;        // out [J], in dampers of elastic ropes, drag and friction
  double work;              // out [J], of driven bodies through friction
  double error_estimate;    // out [m], of the positions since the start; nan: the method has none
  // out, of methods with substeps: what each unknown pulled in the last of them [N s]; NULL: the
  // multipliers are those of the end of the step.
  const double *last_impulses;
} rl_step_info;

typedef struct rl_solver_type {
  const char *name;
  const char *family;   // "penalty", "PBD", "impulse"
  const char *summary;  // one line
  const char *citation; // key in papers/rope.bib
  uint32_t capabilities;

  // Contacts, for rl_detect and the driver.
  bool detects_again; // calls rl_detect_again in its substeps, and if it can, rl_bounce_begin, _end
  bool tells_edges;   // an element on a box or hull has a contact with each of two edges
  bool has_soft_contacts; // they push by their depth; where they are hard, ropes that are deep in
                          // each other come apart slowly
  bool keeps_wraps;       // it calls rl_wraps_judge and rl_wraps_end itself
  // It looks for positions that lie on its rows, or evaluates these within a step: where a rope's
  // way ends there may be none.
  bool seeks_positions;
  rl_excess excess; // what it makes of what changes of contact leave too long
  bool lags;        // its velocities are those of half a step before, (22) of papers/changes.md

  // Energy, for the ledger. Who keeps it has in `info` all that was dissipated and all work, and
  // its multipliers are the forces at the end of the step: the ledger adds nothing.
  bool keeps_ledger;
  bool keeps_faults; // of what it rebuilds: neither a gain of energy nor an end in an eye stops it

  // The length of a step, for notes on runs that diverge, and for studies.
  bool holds_directions; // those of the start of a step act all through it: unstable across a rope
                         // that pulls with T on nodes of m at a distance l above sqrt(m l/T)
  bool holds_bending;    // the force of bending is that of the start of the step: unstable above
                         // (10) of papers/bending.md, sqrt(m l^3/EI)/2
  bool is_adaptive; // it takes the internal steps that its tolerance asks for, and tells its error

  size_t parameter_count;
  const rl_parameter *parameters;
  // All memory of the method is one block, zero at the start: its own struct of `size` bytes, then
  // the arrays that lay_out carves for a model (see memory.h; it is run once to count them and once
  // to place them; NULL: there are none). init then reads the parameters: parameter_count values,
  // checked, which outlive the memory.
  size_t size;
  void (*lay_out)(void *memory, const rl_model *model, rl_carver *carver);
  void (*init)(void *memory, const rl_model *model, const double *parameters);
  // What a method needs beyond its block, such as objects of other libraries: once, before the
  // first init, and after the last step. False: out of memory; then release is called all the
  // same. Both may be NULL.
  bool (*acquire)(void *memory, const rl_model *model);
  void (*release)(void *memory);
  // The state was changed from outside (topology, foreign state): forget what was remembered.
  // May be NULL.
  void (*sync)(void *memory, const rl_model *model, const rl_state *state);
  // Advances positions, velocities and multipliers by dt; never allocates, never prints. The
  // driver has set the velocity of fixed and driven bodies for the whole step, so x += dt v moves
  // them rightly. `rows` come from rl_detect for this state and step.
  rl_reason (*step)(void *memory, const rl_model *model, rl_state *state, rl_rows *rows, double dt,
                    rl_step_info *info);
  // Energy stored in the method's own springs, which stand for what the scenario calls
  // inextensible or hard [J]. May be NULL: none.
  double (*stored_energy)(const void *memory, const rl_model *model, const rl_state *state,
                          rl_rows *rows);
  // Where the method keeps to its own law; `ropelab list solvers` prints them. May be empty.
  size_t departure_count;
  const rl_departure *departures;
  // The points of a rope [m] as the original system draws it, in order from `from` to `to`;
  // `alpha` in [0, 1) is the time since the method's last substep, in substeps (a run records the
  // ends of steps, with 0). Writes at most `capacity` points and returns how many there are;
  // `memory` has done at least an init. May be NULL: the nodes are the picture.
  size_t (*draw)(const void *memory, const rl_model *model, const rl_state *state, uint32_t rope,
                 double alpha, rl_vec3 *points, size_t capacity);
} rl_solver_type;

// The registry: a table ended by NULL.
extern const rl_solver_type *const rl_solvers[];
const rl_solver_type *rl_solver_find(const char *name);

// All kinds of departure of a solver: rl_departure_kind bits.
uint32_t rl_solver_departures(const rl_solver_type *type);

// Index of a parameter, or -1.
int rl_parameter_find(const rl_solver_type *type, const char *name);

// Whether a parameter takes a value: inside its range, and whole unless it is a real number.
bool rl_parameter_takes(const rl_parameter *parameter, double value);

// Values of all parameters, as rl_driver_create takes them: the defaults, and one set by its name;
// false where there is none of that name or it does not take the value.
void rl_parameters_initial(const rl_solver_type *type, double values[RL_PARAMETERS_MAX]);
bool rl_parameters_set(const rl_solver_type *type, double values[RL_PARAMETERS_MAX],
                       const char *name, double value);

// Writes the i-th of the choices ("forward|backward") into buffer; false if there is none.
bool rl_choice_name(const char *choices, size_t i, char *buffer, size_t size);

// Records a residual in the caller's trace.
static inline void rl_trace(rl_step_info *info, double residual) {
  info->residual = residual;
  if (info->trace && info->trace_count < info->trace_capacity) {
    info->trace[info->trace_count++] = residual;
  }
}

#endif
