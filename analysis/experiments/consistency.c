// SPDX-License-Identifier: GPL-3.0-or-later
#include "consistency.h"

#include "runs/pool.h"
#include "runs/run.h"
#include "runs/timing.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

// The timing makes at most this many steps at a time, from the same state for all solvers.
enum { TIMED_STEPS = 512 };

// The data of the measurement of one solver.
typedef struct bench {
  const rl_consistency *study;
  const rl_solver_spec *solver;
  rl_consistency_row *rows; // [step_count]
  rl_driver *reference;
  rl_driver *trial; // with the current step
  rl_state *start;  // at the start of the piece
  rl_vec3 *track;   // [(piece + 1) x place_count] positions of the reference in the piece
  FILE *kept;       // stored track of the reference; NULL: it is simulated again
  bool lost;        // the reference, another solver, diverged
} bench;

static rl_driver *make_driver(const rl_consistency *study, const rl_solver_spec *solver,
                              uint64_t multiple) {
  return rl_run_driver(study->scenario, solver, study->reference_step * (double)multiple);
}

static uint64_t common_divisor(uint64_t a, uint64_t b) {
  return b == 0 ? a : common_divisor(b, a % b);
}

static rl_reference_track track_of(const rl_consistency *study) {
  uint64_t stride = 0;
  for (size_t i = 0; i < study->step_count; i++) {
    stride = common_divisor(study->multiples[i], stride);
  }
  return (rl_reference_track){.scenario = study->scenario,
                              .reference = study->reference,
                              .step = study->reference_step,
                              .pieces = study->pieces,
                              .piece = study->piece,
                              .stride = stride,
                              .limit = study->limit};
}

static bool prepare(bench *b, const rl_consistency *study, const rl_solver_spec *solver) {
  const rl_model *model = study->scenario->model;
  *b = (bench){.study = study, .solver = solver};
  b->reference = make_driver(study, study->reference ? study->reference : solver, 1);
  b->start = rl_state_create(model);
  b->track = calloc((size_t)(study->piece + 1) * model->place_count, sizeof *b->track);
  if (study->reference && study->cache && study->step_count > 0) {
    const rl_reference_track track = track_of(study);
    b->kept = rl_reference_track_open(study->cache, &track);
  }
  return b->reference && b->start && b->track;
}

static void release(bench *b) {
  rl_driver_free(b->reference);
  if (b->kept) {
    fclose(b->kept);
  }
  rl_state_free(b->start);
  free(b->track);
}

static void keep_positions(const bench *b, uint64_t step) {
  const uint32_t places = b->study->scenario->model->place_count;
  rl_vec3 *track = &b->track[step * places];
  for (uint32_t i = 0; i < places; i++) {
    track[i] = rl_position(&b->reference->state->points[i]);
  }
}

int rl_consistency_share(const rl_consistency *study, bool *shared, char why[RL_WHY_MAX]) {
  static const double bytes_max = 1e9;
  *shared = false;
  if (!study->reference || !study->cache || study->step_count == 0) {
    return RL_EXIT_DONE;
  }
  const rl_reference_track track = track_of(study);
  const double bytes = (double)(track.pieces * (track.piece / track.stride + 1)) *
                       (double)study->scenario->model->place_count * (double)sizeof(rl_vec3);
  FILE *file = rl_reference_track_open(study->cache, &track);
  if (file) {
    *shared = true;
    fclose(file);
    return RL_EXIT_DONE;
  }
  return bytes < bytes_max ? rl_reference_track_keep(study->cache, &track, why) : RL_EXIT_DONE;
}

// Simulates or reads the next piece of the reference. False if it diverges.
static bool follow_reference(bench *b) {
  if (b->kept) {
    const rl_reference_track track = track_of(b->study);
    return rl_reference_track_read(b->kept, &track, b->start, b->track);
  }
  rl_state_copy(b->start, b->reference->state);
  keep_positions(b, 0);
  for (uint64_t n = 1; n <= b->study->piece && !rl_run_interrupted(); n++) {
    if (rl_driver_step(b->reference) < 0) {
      return false; // every later step fails, too
    }
    keep_positions(b, n);
  }
  return true;
}

