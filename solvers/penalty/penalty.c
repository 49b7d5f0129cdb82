// SPDX-License-Identifier: GPL-3.0-or-later
// Penalty springs: every row is a spring and a damper, integrated explicitly: with the velocity
// first (semi-implicit Euler), by velocity Verlet, or by Runge-Kutta. Elastic ropes have their own
// stiffness; what the scenario calls inextensible or hard gets a stand-in. papers/penalty.md has
// the derivation and the limit of the step.
#include "strand_springs.h"
#include "world/bodies/bounce.h"
#include "world/memory.h"
#include "world/paths/wrap.h"
#include "world/ropes/flexure.h"
#include "world/rotation.h"
#include "world/solver.h"

enum {
  INTEGRATOR,
  SUBSTEPS,
  STIFFNESS,
  DAMPING,
  SAFETY,
  DAMPING_RATIO,
  CONTACT_SAFETY,
  CONTACT_DAMPING,
  PARAMETER_COUNT
};
enum { SEMI_IMPLICIT, VERLET, RK4 };

static const rl_parameter parameters[PARAMETER_COUNT] = {
    [INTEGRATOR] =
        {"integrator", RL_CHOICE, "1", SEMI_IMPLICIT, 0, 2, "semi-implicit|verlet|rk4",
         "semi-implicit Euler (order 1), velocity Verlet (2), classical Runge-Kutta (4)"},
    [SUBSTEPS] = {"substeps", RL_INTEGER, "1", 20, 1, 1e7, NULL, "equal substeps of a step"},
    [STIFFNESS] = {"stiffness", RL_REAL, "N/m", 0, 0, 1e15, NULL,
                   "spring constant of each stand-in; 0: automatic, see safety"},
    [DAMPING] = {"damping", RL_REAL, "N s/m", 0, 0, 1e15, NULL,
                 "damper of each stand-in, beside what the scenario gives the rope"},
    [SAFETY] = {"safety", RL_REAL, "1", 0.25, 1e-6, 1, NULL,
                "automatic spring constant as a fraction of 2 / (W h^2), where a long uniform "
                "chain becomes unstable (h: substep, W: inverse mass of the row)"},
    [DAMPING_RATIO] = {"damping_ratio", RL_REAL, "1", 0.1, 0, 1, NULL,
                       "automatic springs: damper as a fraction of the critical one"},
    [CONTACT_SAFETY] =
        {"contact_safety", RL_REAL, "1", 0.03, 1e-6, 1, NULL,
         "safety of the contacts of a body with other bodies, all together, and of friction"},
    [CONTACT_DAMPING] = {"contact_damping", RL_REAL, "1", 0.9, 0, 1, NULL,
                         "and their damper as a fraction of what stops a body within a substep"},
};

// Friction of a contact in the last kick.
typedef struct rubbing {
  rl_vec3 slide;   // before it [m/s]
  rl_vec3 impulse; // on the rope or the first body [N s]
  rl_spring spring;
  double stored; // in the spring before it [J]
  double limit;  // of the force [N]
} rubbing;

typedef struct penalty {
  const double *parameters;
  rl_stand_in law;                // with the substep of the last step
  double weight;                  // time that the present forces count for [s]
  bool begins;                    // it is the first one
  bool goes_on;                   // the kick of the present forces has begun with others
  rl_spring *springs;             // [links], made at the start of the step
  rl_strand_springs strands;      // stand-ins of ropes over bodies
  rl_vec3 *forces;                // [slots] [N]
  rl_point *points;               // [slots] Runge-Kutta: positions at the start of the substep
  rl_vec3 *velocities;            // [slots] and velocities
  rl_vec3 *rates, *accelerations; // [slots] and their rates at a stage
  rl_vec3 *moves, *kicks;         // [slots] and the weighted sums of these
  double *impulses;               // [links + contact capacity] over the step so far [N s]
  double *pushes, *approaches;    // [links + contact capacity] in the last kick, rates before it
  double *last;                   // and in its last substep
  rubbing *rubs;                  // [contact capacity]
} penalty;

