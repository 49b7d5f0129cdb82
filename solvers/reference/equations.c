// SPDX-License-Identifier: GPL-3.0-or-later
#include "contacts.h"
#include "curvature.h"
#include "equations_internal.h"
#include "rubbing.h"

#include "world/paths/strands.h"
#include "world/paths/wrap.h"
#include "world/ropes/flexure.h"
#include "world/rotation.h"

#include <gsl/gsl_errno.h>
#include <string.h>

// (4a) Regularisation of elements over that of contacts: the norm in which the forces change least
// counts contacts a hundred times as much, so that a growing load spreads over all contacts of a
// rope, through the elements between them.
static const double element_share = 0.01;

void rl_equations_lay_out(rl_equations *e, const rl_model *model, rl_carver *c) {
  const size_t unknowns = rl_direct_unknown_capacity(model);
  rl_lcp_lay_out(&e->lcp, model, c);
  e->acts = rl_carve(c, unknowns, sizeof *e->acts);
  e->is_taut = rl_carve(c, unknowns, sizeof *e->is_taut);
  e->chosen = rl_carve(c, unknowns, sizeof *e->chosen);
  e->takes_part = rl_carve(c, unknowns, sizeof *e->takes_part);
  e->differs = rl_carve(c, model->contact_capacity, sizeof *e->differs);
  e->touched = rl_carve(c, model->contact_capacity, sizeof *e->touched);
  e->rubbing = rl_carve(c, model->contact_capacity, sizeof *e->rubbing);
  e->other_rubbing = rl_carve(c, model->contact_capacity, sizeof *e->other_rubbing);
  e->gauges = rl_carve(c, unknowns, sizeof *e->gauges);
  e->starts = rl_carve(c, unknowns, sizeof *e->starts);
  e->multipliers = rl_carve(c, unknowns, sizeof *e->multipliers);
  e->impulses = rl_carve(c, unknowns, sizeof *e->impulses);
  e->blows = rl_carve(c, unknowns, sizeof *e->blows);
  e->softness = rl_carve(c, unknowns, sizeof *e->softness);
  e->shares = rl_carve(c, unknowns, sizeof *e->shares);
  e->other_shares = rl_carve(c, unknowns, sizeof *e->other_shares);
  e->curvatures = rl_carve(c, unknowns, sizeof *e->curvatures);
  e->planes = rl_carve(c, rl_plane_capacity(model), sizeof *e->planes);
  e->row_of = rl_carve(c, unknowns, sizeof *e->row_of);
  e->rope_of = rl_carve(c, unknowns, sizeof *e->rope_of);
  e->accelerations = rl_carve(c, model->slot_count, sizeof *e->accelerations);
  e->saved = rl_carve(c, model->slot_count, sizeof *e->saved);
  e->rates = rl_carve(c, model->slot_count, sizeof *e->rates);
  e->displaced = rl_carve(c, model->slot_count, sizeof *e->displaced);
  e->earlier = rl_carve(c, model->slot_count, sizeof *e->earlier);
  e->turned = rl_carve(c, model->body_count, sizeof *e->turned);
}

// Finds the row and the rope of each multiplier.
static void find_rows(rl_equations *e) {
  e->has_elastic = false;
  for (uint32_t n = 0; n < e->rows->block_count; n++) {
    const rl_block *block = &e->rows->blocks[n];
    e->has_elastic = e->has_elastic ||
                     (block->rope != RL_NONE && isfinite(e->model->ropes[block->rope].stiffness));
    for (uint32_t k = block->first_link; k < block->first_link + block->link_count; k++) {
      e->row_of[k] = RL_NONE;
      e->rope_of[k] = block->rope;
    }
    for (uint32_t k = block->first_row; k < block->first_row + block->row_count; k++) {
      e->row_of[e->rows->rows[k].source] = k;
      e->rope_of[e->rows->rows[k].source] = block->rope;
    }
  }
}

