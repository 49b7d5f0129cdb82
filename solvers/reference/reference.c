// SPDX-License-Identifier: GPL-3.0-or-later
// The truth where there is no closed form: the index-reduced equations of motion (equations.h),
// integrated by the Runge-Kutta pair of Prince & Dormand (1981) from the GNU Scientific Library,
// with projection after every internal step, and with what happens between - a rope falls slack, is
// caught, leaves - located to rounding. It carries the run twice, the second time at a hundred
// times the tolerance, and says how far the two are apart. papers/reference.md has the derivation.
#include "equations.h"

#include <gsl/gsl_errno.h>
#include <gsl/gsl_odeiv2.h>
#include <string.h>

enum { TOLERANCE, SUBSTEPS, ESTIMATE, STEP_LIMIT, REGULARISATION, PARAMETER_COUNT };

static const rl_parameter parameters[PARAMETER_COUNT] = {
    [TOLERANCE] = {"tolerance", RL_REAL, "1", 1e-13, 1e-15, 1, NULL,
                   "local error of an internal step, of each coordinate [m] and velocity [m/s], "
                   "absolute and relative"},
    [SUBSTEPS] = {"substeps", RL_INTEGER, "1", 0, 0, 1e7, NULL,
                  "equal internal steps instead of those that the tolerance asks for; 0: those"},
    [ESTIMATE] = {"estimate", RL_BOOLEAN, "1", 1, 0, 1, NULL,
                  "carry the run twice, at the tolerance and at a hundred times it (with half the "
                  "substeps), for error_estimate"},
    [STEP_LIMIT] = {"step_limit", RL_INTEGER, "1", 5000, 1, 1e9, NULL,
                    "internal steps in a step, at most; the run ends where they do not suffice"},
    [REGULARISATION] = {"regularisation", RL_REAL, "1", 1e-12, 0, 1e-6, NULL,
                        "added to the diagonal as a fraction of it and taken out again by "
                        "refinement, for rows that repeat each other"},
};

// Of the companion, over the tolerance.
static const double companion_factor = 100.0;

// Of the step: internal steps below this are as short as rounding lets them be, and are taken
// whatever their error is said to be.
static const double shortest = 1e-9;

// What an internal step is cut to where the equations cannot be evaluated at its end.
static const double cut = 0.25;

typedef struct reference {
  const double *parameters;
  gsl_odeiv2_step *stepper;
  gsl_odeiv2_control *control;
  rl_equations equations;
  double *y, *error, *y_start, *rates; // [dimension] of an internal step; the last at its start
  double *rates_end;                   // [dimension] and at its end
  rl_quat *rotations;                  // [bodies] at its start
  rl_state *companion;
  bool has_companion;
  double h, companion_h; // what the next internal step tries [s]; 0: not known
  double estimate;       // [m]
} reference;

static void lay_out(void *memory, const rl_model *model, rl_carver *c) {
  reference *self = memory;
  const size_t dimension = rl_equations_dimension(model);
  rl_equations_lay_out(&self->equations, model, c);
  self->y = rl_carve(c, dimension, sizeof *self->y);
  self->error = rl_carve(c, dimension, sizeof *self->error);
  self->y_start = rl_carve(c, dimension, sizeof *self->y_start);
  self->rates = rl_carve(c, dimension, sizeof *self->rates);
  self->rates_end = rl_carve(c, dimension, sizeof *self->rates_end);
  self->rotations = rl_carve(c, model->body_count, sizeof *self->rotations);
  self->companion = rl_state_carve(model, c);
}

static bool acquire(void *memory, const rl_model *model) {
  reference *self = memory;
  self->stepper = gsl_odeiv2_step_alloc(gsl_odeiv2_step_rk8pd, rl_equations_dimension(model));
  self->control = gsl_odeiv2_control_standard_new(1.0, 1.0, 1.0, 0.0);
  return self->stepper && self->control;
}

static void release(void *memory) {
  reference *self = memory;
  if (self->stepper) {
    gsl_odeiv2_step_free(self->stepper);
  }
  if (self->control) {
    gsl_odeiv2_control_free(self->control);
  }
}

static void forget(reference *self) {
  self->equations.lcp.direct.structure = 0;
  self->has_companion = false;
  self->h = self->companion_h = 0.0;
  self->estimate = 0.0;
}

static void init(void *memory, const rl_model *model, const double *values) {
  reference *self = memory;
  (void)model;
  self->parameters = values;
  self->equations.regularisation = values[REGULARISATION];
  forget(self);
}

static void sync(void *memory, const rl_model *model, const rl_state *state) {
  (void)model;
  (void)state;
  forget(memory);
}

// ---------------------------------------------------------------------------------------------
// Internal steps