static void lay_out(void *memory, const rl_model *model, rl_carver *c) {
  penalty *self = memory;
  self->springs = rl_carve(c, model->link_count, sizeof *self->springs);
  rl_strand_springs_lay_out(&self->strands, model, c);
  self->forces = rl_carve(c, model->slot_count, sizeof *self->forces);
  self->points = rl_carve(c, model->slot_count, sizeof *self->points);
  self->velocities = rl_carve(c, model->slot_count, sizeof *self->velocities);
  self->rates = rl_carve(c, model->slot_count, sizeof *self->rates);
  self->accelerations = rl_carve(c, model->slot_count, sizeof *self->accelerations);
  self->moves = rl_carve(c, model->slot_count, sizeof *self->moves);
  self->kicks = rl_carve(c, model->slot_count, sizeof *self->kicks);
  self->impulses = rl_carve(c, rl_unknown_capacity(model), sizeof *self->impulses);
  self->pushes = rl_carve(c, rl_unknown_capacity(model), sizeof *self->pushes);
  self->approaches = rl_carve(c, rl_unknown_capacity(model), sizeof *self->approaches);
  self->last = rl_carve(c, rl_unknown_capacity(model), sizeof *self->last);
  self->rubs = rl_carve(c, model->contact_capacity, sizeof *self->rubs);
}

static void init(void *memory, const rl_model *model, const double *values) {
  penalty *self = memory;
  (void)model;
  self->parameters = values;
}

// (2) lambda = k C + c dC/dt while the rope is taut; it never pushes.
static double spring_force(rl_spring s, double value, double rate, double lower) {
  if (lower == 0.0 && value <= 0.0) {
    return 0.0;
  }
  return fmax(s.stiffness * value + s.damping * rate, lower);
}

// (6) Loss in a damper of the scenario within h: what the force lacks to that of the spring, which
// gives its energy also where the damper cancels its pull. `power` over the force is the rate, but
// for friction.
static double spring_loss(rl_spring s, double value, double power, double force, double h) {
  const bool taut = value > 0.0 || force != 0.0;
  return s.physical && taut ? (force - s.stiffness * value) * power * h : 0.0;
}

static void push_link(penalty *self, const rl_state *state, uint32_t index, double lower,
                      rl_step_info *info) {
  const rl_link *link = &state->links[index];
  const rl_link_value v = rl_link_evaluate(link, state->points);
  const double rate = rl_dot(v.d, rl_sub(state->velocities[link->b], state->velocities[link->a]));
  const rl_spring s = self->springs[index];
  const double force = spring_force(s, v.value, rate, lower);
  self->forces[link->a] = rl_add_scaled(self->forces[link->a], force, v.d);
  self->forces[link->b] = rl_add_scaled(self->forces[link->b], -force, v.d);
  self->impulses[index] += force * self->weight;
  info->dissipated += spring_loss(s, v.value, rate, force, self->weight);
}

// The pull K of the spring across the normal, which turns with what the contact lies on.
static rl_vec3 turned_pull(const penalty *self, const rl_model *model, const rl_state *state,
                           const rl_row *row) {
  const rl_vec3 pull = state->frictions[row->item];
  const uint32_t body = state->contacts[row->item].body;
  if (rl_is_zero(pull)) {
    return pull;
  }
  const rl_vec3 spin = body == RL_NONE ? rl_vec(0.0, 0.0, 0.0) : rl_body_spin(model, state, body);
  const rl_vec3 turned = rl_add_scaled(pull, self->weight, rl_cross(spin, pull));
  const rl_vec3 across = rl_add_scaled(turned, -rl_dot(turned, row->normal), row->normal);
  return rl_scale(rl_length(pull), rl_unit(across));
}

// The spring gives as the contact slides for a while, and slips at the cone.
static void stretch(rl_vec3 *pull, const rubbing *rub, rl_vec3 slide, double duration) {
  rl_friction_bound(pull, rl_add_scaled(*pull, -duration * rub->spring.stiffness, slide),
                    rub->limit);
}

