// SPDX-License-Identifier: GPL-3.0-or-later
// The implicit step as a convex problem, solved by a primal-dual interior point method with the
// predictor and corrector of Mehrotra (1992). Equation numbers are those of papers/convex.md.
#include "implicit.h"

// Least slack with which a row starts, as a fraction of the largest excess at y, where nothing
// pulls yet, and of the length of an element.
static const double least_slack_of_excess = 0.1, least_slack = 0.001;

// A problem that is not convex may not converge. An attempt is given up after so many iterations in
// which the residual has not fallen by `least_progress`, or so many consecutive steps shorter than
// `short_step`. With friction the next attempt gives cones a weight larger by `heavier`, up to
// `heaviest`; after the midpoint rule backward Euler follows.
static const double least_progress = 0.5, short_step = 0.1, heavier = 3.0, heaviest = 1000.0;
enum { PATIENCE = 20, PATIENCE_OF_MIDPOINT = 5, SHORT_STEPS = 4 };

// (7) Slack relative to the residual of Newton's best iterate, from which the method may start; and
// the residual, relative to an element, up to which it does.
static const double farther = 3.0, near_enough = 0.3;

// With friction Newton's method is tried when the residual is below this fraction of an element,
// and again each time that it has fallen by the second factor.
static const double near = 1e-4, nearer = 0.01;

// Largest factor from the forces of the step before to those with which the method starts.
static const double growth = 100.0;

// Fraction of the way to the boundary that a step goes: at least the first; more as lambda s falls
// from its value at the start; at most the second, which is less with friction, so that T and mu
// lambda differ by more than rounding.
static const double boundary_fraction = 0.995;
static const double largest_fraction = 1.0 - 1e-7, largest_fraction_rubbing = 0.999;

static bool rubs(const rl_implicit *p) { return p->tangents.tangents_count > 0; }

// Whether there are only plain elements: friction, contacts and eyes make the problem nonconvex.
static bool is_convex(const rl_rows *rows) { return rows->row_count == 0; }

static bool is_bounded(const rl_implicit *p, uint32_t m) { return p->lower[m] == 0.0; }

static void put(const rl_implicit *p, rl_state *state, uint32_t slot, rl_vec3 place) {
  if (rl_implicit_moves(p, slot)) {
    rl_put(&state->points[slot], place);
  }
}

// Returns the largest excess of a row at y, but at least rounding [m].
static double find_excess(rl_implicit *p, const rl_model *model, rl_state *state, rl_rows *rows) {
  double excess = p->rounding;
  for (uint32_t i = 0; i < model->slot_count; i++) {
    put(p, state, i, p->target[i]);
  }
  rl_implicit_evaluate(p, model, state, rows);
  for (uint32_t m = 0; m < p->row_count; m++) {
    excess = p->weights[m] > 0.0 ? rl_larger(excess, p->values[m]) : excess;
  }
  return excess;
}

// Returns a scale of the forces: the sum of the forces that would hold everything where it is, and
// of those of rows that are stretched; limited by `growth` [N].
static double find_force(const rl_implicit *p, const rl_model *model) {
  double force = 0.0, least = 0.0; // least: rounding
  for (uint32_t i = 0; i < model->slot_count; i++) {
    if (rl_implicit_moves(p, i)) {
      force += p->inertia[i] * rl_distance(rl_position(&p->origin[i]), p->target[i]);
    }
  }
  for (uint32_t m = 0; m < p->row_count; m++) { // rows that are stretched
    const double give = p->softness[m] + p->weights[m] * p->h * p->h;
    force += p->weights[m] > 0.0 ? fmax(p->values[m], 0.0) / give : 0.0;
    least = fmax(least, p->weights[m] > 0.0 ? p->rounding / (p->weights[m] * p->h * p->h) : 0.0);
  }
  if (p->known_force > 0.0) {
    force = fmin(force, growth * p->known_force);
  }
  return fmax(force, least);
}

