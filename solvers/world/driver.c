// SPDX-License-Identifier: GPL-3.0-or-later
#include "bodies/bounce.h"
#include "driver_internal.h"
#include "events.h"
#include "memory.h"
#include "paths/wrap.h"
#include "ropes/eyes.h"

#include <string.h>

// (11) of papers/world.md: factor of the energy at the start. Where velocities are half a step
// beside positions, the energy swings by multiples of it: semi-implicit Euler at its limit, h omega
// = 2, by 12.
static const double swing = 12.0;

uint32_t rl_driver_missing(const rl_model *model, const rl_solver_type *type) {
  return model->capabilities & ~type->capabilities;
}

// (26) of papers/world.md: returns the energy that gravity can give [J].
static double largest_fall(const rl_model *model) {
  return rl_length(model->gravity) * model->fall;
}

// Places the arrays of a solver, or counts their bytes.
static void lay_out(const rl_solver_type *type, void *memory, const rl_model *model,
                    rl_carver *carver) {
  if (type->lay_out) {
    type->lay_out(memory, model, carver);
  }
}

// Returns the size of the block of a solver, its struct and its arrays [bytes]; 0: out of memory.
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

// Returns the most changes of a step: each element can part before and after it, each event can let
// something go, or as a winch run out of rope, and an end can be drawn in.
static size_t change_capacity(const rl_model *model) {
  return (model->topology_changes ? 2 * (size_t)model->link_count : 0) + model->event_count +
         (model->eye_count > 0 ? 1 : 0);
}

// Whether a row can have a jerk in the first step whose loss the ledger books.
static bool books_starts(const rl_model *model, const rl_solver_type *type) {
  bool is_driven = model->is_reeled;
  for (uint32_t i = 0; i < model->body_count; i++) {
    is_driven = is_driven || model->bodies[i].motion == RL_DRIVEN;
  }
  return is_driven && !type->keeps_ledger && !type->stored_energy;
}

// Whether steps that are too long for a contact are made in parts; not for published methods that
// have steps of their own.
static bool makes_parts(const rl_model *model, const rl_solver_type *type) {
  return model->wrap_capacity > 0 && !type->keeps_wraps && !type->keeps_faults;
}

// Whether wraps that stick can slip in a catch, (23b) of papers/changes.md.
static bool slips_in_catches(const rl_model *model, const rl_solver_type *type) {
  return model->split_capacity > 0 && !type->keeps_wraps && type->excess != RL_EXCESS_STAYS;
}

// A copy of the state that only some runs keep.
typedef struct copy {
  bool is_kept;
  rl_state **place;
} copy;

enum { COPIES = 10 };

static void list_copies(rl_driver *d, const rl_model *model, const rl_solver_type *type,
                        copy copies[COPIES]) {
  const copy all[COPIES] = {
      {model->wrap_capacity > 0, &d->before},
      {makes_parts(model, type), &d->whole},
      {makes_parts(model, type), &d->part},
      {model->is_limited, &d->reeled},
      {model->rings_rub, &d->gripped},
      {model->is_swiped, &d->swept},
      {type->is_adaptive || (makes_parts(model, type) && model->event_count > 0), &d->undone},
      {books_starts(model, type), &d->first},
      {slips_in_catches(model, type), &d->caught},
      {slips_in_catches(model, type), &d->calmest}};
  memcpy(copies, all, sizeof all);
}

// Returns false when out of memory.
static bool create_copies(rl_driver *driver) {
  copy copies[COPIES];
  list_copies(driver, driver->model, driver->type, copies);
  bool created = true;
  for (int i = 0; i < COPIES; i++) {
    *copies[i].place = copies[i].is_kept ? rl_state_create(driver->model) : NULL;
    created = created && (!copies[i].is_kept || *copies[i].place);
  }
  return created;
}

size_t rl_driver_bytes(const rl_model *model, const rl_solver_type *type) {
  rl_driver none;
  copy copies[COPIES];
  list_copies(&none, model, type, copies);
  size_t states = 1;
  for (int i = 0; i < COPIES; i++) {
    states += copies[i].is_kept ? 1 : 0;
  }
  return memory_size(type, model) + states * rl_state_bytes(model) + rl_rows_bytes(model) +
         (makes_parts(model, type) ? 3 : 1) * rl_ledger_bytes(model) +
         change_capacity(model) * sizeof(rl_change) + 2 * (size_t)model->event_count;
}

static bool takes_all(const rl_solver_type *type, const double *parameters) {
  bool takes = true;
  for (size_t i = 0; parameters && i < type->parameter_count && takes; i++) {
    takes = rl_parameter_takes(&type->parameters[i], parameters[i]);
  }
  return takes;
}

