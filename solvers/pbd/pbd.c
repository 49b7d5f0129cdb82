// SPDX-License-Identifier: GPL-3.0-or-later
// Position based dynamics (Mueller, Heidelberger, Hennix, Ratcliff 2006): predict positions, move
// them until every row holds, read the velocities off the move. The sweeps are those of
// relaxation.c; papers/pbd.md has the derivation and the equation numbers.
#include "relaxation.h"

enum { ITERATIONS, TOLERANCE, ORDER, OMEGA, CLAMP, LONG_RANGE, PARAMETER_COUNT };
enum { CLAMP_ACCUMULATED, CLAMP_VIOLATED };

static const rl_parameter parameters[PARAMETER_COUNT] = {
    [ITERATIONS] = {"iterations", RL_INTEGER, "1", 20, 1, 1e7, NULL,
                    "sweeps over all rows in a step, at most"},
    [TOLERANCE] = {"tolerance", RL_REAL, "m", 0, 0, 1, NULL,
                   "stop when the residual is at or below this; 0: never"},
    [ORDER] = {"order", RL_CHOICE, "1", RL_FORWARD, 0, RL_AVERAGED_JACOBI, RL_RELAXATION_ORDERS,
               RL_RELAXATION_ORDER_HELP},
    [OMEGA] = {"omega", RL_REAL, "1", 1, 0.01, 1.999, NULL,
               "relaxation: above 1 over-relaxation (SOR), below 1 damped"},
    [CLAMP] = {"clamp", RL_CHOICE, "1", CLAMP_ACCUMULATED, 0, 1, "accumulated|violated",
               "what keeps a rope from pushing: its accumulated multiplier stays >= 0 (a "
               "correction can be taken back), or only rows with C > 0 are corrected (2006)"},
    [LONG_RANGE] = {"long_range", RL_BOOLEAN, "1", 0, 0, 1, NULL,
                    "long-range attachments: before the sweeps, pull every node to within the "
                    "rest length of a held end of its rope (Kim, Chentanez, Mueller 2012)"},
};

typedef struct pbd {
  const double *parameters;
  rl_relaxation relaxation;
  double *attached; // [links] what long-range attachments add to the multipliers
  double *pulls;    // [links] scratch: of the node at its far end
} pbd;

static void lay_out(void *memory, const rl_model *model, rl_carver *c) {
  pbd *self = memory;
  rl_relaxation_lay_out(&self->relaxation, model, c);
  self->attached = rl_carve(c, model->link_count, sizeof *self->attached);
  self->pulls = rl_carve(c, model->link_count, sizeof *self->pulls);
}

static void init(void *memory, const rl_model *model, const double *values) {
  pbd *self = memory;
  (void)model;
  self->parameters = values;
  self->relaxation.omega = values[OMEGA];
  self->relaxation.order = (int)values[ORDER];
  self->relaxation.violated_only = (int)values[CLAMP] == CLAMP_VIOLATED;
}

// (6) |x_i - a| <= r_i for every node and a held end a of its rope, r_i the rest length between
// them: one projection of the node alone, as far as the rope goes on. The elements between carry
// its pull.
static void attach(const pbd *self, const rl_model *model, rl_state *state, uint32_t rope,
                   bool from_end) {
  const rl_rope *r = &model->ropes[rope];
  const rl_link *links = &state->links[r->first_link];
  const uint32_t count = rl_rope_elements(model, state, rope);
  const uint32_t anchor = count == 0 ? 0 : from_end ? links[count - 1].b : links[0].a;
  if (r->massless || state->points[anchor].w > 0.0 || rl_moving_hold(model, anchor)) {
    return;
  }
  double reach = 0.0;
  uint32_t reached = 0, at = anchor;
  for (uint32_t i = 0; i < count; i++, reached++) { // out from the anchor
    const uint32_t link = from_end ? count - 1 - i : i;
    if (at != (from_end ? links[link].b : links[link].a)) {
      break; // it has parted there
    }
    at = from_end ? links[link].a : links[link].b;
    reach += links[link].rest;
    const rl_vec3 arm =
        rl_sub(rl_position(&state->points[anchor]), rl_position(&state->points[at]));
    const double distance = rl_length(arm);
    double *pull = &self->pulls[r->first_link + link];
    *pull = 0.0;
    if (distance > reach && state->points[at].w > 0.0) {
      rl_relaxation_correct(&self->relaxation, state, at, rl_scale(1.0 - reach / distance, arm));
      *pull = (distance - reach) / state->points[at].w;
    }
  }
  double pull = 0.0;
  for (uint32_t i = reached; i-- > 0;) { // and back
    const uint32_t link = r->first_link + (from_end ? count - 1 - i : i);
    pull += self->pulls[link];
    self->attached[link] += pull;
  }
}

// (6)
static void attach_all(const pbd *self, const rl_model *model, rl_state *state) {
  for (uint32_t i = 0; i < model->link_count; i++) {
    self->attached[i] = 0.0;
  }
  for (uint32_t i = 0; i < model->rope_count; i++) {
    attach(self, model, state, i, false);
    attach(self, model, state, i, true);
  }
}

static rl_reason step(void *memory, const rl_model *model, rl_state *state, rl_rows *rows,
                      double dt, rl_step_info *info) {
  pbd *self = memory;
  const size_t unknowns = rl_unknown_count(model, state);
  rl_relaxation_begin(&self->relaxation, model, state, rows, dt, 1.0); // (1), (2)
  if (self->parameters[LONG_RANGE] != 0.0) {
    attach_all(self, model, state); // (6)
  }
  const rl_reason reason = // (3), (4)
      rl_relaxation_solve(&self->relaxation, model, state, rows, (int)self->parameters[ITERATIONS],
                          self->parameters[TOLERANCE], info);
  rl_relaxation_end(&self->relaxation, model, state, rows, info->want_residual, info); // (5)
  for (uint32_t i = 0; i < model->link_count; i++) {
    state->multipliers[i] += self->attached[i];
  }
  for (size_t i = 0; i < unknowns; i++) {
    state->multipliers[i] /= dt * dt; // from kg m to N
  }
  return reason;
}

const rl_solver_type rl_solver_pbd = {
    .name = "pbd",
    .family = "PBD",
    .summary = "position based dynamics: Gauss-Seidel, SOR or Jacobi relaxation of positions",
    .citation = "mueller2006",
    .capabilities = RL_CAN_WORLD | RL_CAN_TANGLE,
    .seeks_positions = true,
    .tells_strands = true,
    .holds_bending = true,
    .parameter_count = PARAMETER_COUNT,
    .parameters = parameters,
    .size = sizeof(pbd),
    .lay_out = lay_out,
    .init = init,
    .step = step,
};
