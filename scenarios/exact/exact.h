// SPDX-License-Identifier: GPL-3.0-or-later
// Closed forms: the exact state of a scenario at any time. Because a closed form fills in a whole
// state, every probe has an exact value by the same code that reads the simulated one.
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
  bool bends;  // it knows ropes with bending stiffness
  size_t size; // bytes of the form's own data
  // Reads its constants from the model's initial state; false with a message where the scenario
  // is not what the closed form describes. `arguments` are indices of ropes and bodies.
  bool (*init)(void *self, const rl_model *model, const uint32_t *arguments, char *message,
               size_t message_size);
  // Writes the exact positions, velocities and tensions at time t [s] into `state`, which holds a
  // state of the same model. False once the assumptions have ended (a weight reached the eye).
  bool (*at)(const void *self, const rl_model *model, double t, rl_state *state);
  // Writes what is a mean over a step, from one time to another [s], into `state`: tensions, with
  // the blows of which `at` knows nothing, and how fast ropes slip where they rub. NULL: tensions
  // have no blows, and nothing slips.
  void (*mean)(const void *self, const rl_model *model, double from, double to, rl_state *state);
  // A quantity that the motion keeps, in any state: in series.csv it stands beside its value at the
  // start. NULL: none. It may be all that is known: `at` is false at any time then.
  double (*invariant)(const void *self, const rl_model *model, const rl_state *state);
  const char *invariant_help; // what it is, and its unit
  // What a probe of contacts of a rope with mass reads at time t [s]: the state of a closed form
  // has none. nan where it is not known; NULL: never.
  double (*contact)(const void *self, const rl_model *model, double t, rl_probe probe);
} rl_exact_type;

// All closed forms, ended by NULL.
extern const rl_exact_type *const rl_exact_types[];

#endif
