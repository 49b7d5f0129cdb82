// SPDX-License-Identifier: GPL-3.0-or-later
#include "lcp.h"

#include <string.h>

// More contacts than these are not solved in this way: the matrix is full.
enum { MOST_CONTACTS = 128 };

// Sets of elements that are tried, sweeps over the contacts for one over all rows, and rounds over
// the normal and the friction of one contact.
enum { ELEMENT_SETS = 4, SHARE_OF_A_SWEEP = 16, CONTACT_ROUNDS = 20 };

// Sweeps between two leaps, and how far they lead, in changes of one sweep.
enum { BETWEEN_LEAPS = 16, FIRST_LEAP = 16, LONGEST_LEAP = 1 << 24 };

// Of the tolerance: sweeps that change rates by less have settled.
static const double change_share = 0.01;

void rl_lcp_contacts_lay_out(rl_lcp_contacts *s, const rl_model *model, rl_carver *carver) {
  const uint32_t most = model->contact_capacity;
  s->capacity = most < MOST_CONTACTS ? most : MOST_CONTACTS;
  const size_t size = 3 * (size_t)s->capacity;
  s->contacts = rl_carve(carver, s->capacity, sizeof *s->contacts);
  s->matrix = rl_carve(carver, size * size, sizeof *s->matrix);
  s->rates = rl_carve(carver, size, sizeof *s->rates);
  s->impulses = rl_carve(carver, size, sizeof *s->impulses);
  s->last = rl_carve(carver, size, sizeof *s->last);
  s->before_leaps = rl_carve(carver, size, sizeof *s->before_leaps);
}

// False: there are too many.
static bool find_contacts(rl_lcp *l) {
  const rl_direct *d = &l->direct;
  rl_lcp_contacts *s = &l->contacts;
  s->count = 0;
  uint32_t k = 0; // both are in the order of the rows
  for (uint32_t m = 0; m < d->row_count; m++) {
    const bool rubs = k < d->tangents_count && d->tangents[k].normal == m;
    if (!rl_direct_is_element(d, m) && l->inverse_masses[m] > 0.0) {
      if (s->count == s->capacity) {
        return false;
      }
      s->contacts[s->count++] = (rl_lcp_contact){m, rubs ? k : RL_NONE};
    }
    k += rubs;
  }
  return true;
}

// Elements act or do not by what they are nearer to; contacts are no part of the matrix.
static bool hold_elements(rl_lcp *l, rl_state *state, const rl_rows *rows,
                          rl_regularisation regularisation) {
  rl_direct *d = &l->direct;
  for (uint32_t m = 0; m < d->count; m++) {
    const bool is_element = m < d->row_count && rl_direct_is_element(d, m);
    l->active[m] = is_element && l->inverse_masses[m] > 0.0 &&
                   (l->lower[m] < 0.0 || -l->rates[m] < l->inverse_masses[m] * l->impulses[m]);
    const bool released = is_element && !l->active[m];
    l->change[m] = released ? -l->impulses[m] : 0.0;
    if (released) {
      l->impulses[m] = 0.0;
    }
  }
  for (uint32_t k = 0; k < d->tangents_count; k++) {
    d->tangents[k].coefficient = d->tangents[k].softness = 0.0;
  }
  rl_frictions_lay(l->frictions, d, rows, l->gradients);
  rl_direct_push(d, state->points, l->gradients, l->change, state->velocities);
  return rl_direct_factor(d, state->points, l->gradients, l->gradients, regularisation,
                          l->inverse_masses, l->active);
}

// The elements that act give way until their rates are what they ask for: bias, or for the answer
// to an impulse nothing.
static void give_way(rl_lcp *l, const rl_state *state, const double *bias, rl_vec3 *velocities) {
  rl_direct *d = &l->direct;
  rl_direct_rates(d, l->gradients, velocities, l->rates);
  for (uint32_t m = 0; m < d->count; m++) {
    const double asked = m < d->row_count ? bias[m] : 0.0;
    l->change[m] = l->active[m] ? l->rates[m] + asked : 0.0;
  }
  rl_direct_solve(d, l->change);
  rl_direct_push(d, state->points, l->gradients, l->change, velocities);
}

static void settle_elements(rl_lcp *l, rl_state *state, const rl_rows *rows) {
  give_way(l, state, l->bias, state->velocities);
  for (uint32_t m = 0; m < l->direct.row_count; m++) {
    l->impulses[m] += l->change[m];
  }
  rl_lcp_measure(l, state, rows);
}

// Rates and slides as last measured.
static void read_rates(const rl_lcp *l, double *to) {
  const rl_lcp_contacts *s = &l->contacts;
  for (uint32_t i = 0; i < s->count; i++, to += 3) {
    const rl_lcp_contact *c = &s->contacts[i];
    const rl_friction *f = c->tangents != RL_NONE ? &l->frictions[c->tangents] : NULL;
    to[0] = l->rates[c->row];
    to[1] = f ? rl_dot(f->slide, f->tangents[0]) : 0.0;
    to[2] = f ? rl_dot(f->slide, f->tangents[1]) : 0.0;
  }
}

