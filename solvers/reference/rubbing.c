// SPDX-License-Identifier: GPL-3.0-or-later
#include "rubbing.h"
#include "equations_internal.h"

// Speeds below are relative to the largest speed, forces to the largest force and accelerations to
// the largest acceleration, all at the last choice.

// Speed: a slide that goes along its friction faster than this round-off has reversed, (14).
static const double reversed = 1e-13;

// Speed: the direction of a slower slide is round-off, and friction keeps its own.
static const double no_slide = 1e-10;

// Speed: a slower slide stops if the contact would stick without it, (8b).
static const double gentle_slide = 1e-7;

// (19) Speed up to which contacts begin to slip: without it, steps would be as short as the time in
// which the direction settles. A contact that slips begins again below a share of that speed, so
// that it does not go to and fro between the two.
static const double slow_slide = 1e-6, slow_share = 0.5;

// (19) The direction is found when the force across it is below the first share of the friction. A
// turn has a tangent of the second at most, since the first guess may be anywhere; and there is no
// direction where more than the third share is left.
static const double least_turn = 1e-7, most_turn = 1.0, most_across = 1e-4;

// (19) A contact whose slide gains more than this share of the acceleration that its friction gives
// it alone leaves the slow speeds at once: nothing is stiff.
static const double gentle_share = 0.1;

// (15) Acceleration of contacts that slide, as (9) is told of it: so large that no forces but those
// of a jam, (8c), stop it.
static const double slide_share = 100.0;

// Acceleration: a contact that sticks in (9) has less, and one at rest that has more along its
// friction cannot slip that way, (20).
static const double stick_share = 1e-9;

// Share of its friction: a contact that lacks less than this slips, though others that stick may
// hold it, since (9) mostly finds a corner of what is feasible.
static const double at_limit = 1e-9;

// (4b) Share of its friction: where a contact that sticks needs more, others are asked for more.
static const double tight = 0.9;

// (4c) Force: s is counted as no less, or D would exceed what a direct solve can take. Share of s
// that a step leaves. Share of its friction that a contact has to have to spare to stick on.
static const double least_spare = 1e-4, kept_spare = 0.1, enough_spare = 1e-3;

// (13) Returns the curvature of the slide of a contact, across its normal as last evaluated.
static rl_vec3 curvature_of(const rl_equations *e, uint32_t k) {
  const rl_vec3 n = rl_rubbing_row(e, k)->normal, c = e->rubbing[k].curvature;
  return rl_add_scaled(c, -rl_dot(c, n), n);
}

// Returns the direction of friction: against the slide, or as chosen if there is none yet.
static rl_vec3 force_direction(const rl_equations *e, uint32_t k) {
  const rl_row *row = rl_rubbing_row(e, k);
  const rl_vec3 slide = rl_contact_slide(e->rows, row, e->state->velocities);
  const double speed = rl_length(slide);
  const rl_vec3 kept = e->rubbing[k].direction;
  if (e->rubbing[k].kind == RL_CONTACT_SLIPS && speed > no_slide * e->speed) {
    return rl_scale((rl_dot(slide, kept) > 0.0 ? 1.0 : -1.0) / speed, slide);
  }
  return rl_unit(rl_add_scaled(kept, -rl_dot(kept, row->normal), row->normal));
}

// Whether a contact sticks, so that both of its tangents are active.
static bool is_held(const rl_equations *e, uint32_t k) {
  return e->rubbing[k].kind == RL_CONTACT_STICKS || e->rubbing[k].stops;
}

