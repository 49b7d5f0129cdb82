// SPDX-License-Identifier: GPL-3.0-or-later
// One step of the solver, repeated until what can only be found by trial agrees with its result:
// which wraps stick, how much of the friction of eyes acts, how fast a winch at its limit runs.
#include "bodies/bounce.h"
#include "driver_internal.h"
#include "events.h"
#include "paths/bend.h"
#include "paths/wrap.h"
#include "ropes/eyes.h"
#include "trigonometry.h"

#include <string.h>

// Of all energy: a step of ropes over bodies that gains more is examined.
static const double doubtful_gain = 1e-4;

// The same for a step that does not settle and loses more, and for one of several trials that gains
// more.
static const double doubtful_change = 1e-2;

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

// Gives each driven body its mean velocity in this step, so that every solver moves it by x += dt
// v, and its spin.
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

// Moves driven bodies to their prescribed positions, free of round-off.
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

bool rl_driver_leads_wraps(const rl_driver *driver) {
  return driver->before && !driver->type->keeps_wraps;
}

// Makes a step of the solver from the present state.
static void solve(rl_driver *driver, double t1) {
  const rl_model *model = driver->model;
  rl_state *state = driver->state;
  drive_begin(driver, state->time, t1);
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
}

// Returns what the springs of the method store [J].
static double stored_in_springs(const rl_driver *driver) {
  return driver->type->stored_energy ? driver->type->stored_energy(driver->memory, driver->model,
                                                                   driver->state, driver->rows)
                                     : 0.0;
}

// Returns the energy that a step has gained beside the work done on it [J].
static double gained(const rl_driver *driver) {
  const double before =
      rl_energy_total(rl_state_energy(driver->model, driver->before)) + driver->stored;
  const double work =
      driver->type->keeps_ledger
          ? 0.0
          : rl_ledger_work(driver->ledger, driver->model, driver->state, driver->rows, driver->dt);
  return rl_energy_total(rl_driver_energy(driver)) - before - driver->info.work - work;
}

// Whether a step has gained so much energy that its positions may be wrong.
static bool is_doubtful(const rl_driver *driver) {
  return !(gained(driver) <= doubtful_gain * driver->energy_scale);
}

// Whether a step did not settle, and has lost so much that everything may have stood still.
static bool is_stuck(const rl_driver *driver) {
  return driver->info.reason == RL_CONVERGED_ITERATIONS &&
         gained(driver) < -doubtful_change * driver->energy_scale;
}

bool rl_driver_has_springs(const rl_driver *driver) {
  return driver->type->stored_energy && driver->type->detects_again;
}

// Whether a step may have found no tension for a strand: it has gained, or not settled along the
// directions that it holds.
static bool may_miss(const rl_driver *driver) {
  return is_doubtful(driver) || (driver->type->holds_directions && rl_driver_is_unsettled(driver));
}

// (7h), (7p) of papers/grips.md: whether a step finds no tension for a strand that slips: one that
// the others do not hold, or, for a method that looks for positions, any. `sticks`: makes such
// strands stick, and returns whether that is new.
static bool jams_ahead(const rl_driver *driver, bool sticks) {
  if (!driver->type->seeks_positions) {
    return rl_wraps_stick_unheld(driver->model, driver->state, driver->before, driver->rows,
                                 driver->dt, sticks);
  }
  return rl_wraps_stick_jammed_ahead(driver->model, driver->state, driver->before, driver->rows,
                                     !rl_driver_has_springs(driver) && may_miss(driver), sticks);
}

// (7h) Whether a step leaves a strand that slips too long, or without a pull that it needs.
static bool leaves_too_long(const rl_driver *driver) {
  return rl_wraps_stick_jammed_ahead(driver->model, driver->state, driver->before, driver->rows,
                                     true, false);
}

// Whether trials that have repeated themselves `rounds` times can end with this one: in the first
// round it may neither gain energy nor have a rope slip where it cannot, in the second not the
// latter.
static bool ends_rounds(const rl_driver *driver, int rounds) {
  return rounds > 2 || (rounds > 0 && !rl_wraps_slip_wrongly(driver->model, driver->state) &&
                        !jams_ahead(driver, false) && (rounds > 1 || !is_doubtful(driver)));
}

// Keeps the start of a trial that gains less than those before it, of which `least` is the gain; of
// those that do not gain the first.
static void keep_calmest(rl_driver *driver, double *least) {
  const double gain = is_doubtful(driver) ? gained(driver) : 0.0;
  if (driver->calmest && gain < *least) {
    *least = gain;
    rl_state_copy(driver->calmest, driver->before);
  }
}

// Returns what the first trial has gained, of which `calmest` is the start, once another one is to
// follow; INFINITY if it leaves a strand that slips too long, or has lost much, and may not have
// settled.
static double first_gain(rl_driver *driver) {
  if (!driver->calmest) {
    return INFINITY;
  }
  rl_state *next = driver->before;
  driver->before = driver->calmest;
  const double gain = gained(driver), scale = driver->energy_scale;
  const bool counts = gain >= -doubtful_change * scale && !leaves_too_long(driver);
  driver->before = next;
  return !counts ? INFINITY : gain <= doubtful_gain * scale ? 0.0 : gain;
}

