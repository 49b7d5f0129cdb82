// SPDX-License-Identifier: GPL-3.0-or-later
#include "projection.h"

#include "rotation.h"

#include <string.h>

// Of its rest length: an element with less slack is tried as taut first.
static const double nearly_taut_slack = 1e-3;

// An iteration that makes the residual this many times larger is taken back.
static const double worst_growth = 10.0;

void rl_projection_lay_out(void *memory, const rl_model *model, rl_carver *c) {
  rl_projection *p = memory;
  const size_t unknowns = (size_t)model->link_count + model->contact_capacity;
  const size_t entries = rl_direct_gradient_capacity(model);
  rl_direct_lay_out(&p->direct, model, c);
  p->values = rl_carve(c, unknowns, sizeof *p->values);
  p->inverse_masses = rl_carve(c, unknowns, sizeof *p->inverse_masses);
  p->lower = rl_carve(c, unknowns, sizeof *p->lower);
  p->change = rl_carve(c, unknowns, sizeof *p->change);
  p->step = rl_carve(c, unknowns, sizeof *p->step);
  p->impulses = rl_carve(c, unknowns, sizeof *p->impulses);
  p->active = rl_carve(c, unknowns, sizeof *p->active);
  p->acted = rl_carve(c, unknowns, sizeof *p->acted);
  p->start = rl_carve(c, entries, sizeof *p->start);
  p->before = rl_carve(c, entries, sizeof *p->before);
  p->current = rl_carve(c, entries, sizeof *p->current);
  p->corrections = rl_carve(c, model->slot_count, sizeof *p->corrections);
  p->rotations = rl_carve(c, model->body_count, sizeof *p->rotations);
  p->spins = rl_carve(c, model->slot_count, sizeof *p->spins);
  p->turns = rl_carve(c, model->slot_count, sizeof *p->turns);
}

void rl_projection_sync(void *memory, const rl_model *model, const rl_state *state) {
  (void)model;
  (void)state;
  ((rl_projection *)memory)->direct.structure = 0;
}

void rl_projection_begin(rl_projection *p, const rl_model *model, rl_state *state, rl_rows *rows,
                         bool start, double dt) {
  p->dt = dt;
  rl_direct_build(&p->direct, model, state, rows);
  if (start) {
    rl_direct_evaluate(&p->direct, model, state, rows, state->points, p->values, p->inverse_masses,
                       p->start);
  }
  for (uint32_t n = 0; n < rows->block_count; n++) {
    const rl_block *block = &rows->blocks[n];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      p->lower[k] = block->lower;
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      p->lower[rows->rows[k].source] = rows->rows[k].lower;
    }
  }
  for (uint32_t m = 0; m < p->direct.count; m++) {
    p->acted[m] = state->multipliers[m] > 0.0;
    state->multipliers[m] = 0.0;
  }
  for (uint32_t i = 0; i < model->slot_count; i++) {
    p->corrections[i] = p->turns[i] = (rl_vec3){0.0, 0.0, 0.0};
    p->spins[i] = state->velocities[i];
  }
  memcpy(p->rotations, state->rotations, model->body_count * sizeof *p->rotations);
}

// Bodies turn nonlinearly in what pushes them at the start of the step: from there once more, with
// all pushes so far.
static void turn_again(rl_projection *p, const rl_model *model, rl_state *state) {
  if (model->slot_count == model->place_count) {
    return;
  }
  for (uint32_t i = model->place_count; i < model->slot_count; i++) {
    rl_point *point = &state->points[i];
    p->turns[i] = rl_add(p->turns[i], rl_position(point));
    *point = (rl_point){0.0, 0.0, 0.0, point->w};
    state->velocities[i] = rl_add_scaled(p->spins[i], 1.0 / p->dt, p->turns[i]);
  }
  memcpy(state->rotations, p->rotations, model->body_count * sizeof *p->rotations);
  rl_rotation_drift(model, state, p->dt);
}

// Values, gradients, residual and active set at the present positions: a row acts if -C < W lambda,
// of which the residual takes the smaller.
static void evaluate(rl_projection *p, const rl_model *model, const rl_state *state, rl_rows *rows,
                     rl_step_info *info) {
  rl_direct_evaluate(&p->direct, model, state, rows, state->points, p->values, p->inverse_masses,
                     p->current);
  p->residual = 0.0;
  for (uint32_t m = 0; m < p->direct.count; m++) {
    const double reaction = p->inverse_masses[m] * state->multipliers[m];
    p->residual = rl_larger(p->residual, rl_row_residual(p->values[m], reaction, p->lower[m]));
    p->active[m] = p->inverse_masses[m] > 0.0 && (p->lower[m] < 0.0 || -p->values[m] < reaction);
    p->change[m] = p->active[m] ? p->values[m] : -state->multipliers[m];
  }
  info->row_evaluations += p->direct.count;
}

// Before the first iteration: rows that acted in the step before, and elements that are all but
// taut, act as well. A row too many is found out by its multiplier in one iteration; a row too few
// is found only when its neighbour has moved, one element an iteration.
static void guess_active(rl_projection *p, const rl_model *model, const rl_state *state) {
  for (uint32_t m = 0; m < p->direct.count; m++) {
    const bool nearly_taut =
        m < model->link_count && p->values[m] > -nearly_taut_slack * state->links[m].rest;
    p->active[m] = p->inverse_masses[m] > 0.0 && (p->active[m] || p->acted[m] || nearly_taut);
    p->change[m] = p->active[m] ? p->values[m] : -state->multipliers[m];
  }
}

