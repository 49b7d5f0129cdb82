// SPDX-License-Identifier: GPL-3.0-or-later
// One step of the solver, repeated until what can only be found by trial agrees with its result:
// how much of the friction of eyes acts, how fast a winch at its limit runs; which wraps stick is
// found in driver_trials.c.
#include "bodies/bounce.h"
#include "driver_internal.h"
#include "events.h"
#include "paths/bend.h"
#include "paths/wrap.h"
#include "ropes/eyes.h"
#include "trigonometry.h"

#include <string.h>

// Relative tolerance of the tension of a winch at its limit, and the most trials.
static const double winch_tolerance = 1e-7;
static const int winch_trials = 30;

// Of the scene's size per step: a rope that slips more slowly through an eye is held by it.
static const double grip_tolerance = 1e-13;
static const int grip_trials = 30;

// Most rounds over all eyes of a step: what one eye holds changes the load of the others.
static const int grip_rounds = 3;

// Returns the position of a driven body at time t.
static rl_vec3 driven_position(const rl_body *body, double t) {
  return body->drive_count > 0 ? rl_drive_position(body->drive_count, body->drive, t)
                               : rl_add_scaled(body->position, t, body->velocity);
}

void rl_driver_drive(const rl_driver *driver, double t0, double t1) {
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

// Moves driven bodies to their prescribed positions, free of round-off.
static void drive_end(const rl_driver *driver, double t1) {
  for (uint32_t i = 0; i < driver->model->body_count; i++) {
    const rl_body *body = &driver->model->bodies[i];
    if (body->motion == RL_DRIVEN) {
      rl_put(&driver->state->points[rl_body_slot(driver->model, i)], driven_position(body, t1));
      if (body->spin_slot != RL_NONE) {
        driver->state->rotations[i] =
            rl_quat_product(rl_quat_from_vector(rl_scale(t1, body->spin)), body->rotation);
      }
    }
  }
  rl_state_place_holds(driver->model, driver->state);
}

bool rl_driver_leads_wraps(const rl_driver *driver) {
  return driver->before && !driver->type->keeps_wraps;
}

void rl_driver_try(rl_driver *driver, double t1) {
  const rl_model *model = driver->model;
  rl_state *state = driver->state;
  rl_driver_drive(driver, state->time, t1);
  rl_detect(model, state, driver->dt, driver->rows);
  if (rl_driver_leads_wraps(driver) &&
      rl_wraps_stick_jammed(model, state, driver->before, driver->rows, driver->dt)) {
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
  info->dissipated = info->rubbed = 0.0;
  info->work = 0.0;
  info->residual = info->error_estimate = NAN;
  info->last_impulses = NULL;
  info->reason = driver->type->step(driver->memory, model, state, driver->rows, driver->dt, info);
  driver->rows->substep_end = 1.0;
  if (driver->type->holds_directions && !driver->type->seeks_positions &&
      rl_ledger_expects_hit(driver->ledger)) {
    rl_ledger_hold(driver->ledger, state, driver->rows);
  }
}

static void solve_once(rl_driver *driver, double t1) {
  if (rl_driver_leads_wraps(driver)) {
    rl_driver_solve_grips(driver, t1);
  } else {
    rl_driver_try(driver, t1);
  }
}

// Two arguments between which a value changes its sign, and the one that stayed in the last trial.
typedef struct bracket {
  double a, a_value, b, b_value;
  int kept;
} bracket;

static double next_trial(const bracket *k) {
  const double share = isfinite(k->b_value) ? k->a_value / (k->a_value - k->b_value) : 0.5;
  return k->a + share * (k->b - k->a);
}

// Illinois' false position: halves the value of an end that stays, so that neither stays for long.
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

// Makes the step again with another share of the friction in an eye. Returns the slip there [m/s].
static double solve_gripped(rl_driver *driver, uint32_t eye, double grip, double t1) {
  driver->gripped->grips[eye] = grip;
  rl_driver_set_state(driver, driver->gripped);
  solve_once(driver, t1);
  return rl_eye_slip(driver->model, driver->gripped, driver->state, driver->rows, eye, driver->dt);
}

// (10) of papers/eyes.md: finds the share of friction in an eye that stops the rope, at most all of
// it. Returns true if the step was made again.
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

// Makes a step in which ropes with mass rub in eyes, one eye after the other.
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

// Returns the place of the rate of a winch in a state; NULL: its end of the rope was let go.
static double *reel_rate(const rl_model *model, rl_state *state, uint32_t winch) {
  const rl_event *e = &model->events[winch];
  if (model->ropes[e->rope].massless) {
    return rl_rope_elements(model, state, e->rope) > 0 ? &state->reels[e->rope][e->end] : NULL;
  }
  return state->fed_links[winch] != RL_NONE ? &state->feeds[state->fed_links[winch]] : NULL;
}

// Returns the tension at a winch in the last step [N].
static double reel_tension(const rl_model *model, const rl_state *state, uint32_t winch) {
  const rl_event *e = &model->events[winch];
  if (!model->ropes[e->rope].massless) {
    return state->multipliers[state->fed_links[winch]];
  }
  const uint32_t last = rl_bend_count(model, state, e->rope);
  return rl_piece_tension(model, state, e->rope, e->end == 0 ? 0 : last);
}

// Makes the step again with another rate of a winch. Returns the tension at it [N].
static double solve_reeled(rl_driver *driver, uint32_t winch, double rate, double t1) {
  *reel_rate(driver->model, driver->reeled, winch) = rate;
  rl_driver_set_state(driver, driver->reeled);
  solve_rubbing(driver, t1);
  return reel_tension(driver->model, driver->state, winch);
}

// (5) of papers/parting.md: limits the rate of a winch that would pull harder than it can; if even
// at rest it holds more, it stalls, and its brake holds. If the method converges with the winch at
// rest and not with its rate, there is no rope for that rate: the tension counts as infinite.
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

void rl_driver_solve(rl_driver *driver, double t1) {
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
  drive_end(driver, t1);
}

// Sets all velocities, winches and feeds to 0, so that only forces act.
static void stand_still(const rl_model *model, rl_state *state) {
  memset(state->velocities, 0, model->slot_count * sizeof *state->velocities);
  if (state->reels) {
    memset(state->reels, 0, model->rope_count * sizeof *state->reels);
  }
  if (state->feeds) {
    memset(state->feeds, 0, model->link_count * sizeof *state->feeds);
  }
}

void rl_driver_weigh_start(rl_driver *driver, double t1) {
  rl_state_copy(driver->first, driver->state);
  stand_still(driver->model, driver->state);
  rl_driver_tell(driver);
  driver->stands_still = true;
  solve_rubbing(driver, t1);
  if (rl_driver_leads_wraps(driver)) { // (7a) of papers/grips.md
    rl_wraps_find_tensions(driver->model, driver->before, driver->state);
  }
  driver->stands_still = false;
  rl_ledger_start(driver->ledger, driver->model, driver->state);
  rl_driver_set_state(driver, driver->first);
}
