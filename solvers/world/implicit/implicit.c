// SPDX-License-Identifier: GPL-3.0-or-later
#include "implicit.h"

#include "../islands.h"
#include "../ledger.h"
#include "../rotation.h"

#include <float.h>
#include <string.h>

// Rounding of a length or a force, in roundings of a position of the size of the scene.
static const double roundings = 8.0;

// Least rounding of the balance, relative to the largest force.
static const double balance_rounding = 1e-12;

void rl_implicit_lay_out(rl_implicit *p, const rl_model *model, rl_carver *c) {
  const size_t unknowns = rl_direct_unknown_capacity(model), slots = model->slot_count;
  rl_kkt_lay_out(&p->kkt, model, c);
  p->inertia = rl_carve(c, slots, sizeof *p->inertia);
  p->target = rl_carve(c, slots, sizeof *p->target);
  p->predicted = rl_carve(c, slots, sizeof *p->predicted);
  p->imbalance = rl_carve(c, slots, sizeof *p->imbalance);
  p->moves = rl_carve(c, slots, sizeof *p->moves);
  p->ways = rl_carve(c, slots, sizeof *p->ways);
  p->origin = rl_carve(c, slots, sizeof *p->origin);
  p->start = rl_carve(c, slots, sizeof *p->start);
  p->rotations = rl_carve(c, model->body_count, sizeof *p->rotations);
  p->turned = rl_carve(c, model->body_count, sizeof *p->turned);
  p->past = rl_carve(c, slots, sizeof *p->past);
  p->past_rates = rl_carve(c, slots, sizeof *p->past_rates);
  p->links = rl_carve(c, model->link_count, sizeof *p->links);
  p->values = rl_carve(c, unknowns, sizeof *p->values);
  p->weights = rl_carve(c, unknowns, sizeof *p->weights);
  p->softness = rl_carve(c, unknowns, sizeof *p->softness);
  p->lag = rl_carve(c, unknowns, sizeof *p->lag);
  p->hard = rl_carve(c, unknowns, sizeof *p->hard);
  p->lower = rl_carve(c, unknowns, sizeof *p->lower);
  p->forces = rl_carve(c, unknowns, sizeof *p->forces);
  p->diagonal = rl_carve(c, unknowns, sizeof *p->diagonal);
  p->right = rl_carve(c, unknowns, sizeof *p->right);
  p->slack = rl_carve(c, unknowns, sizeof *p->slack);
  p->change = rl_carve(c, unknowns, sizeof *p->change);
  p->slack_change = rl_carve(c, unknowns, sizeof *p->slack_change);
  p->rest_of_product = rl_carve(c, unknowns, sizeof *p->rest_of_product);
  p->active = rl_carve(c, unknowns, sizeof *p->active);
  p->solution = rl_carve(c, rl_kkt_capacity(model), sizeof *p->solution);
  p->tangents.tangents = rl_carve(c, model->contact_capacity, sizeof *p->tangents.tangents);
  p->frictions = rl_carve(c, model->contact_capacity, sizeof *p->frictions);
  p->elements = rl_carve(c, model->link_count, sizeof *p->elements);
  p->cones = rl_carve(c, model->contact_capacity, sizeof *p->cones);
  p->follows = rl_carve(c, model->contact_capacity, sizeof *p->follows);
  p->krylov =
      rl_carve(c, (size_t)(RL_IMPLICIT_KRYLOV + 1) * model->contact_capacity, sizeof *p->krylov);
  for (int k = 0; k < 2; k++) {
    rl_iterate *iterate = k == 0 ? &p->kept : &p->left;
    iterate->points = rl_carve(c, slots, sizeof *iterate->points);
    iterate->forces = rl_carve(c, unknowns, sizeof *iterate->forces);
    iterate->frictions = rl_carve(c, model->contact_capacity, sizeof *iterate->frictions);
  }
  p->island_inertia = rl_carve(c, slots, sizeof *p->island_inertia);
}

void rl_implicit_release(rl_implicit *p) { rl_kkt_release(&p->kkt); }

void rl_implicit_forget(rl_implicit *p) {
  p->kkt.structure = 0;
  p->past_dt = 0.0;
}

