// SPDX-License-Identifier: GPL-3.0-or-later
// The interior point method in the vectors of inextensible elements: (l, d) and (lambda, -t) of
// each are in the second-order cone, and everything but their product is linear. Equation numbers
// are those of papers/convex.md.
#include "implicit.h"

// An element that would fly to this many times its length turns over.
static const double turning = 2.0;

// (19) Slack with which elements start, relative to their length, and force, relative to the sum of
// the forces that would hold everything where it is.
static const double slack_at_start = 0.5, force_at_start = 0.05;

// Fraction of the way to the boundary that a step goes.
static const double boundary_fraction = 0.98;

// (23) Centrality corrections: at most CORRECTIONS; products at a step longer by `longer` and
// `and_more` are brought between `least_product` and `most_product` times the target, as long as
// the step grows by `least_gain` and `and_gain`.
enum { CORRECTIONS = 3 };
static const double longer = 1.5, and_more = 0.1, least_product = 0.1, most_product = 10.0;
static const double least_gain = 1.01, and_gain = 0.01;

// Newton's method is tried when the residual is below `near` times an element, and again each time
// that it has fallen by `nearer`; or when a step is so short that rounding must be the reason.
static const double near = 0.03, nearer = 0.01, least_step = 1e-3;

// Length of w1 below which its direction is rounding (w0 is at least 1).
static const double least_length = 1e-8;

static rl_vec3 place_at_y(const rl_implicit *p, const rl_state *state, uint32_t slot) {
  return rl_implicit_moves(p, slot) ? p->target[slot] : rl_position(&state->points[slot]);
}

bool rl_elements_turn(const rl_implicit *p, const rl_model *model, const rl_state *state,
                      const rl_rows *rows) {
  bool alone = rows->row_count == 0 && p->integrator != RL_MIDPOINT, turn = false;
  for (uint32_t m = 0; m < model->link_count && alone; m++) {
    const rl_link *link = &state->links[m];
    if (p->weights[m] > 0.0) {
      const rl_vec3 a = place_at_y(p, state, link->a), b = place_at_y(p, state, link->b);
      alone = p->softness[m] == 0.0 && p->lower[m] == 0.0;
      turn = turn || rl_distance(a, b) > turning * link->rest;
    }
  }
  return alone && turn;
}

static rl_vec3 way(const rl_state *state, const rl_link *link) {
  return rl_sub(rl_position(&state->points[link->b]), rl_position(&state->points[link->a]));
}

// (19) Sets the first iterate of an element: slack and (turned) pull on one ray, so that their
// product is a multiple of (1, 0).
static void put(rl_element_pair *e, double rest, rl_vec3 d, double force) {
  const double most = (1.0 - slack_at_start) * rest, now = rl_length(d), s = force / rest;
  e->slack = (rl_cone){rest, rl_scale(now > most ? most / now : 1.0, d)};
  e->pull = rl_cone_times(s, rl_cone_turned(e->slack));
  e->slack_determinant = rl_cone_determinant(e->slack);
  e->pull_determinant = s * s * e->slack_determinant;
  e->product = s * e->slack_determinant;
}

// Sets the first iterate: the positions of the start of the step.
static void begin(rl_implicit *p, const rl_model *model, rl_state *state) {
  double all = 0.0;
  for (uint32_t i = 0; i < model->slot_count; i++) {
    if (rl_implicit_moves(p, i)) {
      const rl_vec3 from = rl_position(&p->origin[i]);
      all += p->inertia[i] * rl_distance(from, p->target[i]);
      rl_put(&state->points[i], from);
    }
  }
  for (uint32_t m = 0; m < model->link_count; m++) {
    const rl_link *link = &state->links[m];
    p->active[m] = p->weights[m] > 0.0;
    p->forces[m] = 0.0;
    if (p->active[m]) {
      put(&p->elements[m], link->rest, way(state, link), force_at_start * all);
    }
  }
}

