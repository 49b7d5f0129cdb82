// SPDX-License-Identifier: GPL-3.0-or-later
#include "driver.h"

#include "events.h"
#include "memory.h"
#include "paths/bend.h"
#include "paths/wrap.h"
#include "ropes/eyes.h"
#include "rotation.h"
#include "trigonometry.h"

#include <string.h>

// Steps whose velocities are half a step beside their positions swing by up to so many times the
// energy that they start with, and come back: semi-implicit Euler at its limit, h omega = 2, by 12.
static const double swing = 12.0;

// Of all the energy that there is: a step over bodies that gains more is looked at.
static const double doubtful_gain = 1e-4;

// A winch whose tension is this close to its limit, relative to that, runs at it; so often it is
// tried.
static const double winch_tolerance = 1e-7;
static const int winch_trials = 30;

// Of the size of the scene in a step: a rope that slips no faster through an eye is held by it.
static const double grip_tolerance = 1e-13;
static const int grip_trials = 30;

// What one eye holds another need not: so often all of them are asked.
static const int grip_rounds = 3;

uint32_t rl_driver_missing(const rl_model *model, const rl_solver_type *type) {
  return model->capabilities & ~type->capabilities;
}

// (11) What gravity can give [J].
static double largest_fall(const rl_model *model) {
  double mass = 0.0;
  for (uint32_t i = 0; i < model->place_count; i++) {
    mass += model->masses[i];
  }
  return mass * rl_length(model->gravity) * model->reach;
}

// Places the arrays of a solver, or counts their bytes.
static void lay_out(const rl_solver_type *type, void *memory, const rl_model *model,
                    rl_carver *carver) {
  if (type->lay_out) {
    type->lay_out(memory, model, carver);
  }
}

// The size of the block of a solver, its struct and its arrays; 0: out of memory.
static size_t memory_size(const rl_solver_type *type, const rl_model *model) {
  void *counted = calloc(1, type->size);
  rl_carver counter = {0};
  if (counted) {
    rl_carve(&counter, 1, type->size);
    lay_out(type, counted, model, &counter);
  }
  free(counted);
  return counter.used;
}

static void *create_memory(const rl_solver_type *type, const rl_model *model, void **allocation) {
  const size_t size = memory_size(type, model);
  rl_carver carver = {.block = size > 0 ? rl_block_create(size, allocation) : NULL};
  if (carver.block) {
    lay_out(type, rl_carve(&carver, 1, type->size), model, &carver);
  }
  return carver.block;
}

// Before and after a step each element can be parted, each event can let something go or, a winch,
// run out of rope; and an end can be drawn in.
static size_t change_capacity(const rl_model *model) {
  return (model->parts ? 2 * (size_t)model->link_count : 0) + model->event_count +
         (model->eye_count > 0 ? 1 : 0);
}

// Whether something can jump to a speed in the first step, and the ledger books what that loses.
static bool books_starts(const rl_model *model, const rl_solver_type *type) {
  bool is_driven = model->is_reeled;
  for (uint32_t i = 0; i < model->body_count; i++) {
    is_driven = is_driven || model->bodies[i].motion == RL_DRIVEN;
  }
  return is_driven && !type->keeps_ledger && !type->stored_energy;
}

size_t rl_driver_bytes(const rl_model *model, const rl_solver_type *type) {
  return memory_size(type, model) + (model->wrap_capacity > 0 ? 2U : 1U) * rl_state_bytes(model) +
         ((model->is_limited ? 1U : 0U) + (model->rings_rub ? 1U : 0U) +
          (model->is_swiped ? 1U : 0U) + (type->is_adaptive ? 1U : 0U) +
          (books_starts(model, type) ? 1U : 0U)) *
             rl_state_bytes(model) +
         rl_rows_bytes(model) + rl_ledger_bytes(model) +
         change_capacity(model) * sizeof(rl_change) + 2 * (size_t)model->event_count;
}

