// SPDX-License-Identifier: GPL-3.0-or-later
// The equations of motion, index-reduced (equations.h), integrated to round-off by the Runge-Kutta
// pair of Prince & Dormand (1981) from the GNU Scientific Library, with projection after every
// internal step, and with events - a rope falls slack, is caught, leaves - located to round-off.
// Each run is made twice, the second time with a hundred times the tolerance, and the distance of
// the two is the error estimate. papers/reference.md has the derivation.
#include "contacts.h"
#include "reference_internal.h"
#include "rubbing.h"

#include "world/paths/wrap.h"
#include "world/ropes/eyes.h"
#include "world/rotation.h"

#include <gsl/gsl_errno.h>
#include <string.h>

enum { TOLERANCE, SUBSTEPS, ESTIMATE, FORCES, STEP_LIMIT, REGULARISATION, PARAMETER_COUNT };
enum { MEAN, END };

static const rl_parameter parameters[PARAMETER_COUNT] = {
    [TOLERANCE] = {"tolerance", RL_REAL, "1", 1e-13, 1e-15, 1, NULL,
                   "local error of an internal step, of each coordinate [m] and velocity [m/s], "
                   "absolute and relative"},
    [SUBSTEPS] = {"substeps", RL_INTEGER, "1", 0, 0, 1e7, NULL,
                  "equal internal steps instead of those that the tolerance asks for; 0: those"},
    [ESTIMATE] = {"estimate", RL_BOOLEAN, "1", 1, 0, 1, NULL,
                  "carry the run twice, at the tolerance and at a hundred times it (with half the "
                  "substeps), for error_estimate"},
    [FORCES] = {"forces", RL_CHOICE, "1", MEAN, 0, 1, "mean|end",
                "tensions and multipliers of a step: impulses over the step, as those of all "
                "methods, or forces at its end"},
    [STEP_LIMIT] = {"step_limit", RL_INTEGER, "1", 20000, 1, 1e9, NULL,
                    "internal steps in a step, at most; the run ends where they do not suffice"},
    [REGULARISATION] = {"regularisation", RL_REAL, "1", 1e-12, 0, 1e-6, NULL,
                        "added to the diagonal as a fraction of it and taken out again by "
                        "refinement, for rows that repeat each other"},
};

// (11) Tolerance and shortest internal step of the companion over those of the run.
static const double companion_factor = 100.0;

// (11a) The companion's first internal step after a start or an event over what it could be.
static const double companion_lead = 0.25;

// (11b) q/x: the run keeps all bits of a number, the companion drops five.
static const double all_bits = 1.0, fewer_bits = 0x1p5 + 1.0;

// (11c) w of the companion over that of the run.
static const double companion_gentle = 0.5;

// (11f) Push with which a row leaves in the companion over that of the run. (11g) Slack with which
// the companion still includes a row in a catch, over the estimate, and its upper limit over the
// scene's size.
static const double companion_push = 2.0, companion_near = 2.0, most_near = 1e-10;

// (2a) of papers/eyes.md: distance from its eye at which a node is guided, the width of a ring,
// over the scene's size; (11d) that of the companion over it.
static const double lead_in = 0x1p-18, companion_lead_in = 4.0;

// (11) Estimate over the distance of the two runs: where the companion is the better one, by (11a),
// the distance is a little less than the error.
static const double estimate_factor = 2.0;

// Internal step over the output step below which no shorter one is tried: it is taken whatever its
// error.
static const double shortest = 1e-9;

// Events within the shortest internal step after which they have no end: so many, and more for each
// row that there can be.
static const uint64_t least_events = 200, row_events = 10;

// Factor by which an internal step is shortened if the equations cannot be evaluated at its end.
static const double cut = 0.25;

// (17a) s from which the list of contacts is made anew.
static const double soon_travelled = 0.5;

// (19) Speed of a contact that begins to slip at the end of an internal step, over that at which it
// slips: beyond this the step is taken again, shorter.
static const double most_begun = 2.0;