// Returns the largest residual of (18) [m]; finds the mean of the products.
static double measure(rl_implicit *p, const rl_model *model, const rl_state *state,
                      const rl_rows *rows, double *mean) {
  double largest = 0.0, sum = 0.0;
  uint32_t count = 0;
  for (uint32_t m = 0; m < model->link_count; m++) {
    if (!p->active[m]) {
      continue;
    }
    rl_element_pair *e = &p->elements[m];
    e->left = (rl_cone){state->links[m].rest - e->slack.first,
                        rl_sub(way(state, &state->links[m]), e->slack.rest)};
    p->forces[m] = e->pull.first;
    p->links[m].gradient = rl_scale(-1.0 / e->pull.first, e->pull.rest);
    const double slack = e->slack.first - rl_length(e->slack.rest);
    const double reaction = p->weights[m] * p->h * p->h * e->pull.first;
    largest = rl_larger(largest, rl_larger(fabs(e->left.first), rl_length(e->left.rest)));
    largest = rl_larger(largest, fmin(slack, reaction));
    sum += e->product;
    count++;
  }
  *mean = sum / fmax(count, 1);
  return rl_larger(largest, rl_implicit_balance(p, model, state, rows));
}

// (10) Finds the scaling of an element, with determinants that are kept from one iteration to the
// next: computed from vectors near the boundary they would be rounding.
static void find_scaling(rl_element_pair *e) {
  const double a = sqrt(e->slack_determinant), b = sqrt(e->pull_determinant);
  const rl_cone s = rl_cone_times(1.0 / a, e->slack), z = rl_cone_times(1.0 / b, e->pull);
  const double half = sqrt(0.5 * (1.0 + e->product / (a * b)));
  e->unit = rl_cone_times(0.5 / half, rl_cone_add_scaled(s, 1.0, rl_cone_turned(z)));
  e->scale = sqrt(a / b);
  e->length = fmax(rl_length(e->unit.rest), least_length);
  const rl_vec3 both = rl_add_scaled(rl_scale(half + z.first, s.rest), half + s.first, z.rest);
  e->scaled = rl_cone_times(
      sqrt(a * b), (rl_cone){half, rl_scale(1.0 / (s.first + z.first + 2.0 * half), both)});
}

// (20) Sets up and factors the matrix.
static bool factor(rl_implicit *p, const rl_model *model, const rl_state *state,
                   const rl_rows *rows) {
  for (uint32_t m = 0; m < model->link_count; m++) {
    rl_element_pair *e = &p->elements[m];
    if (p->active[m]) {
      find_scaling(e);
      const double square = e->scale * e->scale;
      p->links[m] = (rl_bent_link){.gradient = rl_scale(1.0 / e->length, e->unit.rest),
                                   .round = 1.0 / (square * e->pull.first)};
      p->diagonal[m] = square / (2.0 * e->length * e->length);
    }
  }
  return rl_implicit_factor(p, model, state, rows, true);
}

static rl_cone scale_down(const rl_element_pair *e, rl_cone x) {
  return rl_cone_scale(rl_cone_turned(e->unit), 1.0 / e->scale, x);
}

// (20) Returns g: the change of z across w, without the part due to the move.
static rl_vec3 change_across(const rl_element_pair *e, rl_vec3 w) {
  const rl_vec3 aim = scale_down(e, e->aim).rest;
  const rl_vec3 across = rl_add_scaled(aim, -rl_dot(w, aim), w);
  return rl_add_scaled(across, -1.0 / (e->scale * e->scale), e->left.rest);
}

static void pull_together(rl_implicit *p, const rl_link *link, double s, rl_vec3 force) {
  p->imbalance[link->a] = rl_add_scaled(p->imbalance[link->a], s, force);
  p->imbalance[link->b] = rl_add_scaled(p->imbalance[link->b], -s, force);
}

// (20) Adds the right sides before the system is solved; with s = -1 takes the forces back after
// it.
static void add_right_sides(rl_implicit *p, const rl_model *model, const rl_state *state,
                            double s) {
  for (uint32_t m = 0; m < model->link_count; m++) {
    const rl_element_pair *e = &p->elements[m];
    if (p->active[m]) {
      const rl_vec3 w = p->links[m].gradient;
      p->right[m] = p->diagonal[m] * rl_dot(w, scale_down(e, e->aim).rest) -
                    rl_dot(w, e->left.rest) + e->unit.first / e->length * e->left.first;
      pull_together(p, &state->links[m], s, change_across(e, w));
    }
  }
}