// One step of rk8pd from the start of the internal step, without projection.
static int apply(reference *self, double h) {
  const rl_model *model = self->equations.model;
  const gsl_odeiv2_system system = {rl_equations_rates, NULL, rl_equations_dimension(model),
                                    &self->equations};
  memcpy(self->y, self->y_start, system.dimension * sizeof *self->y);
  memcpy(self->equations.state->rotations, self->rotations,
         model->body_count * sizeof *self->rotations);
  return gsl_odeiv2_step_apply(self->stepper, 0.0, h, self->y, self->error, self->rates, NULL,
                               &system);
}

// The state is that of y, on the rows; the rates there. Not GSL_SUCCESS where there are none.
static int finish(reference *self) {
  rl_equations *e = &self->equations;
  const size_t last = rl_equations_dimension(e->model) - 2;
  const double loss = self->y[last], work = self->y[last + 1];
  rl_equations_scatter(e, self->y);
  rl_equations_project(e);
  rl_equations_gather(e, self->y);
  self->y[last] = loss;
  self->y[last + 1] = work;
  return rl_equations_hold(e) ? rl_equations_rates(0.0, self->y, self->rates_end, e) : GSL_EFAILED;
}

// The internal step to h from its start: what has happened by then (rl_equations_event).
static double event_at(reference *self, double h) {
  return apply(self, h) == GSL_SUCCESS && finish(self) == GSL_SUCCESS
             ? rl_equations_event(&self->equations)
             : NAN;
}

// (10) Goes back to where the first thing happened in an internal step of h at whose end `after`
// was found: by false position (Illinois), within what rounding resolves.
static double locate(reference *self, double h, double after) {
  enum { ITERATIONS = 100 };
  const double resolution = 0x1p-50 * h;
  double low = 0.0, high = h, value_low = -after, value_high = after, last = h;
  int side = 0;
  for (int i = 0; i < ITERATIONS && high - low > resolution && value_high > 0.0; i++) {
    double at = low + (high - low) * (value_low / (value_low - value_high));
    at = i == 0 || !(at > low && at < high) ? 0.5 * (low + high) : at;
    const double value = event_at(self, at);
    last = at;
    if (value > 0.0) {
      value_low *= side > 0 ? 0.5 : 1.0;
      side = 1;
      high = at;
      value_high = value;
    } else {
      value_high *= side < 0 ? 0.5 : 1.0;
      side = -1;
      low = at;
      value_low = value;
    }
  }
  if (last < high || last > high) {
    event_at(self, high);
  }
  return high;
}

// An internal step with the tolerance kept, of `h` at most, which becomes what was done; `next` is
// what to try then. Not GSL_SUCCESS where that is impossible.
static int try_step(reference *self, double *h, double *next, double least, bool fixed) {
  for (;;) {
    int status = apply(self, *h);
    *next = *h;
    if (status == GSL_SUCCESS && !fixed) {
      const int change = gsl_odeiv2_control_hadjust(self->control, self->stepper, self->y,
                                                    self->error, self->rates, next);
      if (change == GSL_ODEIV_HADJ_DEC && *next<*h && * h> least) {
        *h = *next;
        continue;
      }
    }
    status = status == GSL_SUCCESS ? finish(self) : status;
    if (status == GSL_SUCCESS || !(*h > least)) {
      return status;
    }
    *h *= cut;
  }
}

// Where an internal step begins: the rates at the state, if they are not those of the last end.
static int begin_step(reference *self, bool continues) {
  rl_equations *e = &self->equations;
  const size_t dimension = rl_equations_dimension(e->model);
  memcpy(self->rotations, e->state->rotations, e->model->body_count * sizeof *self->rotations);
  rl_equations_gather(e, self->y_start);
  if (continues) {
    memcpy(self->rates, self->rates_end, dimension * sizeof *self->rates);
    return GSL_SUCCESS;
  }
  return rl_equations_rates(0.0, self->y_start, self->rates, e);
}

// Books what an internal step has taken and given.
static void book(const reference *self, rl_step_info *info) {
  const size_t last = rl_equations_dimension(self->equations.model) - 2;
  info->dissipated += self->y[last];
  info->work += self->y[last + 1];
  info->iterations++;
}

// The forces at the end of the step.
static void write_multipliers(const reference *self) {
  const rl_equations *e = &self->equations;
  for (uint32_t m = 0; m < e->lcp.direct.row_count; m++) {
    e->state->multipliers[m] = e->acts[m] ? fmax(e->multipliers[m], e->lcp.lower[m]) : 0.0;
  }
}

