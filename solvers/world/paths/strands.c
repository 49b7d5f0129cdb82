// SPDX-License-Identifier: GPL-3.0-or-later
#include "strands.h"

#include "wrap_internal.h"

// Of the inverse mass of a strand: if the others leave less of it, they determine what it does.
static const double dependent = 1e-9;

// Of that: what counts as as much.
static const double alike = 1e-3;

bool rl_strands_next(rl_strands *s, rl_rows *rows, const rl_block *first, bool backward,
                     uint32_t *at) {
  const rl_block *others = &rows->blocks[first->others];
  const uint32_t all = 1 + others->row_count, begin = *at;
  for (s->count = 0; *at < all && s->count < RL_STRANDS_TOGETHER; s->count++, (*at)++) {
    const uint32_t k = backward ? all - 1 - *at : *at;
    s->rows[s->count] = &rows->rows[k == 0 ? first->first_row : others->first_row + k - 1];
  }
  return *at > begin;
}

// (3a) B d = b, in which some of the strands take part, and of these some are slack.
typedef struct equations {
  double matrix[RL_STRANDS_TOGETHER][RL_STRANDS_TOGETHER];
  double asked[RL_STRANDS_TOGETHER];
  bool takes_part[RL_STRANDS_TOGETHER], is_slack[RL_STRANDS_TOGETHER];
  bool depends[RL_STRANDS_TOGETHER]; // on what the others do
} equations;

// A part of them while it is solved for one unknown after the other, `order`: the first `rank` are
// expressed by the others, d_i = asked_i - sum of matrix_ij d_j.
typedef struct elimination {
  uint32_t count, rank;
  uint32_t order[RL_STRANDS_TOGETHER];                     // strands
  double matrix[RL_STRANDS_TOGETHER][RL_STRANDS_TOGETHER]; // by strand
  double asked[RL_STRANDS_TOGETHER];
} elimination;

// Returns J_k M^-1 G_l^T.
static double response(const rl_rows *rows, const rl_row *k, const rl_row *l,
                       const rl_point *points) {
  const rl_entry *read = &rows->entries[k->first_entry], *pushed = &rows->entries[l->first_entry];
  double sum = 0.0;
  for (uint32_t i = 0; i < k->entry_count; i++) {
    for (uint32_t j = 0; j < l->entry_count; j++) {
      sum += read[i].slot == pushed[j].slot
                 ? points[read[i].slot].w * rl_dot(read[i].gradient, pushed[j].force)
                 : 0.0;
    }
  }
  return sum;
}

static void set_up(const rl_strands *s, const rl_rows *rows, const rl_point *points, equations *e) {
  for (uint32_t k = 0; k < s->count; k++) {
    const double own = s->rows[k]->inverse_mass + s->softness[k];
    e->takes_part[k] = own > 0.0 && own < INFINITY;
    e->is_slack[k] = false;
    for (uint32_t l = 0; l < s->count && e->takes_part[k]; l++) {
      e->matrix[k][l] = l == k ? own : response(rows, s->rows[k], s->rows[l], points);
    }
    e->asked[k] = e->takes_part[k] ? own * s->alone[k] : 0.0;
  }
}

static double lowest(const rl_strands *s, uint32_t k) {
  return s->rows[k]->lower - s->multipliers[k];
}

// Returns the change with which a strand holds what it held.
static double held_change(const rl_strands *s, uint32_t k) {
  return s->held[k] - s->multipliers[k];
}

// Begins to solve for the changes of the strands that are not slack, with those of the others.
static void begin(rl_strands *s, const equations *e, elimination *x) {
  x->count = x->rank = 0;
  for (uint32_t k = 0; k < s->count; k++) {
    if (e->takes_part[k] && !e->is_slack[k]) {
      x->order[x->count++] = k;
    } else {
      s->changes[k] = e->takes_part[k] ? lowest(s, k) : fmax(s->alone[k], lowest(s, k));
    }
  }
  for (uint32_t i = 0; i < x->count; i++) {
    const uint32_t k = x->order[i];
    x->asked[k] = e->asked[k];
    for (uint32_t l = 0; l < s->count; l++) {
      const bool is_known = !e->takes_part[l] || e->is_slack[l];
      x->asked[k] -= is_known ? e->matrix[k][l] * s->changes[l] : 0.0;
      x->matrix[k][l] = e->matrix[k][l];
    }
  }
}

