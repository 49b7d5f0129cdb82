// SPDX-License-Identifier: GPL-3.0-or-later
// Friction in the interior point method: each contact has the pair (mu lambda, T) and (psi, u),
// both in the second-order cone. Equation numbers are those of papers/convex.md.
#include "implicit.h"

// Length of w1 below which its direction is rounding (w0 is at least 1).
static const double least_length = 1e-8;

// Regularisation of the diagonal of friction, as a fraction of the inverse mass: sticking nodes
// over-determine the taut elements between them.
static const double grip = 1e-10;

// (10) Finds the scaling W of a pair.
static void find_scaling(rl_cone_pair *c) {
  const double a = sqrt(rl_cone_determinant(c->force)), b = sqrt(rl_cone_determinant(c->slide));
  const rl_cone unit = {c->force.first / a, rl_scale(1.0 / a, c->force.rest)};
  const rl_cone other = {c->slide.first / b, rl_scale(1.0 / b, c->slide.rest)};
  const double half = 1.0 / sqrt(2.0 * (1.0 + rl_cone_dot(unit, other)));
  c->unit =
      (rl_cone){half * (unit.first + other.first), rl_scale(half, rl_sub(unit.rest, other.rest))};
  c->scale = sqrt(a / b);
}

static rl_cone scale_up(const rl_cone_pair *c, rl_cone x) {
  return rl_cone_scale(c->unit, c->scale, x);
}

static rl_cone scale_down(const rl_cone_pair *c, rl_cone x) {
  return rl_cone_scale(rl_cone_turned(c->unit), 1.0 / c->scale, x);
}

static double coefficient_of(const rl_implicit *p, const rl_rows *rows, uint32_t k) {
  return rows->rows[p->tangents.tangents[k].row].friction;
}

void rl_cones_begin(rl_implicit *p, const rl_rows *rows) {
  for (uint32_t k = 0; k < p->tangents.tangents_count; k++) {
    const uint32_t normal = p->tangents.tangents[k].normal;
    p->cones[k] = (rl_cone_pair){.slide.first = p->cone_weight * p->slack[normal] /
                                                coefficient_of(p, rows, k)};
  }
}

// (11) Turns the tangents along w and across it, where W^-2 is diagonal, and sets their rows in the
// matrix.
static void lay(rl_implicit *p, rl_cone_pair *c, rl_friction *f, rl_tangents *t, double mu) {
  const rl_vec3 across = rl_cross(f->normal, c->unit.rest);
  const double length = rl_length(across), s = 1.0 / (c->scale * c->scale);
  c->length = length > least_length ? length : 0.0;
  if (c->length > 0.0) {
    f->tangents[1] = rl_scale(1.0 / length, across);
    f->tangents[0] = rl_cross(f->tangents[1], f->normal);
  }
  const double soft = p->softness[t->normal] + grip * p->weights[t->normal] * p->h * p->h;
  const double along = s * (1.0 + 2.0 * c->length * c->length) + soft;
  p->diagonal[t->first] = along;
  p->diagonal[t->first + 1] = s + soft;
  t->coefficient = mu * 2.0 * s * c->unit.first * c->length / along;
}

void rl_cones_measure(rl_implicit *p, const rl_rows *rows, double *complementarity,
                      uint32_t *count) {
  const double h2 = p->h * p->h;
  for (uint32_t k = 0; k < p->tangents.tangents_count; k++) {
    rl_cone_pair *c = &p->cones[k];
    rl_tangents *t = &p->tangents.tangents[k];
    p->active[t->first] = p->active[t->first + 1] = p->active[t->normal];
    t->coefficient = 0.0;
    if (p->active[t->normal]) {
      const double mu = coefficient_of(p, rows, k);
      c->force = (rl_cone){mu * p->forces[t->normal], rl_scale(1.0 / h2, p->frictions[k].total)};
      find_scaling(c);
      lay(p, c, &p->frictions[k], t, mu);
      *complementarity += rl_cone_dot(c->force, c->slide) / p->cone_weight;
      (*count)++;
    }
  }
}