rl_driver *rl_driver_create(const rl_model *model, const rl_solver_type *type,
                            const double *parameters, double dt) {
  rl_driver *driver = calloc(1, sizeof *driver);
  if (!driver) {
    return NULL;
  }
  driver->model = model;
  driver->type = type;
  driver->dt = dt;
  rl_parameters_initial(type, driver->parameters);
  for (size_t i = 0; parameters && i < type->parameter_count; i++) {
    driver->parameters[i] = parameters[i];
  }
  driver->memory = create_memory(type, model, &driver->allocation);
  driver->state = rl_state_create(model);
  driver->rows = rl_rows_create(model);
  if (driver->rows) {
    driver->rows->lists_idle = type->detects_again;
    driver->rows->tells_edges = type->tells_edges;
    driver->rows->keeps_depth = !type->has_soft_contacts;
  }
  driver->ledger = rl_ledger_create(model);
  driver->before = model->wrap_capacity > 0 ? rl_state_create(model) : NULL;
  driver->reeled = model->is_limited ? rl_state_create(model) : NULL;
  driver->gripped = model->rings_rub ? rl_state_create(model) : NULL;
  driver->swept = model->is_swiped ? rl_state_create(model) : NULL;
  driver->undone = type->is_adaptive ? rl_state_create(model) : NULL;
  driver->first = books_starts(model, type) ? rl_state_create(model) : NULL;
  driver->change_capacity = change_capacity(model);
  driver->changes = calloc(driver->change_capacity + 1, sizeof *driver->changes);
  driver->is_empty = calloc((size_t)model->event_count + 1, sizeof *driver->is_empty);
  driver->has_acted = calloc((size_t)model->event_count + 1, sizeof *driver->has_acted);
  const bool acquired = driver->memory && (!type->acquire || type->acquire(driver->memory, model));
  if (!acquired || !driver->changes || !driver->is_empty || !driver->has_acted || !driver->state ||
      (model->wrap_capacity > 0 && !driver->before) || (model->is_limited && !driver->reeled) ||
      (model->rings_rub && !driver->gripped) || (model->is_swiped && !driver->swept) ||
      (type->is_adaptive && !driver->undone) || (books_starts(model, type) && !driver->first) ||
      !driver->rows || !driver->ledger) {
    rl_driver_free(driver);
    return NULL;
  }
  type->init(driver->memory, model, driver->parameters);
  driver->start = rl_driver_energy(driver);
  const double stored = driver->start.kinetic + driver->start.elastic + driver->start.bending;
  driver->energy_scale = stored + largest_fall(model);
  driver->gain_limit = swing * stored + largest_fall(model);
  return driver;
}

void rl_driver_free(rl_driver *driver) {
  if (driver) {
    if (driver->memory && driver->type->release) {
      driver->type->release(driver->memory);
    }
    rl_ledger_free(driver->ledger);
    rl_rows_free(driver->rows);
    rl_state_free(driver->state);
    rl_state_free(driver->before);
    rl_state_free(driver->reeled);
    rl_state_free(driver->gripped);
    rl_state_free(driver->swept);
    rl_state_free(driver->undone);
    rl_state_free(driver->first);
    free(driver->changes);
    free(driver->is_empty);
    free(driver->has_acted);
    free(driver->allocation);
    free(driver);
  }
}

// Where a driven body is at time t.
static rl_vec3 driven_position(const rl_body *body, double t) {
  return body->drive_count > 0 ? rl_drive_position(body->drive_count, body->drive, t)
                               : rl_add_scaled(body->position, t, body->velocity);
}

// Gives each driven body the mean velocity of its way in this step, so that every solver moves it
// by x += dt v, and its spin.
static void drive_begin(const rl_driver *driver, double t0, double t1) {
  for (uint32_t i = 0; i < driver->model->body_count && !driver->stands_still; i++) {
    const rl_body *body = &driver->model->bodies[i];
    if (body->motion == RL_DRIVEN) {
      driver->state->velocities[rl_body_slot(driver->model, i)] =
          body->drive_count > 0 ? rl_scale(1.0 / driver->dt, rl_sub(driven_position(body, t1),
                                                                    driven_position(body, t0)))
                                : body->velocity;
      if (body->spin_slot != RL_NONE) {
        driver->state->velocities[body->spin_slot] =
            rl_rotate_inverse(driver->state->rotations[i], body->spin);
      }
    }
  }
  rl_state_place_holds(driver->model, driver->state);
}