// (16) Coulomb friction: a spring across the normal that slips at the cone, and a damper beside it.
static void push_friction(penalty *self, const rl_model *model, rl_state *state,
                          const rl_rows *rows, const rl_row *row, double normal_force,
                          rl_step_info *info) {
  const rl_vec3 slide = rl_contact_slide(rows, row, state->velocities);
  rl_vec3 *pull = &state->frictions[row->item];
  rubbing *rub = &self->rubs[row->item];
  if (!self->goes_on) {
    const rl_spring s = rl_friction_spring(&self->law, model, rows, row, state->points);
    *rub = (rubbing){.slide = slide, .spring = s, .stored = rl_friction_energy(s, *pull)};
  }
  rub->limit = row->friction * normal_force;
  *pull = turned_pull(self, model, state, row);
  stretch(pull, rub, slide, 0.5 * self->weight);
  rl_vec3 force = *pull;
  rl_friction_bound(&force, rl_add_scaled(*pull, -rub->spring.damping, slide), rub->limit);
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *e = &rows->entries[i];
    self->forces[e->slot] = rl_add(self->forces[e->slot], rl_contact_share(row, e, force));
  }
  rub->impulse = rl_add_scaled(rub->impulse, self->weight, force);
  info->work +=
      rl_friction_work(rows, row, rl_scale(self->weight, force), state->points, state->velocities);
}

static void note_push(penalty *self, uint32_t source, double force, double rate) {
  if (!self->goes_on) {
    self->pushes[source] = 0.0;
    self->approaches[source] = rate;
  }
  self->pushes[source] += force * self->weight;
}

static void push_row(penalty *self, const rl_model *model, rl_state *state, rl_rows *rows,
                     rl_row *row, rl_step_info *info) {
  rl_row_evaluate(model, state, rows, row, state->points);
  const double rate = rl_row_rate(rows, row, state->velocities);
  const rl_spring s = rl_strand_spring(&self->strands, &self->law, model, row);
  double force = spring_force(s, row->value, rate, row->lower);
  if (rows->gives_way && row->piece_count > 0 && !s.physical) { // (22)
    const double flow = self->strands.given[row->source] / self->law.h;
    force = spring_force(s, row->value, self->begins ? 0.0 : rate - flow, row->lower);
    info->dissipated += s.stiffness * fmax(row->value, 0.0) * flow * self->weight;
  }
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *e = &rows->entries[i];
    self->forces[e->slot] = rl_add_scaled(self->forces[e->slot], -force, e->force);
  }
  self->impulses[row->source] += force * self->weight;
  const double power = rl_row_power(rows, row, state->velocities);
  note_push(self, row->source, force, row->crowd > 0 ? rate : power - rate);
  if (row->crowd == 0 && s.physical) {
    info->dissipated += spring_loss(s, row->value, power, force, self->weight);
  }
  if (row->friction > 0.0) {
    push_friction(self, model, state, rows, row, force, info);
  }
}

// The forces of all rows at the state's positions and velocities, which count for `weight` seconds
// in the tension and the loss of the step.
static void evaluate_forces(penalty *self, const rl_model *model, rl_state *state, rl_rows *rows,
                            double weight, rl_step_info *info) {
  const double *drags = rl_drags(model, state);
  self->weight = weight;
  for (uint32_t i = 0; i < model->slot_count; i++) {
    const rl_vec3 v = rl_sub(state->velocities[i], state->wind);
    const bool is_place = state->pushes && i < model->place_count;
    self->forces[i] = is_place ? state->pushes[i] : (rl_vec3){0.0, 0.0, 0.0};
    info->dissipated += weight * drags[i] * rl_dot(v, v);
    info->work -= weight * drags[i] * rl_dot(v, state->wind);
  }
  rl_bending_forces(model, state, state->points, self->forces);
  rl_rows_stand(rows);
  for (uint32_t n = 0; n < rows->block_count; n++) {
    const rl_block *block = &rows->blocks[n];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      push_link(self, state, k, block->lower, info);
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      push_row(self, model, state, rows, &rows->rows[k], info);
    }
  }
  rl_rows_move(rows);
  info->row_evaluations += rl_unknown_count(model, state);
}

static rl_vec3 acceleration(const penalty *self, const rl_model *model, const rl_state *state,
                            uint32_t slot) {
  const double w = state->points[slot].w;
  const rl_vec3 force = rl_add_scaled(self->forces[slot], -rl_drags(model, state)[slot],
                                      rl_sub(state->velocities[slot], state->wind));
  const rl_vec3 gravity = slot < model->place_count ? model->gravity : (rl_vec3){0.0, 0.0, 0.0};
  return w > 0.0 ? rl_add_scaled(gravity, w, force) : (rl_vec3){0.0, 0.0, 0.0};
}

