// SPDX-License-Identifier: GPL-3.0-or-later
#include "events.h"

#include "paths/bend.h"
#include "ropes/cut.h"
#include "ropes/feed.h"

// Relative difference of loads up to which they count as equal, and tear together.
static const double tie = 1e-9;

// ---------------------------------------------------------------------------------------------
// What came apart

static void note(rl_driver *driver, rl_change_kind kind, uint32_t rope, uint32_t element,
                 uint32_t body) {
  const rl_state *state = driver->state;
  const double tension = rope == RL_NONE || kind == RL_CHANGE_RELEASED
                             ? NAN
                             : rl_rope_tension(driver->model, state, rope, element);
  if (driver->change_count < driver->change_capacity) {
    driver->changes[driver->change_count++] =
        (rl_change){kind, state->time, rope, element, body, tension, NAN};
  }
}

// Notes a winch that has to stop, with so much rope left [m], where it did not stop before.
static void stop_winch(rl_driver *driver, uint32_t event, bool stops, double length) {
  const rl_event *e = &driver->model->events[event];
  if (stops && !driver->is_empty[event] && driver->change_count < driver->change_capacity) {
    driver->changes[driver->change_count++] =
        (rl_change){RL_CHANGE_EMPTY, driver->state->time,
                    e->rope,         e->is_inside ? RL_NONE : e->end,
                    RL_NONE,         NAN,
                    length};
  }
  driver->is_empty[event] = stops;
}

// Reports that a rope has no spare node left to part or to grow.
static void miss_spare(rl_driver *driver, rl_change_kind kind, uint32_t rope, uint32_t element) {
  driver->state->unparted++;
  driver->is_stopped = driver->is_stopped || driver->model->ropes[rope].stops_run;
  note(driver, kind, rope, element, RL_NONE);
}

// Reports the outcome of a parting; returns true if something came apart.
static bool conclude(rl_driver *driver, rl_parting parting, uint32_t rope, uint32_t element) {
  if (parting == RL_NO_SPARES) {
    miss_spare(driver, RL_CHANGE_UNMET, rope, element);
  }
  return parting == RL_PARTED;
}

static bool part(rl_driver *driver, rl_change_kind kind, uint32_t rope, uint32_t element) {
  const size_t notes = driver->change_count;
  note(driver, kind, rope, element, RL_NONE); // with the tension that a massless rope has no more
  const rl_parting parting = rl_element_part(driver->model, driver->state, rope, element);
  driver->change_count = parting == RL_PARTED ? driver->change_count : notes;
  return conclude(driver, parting, rope, element);
}

// ---------------------------------------------------------------------------------------------
// Cuts

// (2) Cuts each element of a rope that a plane or swipe crosses; at the node between two elements
// the second one.
static bool cut_rope(rl_driver *driver, const rl_cut *cut, uint32_t rope) {
  const rl_model *model = driver->model;
  const rl_state *state = driver->state;
  bool parted = false, last = false;
  rl_cut_prepare(model, state, cut, rope);
  for (uint32_t i = rl_rope_elements(model, state, rope); i-- > 0;) {
    const double at = rl_cut_element(model, state, cut, rope, i);
    const bool is_next = last && at >= 1.0 - tie;
    last = !isnan(at);
    parted = (last && !is_next && part(driver, RL_CHANGE_CUT, rope, i)) || parted;
  }
  return parted;
}

static bool cut_ropes(rl_driver *driver, const rl_cut *cut) {
  bool parted = false;
  for (uint32_t r = 0; r < driver->model->rope_count; r++) {
    parted = cut_rope(driver, cut, r) || parted;
  }
  return parted;
}

// ---------------------------------------------------------------------------------------------
// Events

// Returns the step before which an event at time t acts.
static double step_of(const rl_driver *driver, double t) { return round(t / driver->dt); }

bool rl_events_is_on(const rl_driver *driver, const rl_event *event, double step) {
  return step >= step_of(driver, event->from) && step < step_of(driver, event->until);
}