// Puts driven bodies where they are prescribed to be, free of rounding.
static void drive_end(const rl_driver *driver, double t1) {
  for (uint32_t i = 0; i < driver->model->body_count; i++) {
    const rl_body *body = &driver->model->bodies[i];
    if (body->motion == RL_DRIVEN) {
      rl_point *point = &driver->state->points[rl_body_slot(driver->model, i)];
      const rl_vec3 p = driven_position(body, t1);
      *point = (rl_point){p.x, p.y, p.z, point->w};
      if (body->spin_slot != RL_NONE) {
        driver->state->rotations[i] =
            rl_quat_product(rl_quat_from_vector(rl_scale(t1, body->spin)), body->rotation);
      }
    }
  }
  rl_state_place_holds(driver->model, driver->state);
}

void rl_driver_set_state(rl_driver *driver, const rl_state *state) {
  rl_state_copy(driver->state, state);
  driver->is_stopped = false;
  if (driver->type->sync) {
    driver->type->sync(driver->memory, driver->model, driver->state);
  }
}

// Between two steps: rows and ledger are told.
static void detect_between(rl_driver *driver) {
  rl_detect(driver->model, driver->state, driver->dt, driver->rows);
  rl_ledger_follow(driver->ledger, driver->model, driver->state, driver->rows);
}

// Rows, ledger and solver are told that what is tied to what, or runs through what, has changed.
static void tell(rl_driver *driver) {
  detect_between(driver);
  if (driver->type->sync) {
    driver->type->sync(driver->memory, driver->model, driver->state);
  }
}

// (3) Something was parted or let go: rows and solver follow. What ropes and the method's springs
// had stored is gone then, and what was held brings in the energy that it has (papers/parting.md).
static void follow(rl_driver *driver, double before) {
  tell(driver);
  const double gain = rl_energy_total(rl_driver_energy(driver)) - before;
  if (gain > 0.0) {
    driver->state->work += gain;
  } else {
    driver->state->dissipated -= gain;
  }
}

// What happens at this time, or what the last step has torn.
static void change(rl_driver *driver, bool (*parts)(rl_driver *)) {
  const double before = driver->model->parts ? rl_energy_total(rl_driver_energy(driver)) : 0.0;
  if (parts(driver)) {
    follow(driver, before);
  }
}

// (9) What comes off a winch brings its energy in, and what goes on it takes it along.
static void feed(rl_driver *driver, bool (*feeds)(rl_driver *)) {
  if (driver->model->is_fed) {
    const double before = rl_energy_total(rl_driver_energy(driver));
    if (feeds(driver)) {
      tell(driver);
    }
    driver->state->work += rl_energy_total(rl_driver_energy(driver)) - before;
  }
}

// Whether the driver finds how ropes lie on bodies, and not the method.
static bool leads_wraps(const rl_driver *driver) {
  return driver->before && !driver->type->keeps_wraps;
}

// A step of the solver from the present state.
static void solve(rl_driver *driver, double t1) {
  const rl_model *model = driver->model;
  rl_state *state = driver->state;
  drive_begin(driver, state->time, t1);
  rl_detect(model, state, driver->dt, driver->rows);
  if (leads_wraps(driver) && rl_wraps_jam(model, state, driver->before, driver->rows)) {
    rl_detect(model, state, driver->dt, driver->rows);
  }
  if (!driver->type->keeps_ledger) {
    rl_ledger_begin(driver->ledger, model, state, driver->rows);
  }
  if (!driver->type->detects_again) {
    rl_bounce_begin(model, state, driver->rows, driver->dt);
  }

  rl_step_info *info = &driver->info;
  info->ledger = driver->ledger;
  info->want_residual =
      info->want_residual || model->strengths; // by it one sees what tears at once
  info->trace_count = 0;
  info->iterations = 0;
  info->row_evaluations = 0;
  info->dissipated = 0.0;
  info->work = 0.0;
  info->residual = info->error_estimate = NAN;
  info->last_impulses = NULL;
  info->reason = driver->type->step(driver->memory, model, state, driver->rows, driver->dt, info);
  if (!driver->type->detects_again) {
    rl_bounce_end(model, state, driver->rows, driver->dt, RL_REBOUND_BOUNCING);
  }
}