void rl_rubbing_lay(rl_equations *e, bool sticks, bool forces) {
  rl_lcp *l = &e->lcp;
  rl_direct *d = &l->direct;
  for (uint32_t k = 0; k < d->tangents_count; k++) {
    rl_tangents *t = &d->tangents[k];
    const rl_row *row = rl_rubbing_row(e, k);
    const rl_grip_kind kind = e->rubbing[k].kind;
    const bool acts = e->acts[t->normal];
    const bool slips = acts && forces && kind != RL_CONTACT_STICKS;
    rl_vec3 first = row->tangents[0], second = row->tangents[1];
    if (acts && !is_held(e, k)) {
      first = force_direction(e, k);
      second = rl_cross(row->normal, first);
    }
    e->curvatures[t->first] = rl_dot(e->rubbing[k].curvature, first);
    e->curvatures[t->first + 1] = rl_dot(e->rubbing[k].curvature, second);
    t->softness = 0.0;
    t->coefficient = slips ? row->friction : 0.0;
    l->active[t->first] = acts && sticks && is_held(e, k);
    l->active[t->first + 1] = acts && sticks && (is_held(e, k) || kind == RL_CONTACT_BEGINS);
    l->inverse_masses[t->first] = l->inverse_masses[t->first + 1] = l->inverse_masses[t->normal];
    rl_direct_lay_tangents(d, e->rows, k, first, second, l->gradients);
  }
}

void rl_rubbing_share(const rl_equations *e, double *forces) {
  for (uint32_t k = 0; k < e->lcp.direct.tangents_count; k++) {
    const rl_tangents *t = &e->lcp.direct.tangents[k];
    const rl_row *row = rl_rubbing_row(e, k);
    forces[t->first] = t->coefficient * forces[t->normal];
    for (uint32_t i = 0; i < 2 && e->lcp.active[t->first]; i++) {
      forces[t->first + i] = rl_dot(e->rubbing[k].share, row->tangents[i]);
    }
  }
}

// Returns the friction of a contact for the multipliers of its tangents as they were laid [N].
static rl_vec3 friction_of(const rl_equations *e, uint32_t k) {
  const rl_tangents *t = &e->lcp.direct.tangents[k];
  const rl_row *row = rl_rubbing_row(e, k);
  const rl_vec3 force = rl_add(rl_scale(e->multipliers[t->first], row->tangents[0]),
                               rl_scale(e->multipliers[t->first + 1], row->tangents[1]));
  if (e->rubbing[k].kind == RL_CONTACT_STICKS) {
    return force;
  }
  const rl_vec3 first = force_direction(e, k);
  return rl_add(rl_scale(e->multipliers[t->first], first),
                rl_scale(e->multipliers[t->first + 1], rl_cross(row->normal, first)));
}

// Whether forces leave the friction of a contact that begins to slip no direction, as where several
// contacts of one body slip round each other.
static bool is_torn(const rl_equations *e, uint32_t k) {
  const rl_tangents *t = &e->lcp.direct.tangents[k];
  return fabs(e->multipliers[t->first + 1]) > most_across * fabs(e->multipliers[t->first]);
}

bool rl_rubbing_turn(rl_equations *e, bool first) {
  bool turns = false;
  for (uint32_t k = 0; k < e->lcp.direct.tangents_count; k++) {
    const rl_tangents *t = &e->lcp.direct.tangents[k];
    const double along = fmax(e->multipliers[t->first], rl_least_force * e->force);
    const double across = e->multipliers[t->first + 1];
    rl_rubbing *r = &e->rubbing[k];
    if (!e->acts[t->normal] || r->kind != RL_CONTACT_BEGINS ||
        !(fabs(across) > least_turn * along)) {
      continue;
    }
    const rl_vec3 f = force_direction(e, k), s = rl_cross(rl_rubbing_row(e, k)->normal, f);
    const double guess = across / along, change = r->across - across;
    const double angle = first || change == 0.0 ? guess : across * r->turned / change;
    r->turned = fmin(fmax(angle, -most_turn), most_turn);
    r->across = across;
    r->direction = rl_unit(rl_add_scaled(f, r->turned, s));
    turns = true;
  }
  return turns;
}

