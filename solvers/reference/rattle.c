// SPDX-License-Identifier: GPL-3.0-or-later
// RATTLE (Andersen 1983): velocity Verlet whose positions and velocities are both projected on to
// the rows, second order and symplectic while the rope stays taut, with direct multipliers
// (world/direct/projection.h). papers/rattle.md has the derivation.
#include "world/direct/projection.h"
#include "world/ropes/flexure.h"

enum { ITERATIONS, TOLERANCE, REGULARISATION, CONTACT_REGULARISATION, PARAMETER_COUNT };

static const rl_parameter parameters[PARAMETER_COUNT] = {
    [ITERATIONS] = {"iterations", RL_INTEGER, "1", 50, 1, 1e7, NULL,
                    "Newton iterations for the positions, and changes of the active set for the "
                    "velocities, at most"},
    [TOLERANCE] = {"tolerance", RL_REAL, "m", 1e-13, 0, 1, NULL,
                   "stop when the residual of the positions is at or below this; 0: never"},
    [REGULARISATION] = RL_REGULARISATION(1e-13),
    [CONTACT_REGULARISATION] = RL_CONTACT_REGULARISATION,
};

static void init(void *memory, const rl_model *model, const double *values) {
  (void)model;
  rl_projection_init(memory, values,
                     (rl_regularisation){values[REGULARISATION], values[CONTACT_REGULARISATION]},
                     0.5);
}

static rl_reason step(void *memory, const rl_model *model, rl_state *state, rl_rows *rows,
                      double dt, rl_step_info *info) {
  rl_projection *projection = memory;
  const int iterations = (int)projection->parameters[ITERATIONS];
  // (1)-(3) Half a kick, a drift, and the positions back on to the rows along J(x0).
  rl_bending_push(model, state, 0.5 * dt, state->velocities);
  if (!rl_projection_begin(projection, model, state, rows, true, dt)) {
    return RL_DIVERGED_MEMORY;
  }
  rl_state_kick(model, state, 0.5 * dt);
  rl_state_drift(model, state, dt);
  const rl_reason reason = rl_projection_positions(projection, model, state, rows, true, iterations,
                                                   projection->parameters[TOLERANCE], info);
  rl_projection_finish(projection, model, state);
  info->dissipated += rl_state_settle(model, state, 0.5 * dt);
  rl_projection_book_friction(projection, rows, state, true, info);
  // (4)-(5) Half a kick, and the velocities on to the rows along J(x1), of contacts where they
  // touch by then: what slides on round a bend turns inwards, and the place where it touched must
  // let it.
  if (state->contact_count > 0) {
    rl_detect_again(model, state, rows);
    rl_projection_evaluate(projection, model, state, rows);
  }
  rl_projection_book_half(projection, rows, state, info);
  rl_bending_push(model, state, 0.5 * dt, state->velocities);
  rl_state_kick(model, state, 0.5 * dt);
  rl_projection_velocities(projection, state, rows, iterations);
  info->dissipated += rl_state_settle(model, state, 0.5 * dt);
  rl_projection_book_friction(projection, rows, state, false, info);
  // (6) The tension is the impulse of both over the step.
  for (uint32_t m = 0; m < projection->direct.row_count; m++) {
    const double impulse = state->multipliers[m] / dt + projection->impulses[m];
    state->multipliers[m] = fmax(impulse / dt, projection->lower[m]);
  }
  return reason;
}

const rl_solver_type rl_solver_rattle = {
    .name = "rattle",
    .family = "reference",
    .summary = "second order (first with drag or a limited winch), symplectic while taut, direct "
               "multipliers",
    .citation = "andersen1983",
    .capabilities = RL_CAN_WORLD | RL_CAN_TANGLE,
    .seeks_positions = true,
    .holds_directions = true,
    .excess = RL_EXCESS_WORKS,
    .holds_bending = true,
    .parameter_count = PARAMETER_COUNT,
    .parameters = parameters,
    .size = sizeof(rl_projection),
    .lay_out = rl_projection_lay_out,
    .release = rl_projection_release,
    .init = init,
    .sync = rl_projection_sync,
    .step = step,
};