// Puts everything back to the start of the step; paths stay as they were solved last.
static void put_back(rl_driver *driver) {
  const rl_model *model = driver->model;
  rl_state *state = driver->state, *before = driver->before;
  memcpy(state->points, before->points, model->slot_count * sizeof *state->points);
  memcpy(state->velocities, before->velocities, model->slot_count * sizeof *state->velocities);
  memcpy(state->rotations, before->rotations, model->body_count * sizeof *state->rotations);
}

// Moves everything from the start of the step to where it would be after a share of it without the
// rows.
static void drift_ahead(rl_driver *driver, double share, double t1) {
  drive_begin(driver, driver->state->time, t1);
  rl_state_drift(driver->model, driver->state, share * driver->dt);
}

// Returns how far the places of a path move between two shares of the step without the rows.
static double moved_ahead(rl_driver *driver, uint32_t rope, double from, double to, double t1) {
  rl_state *state = driver->state;
  rl_driver_set_state(driver, driver->before);
  drift_ahead(driver, from, t1);
  rl_wrap_solve_path(driver->model, state, rope, state->points);
  memcpy(state->old_items, rl_path_items(state, rope),
         (state->wrap_counts[rope] + 2) * sizeof *state->old_items);
  put_back(driver);
  drift_ahead(driver, to, t1);
  rl_wrap_solve_path(driver->model, state, rope, state->points);
  return rl_wraps_places_moved(state, rope);
}

// Lets a rope slip off if its path jumps to another one within the step without the rows: where its
// places move most, in ever smaller parts.
static bool jumps_ahead(rl_driver *driver, uint32_t rope, double t1, bool sure) {
  static const int parts = 16, halvings = 8;
  double from = 0.0, length = 1.0 / parts, most = 0.0;
  for (int k = 0; k < parts; k++) {
    const double start = (double)k / parts;
    const double moved = moved_ahead(driver, rope, start, start + length, t1);
    from = moved > most ? start : from;
    most = fmax(most, moved);
  }
  for (int k = 0; k < halvings; k++) {
    length *= 0.5;
    const double first = moved_ahead(driver, rope, from, from + length, t1);
    from +=
        moved_ahead(driver, rope, from + length, from + 2.0 * length, t1) > first ? length : 0.0;
  }
  moved_ahead(driver, rope, from, from + length, t1);
  return rl_wraps_leave_jumped_way(driver->model, driver->state, driver->before, rope, sure);
}

// Lets ropes slip off whose shortest path ends within the step, for a method that looks for
// positions and finds none there. That is seen at the positions without the rows, also in the
// middle of the step: a path along a seam that has ended there can be found again at the end, as
// another one, to which it then jumps.
static bool loses_path_ahead(rl_driver *driver, double t1) {
  const rl_model *model = driver->model;
  if (!driver->type->seeks_positions) {
    return false;
  }
  const bool gains = is_doubtful(driver);
  if (!gains && !is_stuck(driver)) {
    return false;
  }
  static const double shares[] = {1.0, 0.5};
  for (size_t i = 0; i < sizeof shares / sizeof shares[0]; i++) {
    rl_driver_set_state(driver, driver->before);
    drift_ahead(driver, shares[i], t1);
    if (rl_wraps_leave_ended_ways(model, driver->state, driver->before)) {
      return true;
    }
  }
  for (uint32_t r = 0; r < model->rope_count; r++) {
    if (model->ropes[r].wrap_capacity > 0 && driver->before->wrap_counts[r] > 0 &&
        jumps_ahead(driver, r, t1, gains)) {
      return true;
    }
  }
  rl_driver_set_state(driver, driver->before); // it is as it came out
  solve(driver, t1);
  return false;
}

// After a rope has slipped off at the start of the step: removes from the velocities there the
// rates at which its strands got longer, (22) of papers/changes.md, with the wraps that it had
// until then, which the state of the trial still has. They lag half a step, or are those given at
// the start.
static void let_go(rl_driver *driver) {
  put_back(driver);
  rl_wraps_evaluate_rows(driver->model, driver->state, driver->rows);
  rl_wraps_remove_outward_velocity(driver->before, driver->rows, driver->dt);
}

// (7e) of papers/grips.md: lets a slack rope that is caught in this step run to where it is then.
// Until then a piece can be longer than its rest length, which in substeps is drawn in by nothing.
static void run_to_catch(rl_driver *driver, double t1) {
  memset(driver->rows->catches, 0, driver->model->rope_count * sizeof *driver->rows->catches);
  if (!rl_driver_has_springs(driver) && rl_wraps_hang_slack(driver->model, driver->state)) {
    rl_state_copy(driver->before, driver->state);
    drive_begin(driver, driver->state->time, t1);
    rl_state_kick(driver->model, driver->state, 0.5 * driver->dt);
    rl_state_drift(driver->model, driver->state, driver->dt);
    rl_wraps_run_to_catch(driver->model, driver->state, driver->before, driver->rows->catches);
    rl_state_copy(driver->state, driver->before);
  }
}

