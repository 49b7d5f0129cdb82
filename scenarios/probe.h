// SPDX-License-Identifier: GPL-3.0-or-later
// Probes: quantities of bodies and ropes, named by a scenario or the user ("heavy.vy",
// "line.tension.3", "line.node.-1.x"); scenarios/README.md lists them.
#ifndef RL_PROBE_H
#define RL_PROBE_H

#include "world/state.h"

typedef enum rl_probe_kind {
  RL_PROBE_BODY_X,
  RL_PROBE_BODY_Y,
  RL_PROBE_BODY_Z,
  RL_PROBE_BODY_VX,
  RL_PROBE_BODY_VY,
  RL_PROBE_BODY_VZ,
  RL_PROBE_BODY_SPEED,
  RL_PROBE_BODY_ANGLE,
  RL_PROBE_BODY_SPIN,
  RL_PROBE_ROPE_LENGTH,
  RL_PROBE_ROPE_REST,
  RL_PROBE_ROPE_STRETCH,
  RL_PROBE_ROPE_TENSION,
  RL_PROBE_ROPE_TENSION_FROM,
  RL_PROBE_ROPE_TENSION_TO,
  RL_PROBE_ROPE_TENSION_AT,
  RL_PROBE_ROPE_NODE_X,
  RL_PROBE_ROPE_NODE_Y,
  RL_PROBE_ROPE_NODE_Z,
  RL_PROBE_ROPE_NODE_VX,
  RL_PROBE_ROPE_NODE_VY,
  RL_PROBE_ROPE_NODE_VZ,
  RL_PROBE_ROPE_NODE_SPEED,
  RL_PROBE_ROPE_ANGLE,
  RL_PROBE_ROPE_SAG,
  RL_PROBE_ROPE_CONTACTS,
  RL_PROBE_ROPE_WRAP,
  RL_PROBE_ROPE_FORCE,
  RL_PROBE_ROPE_TENSION_BEFORE,
  RL_PROBE_ROPE_TENSION_AFTER,
  RL_PROBE_ROPE_SLIP,
  RL_PROBE_ROPE_ENTRY_X,
  RL_PROBE_ROPE_ENTRY_Y,
  RL_PROBE_ROPE_ENTRY_Z,
  RL_PROBE_ROPE_EXIT_X,
  RL_PROBE_ROPE_EXIT_Y,
  RL_PROBE_ROPE_EXIT_Z
} rl_probe_kind;

typedef struct rl_probe {
  rl_probe_kind kind;
  uint32_t index;   // of the body or the rope
  uint32_t element; // index of the node or element along the rope
  bool from_end;    // the index counts back from the last one, which is 0
  uint32_t body;    // of the body that the rope touches
} rl_probe;

typedef enum rl_probe_status {
  RL_PROBE_OK,
  RL_PROBE_UNKNOWN,
  RL_PROBE_UNSUPPORTED
} rl_probe_status;

// The quantities of a body or rope, including those that this version does not support; ended by
// NULL.
extern const char *const rl_probe_body_quantities[];
extern const char *const rl_probe_rope_quantities[];

// Parses the name of a probe. Otherwise `message` [size] says what was found, what was expected,
// and the nearest valid name.
rl_probe_status rl_probe_parse(const rl_model *model, const char *text, rl_probe *probe,
                               char *message, size_t size);

// Checks a name against a definition, for valid scenarios that this version has no model for.
rl_probe_status rl_probe_check(const rl_definition *definition, const char *text, char *message,
                               size_t size);

// Returns the value in a state. Angles are principal values; rl_unwrap makes a series continuous.
double rl_probe_value(const rl_model *model, const rl_state *state, rl_probe probe);

// Whether the series of the probe has to be unwrapped.
static inline bool rl_probe_is_angle(rl_probe probe) {
  return probe.kind == RL_PROBE_ROPE_ANGLE || probe.kind == RL_PROBE_BODY_ANGLE;
}

// Whether the probe is unknown before the first step: tensions, forces and slips.
static inline bool rl_probe_needs_step(rl_probe probe) {
  return (probe.kind >= RL_PROBE_ROPE_TENSION && probe.kind <= RL_PROBE_ROPE_TENSION_AT) ||
         (probe.kind >= RL_PROBE_ROPE_FORCE && probe.kind <= RL_PROBE_ROPE_SLIP);
}

// Whether the probe is read from the contacts of a rope with mass.
static inline bool rl_probe_is_contact(const rl_model *model, rl_probe probe) {
  return probe.kind >= RL_PROBE_ROPE_CONTACTS && !model->ropes[probe.index].massless;
}

// Whether the probe is a position or length [m].
bool rl_probe_is_length(rl_probe probe);

// Returns the angle that equals `angle` up to full turns and is nearest to `previous` [rad]; nan
// for `previous` leaves it as it is.
double rl_unwrap(double angle, double previous);

#endif