static bool release_end(rl_driver *driver, const rl_event *e) {
  const rl_parting parting = rl_end_release(driver->model, driver->state, e->rope, e->end);
  if (parting == RL_PARTED) {
    note(driver, RL_CHANGE_RELEASED, e->rope, e->end, RL_NONE);
  }
  return conclude(driver, parting, e->rope, 0);
}

static bool release_body(rl_driver *driver, const rl_event *e) {
  const bool done = rl_body_release(driver->model, driver->state, e->body) == RL_PARTED;
  if (done) {
    note(driver, RL_CHANGE_RELEASED, RL_NONE, 0, e->body);
  }
  return done;
}

// Returns the number of steps of a swipe; 0: it happens at one moment.
static double steps_of_swipe(const rl_driver *driver, const rl_event *e) {
  return e->kind == RL_EVENT_CUT_SWIPE
             ? step_of(driver, e->from + e->duration) - step_of(driver, e->from)
             : 0.0;
}

// Returns the place of the point of a swipe after `done` of its steps [m].
static rl_vec3 swipe_point(const rl_event *e, double done, double steps) {
  return rl_add_scaled(e->point, done / steps, rl_sub(e->to, e->point));
}

// (2) Finds the part of a swipe that falls into a step. Returns false if none does.
static bool find_stroke(const rl_driver *driver, const rl_event *e, double step, rl_cut *out) {
  const double steps = steps_of_swipe(driver, e), done = step - step_of(driver, e->from);
  *out = (rl_cut){e, swipe_point(e, done, steps), swipe_point(e, done + 1.0, steps), driver->swept,
                  done > 0.0};
  return done >= 0.0 && done < steps;
}

bool rl_events_is_swiping(const rl_driver *driver) {
  rl_cut stroke;
  bool strikes = false;
  for (uint32_t i = 0; i < driver->model->event_count; i++) {
    const rl_event *e = &driver->model->events[i];
    strikes = find_stroke(driver, e, (double)driver->state->step, &stroke) || strikes;
  }
  return strikes;
}

bool rl_events_cut_swiped(rl_driver *driver) {
  const double step = (double)driver->state->step - 1.0;
  rl_cut stroke;
  bool parted = false;
  for (uint32_t i = 0; i < driver->model->event_count; i++) {
    const size_t changes = driver->change_count;
    if (find_stroke(driver, &driver->model->events[i], step, &stroke)) {
      parted = cut_ropes(driver, &stroke) || parted;
    }
    driver->has_acted[i] = driver->has_acted[i] || driver->change_count > changes;
  }
  return parted;
}

static bool act(rl_driver *driver, const rl_event *e) {
  const rl_cut at_once = {.event = e, .from = e->point, .to = e->to};
  switch (e->kind) {
  case RL_EVENT_CUT:
    return e->element < rl_rope_elements(driver->model, driver->state, e->rope) &&
           part(driver, RL_CHANGE_CUT, e->rope, e->element);
  case RL_EVENT_CUT_PLANE:
  case RL_EVENT_CUT_SWIPE:
    return cut_ropes(driver, &at_once);
  case RL_EVENT_RELEASE_END:
    return release_end(driver, e);
  case RL_EVENT_RELEASE_BODY:
    return release_body(driver, e);
  default:
    return false;
  }
}

// Sets the forces and the wind of the step that begins.
static void push(rl_driver *driver, double step) {
  const rl_model *model = driver->model;
  rl_state *state = driver->state;
  const rl_vec3 none = {0.0, 0.0, 0.0};
  state->wind = none;
  for (uint32_t i = 0; i < model->place_count; i++) {
    state->pushes[i] = none;
  }
  for (uint32_t i = 0; i < model->event_count; i++) {
    const rl_event *e = &model->events[i];
    if (e->kind < RL_EVENT_FORCE || !rl_events_is_on(driver, e, step)) {
      continue;
    }
    rl_vec3 *sum =
        e->kind == RL_EVENT_WIND ? &state->wind : &state->pushes[rl_body_slot(model, e->body)];
    *sum = rl_add(*sum, e->value);
  }
}

