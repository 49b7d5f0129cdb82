// SPDX-License-Identifier: GPL-3.0-or-later
#include "lcp.h"

#include <string.h>

// Of its rest length: an element that will have less slack is tried as taut first.
static const double nearly_taut_slack = 1e-3;

// Of the tolerance: an inactive row may be violated by this.
static const double violation_share = 0.1;

// Exchanges of blocks without fewer violations before Murty's rule takes over.
static const int block_trials = 10;

// Settled sets without half the error before rows count as contradicting each other. Friction has
// no such order: it gets more, and in all so many solves.
static const int stalls = 3, friction_stalls = 20, friction_solves = 60;

// Of the largest speed and reaction together: below this the error is rounding.
static const double rounding = 1e-14;

// D of the first attempt after one that failed, the factor to the next, and the last.
static const double softer_first = 1e-9, softer_factor = 1e3, softest = 1.0;

// Attempts that begin with sweeps, each with so many times those before.
static const int sweep_attempts = 3, sweep_factor = 4;

void rl_lcp_lay_out(rl_lcp *l, const rl_model *model, rl_carver *c) {
  const size_t unknowns = rl_direct_unknown_capacity(model);
  rl_direct_lay_out(&l->direct, model, c);
  rl_sequential_lay_out(&l->sequential, model, c);
  l->frictions = rl_carve(c, model->contact_capacity, sizeof *l->frictions);
  l->values = rl_carve(c, unknowns, sizeof *l->values);
  l->inverse_masses = rl_carve(c, unknowns, sizeof *l->inverse_masses);
  l->lower = rl_carve(c, unknowns, sizeof *l->lower);
  l->bias = rl_carve(c, unknowns, sizeof *l->bias);
  l->rates = rl_carve(c, unknowns, sizeof *l->rates);
  l->impulses = rl_carve(c, unknowns, sizeof *l->impulses);
  l->centre = rl_carve(c, unknowns, sizeof *l->centre);
  l->change = rl_carve(c, unknowns, sizeof *l->change);
  l->still = rl_carve(c, unknowns, sizeof *l->still);
  l->answer = rl_carve(c, model->slot_count, sizeof *l->answer);
  rl_lcp_contacts_lay_out(&l->contacts, model, c);
  l->active = rl_carve(c, unknowns, sizeof *l->active);
  l->gradients = rl_carve(c, rl_direct_gradient_capacity(model), sizeof *l->gradients);
  l->start = rl_carve(c, model->slot_count, sizeof *l->start);
}

void rl_lcp_begin(rl_lcp *l, const rl_model *model, const rl_state *state, rl_rows *rows) {
  rl_direct_build(&l->direct, model, state, rows);
  rl_direct_evaluate(&l->direct, model, state, rows, state->points, l->values, l->inverse_masses,
                     l->gradients);
  rl_direct_bounds(&l->direct, rows, l->lower);
  rl_frictions_begin(l->frictions, &l->direct, rows);
  rl_frictions_watch(l->frictions, &l->direct, rows, state->velocities);
}

void rl_lcp_measure(rl_lcp *l, const rl_state *state, const rl_rows *rows) {
  rl_direct_rates(&l->direct, l->gradients, state->velocities, l->rates);
  for (uint32_t m = 0; m < l->direct.row_count; m++) {
    l->rates[m] += l->bias[m];
  }
  rl_frictions_measure(l->frictions, &l->direct, rows, state->velocities);
}

// Without any impulse.
static void clear(rl_lcp *l, const rl_model *model, rl_state *state, const rl_rows *rows) {
  memcpy(state->velocities, l->start, model->slot_count * sizeof *l->start);
  for (uint32_t m = 0; m < l->direct.count; m++) {
    l->impulses[m] = l->centre[m] = 0.0;
  }
  rl_frictions_begin(l->frictions, &l->direct, rows);
  rl_lcp_measure(l, state, rows);
}

