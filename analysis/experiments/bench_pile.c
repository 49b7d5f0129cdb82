// SPDX-License-Identifier: GPL-3.0-or-later
#include "bench_pile.h"

#include "bench.h"
#include "runs/timing.h"
#include "world/driver.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// The pile: layers of ropes, each across the one below. It settles for SETTLING steps in each of
// RUNS runs; the most expensive step is the one whose least time over the runs is largest.
enum {
  LAYERS = 25,
  PER_LAYER = 20,
  ROPES = LAYERS * PER_LAYER,
  SEGMENTS = 20,
  SETTLING = 20,
  RUNS = 3
};
enum { NAME = 16, BARE_SWEEPS = 20 };
static const double radius = 0.01, pitch = 0.025, dt = 1.0 / 240.0;

static const struct {
  const char *name, *spec;
} set_ups[RL_BENCH_PILE_ENTRIES - 1] = {
    {"pbd", "pbd,iterations=20"},
    {"xpbd", "xpbd,substeps=20"},
    {"impulse", "impulse,iterations=20"},
};

static rl_rope_definition make_rope(const char *name, int index) {
  const double y = 2.0 * radius * (index / PER_LAYER), at = (index % PER_LAYER + 0.5) * pitch;
  const double width = PER_LAYER * pitch;
  const bool across = index / PER_LAYER % 2 == 1;
  rl_rope_definition rope = rl_rope_defaults();
  rope.name = name;
  rope.from = (rl_end){.kind = RL_END_FREE, .at = {across ? at : 0.0, y, across ? 0.0 : at}};
  rope.to = (rl_end){.kind = RL_END_FREE, .at = {across ? at : width, y, across ? width : at}};
  rope.segments = SEGMENTS;
  rope.mass = 0.05;
  rope.radius = radius;
  rope.friction = 0.3;
  rope.rope_collide = true;
  return rope;
}

static rl_model *make_pile(void) {
  const rl_part_definition plane = {.shape = RL_PLANE, .normal = {0.0, 1.0, 0.0}};
  rl_body_definition floor = rl_body_defaults();
  floor.name = "floor";
  floor.motion = RL_FIXED;
  floor.position = rl_vec(0.0, -radius, 0.0);
  floor.friction = 0.5;
  floor.part_count = 1;
  floor.parts = &plane;
  static char names[ROPES][NAME];
  rl_rope_definition *ropes = calloc(ROPES, sizeof *ropes);
  for (int i = 0; ropes && i < ROPES; i++) {
    snprintf(names[i], NAME, "r%d", i);
    ropes[i] = make_rope(names[i], i);
  }
  const rl_definition definition = {.gravity = {0.0, -9.81, 0.0},
                                    .bodies = &floor,
                                    .body_count = 1,
                                    .ropes = ropes,
                                    .rope_count = ROPES};
  rl_fault fault;
  rl_model *model = ropes ? rl_model_create(&definition, &fault) : NULL;
  free(ropes);
  return model;
}

// Makes one Gauss-Seidel sweep over the elements and the contacts between ropes, without friction.
static void sweep_bare(const rl_driver *d, double *multipliers) {
  rl_point *points = d->state->points;
  for (uint32_t k = 0; k < d->model->link_count; k++) {
    const rl_link *link = &d->state->links[k];
    const rl_link_value v = rl_link_evaluate(link, points);
    const double s = v.value / v.inverse_mass;
    rl_move(&points[link->a], rl_scale(points[link->a].w * s, v.d));
    rl_move(&points[link->b], rl_scale(-points[link->b].w * s, v.d));
  }
  for (uint64_t k = 0; k < d->state->contact_count; k++) {
    const rl_crossing *c = &d->rows->crossings[k];
    if (c->slots[0] == RL_NONE) {
      continue;
    }
    const double value = rl_crossing_value(c, rl_crossing_way(c, points));
    const double now = rl_larger(0.0, multipliers[k] + value / c->inverse_mass);
    const rl_vec3 push = rl_scale(now - multipliers[k], c->normal);
    multipliers[k] = now;
    for (size_t i = 0; i < 4; i++) {
      rl_point *p = &points[c->slots[i]];
      rl_move(p, rl_scale(c->shares[i] * p->w, push));
    }
  }
}

static double time_bare(const rl_driver *d, double *multipliers, size_t rows) {
  memset(multipliers, 0, d->model->contact_capacity * sizeof *multipliers);
  const double from = rl_seconds_used();
  for (int i = 0; i < BARE_SWEEPS; i++) {
    sweep_bare(d, multipliers);
  }
  return 1e9 * (rl_seconds_used() - from) / (double)(BARE_SWEEPS * rows);
}

