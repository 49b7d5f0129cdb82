// SPDX-License-Identifier: GPL-3.0-or-later
// Position based dynamics (Mueller, Heidelberger, Hennix, Ratcliff 2006): predict positions, move
// them until every row holds, read the velocities off the move. papers/pbd.md has the derivation
// and the equation numbers.
#include "world/memory.h"
#include "world/solver.h"

enum { ITERATIONS, TOLERANCE, ORDER, OMEGA, CLAMP, PARAMETER_COUNT };
enum { JACOBI = RL_SYMMETRIC + 1 };
enum { CLAMP_ACCUMULATED, CLAMP_VIOLATED };

static const rl_parameter parameters[PARAMETER_COUNT] = {
    [ITERATIONS] = {"iterations", RL_INTEGER, "1", 20, 1, 1e7, NULL,
                    "sweeps over all rows in a step, at most"},
    [TOLERANCE] = {"tolerance", RL_REAL, "m", 0, 0, 1, NULL,
                   "stop when the residual is at or below this; 0: never"},
    [ORDER] = {"order", RL_CHOICE, "1", RL_FORWARD, 0, 3, RL_ORDER_CHOICES "|jacobi",
               "order of a sweep: Gauss-Seidel from `from` to `to`, back, in turn; or Jacobi (all "
               "rows from the same positions)"},
    [OMEGA] = {"omega", RL_REAL, "1", 1, 0.01, 1.999, NULL,
               "relaxation: above 1 over-relaxation (SOR), below 1 damped"},
    [CLAMP] = {"clamp", RL_CHOICE, "1", CLAMP_ACCUMULATED, 0, 1, "accumulated|violated",
               "what keeps a rope from pushing: its accumulated multiplier stays >= 0 (a "
               "correction can be taken back), or only rows with C > 0 are corrected (2006)"},
};

typedef struct pbd {
  const double *parameters;
  rl_point *previous; // [slots] positions at the start of the step
  rl_vec3 *moves;     // [slots] Jacobi: sum of the corrections
} pbd;

static size_t lay_out(const rl_model *model, pbd *self, char *block) {
  rl_carver c = {.block = block};
  rl_carve(&c, 1, sizeof(pbd));
  self->previous = rl_carve(&c, model->slot_count, sizeof *self->previous);
  self->moves = rl_carve(&c, model->slot_count, sizeof *self->moves);
  return c.used;
}

static size_t size(const rl_model *model, const double *values) {
  (void)values;
  return lay_out(model, &(pbd){0}, NULL);
}

static void init(void *memory, const rl_model *model, const double *values) {
  pbd *self = memory;
  lay_out(model, self, memory);
  self->parameters = values;
}

// (1)-(2) v += dt g, p = x + dt v. What cannot be moved goes where its velocity takes it.
static void predict(const rl_model *model, rl_state *state, pbd *self, double dt) {
  for (uint32_t i = 0; i < model->slot_count; i++) {
    self->previous[i] = state->points[i];
    if (state->points[i].w > 0.0) {
      state->velocities[i] = rl_add_scaled(state->velocities[i], dt, model->gravity);
    }
    rl_move(&state->points[i], rl_scale(dt, state->velocities[i]));
  }
}

// (5) v = (p - x) / dt
static void read_velocities(const rl_model *model, rl_state *state, const pbd *self, double dt) {
  for (uint32_t i = 0; i < model->slot_count; i++) {
    if (state->points[i].w > 0.0) {
      state->velocities[i] = rl_scale(
          1.0 / dt, rl_sub(rl_position(&state->points[i]), rl_position(&self->previous[i])));
    }
  }
}

// (3) The step of one multiplier, dlambda = omega C / (J M^-1 J^T), kept from pushing. Multipliers
// are positional here, lambda dt^2 [kg m].
static inline double correction(double value, double inverse_mass, double omega, double lower,
                                int clamp, double *multiplier) {
  if (!(inverse_mass > 0.0) || (clamp == CLAMP_VIOLATED && lower == 0.0 && value <= 0.0)) {
    return 0.0;
  }
  const double old = *multiplier;
  // The quotient waits for nothing that a sweep computes, so it is off the critical path.
  double now = old + value * (omega / inverse_mass);
  if (clamp == CLAMP_ACCUMULATED && now < lower) {
    now = lower;
  }
  *multiplier = now;
  return now - old;
}

// (4) dp = -w grad C dlambda, at once.
static inline void project_link(const rl_link *link, rl_point *points, double omega, double lower,
                                int clamp, double *multiplier) {
  const rl_link_value v = rl_link_evaluate(link, points);
  const double d = correction(v.value, v.inverse_mass, omega, lower, clamp, multiplier);
  rl_point *a = &points[link->a];
  rl_point *b = &points[link->b];
  rl_move(a, rl_scale(a->w * d, v.d));
  rl_move(b, rl_scale(-b->w * d, v.d));
}