static void read_impulses(const rl_lcp *l, double *to) {
  const rl_lcp_contacts *s = &l->contacts;
  for (uint32_t i = 0; i < s->count; i++, to += 3) {
    const rl_lcp_contact *c = &s->contacts[i];
    const rl_friction *f = c->tangents != RL_NONE ? &l->frictions[c->tangents] : NULL;
    to[0] = l->impulses[c->row];
    to[1] = f ? rl_dot(f->total, f->tangents[0]) : 0.0;
    to[2] = f ? rl_dot(f->total, f->tangents[1]) : 0.0;
  }
}

// The right side that is an impulse at one contact.
static void lay_impulse(rl_lcp *l, const rl_lcp_contact *c, const double impulse[3]) {
  l->change[c->row] = impulse[0];
  for (uint32_t i = 0; i < 2 && c->tangents != RL_NONE; i++) {
    l->change[l->direct.tangents[c->tangents].first + i] = impulse[i + 1];
  }
}

// K: what a unit impulse at each contact does to all, while the elements that act keep their rates.
static void find_matrix(rl_lcp *l, const rl_model *model, const rl_state *state,
                        const rl_rows *rows) {
  rl_direct *d = &l->direct;
  rl_lcp_contacts *s = &l->contacts;
  memset(l->answer, 0, model->slot_count * sizeof *l->answer);
  rl_direct_rates(d, l->gradients, l->answer, l->still);
  for (uint32_t m = 0; m < d->row_count; m++) {
    l->still[m] = -l->still[m];
  }
  double *column = s->matrix;
  for (uint32_t i = 0; i < 3 * s->count; i++, column += 3 * (size_t)s->count) {
    const rl_lcp_contact *c = &s->contacts[i / 3];
    memset(l->answer, 0, model->slot_count * sizeof *l->answer);
    memset(l->change, 0, d->count * sizeof *l->change);
    lay_impulse(l, c, (double[3]){i % 3 == 0, i % 3 == 1, i % 3 == 2});
    rl_direct_push(d, state->points, l->gradients, l->change, l->answer);
    give_way(l, state, l->still, l->answer);
    rl_direct_rates(d, l->gradients, l->answer, l->rates);
    for (uint32_t m = 0; m < d->row_count; m++) {
      l->rates[m] += l->still[m];
    }
    rl_frictions_measure(l->frictions, d, rows, l->answer);
    read_rates(l, column);
  }
  rl_lcp_measure(l, state, rows);
}

static double friction_of(const rl_lcp *l, const rl_rows *rows, uint32_t i) {
  const uint32_t tangents = l->contacts.contacts[i].tangents;
  return tangents != RL_NONE ? rows->rows[l->direct.tangents[tangents].row].friction : 0.0;
}

static void keep_to_cone(double p[3], double mu) {
  const double size = sqrt(p[1] * p[1] + p[2] * p[2]), limit = mu * p[0];
  for (int i = 1; i < 3 && size > limit; i++) {
    p[i] *= limit / size;
  }
}

// The law of one contact for the rates u and impulses p, with K its own block: rounds over its
// normal and its friction. The rate is lowered by the impulse along the normal, the slide follows
// the friction.
static void solve_law(const double K[3][3], double mu, double u[3], double p[3]) {
  const double across = fmax(fmax(K[1][1], K[2][2]), 0.5 * (K[1][1] + K[2][2]) + fabs(K[1][2]));
  bool changed = true;
  for (int n = 0; n < CONTACT_ROUNDS && changed; n++) {
    const double last[3] = {p[0], p[1], p[2]};
    p[0] = fmax(p[0] - u[0] / K[0][0], 0.0);
    for (int i = 1; i < 3 && across > 0.0; i++) {
      p[i] -= (u[i] + K[i][0] * (p[0] - last[0])) / across;
    }
    keep_to_cone(p, mu);
    for (int i = 0; i < 3; i++) {
      for (int k = 0; k < 3; k++) {
        u[i] += K[i][k] * (p[k] - last[k]);
      }
    }
    changed = p[0] != last[0] || p[1] != last[1] || p[2] != last[2];
  }
}

// Returns the change of its rates, about [m/s].
static double solve_contact(rl_lcp *l, const rl_rows *rows, uint32_t i) {
  rl_lcp_contacts *s = &l->contacts;
  const uint32_t size = 3 * s->count;
  const double *columns = &s->matrix[3 * (size_t)i * size];
  double K[3][3], u[3], p[3], changed = 0.0;
  for (uint32_t a = 0; a < 3; a++) {
    for (uint32_t b = 0; b < 3; b++) {
      K[a][b] = columns[b * size + 3 * i + a];
    }
  }
  memcpy(u, &s->rates[3 * i], sizeof u);
  memcpy(p, &s->impulses[3 * i], sizeof p);
  if (!(K[0][0] < 0.0)) {
    return 0.0;
  }
  solve_law((const double(*)[3])K, friction_of(l, rows, i), u, p);
  for (uint32_t b = 0; b < 3; b++) {
    const double step = p[b] - s->impulses[3 * i + b];
    s->impulses[3 * i + b] = p[b];
    changed += fabs(step * K[b][b]);
    for (uint32_t a = 0; a < size && step != 0.0; a++) {
      s->rates[a] += columns[b * size + a] * step;
    }
  }
  return changed;
}

