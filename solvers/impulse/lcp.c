// SPDX-License-Identifier: GPL-3.0-or-later
#include "lcp.h"

#include <string.h>

// (3) Of its rest length: an element that will have less slack is first tried as taut.
static const double nearly_taut_slack = 1e-3;

// (5) Of the tolerance: violation up to which an inactive row is not wrong.
static const double violation_share = 0.1;

// (5) Exchanges of blocks without a new minimum of wrong rows before Murty's rule takes over.
static const int block_trials = 10;

// (7) A settled set has stalled if it leaves more than this share of the error; after so many in a
// row the rows contradict each other. (8) With friction, whose error need not fall, more are
// allowed, and so many solves in all.
static const double stalled_share = 0.9;
static const int stalls = 3, friction_stalls = 20, friction_solves = 60;

// Of the largest speed and reaction together: a smaller error is round-off.
static const double rounding = 1e-14;

// (7) Least D after a failed attempt, the factor of D to the next one, and the last D, over W.
static const double softer_first = 1e-9, softer_factor = 1e3, softest = 1.0;

// (8) Most attempts in stages, most solves of a stage and most halvings of a step; error with which
// a stage has settled, of the largest speed and reaction together.
enum { STAGE_ATTEMPTS = 6, STAGE_SOLVES = 20, STAGE_HALVINGS = 4 };
static const double stage_error = 1e-9;

// (11) Least relative decrease of the merit, over the share of the step.
static const double least_gain = 1e-4;

static void lay_out_iterate(rl_lcp_iterate *iterate, const rl_model *model, rl_carver *c) {
  iterate->impulses = rl_carve(c, rl_direct_unknown_capacity(model), sizeof *iterate->impulses);
  iterate->frictions = rl_carve(c, model->contact_capacity, sizeof *iterate->frictions);
  iterate->velocities = rl_carve(c, model->slot_count, sizeof *iterate->velocities);
}

void rl_lcp_lay_out(rl_lcp *l, const rl_model *model, rl_carver *c) {
  const size_t unknowns = rl_direct_unknown_capacity(model);
  rl_direct_lay_out(&l->direct, model, c);
  l->frictions = rl_carve(c, model->contact_capacity, sizeof *l->frictions);
  l->values = rl_carve(c, unknowns, sizeof *l->values);
  l->inverse_masses = rl_carve(c, unknowns, sizeof *l->inverse_masses);
  l->lower = rl_carve(c, unknowns, sizeof *l->lower);
  l->bias = rl_carve(c, unknowns, sizeof *l->bias);
  l->rates = rl_carve(c, unknowns, sizeof *l->rates);
  l->impulses = rl_carve(c, unknowns, sizeof *l->impulses);
  l->centre = rl_carve(c, unknowns, sizeof *l->centre);
  l->change = rl_carve(c, unknowns, sizeof *l->change);
  l->active = rl_carve(c, unknowns, sizeof *l->active);
  l->gradients = rl_carve(c, rl_direct_gradient_capacity(model), sizeof *l->gradients);
  l->start = rl_carve(c, model->slot_count, sizeof *l->start);
  lay_out_iterate(&l->last, model, c);
  lay_out_iterate(&l->best, model, c);
}

void rl_lcp_release(rl_lcp *l) { rl_direct_release(&l->direct); }

// (2)
bool rl_lcp_begin(rl_lcp *l, const rl_model *model, const rl_state *state, rl_rows *rows) {
  rl_direct_build(&l->direct, model, state, rows);
  rl_direct_evaluate(&l->direct, model, state, rows, state->points, l->values, l->inverse_masses,
                     l->gradients);
  rl_direct_bounds(&l->direct, rows, l->lower);
  rl_frictions_begin(l->frictions, &l->direct, rows);
  rl_frictions_watch(l->frictions, &l->direct, rows, state->velocities);
  return !l->direct.is_short;
}