// (21) Finds the changes of an element, all from the solution of the system: computed with W^-2
// they would be amplified rounding.
static void find_change(rl_element_pair *e, rl_vec3 w, rl_vec3 move, double solved) {
  const double square = e->scale * e->scale, first = e->left.first;
  const rl_cone aim = scale_down(e, e->aim);
  const double along = solved + rl_dot(w, aim.rest);
  e->slack_change = (rl_cone){first, rl_add(e->left.rest, move)};
  e->pull_change.first = aim.first + first / square + e->unit.first / e->length * along;
  e->pull_change.rest =
      rl_add_scaled(rl_add_scaled(change_across(e, w), -1.0 / square, move), -solved, w);
  const double turn = along * square / (2.0 * e->length);
  const rl_vec3 rest =
      rl_add_scaled(e->slack_change.rest, (turn - first) / (1.0 + e->unit.first), e->unit.rest);
  e->scaled_slack = rl_cone_times(1.0 / e->scale, (rl_cone){-turn, rest});
  e->scaled_pull = rl_cone_add_scaled(e->aim, -1.0, e->scaled_slack);
}

// Finds the changes for the present aims; returns the largest step that stays in the cones.
static double find_changes(rl_implicit *p, const rl_model *model, const rl_state *state,
                           const rl_rows *rows) {
  add_right_sides(p, model, state, 1.0);
  rl_implicit_solve(p, model, rows);
  add_right_sides(p, model, state, -1.0);
  double reach = 1.0;
  for (uint32_t m = 0; m < model->link_count; m++) {
    rl_element_pair *e = &p->elements[m];
    if (p->active[m]) {
      const rl_link *link = &state->links[m];
      const rl_vec3 move =
          rl_sub(rl_implicit_solved_move(p, link->b), rl_implicit_solved_move(p, link->a));
      find_change(e, p->links[m].gradient, move, rl_implicit_change(p, m));
      reach = rl_cone_reach(e->scaled, e->scaled_slack, reach);
      reach = rl_cone_reach(e->scaled, e->scaled_pull, reach);
    }
  }
  return reach;
}

static rl_cone product_after(const rl_element_pair *e, double s) {
  return rl_cone_product(rl_cone_add_scaled(e->scaled, s, e->scaled_slack),
                         rl_cone_add_scaled(e->scaled, s, e->scaled_pull));
}

// Returns the mean of the products after a step of s.
static double mean_after(const rl_implicit *p, const rl_model *model, double s) {
  double sum = 0.0;
  uint32_t count = 0;
  for (uint32_t m = 0; m < model->link_count; m++) {
    if (p->active[m]) {
      sum += product_after(&p->elements[m], s).first;
      count++;
    }
  }
  return sum / fmax(count, 1);
}

// Changes the aim of an element so that its product changes by `product` more; keeps the old aim.
static void aim_by(rl_element_pair *e, rl_cone product) {
  e->kept = e->aim;
  e->aim = rl_cone_add_scaled(e->aim, 1.0, rl_cone_quotient(e->scaled, product));
}

// (22) Sets the aims of the predictor.
static void predict(rl_implicit *p, const rl_model *model) {
  for (uint32_t m = 0; m < model->link_count; m++) {
    p->elements[m].aim = rl_cone_times(-1.0, p->elements[m].scaled);
  }
}

// (22) Sets the aims of the corrector, for the target kappa.
static void correct(rl_implicit *p, const rl_model *model, double target, double length) {
  for (uint32_t m = 0; m < model->link_count; m++) {
    rl_element_pair *e = &p->elements[m];
    if (p->active[m]) {
      const rl_cone both =
          rl_cone_times(length * length, rl_cone_product(e->scaled_slack, e->scaled_pull));
      aim_by(e, (rl_cone){target - both.first, rl_scale(-1.0, both.rest)});
    }
  }
}

// Returns the change that brings a part of a product between its bounds, limited downwards by the
// upper bound.
static double lack(double product, double target) {
  const double least = least_product * target, most = most_product * target;
  return product < least ? least - product : product > most ? fmax(most - product, -most) : 0.0;
}