// Sets the first iterate: the positions of the start of the step, and all forces as large as their
// scale.
static void start_afresh(rl_implicit *p, const rl_model *model, rl_state *state, rl_rows *rows) {
  const double excess = is_convex(rows) ? find_excess(p, model, state, rows) : INFINITY;
  for (uint32_t i = 0; i < model->slot_count; i++) {
    put(p, state, i, rl_position(&p->origin[i]));
  }
  for (uint32_t k = 0; k < p->tangents.tangents_count; k++) {
    p->frictions[k].total = (rl_vec3){0.0, 0.0, 0.0};
  }
  rl_implicit_evaluate(p, model, state, rows);
  const double force = find_force(p, model);
  const double mean = model->reach / fmax(model->link_count, 1);
  for (uint32_t m = 0; m < p->row_count; m++) {
    const double length = m < model->link_count ? state->links[m].rest : mean;
    const double least = fmin(least_slack_of_excess * excess, least_slack * length);
    p->active[m] = p->weights[m] > 0.0;
    p->slack[m] = fmax(-p->values[m], least);
    p->forces[m] = p->active[m] && is_bounded(p, m) ? force : 0.0;
  }
  rl_cones_begin(p, rows);
}

// Returns the largest distance of a slot from y: the residual of the balance at the start of the
// step without forces [m].
static double find_way(const rl_implicit *p, const rl_model *model) {
  double longest = 0.0;
  for (uint32_t i = 0; i < model->slot_count; i++) {
    if (rl_implicit_moves(p, i)) {
      longest = rl_larger(longest, rl_distance(rl_position(&p->origin[i]), p->target[i]));
    }
  }
  return longest;
}

// (7) Sets the first iterate to the best one so far, as far from the boundary as from the solution.
static void start_near(rl_implicit *p, const rl_model *model, rl_state *state, rl_rows *rows) {
  const double residual = p->kept_residual;
  rl_implicit_restore(p, model, state, rows);
  for (uint32_t m = 0; m < p->row_count; m++) {
    p->active[m] = p->weights[m] > 0.0;
    p->slack[m] = fmax(-p->values[m], fmin(residual, p->shortest));
    if (p->active[m] && is_bounded(p, m)) {
      p->forces[m] = fmax(p->forces[m], farther * residual / (p->weights[m] * p->h * p->h));
    }
  }
}

// Returns the largest residual of the rows and of min(s, W h^2 lambda) = 0 [m]; finds the mean of
// lambda s and the number of pairs.
static double measure(rl_implicit *p, const rl_rows *rows, double *complementarity,
                      uint32_t *count) {
  double largest = 0.0;
  *complementarity = 0.0;
  *count = 0;
  for (uint32_t m = 0; m < p->row_count; m++) {
    if (!p->active[m]) {
      continue;
    }
    const double value = p->values[m] - p->softness[m] * p->forces[m];
    if (is_bounded(p, m)) {
      const double reaction = p->weights[m] * p->h * p->h * p->forces[m];
      largest = rl_larger(largest, fabs(value + p->slack[m]));
      largest = rl_larger(largest, fmin(p->slack[m], reaction));
      *complementarity += p->forces[m] * p->slack[m];
      (*count)++;
    } else {
      largest = rl_larger(largest, fabs(value));
    }
  }
  rl_cones_measure(p, rows, complementarity, count);
  *complementarity /= *count > 0 ? *count : 1;
  return largest;
}

// (3) Sets the right sides for the target `aim` of lambda s; (5) with `second_order` times the
// second-order term of the predictor.
static void set_right(rl_implicit *p, double aim, double second_order) {
  for (uint32_t m = 0; m < p->row_count; m++) {
    const double value = p->values[m] - p->softness[m] * p->forces[m];
    p->right[m] = -value;
    if (p->active[m] && is_bounded(p, m)) {
      const double product = second_order > 0.0 ? p->slack_change[m] * p->change[m] : 0.0;
      const double both = p->forces[m] * p->slack[m] - aim + second_order * product;
      p->right[m] += -p->slack[m] + both / p->forces[m];
      p->rest_of_product[m] = both;
    }
  }
  rl_cones_set_right(p, aim, second_order > 0.0);
}