// (11) Whether the state is worth nothing any more: of what it has of energy, the method has made
// more than there is. Only then one is told why.
static bool has_blown_up(const rl_driver *driver, rl_reason *why) {
  const rl_state *state = driver->state;
  const double error = rl_driver_energy_error(driver);
  const double limit = driver->gain_limit + fabs(state->work);
  const bool is_finite = rl_state_finite(driver->model, state) && isfinite(error);
  const bool gains = limit > 0.0 && error > limit && !driver->type->keeps_faults;
  *why = !is_finite ? RL_DIVERGED_NAN : gains ? RL_DIVERGED_ENERGY : *why;
  return !is_finite || gains;
}

// Whether a step has brought in so much energy that its positions may be wrong ones.
static bool is_doubtful(const rl_driver *driver) {
  const double before = rl_energy_total(rl_state_energy(driver->model, driver->before));
  const double gained = rl_energy_total(rl_driver_energy(driver)) - before - driver->info.work;
  return !(gained <= doubtful_gain * driver->energy_scale);
}

// A method that looks for positions finds none where the shortest way of a rope has come to an end
// on the way to them. That is seen where everything would be without the rows.
static bool loses_way_ahead(rl_driver *driver, double t1) {
  if (!driver->type->seeks_positions || !is_doubtful(driver)) {
    return false;
  }
  rl_driver_set_state(driver, driver->before);
  drive_begin(driver, driver->state->time, t1);
  rl_state_drift(driver->model, driver->state, driver->dt);
  if (rl_wraps_lose(driver->model, driver->state, driver->before)) {
    return true;
  }
  rl_driver_set_state(driver, driver->before); // it is as it came out
  solve(driver, t1);
  return false;
}

// Where ropes lie on bodies, which of them stick, which slip, and whether one loses its way, is
// found by trial: the step is done again until that agrees with what came out.
static void solve_with_grips(rl_driver *driver, double t1) {
  const rl_model *model = driver->model;
  const uint32_t most = 2 * model->split_capacity + model->path_capacity;
  rl_wraps_solve(model, driver->state);
  rl_state_copy(driver->before, driver->state);
  bool goes_round = false;
  driver->trials = 1;
  solve(driver, t1);
  uint64_t kept = driver->rows->wraps; // of `before`
  for (uint32_t trial = 1;
       trial <= most && !goes_round && driver->info.reason > 0 &&
       (loses_way_ahead(driver, t1) || rl_wraps_judge(model, driver->state, driver->before,
                                                      driver->info.last_impulses, driver->dt));
       trial++) {
    // The same wraps and grips again would lead to the same ones again (Brent's way to find that).
    const uint64_t now = rl_wraps_hash(model, driver->before);
    goes_round = now == kept;
    kept = (trial & (trial - 1)) == 0 ? now : kept;
    driver->trials++;
    rl_driver_set_state(driver, driver->before);
    solve(driver, t1);
  }
}

static void solve_once(rl_driver *driver, double t1) {
  if (leads_wraps(driver)) {
    solve_with_grips(driver, t1);
  } else {
    solve(driver, t1);
  }
}

// Two places between which a value changes its sign, and the one that stayed in the last trial.
typedef struct bracket {
  double a, a_value, b, b_value;
  int kept;
} bracket;