static rl_wrap *wrap_of(const rl_equations *e, const rl_plane *plane) {
  return &e->state->wraps[e->model->ropes[plane->rope].first_wrap + plane->wrap];
}

static void find_planes(rl_equations *e) {
  e->plane_count = 0;
  for (uint32_t r = 0; r < e->model->rope_count && e->model->split_capacity > 0; r++) {
    const uint32_t count = e->model->ropes[r].rubs ? e->state->wrap_counts[r] : 0;
    for (uint32_t i = 0; i < count; i++) {
      const rl_plane plane = {.rope = r, .wrap = i};
      if (wrap_of(e, &plane)->yields) {
        e->planes[e->plane_count++] = plane;
      }
    }
  }
}

// Turns the planes that yield to those of y.
static void scatter_planes(rl_equations *e, const double *y) {
  const double *turned = &y[rl_equations_dimension(e->model, e->lcp.direct.row_count, 0)];
  for (uint32_t k = 0; k < e->plane_count; k++, turned += 3) {
    const rl_vec3 change = {turned[0], turned[1], turned[2]};
    rl_wrap_set_plane(e->model, wrap_of(e, &e->planes[k]),
                      rl_unit(rl_add(e->planes[k].start, change)));
  }
}

void rl_equations_begin(rl_equations *e, const rl_model *model, rl_state *state, rl_rows *rows) {
  e->model = model;
  e->state = state;
  e->rows = rows;
  rl_direct_build(&e->lcp.direct, model, state, rows);
  rl_direct_bounds(&e->lcp.direct, rows, e->lcp.lower);
  find_rows(e);
  find_planes(e);
  e->has_driven = false;
  for (uint32_t i = 0; i < model->body_count; i++) {
    e->has_driven = e->has_driven || model->bodies[i].motion == RL_DRIVEN;
  }
  e->has_driven = e->has_driven || model->is_reeled;
}

void rl_equations_gather(const rl_equations *e, double *y) {
  const uint32_t slots = e->model->slot_count;
  for (uint32_t i = 0; i < slots; i++) {
    const rl_point p = e->state->points[i];
    const rl_vec3 v = e->state->velocities[i];
    memcpy(&y[3 * (size_t)i], (double[3]){p.x, p.y, p.z}, 3 * sizeof *y);
    memcpy(&y[3 * ((size_t)slots + i)], (double[3]){v.x, v.y, v.z}, 3 * sizeof *y);
  }
}

void rl_equations_scatter(rl_equations *e, const double *y) {
  const uint32_t slots = e->model->slot_count;
  const double *x = y, *u = &y[3 * (size_t)slots];
  for (uint32_t i = 0; i < slots; i++, x += 3, u += 3) {
    e->state->points[i] = (rl_point){x[0], x[1], x[2], e->state->points[i].w};
    e->state->velocities[i] = (rl_vec3){u[0], u[1], u[2]};
  }
  scatter_planes(e, y);
}

// ---------------------------------------------------------------------------------------------
// Accelerations

static double compliance_of(const rl_equations *e, uint32_t m) {
  return e->row_of[m] == RL_NONE ? e->state->links[m].compliance
                                 : e->rows->rows[e->row_of[m]].compliance;
}

bool rl_equations_is_stiff(const rl_equations *e, uint32_t m) {
  return !e->has_elastic || !(compliance_of(e, m) > 0.0);
}

// Whether the loss of a row's rope follows from the energy that it stores, (14) of
// elastic-wraps.md.
static bool stores_apart(const rl_equations *e, uint32_t m) {
  return e->rope_of[m] != RL_NONE && rl_wraps_flow_dissipates(e->model, e->rope_of[m]);
}

