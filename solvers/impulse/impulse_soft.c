// SPDX-License-Identifier: GPL-3.0-or-later
// Soft impulses with small steps and relaxation (Catto, "Solver2D", 2024: Soft Step): what a row
// takes back it takes back like a damped spring, and what that adds to the velocities is taken out
// again after the positions have moved. The sweeps are those of sequential.h;
// papers/impulse-soft.md has the derivation.
#include "sequential.h"
#include "world/bodies/bounce.h"
#include "world/ledger.h"
#include "world/trigonometry.h"

#include <string.h>

enum {
  SUBSTEPS,
  ITERATIONS,
  RELAX,
  HERTZ,
  HERTZ_LIMIT,
  DAMPING_RATIO,
  WARM_START,
  ORDER,
  PARAMETER_COUNT
};

static const rl_parameter parameters[PARAMETER_COUNT] = {
    [SUBSTEPS] = {"substeps", RL_INTEGER, "1", 10, 1, 1e7, NULL, "equal substeps of a step"},
    [ITERATIONS] = {"iterations", RL_INTEGER, "1", 1, 1, 1e7, NULL,
                    "sweeps over all rows in a substep, before the positions move"},
    [RELAX] = {"relax", RL_INTEGER, "1", 1, 0, 1e7, NULL,
               "sweeps after that, which take out the velocity that took back lengths"},
    [HERTZ] =
        {"hertz", RL_REAL, "Hz", 1000, 0.01, 1e9, NULL,
         "frequency at which an inextensible row or a contact takes back its excess, at any step; "
         "1e9: the limit below alone, which a finer step raises"},
    [HERTZ_LIMIT] = {"hertz_limit", RL_REAL, "1", 0.25, 1e-3, 1e3, NULL,
                     "hertz is at most this fraction of the substeps in a second"},
    [DAMPING_RATIO] = {"damping_ratio", RL_REAL, "1", 2, 0, 1e3, NULL,
                       "of that motion: 1 is critical"},
    [WARM_START] = {"warm_start", RL_BOOLEAN, "1", 1, 0, 1, NULL,
                    "start each substep from the impulses of the last"},
    [ORDER] = {"order", RL_CHOICE, "1", RL_FORWARD, 0, 2, RL_ORDER_CHOICES,
               "order of a sweep: ropes as in the scenario from `from` to `to`, back, or in turn"},
};

typedef struct impulse_soft {
  const double *parameters;
  rl_sequential sequential;
  double *impulses; // [links + contact capacity] over the step so far [N s]
} impulse_soft;

static void lay_out(void *memory, const rl_model *model, rl_carver *c) {
  impulse_soft *self = memory;
  rl_sequential_lay_out(&self->sequential, model, c);
  self->impulses = rl_carve(c, rl_unknown_capacity(model), sizeof *self->impulses);
}

static void init(void *memory, const rl_model *model, const double *values) {
  impulse_soft *self = memory;
  (void)model;
  self->parameters = values;
}

// (4) A spring k [N/m] with a damper c [N s/m], both at the end of the substep; in units of the
// row's own mass, k = omega^2 / W and c = 2 zeta omega / W.
static void soften(double k, double c, double inverse_mass, double h, rl_sequential_row *row) {
  const double s = h * (h * k + c);
  row->bias *= k / (h * k + c);
  row->mass = s / (1.0 + s * inverse_mass);
  row->keep = inverse_mass * row->mass;
}

// (6) The scenario's own stiffness. A damper without its spring does not pull.
static void elastic_law(const rl_sequential_view *view, double h, rl_sequential_row *row) {
  const double k = 1.0 / view->compliance;
  const double c = rl_element_damping(view->rope, view->rest, k, view->inverse_mass);
  if (c > 0.0 && view->value < 0.0 && view->lower == 0.0) {
    *row = (rl_sequential_row){.d = row->d};
    return;
  }
  row->bias = view->value;
  soften(k, c, view->inverse_mass, h, row);
}

// (2), (5) A slack row may use up its slack; an excess is taken back softly. A row that moves
// nothing keeps no pull.
static void biased_law(const void *solver, const rl_sequential_view *view, double h,
                       rl_sequential_row *row) {
  const double *p = ((const impulse_soft *)solver)->parameters;
  row->mass = view->inverse_mass > 0.0 ? 1.0 / view->inverse_mass : 0.0;
  row->keep = view->inverse_mass > 0.0 ? 1.0 : 0.0;
  row->bias = view->value / h;
  if (view->compliance > 0.0) { // it pulls what it cannot move as well
    elastic_law(view, h, row);
  } else if (view->inverse_mass > 0.0 && !(view->value < 0.0 && view->lower == 0.0)) {
    const double omega = 2.0 * RL_PI * fmin(p[HERTZ], p[HERTZ_LIMIT] / h);
    row->bias = view->value;
    soften(omega * omega / view->inverse_mass, 2.0 * p[DAMPING_RATIO] * omega / view->inverse_mass,
           view->inverse_mass, h, row);
  }
}

// (9) Without what takes back lengths. Elastic rows keep their force, which is physical.
static void relaxed_law(const void *solver, const rl_sequential_view *view, double h,
                        rl_sequential_row *row) {
  (void)solver;
  const bool slack = view->value < 0.0 && view->lower == 0.0;
  row->bias = slack ? view->value / h : 0.0;
  row->mass = view->inverse_mass > 0.0 && view->compliance == 0.0 ? 1.0 / view->inverse_mass : 0.0;
  row->keep = 1.0;
}

