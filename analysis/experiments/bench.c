// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench.h"

#include "options.h"
#include "runs/timing.h"
#include "world/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SWEEPS = 20, ROW_EVALUATIONS = 4000000, SCENE_STEPS = 100, ROPES = 100, DRUMS = ROPES + 3 };

static const size_t sizes[] = {100, 1000, 100000};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

static const char *const sequential = "bare Gauss-Seidel";
static const char *const direct = "bare assemble, tridiagonal, apply";

// The solvers on chains, and the bare loop that does the same arithmetic.
static const struct {
  const char *name, *spec;
  const char *const *floor;
} set_ups[] = {
    {"penalty", "penalty,substeps=20", &sequential},
    {"pbd", "pbd,iterations=20", &sequential},
    {"xpbd", "xpbd,substeps=1,iterations=20", &sequential},
    {"impulse", "impulse,iterations=20", &sequential},
    {"pbd-direct", "pbd-direct,iterations=10,tolerance=0", &direct},
    {"rattle", "rattle,iterations=10,tolerance=0", &direct},
};

// Whole steps, with everything the driver does, of shipped scenarios and of a row of drums (NULL).
static const char *const row = "bare distance row";
static const struct {
  const char *name, *scenario, *spec;
  size_t ropes;
} scenes[] = {
    {"step of atwood-drum, impulse", "atwood-drum", "impulse", 1},
    {"step of many-ropes, impulse, 10", "many-ropes", "impulse,iterations=10", 100},
    {"the same, over 2 or 3 drums each", NULL, "impulse,iterations=10", ROPES},
};

// Makes a vertical chain at rest, held at the top, so that every row acts in every iteration.
static rl_model *make_chain(size_t elements) {
  rl_rope_definition rope = rl_rope_defaults();
  rope.name = "chain";
  rope.to = (rl_end){.kind = RL_END_FREE, .at = {0.0, -0.01 * (double)elements, 0.0}};
  rope.segments = elements;
  rope.mass = 0.01 * (double)elements;
  const rl_definition definition = {.gravity = {0.0, -9.81, 0.0}, .ropes = &rope, .rope_count = 1};
  rl_fault fault;
  return rl_model_create(&definition, &fault);
}

// Makes a row of fixed drums a metre apart, with weights between and below them. Each rope leads
// from a weight over the next two drums, in the second half over three, to the weight behind them;
// the last ropes end at fixed points.
static rl_model *make_drums(void) {
  static rl_body_definition bodies[DRUMS + ROPES];
  static rl_rope_definition ropes[ROPES];
  static rl_waypoint waypoints[3 * ROPES];
  static char names[DRUMS + 2 * ROPES][16];
  const rl_part_definition drum = {.shape = RL_CYLINDER, .radius = 0.1, .length = 0.2};
  for (uint32_t i = 0; i < DRUMS + 2 * ROPES; i++) {
    snprintf(names[i], sizeof names[i], "n%u", i);
  }
  for (uint32_t i = 0; i < DRUMS + ROPES; i++) {
    const bool fixed = i < DRUMS;
    bodies[i] = rl_body_defaults();
    bodies[i].name = names[i];
    bodies[i].motion = fixed ? RL_FIXED : RL_FREE;
    bodies[i].mass = 1.0;
    bodies[i].position = fixed ? rl_vec(i, 0.0, 0.0) : rl_vec(i - DRUMS - 0.5, -1.0, 0.0);
    bodies[i].part_count = fixed ? 1 : 0;
    bodies[i].parts = &drum;
  }
  for (uint32_t i = 0; i < ROPES; i++) {
    const uint32_t over = 2 * i < ROPES ? 2 : 3, to = i + over;
    for (uint32_t k = 0; k < over; k++) {
      waypoints[3 * i + k] =
          (rl_waypoint){.body = i + k, .part = RL_NONE, .side.x = NAN, .friction = NAN};
    }
    ropes[i] = rl_rope_defaults();
    ropes[i].name = names[DRUMS + ROPES + i];
    ropes[i].from = (rl_end){.kind = RL_END_BODY, .body = DRUMS + i};
    ropes[i].to = to < ROPES ? (rl_end){.kind = RL_END_BODY, .body = DRUMS + to}
                             : (rl_end){.kind = RL_END_POINT, .at = {to - 0.5, -1.0, 0.0}};
    ropes[i].waypoints = &waypoints[3 * i];
    ropes[i].waypoint_count = over;
  }
  const rl_definition definition = {.gravity = {0.0, -9.81, 0.0},
                                    .bodies = bodies,
                                    .body_count = DRUMS + ROPES,
                                    .ropes = ropes,
                                    .rope_count = ROPES};
  rl_fault fault;
  return rl_model_create(&definition, &fault);
}