// The gradients along which the multipliers of the iteration just made act.
static const rl_vec3 *directions(const rl_projection *p, bool at_start) {
  return at_start ? p->start : p->before;
}

// Moves along the step of the multipliers, forwards or back again. With the gradients of the start
// all iterations move along the same ones, so the sum of the moves is taken at the end, at once.
static void move(rl_projection *p, const rl_model *model, rl_state *state, bool at_start,
                 double sign) {
  for (uint32_t m = 0; m < p->direct.count; m++) {
    p->change[m] = sign * p->step[m];
    state->multipliers[m] += p->change[m];
  }
  rl_direct_move(&p->direct, directions(p, at_start), p->change, state->points);
  if (at_start) {
    turn_again(p, model, state);
  } else {
    rl_direct_push(&p->direct, state->points, directions(p, at_start), p->change, p->corrections);
  }
}

// One Newton iteration: A dlambda = C for the rows that act, lambda = 0 for the others. What was
// the current gradients is then what was before.
static bool newton(rl_projection *p, const rl_model *model, rl_state *state, bool at_start,
                   double regularisation) {
  rl_vec3 *gradients = p->before;
  p->before = p->current;
  p->current = gradients;
  if (!rl_direct_factor(&p->direct, state->points, p->before, directions(p, at_start),
                        regularisation, p->inverse_masses, p->active)) {
    return false;
  }
  rl_direct_solve(&p->direct, p->change);
  double *change = p->step;
  p->step = p->change;
  p->change = change;
  move(p, model, state, at_start, 1.0);
  return true;
}

rl_reason rl_projection_positions(rl_projection *p, const rl_model *model, rl_state *state,
                                  rl_rows *rows, bool at_start, int iterations, double tolerance,
                                  rl_step_info *info) {
  rl_reason reason = RL_CONVERGED_ITERATIONS;
  double regularisation = p->regularisation;
  bool guessed = true;
  evaluate(p, model, state, rows, info);
  guess_active(p, model, state);
  double last = p->residual;
  for (int i = 0; i < iterations && reason == RL_CONVERGED_ITERATIONS; i++) {
    if (!newton(p, model, state, at_start, regularisation)) {
      break;
    }
    evaluate(p, model, state, rows, info);
    info->iterations++;
    if (!(p->residual <= worst_growth * last) && regularisation < 1.0) {
      // Rows that all but repeat each other throw the rope far away: back, and more softly.
      move(p, model, state, at_start, -1.0);
      evaluate(p, model, state, rows, info);
      if (guessed) {
        guess_active(p, model, state);
      }
      regularisation = fmax(1e3 * regularisation, 1e-9);
    } else {
      last = p->residual;
      guessed = false;
      regularisation = fmax(p->regularisation, 1e-2 * regularisation);
    }
    rl_trace(info, p->residual);
    if (tolerance > 0.0 && p->residual <= tolerance) {
      reason = RL_CONVERGED_TOLERANCE;
    }
  }
  info->residual = p->residual;
  if (at_start) {
    rl_direct_push(&p->direct, state->points, p->start, state->multipliers, p->corrections);
    for (uint32_t i = model->place_count; i < model->slot_count; i++) {
      p->corrections[i] = (rl_vec3){0.0, 0.0, 0.0}; // turn_again has put them into the velocities
    }
  }
  for (uint32_t m = 0; m < p->direct.count; m++) {
    // Rounding, or the last iteration of too few, may leave a row that pushes.
    state->multipliers[m] = fmax(state->multipliers[m], p->lower[m]);
  }
  return reason;
}

void rl_projection_finish(rl_projection *p, const rl_model *model, rl_state *state) {
  for (uint32_t i = 0; i < model->slot_count; i++) {
    state->velocities[i] = rl_add_scaled(state->velocities[i], 1.0 / p->dt, p->corrections[i]);
  }
  rl_rotation_settle(model, state, true);
}

// Taut rows leave the active set when their impulse pushes and come back when they separate. True
// when nothing changed.
static bool update_active(rl_projection *p, const rl_state *state, const double *rates) {
  bool settled = true;
  for (uint32_t m = 0; m < p->direct.count; m++) {
    const bool taut = p->inverse_masses[m] > 0.0 && state->multipliers[m] > 0.0;
    const bool acts =
        p->lower[m] < 0.0 || (taut && -rates[m] < p->inverse_masses[m] * p->impulses[m]);
    settled = settled && acts == p->active[m];
    p->active[m] = acts;
  }
  return settled;
}

void rl_projection_velocities(rl_projection *p, rl_state *state, int iterations) {
  rl_direct *d = &p->direct;
  for (uint32_t m = 0; m < d->count; m++) {
    p->impulses[m] = 0.0;
    p->active[m] = p->inverse_masses[m] > 0.0 && (p->lower[m] < 0.0 || state->multipliers[m] > 0.0);
  }
  for (int i = 0; i < iterations; i++) {
    rl_direct_rates(d, p->current, state->velocities, p->change);
    if (i > 0 && update_active(p, state, p->change)) {
      break;
    }
    for (uint32_t m = 0; m < d->count; m++) {
      p->change[m] = p->active[m] ? p->change[m] : -p->impulses[m];
    }
    if (!rl_direct_factor(d, state->points, p->current, p->current, p->regularisation,
                          p->inverse_masses, p->active)) {
      break;
    }
    rl_direct_solve(d, p->change);
    rl_direct_push(d, state->points, p->current, p->change, state->velocities);
    for (uint32_t m = 0; m < d->count; m++) {
      p->impulses[m] += p->change[m];
    }
  }
}
