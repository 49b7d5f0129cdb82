// SPDX-License-Identifier: GPL-3.0-or-later
// The rope of the Source engine: Verlet steps with damping and half of gravity, then a fixed number
// of passes over springs that only pull, each end by half. Settled before it is shown, drawn
// through a Catmull-Rom spline. papers/source.md has the equations.
#include "world/memory.h"
#include "world/solver.h"

enum { ITERATIONS, DAMPING, SETTLE, SUBDIVISION, PARAMETER_COUNT };

static const rl_parameter parameters[PARAMETER_COUNT] = {
    [ITERATIONS] = {"iterations", RL_INTEGER, "1", 3, 1, 1e7, NULL, "passes over the springs"},
    [DAMPING] = {"damping", RL_REAL, "1", 0.98, 0, 1, NULL,
                 "how much of the last displacement is repeated, a step"},
    [SETTLE] = {"settle", RL_REAL, "s", 3, 0, 3600, NULL,
                "time for which a new rope is simulated before its first step"},
    [SUBDIVISION] = {"subdivision", RL_INTEGER, "1", 2, 0, 1000, NULL,
                     "points drawn between two nodes; the simulation does not know of them"},
};

static const rl_departure departures[] = {
    {RL_OWN_LAW, "gravity acts by half"},
    {RL_CHANGES_MOMENTUM, "2 % of every velocity are lost in a step, whatever its length"},
    {RL_OWN_LAW, "settles for 3 s before the first step"},
    {RL_OWN_LAW, "both ends of a spring move alike, whatever their masses"},
};

typedef struct source {
  const double *parameters;
  bool started;      // `previous` is valid
  rl_vec3 *previous; // [slots] positions before the last step
} source;

static void lay_out(void *memory, const rl_model *model, rl_carver *c) {
  source *self = memory;
  self->previous = rl_carve(c, model->slot_count, sizeof *self->previous);
}

static void init(void *memory, const rl_model *model, const double *values) {
  source *self = memory;
  (void)model;
  self->parameters = values;
  self->started = false;
}

static void sync(void *memory, const rl_model *model, const rl_state *state) {
  (void)model;
  (void)state;
  ((source *)memory)->started = false;
}

// (1) The last displacement, in a state that another method left behind.
static void recall_displacements(source *self, const rl_model *model, const rl_state *state,
                                 double dt) {
  for (uint32_t i = 0; i < model->slot_count; i++) {
    self->previous[i] = rl_add_scaled(rl_position(&state->points[i]), -dt, state->velocities[i]);
  }
  self->started = true;
}

// (2) x + (last displacement) damping + g dt^2 / 2
static void predict(source *self, const rl_model *model, rl_state *state, double dt) {
  const double damping = self->parameters[DAMPING];
  const double half = dt * dt * 0.5;
  for (uint32_t i = 0; i < model->slot_count; i++) {
    if (state->points[i].w > 0.0) {
      const rl_vec3 at = rl_position(&state->points[i]);
      const rl_vec3 last = rl_sub(at, self->previous[i]);
      const rl_vec3 next = rl_add_scaled(rl_add_scaled(at, damping, last), half, model->gravity);
      self->previous[i] = at;
      rl_put(&state->points[i], next);
    }
  }
}

// (3) A spring that is too long is shortened: each end that is free takes half of the excess. What
// is held stays, and its half is not given to the other end. Returns how far the ends approached.
static double shorten(const rl_link *link, rl_point *points) {
  rl_point *a = &points[link->a];
  rl_point *b = &points[link->b];
  const rl_vec3 to = rl_sub(rl_position(a), rl_position(b));
  const double length = rl_length(to);
  if (!(length > link->rest)) {
    return 0.0;
  }
  const rl_vec3 excess = rl_scale(1.0 - link->rest / length, to);
  const double half = 0.5 * (length - link->rest);
  if (a->w > 0.0) {
    rl_move(a, rl_scale(-0.5, excess));
  }
  if (b->w > 0.0) {
    rl_move(b, rl_scale(0.5, excess));
  }
  return (a->w > 0.0 ? half : 0.0) + (b->w > 0.0 ? half : 0.0);
}

// One pass over all springs in order. Multipliers are positional here: the impulse that makes two
// masses approach by so much, times dt [kg m].
static void pass(const rl_model *model, rl_state *state) {
  for (uint32_t i = 0; i < model->link_count; i++) {
    const rl_link *link = &state->links[i];
    const double inverse_mass = state->points[link->a].w + state->points[link->b].w;
    const double approach = shorten(link, state->points);
    state->multipliers[i] += inverse_mass > 0.0 ? approach / inverse_mass : 0.0;
  }
}

static void clear_multipliers(const rl_model *model, rl_state *state) {
  for (uint32_t i = 0; i < model->link_count; i++) {
    state->multipliers[i] = 0.0;
  }
}