static void lay_out(void *memory, const rl_model *model, rl_carver *c) {
  rl_integration *self = memory;
  const size_t dimension =
      rl_equations_dimension(model, rl_unknown_capacity(model), rl_plane_capacity(model));
  rl_equations_lay_out(&self->equations, model, c);
  self->y = rl_carve(c, dimension, sizeof *self->y);
  self->error = rl_carve(c, dimension, sizeof *self->error);
  self->y_start = rl_carve(c, dimension, sizeof *self->y_start);
  self->rates = rl_carve(c, dimension, sizeof *self->rates);
  self->rates_end = rl_carve(c, dimension, sizeof *self->rates_end);
  for (size_t end = 0; end < 2; end++) {
    self->gauges[end] = rl_carve(c, rl_unknown_capacity(model), sizeof *self->gauges[end]);
  }
  self->before = rl_state_carve(model, c);
  self->listed = rl_state_carve(model, c);
  self->judged = rl_state_carve(model, c);
  self->slipping = rl_state_carve(model, c);
  self->slips = rl_carve(c, 2 * (size_t)model->path_capacity, sizeof *self->slips);
  self->companion.state = rl_state_carve(model, c);
  rl_choice_lay_out(&self->run.choice, model, c);
  rl_choice_lay_out(&self->companion.choice, model, c);
}

static bool acquire(void *memory, const rl_model *model) {
  rl_integration *self = memory;
  self->stepper = gsl_odeiv2_step_alloc(
      gsl_odeiv2_step_rk8pd,
      rl_equations_dimension(model, rl_unknown_capacity(model), rl_plane_capacity(model)));
  self->control = gsl_odeiv2_control_standard_new(1.0, 1.0, 1.0, 0.0);
  return self->stepper && self->control;
}

static void release(void *memory) {
  rl_integration *self = memory;
  rl_lcp_release(&self->equations.lcp);
  if (self->stepper) {
    gsl_odeiv2_step_free(self->stepper);
  }
  if (self->control) {
    gsl_odeiv2_control_free(self->control);
  }
}

static void forget(rl_integration *self) {
  self->equations.lcp.direct.structure = self->equations.restricted = 0;
  self->has_companion = false;
  self->run.h = self->companion.h = 0.0;
  self->run.choice.is_known = self->companion.choice.is_known = false;
  self->run.is_behind_event = self->companion.is_behind_event = false;
  self->apart = 0.0;
  self->failure = RL_RUNNING;
}

// (11)
static double estimate(const rl_integration *self) {
  const double rounding = 0x1p-50 * self->model->reach;
  return rl_larger(self->settled + estimate_factor * self->apart, rounding);
}

static void init(void *memory, const rl_model *model, const double *values) {
  rl_integration *self = memory;
  self->model = model;
  self->parameters = values;
  self->equations.regularisation = values[REGULARISATION];
  const int substeps = (int)values[SUBSTEPS];
  self->run = (rl_integration_run){.tolerance = values[TOLERANCE],
                                   .substeps = substeps,
                                   .lead = 1.0,
                                   .bits = all_bits,
                                   .lead_in = lead_in,
                                   .decides = {.gentle = 1.0, .push = 1.0},
                                   .shortest = shortest,
                                   .choice = self->run.choice};
  self->companion = (rl_integration_run){
      .state = self->companion.state,
      .tolerance = companion_factor * values[TOLERANCE],
      .substeps = (substeps + 1) / 2,
      .lead = companion_lead,
      .bits = fewer_bits,
      .lead_in = companion_lead_in * lead_in,
      .decides = {.gentle = companion_gentle, .tries_all = true, .push = companion_push},
      .shortest = companion_factor * shortest,
      .choice = self->companion.choice};
  for (uint32_t i = 0; i < model->rope_count; i++) {
    self->creeps = self->creeps || rl_wraps_flow_dissipates(model, i);
  }
  self->settled = 0.0;
  self->step = 0;
  forget(self);
}

// The companion begins anew from the state. If that is the state of the step last begun, or of the
// next one (something was parted or let go, or the step is tried again), the estimate goes on.
static void sync(void *memory, const rl_model *model, const rl_state *state) {
  rl_integration *self = memory;
  const bool goes_on = state->step == self->step || state->step == self->step + 1;
  (void)model;
  self->settled = goes_on ? estimate(self) : 0.0;
  forget(self);
}

// ---------------------------------------------------------------------------------------------
// Internal steps

// (17a) Returns s.
static double travelled(const rl_integration *self, double dt) {
  return rl_travelled(self->model, self->listed, self->equations.state, dt);
}

