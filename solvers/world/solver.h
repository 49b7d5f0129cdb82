// SPDX-License-Identifier: GPL-3.0-or-later
// The interface that every solver implements: one constant struct, exported as an object and listed
// in solvers/registry.c. List, help, range checks, run.json, report and tests all read it.
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

// A departure of a method from the scenario or from physics. Its effect on the energy counts as an
// error of the method. The kind names the property that tests can no longer expect.
typedef enum rl_departure_kind {
  RL_OWN_LAW = 0,                // any other
  RL_PUSHES = 1U << 0,           // elements may push: negative multipliers
  RL_CHANGES_MOMENTUM = 1U << 1, // although nothing acts from outside
} rl_departure_kind;

typedef struct rl_departure {
  uint32_t kind;    // rl_departure_kind bits
  const char *text; // "springs push as well as pull"
} rl_departure;

// Why a step ended. Positive: the state is a result; negative: the state is none.
typedef enum rl_reason {
  RL_DIVERGED_MEMORY = -6,   // no memory for the matrix of a direct method
  RL_DIVERGED_CONTACTS = -5, // more contacts of ropes with ropes than there is room for
  RL_DIVERGED_STEPS = -4,    // too many internal steps, or too short ones
  RL_DIVERGED_RANGE = -3,    // a number does not fit the method's own format
  RL_DIVERGED_ENERGY = -2,   // more energy than the scene can have
  RL_DIVERGED_NAN = -1,      // nan or infinite
  RL_RUNNING = 0,            // no step yet; or the last one was ended from outside (rl_watch)
  RL_CONVERGED_TOLERANCE = 1,
  RL_CONVERGED_ITERATIONS = 2, // all iterations used, or an explicit method
  RL_STOPPED = 3,              // the scenario does not allow another step
} rl_reason;

// Returns a reason in words.
const char *rl_reason_name(rl_reason reason);

// A callback that can abort a long step. A method that can take long, and the driver where it makes
// a step in parts, call `ends` repeatedly within the step with the share of it that is done; if it
// returns true the step is abandoned.
typedef struct rl_watch {
  bool (*ends)(void *self, double share);
  void *self;
} rl_watch;

// Input and output of a step beside the state.
typedef struct rl_step_info {
  rl_reason reason;
  const rl_watch *watch;    // in: called by methods that can take long; NULL: none
  bool want_residual;       // in: fill `residual` (costs one evaluation of the rows)
  double *trace;            // in: receives the residual after each iteration, or NULL
  size_t trace_capacity;    // in
  size_t trace_count;       // out
  struct rl_ledger *ledger; // in: for rl_ledger_substep
  uint64_t iterations;      // out: over all substeps, at least 1; of trials those of the one kept
  uint64_t row_evaluations; // out: added to by the method itself (not those of the residual), at
                            // least 1; of all trials of a step
  double residual;          // out: after the last iteration [m]; nan if not wanted
  double dissipated;        // out: in dampers of elastic ropes, drag and wraps [J]
  double rubbed;            // out: by friction of contacts, less than 0 where that gains [J]
  double work;              // out: of driven bodies through friction [J]
  double error_estimate;    // out: of the positions, since the start [m]; nan: the method has none
  // out: impulse of each unknown in the last substep [N s]; NULL: the multipliers are those of the
  // end of the step.
  const double *last_impulses;
} rl_step_info;