// ---------------------------------------------------------------------------------------------
// Prediction

// (1) Predicts a place: v' = (v + h g + h w F + h w c u) / (1 + h w c), with the drag coefficient
// c, the wind u at the end and the external force F; M / h^2 is then of the mass (1 + h w c) m.
static void predict_place(rl_implicit *p, const rl_model *model, rl_state *state, uint32_t slot,
                          rl_vec3 from, rl_vec3 velocity) {
  const double w = state->points[slot].w, drag = rl_drags(model, state)[slot];
  const double slowed = 1.0 + p->h * w * drag;
  rl_vec3 fall = rl_add_scaled(velocity, p->h, model->gravity);
  if (state->pushes) {
    const rl_vec3 force = rl_add_scaled(state->pushes[slot], drag, state->wind);
    fall = rl_add_scaled(fall, p->h * w, force);
  }
  p->predicted[slot] = rl_scale(1.0 / slowed, fall);
  p->inertia[slot] = slowed / (w * p->h * p->h);
  p->target[slot] = rl_add_scaled(from, p->h, p->predicted[slot]);
}

// Predicts all places, from x and v at the start; with BDF2 from (4 now - before) / 3.
static void predict_places(rl_implicit *p, const rl_model *model, rl_state *state, double h) {
  for (uint32_t i = 0; i < model->place_count; i++) {
    rl_point *point = &state->points[i];
    rl_vec3 from = rl_position(point), velocity = state->velocities[i];
    if (!rl_implicit_moves(p, i)) { // fixed, driven, or held
      rl_move(point, rl_scale(h, velocity));
      continue;
    }
    if (p->integrator == RL_BDF2) {
      from = rl_add_scaled(rl_scale(4.0 / 3.0, from), -1.0 / 3.0, rl_position(&p->past[i]));
      velocity = rl_add_scaled(rl_scale(4.0 / 3.0, velocity), -1.0 / 3.0, p->past_rates[i]);
    }
    predict_place(p, model, state, i, from, velocity);
    rl_put(point, p->target[i]);
  }
}

// Turns bodies freely to y, to which the positions of spin slots are relative. With BDF2 too spins
// are integrated by backward Euler.
static void predict_spins(rl_implicit *p, const rl_model *model, rl_state *state, double h) {
  rl_rotation_drift(model, state, h);
  memcpy(p->rotations, state->rotations, model->body_count * sizeof *p->rotations);
  for (uint32_t i = model->place_count; i < model->slot_count; i++) {
    p->predicted[i] = state->velocities[i];
    p->inertia[i] = 1.0 / (h * h);
    p->target[i] = (rl_vec3){0.0, 0.0, 0.0};
  }
}

// (26) of papers/convex.md: returns the sum of the inverse masses of what a row pulls on, as if its
// pieces did not pull against each other; of a rope that lies straight over a body J is 0 there
// [1/kg].
static double lone_inverse_mass(const rl_model *model, const rl_state *state, const rl_rows *rows,
                                const rl_row *row) {
  double sum = 0.0;
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const uint32_t slot = rows->entries[i].slot;
    sum += slot < model->place_count ? state->points[slot].w : 0.0;
  }
  return row->kind == RL_ROW_SPAN ? fmax(sum, row->inverse_mass) : row->inverse_mass;
}

// (3) Sets softness, lag and bounds of a row. `lone`: inverse mass by which a hard one gives way. A
// hard row is a constraint, not a motion to be resolved: with the midpoint rule it has its value at
// the end of the step, C + h dC/dt ((15) of papers/convex.md).
static void set_row(rl_implicit *p, uint32_t m, rl_softness soft, double inverse_mass, double lone,
                    double lower) {
  p->hard[m] = soft.is_hard;
  p->lag[m] = soft.softness > 0.0 ? soft.damping * soft.softness / p->h : 0.0;
  p->lag[m] += rl_implicit_is_ahead(p, m) ? 1.0 : 0.0;
  p->softness[m] = fmax(soft.softness / (1.0 + p->lag[m]), p->give * lone * p->h * p->h);
  p->weights[m] = inverse_mass;
  p->lower[m] = lower;
}