// Expresses the unknown of a strand by those that are left, in all equations (Gauss and Jordan).
static void eliminate(elimination *x, uint32_t at) {
  const uint32_t k = x->order[at];
  const double inverse = 1.0 / x->matrix[k][k];
  x->order[at] = x->order[x->rank];
  x->order[x->rank++] = k;
  x->asked[k] *= inverse;
  for (uint32_t j = x->rank; j < x->count; j++) {
    x->matrix[k][x->order[j]] *= inverse;
  }
  for (uint32_t i = 0; i < x->count; i++) {
    const uint32_t l = x->order[i];
    const double factor = l != k ? x->matrix[l][k] : 0.0;
    for (uint32_t j = x->rank; j < x->count && factor != 0.0; j++) {
      x->matrix[l][x->order[j]] -= factor * x->matrix[k][x->order[j]];
    }
    x->asked[l] -= factor * x->asked[k];
  }
}

// Eliminates all strands but those that depend on others: next that which has most left of its
// inverse mass, of several alike that which asks for most. Returns false if one has less than none.
static bool eliminate_all(const equations *e, elimination *x) {
  for (bool goes_on = true; goes_on && x->rank < x->count;) {
    uint32_t best = x->rank;
    double most = -INFINITY, best_asked = 0.0;
    for (uint32_t i = x->rank; i < x->count; i++) {
      const uint32_t k = x->order[i];
      const double left = x->matrix[k][k] / e->matrix[k][k], asked = x->asked[k] / e->matrix[k][k];
      if (left < -dependent) {
        return false;
      }
      if (left > most + alike || (left > most - alike && asked > best_asked)) {
        best = i;
        most = left;
        best_asked = asked;
      }
    }
    goes_on = most > dependent;
    if (goes_on) {
      eliminate(x, best);
    }
  }
  return true;
}

// (3b) Of all changes with which the eliminated strands hold finds those nearest to what the
// strands held, in the mean of squares.
static void stay_near(rl_strands *s, elimination *x) {
  elimination z; // of which only what is written here is read
  z.count = x->count - x->rank;
  z.rank = 0;
  for (uint32_t i = 0; i < z.count; i++) {
    const uint32_t k = z.order[i] = x->order[x->rank + i];
    z.asked[k] = held_change(s, k);
    for (uint32_t j = 0; j < z.count; j++) {
      const uint32_t l = x->order[x->rank + j];
      z.matrix[k][l] = k == l ? 1.0 : 0.0;
      for (uint32_t p = 0; p < x->rank; p++) {
        const uint32_t m = x->order[p];
        z.matrix[k][l] += x->matrix[m][k] * x->matrix[m][l];
      }
    }
    for (uint32_t p = 0; p < x->rank; p++) {
      const uint32_t m = x->order[p];
      z.asked[k] += x->matrix[m][k] * (x->asked[m] - held_change(s, m));
    }
  }
  while (z.rank < z.count) {
    eliminate(&z, z.rank);
  }
  for (uint32_t i = 0; i < z.count; i++) {
    s->changes[z.order[i]] = z.asked[z.order[i]];
  }
}

// Solves for the changes of the strands that are not slack. Returns false if there are none.
static bool solve_taut(rl_strands *s, equations *e, elimination *x) {
  begin(s, e, x);
  if (!eliminate_all(e, x)) {
    return false;
  }
  stay_near(s, x);
  for (uint32_t i = 0; i < x->count; i++) {
    e->depends[x->order[i]] = i >= x->rank;
  }
  for (uint32_t i = 0; i < x->rank; i++) {
    const uint32_t k = x->order[i];
    s->changes[k] = x->asked[k];
    for (uint32_t j = x->rank; j < x->count; j++) {
      s->changes[k] -= x->matrix[k][x->order[j]] * s->changes[x->order[j]];
    }
  }
  return true;
}

// What is left of what a strand asks for, with the changes of all.
static double missing(const rl_strands *s, const equations *e, uint32_t k) {
  double sum = e->asked[k];
  for (uint32_t l = 0; l < s->count; l++) {
    sum -= e->matrix[k][l] * s->changes[l];
  }
  return sum;
}

// Whether a strand is taut that pushes, or is shorter than those on which it depends; or slack, and
// asks for more.
static bool is_wrong(const rl_strands *s, const equations *e, uint32_t k) {
  if (!e->takes_part[k]) {
    return false;
  }
  if (e->is_slack[k]) {
    return missing(s, e, k) > s->rounding;
  }
  const bool is_short =
      e->depends[k] && s->rows[k]->lower == 0.0 && missing(s, e, k) < -s->rounding;
  return is_short || s->changes[k] < lowest(s, k);
}

// Turns such strands over: all of them, or the first. Returns whether there are any.
static bool turn_over(const rl_strands *s, equations *e, bool all) {
  bool turns[RL_STRANDS_TOGETHER], any = false;
  for (uint32_t k = 0; k < s->count; k++) {
    turns[k] = (all || !any) && is_wrong(s, e, k);
    any = any || turns[k];
  }
  for (uint32_t k = 0; k < s->count; k++) {
    e->is_slack[k] = e->is_slack[k] != turns[k];
  }
  return any;
}

