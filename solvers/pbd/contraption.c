// SPDX-License-Identifier: GPL-3.0-or-later
// The rope of Contraption Maker: a joint between what hangs at its two ends, over pulleys or not,
// does all the physics; the rope one sees is a row of Verlet nodes in 16.16 fixed point that
// follows the ends and pulls on nothing. papers/contraption.md has the equations and the quirks.
#include "fixed_rope.h"
#include "impulse/ties.h"
#include "world/rotation.h"

enum {
  ITERATIONS,
  VARIANT,
  UNITS_PER_METRE,
  SEGMENTS,
  JOINT_ITERATIONS,
  JOINT_TOLERANCE,
  JOINT_BIAS,
  STOPS,
  PARAMETER_COUNT
};

// Most links that are drawn on one side of a massless rope.
enum { MOST_SEGMENTS = 32, SIDES = 2 };

static const rl_parameter parameters[PARAMETER_COUNT] = {
    [ITERATIONS] = {"iterations", RL_INTEGER, "1", 7, 1, 1e7, NULL,
                    "passes over the links of the visible rope in a step"},
    [VARIANT] = {"variant", RL_CHOICE, "1", RL_FIXED_PRINTED, 0, 2, "printed|intended|whole",
                 "what a link moves: one node, as in the published code; each free end by half of "
                 "the correction; each free end by the whole of it"},
    [UNITS_PER_METRE] = {"units_per_metre", RL_REAL, "1/m", 100, 1e-3, 1e6, NULL,
                         "units of the fixed-point numbers: a position has the resolution 1/65536 "
                         "unit and the range -16384 ... 16384 units"},
    [SEGMENTS] = {"segments", RL_INTEGER, "1", 10, 1, MOST_SEGMENTS, NULL,
                  "visible links on each side of a massless rope; the simulation of what hangs on "
                  "it does not know of them"},
    [JOINT_ITERATIONS] = {"joint_iterations", RL_INTEGER, "1", 10000, 1, 1e7, NULL,
                          "sweeps over the joints in a step, at most; one is exact for one rope"},
    [JOINT_TOLERANCE] = {"joint_tolerance", RL_REAL, "m/s", 1e-12, 0, 1e3, NULL,
                         "sweeps end when one has changed no rate of a joint by more than this"},
    [JOINT_BIAS] = {"joint_bias", RL_REAL, "1", 0.1, 0, 1, NULL,
                    "fraction of its excess length that a joint takes back in a step"},
    [STOPS] = {"stops", RL_BOOLEAN, "1", 1, 0, 1, NULL,
               "bodies stop at each other, and so at a pulley; false: they pass through, as in the "
               "first version of the original"},
};

static const rl_departure departures[] = {
    {RL_CHANGES_MOMENTUM, "the rope between its ends has no weight and pulls on nothing"},
    {RL_OWN_LAW, "the joint acts once the rope is too long: a catch comes a step late"},
    {RL_OWN_LAW,
     "visible nodes live on a grid of 1/65536 unit, and their links push as well as pull"},
    {RL_OWN_LAW, "a link moves one node (variant=printed)"},
};

typedef struct contraption {
  const double *parameters;
  rl_fixed fixed;
  rl_fixed_node *nodes; // [slots] of ropes with mass
  bool *visible;        // [slots] node of a rope that is not one of its ends
  rl_tie *joints;       // [rl_tie_capacity]
  // The picture of massless ropes: what hangs beside the first and the last eye.
  bool is_drawn;
  rl_fixed_node *sides; // [ropes x 2 x (MOST_SEGMENTS + 1)]
} contraption;

static void lay_out(void *memory, const rl_model *model, rl_carver *c) {
  contraption *self = memory;
  const size_t side_nodes = (size_t)model->rope_count * SIDES * (MOST_SEGMENTS + 1);
  self->nodes = rl_carve(c, model->slot_count, sizeof *self->nodes);
  self->visible = rl_carve(c, model->slot_count, sizeof *self->visible);
  self->joints = rl_carve(c, rl_tie_capacity(model), sizeof *self->joints);
  self->sides = rl_carve(c, side_nodes, sizeof *self->sides);
}

