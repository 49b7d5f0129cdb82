// SPDX-License-Identifier: GPL-3.0-or-later
// All rows at once: predicted positions are projected on to the rows by Newton's method, each
// iteration one direct solve (world/direct/projection.h). With the gradients of the start of the
// step the multipliers act along J0 (SHAKE), with the current ones it is fast projection
// (Goldenthal et al. 2007). papers/pbd-direct.md has the derivation.
#include "world/direct/projection.h"
#include "world/ropes/flexure.h"

enum { ITERATIONS, TOLERANCE, GRADIENT, REGULARISATION, CONTACT_REGULARISATION, PARAMETER_COUNT };
enum { GRADIENT_START, GRADIENT_CURRENT };

static const rl_parameter parameters[PARAMETER_COUNT] = {
    [ITERATIONS] = {"iterations", RL_INTEGER, "1", 50, 1, 1e7, NULL,
                    "Newton iterations in a step, at most"},
    [TOLERANCE] = {"tolerance", RL_REAL, "m", 1e-11, 0, 1, NULL,
                   "stop when the residual is at or below this; 0: never"},
    [GRADIENT] = {"gradient", RL_CHOICE, "1", GRADIENT_START, 0, 1, "start|current",
                  "direction in which the multipliers act: the gradients at the start of the step, "
                  "stable up to a step of sqrt(m l/T), or the current ones, sqrt(m l/3T)"},
    [REGULARISATION] = RL_REGULARISATION(1e-12),
    [CONTACT_REGULARISATION] = RL_CONTACT_REGULARISATION,
};

static void init(void *memory, const rl_model *model, const double *values) {
  (void)model;
  rl_projection_init(memory, values,
                     (rl_regularisation){values[REGULARISATION], values[CONTACT_REGULARISATION]},
                     1.0);
}

// (1) v += dt g, y = x + dt v; (2)-(4) the projection; (5) v += (x - y) / dt, lambda = Lambda /
// dt^2.
static rl_reason step(void *memory, const rl_model *model, rl_state *state, rl_rows *rows,
                      double dt, rl_step_info *info) {
  rl_projection *projection = memory;
  const bool at_start = (int)projection->parameters[GRADIENT] == GRADIENT_START;
  rl_bending_push(model, state, dt, state->velocities);
  if (!rl_projection_begin(projection, model, state, rows, at_start, dt)) {
    return RL_DIVERGED_MEMORY;
  }
  rl_state_kick(model, state, dt);
  rl_state_drift(model, state, dt);
  const rl_reason reason = rl_projection_positions(projection, model, state, rows, at_start,
                                                   (int)projection->parameters[ITERATIONS],
                                                   projection->parameters[TOLERANCE], info);
  rl_projection_finish(projection, model, state);
  info->dissipated += rl_state_settle(model, state, dt);
  rl_projection_book_friction(projection, rows, state, true, info);
  for (uint32_t m = 0; m < projection->direct.row_count; m++) {
    state->multipliers[m] /= dt * dt;
  }
  return reason;
}

const rl_solver_type rl_solver_pbd_direct = {
    .name = "pbd-direct",
    .family = "PBD",
    .summary = "Newton on all rows at once, each iteration a direct solve",
    .citation = "goldenthal2007",
    .capabilities = RL_CAN_WORLD | RL_CAN_TANGLE,
    .seeks_positions = true,
    .holds_directions = true,
    .holds_bending = true,
    .lags = true,
    .parameter_count = PARAMETER_COUNT,
    .parameters = parameters,
    .size = sizeof(rl_projection),
    .lay_out = rl_projection_lay_out,
    .release = rl_projection_release,
    .init = init,
    .sync = rl_projection_sync,
    .step = step,
};