// A chain or scene to be timed, with a copy of its start from which every repeat begins.
typedef struct subject {
  rl_scenario *scene; // owns the model; NULL: the model belongs to this struct
  rl_model *model;
  rl_state *start;
  rl_driver *driver; // NULL: a bare loop
  bool is_direct;    // the bare loop of direct solvers
  bool is_row, is_step;
  double *scratch; // [5 x elements] of the direct loop
  rl_state *state; // of the bare loop
} subject;

// Makes one sequential Gauss-Seidel sweep over the elements.
static void sweep_bare(rl_state *state, size_t elements) {
  rl_point *points = state->points;
  const rl_link *links = state->links;
  for (size_t k = 0; k < elements; k++) {
    rl_point *a = &points[links[k].a];
    rl_point *b = &points[links[k].b];
    const rl_vec3 d = {b->x - a->x, b->y - a->y, b->z - a->z};
    const double length = sqrt(d.x * d.x + d.y * d.y + d.z * d.z);
    const double s = (length - links[k].rest) / (length * (a->w + b->w));
    rl_move(a, rl_scale(a->w * s, d));
    rl_move(b, rl_scale(-b->w * s, d));
  }
}

// Evaluates distance rows, each of which depends on the result of the one before.
static void evaluate_bare(rl_state *state, size_t rows) {
  for (size_t i = 0; i < rows; i++) {
    const rl_link_value v = rl_link_evaluate(&state->links[0], state->points);
    state->points[state->links[0].b].y -= 1e-9 * v.value * v.d.y;
  }
}

// Makes one Newton iteration: evaluates the rows, assembles and solves the tridiagonal system
// (Thomas algorithm), and moves the nodes.
static void newton_bare(rl_state *state, size_t elements, double *scratch) {
  rl_point *points = state->points;
  const rl_link *links = state->links;
  double *diagonal = scratch, *above = scratch + elements, *x = scratch + 2 * elements;
  rl_vec3 *d = (rl_vec3 *)(void *)(scratch + 3 * elements);
  for (size_t k = 0; k < elements; k++) {
    const rl_link_value v = rl_link_evaluate(&links[k], points);
    d[k] = v.d;
    x[k] = v.value;
    diagonal[k] = v.inverse_mass;
    above[k] = k > 0 ? -points[links[k].a].w * rl_dot(d[k - 1], d[k]) : 0.0;
  }
  for (size_t k = 1; k < elements; k++) {
    const double factor = above[k] / diagonal[k - 1];
    diagonal[k] -= factor * above[k];
    x[k] -= factor * x[k - 1];
  }
  for (size_t k = elements; k-- > 0;) {
    x[k] = (x[k] - (k + 1 < elements ? above[k + 1] * x[k + 1] : 0.0)) / diagonal[k];
  }
  for (size_t k = 0; k < elements; k++) {
    rl_move(&points[links[k].a], rl_scale(points[links[k].a].w * x[k], d[k]));
    rl_move(&points[links[k].b], rl_scale(-points[links[k].b].w * x[k], d[k]));
  }
}

static void free_subject(subject *s) {
  rl_driver_free(s->driver);
  rl_state_free(s->start);
  rl_state_free(s->state);
  free(s->scratch);
  if (s->scene) {
    rl_scenario_free(s->scene);
  } else {
    rl_model_free(s->model);
  }
}

static bool make_driver(subject *s, const char *spec) {
  rl_solver_spec solver;
  char message[256];
  if (rl_solver_spec_parse(spec, &solver, message, sizeof message)) {
    s->driver = rl_driver_create(s->model, solver.type, solver.parameters, 1.0 / 240.0);
  }
  return s->driver != NULL;
}

static bool make_scene(subject *s, const char *name, const char *spec) {
  rl_diagnostic diagnostic;
  int status;
  *s = (subject){.is_step = true};
  if (name) {
    s->scene = rl_load_changed(name, NULL, 0, NULL, 0, &diagnostic, &status);
    s->model = s->scene ? s->scene->model : NULL;
  } else {
    s->model = make_drums();
  }
  s->start = s->model ? rl_state_create(s->model) : NULL;
  return s->start && make_driver(s, spec);
}

static bool make_subject(subject *s, const char *spec, bool is_direct, size_t elements) {
  *s = (subject){.model = make_chain(elements), .is_direct = is_direct};
  s->start = s->model ? rl_state_create(s->model) : NULL;
  if (s->start && spec) {
    return make_driver(s, spec);
  }
  s->state = s->start ? rl_state_create(s->model) : NULL;
  s->scratch = calloc(6 * elements, sizeof *s->scratch);
  return s->state && s->scratch;
}