// (3) Rows that acted in the step before, are violated, or are elements that will be all but taut.
// A row too many is found out by its impulse in one solve; a row too few only when its neighbour
// has moved, one element a solve.
static void guess_active(rl_lcp *l, const rl_model *model, const rl_state *state, double dt) {
  for (uint32_t m = 0; m < l->direct.row_count; m++) {
    const double slack = m < model->link_count ? nearly_taut_slack * state->links[m].rest : 0.0;
    l->active[m] = l->inverse_masses[m] > 0.0 &&
                   (l->lower[m] < 0.0 || state->multipliers[m] > 0.0 || dt * l->rates[m] > -slack);
  }
}

static double softness(const rl_lcp *l, uint32_t m, rl_regularisation regularisation) {
  return l->inverse_masses[m] *
         (rl_direct_is_element(&l->direct, m) ? regularisation.elements : regularisation.contacts);
}

// (4), (6) One solve for the present set: u - D (P - centre) = 0 on the rows that act, P = 0 on the
// others, from the present impulses on.
static bool solve_active(rl_lcp *l, rl_state *state, const rl_rows *rows,
                         rl_regularisation regularisation) {
  rl_direct *d = &l->direct;
  for (uint32_t m = 0; m < d->row_count; m++) {
    const double pull = softness(l, m, regularisation) * (l->impulses[m] - l->centre[m]);
    l->change[m] = l->active[m] ? l->rates[m] - pull : -l->impulses[m];
  }
  rl_frictions_choose(l->frictions, d, rows, l->inverse_masses, l->impulses, l->active, l->change);
  rl_frictions_lay(l->frictions, d, rows, l->gradients);
  if (!rl_direct_factor(d, state->points, l->gradients, l->gradients, regularisation,
                        l->inverse_masses, l->active)) {
    return false;
  }
  rl_direct_solve(d, l->change);
  rl_direct_push(d, state->points, l->gradients, l->change, state->velocities);
  for (uint32_t m = 0; m < d->row_count; m++) {
    l->impulses[m] = l->active[m] ? l->impulses[m] + l->change[m] : 0.0;
  }
  rl_frictions_add(l->frictions, d, l->change);
  rl_lcp_measure(l, state, rows);
  return true;
}

// (5) Whether a row is on the wrong side: it pushes, or is violated without acting.
static bool is_wrong(const rl_lcp *l, uint32_t m, rl_regularisation regularisation,
                     double violation) {
  if (l->lower[m] < 0.0 || !(l->inverse_masses[m] > 0.0)) {
    return false;
  }
  return l->active[m] ? l->impulses[m] < 0.0
                      : l->rates[m] + softness(l, m, regularisation) * l->centre[m] > violation;
}

// What is tried at the moment.
typedef struct attempt {
  rl_regularisation regularisation;
  uint32_t fewest; // wrong rows since the last settled set
  int trials;      // left, before only one row changes sides
  double lowest;   // error of a settled set
  int stalled;     // settled sets that did not halve it
  int solves;
  int sweeps; // at the start of the next attempt
  int sweeps_left;
  double speed; // largest, without impulses [m/s]
} attempt;

static void settle(attempt *a) {
  a->fewest = UINT32_MAX;
  a->trials = 0;
}

static void begin_attempt(attempt *a) {
  settle(a);
  a->lowest = INFINITY;
  a->stalled = 0;
  a->solves = 0;
}

// (5) Wrong rows change sides: all of them while that leaves fewer and fewer, otherwise, after some
// trials, only the last (Murty), until there are fewer than ever. Returns how many were wrong.
static uint32_t exchange(rl_lcp *l, attempt *a, double violation) {
  uint32_t wrong = 0;
  for (uint32_t m = 0; m < l->direct.row_count; m++) {
    wrong += is_wrong(l, m, a->regularisation, violation);
  }
  if (wrong < a->fewest) {
    a->fewest = wrong;
    a->trials = block_trials;
  } else if (a->trials > 0) {
    a->trials--;
  }
  const bool single = wrong >= a->fewest && a->trials == 0;
  bool done = false;
  for (uint32_t m = l->direct.row_count; m-- > 0 && !done;) {
    if (is_wrong(l, m, a->regularisation, violation)) {
      l->active[m] = !l->active[m];
      done = single;
    }
  }
  return wrong;
}

