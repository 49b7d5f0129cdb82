// SPDX-License-Identifier: GPL-3.0-or-later
#include "run.h"

#include "available_memory.h"
#include "event_notes.h"
#include "results/files.h"
#include "results/listed_files.h"
#include "results/manifest.h"
#include "results/trajectory.h"
#include "run_cache.h"
#include "timing.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Number of snapshots of a run: at its start, its quarters and its end.
enum { SNAPSHOTS = 5 };

// A method that gains more than this share of all energy, stretches ropes by more than this share
// of the scene's size, or leaves bodies in each other by more than this share of the smaller one,
// gets a note. So does one that loses more than this share, if that is also more than a share of
// what the scene holds.
static const double fault_noted = 0.1, loss_noted = 0.5;

// Of the scene's size: a body that is driven into another by less is in it by round-off.
static const double drive_noted = 1e-9;

// Frames a second of the trajectory, and the least number of frames of a short run.
static const double frame_rate = 60.0, fewest_frames = 120.0;

// A step that differs from the requested one by more than this gets a note [s].
static const double note_above = 1e-9;

// An error estimate above this share of the scene's size gets a note.
static const double doubtful_estimate = 1e-6;

static volatile sig_atomic_t interrupted = 0;
static volatile sig_atomic_t writing = 0;

// Once results are being written, a signal only asks the run to end after its step; a second SIGINT
// ends the program at once.
static void on_signal(int number) {
  if (!writing || (number == SIGINT && interrupted == SIGINT)) {
    _exit(RL_EXIT_INTERRUPTED);
  }
  interrupted = number;
}

void rl_run_catch_signals(void) {
  struct sigaction action = {.sa_handler = on_signal};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
  struct sigaction hangup;
  if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) { // not under nohup
    sigaction(SIGHUP, &action, NULL);
  }
  signal(SIGPIPE, SIG_IGN); // a closed stderr must not end a run
  signal(SIGXFSZ, SIG_IGN); // a write beyond the file size limit fails with EFBIG instead
  signal(SIGCHLD, SIG_DFL); // an inherited SIG_IGN would make waitpid fail
}

void rl_run_begin_writing(void) { writing = 1; }

bool rl_run_interrupted(void) { return interrupted != 0; }

static bool end_by_signal(void *self, double share) {
  (void)self;
  (void)share;
  return rl_run_interrupted();
}

rl_driver *rl_run_driver(const rl_scenario *scenario, const rl_solver_spec *solver, double dt) {
  static const rl_watch watch = {end_by_signal, NULL};
  rl_driver *driver = rl_driver_create(scenario->model, solver->type, solver->parameters, dt);
  if (driver) {
    driver->info.watch = &watch;
  }
  return driver;
}

static const char *const result_files[] = {"run.json",      "series.csv",       "iterations.csv",
                                           "snapshots.csv", RL_TRAJECTORY_NAME, RL_XDMF_NAME,
                                           RL_KEPT_NAME};

bool rl_run_has_result(const char *folder) {
  char path[RL_PATH_MAX];
  for (size_t i = 0; i < sizeof result_files / sizeof result_files[0]; i++) {
    if (rl_path_join(path, folder, result_files[i]) && rl_file_exists(path)) {
      return true;
    }
  }
  return false;
}

bool rl_run_remove_result(const char *folder) {
  char path[RL_PATH_MAX];
  for (size_t i = 0; i < sizeof result_files / sizeof result_files[0]; i++) {
    if (!rl_path_join(path, folder, result_files[i]) || !rl_remove_file(path)) {
      return false;
    }
  }
  return true;
}

// Returns round(time / dt), limited to 1 ... most.
static uint64_t whole_times(double time, double dt, uint64_t most) {
  return (uint64_t)fmin(fmax(1.0, round(time / dt)), (double)most);
}

bool rl_run_schedule(const rl_scenario *scenario, const rl_run_options *options,
                     rl_schedule *schedule, char *message, size_t size) {
  const double duration = isnan(options->duration) ? scenario->duration : options->duration;
  const double step = isnan(options->step) ? scenario->step : options->step;
  const double steps = fmax(1.0, round(duration / step));
  if (!(steps <= RL_STEPS_MAX)) {
    snprintf(message, size, "%g s in steps of %g s are %g steps; expected at most %g", duration,
             step, steps, RL_STEPS_MAX);
    return false;
  }
  const double dt = duration / steps;
  const uint64_t every =
      isnan(options->every) ? 1 : whole_times(options->every, dt, (uint64_t)steps);
  const double film = fmin(1.0 / frame_rate, duration / fewest_frames);
  const double frames_every = options->frames_every > 0.0 ? options->frames_every : film;
  const uint64_t rows = whole_times(frames_every, (double)every * dt, (uint64_t)steps / every);
  *schedule = (rl_schedule){(uint64_t)steps, every, rows * every, dt};
  return true;
}

