// SPDX-License-Identifier: GPL-3.0-or-later
#include "metrics.h"

#include "world/paths/bend.h"

// Sums over elements, and over the spans of massless ropes.
typedef struct sums {
  double squares; // of stretches
  size_t count;
} sums;

static void measure_length(rl_metrics *metrics, sums *s, double excess, double rest, bool stiff) {
  const double stretch = rest > 0.0 ? excess / rest : 0.0;
  s->squares += stretch * stretch;
  s->count++;
  metrics->stretch_max = rl_larger(metrics->stretch_max, stretch);
  if (stiff) {
    metrics->length_error = rl_larger(metrics->length_error, excess);
  }
}

// Measures a massless rope over bodies, which has a span between any two places where it sticks.
static void measure_spans(rl_metrics *metrics, sums *s, const rl_model *model,
                          const rl_state *state, uint32_t rope) {
  rl_rope_solve_bends(model, state, rope);
  for (uint32_t piece = 0; piece < rl_wraps_piece_count(model, state, rope);) {
    const rl_strand span = rl_wrap_strand(model, state, rope, piece, state->points);
    measure_length(metrics, s, rl_larger(0.0, span.length - span.rest), span.rest,
                   isinf(model->ropes[rope].stiffness));
    piece += span.piece_count;
  }
  metrics->tension_max = rl_larger(metrics->tension_max, rl_largest_tension(model, state, rope));
}

static void measure_elements(rl_metrics *metrics, const rl_model *model, const rl_state *state) {
  sums s = {0};
  for (uint32_t i = 0; i < model->link_count; i++) {
    const rl_link *link = &state->links[i];
    const uint32_t rope = model->link_rope[i];
    if (i - model->ropes[rope].first_link >= rl_rope_elements(model, state, rope)) {
      continue; // the element does not exist any more
    }
    if (model->ropes[rope].wrap_capacity > 0) {
      measure_spans(metrics, &s, model, state, rope);
      continue;
    }
    double excess = rl_element_length(model, state, i) - link->rest;
    excess = model->ropes[rope].compression ? fabs(excess) : rl_larger(0.0, excess);
    measure_length(metrics, &s, excess, link->rest, link->compliance == 0.0);
    metrics->tension_max = rl_larger(metrics->tension_max, state->multipliers[i]);
  }
  if (s.count > 0) {
    metrics->stretch_rms = sqrt(s.squares / (double)s.count);
  }
}

// Returns the radius of the smaller body of a contact of two [m]; INFINITY: of a rope.
static double smaller_radius(const rl_model *model, const rl_contact *contact) {
  return contact->rope != RL_NONE ? INFINITY
                                  : fmin(model->bodies[contact->slot - model->node_count].bound,
                                         model->bodies[contact->body].bound);
}

static void measure_contacts(rl_metrics *metrics, const rl_driver *driver) {
  const rl_rows *rows = driver->rows;
  const rl_block *contacts = &rows->blocks[rows->contact_block];
  for (uint32_t i = contacts->first_row; i < contacts->first_row + contacts->row_count; i++) {
    rl_row_evaluate(driver->model, driver->state, driver->rows, &rows->rows[i],
                    driver->state->points);
    const double depth = rows->rows[i].value + rows->feet[rows->rows[i].item].kept_depth;
    const rl_contact *contact = &driver->state->contacts[rows->rows[i].item];
    const rl_overlap overlap = {depth, depth / smaller_radius(driver->model, contact)};
    metrics->penetration_max = rl_larger(metrics->penetration_max, depth);
    metrics->overlap = overlap.share > metrics->overlap.share ? overlap : metrics->overlap;
  }
}

rl_metrics rl_metrics_of(const rl_driver *driver) {
  const rl_model *model = driver->model;
  const rl_state *state = driver->state;
  rl_metrics metrics = {.energy = rl_driver_energy(driver),
                        .work = state->work,
                        .dissipated = state->dissipated,
                        .momentum = rl_state_momentum(model, state)};
  metrics.energy_total = rl_energy_total(metrics.energy);
  metrics.energy_error =
      metrics.energy_total - rl_energy_total(driver->start) - metrics.work + metrics.dissipated;
  for (uint32_t i = 0; i < model->place_count; i++) {
    metrics.momentum_scale += state->masses[i] * rl_length(state->velocities[i]);
  }
  measure_elements(&metrics, model, state);
  measure_contacts(&metrics, driver);
  return metrics;
}
