// SPDX-License-Identifier: GPL-3.0-or-later
#include "run.h"

#include "available_memory.h"
#include "change_text.h"
#include "event_notes.h"
#include "results/files.h"
#include "results/listed_files.h"
#include "results/manifest.h"
#include "results/trajectory.h"
#include "run_cache.h"
#include "run_notes.h"
#include "timing.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Number of snapshots of a run: at its start, its quarters and its end.
enum { SNAPSHOTS = 5 };

// Frames a second of the trajectory, and the least number of frames of a short run.
static const double frame_rate = 60.0, fewest_frames = 120.0;

// A step that differs from the requested one by more than this gets a note [s].
static const double note_above = 1e-9;

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
            "ropelab: note: %s: the duration does not divide by the step: %llu step%s of %.10g s "
            "instead of %.10g s\n",
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
  bool late;    // the time limit was exceeded
  double shown; // progress shown last [%]
  rl_run_notes notes;
} run;

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
  r->notes.driver = r->driver;
  if (!r->trace || !r->driver) {
    errno = ENOMEM;
    return false;
  }
  r->recorder = rl_recorder_create(r->folder, r->scenario, r->driver);
  return r->recorder != NULL;
}

// Whether messages go to stderr; the cells of a comparison leave them to its summary.
static bool prints_messages(const run *r) { return !r->options->quiet; }

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
  return rl_run_interrupted() || is_late(r);
}

static bool is_snapshot_step(const run *r, uint64_t step) {
  for (uint64_t i = 0; i < SNAPSHOTS; i++) {
    if (step == r->schedule.steps * i / (SNAPSHOTS - 1)) {
      return true;
    }
  }
  return false;
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
  summary->halved += driver->is_halved ? 1 : 0;
  if (rl_driver_is_unsettled(driver)) {
    summary->unsettled++;
    summary->unsettled_residual = fmax(summary->unsettled_residual, driver->info.residual);
  }
  if (!isnan(driver->info.error_estimate)) {
    summary->estimated_until = driver->state->time;
  }
  rl_run_notes_step(&r->notes);
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
  uint64_t rows = 0; // the last step that has a row
  rl_record_row(r->recorder, r->driver, true);
  rl_record_snapshot(r->recorder, r->driver);
  r->late = is_late(r); // writing the start of a long rope takes time, too
  bool last = rl_run_interrupted() || r->late;
  for (uint64_t step = 1; !last && rl_recorder_is_good(r->recorder); step++) {
    const bool traced = r->options->trace > 0 ? step % r->options->trace == 0 : step == steps;
    const bool recorded = step % r->schedule.every == 0 || step == steps;
    reason = take_step(r, traced, recorded);
    r->late = (step < steps || reason == RL_RUNNING) && is_late(r);
    last = step == steps || reason < 0 || reason == RL_STOPPED || rl_run_interrupted() || r->late;
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
  rl_run_notes_step_limit(&r->notes, o->text + used, sizeof o->text - (size_t)used);
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
      rl_change_describe(&r->driver->changes[count - 1], r->scenario->model, o.text, sizeof o.text);
    }
  } else if (rl_run_interrupted() && summary->steps_done < r->schedule.steps) {
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
  rl_run_notes_end(&r->notes, reason, &summary, o.text, sizeof o.text);
  json_object_set(r->manifest, "notes", r->notes.texts);
  if (!saved) {
    errno = error;
    o.status = fail(r, "cannot write");
    o.name = "failed";
    snprintf(o.text, sizeof o.text, "the results could not be written");
  }
  rl_manifest_finish(r->manifest, o.name, o.text, &summary, rl_state_hash(r->driver->state));
  rl_manifest_enter_files(r->manifest, r->folder);
  if (r->driver->change_capacity > 0) {
    json_object_set(r->manifest, "changes", r->notes.changes);
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
  r.notes = rl_run_notes_start(scenario, solver, options->quiet);
  int status = RL_EXIT_FAILED;
  if (r.manifest && r.notes.changes && r.notes.texts) {
    status = carry_out(&r);
  } else {
    errno = ENOMEM;
    fail(&r, "cannot describe the run");
  }
  rl_driver_free(r.driver);
  free(r.trace);
  json_decref(r.notes.changes);
  json_decref(r.notes.texts);
  json_decref(r.manifest);
  return status;
}
