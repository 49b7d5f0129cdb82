// SPDX-License-Identifier: GPL-3.0-or-later
#include "reference.h"

#include "run.h"
#include "run_cache.h"
#include "timing.h"
#include "world/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *const preferred[] = {"reference", "rattle", "penalty,integrator=rk4,substeps=1"};

// Returns the capabilities that a solver lacks as a reference: those that the model needs, and
// RL_CAN_LINKS if it was not asked for and replaces inextensible elements by springs.
static uint32_t missing(const rl_model *model, const rl_solver_type *type, bool asked) {
  const bool is_soft = type->stored_energy && !(model->capabilities & RL_CAN_ELASTIC);
  return rl_driver_missing(model, type) | (is_soft && !asked ? RL_CAN_LINKS : 0);
}

static bool find_default(const rl_model *model, rl_solver_spec *reference) {
  char message[256];
  for (size_t i = 0; i < sizeof preferred / sizeof preferred[0]; i++) {
    if (rl_solver_spec_parse(preferred[i], reference, message, sizeof message) &&
        missing(model, reference->type, false) == 0) {
      return true;
    }
  }
  return false;
}

bool rl_reference_choose(const rl_scenario *scenario, const char *asked, rl_solver_spec *reference,
                         int *status) {
  char message[512];
  if (asked && !rl_solver_spec_parse(asked, reference, message, sizeof message)) {
    fprintf(stderr, "ropelab: --reference %s: %s\n", asked, message);
    *status = RL_EXIT_USAGE;
    return false;
  }
  const uint32_t lacks = asked ? missing(scenario->model, reference->type, true) : 0;
  *status = RL_EXIT_UNSUPPORTED;
  if (lacks) {
    fprintf(stderr, "ropelab: the reference %s does not support %s: the solver cannot do: %s\n",
            reference->type->name, scenario->name, rl_capability_name(lacks & -lacks));
    return false;
  }
  if (!asked && !find_default(scenario->model, reference)) {
    fprintf(stderr, "ropelab: there is no default reference for %s; expected --reference\n",
            scenario->name);
    return false;
  }
  return true;
}

// Progress of the reference run: steps done and to do, when it was last shown, its time limit.
typedef struct progress {
  uint64_t done, count;
  double shown;        // [s]
  double begun, limit; // processor time [s]: at the start, and allowed (nan: no limit)
} progress;

static progress start_progress(uint64_t count, double limit) {
  return (progress){0, count, rl_seconds_now(), rl_seconds_used(), limit};
}

static bool is_late(const progress *p) { return rl_seconds_used() - p->begun > p->limit; }

static bool is_stopped(const progress *p) { return rl_run_interrupted() || is_late(p); }

// Shows the progress at most every 0.2 s, and at the end.
static void show_progress(progress *p, double share) {
  static const double pause = 0.2; // [s]
  const double now = rl_seconds_now();
  const bool is_end = p->done == p->count;
  if (isatty(STDERR_FILENO) && (now - p->shown > pause || is_end)) {
    p->shown = now;
    fprintf(stderr, "\rreference: %.0f %%%s", 100.0 * ((double)p->done + share) / (double)p->count,
            is_end ? "\r\033[K" : "");
  }
}

// Called by the driver within a long step; true stops it.
static bool watch_step(void *self, double share) {
  show_progress(self, share);
  return is_stopped(self);
}

// Makes `count` steps and stores the mean of the state's tensions over them in `tensions`.
static rl_reason take_steps(rl_driver *driver, uint64_t count, double *tensions,
                            const progress *p) {
  const uint32_t links = driver->model->link_count;
  rl_reason reason = RL_RUNNING;
  memset(tensions, 0, links * sizeof *tensions);
  for (uint64_t n = 0; n < count && reason >= 0 && !is_stopped(p); n++) {
    reason = rl_driver_step(driver);
    for (uint32_t i = 0; i < links; i++) {
      tensions[i] += driver->state->multipliers[i] / (double)count;
    }
  }
  return reason;
}