// (16) The other half of what the spring across the normal gives in a kick of duration h, and (20)
// what friction has taken.
static void end_friction(const penalty *self, rl_state *state, const rl_rows *rows,
                         const rl_row *row, double h, rl_step_info *info) {
  const rubbing *rub = &self->rubs[row->item];
  const rl_vec3 slide = rl_contact_slide(rows, row, state->velocities);
  rl_vec3 *pull = &state->frictions[row->item];
  stretch(pull, rub, slide, 0.5 * h);
  info->dissipated -= 0.5 * rl_dot(rub->impulse, rl_add(rub->slide, slide));
  info->dissipated -= rl_friction_energy(rub->spring, *pull) - rub->stored;
}

// (21) What friction has taken in a kick where ropes slip, unless it is booked with the flow of
// their rest lengths.
static void end_slips(const penalty *self, const rl_model *model, const rl_state *state,
                      const rl_rows *rows, rl_step_info *info) {
  for (uint32_t k = 0; k < rows->row_count; k++) {
    const rl_row *row = &rows->rows[k];
    const double push = row->kind == RL_ROW_SPAN ? self->pushes[row->source] : 0.0;
    if (push != 0.0 && !rl_wraps_flow_dissipates(model, model->link_rope[row->item])) {
      const double slip =
          rl_row_power(rows, row, state->velocities) - rl_row_rate(rows, row, state->velocities);
      info->rubbed += 0.5 * push * (self->approaches[row->source] + slip);
    }
  }
}

// (18), (20), (21) What contacts of bodies have taken in a kick, and friction.
static void end_contacts(const penalty *self, const rl_model *model, rl_state *state,
                         const rl_rows *rows, double h, rl_step_info *info) {
  end_slips(self, model, state, rows, info);
  for (uint32_t k = rows->span_count; k < rows->row_count; k++) {
    const rl_row *row = &rows->rows[k];
    const double push = row->crowd > 0 ? self->pushes[row->source] : 0.0;
    if (push > 0.0) {
      const double rate = rl_row_rate(rows, row, state->velocities);
      info->dissipated += 0.5 * push * (self->approaches[row->source] + rate);
    }
    if (row->friction > 0.0) {
      end_friction(self, state, rows, row, h, info);
    }
  }
}

// v += h a with the forces just evaluated.
static void kick(const penalty *self, const rl_model *model, rl_state *state, double h,
                 const rl_rows *rows, rl_step_info *info) {
  for (uint32_t i = 0; i < model->slot_count; i++) {
    state->velocities[i] =
        rl_add_scaled(state->velocities[i], h, acceleration(self, model, state, i));
  }
  end_contacts(self, model, state, rows, h, info);
}

// (3) v += h (g + w F), then x += h v with the new velocity.
static void semi_implicit(penalty *self, const rl_model *model, rl_state *state, rl_rows *rows,
                          rl_step_info *info) {
  evaluate_forces(self, model, state, rows, self->law.h, info);
  kick(self, model, state, self->law.h, rows, info);
  rl_state_drift(model, state, self->law.h);
}

// (7) Half a kick, a move, half a kick with the forces there.
static void verlet(penalty *self, const rl_model *model, rl_state *state, rl_rows *rows,
                   rl_step_info *info) {
  evaluate_forces(self, model, state, rows, 0.5 * self->law.h, info);
  kick(self, model, state, 0.5 * self->law.h, rows, info);
  rl_state_drift(model, state, self->law.h);
  evaluate_forces(self, model, state, rows, 0.5 * self->law.h, info);
  kick(self, model, state, 0.5 * self->law.h, rows, info);
}

// The rates of all slots at a stage, with the forces just evaluated; spins have Euler's equations.
static void find_rates(penalty *self, const rl_model *model, const rl_state *state) {
  for (uint32_t i = 0; i < model->slot_count; i++) {
    self->rates[i] = state->velocities[i];
    self->accelerations[i] = acceleration(self, model, state, i);
  }
  for (uint32_t i = 0; i < model->body_count; i++) {
    const uint32_t spin = model->bodies[i].spin_slot;
    if (spin != RL_NONE) {
      self->rates[spin] = rl_rotation_rate(model, state, i);
      self->accelerations[spin] =
          rl_add(self->accelerations[spin], rl_gyroscopic_rate(model, state, i));
    }
  }
}

