// SPDX-License-Identifier: GPL-3.0-or-later
#include "contacts.h"
#include "curvature.h"
#include "rubbing.h"

#include "world/paths/wrap.h"
#include "world/ropes/elements.h"
#include "world/ropes/flexure.h"
#include "world/rotation.h"

#include <gsl/gsl_errno.h>
#include <string.h>

// Of the size of the scene: a row with less slack is taut, and one with more excess is violated.
static const double taut_slack = 1e-12, excess = 4e-15;

// Of the largest speed: less than this is no approach.
static const double rest_speed = 1e-12;

// Of the same: rows that are caught more slowly than this, and those that leave as slowly, come to
// rest together. It ends what would go on for ever in ever shorter times. Over the speed that a row
// is given by being found late: an end of an element goes twice as fast as its middle.
static const double gentle_speed = 2e-6, gentle_lever = 2.0;

// Of the largest force: a row that pushes less than this pushes by rounding.
static const double least_push = 1e-11;

// When a row begins to push need not be known better than the push that shows it.
static const double sure_push = 1e-2;

// Of the largest acceleration: a taut row that is drawn apart, or comes back, by less stays taut.
static const double least_acceleration = 1e-10;

// (4a) Of the regularisation of contacts: what contacts of one rope can bear in one way or another
// is spread over all of them, through the elements between.
static const double element_share = 0.01;

// Direct solves of a complementarity problem, at most, and how near to it, of its largest number.
enum { MOST_SOLVES = 2000 };
static const double lcp_tolerance = 1e-12;

// Where friction does not settle: from stage to stage, what contacts give way.
static const double continuation = 0.1;

// (4b) The last of the shares of friction that are tried; without it none is.
static const double last_share = 31.0 / 32.0;

// (4c) Steps towards the middle of what contacts can give, at most; how often one is halved; a step
// that changes all that is spare by less is the last one.
enum { SHARINGS = 40, SHARING_HALVINGS = 12 };
static const double last_sharing = 0.1;

// Trials of where the friction of contacts that begin to slip points, at most.
enum { TURNS = 6 };

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
  e->row_of = rl_carve(c, unknowns, sizeof *e->row_of);
  e->rope_of = rl_carve(c, unknowns, sizeof *e->rope_of);
  e->accelerations = rl_carve(c, model->slot_count, sizeof *e->accelerations);
  e->saved = rl_carve(c, model->slot_count, sizeof *e->saved);
  e->rates = rl_carve(c, model->slot_count, sizeof *e->rates);
  e->displaced = rl_carve(c, model->slot_count, sizeof *e->displaced);
  e->earlier = rl_carve(c, model->slot_count, sizeof *e->earlier);
}

// Which rows the multipliers belong to.
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

void rl_equations_begin(rl_equations *e, const rl_model *model, rl_state *state, rl_rows *rows) {
  e->model = model;
  e->state = state;
  e->rows = rows;
  rl_direct_build(&e->lcp.direct, model, state, rows);
  rl_direct_bounds(&e->lcp.direct, rows, e->lcp.lower);
  find_rows(e);
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
  const double *u = &y[3 * (size_t)slots];
  for (uint32_t i = 0; i < slots; i++, y += 3, u += 3) {
    e->state->points[i] = (rl_point){y[0], y[1], y[2], e->state->points[i].w};
    e->state->velocities[i] = (rl_vec3){u[0], u[1], u[2]};
  }
}

// ---------------------------------------------------------------------------------------------
// Accelerations

static double compliance_of(const rl_equations *e, uint32_t m) {
  return e->row_of[m] == RL_NONE ? e->state->links[m].compliance
                                 : e->rows->rows[e->row_of[m]].compliance;
}

static bool is_stiff(const rl_equations *e, uint32_t m) {
  return !e->has_elastic || !(compliance_of(e, m) > 0.0);
}

// Whether what friction takes is what a row's rope gives and does not store.
static bool stores_apart(const rl_equations *e, uint32_t m) {
  return e->rope_of[m] != RL_NONE && rl_wraps_flow_rubs(e->model, e->rope_of[m]);
}