// Judges the grips of a trial. (7m) of papers/grips.md: the impulses of the last substep decide in
// the first step of a run, in which strands do not share the load yet, until trials repeat
// themselves.
static bool judge(rl_driver *driver, bool one_by_one) {
  const bool shares = !one_by_one && driver->before->step == 0;
  const rl_judging how = {
      .dt = driver->dt,
      .last = shares ? driver->info.last_impulses : NULL,
      .gains = rl_wraps_slip(driver->model, driver->state) && is_doubtful(driver),
      .sees_rates = !driver->type->seeks_positions,
      .one_by_one = one_by_one,
  };
  return rl_wraps_judge(driver->model, driver->state, driver->before, driver->rows, &how);
}

// Makes a step of ropes over bodies. Which wraps stick or slip, and whether a path ends, is found
// by trial: the step is repeated until nothing changes, or until the trials repeat themselves; when
// they do so first, they go on with one wrap at a time.
static void solve_with_grips(rl_driver *driver, double t1) {
  const rl_model *model = driver->model;
  const uint32_t most = 2 * model->split_capacity + model->path_capacity;
  rl_wraps_solve_paths(model, driver->state);
  run_to_catch(driver, t1);
  rl_state_copy(driver->before, driver->state);
  driver->stored = stored_in_springs(driver);
  int rounds = 0; // by those that change one wrap at a time
  bool one_by_one = false;
  uint64_t slipped = driver->before->slipped_off;
  driver->trials = 1;
  solve(driver, t1);
  if (driver->calmest) {
    rl_state_copy(driver->calmest, driver->before);
  }
  double least = INFINITY;
  uint64_t kept = driver->rows->wraps; // of `before`
  uint32_t since = 0;                  // trials of this kind
  for (uint32_t trial = 1;
       trial <= most && !ends_rounds(driver, rounds) && driver->info.reason > 0 &&
       (loses_path_ahead(driver, t1) || jams_ahead(driver, true) || judge(driver, one_by_one));
       trial++) {
    // The same wraps and grips again would lead to the same ones again (Brent's way to find that).
    const uint64_t now = rl_wraps_hash(model, driver->before);
    const bool again = now == kept;
    rounds += again && one_by_one;
    since = again && !one_by_one ? 0 : since + 1;
    one_by_one = one_by_one || again;
    kept = (since & (since - 1)) == 0 ? now : kept;
    least = trial == 1 ? first_gain(driver) : least;
    driver->trials++;
    if (driver->before->slipped_off != slipped) {
      slipped = driver->before->slipped_off;
      least = INFINITY;
      if (driver->type->lags || driver->before->step == 0) {
        let_go(driver);
      }
    }
    rl_driver_set_state(driver, driver->before);
    solve(driver, t1);
    keep_calmest(driver, &least);
  }
  const double share = rounds > 0 ? doubtful_gain : doubtful_change;
  if (least < INFINITY && gained(driver) > fmax(least, share * driver->energy_scale)) {
    rl_state_copy(driver->before, driver->calmest);
    rl_driver_set_state(driver, driver->before);
    solve(driver, t1);
  }
  if (!driver->type->seeks_positions) {
    rl_wraps_find_runs(model, driver->before, driver->state, driver->dt);
  }
}

// Returns what a step has gained, with what friction has given in it [J].
static double gained_or_given(const rl_driver *driver) {
  return gained(driver) + fmax(-driver->info.rubbed, 0.0);
}

// (22) of papers/penalty.md: makes a step of springs that has gained energy again, with ropes that
// stick and give way in each substep, and keeps it if it gains less.
static void give_way(rl_driver *driver, double t1) {
  if (!rl_driver_has_springs(driver) || !driver->calmest || driver->info.reason <= 0) {
    return;
  }
  const double gain = gained_or_given(driver);
  if (!(gain > doubtful_gain * driver->energy_scale)) {
    return;
  }
  rl_state_copy(driver->calmest, driver->before);
  rl_wraps_stick_all(driver->model, driver->before);
  driver->trials++;
  rl_driver_set_state(driver, driver->before);
  driver->rows->gives_way = true;
  solve(driver, t1);
  driver->rows->gives_way = false;
  if (!(gained_or_given(driver) < gain)) {
    rl_state_copy(driver->before, driver->calmest);
    rl_driver_set_state(driver, driver->before);
    solve(driver, t1);
  }
}

static void solve_once(rl_driver *driver, double t1) {
  if (rl_driver_leads_wraps(driver)) {
    solve_with_grips(driver, t1);
    give_way(driver, t1);
  } else {
    solve(driver, t1);
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