double rl_rubbing_begun(const rl_equations *e) {
  double largest = 0.0;
  for (uint32_t k = 0; k < e->lcp.direct.tangents_count; k++) {
    if (e->acts[e->lcp.direct.tangents[k].normal] && e->rubbing[k].kind == RL_CONTACT_BEGINS) {
      const double speed =
          rl_length(rl_contact_slide(e->rows, rl_rubbing_row(e, k), e->state->velocities));
      largest = fmax(largest, speed / (slow_slide * e->speed));
    }
  }
  return largest;
}

void rl_rubbing_power(rl_equations *e, double *loss, double *power) {
  const rl_vec3 *v = e->state->velocities;
  for (uint32_t k = 0; k < e->lcp.direct.tangents_count; k++) {
    if (e->acts[e->lcp.direct.tangents[k].normal]) {
      const rl_row *row = rl_rubbing_row(e, k);
      const rl_vec3 force = friction_of(e, k);
      *loss -= rl_dot(force, rl_contact_slide(e->rows, row, v));
      *power += rl_friction_work(e->rows, row, force, e->state->points, v);
    }
  }
}

double rl_rubbing_blow_work(const rl_equations *e) {
  double work = 0.0;
  for (uint32_t k = 0; k < e->lcp.direct.tangents_count; k++) {
    work += rl_friction_work(e->rows, rl_rubbing_row(e, k), e->lcp.frictions[k].total,
                             e->state->points, e->state->velocities);
  }
  return work;
}

// (14) Returns how far the friction of a contact is beyond its law: above 0 it is an event.
static double friction_event(const rl_equations *e, uint32_t k) {
  const rl_row *row = rl_rubbing_row(e, k);
  const rl_tangents *t = &e->lcp.direct.tangents[k];
  if (e->rubbing[k].kind != RL_CONTACT_STICKS) {
    const rl_vec3 slide = rl_contact_slide(e->rows, row, e->state->velocities);
    return rl_dot(slide, e->rubbing[k].direction) / e->speed - e->rubbing[k].back - reversed;
  }
  const double limit = row->friction * fmax(e->multipliers[t->normal], 0.0);
  return (rl_length(friction_of(e, k)) - limit) / e->force - rl_least_force;
}

bool rl_rubbing_keep(rl_equations *e) {
  bool any = false;
  for (uint32_t k = 0; k < e->lcp.direct.tangents_count; k++) {
    const bool sticks = e->acts[e->lcp.direct.tangents[k].normal] && is_held(e, k);
    e->rubbing[k].share = sticks ? friction_of(e, k) : (rl_vec3){0.0, 0.0, 0.0};
    any = any || sticks;
  }
  return any;
}

// (4c) Returns s of a contact [N] with this share of the last change: the friction that it has
// beyond what it needs, or all of it where it slips.
static double spare_with(const rl_equations *e, uint32_t k, double share) {
  const rl_tangents *t = &e->lcp.direct.tangents[k];
  const rl_row *row = rl_rubbing_row(e, k);
  const double *change = e->lcp.change;
  const double normal = e->shares[t->normal] + share * change[t->normal];
  if (!is_held(e, k)) {
    return row->friction * normal;
  }
  rl_vec3 force = e->rubbing[k].share;
  for (uint32_t i = 0; i < 2; i++) {
    force = rl_add_scaled(force, share * change[t->first + i], row->tangents[i]);
  }
  return row->friction * normal - rl_length(force);
}

// Returns the present s of a contact, as large as counts [N].
static double spare_of(const rl_equations *e, uint32_t k) {
  return fmax(spare_with(e, k, 0.0), least_spare * e->force);
}

void rl_rubbing_soften(const rl_equations *e, double *softness) {
  for (uint32_t k = 0; k < e->lcp.direct.tangents_count; k++) {
    const rl_tangents *t = &e->lcp.direct.tangents[k];
    const double mu = rl_rubbing_row(e, k)->friction, spare = spare_of(e, k) / e->force;
    const double square = (is_held(e, k) ? 1.0 + mu * mu : mu * mu) / (spare * spare);
    for (uint32_t i = 0; i < 3 && e->acts[t->normal]; i++) {
      softness[i == 0 ? t->normal : t->first + i - 1] *= square;
    }
  }
}

