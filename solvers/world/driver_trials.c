// SPDX-License-Identifier: GPL-3.0-or-later
// The trials of a step of ropes over bodies, papers/grips.md: which wraps stick or slip, and
// whether a path ends.
#include "driver_internal.h"
#include "paths/wrap.h"

#include <string.h>

// Of all energy: a step of ropes over bodies that gains more is examined.
static const double doubtful_gain = 1e-4;

// The same for a step that does not settle and loses more, and for one of several trials that gains
// more.
static const double doubtful_change = 1e-2;

// Returns what the springs of the method store [J].
static double stored_in_springs(const rl_driver *driver) {
  return driver->type->stored_energy ? driver->type->stored_energy(driver->memory, driver->model,
                                                                   driver->state, driver->rows)
                                     : 0.0;
}

// Returns the energy that a step from a state has gained beside the work done on it [J].
static double gained_since(const rl_driver *driver, const rl_state *start) {
  const double before = rl_energy_total(rl_state_energy(driver->model, start)) + driver->stored;
  const double work =
      driver->type->keeps_ledger
          ? 0.0
          : rl_ledger_work(driver->ledger, driver->model, driver->state, driver->rows, driver->dt);
  return rl_energy_total(rl_driver_energy(driver)) - before - driver->info.work - work;
}

static double gained(const rl_driver *driver) { return gained_since(driver, driver->before); }

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

// (7h) Whether a step from a state leaves a strand that slips too long, or without a pull that it
// needs.
static bool leaves_too_long(const rl_driver *driver, rl_state *start) {
  return rl_wraps_stick_jammed_ahead(driver->model, driver->state, start, driver->rows, true,
                                     false);
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
static double first_gain(const rl_driver *driver) {
  if (!driver->calmest) {
    return INFINITY;
  }
  const double gain = gained_since(driver, driver->calmest), scale = driver->energy_scale;
  const bool counts = gain >= -doubtful_change * scale && !leaves_too_long(driver, driver->calmest);
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
  rl_driver_drive(driver, driver->state->time, t1);
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
  rl_driver_try(driver, t1);
  return false;
}

// After a rope has slipped off at the start of the step: removes from the velocities there the
// rates at which its strands got longer, (22) of papers/changes.md, with the wraps that it had
// until then, which the state of the trial still has. They lag half a step, or are those given at
// the start.
static void let_go(rl_driver *driver) {
  put_back(driver);
  rl_wraps_evaluate_rows(driver->model, driver->state, driver->rows);
  rl_wraps_remove_outward_velocity(driver->before, driver->rows, driver->dt, NULL);
}

// (7e) of papers/grips.md: lets a slack rope that is caught in this step run to where it is then.
// Until then a piece can be longer than its rest length, which in substeps is drawn in by nothing.
static void run_to_catch(rl_driver *driver, double t1) {
  memset(driver->rows->catches, 0, driver->model->rope_count * sizeof *driver->rows->catches);
  if (!rl_driver_has_springs(driver) && rl_wraps_hang_slack(driver->model, driver->state)) {
    rl_state_copy(driver->before, driver->state);
    rl_driver_drive(driver, driver->state->time, t1);
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

// What is known of the trials of a step. Those by which all wraps change at a time go on, when they
// repeat themselves, with one wrap at a time.
typedef struct trials {
  bool one_by_one;
  int rounds;       // how often those of one wrap at a time have repeated themselves
  uint32_t since;   // trials of this kind
  uint64_t kept;    // hash of the wraps and grips of one of them
  uint64_t slipped; // ropes that have slipped off
  double least;     // what that which began with `driver->calmest` has gained [J]
} trials;

// Notes the wraps and grips with which the next trial begins. The same ones again would lead to
// the same ones again (Brent's way to find that).
static void note_start(rl_driver *driver, trials *t) {
  const uint64_t now = rl_wraps_hash(driver->model, driver->before);
  const bool again = now == t->kept;
  t->rounds += again && t->one_by_one;
  t->since = again && !t->one_by_one ? 0 : t->since + 1;
  t->one_by_one = t->one_by_one || again;
  t->kept = (t->since & (t->since - 1)) == 0 ? now : t->kept;
  t->least = driver->trials == 1 ? first_gain(driver) : t->least;
  driver->trials++;
  if (driver->before->slipped_off != t->slipped) {
    t->slipped = driver->before->slipped_off;
    t->least = INFINITY;
    if (driver->type->lags || driver->before->step == 0) {
      let_go(driver);
    }
  }
}

// Makes a step from the start that is in `before`.
static void start_again(rl_driver *driver, double t1) {
  rl_driver_set_state(driver, driver->before);
  rl_driver_try(driver, t1);
}

// Repeats the step until its grips and paths agree with it, or the trials repeat themselves.
static void find_grips(rl_driver *driver, double t1) {
  const rl_model *model = driver->model;
  const uint32_t most = 2 * model->split_capacity + model->path_capacity;
  rl_wraps_solve_paths(model, driver->state);
  run_to_catch(driver, t1);
  rl_state_copy(driver->before, driver->state);
  driver->stored = stored_in_springs(driver);
  trials t = {.slipped = driver->before->slipped_off, .least = INFINITY};
  driver->trials = 1;
  rl_driver_try(driver, t1);
  if (driver->calmest) {
    rl_state_copy(driver->calmest, driver->before);
  }
  t.kept = driver->rows->wraps; // of `before`
  for (uint32_t trial = 1;
       trial <= most && !ends_rounds(driver, t.rounds) && driver->info.reason > 0 &&
       (loses_path_ahead(driver, t1) || jams_ahead(driver, true) || judge(driver, t.one_by_one));
       trial++) {
    note_start(driver, &t);
    start_again(driver, t1);
    keep_calmest(driver, &t.least);
  }
  const double share = t.rounds > 0 ? doubtful_gain : doubtful_change;
  if (t.least < INFINITY && gained(driver) > fmax(t.least, share * driver->energy_scale)) {
    rl_state_copy(driver->before, driver->calmest);
    start_again(driver, t1);
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
  driver->rows->gives_way = true;
  start_again(driver, t1);
  driver->rows->gives_way = false;
  if (!(gained_or_given(driver) < gain)) {
    rl_state_copy(driver->before, driver->calmest);
    start_again(driver, t1);
  }
}

void rl_driver_solve_grips(rl_driver *driver, double t1) {
  find_grips(driver, t1);
  give_way(driver, t1);
}