// Takes a state from the start of a step to its end.
static rl_reason integrate(reference *self, const rl_model *model, rl_state *state, rl_rows *rows,
                           double dt, double tolerance, int substeps, double *try_h,
                           rl_step_info *info) {
  rl_equations *e = &self->equations;
  const double limit = self->parameters[STEP_LIMIT];
  const uint64_t before = info->iterations;
  double t = 0.0, h = substeps > 0 ? dt / substeps : *try_h > 0.0 ? *try_h : dt;
  bool continues = false;
  gsl_odeiv2_control_init(self->control, tolerance, tolerance, 1.0, 0.0);
  gsl_odeiv2_step_reset(self->stepper);
  rl_equations_begin(e, model, state, rows);
  rl_equations_choose(e, info);
  while (t < dt) {
    if ((double)(info->iterations - before) >= limit) {
      return RL_DIVERGED_STEPS;
    }
    const double left = dt - t;
    const double wanted = left / ceil(left / h - 1e-9);
    double done = wanted, next;
    if (begin_step(self, continues) != GSL_SUCCESS) {
      return RL_DIVERGED_NAN;
    }
    if (try_step(self, &done, &next, shortest * dt, substeps > 0) != GSL_SUCCESS) {
      return RL_DIVERGED_STEPS;
    }
    const double event = rl_equations_event(e);
    continues = !(event > 0.0);
    done = continues ? done : locate(self, done, event);
    book(self, info);
    t = continues && done == left ? dt : t + done;
    h = substeps > 0 ? h : done < wanted && continues ? next : fmax(next, h);
    if (!continues) {
      rl_equations_choose(e, info);
    }
  }
  if (!continues && begin_step(self, false) != GSL_SUCCESS) {
    return RL_DIVERGED_NAN;
  }
  *try_h = h;
  write_multipliers(self);
  rl_state_place_holds(model, state);
  return RL_CONVERGED_TOLERANCE;
}

// ---------------------------------------------------------------------------------------------
// The companion

// What is prescribed is the same for both.
static void lead_companion(reference *self, const rl_model *model, const rl_state *state) {
  if (!self->has_companion) {
    rl_state_copy(self->companion, state);
    self->has_companion = true;
  }
  for (uint32_t i = 0; i < model->body_count; i++) {
    if (model->bodies[i].motion == RL_DRIVEN) {
      const uint32_t slots[2] = {rl_body_slot(model, i), model->bodies[i].spin_slot};
      for (size_t k = 0; k < 2 && slots[k] != RL_NONE; k++) {
        self->companion->points[slots[k]] = state->points[slots[k]];
        self->companion->velocities[slots[k]] = state->velocities[slots[k]];
      }
      self->companion->rotations[i] = state->rotations[i];
    }
  }
}

// (11) The largest distance between the two that there has been, and at least rounding.
static void compare(reference *self, const rl_model *model, const rl_state *state) {
  self->estimate = fmax(self->estimate, 0x1p-50 * model->reach);
  for (uint32_t i = 0; i < model->place_count; i++) {
    self->estimate =
        rl_larger(self->estimate, rl_distance(rl_position(&state->points[i]),
                                              rl_position(&self->companion->points[i])));
  }
}

static rl_reason step_companion(reference *self, const rl_model *model, const rl_state *state,
                                rl_rows *rows, double dt, rl_step_info *info) {
  const int substeps = (int)self->parameters[SUBSTEPS];
  rl_step_info own = {0};
  lead_companion(self, model, state);
  rl_detect(model, self->companion, dt, rows);
  const rl_reason reason = integrate(self, model, self->companion, rows, dt,
                                     companion_factor * self->parameters[TOLERANCE],
                                     (substeps + 1) / 2, &self->companion_h, &own);
  info->iterations += own.iterations;
  info->row_evaluations += own.row_evaluations;
  return reason;
}

static rl_reason step(void *memory, const rl_model *model, rl_state *state, rl_rows *rows,
                      double dt, rl_step_info *info) {
  reference *self = memory;
  rl_reason reason = RL_CONVERGED_TOLERANCE;
  self->equations.evaluations = 0;
  if (self->parameters[ESTIMATE] != 0.0) {
    reason = step_companion(self, model, state, rows, dt, info);
    rl_detect(model, state, dt, rows);
  }
  if (reason > 0) {
    reason = integrate(self, model, state, rows, dt, self->parameters[TOLERANCE],
                       (int)self->parameters[SUBSTEPS], &self->h, info);
  }
  if (reason > 0 && self->parameters[ESTIMATE] != 0.0) {
    compare(self, model, state);
    info->error_estimate = self->estimate;
  }
  info->row_evaluations += self->equations.evaluations;
  if (info->want_residual || info->trace) {
    rl_trace(info, rl_residual(model, state, rows, state->points, state->multipliers, 1.0, dt));
  }
  return reason;
}

const rl_solver_type rl_solver_reference = {
    .name = "reference",
    .family = "reference",
    .summary = "equations of motion to rounding: order 8, events located, error estimated",
    .citation = "prince1981",
    .capabilities = RL_CAN_LINKS | RL_CAN_SPANS | RL_CAN_JOINTS | RL_CAN_LOOPS | RL_CAN_ROTATION |
                    RL_CAN_DRAG | RL_CAN_COMPRESSION | RL_CAN_ELASTIC,
    .detects_again = true,
    .keeps_ledger = true,
    .parameter_count = PARAMETER_COUNT,
    .parameters = parameters,
    .size = sizeof(reference),
    .lay_out = lay_out,
    .acquire = acquire,
    .release = release,
    .init = init,
    .sync = sync,
    .step = step,
};