rl_driver *rl_driver_create(const rl_model *model, const rl_solver_type *type,
                            const double *parameters, double dt) {
  const bool fits = model && type && model->rope_count > 0 && dt > 0.0 && isfinite(dt) &&
                    rl_driver_missing(model, type) == 0 && takes_all(type, parameters);
  rl_driver *driver = fits ? calloc(1, sizeof *driver) : NULL;
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
    driver->rows->keeps_joints = type->tells_strands;
  }
  driver->ledger = rl_ledger_create(model);
  driver->whole_ledger = makes_parts(model, type) ? rl_ledger_create(model) : NULL;
  driver->part_ledger = makes_parts(model, type) ? rl_ledger_create(model) : NULL;
  const bool has_copies = create_copies(driver);
  driver->change_capacity = change_capacity(model);
  driver->changes = calloc(driver->change_capacity + 1, sizeof *driver->changes);
  driver->is_empty = calloc((size_t)model->event_count + 1, sizeof *driver->is_empty);
  driver->has_acted = calloc((size_t)model->event_count + 1, sizeof *driver->has_acted);
  const bool acquired = driver->memory && (!type->acquire || type->acquire(driver->memory, model));
  if (!acquired || !driver->changes || !driver->is_empty || !driver->has_acted || !driver->state ||
      !has_copies || !driver->rows || !driver->ledger ||
      (makes_parts(model, type) && (!driver->whole_ledger || !driver->part_ledger))) {
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
    rl_ledger_free(driver->whole_ledger);
    rl_ledger_free(driver->part_ledger);
    rl_rows_free(driver->rows);
    rl_state_free(driver->state);
    copy copies[COPIES];
    list_copies(driver, driver->model, driver->type, copies);
    for (int i = 0; i < COPIES; i++) {
      rl_state_free(*copies[i].place);
    }
    free(driver->changes);
    free(driver->is_empty);
    free(driver->has_acted);
    free(driver->allocation);
    free(driver);
  }
}

void rl_driver_set_state(rl_driver *driver, const rl_state *state) {
  rl_state_copy(driver->state, state);
  driver->is_stopped = false;
  if (driver->type->sync) {
    driver->type->sync(driver->memory, driver->model, driver->state);
  }
}

// Tells rows and ledger between two steps.
static void detect_between(rl_driver *driver) {
  rl_detect(driver->model, driver->state, driver->dt, driver->rows);
  rl_ledger_follow(driver->ledger, driver->model, driver->state, driver->rows);
}

void rl_driver_tell(rl_driver *driver) {
  detect_between(driver);
  if (driver->type->sync) {
    driver->type->sync(driver->memory, driver->model, driver->state);
  }
}

// (3) of papers/parting.md: tells rows and solver that something was parted or let go, and books
// the change of energy: that of springs that are gone is dissipated, that of what was held is work.
static void tell_and_book(rl_driver *driver, double before) {
  rl_driver_tell(driver);
  const double gain = rl_energy_total(rl_driver_energy(driver)) - before;
  if (gain > 0.0) {
    driver->state->work += gain;
  } else {
    driver->state->dissipated -= gain;
  }
}

// Applies the events of this time, or tears what the last step has overloaded.
static void apply_change(rl_driver *driver, bool (*act)(rl_driver *)) {
  const double before =
      driver->model->topology_changes ? rl_energy_total(rl_driver_energy(driver)) : 0.0;
  if (act(driver)) {
    tell_and_book(driver, before);
  }
}

// (9) of papers/parting.md: books the energy of the rope that comes off winches, or goes on them.
static void apply_feed(rl_driver *driver, bool (*act)(rl_driver *)) {
  if (driver->model->is_fed) {
    const double before = rl_energy_total(rl_driver_energy(driver));
    if (act(driver)) {
      rl_driver_tell(driver);
    }
    driver->state->work += rl_energy_total(rl_driver_energy(driver)) - before;
  }
}

static double error_of(const rl_driver *driver, rl_energy now) {
  return rl_energy_total(now) - rl_energy_total(driver->start) - driver->state->work +
         driver->state->dissipated;
}

// (11) of papers/world.md: R, the energy of places that move by the rounding of the scene in a step
// [J].
static double energy_of_rounding(const rl_driver *driver) {
  static const double rounding = 1e-12;
  const double speed = rounding * driver->model->reach / driver->dt;
  double sum = 0.0;
  for (uint32_t i = 0; i < driver->model->place_count; i++) {
    sum += driver->state->masses[i] * speed * speed;
  }
  return sum;
}