static void project_row(const rl_model *model, rl_state *state, rl_rows *rows, rl_row *row,
                        double omega, int clamp) {
  rl_row_evaluate(model, state, rows, row, state->points);
  const double d = correction(row->value, row->inverse_mass, omega, row->lower, clamp,
                              &state->multipliers[row->source]);
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    rl_point *point = &state->points[rows->entries[i].slot];
    rl_move(point, rl_scale(-point->w * d, rows->entries[i].gradient));
  }
}

static void sweep(const rl_model *model, rl_state *state, rl_rows *rows, const pbd *self,
                  bool backward) {
  const double omega = self->parameters[OMEGA];
  const int clamp = (int)self->parameters[CLAMP];
  for (uint32_t n = 0; n < rows->block_count; n++) {
    const rl_block *block = &rows->blocks[backward ? rows->block_count - 1 - n : n];
    const rl_link *links = &state->links[block->first_link];
    double *multipliers = &state->multipliers[block->first_link];
    if (!backward) {
      for (uint32_t k = 0; k < block->link_count; k++) {
        project_link(&links[k], state->points, omega, block->lower, clamp, &multipliers[k]);
      }
    }
    for (uint32_t k = 0; k < block->row_count; k++) {
      const uint32_t at = backward ? block->row_count - 1 - k : k;
      project_row(model, state, rows, &rows->rows[block->first_row + at], omega, clamp);
    }
    if (backward) {
      for (uint32_t k = block->link_count; k-- > 0;) {
        project_link(&links[k], state->points, omega, block->lower, clamp, &multipliers[k]);
      }
    }
  }
}

static void add_moves(const rl_rows *rows, const rl_row *row, const rl_point *points, double d,
                      rl_vec3 *moves) {
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *e = &rows->entries[i];
    moves[e->slot] = rl_add_scaled(moves[e->slot], -points[e->slot].w * d, e->gradient);
  }
}

// All corrections from the same positions, then all moves.
static void sweep_jacobi(const rl_model *model, rl_state *state, rl_rows *rows, pbd *self) {
  const double omega = self->parameters[OMEGA];
  const int clamp = (int)self->parameters[CLAMP];
  rl_point *points = state->points;
  for (uint32_t n = 0; n < rows->block_count; n++) {
    const rl_block *block = &rows->blocks[n];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      const rl_link *link = &state->links[k];
      const rl_link_value v = rl_link_evaluate(link, points);
      const double d =
          correction(v.value, v.inverse_mass, omega, block->lower, clamp, &state->multipliers[k]);
      self->moves[link->a] = rl_add_scaled(self->moves[link->a], points[link->a].w * d, v.d);
      self->moves[link->b] = rl_add_scaled(self->moves[link->b], -points[link->b].w * d, v.d);
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      rl_row *row = &rows->rows[k];
      rl_row_evaluate(model, state, rows, row, points);
      const double d = correction(row->value, row->inverse_mass, omega, row->lower, clamp,
                                  &state->multipliers[row->source]);
      add_moves(rows, row, points, d, self->moves);
    }
  }
  for (uint32_t i = 0; i < model->slot_count; i++) {
    rl_move(&points[i], self->moves[i]);
    self->moves[i] = (rl_vec3){0.0, 0.0, 0.0};
  }
}

static rl_reason step(void *memory, const rl_model *model, rl_state *state, rl_rows *rows,
                      double dt, rl_step_info *info) {
  pbd *self = memory;
  const int iterations = (int)self->parameters[ITERATIONS];
  const double tolerance = self->parameters[TOLERANCE];
  const int order = (int)self->parameters[ORDER];
  const size_t unknowns = rl_unknown_count(model, state);
  const bool each_residual = info->trace || tolerance > 0.0;
  rl_reason reason = RL_CONVERGED_ITERATIONS;

  predict(model, state, self, dt);
  for (size_t i = 0; i < unknowns; i++) {
    state->multipliers[i] = 0.0;
  }
  for (int i = 0; i < iterations && reason == RL_CONVERGED_ITERATIONS; i++) {
    if (order == JACOBI) {
      sweep_jacobi(model, state, rows, self);
    } else {
      sweep(model, state, rows, self, rl_order_is_backward((rl_order)order, i));
    }
    info->iterations++;
    info->row_evaluations += unknowns;
    if (each_residual || (info->want_residual && i + 1 == iterations)) {
      rl_trace(info, rl_residual(model, state, rows, state->points, state->multipliers,
                                 1.0 / (dt * dt), dt));
      if (info->residual <= tolerance && tolerance > 0.0) {
        reason = RL_CONVERGED_TOLERANCE;
      }
    }
  }
  read_velocities(model, state, self, dt);
  for (size_t i = 0; i < unknowns; i++) {
    state->multipliers[i] /= dt * dt;
  }
  return reason;
}

const rl_solver_type rl_solver_pbd = {
    .name = "pbd",
    .family = "PBD",
    .summary = "position based dynamics: Gauss-Seidel, SOR or Jacobi relaxation of positions",
    .citation = "mueller2006",
    .capabilities = RL_CAN_LINKS | RL_CAN_SPANS | RL_CAN_CONTACTS | RL_CAN_COMPRESSION,
    .parameter_count = PARAMETER_COUNT,
    .parameters = parameters,
    .size = size,
    .init = init,
    .step = step,
};