// Sets the rates of the winches on massless ropes in the step that begins. None takes in more rope
// than there is.
static void reel(rl_driver *driver, double step) {
  const rl_model *model = driver->model;
  rl_state *state = driver->state;
  for (uint32_t i = 0; i < model->rope_count; i++) {
    state->reels[i][0] = state->reels[i][1] = 0.0;
  }
  for (uint32_t i = 0; i < model->event_count; i++) {
    const rl_event *e = &model->events[i];
    if (e->kind != RL_EVENT_WINCH || !model->ropes[e->rope].massless ||
        !rl_events_is_on(driver, e, step) || rl_rope_elements(model, state, e->rope) == 0) {
      continue;
    }
    const double rest = state->links[model->ropes[e->rope].first_link].rest;
    double *rates = state->reels[e->rope];
    const bool stops =
        e->rate < 0.0 && !(rest + driver->dt * (rates[0] + rates[1] + e->rate) > 0.0);
    stop_winch(driver, i, stops, rest);
    rates[e->end] += stops ? 0.0 : e->rate;
  }
}

// Returns the element at the rest length `at_length` from an end of a rope, or the last one.
static uint32_t find_element(const rl_model *model, const rl_state *state, const rl_event *e) {
  const rl_link *links = &state->links[model->ropes[e->rope].first_link];
  const uint32_t last = rl_rope_elements(model, state, e->rope) - 1;
  double length = 0.0;
  uint32_t i = 0;
  for (; i < last; i++) {
    length += links[e->end == 0 ? i : last - i].rest;
    if (length > e->at_length) {
      break;
    }
  }
  return model->ropes[e->rope].first_link + (e->end == 0 ? i : last - i);
}

// Returns the element on which a winch works; RL_NONE if its end of the rope was let go. Inside a
// rope it stays at the node beside which it began.
static uint32_t find_fed(const rl_model *model, const rl_state *state, const rl_event *e,
                         uint32_t before) {
  const rl_rope *rope = &model->ropes[e->rope];
  if (e->is_inside) {
    return before != RL_NONE ? before : find_element(model, state, e);
  }
  const uint32_t last = rope->first_link + rl_rope_elements(model, state, e->rope) - 1;
  const uint32_t link = e->end == 0 ? rope->first_link : last;
  const uint32_t slot = e->end == 0 ? state->links[link].a : state->links[link].b;
  return slot == rope->ends[e->end] ? link : RL_NONE;
}

// Finds the elements that winches feed in the step that begins, and their rates. Returns true if
// the elements are others than before.
static bool find_feeds(rl_driver *driver, double step) {
  const rl_model *model = driver->model;
  rl_state *state = driver->state;
  bool others = false;
  for (uint32_t i = 0; i < model->event_count; i++) {
    if (state->fed_links[i] != RL_NONE) {
      state->feeds[state->fed_links[i]] = 0.0;
    }
  }
  for (uint32_t i = 0; i < model->event_count; i++) {
    const rl_event *e = &model->events[i];
    const bool is_on = e->kind == RL_EVENT_WINCH && model->ropes[e->rope].is_fed &&
                       rl_events_is_on(driver, e, step);
    const uint32_t link = is_on ? find_fed(model, state, e, state->fed_links[i]) : RL_NONE;
    if (link != state->fed_links[i]) {
      others = true;
      rl_elements_note(state, i, link);
    }
    state->fed_links[i] = link;
    if (link != RL_NONE) {
      state->feeds[link] += e->rate;
    }
  }
  return others;
}

