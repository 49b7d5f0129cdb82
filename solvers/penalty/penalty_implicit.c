// SPDX-License-Identifier: GPL-3.0-or-later
// Penalty springs integrated by backward Euler or the implicit midpoint rule: the same rows as
// penalty, but the forces are those at the end, or in the middle, of the step, found by Newton's
// method with a direct solve (world/implicit/implicit.h). No step and no stiffness is too large.
// papers/penalty-implicit.md has the derivation.
#include "springs.h"
#include "world/implicit/implicit.h"

enum {
  INTEGRATOR,
  ITERATIONS,
  TOLERANCE,
  STIFFNESS,
  DAMPING,
  HARDNESS,
  DAMPING_RATIO,
  PARAMETER_COUNT
};

// Newton's method converges in a few iterations, or seldom at all.
enum { newton_tries = 12 };

static const rl_parameter parameters[PARAMETER_COUNT] = {
    [INTEGRATOR] = {"integrator", RL_CHOICE, "1", RL_EULER, 0, 1, "euler|midpoint",
                    "backward Euler (order 1, damps what the step does not resolve), implicit "
                    "midpoint (order 2, damps nothing; backward Euler where contacts rub)"},
    [ITERATIONS] = {"iterations", RL_INTEGER, "1", 100, 1, 1e7, NULL,
                    "iterations in a step, at most: first Newton's, then the interior point's"},
    [TOLERANCE] = {"tolerance", RL_REAL, "m", 1e-11, 0, 1, NULL,
                   "stop when every spring's force agrees with its length to this, and forces "
                   "balance; 0: never"},
    [STIFFNESS] = {"stiffness", RL_REAL, "N/m", 0, 0, 1e15, NULL,
                   "spring constant of each stand-in; 0: automatic, see hardness"},
    [DAMPING] = {"damping", RL_REAL, "N s/m", 0, 0, 1e15, NULL,
                 "damper of each stand-in, beside what the scenario gives the rope"},
    [HARDNESS] = {"hardness", RL_REAL, "1", 1e6, 1e-6, 1e12, NULL,
                  "automatic spring constant in units of 1 / (W h^2) (h: step, W: inverse mass of "
                  "the row, (9) of its note)"},
    [DAMPING_RATIO] = {"damping_ratio", RL_REAL, "1", 0.0, 0, 1e6, NULL,
                       "automatic springs: damper as a fraction of the critical one"},
};

typedef struct penalty_implicit {
  rl_implicit implicit;
  const double *parameters;
  rl_stand_in law;
} penalty_implicit;

static void lay_out(void *memory, const rl_model *model, rl_carver *c) {
  rl_implicit_lay_out(&((penalty_implicit *)memory)->implicit, model, c);
}

static void release(void *memory) { rl_implicit_release(&((penalty_implicit *)memory)->implicit); }

static void init(void *memory, const rl_model *model, const double *values) {
  penalty_implicit *self = memory;
  (void)model;
  self->parameters = values;
  self->law.h = 0.0;
  rl_implicit_forget(&self->implicit);
}

static void sync(void *memory, const rl_model *model, const rl_state *state) {
  (void)model;
  (void)state;
  rl_implicit_forget(&((penalty_implicit *)memory)->implicit);
}

static rl_softness soften(const void *memory, const rl_rope *rope, double rest, double compliance,
                          double inverse_mass) {
  const penalty_implicit *self = memory;
  const rl_spring s = rl_spring_of(&self->law, rope, rest, compliance, inverse_mass);
  return (rl_softness){s.stiffness > 0.0 ? 1.0 / s.stiffness : 0.0, s.damping, !s.physical};
}

static rl_reason step(void *memory, const rl_model *model, rl_state *state, rl_rows *rows,
                      double dt, rl_step_info *info) {
  penalty_implicit *self = memory;
  const double *values = self->parameters;
  self->law = (rl_stand_in){.stiffness = values[STIFFNESS],
                            .damping = values[DAMPING],
                            .hardness = values[HARDNESS],
                            .damping_ratio = values[DAMPING_RATIO],
                            .h = dt};
  const rl_implicit_method method = {.integrator = (rl_integrator)values[INTEGRATOR],
                                     .tries = newton_tries,
                                     .iterations = (int)values[ITERATIONS],
                                     .tolerance = values[TOLERANCE],
                                     .law = soften,
                                     .solver = self};
  return rl_implicit_step(&self->implicit, model, state, rows, &method, dt, info);
}

const rl_solver_type rl_solver_penalty_implicit = {
    .name = "penalty-implicit",
    .family = "penalty",
    .summary = "spring and damper for every row, backward Euler or implicit midpoint by Newton's "
               "method",
    .citation = "baraff1998",
    .capabilities = RL_CAN_WORLD | RL_CAN_ELASTIC | RL_CAN_TANGLE,
    .seeks_positions = true,
    .parameter_count = PARAMETER_COUNT,
    .parameters = parameters,
    .size = sizeof(penalty_implicit),
    .lay_out = lay_out,
    .release = release,
    .init = init,
    .sync = sync,
    .step = step,
};
