// SPDX-License-Identifier: GPL-3.0-or-later
// The rows of impulse, all solved together: one mixed linear complementarity problem a step for the
// impulses of all spans, elements, joints and contacts, with their friction (lcp.h).
// papers/impulse-direct.md has the derivation.
#include "lcp.h"
#include "world/paths/strands.h"
#include "world/ropes/flexure.h"

enum {
  ITERATIONS,
  TOLERANCE,
  PENALTY_VELOCITY,
  CONTINUATION,
  REGULARISATION,
  CONTACT_REGULARISATION,
  PARAMETER_COUNT
};

static const rl_parameter parameters[PARAMETER_COUNT] = {
    [ITERATIONS] = {"iterations", RL_INTEGER, "1", 3000, 1, 1e7, NULL,
                    "direct solves in a step, at most: one for each set of rows that is tried"},
    [TOLERANCE] = {"tolerance", RL_REAL, "m", 1e-13, 0, 1, NULL,
                   "stop when impulses and rates, times the step, and friction are this near to "
                   "complementarity; 0: never"},
    [PENALTY_VELOCITY] = {"penalty_velocity", RL_REAL, "1", 1, 0, 1, NULL,
                          RL_PENALTY_VELOCITY_HELP},
    [CONTINUATION] = {"continuation", RL_REAL, "1", 0.4, 0, 0.99, NULL,
                      "where sticking and slipping do not settle, begin anew with contacts that "
                      "give way, and go on to harder ones, softer by this factor from stage to "
                      "stage, then by its root, and the root of that; 0: solve more softly"},
    [REGULARISATION] = {"regularisation", RL_REAL, "1", 1e-12, 0, 1e-6, NULL,
                        "added to the diagonal as a fraction of it and taken out again by "
                        "refinement, for rows that repeat each other"},
    [CONTACT_REGULARISATION] = {"contact_regularisation", RL_REAL, "1", 1e-5, 0, 0.1, NULL,
                                "the same for contacts and their friction"},
};

typedef struct impulse_direct {
  const double *parameters;
  rl_lcp lcp;
  double *held; // impulses that strands would have with the tensions of the step before [N s]
} impulse_direct;

static void lay_out(void *memory, const rl_model *model, rl_carver *carver) {
  impulse_direct *self = memory;
  rl_lcp_lay_out(&self->lcp, model, carver);
  self->held = rl_carve(carver, model->split_capacity > 0 ? rl_unknown_capacity(model) : 0,
                        sizeof *self->held);
}

static void release(void *memory) { rl_lcp_release(&((impulse_direct *)memory)->lcp); }

static void init(void *memory, const rl_model *model, const double *values) {
  (void)model;
  ((impulse_direct *)memory)->parameters = values;
}

// A foreign state may have other contacts than those the matrix was laid out for.
static void sync(void *memory, const rl_model *model, const rl_state *state) {
  (void)model;
  (void)state;
  ((impulse_direct *)memory)->lcp.direct.structure = 0;
}

// (3b) of papers/strands.md: of all impulses of strands that depend on each other takes those
// nearest to the tensions of the step before. None of them moves anything else.
static void stay_near(const impulse_direct *self, rl_state *state, rl_rows *rows, double dt) {
  for (uint32_t i = 0; i < rows->block_count; i++) {
    rl_strands strands;
    for (uint32_t at = 0; rows->blocks[i].strand_count > 0 &&
                          rl_strands_next(&strands, rows, &rows->blocks[i], false, &at);) {
      for (uint32_t k = 0; k < strands.count; k++) {
        const uint32_t source = strands.rows[k]->source;
        strands.rounding[k] = rl_strand_rounding(state, strands.rows[k]) / dt;
        const bool pulls =
            state->multipliers[source] > 0.0 || self->lcp.rates[source] > -strands.rounding[k];
        strands.alone[k] = 0.0;
        strands.softness[k] = pulls ? 0.0 : INFINITY;
        strands.multipliers[k] = state->multipliers[source];
        strands.held[k] = self->held[source];
      }
      rl_strands_solve(&strands, rows, state->points);
      for (uint32_t k = 0; k < strands.count; k++) {
        state->multipliers[strands.rows[k]->source] += strands.changes[k];
      }
    }
  }
}

static rl_reason step(void *memory, const rl_model *model, rl_state *state, rl_rows *rows,
                      double dt, rl_step_info *info) {
  impulse_direct *self = memory;
  const double *p = self->parameters;
  rl_lcp *lcp = &self->lcp;
  const rl_lcp_options options = {
      .iterations = (int)p[ITERATIONS],
      .continuation = p[CONTINUATION],
      .tolerance = p[TOLERANCE],
      .dt = dt,
      .regularisation = {p[REGULARISATION], p[CONTACT_REGULARISATION]},
  };
  // (1) Kick; (2) the rows at the start of the step and what they ask for.
  if (!rl_lcp_begin(lcp, model, state, rows)) {
    return RL_DIVERGED_MEMORY;
  }
  for (size_t m = 0; m < rl_unknown_count(model, state) && model->split_capacity > 0; m++) {
    self->held[m] = dt * state->multipliers[m];
  }
  rl_bending_push(model, state, dt, state->velocities);
  rl_state_kick(model, state, dt);
  for (uint32_t m = 0; m < lcp->direct.row_count; m++) {
    lcp->bias[m] = rl_impulse_bias(p[PENALTY_VELOCITY], lcp->values[m], lcp->lower[m], dt);
  }
  const rl_reason reason = rl_lcp_solve(lcp, model, state, rows, &options, info);
  stay_near(self, state, rows, dt);
  rl_frictions_book(lcp->frictions, &lcp->direct, rows, state, 1.0, info);
  info->dissipated += rl_state_settle(model, state, dt);
  // (9) Drift; the tension is the impulse over the step.
  rl_state_drift(model, state, dt);
  for (uint32_t m = 0; m < lcp->direct.row_count; m++) {
    state->multipliers[m] /= dt;
  }
  return reason;
}

const rl_solver_type rl_solver_impulse_direct = {
    .name = "impulse-direct",
    .family = "impulse",
    .summary = "the rows of impulse solved together as one complementarity problem",
    .citation = "judice1994",
    .capabilities = RL_CAN_WORLD | RL_CAN_TANGLE,
    .holds_directions = true,
    .holds_bending = true,
    .parameter_count = PARAMETER_COUNT,
    .parameters = parameters,
    .size = sizeof(impulse_direct),
    .lay_out = lay_out,
    .release = release,
    .init = init,
    .sync = sync,
    .step = step,
};