// Removes nodes where elements would become too short; without any node left the winch stops.
static bool take_in(rl_driver *driver, const rl_event *e, uint32_t i) {
  const rl_model *model = driver->model;
  rl_state *state = driver->state;
  const uint32_t first = model->ropes[e->rope].first_link;
  bool taken = false, stops = false;
  for (;;) {
    const uint32_t link = state->fed_links[i], at = link - first;
    const double growth = driver->dt * state->feeds[link];
    if (growth >= 0.0 || !rl_feed_is_short(model, state, e->rope, at, growth)) {
      stop_winch(driver, i, stops, rl_feed_left(model, state, e->rope, at));
      return taken;
    }
    stops = rl_feed_uses_up(model, state, e->rope, at, growth) ||
            (!rl_feed_remove(model, state, e->rope, at, e->end == 1) &&
             !rl_feed_remove(model, state, e->rope, at, e->end == 0));
    taken = taken || !stops;
    if (stops) {
      state->feeds[link] = 0.0;
    }
  }
}

// (6)
bool rl_events_begin_feeds(rl_driver *driver) {
  const rl_state *state = driver->state;
  const bool others = find_feeds(driver, (double)state->step);
  bool taken = false;
  for (uint32_t i = 0; i < driver->model->event_count; i++) {
    if (state->fed_links[i] != RL_NONE) {
      taken = take_in(driver, &driver->model->events[i], i) || taken;
    }
  }
  for (uint32_t i = 0; i < driver->model->event_count && taken; i++) {
    if (state->fed_links[i] != RL_NONE) { // two that were bent are one now, with another rate
      rl_ledger_jolt(driver->ledger, state->fed_links[i]);
    }
  }
  return others || taken;
}

// Inserts nodes where elements have become too long.
static bool pay_out(rl_driver *driver, const rl_event *e, uint32_t i) {
  const rl_model *model = driver->model;
  rl_state *state = driver->state;
  const uint32_t first = model->ropes[e->rope].first_link;
  bool paid = false;
  while (rl_feed_is_long(model, state, e->rope, state->fed_links[i] - first, 0.0)) {
    const uint32_t at = state->fed_links[i] - first;
    const double growth = driver->dt * state->feeds[state->fed_links[i]];
    if (!rl_feed_insert(model, state, e->rope, at, e->end == 1)) {
      if (!rl_feed_is_long(model, state, e->rope, at, -growth)) { // said once
        miss_spare(driver, RL_CHANGE_UNGROWN, e->rope, at);
      }
      return paid;
    }
    paid = true;
  }
  return paid;
}

// (6)
bool rl_events_end_feeds(rl_driver *driver) {
  const rl_model *model = driver->model;
  rl_state *state = driver->state;
  bool paid = false;
  for (uint32_t i = 0; i < model->event_count; i++) {
    const uint32_t link = rl_fed_link(state, i);
    if (link != RL_NONE) {
      const uint32_t rope = model->events[i].rope;
      rl_feed_weigh(model, state, rope, link - model->ropes[rope].first_link,
                    driver->dt * state->feeds[link]);
    }
  }
  for (uint32_t i = 0; i < model->event_count; i++) {
    paid = (state->fed_links[i] != RL_NONE && pay_out(driver, &model->events[i], i)) || paid;
  }
  return paid;
}

bool rl_events_act(rl_driver *driver) {
  const double step = (double)driver->state->step;
  bool parted = false;
  for (uint32_t i = 0; i < driver->model->event_count; i++) {
    const rl_event *e = &driver->model->events[i];
    const size_t changes = driver->change_count;
    if (e->kind < RL_EVENT_WINCH && step == step_of(driver, e->from) &&
        !(steps_of_swipe(driver, e) > 0.0)) {
      parted = act(driver, e) || parted;
    }
    driver->has_acted[i] = driver->has_acted[i] || driver->change_count > changes;
  }
  if (driver->state->pushes) {
    push(driver, step);
  }
  if (driver->state->reels) {
    reel(driver, step);
  }
  return parted;
}

// (4)
double rl_events_potential(const rl_driver *driver) {
  const rl_state *state = driver->state;
  double sum = 0.0;
  for (uint32_t i = 0; i < driver->model->place_count && state->pushes; i++) {
    sum +=
        state->points[i].w > 0.0 ? rl_dot(state->pushes[i], rl_position(&state->points[i])) : 0.0;
  }
  return sum;
}

// ---------------------------------------------------------------------------------------------
// Tears