// Makes an internal step of at most `h` within the tolerance; `h` becomes its length and `next`
// that to try after it. Returns GSL_SUCCESS unless no step is possible.
static int try_step(rl_integration *self, double *h, double *next, double least, bool fixed,
                    double dt) {
  const size_t dimension = rl_integration_dimension(self);
  const size_t quadratures = rl_equations_tail(self->equations.model) + 2;
  const size_t planes = dimension - 3 * (size_t)self->equations.plane_count;
  for (;;) {
    int status = rl_integration_apply(self, *h);
    *next = *h;
    if (status == GSL_SUCCESS && !fixed) {
      // Impulses are integrals of forces that positions and velocities determine: their error does
      // not shorten the step.
      memset(&self->error[quadratures], 0, (planes - quadratures) * sizeof *self->error);
      const int change = gsl_odeiv2_control_hadjust(self->control, self->stepper, self->y,
                                                    self->error, self->rates, next);
      const double wanted = *next;
      if (change == GSL_ODEIV_HADJ_DEC && wanted < *h && least < *h) {
        *h = wanted;
        continue;
      }
    }
    status = status == GSL_SUCCESS ? rl_integration_finish(self, *h) : status;
    const double begun = status == GSL_SUCCESS ? rl_rubbing_begun(&self->equations) : 0.0;
    const bool is_listed = status != GSL_SUCCESS || travelled(self, dt) <= 1.0;
    if ((status == GSL_SUCCESS && !(begun > most_begun) && is_listed) || !(*h > least)) {
      return status;
    }
    *h *= begun > most_begun ? fmax(cut * cut, 1.0 / sqrt(begun)) : cut;
  }
}

// (11b) Drops bits of a number (Veltkamp's way to split one).
static double round_to(double bits, double x) {
  const double multiple = bits * x;
  return multiple - (multiple - x);
}

// (11b) Drops bits of the rest lengths of ropes on winches.
static void drop_bits_of_rests(const rl_integration *self) {
  const rl_model *model = self->equations.model;
  const rl_state *state = self->equations.state;
  for (uint32_t i = 0; i < model->rope_count && state->reels; i++) {
    if (model->ropes[i].is_reeled && rl_rope_elements(model, state, i) > 0) {
      double *rest = &state->links[model->ropes[i].first_link].rest;
      *rest = round_to(self->current->bits, *rest);
    }
  }
}

// (11b) Drops bits of all positions and velocities.
static void drop_bits(rl_integration *self) {
  const uint32_t slots = self->equations.model->slot_count;
  for (uint32_t i = 0; i < 3 * slots; i++) {
    if (self->equations.state->points[i / 3].w > 0.0) {
      self->y_start[i] = round_to(self->current->bits, self->y_start[i]);
      self->y_start[3 * slots + i] = round_to(self->current->bits, self->y_start[3 * slots + i]);
    }
  }
}

// Begins an internal step: computes the rates at the state, unless the step continues the last one,
// whose rates at its end they are.
static int begin_step(rl_integration *self, bool continues) {
  rl_equations *e = &self->equations;
  const size_t dimension = rl_integration_dimension(self);
  e->reeled = 0.0;
  drop_bits_of_rests(self);
  rl_state_copy(self->before, e->state);
  const size_t tail = rl_equations_tail(e->model);
  rl_equations_gather(e, self->y_start);
  drop_bits(self);
  memset(&self->y_start[tail], 0, (dimension - tail) * sizeof *self->y_start);
  int status = GSL_SUCCESS;
  rl_equations_start(e);
  const bool changes = continues && rl_rubbing_follow(e);
  // Elastic ropes that rub have other rates once a mark has moved.
  if (continues && !self->creeps && !changes) {
    memcpy(self->rates, self->rates_end, dimension * sizeof *self->rates);
  } else {
    status = rl_equations_rates(0.0, self->y_start, self->rates, e);
    self->event_at_start = rl_equations_event(e);
  }
  self->stored = e->model->wrap_capacity > 0 ? rl_integration_stored(self) : 0.0;
  rl_integration_keep_gauges(self, 0);
  return status;
}

// Books loss, work and impulses of an internal step.
static void book(const rl_integration *self, rl_step_info *info) {
  const rl_equations *e = &self->equations;
  const double *tail = &self->y[rl_equations_tail(e->model)];
  info->dissipated += tail[0];
  info->work += tail[1];
  for (uint32_t m = 0; m < e->lcp.direct.row_count; m++) {
    e->impulses[m] += tail[2 + m];
  }
  info->iterations++;
}