// Repeats the piece with a longer step and measures the mean distance from the reference.
static void repeat_piece(bench *b, uint64_t multiple, rl_consistency_row *row) {
  rl_driver_set_state(b->trial, b->start);
  b->trial->state->step = b->start->step / multiple;
  const uint64_t steps = b->study->piece / multiple;
  double sum = 0.0;
  for (uint64_t n = 1; n <= steps && !rl_run_interrupted(); n++) {
    if (rl_driver_step(b->trial) < 0) {
      row->piece_diverged = true;
      row->why = b->trial->info.reason;
      return;
    }
    row->row_evaluations += (double)b->trial->info.row_evaluations;
    const rl_vec3 *others = &b->track[n * multiple * b->trial->model->place_count];
    sum += rl_mean_distance(b->trial->model, b->trial->state, others);
  }
  const double error = sum / (double)steps;
  row->error += error;
  row->error_max = rl_larger(row->error_max, error);
  row->pieces_done++;
}

static void average(const rl_consistency *study, rl_consistency_row *row) {
  const double done = (double)row->pieces_done;
  row->error = done > 0.0 ? row->error / done : NAN;
  row->row_evaluations /= done * (double)study->piece * study->reference_step;
  if (row->pieces_done == 0) {
    row->error_max = row->row_evaluations = NAN;
  }
}

// Measures all pieces with all steps. False when out of memory.
static bool measure_consistency(bench *b) {
  const rl_consistency *study = b->study;
  rl_driver **trials = calloc(study->step_count + 1, sizeof(rl_driver *));
  bool good = trials != NULL;
  for (size_t i = 0; i < study->step_count && good; i++) {
    trials[i] = make_driver(study, b->solver, study->multiples[i]);
    good = trials[i] != NULL;
  }
  for (size_t p = 0; p < study->pieces && good && !b->lost; p++) {
    const bool known = follow_reference(b);
    b->lost = !known && study->reference;
    for (size_t i = 0; i < study->step_count && !b->lost; i++) {
      b->trial = trials[i];
      rl_consistency_row *row = &b->rows[i];
      if (!known && !row->piece_diverged) {
        row->piece_diverged = true;
        row->why = b->reference->info.reason;
      }
      if (!row->piece_diverged) {
        repeat_piece(b, study->multiples[i], row);
      }
    }
  }
  for (size_t i = 0; i < study->step_count && trials; i++) {
    average(study, &b->rows[i]);
    rl_driver_free(trials[i]);
  }
  free(trials);
  return good;
}

// The largest changes of conserved quantities so far.
typedef struct drifts {
  rl_momentum start;
  double scale; // largest sum of m |v| so far
  double linear, angular;
} drifts;

static void watch(drifts *d, const rl_driver *driver, rl_consistency_row *row) {
  const rl_momentum now = rl_state_momentum(driver->model, driver->state);
  double scale = 0.0;
  for (uint32_t i = 0; i < driver->model->place_count; i++) {
    scale += driver->state->masses[i] * rl_length(driver->state->velocities[i]);
  }
  d->scale = rl_larger(d->scale, scale);
  d->linear = rl_larger(d->linear, rl_distance(now.linear, d->start.linear));
  d->angular = rl_larger(d->angular, rl_distance(now.angular, d->start.angular));
  row->energy_drift =
      rl_larger(row->energy_drift, fabs(rl_driver_energy_error(driver)) / driver->energy_scale);
}

// Makes the whole run with one step and measures the drifts. False when out of memory.
static bool measure_drift(const bench *b, uint64_t multiple, rl_consistency_row *row) {
  const rl_model *model = b->study->scenario->model;
  rl_driver *driver = make_driver(b->study, b->solver, multiple);
  if (!driver) {
    return false;
  }
  drifts d = {.start = rl_state_momentum(model, driver->state)};
  const uint64_t steps = b->study->pieces * b->study->piece / multiple;
  for (uint64_t n = 0; n < steps && !row->run_diverged && !rl_run_interrupted(); n++) {
    row->run_diverged = rl_driver_step(driver) < 0;
    row->why = row->run_diverged ? driver->info.reason : row->why;
    watch(&d, driver, row);
  }
  const bool known = !row->run_diverged;
  row->energy_drift = known ? row->energy_drift : NAN;
  row->momentum_drift = known && rl_model_keeps_momentum(model) ? d.linear / d.scale : NAN;
  row->angular_drift = known && rl_model_keeps_angular_momentum(model)
                           ? d.angular / rl_length(d.start.angular)
                           : NAN;
  rl_driver_free(driver);
  return true;
}

// ---------------------------------------------------------------------------------------------
// Everything for one solver, in a process of its own

typedef struct task {
  const rl_consistency *study;
  const size_t *order;      // indices of the solvers, the most expensive first
  rl_consistency_row *rows; // in shared memory
  rl_consistency_end *ends;
} task;

