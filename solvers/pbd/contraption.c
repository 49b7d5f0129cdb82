// SPDX-License-Identifier: GPL-3.0-or-later
// The rope of Contraption Maker: a slide joint between what hangs at its two ends does all the
// physics; the rope one sees is a row of Verlet nodes in 16.16 fixed point that follows the ends
// and pulls on nothing. papers/contraption.md has the equations and the quirks.
#include "world/memory.h"
#include "world/solver.h"

enum { ITERATIONS, VARIANT, UNITS_PER_METRE, JOINT_ITERATIONS, JOINT_BIAS, PARAMETER_COUNT };
enum { PRINTED, INTENDED, WHOLE };

static const rl_parameter parameters[PARAMETER_COUNT] = {
    [ITERATIONS] = {"iterations", RL_INTEGER, "1", 7, 1, 1e7, NULL,
                    "passes over the links of the visible rope in a step"},
    [VARIANT] = {"variant", RL_CHOICE, "1", PRINTED, 0, 2, "printed|intended|whole",
                 "what a link moves: one node, as in the published code; each free end by half of "
                 "the correction; each free end by the whole of it"},
    [UNITS_PER_METRE] = {"units_per_metre", RL_REAL, "1/m", 100, 1e-3, 1e6, NULL,
                         "units of the fixed-point numbers: a position has the resolution 1/65536 "
                         "unit and the range -16384 ... 16384 units"},
    [JOINT_ITERATIONS] = {"joint_iterations", RL_INTEGER, "1", 10, 1, 1e7, NULL,
                          "sweeps over the slide joints in a step; one is exact for one rope"},
    [JOINT_BIAS] = {"joint_bias", RL_REAL, "1", 0.1, 0, 1, NULL,
                    "fraction of its excess length that a joint takes back in a step"},
};

static const rl_departure departures[] = {
    {RL_CHANGES_MOMENTUM, "the rope between its ends has no weight and pulls on nothing"},
    {RL_OWN_LAW, "the joint acts once the rope is too long: a catch comes a step late"},
    {RL_OWN_LAW,
     "visible nodes live on a grid of 1/65536 unit, and their links push as well as pull"},
    {RL_OWN_LAW, "a link moves one node (variant=printed)"},
};

// 16.16 fixed point. Products have 64 bits: positions are kept below 2^30, so that the sum of
// the squares of two differences fits.
enum { ONE = 65536, SHORTEST = 128 };
static const int32_t limit = (INT32_C(1) << 30) - 1;
// 0.7 as a single-precision number, in fixed point.
static const int64_t share = 45875;

typedef struct node {
  int32_t x, y, old_x, old_y;
} node;

typedef struct joint {
  rl_vec3 d;      // unit vector from the first end to the last
  double bias;    // rate at which the excess is taken back [m/s]
  double mass;    // effective mass [kg]; 0: nothing to do
  double impulse; // accumulated [N s]
} joint;

typedef struct contraption {
  const double *parameters;
  bool overflow;   // a number did not fit
  int32_t gravity; // g dt^2 of this step
  node *nodes;     // [slots]
  bool *visible;   // [slots] node of a rope that is not one of its ends
  joint *joints;   // [ropes]
} contraption;

static void lay_out(void *memory, const rl_model *model, rl_carver *c) {
  contraption *self = memory;
  self->nodes = rl_carve(c, model->slot_count, sizeof *self->nodes);
  self->visible = rl_carve(c, model->slot_count, sizeof *self->visible);
  self->joints = rl_carve(c, model->rope_count, sizeof *self->joints);
}

static void init(void *memory, const rl_model *model, const double *values) {
  contraption *self = memory;
  self->parameters = values;
  for (uint32_t i = 0; i < model->slot_count; i++) {
    self->visible[i] = i < model->node_count;
  }
  for (uint32_t r = 0; r < model->rope_count; r++) {
    self->visible[model->ropes[r].ends[0]] = false;
    self->visible[model->ropes[r].ends[1]] = false;
  }
}

// ---------------------------------------------------------------------------------------------
// The slide joint: |x_b - x_a| <= length, with an impulse on the two ends alone.

// (2) The joint acts once its ends are too far apart, and takes back a part of the excess.
static joint make_joint(const contraption *self, const rl_model *model, const rl_state *state,
                        uint32_t rope, double dt) {
  const uint32_t *ends = model->ropes[rope].ends;
  const rl_link span = {ends[0], ends[1], model->ropes[rope].length, 0.0};
  const rl_link_value v = rl_link_evaluate(&span, state->points);
  const bool acts = v.value > 0.0 && v.inverse_mass > 0.0;
  return (joint){v.d, self->parameters[JOINT_BIAS] * v.value / dt,
                 acts ? 1.0 / v.inverse_mass : 0.0, 0.0};
}