void rl_rubbing_draw(const rl_equations *e, double regularisation, double *rates) {
  for (uint32_t k = 0; k < e->lcp.direct.tangents_count; k++) {
    const rl_tangents *t = &e->lcp.direct.tangents[k];
    const rl_row *row = rl_rubbing_row(e, k);
    const rl_vec3 friction = e->rubbing[k].share;
    const double size = rl_length(friction);
    const double draw =
        regularisation * e->lcp.inverse_masses[t->normal] * e->force * e->force / spare_of(e, k);
    if (e->acts[t->normal]) {
      rates[t->normal] += row->friction * draw;
    }
    for (uint32_t i = 0; i < 2 && e->acts[t->normal] && is_held(e, k) && size > 0.0; i++) {
      rates[t->first + i] -= draw / size * rl_dot(friction, row->tangents[i]);
    }
  }
}

bool rl_rubbing_spares(const rl_equations *e, double share, double *change) {
  bool spares = true;
  *change = 0.0;
  for (uint32_t k = 0; k < e->lcp.direct.tangents_count; k++) {
    if (e->acts[e->lcp.direct.tangents[k].normal]) {
      const double was = spare_with(e, k, 0.0), is = spare_with(e, k, share);
      spares = spares && is >= (was > 0.0 ? kept_spare * was : was);
      *change = fmax(*change, fabs(is - was) / spare_of(e, k));
    }
  }
  return spares;
}

void rl_rubbing_mix(rl_equations *e, double share) {
  for (uint32_t k = 0; k < e->lcp.direct.tangents_count; k++) {
    const rl_tangents *t = &e->lcp.direct.tangents[k];
    for (uint32_t i = 0; i < 2 && e->acts[t->normal] && is_held(e, k); i++) {
      e->rubbing[k].share = rl_add_scaled(e->rubbing[k].share, share * e->lcp.change[t->first + i],
                                          rl_rubbing_row(e, k)->tangents[i]);
    }
  }
}

bool rl_rubbing_has_spare(const rl_equations *e) {
  bool spares = true, any = false;
  for (uint32_t k = 0; k < e->lcp.direct.tangents_count; k++) {
    const uint32_t normal = e->lcp.direct.tangents[k].normal;
    const double most = rl_rubbing_row(e, k)->friction * e->shares[normal];
    any = any || (e->acts[normal] && is_held(e, k));
    spares = spares && (!e->acts[normal] || !is_held(e, k) ||
                        rl_length(e->rubbing[k].share) < (1.0 - enough_spare) * most);
  }
  return spares && any;
}

double rl_rubbing_excess(const rl_equations *e, uint32_t normal) {
  for (uint32_t k = 0; k < e->lcp.direct.tangents_count; k++) {
    if (e->lcp.direct.tangents[k].normal == normal && e->rubbing[k].kind == RL_CONTACT_STICKS) {
      return friction_event(e, k);
    }
  }
  return 0.0;
}

bool rl_rubbing_stops(const rl_equations *e, double slowest) {
  bool stops = false;
  for (uint32_t k = 0; k < e->lcp.direct.tangents_count; k++) {
    const rl_vec3 slide = rl_contact_slide(e->rows, rl_rubbing_row(e, k), e->state->velocities);
    stops = stops || (e->acts[e->lcp.direct.tangents[k].normal] &&
                      e->rubbing[k].kind == RL_CONTACT_STICKS && rl_length(slide) > slowest);
  }
  return stops;
}

bool rl_rubbing_stop_turned(rl_equations *e) {
  bool any = false;
  for (uint32_t k = 0; k < e->lcp.direct.tangents_count; k++) {
    rl_rubbing *r = &e->rubbing[k];
    const bool is_turned = e->acts[e->lcp.direct.tangents[k].normal] && !is_held(e, k) &&
                           !r->slides && friction_event(e, k) > 0.0;
    r->stops = r->stops || is_turned;
    any = any || is_turned;
  }
  return any;
}