// Sets all rows by the law of the method; general rows as they are at the start of the step.
static void ask_law(rl_implicit *p, const rl_model *model, const rl_state *state, rl_rows *rows,
                    const rl_implicit_method *method) {
  rl_softness_law *law = method->law;
  const void *solver = method->solver;
  const rl_softness none = {0.0, 0.0, false};
  for (uint32_t k = 0; k < model->link_count && state->element_counts; k++) {
    p->values[k] = 0.0; // unless the element exists
    set_row(p, k, none, 0.0, 0.0, 0.0);
  }
  rl_rows_stand(rows);
  for (uint32_t n = 0; n < rows->block_count; n++) {
    const rl_block *block = &rows->blocks[n];
    const rl_rope *rope = block->rope == RL_NONE ? NULL : &model->ropes[block->rope];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      const rl_link *link = &state->links[k];
      const double w = state->points[link->a].w + state->points[link->b].w;
      set_row(p, k, law(solver, rope, link->rest, link->compliance, w), w, w, block->lower);
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      rl_row *row = &rows->rows[k];
      rl_row_evaluate(model, state, rows, row, state->points);
      const double lone = lone_inverse_mass(model, state, rows, row);
      const bool is_elastic = row->compliance > 0.0;
      const double felt = is_elastic ? row->inverse_mass : lone; // by springs and dampers
      set_row(p, row->source, law(solver, rope, row->rest, row->compliance, felt),
              rl_implicit_weight(p, row), lone, row->lower);
    }
  }
  rl_rows_move(rows);
}

// Finds the shortest element, of which tolerances are fractions, and the roundings.
static void find_accuracy(rl_implicit *p, const rl_model *model, const rl_state *state) {
  p->shortest = model->reach;
  for (uint32_t i = 0; i < model->link_count; i++) {
    p->shortest = fmin(p->shortest, state->links[i].rest);
  }
  p->rounding = roundings * DBL_EPSILON * model->reach;
  p->force_rounding = fmax(balance_rounding, p->rounding / p->shortest);
}

// Begins a step: sets the rows, and moves the state to y.
static void begin(rl_implicit *p, const rl_model *model, rl_state *state, rl_rows *rows,
                  const rl_implicit_method *method, rl_integrator integrator) {
  const uint32_t count = (uint32_t)rl_unknown_count(model, state);
  p->integrator = integrator;
  p->row_count = count;
  p->h = integrator == RL_MIDPOINT ? p->dt / 2.0 : integrator == RL_BDF2 ? p->dt / 1.5 : p->dt;
  rl_kkt_build(&p->kkt, model, state, rows);
  find_accuracy(p, model, state);
  rl_direct_number(&p->tangents, model, state, rows);
  ask_law(p, model, state, rows, method);
  rl_frictions_begin(p->frictions, &p->tangents, rows);
  rl_frictions_watch(p->frictions, &p->tangents, rows, state->velocities);
  memcpy(p->forces, state->multipliers, count * sizeof *p->forces);
  // Driven and turning bodies go to the end of the equations: the middle of the step, or its end.
  const double ahead = rl_implicit_time(p);
  predict_places(p, model, state, ahead);
  predict_spins(p, model, state, ahead);
}

static void remember_start(rl_implicit *p, const rl_model *model, const rl_state *state) {
  memcpy(p->origin, state->points, model->slot_count * sizeof *p->origin);
  memcpy(p->start, state->velocities, model->slot_count * sizeof *p->start);
  memcpy(p->turned, state->rotations, model->body_count * sizeof *p->turned);
}

static void return_to_start(const rl_implicit *p, const rl_model *model, rl_state *state) {
  memcpy(state->points, p->origin, model->slot_count * sizeof *p->origin);
  memcpy(state->velocities, p->start, model->slot_count * sizeof *p->start);
  memcpy(state->rotations, p->turned, model->body_count * sizeof *p->turned);
}

// ---------------------------------------------------------------------------------------------
// The end of the step

