// SPDX-License-Identifier: GPL-3.0-or-later
#include "run_notes.h"

#include "change_text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// A method that gains more than this share of all energy, stretches ropes by more than this share
// of the longest one, or leaves bodies in each other by more than this share of the smaller one,
// gets a note. So does one that loses more than this share, if that is also more than a share of
// what the scene holds.
static const double fault_noted = 0.1, loss_noted = 0.5;

// Of what the scene holds: what is dissipated cannot come back; by more than this it gets a note.
static const double given_noted = 0.01;

// Of the longest rope: a method that integrates to rounding leaves no rope longer than it is by
// more, unless nothing can shorten it.
static const double exact_noted = 1e-9;

// Of the scene's size: a body that is driven into another by less is in it by round-off.
static const double drive_noted = 1e-9;

// An error estimate above this share of the scene's size gets a note.
static const double doubtful_estimate = 1e-6;

// Limits of the changes listed in run.json and of those noted on stderr.
enum { CHANGES_MAX = 1000, NOTES_MAX = 3 };

rl_run_notes rl_run_notes_start(const rl_scenario *scenario, const rl_solver_spec *solver,
                                bool quiet) {
  return (rl_run_notes){.scenario = scenario,
                        .solver = solver,
                        .quiet = quiet,
                        .texts = json_array(),
                        .changes = json_array(),
                        .unparted_rope = RL_NONE,
                        .strict_rope = RL_NONE};
}

// Adds a note to run.json and prints it.
static void note(const rl_run_notes *n, const char *format, ...) {
  char text[384];
  va_list words;
  va_start(words, format);
  vsnprintf(text, sizeof text, format, words);
  va_end(words);
  json_array_append_new(n->texts, json_string(text));
  if (!n->quiet) {
    fprintf(stderr, "ropelab: note: %s, %s: %s\n", n->scenario->name, n->solver->label, text);
  }
}

// Notes the first times that a rope slips off a body.
static void note_slipping_off(const rl_run_notes *n) {
  const rl_state *state = n->driver->state;
  const uint64_t before = n->slipped_off;
  if (state->slipped_off == before || before >= NOTES_MAX) {
    return;
  }
  note(n, "rope '%s' slipped off body '%s' at t = %.6g s%s",
       n->scenario->model->ropes[state->slipped_rope].name,
       n->scenario->model->bodies[state->slipped_body].name, state->time,
       state->slipped_off >= NOTES_MAX ? "; run.json counts any further times" : "");
}

// (16) of papers/bodies.md: whether a prescribed body is in one on an axle which cannot give way,
// since the normal of the contact passes through the axis.
static bool is_jammed(const rl_driver *driver, rl_row *row) {
  const rl_model *model = driver->model;
  const rl_contact *contact = &driver->state->contacts[row->item];
  if (!rl_is_of_bodies(contact) ||
      (model->bodies[contact->body].motion != RL_DRIVEN &&
       model->bodies[contact->slot - model->node_count].motion != RL_DRIVEN)) {
    return false;
  }
  rl_row_evaluate(model, driver->state, driver->rows, row, driver->state->points);
  const double depth = row->value + driver->rows->feet[row->item].kept_depth;
  return row->inverse_mass == 0.0 && depth > drive_noted * model->reach;
}

// Notes the first time that a body drives into one that cannot give way.
static void note_jam(rl_run_notes *n) {
  const rl_model *model = n->driver->model;
  rl_rows *rows = n->driver->rows;
  const rl_block *contacts = &rows->blocks[rows->contact_block];
  for (uint32_t i = 0; i < contacts->row_count && model->pair_count > 0 && !n->is_jammed; i++) {
    rl_row *row = &rows->rows[contacts->first_row + i];
    if (is_jammed(n->driver, row)) {
      const rl_contact *contact = &n->driver->state->contacts[row->item];
      n->is_jammed = true;
      note(n,
           "bodies '%s' and '%s' are in each other from t = %.6g s on, and neither can give way: "
           "their contact does not act",
           model->bodies[contact->slot - model->node_count].name, model->bodies[contact->body].name,
           n->driver->state->time);
    }
  }
}

// Whether the same element as before should tear and lacks a spare node.
static bool is_repeated(rl_run_notes *n, const rl_change *c) {
  const bool again = c->kind == RL_CHANGE_UNMET && c->rope == n->unparted_rope &&
                     c->element == n->unparted_element;
  if (c->kind == RL_CHANGE_UNMET) {
    n->unparted_rope = c->rope;
    n->unparted_element = c->element;
  }
  return again;
}

// Lists all changes of the step and notes the first of the run.
static void note_changes(rl_run_notes *n) {
  for (size_t i = 0; i < n->driver->change_count; i++) {
    const rl_change *c = &n->driver->changes[i];
    char text[256];
    if (is_repeated(n, c)) {
      continue;
    }
    if (json_array_size(n->changes) < CHANGES_MAX) {
      json_array_append_new(n->changes, rl_change_to_json(c, n->scenario->model));
    }
    if (n->change_count < NOTES_MAX) {
      rl_change_describe(c, n->scenario->model, text, sizeof text);
      n->change_count++;
      note(n, "%s at t = %.6g s%s", text, c->time,
           n->change_count == NOTES_MAX ? "; run.json lists any further changes" : "");
    }
  }
}

