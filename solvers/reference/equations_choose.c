// SPDX-License-Identifier: GPL-3.0-or-later
// Events, and the choice after each: which rows act, which contacts stick, and how these share
// their loads. Equation numbers are those of papers/reference.md.
#include "contacts.h"
#include "curvature.h"
#include "equations_internal.h"
#include "rubbing.h"

#include "world/rotation.h"

#include <string.h>

// Lengths below are relative to the scene's size, speeds to the largest speed, forces to the
// largest force and accelerations to the largest acceleration.

// Length: a row with more excess is violated; a few times the round-off to which (6) projects. It
// is d of (8b).
static const double excess = 4e-15;

// Speed: a slower approach is round-off of the projection (6), and no row is caught for it.
static const double rest_speed = 1e-12;

// (8b) Speed: the first bound of w. The second is this lever times the speed of a row that (6) has
// pushed out by d against its force: an end of an element is twice as fast as its middle.
static const double gentle_speed = 2e-6, gentle_lever = 2.0;

// Gauge of a push over the push: an event is located until its gauge is 1e-15, and a force has more
// round-off than that.
static const double push_gauge = 1e-2;

// Acceleration: a row at rest that parts, or comes back, by less stays taut. (9) is solved to a
// hundredth of this.
static const double least_acceleration = 1e-10;

// Most solves of a complementarity problem, and its tolerance, of the largest speed or
// acceleration.
enum { MOST_SOLVES = 2000 };
static const double lcp_tolerance = 1e-12;

// Factor of D from stage to stage where friction does not settle, (8) of impulse-direct.md.
static const double continuation = 0.1;

// (4b) The largest share of friction that is tried: 1 - 1/32. If contacts do not stick with it, no
// smaller share is tried.
static const double last_share = 31.0 / 32.0;

// (4c) Most steps and halvings of a step. A step that changes no s by more than this share of it is
// the last: near the centre the next one would change it by about the square.
enum { SHARINGS = 40, SHARING_HALVINGS = 12 };
static const double last_sharing = 0.1;

// Returns the gauge of an elastic row: above 0 if one that does not pull would, or one that pulls
// would push.
static double elastic_event(const rl_equations *e, uint32_t m) {
  double damper;
  const double value = e->lcp.values[m] / e->model->reach;
  const double pull = rl_equations_elastic_pull(e, m, &damper) / e->force;
  if (e->lcp.lower[m] < 0.0) {
    return -1.0;
  }
  const double least = e->lcp.rates[m] > 0.0 ? 0.0 : rl_least_force; // one that has just ceased
  return e->acts[m] ? fmax(-value - excess, -pull) : fmin(value - excess, pull - least);
}

// Whether impulses can change the length of a row: also of a strand that jams as it slips, which
// sticks once it is taut and lengthens, (7g) of grips.md.
static bool can_move(const rl_equations *e, uint32_t m) {
  const rl_row *row = e->row_of[m] != RL_NONE ? &e->rows->rows[e->row_of[m]] : NULL;
  return e->lcp.inverse_masses[m] > 0.0 ||
         (row && row->piece_count > 1 &&
          rl_row_gradient_inverse_mass(e->rows, row, e->state->points) > 0.0);
}

// Returns the gauge of a row that does not act: its excess, as long as it lengthens.
static rl_gauge violation_gauge(const rl_equations *e, uint32_t m) {
  const rl_lcp *l = &e->lcp;
  const double violation = l->values[m] / e->model->reach - excess;
  const double rate = l->rates[m] / e->speed - rest_speed; // no slower approach is caught
  if (!can_move(e, m)) {
    return (rl_gauge){-1.0, NAN, NAN};
  }
  return (rl_gauge){fmin(violation, rate), violation, l->rates[m] / e->model->reach};
}

