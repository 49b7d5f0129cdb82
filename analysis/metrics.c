// SPDX-License-Identifier: GPL-3.0-or-later
#include "metrics.h"

static void measure_elements(rl_metrics *metrics, const rl_model *model, const rl_state *state) {
  double squares = 0.0;
  for (uint32_t i = 0; i < model->link_count; i++) {
    const rl_link *link = &state->links[i];
    double excess = rl_element_length(model, state, i) - link->rest;
    excess = model->ropes[model->link_rope[i]].compression ? fabs(excess) : rl_larger(0.0, excess);
    const double stretch = excess / link->rest;
    squares += stretch * stretch;
    metrics->stretch_max = rl_larger(metrics->stretch_max, stretch);
    if (link->compliance == 0.0) {
      metrics->length_error = rl_larger(metrics->length_error, excess);
    }
    metrics->tension_max = rl_larger(metrics->tension_max, state->multipliers[i]);
  }
  if (model->link_count > 0) {
    metrics->stretch_rms = sqrt(squares / model->link_count);
  }
}

static void measure_contacts(rl_metrics *metrics, const rl_driver *driver) {
  const rl_rows *rows = driver->rows;
  for (uint32_t i = rows->span_count; i < rows->row_count; i++) {
    rl_row_evaluate(driver->model, driver->state, driver->rows, &rows->rows[i],
                    driver->state->points);
    metrics->penetration_max = rl_larger(metrics->penetration_max, rows->rows[i].value);
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

static bool moves_freely(const rl_model *model, uint32_t slot) {
  const rl_hold *hold = rl_moving_hold(model, slot);
  return model->points[hold ? rl_body_slot(model, hold->body) : slot].w > 0.0;
}

bool rl_model_is_free(const rl_model *model) {
  bool is_free = rl_length(model->gravity) == 0.0;
  for (size_t i = 0; i < (size_t)model->rope_count * model->body_count; i++) {
    is_free =
        is_free && (!model->touches[i] || model->bodies[i % model->body_count].motion == RL_FREE);
  }
  for (uint32_t i = 0; i < model->pair_count; i++) {
    is_free = is_free && model->bodies[model->pairs[i].bodies[0]].motion == RL_FREE &&
              model->bodies[model->pairs[i].bodies[1]].motion == RL_FREE;
  }
  for (uint32_t i = 0; i < model->link_count; i++) {
    is_free =
        is_free && moves_freely(model, model->links[i].a) && moves_freely(model, model->links[i].b);
  }
  for (uint32_t i = 0; i < model->eye_count; i++) {
    is_free =
        is_free && model->eyes[i].slot != RL_NONE && model->points[model->eyes[i].slot].w > 0.0;
  }
  return is_free;
}
