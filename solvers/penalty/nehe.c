// SPDX-License-Identifier: GPL-3.0-or-later
// The rope of NeHe lesson 40: particles on two-sided springs, every force in the order of the
// lesson, velocity before position, substeps of about 2 ms. papers/nehe.md has the equations and
// says where this law is not that of a rope.
#include "world/memory.h"
#include "world/solver.h"

enum {
  STIFFNESS,
  SPRING_FRICTION,
  AIR_FRICTION,
  GROUND_REPULSION,
  GROUND_FRICTION,
  GROUND_ABSORPTION,
  SUBSTEP,
  PARAMETER_COUNT
};

static const rl_parameter parameters[PARAMETER_COUNT] = {
    [STIFFNESS] = {"stiffness", RL_REAL, "N/m", 1000, 0, 1e15, NULL,
                   "spring constant of an element (the demo: 12000); elastic ropes have EA / rest"},
    [SPRING_FRICTION] = {"spring_friction", RL_REAL, "N s/m", 0.5, 0, 1e15, NULL,
                         "friction of a spring on the whole relative velocity of its particles "
                         "(the demo: 0.25), beside what the scenario gives the rope"},
    [AIR_FRICTION] = {"air_friction", RL_REAL, "N s/m", 0.04, 0, 1e15, NULL,
                      "air friction of each particle"},
    [GROUND_REPULSION] = {"ground_repulsion", RL_REAL, "N/m", 100, 0, 1e15, NULL,
                          "spring constant of the ground, where the scenario has one"},
    [GROUND_FRICTION] = {"ground_friction", RL_REAL, "N s/m", 0.2, 0, 1e15, NULL,
                         "friction on the horizontal velocity in the ground"},
    [GROUND_ABSORPTION] = {"ground_absorption", RL_REAL, "N s/m", 2, 0, 1e15, NULL,
                           "friction on the downward velocity in the ground"},
    [SUBSTEP] = {"substep", RL_REAL, "s", 0.002, 1e-6, 1, NULL,
                 "a step is divided into equal substeps as near to this as can be"},
};

static const rl_departure departures[] = {
    {RL_PUSHES, "springs push as well as pull"},
    {RL_CHANGES_MOMENTUM, "air friction on every particle that is not held"},
    {RL_OWN_LAW, "springs rub on the whole relative velocity, also across the rope"},
    {RL_OWN_LAW, "the ground is a soft spring with friction of its own"},
};

typedef struct nehe {
  const double *parameters;
  bool moved;         // `previous` is valid
  rl_point *previous; // [slots] positions at the start of the last substep: for the drawing
  rl_vec3 *forces;    // [slots] [N]
  double *ground;     // [slots] height below which the ground pushes [m]; -INFINITY: none
  double *pulls;      // [links] impulse of each spring over the step so far [N s]
  double *pushes;     // [slots] impulse of the ground [N s]
} nehe;

static void lay_out(void *memory, const rl_model *model, rl_carver *c) {
  nehe *self = memory;
  self->previous = rl_carve(c, model->slot_count, sizeof *self->previous);
  self->forces = rl_carve(c, model->slot_count, sizeof *self->forces);
  self->ground = rl_carve(c, model->slot_count, sizeof *self->ground);
  self->pulls = rl_carve(c, model->link_count, sizeof *self->pulls);
  self->pushes = rl_carve(c, model->slot_count, sizeof *self->pushes);
}

// Height of a level plane; ropes touch nothing else (capabilities).
static double plane_height(const rl_body *body, const rl_part *part) {
  return body->position.y + rl_rotate(body->rotation, part->at).y;
}

// How high the ground is for the nodes of a rope: the lesson has one, at 0.
static double ground_height(const rl_model *model, uint32_t rope) {
  double height = -INFINITY;
  for (uint32_t b = 0; b < model->body_count; b++) {
    const rl_body *body = &model->bodies[b];
    for (size_t k = 0; rl_rope_touches(model, rope, b) && k < body->part_count; k++) {
      height = fmax(height, plane_height(body, &body->parts[k]) + model->ropes[rope].radius);
    }
  }
  return height;
}

static void init(void *memory, const rl_model *model, const double *values) {
  nehe *self = memory;
  self->parameters = values;
  self->moved = false;
  for (uint32_t i = 0; i < model->slot_count; i++) {
    self->ground[i] = -INFINITY;
  }
  for (uint32_t i = 0; i < model->link_count; i++) {
    const rl_link *link = &model->links[i];
    const rl_rope *rope = &model->ropes[model->link_rope[i]];
    if (!rope->massless) {
      const double height = ground_height(model, model->link_rope[i]);
      self->ground[link->a] = fmax(self->ground[link->a], height);
      self->ground[link->b] = fmax(self->ground[link->b], height);
    }
  }
}