double rl_rubbing_stop_work(const rl_equations *e) {
  double work = 0.0;
  for (uint32_t k = 0; k < e->lcp.direct.tangents_count; k++) {
    const double *along = &e->lcp.impulses[e->lcp.direct.tangents[k].first];
    const rl_row *row = rl_rubbing_row(e, k);
    if (e->acts[e->lcp.direct.tangents[k].normal] && is_held(e, k)) {
      const rl_vec3 impulse =
          rl_add(rl_scale(along[0], row->tangents[0]), rl_scale(along[1], row->tangents[1]));
      work += rl_friction_work(e->rows, row, impulse, e->state->points, e->state->velocities);
    }
  }
  return work;
}

void rl_rubbing_go_on(rl_equations *e) {
  for (uint32_t k = 0; k < e->lcp.direct.tangents_count; k++) {
    e->rubbing[k].stops = false;
  }
}

bool rl_rubbing_hold(rl_equations *e) {
  bool any = false;
  uint32_t count = 0;
  for (uint32_t k = 0; k < e->lcp.direct.tangents_count; k++) {
    const uint32_t normal = e->lcp.direct.tangents[k].normal;
    const rl_vec3 slide = rl_contact_slide(e->rows, rl_rubbing_row(e, k), e->state->velocities);
    rl_rubbing *r = &e->rubbing[k];
    const bool rests = rl_length(slide) <= no_slide * e->speed;
    e->acts[normal] = e->acts[normal] && (rests || e->chosen[normal]);
    if (e->acts[normal] && rests) {
      any = any || !e->chosen[normal] || r->kind != RL_CONTACT_STICKS;
      r->share = e->chosen[normal] ? friction_of(e, k) : (rl_vec3){0.0, 0.0, 0.0};
      r->kind = RL_CONTACT_STICKS;
      count++;
    }
  }
  return any && count > 1;
}

// Returns the acceleration of the slide of a contact after a solve [m/s^2].
static rl_vec3 slide_acceleration(const rl_equations *e, uint32_t k) {
  const rl_row *row = rl_rubbing_row(e, k);
  return rl_sub(rl_contact_slide(e->rows, row, e->accelerations), curvature_of(e, k));
}

bool rl_rubbing_yield(rl_equations *e, double size) {
  bool yields = false;
  for (uint32_t k = 0; k < e->lcp.direct.tangents_count; k++) {
    rl_rubbing *r = &e->rubbing[k];
    const rl_grip_kind was = r->kind;
    if (!e->acts[e->lcp.direct.tangents[k].normal]) {
      continue;
    }
    if (was == RL_CONTACT_STICKS && friction_event(e, k) > -0.5 * rl_least_force) {
      r->direction = rl_unit(friction_of(e, k));
      r->kind = RL_CONTACT_BEGINS;
    } else if (was != RL_CONTACT_STICKS && !r->slides &&
               rl_dot(slide_acceleration(e, k), r->direction) > stick_share * size) {
      r->kind = RL_CONTACT_STICKS;
    }
    yields = yields || r->kind != was;
  }
  return yields;
}

// (19) Whether a contact that slips is accelerated so little that its direction follows the forces
// at once.
static bool is_gentle(const rl_equations *e, uint32_t k) {
  const rl_tangents *t = &e->lcp.direct.tangents[k];
  return rl_length(slide_acceleration(e, k)) <=
         gentle_share * e->multipliers[t->first] * e->lcp.inverse_masses[t->normal];
}