double rl_equations_elastic_pull(const rl_equations *e, uint32_t m, double *damper) {
  const double stiffness = 1.0 / compliance_of(e, m);
  const double rest =
      e->row_of[m] == RL_NONE ? e->state->links[m].rest : e->rows->rows[e->row_of[m]].rest;
  const double damping = rl_element_damping(&e->model->ropes[e->rope_of[m]], rest, stiffness,
                                            e->lcp.inverse_masses[m]);
  *damper = damping * e->lcp.rates[m];
  return stiffness * e->lcp.values[m] + *damper;
}

static void add_elastic_forces(rl_equations *e) {
  double *pulls = e->lcp.change;
  for (uint32_t m = e->lcp.direct.row_count; m < e->lcp.direct.count; m++) {
    pulls[m] = 0.0; // of tangents
  }
  for (uint32_t m = 0; m < e->lcp.direct.row_count; m++) {
    double damper = 0.0;
    const bool is_elastic = !rl_equations_is_stiff(e, m);
    const double pull = is_elastic ? rl_equations_elastic_pull(e, m, &damper) : 0.0;
    pulls[m] = e->acts[m] ? pull : 0.0;
    e->multipliers[m] = pulls[m];
    const bool is_strained = e->acts[m] || e->lcp.values[m] > 0.0;
    const double taken = damper + (pulls[m] - pull); // (3a) without a pull, what the spring gives
    e->loss += is_strained && !stores_apart(e, m) ? taken * e->lcp.rates[m] : 0.0;
  }
  rl_direct_push(&e->lcp.direct, e->state->points, e->lcp.gradients, pulls, e->accelerations);
}

void rl_equations_free_accelerations(rl_equations *e) {
  const rl_model *model = e->model;
  const rl_state *state = e->state;
  const double *drags = rl_drags(model, state);
  e->loss = e->wind_power = 0.0;
  for (uint32_t i = 0; i < model->slot_count; i++) {
    const double w = state->points[i].w, drag = drags[i];
    const rl_vec3 v = rl_sub(state->velocities[i], state->wind);
    const rl_vec3 none = {0.0, 0.0, 0.0};
    const rl_vec3 gravity = i < model->place_count ? model->gravity : none;
    e->accelerations[i] = w > 0.0 ? rl_add_scaled(gravity, -w * drag, v) : none;
    if (state->pushes && i < model->place_count) {
      e->accelerations[i] = rl_add_scaled(e->accelerations[i], w, state->pushes[i]);
    }
    e->loss += drag * rl_dot(v, v);
    e->wind_power -= drag * rl_dot(v, state->wind);
  }
  for (uint32_t i = 0; i < model->body_count; i++) {
    const uint32_t spin = model->bodies[i].spin_slot;
    if (spin != RL_NONE) {
      e->accelerations[spin] = rl_gyroscopic_rate(model, state, i);
    }
  }
  rl_bending_push(model, state, 1.0, e->accelerations);
  for (uint32_t m = 0; m < e->lcp.direct.count; m++) {
    e->multipliers[m] = 0.0;
  }
  if (e->has_elastic) {
    add_elastic_forces(e);
  }
}

void rl_equations_evaluate_found(rl_equations *e) {
  rl_lcp *l = &e->lcp;
  rl_direct_evaluate(&l->direct, e->model, e->state, e->rows, e->state->points, l->values,
                     l->inverse_masses, l->gradients);
  if (e->is_between) {
    rl_direct_coupled_rates(&l->direct, l->gradients, e->state->velocities, l->rates);
  } else {
    rl_direct_rates(&l->direct, l->gradients, e->state->velocities, l->rates);
  }
  e->evaluations += l->direct.row_count;
}

void rl_equations_evaluate(rl_equations *e) {
  rl_contacts_find(e);
  rl_equations_evaluate_found(e);
}

rl_regularisation rl_equations_regularisation_of(const rl_equations *e) {
  return (rl_regularisation){element_share * e->regularisation, e->regularisation};
}