bool rl_run_plan(const rl_scenario *scenario, const rl_run_options *options,
                 rl_schedule *schedule) {
  char message[256];
  if (!rl_run_schedule(scenario, options, schedule, message, sizeof message)) {
    fprintf(stderr, "ropelab: %s: %s%s\n", scenario->name,
            isnan(options->step) ? "" : "--step: ", message);
    return false;
  }
  const double step = isnan(options->step) ? scenario->step : options->step;
  if (fabs(schedule->dt - step) > note_above && !options->quiet) {
    fprintf(stderr,
            "ropelab: note: %s does not divide by the step: %llu step%s of %.10g s instead of "
            "%.10g s\n",
            scenario->name, (unsigned long long)schedule->steps, schedule->steps == 1 ? "" : "s",
            schedule->dt, step);
  }
  if (!options->quiet) {
    rl_note_ropes(scenario);
    rl_note_events(scenario, schedule);
  }
  return true;
}

// A run in progress.
typedef struct run {
  const rl_scenario *scenario;
  const rl_solver_spec *solver;
  const rl_run_options *options;
  const char *folder;
  rl_schedule schedule;
  json_t *manifest;
  rl_driver *driver;
  rl_recorder *recorder;
  double *trace;
  size_t trace_capacity;
  bool late;                                // the time limit was exceeded
  double shown;                             // progress shown last [%]
  json_t *changes;                          // events that parted or released something
  json_t *notes;                            // texts on what is easily overlooked
  size_t change_notes;                      // number of notes on changes
  uint32_t unparted_rope, unparted_element; // last element that lacked a spare node to part with
  uint32_t strict_rope;                     // rope that first needed shorter steps; RL_NONE: none
  double strict_time, step_limit;           // when, and the step that is needed [s]
  bool is_bent;                             // the limit is that of bending, not of tension
  bool is_jammed;                           // a body has been driven into one that cannot give way
} run;

// Limits of the changes listed in run.json and of those noted on stderr.
enum { CHANGES_MAX = 1000, NOTES_MAX = 3 };

// Prints what could not be done; whoever started a run that has filled the disk says that once.
static int fail(const run *r, const char *what) {
  const bool is_full = errno == ENOSPC || errno == EDQUOT;
  if (!is_full || !r->options->quiet) {
    fprintf(stderr, "ropelab: %s: %s: %s\n", r->folder, what, strerror(errno));
  }
  return is_full ? RL_EXIT_DISK_FULL : RL_EXIT_FAILED;
}

// The largest number of residuals that a step can record.
static size_t trace_capacity(const rl_solver_spec *solver) {
  const int iterations = rl_parameter_find(solver->type, "iterations");
  return iterations >= 0 ? (size_t)solver->parameters[iterations] : 1;
}

double rl_run_bytes(const rl_scenario *scenario, const rl_solver_spec *solver) {
  const rl_model *model = scenario->model;
  const size_t exact = scenario->exact ? rl_state_bytes(model) : 0;
  return (double)model->bytes + (double)exact + (double)rl_driver_bytes(model, solver->type) +
         (double)trace_capacity(solver) * (double)sizeof(double);
}

bool rl_run_fits(const rl_scenario *scenario, const rl_solver_spec *solver, char *why,
                 size_t size) {
  const double needed = rl_run_bytes(scenario, solver), there = (double)rl_available_memory();
  const rl_model *m = scenario->model;
  if (needed > there) {
    snprintf(
        why, size,
        "it needs %.3g GiB of memory and there are %.3g GiB: %u elements, %u possible contacts",
        needed / RL_GIB, there / RL_GIB, m->link_count, m->contact_capacity);
  }
  return needed <= there;
}

static bool prepare(run *r) {
  r->trace_capacity = trace_capacity(r->solver);
  r->trace = malloc(r->trace_capacity * sizeof *r->trace);
  r->driver = rl_run_driver(r->scenario, r->solver, r->schedule.dt);
  if (!r->trace || !r->driver) {
    errno = ENOMEM;
    return false;
  }
  r->recorder = rl_recorder_create(r->folder, r->scenario, r->driver);
  return r->recorder != NULL;
}

// Whether messages go to stderr; the cells of a comparison leave them to its summary.
static bool prints_messages(const run *r) { return !r->options->quiet; }