static void init(void *memory, const rl_model *model, const double *values) {
  contraption *self = memory;
  self->parameters = values;
  self->is_drawn = false;
  for (uint32_t i = 0; i < model->slot_count; i++) {
    self->visible[i] = i < model->node_count;
  }
  for (uint32_t r = 0; r < model->rope_count; r++) {
    self->visible[model->ropes[r].ends[0]] = false;
    self->visible[model->ropes[r].ends[1]] = false;
  }
}

static void sync(void *memory, const rl_model *model, const rl_state *state) {
  (void)model;
  (void)state;
  ((contraption *)memory)->is_drawn = false;
}

// ---------------------------------------------------------------------------------------------
// The joints: length of the way from end to end <= length of the rope, with an impulse on the two
// ends (and on eyes that move) alone; and gaps between bodies, which are stops.

// (2) A joint acts once its ends are too far apart, and takes back a part of the excess.
static void set_joint(const contraption *self, rl_tie *joint, bool is_stop, double dt) {
  const bool acts = joint->value > 0.0 && joint->inverse_mass > 0.0 &&
                    (!is_stop || self->parameters[STOPS] != 0.0);
  joint->bias = self->parameters[JOINT_BIAS] * joint->value / dt;
  joint->mass = acts ? 1.0 / joint->inverse_mass : 0.0;
}

// (1)-(4) Everything but the visible nodes: weight, joints, then x += dt v.
static void move_ends(contraption *self, const rl_model *model, rl_state *state, rl_rows *rows,
                      double dt, rl_step_info *info) {
  for (uint32_t i = 0; i < model->place_count; i++) {
    if (state->points[i].w > 0.0 && !self->visible[i]) {
      state->velocities[i] = rl_add_scaled(state->velocities[i], dt, model->gravity);
    }
  }
  const uint32_t count = rl_ties_find(model, state, rows, self->joints);
  for (uint32_t i = 0; i < count; i++) {
    set_joint(self, &self->joints[i], i >= model->rope_count, dt);
  }
  rl_ties_pull(self->joints, count, (int)self->parameters[JOINT_ITERATIONS],
               self->parameters[JOINT_TOLERANCE], state, rows, info); // (3)
  rl_ties_report(self->joints, count, model, state, dt);
  for (uint32_t i = 0; i < model->place_count; i++) {
    if (!self->visible[i]) {
      rl_move(&state->points[i], rl_scale(dt, state->velocities[i]));
    }
  }
  rl_rotation_drift(model, state, dt);
  rl_state_place_holds(model, state);
}

// ---------------------------------------------------------------------------------------------
// The visible rope of a rope with mass: its nodes.

// Nodes as they are in the state: the numbers that the last step left there come back exactly. The
// velocity is the displacement of the last step.
static void load(contraption *self, const rl_model *model, const rl_state *state, double dt) {
  for (uint32_t i = 0; i < model->slot_count; i++) {
    const rl_point *p = &state->points[i];
    const rl_vec3 v = state->velocities[i];
    if (self->visible[i]) {
      self->nodes[i] = rl_fixed_node_at(&self->fixed, p->x, p->y, v.x * dt, v.y * dt);
    }
  }
}

// (5) The first and the last node are put where the joint has left the ends.
static void place_ends(contraption *self, const rl_model *model, const rl_state *state) {
  for (uint32_t r = 0; r < model->rope_count; r++) {
    for (size_t k = 0; k < 2 && !model->ropes[r].massless; k++) {
      const uint32_t slot = model->ropes[r].ends[k];
      const rl_point *p = &state->points[slot];
      self->nodes[slot] = rl_fixed_node_held(&self->fixed, p->x, p->y);
    }
  }
}

static void predict(contraption *self, const rl_model *model) {
  for (uint32_t i = 0; i < model->slot_count; i++) {
    if (self->visible[i]) {
      rl_fixed_predict(&self->fixed, &self->nodes[i]);
    }
  }
}