void rl_equations_lay(rl_equations *e, rl_rows_of what) {
  for (uint32_t m = 0; m < e->lcp.direct.row_count; m++) {
    e->lcp.active[m] = e->acts[m] && rl_equations_is_stiff(e, m);
  }
  rl_rubbing_lay(e, what != RL_OF_POSITIONS, what == RL_OF_ACCELERATIONS);
}

bool rl_equations_factor(rl_equations *e, rl_rows_of what) {
  rl_lcp *l = &e->lcp;
  rl_equations_lay(e, what);
  return rl_direct_factor(&l->direct, e->state->points, l->gradients, l->gradients,
                          rl_equations_regularisation_of(e), l->inverse_masses, l->active);
}

double rl_equations_reel_of(const rl_equations *e, uint32_t m) {
  return e->lcp.direct.is_reeled ? e->lcp.direct.reels[m] : 0.0;
}

static void add_change(rl_equations *e) {
  rl_lcp *l = &e->lcp;
  rl_direct_push(&l->direct, e->state->points, l->gradients, l->change, e->accelerations);
  for (uint32_t m = 0; m < l->direct.count; m++) {
    e->multipliers[m] += l->change[m];
  }
}

void rl_equations_add_shares(rl_equations *e) {
  rl_lcp *l = &e->lcp;
  for (uint32_t m = 0; m < l->direct.count; m++) {
    l->change[m] = m < l->direct.row_count && l->active[m] ? e->shares[m] : 0.0;
  }
  rl_rubbing_share(e, l->change);
  add_change(e);
}

void rl_equations_find_residual(rl_equations *e) {
  rl_lcp *l = &e->lcp;
  rl_direct_coupled_rates(&l->direct, l->gradients, e->accelerations, l->change);
  for (uint32_t m = 0; m < l->direct.count; m++) {
    const double reel = m < l->direct.row_count ? rl_equations_reel_of(e, m) : 0.0;
    l->change[m] = l->active[m] ? l->change[m] + e->curvatures[m] + reel : 0.0;
  }
}

void rl_equations_solve(rl_equations *e) {
  rl_equations_add_shares(e);
  for (int i = 0; i < 2; i++) {
    rl_equations_find_residual(e);
    rl_direct_solve(&e->lcp.direct, e->lcp.change);
    add_change(e);
  }
}

// Returns the part of the rate of a row, along its force, that driven bodies and winches
// prescribe [m/s].
static double prescribed_rate(const rl_equations *e, uint32_t m) {
  const rl_state *state = e->state;
  double rate = 0.0;
  if (e->row_of[m] == RL_NONE) {
    const rl_link *link = &state->links[m];
    const rl_vec3 d = e->lcp.gradients[e->lcp.direct.vectors[m]];
    rate += state->points[link->a].w == 0.0 ? -rl_dot(d, state->velocities[link->a]) : 0.0;
    rate += state->points[link->b].w == 0.0 ? rl_dot(d, state->velocities[link->b]) : 0.0;
    return rate;
  }
  const rl_row *row = &e->rows->rows[e->row_of[m]];
  rate -= row->reel_power;
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *entry = &e->rows->entries[i];
    rate += state->points[entry->slot].w == 0.0
                ? rl_dot(entry->force, state->velocities[entry->slot])
                : 0.0;
  }
  return rate;
}

double rl_equations_prescribed_work(const rl_equations *e, const double *multipliers) {
  double sum = 0.0;
  for (uint32_t m = 0; m < e->lcp.direct.row_count && e->has_driven; m++) {
    sum += multipliers[m] != 0.0 ? multipliers[m] * prescribed_rate(e, m) : 0.0;
  }
  return sum;
}

void rl_equations_find_rates(rl_equations *e) {
  for (uint32_t i = 0; i < e->model->slot_count; i++) {
    e->rates[i] = e->state->velocities[i];
  }
  for (uint32_t i = 0; i < e->model->body_count; i++) {
    const uint32_t spin = e->model->bodies[i].spin_slot;
    if (spin != RL_NONE) {
      e->rates[spin] = rl_rotation_rate(e->model, e->state, i);
    }
  }
}