// Adds a note to run.json and prints it.
static void note(const run *r, const char *format, ...) {
  char text[384];
  va_list words;
  va_start(words, format);
  vsnprintf(text, sizeof text, format, words);
  va_end(words);
  json_array_append_new(r->notes, json_string(text));
  if (prints_messages(r)) {
    fprintf(stderr, "ropelab: note: %s, %s: %s\n", r->scenario->name, r->solver->label, text);
  }
}

void rl_describe_limit(double limit, char *reason, size_t size) {
  snprintf(reason, size, "stopped after the time limit of %g s of processor time", limit);
}

// Whether the time limit is exceeded, in processor time, which other processes do not affect.
static bool is_late(const run *r) {
  return !isnan(r->options->limit) && rl_seconds_used() > r->options->limit;
}

static void show_progress(run *r, double steps_done) {
  const double now = floor(100.0 * steps_done / (double)r->schedule.steps);
  if (!r->options->quiet && now > r->shown && isatty(STDERR_FILENO)) {
    r->shown = now;
    fprintf(stderr, "\r%s, %s: %3.0f %%%s", r->scenario->name, r->solver->label, now,
            now >= 100.0 ? "\r\033[K" : "");
  }
}

// Called by the driver within a long step; true stops it.
static bool watch_step(void *self, double share) {
  run *r = self;
  show_progress(r, (double)r->driver->state->step + fmin(share, 0.999));
  return interrupted || is_late(r);
}

static bool is_snapshot_step(const run *r, uint64_t step) {
  for (uint64_t i = 0; i < SNAPSHOTS; i++) {
    if (step == r->schedule.steps * i / (SNAPSHOTS - 1)) {
      return true;
    }
  }
  return false;
}

// Notes the first times that a rope slips off a body, which is easily overlooked.
static void note_slipping_off(const run *r) {
  const rl_state *state = r->driver->state;
  const uint64_t before = rl_recorder_summary(r->recorder)->slipped_off;
  if (state->slipped_off == before || before >= NOTES_MAX) {
    return;
  }
  note(r, "rope '%s' slipped off body '%s' at t = %.6g s%s",
       r->scenario->model->ropes[state->slipped_rope].name,
       r->scenario->model->bodies[state->slipped_body].name, state->time,
       state->slipped_off >= NOTES_MAX ? "; run.json counts any further times" : "");
}

// (16) of papers/bodies.md: whether a prescribed body is in one on an axle which cannot give way,
// since the normal of the contact passes through the axis.
static bool is_jammed(const rl_driver *driver, rl_row *row) {
  const rl_model *model = driver->model;
  const rl_contact *contact = &driver->state->contacts[row->item];
  if (contact->rope != RL_NONE ||
      (model->bodies[contact->body].motion != RL_DRIVEN &&
       model->bodies[contact->slot - model->node_count].motion != RL_DRIVEN)) {
    return false;
  }
  rl_row_evaluate(model, driver->state, driver->rows, row, driver->state->points);
  const double depth = row->value + driver->rows->feet[row->item].kept_depth;
  return row->inverse_mass == 0.0 && depth > drive_noted * model->reach;
}

// Notes the first time that a body drives into one that cannot give way.
static void note_jam(run *r) {
  const rl_model *model = r->driver->model;
  rl_rows *rows = r->driver->rows;
  const rl_block *contacts = &rows->blocks[rows->contact_block];
  for (uint32_t i = 0; i < contacts->row_count && model->pair_count > 0 && !r->is_jammed; i++) {
    rl_row *row = &rows->rows[contacts->first_row + i];
    if (is_jammed(r->driver, row)) {
      const rl_contact *contact = &r->driver->state->contacts[row->item];
      r->is_jammed = true;
      note(r,
           "bodies '%s' and '%s' are in each other from t = %.6g s on, and neither can give way: "
           "their contact does not act",
           model->bodies[contact->slot - model->node_count].name, model->bodies[contact->body].name,
           r->driver->state->time);
    }
  }
}

// Returns the name of the rope end that a change is about.
static const char *end_name(const rl_change *c) {
  const char *other = c->kind == RL_CHANGE_EMPTY ? "inside" : "between";
  return c->element == 0 ? "from" : c->element == 1 ? "to" : other;
}

// Describes the winch that has run out of rope.
static void name_winch(const rl_change *c, const char *rope, char *text, size_t size) {
  if (c->element == RL_NONE) {
    snprintf(text, size, "the winch inside rope '%s'", rope);
  } else {
    snprintf(text, size, "the winch at end '%s' of rope '%s'", end_name(c), rope);
  }
}