// Adds t (impulses - last) to the impulses, as far as their laws allow.
static void go_on(rl_lcp *l, const rl_rows *rows, double t) {
  rl_lcp_contacts *s = &l->contacts;
  const uint32_t size = 3 * s->count;
  for (uint32_t i = 0; i < s->count; i++) {
    double *p = &s->impulses[3 * i], ahead[3];
    for (int k = 0; k < 3; k++) {
      ahead[k] = p[k] + t * (p[k] - s->last[3 * i + (uint32_t)k]);
    }
    ahead[0] = fmax(ahead[0], 0.0);
    keep_to_cone(ahead, friction_of(l, rows, i));
    for (uint32_t k = 0; k < 3; k++) {
      const double step = ahead[k] - p[k];
      const double *column = &s->matrix[(3 * (size_t)i + k) * size];
      for (uint32_t a = 0; a < size && step != 0.0; a++) {
        s->rates[a] += column[a] * step;
      }
      p[k] = ahead[k];
    }
  }
}

// Where the impulses creep, now and then a leap to where a geometric series would end; if that
// helps nothing, a longer one. Those of rows that contradict each other grow for good: they are
// left where that began.
static void sweep(rl_lcp *l, const rl_rows *rows, int sweeps, double least, rl_step_info *info) {
  rl_lcp_contacts *s = &l->contacts;
  const size_t bytes = 3 * (size_t)s->count * sizeof *s->impulses;
  double changed = INFINITY, at_leap = INFINITY, farthest = FIRST_LEAP;
  for (int n = 1; n <= sweeps && changed > least; n++) {
    const double before = changed;
    memcpy(s->last, s->impulses, bytes);
    changed = 0.0;
    for (uint32_t i = 0; i < s->count; i++) {
      changed = rl_larger(changed, solve_contact(l, rows, i));
    }
    info->row_evaluations += (uint64_t)s->count * s->count;
    if (n % BETWEEN_LEAPS != 0) {
      continue;
    }
    const double ratio = changed / before;
    if (changed < 0.5 * at_leap) {
      at_leap = changed;
      farthest = FIRST_LEAP;
      memcpy(s->before_leaps, s->impulses, bytes);
    } else if (farthest > LONGEST_LEAP) {
      memcpy(s->impulses, s->before_leaps, bytes);
      return;
    }
    go_on(l, rows, ratio < 1.0 ? fmin(ratio / (1.0 - ratio), farthest) : farthest);
    farthest *= 4;
  }
}

// Pushes what the sweeps have found, and the elements give way to it.
static void push(rl_lcp *l, rl_state *state, const rl_rows *rows) {
  rl_direct *d = &l->direct;
  rl_lcp_contacts *s = &l->contacts;
  read_impulses(l, s->rates); // those before
  memset(l->change, 0, d->count * sizeof *l->change);
  for (uint32_t i = 0; i < s->count; i++) {
    double change[3];
    for (uint32_t k = 0; k < 3; k++) {
      change[k] = s->impulses[3 * i + k] - s->rates[3 * i + k];
    }
    lay_impulse(l, &s->contacts[i], change);
    l->impulses[s->contacts[i].row] += change[0];
  }
  rl_frictions_add(l->frictions, d, l->change);
  rl_direct_push(d, state->points, l->gradients, l->change, state->velocities);
  settle_elements(l, state, rows);
}

bool rl_lcp_contacts_solve(rl_lcp *l, const rl_model *model, rl_state *state, const rl_rows *rows,
                           int sweeps, rl_regularisation regularisation, const rl_lcp_options *o,
                           rl_step_info *info) {
  rl_lcp_contacts *s = &l->contacts;
  if (!find_contacts(l)) {
    return false;
  }
  for (int set = 0; set < ELEMENT_SETS; set++) {
    if (!hold_elements(l, state, rows, regularisation)) {
      return false;
    }
    settle_elements(l, state, rows);
    find_matrix(l, model, state, rows);
    info->row_evaluations += 3 * (uint64_t)s->count * l->direct.row_count;
    read_rates(l, s->rates);
    read_impulses(l, s->impulses);
    sweep(l, rows, sweeps * SHARE_OF_A_SWEEP, change_share * o->tolerance / o->dt, info);
    push(l, state, rows);
    double size;
    if (o->dt * rl_lcp_error(l, rows, &size) <= o->tolerance) {
      return true;
    }
  }
  return false;
}