// (5a) of papers/parting.md: returns the strain energy that winches pay out with a row [W].
static double reeled_strain(const rl_equations *e, const rl_row *row) {
  const double compliance = compliance_of(e, row->source);
  const double pull =
      compliance > 0.0 ? fmax(e->lcp.values[row->source] / compliance, row->lower) : 0.0;
  return row->reel_strain * pull * pull;
}

// Returns the power that friction takes from the forces of a row [W]. Of an elastic rope that rubs
// all power is booked, and at the end of the step what is stored is subtracted ((14) of
// elastic-wraps.md).
static double row_loss(const rl_equations *e, const rl_row *row) {
  const double pull = e->multipliers[row->source];
  const double power = rl_row_power(e->rows, row, e->state->velocities);
  return stores_apart(e, row->source)
             ? pull * power - reeled_strain(e, row)
             : pull * (power - rl_row_rate(e->rows, row, e->state->velocities));
}

static double slip_loss(const rl_equations *e) {
  double sum = 0.0;
  for (uint32_t k = 0; k < e->rows->row_count && (e->lcp.direct.has_forces || e->has_elastic);
       k++) {
    sum += row_loss(e, &e->rows->rows[k]);
  }
  return sum;
}

// Returns the power of the strain energy that elastic ropes bring off winches [W].
static double strain_power(const rl_equations *e) {
  double power = 0.0;
  for (uint32_t k = 0; k < e->rows->row_count && e->state->reels; k++) {
    const rl_row *row = &e->rows->rows[k];
    power -= reeled_strain(e, row);
  }
  return power;
}

void rl_equations_reel(rl_equations *e, double t) {
  rl_state_reel(e->model, e->state, t - e->reeled);
  e->reeled = t;
}

// (7b) Returns C of a strand by its rate [m].
static double strand_value(const rl_equations *e, const double *y, uint32_t m) {
  return e->starts[m] + y[rl_equations_tail(e->model) + 2 + e->lcp.direct.row_count + m];
}

static bool is_strand(const rl_equations *e, const rl_row *row) {
  return row->piece_count > 0 && e->model->ropes[e->model->link_rope[row->item]].rubs;
}

static void value_strands(rl_equations *e, const double *y) {
  for (uint32_t k = 0; k < e->rows->row_count && e->model->split_capacity > 0; k++) {
    const uint32_t m = e->rows->rows[k].source;
    if (is_strand(e, &e->rows->rows[k])) {
      e->lcp.values[m] = strand_value(e, y, m);
    }
  }
}

// Evaluates a strand without what inert ones beside it take, (16a) of papers/wraps.md: these have
// rates of their own here, which are 0.
static void evaluate_alone(rl_equations *e, rl_row *row) {
  rl_row_evaluate(e->model, e->state, e->rows, row, e->state->points);
  row->value -= rl_strand_taken(e->model, e->state, row, e->state->points);
}

void rl_equations_start(rl_equations *e) {
  for (uint32_t k = 0; k < e->plane_count; k++) {
    e->planes[k].start = wrap_of(e, &e->planes[k])->side;
  }
  for (uint32_t k = 0; k < e->rows->row_count && e->model->split_capacity > 0; k++) {
    rl_row *row = &e->rows->rows[k];
    if (is_strand(e, row)) {
      evaluate_alone(e, row);
      e->starts[row->source] = row->value;
    }
  }
}