double rl_lcp_error(const rl_lcp *l, const rl_rows *rows, double *size) {
  double error =
      rl_frictions_residual(l->frictions, &l->direct, rows, l->inverse_masses, l->impulses, size);
  for (uint32_t m = 0; m < l->direct.row_count; m++) {
    const double reaction = l->inverse_masses[m] * l->impulses[m];
    const bool moves = l->inverse_masses[m] > 0.0; // what cannot move answers to nothing
    error = rl_larger(error, moves ? rl_row_residual(l->rates[m], reaction, l->lower[m]) : 0.0);
    *size = rl_larger(*size, fabs(reaction));
  }
  return error;
}

// (7) Rows that contradict each other: once more from nothing, more softly. False: that was the
// softest.
static bool soften(rl_lcp *l, const rl_model *model, rl_state *state, const rl_rows *rows,
                   attempt *a) {
  rl_regularisation *r = &a->regularisation;
  if (r->elements >= softest && r->contacts >= softest) {
    return false;
  }
  r->elements = fmin(fmax(softer_factor * r->elements, softer_first), softest);
  r->contacts = fmin(fmax(softer_factor * r->contacts, softer_first), softest);
  clear(l, model, state, rows);
  return true;
}

// (8) Friction that does not settle: sweeps over all rows, one after the other, from nothing. They
// are slow, but each step is small, and the sets are chosen anew from where they end. False: that
// was the last attempt, and the sweeps are the result.
static bool sweep(rl_lcp *l, const rl_model *model, rl_state *state, rl_rows *rows, attempt *a,
                  rl_step_info *info) {
  rl_sequential *s = &l->sequential;
  clear(l, model, state, rows);
  rl_sequential_evaluate(s, model, state, rows);
  for (uint32_t m = 0; m < l->direct.row_count; m++) {
    s->rows[m].bias = l->bias[m];
    s->rows[m].mass = l->inverse_masses[m] > 0.0 ? 1.0 / l->inverse_masses[m] : 0.0;
    s->rows[m].keep = 1.0;
    state->multipliers[m] = 0.0;
  }
  rl_sequential_start(s, state, rows, 0.0);
  for (int i = 0; i < a->sweeps; i++) {
    rl_sequential_sweep(s, state, rows, i % 2 == 1);
    info->row_evaluations += l->direct.row_count;
  }
  for (uint32_t k = 0; k < l->direct.tangents_count; k++) {
    l->frictions[k].total = s->frictions[rows->rows[l->direct.tangents[k].row].item];
  }
  rl_lcp_measure(l, state, rows);
  memcpy(l->impulses, state->multipliers, l->direct.row_count * sizeof *l->impulses);
  a->sweeps *= sweep_factor;
  return a->sweeps_left-- > 0;
}

// Rows act, or do not, by what they are nearer to.
static void choose_anew(rl_lcp *l) {
  for (uint32_t m = 0; m < l->direct.row_count; m++) {
    l->centre[m] = l->impulses[m];
    l->active[m] = l->inverse_masses[m] > 0.0 &&
                   (l->lower[m] < 0.0 || -l->rates[m] < l->inverse_masses[m] * l->impulses[m]);
  }
}