static void copy_to(rl_iterate *to, const rl_implicit *p, const rl_model *model,
                    const rl_state *state) {
  memcpy(to->points, state->points, model->slot_count * sizeof *to->points);
  memcpy(to->forces, p->forces, p->row_count * sizeof *to->forces);
  for (uint32_t k = 0; k < p->tangents.tangents_count; k++) {
    to->frictions[k] = p->frictions[k].total;
  }
}

static void go_to(const rl_iterate *from, rl_implicit *p, const rl_model *model, rl_state *state,
                  rl_rows *rows) {
  memcpy(state->points, from->points, model->slot_count * sizeof *from->points);
  memcpy(p->forces, from->forces, p->row_count * sizeof *from->forces);
  for (uint32_t k = 0; k < p->tangents.tangents_count; k++) {
    p->frictions[k].total = from->frictions[k];
  }
  rl_implicit_evaluate(p, model, state, rows);
}

void rl_implicit_keep(rl_implicit *p, const rl_model *model, const rl_state *state,
                      double residual) {
  if (residual < p->kept_residual) {
    p->kept_residual = residual;
    copy_to(&p->kept, p, model, state);
  }
}

void rl_implicit_restore(rl_implicit *p, const rl_model *model, rl_state *state, rl_rows *rows) {
  if (p->kept_residual < INFINITY) {
    go_to(&p->kept, p, model, state, rows);
  }
}

// (6a) Moves free islands as wholes so that the residual of the balance, a force that nothing
// exerts, has given them no momentum.
static void keep_momentum(rl_implicit *p, const rl_model *model, rl_state *state, rl_rows *rows) {
  rl_vec3 *left = p->moves; // scratch: moves are computed again before they are used
  memset(left, 0, model->slot_count * sizeof *left);
  memset(p->island_inertia, 0, model->slot_count * sizeof *p->island_inertia);
  rl_implicit_balance(p, model, state, rows);
  rl_islands_find(model, state, rows);
  const uint32_t held = rl_island_of(rows, model->slot_count);
  for (uint32_t i = 0; i < model->place_count; i++) {
    const uint32_t island = rl_island_of(rows, i);
    if (island != held) {
      left[island] = rl_add(left[island], p->imbalance[i]);
      p->island_inertia[island] += p->inertia[i];
    }
  }
  for (uint32_t i = 0; i < model->place_count; i++) {
    const uint32_t island = rl_island_of(rows, i);
    if (island != held) {
      rl_move(&state->points[i], rl_scale(-1.0 / p->island_inertia[island], left[island]));
    }
  }
}

// Sets forces to 0 that are smaller than the slacks of their rows; not those of rows that they do
// not move, which have to be told.
static void part_pairs(rl_implicit *p) {
  for (uint32_t m = 0; m < p->row_count; m++) {
    const double slack = p->softness[m] * p->forces[m] - p->values[m];
    const double reaction = p->weights[m] * p->h * p->h * p->forces[m];
    if (p->lower[m] == 0.0 && reaction > 0.0 && slack > reaction) {
      p->forces[m] = 0.0;
    }
  }
}

// Writes the forces into the state. For C = (|d|^2 - l^2) / 2l the tension is |d| / l times the
// force.
static void write_multipliers(rl_implicit *p, rl_state *state, const rl_rows *rows) {
  for (uint32_t m = 0; m < p->row_count; m++) {
    state->multipliers[m] = fmax(p->forces[m], p->lower[m]);
  }
  for (uint32_t n = 0; n < rows->block_count; n++) {
    const rl_block *block = &rows->blocks[n];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      if (rl_implicit_is_square(p, k)) {
        state->multipliers[k] *= rl_length(p->links[k].gradient);
      }
    }
  }
}

// Whether nothing acts on anything at y, where the state is, without forces: then y is the
// solution.
static bool is_free(rl_implicit *p, const rl_model *model, rl_state *state, rl_rows *rows) {
  rl_implicit_evaluate(p, model, state, rows);
  for (uint32_t m = 0; m < p->row_count; m++) {
    if (p->lower[m] < 0.0 || p->values[m] > 0.0) {
      return false;
    }
  }
  return rl_implicit_balance(p, model, state, rows) == 0.0;
}