// (7b) Divides the rest length of a rope so that the C of its strands are those by their rates, up
// to a common difference: all strands together are as long as the path. By their marks alone C
// would be right next to the marks only.
static void share_rope(rl_equations *e, const double *y, uint32_t rope) {
  double sum = 0.0, count = 0.0;
  for (int shares = 0; shares < 2; shares++) {
    for (uint32_t k = 0; k < e->rows->row_count; k++) {
      rl_row *row = &e->rows->rows[k];
      if (!is_strand(e, row) || e->model->link_rope[row->item] != rope) {
        continue;
      }
      if (shares == 0) {
        evaluate_alone(e, row);
        sum += row->value - strand_value(e, y, row->source);
        count += 1.0;
      } else if (row->first_piece > 0) { // the first strand has what is left
        rl_wrap *wraps = &e->state->wraps[e->model->ropes[rope].first_wrap];
        wraps[row->first_piece - 1].rest +=
            row->value - strand_value(e, y, row->source) - sum / count;
      }
    }
  }
}

void rl_equations_hold_planes(rl_equations *e) {
  for (uint32_t k = 0; k < e->plane_count; k++) {
    const rl_plane *plane = &e->planes[k];
    rl_wrap *wrap = wrap_of(e, plane);
    rl_wrap_solve_path(e->model, e->state, plane->rope, e->state->points);
    rl_wrap_set_plane(e->model, wrap,
                      rl_wrap_yielded(e->model, e->state, plane->rope, plane->wrap, wrap->along));
  }
}

void rl_equations_share(rl_equations *e, const double *y) {
  for (uint32_t r = 0; r < e->model->rope_count && e->model->split_capacity > 0; r++) {
    if (e->model->ropes[r].rubs && e->model->ropes[r].wrap_capacity > 0) {
      share_rope(e, y, r);
    }
  }
}

int rl_equations_rates(double t, const double *y, double *dydt, void *equations) {
  rl_equations *e = equations;
  const uint32_t slots = e->model->slot_count;
  double *u = &dydt[3 * (size_t)slots];
  double sum = 0.0;
  rl_equations_reel(e, t);
  rl_equations_scatter(e, y);
  rl_equations_find_rates(e);
  rl_curvatures_find(e);
  rl_equations_evaluate_found(e);
  value_strands(e, y);
  for (int trial = 0; trial == 0 || (trial < RL_TURNS && rl_rubbing_turn(e, trial == 1)); trial++) {
    rl_equations_free_accelerations(e);
    if (!rl_equations_factor(e, RL_OF_ACCELERATIONS)) {
      return GSL_EBADFUNC;
    }
    rl_equations_solve(e);
  }
  e->power = rl_equations_prescribed_work(e, e->multipliers) + strain_power(e) + e->wind_power +
             rl_bending_power(e->model, e->state);
  rl_rubbing_power(e, &e->loss, &e->power);
  for (uint32_t i = 0; i < slots; i++, dydt += 3, u += 3) {
    const rl_vec3 v = e->rates[i], a = e->accelerations[i];
    memcpy(dydt, (double[3]){v.x, v.y, v.z}, 3 * sizeof *dydt);
    memcpy(u, (double[3]){a.x, a.y, a.z}, 3 * sizeof *u);
    sum += fabs(a.x) + fabs(a.y) + fabs(a.z);
  }
  u[0] = e->loss + slip_loss(e);
  u[1] = e->power;
  const uint32_t rows = e->lcp.direct.row_count;
  memcpy(&u[2], e->multipliers, rows * sizeof *u);
  if (e->model->split_capacity > 0) {
    memcpy(&u[2 + rows], e->lcp.rates, rows * sizeof *u);
  }
  u += 2 + (e->model->split_capacity > 0 ? 2 : 1) * (size_t)rows;
  for (uint32_t k = 0; k < e->plane_count; k++, u += 3) {
    rl_vec3 turning;
    rl_equations_yielding(e, e->planes[k].rope, e->planes[k].wrap, &turning);
    memcpy(u, (double[3]){turning.x, turning.y, turning.z}, 3 * sizeof *u);
  }
  return isfinite(sum) ? GSL_SUCCESS : GSL_EBADFUNC;
}

int rl_equations_rates_between(double t, const double *y, double *dydt, void *equations) {
  rl_equations *e = equations;
  e->is_between = true;
  const int status = rl_equations_rates(t, y, dydt, e);
  e->is_between = false;
  return status;
}