// Writes the mean forces over the step into the multipliers.
static void write_means(const rl_integration *self, double dt) {
  const rl_equations *e = &self->equations;
  for (uint32_t m = 0; m < e->lcp.direct.row_count; m++) {
    const double time = rl_integration_counted_time(self, m, dt);
    if (time > 0.0) {
      e->state->multipliers[m] = fmax(e->impulses[m] / time, e->lcp.lower[m]);
    }
  }
}

// Whether the caller ends the step; `done`: share of it that this run has made.
static bool is_ended(const rl_integration *self, const rl_integration_run *r, double done,
                     const rl_watch *watch) {
  const bool twice = self->parameters[ESTIMATE] != 0.0;
  const double share = twice ? 0.5 * (done + (r == &self->companion ? 0.0 : 1.0)) : done;
  return watch && watch->ends(watch->self, share);
}

// If an internal step of h is impossible because an end of a rope or a body comes into a body on
// which the rope lies, so that no path leads round it: lets the rope go there, as with all methods,
// and returns true. The state is that at the start of the step.
static bool lets_go(rl_integration *self, double h) {
  const rl_model *model = self->equations.model;
  rl_state *state = self->equations.state;
  if (model->wrap_capacity == 0) {
    return false;
  }
  rl_state_copy(state, self->before);
  rl_state_copy(self->judged, self->before);
  rl_state_drift(model, state, h);
  const bool lost = rl_wraps_leave_ended_ways(model, state, self->judged);
  // (14) of elastic-wraps.md has what a slip takes.
  self->judged->dissipated = self->before->dissipated;
  rl_state_copy(state, self->judged);
  self->found = RL_A_WRAP;
  return lost;
}

// Returns the longest next internal step: one of equal parts of what is left of the output step,
// and if it is the `first` after a start or an event the share of that of (11a).
static double longest(const rl_integration_run *r, double left, bool first) {
  const double parts = fmax(ceil(left / r->h - 1e-9), 1.0);
  return left / parts * (first ? r->lead : 1.0);
}

// Whether a run goes on with its last choice: the end of an output step is no event, unless
// something was changed from outside.
static bool resume(rl_integration *self, rl_integration_run *r) {
  rl_equations *e = &self->equations;
  return rl_choice_take(&r->choice, e) && rl_equations_resume(e) &&
         begin_step(self, false) == GSL_SUCCESS && !(self->event_at_start > 0.0);
}

// Begins an output step of a run.
static void begin_run(rl_integration *self, rl_integration_run *r, rl_rows *rows, double dt,
                      rl_step_info *info) {
  rl_equations *e = &self->equations;
  r->h = r->substeps > 0 ? dt / r->substeps : r->h > 0.0 ? r->h : dt;
  gsl_odeiv2_step_reset(self->stepper);
  rl_equations_begin(e, self->model, r->state, rows);
  memset(e->multipliers, 0,
         rl_unknown_capacity(e->model) * sizeof *e->multipliers); // of the other run
  self->since = 0.0;
  e->decides = r->decides;
  self->current = r;
  rows->lead_in = r->lead_in * self->model->reach;
  rl_eyes_guide(self->model, r->state, rows, dt);
  rl_state_copy(self->listed, r->state);
  const bool resumes = resume(self, r);
  memset(e->impulses, 0, rl_unknown_capacity(e->model) * sizeof *e->impulses);
  if (!resumes) {
    rl_integration_choose(self, 0.0, dt, info);
  }
}

// Whether a node has come so near to its eye that it is guided from now on, or no longer is; puts
// it on its line.
static bool comes_to_eye(const rl_integration *self, double dt) {
  const rl_equations *e = &self->equations;
  const bool comes = rl_eyes_guide_others(e->model, e->state, e->rows);
  if (comes) {
    rl_eyes_pass(e->model, e->state, e->rows, dt);
  }
  return comes;
}

// Returns the longest internal step beside eyes, (2a) of eyes.md, and sets the tolerance of (2b)
// there.
static double watch_eyes(const rl_integration *self, const rl_integration_run *r) {
  const rl_equations *e = &self->equations;
  const double longest = rl_eyes_longest(e->model, e->state, e->rows, e->accelerations);
  const double tolerance = fmax(r->tolerance, r->bits * 0x1p-54 * self->model->reach / longest);
  gsl_odeiv2_control_init(self->control, tolerance, tolerance, 1.0, 0.0);
  return longest;
}

