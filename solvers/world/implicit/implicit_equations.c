// SPDX-License-Identifier: GPL-3.0-or-later
// The equations of an implicit step at trial positions: values of the rows, law of friction,
// balance of forces.
#include "implicit.h"

#include "../ropes/flexure.h"

// The rounding of the balance moves nothing by more than this share of an element, or forces are
// too large to balance anything.
static const double most_rounding = 1e-6;

// A residual of friction below this many roundings of a length counts as 0: contacts between
// sticking and slipping change sides by rounding.
static const double friction_roundings = 100.0;

// Regularisation of the diagonal of friction, as a fraction of it, because sticking nodes
// over-determine the taut elements between them. It changes the iterations but not the solution,
// and slows them down if such nodes hardly move. So it begins with `softest`, is multiplied by
// `hardening`, down to `hardest`, while the residual does not fall by the factor `steady`, and
// begins again if the residual grows by the factor `lost`.
static const double softest = 0.003, hardest = 1e-6, hardening = 0.1;
static const double steady = 0.3, lost = 3.0;

// Friction with less than this share of the residual does not control its regularisation.
static const double most = 0.3;

void rl_implicit_find_moves(rl_implicit *p, const rl_model *model, const rl_state *state) {
  const double ahead = rl_implicit_time(p);
  for (uint32_t i = 0; i < model->slot_count; i++) {
    p->moves[i] = rl_sub(rl_position(&state->points[i]), rl_position(&p->origin[i]));
    if (i >= model->place_count) {
      p->moves[i] = rl_add_scaled(p->moves[i], ahead, state->velocities[i]);
    }
    p->ways[i] = rl_scale(p->h / ahead, p->moves[i]);
    if (p->integrator == RL_BDF2 && i < model->place_count && rl_implicit_moves(p, i)) {
      const rl_vec3 last = rl_sub(rl_position(&p->origin[i]), rl_position(&p->past[i]));
      p->ways[i] = rl_add_scaled(p->moves[i], -1.0 / 3.0, last);
    }
  }
}

// Returns h dC/dt of a row, along the gradients last evaluated [m].
static double way_of(const rl_implicit *p, const rl_rows *rows, const rl_row *row) {
  return rl_row_rate(rows, row, p->ways) + row->reel - p->h * row->reel;
}

// Returns C~ of (3) without its force. (12) A damper does not pull a slack rope: of the way only
// what the rope is strained by counts.
static double lagged(const rl_implicit *p, uint32_t m, double value, double way) {
  const double ahead = rl_implicit_is_ahead(p, m) ? 1.0 : 0.0, damper = p->lag[m] - ahead;
  const double strain = value + ahead * way;
  const double strained = p->lower[m] == 0.0 ? fmin(way, strain) : way;
  return (strain + damper * strained) / (1.0 + p->lag[m]);
}

static void evaluate_link(rl_implicit *p, const rl_link *link, uint32_t m, const rl_point *points) {
  const rl_vec3 d = rl_sub(rl_position(&points[link->b]), rl_position(&points[link->a]));
  const double length = rl_length(d);
  rl_bent_link *bent = &p->links[m];
  const bool square = rl_implicit_is_square(p, m);
  if (square) {
    const double inverse = 1.0 / link->rest;
    p->values[m] = 0.5 * (length - link->rest) * (length + link->rest) * inverse;
    *bent = (rl_bent_link){rl_scale(inverse, d), inverse, 0.0};
  } else {
    const double inverse = length > 0.0 ? 1.0 / length : 0.0;
    p->values[m] = length - link->rest;
    *bent = (rl_bent_link){rl_scale(inverse, d), inverse, -inverse};
  }
  if (p->lag[m] > 0.0) {
    const rl_vec3 change = rl_sub(p->ways[link->b], p->ways[link->a]);
    const double way = rl_dot(bent->gradient, change);
    // (15) of papers/convex.md: this makes the square at the end of the step exact.
    const double rest =
        square && p->integrator == RL_MIDPOINT ? 0.5 * rl_dot(change, change) / link->rest : 0.0;
    p->values[m] = lagged(p, m, p->values[m], way) + rest / (1.0 + p->lag[m]);
  }
}

void rl_implicit_evaluate(rl_implicit *p, const rl_model *model, const rl_state *state,
                          rl_rows *rows) {
  rl_implicit_find_moves(p, model, state);
  rl_rows_stand(rows);
  for (uint32_t n = 0; n < rows->block_count; n++) {
    const rl_block *block = &rows->blocks[n];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      evaluate_link(p, &state->links[k], k, state->points);
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      rl_row *row = &rows->rows[k];
      rl_row_evaluate(model, state, rows, row, state->points);
      const uint32_t m = row->source;
      p->weights[m] = rl_implicit_weight(p, row);
      p->values[m] = lagged(p, m, row->value, way_of(p, rows, row));
    }
  }
  rl_rows_move(rows);
}

// ---------------------------------------------------------------------------------------------
// Friction. A sticking contact is as soft along its tangents as along its normal: u + softness T =
// 0.

static double stick_softness(const rl_implicit *p, const rl_tangents *t) {
  return p->softness[t->normal] / (p->h * p->h);
}

// Returns the diagonal of a sticking tangent; a soft contact needs no regularisation.
static double stick_diagonal(const rl_implicit *p, const rl_tangents *t) {
  const double soft = p->softness[t->normal], reaction = p->weights[t->normal] * p->h * p->h;
  return soft > 0.0 ? fmax(soft, hardest * reaction) : p->grip_softness * reaction;
}