typedef struct rl_solver_type {
  const char *name;
  const char *family;   // "penalty", "PBD", "impulse"
  const char *summary;  // one line
  const char *citation; // key in papers/rope.bib
  uint32_t capabilities;

  // Contacts, for rl_detect and the driver.
  bool detects_again; // calls rl_detect_again in its substeps, and rl_bounce_begin and _end if it
                      // supports restitution
  bool tells_edges;   // an element on a box or hull has a contact with each of two edges
  bool has_soft_contacts; // contacts push by their depth; for methods with hard contacts, ropes
                          // that are deep in each other come apart slowly
  bool keeps_wraps;       // calls rl_wraps_judge, rl_wraps_end and rl_eyes_pass itself
  // Solves for positions that satisfy its rows, or evaluates rows within a step: there may be no
  // such positions where the way of a rope ends within the step.
  bool seeks_positions;
  rl_excess excess; // what happens to excess length after a change of contacts
  bool lags;        // its velocities are those of half a step before, (22) of papers/changes.md

  // Energy, for the ledger.
  bool keeps_ledger;  // reports all dissipation and work in rl_step_info, and its multipliers are
                      // the forces at the end of the step: the ledger adds nothing
  bool tells_strands; // calls rl_ledger_tell for strands of massless ropes, with the flows of their
                      // pieces
  bool keeps_faults;  // reproduces a historical method: neither a gain of energy nor an end drawn
                      // into an eye stops the run

  // Limits of the step, for notes on runs that diverge, and for studies.
  bool holds_directions; // uses the directions of the start of the step: unstable across a rope of
                         // tension T with nodes of mass m at distance l for steps > sqrt(m l/T);
                         // on velocities, if not seeks_positions: (10b) of papers/world.md
  bool holds_bending;    // uses the bending force of the start of the step: unstable for steps >
                         // sqrt(m l^3/EI)/2, (10) of papers/bending.md
  bool is_adaptive;      // takes internal steps as its tolerance requires, and estimates its error

  size_t parameter_count;
  const rl_parameter *parameters;
  // All memory of the method is one zeroed block: its own struct of `size` bytes, then the arrays
  // that lay_out carves for a model (see memory.h: it is called once to count and once to place
  // them; NULL: there are none). init then reads the parameters: parameter_count checked values,
  // which outlive the memory.
  size_t size;
  void (*lay_out)(void *memory, const rl_model *model, rl_carver *carver);
  void (*init)(void *memory, const rl_model *model, const double *parameters);
  // Acquire and release resources beyond the block, such as objects of other libraries: called once
  // before the first init, and once after the last step. acquire returns false when out of memory;
  // release is called then too, and frees what grew in the steps. Both may be NULL.
  bool (*acquire)(void *memory, const rl_model *model);
  void (*release)(void *memory);
  // Discards what was remembered, because the state was changed from outside (other topology,
  // another state). May be NULL.
  void (*sync)(void *memory, const rl_model *model, const rl_state *state);
  // Advances positions, velocities and multipliers by dt; never prints, and allocates nothing but
  // room for a matrix that has outgrown it (rl_grow), without which it returns RL_DIVERGED_MEMORY.
  // The driver has set the velocities of fixed and driven bodies for the whole step, so x += dt v
  // moves them correctly. `rows` come from rl_detect for this state and step. A step, or each of
  // its substeps of h [s],
  // 1. calls rl_state_kick: gravity, forces, wind and drag change velocities;
  // 2. calls rl_state_drift, which moves everything at its velocity, and then corrects positions,
  //    and velocities by the corrections over h; or corrects velocities first. It corrects spin
  //    slots like any other, and turns the bodies by what it moved there: rl_rotation_settle;
  // 3. calls rl_state_settle and adds what it returns to info->dissipated.
  // At its end multipliers are forces [N], the impulse over the step by dt, and not negative (but
  // for a departure of the kind RL_PUSHES); info->iterations and info->row_evaluations are set; and
  // rl_trace was called with rl_residual or rl_residual_velocity: if info->trace is set after each
  // iteration, if only info->want_residual is after the last. A method without a parameter called
  // `iterations`, which is what studies vary, may call it once a step.
  rl_reason (*step)(void *memory, const rl_model *model, rl_state *state, rl_rows *rows, double dt,
                    rl_step_info *info);
  // Returns the energy in the method's own springs, which stand in for inextensible ropes and hard
  // contacts [J]. NULL: there are none.
  double (*stored_energy)(const void *memory, const rl_model *model, const rl_state *state,
                          rl_rows *rows);
  // The departures from the scenario or from physics, which `ropelab list solvers` prints.
  size_t departure_count;
  const rl_departure *departures;
  // Computes the points of a rope [m] as the original system draws it, in order from `from` to
  // `to`; `alpha` in [0, 1) is the time since the method's last substep, in substeps (a run records
  // the ends of steps, with 0). Writes at most `capacity` points and returns their number; `memory`
  // is initialised. NULL: the nodes are drawn.
  size_t (*draw)(const void *memory, const rl_model *model, const rl_state *state, uint32_t rope,
                 double alpha, rl_vec3 *points, size_t capacity);
} rl_solver_type;

// The registry of all solvers, ended by NULL.
extern const rl_solver_type *const rl_solvers[];

// Returns the solver of that name; NULL if there is none.
const rl_solver_type *rl_solver_find(const char *name);

// Returns all kinds of departure of a solver: rl_departure_kind bits.
uint32_t rl_solver_departures(const rl_solver_type *type);

// Returns the index of a parameter; -1 if there is none of that name.
int rl_parameter_find(const rl_solver_type *type, const char *name);

// Whether a parameter takes a value: inside its range, and an integer unless its kind is RL_REAL.
bool rl_parameter_takes(const rl_parameter *parameter, double value);

// Fill in the values of all parameters for rl_driver_create: _initial with the defaults; _set one
// by its name, returning false if there is no such parameter or it does not take the value.
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