// Computes rates and slides for the state's velocities. Those of tangents are not read: they have
// no rows until friction is chosen.
static void measure(rl_lcp *l, const rl_state *state, const rl_rows *rows) {
  rl_direct_rates(&l->direct, l->gradients, state->velocities, l->rates);
  for (uint32_t m = 0; m < l->direct.row_count; m++) {
    l->rates[m] += l->bias[m];
  }
  rl_frictions_measure(l->frictions, &l->direct, rows, state->velocities);
}

// Returns to the start of the step, without impulses.
static void clear(rl_lcp *l, const rl_model *model, rl_state *state, const rl_rows *rows) {
  memcpy(state->velocities, l->start, model->slot_count * sizeof *l->start);
  for (uint32_t m = 0; m < l->direct.count; m++) {
    l->impulses[m] = l->centre[m] = 0.0;
  }
  rl_frictions_begin(l->frictions, &l->direct, rows);
  for (uint32_t k = 0; k < l->direct.tangents_count; k++) {
    l->frictions[k].softness = 0.0;
  }
  measure(l, state, rows);
}

// (3) Guesses the rows that act: those that acted in the step before, are violated, or are elements
// that will be nearly taut. A row too many leaves by its impulse after one solve; a row too few
// enters only after its neighbour has moved, one element per solve.
static void guess_active(rl_lcp *l, const rl_model *model, const rl_state *state, double dt) {
  for (uint32_t m = 0; m < l->direct.row_count; m++) {
    const double slack = m < model->link_count ? nearly_taut_slack * state->links[m].rest : 0.0;
    l->active[m] = l->inverse_masses[m] > 0.0 &&
                   (l->lower[m] < 0.0 || state->multipliers[m] > 0.0 || dt * l->rates[m] > -slack);
  }
}

// (4)
static double softness(const rl_lcp *l, uint32_t m, rl_regularisation regularisation) {
  return l->inverse_masses[m] *
         (rl_direct_is_element(&l->direct, m) ? regularisation.elements : regularisation.contacts);
}

// Returns u - D (P - P^), which takes the place of u in the problem with D.
static double softened_rate(const rl_lcp *l, uint32_t m, rl_regularisation regularisation) {
  return l->rates[m] - softness(l, m, regularisation) * (l->impulses[m] - l->centre[m]);
}