void rl_implicit_measure_friction(rl_implicit *p, const rl_rows *rows) {
  rl_direct *d = &p->tangents;
  const double h2 = p->h * p->h;
  rl_frictions_measure(p->frictions, d, rows, p->moves);
  for (uint32_t k = 0; k < d->tangents_count; k++) {
    rl_friction *f = &p->frictions[k];
    const rl_tangents *t = &d->tangents[k];
    f->slide = rl_add_scaled(f->slide, stick_softness(p, t), f->total);
    // The limit is that of the force h^2 lambda itself. C / W, which rl_frictions_choose would add,
    // is already part of the force in the balance.
    p->right[t->normal] = 0.0;
    p->diagonal[t->normal] = h2 * p->forces[t->normal];
  }
  double size;
  const double residual =
      rl_frictions_residual(p->frictions, d, rows, p->weights, p->diagonal, &size);
  p->friction_residual = residual <= friction_roundings * p->rounding ? 0.0 : residual;
}

void rl_implicit_choose_friction(rl_implicit *p, const rl_rows *rows) {
  rl_direct *d = &p->tangents;
  const double h2 = p->h * p->h;
  rl_implicit_measure_friction(p, rows);
  rl_frictions_choose(p->frictions, d, rows, p->weights, p->diagonal, p->active, p->right);
  for (uint32_t k = 0; k < d->tangents_count; k++) {
    rl_friction *f = &p->frictions[k];
    const rl_tangents *t = &d->tangents[k];
    for (uint32_t i = 0; i < 2; i++) {
      const uint32_t m = t->first + i;
      if (p->active[m]) { // J dx - D dT = u
        p->right[m] = -p->right[m];
        p->diagonal[m] = (i == 1 ? t->softness * h2 : 0.0) + stick_diagonal(p, t);
      } else { // T along the slip is given by the law
        f->total = rl_add_scaled(f->total, p->right[m], f->tangents[i]);
      }
    }
  }
}

void rl_implicit_grip(rl_implicit *p, double residual) {
  residual = p->friction_residual > most * residual ? residual : INFINITY;
  if (!(residual <= lost * p->last_residual) || residual == INFINITY) {
    p->grip_softness = softest;
  } else if (residual > steady * p->last_residual) {
    p->grip_softness = fmax(hardening * p->grip_softness, hardest);
  }
  p->last_residual = residual;
}

// ---------------------------------------------------------------------------------------------
// The balance of forces

static void add_pull(rl_implicit *p, uint32_t slot, double s, rl_vec3 gradient) {
  p->imbalance[slot] = rl_add_scaled(p->imbalance[slot], s, gradient);
}

static void balance_rows(rl_implicit *p, const rl_rows *rows, const rl_block *block) {
  for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
    const rl_row *row = &rows->rows[k];
    for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
      add_pull(p, rows->entries[i].slot, p->forces[row->source], rows->entries[i].force);
    }
    p->force_scale = rl_larger(p->force_scale, fabs(p->forces[row->source]));
  }
}

static void balance_friction(rl_implicit *p, const rl_rows *rows) {
  const double h2 = p->h * p->h;
  for (uint32_t k = 0; k < p->tangents.tangents_count; k++) {
    const rl_row *row = &rows->rows[p->tangents.tangents[k].row];
    for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
      const rl_entry *e = &rows->entries[i];
      add_pull(p, e->slot, -1.0 / h2, rl_contact_share(row, e, p->frictions[k].total));
    }
  }
}

// Adds bending forces, and finds their rounding, relative to the force where kb = 1.
static void balance_bending(rl_implicit *p, const rl_model *model, const rl_state *state) {
  p->bending_rounding = 0.0;
  for (rl_flexure f = {.derives = true}; rl_flexure_next(model, state, state->points, &f);) {
    for (uint32_t i = 0; i < f.entry_count; i++) {
      const rl_flexure_entry *e = &f.entries[i];
      double square = 0.0;
      for (int k = 0; k < 9; k++) {
        square += e->jacobian[k / 3][k % 3] * e->jacobian[k / 3][k % 3];
      }
      add_pull(p, e->slot, 1.0 / f.compliance, e->slope);
      p->force_scale = rl_larger(p->force_scale, rl_length(e->slope) / f.compliance);
      p->bending_rounding =
          rl_larger(p->bending_rounding, p->rounding / p->shortest * sqrt(square) / f.compliance);
    }
  }
}

double rl_implicit_balance(rl_implicit *p, const rl_model *model, const rl_state *state,
                           const rl_rows *rows) {
  double largest = 0.0;
  p->force_scale = 0.0;
  for (uint32_t i = 0; i < model->slot_count; i++) {
    p->imbalance[i] = rl_scale(rl_implicit_moves(p, i) ? p->inertia[i] : 0.0,
                               rl_sub(rl_position(&state->points[i]), p->target[i]));
    p->force_scale = rl_larger(p->force_scale, rl_length(p->imbalance[i]));
  }
  for (uint32_t n = 0; n < rows->block_count; n++) {
    const rl_block *block = &rows->blocks[n];
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      add_pull(p, state->links[k].a, -p->forces[k], p->links[k].gradient);
      add_pull(p, state->links[k].b, p->forces[k], p->links[k].gradient);
      p->force_scale = rl_larger(p->force_scale, fabs(p->forces[k]));
    }
    balance_rows(p, rows, block);
  }
  balance_friction(p, rows);
  balance_bending(p, model, state);
  for (uint32_t i = 0; i < model->slot_count; i++) {
    const double force = rl_length(p->imbalance[i]);
    const double rounding = p->force_rounding * p->force_scale + p->bending_rounding;
    if (rl_implicit_moves(p, i) &&
        !(force <= fmin(rounding, most_rounding * model->reach * p->inertia[i]))) {
      largest = rl_larger(largest, force / p->inertia[i]);
    }
  }
  return largest;
}