// (11) of papers/world.md: returns the reason, or that of a divergence if the state is not finite
// or the method has made more energy than there is. `now`: the energies.
static rl_reason find_blow_up(const rl_driver *driver, rl_energy now, rl_reason reason) {
  const rl_state *state = driver->state;
  const double error = error_of(driver, now);
  const double limit = driver->gain_limit + driver->most_fall + driver->most_work;
  const bool is_finite = rl_state_finite(driver->model, state) && isfinite(error);
  const bool gains = limit > 0.0 && error > limit && error > energy_of_rounding(driver) &&
                     !driver->type->keeps_faults;
  return !is_finite ? RL_DIVERGED_NAN : gains ? RL_DIVERGED_ENERGY : reason;
}

// (13) of papers/eyes.md: stops the run before an end is drawn into its eye.
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

static void catch_growths(rl_driver *driver) {
  rl_wraps_take_back_growths(driver->model, driver->state, driver->rows, driver->type->excess);
  rl_wraps_apply_catch(driver->model, driver->before, driver->state, driver->rows, driver->dt,
                       rl_ledger_begun_catches(driver->ledger));
}

// (21) and (23) of papers/changes.md: takes back the excess length of ropes whose contacts have
// changed, and the rate at which they get longer; again, where wraps have to slip in that, (23b).
static void take_back_excess(rl_driver *driver) {
  const rl_model *model = driver->model;
  rl_state *state = driver->state, *caught = driver->caught;
  if (driver->type->excess == RL_EXCESS_STAYS || !(rl_wraps_largest_growth(model, state) > 0.0)) {
    return;
  }
  if (caught) {
    rl_state_copy(caught, state);
  }
  detect_between(driver);
  catch_growths(driver);
  const uint32_t most = 2 * model->split_capacity; // of trials; then what has turned round sticks
  for (uint32_t trial = 0;
       caught && trial <= most &&
       rl_wraps_judge_catch(model, state, driver->rows, caught, driver->dt, trial == most);
       trial++) {
    rl_state_copy(state, caught);
    rl_detect(model, state, driver->dt, driver->rows);
    catch_growths(driver);
  }
  rl_driver_tell(driver);
}

// Does what comes before a step. Returns false if there is no step any more.
static bool begin_step(rl_driver *driver) {
  driver->change_count = 0;
  if (driver->info.watch && driver->undone) {
    rl_state_copy(driver->undone, driver->state);
  }
  if (driver->model->event_count > 0 && !driver->is_stopped) {
    apply_change(driver, rl_events_act);
    apply_feed(driver, rl_events_begin_feeds);
  }
  stop_at_eyes(driver);
  return !driver->is_stopped;
}

// Ends the contacts of a step: wraps come and go, excess length is taken back, and nodes pass their
// eyes.
static void end_contacts(rl_driver *driver) {
  const rl_model *model = driver->model;
  rl_state *state = driver->state;
  bool has_other_rows = false;
  if (rl_driver_leads_wraps(driver)) {
    driver->info.dissipated += rl_wraps_end(model, driver->before, state, driver->dt, true,
                                            !driver->type->seeks_positions);
    if (driver->type->lags && rl_wraps_have_shortened(model, state)) {
      // The rows are as the ledger has left them.
      rl_wraps_remove_outward_velocity(state, driver->rows, driver->dt,
                                       rl_ledger_begun_catches(driver->ledger));
    }
    take_back_excess(driver);
    if (driver->whole) {
      rl_wraps_note_turns(model, driver->before, state, driver->dt);
    }
    // What springs in the place of rows store is that of the rows there are now.
    has_other_rows =
        driver->type->stored_energy && rl_wraps_hash(model, state) != driver->rows->wraps;
  }
  const bool passes =
      !driver->type->keeps_wraps && rl_eyes_pass(model, state, driver->rows, driver->dt);
  if (passes || has_other_rows) {
    rl_driver_tell(driver);
  }
}

// Tears what the step has overloaded, unless the step has failed.
static rl_reason end_step(rl_driver *driver) {
  const rl_energy now = rl_driver_energy(driver);
  const double fall = driver->start.gravity - now.gravity;
  driver->most_fall = fmax(driver->most_fall, fall - largest_fall(driver->model));
  driver->most_work = fmax(driver->most_work, fabs(driver->state->work));
  rl_reason reason = find_blow_up(driver, now, driver->info.reason);
  if (driver->rows->overflows && reason > 0) {
    reason = RL_DIVERGED_CONTACTS;
  }
  if (driver->model->strengths && reason > 0) {
    apply_change(driver, rl_events_tear);
    reason = driver->is_stopped ? RL_STOPPED : reason;
  }
  return reason;
}