// (12) Sets the right sides of the tangents, and keeps c of db = c - W^-2 da.
void rl_cones_set_right(rl_implicit *p, double aim, bool corrects) {
  for (uint32_t k = 0; k < p->tangents.tangents_count; k++) {
    rl_cone_pair *c = &p->cones[k];
    const rl_friction *f = &p->frictions[k];
    const rl_tangents *t = &p->tangents.tangents[k];
    if (!p->active[t->normal]) {
      continue;
    }
    c->rest = (rl_cone){-c->slide.first, rl_scale(-1.0, c->slide.rest)};
    if (corrects) {
      const rl_cone both =
          rl_cone_product(scale_down(c, c->force_change), scale_up(c, c->slide_change));
      const rl_cone lack = {p->cone_weight * aim - both.first, rl_scale(-1.0, both.rest)};
      const rl_cone step = rl_cone_quotient(scale_up(c, c->slide), lack);
      c->rest = rl_cone_add_scaled(c->rest, 1.0, scale_down(c, step));
    }
    const rl_vec3 right = rl_sub(rl_sub(f->slide, c->slide.rest), c->rest.rest);
    p->right[t->first] = rl_dot(right, f->tangents[0]);
    p->right[t->first + 1] = rl_dot(right, f->tangents[1]);
  }
}

// (12) Finds the changes of a pair. That of the slide is read from the solution, and that of psi
// follows from it: computed with W^-2 both would be amplified rounding.
static void find_change(rl_implicit *p, const rl_rows *rows, uint32_t k) {
  rl_cone_pair *c = &p->cones[k];
  const rl_friction *f = &p->frictions[k];
  const rl_tangents *t = &p->tangents.tangents[k];
  const double along = rl_implicit_change(p, t->first) + p->follows[k];
  const double push = coefficient_of(p, rows, k) * p->change[t->normal];
  c->force_change =
      (rl_cone){push, rl_add_scaled(rl_scale(along, f->tangents[0]),
                                    rl_implicit_change(p, t->first + 1), f->tangents[1])};
  const rl_vec3 move = rl_friction_slide(f, &rows->rows[t->row], rows, p->moves);
  c->slide_change.rest = rl_add_scaled(rl_add(rl_sub(f->slide, c->slide.rest), move),
                                       p->softness[t->normal], c->force_change.rest);
  const double length = c->length, round = 1.0 + 2.0 * length * length;
  const double pull = rl_dot(rl_sub(c->rest.rest, c->slide_change.rest), f->tangents[0]);
  c->slide_change.first = c->rest.first - push / (round * c->scale * c->scale) +
                          2.0 * c->unit.first * length / round * pull;
}

double rl_cones_find_changes(rl_implicit *p, const rl_model *model, const rl_rows *rows,
                             double reach) {
  if (p->tangents.tangents_count == 0) {
    return reach;
  }
  for (uint32_t i = 0; i < model->slot_count; i++) {
    p->moves[i] = rl_implicit_solved_move(p, i);
  }
  for (uint32_t k = 0; k < p->tangents.tangents_count; k++) {
    rl_cone_pair *c = &p->cones[k];
    if (p->active[p->tangents.tangents[k].normal]) {
      find_change(p, rows, k);
      reach = rl_cone_reach(c->force, c->force_change, reach);
      reach = rl_cone_reach(c->slide, c->slide_change, reach);
    }
  }
  return reach;
}

double rl_cones_complementarity_at(const rl_implicit *p, double s) {
  double sum = 0.0;
  for (uint32_t k = 0; k < p->tangents.tangents_count; k++) {
    const rl_cone_pair *c = &p->cones[k];
    if (p->active[p->tangents.tangents[k].normal]) {
      sum += rl_cone_dot(rl_cone_add_scaled(c->force, s, c->force_change),
                         rl_cone_add_scaled(c->slide, s, c->slide_change));
    }
  }
  return sum / p->cone_weight;
}

void rl_cones_move(rl_implicit *p, double s) {
  for (uint32_t k = 0; k < p->tangents.tangents_count; k++) {
    if (p->active[p->tangents.tangents[k].normal]) {
      p->cones[k].slide = rl_cone_add_scaled(p->cones[k].slide, s, p->cones[k].slide_change);
    }
  }
}