// A run is a row of elements, first to end - 1, that are tied to each other and hold more than they
// can. Round a loop elements are counted on past the last.
static uint32_t element_at(const rl_driver *driver, uint32_t rope, uint32_t i) {
  return i % rl_rope_elements(driver->model, driver->state, rope);
}

// Returns the tension of an element over its strength.
static double load_of(const rl_driver *driver, uint32_t rope, uint32_t i) {
  const rl_rope *r = &driver->model->ropes[rope];
  const uint32_t link = r->first_link + element_at(driver, rope, i);
  const double tension = r->massless ? rl_largest_tension(driver->model, driver->state, rope)
                                     : driver->state->multipliers[link];
  return tension / driver->model->strengths[link];
}

// (2a) of papers/parting.md: returns the uncertainty of that load.
static double doubt_of(const rl_driver *driver, uint32_t rope, uint32_t i) {
  const uint32_t link = driver->model->ropes[rope].first_link + element_at(driver, rope, i);
  const rl_link *l = &driver->state->links[link];
  const double w = driver->state->points[l->a].w + driver->state->points[l->b].w;
  const int substeps = rl_parameter_find(driver->type, "substeps");
  const double parts = substeps >= 0 ? fmax(driver->parameters[substeps], 1.0) : 1.0;
  const double tension = driver->info.residual * parts / (w * driver->dt * driver->dt);
  return isfinite(tension) ? tension / driver->model->strengths[link] : 0.0;
}

static uint32_t run_end(const rl_driver *driver, uint32_t rope, uint32_t first, uint32_t limit) {
  uint32_t end = first + 1;
  while (end < limit && load_of(driver, rope, first) > 1.0 && load_of(driver, rope, end) > 1.0 &&
         rl_element_next(driver->model, driver->state, rope, element_at(driver, rope, end - 1)) !=
             RL_NONE) {
    end++;
  }
  return end;
}

static uint32_t most_loaded(const rl_driver *driver, uint32_t rope, uint32_t first, uint32_t end) {
  uint32_t most = first;
  for (uint32_t i = first; i < end; i++) {
    most = load_of(driver, rope, i) > load_of(driver, rope, most) ? i : most;
  }
  return most;
}

// Tears the elements of a run whose load is as high as its highest.
static bool tear_run(rl_driver *driver, uint32_t rope, uint32_t first, uint32_t end,
                     double highest) {
  bool torn = false;
  for (uint32_t i = first; i < end; i++) {
    torn = (load_of(driver, rope, i) >= (1.0 - tie) * highest &&
            part(driver, RL_CHANGE_TORN, rope, element_at(driver, rope, i))) ||
           torn;
  }
  return torn;
}

// (2a) Tears the run with the highest load of a rope, and each other run whose highest load cannot
// be told from that.
static bool tear_rope(rl_driver *driver, uint32_t rope) {
  const uint32_t count = rl_rope_elements(driver->model, driver->state, rope);
  const uint32_t top = most_loaded(driver, rope, 0, count);
  if (count == 0 || !(load_of(driver, rope, top) > 1.0)) {
    return false;
  }
  const double least = (1.0 - tie) * load_of(driver, rope, top) - doubt_of(driver, rope, top);
  uint32_t start = 0; // no run goes on past it
  while (driver->model->ropes[rope].closed && start < count && load_of(driver, rope, start) > 1.0) {
    start++;
  }
  bool torn = false;
  for (uint32_t first = start, end; first < start + count; first = end) {
    end = run_end(driver, rope, first, start + count);
    const uint32_t most = most_loaded(driver, rope, first, end);
    const double highest = load_of(driver, rope, most);
    if (highest > 1.0 && highest + doubt_of(driver, rope, most) >= least) {
      torn = tear_run(driver, rope, first, end, highest) || torn;
    }
  }
  return torn;
}

bool rl_events_tear(rl_driver *driver) {
  bool torn = false;
  for (uint32_t r = 0; r < driver->model->rope_count; r++) {
    torn = (driver->model->ropes[r].tears && tear_rope(driver, r)) || torn;
  }
  return torn;
}
