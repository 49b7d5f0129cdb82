// SPDX-License-Identifier: GPL-3.0-or-later
#include "implicit.h"

// The slack with which a row starts at least, as a fraction of an element's length.
static const double least_slack = 0.001;

// With friction: iterations in which the residual does not fall by this factor, at most.
static const double least_progress = 0.5;
enum { patience = 20 };

// Forces grow by this factor at most from a step to the next: what they start with.
static const double growth = 100.0;

// How much of the way to the boundary a step goes: this much, more as lambda s falls from what it
// was at the start, and never all of it.
static const double boundary_fraction = 0.995;
static const double largest_fraction = 1.0 - 1e-7;

static bool is_bounded(const rl_implicit *p, uint32_t m) { return p->lower[m] == 0.0; }

// Where everything that moves was at the start of the step, and forces as large as all that could
// act together.
static void start(rl_implicit *p, const rl_model *model, rl_state *state, rl_rows *rows) {
  double force = 0.0, least = 0.0; // of rounding [N]
  for (uint32_t i = 0; i < model->slot_count; i++) {
    if (p->kkt.slot_place[i] != RL_NONE) {
      const double w = state->points[i].w;
      state->points[i] = p->origin[i];
      state->points[i].w = w;
      force += p->inertia[i] * rl_distance(rl_position(&p->origin[i]), p->target[i]);
    }
  }
  for (uint32_t k = 0; k < p->tangents.tangents_count; k++) {
    p->frictions[k].total = (rl_vec3){0.0, 0.0, 0.0};
  }
  rl_implicit_evaluate(p, model, state, rows);
  for (uint32_t m = 0; m < p->row_count; m++) { // and what is stretched pulls by itself
    const double give = p->softness[m] + p->weights[m] * p->h * p->h;
    force += p->weights[m] > 0.0 ? fmax(p->values[m], 0.0) / give : 0.0;
    least = fmax(least, p->weights[m] > 0.0 ? p->rounding / (p->weights[m] * p->h * p->h) : 0.0);
  }
  if (p->known_force > 0.0) {
    force = fmin(force, growth * p->known_force);
  }
  force = fmax(force, least);
  const double mean = model->reach / fmax(model->link_count, 1);
  for (uint32_t m = 0; m < p->row_count; m++) {
    const double length = m < model->link_count ? state->links[m].rest : mean;
    p->active[m] = p->weights[m] > 0.0;
    p->slack[m] = fmax(-p->values[m], least_slack * length);
    p->forces[m] = p->active[m] && is_bounded(p, m) ? force : 0.0;
  }
}

// What is left of the rows and of min(s, W h^2 lambda) = 0, the largest of them; the mean of lambda
// s.
static double measure(const rl_implicit *p, double *complementarity, uint32_t *count) {
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
  *complementarity /= *count > 0 ? *count : 1;
  return largest;
}

// (9) Right sides for the target `aim` of lambda s, with the correction of the predictor.
static void set_right(rl_implicit *p, double aim, bool corrects) {
  for (uint32_t m = 0; m < p->row_count; m++) {
    const double value = p->values[m] - p->softness[m] * p->forces[m];
    p->right[m] = -value;
    if (p->active[m] && is_bounded(p, m)) {
      const double both =
          p->forces[m] * p->slack[m] - aim + (corrects ? p->slack_change[m] * p->change[m] : 0.0);
      p->right[m] += -p->slack[m] + both / p->forces[m];
      p->rest_of_product[m] = both;
    }
  }
}

// (10) The changes of forces and slacks, and how far they can go.
static double find_changes(rl_implicit *p) {
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
  return reach;
}

static double complementarity_at(const rl_implicit *p, double s, uint32_t count) {
  double sum = 0.0;
  for (uint32_t m = 0; m < p->row_count; m++) {
    if (p->active[m] && is_bounded(p, m)) {
      sum += (p->forces[m] + s * p->change[m]) * (p->slack[m] + s * p->slack_change[m]);
    }
  }
  return sum / (count > 0 ? count : 1);
}

