// SPDX-License-Identifier: GPL-3.0-or-later
#include "metrics.h"

#include "world/bodies/shape.h"
#include "world/paths/bend.h"
#include "world/ropes/eyes.h"
#include "world/rotation.h"

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

// A ball about straight pieces of a rope [m].
typedef struct ball {
  rl_vec3 centre;
  double radius;
} ball;

static bool is_near(ball b, const rl_model *model, const rl_state *state, uint32_t body) {
  const rl_vec3 at = rl_position(&state->points[rl_body_slot(model, body)]);
  const rl_vec3 way = rl_sub(at, b.centre);
  const double reach = b.radius + model->bodies[body].bound;
  return rl_dot(way, way) < reach * reach;
}

// Whether piece k of a massless rope begins or ends on a part of a body, of which it is a tangent.
static bool is_tangent(const rl_model *model, const rl_state *state, uint32_t rope, uint32_t k,
                       uint32_t body, uint32_t part) {
  const rl_wrap *wraps = &state->wraps[model->ropes[rope].first_wrap];
  return (k > 0 && wraps[k - 1].body == body && wraps[k - 1].part == part) ||
         (k < state->wrap_counts[rope] && wraps[k].body == body && wraps[k].part == part);
}

// Measures how deep piece k of a massless rope, with its radius, is in a body.
static void measure_piece(rl_metrics *metrics, const rl_model *model, const rl_state *state,
                          uint32_t rope, uint32_t k, uint32_t body) {
  const rl_path_item *items = rl_path_items(state, rope);
  const rl_vec3 centre = rl_position(&state->points[rl_body_slot(model, body)]);
  const rl_quat rotation = rl_body_rotation(model, state, state->points, body);
  for (uint32_t part = 0; part < model->bodies[body].part_count; part++) {
    rl_surface surface;
    if (!is_tangent(model, state, rope, k, body, part)) {
      rl_shape_segment(&model->bodies[body].parts[part], centre, rotation, items[k].exit,
                       items[k + 1].entry, &surface);
      metrics->penetration_max =
          rl_larger(metrics->penetration_max, model->ropes[rope].radius - surface.distance);
    }
  }
}