static double next_trial(const bracket *k) {
  const double share = isfinite(k->b_value) ? k->a_value / (k->a_value - k->b_value) : 0.5;
  return k->a + share * (k->b - k->a);
}

// Illinois' regula falsi: an end that stays counts half, so that neither stays for long.
static void narrow(bracket *k, double at, double value) {
  if (value * k->a_value > 0.0) {
    k->a = at;
    k->a_value = value;
    k->b_value *= k->kept > 0 ? 0.5 : 1.0;
    k->kept = 1;
  } else {
    k->b = at;
    k->b_value = value;
    k->a_value *= k->kept < 0 ? 0.5 : 1.0;
    k->kept = -1;
  }
}

// The step again, with another share of the friction in an eye. Returns how fast the rope slips
// there [m/s].
static double solve_gripped(rl_driver *driver, uint32_t eye, double grip, double t1) {
  driver->gripped->grips[eye] = grip;
  rl_driver_set_state(driver, driver->gripped);
  solve_once(driver, t1);
  return rl_eye_slip(driver->model, driver->gripped, driver->state, driver->rows, eye, driver->dt);
}

// (10) Friction in an eye is as much as stops the rope, and no more than it can be. True if the
// step was made again.
static bool find_grip(rl_driver *driver, uint32_t eye, double t1) {
  const double tolerance = grip_tolerance * driver->model->reach / driver->dt;
  bracket k = {.a = driver->gripped->grips[eye]};
  k.a_value =
      rl_eye_slip(driver->model, driver->gripped, driver->state, driver->rows, eye, driver->dt);
  k.b = k.a_value > 0.0 ? 1.0 : -1.0;
  if (!(fabs(k.a_value) > tolerance) || k.a == k.b) {
    return false;
  }
  k.b_value = solve_gripped(driver, eye, k.b, t1);
  for (int i = 0; i < grip_trials && k.a_value * k.b_value < 0.0; i++) {
    const double grip = next_trial(&k);
    const double slip = solve_gripped(driver, eye, grip, t1);
    if (!(fabs(slip) > tolerance) || driver->info.reason < 0) {
      break;
    }
    narrow(&k, grip, slip);
  }
  return true;
}

// A step in which ropes with mass rub in eyes: one eye after the other, since what one holds
// another need not.
static void solve_rubbing(rl_driver *driver, double t1) {
  if (driver->gripped) {
    rl_state_copy(driver->gripped, driver->state);
  }
  solve_once(driver, t1);
  bool changed = driver->gripped != NULL;
  for (int round = 0; round < grip_rounds && changed; round++) {
    changed = false;
    for (uint32_t eye = 0; eye < driver->model->eye_count && driver->info.reason > 0; eye++) {
      changed = find_grip(driver, eye, t1) || changed;
    }
  }
}

// How fast a winch runs, in a state; NULL: its end of the rope was let go.
static double *reel_rate(const rl_model *model, rl_state *state, uint32_t winch) {
  const rl_event *e = &model->events[winch];
  if (model->ropes[e->rope].massless) {
    return rl_rope_elements(model, state, e->rope) > 0 ? &state->reels[e->rope][e->end] : NULL;
  }
  return state->fed_links[winch] != RL_NONE ? &state->feeds[state->fed_links[winch]] : NULL;
}

// The tension at it in the last step [N].
static double reel_tension(const rl_model *model, const rl_state *state, uint32_t winch) {
  const rl_event *e = &model->events[winch];
  if (!model->ropes[e->rope].massless) {
    return state->multipliers[state->fed_links[winch]];
  }
  const uint32_t last = rl_bend_count(model, state, e->rope);
  return rl_piece_tension(model, state, e->rope, e->end == 0 ? 0 : last);
}

// The step again, with another rate of a winch. Returns the tension at it [N].
static double solve_reeled(rl_driver *driver, uint32_t winch, double rate, double t1) {
  *reel_rate(driver->model, driver->reeled, winch) = rate;
  rl_driver_set_state(driver, driver->reeled);
  solve_rubbing(driver, t1);
  return reel_tension(driver->model, driver->state, winch);
}