// (17a) Makes the list of contacts anew, at t within a step.
static void list_anew(rl_integration *self, rl_integration_run *r, rl_rows *rows, double t,
                      double dt, rl_step_info *info) {
  rl_equations *e = &self->equations;
  rl_rubbing_follow(e);
  rl_choice_keep(&r->choice, e);
  rl_rotation_settle(self->model, r->state, RL_TURN_FRAME);
  rl_state_place_holds(self->model, r->state);
  rl_detect(self->model, r->state, dt, rows);
  rl_state_copy(self->listed, r->state);
  rl_equations_begin(e, self->model, r->state, rows);
  if (!resume(self, r)) {
    rl_integration_choose(self, t, dt, info);
  }
}

// Ends an output step of a run: sets multipliers, tensions of wraps and held nodes of its state.
static void end_run(rl_integration *self, rl_integration_run *r, double dt) {
  rl_state_copy(self->judged, r->state);
  rl_integration_write_multipliers(self);
  rl_rubbing_follow(&self->equations);
  rl_choice_keep(&r->choice, &self->equations);
  if (self->parameters[FORCES] == MEAN) {
    write_means(self, dt);
  }
  rl_wraps_find_tensions(self->model, self->judged, r->state);
  rl_state_place_holds(self->model, r->state);
}

// Returns the number of events that can follow each other in no time.
static uint64_t most_events(const rl_integration *self) {
  return least_events + row_events * (uint64_t)rl_unknown_capacity(self->model);
}

// Integrates a run over an output step.
static rl_reason take_steps(rl_integration *self, rl_integration_run *r, rl_rows *rows, double dt,
                            rl_step_info *info) {
  const double limit = self->parameters[STEP_LIMIT];
  const uint64_t before = info->iterations;
  const uint64_t most = most_events(self);
  double t = 0.0, instant = 0.0; // the time of the first of `events` that follow at once
  uint64_t events = 0;
  bool continues = false;
  begin_run(self, r, rows, dt, info);
  const rl_direct *direct = &self->equations.lcp.direct;
  while (t < dt && !direct->is_short) {
    if ((double)(info->iterations - before) >= limit) {
      return RL_DIVERGED_STEPS;
    }
    if (is_ended(self, r, t / dt, info->watch)) {
      return RL_RUNNING;
    }
    if (comes_to_eye(self, dt) || travelled(self, dt) > soon_travelled) {
      list_anew(self, r, rows, t, dt, info);
      continues = false;
    }
    const double left = dt - t, wanted = longest(r, left, !continues);
    double next;
    if (begin_step(self, continues) != GSL_SUCCESS) {
      return RL_DIVERGED_NAN;
    }
    double done = fmin(rl_contacts_longest(&self->equations, wanted), watch_eyes(self, r));
    if (try_step(self, &done, &next, r->shortest * dt, r->substeps > 0, dt) != GSL_SUCCESS) {
      if (!lets_go(self, done / cut)) {
        return RL_DIVERGED_STEPS;
      }
      rl_integration_go_on(self, t, 0.0, dt, info);
      continues = false;
      r->h = left;
      continue;
    }
    const double event = rl_integration_find_event(self, &done);
    continues = !(event > 0.0);
    done = continues ? done : rl_integration_locate(self, done, event);
    self->event_at_start = event;
    r->is_behind_event = !continues;
    book(self, info);
    t = continues && done == left ? dt : t + done;
    r->h = r->substeps > 0 ? r->h : done < wanted && continues ? next : fmax(next, r->h);
    if (!continues) {
      rl_integration_go_on(self, t, done, dt, info);
    }
    if (t - instant > r->shortest * dt) {
      instant = t;
      events = 0;
    }
    events += !continues;
    if (events > most) {
      return RL_DIVERGED_STEPS;
    }
  }
  if (!continues && begin_step(self, false) != GSL_SUCCESS) {
    return RL_DIVERGED_NAN;
  }
  end_run(self, r, dt);
  return direct->is_short ? RL_DIVERGED_MEMORY : RL_CONVERGED_TOLERANCE;
}

static rl_reason integrate(rl_integration *self, rl_integration_run *r, rl_rows *rows, double dt,
                           rl_step_info *info) {
  r->state->continues_paths = true;
  const rl_reason reason = take_steps(self, r, rows, dt, info);
  r->state->continues_paths = false;
  return reason;
}

// ---------------------------------------------------------------------------------------------
// The companion