// (6b) After a step that has found no solution: goes to the best iterate, or to y, where nothing
// pulls, if that is nearer to one and no elastic row is strained there.
static void end_unsettled(rl_implicit *p, const rl_model *model, rl_state *state, rl_rows *rows) {
  for (uint32_t i = 0; i < model->slot_count; i++) {
    if (rl_implicit_moves(p, i)) {
      rl_put(&state->points[i], p->target[i]);
    }
  }
  for (uint32_t k = 0; k < p->tangents.tangents_count; k++) {
    p->frictions[k].total = (rl_vec3){0.0, 0.0, 0.0};
  }
  memset(p->forces, 0, p->row_count * sizeof *p->forces);
  rl_implicit_evaluate(p, model, state, rows);
  double residual = rl_implicit_balance(p, model, state, rows);
  for (uint32_t m = 0; m < p->row_count; m++) {
    const double excess = p->lower[m] < 0.0 ? fabs(p->values[m]) : p->values[m];
    const bool is_elastic = p->softness[m] > 0.0 && !p->hard[m];
    const double left = is_elastic && excess > 0.0 ? INFINITY : excess;
    residual = p->weights[m] > 0.0 ? rl_larger(residual, left) : residual;
  }
  if (!(residual < p->kept_residual)) {
    rl_implicit_restore(p, model, state, rows);
  }
}

// Solves the equations: Newton's method from the forces of the step before, then the interior
// point, for elements that turn over or for all rows. `is_near`: positions and forces start from
// the solution of another integrator.
static rl_reason solve(rl_implicit *p, const rl_model *model, rl_state *state, rl_rows *rows,
                       const rl_implicit_method *method, int iterations, bool is_near,
                       rl_step_info *info) {
  const double asked = fmax(method->tolerance, method->fraction * p->shortest);
  const double tolerance = asked > 0.0 ? fmax(asked, p->rounding) : asked;
  if (p->known_force == 0.0 && !is_near && is_free(p, model, state, rows)) {
    p->is_balanced = true;
    info->iterations++;
    info->row_evaluations += p->row_count;
    rl_trace(info, 0.0);
    return RL_CONVERGED_TOLERANCE;
  }
  const int tries = method->tries < iterations ? method->tries : iterations;
  const uint64_t before = info->iterations;
  const bool turns = rl_elements_turn(p, model, state, rows);
  rl_reason reason = RL_CONVERGED_ITERATIONS;
  if (p->known_force != 0.0 && tries > 0 && (!turns || is_near)) { // else there is no guess
    reason = rl_implicit_newton(p, model, state, rows, tries, RL_FROM_GUESS, tolerance, info);
  }
  int left = iterations - (int)(info->iterations - before);
  if (reason != RL_CONVERGED_TOLERANCE && turns && left > 0) {
    reason = rl_elements_interior(p, model, state, rows, left, tolerance, info);
    left = iterations - (int)(info->iterations - before);
  }
  if (reason != RL_CONVERGED_TOLERANCE && left > 0) {
    reason = rl_implicit_interior(p, model, state, rows, left, tolerance, info);
  }
  return reason;
}

// Solves the step, ends it if there is no solution, and writes its forces.
static rl_reason find(rl_implicit *p, const rl_model *model, rl_state *state, rl_rows *rows,
                      const rl_implicit_method *method, int iterations, bool is_near,
                      rl_step_info *info) {
  p->known_force = 0.0;
  p->kept_residual = INFINITY;
  p->is_balanced = false;
  for (uint32_t m = 0; m < p->row_count; m++) {
    p->known_force = fmax(p->known_force, fabs(p->forces[m]));
  }
  const rl_reason reason = solve(p, model, state, rows, method, iterations, is_near, info);
  if (reason != RL_CONVERGED_TOLERANCE) {
    end_unsettled(p, model, state, rows);
  }
  if (!p->is_balanced) {
    keep_momentum(p, model, state, rows);
  }
  part_pairs(p);
  write_multipliers(p, state, rows);
  if (info->want_residual || info->trace) {
    info->residual = rl_residual(model, state, rows, state->points, state->multipliers, 1.0, p->h);
    if (info->trace && info->trace_count > 0) { // the last one, with the final forces
      info->trace[info->trace_count - 1] = info->residual;
    }
  }
  return reason;
}