// The residual after a sweep: before the positions move of where they will be, afterwards of where
// they are.
static void record(const rl_model *model, const rl_state *state, rl_rows *rows, double h,
                   bool moved, rl_step_info *info) {
  rl_trace(info,
           moved ? rl_residual(model, state, rows, state->points, state->multipliers, 1.0 / h, h)
                 : rl_residual_velocity(model, state, rows, state->velocities, state->multipliers,
                                        1.0 / h, h));
}

// Sweeps one after the other: before the positions move, or the relaxation after that. The residual
// of the last one in the step is that of the step.
typedef struct sweeps {
  int count;
  bool moved, ends_step;
} sweeps;

static void sweep(impulse_soft *self, const rl_model *model, rl_state *state, rl_rows *rows,
                  double h, const sweeps *s, rl_step_info *info) {
  const rl_order order = (rl_order)self->parameters[ORDER];
  for (int i = 0; i < s->count; i++) {
    rl_sequential_sweep(&self->sequential, state, rows, rl_order_is_backward(order, i));
    if (!s->moved) { // bending keeps its force, which is physical
      rl_sequential_sweep_bends(&self->sequential, state);
    }
    info->iterations++;
    info->row_evaluations += rl_unknown_count(model, state);
    if (info->trace || (s->ends_step && info->want_residual && i + 1 == s->count)) {
      record(model, state, rows, h, s->moved, info);
    }
  }
}

static void substep(impulse_soft *self, const rl_model *model, rl_state *state, rl_rows *rows,
                    double h, double scale, bool first, bool last, rl_step_info *info) {
  rl_sequential *s = &self->sequential;
  const int iterations = (int)self->parameters[ITERATIONS], relax = (int)self->parameters[RELAX];
  const sweeps biased = {iterations, false, last && relax == 0}, relaxed = {relax, true, last};
  rl_bounce_begin(model, state, rows, h);
  // (1), (3), (7) Kick, warm start, sweeps, drift.
  rl_sequential_kick(s, model, state, h);
  rl_sequential_prepare(s, model, state, rows, biased_law, self, h);
  rl_sequential_start(s, state, rows, scale, 0.0, first ? h : 1.0);
  sweep(self, model, state, rows, h, &biased, info);
  rl_state_drift(model, state, h);
  // (8), (9) The rows where everything is now, and relaxation there.
  rl_detect_again(model, state, rows);
  rl_sequential_evaluate(s, model, state, rows);
  rl_sequential_prepare(s, model, state, rows, relaxed_law, self, h);
  sweep(self, model, state, rows, h, &relaxed, info);
  rl_ledger_friction(rows, state, s->frictions, 1.0, s->before, info);
  memcpy(state->frictions, s->frictions, state->contact_count * sizeof *state->frictions);
  info->dissipated += rl_state_settle(model, state, h);
  rl_ledger_substep(info->ledger, model, state, rows, 1.0, h);
  const rl_bounce_law law = {.which = RL_REBOUND_HIT, .h = h, .unit = 1.0, .rubbed = s->frictions};
  const rl_bounce bounce = rl_bounce_end(&law, model, state, rows);
  rl_ledger_bounce(info->ledger, model, state, rows, &bounce);
  info->work += bounce.rubbed_work;
  // The dampers of the scenario have their work done at the velocities of the substep.
  info->dissipated += rl_damper_loss(model, state, rows, h);
}

static rl_reason step(void *memory, const rl_model *model, rl_state *state, rl_rows *rows,
                      double dt, rl_step_info *info) {
  impulse_soft *self = memory;
  const int substeps = (int)self->parameters[SUBSTEPS];
  const double h = dt / substeps;
  const double warm = self->parameters[WARM_START];
  const size_t unknowns = rl_unknown_count(model, state);
  for (size_t i = 0; i < unknowns; i++) {
    self->impulses[i] = 0.0;
  }
  rows->substep_end = 1.0 / substeps;
  rl_sequential_evaluate(&self->sequential, model, state, rows);
  for (int n = 0; n < substeps; n++) {
    rows->substep_end = (n + 2.0) / substeps; // the rows that it leaves are those of the next
    substep(self, model, state, rows, h, n == 0 ? warm * h : warm, n == 0, n + 1 == substeps, info);
    for (size_t i = 0; i < unknowns; i++) {
      self->impulses[i] += state->multipliers[i];
    }
  }
  // (10) The tension is the impulse of the substeps over the step.
  for (size_t i = 0; i < unknowns; i++) {
    state->multipliers[i] = self->impulses[i] / dt;
  }
  for (size_t i = 0; i < state->contact_count; i++) {
    state->frictions[i] = rl_scale(1.0 / h, state->frictions[i]);
  }
  return RL_CONVERGED_ITERATIONS;
}

const rl_solver_type rl_solver_impulse_soft = {
    .name = "impulse-soft",
    .family = "impulse",
    .summary = "soft impulses with substeps and relaxation",
    .citation = "catto2024",
    .capabilities = RL_CAN_WORLD | RL_CAN_ELASTIC | RL_CAN_TANGLE,
    .seeks_positions = true,
    .detects_again = true,
    .has_soft_contacts = true,
    .parameter_count = PARAMETER_COUNT,
    .parameters = parameters,
    .size = sizeof(impulse_soft),
    .lay_out = lay_out,
    .init = init,
    .step = step,
};