// Sets step number and time of a state to those after `steps` steps of `dt`.
static void number(rl_state *state, uint64_t steps, double dt) {
  state->step = steps;
  state->time = (double)steps * dt;
}

// Returns the exit status of a run that got this far, and the reason in `why`.
static int describe_end(const rl_driver *driver, const rl_solver_spec *reference, rl_reason reason,
                        const progress *p, char why[RL_WHY_MAX]) {
  char limit[128];
  if (rl_run_interrupted()) {
    return RL_EXIT_INTERRUPTED;
  }
  if (reason < 0) {
    snprintf(why, RL_WHY_MAX, "the reference %s diverged at t = %.6g s: %s", reference->label,
             driver->state->time, rl_reason_name(reason));
    return RL_EXIT_DIVERGED;
  }
  if (is_late(p)) {
    rl_describe_limit(p->limit, limit, sizeof limit);
    snprintf(why, RL_WHY_MAX,
             "the reference %s %s, at t = %.6g s; expected a longer time limit, or fewer steps",
             reference->label, limit, driver->state->time);
    return RL_EXIT_FAILED;
  }
  return RL_EXIT_DONE;
}

int rl_reference_print_failure(const rl_scenario *scenario, int status, const char *why) {
  if (status != RL_EXIT_INTERRUPTED) {
    fprintf(stderr, "ropelab: %s: %s\n", scenario->name, why);
  }
  return status;
}

// The drivers that make the steps of a walk.
typedef struct walker {
  const rl_walk *walk;
  rl_driver *driver, *coarse; // with all substeps; with half of them, to estimate the error
  double *tensions;
  progress steps; // in steps of the comparison
} walker;

static uint64_t coarse_substeps(const rl_walk *walk) {
  return walk->substeps > 1 ? walk->substeps / 2 : 1;
}

// Repeats the step from the origin's start with half as many substeps and stores the difference as
// its uncertainty. An adaptive solver that makes one substep repeats it as it is, and its own error
// estimate counts.
static rl_reason judge(const walker *w, uint64_t at, rl_origin *origin) {
  const uint64_t substeps = coarse_substeps(w->walk);
  rl_driver_set_state(w->coarse, origin->start);
  number(w->coarse->state, at * substeps, w->coarse->dt);
  const rl_reason reason = take_steps(w->coarse, substeps, w->tensions, &w->steps);
  memcpy(w->coarse->state->multipliers, w->tensions,
         w->driver->model->link_count * sizeof *w->tensions);
  rl_distance_norms *u = &origin->uncertainty;
  *u = rl_state_distance(w->driver->model, w->coarse->state, origin->end);
  u->position_rms = fmax(u->position_rms, w->coarse->info.error_estimate);
  u->position_max = fmax(u->position_max, w->coarse->info.error_estimate);
  return reason;
}

// Stores the current state of the reference and the state one step later in an origin.
static rl_reason make_origin(const walker *w, uint64_t at, rl_origin *origin) {
  const rl_model *model = w->driver->model;
  rl_state_copy(origin->start, w->driver->state);
  number(origin->start, at, w->walk->step);
  rl_reason reason = take_steps(w->driver, w->walk->substeps, w->tensions, &w->steps);
  rl_state_copy(origin->end, w->driver->state);
  memcpy(origin->end->multipliers, w->tensions, model->link_count * sizeof *w->tensions);
  const rl_distance_norms unknown = {NAN, NAN, NAN, NAN, NAN, NAN};
  origin->uncertainty = unknown;
  if (w->coarse && reason > 0) {
    reason = judge(w, at, origin);
  }
  return reason;
}