// The stability limits of a step for methods that hold the directions of elements, or their bending
// forces, fixed over the step [s]: sqrt(m l/T) for directions, (10) of papers/bending.md for
// bending. Infinite: no limit.
static double directions_limit(const rl_driver *driver, uint32_t link) {
  const rl_state *state = driver->state;
  const rl_link *l = &state->links[link];
  const double w = fmax(state->points[l->a].w, state->points[l->b].w);
  const double tension = driver->type->holds_directions ? state->multipliers[link] : 0.0;
  return tension > 0.0 ? sqrt(l->rest / (w * tension)) : INFINITY;
}

static double bending_limit(const rl_driver *driver, const rl_rope *rope, uint32_t link) {
  const rl_state *state = driver->state;
  const rl_link *l = &state->links[link];
  const double bending = driver->type->holds_bending ? rope->bending : 0.0;
  const double mass = fmax(state->masses[l->a], state->masses[l->b]);
  const double now =
      rl_distance(rl_position(&state->points[l->a]), rl_position(&state->points[l->b]));
  return bending > 0.0 && mass > 0.0 ? 0.5 * sqrt(mass * now * now * now / bending) : INFINITY;
}

// Remembers the first time at which a rope needs shorter steps than those of the run, and the
// element that needs the shortest.
static void watch_limits(rl_run_notes *n) {
  const rl_driver *driver = n->driver;
  const rl_state *state = driver->state;
  const bool holds = driver->type->holds_directions || driver->type->holds_bending;
  if (!holds || n->strict_rope != RL_NONE) {
    return;
  }
  n->step_limit = driver->dt;
  for (uint32_t k = 0; k < driver->model->rope_count; k++) {
    const rl_rope *rope = &driver->model->ropes[k];
    for (uint32_t i = 0; !rope->massless && i < rl_rope_elements(driver->model, state, k); i++) {
      const double across = directions_limit(driver, rope->first_link + i);
      const double bent = bending_limit(driver, rope, rope->first_link + i);
      if (fmin(across, bent) < n->step_limit) {
        n->step_limit = fmin(across, bent);
        n->is_bent = bent < across;
        n->strict_rope = k;
        n->strict_time = state->time;
      }
    }
  }
}

// Adds a fault to the text of the outcome and to the notes.
static void add_fault(const rl_run_notes *n, char *text, size_t size, const char *fault) {
  const size_t used = strlen(text);
  snprintf(text + used, size - used, "; %s", fault);
  note(n, "%s", fault);
}

// Whether the method has lost more than a share of the energy that the scene can hold, and of
// `all`, which includes the work done from outside: a driven scene with little numerical damping
// loses more in the long run than it can hold.
static bool loses_too_much(const rl_summary *summary, double all) {
  const double held = summary->energy_scale, lost = summary->energy_loss_max;
  return all > 0.0 && lost > loss_noted * held && lost > fault_noted * all;
}

// Returns the length of the longest rope at the start [m].
static double longest_rope(const rl_model *model) {
  double longest = 0.0;
  for (uint32_t i = 0; i < model->rope_count; i++) {
    longest = fmax(longest, model->ropes[i].length);
  }
  return longest;
}

// Returns the word between a share and the whole: 0.9 of it, 6.7 times it.
static const char *of_or_times(double part, double whole) { return part > whole ? "times" : "of"; }

// Adds the faults that make a result worth little: energy gained beyond the share of all that
// bodies have had, energy lost beyond half of what the scene holds, friction that drives, rope left
// too long for the method, and bodies in each other.
static void describe_faults(const rl_run_notes *n, const rl_summary *summary, char *text,
                            size_t size) {
  const double had = n->driver->energy_scale + summary->energy_left_max;
  const double all = n->driver->energy_scale + n->driver->most_work;
  char fault[160];
  if (had > 0.0 && summary->energy_gain_max > fault_noted * had) {
    snprintf(fault, sizeof fault,
             "the method gained up to %.3g J, %.2g %s the %.3g J that the scene holds and work has "
             "left in it",
             summary->energy_gain_max, summary->energy_gain_max / had,
             of_or_times(summary->energy_gain_max, had), had);
    add_fault(n, text, size, fault);
  }
  if (loses_too_much(summary, all)) {
    snprintf(fault, sizeof fault,
             "the method lost up to %.3g J, %.2g %s the %.3g J that the scene holds and work adds",
             summary->energy_loss_max, summary->energy_loss_max / all,
             of_or_times(summary->energy_loss_max, all), all);
    add_fault(n, text, size, fault);
  }
  if (summary->given_back_max > given_noted * summary->energy_scale) {
    snprintf(
        fault, sizeof fault,
        "what was dissipated came back, up to %.3g J at once, %.2g %s the %.3g J that the scene "
        "holds; no energy error shows it",
        summary->given_back_max, summary->given_back_max / summary->energy_scale,
        of_or_times(summary->given_back_max, summary->energy_scale), summary->energy_scale);
    add_fault(n, text, size, fault);
  }
  const double long_noted = n->driver->type->is_adaptive ? exact_noted : fault_noted;
  if (summary->length_error_max > long_noted * longest_rope(n->driver->model)) {
    snprintf(fault, sizeof fault, "inextensible rope was up to %.3g m too long",
             summary->length_error_max);
    add_fault(n, text, size, fault);
  }
  if (summary->overlap.share > fault_noted) {
    snprintf(fault, sizeof fault, "bodies were up to %.3g m in each other, %.2g of the smaller one",
             summary->overlap.depth, summary->overlap.share);
    add_fault(n, text, size, fault);
  }
}

