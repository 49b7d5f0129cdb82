// SPDX-License-Identifier: GPL-3.0-or-later
// Impulses on the summed velocity (Knyazyev, "Ropes as Constraints", 2010): a rope, over however
// many bodies, is one inequality on the rate of its length; a test impulse measures how the rate
// answers, and rows are solved one after the other with accumulated clamping. papers/impulse.md
// has the derivation.
#include "sequential.h"
#include "world/bodies/warm.h"
#include "world/ledger.h"
#include "world/ropes/slips.h"

enum {
  ITERATIONS,
  TOLERANCE,
  ORDER,
  OMEGA,
  WARM_START,
  PENALTY_VELOCITY,
  TOGETHER,
  PARAMETER_COUNT
};

static const rl_parameter parameters[PARAMETER_COUNT] = {
    [ITERATIONS] =
        {"iterations", RL_INTEGER, "1", 20, 1, 1e7, NULL,
         "sweeps over all rows in a step, at most; none behind one that changes nothing"},
    [TOLERANCE] = {"tolerance", RL_REAL, "m", 0, 0, 1, NULL,
                   "stop when the residual is at or below this; 0: never"},
    [ORDER] = {"order", RL_CHOICE, "1", RL_FORWARD, 0, 2, RL_ORDER_CHOICES,
               "order of a sweep: ropes as in the scenario from `from` to `to`, back, or in turn"},
    [OMEGA] = {"omega", RL_REAL, "1", 1, 0.01, 1.999, NULL,
               "relaxation: above 1 over-relaxation (SOR), below 1 damped"},
    [WARM_START] = {"warm_start", RL_BOOLEAN, "1", 0, 0, 1, NULL,
                    "start from the impulses of the last step; with too few iterations that puts "
                    "energy into long chains"},
    [PENALTY_VELOCITY] = {"penalty_velocity", RL_REAL, "1", 1, 0, 1, NULL,
                          RL_PENALTY_VELOCITY_HELP},
    [TOGETHER] = {"together", RL_BOOLEAN, "1", 1, 0, 1, NULL,
                  "solve strands of massless ropes together that pull on something in common; "
                  "false: one after the other, as all other rows"},
};

typedef struct impulse {
  const double *parameters;
  rl_sequential sequential; // its rows keep the geometry of the start of the step
} impulse;

static void lay_out(void *memory, const rl_model *model, rl_carver *c) {
  rl_sequential_lay_out(&((impulse *)memory)->sequential, model, c);
}

static void init(void *memory, const rl_model *model, const double *values) {
  impulse *self = memory;
  (void)model;
  self->parameters = values;
  self->sequential.in_turn = values[TOGETHER] == 0.0;
}

// (3), (5) Bias, and the effective mass from the test impulse.
static void law(const void *solver, const rl_sequential_view *view, double dt,
                rl_sequential_row *row) {
  const impulse *self = solver;
  const double omega = self->parameters[OMEGA];
  row->bias = rl_impulse_bias(self->parameters[PENALTY_VELOCITY], view->value, view->lower, dt);
  row->mass = view->inverse_mass > 0.0 ? omega * (1.0 / view->inverse_mass) : 0.0;
  row->keep = 1.0;
}

static rl_reason step(void *memory, const rl_model *model, rl_state *state, rl_rows *rows,
                      double dt, rl_step_info *info) {
  impulse *self = memory;
  const int iterations = (int)self->parameters[ITERATIONS];
  const double tolerance = self->parameters[TOLERANCE];
  const rl_order order = (rl_order)self->parameters[ORDER];
  const size_t unknowns = rl_unknown_count(model, state);
  const bool each_residual = info->trace || tolerance > 0.0;
  rl_reason reason = RL_CONVERGED_ITERATIONS;

  rl_sequential_kick(&self->sequential, model, state, dt); // (1)
  // (2) to (4): geometry, test impulses and the warm start. Multipliers are impulses in the sweeps.
  rl_sequential_evaluate(&self->sequential, model, state, rows);
  rl_sequential_prepare(&self->sequential, model, state, rows, law, self, dt);
  self->sequential.slip_rate = self->parameters[PENALTY_VELOCITY] / dt;
  rl_warm_contacts(model, state, rows, dt, RL_WARM_NEAR);
  rl_sequential_start(&self->sequential, state, rows, self->parameters[WARM_START] * dt, dt, dt);
  bool changed = true; // by (5), (6) and (12)
  for (int i = 0; i < iterations && changed && reason == RL_CONVERGED_ITERATIONS; i++) {
    changed = rl_sequential_sweep(&self->sequential, state, rows, rl_order_is_backward(order, i));
    changed = rl_sequential_sweep_bends(&self->sequential, state) || changed;
    info->iterations++;
    info->row_evaluations += unknowns;
    if (each_residual || (info->want_residual && (i + 1 == iterations || !changed))) {
      rl_trace(info, rl_residual_velocity(model, state, rows, state->velocities, state->multipliers,
                                          1.0 / dt, dt));
      if (info->residual <= tolerance && tolerance > 0.0) {
        reason = RL_CONVERGED_TOLERANCE;
      }
    }
  }
  rl_slips_keep(state, rows, self->sequential.slid, dt, dt);
  rl_ledger_friction(rows, state, self->sequential.frictions, 1.0, self->sequential.before, info);
  info->dissipated += rl_state_settle(model, state, dt);
  rl_state_drift(model, state, dt); // (7)
  for (size_t i = 0; i < unknowns; i++) {
    state->multipliers[i] /= dt;
  }
  for (size_t i = 0; i < state->contact_count; i++) {
    state->frictions[i] = rl_scale(1.0 / dt, self->sequential.frictions[i]);
  }
  return reason;
}

const rl_solver_type rl_solver_impulse = {
    .name = "impulse",
    .family = "impulse",
    .summary = "test impulses and the summed-velocity inequality, one row for each span",
    .citation = "knyazyev2010",
    .capabilities = RL_CAN_WORLD | RL_CAN_TANGLE,
    .holds_directions = true,
    .parameter_count = PARAMETER_COUNT,
    .parameters = parameters,
    .size = sizeof(impulse),
    .lay_out = lay_out,
    .init = init,
    .step = step,
};
