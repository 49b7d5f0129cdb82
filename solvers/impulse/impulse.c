// SPDX-License-Identifier: GPL-3.0-or-later
// Impulses on the summed velocity (Knyazyev, "Ropes as Constraints", 2010): a rope, over however
// many bodies, is one inequality on the rate of its length; a test impulse measures how the rate
// answers, and rows are solved one after the other with accumulated clamping. papers/impulse.md
// has the derivation.
#include "world/memory.h"
#include "world/solver.h"

enum { ITERATIONS, TOLERANCE, ORDER, OMEGA, WARM_START, PENALTY_VELOCITY, PARAMETER_COUNT };

static const rl_parameter parameters[PARAMETER_COUNT] = {
    [ITERATIONS] = {"iterations", RL_INTEGER, "1", 20, 1, 1e7, NULL,
                    "sweeps over all rows in a step, at most"},
    [TOLERANCE] = {"tolerance", RL_REAL, "m", 0, 0, 1, NULL,
                   "stop when the residual is at or below this; 0: never"},
    [ORDER] = {"order", RL_CHOICE, "1", RL_FORWARD, 0, 2, RL_ORDER_CHOICES,
               "order of a sweep: ropes as in the scenario from `from` to `to`, back, or in turn"},
    [OMEGA] = {"omega", RL_REAL, "1", 1, 0.01, 1.999, NULL,
               "relaxation: above 1 over-relaxation (SOR), below 1 damped"},
    [WARM_START] = {"warm_start", RL_BOOLEAN, "1", 0, 0, 1, NULL,
                    "start from the impulses of the last step; with too few iterations that puts "
                    "energy into long chains"},
    [PENALTY_VELOCITY] =
        {"penalty_velocity", RL_REAL, "1", 1, 0, 1, NULL,
         "fraction of a row's excess length that a step shall take back: 1 aims at "
         "what the residual measures; less forgives too few iterations, and leaves "
         "the rest in the residual"},
};

// A row with the geometry of the start of the step, which it keeps for all iterations.
typedef struct row_cache {
  rl_vec3 d;   // links: unit vector from a to b
  double bias; // rate that is added to dC/dt [m/s]
  double mass; // effective mass: 1 / answer to the test impulse [kg]; 0: cannot move
} row_cache;

typedef struct impulse {
  const double *parameters;
  row_cache *cache;   // [links + contact capacity]
  rl_vec3 *frictions; // [contact capacity] impulses across the normals [N s]
} impulse;

static void lay_out(void *memory, const rl_model *model, rl_carver *c) {
  impulse *self = memory;
  self->cache =
      rl_carve(c, rl_unknown_capacity(model), sizeof *self->cache);
  self->frictions = rl_carve(c, model->contact_capacity, sizeof *self->frictions);
}

static void init(void *memory, const rl_model *model, const double *values) {
  impulse *self = memory;
  (void)model;
  self->parameters = values;
}

// (3) The inequality is dC/dt + bias <= 0. A slack row may use up its slack within the step, so
// that it acts when L + dt dL/dt > L0; of an excess, a fraction is to be taken back.
// A rod takes back the same fraction of what it is too short.
static double row_bias(const impulse *self, double value, double lower, double dt) {
  const bool slack = value < 0.0 && lower == 0.0;
  return (slack ? value : self->parameters[PENALTY_VELOCITY] * value) / dt;
}

static inline void push_link(const rl_link *link, rl_vec3 d, double impulse_size,
                             const rl_point *points, rl_vec3 *v) {
  v[link->a] = rl_add_scaled(v[link->a], points[link->a].w * impulse_size, d);
  v[link->b] = rl_add_scaled(v[link->b], -points[link->b].w * impulse_size, d);
}

static row_cache cache_row(const impulse *self, rl_vec3 d, double value, double inverse_mass,
                           double lower, double dt) {
  return (row_cache){d, row_bias(self, value, lower, dt),
                     inverse_mass > 0.0 ? 1.0 / inverse_mass : 0.0};
}

// (2), (4) Geometry, bias and test impulse of every row, and the warm start. Multipliers are
// impulses [N s] during the step.
static void prepare(const rl_model *model, rl_state *state, rl_rows *rows, impulse *self,
                    double dt) {
  const double warm = self->parameters[WARM_START] * dt;
  for (uint32_t n = 0; n < rows->block_count; n++) {
    const rl_block *block = &rows->blocks[n];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      const rl_link_value v = rl_link_evaluate(&state->links[k], state->points);
      self->cache[k] = cache_row(self, v.d, v.value, v.inverse_mass, block->lower, dt);
      state->multipliers[k] *= warm;
      push_link(&state->links[k], v.d, state->multipliers[k], state->points, state->velocities);
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      rl_row *row = &rows->rows[k];
      rl_row_evaluate(model, state, rows, row, state->points);
      self->cache[row->source] =
          cache_row(self, (rl_vec3){0.0, 0.0, 0.0}, row->value, row->inverse_mass, row->lower, dt);
      state->multipliers[row->source] *= warm;
      rl_row_push(rows, row, state->multipliers[row->source], state->points, state->velocities);
    }
  }
}