// The same of all its straight pieces; its path has been solved. A loop lies on nothing but its own
// bodies.
static void measure_pieces(rl_metrics *metrics, const rl_model *model, const rl_state *state,
                           uint32_t rope) {
  const rl_path_item *items = rl_path_items(state, rope);
  const double thick = model->ropes[rope].radius;
  const uint32_t count = rl_wraps_is_loop(model, rope) ? 0 : state->wrap_counts[rope] + 1;
  ball whole = {items[0].exit, thick};
  for (uint32_t k = 0; k < count; k++) {
    const double from = rl_distance(whole.centre, items[k].exit);
    const double to = rl_distance(whole.centre, items[k + 1].entry);
    whole.radius = fmax(whole.radius, fmax(from, to) + thick);
  }
  for (uint32_t body = 0; body < model->body_count && count > 0; body++) {
    const bool near = rl_rope_touches(model, rope, body) && is_near(whole, model, state, body);
    for (uint32_t k = 0; near && k < count; k++) {
      const rl_vec3 middle = rl_scale(0.5, rl_add(items[k].exit, items[k + 1].entry));
      const ball about = {middle, rl_distance(middle, items[k].exit) + thick};
      if (is_near(about, model, state, body)) {
        measure_piece(metrics, model, state, rope, k, body);
      }
    }
  }
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
      measure_pieces(metrics, model, state, rope);
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

// Measures how deep the deepest point of the straight way between two places of a rope, which can
// be one place, is in a body. A point is at most half its length nearer to a part than the middle.
static void measure_way(rl_metrics *metrics, const rl_model *model, const rl_state *state,
                        uint32_t rope, rl_vec3 from, rl_vec3 to, uint32_t body) {
  const double thick = model->ropes[rope].radius, half = 0.5 * rl_distance(from, to);
  const rl_vec3 centre = rl_position(&state->points[rl_body_slot(model, body)]);
  const rl_quat rotation = rl_body_rotation(model, state, state->points, body);
  const rl_vec3 middle = rl_scale(0.5, rl_add(from, to));
  for (uint32_t k = 0; k < model->bodies[body].part_count; k++) {
    const rl_part *part = &model->bodies[body].parts[k];
    rl_surface surface = rl_shape_surface(part, centre, rotation, middle);
    if (half > 0.0 && thick - surface.distance + half > metrics->penetration_max) {
      const double s = rl_shape_segment(part, centre, rotation, from, to, &surface);
      const rl_vec3 deepest = rl_add_scaled(from, s, rl_sub(to, from));
      surface = rl_shape_surface(part, centre, rotation, deepest);
    }
    metrics->penetration_max = rl_larger(metrics->penetration_max, thick - surface.distance);
  }
}

static rl_vec3 node_at(const rl_model *model, const rl_state *state, uint32_t slot) {
  return rl_vertex_position(model, state, rl_node_vertex(model, slot), state->points);
}

// Measures an element with mass, or its nodes if it does not touch the body: it is tied to it or
// runs through an eye.
static void measure_element(rl_metrics *metrics, const rl_model *model, const rl_state *state,
                            uint32_t rope, uint32_t i, uint32_t body) {
  const rl_link *link = &state->links[model->ropes[rope].first_link + i];
  const rl_vec3 from = node_at(model, state, link->a), to = node_at(model, state, link->b);
  const bool is_tied[] = {rl_tied_body(model, link->a) == body,
                          rl_tied_body(model, link->b) == body};
  if (!is_tied[0] && !is_tied[1] && !rl_element_is_in_eye(model, state, rope, i)) {
    measure_way(metrics, model, state, rope, from, to, body);
    return;
  }
  if (!is_tied[0]) {
    measure_way(metrics, model, state, rope, from, from, body);
  }
  if (!is_tied[1]) {
    measure_way(metrics, model, state, rope, to, to, body);
  }
}

// Number of elements that are skipped at once where no body is near.
enum { STRETCH = 32 };

// Measures how deep a stretch of a rope with mass, its elements from `first` on to before `end`, is
// in bodies.
static void measure_stretch(rl_metrics *metrics, const rl_model *model, const rl_state *state,
                            uint32_t rope, uint32_t first, uint32_t end) {
  const rl_link *links = &state->links[model->ropes[rope].first_link];
  const double thick = model->ropes[rope].radius;
  ball whole = {node_at(model, state, links[first].a), thick};
  for (uint32_t i = first; i < end; i++) {
    const double from = rl_distance(whole.centre, node_at(model, state, links[i].a));
    const double to = rl_distance(whole.centre, node_at(model, state, links[i].b));
    whole.radius = fmax(whole.radius, fmax(from, to) + thick);
  }
  for (uint32_t body = 0; body < model->body_count; body++) {
    const bool touches = rl_rope_touches(model, rope, body) && is_near(whole, model, state, body);
    for (uint32_t i = first; touches && i < end; i++) {
      measure_element(metrics, model, state, rope, i, body);
    }
  }
}

static void measure_ropes(rl_metrics *metrics, const rl_model *model, const rl_state *state) {
  for (uint32_t rope = 0; rope < model->rope_count && model->contact_capacity > 0; rope++) {
    const uint32_t count = model->ropes[rope].massless ? 0 : rl_rope_elements(model, state, rope);
    for (uint32_t first = 0; first < count; first += STRETCH) {
      const uint32_t end = first + STRETCH < count ? first + STRETCH : count;
      measure_stretch(metrics, model, state, rope, first, end);
    }
  }
}

// Measures the contacts of ropes with ropes as the rows have them.
static void measure_crossings(rl_metrics *metrics, const rl_driver *driver) {
  const rl_rows *rows = driver->rows;
  const rl_block *contacts = &rows->blocks[rows->contact_block];
  for (uint32_t i = contacts->first_row; i < contacts->first_row + contacts->row_count; i++) {
    rl_row *row = &rows->rows[i];
    if (rl_is_of_ropes(&driver->state->contacts[row->item])) {
      rl_row_evaluate(driver->model, driver->state, driver->rows, row, driver->state->points);
      const double depth = row->value + rows->feet[row->item].kept_depth;
      metrics->penetration_max = rl_larger(metrics->penetration_max, depth);
    }
  }
}

// Measures how deep bodies are in each other where they are now: what a row knows of a contact
// holds for a small turn, and a wheel can make half a one in a step.
static void measure_bodies(rl_metrics *metrics, const rl_model *model, const rl_state *state) {
  for (uint32_t i = 0; i < model->pair_count; i++) {
    const rl_pair *pair = &model->pairs[i];
    const double depth = rl_pair_depth(model, state, pair);
    const double a = model->bodies[pair->bodies[0]].bound, b = model->bodies[pair->bodies[1]].bound;
    const rl_overlap overlap = {depth, depth / fmin(a, b)};
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
  measure_crossings(&metrics, driver);
  measure_ropes(&metrics, model, state);
  measure_bodies(&metrics, model, state);
  return metrics;
}
