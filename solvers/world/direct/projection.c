// SPDX-License-Identifier: GPL-3.0-or-later
// Equation numbers are those of papers/pbd-direct.md.
#include "projection.h"

#include "../ledger.h"
#include "../rotation.h"

#include <string.h>

// Relative to its rest length: an element with less slack is first tried as taut.
static const double nearly_taut_slack = 1e-3;

// An iteration that makes the residual larger by more than this factor is taken back.
static const double worst_growth = 10.0;

// Tolerance of contacts in the projection of velocities, relative to their largest reaction.
static const double settled_contact = 1e-12;

// Tolerance of elements in the projection of velocities, relative to their largest rate.
static const double settled_element = 1e-10;

void rl_projection_init(rl_projection *projection, const double *parameters,
                        rl_regularisation regularisation, double share) {
  projection->parameters = parameters;
  projection->share = share;
  projection->regularisation = regularisation;
}

void rl_projection_lay_out(void *memory, const rl_model *model, rl_carver *c) {
  rl_projection *p = memory;
  const size_t unknowns = rl_direct_unknown_capacity(model);
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
  p->frictions = rl_carve(c, model->contact_capacity, sizeof *p->frictions);
  p->previous = rl_carve(c, model->slot_count, sizeof *p->previous);
  p->moves = rl_carve(c, model->slot_count, sizeof *p->moves);
  const bool rubs = model->capabilities & RL_CAN_FRICTION;
  p->rows.rows = rl_carve(c, rubs ? model->row_capacity : 0, sizeof *p->rows.rows);
  p->rows.entries = rl_carve(c, rubs ? model->entry_capacity : 0, sizeof *p->rows.entries);
}

void rl_projection_release(void *memory) { rl_direct_release(&((rl_projection *)memory)->direct); }

void rl_projection_sync(void *memory, const rl_model *model, const rl_state *state) {
  (void)model;
  (void)state;
  ((rl_projection *)memory)->direct.structure = 0;
}

// Keeps rows and entries of the start of the step, along which friction acts.
static void keep_rows(rl_projection *p, const rl_rows *rows) {
  const rl_row *last = &rows->rows[rows->row_count - 1];
  memcpy(p->rows.rows, rows->rows, rows->row_count * sizeof *rows->rows);
  memcpy(p->rows.entries, rows->entries,
         (last->first_entry + last->entry_count) * sizeof *rows->entries);
}

static void begin_friction(rl_projection *p, const rl_rows *rows, const rl_point *points) {
  rl_frictions_begin(p->frictions, &p->direct, rows);
  rl_frictions_weigh(p->frictions, &p->direct, rows, points);
}

bool rl_projection_begin(rl_projection *p, const rl_model *model, rl_state *state, rl_rows *rows,
                         bool at_start, double dt) {
  p->dt = dt;
  rl_direct_build(&p->direct, model, state, rows);
  if (at_start || p->direct.tangents_count > 0) {
    rl_direct_evaluate(&p->direct, model, state, rows, state->points, p->values, p->inverse_masses,
                       p->start);
    begin_friction(p, rows, state->points);
    rl_frictions_watch(p->frictions, &p->direct, rows, state->velocities);
  }
  if (p->direct.tangents_count > 0) {
    keep_rows(p, rows);
  }
  rl_direct_bounds(&p->direct, rows, p->lower);
  for (uint32_t m = 0; m < p->direct.row_count; m++) {
    p->acted[m] = state->multipliers[m] > 0.0;
    state->multipliers[m] = 0.0;
  }
  for (uint32_t i = 0; i < model->slot_count; i++) {
    p->corrections[i] = p->turns[i] = (rl_vec3){0.0, 0.0, 0.0};
    p->spins[i] = state->velocities[i];
    p->previous[i] = state->points[i];
  }
  memcpy(p->rotations, state->rotations, model->body_count * sizeof *p->rotations);
  return !p->direct.is_short;
}

// (13) Turns all bodies again from the start of the step, with all impulses so far: the rotation is
// not linear in the impulses.
static void turn_again(rl_projection *p, const rl_model *model, rl_state *state) {
  if (model->slot_count == model->place_count) {
    return;
  }
  for (uint32_t i = model->place_count; i < model->slot_count; i++) {
    rl_point *point = &state->points[i];
    p->turns[i] = rl_add(p->turns[i], rl_position(point));
    rl_put(point, (rl_vec3){0.0, 0.0, 0.0});
    state->velocities[i] = rl_add_scaled(p->spins[i], 1.0 / p->dt, p->turns[i]);
  }
  memcpy(state->rotations, p->rotations, model->body_count * sizeof *p->rotations);
  rl_rotation_drift(model, state, p->dt);
}