// (3) The pull of an elastic row, with its damper, taut or not [N].
static double elastic_pull(const rl_equations *e, uint32_t m, double *damper) {
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
    const bool pulls_now = !is_stiff(e, m) && e->acts[m];
    pulls[m] = pulls_now ? elastic_pull(e, m, &damper) : 0.0;
    e->multipliers[m] = pulls[m];
    e->loss += stores_apart(e, m) ? 0.0 : damper * e->lcp.rates[m];
  }
  rl_direct_push(&e->lcp.direct, e->state->points, e->lcp.gradients, pulls, e->accelerations);
}

// (2) Without the rows that act: gravity, forces from outside, drag against the wind, what turns by
// itself, elastic rows.
static void free_accelerations(rl_equations *e) {
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
      e->accelerations[spin] = rl_gyration(model, state, i);
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

// Values, gradients and rates at the state's positions and velocities, where contacts were found.
static void evaluate_found(rl_equations *e) {
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

static void evaluate(rl_equations *e) {
  rl_contacts_find(e);
  evaluate_found(e);
}

// What the rows that act are asked for: their positions, velocities or accelerations.
typedef enum rows_of { POSITIONS, VELOCITIES, ACCELERATIONS } rows_of;

static rl_regularisation regularisation_of(const rl_equations *e) {
  return (rl_regularisation){element_share * e->regularisation, e->regularisation};
}

static void lay(rl_equations *e, rows_of what) {
  for (uint32_t m = 0; m < e->lcp.direct.row_count; m++) {
    e->lcp.active[m] = e->acts[m] && is_stiff(e, m);
  }
  rl_rubbing_lay(e, what != POSITIONS, what == ACCELERATIONS);
}

static bool factor(rl_equations *e, rows_of what) {
  rl_lcp *l = &e->lcp;
  lay(e, what);
  return rl_direct_factor(&l->direct, e->state->points, l->gradients, l->gradients,
                          regularisation_of(e), l->inverse_masses, l->active);
}

// How fast winches run in a row: its rate is J v less this [m/s].
static double reel_of(const rl_equations *e, uint32_t m) {
  return e->lcp.direct.is_reeled ? e->lcp.direct.reels[m] : 0.0;
}

static void add_change(rl_equations *e) {
  rl_lcp *l = &e->lcp;
  rl_direct_push(&l->direct, e->state->points, l->gradients, l->change, e->accelerations);
  for (uint32_t m = 0; m < l->direct.count; m++) {
    e->multipliers[m] += l->change[m];
  }
}

static void add_shares(rl_equations *e) {
  rl_lcp *l = &e->lcp;
  for (uint32_t m = 0; m < l->direct.count; m++) {
    l->change[m] = m < l->direct.row_count && l->active[m] ? e->shares[m] : 0.0;
  }
  rl_rubbing_share(e, l->change);
  add_change(e);
}

// The accelerations of the rows that act, along themselves, with the forces that there are.
static void find_residual(rl_equations *e) {
  rl_lcp *l = &e->lcp;
  rl_direct_coupled_rates(&l->direct, l->gradients, e->accelerations, l->change);
  for (uint32_t m = 0; m < l->direct.count; m++) {
    const double reel = m < l->direct.row_count ? reel_of(e, m) : 0.0;
    l->change[m] = l->active[m] ? l->change[m] + e->curvatures[m] + reel : 0.0;
  }
}

// (4) What the rows that act have to do so that their accelerations vanish, beside (4a) what they
// did where they were chosen; and once more, which takes out the regularisation and the rounding of
// the first time.
static void solve(rl_equations *e) {
  add_shares(e);
  for (int i = 0; i < 2; i++) {
    find_residual(e);
    rl_direct_solve(&e->lcp.direct, e->lcp.change);
    add_change(e);
  }
}

// The part of the rate of a row, along its force, that driven bodies and winches have [m/s].
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

// The power, or work, of driven bodies over multipliers, or impulses.
static double prescribed_work(const rl_equations *e, const double *multipliers) {
  double sum = 0.0;
  for (uint32_t m = 0; m < e->lcp.direct.row_count && e->has_driven; m++) {
    sum += multipliers[m] != 0.0 ? multipliers[m] * prescribed_rate(e, m) : 0.0;
  }
  return sum;
}

static void find_rates(rl_equations *e) {
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

// What friction takes of the power of a row's forces. Of an elastic rope that rubs all of it is
// booked, and what is stored of it comes off at the end of the step (papers/wraps.md (14)).
static double row_loss(const rl_equations *e, const rl_row *row) {
  const double pull = e->multipliers[row->source];
  const double power = rl_row_power(e->rows, row, e->state->velocities);
  return stores_apart(e, row->source)
             ? pull * (power - pull * row->reel_strain)
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

// The strain that elastic ropes bring off winches, or take along.
static double strain_power(const rl_equations *e) {
  double power = 0.0;
  for (uint32_t k = 0; k < e->rows->row_count && e->state->reels; k++) {
    const rl_row *row = &e->rows->rows[k];
    const double pull = e->multipliers[row->source];
    power -= pull * pull * row->reel_strain;
  }
  return power;
}

void rl_equations_reel(rl_equations *e, double t) {
  rl_state_reel(e->model, e->state, t - e->reeled);
  e->reeled = t;
}

// (7b) C of a strand as it follows from its rate.
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

void rl_equations_start(rl_equations *e) {
  for (uint32_t k = 0; k < e->rows->row_count && e->model->split_capacity > 0; k++) {
    rl_row *row = &e->rows->rows[k];
    if (is_strand(e, row)) {
      rl_row_evaluate(e->model, e->state, e->rows, row, e->state->points);
      e->starts[row->source] = row->value;
    }
  }
}

// What the marks make of a strand is right next to them only. All strands of a rope together are as
// long as its path; which of them has how much of it, their rates say.
static void share_rope(rl_equations *e, const double *y, uint32_t rope) {
  double sum = 0.0, count = 0.0;
  for (int shares = 0; shares < 2; shares++) {
    for (uint32_t k = 0; k < e->rows->row_count; k++) {
      rl_row *row = &e->rows->rows[k];
      if (!is_strand(e, row) || e->model->link_rope[row->item] != rope) {
        continue;
      }
      if (shares == 0) {
        rl_row_evaluate(e->model, e->state, e->rows, row, e->state->points);
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
  find_rates(e);
  rl_curvatures_find(e);
  evaluate_found(e);
  value_strands(e, y);
  for (int trial = 0; trial == 0 || (trial < TURNS && rl_rubbing_turn(e, trial == 1)); trial++) {
    free_accelerations(e);
    if (!factor(e, ACCELERATIONS)) {
      return GSL_EBADFUNC;
    }
    solve(e);
  }
  e->power = prescribed_work(e, e->multipliers) + strain_power(e) + e->wind_power +
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

// (6) Newton's method for C = 0 along M^-1 G^T, until rounding.
static void project_positions(rl_equations *e) {
  enum { ITERATIONS = 4 };
  const double rounding = 0x1p-53 * e->model->reach, worth = 0.25;
  double before = INFINITY;
  rl_lcp *l = &e->lcp;
  for (int i = 0; i < ITERATIONS; i++) {
    evaluate(e);
    double largest = 0.0;
    for (uint32_t m = 0; m < l->direct.count; m++) {
      const bool acts = m < l->direct.row_count && e->acts[m] && is_stiff(e, m);
      l->change[m] = acts ? l->values[m] : 0.0;
      largest = rl_larger(largest, fabs(l->change[m]));
    }
    if (!(largest > rounding && largest < worth * before) || !factor(e, POSITIONS)) {
      return;
    }
    before = largest;
    rl_direct_solve(&l->direct, l->change);
    rl_direct_move(&l->direct, l->gradients, l->change, e->state->points);
    rl_rotation_settle(e->model, e->state, false);
  }
  evaluate(e);
}

// On to rates of -bias [unknowns]; NULL: 0.
static void project_velocities(rl_equations *e, const double *bias) {
  rl_lcp *l = &e->lcp;
  if (!factor(e, bias ? POSITIONS : VELOCITIES)) {
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

void rl_equations_project(rl_equations *e) {
  e->is_between = true;
  rl_rotation_settle(e->model, e->state, false);
  project_positions(e);
  project_velocities(e, NULL);
  e->is_between = false;
}

bool rl_equations_hold(const rl_equations *e) {
  double largest = 0.0;
  for (uint32_t m = 0; m < e->lcp.direct.row_count; m++) {
    const double value = e->acts[m] && is_stiff(e, m) ? fabs(e->lcp.values[m]) : 0.0;
    largest = rl_larger(largest, value);
  }
  return largest <= taut_slack * e->model->reach;
}

// ---------------------------------------------------------------------------------------------
// Who acts

// How far an elastic row that does not pull would, or one that pulls would push.
static double elastic_event(const rl_equations *e, uint32_t m) {
  double damper;
  const double value = e->lcp.values[m] / e->model->reach;
  const double pull = elastic_pull(e, m, &damper) / e->force;
  if (e->lcp.lower[m] < 0.0) {
    return -1.0;
  }
  return e->acts[m] ? fmax(-value, -pull) : fmin(value - excess, pull);
}

// Of a row that does not act: how deep it is, if it goes on.
static rl_gauge violation_gauge(const rl_equations *e, uint32_t m) {
  const rl_lcp *l = &e->lcp;
  const double violation = l->values[m] / e->model->reach - excess;
  const double rate = l->rates[m] / e->speed - rest_speed; // no slower approach is caught
  if (!(l->inverse_masses[m] > 0.0)) {
    return (rl_gauge){-1.0, NAN, NAN};
  }
  return (rl_gauge){fmin(violation, rate), violation, l->rates[m] / e->model->reach};
}

static rl_gauge gauge_of(const rl_equations *e, uint32_t m) {
  if (!is_stiff(e, m)) {
    return (rl_gauge){elastic_event(e, m), NAN, NAN};
  }
  if (!e->acts[m]) {
    return violation_gauge(e, m);
  }
  const double push = -e->multipliers[m] / e->force - least_push;
  return (rl_gauge){e->lcp.lower[m] < 0.0 ? -1.0 : push * sure_push, NAN, NAN};
}

double rl_equations_event(rl_equations *e) {
  double largest = -1.0;
  for (uint32_t m = 0; m < e->lcp.direct.row_count; m++) {
    e->gauges[m] = gauge_of(e, m);
  }
  rl_contacts_gauge(e);
  rl_rubbing_gauge(e);
  for (uint32_t m = 0; m < e->lcp.direct.row_count; m++) {
    largest = rl_larger(largest, e->gauges[m].value);
  }
  return largest;
}

// The largest speeds and forces there are.
static void find_scales(rl_equations *e) {
  double weight = 0.0, gravity = rl_length(e->model->gravity);
  e->speed = sqrt(gravity * e->model->reach);
  for (uint32_t i = 0; i < e->model->slot_count; i++) {
    e->speed = rl_larger(e->speed, rl_length(e->state->velocities[i]));
    weight += i < e->model->place_count ? gravity * e->state->masses[i] : 0.0;
  }
  e->force = weight;
  for (uint32_t m = 0; m < e->lcp.direct.row_count; m++) {
    e->force = rl_larger(e->force, fabs(e->multipliers[m]));
  }
  e->speed = e->speed > 0.0 ? e->speed : 1.0;
  e->force = e->force > 0.0 ? e->force : 1.0;
}

// (8b) Which catches are gentle: with the acceleration that the largest force can give a taut row,
// or hold it against.
static double gentle_of(const rl_equations *e) {
  double most = 0.0;
  for (uint32_t m = 0; m < e->lcp.direct.row_count; m++) {
    most = e->is_taut[m] ? rl_larger(most, e->force * e->lcp.inverse_masses[m]) : most;
  }
  const double late = sqrt(2.0 * most * excess * e->model->reach);
  return rl_larger(gentle_speed * e->speed, gentle_lever * late);
}

// The contacts that `can` act, and all elements, are what direct solves are about from now on.
static void restrict_to(rl_equations *e, const bool *can) {
  const rl_direct *d = &e->lcp.direct;
  bool same = e->restricted == d->structure;
  for (uint32_t m = 0; m < d->row_count; m++) {
    const bool takes_part = rl_direct_is_element(d, m) || can[m];
    same = same && takes_part == e->takes_part[m];
    e->takes_part[m] = takes_part;
  }
  if (!same) {
    rl_direct_restrict(&e->lcp.direct, e->model, e->state, e->takes_part);
    e->restricted = d->structure;
  }
}

// Whether no row pushes that cannot, with so much of the last change.
static bool pulls(const rl_equations *e, double share) {
  bool pull = true;
  for (uint32_t m = 0; m < e->lcp.direct.row_count; m++) {
    const double force = e->shares[m] + share * e->lcp.change[m];
    pull = pull && (!e->acts[m] || !is_stiff(e, m) || e->lcp.lower[m] < 0.0 ||
                    force > -0.5 * least_push * e->force);
  }
  return pull;
}

// (4c) From the forces last found, of all ways to share what contacts that stick bear: towards that
// with the largest product of what each of them has to spare, by Newton's method along the ways
// that change no acceleration. False where one contact at least has too little in any.
static bool share_inside(rl_equations *e) {
  rl_lcp *l = &e->lcp;
  memcpy(e->shares, e->multipliers, l->direct.row_count * sizeof *e->shares);
  double change = rl_rubbing_keep(e) ? INFINITY : 0.0;
  for (int i = 0; i < SHARINGS && change > last_sharing; i++) {
    free_accelerations(e);
    lay(e, ACCELERATIONS);
    memcpy(e->softness, l->inverse_masses, l->direct.count * sizeof *e->softness);
    rl_rubbing_soften(e, e->softness);
    if (!rl_direct_factor(&l->direct, e->state->points, l->gradients, l->gradients,
                          regularisation_of(e), e->softness, l->active)) {
      return false;
    }
    add_shares(e);
    find_residual(e);
    rl_rubbing_draw(e, e->regularisation, l->change);
    rl_direct_solve(&l->direct, l->change);
    double share = 1.0;
    for (int k = 0; k < SHARING_HALVINGS; k++) {
      if (rl_rubbing_spares(e, share, &change) && pulls(e, share)) {
        break;
      }
      share = k + 1 < SHARING_HALVINGS ? 0.5 * share : 0.0;
    }
    for (uint32_t m = 0; m < l->direct.row_count; m++) {
      e->shares[m] += share * l->change[m];
    }
    rl_rubbing_mix(e, share);
  }
  return rl_rubbing_has_spare(e);
}

bool rl_equations_share_anew(rl_equations *e) {
  bool by_friction = true;
  for (uint32_t m = 0; m < e->lcp.direct.row_count && by_friction; m++) {
    by_friction = !(e->gauges[m].value > fmax(rl_rubbing_excess(e, m), 0.0));
  }
  return by_friction && share_inside(e);
}

// The complementarity problem for what stands in the state's velocities. The rows that are not taut
// are infinitely far from acting.
static void solve_lcp(rl_equations *e, double tolerance, rl_step_info *info) {
  rl_lcp *l = &e->lcp;
  rl_step_info own = {0};
  const rl_lcp_options options = {.iterations = MOST_SOLVES,
                                  .continuation = continuation,
                                  .tolerance = tolerance,
                                  .dt = 1.0,
                                  .regularisation = {e->regularisation, e->regularisation}};
  for (uint32_t m = 0; m < l->direct.row_count; m++) {
    l->bias[m] = e->is_taut[m] ? l->bias[m] : -INFINITY;
    e->state->multipliers[m] = e->is_taut[m] ? e->state->multipliers[m] : 0.0;
  }
  rl_lcp_solve(l, e->model, e->state, e->rows, &options, &own);
  info->row_evaluations += own.row_evaluations;
}

// (8) The catch: impulses after which no taut row lengthens.
static void catch_hard(rl_equations *e, rl_step_info *info) {
  rl_lcp *l = &e->lcp;
  for (uint32_t m = 0; m < l->direct.row_count; m++) {
    l->bias[m] = 0.0;
  }
  rl_contacts_bounce(e, e->gentle, l->bias);
  solve_lcp(e, lcp_tolerance * e->speed, info);
  for (uint32_t m = 0; m < l->direct.row_count; m++) {
    e->acts[m] = l->active[m];
  }
  project_velocities(e, l->bias); // what is left of the regularisation
}

// (8b) A gentle catch: all taut rows that move gently come to rest along themselves. False if that
// is not gentle: a node that rests and an element that meets the same place next to it both come to
// rest only if the element ceases to turn.
static bool catch_gently(rl_equations *e) {
  rl_lcp *l = &e->lcp;
  double change = 0.0;
  rl_frictions_begin(l->frictions, &l->direct, e->rows);
  for (uint32_t m = 0; m < l->direct.row_count; m++) {
    e->acts[m] = e->is_taut[m] && fabs(l->rates[m]) <= e->gentle;
    l->impulses[m] = l->bias[m] = 0.0;
  }
  project_velocities(e, l->bias);
  for (uint32_t i = 0; i < e->model->slot_count; i++) {
    change = rl_larger(change, rl_distance(e->state->velocities[i], e->saved[i]));
  }
  return change <= e->gentle;
}

// Books what impulses have changed of the velocities that were kept, and the work of driven bodies,
// of which what friction did is known.
static void book_change(const rl_equations *e, double friction_work, rl_step_info *info) {
  double gain = 0.0;
  for (uint32_t i = 0; i < e->model->slot_count; i++) {
    const rl_vec3 now = e->state->velocities[i], was = e->saved[i];
    if (e->state->points[i].w > 0.0) {
      gain += 0.5 * e->state->masses[i] * rl_dot(rl_sub(now, was), rl_add(now, was));
    }
  }
  const double work = prescribed_work(e, e->lcp.impulses) + friction_work;
  info->work += work;
  info->dissipated += work - gain;
}

// Of the taut rows that do not act: what comes on faster than is caught acts, too. True if any
// does.
static bool add_coming(rl_equations *e) {
  rl_lcp *l = &e->lcp;
  bool any = false;
  rl_direct_rates(&l->direct, l->gradients, e->state->velocities, l->rates);
  for (uint32_t m = 0; m < l->direct.row_count; m++) {
    const bool comes =
        e->is_taut[m] && !e->acts[m] && is_stiff(e, m) && l->rates[m] > rest_speed * e->speed;
    e->acts[m] = e->acts[m] || comes;
    any = any || comes;
  }
  return any;
}

// (8b) What has been found to stick, though it still slides a little, stops; and with it what that
// would drive into what it leaves by its acceleration, or turn round of what begins to slip.
static void stop_slides(rl_equations *e, rl_step_info *info) {
  const uint32_t rows = e->lcp.direct.row_count;
  if (!rl_rubbing_stops(e, rest_speed * e->speed)) {
    return;
  }
  memcpy(e->saved, e->state->velocities, e->model->slot_count * sizeof *e->saved);
  memcpy(e->chosen, e->acts, rows * sizeof *e->chosen);
  memset(e->lcp.impulses, 0, e->lcp.direct.count * sizeof *e->lcp.impulses);
  bool more = true;
  while (more) {
    project_velocities(e, NULL);
    const bool comes = add_coming(e);
    more = rl_rubbing_stop_turned(e) || comes;
  }
  book_change(e, rl_rubbing_stop_work(e), info);
  memcpy(e->acts, e->chosen, rows * sizeof *e->chosen);
  rl_rubbing_go_on(e);
}

// Catches what is taut and lengthens, and books what it takes.
static void catch_taut(rl_equations *e, double fastest, rl_step_info *info) {
  rl_lcp *l = &e->lcp;
  const uint32_t slots = e->model->slot_count;
  memcpy(e->saved, e->state->velocities, slots * sizeof *e->saved);
  if (fastest > e->gentle || !catch_gently(e)) {
    memcpy(e->state->velocities, e->saved, slots * sizeof *e->saved);
    catch_hard(e, info);
  }
  book_change(e, rl_rubbing_blow_work(e), info);
  for (uint32_t m = 0; m < l->direct.row_count; m++) {
    e->impulses[m] += l->impulses[m];
    e->blows[m] = l->impulses[m];
  }
  rl_direct_rates(&l->direct, l->gradients, e->state->velocities, l->rates);
}

// The accelerations of what has been chosen; false where there are none.
static bool accelerate(rl_equations *e) {
  free_accelerations(e);
  const bool found = factor(e, ACCELERATIONS);
  if (found) {
    solve(e);
  }
  return found;
}

// Of the rows that act with next to no force: those that would push do not. True if there were any.
static bool drop_pushing(rl_equations *e, double size) {
  bool dropped = false;
  accelerate(e);
  for (uint32_t m = 0; m < e->lcp.direct.row_count; m++) {
    const bool pushes = e->acts[m] && is_stiff(e, m) && e->lcp.lower[m] == 0.0 &&
                        e->multipliers[m] < -0.5 * least_push * e->force;
    e->acts[m] = e->acts[m] && !pushes;
    dropped = dropped || pushes;
  }
  return dropped || rl_rubbing_yield(e, size);
}

// Until what acts and what sticks agrees with (4).
static void settle_choice(rl_equations *e, double size) {
  int turns = 0;
  for (uint32_t i = 0; i < TURNS * e->lcp.direct.count; i++) {
    if (drop_pushing(e, size)) {
      turns = 0;
    } else if (turns++ >= TURNS || !rl_rubbing_turn(e, turns == 1)) {
      if (!rl_rubbing_settle(e)) {
        return;
      }
      turns = 0;
    }
  }
}

// One trial of (9), in which what holds has this share of its friction.
static void solve_accelerations(rl_equations *e, double size, double share, rl_step_info *info) {
  memcpy(e->state->velocities, e->accelerations, e->model->slot_count * sizeof *e->accelerations);
  rl_rubbing_scale(e, share);
  solve_lcp(e, lcp_tolerance * size, info);
  rl_rubbing_scale(e, 1.0);
}

// (9) with (15), and (4b) of what holds as far from its limit as can be.
static void solve_choice(rl_equations *e, double size, rl_step_info *info) {
  rl_rubbing_begin_choices(e);
  do {
    rl_rubbing_begin_choice(e, size);
    solve_accelerations(e, size, 1.0, info);
  } while (rl_rubbing_reverses(e, size) || rl_rubbing_jams(e, size));
  if (!rl_rubbing_is_tight(e, size)) {
    return;
  }
  solve_accelerations(e, size, last_share, info);
  if (rl_rubbing_holds(e, size)) {
    for (double spare = 0.5; spare >= 1.0 - last_share; spare *= 0.5) {
      solve_accelerations(e, size, 1.0 - spare, info);
      if (rl_rubbing_holds(e, size)) {
        return;
      }
    }
  }
  solve_accelerations(e, size, 1.0, info);
}

// How fast a row comes to be drawn apart.
static double apart(const rl_equations *e, uint32_t m) {
  return e->lcp.change[m] + e->curvatures[m] + reel_of(e, m);
}

// (9a) Whether what acts and what sticks is an answer to (9): with some forces, each contact having
// friction to spare, and no row that is taut and does not act drawn apart.
static bool can_hold(rl_equations *e, double size) {
  rl_lcp *l = &e->lcp;
  if (!accelerate(e)) {
    return false;
  }
  rl_direct_rates(&l->direct, l->gradients, e->accelerations, l->change);
  bool holds = true;
  for (uint32_t m = 0; m < l->direct.row_count && holds; m++) {
    holds = !e->is_taut[m] || e->acts[m] || apart(e, m) <= least_acceleration * size;
  }
  return holds && share_inside(e) && pulls(e, 0.0);
}

// (9a) What rests, and has been found to begin to slip or to bear nothing, sticks if it can.
static void hold_what_rests(rl_equations *e, double size) {
  rl_lcp *l = &e->lcp;
  const size_t rows = l->direct.row_count, contacts = l->direct.tangents_count;
  if (contacts < 2 || !accelerate(e)) {
    return;
  }
  memcpy(e->other_shares, e->shares, rows * sizeof *e->shares);
  memcpy(e->other_rubbing, e->rubbing, contacts * sizeof *e->rubbing);
  memcpy(e->chosen, e->acts, rows * sizeof *e->chosen);
  rl_direct_rates(&l->direct, l->gradients, e->accelerations, l->change);
  for (uint32_t m = 0; m < rows; m++) {
    e->acts[m] = e->chosen[m] || (e->is_taut[m] && apart(e, m) >= -least_acceleration * size);
    e->shares[m] = e->chosen[m] ? e->shares[m] : 0.0;
  }
  if (!rl_rubbing_hold(e) || !can_hold(e, size)) {
    memcpy(e->shares, e->other_shares, rows * sizeof *e->shares);
    memcpy(e->rubbing, e->other_rubbing, contacts * sizeof *e->rubbing);
    memcpy(e->acts, e->chosen, rows * sizeof *e->acts);
  }
}

// Accelerations without the rows that are to be chosen from, and what these ask for; the largest.
static double begin_choice(rl_equations *e) {
  rl_lcp *l = &e->lcp;
  double size = rl_length(e->model->gravity);
  e->is_choosing = true;
  find_rates(e);
  rl_curvatures_find(e);
  e->is_choosing = false;
  evaluate_found(e);
  free_accelerations(e);
  for (uint32_t i = 0; i < e->model->slot_count; i++) {
    size = rl_larger(size, rl_length(e->accelerations[i]));
  }
  for (uint32_t m = 0; m < l->direct.row_count; m++) {
    l->bias[m] = e->curvatures[m] + reel_of(e, m); // accelerations have no rate of their own
    size = rl_larger(size, e->is_taut[m] ? fabs(l->bias[m]) : 0.0);
  }
  return size > 0.0 ? size : e->speed * e->speed / e->model->reach; // nothing is accelerated
}

// (9) Of the rows that stay taut: who acts, by accelerations.
static void choose_by_acceleration(rl_equations *e, rl_step_info *info) {
  rl_lcp *l = &e->lcp;
  const uint32_t slots = e->model->slot_count;
  const double size = begin_choice(e);
  memcpy(e->saved, e->state->velocities, slots * sizeof *e->saved);
  solve_choice(e, size, info);
  memcpy(e->state->velocities, e->saved, slots * sizeof *e->saved);
  memcpy(e->shares, l->impulses, l->direct.row_count * sizeof *e->shares);
  rl_rubbing_end_choice(e, size);
  for (uint32_t m = 0; m < l->direct.row_count; m++) {
    if (is_stiff(e, m)) {
      e->acts[m] = e->is_taut[m] &&
                   (l->lower[m] < 0.0 || l->active[m] || l->rates[m] >= -least_acceleration * size);
    }
  }
  rl_direct_rates(&l->direct, l->gradients, e->state->velocities, l->rates); // dampers pull by them
  settle_choice(e, size);
  share_inside(e);
  hold_what_rests(e, size);
  stop_slides(e, info);
  for (uint32_t m = 0; m < l->direct.row_count; m++) {
    e->is_taut[m] = e->is_taut[m] && e->acts[m]; // what does not act is looked for anew
  }
}

bool rl_equations_resume(rl_equations *e) {
  const double least = rest_speed * e->speed;
  bool is_kept = true;
  memset(e->is_taut, 0, e->lcp.direct.row_count * sizeof *e->is_taut);
  rl_rotation_settle(e->model, e->state, false);
  evaluate(e);
  restrict_to(e, e->acts);
  for (uint32_t m = 0; m < e->lcp.direct.row_count && is_kept; m++) {
    is_kept = !e->acts[m] || !is_stiff(e, m) || fabs(e->lcp.rates[m]) <= least;
  }
  return is_kept && rl_equations_hold(e) && !rl_rubbing_stops(e, least);
}

// What is taut; how fast that is pulled apart, at most [m/s].
static double find_taut(rl_equations *e) {
  rl_lcp *l = &e->lcp;
  double fastest = 0.0;
  for (uint32_t m = 0; m < l->direct.row_count; m++) { // an idle contact cannot be chosen
    e->acts[m] = e->acts[m] && m < e->model->link_count;
    e->is_taut[m] = false;
  }
  rl_contacts_find(e);
  rl_lcp_begin(l, e->model, e->state, e->rows);
  rl_direct_rates(&l->direct, l->gradients, e->state->velocities, l->rates);
  find_scales(e);
  for (uint32_t m = 0; m < l->direct.row_count; m++) {
    const bool rod = l->lower[m] < 0.0;
    e->is_taut[m] = is_stiff(e, m) && l->inverse_masses[m] > 0.0 &&
                    (rod || l->values[m] > -taut_slack * e->model->reach);
    const double rate = rod ? fabs(l->rates[m]) : l->rates[m];
    fastest = e->is_taut[m] ? rl_larger(fastest, rate) : fastest;
  }
  return fastest;
}

// What is taut and goes slack is no longer; which elastic rows pull.
static void keep_taut(rl_equations *e) {
  const rl_lcp *l = &e->lcp;
  for (uint32_t m = 0; m < l->direct.row_count; m++) {
    double damper;
    const bool rod = l->lower[m] < 0.0;
    e->is_taut[m] = e->is_taut[m] && (rod || l->rates[m] > -rest_speed * e->speed);
    if (!is_stiff(e, m)) {
      e->acts[m] = rod || (l->values[m] > 0.0 && elastic_pull(e, m, &damper) > 0.0);
    }
  }
}

bool rl_equations_choose(rl_equations *e, rl_step_info *info) {
  rl_rotation_settle(e->model, e->state, false);
  const double fastest = find_taut(e);
  e->gentle = e->gentle_share * gentle_of(e);
  restrict_to(e, e->is_taut);
  if (fastest > rest_speed * e->speed) {
    catch_taut(e, fastest, info);
  }
  keep_taut(e);
  choose_by_acceleration(e, info);
  restrict_to(e, e->acts);
  return fastest > e->gentle;
}