static int measure_solver(void *context, size_t turn) {
  const task *t = context;
  const size_t i = t->order[turn];
  const rl_consistency *study = t->study;
  bench b;
  rl_limit_time(study->limit);
  bool good = prepare(&b, study, &study->solvers[i]);
  b.rows = &t->rows[i * study->step_count];
  good = good && measure_consistency(&b);
  for (size_t k = 0; k < study->step_count && good; k++) {
    good = measure_drift(&b, study->multiples[k], &b.rows[k]);
  }
  release(&b);
  return b.lost ? RL_EXIT_DIVERGED : good ? RL_EXIT_DONE : RL_EXIT_FAILED;
}

static void note_end(void *context, size_t turn, int status) {
  const task *t = context;
  const size_t i = t->order[turn];
  t->ends[i] = status == 0                 ? RL_CONSISTENCY_DONE
               : rl_ended_by_limit(status) ? RL_CONSISTENCY_LATE
               : WIFEXITED(status) && WEXITSTATUS(status) == RL_EXIT_DIVERGED
                   ? RL_CONSISTENCY_LOST
                   : RL_CONSISTENCY_FAILED;
}

// ---------------------------------------------------------------------------------------------
// Timing: this program does nothing else meanwhile

static void time_steps(const rl_consistency *study, const rl_solver_spec *solver, uint64_t multiple,
                       const rl_state *start, rl_consistency_row *row) {
  rl_driver *driver = make_driver(study, solver, multiple);
  if (!driver) {
    return;
  }
  const uint64_t piece = study->piece / multiple;
  const uint64_t steps = piece < TIMED_STEPS ? piece : TIMED_STEPS;
  rl_driver_set_state(driver, start);
  const double from = rl_seconds_now();
  rl_reason reason = RL_RUNNING;
  for (uint64_t n = 0; n < steps && reason >= 0; n++) {
    reason = rl_driver_step(driver);
  }
  const double seconds = (rl_seconds_now() - from) / ((double)steps * driver->dt);
  if (reason >= 0) {
    row->seconds = row->seconds > 0.0 ? fmin(row->seconds, seconds) : seconds;
  }
  rl_driver_free(driver);
}

// Times all solvers alternately, so that a temporary load of the machine affects all of them.
static bool measure_time(const rl_consistency *study, rl_consistency_row *rows,
                         const rl_consistency_end *ends) {
  rl_state *start = rl_state_create(study->scenario->model);
  for (unsigned r = 0; r < study->repeats && start && !rl_run_interrupted(); r++) {
    for (size_t i = 0; i < study->solver_count; i++) {
      for (size_t k = 0; k < study->step_count && ends[i] == RL_CONSISTENCY_DONE; k++) {
        time_steps(study, &study->solvers[i], study->multiples[k], start,
                   &rows[i * study->step_count + k]);
      }
    }
    rl_show_done(r + 1, study->repeats, "timings");
  }
  rl_state_free(start);
  return start != NULL;
}

int rl_consistency_run(const rl_consistency *study, rl_consistency_row *rows,
                       rl_consistency_end *ends, double *others) {
  const size_t count = study->solver_count * study->step_count;
  double *efforts = calloc(study->solver_count + 1, sizeof *efforts);
  size_t *order = calloc(study->solver_count + 1, sizeof *order);
  task t = {study, order, rl_shared_create(count, sizeof *rows), ends};
  if (!t.rows || !order || !efforts) {
    fprintf(stderr, "ropelab: %s\n", strerror(errno));
    free(efforts);
    free(order);
    return RL_EXIT_FAILED;
  }
  for (size_t i = 0; i < study->solver_count; i++) {
    efforts[i] = rl_solver_spec_effort(&study->solvers[i]);
  }
  rl_longest_first(efforts, study->solver_count, order);
  free(efforts);
  const rl_pool pool = {.count = study->solver_count,
                        .jobs = study->jobs,
                        .noun = "solvers",
                        .context = &t,
                        .work = measure_solver,
                        .ended = note_end};
  const bool run = rl_pool_run(&pool);
  memcpy(rows, t.rows, count * sizeof *rows);
  rl_shared_free(t.rows, count, sizeof *rows);
  free(order);
  const rl_load before = rl_load_now();
  const bool timed = rl_run_interrupted() || (run && measure_time(study, rows, ends));
  *others = rl_load_of_others(before, rl_load_now());
  if (!timed) {
    fprintf(stderr, "ropelab: out of memory\n");
  }
  return rl_run_interrupted() ? RL_EXIT_INTERRUPTED : timed ? RL_EXIT_DONE : RL_EXIT_FAILED;
}