// (13) of penalty-implicit.md: returns the loss in a damper of the scenario, whose force is the
// difference between the force of the row and that of its spring, also where the row does not pull
// [J].
static double damper_loss(const rl_implicit *p, uint32_t m, double value, double way) {
  const double rate = way / p->h;
  const double pull = value / (p->softness[m] * (1.0 + p->lag[m]));
  const bool taut = value > 0.0 || p->forces[m] != 0.0;
  return taut ? (p->forces[m] - pull) * rate * p->dt : 0.0;
}

static void book_dampers(rl_implicit *p, const rl_model *model, const rl_state *state,
                         rl_rows *rows, rl_step_info *info) {
  rl_implicit_find_moves(p, model, state);
  rl_rows_stand(rows);
  for (uint32_t n = 0; n < rows->block_count; n++) {
    const rl_block *block = &rows->blocks[n];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      const rl_link *link = &state->links[k];
      if (link->compliance > 0.0 && p->lag[k] > 0.0) {
        const rl_link_value v = rl_link_evaluate(link, state->points);
        info->dissipated +=
            damper_loss(p, k, v.value, rl_dot(v.d, rl_sub(p->ways[link->b], p->ways[link->a])));
      }
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      rl_row *row = &rows->rows[k];
      if (row->compliance > 0.0 && p->lag[row->source] > 0.0) {
        rl_row_evaluate(model, state, rows, row, state->points);
        const double way =
            rl_row_power(rows, row, p->ways) + row->reel_power - p->h * row->reel_power;
        info->dissipated += damper_loss(p, row->source, row->value, way);
      }
    }
  }
  rl_rows_move(rows);
}

// (24) of papers/convex.md: returns the mean velocity over the step along which forces do work, 0
// of what is driven; with backward Euler without the part of the external forces.
static rl_vec3 mean_velocity(const rl_implicit *p, const rl_state *state, uint32_t slot) {
  if (state->points[slot].w == 0.0) {
    return (rl_vec3){0.0, 0.0, 0.0};
  }
  const rl_vec3 sum = rl_add(p->start[slot], state->velocities[slot]);
  const bool falls = p->integrator != RL_MIDPOINT && rl_implicit_moves(p, slot);
  const rl_vec3 fall =
      falls ? rl_sub(p->predicted[slot], p->start[slot]) : (rl_vec3){0.0, 0.0, 0.0};
  return rl_scale(0.5, rl_sub(sum, fall));
}

// The same of a row, along its last gradient, of the velocities before and after; spins are those
// of the frame in which forces turn them, at y [m/s].
static double mean_rate(const rl_implicit *p, const rl_state *state, const rl_rows *rows,
                        const rl_row *row) {
  double rate = 0.0;
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *e = &rows->entries[i];
    const bool is_place = e->slot < state->model->place_count;
    const rl_vec3 before = is_place ? p->start[e->slot] : p->predicted[e->slot];
    rate += state->points[e->slot].w == 0.0
                ? 0.0
                : 0.5 * rl_dot(e->gradient, rl_add(before, state->velocities[e->slot]));
  }
  return rate;
}

// (24) of papers/convex.md: books the loss of catches, along the directions of the forces, with the
// final velocities.
static void book_catches(const rl_implicit *p, const rl_state *state, const rl_rows *rows,
                         rl_ledger *ledger) {
  for (uint32_t n = 0; n < rows->block_count; n++) {
    const rl_block *block = &rows->blocks[n];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      const rl_link *link = &state->links[k];
      const rl_vec3 v = rl_sub(mean_velocity(p, state, link->b), mean_velocity(p, state, link->a));
      const double impulse = p->dt * fmax(p->forces[k], p->lower[k]);
      rl_ledger_catch(ledger, k, impulse, rl_dot(p->links[k].gradient, v), false);
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      const rl_row *row = &rows->rows[k];
      if (row->kind == RL_ROW_SPAN) {
        const double impulse = p->dt * fmax(p->forces[row->source], p->lower[row->source]);
        rl_ledger_catch(ledger, row->source, impulse, mean_rate(p, state, rows, row), false);
      }
    }
  }
}