static void sync(void *memory, const rl_model *model, const rl_state *state) {
  (void)model;
  (void)state;
  ((nehe *)memory)->moved = false;
}

static double spring_constant(const nehe *self, const rl_link *link) {
  return link->compliance > 0.0 ? 1.0 / link->compliance : self->parameters[STIFFNESS];
}

// The damper that the scenario gives an elastic rope [N s/m].
static double scenario_damping(const rl_model *model, const rl_state *state, uint32_t index) {
  const rl_link *link = &state->links[index];
  const double inverse_mass = state->points[link->a].w + state->points[link->b].w;
  return link->compliance > 0.0
             ? rl_element_damping(&model->ropes[model->link_rope[index]], link->rest,
                                  1.0 / link->compliance, inverse_mass)
             : 0.0;
}

// (1)-(3) One spring: k (length - rest) along it, friction on the whole relative velocity.
static void push_spring(nehe *self, const rl_model *model, const rl_state *state, uint32_t index,
                        double h, rl_step_info *info) {
  const rl_link *link = &state->links[index];
  const rl_vec3 a = state->velocities[link->a];
  const rl_vec3 b = state->velocities[link->b];
  const double damping = scenario_damping(model, state, index);
  const double friction = self->parameters[SPRING_FRICTION] + damping;
  rl_vec3 d = rl_sub(rl_position(&state->points[link->b]), rl_position(&state->points[link->a]));
  rl_vec3 force = {0.0, 0.0, 0.0};
  const double length = rl_length(d);
  if (length != 0.0) {
    const double k = spring_constant(self, link);
    d = (rl_vec3){d.x / length, d.y / length, d.z / length};
    force = rl_scale(k, rl_scale(length - link->rest, d));
  }
  force = rl_add_scaled(force, -friction, rl_sub(a, b));
  self->forces[link->a] = rl_add(self->forces[link->a], force);
  self->forces[link->b] = rl_sub(self->forces[link->b], force);

  const double rate = rl_dot(d, rl_sub(b, a));
  self->pulls[index] += rl_dot(d, force) * h;
  info->dissipated += damping * rate * rate * h;
}

// (4) Weight and air friction.
static void push_particle(nehe *self, const rl_model *model, const rl_state *state, uint32_t i) {
  const rl_vec3 weight = rl_scale(state->masses[i], model->gravity);
  self->forces[i] = rl_add(self->forces[i], weight);
  self->forces[i] =
      rl_add_scaled(self->forces[i], -self->parameters[AIR_FRICTION], state->velocities[i]);
}

// (5) The ground: friction across, absorption of what goes down, repulsion by depth.
static void push_ground(nehe *self, const rl_state *state, uint32_t i, double h) {
  const rl_vec3 v = state->velocities[i];
  rl_vec3 *force = &self->forces[i];
  force->x += v.x * -self->parameters[GROUND_FRICTION];
  force->z += v.z * -self->parameters[GROUND_FRICTION];
  const double absorption = v.y < 0.0 ? v.y * -self->parameters[GROUND_ABSORPTION] : 0.0;
  const double repulsion =
      self->parameters[GROUND_REPULSION] * (self->ground[i] - state->points[i].y);
  force->y += absorption;
  force->y += repulsion;
  self->pushes[i] += (absorption + repulsion) * h;
}

// (6) v += h F / m, then x += h v with the new velocity.
static void integrate(const nehe *self, rl_state *state, uint32_t i, double h) {
  if (state->points[i].w > 0.0) {
    const double m = state->masses[i];
    const rl_vec3 f = self->forces[i];
    const rl_vec3 a = {f.x / m, f.y / m, f.z / m};
    state->velocities[i] = rl_add_scaled(state->velocities[i], h, a);
  }
  rl_move(&state->points[i], rl_scale(h, state->velocities[i]));
}

static void substep(nehe *self, const rl_model *model, rl_state *state, double h,
                    rl_step_info *info) {
  for (uint32_t i = 0; i < model->slot_count; i++) {
    self->previous[i] = state->points[i];
    self->forces[i] = (rl_vec3){0.0, 0.0, 0.0};
  }
  for (uint32_t i = 0; i < model->link_count; i++) {
    push_spring(self, model, state, i, h, info);
  }
  for (uint32_t i = 0; i < model->slot_count; i++) {
    if (state->points[i].w > 0.0) {
      push_particle(self, model, state, i);
    }
  }
  for (uint32_t i = 0; i < model->slot_count; i++) {
    if (state->points[i].w > 0.0 && state->points[i].y < self->ground[i]) {
      push_ground(self, state, i, h);
    }
  }
  for (uint32_t i = 0; i < model->slot_count; i++) {
    integrate(self, state, i, h);
  }
}