static size_t count_contacts(const rl_state *state) {
  size_t count = 0;
  for (uint64_t i = 0; i < state->contact_count; i++) {
    count += rl_is_of_ropes(&state->contacts[i]) ? 1 : 0;
  }
  return count;
}

// Times a whole step; then, from the same start, detection and solver by themselves.
static void time_once(rl_driver *d, const rl_state *start, rl_bench_pile_entry *e) {
  rl_driver_set_state(d, start);
  const double begin = rl_seconds_used();
  rl_driver_step(d);
  e->step = fmin(e->step, 1e3 * (rl_seconds_used() - begin));
  rl_driver_set_state(d, start);
  const double find = rl_seconds_used();
  rl_detect(d->model, d->state, d->dt, d->rows);
  const double solve = rl_seconds_used();
  e->contacts = count_contacts(d->state);
  e->finding = fmin(e->finding, 1e6 * (solve - find) / (double)e->contacts);
  const double rows = (double)rl_unknown_count(d->model, d->state);
  d->info.iterations = 0;
  const double from = rl_seconds_used();
  d->type->step(d->memory, d->model, d->state, d->rows, d->dt, &d->info);
  e->nanoseconds =
      fmin(e->nanoseconds, 1e9 * (rl_seconds_used() - from) / (rows * (double)d->info.iterations));
}

// Times the steps in which the pile settles, and leaves it settled.
static void time_settling(rl_driver *d, const rl_state *start, rl_bench_pile_entry *e) {
  double least[SETTLING];
  for (int run = 0; run < RUNS; run++) {
    rl_driver_set_state(d, start);
    for (int i = 0; i < SETTLING; i++) {
      const double begin = rl_seconds_used();
      rl_driver_step(d);
      const double time = 1e3 * (rl_seconds_used() - begin);
      least[i] = run == 0 ? time : fmin(least[i], time);
    }
  }
  e->worst = 0.0;
  for (int i = 0; i < SETTLING; i++) {
    e->worst = fmax(e->worst, least[i]);
  }
}

static bool time_solver(const rl_model *model, const char *spec, rl_bench_pile_entry *e,
                        rl_bench_pile_entry *bare) {
  rl_solver_spec solver;
  char message[256];
  rl_driver *d = rl_solver_spec_parse(spec, &solver, message, sizeof message)
                     ? rl_driver_create(model, solver.type, solver.parameters, dt)
                     : NULL;
  rl_state *start = rl_state_create(model);
  double *multipliers = calloc(model->contact_capacity, sizeof *multipliers);
  const bool good = d && start && multipliers;
  if (good) {
    time_settling(d, start, e);
    rl_state_copy(start, d->state);
  }
  for (int i = 0; i < RL_BENCH_REPEATS && good; i++) {
    time_once(d, start, e);
    if (bare) {
      rl_driver_set_state(d, start);
      rl_detect(model, d->state, dt, d->rows);
      const size_t rows = model->link_count + count_contacts(d->state);
      bare->nanoseconds = fmin(bare->nanoseconds, time_bare(d, multipliers, rows));
      bare->contacts = e->contacts;
    }
  }
  rl_driver_free(d);
  rl_state_free(start);
  free(multipliers);
  return good;
}

size_t rl_bench_pile(rl_bench_pile_entry entries[RL_BENCH_PILE_ENTRIES]) {
  rl_model *model = make_pile();
  bool good = model != NULL;
  for (size_t i = 0; i < RL_BENCH_PILE_ENTRIES && good; i++) {
    entries[i] = (rl_bench_pile_entry){.elements = model->link_count,
                                       .nanoseconds = INFINITY,
                                       .ratio = NAN,
                                       .finding = i > 0 ? INFINITY : NAN,
                                       .step = i > 0 ? INFINITY : NAN,
                                       .worst = NAN};
  }
  for (size_t i = 1; i < RL_BENCH_PILE_ENTRIES && good; i++) {
    entries[i].name = set_ups[i - 1].name;
    good = time_solver(model, set_ups[i - 1].spec, &entries[i], i == 1 ? &entries[0] : NULL);
    entries[i].ratio = entries[i].nanoseconds / entries[0].nanoseconds;
  }
  rl_model_free(model);
  return good ? RL_BENCH_PILE_ENTRIES : 0;
}