static void list_change(const run *r, const rl_change *c) {
  static const char *const kinds[] = {[RL_CHANGE_TORN] = "torn",
                                      [RL_CHANGE_CUT] = "cut",
                                      [RL_CHANGE_RELEASED] = "released",
                                      [RL_CHANGE_UNMET] = "no spare node",
                                      [RL_CHANGE_UNGROWN] = "no spare node to grow by",
                                      [RL_CHANGE_EMPTY] = "no rope left",
                                      [RL_CHANGE_DRAWN] = "drawn into its eye"};
  const rl_model *model = r->scenario->model;
  if (json_array_size(r->changes) >= CHANGES_MAX) {
    return;
  }
  json_t *out = json_pack("{s:s, s:f}", "change", kinds[c->kind], "time_s", c->time);
  if (c->rope == RL_NONE) {
    json_object_set_new(out, "body", json_string(model->bodies[c->body].name));
  } else {
    json_object_set_new(out, "rope", json_string(model->ropes[c->rope].name));
  }
  const bool is_of_end =
      c->kind == RL_CHANGE_RELEASED || c->kind == RL_CHANGE_EMPTY || c->kind == RL_CHANGE_DRAWN;
  if (c->rope != RL_NONE && is_of_end) {
    json_object_set_new(out, "end", json_string(end_name(c)));
    if (c->kind == RL_CHANGE_EMPTY) {
      json_object_set_new(out, "length_m", json_real(c->length));
    }
    if (c->kind == RL_CHANGE_DRAWN) {
      json_object_set_new(out, "tension_N", json_real(c->tension));
    }
  } else if (c->rope != RL_NONE) {
    json_object_set_new(out, "element", json_integer(c->element));
    json_object_set_new(out, "tension_N", json_real(c->tension));
  }
  json_array_append_new(r->changes, out);
}

// Describes a change in words.
static void describe_change(const run *r, const rl_change *c, char *text, size_t size) {
  const rl_model *model = r->scenario->model;
  const char *rope = c->rope == RL_NONE ? "" : model->ropes[c->rope].name;
  size_t used;
  switch (c->kind) {
  case RL_CHANGE_TORN:
    snprintf(text, size, "rope '%s' tore at element %u, at %.6g N", rope, c->element, c->tension);
    break;
  case RL_CHANGE_CUT:
    snprintf(text, size, "rope '%s' was cut at element %u", rope, c->element);
    break;
  case RL_CHANGE_RELEASED:
    if (c->rope == RL_NONE) {
      snprintf(text, size, "body '%s' was let go", model->bodies[c->body].name);
    } else {
      snprintf(text, size, "end '%s' of rope '%s' was let go", end_name(c), rope);
    }
    break;
  case RL_CHANGE_EMPTY:
    name_winch(c, rope, text, size);
    used = strlen(text);
    snprintf(text + used, size - used,
             " has no rope left to take in within a step: %.6g m, and stops", c->length);
    break;
  case RL_CHANGE_DRAWN:
    if (c->element == RL_NONE) {
      snprintf(text, size, "two eyes of rope '%s' are drawn together, at %.6g N, and the run stops",
               rope, c->tension);
    } else {
      snprintf(text, size,
               "end '%s' of rope '%s' is drawn into its eye, at %.6g N, and the run stops",
               end_name(c), rope, c->tension);
    }
    break;
  case RL_CHANGE_UNGROWN:
    snprintf(text, size, "rope '%s' has no spare node left to grow by at element %u%s", rope,
             c->element,
             model->ropes[c->rope].stops_run ? ", and the run stops"
                                             : " and goes on with longer elements there");
    break;
  default:
    snprintf(text, size, "rope '%s' has no spare node left to part at element %u%s", rope,
             c->element,
             model->ropes[c->rope].stops_run ? ", and the run stops" : " and goes on whole");
  }
}

// Whether the same element as before should tear and lacks a spare node.
static bool is_repeated(run *r, const rl_change *c) {
  const bool again = c->kind == RL_CHANGE_UNMET && c->rope == r->unparted_rope &&
                     c->element == r->unparted_element;
  if (c->kind == RL_CHANGE_UNMET) {
    r->unparted_rope = c->rope;
    r->unparted_element = c->element;
  }
  return again;
}

