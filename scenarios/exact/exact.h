// SPDX-License-Identifier: GPL-3.0-or-later
// Closed forms: the exact state of a scenario at any time. They fill in whole states, so that exact
// values of probes are read by the same code as simulated ones.
#ifndef RL_EXACT_H
#define RL_EXACT_H

#include "probe.h"
#include "world/state.h"

typedef enum rl_exact_argument_kind { RL_EXACT_ROPE, RL_EXACT_BODY } rl_exact_argument_kind;

typedef struct rl_exact_argument {
  const char *name; // key in the scenario file
  rl_exact_argument_kind kind;
  const char *help;
} rl_exact_argument;

#define RL_EXACT_ARGUMENTS_MAX 4

typedef struct rl_exact_type {
  const char *name;
  const char *summary;
  size_t argument_count;
  rl_exact_argument arguments[RL_EXACT_ARGUMENTS_MAX];
  bool bends;  // whether it covers ropes with bending stiffness
  size_t size; // of the form's data [bytes]
  // Reads its constants from the initial state of the model; false with a message if the scenario
  // is not what the form describes. `arguments` are indices of ropes and bodies.
  bool (*init)(void *self, const rl_model *model, const uint32_t *arguments, char *message,
               size_t message_size);
  // Writes the exact positions, velocities and tensions at time t [s] into `state`, a state of the
  // same model. False once the assumptions no longer hold (a weight has reached the eye).
  bool (*at)(const void *self, const rl_model *model, double t, rl_state *state);
  // Writes means over a step, from one time to another [s], into `state`: tensions, including the
  // impulses that `at` does not know, and slip velocities. NULL: tensions have no impulses, and
  // nothing slips.
  void (*mean)(const void *self, const rl_model *model, double from, double to, rl_state *state);
  // Returns a quantity that is conserved, in any state; series.csv has it beside its value at the
  // start. NULL: none. It may be all that is known: then `at` always returns false.
  double (*invariant)(const void *self, const rl_model *model, const rl_state *state);
  const char *invariant_help; // what it is, and its unit
  // Returns the value at time t [s] of a probe of contacts of a rope with mass, which the state of
  // a closed form does not have; nan: unknown. NULL: always unknown.
  double (*contact)(const void *self, const rl_model *model, double t, rl_probe probe);
} rl_exact_type;

// All closed forms, ended by NULL.
extern const rl_exact_type *const rl_exact_types[];

#endif