// (4) Solves for the present set, from the present impulses: u - D (P - P^) = 0 on the rows that
// act, P = 0 on the others. Returns false if the matrix is singular.
static bool solve_active(rl_lcp *l, rl_state *state, const rl_rows *rows,
                         rl_regularisation regularisation) {
  rl_direct *d = &l->direct;
  for (uint32_t m = 0; m < d->row_count; m++) {
    l->change[m] = l->active[m] ? softened_rate(l, m, regularisation) : -l->impulses[m];
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
  measure(l, state, rows);
  return true;
}

// (5) Whether a row is wrong: it acts and P < 0, or does not act and is violated.
static bool is_wrong(const rl_lcp *l, uint32_t m, rl_regularisation regularisation,
                     double violation) {
  if (l->lower[m] < 0.0 || !(l->inverse_masses[m] > 0.0)) {
    return false;
  }
  return l->active[m] ? l->impulses[m] < 0.0
                      : l->rates[m] + softness(l, m, regularisation) * l->centre[m] > violation;
}

// The present attempt.
typedef struct attempt {
  rl_regularisation regularisation;
  uint32_t fewest; // wrong rows since the last settled set
  int trials;      // exchanges left before Murty's rule
  double lowest;   // least error of a settled set [m/s]
  int stalled;     // settled sets in a row that left most of it
  int solves;
  double speed;      // largest, without impulses [m/s]
  bool in_stages;    // (8)
  double factor;     // of D from stage to stage
  int attempts_left; // in stages
  double best;       // least error at the end of a stage [m/s]
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

// (5) Lets wrong rows change sides: all of them, or by Murty's rule only the last. Returns how many
// were wrong.
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

// (10) Returns the error of a row in the problem with D [m/s]; 0 if nothing of it can move.
static double row_error(const rl_lcp *l, uint32_t m, rl_regularisation regularisation) {
  const double w = l->inverse_masses[m];
  return w > 0.0
             ? rl_row_residual(softened_rate(l, m, regularisation), w * l->impulses[m], l->lower[m])
             : 0.0;
}

// Returns the largest error of all rows and frictions; `size` is the largest reaction W P [m/s].
static double error_with(const rl_lcp *l, const rl_rows *rows, rl_regularisation regularisation,
                         double *size) {
  double error =
      rl_frictions_residual(l->frictions, &l->direct, rows, l->inverse_masses, l->impulses, size);
  for (uint32_t m = 0; m < l->direct.row_count; m++) {
    error = rl_larger(error, row_error(l, m, regularisation));
    *size = rl_larger(*size, fabs(l->inverse_masses[m] * l->impulses[m]));
  }
  return error;
}

// (6) Returns the same without D: max |min(-u, W P)|, and the error of friction [m/s].
static double error_of(const rl_lcp *l, const rl_rows *rows, double *size) {
  return error_with(l, rows, (rl_regularisation){0.0, 0.0}, size);
}

// (7) Begins anew from P = 0 with a larger D, for rows that contradict each other. Returns false if
// it was the largest.
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

// (6) Judges an error without D: within the tolerance, only round-off, or neither (RL_RUNNING).
static rl_reason judge_error(const attempt *a, const rl_lcp_options *o, double error, double size) {
  if (!(error < INFINITY)) {
    return RL_DIVERGED_NAN;
  }
  if (o->tolerance > 0.0 && o->dt * error <= o->tolerance) {
    return RL_CONVERGED_TOLERANCE;
  }
  return o->tolerance > 0.0 && error <= rounding * (size + a->speed) ? RL_CONVERGED_ITERATIONS
                                                                     : RL_RUNNING;
}

// (6) Judges a settled set; if it is not the solution its impulses become P^.
static rl_reason judge(rl_lcp *l, const rl_rows *rows, const rl_lcp_options *o, attempt *a) {
  double size;
  const double error = error_of(l, rows, &size);
  const bool is_rounding = error <= rounding * (size + a->speed);
  a->stalled = error > stalled_share * a->lowest && !is_rounding ? a->stalled + 1 : 0;
  a->lowest = fmin(a->lowest, error);
  settle(a);
  memcpy(l->centre, l->impulses, l->direct.row_count * sizeof *l->centre);
  return judge_error(a, o, error, size);
}

// (7)
static bool is_hopeless(const rl_lcp *l, const attempt *a) {
  return l->direct.tangents_count > 0 ? a->stalled > friction_stalls || a->solves > friction_solves
                                      : a->stalled > stalls;
}

// ---------------------------------------------------------------------------------------------
// Stages

// (10) Returns |F|^2 [m^2/s^2].
static double merit(const rl_lcp *l, const rl_rows *rows, rl_regularisation regularisation) {
  double sum = 0.0;
  for (uint32_t m = 0; m < l->direct.row_count; m++) {
    const double error = row_error(l, m, regularisation);
    sum += error * error;
  }
  for (uint32_t k = 0; k < l->direct.tangents_count; k++) {
    const rl_tangents *t = &l->direct.tangents[k];
    const double w = l->inverse_masses[t->normal];
    const double aim = w * l->impulses[t->normal] + softened_rate(l, t->normal, regularisation);
    const double limit = w > 0.0 ? rows->rows[t->row].friction * fmax(aim, 0.0) / w : 0.0;
    rl_vec3 total = l->frictions[k].total;
    const rl_vec3 change = rl_friction_change(&total, l->frictions[k].slide, w, limit);
    sum += w * w * rl_dot(change, change);
  }
  return sum;
}

static void keep(const rl_lcp *l, const rl_model *model, const rl_state *state,
                 rl_lcp_iterate *to) {
  memcpy(to->impulses, l->impulses, l->direct.row_count * sizeof *to->impulses);
  memcpy(to->velocities, state->velocities, model->slot_count * sizeof *to->velocities);
  for (uint32_t k = 0; k < l->direct.tangents_count; k++) {
    to->frictions[k] = l->frictions[k].total;
  }
}

static void go_back(rl_lcp *l, const rl_model *model, rl_state *state, const rl_rows *rows,
                    const rl_lcp_iterate *to) {
  memcpy(l->impulses, to->impulses, l->direct.row_count * sizeof *to->impulses);
  memcpy(state->velocities, to->velocities, model->slot_count * sizeof *to->velocities);
  for (uint32_t k = 0; k < l->direct.tangents_count; k++) {
    l->frictions[k].total = to->frictions[k];
  }
  measure(l, state, rows);
}

// (11) Halves the last step.
static void halve(rl_lcp *l, const rl_model *model, rl_state *state, const rl_rows *rows) {
  const rl_lcp_iterate *from = &l->last;
  for (uint32_t m = 0; m < l->direct.row_count; m++) {
    l->impulses[m] = 0.5 * (l->impulses[m] + from->impulses[m]);
  }
  for (uint32_t k = 0; k < l->direct.tangents_count; k++) {
    rl_vec3 *total = &l->frictions[k].total;
    *total = rl_scale(0.5, rl_add(*total, from->frictions[k]));
  }
  for (uint32_t i = 0; i < model->slot_count; i++) {
    rl_vec3 *v = &state->velocities[i];
    *v = rl_scale(0.5, rl_add(*v, from->velocities[i]));
  }
  measure(l, state, rows);
}

// (10) Lets rows act whose slack is less than their reaction.
static void choose_nearer(rl_lcp *l, rl_regularisation regularisation) {
  for (uint32_t m = 0; m < l->direct.row_count; m++) {
    const double w = l->inverse_masses[m];
    l->active[m] =
        w > 0.0 && (l->lower[m] < 0.0 || -softened_rate(l, m, regularisation) < w * l->impulses[m]);
  }
}

// (11) Makes a step of Newton's method, and halves it until the merit has fallen enough, or four
// times.
static bool solve_damped(rl_lcp *l, const rl_model *model, rl_state *state, const rl_rows *rows,
                         rl_regularisation regularisation) {
  const double before = merit(l, rows, regularisation);
  keep(l, model, state, &l->last);
  choose_nearer(l, regularisation);
  if (!solve_active(l, state, rows, regularisation)) {
    return false;
  }
  double share = 1.0;
  for (int k = 0; k < STAGE_HALVINGS; k++, share *= 0.5) {
    if (merit(l, rows, regularisation) < (1.0 - least_gain * share) * before) {
      break;
    }
    halve(l, model, state, rows);
  }
  return true;
}

// (8) Sets D of contacts and their friction, over W, and makes the present impulses P^, T^; 0: no
// D.
static void enter_stage(rl_lcp *l, const rl_state *state, const rl_rows *rows, attempt *a,
                        double contacts) {
  a->regularisation.contacts = contacts;
  a->solves = 0;
  for (uint32_t k = 0; k < l->direct.tangents_count; k++) {
    rl_friction *f = &l->frictions[k];
    f->softness = contacts * l->inverse_masses[l->direct.tangents[k].normal];
    f->centre = f->total;
  }
  memcpy(l->centre, l->impulses, l->direct.row_count * sizeof *l->centre);
  measure(l, state, rows);
}

// (8) Begins anew from P = 0 in stages, for friction that does not settle. Returns false if there
// are no attempts left.
static bool begin_stages(rl_lcp *l, const rl_model *model, rl_state *state, const rl_rows *rows,
                         attempt *a, const rl_lcp_options *o) {
  if (l->direct.tangents_count == 0 || a->attempts_left == 0 || !(o->continuation > 0.0)) {
    return false;
  }
  a->factor = a->in_stages ? sqrt(a->factor) : o->continuation;
  a->in_stages = true;
  a->attempts_left--;
  a->regularisation = o->regularisation;
  clear(l, model, state, rows);
  enter_stage(l, state, rows, a, 1.0);
  return true;
}

// (8) Judges the end of a stage, and goes on to the next stage or attempt.
static rl_reason end_stage(rl_lcp *l, const rl_model *model, rl_state *state, const rl_rows *rows,
                           attempt *a, const rl_lcp_options *o) {
  const double next = a->factor * a->regularisation.contacts;
  double size;
  enter_stage(l, state, rows, a, 0.0);
  const double error = error_of(l, rows, &size);
  if (error < a->best) {
    a->best = error;
    keep(l, model, state, &l->best);
  }
  const rl_reason reason = judge_error(a, o, error, size);
  if (reason != RL_RUNNING) {
    return reason;
  }
  if (next > o->regularisation.elements) {
    enter_stage(l, state, rows, a, next);
    return RL_RUNNING;
  }
  return begin_stages(l, model, state, rows, a, o) ? RL_RUNNING : RL_CONVERGED_ITERATIONS;
}

// (8)
static rl_reason judge_stage(rl_lcp *l, const rl_model *model, rl_state *state, const rl_rows *rows,
                             attempt *a, const rl_lcp_options *o) {
  double size;
  const double error = error_with(l, rows, a->regularisation, &size);
  const bool settled = error <= stage_error * (size + a->speed);
  return settled || a->solves >= STAGE_SOLVES ? end_stage(l, model, state, rows, a, o) : RL_RUNNING;
}

// ---------------------------------------------------------------------------------------------
// All of it

// Writes the impulses into the state's multipliers; none pushes, not even by round-off.
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

// Decides what follows a solve outside stages: exchange, (6), (7) or (8).
static rl_reason judge_sets(rl_lcp *l, const rl_model *model, rl_state *state, const rl_rows *rows,
                            attempt *a, const rl_lcp_options *o, bool solved) {
  const bool settled = solved && exchange(l, a, violation_share * o->tolerance / o->dt) == 0;
  const rl_reason reason = settled ? judge(l, rows, o, a) : RL_RUNNING;
  if (reason != RL_RUNNING || (solved && !is_hopeless(l, a))) {
    return reason;
  }
  if (begin_stages(l, model, state, rows, a, o)) {
    return RL_RUNNING;
  }
  begin_attempt(a);
  return soften(l, model, state, rows, a) ? RL_RUNNING : RL_CONVERGED_ITERATIONS;
}

static rl_reason solve_once(rl_lcp *l, const rl_model *model, rl_state *state, const rl_rows *rows,
                            attempt *a, const rl_lcp_options *o) {
  a->solves++;
  if (!a->in_stages) {
    const bool solved = solve_active(l, state, rows, a->regularisation);
    return judge_sets(l, model, state, rows, a, o, solved);
  }
  return solve_damped(l, model, state, rows, a->regularisation)
             ? judge_stage(l, model, state, rows, a, o)
             : end_stage(l, model, state, rows, a, o);
}

rl_reason rl_lcp_solve(rl_lcp *l, const rl_model *model, rl_state *state, rl_rows *rows,
                       const rl_lcp_options *o, rl_step_info *info) {
  attempt a = {
      .regularisation = o->regularisation, .attempts_left = STAGE_ATTEMPTS, .best = INFINITY};
  rl_reason reason = RL_RUNNING;
  for (uint32_t i = 0; i < model->slot_count; i++) {
    l->start[i] = state->velocities[i];
    a.speed = rl_larger(a.speed, rl_length(state->velocities[i]));
  }
  clear(l, model, state, rows);
  guess_active(l, model, state, o->dt);
  begin_attempt(&a);
  for (int i = 0; i < o->iterations && reason == RL_RUNNING; i++) {
    reason = solve_once(l, model, state, rows, &a, o);
    info->iterations++;
    info->row_evaluations += l->direct.row_count;
    const bool ends = reason != RL_RUNNING || i + 1 == o->iterations;
    if (ends && reason != RL_CONVERGED_TOLERANCE && a.best < INFINITY) {
      go_back(l, model, state, rows, &l->best);
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