// (10) Computes slides and residual of the friction at the present positions.
static void evaluate_friction(rl_projection *p, const rl_model *model, const rl_state *state,
                              const rl_rows *rows) {
  for (uint32_t i = 0; i < model->slot_count && p->direct.tangents_count > 0; i++) {
    p->moves[i] = rl_sub(rl_position(&state->points[i]), rl_position(&p->previous[i]));
    if (i >= model->place_count) { // the position of a spin is relative to its drift
      p->moves[i] = rl_add_scaled(p->moves[i], p->dt, state->velocities[i]);
    }
  }
  double size;
  rl_frictions_measure(p->frictions, &p->direct, rows, p->moves);
  p->friction_residual = rl_frictions_residual(p->frictions, &p->direct, rows, p->inverse_masses,
                                               state->multipliers, &size);
}

// (3) Computes values, gradients, residual and active set at the present positions: a row is active
// if -C < W lambda; the smaller of these is its residual.
static void evaluate(rl_projection *p, const rl_model *model, const rl_state *state, rl_rows *rows,
                     rl_step_info *info) {
  rl_direct_evaluate(&p->direct, model, state, rows, state->points, p->values, p->inverse_masses,
                     p->current);
  p->residual = 0.0;
  for (uint32_t m = 0; m < p->direct.row_count; m++) {
    const double reaction = p->inverse_masses[m] * state->multipliers[m];
    if (rl_direct_has_entries(&p->direct, m)) { // else no move can change the row
      p->residual = rl_larger(p->residual, rl_row_residual(p->values[m], reaction, p->lower[m]));
      if (p->inverse_masses[m] == 0.0 && state->multipliers[m] != 0.0) { // its moves are to go
        p->residual = rl_larger(p->residual, fabs(p->values[m]));
      }
    }
    p->active[m] = p->inverse_masses[m] > 0.0 && (p->lower[m] < 0.0 || -p->values[m] < reaction);
    p->change[m] = p->active[m] ? p->values[m] : -state->multipliers[m];
  }
  evaluate_friction(p, model, state, rows);
  info->row_evaluations += p->direct.row_count;
}

// Adds rows that were active in the step before, and elements that are nearly taut, to the active
// set before the first iteration. A row too many leaves by its multiplier after one iteration; a
// row too few enters only after its neighbour has moved, one element per iteration.
static void guess_active(rl_projection *p, const rl_model *model, const rl_state *state) {
  for (uint32_t m = 0; m < p->direct.row_count; m++) {
    const bool nearly_taut = m < model->link_count && !model->ropes[model->link_rope[m]].massless &&
                             p->values[m] > -nearly_taut_slack * state->links[m].rest;
    p->active[m] = p->inverse_masses[m] > 0.0 && (p->active[m] || p->acted[m] || nearly_taut);
    p->change[m] = p->active[m] ? p->values[m] : -state->multipliers[m];
  }
}

// Returns the gradients J0 of the iteration just made.
static const rl_vec3 *directions(const rl_projection *p, bool at_start) {
  return at_start ? p->start : p->before;
}

// Moves the state by the step of the multipliers, forwards (`sign` 1) or back (-1). With the
// gradients of the start all iterations share J0, so the sum of the moves is computed at the end.
static void move(rl_projection *p, const rl_model *model, rl_state *state, bool at_start,
                 double sign) {
  for (uint32_t m = 0; m < p->direct.count; m++) {
    p->change[m] = sign * p->step[m];
  }
  for (uint32_t m = 0; m < p->direct.row_count; m++) {
    state->multipliers[m] += p->change[m];
  }
  rl_frictions_add(p->frictions, &p->direct, p->change);
  rl_direct_move(&p->direct, directions(p, at_start), p->change, state->points);
  if (at_start) {
    turn_again(p, model, state);
  } else {
    rl_direct_push(&p->direct, state->points, directions(p, at_start), p->change, p->corrections);
  }
}