// (5)-(6) The impulse that makes the row hold, clamped so that the sum since the start of the step
// never pushes. Returns the change.
static inline double solve_row(double rate, const row_cache *cache, double omega, double lower,
                               double *total) {
  const double old = *total;
  const double now = old + omega * cache->mass * (rate + cache->bias);
  *total = now < lower ? lower : now;
  return *total - old;
}

static inline void solve_link(const rl_link *link, const row_cache *cache, double omega,
                              double lower, const rl_point *points, rl_vec3 *v, double *total) {
  const double rate = rl_dot(cache->d, rl_sub(v[link->b], v[link->a]));
  push_link(link, cache->d, solve_row(rate, cache, omega, lower, total), points, v);
}

// (12) The impulse across the normal that stops the slide, within the cone of the normal impulse.
static void solve_friction(rl_state *state, const rl_rows *rows, const impulse *self,
                           const rl_row *row) {
  const rl_vec3 slide = rl_contact_slide(rows, row, state->velocities);
  const rl_vec3 change = rl_friction_change(
      &self->frictions[row->item], slide, rl_contact_inverse_mass(rows, row, slide, state->points),
      row->friction * state->multipliers[row->source]);
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *e = &rows->entries[i];
    state->velocities[e->slot] =
        rl_add(state->velocities[e->slot], rl_friction_push(row, e, change, state->points));
  }
}

// Books -(force).(slide) of all contacts at the end of the step, and the work of driven bodies.
static void book_friction(const rl_state *state, const rl_rows *rows, const impulse *self,
                          rl_step_info *info) {
  for (uint32_t k = rows->span_count; k < rows->row_count; k++) {
    const rl_row *row = &rows->rows[k];
    if (row->friction > 0.0) {
      const rl_vec3 total = self->frictions[row->item];
      info->dissipated -= rl_dot(total, rl_contact_slide(rows, row, state->velocities));
      info->work += rl_friction_work(rows, row, total, state->points, state->velocities);
    }
  }
}

static void sweep(rl_state *state, const rl_rows *rows, const impulse *self, bool backward) {
  const double omega = self->parameters[OMEGA];
  for (uint32_t n = 0; n < rows->block_count; n++) {
    const rl_block *block = &rows->blocks[backward ? rows->block_count - 1 - n : n];
    const rl_link *links = &state->links[block->first_link];
    const row_cache *cache = &self->cache[block->first_link];
    double *totals = &state->multipliers[block->first_link];
    if (!backward) {
      for (uint32_t k = 0; k < block->link_count; k++) {
        solve_link(&links[k], &cache[k], omega, block->lower, state->points, state->velocities,
                   &totals[k]);
      }
    }
    for (uint32_t k = 0; k < block->row_count; k++) {
      const uint32_t at = backward ? block->row_count - 1 - k : k;
      const rl_row *row = &rows->rows[block->first_row + at];
      const double rate = rl_row_rate(rows, row, state->velocities);
      const double change = solve_row(rate, &self->cache[row->source], omega, row->lower,
                                      &state->multipliers[row->source]);
      rl_row_push(rows, row, change, state->points, state->velocities);
      if (row->friction > 0.0) {
        solve_friction(state, rows, self, row);
      }
    }
    if (backward) {
      for (uint32_t k = block->link_count; k-- > 0;) {
        solve_link(&links[k], &cache[k], omega, block->lower, state->points, state->velocities,
                   &totals[k]);
      }
    }
  }
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

  info->dissipated += rl_state_kick(model, state, dt);
  for (size_t i = 0; i < state->contact_count; i++) {
    self->frictions[i] = (rl_vec3){0.0, 0.0, 0.0};
  }
  prepare(model, state, rows, self, dt);
  for (int i = 0; i < iterations && reason == RL_CONVERGED_ITERATIONS; i++) {
    sweep(state, rows, self, rl_order_is_backward(order, i));
    info->iterations++;
    info->row_evaluations += unknowns;
    if (each_residual || (info->want_residual && i + 1 == iterations)) {
      rl_trace(info, rl_residual_velocity(model, state, rows, state->velocities, state->multipliers,
                                          1.0 / dt, dt));
      if (info->residual <= tolerance && tolerance > 0.0) {
        reason = RL_CONVERGED_TOLERANCE;
      }
    }
  }
  book_friction(state, rows, self, info);
  rl_state_drift(model, state, dt);
  for (size_t i = 0; i < unknowns; i++) {
    state->multipliers[i] /= dt;
  }
  return reason;
}

const rl_solver_type rl_solver_impulse = {
    .name = "impulse",
    .family = "impulse",
    .summary = "test impulses and the summed-velocity inequality, one row for each span",
    .citation = "knyazyev2010",
    .capabilities = RL_CAN_WORLD,
    .parameter_count = PARAMETER_COUNT,
    .parameters = parameters,
    .size = sizeof(impulse),
    .lay_out = lay_out,
    .init = init,
    .step = step,
};