bool rl_rubbing_settle(rl_equations *e) {
  bool changes = false;
  for (uint32_t k = 0; k < e->lcp.direct.tangents_count; k++) {
    const rl_tangents *t = &e->lcp.direct.tangents[k];
    rl_rubbing *r = &e->rubbing[k];
    const rl_vec3 slide = rl_contact_slide(e->rows, rl_rubbing_row(e, k), e->state->velocities);
    r->back = fmax(rl_dot(slide, r->direction) / e->speed, 0.0);
    if (e->acts[t->normal] && r->kind == RL_CONTACT_BEGINS && (is_torn(e, k) || !is_gentle(e, k))) {
      r->kind = RL_CONTACT_SLIPS;
      changes = true;
    }
  }
  return changes;
}

void rl_rubbing_gauge(rl_equations *e) {
  for (uint32_t k = 0; k < e->lcp.direct.tangents_count; k++) {
    const uint32_t normal = e->lcp.direct.tangents[k].normal;
    if (e->acts[normal]) {
      rl_gauge_raise(&e->gauges[normal], friction_event(e, k));
    }
  }
}

bool rl_rubbing_follow(rl_equations *e) {
  bool changes = false;
  for (uint32_t k = 0; k < e->lcp.direct.tangents_count; k++) {
    rl_rubbing *rubbing = &e->rubbing[k];
    const rl_vec3 slide = rl_contact_slide(e->rows, rl_rubbing_row(e, k), e->state->velocities);
    const rl_grip_kind was = rubbing->kind;
    if (!e->acts[e->lcp.direct.tangents[k].normal]) {
      continue;
    }
    if (was == RL_CONTACT_BEGINS && (rl_length(slide) > slow_slide * e->speed || is_torn(e, k))) {
      rubbing->kind = RL_CONTACT_SLIPS;
      rubbing->is_torn = is_torn(e, k);
    } else if (was == RL_CONTACT_SLIPS && !rubbing->is_torn &&
               rl_length(slide) < slow_share * slow_slide * e->speed && is_gentle(e, k)) {
      rubbing->kind = RL_CONTACT_BEGINS;
    }
    changes = changes || rubbing->kind != was;
    if (rubbing->kind == RL_CONTACT_SLIPS) {
      rubbing->direction = force_direction(e, k);
    }
  }
  return changes;
}

void rl_rubbing_begin_choices(rl_equations *e) {
  for (uint32_t k = 0; k < e->lcp.direct.tangents_count; k++) {
    const rl_vec3 slide = rl_contact_slide(e->rows, rl_rubbing_row(e, k), e->saved);
    e->rubbing[k].slides = rl_length(slide) > gentle_slide * e->speed;
    e->rubbing[k].friction = rl_rubbing_row(e, k)->friction;
    e->rubbing[k].holds = e->rubbing[k].jams = false;
  }
}

void rl_rubbing_begin_choice(rl_equations *e, double size) {
  rl_direct *d = &e->lcp.direct;
  for (uint32_t k = 0; k < d->tangents_count; k++) {
    const rl_row *row = rl_rubbing_row(e, k);
    const rl_vec3 slide = rl_contact_slide(e->rows, row, e->saved), none = {0.0, 0.0, 0.0};
    e->rubbing[k].direction =
        e->rubbing[k].slides ? rl_scale(-1.0 / rl_length(slide), slide) : none;
    e->lcp.frictions[k].bias =
        rl_sub(rl_scale(-slide_share * size, e->rubbing[k].direction), curvature_of(e, k));
  }
}

// Whether a contact is at rest, so that it may stick.
static bool rests(const rl_equations *e, uint32_t k) {
  return e->is_taut[e->lcp.direct.tangents[k].normal] && !e->rubbing[k].slides;
}

static bool sticks_now(const rl_equations *e, uint32_t k, double size) {
  return rests(e, k) && e->lcp.active[e->lcp.direct.tangents[k].normal] &&
         rl_length(e->lcp.frictions[k].slide) <= stick_share * size;
}

void rl_rubbing_scale(rl_equations *e, double share) {
  for (uint32_t k = 0; k < e->lcp.direct.tangents_count; k++) {
    const rl_rubbing *r = &e->rubbing[k];
    rl_rubbing_row(e, k)->friction = r->friction * (r->holds ? share : 1.0);
  }
}