// (4) Makes one Newton iteration: A dlambda = C for active rows, lambda = 0 for the others. The
// current gradients become those before. Returns false if A is singular.
static bool newton(rl_projection *p, const rl_model *model, rl_state *state, const rl_rows *rows,
                   bool at_start, rl_regularisation regularisation) {
  rl_frictions_choose(p->frictions, &p->direct, rows, p->inverse_masses, state->multipliers,
                      p->active, p->change);
  rl_frictions_lay(p->frictions, &p->direct, rows, p->current);
  rl_frictions_lay(p->frictions, &p->direct, &p->rows, p->start);
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

// Adds the moves of all multipliers of the step along the gradients of its start.
static void push_total(rl_projection *p, const rl_state *state) {
  memcpy(p->change, state->multipliers, p->direct.row_count * sizeof *p->change);
  rl_frictions_components(p->frictions, &p->direct, p->change);
  rl_direct_push(&p->direct, state->points, p->start, p->change, p->corrections);
}

// Returns a regularisation raised to at least `least`.
static rl_regularisation at_least(rl_regularisation r, double least) {
  return (rl_regularisation){fmax(r.elements, least), fmax(r.contacts, least)};
}

// Newton's method from the present positions.
static rl_reason iterate(rl_projection *p, const rl_model *model, rl_state *state, rl_rows *rows,
                         bool at_start, int iterations, double tolerance, rl_step_info *info) {
  rl_reason reason = RL_CONVERGED_ITERATIONS;
  rl_regularisation regularisation = p->regularisation;
  bool guessed = true;
  p->has_turned = false;
  evaluate(p, model, state, rows, info);
  guess_active(p, model, state);
  for (int i = 0; i < iterations && reason == RL_CONVERGED_ITERATIONS; i++) {
    const double last = fmax(p->residual, p->friction_residual);
    if (!newton(p, model, state, rows, at_start, regularisation)) {
      break;
    }
    p->has_turned = p->has_turned || p->direct.is_turned;
    evaluate(p, model, state, rows, info);
    info->iterations++;
    if (!(p->residual <= worst_growth * last) && regularisation.elements < 1.0) {
      // Nearly dependent rows throw the rope far away: go back and regularise more.
      move(p, model, state, at_start, -1.0);
      evaluate(p, model, state, rows, info);
      if (guessed) {
        guess_active(p, model, state);
      }
      regularisation = at_least(p->regularisation, fmax(1e3 * regularisation.elements, 1e-9));
    } else {
      guessed = false;
      regularisation = at_least(p->regularisation, 1e-2 * regularisation.elements);
    }
    rl_trace(info, p->residual);
    if (tolerance > 0.0 && p->residual <= tolerance && p->friction_residual <= tolerance) {
      reason = RL_CONVERGED_TOLERANCE;
    }
  }
  return reason;
}

// (14) Resets the state to the end of the drift, without multipliers.
static void drift_again(rl_projection *p, const rl_model *model, rl_state *state) {
  for (uint32_t i = 0; i < model->slot_count; i++) {
    state->points[i] = p->previous[i];
    p->turns[i] = (rl_vec3){0.0, 0.0, 0.0};
    if (i < model->place_count) {
      rl_move(&state->points[i], rl_scale(p->dt, state->velocities[i]));
    }
  }
  turn_again(p, model, state);
  memset(state->multipliers, 0, p->direct.row_count * sizeof *state->multipliers);
  begin_friction(p, &p->rows, state->points);
}

// (14) Whether there may be no solution along the gradients of the start, so that the last
// iteration is worth nothing.
static bool is_lost(const rl_projection *p, const rl_model *model, const rl_state *state) {
  bool is_beyond = p->has_turned && model->wrap_capacity > 0;
  for (uint32_t m = 0; m < model->link_count; m++) {
    const double moved = p->inverse_masses[m] * state->multipliers[m];
    is_beyond = is_beyond || (moved > 2.0 * p->share * state->links[m].rest &&
                              rl_direct_pulls_along(&p->direct, m, p->start));
  }
  return is_beyond;
}

// (2), (4)
rl_reason rl_projection_positions(rl_projection *p, const rl_model *model, rl_state *state,
                                  rl_rows *rows, bool at_start, int iterations, double tolerance,
                                  rl_step_info *info) {
  rl_reason reason = iterate(p, model, state, rows, at_start, iterations, tolerance, info);
  if (at_start && reason == RL_CONVERGED_ITERATIONS && is_lost(p, model, state)) {
    at_start = false;
    drift_again(p, model, state);
    reason = iterate(p, model, state, rows, at_start, iterations, tolerance, info);
  }
  info->residual = p->residual;
  if (at_start) {
    push_total(p, state);
    for (uint32_t i = model->place_count; i < model->slot_count; i++) {
      p->corrections[i] = (rl_vec3){0.0, 0.0, 0.0}; // already in the velocities, by turn_again
    }
  }
  for (uint32_t m = 0; m < p->direct.row_count; m++) {
    // Rounding, or too few iterations, may leave a negative multiplier.
    state->multipliers[m] = fmax(state->multipliers[m], p->lower[m]);
  }
  return reason;
}

void rl_projection_finish(rl_projection *p, const rl_model *model, rl_state *state) {
  for (uint32_t i = 0; i < model->slot_count; i++) {
    state->velocities[i] = rl_add_scaled(state->velocities[i], 1.0 / p->dt, p->corrections[i]);
  }
  rl_rotation_settle(model, state, RL_TURN_MOMENTUM);
}

void rl_projection_evaluate(rl_projection *p, const rl_model *model, const rl_state *state,
                            rl_rows *rows) {
  rl_direct_evaluate(&p->direct, model, state, rows, state->points, p->values, p->inverse_masses,
                     p->current);
}

// Updates the active set: taut rows leave it when their impulse becomes negative, and return when
// their rate becomes positive. Returns true if nothing has changed.
static bool update_active(rl_projection *p, const rl_state *state, const double *rates) {
  bool settled = true;
  for (uint32_t m = 0; m < p->direct.row_count; m++) {
    const bool taut = p->inverse_masses[m] > 0.0 && state->multipliers[m] > 0.0;
    const bool acts =
        p->lower[m] < 0.0 || (taut && -rates[m] < p->inverse_masses[m] * p->impulses[m]);
    settled = settled && acts == p->active[m];
    p->active[m] = acts;
  }
  return settled;
}

// Whether contacts and friction, whose rows are regularised, have converged.
static bool contacts_settle(const rl_projection *p, const rl_rows *rows, const double *rates) {
  double size;
  double residual =
      rl_frictions_residual(p->frictions, &p->direct, rows, p->inverse_masses, p->impulses, &size);
  for (uint32_t m = p->direct.link_count; m < p->direct.first_split; m++) {
    const double reaction = p->inverse_masses[m] * p->impulses[m];
    residual = rl_larger(residual, p->active[m] ? fabs(rates[m]) : fabs(reaction));
    size = rl_larger(size, reaction);
  }
  return residual <= settled_contact * size;
}

// Returns the largest rate of an active element [m/s].
static double element_rate(const rl_projection *p, const double *rates) {
  double largest = 0.0;
  for (uint32_t m = 0; m < p->direct.row_count; m++) {
    const bool acts = p->active[m] && rl_direct_is_element(&p->direct, m);
    largest = acts ? rl_larger(largest, fabs(rates[m])) : largest;
  }
  return largest;
}

// Makes one iteration with the active rows. Returns false if their matrix is singular.
static bool change_velocities(rl_projection *p, rl_state *state, const rl_rows *rows) {
  rl_direct *d = &p->direct;
  for (uint32_t m = 0; m < d->row_count; m++) {
    p->change[m] = p->active[m] ? p->change[m] : -p->impulses[m];
  }
  rl_frictions_choose(p->frictions, d, rows, p->inverse_masses, p->impulses, p->active, p->change);
  rl_frictions_lay(p->frictions, d, rows, p->current);
  if (!rl_direct_factor(d, state->points, p->current, p->current, p->regularisation,
                        p->inverse_masses, p->active)) {
    return false;
  }
  rl_direct_solve(d, p->change);
  rl_direct_push(d, state->points, p->current, p->change, state->velocities);
  for (uint32_t m = 0; m < d->row_count; m++) {
    p->impulses[m] += p->change[m];
  }
  rl_frictions_add(p->frictions, d, p->change);
  return true;
}

void rl_projection_velocities(rl_projection *p, rl_state *state, const rl_rows *rows,
                              int iterations) {
  rl_direct *d = &p->direct;
  begin_friction(p, rows, state->points);
  for (uint32_t m = 0; m < d->row_count; m++) {
    p->impulses[m] = 0.0;
    p->active[m] = p->inverse_masses[m] > 0.0 && (p->lower[m] < 0.0 || state->multipliers[m] > 0.0);
  }
  double first = 0.0, last = INFINITY;
  for (int i = 0; i < iterations; i++) {
    rl_direct_rates(d, p->current, state->velocities, p->change);
    rl_frictions_measure(p->frictions, d, rows, state->velocities);
    // Iterates until only rounding is left, also for rows whose D is not small beside the others.
    const double rate = element_rate(p, p->change);
    first = i == 0 ? rate : first;
    const bool settles = rate <= settled_element * first || rate > 0.5 * last;
    last = rate;
    const bool is_done = i > 0 && update_active(p, state, p->change) && settles &&
                         contacts_settle(p, rows, p->change);
    if (is_done || !change_velocities(p, state, rows)) {
      break;
    }
  }
}

void rl_projection_book_friction(rl_projection *p, const rl_rows *rows, const rl_state *state,
                                 bool of_positions, rl_step_info *info) {
  rl_frictions_book(p->frictions, &p->direct, rows, state, of_positions ? 1.0 / p->dt : 1.0, info);
}

void rl_projection_book_half(rl_projection *p, const rl_rows *rows, const rl_state *state,
                             const rl_step_info *info) {
  if (rl_ledger_expects_hit(info->ledger)) {
    rl_direct_rates(&p->direct, p->start, state->velocities, p->step);
    rl_direct_rates(&p->direct, p->current, state->velocities, p->change);
    rl_ledger_half(info->ledger, state, rows, 1.0 / p->dt, 0.5 * p->dt, p->direct.row_count,
                   p->step, p->change);
  }
}