// (5) Adds the second-order terms in lengths and forces of elements, for a step `length` times as
// long as the predictor. Rows of the midpoint rule are half of those of the end, with twice the
// move.
static void add_bends(rl_implicit *p, const rl_model *model, const rl_state *state, double length) {
  const double half = p->integrator == RL_MIDPOINT ? 1.0 : 0.5;
  for (uint32_t m = 0; m < model->link_count; m++) {
    if (p->active[m] && rl_implicit_is_square(p, m)) {
      const rl_link *link = &state->links[m];
      const rl_vec3 turn =
          rl_sub(rl_implicit_solved_move(p, link->b), rl_implicit_solved_move(p, link->a));
      const double bend = length * length / link->rest, pull = bend * p->change[m];
      p->right[m] -= half * bend * rl_dot(turn, turn);
      p->imbalance[link->a] = rl_add_scaled(p->imbalance[link->a], -pull, turn);
      p->imbalance[link->b] = rl_add_scaled(p->imbalance[link->b], pull, turn);
    }
  }
}

// (3) Finds the changes of forces and slacks; returns the largest step that keeps them positive.
static double find_changes(rl_implicit *p, const rl_model *model, const rl_rows *rows) {
  double reach = 1.0;
  for (uint32_t m = 0; m < p->row_count; m++) {
    p->change[m] = p->active[m] ? rl_implicit_change(p, m) : 0.0;
    if (!p->active[m] || !is_bounded(p, m)) {
      continue;
    }
    p->slack_change[m] = -(p->rest_of_product[m] + p->slack[m] * p->change[m]) / p->forces[m];
    if (p->change[m] * reach < -p->forces[m]) {
      reach = -p->forces[m] / p->change[m];
    }
    if (p->slack_change[m] * reach < -p->slack[m]) {
      reach = -p->slack[m] / p->slack_change[m];
    }
  }
  return rl_cones_find_changes(p, model, rows, reach);
}

static double complementarity_at(const rl_implicit *p, double s, uint32_t count) {
  double sum = rl_cones_complementarity_at(p, s);
  for (uint32_t m = 0; m < p->row_count; m++) {
    if (p->active[m] && is_bounded(p, m)) {
      sum += (p->forces[m] + s * p->change[m]) * (p->slack[m] + s * p->slack_change[m]);
    }
  }
  return sum / (count > 0 ? count : 1);
}

// Makes an iteration: (4) the predictor, (5) the corrector, (6) the step, whose length it returns.
// `first`: mean of lambda s at the start.
static double advance(rl_implicit *p, const rl_model *model, rl_state *state, const rl_rows *rows,
                      double mean, uint32_t count, double first) {
  set_right(p, 0.0, 0.0);
  rl_implicit_solve(p, model, rows);
  const double predicted = find_changes(p, model, rows);
  const double ratio = mean > 0.0 ? complementarity_at(p, predicted, count) / mean : 0.0;
  // Other rows are nonlinear too, but for them only the product lambda s is taken to second order.
  const double length = is_convex(rows) ? rl_implicit_predictor_length(predicted, ratio) : 1.0;
  set_right(p, ratio * ratio * ratio * mean, length * length);
  if (is_convex(rows)) {
    add_bends(p, model, state, predicted * length);
  }
  rl_implicit_solve(p, model, rows);
  const double largest = rubs(p) ? largest_fraction_rubbing : largest_fraction;
  const double fraction = fmax(boundary_fraction, fmin(1.0 - mean / first, largest));
  const double s = fmin(1.0, fraction * find_changes(p, model, rows));
  rl_implicit_move(p, model, state, s);
  for (uint32_t m = 0; m < p->row_count; m++) {
    p->forces[m] += s * p->change[m];
    p->slack[m] += s * p->slack_change[m];
  }
  rl_cones_move(p, s);
  return s;
}

// Returns the residual of the present iterate [m].
static double find_residual(rl_implicit *p, const rl_model *model, const rl_state *state,
                            const rl_rows *rows, double *mean, uint32_t *count) {
  rl_implicit_measure_friction(p, rows);
  const double gap = rl_larger(measure(p, rows, mean, count), p->friction_residual);
  return rl_larger(gap, rl_implicit_balance(p, model, state, rows));
}