// (4) of papers/bodies.md: makes the bounces of a step and books them, for methods that do not
// bounce in their substeps or by themselves.
static void bounce(rl_driver *driver) {
  if (!driver->type->detects_again && !driver->type->keeps_ledger) {
    const rl_bounce_law law = {.which = RL_REBOUND_BOUNCING, .h = driver->dt, .unit = driver->dt};
    const rl_bounce done = rl_bounce_end(&law, driver->model, driver->state, driver->rows);
    driver->state->dissipated += done.lost + done.rubbed;
    driver->state->work += done.work + done.rubbed_work;
  }
}

// (24a) of papers/changes.md: returns what has been gained since the energy error was another one,
// 0 if that is too small a share of all energy, or if there is none at the start [J].
static double gains_since(const rl_driver *driver, double before) {
  static const double doubtful = 0.01, doubtful_of_springs = 0.5; // (13a) of papers/penalty.md
  const double share = rl_driver_has_springs(driver) ? doubtful_of_springs : doubtful;
  const double gain = rl_driver_energy_error(driver) - before, all = driver->energy_scale;
  return gain <= share * all || !(all > 0.0) ? 0.0 : gain;
}

// Makes a step to time t1 [s].
static void advance(rl_driver *driver, double t1) {
  rl_state *state = driver->state;
  const rl_step_info *info = &driver->info;
  state->work -= rl_events_potential(driver);
  rl_driver_solve(driver, t1);
  if (info->reason == RL_RUNNING) {
    return;
  }
  state->work += rl_events_potential(driver);
  if (!driver->type->keeps_ledger) {
    rl_ledger_end(driver->ledger, driver->model, state, driver->rows, driver->dt,
                  driver->type->stored_energy == NULL, info->rubbed);
  }
  bounce(driver);
  end_contacts(driver);
  state->dissipated += info->dissipated;
  state->work += info->work;
  state->time = t1;
}

// Goes back to a copy of the state and its ledger.
static void return_to(rl_driver *driver, const rl_state *state, const rl_ledger *ledger) {
  rl_driver_set_state(driver, state);
  rl_ledger_copy(driver->ledger, ledger, driver->model);
}

// Goes back to the start of the step.
static void begin_again(rl_driver *driver, size_t changes) {
  return_to(driver, driver->whole, driver->whole_ledger);
  driver->change_count = changes;
}

// Whether the step is to be abandoned, of which a share is done (rl_watch).
static bool is_abandoned(const rl_driver *driver, double share) {
  const rl_watch *watch = driver->info.watch;
  return watch && watch->ends(watch->self, share);
}

// The parts in which a step is made.
typedef struct parts {
  double step;       // length of the step [s]
  double begin, end; // times of the present one [s]
  double length;     // of short ones [s]
  int short_count;   // those to come, with the present one
  int divisions;     // how often one was divided
  bool halves;       // what gains energy is divided
  double error;      // energy error at the start of the present one, if so [J]
} parts;

// Divides the part that was just made if it is too long. (24) of papers/changes.md: a rope has met
// a body and left it within the part, which ends at a quarter of the time of touch then; three of
// that length come next, and the rest. A touch as short as round-off, as of a rope that grazes a
// body, takes next to nothing from what moves, and is left alone. (24a): it has gained energy, and
// becomes two halves.
static bool divide(parts *p, const rl_driver *driver) {
  static const int quarters = 4, most_divisions = 64;
  static const double shortest_touch = 1e-6, longest_part = 0.1; // as shares of the step
  const rl_passage passage = driver->state->passage;
  const double touch = driver->dt * (passage.until - passage.from);
  if (driver->info.reason <= 0 || p->divisions == most_divisions) {
    return false;
  }
  if (touch > shortest_touch * p->step) {
    p->length = touch / quarters;
    p->end = p->begin + driver->dt * passage.from + p->length;
    p->short_count = quarters;
  } else if (p->halves && driver->dt > longest_part * p->step &&
             gains_since(driver, p->error) > 0.0) {
    p->length = 0.5 * driver->dt;
    p->end = p->begin + p->length;
    p->short_count = 2;
  } else {
    return false;
  }
  p->divisions++;
  return true;
}