// (23) Sets the aims of a centrality correction, for a step of s.
static void centre(rl_implicit *p, const rl_model *model, double s, double target) {
  for (uint32_t m = 0; m < model->link_count; m++) {
    rl_element_pair *e = &p->elements[m];
    if (p->active[m]) {
      const rl_cone both = product_after(e, s);
      const double length = rl_length(both.rest);
      const double up = lack(both.first + length, target), down = lack(both.first - length, target);
      aim_by(e, (rl_cone){0.5 * (up + down), rl_scale(0.5 * (up - down), rl_unit(both.rest))});
    }
  }
}

static void return_to_kept_aims(rl_implicit *p, const rl_model *model) {
  for (uint32_t m = 0; m < model->link_count; m++) {
    p->elements[m].aim = p->elements[m].kept;
  }
}

static void move(rl_implicit *p, const rl_model *model, rl_state *state, double s) {
  rl_implicit_move(p, model, state, s);
  for (uint32_t m = 0; m < model->link_count; m++) {
    rl_element_pair *e = &p->elements[m];
    if (p->active[m]) {
      const rl_cone slack = rl_cone_add_scaled(e->scaled, s, e->scaled_slack);
      const rl_cone pull = rl_cone_add_scaled(e->scaled, s, e->scaled_pull);
      e->product = rl_cone_dot(slack, pull);
      e->slack_determinant = rl_cone_determinant(slack) * (e->scale * e->scale);
      e->pull_determinant = rl_cone_determinant(pull) / (e->scale * e->scale);
      e->slack = rl_cone_add_scaled(e->slack, s, e->slack_change);
      e->pull = rl_cone_add_scaled(e->pull, s, e->pull_change);
    }
  }
}

// Makes an iteration; returns the largest step that stays in the cones.
static double advance(rl_implicit *p, const rl_model *model, rl_state *state, const rl_rows *rows,
                      double mean) {
  predict(p, model);
  const double predicted = find_changes(p, model, state, rows);
  const double ratio = mean > 0.0 ? mean_after(p, model, predicted) / mean : 0.0;
  const double target = ratio * ratio * ratio * 0.5 * mean; // half: a product has two parts
  correct(p, model, target, rl_implicit_predictor_length(predicted, ratio));
  double reach = find_changes(p, model, state, rows);
  for (int i = 0; i < CORRECTIONS && reach < 1.0; i++) {
    centre(p, model, fmin(1.0, longer * reach + and_more), target);
    const double now = find_changes(p, model, state, rows);
    if (!(now > least_gain * reach + and_gain)) {
      return_to_kept_aims(p, model);
      reach = find_changes(p, model, state, rows);
      break;
    }
    reach = now;
  }
  move(p, model, state, reach < 1.0 ? boundary_fraction * reach : 1.0);
  return reach;
}

rl_reason rl_elements_interior(rl_implicit *p, const rl_model *model, rl_state *state,
                               rl_rows *rows, int iterations, double tolerance,
                               rl_step_info *info) {
  const uint64_t end = info->iterations + (uint64_t)iterations;
  double next = near * p->shortest, length = 1.0;
  begin(p, model, state);
  for (;;) {
    double mean;
    const double now = measure(p, model, state, rows, &mean);
    info->row_evaluations += p->row_count;
    p->kept_residual = INFINITY; // each iterate replaces the one kept
    rl_implicit_keep(p, model, state, now);
    const bool is_stuck = length < least_step;
    if ((now <= fmax(next, tolerance) || is_stuck) && info->iterations < end) {
      const rl_reason reason = rl_implicit_newton(
          p, model, state, rows, (int)(end - info->iterations), RL_FROM_CONES, tolerance, info);
      if (reason == RL_CONVERGED_TOLERANCE) {
        return reason;
      }
      rl_implicit_restore(p, model, state, rows);
      next = nearer * now;
      for (uint32_t m = 0; m < p->row_count; m++) {
        p->active[m] = p->weights[m] > 0.0;
      }
      measure(p, model, state, rows, &mean);
    }
    if (now <= tolerance) {
      return RL_CONVERGED_TOLERANCE;
    }
    if (!(now < INFINITY) || is_stuck || info->iterations >= end ||
        !factor(p, model, state, rows)) {
      return RL_CONVERGED_ITERATIONS;
    }
    length = advance(p, model, state, rows, mean);
    info->iterations++;
    if (info->trace) {
      rl_trace(info, rl_residual(model, state, rows, state->points, p->forces, 1.0, p->h));
    }
  }
}