static rl_gauge gauge_of(const rl_equations *e, uint32_t m) {
  if (!rl_equations_is_stiff(e, m)) {
    return (rl_gauge){elastic_event(e, m), NAN, NAN};
  }
  if (!e->acts[m]) {
    return violation_gauge(e, m);
  }
  const double push = -e->multipliers[m] / e->force - e->decides.push * rl_least_force;
  return (rl_gauge){e->lcp.lower[m] < 0.0 ? -1.0 : push * push_gauge, NAN, NAN};
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

// Finds the largest speed and force.
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

// (8b) Returns w: the largest force can give a taut row the acceleration `most`, or hold it against
// that.
static double gentle_of(const rl_equations *e) {
  double most = 0.0;
  for (uint32_t m = 0; m < e->lcp.direct.row_count; m++) {
    most = e->is_taut[m] ? rl_larger(most, e->force * e->lcp.inverse_masses[m]) : most;
  }
  const double late = sqrt(2.0 * most * excess * e->model->reach);
  return rl_larger(gentle_speed * e->speed, gentle_lever * late);
}

// Leaves only elements, and the contacts that `can` act, in the matrix of direct solves.
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

// Whether no one-sided row pushes, with this share of the last change of lambda*.
static bool pulls(const rl_equations *e, double share) {
  bool pull = true;
  for (uint32_t m = 0; m < e->lcp.direct.row_count; m++) {
    const double force = e->shares[m] + share * e->lcp.change[m];
    pull = pull && (!e->acts[m] || !rl_equations_is_stiff(e, m) || e->lcp.lower[m] < 0.0 ||
                    force > -0.5 * e->decides.push * rl_least_force * e->force);
  }
  return pull;
}

// (4c) Moves lambda* from the forces last found to the analytic centre, by Newton's method on
// changes that leave the accelerations as they are. Returns false if a contact that sticks has too
// little friction to spare there.
static bool share_inside(rl_equations *e) {
  rl_lcp *l = &e->lcp;
  memcpy(e->shares, e->multipliers, l->direct.row_count * sizeof *e->shares);
  double change = rl_rubbing_keep(e) ? INFINITY : 0.0;
  for (int i = 0; i < SHARINGS && change > last_sharing; i++) {
    rl_equations_free_accelerations(e);
    rl_equations_lay(e, RL_OF_ACCELERATIONS);
    memcpy(e->softness, l->inverse_masses, l->direct.count * sizeof *e->softness);
    rl_rubbing_soften(e, e->softness);
    if (!rl_direct_factor(&l->direct, e->state->points, l->gradients, l->gradients,
                          rl_equations_regularisation_of(e), e->softness, l->active)) {
      return false;
    }
    rl_equations_add_shares(e);
    rl_equations_find_residual(e);
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

// (4) Computes the accelerations for the present choice. Returns false if the matrix is singular.
static bool accelerate(rl_equations *e) {
  rl_equations_free_accelerations(e);
  const bool found = rl_equations_factor(e, RL_OF_ACCELERATIONS);
  if (found) {
    rl_equations_solve(e);
  }
  return found;
}

// (4c) Moves lambda* inside, and returns whether (4) leaves it there: not where it determines the
// forces so weakly that D cannot tell it from no change of the accelerations.
static bool stays_inside(rl_equations *e) {
  bool stays = share_inside(e) && accelerate(e);
  for (uint32_t k = 0; k < e->lcp.direct.tangents_count && stays; k++) {
    const uint32_t normal = e->lcp.direct.tangents[k].normal;
    stays = !e->acts[normal] || !(rl_rubbing_excess(e, normal) > 0.0);
  }
  return stays;
}

bool rl_equations_share_anew(rl_equations *e) {
  bool by_friction = true;
  for (uint32_t m = 0; m < e->lcp.direct.row_count && by_friction; m++) {
    by_friction = !(e->gauges[m].value > fmax(rl_rubbing_excess(e, m), 0.0));
  }
  return by_friction && stays_inside(e);
}

// Solves the complementarity problem for what stands in the state's velocities; rows that are not
// taut do not act. (11e) It does not begin with the rows that acted in the step before, which
// depend on its length, but with those that lengthen, or with all.
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
    e->state->multipliers[m] = e->is_taut[m] && e->decides.tries_all ? 1.0 : 0.0;
  }
  rl_lcp_solve(l, e->model, e->state, e->rows, &options, &own);
  info->row_evaluations += own.row_evaluations;
}

// (8) Applies impulses after which no taut row lengthens.
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
  rl_equations_project_velocities(e, l->bias); // what is left of the regularisation
}

// (8b) Stops all taut rows that are slower than w. Returns false if this changes a velocity by more
// than w, as where a node and an element that meets the same place beside it both stop only if the
// element ceases to turn.
static bool catch_gently(rl_equations *e) {
  rl_lcp *l = &e->lcp;
  double change = 0.0;
  rl_frictions_begin(l->frictions, &l->direct, e->rows);
  for (uint32_t m = 0; m < l->direct.row_count; m++) {
    e->acts[m] = e->is_taut[m] && fabs(l->rates[m]) <= e->gentle;
    l->impulses[m] = l->bias[m] = 0.0;
  }
  rl_equations_project_velocities(e, l->bias);
  for (uint32_t i = 0; i < e->model->slot_count; i++) {
    change = rl_larger(change, rl_distance(e->state->velocities[i], e->saved[i]));
  }
  return change <= e->gentle;
}