// ---------------------------------------------------------------------------------------------
// Projection

// (6) Newton's method for C = 0 along M^-1 G^T, until round-off. Where J is next to 0, as of a rope
// that is taut between fixed points and is met across, a step for the round-off of C can lead away:
// it is taken back.
static void project_positions(rl_equations *e) {
  enum { ITERATIONS = 4 };
  const double rounding = 0x1p-53 * e->model->reach, worth = 0.25;
  double before = INFINITY;
  rl_lcp *l = &e->lcp;
  for (int i = 0; i < ITERATIONS; i++) {
    rl_equations_evaluate(e);
    double largest = 0.0;
    for (uint32_t m = 0; m < l->direct.count; m++) {
      const bool acts = m < l->direct.row_count && e->acts[m] && rl_equations_is_stiff(e, m);
      l->change[m] = acts ? l->values[m] : 0.0;
      largest = rl_larger(largest, fabs(l->change[m]));
    }
    if (i > 0 && largest > before && largest > rl_taut_slack * e->model->reach) {
      memcpy(e->state->points, e->earlier, e->model->slot_count * sizeof *e->earlier);
      memcpy(e->state->rotations, e->turned, e->model->body_count * sizeof *e->turned);
      break;
    }
    if (!(largest > rounding && largest < worth * before) ||
        !rl_equations_factor(e, RL_OF_POSITIONS)) {
      return;
    }
    before = largest;
    memcpy(e->earlier, e->state->points, e->model->slot_count * sizeof *e->earlier);
    memcpy(e->turned, e->state->rotations, e->model->body_count * sizeof *e->turned);
    rl_direct_solve(&l->direct, l->change);
    rl_direct_move(&l->direct, l->gradients, l->change, e->state->points);
    rl_rotation_settle(e->model, e->state, RL_TURN_FRAME);
  }
  rl_equations_evaluate(e);
}

void rl_equations_project_velocities(rl_equations *e, const double *bias) {
  rl_lcp *l = &e->lcp;
  if (!rl_equations_factor(e, bias ? RL_OF_POSITIONS : RL_OF_VELOCITIES)) {
    return;
  }
  for (int i = 0; i < 2; i++) {
    rl_direct_rates(&l->direct, l->gradients, e->state->velocities, l->change);
    for (uint32_t m = 0; m < l->direct.count; m++) {
      const double parts = bias && m < l->direct.row_count ? bias[m] : 0.0;
      l->change[m] = l->active[m] ? l->change[m] + parts : 0.0;
    }
    rl_direct_solve(&l->direct, l->change);
    rl_direct_push(&l->direct, e->state->points, l->gradients, l->change, e->state->velocities);
    for (uint32_t m = 0; m < l->direct.count; m++) {
      l->impulses[m] += l->change[m];
    }
  }
}

double rl_equations_project(rl_equations *e) {
  double fastest = 0.0;
  e->is_between = true;
  rl_rotation_settle(e->model, e->state, RL_TURN_FRAME);
  project_positions(e);
  for (uint32_t m = 0; m < e->lcp.direct.row_count; m++) {
    const bool holds = e->acts[m] && rl_equations_is_stiff(e, m);
    fastest = holds ? rl_larger(fastest, fabs(e->lcp.rates[m])) : fastest;
  }
  rl_equations_project_velocities(e, NULL);
  e->is_between = false;
  return fastest;
}

bool rl_equations_hold(const rl_equations *e) {
  double largest = 0.0;
  for (uint32_t m = 0; m < e->lcp.direct.row_count; m++) {
    const double value = e->acts[m] && rl_equations_is_stiff(e, m) ? fabs(e->lcp.values[m]) : 0.0;
    largest = rl_larger(largest, value);
  }
  return largest <= rl_taut_slack * e->model->reach;
}
