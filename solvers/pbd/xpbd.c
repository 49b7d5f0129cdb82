// SPDX-License-Identifier: GPL-3.0-or-later
// XPBD (Macklin, Mueller, Chentanez 2016) with small steps (Macklin et al. 2019): position based
// dynamics whose rows have a compliance, so that stiffness does not depend on iterations or step;
// many substeps of one iteration rather than one step of many. The sweeps are those of
// relaxation.c; papers/xpbd.md has the derivation.
#include "relaxation.h"
#include "world/bodies/bounce.h"
#include "world/ledger.h"

enum { SUBSTEPS, ITERATIONS, TOLERANCE, ORDER, OMEGA, PARAMETER_COUNT };

static const rl_parameter parameters[PARAMETER_COUNT] = {
    [SUBSTEPS] = {"substeps", RL_INTEGER, "1", 20, 1, 1e7, NULL, "equal substeps of a step"},
    [ITERATIONS] = {"iterations", RL_INTEGER, "1", 1, 1, 1e7, NULL,
                    "sweeps over all rows in a substep, at most"},
    [TOLERANCE] = {"tolerance", RL_REAL, "m", 0, 0, 1, NULL,
                   "end a substep when the residual is at or below this; 0: never"},
    [ORDER] = {"order", RL_CHOICE, "1", RL_FORWARD, 0, RL_AVERAGED_JACOBI, RL_RELAXATION_ORDERS,
               RL_RELAXATION_ORDER_HELP},
    [OMEGA] = {"omega", RL_REAL, "1", 1, 0.01, 1.999, NULL,
               "relaxation: above 1 over-relaxation (SOR), below 1 damped"},
};

typedef struct xpbd {
  const double *parameters;
  rl_relaxation relaxation;
  double *impulses; // [links + contact capacity] over the step so far [N s]
  double *last;     // and in its last substep
} xpbd;

static void lay_out(void *memory, const rl_model *model, rl_carver *c) {
  xpbd *self = memory;
  rl_relaxation_lay_out(&self->relaxation, model, c);
  self->impulses = rl_carve(c, rl_unknown_capacity(model), sizeof *self->impulses);
  self->last = rl_carve(c, rl_unknown_capacity(model), sizeof *self->last);
}

static void init(void *memory, const rl_model *model, const double *values) {
  xpbd *self = memory;
  (void)model;
  self->parameters = values;
  self->relaxation.omega = values[OMEGA];
  self->relaxation.order = (int)values[ORDER];
  self->relaxation.elastic = true;
}

// One substep: (1) and (2) predict, (3) and (4) sweep, (5) read the velocities.
static rl_reason substep(xpbd *self, const rl_model *model, rl_state *state, rl_rows *rows,
                         double h, bool first, bool last, rl_step_info *info) {
  const size_t unknowns = rl_unknown_count(model, state);
  rl_bounce_begin(model, state, rows, h);
  rl_relaxation_begin(&self->relaxation, model, state, rows, h, first ? 1.0 : 1.0 / (h * h));
  const rl_reason reason =
      rl_relaxation_solve(&self->relaxation, model, state, rows, (int)self->parameters[ITERATIONS],
                          self->parameters[TOLERANCE], info);
  rl_relaxation_end(&self->relaxation, model, state, rows, last && info->want_residual, info);
  rl_ledger_substep(info->ledger, model, state, rows, 1.0 / h, h);
  const rl_bounce_law law = {.which = RL_REBOUND_PUSHED,
                             .h = h,
                             .unit = 1.0 / h,
                             .rubbed = self->relaxation.frictions,
                             .draws_in = true};
  const rl_bounce bounce = rl_bounce_end(&law, model, state, rows);
  rl_ledger_bounce(info->ledger, model, state, rows, &bounce);
  info->work += bounce.rubbed_work;
  for (size_t i = 0; i < unknowns; i++) { // (6)
    self->impulses[i] += state->multipliers[i] / h;
  }
  return reason;
}

static rl_reason step(void *memory, const rl_model *model, rl_state *state, rl_rows *rows,
                      double dt, rl_step_info *info) {
  xpbd *self = memory;
  const int substeps = (int)self->parameters[SUBSTEPS];
  const size_t unknowns = rl_unknown_count(model, state);
  rl_reason worst = RL_CONVERGED_TOLERANCE;
  for (size_t i = 0; i < unknowns; i++) {
    self->impulses[i] = 0.0;
  }
  for (int i = 0; i < substeps; i++) {
    rows->substep_end = (i + 1.0) / substeps;
    if (i > 0) {
      rl_detect_again(model, state, rows);
    }
    for (size_t k = 0; k < unknowns && i + 1 == substeps; k++) {
      self->last[k] = -self->impulses[k];
    }
    const rl_reason reason =
        substep(self, model, state, rows, dt / substeps, i == 0, i + 1 == substeps, info);
    worst = reason > worst ? reason : worst;
    // The dampers of the scenario have their work done at the velocities of the substep.
    info->dissipated += rl_damper_loss(model, state, rows, dt / substeps);
  }
  for (size_t i = 0; i < unknowns; i++) { // (6)
    state->multipliers[i] = self->impulses[i] / dt;
    self->last[i] += self->impulses[i];
  }
  info->last_impulses = self->last;
  return worst;
}

const rl_solver_type rl_solver_xpbd = {
    .name = "xpbd",
    .family = "PBD",
    .summary = "extended PBD: compliance, small steps",
    .citation = "macklin2016",
    .capabilities = RL_CAN_WORLD | RL_CAN_ELASTIC | RL_CAN_TANGLE,
    .seeks_positions = true,
    .tells_strands = true,
    .detects_again = true,
    .parameter_count = PARAMETER_COUNT,
    .parameters = parameters,
    .size = sizeof(xpbd),
    .lay_out = lay_out,
    .init = init,
    .step = step,
};