// (5) A winch that would have to pull harder than it can runs as fast as it can; where even a winch
// at rest holds more, it stalls, and its brake holds. Where a method that converges with the winch
// at rest does not with its rate, there is no rope for that: it pulls without limit.
static void limit_winch(rl_driver *driver, uint32_t winch, double t1) {
  const double wanted = *reel_rate(driver->model, driver->reeled, winch);
  const double limit = driver->model->events[winch].max_tension;
  double fast_tension = reel_tension(driver->model, driver->state, winch);
  const bool is_open = driver->info.reason == RL_CONVERGED_ITERATIONS;
  if (!(wanted < 0.0) || !(fast_tension > limit || is_open)) {
    return;
  }
  const double slow_tension = solve_reeled(driver, winch, 0.0, t1);
  const bool converges = driver->info.reason == RL_CONVERGED_TOLERANCE;
  fast_tension = is_open && converges ? INFINITY : fast_tension;
  if (!(fast_tension > limit)) { // a method that never does
    solve_reeled(driver, winch, wanted, t1);
    return;
  }
  bracket k = {
      .a = 0.0, .a_value = slow_tension - limit, .b = wanted, .b_value = fast_tension - limit};
  for (int i = 0; i < winch_trials && k.a_value < 0.0; i++) {
    const double rate = next_trial(&k);
    double tension = solve_reeled(driver, winch, rate, t1);
    tension = converges && driver->info.reason == RL_CONVERGED_ITERATIONS ? INFINITY : tension;
    if (fabs(tension - limit) <= winch_tolerance * limit || driver->info.reason < 0) {
      return;
    }
    narrow(&k, rate, tension - limit);
    if (fabs(k.b) <= winch_tolerance * fabs(wanted)) { // friction holds more than it can pull
      break;
    }
  }
  if (k.a_value < 0.0) {
    solve_reeled(driver, winch, k.a, t1);
  }
}

static void solve_step(rl_driver *driver, double t1) {
  const rl_model *model = driver->model;
  const double step = (double)driver->state->step;
  if (driver->reeled) {
    rl_state_copy(driver->reeled, driver->state);
  }
  solve_rubbing(driver, t1);
  for (uint32_t i = 0; i < model->event_count && driver->reeled; i++) {
    const rl_event *e = &model->events[i];
    if (e->kind == RL_EVENT_WINCH && isfinite(e->max_tension) && rl_events_is_on(driver, e, step) &&
        reel_rate(model, driver->reeled, i)) {
      limit_winch(driver, i, t1);
    }
  }
}

// Everything at rest, and nothing that moves it but forces.
static void stand_still(const rl_model *model, rl_state *state) {
  memset(state->velocities, 0, model->slot_count * sizeof *state->velocities);
  if (state->reels) {
    memset(state->reels, 0, model->rope_count * sizeof *state->reels);
  }
  if (state->feeds) {
    memset(state->feeds, 0, model->link_count * sizeof *state->feeds);
  }
}

// (10a) of papers/world.md: what rows hold before the first step is what they hold in a step in
// which everything starts at rest and stays there unless it falls.
static void weigh_start(rl_driver *driver, double t1) {
  rl_state_copy(driver->first, driver->state);
  stand_still(driver->model, driver->state);
  tell(driver);
  driver->stands_still = true;
  solve_rubbing(driver, t1);
  driver->stands_still = false;
  rl_ledger_start(driver->ledger, driver->model, driver->state);
  rl_driver_set_state(driver, driver->first);
}

// (13) of papers/eyes.md: behind it there is no motion to go on with.
static void stop_at_eyes(rl_driver *driver) {
  uint32_t rope, end;
  if (!driver->type->keeps_faults && !driver->is_stopped &&
      rl_eyes_draw_in(driver->model, driver->state, driver->dt, &rope, &end)) {
    const double tension = driver->state->multipliers[driver->model->ropes[rope].first_link];
    driver->changes[driver->change_count++] =
        (rl_change){RL_CHANGE_DRAWN, driver->state->time, rope, end, RL_NONE, tension, NAN};
    driver->is_stopped = true;
  }
}