// (3) The impulse that makes the ends approach with the bias, accumulated and never pushing.
static void pull_joint(joint *self, const rl_model *model, rl_state *state, uint32_t rope) {
  const uint32_t *ends = model->ropes[rope].ends;
  rl_vec3 *a = &state->velocities[ends[0]];
  rl_vec3 *b = &state->velocities[ends[1]];
  const double rate = rl_dot(self->d, rl_sub(*b, *a));
  const double total = fmax(self->impulse + self->mass * (rate + self->bias), 0.0);
  const double change = total - self->impulse;
  self->impulse = total;
  *a = rl_add_scaled(*a, change * state->points[ends[0]].w, self->d);
  *b = rl_add_scaled(*b, -change * state->points[ends[1]].w, self->d);
}

// (1)-(4) Everything but the visible nodes: weight, joints, then x += dt v.
static void move_ends(contraption *self, const rl_model *model, rl_state *state, double dt,
                      rl_step_info *info) {
  for (uint32_t i = 0; i < model->slot_count; i++) {
    if (state->points[i].w > 0.0 && !self->visible[i]) {
      state->velocities[i] = rl_add_scaled(state->velocities[i], dt, model->gravity);
    }
  }
  for (uint32_t r = 0; r < model->rope_count; r++) {
    self->joints[r] = make_joint(self, model, state, r, dt);
  }
  for (int i = 0; i < (int)self->parameters[JOINT_ITERATIONS]; i++) {
    for (uint32_t r = 0; r < model->rope_count; r++) {
      if (self->joints[r].mass > 0.0) {
        pull_joint(&self->joints[r], model, state, r);
      }
      info->row_evaluations++;
    }
  }
  for (uint32_t i = 0; i < model->slot_count; i++) {
    if (!self->visible[i]) {
      rl_move(&state->points[i], rl_scale(dt, state->velocities[i]));
    }
  }
}

// ---------------------------------------------------------------------------------------------
// The visible rope, in whole numbers.

static double scale(const contraption *self) {
  return self->parameters[UNITS_PER_METRE] * (double)ONE;
}

static int32_t keep_in_range(contraption *self, int64_t value) {
  if (value > limit || value < -limit) {
    self->overflow = true;
    return value > 0 ? limit : -limit;
  }
  return (int32_t)value;
}

// The nearest fixed-point number to a number of 1/65536 units.
static int32_t to_fixed(contraption *self, double value) {
  const double nearest = floor(value + 0.5);
  if (!(fabs(nearest) <= (double)limit)) { // nan as well
    self->overflow = true;
    return 0;
  }
  return (int32_t)nearest;
}

// Division by 65536 that rounds down, as shifting to the right does.
static int64_t shift_down(int64_t value) {
  return value >= 0 ? value / ONE : -((ONE - 1 - value) / ONE);
}

// The whole part of the square root, bit by bit.
static int64_t whole_root(int64_t value) {
  int64_t rest = value;
  int64_t root = 0;
  for (int64_t bit = INT64_C(1) << 62; bit > 0; bit /= 4) {
    if (rest >= root + bit) {
      rest -= root + bit;
      root = root / 2 + bit;
    } else {
      root /= 2;
    }
  }
  return root;
}

// Nodes as they are in the state: the numbers that the last step left there come back exactly. The
// velocity is the displacement of the last step, of which the old place has lost the gravity.
static void load(contraption *self, const rl_model *model, const rl_state *state, double dt) {
  const double s = scale(self);
  self->gravity = to_fixed(self, -model->gravity.y * dt * dt * s);
  for (uint32_t i = 0; i < model->slot_count; i++) {
    const rl_point *p = &state->points[i];
    const rl_vec3 v = state->velocities[i];
    node *n = &self->nodes[i];
    if (self->visible[i]) {
      *n = (node){to_fixed(self, p->x * s), to_fixed(self, p->y * s), 0, 0};
      n->old_x = keep_in_range(self, (int64_t)n->x - to_fixed(self, v.x * dt * s));
      n->old_y = keep_in_range(self, (int64_t)n->y - to_fixed(self, v.y * dt * s) - self->gravity);
    }
  }
}

// (5) The first and the last node are put where the joint has left the ends.
static void place_ends(contraption *self, const rl_model *model, const rl_state *state) {
  const double s = scale(self);
  for (uint32_t r = 0; r < model->rope_count; r++) {
    for (size_t k = 0; k < 2 && !model->ropes[r].massless; k++) {
      const uint32_t slot = model->ropes[r].ends[k];
      self->nodes[slot] = (node){.x = to_fixed(self, state->points[slot].x * s),
                                 .y = to_fixed(self, state->points[slot].y * s)};
    }
  }
}