// Mean forces of the step: along each spring, and of the ground at each node that it can reach.
static void report_forces(const nehe *self, const rl_model *model, rl_state *state, double dt) {
  for (uint32_t i = 0; i < model->link_count; i++) {
    state->multipliers[i] = self->pulls[i] / dt;
  }
  for (uint64_t i = 0; i < state->contact_count; i++) {
    const rl_contact *contact = &state->contacts[i];
    const rl_body *body = &model->bodies[contact->body];
    const double height =
        plane_height(body, &body->parts[contact->part]) + model->ropes[contact->rope].radius;
    state->multipliers[model->link_count + i] =
        height == self->ground[contact->slot] ? self->pushes[contact->slot] / dt : 0.0;
  }
}

static rl_reason step(void *memory, const rl_model *model, rl_state *state, rl_rows *rows,
                      double dt, rl_step_info *info) {
  nehe *self = memory;
  const double wanted = floor(dt / self->parameters[SUBSTEP] + 0.5);
  const uint64_t substeps =
      (uint64_t)fmin(fmax(1.0, wanted), 1e18); // what fits, and nobody waits for
  const double h = dt / (double)substeps;
  for (uint32_t i = 0; i < model->link_count; i++) {
    self->pulls[i] = 0.0;
  }
  for (uint32_t i = 0; i < model->slot_count; i++) {
    self->pushes[i] = 0.0;
  }
  for (uint64_t n = 0; n < substeps; n++) {
    substep(self, model, state, h, info);
    info->row_evaluations += rl_unknown_count(model, state);
  }
  self->moved = true;
  info->iterations += substeps;
  report_forces(self, model, state, dt);
  if (info->want_residual || info->trace) {
    rl_trace(info, rl_residual(model, state, rows, state->points, state->multipliers, 1.0, dt));
  }
  return RL_CONVERGED_ITERATIONS;
}

// Energy in the springs, beside what the ledger counts in elastic ropes, and in the ground.
static double stored_energy(const void *memory, const rl_model *model, const rl_state *state,
                            rl_rows *rows) {
  (void)rows;
  const nehe *self = memory;
  double energy = 0.0;
  for (uint32_t i = 0; i < model->link_count; i++) {
    const rl_link *link = &state->links[i];
    double excess = rl_link_evaluate(link, state->points).value;
    if (link->compliance > 0.0) {
      excess = model->ropes[model->link_rope[i]].compression ? 0.0 : fmin(excess, 0.0);
    }
    energy += 0.5 * spring_constant(self, link) * excess * excess;
  }
  for (uint32_t i = 0; i < model->slot_count; i++) {
    const double depth = self->ground[i] - state->points[i].y;
    if (state->points[i].w > 0.0 && depth > 0.0) {
      energy += 0.5 * self->parameters[GROUND_REPULSION] * depth * depth;
    }
  }
  return energy;
}

// (7) What the lesson draws: between the last two states.
static size_t draw(const void *memory, const rl_model *model, const rl_state *state, uint32_t rope,
                   double alpha, rl_vec3 *points, size_t capacity) {
  const nehe *self = memory;
  const uint32_t count = rl_rope_nodes(model, state, rope);
  for (uint32_t i = 0; i < count && i < capacity; i++) {
    const uint32_t slot = rl_rope_node(model, state, rope, i);
    const rl_vec3 now = rl_position(&state->points[slot]);
    const rl_vec3 before = self->moved ? rl_position(&self->previous[slot]) : now;
    points[i] = rl_add_scaled(before, alpha, rl_sub(now, before));
  }
  return count;
}

const rl_solver_type rl_solver_nehe = {
    .name = "nehe",
    .family = "penalty",
    .summary = "lesson 40: two-sided springs, friction and a soft ground, substeps of 2 ms",
    .citation = "nehe40",
    .capabilities = RL_CAN_LINKS | RL_CAN_GROUND | RL_CAN_ELASTIC | RL_CAN_COMPRESSION,
    .parameter_count = PARAMETER_COUNT,
    .parameters = parameters,
    .size = sizeof(nehe),
    .lay_out = lay_out,
    .init = init,
    .sync = sync,
    .step = step,
    .stored_energy = stored_energy,
    .departure_count = sizeof departures / sizeof departures[0],
    .departures = departures,
    .draw = draw,
};