// One after the other, each with what those before it have changed.
static void solve_in_turn(rl_strands *s, const equations *e) {
  for (uint32_t k = 0; k < s->count; k++) {
    s->changes[k] = 0.0;
  }
  for (uint32_t k = 0; k < s->count; k++) {
    const double change = e->takes_part[k] ? missing(s, e, k) / e->matrix[k][k] : s->alone[k];
    s->changes[k] = fmax(change, lowest(s, k));
  }
}

void rl_strands_solve(rl_strands *s, const rl_rows *rows, const rl_point *points) {
  equations e;
  elimination x;
  set_up(s, rows, points, &e);
  bool goes_on = true;
  for (uint32_t trial = 0; trial < 3 * s->count && goes_on; trial++) {
    if (!solve_taut(s, &e, &x)) {
      solve_in_turn(s, &e);
      return;
    }
    goes_on = turn_over(s, &e, trial < s->count);
  }
  for (uint32_t k = 0; k < s->count; k++) { // where rounding decides what is slack
    s->changes[k] = fmax(s->changes[k], lowest(s, k));
  }
}

// Whether a winch of a rope runs, or some body under it or at its ends is driven.
static bool is_prescribed(const rl_model *model, const rl_state *state, uint32_t rope) {
  bool any = state->reels && (state->reels[rope][0] != 0.0 || state->reels[rope][1] != 0.0);
  for (uint32_t i = 0; i < state->wrap_counts[rope] + 2 && !any; i++) {
    const uint32_t body = rl_wrap_carrier(model, state, rope, i);
    any = body < model->body_count && model->bodies[body].motion == RL_DRIVEN;
  }
  return any;
}

// Returns the rate at which what is prescribed lengthens a strand; 0 if that is round-off [m/s].
static double prescribed_rate(const rl_state *state, const rl_rows *rows, const rl_row *row) {
  double rate = 0.0 - row->reel, speed = fabs(row->reel);
  for (uint32_t i = row->first_entry; i < row->first_entry + row->entry_count; i++) {
    const rl_entry *e = &rows->entries[i];
    const bool moves = state->points[e->slot].w > 0.0;
    rate += moves ? 0.0 : rl_dot(e->gradient, state->velocities[e->slot]);
    speed += moves ? 0.0 : rl_length(state->velocities[e->slot]);
  }
  return fabs(rate) > rl_wrap_rounding * speed ? rate : 0.0;
}

// Returns the tension of a strand that balances a dependent one of tension 1.
static double balancing(const elimination *x, uint32_t k, uint32_t dependent_one) {
  return 0.0 - x->matrix[k][dependent_one];
}

uint64_t rl_strands_drawn_apart(const rl_model *model, const rl_state *state, rl_rows *rows,
                                uint32_t rope) {
  uint32_t first = 0;
  while (first < rows->contact_block && rows->blocks[first].rope != rope) {
    first++;
  }
  rl_strands s;
  uint32_t at = 0;
  if (first == rows->contact_block || rows->blocks[first].others == 0 ||
      !is_prescribed(model, state, rope) ||
      !rl_strands_next(&s, rows, &rows->blocks[first], false, &at)) {
    return 0;
  }
  const double rounding = RL_STRANDS_ROUNDING * state->path_lengths[rope];
  double rates[RL_STRANDS_TOGETHER];
  for (uint32_t k = 0; k < s.count; k++) {
    rl_row_evaluate(model, state, rows, s.rows[k], state->points);
    rates[k] = prescribed_rate(state, rows, s.rows[k]);
    s.alone[k] = s.multipliers[k] = s.held[k] = 0.0;
    s.softness[k] = s.rows[k]->value < -rounding ? INFINITY : 0.0; // a slack one pulls nothing
  }
  equations e;
  elimination x;
  set_up(&s, rows, state->points, &e);
  begin(&s, &e, &x);
  uint64_t drawn = 0;
  for (uint32_t j = eliminate_all(&e, &x) ? x.rank : x.count; j < x.count; j++) {
    const uint32_t on = x.order[j];
    double rate = rates[on], least = 0.0;
    uint64_t pulls = (uint64_t)1 << on;
    for (uint32_t i = 0; i < x.rank; i++) {
      const uint32_t k = x.order[i];
      const double tension = balancing(&x, k, on);
      rate += tension * rates[k];
      least = fmin(least, tension);
      pulls |= (uint64_t)(tension > dependent) << k;
    }
    drawn |= least >= -dependent && rate > 0.0 ? pulls : 0;
  }
  return drawn;
}