// (8) Four evaluations, each from the start of the substep along the rates of the one before.
static void runge_kutta(penalty *self, const rl_model *model, rl_state *state, rl_rows *rows,
                        rl_step_info *info) {
  static const double reach[4] = {0.5, 0.5, 1.0, 0.0};
  static const double weights[4] = {1.0 / 6.0, 1.0 / 3.0, 1.0 / 3.0, 1.0 / 6.0};
  for (uint32_t i = 0; i < model->slot_count; i++) {
    self->points[i] = state->points[i];
    self->velocities[i] = state->velocities[i];
    self->moves[i] = self->kicks[i] = (rl_vec3){0.0, 0.0, 0.0};
  }
  double reeled = 0.0; // until when winches have been taken along
  for (int stage = 0; stage < 4; stage++) {
    const double ahead = reach[stage] * self->law.h;
    self->goes_on = stage > 0;
    evaluate_forces(self, model, state, rows, weights[stage] * self->law.h, info);
    find_rates(self, model, state);
    for (uint32_t i = 0; i < model->slot_count; i++) {
      const rl_vec3 v = self->rates[i];
      const rl_vec3 a = self->accelerations[i];
      self->moves[i] = rl_add_scaled(self->moves[i], weights[stage] * self->law.h, v);
      self->kicks[i] = rl_add_scaled(self->kicks[i], weights[stage] * self->law.h, a);
      state->points[i] = self->points[i];
      rl_move(&state->points[i], rl_scale(ahead, v));
      state->velocities[i] = rl_add_scaled(self->velocities[i], ahead, a);
    }
    rl_state_reel(model, state, ahead - reeled);
    reeled = ahead;
  }
  rl_state_reel(model, state, self->law.h - reeled);
  for (uint32_t i = 0; i < model->slot_count; i++) {
    rl_move(&state->points[i], self->moves[i]);
    state->velocities[i] = rl_add(self->velocities[i], self->kicks[i]);
  }
  end_contacts(self, model, state, rows, self->law.h, info);
  rl_rotation_settle(model, state, RL_TURN_FRAME);
}

static void (*const integrators[])(penalty *, const rl_model *, rl_state *, rl_rows *,
                                   rl_step_info *) = {
    [SEMI_IMPLICIT] = semi_implicit, [VERLET] = verlet, [RK4] = runge_kutta};

// (4) of bodies.md, in each substep: the multipliers hold the impulses of it. What pushed before is
// no hit any more: its spring gives way.
static void begin_bounce(const penalty *self, const rl_model *model, rl_state *state, rl_rows *rows,
                         bool first) {
  const double *pushes = first ? state->multipliers : self->pushes;
  rl_bounce_begin(model, state, rows, self->law.h);
  for (uint32_t i = 0; i < state->contact_count; i++) {
    const uint32_t source = model->link_count + i;
    rows->approaches[i] = pushes[source] > 0.0 ? -1.0 : rows->approaches[i];
  }
  for (size_t i = 0; i < rl_unknown_count(model, state); i++) {
    state->multipliers[i] = -self->impulses[i];
  }
}

static void end_bounce(penalty *self, const rl_model *model, rl_state *state, rl_rows *rows,
                       rl_step_info *info) {
  for (size_t i = 0; i < rl_unknown_count(model, state); i++) {
    const double before = -state->multipliers[i];
    state->multipliers[i] = self->impulses[i] - before;
    self->impulses[i] = before;
  }
  const rl_bounce_law law = {
      .which = RL_REBOUND_HIT, .h = self->law.h, .unit = 1.0, .draws_in = true};
  const rl_bounce bounce = rl_bounce_end(&law, model, state, rows);
  for (size_t i = 0; i < rl_unknown_count(model, state); i++) {
    self->impulses[i] += state->multipliers[i];
  }
  info->dissipated += bounce.lost + bounce.rubbed;
  info->work += bounce.rubbed_work;
}