static int follow(walker *w, rl_origin *origins, char why[RL_WHY_MAX]) {
  const rl_walk *walk = w->walk;
  progress *steps = &w->steps;
  *steps = start_progress(walk->at[walk->count - 1] + 1, walk->limit);
  const rl_watch watch = {watch_step, steps};
  w->driver->info.watch = &watch;
  if (w->coarse) {
    w->coarse->info.watch = &watch;
  }
  int status = RL_EXIT_DONE;
  for (size_t i = 0; i < walk->count && status == RL_EXIT_DONE; i++) {
    rl_reason reason = RL_RUNNING;
    for (; steps->done < walk->at[i] && reason >= 0 && !is_stopped(steps); steps->done++) {
      reason = take_steps(w->driver, walk->substeps, w->tensions, steps);
      show_progress(steps, 0.0);
    }
    reason = reason >= 0 ? make_origin(w, walk->at[i], &origins[i]) : reason;
    status = describe_end(w->driver, walk->reference, reason, steps, why);
    steps->done++; // the step from the origin to its end
    show_progress(steps, 0.0);
  }
  return status;
}

int rl_origins_make(const rl_walk *walk, rl_origin *origins, char why[RL_WHY_MAX]) {
  const rl_model *model = walk->scenario->model;
  walker w = {.walk = walk};
  w.driver = rl_run_driver(walk->scenario, walk->reference, walk->step / (double)walk->substeps);
  const bool judged = walk->substeps > 1 || walk->reference->type->is_adaptive;
  w.coarse = judged ? rl_run_driver(walk->scenario, walk->reference,
                                    walk->step / (double)coarse_substeps(walk))
                    : NULL;
  w.tensions = calloc((size_t)model->link_count + 1, sizeof *w.tensions);
  bool good = w.driver && (w.coarse || !judged) && w.tensions;
  for (size_t i = 0; i < walk->count && good; i++) {
    origins[i].start = rl_state_create(model);
    origins[i].end = rl_state_create(model);
    good = origins[i].start && origins[i].end;
  }
  int status = RL_EXIT_FAILED;
  if (good) {
    status = follow(&w, origins, why);
  } else {
    snprintf(why, RL_WHY_MAX, "out of memory for %zu states", walk->count);
  }
  rl_driver_free(w.driver);
  rl_driver_free(w.coarse);
  free(w.tensions);
  return status;
}

// ---------------------------------------------------------------------------------------------
// Reference runs in the cache that studies share

// Creates the manifest of data kept of a run; takes over `kept`. NULL: out of memory.
static json_t *describe(const rl_scenario *scenario, const rl_solver_spec *reference, double dt,
                        uint64_t steps, json_t *kept) {
  const rl_run_facts facts = {.scenario = scenario,
                              .solver = reference,
                              .command = "",
                              .step = dt,
                              .duration = dt * (double)steps,
                              .limit = NAN,
                              .steps = steps};
  json_t *manifest = rl_manifest_create(&facts);
  json_object_set_new(manifest, "kept", kept);
  return manifest;
}

static json_t *list_numbers(const uint64_t *numbers, size_t count) {
  json_t *list = json_array();
  for (size_t i = 0; i < count; i++) {
    json_array_append_new(list, json_integer((json_int_t)numbers[i]));
  }
  return list;
}

typedef struct origin_list {
  const rl_model *model;
  rl_origin *origins;
  size_t count;
} origin_list;

static bool write_origins(void *context, FILE *file) {
  const origin_list *list = context;
  bool good = true;
  for (size_t i = 0; i < list->count && good; i++) {
    const rl_origin *o = &list->origins[i];
    good = rl_state_write(o->start, file) && rl_state_write(o->end, file) &&
           fwrite(&o->uncertainty, sizeof o->uncertainty, 1, file) == 1;
  }
  return good;
}

static bool read_origins(const origin_list *list, FILE *file) {
  bool good = true;
  for (size_t i = 0; i < list->count && good; i++) {
    rl_origin *o = &list->origins[i];
    o->start = rl_state_create(list->model);
    o->end = rl_state_create(list->model);
    good = o->start && o->end && rl_state_read(o->start, file) && rl_state_read(o->end, file) &&
           fread(&o->uncertainty, sizeof o->uncertainty, 1, file) == 1;
  }
  if (!good) {
    rl_origins_free(list->origins, list->count);
    memset(list->origins, 0, list->count * sizeof *list->origins);
  }
  return good;
}