// Books the change of energy from the velocities in `saved` by impulses, and the work of driven
// bodies, of which that through friction is given [J].
static void book_change(const rl_equations *e, double friction_work, rl_step_info *info) {
  double gain = 0.0;
  for (uint32_t i = 0; i < e->model->slot_count; i++) {
    const rl_vec3 now = e->state->velocities[i], was = e->saved[i];
    if (e->state->points[i].w > 0.0) {
      gain += 0.5 * e->state->masses[i] * rl_dot(rl_sub(now, was), rl_add(now, was));
    }
  }
  const double work = rl_equations_prescribed_work(e, e->lcp.impulses) + friction_work;
  info->work += work;
  info->dissipated += work - gain;
}

// Lets taut rows that do not act, and lengthen, act as well. Returns true if there were any.
static bool add_coming(rl_equations *e) {
  rl_lcp *l = &e->lcp;
  bool any = false;
  rl_direct_rates(&l->direct, l->gradients, e->state->velocities, l->rates);
  for (uint32_t m = 0; m < l->direct.row_count; m++) {
    const bool comes = e->is_taut[m] && !e->acts[m] && rl_equations_is_stiff(e, m) &&
                       l->rates[m] > rest_speed * e->speed;
    e->acts[m] = e->acts[m] || comes;
    any = any || comes;
  }
  return any;
}

// (8b) Stops contacts that have been found to stick and still slide a little, and with them the
// taut rows that this would lengthen, and the contacts that begin to slip and would be reversed.
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
    rl_equations_project_velocities(e, NULL);
    const bool comes = add_coming(e);
    more = rl_rubbing_stop_turned(e) || comes;
  }
  book_change(e, rl_rubbing_stop_work(e), info);
  memcpy(e->acts, e->chosen, rows * sizeof *e->chosen);
  rl_rubbing_go_on(e);
}

// (8) Catches taut rows that lengthen, the fastest at this rate [m/s], and books what it takes.
// Returns false if the catch was gentle, (8b).
static bool catch_taut(rl_equations *e, double fastest, rl_step_info *info) {
  rl_lcp *l = &e->lcp;
  const uint32_t slots = e->model->slot_count;
  memcpy(e->saved, e->state->velocities, slots * sizeof *e->saved);
  const bool is_hit = fastest > e->gentle || !catch_gently(e);
  if (is_hit) {
    memcpy(e->state->velocities, e->saved, slots * sizeof *e->saved);
    catch_hard(e, info);
  }
  book_change(e, rl_rubbing_blow_work(e), info);
  for (uint32_t m = 0; m < l->direct.row_count; m++) {
    e->blows[m] = l->impulses[m];
  }
  rl_direct_rates(&l->direct, l->gradients, e->state->velocities, l->rates);
  return is_hit;
}

// (20) Releases rows that would push, and lets contacts yield. Returns true if there were any.
static bool drop_pushing(rl_equations *e, double size) {
  bool dropped = false;
  accelerate(e);
  for (uint32_t m = 0; m < e->lcp.direct.row_count; m++) {
    const bool pushes = e->acts[m] && rl_equations_is_stiff(e, m) && e->lcp.lower[m] == 0.0 &&
                        e->multipliers[m] < -0.5 * e->decides.push * rl_least_force * e->force;
    e->acts[m] = e->acts[m] && !pushes;
    dropped = dropped || pushes;
  }
  return dropped || rl_rubbing_yield(e, size);
}

// (20) Changes the choice until it agrees with (4).
static void settle_choice(rl_equations *e, double size) {
  int turns = 0;
  for (uint32_t i = 0; i < RL_TURNS * e->lcp.direct.count; i++) {
    if (drop_pushing(e, size)) {
      turns = 0;
    } else if (turns++ >= RL_TURNS || !rl_rubbing_turn(e, turns == 1)) {
      if (!rl_rubbing_settle(e)) {
        return;
      }
      turns = 0;
    }
  }
}

// Solves (9) with this share of their friction for the contacts that hold, (4b).
static void solve_accelerations(rl_equations *e, double size, double share, rl_step_info *info) {
  memcpy(e->state->velocities, e->accelerations, e->model->slot_count * sizeof *e->accelerations);
  rl_rubbing_scale(e, share);
  solve_lcp(e, lcp_tolerance * size, info);
  rl_rubbing_scale(e, 1.0);
}

// Solves (9) with (15), and by (4b) with the smallest share of friction that holds.
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

// Returns the acceleration with which a row lengthens [m/s^2].
static double apart(const rl_equations *e, uint32_t m) {
  return e->lcp.change[m] + e->curvatures[m] + rl_equations_reel_of(e, m);
}

// (9a) Whether the present choice is a solution of (9): no inactive taut row lengthens, and with
// some forces no row pushes and each contact has friction to spare.
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
  return holds && stays_inside(e) && pulls(e, 0.0);
}

// (9a) Lets contacts at rest that were found to begin to slip, or to bear nothing, stick if they
// can.
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

