// SPDX-License-Identifier: GPL-3.0-or-later
#include "event_notes.h"

#include "world/ropes/feed.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

// Times that differ by more than this are worth a note [s].
static const double note_above = 1e-9;

// Prints a note with its position in the file, or without one with its subject `what`.
static void note_at(const rl_scenario *scenario, const rl_tree *at, const char *what,
                    const char *format, va_list arguments) {
  if (at && at->line > 0) {
    fprintf(stderr, "%s:%zu:%zu: note: ", scenario->file, at->line, at->column);
  } else {
    fprintf(stderr, "ropelab: note: %s, %s: ", scenario->name, what);
  }
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
}

static void note(const rl_scenario *scenario, size_t index, const char *format, ...) {
  const rl_tree *events = rl_tree_value(scenario->tree, "events");
  char what[32];
  snprintf(what, sizeof what, "event %zu", index);
  va_list arguments;
  va_start(arguments, format);
  note_at(scenario, events && index < events->count ? events->items[index] : NULL, what, format,
          arguments);
  va_end(arguments);
}

static void note_rope(const rl_scenario *scenario, const rl_rope *rope, const char *key,
                      const char *format, ...) {
  const rl_tree *ropes = rl_tree_value(scenario->tree, "ropes");
  const rl_tree *own = ropes ? rl_tree_value(ropes, rope->name) : NULL;
  char what[96];
  snprintf(what, sizeof what, "rope '%.64s'", rope->name);
  va_list arguments;
  va_start(arguments, format);
  note_at(scenario, own ? rl_tree_key(own, key) : NULL, what, format, arguments);
  va_end(arguments);
}

// Returns the index of the step before which an event at time t happens.
static double step_of(const rl_schedule *schedule, double t) { return round(t / schedule->dt); }

// Whether an event is after the end of a full-length run; if the user shortened the run, no note is
// needed.
static bool is_too_late(const rl_scenario *scenario, const rl_schedule *schedule, double t) {
  return step_of(schedule, t) >= (double)schedule->steps && t >= scenario->duration;
}

static void note_winch_times(const rl_scenario *scenario, const rl_schedule *schedule, size_t i) {
  const rl_event *e = &scenario->definition.events[i];
  const double from = schedule->dt * step_of(schedule, e->from);
  const double until = schedule->dt * step_of(schedule, e->until);
  if (fabs((until - from) - (e->until - e->from)) > note_above) {
    note(scenario, i,
         "in whole steps of %.6g s the winch runs from %.9g to %.9g s: %.6g m instead of %.6g m",
         schedule->dt, from, until, fabs(e->rate) * (until - from),
         fabs(e->rate) * (e->until - e->from));
  }
}

// Notes a winch that moves more than one element in a step, the element that it feeds: rope taken
// in is pulled straight, and rope paid out has no time to fall. A massless rope is one element.
static void note_winch(const rl_scenario *scenario, const rl_schedule *schedule, size_t i) {
  const rl_event *e = &scenario->definition.events[i];
  const rl_rope *rope = &scenario->model->ropes[e->rope];
  const double moved = fabs(e->rate) * schedule->dt;
  const double element = rope->massless ? rope->length : rl_feed_spacing(rope);
  if (e->rate == 0.0) {
    note(scenario, i, "the winch on rope '%s' stands still: its rate is 0", rope->name);
  } else if (moved > element) {
    note(scenario, i,
         "a winch moves %.3g m of rope '%s' in a step, more than %s of %.3g m: the run is worth "
         "little; expected steps up to %.3g s",
         moved, rope->name, rope->massless ? "its length" : "an element", element,
         element / fabs(e->rate));
  }
  if (e->is_inside && e->at_length > rope->length) {
    note(scenario, i,
         "at_length is %.6g m and rope '%s' %.6g m long at the start: as long as it is not longer, "
         "the winch works at its last element",
         e->at_length, rope->name, rope->length);
  }
  if (e->rate < 0.0 && !e->is_inside && !rl_is_zero(rope->clamps[e->end]) && rope->bending > 0.0 &&
      !rope->compression) {
    note(scenario, i,
         "the winch takes in rope '%s' where it is clamped: once that is bent and slack, its first "
         "element can shrink to nothing, and its bending needs steps of nothing; expected "
         "`compression: true`",
         rope->name);
  }
  note_winch_times(scenario, schedule, i);
}

static bool has_drag(const rl_definition *d) {
  bool found = false;
  for (size_t i = 0; i < d->rope_count; i++) {
    found = found || d->ropes[i].drag > 0.0 || d->ropes[i].drag_per_length > 0.0;
  }
  return found;
}

void rl_note_ropes(const rl_scenario *scenario) {
  const rl_definition *d = &scenario->definition;
  for (size_t i = 0; i < d->rope_count; i++) {
    const rl_rope *rope = &scenario->model->ropes[i];
    const char *key = d->ropes[i].damping_ratio > 0.0 ? "damping_ratio" : "damping";
    if (isinf(rope->stiffness) && (d->ropes[i].damping_ratio > 0.0 || d->ropes[i].damping > 0.0)) {
      note_rope(scenario, rope, key,
                "%s of a rope without 'stiffness' is felt only by methods whose elements give "
                "(penalty, penalty-implicit)",
                key);
    }
    if (rope->massless && d->ropes[i].pool != RL_POOL_ENOUGH) {
      note_rope(scenario, rope, "pool", "a massless rope has no nodes, and uses no pool");
    }
  }
}

void rl_note_events(const rl_scenario *scenario, const rl_schedule *schedule) {
  const rl_definition *d = &scenario->definition;
  for (size_t i = 0; i < d->event_count; i++) {
    const rl_event *e = &d->events[i];
    if (is_too_late(scenario, schedule, e->from)) {
      note(scenario, i, "nothing happens: %.6g s is not before the end of the run, %.6g s", e->from,
           schedule->dt * (double)schedule->steps);
    } else if (e->kind >= RL_EVENT_WINCH &&
               step_of(schedule, e->from) == step_of(schedule, e->until)) {
      note(scenario, i, "nothing happens: no step of %.6g s begins between %.6g and %.6g s",
           schedule->dt, e->from, e->until);
    } else if (e->kind == RL_EVENT_WINCH) {
      note_winch(scenario, schedule, i);
    } else if (e->kind == RL_EVENT_WIND && !has_drag(d)) {
      note(scenario, i, "nothing happens: wind acts against the drag of ropes, and none has any");
    }
  }
}