// (4) The predictor, (5) the corrector, (6) the step. `first` is the mean of lambda s at the start.
static void advance(rl_implicit *p, const rl_model *model, rl_state *state, const rl_rows *rows,
                    double mean, uint32_t count, double first, rl_step_info *info) {
  set_right(p, 0.0, false);
  rl_implicit_solve(p, model, rows);
  const double predicted = find_changes(p);
  const double ratio = mean > 0.0 ? complementarity_at(p, predicted, count) / mean : 0.0;
  set_right(p, ratio * ratio * ratio * mean, true);
  rl_implicit_solve(p, model, rows);
  const double fraction = fmax(boundary_fraction, fmin(1.0 - mean / first, largest_fraction));
  const double s = fmin(1.0, fraction * find_changes(p));
  rl_implicit_move(p, model, state, s);
  for (uint32_t m = 0; m < p->row_count; m++) {
    p->forces[m] += s * p->change[m];
    p->slack[m] += s * p->slack_change[m];
  }
  info->iterations++;
}

// The steps of (6) are never whole: what they leave of the balance is momentum that nobody has, and
// of friction a creep. A step of Newton's method, with what acts here, is; where its rows
// contradict each other all stays as it was.
static void complete(rl_implicit *p, const rl_model *model, rl_state *state, rl_rows *rows,
                     double residual, double tolerance, rl_step_info *info) {
  p->kept_residual = INFINITY;
  rl_implicit_keep(p, model, state, residual);
  if (rl_implicit_newton(p, model, state, rows, 1, false, tolerance, info) !=
      RL_CONVERGED_TOLERANCE) {
    rl_implicit_return(p, model, state, rows);
  }
}

rl_reason rl_implicit_interior(rl_implicit *p, const rl_model *model, rl_state *state,
                               rl_rows *rows, int iterations, double tolerance,
                               rl_step_info *info) {
  double first = 0.0, best = INFINITY;
  int stalled = 0;
  start(p, model, state, rows);
  rl_implicit_grip(p, INFINITY);
  for (int i = 0; i <= iterations; i++) {
    if (i > 0) {
      rl_implicit_evaluate(p, model, state, rows);
    }
    info->row_evaluations += p->row_count;
    rl_implicit_rub(p, rows);
    double mean;
    uint32_t count;
    const double gap = rl_larger(measure(p, &mean, &count), p->friction_residual);
    const double force = rl_implicit_balance(p, model, state, rows);
    const double now = rl_larger(gap, force);
    rl_implicit_keep(p, model, state, now);
    // Friction can go round between sets of what sticks: no use in more of that.
    stalled = now < least_progress * best ? 0 : stalled + 1;
    best = stalled == 0 ? now : best;
    rl_implicit_grip(p, now);
    if (now <= tolerance) {
      const bool is_whole = force <= p->rounding && p->tangents.tangents_count == 0;
      if (!is_whole && i < iterations) {
        complete(p, model, state, rows, now, tolerance, info);
      }
      return RL_CONVERGED_TOLERANCE;
    }
    for (uint32_t m = 0; m < p->row_count; m++) {
      p->diagonal[m] = p->softness[m] + (is_bounded(p, m) ? p->slack[m] / p->forces[m] : 0.0);
    }
    const bool is_stuck = p->tangents.tangents_count > 0 && stalled > patience;
    if (i == iterations || is_stuck || !rl_implicit_factor(p, model, state, rows, true)) {
      break;
    }
    first = i == 0 ? mean : first;
    advance(p, model, state, rows, mean, count, first, info);
    if (info->trace) {
      rl_trace(info, rl_residual(model, state, rows, state->points, p->forces, 1.0, p->h));
    }
  }
  return RL_CONVERGED_ITERATIONS;
}