static rl_reason next_attempt(rl_lcp *l, const rl_model *model, rl_state *state, rl_rows *rows,
                              attempt *a, const rl_lcp_options *o, rl_step_info *info) {
  const bool rubs = l->direct.tangents_count > 0 && a->sweeps > 0;
  const int sweeps = a->sweeps;
  const bool again =
      rubs ? sweep(l, model, state, rows, a, info) : soften(l, model, state, rows, a);
  if (rubs && rl_lcp_contacts_solve(l, model, state, rows, sweeps, a->regularisation, o, info)) {
    return RL_CONVERGED_TOLERANCE;
  }
  if (rubs) {
    choose_anew(l);
  }
  begin_attempt(a);
  return again ? RL_RUNNING : RL_CONVERGED_ITERATIONS;
}

// (6) The set has settled: is that the solution, or the centre of the next problem?
static rl_reason judge(rl_lcp *l, const rl_rows *rows, const rl_lcp_options *o, attempt *a) {
  double size;
  const double error = rl_lcp_error(l, rows, &size);
  const bool is_rounding = error <= rounding * (size + a->speed);
  a->stalled = error > 0.5 * a->lowest && !is_rounding ? a->stalled + 1 : 0;
  a->lowest = fmin(a->lowest, error);
  settle(a);
  memcpy(l->centre, l->impulses, l->direct.row_count * sizeof *l->centre);
  if (!(error < INFINITY)) {
    return RL_DIVERGED_NAN;
  }
  if (o->tolerance > 0.0 && o->dt * error <= o->tolerance) {
    return RL_CONVERGED_TOLERANCE;
  }
  return o->tolerance > 0.0 && is_rounding ? RL_CONVERGED_ITERATIONS : RL_RUNNING;
}

static bool is_hopeless(const rl_lcp *l, const attempt *a) {
  return l->direct.tangents_count > 0 ? a->stalled > friction_stalls || a->solves > friction_solves
                                      : a->stalled > stalls;
}

// The impulses are the state's multipliers; none pushes, not even by rounding.
static void write_impulses(const rl_lcp *l, rl_state *state) {
  for (uint32_t m = 0; m < l->direct.row_count; m++) {
    state->multipliers[m] = fmax(l->impulses[m], l->lower[m]);
  }
}

static void trace(const rl_lcp *l, const rl_model *model, rl_state *state, rl_rows *rows, double dt,
                  rl_step_info *info) {
  write_impulses(l, state);
  rl_trace(info, rl_residual_velocity(model, state, rows, state->velocities, state->multipliers,
                                      1.0 / dt, dt));
}

rl_reason rl_lcp_solve(rl_lcp *l, const rl_model *model, rl_state *state, rl_rows *rows,
                       const rl_lcp_options *o, rl_step_info *info) {
  const double violation = violation_share * o->tolerance / o->dt;
  attempt a = {
      .regularisation = o->regularisation, .sweeps = o->sweeps, .sweeps_left = sweep_attempts};
  rl_reason reason = RL_RUNNING;
  for (uint32_t i = 0; i < model->slot_count; i++) {
    l->start[i] = state->velocities[i];
    a.speed = rl_larger(a.speed, rl_length(state->velocities[i]));
  }
  clear(l, model, state, rows);
  guess_active(l, model, state, o->dt);
  begin_attempt(&a);
  for (int i = 0; i < o->iterations && reason == RL_RUNNING; i++) {
    const bool solved = solve_active(l, state, rows, a.regularisation);
    info->iterations++;
    info->row_evaluations += l->direct.row_count;
    a.solves++;
    if (solved && exchange(l, &a, violation) == 0) {
      reason = judge(l, rows, o, &a);
    }
    if (reason == RL_RUNNING && (!solved || is_hopeless(l, &a))) {
      reason = next_attempt(l, model, state, rows, &a, o, info);
    }
    if (info->trace) {
      trace(l, model, state, rows, o->dt, info);
    }
  }
  if (!info->trace && info->want_residual) {
    trace(l, model, state, rows, o->dt, info);
  }
  write_impulses(l, state);
  return reason == RL_RUNNING ? RL_CONVERGED_ITERATIONS : reason;
}