// (5) Computes x and v at the end of the step; with the midpoint rule twice as far from the start
// as the middle.
static void finish_places(rl_implicit *p, const rl_model *model, rl_state *state,
                          rl_step_info *info) {
  const bool middle = p->integrator == RL_MIDPOINT;
  for (uint32_t i = 0; i < model->place_count; i++) {
    rl_point *point = &state->points[i];
    if (!rl_implicit_moves(p, i)) {
      rl_move(point, middle ? rl_scale(p->h, state->velocities[i]) : (rl_vec3){0.0, 0.0, 0.0});
      continue;
    }
    const rl_vec3 correction = rl_sub(rl_position(point), p->target[i]);
    rl_vec3 v = rl_add_scaled(p->predicted[i], 1.0 / p->h, correction);
    const rl_vec3 through = rl_sub(v, state->wind); // relative to the air
    const double drag = p->dt * rl_drags(model, state)[i];
    info->dissipated += drag * rl_dot(through, through);
    info->work -= drag * rl_dot(through, state->wind);
    if (middle) {
      rl_move(point, rl_scale(p->h, v));
      v = rl_sub(rl_scale(2.0, v), p->start[i]);
    }
    p->past[i] = p->origin[i];
    p->past_rates[i] = p->start[i];
    state->velocities[i] = v;
  }
}

// Computes the spins at the end of the step, at y; with the midpoint rule by the same torque again.
static void finish_spins(rl_implicit *p, const rl_model *model, rl_state *state) {
  const bool middle = p->integrator == RL_MIDPOINT;
  const double h = middle ? 0.5 * p->h : p->dt;
  for (uint32_t i = model->place_count; i < model->slot_count; i++) {
    rl_point *turn = &state->points[i];
    state->velocities[i] = rl_add_scaled(state->velocities[i], 1.0 / h, rl_position(turn));
    if (middle) {
      rl_put(turn, (rl_vec3){0.0, 0.0, 0.0});
    }
  }
}

static void finish(rl_implicit *p, const rl_model *model, rl_state *state, rl_rows *rows,
                   bool rests, rl_step_info *info) {
  book_dampers(p, model, state, rows, info);
  finish_places(p, model, state, info);
  finish_spins(p, model, state);
  book_catches(p, state, rows, info->ledger);
  if (p->integrator == RL_MIDPOINT) { // from there by free motion
    rl_rotation_drift(model, state, p->h);
  } else {
    rl_rotation_settle(model, state, RL_TURN_MOMENTUM);
  }
  rl_state_reel(model, state, p->dt - rl_implicit_time(p));
  if (rests) {
    rl_implicit_remove_rates(p, model, state, rows, info->ledger);
  }
  if (p->tangents.tangents_count > 0) {
    rl_frictions_book(p->frictions, &p->tangents, rows, state, p->dt / (p->h * p->h), info);
  }
}

// Whether friction acts, with the present forces.
static bool rubs(const rl_implicit *p) {
  bool any = false;
  for (uint32_t k = 0; k < p->tangents.tangents_count; k++) {
    any = any || p->forces[p->tangents.tangents[k].normal] > 0.0;
  }
  return any;
}

// Whether the step has to be repeated with backward Euler.
static bool is_rough(const rl_implicit *p, const rl_state *state, const rl_rows *rows,
                     rl_reason reason, const rl_step_info *info) {
  return p->integrator != RL_EULER &&
         (rubs(p) || (p->integrator == RL_MIDPOINT && reason != RL_CONVERGED_TOLERANCE) ||
          (p->integrator == RL_BDF2 && rl_ledger_is_hit(info->ledger, state, rows)));
}

// Begins the step once more from its start, with winches that have run on as far as it needs.
static void begin_again(rl_implicit *p, const rl_model *model, rl_state *state, rl_rows *rows,
                        const rl_implicit_method *method, rl_integrator integrator) {
  const double before = rl_implicit_time(p);
  return_to_start(p, model, state);
  begin(p, model, state, rows, method, integrator);
  rl_state_reel(model, state, rl_implicit_time(p) - before);
}

