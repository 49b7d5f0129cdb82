// SPDX-License-Identifier: GPL-3.0-or-later
#include "friction.h"

// Largest softness of the second tangent relative to that of the contact, for a disc of no radius.
static const double largest_softness = 1e12;

static const rl_row *row_of(const rl_direct *d, const rl_rows *rows, uint32_t k) {
  return &rows->rows[d->tangents[k].row];
}

void rl_frictions_begin(rl_friction *frictions, const rl_direct *d, const rl_rows *rows) {
  for (uint32_t k = 0; k < d->tangents_count; k++) {
    const rl_row *row = row_of(d, rows, k);
    rl_friction *f = &frictions[k];
    f->normal = row->normal;
    f->tangents[0] = row->tangents[0];
    f->tangents[1] = row->tangents[1];
    f->total = (rl_vec3){0.0, 0.0, 0.0};
    f->inverse_mass = 0.0;
  }
}

void rl_frictions_weigh(rl_friction *frictions, const rl_direct *d, const rl_rows *rows,
                        const rl_point *points) {
  for (uint32_t k = 0; k < d->tangents_count; k++) {
    const rl_row *row = row_of(d, rows, k);
    rl_friction *f = &frictions[k];
    f->inverse_mass = fmax(rl_contact_inverse_mass(rows, row, f->tangents[0], points),
                           rl_contact_inverse_mass(rows, row, f->tangents[1], points));
  }
}

static double slide_along(const rl_rows *rows, const rl_row *row, rl_vec3 t, const rl_vec3 *v) {
  double sum = 0.0;
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *e = &rows->entries[i];
    sum += rl_dot(rl_contact_share(row, e, t), v[e->slot]);
  }
  return sum;
}

rl_vec3 rl_friction_slide(const rl_friction *f, const rl_row *row, const rl_rows *rows,
                          const rl_vec3 *v) {
  return rl_add(rl_scale(slide_along(rows, row, f->tangents[0], v), f->tangents[0]),
                rl_scale(slide_along(rows, row, f->tangents[1], v), f->tangents[1]));
}

void rl_frictions_measure(rl_friction *frictions, const rl_direct *d, const rl_rows *rows,
                          const rl_vec3 *v) {
  for (uint32_t k = 0; k < d->tangents_count; k++) {
    rl_friction *f = &frictions[k];
    f->slide = rl_add(rl_friction_slide(f, row_of(d, rows, k), rows, v),
                      rl_add_scaled(f->bias, f->softness, rl_sub(f->total, f->centre)));
  }
}

double rl_frictions_residual(const rl_friction *frictions, const rl_direct *d, const rl_rows *rows,
                             const double *inverse_masses, const double *multipliers,
                             double *size) {
  double largest = 0.0;
  *size = 0.0;
  for (uint32_t k = 0; k < d->tangents_count; k++) {
    const uint32_t normal = d->tangents[k].normal;
    const double w = inverse_masses[normal];
    const double limit = row_of(d, rows, k)->friction * fmax(multipliers[normal], 0.0);
    rl_vec3 total = frictions[k].total;
    const rl_vec3 change = rl_friction_change(&total, frictions[k].slide, w, limit);
    largest = rl_larger(largest, w * rl_length(change));
    *size = rl_larger(*size, w * rl_length(total));
  }
  return largest;
}

// The row of the contact itself.
typedef struct pressing {
  double friction, inverse_mass, multiplier, value;
  bool acts;
} pressing;