// (4), (5) The springs of a step in substeps h.
static void set_springs(penalty *self, const rl_model *model, const rl_state *state, double h) {
  self->law = (rl_stand_in){.stiffness = self->parameters[STIFFNESS],
                            .damping = self->parameters[DAMPING],
                            .hardness = self->parameters[SAFETY] * 2.0,
                            .damping_ratio = self->parameters[DAMPING_RATIO],
                            .contact_hardness = self->parameters[CONTACT_SAFETY] * 2.0,
                            .contact_damping = self->parameters[CONTACT_DAMPING],
                            .h = h};
  for (uint32_t i = 0; i < model->link_count; i++) {
    const rl_link *link = &state->links[i];
    const double inverse_mass = state->points[link->a].w + state->points[link->b].w;
    self->springs[i] = rl_spring_of(&self->law, &model->ropes[model->link_rope[i]], link->rest,
                                    link->compliance, inverse_mass);
  }
}

// Makes substep i of a step: contacts where they are now, the springs, and the bounces.
static void substep(penalty *self, const rl_model *model, rl_state *state, rl_rows *rows, int i,
                    int substeps, rl_step_info *info) {
  const bool bounces = model->pair_count > 0;
  self->strands.left = substeps - i - 1.0;
  self->begins = i == 0;
  if (i > 0) {
    rl_detect_again(model, state, rows);
  }
  if (rows->gives_way) {
    rl_strand_springs_give_way(&self->strands, &self->law, model, state, rows);
  }
  if (bounces) {
    begin_bounce(self, model, state, rows, i == 0);
  }
  integrators[(int)self->parameters[INTEGRATOR]](self, model, state, rows, info);
  if (bounces) {
    end_bounce(self, model, state, rows, info);
  }
}

static rl_reason step(void *memory, const rl_model *model, rl_state *state, rl_rows *rows,
                      double dt, rl_step_info *info) {
  penalty *self = memory;
  const int substeps = (int)self->parameters[SUBSTEPS];
  const size_t unknowns = rl_unknown_count(model, state);
  set_springs(self, model, state, dt / substeps);
  rl_strand_springs_give_way(&self->strands, &self->law, model, state, rows);
  rl_strand_springs_soften(&self->strands, &self->law, model, state, rows, substeps);
  self->goes_on = false;
  for (size_t i = 0; i < unknowns; i++) {
    self->impulses[i] = 0.0;
  }
  for (int i = 0; i < substeps; i++) {
    for (size_t k = 0; k < unknowns && i + 1 == substeps; k++) {
      self->last[k] = -self->impulses[k];
    }
    substep(self, model, state, rows, i, substeps, info);
  }
  info->iterations += (uint64_t)substeps;
  for (size_t i = 0; i < unknowns; i++) {
    state->multipliers[i] = self->impulses[i] / dt;
    self->last[i] += self->impulses[i];
  }
  info->last_impulses = self->last;
  rl_strand_springs_keep(&self->strands, &self->law, model, state, rows);
  if (info->want_residual || info->trace) {
    // An explicit method does not iterate: one entry a step.
    rl_trace(info, rl_residual(model, state, rows, state->points, state->multipliers, 1.0, dt));
  }
  return RL_CONVERGED_ITERATIONS;
}

// Before the first step there are no stand-ins: they depend on the substep.
static double stored_energy(const void *memory, const rl_model *model, const rl_state *state,
                            rl_rows *rows) {
  const penalty *self = memory;
  return self->law.h == 0.0 ? 0.0 : rl_strand_springs_energy(&self->law, model, state, rows);
}

const rl_solver_type rl_solver_penalty = {
    .name = "penalty",
    .family = "penalty",
    .summary = "spring and damper for every row, explicit integration with substeps",
    .citation = "provot1995",
    .capabilities = RL_CAN_WORLD | RL_CAN_ELASTIC | RL_CAN_TANGLE,
    .seeks_positions = true,
    .detects_again = true,
    .has_soft_contacts = true,
    .parameter_count = PARAMETER_COUNT,
    .parameters = parameters,
    .size = sizeof(penalty),
    .lay_out = lay_out,
    .init = init,
    .step = step,
    .stored_energy = stored_energy,
};