// (6) Gravity on the place, then the last displacement once more.
static void predict(contraption *self, const rl_model *model) {
  for (uint32_t i = 0; i < model->slot_count; i++) {
    if (!self->visible[i]) {
      continue;
    }
    node *n = &self->nodes[i];
    const int32_t x = n->x;
    const int32_t y = keep_in_range(self, (int64_t)n->y - self->gravity);
    n->x = keep_in_range(self, 2 * (int64_t)x - n->old_x);
    n->y = keep_in_range(self, 2 * (int64_t)y - n->old_y);
    n->old_x = x;
    n->old_y = y;
  }
}

static void move_node(contraption *self, uint32_t slot, int64_t x, int64_t y) {
  node *n = &self->nodes[slot];
  if (self->visible[slot]) {
    n->x = keep_in_range(self, n->x + x);
    n->y = keep_in_range(self, n->y + y);
  }
}

// (7)-(9) One link: 0.7 of its error is taken out of it.
static void relax_link(contraption *self, const rl_link *link, bool first) {
  const node *a = &self->nodes[link->a];
  const node *b = &self->nodes[link->b];
  const int64_t x = (int64_t)b->x - a->x;
  const int64_t y = (int64_t)b->y - a->y;
  int64_t distance = whole_root(x * x + y * y);
  if (distance < SHORTEST) {
    distance = SHORTEST;
  }
  const int64_t rest = to_fixed(self, link->rest * scale(self));
  const int64_t part = (rest - distance) * share / distance;
  const int64_t dx = shift_down(x * part);
  const int64_t dy = shift_down(y * part);
  if (self->parameters[VARIANT] == PRINTED) {
    // The far node of the first link, of all others the near one.
    move_node(self, first ? link->b : link->a, first ? dx : -dx, first ? dy : -dy);
  } else {
    const bool halve =
        self->parameters[VARIANT] == INTENDED && self->visible[link->a] && self->visible[link->b];
    const int64_t parts = halve ? 2 : 1;
    move_node(self, link->a, -dx / parts, -dy / parts);
    move_node(self, link->b, dx / parts, dy / parts);
  }
}

static void pass(contraption *self, const rl_model *model, const rl_state *state) {
  for (uint32_t i = 0; i < model->link_count; i++) {
    const rl_rope *rope = &model->ropes[model->link_rope[i]];
    if (!rope->massless) {
      relax_link(self, &state->links[i], i == rope->first_link);
    }
  }
}

static void store(const contraption *self, const rl_model *model, rl_state *state, double dt) {
  const double s = scale(self);
  for (uint32_t i = 0; i < model->slot_count; i++) {
    const node *n = &self->nodes[i];
    if (self->visible[i]) {
      state->points[i].x = n->x / s;
      state->points[i].y = n->y / s;
      state->velocities[i].x = ((double)n->x - n->old_x) / (s * dt);
      state->velocities[i].y = ((double)n->y - n->old_y - self->gravity) / (s * dt);
    }
  }
}

static rl_reason step(void *memory, const rl_model *model, rl_state *state, rl_rows *rows,
                      double dt, rl_step_info *info) {
  contraption *self = memory;
  const int iterations = (int)self->parameters[ITERATIONS];
  self->overflow = false;
  load(self, model, state, dt);
  move_ends(self, model, state, dt, info);
  for (uint32_t i = 0; i < model->link_count; i++) {
    state->multipliers[i] = self->joints[model->link_rope[i]].impulse / dt;
  }
  place_ends(self, model, state);
  predict(self, model);
  for (int i = 0; i < iterations && !self->overflow; i++) {
    pass(self, model, state);
    info->iterations++;
    info->row_evaluations += model->link_count;
    if (info->trace || (info->want_residual && i + 1 == iterations)) {
      store(self, model, state, dt);
      rl_trace(info, rl_residual(model, state, rows, state->points, state->multipliers, 1.0, dt));
    }
  }
  if (self->overflow) {
    return RL_DIVERGED_RANGE;
  }
  store(self, model, state, dt);
  return RL_CONVERGED_ITERATIONS;
}

const rl_solver_type rl_solver_contraption = {
    .name = "contraption",
    .family = "PBD",
    .summary = "Contraption Maker: a slide joint, and a visible rope of fixed-point Verlet nodes",
    .citation = "ryan2016",
    .capabilities = RL_CAN_CHAINS | RL_CAN_LOADS,
    .parameter_count = PARAMETER_COUNT,
    .parameters = parameters,
    .size = sizeof(contraption),
    .lay_out = lay_out,
    .init = init,
    .step = step,
    .departure_count = sizeof departures / sizeof departures[0],
    .departures = departures,
};