int rl_origins_share(const char *cache, const rl_walk *walk, rl_origin *origins, bool *shared,
                     char why[RL_WHY_MAX]) {
  json_t *kept = json_pack("{s:o, s:I}", "states", list_numbers(walk->at, walk->count), "substeps",
                           (json_int_t)walk->substeps);
  json_t *manifest = describe(walk->scenario, walk->reference, walk->step / (double)walk->substeps,
                              (walk->at[walk->count - 1] + 1) * walk->substeps, kept);
  origin_list list = {walk->scenario->model, origins, walk->count};
  FILE *file = rl_cache_open(cache, manifest);
  *shared = file && read_origins(&list, file);
  if (file) {
    fclose(file);
  }
  int status = RL_EXIT_DONE;
  if (!*shared) {
    status = rl_origins_make(walk, origins, why);
    if (status == RL_EXIT_DONE) {
      rl_cache_keep(cache, manifest, write_origins, &list);
    }
  }
  json_decref(manifest);
  return status;
}

// Writes the positions of all places.
static bool write_places(const rl_model *model, const rl_state *state, FILE *file) {
  bool good = true;
  for (uint32_t i = 0; i < model->place_count && good; i++) {
    const rl_vec3 place = rl_position(&state->points[i]);
    good = fwrite(&place, sizeof place, 1, file) == 1;
  }
  return good;
}

// A track while it is made.
typedef struct track_maker {
  const rl_reference_track *track;
  char *why;
  int status; // exit status of the run; a failed write is not an error
} track_maker;

static bool write_track(void *context, FILE *file) {
  track_maker *maker = context;
  const rl_reference_track *t = maker->track;
  const rl_model *model = t->scenario->model;
  rl_driver *driver = rl_run_driver(t->scenario, t->reference, t->step);
  bool good = driver != NULL;
  progress steps = start_progress(t->pieces * t->piece, t->limit);
  const rl_watch watch = {watch_step, &steps};
  if (good) {
    driver->info.watch = &watch;
  }
  for (uint64_t p = 0; p < t->pieces && good; p++) {
    good = rl_state_write(driver->state, file) && write_places(model, driver->state, file);
    for (uint64_t n = 1; n <= t->piece && good; n++) {
      const rl_reason reason = rl_driver_step(driver);
      maker->status = describe_end(driver, t->reference, reason, &steps, maker->why);
      good = maker->status == RL_EXIT_DONE &&
             (n % t->stride != 0 || write_places(model, driver->state, file));
      steps.done++;
      show_progress(&steps, 0.0);
    }
  }
  rl_driver_free(driver);
  return good;
}

static json_t *describe_track(const rl_reference_track *t) {
  const uint64_t shape[] = {t->pieces, t->piece, t->stride};
  return describe(t->scenario, t->reference, t->step, t->pieces * t->piece,
                  json_pack("{s:o}", "track", list_numbers(shape, 3)));
}

FILE *rl_reference_track_open(const char *cache, const rl_reference_track *track) {
  json_t *manifest = describe_track(track);
  FILE *file = rl_cache_open(cache, manifest);
  json_decref(manifest);
  return file;
}

int rl_reference_track_keep(const char *cache, const rl_reference_track *track,
                            char why[RL_WHY_MAX]) {
  json_t *manifest = describe_track(track);
  track_maker maker = {track, why, RL_EXIT_DONE};
  rl_cache_keep(cache, manifest, write_track, &maker);
  json_decref(manifest);
  return maker.status;
}

bool rl_reference_track_read(FILE *file, const rl_reference_track *t, rl_state *start,
                             rl_vec3 *places) {
  const size_t count = t->scenario->model->place_count;
  bool good = rl_state_read(start, file);
  for (uint64_t n = 0; n <= t->piece && good; n += t->stride) {
    good = fread(&places[n * count], sizeof *places, count, file) == count;
  }
  return good;
}

void rl_origins_free(rl_origin *origins, size_t count) {
  for (size_t i = 0; i < count; i++) {
    rl_state_free(origins[i].start);
    rl_state_free(origins[i].end);
  }
}