static void pass(contraption *self, const rl_model *model, const rl_state *state) {
  for (uint32_t i = 0; i < model->link_count; i++) {
    const rl_rope *rope = &model->ropes[model->link_rope[i]];
    const rl_link *link = &state->links[i];
    if (!rope->massless) {
      rl_fixed_relax(&self->fixed, &self->nodes[link->a], &self->nodes[link->b], link->rest,
                     i == rope->first_link);
    }
  }
}

static void store(const contraption *self, const rl_model *model, rl_state *state, double dt) {
  for (uint32_t i = 0; i < model->slot_count; i++) {
    const rl_fixed_node *n = &self->nodes[i];
    if (self->visible[i]) {
      state->points[i].x = rl_fixed_to(&self->fixed, n->x);
      state->points[i].y = rl_fixed_to(&self->fixed, n->y);
      state->velocities[i].x = rl_fixed_move_x(&self->fixed, n) / dt;
      state->velocities[i].y = rl_fixed_move_y(&self->fixed, n) / dt;
    }
  }
}

// ---------------------------------------------------------------------------------------------
// The visible rope of a massless one: nodes on its sides, which are what hangs beside the first and
// beside the last eye; or one side from end to end.

typedef struct side {
  rl_vec3 from, to;
  double rest; // of the whole side [m]
} side;

static uint32_t side_count(const rl_rope *rope) { return rope->eye_count > 0 ? 2 : 1; }

static rl_vec3 eye_position(const rl_model *model, const rl_state *state, const rl_rope *rope,
                            uint32_t i) {
  return rl_vertex_position(model, state, model->eyes[rope->first_eye + i], state->points);
}

// (10) What the rope is longer (or shorter) than its way is on the sides, half of it on each.
static side find_side(const rl_model *model, const rl_state *state, uint32_t index, uint32_t k) {
  const rl_rope *rope = &model->ropes[index];
  const rl_vec3 ends[2] = {rl_position(&state->points[rope->ends[0]]),
                           rl_position(&state->points[rope->ends[1]])};
  side s = {ends[0], ends[1], 0.0};
  if (rope->eye_count > 0) {
    s.from = k == 0 ? ends[0] : eye_position(model, state, rope, rope->eye_count - 1);
    s.to = k == 0 ? eye_position(model, state, rope, 0) : ends[1];
  }
  const double slack = rope->length - rl_element_length(model, state, rope->first_link);
  s.rest = fmax(rl_distance(s.from, s.to) + slack / side_count(rope), 0.0);
  return s;
}

static rl_fixed_node *side_nodes(const contraption *self, uint32_t rope, uint32_t k) {
  return &self->sides[((size_t)rope * SIDES + k) * (MOST_SEGMENTS + 1)];
}

static rl_vec3 side_point(const side *s, int i, int count) {
  return rl_add_scaled(s->from, (double)i / count, rl_sub(s->to, s->from));
}

// Straight, at rest.
static void lay_side(contraption *self, const side *s, rl_fixed_node *nodes) {
  const int count = (int)self->parameters[SEGMENTS];
  for (int i = 1; i < count; i++) {
    const rl_vec3 p = side_point(s, i, count);
    nodes[i] = rl_fixed_node_at(&self->fixed, p.x, p.y, 0.0, 0.0);
  }
}

// (5)-(9)
static void move_side(contraption *self, const side *s, rl_fixed_node *nodes) {
  const int count = (int)self->parameters[SEGMENTS];
  for (int i = 1; i < count; i++) {
    rl_fixed_predict(&self->fixed, &nodes[i]);
  }
  nodes[0] = rl_fixed_node_held(&self->fixed, s->from.x, s->from.y);
  nodes[count] = rl_fixed_node_held(&self->fixed, s->to.x, s->to.y);
  for (int n = 0; n < (int)self->parameters[ITERATIONS] && !self->fixed.overflow; n++) {
    for (int i = 0; i < count; i++) {
      rl_fixed_relax(&self->fixed, &nodes[i], &nodes[i + 1], s->rest / count, i == 0);
    }
  }
}

