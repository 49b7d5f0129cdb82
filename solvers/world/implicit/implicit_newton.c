// SPDX-License-Identifier: GPL-3.0-or-later
// The implicit step by Newton's method, with an active set. Equation numbers are those of
// papers/penalty-implicit.md.
#include "implicit.h"

// Relative to its rest length: an element with less slack is first tried as taut.
static const double nearly_taut_slack = 1e-3;

// From iteration `settling` on the residual has to fall by this factor in each; if it does not, the
// method cycles. From a guess, rows that change sides make it slow at first.
enum { settling = 2 };
static const double least_progress = 0.5, least_progress_of_guess = 0.9;

// If the residual falls to a quarter the root is nearly double: a step goes half the way to it, and
// one longer by `double_root_stretch` leaves an eighth. Twice as long, it would lose the tension.
static const double double_root = 0.25, double_root_band = 0.0015, double_root_stretch = 1.75;

// (4) Whether a row acts: C~ + lambda/(k (1 + tau)) + W h^2 lambda > 0.
static bool acts(const rl_implicit *p, uint32_t m) {
  const double reaction = p->weights[m] * p->h * p->h * p->forces[m];
  return p->weights[m] > 0.0 && (p->lower[m] < 0.0 || p->values[m] + reaction > 0.0);
}

// Updates the active set. Returns how many rows have changed sides.
static uint32_t choose(rl_implicit *p, const rl_model *model, const rl_state *state, bool guess) {
  uint32_t changed = 0;
  for (uint32_t m = 0; m < p->row_count; m++) {
    const bool nearly_taut = guess && m < model->link_count && p->weights[m] > 0.0 &&
                             p->values[m] > -nearly_taut_slack * state->links[m].rest;
    const bool is_active = nearly_taut || acts(p, m);
    changed += is_active != p->active[m] ? 1 : 0;
    p->active[m] = is_active;
    p->forces[m] = is_active ? p->forces[m] : 0.0;
  }
  return changed;
}

// Sets the right sides and diagonals of the rows. Returns the largest residual of active rows and
// of friction [m].
static double set_rows(rl_implicit *p) {
  double largest = 0.0;
  for (uint32_t m = 0; m < p->row_count; m++) {
    const double value = p->values[m] - p->softness[m] * p->forces[m];
    p->right[m] = -value;
    p->diagonal[m] = p->softness[m];
    largest = p->active[m] ? rl_larger(largest, fabs(value)) : largest;
  }
  return rl_larger(largest, p->friction_residual);
}

rl_reason rl_implicit_newton(rl_implicit *p, const rl_model *model, rl_state *state, rl_rows *rows,
                             int iterations, rl_newton_start from, double tolerance,
                             rl_step_info *info) {
  const bool is_guess = from == RL_FROM_GUESS;
  const int known = from == RL_FROM_CONES ? 1 : 0; // last iteration in which the active set stays
  rl_reason reason = RL_CONVERGED_ITERATIONS;
  const double progress = is_guess ? least_progress_of_guess : least_progress;
  double last = INFINITY, last_gap = INFINITY;
  bool may_rise = !is_guess;   // once, if the gap falls and at most one row changes sides
  bool may_stretch = is_guess; // once
  rl_implicit_grip(p, INFINITY);
  for (int i = 0; i <= iterations; i++) {
    rl_implicit_evaluate(p, model, state, rows);
    info->row_evaluations += p->row_count;
    uint32_t changed = 0;
    if (i == 0 || i > known) {
      changed = choose(p, model, state, is_guess && i == 0);
    }
    rl_implicit_choose_friction(p, rows);
    const double gap = set_rows(p);
    const double force = rl_implicit_balance(p, model, state, rows);
    if (gap <= tolerance && force <= tolerance && i > known) {
      reason = RL_CONVERGED_TOLERANCE;
      break;
    }
    const double now = rl_larger(gap, force);
    if (is_guess) {
      rl_implicit_keep(p, model, state, now);
    }
    if (i >= settling && !(now <= progress * last)) {
      if (!may_rise || changed > 1 || !(gap <= least_progress * last_gap)) {
        break;
      }
      may_rise = false;
    }
    const bool is_double =
        may_stretch && changed == 0 && fabs(now / last - double_root) < double_root_band;
    const double stretch = is_double ? double_root_stretch : 1.0;
    may_stretch = may_stretch && !is_double;
    last = now;
    last_gap = gap;
    if (is_guess && i > 0) {
      rl_implicit_grip(p, now);
    }
    if (i == iterations || !rl_implicit_factor(p, model, state, rows, true)) {
      break;
    }
    rl_implicit_solve(p, model, rows);
    rl_implicit_move(p, model, state, stretch);
    for (uint32_t m = 0; m < p->row_count; m++) {
      p->forces[m] += p->active[m] ? stretch * rl_implicit_change(p, m) : 0.0;
    }
    info->iterations++;
    if (info->trace) {
      rl_trace(info, rl_residual(model, state, rows, state->points, p->forces, 1.0, p->h));
    }
  }
  p->is_balanced = reason == RL_CONVERGED_TOLERANCE;
  return reason;
}