bool rl_rubbing_is_tight(rl_equations *e, double size) {
  bool is_tight = false;
  uint32_t count = 0;
  for (uint32_t k = 0; k < e->lcp.direct.tangents_count; k++) {
    const double normal = e->lcp.impulses[e->lcp.direct.tangents[k].normal];
    rl_rubbing *r = &e->rubbing[k];
    r->holds = sticks_now(e, k, size);
    count += r->holds ? 1 : 0;
    is_tight = is_tight ||
               (r->holds && rl_length(e->lcp.frictions[k].total) > tight * r->friction * normal);
  }
  return is_tight && count > 1;
}

bool rl_rubbing_holds(const rl_equations *e, double size) {
  bool holds = true;
  for (uint32_t k = 0; k < e->lcp.direct.tangents_count; k++) {
    holds = holds && (!e->rubbing[k].holds || sticks_now(e, k, size) ||
                      !e->lcp.active[e->lcp.direct.tangents[k].normal]);
  }
  return holds;
}

// Whether a contact needs all of its friction in (9), or slips with all of it.
static bool is_at_limit(const rl_equations *e, uint32_t k, double size) {
  const rl_friction *f = &e->lcp.frictions[k];
  const double normal = e->lcp.impulses[e->lcp.direct.tangents[k].normal];
  return rl_length(f->slide) > stick_share * size ||
         rl_length(f->total) >= (1.0 - at_limit) * e->rubbing[k].friction * normal;
}

bool rl_rubbing_reverses(rl_equations *e, double size) {
  bool reverses = false;
  for (uint32_t k = 0; k < e->lcp.direct.tangents_count; k++) {
    const rl_vec3 slide = rl_contact_slide(e->rows, rl_rubbing_row(e, k), e->saved);
    if (rests(e, k) && !e->rubbing[k].jams && is_at_limit(e, k, size) &&
        rl_dot(slide, e->lcp.frictions[k].total) >
            no_slide * e->speed * rl_length(e->lcp.frictions[k].total)) {
      e->rubbing[k].slides = reverses = true;
    }
  }
  return reverses;
}

bool rl_rubbing_jams(rl_equations *e, double size) {
  bool jams = false;
  for (uint32_t k = 0; k < e->lcp.direct.tangents_count; k++) {
    const rl_vec3 slide = rl_contact_slide(e->rows, rl_rubbing_row(e, k), e->saved);
    rl_rubbing *r = &e->rubbing[k];
    if (r->slides && !r->jams && e->lcp.active[e->lcp.direct.tangents[k].normal] &&
        rl_length(slide) <= slow_slide * e->speed && !is_at_limit(e, k, size)) {
      r->jams = jams = true;
      r->slides = false;
    }
  }
  return jams;
}

void rl_rubbing_end_choice(rl_equations *e, double size) {
  for (uint32_t k = 0; k < e->lcp.direct.tangents_count; k++) {
    rl_friction *f = &e->lcp.frictions[k];
    rl_rubbing *rubbing = &e->rubbing[k];
    rubbing->share = f->total;
    rubbing->is_torn = false;
    const bool slips = rubbing->slides || is_at_limit(e, k, size);
    const rl_vec3 slide = rl_contact_slide(e->rows, rl_rubbing_row(e, k), e->state->velocities);
    const bool begins = rl_length(slide) <= slow_slide * e->speed;
    rubbing->kind = !slips ? RL_CONTACT_STICKS : begins ? RL_CONTACT_BEGINS : RL_CONTACT_SLIPS;
    if (slips && !rubbing->slides) {
      rubbing->direction =
          rl_length(f->total) > 0.0 ? rl_unit(f->total) : rl_unit(rl_scale(-1.0, f->slide));
    }
    f->bias = (rl_vec3){0.0, 0.0, 0.0};
  }
}