// Lists all changes of the step and notes the first of the run.
static void note_changes(run *r) {
  for (size_t i = 0; i < r->driver->change_count; i++) {
    const rl_change *c = &r->driver->changes[i];
    char text[256];
    if (is_repeated(r, c)) {
      continue;
    }
    list_change(r, c);
    if (r->change_notes < NOTES_MAX) {
      describe_change(r, c, text, sizeof text);
      r->change_notes++;
      note(r, "%s at t = %.6g s%s", text, c->time,
           r->change_notes == NOTES_MAX ? "; run.json lists any further changes" : "");
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
static void watch_limits(run *r) {
  const rl_driver *driver = r->driver;
  const rl_state *state = driver->state;
  const bool holds = driver->type->holds_directions || driver->type->holds_bending;
  if (!holds || r->strict_rope != RL_NONE) {
    return;
  }
  r->step_limit = r->schedule.dt;
  for (uint32_t k = 0; k < driver->model->rope_count; k++) {
    const rl_rope *rope = &driver->model->ropes[k];
    for (uint32_t i = 0; !rope->massless && i < rl_rope_elements(driver->model, state, k); i++) {
      const double across = directions_limit(driver, rope->first_link + i);
      const double bent = bending_limit(driver, rope, rope->first_link + i);
      if (fmin(across, bent) < r->step_limit) {
        r->step_limit = fmin(across, bent);
        r->is_bent = bent < across;
        r->strict_rope = k;
        r->strict_time = state->time;
      }
    }
  }
}

// Makes one step and adds its time and work to the summary.
static rl_reason take_step(run *r, bool traced, bool recorded) {
  rl_driver *driver = r->driver;
  rl_summary *summary = rl_recorder_summary(r->recorder);
  driver->info.trace = traced ? r->trace : NULL;
  driver->info.trace_capacity = r->trace_capacity;
  driver->info.want_residual = recorded;
  const double start = rl_seconds_now();
  const rl_reason reason = rl_driver_step(driver);
  summary->seconds += rl_seconds_now() - start;
  summary->steps_done = driver->state->step;
  summary->iterations += driver->info.iterations;
  summary->row_evaluations += driver->info.row_evaluations;
  if (rl_driver_is_unsettled(driver)) {
    summary->unsettled++;
    summary->unsettled_residual = fmax(summary->unsettled_residual, driver->info.residual);
  }
  if (!isnan(driver->info.error_estimate)) {
    summary->estimated_until = driver->state->time;
  }
  watch_limits(r);
  note_slipping_off(r);
  note_jam(r);
  note_changes(r);
  summary->slipped_off = driver->state->slipped_off;
  summary->parted = driver->state->parted;
  summary->unparted = driver->state->unparted;
  return reason;
}

// Runs the time loop until the end, a divergence, a signal or the time limit. The last state always
// gets a row, and a snapshot if it is finite.
static rl_reason loop(run *r) {
  const uint64_t steps = r->schedule.steps;
  const rl_watch watch = {watch_step, r};
  rl_reason reason = RL_RUNNING;
  r->driver->info.watch = &watch;
  bool last = false;
  uint64_t rows = 0; // the last step that has a row
  rl_record_row(r->recorder, r->driver, true);
  rl_record_snapshot(r->recorder, r->driver);
  last = interrupted || (r->late = is_late(r)); // writing the start of a long rope takes time, too
  for (uint64_t step = 1; !last && rl_recorder_is_good(r->recorder); step++) {
    const bool traced = r->options->trace > 0 ? step % r->options->trace == 0 : step == steps;
    const bool recorded = step % r->schedule.every == 0 || step == steps;
    reason = take_step(r, traced, recorded);
    r->late = (step < steps || reason == RL_RUNNING) && is_late(r);
    last = step == steps || reason < 0 || reason == RL_STOPPED || interrupted || r->late;
    if (traced) {
      rl_record_trace(r->recorder, r->driver);
    }
    if ((recorded || last) && r->driver->state->step > rows) { // a step may have been interrupted
      rl_record_row(r->recorder, r->driver, last || step % r->schedule.frames_every == 0);
      rows = r->driver->state->step;
    }
    if ((is_snapshot_step(r, step) || last) &&
        rl_state_finite(r->driver->model, r->driver->state)) {
      rl_record_snapshot(r->recorder, r->driver);
    }
    show_progress(r, (double)r->driver->state->step);
  }
  return reason;
}

// Adds a fault to the text of the outcome and to the notes.
static void add_fault(const run *r, char *text, size_t size, const char *fault) {
  const size_t used = strlen(text);
  snprintf(text + used, size - used, "; %s", fault);
  note(r, "%s", fault);
}

// Whether the method has lost more than a share of the energy that the scene can hold, and of
// `all`, which includes the work done from outside: a driven scene with little numerical damping
// loses more in the long run than it can hold.
static bool loses_too_much(const rl_summary *summary, double all) {
  const double held = summary->energy_scale, lost = summary->energy_loss_max;
  return all > 0.0 && lost > loss_noted * held && lost > fault_noted * all;
}

// Adds the faults that make a result worth little: energy gained beyond the share of all that
// bodies have had, energy lost beyond half of what the scene holds, rope left too long for the
// scene's size, and bodies in each other.
static void describe_faults(const run *r, const rl_summary *summary, char *text, size_t size) {
  const double had = r->driver->energy_scale + summary->energy_left_max;
  const double all = r->driver->energy_scale + r->driver->most_work;
  char fault[128];
  if (had > 0.0 && summary->energy_gain_max > fault_noted * had) {
    snprintf(fault, sizeof fault, "the method gained up to %.3g J, %.2g of all there is",
             summary->energy_gain_max, summary->energy_gain_max / had);
    add_fault(r, text, size, fault);
  }
  if (loses_too_much(summary, all)) {
    snprintf(fault, sizeof fault, "the method lost up to %.3g J, %.2g of all there is",
             summary->energy_loss_max, summary->energy_loss_max / all);
    add_fault(r, text, size, fault);
  }
  if (summary->length_error_max > fault_noted * r->driver->model->reach) {
    snprintf(fault, sizeof fault, "inextensible rope was up to %.3g m too long",
             summary->length_error_max);
    add_fault(r, text, size, fault);
  }
  if (summary->overlap.share > fault_noted) {
    snprintf(fault, sizeof fault, "bodies were up to %.3g m in each other, %.2g of the smaller one",
             summary->overlap.depth, summary->overlap.share);
    add_fault(r, text, size, fault);
  }
}

// Which steps a rope asked for first; nothing if those of the run were short enough.
static void describe_step_limit(const run *r, char *text, size_t size) {
  text[0] = '\0';
  if (r->strict_rope != RL_NONE) {
    snprintf(text, size, "; from t = %.6g s on, rope '%.40s' asks for steps below %s = %.3g s%s",
             r->strict_time, r->scenario->model->ropes[r->strict_rope].name,
             r->is_bent ? "sqrt(m l^3/EI)/2" : "sqrt(m l/T)", r->step_limit,
             r->is_bent ? "" : ", and shorter ones as T grows");
  }
}

// Notes the steps that did not reach the tolerance of the solver, of a run that is done with what
// may be the reason.
static void note_unsettled(const run *r, rl_reason reason, const rl_summary *summary) {
  char left[96] = "", limit[192] = "";
  if (summary->unsettled == 0) {
    return;
  }
  const rl_solver_type *type = r->solver->type;
  const int tolerance = rl_parameter_find(type, "tolerance");
  const char *unit = type->parameters[tolerance].unit;
  const bool is_of_rows =
      strcmp(unit, "m") == 0 && summary->unsettled_residual > r->solver->parameters[tolerance];
  if (summary->unsettled_residual > 0.0) {
    snprintf(left, sizeof left,
             is_of_rows ? "; they left up to %.2g m"
                        : "; in rows they left up to %.2g m, and it is not of rows alone",
             summary->unsettled_residual);
  }
  if (reason > 0) {
    describe_step_limit(r, limit, sizeof limit);
  }
  const bool has_unit = strcmp(unit, "1") != 0;
  note(r, "%llu of %llu steps did not settle to the tolerance of %g%s%s%s%s",
       (unsigned long long)summary->unsettled, (unsigned long long)summary->steps_done,
       r->solver->parameters[tolerance], has_unit ? " " : "", has_unit ? unit : "", left, limit);
}

// Notes where a solver with an error estimate has none any more, or a large one.
static void note_estimate(const run *r, const rl_summary *summary) {
  const double estimate = r->driver->info.error_estimate;
  const bool ends = summary->estimated_until < r->driver->state->time;
  if (isnan(estimate) && ends && summary->estimated_until > 0.0) {
    note(r,
         "after t = %.6g s its error is not known: the second run, by which it is estimated, did "
         "not get beyond there",
         summary->estimated_until);
  } else if (estimate > doubtful_estimate * r->driver->model->reach) {
    note(r, "by its own estimate places are off by up to %.2g m at the end", estimate);
  }
}

// Notes the cuts that are over and parted nothing.
static void note_ineffective_cuts(const run *r) {
  const rl_driver *driver = r->driver;
  size_t count = 0;
  for (uint32_t i = 0; i < driver->model->event_count; i++) {
    const rl_event *e = &driver->model->events[i];
    const double end = e->kind == RL_EVENT_CUT_SWIPE ? e->from + e->duration : e->from;
    const bool is_over = round(end / driver->dt) < (double)driver->state->step;
    if (e->kind > RL_EVENT_CUT_SWIPE || !is_over || driver->has_acted[i]) {
      continue;
    }
    if (++count <= NOTES_MAX) {
      note(r, "the cut at t = %.6g s (event %u) met nothing", e->from, i);
    }
  }
  if (count > NOTES_MAX) {
    note(r, "so did %zu further cuts", count - NOTES_MAX);
  }
}

// The outcome of a run.
typedef struct outcome {
  int status;
  const char *name;
  char text[256];
} outcome;

static void describe_divergence(const run *r, rl_reason reason, uint64_t step, outcome *o) {
  const int used =
      snprintf(o->text, sizeof o->text, "%s at t = %.6g s, step %llu", rl_reason_name(reason),
               r->driver->state->time, (unsigned long long)step);
  describe_step_limit(r, o->text + used, sizeof o->text - (size_t)used);
}

static outcome find_outcome(const run *r, rl_reason reason, const rl_summary *summary) {
  outcome o = {.status = RL_EXIT_DONE, .name = "done"};
  snprintf(o.text, sizeof o.text, "%s", rl_reason_name(reason));
  if (reason < 0) {
    o.status = RL_EXIT_DIVERGED;
    o.name = "diverged";
    describe_divergence(r, reason, summary->steps_done, &o);
    if (prints_messages(r)) {
      fprintf(stderr, "ropelab: %s, %s: diverged: %s\n", r->scenario->name, r->solver->label,
              o.text);
    }
  } else if (r->late) {
    o.status = RL_EXIT_FAILED;
    o.name = "timeout";
    rl_describe_limit(r->options->limit, o.text, sizeof o.text);
    if (prints_messages(r)) {
      fprintf(stderr, "ropelab: %s, %s: %s\n", r->scenario->name, r->solver->label, o.text);
    }
  } else if (reason == RL_STOPPED) {
    const size_t count = r->driver->change_count;
    snprintf(o.text, sizeof o.text, "stopped");
    if (count > 0) {
      describe_change(r, &r->driver->changes[count - 1], o.text, sizeof o.text);
    }
  } else if (interrupted && summary->steps_done < r->schedule.steps) {
    o.status = RL_EXIT_INTERRUPTED;
    o.name = "interrupted";
    snprintf(o.text, sizeof o.text, "stopped by a signal at t = %.6g s", r->driver->state->time);
  }
  return o;
}

// Writes the outcome to run.json and returns the exit status.
static int finish(run *r, rl_reason reason) {
  rl_summary summary;
  const bool saved = rl_recorder_close(r->recorder, &summary);
  const int error = errno;
  r->recorder = NULL;
  outcome o = find_outcome(r, reason, &summary);
  if (reason > 0) {
    describe_faults(r, &summary, o.text, sizeof o.text);
  }
  note_ineffective_cuts(r);
  note_unsettled(r, reason, &summary);
  note_estimate(r, &summary);
  json_object_set(r->manifest, "notes", r->notes);
  if (!saved) {
    errno = error;
    o.status = fail(r, "cannot write");
    o.name = "failed";
    snprintf(o.text, sizeof o.text, "the results could not be written");
  }
  rl_manifest_finish(r->manifest, o.name, o.text, &summary, rl_state_hash(r->driver->state));
  rl_manifest_enter_files(r->manifest, r->folder);
  if (r->driver->change_capacity > 0) {
    json_object_set(r->manifest, "changes", r->changes);
  }
  if (!rl_manifest_write(r->manifest, r->folder)) {
    o.status = fail(r, "cannot write run.json");
  }
  return o.status;
}

// Whether two manifests describe the same run by the same program.
static bool are_same_run(const json_t *a, const json_t *b) {
  json_t *first = rl_manifest_identity(a), *second = rl_manifest_identity(b);
  const bool same = json_equal(first, second);
  json_decref(first);
  json_decref(second);
  return same;
}

// Whether two runs have the same time limit, so that one that timed out would do so again.
static bool has_same_limit(const json_t *a, const json_t *b) {
  return json_equal(json_object_get(a, "limit_s"), json_object_get(b, "limit_s"));
}

// Returns the exit status of an existing result that is complete and of this very run; else -1. A
// failed or interrupted run is not complete.
static int find_result(const run *r) {
  static const struct {
    const char *status;
    int exit;
  } complete[] = {{"done", RL_EXIT_DONE},
                  {"diverged", RL_EXIT_DIVERGED},
                  {"unsupported", RL_EXIT_UNSUPPORTED},
                  {"timeout", RL_EXIT_FAILED}};
  char path[RL_PATH_MAX];
  json_t *there = rl_path_join(path, r->folder, "run.json") ? json_load_file(path, 0, NULL) : NULL;
  const char *status = json_string_value(json_object_get(there, "status"));
  int found = -1;
  for (size_t i = 0; status && i < sizeof complete / sizeof complete[0]; i++) {
    if (strcmp(status, complete[i].status) == 0 && are_same_run(there, r->manifest) &&
        rl_manifest_is_whole(there, r->folder) &&
        (complete[i].exit != RL_EXIT_FAILED || has_same_limit(there, r->manifest))) {
      found = complete[i].exit;
    }
  }
  json_decref(there);
  return found;
}

// Makes and locks the folder and removes an old result. If it refuses, the folder is unchanged.
static int claim(const run *r) {
  if (!rl_make_results_folder(r->folder)) {
    return RL_EXIT_USAGE;
  }
  if (!rl_lock_folder(r->folder)) {
    fprintf(stderr, "ropelab: another run is writing into %s; expected another folder\n",
            r->folder);
    return RL_EXIT_USAGE;
  }
  if (!rl_run_has_result(r->folder)) {
    return RL_EXIT_DONE;
  }
  if (!r->options->force) {
    fprintf(stderr, "ropelab: %s already holds a result; --force replaces it\n", r->folder);
    return RL_EXIT_USAGE;
  }
  return rl_run_remove_result(r->folder) && rl_listed_remove(r->folder) // with a report on it
             ? RL_EXIT_DONE
             : fail(r, "cannot replace what is there");
}

// Returns an exit status and the reason if the run cannot begin; RL_EXIT_DONE if it can.
static int find_obstacle(const run *r, char *reason, size_t size) {
  const uint32_t missing = rl_driver_missing(r->scenario->model, r->solver->type);
  if (missing) {
    snprintf(reason, size, "the solver cannot do: %s", rl_capability_name(missing & -missing));
    return RL_EXIT_UNSUPPORTED;
  }
  return rl_run_fits(r->scenario, r->solver, reason, size) ? RL_EXIT_DONE : RL_EXIT_FAILED;
}

// Writes a run.json that says why the run could not begin.
static int give_up(run *r, int status, const char *reason) {
  const bool unsupported = status == RL_EXIT_UNSUPPORTED;
  rl_manifest_finish(r->manifest, unsupported ? "unsupported" : "failed", reason, NULL, 0);
  if (prints_messages(r)) {
    fprintf(stderr, "ropelab: %s %s %s: %s\n", r->solver->type->name,
            unsupported ? "does not support" : "cannot run", r->scenario->name, reason);
  }
  return rl_manifest_write(r->manifest, r->folder) ? status : fail(r, "cannot write run.json");
}

// Runs what can be run and is not there yet; returns the exit status.
static int carry_out(run *r) {
  rl_run_begin_writing();
  const int there = r->options->resume ? find_result(r) : -1;
  if (there >= 0) {
    return there;
  }
  const int claimed = claim(r);
  if (claimed != RL_EXIT_DONE) { // the folder is not this run's: nothing is written
    return claimed;
  }
  char reason[256];
  const int obstacle = find_obstacle(r, reason, sizeof reason);
  if (obstacle != RL_EXIT_DONE) {
    return give_up(r, obstacle, reason);
  }
  const char *cache = r->options->cache;
  if (cache && rl_cache_fetch(cache, r->manifest, r->folder)) {
    return RL_EXIT_DONE;
  }
  if (!rl_manifest_write(r->manifest, r->folder) || !prepare(r)) {
    const int error = errno;
    const int status = fail(r, "cannot start");
    rl_manifest_finish(r->manifest, "failed", strerror(error), NULL, 0);
    rl_manifest_write(r->manifest, r->folder);
    return status;
  }
  const int status = finish(r, loop(r));
  if (cache && status == RL_EXIT_DONE) {
    rl_cache_store(cache, r->manifest, r->folder);
  }
  return status;
}

int rl_run(const rl_scenario *scenario, const rl_solver_spec *solver, const rl_run_options *options,
           const char *folder, const char *command) {
  run r = {.scenario = scenario, .solver = solver, .options = options, .folder = folder};
  if (!rl_run_plan(scenario, options, &r.schedule)) {
    return RL_EXIT_USAGE;
  }
  const rl_run_facts facts = {.scenario = scenario,
                              .solver = solver,
                              .command = command,
                              .comparison = options->comparison,
                              .step = r.schedule.dt,
                              .duration = r.schedule.dt * (double)r.schedule.steps,
                              .limit = options->limit,
                              .steps = r.schedule.steps,
                              .every = r.schedule.every,
                              .frames_every = r.schedule.frames_every,
                              .trace = options->trace};
  r.manifest = rl_manifest_create(&facts);
  r.changes = json_array();
  r.notes = json_array();
  r.unparted_rope = r.strict_rope = RL_NONE;
  int status = RL_EXIT_FAILED;
  if (r.manifest && r.changes && r.notes) {
    status = carry_out(&r);
  } else {
    errno = ENOMEM;
    fail(&r, "cannot describe the run");
  }
  rl_driver_free(r.driver);
  free(r.trace);
  json_decref(r.changes);
  json_decref(r.notes);
  json_decref(r.manifest);
  return status;
}