// Ends with whole steps of Newton's method, with the active set found here. The steps of (6) are
// never whole: the residual of the balance is a change of momentum, that of friction a creep. If
// Newton's method does not converge the iterate that was kept is restored.
static bool complete(rl_implicit *p, const rl_model *model, rl_state *state, rl_rows *rows,
                     int iterations, double tolerance, rl_step_info *info) {
  const rl_reason reason =
      rl_implicit_newton(p, model, state, rows, iterations, RL_FROM_INTERIOR, tolerance, info);
  if (reason != RL_CONVERGED_TOLERANCE) {
    rl_implicit_restore(p, model, state, rows);
    for (uint32_t m = 0; m < p->row_count; m++) {
      p->active[m] = p->weights[m] > 0.0;
    }
  }
  return reason == RL_CONVERGED_TOLERANCE;
}

// An attempt to solve the step; with friction it may not converge: (14) of papers/convex.md.
typedef struct attempt {
  double first;            // mean of lambda s at its start; 0: not yet known
  double best, next;       // least residual so far, and where Newton's method is tried [m]
  double length;           // of the last step
  int stalled, short_ones; // iterations without progress, and short steps in a row
} attempt;

static attempt begin(rl_implicit *p, const rl_model *model, rl_state *state, rl_rows *rows) {
  if (is_convex(rows) && p->kept_residual < near_enough * find_way(p, model)) {
    start_near(p, model, state, rows);
  } else {
    start_afresh(p, model, state, rows);
  }
  return (attempt){.best = INFINITY, .next = near * p->shortest, .length = 1.0};
}

static bool is_lost(attempt *a, int patience, double now) {
  a->stalled = now < least_progress * a->best ? 0 : a->stalled + 1;
  a->best = a->stalled == 0 ? now : a->best;
  a->short_ones = a->length < short_step ? a->short_ones + 1 : 0;
  return !(now < INFINITY) || a->stalled > patience || a->short_ones >= SHORT_STEPS;
}

static bool factor(rl_implicit *p, const rl_model *model, const rl_state *state,
                   const rl_rows *rows) {
  for (uint32_t m = 0; m < p->row_count; m++) {
    p->diagonal[m] = p->softness[m] + (is_bounded(p, m) ? p->slack[m] / p->forces[m] : 0.0);
  }
  return rl_implicit_factor(p, model, state, rows, true);
}

rl_reason rl_implicit_interior(rl_implicit *p, const rl_model *model, rl_state *state,
                               rl_rows *rows, int iterations, double tolerance,
                               rl_step_info *info) {
  const uint64_t end = info->iterations + (uint64_t)iterations;
  const bool may_be_lost = rubs(p) || p->integrator == RL_MIDPOINT;
  const int patience = rubs(p) ? PATIENCE : PATIENCE_OF_MIDPOINT;
  p->cone_weight = 1.0;
  attempt a = begin(p, model, state, rows);
  for (;;) {
    double mean;
    uint32_t count;
    double now = find_residual(p, model, state, rows, &mean, &count);
    const int left = (int)(end - info->iterations);
    info->row_evaluations += p->row_count;
    p->kept_residual = now <= tolerance ? INFINITY : p->kept_residual;
    rl_implicit_keep(p, model, state, now);
    if (now <= tolerance) {
      if (left > 0 && (rubs(p) || now > p->rounding)) {
        complete(p, model, state, rows, 1, tolerance, info);
      }
      return RL_CONVERGED_TOLERANCE;
    }
    if (rubs(p) && left > 0 && now <= fmin(a.next, p->kept_residual)) {
      if (complete(p, model, state, rows, left, tolerance, info)) {
        return RL_CONVERGED_TOLERANCE;
      }
      a.next = nearer * now;
      now = find_residual(p, model, state, rows, &mean, &count);
    }
    const bool is_stuck =
        (may_be_lost && is_lost(&a, patience, now)) || !factor(p, model, state, rows);
    if (info->iterations >= end || (is_stuck && !(rubs(p) && p->cone_weight < heaviest))) {
      return RL_CONVERGED_ITERATIONS;
    }
    if (is_stuck) {
      p->cone_weight *= heavier;
      a = begin(p, model, state, rows);
      continue;
    }
    a.first = a.first == 0.0 ? mean : a.first;
    a.length = advance(p, model, state, rows, mean, count, a.first);
    info->iterations++;
    if (info->trace) {
      rl_trace(info, rl_residual(model, state, rows, state->points, p->forces, 1.0, p->h));
    }
    rl_implicit_evaluate(p, model, state, rows);
  }
}