// Goes on to the next part, in a step that ends at t1 [s].
static void go_on(parts *p, double t1) {
  p->begin = p->end;
  const bool is_short = --p->short_count > 0 && p->begin + 1.5 * p->length < t1;
  p->end = is_short ? p->begin + p->length : t1;
}

// Makes a step to time t1 [s], in parts if it is too long for a contact, or with `halves` gains
// energy. The state at the start is kept as `whole`.
static void advance_in_parts(rl_driver *driver, double t1, bool halves) {
  rl_state *state = driver->state, *start = driver->whole;
  rl_ledger *start_ledger = driver->whole_ledger;
  rl_step_info *info = &driver->info;
  parts p = {.step = driver->dt, .begin = state->time, .end = t1, .halves = halves};
  uint64_t iterations = 0;
  while (p.begin < t1) {
    if (p.divisions > 0 && is_abandoned(driver, 1.0 - (t1 - p.begin) / p.step)) {
      info->reason = RL_RUNNING;
      break;
    }
    p.error = halves ? rl_driver_energy_error(driver) : 0.0;
    rl_state_copy(start, state);
    rl_ledger_copy(start_ledger, driver->ledger, driver->model);
    driver->dt = p.divisions == 0 ? p.step : p.end - p.begin;
    advance(driver, p.end);
    if (divide(&p, driver)) {
      return_to(driver, start, start_ledger);
      continue;
    }
    iterations += info->iterations;
    if (info->reason <= 0) {
      state->time = t1;
      break;
    }
    if (p.end < t1 && driver->model->strengths) {
      apply_change(driver, rl_events_tear);
    }
    if (p.divisions > 0 && driver->type->sync) { // the next is longer or shorter
      driver->type->sync(driver->memory, driver->model, state);
    }
    go_on(&p, t1);
    start = driver->part;
    start_ledger = driver->part_ledger;
  }
  info->iterations = iterations;
  driver->dt = p.step;
}

// (24a) of papers/changes.md: makes a step to time t1 [s], and again in halves if it gains energy;
// these are kept if they gain less.
static void advance_with_care(rl_driver *driver, double t1) {
  const double before = rl_driver_energy_error(driver);
  const size_t changes = driver->change_count;
  driver->is_halved = false;
  advance_in_parts(driver, t1, false);
  const double gain = driver->info.reason > 0 ? gains_since(driver, before) : 0.0;
  if (!(gain > 0.0)) {
    return;
  }
  begin_again(driver, changes);
  advance_in_parts(driver, t1, true);
  const rl_reason reason = driver->info.reason;
  driver->is_halved = reason > 0 && gains_since(driver, before) < gain;
  if (!driver->is_halved && reason != RL_RUNNING) {
    begin_again(driver, changes);
    advance_in_parts(driver, t1, false);
  }
}

rl_reason rl_driver_step(rl_driver *driver) {
  rl_state *state = driver->state;
  rl_step_info *info = &driver->info;
  const double t1 = (double)(state->step + 1) * driver->dt;
  info->row_evaluations = 0;
  if (!begin_step(driver)) {
    return info->reason = RL_STOPPED;
  }
  const bool strikes = driver->swept && rl_events_is_swiping(driver);
  if (strikes) {
    rl_state_copy(driver->swept, state);
  }
  if (state->step == 0 && driver->first) {
    rl_driver_weigh_start(driver, t1);
  }
  if (driver->whole) {
    advance_with_care(driver, t1);
  } else {
    advance(driver, t1);
  }
  if (info->reason == RL_RUNNING) { // without events its parts have begun where it did
    rl_driver_set_state(driver, driver->undone ? driver->undone : driver->whole);
    driver->change_count = 0;
    return info->reason;
  }
  state->step++;
  if (strikes) {
    apply_change(driver, rl_events_cut_swiped);
  }
  apply_feed(driver, rl_events_end_feeds);
  return info->reason = end_step(driver);
}

bool rl_driver_is_unsettled(const rl_driver *driver) {
  const int tolerance = rl_parameter_find(driver->type, "tolerance");
  return tolerance >= 0 && driver->parameters[tolerance] > 0.0 &&
         driver->info.reason == RL_CONVERGED_ITERATIONS;
}

// (8) of papers/world.md
rl_energy rl_driver_energy(const rl_driver *driver) {
  rl_energy energy = rl_state_energy(driver->model, driver->state);
  if (driver->type->stored_energy) {
    energy.elastic +=
        driver->type->stored_energy(driver->memory, driver->model, driver->state, driver->rows);
  }
  return energy;
}

double rl_driver_energy_error(const rl_driver *driver) {
  return error_of(driver, rl_driver_energy(driver));
}