// Gives the companion what acts from outside, which is the same for both runs.
static void lead_companion(rl_integration *self, const rl_model *model, const rl_state *state) {
  if (!self->has_companion) {
    rl_state_copy(self->companion.state, state);
    self->has_companion = true;
  }
  self->companion.state->wind = state->wind;
  if (state->pushes) {
    memcpy(self->companion.state->pushes, state->pushes,
           model->place_count * sizeof *state->pushes);
  }
  if (state->reels) {
    memcpy(self->companion.state->reels, state->reels, model->rope_count * sizeof *state->reels);
  }
  for (uint32_t i = 0; i < model->body_count; i++) {
    if (model->bodies[i].motion == RL_DRIVEN) {
      const uint32_t slots[2] = {rl_body_slot(model, i), model->bodies[i].spin_slot};
      for (size_t k = 0; k < 2 && slots[k] != RL_NONE; k++) {
        self->companion.state->points[slots[k]] = state->points[slots[k]];
        self->companion.state->velocities[slots[k]] = state->velocities[slots[k]];
      }
      self->companion.state->rotations[i] = state->rotations[i];
    }
  }
}

// (11) Updates the largest distance between the two runs.
static void compare(rl_integration *self, const rl_model *model, const rl_state *state) {
  for (uint32_t i = 0; i < model->place_count; i++) {
    const double apart =
        rl_distance(rl_position(&state->points[i]), rl_position(&self->companion.state->points[i]));
    self->apart = rl_larger(self->apart, apart);
  }
}

static rl_reason step_companion(rl_integration *self, const rl_model *model, const rl_state *state,
                                rl_rows *rows, double dt, rl_step_info *info) {
  rl_step_info own = {.watch = info->watch};
  lead_companion(self, model, state);
  self->companion.decides.near = fmin(companion_near * estimate(self), most_near * model->reach);
  rl_detect(model, self->companion.state, dt, rows);
  const rl_reason reason = integrate(self, &self->companion, rows, dt, &own);
  info->iterations += own.iterations;
  info->row_evaluations += own.row_evaluations;
  return reason;
}

// Returns the strain energy of elastic ropes that rub, (14) of elastic-wraps.md [J].
static double stored_beside_friction(const rl_model *model, const rl_state *state) {
  double energy = 0.0;
  for (uint32_t i = 0; i < model->rope_count; i++) {
    if (rl_wraps_flow_dissipates(model, i) && rl_rope_elements(model, state, i) > 0) {
      energy += rl_wraps_energy(model, state, i);
    }
  }
  return energy;
}

static rl_reason step(void *memory, const rl_model *model, rl_state *state, rl_rows *rows,
                      double dt, rl_step_info *info) {
  rl_integration *self = memory;
  rl_reason reason = RL_CONVERGED_TOLERANCE;
  self->equations.evaluations = 0;
  self->step = state->step;
  if (self->failure < 0) {
    return self->failure;
  }
  if (self->parameters[ESTIMATE] != 0.0 && !isnan(estimate(self))) {
    reason = step_companion(self, model, state, rows, dt, info);
    if (reason == RL_DIVERGED_STEPS) { // from here on nothing is known of the error
      self->apart = NAN;
      reason = RL_CONVERGED_TOLERANCE;
    }
    rl_detect(model, state, dt, rows);
  }
  if (reason > 0) {
    info->dissipated += stored_beside_friction(model, state);
    self->run.state = state;
    reason = integrate(self, &self->run, rows, dt, info);
    info->dissipated -= stored_beside_friction(model, state);
  }
  if (reason > 0 && self->parameters[ESTIMATE] != 0.0 && !isnan(estimate(self))) {
    compare(self, model, state);
    info->error_estimate = estimate(self);
  }
  self->failure = reason < 0 ? reason : RL_RUNNING;
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
                    RL_CAN_DRAG | RL_CAN_COMPRESSION | RL_CAN_ELASTIC | RL_CAN_WRAPS | RL_CAN_PART |
                    RL_CAN_FORCES | RL_CAN_FRICTION | RL_CAN_BENDING | RL_CAN_RINGS | RL_CAN_REEL |
                    RL_CAN_GROUND | RL_CAN_TOUCH | RL_CAN_COLLISIONS | RL_CAN_BOUNCES,
    .detects_again = true,
    .keeps_ledger = true,
    .keeps_wraps = true,
    .is_adaptive = true,
    .tells_edges = true,
    .parameter_count = PARAMETER_COUNT,
    .parameters = parameters,
    .size = sizeof(rl_integration),
    .lay_out = lay_out,
    .acquire = acquire,
    .release = release,
    .init = init,
    .sync = sync,
    .step = step,
};