// (26) of papers/convex.md: solves a step that has not settled from its start with springs in the
// place of hard rows. It counts as not settled; if that leaves no less, it ends as without them.
static void find_with_springs(rl_implicit *p, const rl_model *model, rl_state *state, rl_rows *rows,
                              const rl_implicit_method *method, rl_step_info *info) {
  static const double give = 1e-6;
  const rl_integrator integrator = p->integrator;
  const double residual = info->residual, left = p->kept_residual;
  copy_to(&p->left, p, model, state);
  memset(state->multipliers, 0, p->row_count * sizeof *state->multipliers);
  p->give = give;
  begin_again(p, model, state, rows, method, RL_EULER);
  const rl_reason reason = find(p, model, state, rows, method, method->iterations, false, info);
  p->give = 0.0;
  if (reason == RL_CONVERGED_TOLERANCE || p->kept_residual < left) {
    return;
  }
  begin_again(p, model, state, rows, method, integrator);
  go_to(&p->left, p, model, state, rows);
  write_multipliers(p, state, rows);
  info->residual = residual;
}

// Solves the step once more from its start, by backward Euler. `is_near`: the state is at the end
// that BDF2 has found, which is a good guess.
static rl_reason find_again(rl_implicit *p, const rl_model *model, rl_state *state, rl_rows *rows,
                            const rl_implicit_method *method, int iterations, bool is_near,
                            rl_step_info *info) {
  rl_point *end = p->kept.points; // scratch until an iterate is kept
  memcpy(end, state->points, model->slot_count * sizeof *end);
  begin_again(p, model, state, rows, method, RL_EULER);
  for (uint32_t i = 0; i < model->place_count && is_near; i++) {
    if (rl_implicit_moves(p, i)) {
      state->points[i] = end[i];
    }
  }
  return find(p, model, state, rows, method, iterations, is_near, info);
}

rl_reason rl_implicit_step(rl_implicit *p, const rl_model *model, rl_state *state, rl_rows *rows,
                           const rl_implicit_method *method, double dt, rl_step_info *info) {
  const bool starts = method->integrator == RL_BDF2 && p->past_dt != dt;
  p->dt = dt;
  remember_start(p, model, state);
  begin(p, model, state, rows, method, starts ? RL_EULER : method->integrator);
  if (p->kkt.is_short) {
    return RL_DIVERGED_MEMORY;
  }
  rl_state_reel(model, state, rl_implicit_time(p));
  const uint64_t before = info->iterations;
  // Methods of order 2 leave half of the iterations for backward Euler, in case it has to follow.
  const int first = p->integrator == RL_EULER ? method->iterations : method->iterations / 2;
  // Friction in the step before is expected again, and slack ropes that turn over will be caught.
  const bool loose = p->integrator == RL_BDF2 && rl_ledger_expects_hit(info->ledger) &&
                     rl_elements_turn(p, model, state, rows);
  bool again = p->integrator != RL_EULER && (rubs(p) || first == 0 || loose);
  rl_reason reason = RL_CONVERGED_ITERATIONS;
  if (!again) {
    reason = find(p, model, state, rows, method, first, false, info);
    again = is_rough(p, state, rows, reason, info);
  }
  if (again) {
    const bool is_near = p->integrator == RL_BDF2 && reason == RL_CONVERGED_TOLERANCE;
    const int left = method->iterations - (int)(info->iterations - before);
    reason = find_again(p, model, state, rows, method, left, is_near, info);
  }
  if (reason == RL_CONVERGED_ITERATIONS && method->gives && method->iterations > method->tries) {
    find_with_springs(p, model, state, rows, method, info);
  }
  // After a step with an impact or friction there is no past for BDF2.
  p->past_dt = rubs(p) || rl_ledger_is_hit(info->ledger, state, rows) ? 0.0 : dt;
  const bool rests = method->integrator == RL_MIDPOINT && !rubs(p);
  finish(p, model, state, rows, rests, info);
  return reason;
}