// (21) of papers/wraps.md: what ropes are too long by since their contacts have changed shall be no
// velocity. What nothing holds keeps its angular momentum, as it would not if it were moved.
static void draw_in(rl_driver *driver) {
  if (driver->type->excess != RL_EXCESS_STAYS &&
      rl_wraps_growth(driver->model, driver->state) > 0.0 &&
      !rl_model_keeps_angular(driver->model)) {
    detect_between(driver);
    rl_wraps_draw_in(driver->model, driver->state, driver->rows, driver->type->excess);
    tell(driver);
  }
}

rl_reason rl_driver_step(rl_driver *driver) {
  const rl_model *model = driver->model;
  rl_state *state = driver->state;
  const double t1 = (double)(state->step + 1) * driver->dt;
  rl_step_info *info = &driver->info;
  driver->change_count = 0;
  if (info->watch && driver->undone) {
    rl_state_copy(driver->undone, state);
  }
  if (model->event_count > 0 && !driver->is_stopped) {
    change(driver, rl_events_act);
    feed(driver, rl_events_feed);
  }
  stop_at_eyes(driver);
  if (driver->is_stopped) {
    return info->reason = RL_STOPPED;
  }
  const bool strikes = driver->swept && rl_events_strike(driver);
  if (strikes) {
    rl_state_copy(driver->swept, state);
  }
  if (state->step == 0 && driver->first) {
    weigh_start(driver, t1);
  }
  state->work -= rl_events_work(driver);
  solve_step(driver, t1);
  if (info->reason == RL_RUNNING && info->watch && driver->undone) {
    rl_driver_set_state(driver, driver->undone);
    driver->change_count = 0;
    return info->reason;
  }
  drive_end(driver, t1);
  state->work += rl_events_work(driver);
  if (!driver->type->keeps_ledger) {
    rl_ledger_end(driver->ledger, model, state, driver->rows, driver->dt,
                  driver->type->stored_energy == NULL);
  }
  if (leads_wraps(driver)) {
    info->dissipated += rl_wraps_end(model, driver->before, state, driver->dt);
    draw_in(driver);
  }
  // What springs in the place of rows store is that of the rows there are now.
  const bool has_other_rows = leads_wraps(driver) && driver->type->stored_energy &&
                              rl_wraps_hash(model, state) != driver->rows->wraps;
  if (rl_eyes_pass(model, state, driver->rows, driver->dt) || has_other_rows) {
    tell(driver);
  }
  state->dissipated += info->dissipated;
  state->work += info->work;
  state->time = t1;
  state->step++;
  if (strikes) {
    change(driver, rl_events_swipe);
  }
  feed(driver, rl_events_fed);
  has_blown_up(driver, &info->reason);
  if (driver->rows->overflows && info->reason > 0) {
    info->reason = RL_DIVERGED_CONTACTS;
  }
  if (model->strengths && info->reason > 0) {
    change(driver, rl_events_tear);
    info->reason = driver->is_stopped ? RL_STOPPED : info->reason;
  }
  return info->reason;
}

bool rl_driver_is_unsettled(const rl_driver *driver) {
  const int tolerance = rl_parameter_find(driver->type, "tolerance");
  return tolerance >= 0 && driver->parameters[tolerance] > 0.0 &&
         driver->info.reason == RL_CONVERGED_ITERATIONS;
}

rl_energy rl_driver_energy(const rl_driver *driver) {
  rl_energy energy = rl_state_energy(driver->model, driver->state);
  if (driver->type->stored_energy) {
    energy.elastic +=
        driver->type->stored_energy(driver->memory, driver->model, driver->state, driver->rows);
  }
  return energy;
}

double rl_driver_energy_error(const rl_driver *driver) {
  return rl_energy_total(rl_driver_energy(driver)) - rl_energy_total(driver->start) -
         driver->state->work + driver->state->dissipated;
}