void rl_run_notes_step_limit(const rl_run_notes *n, char *text, size_t size) {
  text[0] = '\0';
  if (n->strict_rope != RL_NONE) {
    snprintf(text, size, "; from t = %.6g s on, rope '%.40s' asks for steps below %s = %.3g s%s",
             n->strict_time, n->scenario->model->ropes[n->strict_rope].name,
             n->is_bent ? "sqrt(m l^3/EI)/2" : "sqrt(m l/T)", n->step_limit,
             n->is_bent ? "" : ", and shorter ones as T grows");
  }
}

// Notes the steps that did not reach the tolerance of the solver, of a run that is done with what
// may be the reason.
static void note_unsettled(const rl_run_notes *n, rl_reason reason, const rl_summary *summary) {
  char left[96] = "", limit[192] = "";
  if (summary->unsettled == 0) {
    return;
  }
  const rl_solver_type *type = n->solver->type;
  const int tolerance = rl_parameter_find(type, "tolerance");
  const char *unit = type->parameters[tolerance].unit;
  const bool is_of_rows =
      strcmp(unit, "m") == 0 && summary->unsettled_residual > n->solver->parameters[tolerance];
  if (summary->unsettled_residual > 0.0) {
    snprintf(left, sizeof left,
             is_of_rows ? "; they left up to %.2g m"
                        : "; in rows they left up to %.2g m, and it is not of rows alone",
             summary->unsettled_residual);
  }
  if (reason > 0) {
    rl_run_notes_step_limit(n, limit, sizeof limit);
  }
  const bool has_unit = strcmp(unit, "1") != 0;
  note(n, "%llu of %llu steps did not settle to the tolerance of %g%s%s%s%s",
       (unsigned long long)summary->unsettled, (unsigned long long)summary->steps_done,
       n->solver->parameters[tolerance], has_unit ? " " : "", has_unit ? unit : "", left, limit);
}

// (24a) of papers/changes.md
static void note_halved(const rl_run_notes *n, const rl_summary *summary) {
  if (summary->halved > 0) {
    note(n,
         "%llu of %llu steps gained so much energy that they were made again, in parts that gain "
         "less",
         (unsigned long long)summary->halved, (unsigned long long)summary->steps_done);
  }
}

// Notes where a solver with an error estimate has none any more, or a large one.
static void note_estimate(const rl_run_notes *n, const rl_summary *summary) {
  const double estimate = n->driver->info.error_estimate;
  const bool ends = summary->estimated_until < n->driver->state->time;
  if (isnan(estimate) && ends && summary->estimated_until > 0.0) {
    note(n,
         "after t = %.6g s its error is not known: the second run, by which it is estimated, did "
         "not get beyond there",
         summary->estimated_until);
  } else if (estimate > doubtful_estimate * n->driver->model->reach) {
    note(n, "by its own estimate places are off by up to %.2g m at the end", estimate);
  }
}

// Notes the cuts that are over and parted nothing.
static void note_ineffective_cuts(const rl_run_notes *n) {
  const rl_driver *driver = n->driver;
  size_t count = 0;
  for (uint32_t i = 0; i < driver->model->event_count; i++) {
    const rl_event *e = &driver->model->events[i];
    const double end = e->kind == RL_EVENT_CUT_SWIPE ? e->from + e->duration : e->from;
    const bool is_over = round(end / driver->dt) < (double)driver->state->step;
    if (e->kind > RL_EVENT_CUT_SWIPE || !is_over || driver->has_acted[i]) {
      continue;
    }
    if (++count <= NOTES_MAX) {
      note(n, "the cut at t = %.6g s (event %u) met nothing", e->from, i);
    }
  }
  if (count > NOTES_MAX) {
    note(n, "so did %zu further cuts", count - NOTES_MAX);
  }
}

void rl_run_notes_step(rl_run_notes *n) {
  watch_limits(n);
  note_slipping_off(n);
  note_jam(n);
  note_changes(n);
  n->slipped_off = n->driver->state->slipped_off;
}

void rl_run_notes_end(rl_run_notes *n, rl_reason reason, const rl_summary *summary, char *text,
                      size_t size) {
  if (reason > 0) {
    describe_faults(n, summary, text, size);
  }
  note_ineffective_cuts(n);
  note_unsettled(n, reason, summary);
  note_halved(n, summary);
  note_estimate(n, summary);
}