// What was simulated before the rope is shown. Held ends stay where they are at the start.
static void settle(source *self, const rl_model *model, rl_state *state, double dt) {
  const double wanted = floor(self->parameters[SETTLE] / dt + 0.5);
  const uint64_t steps = (uint64_t)fmin(wanted, 1e18); // what fits, and nobody waits for
  const int iterations = (int)self->parameters[ITERATIONS];
  for (uint64_t n = 0; n < steps; n++) {
    predict(self, model, state, dt);
    for (int i = 0; i < iterations; i++) {
      pass(model, state);
    }
  }
}

// (4) The velocity is the last displacement. Driven ends go their way.
static void finish(const source *self, const rl_model *model, rl_state *state, double dt) {
  for (uint32_t i = 0; i < model->slot_count; i++) {
    if (state->points[i].w > 0.0) {
      const rl_vec3 last = rl_sub(rl_position(&state->points[i]), self->previous[i]);
      state->velocities[i] = rl_scale(1.0 / dt, last);
    }
  }
  for (uint32_t i = 0; i < model->link_count; i++) {
    state->multipliers[i] /= dt * dt;
  }
}

static rl_reason step(void *memory, const rl_model *model, rl_state *state, rl_rows *rows,
                      double dt, rl_step_info *info) {
  source *self = memory;
  const int iterations = (int)self->parameters[ITERATIONS];
  clear_multipliers(model, state);
  if (!self->started) {
    recall_displacements(self, model, state, dt);
    if (state->step == 0) {
      settle(self, model, state, dt);
      clear_multipliers(model, state);
    }
  }
  predict(self, model, state, dt);
  for (uint32_t i = 0; i < model->slot_count; i++) {
    if (state->points[i].w == 0.0) {
      rl_move(&state->points[i], rl_scale(dt, state->velocities[i]));
    }
  }
  for (int i = 0; i < iterations; i++) {
    pass(model, state);
    info->iterations++;
    info->row_evaluations += model->link_count;
    if (info->trace || (info->want_residual && i + 1 == iterations)) {
      rl_trace(info, rl_residual(model, state, rows, state->points, state->multipliers,
                                 1.0 / (dt * dt), dt));
    }
  }
  finish(self, model, state, dt);
  return RL_CONVERGED_ITERATIONS;
}

// (5) The point at t of the Catmull-Rom curve from b to c.
static rl_vec3 catmull_rom(rl_vec3 a, rl_vec3 b, rl_vec3 c, rl_vec3 d, double t) {
  const double t2 = t * t;
  const double t3 = t2 * t;
  const rl_vec3 ends = rl_add_scaled(rl_scale(-t3 + 2.0 * t2 - t, a), t3 - t2, d);
  const rl_vec3 middle =
      rl_add_scaled(rl_scale(3.0 * t3 - 5.0 * t2 + 2.0, b), -3.0 * t3 + 4.0 * t2 + t, c);
  return rl_scale(0.5, rl_add(ends, middle));
}

// Nodes with `subdivision` points between neighbours. Beyond an end there is no node: the end
// stands for it.
static size_t draw(const void *memory, const rl_model *model, const rl_state *state, uint32_t rope,
                   double alpha, rl_vec3 *points, size_t capacity) {
  (void)alpha;
  const source *self = memory;
  const size_t parts = (size_t)self->parameters[SUBDIVISION] + 1;
  const size_t pieces = rl_rope_nodes(model, state, rope) - 1;
  const size_t count = pieces * parts + 1;
  for (size_t i = 0; i < count && i < capacity; i++) {
    const size_t piece = i / parts;
    rl_vec3 nodes[4];
    for (size_t k = 0; k < 4; k++) {
      // Nodes piece - 1 ... piece + 2, kept within the rope.
      const size_t node = piece + k > 0 ? piece + k - 1 : 0;
      const uint32_t slot =
          rl_rope_node(model, state, rope, (uint32_t)(node < pieces ? node : pieces));
      nodes[k] = rl_position(&state->points[slot]);
    }
    const size_t part = i % parts;
    points[i] = part == 0 ? nodes[1]
                          : catmull_rom(nodes[0], nodes[1], nodes[2], nodes[3],
                                        (double)part / (double)parts);
  }
  return count;
}

const rl_solver_type rl_solver_source = {
    .name = "source",
    .family = "PBD",
    .summary = "Source engine rope: damped Verlet, three passes over springs that only pull",
    .citation = "birjj2018",
    .capabilities = RL_CAN_CHAINS | RL_CAN_SPACE,
    .parameter_count = PARAMETER_COUNT,
    .parameters = parameters,
    .size = sizeof(source),
    .lay_out = lay_out,
    .init = init,
    .sync = sync,
    .step = step,
    .departure_count = sizeof departures / sizeof departures[0],
    .departures = departures,
    .draw = draw,
};