static void for_each_side(contraption *self, const rl_model *model, const rl_state *state,
                          void (*act)(contraption *, const side *, rl_fixed_node *)) {
  for (uint32_t r = 0; r < model->rope_count; r++) {
    const rl_rope *rope = &model->ropes[r];
    for (uint32_t k = 0; rope->massless && k < side_count(rope); k++) {
      const side s = find_side(model, state, r, k);
      act(self, &s, side_nodes(self, r, k));
    }
  }
}

// Nodes of a rope with mass; of a massless one those of its sides, and its eyes between.
static size_t draw(const void *memory, const rl_model *model, const rl_state *state, uint32_t rope,
                   double alpha, rl_vec3 *points, size_t capacity) {
  (void)alpha;
  const contraption *self = memory;
  const rl_rope *r = &model->ropes[rope];
  const size_t segments = (size_t)self->parameters[SEGMENTS];
  const size_t between = r->eye_count > 1 ? r->eye_count - 1 : 0; // pieces between eyes
  const size_t count =
      !r->massless ? rl_rope_nodes(model, state, rope) : segments * side_count(r) + between + 1;
  for (size_t i = 0; i < count && i < capacity; i++) {
    const bool is_middle = i > segments && i < segments + between;
    if (!r->massless) {
      points[i] = rl_rope_position(model, state, rope, (uint32_t)i);
    } else if (is_middle) {
      points[i] = eye_position(model, state, r, (uint32_t)(i - segments));
    } else {
      const uint32_t k = i > segments ? 1 : 0;
      const size_t at = k == 0 ? i : i - segments - between;
      const side s = find_side(model, state, rope, k);
      const rl_fixed_node *node = &side_nodes(self, rope, k)[at];
      points[i] = side_point(&s, (int)at, (int)segments);
      if (self->is_drawn) {
        points[i].x = rl_fixed_to(&self->fixed, node->x);
        points[i].y = rl_fixed_to(&self->fixed, node->y);
      }
    }
  }
  return count;
}

// ---------------------------------------------------------------------------------------------

static rl_reason step(void *memory, const rl_model *model, rl_state *state, rl_rows *rows,
                      double dt, rl_step_info *info) {
  contraption *self = memory;
  const int iterations = (int)self->parameters[ITERATIONS];
  self->fixed = (rl_fixed){.scale = self->parameters[UNITS_PER_METRE] * RL_FIXED_ONE,
                           .variant = (rl_fixed_variant)self->parameters[VARIANT]};
  self->fixed.gravity = rl_fixed_from(&self->fixed, -model->gravity.y * dt * dt);
  load(self, model, state, dt);
  if (!self->is_drawn) {
    for_each_side(self, model, state, lay_side);
    self->is_drawn = true;
  }
  move_ends(self, model, state, rows, dt, info);
  place_ends(self, model, state);
  predict(self, model);
  for (int i = 0; i < iterations && !self->fixed.overflow; i++) {
    pass(self, model, state);
    info->iterations++;
    info->row_evaluations += model->link_count;
    if (info->trace || (info->want_residual && i + 1 == iterations)) {
      store(self, model, state, dt);
      rl_trace(info, rl_residual(model, state, rows, state->points, state->multipliers, 1.0, dt));
    }
  }
  for_each_side(self, model, state, move_side);
  if (self->fixed.overflow) {
    return RL_DIVERGED_RANGE;
  }
  store(self, model, state, dt);
  return RL_CONVERGED_ITERATIONS;
}

const rl_solver_type rl_solver_contraption = {
    .name = "contraption",
    .family = "PBD",
    .summary = "Contraption Maker: a joint from end to end, over pulleys with stops, and a visible "
               "rope of fixed-point Verlet nodes",
    .citation = "ryan2016",
    .capabilities =
        RL_CAN_CHAINS | RL_CAN_LOADS | RL_CAN_SPANS | RL_CAN_ROTATION | RL_CAN_COLLISIONS,
    .keeps_faults = true,
    .parameter_count = PARAMETER_COUNT,
    .parameters = parameters,
    .size = sizeof(contraption),
    .lay_out = lay_out,
    .init = init,
    .sync = sync,
    .step = step,
    .departure_count = sizeof departures / sizeof departures[0],
    .departures = departures,
    .draw = draw,
};