// (10) to (12): chooses stick or slip and sets the rows of Newton's method for T = P(T - u / w), P
// the projection on to the disc.
static void choose(rl_friction *f, rl_tangents *t, const pressing *n, bool *active,
                   double *change) {
  const double w = f->inverse_mass > 0.0 ? f->inverse_mass : n->inverse_mass;
  const rl_vec3 aim = rl_add_scaled(f->total, w > 0.0 ? -1.0 / w : 0.0, f->slide);
  const double size = rl_length(aim);
  const double normal = n->inverse_mass;
  const double limit = normal > 0.0 ? n->friction * (n->multiplier + n->value / normal) : 0.0;
  const bool slips = n->acts && limit > 0.0 && size > limit;
  if (slips) {
    f->tangents[0] = rl_scale(1.0 / size, aim);
    f->tangents[1] = rl_cross(f->normal, f->tangents[0]);
  }
  t->coefficient = slips ? n->friction : 0.0;
  t->softness = slips ? w * fmin(size / limit - 1.0, largest_softness) : 0.0;
  active[0] = n->acts && !slips;
  active[1] = n->acts;
  for (int i = 0; i < 2; i++) {
    const double component = rl_dot(f->total, f->tangents[i]);
    change[i] = active[i] ? -rl_dot(f->slide, f->tangents[i]) : -component;
  }
  change[0] += t->coefficient * n->multiplier;
  change[1] -= t->softness * rl_dot(f->total, f->tangents[1]);
}

void rl_frictions_choose(rl_friction *frictions, rl_direct *d, const rl_rows *rows,
                         double *inverse_masses, const double *multipliers, bool *active,
                         double *change) {
  for (uint32_t k = 0; k < d->tangents_count; k++) {
    rl_tangents *t = &d->tangents[k];
    const pressing normal = {row_of(d, rows, k)->friction, inverse_masses[t->normal],
                             multipliers[t->normal], change[t->normal], active[t->normal]};
    inverse_masses[t->first] = inverse_masses[t->first + 1] = normal.inverse_mass;
    choose(&frictions[k], t, &normal, &active[t->first], &change[t->first]);
  }
}

void rl_frictions_lay(const rl_friction *frictions, const rl_direct *d, const rl_rows *rows,
                      rl_vec3 *gradients) {
  for (uint32_t k = 0; k < d->tangents_count; k++) {
    const rl_vec3 *t = frictions[k].tangents;
    rl_direct_lay_tangents(d, rows, k, t[0], t[1], gradients);
  }
}

void rl_frictions_add(rl_friction *frictions, const rl_direct *d, const double *change) {
  for (uint32_t k = 0; k < d->tangents_count; k++) {
    rl_friction *f = &frictions[k];
    for (uint32_t i = 0; i < 2; i++) {
      f->total = rl_add_scaled(f->total, change[d->tangents[k].first + i], f->tangents[i]);
    }
  }
}

void rl_frictions_components(const rl_friction *frictions, const rl_direct *d,
                             double *multipliers) {
  for (uint32_t k = 0; k < d->tangents_count; k++) {
    for (uint32_t i = 0; i < 2; i++) {
      multipliers[d->tangents[k].first + i] = rl_dot(frictions[k].total, frictions[k].tangents[i]);
    }
  }
}

void rl_frictions_watch(rl_friction *frictions, const rl_direct *d, const rl_rows *rows,
                        const rl_vec3 *velocities) {
  for (uint32_t k = 0; k < d->tangents_count; k++) {
    frictions[k].rate = rl_friction_slide(&frictions[k], row_of(d, rows, k), rows, velocities);
  }
}

void rl_frictions_book(rl_friction *frictions, const rl_direct *d, const rl_rows *rows,
                       const rl_state *state, double scale, rl_step_info *info) {
  for (uint32_t k = 0; k < d->tangents_count; k++) {
    rl_friction *f = &frictions[k];
    const rl_row *row = row_of(d, rows, k);
    const rl_vec3 impulse = rl_scale(scale, f->total);
    const rl_vec3 before = f->rate;
    f->rate = rl_friction_slide(f, row, rows, state->velocities);
    info->rubbed -= 0.5 * rl_dot(impulse, rl_add(before, f->rate));
    info->work += rl_friction_work(rows, row, impulse, state->points, state->velocities);
  }
}