// Computes the accelerations without the taut rows, and the bias of each; returns the largest of
// both [m/s^2].
static double begin_choice(rl_equations *e) {
  rl_lcp *l = &e->lcp;
  double size = rl_length(e->model->gravity);
  e->is_choosing = true;
  rl_equations_find_rates(e);
  rl_curvatures_find(e);
  e->is_choosing = false;
  rl_equations_evaluate_found(e);
  rl_equations_free_accelerations(e);
  for (uint32_t i = 0; i < e->model->slot_count; i++) {
    size = rl_larger(size, rl_length(e->accelerations[i]));
  }
  for (uint32_t m = 0; m < l->direct.row_count; m++) {
    l->bias[m] =
        e->curvatures[m] + rl_equations_reel_of(e, m); // accelerations have no rate of their own
    size = rl_larger(size, e->is_taut[m] ? fabs(l->bias[m]) : 0.0);
  }
  return size > 0.0 ? size : e->speed * e->speed / e->model->reach; // nothing is accelerated
}

// (9) Chooses by accelerations which of the taut rows act.
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
    if (rl_equations_is_stiff(e, m)) {
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
  rl_rotation_settle(e->model, e->state, RL_TURN_FRAME);
  rl_equations_evaluate(e);
  restrict_to(e, e->acts);
  for (uint32_t m = 0; m < e->lcp.direct.row_count && is_kept; m++) {
    is_kept = !e->acts[m] || !rl_equations_is_stiff(e, m) || fabs(e->lcp.rates[m]) <= least;
  }
  return is_kept && rl_equations_hold(e) && !rl_rubbing_stops(e, least);
}

// Whether a row is taut.
static bool is_row_taut(const rl_equations *e, uint32_t m) {
  const rl_lcp *l = &e->lcp;
  return rl_equations_is_stiff(e, m) && l->inverse_masses[m] > 0.0 &&
         (l->lower[m] < 0.0 || l->values[m] > -rl_taut_slack * e->model->reach);
}

// Finds the taut rows; returns the largest rate at which one lengthens [m/s].
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
    e->is_taut[m] = is_row_taut(e, m);
    const double rate = rod ? fabs(l->rates[m]) : l->rates[m];
    fastest = e->is_taut[m] ? rl_larger(fastest, rate) : fastest;
  }
  return fastest;
}

// (11g) Includes in a catch the rows that lengthen as fast and are nearly taut.
static void add_near(rl_equations *e, double fastest) {
  const rl_lcp *l = &e->lcp;
  for (uint32_t m = 0; m < l->direct.row_count; m++) {
    const bool is_near = rl_equations_is_stiff(e, m) && l->inverse_masses[m] > 0.0 &&
                         l->rates[m] >= fastest - e->gentle && l->values[m] > -e->decides.near;
    e->is_taut[m] = e->is_taut[m] || is_near;
  }
}

// After a catch: taut rows that shorten are taut no more. Elastic rows that are strained pull;
// those that shorten by more than round-off of strain, or one that has just ceased to pull would
// begin again.
static void keep_taut(rl_equations *e) {
  const rl_lcp *l = &e->lcp;
  for (uint32_t m = 0; m < l->direct.row_count; m++) {
    double damper;
    const bool rod = l->lower[m] < 0.0;
    e->is_taut[m] = is_row_taut(e, m) && (rod || l->rates[m] > -rest_speed * e->speed);
    if (!rl_equations_is_stiff(e, m)) {
      const bool lengthens = l->rates[m] > 0.0;
      const double least = (lengthens ? -excess : excess) * e->model->reach;
      const double push = lengthens ? 0.0 : 0.5 * rl_least_force * e->force;
      e->acts[m] = rod || (l->values[m] > least && rl_equations_elastic_pull(e, m, &damper) > push);
    }
  }
}

bool rl_equations_lengthens(const rl_equations *e, const rl_row *row) {
  return row->value > -rl_taut_slack * e->model->reach &&
         rl_row_rate(e->rows, row, e->state->velocities) > rest_speed * e->speed;
}

bool rl_equations_choose(rl_equations *e, rl_step_info *info) {
  rl_rotation_settle(e->model, e->state, RL_TURN_FRAME);
  memset(e->blows, 0, e->lcp.direct.row_count * sizeof *e->blows);
  const double fastest = find_taut(e);
  e->gentle = e->decides.gentle * gentle_of(e);
  if (fastest > e->gentle) {
    add_near(e, fastest);
  }
  restrict_to(e, e->is_taut);
  const bool is_hit = fastest > rest_speed * e->speed && catch_taut(e, fastest, info);
  keep_taut(e);
  choose_by_acceleration(e, info);
  restrict_to(e, e->acts);
  return is_hit;
}