// Returns the time of a step [ns], once a run is under way: until some hundreds of steps are made,
// caches are filled and the processor learns its branches, and a step takes a third more.
static double time_scene(subject *s) {
  enum { PASSES = 8 };
  double from = 0.0;
  for (int pass = 0; pass < PASSES; pass++) { // the last counts
    rl_driver_set_state(s->driver, s->start);
    from = rl_seconds_now();
    for (int i = 0; i < SCENE_STEPS; i++) {
      rl_driver_step(s->driver);
    }
  }
  return 1e9 * (rl_seconds_now() - from) / SCENE_STEPS;
}

// Returns the time of one repeat per row and iteration, or per step of a scene [ns].
static double time_subject(subject *s, size_t elements) {
  uint64_t rows = 0;
  double seconds = 0.0;
  if (s->is_step) {
    return time_scene(s);
  }
  if (!s->driver) {
    rl_state_copy(s->state, s->start);
    const double from = rl_seconds_now();
    while (rows < ROW_EVALUATIONS) {
      if (s->is_row) {
        evaluate_bare(s->state, elements);
      } else if (s->is_direct) {
        newton_bare(s->state, elements, s->scratch);
      } else {
        sweep_bare(s->state, elements);
      }
      rows += elements;
    }
    return 1e9 * (rl_seconds_now() - from) / (double)rows;
  }
  rl_driver *d = s->driver;
  rl_state_copy(d->state, s->start);
  while (rows < ROW_EVALUATIONS) {
    d->info.iterations = 0;
    const double from = rl_seconds_now();
    d->type->step(d->memory, d->model, d->state, d->rows, d->dt, &d->info);
    seconds += rl_seconds_now() - from;
    rows += elements * d->info.iterations;
  }
  return 1e9 * seconds / (double)rows;
}

static double nanoseconds_of(const rl_bench_entry *entries, size_t count, const char *name,
                             size_t elements) {
  for (size_t i = 0; i < count; i++) {
    const bool fits = name == row || entries[i].elements == elements;
    if (fits && strcmp(entries[i].name, name) == 0) {
      return entries[i].nanoseconds;
    }
  }
  return NAN;
}

// Makes the lines of the table and their subjects; returns their number, 0 on failure.
static size_t make_subjects(rl_bench_entry *entries, subject *subjects) {
  size_t count = 0;
  bool good = true;
  for (size_t k = 0; k < SIZES && good; k++) {
    entries[count] = (rl_bench_entry){sequential, NULL, sizes[k], INFINITY, NAN, false};
    good = make_subject(&subjects[count++], NULL, false, sizes[k]);
    entries[count] = (rl_bench_entry){direct, NULL, sizes[k], INFINITY, NAN, false};
    good = good && make_subject(&subjects[count++], NULL, true, sizes[k]);
    for (size_t i = 0; i < sizeof set_ups / sizeof set_ups[0] && good; i++) {
      entries[count] =
          (rl_bench_entry){set_ups[i].name, *set_ups[i].floor, sizes[k], INFINITY, NAN, false};
      good = make_subject(&subjects[count++], set_ups[i].spec, false, sizes[k]);
    }
  }
  entries[count] = (rl_bench_entry){row, NULL, 1, INFINITY, NAN, false};
  good = good && make_subject(&subjects[count], NULL, false, 1);
  subjects[count++].is_row = true;
  for (size_t i = 0; i < sizeof scenes / sizeof scenes[0] && good; i++) {
    entries[count] = (rl_bench_entry){scenes[i].name, row, scenes[i].ropes, INFINITY, NAN, true};
    good = make_scene(&subjects[count++], scenes[i].scenario, scenes[i].spec);
  }
  if (!good) {
    for (size_t i = 0; i < count; i++) {
      free_subject(&subjects[i]);
    }
    return 0;
  }
  return count;
}

size_t rl_bench(rl_bench_entry entries[RL_BENCH_ENTRIES_MAX]) {
  subject *subjects = calloc(RL_BENCH_ENTRIES_MAX, sizeof *subjects);
  const size_t count = subjects ? make_subjects(entries, subjects) : 0;
  for (size_t repeat = 0; repeat < RL_BENCH_REPEATS && count > 0; repeat++) {
    for (size_t i = 0; i < count; i++) {
      entries[i].nanoseconds =
          fmin(entries[i].nanoseconds, time_subject(&subjects[i], entries[i].elements));
    }
    rl_show_done(repeat + 1, RL_BENCH_REPEATS, "repeats");
  }
  for (size_t i = 0; i < count; i++) {
    if (entries[i].floor) {
      entries[i].ratio = entries[i].nanoseconds /
                         nanoseconds_of(entries, count, entries[i].floor, entries[i].elements);
    }
    free_subject(&subjects[i]);
  }
  free(subjects);
  return count;
}
